//! What each token is where it stands: an operand, a prefix, an operator between two operands. Here all mistakes of
//! syntax are found; how tightly operators bind does not matter yet.

use std::ops::Range;

use spds_format::Diagnostic;
use spds_format::reading::complaints::Complaints;

use super::bounded::Bounds;
use super::formula::Op;
use super::lexer::{Token, TokenKind};
use super::proposition::{Proposition, PropositionKind};

/// A token with its part in the formula. In a list of them operands and operators alternate rightly and parentheses
/// match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) part: Role,
    pub(super) span: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Open,
    Close,
    Prefix(Op),
    /// A prefix that counts steps.
    Bounded(Op, Bounds),
    Infix(Op),
    Constant(bool),
    Proposition(Proposition),
}

/// What may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Operand,
    Operator,
}

/// Gives each token its part. `known` says which words are names in the program at hand: `Fail` is a proposition if it
/// is one, and otherwise `F ail`.
pub(super) fn pieces(
    text: &str,
    tokens: &[Token],
    known: &dyn Fn(&str) -> bool,
    complaints: &mut Complaints,
) -> Vec<Piece> {
    let mut grammar = Grammar { text, tokens, known, complaints, pieces: Vec::new(), open: Vec::new() };
    grammar.run();
    grammar.pieces
}

struct Grammar<'a, 'c> {
    text: &'a str,
    tokens: &'a [Token],
    known: &'a dyn Fn(&str) -> bool,
    complaints: &'c mut Complaints,
    pieces: Vec<Piece>,
    /// Parentheses not closed yet.
    open: Vec<Range<usize>>,
}

impl Grammar<'_, '_> {
    fn run(&mut self) {
        let mut place = Expected::Operand;
        for index in 0..self.tokens.len() {
            place = match place {
                Expected::Operand => self.operand(index),
                Expected::Operator => self.operator(index),
            };
        }
        let end = self.text.trim_end().len();
        if place == Expected::Operand {
            let message = match self.pieces.last() {
                None if !self.complaints.refused() => "the formula is empty".to_owned(),
                None => return,
                Some(last) => format!("`{}` needs a formula behind it", &self.text[last.span.clone()]),
            };
            self.missing(message, end..end);
        }
        for open in std::mem::take(&mut self.open) {
            self.complain("this parenthesis is never closed", open);
            self.pieces.push(Piece { part: Role::Close, span: end..end });
        }
    }

    fn text(&self, index: usize) -> &str {
        &self.text[self.tokens[index].span.clone()]
    }

    fn word(&self, index: usize) -> Option<&str> {
        (self.tokens.get(index)?.kind == TokenKind::Word).then(|| self.text(index))
    }

    fn push(&mut self, part: Role, span: Range<usize>) {
        self.pieces.push(Piece { part, span });
    }

    fn complain(&mut self, message: impl Into<String>, span: Range<usize>) {
        self.complaints.error(message, span);
    }

    /// Complains and goes on as if there were an operand.
    fn missing(&mut self, message: String, span: Range<usize>) {
        self.complain(message, span.clone());
        self.push(Role::Constant(true), span);
    }

    fn operand(&mut self, index: usize) -> Expected {
        let Token { kind, span } = self.tokens[index].clone();
        match kind {
            TokenKind::Open => {
                self.open.push(span.clone());
                self.push(Role::Open, span);
                Expected::Operand
            }
            TokenKind::Prefix(op) => {
                self.push(Role::Prefix(op), span);
                Expected::Operand
            }
            TokenKind::Proposition(kind, inner) => {
                self.push(Role::Proposition(Proposition { kind, span: span.clone(), inner }), span);
                Expected::Operator
            }
            TokenKind::Word => self.operand_word(index, span),
            TokenKind::Bounds(bounds) => {
                self.bounds(bounds, span);
                Expected::Operand
            }
            TokenKind::Close => {
                self.missing("a formula is missing before this parenthesis".into(), span.start..span.start + 1);
                self.operator(index)
            }
            TokenKind::Infix(_) => {
                self.missing(format!("`{}` needs a formula before it", self.text(index)), span);
                self.operator(index)
            }
        }
    }

    /// Bounds belong to the prefix before them.
    fn bounds(&mut self, bounds: Bounds, span: Range<usize>) {
        let Some(Piece { part: Role::Prefix(op), span: place }) = self.pieces.last().cloned() else {
            return self.complain("bounds must stand behind X, F or G", span);
        };
        let whole = place.start..span.end;
        match bounds.objection(op) {
            Some((objection, help)) => {
                let complaint = Diagnostic::error(format!("`{}` {objection}", &self.text[whole.clone()]), whole);
                self.complaints.push(if help.is_empty() { complaint } else { complaint.with_help(help) });
            }
            None => {
                self.pieces.pop();
                self.push(Role::Bounded(op, bounds), whole);
            }
        }
    }

