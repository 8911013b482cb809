//! What is wrong, where, and what to do about it.

use puch::boolprog::{Dialect, Options, read};
use spds_format::Diagnostic;

use crate::complaints;

fn complaints_with(text: &str, options: &Options) -> Vec<Diagnostic> {
    complaints::about(text, read(text, "test.bp", options), |program| program.warnings)
}

fn said_with(text: &str, options: &Options) -> Vec<String> {
    complaints::said(text, &complaints_with(text, options))
}

fn said(text: &str) -> Vec<String> {
    said_with(text, &Options::default())
}

/// The complaints about a `main` with two globals and two locals.
fn body(statements: &str) -> Vec<String> {
    said(&format!(
        "decl g, h; bool f(a) begin return a; end void p() begin end void main() begin decl x, y; {statements} end"
    ))
}

#[test]
fn everything_is_reported_at_once() {
    let text = "decl g, g;
void p(a, a) begin goto X; end
void p() begin end
bool q() begin
  L: u := g; L: v, g, g := 1, 0;
  return 1, 0;
end
void start() begin
  g := q(1);
  g, h := q();
  g := p(0, 0);
  nobody();
  return g;
end
";
    assert_eq!(
        said(text),
        [
            "^g^ the global `g` is declared twice",
            "^a^ the variable `a` is declared twice",
            "^X^ there is no label `X` in `p`",
            "^p^ the procedure `p` is declared twice",
            "^u^ there is no variable `u`",
            "^L^ the label `L` occurs twice in `q`",
            "^v^ there is no variable `v`",
            "^v, g, g^ 3 variables on the left of `:=`, but 2 values on the right",
            "^g^ `g` is assigned twice at once",
            "^return^ `q` returns 1 value, but this is 2 values",
            "^q^ `q` takes 0 arguments, but is given 1",
            "^g, h^ `q` returns 1 value, but 2 are to be stored",
            "^h^ there is no variable `h`",
            "^g^ `p` returns no values, but 1 is to be stored",
            "^nobody^ there is no procedure `nobody`",
            "^return^ `start` returns 0 values, but this is 1 value",
            "^(file)^ there is no procedure `main` to begin with | choose `p`, `p`, `q` or `start` with `--entry`",
        ]
    );
}

#[test]
fn related_places_are_shown() {
    let text = "decl g, g; void main() begin end";
    let complaints = complaints_with(text, &Options::default());
    assert_eq!(complaints[0].related, [(5..6, "first declared here".to_owned())]);
    let text = "void main() begin if (*) then end";
    assert_eq!(complaints_with(text, &Options::default())[0].related, [(18..20, "opened here".to_owned())]);
}

