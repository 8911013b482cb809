//! Writing a system as a `.pds` text, with its implicit frame spelt out.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;
use spds_format::Spds;
use spds_format::expr::{Expr, Op, Time};
use spds_format::model::{FrameId, Rule, Scalar, Stack, SymbolId, Type, Update, Var, Variable};

use super::identifiers::Identifiers;
use super::{partial, resolve, term};

/// A system as a text that Moped 1 can read, and remarks on what is not quite the same in it. Linear in the system and, for
/// each rule, the number of its variables.
///
/// Names become identifiers; comments tell which. Labels become propositions of their symbols. A start with several symbols on the stack becomes a first symbol whose
/// rules push them; choice (`*`) becomes relation.
///
/// # Errors
/// What the notation cannot say, each construct with its place: invariants of symbols to which calls return, and integer
/// operations that .pds does not have.
pub fn write(spds: &Spds) -> Result<(String, Vec<String>), Vec<String>> {
    let mut writer = Writer { spds, names: Identifiers::new(spds), out: String::new(), refused: Vec::new(), more: 0 };
    writer.uncovered_invariants();
    writer.declarations();
    writer.start();
    for (number, rule) in spds.rules.iter().enumerate() {
        writer.rule(rule, &format!("rule {}", number + 1));
    }
    if writer.refused.is_empty() {
        let remarks = remarks(spds);
        return Ok((writer.out, remarks));
    }
    if writer.more > 0 {
        let more = format!("and {} more", writer.more);
        writer.refused.push(more);
    }
    Err(writer.refused)
}

/// So many refusals are listed; the others are counted.
const LISTED: usize = 20;

fn remarks(spds: &Spds) -> Vec<String> {
    let mut remarks = Vec::new();
    if spds.start.stack.len() > 1 {
        let steps = spds.start.stack.len() - 1;
        let steps = if steps == 1 { "a first step".to_owned() } else { format!("{steps} first steps") };
        remarks
            .push(format!("in .pds the stack begins with one symbol: {steps} more will build the stack of the start"));
    }
    if spds.rules.iter().any(|rule| rule.silent) {
        remarks.push("silent rules are steps like all others in .pds, which formulas with `X` and traces count".into());
    }
    if spds.end.is_some() || spds.fail.is_some() {
        remarks.push(
            "the symbols for termination and failure are symbols like all others in .pds: a run that goes on there for \
             ever is an infinite one"
                .into(),
        );
    }
    if !spds.atoms.is_empty() {
        remarks.push("named atoms are not written: formulas about .pds spell them out in quotes".into());
    }
    remarks
}

struct Writer<'a> {
    spds: &'a Spds,
    names: Identifiers,
    out: String,
    refused: Vec<String>,
    more: usize,
}

/// The frames in which the locals of a rule are, by [`Time`].
type Frames = [Option<FrameId>; 3];

/// Conditions that are joined by `&`.
struct Conjunction<'o> {
    out: &'o mut String,
    begun: bool,
    /// How many operations they have with their quantifiers written out.
    operations: u64,
}

/// Operations that say of one cell that it is kept, and the one that joins them to others.
const KEPT_CELL: u64 = 6;

impl Conjunction<'_> {
    fn next(&mut self) -> &mut String {
        self.out.push_str(if self.begun { " & " } else { " (" });
        self.begun = true;
        self.out
    }

    /// So many operations for each value of a quantifier.
    fn expanded(&mut self, values: u64, each: u64) {
        self.operations = self.operations.saturating_add(values.saturating_mul(each));
    }

    /// Ends it; whether it can be read again with its quantifiers written out.
    fn end(self) -> bool {
        if self.begun {
            self.out.push(')');
        }
        self.operations <= resolve::MAX_OPERATIONS as u64
    }
}

/// The cells between those with these numbers, as intervals; `None` if some index is no number.
fn gaps(exceptions: &[&Expr], cells: std::ops::RangeInclusive<u32>) -> Option<Vec<(u32, u32)>> {
    let number = |index: &&Expr| match index.ops() {
        [Op::Number(cell)] => Some(*cell),
        _ => None,
    };
    let mut numbers = exceptions.iter().map(number).collect::<Option<Vec<u64>>>()?;
    numbers.sort_unstable();
    numbers.dedup();
    let mut gaps = Vec::new();
    let mut from = u64::from(*cells.start());
    for cell in numbers.into_iter().filter_map(|cell| u32::try_from(cell).ok()).filter(|cell| cells.contains(cell)) {
        if u64::from(cell) > from {
            gaps.push((from as u32, cell - 1));
        }
        from = u64::from(cell) + 1;
    }
    if from <= u64::from(*cells.end()) {
        gaps.push((from as u32, *cells.end()));
    }
    Some(gaps)
}

