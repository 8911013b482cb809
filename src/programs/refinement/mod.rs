//! From a C program to a verdict: abstraction, check, and where the trace is no run of the program, more predicates
//! (counterexample-guided refinement: Clarke, Grumberg, Jha, Lu and Veith, CAV 2000; Ball and Rajamani, *The SLAM project*, POPL 2002).
//!
//! `holds` is what the check of an abstraction says, and every run of the program is one of the abstraction. `violated` is what
//! the judge has seen: it has executed the program with the inputs that were found ([`crate::concretise`], [`crate::interpreter`]). No
//! verdict depends on where predicates come from (`learn`): they are candidates, and the abstraction is exact about each.

pub mod equation;

mod build;

mod weakest;

mod transport;

pub mod rational;

pub mod simplex;

mod linear;

mod demands;

mod farkas;

mod kept;

mod inlined;

mod interpolate;

mod templates;

pub mod horn;

mod learn;

mod judge;

mod orders;

mod only_run;

mod frames;

mod refining;

mod rounds;

mod attempts;

mod single;

pub mod several;

mod harness;

pub mod undefined;

pub mod invariants;

mod ranking;

pub mod height;

mod recurrent;

mod reason;

mod terminates;

mod formula;

pub mod reproof;

mod decide;

mod portable;

pub mod witness_file;

pub mod correctness;

pub mod shown;

pub mod certificate;

use std::sync::Arc;

use crate::abstraction::{Tuning, boolean};
use crate::c::Program;
use crate::c::program::{InputKind, Overflow};
use crate::c::subobject::Subobject;
use crate::c::types::TypeId;
use crate::interpreter;
use crate::interpreter::forever::Forever;
use crate::options;
use crate::run;
use crate::transition::undefined::Undefined;
use crate::verdict;

use spds_format::model::Place;

use invariants::claims::Invariant;

pub use correctness::Held;
pub use decide::{Answer, Failing, Question, confirmed, decide, decide_from, ends_from};
pub use formula::Temporal;
pub use harness::{Copies, cannot, harness, harness_of_depth, not_given, undefined as undefined_in_c};
pub use horn::Donor;
pub use judge::{Exact, constants, input};
pub use only_run::trusted_output;
pub use reason::{Defect, Reason, Spot, Unproved};
pub use recurrent::Recurrent;
pub use single::refine;
pub use terminates::Ranks;

/// How hard is tried.
#[derive(Clone)]
pub struct Options {
    /// What happens where signed arithmetic leaves its type.
    pub overflow: Overflow,
    /// For the abstraction.
    pub tuning: Tuning,
    /// For the checks of the Boolean programs; its limits are those of the whole.
    pub check: options::Options,
    /// No more rounds than that.
    pub rounds: Option<usize>,
    /// Who is asked, once, for conditions where rounds go on and on.
    pub donor: Option<Donor>,
}

/// Where a predicate comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// A condition of the program.
    Guard,
    /// A part of a sum of linear constraints that is plainly false.
    Farkas,
    /// Bounds, sums, differences and comparisons, where predicates differ in constants only.
    Template,
    /// The weakest precondition of a condition.
    Transport,
    /// No predicate: a step of the trace that the program cannot take, because of the values before and after.
    Constraint,
    /// What a solver of Horn clauses says.
    Spacer,
}

impl Source {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Source::Guard => "guards",
            Source::Farkas => "farkas",
            Source::Template => "templates",
            Source::Transport => "transport",
            Source::Constraint => "constraints",
            Source::Spacer => "spacer",
        }
    }
}

/// What one round did, for those who watch.
#[derive(Debug)]
pub struct Round<'r> {
    /// Counted from 1.
    pub number: usize,
    /// The predicates of its abstraction, as a file of predicates has them.
    pub predicates: &'r str,
    /// How many they are.
    pub count: usize,
    /// The Boolean program.
    pub made: &'r boolean::Program,
    /// The greatest number of nodes of its check.
    pub nodes: u64,
    /// Statements of the trace; 0 if there is none.
    pub trace: usize,
    /// The trace, a statement a line.
    pub steps: &'r str,
    /// How many predicates were learnt from which source.
    pub learnt: &'r [(Source, usize)],
}

/// An arbitrary value of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Where it comes from; none where it is a value that nobody has assigned, or an argument of the first procedure.
    pub call: Option<InputKind>,
    /// Where it is asked for.
    pub place: Place,
    /// The value; of a pointer 0 for NULL and 1 for any other.
    pub value: i128,
    /// Its type.
    pub ty: TypeId,
    /// The scalar of a variable of which it is the value, if nobody has assigned that. Values of single bytes have none.
    pub scalar: Option<Subobject>,
    /// How often that variable had been declared before, if it is a local.
    pub life: u32,
}

impl Input {
    /// As readers are told of it.
    pub fn told(&self, program: &Program) -> run::Input {
        let Place { line, column, .. } = self.place;
        let file = program.file(self.place).to_owned();
        let from = self.call.as_ref().map(ToString::to_string);
        run::Input { from, variable: self.variable(program), file, line, column, value: self.value }
    }

    /// The scalar of which it is the value, as C writes it, if nobody has assigned it.
    pub fn variable(&self, program: &Program) -> Option<String> {
        let scalar = self.scalar.filter(|_| self.call.is_none())?;
        Some(scalar.name(program))
    }

