//! The machine: frames, statements, one step after the other.

use spds_format::model::Place;

use super::around::{Environment, Input, Standard};
use super::fixed::{Fixed, Start};
use super::frame::Frame;
use super::inputs::Inputs;
use super::location::Location;
use super::memory::{Byte, Memory, Origin, Refusal};
use super::{Doubt, End, Fault, Given, Options, Order, Outcome, Pointer, Value};
use crate::c::Program;
use crate::c::bodiless::is_stream;
use crate::c::expression::{ExpressionId, ExpressionKind, LvalueId};
use crate::c::program::{InputKind, Label, ProcedureId, ReasonId, Statement, StatementKind, Storage, VariableId};
use crate::c::subobject::Subobject;
use crate::c::types::TypeId;

/// A statement that was executed.
#[derive(Clone, Copy)]
pub struct Moment<'p> {
    /// In which procedure.
    pub procedure: ProcedureId,
    /// Which statement.
    pub label: Label,
    /// The statement.
    pub statement: &'p Statement,
    /// Frames below.
    pub depth: usize,
    /// The lvalue that it has given a value, and which.
    pub wrote: Option<(LvalueId, Value)>,
    described: &'p dyn Fn(Pointer) -> String,
}

impl Moment<'_> {
    /// If it has written a pointer: to what, as C writes it.
    pub fn pointer(&self) -> Option<String> {
        match self.wrote {
            Some((_, Value::Pointer(pointer))) => Some((self.described)(pointer)),
            _ => None,
        }
    }
}

/// A program being executed.
pub struct Machine<'p> {
    pub(super) program: &'p Program,
    pub(super) options: &'p Options,
    pub(super) memory: Memory,
    pub(super) fixed: Fixed,
    pub(super) frames: Vec<Frame>,
    /// The object of each variable that is no local.
    globals: Vec<u64>,
    pub(super) inputs: Inputs,
    pub(super) asked: Vec<Given>,
    /// How often each variable has been declared, as far as some have.
    lives: Vec<u32>,
    pub(super) orders: Vec<Order>,
    /// Whether an allocation has failed.
    pub(super) lacked: bool,
    /// Whether globals have their values.
    is_filled: bool,
    started: bool,
    pub(super) place: Place,
    wrapped: Option<Place>,
    /// The streams that variables of the library have.
    pub(super) streams: Vec<(u64, Standard)>,
    /// Standard input, if it is known.
    pub(super) input: Option<Input>,
    /// What `main` gets, if that is known.
    own_arguments: Option<Vec<Vec<u8>>>,
}

impl<'p> Machine<'p> {
    /// Before the program begins.
    pub(super) fn new(program: &'p Program, options: &'p Options, inputs: Inputs, around: Environment) -> Self {
        Machine::fixed(program, options, inputs, around, Fixed::of(program))
    }

    /// The same where what is the same in all executions is there already.
    pub(super) fn fixed(
        program: &'p Program,
        options: &'p Options,
        inputs: Inputs,
        around: Environment,
        fixed: Fixed,
    ) -> Self {
        Machine {
            program,
            options,
            memory: Memory::new(options.room()),
            fixed,
            frames: Vec::new(),
            globals: vec![0; program.variables.len()],
            inputs,
            asked: Vec::new(),
            lives: Vec::new(),
            orders: Vec::new(),
            lacked: false,
            is_filled: false,
            started: false,
            place: program.procedure(program.main).place,
            wrapped: None,
            streams: Vec::new(),
            input: around.input.map(Input::of),
            own_arguments: around.arguments,
        }
    }

    /// What has come of the run.
    pub(super) fn ended(self, end: End, steps: u64) -> Outcome {
        let (place, procedure) = self.own_place();
        let Machine { wrapped, asked: inputs, orders, lacked, .. } = self;
        Outcome { end, place, procedure, steps, wrapped, inputs, orders, lacked }
    }

    /// Where control is, and how many frames are below.
    pub(super) fn here(&self) -> Option<(ProcedureId, Label, usize)> {
        self.frames.last().map(|frame| (frame.procedure, frame.at, self.frames.len() - 1))
    }

    /// The objects that have names where control is.
    pub(super) fn roots(&self) -> impl Iterator<Item = u64> {
        let own = self.frames.last().map_or(&[][..], |frame| &frame.objects);
        self.globals.iter().chain(own).copied().filter(|object| *object != 0)
    }

