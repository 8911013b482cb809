//! Expressions of the model in the words of `.pds`: without choice, without `? :`, without brackets round integers, and with
//! comparisons that are false where a term has no value.

use std::fmt::Write as _;

use spds_format::expr::{Binary, Expr, Op, Time, Unary};
use spds_format::model::{Scalar, Var};

use super::partial::{self, Types};

/// An expression with its choices written out has at most so many operations.
const MAX_OPERATIONS: usize = 1 << 20;

/// Names of variables, with primes.
pub(super) type Name<'a> = dyn Fn(Var, Time) -> String + 'a;

/// Boolean expressions without choice that say when another one may be true, and when it may be false.
#[derive(Clone, Debug)]
pub(super) struct Rails {
    pub may_be_true: Vec<Op>,
    pub may_be_false: Vec<Op>,
    /// Whether the expression itself has neither choice nor `? :`, nor terms without value, so that it is its own first
    /// rail, and its negation the second.
    pub plain: bool,
}

impl Rails {
    fn plain(ops: Vec<Op>) -> Rails {
        let mut negated = ops.clone();
        negated.push(Op::Unary(Unary::Not));
        Rails { may_be_true: ops, may_be_false: negated, plain: true }
    }
}

fn joined(mut a: Vec<Op>, b: &[Op], op: Binary) -> Vec<Op> {
    a.extend_from_slice(b);
    a.push(Op::Binary(op));
    a
}

/// An operand on the way: one without choice is a piece of the expression.
enum Operand {
    Plain { start: usize },
    Chosen(Rails),
}

/// The rails of a Boolean expression, by the table of values in SPEC.md.
///
/// # Errors
/// If they are too large to be written (rails double at each `^` and `=` of choices), or if an integer depends on a choice.
pub(super) fn rails(expr: &Expr, types: &Types<'_>) -> Result<Rails, String> {
    let ops = expr.ops();
    let special = |op: &Op| matches!(op, Op::Any | Op::Choose | Op::Ite);
    if !ops.iter().any(special) && partial::defined(ops, types).is_none() {
        return Ok(Rails::plain(ops.to_vec()));
    }
    let mut stack: Vec<Operand> = Vec::new();
    for (at, op) in ops.iter().enumerate() {
        let first = stack.len() - op.arity();
        let all_plain = stack[first..].iter().all(|operand| matches!(operand, Operand::Plain { .. }));
        if all_plain && !special(op) {
            let start = stack[first..].first().map_or(at, |operand| match operand {
                Operand::Plain { start } => *start,
                Operand::Chosen(_) => at,
            });
            stack.truncate(first);
            stack.push(match fallible(&ops[start..=at], types) {
                Some(rails) => Operand::Chosen(rails),
                None => Operand::Plain { start },
            });
            continue;
        }
        let mut end = at;
        let mut operands = Vec::new();
        for operand in stack.drain(first..).rev() {
            operands.push(match operand {
                Operand::Plain { start } => {
                    let piece = ops[start..end].to_vec();
                    end = start;
                    Rails::plain(piece)
                }
                Operand::Chosen(rails) => {
                    end = start_of(ops, end);
                    rails
                }
            });
        }
        operands.reverse();
        let rails = combined(*op, operands)?;
        if rails.may_be_true.len() + rails.may_be_false.len() > MAX_OPERATIONS {
            return Err("an expression with so many choices, which .pds writes as relations, is too large".into());
        }
        stack.push(Operand::Chosen(rails));
    }
    match stack.pop() {
        Some(Operand::Chosen(rails)) => Ok(Rails { plain: false, ..rails }),
        _ => Ok(Rails::plain(ops.to_vec())),
    }
}

