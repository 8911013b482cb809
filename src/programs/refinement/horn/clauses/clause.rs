//! One clause: values as sums of its variables, and what is demanded of these.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use crate::c::Program;
use crate::c::command::{Action, Source};
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, Unary};
use crate::c::types::{Integer, TypeId};

use super::super::super::linear::{Sign, Values, compared};
use super::super::super::rational::Rational;
use super::super::super::simplex::Form;
use super::super::frames::{Word, is_cell};

/// A clause while it is made. Values that it does not know are any.
#[derive(Clone)]
pub(super) struct Clause<'p> {
    program: &'p Program,
    variables: usize,
    demands: Vec<String>,
    /// Present values.
    pub now: BTreeMap<LvalueId, Form>,
    /// Values at the entry, where they may be others.
    pub before: BTreeMap<LvalueId, Form>,
    /// What is returned.
    pub result: Option<Form>,
}

impl<'p> Clause<'p> {
    pub fn new(program: &'p Program) -> Self {
        let (now, before) = (BTreeMap::new(), BTreeMap::new());
        Clause { program, variables: 0, demands: Vec::new(), now, before, result: None }
    }

    /// A new variable.
    pub fn fresh(&mut self) -> Form {
        self.variables += 1;
        Form::variable(self.variables - 1)
    }

    /// Any value of a type. That `int` has bounds is no help to whoever looks for sums.
    pub fn any(&mut self, ty: TypeId) -> Form {
        let value = self.fresh();
        if let (Some(integer), Some(text)) = (self.program.types.as_integer(ty), text(&value)) {
            let int = self.program.types.integer_of(crate::c::types::Rank::Int, true);
            if !integer.signed {
                self.demands(format!("(<= 0 {text})"));
            } else if integer.width < int.width {
                self.demands(format!("(<= {} {text})", number(integer.least())));
            }
            if integer.width < int.width {
                self.demands(format!("(<= {text} {})", number(most(integer))));
            }
        }
        value
    }

    pub fn demands(&mut self, condition: String) {
        self.demands.push(condition);
    }

    /// Another clause has gone on from it: its variables and demands are taken over.
    pub fn continues(&mut self, other: Clause<'p>) {
        (self.variables, self.demands) = (other.variables, other.demands);
    }

    /// A condition holds, or does not.
    pub fn assume(&mut self, condition: ExpressionId, positive: bool) {
        if let Some(said) = self.literal(condition, positive).and_then(said) {
            self.demands(said);
        }
    }

    pub fn assign(&mut self, to: LvalueId, value: ExpressionId) {
        if is_cell(self.program, to) {
            let value = self.form(value).unwrap_or_else(|| self.any(self.program.terms.at(to).ty));
            self.now.insert(to, value);
        }
    }

    /// What is done inside a frame.
    pub fn does(&mut self, action: Action) {
        match action {
            Action::Assigns(to, Source::Of(value)) => self.assign(to, value),
            Action::Assigns(to, _) => drop(self.now.remove(&to)),
            Action::Begins(variable) => {
                let program = self.program;
                self.now.retain(|&cell, _| program.terms.variable_of(cell) != Some(variable));
            }
            Action::Nothing | Action::Frees(_) | Action::Ends(_) => {}
        }
    }

    fn value(&mut self, cell: LvalueId) -> Form {
        if let Some(value) = self.now.get(&cell) {
            return value.clone();
        }
        let value = self.any(self.program.terms.at(cell).ty);
        if is_cell(self.program, cell) {
            self.now.insert(cell, value.clone());
        }
        value
    }

    /// What a relation is told.
    pub fn text_of(&mut self, word: Word) -> String {
        let value = match word {
            Word::Now(cell) => self.value(cell),
            Word::Before(cell) => match self.before.get(&cell) {
                Some(value) => value.clone(),
                None => self.value(cell),
            },
            Word::Result => self.result.clone().unwrap_or_else(|| self.fresh()),
        };
        text(&value).unwrap_or_else(|| format!("v{}", self.another()))
    }

    fn another(&mut self) -> usize {
        self.variables += 1;
        self.variables - 1
    }

