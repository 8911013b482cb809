//! Where the order may matter, as far as the text alone tells: names that are written here and used there, and what is beside calls and
//! accesses through pointers. Whether it does is found out later; that it does not is certain.

use std::collections::HashSet;

use lang_c::ast::{self, BinaryOperator as B, UnaryOperator as U};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use crate::c::lower::scope::Entity;
use crate::c::lower::{Lowering, order};

/// Whether the order of evaluation of an expression may matter.
pub fn is_open(lowering: &Lowering<'_>, node: &Node<ast::Expression>) -> bool {
    if order::effects(node).none() {
        return false;
    }
    let mut finder = Finder { lowering, open: false };
    finder.touched(node);
    finder.open
}

/// Whether the order of evaluation of initialisers may matter.
pub fn is_open_list(lowering: &Lowering<'_>, list: &Node<ast::Initializer>) -> bool {
    let mut effects = order::Effects::default();
    effects.visit_initializer(&list.node, &list.span);
    if effects.none() {
        return false;
    }
    let mut finder = Finder { lowering, open: false };
    let all = finder.initialised(list);
    // Items are beside what others store.
    finder.open || all.call || all.memory_write || !all.writes.is_empty()
}

/// The names that initialisers mention.
pub fn names(list: &Node<ast::Initializer>) -> HashSet<String> {
    struct Names(HashSet<String>);
    impl<'ast> Visit<'ast> for Names {
        fn visit_identifier(&mut self, node: &'ast ast::Identifier, _: &'ast Span) {
            self.0.insert(node.name.clone());
        }
    }
    let mut names = Names(HashSet::new());
    visit::visit_initializer(&mut names, &list.node, &list.span);
    names.0
}

/// What an expression reads and writes.
#[derive(Default)]
struct Touched<'t> {
    /// Variables by name.
    reads: HashSet<&'t str>,
    writes: HashSet<&'t str>,
    /// What can also be reached otherwise: globals, and what pointers may point to.
    shared_read: bool,
    shared_write: bool,
    /// Through pointers.
    memory_read: bool,
    memory_write: bool,
    /// Something is called, or executed.
    call: bool,
}

impl<'t> Touched<'t> {
    /// Whether something that others may see is done.
    fn is_seen(&self) -> bool {
        self.call || self.shared_write
    }

    fn conflicts(&self, other: &Touched<'t>) -> bool {
        let crosses = |a: &HashSet<&str>, b: &HashSet<&str>| {
            let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
            few.iter().any(|name| many.contains(name))
        };
        let one = |a: &Touched<'t>, b: &Touched<'t>| {
            a.call && (b.call || b.shared_read || b.shared_write)
                || a.memory_write && (b.shared_read || b.shared_write)
                || a.shared_write && (b.memory_read || b.memory_write)
                || crosses(&a.writes, &b.reads)
        };
        one(self, other) || one(other, self) || crosses(&self.writes, &other.writes)
    }

    fn join(mut self, mut other: Touched<'t>) -> Touched<'t> {
        if self.reads.len() + self.writes.len() < other.reads.len() + other.writes.len() {
            std::mem::swap(&mut self, &mut other);
        }
        self.reads.extend(other.reads);
        self.writes.extend(other.writes);
        self.shared_read |= other.shared_read;
        self.shared_write |= other.shared_write;
        self.memory_read |= other.memory_read;
        self.memory_write |= other.memory_write;
        self.call |= other.call;
        self
    }
}

struct Finder<'l, 'a> {
    lowering: &'l Lowering<'a>,
    open: bool,
}

impl Finder<'_, '_> {
    /// Whether nothing but its name leads to a variable.
    fn is_private(&self, name: &str) -> bool {
        let Some(Entity::Variable(id)) = self.lowering.entity(name) else { return false };
        self.lowering.is_private(id)
    }

    /// Both, in any order.
    fn beside<'t>(&mut self, a: Touched<'t>, b: Touched<'t>) -> Touched<'t> {
        self.open |= a.conflicts(&b) || self.lowering.options.observed && a.is_seen() && b.is_seen();
        a.join(b)
    }

