//! What procedures of a program stand for, by their names.

use crate::c::library::modelled;
use crate::c::program::{Failure, Procedure, StatementKind};

/// What a procedure stands for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Modelled {
    /// Whether it stands for one of the library.
    pub is_model: bool,
    /// Which of those that are known here.
    pub library: Option<Library>,
    /// Whether its statements ask about uses.
    pub asks: bool,
}

impl Modelled {
    /// What a procedure stands for.
    pub fn of(procedure: &Procedure) -> Modelled {
        let of = modelled(&procedure.name);
        let (is_model, library) = (of.is_some(), of.and_then(Library::named));
        let mut statements = procedure.body.iter().flatten();
        let asks = is_model && statements.any(|one| matches!(one.kind, StatementKind::Fail(Failure::Used(_))));
        Modelled { is_model, library, asks }
    }
}

/// Which one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Library {
    /// `memset(to, byte, n)`
    Set,
    /// `memcpy(to, from, n)`: no run goes past one whose objects overlap.
    Copy,
    /// `memmove(to, from, n)`
    Move,
    /// In models: two objects of so many bytes are the same, or share none; no run goes past others.
    Apart,
    /// `strlen(s)`
    Length,
    /// In models: two objects of so many bytes change places.
    Exchange,
}

impl Library {
    /// What a procedure without a body of that name is.
    pub fn named(name: &str) -> Option<Library> {
        Some(match name.strip_prefix("__builtin_").unwrap_or(name) {
            "memset" => Library::Set,
            "memcpy" => Library::Copy,
            "memmove" => Library::Move,
            "strlen" => Library::Length,
            "__apart" => Library::Apart,
            "__exchange" => Library::Exchange,
            _ => return None,
        })
    }
}
