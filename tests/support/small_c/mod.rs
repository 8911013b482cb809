//! A small part of C, with an interpreter of its own that follows each input: numbers of a few bits, arrays, pointers, procedures. It shares
//! no code with puch.

pub mod draw;
pub mod run;

use std::fmt::Write as _;

/// A type of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    pub bits: u32,
    pub signed: bool,
}

impl Number {
    pub fn least(self) -> i64 {
        if self.signed { -(1 << (self.bits - 1)) } else { 0 }
    }

    pub fn most(self) -> i64 {
        self.least() + (1 << self.bits) - 1
    }

    /// Modulo 2ʷ.
    pub fn wrapped(self, value: i64) -> i64 {
        (value - self.least()).rem_euclid(1 << self.bits) + self.least()
    }
}

/// The widths of `char` and `int`.
#[derive(Clone, Copy, Debug)]
pub struct Widths {
    pub char: u32,
    pub int: u32,
}

impl Widths {
    pub fn int(self) -> Number {
        Number { bits: self.int, signed: true }
    }

    fn text(self, ty: Number) -> &'static str {
        match (ty.bits == self.int, ty.signed) {
            (true, true) => "int",
            (true, false) => "unsigned",
            (false, true) => "signed char",
            (false, false) => "unsigned char",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Number(Number),
    Array(Number, usize),
    Pointer(Number),
}

impl Kind {
    pub fn number(self) -> Number {
        let (Kind::Number(ty) | Kind::Array(ty, _) | Kind::Pointer(ty)) = self;
        ty
    }
}

/// A variable: `v0`, `v1`, …; no two have one name.
#[derive(Clone, Debug)]
pub struct Variable {
    pub kind: Kind,
}

#[derive(Clone, Debug)]
pub enum Lvalue {
    Variable(usize),
    /// Of an array, or of what a pointer points into.
    Element(usize, Box<Value>),
    Target(usize),
}

#[derive(Clone, Debug)]
pub enum Value {
    Constant(i64),
    Of(Lvalue),
    Binary(&'static str, Box<Value>, Box<Value>),
    Input,
    Call(usize, Vec<Value>),
    /// The address of a variable, or of an element.
    Address(usize, Option<usize>),
    /// What a pointer points to.
    Pointer(usize),
}

#[derive(Clone, Debug)]
pub enum Condition {
    Compared(&'static str, Value, Value),
    Not(Box<Condition>),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
    Any,
}

#[derive(Clone, Debug)]
pub enum Statement {
    /// With a value, or with any.
    Declare(usize, Option<Value>),
    Assign(Lvalue, Value),
    Call(usize, Vec<Value>),
    If(Condition, Vec<Statement>, Vec<Statement>),
    /// The number is the line where it stands.
    While(usize, Condition, Vec<Statement>),
    Break,
    Assert(Condition),
    Return(Option<Value>),
}

#[derive(Clone, Debug)]
pub struct Procedure {
    pub formals: Vec<usize>,
    pub result: Option<Number>,
    pub body: Vec<Statement>,
}

/// The last procedure is `main`, others are `f0`, `f1`, …
#[derive(Clone, Debug)]
pub struct Source {
    pub widths: Widths,
    pub variables: Vec<Variable>,
    /// Globals with their first values; those of arrays are 0.
    pub globals: Vec<(usize, i64)>,
    pub procedures: Vec<Procedure>,
}

impl Source {
    pub fn name(&self, procedure: usize) -> String {
        if procedure + 1 == self.procedures.len() { "main".to_owned() } else { format!("f{procedure}") }
    }

    fn declared(&self, id: usize) -> String {
        let text = |ty| self.widths.text(ty);
        match self.variables[id].kind {
            Kind::Number(ty) => format!("{} v{id}", text(ty)),
            Kind::Array(ty, length) => format!("{} v{id}[{length}]", text(ty)),
            Kind::Pointer(ty) => format!("{} *v{id}", text(ty)),
        }
    }

