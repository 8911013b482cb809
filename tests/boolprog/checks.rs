//! What must be so whatever the text: shared by the stable tests and the fuzz target.

use puch::boolprog::{Asserts, Dialect, Options, predicate, read};
use spds_format::expr::{Expr, Time};
use spds_format::model::{Spds, Stack, SymbolId, Var};

use super::complaints::{in_order, refused};

/// Reads any bytes as a program, in every dialect, and as a proposition: they are taken or refused in good order.
pub fn read_anything(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for dialect in [Dialect::Auto, Dialect::Slam, Dialect::Satabs, Dialect::Bopp] {
        let asserts = if dialect == Dialect::Slam { Asserts::Assume } else { Asserts::Check };
        match read(&text, "any", &Options { dialect, asserts, entry: None }) {
            Ok(program) => {
                in_order(&text, &program.warnings);
                assert!(program.warnings.iter().all(|warning| !warning.is_error()));
                consistent(&program.spds);
                if let Err(complaints) = predicate(&text, &program.spds, dialect, None) {
                    in_order(&text, &complaints);
                }
            }
            Err(complaints) => refused(&text, &complaints),
        }
    }
}

/// Indices are in range; every symbol has rules, all silent ones or none; only hidden sites are silent.
fn consistent(spds: &Spds) {
    let mut seen = vec![None; spds.symbols.len()];
    for rule in &spds.rules {
        let from = rule.from.symbol;
        let silent = *seen[from.0 as usize].get_or_insert(rule.silent);
        assert_eq!(silent, rule.silent);
        assert_eq!(rule.silent, spds.symbol(from).name.ends_with('$') && spds.symbol(from).name.contains('/'));
        let after = match rule.stack {
            Stack::Pop => None,
            Stack::Swap(to) => Some(to),
            Stack::Push(to, site) => {
                assert_eq!(spds.symbol(site).frame, spds.symbol(from).frame);
                Some(to)
            }
        };
        assert!(!rule.silent || matches!(rule.stack, Stack::Swap(to) if !spds.symbol(to).name.ends_with('$')));
        let check = |expr: &Expr| {
            for (var, time) in expr.reads() {
                variable(spds, var, if time == Time::Before { Some(from) } else { after });
            }
        };
        rule.guard.iter().chain(&rule.with).chain(rule.updates.iter().map(|update| &update.value)).for_each(check);
        for (i, update) in rule.updates.iter().enumerate() {
            variable(spds, update.var, after);
            // (Quadratic: only where it is cheap.)
            assert!(rule.updates.len() > 64 || rule.updates[..i].iter().all(|other| other.var != update.var));
        }
    }
    assert!(seen.iter().all(Option::is_some), "every symbol has a rule");
    assert_eq!(spds.start.stack.len(), 2);
}

fn variable(spds: &Spds, var: Var, symbol: Option<SymbolId>) {
    let there = match var {
        Var::Global(index) => spds.globals.len() as u32 > index,
        Var::Local(index) => spds.locals(symbol.expect("a frame")).len() as u32 > index,
    };
    assert!(there, "{var:?} does not exist");
}
