//! How formulas are read: spellings, precedences of each dialect, refusals, complaints.

extern crate puch_engine as puch;

use puch::ltl::{Dialect, Ltl, MopedDiffers, Reading, parenthesised, parse, parse_proposition};
use spds_format::Diagnostic;

fn read(text: &str, dialect: Dialect) -> Ltl {
    match parse(text, &Reading { dialect, ..Reading::default() }) {
        Ok((ltl, _)) => ltl,
        Err(complaints) => panic!("{text}: {complaints:?}"),
    }
}

fn shown(text: &str, dialect: Dialect) -> String {
    parenthesised(&read(text, dialect))
}

fn complaints(text: &str) -> Vec<Diagnostic> {
    match parse(text, &Reading::default()) {
        Ok((ltl, _)) => panic!("{text} was read as {}", parenthesised(&ltl)),
        Err(complaints) => complaints,
    }
}

#[test]
fn every_spelling_of_an_operator_is_known() {
    let spellings = [
        ("! p", "!p"),
        ("~p", "!p"),
        ("not p", "!p"),
        ("¬p", "!p"),
        ("X p", "X p"),
        ("next p", "X p"),
        ("○p", "X p"),
        ("◯ p", "X p"),
        ("F p", "F p"),
        ("<> p", "F p"),
        ("eventually p", "F p"),
        ("◇p", "F p"),
        ("♢p", "F p"),
        ("G p", "G p"),
        ("[]p", "G p"),
        ("always p", "G p"),
        ("□p", "G p"),
        ("p U q", "p U q"),
        ("p until q", "p U q"),
        ("p R q", "p R q"),
        ("p V q", "p R q"),
        ("p release q", "p R q"),
        ("p W q", "p W q"),
        ("p weakuntil q", "p W q"),
        ("p M q", "p M q"),
        ("p & q", "p & q"),
        ("p && q", "p & q"),
        ("p /\\ q", "p & q"),
        ("p and q", "p & q"),
        ("p ∧ q", "p & q"),
        ("p | q", "p | q"),
        ("p || q", "p | q"),
        ("p \\/ q", "p | q"),
        ("p or q", "p | q"),
        ("p ∨ q", "p | q"),
        ("p ^ q", "p xor q"),
        ("p xor q", "p xor q"),
        ("p ⊕ q", "p xor q"),
        ("p -> q", "p -> q"),
        ("p => q", "p -> q"),
        ("p --> q", "p -> q"),
        ("p implies q", "p -> q"),
        ("p → q", "p -> q"),
        ("p ⇒ q", "p -> q"),
        ("p <-> q", "p <-> q"),
        ("p <=> q", "p <-> q"),
        ("p <--> q", "p <-> q"),
        ("p equivalent q", "p <-> q"),
        ("p ↔ q", "p <-> q"),
        ("p ⇔ q", "p <-> q"),
        ("true", "true"),
        ("TRUE", "true"),
        ("1", "true"),
        ("false", "false"),
        ("False", "false"),
        ("0", "false"),
        ("GFa", "G F a"),
        ("XXXp0", "X X X p0"),
        ("FG(a)", "F G a"),
        ("F1", "F1"),
        ("((p))", "p"),
    ];
    for (text, expected) in spellings {
        assert_eq!(shown(text, Dialect::Auto), expected, "{text}");
    }
}

