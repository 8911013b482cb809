//! What a text becomes, as text of the model.

use puch::moped_pds::{Options, read};

/// The rules of the model of a text, and its warnings.
fn rules_with(text: &str, options: &Options) -> Vec<String> {
    let system = read(text, "test.pds", options).unwrap_or_else(|complaints| panic!("{text}\n{complaints:#?}"));
    let printed = system.spds.to_string();
    let rules = printed.lines().filter(|line| line.starts_with("rule")).map(str::to_owned);
    rules.chain(system.warnings.iter().map(|warning| format!("warning: {}", warning.message))).collect()
}

fn rules(text: &str) -> Vec<String> {
    rules_with(text, &Options::default())
}

/// The rule with this right side and relation, from m, of the block of m and n; o has a block of its own, e none.
fn rule(right: &str, relation: &str) -> String {
    let text = format!(
        "global bool g; int x(3); int a[1,3](2);\nlocal main (m,n) int v(3); bool b;\nlocal other (o) int v(3);\n\
         (q <m>)\nq <m> --> q <{right}> ({relation})\nq <e> --> q <>  (g'==g & x'=x & (A i (1,3) a'[i]=a[i]))\nq <o> --> q <o> (g'==g & x'=x)\n"
    );
    let all = rules(&text);
    let warnings: Vec<&String> = all.iter().filter(|line| line.starts_with("warning: this rule")).collect();
    let warned = if warnings.len() > 1 { " !" } else { "" };
    all[0].strip_prefix("rule <q, m> -> ").expect("the first rule is that of m").trim_end_matches(';').to_owned()
        + warned
}

const KEPT: &str = "(g'==g) & x'=x & (A i (1,3) a'[i]=a[i])";

#[test]
fn a_whole_text() {
    let text = "define N 3 % bits
global bool g; int x(N); bool flags[N-1], row[2,N*2];
local main (m0, m1) int v(N);
local (f)
  bool b; int w(N+1);
(q (x=0) <m0 (v=x+N & !g)>)
atoms m0 main_symbols
atoms f calls, other atoms m1 main_symbols
# A comment,
{ another one, and a third } one
q <m0> --> q <f m1> \"call f(x)\" (g & v''=v & w'=x<<1 & (b'==!g))
q<m1>-->stop<>";
    let system = read(text, "test.pds", &Options::default()).expect("right");
    assert_eq!(
        system.spds.to_string(),
        r#"spds 1

file test.pds;

global g: bool;
global x: u3;
global flags: bool[0..1];
global row: bool[2..6];

frame main { v: u3 }
frame f { b: bool, w: u4 }

control q;
control stop;

symbol m0 in main at test.pds:11:1 labels main_symbols;
symbol f in f labels calls, other;
symbol m1 in main at test.pds:12:1 labels main_symbols;

start <q, m0> when x = 0 & (v = x + 3 & !g);

rule <q, m0> -> <q, f m1> when g { g' := *; x' := *; flags' := *; row' := *; b' := !g; w' := x << 1 } label "call f(x)";
rule <q, m1> -> <stop> { g' := *; x' := *; flags' := *; row' := * };
"#
    );
    let warnings: Vec<&str> = system.warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(
        warnings,
        [
            "this rule says nothing about `g'`, `x'`, `flags'` and `row'`, which are arbitrary after it",
            "this rule says nothing about `g'`, `x'`, `flags'` and `row'`, which are arbitrary after it",
        ]
    );
    assert_eq!(system.defines, [("N".to_owned(), 3)]);
}

#[test]
fn what_is_kept_is_left_out() {
    assert_eq!(rule("n", &format!("{KEPT} & v'=v & (b'==b)")), "<q, n>");
    assert_eq!(rule("n", &format!("{KEPT} & v=v' & (b==b')")), "<q, n>");
    assert_eq!(rule("", KEPT), "<q>");
    assert_eq!(rule("o n", &format!("{KEPT} & v''=v & (b''==b)")), "<q, o n>");
}

