//! All of a program that an answer about its first procedure can depend on, as a text that is the same for the same program: what is not in it
//! is neither looked at nor seen.
//!
//! Procedures, variables and records have numbers in the order in which they are met, and lines are counted from where a procedure begins, so
//! that nothing in it depends on what else the files say, nor on where they say it.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use spds_format::model::Place;

use crate::c::contract::Contract;
use crate::c::expression::{ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term};
use crate::c::program::{
    Callee, Effect, Failure, ProcedureId, Program, ReasonId, Statement, StatementKind, Storage, VariableId,
};
use crate::c::reached;
use crate::c::types::{RecordId, Type, TypeId};

use super::apart::leaves_anywhere;
use super::contract::Named;

/// The text, and where it says that things are.
#[derive(Clone, Debug, Default)]
pub struct Closed {
    /// The text.
    pub text: String,
    /// The procedures that are in it: the file and the line in which each begins, by name.
    pub begins: BTreeMap<String, (String, u32)>,
}

/// That of a program. Linear.
pub fn closed(program: &Program) -> Closed {
    let mut writer = Writer {
        program,
        contracts: Named::of(program),
        out: Closed::default(),
        procedures: Numbers::default(),
        variables: Numbers::default(),
        records: Numbers::default(),
        terms: HashMap::new(),
        begun: program.procedure(program.main).place,
    };
    let _ = writeln!(writer.out.text, "{:?}", program.types.model);
    writer.procedures.of(program.main);
    if leaves_anywhere(program) {
        let open = reached::reached(program, true).taken;
        let open = open.iter().zip((0..).map(ProcedureId)).filter(|(taken, _)| **taken);
        for (_, id) in open {
            writer.procedures.of(id);
        }
    }
    let assumed: Vec<usize> = program.assumed.iter().map(|one| writer.expression(*one)).collect();
    writer.say(&format!("assumed {assumed:?}"));
    writer.all();
    writer.out
}

/// Numbers of things in the order in which they are met.
struct Numbers<T> {
    numbers: HashMap<T, usize>,
    met: Vec<T>,
}

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Numbers { numbers: HashMap::new(), met: Vec::new() }
    }
}

impl<T: Copy + Eq + std::hash::Hash> Numbers<T> {
    fn of(&mut self, one: T) -> usize {
        *self.numbers.entry(one).or_insert_with(|| {
            self.met.push(one);
            self.met.len() - 1
        })
    }
}

struct Writer<'p> {
    program: &'p Program,
    contracts: Named,
    out: Closed,
    procedures: Numbers<ProcedureId>,
    variables: Numbers<VariableId>,
    records: Numbers<RecordId>,
    terms: HashMap<Term, usize>,
    /// From where lines are counted.
    begun: Place,
}

