//! Reading the statements of a text: definitions, declarations, the start, sets of symbols, rules.
//!
//! They may come in any order, though Moped wants them in this one; definitions before their use. After a syntax error
//! reading goes on at the next line that begins a statement, so that one reading finds many of them.

use rustc_hash::FxHashMap;
use spds_format::Diagnostic;
use spds_format::model::Type;

use super::expression::Pending;
use super::lexer::{Kind, Lexer, Span};
use super::tree::{Atoms, Block, Declared, Expression, Node, Rule, Start, Tree};
use spds_format::reading::complaints::Complaints;

/// A syntax error has been reported; the reader goes on at the next point of recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Broken;

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
    pub lexer: Lexer<'t>,
    pub names: Names,
    pub defines: FxHashMap<String, u64>,
    pub complaints: Complaints,
    /// Whether there was a syntax error, so that the tree has gaps.
    pub broken: bool,
    pub tree: Tree,
    /// Of the expression at hand.
    pub nodes: Vec<Node>,
    pub pending: Vec<Pending>,
}

const KEYWORDS: [&str; 4] = ["define", "global", "local", "atoms"];

impl<'t> Parser<'t> {
    pub fn new(text: &'t str, names: Names, defines: FxHashMap<String, u64>) -> Self {
        Parser {
            lexer: Lexer::new(text),
            names,
            defines,
            complaints: Complaints::default(),
            broken: false,
            tree: Tree::default(),
            nodes: Vec::new(),
            pending: Vec::new(),
        }
    }

    /// Reads a whole text. Constants in `fixed` keep their value, whatever the text defines.
    pub fn statements(&mut self, fixed: &[(String, u64)]) {
        loop {
            let token = self.lexer.peek();
            let outcome = match token.kind {
                Kind::Eof => return,
                Kind::Open => self.start(),
                _ => {
                    let word = self.lexer.peek_word();
                    match self.lexer.text_of(word) {
                        "define" => self.define(word, fixed),
                        "global" => self.global(word),
                        "local" => self.local(word),
                        "atoms" => self.atoms(word),
                        "bool" | "int" => self.stray(),
                        _ => self.rule(),
                    }
                }
            };
            if outcome.is_err() {
                self.recover(token.span.start);
            }
        }
    }

    // ---- tokens and complaints

    pub fn expect(&mut self, kind: Kind, what: &str) -> Result<Span, Broken> {
        match self.lexer.take(kind) {
            Some(span) => Ok(span),
            None => self.unexpected(what),
        }
    }

    fn word(&mut self, what: &str) -> Result<Span, Broken> {
        match self.lexer.word() {
            Some(span) => Ok(span),
            None => self.unexpected(what),
        }
    }

    fn complaint_here(&mut self, expected: &str) -> Diagnostic {
        let token = self.lexer.peek();
        let text = self.lexer.text_of(token.span);
        let found = match token.kind {
            Kind::Eof => "the end of the file".to_owned(),
            Kind::Unknown if text.starts_with('"') => {
                return Diagnostic::error("this text in quotes does not end on its line", token.span.range());
            }
            Kind::Unknown => format!("`{}`", text.escape_default()),
            _ => format!("`{text}`"),
        };
        Diagnostic::error(format!("expected {expected}, found {found}"), token.span.range())
    }

    pub fn unexpected<T>(&mut self, expected: &str) -> Result<T, Broken> {
        let complaint = self.complaint_here(expected);
        self.complaints.push(complaint);
        self.broken = true;
        Err(Broken)
    }

    pub fn unclosed<T>(&mut self, closing: &str, opened: Span) -> Result<T, Broken> {
        let complaint = self.complaint_here(&format!("{closing} or an operator"));
        self.complaints.push(complaint.with_related(opened.range(), "opened here"));
        self.broken = true;
        Err(Broken)
    }

