//! What is said about wrong texts: where, in which words, with what advice.

mod support;

use spds_format::error::{ModelPart, Problem, Spot};
use spds_format::expr::{Binary, Expr, Op, Time};
use spds_format::model::*;
use spds_format::{Diagnostic, ModelError, Spds, parse, parse_bytes, parse_condition, parse_with_warnings, validate};
use support::complaints;

/// Declarations for the cases below.
const HEAD: &str = "spds 1
global g: bool, x: u3, a: u4[1..8];
frame main { h: bool, y: u3 }
frame f { h: bool, z: u3 }
control p, q;
symbol m0 in main; symbol m1 in main; symbol f0 in f; symbol top; symbol @end;
";

fn mistakes(text: &str) -> Vec<Diagnostic> {
    parse(text).expect_err("this text is wrong")
}

/// The text after `HEAD` has exactly these mistakes: the piece of text that is pointed at, the message, and a part of
/// the advice.
#[track_caller]
fn complains(body: &str, expected: &[(&str, &str, &str)]) {
    let text = format!("{HEAD}{body}\nstart <p, m0>;\n");
    let found = mistakes(&text);
    complaints::exactly(&text, &found, expected);
}

#[test]
fn the_header() {
    assert_eq!(mistakes("")[0].message, "the text does not begin with `spds 1`");
    assert_eq!(mistakes("global x: bool;")[0].message, "the text does not begin with `spds 1`");
    assert_eq!(mistakes("spds 2\ncontrol p; symbol s; start <p, s>;").len(), 1);
    assert_eq!(mistakes("spds 2")[0].message, "version 2 of the format is not known");
    assert!(parse("\u{feff}// a remark\nspds 1; control p; symbol s; start <p, s>;").is_ok());
}

#[test]
fn names_that_stand_for_nothing() {
    complains(
        "rule <p, m0> -> <r, m2> when gg { y' := zz; w' := 1 };",
        &[("r", "unknown control location `r`", ""), ("m2", "unknown stack symbol `m2`", "did you mean `m0`")],
    );
    complains(
        "rule <p, m0> -> <q, m1> when gg { y' := zz; counter' := 1 } with hh';",
        &[
            ("gg", "unknown variable `gg`", "did you mean `g`"),
            ("zz", "unknown variable `zz`", ""),
            ("counter'", "unknown variable `counter`", ""),
            ("hh'", "unknown variable `hh`", "did you mean `h`"),
        ],
    );
    complains(
        "symbol n in mian at nowhere:1:1;",
        &[
            ("mian", "unknown frame `mian`", "did you mean `main`"),
            ("nowhere", "unknown source file `nowhere`", "no `file`"),
        ],
    );
    complains(
        "rule <p, m0> -> <p, f0> { y' := 1 };",
        &[("y'", "unknown variable `y`", "it is a local of `main`; here the locals of `f`")],
    );
    complains("rule <p, m0> -> <p> with y' = y;", &[("y'", "unknown variable `y`", "only globals")]);
    complains("rule <p, top> -> <p, top> when y = 1;", &[("y", "unknown variable `y`", "it is a local of `main`")]);
    complains(
        "atom k when main.y = 1;",
        &[
            ("main.y", "a local is named without its frame here", "stack symbol"),
            ("main.y", "unknown variable `y`", "local of `main`"),
        ],
    );
    complains("end @ned;", &[("@ned", "unknown stack symbol `@ned`", "did you mean `@end`")]);
}

#[test]
fn names_declared_twice() {
    complains(
        "global g: u2, k: bool, k: bool; frame f { l: bool, l: bool } control p; symbol m0; atom k when g; atom k when !g;",
        &[
            ("g", "`g` is declared twice", ""),
            ("k", "`k` is declared twice", ""),
            ("f", "`f` is declared twice", ""),
            ("l", "`l` is declared twice", ""),
            ("p", "`p` is declared twice", ""),
            ("m0", "`m0` is declared twice", ""),
            ("k", "`k` is declared twice", ""),
        ],
    );
    let text = "spds 1 global x: bool; global x: bool; control p; symbol s; start <p, s>; start <p, s>;";
    let found = mistakes(text);
    assert_eq!(found[0].related, [(14..15, "first declared here".to_string())]);
    assert_eq!(found[1].message, "a text has only one `start`");
}

