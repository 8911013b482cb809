//! Reads expressions.
//!
//! Names are not resolved and overloaded signs not decided here; operations come out in postorder, one for each
//! operation of the [`crate::expr::Expr`] that it becomes.

use std::borrow::Cow;

use crate::expr::Time;
use crate::lexis::{Parsed, Span, Trouble, Word, blank, is_keyword, number, plain_variable, shown, variable};
use crate::operators::{COMPARE, Grouping, Level, PREFIX, Sign, TERNARY, grouping};
use crate::reading::precedence::{self, Expressions, Next, Taken};
use crate::reading::tokens::Table;

/// An operation before its names are resolved.
#[derive(Clone, Debug)]
pub(crate) struct RawOp<'a> {
    pub(crate) what: Raw<'a>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Raw<'a> {
    Bool(bool),
    Number(u64),
    Any,
    Read(Reference<'a>),
    Cell(Reference<'a>),
    Not,
    Binary(Sign),
    Ite,
    Choose,
}

/// A variable as it is written.
#[derive(Clone, Debug)]
pub(crate) struct Reference<'a> {
    pub(crate) scope: Qualifier<'a>,
    pub(crate) name: Cow<'a, str>,
    pub(crate) time: Time,
}

#[derive(Clone, Debug)]
pub(crate) enum Qualifier<'a> {
    /// `x`
    None,
    /// `::x`
    Global,
    /// `f.x`, in predicates only
    Frame(Cow<'a, str>),
}

/// What waits for its last operand, and where it stands.
#[derive(Clone, Copy)]
enum Operation {
    Not(Span),
    Binary(Sign, Span),
    /// `c ? a : …`
    Else(Span),
}

impl Operation {
    /// How tightly it binds.
    fn level(self) -> Level {
        match self {
            Operation::Not(_) => PREFIX,
            Operation::Binary(sign, _) => sign.level(),
            Operation::Else(_) => TERNARY,
        }
    }
}

/// What waits for what closes it.
enum Bracket<'a> {
    /// `c ? …`
    Then(Span),
    Paren(Span),
    Index(Reference<'a>, Span, Span),
    /// `schoose[ …`
    First(Span, Span),
    /// `schoose[ a , …`
    Second(Span, Span),
}

/// A variable with its primes; what follows is not skipped to.
pub(crate) fn reference(input: &str) -> Parsed<'_, (Reference<'_>, Span)> {
    let (scope, at) = match input.strip_prefix("::") {
        Some(rest) => (Qualifier::Global, blank(rest)),
        None => (Qualifier::None, input),
    };
    let (mut rest, mut word) = match variable(at) {
        Err(nom::Err::Error(_)) if at.len() < input.len() => {
            return Trouble::expected(at, "the name of a global variable after `::`").fatal();
        }
        other => other?,
    };
    let mut scope = scope;
    if let (Qualifier::None, Some(tail)) = (&scope, rest.strip_prefix('.').filter(|tail| !tail.starts_with('.'))) {
        let Word { text: frame, .. } = word;
        scope = Qualifier::Frame(frame);
        (rest, word) = match variable(tail) {
            Err(nom::Err::Error(_)) => return Trouble::expected(tail, "the name of a variable after `.`").fatal(),
            other => other?,
        };
    }
    let primes = rest.bytes().take_while(|b| *b == b'\'').count();
    let tail = &rest[primes..];
    let span = Span::of(input, input.len() - tail.len());
    let time = match primes {
        0 => Time::Before,
        1 => Time::After,
        2 => Time::Saved,
        _ => {
            return Trouble::new(Span::of(rest, primes), "too many primes")
                .with_help("`x` is before the step, `x'` after it, `x''` in the frame that a call saves")
                .fatal();
        }
    };
    Ok((blank(tail), (Reference { scope, name: word.text, time }, span)))
}

/// An expression, as far as it goes.
pub(crate) fn expression(input: &str) -> Parsed<'_, Vec<RawOp<'_>>> {
    let mut reader = Reader { ops: Vec::new(), rest: input, chained: None };
    precedence::expression(&mut reader, &mut Vec::new()).map_err(nom::Err::Failure)?;
    Ok((reader.rest, reader.ops))
}

