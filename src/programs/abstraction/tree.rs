//! The tree of a Boolean program as its text would be read: one statement a line, so that a statement of the tree is a line of the
//! program, counted through all procedures. Offsets in it are these numbers.

use rustc_hash::FxHashMap;
use spds_format::expr::Time;

use crate::boolprog::ast::{
    Assign, Assignee, Ast, Call, Callee, Declared, Destination, Expression, Jump, Label, NameId, Node, Op, Piece,
    Procedure, Stmt, StmtId, StmtKind, Target,
};

use super::boolean::{self, Conjunction, Line, Literal, Step, Value};

/// The tree of a program. Linear.
pub fn tree(program: &boolean::Program) -> Ast {
    let mut builder = Builder { ast: Ast::default(), names: FxHashMap::default() };
    for (name, initial) in &program.globals {
        let name = builder.name(name);
        builder.ast.globals.push(Declared { name, at: 0, initial: *initial });
    }
    for procedure in &program.procedures {
        builder.procedure(procedure);
    }
    builder.ast
}

struct Builder<'p> {
    ast: Ast,
    names: FxHashMap<&'p str, NameId>,
}

impl<'p> Builder<'p> {
    fn name(&mut self, name: &'p str) -> NameId {
        let names = &mut self.ast.names;
        *self.names.entry(name).or_insert_with(|| {
            names.push(name.into());
            NameId(names.len() as u32 - 1)
        })
    }

    /// The number of the next line.
    fn at(&self) -> u32 {
        self.ast.statements.len() as u32
    }

    fn procedure(&mut self, procedure: &'p boolean::Procedure) {
        let at = self.at();
        let name = self.name(&procedure.name);
        let first_variable = self.ast.locals.len() as u32;
        for variable in procedure.formals.iter().chain(&procedure.locals).chain(&procedure.kept) {
            let name = self.name(variable);
            self.ast.locals.push(Declared { name, at, initial: None });
        }
        let variables = Piece { start: first_variable, end: self.ast.locals.len() as u32 };
        let enforced = match &procedure.enforce[..] {
            [] => Piece::default(),
            cubes => {
                let condition = self.expression(|builder| builder.none_of(cubes));
                self.listed([condition])
            }
        };
        let (first_statement, first_label) = (self.at(), self.ast.labels.len() as u32);
        for (number, line) in (1..).zip(&procedure.lines) {
            self.line(line, number == procedure.lines.len());
        }
        self.ast.procedures.push(Procedure {
            name,
            at,
            results: Some(procedure.results as u32),
            variables,
            parameters: procedure.formals.len() as u32,
            enforced,
            statements: Piece { start: first_statement, end: self.at() },
            body: (!procedure.lines.is_empty()).then(|| StmtId::new(first_statement as usize)),
            labels: Piece { start: first_label, end: self.ast.labels.len() as u32 },
            // No line.
            end: u32::MAX,
        });
    }

    fn line(&mut self, line: &'p Line, is_last: bool) {
        let at = self.at();
        for label in &line.labels {
            let name = self.name(label);
            self.ast.labels.push(Label { name, at, target: Some(StmtId::new(at as usize)) });
        }
        let kind = match &line.step {
            Step::Skip => StmtKind::Skip,
            Step::Assume(cubes) => StmtKind::Assume(self.expression(|builder| builder.none_of(cubes))),
            Step::Assert(value) => StmtKind::Assert(self.value(value)),
            Step::Goto(labels) => {
                let start = self.ast.jumps.len() as u32;
                for label in labels {
                    let to = Destination::Name(self.name(label));
                    self.ast.jumps.push(Jump { to, at });
                }
                StmtKind::Goto(Piece { start, end: self.ast.jumps.len() as u32 })
            }
            Step::Return(names) => {
                let values: Vec<Expression> =
                    names.iter().map(|name| self.expression(|builder| builder.read(name, Time::Before))).collect();
                StmtKind::Return(self.listed(values))
            }
            Step::Assign(targets, values, constrain) => {
                let targets = self.targets(targets, at);
                let values = self.values(values);
                let constrain = (!constrain.is_empty()).then(|| self.expression(|builder| builder.none_of(constrain)));
                self.ast.assigns.push(Assign { targets, values, constrain });
                StmtKind::Assign(self.ast.assigns.len() as u32 - 1)
            }
            Step::Call(targets, callee, arguments) => {
                let targets = self.targets(targets, at);
                let callee = Callee::Name(self.name(callee));
                let arguments = self.values(arguments);
                self.ast.calls.push(Call { callee, at, targets, arguments });
                StmtKind::Call(self.ast.calls.len() as u32 - 1)
            }
        };
        let next = (!is_last).then(|| StmtId::new(at as usize + 1));
        self.ast.statements.push(Stmt { kind, at, next, parent: None });
    }