/// The rails of a comparison, or of a cell of Booleans, that may have no value; it is false then where it is written.
fn fallible(ops: &[Op], types: &Types<'_>) -> Option<Rails> {
    let boolean = |var, time| types(var, time).is_some_and(|ty| ty.scalar == Scalar::Bool);
    match *ops.last()? {
        Op::Cell(var, time) if boolean(var, time) => {}
        op if partial::compares(op) => {}
        _ => return None,
    }
    let mut may_be_false = partial::defined(ops, types)?;
    may_be_false.extend_from_slice(ops);
    may_be_false.extend([Op::Unary(Unary::Not), Op::Binary(Binary::And)]);
    Some(Rails { may_be_true: ops.to_vec(), may_be_false, plain: false })
}

/// Where the operand begins that ends before that operation.
fn start_of(ops: &[Op], end: usize) -> usize {
    let mut missing = 1;
    let mut at = end;
    while missing > 0 {
        at -= 1;
        missing = missing - 1 + ops[at].arity();
    }
    at
}

/// One of two rails.
type Rail = fn(&Rails) -> &[Op];

/// The rails of an operator with operands that have rails.
fn combined(op: Op, operands: Vec<Rails>) -> Result<Rails, String> {
    use Binary::{And, Or};
    let either = |a: &Rails, b: &Rails, c: &Rails, d: &Rails, f: Rail, g: Rail| {
        // (a ∧ f(b)) ∨ (c ∧ g(d)), with the first rails of a and c
        let left = joined(a.may_be_true.clone(), f(b), And);
        let right = joined(c.may_be_true.clone(), g(d), And);
        joined(left, &right, Or)
    };
    let (yes, no): (Rail, Rail) = (|r| &r.may_be_true, |r| &r.may_be_false);
    let turned =
        |r: &Rails| Rails { may_be_true: r.may_be_false.clone(), may_be_false: r.may_be_true.clone(), plain: false };
    let rails = |may_be_true, may_be_false| Ok(Rails { may_be_true, may_be_false, plain: false });
    let mut operands = operands.into_iter();
    let mut next = || operands.next().unwrap_or_else(|| Rails::plain(vec![Op::Bool(false)]));
    match op {
        Op::Any => rails(vec![Op::Bool(true)], vec![Op::Bool(true)]),
        Op::Unary(Unary::Not) => {
            let a = next();
            rails(a.may_be_false, a.may_be_true)
        }
        Op::Binary(binary) => {
            let (a, b) = (next(), next());
            match binary {
                Binary::And => {
                    rails(joined(a.may_be_true, &b.may_be_true, And), joined(a.may_be_false, &b.may_be_false, Or))
                }
                Binary::Or => {
                    rails(joined(a.may_be_true, &b.may_be_true, Or), joined(a.may_be_false, &b.may_be_false, And))
                }
                Binary::Implies => {
                    rails(joined(a.may_be_false, &b.may_be_true, Or), joined(a.may_be_true, &b.may_be_false, And))
                }
                Binary::Xor => {
                    let t = turned(&a);
                    rails(either(&a, &b, &t, &b, no, yes), either(&a, &b, &t, &b, yes, no))
                }
                Binary::Iff => {
                    let t = turned(&a);
                    rails(either(&a, &b, &t, &b, yes, no), either(&a, &b, &t, &b, no, yes))
                }
                _ => Err("an integer that depends on a condition".into()),
            }
        }
        Op::Choose => {
            // T_a ∨ (F_a ∧ F_b), F_a
            let (a, b) = (next(), next());
            let free = joined(a.may_be_false.clone(), &b.may_be_false, And);
            rails(joined(a.may_be_true, &free, Or), a.may_be_false)
        }
        Op::Ite => {
            let (c, a, b) = (next(), next(), next());
            let t = turned(&c);
            rails(either(&c, &a, &t, &b, yes, yes), either(&c, &a, &t, &b, no, no))
        }
        _ => Err("an integer that depends on a condition".into()),
    }
}

/// What an integer term is, as far as brackets are concerned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// A number, a variable, a cell.
    Atom,
    /// A product.
    Product,
    /// A product in which a quotient stands: nothing can be multiplied by it from the left.
    Quotient,
    Sum,
    Boolean,
}

