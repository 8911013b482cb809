//! Is a model one that the notation can express and an engine can take? The parser asks the same questions.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::error::{ModelError, ModelPart, Problem, Spot};
use crate::expr::{Op, Time};
use crate::model::{ControlId, FrameId, Head, Name, Rule, Scalar, Spds, Stack, SymbolId, Type, Variable};
use crate::scope::Scope;
use crate::typing::{Need, check, lookup};

/// Everything that keeps a model from being valid, in the order of the model's parts. Linear but for sorting.
///
/// Valid means: every index is that of something, names are unique where the notation needs it, expressions are well
/// typed and speak of times that they may speak of, silent rules are swaps that do not mix or go round, `end` and
/// `fail` have loops.
pub fn validate(spds: &Spds) -> Vec<ModelError> {
    let mut errors = validate_parts(spds);
    // What follows looks rules up by their indices, so these must be right.
    if !errors.iter().any(|error| matches!(error.problem, Problem::Missing { .. })) {
        errors.extend(validate_whole(spds));
    }
    errors
}

/// What can be said of each declaration and rule by itself.
pub(crate) fn validate_parts(spds: &Spds) -> Vec<ModelError> {
    let mut errors = Errors(Vec::new());
    declarations(spds, &mut errors);
    for (index, symbol) in spds.symbols.iter().enumerate() {
        let part = ModelPart::Symbol(SymbolId(index as u32));
        let mut known = errors.index(part, "frame", symbol.frame.map(|f| f.0), spds.frames.len());
        if let Some(place) = symbol.place {
            known &= errors.index(part, "source file", Some(place.file), spds.files.len());
            if place.line == 0 || place.column == 0 {
                errors.add(part, Spot::Whole, Problem::NoPlace);
            }
        }
        if let (true, Some(invariant)) = (known, &symbol.invariant) {
            let need = Need::Condition("an invariant");
            check(spds, &Scope::here(symbol.frame), invariant, need, &mut errors.at(part, Spot::Invariant));
        }
    }
    for (index, r) in spds.rules.iter().enumerate() {
        rule(spds, ModelPart::Rule(index), r, &mut errors);
    }
    start(spds, &mut errors);
    for (index, atom) in spds.atoms.iter().enumerate() {
        let part = ModelPart::Atom(index);
        if errors.index(part, "frame", atom.frame.map(|f| f.0), spds.frames.len()) {
            let scope = Scope::here(atom.frame);
            check(spds, &scope, &atom.condition, Need::Proposition, &mut errors.at(part, Spot::Condition));
        }
    }
    for (part, symbol) in [(ModelPart::End, spds.end), (ModelPart::Fail, spds.fail)] {
        errors.index(part, "symbol", symbol.map(|s| s.0), spds.symbols.len());
    }
    errors.0
}

/// What concerns rules together: silence, and the loops of `end` and `fail`. All indices must be right.
pub(crate) fn validate_whole(spds: &Spds) -> Vec<ModelError> {
    let mut errors = Errors(Vec::new());
    mixed_silence(spds, &mut errors);
    silent_cycles(spds, &mut errors);
    if let (Some(end), Some(fail)) = (spds.end, spds.fail)
        && end == fail
    {
        errors.add(ModelPart::Fail, Spot::Whole, Problem::EndIsFail);
    }
    for (part, symbol) in [(ModelPart::End, spds.end), (ModelPart::Fail, spds.fail)] {
        if let Some(symbol) = symbol {
            loops(spds, part, symbol, &mut errors);
        }
    }
    errors.0
}

struct Errors(Vec<ModelError>);

impl Errors {
    fn add(&mut self, part: ModelPart, spot: Spot, problem: Problem) {
        self.0.push(ModelError { part, spot, problem });
    }

    /// Whether the index, if there is one, is that of something.
    fn index(&mut self, part: ModelPart, what: &'static str, index: Option<u32>, length: usize) -> bool {
        let Some(index) = index.filter(|i| *i as usize >= length) else { return true };
        self.add(part, Spot::Whole, Problem::Missing { what, index });
        false
    }

    /// Takes complaints about operations of the expression there.
    fn at(&mut self, part: ModelPart, spot: impl Fn(usize) -> Spot) -> impl FnMut(usize, Problem) {
        move |op, problem| self.add(part, spot(op), problem)
    }

    fn unique<'a>(&mut self, names: impl Iterator<Item = &'a Name>, part: impl Fn(usize) -> ModelPart) {
        let mut seen = HashMap::new();
        for (index, name) in names.enumerate() {
            let first = *seen.entry(name).or_insert(index);
            if first != index {
                self.add(part(index), Spot::Whole, Problem::Duplicate { name: name.clone(), first });
            }
        }
    }
}