impl Writer<'_> {
    fn refuse(&mut self, what: &str, place: &str) {
        if self.refused.len() < LISTED {
            self.refused.push(format!("{what}: {place}"));
        } else {
            self.more += 1;
        }
    }

    fn readable(&mut self, readable: bool, place: &str) {
        if !readable {
            let most = resolve::MAX_OPERATIONS;
            self.refuse(&format!("cells that are kept need more than {most} operations in .pds"), place);
        }
    }

    fn locals(&self, frame: Option<FrameId>) -> &[Variable] {
        frame.map_or(&[], |frame| &self.spds.frame(frame).variables)
    }

    /// A return cannot look at what it uncovers.
    fn uncovered_invariants(&mut self) {
        let below = self.spds.rules.iter().filter_map(|rule| match rule.stack {
            Stack::Push(_, below) => Some(below),
            _ => None,
        });
        let mut uncovered: Vec<SymbolId> = below.chain(self.spds.start.stack.iter().skip(1).copied()).collect();
        uncovered.sort_unstable();
        uncovered.dedup();
        for id in uncovered {
            let symbol = self.spds.symbol(id);
            if symbol.invariant.is_some() {
                let place = format!("the symbol `{}`", symbol.name);
                self.refuse("an invariant of a symbol to which calls return cannot be said in .pds", &place);
            }
        }
    }

    fn declarations(&mut self) {
        let spds = self.spds;
        self.out.push_str("# A symbolic pushdown system for Moped 1, written by puch.\n");
        for (number, symbol) in spds.symbols.iter().enumerate() {
            let name = &self.names.symbols[number];
            if **name == *symbol.name && symbol.labels.is_empty() {
                continue;
            }
            write!(self.out, "# {name} is {}", symbol.name.escape_default()).expect("a string takes everything");
            for label in &symbol.labels {
                write!(self.out, ", {}", label.escape_default()).expect("a string takes everything");
            }
            self.out.push('\n');
        }
        self.out.push('\n');
        if !spds.globals.is_empty() {
            self.out.push_str("global\n");
            self.variables(&spds.globals, None);
        }
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); spds.frames.len()];
        for (number, symbol) in spds.symbols.iter().enumerate() {
            if let Some(frame) = symbol.frame {
                members[frame.0 as usize].push(number);
            }
        }
        for (frame, members) in (0..).map(FrameId).zip(members) {
            let variables = &spds.frame(frame).variables;
            if variables.is_empty() || members.is_empty() {
                continue;
            }
            let members: Vec<&str> = members.iter().map(|number| &*self.names.symbols[*number]).collect();
            let block = format!("local {} ({})\n", self.names.frames[frame.0 as usize], members.join(", "));
            self.out.push_str(&block);
            self.variables(variables, Some(frame));
        }
    }

    fn variables(&mut self, variables: &[Variable], frame: Option<FrameId>) {
        for (number, variable) in (0..).zip(variables) {
            let var = if frame.is_some() { Var::Local(number) } else { Var::Global(number) };
            let name = self.names.variable(var, frame);
            let range = variable.ty.range.map_or(String::new(), |(first, last)| format!("[{first},{last}]"));
            let line = match variable.ty.scalar {
                Scalar::Bool => format!("  bool {name}{range};\n"),
                Scalar::Unsigned(bits) => format!("  int {name}{range}({bits});\n"),
            };
            self.out.push_str(&line);
        }
    }

    /// The start, and the rules that build its stack.
    fn start(&mut self) {
        let start = &self.spds.start;
        let top = start.stack[0];
        let control = self.names.controls[start.control.0 as usize].clone();
        let conditions: Vec<&Expr> = start.condition.iter().chain(&self.spds.symbol(top).invariant).collect();
        let frame = self.spds.symbol(top).frame;
        let symbols: Vec<String> = start.stack.iter().map(|id| self.names.symbols[id.0 as usize].clone()).collect();
        if let [only] = &symbols[..] {
            write!(self.out, "\n({control} <{only}").expect("a string takes everything");
            let frames = [frame, None, None];
            let mut text = String::new();
            let mut all = Conjunction { out: &mut text, begun: false, operations: 0 };
            for condition in conditions {
                self.condition(condition, frames, "the start", &mut all);
            }
            self.readable(all.end(), "the start");
            self.out.push_str(&text);
            self.out.push_str(">)\n");
            self.labels();
            return;
        }
        writeln!(self.out, "\n({control} <{}>)", self.names.begin[symbols.len() - 2])
            .expect("a string takes everything");
        self.labels();
        for number in (1..symbols.len()).rev() {
            let next = if number == 1 { &symbols[0] } else { &self.names.begin[number - 2] };
            let (here, below) = (&self.names.begin[number - 1], &symbols[number]);
            let mut line = format!("{control} <{here}> --> {control} <{next} {below}>");
            let mut all = Conjunction { out: &mut line, begun: false, operations: 0 };
            for (index, variable) in (0..).zip(&self.spds.globals) {
                self.same(Var::Global(index), Time::After, Time::Before, variable, None, &mut all);
            }
            if number == 1 {
                let frames = [None, frame, None];
                for condition in conditions.iter().copied() {
                    self.condition(&later(condition), frames, "the start", &mut all);
                }
            }
            self.readable(all.end(), "the start");
            line.push('\n');
            self.out.push_str(&line);
        }
    }

    /// The labels of each symbol as its propositions, and an empty line.
    fn labels(&mut self) {
        let names: FxHashMap<&str, &str> =
            self.names.labels.iter().map(|(label, name)| (&**label, name.as_str())).collect();
        for (symbol, name) in self.spds.symbols.iter().zip(&self.names.symbols) {
            let labels: Vec<&str> = symbol.labels.iter().map(|label| names[&**label]).collect();
            if !labels.is_empty() {
                writeln!(self.out, "atoms {name} {}", labels.join(", ")).expect("a string takes everything");
            }
        }
        self.out.push('\n');
    }

    fn rule(&mut self, rule: &Rule, number: &str) {
        let spds = self.spds;
        let control = |id: spds_format::model::ControlId| &*self.names.controls[id.0 as usize];
        let symbol = |id: SymbolId| &*self.names.symbols[id.0 as usize];
        let (right, top) = match rule.stack {
            Stack::Pop => (String::new(), None),
            Stack::Swap(top) => (symbol(top).to_owned(), Some(top)),
            Stack::Push(top, below) => (format!("{} {}", symbol(top), symbol(below)), Some(top)),
        };
        let from = symbol(rule.from.symbol);
        let mut line = format!("{} <{from}> --> {} <{right}>", control(rule.from.control), control(rule.to));
        if let Some(label) = &rule.label {
            let label: String = label.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            write!(line, " \"{}\"", label.replace('"', "'")).expect("a string takes everything");
        }
        let head = (&spds.controls[rule.from.control.0 as usize], &spds.symbol(rule.from.symbol).name);
        let place = format!("{number} from <{}, {}>", head.0, head.1);
        let frames = spds.frames_of(rule);
        let mut all = Conjunction { out: &mut line, begun: false, operations: 0 };
        if let Some(guard) = &rule.guard {
            self.condition(guard, frames, &place, &mut all);
        }
        for update in rule.updates.iter() {
            self.update(update, frames, &place, &mut all);
        }
        if let Some(with) = &rule.with {
            self.condition(with, frames, &place, &mut all);
        }
        for invariant in top.iter().flat_map(|top| &spds.symbol(*top).invariant) {
            self.condition(&later(invariant), frames, &place, &mut all);
        }
        self.frame(rule, frames, &mut all);
        self.readable(all.end(), &place);
        line.push('\n');
        self.out.push_str(&line);
    }

    /// What the model says by saying nothing.
    fn frame(&mut self, rule: &Rule, frames: Frames, all: &mut Conjunction<'_>) {
        let [from, top, below] = frames;
        let call = matches!(rule.stack, Stack::Push(..));
        let same = |frame: Option<FrameId>| frame.is_some() && frame == from;
        let mut targets: Vec<(Var, Time, Option<FrameId>)> = Vec::new();
        targets.extend((0..self.spds.globals.len() as u32).map(|index| (Var::Global(index), Time::After, None)));
        let locals = |frame: Option<FrameId>| 0..self.locals(frame).len() as u32;
        if !call && same(top) {
            targets.extend(locals(top).map(|index| (Var::Local(index), Time::After, top)));
        }
        if call && same(below) {
            targets.extend(locals(below).map(|index| (Var::Local(index), Time::Saved, below)));
        }
        let mut related: Vec<(Var, Time)> = rule.with.iter().flat_map(Expr::reads).collect();
        related.sort_unstable();
        let mut said: Vec<(Var, Time)> = Vec::new();
        said.extend(
            rule.updates.iter().filter(|update| update.index.is_none()).map(|update| (update.var, update.time)),
        );
        said.sort_unstable();
        let mut cells: Vec<&Update> = rule.updates.iter().filter(|update| update.index.is_some()).collect();
        cells.sort_by_key(|update| (update.var, update.time));
        for (var, time, frame) in targets {
            if said.binary_search(&(var, time)).is_ok() {
                continue;
            }
            let (Var::Global(index) | Var::Local(index)) = var;
            let variables = if frame.is_some() { self.locals(frame) } else { &self.spds.globals };
            let variable = &variables[index as usize];
            if related.binary_search(&(var, time)).is_ok() {
                // Arbitrary but for the relation, which is said, lest it look forgotten.
                self.same(var, time, time, variable, frame, all);
                continue;
            }
            let first = cells.partition_point(|update| (update.var, update.time) < (var, time));
            let here = cells[first..].iter().take_while(|update| (update.var, update.time) == (var, time));
            let exceptions: Vec<&Expr> = here.filter_map(|update| update.index.as_ref()).collect();
            if exceptions.is_empty() {
                self.same(var, time, Time::Before, variable, frame, all);
            } else {
                self.keep_but(var, time, variable, &exceptions, frames, all);
            }
        }
    }

    /// `x' = x`, or `x' = x'`
    fn same(
        &self,
        var: Var,
        time: Time,
        other: Time,
        variable: &Variable,
        frame: Option<FrameId>,
        all: &mut Conjunction<'_>,
    ) {
        let name = self.names.variable(var, frame);
        let (left, right) = (primes(time), primes(other));
        let written = match (variable.ty.scalar, variable.ty.range) {
            (Scalar::Bool, None) => write!(all.next(), "({name}{left} == {name}{right})"),
            (Scalar::Unsigned(_), None) => write!(all.next(), "{name}{left}={name}{right}"),
            (scalar, Some((first, last))) => {
                all.expanded(u64::from(last - first) + 1, KEPT_CELL);
                let (i, sign) = (&self.names.index, if scalar == Scalar::Bool { " == " } else { "=" });
                write!(all.next(), "(A {i} ({first},{last}) ({name}{left}[{i}]{sign}{name}{right}[{i}]))")
            }
        };
        written.expect("a string takes everything");
    }

    /// The cells of an array but for some: `A i (0,7) (i=k | a'[i] = a[i])`; if all of these have numbers, from one to the
    /// next: `(A i (0,2) (a'[i] = a[i])) & (A i (4,7) (a'[i] = a[i]))`, which is as long as they are many.
    fn keep_but(
        &self,
        var: Var,
        time: Time,
        variable: &Variable,
        exceptions: &[&Expr],
        frames: Frames,
        all: &mut Conjunction<'_>,
    ) {
        let frame = if time == Time::Saved { frames[2] } else { frames[1] };
        let name = self.names.variable(var, frame);
        let (first, last) = variable.ty.range.unwrap_or((0, 0));
        let i = &self.names.index;
        let sign = if variable.ty.scalar == Scalar::Bool { " == " } else { "=" };
        let kept = format!("({name}{}[{i}]{sign}{name}[{i}])", primes(time));
        if let Some(gaps) = gaps(exceptions, first..=last) {
            for (from, to) in gaps {
                all.expanded(u64::from(to - from) + 1, KEPT_CELL);
                write!(all.next(), "(A {i} ({from},{to}) {kept})").expect("a string takes everything");
            }
            return;
        }
        let excepted: usize = exceptions.iter().map(|index| index.ops().len() + 3).sum();
        all.expanded(u64::from(last - first) + 1, KEPT_CELL + excepted as u64);
        let out = all.next();
        write!(out, "(A {i} ({first},{last}) (").expect("a string takes everything");
        for index in exceptions {
            write!(out, "{i}=").expect("a string takes everything");
            term::write(out, index.ops(), &|var, time| self.variable(var, time, frames));
            out.push_str(" | ");
        }
        write!(out, "{kept}))").expect("a string takes everything");
    }

    fn variable(&self, var: Var, time: Time, frames: Frames) -> String {
        format!("{}{}", self.names.variable(var, frames[time as usize]), primes(time))
    }

    fn ty(&self, var: Var, time: Time, frames: Frames) -> Option<Type> {
        self.spds.variable(frames[time as usize], var).map(|variable| variable.ty)
    }

    /// A condition that must be true.
    fn condition(&mut self, condition: &Expr, frames: Frames, place: &str, all: &mut Conjunction<'_>) {
        match term::rails(condition, &|var, time| self.ty(var, time, frames)) {
            Ok(rails) => self.sayable(&rails.may_be_true, frames, place, all),
            Err(reason) => self.refuse(&reason, place),
        }
    }

    fn sayable(&mut self, ops: &[Op], frames: Frames, place: &str, all: &mut Conjunction<'_>) {
        if let Some(reason) = term::unsayable(ops) {
            return self.refuse(&reason, place);
        }
        all.expanded(1, ops.len() as u64 + 1);
        let out = all.next();
        out.push('(');
        term::write(out, ops, &|var, time| self.variable(var, time, frames));
        out.push(')');
    }

    /// `x' = e`
    fn update(&mut self, update: &Update, frames: Frames, place: &str, all: &mut Conjunction<'_>) {
        let Update { var, time, index, value } = update;
        let frame = if *time == Time::Saved { frames[2] } else { frames[1] };
        let (Var::Global(number) | Var::Local(number)) = *var;
        let variables = if matches!(var, Var::Local(_)) { self.locals(frame) } else { &self.spds.globals };
        let ty = variables[number as usize].ty;
        let any = value.ops() == [Op::Any];
        if ty.range.is_some() && index.is_none() {
            // All cells are arbitrary, which is said, lest they look forgotten.
            return self.same(*var, *time, *time, &variables[number as usize], frame, all);
        }
        if let Some(index) = index
            && let Some(defined) =
                partial::defined(Expr::cell(*var, *time, index).ops(), &|var, time| self.ty(var, time, frames))
        {
            // A cell of Booleans that is not there would be false in .pds, and what it is compared with might be as well.
            self.sayable(&defined, frames, place, all);
        }
        let mut target = match index {
            Some(index) => Expr::cell(*var, *time, index),
            None => Expr::read(*var, *time),
        };
        let equal =
            if ty.scalar == Scalar::Bool { spds_format::expr::Binary::Iff } else { spds_format::expr::Binary::Eq };
        if any {
            target = target.binary(equal, &target);
        } else if ty.scalar == Scalar::Bool {
            match term::rails(value, &|var, time| self.ty(var, time, frames)) {
                Ok(rails) if rails.plain => target = target.binary(equal, value),
                Ok(rails) => {
                    let rail = |ops: Vec<Op>| Expr::from_postorder(ops).expect("a rail is a whole expression");
                    let (yes, no) = (rail(rails.may_be_true), rail(rails.may_be_false));
                    let (yes, no) = (target.and(&yes), target.not().and(&no));
                    target = yes.binary(spds_format::expr::Binary::Or, &no);
                }
                Err(reason) => return self.refuse(&reason, place),
            }
        } else {
            target = target.binary(equal, value);
        }
        self.sayable(target.ops(), frames, place, all);
    }
}

fn primes(time: Time) -> &'static str {
    match time {
        Time::Before => "",
        Time::After => "'",
        Time::Saved => "''",
    }
}

/// The same condition after a step.
fn later(condition: &Expr) -> Expr {
    let ops: Vec<Op> = condition
        .ops()
        .iter()
        .map(|op| match *op {
            Op::Read(var, _) => Op::Read(var, Time::After),
            Op::Cell(var, _) => Op::Cell(var, Time::After),
            other => other,
        })
        .collect();
    Expr::from_postorder(ops).expect("it has the same shape")
}
