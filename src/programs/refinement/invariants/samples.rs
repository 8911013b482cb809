//! Values at cut points in runs with drawn inputs: they say which candidates are worth a proof. If some of them do not end soon, others leap.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::c::Program;
use crate::c::program::{Overflow, ProcedureId, StatementId, StatementKind, VariableId};
use crate::interpreter::scene::{Part, Scene, Seen, parts};
use crate::interpreter::{self, Doubt, End, Inputs, Moment, Observer, Outcome, Value, execute, observe};
use crate::limits::Limits;
use crate::random;
use crate::transition::graph::Graph;

use super::edge::range;
use super::effects::Effects;
use super::leaps::{Leaps, Visit};
use super::scope::{Scope, Scoped};

/// Steps of each.
const STEPS: u64 = 2_000;

/// One in so many runs is longer: behind a loop of a thousand turns others are to be seen, too.
const RUNS_PER_LONG_RUN: u64 = 8;

/// Steps of these.
const LONG_RUN_STEPS: u64 = 24_000;

/// The states of a cut point that are kept of each run before some are passed over.
const FIRST: u64 = 16;

/// What nobody has given a value has one below that: large numbers make equations that do not fit.
const ANY: u64 = 128;

/// States that are kept of one cut point.
const STATES: usize = 400;

/// So many more are kept of runs that leap.
const MORE: usize = 200;

/// One such run for so many others.
const LEAPING: u64 = 2;

/// Runs of more steps than that are not taken to see whether they fail.
const DEEPEST: u64 = 10_000_000;

/// Indices at which arrays are looked at in one state.
const INDICES: usize = 3;

/// What was seen in runs.
pub(super) struct Samples {
    /// The values of the numbers of each cut point.
    pub places: Vec<Vec<Vec<i128>>>,
    /// Of those of returns whose results were wanted.
    pub returns: BTreeMap<ProcedureId, Vec<Vec<i128>>>,
    /// The inputs with which the program fails, and the steps that takes.
    pub failing: Option<(Inputs, u64)>,
}

/// Values in runs with drawn inputs.
pub(super) fn samples(
    (program, overflow): (&Program, Overflow),
    scoped: Scoped<'_>,
    constants: &[i128],
    (runs, limits): (u64, Limits),
) -> Samples {
    let drawing = Drawing { program, overflow, limits, near: constants.into() };
    let mut watcher = Watcher::new(program, scoped);
    let mut is_cut_short = false;
    for seed in 1..=runs {
        if limits.met().is_some() {
            return watcher.seen;
        }
        let steps = if seed % RUNS_PER_LONG_RUN == 1 { LONG_RUN_STEPS } else { STEPS };
        let outcome = drawing.run(&mut watcher, seed, steps);
        if fails(&outcome) && watcher.seen.failing.is_none() {
            watcher.seen.failing = Some((drawing.inputs(seed), outcome.steps));
        }
        is_cut_short |= outcome.end == End::Unknown(Doubt::Steps);
    }
    if is_cut_short && watcher.seen.failing.is_none() {
        drawing.leap(&mut watcher, constants, runs / LEAPING);
    }
    watcher.seen
}

/// Whether a run ends as none should.
fn fails(outcome: &Outcome) -> bool {
    matches!(outcome.end, End::Failed(_) | End::Wrong(_))
}

/// What runs are made of, but for the seeds of their inputs.
struct Drawing<'d> {
    program: &'d Program,
    overflow: Overflow,
    limits: Limits,
    /// Numbers near which inputs are drawn.
    near: Arc<[i128]>,
}

