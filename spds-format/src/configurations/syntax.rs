//! The notation's grammar: from text to places and operations in postorder. Names are not looked up here.

use crate::diagnostic::Diagnostic;
use crate::lexis::{Parsed, Span, Trouble, Word, blank, name, number, shown, sign};
use crate::reading::precedence::{Expressions, Next, Taken, expression};
use crate::statement::diagnostic;

/// One `<…>`.
#[derive(Clone, Debug)]
pub(super) struct Set<'a> {
    pub(super) control: Option<Control<'a>>,
    /// A regular expression in postorder; never empty.
    pub(super) nodes: Vec<Node<'a>>,
    pub(super) span: Span,
}

/// What stands before the comma.
#[derive(Clone, Debug)]
pub(super) struct Control<'a> {
    /// `None` is any control location.
    pub(super) name: Option<Word<'a>>,
    pub(super) condition: Option<Bracket<'a>>,
}

/// A condition and where it stands, its brackets not included.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bracket<'a> {
    pub(super) text: &'a str,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum Node<'a> {
    /// One symbol.
    Symbol(SymbolName<'a>, Span, Option<Bracket<'a>>),
    /// The empty word.
    Empty,
    Concat,
    Union,
    Repeat(Repeat),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeat {
    /// `*`
    Any,
    /// `+`
    Some,
    /// `?`
    Maybe,
}

/// How a symbol, or one of several, is named.
#[derive(Clone, Debug)]
pub(super) enum SymbolName<'a> {
    /// `.`
    Any,
    /// A label, a symbol or a procedure.
    Name(Word<'a>),
    /// `proc:L`
    Label(Word<'a>, Word<'a>),
    /// `*:L`
    AnyLabel(Word<'a>),
    /// `:LINE`
    Line(u64),
    /// `@at(proc)` and its like.
    Event(Event, Word<'a>),
}

/// Which symbols of a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    At,
    Entry,
    Call,
    Return,
    Calling,
}

pub(super) const EVENTS: [(&str, Event); 5] = [
    ("@at", Event::At),
    ("@entry", Event::Entry),
    ("@call", Event::Call),
    ("@return", Event::Return),
    ("@calling", Event::Calling),
];

/// The sets of a union. After a mistake, reading goes on behind the next `>`.
pub(super) fn sets<'a>(text: &'a str) -> (Vec<Set<'a>>, Vec<Diagnostic>) {
    let (mut found, mut mistakes) = (Vec::new(), Vec::new());
    let mut rest = blank(text);
    loop {
        let after = match set(rest) {
            Ok((after, set)) => {
                found.push(set);
                after
            }
            Err(error) => {
                let trouble = match error {
                    nom::Err::Error(trouble) | nom::Err::Failure(trouble) => trouble,
                    nom::Err::Incomplete(_) => Trouble::expected(rest, "a set of configurations `<…>`"),
                };
                let at = trouble.span.range(text.len()).start;
                mistakes.push(diagnostic(trouble, text));
                let from = at.max(text.len() - rest.len());
                match text[from..].find('>') {
                    Some(end) => blank(&text[from + end + 1..]),
                    None => return (found, mistakes),
                }
            }
        };
        if after.is_empty() {
            return (found, mistakes);
        }
        match sign("|")(after) {
            Ok((next, _)) => rest = next,
            Err(_) => {
                let complain = mistakes.is_empty();
                if complain {
                    mistakes.push(diagnostic(Trouble::expected(after, "`|` and another `<…>`, or the end"), text));
                }
                return (found, mistakes);
            }
        }
    }
}

fn set(input: &str) -> Parsed<'_, Set<'_>> {
    let Ok((inside, open)) = sign("<")(input) else {
        return Trouble::expected(input, "`<`, as in `<p, main (f | g)* .*>`").fatal();
    };
    let (rest, control) = control(inside)?;
    let (rest, nodes) = stack(rest, open)?;
    let span = Span::of(input, input.len() - rest.len());
    Ok((rest, Set { control, nodes, span }))
}

/// `p,` or `.[g],`; nothing if no comma follows.
fn control(input: &str) -> Parsed<'_, Option<Control<'_>>> {
    let (mut rest, word) = match input.strip_prefix('.') {
        Some(rest) => (blank(rest), None),
        None if input.starts_with('[') => (input, None),
        None => match name(input) {
            Ok((rest, word)) => (rest, Some(word)),
            // What else is wrong will be found where the stack is read.
            Err(_) => return Ok((input, None)),
        },
    };
    let mut condition = None;
    if rest.starts_with('[') {
        let (after, bracket) = bracket(rest)?;
        (rest, condition) = (after, Some(bracket));
    }
    let Ok((rest, _)) = sign(",")(rest) else { return Ok((input, None)) };
    let any = |word: &Word<'_>| &*word.text == "_" && !is_quoted(input);
    Ok((rest, Some(Control { name: word.filter(|word| !any(word)), condition })))
}

fn is_quoted(input: &str) -> bool {
    input.starts_with('"')
}

/// The regular expression up to and including `>`.
fn stack(rest: &str, open: Span) -> Parsed<'_, Vec<Node<'_>>> {
    let mut reader = Stack { rest, nodes: Vec::new(), open: vec![open] };
    expression(&mut reader, &mut Vec::new())?;
    Ok((blank(&reader.rest[1..]), reader.nodes))
}

/// How symbols are put together, the loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Joined {
    Union,
    Concat,
}

