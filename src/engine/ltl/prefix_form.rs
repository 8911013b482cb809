//! The prefix form of the tool LBT, which others read and write, too: `| U p0 p1 G ! p2`. Operators: `! X F G & | ^ i e U V
//! R W M`, where `i` is implication, `e` equivalence and `V` release; `t` and `f` are the constants. Propositions are all
//! other words, and what cannot be anything else: `{x == y}`, `@fail`, `main:L`.

use std::ops::Range;

use spds_format::reading::complaints::Complaints;

use super::formula::{Formula, Formulas, Ltl, Op};
use super::lexer::{Token, TokenKind};
use super::proposition::{Proposition, PropositionKind};

/// What a token is.
enum Meaning {
    Constant(Formula),
    Proposition(Proposition),
    Operator(Op, usize),
    Unknown,
}

/// Reads tokens from behind, so that operands are there before their operators and nothing recurses. The result means
/// something only if there are no complaints.
pub(super) fn parse(text: &str, tokens: &[Token], complaints: &mut Complaints) -> Ltl {
    let mut formulas = Formulas::new();
    // In reading order, so that propositions are numbered by their first occurrence.
    let parts: Vec<Meaning> = tokens.iter().map(|token| part(text, token)).collect();
    for part in &parts {
        if let Meaning::Proposition(proposition) = part {
            formulas.proposition(proposition.clone());
        }
    }
    let mut operands: Vec<(Formula, Range<usize>)> = Vec::new();
    for (part, token) in parts.into_iter().zip(tokens).rev() {
        let word = &text[token.span.clone()];
        let (formula, end) = match part {
            Meaning::Constant(constant) => (constant, token.span.end),
            Meaning::Proposition(proposition) => (formulas.proposition(proposition), token.span.end),
            Meaning::Unknown => {
                complaints.error(format!("`{word}` is no operator of the prefix form"), token.span.clone());
                (Formula::TRUE, token.span.end)
            }
            Meaning::Operator(_, number) if operands.len() < number => {
                let formulas = if number == 1 { "a formula" } else { "two formulas" };
                complaints.error(format!("`{word}` needs {formulas} behind it"), token.span.clone());
                operands.clear();
                (Formula::TRUE, token.span.end)
            }
            Meaning::Operator(op, number) => {
                let own: Vec<(Formula, Range<usize>)> = operands.drain(operands.len() - number..).rev().collect();
                let list: Vec<Formula> = own.iter().map(|(formula, _)| *formula).collect();
                (formulas.make(op, &list), own[number - 1].1.end)
            }
        };
        operands.push((formula, token.span.start..end));
    }
    let root = match operands.pop() {
        Some((root, _)) => root,
        None => {
            complaints.error("the formula is empty", text.len()..text.len());
            Formula::TRUE
        }
    };
    if let Some((_, rest)) = operands.pop() {
        complaints.error("the formula has ended before this", rest);
    }
    Ltl { formulas, root }
}

fn part(text: &str, token: &Token) -> Meaning {
    let word = &text[token.span.clone()];
    let named =
        |kind: PropositionKind, inner| Meaning::Proposition(Proposition { kind, span: token.span.clone(), inner });
    match (&token.kind, word) {
        (TokenKind::Word, "t") => Meaning::Constant(Formula::TRUE),
        (TokenKind::Word, "f") => Meaning::Constant(Formula::FALSE),
        (_, "!") => Meaning::Operator(Op::Not, 1),
        (TokenKind::Word, "X") => Meaning::Operator(Op::Next, 1),
        (TokenKind::Word, "F") => Meaning::Operator(Op::Finally, 1),
        (TokenKind::Word, "G") => Meaning::Operator(Op::Globally, 1),
        (_, "&") => Meaning::Operator(Op::And, 2),
        (_, "|") => Meaning::Operator(Op::Or, 2),
        (_, "^") => Meaning::Operator(Op::Xor, 2),
        (TokenKind::Word, "i") => Meaning::Operator(Op::Implies, 2),
        (TokenKind::Word, "e") => Meaning::Operator(Op::Iff, 2),
        (TokenKind::Word, "U") => Meaning::Operator(Op::Until, 2),
        (TokenKind::Word, "V" | "R") => Meaning::Operator(Op::Release, 2),
        (TokenKind::Word, "W") => Meaning::Operator(Op::WeakUntil, 2),
        (TokenKind::Word, "M") => Meaning::Operator(Op::StrongRelease, 2),
        (TokenKind::Word, word) if !word.starts_with(|c: char| c.is_ascii_digit()) => {
            named(PropositionKind::Name(word.to_owned()), token.span.start)
        }
        (TokenKind::Proposition(kind, inner), _) => named(kind.clone(), *inner),
        _ => Meaning::Unknown,
    }
}
