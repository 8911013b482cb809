//! Reading the statements of a text: definitions, declarations, the start, sets of symbols, rules.
//!
//! They may come in any order, though Moped wants them in this one; definitions before their use. After a syntax error
//! reading goes on at the next line that begins a statement, so that one reading finds many of them.

use nom::sequence::{delimited, pair, preceded, terminated};
use rustc_hash::FxHashMap;
use spds_format::model::Type;
use spds_format::reading::complaints::Complaints;
use spds_format::reading::grammar::{after, by, next, read, separated, token};
use spds_format::reading::precedence::Stack;
use spds_format::reading::tokens::{Broken, Reader, Span};

use super::lexer::{MopedPds, TokenKind, Tokens, word};
use super::tree::{Atoms, Block, Declared, Expression, Node, Rule, Start, Tree};

/// Which names may stand in expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Names {
    /// Names.
    OfRules,
    /// Also `block.name` and `::name`, as propositions write them.
    Qualified,
}

/// The state of reading one text.
pub(super) struct Parser<'t> {
    pub cursor: Tokens<'t>,
    pub names: Names,
    pub defines: FxHashMap<String, u64>,
    pub complaints: Complaints,
    /// Whether there was a syntax error, so that the tree has gaps.
    pub broken: bool,
    pub tree: Tree,
    /// Of the expression at hand.
    pub nodes: Vec<Node>,
    /// Operators and brackets; empty between expressions.
    pub waiting: Stack<Self>,
}

/// The words with which statements begin that are no rules.
const KEYWORDS: [&str; 4] = ["define", "global", "local", "atoms"];

/// The words that mean something where they stand.
pub fn keywords() -> Vec<&'static str> {
    KEYWORDS.into_iter().chain(["bool", "int"]).collect()
}

impl<'t> Reader<'t> for Parser<'t> {
    type Lexis = MopedPds;

    fn cursor(&mut self) -> &mut Tokens<'t> {
        &mut self.cursor
    }

    fn complaints(&mut self) -> &mut Complaints {
        &mut self.complaints
    }
}

impl<'t> Parser<'t> {
    pub fn new(text: &'t str, names: Names, defines: FxHashMap<String, u64>) -> Self {
        Parser {
            cursor: Tokens::new(text, MopedPds),
            names,
            defines,
            complaints: Complaints::default(),
            broken: false,
            tree: Tree::default(),
            nodes: Vec::new(),
            waiting: Stack::<Self>::new(),
        }
    }

    /// Reads a whole text. Constants in `fixed` keep their value, whatever the text defines.
    pub fn statements(&mut self, fixed: &[(String, u64)]) {
        while !self.cursor.is(TokenKind::Eof) {
            let begin = self.cursor.start();
            let outcome = match self.cursor.kind() {
                TokenKind::Open => self.start(),
                _ => match self.cursor.text_of(self.peek_word()) {
                    "define" => self.define(fixed),
                    "global" => self.global(),
                    "local" => self.local(),
                    "atoms" => self.atoms(),
                    "bool" | "int" => self.stray(),
                    _ => self.rule(),
                },
            };
            if outcome.is_err() {
                self.broken = true;
                self.recover(begin);
            }
        }
    }

    // ---- words

    /// The name of a control location or a stack symbol that begins here; empty if there is none.
    fn peek_word(&self) -> Span {
        let start = self.cursor.start();
        let length = word(&self.cursor.text.as_bytes()[start as usize..]);
        Span { start, end: start + length as u32 }
    }

    /// Takes such a name.
    fn word(&mut self, what: &str) -> Result<Span, Broken> {
        let span = self.peek_word();
        if span.range().is_empty() {
            return self.unexpected(what);
        }
        self.cursor.seek(span.end);
        Ok(span)
    }

    /// Takes the name of a variable or a constant.
    pub fn name(&mut self, what: &str) -> Result<Span, Broken> {
        let span = Span::from(self.cursor.token);
        self.expect(TokenKind::Name, what)?;
        Ok(span)
    }

    /// Goes on at a line that begins a statement, after the one on which the broken statement begins.
    fn recover(&mut self, begin: u32) {
        let text = self.cursor.text;
        let mut at = begin as usize;
        while let Some(line) = text[at..].find('\n') {
            at += line + 1;
            self.cursor.seek(at as u32);
            if self.begins_statement() {
                return;
            }
        }
        self.cursor.seek(text.len() as u32);
    }