#[test]
fn every_kind_of_proposition_is_known() {
    for (text, expected) in [
        ("main:L", "main:L"),
        ("*:L", "*:L"),
        ("::g", "::g"),
        ("{x & !main.y}", "{x & !main.y}"),
        ("\"x & !main.y\"", "{x & !main.y}"),
        ("{ {x==y} & g }", "{{x==y} & g}"),
        ("@at(f)", "@at(f)"),
        ("@entry( f )", "@entry(f)"),
        ("@call (f)", "@call(f)"),
        ("@return(f)", "@return(f)"),
        ("@fail", "@fail"),
        ("@end", "@end"),
        ("@stuck", "@stuck"),
        ("$r1.x_2", "$r1.x_2"),
    ] {
        assert_eq!(shown(text, Dialect::Auto), expected, "{text}");
        assert_eq!(parse_proposition(text).unwrap().kind.to_string(), expected, "{text}");
    }
    assert!(parse_proposition("p & q").is_err());
    assert!(parse_proposition("1").is_err());
    assert!(parse_proposition("").is_err());
    // A name alone is a name, whatever letters it has.
    assert_eq!(parse_proposition("Fail").unwrap().kind.to_string(), "Fail");
}

/// What each tool does, as it was found by running it.
#[test]
fn dialects_read_as_their_tools_do() {
    use Dialect::{Moped, NuSmv, Spin, SpinF, Spot};
    type Readings<'a> = &'a [(&'a [Dialect], &'a str)];
    let table: [(&str, Readings<'_>); 14] = [
        ("a || b && c", &[(&[Spot, Spin, Moped, NuSmv], "a | (b & c)"), (&[SpinF], "(a | b) & c")]),
        ("[] a && b", &[(&[Spot, Spin, SpinF, NuSmv], "(G a) & b"), (&[Moped], "G (a & b)")]),
        ("a U b && c", &[(&[Spot, Spin, SpinF, NuSmv], "(a U b) & c"), (&[Moped], "a U (b & c)")]),
        ("<> a U b", &[(&[Spot, Spin, SpinF, NuSmv], "(F a) U b"), (&[Moped], "F (a U b)")]),
        ("a U b U c", &[(&[Spot], "a U (b U c)"), (&[Spin, SpinF, Moped, NuSmv], "(a U b) U c")]),
        ("a -> b -> c", &[(&[Spot, NuSmv], "a -> (b -> c)"), (&[Spin, SpinF, Moped], "(a -> b) -> c")]),
        ("a <-> b -> c", &[(&[Spot], "a <-> (b -> c)"), (&[Moped], "a <-> (b -> c)"), (&[NuSmv], "(a <-> b) -> c")]),
        ("! a U b", &[(&[Spot, Spin, SpinF, NuSmv, Moped], "!a U b")]),
        ("[] a -> b", &[(&[Spot, Spin, SpinF, NuSmv, Moped], "(G a) -> b")]),
        ("a && [] b || c", &[(&[Spot, Spin, NuSmv], "(a & (G b)) | c"), (&[Moped], "a & (G (b | c))")]),
        ("! [] a && b", &[(&[Spot, Spin, NuSmv], "(!G a) & b"), (&[Moped], "!G (a & b)")]),
        ("a xor b | c", &[(&[Spot], "(a xor b) | c"), (&[NuSmv], "(a xor b) | c")]),
        ("a | b xor c", &[(&[Spot], "a | (b xor c)"), (&[NuSmv], "(a | b) xor c")]),
        ("a <-> b <-> c", &[(&[Spot, Spin, SpinF, Moped, NuSmv], "a <-> b <-> c")]),
    ];
    for (text, readings) in table {
        for (dialects, expected) in readings {
            for dialect in *dialects {
                assert_eq!(&shown(text, *dialect), expected, "{text} in {}", dialect.name());
            }
        }
    }
}

#[test]
fn a_formula_that_spin_or_nusmv_would_read_differently_is_refused_with_all_readings() {
    let found = complaints("p U q U r");
    assert_eq!(found.len(), 1);
    assert_eq!(
        found[0].message,
        "tools disagree about this formula: Spot reads `p U (q U r)`, Spin and NuSMV read `(p U q) U r`"
    );
    assert_eq!(found[0].span, Some(2..3));
    assert!(found[0].help.as_ref().unwrap().contains("--ltl-syntax"));
    let found = complaints("G (p -> q -> r)");
    assert!(found[0].message.contains("Spin reads `G ((p -> q) -> r)`"), "{}", found[0].message);
    assert_eq!(found[0].span, Some(5..7));
    // Parentheses settle it, and so does a choice.
    assert_eq!(shown("p U (q U r)", Dialect::Auto), "p U (q U r)");
    assert_eq!(shown("p U q U r", Dialect::Spin), "(p U q) U r");
    // Chains of what is associative are no matter of taste.
    assert_eq!(shown("a & b & c | d | e <-> f <-> g", Dialect::Auto), "((a & b & c) | d | e) <-> f <-> g");
}

#[test]
fn a_formula_that_only_moped_reads_differently_gets_a_warning_or_is_refused_on_request() {
    let (ltl, warnings) = parse("[] p && q", &Reading::default()).unwrap();
    assert_eq!(parenthesised(&ltl), "(G p) & q");
    assert_eq!(warnings.len(), 1);
    assert!(!warnings[0].is_error());
    assert!(warnings[0].message.contains("Moped reads `G (p & q)`"), "{}", warnings[0].message);
    let refused = parse("[] p && q", &Reading { moped: MopedDiffers::Refuse, ..Reading::default() }).unwrap_err();
    assert!(refused[0].is_error());
    assert!(parse("[] (p && q)", &Reading::default()).unwrap().1.is_empty());
    assert!(parse("G (p -> F q)", &Reading::default()).unwrap().1.is_empty());
}

#[test]
fn words_that_name_something_in_the_program_are_names_where_they_can_be() {
    let known = |word: &str| matches!(word, "Fail" | "R" | "X" | "next" | "GF");
    let reading = Reading { known: &known, ..Reading::default() };
    let shown = |text: &str| parenthesised(&parse(text, &reading).unwrap_or_else(|e| panic!("{text}: {e:?}")).0);
    assert_eq!(shown("F R"), "F R");
    assert_eq!(shown("G (R -> F Fail)"), "G (R -> (F Fail))");
    assert_eq!(shown("F X"), "F X");
    assert_eq!(shown("X -> F X"), "X -> (F X)");
    assert_eq!(shown("X p"), "X p");
    assert_eq!(shown("X U p"), "X U p");
    assert_eq!(shown("F (next & R R R)"), "F (next & (R R R))");
    assert_eq!(shown("G next"), "G next");
    assert_eq!(shown("GF"), "GF");
    // Without a program the letters are taken apart.
    assert_eq!(self::shown("Fail", Dialect::Auto), "F ail");
    // In place of an operand the letters of operators between two are names.
    assert_eq!(self::shown("F R", Dialect::Auto), "F R");
}

#[test]
fn mistakes_are_found_all_at_once_with_their_places() {
    type Mistakes<'a> = &'a [(&'a str, std::ops::Range<usize>)];
    let cases: [(&str, Mistakes<'_>); 22] = [
        ("", &[("the formula is empty", 0..0)]),
        ("   ", &[("the formula is empty", 0..0)]),
        ("p U", &[("`U` needs a formula behind it", 3..3)]),
        ("G", &[("`G` needs a formula behind it", 1..1)]),
        ("&& p", &[("`&&` needs a formula before it", 0..2)]),
        ("p q", &[("an operator is missing before `q`", 2..3)]),
        ("(p", &[("this parenthesis is never closed", 0..1)]),
        ("p)", &[("this parenthesis closes nothing", 1..2)]),
        ("()", &[("a formula is missing before this parenthesis", 1..2)]),
        ("p == q", &[("`=` has no meaning here", 2..4), ("an operator is missing before `q`", 5..6)]),
        ("{x", &[("this brace is never closed", 0..1)]),
        ("{ }", &[("there is no expression inside", 0..3)]),
        ("\"x", &[("this quotation mark has no partner", 0..1)]),
        ("@foo", &[("there is no proposition `@foo`", 0..4)]),
        ("@at", &[("`@at` needs a procedure in parentheses behind it", 0..3)]),
        ("@at()", &[("`@at()` does not say which procedure", 0..5)]),
        ("main: L", &[("`main:` needs a label behind it", 0..5), ("an operator is missing before `L`", 6..7)]),
        ("*:", &[("`*:` needs a label behind it", 0..2)]),
        ("2", &[("`2` is no formula", 0..1)]),
        ("p S q", &[("an operator is missing before `S`", 2..3), ("an operator is missing before `q`", 4..5)]),
        ("Y p", &[("an operator is missing before `p`", 2..3)]),
        (
            "p && && q ) (",
            &[
                ("`&&` needs a formula before it", 5..7),
                ("this parenthesis closes nothing", 10..11),
                ("an operator is missing before `(`", 12..13),
                ("this parenthesis is never closed", 12..13),
                ("`(` needs a formula behind it", 13..13),
            ],
        ),
    ];
    for (text, expected) in cases {
        let found = complaints(text);
        let found: Vec<_> = found.iter().map(|c| (c.message.as_str(), c.span.clone().unwrap())).collect();
        let mut expected = expected.to_vec();
        if text == "main: L" || text == "*:" {
            // What is no proposition leaves a gap behind, which is not complained about again.
            expected.truncate(1);
        }
        assert_eq!(found, expected, "{text}");
    }
    let help = |text: &str| complaints(text).into_iter().find_map(|complaint| complaint.help).unwrap_or_default();
    assert!(help("p S q").contains("past"));
    assert!(help("Y p").contains("past"));
    assert!(help("x == 1").contains("braces"));
    assert!(help("A G p").contains("branching"));
    assert!(help("@foo").contains("@entry(proc)"));
}

#[test]
fn complaints_beyond_the_thousandth_are_counted() {
    let found = complaints(&"? ".repeat(5000));
    assert_eq!(found.len(), 1001);
    assert_eq!(found[1000].message, "4000 more errors in this formula are not listed");
}

#[test]
fn depth_is_no_danger() {
    const DEEP: usize = 100_000;
    let deep = [
        format!("{}p{}", "(".repeat(DEEP), ")".repeat(DEEP)),
        format!("{}p", "!".repeat(DEEP)),
        format!("{}p", "X ".repeat(DEEP)),
        format!("{}p{}", "p U (".repeat(DEEP), ")".repeat(DEEP)),
        format!("{}p{}", "(".repeat(DEEP), " -> q)".repeat(DEEP)),
        format!("{}p", "p && ".repeat(DEEP)),
        format!("{}p{}", "p && (".repeat(DEEP), ")".repeat(DEEP)),
        format!("{}p", "p <-> ".repeat(DEEP)),
        format!("{}x{}", "{".repeat(DEEP), "}".repeat(DEEP)),
    ];
    for text in deep {
        let ltl = read(&text, Dialect::Spot);
        assert!(!parenthesised(&ltl).is_empty());
        let ltl = ltl.negated();
        let _ = puch::ltl::simplified(&ltl, puch::ltl::Rules::default());
    }
    let refused = complaints(&"(".repeat(DEEP));
    assert_eq!(refused.len(), 1001);
}

#[test]
fn printing_and_reading_come_back_to_the_same() {
    let mut random = fastrand::Rng::with_seed(11);
    for _ in 0..500 {
        let size = random.usize(0..12);
        let ltl = random::formula(&mut random, 3, size);
        let text = parenthesised(&ltl);
        assert_eq!(shown(&text, Dialect::Auto), text);
        assert_eq!(shown(&text, Dialect::Moped), text);
    }
}

#[path = "ltl/random.rs"]
mod random;

#[test]
fn operators_count_steps() {
    for (counted, plain) in [
        ("X[0] p", "p"),
        ("X[3] p", "X X X p"),
        ("X[!] p", "X p"),
        ("F[1:3] p", "X (p | X (p | X p))"),
        ("G[0..2] p", "p & X (p & X p)"),
        ("F[2:2] p", "X X p"),
        ("F[2:] p", "X X F p"),
        ("G [ 1 : $ ] p", "X G p"),
        ("GX[2]p", "G X X p"),
        ("<>[1:2] p U q", "(X (p | X p)) U q"),
        ("! next[2] p & q", "(! X X p) & q"),
    ] {
        assert_eq!(shown(counted, Dialect::Spot), shown(plain, Dialect::Spot), "{counted}");
    }
    for (text, message, place) in [
        ("X[1:2] p", "`X[1:2]` cannot count from one step to another", "X[1:2]"),
        ("F[2] p", "`F[2]` says only one of two steps", "F[2]"),
        ("F[!] p", "`F[!]` is about X alone", "F[!]"),
        ("G[3:2] p", "`G[3:2]` ends before it begins", "G[3:2]"),
        ("![2] p", "`![2]` can stand behind X, F and G only", "![2]"),
        ("X[99999999999] p", "`X[99999999999]` counts more than 1048576 steps", "X[99999999999]"),
        ("X[1][2] p", "`[` has no meaning here", "["),
        ("p[2]", "`[` has no meaning here", "["),
    ] {
        let complaints = complaints(text);
        let span = complaints[0].span.clone().expect("it has a place");
        assert_eq!((&complaints[0].message[..], &text[span]), (message, place), "{complaints:?}");
    }
}

#[test]
fn the_prefix_form_is_read() {
    for (prefix, infix) in [
        ("p0", "p0"),
        ("! p0", "!p0"),
        ("!p0", "!p0"),
        ("| U p0 p1 G ! p2", "(p0 U p1) | G !p2"),
        ("& i p0 X p1 e t p1", "(p0 -> X p1) & (true <-> p1)"),
        ("V F p0 ^ p1 f", "(F p0) R (p1 xor false)"),
        ("M W p0 {x == y} @fail", "(p0 W {x == y}) M @fail"),
    ] {
        assert_eq!(shown(prefix, Dialect::Lbt), shown(infix, Dialect::Spot), "{prefix}");
    }
    for (text, message, place) in [
        ("", "the formula is empty", ""),
        ("U p0", "`U` needs two formulas behind it", "U"),
        ("& p0 G", "`G` needs a formula behind it", "G"),
        ("p0 U p1 p2", "the formula has ended before this", "U p1 p2"),
        ("-> p0 p1", "`->` is no operator of the prefix form", "->"),
    ] {
        let reading = Reading { dialect: Dialect::Lbt, ..Reading::default() };
        let complaints = parse(text, &reading).expect_err(text);
        let span = complaints[0].span.clone().expect("it has a place");
        assert_eq!((&complaints[0].message[..], &text[span]), (message, place), "{complaints:?}");
    }
}

#[test]
fn formulas_are_read_as_wring_writes_them() {
    for (wring, plain) in [
        ("G(p=1 -> F(q=0))", "G (p -> F !q)"),
        ("(p = 1) * (q=0) + r=1", "(p & !q) | r"),
        ("!(main:L=1) U {x == 1}=0", "(!main:L) U !{x == 1}"),
    ] {
        assert_eq!(shown(wring, Dialect::Wring), shown(plain, Dialect::Spot), "{wring}");
    }
    let reading = Reading { dialect: Dialect::Wring, ..Reading::default() };
    for (text, message) in [
        ("p=2", "`=1` or `=0` must stand behind a proposition"),
        ("=1", "`=1` or `=0` must stand behind a proposition"),
        ("p=1 U q=1 U r=1", "tools disagree about this formula"),
    ] {
        let complaints = parse(text, &reading).expect_err(text);
        assert!(complaints[0].message.starts_with(message), "{complaints:?}");
    }
}
