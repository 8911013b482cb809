//! Reads a text into statements, by nom; recovers after a mistake at the next `;` or at the next line that begins
//! with a declaration's keyword.

use std::borrow::Cow;

use nom::Parser;
use nom::branch::alt;
use nom::combinator::{map, opt};
use nom::multi::{many1, separated_list1};
use nom::sequence::{delimited, pair, preceded, terminated};

use crate::diagnostic::Diagnostic;
use crate::expr::Time;
use crate::expression::{RawOp, Reference, expression, reference};
use crate::lexis::{Parsed, Span, Trouble, Word, blank, expect, keyword, name, number, shown, sign, variable};
use crate::model::{Scalar, Type};
use crate::reading::near::did_you_mean;

/// The version of the notation that this reader knows.
const VERSION: u64 = 1;

/// After so many mistakes the reader gives up, and says so.
pub(crate) const MISTAKES: usize = 100;

/// A whole text, statement by statement.
#[derive(Default, Debug)]
pub(crate) struct Text<'a> {
    pub(crate) files: Vec<Word<'a>>,
    pub(crate) globals: Vec<Variable<'a>>,
    pub(crate) frames: Vec<Frame<'a>>,
    pub(crate) controls: Vec<Word<'a>>,
    pub(crate) symbols: Vec<Symbol<'a>>,
    pub(crate) rules: Vec<Rule<'a>>,
    pub(crate) starts: Vec<Start<'a>>,
    pub(crate) atoms: Vec<Atom<'a>>,
    pub(crate) ends: Vec<Word<'a>>,
    pub(crate) fails: Vec<Word<'a>>,
}

#[derive(Debug)]
pub(crate) struct Variable<'a> {
    pub(crate) name: Word<'a>,
    pub(crate) ty: Type,
    pub(crate) hidden: bool,
}

#[derive(Debug)]
pub(crate) struct Frame<'a> {
    pub(crate) name: Word<'a>,
    pub(crate) variables: Vec<Variable<'a>>,
}

#[derive(Debug)]
pub(crate) struct Symbol<'a> {
    pub(crate) name: Word<'a>,
    pub(crate) frame: Option<Word<'a>>,
    pub(crate) place: Option<RawPlace<'a>>,
    pub(crate) labels: Vec<Word<'a>>,
    pub(crate) invariant: Option<Vec<RawOp<'a>>>,
}

#[derive(Debug)]
pub(crate) struct RawPlace<'a> {
    pub(crate) file: Word<'a>,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

#[derive(Debug)]
pub(crate) struct Rule<'a> {
    pub(crate) span: Span,
    pub(crate) silent: bool,
    pub(crate) control: Word<'a>,
    pub(crate) symbol: Word<'a>,
    pub(crate) to: Word<'a>,
    pub(crate) stack: Vec<Word<'a>>,
    pub(crate) guard: Option<Vec<RawOp<'a>>>,
    pub(crate) updates: Vec<Update<'a>>,
    pub(crate) with: Option<Vec<RawOp<'a>>>,
    pub(crate) label: Option<Word<'a>>,
}

#[derive(Debug)]
pub(crate) struct Update<'a> {
    pub(crate) target: Reference<'a>,
    pub(crate) span: Span,
    pub(crate) index: Option<Vec<RawOp<'a>>>,
    pub(crate) value: Vec<RawOp<'a>>,
}

#[derive(Debug)]
pub(crate) struct Start<'a> {
    pub(crate) span: Span,
    pub(crate) control: Word<'a>,
    pub(crate) stack: Vec<Word<'a>>,
    pub(crate) condition: Option<Vec<RawOp<'a>>>,
}

#[derive(Debug)]
pub(crate) struct Atom<'a> {
    pub(crate) name: Word<'a>,
    pub(crate) frame: Option<Word<'a>>,
    pub(crate) condition: Vec<RawOp<'a>>,
}

/// The kinds of statements, by the words that begin them.
const STATEMENTS: [&str; 11] =
    ["file", "global", "frame", "control", "symbol", "rule", "silent", "start", "atom", "end", "fail"];

/// What could be read, what could not, and the keywords of the statements that it concerns.
pub(crate) struct Reading<'a> {
    pub(crate) text: Text<'a>,
    pub(crate) mistakes: Vec<Diagnostic>,
    pub(crate) broken: Vec<&'static str>,
}

