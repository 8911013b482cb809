//! Texts with answers: the examples, and small ones that hand a value through a call.

use puch::check::{Property, Verdict, check};
use puch::moped_pds::{Options, read, write};
use puch::options::Options as Wishes;
use puch::places::{Naming, resolve};

use crate::oracle;

/// The verdict for each place, also for the system written and read again, and also according to the oracle.
fn verdicts(text: &str, places: &[(&str, bool)]) {
    let system = read(text, "test.pds", &Options::default()).unwrap_or_else(|complaints| panic!("{complaints:#?}"));
    assert_eq!(system.warnings, []);
    let (written, _) = write(&system.spds).expect("what was read can be written");
    let again = read(&written, "again.pds", &Options::default()).unwrap_or_else(|complaints| panic!("{complaints:#?}"));
    assert_eq!(again.warnings, [], "{written}");
    for spds in [&system.spds, &again.spds] {
        let explored = oracle::explore(spds);
        for (place, reachable) in places {
            let targets = resolve(spds, place, Naming::System).unwrap_or_else(|error| panic!("{place}: {error}"));
            let near = |target: &puch::check::Target| {
                explored.distances.keys().any(|state| {
                    state.symbol == target.symbol && target.control.is_none_or(|control| control == state.control)
                })
            };
            assert_eq!(targets.iter().any(near), *reachable, "the oracle on {place}\n{spds}");
            let outcome = check(spds, &[Property::Reach(targets)], &Wishes::default()).expect("no limits");
            let expected = if *reachable { Verdict::Reachable(None) } else { Verdict::Unreachable };
            assert_eq!(outcome.answers[0].verdict.bare(), expected, "{place}\n{spds}");
        }
    }
}

fn example(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/pds").join(name);
    std::fs::read_to_string(path).expect("the example is there")
}

#[test]
fn the_plotter() {
    verdicts(&example("plotter.pds"), &[("main1", true), ("q:down0", true), ("m6", true), ("s1", true)]);
    // Without the second choice of `m` and of `s` it never goes up, nor returns from a step up.
    let flat = example("plotter.pds")
        .replace("q <m0>     --> q <m7>", "q <m7> --> q <m7>")
        .replace("q <s0>     --> q <s2>", "q <s2> --> q <s2>");
    verdicts(&flat, &[("main1", true), ("up0", false), ("down0", false), ("m0", false)]);
}

#[test]
fn a_counter_that_finds_itself_again() {
    let text = example("counter.pds");
    verdicts(&text, &[("error", false), ("back", true), ("q:call", true)]);
    // A call that forgets to save its value finds another one.
    let forgetful = text.replace("mine''=depth", "mine''=mine''");
    verdicts(&forgetful, &[("error", true)]);
}

#[test]
fn quicksort_has_no_bad_parts_unless_the_loop_is_wrong() {
    let text =
        example("quicksort.pds").replace("define N 3", "define N 2").replace("right=7", "right=3").replace("<7", "<3");
    verdicts(&text, &[("bad", false), ("done", true)]);
    verdicts(&text.replace("eq'=left & lo'=left+1", "eq'=left+1 & lo'=left+1"), &[("bad", true)]);
}

#[test]
fn control_locations_hand_results_over() {
    let text = "global int r(2);
local (f0, f1, done) int n(2);
(start <f0>)
start <f0> --> go <f0> (n'=3 & r'=0)
go <f0> --> go <f0 f1> (n>0 & n'=n-1 & n''=n & r'=r)
go <f0> --> up <> (n=0 & r'=r)
up <f1> --> up <done> (n=3 & n'=n & r'=r)
up <f1> --> up <> (n<3 & r'=r+1)
";
    verdicts(text, &[("up:done", true), ("go:done", false), ("start:f0", true), ("start:f1", false)]);
}

#[test]
fn a_comparison_with_an_undefined_term_is_false_by_itself() {
    // As Moped reads it: the negation is true where the term has no value.
    let reaches = |relation: &str, reachable: bool| {
        let text = format!(
            "global int x(2); bool c[1,2]; local (a,b) int y(2);\n(q <a>)\nq <a> --> q <b> ({relation} & x'=x & y'=y & \
             A i (1,2) (c'[i]==c[i]))\nq <b> --> q <b> (x'=x & y'=y & A i (1,2) (c'[i]==c[i]))\n"
        );
        verdicts(&text, &[("q:b", reachable)]);
    };
    reaches("x=0 & !(1/x=1)", true);
    reaches("x=0 & 1/x=1", false);
    reaches("x=0 & ((1/x=1) == (0!=0))", true);
    reaches("x=0 & ((1/x=1) ^ (0=0))", true);
    reaches("x=0 & (0=0) ^ (1/x!=1)", true);
    // So it is with cells that are not there.
    reaches("x=3 & !c[x]", true);
    reaches("x=3 & c[x]", false);
    reaches("x=3 & !(c[x] | c[1]) & !c[1]", true);
    reaches("x!=0 & x=0 & !(1/x=1)", false);
    // An index within an index, and a divisor that is a cell.
    reaches("y=0 & x=0 & !(6/x/y=1)", true);
}

#[test]
fn a_symbol_that_stands_in_atoms_only_is_never_reached() {
    let text = "(q <m>) atoms n there atoms m here q <m> --> q <m>\n";
    verdicts(text, &[("n", false), ("q:n", false), ("there", false), ("here", true)]);
    let system = read(text, "test.pds", &Options::default()).expect("right");
    assert!(resolve(&system.spds, "nowhere", Naming::System).is_err(), "a name that stands nowhere");
}