fn declarations(spds: &Spds, errors: &mut Errors) {
    errors.unique(spds.files.iter(), ModelPart::File);
    variables(&spds.globals, ModelPart::Global, errors);
    errors.unique(spds.frames.iter().map(|f| &f.name), |i| ModelPart::Frame(FrameId(i as u32)));
    for (index, frame) in spds.frames.iter().enumerate() {
        variables(&frame.variables, |i| ModelPart::Local(FrameId(index as u32), i), errors);
    }
    errors.unique(spds.controls.iter(), ModelPart::Control);
    if spds.controls.is_empty() {
        errors.add(ModelPart::Model, Spot::Whole, Problem::NoControl);
    }
    errors.unique(spds.symbols.iter().map(|s| &s.name), |i| ModelPart::Symbol(SymbolId(i as u32)));
    errors.unique(spds.atoms.iter().map(|a| &a.name), ModelPart::Atom);
}

fn variables(variables: &[Variable], part: impl Fn(usize) -> ModelPart + Copy, errors: &mut Errors) {
    errors.unique(variables.iter().map(|v| &v.name), part);
    for (index, variable) in variables.iter().enumerate() {
        let Type { scalar, range } = variable.ty;
        if let Scalar::Unsigned(bits @ (0 | 65..)) = scalar {
            errors.add(part(index), Spot::Whole, Problem::Bits(bits));
        }
        match range {
            Some((first, last)) if first > last => errors.add(part(index), Spot::Whole, Problem::EmptyArray),
            Some((0, u32::MAX)) => errors.add(part(index), Spot::Whole, Problem::HugeArray),
            _ => (),
        }
    }
}

fn head(spds: &Spds, part: ModelPart, head: Head, errors: &mut Errors) -> bool {
    errors.index(part, "control location", Some(head.control.0), spds.controls.len())
        & errors.index(part, "symbol", Some(head.symbol.0), spds.symbols.len())
}

fn rule(spds: &Spds, part: ModelPart, rule: &Rule, errors: &mut Errors) {
    let symbols = spds.symbols.len();
    let mut known = head(spds, part, rule.from, errors);
    known &= errors.index(part, "control location", Some(rule.to.0), spds.controls.len());
    let (top, below) = match rule.stack {
        Stack::Pop => (None, None),
        Stack::Swap(top) => (Some(top), None),
        Stack::Push(top, below) => (Some(top), Some(below)),
    };
    known &= errors.index(part, "symbol", top.map(|s| s.0), symbols);
    known &= errors.index(part, "symbol", below.map(|s| s.0), symbols);
    if rule.silent && !matches!(rule.stack, Stack::Swap(_)) {
        errors.add(part, Spot::Whole, Problem::SilentNotSwap);
    }
    let frame_known = |s: SymbolId| spds.symbol(s).frame.is_none_or(|f| (f.0 as usize) < spds.frames.len());
    if !known || ![Some(rule.from.symbol), top, below].into_iter().flatten().all(frame_known) {
        return;
    }
    let scope = spds.scope(rule);
    let here = Scope::here(spds.symbol(rule.from.symbol).frame);
    if let Some(guard) = &rule.guard {
        check(spds, &here, guard, Need::Condition("a guard"), &mut errors.at(part, Spot::Guard));
    }
    for (index, update) in rule.updates.iter().enumerate() {
        if let Some(cell) = &update.index {
            check(spds, &here, cell, Need::Index, &mut errors.at(part, |op| Spot::Index(index, op)));
        }
        let target = Spot::Target(index);
        let variable = match lookup(spds, &scope, update.var, update.time) {
            Ok(variable) if update.time == Time::Before => {
                errors.add(part, target, Problem::AssignsBefore(variable.name.clone()));
                continue;
            }
            Ok(variable) => variable,
            Err(problem) => {
                errors.add(part, target, problem);
                continue;
            }
        };
        let need = match (variable.ty.range, &update.index) {
            (None, Some(_)) => {
                errors.add(part, target, Problem::NotAnArray(variable.name.clone()));
                continue;
            }
            (Some(_), None) => {
                if update.value.ops() != [Op::Any] {
                    errors.add(part, target, Problem::WholeArray(variable.name.clone()));
                }
                continue;
            }
            _ => Need::Value(variable.ty.scalar.into()),
        };
        check(spds, &here, &update.value, need, &mut errors.at(part, |op| Spot::Value(index, op)));
    }
    if let Some(with) = &rule.with {
        check(spds, &scope, with, Need::Condition("a relation"), &mut errors.at(part, Spot::With));
    }
}

