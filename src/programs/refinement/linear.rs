//! A trace as linear constraints over the integers: each value that a variable has is a variable of its own (SSA), assignments define
//! them, conditions relate them. What is not linear is any value.
//!
//! Machine integers are taken for integers here: what follows is only a source of candidates.

mod ends;

mod values;

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::c::Program;
use crate::c::command::{Action, Call, Command};
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term};
use crate::c::program::{Label, ProcedureId, StatementKind};
use crate::c::types::Integer;
use crate::concretise::Taken;

use super::rational::Rational;
use super::simplex::Form;

pub(super) use values::{Values, compared};

/// How a form compares with 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Zero,
    NotZero,
    NotPositive,
}

/// A condition of the trace.
#[derive(Clone, Debug)]
pub(super) struct Literal {
    pub form: Form,
    pub sign: Sign,
    /// At which moment.
    pub at: Moment,
}

/// A moment of a trace: a step, and for a return what its caller does with the result comes after.
pub(super) type Moment = (usize, bool);

/// What a value belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Owner {
    /// An lvalue, of a frame unless it is global.
    Cell(Option<usize>, LvalueId),
    /// What a frame returns.
    Result(usize),
    /// Nothing that a condition could speak of.
    Nothing,
}

/// What happens at a moment.
#[derive(Clone, Debug)]
pub(super) enum Event {
    /// The owner has a new value: this variable.
    Gets(Owner, usize),
    /// The owner's value is not known any more.
    Loses(Owner),
    /// A frame begins, called by another one.
    Enters(usize, ProcedureId),
    /// The topmost frame ends.
    Leaves,
}

/// A trace as constraints.
#[derive(Clone, Debug, Default)]
pub(super) struct Linear {
    pub literals: Vec<Literal>,
    /// Values that are defined, by forms over those before them.
    pub definitions: BTreeMap<usize, (Form, Moment)>,
    pub events: Vec<(Moment, Event)>,
    /// The owner of each variable.
    pub owners: Vec<Owner>,
}

/// The constraints of a trace; conditions only of the steps of the core. Where its last step fails because arithmetic has no meaning,
/// also those for each way in which it may: the trace is no run if none of them is possible. With `ranges` also what types say of values,
/// and that arithmetic stays within them.
pub(super) fn linear(program: &Program, steps: &[Taken], core: &[usize], ranges: bool) -> Vec<Linear> {
    let core: HashSet<usize> = core.iter().copied().collect();
    let mut reader = Reader {
        program,
        linear: Linear::default(),
        values: HashMap::new(),
        frames: Vec::new(),
        opaque: HashMap::new(),
        now: (0, false),
        ranges,
        wanted: false,
    };
    reader.start();
    reader.globals(steps);
    if let Some(first) = steps.first() {
        reader.enter(first.frame, first.procedure);
    }
    let mut ends = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        reader.now = (at, false);
        if at + 1 == steps.len() && core.contains(&at) {
            ends = reader.ends(*step);
        }
        reader.wanted = core.contains(&at);
        reader.step(steps, at, *step);
        reader.wanted = false;
    }
    ends.insert(0, reader.linear);
    ends
}

struct Reader<'p> {
    program: &'p Program,
    linear: Linear,
    /// The present values.
    values: HashMap<Owner, usize>,
    /// Open frames, and where their callers want the results.
    frames: Vec<(usize, Option<LvalueId>)>,
    /// Values of what is not linear, so that equal ones are equal.
    opaque: HashMap<String, usize>,
    now: Moment,
    /// Whether ranges of types count.
    ranges: bool,
    /// Whether what the present step demands counts.
    wanted: bool,
}