    /// The variables that there are, in all frames, with their objects.
    pub(super) fn variables(&self) -> impl Iterator<Item = (VariableId, u64)> {
        let globals = (0..).map(VariableId).zip(self.globals.iter().copied());
        let locals = self.frames.iter().flat_map(|frame| {
            let known = self.program.procedure(frame.procedure);
            known.formals.iter().chain(&known.locals).copied().zip(frame.objects.iter().copied())
        });
        globals.chain(locals).filter(|(_, object)| *object != 0)
    }

    /// The variable that lies in an object.
    pub(super) fn variable_of(&self, object: u64) -> Option<VariableId> {
        self.variables().find(|(_, other)| *other == object).map(|(variable, _)| variable)
    }

    /// The objects without names that end with frames.
    pub(super) fn allocated(&self) -> impl Iterator<Item = u64> {
        self.frames.iter().flat_map(|frame| frame.allocated.iter().map(|(_, object)| *object))
    }

    /// Whether an expression is not 0.
    pub(super) fn holds(&mut self, condition: ExpressionId) -> Result<bool, End> {
        let value = self.value(condition)?;
        let is_number = self.program.types.as_integer(self.program.terms.get(condition).ty).is_some();
        match self.known(value)? {
            Value::Bits(bits) => Ok(bits != 0),
            // Of an address as a number that is far from its object it is not known whether it is 0.
            Value::Pointer(pointer) if is_number && !self.is_inside(pointer) => Err(End::Unknown(Doubt::Bytes)),
            Value::Pointer(pointer) => Ok(pointer != Pointer::NULL),
            Value::Nan => Ok(true),
            Value::Unrepresented(_) | Value::Bytes | Value::Part(..) | Value::Payload | Value::Float => Ok(false),
        }
    }

    /// To the first statement.
    pub(super) fn begin(&mut self) -> Result<(), End> {
        self.start()?;
        self.started = true;
        Ok(())
    }

    /// What globals are before the first statement, for other executions; none if they do not have values, or not the same in all.
    pub(super) fn started(mut self) -> Option<Start> {
        self.fill().ok()?;
        let is_same = self.asked.is_empty() && self.orders.is_empty() && self.lives.is_empty();
        let is_same = is_same && self.wrapped.is_none() && !self.lacked;
        let Machine { memory, globals, streams, .. } = self;
        is_same.then(|| Start { memory: memory.shared(), globals, streams })
    }

    /// The same where globals have their values already.
    pub(super) fn from(mut self, start: Option<&Start>) -> Self {
        if let Some(start) = start {
            self.memory = start.memory.with_room(self.options.room());
            self.globals.clone_from(&start.globals);
            self.streams.clone_from(&start.streams);
            self.is_filled = true;
        }
        self
    }

    /// Globals get their values, the first procedure arbitrary arguments.
    fn start(&mut self) -> Result<(), End> {
        if !self.is_filled {
            self.fill()?;
        }
        self.enter(self.program.main, None)?;
        for id in &self.program.procedure(self.program.main).formals {
            self.memory.fill(self.object(*id), Byte::Arbitrary);
        }
        self.own_arguments.take().map_or(Ok(()), |arguments| self.put_arguments(&arguments))
    }

    /// Globals get their values.
    fn fill(&mut self) -> Result<(), End> {
        let program = self.program;
        for (index, variable) in program.variables.iter().enumerate() {
            let (fill, origin) = match variable.storage {
                Storage::Local(_) => continue,
                Storage::Constant => (Byte::Bits(0), Origin::Constant),
                Storage::Global | Storage::Static(_) => (Byte::Bits(0), Origin::Variable),
            };
            let size = program.types.size(variable.ty).unwrap_or(0);
            self.globals[index] = self.memory.make(size, fill, origin)?;
        }
        for id in &program.external {
            self.memory.fill(self.globals[id.0 as usize], Byte::Arbitrary);
        }
        for (id, reason) in &program.unknown {
            let object = self.globals[id.0 as usize];
            self.memory.fill(object, Byte::Unrepresented(*reason));
            let variable = program.variable(*id);
            if is_stream(&variable.name) && program.types.pointee(variable.ty).is_some() {
                let there = Pointer::Object { object, offset: 0 };
                let stream = self.make_stream(&variable.name, *reason)?;
                self.write(Location::of(there, variable.ty), Value::Pointer(stream))?;
            }
        }
        for (to, value) in &program.initial {
            let location = self.location(*to)?;
            let value = self.value(*value)?;
            self.write(location, value)?;
        }
        for one in &program.unrepresented {
            self.stored((one.to, one.reason, one.exact))?;
        }
        Ok(())
    }

