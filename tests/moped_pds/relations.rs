//! Random relations of `.pds` texts, read by `puch` and evaluated by the oracle, against their own meaning: tuples of
//! values before and after for which a little evaluator, which knows neither updates nor frames, finds them true.

use std::collections::BTreeSet;
use std::fmt;

use fastrand::Rng;
use puch::moped_pds::{Options, read};
use spds_format::expr::Op;

use crate::oracle::{self, Next, State};
use crate::support::{one_in, pick};

/// A relation: what it says, and how it is written. Integers have two bits, the array `a` has the cells 1 to 3,
/// that of Booleans, `c`, only 2.
#[derive(Clone, Debug)]
enum Relation {
    Same(Place, Place),
    Truth(Place),
    Not(Box<Relation>),
    And(Box<Relation>, Box<Relation>),
    Or(Box<Relation>, Box<Relation>),
    Xor(Box<Relation>, Box<Relation>),
    Iff(Box<Relation>, Box<Relation>),
    Compare(&'static str, Term, Term),
    /// For all, or some, values of `i` from 1 to 3.
    Quantified(bool, Box<Relation>),
}

#[derive(Clone, Debug)]
enum Term {
    Number(i64),
    Bound,
    At(Place),
    Op(char, Box<Term>, Box<Term>),
}

/// A variable, with primes; the array with an index.
#[derive(Clone, Debug)]
struct Place {
    name: &'static str,
    primes: usize,
    index: Option<Box<Term>>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.name, "'".repeat(self.primes))?;
        if let Some(index) = &self.index { write!(f, "[{index}]") } else { Ok(()) }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Number(value) => write!(f, "{value}"),
            Term::Bound => write!(f, "i"),
            Term::At(place) => write!(f, "{place}"),
            Term::Op(op, a, b) => write!(f, "{a}{op}{b}"),
        }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Relation::Same(a, b) if a.name == "g" || a.name == "b" || a.name == "c" => write!(f, "({a}=={b})"),
            Relation::Same(a, b) => write!(f, "{a}={b}"),
            Relation::Truth(place) => write!(f, "{place}"),
            Relation::Not(a) => write!(f, "!({a})"),
            Relation::And(a, b) => write!(f, "{a} & {b}"),
            Relation::Or(a, b) => write!(f, "({a} | {b})"),
            Relation::Xor(a, b) => write!(f, "(({a}) ^ ({b}))"),
            Relation::Iff(a, b) => write!(f, "(({a}) <=> ({b}))"),
            Relation::Compare(op, a, b) => write!(f, "{a}{op}{b}"),
            Relation::Quantified(all, a) => write!(f, "({} i (1,3) ({a}))", if *all { "A" } else { "E" }),
        }
    }
}

/// Values of `g`, `x`, `a[1..3]`, `c[2]` and, in a frame, `v` and `b`; before, after, and below.
struct Values<'a> {
    globals: [&'a [u64]; 2],
    locals: [&'a [u64]; 3],
}

impl Values<'_> {
    /// The value, or nothing where there is no such cell.
    fn at(&self, place: &Place, bound: i64) -> Option<i64> {
        let globals = self.globals[place.primes.min(1)];
        let locals = self.locals[place.primes];
        let value = match place.name {
            "g" => globals[0],
            "x" => globals[1],
            "a" | "c" => {
                let index = self.term(place.index.as_ref().expect("an array has an index"), bound)?;
                match (place.name, index) {
                    ("a", 1..=3) => globals[1 + index as usize],
                    ("c", 2) => globals[5],
                    _ => return None,
                }
            }
            "v" => locals[0],
            _ => locals[1],
        };
        Some(value as i64)
    }

    fn term(&self, term: &Term, bound: i64) -> Option<i64> {
        Some(match term {
            Term::Number(value) => *value,
            Term::Bound => bound,
            Term::At(place) => self.at(place, bound)?,
            Term::Op(op, a, b) => {
                let (a, b) = (self.term(a, bound)?, self.term(b, bound)?);
                match op {
                    '+' => a + b,
                    '-' => a - b,
                    '/' => a.checked_div(b)?,
                    _ => a * b,
                }
            }
        })
    }

    /// Where a term of a comparison has no value the comparison is false, and its negation true.
    fn truth(&self, relation: &Relation, bound: i64) -> bool {
        let number = |place: &Place| self.at(place, bound);
        let equal = |a: Option<i64>, b: Option<i64>| a.is_some_and(|a| b == Some(a));
        match relation {
            Relation::Same(a, b) if a.name == "g" || a.name == "b" || a.name == "c" => {
                (number(a) == Some(1)) == (number(b) == Some(1))
            }
            Relation::Same(a, b) => equal(number(a), number(b)),
            Relation::Truth(place) => number(place) == Some(1),
            Relation::Not(a) => !self.truth(a, bound),
            Relation::And(a, b) => self.truth(a, bound) && self.truth(b, bound),
            Relation::Or(a, b) => self.truth(a, bound) || self.truth(b, bound),
            Relation::Xor(a, b) => self.truth(a, bound) != self.truth(b, bound),
            Relation::Iff(a, b) => self.truth(a, bound) == self.truth(b, bound),
            Relation::Compare(op, a, b) => {
                let (Some(a), Some(b)) = (self.term(a, bound), self.term(b, bound)) else { return false };
                match *op {
                    "=" => a == b,
                    "!=" => a != b,
                    "<" => a < b,
                    _ => a >= b,
                }
            }
            Relation::Quantified(all, a) => {
                let mut each = (1..=3).map(|bound| self.truth(a, bound));
                if *all { each.all(|holds| holds) } else { each.any(|holds| holds) }
            }
        }
    }
}

