//! Which pointers can be NULL where they are used: the analysis of Ball and Rajamani, *Bebop: a path-sensitive interprocedural
//! dataflow engine* (PASTE 2001), for C.
//!
//! The question is written into the program before each use of a pointer ([`crate::question::uses`]), and all questions are asked of one refinement
//! ([`crate::refinement::several`]): it begins with `p == NULL` for each pointer that is used, learns from traces that are no runs, and ends with the
//! predicates of the paper and the conditions that they go with (`predicates`), which are too many to begin with in large procedures.
//! One saturation a round answers all that is open. What cannot fail there is safe: the Boolean program has every run of the C program.
//! What fails there is a claim about the C program only if a run of it shows it: inputs are looked for (`confirm`, [`crate::concretise`]),
//! and the judge executes the program with them ([`crate::interpreter`]). All else is unknown.
//!
//! *Safe* means not NULL, in runs that have done nothing undefined before; whether the object was freed is another question, and whether it has
//! enough elements is not asked.

mod candidates;

mod preconditions;

mod predicates;

mod confirm;
mod flow;

mod property;

mod some;

mod sums;

pub use candidates::Candidates;

pub use confirm::{Endless, endless};

pub use some::{KnownUse, analysed, followed, proved, tried, uses};

pub use preconditions::preconditions;

pub use property::{Told, decided};

use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::abstraction::{self, Edges, Predicate, Reuse, Tuning, boolean};
use crate::analyses::Analyses;
use crate::answer::{Run, Verdict};
pub use crate::c::Malloc;
use crate::c::Program;
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueKind, Term};
pub use crate::c::meaning::Kind;
use crate::c::program::{Overflow, StatementId, StatementKind};
use crate::check::Target;
use crate::concretise::Followed;
use crate::facts::{self, Known};
use crate::interpreter::Inputs;
use crate::limits;
use crate::options;
use crate::refinement::several::{Asker, Chooser, Effort, Excluder, Excluding, Open, Questions};
use crate::refinement::{self, Execution, Reason};
use confirm::{Executed, Missed};

pub use crate::question::uses::Use;
use crate::question::uses::{Asked, Check, Instrumented, instrument};

/// Rounds of refinement, unless somebody says how many.
pub const ROUNDS: usize = 10;

/// For so many looks at limits it is worth some work to abstract by the predicates of the paper: some tenths of a second.
const LOOKS: u64 = 2_000;

/// Rounds about each use once one was seen to be NULL.
const BRIEFLY: usize = 2;

/// What is asked, and how hard is tried.
#[derive(Clone)]
pub struct Options {
    /// Whether an allocation may fail.
    pub malloc: Malloc,
    /// For the abstraction.
    pub tuning: Tuning,
    /// For the check of the Boolean program.
    pub check: options::Options,
    /// Steps of each run by which NULL is looked for.
    pub steps: u64,
    /// Rounds of refinement for what the first abstraction leaves open.
    pub rounds: usize,
    /// What happens where signed arithmetic leaves its type.
    pub overflow: Overflow,
    /// What abstractions that are refined take as one step.
    pub edges: Edges,
    /// How uses can go wrong that are asked about.
    pub kinds: BTreeSet<Kind>,
    /// The uses that are asked about, if not all are. Runs do not go past others where they are undefined.
    pub asked: Option<Arc<HashSet<Use>>>,
    /// Whether it is taken for granted that what is written as characters, through pointers that were made for characters, is read as nothing else.
    pub granted: bool,
    /// Predicates that may help, besides those that are chosen and learnt.
    pub candidates: Candidates,
}

impl Options {
    /// What is asked, and what C leaves open.
    fn asked(&self) -> Asked<'_> {
        Asked { kinds: &self.kinds, uses: self.asked.as_deref(), malloc: Some(self.malloc) }
    }

    /// How hard the one refinement for all uses tries.
    pub(crate) fn effort(&self) -> Effort {
        let Options { tuning: chosen, check, rounds, overflow, .. } = self.clone();
        let tuning = Tuning { bounds: chosen.bounds.clone(), edges: self.edges, ..Tuning::default() };
        let refined = refinement::Options { overflow, tuning, check, rounds: Some(rounds), donor: None };
        Effort { chosen, refined }
    }
}