    /// Goes on at a line that begins a statement, after the one on which the broken statement begins.
    fn recover(&mut self, begin: u32) {
        self.lexer.offset = begin;
        loop {
            let rest = &self.lexer.text.as_bytes()[self.lexer.offset as usize..];
            let Some(line) = rest.iter().position(|byte| *byte == b'\n') else {
                self.lexer.offset += rest.len() as u32;
                return;
            };
            self.lexer.offset += line as u32 + 1;
            if self.begins_statement() {
                return;
            }
        }
    }

    fn begins_statement(&self) -> bool {
        let mut ahead = self.lexer;
        let word = ahead.peek_word();
        let text = ahead.text_of(word);
        if KEYWORDS.contains(&text) {
            return true;
        }
        let start = ahead.take(Kind::Open).is_some();
        ahead.word().is_some()
            && ahead.take(Kind::Lt).is_some()
            && ahead.word().is_some()
            && ahead.take(Kind::Gt).is_some()
            && ahead.take(if start { Kind::Close } else { Kind::Arrow }).is_some()
    }

    // ---- declarations

    fn keyword(&mut self, word: Span) {
        self.lexer.offset = word.end;
    }

    fn define(&mut self, word: Span, fixed: &[(String, u64)]) -> Result<(), Broken> {
        self.keyword(word);
        let Some(name) = self.lexer.take(Kind::Name) else { return self.unexpected("the name of a constant") };
        let (value, _) = self.constant()?;
        let text = self.lexer.text_of(name);
        if fixed.iter().any(|(known, _)| known == text) {
            return Ok(());
        }
        if self.defines.insert(text.to_owned(), value.unwrap_or(0)).is_some() {
            self.complaints.error(format!("the constant `{text}` is defined twice"), name.range());
        }
        Ok(())
    }

    fn global(&mut self, word: Span) -> Result<(), Broken> {
        self.keyword(word);
        let mut variables = std::mem::take(&mut self.tree.globals);
        let outcome = self.declarations(&mut variables);
        self.tree.globals = variables;
        outcome
    }

    fn local(&mut self, word: Span) -> Result<(), Broken> {
        self.keyword(word);
        let name = if self.lexer.peek().kind == Kind::Open { None } else { Some(self.word("`(`")?) };
        self.expect(Kind::Open, "`(` and the names of stack symbols")?;
        let symbols = self.words("the name of a stack symbol")?;
        self.expect(Kind::Close, "`)` or `,`")?;
        let mut variables = Vec::new();
        let outcome = self.declarations(&mut variables);
        self.tree.blocks.push(Block { name, symbols, variables });
        outcome
    }

    fn words(&mut self, what: &str) -> Result<Vec<Span>, Broken> {
        let mut words = vec![self.word(what)?];
        while self.lexer.take(Kind::Comma).is_some() {
            words.push(self.word(what)?);
        }
        Ok(words)
    }

    fn stray(&mut self) -> Result<(), Broken> {
        let complaint = self.complaint_here("`global`, `local` or a rule");
        let help = "declarations follow `global` or `local (symbols)`";
        self.complaints.push(complaint.with_help(help));
        self.broken = true;
        Err(Broken)
    }

    /// One or more lists of variables.
    fn declarations(&mut self, variables: &mut Vec<Declared>) -> Result<(), Broken> {
        let mut any = false;
        loop {
            let token = self.lexer.peek();
            let integers = match (token.kind, self.lexer.text_of(token.span)) {
                (Kind::Name, "bool") => false,
                (Kind::Name, "int") => true,
                _ if any => return Ok(()),
                _ => return self.unexpected("`bool` or `int`"),
            };
            any = true;
            self.lexer.skip(token);
            loop {
                let declared = self.declared(integers)?;
                variables.push(declared);
                if self.lexer.take(Kind::Comma).is_none() {
                    break;
                }
            }
            self.expect(Kind::Semicolon, "`;` or `,`")?;
        }
    }

