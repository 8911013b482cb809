//! What is claimed of random programs holds in all of their states, which somebody else enumerates who shares no code with puch; a proof is
//! checked from its invariants alone; and what is claimed with a change in it is judged by the same states.

extern crate puch_programs as puch;

#[path = "support/c_texts.rs"]
#[allow(dead_code, reason = "others ask for more")]
mod c_texts;
#[path = "support/seeds.rs"]
mod seeds;
#[path = "support/small_c/mod.rs"]
mod small_c;

use std::collections::BTreeSet;

use c_texts::parsed;
use fastrand::Rng;
use puch::analyses::{Analysed, Analyses};
use puch::bitvec::Bounds;
use puch::c::Program;
use puch::c::program::Overflow;
use puch::c::types::DataModel;
use puch::refinement::invariants::claims::{Claim, Invariant, Quantity, Where, checked, kept};
use puch::refinement::invariants::{Effort, Reach, Search, invariants};
use small_c::draw::{Features, source};
use small_c::run::{At, Beyond, Mode, Seen, State, seen};
use small_c::{Kind, Number, Source, Widths};

const EFFORT: Effort = Effort { runs: 60, work: 1_500, reach: Reach::Cells };

fn model(widths: Widths) -> DataModel {
    let Widths { char, int } = widths;
    DataModel { char, short: int, int, long: 32, long_long: 64, pointer: 64 }
}

fn mode(overflow: Overflow) -> Mode {
    let (beyond, access_fails) = match overflow {
        Overflow::Wrap => (Beyond::Wraps, false),
        Overflow::Assume => (Beyond::Stops, false),
        Overflow::Check => (Beyond::Fails, true),
        Overflow::Fails => (Beyond::Fails, false),
    };
    Mode { beyond, access_fails }
}

/// One program with all that is known of it.
struct Case {
    text: String,
    source: Source,
    program: Program,
    overflow: Overflow,
    seen: Seen,
}

impl Case {
    fn drawn(seed: u64, features: Features) -> Case {
        let mut rng = Rng::with_seed(seed);
        let mut source = source(&mut rng, features);
        let text = source.text();
        let program = parsed(&text, model(source.widths));
        let overflow = [Overflow::Wrap, Overflow::Assume, Overflow::Check, Overflow::Fails][rng.usize(..4)];
        let seen = seen(&source, mode(overflow), 1_000, &mut rng);
        Case { text, source, program, overflow, seen }
    }

    /// The number of a variable in its own text.
    fn number(&self, id: puch::c::program::VariableId) -> usize {
        let name = &self.program.variable(id).name;
        name.strip_prefix('v').and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{name}\n{}", self.text))
    }

    fn procedure(&self, id: puch::c::program::ProcedureId) -> usize {
        let name = &self.program.procedure(id).name;
        (0..self.source.procedures.len()).find(|&at| self.source.name(at) == **name).expect("one of its own")
    }

    /// Where the interpreter sees it; none if it is neither an entry, nor a loop, nor a return.
    fn place(&self, at: Where) -> Option<At> {
        Some(match at {
            Where::Returned(procedure) => At::Return(self.procedure(procedure)),
            Where::Before(id) if id.label.0 == 0 => At::Entry(self.procedure(id.procedure)),
            Where::Before(id) => {
                let line = self.program.statement(id)?.place.line as usize;
                self.text.lines().nth(line - 1)?.starts_with("while").then_some(At::Line(line))?
            }
        })
    }

    /// A state at some index that contradicts an invariant.
    fn refuted(&self, invariant: &Invariant) -> Option<(&State, i64)> {
        let states = self.seen.states.get(&self.place(invariant.at)?)?;
        let read = |claim: &Claim| {
            let (Claim::AtMost(parts, _) | Claim::Rest(parts, ..)) = claim;
            let parts = parts.iter().map(|&(quantity, by)| (self.read(quantity), by)).collect::<Vec<_>>();
            (parts, claim.clone())
        };
        let (when, then) = (invariant.when.iter().map(read).collect::<Vec<_>>(), read(&invariant.then));
        let all = || when.iter().chain([&then]).flat_map(|(parts, _)| parts).map(|&(what, _)| what);
        let of_cells = all().any(|what| matches!(what, Read::Index | Read::Cell(..)));
        let indices = if of_cells { -1..5 } else { 0..1 };
        states.iter().flat_map(|state| indices.clone().map(move |index| (state, index))).find(|&(state, index)| {
            // What is not declared yet may have any value.
            let open = all().any(|what| what.is_open(state));
            let some: &[i64] = if open { &[-8, -1, 0, 1, 7] } else { &[0] };
            some.iter().any(|&any| {
                let holds = |(parts, claim): &(Vec<(Read, i128)>, Claim)| {
                    let mut sum = 0i128;
                    for (what, factor) in parts {
                        sum += factor * i128::from(what.value(state, index, any)?);
                    }
                    Some(match *claim {
                        Claim::AtMost(_, by) => sum <= by,
                        Claim::Rest(_, modulus, rest) => (sum - rest) % modulus == 0,
                    })
                };
                when.iter().all(|claim| holds(claim) == Some(true)) && holds(&then) == Some(false)
            })
        })
    }

