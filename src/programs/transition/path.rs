//! Basic paths as relations: what the steps of a path between two cut points demand of the state at its beginning, and what variables are at
//! its two ends. Calls on it return, and what they may write is arbitrary afterwards; a path may also end in the procedure that its last
//! statement calls, or with a return.

use std::collections::BTreeSet;

use crate::analyses::Analyses;
use crate::analyses::modified::effects;
use crate::bitvec::{Node, Replacement, Softened, Term, Terms, softened};
use crate::c::program::{Label, Overflow, ProcedureId, Program, Statement, StatementKind, VariableId};
use crate::c::types::Type;
use crate::points_to::{Location, Offset, Targets};

use super::call::{Call, Case};
use super::memory::{ADDRESS, Designated, Memory};
use super::step::{Control, Step};
use super::undefined::Undefined;
use super::{Frame, TransitionSystem};

/// Bits of the index of cells.
const INDEX: u8 = 32;

/// The most indices at which a path is said to access cells.
const ACCESSED: usize = 6;

/// The basic paths of a program.
pub struct Paths<'p> {
    program: &'p Program,
    overflow: Overflow,
    analyses: &'p Analyses,
    watched: Watched,
}

/// What is looked at besides the variables of places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watched {
    /// Globals around calls.
    pub globals: Vec<VariableId>,
    /// Arrays, each at one index, which is any and the same everywhere.
    pub arrays: Vec<VariableId>,
}

/// Where a basic path leads from its last statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Last {
    /// To a statement of the frame, before which it ends.
    Statement(Label),
    /// Into a procedure, in which it ends.
    Procedure(ProcedureId),
    /// Out of the frame.
    Return,
}

/// A call on a path, which returned.
#[derive(Clone, Debug)]
pub struct Passed {
    /// Of what.
    pub callee: ProcedureId,
    /// What it was given.
    pub arguments: Vec<Term>,
    /// What it returned, if that is a scalar.
    pub result: Option<Term>,
    /// The globals that are watched, before it.
    pub before: Vec<Option<Term>>,
    /// The same after it.
    pub after: Vec<Option<Term>>,
    /// Cells after it.
    pub cells: Vec<Term>,
}

impl Passed {
    fn terms(&self) -> impl Iterator<Item = &Term> {
        let globals = self.before.iter().chain(&self.after).flatten();
        self.arguments.iter().chain(&self.result).chain(globals).chain(&self.cells)
    }

    fn terms_mut(&mut self) -> impl Iterator<Item = &mut Term> {
        let globals = self.before.iter_mut().chain(&mut self.after).flatten();
        self.arguments.iter_mut().chain(&mut self.result).chain(globals).chain(&mut self.cells)
    }
}

/// The cells of arrays at an index.
#[derive(Clone, Debug)]
pub struct CellsAt {
    /// Of 32 bits, with a sign.
    pub index: Term,
    /// One for each array.
    pub cells: Vec<Term>,
}

impl CellsAt {
    fn terms(&self) -> impl Iterator<Item = &Term> {
        [&self.index].into_iter().chain(&self.cells)
    }

    fn terms_mut(&mut self) -> impl Iterator<Item = &mut Term> {
        [&mut self.index].into_iter().chain(&mut self.cells)
    }
}

/// What a step on a path demands, or that it fails.
#[derive(Clone, Copy, Debug)]
pub struct Demanded {
    /// At which step of the path.
    pub step: usize,
    /// What is undefined otherwise; none where the program fails.
    pub kind: Option<Undefined>,
    /// That it is done: one bit.
    pub wrong: Term,
    /// How many of the conditions are those of the path up to there.
    pub before: usize,
}

