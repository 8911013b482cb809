//! Systems with procedures that are equal up to names.

use fastrand::Rng;
use spds_format::Spds;
use spds_format::model::{Frame, FrameId, Head, Rule, Stack, Symbol, SymbolId};

use super::pick;

/// The same system with copies of its procedures, up to two of each, calls going to any of them, and more calls from where it starts.
pub fn with_copies(rng: &mut Rng, mut spds: Spds) -> Spds {
    // For each symbol those that are equal to it.
    let mut alike: Vec<Vec<SymbolId>> = (0..spds.symbols.len() as u32).map(|symbol| vec![SymbolId(symbol)]).collect();
    for frame in (0..spds.frames.len() as u32).map(FrameId) {
        for number in 0..rng.u32(..3) {
            copy(&mut spds, &mut alike, frame, number);
        }
    }
    let entry = |rule: &Rule| if let Stack::Push(entry, _) = rule.stack { Some(entry) } else { None };
    let entries: Vec<SymbolId> = spds.rules.iter().filter_map(entry).collect();
    let first = spds.symbol(spds.start.stack[0]).frame;
    let frames: Vec<Option<FrameId>> = spds.symbols.iter().map(|symbol| symbol.frame).collect();
    let is_first = |symbol: SymbolId| first.is_some() && frames[symbol.0 as usize] == first;
    for rule in &mut spds.rules {
        if let Stack::Swap(next) = rule.stack
            && is_first(rule.from.symbol)
            && is_first(next)
            && !rule.silent
            && rule.with.is_none()
            && rule.updates.iter().next().is_none()
            && !entries.is_empty()
        {
            rule.stack = Stack::Push(*pick(rng, &entries), next);
        }
    }
    for rule in &mut spds.rules {
        if let Stack::Push(entry, below) = rule.stack {
            let original = alike.iter().find(|all| all.contains(&entry)).expect("each symbol is one of those");
            rule.stack = Stack::Push(*pick(rng, original), below);
        }
    }
    spds
}

fn copy(spds: &mut Spds, alike: &mut [Vec<SymbolId>], frame: FrameId, number: u32) {
    let new_frame = FrameId(spds.frames.len() as u32);
    let Frame { name, variables } = spds.frame(frame).clone();
    spds.frames.push(Frame { name: format!("{}'{number}", &*name).as_str().into(), variables });
    let mut new: Vec<SymbolId> = (0..alike.len() as u32).map(SymbolId).collect();
    for (old, copies) in alike.iter_mut().enumerate() {
        let symbol = &spds.symbols[old];
        if symbol.frame == Some(frame) {
            let name = format!("{}'{number}", &*symbol.name).as_str().into();
            let symbol = Symbol { name, frame: Some(new_frame), ..symbol.clone() };
            new[old] = SymbolId(spds.symbols.len() as u32);
            copies.push(new[old]);
            spds.symbols.push(symbol);
        }
    }
    let moved = |symbol: SymbolId| new.get(symbol.0 as usize).copied().unwrap_or(symbol);
    let of_frame = |rule: &&Rule| spds.symbol(rule.from.symbol).frame == Some(frame);
    let rules: Vec<Rule> = spds.rules.iter().filter(of_frame).cloned().collect();
    spds.rules.extend(rules.into_iter().map(|rule| Rule {
        from: Head { symbol: moved(rule.from.symbol), ..rule.from },
        stack: match rule.stack {
            Stack::Swap(symbol) => Stack::Swap(moved(symbol)),
            Stack::Push(entry, below) => Stack::Push(moved(entry), moved(below)),
            Stack::Pop => Stack::Pop,
        },
        ..rule
    }));
}