struct Stack<'a> {
    rest: &'a str,
    nodes: Vec<Node<'a>>,
    /// The brackets that are open, `<` and then parentheses.
    open: Vec<Span>,
}

impl Stack<'_> {
    /// Whether an alternative ends here.
    fn at_end(&self) -> bool {
        self.rest.starts_with('|') || self.rest.starts_with(if self.open.len() > 1 { ')' } else { '>' })
    }

    fn repeats(&mut self) {
        let (rest, repeats) = repeats(self.rest);
        self.rest = rest;
        self.nodes.extend(repeats.into_iter().map(Node::Repeat));
    }
}

impl Expressions for Stack<'_> {
    type Operator = Joined;
    type Bracket = ();
    type Broken = nom::Err<Trouble>;

    fn operand(&mut self) -> Result<Taken<Joined, ()>, nom::Err<Trouble>> {
        if let Ok((rest, open)) = sign("(")(self.rest) {
            self.rest = rest;
            self.open.push(open);
            return Ok(Taken::Open(()));
        }
        if self.at_end() {
            self.nodes.push(Node::Empty);
            return Ok(Taken::Operand);
        }
        match symbol(self.rest) {
            Ok((rest, node)) => {
                self.rest = rest;
                self.nodes.push(node);
                self.repeats();
                Ok(Taken::Operand)
            }
            Err(nom::Err::Error(_)) => {
                let what = if self.open.len() > 1 { "a stack symbol or `)`" } else { "a stack symbol or `>`" };
                let mut trouble = Trouble::expected(self.rest, what);
                trouble.related = self.open.last().map(|open| (*open, "for what begins here"));
                Err(nom::Err::Failure(trouble))
            }
            Err(other) => Err(other),
        }
    }

    fn operator(&mut self, _: bool) -> Result<Next<Joined, ()>, nom::Err<Trouble>> {
        if let Ok((rest, _)) = sign("|")(self.rest) {
            self.rest = rest;
            return Ok(Next::Infix(Joined::Union));
        }
        Ok(if self.at_end() { Next::End } else { Next::Infix(Joined::Concat) })
    }

    fn takes(&mut self, before: &mut Joined, next: &mut Joined) -> bool {
        before >= next
    }

    fn apply(&mut self, joined: Joined) {
        self.nodes.push(if joined == Joined::Union { Node::Union } else { Node::Concat });
    }

    fn close(&mut self, (): ()) -> Result<Taken<Joined, ()>, nom::Err<Trouble>> {
        self.rest = blank(&self.rest[1..]);
        self.open.pop();
        self.repeats();
        Ok(Taken::Operand)
    }
}

