//! Depth and length cost memory only.

use puch::boolprog::{Dialect, Options, parse, predicate, read};

/// Runs it with little stack: deep recursion anywhere, also in `Drop`, would overflow it.
fn with_little_stack(body: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(2 << 20).spawn(body).expect("a thread").join().expect("no overflow");
}

fn main_of(body: &str) -> String {
    format!("decl g;\nvoid main() begin\n{body}\nend\n")
}

const DEEP: usize = 100_000;

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
    // Linear in size, measured by sizes and not by clocks: a constant number of symbols, rules and operations per copy.
    let size = |copies: usize| {
        let mut text = String::from("decl g;\n");
        for i in 0..copies {
            text += &format!(
                "bool p{i}(a) begin decl b; L: b := a & g; if (b | *) then g := 0; else while (b) do b := *; od fi b := p{i}(b); return b; end\n"
            );
        }
        let program = read(&(text + "void main() begin skip; end"), "copies.bp", &Options::default()).expect("right");
        let ops = |rule: &spds_format::model::Rule| {
            rule.updates.iter().map(|u| u.value.ops().len()).sum::<usize>()
                + rule.guard.iter().map(|g| g.ops().len()).sum::<usize>()
        };
        (program.spds.symbols.len(), program.spds.rules.len(), program.spds.rules.iter().map(ops).sum::<usize>())
    };
    let ((s1, r1, o1), (s2, r2, o2), (s4, r4, o4)) = (size(100), size(200), size(400));
    assert_eq!((2 * (s2 - s1), 2 * (r2 - r1), 2 * (o2 - o1)), (s4 - s2, r4 - r2, o4 - o2));
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
