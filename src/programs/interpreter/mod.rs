//! The judge of C programs: executes C- explicitly and naively, with concrete values, and says how the run ends.
//!
//! It shares nothing with what searches for runs. Memory is bytes, as the machine has it: unions, casts of pointers and
//! copies byte by byte mean what they mean to a compiler. Nothing is claimed that the front end could not represent: a run
//! that depends on such a value ends as unknown.

mod address;
mod allocation;
mod around;
mod begun;
mod calls;
mod choices;
mod chunk;
mod evaluate;
mod execute;
mod fixed;
mod float;
pub mod forever;
mod frame;
mod inputs;
mod known;
mod leaves;
mod library;
mod location;
mod mathematics;
mod memory;
mod object;
mod printing;
mod scanning;
pub mod scene;
mod step;
mod streams;

use std::fmt;

use spds_format::model::Place;

use crate::c::arithmetic::Undefined;
use crate::c::program::{Failure, InputKind, Overflow, ProcedureId, ReasonId};
use crate::c::subobject::Subobject;
use crate::c::types::TypeId;
use crate::limits::{Limits, Reason, Stop};

pub use around::Environment;
pub use begun::Begun;
pub use execute::{Observer, execute, execute_in, observe};
pub use inputs::{Asked, Inputs, Library};
#[cfg_attr(feature = "whole", expect(unused_imports, reason = "only tests ask so"))]
pub use leaves::is_known;
pub use step::Moment;
pub use streams::succeeds;

/// How a program is executed.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// What happens where signed arithmetic leaves its type, and where C gives no meaning.
    pub overflow: Overflow,
    /// After so many steps of C- nobody waits any longer.
    pub steps: u64,
    /// How long, and what the memory of the program may take on the machine; if nothing is said of that, [`ROOM`].
    pub limits: Limits,
}

/// Bytes of the machine that the memory of a program may take where nobody says otherwise.
pub const ROOM: u64 = 1 << 30;

/// After so many steps it is looked whether limits are met.
const LOOK: u64 = 4096;

impl Default for Options {
    fn default() -> Self {
        Options::of(Overflow::Wrap, 1_000_000)
    }
}

impl Options {
    /// No limits but these.
    pub fn of(overflow: Overflow, steps: u64) -> Self {
        Options { overflow, steps, limits: Limits::NONE }
    }

    /// The same within limits of a computation of which executing is a part: no more memory than [`ROOM`].
    pub fn within(self, limits: Limits) -> Self {
        Options { limits: Limits { memory: limits.memory.map(|bytes| bytes.min(ROOM)), ..limits }, ..self }
    }

    /// Bytes of the machine that the memory of a program may take.
    fn room(&self) -> u64 {
        self.limits.memory.unwrap_or(ROOM)
    }

    /// Whether one may go on after so many steps.
    fn check(&self, steps: u64) -> Result<(), End> {
        if steps == self.steps {
            return Err(End::Unknown(Doubt::Steps));
        }
        if steps.is_multiple_of(LOOK) {
            self.limits.check().map_err(|stop| End::Unknown(Doubt::Stopped(stop)))?;
        }
        Ok(())
    }

    /// How a run ends that does something undefined.
    fn end(&self, fault: Fault) -> End {
        match self.overflow {
            Overflow::Check => End::Wrong(fault),
            Overflow::Fails if fault.is_overflow() => End::Wrong(fault),
            Overflow::Wrap | Overflow::Assume | Overflow::Fails => End::Blocked(Some(fault)),
        }
    }
}

/// How a run ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The first procedure returns, with this number if it returns one.
    Returned(Option<i128>),
    /// `exit` and its kin, with the code that is given.
    Exited(Option<i128>),
    /// It gets to where the program is wrong.
    Failed(Failure),
    /// It does what is undefined, and that is to be reported.
    Wrong(Fault),
    /// No run goes past this point: an assumption does not hold, or something undefined is not to be passed.
    Blocked(Option<Fault>),
    /// It cannot be told how it goes on.
    Unknown(Doubt),
}

/// Something undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// Signed arithmetic leaves its type.
    Overflow,
    /// An operation has no meaning.
    Arithmetic(Undefined),
    /// NULL is dereferenced.
    Null,
    /// A floating-point number is converted to an integer type that does not have it.
    Conversion,
    /// An object is accessed beyond its bounds.
    OutOfBounds,
    /// An object is accessed that is no more: it was freed, or its block was left.
    Dead,
    /// A constant is written to.
    Constant,
    /// What is freed is no object that was allocated.
    BadFree,
    /// A format asks for other arguments than there are.
    Format,
}