    fn begins_statement(&self) -> bool {
        if KEYWORDS.contains(&self.cursor.text_of(self.peek_word())) {
            return true;
        }
        let mut ahead = self.cursor;
        let start = ahead.take(TokenKind::Open);
        let word = |ahead: &mut Tokens<'_>| {
            let length = word(&ahead.text.as_bytes()[ahead.start() as usize..]);
            ahead.seek(ahead.start() + length as u32);
            length > 0
        };
        word(&mut ahead)
            && ahead.take(TokenKind::Lt)
            && word(&mut ahead)
            && ahead.take(TokenKind::Gt)
            && ahead.is(if start { TokenKind::Close } else { TokenKind::Arrow })
    }

    // ---- declarations

    fn define(&mut self, fixed: &[(String, u64)]) -> Result<(), Broken> {
        let name = by(|parser: &mut Self| parser.name("the name of a constant"));
        let (name, (value, _)) = read(self, preceded(next(), pair(name, by(Self::constant))))?;
        let text = self.cursor.text_of(name);
        if fixed.iter().any(|(known, _)| known == text) {
            return Ok(());
        }
        if self.defines.insert(text.to_owned(), value.unwrap_or(0)).is_some() {
            self.complaints.error(format!("the constant `{text}` is defined twice"), name.range());
        }
        Ok(())
    }

    fn global(&mut self) -> Result<(), Broken> {
        self.bump();
        let mut variables = std::mem::take(&mut self.tree.globals);
        let outcome = self.declarations(&mut variables);
        self.tree.globals = variables;
        outcome
    }

    fn local(&mut self) -> Result<(), Broken> {
        self.bump();
        let name = if self.cursor.is(TokenKind::Open) { None } else { Some(self.word("`(`")?) };
        let mut symbols = Vec::new();
        let open = token(TokenKind::Open, "`(` and the names of stack symbols");
        let words = words("the name of a stack symbol", &mut symbols);
        read(self, delimited(open, words, token(TokenKind::Close, "`)` or `,`")))?;
        let mut variables = Vec::new();
        let outcome = self.declarations(&mut variables);
        self.tree.blocks.push(Block { name, symbols, variables });
        outcome
    }

    fn stray(&mut self) -> Result<(), Broken> {
        let complaint = self.instead_of("`global`, `local` or a rule");
        self.complain_about_token(complaint.with_help("declarations follow `global` or `local (symbols)`"));
        Err(Broken)
    }

    /// One or more lists of variables.
    fn declarations(&mut self, variables: &mut Vec<Declared>) -> Result<(), Broken> {
        let mut any = false;
        loop {
            let integers = match (self.cursor.kind(), self.cursor.word()) {
                (TokenKind::Name, "bool") => false,
                (TokenKind::Name, "int") => true,
                _ if any => return Ok(()),
                _ => return self.unexpected("`bool` or `int`"),
            };
            any = true;
            let declared = by(|parser: &mut Self| parser.declared(integers).map(|one| variables.push(one)));
            let end = token(TokenKind::Semicolon, "`;` or `,`");
            read(self, delimited(next(), separated(TokenKind::Comma, declared), end))?;
        }
    }

    fn declared(&mut self, integer: bool) -> Result<Declared, Broken> {
        let name = self.name("the name of a variable")?;
        let text = self.cursor.text_of(name);
        if self.defines.contains_key(text) {
            let message = format!("`{text}` is a defined constant and cannot be declared as a variable");
            self.complaints.error(message, name.range());
        }
        let range = read(self, after(TokenKind::OpenBracket, by(Self::dimension)))?;
        let mut ty = if integer { self.bits(text)? } else { Type::BOOL };
        if let Some((first, last)) = range {
            ty = ty.array(first, last);
        }
        Ok(Declared { name, ty })
    }

    /// `(3)` behind the name of an integer.
    fn bits(&mut self, name: &str) -> Result<Type, Broken> {
        if !self.cursor.is(TokenKind::Open) {
            let complaint = self.instead_of("`(` and a number of bits");
            self.complain_about_token(complaint.with_help(format!("an integer of 3 bits is declared as `{name}(3)`")));
            return Err(Broken);
        }
        let (bits, span) = read(self, delimited(next(), by(Self::constant), token(TokenKind::Close, "`)`")))?;
        let bits = bits.unwrap_or(1);
        if !(1..=64).contains(&bits) {
            self.complaints.error("an integer has between 1 and 64 bits", span.range());
        }
        Ok(Type::unsigned(bits.clamp(1, 64) as u8))
    }

    /// `n]` or `first, last]`
    fn dimension(&mut self) -> Result<(u32, u32), Broken> {
        let bounds = pair(by(Self::constant), after(TokenKind::Comma, by(Self::constant)));
        let ((one, begin), last) = read(self, terminated(bounds, token(TokenKind::CloseBracket, "`]`")))?;
        let (first, last, span) = match last {
            Some((last, end)) => (one.unwrap_or(0), last.unwrap_or(0), begin.to(end)),
            None => {
                let length = one.unwrap_or(1);
                if length == 0 {
                    self.complaints.error("an array has at least one cell", begin.range());
                }
                (0, length.saturating_sub(1), begin)
            }
        };
        let fits = |index: u64| u32::try_from(index).ok().filter(|index| *index < u32::MAX);
        match (fits(first), fits(last)) {
            (Some(first), Some(last)) if first <= last => Ok((first, last)),
            (Some(first), Some(_)) => {
                self.complaints.error("the last index of an array comes after the first", span.range());
                Ok((first, first))
            }
            _ => {
                self.complaints.error("the indices of an array are less than 2^32 - 1", span.range());
                Ok((0, 0))
            }
        }
    }

    // ---- start, sets of symbols, rules

    fn parenthesised(&mut self) -> Result<Option<Expression>, Broken> {
        let opened = self.cursor.span();
        let expression = read(self, after(TokenKind::Open, by(Self::expression)))?;
        if expression.is_some() && !self.take(TokenKind::Close) {
            return self.unclosed("`)`", opened);
        }
        Ok(expression)
    }

    fn start(&mut self) -> Result<(), Broken> {
        let begin = self.cursor.start();
        let of = |what| pair(by(move |parser: &mut Self| parser.word(what)), by(Self::parenthesised));
        let left = delimited(next(), of("a control location"), token(TokenKind::Lt, "`<` and a stack symbol"));
        let ((control, globals), (symbol, locals)) = read(self, pair(left, of("a stack symbol")))?;
        if !self.peek_word().range().is_empty() {
            let complaint = self.instead_of("`>`");
            let help = "the stack has one symbol at the start; a first rule can push others";
            self.complain_about_token(complaint.with_help(help));
            return Err(Broken);
        }
        read(self, pair(token(TokenKind::Gt, "`>`"), token(TokenKind::Close, "`)`")))?;
        let span = Span { start: begin, end: self.cursor.previous_end };
        self.tree.starts.push(Start { span, control, globals, symbol, locals });
        Ok(())
    }

    fn atoms(&mut self) -> Result<(), Broken> {
        let mut others = Vec::new();
        let first = by(|parser: &mut Self| parser.word("a name"));
        let (first, ()) = read(self, preceded(next(), pair(first, words("a name", &mut others))))?;
        self.tree.atoms.push(Atoms { first, others });
        Ok(())
    }

    fn rule(&mut self) -> Result<(), Broken> {
        let word = |what| by(move |parser: &mut Self| parser.word(what));
        let open = token(TokenKind::Lt, "`<` and a stack symbol");
        let top = delimited(open, word("a stack symbol"), token(TokenKind::Gt, "`>`"));
        let left = terminated(pair(word("a rule"), top), token(TokenKind::Arrow, "`-->`"));
        let right = terminated(word("a control location"), token(TokenKind::Lt, "`<`"));
        let (from, to) = read(self, pair(left, right))?;
        let mut stack: Vec<Span> = Vec::new();
        while !self.peek_word().range().is_empty() {
            let symbol = self.word("a stack symbol")?;
            if stack.len() == 2 {
                self.complaints.error("a rule puts at most two symbols on the stack", symbol.range());
            }
            stack.push(symbol);
        }
        stack.truncate(2);
        self.expect(TokenKind::Gt, "`>` or a stack symbol")?;
        let span = Span { start: from.0.start, end: self.cursor.previous_end };
        let text = Span::from(self.cursor.token);
        let label = self.take(TokenKind::Text).then_some(text);
        let relation = self.parenthesised()?;
        self.tree.rules.push(Rule { span, from, to, stack, label, relation });
        Ok(())
    }
}

/// Names of stack symbols, separated by commas.
fn words<'r, 't: 'r>(
    what: &'static str,
    list: &mut Vec<Span>,
) -> impl nom::Parser<&'r mut Parser<'t>, Output = (), Error = Broken> {
    separated(TokenKind::Comma, by(move |parser: &mut Parser<'t>| parser.word(what).map(|word| list.push(word))))
}
