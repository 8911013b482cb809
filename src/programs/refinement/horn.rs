//! Constrained Horn clauses (CHC) of a program, which a solver of these may solve: the summaries that it finds are made of conditions, and
//! those are candidates for predicates (Grebenshchikov, Lopes, Popeea and Rybalchenko, *Synthesizing software verifiers from proof
//! rules*, PLDI 2012; the solver that this is written for is Spacer: Komuravelli, Gurfinkel and Chaki, CAV 2014).
//!
//! Machine integers are taken for integers here, and what is not linear, or not in a variable of its own, for any value.

mod clauses;

mod frames;

mod model;

use std::collections::HashSet;
use std::rc::Rc;

use crate::abstraction::predicate::{guards, reads};
use crate::c::Program;
use crate::c::expression::{ExpressionId, ExpressionKind};
use crate::c::program::{ProcedureId, VariableId};

use super::interpolate::{Width, comparison, whole};
use super::transport::Local;

use clauses::clauses;
use frames::Word;
use model::{Atom, atoms};

/// Who solves clauses: it is given a script in SMT-LIB 2 (logic HORN) that asks for a model, and answers as such solvers do; none if it
/// has no answer. What it says is never believed.
pub type Donor = Rc<dyn Fn(&str) -> Option<String>>;

/// A relation between values at a place of a procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
struct RelationSymbol {
    procedure: ProcedureId,
    words: Vec<Word>,
}

/// The clauses of a program.
#[derive(Clone, Debug)]
pub struct Horn {
    /// As a script that asks for a model.
    pub script: String,
    /// What the relations `r0`, `r1`, … are.
    relations: Vec<RelationSymbol>,
}

impl Horn {
    /// Those of a program; none where nothing in it can fail, or it is too large. Linear in what is written, which is at most all values
    /// of a procedure for each of its blocks.
    pub fn of(program: &Program) -> Option<Horn> {
        let (script, relations) = clauses(program)?;
        Some(Horn { script, relations })
    }

    /// The conditions in an answer, and of which procedures they are; none if it is no model.
    pub fn conditions(&self, program: &mut Program, answer: &str) -> Vec<Local> {
        let sums: Vec<Sum> = atoms(answer).iter().filter_map(Sum::of).collect();
        let mut found = Vec::new();
        for sum in &sums {
            let Some(relation) = self.relations.get(sum.relation) else { continue };
            // What is said from both sides is an equation.
            let opposite = sum.opposite().filter(|opposite| sum.is_bound && sums.contains(opposite));
            let first = sum.parts.first().is_some_and(|&(_, by)| by > 0);
            let equation = opposite.as_ref().filter(|_| first).map(|_| Sum { is_bound: false, ..sum.clone() });
            let bound = (opposite.is_none() || sum.is_plain()).then(|| sum.clone());
            for sum in [equation, bound].into_iter().flatten() {
                found.extend(sum.condition(program, relation).map(|condition| (relation.procedure, condition)));
            }
        }
        found
    }
}

/// A comparison of a sum of arguments and a constant with 0.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sum {
    relation: usize,
    parts: Vec<(usize, i128)>,
    constant: i128,
    /// That it is not positive; else that it is 0.
    is_bound: bool,
}

impl Sum {
    fn of(atom: &Atom) -> Option<Sum> {
        let (parts, constant) = whole(&atom.form, atom.is_bound)?;
        Some(Sum { relation: atom.relation, parts, constant, is_bound: atom.is_bound })
    }

    /// That it is not negative; none if numbers do not fit.
    fn opposite(&self) -> Option<Sum> {
        let parts: Option<Vec<(usize, i128)>> =
            self.parts.iter().map(|&(argument, by)| Some((argument, by.checked_neg()?))).collect();
        Some(Sum { parts: parts?, constant: self.constant.checked_neg()?, ..self.clone() })
    }

    /// Whether nothing has to be computed.
    fn is_plain(&self) -> bool {
        self.constant == 0 && self.parts.len() <= 2 && self.parts.iter().all(|(_, by)| by.unsigned_abs() == 1)
    }

    /// The same, or that it does not hold, in C.
    fn condition(&self, program: &mut Program, relation: &RelationSymbol) -> Option<ExpressionId> {
        // Said the other way round the constant may be smaller: x + 1 <= y is not y <= x.
        let turned = self.opposite().filter(|_| self.is_bound && self.constant > 0);
        let turned = turned.map(|sum| Sum { constant: sum.constant + 1, ..sum });
        let sum = turned.as_ref().unwrap_or(self);
        let mut spelled = Vec::new();
        for &(argument, by) in &sum.parts {
            let word = *relation.words.get(argument)?;
            spelled.push((by, word.spelled(program, relation.procedure)));
        }
        // Where nothing is computed, nothing wraps around; and equations survive it.
        let width = if sum.is_plain() || !sum.is_bound { Width::Own } else { Width::Wide };
        comparison(program, &spelled, sum.constant, sum.is_bound, width)
    }
}

/// What somebody knows about a program; nothing where nobody is asked, or there is no answer.
pub(super) fn donated(program: &mut Program, donor: &Donor) -> Vec<Local> {
    let Some(horn) = Horn::of(program) else { return Vec::new() };
    let Some(answer) = donor(&horn.script) else { return Vec::new() };
    let mut given = horn.conditions(program, &answer);
    let besides = about_the_same(program, &given);
    given.extend(besides);
    given
}

/// The conditions of the program about values of which some are given: clauses have them, so what was given may hold only with them.
fn about_the_same(program: &Program, given: &[Local]) -> Vec<Local> {
    let variables = |condition| reads(program, condition).now.into_iter();
    let spoken: HashSet<VariableId> = given.iter().flat_map(|&(_, condition)| variables(condition)).collect();
    let guards = guards(program).into_iter();
    let same = guards.filter(|guard| variables(guard.expression).any(|variable| spoken.contains(&variable)));
    same.map(|guard| (guard.scope.unwrap_or(program.main), guard.expression)).collect()
}

impl Word {
    /// As an expression of a procedure.
    fn spelled(self, program: &mut Program, procedure: ProcedureId) -> ExpressionId {
        match self {
            Word::Now(lvalue) => {
                let ty = program.terms.at(lvalue).ty;
                program.terms.expression(ExpressionKind::Read(lvalue), ty)
            }
            Word::Before(lvalue) => {
                let ty = program.terms.at(lvalue).ty;
                program.terms.expression(ExpressionKind::Pre(lvalue), ty)
            }
            Word::Result => {
                let ty = program.procedure(procedure).result;
                program.terms.expression(ExpressionKind::Result, ty)
            }
        }
    }
}
