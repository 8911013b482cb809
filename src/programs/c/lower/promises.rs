//! What attributes promise of procedures, as contracts: that arguments, or what is returned, is not NULL, and that control does not come back.

use std::collections::{BTreeMap, HashSet};

use lang_c::span::Span;
use spds_format::model::Place;
use spds_format::{Diagnostic, Severity};

use super::body::Body;
use super::lifetime::Lifetimes;
use super::{Known, Lowered, Lowering};
use crate::c::attributes::Attribute;
use crate::c::contract::{Clause, Contract, Written};
use crate::c::expression::{ExpressionId, ExpressionKind, LvalueKind};
use crate::c::meaning::Meaning;
use crate::c::program::{Effect, ProcedureId, StatementKind};
use crate::c::types::{Type, TypeId};

/// Whether an attribute, by its name, promises something of a procedure; of whatever else it is said it means nothing.
pub fn is_promise(name: &str) -> bool {
    matches!(name, "nonnull" | "returns_nonnull") || is_clause(name)
}

/// Whether it is a condition.
pub fn is_clause(name: &str) -> bool {
    matches!(name, "__CPROVER_requires" | "__CPROVER_ensures")
}

/// A promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Promise {
    /// These parameters are not NULL, counted from 1; without any, all that are pointers.
    Nonnull(Vec<usize>, Place),
    /// What it returns is not NULL.
    ReturnsNonnull(Place),
    /// A condition holds when it is called, or returns.
    Holds(Written),
}

impl Promise {
    /// Whether it is a condition that somebody has written.
    pub fn is_condition(&self) -> bool {
        matches!(self, Promise::Holds(_))
    }
}

/// All that attributes promise of a procedure.
#[derive(Clone, Debug, Default)]
pub struct Promised {
    all: Vec<Promise>,
    /// Where it was said that it does not return.
    noreturn: Option<Place>,
    /// Names of parameters, as they are declared first.
    names: Vec<Option<String>>,
    /// Where it is called without a contract that would be asked about.
    called: Option<(usize, Span)>,
}

impl Promised {
    /// Parameters are called this where the procedure is declared, too.
    pub fn named(&mut self, names: Vec<Option<String>>) {
        if self.names.iter().flatten().count() < names.iter().flatten().count() {
            self.names = names;
        }
    }
}

