//! Closed recurrent sets of states: from each of them one of some ways leads back into the set, and nothing on it can go otherwise.
//!
//! A way is one relation over bit-vectors ([`crate::transition::path`]), in which memory of which the set does not speak is arbitrary, and so
//! is whatever is asked for and was not chosen. Ways part where something is decided: what is asked for before is the same on both, so it
//! is chosen by what has been seen in the turn, and either way may be the one that is taken. The set is described by conditions that hold in
//! states that were seen ([`super::atoms`], and the conditions of the ways, as they are where these begin); the greatest part of them that all
//! ways keep is sought (Flanagan and Leino, *Houdini*, FME 2001), then what of it the conditions of the ways need, which is proved once more by
//! itself.

use std::collections::BTreeSet;

use crate::bitvec::{Answer, Model, Node, Replacement, Solver, Term, Terms};
use crate::c::Program;
use crate::c::program::{Label, ProcedureId, Storage, VariableId};
use crate::transition::path::{Last, PathRelation, Paths};

use super::Question;
use super::atoms::{Atom, Sample, atoms, evaluated};
use super::straight::{Part, straight};
use super::told::Named;
use super::turn::{Turn, Way};

/// Of so many conditions those are left out without which the rest is enough.
const SHORTENED: usize = 24;

/// Wider integers are left out.
const WIDEST: u8 = 64;

/// So many conditions of a query are one unit of work.
const CONDITIONS: u64 = 20;

/// So many statements that are executed over terms are one unit of work.
const STATEMENTS: u64 = 10;

/// A way as a relation.
pub(super) struct Side {
    pub way: Way,
    pub parts: Vec<Part>,
    pub relation: PathRelation,
    /// What the integers are at its beginning and at its end, by their numbers.
    before: Replacement,
    after: Replacement,
    solver: Solver,
}

/// Ways of which each begins and ends where the others do.
pub(super) struct Region<'q, 'p> {
    pub question: &'q Question<'p>,
    pub procedure: ProcedureId,
    pub sides: Vec<Side>,
    /// The integers of which a set may speak, as variables in terms of their own.
    named: Vec<Named>,
    terms: Terms,
    /// Those on which it depends where a turn leads.
    concerned: BTreeSet<u32>,
}

/// A closed set.
pub(super) struct Closed {
    terms: Terms,
    named: Vec<Named>,
    atoms: Vec<Atom>,
    /// The ways that lead from it into it; the first one was taken.
    pub ways: Vec<Way>,
}

/// What the conditions of ways need.
enum Needed {
    /// These conditions on states, by their numbers.
    Atoms(BTreeSet<usize>),
    /// Something is otherwise in some state of the set: at which side, at which of its conditions.
    Otherwise(usize, usize, Model),
}

impl<'q, 'p> Region<'q, 'p> {
    /// Of a turn in which everything is exact; the set may speak of variables that no source names, or not.
    pub fn of(question: &'q Question<'p>, turn: &Turn, unnamed: bool) -> Option<Region<'q, 'p>> {
        let mut region = Region {
            question,
            procedure: turn.procedure,
            sides: Vec::new(),
            named: Vec::new(),
            terms: Terms::new(),
            concerned: BTreeSet::new(),
        };
        let (parts, relation) = region.relation(&turn.way)?;
        let program = &question.made.program;
        for (at, &id) in seen(program, turn.procedure).iter().enumerate() {
            let variable = program.variable(id);
            let Some(integer) = program.types.as_integer(variable.ty) else { continue };
            let (Some(before), Some(after)) = (relation.before[at], relation.after[at]) else { continue };
            let Some(width) = u8::try_from(integer.width).ok().filter(|&width| width <= WIDEST) else { continue };
            let is_variable = matches!(relation.terms.node(before), Node::Variable(_));
            if is_variable
                && (unnamed || !variable.is_made_up)
                && relation.terms.width(before) == width
                && relation.terms.width(after) == width
            {
                let (name, number) = (variable.name.to_string(), region.named.len() as u32);
                let term = region.terms.variable(number, width);
                region.named.push(Named { id, name, width, signed: integer.signed, term, number });
            }
        }
        region.side(turn.way.clone(), parts, relation)?;
        Some(region)
    }

