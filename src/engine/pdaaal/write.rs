//! Writing a system without data.

use std::collections::{BTreeMap, BTreeSet};

use spds_format::Spds;
use spds_format::expr::{Binary, Expr, Op};
use spds_format::model::{ControlId, Name, Stack, SymbolId};

/// A system in PDAAAL's notation, with names for states and, beside `"pda"`, where runs start; and remarks on what is not quite
/// the same. The states come in the order of the control locations, the labels of each in that of its first rule.
///
/// A push in this notation leaves the label below that was on top before. A call that goes on elsewhere is written as two
/// rules, through a state of its own: first the return site in the place of the top, then the callee on it.
///
/// # Errors
/// What the notation cannot say, each construct with its place: data (variables, relations, invariants), silent rules, and a
/// symbol `*`, which means another thing there.
pub fn write(spds: &Spds) -> Result<(String, Vec<String>), Vec<String>> {
    let refused = refusals(spds);
    if !refused.is_empty() {
        return Err(refused);
    }
    let mut states = States { names: spds.controls.clone(), rules: vec![Vec::new(); spds.controls.len()] };
    let mut remarks = Vec::new();
    let possible = |condition: &Option<Expr>| condition.as_ref().is_none_or(|e| constant(e).is_some_and(|(t, _)| t));
    let calls = calls(spds, &mut states);
    for rule in spds.rules.iter().filter(|rule| possible(&rule.guard) && possible(&rule.with)) {
        let (from, top) = (rule.from.control.0 as usize, rule.from.symbol);
        let written = match rule.stack {
            Stack::Pop => (top, Does::Pop, rule.to),
            Stack::Swap(to) => (top, Does::Swap(to), rule.to),
            Stack::Push(callee, below) if below == top => (top, Does::Push(callee), rule.to),
            Stack::Push(callee, below) => (top, Does::Swap(below), calls[&(rule.to, callee)]),
        };
        states.rules[from].push(written);
    }
    if !calls.is_empty() {
        remarks.push("a call that does not return to where it began is two steps in this notation".into());
    }
    if spds.symbols.iter().any(|symbol| symbol.frame.is_some() || !symbol.labels.is_empty()) || !spds.atoms.is_empty() {
        remarks.push("procedures, labels and atoms have no place in this notation".into());
    }
    Ok((print(spds, &states), remarks))
}

/// What is written: states with their rules.
struct States {
    names: Vec<Name>,
    rules: Vec<Vec<(SymbolId, Does, ControlId)>>,
}

#[derive(Clone, Copy)]
enum Does {
    Pop,
    Swap(SymbolId),
    Push(SymbolId),
}

/// The states between the two rules of a call, by where the call leads, with their rules.
fn calls(spds: &Spds, states: &mut States) -> BTreeMap<(ControlId, SymbolId), ControlId> {
    let mut calls = BTreeMap::new();
    let mut sites = BTreeSet::new();
    let mut known: BTreeSet<Name> = spds.controls.iter().cloned().collect();
    for rule in &spds.rules {
        let Stack::Push(callee, below) = rule.stack else { continue };
        if below == rule.from.symbol {
            continue;
        }
        let state = *calls.entry((rule.to, callee)).or_insert_with(|| {
            let mut name = format!("{}+{}", spds.controls[rule.to.0 as usize], spds.symbol(callee).name);
            while !known.insert(Name::from(&name)) {
                name.push('+');
            }
            states.names.push(name.into());
            states.rules.push(Vec::new());
            ControlId(states.names.len() as u32 - 1)
        });
        if sites.insert((state, below)) {
            states.rules[state.0 as usize].push((below, Does::Push(callee), rule.to));
        }
    }
    calls
}

fn print(spds: &Spds, states: &States) -> String {
    let mut out = String::from("{\n  \"start\": {\"state\": ");
    text(&mut out, &spds.controls[spds.start.control.0 as usize]);
    out.push_str(", \"stack\": [");
    for (number, symbol) in spds.start.stack.iter().enumerate() {
        out.push_str(if number == 0 { "" } else { ", " });
        text(&mut out, &spds.symbol(*symbol).name);
    }
    out.push_str("]},\n  \"pda\": {\n    \"states\": {");
    // The number of each symbol's list within the state at hand, if it is of this state.
    let mut place = vec![(u32::MAX, 0); spds.symbols.len()];
    for (number, rules) in states.rules.iter().enumerate() {
        let state = number as u32;
        out.push_str(if number == 0 { "\n      " } else { ",\n      " });
        text(&mut out, &states.names[number]);
        out.push_str(": {");
        let mut labels: Vec<Vec<(SymbolId, Does, ControlId)>> = Vec::new();
        for rule in rules {
            let known = &mut place[rule.0.0 as usize];
            if known.0 != state {
                *known = (state, labels.len());
                labels.push(Vec::new());
            }
            labels[known.1].push(*rule);
        }
        for (number, rules) in labels.iter().enumerate() {
            out.push_str(if number == 0 { "\n        " } else { ",\n        " });
            text(&mut out, &spds.symbol(rules[0].0).name);
            out.push_str(": ");
            if let [only] = rules[..] {
                write_rule(&mut out, spds, states, only);
                continue;
            }
            for (number, rule) in rules.iter().enumerate() {
                out.push_str(if number == 0 { "[\n          " } else { ",\n          " });
                write_rule(&mut out, spds, states, *rule);
            }
            out.push_str("\n        ]");
        }
        out.push_str(if labels.is_empty() { "}" } else { "\n      }" });
    }
    out.push_str("\n    }\n  }\n}\n");
    out
}

