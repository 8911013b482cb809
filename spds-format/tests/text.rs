//! The notation by example: texts, what is said about wrong ones, and the fenced examples of SPEC.md.

use spds_format::{parse, print};

const LOCK: &str = r#"spds 1

file lock.bp;
global g: bool, x: u3, a: u4[1..8], hidden $r: bool;
frame main { h: bool }
frame level1 { h: bool, g: bool }
control p;
symbol main/0 in main at lock.bp:7:3 labels R invariant g | h;
symbol main/1 in main;
symbol level1/0 in level1;
symbol "back to main" in main;
symbol @end;
end @end;
start <p, main/0 @end> when !g;
rule <p, main/0> -> <p, level1/0 "back to main"> when g & !h { g' := *; ::g' := *; h' := x = 3; h'' := !h; a'[x + 1] := a[2] * 2; a' := * } with x' = x + 1 & (h'' -> g) label "call level1";
silent rule <p, "back to main"> -> <p, main/1> { h' := $r; $r' := * };
rule <p, level1/0> -> <p> { $r' := h ^ ::g };
rule <p, @end> -> <p, @end>;
atom hot when x > 5;
atom "a local" in main when h & g;
"#;

#[test]
fn a_text_comes_back() {
    let model = parse(LOCK).unwrap_or_else(|e| panic!("{e:#?}"));
    let text = print(&model);
    println!("{text}");
    assert_eq!(parse(&text).unwrap_or_else(|e| panic!("{e:#?}\n{text}")), model);
}

/// Every fenced `spds` block of the specification is a whole text.
#[test]
fn the_examples_of_the_specification_are_texts() {
    let spec = include_str!("../SPEC.md");
    let examples: Vec<&str> =
        spec.split("\n```spds\n").skip(1).map(|rest| rest.split("\n```").next().unwrap()).collect();
    assert_eq!(examples.len(), 4);
    for example in examples {
        let model = parse(example).unwrap_or_else(|mistakes| panic!("{mistakes:#?}\n{example}"));
        assert_eq!(parse(&print(&model)), Ok(model));
    }
}

/// The specification lists the keywords and the operators that there are.
#[test]
fn the_specification_lists_all_keywords() {
    let spec = include_str!("../SPEC.md");
    let listed = spec.split("**Keywords**").nth(1).unwrap().split('`').nth(1).unwrap();
    for keyword in listed.split(' ') {
        assert!(parse(&format!("spds 1 control {keyword}; symbol s; start <\"{keyword}\", s>;")).is_err(), "{keyword}");
        assert!(parse(&format!("spds 1 control \"{keyword}\"; symbol s; start <\"{keyword}\", s>;")).is_ok());
    }
    assert_eq!(listed.split(' ').count(), 22);
}
