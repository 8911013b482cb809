//! The strongest update of some predicates that can be said over others: cube by cube (Cartesian), or exactly, as a relation.
//!
//! Ball, Majumdar, Millstein and Rajamani, PLDI 2001, §4 (cubes, cone of influence); Das and Dill, *Successive approximation of abstract
//! transition relations* (LICS 2001) for correlations. Predicates that share no variable, not even through others, are decided
//! apart.

use std::rc::Rc;

use crate::bitvec::{Asked, Cube, Memo, Term, Touching, relation};
use crate::transition::memory::Machine;

use super::boolean::{Conjunction, Literal, Value};
use super::{Method, Tuning};

/// The most predicates in a cone, before and after, for which `auto` asks for the exact relation.
const EXACT: usize = 8;

/// Who is asked about predicates: terms, what was asked about them before, and how hard to try.
pub(super) struct Asker<'p, 'a> {
    pub machine: &'p mut Machine<'a>,
    pub memo: &'p mut Memo,
    pub tuning: &'p Tuning,
}

/// A predicate that has a value in the Boolean program, or gets one.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub name: Rc<str>,
    pub term: Term,
}

/// What is assigned to each of the predicates asked for, and which combinations cannot be.
#[derive(Clone, Debug, Default)]
pub(super) struct Update {
    pub values: Vec<Value>,
    pub constrain: Vec<Conjunction>,
}

impl Update {
    /// The names of the predicates that it reads.
    pub fn reads(&self) -> impl Iterator<Item = &Rc<str>> {
        let lists = self.values.iter().flat_map(|value| match value {
            Value::Constant(_) => [&[][..], &[]],
            Value::Any(cubes) | Value::None(cubes) => [&cubes[..], &[]],
            Value::Choose(yes, no) => [&yes[..], &no[..]],
        });
        let literals = lists.chain([&self.constrain[..]]).flatten().flatten();
        literals.filter(|literal| !literal.after).map(|literal| &literal.name)
    }
}

/// The update of `targets` by what is known of `known`, where `context` holds.
pub(super) fn update(asker: &mut Asker<'_, '_>, known: &[Named], targets: &[Named], context: &[Term]) -> Update {
    let mut update =
        Update { values: vec![Value::Choose(Vec::new(), Vec::new()); targets.len()], constrain: Vec::new() };
    for (value, target) in update.values.iter_mut().zip(targets) {
        if let Some(constant) = asker.machine.terms.as_constant(target.term) {
            *value = Value::Constant(constant == 1);
        }
    }
    if asker.tuning.bounds.is_stopped() {
        return update;
    }
    let open: Vec<usize> = (0..targets.len()).filter(|&at| !matches!(update.values[at], Value::Constant(_))).collect();
    let terms: Vec<Term> = open.iter().map(|&at| targets[at].term).collect();
    for cone in cones(asker.machine, known, &terms, context) {
        let mut part = Part {
            asker,
            known: cone.known.iter().map(|&at| &known[at]).collect(),
            targets: cone.targets.iter().map(|&at| &targets[open[at]]).collect(),
            facts: cone.facts,
            context: cone.context,
        };
        let (values, constrain) = part.solve();
        for (at, value) in cone.targets.into_iter().zip(values) {
            update.values[open[at]] = value;
        }
        update.constrain.extend(constrain);
    }
    update
}

/// Whether the update of these, and what is excluded where the context does not hold, can be said exactly.
pub(super) fn are_exact(asker: &mut Asker<'_, '_>, known: &[Named], targets: &[Term], context: &[Term]) -> bool {
    let is_open = |&&term: &&Term| asker.machine.terms.as_constant(term).is_none();
    let [targets, context] = [targets, context].map(|list| list.iter().filter(is_open).copied().collect::<Vec<_>>());
    let (all, changes) = ([&targets[..], &context].concat(), targets.len());
    let cones = cones(asker.machine, known, &all, &[]);
    cones.iter().all(|cone| {
        let changed = cone.targets.iter().filter(|&&at| at < changes).count();
        asker.tuning.method == Method::Exact || cone.known.len() + changed <= EXACT
    })
}

/// The value of a condition that is a predicate, or the negation of one.
fn plain(machine: &mut Machine<'_>, known: &[&Named], condition: Term) -> Option<Value> {
    let negated = machine.terms.not(condition);
    let same = known.iter().find(|named| named.term == condition || named.term == negated)?;
    let cube = vec![vec![Literal { name: same.name.clone(), after: false, value: true }]];
    Some(if same.term == condition { Value::Any(cube) } else { Value::None(cube) })
}

