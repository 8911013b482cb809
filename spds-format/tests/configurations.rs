//! Sets of configurations as text: what they mean, what is said about wrong ones, and the examples of SPEC.md.

mod support;

use std::collections::BTreeSet;

use spds_format::automaton::{Automaton, AutomatonError, Edge, End, Fault, Role, State, StateId};
use spds_format::expr::{Expr, Time};
use spds_format::model::{ControlId, FrameId, SymbolId, Var};
use spds_format::{Diagnostic, Spds, parse, parse_configurations};
use support::complaints;
use support::random::Random;

const PROGRAM: &str = "spds 1
file a.bp;
global g: bool, x: u3;
frame main { h: bool }
frame f { h: bool, n: u3 }
control p;
symbol main/0 in main at a.bp:7:3 labels R;
symbol main/1 in main at a.bp:7:9 labels L;
symbol f/0 in f at a.bp:12:1 labels L;
symbol f/1 in f labels \"a label\";
symbol @end;
symbol bad;
fail bad;
start <p, main/0 @end>;
rule <p, main/0> -> <p, f/0 main/1>;
rule <p, f/0> -> <p>;
rule <p, @end> -> <p, @end>;
rule <p, bad> -> <p, bad>;
";

fn program() -> Spds {
    parse(PROGRAM).unwrap_or_else(|mistakes| panic!("{mistakes:#?}"))
}

#[track_caller]
fn set(spds: &Spds, text: &str) -> Automaton {
    let automaton = parse_configurations(spds, text).unwrap_or_else(|mistakes| panic!("{text}: {mistakes:#?}"));
    assert_eq!(automaton.check(spds, Role::Input), [], "{text}");
    automaton
}

/// Whether a stack is read, whatever the values.
fn reads(automaton: &Automaton, control: u32, stack: &[SymbolId]) -> bool {
    let mut here = BTreeSet::from([End::Control(ControlId(control))]);
    let step = |here: &BTreeSet<End>, symbol: Option<SymbolId>| -> BTreeSet<End> {
        let taken = automaton.edges.iter().filter(|edge| edge.symbol == symbol && here.contains(&edge.from));
        taken.map(|edge| edge.to).collect()
    };
    for symbol in stack {
        here = step(&here, Some(*symbol));
    }
    if stack.is_empty() {
        here = step(&here, None);
    }
    here.iter().any(|end| automaton.is_accepting(*end))
}

/// The names of the symbols of one-symbol stacks.
fn tops(spds: &Spds, text: &str) -> Vec<String> {
    let automaton = set(spds, text);
    let symbols = (0..spds.symbols.len() as u32).map(SymbolId);
    symbols.filter(|id| reads(&automaton, 0, &[*id])).map(|id| spds.symbol(id).name.to_string()).collect()
}

#[test]
fn a_symbol_is_named_in_many_ways() {
    let spds = program();
    for (text, symbols) in [
        ("<main/0>", &["main/0"][..]),
        ("<\"main/0\">", &["main/0"]),
        ("<R>", &["main/0"]),
        ("<main:R>", &["main/0"]),
        ("<f:L>", &["f/0"]),
        ("<f:\"a label\">", &["f/1"]),
        ("<\"a label\">", &["f/1"]),
        ("<*:L>", &["main/1", "f/0"]),
        ("<:7>", &["main/0", "main/1"]),
        ("<f>", &["f/0", "f/1"]),
        ("<@at(f)>", &["f/0", "f/1"]),
        ("<@entry(f)>", &["f/0"]),
        ("<@entry(main)>", &["main/0"]),
        ("<@call(f)>", &["main/0"]),
        ("<@calling(f)>", &["main/1"]),
        ("<@return(f)>", &["f/0"]),
        ("<@end>", &["@end"]),
        ("<@fail>", &["bad"]),
        ("<p, .>", &["main/0", "main/1", "f/0", "f/1", "@end", "bad"]),
        ("<_, .[f.n = 1]>", &["f/0", "f/1"]),
        ("<., *:L[f.h]>", &["f/0"]),
        ("<., (R | f)>", &["main/0", "f/0", "f/1"]),
        ("<R> | <p, f:L> // and so on", &["main/0", "f/0"]),
        ("< p , R >", &["main/0"]),
    ] {
        assert_eq!(tops(&spds, text), symbols, "{text}");
    }
}

