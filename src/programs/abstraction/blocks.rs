//! Blocks as lines: each path of a block is one `assume` and one assignment, followed by a line for each further statement that it passes,
//! so that traces tell all of them and the shortest is that of the fewest statements.
//!
//! What a statement in the middle demands is said at the beginning, in terms of the state there: where it is an error of the program, one more
//! way leads to that statement and fails, and where it is asked about, one more to a line that can be reached.

use std::collections::HashSet;

use crate::bitvec::Term;
use crate::c::program::{Label, Statement, StatementId};
use crate::transition::blocks::{Block, Passed, Path, Walked, blocks};
use crate::transition::memory::Memory;
use crate::transition::undefined::Undefined;

use super::Edges;
use super::boolean::{Conjunction, Part, Step, Value};
use super::procedure::{Abstraction, Making};
use super::query::{are_exact, excluded_by_all};
use super::undefined::UndefinedPoint;

/// A way from the beginning of a block.
struct Way<'w> {
    /// What has to hold there.
    holds: Vec<Term>,
    /// Its statements.
    passed: &'w [Passed],
    end: End<'w>,
}

/// Where a way leads.
enum End<'w> {
    /// To a statement, with this memory.
    Goes(&'w Memory, Label),
    /// Its last statement fails.
    Fails,
    /// Its last statement does something undefined.
    Asked(Undefined),
}

impl<'a> Abstraction<'a> {
    /// The blocks of a procedure, as lines.
    pub fn blocks(&mut self, making: &mut Making) {
        let (id, program) = (making.frame.id, self.system.program());
        let body: &'a [Statement] = program.procedure(id).body.as_deref().unwrap_or_default();
        let mut leaves = false;
        for block in self.chosen(making) {
            let Some(statement) = body.get(block.begins.0 as usize) else { continue };
            making.labels.push(self.label(block.begins));
            if block.paths.is_empty() {
                self.begins(making, (block.begins, statement), Part::Alone);
                self.statement(making, block.begins, &statement.kind);
            } else {
                leaves |= block.paths.iter().any(|path| path.to.0 as usize >= body.len());
                self.begins(making, (block.begins, statement), Part::Begins(None));
                self.block(making, &block, body);
            }
        }
        if leaves {
            making.labels.push(self.label(Label(body.len() as u32)));
        }
    }

    /// The blocks of a procedure: paths are as long as they can be said exactly, by what they touch, or lead from loop to loop.
    pub fn chosen(&mut self, making: &Making) -> Vec<Block> {
        let (program, analyses) = (self.system.program(), self.analyses);
        let whole = self.tuning.edges == Edges::Loop;
        blocks(program, analyses, making.frame.id, &mut |paths| {
            whole || paths.iter().all(|path| self.fits(making, path))
        })
    }

    fn fits(&mut self, making: &Making, path: &Path) -> bool {
        let Walked { passed, after } = self.system.walked(&making.frame, path);
        let holds =
            passed.iter().flat_map(|passed| passed.demands.iter().map(|demand| demand.term).chain(passed.condition));
        let holds: Vec<Term> = holds.collect();
        let after = self.named(making, &after);
        let changed = making.known.iter().zip(after).filter(|(before, after)| before.term != after.term);
        let changed: Vec<Term> = changed.map(|(_, after)| after.term).collect();
        are_exact(&mut self.asker(), &making.known, &changed, &holds)
    }

    fn block(&mut self, making: &mut Making, block: &Block, body: &[Statement]) {
        let walked: Vec<_> =
            block.paths.iter().map(|path| (path.to, self.system.walked(&making.frame, path))).collect();
        let mut ways = Vec::new();
        let mut met: HashSet<Vec<Label>> = HashSet::new();
        for (to, walked) in &walked {
            let mut holds = self.restricting(making, block.begins, walked);
            for (at, passed) in walked.passed.iter().enumerate() {
                let way = &walked.passed[..=at];
                if met.insert(way.iter().map(|passed| passed.label).collect()) {
                    self.undefined(&mut ways, &holds, way);
                }
                holds.extend(passed.demands.iter().map(|demand| demand.term));
                holds.extend(passed.condition);
            }
            ways.push(Way { holds, passed: &walked.passed, end: End::Goes(&walked.after, *to) });
        }
        let mut possible = Vec::new();
        for way in ways {
            let mut cubes = excluded_by_all(&mut self.asker(), &making.known, &way.holds, &[]);
            cubes.extend(self.separated(making, &[], &way.holds));
            if !cubes.iter().any(Vec::is_empty) {
                possible.push((way, cubes));
            }
        }
        let labels: Vec<String> = match possible.len() {
            0 => return making.step(Step::Assume(vec![Vec::new()])),
            1 => Vec::new(),
            _ => possible.iter().map(|_| self.made_up(making)).collect(),
        };
        if !labels.is_empty() {
            making.step(Step::Goto(labels.clone()));
        }
        let mut labels = labels.into_iter();
        for (way, cubes) in possible {
            making.labels.extend(labels.next());
            self.way(making, way, cubes, (block.begins, body));
        }
    }