impl Default for Options {
    fn default() -> Options {
        let tuning = Tuning { cubes: 2, blocking: false, ..Tuning::default() };
        let (check, overflow) = (options::Options::default(), Overflow::Wrap);
        let (malloc, kinds) = (Malloc::default(), BTreeSet::from([Kind::Null]));
        let edges = Edges::default();
        Options {
            malloc,
            tuning,
            check,
            steps: 50_000,
            rounds: ROUNDS,
            overflow,
            edges,
            kinds,
            asked: None,
            granted: false,
            candidates: Candidates::default(),
        }
    }
}

/// A use of a pointer that needs an object, and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PointerUse {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The column of the statement.
    pub column: u32,
    /// In which procedure.
    pub procedure: String,
    /// How it can go wrong.
    pub kind: Kind,
    /// The pointer, in C; of others what is computed, what an index designates, or the condition of a contract.
    pub pointer: String,
    /// Whether it is never NULL there, in runs that have done nothing undefined before; it is, in this run, which was executed; or why that is
    /// not known. Whether the object is large enough is not asked.
    pub verdict: Verdict,
    /// Why that is said, as a sentence when it is written.
    #[serde(serialize_with = "sentence")]
    pub grounds: Grounds,
    /// Where it is not known: a run of an abstraction that gets to NULL there, if there is one.
    pub abstract_run: Option<Run>,
}

fn sentence<S: Serializer>(grounds: &Grounds, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(grounds)
}

impl PointerUse {
    /// What reports say of it in a word.
    pub fn word(&self) -> &'static str {
        match self.verdict {
            Verdict::Holds | Verdict::Unreachable => "safe",
            Verdict::Violated(_) | Verdict::Reachable(_) if self.kind == Kind::Contract => "broken",
            Verdict::Violated(_) | Verdict::Reachable(_) => self.kind.name(),
            Verdict::Unknown(_) => "unknown",
        }
    }

    /// A run to NULL, of the program or of an abstraction.
    pub fn run(&self) -> Option<&Run> {
        self.verdict.run().map(|run| &**run).or(self.abstract_run.as_ref())
    }
}

/// Why something is said of a use of a pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grounds {
    /// No run comes to it.
    NeverReached,
    /// A predicate says that this pointer is not NULL.
    NotNull(String),
    /// The predicates say so together.
    Predicates,
    /// The Boolean program says so, wherever it is asked.
    Abstraction,
    /// Invariants say so, proved along basic paths.
    Invariants,
    /// What shows that no pointer is NULL says so.
    Together,
    /// A run was executed.
    Executed,
    /// A run was executed, and there were few elements behind a pointer: how many are enough is not known.
    Few,
    /// The question is open.
    Open {
        /// Because of this.
        reason: Reason,
        /// Whether some run of the abstraction gets to NULL.
        on_abstraction: bool,
    },
}

impl Grounds {
    /// The word by which scripts know why it is open; none where it is not.
    pub fn kind(&self) -> Option<&'static str> {
        let (Grounds::Open { .. } | Grounds::Few) = self else { return None };
        Some(self.stopped().unwrap_or(limits::Reason::Abstraction).kind())
    }

    /// The limit that was met, if that is why it is open.
    pub fn stopped(&self) -> Option<limits::Reason> {
        match self {
            Grounds::Open { reason, .. } => reason.stopped(),
            _ => None,
        }
    }
}

impl Grounds {
    /// The same of a use that can go wrong otherwise than by NULL, in words.
    pub fn told(&self, kind: Kind) -> String {
        match self {
            _ if kind == Kind::Null => self.to_string(),
            Grounds::Predicates => "the predicates exclude it".to_owned(),
            Grounds::Abstraction => "no run of the Boolean program fails here".to_owned(),
            Grounds::Invariants => "invariants exclude it".to_owned(),
            Grounds::Together => "nothing fails that was asked about".to_owned(),
            Grounds::Executed if kind == Kind::Contract => "a contract that does not hold in this run".to_owned(),
            Grounds::Executed => format!("{} in this run", kind.told()),
            Grounds::NeverReached | Grounds::NotNull(_) | Grounds::Few | Grounds::Open { .. } => self.to_string(),
        }
    }
}