#[test]
fn several_syntax_errors_are_reported_in_one_go() {
    let text = "decl ;
void f( begin skip; end
void main() begin
  x = 1;
  if (a b then skip; fi
  while (* do skip; od
  goto ;
  skip
  x := ;
  call f();
  fi
end
void end";
    assert_eq!(
        said(text),
        [
            "^;^ expected the name of a variable, found `;`",
            "^begin^ expected the name of a parameter, found `begin`",
            "^=^ expected `:=`, found `=` | an assignment is written `x := e;`",
            "^b^ expected `)` or an operator, found `b`",
            "^do^ expected `)` or an operator, found `do`",
            "^;^ expected a label, found `;`",
            "^x^ expected `;`, found `x`",
            "^;^ expected an expression, found `;`",
            "^f^ expected `:=`, found `f` | a call is written without `call`: `f(..);`",
            "^fi^ `fi` closes nothing",
            "^end^ expected the name of a procedure, found `end`",
        ]
    );
}

#[test]
fn blocks_that_do_not_match() {
    assert_eq!(
        body("if (*) then while (*) do fi od"),
        ["^fi^ expected `od`, found `fi`", "^od^ expected `fi`, found `od`"]
    );
    assert_eq!(
        body("fi od x := ;"),
        ["^fi^ `fi` closes nothing", "^od^ `od` closes nothing", "^;^ expected an expression, found `;`"]
    );
    assert_eq!(body("else skip;"), ["^else^ `else` without an open `if`"]);
    assert_eq!(body("while (*) do elsif (x) then od"), ["^elsif^ `elsif` without an open `if`"]);
    assert_eq!(
        body("if (*) then else elsif (x) then fi if (*) then else else fi"),
        ["^elsif^ `elsif` after the `else` of the same `if`", "^else^ `else` after the `else` of the same `if`"]
    );
    assert_eq!(
        body("if (*) then if (*) then"),
        ["^end^ expected `fi`, found `end` | 1 enclosing blocks are open, too"]
    );
    assert_eq!(
        said("void main() begin skip; void f() begin end"),
        ["^void^ expected a statement or `end`, found `void`"]
    );
    assert_eq!(said("void main() begin skip;"), ["^^ expected a statement or `end`, found the end of the file"]);
}

#[test]
fn tokens_that_are_none() {
    assert_eq!(body("x := y @ g;"), ["^@^ `@` has no meaning in a Boolean program"]);
    assert_eq!(body("x := ά;"), ["^ά^ `ά` has no meaning in a Boolean program"]);
    assert_eq!(
        body("x := y-1;"),
        ["^-^ `-` has no meaning in a Boolean program | names contain `-` in SATABS' dialect only: `--dialect satabs`"]
    );
    assert_eq!(
        said("void main() begin skip; /* for ever").first().map(String::as_str),
        Some("^/*^ this comment does not end")
    );
    assert_eq!(
        said("decl {x\n; void main() begin end"),
        [
            "^{^ this name in braces does not end on its line | blocks are `begin … end`, `then … fi` and `do … od`; names stand in braces"
        ]
    );
    assert_eq!(body("x := 2;"), ["^2^ `2` is not a truth value | the constants are `0` and `1` (or `F` and `T`)"]);
    assert_eq!(body("x := y == g;"), ["^==^ `==` is no operator of Boolean programs | equality is written `=`"]);
}

#[test]
fn what_is_no_program_gets_a_sentence() {
    let help = "a Boolean program is made of `decl x, y;` and `void main() begin … end`";
    assert_eq!(
        said("# states\n5 449\n0 0 -> 0 16\n"),
        [format!("^#^ this does not look like a Boolean program | expected `decl` or a procedure, found `#` | {help}")]
    );
    assert_eq!(said("\0\0\u{1}").len(), 1);
    assert_eq!(
        said(" // nothing\n"),
        [
            "^(file)^ there is no procedure in this file | a Boolean program has a procedure `main`: `void main() begin … end`"
        ]
    );
    assert_eq!(said("decl x; x := 1;"), ["^x^ expected `decl` or a procedure, found `x`"]);
}

#[test]
fn the_entry() {
    assert_eq!(
        said("void init() begin end void man() begin end"),
        ["^(file)^ there is no procedure `main` to begin with | did you mean `man`? choose it with `--entry`"]
    );
    let options = Options { entry: Some("start".to_owned()), ..Options::default() };
    assert_eq!(
        said_with("void main() begin end", &options),
        ["^(file)^ there is no procedure `start` to begin with | choose `main` with `--entry`"]
    );
}

#[test]
fn threads_are_refused_at_their_first_statement() {
    let threads = |word: &str| {
        format!("^{word}^ `{word}` belongs to programs with threads, and this is a checker of sequential programs")
    };
    for word in
        ["start_thread goto L", "start_thread p()", "end_thread", "atomic_begin", "atomic_end", "wait", "broadcast"]
    {
        let first = word.split(' ').next().expect("a word");
        assert_eq!(body(&format!("L: skip; M: {word}; atomic_begin; u := 1")), [threads(first)]);
    }
    let label = "^ASYNC_1^ the label `ASYNC_1` starts a thread, and this is a checker of sequential programs";
    assert_eq!(body("ASYNC_1: p();"), [label]);
    for dialect in [Dialect::Slam, Dialect::Bopp] {
        let options = Options { dialect, ..Options::default() };
        assert!(said_with("void main() begin ASYNC_1: skip; end", &options).is_empty());
    }
    // Syntax errors are reported beside them.
    assert_eq!(body("wait; x := ;"), [threads("wait"), "^;^ expected an expression, found `;`".to_owned()]);
}

#[test]
fn words_of_threads_are_names_where_they_are_used_as_such() {
    let text = "decl dead, print, sync; void wait(broadcast) begin abortif: skip; goto abortif; end
void atomic_begin() begin end
void main() begin sync, dead := print, sync; print := dead; wait(sync); atomic_begin(); end";
    assert_eq!(said(text), Vec::<String>::new());
}

#[test]
fn unknown_names_are_reported_once_in_each_procedure_with_near_ones() {
    assert_eq!(
        said(
            "decl lock_held, counter; void a() begin lock_hold := lock_hold; end void main() begin lock_hold := contr; end"
        ),
        [
            "^lock_hold^ there is no variable `lock_hold` | did you mean `lock_held`?",
            "^lock_hold^ there is no variable `lock_hold` | did you mean `lock_held`?",
            "^contr^ there is no variable `contr`",
        ]
    );
    assert_eq!(
        body("q(); Main();"),
        ["^q^ there is no procedure `q`", "^Main^ there is no procedure `Main` | did you mean `main`?"]
    );
    assert_eq!(
        body("Lop: Loop: goto Lopp;"),
        ["^Lopp^ there is no label `Lopp` in `main` | did you mean `Loop` or `Lop`?"]
    );
    let text = "void f() begin Error: skip; end void main() begin goto Error; end";
    let complaints = complaints_with(text, &Options::default());
    assert_eq!(complaints[0].related, [(15..20, "labels belong to their procedure".to_owned())]);
    assert_eq!(
        body("x := true;"),
        ["^true^ there is no variable `true` | the constants are `0` and `1` (or `F` and `T`)"]
    );
    assert_eq!(body("x := _;"), ["^_^ there is no variable `_` | `_` throws a value away and has none"]);
    assert_eq!(
        body("x, x$ := 0, 1;"),
        [
            "^x$^ there is no variable `x$` | `x$` is another thread's copy of `x`, and this is a checker of sequential programs"
        ]
    );
}

#[test]
fn the_value_after_belongs_in_constrain() {
    let only = |name: &str| {
        format!("^{name}^ `'{name}` stands for the value after the step: it has a meaning in `constrain` only")
    };
    assert_eq!(body("x := 'y; assume('(g | h));"), [only("y"), only("g"), only("h")]);
    assert_eq!(
        body("'x := y;"),
        ["^'^ expected a statement, found `'` | the value after a step is written `'x`, in `constrain` only"]
    );
    assert_eq!(
        body("x' := y;"),
        ["^'^ expected `:=`, found `'` | the value after a step is written `'x`, in `constrain` only"]
    );
    assert_eq!(
        body("x := * constrain ''x;"),
        ["^'^ `'` stands for the value after the step, and cannot be applied twice"]
    );
    assert_eq!(body("enforce 'x;"), [only("x")]);
}

#[test]
fn calls_stand_alone() {
    let help = "store the result first: `x := f(..);`";
    assert_eq!(body("x := !f(y);"), [format!("^f^ a call cannot stand inside an expression | {help}")]);
    assert_eq!(
        body("if (f(y)) then skip; fi return f(y);"),
        vec![format!("^f^ a call cannot stand inside an expression | {help}"); 2]
    );
    assert_eq!(body("x, y := f(y), 1;"), ["^,^ expected `;`, found `,`"]);
    assert_eq!(body("x := f(y) constrain 'x;"), ["^constrain^ `constrain` cannot follow a call"]);
}

#[test]
fn declarations() {
    assert_eq!(
        said("decl x := 2; void main() begin end")[0],
        "^2^ `2` is not a truth value | the constants are `0` and `1` (or `F` and `T`)"
    );
    let initial = "an initial value is 0, 1 or `*` | assign anything else in the first statement";
    assert_eq!(
        said("decl x, y := x; void main() begin decl z := 1 | 0; end"),
        [format!("^x^ {initial}"), format!("^1 | 0^ {initial}")]
    );
    assert_eq!(
        said("decl _; void main() begin end"),
        ["^_^ `_` cannot be declared | on the left of `:=` it throws a value away"]
    );
    assert_eq!(
        said("bool<0> main() begin end"),
        ["^0^ a procedure cannot have 0 results | one without results is `void`"]
    );
    assert_eq!(said("bool<99999999999> main() begin end").len(), 1);
    assert_eq!(said("bool<x> main() begin end"), ["^x^ expected the number of results, found `x`"]);
    assert_eq!(said("void main() begin decl x end"), Vec::<String>::new());
    assert_eq!(
        said("decl x y; void main() begin end"),
        ["^y^ expected `,` or `;` after a declared variable, found `y`"]
    );
}

#[test]
fn warnings() {
    assert_eq!(
        said("decl g; void f(g) begin end void main() begin decl g; end"),
        [
            "~g^ the local `g` hides the global `g` in `f` | in formulas and traces the global is `::g`",
            "~g^ the local `g` hides the global `g` in `main` | in formulas and traces the global is `::g`",
        ]
    );
    assert_eq!(
        said("decl T; void main() begin decl F; T := F; end"),
        [
            "~T^ `T` is a variable here | elsewhere `T` is a constant; `0` and `1` always are",
            "~F^ `F` is a variable here | elsewhere `F` is a constant; `0` and `1` always are",
        ]
    );
    // A file that is refused shows its warnings, too.
    assert_eq!(said("decl g; void main(g) begin u(); end").len(), 2);
}

#[test]
fn schoose_takes_two_arguments() {
    let wrong = |n: u32, at: &str| {
        format!("^{at}^ `schoose` takes 2 arguments, not {n} | `schoose[a, b]` is 1 if a, else 0 if b, else arbitrary")
    };
    assert_eq!(
        body("x := schoose[x, y, g]; y := schoose [x];"),
        [wrong(3, "schoose[x, y, g]"), wrong(1, "schoose [x]")]
    );
    assert_eq!(body("x := schoose(x, y);"), ["^(^ expected `[` after `schoose`, found `(`"]);
    assert_eq!(body("x := schoose[x;"), ["^;^ expected `]` or an operator, found `;`"]);
}

#[test]
fn question_marks() {
    let half = "^?^ `?` after an operand begins `e ? a : b`, but its `:` is missing | a choice is written `*`, or `?` in the place of an operand";
    assert_eq!(body("x := y ? g;"), [half]);
    assert_eq!(body("x := (y ? g) : h;"), [half]);
    assert_eq!(body("x := ? ? ? : ?;"), Vec::<String>::new());
}

#[test]
fn a_flood_of_complaints_is_counted() {
    let text = format!("void main() begin {} end", (0..1500).map(|i| format!("u{i}:=1;")).collect::<String>());
    let said = said(&text);
    assert_eq!((said.len(), said[1000].as_str()), (1001, "^(file)^ 500 more errors in this file are not listed"));
    // Warnings never crowd out an error.
    let text = format!("decl a, b, c; void main() begin {} u := 1; end", "assert(a = b & c);".repeat(1500));
    let said = self::said(&text);
    assert_eq!((said.len(), said[1000].as_str()), (1002, "^u^ there is no variable `u`"));
}
