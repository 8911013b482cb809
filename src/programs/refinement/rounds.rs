//! The loop of counterexample-guided abstraction refinement (CEGAR): abstract, check, make the traces concrete, learn. One loop for one question
//! (`single`) and for many ([`super::several`]): each round answers all that are open by one abstraction, and learns from the traces of
//! those that it leaves open; what is decided is not asked again.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use spds_format::model::SymbolId;

use crate::abstraction::{Predicate, System, Transition, Tuning, boolean};
use crate::analyses::Analyses;
use crate::analyses::cut_points::Cut;
use crate::c::Program;
use crate::c::expression::ExpressionId;
use crate::c::program::{ProcedureId, StatementId};
use crate::check::{self, Answer, Property, Target, TraceWish};
use crate::concretise::{Ended, Extent, Followed, Lost, Point, Taken, follow, points, transitions, turned};
use crate::interpreter::Inputs;
use crate::limits::Stop;
use crate::ltl::atoms::Meaning;
use crate::ltl::formula::Op;
use crate::ltl::proposition::PropositionKind;
use crate::ltl::{Formulas, Ltl, Passes, Proposition, Violations};
use crate::options::Runs;

use super::horn::{Donor, donated};
use super::interpolate::Relations;
use super::invariants::Effort;
use super::invariants::claims::Invariant;
use super::refining::Refining;
use super::{Options, Reason, Round, Source, Verdict};

/// Until a check takes so many nodes the first reason is learnt why a trace is no run, from then on all of them: where rounds are cheap, some
/// more are better than predicates that nobody needs.
const LARGE: u64 = 15_000;

/// After so many rounds somebody else is asked.
const ALONE: usize = 4;

/// So many turns of a cycle are followed.
const TURNS: usize = 2;

/// Says what is known once a run was found that takes these steps.
type Judge<'m> = dyn Fn(&[StatementId]) -> Verdict + 'm;

/// What is not to happen again and again.
pub(super) struct Marks<'m> {
    /// Statements.
    pub statements: &'m BTreeSet<StatementId>,
    /// Conditions that are known from the beginning.
    pub conditions: Vec<(ProcedureId, ExpressionId)>,
    /// Who judges the run that was found.
    pub judged: &'m Judge<'m>,
    /// What holds of all runs, as far as it is found by so much effort.
    pub known: &'m dyn Fn(Effort) -> Vec<Invariant>,
}

/// What is looked for.
#[derive(Clone, Copy)]
pub(super) enum Goal<'p> {
    /// A failure: one question.
    Fails,
    /// A failure, which says that a number is not less than another one.
    Decreases,
    /// Marked statements that are passed for ever.
    Repeats(&'p Marks<'p>),
    /// Each of these statements by itself: as many questions.
    Each(&'p [StatementId]),
}

/// What shows that nothing gets to some statements.
pub enum Excluding<'e> {
    /// An abstraction in which nothing does.
    Abstraction(Excluder<'e>),
    /// Invariants at cut points, with which no basic path does.
    Invariants,
}

/// An abstraction in which nothing gets to some statements.
pub struct Excluder<'e> {
    /// The program, with the expressions of the predicates.
    pub program: &'e Program,
    /// The predicates.
    pub predicates: &'e [Predicate],
    /// The abstraction.
    pub system: &'e System,
    /// With which symbol each statement begins, of those that the entry reaches; empty where one question is asked.
    pub symbols: &'e HashMap<StatementId, SymbolId>,
}

impl Excluder<'_> {
    /// Statements that the entry reaches and that have no symbol: what is known where they come next is not said.
    pub fn passed(&self) -> HashSet<StatementId> {
        let statements = self.system.origins().map(|(_, origin)| origin.statement);
        statements.filter(|at| !self.symbols.contains_key(at)).collect()
    }
}

