//! Random programs, each of whose runs is walked through by a reader of their trees that knows nothing of C: what is said of each use of a pointer
//! is what these runs show.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use fastrand::Rng;
use puch::abstraction::Tuning;
use puch::c::Program;
use puch::c::meaning::Kind;
use puch::c::program::{Failure, Overflow};
use puch::interpreter::{self, End, Inputs, execute};
use puch::nullness::{Malloc, Options, PointerUse, Told, analyse, decided};
use puch::question::Failures;
use puch::refinement;

use super::seeds::seeds;

/// Pointers, numbers, and inputs, each of the latter below [`VALUES`].
const POINTERS: [&str; 3] = ["p", "q", "g"];
const NUMBERS: [&str; 2] = ["a", "b"];
const INPUTS: usize = 2;
const VALUES: usize = 4;

/// A number, known by its index among numbers, or an input.
#[derive(Clone, Copy)]
enum Number {
    Constant(usize),
    Variable(usize),
    Input(usize),
}

#[derive(Clone, Copy)]
enum Condition {
    IsNull(usize, bool),
    Same(usize, usize),
    Less(Number, Number),
    Equal(Number, Number),
}

enum Statement {
    /// A pointer to nothing, or to one of two objects.
    Point(usize, usize),
    Copy(usize, usize),
    /// `pick(number)`: NULL for 2, else the first object.
    Pick(usize, Number),
    /// `put(&p, number)`: the second object if the number is not 0, else nothing is changed.
    Put(usize, Number),
    /// Remainders of sums by [`VALUES`], of products with 3, or of squares.
    Add(usize, Number, usize),
    Square(usize, Number),
    Use(usize),
    If(Condition, Vec<Statement>, Vec<Statement>),
    /// So many times; its counter is a variable of its own.
    Repeat(Number, Vec<Statement>),
}

fn number(rng: &mut Rng) -> Number {
    match rng.u8(..4) {
        0 => Number::Constant(rng.usize(..VALUES)),
        1 => Number::Input(rng.usize(..INPUTS)),
        _ => Number::Variable(rng.usize(..NUMBERS.len())),
    }
}

fn condition(rng: &mut Rng) -> Condition {
    let pointer = |rng: &mut Rng| rng.usize(..POINTERS.len());
    match rng.u8(..6) {
        0 | 1 => Condition::IsNull(pointer(rng), rng.bool()),
        2 => Condition::Same(pointer(rng), pointer(rng)),
        3 | 4 => Condition::Less(number(rng), number(rng)),
        _ => Condition::Equal(number(rng), number(rng)),
    }
}

fn block(rng: &mut Rng, depth: usize, lines: usize) -> Vec<Statement> {
    (0..lines)
        .map(|_| {
            let (pointer, other) = (rng.usize(..POINTERS.len()), rng.usize(..POINTERS.len()));
            let variable = rng.usize(..NUMBERS.len());
            match rng.u8(..if depth > 0 { 16 } else { 12 }) {
                0 => Statement::Point(pointer, 0),
                1 => Statement::Point(pointer, rng.usize(1..3)),
                2 => Statement::Copy(pointer, other),
                3 => Statement::Pick(pointer, number(rng)),
                4 => Statement::Put(pointer, number(rng)),
                5 | 6 => Statement::Add(variable, number(rng), rng.usize(..VALUES)),
                7 => Statement::Square(variable, number(rng)),
                8..12 => Statement::Use(pointer),
                12..15 => {
                    let condition = condition(rng);
                    let (yes, no) = (rng.usize(1..4), rng.usize(..3));
                    Statement::If(condition, block(rng, depth - 1, yes), block(rng, depth - 1, no))
                }
                _ => {
                    let lines = rng.usize(1..4);
                    Statement::Repeat(number(rng), block(rng, depth - 1, lines))
                }
            }
        })
        .collect()
}

/// The text in the making, a statement a line.
struct Writer {
    text: String,
    line: usize,
    counters: usize,
}

impl Writer {
    fn line(&mut self, line: &str) {
        self.text += line;
        self.text.push('\n');
        self.line += 1;
    }

    fn number(number: Number) -> String {
        match number {
            Number::Constant(value) => value.to_string(),
            Number::Variable(at) => NUMBERS[at].to_owned(),
            Number::Input(at) => format!("n{at}"),
        }
    }

    fn condition(condition: Condition) -> String {
        let number = Writer::number;
        match condition {
            Condition::IsNull(at, true) => format!("!{}", POINTERS[at]),
            Condition::IsNull(at, false) => POINTERS[at].to_owned(),
            Condition::Same(one, other) => format!("{} == {}", POINTERS[one], POINTERS[other]),
            Condition::Less(a, b) => format!("{} < {}", number(a), number(b)),
            Condition::Equal(a, b) => format!("{} == {}", number(a), number(b)),
        }
    }

