//! What is wrong, where, and what to do about it.

use puch::moped_pds::{Options, read};
use spds_format::Diagnostic;

use crate::complaints;

fn complaints(text: &str) -> Vec<Diagnostic> {
    complaints::about(text, read(text, "test.pds", &Options::default()), |system| system.warnings)
}

fn said(text: &str) -> Vec<String> {
    complaints::said(text, &complaints(text))
}

/// The complaints about the relation of a rule from m to n, of the same block.
fn about(relation: &str) -> Vec<String> {
    let rest = "(g'==g) & x'=x & v'=v & (A i (0,1) a'[i]=a[i])";
    said(&format!(
        "global bool g; int x(3); int a[2](3);\nlocal main (m, n) int v(3);\nlocal (o) int w(3);\n\
         (q <m>)\nq <m> --> q <n> ({relation} & {rest})\n"
    ))
}

#[test]
fn everything_is_reported_at_once() {
    let text = "define N 3
define N 4
global bool g, g; int x(0); int y(65); int N(3); bool a[0]; bool b[3,2]; int z(M);
local (m, n) bool g, h, h;
local (n, k) bool l;
local m (o) bool l;
(q <m (u=1)>)
(q <m>)
atoms nothing, at, all
q <m> --> q <m n k>
q <m> --> q <m> (x' & g'=g & (h''==h))
";
    assert_eq!(
        said(text),
        [
            "^N^ the constant `N` is defined twice",
            "^0^ an integer has between 1 and 64 bits",
            "^65^ an integer has between 1 and 64 bits",
            "^N^ `N` is a defined constant and cannot be declared as a variable",
            "^0^ an array has at least one cell",
            "^3,2^ the last index of an array comes after the first",
            "^M^ `M` is not defined | a constant is defined by `define M 3`, before its use",
            "^,^ expected a name, found `,`",
            "^k^ a rule puts at most two symbols on the stack",
        ],
        "after a syntax error nothing is resolved"
    );
    let right = text.replace("atoms nothing, at, all\n", "").replace("define N 4\n", "").replace("int N(3);", "");
    let right =
        right.replace("x(0)", "x(1)").replace("y(65)", "y(6)").replace("a[0]", "a[1]").replace("b[3,2]", "b[2,3]");
    let right = right.replace("z(M)", "z(N)").replace("<m n k>", "<m n>");
    assert_eq!(
        said(&right),
        [
            "^g^ the global `g` is declared twice",
            "^h^ the local `h` is declared twice",
            "^n^ the stack symbol `n` has its variables already",
            "^m^ there are two blocks with the name `m`",
            "^u^ there is no variable `u` here",
            "^(q <m>)^ there is more than one start",
            "~q <m> --> q <m n>^ this rule says nothing about `g'`, `g'`, `x'`, `y'`, `a'`, `b'` and `z'`, which are arbitrary after it | \
             `(g'==g)` keeps the value, `(g'==g')` says that any will do",
            "^&^ `&` is for Booleans",
            "^=^ `=` is between integers | whether Booleans are equal is written `==`",
            "^h''^ `''` is about the second symbol on the right, and there is none",
        ]
    );
}

#[test]
fn names_and_kinds() {
    assert_eq!(about("xx'=1"), ["^xx'^ there is no variable `xx` here | did you mean `x'`?"]);
    assert_eq!(about("w=1"), ["^w^ there is no variable `w` here | it belongs to the symbols of `o`"]);
    assert_eq!(
        about("true"),
        ["^true^ there is no variable `true` here | the notation has no such constant: write `0=0`"]
    );
    assert_eq!(about("g=1"), ["^=^ `=` is between integers"]);
    assert_eq!(about("(x==1)"), ["^==^ `==` is between Booleans | integers are compared with `=`"]);
    assert_eq!(about("g'!=g"), ["^!=^ `!=` is between integers | whether Booleans differ is written `^`"]);
    assert_eq!(
        about("a=a'"),
        [
            "^a^ `a` is an array | one cell is written `a[0]`; all of them: `A i (0,7) …`",
            "^a'^ `a` is an array | one cell is written `a[0]`; all of them: `A i (0,7) …`",
        ]
    );
    assert_eq!(about("x[0]=1"), ["^x[0]^ `x` is no array"]);
    assert_eq!(about("a[g]=1"), ["^a[g]^ the index of an array is an integer"]);
    assert_eq!(about("x'''=1"), ["^x'''^ there are no more than two primes"]);
    assert_eq!(about("x''=1"), ["^x''^ `''` is about the second symbol on the right, and there is none"]);
    assert_eq!(about("a[1]'=1"), ["^'^ a prime stands before the index | write `a'[i]`"]);
    assert_eq!(about("x<x<x"), ["^<^ comparisons do not chain", "^<^ `<` is between integers"]);
    assert_eq!(about("x+1"), ["^&^ `&` is for Booleans"]);
    assert_eq!(
        about("A k (0,1) (x=k) & x!=k"),
        [
            "^k^ there is no variable `k` here | the quantifier of `k` has ended before | parentheses say how far it reaches: `A k (0,7) (… & …)`",
        ]
    );
    assert_eq!(about("x=99999999999999999999"), ["^99999999999999999999^ this number is larger than 2^64 - 1"]);
    let push = "global bool g; (q <m>) q <m> --> q <m m> (g''==g)";
    assert_eq!(said(push), ["^g''^ `g` is global | its value after the step is `g'`"]);
}

