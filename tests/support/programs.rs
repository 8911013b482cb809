//! Random Boolean programs as text, in the notation that SLAM, SATABS and their relatives share.
//!
//! A program is a small tree of our own that prints itself: valid by construction, with recursion, several results,
//! jumps, choices and the rest, and a place (the label `R` of `main`, and `T` of other procedures) that runs reach about
//! half of the time.

use std::fmt::{self, Display, Write};

use fastrand::Rng;

use super::{Shrink, one_in, pick};

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    pub globals: Vec<String>,
    pub procedures: Vec<Procedure>,
}

/// A procedure; the last of a program is `main`.
#[derive(Clone, Debug)]
pub struct Procedure {
    pub name: String,
    pub parameters: Vec<String>,
    pub results: usize,
    pub locals: Vec<String>,
    pub enforce: Option<String>,
    pub body: Vec<Statement>,
}

/// A statement with its labels.
#[derive(Clone, Debug)]
pub struct Statement {
    pub labels: Vec<String>,
    pub kind: Kind,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Anything that is no compound: its text without the semicolon.
    Plain(String),
    /// Jumps, by label.
    Goto(Vec<String>),
    /// Conditions and branches, and the branch of `else`.
    If(Vec<(String, Vec<Statement>)>, Option<Vec<Statement>>),
    While(String, Vec<Statement>),
}

/// The random program of this seed.
pub fn program(seed: u64) -> Program {
    let mut rng = Rng::with_seed(seed);
    let rng = &mut rng;
    let globals: Vec<String> = (0..rng.usize(1..3)).map(|number| format!("g{number}")).collect();
    let count = rng.usize(0..4).min(2);
    let mut procedures: Vec<Procedure> = (0..count)
        .map(|number| Procedure {
            name: format!("p{number}"),
            parameters: (0..rng.usize(0..3).min(1)).map(|number| format!("a{number}")).collect(),
            results: *pick(rng, &[0, 0, 1, 1, 2]),
            locals: (0..rng.usize(0..2)).map(|number| format!("x{number}")).collect(),
            enforce: None,
            body: Vec::new(),
        })
        .collect();
    procedures.push(Procedure {
        name: "main".into(),
        parameters: Vec::new(),
        results: 0,
        locals: (0..rng.usize(0..3)).map(|number| format!("m{number}")).collect(),
        enforce: None,
        body: Vec::new(),
    });
    let mut program = Program { globals, procedures };
    for number in 0..program.procedures.len() {
        let procedure = &program.procedures[number];
        let scope: Vec<String> = [&program.globals[..], &procedure.parameters, &procedure.locals].concat();
        let mut writer = Writer { rng, program: &program, own: number, scope, labels: 0, left: 12 };
        let mut body = writer.block(2);
        let goal = if number + 1 == program.procedures.len() { "R" } else { "T" };
        let guard = match goal {
            "R" => format!("({} & {})", writer.expr(1, false), writer.expr(1, false)),
            _ => writer.expr(1, false),
        };
        body.push(plain("skip").labelled(goal).under(guard));
        if !one_in(writer.rng, 3) {
            body.push(writer.return_statement());
        }
        let labels: Vec<String> = (0..writer.labels).map(|label| format!("L{label}")).collect();
        let enforce = one_in(writer.rng, 10).then(|| writer.expr(2, false));
        place(rng, &mut body, labels);
        program.procedures[number].body = body;
        program.procedures[number].enforce = enforce;
    }
    program
}

/// Puts the body of `main` into a loop.
pub fn never_end(program: &mut Program) {
    let main = program.procedures.last_mut().expect("there is main");
    let body = std::mem::take(&mut main.body);
    main.body = vec![Statement { labels: Vec::new(), kind: Kind::While("1".into(), body) }];
}

/// Puts labels on random statements of a block or of the blocks in it.
fn place(rng: &mut Rng, body: &mut Vec<Statement>, labels: Vec<String>) {
    for label in labels {
        let mut block = &mut *body;
        loop {
            let number = rng.usize(..block.len());
            let deeper = rng.bool();
            let is_compound = matches!(block[number].kind, Kind::If(..) | Kind::While(..));
            if !(deeper && is_compound) {
                block[number].labels.push(label);
                break;
            }
            block = match &mut block[number].kind {
                Kind::If(branches, _) => &mut branches[0].1,
                Kind::While(_, body) => body,
                Kind::Plain(_) | Kind::Goto(_) => unreachable!("compound"),
            };
        }
    }
}

