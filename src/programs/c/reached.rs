//! Procedures that the entry may reach: what is never called, and never mentioned where it could be called from, is not looked at.

use rustc_hash::FxHashSet;

use super::expression::{ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term};
use super::program::{Callee, ProcedureId, Program, Statement, StatementKind, VariableId};

/// The procedures that the entry may reach, an over-approximation that needs no pointers to be followed.
#[derive(Clone, Debug)]
pub struct Reached {
    /// For each procedure, whether the entry may reach it.
    pub procedures: Vec<bool>,
    /// For each procedure, whether its address is taken where the entry may reach, or by an initial value that it may read.
    pub taken: Vec<bool>,
    /// For each variable, whether it is mentioned where the entry may reach, or by such an initial value.
    pub variables: Vec<bool>,
}

/// A procedure is reached if a reached one calls it or takes its address, or reads a variable whose initial value has it. With `all`
/// every address counts as taken that another file may take, or that is mentioned anywhere: where a pointer of which nothing is known is
/// called. Linear in the program.
pub fn reached(program: &Program, all: bool) -> Reached {
    reached_from(program, &[program.main], all)
}

/// The same from these procedures.
pub fn reached_from(program: &Program, roots: &[ProcedureId], all: bool) -> Reached {
    let count = program.procedures.len();
    let taken = if all { open(program) } else { vec![false; count] };
    let mut search = Search {
        program,
        found: Reached {
            procedures: vec![false; count],
            taken: taken.clone(),
            variables: vec![false; program.variables.len()],
        },
        terms: FxHashSet::default(),
        open: Vec::new(),
    };
    roots.iter().for_each(|root| search.enter(*root));
    (0..count as u32).map(ProcedureId).filter(|id| taken[id.0 as usize]).for_each(|id| search.enter(id));
    search.finished()
}

/// The procedures that may be called from anywhere: those that other files can name, and those whose address is mentioned.
fn open(program: &Program) -> Vec<bool> {
    let mut open: Vec<bool> = program.procedures.iter().map(|procedure| !procedure.internal).collect();
    for expression in program.terms.expressions() {
        if let ExpressionKind::Procedure(id) = expression.kind {
            open[id.0 as usize] = true;
        }
    }
    open
}

struct Search<'p> {
    program: &'p Program,
    found: Reached,
    terms: FxHashSet<Term>,
    open: Vec<ProcedureId>,
}

impl Search<'_> {
    fn finished(mut self) -> Reached {
        let program = self.program;
        let mut given: Vec<(VariableId, LvalueId, ExpressionId)> = Vec::new();
        for &(to, value) in &program.initial {
            given.extend(program.terms.variable_of(to).map(|variable| (variable, to, value)));
        }
        for one in &program.unrepresented {
            let exact = program.terms.variable_of(one.to).zip(one.exact);
            given.extend(exact.map(|(variable, value)| (variable, one.to, value)));
        }
        loop {
            while let Some(id) = self.open.pop() {
                program.procedure(id).body.iter().flatten().for_each(|statement| self.statement(statement));
            }
            let (now, later): (Vec<_>, Vec<_>) =
                given.into_iter().partition(|(variable, ..)| self.found.variables[variable.0 as usize]);
            given = later;
            if now.is_empty() {
                return self.found;
            }
            for (_, to, value) in now {
                self.mention(Term::Lvalue(to));
                self.mention(Term::Expression(value));
            }
        }
    }

    fn enter(&mut self, id: ProcedureId) {
        if !std::mem::replace(&mut self.found.procedures[id.0 as usize], true) {
            self.open.push(id);
            // In it a structure is returned to whoever calls, and read there.
            let result = self.program.procedure(id).result_in;
            result.into_iter().for_each(|variable| self.found.variables[variable.0 as usize] = true);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        if let StatementKind::Call(_, Callee::Procedure(callee), _) = &statement.kind {
            self.enter(*callee);
        }
        for term in statement.kind.terms() {
            self.mention(term);
        }
        if let StatementKind::Havoc(_, _, Some(exact)) | StatementKind::Unseen(_, _, Some(exact)) = statement.kind {
            self.mention(Term::Expression(exact));
        }
    }

    fn mention(&mut self, root: Term) {
        let program = self.program;
        let mut open = vec![root];
        while let Some(term) = open.pop() {
            if !self.terms.insert(term) {
                continue;
            }
            open.extend(program.terms.parts(term));
            match term {
                Term::Expression(id) => {
                    if let ExpressionKind::Procedure(procedure) = program.terms.get(id).kind {
                        self.found.taken[procedure.0 as usize] = true;
                        self.enter(procedure);
                    }
                }
                Term::Lvalue(id) => {
                    if let LvalueKind::Variable(variable) = program.terms.at(id).kind {
                        self.found.variables[variable.0 as usize] = true;
                    }
                }
            }
        }
    }
}
