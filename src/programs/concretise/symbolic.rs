//! Execution of C- with inputs as variables of bit-vectors: numbers are terms, pointers are lists of places, each with the condition
//! under which it is the one; objects are cells. Arithmetic is that of the judge where C says what it is, and conditions collect where
//! it does (a divisor is not 0, a pointer is followed where it has an object).

mod arithmetic;
mod cells;
mod places;

use std::collections::{HashMap, HashSet};

use crate::bitvec::{Term, Terms};
use crate::c::Program;
use crate::c::command::{Action, Call, Command, Source, Whom};
use crate::c::definedness::is_defined;
use crate::c::expression::{self as c, ExpressionId, LvalueId};
use crate::c::program::{Effect, Label, Overflow, ProcedureId, Room, StatementId, Storage, VariableId};
use crate::c::types::{Type, TypeId};

use super::lost::{Lost, Part, Use};

type Done<T> = Result<T, Lost>;

/// What a pointer may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Null,
    /// So many bytes into an object.
    Object(usize, i64),
    Procedure(ProcedureId),
    /// Not NULL, and nothing else is known of it.
    Arbitrary,
}

/// A value.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Number(Term),
    /// Exactly one of the conditions holds.
    Pointer(Vec<(Term, Target)>),
}

/// What an object holds before anything is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fill {
    Zero,
    Arbitrary,
    /// Something definite that nobody here knows.
    Unknown,
}

/// A frame.
struct Frame {
    /// No other has this number.
    number: usize,
    procedure: ProcedureId,
    at: Label,
    objects: HashMap<VariableId, usize>,
    result: Option<LvalueId>,
}

/// A place, and under which condition it is that one.
type Places = Vec<(Term, (usize, i64, u32))>;

/// The machine.
pub(super) struct Symbolic<'a> {
    pub program: &'a Program,
    /// What happens where signed numbers overflow; only under [`Overflow::Wrap`] anything but "no run goes past it".
    overflow: Overflow,
    pub terms: Terms,
    /// What has to hold besides what branches demand.
    pub conditions: Vec<Term>,
    /// Those of them that are about signed results that fit their type.
    pub overflows: HashSet<Term>,
    /// The inputs in the order in which the judge asks for them, and whether they are signed.
    pub inputs: Vec<(Term, bool)>,
    variables: u32,
    objects: Vec<Fill>,
    cells: HashMap<(usize, i64, u32), Value>,
    globals: HashMap<VariableId, usize>,
    frames: Vec<Frame>,
    entered: usize,
    /// Whether something was followed that is certainly no pointer to an object: no run comes here.
    pub(super) nowhere: bool,
    /// Whether what is said has to be so of each run: an arbitrary pointer may be to any object then, and an object that is written as
    /// another type holds something else.
    pub strict: bool,
}

impl<'a> Symbolic<'a> {
    /// At the beginning of the program.
    pub fn new(program: &'a Program, overflow: Overflow) -> Done<Symbolic<'a>> {
        let mut this = Symbolic::bare(program, overflow);
        for &(to, value) in &program.initial {
            let value = this.value(value)?;
            this.write(to, value)?;
        }
        for to in program.unrepresented.iter().filter(|one| !one.unseen).map(|one| one.to) {
            // A proposal need not say what is in an object of parts.
            if let Ok(value) = this.some_value(program.terms.at(to).ty) {
                this.write(to, value)?;
            }
        }
        this.enter(program.main, None);
        Ok(this)
    }

    /// With globals, and no frame.
    fn bare(program: &'a Program, overflow: Overflow) -> Symbolic<'a> {
        let mut this = Symbolic {
            program,
            overflow,
            terms: Terms::new(),
            conditions: Vec::new(),
            overflows: HashSet::new(),
            inputs: Vec::new(),
            variables: 0,
            objects: Vec::new(),
            cells: HashMap::new(),
            globals: HashMap::new(),
            frames: Vec::new(),
            entered: 0,
            nowhere: false,
            strict: false,
        };
        for (index, variable) in program.variables.iter().enumerate() {
            let id = VariableId(index as u32);
            if !matches!(variable.storage, Storage::Local(_)) {
                let fill = if program.unknown.iter().any(|(unknown, _)| *unknown == id) {
                    Fill::Unknown
                } else if program.external.contains(&id) {
                    Fill::Arbitrary
                } else {
                    Fill::Zero
                };
                let object = this.object(fill);
                this.globals.insert(id, object);
            }
        }
        this
    }

    /// At a statement, in a state of which nothing is known.
    pub fn anywhere(
        program: &'a Program,
        overflow: Overflow,
        StatementId { procedure, label }: StatementId,
    ) -> Symbolic<'a> {
        let mut this = Symbolic::bare(program, overflow);
        this.objects.fill(Fill::Arbitrary);
        this.enter(procedure, None);
        this.go(label);
        this
    }

    /// Where control is.
    pub fn here(&self) -> Option<StatementId> {
        self.frames.last().map(|frame| StatementId::of(frame.procedure, frame.at))
    }

    /// How many calls are open, and the number of the frame that executes.
    pub fn frame(&self) -> (usize, usize) {
        (self.frames.len().saturating_sub(1), self.frames.last().map_or(0, |frame| frame.number))
    }

    /// Control goes to a statement of the procedure.
    pub fn go(&mut self, to: Label) {
        if let Some(frame) = self.frames.last_mut() {
            frame.at = to;
        }
    }

    fn next(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.at.0 += 1;
        }
    }

