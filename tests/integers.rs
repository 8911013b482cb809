//! What integers and arrays may cost: a limit of memory that bits taken one by one never come near.

extern crate puch_engine as puch;

use puch::check::{Property, Target, Verdict, check};
use puch::limits::Limits;
use puch::options::{Engine, Options, TraceWish};
use puch::{boolprog, remopla};
use spds_format::model::SymbolId;

/// The verdict on a label of a text, with no more work than a good order takes.
fn with_little_work(spds: &spds_format::Spds, label: &str) -> Verdict {
    let is_meant = |symbol: &SymbolId| spds.symbol(*symbol).labels.iter().any(|other| &**other == label);
    let places = (0..spds.symbols.len() as u32).map(SymbolId).filter(is_meant);
    let property = Property::Reach(places.map(|symbol| Target { control: None, symbol }).collect());
    let options = Options { work: Some(1 << 20), trace: TraceWish::None, ..Options::default() };
    check(spds, &[property], &options).expect("runs are real").answers.remove(0).verdict.bare()
}

#[test]
fn a_global_lies_beside_the_local_that_it_meets() {
    for (statement, condition, verdict) in [
        ("g = l;", "g != l", Verdict::Unreachable),
        ("g = g + l;", "g == l + 1", Verdict::Reachable(None)),
        ("skip;", "g == l", Verdict::Reachable(None)),
    ] {
        let text = format!(
            "define DEFAULT_INT_BITS 32\nint g; init main;\n\
             module void main() {{ int l; {statement} if :: {condition} -> goto hit; :: else -> skip; fi hit: skip; }}\n"
        );
        let text = text.replace("fi hit: skip;", "fi goto end; hit: skip; end: skip;");
        let spds = remopla::read(&text, "meet.rem", &remopla::Options::default()).expect("it is right").spds;
        assert_eq!(with_little_work(&spds, "hit"), verdict, "{statement}");
    }
}

#[test]
fn what_is_assigned_at_the_same_time_has_nothing_to_do_with_each_other() {
    // c becomes a shuffled copy of a by way of b, so that no two of them differ.
    let list =
        |name: &str, step: usize| (0..40).map(|i| format!("{name}{}", i * step % 41)).collect::<Vec<_>>().join(", ");
    let all = |name: &str| (0..41).map(|i| format!("{name}{i}")).collect::<Vec<_>>().join(", ");
    let differ = (1..40).map(|i| format!("(a{} != c{})", i, i * 7 * 3 % 41)).collect::<Vec<_>>().join(" | ");
    let text = format!(
        "decl {}, {}, {};\nvoid main()\nbegin\n  {} := {};\n  {} := {};\n  if ({differ}) then R: skip; else skip; fi\nend\n",
        all("a"),
        all("b"),
        all("c"),
        list("b", 7),
        list("a", 1),
        list("c", 21),
        list("b", 7),
    );
    let spds = boolprog::read(&text, "parallel.bp", &boolprog::Options::default()).expect("it is right").spds;
    assert_eq!(with_little_work(&spds, "R"), Verdict::Unreachable);
}

/// The verdict on whether `hit` can be reached after these statements.
fn after(bits: u32, statements: &str, condition: &str) -> Verdict {
    let text = format!(
        "define DEFAULT_INT_BITS {bits}\nint x; int y; int z; int i(4); int j(4); int a[0,15];\ninit main;\n\
         module void main() {{ {statements} if :: {condition} -> goto hit; :: else -> skip; fi }}\nhit: goto hit;\n"
    );
    let spds = remopla::read(&text, "integers.rem", &remopla::Options::default()).expect("it is right").spds;
    let is_meant = |symbol: &SymbolId| spds.symbol(*symbol).labels.iter().any(|label| &**label == "hit");
    let places = (0..spds.symbols.len() as u32).map(SymbolId).filter(is_meant);
    let property = Property::Reach(places.map(|symbol| Target { control: None, symbol }).collect());
    let limits = Limits { memory: Some(200 << 20), ..Limits::default() };
    let options = Options { limits, trace: TraceWish::None, ..Options::default() };
    check(&spds, &[property], &options).expect("runs are real").answers.remove(0).verdict.bare()
}

#[test]
fn sums_and_comparisons_of_sixteen_bits_are_small() {
    assert_eq!(after(16, "z = x + y;", "z < x"), Verdict::Unreachable);
    assert_eq!(after(16, "z = x - y;", "z > x"), Verdict::Unreachable);
    assert_eq!(after(16, "z = x + y;", "z == 4711 && x < y"), Verdict::Reachable(None));
    assert_eq!(after(16, "z = x * 37; x = z / 10;", "x == 37"), Verdict::Reachable(None));
}

#[test]
fn an_index_is_known_before_the_cells_of_a_global_array() {
    assert_eq!(after(4, "a[i] = x;", "a[i] != x"), Verdict::Unreachable);
    assert_eq!(after(4, "a[i] = x; a[j] = y;", "i != j && a[i] != x"), Verdict::Unreachable);
    assert_eq!(after(4, "x = a[i];", "a[j] > x && i == j"), Verdict::Unreachable);
}

#[test]
fn what_wide_cells_hold_is_not_told_apart_by_value() {
    assert_eq!(after(16, "x = a[i];", "a[i] != x"), Verdict::Unreachable);
    assert_eq!(after(16, "a[i] = x;", "a[i] != x"), Verdict::Unreachable);
    assert_eq!(after(16, "a[i] = x; y = a[j];", "i == j && y != x"), Verdict::Unreachable);
    assert_eq!(after(16, "if :: a[i] < x -> skip; :: else -> a[i] = y; fi", "a[i] >= x"), Verdict::Reachable(None));
    // The index is wide, too, and what is stored is a number that was calculated.
    assert_eq!(after(16, "y = x + 1; a[z] = y;", "a[z] <= x"), Verdict::Unreachable);
}

#[test]
fn results_that_squaring_needs_again_are_remembered() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/quicksort/corrected.rem"))
        .expect("the example is there");
    let defines = vec![("BITS".into(), 16)];
    let options = remopla::Options { defines, ..remopla::Options::default() };
    let spds = remopla::read(&text, "corrected.rem", &options).expect("the example is right").spds;
    // Half of the table of results, and this would not end.
    let options = Options { engine: Engine::Shared, ..Options::default() };
    let answer = check(&spds, &[Property::Termination], &options).expect("runs are real").answers.remove(0);
    assert_eq!(answer.verdict.bare(), Verdict::Holds);
}
