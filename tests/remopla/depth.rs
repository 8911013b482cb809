//! Depth and length cost memory only.

use puch::remopla::{Arithmetic, Options, parse, predicate, read};

use crate::large::{DEEP, grows_evenly, with_little_stack};

fn main_of(body: &str) -> String {
    format!("bool b; int x(3); int a[8](3);\nmodule void main() {{\n{body}\n}}\n")
}

#[test]
fn a_hundred_thousand_parentheses() {
    with_little_stack(|| {
        let expressions = [
            ("b", "(", ")", "b"),
            ("b", "!(", ")", "b"),
            ("b", "!", "", "b"),
            ("b", "b && (", ")", "b"),
            ("x", "x + (", ")", "1"),
            ("x", "a[", "]", "0"),
            ("b", "A i (0,0) ", "", "b"),
            ("b", "E i (1,1) !(", ")", "b"),
        ];
        for (target, open, close, inner) in expressions {
            let text = main_of(&format!("{target} = {}{inner}{};", open.repeat(DEEP), close.repeat(DEEP)));
            let program = read(&text, "deep.rem", &Options::default()).expect("depth is no mistake");
            drop(program.clone());
            assert_eq!(program.spds.rules.len(), 4, "{open}");
        }
        let names = read(&main_of("skip;"), "deep.rem", &Options::default()).expect("right").names;
        let text = format!("{}b{}", "!(".repeat(DEEP), ")".repeat(DEEP));
        assert!(predicate(&text, &names, None).is_ok());
    });
}

#[test]
fn a_constant_in_a_hundred_thousand_parentheses() {
    with_little_stack(|| {
        let text = format!("define N {}3{} int x(N); module void main() {{}}", "(".repeat(DEEP), ")".repeat(DEEP));
        assert!(read(&text, "deep.rem", &Options::default()).is_ok());
    });
}

#[test]
fn a_hundred_thousand_blocks() {
    with_little_stack(|| {
        for (open, close, rules) in [
            ("if :: b -> ", " fi", 1),
            ("if :: b -> skip; :: else -> ", " fi;", 2),
            ("do :: b -> ", " od", 1),
            ("if :: b -> do :: b -> ", " od skip; fi", 3),
            ("do :: b -> break; :: else -> ", " od", 2),
        ] {
            let text = main_of(&format!("{} skip; {}", open.repeat(DEEP), close.repeat(DEEP)));
            let program = read(&text, "deep.rem", &Options::default()).expect("depth is no mistake");
            let made = program.spds.rules.len();
            assert!((DEEP * rules..=DEEP * rules + 8).contains(&made), "{made} rules of {open}");
        }
    });
}

#[test]
fn depth_that_is_never_closed_is_reported_once() {
    with_little_stack(|| {
        for open in ["if :: b -> ", "do :: b -> "] {
            let text = main_of(&open.repeat(DEEP));
            let complaints = read(&text, "deep.rem", &Options::default()).expect_err("nothing is closed");
            assert_eq!(complaints.len(), 1, "{complaints:?}");
            assert_eq!(complaints[0].label, "99999 enclosing blocks are open, too");
        }
        for open in ["(", "!", "a[", "A i (0,1) ", "b && (", "x + "] {
            let text = main_of(&format!("b = {}", open.repeat(DEEP)));
            let complaints = read(&text, "deep.rem", &Options::default()).expect_err("nothing is closed");
            assert!((1..=2).contains(&complaints.len()), "{open}: {complaints:?}");
        }
    });
}

#[test]
fn long_arrays_and_many_modules_take_no_quadratic_time() {
    let check = Options { arithmetic: Arithmetic::Check, ..Options::default() };
    let body =
        "A i (0, 9999) c[i + x] = i + 5; A i (0, 9999) c[i] != i; c[x] != 3; if :: A i (0, 9999) c[i] < 9 -> skip; fi";
    let text = format!("int c[10000](4);\n{}", main_of(body));
    assert!(read(&text, "long.rem", &check).expect("right").has_asserts);
    let mut text = String::new();
    for i in 0..50_000 {
        text += &format!("module void p{i}(int n(2));\n");
    }
    for i in 0..50_000 {
        text += &format!("module void p{i}(int n(2)) {{ L{i}: goto L{i}; s{i} <p{i}> --> q <> }}\n");
    }
    assert_eq!(
        read(&(text + "module void main() {}"), "many.rem", &Options::default()).expect("right").spds.frames.len(),
        50_001
    );
}

#[test]
fn breaks_far_below_their_loop() {
    with_little_stack(|| {
        let text = main_of(&format!(
            "do :: true -> {} skip; {} od",
            "if :: b -> break; :: else -> ".repeat(DEEP),
            "fi ".repeat(DEEP)
        ));
        let program = read(&text, "deep.rem", &Options::default()).expect("depth is no mistake");
        assert_eq!(program.warnings.len(), 1001);
    });
}

#[test]
fn what_grows_beyond_measure_is_refused_where_it_stands() {
    with_little_stack(|| {
        let check = Options { arithmetic: Arithmetic::Check, ..Options::default() };
        let nested = format!("b = {}b{};", "a[x + 1] > 1 && (".repeat(DEEP), ")".repeat(DEEP));
        let cells = format!("x = {}x{};", "a[1 + a[".repeat(DEEP), "]]".repeat(DEEP));
        for (body, options) in [
            ("b = A i (0, 1000000000000) A j (0, 1000000000000) i == j;", &Options::default()),
            ("A i (0, 18446744073709551615) a[i] = 0;", &Options::default()),
            ("A i (0, 100) E j (0, 100) a[j] = i;", &Options::default()),
            (nested.as_str(), &check),
            (cells.as_str(), &check),
        ] {
            let complaints = read(&main_of(body), "large.rem", options).err();
            let complaints = complaints.unwrap_or_else(|| panic!("{body:.60} is accepted"));
            let message = "this statement becomes too large when its arrays and quantifiers are taken apart";
            assert!(complaints.iter().any(|complaint| complaint.message == message), "{complaints:?}");
        }
    });
}

#[test]
fn a_statement_adds_the_same_to_the_system_wherever_it_stands() {
    grows_evenly(|copies| {
        let mut text = String::from("bool g; int x(3);\n");
        for i in 0..copies {
            text += &format!(
                "module bool p{i}(bool a) {{ bool b; L{i}: b = a && g; if :: b || g -> g = false; :: else -> do :: b -> b = undef; :: else -> break; od fi b = p{i}(b); return b; }}\n"
            );
        }
        read(&(text + "module void main() {}"), "copies.rem", &Options::default()).expect("right").spds
    });
}

#[test]
fn the_tree_of_a_deep_program_can_be_cloned_and_dropped() {
    with_little_stack(|| {
        let text =
            main_of(&format!("{} b = {}b; {}", "if :: b -> ".repeat(DEEP), "!".repeat(DEEP), "fi ".repeat(DEEP)));
        let source = parse(&text, &Options::default()).expect("right");
        assert_eq!(source.ast.clone().statements.len(), DEEP + 1);
    });
}
