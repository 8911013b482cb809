//! A way of the graph as a relation between the values at its two places, with a solver of its own.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::bitvec::value::{signed, unsigned};
use crate::bitvec::{Answer, Bounds, Evaluation, Model, Node as Made, Session, Term};
use crate::c::Program;
use crate::c::program::{ProcedureId, VariableId};
use crate::transition::graph::{End, Graph, Node};
use crate::transition::path::{Demanded, Last, Passed, PathRelation, Paths};

use super::work::Work;

/// Integers of this many bits and more are compared with nothing.
const WIDE: u8 = 100;

/// So many conflicts of a query that was given up are one unit of work.
const CONFLICTS: u64 = 20;

/// An integer.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Number {
    pub term: Term,
    pub signed: bool,
}

/// A relation. What is known at a place is about its variables, and after them about what was remembered when the frame began.
pub(in super::super) struct Edge {
    /// Where it begins; none for the beginning of the program.
    pub from: Option<usize>,
    pub end: End,
    pub before: Vec<Number>,
    /// At the place where it ends; at a return what was remembered, the result, and what the globals among that are now.
    pub after: Vec<Number>,
    /// Calls that returned: the same.
    pub passed: Vec<(ProcedureId, Vec<Number>)>,
    pub relation: PathRelation,
    /// What is known besides.
    pub known: Vec<Term>,
    bounds: Bounds,
    work: Rc<Work>,
    session: Session,
    /// Whether only a part of the path is asked about: what does not wrap around where all of it is taken may do so there.
    pub partial: bool,
    /// Sums as what they are in wide numbers, where that was asked; none for those that may wrap around.
    sums: BTreeMap<(Term, bool), Option<Sum>>,
}

/// Numbers with factors, and a constant.
type Sum = (Vec<(Number, i128)>, i128);

/// The relations of all ways, and before them that of the beginning.
pub(in super::super) fn edges(
    program: &Program,
    paths: &Paths<'_>,
    graph: &Graph,
    (bounds, work): (&Bounds, &Rc<Work>),
) -> Vec<Edge> {
    let first = &graph.nodes[0];
    let relation = paths.initial(&first.variables);
    let maker = Maker { program, graph, bounds, work };
    let mut all = vec![maker.edge(None, End::Called(0), relation)];
    for path in &graph.paths {
        let from = &graph.nodes[path.from];
        let to = path.end.node().map(|node| &graph.nodes[node]);
        let last = match (path.end, to) {
            (End::Here(_), Some(node)) => Last::Statement(node.label),
            (End::Called(_), Some(node)) => Last::Procedure(node.procedure),
            _ => Last::Return,
        };
        let at_end = to.map_or(&graph.kept, |node| &node.variables);
        let relation = paths.along((from.procedure, &path.path), last, (&from.variables, at_end));
        all.push(maker.edge(Some(path.from), path.end, relation));
    }
    all
}

struct Maker<'a> {
    program: &'a Program,
    graph: &'a Graph,
    bounds: &'a Bounds,
    work: &'a Rc<Work>,
}

