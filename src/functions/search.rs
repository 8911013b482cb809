//! What is known of the uses of pointers in a function: what fails is sought by runs, which cost little, before it is tried to prove that
//! it does not; first without conditions at the entry, then under all that can be demanded, of which as few are kept as are needed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use spds_format::model::Place;

use crate::abstraction::Edges;
use crate::answer::Step;
use crate::c::edit;
use crate::c::program::{Failure, Program, StatementKind};
use crate::nullness::{self, Kind, KnownUse, Options, PointerUse, Use};

use crate::question::freed::KINDS as FREED;

use super::condition::{self, About, Condition};
use super::entry::{ENTRY, entered};
use super::objects::{Made, made};
use super::{Obligation, apart, contract, copied};

/// Numbers that choose where a pointer leads.
const NUMBERS: [i128; 5] = [0, 1, 2, 3, 4];

/// Of the time that is left one question gets one part in so many.
const SHARES: u32 = 3;

/// A use of a pointer.
pub struct Found {
    /// What is known of it for callers that keep the obligations.
    pub told: PointerUse,
    /// Whether it is safe for all callers.
    pub is_bare: bool,
}

/// What was found.
pub struct Uses {
    /// The uses.
    pub all: Vec<Found>,
    /// What callers have to establish.
    pub obligations: Vec<Obligation>,
    /// Whether some question was left because of a limit.
    pub is_stopped: bool,
    /// Whether something is said of the state at the entry, and no run shows that there is one.
    pub is_vacuous: bool,
}

/// What is known of each use of a pointer that the first procedure of a program may lead to.
pub fn found(program: &Program, deep: usize, options: &Options) -> Uses {
    let mut program = contract::woven(&apart::told_apart(program));
    let within = apart::called(&program);
    let all = nullness::uses(&program, &within, &options.kinds);
    let demands = Demands {
        pointers: condition::pointers(&mut program),
        numbers: condition::numbers(&mut program, &within, &options.kinds),
    };
    let mut this = Function::new(&program, all, deep, options);
    let is_said = program.contracts.contains_key(&program.main) || !program.assumed.is_empty();
    let is_vacuous = is_said && !this.is_entered(&[]);
    let every: BTreeSet<usize> = (0..this.all.len()).collect();
    let shown = this.shown(&[], &every);
    let failing: BTreeSet<usize> = shown.keys().copied().collect();
    let bare = this.proved(&[], &without(&every, &failing));
    let (kept, safe) = this.demanded(&demands, &every, &bare);
    let conditions: Vec<Condition> = kept.iter().map(|(condition, _)| condition.clone()).collect();
    // What was shown for all callers is shown for these if nothing is demanded of them.
    let again = |this: &Function<'_>| this.shown(&conditions, &without(&every, &safe));
    let mut failed = if conditions.is_empty() { shown } else { again(&this) };
    let open = without(&without(&every, &safe), &failed.keys().copied().collect());
    failed.extend(this.searched(&conditions, &open));
    let obligations = kept.into_iter().map(|(_, obligation)| obligation).collect();
    for (at, run) in failed {
        this.all[at].told = run;
    }
    let is_stopped = this.is_stopped || this.options.check.limits.met().is_some();
    let told = this.all.into_iter().enumerate();
    let all = told.map(|(at, known)| Found { told: known.told, is_bare: bare.contains(&at) }).collect();
    Uses { all, obligations, is_stopped, is_vacuous }
}

fn without(all: &BTreeSet<usize>, some: &BTreeSet<usize>) -> BTreeSet<usize> {
    all.difference(some).copied().collect()
}

/// What can be demanded of callers.
struct Demands {
    pointers: Vec<Condition>,
    numbers: Vec<Condition>,
}

/// The function, and what was last said of its uses.
struct Function<'a> {
    program: &'a Program,
    deep: usize,
    options: Options,
    all: Vec<KnownUse>,
    /// Where what is assumed is said.
    assumed: BTreeSet<Place>,
    indices: HashMap<Use, usize>,
    is_stopped: bool,
}

