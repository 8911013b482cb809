//! What every name of a program stands for; and all that can be wrong with names and numbers, in one pass.
//!
//! Scopes are vectors indexed by [`NameId`], stamped with the procedure they speak of, so the pass is linear in the tree.

use std::ops::Range;

use spds_format::Diagnostic;
use spds_format::expr::Time;

use super::ast::*;
use spds_format::reading::complaints::Complaints;
use spds_format::reading::near::{alternatives, did_you_mean};

/// What resolution finds out beside the names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The entry procedure.
    pub entry: u32,
    /// For each procedure, whether some call stores one of its results.
    pub wanted: Vec<bool>,
}

/// Resolves all names of the tree in place. `None` if there are errors among the complaints.
pub(super) fn resolve(ast: &mut Ast, entry: &str, complaints: &mut Complaints) -> Option<Resolved> {
    let names = ast.names.len();
    let constants = (find(ast, "T"), find(ast, "F"));
    let wanted = vec![false; ast.procedures.len()];
    let mut resolver = Resolver {
        constants,
        globals: vec![None; names],
        procedures: vec![None; names],
        locals: vec![(0, 0); names],
        labels: vec![(0, 0); names],
        reported: vec![0; names],
        assigned: (vec![0; ast.globals.len()], Vec::new()),
        stamp: 0,
        assignments: 0,
        wanted,
        complaints,
        ast,
    };
    resolver.declare_globals();
    resolver.declare_procedures();
    resolver.infer_results();
    for procedure in 0..resolver.ast.procedures.len() {
        resolver.procedure(procedure);
    }
    let entry = resolver.entry(entry);
    let wanted = resolver.wanted;
    match entry {
        Some(entry) if !complaints.refused() => Some(Resolved { entry, wanted }),
        _ => None,
    }
}

fn find(ast: &Ast, name: &str) -> Option<NameId> {
    ast.names.iter().position(|other| &**other == name).map(|index| NameId(index as u32))
}

/// Where an expression stands, as far as names in it go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Context {
    /// Values before the step only.
    Plain,
    /// In `constrain`, where `'x` is the value after.
    Relation,
}

struct Resolver<'a> {
    ast: &'a mut Ast,
    complaints: &'a mut Complaints,
    /// The names `T` and `F`, where they occur.
    constants: (Option<NameId>, Option<NameId>),
    // By name:
    globals: Vec<Option<u32>>,
    procedures: Vec<Option<u32>>,
    /// The local of that name, if the stamp is that of the present procedure.
    locals: Vec<(u32, u32)>,
    /// An index into the labels, likewise.
    labels: Vec<(u32, u32)>,
    /// The stamp of the procedure in which the name was last reported as unknown.
    reported: Vec<u32>,
    /// For each global and each local, the last assignment that assigns it.
    assigned: (Vec<u32>, Vec<u32>),
    /// The present procedure, counted from 1.
    stamp: u32,
    /// Assignments seen so far.
    assignments: u32,
    wanted: Vec<bool>,
}

