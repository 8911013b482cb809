//! From expressions as they are written to expressions of the model: names looked up, kinds of operands checked, quantifiers
//! written out.

use rustc_hash::FxHashMap;
use spds_format::Diagnostic;
use spds_format::expr::{self, Binary, Time, Unary};
use spds_format::model::{FrameId, Scalar, Spds, Type, Var};

use spds_format::reading::tokens::Span;

use super::lexer::Tokens;
use super::partial;
use super::tree::{Expression, Op, Reference, Written};
use spds_format::reading::complaints::Complaints;
use spds_format::reading::near::{alternatives, did_you_mean, near, question};

/// An expression with its quantifiers written out has at most so many operations.
pub(super) const MAX_OPERATIONS: usize = 1 << 24;

/// The variables of a system by name.
pub(super) struct Variables<'a> {
    spds: &'a Spds,
    /// By frame (none: globals) and name.
    by_name: FxHashMap<(Option<FrameId>, &'a str), (u32, Type)>,
}

impl<'a> Variables<'a> {
    pub fn new(spds: &'a Spds) -> Self {
        let globals = (0..).zip(&spds.globals).map(|(index, variable)| (None, index, variable));
        let frames = (0..).zip(&spds.frames).flat_map(|(frame, all)| {
            (0..).zip(all.variables.iter()).map(move |(index, variable)| (Some(FrameId(frame)), index, variable))
        });
        let all = globals.chain(frames).filter(|(_, _, variable)| !variable.hidden);
        let by_name = all.map(|(frame, index, variable)| ((frame, &*variable.name), (index, variable.ty))).collect();
        Variables { spds, by_name }
    }

    fn global(&self, name: &str) -> Option<(Var, Type)> {
        self.by_name.get(&(None, name)).map(|&(index, ty)| (Var::Global(index), ty))
    }

    fn local(&self, frame: FrameId, name: &str) -> Option<(Var, Type)> {
        self.by_name.get(&(Some(frame), name)).map(|&(index, ty)| (Var::Local(index), ty))
    }

    fn owners(&self, name: &str) -> Vec<FrameId> {
        let frames = (0..self.spds.frames.len() as u32).map(FrameId);
        frames.filter(|frame| self.by_name.contains_key(&(Some(*frame), name))).collect()
    }

    fn name_of(&self, frame: FrameId) -> &'a str {
        &self.spds.frame(frame).name
    }
}

/// What the place of an expression says about its names.
#[derive(Clone, Copy, Debug)]
pub(super) enum NameScope {
    /// Before a step, or at the start: the frame whose locals are meant.
    Before(Option<FrameId>),
    /// In a rule: the frames of its left side, of its new top, and of what is below that; `None` for a symbol that is not
    /// there, or has no frame.
    Rule { from: Option<FrameId>, top: Option<FrameId>, below: Option<FrameId>, length: usize },
    /// In a proposition: the locals of one frame, which their names tell; those of `block` have bare names.
    Proposition { block: Option<FrameId>, spoken_of: Option<FrameId> },
}

/// What an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OperandType {
    Bool,
    Int,
    /// Something is wrong with it already.
    Wrong,
}

/// Resolved operations.
#[derive(Clone, Copy, Debug)]
enum Step {
    Op(expr::Op),
    /// The value of the quantified variable with that number.
    Bound(u32),
    Begin {
        all: bool,
        first: u64,
        last: u64,
        end: u32,
    },
    End,
}

/// Resolves an expression that must be Boolean. `None` after complaints. In a proposition the frame is found on the way.
pub(super) fn condition(
    expression: &Expression,
    tokens: &Tokens<'_>,
    place: &mut NameScope,
    variables: &Variables<'_>,
    complaints: &mut Complaints,
) -> Option<Vec<expr::Op>> {
    let mut resolver = Resolver {
        tokens,
        place: *place,
        variables,
        complaints,
        wrong: false,
        kinds: Vec::new(),
        bound: Vec::new(),
        gone: Vec::new(),
        steps: Vec::with_capacity(expression.nodes.len()),
        types: FxHashMap::default(),
    };
    for node in &expression.nodes {
        resolver.node(node.op, node.span);
    }
    let kind = resolver.kinds.pop().unwrap_or(OperandType::Wrong);
    if kind == OperandType::Int {
        resolver.complain(Diagnostic::error("an integer stands where a condition is needed", expression.span.range()));
    }
    let (wrong, steps, types) = (resolver.wrong, resolver.steps, resolver.types);
    *place = resolver.place;
    if wrong {
        return None;
    }
    let types = |var, time| types.get(&(var, time)).copied();
    let ops = written_out(&steps).and_then(|ops| partial::false_by_themselves(ops, &types, MAX_OPERATIONS));
    if ops.is_none() {
        let message =
            format!("with its quantifiers written out this condition has more than {MAX_OPERATIONS} operations");
        complaints.error(message, expression.span.range());
    }
    ops
}