#[test]
fn traps_of_the_notation() {
    assert_eq!(
        about("g'==g & x=3"),
        ["~==^ `==` binds less tightly than `&` | parentheses say what is meant: `(a == b) & c`"]
    );
    assert_eq!(
        about("(x+2)*2=4"),
        ["~(x+2)^ Moped knows no parentheses round integer terms | they are read as they look"]
    );
    assert_eq!(
        said("global int x(3); (q <m>) q <m> --> q <m> (x<{x+2}*2 & x'=x\n7 & x'=x)"),
        [
            "~{^ a brace begins a comment: what follows it on this line is not read | Moped reads it so, too; it has no brackets for integer terms"
        ]
    );
    assert!(said("global int x(3); (q <m>) q <m> --> q <m> (x=1}")[0].contains("a brace begins a comment"));
    assert_eq!(
        about("A k (0,1) x=k ^ g"),
        ["~A k (0,1)^ the quantifier reaches beyond `^` | parentheses make sure of what is meant"]
    );
    assert_eq!(
        said("global bool a[3]; (q <m>) q <m> --> q <m>"),
        ["~q <m> --> q <m>^ this rule says nothing about `a'`, which is arbitrary after it | \
          `(A i (0,2) a'[i]==a[i])` keeps the value, `(A i (0,2) a'[i]==a'[i])` says that any will do"]
    );
    assert_eq!(
        said("global bool a[3]; (q <m>) q <m> --> q <m> ((a'[0]==a[0]) & (a'[1]==a[1]))"),
        [
            "~(a'[0]==a[0]) & (a'[1]==a[1])^ this rule speaks of some cells of `a'` only: the others are arbitrary after it"
        ]
    );
}

#[test]
fn several_syntax_errors_are_reported_in_one_go() {
    let text = "define 3
global int x;
local (m int v(3);
(q <m n>)
atoms
q <m> -> q <>
q <m> --> q <m
q <m> --> q <m> (x'=
q <m> --> q <m> (x'=x
q <m> --> q <m> \"label
bool b;
";
    assert_eq!(
        said(text),
        [
            "^3^ expected the name of a constant, found `3`",
            "^;^ expected `(` and a number of bits, found `;` | an integer of 3 bits is declared as `x(3)`",
            "^int^ expected `)` or `,`, found `int`",
            "^<^ expected a name, found `<`",
            "^<^ expected `>` or a stack symbol, found `<`",
            "^<^ comparisons do not chain",
            "^>^ comparisons do not chain",
            "^-->^ expected an expression, found `-->`",
            "^q^ expected `)` or an operator, found `q`",
            "^\"label^ this text in quotes does not end on its line",
        ]
    );
    assert_eq!(
        said("(q <m n>)\nq <m> -> q <>\n"),
        ["^n^ expected `>`, found `n` | the stack has one symbol at the start; a first rule can push others",]
    );
}

#[test]
fn propositions_of_symbols() {
    let with = |atoms: &str| said(&format!("(q <m>) {atoms} q <m> --> q <n>\n"));
    assert_eq!(with("atoms m here, there"), [""; 0]);
    assert_eq!(with("atoms m n"), [""; 0]);
    assert_eq!(with("atoms nowhere here"), [""; 0], "a symbol that no rule has");
    assert_eq!(
        with("atoms here m, n"),
        ["~here m, n^ no rule has the stack symbol `here`, of which this says what holds at it | \
             the first name is the symbol, the others are propositions: `atoms m here`"]
    );
}

#[test]
fn nothing_says_where_to_start() {
    let help = "before the rules, `(q <m0>)` says: in control location q, with m0 on the stack";
    assert_eq!(said("q <m> --> q <>"), [format!("^(file)^ nothing says where runs start | {help}")]);
    assert_eq!(said(""), [format!("^(file)^ nothing says where runs start | {help}")]);
}
