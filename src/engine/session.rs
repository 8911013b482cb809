//! Incremental checking, of a system under questions, one after the other and also after small changes: what is known of it stays known as long as
//! nothing has changed on which it depends.
//!
//! An answer depends on the rules that control can reach from the start and, for questions about places, from which control
//! can reach the places: exactly those that [`check`] encodes after slicing. If these rules, the frames of the symbols that
//! they mention, the globals and the start are the same after a change, the answer is the same, and so is its run.
//!
//! ```
//! use puch_engine::check::{Property, Verdict};
//! use puch_engine::options::Options;
//! use puch_engine::places::{Naming, resolve};
//! use puch_engine::session::Session;
//!
//! let text = |last: &str| format!("spds 1 global x: bool; control p; symbol a; symbol b; symbol c; symbol d;
//!     start <p, a> when x; rule <p, a> -> <p, d>;
//!     rule <p, a> -> <p, b>; rule <p, b> -> <p, b>; rule <p, d> -> <p, c> when {last};");
//! let system = |last: &str| spds_format::parse(&text(last)).unwrap();
//! let mut session = Session::new(system("x"), Options::default());
//! let [b, c] = ["b", "c"].map(|name| Property::Reach(resolve(session.system(), name, Naming::System).unwrap()));
//! let answers = session.check(&[b.clone(), c.clone()]).expect("runs are real").answers;
//! assert!(answers.iter().all(|answer| answer.verdict.claims_run()));
//!
//! // What is known of b does not depend on the last rule.
//! assert_eq!(session.change(system("!x")), 1);
//! let answers = session.check(&[b, c]).expect("runs are real").answers;
//! assert!(answers[0].verdict.claims_run());
//! assert_eq!(answers[1].verdict, Verdict::Unreachable);
//! ```

use std::sync::Arc;

use spds_format::Spds;
use spds_format::model::{Rule, SymbolId};

use crate::check::control::{failures, heads_of};
use crate::check::{Answer, CheckError, Outcome, Property, Verdict, check};
use crate::facts::{self, Facts};
use crate::options::{Options, Switch};
use crate::pds::{HeadId, Pds, Source};
use crate::regular;
use crate::saturation::images::Control;

/// A system, how questions about it are answered, and what is known of it.
pub struct Session {
    spds: Spds,
    options: Options,
    known: Vec<Known>,
}

/// An answer, and on which rules it depends, in ascending order.
struct Known {
    property: Property,
    answer: Answer,
    depends: Vec<u32>,
}

impl Session {
    /// Nothing is known yet. The system must be valid (`spds_format` checks that).
    pub fn new(spds: Spds, options: Options) -> Session {
        Session { spds, options, known: Vec::new() }
    }

    /// The system.
    pub fn system(&self) -> &Spds {
        &self.spds
    }

    /// How questions are answered.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Answers all properties; only those are searched for that are not known. What is unknown because of a limit is asked
    /// again.
    ///
    /// # Errors
    /// If the judge rejects a run that the search found.
    pub fn check(&mut self, properties: &[Property]) -> Result<Outcome, CheckError> {
        let open: Vec<Property> =
            properties.iter().filter(|property| self.answer(property).is_none()).cloned().collect();
        let outcome = match open.is_empty() {
            true => Outcome { answers: Vec::new(), stats: Default::default() },
            false => check(&self.spds, &open, &self.options)?,
        };
        let mut found = outcome.answers.into_iter();
        let mut answers = Vec::with_capacity(properties.len());
        let mut learnt = Vec::new();
        for property in properties {
            if let Some(answer) = self.answer(property) {
                answers.push(answer.clone());
                continue;
            }
            let answer = found.next().expect("each open property has an answer");
            if !matches!(answer.verdict, Verdict::Unknown(_)) {
                let depends = depends(&self.spds, property, &self.options);
                learnt.push(Known { property: property.clone(), answer: answer.clone(), depends });
            }
            answers.push(answer);
        }
        self.known.append(&mut learnt);
        Ok(Outcome { answers, stats: outcome.stats })
    }

    /// The values with which statements are reached.
    pub fn facts(&self, question: &facts::Question) -> Facts {
        facts::facts(&self.spds, question, &self.options)
    }

    /// What can be reached from a set of configurations, or from which that set can be reached.
    pub fn saturate(&self, question: &regular::Question<'_>) -> regular::Outcome {
        regular::saturate(&self.spds, question, &self.options)
    }