impl fmt::Display for Grounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Grounds::NeverReached => f.write_str("no run comes here"),
            Grounds::NotNull(pointer) => write!(f, "always {pointer} != NULL here"),
            Grounds::Predicates => f.write_str("the predicates exclude NULL here"),
            Grounds::Abstraction => f.write_str("no run of the Boolean program gets to NULL here"),
            Grounds::Invariants => f.write_str("invariants exclude NULL here"),
            Grounds::Together => f.write_str("no pointer is NULL where it is used"),
            Grounds::Executed => f.write_str("NULL in this run"),
            Grounds::Few => {
                f.write_str("it goes wrong if there are few elements, and how many are enough is not known")
            }
            Grounds::Open { reason, on_abstraction: true } => write!(f, "only on the abstraction: {reason}"),
            Grounds::Open { reason, on_abstraction: false } => reason.fmt(f),
        }
    }
}

/// The Boolean program in which the questions are assertions: by the predicates of the paper and the conditions that they go with.
pub fn boolean_program(program: &Program, options: &Options) -> boolean::Program {
    let Instrumented { mut program, checks, .. } = instrument(program, options.asked());
    let analyses = Analyses::of(&program);
    let predicates = predicates::related(&mut program, &checks, &analyses);
    let mut reuse = Reuse::with(analyses);
    abstraction::abstracted_again(&program, &predicates, Overflow::Wrap, &options.tuning, &mut reuse)
}

/// What is known of every use of a pointer, in the order of the procedures and their statements.
pub fn analyse(program: &Program, options: &Options) -> Vec<PointerUse> {
    some::analysed(program, options).into_iter().map(|known| known.told).collect()
}

/// The statements that fail where a pointer is NULL.
fn statements(instrumented: &Instrumented) -> Vec<StatementId> {
    instrumented.checks.iter().map(Check::fails).collect()
}

/// The questions about each use of a pointer, while they are asked.
struct Each<'a> {
    questions: Questions<'a>,
    asking: Asking<'a>,
}

impl<'a> Each<'a> {
    fn of(
        instrumented: &'a Instrumented,
        statements: &'a [StatementId],
        effort: &'a Effort,
        options: &'a Options,
    ) -> Each<'a> {
        let questions = Questions::of(&instrumented.program, statements, effort);
        let nothing = || vec![None; statements.len()];
        Each {
            questions,
            asking: Asking {
                runs: Executed::of(instrumented),
                options,
                found: nothing(),
                doubts: vec![None; statements.len()],
            },
        }
    }

    /// What does not take long.
    fn ask(&mut self) {
        self.questions.ask(&mut self.asking);
    }

    /// The same where it is of little use, because the question is answered: no more rounds than that.
    fn ask_briefly(&mut self) {
        self.questions.shorten(BRIEFLY);
        self.ask();
        self.relate();
    }

    /// What is still open is worth some work.
    fn search(&mut self) {
        self.questions.search(&mut self.asking);
        self.relate();
    }

    /// The predicates of the paper, as far as that does not take long.
    fn relate(&mut self) {
        self.questions.relate(&mut self.asking, LOOKS);
    }

    /// It is worth any.
    fn persist(&mut self) {
        self.questions.persist(&mut self.asking);
    }

    /// Whether nothing is open.
    fn is_answered(&self) -> bool {
        self.questions.open().is_empty()
    }

    /// Whether it is known that something cannot fail.
    fn excludes(&self) -> bool {
        self.asking.found.iter().any(|found| matches!(found, Some(Finding::Safe(_))))
    }

    /// A run to NULL, if one is known.
    fn failed(&self) -> Option<&Failed> {
        self.asking.found.iter().find_map(|found| match found {
            Some(Finding::Fails(failed)) => Some(&**failed),
            _ => None,
        })
    }

    /// That this one fails is known otherwise.
    fn fails(&mut self, at: usize, failed: Failed) {
        self.asking.fails(at, failed);
        self.questions.close(at);
    }

    /// That nothing fails of all that is open is known otherwise.
    fn excluded(&mut self, why: impl FnOnce(&[usize], &Asking<'_>) -> Vec<Grounds>) {
        let open: Vec<usize> = self.questions.open().keys().copied().collect();
        let grounds = why(&open, &self.asking);
        for (at, grounds) in open.into_iter().zip(grounds) {
            self.asking.found[at] = Some(Finding::Safe(grounds));
            self.questions.close(at);
        }
    }

    /// What is known of each.
    fn found(self) -> Vec<Finding> {
        let Each { questions, asking: Asking { found, doubts, .. } } = self;
        let told = |(at, (found, doubt)): (usize, (Option<Finding>, Option<Reason>))| {
            found.unwrap_or_else(|| {
                let open = questions.open().get(&at).cloned();
                let open = open.unwrap_or(Open { why: Reason::NoAnswer(None), points: Vec::new() });
                let doubt = doubt.filter(|_| open.why.stopped().is_none());
                Finding::Open(doubt.map_or(open, |why| Open { why, points: Vec::new() }))
            })
        };
        found.into_iter().zip(doubts).enumerate().map(told).collect()
    }
}

