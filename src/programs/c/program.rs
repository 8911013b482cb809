//! C-: programs with one effect per statement (T. Ball's lectures on predicate abstraction).
//!
//! A statement evaluates expressions without side effects and then does one thing: it assigns, calls, branches. Control
//! goes on with the next statement of the procedure unless a statement says otherwise. What C leaves to the reader is
//! spelled out: conversions, the order of evaluation (left to right where it does not matter; elsewhere an arbitrary number chooses,
//! see [`Program::orders`]), short circuits, copies of structures (member by member), arguments and results that are structures
//! (member by member, through formals and global variables).
//!
//! What statements *mean* where C leaves it undefined (overflow of signed numbers, division by zero, shifts out of
//! range, invalid accesses) is not said here: whoever executes or abstracts them chooses, see [`Overflow`].

use std::collections::{BTreeMap, BTreeSet};

use spds_format::model::Place;

use super::contract::Contract;
use super::expression::{ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term, Terms};
pub use super::ids::{Label, ProcedureId, ReasonId, StatementId, VariableId};
use super::meaning::Meaning;
pub use super::meaning::{Failure, InputKind, Room};
use super::types::{TypeId, Types};
use super::vocabulary::Vocabulary;
use crate::run::Trusted;

/// A typed program with places.
#[derive(Clone, Debug)]
pub struct Program {
    /// Names of the source files, as the user knows them (line markers of a preprocessor are respected).
    pub files: Vec<Box<str>>,
    /// Its types.
    pub types: Types,
    /// Its expressions and lvalues.
    pub terms: Terms,
    /// All variables, globals and locals.
    pub variables: Vec<Variable>,
    /// All procedures, those without a body too.
    pub procedures: Vec<Procedure>,
    /// The values with which global variables start, in the order in which they are to be assigned. What is not
    /// mentioned starts as zero. Values are constants and addresses.
    pub initial: Vec<(LvalueId, ExpressionId)>,
    /// What global variables start with that is not represented, after [`Program::initial`], in order.
    pub unrepresented: Vec<Unrepresented>,
    /// Global variables that are declared and nowhere defined: they start with arbitrary values.
    pub external: Vec<VariableId>,
    /// Those of them that are the library's, which gives them values that are not known here, and why.
    pub unknown: Vec<(VariableId, ReasonId)>,
    /// Where the program begins; its formals are arbitrary.
    pub main: ProcedureId,
    /// Why values are not known: what [`StatementKind::Havoc`] refers to.
    pub reasons: Vec<Reason>,
    /// Where C leaves open what is evaluated first, and it matters: by the local that an [`InputKind::Order`]
    /// sets and branches read, what each of its values but 0 means ("evaluates `g()` before `f()`"), from 1 on. 0, and every value that
    /// is not mentioned, is the order from left to right.
    pub orders: BTreeMap<VariableId, Box<[Box<str>]>>,
    /// What is taken on trust: verdicts about the program say it.
    pub unverified: Vec<Trusted>,
    /// Variables for which a smaller alignment is asked than that of their types.
    pub loose: BTreeSet<VariableId>,
    /// Variables that live as long as the program and are declared `const`: nobody may write to them (C11 §6.7.3 p6).
    pub constant: BTreeSet<VariableId>,
    /// Names of types and of constants, for what is written about the program.
    pub vocabulary: Vocabulary,
    /// What is assumed of the state in which it begins, over the formals of its first procedure, where functions are looked at by themselves.
    pub assumed: Vec<ExpressionId>,
    /// Whether objects are accessed as what they are (C11 §6.5, paragraph 7): no run goes past other accesses.
    pub effective: bool,
    /// How many elements lie behind pointers, where functions are looked at by themselves.
    pub behind: BTreeMap<VariableId, Behind>,
    /// What procedures demand and promise.
    pub contracts: BTreeMap<ProcedureId, Contract>,
}

/// A value that is not represented, with which a part of a global variable starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unrepresented {
    /// The part.
    pub to: LvalueId,
    /// Why it is not known.
    pub reason: ReasonId,
    /// What it is to who executes the program: see [`StatementKind::Havoc`].
    pub exact: Option<ExpressionId>,
    /// Whether nobody else can look at the bytes.
    pub unseen: bool,
}

/// Why a value is not known: the front end could not represent it, and a verdict that depends on it has to say so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// "a floating-point value"
    pub what: Box<str>,
    /// Where.
    pub place: Place,
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name in the source, or one made up with a `.`; unique neither among globals (static locals) nor among the
    /// locals of a procedure (blocks).
    pub name: Box<str>,
    /// Whether no source has the name: the front end made the variable, or a question that was written into the program.
    pub is_made_up: bool,
    /// Its type, complete.
    pub ty: TypeId,
    /// Where it lives.
    pub storage: Storage,
    /// Where it was declared.
    pub place: Place,
    /// Whether `&` is applied to it or to a part of it, or it is (or has in it) an array that is used as a pointer.
    pub address_taken: bool,
}

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Storage {
    /// As long as the program.
    Global,
    /// The same, but only this procedure sees it.
    Static(ProcedureId),
    /// In the frame of a procedure, from its entry (formals) or from its [`StatementKind::Declare`] on.
    Local(ProcedureId),
    /// A string literal or another constant of the source: nobody may write to it.
    Constant,
}