/// A path as a relation.
#[derive(Clone)]
pub struct PathRelation {
    /// What the others are made of.
    pub terms: Terms,
    /// What has to hold.
    pub conditions: Vec<Term>,
    /// For each of them, of which step of the path: what a step demands, and last whether it leads on.
    pub steps: Vec<usize>,
    /// What its steps demand.
    pub demanded: Vec<Demanded>,
    /// What was replaced by values of which only little is known.
    pub softened: Vec<Softened>,
    /// What always holds of the values in them.
    pub facts: Vec<Term>,
    /// The calls on it.
    pub passed: Vec<Passed>,
    /// The variables that were asked for, at its beginning; none for those that are nowhere.
    pub before: Vec<Option<Term>>,
    /// Those of its end.
    pub after: Vec<Option<Term>>,
    /// What it returns.
    pub result: Option<Term>,
    /// Cells at the index that is any, at its beginning and at its end; none if no array is watched.
    pub cells: Option<[CellsAt; 2]>,
    /// Cells at its beginning that the path may access.
    pub accessed: Vec<CellsAt>,
    next: u32,
}

impl PathRelation {
    /// Replaces what is hard to solve.
    fn soften(&mut self) {
        let calls = self.passed.iter().flat_map(Passed::terms);
        let cells = self.cells.iter().flatten().chain(&self.accessed).flat_map(CellsAt::terms);
        let calls = calls.chain(&self.facts).chain(cells);
        let numbers = self.before.iter().chain(&self.after).chain([&self.result]).flatten().chain(calls);
        let wrong = self.demanded.iter().map(|demanded| demanded.wrong);
        let roots: Vec<Term> = numbers.copied().chain(self.conditions.iter().copied()).chain(wrong).collect();
        let (mut by, mut next) = (Replacement::default(), self.next);
        let (softened, facts) = softened(&mut self.terms, &roots, &mut by, &mut |terms, width| {
            next += 1;
            terms.variable(next, width)
        });
        self.next = next;
        if softened.is_empty() {
            return;
        }
        let terms = &mut self.terms;
        let calls = self.passed.iter_mut().flat_map(Passed::terms_mut);
        let cells = self.cells.iter_mut().flatten().chain(&mut self.accessed).flat_map(CellsAt::terms_mut);
        let calls = calls.chain(&mut self.facts).chain(cells);
        let numbers = self.before.iter_mut().chain(&mut self.after).chain([&mut self.result]).flatten().chain(calls);
        let wrong = self.demanded.iter_mut().map(|demanded| &mut demanded.wrong);
        let all = numbers.chain(&mut self.conditions).chain(wrong);
        all.for_each(|term| *term = terms.substitute(*term, &mut by));
        self.facts.extend(facts);
        self.softened = softened;
    }

    /// A term of another relation in this one, where `by` says what some of its variables are; of the others nothing is known.
    pub fn imported(&mut self, from: &Terms, term: Term, by: &mut Replacement) -> Term {
        let next = &mut self.next;
        self.terms.imported(from, term, by, &mut || {
            *next += 1;
            *next
        })
    }

    /// A value of which nothing is known.
    pub fn fresh(&mut self, width: u8) -> Term {
        self.next += 1;
        self.terms.variable(self.next, width)
    }
}

