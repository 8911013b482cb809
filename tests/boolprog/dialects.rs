//! What other tools accept, we accept; and where they differ, we say so.

use puch::boolprog::{Dialect, Options, read};

use crate::show::{accept, accept_with, rules_with};

#[test]
fn an_example_of_each_dialect() {
    let slam = "decl {x==0}, g;
bool<2> f(a) begin
  decl t;
  enforce !(a & t);
  t := schoose[a, !a];
  if (*) then return t, a; else return a, t; fi
end
void main() begin
  g, _ := f(T);
  if (g & !{x==0}) then SLIC_ERROR: skip; fi
end";
    let satabs = "decl b0;  // x == 0
decl b1;
void main() begin
 PC0: b0,b1 := *,1 constrain ('b0 | 'b1);
  l1:
 PC1: if !b1 then goto l2; fi;
 PC3: assume(*); b0 := b0 & *;
  l2: PC4: assert(!b0 | b1);
 PC5: goto l1, l2;
end";
    let bopp = "decl s0:=1, s1;
void main() begin
decl l0:=0;
0: s0,s1 := s1,s0 constrain s0 | s1;
1: goto 2,3;
2: if !s0 then goto 0; fi;
3: assert(!l0);
end";
    let getafix = "decl atomic, b0;
void init () begin  atomic := F; b0 := schoose[F,F];  end
void main () begin
  atomic := F;
  init();
  while (*) do if (b0) then SLIC_ERROR: skip; fi od
  assume(T);
end";
    let bebop = "decl g;
main() begin
  decl h;  h := !g;  A(g,h);
  if (?) then print(g); else skip; fi
end
A(a1,a2) begin  skip;  end";
    let reduce = "decl b0;
void main() begin
  decl l;
PC1: l, b0 := b0 & l, T constrain !'l | !b0;
PC2: assert F;  assume b0 -> l; if b0 <> l then goto PC1; elif b0 then skip; fi;
end";
    let duet = "bool id(bool b) begin return b; end
void main() begin decl x; x := id(0); if * then x := 1; elsif x && x then skip; fi assert ( x ) ; abortif x; end";
    for (text, count) in [(slam, 9), (satabs, 7), (bopp, 6), (getafix, 10), (bebop, 8), (reduce, 8), (duet, 10)] {
        let program = accept(text);
        assert!(program.warnings.is_empty(), "{text}\n{:#?}", program.warnings);
        let symbols = program.spds.symbols.iter().filter(|symbol| symbol.place.is_some()).count();
        assert_eq!(symbols, count, "symbols of\n{text}");
    }
}

/// The acceptance matrix of the survey: each construct was accepted by some parser of the time, or by none.
#[test]
fn the_union_of_the_dialects_is_accepted() {
    let statements = [
        "if (*) then skip; else skip; fi",
        "if g then skip; fi",
        "if (g) then skip; fi; skip;",
        "if (g) then skip; fi skip;",
        "while (g) do skip; od; skip;",
        "while (g) do skip; od skip",
        "while (g) do skip; od",
        "skip",
        "",
        ";;",
        "if (*) then else skip; fi",
        "if (*) then fi",
        "while * do od",
        "x := *",
        "x := y & *",
        "if (?) then skip; fi",
        "while ? do skip; od",
        "x := g ? h : y;",
        "x := schoose[g, h]; p(schoose[g, h]);",
        "x := !schoose[g, h] & y; if (schoose[g, h]) then skip; fi",
        "x := g constrain 'x | h;",
        "constrain(('x | 'y) & (g = 'g));",
        "assert x; assume x | y;",
        "assert(*); assume(?);",
        "A: B: goto A, B;",
        "1: goto 2; 2: goto 1, 2;",
        "decl u := 1, v; u := v;",
        "enforce g; skip;",
        "skip; enforce g; x := *;",
        "abortif x; dead x; dead x, y;",
        "skip; decl u; u := 1;",
        "_, x := q();",
        "{a == b} := {a==b};",
        "a$b := $c;",
        "x /* comment */ := // another\n y;",
        "x := g => h ^ ~y && x || g;",
        "x := g -> h; x := g <> h;",
        "x := !!y;",
        "x := ~(g) != ('h = 1) constrain 1;",
        "print(x); print(x, y & g);",
        "sync x;",
        "while g do skip od",
        "p(*); if (g) then return; fi",
        "x\r\n:=\r\ny;\r\n",
        "x := T; y := F;",
        "if g then A: x := 1 elsif h then else skip; fi",
    ];
    for statement in statements {
        let text = format!(
            "decl g, h, {{a == b}}, {{a==b}}, a$b, $c;\nbool<2> q() begin return *, 1; end void p(bool u) begin end\n\
             void main() begin decl x, y; {statement} end decl late; dfs bool late() begin late := 1; end;"
        );
        let text =
            if statement.contains("'h") && !statement.contains("constrain(") { text.replace("'h", "h") } else { text };
        for dialect in [Dialect::Auto, Dialect::Slam, Dialect::Satabs, Dialect::Bopp] {
            accept_with(&text, &Options { dialect, ..Options::default() });
        }
    }
    // Refused by everybody.
    for statement in
        ["x := q();", "x := f(1);", "return q();", "call p(1);", "x = y;", "x := y z;", "goto;", "if g skip; fi"]
    {
        let text =
            format!("decl g; bool<2> q() begin end void p(u) begin end void main() begin decl x, y; {statement} end");
        assert!(read(&text, "", &Options::default()).is_err(), "{statement}");
    }
}