    /// Its text; loops learn at which lines they are.
    pub fn text(&mut self) -> String {
        let mut all = String::from("signed char __VERIFIER_nondet_char();\n");
        let globals = self.globals.clone();
        for (id, value) in globals {
            let initial =
                if matches!(self.variables[id].kind, Kind::Number(_)) { format!(" = {value}") } else { String::new() };
            writeln!(all, "{}{initial};", self.declared(id)).unwrap();
        }
        let header = |source: &Source, at: usize| {
            let procedure = &source.procedures[at];
            let formals: Vec<String> = procedure.formals.iter().map(|&id| source.declared(id)).collect();
            let result = procedure.result.map_or("void", |ty| source.widths.text(ty));
            format!(
                "{result} {}({})",
                source.name(at),
                if formals.is_empty() { "void".to_owned() } else { formals.join(", ") }
            )
        };
        for at in 0..self.procedures.len() {
            writeln!(all, "{};", header(self, at)).unwrap();
        }
        for at in 0..self.procedures.len() {
            writeln!(all, "{} {{", header(self, at)).unwrap();
            let mut body = std::mem::take(&mut self.procedures[at].body);
            self.block(&mut body, &mut all);
            self.procedures[at].body = body;
            all += "}\n";
        }
        all
    }

    fn block(&self, body: &mut [Statement], all: &mut String) {
        for statement in body {
            let line = match statement {
                Statement::Declare(id, None) => format!("{};", self.declared(*id)),
                Statement::Declare(id, Some(value)) => format!("{} = {};", self.declared(*id), self.value(value)),
                Statement::Assign(to, value) => format!("{} = {};", self.lvalue(to), self.value(value)),
                Statement::Call(callee, actuals) => format!("{};", self.value(&Value::Call(*callee, actuals.clone()))),
                Statement::If(condition, yes, no) => {
                    writeln!(all, "if ({}) {{", self.condition(condition)).unwrap();
                    self.block(yes, all);
                    *all += "} else {\n";
                    self.block(no, all);
                    "}".to_owned()
                }
                Statement::While(at, condition, body) => {
                    *at = all.matches('\n').count() + 1;
                    writeln!(all, "while ({}) {{", self.condition(condition)).unwrap();
                    self.block(body, all);
                    "}".to_owned()
                }
                Statement::Break => "break;".to_owned(),
                Statement::Assert(condition) => format!("if (!({})) __assert_fail();", self.condition(condition)),
                Statement::Return(None) => "return;".to_owned(),
                Statement::Return(Some(value)) => format!("return {};", self.value(value)),
            };
            *all += &line;
            all.push('\n');
        }
    }

    fn lvalue(&self, of: &Lvalue) -> String {
        match of {
            Lvalue::Variable(id) => format!("v{id}"),
            Lvalue::Element(id, at) => format!("v{id}[{}]", self.value(at)),
            Lvalue::Target(id) => format!("(*v{id})"),
        }
    }

    fn value(&self, of: &Value) -> String {
        match of {
            Value::Constant(value) if *value < 0 => format!("({value})"),
            Value::Constant(value) => value.to_string(),
            Value::Of(lvalue) => self.lvalue(lvalue),
            Value::Binary(operator, a, b) => format!("({} {operator} {})", self.value(a), self.value(b)),
            Value::Input => "__VERIFIER_nondet_char()".to_owned(),
            Value::Call(callee, actuals) => {
                let actuals: Vec<String> = actuals.iter().map(|actual| self.value(actual)).collect();
                format!("{}({})", self.name(*callee), actuals.join(", "))
            }
            Value::Address(id, None) => format!("&v{id}"),
            Value::Address(id, Some(at)) => format!("&v{id}[{at}]"),
            Value::Pointer(id) => format!("v{id}"),
        }
    }

    fn condition(&self, of: &Condition) -> String {
        match of {
            Condition::Compared(operator, a, b) => format!("{} {operator} {}", self.value(a), self.value(b)),
            Condition::Not(a) => format!("!({})", self.condition(a)),
            Condition::And(a, b) => format!("({} && {})", self.condition(a), self.condition(b)),
            Condition::Or(a, b) => format!("({} || {})", self.condition(a), self.condition(b)),
            Condition::Any => "__VERIFIER_nondet_char()".to_owned(),
        }
    }
}