/// `*`, `+`, `?`; but `*:L` behind a blank begins a place.
fn repeats(mut rest: &str) -> (&str, Vec<Repeat>) {
    let mut found = Vec::new();
    loop {
        let repeat = match rest.bytes().next() {
            Some(b'*') if any_label(rest) => return (rest, found),
            Some(b'*') => Repeat::Any,
            Some(b'+') => Repeat::Some,
            Some(b'?') => Repeat::Maybe,
            _ => return (rest, found),
        };
        found.push(repeat);
        rest = blank(&rest[1..]);
    }
}

/// Whether `*:L` begins here.
fn any_label(input: &str) -> bool {
    input.strip_prefix("*:").is_some_and(|label| !label.starts_with(|c: char| c.is_ascii_digit()))
}

/// A place, perhaps with a condition.
fn symbol(input: &str) -> Parsed<'_, Node<'_>> {
    let (after, place) = place(input)?;
    let named = input.len() - after.len();
    let span = Span::of(input, input[..named].trim_end().len());
    if !after.starts_with('[') {
        return Ok((after, Node::Symbol(place, span, None)));
    }
    let (rest, condition) = bracket(after)?;
    Ok((rest, Node::Symbol(place, span, Some(condition))))
}

fn place(input: &str) -> Parsed<'_, SymbolName<'_>> {
    if let Ok((rest, _)) = sign(".")(input) {
        return Ok((rest, SymbolName::Any));
    }
    if any_label(input) {
        let (rest, label) = label(&input[2..])?;
        return Ok((rest, SymbolName::AnyLabel(label)));
    }
    if let Some(line) = input.strip_prefix(':') {
        let Ok((rest, (line, _))) = number(line) else {
            return Trouble::expected(line, "the number of a line behind `:`")
                .with_help("a label of a procedure is written `proc:L`, one of any procedure `*:L`")
                .fatal();
        };
        return Ok((rest, SymbolName::Line(line)));
    }
    let (rest, word) = name(input)?;
    let end = &input[word.span.range(input.len()).end..];
    if let Some(after) = end.strip_prefix(':') {
        let (rest, label) = label(after)?;
        return Ok((rest, SymbolName::Label(word, label)));
    }
    if !is_quoted(input)
        && word.text.starts_with('@')
        && let Some(inside) = rest.strip_prefix('(')
    {
        let Some((_, event)) = EVENTS.iter().find(|(text, _)| *text == word.text) else {
            if end.len() > rest.len() || ["@end", "@fail"].contains(&&*word.text) {
                return Ok((rest, SymbolName::Name(word)));
            }
            let known: Vec<String> = EVENTS.iter().map(|(text, _)| format!("`{text}(proc)`")).collect();
            return Trouble::new(word.span, format!("unknown {}", shown(&word.text)))
                .with_help(format!("there are {}", known.join(", ")))
                .fatal();
        };
        let Ok((after, procedure)) = name(blank(inside)) else {
            return Trouble::expected(blank(inside), "the name of a procedure").fatal();
        };
        let Ok((after, _)) = sign(")")(after) else { return Trouble::expected(after, "`)`").fatal() };
        return Ok((after, SymbolName::Event(*event, procedure)));
    }
    Ok((rest, SymbolName::Name(word)))
}

fn label(input: &str) -> Parsed<'_, Word<'_>> {
    match name(input) {
        Err(nom::Err::Error(_)) => Trouble::expected(input, "a label behind `:`").fatal(),
        other => other,
    }
}

/// `[…]`; brackets inside it come in pairs, and names in quotes or braces may contain any.
fn bracket(input: &str) -> Parsed<'_, Bracket<'_>> {
    let bytes = input.as_bytes();
    let mut closing = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match (byte, closing.last()) {
            (b'\\', Some(b'"')) => at += 1,
            (byte, Some(end)) if byte == end => {
                closing.pop();
                if closing.is_empty() {
                    let text = &input[1..at];
                    return Ok((blank(&input[at + 1..]), Bracket { text, span: Span::of(&input[1..], text.len()) }));
                }
            }
            (_, Some(b'"')) => {}
            (b'"', _) => closing.push(b'"'),
            (b'[', Some(b']') | None) => closing.push(b']'),
            (b'{', _) => closing.push(b'}'),
            _ => {}
        }
        at += 1;
    }
    Trouble::new(Span::of(input, 1), "this `[` is not closed").fatal()
}
