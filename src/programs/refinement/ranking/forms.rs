//! Linear expressions: terms of bit-vectors read as such over integers, as if nothing wrapped around: only a source of candidates.

use std::collections::{BTreeMap, BTreeSet};

use super::super::rational::Rational;
use super::super::simplex::Form;
use crate::bitvec::value::{Operator, signed};
use crate::bitvec::{Node, Softened, Term, Terms};

/// That a form is not positive.
pub(super) type Literal = Form;

/// More cases of a condition are not told apart.
const MAX_CASES: usize = 4;

/// Connectives of a segment that are looked at, at most.
const MAX_CONNECTIVES: usize = 2_000;

/// What conditions say, case by case: of each case literals that all hold, also of quotients and the like in these numbers. What is not
/// linear says nothing.
pub(super) fn cases(terms: &Terms, softened: &[Softened], conditions: &[Term], numbers: &[Term]) -> Vec<Vec<Literal>> {
    let mut reader = Reader { terms, about: Vec::new(), met: BTreeSet::new(), left: MAX_CONNECTIVES };
    numbers.iter().for_each(|&number| drop(reader.form(number)));
    let mut all: Vec<Vec<Literal>> = vec![Vec::new()];
    for soft in softened {
        if let (Some(operator), Some((a, b))) = (soft.operator, soft.operands)
            && let (Some(value), Some(of), Some(by)) = (reader.form(soft.value), reader.form(a), reader.form(b))
        {
            reader.about(operator, &value, (&of, &by), None);
        }
    }
    for &condition in conditions {
        let one = reader.condition(condition, true);
        let product = all.iter().flat_map(|some| one.iter().map(|more| [&some[..], &more[..]].concat()));
        let product: Vec<Vec<Literal>> = product.collect();
        if product.len() <= MAX_CASES {
            all = product;
        }
    }
    all.iter_mut().for_each(|case| case.extend(reader.about.iter().cloned()));
    all
}

/// A term as a form.
pub(in super::super) fn form(terms: &Terms, term: Term) -> Option<Form> {
    Reader { terms, about: Vec::new(), met: BTreeSet::new(), left: MAX_CONNECTIVES }.form(term)
}

struct Reader<'t> {
    terms: &'t Terms,
    /// What holds of quotients, remainders and masks that were met.
    about: Vec<Literal>,
    met: BTreeSet<usize>,
    /// So many connectives are looked at.
    left: usize,
}