    fn read(&self, quantity: Quantity) -> Read {
        let ty = |id: usize| self.source.variables[id].kind.number();
        match quantity {
            Quantity::Now(id) => Read::Now(self.number(id), ty(self.number(id))),
            Quantity::Entered(id) => Read::Entered(self.number(id), ty(self.number(id))),
            Quantity::Result => Read::Result,
            Quantity::Index => Read::Index,
            Quantity::Cell(id) => match self.source.variables[self.number(id)].kind {
                Kind::Array(ty, length) => Read::Cell(self.number(id), ty, length),
                other => panic!("{other:?}"),
            },
        }
    }

    /// Whether an invariant excludes some values of the types.
    fn is_trivial(&self, invariant: &Invariant) -> bool {
        let ends = |quantity: Quantity| match quantity {
            Quantity::Now(id) | Quantity::Entered(id) | Quantity::Cell(id) => {
                let ty = self.source.variables[self.number(id)].kind.number();
                (i128::from(ty.least()), i128::from(ty.most()))
            }
            Quantity::Result | Quantity::Index => (-1 << 40, 1 << 40),
        };
        match &invariant.then {
            Claim::AtMost(parts, by) => {
                let most: i128 = parts.iter().map(|&(one, by)| (ends(one).0 * by).max(ends(one).1 * by)).sum();
                most <= *by
            }
            Claim::Rest(..) => false,
        }
    }
}

/// What is read of a state.
#[derive(Clone, Copy)]
enum Read {
    Now(usize, Number),
    Entered(usize, Number),
    Result,
    Index,
    Cell(usize, Number, usize),
}

impl Read {
    fn is_open(self, state: &State) -> bool {
        match self {
            Read::Now(id, _) | Read::Cell(id, ..) => state.now[id].is_none(),
            Read::Entered(id, _) => state.entered[id].is_none(),
            Read::Result | Read::Index => false,
        }
    }

    fn value(self, state: &State, index: i64, any: i64) -> Option<i64> {
        match self {
            Read::Now(id, ty) => state.now[id].as_ref().map_or(Some(ty.wrapped(any)), |cells| cells.first().copied()),
            Read::Entered(id, ty) => {
                state.entered[id].as_ref().map_or(Some(ty.wrapped(any)), |cells| cells.first().copied())
            }
            Read::Result => state.result,
            Read::Index => Some(index),
            Read::Cell(id, ty, length) => {
                let at = usize::try_from(index).ok().filter(|&at| at < length)?;
                state.now[id].as_ref().map_or(Some(ty.wrapped(any)), |cells| cells.get(at).copied())
            }
        }
    }
}

/// The same with something changed in it.
fn changed(invariant: &Invariant, rng: &mut Rng) -> Invariant {
    let mut other = invariant.clone();
    let turned = |parts: &mut Vec<(Quantity, i128)>, rng: &mut Rng| {
        let at = rng.usize(..parts.len());
        parts[at].1 = -parts[at].1;
    };
    match &mut other.then {
        Claim::AtMost(parts, by) => match rng.u8(..4) {
            0 => turned(parts, rng),
            1 => *by = -*by,
            _ => *by -= i128::from(rng.u8(1..3)),
        },
        Claim::Rest(parts, modulus, rest) => match rng.u8(..3) {
            0 => turned(parts, rng),
            1 => *rest = (*rest + 1) % *modulus,
            _ => *modulus += 1,
        },
    }
    if rng.u8(..4) == 0 {
        other.when.pop();
    }
    other
}