fn plain(text: impl Into<String>) -> Statement {
    Statement { labels: Vec::new(), kind: Kind::Plain(text.into()) }
}

impl Statement {
    fn labelled(mut self, label: &str) -> Statement {
        self.labels.push(label.into());
        self
    }

    fn under(self, condition: String) -> Statement {
        Statement { labels: Vec::new(), kind: Kind::If(vec![(condition, vec![self])], None) }
    }
}

struct Writer<'a> {
    rng: &'a mut Rng,
    program: &'a Program,
    own: usize,
    scope: Vec<String>,
    /// Labels that jumps refer to so far.
    labels: usize,
    /// Statements that may still be written.
    left: usize,
}

impl Writer<'_> {
    fn block(&mut self, depth: u32) -> Vec<Statement> {
        let length = self.rng.usize(1..5);
        (0..length).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: u32) -> Statement {
        if self.left == 0 {
            return plain("skip");
        }
        self.left -= 1;
        let kind = match self.rng.u32(..32) {
            0 => Kind::Plain("skip".into()),
            1..=8 => Kind::Plain(self.assignment()),
            9..=15 => Kind::Plain(self.call()),
            16..=19 if depth > 0 => self.conditional(depth),
            20..=21 if depth > 0 => Kind::While(self.condition(), self.block(depth - 1)),
            22 => Kind::Plain(format!("assume({})", self.expr(2, true))),
            23..=24 => Kind::Plain(format!("assert({})", self.expr(1, true))),
            25 => self.return_statement().kind,
            26..=27 => self.jump(),
            28 => Kind::Plain(format!("constrain({})", self.relation(&self.scope.clone(), 2))),
            29 if one_in(self.rng, 2) => Kind::Plain(format!("dead {}", pick(self.rng, &self.scope))),
            30 if one_in(self.rng, 2) => Kind::Plain(format!("print({})", self.expr(1, false))),
            _ => Kind::Plain(self.assignment()),
        };
        let statement = Statement { labels: Vec::new(), kind };
        // What would end every run here, or never end, is put under a condition.
        let again = format!("{}(", self.program.procedures[self.own].name);
        let ends = match &statement.kind {
            Kind::Goto(_) => true,
            Kind::Plain(text) => text.starts_with("return") || text.contains(&again) || text.contains("main("),
            _ => false,
        };
        if ends { statement.under(self.condition()) } else { statement }
    }

    fn conditional(&mut self, depth: u32) -> Kind {
        let count = if one_in(self.rng, 4) { 2 } else { 1 };
        let branches = (0..count).map(|_| (self.condition(), self.block(depth - 1))).collect();
        let otherwise = if self.rng.bool() { Some(self.block(depth - 1)) } else { None };
        Kind::If(branches, otherwise)
    }

    fn jump(&mut self) -> Kind {
        let count = if one_in(self.rng, 3) { 2 } else { 1 };
        let first = self.labels;
        self.labels += count;
        Kind::Goto((first..self.labels).map(|label| format!("L{label}")).collect())
    }

    /// Some different variables in scope, at least one.
    fn targets(&mut self, most: usize) -> Vec<String> {
        let mut names = self.scope.clone();
        self.rng.shuffle(&mut names);
        let count = self.rng.usize(1..=most.min(names.len()));
        names.truncate(count);
        names
    }

    fn assignment(&mut self) -> String {
        let targets = self.targets(2);
        let values: Vec<String> = targets.iter().map(|_| self.value()).collect();
        let mut text = format!("{} := {}", targets.join(", "), values.join(", "));
        if one_in(self.rng, 6) {
            let relation = self.relation(&targets, 1);
            let _ = write!(text, " constrain {relation}");
        }
        text
    }

    fn call(&mut self) -> String {
        let callee = match self.own {
            _ if one_in(self.rng, 8) => self.rng.usize(..self.program.procedures.len()),
            0 => 0,
            own => self.rng.usize(..own),
        };
        let procedure = &self.program.procedures[callee];
        let arguments: Vec<String> = procedure.parameters.iter().map(|_| self.value()).collect();
        let call = format!("{}({})", procedure.name, arguments.join(", "));
        if procedure.results == 0 {
            return call;
        }
        let mut targets = self.targets(procedure.results);
        targets.resize(procedure.results, "_".into());
        self.rng.shuffle(&mut targets);
        format!("{} := {call}", targets.join(", "))
    }

    fn return_statement(&mut self) -> Statement {
        let results = self.program.procedures[self.own].results;
        let values: Vec<String> = (0..results).map(|_| self.value()).collect();
        plain(if values.is_empty() { "return".to_string() } else { format!("return {}", values.join(", ")) })
    }

    fn condition(&mut self) -> String {
        if one_in(self.rng, 3) { "*".into() } else { self.expr(2, true) }
    }

    fn value(&mut self) -> String {
        match self.rng.u32(..10) {
            0 => "*".into(),
            1 => format!("schoose[{}, {}]", self.expr(1, false), self.expr(1, false)),
            _ => self.expr(2, true),
        }
    }

    /// A condition on old values and the new ones of `targets`.
    fn relation(&mut self, targets: &[String], depth: u32) -> String {
        let all: Vec<String> = targets.iter().map(|name| format!("'{name}")).chain(self.scope.clone()).collect();
        let scope = std::mem::replace(&mut self.scope, all);
        let text = self.expr(depth, false);
        self.scope = scope;
        text
    }

    /// An expression with all its parentheses, so that no dialect reads it differently.
    fn expr(&mut self, depth: u32, any: bool) -> String {
        if depth == 0 || one_in(self.rng, 4) {
            return match self.rng.u32(..10) {
                0 => self.rng.u32(..2).to_string(),
                1 if any => "*".into(),
                number => {
                    let name = pick(self.rng, &self.scope);
                    if number % 2 == 0 { name.clone() } else { format!("!{name}") }
                }
            };
        }
        let (a, b) = (self.expr(depth - 1, any), self.expr(depth - 1, any));
        match self.rng.u32(..10) {
            0..=3 => format!("({a} & {b})"),
            4..=6 => format!("({a} | {b})"),
            7 => format!("({a} ^ {b})"),
            8 => format!("({a} = {b})"),
            _ => format!("!({a})"),
        }
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.globals.is_empty() {
            writeln!(f, "decl {};", self.globals.join(", "))?;
        }
        for procedure in &self.procedures {
            write!(f, "{procedure}")?;
        }
        Ok(())
    }
}