    /// A way as a relation.
    pub fn relation(&self, way: &Way) -> Option<(Vec<Part>, PathRelation)> {
        let Question { made, analyses, overflow, watched, work, .. } = self.question;
        let (made, parts) = straight(&made.program, (self.procedure, way), watched)?;
        if !work.spend(parts.len() as u64 / STATEMENTS) {
            return None;
        }
        let variables = seen(&made, self.procedure);
        let labels: Vec<Label> = (0..=parts.len() as u32).map(Label).collect();
        let (all, head) = ((self.procedure, &labels[..]), Last::Statement(Label(0)));
        let relation = Paths::of(&made, *overflow, analyses).along(all, head, (&variables, &variables));
        Some((parts, relation))
    }

    /// One way more.
    pub fn side(&mut self, way: Way, parts: Vec<Part>, relation: PathRelation) -> Option<()> {
        let variables = seen(&self.question.made.program, self.procedure);
        let (mut before, mut after) = (Replacement::default(), Replacement::default());
        for named in &self.named {
            let at = variables.iter().position(|&id| id == named.id)?;
            for (by, term) in [(&mut before, relation.before[at]?), (&mut after, relation.after[at]?)] {
                if relation.terms.width(term) != named.width {
                    return None;
                }
                by.insert(named.term, term);
            }
            if !matches!(relation.terms.node(before[&named.term]), Node::Variable(_)) {
                return None;
            }
        }
        let solver = Solver::new(&self.question.bounds);
        self.sides.push(Side { way, parts, relation, before, after, solver });
        Some(())
    }

    /// The greatest closed set that these conditions describe, if there is one: states at the beginnings of turns that were taken are in it. So
    /// many ways may lead back into it.
    pub fn closed(mut self, samples: &[Sample], most: usize) -> Option<Closed> {
        let mut atoms = loop {
            self.concerned();
            let (conditions, named) = (self.own_conditions(), self.own_named());
            let mut atoms = atoms(&mut self.terms, &named.iter().collect::<Vec<_>>(), &conditions, samples);
            self.keep(&mut atoms)?;
            match self.needed(&atoms)? {
                Needed::Atoms(needed) => break needed.into_iter().map(|at| atoms[at].clone()).collect::<Vec<_>>(),
                Needed::Otherwise(side, condition, model) if self.sides.len() < most => {
                    self.other((side, condition), &model)?;
                }
                Needed::Otherwise(..) => return None,
            }
        };
        // The last ones are the longest.
        let shortened = if atoms.len() <= SHORTENED { atoms.len() } else { 0 };
        for at in (0..shortened).rev() {
            let mut fewer = atoms.clone();
            fewer.remove(at);
            if self.is_enough(&fewer) {
                atoms = fewer;
            }
        }
        let is_closed = self.is_closed(&atoms);
        let ways = self.sides.into_iter().map(|side| side.way).collect();
        is_closed.then_some(Closed { terms: self.terms, named: self.named, atoms, ways })
    }

    /// Leaves out the variables on which it does not depend whether a turn is taken again.
    fn concerned(&mut self) {
        let mut own: Vec<BTreeSet<u32>> = Vec::new();
        for side in &self.sides {
            own.push(side.relation.terms.variables(&side.relation.conditions).into_iter().collect());
        }
        loop {
            let count = self.concerned.len();
            for (side, concerned) in self.sides.iter().zip(&mut own) {
                for named in &self.named {
                    let Node::Variable(number) = *side.relation.terms.node(side.before[&named.term]) else { continue };
                    if concerned.contains(&number) {
                        self.concerned.insert(named.number);
                    }
                    if self.concerned.contains(&named.number) {
                        concerned.extend(side.relation.terms.variables(&[side.after[&named.term]]));
                    }
                }
            }
            if self.concerned.len() == count {
                break;
            }
        }
    }

    /// The variables that are left.
    fn own_named(&self) -> Vec<Named> {
        self.named.iter().filter(|named| self.concerned.contains(&named.number)).cloned().collect()
    }

