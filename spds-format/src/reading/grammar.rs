//! Grammars of statements in nom, over the tokens of a reader.
//!
//! The input of these parsers is the reader itself: what they read goes into its tree as they go, so there is no way back, and no
//! copy of the input from which nom's `alt` and `opt` could go on. The next token says which alternative it is; the languages were
//! made for such readers. Nothing here is called by itself: what may be nested is read by machines with stacks of their own.

use nom::error::{ErrorKind, ParseError};
use nom::sequence::delimited;
use nom::{Err, Parser};

use super::tokens::{Broken, Kind, Reader};

impl<I> ParseError<I> for Broken {
    fn from_error_kind(_: I, _: ErrorKind) -> Self {
        Broken
    }

    fn append(_: I, _: ErrorKind, other: Self) -> Self {
        other
    }
}

/// A function of the reader as a part of a grammar.
#[inline]
pub fn by<'r, R: 'r, T>(
    mut read: impl FnMut(&mut R) -> Result<T, Broken>,
) -> impl Parser<&'r mut R, Output = T, Error = Broken> {
    move |reader: &'r mut R| match read(reader) {
        Ok(what) => Ok((reader, what)),
        Err(broken) => Err(Err::Failure(broken)),
    }
}

/// The next token, whatever it is: it has been looked at.
#[inline]
pub fn next<'r, 't, R: Reader<'t> + 'r>() -> impl Parser<&'r mut R, Output = (), Error = Broken> {
    by(|reader: &mut R| {
        reader.bump();
        Ok(())
    })
}

/// A token of that kind. Without it, a complaint: `what` was expected.
#[inline]
pub fn token<'r, 't, R: Reader<'t> + 'r>(
    kind: Kind<'t, R>,
    what: &str,
) -> impl Parser<&'r mut R, Output = (), Error = Broken> {
    by(move |reader: &mut R| reader.expect(kind, what))
}

/// What follows a token of that kind; nothing if there is none.
#[inline]
pub fn after<'r, 't, R: Reader<'t> + 'r, T>(
    kind: Kind<'t, R>,
    mut parser: impl Parser<&'r mut R, Output = T, Error = Broken>,
) -> impl Parser<&'r mut R, Output = Option<T>, Error = Broken> {
    move |reader: &'r mut R| match reader.take(kind) {
        true => parser.parse(reader).map(|(reader, what)| (reader, Some(what))),
        false => Ok((reader, None)),
    }
}

/// One or more, with a token of that kind between two.
#[inline]
pub fn separated<'r, 't, R: Reader<'t> + 'r>(
    kind: Kind<'t, R>,
    mut item: impl Parser<&'r mut R, Output = (), Error = Broken>,
) -> impl Parser<&'r mut R, Output = (), Error = Broken> {
    move |reader: &'r mut R| {
        let (mut reader, ()) = item.parse(reader)?;
        while reader.take(kind) {
            (reader, ()) = item.parse(reader)?;
        }
        Ok((reader, ()))
    }
}

/// Between two tokens, of which complaints say that they were expected, what is there: items separated by a third, or nothing.
#[inline]
pub fn listed<'r, 't, R: Reader<'t> + 'r>(
    (open, opening): (Kind<'t, R>, &str),
    (separator, mut item): (Kind<'t, R>, impl Parser<&'r mut R, Output = (), Error = Broken>),
    (close, closing): (Kind<'t, R>, &str),
) -> impl Parser<&'r mut R, Output = (), Error = Broken> {
    let content = move |reader: &'r mut R| match reader.cursor().is(close) {
        true => Ok((reader, ())),
        false => separated(separator, |reader: &'r mut R| item.parse(reader)).parse(reader),
    };
    delimited(token(open, opening), content, token(close, closing))
}

/// What a grammar reads from where the reader is.
///
/// # Errors
/// If something is missing; the complaint has been made.
#[inline]
pub fn read<'r, R, T>(
    reader: &'r mut R,
    mut parser: impl Parser<&'r mut R, Output = T, Error = Broken>,
) -> Result<T, Broken> {
    match parser.parse(reader) {
        Ok((_, what)) => Ok(what),
        Err(_) => Err(Broken),
    }
}
