//! A basic path as a relation between the values at its two cut points, with a solver of its own.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::bitvec::value::{signed, unsigned};
pub(in super::super) use crate::bitvec::wide::Number;
use crate::bitvec::wide::WIDEST;
use crate::bitvec::{Answer, Bounds, Evaluation, Model, Node as Made, Solver, Term};
use crate::c::Program;
use crate::c::program::{ProcedureId, VariableId};
use crate::transition::graph::{End, Graph, Node};
use crate::transition::path::{CellsAt, Demanded, Last, PathRelation, Paths};

use super::scope::{Scope, Scoped, element};
use super::work::Work;

pub(super) mod twice;

/// Sums are divided by no greater number.
pub(super) const MODULUS: u128 = 1 << 10;

/// A relation. What is known at a place is about its variables, and after them about what formals were when the frame began.
pub(in super::super) struct Edge {
    /// Whose way it is, or whose way it ends with; none for the beginning of the program.
    pub path: Option<usize>,
    /// Where it begins; none for the beginning of the program.
    pub from: Option<usize>,
    /// The place that it passes, if it is two ways, and the numbers there.
    pub between: Option<(usize, Vec<Rc<[Number]>>)>,
    pub end: End,
    pub before: Vec<Number>,
    /// The same with cells that it may access.
    pub read: Vec<Rc<[Number]>>,
    /// From there on numbers are those of cells.
    pub ghosts: usize,
    /// At the place where it ends; at a return what formals were, and the result.
    pub after: Vec<Number>,
    /// Calls that returned: what is known of returns.
    pub passed: Vec<(ProcedureId, Vec<Number>)>,
    pub relation: PathRelation,
    /// What is known besides.
    pub known: Vec<Term>,
    bounds: Bounds,
    work: Rc<Work>,
    solver: Solver,
    /// Whether only a part of the path is asked about: what does not wrap around where all of it is taken may do so there.
    pub partial: bool,
    /// Sums as what they are in wide numbers, where that was asked; none for those that may wrap around.
    sums: BTreeMap<(Term, bool), Option<Sum>>,
}

/// Numbers with factors, and a constant.
type Sum = (Vec<(Number, i128)>, i128);

/// Numbers that are known by where they stand, with their factors.
pub(in super::super) fn numbered(parts: &[(usize, i128)], numbers: &[Number]) -> Option<Vec<(Number, i128)>> {
    parts.iter().map(|&(at, factor)| Some((*numbers.get(at)?, factor))).collect()
}

/// The relations of all ways, and before them that of the beginning.
pub(in super::super) fn edges(
    program: &Program,
    paths: &Paths<'_>,
    Scoped { graph, scope }: Scoped<'_>,
    (bounds, work): (&Bounds, &Rc<Work>),
) -> Vec<Edge> {
    let first = &graph.nodes[0];
    let relation = paths.initial(&first.variables);
    let maker = Maker { program, graph, scope, bounds, work };
    let mut all = vec![maker.edge(None, End::Called(0), relation)];
    for (at, path) in graph.paths.iter().enumerate() {
        let from = &graph.nodes[path.from];
        let to = path.end.node().map(|node| &graph.nodes[node]);
        let last = match (path.end, to) {
            (End::Here(_), Some(node)) => Last::Statement(node.label),
            (End::Called(_), Some(node)) => Last::Procedure(node.procedure),
            _ => Last::Return,
        };
        let at_end = to.map_or(&scope.watched().globals[..], |node| &node.variables);
        let relation = paths.along((from.procedure, &path.path), last, (&from.variables, at_end));
        all.push(Edge { path: Some(at), ..maker.edge(Some(path.from), path.end, relation) });
    }
    all
}

struct Maker<'a> {
    program: &'a Program,
    graph: &'a Graph,
    scope: &'a Scope<'a>,
    bounds: &'a Bounds,
    work: &'a Rc<Work>,
}