impl Drawing<'_> {
    fn inputs(&self, seed: u64) -> Inputs {
        Inputs::near(&self.near, seed)
    }

    fn options(&self, steps: u64) -> interpreter::Options {
        interpreter::Options::of(self.overflow, steps).within(self.limits)
    }

    /// One run that is watched.
    fn run(&self, watcher: &mut Watcher<'_>, seed: u64, steps: u64) -> Outcome {
        watcher.begin(seed);
        observe(self.program, &self.options(steps), self.inputs(seed), watcher)
    }

    /// Runs that leap, until one of them fails that does so without leaps, too.
    fn leap<'w>(&self, watcher: &mut Watcher<'w>, constants: &'w [i128], runs: u64) {
        watcher.most += MORE;
        let mut left = DEEPEST;
        for seed in 1..=runs {
            if self.limits.met().is_some() {
                return;
            }
            let nodes = watcher.graph.nodes.len();
            watcher.leaps = Some(Leaps::new(nodes, constants, !watcher.arrays.is_empty(), seed));
            watcher.effects.answered = 0;
            let outcome = self.run(watcher, seed, STEPS);
            let passed_over = watcher.leaps.take().map_or(0, |leaps| leaps.passed_over);
            // A run that fails may do so without leaps.
            let most = match watcher.effects.answered {
                0 => passed_over.saturating_add(2 * STEPS),
                _ => left,
            };
            if !fails(&outcome) || most > left {
                continue;
            }
            left -= most;
            let inputs = self.inputs(seed);
            let whole = execute(self.program, &self.options(most), inputs.clone(), &mut |_| {});
            if fails(&whole) {
                watcher.seen.failing = Some((inputs, whole.steps));
                return;
            }
        }
    }
}

struct Watcher<'w> {
    program: &'w Program,
    graph: &'w Graph,
    scope: &'w Scope<'w>,
    places: HashMap<StatementId, usize>,
    parts: BTreeMap<VariableId, Option<Part>>,
    /// Those that are watched.
    arrays: Vec<Option<Part>>,
    /// What formals and globals were in each open frame.
    entered: Vec<Vec<i128>>,
    /// Each has a number of its own.
    frames: Vec<u64>,
    /// How often this run has come to each cut point.
    visits: Vec<u64>,
    /// Who is about to return.
    returning: Option<Returning>,
    seen: Samples,
    /// The number of the run.
    run: u64,
    state: u64,
    /// Steps of the run so far.
    steps: u64,
    /// Of a run that leaps.
    leaps: Option<Leaps<'w>>,
    /// What variables get that is made now.
    leap: Vec<(VariableId, i128)>,
    /// What calls do.
    effects: Effects,
    /// What the frame returns at once.
    answer: Option<Option<i128>>,
    /// States that are kept of one cut point.
    most: usize,
}

impl<'w> Watcher<'w> {
    fn new(program: &'w Program, Scoped { graph, scope }: Scoped<'w>) -> Watcher<'w> {
        let places = (graph.nodes.iter().enumerate())
            .map(|(at, node)| (StatementId::of(node.procedure, node.label), at))
            .collect();
        let arrays = scope.watched().arrays.iter();
        Watcher {
            program,
            graph,
            scope,
            places,
            parts: BTreeMap::new(),
            arrays: arrays
                .map(|&array| parts(program, array).into_iter().find(|part| part.length().is_some()))
                .collect(),
            entered: Vec::new(),
            frames: Vec::new(),
            returning: None,
            visits: vec![0; graph.nodes.len()],
            seen: Samples { places: vec![Vec::new(); graph.nodes.len()], returns: BTreeMap::new(), failing: None },
            run: 0,
            state: 1,
            steps: 0,
            leaps: None,
            leap: Vec::new(),
            effects: Effects::default(),
            answer: None,
            most: STATES,
        }
    }
}