/// The combinations of predicates that have to hold if a condition does not: what `assume` of it excludes.
pub(super) fn excluded(
    asker: &mut Asker<'_, '_>,
    known: &[Named],
    condition: Term,
    context: &[Term],
) -> Vec<Conjunction> {
    excluded_by_all(asker, known, &[condition], context)
}

/// The same for several conditions of which one does not hold: those that have to do with each other are decided together.
pub(super) fn excluded_by_all(
    asker: &mut Asker<'_, '_>,
    known: &[Named],
    conditions: &[Term],
    context: &[Term],
) -> Vec<Conjunction> {
    let mut open = conditions.to_vec();
    open.retain(|&condition| asker.machine.terms.as_constant(condition) != Some(1));
    if open.iter().any(|&condition| asker.machine.terms.as_constant(condition) == Some(0)) {
        return vec![Vec::new()];
    }
    if asker.tuning.bounds.is_stopped() {
        return Vec::new();
    }
    let mut excluded = Vec::new();
    for cone in cones(asker.machine, known, &open, context) {
        let together: Vec<Term> = cone.targets.iter().map(|&at| open[at]).collect();
        let condition = asker.machine.terms.all(&together);
        if asker.machine.terms.as_constant(condition) == Some(0) {
            return vec![Vec::new()];
        }
        let known = cone.known.iter().map(|&at| &known[at]).collect();
        let part = Part { asker, known, targets: Vec::new(), facts: cone.facts, context: cone.context };
        excluded.extend(part.excluded(condition));
    }
    excluded
}

/// Short cubes of predicates that cannot be, whatever the state.
pub(super) fn impossible(asker: &mut Asker<'_, '_>, known: &[Named]) -> Vec<Conjunction> {
    let terms: Vec<Term> = known.iter().map(|named| named.term).collect();
    let mut never = Vec::new();
    if asker.tuning.bounds.is_stopped() {
        return never;
    }
    for cone in cones(asker.machine, &[], &terms, &[]) {
        let of: Vec<&Named> = cone.targets.iter().map(|&at| &known[at]).collect();
        let terms: Vec<Term> = of.iter().map(|named| named.term).collect();
        let asked =
            Asked { facts: &cone.facts, context: &[], conditions: &terms, longest: asker.tuning.cubes.min(SHORT) };
        let found = asker.memo.infeasible(&asker.machine.terms, &asked, &asker.tuning.bounds);
        never.extend(found.iter().map(|cube| conjunction(cube, &of)));
    }
    never
}

/// The longest cubes that are looked for among all predicates of a procedure.
const SHORT: usize = 2;

fn conjunction(cube: &Cube, of: &[&Named]) -> Conjunction {
    let literal = |&(at, value): &(usize, bool)| Literal { name: of[at].name.clone(), after: false, value };
    cube.0.iter().map(literal).collect()
}

/// Predicates that have to do with each other.
#[derive(Debug, Default)]
struct Cone {
    known: Vec<usize>,
    targets: Vec<usize>,
    /// What always holds.
    facts: Vec<Term>,
    context: Vec<Term>,
}

/// The cones of the targets: terms that share a variable, transitively, are in one.
fn cones(machine: &mut Machine<'_>, known: &[Named], targets: &[Term], context: &[Term]) -> Vec<Cone> {
    let known_terms = known.iter().map(|named| named.term);
    let mut all: Vec<Term> = targets.iter().copied().chain(known_terms).chain(context.iter().copied()).collect();
    let given = all.len();
    all.extend(machine.axioms(&all.clone()));
    let mut group: Vec<usize> = (0..all.len()).collect();
    let mut owner: hashbrown::HashMap<u32, usize, rustc_hash::FxBuildHasher> = hashbrown::HashMap::default();
    for (at, &term) in all.iter().enumerate() {
        for &variable in machine.terms.variables_of(term).iter() {
            let other = *owner.entry(variable).or_insert(at);
            let (a, b) = (root(&group, at), root(&group, other));
            group[a.max(b)] = a.min(b);
        }
    }
    let mut cones: Vec<(usize, Cone)> = Vec::new();
    for (at, &term) in all.iter().enumerate() {
        let of = root(&group, at);
        if of >= targets.len() {
            continue;
        }
        if at < targets.len() && cones.iter().all(|&(other, _)| other != of) {
            cones.push((of, Cone::default()));
        }
        let Some((_, cone)) = cones.iter_mut().find(|(other, _)| *other == of) else { continue };
        match at.checked_sub(targets.len()) {
            None => cone.targets.push(at),
            Some(index) if index < known.len() => {
                if machine.terms.as_constant(term).is_none() {
                    cone.known.push(index);
                }
            }
            Some(_) if at < given => cone.context.push(term),
            Some(_) => cone.facts.push(term),
        }
    }
    cones.into_iter().map(|(_, cone)| cone).collect()
}

