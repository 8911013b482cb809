//! The prefix form of the tool LBT, which others read and write, too: `| U p0 p1 G ! p2`. Operators: `! X F G & | ^ i e U V
//! R W M`, where `i` is implication, `e` equivalence and `V` release; `t` and `f` are the constants. Propositions are all
//! other words, and what cannot be anything else: `{x == y}`, `@fail`, `main:L`.

use std::ops::Range;

use spds_format::reading::complaints::Complaints;

use super::formula::{Formula, Formulas, Ltl, Op};
use super::lexer::{Token, TokenKind};
use super::proposition::{Kind, Proposition};

/// What a token is.
enum Part {
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
    let parts: Vec<Part> = tokens.iter().map(|token| part(text, token)).collect();
    for part in &parts {
        if let Part::Proposition(proposition) = part {
            formulas.proposition(proposition.clone());
        }
    }
    let mut operands: Vec<(Formula, Range<usize>)> = Vec::new();
    for (part, token) in parts.into_iter().zip(tokens).rev() {
        let word = &text[token.span.clone()];
        let (formula, end) = match part {
            Part::Constant(constant) => (constant, token.span.end),
            Part::Proposition(proposition) => (formulas.proposition(proposition), token.span.end),
            Part::Unknown => {
                complaints.error(format!("`{word}` is no operator of the prefix form"), token.span.clone());
                (Formula::TRUE, token.span.end)
            }
            Part::Operator(_, number) if operands.len() < number => {
                let formulas = if number == 1 { "a formula" } else { "two formulas" };
                complaints.error(format!("`{word}` needs {formulas} behind it"), token.span.clone());
                operands.clear();
                (Formula::TRUE, token.span.end)
            }
            Part::Operator(op, number) => {
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

fn part(text: &str, token: &Token) -> Part {
    let word = &text[token.span.clone()];
    let named = |kind: Kind, inner| Part::Proposition(Proposition { kind, span: token.span.clone(), inner });
    match (&token.kind, word) {
        (TokenKind::Word, "t") => Part::Constant(Formula::TRUE),
        (TokenKind::Word, "f") => Part::Constant(Formula::FALSE),
        (_, "!") => Part::Operator(Op::Not, 1),
        (TokenKind::Word, "X") => Part::Operator(Op::Next, 1),
        (TokenKind::Word, "F") => Part::Operator(Op::Finally, 1),
        (TokenKind::Word, "G") => Part::Operator(Op::Globally, 1),
        (_, "&") => Part::Operator(Op::And, 2),
        (_, "|") => Part::Operator(Op::Or, 2),
        (_, "^") => Part::Operator(Op::Xor, 2),
        (TokenKind::Word, "i") => Part::Operator(Op::Implies, 2),
        (TokenKind::Word, "e") => Part::Operator(Op::Iff, 2),
        (TokenKind::Word, "U") => Part::Operator(Op::Until, 2),
        (TokenKind::Word, "V" | "R") => Part::Operator(Op::Release, 2),
        (TokenKind::Word, "W") => Part::Operator(Op::WeakUntil, 2),
        (TokenKind::Word, "M") => Part::Operator(Op::StrongRelease, 2),
        (TokenKind::Word, word) if !word.starts_with(|c: char| c.is_ascii_digit()) => {
            named(Kind::Name(word.to_owned()), token.span.start)
        }
        (TokenKind::Proposition(kind, inner), _) => named(kind.clone(), *inner),
        _ => Part::Unknown,
    }
}