struct Resolver<'a, 't> {
    tokens: &'a Tokens<'t>,
    place: NameScope,
    variables: &'a Variables<'a>,
    complaints: &'a mut Complaints,
    wrong: bool,
    kinds: Vec<OperandType>,
    /// The variables of open quantifiers.
    bound: Vec<&'t str>,
    /// Those of quantifiers that have ended.
    gone: Vec<&'t str>,
    steps: Vec<Step>,
    /// Those of the variables that were met.
    types: FxHashMap<(Var, Time), Type>,
}

impl<'t> Resolver<'_, 't> {
    fn complain(&mut self, complaint: Diagnostic) {
        self.wrong = true;
        self.complaints.push(complaint);
    }

    fn push(&mut self, op: expr::Op, kind: OperandType) {
        self.steps.push(Step::Op(op));
        self.kinds.push(kind);
    }

    fn node(&mut self, op: Op, span: Span) {
        match op {
            Op::Number(value) => self.push(expr::Op::Number(value), OperandType::Int),
            Op::Read(reference) => self.read(reference, span),
            Op::Cell(reference) => self.cell(reference, span),
            Op::Not => {
                self.operands::<1>(OperandType::Bool, span);
                self.push(expr::Op::Unary(Unary::Not), OperandType::Bool);
            }
            Op::Logic(binary) => {
                self.operands::<2>(OperandType::Bool, span);
                self.push(expr::Op::Binary(binary), OperandType::Bool);
            }
            Op::Compare(binary) => {
                self.operands::<2>(OperandType::Int, span);
                self.push(expr::Op::Binary(binary), OperandType::Bool);
            }
            Op::Term(binary) => {
                self.operands::<2>(OperandType::Int, span);
                self.push(expr::Op::Binary(binary), OperandType::Int);
            }
            Op::Begin { all, variable, range: (first, last), end } => {
                self.bound.push(self.tokens.text_of(variable));
                self.steps.push(Step::Begin { all, first, last, end });
            }
            Op::End { .. } => {
                self.gone.extend(self.bound.pop());
                self.operands::<1>(OperandType::Bool, span);
                self.steps.push(Step::End);
                self.kinds.push(OperandType::Bool);
            }
        }
    }

    /// Takes operands, which must be of that kind.
    fn operands<const N: usize>(&mut self, wanted: OperandType, span: Span) {
        let found: [OperandType; N] = std::array::from_fn(|_| self.kinds.pop().unwrap_or(OperandType::Wrong));
        if found.iter().all(|kind| [wanted, OperandType::Wrong].contains(kind)) {
            return;
        }
        let operator = self.tokens.text_of(span);
        let both = found.iter().all(|kind| *kind != wanted);
        let (message, help) = match (wanted, operator) {
            (OperandType::Bool, "==" | "<=>") => {
                (format!("`{operator}` is between Booleans"), both.then_some("integers are compared with `=`"))
            }
            (OperandType::Int, "=") => {
                ("`=` is between integers".into(), both.then_some("whether Booleans are equal is written `==`"))
            }
            (OperandType::Int, "!=") => {
                ("`!=` is between integers".into(), both.then_some("whether Booleans differ is written `^`"))
            }
            (OperandType::Int, _) => (format!("`{operator}` is between integers"), None),
            _ => (format!("`{operator}` is for Booleans"), None),
        };
        let mut complaint = Diagnostic::error(message, span.range());
        complaint.help = help.map(str::to_owned);
        self.complain(complaint);
    }

    fn read(&mut self, reference: Reference, span: Span) {
        if let (Written::Bare, 0) = (reference.scope, reference.primes) {
            let name = self.tokens.text_of(reference.name);
            if let Some(number) = self.bound.iter().rposition(|bound| *bound == name) {
                self.steps.push(Step::Bound(number as u32));
                self.kinds.push(OperandType::Int);
                return;
            }
        }
        let Some((var, time, ty)) = self.typed_variable(reference, span) else {
            self.push(expr::Op::Bool(false), OperandType::Wrong);
            return;
        };
        if ty.range.is_some() {
            let name = self.tokens.text_of(reference.name);
            let complaint = Diagnostic::error(format!("`{name}` is an array"), span.range());
            self.complain(complaint.with_help(format!("one cell is written `{name}[0]`; all of them: `A i (0,7) …`")));
        }
        self.push(expr::Op::Read(var, time), kind(ty));
    }

    fn cell(&mut self, reference: Reference, span: Span) {
        if self.kinds.pop() == Some(OperandType::Bool) {
            self.complain(Diagnostic::error("the index of an array is an integer", span.range()));
        }
        let Some((var, time, ty)) = self.typed_variable(reference, span) else {
            self.steps.push(Step::Op(expr::Op::Unary(Unary::Not)));
            self.kinds.push(OperandType::Wrong);
            return;
        };
        if ty.range.is_none() {
            let name = self.tokens.text_of(reference.name);
            self.complain(Diagnostic::error(format!("`{name}` is no array"), span.range()));
        }
        self.push(expr::Op::Cell(var, time), kind(ty));
    }

    fn typed_variable(&mut self, reference: Reference, span: Span) -> Option<(Var, Time, Type)> {
        let found = self.variable(reference, span);
        self.types.extend(found.map(|(var, time, ty)| ((var, time), ty)));
        found
    }

    /// What a name means; `None` after a complaint.
    fn variable(&mut self, reference: Reference, span: Span) -> Option<(Var, Time, Type)> {
        let name = self.tokens.text_of(reference.name);
        let in_frame = |frame: Option<FrameId>| frame.and_then(|frame| self.variables.local(frame, name));
        let global = self.variables.global(name);
        let (found, time) = match (self.place, reference.primes) {
            (NameScope::Before(frame), 0) => (in_frame(frame).or(global), Time::Before),
            (NameScope::Rule { from, .. }, 0) => (in_frame(from).or(global), Time::Before),
            (NameScope::Rule { top, .. }, 1) => (in_frame(top).or(global), Time::After),
            (NameScope::Rule { below, length, .. }, 2) => {
                if length < 2 {
                    let message = "`''` is about the second symbol on the right, and there is none";
                    self.complain(Diagnostic::error(message, span.range()));
                    return None;
                }
                let found = in_frame(below);
                if found.is_none() && global.is_some() {
                    let complaint = Diagnostic::error(format!("`{name}` is global"), span.range());
                    self.complain(complaint.with_help(format!("its value after the step is `{name}'`")));
                    return None;
                }
                (found, Time::Saved)
            }
            (NameScope::Proposition { .. }, 0) => return self.in_proposition(reference, span),
            (_, 3..) => {
                // Refused by the parser.
                self.wrong = true;
                return None;
            }
            (NameScope::Before(_) | NameScope::Proposition { .. }, _) => {
                let message = "primes are for rules: here only one moment is spoken of";
                self.complain(Diagnostic::error(message, span.range()));
                return None;
            }
        };
        if found.is_none() {
            self.unknown(name, reference.primes, span);
        }
        found.map(|(var, ty)| (var, time, ty))
    }

    fn unknown(&mut self, name: &str, primes: u8, span: Span) {
        if self.complaints.errors_are_full() {
            return self.complain(Diagnostic::error("", span.range()));
        }
        let quotes = &"''"[..usize::from(primes)];
        let mut complaint = Diagnostic::error(format!("there is no variable `{name}` here"), span.range());
        let frame = match (self.place, primes) {
            (NameScope::Rule { top, .. }, 1) => top,
            (NameScope::Rule { below, .. }, 2) => below,
            (NameScope::Rule { from, .. }, _) => from,
            (NameScope::Before(frame) | NameScope::Proposition { spoken_of: frame, .. }, _) => frame,
        };
        let owners = self.variables.owners(name);
        if self.gone.contains(&name) {
            complaint.label = format!("the quantifier of `{name}` has ended before");
            complaint.help = Some(format!("parentheses say how far it reaches: `A {name} (0,7) (… & …)`"));
        } else if !owners.is_empty() {
            let blocks: Vec<&str> = owners.iter().take(8).map(|frame| self.variables.name_of(*frame)).collect();
            complaint.label =
                format!("it belongs to the symbols of {}", alternatives(&blocks).replace(" or ", " and "));
        } else {
            let spds = self.variables.spds;
            let locals = frame.map_or(&[][..], |frame| &spds.frame(frame).variables);
            let names = spds.globals.iter().chain(locals).filter(|variable| !variable.hidden);
            let near: Vec<String> = near(name, names.map(|variable| &*variable.name))
                .iter()
                .map(|name| format!("{name}{quotes}"))
                .collect();
            if !near.is_empty() {
                complaint.help = question(&near);
            } else if matches!(name, "true" | "false") {
                let written = if name == "true" { "0=0" } else { "0!=0" };
                complaint.help = Some(format!("the notation has no such constant: write `{written}`"));
            }
        }
        self.complain(complaint);
    }

    /// A name in a proposition: a global, or a local of the one frame that is spoken of.
    fn in_proposition(&mut self, reference: Reference, span: Span) -> Option<(Var, Time, Type)> {
        let name = self.tokens.text_of(reference.name);
        let global = self.variables.global(name);
        let owners = self.variables.owners(name);
        let NameScope::Proposition { block, spoken_of } = self.place else { return None };
        let frame = match reference.scope {
            Written::Bare if block.is_some_and(|block| owners.contains(&block)) => block,
            Written::Global => None,
            Written::In(block) => Some(self.block(block)?),
            Written::Bare => match (&owners[..], global) {
                ([], _) => None,
                ([only], None) => Some(*only),
                _ => {
                    self.ambiguous(name, &owners, global.is_some(), span);
                    return None;
                }
            },
        };
        let Some(frame) = frame else {
            if global.is_none() {
                self.unknown(name, 0, span);
            }
            return global.map(|(var, ty)| (var, Time::Before, ty));
        };
        let found = self.variables.local(frame, name);
        if found.is_none() {
            let block = self.variables.name_of(frame);
            let mut complaint = Diagnostic::error(format!("`{block}` has no variable `{name}`"), span.range());
            let names = self.variables.spds.frame(frame).variables.iter().map(|variable| &*variable.name);
            complaint.help = did_you_mean(name, names);
            self.complain(complaint);
            return None;
        }
        if let Some(other) = spoken_of.filter(|other| *other != frame) {
            let message = "a proposition cannot speak of the locals of two blocks: only one is on top";
            let (one, two) = (self.variables.name_of(other), self.variables.name_of(frame));
            self.complain(Diagnostic::error(message, span.range()).with_label(format!("first `{one}`, then `{two}`")));
            return None;
        }
        self.place = NameScope::Proposition { block, spoken_of: Some(frame) };
        found.map(|(var, ty)| (var, Time::Before, ty))
    }

    /// The block of that name; `None` after a complaint.
    fn block(&mut self, block: Span) -> Option<FrameId> {
        let block_name = self.tokens.text_of(block);
        let spds = self.variables.spds;
        let Some(index) = spds.frames.iter().position(|frame| &*frame.name == block_name) else {
            let message = format!("there is no block `{block_name}`");
            let mut complaint = Diagnostic::error(message, block.range());
            complaint.help = did_you_mean(block_name, spds.frames.iter().map(|frame| &*frame.name));
            self.complain(complaint);
            return None;
        };
        Some(FrameId(index as u32))
    }

    /// Complains that a name without its block is that of several variables.
    fn ambiguous(&mut self, name: &str, owners: &[FrameId], global: bool, span: Span) {
        let mut candidates: Vec<String> =
            owners.iter().take(8).map(|frame| format!("{}.{name}", self.variables.name_of(*frame))).collect();
        candidates.extend(global.then(|| format!("::{name}")));
        let complaint = Diagnostic::error(format!("`{name}` is the name of several variables"), span.range());
        self.complain(complaint.with_help(format!("say which: {}", alternatives(&candidates))));
    }
}