impl<'p> Paths<'p> {
    /// Of a program and its analyses.
    pub fn of(program: &'p Program, overflow: Overflow, analyses: &'p Analyses) -> Paths<'p> {
        Paths { program, overflow, analyses, watched: Watched::default() }
    }

    /// The same, looking at more.
    pub fn watching(self, watched: &Watched) -> Paths<'p> {
        Paths { watched: watched.clone(), ..self }
    }

    /// The index at which arrays are looked at, if any are.
    fn index(&self, system: &mut TransitionSystem<'_>) -> Option<Term> {
        (!self.watched.arrays.is_empty()).then(|| system.machine.fresh(INDEX))
    }

    /// The arrays that are watched, at an index.
    fn cells(&self, system: &mut TransitionSystem<'_>, memory: &Memory, index: Term) -> CellsAt {
        let cell = |&array: &VariableId| cell(system, memory, array, index);
        CellsAt { index, cells: self.watched.arrays.iter().map(cell).collect() }
    }

    /// Cells at the beginning of a path that it may access: at most so many.
    fn accessed(&self, system: &mut TransitionSystem<'_>, begin: &Memory, any: Term) -> Vec<CellsAt> {
        let mut indices = BTreeSet::new();
        for place in system.machine.accessed.take().unwrap_or_default() {
            for &array in &self.watched.arrays {
                indices.extend(index_of(system, &place, array));
            }
        }
        indices.remove(&any);
        indices.into_iter().take(ACCESSED).map(|index| self.cells(system, begin, index)).collect()
    }

    /// Where the program begins, as a path without statements.
    pub fn initial(&self, variables: &[VariableId]) -> PathRelation {
        let mut system = TransitionSystem::of(self.program, self.analyses, self.overflow);
        let (memory, start) = system.initial();
        let memory = system.begun(self.program.main, &memory);
        let mut after = contents(&mut system, &memory, variables, 0);
        let index = self.index(&mut system);
        let mut cells = index.map(|index| [(); 2].map(|()| self.cells(&mut system, &memory, index)));
        let all = after.iter_mut().flatten().chain(cells.iter_mut().flatten().flat_map(CellsAt::terms_mut));
        all.for_each(|term| *term = system.machine.zeroed(*term, start));
        relation(system, Walked { cells, ..Walked::default() }, (Vec::new(), after))
    }

    /// A path through a procedure, with these variables at its beginning and at its end. Linear in it but for what terms grow to.
    pub fn along(
        &self,
        (procedure, path): (ProcedureId, &[Label]),
        last: Last,
        (at_begin, at_end): (&[VariableId], &[VariableId]),
    ) -> PathRelation {
        let mut system = TransitionSystem::of(self.program, self.analyses, self.overflow);
        let frame = system.frame(procedure);
        let before = contents(&mut system, &frame.now, at_begin, 0);
        let (begin, index) = (frame.now.clone(), self.index(&mut system));
        system.machine.accessed = index.map(|_| Vec::new());
        let walked = Walked { index, ..Walked::default() };
        let mut walk = Walk { paths: self, system, frame, walked };
        let body: &'p [Statement] = self.program.procedure(procedure).body.as_deref().unwrap_or_default();
        let mut called = 0;
        for (at, &label) in path.iter().enumerate() {
            let Some(statement) = body.get(label.0 as usize) else { break };
            let last = path.get(at + 1).map_or(last, |&next| Last::Statement(next));
            walk.step((at, label), &statement.kind, last);
            walk.walked.steps.resize(walk.walked.conditions.len(), at);
            called = u8::from(matches!(last, Last::Procedure(_)));
        }
        let Walk { mut system, frame, mut walked, .. } = walk;
        let after = contents(&mut system, &frame.now, at_end, called);
        if let Some(index) = index {
            walked.accessed = self.accessed(&mut system, &begin, index);
            walked.cells = Some([&begin, &frame.now].map(|memory| self.cells(&mut system, memory, index)));
        }
        relation(system, walked, (before, after))
    }

    /// The procedures in which control may be before the next statement.
    pub fn calls(&self, kind: &StatementKind) -> BTreeSet<ProcedureId> {
        let mut all = self.analyses.points_to().called(self.program, kind);
        let mut open: Vec<ProcedureId> = all.iter().copied().collect();
        while let Some(procedure) = open.pop() {
            let callees = self.analyses.modified().calls[procedure.0 as usize].iter();
            open.extend(callees.map(|&callee| ProcedureId(callee as u32)).filter(|&callee| all.insert(callee)));
        }
        all
    }

    /// What may be written before the next statement.
    fn written(&self, kind: &StatementKind) -> Vec<Location> {
        let mut all = Targets::new();
        effects(self.program, self.analyses.points_to(), kind, &mut all);
        for callee in self.analyses.points_to().called(self.program, kind) {
            all.extend(&self.analyses.modified().written[callee.0 as usize]);
        }
        all.into_iter().collect()
    }

    /// Whether a statement may have a procedure called by somebody of whom nothing is known.
    fn may_be_called_back(&self, kind: &StatementKind, procedure: ProcedureId) -> bool {
        let points_to = self.analyses.points_to();
        let handed = points_to.handed(self.program, kind);
        handed.is_some_and(|to| points_to.called_back(self.program, &to).contains(&procedure))
    }
}