    /// Writes statements, and at which line each use stands, in the order of the tree.
    fn block(&mut self, block: &[Statement], uses: &mut Vec<usize>) {
        for statement in block {
            match statement {
                Statement::Point(at, 0) => self.line(&format!("{} = 0;", POINTERS[*at])),
                Statement::Point(at, object) => self.line(&format!("{} = &o{object};", POINTERS[*at])),
                Statement::Copy(to, from) => self.line(&format!("{} = {};", POINTERS[*to], POINTERS[*from])),
                Statement::Pick(at, of) => self.line(&format!("{} = pick({});", POINTERS[*at], Writer::number(*of))),
                Statement::Put(at, of) => self.line(&format!("put(&{}, {});", POINTERS[*at], Writer::number(*of))),
                Statement::Add(at, of, by) => {
                    self.line(&format!("{} = ({} + {by}) % {VALUES};", NUMBERS[*at], Writer::number(*of)));
                }
                Statement::Square(at, of) => {
                    let of = Writer::number(*of);
                    self.line(&format!("{} = {of} * {of} % {VALUES};", NUMBERS[*at]));
                }
                Statement::Use(at) => {
                    uses.push(self.line);
                    self.line(&format!("*{} = 1;", POINTERS[*at]));
                }
                Statement::If(condition, yes, no) => {
                    self.line(&format!("if ({}) {{", Writer::condition(*condition)));
                    self.block(yes, uses);
                    self.line("} else {");
                    self.block(no, uses);
                    self.line("}");
                }
                Statement::Repeat(times, inside) => {
                    let counter = format!("i{}", self.counters);
                    self.counters += 1;
                    let times = Writer::number(*times);
                    self.line(&format!("for (int {counter} = 0, t = {times}; {counter} < t; {counter}++) {{"));
                    self.block(inside, uses);
                    self.line("}");
                }
            }
        }
    }
}

/// The text, and the line of each use in the order of the tree.
fn written(block: &[Statement]) -> (String, Vec<usize>) {
    let mut writer = Writer { text: String::new(), line: 1, counters: 0 };
    writer.line("int nondet(void); int o1, o2; int *g;");
    writer.line("int *pick(int n) { if (n == 2) return 0; return &o1; }");
    writer.line("void put(int **to, int n) { if (n) *to = &o2; }");
    let inputs = (0..INPUTS).fold(String::new(), |mut text, at| {
        let _ = write!(text, " unsigned n{at} = nondet(); n{at} %= {VALUES};");
        text
    });
    writer.line(&format!("int main(void) {{ int *p = 0, *q = &o1; unsigned a = 0, b = 1;{inputs}"));
    let mut uses = Vec::new();
    writer.block(block, &mut uses);
    writer.line("return 0; }");
    (writer.text, uses)
}

/// A run: what pointers and numbers are. Uses are numbered in the order of the tree.
struct Run {
    pointers: [usize; POINTERS.len()],
    numbers: [usize; NUMBERS.len()],
    inputs: [usize; INPUTS],
}

fn uses_in(block: &[Statement]) -> usize {
    let of = |statement: &Statement| match statement {
        Statement::Use(_) => 1,
        Statement::If(_, yes, no) => uses_in(yes) + uses_in(no),
        Statement::Repeat(_, inside) => uses_in(inside),
        _ => 0,
    };
    block.iter().map(of).sum()
}

impl Run {
    fn number(&self, number: Number) -> usize {
        match number {
            Number::Constant(value) => value,
            Number::Variable(at) => self.numbers[at],
            Number::Input(at) => self.inputs[at],
        }
    }

    fn holds(&self, condition: Condition) -> bool {
        match condition {
            Condition::IsNull(at, wanted) => (self.pointers[at] == 0) == wanted,
            Condition::Same(one, other) => self.pointers[one] == self.pointers[other],
            Condition::Less(a, b) => self.number(a) < self.number(b),
            Condition::Equal(a, b) => self.number(a) == self.number(b),
        }
    }

    /// Walks through statements of which the first use has this number.
    ///
    /// # Errors
    /// The number of the use of NULL where the run ends.
    fn walk(&mut self, block: &[Statement], mut first: usize) -> Result<(), usize> {
        for statement in block {
            match statement {
                Statement::Point(at, object) => self.pointers[*at] = *object,
                Statement::Copy(to, from) => self.pointers[*to] = self.pointers[*from],
                Statement::Pick(at, of) => self.pointers[*at] = usize::from(self.number(*of) != 2),
                Statement::Put(at, of) if self.number(*of) != 0 => self.pointers[*at] = 2,
                Statement::Put(..) => {}
                Statement::Add(at, of, by) => self.numbers[*at] = (self.number(*of) + by) % VALUES,
                Statement::Square(at, of) => self.numbers[*at] = self.number(*of) * self.number(*of) % VALUES,
                Statement::Use(at) if self.pointers[*at] == 0 => return Err(first),
                Statement::Use(_) => {}
                Statement::If(condition, yes, no) => {
                    if self.holds(*condition) {
                        self.walk(yes, first)?;
                    } else {
                        self.walk(no, first + uses_in(yes))?;
                    }
                }
                Statement::Repeat(times, inside) => {
                    for _ in 0..self.number(*times) {
                        self.walk(inside, first)?;
                    }
                }
            }
            first += uses_in(std::slice::from_ref(statement));
        }
        Ok(())
    }
}

