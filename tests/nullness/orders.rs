//! What C leaves open: in which order operands are evaluated. Of a program without inputs, what happens only in another order than from left to
//! right is not claimed; that something does not happen is claimed if it does not in any order.

use std::collections::BTreeSet;
use std::fmt::Write;

use fastrand::Rng;
use puch::nullness::{Malloc, Options, PointerUse, Told, analyse, decided};
use puch::refinement;

use super::seeds::seeds;

/// What the whole question is answered, and what is said of each use by both commands.
fn asked(text: &str) -> (refinement::Verdict, [Vec<PointerUse>; 2]) {
    let program = super::read("main", text);
    let usual = Options { malloc: Malloc::Succeeds, ..Options::default() };
    let options = refinement::Options {
        overflow: usual.overflow,
        tuning: puch::abstraction::Tuning { bounds: usual.tuning.bounds.clone(), ..Default::default() },
        check: usual.check.clone(),
        rounds: Some(10),
        donor: None,
    };
    let (answer, uses) = decided(&program, &[], &options, Told::Uses, &mut |_| {});
    (answer.outcome.verdict, [analyse(&program, &usual), uses])
}

#[test]
fn null_in_another_order_than_from_left_to_right_is_not_claimed() {
    let text = "int x, *g; int set(void) { g = &x; return 1; } int get(void) { return *g; }
        int main(void) { return set() + get(); }";
    let (verdict, all) = asked(text);
    assert!(verdict.unknown().is_some(), "{verdict:?}");
    for uses in all {
        assert_eq!(uses.iter().map(|one| one.word()).collect::<Vec<_>>(), ["unknown"]);
        assert!(uses[0].grounds.to_string().contains("from left to right"), "{}", uses[0].grounds);
    }
}

/// A pointer is set to NULL or to an object, and used: by procedures, so that each may be an operand.
#[derive(Clone, Copy)]
enum Operand {
    Set(bool),
    Use(usize),
}

/// How many uses there are.
const USES: usize = 3;

impl Operand {
    fn drawn(rng: &mut Rng) -> Operand {
        if rng.bool() { Operand::Set(rng.u8(..4) > 0) } else { Operand::Use(rng.usize(..USES)) }
    }

    fn text(self) -> String {
        match self {
            Operand::Set(object) => format!("set({})", u8::from(object)),
            Operand::Use(at) => format!("use{at}()"),
        }
    }
}

/// The uses of NULL with which runs end, of all orders, from this sum on with this pointer.
fn walk(sums: &[[Operand; 2]], mut is_null: bool, all_orders: bool, found: &mut BTreeSet<usize>) {
    let Some((sum, rest)) = sums.split_first() else { return };
    let before = is_null;
    for order in [[0, 1], [1, 0]].into_iter().take(if all_orders { 2 } else { 1 }) {
        is_null = before;
        let used = order.into_iter().find_map(|operand| match sum[operand] {
            Operand::Set(object) => {
                is_null = !object;
                None
            }
            Operand::Use(at) => is_null.then_some(at),
        });
        match used {
            Some(at) => drop(found.insert(at)),
            None => walk(rest, is_null, all_orders, found),
        }
    }
}

#[test]
fn what_is_claimed_happens_from_left_to_right_and_what_is_excluded_in_no_order() {
    let mut claimed = [0; 2];
    for seed in seeds(0..40) {
        let rng = &mut Rng::with_seed(seed);
        let sums: Vec<[Operand; 2]> =
            (0..rng.usize(1..4)).map(|_| [Operand::drawn(rng), Operand::drawn(rng)]).collect();
        let mut text = "int x, *g; int set(int n) { g = n ? &x : 0; return 0; }\n".to_owned();
        for at in 0..USES {
            let _ = writeln!(text, "int use{at}(void) {{ return *g; }}");
        }
        text += "int main(void) { int a = 0; g = &x;\n";
        for [one, other] in &sums {
            let _ = writeln!(text, "a += {} + {};", one.text(), other.text());
        }
        text += "return a; }";
        let of = |all_orders: bool| {
            let mut found = BTreeSet::new();
            walk(&sums, false, all_orders, &mut found);
            found
        };
        let (plain, any) = (of(false), of(true));
        let (verdict, all) = asked(&text);
        assert!(!verdict.claims_run() || !plain.is_empty(), "{seed}: {verdict:?}\n{text}");
        assert!(!verdict.excludes_run() || any.is_empty(), "{seed}: {verdict:?}\n{text}");
        for one in all.iter().flatten() {
            let at = one.line as usize - 2;
            match one.word() {
                "null" => assert!(plain.contains(&at), "{seed}: use {at} is not NULL from left to right\n{text}"),
                "safe" => assert!(!any.contains(&at), "{seed}: use {at} is NULL in some order\n{text}"),
                _ => assert!(any.contains(&at), "{seed}: use {at} is NULL in no order: {}\n{text}", one.grounds),
            }
            claimed[usize::from(one.verdict.claims_run())] += 1;
        }
    }
    assert!(claimed[0] > 0 && claimed[1] > 0, "{claimed:?}");
}
