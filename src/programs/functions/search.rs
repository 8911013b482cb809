//! What is known of the uses of pointers in a function: what fails is sought by runs, which cost little, before it is tried to prove that
//! it does not; first without conditions at the entry, then under all that can be demanded, of which as few are kept as are needed.

mod demanded;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use spds_format::model::Place;

use crate::abstraction::Edges;
use crate::answer::Verdict;
use crate::c::edit;
use crate::c::expression::{LvalueKind, Term};
use crate::c::library::is_overlap;
use crate::c::program::{Failure, ProcedureId, Program, StatementKind};
use crate::limits::Stop;
use crate::nullness::{self, Candidates, Grounds, Kind, KnownUse, Options, PointerUse, Use};

use crate::question::freed::KINDS as FREED;
use crate::verdict::Why;

use super::begun::begun;
use super::condition::{self, Condition};
use super::entry::entered;
use super::harness::Does;
use super::known::Known;
use super::objects::{Made, made, made_generously, made_without};
use super::summary::{self, Required, Spot, Summaries, Summary};
use super::{Obligation, apart, contract, copied, lengths};
use demanded::{Demanded, Demands, Means};

/// Numbers that choose where a pointer leads.
const NUMBERS: [i128; 5] = [0, 1, 2, 3, 4];

/// Runs that are tried take no more steps: they are many, and some go round for ever.
const STEPS: u64 = 5_000;

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
    /// Whether more might have been known without a limit.
    pub is_stopped: bool,
    /// Whether something is said of the state at the entry, and no run shows that there is one.
    pub is_vacuous: bool,
    /// Whether functions are called that were looked at by themselves.
    pub is_apart: bool,
    /// Whether it is taken for granted that what is written as characters is nothing else.
    pub is_granted: bool,
    /// Whether it is taken for granted that objects do not overlap that must not.
    pub is_separate: bool,
    /// The predicates with which something was proved, as lines of a predicate file.
    pub predicates: Vec<String>,
}

/// What is known of each use of a pointer that the first procedure of a program may lead to, but for those in functions that are known: of these
/// it is known whether they are given what they demand.
pub fn found(program: &Program, known: &Summaries, deep: usize, options: &Options) -> Uses {
    let (former, known) = former(program, known);
    let candidates = Candidates::of(&former.proved_by);
    let options = &Options { candidates, ..options.clone() };
    let apart = apart::told_apart(program);
    let is_bounds_asked = options.kinds.contains(&Kind::Bounds);
    let mut program = contract::woven(&if is_bounds_asked { lengths::woven(&apart) } else { apart });
    // Functions that are looked at by themselves are given objects that are there, and what is assumed holds: where that may not be so at calls, they
    // are looked at once more.
    let nothing = Summaries::new();
    let is_freed_asked = options.kinds.iter().any(|kind| FREED.contains(kind));
    let known = if is_freed_asked || !program.assumed.is_empty() { &nothing } else { &*known };
    let demanded = summary::demands(&mut program, known);
    let within = summary::within(&program, &demanded);
    let mut runs = program.clone();
    let (mut program, checks) = summary::checked(&program, &within, &demanded);
    let all = nullness::uses(&program, &within, &options.kinds);
    // Of the time that is left proofs need more.
    let (begun, limits) = (Instant::now(), options.check.limits);
    let until = limits.deadline.map(|deadline| begun + deadline.saturating_duration_since(begun) / (2 * SHARES));
    let stop = move || limits.met().is_some() || until.is_some_and(|until| Instant::now() >= until);
    let demands = Demands {
        pointers: condition::pointers(&mut program),
        numbers: condition::numbers(&mut program, &within, &options.kinds, &stop),
        former: former.requires.into_iter().map(|required| required.condition).collect(),
    };
    let is_cut = stop();
    // Runs are looked for in the same program without what is checked of functions that are known.
    let bodies: Vec<_> = runs.procedures.into_iter().map(|procedure| procedure.body).collect();
    runs = program.clone();
    runs.procedures.iter_mut().zip(bodies).for_each(|(procedure, body)| procedure.body = body);
    let known = Known::new((known, &checks), &runs, (&within, &demanded), &all, &options.kinds);
    Function::new((&program, &runs), known, all, deep, options).found(&demands, is_cut)
}