#[test]
fn names_with_hyphens_are_satabs() {
    let text = "decl a-b, c->d; void main() begin a-b := c; end";
    assert!(read(text, "", &Options::default()).is_err());
    let text = "decl a-b, c#1-; void main() begin a-b := c#1- -> a-b; end";
    let satabs = Options { dialect: Dialect::Satabs, ..Options::default() };
    assert_eq!(accept_with(text, &satabs).spds.globals[1].name, "c#1-");
    assert!(rules_with(text, &satabs).contains("a-b := (c#1- => a-b)"));
}

#[test]
fn procedures_without_a_type_return_what_they_return() {
    let text = "decl g; main() begin decl x; g, x := two(g); none(); one(); end
two(a) begin if (?) then return; else return a, !a; fi end none() begin return; end one() begin return 1; end";
    assert_eq!(accept(text).spds.globals.len(), 3);
    let uneven = "main() begin f(); end f() begin if (?) then return 1; else return 1, 0; fi end";
    let complaints = read(uneven, "", &Options::default()).expect_err("two kinds of returns");
    assert_eq!(complaints[0].message, "`f` returns 1 value, but this is 2 values");
    let nothing = "decl g; main() begin g := f(); end f() begin end";
    let complaints = read(nothing, "", &Options::default()).expect_err("nothing is returned");
    assert_eq!(complaints[0].message, "`f` returns no values, but 1 is to be stored");
}

fn reading(expression: &str, dialect: Dialect) -> String {
    let text = format!("decl a, b, c, d, r; void main() begin r := {expression}; return; end");
    let all = rules_with(&text, &Options { dialect, ..Options::default() });
    let (_, value) = all.split_once("r := ").expect("an assignment");
    value.lines().next().expect("a line").to_owned()
}

#[test]
fn precedence_by_dialect() {
    for (text, slam, satabs) in [
        ("a = b & c", "((a = b) & c)", "(a = (b & c))"),
        ("a | b ^ c", "(a | (b ^ c))", "((a | b) ^ c)"),
        ("a => b => c", "((a => b) => c)", "(a => (b => c))"),
        ("a = b = c", "((a = b) = c)", "(a = (b = c))"),
        ("a != b => c | d", "((a ^ b) => (c | d))", "(a ^ (b => (c | d)))"),
        ("!a = b", "(!a = b)", "(!a = b)"),
        ("!a & b | c & !d", "((!a & b) | (c & !d))", "((!a & b) | (c & !d))"),
        ("a & b & c", "((a & b) & c)", "((a & b) & c)"),
        ("a ? b : c ? d : a | b", "(a ? b : (c ? d : (a | b)))", "(a ? b : (c ? d : (a | b)))"),
        ("a | b ? c => d : d ? a : b", "((a | b) ? (c => d) : (d ? a : b))", "((a | b) ? (c => d) : (d ? a : b))"),
        ("a ? b ? c : d : a", "(a ? (b ? c : d) : a)", "(a ? (b ? c : d) : a)"),
        (
            "* & ? ^ schoose[a = b, c | d]",
            "((* & *) ^ schoose[(a = b), (c | d)])",
            "((* & *) ^ schoose[(a = b), (c | d)])",
        ),
    ] {
        assert_eq!(reading(text, Dialect::Slam), slam, "{text}");
        assert_eq!(reading(text, Dialect::Auto), slam, "{text}");
        assert_eq!(reading(text, Dialect::Bopp), slam, "{text}");
        assert_eq!(reading(text, Dialect::Satabs), satabs, "{text}");
    }
}