impl Fault {
    /// Whether a signed result does not fit its type.
    fn is_overflow(self) -> bool {
        matches!(self, Fault::Overflow | Fault::Arithmetic(Undefined::QuotientTooLarge))
    }
}

/// Why it cannot be told how a run goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// It depends on what the front end does not represent.
    Unrepresented(ReasonId),
    /// It depends on the bytes of a pointer, or on a pointer made of a number.
    Bytes,
    /// It depends on the sign or the payload of a NaN that was computed, or on what fills up a floating-point number.
    Nan,
    /// It depends on a floating-point number that nobody has given.
    Float,
    /// It follows an arbitrary pointer.
    ArbitraryPointer,
    /// It compares or subtracts pointers to different objects.
    Unrelated,
    /// It calls through a pointer with arguments that do not fit.
    BadCall,
    /// More inputs are asked for than were given.
    NoInput,
    /// The steps are used up.
    Steps,
    /// The memory of the program takes more than is granted.
    Memory,
    /// A limit was met.
    Stopped(Stop),
}

/// A pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pointer {
    /// So many bytes into an object; object 0 does not exist, its byte 0 is NULL.
    Object {
        /// Its number; none is used twice.
        object: u64,
        /// In bytes.
        offset: i64,
    },
    /// A procedure.
    Procedure(ProcedureId),
    /// Any but NULL.
    Arbitrary,
}

impl Pointer {
    /// NULL
    pub const NULL: Pointer = Pointer::Object { object: 0, offset: 0 };
}

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// The bits of an integer.
    Bits(u128),
    /// A pointer.
    Pointer(Pointer),
    /// It is not known, because of this reason of the program.
    Unrepresented(ReasonId),
    /// It is not known: bytes of pointers, pointers of bytes.
    Bytes,
    /// A byte of a pointer, counted from the lowest: it can be copied.
    Part(Pointer, u8),
    /// A floating-point number: a NaN that was computed, of which nothing else is known.
    Nan,
    /// It is not known: bytes of such a NaN.
    Payload,
    /// It is not known: a floating-point number that nobody has given.
    Float,
}

impl Value {
    /// Why it is not known, if it is not.
    pub fn doubt(self) -> Option<Doubt> {
        match self {
            Value::Unrepresented(reason) => Some(Doubt::Unrepresented(reason)),
            Value::Bytes | Value::Part(..) => Some(Doubt::Bytes),
            Value::Payload => Some(Doubt::Nan),
            Value::Float => Some(Doubt::Float),
            Value::Bits(_) | Value::Pointer(_) | Value::Nan => None,
        }
    }
}

/// What a run has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How it ends.
    pub end: End,
    /// Where.
    pub place: Place,
    /// In which procedure.
    pub procedure: ProcedureId,
    /// Steps of C- taken.
    pub steps: u64,
    /// Where signed arithmetic was computed modulo 2ʷ for the first time.
    pub wrapped: Option<Place>,
    /// The inputs that were asked for, in order.
    pub inputs: Vec<Given>,
    /// The orders of evaluation that it takes where C leaves them open, each once.
    pub orders: Vec<Order>,
    /// Whether an allocation failed.
    pub lacked: bool,
}

/// An order of evaluation that a run takes where C leaves it open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The statement.
    pub place: Place,
    /// What it does otherwise than from left to right ("evaluates `g()` before `f()`").
    pub told: Option<Box<str>>,
}

impl Outcome {
    /// What readers should know of the orders of evaluation that it takes: what it does otherwise than from left to right, and where it does
    /// nothing otherwise, that.
    pub fn told_orders(&self) -> Vec<String> {
        let is_told = |order: &&Order| {
            let others = |other: &Order| other.place.line == order.place.line && other.told.is_some();
            order.told.is_some() || !self.orders.iter().any(others)
        };
        let told = self.orders.iter().filter(is_told).map(|Order { place, told }| {
            let told = told.as_deref().unwrap_or("evaluates from left to right");
            format!("the run {told} in line {}: C leaves this open, and a compiled program need not do so", place.line)
        });
        let mut told: Vec<String> = told.collect();
        told.dedup();
        told
    }
}

/// An arbitrary value that a run has got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// The number; of a pointer 0 for NULL and 1 for any other.
    pub value: i128,
    /// Its type.
    pub ty: TypeId,
    /// The statement that asks for it; for arguments of the first procedure and for what was never assigned, the first that reads it.
    pub place: Place,
    /// Where it comes from; none of what was never assigned.
    pub call: Option<InputKind>,
    /// The scalar of a variable of which it is the value, if nobody has assigned that. Values of single bytes have none.
    pub scalar: Option<Subobject>,
    /// How often that variable had been declared before, if it is a local.
    pub life: u32,
    /// If it chooses an order: how many there are beside that from left to right.
    pub others: usize,
}