#[test]
fn what_is_not_said_is_arbitrary_and_warned_about() {
    assert_eq!(rule("n", &format!("{KEPT} & v'=v")), "<q, n> { b' := * } !");
    assert_eq!(rule("n", "0=0"), "<q, n> when 0 = 0 { g' := *; x' := *; a' := *; v' := *; b' := * } !");
    assert_eq!(rule("o n", KEPT), "<q, o n> { v'' := *; b'' := * } !");
    // Where the model has no frame there is nothing to forget.
    assert_eq!(rule("o", KEPT), "<q, o>");
    assert_eq!(rule("m o", KEPT), "<q, m o>");
}

#[test]
fn what_may_be_anything_is_not_warned_about() {
    assert_eq!(rule("n", &format!("{KEPT} & v'=v' & (b'==b')")), "<q, n> { v' := *; b' := * }");
    assert_eq!(
        rule("", "(g'==g') & x'=x' & (A i (1,3) a'[i]=a'[i])"),
        "<q> { g' := *; x' := *; a'[1] := *; a'[2] := *; a'[3] := * }"
    );
}

#[test]
fn frames_that_differ_keep_nothing_by_themselves() {
    assert_eq!(rule("o", &format!("{KEPT} & v'=v")), "<q, o> { v' := v }");
    assert_eq!(rule("m n", &format!("{KEPT} & v'=v & v''=v & (b''==b) & (b'==b)")), "<q, m n> { v' := v; b' := b }");
}

#[test]
fn updates_guards_and_relations() {
    let rest = "(A i (1,3) a'[i]=a[i]) & v'=v & (b'==b)";
    assert_eq!(rule("n", &format!("x<7 & x'=x+1 & g' & {rest}")), "<q, n> when x < 7 { g' := true; x' := x + 1 }");
    assert_eq!(rule("n", &format!("!g' & x'=2 & x*2=x' & {rest}")), "<q, n> { g' := false; x' := 2; x' := x * 2 }");
    assert_eq!(rule("n", &format!("x'<x & (g'==g) & {rest}")), "<q, n> with x' < x");
    // A variable that a relation reads is not kept by itself any more.
    assert_eq!(rule("n", &format!("(g' | x'>3) & x'=x & {rest}")), "<q, n> { x' := x } with g' | x' > 3");
    assert_eq!(rule("n", &format!("(g'==(x'>3)) & {rest}")), "<q, n> with g' = (x' > 3)");
    assert_eq!(rule("n", &format!("(E k (1,2) x'=x+k) & (g'==g) & {rest}")), "<q, n> with x' = x + 1 | x' = x + 2");
}

#[test]
fn arrays_cell_by_cell_and_but_for_some() {
    let rest = "(g'==g) & x'=x & v'=v & (b'==b)";
    let arrays = |relation: &str| rule("n", &format!("{relation} & {rest}"));
    assert_eq!(arrays("a'[1]=a[1] & a'[3]=a[3] & a[2]=a'[2]"), "<q, n>");
    assert_eq!(arrays("a'[1]=a[1] & a'[2]=a[1] & a'[3]=a[3]"), "<q, n> { a'[2] := a[1] }");
    assert_eq!(arrays("a'[1]=a[1] & a'[3]=a[3]"), "<q, n> { a'[2] := * } !");
    assert_eq!(arrays("a'[x]=3 & (A i (1,3) (i=x | a'[i]=a[i]))"), "<q, n> { a'[x] := 3 }");
    assert_eq!(
        arrays("a'[x]=a[v] & a'[v]=a[x] & (A i (1,3) (i=x | v=i | a'[i]=a[i]))"),
        "<q, n> { a'[x] := a[v]; a'[v] := a[x] }"
    );
    // Other cells are arbitrary.
    assert_eq!(arrays("a'[x]=3"), "<q, n> with a'[x] = 3");
    assert_eq!(arrays("a'[1]=3 & a'[1]=a[1]"), "<q, n> with a'[1] = 3 & a'[1] = a[1]");
}