/// What is known of the first procedure in another version, if anything is, and what is known of the others.
fn former<'k>(program: &Program, known: &'k Summaries) -> (Summary, Cow<'k, Summaries>) {
    let main = &*program.procedure(program.main).name;
    if !known.contains_key(main) {
        return (Summary::default(), Cow::Borrowed(known));
    }
    let mut others = known.clone();
    (others.remove(main).unwrap_or_default(), Cow::Owned(others))
}

/// Uses that fail in runs which were found.
struct Failing {
    /// Those that were asked about.
    here: BTreeMap<usize, PointerUse>,
    /// Others, in functions of which it is not known.
    beyond: Vec<PointerUse>,
}

fn without(all: &BTreeSet<usize>, some: &BTreeSet<usize>) -> BTreeSet<usize> {
    all.difference(some).copied().collect()
}

/// The function, and what was last said of its uses.
struct Function<'a> {
    program: &'a Program,
    /// The same for who looks for runs.
    runs: &'a Program,
    /// Both for who executes nothing.
    named: [Program; 2],
    known: Known<'a>,
    deep: usize,
    options: Options,
    all: Vec<KnownUse>,
    /// Where what is assumed is said.
    assumed: BTreeSet<Place>,
    indices: HashMap<Use, usize>,
    /// Those that were seen to be safe by following control.
    by_control: BTreeSet<usize>,
    /// Those that were proved to be.
    by_proof: BTreeSet<usize>,
    /// Those of which a limit once kept it from being proved that they are, for callers that keep something.
    cut: BTreeMap<usize, Grounds>,
    is_stopped: bool,
}

