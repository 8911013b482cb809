//! How high stacks get, by concrete values: the longest way from call to call; and once more, all stacks one by one.

use std::collections::{BTreeMap, BTreeSet};

use spds_format::Spds;
use spds_format::model::SymbolId;

use super::{Context, Explored, Next, State, locals, resume, starts, successors};

/// What symbols on a stack count.
pub type Weight<'a> = &'a dyn Fn(SymbolId) -> u64;

/// One for each symbol, but for that below a program.
pub fn frames(spds: &Spds) -> impl Fn(SymbolId) -> u64 {
    let end = spds.end;
    move |symbol| u64::from(Some(symbol) != end)
}

/// The greatest sum of what the symbols of a stack count; `None` where there is none.
pub fn greatest(spds: &Spds, explored: &Explored, weight: Weight<'_>) -> Option<u64> {
    let seen = || explored.edges.iter().filter(|(_, state)| !is_hidden(spds, state));
    let mut tops: BTreeMap<&Context, u64> = BTreeMap::new();
    for (context, state) in seen() {
        let top = tops.entry(context).or_default();
        *top = weight(state.symbol).max(*top);
    }
    let mut calls: BTreeMap<(&Context, &Context), u64> = BTreeMap::new();
    for (context, state) in seen() {
        for (_, next) in successors(spds, state) {
            let Next::Push(entry, site, _) = next else { continue };
            // A callee that is never seen is not entered.
            let Some((callee, _)) = tops.get_key_value(&Context::Call(entry)) else { continue };
            let most = calls.entry((context, callee)).or_default();
            *most = weight(site).max(*most);
        }
    }
    // What lies below each call, from outside to inside; what is left over goes round.
    let mut open: BTreeMap<&Context, usize> = tops.keys().map(|context| (*context, 0)).collect();
    calls.keys().for_each(|(_, callee)| *open.get_mut(callee).expect("it is seen") += 1);
    let start = |context: &Context| match context {
        Context::Start(gone) => spds.start.stack[gone + 1..].iter().map(|symbol| weight(*symbol)).sum(),
        Context::Call(_) => 0,
    };
    let mut below: BTreeMap<&Context, u64> = tops.keys().map(|context| (*context, start(context))).collect();
    let mut ready: Vec<&Context> = open.iter().filter(|(_, open)| **open == 0).map(|(context, _)| *context).collect();
    let (mut done, mut most) = (0, 0);
    while let Some(context) = ready.pop() {
        done += 1;
        most = most.max(below[context] + tops[context]);
        for ((_, callee), site) in calls.iter().filter(|((caller, _), _)| *caller == context) {
            let under = (below[context] + site).max(below[callee]);
            below.insert(callee, under);
            *open.get_mut(callee).expect("it is seen") -= 1;
            if open[callee] == 0 {
                ready.push(callee);
            }
        }
    }
    (done == tops.len()).then_some(most)
}

/// The same, looking at all stacks with at most so many symbols, and at those that have one more: whoever sees one of these is told
/// what it counts. `None` if there are too many.
pub fn seen(spds: &Spds, weight: Weight<'_>, highest: usize, most: usize) -> Option<u64> {
    type Stack = Vec<(SymbolId, Vec<u64>)>;
    let mut stacks: Vec<Stack> = vec![Vec::new()];
    for symbol in spds.start.stack[1..].iter().rev() {
        let all = locals(spds, *symbol);
        let with = |stack: &Stack| all.iter().map(|own| [&stack[..], &[(*symbol, own.clone())]].concat()).collect();
        stacks = stacks.iter().flat_map::<Vec<Stack>, _>(with).collect();
    }
    let mut work: Vec<(State, Stack)> = Vec::new();
    for state in starts(spds) {
        work.extend(stacks.iter().map(|stack| (state.clone(), stack.clone())));
    }
    let (mut known, mut heaviest) = (BTreeSet::new(), 0);
    while let Some((state, stack)) = work.pop() {
        if !known.insert((state.clone(), stack.clone())) {
            continue;
        }
        if known.len() > most {
            return None;
        }
        if !is_hidden(spds, &state) {
            let all = weight(state.symbol) + stack.iter().map(|(symbol, _)| weight(*symbol)).sum::<u64>();
            heaviest = heaviest.max(all);
        }
        for (_, next) in successors(spds, &state) {
            let mut stack = stack.clone();
            match next {
                Next::Swap(state) => work.push((state, stack)),
                Next::Push(..) if stack.len() + 1 > highest => {}
                Next::Push(entry, site, saved) => {
                    stack.push((site, saved));
                    work.push((entry, stack));
                }
                Next::Pop(control, globals) => {
                    let Some((site, saved)) = stack.pop() else { continue };
                    work.extend(resume(spds, &(control, globals), site, &saved).map(|state| (state, stack)));
                }
            }
        }
    }
    Some(heaviest)
}

fn is_hidden(spds: &Spds, state: &State) -> bool {
    let own = |rule: &&spds_format::model::Rule| (rule.from.control, rule.from.symbol) == (state.control, state.symbol);
    spds.rules.iter().find(own).is_some_and(|rule| rule.silent)
}
