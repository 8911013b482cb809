//! Software as it is: each function of C files by itself, entered with an arbitrary state.
//!
//! Of a function is asked, with all that it calls, whether some pointer that is used can be NULL. Where one can, it is looked for a
//! condition on the state at the entry that excludes it: an *obligation* of the callers. As the whole of what a function calls is
//! looked at, a callee's obligation that is not established shows as a use that can be NULL, of the caller's; and recursive calls get no
//! condition for nothing, because only the call from outside assumes any. What fails although all obligations are kept was executed;
//! all that is left is not known.
//!
//! Uses that come after something else undefined (an access out of bounds, a freed object) are not asked about: no run goes past that.

pub mod entry;

use std::collections::BTreeSet;

use crate::c::program::{Callee, Program, StatementKind};
use crate::nullness::{self, Dereference, Options};
use entry::Condition;

/// What is known of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// No use of a pointer fails for any caller that keeps the obligations.
    Holds,
    /// Some use fails for a caller that keeps them: a run was executed.
    Violated,
    /// It is not known.
    Unknown,
}

impl Verdict {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Violated => "violated",
            Verdict::Unknown => "unknown",
        }
    }
}

/// What is known of a use of a pointer, as it is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// It is never NULL, for any caller.
    Safe,
    /// It is never NULL, for callers that keep the obligations.
    Obligation,
    /// It is NULL for some caller that keeps them.
    Fails,
    /// It is not known.
    Unknown,
}

/// A condition that callers have to establish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obligation {
    /// In C.
    pub condition: String,
    /// A use, by its index, that may fail where only this one is not kept.
    pub needed_by: usize,
    /// Whether such a failure was executed.
    pub shown: bool,
}

/// What is known of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Of it all.
    pub verdict: Verdict,
    /// Why that is not known, where no use says it.
    pub reason: Option<String>,
    /// Of each use of a pointer that it leads to: what is known where all obligations are kept.
    pub uses: Vec<(Dereference, Class)>,
    /// What callers have to establish.
    pub obligations: Vec<Obligation>,
    /// What is taken on trust.
    pub assumptions: Vec<String>,
}

impl Answer {
    /// Nothing is known, because of this.
    pub fn unknown(reason: String) -> Answer {
        let (uses, obligations, assumptions) = (Vec::new(), Vec::new(), Vec::new());
        Answer { verdict: Verdict::Unknown, reason: Some(reason), uses, obligations, assumptions }
    }

    /// How many uses are of a class.
    pub fn count(&self, class: Class) -> usize {
        self.uses.iter().filter(|(_, of)| *of == class).count()
    }
}

/// Looks at the function in which a program begins. As long as the limits of the options allow.
pub fn analyse(program: &Program, options: &Options) -> Answer {
    let reached = crate::c::reached::reached(program, false).procedures;
    let reached = program.procedures.iter().zip(reached).filter(|(_, reached)| *reached);
    let names: BTreeSet<&str> = reached.map(|(procedure, _)| &*procedure.name).collect();
    let asked = |conditions: &[Condition]| {
        let all = nullness::analyse(&entry::entered(program, conditions), options);
        all.into_iter().filter(|one| names.contains(&*one.procedure)).collect::<Vec<Dereference>>()
    };
    let bare = asked(&[]);
    let mut kept: Vec<Condition> = Vec::new();
    let mut under = bare.clone();
    if bare.iter().any(|one| !is_safe(one)) {
        let all = entry::conditions(program);
        let with_all = if all.is_empty() { bare.clone() } else { asked(&all) };
        if safe(&with_all).len() > safe(&bare).len() {
            (kept, under) = needed(all, with_all, &asked);
        }
    }
    let obligations = (0..kept.len()).filter_map(|at| obligation(program, &kept, at, &under, &asked)).collect();
    let class = |(at, one): (usize, &Dereference)| match one.verdict {
        nullness::Verdict::Null => Class::Fails,
        nullness::Verdict::Unknown => Class::Unknown,
        nullness::Verdict::Safe if bare.get(at).is_some_and(is_safe) => Class::Safe,
        nullness::Verdict::Safe => Class::Obligation,
    };
    let classes: Vec<Class> = under.iter().enumerate().map(class).collect();
    let reason = unasked(program);
    let verdict = match () {
        () if classes.contains(&Class::Fails) => Verdict::Violated,
        () if classes.contains(&Class::Unknown) || reason.is_some() => Verdict::Unknown,
        () => Verdict::Holds,
    };
    let uses = under.into_iter().zip(classes).collect();
    Answer { verdict, reason, uses, obligations, assumptions: assumptions(program) }
}

