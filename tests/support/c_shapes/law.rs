//! What puch says of random programs, against what they do when they are compiled.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::{Duration, Instant};

use fastrand::Rng;
use puch::abstraction::{Edges, Method, Tuning, abstracted, read as predicates};
use puch::bitvec::Bounds;
use puch::c::inline::{Most, inlined};
use puch::c::program::Overflow;
use puch::c::types::DataModel;
use puch::c::{self, Malloc, Program, Unit};
use puch::interpreter::{self, End, Fault, Inputs};
use puch::limits::Limits;
use puch::question::Failures;
use puch::refinement::{Options, Question, Verdict, decide};

use spds_format::Severity;

use super::{A, B, Shaped, Tail};
use crate::compiled;
use crate::may_fail::may_fail;

/// What a compiled program does with one pair of inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// What it observes, if it gets that far where signed overflow wraps around.
    pub value: Option<i64>,
    /// Whether it does something undefined, signed overflow included.
    pub undefined: bool,
}

/// What runs a program: reading each number at run time, it finds what is undefined.
const HEAD: &str = "int printf(const char *, ...); int fflush(void *); int fork(void); int waitpid(int, int *, int);
void _exit(int); unsigned alarm(unsigned);
#ifdef TRAPS
#define NUMBER(...) ({ volatile __typeof__(__VA_ARGS__) number = (__VA_ARGS__); number; })
#else
#define NUMBER(...) (__VA_ARGS__)
#endif
#define DROP(...) ({ volatile __typeof__((__VA_ARGS__) + 0) dropped = (__VA_ARGS__); dropped; })
static void runs(long long (*f)(int, int), int as, int bs) {
  for (int a = 0; a < as; a++) for (int b = 0; b < bs; b++) {
    int status, child;
    fflush(0);
    child = fork();
    if (child == 0) { alarm(5); printf(\"%lld\\n\", f(a, b)); fflush(0); _exit(0); }
    waitpid(child, &status, 0);
    if (status) printf(\"signal %d\\n\", status & 127);
  }
}
";

/// Nobody waits longer for the answer to a question.
const PATIENCE: Duration = Duration::from_secs(4);

/// Compilers trap there instead of going on.
const WRAPPING: [&str; 5] = [
    "-DTRAPS",
    "-ftrivial-auto-var-init=pattern",
    "-fwrapv",
    "-fsanitize=integer-divide-by-zero,shift-exponent,vla-bound,null,bounds,float-cast-overflow",
    "-fsanitize-undefined-trap-on-error",
];
const CHECKED: [&str; 3] = [
    "-DTRAPS",
    "-fsanitize=integer-divide-by-zero,shift,vla-bound,null,bounds,signed-integer-overflow,float-cast-overflow",
    "-fsanitize-undefined-trap-on-error",
];
const PLAIN: [&str; 1] = ["-fwrapv"];

/// What programs do with all inputs; `None` where there is no compiler.
///
/// # Errors
/// If one cannot be compiled, takes too long, or has no one meaning.
pub fn done(programs: &[Shaped]) -> Option<Result<Vec<Vec<Done>>, String>> {
    let [plain, wrapping, checked] = [&PLAIN[..], &WRAPPING, &CHECKED].map(|flags| lines(programs, flags));
    let (plain, wrapping, checked) = match (plain?, wrapping?, checked?) {
        (Ok(plain), Ok(wrapping), Ok(checked)) => (plain, wrapping, checked),
        (Err(complaint), ..) | (_, Err(complaint), _) | (.., Err(complaint)) => return Some(Err(complaint)),
    };
    let each = (A * B) as usize;
    let one = |at: usize| {
        let numbers = [&plain[at], &wrapping[at]].map(|line| line.parse::<i64>().ok());
        // What is undefined may do anything where nobody traps.
        let value = numbers[1].and(numbers[0]);
        let late = [&plain, &wrapping, &checked].iter().any(|lines| lines[at] == "signal 14");
        if numbers[1] != value || late {
            let text = programs[at / each].compiled("");
            return Err(format!("it does `{}` and `{}`:\n{text}", plain[at], wrapping[at]));
        }
        Ok(Done { value, undefined: checked[at].parse::<i64>().is_err() })
    };
    Some((0..programs.len()).map(|program| (program * each..(program + 1) * each).map(one).collect()).collect())
}

/// What all runs of all programs print.
fn lines(programs: &[Shaped], flags: &[&str]) -> Option<Result<Vec<String>, String>> {
    let text = |programs: &[Shaped]| {
        let numbered = || programs.iter().enumerate();
        let bodies: String = numbered().map(|(at, program)| program.compiled(&format!("t{at}_"))).collect();
        let main: String = numbered().map(|(at, _)| format!("runs(t{at}_probe, {A}, {B});\n")).collect();
        format!("{HEAD}{bodies}int main(void) {{\n{main}return 0;\n}}\n")
    };
    let flags = [flags, &["-fno-strict-aliasing", "-std=gnu17"]].concat();
    let complaints = match compiled::tried(&text(programs), &flags)? {
        Ok(printed) => {
            let lines: Vec<String> = printed.lines().map(str::to_owned).collect();
            let complete = lines.len() == programs.len() * (A * B) as usize;
            return Some(if complete { Ok(lines) } else { Err("the programs crashed".to_owned()) });
        }
        Err(complaints) => complaints,
    };
    let alone = programs.iter().find_map(|program| {
        let complaints = compiled::tried(&text(std::slice::from_ref(program)), &flags)?.err()?;
        Some(format!("{complaints}\n{}", program.compiled("")))
    });
    Some(Err(alone.unwrap_or(complaints)))
}

/// What came of asking.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    /// Programs.
    pub programs: usize,
    /// Programs that puch does not read.
    pub refused: usize,
    /// Runs that were executed, and of these those of which it is not known how they go on.
    pub runs: usize,
    /// See there.
    pub runs_unknown: usize,
    /// Questions, and those that were not decided.
    pub questions: usize,
    /// See there.
    pub unknown: usize,
    /// Programs in which puch sees an overflow that the compiler does not.
    pub folded: usize,
}

/// What came of asking, by shape; and why what is not known is not.
#[derive(Debug, Default)]
pub struct Tally {
    /// By shape.
    pub shapes: BTreeMap<&'static str, Count>,
    /// Reasons.
    pub reasons: BTreeMap<String, usize>,
}

impl Tally {
    fn reason(&mut self, shape: &str, reason: &str) {
        let reason: String = reason.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).take(110).collect();
        *self.reasons.entry(format!("{shape}: {reason}")).or_default() += 1;
    }

    /// As a table, and reasons below it.
    pub fn told(&self) -> String {
        let mut text = format!(
            "{:<22} {:>8} {:>7} {:>7} {:>8} {:>9} {:>8} {:>7}\n",
            "shape", "programs", "refused", "runs", "unknown", "questions", "unknown", "folded"
        );
        for (shape, count) in &self.shapes {
            let Count { programs, refused, runs, runs_unknown, questions, unknown, folded } = count;
            text += &format!(
                "{shape:<22} {programs:>8} {refused:>7} {runs:>7} {runs_unknown:>8} {questions:>9} {unknown:>8} {folded:>7}\n"
            );
        }
        text += "\nWhat is not known, and why:\n";
        for (reason, count) in &self.reasons {
            text += &format!("{count:>6} {reason}\n");
        }
        text
    }
}

/// Reads a program; what is wrong with it otherwise.
pub fn read(text: &str, main: Option<&str>, model: DataModel) -> Result<Program, String> {
    let unit = Unit { name: "p.c", text, preprocessed: None };
    let options =
        c::Options { main: main.map(str::to_owned), model, malloc: Malloc::Succeeds, ..c::Options::default() };
    match c::read(&[unit], &options) {
        Ok(read) => Ok(read.program),
        Err(complaints) => {
            let error = complaints.into_iter().find(|(_, complaint)| complaint.severity == Severity::Error);
            Err(error.map_or(String::new(), |(_, complaint)| complaint.message))
        }
    }
}

/// Asks of a program whatever is known of it; what is wrong with the answers.
pub fn compared(shaped: &Shaped, done: &[Done], rng: &mut Rng, tally: &mut Tally) -> Vec<String> {
    let (mut wrong, mut looked_at) = (Vec::new(), true);
    tally.shapes.entry(shaped.shape).or_default().programs += 1;
    match read(&shaped.executed(), Some("main_"), DataModel::LP64) {
        Ok(program) => {
            for overflow in [Overflow::Wrap, Overflow::Check] {
                looked_at &= executed(shaped, &program, done, overflow, tally, &mut wrong);
                // The same where calls are made in place.
                if let Some(program) = inlined(&program, Most { small: 400, large: 4_000 }) {
                    let before = wrong.len();
                    executed(shaped, &program, done, overflow, tally, &mut wrong);
                    wrong[before..].iter_mut().for_each(|what| what.insert_str(0, "calls in place: "));
                }
            }
            tally.shapes.entry(shaped.shape).or_default().folded += usize::from(!looked_at);
        }
        Err(complaint) => {
            tally.shapes.entry(shaped.shape).or_default().refused += 1;
            tally.reason(shaped.shape, &format!("refused: {complaint}"));
            return wrong;
        }
    }
    let overflow = [Overflow::Wrap, Overflow::Wrap, Overflow::Assume, Overflow::Check][rng.usize(..4)];
    let overflow = if looked_at { overflow } else { Overflow::Wrap };
    let inputs = (rng.i64(0..A / 2) * 2, rng.i64(0..B));
    let done = [0, 1].map(|more| &done[((inputs.0 + more) * B + inputs.1) as usize]);
    let defined = done.iter().filter(|done| overflow == Overflow::Wrap || !done.undefined);
    let values: BTreeSet<i64> = defined.filter_map(|done| done.value).collect();
    let fails = overflow == Overflow::Check && done.iter().any(|done| done.undefined);
    let none: Vec<String> = values.iter().map(|value| format!("v != {}", written(*value))).collect();
    let none = if none.is_empty() { "1".to_owned() } else { none.join(" && ") };
    let shape = shaped.shape;
    let mut ask = |condition: &str, expected: bool, question: Question| {
        let tail = match question {
            Question::Termination => Tail::for_ever_if(rng, condition),
            _ => Tail::wrong_if(rng, condition),
        };
        let text = shaped.checked(&tail, rng.bool(), inputs);
        wrong.extend(Asked { shape, text: &text, overflow, question, expected }.wrong(tally));
    };
    ask(&none, fails, FAILURES);
    if let Some(value) = values.last() {
        let condition = format!("v == {}", written(*value));
        ask(&condition, true, FAILURES);
        // What is undefined is no failure where it is asked whether runs end.
        if overflow != Overflow::Check && inputs.0 == 0 {
            ask(&condition, true, Question::Termination);
            ask(&none, false, Question::Termination);
        }
    }
    wrong
}

fn written(value: i64) -> String {
    if value == i64::MIN { "(-9223372036854775807 - 1)".to_owned() } else { format!("{value}LL") }
}

/// Executes the program with all inputs. Whether what is undefined can be compared: compilers narrow and fold sums before they look at
/// them, so that an overflow that they do not see may be one.
fn executed(
    shaped: &Shaped,
    program: &Program,
    done: &[Done],
    overflow: Overflow,
    tally: &mut Tally,
    wrong: &mut Vec<String>,
) -> bool {
    let options = interpreter::Options::of(overflow, 100_000);
    for (at, done) in done.iter().enumerate() {
        let (a, b) = (at as i64 / B, at as i64 % B);
        let inputs = Inputs::list([i128::from(a), i128::from(b)]).left_to_right();
        let outcome = interpreter::execute(program, &options, inputs, &mut |_| {});
        let count = tally.shapes.entry(shaped.shape).or_default();
        count.runs += 1;
        let expected = match overflow {
            Overflow::Check if done.undefined => None,
            _ => done.value,
        };
        let right = match (&outcome.end, expected) {
            (End::Unknown(doubt), _) => {
                count.runs_unknown += 1;
                tally.reason(shaped.shape, &format!("run: {}", doubt.told(program)));
                true
            }
            (End::Returned(Some(value)), Some(expected)) => *value == i128::from(expected),
            (End::Blocked(Some(_)), None) => overflow == Overflow::Wrap,
            (End::Wrong(_), None) => overflow == Overflow::Check,
            (End::Wrong(Fault::Overflow), Some(_)) if overflow == Overflow::Check => return false,
            _ => false,
        };
        if !right {
            let end = outcome.end.told(program);
            wrong.push(format!("a = {a}, b = {b}, {overflow:?}: {end}, but {expected:?} is right"));
            return true;
        }
    }
    true
}

/// Whether a program can fail.
pub const FAILURES: Question = Question::Failures(Failures::All);

/// Whether an overflow is seen when the program is executed: compilers fold some before they look at them.
fn overflows(shaped: &Shaped, a: i64, b: i64) -> bool {
    read(&shaped.executed(), Some("main_"), DataModel::LP64).is_ok_and(|program| {
        let options = interpreter::Options::of(Overflow::Check, 100_000);
        let inputs = Inputs::list([i128::from(a), i128::from(b)]).left_to_right();
        matches!(interpreter::execute(&program, &options, inputs, &mut |_| {}).end, End::Wrong(Fault::Overflow))
    })
}

/// A question about a program.
#[derive(Debug)]
pub struct Asked<'a> {
    /// What the program is about.
    pub shape: &'static str,
    /// The program.
    pub text: &'a str,
    /// What overflows are.
    pub overflow: Overflow,
    /// The question.
    pub question: Question,
    /// Whether some run shows it.
    pub expected: bool,
}