    /// That what is demanded implies something, as a line.
    pub fn implies(&self, conclusion: &str) -> String {
        let demands = match &self.demands[..] {
            [] => "true".to_owned(),
            [one] => one.clone(),
            all => format!("(and {})", all.join(" ")),
        };
        let mut variables = String::new();
        for variable in 0..self.variables {
            // Writing to a text does not fail.
            let _ = write!(variables, "(v{variable} Int)");
        }
        match self.variables {
            0 => format!("(assert (=> {demands} {conclusion}))\n"),
            _ => format!("(assert (forall ({variables}) (=> {demands} {conclusion})))\n"),
        }
    }

    /// x / c and x % c for a positive constant c.
    fn divided(&mut self, value: &Form, by: &Form, remainder: bool) -> Option<Form> {
        let by = by.parts.is_empty().then(|| by.rest()).filter(|by| by.sign() > 0)?;
        let (quotient, rest) = (self.fresh(), self.fresh());
        let mut whole = rest.clone();
        whole.add(&quotient, by)?;
        let (value, whole, by, left) = (text(value)?, text(&whole)?, number(by.above), text(&rest)?);
        self.demands(format!("(= {value} {whole})"));
        self.demands(format!(
            "(ite (<= 0 {value}) (and (<= 0 {left}) (< {left} {by})) (and (< (- {by}) {left}) (<= {left} 0)))"
        ));
        Some(if remainder { rest } else { quotient })
    }

    /// 1 if that is so, else 0.
    fn truth(&mut self, literal: Option<(Form, Sign)>) -> Form {
        let value = self.fresh();
        let name = text(&value).unwrap_or_default();
        self.demands(match literal.and_then(said) {
            Some(said) => format!("(= {name} (ite {said} 1 0))"),
            None => format!("(and (<= 0 {name}) (<= {name} 1))"),
        });
        value
    }
}

impl<'p> Values<'p> for Clause<'p> {
    fn program(&self) -> &'p Program {
        self.program
    }

    fn read(&mut self, lvalue: LvalueId) -> Form {
        self.value(lvalue)
    }

    fn opaque(&mut self, expression: ExpressionId, parts: &HashMap<ExpressionId, Form>) -> Form {
        let node = self.program.terms.get(expression);
        let known = match node.kind {
            ExpressionKind::Convert(a) => parts.get(&a).cloned(),
            ExpressionKind::Unary(Unary::Not, a) => {
                let zero = parts.get(&a).and_then(|a| compared(Binary::Equal, a, &Form::default(), true));
                Some(self.truth(zero))
            }
            ExpressionKind::Binary(operator, a, b) => match (parts.get(&a), parts.get(&b)) {
                (Some(a), Some(b)) if operator.is_truth() => Some(self.truth(compared(operator, a, b, true))),
                (Some(a), Some(b)) if matches!(operator, Binary::Divide | Binary::Remainder) => {
                    self.divided(a, b, operator == Binary::Remainder)
                }
                _ => None,
            },
            _ => None,
        };
        known.unwrap_or_else(|| self.any(node.ty))
    }
}

/// The greatest number of a type narrower than `int`.
fn most(integer: Integer) -> i128 {
    integer.least() + i128::try_from(integer.mask()).unwrap_or(i128::MAX)
}

/// A literal.
fn said((form, sign): (Form, Sign)) -> Option<String> {
    let text = text(&form)?;
    Some(match sign {
        Sign::Zero => format!("(= {text} 0)"),
        Sign::NotZero => format!("(not (= {text} 0))"),
        Sign::NotPositive => format!("(<= {text} 0)"),
    })
}

/// A sum; none if its coefficients are no integers.
fn text(form: &Form) -> Option<String> {
    let whole = |by: Rational| (by.below == 1).then_some(by.above);
    let mut parts = Vec::new();
    for (variable, &by) in &form.parts {
        parts.push(match whole(by)? {
            1 => format!("v{variable}"),
            by => format!("(* {} v{variable})", number(by)),
        });
    }
    match whole(form.rest())? {
        0 if !parts.is_empty() => {}
        rest => parts.push(number(rest)),
    }
    Some(if parts.len() == 1 { parts.remove(0) } else { format!("(+ {})", parts.join(" ")) })
}

fn number(number: i128) -> String {
    if number < 0 { format!("(- {})", number.unsigned_abs()) } else { number.to_string() }
}
