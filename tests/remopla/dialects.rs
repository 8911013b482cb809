//! Where tools read the same text differently.

use puch::remopla::{Dialect, Options};

use crate::show::{accept_with, rules_with};

fn with(dialect: Dialect) -> Options {
    Options { dialect, ..Options::default() }
}

fn warnings(text: &str, dialect: Dialect) -> Vec<String> {
    let said = |w: &spds_format::Diagnostic| {
        format!("{} | {} | {}", &text[w.span.clone().expect("a place")], w.message, w.help.as_deref().unwrap_or(""))
    };
    accept_with(text, &with(dialect)).warnings.iter().map(said).collect()
}

#[test]
fn a_do_without_else_blocks_or_is_left() {
    let text = "int k(2); module void main() { do :: k > 0 -> k = k - 1; od k = 3; }";
    let blocks = "<main/0> -> <main/0> when k > 0 { k' := k - 1 }\n<main/2> -> <main/3> { k' := 3 }\n<main/3> -> <>";
    assert_eq!(rules_with(text, &with(Dialect::Auto)), blocks);
    assert_eq!(rules_with(text, &with(Dialect::Moped)), blocks);
    assert_eq!(
        rules_with(text, &with(Dialect::Qleak)),
        "<main/0> -> <main/0> when k > 0 { k' := k - 1 }\n<main/0> -> <main/2> when !(k > 0)\n<main/2> -> <main/3> { k' := 3 }\n<main/3> -> <>"
    );
    let warning = "do | where its condition is false this `do` blocks, as in Moped 2; QLeak leaves it | \
                   add `:: else -> break;` to leave it, or choose with `--remopla`";
    assert_eq!(warnings(text, Dialect::Auto), [warning]);
    for dialect in [Dialect::Moped, Dialect::Qleak] {
        assert!(warnings(text, dialect).is_empty());
    }
    for body in [
        "do :: true -> break; od",
        "do :: k > 0 -> skip; :: else -> break; od",
        "do :: k > 0 -> skip; :: k == 0 -> break; od",
    ] {
        assert!(warnings(&format!("int k(2); module void main() {{ {body} }}"), Dialect::Auto).is_empty(), "{body}");
    }
    // The end can be reached only where the loop is left.
    let text = "int k(2); module int(2) f() { do :: k > 0 -> k = k - 1; od } module void main() { f(); }";
    accept_with(text, &with(Dialect::Moped));
    assert!(puch::remopla::read(text, "", &with(Dialect::Qleak)).is_err());
}

#[test]
fn break_leaves_the_do_or_the_if() {
    let text =
        "bool b; module void main() { do :: true -> if :: b -> break; :: else -> skip; fi b = true; od b = false; }";
    let plain = rules_with(text, &with(Dialect::Auto));
    assert!(plain.contains("<main/1> -> <main/5> when b\n"), "{plain}");
    for dialect in [Dialect::Moped, Dialect::Qleak] {
        assert!(rules_with(text, &with(dialect)).contains("<main/1> -> <main/4> when b\n"));
        assert!(warnings(text, dialect).is_empty());
    }
    let warning = "break | this leaves the `do`; Moped 2 leaves the `if` in which it stands, and no more | \
                   say what is meant with `goto`, or choose with `--remopla`";
    assert_eq!(warnings(text, Dialect::Auto), [warning]);
    // In the older tools an `if` alone can be left.
    let text = "bool b; module void main() { if :: b -> break; :: else -> skip; fi }";
    assert!(rules_with(text, &with(Dialect::Moped)).starts_with("<main/0> -> <main/3> when b\n"));
    assert!(puch::remopla::read(text, "", &with(Dialect::Auto)).is_err());
}

#[test]
fn other_cells_are_kept_or_become_arbitrary() {
    let text = "int a[4](2); module void main() { A i (0,1) a[i] = 0; }";
    assert_eq!(
        rules_with(text, &with(Dialect::Auto)),
        "<main/0> -> <main/1> { a'[0] := 0; a'[1] := 0 }\n<main/1> -> <>"
    );
    assert_eq!(
        rules_with(text, &with(Dialect::Moped)),
        "<main/0> -> <main/1> { a' := *; a'[0] := 0; a' := *; a'[1] := 0 }\n<main/1> -> <>"
    );
    let warning =
        "a[i] | the other cells of `a` keep their values; in Moped 2 they become arbitrary | choose with `--remopla`";
    assert_eq!(warnings(text, Dialect::Auto), [warning]);
    assert!(warnings("int a[4](2); module void main() { A i (0,3) a[i] = 0; }", Dialect::Auto).is_empty());
}

#[test]
fn a_program_without_init_begins_with_main() {
    let text = "module void f() {} module void main() {}";
    let start = |options: &Options| {
        let spds = accept_with(text, options).spds;
        spds.start.stack.iter().map(|symbol| spds.symbol(*symbol).name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(start(&Options::default()), ["main/0", "@end"]);
    assert_eq!(start(&Options { entry: Some("f".into()), ..Options::default() }), ["f/0", "@end"]);
}

#[test]
fn constants_can_be_given() {
    let text = "define N 2 define M N * 2 int x(M); module void main() { x = M; }";
    let given = |defines: &[(&str, u64)]| Options {
        defines: defines.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
        ..Options::default()
    };
    assert!(accept_with(text, &given(&[("N", 5)])).spds.to_string().contains("global x: u10;"));
    assert!(accept_with(text, &given(&[("N", 5), ("M", 3)])).spds.to_string().contains("global x: u3;"));
    let complaints = puch::remopla::read(text, "", &given(&[("K", 1)])).expect_err("there is no K");
    assert_eq!(complaints[0].message, "this file has no `define K` to be replaced");
}