/// What a walk along a path collects.
#[derive(Default)]
struct Walked {
    conditions: Vec<Term>,
    steps: Vec<usize>,
    demanded: Vec<Demanded>,
    passed: Vec<Passed>,
    result: Option<Term>,
    index: Option<Term>,
    cells: Option<[CellsAt; 2]>,
    accessed: Vec<CellsAt>,
}

struct Walk<'w, 'p> {
    paths: &'w Paths<'p>,
    system: TransitionSystem<'p>,
    frame: Frame,
    walked: Walked,
}

impl<'p> Walk<'_, 'p> {
    fn step(&mut self, (step, label): (usize, Label), kind: &'p StatementKind, last: Last) {
        let Step { demands, control } = self.system.step(&self.frame, label, kind);
        for demand in demands {
            self.wrong(step, Some(demand.kind), demand.term);
            self.walked.conditions.push(demand.term);
        }
        match control {
            Control::Goes { after, .. } => self.frame.now = after.unwrap_or_else(|| self.frame.now.clone()),
            Control::Branches { truth, yes, no } => {
                if no != Some(yes) {
                    let holds = last == Last::Statement(yes);
                    let demanded = if holds { truth } else { self.system.machine.terms.not(truth) };
                    self.walked.conditions.push(demanded);
                }
            }
            Control::Calls(call, _) => match last {
                Last::Procedure(callee) => self.enter(kind, &call, callee),
                Last::Statement(_) | Last::Return => self.pass(kind, call),
            },
            Control::Returns { result, .. } => self.walked.result = result,
            Control::Ends => {}
            Control::Fails => {
                let never = self.system.machine.terms.truth(false);
                self.wrong(step, None, never);
            }
            Control::Nowhere => self.walked.conditions.push(self.system.machine.terms.truth(false)),
        }
    }

    /// Something is wrong at a step if this does not hold.
    fn wrong(&mut self, step: usize, kind: Option<Undefined>, holds: Term) {
        let wrong = self.system.machine.terms.not(holds);
        if self.system.machine.terms.as_constant(wrong) != Some(0) {
            self.walked.demanded.push(Demanded { step, kind, wrong, before: self.walked.conditions.len() });
        }
    }

    /// Into a procedure: with what it is given, or, if somebody else may call it, with anything.
    fn enter(&mut self, kind: &StatementKind, call: &Call<'_>, callee: ProcedureId) {
        let entered = match call.cases.iter().find(|case| case.callee == Some(callee)) {
            Some(case) if !self.paths.may_be_called_back(kind, callee) => {
                self.walked.conditions.extend(case.when);
                self.system.around(&self.frame, callee, &call.actuals).entered
            }
            _ => {
                self.frame.now = self.system.arbitrary(&self.frame.now, self.paths.written(kind));
                let actuals = self.system.some_actuals(callee);
                self.system.around(&self.frame, callee, &actuals).entered
            }
        };
        self.frame.now = self.system.begun(callee, &entered);
    }

    /// Past a call that returns.
    fn pass(&mut self, kind: &StatementKind, call: Call<'_>) {
        if let [Case { when: None, callee: Some(callee) }] = call.cases[..] {
            let around = self.system.around(&self.frame, callee, &call.actuals);
            let globals = &self.paths.watched.globals;
            let [before, after] =
                [&self.frame.now, &around.returned].map(|memory| contents(&mut self.system, memory, globals, 0));
            let cells =
                self.walked.index.map(|index| self.paths.cells(&mut self.system, &around.returned, index).cells);
            let cells = cells.unwrap_or_default();
            self.frame.now = self.system.assigned(&self.frame, call.to, &around);
            let passed = Passed { callee, arguments: call.actuals, result: around.result, before, after, cells };
            self.walked.passed.push(passed);
            return;
        }
        self.frame.now = self.system.arbitrary(&self.frame.now, self.paths.written(kind));
    }
}