impl Watcher<'_> {
    fn begin(&mut self, seed: u64) {
        self.entered.clear();
        self.frames.clear();
        self.visits.fill(0);
        (self.run, self.steps) = (seed, 0);
    }

    /// The values at a cut point, after a leap if one is made there.
    fn leapt(&mut self, node: usize, values: Vec<i128>) -> Vec<i128> {
        let (Some(leaps), Some(&frame)) = (&mut self.leaps, self.frames.last()) else { return values };
        let variables = &self.graph.nodes[node].variables;
        let ends = |&id: &VariableId| {
            let integer = self.program.types.as_integer(self.program.variable(id).ty);
            integer.and_then(|integer| range(integer.width as u8, integer.signed)).unwrap_or((0, 0))
        };
        let ranges: Vec<(i128, i128)> = variables.iter().map(ends).collect();
        let visit = Visit { frame, values: &values, ranges: &ranges, at: self.steps };
        let Some(after) = leaps.met(node, &visit) else { return values };
        let changes = variables.iter().zip(values.iter().zip(&after));
        self.leap = changes.filter(|(_, (now, then))| now != then).map(|(&id, (_, &then))| (id, then)).collect();
        // What comes next is new.
        self.visits.fill(0);
        after
    }

    /// The values of integers; what nobody has given a value has any.
    fn values(&mut self, scene: &Scene<'_, '_>, variables: &[VariableId]) -> Option<Vec<i128>> {
        let mut all = Vec::with_capacity(variables.len());
        let depth = scene.next().map_or(0, |(_, depth, _)| depth);
        for &id in variables {
            let program = self.program;
            let part = self.parts.entry(id).or_insert_with(|| parts(program, id).into_iter().next());
            let seen = scene.value(part.as_ref()?);
            all.push(match (seen, program.types.as_integer(program.variable(id).ty)) {
                (Seen::Number(number), _) => number,
                (Seen::Any, Some(integer)) => integer.number(u128::from(self.any(id, depth)) & integer.mask()),
                _ => return None,
            });
        }
        Some(all)
    }

    /// What a variable has that nobody has given a value: the same in all of a frame.
    fn any(&self, id: VariableId, depth: usize) -> u64 {
        let mut state = self.run.wrapping_mul(31).wrapping_add(u64::from(id.0)).wrapping_mul(31) ^ (depth as u64) << 40;
        random::next(&mut state) % ANY
    }

    /// The values of cells at some indices, near those that numbers have; nothing once if there are none.
    fn cells(&mut self, scene: &Scene<'_, '_>, values: &[i128]) -> Vec<Vec<i128>> {
        let lengths = self.arrays.iter().flatten().filter_map(Part::length);
        let Some(length) = lengths.max().filter(|&length| length > 0) else { return vec![Vec::new()] };
        let mut all = Vec::new();
        for round in 0..INDICES {
            let number = random::next(&mut self.state);
            let near = values.get(number as usize % values.len().max(1)).copied().unwrap_or(0);
            let index = match round {
                0 => near.clamp(0, i128::from(length) - 1),
                1 => near.saturating_sub(1).clamp(0, i128::from(length) - 1),
                _ => i128::from(number % length.min(16)),
            };
            let mut cells = vec![index];
            for part in &self.arrays {
                let seen = part.as_ref().zip(u64::try_from(index).ok()).map(|(part, at)| scene.element(part, at));
                cells.push(match seen {
                    Some(Seen::Number(number)) => number,
                    _ => i128::from(random::next(&mut self.state) % ANY),
                });
            }
            all.push(cells);
        }
        all
    }

    /// A frame of a run that leaps has begun: if it is known what it does, it does that at once.
    fn answered(&mut self, procedure: ProcedureId, given: &[i128]) {
        let formals = &self.program.procedure(procedure).formals;
        let variables = self.scope.entered(procedure);
        if self.leaps.is_none() || !variables.starts_with(formals) || given.len() != variables.len() {
            return;
        }
        let (arguments, before) = given.split_at(formals.len());
        let Some((result, globals)) = self.effects.of((procedure, arguments), before) else { return };
        self.leap = variables[formals.len()..].iter().copied().zip(globals).collect();
        self.answer = Some(result);
    }

    /// A procedure is about to return: what is known before it is seen what it returns.
    fn returns(&mut self, scene: &Scene<'_, '_>, procedure: ProcedureId) -> Option<Returning> {
        let count = self.scope.entered(procedure).len();
        let before = self.entered.last().filter(|entered| entered.len() == count).cloned()?;
        let is_kept = self.seen.returns.get(&procedure).is_none_or(|seen| seen.len() < self.most);
        if !is_kept && self.leaps.is_none() {
            return None;
        }
        let globals = self.values(scene, &self.scope.watched().globals)?;
        let all = [&before[..], &globals].concat();
        let cells = if is_kept { self.cells(scene, &all) } else { Vec::new() };
        Some(Returning { procedure, before, globals, cells })
    }

    /// It has returned: what its caller is given, if it is given a number that is wanted.
    fn returned(&mut self, returning: Returning, given: Option<Value>) {
        let Returning { procedure, before, globals, cells } = returning;
        let result = match (self.scope.result(procedure), given) {
            (None, _) => None,
            (Some(integer), Some(Value::Bits(bits))) => Some(integer.number(bits)),
            _ => return,
        };
        if self.leaps.is_some() {
            let (written, watched) = (self.scope.entered(procedure), &self.scope.watched().globals);
            let (formals, is_global) = (before.len(), |id: &&VariableId| watched.contains(id));
            let formals = formals - written.iter().filter(is_global).count();
            let now = |id: &VariableId| watched.iter().position(|global| global == id).map(|at| globals[at]);
            let after: Vec<i128> = written[formals..].iter().filter_map(now).collect();
            self.effects.met((procedure, &before[..formals]), result, (&before[formals..], &after));
        }
        let values: Vec<i128> = before.into_iter().chain(result).chain(globals).collect();
        let seen = self.seen.returns.entry(procedure).or_default();
        seen.extend(cells.into_iter().map(|cells| [&values[..], &cells].concat()));
    }
}

