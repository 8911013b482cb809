//! From model to text, and expressions as users see them.

use std::collections::{BTreeSet, HashMap};
use std::fmt::{self, Display, Write};

use crate::expr::{Expr, Op, Time, Unary};
use crate::lexis::{write_name, write_quoted, write_variable};
use crate::model::{ControlId, FrameId, Rule, Scalar, Spds, Stack, Start, Symbol, SymbolId, Var, Variable};
use crate::operators::{ATOM, Grouping, Level, PREFIX, TERNARY, grouping, spelling};
use crate::scope::Scope;

/// The model as text in the notation `spds 1`, one rule a line. Of a valid model, [`crate::parse()`] makes the same
/// model again. Linear; the same as `to_string()`.
pub fn print(spds: &Spds) -> String {
    spds.to_string()
}

impl Display for Spds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Printer::new(self).model(f)
    }
}

impl Spds {
    /// An expression of the model as it is written in that scope.
    pub fn display_expr<'a>(&'a self, scope: Scope, expr: &'a Expr) -> impl Display + 'a {
        Shown(move |f: &mut fmt::Formatter<'_>| Printer::new(self).expr(f, &scope, expr))
    }

    /// A rule of the model as it is written. Linear in the number of variables, too: print the whole model for many.
    pub fn display_rule<'a>(&'a self, rule: &'a Rule) -> impl Display + 'a {
        Shown(move |f: &mut fmt::Formatter<'_>| Printer::new(self).rule(f, rule))
    }
}

struct Shown<F>(F);

impl<F: Fn(&mut fmt::Formatter<'_>) -> fmt::Result> Display for Shown<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.0)(f)
    }
}

pub(crate) struct Printer<'a> {
    spds: &'a Spds,
    /// Globals that a local of a frame hides.
    shadowed: BTreeSet<(FrameId, u32)>,
}

/// What is still to be written of an expression.
enum Work {
    /// The tree whose root is this operation, in parentheses if it binds less tightly than that.
    Tree(usize, Level),
    Text(&'static str),
}

impl<'a> Printer<'a> {
    pub(crate) fn new(spds: &'a Spds) -> Self {
        let globals: HashMap<&str, u32> = spds.globals.iter().map(|g| &*g.name).zip(0..).collect();
        let mut shadowed = BTreeSet::new();
        for (frame, index) in spds.frames.iter().zip(0..) {
            for local in &frame.variables {
                shadowed.extend(globals.get(&*local.name).map(|global| (FrameId(index), *global)));
            }
        }
        Printer { spds, shadowed }
    }

    fn model(&self, out: &mut impl Write) -> fmt::Result {
        let spds = self.spds;
        out.write_str("spds 1\n")?;
        self.gap(out, spds.files.is_empty())?;
        for file in &spds.files {
            out.write_str("file ")?;
            write_name(out, file)?;
            out.write_str(";\n")?;
        }
        self.gap(out, spds.globals.is_empty())?;
        for global in &spds.globals {
            out.write_str("global ")?;
            variable(out, global)?;
            out.write_str(";\n")?;
        }
        self.gap(out, spds.frames.is_empty())?;
        for frame in &spds.frames {
            out.write_str("frame ")?;
            write_name(out, &frame.name)?;
            out.write_str(" {")?;
            for (index, local) in frame.variables.iter().enumerate() {
                out.write_str(if index == 0 { " " } else { ", " })?;
                variable(out, local)?;
            }
            out.write_str(if frame.variables.is_empty() { "}\n" } else { " }\n" })?;
        }
        self.gap(out, spds.controls.is_empty())?;
        for control in &spds.controls {
            out.write_str("control ")?;
            write_name(out, control)?;
            out.write_str(";\n")?;
        }
        self.gap(out, spds.symbols.is_empty())?;
        for symbol in &spds.symbols {
            self.symbol(out, symbol)?;
        }
        self.gap(out, spds.end.is_none() && spds.fail.is_none())?;
        for (keyword, symbol) in [("end ", spds.end), ("fail ", spds.fail)] {
            if let Some(symbol) = symbol {
                out.write_str(keyword)?;
                self.symbol_name(out, symbol)?;
                out.write_str(";\n")?;
            }
        }
        out.write_char('\n')?;
        self.start(out, &spds.start)?;
        self.gap(out, spds.rules.is_empty())?;
        for rule in &spds.rules {
            self.rule(out, rule)?;
            out.write_char('\n')?;
        }
        self.gap(out, spds.atoms.is_empty())?;
        for atom in &spds.atoms {
            out.write_str("atom ")?;
            write_name(out, &atom.name)?;
            self.frame(out, atom.frame)?;
            out.write_str(" when ")?;
            self.expr(out, &Scope::here(atom.frame), &atom.condition)?;
            out.write_str(";\n")?;
        }
        Ok(())
    }