#[test]
fn conditions_are_about_the_frame_of_their_symbol() {
    let spds = program();
    let conditions = |text: &str| -> Vec<Option<Expr>> {
        let automaton = set(&spds, text);
        automaton.edges.into_iter().map(|edge| edge.condition).collect()
    };
    let [h, n] = [0, 1].map(|index| Expr::read(Var::Local(index), Time::Before));
    let g = Expr::read(Var::Global(0), Time::Before);
    let small = n.binary(spds_format::expr::Binary::Lt, &Expr::number(3));
    assert_eq!(conditions("<f/0[n < 3]>"), [Some(small.clone())]);
    assert_eq!(conditions("<p[g], f/0[n < 3 & h]>"), [Some(g.and(&small.and(&h)))]);
    assert_eq!(conditions("<.[g], f/0>"), [Some(g.clone())]);
    assert_eq!(conditions("<[g], f/0>"), [Some(g.clone())]);
    assert_eq!(conditions("<f/0[h & g] main/0[h]>"), [Some(h.and(&g)), Some(h.clone())]);
    // The empty stack has values of globals, too.
    let empty = set(&spds, "<p[g], >");
    assert_eq!(empty.edges.len(), 1);
    assert_eq!((empty.edges[0].symbol, &empty.edges[0].condition), (None, &Some(g)));
    assert!(empty.is_accepting(empty.edges[0].to));
}

/// Regular expressions over the symbols a, b, c, and their languages by definition.
#[derive(Debug)]
enum Tree {
    Symbol(u32),
    Any,
    Empty,
    Concat(Box<Tree>, Box<Tree>),
    Union(Box<Tree>, Box<Tree>),
    Repeat(Box<Tree>, char),
}

fn tree(random: &mut Random, size: u32) -> Tree {
    if size <= 1 {
        return match random.below(8) {
            0 => Tree::Empty,
            1 => Tree::Any,
            symbol => Tree::Symbol((symbol % 3) as u32),
        };
    }
    let left = 1 + random.below(size as usize - 1) as u32;
    match random.below(4) {
        0 => Tree::Repeat(Box::new(tree(random, size - 1)), ['*', '+', '?'][random.below(3)]),
        1 => Tree::Union(Box::new(tree(random, left)), Box::new(tree(random, size - left))),
        _ => Tree::Concat(Box::new(tree(random, left)), Box::new(tree(random, size - left))),
    }
}

impl Tree {
    fn text(&self) -> String {
        match self {
            Tree::Symbol(symbol) => ["a", "b", "c"][*symbol as usize].into(),
            Tree::Any => ".".into(),
            Tree::Empty => "()".into(),
            Tree::Concat(left, right) => format!("{} {}", left.text(), right.text()),
            Tree::Union(left, right) => format!("({}|{})", left.text(), right.text()),
            Tree::Repeat(inner, sign) => format!("({}){sign}", inner.text()),
        }
    }

    fn has(&self, word: &[u32]) -> bool {
        match self {
            Tree::Symbol(symbol) => word == [*symbol],
            Tree::Any => word.len() == 1,
            Tree::Empty => word.is_empty(),
            Tree::Concat(left, right) => (0..=word.len()).any(|at| left.has(&word[..at]) && right.has(&word[at..])),
            Tree::Union(left, right) => left.has(word) || right.has(word),
            Tree::Repeat(inner, sign) => match (sign, word) {
                ('?', _) => word.is_empty() || inner.has(word),
                ('*', []) => true,
                ('+', []) => inner.has(word),
                // The first turn that reads something; empty ones before it change nothing.
                _ => (1..=word.len()).any(|at| {
                    let rest = &word[at..];
                    inner.has(&word[..at]) && (rest.is_empty() || self.has(rest))
                }),
            },
        }
    }
}

#[test]
fn expressions_mean_what_they_mean_by_definition() {
    let spds = parse("spds 1 control p; symbol a, b, c; start <p, a>;")
        .or_else(|_| parse("spds 1 control p; symbol a; symbol b; symbol c; start <p, a>;"));
    let spds = spds.unwrap();
    let mut words: Vec<Vec<u32>> = vec![Vec::new()];
    for length in 0..5 {
        let longer: Vec<Vec<u32>> = words
            .iter()
            .filter(|word| word.len() == length)
            .flat_map(|word| (0..3).map(|symbol| [&word[..], &[symbol]].concat()))
            .collect();
        words.extend(longer);
    }
    let mut random = Random::new(7);
    for _ in 0..400 {
        let size = 1 + random.below(9) as u32;
        let tree = tree(&mut random, size);
        let text = format!("<{}>", tree.text());
        let automaton = set(&spds, &text);
        for word in &words {
            let stack: Vec<SymbolId> = word.iter().map(|symbol| SymbolId(*symbol)).collect();
            assert_eq!(reads(&automaton, 0, &stack), tree.has(word), "{text} {word:?}\n{automaton:#?}");
        }
        // Every state can be reached and can end.
        let entered: BTreeSet<End> = automaton.edges.iter().map(|edge| edge.to).collect();
        let left: BTreeSet<End> = automaton.edges.iter().map(|edge| edge.from).collect();
        for (id, state) in (0..).zip(&automaton.states) {
            let end = End::State(StateId(id));
            assert!(entered.contains(&end) && (state.accepting || left.contains(&end)), "{text}: {automaton:#?}");
        }
    }
}

