//! Words that predicates share with programs: casts, constants of enumerations, characters, `sizeof`, `?:`.

use puch::abstraction::read;
use puch::c::expression::ExpressionId;
use puch::c::types::DataModel;

use super::parsed;

const TEXT: &str = "
    enum colour { RED, GREEN = 5, BLUE };
    typedef unsigned char byte;
    typedef struct node { struct node *next; long key; char name[6]; } node;
    node list; int n; byte b; char c; void *p;
    int f(int x) { enum { GREEN = 7 }; typedef short byte; return x + GREEN + (byte)x; }
    int main(void) { int byte = f(n); return byte; }";

/// Whether an expression is the same term as another one.
fn same(scope: &str, texts: [&str; 2]) {
    let mut program = parsed(TEXT, DataModel::LP64);
    let scope = program.procedure_named(scope);
    let ids: Vec<ExpressionId> = texts
        .iter()
        .map(|text| read::expression(&mut program, scope, text).unwrap_or_else(|wrong| panic!("{text}: {wrong:?}")))
        .collect();
    assert_eq!(program.expression_text(ids[0]), program.expression_text(ids[1]));
    assert_eq!(ids[0], ids[1], "{texts:?}");
}

#[test]
fn words_of_the_program_mean_what_they_mean_there() {
    let words = [
        ("GREEN + BLUE", "5 + 6"),
        ("(byte)n", "(unsigned char)n"),
        ("( unsigned long int )n", "(long unsigned)n"),
        ("(enum colour)n == RED", "(unsigned int)n == 0"),
        ("sizeof(node)", "24ul"),
        ("sizeof(struct node *)", "8ul"),
        ("sizeof list.name + sizeof(byte) + sizeof n", "6ul + 1ul + 4ul"),
        ("sizeof(enum colour)", "4ul"),
        ("c == 'a'", "c == 97"),
        (r"c == '\n' || c == '\'' || c == '\x41' || c == '\0'", "c == 10 || c == 39 || c == 0x41 || c == 0"),
        ("((node *)p)->key", "((struct node *)(const struct node *)p)->key"),
        ("(void *)0 == p", "NULL == p"),
        ("-(char)n", "-(signed char)n"),
        ("n ? c : b ? n : 1", "n ? c : (b ? n : 1)"),
        ("n == 1 ? 2 : 3 + n", "(n == 1) ? (2) : (3 + n)"),
        ("0b101 + (n)", "5 + n"),
    ];
    for (text, plain) in words {
        same("", [text, plain]);
    }
    // What a procedure declares hides what is around it.
    same("f", ["GREEN + (byte)x", "7 + (short)x"]);
    same("main", ["(byte) + GREEN", "byte + 5"]);
}

#[test]
fn characters_are_no_part_of_lists_and_comments() {
    let mut program = parsed(TEXT, DataModel::LP64);
    let text = "*: c == ',', c == '/', c == ')' // c == ','\nf: x == (n ? ':' : '\\\\')";
    let found = read::read(&mut program, text).expect("they are right");
    let texts: Vec<&str> = found.iter().map(|predicate| predicate.text.as_str()).collect();
    assert_eq!(texts, ["c == ','", "c == '/'", "c == ')'", r"x == (n ? ':' : '\\')"]);
}

#[test]
fn what_predicates_cannot_say_is_refused_where_it_stands() {
    let complaints = [
        ("(float)n", "predicates do not convert `int` to `float`"),
        ("(long)p", "predicates do not convert `void *` to `long`"),
        ("(int *)n == p", "predicates do not convert `int` to `int *`"),
        ("(n ? p : NULL) == p", "`?:` is of numbers in predicates"),
        ("n ? 1", "this `?` has no `:`"),
        ("(n ? 1) == 1", "this `?` has no `:`"),
        ("n : 1", "this `:` has no `?`"),
        ("sizeof(void (*)(int))", "names of types in predicates have no more than `*` behind them: expected `)`"),
        ("(struct nod)n", "`nod` is not the name of a type here"),
        ("(unsigned signed)n", "this is not the name of a type"),
        ("c == 'a", "this quotation mark has no partner"),
        ("c == ''", "this character is not one of C"),
        ("GREN == n", "there is no global variable `GREN`"),
    ];
    for (text, message) in complaints {
        let wrong = read::expression(&mut parsed(TEXT, DataModel::LP64), None, text).expect_err(text);
        assert_eq!(wrong.message, message, "{text}");
    }
    let wrong = read::expression(&mut parsed(TEXT, DataModel::LP64), None, "GREN == n").expect_err("a misprint");
    assert_eq!(wrong.help.as_deref(), Some("did you mean `GREEN`?"));
}