#[test]
fn types() {
    complains(
        "rule <p, m0> -> <p, m0> when x { g' := x; x' := g; y' := h ? 1 : 2 };",
        &[
            ("x", "a guard must be a Boolean, not an integer", "compare"),
            ("x", "the value of this variable must be a Boolean, not an integer", "compare"),
            ("g", "the value of this variable must be an integer, not a Boolean", "? 1 : 0"),
        ],
    );
    complains(
        "atom k when x & 1 = 0;",
        &[("&", "the operands must be two Booleans or two integers, not one of each", "comparisons bind tighter")],
    );
    complains(
        "atom k when g = x;",
        &[("=", "the operands must be two Booleans or two integers, not one of each", "parentheses")],
    );
    complains(
        "atom k when g + 1 < x;",
        &[("+", "the operands must be two Booleans or two integers, not one of each", "parentheses")],
    );
    complains(
        "atom k when !x | a = 1 | x[1] = 1 | a[g] = 2;",
        &[
            ("!", "the operand of `!` must be a Boolean, not an integer", "compare"),
            ("a", "`a` is an array: it has no value without an index", "a[0]"),
            ("x", "`x` is not an array", ""),
            ("a", "an index must be an integer, not a Boolean", "? 1 : 0"),
        ],
    );
    complains(
        "atom k when (g ? x : g) = 1;",
        &[("?", "the values on both sides of `:` must be two Booleans or two integers, not one of each", "")],
    );
    complains(
        "rule <p, m0> -> <p, m0> { a' := 3; x'[1] := 2; a'[1] := g };",
        &[
            ("a'", "the array `a` as a whole can only be assigned `*`", "cell by cell"),
            ("x'", "`x` is not an array", ""),
            ("g", "the value of this variable must be an integer, not a Boolean", "? 1 : 0"),
        ],
    );
    complains(
        "global k: int, l: u65, m: u0; global n: bool[3..1], o: bool[0..4294967296];",
        &[
            ("int", "unknown type `int`", "`u1` to `u64`"),
            ("4294967296", "4294967296 is too large for an index", "4294967295"),
        ],
    );
    complains(
        "global n: bool[3..1], o: bool[0..4294967295];",
        &[("n", "the first index of an array is above its last", ""), ("o", "the array has too many cells", "")],
    );
}

#[test]
fn arbitrary_values_in_the_wrong_place() {
    complains(
        "rule <p, m0> -> <p, m0> { x' := * + 1; y' := g ? * : 1; a'[*] := 1 } with x' = * & h' = *;",
        &[
            ("*", "`*` cannot be part of an integer expression", "alone"),
            ("*", "`*` cannot be part of an integer expression", "alone"),
            ("*", "`*` cannot be part of an integer expression", "alone"),
            ("*", "`*` cannot be part of an integer expression", "alone"),
        ],
    );
    complains(
        "rule <p, m0> -> <p, m0> { x' := * ? 1 : 2 };",
        &[("*", "`*` cannot be part of an integer expression", "alone")],
    );
    complains("atom k when g & *;", &[("*", "a proposition cannot contain `*`", "")]);
    assert!(parse(&format!("{HEAD} rule <p, m0> -> <p, m0> when * {{ x' := *; a' := *; a'[2] := *; g' := !* & * }} with * | h' = *; start <p, m0> when *;")).is_ok());
}

#[test]
fn primes_in_the_wrong_place() {
    complains(
        "rule <p, m0> -> <p, m0> when x' = 1;",
        &[(
            "x'",
            "`x'` stands for the value after the rule; it cannot be used here",
            "constrain `x'` in `with`, or write `x`",
        )],
    );
    complains(
        "rule <p, m0> -> <p, m1> { x' := y'; a'[x'] := 1 } with y'' = 1;",
        &[
            ("y'", "`y'` stands for the value after the rule; it cannot be used here", "relate"),
            ("x'", "`x'` stands for the value after the rule; it cannot be used here", "relate"),
            ("y''", "`y''` stands for the value that a call saves; there is none here", "two symbols"),
        ],
    );
    complains(
        "rule <p, m0> -> <p, f0 m1> { g'' := 1 = 1 } with ::g'' & h'';",
        &[
            ("g''", "`g` is a global: a call does not save it", "`g'`"),
            ("::g''", "`g` is a global: a call does not save it", "`g'`"),
        ],
    );
    complains(
        "symbol n in main invariant h'; atom k in main when h''; rule <p, m0> -> <p, m0> { x := 1; };",
        &[
            ("h'", "`h'` stands for the value after the rule; it cannot be used here", "write `h`"),
            ("h''", "`h''` stands for the value that a call saves; there is none here", "write `h`"),
            ("x", "an assignment sets the value after the step", "write `x'`"),
        ],
    );
    complains("atom k when x''' = 1;", &[("'''", "too many primes", "frame that a call saves")]);
}