/// The shape of the right side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Right {
    Pop,
    /// To a symbol of the same block, or of another one with the same names, or of none.
    Swap(&'static str),
    Push(&'static str, &'static str),
}

fn has_locals(symbol: &str) -> bool {
    symbol != "n"
}

impl Right {
    fn text(self) -> String {
        match self {
            Right::Pop => String::new(),
            Right::Swap(top) => top.into(),
            Right::Push(top, below) => format!("{top} {below}"),
        }
    }

    fn locals(self, primes: usize) -> bool {
        match (self, primes) {
            (_, 0) => true,
            (Right::Swap(top) | Right::Push(top, _), 1) => has_locals(top),
            (Right::Push(_, below), 2) => has_locals(below),
            _ => false,
        }
    }
}

struct Maker<'r> {
    rng: &'r mut Rng,
    right: Right,
}

impl Maker<'_> {
    fn place(&mut self, integer: bool, primes: usize, bound: bool) -> Option<Place> {
        let local = self.right.locals(primes) && (primes == 2 || self.rng.bool());
        if primes == 2 && !local {
            return None;
        }
        Some(match (integer, local) {
            (true, true) => Place { name: "v", primes, index: None },
            (false, true) => Place { name: "b", primes, index: None },
            (false, false) if self.rng.bool() => Place { name: "g", primes, index: None },
            (true, false) if self.rng.bool() => Place { name: "x", primes, index: None },
            (_, false) => {
                let index = match self.rng.u32(..4) {
                    0 if bound => Term::Bound,
                    1 => Term::At(Place { name: "x", primes: 0, index: None }),
                    _ => Term::Number(self.rng.i64(0..=3).max(i64::from(!one_in(self.rng, 8)))),
                };
                Place { name: if integer { "a" } else { "c" }, primes, index: Some(Box::new(index)) }
            }
        })
    }

    fn any_place(&mut self, integer: bool, bound: bool) -> Place {
        let primes = self.rng.usize(..3);
        self.place(integer, primes, bound).unwrap_or(Place {
            name: if integer { "x" } else { "g" },
            primes: 1,
            index: None,
        })
    }

    fn term(&mut self, depth: u32, bound: bool) -> Term {
        match self.rng.u32(..6) {
            0 => Term::Number(self.rng.i64(0..=3)),
            1 if bound => Term::Bound,
            2 if depth > 0 => {
                // Products first, so that what is written is what is meant.
                let left = Term::Op('*', Box::new(self.term(0, bound)), Box::new(self.term(0, bound)));
                Term::Op(*pick(self.rng, &['+', '-']), Box::new(left), Box::new(self.term(0, bound)))
            }
            3 if depth > 0 => {
                let place = Term::At(self.any_place(true, bound));
                Term::Op('/', Box::new(Term::Number(self.rng.i64(0..=3))), Box::new(place))
            }
            _ => Term::At(self.any_place(true, bound)),
        }
    }

    fn relation(&mut self, depth: u32, bound: bool) -> Relation {
        if depth == 0 || one_in(self.rng, 4) {
            return match self.rng.u32(..4) {
                0 => Relation::Truth(self.any_place(false, bound)),
                1 => {
                    let integer = self.rng.bool();
                    Relation::Same(self.any_place(integer, bound), self.any_place(integer, bound))
                }
                _ => {
                    let op = *pick(self.rng, &["=", "=", "!=", "<", ">="]);
                    Relation::Compare(op, self.term(1, bound), self.term(1, bound))
                }
            };
        }
        let sub = |maker: &mut Self| Box::new(maker.relation(depth - 1, bound));
        match self.rng.u32(..8) {
            0 => Relation::Not(sub(self)),
            1..=3 => Relation::And(sub(self), sub(self)),
            4 => Relation::Or(sub(self), sub(self)),
            5 => Relation::Xor(sub(self), sub(self)),
            6 => Relation::Iff(sub(self), sub(self)),
            _ if bound => sub(self).as_ref().clone(),
            _ => Relation::Quantified(self.rng.bool(), Box::new(self.relation(depth - 1, true))),
        }
    }

    /// What people write: everything kept or set, and the array cell by cell.
    fn usual(&mut self) -> Relation {
        let mut all = Vec::new();
        let moments = match self.right {
            Right::Pop => 1..=1,
            Right::Swap(_) => 1..=1,
            Right::Push(..) => 1..=2,
        };
        for primes in moments {
            for name in ["g", "x", "v", "b"] {
                let local = name == "v" || name == "b";
                let there = if local { self.right.locals(primes) } else { primes == 1 };
                if !there || one_in(self.rng, 6) {
                    continue;
                }
                let (after, before) = (Place { name, primes, index: None }, Place { name, primes: 0, index: None });
                all.push(match self.rng.u32(..6) {
                    0 => Relation::Same(before, after),
                    1 => Relation::Same(after.clone(), after),
                    2 if name == "g" || name == "b" => Relation::Truth(after),
                    2 if self.rng.bool() => Relation::Compare("=", Term::At(after), Term::Number(2)),
                    2 => Relation::Compare("=", Term::At(after), self.term(1, false)),
                    _ => Relation::Same(after, before),
                });
            }
        }
        all.extend(self.usual_array());
        if one_in(self.rng, 4) {
            all.push(self.relation(1, false));
        }
        let order: Vec<usize> = (0..all.len()).collect();
        let joined = order.into_iter().map(|at| all[at].clone());
        joined.reduce(|a, b| Relation::And(Box::new(a), Box::new(b))).unwrap_or_else(|| self.relation(2, false))
    }

    fn usual_array(&mut self) -> Vec<Relation> {
        let cell = |primes, index: Term| Place { name: "a", primes, index: Some(Box::new(index)) };
        let kept = |index: Term| Relation::Same(cell(1, index.clone()), cell(0, index));
        let index = |maker: &mut Self| match maker.rng.u32(..3) {
            0 => Term::Number(maker.rng.i64(1..=3)),
            1 => Term::At(Place { name: "x", primes: 0, index: None }),
            _ => Term::At(Place { name: "v", primes: 0, index: None }),
        };
        let all = |what: Relation| Relation::Quantified(true, Box::new(what));
        match self.rng.u32(..7) {
            0 => vec![all(kept(Term::Bound))],
            1 | 2 => {
                let (one, two) = (index(self), index(self));
                let but = |index: &Term| Relation::Compare("=", Term::Bound, index.clone());
                let mut exceptions = but(&one);
                let value = if self.rng.bool() { index(self) } else { self.term(1, false) };
                let mut parts = vec![Relation::Compare("=", Term::At(cell(1, one)), value)];
                if self.rng.bool() {
                    exceptions = Relation::Or(Box::new(but(&two)), Box::new(exceptions));
                    if !one_in(self.rng, 4) {
                        parts.push(Relation::Same(cell(1, two.clone()), cell(self.rng.usize(..2), two)));
                    }
                }
                parts.push(all(Relation::Or(Box::new(exceptions), Box::new(kept(Term::Bound)))));
                parts
            }
            3 => (1..=3).filter(|_| self.rng.u32(..4) > 0).map(|at| kept(Term::Number(at))).collect(),
            4 => {
                let (some, value) = (Term::Number(self.rng.i64(1..=3)), self.term(0, false));
                let parts = (1..=3).filter(|_| self.rng.bool()).map(|at| kept(Term::Number(at)));
                parts.chain([Relation::Compare("=", Term::At(cell(1, some)), value)]).collect()
            }
            5 => vec![Relation::Compare("=", Term::At(cell(1, index(self))), self.term(1, false))],
            _ => Vec::new(),
        }
    }
}

