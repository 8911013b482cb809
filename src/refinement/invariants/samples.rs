//! Values at cut points in runs with drawn inputs: they say which candidates are worth a proof.

use std::collections::{BTreeMap, HashMap};

use crate::c::Program;
use crate::c::program::{Overflow, ProcedureId, StatementId, StatementKind, VariableId};
use crate::interpreter::scene::{Part, Scene, Seen, parts};
use crate::interpreter::{self, Inputs, Moment, Observer, observe};
use crate::limits::Limits;
use crate::random;
use crate::transition::graph::Graph;

/// Steps of each.
const STEPS: u64 = 2_000;

/// Inputs that each may ask for.
const INPUTS: usize = 64;

/// What nobody has given a value has one below that: large numbers make equations that do not fit.
const ANY: u64 = 128;

/// States that are kept of one cut point.
const STATES: usize = 400;

/// What was seen in runs.
pub(super) struct Samples {
    /// The values of the numbers of each cut point: its variables, and what formals were when the frame began.
    pub places: Vec<Vec<Vec<i128>>>,
    /// Of procedures that return a variable what formals were, and the result.
    pub returns: BTreeMap<ProcedureId, Vec<Vec<i128>>>,
}

/// Values in runs with drawn inputs.
pub(super) fn samples(
    (program, overflow): (&Program, Overflow),
    graph: &Graph,
    constants: &[i128],
    (runs, limits): (u64, Limits),
) -> Samples {
    let places: HashMap<StatementId, usize> =
        graph.nodes.iter().enumerate().map(|(at, node)| (StatementId::of(node.procedure, node.label), at)).collect();
    let mut watcher = Watcher {
        program,
        graph,
        places,
        parts: BTreeMap::new(),
        entered: Vec::new(),
        seen: Samples { places: vec![Vec::new(); graph.nodes.len()], returns: BTreeMap::new() },
        state: 1,
    };
    for seed in 1..=runs {
        if limits.met().is_some() {
            break;
        }
        watcher.entered.clear();
        let options = interpreter::Options::of(overflow, STEPS).within(limits);
        observe(program, &options, drawn(seed, constants), &mut watcher);
    }
    watcher.seen
}

/// Inputs: constants of the program and what is next to them, small numbers, any.
pub(in super::super) fn drawn(seed: u64, constants: &[i128]) -> Inputs {
    let mut state = seed;
    let one = |_| {
        let (kind, number) = (random::next(&mut state) % 4, random::next(&mut state));
        match kind {
            0 => constants.get(number as usize % constants.len().max(1)).copied().unwrap_or(0),
            1 => i128::from(number % 8),
            2 => i128::from(number % 200),
            _ => i128::from(number as i64),
        }
    };
    Inputs::list((0..INPUTS).map(one))
}

struct Watcher<'w> {
    program: &'w Program,
    graph: &'w Graph,
    places: HashMap<StatementId, usize>,
    parts: BTreeMap<VariableId, Option<Part>>,
    /// What formals were in each open frame.
    entered: Vec<Vec<i128>>,
    seen: Samples,
    state: u64,
}

impl Watcher<'_> {
    /// The values of integers; what nobody has given a value has any.
    fn values(&mut self, scene: &Scene<'_, '_>, variables: &[VariableId]) -> Option<Vec<i128>> {
        let mut all = Vec::with_capacity(variables.len());
        for &id in variables {
            let program = self.program;
            let part = self.parts.entry(id).or_insert_with(|| parts(program, id).into_iter().next());
            let seen = scene.value(part.as_ref()?);
            all.push(match (seen, program.types.as_integer(program.variable(id).ty)) {
                (Seen::Number(number), _) => number,
                (Seen::Any, Some(integer)) => {
                    integer.number(u128::from(random::next(&mut self.state) % ANY) & integer.mask())
                }
                _ => return None,
            });
        }
        Some(all)
    }
}

impl Watcher<'_> {
    /// A procedure is about to return.
    fn returns(&mut self, scene: &Scene<'_, '_>, procedure: ProcedureId) {
        let integers = self.graph.remembered(self.program, procedure).len();
        let entered = self.entered.last().filter(|entered| entered.len() == integers).cloned();
        let (Some(variable), Some(mut values)) = (self.program.returned(procedure), entered) else { return };
        let full = self.seen.returns.get(&procedure).is_some_and(|seen| seen.len() >= STATES);
        let result = self.program.types.as_integer(self.program.procedure(procedure).result);
        let own = self.program.types.as_integer(self.program.variable(variable).ty);
        if full || result.is_none() || own != result {
            return;
        }
        if let Some(result) = self.values(scene, &[variable]) {
            values.extend(result);
            self.seen.returns.entry(procedure).or_default().push(values);
        }
    }
}

impl Observer for Watcher<'_> {
    fn before(&mut self, scene: &Scene<'_, '_>) {
        let (Some(at), Some((procedure, depth, statement))) = (scene.at(), scene.next()) else { return };
        if self.entered.len() <= depth || at.label.0 == 0 && self.entered.len() == depth + 1 {
            let given = self.values(scene, &self.graph.remembered(self.program, procedure)).unwrap_or_default();
            self.entered.truncate(depth);
            self.entered.resize(depth, Vec::new());
            self.entered.push(given);
        }
        self.entered.truncate(depth + 1);
        if let StatementKind::Return(Some(_)) = statement.kind {
            self.returns(scene, procedure);
        }
        let Some(&node) = self.places.get(&at) else { return };
        if self.seen.places[node].len() >= STATES {
            return;
        }
        let variables = &self.graph.nodes[node].variables;
        let Some(mut values) = self.values(scene, variables) else { return };
        let entered = &self.entered[depth];
        if entered.len() == self.graph.remembered(self.program, procedure).len() {
            values.extend(entered);
            self.seen.places[node].push(values);
        }
    }

    fn after(&mut self, _: &Moment<'_>) {}
}