#[test]
fn syntax_and_going_on_after_it() {
    complains(
        "rul <p, m0> -> <p, m0>;
rule <p m0> -> <p, m0>;
rule <p, m0> -> <p, m0> when (g & ;
rule <p, m0 m1> -> <p, m0>;
rule <p, m0> -> <p, m0 m1 m0>;
rule <p, m0> -> <p, m0> { x' = 1; g' := };
rule <p, m0> -> <p, m0> with g when g;
rule <p, m0> -> <p, m0> when g = g = g;
rule <p, m0> -> <p, m0> when g == g;
rule <p, m0> -> <p, m0> when (g]
rule <p, m0> -> <p, m0> when a[1;
rule <p, end> -> <p, m0>;
rule <p, \"m0> -> <p, m0>;
rule <p, \"m\\0\"> -> <p, m0>;
rule <p, m0> -> <p, m0> { g' := -1 };
rule <p, m0> -> <p, m0> when x < 99999999999999999999;
rule <p, m0> -> <p, unknown>;
;",
        &[
            ("rul", "expected a declaration or a rule, found `rul`", "did you mean `rule`"),
            ("m0", "expected `,` and stack symbols, or `>`, found `m0`", ""),
            (";", "expected an expression, found `;`", ""),
            ("<p, m0 m1>", "the left side of a rule has exactly one stack symbol", "topmost"),
            ("<p, m0 m1 m0>", "the right side of a rule has at most two stack symbols", "a call"),
            ("=", "expected `:=`, found `=`", "`:=` assigns"),
            ("when", "expected `;`, found the keyword `when`", "in this order: `when`, `{ … }`, `with`, `label`"),
            ("=", "comparisons cannot be chained", "join them by `&`"),
            ("==", "unknown operator `==`", "equality is written `=`"),
            ("]", "expected an operator or `)`, found `]`", ""),
            (";", "expected an operator or `]`, found `;`", ""),
            ("end", "expected a name, found the keyword `end`", "`\"end\"`"),
            ("\"", "this quoted name does not end on its line", "close it"),
            ("\\0", "unknown escape in a quoted name", "\\u{…}"),
            ("-", "there is no sign `-` before a number", "0 - x"),
            ("99999999999999999999", "`99999999999999999999` is too large", "18446744073709551615"),
            ("unknown", "unknown stack symbol `unknown`", ""),
            (";", "expected a declaration or a rule, found `;`", "one `;`"),
        ],
    );
}

#[test]
fn a_broken_declaration_does_not_make_its_names_unknown() {
    let text = "spds 1 global x: bool, y: int; control p; symbol s; start <p, s> when x & y;";
    let found = mistakes(text);
    assert_eq!(found.len(), 1, "{found:#?}");
    let text = "spds 1 control p; symbol s in; start <p, s>; rule <p, s> -> <p, t>;";
    assert_eq!(mistakes(text).len(), 1, "{:#?}", mistakes(text));
}

#[test]
fn a_missing_semicolon_costs_one_statement() {
    let text = "spds 1\ncontrol p\nsymbol s;\nsymbol t;\nstart <p, s>;\nrule <p, t> -> <p, u>;\n";
    let found: Vec<String> = mistakes(text).into_iter().map(|d| d.message).collect();
    assert_eq!(found, ["expected `;`, found the keyword `symbol`", "unknown stack symbol `u`"]);
}

#[test]
fn silent_rules() {
    complains(
        "silent rule <p, m0> -> <p>; silent rule <p, m1> -> <p, f0 m1>;",
        &[
            ("<p, m0> -> <p>", "a silent rule must have one symbol on the right", ""),
            ("<p, m1> -> <p, f0 m1>", "a silent rule must have one symbol on the right", ""),
        ],
    );
    complains(
        "rule <p, m0> -> <p>; silent rule <p, m0> -> <p, m1>; silent rule <p, m0> -> <p, m1>; silent rule <q, m0> -> <q, m1>;",
        &[("<p, m0> -> <p, m1>", "some rules of this left side are silent and some are not", "")],
    );
    complains(
        "silent rule <p, m0> -> <q, m1>; silent rule <q, m1> -> <p, f0>; silent rule <p, f0> -> <q, m1>; silent rule <p, top> -> <p, top>;",
        &[
            ("<q, m1> -> <p, f0>", "silent rules lead back to this left side", ""),
            ("<p, top> -> <p, top>", "this silent rule leads back to its left side", ""),
        ],
    );
}

#[test]
fn end_and_fail() {
    complains(
        "end @end;",
        &[("@end", "`@end` has no loop under the control location `p`", "add `rule <p, @end> -> <p, @end>;`")],
    );
    complains(
        "end @end; rule <p, @end> -> <p, @end>; rule <p, m0> -> <q, @end>;",
        &[("@end", "`@end` has no loop under the control location `q`", "<q, @end>")],
    );
    complains(
        "fail top; rule <p, top> -> <p, top>; rule <p, m1> -> <p, m0 top>; rule <p, m0> -> <q>;",
        &[("top", "`top` has no loop under the control location `q`", "<q, top>")],
    );
    complains(
        "end @end; fail @end; rule <p, @end> -> <p, @end>;",
        &[("@end", "`end` and `fail` are the same symbol", "")],
    );
    complains(
        "end @end; rule <p, @end> -> <p, @end>; rule <p, @end> -> <p, m0>; rule <p, @end> -> <p, @end> when g;",
        &[
            ("<p, @end> -> <p, m0>", "a rule of `@end` must lead back to the same place and do nothing", ""),
            ("<p, @end> -> <p, @end>", "a rule of `@end` must lead back to the same place and do nothing", ""),
        ],
    );
    complains("end @end; end @end; rule <p, @end> -> <p, @end>;", &[("@end", "a text has only one `end`", "")]);
}

#[test]
fn starts_and_controls() {
    let told = |text: &str| mistakes(text).into_iter().map(|d| d.message).collect::<Vec<_>>();
    assert_eq!(told("spds 1 control p; symbol s; start <p>;"), ["the start has no stack symbol"]);
    assert_eq!(told("spds 1 control p; symbol s;"), ["there is no `start`"]);
    assert_eq!(told("spds 1"), ["there is no `start`", "there is no control location"]);
    assert_eq!(
        told("spds 1 symbol s; start <p, s>;"),
        ["unknown control location `p`", "there is no control location"]
    );
}

#[test]
fn bytes_that_are_not_text() {
    let found = parse_bytes(b"spds 1 control \"\xff\";").unwrap_err();
    assert_eq!((found[0].message.as_str(), found[0].span.clone()), ("the text is not UTF-8", Some(16..17)));
}

#[test]
fn too_many_mistakes_are_not_all_told_but_that_is_said() {
    let found = mistakes(&format!("spds 1\n{}", "rule <p, s>;\n".repeat(1000)));
    assert!(found.len() <= 102);
    assert!(found.iter().any(|d| d.message.contains("too many mistakes")), "{:?}", found.last());
    let found = mistakes(&format!("spds 1 control p; symbol s; start <p, s>; {}", "rule <p, t> -> <q>;".repeat(1000)));
    assert_eq!(found.last().unwrap().message, "too many mistakes: 1900 more are not listed");
}

#[test]
fn warnings() {
    let text = format!(
        "{HEAD} frame k {{ g: bool }} start <p, m0>; rule <p, m0> -> <p, m0> {{ x' := 8; y' := 7; a'[9] := 1 }};"
    );
    let (_, warnings) = parse_with_warnings(&text).unwrap();
    let told: Vec<&str> = warnings.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(
        told,
        [
            "the local `g` hides the global of that name",
            "8 does not fit `x`, which has 3 bits",
            "`a` has no cell 9: its indices are 1 to 8",
        ]
    );
    assert!(warnings.iter().all(|d| !d.is_error()));
}

#[test]
fn conditions_from_outside() {
    let model = parse(&format!("{HEAD} frame \"a b\" {{ g: bool }} start <p, m0>;")).unwrap();
    let read = |frame, text: &str| {
        parse_condition(&model, frame, text).map_err(|found| found.into_iter().map(|d| d.message).collect::<Vec<_>>())
    };
    let (frame, expr) = read(None, " main.y = 3 & ::g // remark").unwrap();
    assert_eq!(frame, Some(FrameId(0)));
    let expected = Expr::read(Var::Local(1), Time::Before).binary(Binary::Eq, &Expr::number(3));
    assert_eq!(expr, expected.and(&Expr::read(Var::Global(0), Time::Before)));
    assert_eq!(read(None, "g").unwrap().0, None);
    assert_eq!(read(Some(FrameId(0)), "y = 1").unwrap().0, Some(FrameId(0)));
    assert_eq!(read(Some(FrameId(0)), "g").unwrap().0, None);
    assert_eq!(read(None, "\"a b\".g"), Ok((Some(FrameId(2)), Expr::read(Var::Local(0), Time::Before))));
    assert_eq!(read(None, "main.y = f.z").unwrap_err(), ["a condition can mention the locals of one frame only"]);
    assert_eq!(read(None, "mian.y = 1").unwrap_err(), ["unknown frame `mian`"]);
    assert_eq!(read(None, "y = 1").unwrap_err(), ["unknown variable `y`"]);
    assert_eq!(read(None, "g & *").unwrap_err(), ["a proposition cannot contain `*`"]);
    assert_eq!(read(None, "x' = 1").unwrap_err(), ["`x'` stands for the value after the rule; it cannot be used here"]);
    assert_eq!(read(None, "x").unwrap_err(), ["a proposition must be a Boolean, not an integer"]);
    assert_eq!(read(None, "g g").unwrap_err(), ["expected an operator or the end, found `g`"]);
    assert_eq!(read(None, "").unwrap_err(), ["expected an expression, found the end of the text"]);
}

/// Models built in code can be wrong in ways that no text can express.
#[test]
fn models_with_indices_of_nothing() {
    let valid =
        parse(&format!("{HEAD} end @end; start <p, m0>; rule <p, m0> -> <p, m1>; rule <p, @end> -> <p, @end>;"))
            .unwrap();
    assert_eq!(validate(&valid), []);
    let wrong = |change: fn(&mut Spds)| {
        let mut model = valid.clone();
        change(&mut model);
        let _ = model.to_string();
        let errors = validate(&model);
        assert!(errors.iter().all(|error| !error.to_string().is_empty()));
        errors.into_iter().map(|ModelError { part, spot, problem }| (part, spot, problem)).next().expect("an error")
    };
    let missing = |what, index| Problem::Missing { what, index };
    let rule = ModelPart::Rule(0);
    assert_eq!(wrong(|m| m.rules[0].from.symbol = SymbolId(9)), (rule, Spot::Whole, missing("symbol", 9)));
    assert_eq!(wrong(|m| m.rules[0].to = ControlId(9)), (rule, Spot::Whole, missing("control location", 9)));
    assert_eq!(
        wrong(|m| m.rules[0].stack = Stack::Push(SymbolId(0), SymbolId(7))),
        (rule, Spot::Whole, missing("symbol", 7))
    );
    assert_eq!(wrong(|m| m.symbols[0].frame = Some(FrameId(7))).2, missing("frame", 7));
    assert_eq!(wrong(|m| m.end = Some(SymbolId(7))), (ModelPart::End, Spot::Whole, missing("symbol", 7)));
    assert_eq!(
        wrong(|m| m.start.stack = Box::new([SymbolId(7)])),
        (ModelPart::Start, Spot::Whole, missing("symbol", 7))
    );
    assert_eq!(wrong(|m| m.start.stack = Box::default()), (ModelPart::Start, Spot::Whole, Problem::EmptyStart));
    assert_eq!(wrong(|m| m.controls.clear()).2, Problem::NoControl);
    assert_eq!(
        wrong(|m| m.globals[0].ty.scalar = Scalar::Unsigned(0)),
        (ModelPart::Global(0), Spot::Whole, Problem::Bits(0))
    );
    assert_eq!(
        wrong(|m| m.symbols[0].place = Some(Place { file: 0, line: 1, column: 1 })).2,
        missing("source file", 0)
    );
    let guard = Spot::Guard;
    assert_eq!(
        wrong(|m| m.rules[0].guard = Some(Expr::read(Var::Local(9), Time::Before))),
        (rule, guard(0), missing("local variable", 9))
    );
    assert_eq!(
        wrong(|m| m.rules[0].guard = Some(Expr::read(Var::Global(9), Time::Before))),
        (rule, guard(0), missing("global variable", 9))
    );
    let before = |m: &mut Spds| {
        m.rules[0].updates =
            [Update { var: Var::Global(0), time: Time::Before, index: None, value: Expr::any() }].into();
    };
    assert_eq!(wrong(before), (rule, Spot::Target(0), Problem::AssignsBefore("g".into())));
    let integer =
        |m: &mut Spds| m.rules[0].guard = Expr::from_postorder([Op::Number(1), Op::Number(2), Op::Binary(Binary::And)]);
    assert_eq!(wrong(integer).1, guard(2));
}
