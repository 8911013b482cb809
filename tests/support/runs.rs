//! Random runs made with the oracle's steps, folded, made into recorded traces, and checked by the oracle.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use puch::replay::{Observed, Seen, SeenCall, SeenValue};
use puch::run::{Call, Config, Ending, Run, Step, Then};
use spds_format::Spds;
use spds_format::model::{Head, Scalar, SymbolId, Variable};

use super::{one_in, pick};
use crate::oracle::{self, Next, State};

/// The symbols below a state, the topmost last, with their locals.
type Below = Vec<(SymbolId, Vec<u64>)>;

/// The configuration as runs have it.
pub fn config(state: &State) -> Config {
    Config {
        control: state.control,
        symbol: state.symbol,
        globals: state.globals.clone().into(),
        locals: state.locals.clone().into(),
    }
}

fn state(config: &Config) -> State {
    State {
        control: config.control,
        symbol: config.symbol,
        globals: config.globals.to_vec(),
        locals: config.locals.to_vec(),
    }
}

fn uncounted(spds: &Spds) -> usize {
    usize::from(spds.start.stack.len() > 1 && spds.start.stack.last().copied() == spds.end)
}

fn depth(spds: &Spds, below: &Below) -> u32 {
    below.len().saturating_sub(uncounted(spds)) as u32
}

/// All pairs of a start state and what may lie below it.
fn starts(spds: &Spds) -> Vec<(State, Below)> {
    let mut below: Vec<Below> = vec![Vec::new()];
    for symbol in spds.start.stack.iter().skip(1).rev() {
        let locals = oracle::locals(spds, *symbol);
        let longer = |lower: &Below| locals.iter().map(|l| [&lower[..], &[(*symbol, l.clone())]].concat()).collect();
        below = below.iter().flat_map(|lower| -> Vec<Below> { longer(lower) }).collect();
    }
    let states = oracle::starts(spds);
    states.iter().flat_map(|state| below.iter().map(|below| (state.clone(), below.clone()))).collect()
}

/// All successors of a state on its stack.
fn steps(spds: &Spds, state: &State, below: &Below) -> Vec<(State, Below)> {
    let mut all = Vec::new();
    for (_, next) in oracle::successors(spds, state) {
        match next {
            Next::Swap(state) => all.push((state, below.clone())),
            Next::Push(state, site, saved) => all.push((state, [&below[..], &[(site, saved)]].concat())),
            Next::Pop(control, globals) => {
                if let Some(((symbol, locals), lower)) = below.split_last() {
                    let state = State { control, symbol: *symbol, globals, locals: locals.clone() };
                    all.extend(oracle::invariant(spds, &state).then(|| (state, lower.to_vec())));
                }
            }
        }
    }
    all
}

/// A random run in full of at most that many configurations; `None` if there is no start.
pub fn random(spds: &Spds, rng: &mut Rng, length: usize) -> Option<Vec<Step>> {
    let starts = starts(spds);
    if starts.is_empty() {
        return None;
    }
    let (mut state, mut below) = pick(rng, &starts).clone();
    let mut all = Vec::new();
    loop {
        all.push(Step { config: config(&state), depth: depth(spds, &below), then: Then::Step });
        let next = steps(spds, &state, &below);
        if next.is_empty() || all.len() == length {
            return Some(all);
        }
        (state, below) = pick(rng, &next).clone();
    }
}

/// The run up to the last configuration, said to reach it.
pub fn reaching(stem: Vec<Step>) -> Run {
    Run { stem, cycle: None, closes_on: None, calls: Vec::new(), ending: Ending::Reached }
}

/// Cuts a list into a stem and a cycle that closes, if it has one.
pub fn lasso(stem: &[Step]) -> Option<Run> {
    for start in 0..stem.len() {
        for end in start + 1..stem.len() {
            if stem[end].depth < stem[start].depth {
                break;
            }
            if stem[end].config == stem[start].config {
                let (first, cycle) = (stem[..start].to_vec(), stem[start..end].to_vec());
                return Some(Run {
                    stem: first,
                    cycle: Some(cycle),
                    closes_on: None,
                    calls: Vec::new(),
                    ending: Ending::Loop,
                });
            }
        }
    }
    None
}