    fn declared(&mut self, integer: bool) -> Result<Declared, Broken> {
        let Some(name) = self.lexer.take(Kind::Name) else { return self.unexpected("the name of a variable") };
        let text = self.lexer.text_of(name);
        if self.defines.contains_key(text) {
            let message = format!("`{text}` is a defined constant and cannot be declared as a variable");
            self.complaints.error(message, name.range());
        }
        let mut range = None;
        if self.lexer.take(Kind::OpenBracket).is_some() {
            range = Some(self.dimension()?);
        }
        let mut ty = Type::BOOL;
        if integer {
            if self.lexer.peek().kind != Kind::Open {
                let complaint = self.complaint_here("`(` and a number of bits");
                self.complaints.push(complaint.with_help(format!("an integer of 3 bits is declared as `{text}(3)`")));
                self.broken = true;
                return Err(Broken);
            }
            self.expect(Kind::Open, "`(`")?;
            let (bits, span) = self.constant()?;
            self.expect(Kind::Close, "`)`")?;
            let bits = bits.unwrap_or(1);
            if !(1..=64).contains(&bits) {
                self.complaints.error("an integer has between 1 and 64 bits", span.range());
            }
            ty = Type::unsigned(bits.clamp(1, 64) as u8);
        }
        if let Some((first, last)) = range {
            ty = ty.array(first, last);
        }
        Ok(Declared { name, ty })
    }

    /// `n]` or `first, last]`
    fn dimension(&mut self) -> Result<(u32, u32), Broken> {
        let (one, begin) = self.constant()?;
        let (first, last, span) = if self.lexer.take(Kind::Comma).is_some() {
            let (last, end) = self.constant()?;
            (one.unwrap_or(0), last.unwrap_or(0), begin.to(end))
        } else {
            let length = one.unwrap_or(1);
            if length == 0 {
                self.complaints.error("an array has at least one cell", begin.range());
            }
            (0, length.saturating_sub(1), begin)
        };
        self.expect(Kind::CloseBracket, "`]`")?;
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
        let Some(opened) = self.lexer.take(Kind::Open) else { return Ok(None) };
        let expression = self.expression()?;
        match self.lexer.take(Kind::Close) {
            Some(_) => Ok(Some(expression)),
            None => self.unclosed("`)`", opened),
        }
    }

    fn start(&mut self) -> Result<(), Broken> {
        let begin = self.expect(Kind::Open, "`(`")?;
        let control = self.word("a control location")?;
        let globals = self.parenthesised()?;
        self.expect(Kind::Lt, "`<` and a stack symbol")?;
        let symbol = self.word("a stack symbol")?;
        let locals = self.parenthesised()?;
        if !self.lexer.peek_word().range().is_empty() {
            let complaint = self.complaint_here("`>`");
            let help = "the stack has one symbol at the start; a first rule can push others";
            self.complaints.push(complaint.with_help(help));
            self.broken = true;
            return Err(Broken);
        }
        self.expect(Kind::Gt, "`>`")?;
        let end = self.expect(Kind::Close, "`)`")?;
        self.tree.starts.push(Start { span: begin.to(end), control, globals, symbol, locals });
        Ok(())
    }

    fn atoms(&mut self, word: Span) -> Result<(), Broken> {
        self.keyword(word);
        let first = self.word("a name")?;
        let others = self.words("a name")?;
        self.tree.atoms.push(Atoms { first, others });
        Ok(())
    }

    fn rule(&mut self) -> Result<(), Broken> {
        let control = self.word("a rule")?;
        self.expect(Kind::Lt, "`<` and a stack symbol")?;
        let symbol = self.word("a stack symbol")?;
        self.expect(Kind::Gt, "`>`")?;
        self.expect(Kind::Arrow, "`-->`")?;
        let to = self.word("a control location")?;
        self.expect(Kind::Lt, "`<`")?;
        let mut stack: Vec<Span> = Vec::new();
        while let Some(word) = self.lexer.word() {
            if stack.len() == 2 {
                self.complaints.error("a rule puts at most two symbols on the stack", word.range());
            }
            stack.push(word);
        }
        stack.truncate(2);
        let end = self.expect(Kind::Gt, "`>` or a stack symbol")?;
        let label = self.lexer.take(Kind::Text);
        let relation = self.parenthesised()?;
        self.tree.rules.push(Rule { span: control.to(end), from: (control, symbol), to, stack, label, relation });
        Ok(())
    }
}