    /// What is known where a path begins, about what it reads and writes.
    pub fn restricting(&mut self, making: &Making, begins: Label, Walked { passed, after }: &Walked) -> Vec<Term> {
        let of = |passed: &Passed| {
            passed.demands.iter().map(|demand| demand.term).chain(passed.condition).collect::<Vec<_>>()
        };
        let mut about: Vec<Term> = passed.iter().flat_map(of).collect();
        let after = self.named(making, after);
        let changed = making.known.iter().zip(after).filter(|(before, after)| before.term != after.term);
        about.extend(changed.flat_map(|(before, after)| [before.term, after.term]));
        self.facts(making, begins, &about)
    }

    /// What is known before a statement, as terms, about nothing but what these are about: what is not touched anyhow would only draw in
    /// predicates.
    fn facts(&mut self, making: &Making, before: Label, about: &[Term]) -> Vec<Term> {
        let Some(known) = self.known else { return Vec::new() };
        let touched: HashSet<u32> = self.system.machine.terms.variables(about).into_iter().collect();
        let mut facts = Vec::new();
        for invariant in known.before(StatementId { procedure: making.frame.id, label: before }) {
            let Some(term) = self.system.claimed(&making.frame, invariant) else { continue };
            let variables = self.system.machine.terms.variables_of(term);
            if !variables.is_empty() && variables.iter().all(|variable| touched.contains(variable)) {
                facts.push(term);
            }
        }
        facts
    }

    /// Ways to the last of some statements, if it may do something undefined that matters.
    fn undefined<'w>(&mut self, ways: &mut Vec<Way<'w>>, holds: &[Term], passed: &'w [Passed]) {
        let Some(last) = passed.last() else { return };
        let overflow = self.system.overflow;
        let mut add = |abstraction: &mut Self, end: End<'w>, wanted: &dyn Fn(Undefined) -> bool| {
            let demands = last.demands.iter().filter(|demand| wanted(demand.kind));
            let demanded: Vec<Term> = demands.map(|demand| demand.term).collect();
            let terms = &mut abstraction.system.machine.terms;
            let all = terms.all(&demanded);
            let wrong = terms.not(all);
            if terms.as_constant(wrong) != Some(0) {
                ways.push(Way { holds: [holds, &[wrong]].concat(), passed, end });
            }
        };
        add(self, End::Fails, &|kind| kind.fails(overflow));
        if self.asked.is_some() {
            for kind in Undefined::ALL.into_iter().filter(|kind| !kind.fails(overflow)) {
                add(self, End::Asked(kind), &|other| other == kind);
            }
        }
    }

    /// The lines of a way, if these combinations are excluded.
    fn way(
        &mut self,
        making: &mut Making,
        Way { holds, passed, end }: Way<'_>,
        cubes: Vec<Conjunction>,
        (begins, body): (Label, &[Statement]),
    ) {
        let of = |passed: &Passed| Some((passed.label, body.get(passed.label.0 as usize)?, passed.side));
        let Some((_, _, side)) = passed.first().and_then(of) else { return };
        making.statement = Some(StatementId { procedure: making.frame.id, label: begins });
        making.part = Part::Begins(side);
        making.place = body.get(begins.0 as usize).map_or(making.place, |statement| statement.place);
        let mut has_line = !cubes.is_empty();
        if has_line {
            making.step(Step::Assume(cubes));
        }
        let last = match end {
            End::Goes(after, to) => {
                has_line |= self.changes(making, after, &holds);
                Step::Goto(vec![self.label(to)])
            }
            End::Fails => Step::Assert(Value::Constant(false)),
            End::Asked(kind) => return self.point(making, kind, passed.last().and_then(of).map(|(_, last, _)| last)),
        };
        if !has_line && passed.len() > 1 {
            making.step(Step::Skip);
        }
        for (label, statement, side) in passed.iter().skip(1).filter_map(of) {
            if making.part.passes() {
                making.step(Step::Skip);
            }
            self.begins(making, (label, statement), Part::Passes(side));
        }
        making.step(last);
    }

    /// A line that can be reached where a statement does something undefined.
    fn point(&mut self, making: &mut Making, kind: Undefined, at: Option<&Statement>) {
        let (Some(statement), Some(asked)) = (making.statement, &mut self.asked) else { return };
        let label = format!("{}u{}", self.prefix, asked.len());
        let own = |line: &&super::boolean::Line| line.statement == Some(statement) && !line.part.passes();
        let line = making.lines.iter().filter(own).count();
        let place = at.map_or(making.place, |at| at.place);
        asked.push(UndefinedPoint { statement, line, place, kind });
        making.labels.push(label.clone());
        making.step(Step::Goto(vec![label]));
    }
}
