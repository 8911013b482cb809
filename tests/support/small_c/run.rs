//! Runs of a program with chosen inputs, and the states in which they come to loops, entries and returns.

use std::collections::{BTreeMap, HashSet};

use super::{Condition, Kind, Lvalue, Number, Source, Statement, Value};

/// What happens where signed numbers leave their type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    Wraps,
    Stops,
    Fails,
}

/// What is undefined besides fails as well, or ends runs.
#[derive(Clone, Copy, Debug)]
pub struct Mode {
    pub beyond: Beyond,
    pub access_fails: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum At {
    Line(usize),
    Entry(usize),
    Return(usize),
}

/// What variables hold; none for those that are not declared yet, or not there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    pub now: Vec<Option<Vec<i64>>>,
    /// The same when the frame began.
    pub entered: Vec<Option<Vec<i64>>>,
    pub result: Option<i64>,
}

/// All that was seen.
#[derive(Debug, Default)]
pub struct Seen {
    pub states: BTreeMap<At, HashSet<State>>,
    pub fails: bool,
    pub runs: usize,
    /// Whether these are all runs, but for those that take long.
    pub all: bool,
}

const STEPS: usize = 300;
const DEPTH: usize = 5;
const STATES: usize = 4_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    Fails,
    Ends,
}

/// A pointer: an object, and which element.
type Pointer = (usize, i64);

#[derive(Clone, Debug)]
struct Object {
    ty: Number,
    cells: Vec<i64>,
    alive: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scalar {
    Number(i64, Number),
    Pointer(Pointer),
}

#[derive(Clone, Debug, Default)]
struct Frame {
    objects: BTreeMap<usize, usize>,
    pointers: BTreeMap<usize, Pointer>,
    entered: Vec<Option<Vec<i64>>>,
}

struct Run<'r> {
    source: &'r Source,
    mode: Mode,
    /// Choices with the number of alternatives.
    choices: &'r mut Vec<(i64, i64)>,
    taken: usize,
    draw: Option<&'r mut fastrand::Rng>,
    objects: Vec<Object>,
    globals: Frame,
    frames: Vec<Frame>,
    steps: usize,
    seen: &'r mut Seen,
}

enum Flow {
    On,
    Breaks,
    Returns(Option<i64>),
}

/// All states of runs: of each run, if so many are enough, else of some more with drawn inputs.
pub fn seen(source: &Source, mode: Mode, most: usize, rng: &mut fastrand::Rng) -> Seen {
    let mut seen = Seen::default();
    let mut choices: Vec<(i64, i64)> = Vec::new();
    while seen.runs < most {
        one(source, mode, &mut choices, None, &mut seen);
        // The next one in order.
        while choices.last().is_some_and(|&(choice, count)| choice + 1 == count) {
            choices.pop();
        }
        match choices.last_mut() {
            Some((choice, _)) => *choice += 1,
            None => {
                seen.all = true;
                return seen;
            }
        }
    }
    while seen.runs < 2 * most {
        one(source, mode, &mut Vec::new(), Some(rng), &mut seen);
    }
    seen
}

fn one(source: &Source, mode: Mode, choices: &mut Vec<(i64, i64)>, draw: Option<&mut fastrand::Rng>, seen: &mut Seen) {
    seen.runs += 1;
    let (objects, globals, frames) = (Vec::new(), Frame::default(), Vec::new());
    let mut run = Run { source, mode, choices, taken: 0, draw, objects, globals, frames, steps: 0, seen };
    for &(id, value) in &source.globals {
        let kind = source.variables[id].kind;
        let cells = if let Kind::Array(_, length) = kind { vec![0; length] } else { vec![value] };
        run.objects.push(Object { ty: kind.number(), cells, alive: true });
        run.globals.objects.insert(id, run.objects.len() - 1);
    }
    if run.call(source.procedures.len() - 1, &[]) == Err(Stop::Fails) {
        run.seen.fails = true;
    }
}

