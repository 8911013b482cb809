//! Grammars of statements in nom, over the tokens of a reader.
//!
//! The input of these parsers is the reader itself: what they read goes into its tree as they go, so there is no way back, and no
//! copy of the input for nom's `alt` and `opt` to go back to. Which alternative it is, is seen at the next token; the languages were
//! made for such readers.

use nom::error::{ErrorKind, ParseError};
use nom::{IResult, Parser};

use super::tokens::{Broken, Kind, Reader};

/// What a parser gives: the reader, and what was read.
pub type Parsed<'r, R, T> = IResult<&'r mut R, T, Broken>;

impl<I> ParseError<I> for Broken {
    fn from_error_kind(_: I, _: ErrorKind) -> Self {
        Broken
    }

    fn append(_: I, _: ErrorKind, other: Self) -> Self {
        other
    }
}

/// A parser that a reader has as a function of its own.
pub fn by<'r, R: 'r, T>(
    mut read: impl FnMut(&mut R) -> Result<T, Broken>,
) -> impl Parser<&'r mut R, Output = T, Error = Broken> {
    move |reader: &'r mut R| match read(reader) {
        Ok(what) => Ok((reader, what)),
        Err(broken) => Err(nom::Err::Failure(broken)),
    }
}

/// A token of that kind. Without it, a complaint: `what` was expected.
pub fn token<'r, 't, R: Reader<'t> + 'r>(
    kind: Kind<'t, R>,
    what: &str,
) -> impl Parser<&'r mut R, Output = (), Error = Broken> {
    by(move |reader: &mut R| reader.expect(kind, what))
}

/// A token of that kind, if it is there.
pub fn perhaps<'r, 't, R: Reader<'t> + 'r>(kind: Kind<'t, R>) -> impl Parser<&'r mut R, Output = bool, Error = Broken> {
    by(move |reader: &mut R| Ok(reader.take(kind)))
}

/// One or more, with a token of that kind between two.
pub fn separated<'r, 't, R: Reader<'t> + 'r>(
    kind: Kind<'t, R>,
    mut item: impl FnMut(&mut R) -> Result<(), Broken>,
) -> impl Parser<&'r mut R, Output = (), Error = Broken> {
    by(move |reader: &mut R| {
        item(reader)?;
        while reader.take(kind) {
            item(reader)?;
        }
        Ok(())
    })
}

/// What a parser reads from where the reader is.
///
/// # Errors
/// If something is missing; the complaint has been made.
pub fn read<'r, R, T>(
    reader: &'r mut R,
    mut parser: impl Parser<&'r mut R, Output = T, Error = Broken>,
) -> Result<T, Broken> {
    parser.parse(reader).map(|(_, what)| what).map_err(|_| Broken)
}
