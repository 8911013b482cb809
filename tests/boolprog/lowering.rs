//! What each construct becomes.

use puch::boolprog::{Asserts, Options, parse};
use spds_format::model::Scalar;

use crate::show::{accept, accept_with, rules, rules_with, show};

/// The body of `main` with two globals and two locals.
fn body(statements: &str) -> String {
    rules(&format!("decl g, h; void main() begin decl x, y; {statements}\nend"))
        .lines()
        .skip(1)
        .map(|line| match line.strip_prefix("main/") {
            // Places are tested on their own.
            Some(rest) => {
                let mut words = rest.split(' ');
                let (number, _, more) = (words.next().unwrap(), words.next(), words.collect::<Vec<_>>().join(" "));
                format!("{number} {more}").trim_end().to_owned()
            }
            None => line.replace("main/", ""),
        })
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn a_whole_program() {
    let text = "\
decl {x==0}, g;
bool<2> f(a) begin
  decl t;
  enforce !(a & t);
  t := schoose[a, !a];
  if (*) then return t, a; else return a, t; fi
end
void main() begin
  g, _ := f(T);
  if (g & !{x==0}) then SLIC_ERROR: skip; fi
end
";
    let expected = "\
globals {x==0} g $r1 $r2
frame f a t
frame main \nstart main/0 @end
f/0 5:3 always !(a & t)
  -> f/1, t := schoose[a, !a]
f/1 6:3 always !(a & t)
  -> f/2
  -> f/3
f/2 6:15 always !(a & t)
  pop, $r1 := t, $r2 := a
f/3 6:33 always !(a & t)
  pop, $r1 := a, $r2 := t
main/0 9:3
  -> f/0 main/0$, a := 1
main/0$ 9:3
  silent -> main/1, g := $r1, $r1 := *, $r2 := *
main/1 10:3
  [(g & !{x==0})] -> main/2
  [!(g & !{x==0})] -> main/3
main/2 10:37 SLIC_ERROR:
  -> main/3
main/3 11:1
  pop
";
    let spds = accept(text).spds;
    assert_eq!(show(&spds), expected);
    assert_eq!(spds.controls.len(), 1);
    assert_eq!(&*spds.controls[0], "run");
    assert_eq!(&*spds.files[0], "test.bp");
    assert!(spds.globals.iter().all(|v| v.ty.scalar == Scalar::Bool && v.ty.range.is_none()));
    assert_eq!(spds.globals.iter().map(|v| v.hidden).collect::<Vec<_>>(), [false, false, true, true]);
    assert_eq!(spds.symbols.iter().rev().take(2).map(|s| &*s.name).collect::<Vec<_>>(), ["@fail", "@end"]);
    assert_eq!((spds.end.map(|s| s.0), spds.fail.map(|s| s.0)), (Some(9), Some(10)));
}

#[test]
fn assignments() {
    assert_eq!(
        body("g, x := h & *, 1; y := x ^ y != g; _ := 1; _, h := 1, 0"),
        "0\n  -> 1, g := (h & *), x := 1\n1\n  -> 2, y := (x ^ (y ^ g))\n2\n  -> 3\n3\n  -> 4, h := 0\n4\n  pop"
    );
}

#[test]
fn a_variable_that_is_not_assigned_keeps_its_value_under_constrain() {
    assert_eq!(
        body("g, x := *, * constrain ('g | 'h) & (x => 'x);"),
        "0\n  -> 1, g := *, x := * with (('g | h) & (x => 'x))\n1\n  pop"
    );
    assert_eq!(body("g := * constrain '(g & (h | x));"), "0\n  -> 1, g := * with ('g & (h | x))\n1\n  pop");
    assert_eq!(body("g := * constrain *;"), "0\n  -> 1, g := *\n1\n  pop");
}

#[test]
fn the_statement_constrain_leaves_everything_else_arbitrary() {
    let expected = "0\n  -> 1, g := *, h := *, x := *, y := * with ('g = x)\n1\n  pop";
    assert_eq!(body("constrain('g = x);"), expected);
    // Registers are nobody's variables.
    let with_registers = rules("decl g; bool f() begin return 1; end void main() begin g := f(); constrain('g); end");
    assert!(with_registers.contains("-> main/2, g := * with 'g\n"), "{with_registers}");
}

#[test]
fn conditions_may_hold_or_may_fail() {
    assert_eq!(body("if (*) then skip; fi"), "0\n  -> 1\n  -> 2\n1\n  -> 2\n2\n  pop");
    assert_eq!(body("if (!*) then fi"), "0\n  -> 1\n  -> 1\n1\n  pop");
    assert_eq!(body("if !g then fi"), "0\n  [!g] -> 1\n  [g] -> 1\n1\n  pop");
    assert_eq!(body("if (g & ?) then fi"), "0\n  [(g & *)] -> 1\n  [!(g & *)] -> 1\n1\n  pop");
    assert_eq!(body("if 1 then fi"), "0\n  -> 1\n  [!1] -> 1\n1\n  pop");
    assert_eq!(body("assume(*); assume(g = h);"), "0\n  -> 1\n1\n  [(g = h)] -> 2\n2\n  pop");
    assert_eq!(body("assume(g ? x : *);"), "0\n  [(g ? x : *)] -> 1\n1\n  pop");
}

#[test]
fn assertions_fail_or_block() {
    let text = "decl g; void main() begin assert(g); assert(*); abortif g; end";
    assert_eq!(
        rules(text),
        "start main/0 @end\nmain/0 1:27\n  [g] -> main/1\n  [!g] -> @fail\nmain/1 1:38\n  -> main/2\n  -> @fail\n\
         main/2 1:49\n  [!g] -> main/3\n  [g] -> @fail\nmain/3 1:60\n  pop"
    );
    let assume = Options { asserts: Asserts::Assume, ..Options::default() };
    assert_eq!(
        rules_with(text, &assume),
        "start main/0 @end\nmain/0 1:27\n  [g] -> main/1\nmain/1 1:38\n  -> main/2\nmain/2 1:49\n  [!g] -> main/3\nmain/3 1:60\n  pop"
    );
    assert!(accept(text).has_asserts && accept_with(text, &assume).has_asserts);
    assert!(accept("void main() begin abortif 0; end").has_asserts);
    assert!(!accept("void main() begin assume(0); end").has_asserts);
}

#[test]
fn branches_and_loops() {
    assert_eq!(
        body("if (g) then g := 0; elsif (h) then h := 0; elsif (x) then fi y := 0;"),
        "0\n  [g] -> 1\n  [!g] -> 2\n1\n  -> 5, g := 0\n2\n  [h] -> 3\n  [!h] -> 4\n3\n  -> 5, h := 0\n4\n  [x] -> 5\n  [!x] -> 5\n\
         5\n  -> 6, y := 0\n6\n  pop"
    );
    assert_eq!(
        body("while (g) do if (h) then x := 1; else fi od"),
        "0\n  [g] -> 1\n  [!g] -> 3\n1\n  [h] -> 2\n  [!h] -> 0\n2\n  -> 0, x := 1\n3\n  pop"
    );
    assert_eq!(
        body("while (g) do od; while * do skip od"),
        "0\n  [g] -> 0\n  [!g] -> 1\n1\n  -> 2\n  -> 3\n2\n  -> 1\n3\n  pop"
    );
}

#[test]
fn the_end_is_there_only_if_control_can_come_to_it() {
    assert_eq!(body("return;"), "0\n  pop");
    assert_eq!(body("L: goto L;"), "0 L:\n  -> 0");
    assert_eq!(body(""), "0\n  pop");
    assert_eq!(body("if (g) then return; else return; fi"), "0\n  [g] -> 1\n  [!g] -> 2\n1\n  pop\n2\n  pop");
    assert_eq!(body("if (g) then return; fi"), "0\n  [g] -> 1\n  [!g] -> 2\n1\n  pop\n2\n  pop");
    assert_eq!(body("if (g) then return; else fi"), "0\n  [g] -> 1\n  [!g] -> 2\n1\n  pop\n2\n  pop");
    assert_eq!(body("while (1) do return; od"), "0\n  -> 1\n  [!1] -> 2\n1\n  pop\n2\n  pop");
    assert_eq!(body("L: goto L; M:"), "0 L:\n  -> 0\n1 M:\n  pop");
    assert_eq!(body("goto M; M:"), "0\n  -> 1\n1 M:\n  pop");
}

#[test]
fn a_label_belongs_to_what_is_executed_next() {
    assert_eq!(
        body("A: B: skip; C: D: 7: skip; goto A, 7, 007, E; E:"),
        "0 A: B:\n  -> 1\n1 C: D: 7:\n  -> 2\n2\n  -> 0\n  -> 1\n  -> 1\n  -> 3\n3 E:\n  pop"
    );
    // Before `fi`, `else` and `elsif`: what follows the `if`.
    assert_eq!(
        body("if g then skip; A: elsif h then B: else C: fi; D: x := 1; goto A, B, C, D"),
        "0\n  [g] -> 1\n  [!g] -> 2\n1\n  -> 3\n2\n  [h] -> 3\n  [!h] -> 3\n3 A: B: C: D:\n  -> 4, x := 1\n4\n  -> 3\n  -> 3\n  -> 3\n  -> 3"
    );
    // Before `od`: the test of the loop.
    assert_eq!(
        body("while g do if h then goto A; fi; A: od"),
        "0 A:\n  [g] -> 1\n  [!g] -> 3\n1\n  [h] -> 2\n  [!h] -> 0\n2\n  -> 0\n3\n  pop"
    );
    // Before a declaration or an `enforce` at the head: the next statement.
    assert_eq!(body("A: enforce g; decl z; skip; goto A;"), "0 A: always g\n  -> 1\n1 always g\n  -> 0");
    // A label that is nested at the end of several blocks.
    assert_eq!(
        body("if g then if h then A: fi fi goto A"),
        "0\n  [g] -> 1\n  [!g] -> 2\n1\n  [h] -> 2\n  [!h] -> 2\n2 A:\n  -> 2"
    );
}

#[test]
fn calls_and_results() {
    let text = "decl g; void main() begin decl x; p(x, g); f(x); _ := f(0); x := f(*); end
void p(a, b) begin return; end
bool f(a) begin if (a) then return; fi return !a; end";
    assert_eq!(
        rules(text),
        "start main/0 @end
main/0 1:35
  -> p/0 main/1, a := x, b := g
main/1 1:44
  -> f/0 main/2, a := x
main/2 1:50
  -> f/0 main/3, a := 0
main/3 1:61
  -> f/0 main/3$, a := *
main/3$ 1:61
  silent -> main/4, x := $r1, $r1 := *
main/4 1:72
  pop
p/0 2:20
  pop
f/0 3:17
  [a] -> f/1
  [!a] -> f/2
f/1 3:29
  pop, $r1 := *
f/2 3:40
  pop, $r1 := !a"
    );
}

#[test]
fn registers_are_there_for_results_that_some_call_stores() {
    // Nobody stores main's results, nor all of g's.
    let text = "bool<2> main() begin decl x; g(); _, _, _ := g(); x := f(); return x, x; end
bool<3> g() begin end bool f() begin end";
    let spds = accept(text).spds;
    assert_eq!(spds.globals.len(), 1);
    assert!(rules(text).contains("g/0 2:19\n  pop\n"));
    assert!(rules(text).contains("f/0 2:38\n  pop, $r1 := *"));
    // A file of a few bytes cannot ask for a billion of them.
    assert_eq!(accept("bool<1000000000> f() begin end void main() begin f(); end").spds.globals.len(), 0);
}

#[test]
fn registers_get_names_that_nobody_has() {
    let names = |text: &str| accept(text).spds.globals.iter().map(|v| v.name.to_string()).collect::<Vec<_>>();
    assert_eq!(names("decl g, $r1; bool f() begin end void main() begin g := f(); end"), ["g", "$r1", "$$r1"]);
    assert_eq!(names("decl g; bool f() begin decl $rx, $$r; end void main() begin g := f(); end"), ["g", "$$$r1"]);
}

#[test]
fn initial_values_hold_at_the_start_or_at_every_call() {
    let text = "decl a := 1, b, c := 0; void f(p) begin decl x := 1, y := *, z := 0; f(p); end void main() begin decl u := F; f(u); end";
    assert_eq!(
        rules(text),
        "start main/0 @end [((a & !c) & !u)]
f/0 1:70
  -> f/0 f/1, p := p, x := 1, z := 0
f/1 1:76
  pop
main/0 1:111
  -> f/0 main/1, p := u, x := 1, z := 0
main/1 1:117
  pop"
    );
    // A call of the entry procedure sets its locals, too.
    assert!(rules("void main() begin decl x := 1; main(); end").contains("-> main/0 main/1, x := 1"));
    assert_eq!(accept("decl a := *; void main() begin end").spds.start.condition, None);
}

#[test]
fn enforce_at_the_head_is_an_invariant() {
    assert_eq!(
        body("enforce g; enforce h | x; skip;"),
        "0 always (g & (h | x))\n  -> 1\n1 always (g & (h | x))\n  pop"
    );
    assert_eq!(body("enforce T; skip;"), "0\n  -> 1\n1\n  pop");
    // Not at the hidden return site: the results are not stored yet.
    let text = "bool f() begin end void main() begin decl x; enforce x; x := f(); end";
    assert!(rules(text).contains("main/0 1:57 always x\n  -> f/0 main/0$\nmain/0$ 1:57\n  silent -> main/1, x := $r1, $r1 := *\nmain/1 1:67 always x\n"));
}

#[test]
fn enforce_as_a_statement_constrains_the_assignments_that_follow_in_its_block() {
    assert_eq!(
        body("x := 1; enforce g | x; g := 0; if h then enforce h; h, x := *, *; g := *; fi h := 1;"),
        "0
  -> 1, x := 1
1
  [(g | x)] -> 2
2
  -> 3, g := 0 with ('g | x)
3
  [h] -> 4
  [!h] -> 7
4
  [h] -> 5
5
  -> 6, h := *, x := * with ('h & (g | 'x))
6
  -> 7, g := * with (h & ('g | x))
7
  -> 8, h := 1 with (g | x)
8
  pop"
    );
    // Together with a clause of the assignment's own; its unprimed variables stay those of before.
    assert_eq!(
        body("skip; enforce g; g := * constrain g & 'h;"),
        "0\n  -> 1\n1\n  [g] -> 2\n2\n  -> 3, g := * with ((g & h) & 'g)\n3\n  pop"
    );
}

#[test]
fn print_dead_sync_and_dfs_have_no_effect() {
    assert_eq!(
        body("print(g, x & *); dead x, y; sync g; dead g & h; sync;"),
        "0\n  -> 1\n1\n  -> 2\n2\n  -> 3\n3\n  -> 4\n4\n  -> 5\n5\n  pop"
    );
    assert_eq!(rules("dfs void main() begin end"), "start main/0 @end\nmain/0 1:23\n  pop");
}

#[test]
fn a_local_hides_a_global() {
    let text = "decl g; void f(g) begin decl h; h := g; end void main() begin g := 1; f(g); end";
    let all = show(&accept(text).spds);
    assert!(all.contains("frame f g h\n"));
    let program = accept(text);
    let value = &program.spds.rules[0].updates[0].value;
    assert_eq!(value.reads().next().map(|(var, _)| var), Some(spds_format::model::Var::Local(0)));
    assert_eq!(program.warnings.len(), 1);
}

#[test]
fn places_are_those_of_the_statements_in_characters() {
    let text = "decl {α};\r\nvoid main() begin\r\n  /* ά */ L: M:\r\n\r\n\tskip; {α} := 1;\r\n while ({α}) do /* x\n */ od\r\nend";
    let spds = accept(text).spds;
    let places: Vec<_> = spds.symbols.iter().filter_map(|symbol| symbol.place).map(|p| (p.line, p.column)).collect();
    assert_eq!(places, [(5, 2), (5, 8), (6, 2), (8, 1)]);
    assert_eq!(spds.symbols[0].labels.len(), 2);
}

#[test]
fn the_entry_can_be_another_procedure() {
    let options = Options { entry: Some("init".to_owned()), ..Options::default() };
    let spds = accept_with("void init() begin skip; end void thread0() begin end", &options).spds;
    assert_eq!(spds.start.stack[0].0, 0);
}

#[test]
fn long_names_are_stored_once() {
    let text = "void f(long) begin end void g(long) begin end void main() begin skip; end";
    let spds = accept(&text.replace("long", "a_name_that_is_longer_than_most")).spds;
    assert_eq!(spds.frames[0].variables[0].name.as_ptr(), spds.frames[1].variables[0].name.as_ptr());
}

#[test]
fn the_tree_is_there_for_others_to_walk() {
    use puch::boolprog::ast::{Callee, Destination, StmtKind};
    let source = parse("decl g; void main() begin if (g) then main(); else goto L; fi L: end", &Options::default())
        .expect("right");
    let ast = &source.ast;
    let main = &ast.procedures[source.resolved.entry as usize];
    let first = ast.statement(main.body.expect("a statement"));
    let StmtKind::If(test) = first.kind else { panic!("{first:?}") };
    let test = ast.tests[test as usize];
    assert_eq!((first.next, first.parent, ast.nodes(test.condition).len()), (None, None, 1));
    let (then, other) = (ast.statement(test.first.expect("one")), ast.statement(test.otherwise.expect("one")));
    assert!(matches!(then.kind, StmtKind::Call(call) if ast.calls[call as usize].callee == Callee::Procedure(0)));
    assert!(matches!(other.kind, StmtKind::Goto(jumps) if ast.jumps[jumps.range()][0].to == Destination::End));
    assert_eq!(then.parent.map(|id| id.index()), Some(0));
}
