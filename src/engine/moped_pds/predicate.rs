//! Propositions in the syntax of rules: `{x<N & m.v=3}`, with the global x, the constant N, and v of the block m.

use spds_format::Spds;
use spds_format::diagnostic::Diagnostic;
use spds_format::expr::Expr;
use spds_format::model::FrameId;

use spds_format::reading::tokens::Reader;

use super::lexer::TokenKind;
use super::parser::{Names, Parser};
use super::resolve::{self, NameScope, Variables};

/// A condition on configurations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// If it mentions a local, the block one of whose symbols must be on top for it to hold.
    pub frame: Option<FrameId>,
    /// Over the globals and the locals of the block, at time `Before`, without `*`.
    pub condition: Expr,
    /// What could have been meant otherwise.
    pub warnings: Vec<Diagnostic>,
}

/// Reads a proposition about a system that was made of a `.pds` text which defines these constants: what stands between the
/// braces (or quotes) of `{expr}`.
///
/// A bare name is that of a global, or of a local if only one block has it; otherwise `::x` is the global, `block.x` the
/// local. (Moped looks a bare name up in whatever block the topmost symbol belongs to, and takes the proposition for false
/// where there is none.)
///
/// With a block it is about configurations with a symbol of this block: a bare name is that of one of its locals, if it
/// has one of that name.
///
/// # Errors
/// Complaints about the text: syntax, unknown or ambiguous names (with the candidates), locals of two blocks, primes.
pub fn predicate(
    text: &str,
    spds: &Spds,
    defines: &[(String, u64)],
    block: Option<FrameId>,
) -> Result<Predicate, Vec<Diagnostic>> {
    if u32::try_from(text.len()).is_err() {
        return Err(vec![Diagnostic::global("a proposition of 4 GiB or more cannot be read")]);
    }
    let mut parser = Parser::new(text, Names::Qualified, defines.iter().cloned().collect());
    let read = parser.expression();
    if read.is_ok() && !parser.cursor.is(TokenKind::Eof) {
        let _ = parser.unexpected::<()>("an operator or the end of the proposition");
    }
    let Parser { cursor: tokens, mut complaints, .. } = parser;
    let mut place = NameScope::Proposition { block, spoken_of: None };
    let ops = read.ok().and_then(|expression| {
        resolve::condition(&expression, &tokens, &mut place, &Variables::new(spds), &mut complaints)
    });
    let refused = complaints.refused();
    let complaints = complaints.into_sorted();
    let (Some(ops), false, NameScope::Proposition { spoken_of: frame, .. }) = (ops, refused, place) else {
        return Err(complaints);
    };
    let condition = Expr::from_postorder(ops).expect("a resolved condition is one expression");
    Ok(Predicate { frame, condition, warnings: complaints })
}