    /// `main` gets these strings (C11 §5.1.2.2.1).
    fn put_arguments(&mut self, arguments: &[Vec<u8>]) -> Result<(), End> {
        let formals = &self.program.procedure(self.program.main).formals;
        let types = &self.program.types;
        let pointer = u64::from(types.model.pointer / 8);
        if let Some(&count) = formals.first() {
            self.put(count, arguments.len() as i128)?;
        }
        let Some(&list) = formals.get(1) else { return Ok(()) };
        let array = self.memory.make(pointer * (arguments.len() as u64 + 1), Byte::Bits(0), Origin::Variable)?;
        for (at, argument) in (0..).zip(arguments) {
            let text = self.memory.make(argument.len() as u64 + 1, Byte::Bits(0), Origin::Variable)?;
            self.put_bytes(Pointer::Object { object: text, offset: 0 }, argument)?;
            let mut bytes = vec![Byte::Unknown; pointer as usize];
            super::memory::bytes(Value::Pointer(Pointer::Object { object: text, offset: 0 }), &mut bytes);
            let there = at * pointer as i64;
            self.memory.put(array, there, &bytes, true).map_err(|fault| self.fault(fault))?;
        }
        let own = Pointer::Object { object: self.object(list), offset: 0 };
        let ty = self.program.variable(list).ty;
        self.write(Location::of(own, ty), Value::Pointer(Pointer::Object { object: array, offset: 0 }))
    }

    /// The object of a variable.
    pub(super) fn object(&self, id: VariableId) -> u64 {
        match (self.program.variable(id).storage, self.frames.last()) {
            (Storage::Local(_), Some(frame)) => {
                frame.objects.get(self.fixed.slots[id.0 as usize] as usize).copied().unwrap_or(0)
            }
            _ => self.globals[id.0 as usize],
        }
    }

    /// A variable that has a name here gets a number.
    pub(super) fn put(&mut self, id: VariableId, number: i128) -> Result<(), End> {
        let ty = self.program.variable(id).ty;
        let Some(integer) = self.program.types.as_integer(ty) else { return Ok(()) };
        let there = Pointer::Object { object: self.object(id), offset: 0 };
        self.write(Location::of(there, ty), Value::Bits(number as u128 & integer.mask()))
    }

    /// Whether the program has not yet begun.
    pub(super) fn starting(&self) -> bool {
        !self.started
    }

    /// Where control is in what the user wrote: within a model of the library where that is called, and in which procedure.
    pub(super) fn own_place(&self) -> (Place, ProcedureId) {
        let mut frames =
            self.frames.iter().rev().skip_while(|frame| self.fixed.modelled[frame.procedure.0 as usize].is_model);
        let (top, found) = (self.frames.last(), frames.next());
        let procedure = found.map_or(self.program.main, |frame| frame.procedure);
        match found {
            Some(frame) if top.is_some_and(|top| !std::ptr::eq(top, frame)) => {
                let body = self.program.procedure(procedure).body.as_deref().unwrap_or(&[]);
                (body.get(frame.at.0 as usize).map_or(self.place, |statement| statement.place), procedure)
            }
            _ => (self.place, procedure),
        }
    }

    /// Signed arithmetic was computed modulo 2ʷ.
    pub(super) fn wrapped(&mut self) {
        if self.wrapped.is_none() {
            self.wrapped = Some(self.own_place().0);
        }
    }

    /// How a run ends that does something undefined.
    pub(super) fn fault(&self, fault: Fault) -> End {
        self.options.end(fault)
    }

    /// How a run ends that is not let into memory.
    pub(super) fn refused(&self, refusal: Refusal) -> End {
        match refusal {
            Refusal::Fault(fault) => self.fault(fault),
            Refusal::Memory => End::Unknown(Doubt::Memory),
        }
    }