/// Who asks: judges runs that are found, and is told of what is excluded.
pub trait Asker {
    /// No run gets to what these questions ask about.
    fn excluded(&mut self, which: &[usize], by: &Excluding<'_>);

    /// The program should do what is asked about in a run with these inputs, of so many steps at most: which question that answers.
    ///
    /// # Errors
    /// Why it answers none.
    fn ran(&mut self, inputs: Inputs, most: u64) -> Result<usize, Reason>;

    /// The same of a trace that these numbers make a run.
    ///
    /// # Errors
    /// Why it is none.
    fn followed(&mut self, trace: &Followed, numbers: &[i128]) -> Result<usize, Reason>;
}

/// A question that is still open.
#[derive(Clone, Debug)]
pub struct Open {
    /// Why.
    pub why: Reason,
    /// A trace of an abstraction that gets there; empty if there is none.
    pub points: Vec<Point>,
}

/// The state of the loop.
pub(super) struct Loop<'p> {
    pub program: &'p Program,
    pub options: &'p Options,
    pub goal: Goal<'p>,
    pub refining: Refining,
    /// Invariants that were proved for several questions.
    pub invariants: Vec<Invariant>,
    /// The questions that are open.
    pub open: BTreeMap<usize, Open>,
    /// The system of the abstraction that left nothing open.
    pub last: Option<System>,
    /// Who was not asked yet.
    donor: Option<&'p Donor>,
    /// How many rounds have learnt what compares with nothing that the program compares with.
    pub strange: usize,
    /// Whether some check was large.
    is_large: bool,
    /// The greatest numbers of nodes of all checks so far, together, until runs were drawn for them.
    pub worked: Option<u64>,
    /// How far astray rounds are when attempts are due that were not made.
    pub due: usize,
}

/// How a round is made.
#[derive(Clone, Copy)]
pub(super) struct Manner<'t> {
    /// For the abstraction.
    pub tuning: &'t Tuning,
    /// Whether it is learnt from traces that are no runs.
    pub learns: bool,
}

/// What the check of an abstraction says of a question.
enum Checked {
    /// Nothing gets there.
    Excluded,
    /// It is open, because of this.
    Open(Reason),
    /// This trace gets there, and these are its steps.
    Trace(Vec<Point>, Vec<Transition>),
}

/// What a round has learnt, and the last trace that it followed.
#[derive(Default)]
struct Learnt {
    new: usize,
    from: Vec<(Source, usize)>,
    steps: Vec<Taken>,
}

impl<'p> Loop<'p> {
    /// Nothing is answered yet.
    pub fn new(program: &'p Program, analyses: Arc<Analyses>, options: &'p Options, goal: Goal<'p>) -> Self {
        let (asked, why) = match goal {
            Goal::Each(statements) => (statements.len(), Reason::NoRun(None)),
            _ => (1, Reason::NoAnswer(None)),
        };
        Loop {
            program,
            options,
            goal,
            refining: Refining::new(program, analyses),
            invariants: Vec::new(),
            open: (0..asked).map(|at| (at, Open { why: why.clone(), points: Vec::new() })).collect(),
            last: None,
            donor: options.donor.as_ref().filter(|_| matches!(goal, Goal::Fails)),
            strange: 0,
            is_large: false,
            worked: Some(0),
            due: 0,
        }
    }

    /// The questions that are open.
    pub fn still(&self) -> Vec<usize> {
        self.open.keys().copied().collect()
    }

    /// The limit that is met, if one is.
    pub fn stopped(&self) -> Option<Reason> {
        self.options.check.limits.met().map(Reason::from)
    }

    fn leave(&mut self, at: usize, why: Reason, points: Vec<Point>) {
        self.open.insert(at, Open { why, points });
    }

    /// What is open stays so, because of this.
    pub fn leave_all(&mut self, why: &Reason) {
        self.open.values_mut().for_each(|open| open.why = why.clone());
    }

    /// Whether there are loops.
    pub fn has_loops(&self) -> bool {
        self.refining.reuse.analyses().cuts().iter().any(|cut| matches!(cut, Cut::Inside(..)))
    }

