//! What evaluating expressions demands to be defined: no run goes past it, or it is an error of the program, or a place that is asked about.

use crate::bitvec::Term;
use crate::transition::undefined::Undefined;
use crate::transition::values::Demand;

use super::boolean::{Step, Value};
use super::procedure::{Abstraction, Making};
use super::query::{Named, excluded, update};
use super::undefined::UndefinedPoint;

impl Abstraction<'_> {
    /// What evaluating something demands; where that is an error of the program, it is asserted. No run goes on without it, whether or not
    /// a predicate changes.
    pub fn demanded(&mut self, making: &mut Making, demands: Vec<Demand>) -> Vec<Term> {
        let context = self.asserted(making, demands);
        if !self.tuning.blocking {
            return context;
        }
        let all = self.system.machine.terms.all(&context);
        let cubes = excluded(&mut self.asker(), &making.known, all, &[]);
        if !cubes.is_empty() {
            making.step(Step::Assume(cubes));
        }
        context
    }

    /// The same, if what comes next says that no run goes on otherwise.
    pub fn asserted(&mut self, making: &mut Making, demands: Vec<Demand>) -> Vec<Term> {
        let of = |wanted: &dyn Fn(Undefined) -> bool| -> Vec<Term> {
            demands.iter().filter(|demand| wanted(demand.kind)).map(|demand| demand.term).collect()
        };
        let failing = of(&|kind| kind.fails(self.system.overflow));
        if !failing.is_empty() {
            let value = self.fulfilled(making, &failing);
            if value != Value::Constant(true) {
                making.step(Step::Assert(value));
            }
        }
        if self.asked.is_some() {
            let overflow = self.system.overflow;
            for kind in Undefined::ALL.into_iter().filter(|kind| !kind.fails(overflow)) {
                self.ask(making, kind, &of(&|other| other == kind));
            }
        }
        of(&|_| true)
    }

    /// What is known to imply some conditions.
    fn fulfilled(&mut self, making: &Making, conditions: &[Term]) -> Value {
        let all = self.system.machine.terms.all(conditions);
        let target = Named { name: "".into(), term: all };
        let found = update(&mut self.asker(), &making.known, &[target], &[]);
        match found.values.into_iter().next() {
            Some(Value::Choose(yes, _)) => Value::Any(yes),
            Some(value) => value,
            None => Value::Constant(true),
        }
    }

    /// A place that can be reached if conditions may fail here. Runs that go on are those for which they hold.
    fn ask(&mut self, making: &mut Making, kind: Undefined, conditions: &[Term]) {
        // Only statements evaluate anything.
        let Some(statement) = making.statement else { return };
        let excluded = match self.fulfilled(making, conditions) {
            Value::Constant(true) => return,
            Value::Any(cubes) => cubes,
            Value::None(_) | Value::Choose(..) | Value::Constant(false) => Vec::new(),
        };
        let (fails, goes_on) = (self.made_up(making), self.made_up(making));
        making.step(Step::Goto(vec![fails.clone(), goes_on.clone()]));
        making.labels.push(fails.clone());
        making.step(Step::Assume(excluded));
        let label = format!("{}u{}", self.prefix, self.asked.as_ref().map_or(0, Vec::len));
        making.labels.push(label.clone());
        let line = making.lines.iter().rev().take_while(|line| line.statement == making.statement).count();
        making.step(Step::Goto(vec![label]));
        making.labels.push(goes_on);
        making.step(Step::Skip);
        if let Some(asked) = &mut self.asked {
            asked.push(UndefinedPoint { statement, line, place: making.place, kind });
        }
    }
}