impl Maker<'_> {
    fn edge(&self, from: Option<usize>, end: End, mut relation: PathRelation) -> Edge {
        let node = from.map(|from| &self.graph.nodes[from]);
        let own = |node: &Node| self.graph.remembered(self.program, node.procedure);
        let entered: Vec<Option<Term>> = node.map(|node| vec![None; own(node).len()]).unwrap_or_default();
        let entered = node.map(|node| self.numbers(&mut relation, &own(node), &entered)).unwrap_or_default();
        let terms = relation.before.clone();
        let mut before = node.map(|node| self.numbers(&mut relation, &node.variables, &terms)).unwrap_or_default();
        before.extend(&entered);
        let terms = relation.after.clone();
        let mut after = match end.node() {
            Some(to) => self.numbers(&mut relation, &self.graph.nodes[to].variables, &terms),
            None => Vec::new(),
        };
        match end {
            End::Here(_) => after.extend(&entered),
            End::Called(to) => {
                let node = &self.graph.nodes[to];
                let at = |id: VariableId| node.variables.iter().position(|&variable| variable == id);
                let entered: Vec<Number> = own(node).into_iter().filter_map(|id| Some(after[at(id)?])).collect();
                after.extend(entered);
            }
            End::Stops => {}
            End::Returns => {
                after.extend(&entered);
                let result = relation.result;
                after.extend(node.and_then(|node| self.result(&mut relation, node.procedure, result)));
                after.extend(self.numbers(&mut relation, &self.graph.kept, &terms));
            }
        }
        let passed = relation.passed.clone().into_iter().map(|call| self.passed(&mut relation, call)).collect();
        let (bounds, work, session) = (self.bounds.clone(), self.work.clone(), Session::new(self.bounds));
        let (known, sums) = (Vec::new(), BTreeMap::new());
        Edge { from, end, before, after, passed, relation, known, bounds, work, session, partial: false, sums }
    }

    /// What is known of a call that returned.
    fn passed(&self, relation: &mut PathRelation, call: Passed) -> (ProcedureId, Vec<Number>) {
        let formals = &self.program.procedure(call.callee).formals;
        let remembered = self.graph.remembered(self.program, call.callee);
        let kept = |id: &VariableId| self.graph.kept.iter().position(|kept| kept == id);
        let given = |id: &VariableId| match formals.iter().position(|formal| formal == id) {
            Some(at) => call.arguments.get(at).copied(),
            None => call.kept.get(kept(id)?)?[0],
        };
        let terms: Vec<Option<Term>> = remembered.iter().map(given).collect();
        let mut all = self.numbers(relation, &remembered, &terms);
        all.extend(self.result(relation, call.callee, call.result));
        let after: Vec<Option<Term>> = call.kept.iter().map(|kept| kept[1]).collect();
        all.extend(self.numbers(relation, &self.graph.kept, &after));
        (call.callee, all)
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

    fn result(&self, relation: &mut PathRelation, procedure: ProcedureId, term: Option<Term>) -> Option<Number> {
        let integer = self.program.types.as_integer(self.program.procedure(procedure).result)?;
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
        let part = |&(at, factor): &(usize, i128)| Some((*numbers.get(at)?, factor));
        let parts = self.parts.iter().map(part).collect::<Option<Vec<_>>>()?;
        let term = edge.not_positive(&parts, self.constant)?;
        Some(if side { term } else { edge.relation.terms.not(term) })
    }
}

impl Edge {
    /// The same where a condition holds at its beginning and at its end, or does not, as far as that is asked for; between other places.
    pub fn part(&self, half: &Half, sides: (Option<bool>, Option<bool>), (from, to): (usize, usize)) -> Option<Edge> {
        let end = match self.end {
            End::Here(_) => End::Here(to),
            End::Called(_) => End::Called(to),
            End::Returns | End::Stops => return None,
        };
        let mut part = Edge {
            from: Some(from),
            end,
            before: self.before.clone(),
            after: self.after.clone(),
            passed: Vec::new(),
            relation: self.relation.clone(),
            known: self.known.clone(),
            bounds: self.bounds.clone(),
            work: self.work.clone(),
            session: Session::new(&self.bounds),
            partial: self.partial,
            sums: self.sums.clone(),
        };
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
        let answer = self.session.check_combination(&mut self.relation.terms, conditions);
        if matches!(answer, Answer::Unknown) {
            self.work.spend(self.bounds.conflicts / CONFLICTS);
        }
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
        self.wide(&all, rest)
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
        let mut greatest: u128 = constant.unsigned_abs();
        for &(number, factor) in parts {
            let width = self.relation.terms.width(number.term);
            let one = 1u128.checked_shl(u32::from(width)).filter(|_| width < WIDE)?;
            greatest = greatest.checked_add(one.checked_mul(factor.unsigned_abs())?)?;
        }
        let width = u8::try_from(128 - greatest.leading_zeros()).ok()? + 2;
        if width > 127 {
            return None;
        }
        let terms = &mut self.relation.terms;
        let mut sum = terms.constant(unsigned(constant, width), width);
        for &(number, factor) in parts {
            let wide = terms.resize(number.term, width, number.signed);
            sum = terms.linear(&[(sum, 1), (wide, unsigned(factor, width))], 0);
        }
        Some(sum)
    }

    /// That such a sum is not positive.
    pub fn not_positive(&mut self, parts: &[(Number, i128)], constant: i128) -> Option<Term> {
        let sum = self.sum(parts, constant)?;
        let terms = &mut self.relation.terms;
        let zero = terms.constant(0, terms.width(sum));
        let positive = terms.slt(zero, sum);
        Some(terms.not(positive))
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