impl Display for Procedure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let results = match self.results {
            0 => "void".to_string(),
            1 => "bool".to_string(),
            many => format!("bool<{many}>"),
        };
        writeln!(f, "\n{results} {}({}) begin", self.name, self.parameters.join(", "))?;
        if !self.locals.is_empty() {
            writeln!(f, "  decl {};", self.locals.join(", "))?;
        }
        if let Some(enforce) = &self.enforce {
            writeln!(f, "  enforce {enforce};")?;
        }
        block(f, &self.body, 1)?;
        writeln!(f, "end")
    }
}

fn block(f: &mut fmt::Formatter<'_>, body: &[Statement], depth: usize) -> fmt::Result {
    let indent = "  ".repeat(depth);
    for statement in body {
        let labels: String = statement.labels.iter().map(|label| format!("{label}: ")).collect();
        match &statement.kind {
            Kind::Plain(text) => writeln!(f, "{indent}{labels}{text};")?,
            Kind::Goto(targets) => writeln!(f, "{indent}{labels}goto {};", targets.join(", "))?,
            Kind::If(branches, otherwise) => {
                for (number, (condition, body)) in branches.iter().enumerate() {
                    let word = if number == 0 { format!("{labels}if") } else { "elsif".into() };
                    writeln!(f, "{indent}{word} ({condition}) then")?;
                    block(f, body, depth + 1)?;
                }
                if let Some(body) = otherwise {
                    writeln!(f, "{indent}else")?;
                    block(f, body, depth + 1)?;
                }
                writeln!(f, "{indent}fi;")?;
            }
            Kind::While(condition, body) => {
                writeln!(f, "{indent}{labels}while ({condition}) do")?;
                block(f, body, depth + 1)?;
                writeln!(f, "{indent}od;")?;
            }
        }
    }
    Ok(())
}

