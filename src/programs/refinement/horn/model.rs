//! Models of constrained Horn clauses, as solvers answer them: the comparisons of sums in the definitions of the relations `r0`, `r1`, ….

mod tree;

use std::collections::{HashMap, HashSet};

use super::super::rational::Rational;
use super::super::simplex::Form;
use tree::{Node, Tree};

/// A comparison in the definition of a relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Atom {
    /// The number of the relation.
    pub relation: usize,
    /// Over its arguments.
    pub form: Form,
    /// That it is not positive, where it is said and not denied; else that it is 0, or is not.
    pub is_bound: bool,
}

/// A node in its scope.
type Scoped = (usize, Option<usize>);

/// Those of an answer, each once, in order. Of anything but `sat` and a model, as SMT-LIB 2 has them, there are none, and what is not
/// linear is left out.
pub(super) fn atoms(answer: &str) -> Vec<Atom> {
    let Some(model) = satisfied(answer) else { return Vec::new() };
    let tree = Tree::read(model);
    let mut found = Vec::new();
    for definition in tree.lists() {
        let [head, name, parameters, _, body] = *tree.parts(definition) else { continue };
        let number = tree.word(name).and_then(|name| name.strip_prefix('r')?.parse().ok());
        if let (Some("define-fun"), Some(relation)) = (tree.word(head), number) {
            let mut reader = Reader { tree: &tree, relation, scopes: Vec::new(), values: HashMap::new(), found };
            reader.body(parameters, body);
            found = reader.found;
        }
    }
    found
}

/// What comes after `sat`, and complaints about options that an older solver does not have.
fn satisfied(mut answer: &str) -> Option<&str> {
    loop {
        let (line, rest) = answer.split_once('\n')?;
        match line.trim() {
            "sat" => return Some(rest),
            complaint if complaint.starts_with("(error") => answer = rest,
            _ => return None,
        }
    }
}

/// A name and what it stands for, inside of others.
struct Scope<'t> {
    name: &'t str,
    bound: Bound,
    outer: Option<usize>,
}

#[derive(Clone, Copy)]
enum Bound {
    /// An argument of the relation.
    Argument(usize),
    /// A term, in its own scope.
    Term(usize, Option<usize>),
    /// A value of which nothing is known.
    Any,
}

struct Reader<'t> {
    tree: &'t Tree<'t>,
    relation: usize,
    scopes: Vec<Scope<'t>>,
    /// Sums that have been read, by their nodes: each node stands in one scope only.
    values: HashMap<usize, Option<Form>>,
    found: Vec<Atom>,
}

impl<'t> Reader<'t> {
    fn body(&mut self, parameters: usize, body: usize) {
        let mut scope = None;
        for (number, &parameter) in self.tree.parts(parameters).iter().enumerate() {
            scope = self.bind(parameter, |_| Bound::Argument(number), scope);
        }
        let (mut met, mut open) = (HashSet::new(), vec![((body, scope), true)]);
        while let Some(((node, scope), positive)) = open.pop() {
            if met.insert(node) {
                let positive = positive != self.denies(node);
                let next = self.condition(node, scope, positive);
                open.extend(next.into_iter().rev().map(|next| (next, positive)));
            }
        }
    }

    /// In a list `(name what)` the name is bound.
    fn bind(&mut self, pair: usize, to: impl Fn(usize) -> Bound, outer: Option<usize>) -> Option<usize> {
        let [name, what] = *self.tree.parts(pair) else { return outer };
        let Some(name) = self.tree.word(name) else { return outer };
        self.scopes.push(Scope { name, bound: to(what), outer });
        Some(self.scopes.len() - 1)
    }

    fn looked_up(&self, name: &str, mut scope: Option<usize>) -> Option<Bound> {
        while let Some(at) = scope {
            let Scope { name: other, bound, outer } = &self.scopes[at];
            if *other == name {
                return Some(*bound);
            }
            scope = *outer;
        }
        None
    }

    /// The inside of what binds names, and its scope.
    fn inside(&mut self, node: usize, scope: Option<usize>) -> Option<Scoped> {
        let [head, names, body] = *self.tree.parts(node) else { return None };
        let is_let = match self.tree.word(head)? {
            "let" => true,
            "exists" | "forall" => false,
            _ => return None,
        };
        let mut inner = scope;
        for &pair in self.tree.parts(names) {
            let bound = |what| if is_let { Bound::Term(what, scope) } else { Bound::Any };
            inner = self.bind(pair, bound, inner);
        }
        Some((body, inner))
    }

    /// Whether a condition is that its part does not hold.
    fn denies(&self, node: usize) -> bool {
        self.tree.parts(node).first().is_some_and(|&head| self.tree.word(head) == Some("not"))
    }

