//! Software as it is: each function of C files by itself, entered with an arbitrary state.
//!
//! Of a function is asked, with all that it calls, whether some pointer that is used can be NULL, some index be none of its array, some divisor
//! be 0, and so on ([`Kind`]). Where something can go wrong, it is looked for conditions on the state at the entry that exclude it
//! ([`condition`]): *obligations* of the callers. As the whole of what a function calls is looked at, a callee's obligation that is not
//! established shows as a use that can go wrong, of the caller's; and recursive calls get no condition for nothing, because only the call from
//! outside assumes any.
//!
//! What is said to be safe is so in every state that a caller may leave ([`entry`]): it has all runs, whatever the size of what pointers
//! lead to. What fails although all obligations are kept was executed, from a state that was made object by object ([`objects`]): it has
//! few runs, but real ones. All that is left is not known.
//!
//! Whoever calls a function through a pointer, or from where nothing is known of, keeps its obligations, too: uses on such ways are asked
//! about where that function is looked at (`apart`).
//!
//! Contracts ([`contract`]) are asked about in the same way: a call that breaks what a function demands, and a return that breaks what it
//! promises, are uses, too.
//!
//! Uses that come after something else undefined (an access out of bounds) are not asked about: no run goes past that.
//!
//! How long arrays are that callers hand over nobody knows: variables tell it, `elements(p)` in conditions (`lengths`).
//!
//! What is not asked is said to be assumed: whether locals still live to which pointers lead, and whether objects are as large as what is accessed
//! through a pointer that was moved and that lay in memory, or leads to characters. Of objects that are freed, that nobody else has freed them, and that one pointer leads to them.

pub mod apart;
mod begun;
pub mod closed;
pub mod condition;
pub mod contract;
mod copied;
pub mod ends;
pub mod entry;
mod harness;
mod known;
mod lengths;
pub mod objects;
pub mod renamed;
pub mod summary;

mod search;

use std::collections::BTreeSet;

use crate::answer::Verdict;
use crate::c::expression::{ExpressionKind, Term};
use crate::c::program::{Program, Statement, StatementKind};
use crate::nullness::{self, Kind, Options, PointerUse};
use crate::question::freed::{KINDS as FREED, frees};
use crate::question::wrong::is_unasked;
use crate::verdict::Why;
use search::Found;
use summary::Summaries;

/// What is known of a use, as it is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// It never goes wrong, for any caller.
    Safe,
    /// It never goes wrong, for callers that keep the obligations.
    Obligation,
    /// It goes wrong for some caller that keeps them.
    Fails,
    /// It is not known.
    Unknown,
}

/// A condition that callers have to establish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obligation {
    /// In C.
    pub condition: String,
    /// A use, by its index, of which it is not known that it is safe where all others are kept and this one is not.
    pub needed_by: usize,
    /// Whether it was executed that it goes wrong there.
    pub shown: bool,
}

/// What is known of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Of it all: that no use fails for callers that keep the obligations; the run of the first that does; or why it is not known.
    pub verdict: Verdict,
    /// Of each use that it leads to: what is known where all obligations are kept.
    pub uses: Vec<(PointerUse, Class)>,
    /// What callers have to establish.
    pub obligations: Vec<Obligation>,
    /// What is taken on trust.
    pub assumptions: Vec<String>,
    /// Whether a limit kept something from being known.
    pub is_stopped: bool,
    /// With what it was proved: predicates, as lines of a predicate file, or what decreases ([`crate::refinement::Ranks`]); for who asks about another
    /// version of it.
    pub proved_by: Vec<String>,
    /// Where it is asked whether it ends, and a run does not: where that goes on for ever.
    pub endless: Option<Endless>,
}

/// Where a run goes on for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endless {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
    /// The procedure.
    pub procedure: String,
    /// The statement that comes again and again; `…` if traces do not show it.
    pub statement: String,
}

impl Endless {
    fn of(program: &Program, found: &nullness::Endless) -> Endless {
        let procedure = program.procedure(found.at.procedure);
        let place = program.statement(found.at).map_or(procedure.place, |statement| statement.place);
        Endless {
            file: program.file(place).to_owned(),
            line: place.line,
            column: place.column,
            procedure: copied::written(&procedure.name).to_owned(),
            statement: found.statement.clone().unwrap_or_else(|| "…".to_owned()),
        }
    }
}