impl Lowering<'_> {
    /// What an attribute of a procedure promises.
    pub fn promise(&mut self, attribute: &Attribute, span: Span) -> Option<Promise> {
        let place = self.place(span);
        if is_clause(&attribute.name) {
            let text = attribute.arguments.first().cloned().unwrap_or_default();
            let ready = &self.units[self.unit];
            let given = ready.given();
            let rest = given.get(ready.prepared.given(span.start)..).unwrap_or("");
            let behind = rest.find('(').map_or("", |at| &rest[at + 1..]);
            // What was taken out is as many blanks.
            let start = span.start + rest.len() - behind.trim_start().len();
            let place = ready.place(start);
            let about = ready.about(Diagnostic::error("", start..start + text.len()), &self.files);
            if !self.options.open && !self.told_contracts {
                self.told_contracts = true;
                self.warning("contracts are only looked at where functions are, by themselves (`--functions`)", span);
            }
            let ensures = &*attribute.name == "__CPROVER_ensures";
            return Some(Promise::Holds(Written { ensures, text, unit: self.unit, span: about.span, place }));
        }
        if &*attribute.name != "nonnull" {
            return Some(Promise::ReturnsNonnull(place));
        }
        let mut parameters = Vec::new();
        for given in &attribute.arguments {
            match self.constant_of_text(given).and_then(|given| usize::try_from(given).ok()) {
                Some(number) if number > 0 => parameters.push(number),
                _ => {
                    self.warning(format!("`nonnull` is ignored: `{given}` is the number of no parameter"), span);
                    return None;
                }
            }
        }
        Some(Promise::Nonnull(parameters, place))
    }

    /// Notes what is promised of a procedure.
    pub fn note_promised(&mut self, id: ProcedureId, all: &[Promise], noreturn: bool) {
        let place = self.place(self.here);
        let promised = &mut self.known[id.0 as usize].promised;
        promised.all.extend(all.iter().cloned());
        if noreturn {
            promised.noreturn.get_or_insert(place);
        }
    }

    /// Whether calls of a procedure are looked at because of what is promised of it.
    pub fn is_promised(&self, id: ProcedureId) -> bool {
        self.options.open && !self.known[id.0 as usize].promised.all.is_empty()
    }

    /// Whether somebody has written a contract of a procedure.
    fn has_clauses(&self, id: ProcedureId) -> bool {
        let all = &self.known[id.0 as usize].promised.all;
        let name = &*self.procedures[id.0 as usize].name;
        self.options.contracted.contains(name) || all.iter().any(Promise::is_condition)
    }

    /// Whether a procedure without a body, whose calls mean this, gets one because somebody has written a contract of it.
    pub fn has_stand_in(&mut self, id: ProcedureId, meaning: Meaning, span: Span) -> bool {
        if !self.options.open || !matches!(meaning, Meaning::Input | Meaning::Unknown(_)) {
            return false;
        }
        let has = self.has_clauses(id);
        if !has {
            self.known[id.0 as usize].promised.called.get_or_insert((self.unit, span));
        }
        has
    }

    /// Gives procedures without a body one that does what a call of them does, if somebody has written a contract of them.
    pub fn contracted_bodies(&mut self) {
        for index in 0..self.known.len() {
            let id = ProcedureId(index as u32);
            if !self.options.open || self.procedures[index].body.is_some() || !self.has_clauses(id) {
                continue;
            }
            let name = self.procedures[index].name.clone();
            let (unit, span) = self.known[index].promised.called.unwrap_or((0, Span::none()));
            self.unit = unit;
            let plain = |this: &Self| this.known[index].parameters.iter().all(|ty| this.types.is_scalar(*ty));
            let result = match self.types.get(self.known[index].ty) {
                Type::Function(result, ..) => *result,
                _ => self.types.void(),
            };
            let is_plain = self.types.is_scalar(result) || *self.types.get(result) == Type::Void;
            let meaning = self.procedures[index].foreign.as_ref().map_or(Meaning::Input, |foreign| foreign.meaning);
            let wrong = if !matches!(meaning, Meaning::Input | Meaning::Unknown(_)) {
                Some("what it does is known by its name")
            } else if self.known[index].promised.called.is_some() {
                Some("it is called before its contract is met")
            } else if !self.known[index].prototype || self.is_variadic(self.known[index].ty) {
                Some("its parameters are not known")
            } else if !plain(self) || !is_plain {
                Some("it takes or returns what is no number and no pointer")
            } else {
                None
            };
            if let Some(why) = wrong {
                let complaint = format!("a contract of `{name}`, which has no body, is not supported: {why}");
                match self.known[index].promised.called {
                    Some(_) => drop(self.error(complaint, span)),
                    None => self.complaints[0].push(Diagnostic::global(complaint)),
                }
                continue;
            }
            // What was complained about is left out.
            let _ = self.contracted_body(id, meaning, result);
        }
    }

    fn contracted_body(&mut self, id: ProcedureId, meaning: Meaning, result: TypeId) -> Lowered<()> {
        let index = id.0 as usize;
        let names = self.known[index].promised.names.clone();
        self.procedures[index].formals.clear();
        let mut formals = Vec::new();
        for (at, ty) in self.known[index].parameters.clone().into_iter().enumerate() {
            let name = names.get(at).cloned().flatten();
            let made_up = format!(".argument{}", at + 1);
            let is_made_up = name.is_none();
            let formal = self.formal(id, name.as_ref().unwrap_or(&made_up), is_made_up, ty, Span::none());
            formals.push(self.terms.lvalue(LvalueKind::Variable(formal), ty));
        }
        let place = self.procedures[index].place;
        self.procedures[index].outside.insert(id);
        self.body = Some(Body::new(id, result, place, HashSet::new(), Lifetimes::default()));
        let arguments: Vec<ExpressionId> = formals.into_iter().map(|formal| self.read(formal)).collect();
        let to = if self.types.is_scalar(result) { Some(self.intermediate(result)?) } else { None };
        match meaning {
            Meaning::Unknown(does) => {
                let reason = self.reason(&format!("the result of `{}`", self.procedures[index].name))?;
                self.unknown_call(id, does, to, arguments, reason)?;
            }
            _ => self.emit(StatementKind::External(to, id, arguments, Effect::Any))?,
        }
        let returned = to.map(|to| self.read(to));
        self.emit(StatementKind::Return(returned))?;
        let Some(mut body) = self.body.take() else { return Err(super::Refused) };
        body.place = place;
        self.end(id, body, Span::none())?;
        // The places of what nobody wrote are where it is declared.
        for statement in self.procedures[index].body.iter_mut().flatten() {
            statement.place = place;
        }
        Ok(())
    }

    /// The contracts of all procedures, now that all is known of them.
    pub fn contracts(&mut self) -> BTreeMap<ProcedureId, Contract> {
        let mut contracts = BTreeMap::new();
        for index in 0..self.known.len() {
            let id = ProcedureId(index as u32);
            let known = self.known[index].clone();
            let mut contract = Contract::default();
            for promise in &known.promised.all {
                match promise {
                    Promise::Nonnull(parameters, place) => {
                        let given = self.nonnull(id, &known, parameters, *place);
                        contract.nonnull.extend(given.into_iter().map(|at| (at, *place)));
                    }
                    Promise::ReturnsNonnull(place) => {
                        let result = self.procedures[index].result;
                        contract.returns_nonnull = self.types.pointee(result).map(|_| *place);
                    }
                    Promise::Holds(written) => contract.written.push(written.clone()),
                }
            }
            contract.nonnull.sort_by_key(|(at, _)| *at);
            contract.nonnull.dedup_by_key(|(at, _)| *at);
            if known.noreturn && self.procedures[index].body.is_some() && self.procedures[index].foreign.is_none() {
                let int = self.types.int();
                let never = self.terms.expression(ExpressionKind::Constant(0), int);
                let place = known.promised.noreturn.unwrap_or(self.procedures[index].place);
                contract.ensures.push(Clause { condition: never, text: "it does not return".into(), place });
            }
            if !contract.is_empty() {
                contracts.insert(id, contract);
            }
        }
        contracts
    }

    /// Which arguments are not NULL.
    fn nonnull(&mut self, id: ProcedureId, known: &Known, numbers: &[usize], place: Place) -> Vec<usize> {
        let is_pointer = |at: &usize| known.parameters.get(*at).is_some_and(|ty| self.types.pointee(*ty).is_some());
        let parameters: Vec<usize> = match numbers.is_empty() {
            true => (0..known.parameters.len()).filter(is_pointer).collect(),
            false => numbers.iter().map(|number| number - 1).collect(),
        };
        // A structure comes as one argument for each number in it.
        let plain = known.parameters.iter().take_while(|ty| self.types.is_scalar(**ty)).count();
        let (known, unknown): (Vec<usize>, Vec<usize>) =
            parameters.into_iter().partition(|at| is_pointer(at) && *at < plain);
        if let Some(at) = unknown.first().filter(|_| self.options.open)
            && self.known[id.0 as usize].prototype
        {
            let name = &self.procedures[id.0 as usize].name;
            let what = match at < &plain {
                true => "is no pointer",
                false => "is none that is known",
            };
            let text = format!("`nonnull` says nothing of parameter {} of `{name}`, which {what}", at + 1);
            self.said_at(text, place);
        }
        known
    }

    /// Notes something about a place.
    fn said_at(&mut self, text: String, place: Place) {
        let file = &self.files[place.file as usize];
        let complaint = Diagnostic::global(format!("{file}:{}: {text}", place.line));
        self.complaints[0].push(Diagnostic { severity: Severity::Warning, ..complaint });
    }
}