/// The text has exactly these mistakes: the piece of text that is pointed at, the message, a part of the advice.
#[track_caller]
fn complains(text: &str, expected: &[(&str, &str, &str)]) {
    let spds = program();
    let found = parse_configurations(&spds, text).expect_err("this text is wrong");
    complaints::exactly(text, &found, expected);
}

#[test]
fn mistakes_in_names_and_conditions_are_told_together() {
    complains(
        "<q, mian[z] main:M f.*> | <L>",
        &[
            ("q", "unknown control location `q`", ""),
            ("mian", "there is no label, stack symbol or procedure `mian`", "did you mean `main`?"),
            ("M", "there is no label `M` in `main`", ""),
            ("L", "label `L` occurs in several procedures", "did you mean `main:L`, `f:L` or `*:L`?"),
        ],
    );
    complains(
        "<R[x = & g] f[nn > 2] @at(ff) *:M :8>",
        &[
            ("&", "expected an expression, found `&`", ""),
            ("nn", "unknown variable `nn`", "did you mean `n`?"),
            ("ff", "there is no procedure `ff`", "did you mean `f`?"),
            ("M", "there is no label `M`", ""),
            (":8", "no statement begins on line 8", "the nearest on which one does: `:7`, `:12`"),
        ],
    );
    complains("<p, p>", &[("p", "there is no label, stack symbol or procedure `p`", "`<p, …>`")]);
    complains("<@call(main)>", &[("@call(main)", "`main` is never called", "")]);
    complains("<@return(main)>", &[("@return(main)", "`main` never returns", "")]);
    complains("<p[main.h], .>", &[("main.h", "the condition is about locals of `main`", "behind the symbol")]);
    complains("<R[f.h]>", &[("f.h", "the condition is about locals of `f`, the symbol before it is not", "")]);
    complains("<R[*]>", &[("*", "a proposition cannot contain `*`", "")]);
}

#[test]
fn globals_have_values_at_the_top_only() {
    let spds = program();
    for fine in ["<R[g] .*>", "<(R[g] | f[g]) .*>", "<f? >", "<f[g]? >", "<p[g], .*>"] {
        set(&spds, fine);
    }
    let message = "the condition is about the global `g`, but may be below the top";
    for wrong in ["<R f[g]>", "<R? f[g]>", "<f[g]+>", "<(R | f[g])* >"] {
        complains(wrong, &[("g", message, "`<.[condition], …>`")]);
    }
}

#[test]
fn mistakes_in_the_grammar() {
    let stack = "expected a stack symbol or `>`, found";
    complains("", &[("", "expected `<`, as in `<p, main (f | g)* .*>`, found the end of the text", "")]);
    complains("<R", &[("", &format!("{stack} the end of the text"), "")]);
    complains("R>", &[("R", "expected `<`, as in `<p, main (f | g)* .*>`, found `R`", "")]);
    complains("<R> <f>", &[("<", "expected `|` and another `<…>`, or the end, found `<`", "")]);
    complains("<*R>", &[("*", &format!("{stack} `*`"), "")]);
    complains("<R)>", &[(")", &format!("{stack} `)`"), "")]);
    complains("<(R>", &[(">", "expected a stack symbol or `)`, found `>`", "")]);
    complains("<R[g>", &[("[", "this `[` is not closed", "")]);
    complains("<:R>", &[("R", "expected the number of a line behind `:`, found `R`", "`proc:L`")]);
    complains("<@on(f)>", &[("@on", "unknown `@on`", "`@at(proc)`")]);
    complains("<@at(f>", &[(">", "expected `)`, found `>`", "")]);
    complains("<p, R, f>", &[(",", &format!("{stack} `,`"), "")]);
    complains("<end>", &[("end", "expected a name, found the keyword `end`", "in quotes")]);
    // Reading goes on behind the next `>`.
    complains(
        "<R ]> | <zebra>",
        &[("]", &format!("{stack} `]`"), ""), ("zebra", "there is no label, stack symbol or procedure `zebra`", "")],
    );
}

#[test]
fn several_control_locations_must_be_named() {
    let spds = parse("spds 1 control p, q; symbol a; start <p, a>;").unwrap();
    let told: Vec<Diagnostic> = parse_configurations(&spds, "<a>").unwrap_err();
    assert_eq!(told[0].message, "there are several control locations: say which one is meant");
    assert_eq!(set(&spds, "<., a>").edges.len(), 2);
    assert_eq!(set(&spds, "<q, a>").edges.len(), 1);
    assert_eq!(set(&spds, "<q, a> | <p, a>").states.len(), 2);
}

