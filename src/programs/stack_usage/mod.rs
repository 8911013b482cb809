//! How many bytes compilers say that frames take: gcc's and clang's `.su` files (`-fstack-usage`), gcc's call graphs
//! (`-fcallgraph-info=su`, `.ci`), and what they leave out.

mod frames;
mod read;

pub use frames::{Compilation, Frames, Procedure, frames};
pub use read::{Mistake, read};

use std::collections::{BTreeMap, BTreeSet};

/// What stands in a call graph for a call through a pointer.
pub const INDIRECT: &str = "__indirect_call";

/// A function as it was compiled: perhaps a clone of one of the program's, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// The file in which it was compiled, without its directory.
    pub unit: String,
    /// Its name, with what the compiler has added: `f.constprop`, `f.part.0`.
    pub name: String,
    /// What it takes, as the compiler counts.
    pub bytes: u64,
    /// Whether it takes more at run time: arrays whose size varies, `alloca`.
    pub is_dynamic: bool,
    /// Who compiled it.
    pub compiler: Compiler,
}

impl Compiled {
    /// The name of the program's function.
    pub fn base(&self) -> &str {
        base(&self.name)
    }

    /// Whether it is a part of a function that calls it: a frame of its own beside that of the rest.
    pub fn is_part(&self) -> bool {
        self.name.contains(".part")
    }
}

/// A name without what the compiler has added.
fn base(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// A compiler that writes such files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Compiler {
    /// GNU's.
    Gcc,
    /// LLVM's.
    Clang,
}

/// For what was compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// 64 bits of x86, as Linux and others have them.
    X86_64,
    /// 32 bits of x86.
    I386,
    /// 32 bits of Arm.
    Arm,
    /// 64 bits of Arm.
    Aarch64,
    /// RISC-V of any width.
    RiscV,
}

/// What a compiler does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// For each frame: the return address.
    pub frame: u64,
    /// On top of the stack: what lies beyond the stack pointer.
    pub top: u64,
}

/// The table of what compilers leave out. gcc counts the return address where a call pushes it (`INCOMING_FRAME_SP_OFFSET` of its
/// targets), clang does not (`MachineFrameInfo::getStackSize`); neither counts the red zone of the System V ABI of x86-64 (§3.2.2).
/// Elsewhere the return address is in a register, and is counted where it is saved.
pub fn left_out(compiler: Compiler, target: Target) -> LeftOut {
    let pushed = match target {
        Target::X86_64 => 8,
        Target::I386 => 4,
        Target::Arm | Target::Aarch64 | Target::RiscV => 0,
    };
    let frame = if compiler == Compiler::Clang { pushed } else { 0 };
    LeftOut { frame, top: if target == Target::X86_64 { 128 } else { 0 } }
}

/// What the files say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The functions that were compiled, each once.
    pub functions: Vec<Compiled>,
    /// The units whose calls are known, from `.ci` files.
    pub units: BTreeSet<String>,
    /// In these the calls: by unit and name of who calls, how often each name is called.
    pub calls: BTreeMap<(String, String), BTreeMap<String, usize>>,
}
