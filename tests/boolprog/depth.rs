//! Depth and length cost memory only.

use puch::boolprog::{Dialect, Options, parse, predicate, read};

use crate::large::{DEEP, grows_evenly, with_little_stack};

fn main_of(body: &str) -> String {
    format!("decl g;\nvoid main() begin\n{body}\nend\n")
}

#[test]
fn a_hundred_thousand_parentheses() {
    with_little_stack(|| {
        for (open, close) in
            [("(", ")"), ("!(", ")"), ("!", ""), ("schoose[0,", "]"), ("g ? 1 : ", ""), ("g => (", ")")]
        {
            let text = main_of(&format!("g := {}g{};", open.repeat(DEEP), close.repeat(DEEP)));
            let program = read(&text, "deep.bp", &Options::default()).expect("depth is no mistake");
            drop(program.clone());
            assert_eq!(program.spds.rules.len(), 4);
        }
        let primed = main_of(&format!("g := * constrain '{}g{};", "(".repeat(DEEP), ")".repeat(DEEP)));
        assert!(read(&primed, "deep.bp", &Options::default()).is_ok());
        let spds = read(&main_of("skip;"), "deep.bp", &Options::default()).expect("right").spds;
        let text = format!("{}g{}", "!(".repeat(DEEP), ")".repeat(DEEP));
        assert!(predicate(&text, &spds, Dialect::Auto, None).is_ok());
    });
}

#[test]
fn a_hundred_thousand_blocks() {
    with_little_stack(|| {
        for (open, close, rules) in [
            ("if (g) then ", " fi", 2),
            ("if (g) then ", " else skip; fi;", 3),
            ("if (g) then skip; else ", " fi", 3),
            ("while (*) do ", " od", 2),
            ("if g then L: fi; ", "", 2),
        ] {
            let open = open.repeat(if open.contains('L') { 1 } else { DEEP });
            let count = if close.is_empty() { 1 } else { DEEP };
            let text = main_of(&format!("{open} skip; {}", close.repeat(count)));
            let program = read(&text, "deep.bp", &Options::default()).expect("depth is no mistake");
            assert_eq!(program.spds.rules.len(), count * rules + 4, "{} rules at each level of {open:.20}", rules);
        }
        let text = main_of(&format!("if (g) then skip; {} fi", "elsif (g) then skip; ".repeat(DEEP)));
        let program = read(&text, "deep.bp", &Options::default()).expect("length is no mistake");
        assert_eq!(program.spds.rules.len(), (DEEP + 1) * 3 + 3);
    });
}

#[test]
fn depth_that_is_never_closed_is_reported_once() {
    with_little_stack(|| {
        for open in ["if (g) then ", "while (*) do "] {
            let text = main_of(&open.repeat(DEEP));
            let complaints = read(&text, "deep.bp", &Options::default()).expect_err("nothing is closed");
            assert_eq!(complaints.len(), 1, "{complaints:?}");
            assert_eq!(complaints[0].label, "99999 enclosing blocks are open, too");
        }
        for open in ["(", "!", "schoose[", "g ? ", "'", "'("] {
            let text = main_of(&format!("g := {}", open.repeat(DEEP)));
            let complaints = read(&text, "deep.bp", &Options::default()).expect_err("nothing is closed");
            assert!((1..=2).contains(&complaints.len()), "{open}: {complaints:?}");
        }
    });
}

#[test]
fn a_million_statements_make_a_million_symbols_and_rules() {
    let text = main_of(&"g := !g;\n".repeat(1_000_000));
    let program = read(&text, "long.bp", &Options::default()).expect("right");
    assert_eq!((program.spds.symbols.len(), program.spds.rules.len()), (1_000_003, 1_000_003));
    assert_eq!(program.spds.symbols[999_999].place.map(|place| (place.line, place.column)), Some((1_000_002, 1)));
}

#[test]
fn a_statement_adds_the_same_to_the_system_wherever_it_stands() {
    grows_evenly(|copies| {
        let mut text = String::from("decl g;\n");
        for i in 0..copies {
            text += &format!(
                "bool p{i}(a) begin decl b; L: b := a & g; if (b | *) then g := 0; else while (b) do b := *; od fi b := p{i}(b); return b; end\n"
            );
        }
        read(&(text + "void main() begin skip; end"), "copies.bp", &Options::default()).expect("right").spds
    });
}

#[test]
fn the_tree_of_a_deep_program_can_be_cloned_and_dropped() {
    with_little_stack(|| {
        let text =
            main_of(&format!("{} g := {}g; {}", "if (*) then ".repeat(DEEP), "!".repeat(DEEP), "fi ".repeat(DEEP)));
        let source = parse(&text, &Options::default()).expect("right");
        assert_eq!(source.ast.clone().statements.len(), DEEP + 1);
    });
}