impl Answer {
    /// Nothing is known, because of this.
    pub fn unknown(why: Why) -> Answer {
        Answer::of(Verdict::Unknown(why))
    }

    /// Nothing is known but that.
    fn of(verdict: Verdict) -> Answer {
        let (uses, obligations, assumptions, proved_by) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Answer { verdict, uses, obligations, assumptions, is_stopped: false, proved_by, endless: None }
    }
}

/// Looks at the function in which a program begins; of functions that it calls and that are known, what they demand is checked, and what goes
/// wrong in them is not asked once more. When runs are looked for, there are so many objects, one behind the other, behind each pointer that is
/// given. As long as the limits of the options allow.
pub fn analyse(program: &Program, known: &Summaries, deep: usize, options: &Options) -> Answer {
    let uses = search::found(program, known, deep, options);
    let class = |one: &Found| match one.told.verdict {
        Verdict::Violated(_) | Verdict::Reachable(_) => Class::Fails,
        Verdict::Unknown(_) => Class::Unknown,
        Verdict::Holds | Verdict::Unreachable if one.is_bare => Class::Safe,
        Verdict::Holds | Verdict::Unreachable => Class::Obligation,
    };
    let verdict = summed(program, &uses.all, &options.kinds);
    let mut assumptions = assumptions(program, &options.kinds);
    if uses.is_apart {
        assumptions.push("functions that are called go wrong only as is said of each".to_owned());
    }
    if uses.is_granted {
        assumptions.push(CHARACTERS.to_owned());
    }
    if uses.is_separate {
        assumptions.push(SEPARATE.to_owned());
    }
    if uses.is_vacuous {
        assumptions.push(never_entered(program));
    }
    let all = uses.all.into_iter().map(|one| (class(&one), one)).map(|(class, one)| (one.told, class)).collect();
    let search::Uses { obligations, is_stopped, predicates: proved_by, .. } = uses;
    Answer { verdict, uses: all, obligations, assumptions, is_stopped, proved_by, endless: None }
}

/// What is known of all of it.
fn summed(program: &Program, all: &[Found], kinds: &BTreeSet<Kind>) -> Verdict {
    if let Some(run) = all.iter().find_map(|one| one.told.verdict.run()) {
        return Verdict::Violated(run.clone());
    }
    let open = all.iter().find_map(|one| one.told.verdict.unknown().cloned());
    open.or_else(|| unasked(program, kinds)).map_or(Verdict::Holds, Verdict::Unknown)
}

/// Why a function may fail in which no use fails: what is not asked about.
fn unasked(program: &Program, kinds: &BTreeSet<Kind>) -> Option<Why> {
    let reached = crate::c::reached::reached(program, false).procedures;
    let procedures = program.procedures.iter().zip(reached).filter(|(_, reached)| *reached);
    let mut statements = procedures.flat_map(|(procedure, _)| procedure.body.iter().flatten());
    let why = |statement: &Statement, what: &str| {
        let file = program.file(statement.place);
        let sentence = format!("whether {what} in {file}:{} is not asked", statement.place.line);
        Why { sentence, kind: "unsupported" }
    };
    statements.find_map(|statement| match statement.kind {
        StatementKind::Fail(_) if !kinds.contains(&Kind::Assert) => Some(why(statement, "the assertion can fail")),
        _ if kinds.contains(&Kind::Overflow) && is_unasked(program, &statement.kind) => {
            Some(why(statement, "a number leaves the widest type"))
        }
        _ => None,
    })
}