/// What is known of a question.
#[derive(Clone, Debug)]
enum Finding {
    /// It cannot fail, because of this.
    Safe(Grounds),
    /// It fails in this run.
    Fails(Box<Failed>),
    /// It is not known.
    Open(Open),
}

/// A run that was executed into a question that fails.
#[derive(Clone, Debug)]
struct Failed {
    execution: Execution,
    /// As readers are told of it.
    run: Run,
}

/// The questions, and what is known of them so far.
struct Asking<'a> {
    runs: Executed<'a>,
    options: &'a Options,
    found: Vec<Option<Finding>>,
    /// Why runs into some of them say nothing.
    doubts: Vec<Option<Reason>>,
}

impl Asking<'_> {
    fn fails(&mut self, at: usize, failed: Failed) {
        if !matches!(self.found[at], Some(Finding::Fails(_))) {
            self.found[at] = Some(Finding::Fails(Box::new(failed)));
        }
    }
}

impl Asker for Asking<'_> {
    fn excluded(&mut self, statements: &[usize], by: &Excluding<'_>) {
        let why = match by {
            Excluding::Abstraction(by) => explained(self.runs.instrumented, statements, by, &self.options.check),
            Excluding::Invariants => vec![Grounds::Invariants; statements.len()],
        };
        for (&at, why) in statements.iter().zip(why) {
            self.found[at] = Some(Finding::Safe(why));
        }
    }

    fn ran(&mut self, inputs: Inputs, most: u64) -> Result<usize, Reason> {
        let most = self.options.steps.max(most);
        match confirm::executed(&self.runs, inputs, most, self.options) {
            Ok((at, came)) => {
                self.fails(at, came.failed(self.runs.instrumented));
                Ok(at)
            }
            Err(Missed { at, why }) => {
                if let Some(at) = at {
                    self.doubts[at] = Some(why.clone());
                }
                Err(why)
            }
        }
    }

    fn followed(&mut self, trace: &Followed, numbers: &[i128]) -> Result<usize, Reason> {
        self.ran(Inputs::list(numbers.iter().copied()), 10 * trace.steps.len() as u64)
    }
}

impl Chooser for Asking<'_> {
    fn first(&mut self, program: &mut Program, analyses: &Analyses) -> Vec<Predicate> {
        let mut all = predicates::own(program, &self.runs.instrumented.checks, analyses);
        all.extend(self.options.candidates.read(program));
        all
    }

    fn last(&mut self, program: &mut Program, analyses: &Analyses) -> Vec<Predicate> {
        predicates::related(program, &self.runs.instrumented.checks, analyses)
    }

    fn tried(&mut self, open: &[usize]) -> Vec<usize> {
        let shown = confirm::tried(&self.runs, open, self.options);
        let fails = |(at, failed)| {
            self.fails(at, failed);
            at
        };
        shown.into_iter().map(fails).collect()
    }
}

