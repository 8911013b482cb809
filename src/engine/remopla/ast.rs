//! The tree of a Remopla program, in arenas: nodes in long vectors, addressed by 32-bit indices, so that nothing recurses
//! over the depth of a program, not even to drop it.
//!
//! Variables are resolved and expressions are typed while they are read, because Remopla declares variables before use.
//! Labels and modules can be used before; [`super::resolve`] replaces their names in place.

use std::ops::Range;

use spds_format::expr::{Binary, Time};
use spds_format::model::{Name, Var};

pub use crate::boolprog::ast::{Piece, StmtId};

use super::declarations::{Declarations, Leaf};

/// An expression: a piece of [`Ast::nodes`] in postorder, operands before their operator, the root last; never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Expression(pub Piece);

/// One operation of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// What it is.
    pub op: Op,
    /// Where the part of the text begins that it is made of.
    pub at: u32,
    /// Where that part ends.
    pub end: u32,
}

impl Node {
    /// The bytes of the text that it is made of.
    pub fn span(&self) -> Range<usize> {
        self.at as usize..self.end as usize
    }
}

/// Operations of expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `true`, `false`
    Bool(bool),
    /// A number, or a constant by `define` or `enum`.
    Number(u64),
    /// A variable of a quantifier: an index into [`Ast::quantifiers`].
    Bound(u32),
    /// A scalar variable.
    Read(Var, Time),
    /// A cell of an array; so many operands are its indices, 1 or 2.
    Cell(Var, Time, u8),
    /// A whole array or struct, or an element of an array of structs: an index into [`Ast::wholes`]. With as many operands,
    /// its indices, as [`Whole::indices`] says. Always the root of its expression.
    Whole(u32),
    /// `!`
    Not,
    /// An operator between two operands.
    Binary(Binary),
    /// `A i (lo, hi) e`, `E i (lo, hi) e`: an index into [`Ast::quantifiers`].
    Quantified(u32),
}

/// A value that is more than one scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whole {
    /// Its first leaf.
    pub first: Var,
    /// How many leaves follow each other.
    pub leaves: u32,
    /// How many indices choose an element of each of them: 0, 1 or 2.
    pub indices: u8,
}

/// Which quantifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Which {
    /// `A`: for all.
    All,
    /// `E`: for some.
    Some,
}

/// `A i (lo, hi)` or `E i (lo, hi)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantifier {
    /// Which.
    pub which: Which,
    /// The least value.
    pub low: u64,
    /// The greatest value, not less.
    pub high: u64,
    /// Where it stands.
    pub at: u32,
}

impl Quantifier {
    /// How many values there are.
    pub fn count(&self) -> u64 {
        (self.high - self.low).saturating_add(1)
    }
}

/// A value to be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Of an expression.
    Of(Expression),
    /// `undef`: any.
    Undef,
    /// `x != e`: any but that of the expression.
    Except(Expression),
}

/// An assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assign {
    /// `A i (lo, hi)` and `E i (lo, hi)` before it, outermost first: a piece of [`Ast::prefixes`].
    pub quantifiers: Piece,
    /// What is assigned: an expression whose root is [`Op::Read`], [`Op::Cell`] or [`Op::Whole`].
    pub target: Expression,
    /// The value.
    pub value: Value,
}

/// A statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where it begins (its first word, not its label).
    pub at: u32,
    /// The next statement of the same block.
    pub next: Option<StmtId>,
    /// The `if` or `do` in one of whose clauses it stands.
    pub parent: Option<StmtId>,
    /// Whether it is the first of a clause and takes place in the same step as the clause is chosen: it is neither
    /// labelled nor an `if`, `do` or rule.
    pub folded: bool,
}

/// Kinds of statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StmtKind {
    /// `x = e, y = f`: a piece of [`Ast::assigns`].
    Assign(Piece),
    /// `f(..)` or `x = f(..)`: an index into [`Ast::calls`].
    Call(u32),
    /// `return`, `return e`.
    Return(Option<Expression>),
    /// An index into [`Ast::jumps`].
    Goto(u32),
    /// `break`
    Break,
    /// `skip`, `skip(e)`: blocks unless e.
    Skip(Option<Expression>),
    /// A piece of [`Ast::clauses`].
    If(Piece),
    /// A piece of [`Ast::clauses`].
    Do(Piece),
    /// `q <m> --> q <..>`: an index into [`Ast::raws`].
    Raw(u32),
}

/// `:: e -> …` or `:: else -> …`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The condition; `None` for `else`.
    pub guard: Option<Expression>,
    /// Where it stands.
    pub at: u32,
    /// Its first statement.
    pub first: StmtId,
}

/// A call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The name of the module called: an index into [`Ast::names`].
    pub name: u32,
    /// The module called, once it is resolved.
    pub module: u32,
    /// Where its name stands.
    pub at: u32,
    /// The arguments: a piece of [`Ast::values`].
    pub arguments: Piece,
    /// What the result is stored in, when the call has returned.
    pub result: Option<Expression>,
    /// What is assigned in the step of the call: a piece of [`Ast::assigns`].
    pub extra: Piece,
}

/// `goto`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jump {
    /// The label: an index into [`Ast::names`].
    pub name: u32,
    /// Where it stands.
    pub at: u32,
    /// Where it leads, once it is resolved.
    pub to: Point,
    /// What is assigned in that step: a piece of [`Ast::assigns`].
    pub extra: Piece,
}