impl<'a> Function<'a> {
    /// These uses are asked about.
    fn new(
        (program, runs): (&'a Program, &'a Program),
        known: Known<'a>,
        mut all: Vec<KnownUse>,
        deep: usize,
        options: &Options,
    ) -> Function<'a> {
        let assumed = contract::places(program);
        all.retain(|known| known.uses.iter().any(|one| !assumed.contains(&one.place)));
        let uses = all.iter().enumerate().flat_map(|(at, known)| known.uses.iter().map(move |one| (*one, at)));
        let indices = uses.collect();
        // There are few loops, and conditions at the entry are far from where they matter.
        let options = Options { edges: Edges::Path, ..options.clone() };
        let named = [program, runs].map(apart::named);
        let (by_control, by_proof, cut) = (BTreeSet::new(), BTreeSet::new(), BTreeMap::new());
        Function {
            program,
            runs,
            named,
            known,
            deep,
            options,
            all,
            assumed,
            indices,
            by_control,
            by_proof,
            cut,
            is_stopped: false,
        }
    }

    /// What is known of all uses, where this can be demanded, of which perhaps not all is known.
    fn found(mut self, demands: &Demands, is_cut: bool) -> Uses {
        let is_said = self.program.contracts.contains_key(&self.program.main) || !self.program.assumed.is_empty();
        let is_vacuous = is_said && !self.is_entered(&[]);
        let every: BTreeSet<usize> = (0..self.all.len()).collect();
        // What is seen by following control costs least of all.
        let mut bare = self.followed(&[], &every);
        let shown = self.runs(&[], &without(&every, &bare));
        let failing: BTreeSet<usize> = shown.here.keys().copied().collect();
        let rest = without(&without(&every, &bare), &failing);
        // Then what is demanded so that it is seen.
        let former = self.formerly(demands, (&every, &bare));
        let seen = self.demanded(demands, (&every, &bare), former, Means::Control);
        bare.extend(self.proved(&[], &without(&rest, &seen.safe)));
        // What fails although all is demanded fails whatever is demanded.
        let all = self.together(demands);
        let hopeless = self.hopeless(&all, &without(&without(&every, &bare), &seen.safe));
        let open = without(&every, &hopeless.keys().copied().collect());
        let Demanded { kept, safe } = self.proving(demands, (&open, &bare), seen);
        let untried = self.options.check.limits.met().or(is_cut.then_some(Stop::Timeout));
        if kept.is_empty() {
            bare.clone_from(&safe);
        }
        let conditions: Vec<Condition> = kept.iter().map(|(condition, _)| condition.clone()).collect();
        let is_granted = self.is_granted(&conditions, &safe);
        // What was shown for all callers is shown for these if nothing is demanded of them.
        let again = |this: &Function<'_>| this.runs(&conditions, &without(&every, &safe));
        let Failing { here, beyond } = if conditions.is_empty() { shown } else { again(&self) };
        let here = self.failures(&conditions, here, (&without(&every, &safe), &hopeless, untried));
        let obligations: Vec<Obligation> = kept.into_iter().map(|(_, obligation)| obligation).collect();
        for (at, run) in here {
            self.all[at].told = run;
        }
        let is_separate = self.separate();
        let is_stopped = is_cut || self.is_stopped || self.options.check.limits.met().is_some();
        let told = self.all.into_iter().enumerate();
        let mut all: Vec<Found> =
            told.map(|(at, known)| Found { told: known.told, is_bare: bare.contains(&at) }).collect();
        all.extend(beyond.into_iter().map(|told| Found { told, is_bare: false }));
        // Where nothing is open, more time would not have told more.
        let is_open = |found: &Found| !found.told.verdict.claims_run() && !found.told.verdict.excludes_run();
        let is_whole = !is_vacuous && obligations.iter().all(|one| one.shown) && !all.iter().any(is_open);
        let (is_stopped, is_apart) = (is_stopped && !is_whole, self.known.is_apart);
        let predicates = self.options.candidates.proved();
        Uses { all, obligations, is_stopped, is_vacuous, is_apart, is_granted, is_separate, predicates }
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
        self.runs(conditions, some).here
    }

    /// The same, with what fails on the way elsewhere.
    fn runs(&self, conditions: &[Condition], some: &BTreeSet<usize>) -> Failing {
        if some.is_empty() {
            return Failing { here: BTreeMap::new(), beyond: Vec::new() };
        }
        self.tried(&made(self.runs, conditions, self.deep), some)
    }

    /// One of some uses that fails in a run which is soon found, from a state in which these conditions hold but this one does not.
    fn shown_without(&self, conditions: &[Condition], missing: &Condition, some: &BTreeSet<usize>) -> Option<usize> {
        if some.is_empty() {
            return None;
        }
        let made = made_without(self.runs, conditions, missing, self.deep);
        self.tried(&made, some).here.into_keys().next()
    }

    fn tried(&self, made: &Made, some: &BTreeSet<usize>) -> Failing {
        let options = Options { steps: STEPS, ..self.executing(some) };
        let all = nullness::tried(&made.program, &NUMBERS, &options);
        self.failing(made, all, some)
    }

    /// The same with all that can be done to find runs.
    fn searched(&mut self, conditions: &[Condition], some: &BTreeSet<usize>) -> BTreeMap<usize, PointerUse> {
        if some.is_empty() {
            return BTreeMap::new();
        }
        let made = made(self.runs, conditions, self.deep);
        let all = nullness::analysed(&made.program, &self.executing(some));
        self.is_stopped |= all.iter().any(|known| known.told.grounds.stopped().is_some());
        self.failing(&made, all, some).here
    }

    /// Of some uses those that fail for callers that keep these conditions: those that did, those that do whatever is demanded, and what can be found
    /// besides; where not all was tried that may exclude failures, because of a limit, only those that nothing does.
    fn failures(
        &mut self,
        conditions: &[Condition],
        mut here: BTreeMap<usize, PointerUse>,
        (some, hopeless, untried): (&BTreeSet<usize>, &BTreeMap<usize, PointerUse>, Option<Stop>),
    ) -> BTreeMap<usize, PointerUse> {
        let open = without(some, &self.known.beside(&self.all, &here));
        here.extend(self.searched(conditions, &open));
        for (at, told) in hopeless {
            here.entry(*at).or_insert_with(|| told.clone());
        }
        self.few(conditions, &mut here);
        let untried = untried.map(|stop| Grounds::Open { reason: stop.into(), on_abstraction: false });
        let open: Vec<(usize, Grounds)> = here
            .keys()
            .filter(|at| !hopeless.contains_key(at))
            .filter_map(|at| {
                let cut = untried.as_ref().or_else(|| self.cut.get(at));
                Some((*at, cut?.clone()))
            })
            .collect();
        for (at, grounds) in open {
            here.remove(&at);
            self.leave(at, grounds);
        }
        here
    }

    /// Of uses that fail because there are few elements behind a pointer those are left out that do not where there are many: how many are needed
    /// is not known.
    fn few(&mut self, conditions: &[Condition], failing: &mut BTreeMap<usize, PointerUse>) {
        let is_behind = |one: &Use| match one.subject {
            Some(Term::Lvalue(lvalue)) => matches!(self.program.terms.at(lvalue).kind, LvalueKind::Deref(_)),
            _ => one.kind == Kind::Contract,
        };
        let is_counted =
            |(at, told): &(&usize, &PointerUse)| told.kind == Kind::Bounds && self.all[**at].uses.iter().any(is_behind);
        let few: BTreeSet<usize> = failing.iter().filter(is_counted).map(|(at, _)| *at).collect();
        if few.is_empty() || self.program.behind.is_empty() {
            return;
        }
        let made = made_generously(self.runs, conditions, self.deep);
        let all = nullness::tried(&made.program, &NUMBERS, &self.executing(&few));
        let still = self.failing(&made, all, &few).here;
        for at in few {
            match still.get(&at) {
                Some(told) => drop(failing.insert(at, told.clone())),
                None => {
                    if let Some(told) = failing.remove(&at) {
                        self.all[at].told = told;
                        self.leave(at, Grounds::Few);
                    }
                }
            }
        }
    }

    /// How some of the uses are asked about where there is nothing to say what functions demand: what these do is.
    fn executing(&self, some: &BTreeSet<usize>) -> Options {
        let own: BTreeSet<usize> = some.iter().copied().filter(|at| !self.known.checks.contains_key(at)).collect();
        let mut options = self.asking(&own);
        if own.len() < some.len() {
            let uses = options.asked.take().map(|uses| uses.iter().copied().collect::<HashSet<Use>>());
            let all = uses.unwrap_or_default().into_iter().chain(self.known.uses.iter().copied());
            options.asked = Some(Arc::new(all.collect()));
        }
        options
    }

    fn failing(&self, made: &Made, all: Vec<KnownUse>, some: &BTreeSet<usize>) -> Failing {
        let (mut here, mut beyond) = (BTreeMap::new(), Vec::new());
        let failing = all.into_iter().filter(|known| known.told.verdict.claims_run());
        // What is freed has one owner, and what must not overlap does not where callers see to it.
        let is_owned = |told: &PointerUse| FREED.contains(&told.kind) || is_overlap(copied::written(&told.procedure));
        for known in failing.filter(|known| !is_owned(&known.told) || !made.shares(&known.given)) {
            // What goes wrong in a function whatever it is given says nothing of what it is given.
            let (is_open, is_told) = self.known.open(&known.told);
            match self.index(&known).or_else(|| self.check(&known.told, some, is_open || is_told)) {
                Some(at) => drop(here.insert(at, self.begun(made, known))),
                None if is_open => beyond.push(self.begun(made, known)),
                None => {}
            }
        }
        Failing { here, beyond }
    }

    /// What is asked where a run that fails in a function that is known calls it: that it is given what it demands; perhaps only that of which it was
    /// found that this very use needs it.
    fn check(&self, told: &PointerUse, some: &BTreeSet<usize>, is_exact: bool) -> Option<usize> {
        let steps = &told.verdict.run()?.steps;
        let call = steps.iter().rev().find(|step| self.known.within.contains(&step.procedure))?;
        let asked = self.known.checks.iter().filter(|(at, _)| some.contains(at));
        let there = asked.filter(|(at, required)| {
            let PointerUse { file, line, column, procedure, .. } = &self.all[**at].told;
            (file, line, column, procedure) == (&call.file, &call.line, &call.column, &call.procedure)
                && required.kind == told.kind.name()
        });
        // Of several, one without which this very use fails.
        let is_this = |required: &Required| {
            let Spot { file, line, column } = &required.spot;
            (file, line, column) == (&told.file, &told.line, &told.column)
        };
        let there = there.filter(|(_, required)| !is_exact || is_this(required));
        there.max_by_key(|(at, required)| (is_this(required), std::cmp::Reverse(**at))).map(|(at, _)| *at)
    }

    /// The run as one of the function, which begins in a state.
    fn begun(&self, made: &Made, known: KnownUse) -> PointerUse {
        let KnownUse { mut told, given, .. } = known;
        if let Verdict::Violated(run) = &mut told.verdict {
            let own = std::mem::take(&mut **run);
            **run = begun((made, self.program), &self.assumed, own, (&given, Does::Fail));
        }
        told
    }

    /// Those of some uses that are seen to be safe by following control, in every state in which these conditions hold. What is said of them is
    /// kept.
    fn followed(&mut self, conditions: &[Condition], some: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut safe = BTreeSet::new();
        if some.is_empty() {
            return safe;
        }
        for (at, told) in self.seen(conditions, some, true) {
            safe.insert(at);
            self.all[at].told = told;
        }
        self.by_control.extend(&safe);
        safe
    }

    /// Whether some of these uses are only seen to be safe in every state in which these conditions hold if it is taken for granted that characters are
    /// written where there are characters.
    fn is_granted(&self, conditions: &[Condition], safe: &BTreeSet<usize>) -> bool {
        let some: BTreeSet<usize> = safe.intersection(&self.by_control).copied().collect();
        if some.is_empty() {
            return false;
        }
        // The more is asked, the more is known behind it.
        let every: BTreeSet<usize> = (0..self.all.len()).collect();
        let anyway: BTreeSet<usize> = self.seen(conditions, &every, false).into_keys().collect();
        let rest = without(&some, &anyway);
        if rest.is_empty() {
            return false;
        }
        let granted: BTreeSet<usize> = self.seen(conditions, &every, true).into_keys().collect();
        !rest.is_subset(&self.by_proof) || !rest.is_disjoint(&granted)
    }

    /// What is said of those of some uses that are seen to be safe by following control. If `granted`, it is taken for granted that characters are written
    /// where there are characters.
    fn seen(&self, conditions: &[Condition], some: &BTreeSet<usize>, granted: bool) -> BTreeMap<usize, PointerUse> {
        if some.is_empty() {
            return BTreeMap::new();
        }
        let options = Options { granted, ..self.asking(some) };
        let all = nullness::followed(&entered(&self.named[0], conditions), &options).into_iter();
        let safe = all.filter(|known| known.told.verdict.excludes_run());
        let mut safe: BTreeMap<usize, PointerUse> =
            safe.filter_map(|known| Some((self.index(&known)?, known.told))).collect();
        let rest: BTreeSet<usize> = some.iter().copied().filter(|at| !safe.contains_key(at)).collect();
        for at in self.not_needed(conditions, &rest, granted) {
            let (verdict, grounds) = (Verdict::Holds, Grounds::NeverReached);
            safe.insert(at, PointerUse { verdict, grounds, ..self.all[at].told.clone() });
        }
        safe
    }

    /// Of what functions demand that is not needed where they are called here: by following control through them it is seen that nothing goes wrong in
    /// them.
    fn not_needed(&self, conditions: &[Condition], some: &BTreeSet<usize>, granted: bool) -> Vec<usize> {
        let checks: Vec<usize> = some.iter().copied().filter(|at| self.known.checks.contains_key(at)).collect();
        if checks.is_empty() || self.options.check.limits.met().is_some() {
            return Vec::new();
        }
        let mut options = Options { granted, ..self.asking(&BTreeSet::new()) };
        options.asked = Some(Arc::new(self.known.uses.iter().copied().collect()));
        let all = nullness::followed(&entered(&self.named[1], conditions), &options).into_iter();
        let may_fail = all.filter(|known| !known.told.verdict.excludes_run());
        let open: BTreeSet<ProcedureId> = may_fail.flat_map(|known| known.uses).map(|one| one.procedure).collect();
        // What is open there for another reason may need it, too.
        let given = |at: &usize| self.known.given.get(at).filter(|given| !given.is_empty());
        let is_kept = |at: &usize| given(at).is_some_and(|given| given.is_disjoint(&open));
        checks.into_iter().filter(is_kept).collect()
    }

    /// Those of some uses that are safe in every state in which these conditions hold. What is said of them is kept.
    fn proved(&mut self, conditions: &[Condition], some: &BTreeSet<usize>) -> BTreeSet<usize> {
        // What is asked of numbers takes longer, and keeps nothing else from being known.
        let is_of_pointer = |at: &usize| self.all[*at].told.kind == Kind::Null;
        let (pointers, others): (BTreeSet<usize>, BTreeSet<usize>) = some.iter().copied().partition(is_of_pointer);
        let mut safe = self.proved_together(conditions, &pointers);
        safe.extend(self.proved_together(conditions, &others));
        safe
    }

    fn proved_together(&mut self, conditions: &[Condition], some: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut safe = BTreeSet::new();
        if some.is_empty() {
            return safe;
        }
        for known in nullness::proved(&entered(&self.named[0], conditions), &self.sharing(some)) {
            let Some(at) = self.index(&known) else { continue };
            if known.told.grounds.stopped().is_some() {
                self.is_stopped = true;
                if !conditions.is_empty() {
                    self.cut.insert(at, known.told.grounds.clone());
                }
            }
            if known.told.verdict.excludes_run() {
                safe.insert(at);
            }
            // A run of the question is none of the function.
            if !known.told.verdict.claims_run() {
                self.all[at].told = known.told;
            }
        }
        self.by_proof.extend(&safe);
        safe
    }

    /// Those of some uses that fail in runs from states in which all holds that can be demanded, if there are any.
    fn hopeless(&self, all: &[Condition], some: &BTreeSet<usize>) -> BTreeMap<usize, PointerUse> {
        // Of what functions are given runs do not say what it is that they lack.
        let failing = self.shown(all, some).into_iter();
        failing.filter(|(at, _)| !self.known.checks.contains_key(at)).collect()
    }

    /// Takes it for granted that objects do not overlap that must not, where nothing is known of it; whether that was needed.
    fn separate(&mut self) -> bool {
        let is_open = |known: &&mut KnownUse| {
            known.told.verdict.unknown().is_some() && is_overlap(copied::written(&known.told.procedure))
        };
        let mut open = self.all.iter_mut().filter(is_open).peekable();
        let is_needed = open.peek().is_some();
        for known in open {
            (known.told.verdict, known.told.grounds) = (Verdict::Holds, Grounds::NeverReached);
        }
        is_needed
    }

    /// Of a use it is not known whether it goes wrong, because of this.
    fn leave(&mut self, at: usize, grounds: Grounds) {
        let told = &mut self.all[at].told;
        let kind = grounds.kind().unwrap_or_default();
        told.verdict = Verdict::Unknown(Why { sentence: grounds.told(told.kind), kind });
        told.grounds = grounds;
    }

    /// Whether a run shows that there is a state in which these conditions hold: those of numbers may exclude each other.
    fn is_entered(&self, conditions: &[Condition]) -> bool {
        is_entered(self.runs, conditions, self.deep, &self.options)
    }
}

/// Whether a run shows that there is a state in which these conditions hold where the first procedure of a program begins, with what is said of it.
pub(super) fn is_entered(program: &Program, conditions: &[Condition], deep: usize, options: &Options) -> bool {
    let mut program = program.clone();
    let main = program.main;
    edit::put_first(&mut program, main, vec![StatementKind::Fail(Failure::Assertion)]);
    let kinds = BTreeSet::from([Kind::Assert]);
    let options = Options { kinds, asked: None, ..options.clone() };
    let made = made(&program, conditions, deep);
    let all = nullness::tried(&made.program, &NUMBERS, &options);
    all.iter().any(|known| known.told.verdict.claims_run())
}