fn root(group: &[usize], mut at: usize) -> usize {
    while group[at] != at {
        at = group[at];
    }
    at
}

struct Part<'p, 'q, 'a> {
    asker: &'p mut Asker<'q, 'a>,
    known: Vec<&'p Named>,
    targets: Vec<&'p Named>,
    facts: Vec<Term>,
    context: Vec<Term>,
}

impl Part<'_, '_, '_> {
    fn solve(&mut self) -> (Vec<Value>, Vec<Conjunction>) {
        // What the context excludes is not said by a predicate that keeps its value.
        let plain = |target: &&Named| match self.context[..] {
            [] => plain(self.asker.machine, &self.known, target.term),
            _ => None,
        };
        let plain: Vec<Option<Value>> = self.targets.iter().map(plain).collect();
        let mut values = plain.iter();
        self.targets.retain(|_| values.next().is_some_and(Option::is_none));
        let (open, constrain) = self.solve_open();
        let mut open = open.into_iter();
        let values = plain.into_iter().filter_map(|value| value.or_else(|| open.next())).collect();
        (values, constrain)
    }

    fn solve_open(&mut self) -> (Vec<Value>, Vec<Conjunction>) {
        let exact = self.asker.tuning.is_exact(self.known.len() + self.targets.len());
        exact.then(|| self.exact()).flatten().unwrap_or_else(|| self.cartesian())
    }

    /// The combinations that a condition excludes.
    fn excluded(self, condition: Term) -> Vec<Conjunction> {
        let Asker { machine, memo, tuning } = self.asker;
        let bounds = &tuning.bounds;
        let terms: Vec<Term> = self.known.iter().map(|named| named.term).collect();
        if tuning.is_exact(terms.len()) {
            let context = [&self.context[..], &[condition]].concat();
            let asked = Asked { facts: &self.facts, context: &context, conditions: &terms, longest: tuning.cubes };
            if let Some(exact) = memo.relation(&machine.terms, &asked, bounds) {
                return exact.infeasible.iter().map(|cube| conjunction(cube, &self.known)).collect();
            }
        }
        let near = near(machine, condition, &terms, &[&self.facts[..], &self.context].concat(), tuning.cubes);
        let (known, terms): (Vec<&Named>, Vec<Term>) = near.iter().map(|&at| (self.known[at], terms[at])).unzip();
        let longest = tuning.longest(terms.len());
        let asked = Asked { facts: &self.facts, context: &self.context, conditions: &terms, longest };
        let refuted = memo.refuted(&machine.terms, condition, &asked, bounds);
        refuted.iter().map(|cube| conjunction(cube, &known)).collect()
    }

    fn cartesian(&mut self) -> (Vec<Value>, Vec<Conjunction>) {
        let targets: Vec<Term> = self.targets.iter().map(|target| target.term).collect();
        let mut constrain = Vec::new();
        let values = targets.into_iter().map(|target| self.decided(target, &mut constrain)).collect();
        constrain.sort_unstable();
        constrain.dedup();
        (values, constrain)
    }

    fn decided(&mut self, target: Term, constrain: &mut Vec<Conjunction>) -> Value {
        let terms: Vec<Term> = self.known.iter().map(|named| named.term).collect();
        let besides = [&self.facts[..], &self.context].concat();
        let near = near(self.asker.machine, target, &terms, &besides, self.asker.tuning.cubes);
        let (known, terms): (Vec<&Named>, Vec<Term>) = near.iter().map(|&at| (self.known[at], terms[at])).unzip();
        let longest = self.asker.tuning.longest(terms.len());
        let asked = Asked { facts: &self.facts, context: &self.context, conditions: &terms, longest };
        let Asker { machine, memo, tuning } = &mut *self.asker;
        let found = memo.decided(&machine.terms, target, &asked, &tuning.bounds);
        constrain.extend(found.here.iter().map(|cube| conjunction(cube, &known)));
        value(&known, &found.yes, &found.no, &[found.never, found.here].concat())
    }

    /// The relation between the values before and after, taken apart: what decides one predicate by itself, and all else.
    fn exact(&mut self) -> Option<(Vec<Value>, Vec<Conjunction>)> {
        let before = self.known.len();
        let conditions: Vec<Term> = self.known.iter().chain(&self.targets).map(|named| named.term).collect();
        let asked = Asked {
            facts: &self.facts,
            context: &self.context,
            conditions: &conditions,
            longest: self.asker.tuning.cubes,
        };
        let found = self.asker.memo.relation(&self.asker.machine.terms, &asked, &self.asker.tuning.bounds)?;
        let mut sides = vec![(Vec::new(), Vec::new()); self.targets.len()];
        let (mut never, mut correlated) = (Vec::new(), Vec::new());
        for cube in found.infeasible {
            let after: Vec<(usize, bool)> = cube.0.iter().copied().filter(|&(at, _)| at >= before).collect();
            match after[..] {
                [] => never.push(cube),
                [(at, value)] => {
                    let rest = Cube(cube.0.into_iter().filter(|&(at, _)| at < before).collect());
                    let side: &mut (Vec<Cube>, Vec<Cube>) = &mut sides[at - before];
                    if value { side.1.push(rest) } else { side.0.push(rest) }
                }
                _ => correlated.push(cube),
            }
        }
        let mut constrain: Vec<Conjunction> =
            never.iter().chain(&correlated).map(|cube| self.literals(cube, before)).collect();
        let mut values = Vec::new();
        for (at, (yes, no)) in sides.iter().enumerate() {
            // Where both are said there is no state at all, and `schoose` would choose the first.
            for cube in no.iter().filter(|no| yes.iter().any(|yes| are_compatible(yes, no))) {
                let mut both = self.literals(cube, before);
                both.push(Literal { name: self.targets[at].name.clone(), after: true, value: true });
                constrain.push(both);
            }
            values.push(value(&self.known, yes, no, &never));
        }
        Some((values, constrain))
    }

    fn literals(&self, cube: &Cube, before: usize) -> Conjunction {
        let literal = |&(at, value): &(usize, bool)| match at.checked_sub(before) {
            None => Literal { name: self.known[at].name.clone(), after: false, value },
            Some(target) => Literal { name: self.targets[target].name.clone(), after: true, value },
        };
        cube.0.iter().map(literal).collect()
    }
}

