//! Reads expressions by precedence, with a stack of our own: nesting costs memory, never the call stack.
//!
//! Names are not resolved and overloaded signs not decided here; operations come out in postorder, one for each
//! operation of the [`crate::expr::Expr`] that it becomes.

use std::borrow::Cow;

use crate::expr::Time;
use crate::lexis::{Parsed, Span, Trouble, Word, blank, is_keyword, keyword, number, shown, sign, variable};
use crate::operators::{COMPARE, Grouping, Level, PREFIX, Sign, TERNARY, grouping};

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

/// What waits for its last operand, or for its closing bracket.
enum Pending<'a> {
    Not(Span),
    Binary(Sign, Span),
    /// `c ? a : …`
    Else(Span),
    /// `c ? …`
    Then(Span),
    Paren(Span),
    Index(Reference<'a>, Span, Span),
    /// `schoose[ …`
    First(Span, Span),
    /// `schoose[ a , …`
    Second(Span, Span),
}

impl Pending<'_> {
    /// How tightly it binds; `None` for what only a bracket ends.
    fn level(&self) -> Option<Level> {
        match self {
            Pending::Not(_) => Some(PREFIX),
            Pending::Binary(sign, _) => Some(sign.level()),
            Pending::Else(_) => Some(TERNARY),
            _ => None,
        }
    }
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
    let mut machine = Machine { ops: Vec::new(), pending: Vec::new() };
    let mut rest = input;
    loop {
        rest = machine.operand(rest)?;
        let (after, more) = machine.operators(rest)?;
        rest = after;
        if !more {
            return Ok((rest, machine.ops));
        }
    }
}

struct Machine<'a> {
    ops: Vec<RawOp<'a>>,
    pending: Vec<Pending<'a>>,
}

type Step<'a, T> = Result<T, nom::Err<Trouble>>;

impl<'a> Machine<'a> {
    fn emit(&mut self, what: Raw<'a>, span: Span) {
        self.ops.push(RawOp { what, span });
    }

    /// Reads prefixes and opening brackets up to and including one operand.
    fn operand(&mut self, mut rest: &'a str) -> Step<'a, &'a str> {
        loop {
            let Some(first) = rest.bytes().next() else {
                return Err(nom::Err::Failure(Trouble::expected(rest, "an expression")));
            };
            match first {
                b'(' => {
                    let (after, span) = sign("(")(rest)?;
                    self.pending.push(Pending::Paren(span));
                    rest = after;
                }
                b'!' if !rest.starts_with("!=") => {
                    let (after, span) = sign("!")(rest)?;
                    self.pending.push(Pending::Not(span));
                    rest = after;
                }
                b'*' => {
                    let (after, span) = sign("*")(rest)?;
                    self.emit(Raw::Any, span);
                    return Ok(after);
                }
                b'0'..=b'9' => {
                    let (after, (value, span)) = number(rest)?;
                    self.emit(Raw::Number(value), span);
                    return Ok(after);
                }
                b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'$' | b'@' | b'"' | b':' => {
                    if let Ok((after, span)) = keyword("true")(rest) {
                        self.emit(Raw::Bool(true), span);
                        return Ok(after);
                    }
                    if let Ok((after, span)) = keyword("false")(rest) {
                        self.emit(Raw::Bool(false), span);
                        return Ok(after);
                    }
                    if let Ok((after, span)) = keyword("schoose")(rest) {
                        let Ok((inside, bracket)) = sign("[")(after) else {
                            return Err(nom::Err::Failure(Trouble::expected(after, "`[` after `schoose`")));
                        };
                        self.pending.push(Pending::First(span, bracket));
                        rest = inside;
                        continue;
                    }
                    if first == b':' && !rest.starts_with("::") {
                        return Err(nom::Err::Failure(Trouble::expected(rest, "an expression")));
                    }
                    let (after, (reference, span)) = reference(rest)?;
                    if let Ok((inside, bracket)) = sign("[")(after) {
                        self.pending.push(Pending::Index(reference, span, bracket));
                        rest = inside;
                        continue;
                    }
                    self.emit(Raw::Read(reference), span);
                    return Ok(after);
                }
                b'-' => {
                    let trouble = Trouble::new(Span::of(rest, 1), "there is no sign `-` before a number")
                        .with_help("variables are unsigned; a negative intermediate value is written `0 - x`");
                    return Err(nom::Err::Failure(trouble));
                }
                b'~' => return Err(nom::Err::Failure(foreign(rest, "~", "!", "negation"))),
                _ => return Err(nom::Err::Failure(Trouble::expected(rest, "an expression"))),
            }
        }
    }