    /// What it is, in words.
    pub fn origin(&self, program: &Program) -> String {
        let is_argument = |scalar: &Subobject| program.procedure(program.main).formals.contains(&scalar.variable);
        match (&self.call, self.variable(program)) {
            (Some(kind @ (InputKind::Returned(_) | InputKind::Allocated(_))), _) => format!("{kind}()"),
            (Some(kind), _) => kind.to_string(),
            (None, Some(name)) if self.scalar.as_ref().is_some_and(is_argument) => format!("argument {name}"),
            (None, Some(name)) => format!("{name}, unassigned"),
            (None, None) => "a value that nobody has assigned".to_owned(),
        }
    }

    /// Whether it says whether an allocation fails.
    pub fn is_allocation(&self) -> bool {
        matches!(self.call, Some(InputKind::Allocated(_)))
    }

    /// Whether readers want to know it: allocations that succeed are nothing to speak of.
    pub fn is_told(&self) -> bool {
        self.is_own() && !(self.is_allocation() && self.value != 0)
    }

    /// Whether it is a choice between orders of evaluation.
    pub fn is_order(&self) -> bool {
        self.call == Some(InputKind::Order)
    }

    /// Whether it is an input of the program: no choice of what C leaves open.
    pub fn is_own(&self) -> bool {
        !matches!(self.call, Some(InputKind::Order | InputKind::Unspecified(_)))
    }

    /// The procedure of the library that chooses it, if one does.
    pub fn unspecified(&self) -> Option<&str> {
        match &self.call {
            Some(InputKind::Unspecified(name)) => Some(name),
            _ => None,
        }
    }
}

/// A run of the program that the judge has executed: by its inputs it can be executed again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    /// The arbitrary values for which it asks, in order.
    pub inputs: Vec<Input>,
    /// How many statements were executed.
    pub steps: u64,
    /// How it goes on from there.
    pub onward: Onward,
}

/// How a run goes on from where its execution was left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Onward {
    /// Not: it has failed there, or has got to where it was to get.
    Over,
    /// For ever: the state there was there after so many statements, too, as the judge has seen.
    Repeats(u64),
    /// For ever: it is in one of some states from each of which it is proved that a run goes on to one of them.
    Recurs(Recurrent),
}

impl Execution {
    /// A run that is over after so many statements.
    pub fn over(inputs: Vec<Input>, steps: u64) -> Execution {
        Execution { inputs, steps, onward: Onward::Over }
    }

    /// The run that the judge has seen end.
    pub fn ended(outcome: &interpreter::Outcome) -> Execution {
        Execution::over(outcome.inputs.iter().map(judge::input).collect(), outcome.steps)
    }

    /// The run of which the judge has seen that it goes on for ever.
    pub(super) fn forever(seen: &Forever) -> Execution {
        let inputs = seen.inputs.iter().map(judge::input).collect();
        Execution { inputs, steps: seen.steps, onward: Onward::Repeats(seen.stem) }
    }
}

/// What is known of the program: that no run fails, that this one does, or why neither is known.
pub type Verdict = verdict::Verdict<Execution, Reason>;

/// Whether what is known at each statement was proved about the C program, without the abstraction from which it is known that it holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Proof {
    /// It is not said that it holds.
    #[default]
    Nothing,
    /// It was, by so many implications.
    Again(usize),
    /// It was not, because of this.
    Once(Unproved),
    /// Nothing was abstracted: the only run was executed, of so many steps.
    Executed(u64),
}

impl Proof {
    /// What two parts of an answer need.
    pub(super) fn and(self, other: Proof) -> Proof {
        match (self, other) {
            (Proof::Nothing, other) | (other, Proof::Nothing) => other,
            (Proof::Again(some), Proof::Again(more)) => Proof::Again(some + more),
            (Proof::Once(why), _) | (_, Proof::Once(why)) => Proof::Once(why),
            (Proof::Executed(steps), _) | (_, Proof::Executed(steps)) => Proof::Executed(steps),
        }
    }
}

/// The verdict, and what it took.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What is known.
    pub verdict: Verdict,
    /// How many abstractions were checked.
    pub rounds: usize,
    /// The predicates of the last one, as a file of predicates has them.
    pub predicates: String,
    /// Of a program that holds: where its runs may do what is undefined, past which none goes.
    pub undefined: Vec<(Undefined, Place)>,
    /// Of a program that holds: whether that was proved again.
    pub proof: Proof,
    /// Of a program in which nothing fails: the abstraction that shows it.
    pub held: Option<Arc<Held>>,
    /// Of a program of which invariants at cut points show that nothing fails: these.
    pub invariants: Option<Shown>,
}

/// Invariants at cut points that show that nothing fails.
#[derive(Clone, Debug)]
pub struct Shown {
    /// All that were proved.
    pub invariants: Vec<Invariant>,
    /// Which kind of candidates was added last.
    pub source: &'static str,
}

impl Outcome {
    /// That something holds of the only run, of so many steps.
    pub(super) fn executed(steps: u64) -> Outcome {
        Outcome { proof: Proof::Executed(steps), ..Outcome::at_once(Verdict::Holds) }
    }

    /// A verdict for which no abstraction was needed.
    pub fn at_once(verdict: Verdict) -> Outcome {
        Outcome {
            verdict,
            rounds: 0,
            predicates: String::new(),
            undefined: Vec::new(),
            proof: Proof::Nothing,
            held: None,
            invariants: None,
        }
    }
}