/// What is not asked, in a sentence.
fn not_asked(program: &Program, kinds: &BTreeSet<Kind>) -> String {
    let known = [
        (Kind::Null, "whether pointers are NULL"),
        (Kind::Bounds, "whether indices are those of their arrays"),
        (Kind::Division, "whether divisors are 0"),
        (Kind::Shift, "whether shifts are negative or too wide"),
        (Kind::Overflow, "whether signed arithmetic leaves its type"),
        (Kind::UseAfterFree, "whether objects are used that were freed"),
        (Kind::DoubleFree, "whether something is freed twice"),
        (Kind::Uninitialised, "whether locals are read that have no value"),
    ];
    let all = known.into_iter().filter(|(kind, _)| !kinds.contains(kind)).map(|(_, what)| what);
    let converted = "whether floating-point numbers fit the integers that they are converted to";
    let converted = (kinds.contains(&Kind::Overflow) && converts(program)).then_some(converted);
    let values = "whether locals whose address is taken, arrays, structures, floating-point numbers and what is allocated have values";
    let values = kinds.contains(&Kind::Uninitialised).then_some(values);
    let objects = "whether locals to which pointers lead still live, whether there is something in front of where pointers lead, and \
                   whether objects are large enough for pointers in memory and to characters that are moved, and for arrays \
                   behind pointers that have one element or none";
    let all: Vec<&str> = all.chain(converted).chain(values).chain([objects]).collect();
    format!("it is not asked {}", all.join(", "))
}

/// Whether something that a function leads to converts floating-point numbers to integers.
fn converts(program: &Program) -> bool {
    let reached = crate::c::reached::reached(program, false).procedures;
    let procedures = program.procedures.iter().zip(reached).filter(|(_, reached)| *reached);
    let mut statements = procedures.flat_map(|(procedure, _)| procedure.body.iter().flatten());
    statements.any(|statement| {
        // What is not represented is known to who executes it.
        let exact = match &statement.kind {
            StatementKind::Havoc(_, _, exact) | StatementKind::Unseen(_, _, exact) => exact.map(Term::Expression),
            _ => None,
        };
        let terms = statement.kind.terms().chain(exact);
        terms.flat_map(|root| program.terms.postorder(root)).any(|term| match term {
            Term::Expression(id) => match program.terms.get(id).kind {
                ExpressionKind::Convert(of) => {
                    program.types.as_float(program.terms.get(of).ty).is_some()
                        && program.types.as_integer(program.terms.get(id).ty).is_some()
                }
                _ => false,
            },
            Term::Lvalue(_) => false,
        })
    })
}

/// What is taken on trust of every caller, and of all accesses.
const HANDED: &str = "pointers that are handed over are NULL or point into objects that are there";
const ACCESSED: &str = "objects are accessed as what they are, or as characters (C11 §6.5, paragraph 7)";

/// What is taken on trust where a function may never be entered as it is said that it is.
fn never_entered(program: &Program) -> String {
    let name = &program.procedure(program.main).name;
    format!("there is a state that keeps what is said of the entry of `{name}`: none was found")
}

/// What is taken on trust where characters are written, if it is needed.
const CHARACTERS: &str =
    "what is written through pointers to characters, which nothing else was converted to, is read as characters only";

/// What is taken on trust of what the library copies, if it is not known.
const SEPARATE: &str = "what `memcpy`, `strcpy` and their like copy does not overlap where it is copied to";

/// What is taken on trust of what is freed.
const OWNED: [&str; 2] = [
    "what is freed and was not allocated here was allocated, one pointer leads to it, to its beginning, and it is used through pointers of no other type",
    "procedures that are not defined here free nothing that is used or freed afterwards",
];

/// What is taken on trust of what a function leads to.
fn assumptions(program: &Program, kinds: &BTreeSet<Kind>) -> Vec<String> {
    let reached = crate::c::reached::reached(program, false).procedures;
    let mut outside: BTreeSet<&str> = BTreeSet::new();
    for (procedure, _) in program.procedures.iter().zip(&reached).filter(|(_, reached)| **reached) {
        let names = procedure.outside.iter().map(|id| &*program.procedure(*id).name);
        outside.extend(names);
    }
    let mut all = vec![HANDED.to_owned(), ACCESSED.to_owned(), not_asked(program, kinds)];
    if !outside.is_empty() {
        let names: Vec<String> = outside.iter().map(|name| format!("`{name}`")).collect();
        let demanded = if names.len() == 1 { "it demands" } else { "they demand" };
        all.push(format!("calls of {} keep what {demanded}", names.join(", ")));
    }
    if FREED.iter().any(|kind| kinds.contains(kind)) && frees(program) {
        all.extend(OWNED.map(str::to_owned));
    }
    if apart::leaves_anywhere(program) {
        all.push("calls of functions through pointers, or from elsewhere, keep what these demand".to_owned());
    }
    all.extend(contract::assumptions(program));
    all.extend(program.unverified.iter().map(|trusted| trusted.text.clone()));
    all
}