impl Asked<'_> {
    /// Counts an answer that is not known; what is wrong with it, if it is.
    fn open(&self, tally: &mut Tally, reason: &str) -> Option<String> {
        let Asked { shape, text, overflow, ref question, .. } = *self;
        tally.shapes.entry(shape).or_default().unknown += 1;
        tally.reason(shape, reason);
        reason.contains("defect").then(|| format!("{question:?}, {overflow:?}: {reason}\n{text}"))
    }

    /// What is wrong with the answer, if it is.
    pub fn wrong(&self, tally: &mut Tally) -> Option<String> {
        let Asked { shape, text, overflow, ref question, expected } = *self;
        tally.shapes.entry(shape).or_default().questions += 1;
        let verdict = match read(text, None, DataModel::LP64) {
            Ok(program) => {
                let edges = [Edges::Statement, Edges::Path, Edges::Loop][text.len() % 3];
                decide(&program, question, &options(overflow, edges), &mut |_| {}).outcome.verdict
            }
            Err(complaint) => return self.open(tally, &format!("refused: {complaint}")),
        };
        let found = match verdict {
            Verdict::Holds | Verdict::Unreachable => false,
            Verdict::Violated(_) | Verdict::Reachable(_) => true,
            Verdict::Unknown(why) => return self.open(tally, &why.to_string()),
        };
        let (said, right) = if expected { ("holds", "violated") } else { ("violated", "holds") };
        (found != expected).then(|| format!("{question:?}, {overflow:?}: {said}, but it is {right}:\n{text}"))
    }
}