impl Run<'_> {
    fn choose(&mut self, ty: Number) -> i64 {
        let count = 1 << ty.bits;
        if self.taken == self.choices.len() {
            let first = self.draw.as_mut().map_or(0, |rng| rng.i64(0..count));
            self.choices.push((first, count));
        }
        self.taken += 1;
        self.choices[self.taken - 1].0 + ty.least()
    }

    fn frame(&self) -> &Frame {
        &self.frames[self.frames.len() - 1]
    }

    fn frame_mut(&mut self) -> &mut Frame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn object(&self, id: usize) -> usize {
        self.frame().objects.get(&id).copied().unwrap_or_else(|| self.globals.objects[&id])
    }

    fn now(&self) -> Vec<Option<Vec<i64>>> {
        let of = |id: usize| {
            let main = self.frames.first().and_then(|main| main.objects.get(&id));
            let own = self.frames.last().and_then(|frame| frame.objects.get(&id));
            let object = own.or_else(|| self.globals.objects.get(&id)).or(main)?;
            Some(self.objects[*object].cells.clone())
        };
        (0..self.source.variables.len()).map(of).collect()
    }

    fn see(&mut self, at: At, result: Option<i64>) {
        let state = State { now: self.now(), entered: self.frame().entered.clone(), result };
        let states = self.seen.states.entry(at).or_default();
        if states.len() < STATES {
            states.insert(state);
        }
    }

    fn access<T>(&self, found: Option<T>) -> Result<T, Stop> {
        found.ok_or(if self.mode.access_fails { Stop::Fails } else { Stop::Ends })
    }

    fn place(&mut self, lvalue: &Lvalue) -> Result<Pointer, Stop> {
        let (object, at) = match lvalue {
            Lvalue::Variable(id) => (self.object(*id), 0),
            Lvalue::Target(id) => self.frame().pointers[id],
            Lvalue::Element(id, at) => {
                let (at, _) = self.number(at)?;
                match self.source.variables[*id].kind {
                    Kind::Pointer(_) => {
                        let (object, from) = self.frame().pointers[id];
                        (object, from + at)
                    }
                    _ => (self.object(*id), at),
                }
            }
        };
        let there = &self.objects[object];
        let found = there.alive && (0..there.cells.len() as i64).contains(&at);
        self.access(found.then_some((object, at)))
    }

    fn promoted(&self, ty: Number) -> Number {
        if ty.bits < self.source.widths.int { self.source.widths.int() } else { ty }
    }

    fn number(&mut self, value: &Value) -> Result<(i64, Number), Stop> {
        let int = self.source.widths.int();
        Ok(match value {
            Value::Constant(value) => (*value, int),
            Value::Of(lvalue) => {
                let (object, at) = self.place(lvalue)?;
                let object = &self.objects[object];
                (object.cells[at as usize], object.ty)
            }
            Value::Input => {
                let ty = Number { bits: self.source.widths.char, signed: true };
                (self.choose(ty), ty)
            }
            Value::Binary(operator, a, b) => {
                let ((a, b), ty) = self.both(a, b)?;
                let exact = match *operator {
                    "+" => a + b,
                    "-" => a - b,
                    "*" => a * b,
                    "%" => a % b,
                    "/" => a / b,
                    "&" => a & b,
                    _ => unreachable!("{operator}"),
                };
                let wrapped = ty.wrapped(exact);
                if ty.signed && wrapped != exact {
                    match self.mode.beyond {
                        Beyond::Wraps => {}
                        Beyond::Stops => return Err(Stop::Ends),
                        Beyond::Fails => return Err(Stop::Fails),
                    }
                }
                (wrapped, ty)
            }
            Value::Call(callee, actuals) => {
                let actuals = actuals.iter().map(|actual| self.scalar(actual)).collect::<Result<Vec<_>, Stop>>()?;
                let result = self.call(*callee, &actuals)?;
                let ty = self.source.procedures[*callee].result.unwrap_or(int);
                (result.unwrap_or(0), ty)
            }
            Value::Address(..) | Value::Pointer(_) => unreachable!("no number"),
        })
    }

    fn both(&mut self, a: &Value, b: &Value) -> Result<((i64, i64), Number), Stop> {
        let ((a, first), (b, second)) = (self.number(a)?, self.number(b)?);
        let (first, second) = (self.promoted(first), self.promoted(second));
        let ty = Number { bits: first.bits, signed: first.signed && second.signed };
        Ok(((ty.wrapped(a), ty.wrapped(b)), ty))
    }

    fn scalar(&mut self, value: &Value) -> Result<Scalar, Stop> {
        Ok(match value {
            Value::Address(id, at) => Scalar::Pointer((self.object(*id), at.unwrap_or(0) as i64)),
            Value::Pointer(id) => Scalar::Pointer(match self.source.variables[*id].kind {
                Kind::Array(..) => (self.object(*id), 0),
                _ => self.frame().pointers[id],
            }),
            other => {
                let (value, ty) = self.number(other)?;
                Scalar::Number(value, ty)
            }
        })
    }

    fn holds(&mut self, condition: &Condition) -> Result<bool, Stop> {
        Ok(match condition {
            Condition::Any => self.number(&Value::Input)?.0 != 0,
            Condition::Not(a) => !self.holds(a)?,
            Condition::And(a, b) => self.holds(a)? && self.holds(b)?,
            Condition::Or(a, b) => self.holds(a)? || self.holds(b)?,
            Condition::Compared(operator, a, b) => {
                let ((a, b), _) = self.both(a, b)?;
                match *operator {
                    "<" => a < b,
                    "<=" => a <= b,
                    "==" => a == b,
                    "!=" => a != b,
                    _ => unreachable!("{operator}"),
                }
            }
        })
    }

    fn call(&mut self, procedure: usize, actuals: &[Scalar]) -> Result<Option<i64>, Stop> {
        if self.frames.len() >= DEPTH {
            return Err(Stop::Ends);
        }
        let source = self.source;
        let Some(own) = source.procedures.get(procedure) else { return Ok(None) };
        let mut frame = Frame::default();
        for (&id, actual) in own.formals.iter().zip(actuals) {
            match *actual {
                Scalar::Pointer(pointer) => drop(frame.pointers.insert(id, pointer)),
                Scalar::Number(value, _) => {
                    let ty = source.variables[id].kind.number();
                    self.objects.push(Object { ty, cells: vec![ty.wrapped(value)], alive: true });
                    frame.objects.insert(id, self.objects.len() - 1);
                }
            }
        }
        self.frames.push(frame);
        self.frame_mut().entered = self.now();
        self.see(At::Entry(procedure), None);
        let result = match self.block(&own.body)? {
            Flow::Returns(Some(value)) => own.result.map(|ty| ty.wrapped(value)),
            _ => None,
        };
        self.see(At::Return(procedure), result);
        if let Some(frame) = self.frames.pop() {
            frame.objects.values().for_each(|&object| self.objects[object].alive = false);
        }
        Ok(result)
    }

    fn block(&mut self, body: &[Statement]) -> Result<Flow, Stop> {
        for statement in body {
            self.steps += 1;
            if self.steps > STEPS {
                return Err(Stop::Ends);
            }
            match self.step(statement)? {
                Flow::On => {}
                other => return Ok(other),
            }
        }
        Ok(Flow::On)
    }

    fn declare(&mut self, id: usize, value: Option<&Value>) -> Result<(), Stop> {
        let kind = self.source.variables[id].kind;
        let cells = match (kind, value) {
            (Kind::Pointer(_), Some(value)) => {
                if let Scalar::Pointer(pointer) = self.scalar(value)? {
                    self.frame_mut().pointers.insert(id, pointer);
                }
                return Ok(());
            }
            (Kind::Pointer(_), None) => return Ok(()),
            (Kind::Array(ty, length), _) => (0..length).map(|_| self.choose(ty)).collect(),
            (Kind::Number(ty), None) => vec![self.choose(ty)],
            (Kind::Number(ty), Some(value)) => vec![ty.wrapped(self.number(value)?.0)],
        };
        self.objects.push(Object { ty: kind.number(), cells, alive: true });
        let object = self.objects.len() - 1;
        self.frame_mut().objects.insert(id, object);
        Ok(())
    }

    fn step(&mut self, statement: &Statement) -> Result<Flow, Stop> {
        match statement {
            Statement::Declare(id, value) => self.declare(*id, value.as_ref())?,
            Statement::Assign(Lvalue::Variable(id), value)
                if matches!(self.source.variables[*id].kind, Kind::Pointer(_)) =>
            {
                if let Scalar::Pointer(pointer) = self.scalar(value)? {
                    self.frame_mut().pointers.insert(*id, pointer);
                }
            }
            Statement::Assign(to, value) => {
                let (value, _) = self.number(value)?;
                let (object, at) = self.place(to)?;
                let object = &mut self.objects[object];
                object.cells[at as usize] = object.ty.wrapped(value);
            }
            Statement::Call(callee, actuals) => drop(self.number(&Value::Call(*callee, actuals.clone()))?),
            Statement::If(condition, yes, no) => {
                let branch = if self.holds(condition)? { yes } else { no };
                return self.block(branch);
            }
            Statement::While(line, condition, body) => loop {
                self.see(At::Line(*line), None);
                self.steps += 1;
                if self.steps > STEPS {
                    return Err(Stop::Ends);
                }
                if !self.holds(condition)? {
                    break;
                }
                match self.block(body)? {
                    Flow::On => {}
                    Flow::Breaks => break,
                    other => return Ok(other),
                }
            },
            Statement::Break => return Ok(Flow::Breaks),
            Statement::Assert(condition) => {
                if !self.holds(condition)? {
                    return Err(Stop::Fails);
                }
            }
            Statement::Return(value) => {
                let value = value.as_ref().map(|value| self.number(value)).transpose()?;
                return Ok(Flow::Returns(value.map(|(value, _)| value)));
            }
        }
        Ok(Flow::On)
    }
}