fn start(spds: &Spds, errors: &mut Errors) {
    let start = &spds.start;
    let mut known = errors.index(ModelPart::Start, "control location", Some(start.control.0), spds.controls.len());
    for symbol in &start.stack {
        known &= errors.index(ModelPart::Start, "symbol", Some(symbol.0), spds.symbols.len());
    }
    let Some(top) = start.stack.first() else {
        errors.add(ModelPart::Start, Spot::Whole, Problem::EmptyStart);
        return;
    };
    if let (true, Some(condition)) = (known, &start.condition) {
        let scope = Scope::here(spds.symbol(*top).frame);
        let need = Need::Condition("the condition of the start");
        check(spds, &scope, condition, need, &mut errors.at(ModelPart::Start, Spot::Condition));
    }
}

/// All rules of a head are silent or none is. One complaint for each head.
fn mixed_silence(spds: &Spds, errors: &mut Errors) {
    let mut seen: HashMap<Head, (usize, bool)> = HashMap::new();
    for (index, rule) in spds.rules.iter().enumerate() {
        let (first, complained) = seen.entry(rule.from).or_insert((index, false));
        if spds.rules[*first].silent != rule.silent && !*complained {
            *complained = true;
            errors.add(ModelPart::Rule(index), Spot::Whole, Problem::MixedSilence { first: *first });
        }
    }
}

/// Walks the silent swaps from head to head, depth first with a stack of our own; complains about the first cycle of
/// each walk, so that the cost stays linear.
fn silent_cycles(spds: &Spds, errors: &mut Errors) {
    let mut next: BTreeMap<Head, Vec<(usize, Head)>> = BTreeMap::new();
    for (index, rule) in spds.rules.iter().enumerate() {
        if let (true, Stack::Swap(symbol)) = (rule.silent, rule.stack) {
            next.entry(rule.from).or_default().push((index, Head { control: rule.to, symbol }));
        }
    }
    let mut done: BTreeSet<Head> = BTreeSet::new();
    for root in next.keys() {
        // The path from the root: a head, the rules tried there so far, and where the head stands on the path.
        let mut path: Vec<(Head, usize)> = Vec::new();
        let mut depth: BTreeMap<Head, usize> = BTreeMap::new();
        if !done.contains(root) {
            depth.insert(*root, 0);
            path.push((*root, 0));
        }
        let mut complained = false;
        while let Some((head, tried)) = path.last_mut() {
            let Some((_, to)) = next.get(head).and_then(|rules| rules.get(*tried)) else {
                done.insert(*head);
                depth.remove(head);
                path.pop();
                continue;
            };
            *tried += 1;
            if let Some(from) = depth.get(to) {
                if complained {
                    continue;
                }
                complained = true;
                let rules: Vec<usize> = path[*from..].iter().map(|(head, tried)| next[head][tried - 1].0).collect();
                errors.add(ModelPart::Rule(rules[0]), Spot::Whole, Problem::SilentCycle { rules });
            } else if !done.contains(to) {
                depth.insert(*to, path.len());
                path.push((*to, 0));
            }
        }
    }
}

/// The symbol loops under every control location under which it can come to the top, and does nothing else.
fn loops(spds: &Spds, part: ModelPart, symbol: SymbolId, errors: &mut Errors) {
    let name = || spds.symbol(symbol).name.clone();
    let mut has: BTreeSet<ControlId> = BTreeSet::new();
    for (index, rule) in spds.rules.iter().enumerate().filter(|(_, rule)| rule.from.symbol == symbol) {
        let plain = rule.guard.is_none() && rule.updates.is_empty() && rule.with.is_none() && !rule.silent;
        if plain && rule.to == rule.from.control && rule.stack == Stack::Swap(symbol) {
            has.insert(rule.to);
        } else {
            errors.add(ModelPart::Rule(index), Spot::Whole, Problem::NotALoop(name()));
        }
    }
    let stays_below = |stack: &[SymbolId]| stack.iter().skip(1).any(|s| *s == symbol);
    let uncovered = stays_below(&spds.start.stack)
        || spds.rules.iter().any(|rule| matches!(rule.stack, Stack::Push(_, below) if below == symbol));
    let mut needs: BTreeSet<ControlId> = BTreeSet::new();
    if spds.start.stack.first() == Some(&symbol) {
        needs.insert(spds.start.control);
    }
    for rule in &spds.rules {
        match rule.stack {
            Stack::Swap(top) | Stack::Push(top, _) if top == symbol => needs.insert(rule.to),
            Stack::Pop if uncovered => needs.insert(rule.to),
            _ => false,
        };
    }
    if needs.is_empty() && has.is_empty() {
        needs.extend((!spds.controls.is_empty()).then_some(spds.start.control));
    }
    for control in needs.difference(&has) {
        let control = spds.controls[control.0 as usize].clone();
        errors.add(part, Spot::Whole, Problem::NoLoop { symbol: name(), control });
    }
}