impl Maker<'_> {
    fn edge(&self, from: Option<usize>, end: End, mut relation: PathRelation) -> Edge {
        let node = from.map(|from| &self.graph.nodes[from]);
        let own = node.map(|node| self.scope.entered(node.procedure)).unwrap_or_default();
        let entered = self.numbers(&mut relation, &own, &vec![None; own.len()]);
        let terms = relation.before.clone();
        let mut before = node.map(|node| self.numbers(&mut relation, &node.variables, &terms)).unwrap_or_default();
        before.extend(&entered);
        let ghosts = before.len();
        let mut read = Vec::new();
        for cells in relation.accessed.clone() {
            let numbers = before.iter().copied().chain(self.cells(cells.index, &cells.cells));
            read.push(numbers.collect());
        }
        let mut after = self.after((node, end), &mut relation, &entered);
        if let Some([first, last]) = &relation.cells {
            before.extend(self.cells(first.index, &first.cells));
            after.extend(self.cells(last.index, &last.cells));
        }
        let passed = relation.passed.clone().into_iter().map(|call| {
            let own = self.scope.entered(call.callee);
            let globals = &self.scope.watched().globals;
            let formals = &self.program.procedure(call.callee).formals;
            let given = |id: &VariableId| match formals.iter().position(|formal| formal == id) {
                Some(at) => call.arguments.get(at).copied(),
                None => call.before.get(globals.iter().position(|global| global == id)?).copied().flatten(),
            };
            let terms: Vec<Option<Term>> = own.iter().map(given).collect();
            let mut all = self.numbers(&mut relation, &own, &terms);
            all.extend(self.result(&mut relation, call.callee, call.result));
            all.extend(self.numbers(&mut relation, globals, &call.after));
            if let Some([CellsAt { index, .. }, _]) = relation.cells {
                all.extend(self.cells(index, &call.cells));
            }
            (call.callee, all)
        });
        let passed = passed.collect();
        let (bounds, work, solver) = (self.bounds.clone(), self.work.clone(), Solver::new(self.bounds));
        let (known, sums) = (Vec::new(), BTreeMap::new());
        Edge {
            path: None,
            from,
            between: None,
            end,
            before,
            read,
            ghosts,
            after,
            passed,
            relation,
            known,
            bounds,
            work,
            solver,
            partial: false,
            sums,
        }
    }

    /// The numbers at its end, without those of cells.
    fn after(&self, (node, end): (Option<&Node>, End), relation: &mut PathRelation, entered: &[Number]) -> Vec<Number> {
        let terms = relation.after.clone();
        let mut after = match end.node() {
            Some(to) => self.numbers(relation, &self.graph.nodes[to].variables, &terms),
            None => Vec::new(),
        };
        match end {
            End::Here(_) => after.extend(entered),
            End::Called(to) => {
                // What begins has been what it is.
                let to = &self.graph.nodes[to];
                let own = self.scope.entered(to.procedure);
                let own = own.iter().filter_map(|id| to.variables.iter().position(|variable| variable == id));
                let own: Vec<Number> = own.filter_map(|at| after.get(at).copied()).collect();
                after.extend(own);
            }
            End::Stops => {}
            End::Returns => {
                after.extend(entered);
                let result = relation.result;
                after.extend(node.and_then(|node| self.result(relation, node.procedure, result)));
                after.extend(self.numbers(relation, &self.scope.watched().globals, &terms));
            }
        }
        after
    }

    /// Variables as numbers; those that are not known are arbitrary.
    fn numbers(&self, relation: &mut PathRelation, variables: &[VariableId], terms: &[Option<Term>]) -> Vec<Number> {
        let mut all = Vec::new();
        for (at, &id) in variables.iter().enumerate() {
            let Some(integer) = self.program.types.as_integer(self.program.variable(id).ty) else { continue };
            let width = integer.width as u8;
            let known = terms.get(at).copied().flatten().filter(|&term| relation.terms.width(term) == width);
            let term = known.unwrap_or_else(|| relation.fresh(width));
            all.push(Number { term, signed: integer.signed });
        }
        all
    }

    /// An index and the cells there.
    fn cells(&self, index: Term, cells: &[Term]) -> Vec<Number> {
        let arrays = &self.scope.watched().arrays;
        let signed = |&array: &VariableId| element(self.program, array).is_some_and(|integer| integer.signed);
        let cells = arrays.iter().zip(cells).map(|(array, &term)| Number { term, signed: signed(array) });
        [Number { term: index, signed: true }].into_iter().chain(cells).collect()
    }

    fn result(&self, relation: &mut PathRelation, procedure: ProcedureId, term: Option<Term>) -> Option<Number> {
        let integer = self.scope.result(procedure)?;
        let width = integer.width as u8;
        let known = term.filter(|&term| relation.terms.width(term) == width);
        let term = known.unwrap_or_else(|| relation.fresh(width));
        Some(Number { term, signed: integer.signed })
    }
}

