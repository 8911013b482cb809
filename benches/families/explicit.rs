//! Pushdown systems without data: rules only, drawn at random, in PDAAAL's notation.

use std::collections::BTreeMap;

use super::put;
use super::random::Random;

/// The way to `R` has at most so many rules.
const WAY: u64 = 8;

/// So many rules over so many control locations and stack symbols, a third each of pops, swaps and pushes.
///
/// The first rules are a way from the start, each beginning with the control location and the top of the stack that the rule
/// before leads to, and the last of them puts `R` there: reachable.
pub(super) fn explicit(sizes: &[u64], text: &mut String) {
    let [rules, controls, symbols, seed] = *sizes else { unreachable!("the family has four sizes") };
    let mut random = Random::new(seed);
    let mut heads: BTreeMap<(u64, u64), Vec<String>> = BTreeMap::new();
    let mut here = (0, 0);
    let way = rules.min(WAY);
    for number in 0..rules {
        let from = if number < way { here } else { (random.below(controls), random.below(symbols)) };
        let to = (random.below(controls), random.below(symbols));
        let (kind, name) = match random.below(3) {
            _ if number + 1 == way => ("swap", "R".to_owned()),
            0 if number >= way => ("pop", String::new()),
            1 => ("push", format!("s{}", to.1)),
            _ => ("swap", format!("s{}", to.1)),
        };
        here = to;
        heads.entry(from).or_default().push(format!("{{\"to\":\"q{}\",\"{kind}\":\"{name}\"}}", to.0));
    }
    put(text, format_args!("{{\"start\":{{\"state\":\"q0\",\"stack\":[\"s0\"]}},\n\"pda\":{{\"states\":{{"));
    let mut state = None;
    for ((control, symbol), rules) in &heads {
        if state == Some(*control) {
            put(text, format_args!(",\n"));
        } else {
            put(text, format_args!("{}\n\"q{control}\":{{\n", if state.is_some() { "}," } else { "" }));
        }
        state = Some(*control);
        put(text, format_args!(" \"s{symbol}\":[{}]", rules.join(",")));
    }
    put(text, format_args!("}}}}}}}}\n"));
}