fn is_safe(one: &Dereference) -> bool {
    one.verdict == nullness::Verdict::Safe
}

/// The uses that are safe, by their index. Conditions change neither which uses there are nor their order.
fn safe(all: &[Dereference]) -> BTreeSet<usize> {
    all.iter().enumerate().filter(|(_, one)| is_safe(one)).map(|(at, _)| at).collect()
}

/// As few conditions as needed for what is known with all of them, and what is known with those.
fn needed(
    mut kept: Vec<Condition>,
    with_all: Vec<Dereference>,
    asked: &dyn Fn(&[Condition]) -> Vec<Dereference>,
) -> (Vec<Condition>, Vec<Dereference>) {
    let (wanted, mut under) = (safe(&with_all), with_all);
    for at in (0..kept.len()).rev() {
        let mut fewer = kept.clone();
        fewer.remove(at);
        let found = asked(&fewer);
        if safe(&found).is_superset(&wanted) {
            (kept, under) = (fewer, found);
        }
    }
    (kept, under)
}

/// What is said of a condition that is kept: what fails without it.
fn obligation(
    program: &Program,
    kept: &[Condition],
    at: usize,
    under: &[Dereference],
    asked: &dyn Fn(&[Condition]) -> Vec<Dereference>,
) -> Option<Obligation> {
    let mut fewer = kept.to_vec();
    let condition = fewer.remove(at);
    let without = asked(&fewer);
    let open = |(_, (before, after)): &(usize, (&Dereference, &Dereference))| !is_safe(before) && is_safe(after);
    let open: Vec<(usize, (&Dereference, &Dereference))> = without.iter().zip(under).enumerate().filter(open).collect();
    let fails = open.iter().find(|(_, (before, _))| before.verdict == nullness::Verdict::Null);
    let (needed_by, _) = *fails.or(open.first())?;
    Some(Obligation { condition: entry::told(program, condition), needed_by, shown: fails.is_some() })
}

/// Why a function that no use of a pointer fails in may fail: what is not asked about.
fn unasked(program: &Program) -> Option<String> {
    let reached = crate::c::reached::reached(program, false).procedures;
    let procedures = program.procedures.iter().zip(reached).filter(|(_, reached)| *reached);
    let mut fails = procedures.flat_map(|(procedure, _)| procedure.body.iter().flatten());
    let fail = fails.find(|statement| matches!(statement.kind, StatementKind::Fail(_)))?;
    let file = program.file(fail.place);
    Some(format!("whether the assertion in {file}:{} can fail is not asked yet", fail.place.line))
}

/// What is taken on trust of what a function leads to.
fn assumptions(program: &Program) -> Vec<String> {
    let reached = crate::c::reached::reached(program, false).procedures;
    let mut outside: BTreeSet<&str> = BTreeSet::new();
    let mut through_pointers = false;
    for (procedure, _) in program.procedures.iter().zip(&reached).filter(|(_, reached)| **reached) {
        let names = procedure.outside.iter().map(|id| &*program.procedure(*id).name);
        outside.extend(names);
        let mut kinds = procedure.body.iter().flatten().map(|statement| &statement.kind);
        through_pointers |= kinds.any(|kind| matches!(kind, StatementKind::Call(_, Callee::Pointer(_), _)));
    }
    let mut all = vec![
        "pointers that are handed over are NULL or point into objects that are there".to_owned(),
        "whether accesses are within bounds, objects alive and arithmetic defined is not asked".to_owned(),
    ];
    if !outside.is_empty() {
        let names: Vec<String> = outside.iter().map(|name| format!("`{name}`")).collect();
        all.push(format!("{} are given what they need", names.join(", ")));
    }
    if through_pointers {
        all.push("functions that are called through pointers are given what they need".to_owned());
    }
    all.extend(program.unverified.iter().map(|trusted| trusted.text.clone()));
    all
}
