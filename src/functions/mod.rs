//! Software as it is: each function of C files by itself, called in any state that its callers can leave (modular verification as in
//! D. Detlefs, K. R. M. Leino, G. Nelson and J. B. Saxe, *Extended static checking*, SRC 159, 1998).
//!
//! A function is executed once for all states (`walk`), over terms of bit-vectors (`values`, `machine`) and a memory of which nothing is known
//! but what was written (`memory`); loops keep what is guessed and found inductive (`looped`), calls do what is known of the callee
//! (`call`, `summary`, `effects`). Of each place where something has to hold it is then asked whether it can fail (`solver`); if it can, a
//! condition on the state at the entry is looked for that excludes that (`precondition`, `condition`): it is what callers owe. Callees come
//! before callers; those that call each other are looked at until what they owe does not change.
//!
//! *Safe* means that no call that keeps the obligations fails there, in runs that have done nothing undefined before, under the
//! assumptions that are listed; for memory of any size and shape. All that cannot be said is unknown, with the reason.

mod call;
mod condition;
mod effects;
mod looped;
mod machine;
mod memory;
mod order;
mod precondition;
mod function;
pub mod report;
mod solver;
mod state;
mod summary;
mod values;
mod walk;

use std::collections::BTreeSet;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use spds_format::model::Place;

use crate::c::Program;
use crate::c::library::modelled;
use crate::c::program::ProcedureId;
use crate::limits::Limits;

use effects::Calls;
use function::{Analysed, Subject};
use machine::Machine;
use summary::Summary;

/// What can go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// NULL is followed.
    Null,
    /// An object is accessed beyond its bounds.
    Bounds,
    /// Signed arithmetic leaves its type.
    Overflow,
    /// A division by zero.
    Division,
    /// A shift out of range, or one to the left that C does not define.
    Shift,
    /// An assertion fails.
    Assert,
    /// An object is accessed that is no more.
    UseAfterFree,
    /// What is freed was freed before, or never allocated.
    DoubleFree,
    /// A local is read that nobody has assigned.
    Uninitialised,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 9] = [
        Kind::Null,
        Kind::Bounds,
        Kind::Overflow,
        Kind::Division,
        Kind::Shift,
        Kind::Assert,
        Kind::UseAfterFree,
        Kind::DoubleFree,
        Kind::Uninitialised,
    ];

    /// Its name in reports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Bounds => "bounds",
            Kind::Overflow => "overflow",
            Kind::Division => "division",
            Kind::Shift => "shift",
            Kind::Assert => "assert",
            Kind::UseAfterFree => "use-after-free",
            Kind::DoubleFree => "double-free",
            Kind::Uninitialised => "uninitialised",
        }
    }
}

/// What is asked, and how hard is tried.
#[derive(Clone, Debug)]
pub struct Options {
    /// What counts.
    pub kinds: Vec<Kind>,
    /// For all functions together.
    pub limits: Limits,
    /// Seconds for each function.
    pub seconds: Option<f64>,
    /// Questions to the solver for each function.
    pub questions: u64,
}

/// Questions for each function, unless somebody says how many.
pub const QUESTIONS: u64 = 20_000;

impl Default for Options {
    fn default() -> Options {
        Options { kinds: Kind::ALL.to_vec(), limits: Limits::NONE, seconds: None, questions: QUESTIONS }
    }
}

/// What is known of something that has to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// It does.
    Safe,
    /// It does in all calls that keep the obligations.
    Obligation,
    /// It is not known.
    Unknown,
    /// In a run that keeps all obligations it does not.
    Fails,
}

impl Verdict {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Safe => "safe",
            Verdict::Obligation => "obligation",
            Verdict::Unknown => "unknown",
            Verdict::Fails => "fails",
        }
    }
}

/// Something that has to hold, and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Where.
    pub place: Place,
    /// What goes wrong otherwise.
    pub kind: Kind,
    /// What it is about, in C.
    pub text: String,
    /// Whether it holds.
    pub verdict: Verdict,
    /// Why that is not known, if it is not.
    pub reason: Option<String>,
}

/// What callers owe, in C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owed {
    /// What has to hold at the entry.
    pub condition: String,
    /// What may go wrong otherwise.
    pub kind: Kind,
    /// Where.
    pub place: Place,
}

/// What is known of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Where it is defined.
    pub place: Place,
    /// All that has to hold in it, in the order of its text.
    pub findings: Vec<Finding>,
    /// What callers owe.
    pub obligations: Vec<Owed>,
    /// What is taken for granted.
    pub assumptions: Vec<String>,
}

