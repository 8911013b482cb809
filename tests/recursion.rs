//! Recursion without a round for each call: guessed summaries are true, and runs through them are real.

extern crate puch_engine as puch;

#[path = "../benches/families/mod.rs"]
mod families;

use families::FAMILIES;
use puch::boolprog;
use puch::check::{Answer, Property, Target, Verdict, check};
use puch::limits::Limits;
use puch::options::{Engine, Loops, Options, Search, TraceWish};
use spds_format::Spds;
use spds_format::model::SymbolId;

fn read(text: &str) -> Spds {
    match boolprog::read(text, "recursion.bp", &boolprog::Options::default()) {
        Ok(program) => program.spds,
        Err(complaints) => panic!("{complaints:#?}\n{text}"),
    }
}

fn reach(text: &str, options: &Options) -> Answer {
    let spds = read(text);
    let is_meant = |symbol: &SymbolId| spds.symbol(*symbol).labels.iter().any(|own| &**own == "R");
    let symbols = (0..spds.symbols.len() as u32).map(SymbolId).filter(is_meant);
    let reach = Property::Reach(symbols.map(|symbol| Target { control: None, symbol }).collect());
    check(&spds, &[reach], options).expect("runs are real").answers.remove(0)
}

fn limited(loops: Loops) -> Options {
    let limits = Limits { memory: Some(64 << 20), ..Limits::default() };
    Options { limits, loops, engine: Engine::Biodivine, ..Options::default() }
}

const ALL: [Loops; 3] = [Loops::Auto, Loops::Step, Loops::Square];

#[test]
fn a_call_that_only_calls_itself_again_does_not_return() {
    let text = "void main() begin decl x; x := *; f(x); if (x) then R: skip; else skip; fi end\n\
                void f(a) begin if (a) then f(a); else skip; fi end";
    for loops in ALL {
        assert_eq!(reach(text, &limited(loops)).verdict, Verdict::Unreachable, "{loops:?}");
    }
}

#[test]
fn a_call_that_may_call_itself_again_returns_with_what_some_call_returns_with() {
    let text = "decl g; void main() begin decl x; x := *; g := 0; f(x); if (x & g) then R: skip; else skip; fi end\n\
                void f(a) begin if (a) then if (*) then f(a); else g := 0; fi else g := 1; fi end";
    for loops in ALL {
        assert_eq!(reach(text, &limited(loops)).verdict, Verdict::Unreachable, "{loops:?}");
    }
}

#[test]
fn stepping_back_to_the_entry_is_no_call() {
    // A call begins with any x, but the loop comes back to its head only with the x that it had.
    let text = "decl g; void main() begin g := 0; f(); end\n\
                void f() begin decl x; again: if (g & !x) then R: skip; fi assume(x);\n\
                if (*) then g := 1; goto again; fi assume(!g); f(); end";
    for loops in ALL {
        assert_eq!(reach(text, &limited(loops)).verdict, Verdict::Unreachable, "{loops:?}");
    }
}

#[test]
fn rounds_do_not_grow_with_the_depth_of_recursion() {
    for (name, bits) in [("counting", 20), ("twice", 12)] {
        let family = FAMILIES.iter().find(|family| family.name == name).expect("there is one");
        let text = family.program(&[bits]).expect("this is a size");
        let options = Options { work: Some(1 << 20), ..limited(Loops::Auto) };
        assert_eq!(reach(&text, &options).verdict, Verdict::Unreachable, "{name}");
        let step = reach(&text, &Options { loops: Loops::Step, ..options });
        assert!(matches!(step.verdict, Verdict::Unknown(_)), "{name}");
    }
}

#[test]
fn runs_through_recursion_are_real() {
    let family = FAMILIES.iter().find(|family| family.name == "counting").expect("there is one");
    let text = family.program(&[6]).expect("this is a size").replace("if (!(b1", "if ((b1");
    let text = text.replacen("void count() begin\n  if ((b1", "void count() begin\n  if (!(b1", 1);
    for loops in ALL {
        for trace in [TraceWish::Any, TraceWish::Shortest] {
            let answer = reach(&text, &Options { trace, ..limited(loops) });
            let trace = answer.verdict.trace().unwrap_or_else(|| panic!("{loops:?}: {:?}", answer.trace_omitted));
            assert_eq!(trace.run.calls.len(), 64, "{loops:?}");
        }
    }
}

#[test]
fn guesses_are_what_the_search_backwards_finds() {
    for (name, bits) in [("counting", 4), ("counting-back", 3), ("twice", 4), ("recursion", 2)] {
        let family = FAMILIES.iter().find(|family| family.name == name).expect("there is one");
        let text = family.program(&[bits]).expect("this is a size");
        let backwards = Options { search: Search::Pre, trace: TraceWish::None, ..limited(Loops::Auto) };
        let expected = reach(&text, &backwards).verdict;
        for loops in ALL {
            let options = Options { trace: TraceWish::None, ..limited(loops) };
            assert_eq!(reach(&text, &options).verdict, expected, "{name}, {loops:?}");
        }
    }
}