impl Reader<'_> {
    /// The cases of a condition, or of its opposite.
    fn condition(&mut self, condition: Term, positive: bool) -> Vec<Vec<Literal>> {
        let unknown = vec![Vec::new()];
        let Some(left) = self.left.checked_sub(1) else { return unknown };
        self.left = left;
        match self.terms.node(condition) {
            &Node::Not(of) => self.condition(of, !positive),
            &Node::Constant(value) if (value == 1) == positive => unknown,
            Node::Constant(_) => vec![vec![Form::constant(Rational::ONE)]],
            &Node::Binary(Operator::And, a, b) => {
                let (a, b) = (self.condition(a, positive), self.condition(b, positive));
                if !positive {
                    return [a, b].concat();
                }
                let both = a.iter().flat_map(|some| b.iter().map(|more| [&some[..], &more[..]].concat()));
                if a.len() * b.len() <= MAX_CASES { both.collect() } else { a }
            }
            &Node::Binary(Operator::Slt | Operator::Ult, a, b) => {
                let (less, more, apart) = if positive { (a, b, 1) } else { (b, a, 0) };
                self.less(less, more, apart).map_or(unknown, |literal| vec![vec![literal]])
            }
            &Node::Binary(Operator::Eq, a, b) if self.terms.width(a) > 1 => {
                let apart = i128::from(!positive);
                match (self.less(a, b, apart), self.less(b, a, apart)) {
                    (Some(less), Some(more)) if positive => vec![vec![less, more]],
                    (Some(less), Some(more)) => vec![vec![less], vec![more]],
                    _ => unknown,
                }
            }
            _ => unknown,
        }
    }

    /// That one term is less than another one, by so much at least.
    fn less(&mut self, less: Term, more: Term, apart: i128) -> Option<Literal> {
        let mut form = self.form(less)?;
        form.add(&self.form(more)?, Rational::integer(-1))?;
        form.add(&Form::constant(Rational::integer(apart)), Rational::ONE)?;
        Some(form)
    }

    fn form(&mut self, root: Term) -> Option<Form> {
        let terms = self.terms;
        let mut forms: BTreeMap<Term, Form> = BTreeMap::new();
        for term in terms.postorder(&[root], |_| true) {
            let width = terms.width(term);
            let form = match terms.node(term) {
                &Node::Constant(value) => Form::constant(Rational::integer(signed(value, width))),
                Node::Sum(parts, constant) => {
                    let mut sum = Form::constant(Rational::integer(signed(*constant, width)));
                    for &(part, times) in parts {
                        sum.add(&forms[&part], Rational::integer(signed(times, width)))?;
                    }
                    sum
                }
                &Node::Not(of) if width > 1 => {
                    let mut other = Form::constant(Rational::integer(-1));
                    other.add(&forms[&of], Rational::integer(-1))?;
                    other
                }
                &Node::Extend { of, .. } | &Node::Extract { of, low: 0 } => forms[&of].clone(),
                _ => {
                    self.meet(term, &forms);
                    Form::variable(term.index())
                }
            };
            forms.insert(term, form);
        }
        forms.remove(&root)
    }

    /// What holds of the value of an operator, for operands that are not negative.
    fn meet(&mut self, term: Term, forms: &BTreeMap<Term, Form>) {
        if !self.met.insert(term.index()) {
            return;
        }
        let &Node::Binary(operator, a, b) = self.terms.node(term) else { return };
        let (value, constant) = (Form::variable(term.index()), self.terms.as_constant(b));
        self.about(operator, &value, (&forms[&a], &forms[&b]), constant);
    }

    /// The same, of forms.
    fn about(&mut self, operator: Operator, value: &Form, (a, b): (&Form, &Form), constant: Option<u128>) {
        let zero = Form::default();
        match operator {
            Operator::Udiv | Operator::Sdiv => {
                // What is divided by what is not known is divided by two or more.
                let by = constant.map_or(Some(2), |by| i128::try_from(by).ok()).filter(|by| (2..1 << 62).contains(by));
                if let Some(by) = by {
                    self.at_most(value, by, a, 0);
                    if constant.is_some() {
                        self.at_most(a, 1, &scaled(value, by), by - 1);
                    } else {
                        self.at_most(&zero, 1, value, 0);
                    }
                }
            }
            Operator::Lshr | Operator::Ashr => {
                if let Some(by) = constant.filter(|by| (1..60).contains(by)) {
                    self.at_most(value, 1 << by, a, 0);
                }
            }
            Operator::Urem | Operator::Srem => {
                self.at_most(value, 1, b, -1);
                self.at_most(value, 1, a, 0);
                self.at_most(&zero, 1, value, 0);
            }
            Operator::And => {
                self.at_most(value, 1, a, 0);
                self.at_most(&zero, 1, value, 0);
            }
            _ => {}
        }
    }

    /// So many times the first is at most the second and a constant.
    fn at_most(&mut self, less: &Form, times: i128, more: &Form, constant: i128) {
        let mut form = Form::constant(Rational::integer(-constant));
        let done = form.add(less, Rational::integer(times)).and_then(|()| form.add(more, Rational::integer(-1)));
        self.about.extend(done.map(|()| form));
    }
}

fn scaled(form: &Form, times: i128) -> Form {
    let mut all = Form::default();
    match all.add(form, Rational::integer(times)) {
        Some(()) => all,
        None => form.clone(),
    }
}