impl Reader<'_> {
    fn event(&mut self, event: Event) {
        self.linear.events.push((self.now, event));
    }

    fn fresh(&mut self, owner: Owner) -> usize {
        self.linear.owners.push(owner);
        self.linear.owners.len() - 1
    }

    /// Globals start at their initialisers, or at 0.
    fn start(&mut self) {
        let program = self.program;
        for &(to, value) in &program.initial {
            let form = self.form(value);
            self.assign(to, form);
        }
    }

    /// All global lvalues of a trace have values from the beginning on.
    fn globals(&mut self, steps: &[Taken]) {
        let program = self.program;
        let mut met = HashSet::new();
        for step in steps {
            let Some(kind) = statement(program, step.procedure, step.label) else { continue };
            if !met.insert((step.procedure, step.label)) {
                continue;
            }
            for root in kind.terms() {
                for term in program.terms.postorder(root) {
                    if let Term::Lvalue(lvalue) = term
                        && program.types.is_represented(program.terms.at(lvalue).ty)
                        && self.is_plain(lvalue)
                        && matches!(self.owner(lvalue), Owner::Cell(None, _))
                        && !self.is_local(lvalue)
                    {
                        self.read(lvalue);
                    }
                }
            }
        }
    }

    fn is_local(&self, lvalue: LvalueId) -> bool {
        self.program.terms.postorder(Term::Lvalue(lvalue)).into_iter().any(|term| match term {
            Term::Lvalue(id) => match self.program.terms.at(id).kind {
                LvalueKind::Variable(variable) => !self.program.is_global(variable),
                _ => false,
            },
            Term::Expression(_) => false,
        })
    }

    fn enter(&mut self, frame: usize, procedure: ProcedureId) {
        self.event(Event::Enters(frame, procedure));
        if self.frames.is_empty() {
            self.frames.push((frame, None));
        }
    }

    fn owner(&self, lvalue: LvalueId) -> Owner {
        let local = self.is_local(lvalue);
        Owner::Cell(self.frames.last().filter(|_| local).map(|&(frame, _)| frame), lvalue)
    }

    /// Whether an lvalue is the same place whenever it is evaluated.
    fn is_plain(&self, lvalue: LvalueId) -> bool {
        self.program.terms.postorder(Term::Lvalue(lvalue)).into_iter().all(|term| match term {
            Term::Lvalue(id) => !matches!(self.program.terms.at(id).kind, LvalueKind::Deref(_)),
            Term::Expression(id) => matches!(self.program.terms.get(id).kind, ExpressionKind::Constant(_)),
        })
    }

    /// Whether an lvalue can be changed through a pointer.
    fn is_exposed(&self, lvalue: LvalueId) -> bool {
        !self.is_plain(lvalue)
            || self.program.terms.postorder(Term::Lvalue(lvalue)).into_iter().any(|term| match term {
                Term::Lvalue(id) => match self.program.terms.at(id).kind {
                    LvalueKind::Variable(variable) => self.program.variable(variable).address_taken,
                    _ => false,
                },
                Term::Expression(_) => false,
            })
    }

    /// Whether nothing has been written to a global variable so far.
    fn is_at_start(&self, lvalue: LvalueId) -> bool {
        let lost = self
            .linear
            .events
            .iter()
            .any(|(_, event)| matches!(event, Event::Loses(Owner::Cell(None, other)) if *other == lvalue));
        let external = self.program.terms.postorder(Term::Lvalue(lvalue)).into_iter().any(|term| match term {
            Term::Lvalue(id) => match self.program.terms.at(id).kind {
                LvalueKind::Variable(variable) => self.program.external.contains(&variable),
                _ => false,
            },
            Term::Expression(_) => false,
        });
        !(lost || external || self.is_exposed(lvalue))
    }

    /// What a type says of a value.
    fn ranged(&mut self, value: usize, lvalue: LvalueId) {
        let Some(integer) = self.program.types.as_integer(self.program.terms.at(lvalue).ty) else { return };
        if self.ranges {
            self.within(&Form::variable(value), integer);
        } else if !integer.signed {
            self.bounded(&Form::variable(value), -1, 0);
        }
    }

    /// That a value is one of a type.
    fn within(&mut self, form: &Form, integer: Integer) {
        let least = integer.least();
        let most = i128::try_from(integer.mask()).ok().and_then(|mask| mask.checked_add(least));
        self.bounded(form, -1, least);
        if let Some(most) = most {
            self.bounded(form, 1, -most);
        }
    }

    /// That `times` a value, and a constant, is not positive.
    fn bounded(&mut self, value: &Form, times: i128, constant: i128) {
        let mut form = Form::constant(Rational::integer(constant));
        if form.add(value, Rational::integer(times)).is_some() {
            self.linear.literals.push(Literal { form, sign: Sign::NotPositive, at: self.now });
        }
    }

    fn lose(&mut self, owner: Owner) {
        if self.values.remove(&owner).is_some() {
            self.event(Event::Loses(owner));
        }
    }

    /// Values that an assignment to an lvalue may change besides.
    fn disturb(&mut self, lvalue: LvalueId) {
        let exposed = self.is_exposed(lvalue);
        let mut owners: Vec<Owner> = self.values.keys().copied().collect();
        owners.sort_unstable_by_key(|owner| match owner {
            Owner::Cell(frame, lvalue) => (0, frame.map_or(0, |frame| frame + 1), lvalue.0),
            Owner::Result(frame) => (1, *frame, 0),
            Owner::Nothing => (2, 0, 0),
        });
        for owner in owners {
            let Owner::Cell(_, other) = owner else { continue };
            let mentions = !self.is_plain(other)
                && self.program.terms.postorder(Term::Lvalue(other)).contains(&Term::Lvalue(lvalue));
            if mentions || exposed && self.is_exposed(other) {
                self.lose(owner);
            }
        }
    }

    fn assign(&mut self, to: LvalueId, form: Option<Form>) {
        let owner = self.owner(to);
        self.disturb(to);
        let value = self.fresh(owner);
        match form {
            Some(form) => {
                self.linear.definitions.insert(value, (form, self.now));
            }
            None => self.ranged(value, to),
        }
        self.values.insert(owner, value);
        self.event(Event::Gets(owner, value));
    }

    fn step(&mut self, steps: &[Taken], at: usize, step: Taken) {
        let Some(kind) = statement(self.program, step.procedure, step.label) else { return };
        if self.wanted && at + 1 < steps.len() {
            self.divided(kind);
        }
        match kind.command(step.label) {
            Command::Does(Action::Assigns(to, source), _) => {
                let form = source.expression().and_then(|value| self.form(value));
                self.assign(to, form);
            }
            Command::Does(Action::Begins(variable), _) => {
                let owners: Vec<Owner> = self.values.keys().copied().collect();
                for owner in owners {
                    if let Owner::Cell(_, lvalue) = owner
                        && self.program.terms.at(lvalue).kind == LvalueKind::Variable(variable)
                        && self.owner(lvalue) == owner
                    {
                        self.lose(owner);
                    }
                }
            }
            Command::Asks(condition, ..) if self.wanted => self.condition(condition, step.branch.unwrap_or(true)),
            Command::Calls(Call { to, whom, arguments }, _) => match (step.callee, steps.get(at + 1)) {
                (Some(callee), Some(next)) => self.call(to, callee, arguments, next.frame),
                _ => {
                    if whom.may_write_anything() {
                        self.expose();
                    }
                    if let Some(to) = to {
                        self.assign(to, None);
                    }
                }
            },
            Command::Returns(value) => self.leave(step.frame, value),
            _ => {}
        }
    }

    /// What is divided by in a statement is not 0, or no run goes past it.
    fn divided(&mut self, kind: &StatementKind) {
        let program = self.program;
        for root in kind.terms() {
            for term in program.terms.postorder(root) {
                if let Term::Expression(id) = term
                    && let ExpressionKind::Binary(Binary::Divide | Binary::Remainder, _, by) =
                        program.terms.get(id).kind
                    && !matches!(program.terms.get(by).kind, ExpressionKind::Constant(_))
                    && let Some(form) = self.form(by)
                {
                    self.linear.literals.push(Literal { form, sign: Sign::NotZero, at: self.now });
                }
            }
        }
    }

    fn expose(&mut self) {
        let owners: Vec<Owner> = self.values.keys().copied().collect();
        for owner in owners {
            if let Owner::Cell(_, lvalue) = owner
                && self.is_exposed(lvalue)
            {
                self.lose(owner);
            }
        }
    }

    fn call(&mut self, to: Option<LvalueId>, callee: ProcedureId, arguments: &[ExpressionId], frame: usize) {
        let forms: Vec<Option<Form>> = arguments.iter().map(|&argument| self.form(argument)).collect();
        let formals = &self.program.procedure(callee).formals;
        // What is bound is the caller's doing, and so before the frame begins.
        let mut bound = Vec::new();
        for (&formal, form) in formals.iter().zip(forms) {
            let Some(lvalue) = self.variable(formal) else { continue };
            let owner = Owner::Cell(Some(frame), lvalue);
            let value = self.fresh(owner);
            if let Some(form) = form {
                self.linear.definitions.insert(value, (form, self.now));
            } else {
                self.ranged(value, lvalue);
            }
            self.values.insert(owner, value);
            bound.push((owner, value));
        }
        self.now.1 = true;
        self.frames.push((frame, to));
        self.event(Event::Enters(frame, callee));
        for (owner, value) in bound {
            self.event(Event::Gets(owner, value));
        }
    }

    fn variable(&self, variable: crate::c::program::VariableId) -> Option<LvalueId> {
        let ty = self.program.variable(variable).ty;
        self.program.terms.known_lvalue(&LvalueKind::Variable(variable), ty)
    }

    fn leave(&mut self, frame: usize, value: Option<ExpressionId>) {
        let form = value.and_then(|value| self.form(value));
        let Some(&(_, to)) = self.frames.last() else { return };
        if self.frames.len() == 1 {
            return;
        }
        let owner = Owner::Result(frame);
        let result = self.fresh(owner);
        if let Some(form) = form {
            self.linear.definitions.insert(result, (form, self.now));
        }
        self.event(Event::Gets(owner, result));
        self.now.1 = true;
        self.event(Event::Leaves);
        self.frames.pop();
        if let Some(to) = to {
            self.assign(to, value.is_some().then(|| Form::variable(result)));
        }
    }

    fn condition(&mut self, condition: ExpressionId, positive: bool) {
        if let Some((form, sign)) = self.literal(condition, positive) {
            self.linear.literals.push(Literal { form, sign, at: self.now });
        }
    }
}

