//! Pictures: for Graphviz and laid out.

mod shell;

use std::fmt::Write as _;
use std::fs;
use std::time::Instant;

use shell::{code, puch, scratch, stderr, stdout};

/// An SVG is one element, well formed as far as its tags go, and every node's text is in it.
fn is_picture(svg: &str, texts: &[&str]) {
    assert!(svg.starts_with("<svg xmlns=") && svg.trim_end().ends_with("</svg>"), "{svg}");
    for element in ["svg", "text", "style", "title"] {
        let opened = svg.matches(&format!("<{element}")).count();
        assert_eq!(opened, svg.matches(&format!("</{element}>")).count(), "{element}");
    }
    for text in texts {
        assert!(svg.contains(text), "{text} is not in {svg}");
    }
    assert!(!svg.contains("NaN") && !svg.contains("inf,"), "{svg}");
}

#[test]
fn control_flow_has_statements_and_guards() {
    let output = puch(["convert", "examples/lock_faulty.bp", "--to", "svg"]);
    assert_eq!((code(&output), stderr(&output)), (0, String::new()));
    is_picture(&stdout(&output), &["acquire", "work", "main", "19  if (deeper) then", "!deeper", "assert(!held);"]);
    let dot = stdout(&puch(["convert", "examples/lock_faulty.bp", "--to", "dot"]));
    assert!(dot.contains("subgraph cluster_") && dot.contains("label=\"deeper\""), "{dot}");
}

#[test]
fn calls_are_drawn() {
    let output = puch(["convert", "examples/lock_faulty.bp", "--to", "dot", "--draw", "calls"]);
    let text = stdout(&output);
    assert_eq!(text.matches(" -> ").count(), 4, "{text}");
    is_picture(&stdout(&puch(["convert", "examples/lock_faulty.bp", "--to", "svg", "--draw", "calls"])), &["release"]);
}

#[test]
fn facts_stand_beside_statements() {
    let output = puch(["facts", "examples/lock.bp", "--format", "svg"]);
    assert_eq!(code(&output), 0);
    is_picture(&stdout(&output), &["held := 1;", "!held"]);
}

#[test]
fn traces_and_lassos_are_drawn() {
    let failed = puch(["check", "examples/lock_faulty.bp", "--format", "svg"]);
    assert_eq!(code(&failed), 1);
    is_picture(&stdout(&failed), &["assertions: violated", "call", "return", "class=\"node wrong\""]);
    let lasso = puch(["check", "examples/growing/tree.bp", "--termination", "--format", "svg"]);
    assert_eq!(code(&lasso), 1);
    is_picture(&stdout(&lasso), &["for ever", "class=\"node cycle\""]);
    let fine = puch(["check", "examples/lock.bp", "--format", "dot"]);
    assert!(code(&fine) == 0 && stdout(&fine).contains("assertions: holds"));
}

#[test]
fn runs_of_c_programs_are_drawn() {
    let failed = puch(["check", "examples/c/discount.c", "--format", "svg"]);
    assert_eq!(code(&failed), 1);
    is_picture(&stdout(&failed), &["assertions: violated", "call", "class=\"node wrong\""]);
    let directory = std::env::temp_dir().join(format!("puch-drawn-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("there is room");
    let file = directory.join("turns.c");
    std::fs::write(&file, "int x; int main(void) { while (1) x = !x; }\n").expect("it can be written");
    let lasso = puch(["check", file.to_str().expect("it is text"), "--no-cpp", "--termination", "--format", "dot"]);
    assert_eq!(code(&lasso), 1, "{}", stdout(&lasso));
    assert!(stdout(&lasso).contains("label=\"for ever\""), "{}", stdout(&lasso));
    let fine = puch(["check", "examples/c/lock.c", "--format", "dot"]);
    assert!(code(&fine) == 0 && stdout(&fine).contains("assertions: holds"));
    std::fs::remove_dir_all(&directory).expect("it is ours");
}

#[test]
fn automata_are_drawn_with_names() {
    let words = puch(["buchi", "G (lock -> F unlock)", "--format", "svg"]);
    is_picture(&stdout(&words), &["lock", "bold"]);
    let states = stdout(&puch(["buchi", "G F p", "--ba", "--format", "dot"]));
    assert!(states.contains("peripheries=2") && states.contains("!p"), "{states}");
    let stacks = puch(["post", "examples/stacks/requests.bp", "--format", "svg"]);
    assert_eq!((code(&stacks), stderr(&stacks)), (0, String::new()));
    is_picture(&stdout(&stacks), &["main "]);
}

#[test]
fn five_hundred_nodes_take_no_time_and_ever_the_same_picture() {
    let directory = scratch("large_pictures");
    let mut text = String::from("decl g;\nvoid main()\nbegin\n  decl x, y;\n");
    for number in 0..100 {
        let _ =
            write!(text, "  x := y;\n  if (x & g) then\n    y := !x;\n  else\n    g := *;\n  fi\n  L{number}: skip;\n");
    }
    text += "end\n";
    let file = directory.join("large.bp");
    fs::write(&file, text).expect("it can be written");
    let file = file.to_str().expect("a plain name");
    let began = Instant::now();
    let first = stdout(&puch(["convert", file, "--to", "svg"]));
    // A second on an idle machine with optimised code; here both may be missing.
    assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
    is_picture(&first, &["L99"]);
    assert_eq!(first, stdout(&puch(["convert", file, "--to", "svg"])));
}

#[test]
fn the_pictures_of_the_readme_are_what_is_drawn() {
    for (file, arguments) in [
        ("lock.svg", &["facts", "examples/lock.bp", "--format", "svg"][..]),
        ("tree.svg", &["check", "examples/growing/tree.bp", "--termination", "--format", "svg"]),
    ] {
        let file = shell::root().join("examples/pictures").join(file);
        let drawn = stdout(&puch(arguments));
        if shell::blessing() {
            fs::write(&file, &drawn).expect("it can be written");
        }
        assert!(fs::read_to_string(&file).is_ok_and(|stored| stored == drawn), "{}", file.display());
    }
}

#[test]
fn tangled_gotos_end_in_flags() {
    let directory = scratch("tangled_pictures");
    let mut text = String::from("decl g, h;\nvoid main()\nbegin\n");
    for number in 0..200_u32 {
        // As good as drawn by lot, and always the same.
        let (label, target) = (number, number * 7_919 % 200);
        let _ = writeln!(text, "  L{label}: g := !h;\n  if (g) then goto L{target}; fi");
    }
    text += "end\n";
    let file = directory.join("tangled.bp");
    fs::write(&file, text).expect("it can be written");
    let began = Instant::now();
    let drawn = stdout(&puch(["convert", file.to_str().expect("a plain name"), "--to", "svg"]));
    assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
    is_picture(&drawn, &["L199"]);
    let flags = drawn.matches(">to ").count();
    assert!(flags > 100 && flags < 200, "{flags} flags");
    let dot = stdout(&puch(["convert", file.to_str().expect("a plain name"), "--to", "dot"]));
    assert!(!dot.contains("to 4"), "Graphviz draws all of them");
}