impl Given {
    /// Whether it says whether an allocation fails.
    pub fn is_allocation(&self) -> bool {
        matches!(self.call, Some(InputKind::Allocated(_)))
    }

    /// Whether it is a choice between orders of evaluation.
    pub fn is_order(&self) -> bool {
        self.call == Some(InputKind::Order)
    }

    /// Whether it is an input of the program: no choice of what C leaves open.
    pub fn is_own(&self) -> bool {
        !matches!(self.call, Some(InputKind::Order | InputKind::Unspecified(_)))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fault::Overflow => "signed overflow",
            Fault::Arithmetic(Undefined::DivisionByZero) => "division by zero",
            Fault::Arithmetic(Undefined::QuotientTooLarge) => "a quotient that does not fit its type",
            Fault::Arithmetic(Undefined::ShiftOutOfRange) => "a shift out of range",
            Fault::Arithmetic(Undefined::Length) => "an array without elements, or with too many",
            Fault::Conversion => "a floating-point number that does not fit the integer type",
            Fault::Null => "NULL is dereferenced",
            Fault::OutOfBounds => "an access out of bounds",
            Fault::Dead => "an access to an object that is no more",
            Fault::Constant => "a write to a constant",
            Fault::BadFree => "`free` of what was not allocated",
            Fault::Format => "a format that asks for other arguments than it gets",
        })
    }
}

impl Doubt {
    /// The word by which scripts know it.
    pub fn kind(&self) -> &'static str {
        match self {
            Doubt::Unrepresented(_) => "havoc",
            Doubt::Bytes | Doubt::Nan | Doubt::Float | Doubt::ArbitraryPointer | Doubt::Unrelated | Doubt::BadCall => {
                "unsupported"
            }
            Doubt::NoInput => "inputs",
            Doubt::Steps => "steps",
            Doubt::Memory => Reason::Memory.kind(),
            Doubt::Stopped(stop) => Reason::from(*stop).kind(),
        }
    }

    /// The reason in words, for a program whose reasons it may refer to.
    pub fn told(&self, program: &crate::c::Program) -> String {
        match self {
            Doubt::Unrepresented(reason) => {
                let reason = &program.reasons[reason.0 as usize];
                format!("depends on {} (line {})", reason.what, reason.place.line)
            }
            other => other.to_string(),
        }
    }
}

/// In words, but for the reason of a program.
impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Doubt::Unrepresented(_) => "depends on what is not represented",
            Doubt::Bytes => "depends on the bytes of a pointer",
            Doubt::Nan => "depends on the sign or the payload of a NaN, which C leaves open",
            Doubt::Float => "depends on a floating-point number that is not known",
            Doubt::ArbitraryPointer => "follows an arbitrary pointer",
            Doubt::Unrelated => "compares pointers to different objects",
            Doubt::BadCall => "calls through a pointer with arguments that do not fit",
            Doubt::NoInput => "more inputs are asked for than were given",
            Doubt::Steps => "the steps are used up (--steps)",
            Doubt::Memory => "needs more memory than is granted (--memory)",
            Doubt::Stopped(stop) => return stop.fmt(f),
        })
    }
}

impl End {
    /// One word for it.
    pub fn name(&self) -> &'static str {
        match self {
            End::Returned(_) => "returned",
            End::Exited(_) => "exited",
            End::Failed(Failure::Asked) => "reached",
            End::Failed(_) => "failed",
            End::Wrong(_) => "undefined",
            End::Blocked(_) => "blocked",
            End::Unknown(_) => "unknown",
        }
    }

    /// What happens there, in words.
    pub fn told(&self, program: &crate::c::Program) -> String {
        match self {
            End::Returned(None) => "the program ends".to_owned(),
            End::Returned(Some(number)) => format!("the program ends and returns {number}"),
            End::Exited(None) => "the program exits".to_owned(),
            End::Exited(Some(code)) => format!("the program exits with {code}"),
            End::Failed(Failure::Assertion) => "the assertion fails".to_owned(),
            End::Failed(Failure::Error) => "the error is reached".to_owned(),
            End::Failed(Failure::ErrorLabel) => "the label ERROR is reached".to_owned(),
            End::Failed(Failure::Contract(_)) => "the contract is broken".to_owned(),
            End::Failed(Failure::Used(kind)) => kind.told().to_owned(),
            End::Failed(Failure::Asked) => "it is reached".to_owned(),
            End::Wrong(fault) => fault.to_string(),
            End::Blocked(None) => "the assumption does not hold: no run goes past this".to_owned(),
            End::Blocked(Some(fault)) => format!("{fault}: no run goes past this"),
            End::Unknown(doubt) => doubt.told(program),
        }
    }
}