/// A procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Procedure {
    /// Its name. A `static` one whose name another file has too is called `file.c:name`.
    pub name: Box<str>,
    /// Where it is defined, or declared for the first time.
    pub place: Place,
    /// Its formals: scalars, in order. (A formal that is a structure comes as one formal for each scalar in it.)
    pub formals: Vec<VariableId>,
    /// All its other locals, those for intermediate values too (their names begin with a `.`).
    pub locals: Vec<VariableId>,
    /// The type of what it returns: a scalar or `void`. (A structure is returned in a global variable, see
    /// [`Procedure::result_in`].)
    pub result: TypeId,
    /// The global variable in which a structure is returned: assigned just before the return, read just after it.
    pub result_in: Option<VariableId>,
    /// What is known of it if the program does not define it.
    pub foreign: Option<Foreign>,
    /// The procedures without a body that it calls by name, whatever became of these calls.
    pub outside: BTreeSet<ProcedureId>,
    /// Whether its definition says `static` and no other name is an alias of it: only its own file can name it.
    pub internal: bool,
    /// Its statements, if it is defined; the first is where it begins. The last never falls through.
    pub body: Option<Vec<Statement>>,
}

impl Procedure {
    /// The same without its statements.
    pub(super) fn without_body(&self) -> Procedure {
        Procedure {
            name: self.name.clone(),
            formals: self.formals.clone(),
            locals: self.locals.clone(),
            foreign: self.foreign.clone(),
            outside: self.outside.clone(),
            body: None,
            ..*self
        }
    }
}

/// A procedure that a file defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defined {
    /// What it is called; one that is `static` and whose name another file has too, `file.c:name`.
    pub name: Box<str>,
    /// The name of its file, and the line.
    pub place: (Box<str>, u32),
    /// Whether only its own file can name it.
    pub internal: bool,
    /// The procedures that it calls by name.
    pub calls: BTreeSet<Box<str>>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// Where the C statement (or the part of it that this is) stands. Statements one after the other with the same
    /// place are pieces of one.
    pub place: Place,
    /// Labels of the source that lead here.
    pub labels: Vec<Box<str>>,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// Nothing: labels, empty statements, what only tells where control is.
    Skip,
    /// `l = e`; both are of one scalar type.
    Assign(LvalueId, ExpressionId),
    /// `l = f(e₁, …)`, or without `l`. The arguments are converted to the types of the formals; if the procedure has a
    /// body, there is one for each. `l`, if any, has the type of the result.
    Call(Option<LvalueId>, Callee, Vec<ExpressionId>),
    /// A call of a procedure without a body that is given pointers, or of which it is not known what it does: `l` gets an arbitrary
    /// value, and so may everything that can be reached from the arguments. Other such calls are [`StatementKind::Input`]s.
    External(Option<LvalueId>, ProcedureId, Vec<ExpressionId>, Effect),
    /// An arbitrary value of its type for a scalar: all values are real.
    Input(LvalueId, InputKind),
    /// A local begins to live: all scalars in it have arbitrary values.
    Declare(VariableId),
    /// A local whose address is taken ceases to live, since control leaves its block (C11 §6.2.4 p5-6): pointers to it point to nothing
    /// from here on. What lives as long as the frame ends with it, without such a statement.
    Dead(VariableId),
    /// A value that the front end does not represent: any of its type, but not all of them need be real. The lvalue may be
    /// of any complete type: all of its bytes are unknown afterwards. Who executes the program knows more if there is an expression: that
    /// is the value. It may have floating-point numbers in it, and its type may be any: then it is a read, of bytes as they are.
    Havoc(LvalueId, ReasonId, Option<ExpressionId>),
    /// The same of an lvalue that is a floating-point number, and whose bytes nobody can look at: to all who do not execute the program
    /// it does nothing.
    Unseen(LvalueId, ReasonId, Option<ExpressionId>),
    /// `l = malloc(size)`; the site is this statement. The size is in bytes, of type `size_t`; the second is the type of one element if the pointer is converted to one at once.
    Allocate {
        /// Gets the pointer.
        to: LvalueId,
        /// In bytes.
        size: ExpressionId,
        /// What the object is made of, if the source says so.
        element: Option<TypeId>,
        /// Where.
        room: Room,
        /// Whether it may fail: whoever executes it asks for an input that says whether it does ([`InputKind::Allocated`]).
        lacks: bool,
    },
    /// `free(p)`
    Free(ExpressionId),
    /// Goes on if the expression is not 0, and is no run otherwise: `__VERIFIER_assume`.
    Assume(ExpressionId),
    /// Goes on with the first if the expression is not 0, and with the second otherwise: what is
    /// `goto L1, L2; L1: assume(e); … L2: assume(!e); …` in the lectures.
    Branch(ExpressionId, Label, Label),
    /// Goes on elsewhere.
    Goto(Label),
    /// The program is wrong if control gets here; nothing comes after it.
    Fail(Failure),
    /// `return e`, or without `e`; the type is that of the result.
    Return(Option<ExpressionId>),
    /// The program ends, from any depth of the stack: `exit`, `abort`, and procedures that do not return.
    Exit(Option<ExpressionId>),
}

