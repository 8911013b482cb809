//! Expressions that dialects read differently: the warning that shows how.
//!
//! While an expression is read, each decision between two operators that another dialect would take otherwise is noticed.
//! Only then the expression is read again, by the other tables, and the trees are compared, up to the grouping of operators
//! for which it does not matter.

use spds_format::Diagnostic;

use super::ast::{Ast, Expression, Node, Op};
use super::parser::Parser;
use super::precedence::{OTHERS, SLAM};

/// Expressions with a longer text are not written out again in a warning.
const SHOWN: usize = 300;

impl Parser<'_> {
    /// Warns if another dialect makes another tree of the expression that has just been read from there.
    pub(super) fn compare_readings(&mut self, begin: u32, expression: Expression) {
        let first = expression.0.start as usize;
        let ours = canonical(&self.ast.nodes[first..]);
        let end = self.cursor.previous_end as usize;
        let write_out = end - begin as usize <= SHOWN && !self.complaints.warnings_are_full();
        let mut readings: Vec<(Vec<Op>, String, Vec<&str>)> = Vec::new();
        for (i, table) in OTHERS.iter().enumerate() {
            if self.disputed & self.considered & (1 << i) == 0 {
                continue;
            }
            let theirs = self.read_again(begin, i);
            let tree = canonical(&theirs);
            if tree == ours {
                continue;
            }
            match readings.iter_mut().find(|(other, ..)| *other == tree) {
                Some((.., readers)) => readers.push(table.readers),
                None => {
                    let shown = if write_out { written(&self.ast, &theirs) } else { String::new() };
                    readings.push((tree, shown, vec![table.readers]));
                }
            }
        }
        if readings.is_empty() {
            return;
        }
        let span = begin as usize..end;
        let complaint = if !write_out {
            let readers: Vec<&str> = readings.iter().flat_map(|(.., readers)| readers.iter().copied()).collect();
            Diagnostic::warning(format!("this expression is read otherwise by {}", listed(&readers)), span)
                .with_label("too long to write both readings out")
        } else {
            let ours = written(&self.ast, &self.ast.nodes[first..]);
            let others: Vec<String> = readings
                .iter()
                .map(|(_, shown, readers)| {
                    let verb = if readers.len() == 1 && !readers[0].contains(" and ") { "reads" } else { "read" };
                    format!("{} {verb} `{shown}`", listed(readers))
                })
                .collect();
            Diagnostic::warning(
                format!("dialects read this differently: it is taken as `{ours}`, but {}", others.join("; ")),
                span,
            )
        };
        self.complaints.push(complaint.with_help("write the parentheses, or choose with `--dialect`"));
    }

    /// The nodes that another table makes of the expression that begins there.
    fn read_again(&mut self, begin: u32, table: usize) -> Vec<Node> {
        let cursor = self.cursor;
        let complaints = std::mem::take(&mut self.complaints);
        let disputed = self.disputed;
        let first = self.ast.nodes.len();
        self.table = OTHERS[table];
        self.cursor.seek(begin);
        let outcome = self.operands_and_operators();
        debug_assert!(outcome.is_ok() || complaints.refused(), "what is an expression does not depend on precedence");
        let nodes = self.ast.nodes.split_off(first);
        (self.cursor, self.complaints, self.disputed, self.table) = (cursor, complaints, disputed, SLAM);
        nodes
    }
}

fn listed(readers: &[&str]) -> String {
    match readers.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => readers.concat(),
    }
}

/// The tree in preorder from the right, with operators that can be regrouped freely taken together: equal for two trees
/// iff they differ at most by such grouping. (Each operator is followed by its operands and an end mark.)
fn canonical(nodes: &[Node]) -> Vec<Op> {
    /// Stands for the end of an operator's operands; no such operation occurs in a tree.
    const END: Op = Op::Name(super::ast::NameId(u32::MAX), spds_format::expr::Time::Saved);
    let mut out = Vec::with_capacity(nodes.len() * 2);
    // Operators whose operands are being listed, with how many are to come.
    let mut open: Vec<(Op, usize, bool)> = Vec::new();
    for node in nodes.iter().rev() {
        let free = matches!(node.op, Op::And | Op::Or | Op::Xor | Op::Eq | Op::Ne);
        let merged = free && open.last().is_some_and(|(op, ..)| *op == node.op);
        if !merged {
            out.push(node.op);
        }
        open.push((node.op, node.op.arity(), merged));
        while let Some(&(op, 0, merged)) = open.last() {
            open.pop();
            if op.arity() > 0 && !merged {
                out.push(END);
            }
            if let Some((_, operands, _)) = open.last_mut() {
                *operands -= 1;
            }
        }
    }
    out
}

/// The expression with all parentheses. Quadratic in depth: for short ones only.
fn written(ast: &Ast, nodes: &[Node]) -> String {
    let mut stack: Vec<String> = Vec::new();
    for node in nodes {
        let operands = stack.split_off(stack.len().saturating_sub(node.op.arity()));
        let infix = |sign: &str| format!("({})", operands.join(&format!(" {sign} ")));
        stack.push(match node.op {
            Op::Const(value) => u8::from(value).to_string(),
            Op::Any | Op::Global(..) | Op::Local(..) => "*".to_owned(),
            Op::Name(name, spds_format::expr::Time::Before) => ast.name(name).to_string(),
            Op::Name(name, _) => format!("'{}", ast.name(name)),
            Op::Not => format!("!{}", operands.concat()),
            Op::And => infix("&"),
            Op::Or => infix("|"),
            Op::Xor => infix("^"),
            Op::Implies => infix("=>"),
            Op::Eq => infix("="),
            Op::Ne => infix("!="),
            Op::Ite => match &operands[..] {
                [c, a, b] => format!("({c} ? {a} : {b})"),
                _ => operands.concat(),
            },
            Op::Choose => format!("schoose[{}]", operands.join(", ")),
        });
    }
    let all = stack.concat();
    match all.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        Some(inner) if nodes.last().is_some_and(|root| root.op.arity() > 1 && root.op != Op::Choose) => {
            inner.to_owned()
        }
        _ => all,
    }
}
