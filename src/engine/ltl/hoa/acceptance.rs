//! Acceptance conditions: which of them come down to marks that must all be met infinitely often.

use std::ops::Range;

use rustc_hash::FxHashMap;
use spds_format::reading::precedence::{Expressions, Next, Taken, expression};

use crate::bdd::label::{Label, Labels};

use super::super::marks::Marks;
use super::lex::{Token, TokenKind};
use super::{Refused, refuse};

/// An acceptance condition in postorder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Acceptance(Vec<AcceptanceOp>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AcceptanceOp {
    Constant(bool),
    Sometimes(Truth),
    And,
    Or,
}

/// The edges in a set, or those outside of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Atom {
    set: u32,
    inside: bool,
}

impl Atom {
    /// Whether an edge in these sets is one of them.
    pub(super) fn met(self, sets: &Marks) -> bool {
        sets.has(self.set) == self.inside
    }
}

/// What a condition is made of: edges that are taken infinitely often, or finitely often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    /// `Inf(n)`, or `Inf(!n)`
    Inf(Atom),
    /// `Fin(n)`, or `Fin(!n)`
    Fin(Atom),
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

/// Reads a condition over that many sets.
pub(super) fn parse(tokens: &[Token], whole: Range<usize>, sets: u32) -> Result<Acceptance, Refused> {
    let mut condition = Condition { tokens, end: whole.end..whole.end, at: 0, sets, parts: Vec::new() };
    expression(&mut condition, &mut Vec::new())?;
    if condition.at < tokens.len() {
        return refuse("`&`, `|` or the next header is expected here", condition.place(condition.at));
    }
    Ok(Acceptance(condition.parts))
}

/// A condition that is being read.
struct Condition<'t> {
    tokens: &'t [Token],
    end: Range<usize>,
    /// The token to be read next.
    at: usize,
    sets: u32,
    parts: Vec<AcceptanceOp>,
}

impl<'t> Condition<'t> {
    fn kind(&self, index: usize) -> Option<&'t TokenKind> {
        self.tokens.get(index).map(|token| &token.kind)
    }

    fn place(&self, index: usize) -> Range<usize> {
        self.tokens.get(index).map_or(self.end.clone(), |token| token.span.clone())
    }

    /// `Inf(0)`, `Inf(!0)`, `Fin(0)`
    fn set(&mut self, name: &str) -> Result<AcceptanceOp, Refused> {
        let here = self.at;
        let negated = self.kind(here + 2) == Some(&TokenKind::Symbol('!'));
        let number = here + 2 + usize::from(negated);
        let (open, close) = (self.kind(here + 1), self.kind(number + 1));
        let (Some(TokenKind::Symbol('(')), Some(TokenKind::Symbol(')'))) = (open, close) else {
            return refuse(format!("`{name}` needs a set in parentheses behind it: `{name}(0)`"), self.place(here));
        };
        self.at = number + 2;
        match self.kind(number) {
            Some(TokenKind::Number(set)) if *set < self.sets => {
                let atom = Atom { set: *set, inside: !negated };
                Ok(AcceptanceOp::Sometimes(if name == "Inf" { Truth::Inf(atom) } else { Truth::Fin(atom) }))
            }
            Some(TokenKind::Number(set)) => {
                let message = format!("there is no acceptance set {set}: {} are announced", self.sets);
                refuse(message, self.place(number))
            }
            _ => refuse("the number of an acceptance set is missing", self.place(number)),
        }
    }
}

impl Expressions for Condition<'_> {
    type Operator = AcceptanceOp;
    type Bracket = ();
    type Broken = Refused;

    fn operand(&mut self) -> Result<Taken<AcceptanceOp, ()>, Refused> {
        let part = match self.kind(self.at) {
            Some(TokenKind::Symbol('(')) => {
                self.at += 1;
                return Ok(Taken::Open(()));
            }
            Some(TokenKind::Identifier(name)) if name == "t" || name == "f" => {
                self.at += 1;
                AcceptanceOp::Constant(name == "t")
            }
            Some(TokenKind::Identifier(name)) if name == "Inf" || name == "Fin" => self.set(name)?,
            _ => return refuse("a part of the acceptance condition is missing here", self.place(self.at)),
        };
        self.parts.push(part);
        Ok(Taken::Operand)
    }

    fn operator(&mut self, _: bool) -> Result<Next<AcceptanceOp, ()>, Refused> {
        let operator = match self.kind(self.at) {
            Some(TokenKind::Symbol('&')) => AcceptanceOp::And,
            Some(TokenKind::Symbol('|')) => AcceptanceOp::Or,
            _ => return Ok(Next::End),
        };
        self.at += 1;
        Ok(Next::Infix(operator))
    }

    fn takes(&mut self, before: &mut AcceptanceOp, next: &mut AcceptanceOp) -> bool {
        *before == AcceptanceOp::And || *next == AcceptanceOp::Or
    }

    fn apply(&mut self, operator: AcceptanceOp) {
        self.parts.push(operator);
    }

    fn close(&mut self, (): ()) -> Result<Taken<AcceptanceOp, ()>, Refused> {
        if self.kind(self.at) != Some(&TokenKind::Symbol(')')) {
            return refuse("`)` is missing in the acceptance condition", self.place(self.at));
        }
        self.at += 1;
        Ok(Taken::Operand)
    }
}