impl Function {
    /// The worst that is known of it.
    pub fn verdict(&self) -> Verdict {
        self.findings.iter().map(|finding| finding.verdict).max().unwrap_or(Verdict::Safe)
    }
}

/// The functions that a program defines, of the user's own.
pub fn defined(program: &Program) -> Vec<ProcedureId> {
    let ids = (0..program.procedures.len() as u32).map(ProcedureId);
    let own = |id: &ProcedureId| {
        let procedure = program.procedure(*id);
        procedure.body.is_some() && modelled(&procedure.name).is_none()
    };
    ids.filter(own).collect()
}

/// What is known of some functions of a program, in the order of the program; each is told once it is known.
pub fn check(
    program: &Program,
    wanted: &[ProcedureId],
    options: &Options,
    tell: &mut dyn FnMut(&Function),
) -> Vec<Function> {
    let taken = Machine::taken(program);
    let calls = Calls::of(program, &taken);
    let mut summaries: Vec<Option<Summary>> = vec![None; program.procedures.len()];
    let mut all: Vec<(ProcedureId, Function)> = Vec::new();
    for component in components(&calls, program, wanted) {
        let subject = Subject { program, calls: &calls, taken: &taken, options };
        let analysed = settled(&subject, &mut summaries, &component);
        for (id, analysed) in analysed {
            if wanted.contains(&id) {
                tell(&analysed.function);
                all.push((id, analysed.function));
            }
        }
    }
    all.sort_by_key(|(id, _)| *id);
    all.into_iter().map(|(_, function)| function).collect()
}

/// Procedures that call each other, callees first; of those that the wanted ones need.
fn components(calls: &Calls, program: &Program, wanted: &[ProcedureId]) -> Vec<Vec<ProcedureId>> {
    let mut needed = BTreeSet::new();
    let mut open = wanted.to_vec();
    while let Some(id) = open.pop() {
        if program.procedure(id).body.is_some() && needed.insert(id) {
            open.extend(&calls.callees[id.0 as usize]);
        }
    }
    let mut graph = DiGraph::<ProcedureId, ()>::new();
    let nodes: std::collections::BTreeMap<ProcedureId, _> = needed.iter().map(|&id| (id, graph.add_node(id))).collect();
    for (id, &node) in &nodes {
        for to in calls.callees[id.0 as usize].iter().filter_map(|to| nodes.get(to)) {
            graph.add_edge(node, *to, ());
        }
    }
    let mut all: Vec<Vec<ProcedureId>> =
        kosaraju_scc(&graph).into_iter().map(|nodes| nodes.into_iter().map(|node| graph[node]).collect()).collect();
    all.iter_mut().for_each(|component| component.sort_unstable());
    all
}

/// After so many times what is owed by functions that call each other should not change any more.
const ROUNDS: usize = 4;

/// Functions that call each other, looked at until what they owe does not change.
fn settled(
    subject: &Subject<'_>,
    summaries: &mut [Option<Summary>],
    component: &[ProcedureId],
) -> Vec<(ProcedureId, Analysed)> {
    let calls = &subject.calls.callees;
    let alone = component.len() == 1 && !calls[component[0].0 as usize].contains(&component[0]);
    let mut keeps = true;
    for round in 0.. {
        let all: Vec<(ProcedureId, Analysed)> =
            component.iter().map(|&id| (id, subject.analysed(id, summaries, keeps))).collect();
        let broken = keeps && all.iter().any(|(_, one)| !one.summary.keeps);
        let before: Vec<Option<Summary>> = component.iter().map(|id| summaries[id.0 as usize].clone()).collect();
        for (id, analysed) in &all {
            // What holds of results and of what is stored counts only once it is known of all of them.
            let own = analysed.summary.clone();
            let summary = if alone { own } else { Summary { facts: Vec::new(), proper: false, returns: true, ..own } };
            summaries[id.0 as usize] = Some(summary);
        }
        let same = component.iter().zip(&before).all(|(id, before)| summaries[id.0 as usize] == *before);
        if broken {
            keeps = false;
        } else if alone || same {
            return all;
        } else if round + 1 >= ROUNDS {
            return all.into_iter().map(|(id, analysed)| (id, analysed.unsettled())).collect();
        }
        if round > 2 * ROUNDS {
            return all;
        }
    }
    Vec::new()
}