#[test]
fn nothing_recurses_and_nothing_explodes() {
    let spds = program();
    let deep = 100_000;
    for (open, close) in [("(", ")"), ("(R|", ")"), ("(R ", ")"), ("(", ")*"), ("(f? ", ")")] {
        let text = format!("<{}f{}>", open.repeat(deep), close.repeat(deep));
        let small = std::thread::Builder::new().stack_size(2 << 20);
        let spds = spds.clone();
        let done = small.spawn(move || match parse_configurations(&spds, &text) {
            Ok(automaton) => automaton.edges.len(),
            Err(mistakes) => {
                assert_eq!(mistakes[0].message, "this set needs more than 4000000 edges");
                0
            }
        });
        done.unwrap().join().unwrap();
    }
    let unclosed = format!("<{}", "(".repeat(deep));
    assert_eq!(parse_configurations(&spds, &unclosed).unwrap_err().len(), 1);
    let many = "<zebra> | ".repeat(1000) + "<R>";
    assert_eq!(parse_configurations(&spds, &many).unwrap_err().len(), 101);
}

/// Every fenced `configurations` block of the specification has one set on each line, about the system before it.
#[test]
fn the_examples_of_the_specification_are_sets() {
    let spec = include_str!("../SPEC.md");
    let block = |text: &str| text.split("\n```").next().unwrap().to_owned();
    let mut read = 0;
    for (at, _) in spec.match_indices("\n```configurations\n") {
        let system = spec[..at].rsplit("\n```spds\n").next().unwrap();
        let spds = parse(&block(system)).unwrap();
        for line in block(&spec[at + "\n```configurations\n".len()..]).lines() {
            set(&spds, line);
            read += 1;
        }
    }
    assert!(read >= 10, "{read}");
}

#[test]
fn automata_that_are_no_sets_are_refused_with_the_reason() {
    let spds = program();
    let state = |name: &str, accepting| State { name: name.into(), frame: None, carries: Box::default(), accepting };
    let p = End::Control(ControlId(0));
    let to = |id| End::State(StateId(id));
    let edge = |from, symbol: u32, to, condition| Edge { from, symbol: Some(SymbolId(symbol)), to, condition };
    let told = |automaton: &Automaton, role| -> Vec<String> {
        automaton.check(&spds, role).iter().map(AutomatonError::to_string).collect()
    };
    let g = |time| Some(Expr::read(Var::Global(0), time));
    let mut carrying = state("b", true);
    carrying.carries = [Var::Global(0), Var::Local(1)].into();
    carrying.frame = Some(FrameId(1));
    let automaton = Automaton {
        states: vec![state("a", false), carrying, state("a", true)],
        edges: vec![
            edge(p, 0, to(0), g(Time::Before)),
            edge(to(0), 0, to(1), g(Time::Before)),
            edge(to(0), 0, to(1), g(Time::After)),
            edge(to(1), 0, to(2), g(Time::Saved)),
            edge(to(0), 0, to(2), g(Time::Saved)),
            edge(to(0), 0, to(2), g(Time::After)),
            edge(p, 0, to(2), g(Time::Saved)),
            edge(to(0), 0, p, g(Time::After)),
            edge(to(0), 99, to(7), None),
            edge(p, 0, to(2), Some(Expr::read(Var::Global(1), Time::Before))),
            Edge { from: to(0), symbol: None, to: to(2), condition: None },
            Edge { from: p, symbol: None, to: to(0), condition: None },
        ],
    };
    let common = [
        "states[2]: two states have the name `a`",
        "edges[1].condition, operation 0: the global `g` can be read at the topmost symbol only",
        "edges[4].condition, operation 0: the state that the edge leaves does not carry `g`",
        "edges[5].condition, operation 0: the state that the edge enters does not carry `g`",
        "edges[6].condition, operation 0: `g''` stands for the value that a call saves; there is none here",
        "edges[8]: there is no state number 7",
        "edges[8]: there is no symbol number 99",
        "edges[9].condition, operation 0: a proposition must be a Boolean, not an integer",
        "edges[10]: an edge that reads no symbol cannot be here",
        "edges[11]: an edge that reads no symbol cannot be here",
    ];
    assert_eq!(told(&automaton, Role::Result), common);
    let mut as_input = told(&automaton, Role::Input);
    assert_eq!(as_input.remove(5), "edges[7]: an edge leads into the control location `p`");
    assert_eq!(as_input, common);
    let faults = automaton.check(&spds, Role::Input);
    assert!(matches!(&faults[5].fault, Fault::IntoControl(name) if &**name == "p"));
    assert!(faults[5].help().unwrap().contains("a state of its own"));
}