/// What tells how many elements there are behind the pointer in a variable ([`Program::behind`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Behind {
    /// The variable that has the number, a `ptrdiff_t`: not positive if the pointer leads to none.
    pub count: VariableId,
    /// Whether it is never less than one, unless the pointer is NULL.
    pub is_some: bool,
}

/// What is known of a procedure that the program does not define.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// What a call of it means.
    pub meaning: Meaning,
    /// Its result, as it is declared.
    pub result: TypeId,
    /// Whether the library or the compiler has it.
    pub library: bool,
    /// What it does where it is called through a pointer.
    pub effect: Effect,
    /// Whether there are pointers to it.
    pub taken: bool,
    /// Whether it is defined all the same, and its body was left out because nobody looks at it.
    pub left_out: bool,
}

/// What is known of what a procedure without a body does ([`super::bodiless`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Effect {
    /// All that it may do is real: its result is an input, and to write nothing is one of the things that it may do.
    #[default]
    Any,
    /// It does something definite that is not known here, for this reason.
    Unknown(ReasonId),
    /// The same, but it writes nothing of the program's, and calls nothing.
    Reads(ReasonId),
}

impl Effect {
    /// Whether it may write what its arguments lead to, and call procedures among that.
    pub fn writes(self) -> bool {
        !matches!(self, Effect::Reads(_))
    }

    /// Why it is not known what it does, if it is not.
    pub fn reason(self) -> Option<ReasonId> {
        match self {
            Effect::Any => None,
            Effect::Unknown(reason) | Effect::Reads(reason) => Some(reason),
        }
    }
}

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    /// A procedure with a body.
    Procedure(ProcedureId),
    /// Whatever an expression of a type "pointer to function" points to.
    Pointer(ExpressionId),
}

/// What happens where signed arithmetic leaves its type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Overflow {
    /// It goes on modulo 2ʷ, as with `-fwrapv`.
    #[default]
    Wrap,
    /// No run goes past it.
    Assume,
    /// It is an error of the program, like a failed assertion; and so are division by zero, shifts out of range and
    /// invalid accesses, past which no run goes otherwise.
    Check,
    /// It alone is an error of the program; past whatever else is undefined no run goes.
    Fails,
}

impl Program {
    /// Whether it is another program to which at most types, expressions and lvalues have joined. Linear.
    pub fn extends(&self, other: &Program) -> bool {
        (&self.variables, &self.procedures, &self.initial) == (&other.variables, &other.procedures, &other.initial)
            && (&self.external, self.main) == (&other.external, other.main)
            && self.unrepresented == other.unrepresented
            && self.types.extends(&other.types)
            && self.terms.extends(&other.terms)
    }