struct Reader<'a> {
    ops: Vec<RawOp<'a>>,
    rest: &'a str,
    /// A comparison whose left operand is one.
    chained: Option<Span>,
}

impl<'a> Reader<'a> {
    fn emit(&mut self, what: Raw<'a>, span: Span) {
        self.ops.push(RawOp { what, span });
    }

    /// Goes on behind a sign or a word of so many bytes.
    fn skip(&mut self, bytes: usize) -> Span {
        let span = Span::of(self.rest, bytes);
        self.rest = blank(&self.rest[bytes..]);
        span
    }

    fn expected<T>(&self, what: &str) -> Result<T, Trouble> {
        Err(Trouble::expected(self.rest, what))
    }

    /// What a parser reads here.
    fn read<T>(&mut self, parser: impl Fn(&'a str) -> Parsed<'a, T>) -> Result<T, Trouble> {
        match parser(self.rest) {
            Ok((rest, what)) => {
                self.rest = rest;
                Ok(what)
            }
            Err(nom::Err::Error(trouble) | nom::Err::Failure(trouble)) => Err(trouble),
            Err(nom::Err::Incomplete(_)) => self.expected("an expression"),
        }
    }

    /// `true`, `schoose[…`, a variable, perhaps with an index
    fn word(&mut self) -> Result<Taken<Operation, Bracket<'a>>, Trouble> {
        let word = &self.rest[..plain_variable(self.rest)];
        if matches!(word, "true" | "false") {
            let span = self.skip(word.len());
            self.emit(Raw::Bool(word == "true"), span);
            return Ok(Taken::Operand);
        }
        if word == "schoose" {
            let span = self.skip(word.len());
            if !self.rest.starts_with('[') {
                return self.expected("`[` after `schoose`");
            }
            return Ok(Taken::Open(Bracket::First(span, self.skip(1))));
        }
        if self.rest.starts_with(':') && !self.rest.starts_with("::") {
            return self.expected("an expression");
        }
        let (reference, span) = self.read(reference)?;
        if self.rest.starts_with('[') {
            return Ok(Taken::Open(Bracket::Index(reference, span, self.skip(1))));
        }
        self.emit(Raw::Read(reference), span);
        Ok(Taken::Operand)
    }
}

impl<'a> Expressions for Reader<'a> {
    type Operator = Operation;
    type Bracket = Bracket<'a>;
    type Broken = Trouble;