/// Why an expression without choice has no words in `.pds`, if so.
pub(super) fn unsayable(ops: &[Op]) -> Option<String> {
    let needs =
        |what: &str| Some(format!("{what} would need brackets round an integer term, which .pds does not have"));
    let lacks = |what: &str| Some(format!(".pds has no {what}"));
    let mut stack: Vec<(Shape, Option<u64>)> = Vec::new();
    for op in ops {
        let mut pop = || stack.pop().unwrap_or((Shape::Boolean, None));
        let shape = match op {
            Op::Number(value) => {
                stack.push((Shape::Atom, Some(*value)));
                continue;
            }
            // Whether a variable is an integer is of no importance: as a Boolean it is no operand of what follows.
            Op::Read(..) => Shape::Atom,
            Op::Cell(..) => {
                pop();
                Shape::Atom
            }
            Op::Bool(_) => Shape::Boolean,
            Op::Unary(_) => {
                pop();
                Shape::Boolean
            }
            Op::Binary(binary) => {
                let ((right, number), (left, _)) = (pop(), pop());
                match binary {
                    Binary::Add | Binary::Sub => Shape::Sum,
                    Binary::Mul | Binary::Div | Binary::Shl | Binary::Shr if left == Shape::Sum => {
                        return needs("a sum that is multiplied, divided or shifted");
                    }
                    Binary::Mul => match (left, right) {
                        (_, Shape::Sum | Shape::Quotient) => return needs("multiplication by a sum or a quotient"),
                        (Shape::Quotient, _) => Shape::Quotient,
                        _ => Shape::Product,
                    },
                    Binary::Div if right == Shape::Atom => Shape::Quotient,
                    Binary::Div => return needs("division by a term"),
                    Binary::Shl if number.is_some_and(|by| by < 64) => match left {
                        Shape::Quotient => Shape::Quotient,
                        _ => Shape::Product,
                    },
                    Binary::Shr if number.is_some_and(|by| by < 64) && left == Shape::Atom => Shape::Quotient,
                    Binary::Shl => return lacks("safe way to shift by something that is no constant below 64"),
                    Binary::Shr => return lacks("shift to the right"),
                    Binary::Rem => return lacks("remainder"),
                    Binary::BitAnd | Binary::BitOr | Binary::BitXor => {
                        return lacks("operators on the bits of integers");
                    }
                    _ => Shape::Boolean,
                }
            }
            Op::Any | Op::Choose | Op::Ite => return Some("an integer that depends on a condition".into()),
        };
        stack.push((shape, None));
    }
    None
}

/// What is left to write of an expression.
enum Item {
    /// The operand that ends there, within parentheses if it needs them as an operand.
    Operand(usize),
    /// The same without parentheses.
    Bare(usize),
    /// A term, with the sign of what it is added to.
    Term(usize, bool),
    Text(&'static str),
    Number(u64),
}

/// Writes an expression for which [`unsayable`] has no reason.
pub(super) fn write(out: &mut String, ops: &[Op], name: &Name<'_>) {
    let mut starts: Vec<usize> = Vec::with_capacity(ops.len());
    for (at, op) in ops.iter().enumerate() {
        let start = (0..op.arity()).fold(at, |start, _| starts[start - 1]);
        starts.push(start);
    }
    let Some(root) = ops.len().checked_sub(1) else { return };
    let mut writer = Writer { out, ops, name, starts, stack: vec![Item::Bare(root)] };
    while let Some(item) = writer.stack.pop() {
        match item {
            Item::Text(text) => writer.out.push_str(text),
            Item::Number(value) => write!(writer.out, "{value}").expect("a string takes everything"),
            Item::Operand(at) => writer.condition(at, false),
            Item::Bare(at) => writer.condition(at, true),
            Item::Term(at, plus) => writer.term(at, plus),
        }
    }
}

/// An expression while it is written.
struct Writer<'a> {
    out: &'a mut String,
    ops: &'a [Op],
    name: &'a Name<'a>,
    /// Where the operand begins that ends at each operation.
    starts: Vec<usize>,
    /// What is left to write, what comes next last.
    stack: Vec<Item>,
}

