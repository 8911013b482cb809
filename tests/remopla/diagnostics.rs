//! What is wrong, where, and what to do about it.

use puch::remopla::{Options, read};
use spds_format::Diagnostic;

use crate::complaints;

fn complaints(text: &str) -> Vec<Diagnostic> {
    complaints::about(text, read(text, "test.rem", &Options::default()), |program| program.warnings)
}

fn said(text: &str) -> Vec<String> {
    complaints::said(text, &complaints(text))
}

/// The complaints about a `main` with some globals.
fn body(statements: &str) -> Vec<String> {
    said(&format!(
        "int x(3), y(3), a[4](3), m[2][2](3); bool b; struct S {{int f(2); bool g;}} s, p[2]; module int(3) f(int n(3), bool c) {{ return n; }}
         module void v() {{}} module void main() {{ {statements} }}"
    ))
}

#[test]
fn unknown_variables() {
    assert_eq!(
        body(r#"z = 1; x = zz; xx = 1;"#),
        [
            r#"^z^ there is no variable `z`"#,
            r#"^zz^ there is no variable `zz`"#,
            r#"^xx^ there is no variable `xx` | did you mean `x`?"#
        ] as [&str; 3]
    );
}

#[test]
fn numbers_that_are_no_index_of_the_array() {
    let rest = "there is no such cell | a step that reads or writes it blocks, or fails with `--check-arithmetic`";
    assert_eq!(
        body("x = a[4]; m[1][2] = y; p[2].f = 0; a[3] = a[x];"),
        [
            format!("~4^ the index 4 is not from 0 to 3, as declared | {rest}"),
            format!("~2^ the index 2 is not from 0 to 1, as declared | {rest}"),
            format!("~2^ the index 2 is not from 0 to 1, as declared | {rest}"),
        ]
    );
}

#[test]
fn types() {
    assert_eq!(
        body(r#"x = b; b = x; x = x + b; b = x && b; b = b < b; b = b == x; b = x & 1 == 0;"#),
        [
            r#"^b^ this cannot be stored in `x` | this is a Boolean, but an integer is wanted"#,
            r#"^x^ this cannot be stored in `b` | this is an integer, but a Boolean is wanted"#,
            r#"^b^ an operand of `+` is an integer | this is a Boolean"#,
            r#"^x^ an operand of `&&` is a Boolean | this is an integer | compare it: `x != 0`"#,
            r#"^b^ an operand of `<` is an integer | this is a Boolean"#,
            r#"^b^ an operand of `<` is an integer | this is a Boolean"#,
            r#"^b == x^ `==` stands between two Booleans or two integers, not one of each"#,
            r#"^x & 1 == 0^ `&` stands between two Booleans or two integers, not one of each | `&` binds less tightly than comparisons: write `(x & y) == z`"#
        ] as [&str; 8]
    );
}

#[test]
fn shapes() {
    assert_eq!(
        body(
            r#"x = a; a = x; a = m; s = p; s = a; p[0] = s.f; a[1][2] = 0; m[1] = 0; x[0] = 1; s.h = 1; x.f = 1; p.f = s.f;"#
        ),
        [
            r#"^a^ this cannot be stored in `x` | this is an array [0,3] of integers, but an integer is wanted"#,
            r#"^x^ this cannot be stored in `a` | this is an integer, but an array [0,3] of integers is wanted"#,
            r#"^m^ this cannot be stored in `a` | this is an array [0,1][0,1] of integers, but an array [0,3] of integers is wanted"#,
            r#"^p^ this cannot be stored in `s` | this is an array [0,1] of structs of 2 fields, but a struct of 2 fields is wanted"#,
            r#"^a^ this cannot be stored in `s` | this is an array [0,3] of integers, but a struct of 2 fields is wanted"#,
            r#"^s.f^ this cannot be stored in `p[0]` | this is an integer, but a struct of 2 fields is wanted"#,
            r#"^a[1][2]^ this array takes one index"#,
            r#"^m[1]^ this array takes two indices"#,
            r#"^x[0]^ this is no array and takes no index"#,
            r#"^h^ this struct has no field `h`"#,
            r#"^f^ `x` is no struct and has no fields"#,
            r#"^s.f^ this cannot be stored in `p.f` | this is an integer, but an array [0,1] of integers is wanted"#
        ] as [&str; 12]
    );
}

#[test]
fn calls() {
    assert_eq!(
        body(r#"x = f(1); x = f(1, 2); f(b, b); b = f(1, b); x = v(); v(1); nobody(); a = f(1, b); p[0] = f(1, b);"#),
        [
            r#"^f^ `f` takes 2 arguments, but is given 1"#,
            r#"^2^ this is no value for the parameter `c` of `f` | this is an integer, but a Boolean is wanted"#,
            r#"^b^ this is no value for the parameter `n` of `f` | this is a Boolean, but an integer is wanted"#,
            r#"^b^ the result of `f` cannot be stored in this | this is an integer, but a Boolean is wanted"#,
            r#"^v^ `v` returns no value"#,
            r#"^v^ `v` takes 0 arguments, but is given 1"#,
            r#"^nobody^ there is no module `nobody`"#,
            r#"^a^ the result of `f` cannot be stored in this | this is an integer, but an array [0,3] of integers is wanted"#,
            r#"^p[0]^ the result of `f` cannot be stored in this | this is an integer, but a struct of 2 fields is wanted"#
        ] as [&str; 9]
    );
}

#[test]
fn a_missing_semicolon() {
    assert_eq!(body(r#"v() x = 1;"#), [r#"^x^ expected `;`, found `x`"#] as [&str; 1]);
}

#[test]
fn jumps() {
    assert_eq!(
        body(r#"goto L; goto lain; break; return 1;"#),
        [
            r#"^L^ there is no label `L`"#,
            r#"^lain^ there is no label `lain` | did you mean `main`?"#,
            r#"^break^ there is no `do` to leave here"#,
            r#"^1^ a `void` module returns no value"#
        ] as [&str; 4]
    );
}

#[test]
fn labels() {
    assert_eq!(
        body(r#"L: x = 1; L: y = 1; v: skip; M: "#),
        [
            r#"^L^ the label `L` is not the first of that name | labels and modules share their names, all over the program"#,
            r#"^v^ the label `v` is not the first of that name | labels and modules share their names, all over the program"#,
            r#"^M^ no statement follows the label `M` | where nothing is to be done, write `skip;`"#
        ] as [&str; 3]
    );
}

#[test]
fn blocks() {
    assert_eq!(
        body(r#"if fi do od if :: b -> fi if :: b -> L: fi if :: else -> skip; :: else -> skip; fi"#),
        [
            r#"^if^ there is no clause in it | a clause is `:: e -> …`"#,
            r#"^::^ this clause has no statement | where nothing is to be done, write `skip;`"#,
            r#"^::^ this clause has no statement | where nothing is to be done, write `skip;`"#,
            r#"^L^ no statement follows the label `L` | where nothing is to be done, write `skip;`"#,
            r#"^else^ there can be one `else`"#
        ] as [&str; 5]
    );
}

#[test]
fn conditions() {
    assert_eq!(
        body(r#"if :: x -> skip; fi do :: b > 1 -> skip; od skip(x);"#),
        [
            r#"^x^ the condition of a clause is a Boolean | this is an integer | compare it: `x != 0`"#,
            r#"~do^ where its condition is false this `do` blocks, as in Moped 2; QLeak leaves it | add `:: else -> break;` to leave it, or choose with `--remopla`"#,
            r#"^b^ an operand of `>` is an integer | this is a Boolean"#,
            r#"^x^ the condition of `skip` is a Boolean | this is an integer | compare it: `x != 0`"#
        ] as [&str; 4]
    );
}

#[test]
fn expressions() {
    assert_eq!(
        body(r#"x = -1; x = x + ; x == 1; x = 1, x = 2; x = f(1, b) + 1; x' = 1; x = (1; x = a[1; b = !(x = 1);"#),
        [
            r#"^-^ expected an expression, found `-` | integers are not negative; a difference is written `0 - x`"#,
            r#"^;^ expected an expression, found `;`"#,
            r#"^==^ expected `=`, found `==` | an assignment is written `x = e;`"#,
            r#"^x^ `x` is assigned twice at once"#,
            r#"^+^ expected `;`, found `+`"#,
            r#"^'^ `'` has a meaning in rules only | an assignment is written `x = e`: e is about the values before it"#,
            r#"^;^ expected `)` or an operator, found `;`"#,
            r#"^;^ expected `]` or an operator, found `;`"#,
            r#"^=^ `=` assigns and does not compare | equality is written `==`"#
        ] as [&str; 9]
    );
}

#[test]
fn quantifiers() {
    assert_eq!(
        body(r#"A i (3, 1) a[i] = 0; A i (0, x) a[i] = 0; b = E i (0, 1); A i (0,1) a[j] = i; E = 1;"#),
        [
            r#"^3, 1^ this range is empty"#,
            r#"^x^ `x` is no constant | the greatest value is made of numbers and of names by `define` or `enum`"#,
            r#"^;^ expected an expression, found `;`"#,
            r#"^j^ there is no variable `j`"#,
            r#"^=^ expected the name of the quantified variable, found `=`"#
        ] as [&str; 5]
    );
}

#[test]
fn threads_and_probabilities() {
    assert_eq!(
        body(r#"fork v(); pchoice :: 0.5 -> skip; :: 0.5 -> pchoice :: 1 -> skip; choicep choicep; z = 1;"#),
        [
            r#"^fork^ `fork` starts a thread, and this is a checker of sequential programs"#,
            r#"^pchoice^ `pchoice` chooses by probability, which puch does not know | a free choice is `if :: true -> …; :: true -> …; fi`"#,
            r#"^z^ there is no variable `z`"#
        ] as [&str; 3]
    );
}

#[test]
fn values() {
    assert_eq!(
        body(r#"x = undef + 1; 3 = x; N = 1; x = 99999999999999999999; x = @; b = "t;"#),
        [
            r#"^+^ expected `;`, found `+`"#,
            r#"^3^ expected a statement, found `3`"#,
            r#"^N^ there is no variable `N`"#,
            r#"^99999999999999999999^ numbers are below 2^64"#,
            r#"^@^ `@` has no meaning in Remopla"#,
            r#"^"t; }^ this text does not end on its line"#,
            r#"^^ expected a statement or `}`, found the end of the file"#
        ] as [&str; 7]
    );
}

#[test]
fn strays() {
    assert_eq!(
        body(r#"fi od :: b -> skip; int q(3); x = 1 y = 2;"#),
        [
            r#"^fi^ `fi` closes nothing"#,
            r#"^od^ `od` closes nothing"#,
            r#"^::^ expected a statement, found `::`"#,
            r#"^->^ expected `=`, found `->`"#,
            r#"^int^ variables are declared before the first statement"#,
            r#"^y^ expected `;`, found `y`"#
        ] as [&str; 6]
    );
}

#[test]
fn blocks_closed_by_the_wrong_word() {
    assert_eq!(
        body(r#"if :: b -> do :: b -> skip; fi od"#),
        [
            r#"~do^ where its condition is false this `do` blocks, as in Moped 2; QLeak leaves it | add `:: else -> break;` to leave it, or choose with `--remopla`"#,
            r#"^fi^ expected `od`, found `fi`"#,
            r#"^od^ expected `fi`, found `od`"#
        ] as [&str; 3]
    );
}

#[test]
fn an_empty_file() {
    assert_eq!(
        said(r#""#),
        [r#"^(file)^ there is no module in this file | a program has modules: `module void main() { … }`"#]
            as [&str; 1]
    );
}

#[test]
fn another_language() {
    assert_eq!(
        said(r#"decl g; void main() begin end"#),
        [
            r#"^decl^ this does not look like a Remopla program | expected a declaration or a module, found `decl` | a Remopla program is made of `int x(3);` and `module void main() { … }`"#
        ] as [&str; 1]
    );
}

#[test]
fn sizes() {
    assert_eq!(
        said(
            r#"int x; int y(0), z(65); int a[0](1); int b[2,1](1); int c[1][2][3](1); int d[99999999](1); bool e(3); signed int f(3); module void main() {}"#
        ),
        [
            r#"^x^ nothing says how many bits this integer has | write `int x(8)`, or `define DEFAULT_INT_BITS 8` first"#,
            r#"^(0)^ an integer has 1 to 64 bits, not 0"#,
            r#"^(65)^ an integer has 1 to 64 bits, not 65"#,
            r#"^[0]^ an array has at least one cell"#,
            r#"^[2,1]^ this range of indices is empty"#,
            r#"^[3]^ arrays have at most two dimensions"#,
            r#"^[99999999]^ an array has at most 65536 cells"#,
            r#"^(3)^ only an `int` has a number of bits"#,
            r#"^signed^ signed integers are not known | Moped refuses them, too; integers are 0 … 2^bits - 1"#
        ] as [&str; 9]
    );
}

#[test]
fn names_declared_twice_and_unknown_types() {
    assert_eq!(
        said(
            r#"int x(1), x(2); bool x; define N 1 define N 2 enum A1 {N, M, M} q; struct T {int f(1); bool f; struct T t;} t; struct U u; enum V w; module void main() { int l(1); bool l; enum Z {z} k; struct Y {bool b;} j; }"#
        ),
        [
            r#"^x^ `x` is declared twice"#,
            r#"^x^ `x` is declared twice"#,
            r#"^N^ `N` is declared twice"#,
            r#"^N^ `N` is declared twice"#,
            r#"^M^ `M` is declared twice"#,
            r#"^f^ there are two fields `f`"#,
            r#"^T^ there is no struct `T`"#,
            r#"^t^ a struct cannot stand inside a struct"#,
            r#"^U^ there is no struct `U`"#,
            r#"^V^ there is no enum `V`"#,
            r#"^l^ `l` is declared twice"#,
            r#"^{^ types are declared outside of modules"#,
            r#"^{^ types are declared outside of modules"#
        ] as [&str; 13]
    );
}

#[test]
fn constants() {
    assert_eq!(
        said(r#"struct S {int a[2](1);} s[2]; define K define L 1 - 2 define O x define P = 3 module void main() {}"#),
        [
            r#"^s^ there are no arrays of structs that have arrays"#,
            r#"^define^ expected a constant, found `define`"#,
            r#"^1 - 2^ this constant has no value between 0 and 2^64 - 1"#,
            r#"^x^ `x` is no constant | a constant is made of numbers and of names by `define` or `enum`"#,
            r#"^=^ expected a constant, found `=` | a constant is written `define N 3`"#
        ] as [&str; 5]
    );
}

#[test]
fn modules() {
    assert_eq!(
        said(
            r#"module int(3) f() { skip; } module int(3) g() { if :: true -> return 1; fi } module void h() { return 1; } module bool k() { return; } module void main() {} module void main() {}"#
        ),
        [
            r#"^}^ control can come to the end of `f`, which returns a value | end it with `return e;`"#,
            r#"^1^ a `void` module returns no value"#,
            r#"^return^ a value is to be returned here"#,
            r#"^main^ the module `main` is not the first of that name | labels and modules share their names, all over the program"#
        ] as [&str; 4]
    );
}

#[test]
fn forward_declarations() {
    assert_eq!(
        said(r#"module int(3) f(int n(3)); module void g(); module void f() {} module void main() {}"#),
        [
            r#"^f^ this declaration of `f` says something else than the module"#,
            r#"^g^ the module `g` is declared, but has no body"#
        ] as [&str; 2]
    );
}

#[test]
fn init_without_a_module() {
    assert_eq!(
        said(r#"init; init x; module void main() {}"#),
        [r#"^;^ expected the name of a module, found `;`"#] as [&str; 1]
    );
}

#[test]
fn init_of_an_unknown_module() {
    assert_eq!(
        said(r#"init mian; module void main() {}"#),
        [r#"^mian^ there is no module `mian` | did you mean `main`?"#] as [&str; 1]
    );
}

#[test]
fn no_module_to_begin_with() {
    assert_eq!(
        said(r#"module void start() {}"#),
        [
            r#"^(file)^ there is no module `main` to begin with | say where to begin: `init m;` before the first module, or `--entry m`"#
        ] as [&str; 1]
    );
}

#[test]
fn warnings() {
    assert_eq!(
        said(r#"int g(2); module void main() { int g(3); g = 1; } skip;"#),
        [
            r#"~g^ the local `g` hides the global `g` in `main` | in formulas and traces the global is `::g`"#,
            r#"~s^ nothing follows: here the run is blocked | a run stays there for ever with `L: goto L;`"#
        ] as [&str; 2]
    );
}

#[test]
fn rules() {
    assert_eq!(
        said(
            r#"q <main --> q <>; q <main> --> <> q <main> --> q <a b c> q <main> --> q <> (x' == 1) module void main() {}"#
        ),
        [r#"^-->^ expected `>` after the stack symbol, found `-->`"#, r#"^<^ expected a control location, found `<`"#]
            as [&str; 2]
    );
}

#[test]
fn conditions_of_rules() {
    assert_eq!(
        said(
            r#"int x(2); module void main() { int l(2); q <main> --> q <> (l' == 1 && x'' == 1 && x''' == 2 && l == 0 && a) }"#
        ),
        [
            r#"^l^ there is no variable `l` | after this rule no symbol is on top that could have locals"#,
            r#"^x^ `x` is global: `''` is for variables that a call saves"#,
            r#"^'''^ there are `x`, `x'` and `x''`, and no more"#,
            r#"^a^ there is no variable `a`"#
        ] as [&str; 4]
    );
}

#[test]
fn shared_variables() {
    assert_eq!(
        said(r#"shared int x(3); module void main() { x = 1; }"#),
        [r#"^shared^ `shared` belongs to programs with threads, and this is a checker of sequential programs"#]
            as [&str; 1]
    );
}

#[test]
fn jumps_into_other_modules() {
    assert_eq!(
        said(r#"module void f() { goto L, x = 1; } int x(2); module void main() { int y(2); goto f, y = 1; }"#),
        [
            r#"^L^ there is no label `L`"#,
            r#"^x^ there is no variable `x`"#,
            r#"^y^ this variable does not exist where the jump leads | a jump to another module can assign globals"#
        ] as [&str; 3]
    );
}

#[test]
fn heads_of_modules() {
    assert_eq!(
        said(r#"module void main( { skip; } module void f() { x = ; } int y(2); module vid g() {}"#),
        [
            r#"^{^ expected a type, found `{`"#,
            r#"^x^ there is no variable `x`"#,
            r#"^;^ expected an expression, found `;`"#,
            r#"^vid^ expected a type, found `vid`"#
        ] as [&str; 4]
    );
}

#[test]
fn a_module_that_does_not_end() {
    assert_eq!(
        said(r#"module void main() { skip;"#),
        [r#"^^ expected a statement or `}`, found the end of the file"#] as [&str; 1]
    );
}

#[test]
fn a_brace_too_many() {
    assert_eq!(
        said(r#"int x(2); module void main() { x = 1; } }"#),
        [r#"^}^ expected a module or a statement, found `}`"#] as [&str; 1]
    );
}

#[test]
fn related_places_are_shown() {
    let text = "int g(1), g(1); module void main() {}";
    assert_eq!(complaints(text)[0].related, [(4..5, "first declared here".to_owned())]);
    let text = "module void main() { if :: true -> skip; }";
    assert_eq!(complaints(text)[0].related, [(21..23, "opened here".to_owned())]);
    let text = "module void f() {} module void main() { f(1); }";
    assert_eq!(complaints(text)[0].related, [(12..13, "declared here".to_owned())]);
}

#[test]
fn what_is_too_large_is_said_where_it_stands() {
    let text = "int a[100](2); module void main() { A i (0, 99) E j (0, 99) a[j] = 1; }";
    let said = said(text);
    let message = "this statement becomes too large when its arrays and quantifiers are taken apart";
    assert!(said.contains(&format!("^A^ {message} | smaller ranges of indices help")), "{said:?}");
}
