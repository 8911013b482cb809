//! Systems as short text, to compare with.

use std::fmt::Write;

use puch::boolprog::{Options, Program, read};
use spds_format::Spds;
use spds_format::expr::{Binary, Expr, Op, Time, Unary};
use spds_format::model::{FrameId, Name, Stack, SymbolId, Var};

/// Reads a program that must be accepted.
pub fn accept_with(text: &str, options: &Options) -> Program {
    read(text, "test.bp", options).unwrap_or_else(|complaints| panic!("{text}\nis refused: {complaints:#?}"))
}

/// The same with default options.
pub fn accept(text: &str) -> Program {
    accept_with(text, &Options::default())
}

/// The system as text: declarations, then each symbol with its rules. (The loops at `@end` and `@fail` are checked and left
/// out.)
pub fn show(spds: &Spds) -> String {
    let mut out = String::new();
    let name = |symbol: SymbolId| spds.symbol(symbol).name.to_string();
    let globals: Vec<&str> = spds.globals.iter().map(|v| &*v.name).collect();
    writeln!(out, "globals {}", globals.join(" ")).expect("a string");
    for frame in &spds.frames {
        let variables: Vec<&str> = frame.variables.iter().map(|v| &*v.name).collect();
        writeln!(out, "frame {} {}", frame.name, variables.join(" ")).expect("a string");
    }
    let stack: Vec<String> = spds.start.stack.iter().map(|s| name(*s)).collect();
    let top = spds.symbol(spds.start.stack[0]).frame;
    write!(out, "start {}", stack.join(" ")).expect("a string");
    if let Some(condition) = &spds.start.condition {
        write!(out, " [{}]", infix(spds, condition, top, top)).expect("a string");
    }
    out.push('\n');
    for (index, symbol) in spds.symbols.iter().enumerate() {
        let id = SymbolId(index as u32);
        let rules: Vec<_> = spds.rules.iter().filter(|rule| rule.from.symbol == id).collect();
        if Some(id) == spds.end || Some(id) == spds.fail {
            assert!(
                matches!(rules[..], [rule] if rule.stack == Stack::Swap(id) && !rule.silent && rule.guard.is_none())
            );
            continue;
        }
        let place = symbol.place.expect("statements have places");
        write!(out, "{} {}:{}", symbol.name, place.line, place.column).expect("a string");
        for label in &symbol.labels {
            write!(out, " {label}:").expect("a string");
        }
        if let Some(invariant) = &symbol.invariant {
            write!(out, " always {}", infix(spds, invariant, symbol.frame, symbol.frame)).expect("a string");
        }
        out.push('\n');
        for rule in rules {
            out.push_str("  ");
            if rule.silent {
                out.push_str("silent ");
            }
            if let Some(guard) = &rule.guard {
                write!(out, "[{}] ", infix(spds, guard, symbol.frame, None)).expect("a string");
            }
            let after = match rule.stack {
                Stack::Pop => {
                    out.push_str("pop");
                    None
                }
                Stack::Swap(to) => {
                    write!(out, "-> {}", name(to)).expect("a string");
                    spds.symbol(to).frame
                }
                Stack::Push(to, site) => {
                    write!(out, "-> {} {}", name(to), name(site)).expect("a string");
                    spds.symbol(to).frame
                }
            };
            for update in rule.updates.iter() {
                assert_eq!((update.time, &update.index), (Time::After, &None));
                let var = variable(spds, update.var, after);
                write!(out, ", {var} := {}", infix(spds, &update.value, symbol.frame, None)).expect("a string");
            }
            if let Some(with) = &rule.with {
                write!(out, " with {}", infix(spds, with, symbol.frame, after)).expect("a string");
            }
            out.push('\n');
        }
    }
    out
}

/// The rules alone, one program line by line: for short comparisons.
pub fn rules(text: &str) -> String {
    rules_with(text, &Options::default())
}

/// The same with options.
pub fn rules_with(text: &str, options: &Options) -> String {
    let all = show(&accept_with(text, options).spds);
    all.lines().filter(|line| !line.starts_with("frame") && !line.starts_with("globals")).collect::<Vec<_>>().join("\n")
}

fn variable(spds: &Spds, var: Var, frame: Option<FrameId>) -> Name {
    match var {
        Var::Global(index) => spds.globals[index as usize].name.clone(),
        Var::Local(index) => spds.frame(frame.expect("a frame")).variables[index as usize].name.clone(),
    }
}

fn infix(spds: &Spds, expr: &Expr, before: Option<FrameId>, after: Option<FrameId>) -> String {
    let mut stack: Vec<String> = Vec::new();
    for op in expr.ops() {
        let operands = stack.split_off(stack.len() - op.arity());
        let joined = |sign: &str| format!("({})", operands.join(sign));
        stack.push(match op {
            Op::Bool(value) => u8::from(*value).to_string(),
            Op::Any => "*".to_owned(),
            Op::Read(var, Time::Before) => variable(spds, *var, before).to_string(),
            Op::Read(var, Time::After) => format!("'{}", variable(spds, *var, after)),
            Op::Unary(Unary::Not) => format!("!{}", operands.concat()),
            Op::Binary(Binary::And) => joined(" & "),
            Op::Binary(Binary::Or) => joined(" | "),
            Op::Binary(Binary::Xor) => joined(" ^ "),
            Op::Binary(Binary::Implies) => joined(" => "),
            Op::Binary(Binary::Iff) => joined(" = "),
            Op::Ite => format!("({} ? {} : {})", operands[0], operands[1], operands[2]),
            Op::Choose => format!("schoose[{}]", operands.join(", ")),
            other => panic!("{other:?} cannot come from a Boolean program"),
        });
    }
    stack.concat()
}