/// A condition on the values at a place: that a sum of variables with factors, and a constant, is not positive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Half {
    pub parts: Vec<(usize, i128)>,
    pub constant: i128,
}

impl Half {
    /// The same of numbers at that place, or its opposite; none if it cannot be said.
    fn term(&self, edge: &mut Edge, after: bool, side: bool) -> Option<Term> {
        let numbers = if after { &edge.after } else { &edge.before };
        let parts = numbered(&self.parts, numbers)?;
        let term = edge.not_positive(&parts, self.constant)?;
        Some(if side { term } else { edge.relation.terms.not(term) })
    }
}

impl Edge {
    /// The same where a condition holds at its beginning and at its end, or does not, as far as that is asked for; between other places.
    pub fn part(
        &self,
        half: &Half,
        sides: (Option<bool>, Option<bool>),
        (from, to): (Option<usize>, usize),
    ) -> Option<Edge> {
        let end = match self.end {
            End::Here(_) => End::Here(to),
            End::Called(_) => End::Called(to),
            End::Returns | End::Stops => return None,
        };
        let (between, sums) = (self.between.clone(), self.sums.clone());
        let partial = self.partial;
        let mut part = Edge { from, between, end, passed: Vec::new(), partial, sums, ..self.alone() };
        for (after, side) in [(false, sides.0), (true, sides.1)] {
            if let Some(side) = side {
                let term = half.term(&mut part, after, side)?;
                part.known.push(term);
            }
        }
        Some(part)
    }

    /// Whether something else can hold as well: of values at the two places. Where too much was done nobody knows.
    pub fn possible(&mut self, besides: &[Term]) -> Answer {
        let relation = &self.relation;
        let conditions: Vec<Term> = [&relation.conditions, &relation.facts, &self.known, besides].concat();
        self.asked(&conditions)
    }

    /// Whether something can be wrong at a step, where something else holds besides.
    pub fn wrong(&mut self, demanded: &Demanded, besides: &[Term]) -> Answer {
        let relation = &self.relation;
        let before = &relation.conditions[..demanded.before];
        let conditions: Vec<Term> = [before, &relation.facts, &self.known, besides, &[demanded.wrong]].concat();
        self.asked(&conditions)
    }

    fn asked(&mut self, conditions: &[Term]) -> Answer {
        if !self.work.spend(1 + conditions.len() as u64 / 50) {
            return Answer::Unknown;
        }
        let before = self.solver.cost();
        let answer = self.solver.check_combination(&mut self.relation.terms, conditions);
        self.work.propagated(self.solver.cost() - before);
        answer
    }

    /// More is known from now on: perhaps enough for sums that seemed to wrap around.
    pub fn learn(&mut self, known: Vec<Term>) {
        self.known = known;
        self.sums.retain(|_, sum| sum.is_some());
    }

    /// Does so much work if there is enough left; whether there is.
    pub fn afford(&self, units: u64) -> bool {
        self.work.afford(units)
    }

    /// Does so much work; whether there is some left.
    pub fn spend(&self, units: u64) -> bool {
        self.work.spend(units)
    }

    /// A sum of numbers with factors, and a constant, so wide that it does not wrap around; none if it would be too wide.
    pub fn sum(&mut self, parts: &[(Number, i128)], constant: i128) -> Option<Term> {
        let (all, rest) = self.apart_all(parts, constant)?;
        self.wide(&all, rest)
    }

    /// The same, of the parts of what does not wrap around.
    fn apart_all(&mut self, parts: &[(Number, i128)], constant: i128) -> Option<Sum> {
        let (mut all, mut rest): Sum = (Vec::new(), constant);
        for &(number, factor) in parts {
            match self.apart_wide(number) {
                Some((terms, more)) => {
                    for (term, by) in terms {
                        all.push((term, by.checked_mul(factor)?));
                    }
                    rest = rest.checked_add(more.checked_mul(factor)?)?;
                }
                None => all.push((number, factor)),
            }
        }
        Some((all, rest))
    }

