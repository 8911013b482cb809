//! Quantifiers are taken apart: `A i (0, 2) e` becomes `e[i=0] & e[i=1] & e[i=2]`.

use spds_format::expr::Binary;

use super::ast::*;

/// An expression has at most so many operations when its quantifiers are taken apart.
pub(super) const MAX_OPERATIONS: usize = 1 << 20;

/// An expression is too large when its quantifiers are taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

/// A quantifier whose body is being written, for one value after the other.
struct Loop {
    quantifier: u32,
    node: usize,
    body: usize,
    value: u64,
}

/// The operations of an expression, with the given values for the variables bound around it, and without quantifiers.
pub(super) fn expand(ast: &Ast, expression: Expression, outer: &[(u32, u64)]) -> Result<Vec<Node>, TooLarge> {
    let nodes = ast.nodes(expression);
    if !nodes.iter().any(|node| matches!(node.op, Op::Bound(_) | Op::Quantified(_))) {
        return Ok(nodes.to_vec());
    }
    // For each node at which bodies of quantifiers begin, the quantifiers, the outermost last.
    let mut opening: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    let mut starts: Vec<usize> = Vec::new();
    for (at, node) in nodes.iter().enumerate() {
        let first = starts.len() - ast.arity(node.op);
        let start = starts.get(first).copied().unwrap_or(at);
        starts.truncate(first);
        starts.push(start);
        if let Op::Quantified(_) = node.op {
            opening[start].push(at);
        }
    }
    let mut out = Vec::new();
    let mut loops: Vec<Loop> = Vec::new();
    let mut at = 0;
    // Quantifiers at or after this one have been entered already.
    let mut entered = usize::MAX;
    while at < nodes.len() {
        for &node in opening[at].iter().rev().filter(|node| **node < entered) {
            if let Op::Quantified(quantifier) = nodes[node].op {
                loops.push(Loop { quantifier, node, body: at, value: ast.quantifiers[quantifier as usize].low });
            }
        }
        entered = usize::MAX;
        let node = nodes[at];
        match node.op {
            Op::Bound(quantifier) => {
                let inner = loops.iter().rev().find(|open| open.quantifier == quantifier).map(|open| open.value);
                let value = inner.or_else(|| outer.iter().rev().find(|(q, _)| *q == quantifier).map(|(_, v)| *v));
                out.push(Node { op: Op::Number(value.unwrap_or(0)), ..node });
            }
            Op::Quantified(index) => {
                let quantifier = ast.quantifiers[index as usize];
                let Some(open) = loops.last_mut().filter(|open| open.node == at) else { return Err(TooLarge) };
                if open.value > quantifier.low {
                    let op = if quantifier.which == Which::All { Binary::And } else { Binary::Or };
                    out.push(Node { op: Op::Binary(op), ..node });
                }
                if open.value < quantifier.high {
                    open.value += 1;
                    (entered, at) = (open.node, open.body);
                    continue;
                }
                loops.pop();
            }
            _ => out.push(node),
        }
        if out.len() > MAX_OPERATIONS {
            return Err(TooLarge);
        }
        at += 1;
    }
    Ok(out)
}

/// Values of quantified variables.
pub(super) type Bound = Vec<(u32, u64)>;

/// So many assignments at most are made at once, or to choose from: an array has half as many cells, and each takes a
/// thousand bytes on its way into a rule.
const MOST_ASSIGNMENTS: usize = 1 << 17;

/// The ways to choose values for the quantifiers before an assignment: for each way all assignments that are made at once,
/// as the values of the quantified variables. `None` if there are too many.
pub(super) fn choices(ast: &Ast, prefix: Piece) -> Option<Vec<Vec<Bound>>> {
    let mut ways: Vec<Vec<Bound>> = vec![vec![Vec::new()]];
    let mut total = 1usize;
    for &index in &ast.prefixes[prefix.range()] {
        let quantifier = ast.quantifiers[index as usize];
        let size = usize::try_from(quantifier.count()).ok().filter(|size| *size <= MOST_ASSIGNMENTS)?;
        let values = quantifier.low..=quantifier.high;
        let extended = |instance: &Bound, value: u64| [&instance[..], &[(index, value)]].concat();
        ways = match quantifier.which {
            Which::All => {
                total = total.checked_mul(size).filter(|total| *total <= MOST_ASSIGNMENTS)?;
                let all = |way: &Vec<Bound>| {
                    way.iter().flat_map(|one| values.clone().map(move |value| extended(one, value))).collect()
                };
                ways.iter().map(all).collect()
            }
            // Each of the assignments chooses for itself.
            Which::Some => {
                let mut chosen = Vec::new();
                for way in &ways {
                    let mut partial: Vec<Vec<Bound>> = vec![Vec::new()];
                    for instance in way {
                        let count = partial.len().checked_mul(size).filter(|count| *count <= MOST_ASSIGNMENTS)?;
                        total = total.max(count.checked_mul(way.len()).filter(|total| *total <= MOST_ASSIGNMENTS)?);
                        let mut next = Vec::with_capacity(count);
                        for done in &partial {
                            for value in values.clone() {
                                let mut more = done.clone();
                                more.push(extended(instance, value));
                                next.push(more);
                            }
                        }
                        partial = next;
                    }
                    chosen.extend(partial);
                    if chosen.len().checked_mul(way.len())? > MOST_ASSIGNMENTS {
                        return None;
                    }
                }
                total = total.max(chosen.iter().map(Vec::len).sum());
                chosen
            }
        };
    }
    Some(ways)
}