/// The steps of a run: a call that returns counts as one, folded or not, and a silent rule as none.
pub fn length(spds: &Spds, run: &Run) -> u64 {
    // The depth at each open call, and the steps that were counted when it was made.
    let mut open: Vec<(u32, u64)> = Vec::new();
    let mut steps = 0;
    for pair in run.stem.windows(2) {
        if pair[1].depth > pair[0].depth {
            open.push((pair[0].depth, steps));
        }
        steps += u64::from(!is_hidden(spds, &pair[0].config));
        while open.last().is_some_and(|(depth, _)| pair[1].depth <= *depth) {
            steps = open.pop().map_or(steps, |(_, before)| before + 1);
        }
    }
    steps
}

/// Folds most calls of a run that return (in systems whose depths tell calls from steps: no `@end` is returned to).
pub fn fold(spds: &Spds, run: &Run, rng: &mut Rng) -> Run {
    let mut folded = fold_stem(spds, run, rng);
    if let Some(cycle) = &run.cycle {
        let turn = Run { stem: cycle.clone(), ..run.clone() };
        let mut turn = fold_stem(spds, &turn, rng);
        let offset = folded.calls.len();
        let steps = turn.stem.iter_mut().chain(turn.calls.iter_mut().flat_map(|call| &mut call.steps));
        for step in steps {
            if let Then::Call(call) = &mut step.then {
                *call += offset;
            }
        }
        folded.calls.append(&mut turn.calls);
        folded.cycle = Some(turn.stem);
    }
    folded
}

fn fold_stem(spds: &Spds, run: &Run, rng: &mut Rng) -> Run {
    let mut folded = Run { calls: Vec::new(), ..run.clone() };
    let mut known: BTreeMap<Vec<(Config, u32, Then)>, usize> = BTreeMap::new();
    let mut open: Vec<Vec<Step>> = vec![Vec::new()];
    for step in &run.stem {
        let mut step = step.clone();
        while open.len() > 1 && open.last().unwrap()[0].depth > step.depth {
            let mut part = open.pop().unwrap();
            let base = part[0].depth;
            let caller = open.last_mut().unwrap();
            if one_in(rng, 4) {
                caller.append(&mut part);
                continue;
            }
            part.iter_mut().for_each(|step| step.depth -= base);
            let key = part.iter().map(|step| (step.config.clone(), step.depth, step.then)).collect();
            let number = *known.entry(key).or_insert(folded.calls.len());
            if number == folded.calls.len() {
                let procedure = spds.symbol(part[0].config.symbol).frame;
                folded.calls.push(Call { procedure, steps: part });
            }
            caller.last_mut().unwrap().then = Then::Call(number);
        }
        let depth = open.last().unwrap().last().map_or(step.depth, |last| last.depth);
        step.then = Then::Step;
        match step.depth > depth {
            true => open.push(vec![step]),
            false => open.last_mut().unwrap().push(step),
        }
    }
    folded.stem = open.concat();
    folded
}

/// So many ways to choose what lies on the stack are tried.
const ENOUGH: usize = 1_000;

/// What the oracle says of a run: whether it is real, all configurations and depths being as listed. `None` if there are
/// too many ways to choose what lies on the stack.
pub fn is_real(spds: &Spds, run: &Run) -> Option<bool> {
    for (number, call) in run.calls.iter().enumerate() {
        let Some(list) = expand(run, &call.steps, number, 0, true) else { return Some(false) };
        let alone = BTreeSet::from([(state(&list[0].0), Vec::new())]);
        let last = follow(spds, &list, alone, 0, 0)?;
        let returns = |state: &State| oracle::successors(spds, state).iter().any(|(_, n)| matches!(n, Next::Pop(..)));
        let at_entry = list[0].1 == 0 && list[list.len() - 1].1 == 0 && oracle::invariant(spds, &state(&list[0].0));
        if !at_entry || !last.iter().any(|(state, _)| returns(state)) {
            return Some(false);
        }
        if call.procedure != spds.symbol(list[0].0.symbol).frame {
            return Some(false);
        }
    }
    let mut list = match expand(run, &run.stem, run.calls.len(), 0, run.cycle.is_none()) {
        Some(list) => list,
        None if run.stem.is_empty() && run.cycle.is_some() => Vec::new(),
        None => return Some(false),
    };
    let stem = list.len();
    if let Some(cycle) = &run.cycle {
        let Some(cycle) = expand(run, cycle, run.calls.len(), 0, false) else { return Some(false) };
        list.extend(cycle);
    }
    let hidden = uncounted(spds);
    let starts: BTreeSet<(State, Below)> = starts(spds)
        .into_iter()
        .filter(|(state, below)| config(state) == list[0].0 && below.len().saturating_sub(hidden) == list[0].1)
        .collect();
    let Some(cycle) = &run.cycle else { return Some(!follow(spds, &list, starts, hidden, 0)?.is_empty()) };
    let at_cycle = follow(spds, &list[..=stem], starts, hidden, 0)?;
    for (first, below) in at_cycle {
        let floor = below.len();
        let last = follow(spds, &list[stem..], BTreeSet::from([(first.clone(), below)]), hidden, floor)?;
        let folded = matches!(cycle[cycle.len() - 1].then, Then::Call(_));
        let closes = |(state, below): &(State, Below)| {
            steps(spds, state, below).iter().any(|(next, below)| *next == first && below.len() >= floor)
        };
        if !folded && last.iter().any(closes) {
            return Some(true);
        }
    }
    Some(false)
}