/// Little is tried, so that much is asked.
fn options(overflow: Overflow, edges: Edges) -> Options {
    let limits = Limits { deadline: Some(Instant::now() + PATIENCE), ..Limits::default() };
    let bounds = Bounds { conflicts: 300, stop: Some(Rc::new(move || limits.met().is_some())), second: None };
    let tuning = Tuning { bounds, cubes: 1, edges, ..Tuning::default() };
    let check = puch::options::Options { limits, ..puch::options::Options::default() };
    Options { overflow, tuning, check, rounds: Some(3), donor: None }
}

/// Whether each of two runs is one of an abstraction by random predicates: where the number is observed that the run observes, the
/// abstraction may fail as well. How many predicates were read, if so.
///
/// # Errors
/// If it does not.
pub fn abstracts(shaped: &Shaped, done: &[Done], rng: &mut Rng) -> Result<usize, String> {
    let inputs = (rng.i64(0..A / 2) * 2, rng.i64(0..B));
    let overflow = [Overflow::Wrap, Overflow::Assume][rng.usize(..2)];
    let mut places = shaped.places.clone();
    places.extend(["v", "a", "a", "v"].map(str::to_owned));
    let mut count = 0;
    for more in [0, 1] {
        let Done { value: Some(value), undefined } = done[((inputs.0 + more) * B + inputs.1) as usize] else {
            continue;
        };
        if overflow == Overflow::Assume && (undefined || overflows(shaped, inputs.0 + more, inputs.1)) {
            continue;
        }
        let tail = Tail::wrong_if(rng, &format!("v == {}", written(value)));
        let text = shaped.checked(&tail, false, inputs);
        let Ok(mut program) = read(&text, None, DataModel::LP64) else { return Ok(0) };
        let mut predicates = Vec::new();
        for _ in 0..5 {
            let (place, number) =
                (&places[rng.usize(..places.len())], [0, 1, 2, inputs.0, value, value + 1][rng.usize(..6)]);
            let op = ["==", "<", "!=", ">"][rng.usize(..4)];
            let line = format!("main: {place} {op} {}", written(number)).replace('$', "");
            predicates
                .extend(predicates::read(&mut program, &line.replace("<|", "").replace("|>", "")).unwrap_or_default());
        }
        let method = [Method::Auto, Method::Cartesian][rng.usize(..2)];
        let edges = [Edges::Statement, Edges::Path, Edges::Loop][rng.usize(..3)];
        let bounds = Bounds { conflicts: 300, ..Bounds::default() };
        let result = abstracted(
            &program,
            &predicates,
            overflow,
            &Tuning { method, cubes: 2, bounds, edges, ..Tuning::default() },
        );
        if !may_fail(&result) {
            return Err(format!(
                "{overflow:?}, {method:?}, {edges:?}: this cannot fail\n{}\nof this program\n{text}",
                result.text()
            ));
        }
        count += predicates.len();
    }
    Ok(count)
}

/// The smallest program that is still answered wrongly, as far as it is found, and what is wrong with the answers.
pub fn least(mut shaped: Shaped, seed: u64, mut wrong: Vec<String>) -> (Shaped, Vec<String>) {
    let again = |shaped: &Shaped| {
        let done = done(std::slice::from_ref(shaped))?.ok()?;
        let wrong = compared(shaped, &done[0], &mut Rng::with_seed(seed), &mut Tally::default());
        (!wrong.is_empty()).then_some(wrong)
    };
    while let Some((smaller, still)) =
        shaped.smaller().into_iter().find_map(|smaller| Some((smaller.clone(), again(&smaller)?)))
    {
        (shaped, wrong) = (smaller, still);
    }
    (shaped, wrong)
}