    #[inline]
    fn operand(&mut self) -> Result<Taken<Operation, Bracket<'a>>, Trouble> {
        if let Some(span) = self.chained {
            return Err(Trouble::new(span, "comparisons cannot be chained")
                .with_help("join them by `&`, or compare the results with parentheses: `(a = b) = c`"));
        }
        match self.rest.bytes().next() {
            Some(b'(') => Ok(Taken::Open(Bracket::Paren(self.skip(1)))),
            Some(b'!') if !self.rest.starts_with("!=") => Ok(Taken::Prefix(Operation::Not(self.skip(1)))),
            Some(b'*') => {
                let span = self.skip(1);
                self.emit(Raw::Any, span);
                Ok(Taken::Operand)
            }
            Some(b'0'..=b'9') => {
                let (value, span) = self.read(number)?;
                self.emit(Raw::Number(value), span);
                Ok(Taken::Operand)
            }
            Some(b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'$' | b'@' | b'"' | b':') => self.word(),
            Some(b'-') => Err(Trouble::new(Span::of(self.rest, 1), "there is no sign `-` before a number")
                .with_help("variables are unsigned; a negative intermediate value is written `0 - x`")),
            Some(b'~') => Err(foreign(self.rest, 1, ("!", "negation"))),
            _ => self.expected("an expression"),
        }
    }

    #[inline]
    fn operator(&mut self, _: bool) -> Result<Next<Operation, Bracket<'a>>, Trouble> {
        match self.rest.bytes().next() {
            None | Some(b')' | b']' | b',' | b';') => return Ok(Next::End),
            Some(b'?') => {
                let span = self.skip(1);
                return Ok(Next::Opening(Operation::Else(span), Bracket::Then(span)));
            }
            Some(b':') if !self.rest.starts_with(":=") => return Ok(Next::End),
            Some(_) => {}
        }
        let word = &self.rest[..plain_variable(self.rest)];
        let sign = FOREIGN.sign(self.rest.as_bytes());
        if let Some((wrong, bytes)) = sign.or_else(|| Some((FOREIGN_WORDS.word(word.as_bytes())?, word.len()))) {
            return Err(foreign(self.rest, bytes, wrong));
        }
        let Some((sign, bytes)) = Sign::at(self.rest) else { return Ok(Next::End) };
        let span = self.skip(bytes);
        Ok(Next::Infix(Operation::Binary(sign, span)))
    }

    #[inline]
    fn takes(&mut self, before: &mut Operation, next: &mut Operation) -> bool {
        if let (Operation::Binary(one, _), Operation::Binary(other, span)) = (&before, &next)
            && [one.level(), other.level()] == [COMPARE; 2]
        {
            self.chained = Some(*span);
        }
        let (before, next) = (before.level(), next.level());
        before > next || before == next && grouping(next) == Grouping::Left
    }

    #[inline]
    fn apply(&mut self, operation: Operation) {
        match operation {
            Operation::Not(span) => self.emit(Raw::Not, span),
            Operation::Binary(sign, span) => self.emit(Raw::Binary(sign), span),
            Operation::Else(span) => self.emit(Raw::Ite, span),
        }
    }

    #[inline]
    fn close(&mut self, bracket: Bracket<'a>) -> Result<Taken<Operation, Bracket<'a>>, Trouble> {
        let (what, opened) = match (bracket, self.rest.bytes().next()) {
            (Bracket::Paren(_), Some(b')')) => {
                self.skip(1);
                return Ok(Taken::Operand);
            }
            (Bracket::Index(reference, span, _), Some(b']')) => {
                self.skip(1);
                self.emit(Raw::Cell(reference), span);
                return Ok(Taken::Operand);
            }
            (Bracket::Second(span, _), Some(b']')) => {
                self.skip(1);
                self.emit(Raw::Choose, span);
                return Ok(Taken::Operand);
            }
            (Bracket::First(span, bracket), Some(b',')) => {
                self.skip(1);
                return Ok(Taken::Open(Bracket::Second(span, bracket)));
            }
            (Bracket::Then(span), Some(b':')) if !self.rest.starts_with(":=") => {
                self.skip(1);
                return Ok(Taken::Prefix(Operation::Else(span)));
            }
            (Bracket::Then(span), _) => ("an operator or `:`", span),
            (Bracket::Index(_, _, span) | Bracket::Second(_, span), _) => ("an operator or `]`", span),
            (Bracket::First(_, span), _) => ("an operator or `,`", span),
            (Bracket::Paren(span), _) => ("an operator or `)`", span),
        };
        let mut trouble = Trouble::expected(self.rest, what);
        trouble.related = Some((opened, "for what begins here"));
        Err(trouble)
    }
}

/// Signs of other languages: ours, what for.
static FOREIGN: Table<(&str, &str)> = Table::new(&[
    ("==", ("=", "equality")),
    ("=>", ("->", "implication")),
    ("&&", ("&", "conjunction")),
    ("||", ("|", "disjunction")),
    ("^^", ("^", "exclusive or")),
    ("<=>", ("<->", "equivalence")),
    ("**", ("*", "multiplication")),
]);

static FOREIGN_WORDS: Table<(&str, &str)> = Table::new(&[
    ("and", ("&", "conjunction")),
    ("or", ("|", "disjunction")),
    ("xor", ("^", "exclusive or")),
    ("mod", ("%", "the remainder")),
    ("div", ("/", "division")),
]);

/// A sign or word of so many bytes that is written otherwise here.
#[cold]
fn foreign(rest: &str, bytes: usize, (ours, what): (&str, &str)) -> Trouble {
    let theirs = &rest[..bytes];
    debug_assert!(!is_keyword(theirs));
    Trouble::new(Span::of(rest, bytes), format!("unknown operator {}", shown(theirs)))
        .with_help(format!("{what} is written `{ours}`"))
}