impl<'p> Values<'p> for Reader<'p> {
    fn program(&self) -> &'p Program {
        self.program
    }

    fn read(&mut self, lvalue: LvalueId) -> Form {
        let owner = self.owner(lvalue);
        if let Some(&value) = self.values.get(&owner) {
            return Form::variable(value);
        }
        let value = self.fresh(owner);
        let starts_at_zero = matches!(owner, Owner::Cell(None, _)) && self.is_plain(lvalue) && self.is_at_start(lvalue);
        self.values.insert(owner, value);
        if starts_at_zero {
            self.linear.definitions.insert(value, (Form::default(), (0, false)));
        } else {
            self.ranged(value, lvalue);
        }
        self.event(Event::Gets(owner, value));
        Form::variable(value)
    }

    fn computed(&mut self, integer: Integer, form: &Form) {
        if self.ranges && self.wanted && integer.signed {
            self.within(form, integer);
        }
    }

    /// Nothing is known but that it is the same for equal operands.
    fn opaque(&mut self, id: ExpressionId, forms: &HashMap<ExpressionId, Form>) -> Form {
        let program = self.program;
        let parts: Vec<String> = program
            .terms
            .parts(Term::Expression(id))
            .map(|part| match part {
                Term::Expression(part) => format!("{:?}", forms.get(&part)),
                Term::Lvalue(part) => format!("{:?}", self.owner(part)),
            })
            .collect();
        let operator = match &program.terms.get(id).kind {
            ExpressionKind::Binary(operator, ..) => operator.sign(),
            ExpressionKind::Unary(..) => "unary",
            ExpressionKind::AddressOf(_) => "&",
            ExpressionKind::Procedure(_) => return Form::variable(self.fresh(Owner::Nothing)),
            _ => "other",
        };
        let key = format!("{operator} {parts:?}");
        if let Some(&value) = self.opaque.get(&key) {
            return Form::variable(value);
        }
        let value = self.fresh(Owner::Nothing);
        self.opaque.insert(key, value);
        Form::variable(value)
    }
}

fn statement(program: &Program, procedure: ProcedureId, label: Label) -> Option<&StatementKind> {
    Some(&program.procedure(procedure).body.as_ref()?.get(label.0 as usize)?.kind)
}