/// All configurations with their depths; `None` if a reference is wrong. Steps that are no leap.
fn expand(run: &Run, list: &[Step], before: usize, base: usize, ends: bool) -> Option<Vec<(Config, usize)>> {
    let mut all = Vec::new();
    for (number, step) in list.iter().enumerate() {
        all.push((step.config.clone(), base + step.depth as usize));
        match step.then {
            Then::Step => {}
            _ if number + 1 == list.len() && ends => return None,
            Then::Call(call) if call < before && list.get(number + 1).is_none_or(|next| next.depth == step.depth) => {
                all.extend(expand(run, &run.calls[call].steps, call, base + step.depth as usize + 1, true)?);
            }
            Then::Call(_) | Then::Leap(_) => return None,
        }
    }
    (!all.is_empty()).then_some(all)
}

/// The ways to stand at the end of a list.
fn follow(
    spds: &Spds,
    list: &[(Config, usize)],
    mut now: BTreeSet<(State, Below)>,
    hidden: usize,
    floor: usize,
) -> Option<BTreeSet<(State, Below)>> {
    for (config, depth) in &list[1..] {
        let next = state(config);
        let fits = |(state, below): &(State, Below)| {
            *state == next && below.len().saturating_sub(hidden) == *depth && below.len() >= floor
        };
        now = now.iter().flat_map(|(state, below)| steps(spds, state, below)).filter(fits).collect();
        if now.len() > ENOUGH {
            return None;
        }
    }
    Some(now)
}

/// One change somewhere in a run, which may leave it real or not.
pub fn mutate(spds: &Spds, run: &Run, rng: &mut Rng) -> Run {
    let mut run = run.clone();
    let calls = run.calls.len();
    let number = rng.usize(..calls + 2);
    let list = match (number, &mut run.cycle) {
        (0, Some(cycle)) => cycle,
        (0 | 1, _) => &mut run.stem,
        _ => &mut run.calls[number - 2].steps,
    };
    if list.is_empty() {
        return run;
    }
    let place = rng.usize(..list.len());
    match rng.u32(..10) {
        0 if list.len() > 1 => drop(list.remove(place)),
        1 => list.insert(place, list[place].clone()),
        2 => list[place].depth += 1,
        3 => list[place].depth = list[place].depth.saturating_sub(1),
        4 if calls > 0 => list[place].then = Then::Call(rng.usize(..calls + 1)),
        5 => {
            let symbol = SymbolId(rng.u32(..spds.symbols.len() as u32));
            if spds.locals(symbol).len() == spds.locals(list[place].config.symbol).len() {
                list[place].config.symbol = symbol;
            }
        }
        _ => {
            let config = &mut list[place].config;
            let (values, variables) = match rng.bool() {
                true => (&mut config.globals, &spds.globals[..]),
                false => (&mut config.locals, spds.locals(config.symbol)),
            };
            let scalars: Vec<Scalar> = cells(variables);
            if !values.is_empty() {
                let cell = rng.usize(..values.len());
                let mut changed = values.to_vec();
                let largest = (1 << scalars[cell].bits()) - u64::from(!one_in(rng, 8));
                changed[cell] = rng.u64(..=largest);
                *values = changed.into();
            }
        }
    }
    run
}

fn cells(variables: &[Variable]) -> Vec<Scalar> {
    variables.iter().flat_map(|variable| vec![variable.ty.scalar; variable.ty.cells() as usize]).collect()
}

