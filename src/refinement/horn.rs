//! A program as constrained Horn clauses, which a solver of these may solve: the summaries that it finds are made of conditions, and
//! those are candidates for predicates (Grebenshchikov, Lopes, Popeea and Rybalchenko, *Synthesizing software verifiers from proof
//! rules*, PLDI 2012; the solver that this is written for is Spacer: Komuravelli, Gurfinkel and Chaki, CAV 2014).
//!
//! Machine integers are taken for integers here, and what is not linear, or not in a variable of its own, for any value.

mod clauses;

mod frames;

mod model;

use std::rc::Rc;

use crate::c::Program;
use crate::c::expression::{ExpressionId, ExpressionKind};
use crate::c::program::ProcedureId;

use super::interpolate::{Width, comparison, whole};
use super::simplex::Form;
use super::transport::Local;

use clauses::clauses;
use frames::Word;
use model::atoms;

/// Who solves clauses: it is given a script in SMT-LIB 2 (logic HORN) that asks for a model, and answers as such solvers do; none if it
/// has no answer. What it says is never believed.
pub type Donor = Rc<dyn Fn(&str) -> Option<String>>;

/// A relation between values at a place of a procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Relation {
    procedure: ProcedureId,
    words: Vec<Word>,
}

/// The clauses of a program.
#[derive(Clone, Debug)]
pub struct Horn {
    /// As a script that asks for a model.
    pub script: String,
    /// What the relations `r0`, `r1`, … are.
    relations: Vec<Relation>,
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
        let mut found = Vec::new();
        for atom in atoms(answer) {
            let Some(relation) = self.relations.get(atom.relation) else { continue };
            if let Some(condition) = condition(program, relation, &atom.form, atom.is_bound) {
                found.push((relation.procedure, condition));
            }
        }
        found
    }
}

/// What somebody knows about a program; nothing where nobody is asked, or there is no answer.
pub(super) fn donated(program: &mut Program, donor: &Donor) -> Vec<Local> {
    let Some(horn) = Horn::of(program) else { return Vec::new() };
    let Some(answer) = donor(&horn.script) else { return Vec::new() };
    horn.conditions(program, &answer)
}

/// That a form is not positive, or that it is 0, in C.
fn condition(program: &mut Program, relation: &Relation, form: &Form, is_bound: bool) -> Option<ExpressionId> {
    let (mut parts, mut constant) = whole(form, is_bound)?;
    if is_bound && constant > 0 {
        // Said the other way round it has a smaller constant: x + 1 <= y is not y <= x.
        parts.iter_mut().for_each(|(_, by)| *by = -*by);
        constant = 1 - constant;
    }
    let plain = constant == 0 && parts.len() <= 2 && parts.iter().all(|(_, by)| by.abs() == 1);
    let mut spelled = Vec::new();
    for &(argument, by) in &parts {
        let word = *relation.words.get(argument)?;
        spelled.push((by, word.spelled(program, relation.procedure)));
    }
    // Where nothing is computed, nothing wraps around; and equations survive it.
    let width = if plain || !is_bound { Width::Own } else { Width::Wide };
    comparison(program, &spelled, constant, is_bound, width)
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