    /// The conditions of which a condition is made; an atom, which is said or denied, is noted.
    fn condition(&mut self, node: usize, scope: Option<usize>, positive: bool) -> Vec<Scoped> {
        if let Some(inside) = self.inside(node, scope) {
            return vec![inside];
        }
        let parts = match self.tree.node(node) {
            Node::Word(name) => {
                return match self.looked_up(name, scope) {
                    Some(Bound::Term(node, scope)) => vec![(node, scope)],
                    _ => Vec::new(),
                };
            }
            Node::List(parts) => parts,
        };
        let Some((&head, parts)) = parts.split_first() else { return Vec::new() };
        match self.tree.word(head) {
            Some(sign @ ("<=" | "<" | ">=" | ">" | "=" | "distinct")) => {
                let values: Vec<Option<Form>> = parts.iter().map(|&part| self.value(part, scope)).collect();
                if let (false, [Some(a), Some(b)]) = (sign == "distinct" && parts.len() > 2, &values[..]) {
                    self.compared(sign, a, b, positive);
                    return Vec::new();
                }
            }
            Some("!") => return parts.first().map(|&part| (part, scope)).into_iter().collect(),
            _ => {}
        }
        parts.iter().map(|&part| (part, scope)).collect()
    }

    fn compared(&mut self, sign: &str, a: &Form, b: &Form, positive: bool) {
        let is_bound = !matches!(sign, "=" | "distinct");
        // a > b is denied by a <= b.
        let swapped = matches!(sign, ">" | ">=") == (positive || !is_bound);
        let strict = is_bound && matches!(sign, "<" | ">") == positive;
        let (less, more) = if swapped { (b, a) } else { (a, b) };
        let mut form = less.clone();
        let strict = Form::constant(Rational::integer(i128::from(strict)));
        let done = form.add(more, Rational::integer(-1)).and_then(|()| form.add(&strict, Rational::ONE));
        let atom = Atom { relation: self.relation, form, is_bound };
        if done.is_some() && !atom.form.parts.is_empty() && !self.found.contains(&atom) {
            self.found.push(atom);
        }
    }

    /// The sum that a term is; none if it is none, or numbers do not fit.
    fn value(&mut self, root: usize, scope: Option<usize>) -> Option<Form> {
        let mut open = vec![(root, scope, false)];
        while let Some((node, scope, entered)) = open.pop() {
            if self.values.contains_key(&node) {
                continue;
            }
            let needs = self.needed(node, scope);
            if entered {
                let value = self.computed(node, scope, &needs);
                self.values.insert(node, value);
            } else {
                open.push((node, scope, true));
                open.extend(needs.into_iter().map(|(part, scope)| (part, scope, false)));
            }
        }
        self.values.get(&root).cloned().flatten()
    }

    /// The terms of which a term is made.
    fn needed(&mut self, node: usize, scope: Option<usize>) -> Vec<Scoped> {
        if let Some(inside) = self.inside(node, scope) {
            return vec![inside];
        }
        match self.tree.node(node) {
            Node::Word(name) => match self.looked_up(name, scope) {
                Some(Bound::Term(node, scope)) => vec![(node, scope)],
                _ => Vec::new(),
            },
            Node::List(parts) => parts.iter().skip(1).map(|&part| (part, scope)).collect(),
        }
    }

    fn computed(&self, node: usize, scope: Option<usize>, needs: &[Scoped]) -> Option<Form> {
        let values: Option<Vec<Form>> =
            needs.iter().map(|(part, _)| self.values.get(part).cloned().flatten()).collect();
        let values = values?;
        let parts = match self.tree.node(node) {
            Node::Word(name) => {
                return match self.looked_up(name, scope) {
                    Some(Bound::Argument(number)) => Some(Form::variable(number)),
                    Some(Bound::Term(..)) => values.into_iter().next(),
                    Some(Bound::Any) => None,
                    None => Some(Form::constant(Rational::integer(name.parse().ok()?))),
                };
            }
            Node::List(parts) => parts,
        };
        match self.tree.word(*parts.first()?)? {
            "let" => values.into_iter().next(),
            "+" => sum(&values, 1),
            "-" if values.len() == 1 => scaled(&values[0], Rational::integer(-1)),
            "-" => sum(&values, -1),
            "*" => product(&values),
            _ => None,
        }
    }
}

/// The first and so many times all others.
fn sum(values: &[Form], times: i128) -> Option<Form> {
    let (first, rest) = values.split_first()?;
    let mut sum = first.clone();
    rest.iter().try_for_each(|value| sum.add(value, Rational::integer(times)))?;
    Some(sum)
}

/// A product, if it is linear.
fn product(values: &[Form]) -> Option<Form> {
    let mut product = Form::constant(Rational::ONE);
    for value in values {
        product = match (product.parts.is_empty(), value.parts.is_empty()) {
            (true, _) => scaled(value, product.rest())?,
            (_, true) => scaled(&product, value.rest())?,
            _ => return None,
        };
    }
    Some(product)
}

fn scaled(value: &Form, times: Rational) -> Option<Form> {
    let mut product = Form::default();
    product.add(value, times)?;
    Some(product)
}