    /// The conditions of ways that speak of the integers at their beginning only.
    fn own_conditions(&mut self) -> Vec<Term> {
        let mut all = Vec::new();
        for side in &self.sides {
            let mut by: Replacement = side.before.iter().map(|(&own, &term)| (term, own)).collect();
            let terms = &side.relation.terms;
            let own: BTreeSet<u32> =
                terms.variables(&side.before.values().copied().collect::<Vec<_>>()).into_iter().collect();
            for &condition in &side.relation.conditions {
                let about = terms.variables(&[condition]);
                if !about.is_empty() && about.iter().all(|number| own.contains(number)) {
                    all.push(self.terms.copied(terms, condition, &mut by));
                }
            }
        }
        all
    }

    /// Leaves out the conditions that a turn does not keep, where all others hold.
    fn keep(&mut self, atoms: &mut Vec<Atom>) -> Option<()> {
        let mut kept = 0;
        for at in (0..self.sides.len()).cycle() {
            let count = atoms.len();
            self.keeps(at, atoms)?;
            kept = if atoms.len() == count { kept + 1 } else { 1 };
            if kept >= self.sides.len() {
                break;
            }
        }
        Some(())
    }

    /// The same of one way.
    fn keeps(&mut self, side: usize, atoms: &mut Vec<Atom>) -> Option<()> {
        loop {
            let lost: Vec<Term> = atoms.iter().map(|atom| self.lost(side, atom)).collect();
            let any = self.sides[side].relation.terms.any(&lost);
            let kept = match self.asked(side, atoms, usize::MAX, any) {
                Answer::Unsat(_) => return Some(()),
                Answer::Sat(model) => model.truths(&self.sides[side].relation.terms, &lost),
                Answer::Unknown => Vec::new(),
            };
            let mut lose = kept;
            if !lose.contains(&true) {
                // One by one: what nobody knows is left out.
                lose = lost.iter().map(|&one| !self.asked(side, atoms, usize::MAX, one).is_unsat()).collect();
            }
            if !lose.contains(&true) {
                return Some(());
            }
            if self.question.bounds.is_stopped() {
                return None;
            }
            let mut at = 0;
            atoms.retain(|_| {
                at += 1;
                !lose[at - 1]
            });
        }
    }

    /// That a condition does not hold at the end of a way.
    fn lost(&mut self, side: usize, atom: &Atom) -> Term {
        let Side { relation, after, .. } = &mut self.sides[side];
        let after = relation.terms.copied(&self.terms, atom.term, after);
        relation.terms.not(after)
    }

    /// That a condition of a way does not hold, if there is no way for that and it is new on this one.
    fn broken(&mut self, side: usize, condition: usize) -> Option<Term> {
        let relation = &mut self.sides[side].relation;
        let term = relation.conditions[condition];
        if relation.terms.as_constant(term) == Some(1) || relation.conditions[..condition].contains(&term) {
            return None;
        }
        let not = relation.terms.not(term);
        (!self.parts(side, condition)).then_some(not)
    }

    /// Whether there is another way where this condition does not hold: one that is the same up to it.
    fn parts(&self, side: usize, condition: usize) -> bool {
        let own = &self.sides[side];
        let step = own.relation.steps[condition];
        let Some(part) = own.choice(condition) else { return false };
        self.sides.iter().any(|other| {
            let follows = other.parts.get(..step) == own.parts.get(..step);
            follows && other.parts.get(step).is_some_and(|other| *other == opposite(part))
        })
    }

    /// The conditions of which the ways need that they hold, and those that these need to be kept.
    fn needed(&mut self, atoms: &[Atom]) -> Option<Needed> {
        let mut needed = BTreeSet::new();
        for side in 0..self.sides.len() {
            for at in 0..self.sides[side].relation.conditions.len() {
                let Some(not) = self.broken(side, at) else { continue };
                match self.asked(side, atoms, at, not) {
                    Answer::Unsat(core) => needed.extend(core.into_iter().filter(|&at| at < atoms.len())),
                    Answer::Sat(model) => return Some(Needed::Otherwise(side, at, model)),
                    Answer::Unknown => return None,
                }
            }
        }
        let mut open: Vec<usize> = needed.iter().copied().collect();
        while let Some(at) = open.pop() {
            for side in 0..self.sides.len() {
                let not = self.lost(side, &atoms[at]);
                let Answer::Unsat(core) = self.asked(side, atoms, usize::MAX, not) else { return None };
                open.extend(core.into_iter().filter(|&at| at < atoms.len()).filter(|&at| needed.insert(at)));
            }
        }
        Some(Needed::Atoms(needed))
    }

