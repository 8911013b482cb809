//! Scans of arrays (`benches/families/scans.rs`): each is sound and has a faulty sister, and both are what they are built to be,
//! in every order of bits, whichever engine does the work.

extern crate puch_engine as puch;

#[path = "../benches/families/mod.rs"]
mod families;
mod oracle;

use families::scans::{Cells, SCANS, Scan};
use puch::check::{Answer, Property, Target, Verdict, check};
use puch::limits::Limits;
use puch::options::{Engine, Options, Order, Search, TraceWish};
use puch::remopla;
use spds_format::Spds;
use spds_format::model::SymbolId;

const ORDERS: [Order; 6] =
    [Order::Force, Order::Declared, Order::Apart, Order::Together, Order::GlobalsFirst, Order::Sifted];

fn read(text: &str) -> Spds {
    match remopla::read(text, "scan.rem", &remopla::Options::default()) {
        Ok(program) => {
            assert_eq!(program.warnings, [], "{text}");
            program.spds
        }
        Err(complaints) => panic!("{complaints:#?}\n{text}"),
    }
}

fn labelled(spds: &Spds, label: &str) -> Vec<SymbolId> {
    let is_meant = |symbol: &SymbolId| spds.symbol(*symbol).labels.iter().any(|own| &**own == label);
    (0..spds.symbols.len() as u32).map(SymbolId).filter(is_meant).collect()
}

/// What is said of `R`. Runs are judged.
fn asked(spds: &Spds, options: &Options) -> Answer {
    let targets = labelled(spds, "R").into_iter().map(|symbol| Target { control: None, symbol }).collect();
    check(spds, &[Property::Reach(targets)], options).expect("runs are real").answers.remove(0)
}

fn limited(order: Order, trace: TraceWish) -> Options {
    let limits = Limits { memory: Some(64 << 20), ..Limits::default() };
    Options { limits, order, trace, ..Options::default() }
}

/// Every scan of these cells, sound and faulty.
fn scans(cells: Cells) -> impl Iterator<Item = (String, Scan)> {
    let both = move |write: &'static fn(Cells, Scan) -> String| {
        [Scan::Sound, Scan::Faulty].map(|scan| (write(cells, scan), scan))
    };
    SCANS.iter().flat_map(move |(_, write)| both(write))
}

fn assert_as_built(text: &str, scan: Scan, options: &Options) {
    let answer = asked(&read(text), options);
    let is_as_built = match scan {
        Scan::Sound => answer.verdict == Verdict::Unreachable,
        Scan::Faulty => matches!(answer.verdict, Verdict::Reachable(_)),
    };
    assert!(is_as_built, "{:?} {:?}\n{text}", options.order, answer.verdict);
}

#[test]
fn small_scans_are_what_somebody_sees_who_tries_all_values_in_every_order() {
    for (count, bits) in [(2, 1), (2, 2)] {
        for (text, scan) in scans(Cells { count, bits }) {
            let spds = read(&text);
            let reached = oracle::explore(&spds).distance(&labelled(&spds, "R")).is_some();
            assert_eq!(reached, scan == Scan::Faulty, "{text}");
            for order in ORDERS {
                assert_as_built(&text, scan, &limited(order, TraceWish::Shortest));
            }
        }
    }
}

#[test]
fn scans_are_what_they_are_built_to_be_in_every_order() {
    for cells in [Cells { count: 4, bits: 2 }, Cells { count: 3, bits: 3 }] {
        for (text, scan) in scans(cells) {
            for order in ORDERS {
                assert_as_built(&text, scan, &limited(order, TraceWish::Any));
            }
            let options = Options { engine: Engine::Biodivine, ..limited(Order::Together, TraceWish::None) };
            assert_as_built(&text, scan, &options);
            assert_as_built(&text, scan, &Options { search: Search::Pre, ..limited(Order::Together, TraceWish::None) });
        }
    }
}

#[test]
fn scans_of_many_narrow_cells_take_few_nodes() {
    let scan = |name: &str| SCANS.iter().find(|(own, _)| *own == name).expect("there is one").1;
    for (name, most) in [("maximum", 120_000.0), ("minimum", 120_000.0), ("find", 40_000.0), ("binary", 160_000.0)] {
        for version in [Scan::Sound, Scan::Faulty] {
            let text = scan(name)(Cells { count: 32, bits: 3 }, version);
            let options = limited(Order::Force, TraceWish::None);
            assert_as_built(&text, version, &options);
            let targets = labelled(&read(&text), "R").into_iter().map(|symbol| Target { control: None, symbol });
            let outcome = check(&read(&text), &[Property::Reach(targets.collect())], &options).expect("runs are real");
            let peaks = outcome.stats.figures.iter().filter(|(figure, _)| *figure == "peak nodes");
            let nodes: f64 = peaks.map(|(_, nodes)| nodes).sum();
            assert!(nodes < most, "{name} {version:?}: {nodes}");
        }
    }
}

/// The maximum of some cells of so many bits, found by a procedure, or by one that calls itself for each cell.
fn in_procedure(count: u64, bits: u64, recursive: bool) -> String {
    let step = "  if\n  :: a[i] > m -> m = a[i];\n  :: else -> skip;\n  fi\n";
    let body = if recursive {
        format!("{step}  if\n  :: i < {count} -> scan(i + 1);\n  :: else -> skip;\n  fi\n")
    } else {
        format!("  do\n  :: i < {count} -> i = i + 1;\n{step}  :: else -> break;\n  od\n")
    };
    format!(
        "define DEFAULT_INT_BITS 5\n\nint a[1, {count}]({bits});\nint m({bits});\n\ninit main;\n\n\
         module void scan(int i) {{\n{body}}}\n\n\
         module void main() {{\n  int k;\n  m = a[1];\n  scan(1);\n  k = undef;\n  skip (1 <= k && k <= {count});\n\
         \x20 if\n  :: a[k] > m -> R: goto R;\n  :: else -> skip;\n  fi\n}}\n"
    )
}

#[test]
fn scans_by_procedures_are_decided_whether_or_not_they_call_themselves() {
    for recursive in [false, true] {
        for (count, bits) in [(3, 1), (5, 2), (8, 3)] {
            let text = in_procedure(count, bits, recursive);
            let faulty = text.replace("a[i] > m ->", "a[i] > m && i > 1 && i < 3 ->");
            for order in [Order::Force, Order::Declared, Order::Together] {
                assert_as_built(&text, Scan::Sound, &limited(order, TraceWish::None));
                assert_as_built(&faulty, Scan::Faulty, &limited(order, TraceWish::Any));
            }
        }
    }
}

#[test]
fn an_order_in_which_sets_grow_is_left_for_the_other_one() {
    // Cells are too wide to have their bits together from the start.
    let find = SCANS.iter().find(|(name, _)| *name == "find").expect("there is one").1;
    let text = find(Cells { count: 14, bits: 7 }, Scan::Sound);
    let spds = read(&text);
    let targets = labelled(&spds, "R").into_iter().map(|symbol| Target { control: None, symbol }).collect();
    let options = limited(Order::Force, TraceWish::None);
    let outcome = check(&spds, &[Property::Reach(targets)], &options).expect("runs are real");
    assert_eq!(outcome.answers[0].verdict, Verdict::Unreachable);
    let searches = outcome.stats.figures.iter().filter(|(figure, _)| *figure == "peak nodes").count();
    assert_eq!(searches, 2, "{:?}", outcome.stats.figures);
}