impl Resolver<'_> {
    fn text(&self, name: NameId) -> String {
        self.ast.name(name).to_string()
    }

    fn span(&self, name: NameId, at: u32) -> Range<usize> {
        at as usize..at as usize + self.ast.name(name).len()
    }

    fn twice(&mut self, what: &str, name: NameId, at: u32, first: u32) {
        let message = format!("{what} `{}` is declared twice", self.text(name));
        let complaint =
            Diagnostic::error(message, self.span(name, at)).with_related(self.span(name, first), "first declared here");
        self.complaints.push(complaint);
    }

    fn refuse_discard(&mut self, name: NameId, at: u32) {
        if self.ast.name(name) == "_" {
            let complaint = Diagnostic::error("`_` cannot be declared", self.span(name, at))
                .with_help("on the left of `:=` it throws a value away");
            self.complaints.push(complaint);
        }
    }

    fn warn_of_constant(&mut self, name: NameId, at: u32) {
        if self.constants.0 == Some(name) || self.constants.1 == Some(name) {
            let name_text = self.text(name);
            let complaint = Diagnostic::warning(format!("`{name_text}` is a variable here"), self.span(name, at))
                .with_help(format!("elsewhere `{name_text}` is a constant; `0` and `1` always are"));
            self.complaints.push(complaint);
        }
    }

    // ---- declarations

    fn declare_globals(&mut self) {
        for index in 0..self.ast.globals.len() {
            let Declared { name, at, .. } = self.ast.globals[index];
            self.refuse_discard(name, at);
            self.warn_of_constant(name, at);
            match self.globals[name.0 as usize] {
                Some(first) => self.twice("the global", name, at, self.ast.globals[first as usize].at),
                None => self.globals[name.0 as usize] = Some(index as u32),
            }
        }
    }

    fn declare_procedures(&mut self) {
        for index in 0..self.ast.procedures.len() {
            let Procedure { name, at, .. } = self.ast.procedures[index];
            match self.procedures[name.0 as usize] {
                Some(first) => self.twice("the procedure", name, at, self.ast.procedures[first as usize].at),
                None => self.procedures[name.0 as usize] = Some(index as u32),
            }
        }
    }

    /// A procedure without a type returns as many values as its first `return` with values.
    fn infer_results(&mut self) {
        for index in 0..self.ast.procedures.len() {
            let procedure = self.ast.procedures[index];
            if procedure.results.is_none() {
                let returned =
                    self.ast.statements[procedure.statements.range()].iter().find_map(|stmt| match stmt.kind {
                        StmtKind::Return(values) if !values.is_empty() => Some(values.len() as u32),
                        _ => None,
                    });
                self.ast.procedures[index].results = Some(returned.unwrap_or(0));
            }
        }
    }

    fn entry(&mut self, entry: &str) -> Option<u32> {
        let found = find(self.ast, entry).and_then(|name| self.procedures[name.0 as usize]);
        if found.is_some() {
            return found;
        }
        let names: Vec<&str> = self.ast.procedures.iter().map(|procedure| &**self.ast.name(procedure.name)).collect();
        let mut complaint = if names.is_empty() {
            Diagnostic::global("there is no procedure in this file")
        } else {
            Diagnostic::global(format!("there is no procedure `{entry}` to begin with"))
        };
        complaint.help = if let Some(question) = did_you_mean(entry, names.iter().copied()) {
            Some(format!("{question} choose it with `--entry`"))
        } else if names.is_empty() {
            Some(format!("a Boolean program has a procedure `{entry}`: `void {entry}() begin … end`"))
        } else if names.len() <= 8 {
            Some(format!("choose {} with `--entry`", alternatives(&names)))
        } else {
            Some("name one with `--entry`".to_owned())
        };
        self.complaints.push(complaint);
        None
    }

    // ---- procedures

    fn procedure(&mut self, index: usize) {
        self.stamp += 1;
        let procedure = self.ast.procedures[index];
        for local in procedure.variables.range() {
            let Declared { name, at, .. } = self.ast.locals[local];
            self.refuse_discard(name, at);
            self.warn_of_constant(name, at);
            let n = name.0 as usize;
            if self.locals[n].0 == self.stamp {
                let first = procedure.variables.start + self.locals[n].1;
                self.twice("the variable", name, at, self.ast.locals[first as usize].at);
                continue;
            }
            self.locals[n] = (self.stamp, local as u32 - procedure.variables.start);
            if let Some(global) = self.globals[n] {
                let (text, hidden) = (self.text(name), self.ast.globals[global as usize].at);
                let message =
                    format!("the local `{text}` hides the global `{text}` in `{}`", self.text(procedure.name));
                let complaint = Diagnostic::warning(message, self.span(name, at))
                    .with_related(self.span(name, hidden), "the global")
                    .with_help(format!("in formulas and traces the global is `::{text}`"));
                self.complaints.push(complaint);
            }
        }
        self.assigned.1.clear();
        self.assigned.1.resize(procedure.variables.len(), 0);
        self.declare_labels(procedure);
        for list in procedure.enforced.range() {
            self.expression(self.ast.expressions[list], Context::Plain);
        }
        for statement in procedure.statements.range() {
            self.statement(index, self.ast.statements[statement]);
        }
    }

    fn declare_labels(&mut self, procedure: Procedure) {
        let mut repeated = Vec::new();
        for index in procedure.labels.range() {
            let name = self.ast.labels[index].name.0 as usize;
            if self.labels[name].0 == self.stamp {
                repeated.push((index, self.labels[name].1 as usize));
            } else {
                self.labels[name] = (self.stamp, index as u32);
            }
        }
        for (second, first) in repeated {
            let (first, second) = (self.ast.labels[first], self.ast.labels[second]);
            let (early, late) = (first.at.min(second.at), first.at.max(second.at));
            let (label, owner) = (self.text(first.name), self.text(procedure.name));
            let complaint = Diagnostic::error(
                format!("the label `{label}` occurs twice in `{owner}`"),
                self.span(first.name, late),
            )
            .with_related(self.span(first.name, early), "it is here, too");
            self.complaints.push(complaint);
        }
    }

    fn statement(&mut self, procedure: usize, statement: Stmt) {
        match statement.kind {
            StmtKind::Skip => {}
            StmtKind::Assume(e) | StmtKind::Assert(e) | StmtKind::AbortIf(e) | StmtKind::Enforce(e) => {
                self.expression(e, Context::Plain);
            }
            StmtKind::Constrain(e) => self.expression(e, Context::Relation),
            StmtKind::Print(list) | StmtKind::Dead(list) => self.expressions(list),
            StmtKind::If(test) | StmtKind::While(test) => {
                self.expression(self.ast.tests[test as usize].condition, Context::Plain);
            }
            StmtKind::Goto(jumps) => {
                for jump in jumps.range() {
                    self.jump(procedure, jump);
                }
            }
            StmtKind::Assign(assign) => {
                let Assign { targets, values, constrain } = self.ast.assigns[assign as usize];
                let names = self.targets(targets);
                self.expressions(values);
                if let Some(condition) = constrain {
                    self.expression(condition, Context::Relation);
                }
                if targets.len() != values.len() {
                    let (left, right) = (counted(targets.len(), "variable"), counted(values.len(), "value"));
                    let message = format!("{left} on the left of `:=`, but {right} on the right");
                    self.complaints.error(message, names);
                }
            }
            StmtKind::Call(call) => self.call(call as usize),
            StmtKind::Return(values) => {
                self.expressions(values);
                let Procedure { name, at, results, .. } = self.ast.procedures[procedure];
                let results = results.unwrap_or(0) as usize;
                if !values.is_empty() && values.len() != results {
                    let declared = counted(results, "value");
                    let message = format!(
                        "`{}` returns {declared}, but this is {}",
                        self.text(name),
                        counted(values.len(), "value")
                    );
                    let complaint = Diagnostic::error(message, word(statement.at, "return".len()))
                        .with_related(self.span(name, at), "declared here");
                    self.complaints.push(complaint);
                }
            }
        }
    }

    fn call(&mut self, index: usize) {
        let Call { callee, at, targets, arguments } = self.ast.calls[index];
        let stored = self.targets(targets);
        self.expressions(arguments);
        let Callee::Name(name) = callee else { return };
        let span = self.span(name, at);
        let Some(procedure) = self.procedures[name.0 as usize] else {
            if !self.first_report(name) {
                return;
            }
            let mut complaint = Diagnostic::error(format!("there is no procedure `{}`", self.text(name)), span);
            let names = self.ast.procedures.iter().map(|procedure| &**self.ast.name(procedure.name));
            complaint.help = self.complaints.guess(self.ast.name(name), names);
            self.complaints.push(complaint);
            return;
        };
        self.ast.calls[index].callee = Callee::Procedure(procedure);
        let callee = self.ast.procedures[procedure as usize];
        let declared = self.span(callee.name, callee.at);
        if arguments.len() != callee.parameters as usize {
            let takes = counted(callee.parameters as usize, "argument");
            let message = format!("`{}` takes {takes}, but is given {}", self.text(name), arguments.len());
            let complaint = Diagnostic::error(message, span.clone()).with_related(declared.clone(), "declared here");
            self.complaints.push(complaint);
        }
        let results = callee.results.unwrap_or(0);
        if !targets.is_empty() && targets.len() != results as usize {
            let returns = if results == 0 { "no values".to_owned() } else { counted(results as usize, "value") };
            let message = format!(
                "`{}` returns {returns}, but {} to be stored",
                self.text(name),
                if targets.len() == 1 { "1 is".to_owned() } else { format!("{} are", targets.len()) }
            );
            let complaint = Diagnostic::error(message, stored).with_related(declared, "declared here");
            self.complaints.push(complaint);
        }
        let stores = self.ast.targets[targets.range()].iter().any(|target| target.place != Assignee::Discard);
        self.wanted[procedure as usize] |= stores;
    }

    fn jump(&mut self, procedure: usize, index: usize) {
        let Jump { to, at } = self.ast.jumps[index];
        let Destination::Name(name) = to else { return };
        let (stamp, label) = self.labels[name.0 as usize];
        if stamp == self.stamp {
            let target = self.ast.labels[label as usize].target;
            self.ast.jumps[index].to = target.map_or(Destination::End, Destination::Statement);
            return;
        }
        let owner = self.ast.procedures[procedure];
        let message = format!("there is no label `{}` in `{}`", self.text(name), self.text(owner.name));
        let mut complaint = Diagnostic::error(message, self.span(name, at));
        let labels = self.ast.labels[owner.labels.range()].iter().map(|label| &**self.ast.name(label.name));
        complaint.help = self.complaints.guess(self.ast.name(name), labels);
        if complaint.help.is_none()
            && self.complaints.guesses()
            && let Some(elsewhere) = self.ast.labels.iter().find(|label| label.name == name)
        {
            complaint.related.push((self.span(name, elsewhere.at), "labels belong to their procedure".to_owned()));
        }
        self.complaints.push(complaint);
    }

    /// Resolves left-hand sides; where they stand.
    fn targets(&mut self, targets: Piece) -> Range<usize> {
        self.assignments += 1;
        let start = self.ast.targets.get(targets.range().start).map_or(0, |first| first.at as usize);
        let mut end = start;
        for index in targets.range() {
            let Target { place, at } = self.ast.targets[index];
            let Assignee::Name(name) = place else {
                end = at as usize + 1;
                continue;
            };
            let span = self.span(name, at);
            end = span.end;
            let Some(variable) = self.variable(name) else {
                self.unknown_variable(name, at);
                continue;
            };
            let assigned = match variable {
                Assignee::Global(index) => &mut self.assigned.0[index as usize],
                Assignee::Local(index) => &mut self.assigned.1[index as usize],
                Assignee::Discard | Assignee::Name(_) => continue,
            };
            if std::mem::replace(assigned, self.assignments) == self.assignments {
                let message = format!("`{}` is assigned twice at once", self.text(name));
                self.complaints.error(message, span);
            }
            self.ast.targets[index].place = variable;
        }
        start..end
    }

    fn expressions(&mut self, list: Piece) {
        for index in list.range() {
            self.expression(self.ast.expressions[index], Context::Plain);
        }
    }

    fn expression(&mut self, expression: Expression, context: Context) {
        for index in expression.0.range() {
            let Node { op: Op::Name(name, time), at } = self.ast.nodes[index] else { continue };
            if time == Time::After && context == Context::Plain {
                let message = format!(
                    "`'{}` stands for the value after the step: it has a meaning in `constrain` only",
                    self.text(name)
                );
                self.complaints.error(message, self.span(name, at));
            }
            self.ast.nodes[index].op = match self.variable(name) {
                Some(Assignee::Global(index)) => Op::Global(index, time),
                Some(Assignee::Local(index)) => Op::Local(index, time),
                _ if self.constants.0 == Some(name) => Op::Const(true),
                _ if self.constants.1 == Some(name) => Op::Const(false),
                _ => {
                    self.unknown_variable(name, at);
                    continue;
                }
            };
        }
    }

    // ---- variables

    /// What a name means as a variable in the present procedure.
    fn variable(&self, name: NameId) -> Option<Assignee> {
        let (stamp, local) = self.locals[name.0 as usize];
        if stamp == self.stamp {
            Some(Assignee::Local(local))
        } else {
            self.globals[name.0 as usize].map(Assignee::Global)
        }
    }

    /// Whether the name is reported for the first time in this procedure.
    fn first_report(&mut self, name: NameId) -> bool {
        std::mem::replace(&mut self.reported[name.0 as usize], self.stamp) != self.stamp
    }

    /// Complains about a variable, once per procedure.
    fn unknown_variable(&mut self, name: NameId, at: u32) {
        if !self.first_report(name) {
            return;
        }
        let text = self.text(name);
        let mut complaint = Diagnostic::error(format!("there is no variable `{text}`"), self.span(name, at));
        let procedure = self.ast.procedures[self.stamp as usize - 1];
        let globals = self.ast.globals.iter();
        let visible =
            self.ast.variables(&procedure).iter().chain(globals).map(|declared| &**self.ast.name(declared.name));
        complaint.help = if text == "_" {
            Some("`_` throws a value away and has none".to_owned())
        } else if matches!(&*text, "true" | "false" | "TRUE" | "FALSE") {
            Some("the constants are `0` and `1` (or `F` and `T`)".to_owned())
        } else if let Some(variable) = text.strip_suffix('$')
            && visible.clone().any(|name| name == variable)
        {
            Some(format!(
                "`{text}` is another thread's copy of `{variable}`, and this is a checker of sequential programs"
            ))
        } else {
            self.complaints.guess(&text, visible)
        };
        self.complaints.push(complaint);
    }
}

fn word(at: u32, length: usize) -> Range<usize> {
    at as usize..at as usize + length
}

fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