/// Reads all statements.
pub(crate) fn read(source: &str) -> Reading<'_> {
    let mut reading = Reading { text: Text::default(), mistakes: Vec::new(), broken: Vec::new() };
    let total = source.len();
    let mut rest = blank(source.strip_prefix('\u{feff}').unwrap_or(source));
    match header(rest) {
        Ok((after, ())) => rest = after,
        Err(trouble) => {
            reading.mistakes.push(diagnostic(trouble, source));
            let line = rest.find('\n').map_or("", |end| blank(&rest[end..]));
            // A header that is wrong fills its line; where it is missing, there is a statement to be read.
            if beginning(rest).is_none() {
                rest = line;
            }
        }
    }
    while !rest.is_empty() {
        if reading.mistakes.len() >= MISTAKES {
            let unread = total - rest.len()..total - rest.len();
            reading
                .mistakes
                .push(Diagnostic::error("too many mistakes: the text was not read beyond this point", unread));
            break;
        }
        let begun = rest;
        match statement(rest, &mut reading.text) {
            Ok((after, ())) => rest = after,
            Err(nom::Err::Incomplete(_)) => break,
            Err(nom::Err::Error(trouble) | nom::Err::Failure(trouble)) => {
                reading.broken.extend(beginning(begun));
                let failed = trouble.span.range(total).start;
                reading.mistakes.push(diagnostic(trouble, source));
                rest = recover(begun, failed - (total - begun.len()));
            }
        }
    }
    reading
}

/// In the terms of the whole text.
pub(crate) fn diagnostic(trouble: Trouble, source: &str) -> Diagnostic {
    let total = source.len();
    let mut diagnostic = Diagnostic::error(trouble.message, trouble.span.range(total));
    diagnostic.help = trouble.help.map(Cow::into_owned);
    if let Some((span, remark)) = trouble.related {
        diagnostic = diagnostic.with_related(span.range(total), remark);
    }
    diagnostic
}

/// A condition that stands by itself.
pub(crate) fn condition(text: &str) -> Result<Vec<RawOp<'_>>, Vec<Diagnostic>> {
    let trouble = match expression(blank(text)) {
        Ok(("", raw)) => return Ok(raw),
        Ok((rest, _)) => Trouble::expected(rest, "an operator or the end"),
        Err(nom::Err::Incomplete(_)) => return Err(vec![Diagnostic::global("the condition is not complete")]),
        Err(nom::Err::Error(trouble) | nom::Err::Failure(trouble)) => trouble,
    };
    Err(vec![diagnostic(trouble, text)])
}

/// The keyword of the statement that begins here.
fn beginning(input: &str) -> Option<&'static str> {
    STATEMENTS.iter().copied().find(|word| keyword(word)(input).is_ok())
}

/// The text after the statement that begins with `begun` and went wrong `failed` bytes later.
fn recover(begun: &str, failed: usize) -> &str {
    let bytes = begun.as_bytes();
    let mut open = 0usize;
    let mut fresh_line = false;
    let mut at = 0;
    while at < bytes.len() {
        if fresh_line && at >= failed && beginning(&begun[at..]).is_some() {
            return &begun[at..];
        }
        let byte = bytes[at];
        fresh_line = byte == b'\n' || (fresh_line && byte.is_ascii_whitespace());
        at += match byte {
            b'"' => quoted_length(&begun[at..]),
            b'/' if begun[at..].starts_with("//") => begun[at..].find('\n').unwrap_or(begun.len() - at),
            _ => 1,
        };
        match byte {
            b'{' => open += 1,
            b'}' => open = open.saturating_sub(1),
            b';' if open == 0 && at > failed => return blank(&begun[at..]),
            _ => (),
        }
        // Inside a character of several bytes nothing can begin.
        while !begun.is_char_boundary(at) {
            at += 1;
        }
    }
    ""
}

