//! The model: a symbolic pushdown system with typed variables.
//!
//! Symbolic pushdown systems are those of Esparza & Schwoon (CAV 2001, §3) and Schwoon's thesis (2002, ch. 4), with
//! typed variables, several frames and an *implicit frame*: what a rule does not mention keeps its value.
//! `SPEC.md` is the full account of what everything means.

use crate::expr::Expr;
pub use crate::name::Name;
pub use crate::updates::Updates;

/// Index into [`Spds::frames`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameId(pub u32);

/// Index into [`Spds::controls`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ControlId(pub u32);

/// Index into [`Spds::symbols`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolId(pub u32);

/// A variable: a global, or the n-th variable of a frame. Whose frame, the context tells (see [`crate::expr::Time`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Var {
    /// Index into [`Spds::globals`].
    Global(u32),
    /// Index into [`Frame::variables`].
    Local(u32),
}

/// The type of a value that is not an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scalar {
    /// `bool`.
    Bool,
    /// `uN`: an unsigned integer of N bits, 1 ≤ N ≤ 64: 0 … 2^N − 1.
    Unsigned(u8),
}

impl Scalar {
    /// The number of bits of a value.
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Bool => 1,
            Scalar::Unsigned(bits) => u32::from(bits),
        }
    }
}

/// The type of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Type {
    /// Of the variable, or of each cell.
    pub scalar: Scalar,
    /// For an array, its first and its last index (first ≤ last).
    pub range: Option<(u32, u32)>,
}

impl Type {
    /// `bool`.
    pub const BOOL: Type = Type { scalar: Scalar::Bool, range: None };

    /// `uN`: an unsigned integer of so many bits.
    pub const fn unsigned(bits: u8) -> Type {
        Type { scalar: Scalar::Unsigned(bits), range: None }
    }

    /// An array of such values with these first and last indices.
    pub const fn array(self, first: u32, last: u32) -> Type {
        Type { scalar: self.scalar, range: Some((first, last)) }
    }

    /// How many scalar cells a variable of this type has: one, or the length of the array.
    pub fn cells(self) -> u32 {
        self.range.map_or(1, |(first, last)| last.saturating_sub(first).saturating_add(1))
    }
}

/// A declared variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Unique among the globals, or within its frame. A local may have the name of a global and then hides it.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// Whether it is a register of the translation that no user declared: never shown.
    pub hidden: bool,
}

/// The locals of a procedure. Each stack symbol belongs to at most one frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The name of the procedure.
    pub name: Name,
    /// Its parameters and locals.
    pub variables: Box<[Variable]>,
}

/// A place in a source text; lines and columns count from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Index into [`Spds::files`].
    pub file: u32,
    /// The line on which the statement itself begins, not its label.
    pub line: u32,
    /// The column there.
    pub column: u32,
}

/// A stack symbol: a point of control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Unique.
    pub name: Name,
    /// The frame it belongs to; without one it has no locals and lies outside every procedure.
    pub frame: Option<FrameId>,
    /// Where the statement that is about to be executed stands in the source.
    pub place: Option<Place>,
    /// The labels of that statement.
    pub labels: Box<[Name]>,
    /// Every configuration with this symbol on top satisfies it (over the globals and the frame's locals, time
    /// `Before`): a step into a configuration that does not, does not exist. It is no step itself.
    pub invariant: Option<Expr>,
}

/// A control location and the topmost stack symbol: ⟨p,γ⟩.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Head {
    /// p
    pub control: ControlId,
    /// γ
    pub symbol: SymbolId,
}

/// What a rule puts in the place of the topmost symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stack {
    /// ε: a return.
    Pop,
    /// γ': a step.
    Swap(SymbolId),
    /// γ' γ'': a call; γ' is the new top, γ'' the return site below it.
    Push(SymbolId, SymbolId),
}

/// The new value of a variable or of an array cell.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Update {
    /// What is assigned.
    pub var: Var,
    /// `After`, or `Saved` for a local of the frame that a call leaves below.
    pub time: crate::expr::Time,
    /// The cell (read before the step); `None` for a scalar, or for a whole array, whose value can only be `*`.
    pub index: Option<Expr>,
    /// The value, read before the step. `*` alone: any value of the type. A value that does not fit has no successor.
    pub value: Expr,
}

/// A rule ⟨p,γ⟩ → ⟨p',w⟩, |w| ≤ 2, with its relation over the variables before and after.
///
/// The frame is implicit: a variable whose after-value is neither assigned in `updates` nor read in `with` keeps its
/// value. For a call, the caller's locals are kept under γ'' (unless `Saved` updates change them) and the callee's
/// locals are arbitrary unless assigned. A step into a symbol of another frame starts that frame arbitrary unless
/// assigned. For a return there are only globals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// ⟨p,γ⟩
    pub from: Head,
    /// p'
    pub to: ControlId,
    /// w
    pub stack: Stack,
    /// A condition on the values before; `None` is true.
    pub guard: Option<Expr>,
    /// Simultaneous assignments. Two that meet in one cell must agree, or the step has no successor.
    pub updates: Updates,
    /// A relation between values before, after and saved; `None` is true.
    pub with: Option<Expr>,
    /// Not a step of a run: it is taken together with the step before it, and the configuration in which it is taken
    /// is not seen. All rules of a head are silent or none is; silent rules are swaps and never form a cycle.
    pub silent: bool,
    /// A text for traces. Few rules have one.
    pub label: Option<Box<Name>>,
}

/// Where runs start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// The control location.
    pub control: ControlId,
    /// The stack, topmost symbol first, never empty. Locals below the top are arbitrary.
    pub stack: Box<[SymbolId]>,
    /// A condition on the globals and the locals of the topmost symbol; `None` is true.
    pub condition: Option<Expr>,
}

/// A named proposition over configurations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atom {
    /// Unique.
    pub name: Name,
    /// If set, false unless the topmost symbol belongs to this frame; only then may it read locals.
    pub frame: Option<FrameId>,
    /// Over values at time `Before`, without `*`.
    pub condition: Expr,
}

/// A symbolic pushdown system. The default has nothing in it: it is no valid one yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spds {
    /// The names of the source files that places refer to.
    pub files: Vec<Name>,
    /// Global variables.
    pub globals: Vec<Variable>,
    /// Frames, by [`FrameId`].
    pub frames: Vec<Frame>,
    /// The names of the control locations, by [`ControlId`]; at least one.
    pub controls: Vec<Name>,
    /// Stack symbols, by [`SymbolId`].
    pub symbols: Vec<Symbol>,
    /// Rules, in the order of the text.
    pub rules: Vec<Rule>,
    /// Where runs start.
    pub start: Start,
    /// Named propositions.
    pub atoms: Vec<Atom>,
    /// The symbol `@end` at the bottom of the stack, on top when the program has terminated; has a self-loop.
    pub end: Option<SymbolId>,
    /// The symbol `@fail`, on top after an assertion has failed; has a self-loop.
    pub fail: Option<SymbolId>,
}

impl Spds {
    /// The symbol.
    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id.0 as usize]
    }

    /// The frame.
    pub fn frame(&self, id: FrameId) -> &Frame {
        &self.frames[id.0 as usize]
    }

    /// The locals of a symbol: the variables of its frame, or none.
    pub fn locals(&self, symbol: SymbolId) -> &[Variable] {
        self.symbol(symbol).frame.map_or(&[], |frame| &self.frame(frame).variables)
    }
}