    /// Whether the ways need no other conditions than these, and keep them.
    fn is_enough(&mut self, atoms: &[Atom]) -> bool {
        (0..self.sides.len()).all(|side| {
            let goes = (0..self.sides[side].relation.conditions.len()).all(|at| {
                let not = self.broken(side, at);
                not.is_none_or(|not| self.asked(side, atoms, at, not).is_unsat())
            });
            goes && atoms.iter().all(|atom| {
                let not = self.lost(side, atom);
                self.asked(side, atoms, usize::MAX, not).is_unsat()
            })
        })
    }

    /// Whether something can be true in the set, where so many of the conditions of a way hold.
    fn asked(&mut self, side: usize, atoms: &[Atom], conditions: usize, besides: Term) -> Answer {
        let all = self.together(side, atoms, conditions, besides);
        let work = &self.question.work;
        if !work.spend(1 + all.len() as u64 / CONDITIONS) {
            return Answer::Unknown;
        }
        let Side { relation, solver, .. } = &mut self.sides[side];
        let before = solver.cost();
        let answer = solver.check_combination(&mut relation.terms, &all);
        work.propagated(solver.cost() - before);
        answer
    }

    fn together(&mut self, side: usize, atoms: &[Atom], conditions: usize, besides: Term) -> Vec<Term> {
        let Side { relation, before, .. } = &mut self.sides[side];
        let count = conditions.min(relation.conditions.len());
        let own = atoms.iter().map(|atom| relation.terms.copied(&self.terms, atom.term, before));
        let own: Vec<Term> = own.collect();
        let mut met = BTreeSet::new();
        let conditions = relation.conditions[..count].iter().copied().filter(|condition| met.insert(*condition));
        own.iter().copied().chain(conditions).chain(relation.facts.iter().copied()).chain([besides]).collect()
    }

    /// Whether exactly these conditions describe a closed set: from each of its states every step of some way is taken, and leads into it again.
    fn is_closed(&mut self, atoms: &[Atom]) -> bool {
        for side in 0..self.sides.len() {
            let mut solver = Solver::new(&self.question.bounds);
            let conditions = self.sides[side].relation.conditions.len();
            let broken: Vec<(usize, Term)> =
                (0..conditions).filter_map(|at| Some((at, self.broken(side, at)?))).collect();
            let lost: Vec<(usize, Term)> = atoms.iter().map(|atom| (conditions, self.lost(side, atom))).collect();
            for (conditions, not) in broken.into_iter().chain(lost) {
                let all = self.together(side, atoms, conditions, not);
                if !solver.check(&mut self.sides[side].relation.terms, &all).is_unsat() {
                    return false;
                }
            }
        }
        true
    }
}

impl Side {
    /// What a condition decides, if it is a choice and not a demand.
    pub fn choice(&self, condition: usize) -> Option<Part> {
        let steps = &self.relation.steps;
        let step = steps[condition];
        let is_last = steps.get(condition + 1) != Some(&step);
        self.parts.get(step).copied().filter(|part| is_last && part.choice.is_some())
    }
}

/// The same statement, decided otherwise.
fn opposite(part: Part) -> Part {
    Part { choice: part.choice.map(super::straight::Choice::opposite), ..part }
}

/// The integers that a frame has and that it sees.
pub(super) fn seen(program: &Program, procedure: ProcedureId) -> Vec<VariableId> {
    let seen = |&id: &VariableId| {
        let variable = program.variable(id);
        let here = match variable.storage {
            Storage::Global | Storage::Static(_) => true,
            Storage::Local(of) => of == procedure,
            Storage::Constant => false,
        };
        here && program.types.as_integer(variable.ty).is_some()
    };
    (0..program.variables.len() as u32).map(VariableId).filter(seen).collect()
}

impl Closed {
    /// Whether a state is in it.
    pub fn has(&self, sample: &Sample) -> bool {
        let named: Vec<&Named> = self.named.iter().collect();
        self.atoms.iter().all(|atom| evaluated(&self.terms, &named, sample, atom.term))
    }

    /// The set, as C says it.
    pub fn told(&self) -> String {
        let all: Vec<&str> = self.atoms.iter().map(|atom| &*atom.told).collect();
        if all.is_empty() { "1".to_owned() } else { all.join(" && ") }
    }
}
