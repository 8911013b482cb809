//! Conjunctions and disjunctions in the making: shared, simplified where constants allow it, and at last written out.

use spds_format::expr::{Binary, Expr, Op};

/// An expression of more operations is not written out.
const MAX_OPERATIONS: usize = 1 << 16;

/// A term, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Term(usize);

#[derive(Clone, Debug)]
enum Node {
    Constant(bool),
    Leaf(Expr),
    Joined(Binary, Vec<Term>),
}

/// Terms.
#[derive(Default)]
pub(super) struct Terms {
    nodes: Vec<Node>,
}

impl Terms {
    fn node(&mut self, node: Node) -> Term {
        self.nodes.push(node);
        Term(self.nodes.len() - 1)
    }

    /// A truth value.
    pub fn constant(&mut self, value: bool) -> Term {
        self.node(Node::Constant(value))
    }

    /// A condition.
    pub fn leaf(&mut self, expr: Expr) -> Term {
        self.node(Node::Leaf(expr))
    }

    /// All of them.
    pub fn all(&mut self, terms: &[Term]) -> Term {
        self.joined(Binary::And, terms)
    }

    /// One of them.
    pub fn any(&mut self, terms: &[Term]) -> Term {
        self.joined(Binary::Or, terms)
    }

    fn joined(&mut self, op: Binary, terms: &[Term]) -> Term {
        let neutral = op == Binary::And;
        let constant = |term: &Term| match self.nodes[term.0] {
            Node::Constant(value) => Some(value),
            _ => None,
        };
        if terms.iter().any(|term| constant(term) == Some(!neutral)) {
            return self.constant(!neutral);
        }
        let rest: Vec<Term> = terms.iter().copied().filter(|term| constant(term).is_none()).collect();
        match rest[..] {
            [] => self.constant(neutral),
            [one] => one,
            _ => self.node(Node::Joined(op, rest)),
        }
    }

    /// The term as an expression, unless it is too large.
    pub fn expr(&self, term: Term) -> Option<Expr> {
        enum Open {
            Term(Term),
            Op(Binary),
        }
        let mut ops: Vec<Op> = Vec::new();
        let mut open = vec![Open::Term(term)];
        while let Some(next) = open.pop() {
            match next {
                Open::Op(op) => ops.push(Op::Binary(op)),
                Open::Term(term) => match &self.nodes[term.0] {
                    Node::Constant(value) => ops.push(Op::Bool(*value)),
                    Node::Leaf(expr) => ops.extend(expr.ops()),
                    Node::Joined(op, parts) => {
                        // a, b, op, c, op, …: the last is pushed first.
                        for (number, part) in parts.iter().enumerate().rev() {
                            if number > 0 {
                                open.push(Open::Op(*op));
                            }
                            open.push(Open::Term(*part));
                        }
                    }
                },
            }
            if ops.len() > MAX_OPERATIONS {
                return None;
            }
        }
        Expr::from_postorder(ops)
    }
}
