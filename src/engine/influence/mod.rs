//! Influence: which variables matter where, for a question.
//!
//! After Gallardo, Joubert & Merino, *Static analysis using parameterised Boolean equation systems* (2006): a variable
//! matters at a place if its value there can flow into a condition. Their equation system is purely disjunctive; over a call
//! stack it is reachability in a pushdown system without data ([`system`]), solved by one pre* of the uses, which is met with
//! what control alone can reach (post*): a value that flows into a callee, out of it and back to *this* caller.
//!
//! ```
//! use puch_engine::influence::{Question, influence};
//! use puch_engine::limits::Limits;
//! use spds_format::model::{ControlId, Head, SymbolId, Var};
//!
//! let text = "spds 1 global x: bool, y: bool; control p; symbol a; symbol b; start <p, a>;
//!     rule <p, a> -> <p, b> { y' := x }; rule <p, b> -> <p, a> when x;";
//! let spds = spds_format::parse(text).unwrap();
//! let known = influence(&spds, &Question::conditions(), &Limits::default()).expect("no limit");
//! let head = |symbol| Head { control: ControlId(0), symbol: SymbolId(symbol) };
//! assert_eq!(known.matters(head(0)), [Var::Global(0)]);
//! assert_eq!(known.matters(head(1)), [Var::Global(0)]);
//! ```

pub mod control;
pub mod effect;
pub mod graph;
pub mod system;

use rustc_hash::FxHashMap;
use spds_format::Spds;
use spds_format::automaton::{Automaton, End};
use spds_format::expr::Time;
use spds_format::model::{ControlId, Head, Stack, SymbolId, Var};

use crate::explicit;
use crate::limits::{Limits, Stop};
use crate::ltl::atoms::Meaning;
use control::{Control, above_anything};
use effect::Effect;
use system::System;

/// What must not change when a variable is forgotten.
#[derive(Clone, Debug, Default)]
pub struct Question<'a> {
    /// Only conditions on a way to one of these places count; all of them without places. No control location is any.
    pub goals: Option<Vec<(Option<ControlId>, SymbolId)>>,
    /// What the propositions of a formula mean: they read variables wherever they are looked at.
    pub meanings: &'a [Meaning],
}

impl<'a> Question<'a> {
    /// Which places are reached, and whether runs terminate: all conditions count.
    pub fn conditions() -> Question<'static> {
        Question::default()
    }

    /// Whether these places are reached.
    pub fn reach(goals: Vec<(Option<ControlId>, SymbolId)>) -> Question<'static> {
        Question { goals: Some(goals), meanings: &[] }
    }

    /// Whether assertions can fail.
    pub fn assertions(spds: &Spds) -> Question<'static> {
        Question::reach(spds.fail.iter().map(|fail| (None, *fail)).collect())
    }

    /// Whether runs satisfy a formula with these propositions.
    pub fn formula(meanings: &'a [Meaning]) -> Question<'a> {
        Question { goals: None, meanings }
    }

    fn heads(&self, spds: &Spds) -> Option<Vec<Head>> {
        let controls = || (0..spds.controls.len() as u32).map(ControlId);
        let all = |&(control, symbol): &(Option<ControlId>, SymbolId)| {
            let these = controls().filter(move |one| control.is_none_or(|wanted| wanted == *one));
            these.map(move |control| Head { control, symbol }).collect::<Vec<_>>()
        };
        self.goals.as_ref().map(|goals| goals.iter().flat_map(all).collect())
    }
}

/// Which variables matter where.
pub struct Influence {
    matters: FxHashMap<Head, Vec<Var>>,
    control: Control,
    system: System,
    /// All configurations of the influence system from which a use can be reached.
    uses: Automaton,
}

/// Solves the influence system.
///
/// The system must be valid. With r rules, D variables in scope and k control locations: O(r · D) rules of the influence
/// system, and on them pre* with rows of k · D bits ([`explicit::pre`]).
///
/// # Errors
/// If a limit is met.
pub fn influence(spds: &Spds, question: &Question<'_>, limits: &Limits) -> Result<Influence, Stop> {
    match influence_so_far(spds, question, limits)? {
        (known, None) => Ok(known),
        (_, Some(stop)) => Err(stop),
    }
}