    fn object(&mut self, fill: Fill) -> usize {
        self.objects.push(fill);
        self.objects.len() - 1
    }

    fn enter(&mut self, procedure: ProcedureId, result: Option<LvalueId>) {
        let known = self.program.procedure(procedure);
        let all: Vec<VariableId> = known.formals.iter().chain(&known.locals).copied().collect();
        let objects = all.into_iter().map(|id| (id, self.object(Fill::Arbitrary))).collect();
        self.entered += 1;
        self.frames.push(Frame { number: self.entered, procedure, at: Label(0), objects, result });
    }

    fn fresh(&mut self, width: u8) -> Term {
        self.variables += 1;
        self.terms.variable(self.variables, width)
    }

    fn width(&self, ty: TypeId) -> Done<u8> {
        match self.program.types.get(ty) {
            Type::Integer(integer) => Ok(integer.width as u8),
            // What is not represented has bits as well.
            _ => match self.program.types.unrepresented_size(ty) {
                Some(size @ 1..=16) => Ok(8 * size as u8),
                _ => Err(Lost::NoNumber),
            },
        }
    }

    fn input(&mut self, ty: TypeId) -> Done<Value> {
        let value = self.some_value(ty)?;
        match &value {
            // The judge does not ask for it either.
            _ if !self.program.types.is_represented(ty) => {}
            Value::Number(term) => {
                let signed = self.program.types.as_integer(ty).is_some_and(|integer| integer.signed);
                self.inputs.push((*term, signed));
            }
            // The first part is that it is NULL, the second that it is not.
            Value::Pointer(parts) => self.inputs.extend(parts.last().map(|&(some, _)| (some, false))),
        }
        Ok(value)
    }

    /// A value of which nothing is known.
    fn some_value(&mut self, ty: TypeId) -> Done<Value> {
        if self.program.types.pointee(ty).is_some() {
            let some = self.fresh(1);
            let null = self.terms.not(some);
            return Ok(Value::Pointer(vec![(null, Target::Null), (some, Target::Arbitrary)]));
        }
        let width = self.width(ty)?;
        Ok(Value::Number(self.fresh(width)))
    }

    /// A command that is neither a branch nor a call of somebody who has a body.
    pub fn execute(&mut self, command: Command<'_>) -> Done<()> {
        match command {
            Command::Does(action, next) => {
                self.does(action)?;
                self.go(next);
            }
            Command::Asks(condition, next, None) => {
                let truth = self.truth(condition)?;
                self.conditions.push(truth);
                self.go(next);
            }
            Command::Calls(Call { to, whom: Whom::Foreign(effect), arguments }, next) => {
                self.leaves(to, arguments, effect)?;
                self.go(next);
            }
            Command::Returns(value) => self.leave(value)?,
            _ => return Err(Lost::Ends),
        }
        Ok(())
    }

    fn does(&mut self, action: Action) -> Done<()> {
        match action {
            Action::Nothing => {}
            Action::Assigns(to, source) => {
                if let Some(value) = self.some_source(to, source)? {
                    self.write(to, value)?;
                }
            }
            Action::Frees(pointer) => self.evaluate(&[pointer]),
            Action::Begins(variable) | Action::Ends(variable) => {
                let object = self.object(Fill::Arbitrary);
                if let Some(frame) = self.frames.last_mut() {
                    frame.objects.insert(variable, object);
                }
            }
        }
        Ok(())
    }

    /// What is assigned; nothing where nothing has to be said of it.
    fn some_source(&mut self, to: LvalueId, source: Source) -> Done<Option<Value>> {
        let ty = self.program.terms.at(to).ty;
        Ok(match source {
            Source::Of(value) => Some(self.value(value)?),
            Source::Input => Some(self.input(ty)?),
            // No input: the judge does not know it either. A proposal need not say what is in an object of parts.
            Source::Unknown => {
                let said = self.strict || self.width(ty).is_ok() || self.program.types.is_represented(ty);
                said.then(|| self.some_value(ty)).transpose()?
            }
            Source::Allocated { size, room, lacks } => {
                self.evaluate(&[size]);
                let object = self.object(if room == Room::Zeros { Fill::Zero } else { Fill::Arbitrary });
                let some = Target::Object(object, 0);
                let parts = if lacks {
                    let works = self.fresh(1);
                    self.inputs.push((works, false));
                    vec![(self.terms.not(works), Target::Null), (works, some)]
                } else {
                    vec![(self.terms.truth(true), some)]
                };
                Some(Value::Pointer(parts))
            }
        })
    }