/// What came of some programs.
#[derive(Debug, Default)]
struct Told {
    programs: usize,
    all_runs: usize,
    states: usize,
    claimed: usize,
    with_cells: usize,
    proved: usize,
    checked: usize,
    unchecked: usize,
    changed: usize,
    changed_refuted: usize,
    changed_kept: usize,
}

impl Told {
    fn of(&mut self, seed: u64, case: &Case) {
        let Case { text, program, overflow, seen, .. } = case;
        let analyses = Analyses::of(program);
        let (of, overflow, bounds) = (Analysed::of(program, &analyses), *overflow, Bounds::default());
        self.programs += 1;
        self.all_runs += usize::from(seen.all);
        self.states += seen.states.values().map(|states| states.len()).sum::<usize>();
        let stages =
            invariants(&Search { of, overflow, bounds: &bounds, effort: EFFORT }, puch::limits::Limits::default());
        let mut all: BTreeSet<&Invariant> = BTreeSet::new();
        for (at, stage) in stages.iter().enumerate() {
            all.extend(&stage.invariants);
            if stage.excludes {
                self.proved += 1;
                assert!(!seen.fails, "seed {seed}, stage {at}: {overflow:?} excludes a failure\n{text}");
            }
        }
        for one in &all {
            assert!(case.refuted(one).is_none(), "seed {seed}: {overflow:?} {one:?}\n{:?}\n{text}", case.refuted(one));
        }
        let told: Vec<&Invariant> =
            all.into_iter().filter(|one| !case.is_trivial(one) && case.place(one.at).is_some()).collect();
        self.claimed += told.len();
        self.with_cells += told.iter().filter(|one| format!("{:?}", one.then).contains("Cell")).count();
        for stage in stages.iter().filter(|stage| stage.excludes || seed.is_multiple_of(5)) {
            let again = checked(of, overflow, (&bounds, stage.excludes), &stage.invariants);
            assert_ne!(again, Some(false), "seed {seed}: {overflow:?} is not proved again\n{text}");
            *(if again.is_some() { &mut self.checked } else { &mut self.unchecked }) += 1;
        }
        self.changes(seed, case, stages.last().map(|stage| &stage.invariants[..]).unwrap_or_default());
    }

    /// What is kept of invariants with changes, beside the others, holds too.
    fn changes(&mut self, seed: u64, case: &Case, proved: &[Invariant]) {
        let Case { text, program, overflow, .. } = case;
        let mut rng = Rng::with_seed(seed);
        let some = proved.iter().filter(|one| !case.is_trivial(one)).take(20);
        let changed: Vec<Invariant> = some.map(|one| changed(one, &mut rng)).collect();
        let refuted: Vec<bool> = changed.iter().map(|one| case.refuted(one).is_some()).collect();
        let candidates = [proved, &changed].concat();
        let analyses = Analyses::of(program);
        let (of, overflow, bounds) = (Analysed::of(program, &analyses), *overflow, &Bounds::default());
        let effort = Effort { work: 3_000, ..EFFORT };
        let Some(kept) = kept(&Search { of, overflow, bounds, effort }, &candidates) else { return };
        for (one, refuted) in changed.iter().zip(refuted) {
            self.changed += 1;
            self.changed_refuted += usize::from(refuted);
            if kept.contains(one) {
                self.changed_kept += 1;
                assert!(!refuted, "seed {seed}: {overflow:?} {one:?}\n{:?}\n{text}", case.refuted(one));
            }
        }
    }
}

fn law(usual: std::ops::Range<u64>, features: Features) -> Told {
    let mut told = Told::default();
    for seed in seeds::seeds(usual) {
        let case = Case::drawn(seed, features);
        told.of(seed, &case);
    }
    println!("{features:?}: {told:?}");
    assert!(told.claimed > 0 && told.proved > 0 && told.checked > 0 && told.changed_refuted > 0);
    told
}

#[test]
fn what_is_claimed_of_loops_and_calls_holds_in_all_states() {
    law(0..70, Features { arrays: false, pointers: false, calls: true });
}

#[test]
fn what_is_claimed_where_pointers_write_holds_in_all_states() {
    law(0..70, Features { arrays: false, pointers: true, calls: true });
}

#[test]
fn what_is_claimed_of_cells_holds_in_all_states() {
    let told = law(0..70, Features { arrays: true, pointers: true, calls: true });
    assert!(told.with_cells > 0);
}