    /// The system has become another one, in which what is called the same has the same number. Returns how many answers
    /// are still known. Linear in the sizes of the systems, for each answer.
    pub fn change(&mut self, spds: Spds) -> usize {
        let old = std::mem::replace(&mut self.spds, spds);
        let (new, options) = (&self.spds, &self.options);
        let alike = alike(&old, new);
        self.known.retain_mut(|known| {
            if !alike || !same_names(&known.property) {
                return false;
            }
            let depends = depends(new, &known.property, options);
            let same = same_rules(&old, &known.depends, new, &depends);
            known.depends = depends;
            same
        });
        self.known.len()
    }

    /// What is known of a property.
    fn answer(&self, property: &Property) -> Option<&Answer> {
        self.known.iter().find(|known| same(&known.property, property)).map(|known| &known.answer)
    }
}

/// Whether two properties are the same, as far as that is seen at once.
fn same(one: &Property, other: &Property) -> bool {
    match (one, other) {
        (Property::Reach(one), Property::Reach(other)) => one == other,
        (Property::Configurations(one), Property::Configurations(other)) => Arc::ptr_eq(one, other),
        (Property::Ltl(one), Property::Ltl(other)) => Arc::ptr_eq(one, other),
        (Property::Assertions, Property::Assertions) | (Property::Termination, Property::Termination) => true,
        _ => false,
    }
}

/// Whether a property says the same of another system: it mentions numbers of places at most, no conditions on values.
fn same_names(property: &Property) -> bool {
    match property {
        Property::Reach(_) | Property::Assertions | Property::Termination => true,
        Property::Configurations(_) | Property::Ltl(_) => false,
    }
}

/// The rules on which an answer depends: control can reach them, and from them what the property asks for.
fn depends(spds: &Spds, property: &Property, options: &Options) -> Vec<u32> {
    let options = Options { slice: Switch::On, ..options.clone() };
    let control = Control::new(spds, None, &options, |pds: &Pds, flow| match property {
        Property::Reach(targets) => heads_of(spds, pds, targets),
        Property::Assertions => failures(spds, pds),
        // Wherever control goes.
        Property::Configurations(_) | Property::Termination | Property::Ltl(_) => {
            (0..pds.head_count() as u32).map(HeadId).filter(|head| flow.reaches(*head)).collect()
        }
    });
    let needed = |head: HeadId| control.needed[head.0 as usize] && control.flow.reaches(head);
    let rows = control.pds.rules.iter().filter(|row| needed(row.from));
    let mut rules: Vec<u32> = rows
        .filter_map(|row| match row.source {
            Source::Rule(rule) => Some(rule),
            Source::Stuck => None,
        })
        .collect();
    rules.sort_unstable();
    rules.dedup();
    rules
}

/// Whether two systems have the same globals and start, and their symbols and frames, as far as both have them, can be
/// compared by their numbers.
fn alike(old: &Spds, new: &Spds) -> bool {
    let start = old.start.stack.iter().all(|symbol| same_symbol(old, new, *symbol));
    old.globals == new.globals
        && old.controls == new.controls
        && old.start == new.start
        && (old.end, old.fail) == (new.end, new.fail)
        && start
}

/// Whether two systems have the same rules at these numbers, in their order, about the same symbols.
fn same_rules(old: &Spds, one: &[u32], new: &Spds, other: &[u32]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|(&one, &other)| {
            let (one, other) = (&old.rules[one as usize], &new.rules[other as usize]);
            one == other && symbols(one).all(|symbol| same_symbol(old, new, symbol))
        })
}

/// The symbols that a rule mentions.
fn symbols(rule: &Rule) -> impl Iterator<Item = SymbolId> {
    use spds_format::model::Stack;
    let next = match rule.stack {
        Stack::Pop => [None, None],
        Stack::Swap(next) => [Some(next), None],
        Stack::Push(callee, site) => [Some(callee), Some(site)],
    };
    next.into_iter().flatten().chain([rule.from.symbol])
}

/// Whether a symbol has the same name, invariant and variables in both. Where it stands in the source may have changed.
fn same_symbol(old: &Spds, new: &Spds, symbol: SymbolId) -> bool {
    let number = symbol.0 as usize;
    let (Some(one), Some(other)) = (old.symbols.get(number), new.symbols.get(number)) else { return false };
    let named = (&one.name, &one.frame, &one.invariant) == (&other.name, &other.frame, &other.invariant);
    named && old.locals(symbol) == new.locals(symbol)
}
