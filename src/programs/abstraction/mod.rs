//! c2bp: a C- program and predicates become a Boolean program that has every run of the C program (Ball, Majumdar, Millstein and
//! Rajamani, *Automatic predicate abstraction of C programs*, PLDI 2001; T. Ball's lectures on software model checking).
//!
//! Each predicate is a Boolean variable: global if it reads globals only, else local to one procedure. A statement updates those whose
//! weakest precondition is not themselves; a condition e becomes `assume` of the weakest condition over the predicates that e implies. A
//! procedure returns those of its predicates that only speak of its result, of globals and of values at its entry (its signature),
//! and its caller decides from them, and from what it knew before the call, what holds after it.
//!
//! Between a return and the update after it predicates are stale. Those steps are none of the C program's: the Boolean program
//! promises the same verdict for assertions and reachability only.

mod names;

mod demanded;
mod known;
mod lifetime;

pub mod boolean;

mod blocks;

mod query;

pub mod predicate;

mod influential;
mod remembered;

mod tracked;
mod typed;

pub mod outside;
pub mod read;

mod procedure;

mod call;

mod undefined;

mod reuse;

mod observed;

pub mod tree;

pub mod system;

pub mod induction;

pub mod shorter;

use crate::bitvec::Bounds;
use crate::c::program::{Overflow, ProcedureId, Program};

pub use self::observed::{Transition, Valuation};
pub use self::predicate::{Predicate, PredicateId};
pub use self::reuse::Reuse;
pub use self::system::{Origin, System};
pub use self::undefined::UndefinedPoint;

/// How updates are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Method {
    /// Exactly while few predicates have to do with each other, else each by itself.
    #[default]
    Auto,
    /// Each predicate by itself, by cubes.
    Cartesian,
    /// As a relation between all that have to do with each other.
    Exact,
}

/// What is taken as one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Edges {
    /// A statement.
    #[default]
    Statement,
    /// A path between cut points ([`crate::transition::blocks`]), no longer than can be said exactly of the predicates that it touches.
    Path,
    /// A path from one cut point to the next, whatever it touches, unless there are too many of them: what cannot be said exactly is decided
    /// predicate by predicate.
    Loop,
}

/// How hard to try.
#[derive(Clone)]
pub struct Tuning {
    /// How updates are computed.
    pub method: Method,
    /// The greatest number of literals in a cube; fewer where many predicates have to do with each other.
    pub cubes: usize,
    /// For each query.
    pub bounds: Bounds,
    /// Whether it is said at each statement that no run goes past what is undefined there. Where that was asked just before, it need not be.
    pub blocking: bool,
    /// What is taken as one step.
    pub edges: Edges,
}

impl Default for Tuning {
    fn default() -> Tuning {
        Tuning { method: Method::Auto, cubes: 3, bounds: Bounds::default(), blocking: true, edges: Edges::Statement }
    }
}

/// The abstraction of a program by predicates: of the procedures that its entry may reach.
#[cfg_attr(feature = "whole", expect(dead_code, reason = "the command abstracts again and again; tests do not"))]
pub fn abstracted(
    program: &Program,
    predicates: &[Predicate],
    overflow: Overflow,
    tuning: &Tuning,
) -> boolean::Program {
    abstracted_again(program, predicates, overflow, tuning, &mut Reuse::new(program))
}

/// The same, with what is known from abstractions of the same program by other predicates. The result is that of [`abstracted`].
pub fn abstracted_again(
    program: &Program,
    predicates: &[Predicate],
    overflow: Overflow,
    tuning: &Tuning,
    reuse: &mut Reuse,
) -> boolean::Program {
    translated(program, predicates, overflow, tuning, None, reuse).0
}

/// Those of the predicates that can have influence on a condition of the program, in the same order: without the others the
/// verdicts on its abstraction are the same.
pub fn influential(
    program: &Program,
    predicates: &[Predicate],
    overflow: Overflow,
    reuse: &mut Reuse,
) -> Vec<Predicate> {
    influential::influential(program, reuse.of(program).analyses.points_to(), predicates, overflow)
}

/// The predicates without those about values at entry that tell no caller of the procedure anything, in the same order. Where updates are exact,
/// the verdicts on the abstraction are the same without them.
pub fn remembered(program: &Program, predicates: &[Predicate], reuse: &mut Reuse) -> Vec<Predicate> {
    remembered::remembered(program, &reuse.of(program).analyses, predicates)
}

/// The same as [`abstracted_again`] with a label for each place where a run may do something undefined past which none goes.
pub fn abstracted_with_undefined_points(
    program: &Program,
    predicates: &[Predicate],
    overflow: Overflow,
    tuning: &Tuning,
    reuse: &mut Reuse,
) -> (boolean::Program, Vec<UndefinedPoint>) {
    translated(program, predicates, overflow, tuning, Some(Vec::new()), reuse)
}

fn translated(
    program: &Program,
    predicates: &[Predicate],
    overflow: Overflow,
    tuning: &Tuning,
    asked: Option<Vec<UndefinedPoint>>,
    reuse: &mut Reuse,
) -> (boolean::Program, Vec<UndefinedPoint>) {
    let Reuse { analyses, memo, procedures: made, observed, known } = reuse.of(program);
    let mut abstraction = procedure::Abstraction::new(program, analyses, predicates, overflow, tuning, memo);
    abstraction.asked = asked;
    abstraction.observed = Some(observed);
    abstraction.known = Some(known);
    let globals = abstraction.globals();
    let all = (0..).map(ProcedureId).take(program.procedures.len());
    let looked_at = all.filter(|&id| program.procedure(id).body.is_some() && analyses.is_reached(id));
    let mut procedures: Vec<boolean::Procedure> = Vec::new();
    for id in looked_at {
        procedures.push(made.procedure(&mut abstraction, id));
        if abstraction.is_cut {
            break;
        }
    }
    let main = abstraction.name(program.main);
    let (meanings, is_cut) = (abstraction.meanings(&procedures), abstraction.is_cut);
    (boolean::Program { globals, procedures, main, meanings, is_cut }, abstraction.asked.unwrap_or_default())
}
