//! What calls of the library demand that have no model, written into a program that fails where something undefined is done.
//!
//! What can be said as terms is written as statements: a text that may be another one than constants is read up to its end, and of an object
//! the first byte and the last. Whatever else a call demands decides whether the program fails, by a number that nobody knows but who executes
//! the call and knows what it returns; so no proof can do without it, and what hangs on it is not known, and says so. What is not even known
//! to be demanded is taken on trust, which verdicts tell.

mod formats;
mod terms;

use std::collections::BTreeSet;
use std::sync::Arc;

use spds_format::model::Place;

use crate::analyses::Analyses;
use crate::c::bodiless;
use crate::c::edit::{self, Body};
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId};
use crate::c::library::contracts::{Demand, Size, demands};
use crate::c::program::{Callee, Failure, Label, ProcedureId, Program, Statement, StatementKind, VariableId};
use crate::c::reached::reached;
use crate::c::texts::Texts;
use crate::c::types::TypeId;
use crate::run::Trusted;

/// The program that also fails where a call of the library is not given what it demands. Linear, but for the lengths of formats.
pub fn demanded(program: &Program) -> Program {
    let mut writer = Writer::written(program, Analyses::of(program));
    writer.trust();
    writer.program
}

/// The calls of the library, in procedures that the entry reaches, that demand what is not seen to hold, each place once. Linear.
pub fn places(program: &Program, analyses: &Arc<Analyses>) -> BTreeSet<Place> {
    let calls = |statement: &Statement| matches!(&statement.kind, StatementKind::External(_, _, _, effect) if effect.reason().is_some());
    if !program.procedures.iter().flat_map(|procedure| procedure.body.iter().flatten()).any(calls) {
        return BTreeSet::new();
    }
    let reached = reached(program, false).procedures;
    let demanding = Writer::written(program, analyses.clone()).demanding;
    demanding.into_iter().filter(|(procedure, _)| reached[procedure.0 as usize]).map(|(_, place)| place).collect()
}

impl Writer {
    fn written(program: &Program, analyses: Arc<Analyses>) -> Writer {
        let mut writer = Writer {
            analyses,
            texts: Texts::of(program),
            streams: streams(program),
            unknown: BTreeSet::new(),
            demanding: Vec::new(),
            open_streams: false,
            program: program.clone(),
            body: Body::default(),
            procedure: program.main,
            place: program.procedure(program.main).place,
            arguments: Vec::new(),
            rest: false,
        };
        for id in (0..).map(ProcedureId).take(program.procedures.len()) {
            writer.procedure(id);
        }
        writer
    }
}

/// The streams that are there from the beginning, if nobody changes which.
fn streams(program: &Program) -> BTreeSet<VariableId> {
    let stream = |id: &VariableId| {
        let variable = program.variable(*id);
        bodiless::is_stream(&variable.name) && !variable.address_taken
    };
    let mut streams: BTreeSet<VariableId> = program.external.iter().copied().filter(stream).collect();
    for statement in program.procedures.iter().flat_map(|procedure| procedure.body.iter().flatten()) {
        if let Some(id) = statement.kind.target().and_then(|to| program.terms.variable_of(to)) {
            streams.remove(&id);
        }
    }
    streams
}

struct Writer {
    program: Program,
    /// The same as it was.
    analyses: Arc<Analyses>,
    texts: Texts,
    streams: BTreeSet<VariableId>,
    /// Functions of which is not known what they demand.
    unknown: BTreeSet<Box<str>>,
    /// Calls for which something was written, and in which procedures.
    demanding: Vec<(ProcedureId, Place)>,
    /// Whether some stream has to be open.
    open_streams: bool,
    /// The body that is being made, of this procedure.
    body: Body,
    procedure: ProcedureId,
    /// Where the call is, and what it is given.
    place: Place,
    arguments: Vec<ExpressionId>,
    /// Whether it demands what cannot be said.
    rest: bool,
}

impl Writer {
    fn procedure(&mut self, id: ProcedureId) {
        let Some(old) = self.program.procedures[id.0 as usize].body.take() else { return };
        self.body = Body::default();
        self.procedure = id;
        for statement in &old {
            self.body.begin();
            let start = self.body.next();
            match &statement.kind {
                StatementKind::External(to, callee, arguments, effect) if effect.reason().is_some() => {
                    self.call(statement, *to, *callee, arguments);
                }
                StatementKind::Call(_, Callee::Pointer(_), _) => {
                    self.anybody();
                    self.body.copy(statement);
                }
                _ => drop(self.body.copy(statement)),
            }
            self.body.statements[start.0 as usize].labels.extend(statement.labels.iter().cloned());
        }
        let body = std::mem::take(&mut self.body).finish();
        self.program.procedures[id.0 as usize].body = Some(body);
    }

    /// Through a pointer all may be called whose address is taken.
    fn anybody(&mut self) {
        let taken = self.program.procedures.iter().filter(|procedure| {
            let foreign = procedure.foreign.as_ref().filter(|_| procedure.body.is_none());
            foreign.is_some_and(|foreign| foreign.taken && foreign.effect.reason().is_some())
        });
        let names: Vec<Box<str>> = taken.map(|procedure| procedure.name.clone()).collect();
        self.unknown.extend(names);
    }