fn write_rule(out: &mut String, spds: &Spds, states: &States, (_, does, to): (SymbolId, Does, ControlId)) {
    out.push_str("{\"to\": ");
    text(out, &states.names[to.0 as usize]);
    match does {
        Does::Pop => out.push_str(", \"pop\": \"\""),
        Does::Swap(to) => {
            out.push_str(", \"swap\": ");
            text(out, &spds.symbol(to).name);
        }
        Does::Push(top) => {
            out.push_str(", \"push\": ");
            text(out, &spds.symbol(top).name);
        }
    }
    out.push('}');
}

/// A text in quotes.
pub(super) fn text(out: &mut String, name: &str) {
    let quoted = serde_json::to_string(name).expect("a string can be written as JSON");
    out.push_str(&quoted);
}

/// So many constructs are listed; the others are counted.
const LISTED: usize = 20;

/// What is listed so far, and how much is not.
#[derive(Default)]
struct Refusals {
    all: Vec<String>,
    more: usize,
}

impl Refusals {
    fn refuse(&mut self, reason: impl FnOnce() -> String) {
        if self.all.len() < LISTED {
            self.all.push(reason());
        } else {
            self.more += 1;
        }
    }

    fn variables(&mut self, spds: &Spds) {
        for variable in &spds.globals {
            let name = &variable.name;
            self.refuse(|| format!("there is no data in this notation, and the system has the global `{name}`"));
        }
        for frame in &spds.frames {
            for variable in &frame.variables {
                let (name, frame) = (&variable.name, &frame.name);
                self.refuse(|| {
                    format!("there is no data in this notation, and the frame `{frame}` has the variable `{name}`")
                });
            }
        }
    }

    fn finish(mut self) -> Vec<String> {
        if self.more > 0 {
            self.all.push(format!("and {} more", self.more));
        }
        self.all
    }
}

/// The variables of a system, as reasons for which the notation cannot say it.
pub(super) fn data(spds: &Spds) -> Vec<String> {
    let mut refusals = Refusals::default();
    refusals.variables(spds);
    refusals.finish()
}

/// What the notation cannot say.
fn refusals(spds: &Spds) -> Vec<String> {
    let mut refusals = Refusals::default();
    refusals.variables(spds);
    for symbol in &spds.symbols {
        if &*symbol.name == "*" {
            refusals.refuse(|| "the symbol `*` would stand for every symbol".into());
        }
        if symbol.invariant.is_some() {
            refusals.refuse(|| {
                format!("there are no invariants in this notation, and the symbol `{}` has one", symbol.name)
            });
        }
    }
    if spds.start.condition.as_ref().is_some_and(|condition| constant(condition) != Some((true, false))) {
        refusals.refuse(|| "there are no conditions in this notation, and the start has one".into());
    }
    for (number, rule) in spds.rules.iter().enumerate() {
        let mut refuse = |what: &str| {
            refusals.refuse(|| {
                let (control, symbol) = (rule.from.control, rule.from.symbol);
                let head = format!("<{}, {}>", spds.controls[control.0 as usize], spds.symbol(symbol).name);
                format!("{what}: rule {} from {head}", number + 1)
            });
        };
        // What reads a variable has been refused with the variable.
        if [&rule.guard, &rule.with].iter().any(|e| e.as_ref().is_some_and(|e| constant(e).is_none())) {
            refuse("there are no conditions in this notation");
        }
        if rule.silent {
            refuse("there are no silent rules in this notation");
        }
    }
    refusals.finish()
}

/// What an expression without variables is: may it be true, may it be false. `None` if it has variables or numbers.
fn constant(expression: &Expr) -> Option<(bool, bool)> {
    let mut stack: Vec<(bool, bool)> = Vec::new();
    for op in expression.ops() {
        let next = match op {
            Op::Bool(value) => (*value, !value),
            Op::Any => (true, true),
            Op::Unary(_) => {
                let (t, f) = stack.pop()?;
                (f, t)
            }
            Op::Binary(binary) => {
                let ((tb, fb), (ta, fa)) = (stack.pop()?, stack.pop()?);
                match binary {
                    Binary::And => (ta & tb, fa | fb),
                    Binary::Or => (ta | tb, fa & fb),
                    Binary::Implies => (fa | tb, ta & fb),
                    Binary::Xor => (ta & fb | fa & tb, ta & tb | fa & fb),
                    Binary::Iff => (ta & tb | fa & fb, ta & fb | fa & tb),
                    _ => return None,
                }
            }
            Op::Choose => {
                let ((_, fb), (ta, fa)) = (stack.pop()?, stack.pop()?);
                (ta | fa & fb, fa)
            }
            Op::Ite => {
                let ((tb, fb), (ta, fa), (tc, fc)) = (stack.pop()?, stack.pop()?, stack.pop()?);
                (tc & ta | fc & tb, tc & fa | fc & fb)
            }
            _ => return None,
        };
        stack.push(next);
    }
    stack.pop()
}