/// Whether a state is none of the first ones, and none of a few between each number of visits and twice that.
fn is_passed_over(visit: u64) -> bool {
    visit > FIRST && !visit.is_multiple_of((visit.next_power_of_two() / FIRST).max(1))
}

/// What is known before a procedure returns.
struct Returning {
    procedure: ProcedureId,
    /// What formals and globals were when it began.
    before: Vec<i128>,
    globals: Vec<i128>,
    /// At some indices.
    cells: Vec<Vec<i128>>,
}

impl Observer for Watcher<'_> {
    fn before(&mut self, scene: &Scene<'_, '_>) {
        self.steps += 1;
        let (Some(at), Some((procedure, depth, statement))) = (scene.at(), scene.next()) else { return };
        if self.entered.len() <= depth || at.label.0 == 0 && self.entered.len() == depth + 1 {
            let given = self.values(scene, &self.scope.entered(procedure)).unwrap_or_default();
            self.answered(procedure, &given);
            self.entered.truncate(depth);
            self.entered.resize(depth, Vec::new());
            self.entered.push(given);
            self.frames.truncate(depth);
            self.frames.resize(depth, 0);
            self.frames.push(self.steps);
        }
        self.entered.truncate(depth + 1);
        self.frames.truncate(depth + 1);
        self.returning = match statement.kind {
            StatementKind::Return(_) if self.answer.is_none() => self.returns(scene, procedure),
            _ => None,
        };
        let Some(&node) = self.places.get(&at) else { return };
        self.visits[node] += 1;
        let is_kept = self.seen.places[node].len() < self.most && !is_passed_over(self.visits[node]);
        // Before the first statement nothing was changed by a loop.
        let may_leap = self.leaps.is_some() && at.label.0 != 0;
        if !is_kept && !may_leap {
            return;
        }
        let variables = &self.graph.nodes[node].variables;
        let Some(mut values) = self.values(scene, variables) else { return };
        if may_leap {
            values = self.leapt(node, values);
        }
        if !is_kept || self.leaps.as_ref().is_some_and(|leaps| leaps.is_unseen(node)) {
            return;
        }
        let entered = &self.entered[depth];
        if entered.len() == self.scope.entered(procedure).len() {
            values.extend(entered);
            for cells in self.cells(scene, &values) {
                self.seen.places[node].push([&values[..], &cells].concat());
            }
        }
    }

    fn leaps(&mut self) -> Vec<(VariableId, i128)> {
        std::mem::take(&mut self.leap)
    }

    fn answers(&mut self) -> Option<Option<i128>> {
        self.answer.take()
    }

    fn after(&mut self, moment: &Moment<'_>) {
        if let Some(returning) = self.returning.take() {
            self.returned(returning, moment.wrote.map(|(_, value)| value));
        }
    }
}
