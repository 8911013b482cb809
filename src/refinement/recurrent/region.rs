//! Closed sets of states: from each of them a turn leads back into the set, and nothing on it can go otherwise.
//!
//! A turn is one relation over bit-vectors ([`crate::transition::path`]), in which memory of which the set does not speak is arbitrary, and so
//! is whatever is asked for and was not chosen. The set is described by conditions that hold in states that were seen (bounds, order, differences
//! and sums that stay, low bits, and those of the turn, as they are where it begins); the greatest part of them that a turn keeps is
//! sought (Flanagan and Leino, *Houdini*, FME 2001), then what of it the conditions of the turn need, which is proved once more by itself.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::analyses::Analyses;
use crate::bitvec::value::{signed, unsigned};
use crate::bitvec::{Answer, Bounds, Evaluation, Node, Replacement, Session, Term, Terms};
use crate::c::Program;
use crate::c::program::{Label, ProcedureId, Storage, VariableId};
use crate::transition::path::{Last, PathRelation, Paths};

use super::super::invariants::work::Work;
use super::Question;
use super::told::{Named, told};
use super::turn::{Turn, straight};

/// No more variables are compared with each other.
const PAIRED: usize = 14;

/// Of so many conditions those are left out without which the rest is enough.
const SHORTENED: usize = 24;

/// Wider integers are left out.
const WIDEST: u8 = 64;

/// Sums of narrower ones are wider in C.
const NARROWEST: u8 = 32;

/// So many conditions of a query are one unit of work.
const CONDITIONS: u64 = 20;

/// Low bits that are looked at.
const LOW: [u8; 3] = [1, 2, 3];

/// The integers of a state, as far as they are known.
pub(super) type Sample = BTreeMap<VariableId, i128>;

/// A condition on states where a turn begins.
#[derive(Clone, Debug)]
struct Atom {
    before: Term,
    after: Term,
    /// As C writes it.
    told: String,
}

/// A turn as a relation.
pub(super) struct Region {
    relation: PathRelation,
    named: Vec<Named>,
    bounds: Bounds,
    work: Rc<Work>,
}

/// A closed set.
pub(super) struct Closed {
    relation: PathRelation,
    named: Vec<Named>,
    atoms: Vec<Atom>,
}

