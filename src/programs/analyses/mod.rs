//! What is known of a C program before anything is asked about it: points-to, MOD, the call graph, cut points. Each is computed once,
//! when somebody asks for it first, and only of what the entry reaches. A run has one of these for each program that it makes, handed from who
//! asks first to who asks last.

pub mod constants;
pub mod cut_points;
pub mod modified;

use std::sync::{Arc, OnceLock};

use crate::c::program::{ProcedureId, Program};
use crate::points_to::{PointsTo, points_to};

use constants::{Constants, constants};
use cut_points::{Cut, cuts};
use modified::{Modified, modified};

/// The analyses of one program, on demand. Expressions and types may join the program; with any other change it is another one
/// ([`Analyses::is_of`]).
pub struct Analyses {
    /// The program, as it was.
    program: Program,
    points_to: OnceLock<PointsTo>,
    modified: OnceLock<Modified>,
    cuts: OnceLock<Vec<Cut>>,
    constants: OnceLock<Constants>,
}

impl Analyses {
    /// Nothing is computed yet.
    pub fn of(program: &Program) -> Arc<Analyses> {
        Arc::new(Analyses {
            program: program.clone(),
            points_to: OnceLock::new(),
            modified: OnceLock::new(),
            cuts: OnceLock::new(),
            constants: OnceLock::new(),
        })
    }

    /// These, if they are of this program, else nothing is computed yet. Linear.
    pub fn shared(self: &Arc<Analyses>, program: &Program) -> Arc<Analyses> {
        if self.is_of(program) { self.clone() } else { Analyses::of(program) }
    }

    /// Whether this is still that program, to which at most expressions and types have joined. Linear.
    pub fn is_of(&self, program: &Program) -> bool {
        program.extends(&self.program)
    }

    /// Which pointers may point where.
    pub fn points_to(&self) -> &PointsTo {
        self.points_to.get_or_init(|| points_to(&self.program))
    }

    /// MOD: what each procedure and those that it calls may write.
    pub fn modified(&self) -> &Modified {
        self.modified.get_or_init(|| modified(&self.program, self.points_to()))
    }

    /// What is in variables that nobody writes.
    pub fn constants(&self) -> &Constants {
        self.constants.get_or_init(|| constants(&self.program, self.points_to(), self.modified()))
    }

    /// Cut points of loops and of recursion ([`cut_points`]).
    pub fn cuts(&self) -> &[Cut] {
        self.cuts.get_or_init(|| cuts(&self.program, self.points_to()))
    }

    /// Whether the entry may reach a procedure.
    pub fn is_reached(&self, procedure: ProcedureId) -> bool {
        self.points_to().is_reached(procedure)
    }
}

/// A program with what is known of it.
#[derive(Clone, Copy, Debug)]
pub struct Analysed<'p> {
    /// The program.
    pub program: &'p Program,
    /// What is known.
    pub analyses: &'p Arc<Analyses>,
}

impl<'p> Analysed<'p> {
    /// Both.
    pub fn of(program: &'p Program, analyses: &'p Arc<Analyses>) -> Analysed<'p> {
        Analysed { program, analyses }
    }
}

impl std::fmt::Debug for Analyses {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Analyses").finish_non_exhaustive()
    }
}