/// The same; if a limit is met, what was known to matter by then may be all there is to say: other variables may matter, too.
///
/// # Errors
/// If a limit is met before anything is known.
pub fn influence_so_far(
    spds: &Spds,
    question: &Question<'_>,
    limits: &Limits,
) -> Result<(Influence, Option<Stop>), Stop> {
    let control = Control::new(spds, limits)?;
    let leading = match question.heads(spds) {
        Some(goals) => Some(control.leading_to(&goals, limits)?),
        None => None,
    };
    let counts = |head: Head| leading.as_ref().is_none_or(|leading| leading.contains(&head));
    let system = System::new(spds, &control, counts, question.meanings);
    let used = End::Control(system.used());
    let symbols = (0..spds.symbols.len() as u32).map(|symbol| (used, SymbolId(symbol)));
    let (uses, stop) = explicit::pre_so_far(&system.spds, &above_anything(&system.spds, symbols), limits)?;
    let mut matters: FxHashMap<Head, Vec<Var>> = FxHashMap::default();
    let original = |control| system.original(control).map(|(control, _)| control);
    for (value, head) in control.stacks.meet(&uses, original) {
        let (_, var) = system.original(value.control).expect("uses have no original");
        matters.entry(head).or_default().push(var);
    }
    matters.values_mut().for_each(|list| list.sort_unstable());
    Ok((Influence { matters, control, system, uses }, stop))
}

impl Influence {
    /// The variables that matter at a head, in the order of their declaration, globals first.
    pub fn matters(&self, head: Head) -> &[Var] {
        self.matters.get(&head).map_or(&[], |list| list)
    }

    /// The variables that matter with a symbol on top, under any control location.
    pub fn matters_at(&self, symbol: SymbolId) -> Vec<Var> {
        let mut all: Vec<Var> = self.heads_of(symbol).flat_map(|head| self.matters(head)).copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether control comes to a place at all.
    pub fn reaches(&self, symbol: SymbolId) -> bool {
        self.heads_of(symbol).next().is_some()
    }

    /// The heads with a symbol on top that control reaches.
    pub fn heads_of(&self, symbol: SymbolId) -> impl Iterator<Item = Head> + '_ {
        let controls = 0..self.control.spds.controls.len() as u32;
        let heads = controls.map(move |control| Head { control: ControlId(control), symbol });
        heads.filter(|head| self.control.reaches(*head))
    }

    /// The influence system with the start at this variable and place, above a shortest stack on which it matters; every
    /// run of it that comes to *use* ([`System::used`]) is a chain of values that depend on each other. `None` if the
    /// variable does not matter there.
    pub fn question(&self, head: Head, var: Var) -> Option<(Spds, &System)> {
        let from = self.system.variable(head.control, var);
        let stack = self.control.stacks.shortest(&self.uses, from, head)?;
        let mut spds = self.system.spds.clone();
        spds.start.control = from;
        spds.start.stack = stack.into();
        Some((spds, &self.system))
    }

    /// The assignments that influence nothing: no value that is assigned there matters afterwards, and whether one exists
    /// does not either. In the order of the symbols and of the variables.
    pub fn dead_assignments(&self, spds: &Spds) -> Vec<(SymbolId, Var)> {
        let mut sites: FxHashMap<ControlId, Vec<Head>> = FxHashMap::default();
        for rule in &self.control.spds.rules {
            let Stack::Push(symbol, site) = rule.stack else { continue };
            if self.control.reaches(rule.from) {
                for &control in self.control.returns(Head { control: rule.to, symbol }) {
                    sites.entry(control).or_default().push(Head { control, symbol: site });
                }
            }
        }
        let mut found: FxHashMap<(SymbolId, Var), bool> = FxHashMap::default();
        for rule in spds.rules.iter().filter(|rule| self.control.reaches(rule.from)) {
            let effect = Effect::new(spds, rule);
            for flow in &effect.flows {
                let (var, time) = flow.to;
                let needed = |head: &Head| self.matters(*head).binary_search(&var).is_ok();
                let after = |symbol| Head { control: rule.to, symbol };
                let matters = match (rule.stack, time) {
                    (Stack::Pop, _) => sites.get(&rule.to).is_some_and(|sites| sites.iter().any(needed)),
                    (Stack::Swap(to), _) => needed(&after(to)),
                    // What is passed on is no assignment.
                    (Stack::Push(..), Time::After) if matches!(var, Var::Local(_)) => continue,
                    (Stack::Push(to, _), Time::After) => needed(&after(to)),
                    (Stack::Push(to, site), _) => {
                        let controls = self.control.returns(after(to)).iter();
                        controls.map(|control| Head { control: *control, symbol: site }).any(|head| needed(&head))
                    }
                };
                let dead = found.entry((rule.from.symbol, var)).or_insert(true);
                *dead &= !matters && !effect.may_block();
            }
        }
        let mut dead: Vec<(SymbolId, Var)> = found.into_iter().filter(|(_, dead)| *dead).map(|(at, _)| at).collect();
        dead.sort_unstable();
        dead
    }
}