/// The lines with a use of NULL in some run.
fn null_somewhere(block: &[Statement], lines: &[usize]) -> BTreeSet<usize> {
    let all = VALUES.pow(INPUTS as u32);
    let fails = |inputs: usize| {
        let inputs = std::array::from_fn(|at| inputs / VALUES.pow(at as u32) % VALUES);
        Run { pointers: [0, 1, 0], numbers: [0, 1], inputs }.walk(block, 0).err()
    };
    (0..all).filter_map(fails).map(|at| lines[at]).collect()
}

/// What one question about all uses is answered, and what is said of each below it.
fn asked_as_property(program: &Program) -> (refinement::Verdict, Vec<PointerUse>) {
    let usual = Options::default();
    let options = refinement::Options {
        overflow: Overflow::Wrap,
        tuning: Tuning { bounds: usual.tuning.bounds, ..Tuning::default() },
        check: usual.check,
        rounds: Some(30),
        donor: None,
    };
    let question = refinement::Question::Failures(Failures::Null);
    let alone = refinement::decide(program, &question, &options, &mut |_| {}).outcome.verdict;
    let (answer, uses) = decided(program, &[], &options, Told::Uses, &mut |_| {});
    let verdict = answer.outcome.verdict;
    // Who wants to know nothing of each use is given the same answer.
    let (only, none) = decided(program, &[], &options, Told::Answer, &mut |_| {});
    assert_eq!((only.outcome.verdict.name(), none.len()), (verdict.name(), 0));
    // What all that decides one question decides is decided.
    assert!(alone.unknown().is_some() || alone.name() == verdict.name(), "{alone:?} {verdict:?}");
    assert_eq!(verdict.claims_run(), uses.iter().any(|one| one.verdict.claims_run()), "{verdict:?} {uses:?}");
    assert_eq!(verdict.excludes_run(), uses.iter().all(|one| one.verdict.excludes_run()), "{verdict:?} {uses:?}");
    // The run that shows it is one of the program of the answer.
    if let refinement::Verdict::Violated(run) = &verdict {
        let inputs = Inputs::list(run.inputs.iter().map(|input| input.value));
        let end =
            execute(&answer.program, &interpreter::Options::of(answer.overflow, run.steps), inputs, &mut |_| {}).end;
        assert_eq!(end, End::Failed(Failure::Used(Kind::Null)), "{run:?}");
    }
    (verdict, uses)
}

#[test]
fn what_is_said_of_uses_is_what_all_runs_show() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in seeds(0..60) {
        let rng = &mut Rng::with_seed(seed);
        let lines = rng.usize(6..12);
        let block = block(rng, 2, lines);
        let (text, uses) = written(&block);
        let null = null_somewhere(&block, &uses);
        let program = super::read("main", &text);
        let (verdict, below) = asked_as_property(&program);
        match verdict {
            refinement::Verdict::Holds => assert!(null.is_empty(), "{seed}: lines {null:?} are NULL\n{text}"),
            refinement::Verdict::Violated(..) => assert!(!null.is_empty(), "{seed}: nothing is NULL\n{text}"),
            other => *counts.entry(other.name()).or_default() += 1,
        }
        let own = analyse(&program, &Options { malloc: Malloc::MayFail, ..Options::default() });
        let places =
            |uses: &[PointerUse]| -> Vec<(u32, u32)> { uses.iter().map(|one| (one.line, one.column)).collect() };
        assert_eq!(places(&own), places(&below), "{seed}\n{text}");
        for found in own.iter().chain(&below) {
            let line = found.line as usize;
            if !uses.contains(&line) {
                // In `put`, whose argument is an address.
                assert_eq!(found.word(), "safe", "{seed}: {}\n{text}", found.grounds);
                continue;
            }
            let is_null = null.contains(&line);
            match found.word() {
                "safe" => assert!(!is_null, "{seed}: line {line} is NULL in some run: {}\n{text}", found.grounds),
                "null" => assert!(is_null, "{seed}: line {line} is NULL in no run\n{text}"),
                _ => {}
            }
            *counts.entry(found.word()).or_default() += 1;
        }
    }
    // Finitely many states, few of them: nearly all is decided.
    let count = |name| counts.get(name).copied().unwrap_or(0);
    let (safe, null, unknown) = (count("safe"), count("null"), count("unknown"));
    assert!(safe > 0 && null > 0 && unknown * 50 <= safe + null, "{counts:?}");
}