/// How far a quoted name goes, or the rest of its line.
fn quoted_length(input: &str) -> usize {
    let bytes = input.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\n' => return at,
            b'"' => return at + 1,
            b'\\' if bytes.get(at + 1).is_some_and(|b| *b != b'\n') => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// `spds 1`
fn header(input: &str) -> Result<(&str, ()), Trouble> {
    let missing = || {
        let span = Span::of(input, 0);
        Trouble::new(span, "the text does not begin with `spds 1`")
            .with_help("the first line names the format and its version: `spds 1`")
    };
    let (rest, _) = keyword("spds")(input).map_err(|_| missing())?;
    match number(rest) {
        Ok((rest, (VERSION, _))) => Ok((sign(";")(rest).map_or(rest, |(rest, _)| rest), ())),
        Ok((_, (version, span))) => Err(Trouble::new(span, format!("version {version} of the format is not known"))
            .with_help(format!("this reader knows version {VERSION}"))),
        Err(_) => Err(Trouble::expected(rest, "the version of the format, `1`")),
    }
}

/// One statement, put where it belongs.
fn statement<'a>(input: &'a str, text: &mut Text<'a>) -> Parsed<'a, ()> {
    let Some(word) = beginning(input) else { return no_statement(input).fatal() };
    let (rest, _) = keyword(word)(input)?;
    let rest = match word {
        "file" => append(&mut text.files, many(name_of("a file"))(rest)?),
        "global" => append(&mut text.globals, many(variable_declaration)(rest)?),
        "control" => append(&mut text.controls, many(name_of("a control location"))(rest)?),
        "frame" => {
            let (rest, frame) = frame(rest)?;
            text.frames.push(frame);
            return Ok((sign(";")(rest).map_or(rest, |(rest, _)| rest), ()));
        }
        "symbol" => push(&mut text.symbols, symbol(rest)?),
        "rule" => push(&mut text.rules, rule(rest, false)?),
        "silent" => {
            let (rest, _) = expect("`rule` after `silent`", keyword("rule"))(rest)?;
            push(&mut text.rules, rule(rest, true)?)
        }
        "start" => push(&mut text.starts, start(rest)?),
        "atom" => push(&mut text.atoms, atom(rest)?),
        "end" => push(&mut text.ends, name_of("a symbol")(rest)?),
        _ => push(&mut text.fails, name_of("a symbol")(rest)?),
    };
    match sign(";")(rest) {
        Ok((rest, _)) => Ok((rest, ())),
        Err(_) => unfinished(rest, word).fatal(),
    }
}

fn append<'a, T>(list: &mut Vec<T>, (rest, items): (&'a str, Vec<T>)) -> &'a str {
    list.extend(items);
    rest
}

fn push<'a, T>(list: &mut Vec<T>, (rest, item): (&'a str, T)) -> &'a str {
    list.push(item);
    rest
}

/// Nothing that begins a statement.
fn no_statement(input: &str) -> Trouble {
    let trouble = Trouble::expected(input, "a declaration or a rule");
    let word: &str = &input[..input.bytes().take_while(u8::is_ascii_alphanumeric).count()];
    if input.starts_with(';') {
        return trouble.with_help("a frame ends with `}`, everything else with one `;`");
    }
    match did_you_mean(word, STATEMENTS) {
        Some(question) => trouble.with_help(question),
        None => trouble.with_help(
            "the words that begin one are: file, global, frame, control, symbol, rule, silent rule, start, atom, end, fail",
        ),
    }
}

/// A statement that does not end where it should.
fn unfinished(input: &str, word: &str) -> Trouble {
    let trouble = Trouble::expected(input, "`;`");
    let clauses = match word {
        "symbol" => "`in`, `at`, `labels`, `invariant`",
        "rule" | "silent" => "`when`, `{ … }`, `with`, `label`",
        "atom" => "`in`, `when`",
        _ => return trouble,
    };
    let late = ["in", "at", "labels", "invariant", "when", "with", "label"].iter().any(|k| keyword(k)(input).is_ok());
    if late || input.starts_with('{') {
        return trouble.with_help(format!("each clause stands at most once, in this order: {clauses}"));
    }
    trouble
}

fn many<'a, T>(mut item: impl FnMut(&'a str) -> Parsed<'a, T>) -> impl FnMut(&'a str) -> Parsed<'a, Vec<T>> {
    move |input| separated_list1(sign(","), &mut item).parse(input)
}

fn name_of<'a>(what: &'static str) -> impl FnMut(&'a str) -> Parsed<'a, Word<'a>> {
    move |input| match name(input) {
        Err(nom::Err::Error(_)) => Trouble::expected(input, &format!("the name of {what}")).fatal(),
        other => other,
    }
}