/// The element of an array at an index, or 0 if that is outside of it.
fn cell(system: &mut TransitionSystem<'_>, memory: &Memory, array: VariableId, index: Term) -> Term {
    let program = system.program();
    let element = match program.types.get(program.variable(array).ty) {
        Type::Array(element, _) => *element,
        _ => program.variable(array).ty,
    };
    let Some(at) = system.machine.points_to.objects.variable(array) else { return system.machine.any(element) };
    let size = u128::from(program.types.size(element).unwrap_or(1));
    let begin = system.machine.address(at.object, 0, 0);
    let index = system.machine.terms.extend(index, ADDRESS, true);
    let address = system.machine.terms.linear(&[(begin, 1), (index, size)], 0);
    let targets = vec![Location { object: at.object, offset: Offset::Any }];
    system.machine.read(memory, &Designated::somewhere(address, targets), element)
}

/// The index at which a place is in an array, if it may be and that is a sum of what it depends on.
fn index_of(system: &mut TransitionSystem<'_>, place: &Designated, array: VariableId) -> Option<Term> {
    let program = system.program();
    let Type::Array(element, _) = program.types.get(program.variable(array).ty) else { return None };
    let object = system.machine.points_to.objects.variable(array)?.object;
    let size = u128::from(program.types.size(*element).filter(|&size| size > 0)?);
    let begin = system.machine.address(object, 0, 0);
    let address = match place {
        Designated::Exact { object: of, offset, .. } if *of == object => system.machine.address(object, *offset, 0),
        Designated::Somewhere { address, targets, .. } if targets.iter().any(|target| target.object == object) => {
            *address
        }
        _ => return None,
    };
    let terms = &mut system.machine.terms;
    let offset = terms.sub(address, begin);
    let (parts, constant) = match terms.node(offset).clone() {
        Node::Constant(constant) => (Box::default(), constant),
        Node::Sum(parts, constant) => (parts, constant),
        _ => (Box::from([(offset, 1)]), 0),
    };
    let all_divide = parts.iter().all(|(_, factor)| factor % size == 0) && constant % size == 0;
    let parts: Vec<(Term, u128)> = parts.iter().map(|&(term, factor)| (term, factor / size)).collect();
    all_divide.then(|| {
        let constant = terms.constant(constant / size, ADDRESS);
        let parts = [&[(constant, 1)], &parts[..]].concat();
        let index = terms.linear(&parts, 0);
        terms.extract(index, 0, INDEX)
    })
}

/// What variables hold that are scalars, of the frame that executes (0) or of the one that was called (1).
fn contents(
    system: &mut TransitionSystem<'_>,
    memory: &Memory,
    variables: &[VariableId],
    frame: u8,
) -> Vec<Option<Term>> {
    variables.iter().map(|&variable| system.machine.content(memory, variable, frame)).collect()
}

fn relation(
    mut system: TransitionSystem<'_>,
    Walked { conditions, steps, demanded, passed, result, cells, accessed, .. }: Walked,
    (before, after): (Vec<Option<Term>>, Vec<Option<Term>>),
) -> PathRelation {
    let calls = passed.iter().flat_map(Passed::terms);
    let calls = calls.chain(cells.iter().flatten().chain(&accessed).flat_map(CellsAt::terms));
    let numbers = before.iter().chain(&after).chain([&result]).flatten().chain(calls);
    let wrong = demanded.iter().map(|demanded| demanded.wrong);
    let roots: Vec<Term> = numbers.copied().chain(conditions.iter().copied()).chain(wrong).collect();
    let facts = system.machine.axioms(&roots);
    let (terms, next) = system.machine.into_terms();
    let softened = Vec::new();
    let mut relation = PathRelation {
        terms,
        conditions,
        steps,
        demanded,
        softened,
        facts,
        passed,
        before,
        after,
        result,
        cells,
        accessed,
        next,
    };
    relation.soften();
    relation
}