    fn targets(&mut self, names: &'p [std::rc::Rc<str>], at: u32) -> Piece {
        let start = self.ast.targets.len() as u32;
        for name in names {
            let place = Assignee::Name(self.name(name));
            self.ast.targets.push(Target { place, at });
        }
        Piece { start, end: self.ast.targets.len() as u32 }
    }

    // ---- expressions

    fn values(&mut self, values: &'p [Value]) -> Piece {
        let values: Vec<Expression> = values.iter().map(|value| self.value(value)).collect();
        self.listed(values)
    }

    /// A list of expressions that are there.
    fn listed(&mut self, list: impl IntoIterator<Item = Expression>) -> Piece {
        let start = self.ast.expressions.len() as u32;
        self.ast.expressions.extend(list);
        Piece { start, end: self.ast.expressions.len() as u32 }
    }

    /// The expression whose nodes are written.
    fn expression(&mut self, write: impl FnOnce(&mut Self)) -> Expression {
        let start = self.ast.nodes.len() as u32;
        write(self);
        Expression(Piece { start, end: self.ast.nodes.len() as u32 })
    }

    fn value(&mut self, value: &'p Value) -> Expression {
        self.expression(|builder| match value {
            Value::Constant(value) => builder.emit(Op::Const(*value)),
            Value::Any(cubes) => builder.some_of(cubes),
            Value::None(cubes) => builder.none_of(cubes),
            Value::Choose(yes, no) => match (&yes[..], &no[..]) {
                ([], []) => builder.emit(Op::Any),
                (yes, []) => builder.chosen(yes, true),
                ([], no) => builder.chosen(no, false),
                (yes, no) => {
                    builder.some_of(yes);
                    builder.some_of(no);
                    builder.emit(Op::Choose);
                }
            },
        })
    }

    /// A value where one of these holds, and any where none does.
    fn chosen(&mut self, cubes: &'p [Conjunction], value: bool) {
        self.some_of(cubes);
        self.emit(Op::Const(value));
        self.emit(Op::Any);
        self.emit(Op::Ite);
    }

    fn some_of(&mut self, cubes: &'p [Conjunction]) {
        self.joined(cubes, (Op::Or, false), |builder, cube| builder.all_of(cube));
    }

    /// The conjunction of the negations.
    fn none_of(&mut self, cubes: &'p [Conjunction]) {
        self.joined(cubes, (Op::And, true), |builder, cube| match &cube[..] {
            [one] => builder.literal(one, !one.value),
            cube => {
                builder.all_of(cube);
                builder.emit(Op::Not);
            }
        });
    }

    fn all_of(&mut self, cube: &'p [Literal]) {
        self.joined(cube, (Op::And, true), |builder, literal| builder.literal(literal, literal.value));
    }

    /// Operands with an operator between them, or what it is without any.
    fn joined<T>(&mut self, operands: &'p [T], (op, none): (Op, bool), mut write: impl FnMut(&mut Self, &'p T)) {
        if operands.is_empty() {
            self.emit(Op::Const(none));
        }
        for (at, operand) in operands.iter().enumerate() {
            write(self, operand);
            if at > 0 {
                self.emit(op);
            }
        }
    }

    fn literal(&mut self, literal: &'p Literal, value: bool) {
        self.read(&literal.name, if literal.after { Time::After } else { Time::Before });
        if !value {
            self.emit(Op::Not);
        }
    }

    fn read(&mut self, name: &'p str, time: Time) {
        let name = self.name(name);
        self.emit(Op::Name(name, time));
    }

    fn emit(&mut self, op: Op) {
        let at = self.at();
        self.ast.nodes.push(Node { op, at });
    }
}