/// `[hidden] x: u4[1..8]`
fn variable_declaration(input: &str) -> Parsed<'_, Variable<'_>> {
    let (rest, hidden) = opt(keyword("hidden")).parse(input)?;
    let (rest, name) = expect("the name of a variable", variable)(rest)?;
    let (rest, _) = expect("`:` and a type", sign(":"))(blank(rest))?;
    let (rest, scalar) = scalar(rest)?;
    let (rest, range) = opt(delimited(
        sign("["),
        pair(terminated(expect("the first index", index), expect("`..`", sign(".."))), expect("the last index", index)),
        expect("`]`", sign("]")),
    ))
    .parse(rest)?;
    Ok((rest, Variable { name, ty: Type { scalar, range }, hidden: hidden.is_some() }))
}

/// `bool` or `u1` … `u64`
fn scalar(input: &str) -> Parsed<'_, Scalar> {
    let Ok((rest, word)) = name(input) else { return Trouble::expected(input, "a type").with_help(TYPES).fatal() };
    let digits = word.text.strip_prefix('u').filter(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()));
    match (&*word.text, digits.map(str::parse::<u8>)) {
        ("bool", _) => Ok((rest, Scalar::Bool)),
        (_, Some(Ok(bits @ 1..=64))) if !word.text.starts_with("u0") => Ok((rest, Scalar::Unsigned(bits))),
        (text, _) => Trouble::new(word.span, format!("unknown type {}", shown(text))).with_help(TYPES).fatal(),
    }
}

const TYPES: &str = "a type is `bool`, or `u1` to `u64` for unsigned integers of so many bits; \
    `[1..8]` behind it makes an array with these indices";

fn index(input: &str) -> Parsed<'_, u32> {
    small(input, "an index")
}

/// A number that fits 32 bits.
fn small<'a>(input: &'a str, what: &str) -> Parsed<'a, u32> {
    let (rest, (value, span)) = number(input)?;
    match u32::try_from(value) {
        Ok(value) => Ok((rest, value)),
        Err(_) => Trouble::new(span, format!("{value} is too large for {what}"))
            .with_help(format!("at most {} will do", u32::MAX))
            .fatal(),
    }
}

/// `main { h: bool, x: u3 }`
fn frame(input: &str) -> Parsed<'_, Frame<'_>> {
    let (rest, name) = name_of("a frame")(input)?;
    let (mut rest, _) = expect("`{` and the variables of the frame", sign("{"))(rest)?;
    let mut variables = Vec::new();
    loop {
        if let Ok((rest, _)) = sign("}")(rest) {
            return Ok((rest, Frame { name, variables }));
        }
        let (after, variable) = variable_declaration(rest)?;
        variables.push(variable);
        rest = match sign(",")(after) {
            Ok((after, _)) => after,
            Err(_) if after.starts_with('}') => after,
            Err(_) => return Trouble::expected(after, "`,` or `}`").fatal(),
        };
    }
}

/// `main/0 in main at lock.bp:7:3 labels R invariant g | h`
fn symbol(input: &str) -> Parsed<'_, Symbol<'_>> {
    let (rest, name) = name_of("a symbol")(input)?;
    let (rest, frame) = opt(preceded(keyword("in"), name_of("a frame"))).parse(rest)?;
    let (rest, place) = opt(preceded(keyword("at"), place)).parse(rest)?;
    let (rest, labels) = opt(preceded(keyword("labels"), many(name_of("a label")))).parse(rest)?;
    let (rest, invariant) = opt(preceded(keyword("invariant"), expression)).parse(rest)?;
    Ok((rest, Symbol { name, frame, place, labels: labels.unwrap_or_default(), invariant }))
}

/// `lock.bp:7:3`
fn place(input: &str) -> Parsed<'_, RawPlace<'_>> {
    let (rest, file) = name_of("a source file")(input)?;
    let (rest, line) =
        preceded(expect("`:` and a line", sign(":")), expect("a line", |i| small(i, "a line"))).parse(rest)?;
    let (rest, column) =
        preceded(expect("`:` and a column", sign(":")), expect("a column", |i| small(i, "a column"))).parse(rest)?;
    Ok((rest, RawPlace { file, line, column }))
}