    /// Reads closing brackets up to an operator that wants a further operand (`true`) or to the end of the expression.
    fn operators(&mut self, mut rest: &'a str) -> Step<'a, (&'a str, bool)> {
        loop {
            match rest.bytes().next() {
                Some(b')') => {
                    self.reduce_all();
                    match self.pending.last() {
                        Some(Pending::Paren(_)) => self.pending.pop(),
                        None => return Ok((rest, false)),
                        Some(_) => return self.unclosed(rest),
                    };
                    rest = blank(&rest[1..]);
                }
                Some(b']') => {
                    self.reduce_all();
                    match self.pending.pop() {
                        Some(Pending::Index(reference, span, _)) => self.emit(Raw::Cell(reference), span),
                        Some(Pending::Second(span, _)) => self.emit(Raw::Choose, span),
                        None => return Ok((rest, false)),
                        Some(other) => {
                            self.pending.push(other);
                            return self.unclosed(rest);
                        }
                    }
                    rest = blank(&rest[1..]);
                }
                Some(b',') => {
                    self.reduce_all();
                    match self.pending.pop() {
                        Some(Pending::First(span, bracket)) => self.pending.push(Pending::Second(span, bracket)),
                        None => return Ok((rest, false)),
                        Some(other) => {
                            self.pending.push(other);
                            return self.unclosed(rest);
                        }
                    }
                    return Ok((blank(&rest[1..]), true));
                }
                Some(b'?') => {
                    self.reduce(TERNARY);
                    let (after, span) = sign("?")(rest)?;
                    self.pending.push(Pending::Then(span));
                    return Ok((after, true));
                }
                Some(b':') if !rest.starts_with(":=") => {
                    self.reduce_all();
                    match self.pending.pop() {
                        Some(Pending::Then(span)) => self.pending.push(Pending::Else(span)),
                        None => return Ok((rest, false)),
                        Some(other) => {
                            self.pending.push(other);
                            return self.unclosed(rest);
                        }
                    }
                    return Ok((blank(&rest[1..]), true));
                }
                _ => return self.infix(rest),
            }
        }
    }

    /// Reads an infix operator; if there is none, the expression ends here.
    fn infix(&mut self, rest: &'a str) -> Step<'a, (&'a str, bool)> {
        for (foreign_sign, ours, what) in FOREIGN {
            if rest.starts_with(foreign_sign) {
                return Err(nom::Err::Failure(foreign(rest, foreign_sign, ours, what)));
            }
        }
        for (word, ours, what) in FOREIGN_WORDS {
            if keyword(word)(rest).is_ok() {
                return Err(nom::Err::Failure(foreign(rest, word, ours, what)));
            }
        }
        let Some((spelling, sign)) = Sign::at(rest) else {
            self.reduce_all();
            return if self.pending.is_empty() { Ok((rest, false)) } else { self.unclosed(rest) };
        };
        let span = Span::of(rest, spelling.len());
        let level = sign.level();
        self.reduce(level);
        if level == COMPARE && self.pending.last().and_then(Pending::level) == Some(COMPARE) {
            let trouble = Trouble::new(span, "comparisons cannot be chained")
                .with_help("join them by `&`, or compare the results with parentheses: `(a = b) = c`");
            return Err(nom::Err::Failure(trouble));
        }
        self.pending.push(Pending::Binary(sign, span));
        Ok((blank(&rest[spelling.len()..]), true))
    }

    /// Applies what binds tighter than an operator of that level to the left of it.
    fn reduce(&mut self, level: Level) {
        while let Some(top) = self.pending.last().and_then(Pending::level) {
            if top < level || (top == level && grouping(level) != Grouping::Left) {
                break;
            }
            self.apply();
        }
    }

    fn reduce_all(&mut self) {
        while self.pending.last().is_some_and(|top| top.level().is_some()) {
            self.apply();
        }
    }

    fn apply(&mut self) {
        match self.pending.pop() {
            Some(Pending::Not(span)) => self.emit(Raw::Not, span),
            Some(Pending::Binary(sign, span)) => self.emit(Raw::Binary(sign), span),
            Some(Pending::Else(span)) => self.emit(Raw::Ite, span),
            other => self.pending.extend(other),
        }
    }

    /// A bracket is open and something else than its end stands here.
    fn unclosed<T>(&self, rest: &'a str) -> Step<'a, T> {
        let (what, opened) = match self.pending.last() {
            Some(Pending::Then(span)) => ("an operator or `:`", *span),
            Some(Pending::Index(_, _, span) | Pending::Second(_, span)) => ("an operator or `]`", *span),
            Some(Pending::First(_, span)) => ("an operator or `,`", *span),
            Some(Pending::Paren(span)) => ("an operator or `)`", *span),
            _ => ("an operator", Span::of(rest, 0)),
        };
        let mut trouble = Trouble::expected(rest, what);
        trouble.related = Some((opened, "for what begins here"));
        Err(nom::Err::Failure(trouble))
    }
}

/// Signs of other languages: theirs, ours, what for.
const FOREIGN: [(&str, &str, &str); 7] = [
    ("==", "=", "equality"),
    ("&&", "&", "conjunction"),
    ("||", "|", "disjunction"),
    ("^^", "^", "exclusive or"),
    ("<=>", "<->", "equivalence"),
    ("=>", "->", "implication"),
    ("**", "*", "multiplication"),
];

const FOREIGN_WORDS: [(&str, &str, &str); 5] = [
    ("and", "&", "conjunction"),
    ("or", "|", "disjunction"),
    ("xor", "^", "exclusive or"),
    ("mod", "%", "the remainder"),
    ("div", "/", "division"),
];

fn foreign(rest: &str, theirs: &str, ours: &str, what: &str) -> Trouble {
    debug_assert!(!is_keyword(theirs));
    Trouble::new(Span::of(rest, theirs.len()), format!("unknown operator {}", shown(theirs)))
        .with_help(format!("{what} is written `{ours}`"))
}