#[test]
fn quantifiers_are_written_out() {
    let rest = "(A i (1,3) a'[i]=a[i]) & (g'==g) & x'=x & v'=v & (b'==b)";
    let guard = |relation: &str| rule("n", &format!("{relation} & {rest}"));
    assert_eq!(guard("(A i (1,3) a[i]<=x)"), "<q, n> when a[1] <= x & a[2] <= x & a[3] <= x");
    assert_eq!(guard("(E i (2,3) E j (1,1) a[i]=j)"), "<q, n> when a[2] = 1 | a[3] = 1");
    // As far as they can, but an `A` no further than to an `&`, an `E` to an `|`.
    assert_eq!(guard("(A i (1,2) i=x | a[i]=1)"), "<q, n> when (1 = x | a[1] = 1) & (2 = x | a[2] = 1)");
    assert_eq!(guard("(A i (1,2) i=x & A i (1,2) a[i]=1)"), "<q, n> when 1 = x & 2 = x & a[1] = 1 & a[2] = 1");
    assert_eq!(guard("(E i (1,2) i=x & a[i]=1 & g)"), "<q, n> when 1 = x & a[1] = 1 & g | 2 = x & a[2] = 1 & g");
    assert_eq!(guard("(E i (1,2) i=x | g)"), "<q, n> when 1 = x | 2 = x | g");
    assert_eq!(guard("(A i (3,1) a[i]=i) & (E i (3,1) a[i]=i)"), "<q, n> when true & false");
}

#[test]
fn a_constant_given_from_outside_counts() {
    let text = "define N 3 define M N+1 int x(N);".replace("int", "global int") + "(q (x=M) <m>) q <m> --> q <> (x'=N)";
    assert_eq!(rules(&text), ["rule <q, m> -> <q> { x' := 3 };"]);
    let options = Options { defines: vec![("N".into(), 2), ("K".into(), 1)] };
    assert_eq!(rules_with(&text, &options), ["rule <q, m> -> <q> { x' := 2 };"]);
    let system = read(&text, "test.pds", &options).expect("right");
    assert_eq!(system.defines, [("K".to_owned(), 1), ("M".to_owned(), 3), ("N".to_owned(), 2)]);
}

#[test]
fn priorities_are_those_of_moped() {
    let rest = "(A i (1,3) a'[i]=a[i]) & x'=x & v'=v & (b'==b)";
    assert_eq!(rule("n", &format!("({{}}g'==g) & {rest}").replace("{}", "")), "<q, n>");
    assert_eq!(rule("n", &format!("(g ^ b | g & !x=3) & (g'==g) & {rest}")), "<q, n> when g ^ (b | g & !(x = 3))");
    assert_eq!(rule("n", &format!("x-1-2*3<<1=0 & (g'==g) & {rest}")), "<q, n> when x - 1 - 2 * 3 << 1 = 0");
    // The trap: `==` takes everything on its right.
    let all = rules("global bool g; int y(3); (q <m>) q <m> --> q <> (g'==g & y'=3)");
    assert_eq!(all, ["rule <q, m> -> <q> with g' = (g & y' = 3);", "warning: `==` binds less tightly than `&`",]);
}

#[test]
fn names_of_places_are_taken_as_they_come() {
    let text = "(I<_>)\nI<_> --> S1<l3 _>\nS1<a@b:12[0]> --> S1<-x>\nS1<l3>-->D<>";
    assert_eq!(
        rules(text),
        ["rule <I, _> -> <S1, l3 _>;", "rule <S1, \"a@b:12[0]\"> -> <S1, \"-x\">;", "rule <S1, l3> -> <D>;"]
    );
}