/// `<p, γ …>`, or `<p>` with an empty stack; and where it stands.
fn configuration(input: &str) -> Parsed<'_, (Word<'_>, Vec<Word<'_>>, Span)> {
    let (rest, _) = expect("`<`, a control location, `,` and stack symbols", sign("<"))(input)?;
    let (rest, control) = name_of("a control location")(rest)?;
    let (rest, stack) = opt(preceded(sign(","), many1(name))).parse(rest)?;
    let what = if stack.is_some() { "a stack symbol or `>`" } else { "`,` and stack symbols, or `>`" };
    let Ok((after, _)) = sign(">")(rest) else { return Trouble::expected(rest, what).fatal() };
    let span = Span::of(input, input.len() - rest.len() + 1);
    Ok((after, (control, stack.unwrap_or_default(), span)))
}

/// `<p, γ> -> <p', w> when … { … } with … label …`
fn rule(input: &str, silent: bool) -> Parsed<'_, Rule<'_>> {
    let (rest, (control, mut left, from)) = configuration(input)?;
    let (Some(symbol), None) = (left.pop(), left.pop()) else {
        return Trouble::new(from, "the left side of a rule has exactly one stack symbol")
            .with_help("a rule applies to a control location and the topmost stack symbol: `<p, a> -> …`")
            .fatal();
    };
    let (rest, _) = expect("`->`", sign("->"))(rest)?;
    let (rest, (to, stack, right)) = configuration(rest)?;
    if stack.len() > 2 {
        return Trouble::new(right, "the right side of a rule has at most two stack symbols")
            .with_help("none is a return, one a step, two a call: the new top and the symbol below it")
            .fatal();
    }
    let (rest, guard) = opt(preceded(keyword("when"), expression)).parse(rest)?;
    let (rest, updates) = opt(preceded(sign("{"), updates)).parse(rest)?;
    let (rest, with) = opt(preceded(keyword("with"), expression)).parse(rest)?;
    let (rest, label) = opt(preceded(keyword("label"), name_of("a label"))).parse(rest)?;
    let updates = updates.unwrap_or_default();
    Ok((rest, Rule { span: from.to(right), silent, control, symbol, to, stack, guard, updates, with, label }))
}

/// `x' := e; a'[i] := f; }`
fn updates(mut rest: &str) -> Parsed<'_, Vec<Update<'_>>> {
    let mut updates = Vec::new();
    loop {
        if let Ok((rest, _)) = sign("}")(rest) {
            return Ok((rest, updates));
        }
        let (after, update) = update(rest)?;
        updates.push(update);
        rest = match sign(";")(after) {
            Ok((after, _)) => after,
            Err(_) if after.starts_with('}') => after,
            Err(_) => return Trouble::expected(after, "`;` or `}`").fatal(),
        };
    }
}

/// `x' := e`
fn update(input: &str) -> Parsed<'_, Update<'_>> {
    let (rest, (target, span)) = expect("an assignment such as `x' := 1`, or `}`", reference)(input)?;
    if target.time == Time::Before {
        let written = &input[..input.len() - rest.len()];
        return Trouble::new(span, "an assignment sets the value after the step")
            .with_help(format!("write `{}'`", written.trim_end()))
            .fatal();
    }
    let (rest, index) = opt(delimited(sign("["), expression, expect("`]`", sign("]")))).parse(rest)?;
    let (rest, _) = match alt((map(sign(":="), |_| true), map(sign("="), |_| false))).parse(rest) {
        Ok((_, false)) => return Trouble::expected(rest, "`:=`").with_help("`=` compares; `:=` assigns").fatal(),
        Ok(done) => done,
        Err(_) => return Trouble::expected(rest, "`:=`").fatal(),
    };
    let (rest, value) = expression(rest)?;
    Ok((rest, Update { target, span, index, value }))
}

/// `<p, main/0 @end> when …`
fn start(input: &str) -> Parsed<'_, Start<'_>> {
    let (rest, (control, stack, span)) = configuration(input)?;
    let (rest, condition) = opt(preceded(keyword("when"), expression)).parse(rest)?;
    Ok((rest, Start { span, control, stack, condition }))
}

/// `full in main when x = 7`
fn atom(input: &str) -> Parsed<'_, Atom<'_>> {
    let (rest, name) = name_of("an atom")(input)?;
    let (rest, frame) = opt(preceded(keyword("in"), name_of("a frame"))).parse(rest)?;
    let (rest, condition) = preceded(expect("`when` and a condition", keyword("when")), expression).parse(rest)?;
    Ok((rest, Atom { name, frame, condition }))
}