impl Shrink for Program {
    fn smaller(&self) -> Vec<Program> {
        let mut all = Vec::new();
        for number in 0..self.procedures.len() - 1 {
            let called = format!("{}(", self.procedures[number].name);
            let mut others = self.clone();
            others.procedures.remove(number);
            if !others.to_string().contains(&called) {
                all.push(others);
            }
        }
        for (number, procedure) in self.procedures.iter().enumerate() {
            let mut with = |body: Vec<Statement>, enforce: Option<String>| {
                let mut next = self.clone();
                next.procedures[number] = Procedure { body, enforce, ..procedure.clone() };
                all.push(next);
            };
            if procedure.enforce.is_some() {
                with(procedure.body.clone(), None);
            }
            for body in smaller_blocks(&procedure.body) {
                if is_closed(&body) && !body.is_empty() {
                    with(body, procedure.enforce.clone());
                }
            }
        }
        all
    }
}

/// Whether all jumps have their labels (and every procedure keeps a statement).
fn is_closed(body: &[Statement]) -> bool {
    let (mut labels, mut jumps) = (Vec::new(), Vec::new());
    let mut pending: Vec<&[Statement]> = vec![body];
    while let Some(block) = pending.pop() {
        for statement in block {
            labels.extend(&statement.labels);
            match &statement.kind {
                Kind::Plain(_) => {}
                Kind::Goto(targets) => jumps.extend(targets),
                Kind::If(branches, otherwise) => {
                    pending.extend(branches.iter().map(|(_, body)| &body[..]));
                    pending.extend(otherwise.as_deref());
                }
                Kind::While(_, body) => pending.push(body),
            }
        }
    }
    jumps.iter().all(|jump| labels.contains(jump))
}

/// The block with one statement left out, replaced by `skip` or by what is in it, or made simpler inside.
fn smaller_blocks(block: &[Statement]) -> Vec<Vec<Statement>> {
    let mut all = Vec::new();
    for (number, statement) in block.iter().enumerate() {
        let mut with = |middle: Vec<Statement>| {
            all.push([&block[..number], &middle, &block[number + 1..]].concat());
        };
        if block.len() > 1 {
            with(Vec::new());
        }
        if !matches!(&statement.kind, Kind::Plain(text) if text == "skip") {
            with(vec![Statement { kind: Kind::Plain("skip".into()), ..statement.clone() }]);
        }
        if !statement.labels.is_empty() {
            with(vec![Statement { labels: Vec::new(), ..statement.clone() }]);
        }
        match &statement.kind {
            Kind::Plain(_) | Kind::Goto(_) => {}
            Kind::If(branches, otherwise) => {
                branches.iter().for_each(|(_, body)| with(body.clone()));
                if let Some(body) = otherwise {
                    with(body.clone());
                    with(vec![Statement { kind: Kind::If(branches.clone(), None), ..statement.clone() }]);
                }
                for (branch, (condition, body)) in branches.iter().enumerate() {
                    let mut change = |condition: String, body: Vec<Statement>| {
                        let mut branches = branches.clone();
                        branches[branch] = (condition, body);
                        with(vec![Statement { kind: Kind::If(branches, otherwise.clone()), ..statement.clone() }]);
                    };
                    if condition != "*" {
                        change("*".into(), body.clone());
                    }
                    smaller_blocks(body).into_iter().for_each(|body| change(condition.clone(), body));
                }
                for body in otherwise.iter().flat_map(|body| smaller_blocks(body)) {
                    with(vec![Statement { kind: Kind::If(branches.clone(), Some(body)), ..statement.clone() }]);
                }
            }
            Kind::While(condition, body) => {
                with(body.clone());
                for body in smaller_blocks(body) {
                    with(vec![Statement { kind: Kind::While(condition.clone(), body), ..statement.clone() }]);
                }
            }
        }
    }
    all
}
