//! Random expressions in which C leaves the order of evaluation open, and an evaluator that knows nothing of puch: it makes one step after
//! the other, in all orders.
//!
//! Operands come in any order, piece by piece. A write comes after what it needs, and before the next sequence point; the value of an
//! assignment is what was stored, or what is there afterwards. Calls do not interleave with one another, and none comes between the
//! read and the write of `x += e` or `x++` (C11 §6.5, §6.5.2.2, §6.5.2.4, §6.5.16).

use std::collections::{BTreeSet, HashSet};
use std::fmt::{self, Display, Formatter};

use fastrand::Rng;

/// Variables: two of the file, two of the block, and an array of two.
const NAMES: [&str; 6] = ["g", "h", "x", "y", "t[0]", "t[1]"];

/// Their values.
type Memory = [i64; NAMES.len()];

/// At the beginning.
pub const START: Memory = [1, 2, 3, 0, 5, 6];

/// Functions: each returns something, and some write variables of the file.
pub const FUNCTIONS: &str = "int g = 1, h = 2;
int f0(void) { g = 4; return 2; }
int f1(int p) { h = h + p; return g; }
int f2(int p, int q) { return p * 3 + q + g; }
int f3(int p, int q) { g = g + q; return h - p; }
";

/// How many parameters they have.
const PARAMETERS: [usize; 4] = [0, 1, 2, 2];

/// An expression, or what is left of one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expression {
    /// A value, once all that it needs is done; what is still to be written.
    Value(i64, Vec<Write>),
    /// A variable; what is still to be written.
    Variable(usize, Vec<Write>),
    /// `t[e]`, modulo its length.
    Element(Box<Expression>),
    /// `a + b`, `a - b`, `a * b`, and `a ≠ b` for what is left of `a && b`
    Binary(char, Box<Expression>, Box<Expression>),
    /// `x = e`
    Assign(usize, Box<Expression>),
    /// `t[e] = e`
    AssignElement(Box<Expression>, Box<Expression>),
    /// `x += e`, and what was read, if it was.
    Add(usize, Option<i64>, Box<Expression>),
    /// `x++`
    Increment(usize),
    /// `f(e, …)`
    Call(usize, Vec<Expression>),
    /// `a, b`
    Comma(Box<Expression>, Box<Expression>),
    /// `a && b`
    And(Box<Expression>, Box<Expression>),
    /// `a ? b : c`
    Choice(Box<Expression>, Box<Expression>, Box<Expression>),
    /// What is stored, and then read.
    Stored(Write, Vec<Write>),
}

use Expression as E;

/// What is still to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Write {
    variable: usize,
    value: i64,
    /// No call comes before it.
    soon: bool,
}

impl Expression {
    /// A random expression with so many leaves at most.
    pub fn random(rng: &mut Rng, leaves: usize) -> Expression {
        if leaves <= 1 {
            return match rng.u8(..6) {
                0 => E::Value(rng.i64(0..4), Vec::new()),
                1 => E::Increment(rng.usize(..4)),
                2 => E::Call(0, Vec::new()),
                _ => E::Variable(rng.usize(..6), Vec::new()),
            };
        }
        let left = rng.usize(1..leaves);
        let mut part = |leaves: usize| Box::new(Expression::random(rng, leaves));
        let (a, b) = (part(left), part(leaves - left));
        match rng.u8(..16) {
            0..=4 => E::Binary(['+', '-', '*'][rng.usize(..3)], a, b),
            5..=6 => E::Call(rng.usize(2..4), vec![*a, *b]),
            7..=8 => E::Assign(rng.usize(..4), Box::new(E::Binary('+', a, b))),
            9 => E::AssignElement(a, b),
            10 => E::Add(rng.usize(..4), None, Box::new(E::Binary('-', a, b))),
            11 => E::Call(1, vec![E::Binary('-', a, b)]),
            12 => E::Comma(a, b),
            13 => E::And(a, b),
            14 => E::Binary('+', Box::new(E::Element(a)), b),
            _ => E::Choice(Box::new(E::Variable(rng.usize(..4), Vec::new())), a, b),
        }
    }

    fn writes(&self) -> Option<&Vec<Write>> {
        match self {
            E::Value(_, writes) | E::Variable(_, writes) | E::Stored(_, writes) => Some(writes),
            _ => None,
        }
    }

    /// Its value, once it has one, and nothing is left to be written.
    fn done(&self) -> Option<i64> {
        match self {
            E::Value(value, writes) if writes.is_empty() => Some(*value),
            _ => None,
        }
    }

    fn parts(&self) -> Vec<&Expression> {
        match self {
            E::Value(..) | E::Variable(..) | E::Increment(_) | E::Stored(..) => Vec::new(),
            E::Element(a) | E::Assign(_, a) | E::Add(_, _, a) => vec![a],
            E::Binary(_, a, b) | E::AssignElement(a, b) => vec![a, b],
            E::Call(_, arguments) => arguments.iter().collect(),
            // What comes after a sequence point waits.
            E::Comma(a, _) | E::And(a, _) | E::Choice(a, ..) => vec![a],
        }
    }