impl<'a> Function<'a> {
    /// These uses are asked about.
    fn new(program: &'a Program, mut all: Vec<KnownUse>, deep: usize, options: &Options) -> Function<'a> {
        let assumed = contract::places(program);
        all.retain(|known| known.uses.iter().any(|one| !assumed.contains(&one.place)));
        let uses = all.iter().enumerate().flat_map(|(at, known)| known.uses.iter().map(move |one| (*one, at)));
        let indices = uses.collect();
        // There are few loops, and conditions at the entry are far from where they matter.
        let options = Options { edges: Edges::Path, ..options.clone() };
        Function { program, deep, options, all, assumed, indices, is_stopped: false }
    }

    /// How some of the uses are asked about: a part of the time that is left.
    fn asking(&self, some: &BTreeSet<usize>) -> Options {
        let mut options = self.options.clone();
        let uses = some.iter().flat_map(|at| self.all[*at].uses.iter().copied());
        options.asked = Some(Arc::new(uses.collect()));
        let limits = options.check.limits;
        options.tuning.bounds.stop = Some(Rc::new(move || limits.met().is_some()));
        options
    }

    /// The same, with a part of the time that is left.
    fn sharing(&self, some: &BTreeSet<usize>) -> Options {
        let mut options = self.asking(some);
        let now = Instant::now();
        let limits = &mut options.check.limits;
        limits.deadline = limits.deadline.map(|deadline| now + deadline.saturating_duration_since(now) / SHARES);
        let limits = *limits;
        options.tuning.bounds.stop = Some(Rc::new(move || limits.met().is_some()));
        options
    }

    fn index(&self, known: &KnownUse) -> Option<usize> {
        known.uses.iter().find_map(|one| self.indices.get(one).copied())
    }

    /// Those of some uses that fail in runs which are soon found, from states in which these conditions hold, each with such a run.
    fn shown(&self, conditions: &[Condition], some: &BTreeSet<usize>) -> BTreeMap<usize, PointerUse> {
        if some.is_empty() {
            return BTreeMap::new();
        }
        let made = made(self.program, conditions, self.deep);
        let all = nullness::tried(&made.program, &NUMBERS, &self.asking(some));
        self.failing(&made, all)
    }

    /// The same with all that can be done to find runs.
    fn searched(&mut self, conditions: &[Condition], some: &BTreeSet<usize>) -> BTreeMap<usize, PointerUse> {
        if some.is_empty() {
            return BTreeMap::new();
        }
        let made = made(self.program, conditions, self.deep);
        let all = nullness::analysed(&made.program, &self.asking(some));
        self.is_stopped |= all.iter().any(|known| known.told.grounds.stopped().is_some());
        self.failing(&made, all)
    }

    fn failing(&self, made: &Made, all: Vec<KnownUse>) -> BTreeMap<usize, PointerUse> {
        let failing = all.into_iter().filter(|known| known.told.verdict.claims_run());
        // What is freed has one owner.
        let failing = failing.filter(|known| !FREED.contains(&known.told.kind) || !made.shares(&known.given));
        failing.filter_map(|known| Some((self.index(&known)?, self.begun(made, known)))).collect()
    }

    /// The run as one of the function, which begins in a state.
    fn begun(&self, made: &Made, known: KnownUse) -> PointerUse {
        let KnownUse { mut told, given, .. } = known;
        let main = self.program.procedure(self.program.main);
        if let crate::answer::Verdict::Violated(run) = &mut told.verdict {
            let of_contract = |step: &Step| {
                let place = |place: &Place| (self.program.file(*place), place.line, place.column);
                self.assumed.iter().any(|assumed| place(assumed) == (&*step.file, step.line, step.column))
            };
            let is_own = |step: &Step| step.procedure != ENTRY && !of_contract(step);
            if let Some(left_out) = &mut run.left_out {
                left_out.at = run.steps.iter().take(left_out.at).filter(|step| is_own(step)).count() + 1;
            }
            run.steps.retain(is_own);
            run.steps.iter_mut().for_each(|step| step.procedure = copied::written(&step.procedure).to_owned());
            let state = made.state(given.get(..made.inputs()).unwrap_or(&given));
            run.inputs.drain(..made.inputs().min(run.inputs.len()));
            let first = Step {
                file: self.program.file(main.place).to_owned(),
                line: main.place.line,
                column: main.place.column,
                procedure: main.name.to_string(),
                depth: 0,
                statement: format!("{}(…)", main.name),
                values: state,
            };
            run.steps.insert(0, first);
        }
        told
    }

    /// Those of some uses that are safe in every state in which these conditions hold. What is said of them is kept.
    fn proved(&mut self, conditions: &[Condition], some: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut safe = BTreeSet::new();
        if some.is_empty() {
            return safe;
        }
        for known in nullness::analysed(&entered(self.program, conditions), &self.sharing(some)) {
            let Some(at) = self.index(&known) else { continue };
            self.is_stopped |= known.told.grounds.stopped().is_some();
            if known.told.verdict.excludes_run() {
                safe.insert(at);
            }
            // A run of the question is none of the function.
            if !known.told.verdict.claims_run() {
                self.all[at].told = known.told;
            }
        }
        safe
    }

    /// Conditions, as few as needed, each with what callers are told of it, and what is safe under them: first of pointers that are given,
    /// then also of those that they lead to; then of numbers.
    fn demanded(
        &mut self,
        demands: &Demands,
        every: &BTreeSet<usize>,
        bare: &BTreeSet<usize>,
    ) -> (Vec<(Condition, Obligation)>, BTreeSet<usize>) {
        let all = &demands.pointers;
        let (mut kept, mut safe) = (Vec::new(), bare.clone());
        for (longest, only_used) in (0..=condition::LONGEST).flat_map(|longest| [(longest, true), (longest, false)]) {
            let rest = without(every, &safe);
            // The pointers that are used themselves, if that is enough, rather than others that keep runs from there.
            let used: BTreeSet<&str> = rest.iter().map(|at| &*self.all[*at].told.pointer).collect();
            let behind = |one: &Condition| match one.about {
                About::Pointer(_, behind) => behind,
                About::Numbers => 0,
            };
            let is_new = |one: &Condition| {
                let About::Pointer(pointer, behind) = one.about else { return false };
                behind == longest && used.contains(&*self.program.expression_text(pointer)) == only_used
            };
            let is_old = |one: &Condition| behind(one) < longest || behind(one) == longest && !only_used;
            if rest.is_empty() || !all.iter().any(is_new) {
                continue;
            }
            let tried: Vec<Condition> = all.iter().filter(|one| is_new(one) || is_old(one)).cloned().collect();
            let failing: BTreeSet<usize> = self.shown(&tried, &rest).into_keys().collect();
            let new = self.proved(&tried, &without(&rest, &failing));
            if !new.is_empty() {
                safe.extend(new);
                kept = self.needed(tried, &without(&safe, bare));
            }
        }
        let rest = without(every, &safe);
        if !rest.is_empty() && !demands.numbers.is_empty() {
            let pointers = kept.iter().map(|(condition, _)| condition.clone());
            let tried: Vec<Condition> = pointers.chain(demands.numbers.iter().cloned()).collect();
            let before: Vec<(usize, PointerUse)> = rest.iter().map(|at| (*at, self.all[*at].told.clone())).collect();
            let failing: BTreeSet<usize> = self.shown(&tried, &rest).into_keys().collect();
            let new = self.proved(&tried, &without(&rest, &failing));
            if !new.is_empty() {
                let all: BTreeSet<usize> = safe.union(&new).copied().collect();
                let fewer = self.needed(tried, &without(&all, bare));
                let conditions: Vec<Condition> = fewer.iter().map(|(condition, _)| condition.clone()).collect();
                if self.is_entered(&conditions) {
                    (kept, safe) = (fewer, all);
                } else {
                    // What is known under conditions that nobody is told of is not known.
                    for (at, told) in before {
                        self.all[at].told = told;
                    }
                }
            }
        }
        (kept, safe)
    }

    /// Whether a run shows that there is a state in which these conditions hold: those of numbers may exclude each other.
    fn is_entered(&self, conditions: &[Condition]) -> bool {
        let mut program = self.program.clone();
        let main = program.main;
        edit::put_first(&mut program, main, vec![StatementKind::Fail(Failure::Assertion)]);
        let kinds = BTreeSet::from([Kind::Assert]);
        let options = Options { kinds, asked: None, ..self.options.clone() };
        let made = made(&program, conditions, self.deep);
        let all = nullness::tried(&made.program, &NUMBERS, &options);
        all.iter().any(|known| known.told.verdict.claims_run())
    }

    /// As few of some conditions as are needed so that some uses are safe, and why each is.
    fn needed(&mut self, mut kept: Vec<Condition>, wanted: &BTreeSet<usize>) -> Vec<(Condition, Obligation)> {
        let mut why: Vec<Obligation> = Vec::new();
        let known: Vec<PointerUse> = wanted.iter().map(|at| self.all[*at].told.clone()).collect();
        for at in (0..kept.len()).rev() {
            let mut fewer = kept.clone();
            let condition = fewer.remove(at).text(self.program);
            let shown = self.shown(&fewer, wanted).into_keys().next();
            let open = shown.or_else(|| {
                let safe = self.proved(&fewer, wanted);
                wanted.iter().find(|at| !safe.contains(at)).copied()
            });
            match open {
                Some(needed_by) => why.push(Obligation { condition, needed_by, shown: shown.is_some() }),
                None => kept = fewer,
            }
        }
        // What was said while one was missing is not what is known.
        for (at, told) in wanted.iter().zip(known) {
            self.all[*at].told = told;
        }
        kept.into_iter().zip(why.into_iter().rev()).collect()
    }
}