/// The conditions with which a cube of so many may decide another one.
fn near(machine: &Machine<'_>, target: Term, conditions: &[Term], context: &[Term], steps: usize) -> Vec<usize> {
    let all = [conditions, &[target]].concat();
    let mut near = Touching::new(&machine.terms, &all, context).within([conditions.len()], steps);
    near.pop();
    near
}

/// What is implied, refuted, and open.
fn value(known: &[&Named], yes: &[Cube], no: &[Cube], never: &[Cube]) -> Value {
    let of = |cubes: &[Cube]| cubes.iter().map(|cube| conjunction(cube, known)).collect::<Vec<_>>();
    if yes.iter().any(|cube| cube.0.is_empty()) {
        return Value::Constant(true);
    }
    if no.iter().any(|cube| cube.0.is_empty()) {
        return Value::Constant(false);
    }
    let all: Vec<Cube> = [yes, no, never].concat();
    if !all.is_empty() && relation::is_everything(&all) {
        return if literals(yes) <= literals(no) { Value::Any(of(yes)) } else { Value::None(of(no)) };
    }
    Value::Choose(of(yes), of(no))
}

fn literals(cubes: &[Cube]) -> usize {
    cubes.iter().map(|cube| cube.0.len() + 1).sum()
}

fn are_compatible(a: &Cube, b: &Cube) -> bool {
    a.0.iter().all(|&(at, value)| !b.0.contains(&(at, !value)))
}

/// How many cubes are looked at for one condition.
const CUBES: usize = 20_000;

impl Tuning {
    /// The greatest length of cubes of so many conditions: no more of them are looked at than that.
    fn longest(&self, conditions: usize) -> usize {
        let mut cubes = 1;
        (1..=self.cubes)
            .take_while(|length| {
                cubes = (cubes * 2 * conditions.saturating_sub(length - 1) / length).max(1);
                *length == 1 || cubes <= CUBES
            })
            .count()
    }

    fn is_exact(&self, predicates: usize) -> bool {
        match self.method {
            Method::Cartesian => false,
            Method::Exact => true,
            Method::Auto => predicates <= EXACT,
        }
    }
}
