//! Blocks: the basic paths of a procedure between its own cut points, each of which can be taken as one step.
//!
//! A procedure is cut where it begins, where its loops turn, and around each statement that leaves it: calls, returns, exits, failures. So
//! whatever a run does within a frame it does in blocks. Where too many paths begin with a statement, or longer ones than are wanted, they end where
//! paths meet, then sooner, at last after one statement.

use std::collections::{BTreeMap, BTreeSet};

use crate::analyses::Analyses;
use crate::analyses::cut_points::Cut;
use crate::bitvec::Term;
use crate::c::Program;
use crate::c::program::{Label, ProcedureId, Statement, StatementId, StatementKind};

use super::Frame;
use super::TransitionSystem;
use super::memory::Memory;
use super::step::{Control, Step};
use super::values::Demand;

/// The most paths of a block.
const MOST_PATHS: usize = 8;

/// What is tried for the paths that begin with a statement: whether they end where paths meet, and their most statements.
const WISHES: [(bool, usize); 4] = [(false, 60), (true, 60), (true, 6), (true, 3)];

/// What begins with a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The statement.
    pub begins: Label,
    /// Paths that stay in the frame; none if the statement is taken alone.
    pub paths: Vec<Path>,
}

/// A path within a frame, from a cut point to the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Its statements: one at least.
    pub statements: Vec<Label>,
    /// Before which statement it ends.
    pub to: Label,
}

/// A statement on a path that was walked.
pub struct Passed {
    /// The statement.
    pub label: Label,
    /// What it demands, and after that the condition under which the path goes on.
    pub demands: Vec<Demand>,
    /// The condition.
    pub condition: Option<Term>,
    /// Of a branch: whether the path goes where its condition holds.
    pub side: Option<bool>,
}

/// A path that was walked: in terms of memory where it begins.
pub struct Walked {
    /// Its statements.
    pub passed: Vec<Passed>,
    /// Memory at its end.
    pub after: Memory,
}

/// Whether a statement stays in the frame and says with its successor what it did.
fn stays(kind: &StatementKind) -> bool {
    match kind {
        StatementKind::Call(..) | StatementKind::Return(_) | StatementKind::Exit(_) | StatementKind::Fail(_) => false,
        StatementKind::External(_, _, _, effect) => !effect.writes(),
        StatementKind::Branch(_, yes, no) => yes != no,
        _ => true,
    }
}

/// The blocks of a procedure, by the statements with which they begin; `fits` says of paths with one beginning whether they are not too long.
/// Those of one statement are not asked about. Linear but for paths, of which each has finitely many.
pub fn blocks(
    program: &Program,
    analyses: &Analyses,
    id: ProcedureId,
    fits: &mut dyn FnMut(&[Path]) -> bool,
) -> Vec<Block> {
    let body = program.procedure(id).body.as_deref().unwrap_or_default();
    let mut cuts: BTreeSet<Label> = BTreeSet::from([Label(0)]);
    for cut in analyses.cuts() {
        if let &Cut::Inside(StatementId { procedure, label }) = cut
            && procedure == id
        {
            cuts.insert(label);
        }
    }
    let (mut leaders, mut joins) = (BTreeSet::new(), BTreeSet::new());
    let mut starts: BTreeSet<Label> = cuts.clone();
    for (at, statement) in (0..).map(Label).zip(body) {
        if !stays(&statement.kind) {
            cuts.insert(at);
        }
        // Somebody may ask how it returns.
        if let StatementKind::Return(_) = statement.kind {
            starts.insert(at);
        }
        for to in statement.kind.successors(at).collect::<BTreeSet<_>>() {
            if !leaders.insert(to) {
                joins.insert(to);
            }
        }
    }
    let region = Region { body, cuts, joins };
    let mut made: BTreeMap<Label, Block> = BTreeMap::new();
    while let Some(begins) = starts.pop_first() {
        if made.contains_key(&begins) {
            continue;
        }
        let Some(statement) = body.get(begins.0 as usize) else { continue };
        let paths = if stays(&statement.kind) { region.paths(begins, fits) } else { Vec::new() };
        match paths[..] {
            [] => starts.extend(statement.kind.successors(begins)),
            _ => starts.extend(paths.iter().map(|path| path.to)),
        }
        made.insert(begins, Block { begins, paths });
    }
    made.into_values().collect()
}

struct Region<'p> {
    body: &'p [Statement],
    cuts: BTreeSet<Label>,
    /// Statements to which several lead.
    joins: BTreeSet<Label>,
}

impl Region<'_> {
    fn paths(&self, begins: Label, fits: &mut dyn FnMut(&[Path]) -> bool) -> Vec<Path> {
        let mut tried = 0;
        for (joins, longest) in WISHES {
            let few = self.paths_to(begins, joins, longest).filter(|paths| paths.len() <= MOST_PATHS);
            let Some(paths) = few else { continue };
            let statements = paths.iter().map(|path| path.statements.len()).sum();
            // What was too much is not asked about again.
            if std::mem::replace(&mut tried, statements) != statements && fits(&paths) {
                return paths;
            }
        }
        self.paths_to(begins, true, 1).unwrap_or_default()
    }

    /// The paths to the next cuts, and to the next joins, if those count; none if there are too many.
    fn paths_to(&self, begins: Label, joins: bool, longest: usize) -> Option<Vec<Path>> {
        let mut paths = Vec::new();
        let mut open: Vec<Vec<Label>> = vec![vec![begins]];
        while let Some(path) = open.pop() {
            let Some(&at) = path.last() else { continue };
            let Some(statement) = self.body.get(at.0 as usize) else { continue };
            let mut next: Vec<Label> = statement.kind.successors(at).collect();
            next.dedup();
            for &to in next.iter().rev() {
                let ends = self.cuts.contains(&to) || joins && self.joins.contains(&to) || path.len() >= longest;
                if ends || to.0 as usize >= self.body.len() {
                    paths.push(Path { statements: path.clone(), to });
                } else {
                    open.push(path.iter().copied().chain([to]).collect());
                }
            }
            if longest > 1 && open.len() + paths.len() > MOST_PATHS {
                return None;
            }
        }
        Some(paths)
    }
}

impl<'a> TransitionSystem<'a> {
    /// Walks a path from a frame. Linear in it but for what terms grow to.
    pub fn walked(&mut self, frame: &Frame, path: &Path) -> Walked {
        let body: &'a [Statement] = self.program().procedure(frame.id).body.as_deref().unwrap_or_default();
        let mut frame = frame.clone();
        let mut passed = Vec::new();
        for (at, &label) in path.statements.iter().enumerate() {
            let Some(statement) = body.get(label.0 as usize) else { break };
            let next = path.statements.get(at + 1).copied().unwrap_or(path.to);
            let Step { demands, control } = self.step(&frame, label, &statement.kind);
            let (mut condition, mut side) = (None, None);
            match control {
                Control::Goes { after, .. } => frame.now = after.unwrap_or(frame.now),
                Control::Branches { truth, yes, no } => {
                    let holds = next == yes;
                    condition = Some(if holds { truth } else { self.machine.terms.not(truth) });
                    side = no.map(|_| holds);
                }
                // No path has the others.
                Control::Nowhere | Control::Calls(..) | Control::Returns { .. } | Control::Ends | Control::Fails => {
                    condition = Some(self.machine.terms.truth(false))
                }
            }
            passed.push(Passed { label, demands, condition, side });
        }
        Walked { passed, after: frame.now }
    }
}