impl Acceptance {
    /// The clauses that must all be met infinitely often: to meet one of two infinitely often is to meet their union
    /// infinitely often, so every positive combination has such a form.
    ///
    /// `None` if the condition speaks of `Fin`.
    pub(super) fn clauses(&self, labels: &mut Labels) -> Option<Vec<Clause>> {
        // Each atom is a variable of its own, so that `Inf(0)` and `Inf(!0)` are not taken for opposites.
        let mut atoms: Vec<Atom> = Vec::new();
        let mut known: FxHashMap<Atom, u32> = FxHashMap::default();
        let mut values: Vec<Label> = Vec::new();
        for part in &self.0 {
            let value = match part {
                AcceptanceOp::Constant(true) => Label::TRUE,
                AcceptanceOp::Constant(false) => Label::FALSE,
                AcceptanceOp::Sometimes(Truth::Inf(atom)) => {
                    let fresh = atoms.len() as u32;
                    let variable = *known.entry(*atom).or_insert(fresh);
                    if variable == fresh {
                        atoms.push(*atom);
                    }
                    labels.proposition(variable)
                }
                AcceptanceOp::Sometimes(Truth::Fin(_)) => return None,
                AcceptanceOp::And | AcceptanceOp::Or => {
                    let right = values.pop().expect("the condition is in postorder");
                    let left = values.pop().expect("the condition is in postorder");
                    if *part == AcceptanceOp::And { labels.and(left, right) } else { labels.or(left, right) }
                }
            };
            values.push(value);
        }
        let condition = values.pop().expect("the condition is not empty");
        let negation = labels.not(condition);
        let clause = |cube: Vec<(u32, bool)>| {
            let mut clause = Clause::default();
            for (variable, _) in cube {
                let Atom { set, inside } = atoms[variable as usize];
                if inside { clause.inside.push(set) } else { clause.outside.push(set) }
            }
            clause
        };
        // The negation is closed under making atoms false, so its cubes are its prime implicants, with negative literals
        // only; each is the negation of a clause. A clause without atoms (of `f`) is never met.
        Some(labels.cubes(negation).into_iter().map(clause).collect())
    }

    /// Whether the condition holds, given what does of its parts.
    pub(super) fn holds(&self, truth: impl Fn(Truth) -> bool) -> bool {
        let mut values: Vec<bool> = Vec::new();
        for part in &self.0 {
            let value = match part {
                AcceptanceOp::Constant(value) => *value,
                AcceptanceOp::Sometimes(sometimes) => truth(*sometimes),
                AcceptanceOp::And | AcceptanceOp::Or => {
                    let right = values.pop().expect("the condition is in postorder");
                    let left = values.pop().expect("the condition is in postorder");
                    if *part == AcceptanceOp::And { left && right } else { left || right }
                }
            };
            values.push(value);
        }
        values.pop().expect("the condition is not empty")
    }

    /// The condition of the runs that this one rejects.
    pub(super) fn negated(&self) -> Acceptance {
        let negated = |part: &AcceptanceOp| match part {
            AcceptanceOp::Constant(value) => AcceptanceOp::Constant(!value),
            AcceptanceOp::Sometimes(Truth::Inf(atom)) => AcceptanceOp::Sometimes(Truth::Fin(*atom)),
            AcceptanceOp::Sometimes(Truth::Fin(atom)) => AcceptanceOp::Sometimes(Truth::Inf(*atom)),
            AcceptanceOp::And => AcceptanceOp::Or,
            AcceptanceOp::Or => AcceptanceOp::And,
        };
        Acceptance(self.0.iter().map(negated).collect())
    }

    /// What it wants to be met finitely often only.
    pub(super) fn finite(&self) -> impl Iterator<Item = Atom> + '_ {
        self.0.iter().filter_map(|part| match part {
            AcceptanceOp::Sometimes(Truth::Fin(atom)) => Some(*atom),
            _ => None,
        })
    }
}