fn warning(head: &str, expression: &str, dialect: Dialect) -> Option<String> {
    let text = format!("decl a, b, c, d, r; {head} main() begin r := {expression}; end");
    let warnings = accept_with(&text, &Options { dialect, ..Options::default() }).warnings;
    assert!(warnings.len() <= 1);
    let warning = warnings.into_iter().next()?;
    assert_eq!(&text[warning.span.expect("a place")], expression);
    Some(warning.message)
}

#[test]
fn other_readings_are_shown_in_a_warning() {
    let auto = |text| warning("void", text, Dialect::Auto);
    let differ = |ours: &str, theirs: &str| {
        Some(format!("dialects read this differently: it is taken as `{ours}`, but {theirs}"))
    };
    assert_eq!(auto("a = b & c"), differ("(a = b) & c", "SATABS and bp-reduce read `a = (b & c)`"));
    assert_eq!(auto("a | b ^ c"), differ("a | (b ^ c)", "SATABS and bp-reduce read `(a | b) ^ c`"));
    assert_eq!(auto("a => b | c"), differ("a => (b | c)", "WALi and Duet read `(a => b) | c`"));
    assert_eq!(auto("a => b => c"), differ("(a => b) => c", "SATABS and bp-reduce read `a => (b => c)`"));
    assert_eq!(auto("!a = b"), differ("!a = b", "c2s reads `!(a = b)`"));
    assert_eq!(auto("a | b = c => d"), differ("(a | (b = c)) => d", "SATABS and bp-reduce read `(a | b) = (c => d)`"));
}

#[test]
fn readings_that_mean_the_same_are_no_matter_for_a_warning() {
    let same = [
        "a & b & c",
        "a & b | c",
        "!a & b | !c",
        "a = b = c",
        "a != b != c",
        "(a = b) & c",
        "(!a) = b",
        "a = (b & c)",
        "a = !b",
        "a ? b : c | d",
        "(((a = b)) => (c))",
        "a | (b ^ c)",
        "schoose[a = b, c]",
        "a ^ b ^ c",
    ];
    for text in same {
        assert_eq!(warning("void", text, Dialect::Auto), None, "{text}");
    }
    for dialect in [Dialect::Slam, Dialect::Satabs, Dialect::Bopp] {
        assert_eq!(warning("void", "a = b & c => d", dialect), None);
    }
}

#[test]
fn the_papers_own_grammar_matters_where_procedures_have_no_type() {
    assert_eq!(warning("void", "a & b | c", Dialect::Auto), None);
    let message = warning("", "a & b | c", Dialect::Auto).expect("a warning");
    assert_eq!(
        message,
        "dialects read this differently: it is taken as `(a & b) | c`, but the Bebop paper reads `a & (b | c)`"
    );
    let message = warning("", "!a | b", Dialect::Auto).expect("a warning");
    assert!(message.ends_with("`!(a | b)`"), "{message}");
    assert_eq!(warning("", "a | b | c", Dialect::Auto), None);
}

#[test]
fn long_expressions_are_not_written_out_again() {
    let long = format!("a = b & {}c", "(a) | ".repeat(100));
    let text = format!("decl a, b, c; void main() begin a := {long}; end");
    let warnings = accept(&text).warnings;
    assert_eq!(warnings[0].message, "this expression is read otherwise by SATABS and bp-reduce");
    assert_eq!(warnings[0].label, "too long to write both readings out");
}

#[test]
fn conditions_and_clauses_are_compared_too() {
    let text = "decl a, b, c; void main() begin if a = b & c then a := 1 constrain 'a = b & c; fi while (a = b & c) do od return; end";
    assert_eq!(accept(text).warnings.len(), 3);
}