impl Region {
    /// Of a turn in which everything is exact; the set may speak of variables that no source names, or not.
    pub fn of(question: &Question<'_>, analyses: &Analyses, turn: &Turn, unnamed: bool) -> Option<Region> {
        let program = &question.made.program;
        let (made, labels) = straight(program, turn, question.watched)?;
        let variables = seen(program, turn.procedure);
        let paths = Paths::of(&made, question.overflow, analyses);
        let (all, head) = ((turn.procedure, &labels[..]), Last::Statement(Label(0)));
        let relation = paths.along(all, head, (&variables, &variables));
        let mut named = Vec::new();
        for (at, &id) in variables.iter().enumerate() {
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
                let name = variable.name.to_string();
                named.push(Named { id, name, width, signed: integer.signed, before, after });
            }
        }
        Some(Region { relation, named, bounds: question.bounds.clone(), work: question.work.clone() })
    }

    /// The greatest closed set that these conditions describe, if there is one: states at the beginnings of turns that were taken are in it.
    pub fn closed(mut self, samples: &[Sample]) -> Option<Closed> {
        self.concerned();
        let mut atoms = self.atoms(samples);
        let mut session = Session::new(&self.bounds);
        self.keep(&mut session, &mut atoms)?;
        let needed = self.needed(&mut session, &atoms)?;
        let mut atoms: Vec<Atom> = needed.into_iter().map(|at| atoms[at].clone()).collect();
        // The last ones are the longest.
        let shortened = if atoms.len() <= SHORTENED { atoms.len() } else { 0 };
        for at in (0..shortened).rev() {
            let mut fewer = atoms.clone();
            fewer.remove(at);
            if self.is_enough(&mut session, &fewer) {
                atoms = fewer;
            }
        }
        self.is_closed(&atoms).then_some(Closed { relation: self.relation, named: self.named, atoms })
    }

    /// Leaves out the variables on which it does not depend whether a turn is taken again.
    fn concerned(&mut self) {
        let relation = &mut self.relation;
        let mut concerned: BTreeSet<u32> = relation.terms.variables(&relation.conditions).into_iter().collect();
        loop {
            let mut more = Vec::new();
            for named in &self.named {
                let Node::Variable(number) = *relation.terms.node(named.before) else { continue };
                if concerned.contains(&number) {
                    more.extend(relation.terms.variables(&[named.after]));
                }
            }
            let count = concerned.len();
            concerned.extend(more);
            if concerned.len() == count {
                break;
            }
        }
        let terms = &relation.terms;
        self.named
            .retain(|named| matches!(terms.node(named.before), Node::Variable(number) if concerned.contains(number)));
    }

    /// Candidates that hold in all samples.
    fn atoms(&mut self, samples: &[Sample]) -> Vec<Atom> {
        let mut all: Vec<(Term, String)> = Vec::new();
        let terms = &mut self.relation.terms;
        let of =
            |named: &Named| samples.iter().map(|sample| sample.get(&named.id).copied()).collect::<Option<Vec<_>>>();
        let known: Vec<(&Named, Vec<i128>)> = self
            .named
            .iter()
            .filter_map(|named| Some((named, of(named)?)))
            .filter(|(_, all)| !all.is_empty())
            .collect();
        for (named, values) in &known {
            let Named { name, width, before, .. } = named;
            let first = values[0];
            let constant = |terms: &mut Terms, number| terms.constant(unsigned(number, *width), *width);
            if values.iter().all(|&value| value == first) {
                let number = constant(terms, first);
                all.push((terms.eq(*before, number), format!("{name} == {first}")));
            }
            let least = values.iter().copied().min().unwrap_or(first);
            let most = values.iter().copied().max().unwrap_or(first);
            for (limit, is_least) in [(least, true), (most, false)] {
                let number = constant(terms, limit);
                let (a, b) = if is_least { (number, *before) } else { (*before, number) };
                let term = if named.signed { terms.sle(a, b) } else { terms.ule(a, b) };
                all.push((term, format!("{name} {} {limit}", if is_least { ">=" } else { "<=" })));
            }
            for low in LOW.into_iter().filter(|low| low < width) {
                let mask = (1u128 << low) - 1;
                let rest = unsigned(first, *width) & mask;
                if values.iter().all(|&value| unsigned(value, *width) & mask == rest) {
                    let part = terms.extract(*before, 0, low);
                    let number = terms.constant(rest, low);
                    all.push((terms.eq(part, number), format!("({name} & {mask}) == {rest}")));
                }
            }
        }
        for (at, (a, of_a)) in known.iter().enumerate().take(PAIRED) {
            for (b, of_b) in &known[..at] {
                if (a.width, a.signed) != (b.width, b.signed) {
                    continue;
                }
                let (width, pairs) = (a.width, || of_a.iter().zip(of_b));
                let is_signed = a.signed;
                let less = |terms: &mut Terms, a, b| if is_signed { terms.sle(a, b) } else { terms.ule(a, b) };
                if pairs().all(|(a, b)| a <= b) {
                    all.push((less(terms, a.before, b.before), format!("{} <= {}", a.name, b.name)));
                }
                if pairs().all(|(a, b)| b <= a) {
                    all.push((less(terms, b.before, a.before), format!("{} <= {}", b.name, a.name)));
                }
                if width < NARROWEST {
                    continue;
                }
                let by = of_a[0] - of_b[0];
                if pairs().all(|(x, y)| unsigned(x - y, width) == unsigned(by, width)) {
                    let number = terms.constant(unsigned(by, a.width), a.width);
                    let sum = terms.add(b.before, number);
                    let told = match by {
                        0 => format!("{} == {}", a.name, b.name),
                        1.. => format!("{} == {} + {by}", a.name, b.name),
                        _ => format!("{} == {} - {}", a.name, b.name, -by),
                    };
                    all.push((terms.eq(a.before, sum), told));
                }
                let sums = || pairs().map(|(x, y)| unsigned(x + y, a.width));
                let first = unsigned(of_a[0] + of_b[0], a.width);
                if sums().all(|sum| sum == first) {
                    let number = terms.constant(first, a.width);
                    let sum = terms.add(a.before, b.before);
                    let shown = if a.signed { signed(first, a.width) } else { first as i128 };
                    all.push((terms.eq(sum, number), format!("{} + {} == {shown}", a.name, b.name)));
                }
            }
        }
        let own: BTreeSet<u32> = self.named.iter().filter_map(|named| number(&self.relation, named)).collect();
        for condition in self.relation.conditions.clone() {
            let about = self.relation.terms.variables(&[condition]);
            if !about.is_empty() && about.iter().all(|number| own.contains(number)) {
                all.extend(told(&self.relation.terms, &self.named, condition).map(|told| (condition, told)));
            }
        }
        let mut met = BTreeSet::new();
        let holds =
            |relation: &PathRelation, term| samples.iter().all(|sample| evaluated(relation, &self.named, sample, term));
        all.retain(|(term, _)| {
            self.relation.terms.as_constant(*term).is_none() && met.insert(*term) && holds(&self.relation, *term)
        });
        let mut by = Replacement::default();
        for named in &self.named {
            by.insert(named.before, named.after);
        }
        let terms = &mut self.relation.terms;
        all.into_iter().map(|(before, told)| Atom { before, after: terms.substitute(before, &mut by), told }).collect()
    }

    /// Leaves out the conditions that a turn does not keep, where all others hold.
    fn keep(&mut self, session: &mut Session, atoms: &mut Vec<Atom>) -> Option<()> {
        loop {
            let lost: Vec<Term> = {
                let terms = &mut self.relation.terms;
                atoms.iter().map(|atom| terms.not(atom.after)).collect()
            };
            let any = self.relation.terms.any(&lost);
            let kept = match self.asked(session, atoms, usize::MAX, any) {
                Answer::Unsat(_) => return Some(()),
                Answer::Sat(model) => model.truths(&self.relation.terms, &lost),
                Answer::Unknown => Vec::new(),
            };
            let mut lose = kept;
            if !lose.contains(&true) {
                // One by one: what nobody knows is left out.
                lose = lost.iter().map(|&one| !self.asked(session, atoms, usize::MAX, one).is_unsat()).collect();
            }
            if !lose.contains(&true) {
                return Some(());
            }
            if self.bounds.is_stopped() {
                return None;
            }
            let mut at = 0;
            atoms.retain(|_| {
                at += 1;
                !lose[at - 1]
            });
        }
    }

    /// The conditions of which a turn needs that they hold, and those that these need to be kept; none if the turn may go otherwise.
    fn needed(&mut self, session: &mut Session, atoms: &[Atom]) -> Option<BTreeSet<usize>> {
        let mut needed = BTreeSet::new();
        for at in 0..self.relation.conditions.len() {
            let not = self.relation.terms.not(self.relation.conditions[at]);
            match self.asked(session, atoms, at, not) {
                Answer::Unsat(core) => needed.extend(core.into_iter().filter(|&at| at < atoms.len())),
                Answer::Sat(_) | Answer::Unknown => return None,
            }
        }
        let mut open: Vec<usize> = needed.iter().copied().collect();
        while let Some(at) = open.pop() {
            let not = self.relation.terms.not(atoms[at].after);
            let Answer::Unsat(core) = self.asked(session, atoms, usize::MAX, not) else { return None };
            open.extend(core.into_iter().filter(|&at| at < atoms.len()).filter(|&at| needed.insert(at)));
        }
        Some(needed)
    }

    /// Whether the turn needs no other conditions than these, and keeps them.
    fn is_enough(&mut self, session: &mut Session, atoms: &[Atom]) -> bool {
        let goes = (0..self.relation.conditions.len()).all(|at| {
            let not = self.relation.terms.not(self.relation.conditions[at]);
            self.asked(session, atoms, at, not).is_unsat()
        });
        goes && atoms.iter().all(|atom| {
            let not = self.relation.terms.not(atom.after);
            self.asked(session, atoms, usize::MAX, not).is_unsat()
        })
    }

    /// Whether something can be true in the set, where so many of the conditions of the turn hold.
    fn asked(&mut self, session: &mut Session, atoms: &[Atom], conditions: usize, besides: Term) -> Answer {
        let relation = &mut self.relation;
        let count = conditions.min(relation.conditions.len());
        let own = atoms.iter().map(|atom| atom.before);
        let all = own.chain(relation.conditions[..count].iter().chain(&relation.facts).copied()).chain([besides]);
        let all: Vec<Term> = all.collect();
        if !self.work.spend(1 + all.len() as u64 / CONDITIONS) {
            return Answer::Unknown;
        }
        let before = session.cost();
        let answer = session.check_combination(&mut relation.terms, &all);
        self.work.propagated(session.cost() - before);
        answer
    }

    /// Whether exactly these conditions describe a closed set: from each of its states every step of the turn is taken, and leads into it again.
    fn is_closed(&mut self, atoms: &[Atom]) -> bool {
        let mut session = Session::new(&self.bounds);
        let mut unsat = |region: &mut Region, conditions: usize, holds: Term| {
            let not = region.relation.terms.not(holds);
            let relation = &mut region.relation;
            let own = atoms.iter().map(|atom| atom.before);
            let known = relation.conditions[..conditions].iter().chain(&relation.facts).copied();
            let all: Vec<Term> = own.chain(known).chain([not]).collect();
            session.check(&mut relation.terms, &all).is_unsat()
        };
        let conditions = self.relation.conditions.clone();
        let goes = conditions.iter().enumerate().all(|(at, &condition)| unsat(self, at, condition));
        goes && atoms.iter().all(|atom| unsat(self, conditions.len(), atom.after))
    }
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