/// All tuples of these numbers of values.
fn tuples(sizes: &[u64]) -> Vec<Vec<u64>> {
    sizes.iter().fold(vec![Vec::new()], |all, size| {
        all.iter().flat_map(|tuple| (0..*size).map(move |value| [&tuple[..], &[value]].concat())).collect()
    })
}

const GLOBALS: [u64; 6] = [2, 4, 2, 2, 2, 2];
const LOCALS: [u64; 2] = [4, 2];

/// What became of the relations that were looked at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Read {
    /// Steps that the oracle makes, each a tuple for which the relation is true.
    pub steps: usize,
    /// Whether there is a guard, a relation between what is before and after, an update of a cell at a variable index.
    pub guard: bool,
    pub relation: bool,
    pub cell: bool,
}

/// The relation of a seed, as a text with one rule that has it.
pub fn text(seed: u64) -> String {
    drawn(&mut Rng::with_seed(seed)).2
}

fn drawn(rng: &mut Rng) -> (Right, Relation, String) {
    let rights = [
        Right::Pop,
        Right::Swap("m"),
        Right::Swap("o"),
        Right::Swap("n"),
        Right::Push("m", "m"),
        Right::Push("o", "m"),
        Right::Push("n", "o"),
        Right::Push("m", "n"),
    ];
    let right = *pick(rng, &rights);
    let mut maker = Maker { rng, right };
    let relation = if one_in(maker.rng, 4) { maker.relation(3, false) } else { maker.usual() };
    let text = format!(
        "global bool g; int x(2); int a[1,3](1); bool c[2,2];\nlocal (m) int v(2); bool b;\nlocal (o) int v(2); bool b;\n(q <m>)\n\
         q <m> --> q <{}> ({relation})\nq <n> --> q <>\nq <o> --> q <>\n",
        right.text()
    );
    (right, relation, text)
}