    /// An empty line before a list that is not empty.
    fn gap(&self, out: &mut impl Write, empty: bool) -> fmt::Result {
        if empty { Ok(()) } else { out.write_char('\n') }
    }

    fn symbol(&self, out: &mut impl Write, symbol: &Symbol) -> fmt::Result {
        out.write_str("symbol ")?;
        write_name(out, &symbol.name)?;
        self.frame(out, symbol.frame)?;
        if let Some(place) = symbol.place {
            out.write_str(" at ")?;
            write_name(out, self.spds.files.get(place.file as usize).map_or("", |file| file))?;
            write!(out, ":{}:{}", place.line, place.column)?;
        }
        for (index, label) in symbol.labels.iter().enumerate() {
            out.write_str(if index == 0 { " labels " } else { ", " })?;
            write_name(out, label)?;
        }
        if let Some(invariant) = &symbol.invariant {
            out.write_str(" invariant ")?;
            self.expr(out, &Scope::here(symbol.frame), invariant)?;
        }
        out.write_str(";\n")
    }

    fn start(&self, out: &mut impl Write, start: &Start) -> fmt::Result {
        out.write_str("start ")?;
        self.configuration(out, start.control, &start.stack)?;
        if let Some(condition) = &start.condition {
            let frame = start.stack.first().and_then(|top| self.spds.symbols.get(top.0 as usize)?.frame);
            out.write_str(" when ")?;
            self.expr(out, &Scope::here(frame), condition)?;
        }
        out.write_str(";\n")
    }

    fn rule(&self, out: &mut impl Write, rule: &Rule) -> fmt::Result {
        let scope = self.spds.scope(rule);
        let here = Scope::here(scope.at(Time::Before).flatten());
        out.write_str(if rule.silent { "silent rule " } else { "rule " })?;
        self.configuration(out, rule.from.control, &[rule.from.symbol])?;
        out.write_str(" -> ")?;
        match rule.stack {
            Stack::Pop => self.configuration(out, rule.to, &[])?,
            Stack::Swap(top) => self.configuration(out, rule.to, &[top])?,
            Stack::Push(top, below) => self.configuration(out, rule.to, &[top, below])?,
        }
        if let Some(guard) = &rule.guard {
            out.write_str(" when ")?;
            self.expr(out, &here, guard)?;
        }
        for (index, update) in rule.updates.iter().enumerate() {
            out.write_str(if index == 0 { " { " } else { "; " })?;
            self.reference(out, &scope, update.var, update.time)?;
            if let Some(cell) = &update.index {
                out.write_char('[')?;
                self.expr(out, &here, cell)?;
                out.write_char(']')?;
            }
            out.write_str(" := ")?;
            self.expr(out, &here, &update.value)?;
        }
        if !rule.updates.is_empty() {
            out.write_str(" }")?;
        }
        if let Some(with) = &rule.with {
            out.write_str(" with ")?;
            self.expr(out, &scope, with)?;
        }
        if let Some(label) = &rule.label {
            out.write_str(" label ")?;
            write_quoted(out, label)?;
        }
        out.write_char(';')
    }

    /// `<p, γ …>`
    fn configuration(&self, out: &mut impl Write, control: ControlId, stack: &[SymbolId]) -> fmt::Result {
        out.write_char('<')?;
        write_name(out, self.spds.controls.get(control.0 as usize).map_or("", |name| name))?;
        for (index, symbol) in stack.iter().enumerate() {
            out.write_str(if index == 0 { ", " } else { " " })?;
            self.symbol_name(out, *symbol)?;
        }
        out.write_char('>')
    }

    fn symbol_name(&self, out: &mut impl Write, symbol: SymbolId) -> fmt::Result {
        write_name(out, self.spds.symbols.get(symbol.0 as usize).map_or("", |symbol| &symbol.name))
    }

    /// ` in f`
    fn frame(&self, out: &mut impl Write, frame: Option<FrameId>) -> fmt::Result {
        let Some(frame) = frame else { return Ok(()) };
        out.write_str(" in ")?;
        write_name(out, self.spds.frames.get(frame.0 as usize).map_or("", |frame| &frame.name))
    }