    fn call(&mut self, statement: &Statement, to: Option<LvalueId>, callee: ProcedureId, arguments: &[ExpressionId]) {
        let name = self.program.procedure(callee).name.clone();
        let is_rest_of_another = to.is_none() && arguments.len() == 1 && bodiless::prints_into_buffer(&name);
        let known = if is_rest_of_another { Some(Vec::new()) } else { demands(&name) };
        let Some(known) = known else {
            let pointer = |e: &ExpressionId| self.is_pointer(*e) && !self.is_null(*e);
            if arguments.iter().any(pointer) {
                self.unknown.insert(name);
            }
            self.body.copy(statement);
            return;
        };
        (self.place, self.arguments, self.rest) = (statement.place, arguments.to_vec(), false);
        let before = self.body.next();
        for demand in known {
            self.demand(demand, &name);
        }
        if self.rest || self.body.next() != before {
            self.demanding.push((self.procedure, self.place));
        }
        let at = self.body.copy(statement);
        if self.rest {
            self.rest_of(at, to, callee, &name);
        }
    }

    /// Behind a call that demands more than can be said.
    fn rest_of(&mut self, at: Label, to: Option<LvalueId>, callee: ProcedureId, name: &str) {
        let result = self.program.procedure(callee).foreign.as_ref().map(|foreign| foreign.result);
        let number = |ty: &TypeId| self.program.types.as_integer(*ty).is_some();
        let to = match (to, result.filter(number)) {
            (None, Some(result)) => {
                let own = edit::local(&mut self.program, self.procedure, ".returned", result);
                if let StatementKind::External(to, ..) = &mut self.body.statements[at.0 as usize].kind {
                    *to = Some(own);
                }
                Some(own)
            }
            (to, _) => to.filter(|to| number(&self.program.terms.at(*to).ty)),
        };
        // Who knows what is returned has looked at all that is demanded.
        let int = self.program.types.int();
        let known = to.map(|to| {
            let value = self.read(to);
            self.program.terms.expression(ExpressionKind::Binary(Binary::Unequal, value, value), int)
        });
        let reason = self.reason(&format!("whether `{name}` is given what it needs"));
        let wrong = edit::local(&mut self.program, self.procedure, ".wrong", int);
        self.push(StatementKind::Havoc(wrong, reason, known));
        let wrong = self.read(wrong);
        let here = self.body.next().0;
        self.push(StatementKind::Branch(wrong, Label(here + 1), Label(here + 2)));
        self.push(StatementKind::Fail(Failure::Asked));
        self.push(StatementKind::Skip);
    }

    fn demand(&mut self, demand: Demand, name: &str) {
        let argument = |this: &Self, at: usize| this.arguments.get(at).copied();
        match demand {
            Demand::Text(at, null) => match argument(self, at) {
                Some(text) => self.unless_null(text, null, |this| this.text_alone(text)),
                None => self.rest = true,
            },
            Demand::Stream(at) => self.stream(at),
            Demand::Bytes(at, size, access) => {
                let signed = match size {
                    Size::Of(size) => argument(self, size).filter(|size| self.is_signed(*size)),
                    Size::Product(..) => None,
                };
                let size = match size {
                    Size::Of(size) => argument(self, size).and_then(|size| self.size(size)),
                    Size::Product(a, b) => {
                        let factors = [a, b].map(|at| argument(self, at).and_then(|size| self.size(size)));
                        let [a, b] = factors;
                        a.zip(b).map(|(a, b)| self.arithmetic(Binary::Multiply, a, b))
                    }
                };
                match (argument(self, at), size) {
                    (Some(pointer), Some(size)) => match signed {
                        None => self.bytes(pointer, size, access),
                        // Less than none are none.
                        Some(signed) => {
                            let zero = self.program.terms.expression(ExpressionKind::Constant(0), self.ty(signed));
                            let some = self.compared(Binary::Greater, signed, zero);
                            let branch = self.branch(some);
                            self.bytes(pointer, size, access);
                            self.otherwise(branch);
                        }
                    },
                    _ => self.rest = true,
                }
            }
            Demand::Object(at, null, access) => {
                let pointee = argument(self, at).and_then(|e| Some((e, self.program.types.pointee(self.ty(e))?)));
                match pointee.and_then(|(e, ty)| Some((e, self.program.types.size(ty)?))) {
                    Some((pointer, size)) => {
                        let size = self.number(size);
                        self.unless_null(pointer, null, |this| this.bytes(pointer, size, access));
                    }
                    None => self.rest = true,
                }
            }
            Demand::Quotient => match (argument(self, 0), argument(self, 1)) {
                (Some(a), Some(b))
                    if self.ty(a) == self.ty(b) && self.program.types.as_integer(self.ty(a)).is_some() =>
                {
                    let ty = self.ty(a);
                    let quotient = self.program.terms.expression(ExpressionKind::Binary(Binary::Divide, a, b), ty);
                    self.evaluate(quotient);
                }
                _ => self.rest = true,
            },
            Demand::Print => self.print(name),
            Demand::Scan => self.scan(name),
        }
    }

    /// What is taken on trust.
    fn trust(&mut self) {
        if !self.unknown.is_empty() {
            let names: Vec<String> = self.unknown.iter().map(|name| format!("`{name}`")).collect();
            let text = format!("calls of {} are taken to be given what they need", names.join(", "));
            self.program.unverified.push(Trusted { code: "library-calls", text });
        }
        if self.open_streams {
            let text = "streams that are not NULL are taken to be open".into();
            self.program.unverified.push(Trusted { code: "streams", text });
        }
    }
}
