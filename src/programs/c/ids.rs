//! By which numbers the parts of a program are known.

/// A variable: an index into [`super::program::Program::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableId(pub u32);

/// A procedure: an index into [`super::program::Program::procedures`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcedureId(pub u32);

/// A statement: an index into [`super::program::Procedure::body`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(pub u32);

/// A statement of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StatementId {
    /// The procedure of which it is.
    pub procedure: ProcedureId,
    /// Which of its statements.
    pub label: Label,
}

impl StatementId {
    /// A statement of a procedure.
    pub fn of(procedure: ProcedureId, label: Label) -> StatementId {
        StatementId { procedure, label }
    }

    /// The first one of a procedure.
    pub fn first(procedure: ProcedureId) -> StatementId {
        StatementId { procedure, label: Label(0) }
    }
}

/// An index into [`super::program::Program::reasons`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReasonId(pub u32);
