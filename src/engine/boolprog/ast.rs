//! The tree of a Boolean program, in arenas.
//!
//! Nothing here owns another node: statements, expressions and lists are pieces of a few long vectors, addressed by
//! 32-bit indices, so that a program of a million statements is a dozen allocations, and cloning or dropping a tree
//! nested 100,000 deep recurses nowhere.
//!
//! The parser leaves names ([`Op::Name`], [`Assignee::Name`], [`Callee::Name`], [`Destination::Name`]);
//! [`super::resolve`] replaces each of them, in place, by what it stands for.

use std::num::NonZeroU32;
use std::ops::Range;

use spds_format::expr::Time;
use spds_format::model::Name;

/// Index into [`Ast::names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameId(pub u32);

/// A statement: an index into [`Ast::statements`]. Statements are numbered in the order of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StmtId(NonZeroU32);

impl StmtId {
    /// The statement with that index.
    pub fn new(index: usize) -> StmtId {
        let number = u32::try_from(index).ok().and_then(|i| NonZeroU32::new(i.wrapping_add(1)));
        StmtId(number.expect("a text of at most 4 GiB has fewer statements than that"))
    }

    /// Its index.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// A contiguous piece of one of the arenas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Piece {
    /// The first index.
    pub start: u32,
    /// The index after the last.
    pub end: u32,
}

impl Piece {
    /// As a range of indices.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// How many elements it has.
    pub fn len(self) -> usize {
        self.range().len()
    }

    /// Whether it has none.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// An expression: a piece of [`Ast::nodes`] in postorder, operands before their operator, the root last; never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Expression(pub Piece);

/// One operation of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// What it is.
    pub op: Op,
    /// Where it stands in the text (a byte offset).
    pub at: u32,
}

/// Operations of expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `0`, `1`, `F`, `T`.
    Const(bool),
    /// `*`, or `?` where it stands for a choice: an arbitrary value, drawn afresh at each evaluation.
    Any,
    /// A name as written; `'x` at time `After`. Gone after resolution.
    Name(NameId, Time),
    /// The global with this index in [`Ast::globals`].
    Global(u32, Time),
    /// The variable with this index among its procedure's ([`Procedure::variables`]).
    Local(u32, Time),
    /// `!`, `~`
    Not,
    /// `&`, `&&`
    And,
    /// `|`, `||`
    Or,
    /// `^`
    Xor,
    /// `=>`, `->`
    Implies,
    /// `=`
    Eq,
    /// `!=`, `<>`
    Ne,
    /// `c ? a : b`, operands in the order c, a, b.
    Ite,
    /// `schoose[a, b]`: 1 if a, else 0 if b, else arbitrary.
    Choose,
}

impl Op {
    /// How many operands it has.
    pub fn arity(self) -> usize {
        match self {
            Op::Const(_) | Op::Any | Op::Name(..) | Op::Global(..) | Op::Local(..) => 0,
            Op::Not => 1,
            Op::And | Op::Or | Op::Xor | Op::Implies | Op::Eq | Op::Ne | Op::Choose => 2,
            Op::Ite => 3,
        }
    }
}

/// A declared variable or parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declared {
    /// Its name.
    pub name: NameId,
    /// Where it is declared.
    pub at: u32,
    /// Its value at the start (a global) or at every call (a local): `None` is any.
    pub initial: Option<bool>,
}

/// A procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Procedure {
    /// Its name.
    pub name: NameId,
    /// Where the name stands.
    pub at: u32,
    /// How many values it returns: 0 for `void`, n for `bool<n>`; `None` for a procedure without a type (the Bebop
    /// paper's form), for which resolution infers it from its returns.
    pub results: Option<u32>,
    /// Its parameters and then its locals, in the order of declaration: a piece of [`Ast::locals`].
    pub variables: Piece,
    /// How many of them are parameters.
    pub parameters: u32,
    /// Conditions that every configuration with this procedure on top satisfies (`enforce` at its head): a piece of
    /// [`Ast::expressions`].
    pub enforced: Piece,
    /// All of its statements, nested ones too: a piece of [`Ast::statements`], in the order of the text.
    pub statements: Piece,
    /// The first statement of its body; the others follow by [`Stmt::next`].
    pub body: Option<StmtId>,
    /// Its labels: a piece of [`Ast::labels`], sorted by target.
    pub labels: Piece,
    /// Where its `end` stands.
    pub end: u32,
}

/// A label and what it labels: the statement to which control comes next from where it stands. So a label before `fi`
/// or `else` labels what follows the `if`, one before `od` the test of the loop, one before `end` the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// The label; numbers of `.nbp` files are names like others.
    pub name: NameId,
    /// Where it stands.
    pub at: u32,
    /// The statement labelled; `None` for the end of the procedure.
    pub target: Option<StmtId>,
}

/// A statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where it begins (its first word, not its label).
    pub at: u32,
    /// The next statement of the same block. At the end of a block, control goes on after the `if`, to the test of the
    /// `while`, or to the end of the procedure.
    pub next: Option<StmtId>,
    /// The `if` or `while` in whose block it stands; `None` in the procedure's own.
    pub parent: Option<StmtId>,
}