    /// One abstraction answers all that is open; from traces that are no runs it is learnt, if it shall be. How much is new: if nothing is,
    /// another round says the same.
    pub fn round(&mut self, asker: &mut dyn Asker, manner: Manner<'_>, tell: &mut dyn FnMut(&Round<'_>)) -> usize {
        let known = &self.refining.known;
        let (predicates, count, strange) = (known.text(&self.refining.working), known.predicates.len(), known.strange);
        let made = self.refining.abstracted(self.options.overflow, manner.tuning);
        let (mut nodes, mut learnt) = (0, Learnt::default());
        let stopped = self.options.check.limits.met().filter(|_| made.is_cut).map(Reason::from);
        let asked = match stopped {
            Some(why) => Err(why),
            None => self.asked(&made, asker, (manner, &mut nodes, &mut learnt)),
        };
        if let Err(why) = asked {
            self.leave_all(&why);
        }
        let is_strange = self.refining.known.strange > strange;
        let is_strange = is_strange || learnt.from.iter().any(|(source, _)| *source == Source::Constraint);
        self.strange += usize::from(is_strange);
        tell(&Round {
            number: self.refining.count,
            predicates: &predicates,
            count,
            made: &made,
            nodes,
            trace: learnt.steps.len(),
            steps: &self.told(&learnt.steps),
            learnt: &learnt.from,
        });
        learnt.new
    }

    /// Asks an abstraction what is open.
    fn asked(
        &mut self,
        made: &boolean::Program,
        asker: &mut dyn Asker,
        (manner, nodes, learnt): (Manner<'_>, &mut u64, &mut Learnt),
    ) -> Result<(), Reason> {
        let system = System::of(made, &self.program.files)?;
        let symbols = match self.goal {
            Goal::Each(_) => first_symbols(&system),
            _ => HashMap::new(),
        };
        let checked = self.checked(&system, &symbols, nodes)?;
        self.is_large |= *nodes >= LARGE && !matches!(self.goal, Goal::Each(_));
        if let Some(worked) = &mut self.worked {
            *worked = worked.saturating_add(*nodes);
        }
        let (mut excluded, mut traces) = (Vec::new(), Vec::new());
        for (at, checked) in checked {
            match checked {
                Checked::Excluded => excluded.push(at),
                Checked::Open(why) => self.leave(at, why, Vec::new()),
                Checked::Trace(points, steps) => traces.push((at, points, steps)),
            }
        }
        excluded.iter().for_each(|at| drop(self.open.remove(at)));
        let Refining { working: program, tracked: predicates, .. } = &self.refining;
        let excluder = Excluder { program, predicates, system: &system, symbols: &symbols };
        asker.excluded(&excluded, &Excluding::Abstraction(excluder));
        if self.open.is_empty() {
            self.last = Some(system);
        }
        for trace in traces {
            self.follow(asker, trace, manner.learns, learnt);
        }
        Ok(())
    }

    /// What the check of an abstraction says of each question, and the greatest number of nodes that it took.
    fn checked(
        &self,
        system: &System,
        symbols: &HashMap<StatementId, SymbolId>,
        nodes: &mut u64,
    ) -> Result<Vec<(usize, Checked)>, Reason> {
        let mut options = check::Options { trace: TraceWish::Shortest, ..self.options.check.clone() };
        let properties = match self.goal {
            Goal::Fails | Goal::Decreases => vec![Property::Assertions],
            Goal::Repeats(marks) => {
                let property = repeated(system, marks.statements, &options)?;
                options.runs = Runs::Infinite;
                vec![property]
            }
            Goal::Each(statements) => {
                // A procedure that the entry does not reach has no symbols.
                let target = |at: &usize| symbols.get(&statements[*at]).map(|&symbol| Target { control: None, symbol });
                self.open.keys().map(|at| Property::Reach(target(at).into_iter().collect())).collect()
            }
        };
        let outcome = check::check(&system.spds, &properties, &options)?;
        *nodes = outcome.stats.peak_nodes;
        let answers = self.still().into_iter().zip(outcome.answers);
        Ok(answers.map(|(at, answer)| (at, self.said(system, answer))).collect())
    }

    fn said(&self, system: &System, answer: Answer) -> Checked {
        match answer.verdict {
            check::Verdict::Holds | check::Verdict::Unreachable => Checked::Excluded,
            check::Verdict::Unknown(reason) => Checked::Open(Reason::Stopped(reason)),
            check::Verdict::Violated(Some(trace)) | check::Verdict::Reachable(Some(trace)) => {
                let points = match self.goal {
                    Goal::Repeats(_) => turned(system, &trace.run, TURNS),
                    _ => points(system, &trace.run),
                };
                Checked::Trace(points, transitions(system, &trace.run))
            }
            check::Verdict::Violated(None) | check::Verdict::Reachable(None) => {
                Checked::Open(match (self.goal, answer.trace_omitted) {
                    (Goal::Each(_), Some(why)) => Reason::Omitted(why.into()),
                    (Goal::Each(_), None) => Reason::Lost(Lost::NoTrace),
                    (_, why) => Reason::NoTrace(why.map(Into::into)),
                })
            }
        }
    }

    /// Follows the trace of a question, which is answered then, or teaches something.
    fn follow(
        &mut self,
        asker: &mut dyn Asker,
        (at, points, steps): (usize, Vec<Point>, Vec<Transition>),
        learns: bool,
        learnt: &mut Learnt,
    ) {
        if !self.open.contains_key(&at) {
            return;
        }
        if let Some(reason) = self.stopped() {
            return self.leave(at, reason, points);
        }
        let Options { overflow, tuning, .. } = self.options;
        let extent = if self.is_large { Extent::Whole } else { Extent::First };
        let trace = follow(&self.refining.working, &points, *overflow, (&tuning.bounds, extent));
        match &trace.ended {
            Ended::Inputs(numbers) => match asker.followed(&trace, numbers) {
                Ok(there) => {
                    self.leave(at, Reason::OtherRun, points);
                    self.open.remove(&there);
                }
                Err(why) => self.leave(at, why, points),
            },
            Ended::Unknown(lost) => self.leave(at, self.stopped().unwrap_or((*lost).into()), points),
            Ended::Infeasible(core) => {
                let new = if learns { self.learn(&trace, core, steps, learnt) } else { 0 };
                let why = match self.goal {
                    Goal::Each(_) => Reason::NoRun(None),
                    _ => Reason::NoPredicate,
                };
                self.leave(at, why, points);
                learnt.new += new;
            }
        }
        learnt.steps = trace.steps;
    }

    /// Learns from a trace of which these steps cannot be together; how much is new.
    fn learn(&mut self, trace: &Followed, core: &[usize], steps: Vec<Transition>, learnt: &mut Learnt) -> usize {
        let relations = match self.goal {
            Goal::Decreases => Relations::Bounds,
            _ => Relations::Equations,
        };
        let mut new = self.refining.learn(&trace.steps, core, relations);
        new.extend(self.refining.learn_further(&trace.further, relations));
        if new.is_empty() && self.refining.track_all() {
            return 1;
        }
        if new.is_empty() || self.refining.count >= ALONE {
            new.extend(self.given());
        }
        if new.is_empty() {
            let observed = self.refining.observe(steps);
            new.extend((observed > 0).then_some((Source::Constraint, observed)));
        }
        let all = new.iter().map(|(_, count)| count).sum();
        for (source, count) in new {
            match learnt.from.iter_mut().find(|(known, _)| *known == source) {
                Some((_, before)) => *before += count,
                None => learnt.from.push((source, count)),
            }
        }
        all
    }

    /// What somebody else knows, who is asked once.
    fn given(&mut self) -> Option<(Source, usize)> {
        let conditions = donated(&mut self.refining.working, self.donor.take()?);
        let new = conditions.into_iter().map(|local| self.refining.known.add(&mut self.refining.working, local)).sum();
        (new > 0).then_some((Source::Spacer, new))
    }

    /// The statements of a trace, a line each.
    fn told(&self, steps: &[Taken]) -> String {
        let mut text = String::new();
        for step in steps {
            let procedure = self.program.procedure(step.procedure);
            let Some(statement) = procedure.body.as_ref().and_then(|body| body.get(step.label.0 as usize)) else {
                continue;
            };
            let side = match step.branch {
                Some(true) => ": yes",
                Some(false) => ": no",
                None => "",
            };
            let place = statement.place;
            let said = self.program.statement_text(statement);
            text += &format!("{}{}:{}: {said}{side}\n", "  ".repeat(step.depth.min(20)), procedure.name, place.line);
        }
        text
    }
}

/// With which symbol each statement begins.
pub fn first_symbols(system: &System) -> HashMap<StatementId, SymbolId> {
    let begins = system.origins().filter(|(_, origin)| origin.begins());
    begins.map(|(symbol, origin)| (origin.statement, symbol)).collect()
}

/// That marked statements are passed only finitely often.
fn repeated(system: &System, marks: &BTreeSet<StatementId>, options: &check::Options) -> Result<Property, Stop> {
    let marked = system.origins().filter(|(_, origin)| marks.contains(&origin.statement));
    let symbols: Vec<SymbolId> = marked.map(|(symbol, _)| symbol).collect();
    let mut formulas = Formulas::new();
    let kind = PropositionKind::Label { procedure: None, label: "mark".to_owned() };
    let mark = formulas.proposition(Proposition { kind, span: 0..0, inner: 0 });
    let never = formulas.make(Op::Not, &[mark]);
    let never = formulas.make(Op::Globally, &[never]);
    let root = formulas.make(Op::Finally, &[never]);
    let ltl = Ltl { formulas, root };
    let violations = Violations::of(ltl, vec![Meaning::Symbols(symbols)], &Passes::default(), &options.limits)?;
    Ok(Property::Ltl(Arc::new(violations)))
}