    /// A value, unless it is in doubt: then the run ends with the doubt.
    pub(super) fn known(&self, value: Value) -> Result<Value, End> {
        match value.doubt() {
            Some(doubt) => Err(End::Unknown(doubt)),
            None => Ok(value),
        }
    }

    pub(super) fn number(&mut self, e: crate::c::expression::ExpressionId) -> Result<Option<i128>, End> {
        let value = self.value(e)?;
        let integer = self.program.types.as_integer(self.program.terms.get(e).ty);
        Ok(match (self.known(value)?, integer) {
            (Value::Bits(bits), Some(integer)) => Some(integer.number(bits)),
            _ => None,
        })
    }

    /// Executes the next statement.
    pub(super) fn step(&mut self, tell: &mut dyn FnMut(&Moment<'_>)) -> Result<(), End> {
        let program = self.program;
        if self.memory.is_full() {
            return Err(End::Unknown(Doubt::Memory));
        }
        let Some(frame) = self.frames.last() else { return Err(End::Returned(None)) };
        let (procedure, label, depth) = (frame.procedure, frame.at, self.frames.len() - 1);
        let body = program.procedure(procedure).body.as_deref().unwrap_or(&[]);
        let Some(statement) = body.get(label.0 as usize) else { return Err(End::Returned(None)) };
        self.place = statement.place;
        let done = self.statement(statement);
        let (wrote, end) = match done {
            Ok(wrote) => (wrote, None),
            Err(end) => (None, Some(end)),
        };
        let described = &|pointer| self.described(pointer);
        tell(&Moment { procedure, label, statement, depth, wrote, described });
        end.map_or(Ok(()), Err)
    }

    /// To what a pointer points: the innermost variable that is that object, or the number of an allocated one.
    pub(super) fn described(&self, pointer: Pointer) -> String {
        let program = self.program;
        let (object, offset) = match pointer {
            Pointer::NULL => return "NULL".to_owned(),
            Pointer::Procedure(id) => return program.procedure(id).name.to_string(),
            Pointer::Arbitrary => return "an arbitrary pointer".to_owned(),
            Pointer::Object { object, offset } => (object, offset),
        };
        if let Some(name) = self.stream_name(pointer) {
            return name.to_owned();
        }
        let name = match self.variable_of(object) {
            Some(variable) => {
                let part = u64::try_from(offset).ok().map(|offset| Subobject { variable, offset, bit: None });
                if let Some(part) = part.and_then(|part| part.outermost(program)) {
                    return format!("&{part}");
                }
                format!("&{}", program.variable(variable).name)
            }
            None => format!("object {object}"),
        };
        if offset == 0 { name } else { format!("{name} + {offset} bytes") }
    }

    fn go(&mut self, to: Label) {
        if let Some(frame) = self.frames.last_mut() {
            frame.at = to;
        }
    }

    pub(super) fn next(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.at.0 += 1;
        }
    }

    fn statement(&mut self, statement: &'p Statement) -> Result<Option<(LvalueId, Value)>, End> {
        let mut wrote = None;
        match &statement.kind {
            StatementKind::Skip => {}
            StatementKind::Assign(to, e) => {
                let location = self.location(*to)?;
                let value = self.value(*e)?;
                self.write(location, value)?;
                wrote = Some((*to, value));
            }
            StatementKind::Call(to, callee, arguments) => {
                return self.call(*to, *callee, arguments);
            }
            StatementKind::External(to, callee, arguments, effect) => {
                wrote = self.leaves(*to, *callee, arguments, *effect)?;
            }
            StatementKind::Input(to, InputKind::Order) => wrote = self.order(*to)?,
            StatementKind::Input(to, kind @ InputKind::Unspecified(_)) => wrote = self.unspecified(*to, kind)?,
            StatementKind::Input(to, kind) => wrote = self.input(*to, kind)?,
            StatementKind::Declare(id) => self.declare(*id),
            StatementKind::Dead(id) => self.renew(*id)?,
            StatementKind::Havoc(to, reason, exact) | StatementKind::Unseen(to, reason, exact) => {
                wrote = self.stored((*to, *reason, *exact))?;
            }
            StatementKind::Allocate { to, size, room, lacks, .. } => {
                wrote = self.allocate(*to, *size, *room, *lacks)?;
            }
            StatementKind::Free(e) => self.free(*e)?,
            StatementKind::Assume(e) => {
                if !self.holds(*e)? {
                    return Err(End::Blocked(None));
                }
            }
            StatementKind::Branch(e, yes, no) => {
                let to = if self.holds(*e)? { *yes } else { *no };
                self.go(to);
                return Ok(None);
            }
            StatementKind::Goto(to) => {
                self.go(*to);
                return Ok(None);
            }
            StatementKind::Fail(failure) => return Err(End::Failed(*failure)),
            StatementKind::Return(e) => return self.leave(*e),
            StatementKind::Exit(e) => {
                let code = match e {
                    Some(e) => self.number(*e)?,
                    None => None,
                };
                return Err(End::Exited(code));
            }
        }
        self.next();
        Ok(wrote)
    }