/// Kinds of statements. Each is one step of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StmtKind {
    /// `skip`; also `sync`, which has no effect.
    Skip,
    /// `x, y := e, f constrain c`: an index into [`Ast::assigns`].
    Assign(u32),
    /// `f(..)` and `x, y := f(..)`: an index into [`Ast::calls`].
    Call(u32),
    /// `assume(e)`: blocks unless e.
    Assume(Expression),
    /// `assert(e)`: fails unless e.
    Assert(Expression),
    /// `abortif e`: fails if e.
    AbortIf(Expression),
    /// The statement `constrain(c)`: every variable arbitrary but for c.
    Constrain(Expression),
    /// `enforce e` in the midst of a block: blocks unless e, and so does every assignment (not a call) that follows in its
    /// block, blocks nested in it included, after which e would not hold.
    Enforce(Expression),
    /// `print(e, ..)`, without effect: a piece of [`Ast::expressions`].
    Print(Piece),
    /// `dead e, ..`, without effect: a piece of [`Ast::expressions`].
    Dead(Piece),
    /// `goto L, M`: a piece of [`Ast::jumps`].
    Goto(Piece),
    /// `return e, ..`: a piece of [`Ast::expressions`], perhaps empty.
    Return(Piece),
    /// `if`: an index into [`Ast::tests`]. An `elsif` is an `if` that is alone in the other branch.
    If(u32),
    /// `while`: an index into [`Ast::tests`].
    While(u32),
}

/// The condition and the blocks of an `if` or `while`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Test {
    /// The condition.
    pub condition: Expression,
    /// The first statement of the `then` branch or of the body; `None` if it is empty.
    pub first: Option<StmtId>,
    /// The first statement of the `else` branch, or the `elsif`; `None` for a `while`.
    pub otherwise: Option<StmtId>,
}

/// An assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assign {
    /// What is assigned: a piece of [`Ast::targets`].
    pub targets: Piece,
    /// The values: a piece of [`Ast::expressions`].
    pub values: Piece,
    /// The clause `constrain c`.
    pub constrain: Option<Expression>,
}

/// A call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The procedure called.
    pub callee: Callee,
    /// Where its name stands.
    pub at: u32,
    /// What the results are stored in: a piece of [`Ast::targets`]; empty also if they are discarded.
    pub targets: Piece,
    /// The arguments: a piece of [`Ast::expressions`].
    pub arguments: Piece,
}

/// Whom a call calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// As written. Gone after resolution.
    Name(NameId),
    /// Index into [`Ast::procedures`].
    Procedure(u32),
}

/// What an assignment assigns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The variable.
    pub place: Assignee,
    /// Where it stands.
    pub at: u32,
}

/// A variable on the left of `:=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assignee {
    /// `_`: the value is thrown away.
    Discard,
    /// As written. Gone after resolution.
    Name(NameId),
    /// Index into [`Ast::globals`].
    Global(u32),
    /// Index among the procedure's variables.
    Local(u32),
}

/// One target of a `goto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jump {
    /// Where it goes.
    pub to: Destination,
    /// Where it stands.
    pub at: u32,
}

/// Where a `goto` goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// As written. Gone after resolution.
    Name(NameId),
    /// To a statement.
    Statement(StmtId),
    /// To the end of the procedure.
    End,
}

/// The first construct of threads in a text. (The tree has a `skip` in the place of such statements.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadUse {
    /// Where it stands: a range of bytes.
    pub start: u32,
    /// The end of that range.
    pub end: u32,
}

/// A Boolean program.
#[derive(Clone, Debug, Default)]
pub struct Ast {
    /// All names, each once.
    pub names: Vec<Name>,
    /// Global variables, in the order of declaration.
    pub globals: Vec<Declared>,
    /// Procedures, in the order of the text.
    pub procedures: Vec<Procedure>,
    /// Parameters and locals of all procedures.
    pub locals: Vec<Declared>,
    /// Statements, in the order of the text.
    pub statements: Vec<Stmt>,
    /// Labels, procedure by procedure.
    pub labels: Vec<Label>,
    /// Nodes of expressions.
    pub nodes: Vec<Node>,
    /// Lists of expressions.
    pub expressions: Vec<Expression>,
    /// Left-hand sides.
    pub targets: Vec<Target>,
    /// Targets of `goto`.
    pub jumps: Vec<Jump>,
    /// Conditions and blocks of `if` and `while`.
    pub tests: Vec<Test>,
    /// Assignments.
    pub assigns: Vec<Assign>,
    /// Calls.
    pub calls: Vec<Call>,
    /// The first use of threads.
    pub threads: Option<ThreadUse>,
}

impl Ast {
    /// The text of a name.
    pub fn name(&self, id: NameId) -> &Name {
        &self.names[id.0 as usize]
    }

    /// The statement.
    pub fn statement(&self, id: StmtId) -> &Stmt {
        &self.statements[id.index()]
    }

    /// The operations of an expression, in postorder.
    pub fn nodes(&self, expression: Expression) -> &[Node] {
        &self.nodes[expression.0.range()]
    }

    /// A list of expressions.
    pub fn list(&self, piece: Piece) -> &[Expression] {
        &self.expressions[piece.range()]
    }

    /// The parameters and locals of a procedure.
    pub fn variables(&self, procedure: &Procedure) -> &[Declared] {
        &self.locals[procedure.variables.range()]
    }
}