impl Writer<'_> {
    /// A term, with the sign of what it is added to.
    fn term(&mut self, at: usize, plus: bool) {
        use Item::{Number, Term, Text};
        match self.ops[at] {
            Op::Number(value) => self.stack.push(Number(value)),
            Op::Read(var, time) => self.out.push_str(&(self.name)(var, time)),
            Op::Cell(var, time) => {
                self.out.push_str(&(self.name)(var, time));
                self.stack.extend([Text("]"), Term(at - 1, true), Text("[")]);
            }
            Op::Binary(binary) => self.arithmetic(binary, at, plus),
            _ => {}
        }
    }

    /// A term that joins two: what is subtracted has its signs turned, and shifts are by constants.
    fn arithmetic(&mut self, binary: Binary, at: usize, plus: bool) {
        use Item::{Number, Term, Text};
        match binary {
            Binary::Add => self.stack.extend([Term(at - 1, plus), Text(if plus { "+" } else { "-" })]),
            Binary::Sub => self.stack.extend([Term(at - 1, !plus), Text(if plus { "-" } else { "+" })]),
            Binary::Div => self.stack.extend([Term(at - 1, true), Text("/")]),
            Binary::Shl | Binary::Shr => {
                let by = if let Op::Number(by) = self.ops[at - 1] { by } else { 0 };
                let sign = if binary == Binary::Shl { "*" } else { "/" };
                self.stack.extend([Number(1 << by), Text(sign)]);
            }
            _ => self.stack.extend([Term(at - 1, true), Text("*")]),
        }
        self.stack.push(Term(self.left(at), plus));
    }

    /// A Boolean, or a term that stands where one could.
    fn condition(&mut self, at: usize, bare: bool) {
        use Item::{Operand, Term, Text};
        match self.ops[at] {
            Op::Binary(binary) => match sign(binary) {
                Some(sign) => self.connected(binary, sign, at, bare),
                None => self.stack.push(Term(at, true)),
            },
            Op::Bool(value) if bare => self.out.push_str(if value { "0=0" } else { "0!=0" }),
            Op::Bool(value) => self.out.push_str(if value { "(0=0)" } else { "(0!=0)" }),
            Op::Unary(Unary::Not) => self.stack.extend([Operand(at - 1), Text("!")]),
            _ => self.stack.push(Term(at, true)),
        }
    }

    /// A comparison, or two Booleans with what connects them.
    fn connected(&mut self, binary: Binary, sign: &'static str, at: usize, bare: bool) {
        use Item::{Bare, Operand, Term, Text};
        let left = self.left(at);
        let comparison = matches!(binary, Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge);
        if !bare {
            self.out.push('(');
            self.stack.push(Text(")"));
        }
        if comparison {
            self.stack.extend([Term(at - 1, true), Text(sign), Term(left, true)]);
            return;
        }
        self.stack.extend([Operand(at - 1), Text(sign)]);
        // A chain of the same operator needs no parentheses.
        let chained = matches!(binary, Binary::And | Binary::Or) && self.ops[left] == self.ops[at];
        self.stack.push(if chained { Bare(left) } else { Operand(left) });
        if binary == Binary::Implies {
            self.stack.push(Text("!"));
        }
    }

    /// Where the left operand ends of the operation with two that stands there.
    fn left(&self, at: usize) -> usize {
        self.starts[at - 1] - 1
    }
}

/// How an operator is written whose result is a Boolean.
fn sign(binary: Binary) -> Option<&'static str> {
    Some(match binary {
        Binary::And => " & ",
        Binary::Or | Binary::Implies => " | ",
        Binary::Xor => " ^ ",
        Binary::Iff => " == ",
        Binary::Eq => "=",
        Binary::Ne => "!=",
        Binary::Lt => "<",
        Binary::Le => "<=",
        Binary::Gt => ">",
        Binary::Ge => ">=",
        _ => return None,
    })
}