    /// What nobody reads is computed all the same, and that has to be defined.
    pub fn evaluate(&mut self, all: &[ExpressionId]) {
        all.iter().for_each(|&one| drop(self.value(one)));
    }

    /// A call of a procedure without a body.
    fn leaves(&mut self, to: Option<LvalueId>, arguments: &[ExpressionId], effect: Effect) -> Done<()> {
        let values: Vec<Option<Value>> = arguments.iter().map(|&argument| self.value(argument).ok()).collect();
        if effect.reason().is_some() && effect.writes() {
            self.overwrite(values.into_iter().flatten().collect());
        }
        let Some(to) = to else { return Ok(()) };
        let ty = self.program.terms.at(to).ty;
        let value = if effect.reason().is_some() { self.some_value(ty)? } else { self.input(ty)? };
        self.write(to, value)
    }

    /// Of the objects that these values lead to nothing is known any more.
    fn overwrite(&mut self, mut open: Vec<Value>) {
        let mut forgotten: HashSet<usize> = HashSet::new();
        while let Some(value) = open.pop() {
            let Value::Pointer(list) = value else { continue };
            for (_, target) in list {
                let Target::Object(object, _) = target else { continue };
                if forgotten.insert(object) {
                    open.extend(
                        self.cells.iter().filter(|((of, ..), _)| *of == object).map(|(_, value)| value.clone()),
                    );
                }
            }
        }
        self.cells.retain(|(object, ..), _| !forgotten.contains(object));
        forgotten.into_iter().for_each(|object| self.objects[object] = Fill::Unknown);
    }

    /// A call.
    pub fn call(&mut self, to: Option<LvalueId>, callee: ProcedureId, arguments: &[ExpressionId]) -> Done<()> {
        let known = self.program.procedure(callee);
        if known.body.is_none() {
            self.leaves(to, arguments, known.effect())?;
            self.next();
            return Ok(());
        }
        let values = arguments.iter().map(|&argument| self.value(argument)).collect::<Done<Vec<_>>>()?;
        self.enter(callee, to);
        for (&formal, value) in known.formals.iter().zip(values) {
            let object = self.variable(formal)?;
            self.cells.insert((object, 0, 0), value);
        }
        Ok(())
    }

    fn leave(&mut self, value: Option<ExpressionId>) -> Done<()> {
        let value = match (value, self.frames.last().and_then(|frame| frame.result)) {
            (Some(value), Some(_)) => Some(self.value(value)?),
            // As the judge has it, who asks for inputs in the same order.
            (Some(value), None)
                if !is_defined(&self.program.types, &self.program.terms, c::Term::Expression(value)) =>
            {
                self.evaluate(&[value]);
                None
            }
            (Some(_), None) => None,
            (None, _) => None,
        };
        let frame = self.frames.pop();
        self.next();
        if let (Some(to), Some(value)) = (frame.and_then(|frame| frame.result), value) {
            self.write(to, value)?;
        }
        Ok(())
    }

    /// The procedure that a pointer is to: this one, if the trace says which.
    pub fn procedure(&mut self, pointer: ExpressionId, wanted: Option<ProcedureId>) -> Done<ProcedureId> {
        match self.value(pointer)? {
            Value::Pointer(list) => {
                for &(term, target) in &list {
                    match target {
                        Target::Procedure(procedure) if wanted.is_none_or(|wanted| wanted == procedure) => {
                            self.conditions.push(term);
                            return Ok(procedure);
                        }
                        _ => {}
                    }
                }
                Err(Lost::Callee)
            }
            Value::Number(_) => Err(Lost::Number(Use::Called)),
        }
    }

    /// Whether an expression is not 0.
    pub fn truth(&mut self, e: ExpressionId) -> Done<Term> {
        let value = self.value(e)?;
        self.is_true(&value)
    }

    fn is_true(&mut self, value: &Value) -> Done<Term> {
        match value {
            Value::Number(term) => {
                let zero = self.terms.constant(0, self.terms.width(*term));
                Ok(self.terms.ne(*term, zero))
            }
            Value::Pointer(list) => {
                let some: Vec<Term> =
                    list.iter().filter(|(_, target)| *target != Target::Null).map(|&(term, _)| term).collect();
                Ok(self.terms.any(&some))
            }
        }
    }

    pub fn value(&mut self, e: ExpressionId) -> Done<Value> {
        let mut known: HashMap<ExpressionId, Value> = HashMap::new();
        let mut places: HashMap<LvalueId, Places> = HashMap::new();
        self.walk(c::Term::Expression(e), &mut known, &mut places)?;
        known.remove(&e).ok_or(Lost::Missing(Part::Value))
    }
}
