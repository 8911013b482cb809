//! Propositions in the syntax of rules.

use puch::moped_pds::{Options, System, predicate, read};
use spds_format::expr::Op;
use spds_format::model::FrameId;

fn system() -> System {
    let text = "define N 3 global bool g; int x(N); int a[2](2);\nlocal main (m) int v(N); bool g;\nlocal (f) int v(3), w(3);\n\
                (q <m>) q <m> --> q <f m> q <f> --> q <>";
    read(text, "test.pds", &Options::default()).unwrap_or_else(|complaints| panic!("{complaints:#?}"))
}

fn meaning(text: &str) -> (Option<u32>, String) {
    let system = system();
    let found = predicate(text, &system.spds, &system.defines, None).unwrap_or_else(|all| panic!("{text}: {all:?}"));
    // As the model's text says it, in an atom.
    let mut spds = system.spds;
    let frame = found.frame;
    spds.atoms.push(spds_format::model::Atom { name: "p".into(), frame, condition: found.condition });
    let printed = spds.to_string();
    let atom = printed.lines().find_map(|line| line.strip_prefix("atom p ")).expect("there is one").to_owned();
    (
        frame.map(|FrameId(index)| index),
        atom.split_once("when ").expect("it has a condition").1.trim_end_matches(';').into(),
    )
}

fn complaints(text: &str) -> Vec<String> {
    let system = system();
    let complaints = predicate(text, &system.spds, &system.defines, None).expect_err(text);
    let said = complaints.iter().map(|c| {
        format!("{:?} {}; {}", c.span.clone().unwrap_or_default(), c.message, c.help.clone().unwrap_or_default())
    });
    said.collect()
}

#[test]
fn globals_locals_and_constants() {
    assert_eq!(meaning("x<N&a[1]<=x"), (None, "x < 3 & a[1] <= x".into()));
    assert_eq!(meaning("w=x"), (Some(1), "w = x".into()));
    assert_eq!(meaning("f.v=7"), (Some(1), "v = 7".into()));
    assert_eq!(meaning("main.v=7 & !main.g & ::g"), (Some(0), "v = 7 & !g & ::g".into()));
    assert_eq!(meaning("::g"), (None, "g".into()));
    assert_eq!(meaning("A i (0,1) a[i]=i"), (None, "a[0] = 0 & a[1] = 1".into()));
    let system = system();
    let found = predicate("0=0", &system.spds, &[], None).expect("right");
    assert_eq!(found.condition.ops()[0], Op::Number(0));
}

#[test]
fn what_is_refused() {
    assert_eq!(complaints("v=1"), ["0..1 `v` is the name of several variables; say which: `main.v` or `f.v`"]);
    assert_eq!(complaints("g"), ["0..1 `g` is the name of several variables; say which: `main.g` or `::g`"]);
    assert_eq!(
        complaints("main.v=f.w"),
        ["7..10 a proposition cannot speak of the locals of two blocks: only one is on top; "]
    );
    assert_eq!(complaints("xx=1"), ["0..2 there is no variable `xx` here; did you mean `x`?"]);
    assert_eq!(complaints("mian.v=1"), ["0..4 there is no block `mian`; did you mean `main`?"]);
    assert_eq!(complaints("main.u=1"), ["0..6 `main` has no variable `u`; "]);
    assert_eq!(complaints("x'=1"), ["0..2 primes are for rules: here only one moment is spoken of; "]);
    assert_eq!(complaints("x=1 x"), ["4..5 expected an operator or the end of the proposition, found `x`; "]);
    assert_eq!(complaints(""), ["0..0 expected an expression, found the end of the file; "]);
    assert_eq!(complaints("x"), ["0..1 an integer stands where a condition is needed; "]);
}

#[test]
fn inside_a_block_its_locals_have_bare_names() {
    let inside = |text: &str, block: u32| {
        let system = system();
        predicate(text, &system.spds, &system.defines, Some(FrameId(block)))
            .map(|found| found.frame.map(|frame| frame.0))
            .map_err(|complaints| complaints.len())
    };
    assert_eq!(inside("v=1", 0), Ok(Some(0)));
    assert_eq!(inside("v=1", 1), Ok(Some(1)));
    assert_eq!(inside("g", 0), Ok(Some(0)));
    // In f there is no g: the name is as ambiguous as ever.
    assert_eq!(inside("g", 1), Err(1));
    assert_eq!(inside("w=1 & main.v=1", 1), Err(1));
}
