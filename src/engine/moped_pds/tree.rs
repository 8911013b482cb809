//! What a `.pds` text says, before names have a meaning. Expressions are flat: operations in postorder.

use spds_format::expr::Binary;
use spds_format::model::Type;

use spds_format::reading::tokens::Span;

/// A text.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub globals: Vec<Declared>,
    pub blocks: Vec<Block>,
    pub starts: Vec<Start>,
    pub atoms: Vec<Atoms>,
    pub rules: Vec<Rule>,
}

impl Tree {
    /// The stack symbols of starts, rules and blocks.
    pub fn stack_symbols(&self) -> impl Iterator<Item = Span> {
        let rules = self.rules.iter().flat_map(|rule| rule.stack.iter().copied().chain([rule.from.1]));
        let starts = self.starts.iter().map(|start| start.symbol);
        rules.chain(starts).chain(self.blocks.iter().flat_map(|block| block.symbols.iter().copied()))
    }
}

/// A variable.
#[derive(Debug)]
pub(super) struct Declared {
    pub name: Span,
    pub ty: Type,
}

/// `local NAME (symbols) declarations`
#[derive(Debug)]
pub(super) struct Block {
    pub name: Option<Span>,
    pub symbols: Vec<Span>,
    pub variables: Vec<Declared>,
}

/// `(q (x=0) <m (y=0)>)`
#[derive(Debug)]
pub(super) struct Start {
    pub span: Span,
    pub control: Span,
    pub globals: Option<Expression>,
    pub symbol: Span,
    pub locals: Option<Expression>,
}

/// `atoms symbol propositions, …`
#[derive(Debug)]
pub(super) struct Atoms {
    pub first: Span,
    pub others: Vec<Span>,
}

/// `p <m> --> q <m' m''> "label" (relation)`
#[derive(Debug)]
pub(super) struct Rule {
    /// From its first control location to its last `>`.
    pub span: Span,
    pub from: (Span, Span),
    pub to: Span,
    /// None, one or two.
    pub stack: Vec<Span>,
    pub label: Option<Span>,
    pub relation: Option<Expression>,
}

/// An expression: operations in postorder, and its whole text.
#[derive(Debug)]
pub(super) struct Expression {
    pub nodes: Vec<Node>,
    pub span: Span,
}

/// An operation and its own piece of the text: the operator, or the whole of an operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub op: Op,
    pub span: Span,
}

/// A variable as it is written: `x`, `x''`, and in propositions also `block.x` and `::x`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reference {
    pub scope: Written,
    pub name: Span,
    pub primes: u8,
}

/// Where a name is to be looked up.
#[derive(Clone, Copy, Debug)]
pub(super) enum Written {
    /// Wherever the place of the expression says.
    Bare,
    /// `::x`
    Global,
    /// `block.x`
    In(Span),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    Number(u64),
    Read(Reference),
    /// Its operand is the index.
    Cell(Reference),
    Not,
    /// Between two Booleans.
    Logic(Binary),
    /// Between two integers, giving a Boolean.
    Compare(Binary),
    /// Between two integers, giving an integer.
    Term(Binary),
    /// What follows, to the matching [`Op::End`] at that index, is for all values, or for some value, of a variable.
    Begin {
        all: bool,
        variable: Span,
        /// The first and the last value.
        range: (u64, u64),
        end: u32,
    },
    /// The end of the operand of the quantifier that begins at that index.
    End {
        begin: u32,
    },
}
