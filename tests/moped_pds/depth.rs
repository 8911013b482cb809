//! Depth and length cost memory only.

use puch::moped_pds::{Options, predicate, read, write};

use crate::large::{DEEP, with_little_stack};

fn with(relation: &str) -> String {
    format!("global bool g; int x(3); int a[8](3); (q <m>) q <m> --> q <m> ({relation})")
}

#[test]
fn a_hundred_thousand_parentheses() {
    with_little_stack(|| {
        for (open, close) in [("(", ")"), ("!(", ")"), ("!", ""), ("g == (", ")"), ("g & ", ""), ("A i (0,0) ", "")] {
            let text = with(&format!("{}g{}", open.repeat(DEEP), close.repeat(DEEP)));
            let system = read(&text, "deep.pds", &Options::default()).expect("depth is no mistake");
            drop(system.clone());
            let (written, _) = write(&system.spds).expect("it can be written");
            assert!(read(&written, "deep.pds", &Options::default()).is_ok(), "{open}");
        }
        let indices = with(&format!("{}0{} = 1", "a[".repeat(DEEP), "]".repeat(DEEP)));
        assert!(read(&indices, "deep.pds", &Options::default()).is_ok());
        let sums = with(&format!("x = {}1{}", "(1+".repeat(DEEP), ")".repeat(DEEP)));
        assert!(read(&sums, "deep.pds", &Options::default()).is_ok());
        let constant = format!("define N {}1{}\n(q <m>)", "(".repeat(DEEP), ")".repeat(DEEP));
        assert!(read(&constant, "deep.pds", &Options::default()).is_ok());
        let spds = read(&with("g"), "deep.pds", &Options::default()).expect("right").spds;
        assert!(predicate(&format!("{}g{}", "!(".repeat(DEEP), ")".repeat(DEEP)), &spds, &[], None).is_ok());
    });
}

#[test]
fn depth_that_is_never_closed_is_reported_once() {
    with_little_stack(|| {
        for open in ["(", "!", "a[", "g & (", "A i (0,1) ", "x'=("] {
            let complaints =
                read(&with(&open.repeat(DEEP)), "deep.pds", &Options::default()).expect_err("nothing is closed");
            let errors = complaints.iter().filter(|complaint| complaint.is_error()).count();
            assert_eq!(errors, 1, "{open}: {complaints:?}");
        }
    });
}

#[test]
fn quantifiers_that_explode_are_refused() {
    let text = with(&format!("{}g", "A i (0,9) ".repeat(30)));
    let complaints = read(&text, "deep.pds", &Options::default()).expect_err("10^30 operations");
    assert!(complaints[0].message.contains("quantifiers"), "{complaints:?}");
    let text = with("A i (0,18446744073709551615) x=i");
    assert!(read(&text, "deep.pds", &Options::default()).is_err());
}

#[test]
fn many_rules_of_many_variables() {
    let mut text = String::from("global bool g0");
    for number in 1..20 {
        text += &format!(", g{number}");
    }
    text += ";\n(q <m0>)\n";
    let frame: Vec<String> = (0..20).map(|number| format!("(g{number}'==g{number})")).collect();
    for number in 0..20_000 {
        text += &format!("q <m{number}> --> q <m{}> ({})\n", number + 1, frame.join(" & "));
    }
    let system = read(&text, "long.pds", &Options::default()).expect("right");
    assert_eq!((system.spds.rules.len(), system.spds.symbols.len(), system.warnings.len()), (20_000, 20_001, 0));
    assert!(
        system.spds.rules.iter().all(|rule| rule.updates.is_empty() && rule.guard.is_none() && rule.with.is_none())
    );
}
