//! Formulas as text, with parentheses around everything, so that no reader can misunderstand them.

use super::formula::{Formula, Formulas, Ltl, Op};

/// The formula, each operator between two operands in parentheses of its own; the whole without.
pub fn parenthesised(ltl: &Ltl) -> String {
    print(&ltl.formulas, ltl.root)
}

/// What is still to be written.
enum Task {
    Text(&'static str),
    /// The operand of a prefix, inside of parentheses unless it is a prefix itself, or a proposition.
    Inner(Formula),
    /// The operand of an operator between two, inside of parentheses unless it is a literal.
    Side(Formula),
}

pub(super) fn print(formulas: &Formulas, formula: Formula) -> String {
    let mut text = String::new();
    let mut tasks = Vec::new();
    open(formulas, formula, &mut text, &mut tasks);
    while let Some(task) = tasks.pop() {
        match task {
            Task::Text(piece) => text.push_str(piece),
            Task::Inner(formula) | Task::Side(formula) => {
                let operands = formulas.operands(formula);
                let literal = matches!(operands, [only] if formulas.op(formula) == Op::Not && formulas.operands(*only).is_empty());
                let beside = matches!(task, Task::Side(_)) && operands.len() == 1 && !literal;
                let enclosed = operands.len() >= 2 || beside;
                if enclosed {
                    text.push('(');
                    tasks.push(Task::Text(")"));
                }
                open(formulas, formula, &mut text, &mut tasks);
            }
        }
    }
    text
}

/// Writes what comes first and remembers the rest.
fn open(formulas: &Formulas, formula: Formula, text: &mut String, tasks: &mut Vec<Task>) {
    let operands = formulas.operands(formula);
    let prefix = match formulas.op(formula) {
        Op::True => "true",
        Op::False => "false",
        Op::Proposition(index) => return text.push_str(&formulas.propositions()[index as usize].kind.to_string()),
        Op::Not => "!",
        Op::Next => "X ",
        Op::Finally => "F ",
        Op::Globally => "G ",
        infix => {
            let infix = symbol(infix);
            for (index, operand) in operands.iter().enumerate().rev() {
                tasks.push(Task::Side(*operand));
                if index > 0 {
                    tasks.push(Task::Text(infix));
                }
            }
            return;
        }
    };
    text.push_str(prefix);
    tasks.extend(operands.iter().map(|operand| Task::Inner(*operand)));
}

fn symbol(op: Op) -> &'static str {
    match op {
        Op::Until => " U ",
        Op::Release => " R ",
        Op::WeakUntil => " W ",
        Op::StrongRelease => " M ",
        Op::Implies => " -> ",
        Op::And => " & ",
        Op::Or => " | ",
        Op::Xor => " xor ",
        _ => " <-> ",
    }
}