/// Of statements that no run gets to what is known where it is asked.
fn explained(
    instrumented: &Instrumented,
    statements: &[usize],
    by: &Excluder<'_>,
    check: &options::Options,
) -> Vec<Grounds> {
    let passed = by.passed();
    let target = |at: &usize| {
        let symbol = by.symbols.get(&instrumented.checks[*at].asks());
        symbol.map(|&symbol| Target { control: None, symbol })
    };
    let targets: Vec<Option<Target>> = statements.iter().map(target).collect();
    let asked: Vec<Target> = targets.iter().flatten().copied().collect();
    let facts = facts::facts(&by.system.spds, &facts::Question::Values(asked, 0), check).facts;
    let mut facts = facts.ok().map(Vec::into_iter);
    let mut all = Vec::new();
    for (&at, target) in statements.iter().zip(targets) {
        let fact = target.map(|target| (target, facts.as_mut().and_then(Iterator::next)));
        all.push(match fact {
            None if passed.contains(&instrumented.checks[at].asks()) => Grounds::Abstraction,
            None => Grounds::NeverReached,
            Some((_, None)) => Grounds::Abstraction,
            Some((target, Some(fact))) => match &fact.known {
                Known::Never => Grounds::NeverReached,
                Known::Reached { constants, .. } => {
                    let excluded = constants.iter().filter(|(_, value)| *value == 0);
                    let excluded = excluded.filter_map(|(cell, _)| by.system.predicate(target.symbol, cell.var));
                    let excluded: Vec<ExpressionId> = excluded.map(|id| id.of(by.predicates).expression).collect();
                    known_there(by.program, &instrumented.checks[at], &excluded)
                }
            },
        });
    }
    all
}

/// What is known of the pointer: that it is not NULL, or else what is known of all predicates together.
fn known_there(program: &Program, check: &Check, excluded: &[ExpressionId]) -> Grounds {
    let terms = &program.terms;
    let is_own = |id: &ExpressionId| match terms.get(*id).kind {
        ExpressionKind::Binary(Binary::Equal, pointer, zero) => {
            check.subject == Some(Term::Expression(pointer)) && terms.get(zero).kind == ExpressionKind::Constant(0)
        }
        _ => false,
    };
    match check.subject {
        Some(Term::Expression(pointer)) if check.kind == Kind::Null && excluded.iter().any(is_own) => {
            Grounds::NotNull(program.expression_text(pointer))
        }
        _ => Grounds::Predicates,
    }
}

/// One verdict for each pointer at each place: several questions about it are one for the reader.
fn summed(program: &Program, instrumented: &Instrumented, found: Vec<Finding>) -> Vec<PointerUse> {
    some::known(program, instrumented, found).into_iter().map(|known| known.told).collect()
}

fn rank(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Holds | Verdict::Unreachable => 0,
        Verdict::Unknown(_) => 1,
        Verdict::Violated(_) | Verdict::Reachable(_) => 2,
    }
}

/// What is used as the source has it: what the front end has stored before it is used, is shown.
fn program_text(instrumented: &Instrumented, check: &Check) -> String {
    let program = &instrumented.program;
    let used = match check.subject {
        Some(Term::Expression(used)) => used,
        Some(Term::Lvalue(lvalue)) => return program.lvalue_text(lvalue),
        None => return check.kind.name().to_owned(),
    };
    let shown = || {
        let ExpressionKind::Read(lvalue) = program.terms.get(used).kind else { return None };
        let LvalueKind::Variable(variable) = program.terms.at(lvalue).kind else { return None };
        if !program.variable(variable).is_made_up {
            return None;
        }
        let mut stored =
            program.procedure(check.procedure).body.iter().flatten().filter_map(|statement| match &statement.kind {
                StatementKind::Assign(to, _) | StatementKind::Call(Some(to), ..) if *to == lvalue => {
                    let text = program.statement_text(statement);
                    text.strip_prefix(&format!("{} = ", program.lvalue_text(*to))).map(str::to_owned)
                }
                _ => None,
            });
        let only = stored.next();
        only.filter(|_| stored.next().is_none())
    };
    shown().unwrap_or_else(|| program.expression_text(used))
}