fn number(relation: &PathRelation, named: &Named) -> Option<u32> {
    match relation.terms.node(named.before) {
        Node::Variable(number) => Some(*number),
        _ => None,
    }
}

/// Whether a condition holds in a state; not if it depends on what is not known there.
fn evaluated(relation: &PathRelation, named: &[Named], sample: &Sample, condition: Term) -> bool {
    let known = named
        .iter()
        .filter_map(|named| Some((number(relation, named)?, unsigned(*sample.get(&named.id)?, named.width))));
    let known: BTreeMap<u32, u128> = known.collect();
    let is_known = relation.terms.variables(&[condition]).iter().all(|number| known.contains_key(number));
    let value = |number: u32| known.get(&number).copied().unwrap_or(0);
    is_known && Evaluation::new(&relation.terms, &value).is_true(condition)
}

impl Closed {
    /// Whether a state is in it.
    pub fn has(&self, sample: &Sample) -> bool {
        self.atoms.iter().all(|atom| evaluated(&self.relation, &self.named, sample, atom.before))
    }

    /// The set, as C says it.
    pub fn told(&self) -> String {
        let all: Vec<&str> = self.atoms.iter().map(|atom| &*atom.told).collect();
        if all.is_empty() { "1".to_owned() } else { all.join(" && ") }
    }
}