    /// A read through a pointer, after what it takes to know it.
    fn followed<'t>(&mut self, mut known: Touched<'t>) -> Touched<'t> {
        // The side effects of that may come later.
        self.open |= known.shared_write;
        (known.memory_read, known.shared_read) = (true, true);
        known
    }

    fn touched<'t>(&mut self, node: &'t Node<ast::Expression>) -> Touched<'t> {
        match &node.node {
            ast::Expression::Identifier(name) => self.named(&name.node.name),
            ast::Expression::Member(member) => match member.node.operator.node {
                ast::MemberOperator::Direct => self.touched(&member.node.expression),
                ast::MemberOperator::Indirect => {
                    let pointer = self.touched(&member.node.expression);
                    self.followed(pointer)
                }
            },
            ast::Expression::UnaryOperator(unary) => self.unary(&unary.node),
            ast::Expression::BinaryOperator(binary) => self.binary(&binary.node),
            ast::Expression::Call(call) => self.call(&call.node),
            ast::Expression::Conditional(conditional) => {
                let first = self.touched(&conditional.node.condition);
                let first = first.join(self.touched(&conditional.node.then_expression));
                first.join(self.touched(&conditional.node.else_expression))
            }
            ast::Expression::Comma(list) => {
                let mut all = Touched::default();
                for e in list.iter() {
                    all = all.join(self.touched(e));
                }
                all
            }
            ast::Expression::Cast(cast) => self.touched(&cast.node.expression),
            ast::Expression::CompoundLiteral(literal) => {
                let mut all = Touched::default();
                for item in &literal.node.initializer_list {
                    let item = self.initialised(&item.node.initializer);
                    all = self.beside(all, item);
                }
                all
            }
            // Whatever its statements do.
            ast::Expression::Statement(_) => {
                let mut names = Named::default();
                names.visit_expression(&node.node, &node.span);
                Touched { writes: names.0.clone(), reads: names.0, call: true, ..anything() }
            }
            _ => Touched::default(),
        }
    }

    fn named<'t>(&self, name: &'t str) -> Touched<'t> {
        match self.lowering.entity(name) {
            Some(Entity::Variable(_) | Entity::Dynamic(..)) => {
                Touched { reads: HashSet::from([name]), shared_read: !self.is_private(name), ..Touched::default() }
            }
            _ => Touched::default(),
        }
    }

    /// What it takes to know what an expression designates.
    fn designated<'t>(&mut self, node: &'t Node<ast::Expression>) -> Touched<'t> {
        match &node.node {
            ast::Expression::Identifier(_) => Touched::default(),
            ast::Expression::Member(member) => match member.node.operator.node {
                ast::MemberOperator::Direct => self.designated(&member.node.expression),
                ast::MemberOperator::Indirect => self.touched(&member.node.expression),
            },
            ast::Expression::UnaryOperator(unary) if unary.node.operator.node == U::Indirection => {
                self.touched(&unary.node.operand)
            }
            ast::Expression::BinaryOperator(binary) if binary.node.operator.node == B::Index => {
                let (a, b) = (self.touched(&binary.node.lhs), self.touched(&binary.node.rhs));
                self.beside(a, b)
            }
            _ => self.touched(node),
        }
    }

    /// The side effect on what an expression designates, after this.
    fn stored<'t>(&mut self, mut known: Touched<'t>, mut node: &'t ast::Expression) -> Touched<'t> {
        loop {
            match node {
                ast::Expression::Identifier(name) => {
                    let name = name.node.name.as_str();
                    let shared = !self.is_private(name);
                    self.open |= known.writes.contains(name) || shared && known.memory_write;
                    known.writes.insert(name);
                    known.shared_write |= shared;
                    return known;
                }
                ast::Expression::Member(member) if member.node.operator.node == ast::MemberOperator::Direct => {
                    node = &member.node.expression.node;
                }
                _ => {
                    self.open |= known.shared_write;
                    (known.memory_write, known.shared_write) = (true, true);
                    return known;
                }
            }
        }
    }

    fn unary<'t>(&mut self, unary: &'t ast::UnaryOperatorExpression) -> Touched<'t> {
        match unary.operator.node {
            U::PostIncrement | U::PostDecrement | U::PreIncrement | U::PreDecrement => {
                let known = self.designated(&unary.operand);
                let target = self.stored(known, &unary.operand.node);
                // It is read before.
                let (memory, shared) = (target.memory_write, target.shared_write);
                let read = Touched { reads: target.writes.clone(), ..Touched::default() };
                Touched { memory_read: memory, shared_read: shared, ..target }.join(read)
            }
            U::Address => self.designated(&unary.operand),
            U::Indirection => {
                let pointer = self.touched(&unary.operand);
                self.followed(pointer)
            }
            _ => self.touched(&unary.operand),
        }
    }

    fn binary<'t>(&mut self, binary: &'t ast::BinaryOperatorExpression) -> Touched<'t> {
        match &binary.operator.node {
            B::LogicalAnd | B::LogicalOr => {
                let first = self.touched(&binary.lhs);
                first.join(self.touched(&binary.rhs))
            }
            op if order::assigns(op) => {
                let (to, value) = (self.designated(&binary.lhs), self.touched(&binary.rhs));
                let known = self.beside(to, value);
                self.stored(known, &binary.lhs.node)
            }
            op => {
                let (a, b) = (self.touched(&binary.lhs), self.touched(&binary.rhs));
                let both = self.beside(a, b);
                if *op == B::Index { self.followed(both) } else { both }
            }
        }
    }

    fn call<'t>(&mut self, call: &'t ast::CallExpression) -> Touched<'t> {
        let mut all = self.touched(&call.callee);
        for argument in &call.arguments {
            let argument = self.touched(argument);
            all = self.beside(all, argument);
        }
        all.call |= !self.lowering.is_quiet(call);
        all
    }

    fn initialised<'t>(&mut self, initializer: &'t Node<ast::Initializer>) -> Touched<'t> {
        match &initializer.node {
            ast::Initializer::Expression(e) => self.touched(e),
            ast::Initializer::List(items) => {
                let mut all = Touched::default();
                for item in items {
                    let item = self.initialised(&item.node.initializer);
                    all = self.beside(all, item);
                }
                all
            }
        }
    }
}

/// All but names.
fn anything<'t>() -> Touched<'t> {
    let (memory_read, memory_write) = (true, true);
    Touched { shared_read: true, shared_write: true, memory_read, memory_write, ..Touched::default() }
}

/// All names of an expression.
#[derive(Default)]
struct Named<'t>(HashSet<&'t str>);

impl<'ast> Visit<'ast> for Named<'ast> {
    fn visit_identifier(&mut self, node: &'ast ast::Identifier, _: &'ast Span) {
        self.0.insert(&node.name);
    }
}
