//! Conjunctions as SMT-LIB scripts, in the logic QF_BV.

use std::fmt::Write;

use super::term::{Node, Term, Terms};
use super::value::Operator;

/// A script that asks whether these conditions can all be true: what occurs in them is declared and defined, then `check-sat`. All of it
/// is popped again.
pub(super) fn script(terms: &Terms, conditions: &[Term]) -> String {
    let mut script = "(push 1)\n".to_owned();
    for term in terms.postorder(conditions, |_| true) {
        let (name, width) = (name(terms, term), terms.width(term));
        // Writing to a text does not fail.
        let _ = match terms.node(term) {
            Node::Variable(_) => writeln!(script, "(declare-const {name} (_ BitVec {width}))"),
            _ => writeln!(script, "(define-fun {name} () (_ BitVec {width}) {})", operation(terms, term)),
        };
    }
    for &condition in conditions {
        let _ = writeln!(script, "(assert (= {} #b1))", name(terms, condition));
    }
    script + "(check-sat)\n(pop 1)\n"
}

fn name(terms: &Terms, term: Term) -> String {
    match terms.node(term) {
        Node::Variable(number) => format!("v{number}"),
        _ => format!("t{}", term.index()),
    }
}

fn number(value: u128, width: u8) -> String {
    format!("(_ bv{value} {width})")
}

/// A term that is no variable, by the names of its operands.
fn operation(terms: &Terms, term: Term) -> String {
    let (of, width) = (|operand| name(terms, operand), terms.width(term));
    match terms.node(term) {
        Node::Variable(_) => of(term),
        Node::Constant(value) => number(*value, width),
        Node::Sum(parts, constant) => {
            let multiple = |&(part, by): &(Term, u128)| format!("(bvmul {} {})", of(part), number(by, width));
            parts.iter().map(multiple).fold(number(*constant, width), |sum, part| format!("(bvadd {sum} {part})"))
        }
        Node::Product(factors) => {
            let one = number(1, width);
            factors.iter().map(|&factor| of(factor)).fold(one, |product, factor| format!("(bvmul {product} {factor})"))
        }
        &Node::Binary(operator, a, b) => {
            let applied = format!("({} {} {})", function(operator), of(a), of(b));
            let compares = matches!(operator, Operator::Eq | Operator::Ult | Operator::Slt);
            if compares { format!("(ite {applied} #b1 #b0)") } else { applied }
        }
        &Node::Not(a) => format!("(bvnot {})", of(a)),
        &Node::Ite(condition, yes, no) => format!("(ite (= {} #b1) {} {})", of(condition), of(yes), of(no)),
        &Node::Extend { signed, of: a } => {
            let how = if signed { "sign_extend" } else { "zero_extend" };
            format!("((_ {how} {}) {})", width - terms.width(a), of(a))
        }
        &Node::Extract { of: a, low } => format!("((_ extract {} {low}) {})", low + width - 1, of(a)),
    }
}

fn function(operator: Operator) -> &'static str {
    match operator {
        Operator::Udiv => "bvudiv",
        Operator::Urem => "bvurem",
        Operator::Sdiv => "bvsdiv",
        Operator::Srem => "bvsrem",
        Operator::Shl => "bvshl",
        Operator::Lshr => "bvlshr",
        Operator::Ashr => "bvashr",
        Operator::And => "bvand",
        Operator::Xor => "bvxor",
        Operator::Eq => "=",
        Operator::Ult => "bvult",
        Operator::Slt => "bvslt",
    }
}
