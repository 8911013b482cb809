//! Acceptance conditions: which of them come down to marks that must all be met infinitely often.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::bdd::label::{Label, Labels};

use super::super::marks::Marks;
use super::lex::{Token, TokenKind};
use super::{Refused, refuse};

/// An acceptance condition in postorder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Acceptance(Vec<Part>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Constant(bool),
    /// `Inf(n)`, or `Inf(!n)`
    Inf(u32, bool),
    Fin,
    And,
    Or,
}

/// What must be met infinitely often: an edge in one of some sets, or outside of one of others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Clause {
    inside: Vec<u32>,
    outside: Vec<u32>,
}

impl Clause {
    pub(super) fn met(&self, sets: &Marks) -> bool {
        self.inside.iter().any(|set| sets.has(*set)) || self.outside.iter().any(|set| !sets.has(*set))
    }
}

/// What waits for an operand, or for its end.
#[derive(Clone, Copy, PartialEq)]
enum Waiting {
    And,
    Or,
    Open,
}

/// Reads a condition over that many sets.
pub(super) fn parse(tokens: &[Token], whole: Range<usize>, sets: u32) -> Result<Acceptance, Refused> {
    let end = whole.end..whole.end;
    let at = |index: usize| tokens.get(index).map(|token| &token.kind);
    let place = |index: usize| tokens.get(index).map_or(end.clone(), |token| token.span.clone());
    let mut waiting: Vec<Waiting> = Vec::new();
    let mut parts = Vec::new();
    let mut here = 0;
    loop {
        match at(here) {
            Some(TokenKind::Symbol('(')) => {
                waiting.push(Waiting::Open);
                here += 1;
                continue;
            }
            Some(TokenKind::Identifier(name)) if name == "t" || name == "f" => {
                parts.push(Part::Constant(name == "t"));
                here += 1;
            }
            Some(TokenKind::Identifier(name)) if name == "Inf" || name == "Fin" => {
                let negated = at(here + 2) == Some(&TokenKind::Symbol('!'));
                let number = here + 2 + usize::from(negated);
                let (open, close) = (at(here + 1), at(number + 1));
                let (Some(TokenKind::Symbol('(')), Some(TokenKind::Symbol(')'))) = (open, close) else {
                    let message = format!("`{name}` needs a set in parentheses behind it: `{name}(0)`");
                    return refuse(message, place(here));
                };
                match at(number) {
                    Some(TokenKind::Number(set)) if *set < sets => {
                        parts.push(if name == "Inf" { Part::Inf(*set, !negated) } else { Part::Fin });
                    }
                    Some(TokenKind::Number(set)) => {
                        let message = format!("there is no acceptance set {set}: {sets} are announced");
                        return refuse(message, place(number));
                    }
                    _ => return refuse("the number of an acceptance set is missing", place(number)),
                }
                here = number + 2;
            }
            _ => return refuse("a part of the acceptance condition is missing here", place(here)),
        }
        loop {
            if waiting.pop_if(|last| *last == Waiting::And).is_some() {
                parts.push(Part::And);
            }
            if at(here) == Some(&TokenKind::Symbol('&')) {
                waiting.push(Waiting::And);
                here += 1;
                break;
            }
            if waiting.pop_if(|last| *last == Waiting::Or).is_some() {
                parts.push(Part::Or);
            }
            if at(here) == Some(&TokenKind::Symbol('|')) {
                waiting.push(Waiting::Or);
                here += 1;
                break;
            }
            if waiting.pop_if(|last| *last == Waiting::Open).is_some() {
                if at(here) != Some(&TokenKind::Symbol(')')) {
                    return refuse("`)` is missing in the acceptance condition", place(here));
                }
                here += 1;
            } else if here < tokens.len() {
                return refuse("`&`, `|` or the next header is expected here", place(here));
            } else {
                return Ok(Acceptance(parts));
            }
        }
    }
}

impl Acceptance {
    /// The clauses that must all be met infinitely often: to meet one of two infinitely often is to meet their union
    /// infinitely often, so every positive combination has such a form.
    ///
    /// # Errors
    /// What the condition does that has no such form, as the end of a sentence.
    pub(super) fn clauses(&self, labels: &mut Labels) -> Result<Vec<Clause>, &'static str> {
        // Each atom is a variable of its own, so that `Inf(0)` and `Inf(!0)` are not taken for opposites.
        let mut atoms: Vec<(u32, bool)> = Vec::new();
        let mut known: FxHashMap<(u32, bool), u32> = FxHashMap::default();
        let mut values: Vec<Label> = Vec::new();
        for part in &self.0 {
            let value = match part {
                Part::Constant(true) => Label::TRUE,
                Part::Constant(false) => Label::FALSE,
                Part::Inf(set, inside) => {
                    let fresh = atoms.len() as u32;
                    let atom = *known.entry((*set, *inside)).or_insert(fresh);
                    if atom == fresh {
                        atoms.push((*set, *inside));
                    }
                    labels.proposition(atom)
                }
                Part::Fin => return Err("uses `Fin`, which asks for something to happen only finitely often"),
                Part::And | Part::Or => {
                    let right = values.pop().expect("the condition is in postorder");
                    let left = values.pop().expect("the condition is in postorder");
                    if *part == Part::And { labels.and(left, right) } else { labels.or(left, right) }
                }
            };
            values.push(value);
        }
        let condition = values.pop().expect("the condition is not empty");
        let negation = labels.not(condition);
        let clause = |cube: Vec<(u32, bool)>| {
            let mut clause = Clause::default();
            for (atom, _) in cube {
                let (set, inside) = atoms[atom as usize];
                if inside { clause.inside.push(set) } else { clause.outside.push(set) }
            }
            clause
        };
        // The negation is closed under making atoms false, so its cubes are its prime implicants, with negative literals
        // only; each is the negation of a clause. A clause without atoms (of `f`) is never met.
        Ok(labels.cubes(negation).into_iter().map(clause).collect())
    }
}