    pub(crate) fn reference(&self, out: &mut impl Write, scope: &Scope, var: Var, time: Time) -> fmt::Result {
        let frame = scope.at(time).flatten();
        if let (Some(frame), Var::Global(index)) = (frame, var)
            && self.shadowed.contains(&(frame, index))
        {
            out.write_str("::")?;
        }
        write_variable(out, self.spds.variable(frame, var).map_or("", |variable| &variable.name))?;
        out.write_str(match time {
            Time::Before => "",
            Time::After => "'",
            Time::Saved => "''",
        })
    }

    /// Writes an expression from its root, with a stack of what is still to be written.
    pub(crate) fn expr(&self, out: &mut impl Write, scope: &Scope, expr: &Expr) -> fmt::Result {
        let ops = expr.ops();
        if let [op] = ops {
            return self.leaf(out, scope, *op);
        }
        let firsts = firsts(ops);
        let mut work = vec![Work::Tree(ops.len() - 1, 0)];
        while let Some(next) = work.pop() {
            let (root, least) = match next {
                Work::Text(text) => {
                    out.write_str(text)?;
                    continue;
                }
                Work::Tree(root, least) => (root, least),
            };
            let level = level(ops[root]);
            if level < least {
                out.write_char('(')?;
                work.push(Work::Text(")"));
            }
            // The last operand ends right before its operator, the one before it where that begins, and so on.
            match ops[root] {
                Op::Cell(var, time) => {
                    self.reference(out, scope, var, time)?;
                    out.write_char('[')?;
                    work.extend([Work::Text("]"), Work::Tree(root - 1, 0)]);
                }
                Op::Unary(Unary::Not) => {
                    out.write_char('!')?;
                    work.push(Work::Tree(root - 1, PREFIX));
                }
                Op::Binary(op) => {
                    let (left, right) = match grouping(level) {
                        Grouping::Left => (level, level + 1),
                        Grouping::Right => (level + 1, level),
                        Grouping::None => (level + 1, level + 1),
                    };
                    work.extend([
                        Work::Tree(root - 1, right),
                        Work::Text(" "),
                        Work::Text(spelling(op).0),
                        Work::Text(" "),
                        Work::Tree(firsts[root - 1] - 1, left),
                    ]);
                }
                Op::Ite => {
                    let then = firsts[root - 1] - 1;
                    work.extend([
                        Work::Tree(root - 1, TERNARY),
                        Work::Text(" : "),
                        Work::Tree(then, TERNARY),
                        Work::Text(" ? "),
                        Work::Tree(firsts[then] - 1, TERNARY + 1),
                    ]);
                }
                Op::Choose => {
                    out.write_str("schoose[")?;
                    work.extend([
                        Work::Text("]"),
                        Work::Tree(root - 1, 0),
                        Work::Text(", "),
                        Work::Tree(firsts[root - 1] - 1, 0),
                    ]);
                }
                leaf => self.leaf(out, scope, leaf)?,
            }
        }
        Ok(())
    }

    /// An operation without operands.
    fn leaf(&self, out: &mut impl Write, scope: &Scope, op: Op) -> fmt::Result {
        match op {
            Op::Bool(value) => write!(out, "{value}"),
            Op::Number(value) => write!(out, "{value}"),
            Op::Read(var, time) => self.reference(out, scope, var, time),
            _ => out.write_char('*'),
        }
    }
}

fn level(op: Op) -> Level {
    match op {
        Op::Binary(op) => spelling(op).1,
        Op::Ite => TERNARY,
        Op::Unary(_) => PREFIX,
        _ => ATOM,
    }
}

/// For each operation where the tree begins of which it is the root.
fn firsts(ops: &[Op]) -> Vec<usize> {
    let mut firsts: Vec<usize> = Vec::with_capacity(ops.len());
    for (root, op) in ops.iter().enumerate() {
        let mut first = root;
        for _ in 0..op.arity() {
            first = firsts[first - 1];
        }
        firsts.push(first);
    }
    firsts
}

fn variable(out: &mut impl Write, variable: &Variable) -> fmt::Result {
    if variable.hidden {
        out.write_str("hidden ")?;
    }
    write_variable(out, &variable.name)?;
    match variable.ty.scalar {
        Scalar::Bool => out.write_str(": bool")?,
        Scalar::Unsigned(bits) => write!(out, ": u{bits}")?,
    }
    match variable.ty.range {
        Some((first, last)) => write!(out, "[{first}..{last}]"),
        None => Ok(()),
    }
}
