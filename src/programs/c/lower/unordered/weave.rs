//! All orders of the events of a unit that conflict, as statements: one part of the code for each set of events that are done, and a choice
//! wherever one of several may come next.

use std::collections::{HashMap, VecDeque};

use lang_c::span::Span;

use super::Pairs;
use super::code::{Code, Marker};
use super::states::{After, Space, State, Step, Weaver};
use crate::c::expression::{Binary, ExpressionId, LvalueKind};
use crate::c::lower::body::Mark;
use crate::c::lower::{Lowered, Lowering};
use crate::c::program::{InputKind, Label, StatementKind, Storage, Variable};
use crate::c::types::Rank;

/// More statements are not made of one unit: all orders of eight calls are some 3,000.
const MAX_UNIT_STATEMENTS: usize = 4_000;

/// The statements that are being made.
#[derive(Default)]
struct Woven {
    marks: HashMap<State, Mark>,
    open: VecDeque<State>,
}

impl Lowering<'_> {
    /// Emits a unit so that its events come in every order that C allows; `span` is its text.
    pub(super) fn weave(&mut self, code: &Code, pairs: &Pairs, span: Span) -> Lowered<()> {
        if code.statements.iter().any(|statement| !statement.labels.is_empty()) {
            return Err(self.error("a label in an expression in which C leaves open what is evaluated first", span));
        }
        let too_many = "C leaves open in which order this is evaluated, and there are too many orders that matter";
        let weaver = Weaver::new(code, pairs);
        let Some(space) = Space::new(&weaver, MAX_UNIT_STATEMENTS) else { return Err(self.error(too_many, span)) };
        let mut woven = Woven::default();
        let (start, place) = (self.now(), self.body()?.place);
        let exit = self.body()?.mark();
        self.mark_of(&mut woven, weaver.first())?;
        while let Some(state) = woven.open.pop_front() {
            if self.now() - start > MAX_UNIT_STATEMENTS {
                return Err(self.error(too_many, span));
            }
            let mark = self.mark_of(&mut woven, state.clone())?;
            self.body()?.place_mark(mark);
            match space.moves.get(&state).map(Vec::as_slice) {
                _ if space.is_dead(&state) => {
                    // No order begins like that.
                    let never = self.int_constant(0);
                    self.emit(StatementKind::Assume(never))?;
                    self.body()?.goto(exit);
                }
                Some([first, others @ ..]) => self.go_on(code, first, others, &mut woven)?,
                _ => self.body()?.goto(exit),
            }
        }
        let body = self.body()?;
        body.place = place;
        body.place_mark(exit);
        Ok(())
    }

    fn mark_of(&mut self, woven: &mut Woven, state: State) -> Lowered<Mark> {
        if let Some(&mark) = woven.marks.get(&state) {
            return Ok(mark);
        }
        let mark = self.body()?.mark();
        woven.marks.insert(state.clone(), mark);
        woven.open.push_back(state);
        Ok(mark)
    }

    /// The steps of a state: one of them is chosen.
    fn go_on(
        &mut self,
        code: &Code,
        first: &(Step, After),
        others: &[(Step, After)],
        woven: &mut Woven,
    ) -> Lowered<()> {
        self.body()?.place = code.statements[first.0.at].place;
        let chosen = match others {
            [] => None,
            _ => Some(self.choice(code, first.0, others)?),
        };
        for (number, other) in (1..).zip(others) {
            let Some(chosen) = chosen else { break };
            let (taken, next) = (self.body()?.mark(), self.body()?.mark());
            let number = self.constant(number, self.ty(chosen));
            let here = self.binary(Binary::Equal, chosen, number);
            self.body()?.branch(here, taken, next);
            self.body()?.place_mark(taken);
            self.take(code, other, woven)?;
            self.body()?.place_mark(next);
        }
        self.take(code, first, woven)
    }

    fn take(&mut self, code: &Code, (step, after): &(Step, After), woven: &mut Woven) -> Lowered<()> {
        self.body()?.place = code.statements[step.at].place;
        match after.clone() {
            After::Then(kinds, state) => {
                for kind in kinds {
                    self.emit(kind)?;
                }
                let mark = self.mark_of(woven, state)?;
                self.body()?.goto(mark);
            }
            After::Either(e, yes, no) => {
                let mut to = |this: &mut Self, to: Result<State, Label>| match to {
                    Ok(state) => this.mark_of(woven, state),
                    Err(Label(mark)) => Ok(Mark(mark)),
                };
                let (yes, no) = (to(self, yes)?, to(self, no)?);
                self.body()?.branch(e, yes, no);
            }
            After::Out(Label(mark)) => self.body()?.goto(Mark(mark)),
            After::Never(kind) => self.emit(kind)?,
        }
        Ok(())
    }

    /// A number that chooses between steps: 0 is the one that stands first.
    fn choice(&mut self, code: &Code, first: Step, others: &[(Step, After)]) -> Lowered<ExpressionId> {
        let before = self.told(code, first);
        let told = others.iter().map(|&(other, _)| match other.again {
            true => format!("reads {} again", self.told(code, other)).into(),
            false => format!("evaluates {} before {before}", self.told(code, other)).into(),
        });
        let told = told.collect();
        self.chosen(told)
    }

    /// A number that says what is done where C leaves it open: 0, or one for each of the others, of which it is told what they do.
    pub fn chosen(&mut self, others: Box<[Box<str>]>) -> Lowered<ExpressionId> {
        let ty = self.types.integer(Rank::Char, false);
        let to = self.intermediate(ty)?;
        if let LvalueKind::Variable(id) = self.terms.at(to).kind {
            let name = format!("{}{}", InputKind::Order, self.orders.len() + 1).into();
            self.orders.insert(id, others);
            let known: &mut Variable = &mut self.variables[id.0 as usize];
            debug_assert!(matches!(known.storage, Storage::Local(_)));
            known.name = name;
        }
        self.emit(StatementKind::Input(to, InputKind::Order))?;
        Ok(self.read(to))
    }

    /// The text of an event.
    fn told(&self, code: &Code, step: Step) -> String {
        let span = code.spans[step.at];
        let text = self.units[self.unit].prepared.text.get(span.start..span.end).unwrap_or_default();
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut text = words.join(" ");
        if text.chars().count() > 40 {
            text = text.chars().take(39).chain(['…']).collect();
        }
        match code.markers[step.at] {
            Some(Marker::Float { .. }) => format!("the side effect of `{text}`"),
            Some(Marker::Value { .. }) => format!("the value of `{text}`"),
            Some(Marker::Old { .. }) => format!("the old value of `{text}`"),
            _ => format!("`{text}`"),
        }
    }
}