    fn with_part(&self, at: usize, part: Expression) -> Expression {
        let mut whole = self.clone();
        let place: &mut Expression = match &mut whole {
            E::Element(a) | E::Assign(_, a) | E::Add(_, _, a) | E::Comma(a, _) | E::And(a, _) | E::Choice(a, ..) => a,
            E::Binary(_, a, b) | E::AssignElement(a, b) => {
                if at == 0 {
                    a
                } else {
                    b
                }
            }
            E::Call(_, arguments) => &mut arguments[at],
            _ => return part,
        };
        *place = part;
        whole
    }

    /// Whether something is to be written before any call.
    fn locked(&self) -> bool {
        let own = self.writes().is_some_and(|writes| writes.iter().any(|write| write.soon));
        let stored = matches!(self, E::Stored(write, _) if write.soon);
        own || stored || matches!(self, E::Add(_, Some(_), _)) || self.parts().iter().any(|part| part.locked())
    }

    /// All that one step can make of it; a call only if nothing is locked.
    fn steps(&self, memory: &Memory, locked: bool, found: &mut Vec<(Memory, Expression)>) {
        for (at, part) in self.parts().into_iter().enumerate() {
            let mut below = Vec::new();
            part.steps(memory, locked, &mut below);
            found.extend(below.into_iter().map(|(memory, part)| (memory, self.with_part(at, part))));
        }
        for at in 0..self.writes().map_or(0, Vec::len) {
            let mut rest = self.clone();
            let (E::Value(_, writes) | E::Variable(_, writes) | E::Stored(_, writes)) = &mut rest else { continue };
            let write = writes.remove(at);
            found.push((written(memory, write), rest));
        }
        self.own_steps(memory, locked, found);
    }

    /// What it does itself, once its parts have values.
    fn own_steps(&self, memory: &Memory, locked: bool, found: &mut Vec<(Memory, Expression)>) {
        let mut becomes = |expression| found.push((*memory, expression));
        match self {
            E::Variable(variable, writes) => becomes(E::Value(memory[*variable], writes.clone())),
            E::Increment(variable) => {
                let old = memory[*variable];
                becomes(E::Value(old, vec![Write { variable: *variable, value: old + 1, soon: true }]));
            }
            E::Stored(write, writes) => {
                found.push((written(memory, *write), E::Variable(write.variable, writes.clone())))
            }
            E::Add(variable, None, a) => becomes(E::Add(*variable, Some(memory[*variable]), a.clone())),
            E::Add(variable, Some(old), a) => {
                if let E::Value(a, writes) = &**a {
                    stored(Write { variable: *variable, value: old + a, soon: true }, writes, becomes);
                }
            }
            E::Assign(variable, a) => {
                if let E::Value(value, writes) = &**a {
                    stored(Write { variable: *variable, value: *value, soon: false }, writes, becomes);
                }
            }
            E::AssignElement(a, b) => {
                if let (E::Value(a, some), E::Value(value, more)) = (&**a, &**b) {
                    let write = Write { variable: element(*a), value: *value, soon: false };
                    stored(write, &[&some[..], more].concat(), becomes);
                }
            }
            E::Element(a) => {
                if let E::Value(a, writes) = &**a {
                    becomes(E::Variable(element(*a), writes.clone()));
                }
            }
            E::Binary(op, a, b) => {
                if let (E::Value(a, some), E::Value(b, more)) = (&**a, &**b) {
                    let value = match op {
                        '+' => a + b,
                        '-' => a - b,
                        '≠' => i64::from(a != b),
                        _ => a * b,
                    };
                    becomes(E::Value(value, [&some[..], more].concat()));
                }
            }
            E::Call(function, arguments) if !locked => {
                let values: Option<Vec<i64>> = arguments.iter().map(Expression::done).collect();
                found.extend(values.map(|values| called(memory, *function, &values)));
            }
            E::Comma(a, b) if a.done().is_some() => becomes((**b).clone()),
            // A sequence point comes before the second operand, if that is evaluated, and none after it.
            E::And(a, b) => match &**a {
                E::Value(0, writes) => becomes(E::Value(0, writes.clone())),
                E::Value(_, writes) if writes.is_empty() => {
                    becomes(E::Binary('≠', b.clone(), Box::new(E::Value(0, Vec::new()))));
                }
                _ => {}
            },
            E::Choice(a, b, c) => {
                if let Some(value) = a.done() {
                    becomes(if value != 0 { (**b).clone() } else { (**c).clone() });
                }
            }
            _ => {}
        }
    }

    /// All that can come of it: what it is worth, and what variables are then; `None` if that takes too long.
    pub fn outcomes(&self) -> Option<BTreeSet<(i64, Memory)>> {
        let (mut outcomes, mut met) = (BTreeSet::new(), HashSet::new());
        let mut open = vec![(START, self.clone())];
        while let Some((memory, expression)) = open.pop() {
            if met.len() > 20_000 {
                return None;
            }
            if let Some(value) = expression.done() {
                outcomes.insert((value, memory));
                continue;
            }
            let mut found = Vec::new();
            expression.steps(&memory, expression.locked(), &mut found);
            open.extend(found.into_iter().filter(|state| met.insert(state.clone())));
        }
        Some(outcomes)
    }
}

