//! Propositions in the syntax of programs.

use puch::remopla::{Names, predicate};
use spds_format::Spds;
use spds_format::model::{Atom, FrameId};

use crate::show::accept;

fn program() -> (Spds, Names) {
    let program = accept(
        "define N 3 int a[1,N](2), lo(3), hi(3), m[2][2](2); bool g; enum C {red, green} c; struct S {int x(2); bool y[2];} s; struct {bool z;} p[2];
         module void sort(int lo(3), struct S s) { int n(2); lo = n; } module void main() { bool flag; flag = g; } module void s() {}",
    );
    (program.spds, program.names)
}

/// The proposition as the text format writes it.
fn atom(text: &str) -> String {
    let (mut spds, names) = program();
    let found = predicate(text, &names, None).unwrap_or_else(|complaints| panic!("{text}: {complaints:?}"));
    spds.atoms.push(Atom { name: "it".into(), frame: found.frame, condition: found.condition });
    assert_eq!(spds_format::validate(&spds), []);
    let all = spds.to_string();
    let line = all.lines().find(|line| line.starts_with("atom it ")).expect("it is there");
    line["atom it ".len()..].trim_end_matches(';').to_owned()
}

fn complaints(text: &str) -> Vec<String> {
    let complaints = predicate(text, &program().1, None).expect_err(text);
    complaints
        .iter()
        .map(|c| {
            format!("{:?} {}; {}", c.span.clone().unwrap_or_default(), c.message, c.help.clone().unwrap_or_default())
        })
        .collect()
}

#[test]
fn globals_locals_fields_and_constants() {
    assert_eq!(atom("a[1] <= a[2] & lo < hi"), "when a[1] <= a[2] & lo < hi");
    assert_eq!(atom("::lo == sort.lo && sort.n < N"), "in sort when ::lo = lo & n < 3");
    assert_eq!(atom("A i (1, N - 1) a[i] <= a[i + 1]"), "when a[1] <= a[2] & a[2] <= a[3]");
    assert_eq!(atom("m[lo][1] == green"), "when m[lo * 2 + 1] = 1");
    assert_eq!(atom("s.y[0] || p[1].z"), "when \"s.y\"[0] | \"p.z\"[1]");
    assert_eq!(atom("sort.s.x == 2 && sort.s.y[1]"), "in sort when \"s.x\" = 2 & \"s.y\"[1]");
    assert_eq!(atom("!main . flag"), "in main when !flag");
    assert_eq!(atom("g"), "when g");
    assert_eq!(atom("c != red"), "when c != 0");
}

#[test]
fn what_is_refused() {
    assert_eq!(complaints("n == 1"), ["0..1 there is no global `n`; did you mean `sort.n`?"]);
    assert_eq!(
        complaints("hj < 1 && b[1] == 2"),
        ["0..2 there is no global `hj`; did you mean `hi`?", "10..11 there is no global `b`; ",]
    );
    assert_eq!(complaints("sort.hi == 1"), ["0..7 `sort` has no variable `hi`; "]);
    assert_eq!(complaints("sart.lo == 1"), ["0..4 there is no module `sart`; did you mean `sort`?"]);
    assert_eq!(
        complaints("sort.lo == 1 && main.flag"),
        ["16..25 a proposition cannot speak of the locals of two modules: only one is on top; "]
    );
    assert_eq!(complaints("lo"), ["0..2 a proposition is a Boolean; compare it: `x != 0`"]);
    assert_eq!(complaints("lo = 1"), ["3..4 `=` assigns and does not compare; equality is written `==`"]);
    assert_eq!(complaints("g'"), ["1..2 a proposition is about one moment: `'` has no meaning in it; "]);
    assert_eq!(
        complaints("g == undef"),
        ["5..10 `undef` is no value to compute with; it stands alone: `x = undef;`, or as an argument of a call"]
    );
    assert_eq!(
        complaints("a == a"),
        ["0..1 an operand of `==` is an integer; ", "5..6 an operand of `==` is an integer; "]
    );
    assert_eq!(complaints("a[g] == 1"), ["2..3 an index is an integer; "]);
    assert_eq!(complaints("g g"), ["2..3 expected an operator or the end of the proposition, found `g`; "]);
    assert_eq!(complaints(""), ["0..0 expected an expression, found the end of the file; "]);
    assert_eq!(complaints("$r1 == 0"), ["0..1 `$` has no meaning in Remopla; "]);
    assert_eq!(complaints("s.z"), ["2..3 this struct has no field `z`; "]);
    assert_eq!(complaints("(g"), ["2..2 expected `)` or an operator, found the end of the file; "]);
}

#[test]
fn inside_a_module_its_variables_have_bare_names() {
    let inside = |text: &str, module: u32| {
        let (mut spds, names) = program();
        let found = predicate(text, &names, Some(FrameId(module))).map_err(|complaints| complaints.len())?;
        spds.atoms.push(Atom { name: "it".into(), frame: found.frame, condition: found.condition });
        assert_eq!(spds_format::validate(&spds), []);
        let all = spds.to_string();
        Ok(all.lines().find_map(|line| line.strip_prefix("atom it ")).expect("it is there").to_owned())
    };
    assert_eq!(inside("lo == n", 0), Ok("in sort when lo = n;".to_owned()));
    assert_eq!(inside("lo == 1", 1), Ok("when lo = 1;".to_owned()));
    assert_eq!(inside("::lo == lo", 0), Ok("in sort when ::lo = lo;".to_owned()));
    assert_eq!(inside("flag && sort.n == 1", 1), Err(1));
    assert_eq!(inside("A n (1, 2) a[n] > lo", 0).map(|text| text.starts_with("in sort")), Ok(true));
    // A struct of the module hides the one outside.
    assert!(inside("s.x == 2", 1).is_ok_and(|text| text.starts_with("when")));
    assert!(inside("s.x == 2", 0).is_ok_and(|text| text.starts_with("in sort")));
}
