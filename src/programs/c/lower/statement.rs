//! Statements: control as branches and jumps (C11 §6.8).

use lang_c::ast;
use lang_c::span::{Node, Span};

use super::body::{Mark, Named};
use super::jump::computed;
use super::{Lowered, Lowering, Value};
use crate::c::program::{Failure, Label, StatementKind};
use crate::c::types::Type;

impl Lowering<'_> {
    /// A statement. What is wrong in a block leaves the rest of it alone.
    pub fn statement(&mut self, node: &Node<ast::Statement>) -> Lowered<()> {
        self.here = node.span;
        let place = self.place(node.span);
        self.body()?.place = place;
        match &node.node {
            ast::Statement::Labeled(labelled) => self.labelled(&labelled.node),
            ast::Statement::Compound(items) => self.scoped(|this| this.items(items)),
            ast::Statement::Expression(None) => self.emit(StatementKind::Skip),
            ast::Statement::Expression(Some(e)) => match computed(&e.node) {
                Some(to) => self.computed_jump(to),
                None => self.expression_statement(e),
            },
            // Selections and iterations are blocks, and so is what they consist of (§6.8.4, §6.8.5).
            ast::Statement::If(branch) => self.scoped(|this| this.branch(&branch.node)),
            ast::Statement::Switch(switch) => self.scoped(|this| this.switch(&switch.node)),
            ast::Statement::While(turns) => self.scoped(|this| this.while_loop(&turns.node)),
            ast::Statement::DoWhile(turns) => self.scoped(|this| this.do_loop(&turns.node)),
            ast::Statement::For(turns) => self.for_loop(&turns.node),
            ast::Statement::Goto(label) => {
                let mark = self.label_mark(label, false)?;
                self.jump(mark)
            }
            ast::Statement::Continue => self.leave(false, node.span),
            ast::Statement::Break => self.leave(true, node.span),
            ast::Statement::Return(value) => self.return_statement(value.as_deref(), node.span),
            ast::Statement::Asm(asm) => self.assembly(&asm.node, node.span),
        }
    }

    /// A declaration or statement of a block.
    pub fn item(&mut self, node: &Node<ast::BlockItem>) -> Lowered<()> {
        let place = self.place(node.span);
        self.body()?.place = place;
        match &node.node {
            ast::BlockItem::Declaration(declaration) => self.declaration(declaration),
            ast::BlockItem::StaticAssert(assertion) => self.static_assert(assertion),
            ast::BlockItem::Statement(statement) => self.statement(statement),
        }
    }

    fn expression_statement(&mut self, e: &Node<ast::Expression>) -> Lowered<()> {
        self.warn_of_order(e);
        let before = self.body()?.statements.len();
        self.effects(e)?;
        // One that does nothing is seen all the same.
        let body = self.body()?;
        if body.statements.len() == before {
            body.emit(StatementKind::Skip);
        }
        Ok(())
    }

    /// A condition that leads to one of two labels.
    fn decide(&mut self, e: &Node<ast::Expression>, yes: Mark, no: Mark) -> Lowered<()> {
        self.warn_of_order(e);
        self.condition(e, yes, no)
    }

    fn marks<const N: usize>(&mut self) -> Lowered<[Mark; N]> {
        let body = self.body()?;
        Ok(std::array::from_fn(|_| body.mark()))
    }

    /// What a turn of a loop or a case consists of: an error in it is told, and what surrounds it goes on.
    fn inside(&mut self, statement: &Node<ast::Statement>, leaves: Option<Mark>, again: Option<Mark>) -> Lowered<()> {
        let scopes = self.scopes.len();
        let body = self.body()?;
        body.breaks.extend(leaves.map(|mark| (mark, scopes)));
        body.continues.extend(again.map(|mark| (mark, scopes)));
        let done = self.scoped(|this| this.statement(statement));
        let body = self.body()?;
        if leaves.is_some() {
            body.breaks.pop();
        }
        if again.is_some() {
            body.continues.pop();
        }
        done
    }

    fn branch(&mut self, node: &ast::IfStatement) -> Lowered<()> {
        let [yes, no, end] = self.marks()?;
        self.decide(&node.condition, yes, no)?;
        self.body()?.place_mark(yes);
        let first = self.scoped(|this| this.statement(&node.then_statement));
        let Some(otherwise) = &node.else_statement else {
            self.body()?.place_mark(no);
            return first;
        };
        self.body()?.goto(end);
        self.body()?.place_mark(no);
        let second = self.scoped(|this| this.statement(otherwise));
        self.body()?.place_mark(end);
        first.and(second)
    }

    fn while_loop(&mut self, node: &ast::WhileStatement) -> Lowered<()> {
        let [again, turn, end] = self.marks()?;
        self.body()?.place_mark(again);
        self.decide(&node.expression, turn, end)?;
        self.body()?.place_mark(turn);
        let done = self.inside(&node.statement, Some(end), Some(again));
        let body = self.body()?;
        body.goto(again);
        body.place_mark(end);
        done
    }

    fn do_loop(&mut self, node: &ast::DoWhileStatement) -> Lowered<()> {
        let [turn, test, end] = self.marks()?;
        self.body()?.place_mark(turn);
        let done = self.inside(&node.statement, Some(end), Some(test));
        self.body()?.place_mark(test);
        let place = self.place(node.expression.span);
        self.body()?.place = place;
        self.decide(&node.expression, turn, end)?;
        self.body()?.place_mark(end);
        done
    }

    fn for_loop(&mut self, node: &ast::ForStatement) -> Lowered<()> {
        self.scoped(|this| {
            let place = this.place(node.initializer.span);
            this.body()?.place = place;
            match &node.initializer.node {
                ast::ForInitializer::Empty => {}
                ast::ForInitializer::Expression(e) => this.expression_statement(e)?,
                ast::ForInitializer::Declaration(declaration) => this.declaration(declaration)?,
                ast::ForInitializer::StaticAssert(assertion) => this.static_assert(assertion)?,
            }
            let [again, turn, step, end] = this.marks()?;
            this.body()?.place_mark(again);
            if let Some(e) = &node.condition {
                let place = this.place(e.span);
                this.body()?.place = place;
                this.decide(e, turn, end)?;
            }
            this.body()?.place_mark(turn);
            let done = this.inside(&node.statement, Some(end), Some(step));
            this.body()?.place_mark(step);
            if let Some(e) = &node.step {
                let place = this.place(e.span);
                this.body()?.place = place;
                this.expression_statement(e)?;
            }
            let body = this.body()?;
            body.goto(again);
            body.place_mark(end);
            done
        })
    }

    /// `break` or `continue`
    fn leave(&mut self, leaves: bool, span: Span) -> Lowered<()> {
        let body = self.body()?;
        let to = if leaves { body.breaks.last() } else { body.continues.last() };
        match to.copied() {
            Some((to, scopes)) => {
                self.end_of_blocks(scopes);
                self.body()?.goto(to);
                Ok(())
            }
            None => Err(self.error("there is nothing here to leave or to continue", span)),
        }
    }

    /// A jump to a label of the source, which may leave blocks.
    pub fn jump(&mut self, to: Mark) -> Lowered<()> {
        let before = self.body()?.statements.last();
        if before.is_some_and(|last| matches!(last.kind, StatementKind::Dead(_))) {
            // What has ended before is told apart from what the jump may leave.
            self.emit(StatementKind::Skip)?;
        }
        self.end_of_blocks(0);
        self.body()?.goto(to);
        Ok(())
    }

    /// The mark of a label of the source.
    fn label_mark(&mut self, name: &Node<ast::Identifier>, defines: bool) -> Lowered<Mark> {
        let text = name.node.name.clone();
        let body = self.body()?;
        let named = match body.names.get(&text) {
            Some(named) => *named,
            None => Named { mark: body.mark(), defined: None, used: None },
        };
        let twice = defines && named.defined.is_some();
        let defined = if defines { Some(name.span) } else { named.defined };
        let used = if defines { named.used } else { named.used.or(Some(name.span)) };
        body.names.insert(text, Named { defined, used, ..named });
        if twice {
            return Err(self.error("this label is defined twice in the procedure", name.span));
        }
        Ok(named.mark)
    }

    fn labelled(&mut self, node: &ast::LabeledStatement) -> Lowered<()> {
        match &node.label.node {
            ast::Label::Identifier(name) => {
                let mark = self.label_mark(name, true)?;
                let around = self.scopes.iter().map(|scope| scope.id).collect();
                self.body()?.lifetimes.labels(Label(mark.0), around);
                let shown = self.spelled(&name.node.name).to_owned();
                let error = self.error_labels && shown == "ERROR";
                let body = self.body()?;
                body.place_mark(mark);
                body.label(&shown);
                if error {
                    let place = self.place(node.statement.span);
                    self.body()?.place = place;
                    self.emit(StatementKind::Fail(Failure::ErrorLabel))?;
                }
            }
            _ => self.case(&node.label)?,
        }
        self.statement(&node.statement)
    }

    fn return_statement(&mut self, value: Option<&Node<ast::Expression>>, span: Span) -> Lowered<()> {
        let result = self.body()?.result;
        let Some(e) = value else {
            if self.types.is_scalar(result) {
                // Such a result is not used by programs that have a meaning.
                let to = self.intermediate(result)?;
                if let crate::c::expression::LvalueKind::Variable(id) = self.terms.at(to).kind {
                    self.emit(StatementKind::Declare(id))?;
                }
                let value = self.read(to);
                return self.returns(Some(value));
            }
            return self.returns(None);
        };
        self.warn_of_order(e);
        if *self.types.get(result) == Type::Void {
            self.effects(e)?;
            return self.returns(None);
        }
        if self.types.is_scalar(result)
            && let Some(site) = self.allocation(e, result)?
        {
            return self.returns(Some(site));
        }
        let value = self.value(e)?;
        self.here = span;
        let value = self.fitted(value, result, span)?;
        match value {
            Value::Scalar(e) if self.types.is_scalar(result) => {
                let e = self.convert(e, result)?;
                let e = self.passed(e)?;
                self.returns(Some(e))
            }
            Value::Opaque(_) if self.types.is_scalar(result) => {
                let e = self.unknown(result, "a floating-point value")?;
                self.returns(Some(e))
            }
            Value::Record(from) if self.types.as_record(result).is_some() => {
                let procedure = self.body()?.procedure;
                let variable = self.result_variable(procedure, result);
                let to = self.terms.lvalue(crate::c::expression::LvalueKind::Variable(variable), result);
                self.store(to, Value::Record(from), e.span)?;
                self.returns(None)
            }
            Value::Opaque(_) | Value::Scalar(_) if matches!(self.types.get(result), Type::Opaque(_)) => {
                self.dropped(value)?;
                self.returns(None)
            }
            _ => Err(self.error("this is not of the type that the procedure returns", span)),
        }
    }
}
