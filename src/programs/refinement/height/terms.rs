//! Bounds in terms of the entry's arguments: what a ranking function is where the program begins.

use crate::c::Program;
use crate::c::program::VariableId;
use crate::transition::graph::Graph;

use super::super::invariants::edge::{Edge, Number};
use super::super::ranking::forms::form;
use super::super::ranking::synthesis::{Total, View};
use super::extreme::{Extreme, most};
use super::plan::Planner;
use super::ways::{Falls, Parts};

/// How far something can fall, in terms of the entry's arguments.
#[derive(Clone, Debug)]
pub(super) struct InArguments {
    /// The part of the graph in which it falls.
    pub part: usize,
    /// Arguments with factors.
    pub parts: Vec<(String, i128)>,
    pub constant: i128,
    /// By how much it falls at least.
    pub by: i128,
    /// Whether the sum may be negative: then nothing is called.
    pub may_be_negative: bool,
}

/// That, if calls recur in one part only, and it is entered from the beginning of the program only.
pub(super) fn in_arguments(
    program: &Program,
    graph: &Graph,
    planner: &mut Planner,
    parts: &Parts,
) -> Option<InArguments> {
    let mut falling = parts.all.iter().enumerate().filter_map(|(at, part)| Some((at, part.falls.as_ref()?)));
    let (part, falls) = falling.next().filter(|_| falling.next().is_none())?;
    let nodes = &parts.all[part].nodes;
    let enters = |at: &&usize| {
        let way = &planner.ways[**at];
        nodes.contains(&way.to) && way.from.is_none_or(|from| !nodes.contains(&from))
    };
    let entering: Vec<usize> = planner.alive.iter().filter(enters).copied().collect();
    let once = planner.alive.iter().filter(|&&at| planner.ways[at].to == 0).count() == 1;
    let mut found: Option<InArguments> = None;
    for at in entering {
        if planner.ways[at].from.is_some_and(|from| from != 0 || !once) {
            return None;
        }
        let variables = &graph.nodes[0].variables;
        let mut one = Entering { program, variables, planner, at }.sum(falls)?;
        one.part = part;
        match &mut found {
            None => found = Some(one),
            Some(other) if (&other.parts, other.constant) == (&one.parts, one.constant) => {
                other.may_be_negative |= one.may_be_negative;
            }
            Some(_) => return None,
        }
    }
    found.filter(|found| !found.parts.is_empty())
}

/// A way by which a part is entered, from the beginning.
struct Entering<'e> {
    program: &'e Program,
    variables: &'e [VariableId],
    planner: &'e mut Planner,
    at: usize,
}

impl Entering<'_> {
    /// How far something can fall behind it.
    fn sum(self, falls: &Falls) -> Option<InArguments> {
        let measure = &falls.measure;
        if measure.flipped {
            return None;
        }
        let way = self.planner.ways[self.at].clone();
        let edge = &mut self.planner.edges[self.at];
        let view = View { ranks: &measure.ranks, flipped: false };
        let mut sum = view.sum(way.to, &edge.after, 1)?;
        sum.add(Total { parts: Vec::new(), constant: measure.bottom.checked_neg()? })?;
        let numbers = if way.from.is_none() { edge.after.clone() } else { edge.before.clone() };
        let (own, constant) = own(edge, &sum, &numbers)?;
        let mut parts = Vec::new();
        for (at, factor) in own {
            let variable = *self.variables.get(at)?;
            let main = self.program.procedure(self.program.main);
            main.formals
                .contains(&variable)
                .then(|| parts.push((self.program.variable(variable).name.to_string(), factor)))?;
        }
        let negated =
            Total { parts: sum.parts.iter().map(|&(number, by)| (number, -by)).collect(), constant: -sum.constant };
        let may_be_negative = match most(edge, &negated)? {
            Extreme::Impossible => false,
            Extreme::Most(most) => most > 0,
        };
        Some(InArguments { part: 0, parts, constant, by: measure.by, may_be_negative })
    }
}

/// A sum as one of numbers at the beginning, by where they stand, if it is never more than that.
fn own(edge: &mut Edge, sum: &Total, numbers: &[Number]) -> Option<(Vec<(usize, i128)>, i128)> {
    let mut parts: std::collections::BTreeMap<usize, i128> = std::collections::BTreeMap::new();
    let mut constant = sum.constant;
    for &(number, factor) in &sum.parts {
        let form = form(&edge.relation.terms, number.term)?;
        let whole = |number: super::super::rational::Rational| (number.below == 1).then_some(number.above);
        constant = constant.checked_add(whole(form.rest())?.checked_mul(factor)?)?;
        for (&leaf, &by) in &form.parts {
            let at = numbers.iter().position(|number| number.term.index() == leaf)?;
            let part = parts.entry(at).or_default();
            *part = part.checked_add(whole(by)?.checked_mul(factor)?)?;
        }
    }
    let parts: Vec<(usize, i128)> = parts.into_iter().filter(|&(_, factor)| factor != 0).collect();
    let opposite = parts.iter().map(|&(at, factor)| (numbers[at], -factor));
    let difference: Vec<(Number, i128)> = sum.parts.iter().copied().chain(opposite).collect();
    let no_more = edge.not_positive(&difference, sum.constant.checked_sub(constant)?)?;
    let more = edge.relation.terms.not(no_more);
    edge.possible(&[more]).is_unsat().then_some((parts, constant))
}