    fn free(&mut self, e: ExpressionId) -> Result<(), End> {
        let value = self.value(e)?;
        let Value::Pointer(pointer) = self.known(value)? else { return Ok(()) };
        if pointer == Pointer::Arbitrary {
            return Err(End::Unknown(Doubt::ArbitraryPointer));
        }
        self.memory.free(pointer).map_err(|fault| self.fault(fault))
    }

    /// What is not represented is stored, exactly if it is said how: bytes of structures as they are.
    fn stored(
        &mut self,
        (to, reason, exact): (LvalueId, ReasonId, Option<ExpressionId>),
    ) -> Result<Option<(LvalueId, Value)>, End> {
        let location = self.location(to)?;
        let value = match exact.map(|exact| (exact, &self.program.terms.get(exact).kind)) {
            None => {
                self.blur(location, Byte::Unrepresented(reason))?;
                Value::Unrepresented(reason)
            }
            Some((_, ExpressionKind::Constant(_))) if !self.program.types.is_scalar(location.ty) => {
                self.blur(location, Byte::Bits(0))?;
                return Ok(None);
            }
            Some((_, ExpressionKind::Read(from))) if !self.program.types.is_scalar(location.ty) => {
                let from = self.location(*from)?;
                self.copied(location, from)?;
                return Ok(None);
            }
            Some((exact, _)) => {
                let value = match self.value(exact) {
                    Ok(Value::Float | Value::Payload | Value::Bytes)
                    | Err(End::Unknown(Doubt::Unrepresented(_) | Doubt::Bytes)) => Value::Unrepresented(reason),
                    value => value?,
                };
                self.write(location, value)?;
                value
            }
        };
        Ok(Some((to, value)))
    }

    /// Copies an object as it is.
    fn copied(&mut self, to: Location, from: Location) -> Result<(), End> {
        let size = self.program.types.size(to.ty).unwrap_or(0);
        let (source, target) = (self.target(from)?, self.target(to)?);
        self.memory.copy(target, source, size).map_err(|refusal| self.refused(refusal))
    }

    /// A number as one of that type.
    pub(super) fn fitting(&self, value: Value, ty: TypeId) -> Value {
        match (value, self.program.types.as_integer(ty)) {
            (Value::Bits(bits), Some(integer)) => Value::Bits(bits & integer.mask()),
            _ => value,
        }
    }

    /// A block is left: if it is entered again, its local is a new object.
    fn declare(&mut self, id: VariableId) {
        let index = id.0 as usize;
        if self.lives.len() <= index {
            self.lives.resize(index + 1, 0);
        }
        self.memory.declare(self.object(id), self.lives[index]);
        self.lives[index] = self.lives[index].saturating_add(1);
    }

    fn renew(&mut self, id: VariableId) -> Result<(), End> {
        if let Some(frame) = self.frames.last_mut() {
            for (_, object) in frame.allocated.extract_if(.., |(holder, _)| *holder == Some(id)) {
                self.memory.end(object);
            }
        }
        self.memory.end(self.object(id));
        let size = self.program.types.size(self.program.variable(id).ty).unwrap_or(0);
        let new = self.memory.make(size, Byte::Arbitrary, Origin::Variable)?;
        let slot = self.fixed.slots[id.0 as usize] as usize;
        if let Some(object) = self.frames.last_mut().and_then(|frame| frame.objects.get_mut(slot)) {
            *object = new;
        }
        Ok(())
    }
}