    fn operand_word(&mut self, index: usize, span: Range<usize>) -> Expected {
        let word = self.text(index).to_owned();
        let known = (self.known)(&word);
        if let Some(op) = prefix_word(&word)
            && (!known || self.formula_follows(index))
        {
            self.push(Role::Prefix(op), span);
            return Expected::Operand;
        }
        if constant(&word).is_some() && !known {
            return self.name(&word, span);
        }
        let letters = word.find(|c| !matches!(c, 'F' | 'G' | 'X')).unwrap_or(word.len());
        let splits = letters == word.len() || word[letters..].starts_with(|c: char| c.is_lowercase());
        if letters > 0 && splits && !known {
            for (offset, letter) in word[..letters].char_indices() {
                let op = prefix_word(letter.encode_utf8(&mut [0; 4])).expect("F, G and X are prefixes");
                self.push(Role::Prefix(op), span.start + offset..span.start + offset + 1);
            }
            if letters == word.len() {
                return Expected::Operand;
            }
            return self.name(&word[letters..], span.start + letters..span.end);
        }
        self.name(&word, span)
    }

    /// A constant or the name of something.
    fn name(&mut self, word: &str, span: Range<usize>) -> Expected {
        let part = match constant(word) {
            Some(value) => Role::Constant(value),
            None if word.starts_with(|c: char| c.is_ascii_digit()) => {
                let complaint = Diagnostic::error(format!("`{word}` is no formula"), span.clone());
                self.complaints.push(complaint.with_help("numbers other than 0 and 1 go into braces: {x == 2}"));
                Role::Constant(true)
            }
            None => {
                let kind = PropositionKind::Name(word.to_owned());
                Role::Proposition(Proposition { kind, span: span.clone(), inner: span.start })
            }
        };
        self.push(part, span);
        Expected::Operator
    }

    /// Whether what comes after this word can be a formula, so that the word can be a prefix.
    fn formula_follows(&self, index: usize) -> bool {
        let begins = |index: usize| match self.tokens.get(index).map(|token| &token.kind) {
            None | Some(TokenKind::Close | TokenKind::Infix(_)) => false,
            Some(TokenKind::Open | TokenKind::Prefix(_) | TokenKind::Bounds(_) | TokenKind::Proposition(..)) => true,
            Some(TokenKind::Word) => infix_word(self.text(index)).is_none(),
        };
        let next_is_infix_word = self.word(index + 1).is_some_and(|word| infix_word(word).is_some());
        begins(index + 1) || next_is_infix_word && !begins(index + 2)
    }

    fn operator(&mut self, index: usize) -> Expected {
        let Token { kind, span } = self.tokens[index].clone();
        let op = match kind {
            TokenKind::Infix(op) => Some(op),
            TokenKind::Word => infix_word(self.text(index)),
            TokenKind::Close => {
                if self.open.pop().is_none() {
                    self.complain("this parenthesis closes nothing", span);
                } else {
                    self.push(Role::Close, span);
                }
                return Expected::Operator;
            }
            _ => None,
        };
        if let Some(op) = op {
            self.push(Role::Infix(op), span);
            return Expected::Operand;
        }
        let found = self.text(index);
        let found = if found.chars().count() > 40 { "this" } else { &format!("`{found}`") };
        let mut complaint = Diagnostic::error(format!("an operator is missing before {found}"), span.clone());
        if let Some(help) = self.advice(index) {
            complaint.help = Some(help);
        }
        self.complaints.push(complaint);
        self.push(Role::Infix(Op::And), span);
        self.operand(index)
    }

    /// What the user may have meant by a word that is no operator, or by the one before it that is no prefix.
    fn advice(&self, index: usize) -> Option<String> {
        let past = "NuSMV's operators about the past (Y, Z, H, O, S, T) do not exist here";
        if self.word(index).is_some_and(|word| matches!(word, "S" | "T")) {
            return Some(past.into());
        }
        let before = self.word(index.checked_sub(1)?)?;
        match before {
            "Y" | "Z" | "H" | "O" => Some(past.into()),
            "A" | "E" => Some("formulas of branching time do not exist here".into()),
            "AG" | "AF" | "AX" => {
                let operator = &before[1..];
                Some(format!("formulas are about every run: for `{before}` write `{operator}`"))
            }
            "EG" | "EF" | "EX" => Some("formulas are about every run: ask whether the negation holds".into()),
            "globally" => Some("this operator is written `G`, `[]` or `always`".into()),
            "finally" | "future" => Some("this operator is written `F`, `<>` or `eventually`".into()),
            "F" | "G" | "X" => {
                Some(format!("`{before}` is the name of something here; to use the operator add parentheses behind it"))
            }
            _ => None,
        }
    }
}

fn constant(word: &str) -> Option<bool> {
    match word {
        "true" | "True" | "TRUE" | "1" => Some(true),
        "false" | "False" | "FALSE" | "0" => Some(false),
        _ => None,
    }
}

fn prefix_word(word: &str) -> Option<Op> {
    Some(match word {
        "F" | "eventually" => Op::Finally,
        "G" | "always" => Op::Globally,
        "X" | "next" => Op::Next,
        "not" => Op::Not,
        _ => return None,
    })
}

fn infix_word(word: &str) -> Option<Op> {
    Some(match word {
        "U" | "until" => Op::Until,
        "R" | "V" | "release" => Op::Release,
        "W" | "weakuntil" => Op::WeakUntil,
        "M" => Op::StrongRelease,
        "and" => Op::And,
        "or" => Op::Or,
        "xor" => Op::Xor,
        "implies" => Op::Implies,
        "equivalent" => Op::Iff,
        _ => return None,
    })
}