impl Writer<'_> {
    /// All that is met, until nothing new is.
    fn all(&mut self) {
        let (mut procedures, mut variables, mut records) = (0, 0, 0);
        loop {
            if let Some(&id) = self.procedures.met.get(procedures) {
                procedures += 1;
                self.procedure(id);
            } else if let Some(&id) = self.variables.met.get(variables) {
                variables += 1;
                self.variable(id);
            } else if let Some(&id) = self.records.met.get(records) {
                records += 1;
                self.record(id);
            } else {
                break;
            }
        }
        let trusted: Vec<&str> = self.program.unverified.iter().map(|trusted| &*trusted.text).collect();
        let _ = writeln!(self.out.text, "{trusted:?}");
    }

    fn say(&mut self, what: &str) {
        self.out.text.push_str(what);
        self.out.text.push('\n');
    }

    fn place(&self, place: Place) -> String {
        let line = i64::from(place.line) - i64::from(self.begun.line);
        format!("{:?} {line} {}", self.program.file(place), place.column)
    }

    fn procedure(&mut self, id: ProcedureId) {
        let procedure = self.program.procedure(id);
        self.begun = procedure.place;
        let file = self.program.file(procedure.place).to_owned();
        self.out.begins.insert(procedure.name.to_string(), (file, procedure.place.line));
        let formals: Vec<usize> = procedure.formals.iter().map(|id| self.variables.of(*id)).collect();
        let locals: Vec<usize> = procedure.locals.iter().map(|id| self.variables.of(*id)).collect();
        let outside: Vec<usize> = procedure.outside.iter().map(|id| self.procedures.of(*id)).collect();
        let (result, place) = (self.ty(procedure.result), self.place(procedure.place));
        let result_in = procedure.result_in.map(|id| self.variables.of(id));
        let foreign = procedure.foreign.as_ref().map(|foreign| {
            let (result, effect) = (self.ty(foreign.result), self.effect(foreign.effect));
            format!("{:?} {result} {} {effect} {}", foreign.meaning, foreign.library, foreign.taken)
        });
        let (name, internal) = (&procedure.name, procedure.internal);
        let said = format!(
            "procedure {name:?} {place} {formals:?} {locals:?} {outside:?} {result} {result_in:?} {foreign:?} {internal}"
        );
        self.say(&said);
        for statement in procedure.body.iter().flatten() {
            self.statement(statement);
        }
        if let Some(own) = self.contracts.like(self.program, id) {
            self.contract(&self.program.contracts[&own]);
        }
    }

    fn contract(&mut self, contract: &Contract) {
        let nonnull: Vec<usize> = contract.nonnull.iter().map(|(at, _)| *at).collect();
        let said = format!("contract {nonnull:?} {}", contract.returns_nonnull.is_some());
        self.say(&said);
        let requires = contract.requires.iter().map(|clause| ("requires", clause));
        for (kind, clause) in requires.chain(contract.ensures.iter().map(|clause| ("ensures", clause))) {
            // Where it stands nobody is told.
            let condition = self.expression(clause.condition);
            self.say(&format!("{kind} {condition} {:?}", clause.text));
        }
    }

    fn statement(&mut self, statement: &Statement) {
        let place = self.place(statement.place);
        let kind = match &statement.kind {
            StatementKind::Skip => "skip".to_owned(),
            StatementKind::Assign(to, value) => format!("assign {} {}", self.lvalue(*to), self.expression(*value)),
            StatementKind::Call(to, callee, arguments) => {
                let callee = match callee {
                    Callee::Procedure(id) => format!("named {}", self.procedures.of(*id)),
                    Callee::Pointer(pointer) => format!("pointed {}", self.expression(*pointer)),
                };
                format!("call {:?} {callee} {:?}", self.perhaps(*to), self.several(arguments))
            }
            StatementKind::External(to, callee, arguments, effect) => {
                let (callee, effect) = (self.procedures.of(*callee), self.effect(*effect));
                format!("external {:?} {callee} {:?} {effect}", self.perhaps(*to), self.several(arguments))
            }
            StatementKind::Input(to, kind) => format!("input {} {kind:?}", self.lvalue(*to)),
            StatementKind::Declare(id) => format!("declare {}", self.variables.of(*id)),
            StatementKind::Dead(id) => format!("dead {}", self.variables.of(*id)),
            StatementKind::Havoc(to, reason, exact) => {
                let exact = exact.map(|exact| self.expression(exact));
                format!("havoc {} {} {exact:?}", self.lvalue(*to), self.reason(*reason))
            }
            StatementKind::Unseen(to, reason, exact) => {
                let exact = exact.map(|exact| self.expression(exact));
                format!("unseen {} {} {exact:?}", self.lvalue(*to), self.reason(*reason))
            }
            StatementKind::Allocate { to, size, element, room, lacks } => {
                let element = element.map(|element| self.ty(element));
                format!("allocate {} {} {element:?} {room:?} {lacks}", self.lvalue(*to), self.expression(*size))
            }
            StatementKind::Free(pointer) => format!("free {}", self.expression(*pointer)),
            StatementKind::Assume(condition) => format!("assume {}", self.expression(*condition)),
            StatementKind::Branch(condition, yes, no) => {
                format!("branch {} {yes:?} {no:?}", self.expression(*condition))
            }
            StatementKind::Goto(to) => format!("goto {to:?}"),
            StatementKind::Fail(Failure::Contract(of)) => format!("broken {}", self.expression(*of)),
            StatementKind::Fail(failure) => format!("fail {failure:?}"),
            StatementKind::Return(value) => format!("return {:?}", value.map(|value| self.expression(value))),
            StatementKind::Exit(value) => format!("exit {:?}", value.map(|value| self.expression(value))),
        };
        self.say(&format!("{kind} at {place} {:?}", statement.labels));
    }

    fn perhaps(&mut self, to: Option<LvalueId>) -> Option<usize> {
        to.map(|to| self.lvalue(to))
    }

    fn several(&mut self, all: &[ExpressionId]) -> Vec<usize> {
        all.iter().map(|one| self.expression(*one)).collect()
    }

    fn effect(&mut self, effect: Effect) -> String {
        let reason = effect.reason().map(|reason| self.reason(reason));
        format!("{} {reason:?}", effect.writes())
    }

    fn reason(&self, id: ReasonId) -> String {
        let reason = &self.program.reasons[id.0 as usize];
        format!("{:?} {}", reason.what, self.place(reason.place))
    }

    fn variable(&mut self, id: VariableId) {
        let program = self.program;
        let variable = program.variable(id);
        let storage = match variable.storage {
            Storage::Global => "global".to_owned(),
            Storage::Constant => "constant".to_owned(),
            Storage::Static(of) => format!("static {}", self.procedures.of(of)),
            Storage::Local(of) => format!("local {}", self.procedures.of(of)),
        };
        let unknown = program.unknown.iter().find(|(unknown, _)| *unknown == id);
        let unknown = unknown.map(|(_, reason)| program.reasons[reason.0 as usize].what.clone());
        let is = [
            variable.is_made_up,
            variable.address_taken,
            program.external.contains(&id),
            program.constant.contains(&id),
            program.loose.contains(&id),
        ];
        let (ty, orders) = (self.ty(variable.ty), program.orders.get(&id));
        let said = format!("variable {:?} {ty} {storage} {is:?} {unknown:?} {orders:?}", variable.name);
        self.say(&said);
        for (to, value) in program.initial.iter().filter(|(to, _)| program.terms.variable_of(*to) == Some(id)) {
            let said = format!("initial {} {}", self.lvalue(*to), self.expression(*value));
            self.say(&said);
        }
        for one in program.unrepresented.iter().filter(|one| program.terms.variable_of(one.to) == Some(id)) {
            let exact = one.exact.map(|exact| self.expression(exact));
            let reason = &program.reasons[one.reason.0 as usize].what;
            let said = format!("unrepresented {} {reason:?} {exact:?} {}", self.lvalue(one.to), one.unseen);
            self.say(&said);
        }
    }

    fn record(&mut self, id: RecordId) {
        let record = &self.program.types.records[id.0 as usize];
        let shape = (&record.name, record.union, record.size, record.align, record.complete);
        let said = format!("record {shape:?}");
        self.say(&said);
        for field in &record.fields {
            let said = format!("field {:?} {} {} {:?}", field.name, self.ty(field.ty), field.offset, field.bit);
            self.say(&said);
        }
    }

    fn ty(&mut self, id: TypeId) -> String {
        let mut before = String::new();
        let mut at = id;
        // Types are nested as deep as somebody writes.
        loop {
            match self.program.types.get(at).clone() {
                Type::Pointer(of) => {
                    before.push('*');
                    at = of;
                }
                Type::Array(of, length) => {
                    let _ = write!(before, "[{length}]");
                    at = of;
                }
                Type::Variable(of, length) => {
                    let length = length.map(|length| self.variables.of(length));
                    let _ = write!(before, "[{length:?}]");
                    at = of;
                }
                Type::Record(record) => return format!("{before}record {}", self.records.of(record)),
                Type::Function(result, parameters, variadic) => {
                    let parameters: Vec<String> = parameters.iter().map(|parameter| self.ty(*parameter)).collect();
                    let _ = write!(before, "({parameters:?}{variadic})");
                    at = result;
                }
                plain => return format!("{before}{plain:?}"),
            }
        }
    }

    fn expression(&mut self, id: ExpressionId) -> usize {
        self.term(Term::Expression(id))
    }

    fn lvalue(&mut self, id: LvalueId) -> usize {
        self.term(Term::Lvalue(id))
    }

    /// The number of a term, which is written if it is met for the first time, parts before wholes.
    fn term(&mut self, root: Term) -> usize {
        if let Some(&known) = self.terms.get(&root) {
            return known;
        }
        for term in self.program.terms.postorder(root) {
            if self.terms.contains_key(&term) {
                continue;
            }
            let said = match term {
                Term::Expression(id) => self.said(id),
                Term::Lvalue(id) => self.designated(id),
            };
            let number = self.terms.len();
            self.terms.insert(term, number);
            self.say(&format!("{number} {said}"));
        }
        self.terms[&root]
    }

    fn said(&mut self, id: ExpressionId) -> String {
        let expression = self.program.terms.get(id).clone();
        let ty = self.ty(expression.ty);
        let e = |id: ExpressionId| self.terms[&Term::Expression(id)];
        let l = |id: LvalueId| self.terms[&Term::Lvalue(id)];
        let kind = match expression.kind {
            ExpressionKind::Constant(bits) => format!("constant {bits}"),
            ExpressionKind::Read(of) => format!("read {}", l(of)),
            ExpressionKind::AddressOf(of) => format!("address {}", l(of)),
            ExpressionKind::Pre(of) => format!("pre {}", l(of)),
            ExpressionKind::Result => "result".to_owned(),
            ExpressionKind::Unary(operator, a) => format!("{operator:?} {}", e(a)),
            ExpressionKind::Convert(a) => format!("convert {}", e(a)),
            ExpressionKind::Binary(operator, a, b) => format!("{operator:?} {} {}", e(a), e(b)),
            ExpressionKind::Offset(a, b) => format!("offset {} {}", e(a), e(b)),
            ExpressionKind::Distance(a, b) => format!("distance {} {}", e(a), e(b)),
            ExpressionKind::Procedure(of) => format!("procedure {}", self.procedures.of(of)),
        };
        format!("{kind} : {ty}")
    }

    fn designated(&mut self, id: LvalueId) -> String {
        let lvalue = self.program.terms.at(id).clone();
        let ty = self.ty(lvalue.ty);
        let kind = match lvalue.kind {
            LvalueKind::Variable(of) => format!("variable {}", self.variables.of(of)),
            LvalueKind::Deref(pointer) => format!("behind {}", self.terms[&Term::Expression(pointer)]),
            LvalueKind::Field(of, field) => format!("member {} {field}", self.terms[&Term::Lvalue(of)]),
            LvalueKind::Element(of, index) => {
                format!("element {} {}", self.terms[&Term::Lvalue(of)], self.terms[&Term::Expression(index)])
            }
        };
        format!("{kind} : {ty}")
    }
}