    /// A variable.
    pub fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.0 as usize]
    }

    /// Whether a variable is the same for all procedures.
    pub fn is_global(&self, id: VariableId) -> bool {
        matches!(self.variable(id).storage, Storage::Global | Storage::Static(_) | Storage::Constant)
    }

    /// Whether nobody but its procedure can read or change a variable: a local whose address nobody takes.
    pub fn is_private(&self, id: VariableId) -> bool {
        let variable = self.variable(id);
        matches!(variable.storage, Storage::Local(_)) && !variable.address_taken
    }

    /// Where an lvalue is in its variable: byte, and bit in that; none if that is not plain.
    pub fn place_in_variable(&self, mut lvalue: LvalueId) -> Option<(u64, u8)> {
        let (mut offset, mut bit) = (0, 0);
        loop {
            match self.terms.at(lvalue).kind {
                LvalueKind::Variable(_) => return Some((offset, bit)),
                LvalueKind::Field(of, field) => {
                    let field = self.types.as_record(self.terms.at(of).ty)?.fields.get(field as usize)?;
                    offset += field.offset;
                    bit = field.bit.map_or(bit, |bit| bit as u8);
                    lvalue = of;
                }
                LvalueKind::Element(of, index) => {
                    let ExpressionKind::Constant(index) = self.terms.get(index).kind else { return None };
                    let size = self.types.size(self.terms.at(lvalue).ty)?;
                    offset = u64::try_from(index).ok()?.checked_mul(size)?.checked_add(offset)?;
                    lvalue = of;
                }
                LvalueKind::Deref(_) => return None,
            }
        }
    }

    /// A procedure.
    pub fn procedure(&self, id: ProcedureId) -> &Procedure {
        &self.procedures[id.0 as usize]
    }

    /// The variable that a procedure returns, if each of its returns returns that one.
    pub fn returned(&self, procedure: ProcedureId) -> Option<VariableId> {
        let mut returned = None;
        for statement in self.procedure(procedure).body.iter().flatten() {
            let StatementKind::Return(value) = &statement.kind else { continue };
            let ExpressionKind::Read(lvalue) = self.terms.get((*value)?).kind else { return None };
            let LvalueKind::Variable(variable) = self.terms.at(lvalue).kind else { return None };
            if returned.is_some_and(|other| other != variable) || self.is_global(variable) {
                return None;
            }
            returned = Some(variable);
        }
        returned
    }

    /// The name of the file in which a place is; empty if there is none.
    pub fn file(&self, place: Place) -> &str {
        self.files.get(place.file as usize).map_or("", |file| file)
    }

    /// A statement, if there is one of that number.
    pub fn statement(&self, id: StatementId) -> Option<&Statement> {
        self.procedure(id.procedure).body.as_ref()?.get(id.label.0 as usize)
    }

    /// The procedure of a name, if there is one.
    pub fn procedure_named(&self, name: &str) -> Option<ProcedureId> {
        let at = self.procedures.iter().position(|procedure| &*procedure.name == name)?;
        Some(ProcedureId(u32::try_from(at).ok()?))
    }
}

impl Procedure {
    /// The procedures that it calls by name, in the order of the calls.
    pub fn callees(&self) -> impl Iterator<Item = ProcedureId> {
        self.body.iter().flatten().filter_map(|statement| match statement.kind {
            StatementKind::Call(_, Callee::Procedure(callee), _) => Some(callee),
            _ => None,
        })
    }

    /// What it does where it is called through a pointer and has no body.
    pub fn effect(&self) -> Effect {
        self.foreign.as_ref().map_or(Effect::Any, |foreign| foreign.effect)
    }
}

impl StatementKind {
    /// Whether nobody wrote the statement: its place is that of one that may not have been executed.
    pub fn is_made_up(&self) -> bool {
        matches!(self, StatementKind::Dead(_))
    }

    /// The lvalue that the statement gives a value by its name; not what it writes through what it calls.
    pub fn target(&self) -> Option<LvalueId> {
        match self {
            StatementKind::Assign(to, _)
            | StatementKind::Input(to, _)
            | StatementKind::Havoc(to, ..)
            | StatementKind::Unseen(to, ..)
            | StatementKind::Allocate { to, .. } => Some(*to),
            StatementKind::Call(to, ..) | StatementKind::External(to, ..) => *to,
            _ => None,
        }
    }

    /// The expressions that the statement evaluates, in order; those in its [`StatementKind::target`] are not among them.
    pub fn operands(&self) -> Vec<ExpressionId> {
        match self {
            StatementKind::Assign(_, e)
            | StatementKind::Allocate { size: e, .. }
            | StatementKind::Free(e)
            | StatementKind::Assume(e)
            | StatementKind::Branch(e, ..)
            | StatementKind::Return(Some(e))
            | StatementKind::Exit(Some(e)) => vec![*e],
            StatementKind::Call(_, Callee::Pointer(pointer), arguments) => {
                std::iter::once(*pointer).chain(arguments.iter().copied()).collect()
            }
            StatementKind::Call(_, _, arguments) | StatementKind::External(_, _, arguments, _) => arguments.clone(),
            _ => Vec::new(),
        }
    }

    /// The lvalue and the expressions of the statement.
    pub fn terms(&self) -> impl Iterator<Item = Term> + use<> {
        self.target().map(Term::Lvalue).into_iter().chain(self.operands().into_iter().map(Term::Expression))
    }

    /// Where control can go on in the same procedure after the statement at `here` (after a call: after its return), in
    /// order; none for those that end it.
    pub fn successors(&self, here: Label) -> impl Iterator<Item = Label> + use<> {
        let next = Some(Label(here.0 + 1));
        let after = match self {
            StatementKind::Branch(_, yes, no) => [Some(*yes), Some(*no)],
            StatementKind::Goto(to) => [Some(*to), None],
            StatementKind::Fail(_) | StatementKind::Return(_) | StatementKind::Exit(_) => [None, None],
            _ => [next, None],
        };
        after.into_iter().flatten()
    }
}
