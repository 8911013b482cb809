//! What stacks of a C program weigh: in frames, or in bytes, as numbers and in terms of the entry's arguments.

use num_bigint::BigUint;

use crate::analyses::Analyses;
use crate::c::Program;
use crate::c::program::ProcedureId;
use crate::stack::Expression;
use crate::stack_usage::Frames;

use super::Bound;
use super::bytes::called_outside;
use super::terms::InArguments;
use super::ways::{Entered, Weights};

/// What stacks weigh.
pub(super) struct Weigh<'w> {
    pub program: &'w Program,
    pub analyses: &'w Analyses,
    pub bytes: Option<&'w Frames>,
}

impl Weigh<'_> {
    /// The frame of a procedure; nothing where it is not known.
    pub fn frame(&self, id: ProcedureId) -> BigUint {
        BigUint::from(self.bytes.and_then(|frames| frames.bytes.get(id.0 as usize)).copied().unwrap_or(0))
    }

    /// What lies on top of the frames of a procedure.
    fn top(&self, id: ProcedureId) -> BigUint {
        let outside = called_outside(self.program, self.analyses, id).into_iter().map(|id| self.frame(id));
        let beside = self.bytes.and_then(|frames| frames.beside.get(id.0 as usize)).copied().unwrap_or(0);
        outside.max().unwrap_or_default().max(BigUint::from(beside))
    }

    /// What a call adds to a stack.
    pub fn call(&self, call: Entered) -> BigUint {
        self.frame(call.callee) + call.by.map(|by| self.frame(by)).unwrap_or_default()
    }

    /// What may lie on top of the cut points.
    pub fn tops(&self, bound: &Bound) -> Vec<BigUint> {
        bound.procedures.iter().map(|&id| self.top(id)).collect()
    }

    /// The bytes of any stack.
    pub fn most(&self, bound: &Bound) -> BigUint {
        let tops = self.tops(bound);
        let weights = Weights { call: &|call| self.call(call), top: &|node| tops[node].clone() };
        let beyond = self.bytes.map_or(0, |frames| frames.top);
        bound.heaviest(&weights) + self.frame(self.program.main) + beyond
    }

    /// Bounds in terms of arguments.
    pub fn expression(&self, bound: &Bound) -> Option<Expression> {
        let terms = bound.expression.as_ref()?;
        let without = bound.without(terms.part);
        let slope = |weights: &Weights<'_>| bound.parts.all[terms.part].each(&bound.ways, weights);
        let one = Weights { call: &|_| BigUint::from(1u8), top: &|_| BigUint::ZERO };
        let frames = told(terms, &slope(&one), &without.frames());
        let bytes = self.bytes.map(|_| {
            let weights = Weights { call: &|call| self.call(call), top: &|_| BigUint::ZERO };
            told(terms, &slope(&weights), &self.most(&without))
        });
        Some(Expression { frames, bytes })
    }
}

/// So many times what can fall, and so much more, in C's syntax.
fn told(terms: &InArguments, each: &BigUint, more: &BigUint) -> String {
    let number = |number: &BigUint| i128::try_from(number.clone()).ok();
    if terms.by == 1
        && let (Some(each), Some(more)) = (number(each), number(more))
        && let Some(constant) = terms.constant.checked_mul(each).and_then(|all| all.checked_add(more))
        && let Some(parts) =
            terms.parts.iter().map(|(name, by)| Some((name, by.checked_mul(each)?))).collect::<Option<Vec<_>>>()
    {
        let sum = linear(parts.iter().map(|(name, by)| (name.as_str(), *by)), constant);
        return if terms.may_be_negative { format!("max({sum}, {more})") } else { sum };
    }
    let sum = linear(terms.parts.iter().map(|(name, by)| (name.as_str(), *by)), terms.constant);
    let sum = if terms.may_be_negative { format!("max({sum}, 0)") } else { format!("({sum})") };
    let turns = if terms.by == 1 { sum } else { format!("{sum} / {}", terms.by) };
    let all = if *each == BigUint::from(1u8) { turns } else { format!("{each} * ({turns})") };
    if *more == BigUint::ZERO { all } else { format!("{all} + {more}") }
}

/// A sum in C's syntax.
pub(super) fn linear<'n>(parts: impl Iterator<Item = (&'n str, i128)>, constant: i128) -> String {
    let mut text = String::new();
    let mut add = |number: i128, name: Option<&str>| {
        let size = number.unsigned_abs();
        let what = match name {
            Some(name) if size == 1 => name.to_owned(),
            Some(name) => format!("{size} * {name}"),
            None => size.to_string(),
        };
        let sign = match (text.is_empty(), number < 0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        text.push_str(sign);
        text.push_str(&what);
    };
    parts.for_each(|(name, by)| add(by, Some(name)));
    if constant != 0 {
        add(constant, None);
    }
    text
}