/// A point of control that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Point {
    /// A statement.
    Statement(StmtId),
    /// The first point of a module.
    Module(u32),
    /// A stack symbol that only rules mention: an index into [`Ast::extra_symbols`].
    Symbol(u32),
}

/// `q <m> --> q <f m2> "label" (e)`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raw {
    /// The control location before: an index into [`Ast::controls`].
    pub from: u32,
    /// The control location after.
    pub to: u32,
    /// The names of the symbol before and of those after, topmost first: indices into [`Ast::names`], with places.
    pub symbols: [Option<(u32, u32)>; 3],
    /// What they stand for, once they are resolved.
    pub points: [Option<Point>; 3],
    /// The text for traces: a range of bytes, without quotes.
    pub label: Option<(u32, u32)>,
    /// Where the condition begins (its parenthesis), if there is one.
    pub condition_at: Option<u32>,
    /// The relation, once it is read.
    pub condition: Option<Expression>,
}

/// A parameter of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its first leaf among the module's.
    pub first: u32,
    /// How many it has.
    pub leaves: u32,
}

/// A module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Its name.
    pub name: Name,
    /// Where the name stands.
    pub at: u32,
    /// What it returns: a scalar, an array or the fields of a struct; empty for `void`.
    pub results: Vec<Leaf>,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// All of its statements, nested ones too, in the order of the text.
    pub statements: Piece,
    /// The first statement of its body.
    pub body: Option<StmtId>,
    /// Where its `}` stands.
    pub end: u32,
}

/// A piece of the outermost level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// A module: an index into [`Ast::modules`].
    Module(u32),
    /// Statements outside of modules, as many as follow each other.
    Outside(Piece),
}

/// A label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The label.
    pub name: Name,
    /// Where it stands.
    pub at: u32,
    /// The statement labelled.
    pub target: StmtId,
}

/// Where runs begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Init {
    /// The name: of a module, of a label, or of a symbol in rules.
    pub name: Name,
    /// Where it stands, if in the text.
    pub at: Option<u32>,
    /// What it stands for, once it is resolved.
    pub point: Point,
}

/// A Remopla program.
#[derive(Clone, Debug, Default)]
pub struct Ast {
    /// Constants, types and variables.
    pub declarations: Declarations,
    /// Names of labels, modules and symbols where they are used.
    pub names: Vec<Name>,
    /// The modules, in the order of the text; their numbers are those in [`Declarations::modules`].
    pub modules: Vec<Module>,
    /// Modules and statements, in the order of the text.
    pub items: Vec<Item>,
    /// Statements, in the order of the text.
    pub statements: Vec<Stmt>,
    /// Labels, in the order of their statements.
    pub labels: Vec<Label>,
    /// The initial stack, topmost first.
    pub init: Vec<Init>,
    /// Nodes of expressions.
    pub nodes: Vec<Node>,
    /// Wholes of which nodes speak.
    pub wholes: Vec<Whole>,
    /// Quantifiers of which nodes and prefixes speak.
    pub quantifiers: Vec<Quantifier>,
    /// Lists of quantifiers: indices into [`Ast::quantifiers`].
    pub prefixes: Vec<u32>,
    /// Lists of arguments.
    pub values: Vec<Value>,
    /// Lists of assignments.
    pub assigns: Vec<Assign>,
    /// Clauses of `if` and `do`.
    pub clauses: Vec<Clause>,
    /// Calls.
    pub calls: Vec<Call>,
    /// Targets of `goto`.
    pub jumps: Vec<Jump>,
    /// Rules.
    pub raws: Vec<Raw>,
    /// Control locations; the first is that of all statements.
    pub controls: Vec<Name>,
    /// Stack symbols that only rules mention, with the place of the first mention.
    pub extra_symbols: Vec<(Name, u32)>,
}

impl Ast {
    /// The statement.
    pub fn statement(&self, id: StmtId) -> &Stmt {
        &self.statements[id.index()]
    }

    /// The operations of an expression, in postorder.
    pub fn nodes(&self, expression: Expression) -> &[Node] {
        &self.nodes[expression.0.range()]
    }

    /// The root of an expression.
    pub fn root(&self, expression: Expression) -> &Node {
        &self.nodes[expression.0.range().end - 1]
    }

    /// How many operands an operation has.
    pub fn arity(&self, op: Op) -> usize {
        match op {
            Op::Bool(_) | Op::Number(_) | Op::Bound(_) | Op::Read(..) => 0,
            Op::Not | Op::Quantified(_) => 1,
            Op::Binary(_) => 2,
            Op::Cell(_, _, indices) => usize::from(indices),
            Op::Whole(whole) => usize::from(self.wholes[whole as usize].indices),
        }
    }

    /// The operands of an expression's root, in order.
    pub fn operands(&self, expression: Expression) -> Vec<Expression> {
        let mut left = self.arity(self.root(expression).op);
        let mut operands = vec![expression; left];
        let mut end = expression.0.range().end - 1;
        while left > 0 {
            left -= 1;
            let mut start = end;
            let mut wanted = 1;
            while wanted > 0 {
                start -= 1;
                wanted = wanted - 1 + self.arity(self.nodes[start].op);
            }
            operands[left] = Expression(Piece { start: start as u32, end: end as u32 });
            end = start;
        }
        operands
    }

    /// The assignments of a list.
    pub fn assigns(&self, piece: Piece) -> &[Assign] {
        &self.assigns[piece.range()]
    }
}