    /// That such a sum is a multiple of a number. An odd one divides those whose product with its inverse is at most the greatest quotient
    /// (Granlund and Montgomery, *Division by invariant integers using multiplication*, PLDI 1994, section 9).
    pub fn divisible(&mut self, parts: &[(Number, i128)], constant: i128, modulus: i128) -> Option<Term> {
        let (all, rest) = self.apart_all(parts, constant)?;
        let least = self.relation.terms.exact_width(&all, rest)?;
        let divisor = u128::try_from(modulus).ok().filter(|by| (2..=MODULUS).contains(by))?;
        let width = least.checked_add(MODULUS.ilog2() as u8 + 2).filter(|&width| width < WIDEST)?;
        // With so many multiples more it is not negative.
        let sum = self.relation.terms.sum_of_width(&all, rest.checked_add(modulus << least)?, width);
        let (twos, terms) = (divisor.trailing_zeros() as u8, &mut self.relation.terms);
        let odd = divisor >> twos;
        let (mut inverse, all_ones) = (1u128, u128::MAX >> (128 - width));
        for _ in 0..7 {
            inverse = inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse)));
        }
        let product = terms.linear(&[(sum, inverse & all_ones)], 0);
        let most = terms.constant(all_ones / odd, width);
        let beyond = terms.ult(most, product);
        let by_odd = terms.not(beyond);
        if twos == 0 {
            return Some(by_odd);
        }
        let (low, zero) = (terms.extract(sum, 0, twos), terms.constant(0, twos));
        let by_twos = terms.eq(low, zero);
        Some(terms.and(by_twos, by_odd))
    }

    /// What a sum is in wide numbers, if it never wraps around on this edge. That lets normal forms decide what solvers take long for.
    pub(super) fn apart_wide(&mut self, number: Number) -> Option<Sum> {
        let Number { term, signed: with_sign } = number;
        if self.partial {
            return None;
        }
        if let Some(known) = self.sums.get(&(term, with_sign)) {
            return known.clone();
        }
        let width = self.relation.terms.width(term);
        let found = match self.relation.terms.node(term) {
            Made::Sum(parts, constant) => {
                let part = |&(term, by): &(Term, u128)| (Number { term, signed: with_sign }, signed(by, width));
                Some((parts.iter().map(part).collect::<Vec<_>>(), signed(*constant, width)))
            }
            _ => None,
        };
        let found = found.filter(|(parts, constant)| {
            let Some(whole) = self.wide(parts, *constant) else { return false };
            let terms = &mut self.relation.terms;
            let extended = terms.resize(term, terms.width(whole), with_sign);
            let differ = terms.ne(whole, extended);
            self.possible(&[differ]).is_unsat()
        });
        self.sums.insert((term, with_sign), found.clone());
        found
    }

    fn wide(&mut self, parts: &[(Number, i128)], constant: i128) -> Option<Term> {
        let terms = &mut self.relation.terms;
        let width = terms.exact_width(parts, constant)?;
        Some(terms.sum_of_width(parts, constant, width))
    }

    /// That such a sum is not positive.
    pub fn not_positive(&mut self, parts: &[(Number, i128)], constant: i128) -> Option<Term> {
        let sum = self.sum(parts, constant)?;
        Some(self.relation.terms.not_positive(sum))
    }

    /// That a number is another one and so much, if they have one type.
    pub fn apart(&mut self, a: Number, b: Number, by: i128) -> Option<Term> {
        let terms = &mut self.relation.terms;
        let width = terms.width(a.term);
        let same = a.signed == b.signed && width == terms.width(b.term);
        same.then(|| {
            let sum = terms.linear(&[(b.term, 1)], unsigned(by, width));
            terms.eq(a.term, sum)
        })
    }

    /// The least and the greatest number of a type; none if it is too wide.
    pub fn range(&self, number: Number) -> Option<(i128, i128)> {
        range(self.relation.terms.width(number.term), number.signed)
    }

    /// The values of numbers.
    pub fn values(&self, model: &Model, numbers: &[Number]) -> Vec<i128> {
        let terms = &self.relation.terms;
        let variables = |number| model.variable(number);
        let mut evaluation = Evaluation::new(terms, &variables);
        let value = |number: &Number| match evaluation.value(number.term) {
            bits if number.signed => signed(bits, terms.width(number.term)),
            bits => bits as i128,
        };
        numbers.iter().map(value).collect()
    }
}

/// The least and the greatest number of a type; none if it is too wide.
pub(super) fn range(width: u8, signed: bool) -> Option<(i128, i128)> {
    let one = |by: u8| 1i128.checked_shl(u32::from(by)).filter(|_| by < 100);
    Some(match signed {
        true => (-one(width.checked_sub(1)?)?, one(width - 1)? - 1),
        false => (0, one(width)? - 1),
    })
}