fn element(index: i64) -> usize {
    4 + (index & 1) as usize
}

/// An assignment is worth what it stores, or what is there afterwards.
fn stored(write: Write, writes: &[Write], mut becomes: impl FnMut(Expression)) {
    becomes(E::Value(write.value, [writes, &[write]].concat()));
    becomes(E::Stored(write, writes.to_vec()));
}

fn written(memory: &Memory, write: Write) -> Memory {
    let mut memory = *memory;
    memory[write.variable] = write.value;
    memory
}

/// What a call does, and what it returns.
fn called(memory: &Memory, function: usize, arguments: &[i64]) -> (Memory, Expression) {
    let mut after = *memory;
    let value = match (function, arguments) {
        (0, _) => {
            after[0] = 4;
            2
        }
        (1, [p]) => {
            after[1] += p;
            after[0]
        }
        (2, [p, q]) => p * 3 + q + after[0],
        (_, [p, q]) => {
            after[0] += q;
            after[1] - p
        }
        _ => 0,
    };
    (after, E::Value(value, Vec::new()))
}

impl Display for Expression {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            E::Value(value, _) => write!(f, "{value}"),
            E::Variable(variable, _) => f.write_str(NAMES[*variable]),
            E::Element(a) => write!(f, "t[({a}) & 1]"),
            E::Binary(op, a, b) => write!(f, "({a} {op} {b})"),
            E::Assign(variable, a) => write!(f, "({} = {a})", NAMES[*variable]),
            E::AssignElement(a, b) => write!(f, "(t[({a}) & 1] = {b})"),
            E::Add(variable, _, a) => write!(f, "({} += {a})", NAMES[*variable]),
            E::Increment(variable) => write!(f, "{}++", NAMES[*variable]),
            E::Call(function, arguments) => {
                debug_assert_eq!(arguments.len(), PARAMETERS[*function]);
                let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
                write!(f, "f{function}({})", arguments.join(", "))
            }
            E::Comma(a, b) => write!(f, "({a}, {b})"),
            E::And(a, b) => write!(f, "({a} && {b})"),
            E::Choice(a, b, c) => write!(f, "({a} ? {b} : {c})"),
            E::Stored(write, _) => write!(f, "{}", write.value),
        }
    }
}

/// What can be observed after an expression: what it is worth, and variables.
pub const PLACES: [&str; NAMES.len() + 1] = ["r", "g", "h", "x", "y", "t[0]", "t[1]"];

/// One of these.
pub fn observed((value, memory): &(i64, Memory), place: usize) -> i64 {
    place.checked_sub(1).map_or(*value, |variable| memory[variable])
}

/// One number for all that can be observed.
pub fn number((value, memory): &(i64, Memory)) -> i64 {
    memory.iter().fold(*value, |sum, variable| sum * 31 + variable)
}

/// A program that evaluates an expression and returns that number.
pub fn executed(expression: &Expression) -> String {
    let number = NAMES.iter().fold("(long long) r".to_owned(), |sum, name| format!("({sum}) * 31 + {name}"));
    format!(
        "{FUNCTIONS}long long main_(void) {{ int x = 3, y = 0, t[2] = {{5, 6}}, r = {expression}; return {number}; }}\n"
    )
}

/// A question about an expression.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// What is observed, by its number in [`PLACES`].
    place: usize,
    /// With which value.
    value: i64,
    /// Whether that can be.
    pub met: bool,
}

/// Questions about what can come of an expression: about the place with the most values, whether each can be, and those near them.
pub fn questions(outcomes: &BTreeSet<(i64, Memory)>) -> Vec<Question> {
    let seen = |place: usize| outcomes.iter().map(|outcome| observed(outcome, place)).collect::<BTreeSet<i64>>();
    let place = (0..PLACES.len()).rev().max_by_key(|place| seen(*place).len()).unwrap_or_default();
    let values = seen(place);
    let of = |value, met| Question { place, value, met };
    let mut all: Vec<Question> = values.iter().map(|value| of(*value, true)).collect();
    let near = values.iter().flat_map(|value| [value - 1, value + 1]);
    all.extend(near.filter(|value| !values.contains(value)).map(|value| of(value, false)));
    all
}

/// A program in which an expression is evaluated, in one of several places, and which fails if the answer to the question is yes.
pub fn program(rng: &mut Rng, expression: &Expression, question: &Question) -> String {
    let evaluated = match rng.u8(..5) {
        0 => format!("r = {expression};"),
        1 => format!("for (r = {expression}; 0; ) ;"),
        2 => format!("if (c > -1) {{ r = {expression}; }}"),
        3 => format!("r = 0; if ((r = {expression}) == 100) r = 100;"),
        _ => format!("int z = {expression}; r = z;"),
    };
    format!(
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n{FUNCTIONS}int main(void) {{
  int x = 3, y = 0, t[2] = {{5, 6}}, r, c = __VERIFIER_nondet_int() & 1;\n  {evaluated}\n  if ({} == {}) reach_error();
  return 0;\n}}\n",
        PLACES[question.place], question.value
    )
}