/// Whether the relation of a seed is read as what it says, looked at from one in so many states.
///
/// # Errors
/// What is wrong.
pub fn means_what_it_says(seed: u64, one_of: u32) -> Result<Read, String> {
    let mut rng = Rng::with_seed(seed);
    let (right, relation, text) = drawn(&mut rng);
    let system = read(&text, "r.pds", &Options::default());
    let spds = system.map_err(|complaints| format!("{text}{complaints:#?}"))?.spds;
    let complaints = spds_format::validate(&spds);
    if !complaints.is_empty() {
        return Err(format!("{text}{complaints:#?}"));
    }
    let rule = &spds.rules[0];
    let indices = rule.updates.iter().filter_map(|update| update.index.as_ref());
    let variable = indices.filter(|index| !matches!(index.ops(), [Op::Number(_)]));
    let mut seen = Read {
        steps: 0,
        guard: rule.guard.is_some(),
        relation: rule.with.is_some(),
        cell: rule.with.is_none() && variable.count() > 0,
    };
    let m = spds.start.stack[0];
    let tops = |there: bool| if there { tuples(&LOCALS) } else { vec![Vec::new()] };
    for globals in tuples(&GLOBALS) {
        // Some of the states, to be quick.
        if rng.u32(..one_of) > 0 {
            continue;
        }
        let locals = pick(&mut rng, &tuples(&LOCALS)).clone();
        let mut expected: BTreeSet<(Vec<u64>, Vec<u64>, Vec<u64>)> = BTreeSet::new();
        for after in tuples(&GLOBALS) {
            for top in tops(right.locals(1)) {
                for below in tops(right.locals(2)) {
                    let values = Values { globals: [&globals, &after], locals: [&locals, &top, &below] };
                    if values.truth(&relation, 0) {
                        expected.insert((after.clone(), top.clone(), below));
                    }
                }
            }
        }
        let state = State { control: spds.start.control, symbol: m, globals, locals };
        let found: BTreeSet<_> = oracle::successors(&spds, &state)
            .into_iter()
            .map(|(_, next)| match next {
                Next::Swap(State { globals, locals, .. }) => (globals, locals, Vec::new()),
                Next::Push(State { globals, locals, .. }, _, saved) => (globals, locals, saved),
                Next::Pop(_, globals) => (globals, Vec::new(), Vec::new()),
            })
            .collect();
        if found != expected {
            return Err(format!("from {state:?}: {found:?}, but true are {expected:?}\n{text}{spds}"));
        }
        seen.steps += expected.len();
    }
    Ok(seen)
}