/// The trace that a user would see, with some values left out.
pub fn observe(spds: &Spds, run: &Run, rng: &mut Rng) -> Observed {
    let mut list = |steps: &[Step]| -> Vec<Seen> {
        let visible = steps.iter().filter(|step| !is_hidden(spds, &step.config));
        visible.map(|step| seen(spds, step, rng)).collect()
    };
    Observed {
        stem: list(&run.stem),
        cycle: run.cycle.as_deref().map(&mut list),
        closes_on: None,
        calls: run.calls.iter().map(|call| SeenCall { procedure: None, steps: list(&call.steps) }).collect(),
        ending: run.ending,
    }
}

/// Whether the configuration is one in which silent rules are taken.
pub fn is_hidden(spds: &Spds, config: &Config) -> bool {
    let head = Head { control: config.control, symbol: config.symbol };
    spds.rules.iter().any(|rule| rule.silent && rule.from == head)
}

/// The names of the control location and of the topmost stack symbol.
fn head_names(spds: &Spds, config: &Config) -> (String, String) {
    (spds.controls[config.control.0 as usize].to_string(), spds.symbol(config.symbol).name.to_string())
}

fn seen(spds: &Spds, step: &Step, rng: &mut Rng) -> Seen {
    let symbol = spds.symbol(step.config.symbol);
    let mut values = values(spds, &step.config);
    values.retain(|_| !one_in(rng, 5));
    let (control, symbol_name) = head_names(spds, &step.config);
    Seen {
        file: None,
        line: symbol.place.map(|place| place.line),
        procedure: symbol.frame.map(|frame| spds.frame(frame).name.to_string()),
        control: Some(control).filter(|_| one_in(rng, 3)),
        symbol: Some(symbol_name).filter(|_| one_in(rng, 3)),
        labels: Some(symbol.labels.iter().map(|label| label.to_string()).collect()),
        depth: Some(step.depth),
        values,
        then: step.then,
    }
}

/// All that can be seen of the values of a configuration.
pub fn values(spds: &Spds, config: &Config) -> Vec<(String, SeenValue)> {
    let mut all = Vec::new();
    let locals = spds.locals(config.symbol);
    for (variables, cells, global) in [(&spds.globals[..], &config.globals, true), (locals, &config.locals, false)] {
        let mut cells = cells.iter();
        for variable in variables {
            let of = |value: &u64| match variable.ty.scalar {
                Scalar::Bool => SeenValue::Bool(*value != 0),
                Scalar::Unsigned(_) => SeenValue::Number(*value),
            };
            let mut parts: Vec<SeenValue> = cells.by_ref().take(variable.ty.cells() as usize).map(of).collect();
            let value = if variable.ty.range.is_some() { SeenValue::Array(parts) } else { parts.remove(0) };
            let shadowed = global && locals.iter().any(|local| local.name == variable.name);
            let name = if shadowed { format!("::{}", variable.name) } else { variable.name.to_string() };
            if !variable.hidden {
                all.push((name, value));
            }
        }
    }
    all
}

/// What the oracle says of a recorded trace without folded calls: whether some run looks like it. `None` as above.
pub fn looks_real(spds: &Spds, observed: &Observed) -> Option<bool> {
    let hidden = uncounted(spds);
    let mut now: BTreeSet<(State, Below)> = starts(spds).into_iter().collect();
    for (number, item) in observed.stem.iter().enumerate() {
        let mut pending: Vec<(State, Below)> = if number == 0 {
            now.into_iter().collect()
        } else {
            now.iter().flat_map(|(state, below)| steps(spds, state, below)).collect()
        };
        now = BTreeSet::new();
        let mut passed = BTreeSet::new();
        while let Some((state, below)) = pending.pop() {
            if is_hidden(spds, &config(&state)) {
                if passed.insert((state.clone(), below.clone())) {
                    pending.extend(steps(spds, &state, &below));
                }
                continue;
            }
            let depth = below.len().saturating_sub(hidden) as u32;
            let real = seen(spds, &Step { config: config(&state), depth, then: Then::Step }, &mut Rng::with_seed(0));
            let all = values(spds, &config(&state));
            let (control, symbol) = head_names(spds, &config(&state));
            let same = (&real.line, &real.labels) == (&item.line, &item.labels)
                && (item.procedure.is_none() || item.procedure == real.procedure)
                && item.control.as_ref().is_none_or(|name| *name == control)
                && item.symbol.as_ref().is_none_or(|name| *name == symbol);
            if same && item.depth == Some(depth) && item.values.iter().all(|value| all.contains(value)) {
                now.insert((state, below));
            }
            if now.len() + pending.len() > ENOUGH {
                return None;
            }
        }
    }
    Some(!now.is_empty())
}