fn kind(ty: Type) -> OperandType {
    if ty.scalar == Scalar::Bool { OperandType::Bool } else { OperandType::Int }
}

/// The operations with all quantifiers written out, values ascending; `None` if they are too many.
fn written_out(steps: &[Step]) -> Option<Vec<expr::Op>> {
    /// A quantifier whose operand is being written.
    struct Loop {
        begin: usize,
        all: bool,
        value: u64,
        last: u64,
        first: bool,
    }
    let mut ops = Vec::with_capacity(steps.len());
    let mut loops: Vec<Loop> = Vec::new();
    let mut at = 0;
    while let Some(step) = steps.get(at) {
        at += 1;
        match *step {
            Step::Op(op) => ops.push(op),
            Step::Bound(number) => ops.push(expr::Op::Number(loops[number as usize].value)),
            Step::Begin { all, first, last, end } if first > last => {
                ops.push(expr::Op::Bool(all));
                at = end as usize + 1;
            }
            Step::Begin { all, first, last, .. } => {
                loops.push(Loop { begin: at, all, value: first, last, first: true });
            }
            Step::End => {
                let inner = loops.last_mut().expect("a quantifier begins before it ends");
                if !inner.first {
                    ops.push(expr::Op::Binary(if inner.all { Binary::And } else { Binary::Or }));
                }
                inner.first = false;
                if inner.value < inner.last {
                    inner.value += 1;
                    at = inner.begin;
                } else {
                    loops.pop();
                }
            }
        }
        if ops.len() > MAX_OPERATIONS {
            return None;
        }
    }
    Some(ops)
}
