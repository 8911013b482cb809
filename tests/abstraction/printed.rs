//! What is checked is what is printed: the system of an abstraction is made of its tree, and is that of its text.

use fastrand::Rng;
use puch::abstraction::{Method, Reuse, Tuning, abstracted, abstracted_with_undefined_points, read};
use puch::c::program::Overflow;
use puch::c::types::DataModel;
use spds_format::model::{SymbolId, Var};

use super::may_fail::as_printed;
use super::{METHODS, NARROW, abstraction, parsed, random_program};

#[test]
fn the_system_of_an_abstraction_is_that_of_its_text() {
    let list = "main: x == y, x < g, *p == h, y == 0, x < y, x == 2\n*: g == h, g == 0, h < 2, g < 3\n\
        f: a == pre(a), r == a, result == pre(a), g == pre(g), a < g, r < 2";
    for seed in 0..60 {
        let mut rng = Rng::with_seed(seed);
        let mut program = parsed(&random_program(&mut rng), NARROW);
        let mut predicates = read::read(&mut program, list).expect("they are right");
        rng.shuffle(&mut predicates);
        predicates.truncate(rng.usize(..8));
        let method = [Method::Auto, Method::Cartesian][rng.usize(..2)];
        let overflow = [Overflow::Wrap, Overflow::Assume, Overflow::Check][rng.usize(..3)];
        let tuning = Tuning { method, cubes: 2, ..Tuning::default() };
        let system = as_printed(&abstracted(&program, &predicates, overflow, &tuning));
        for symbol in (0..system.spds.symbols.len() as u32).map(SymbolId) {
            for (at, variable) in (0..).zip(system.spds.locals(symbol)) {
                // What is kept for calls is no predicate.
                let predicate = system.predicate(symbol, Var::Local(at)).map(|id| id.of(&predicates));
                assert_eq!(predicate.is_none(), variable.hidden, "seed {seed}");
                let name = predicate.map(|predicate| format!("{{{}}}", predicate.text));
                assert!(name.is_none_or(|name| *name == *variable.name), "seed {seed}: {}", variable.name);
            }
        }
        // The same with the places where something undefined may be done.
        let (made, points) =
            abstracted_with_undefined_points(&program, &predicates, overflow, &tuning, &mut Reuse::new(&program));
        let system = as_printed(&made);
        for point in points {
            let symbol = system.symbol(point.statement, point.line).expect("each of them has a symbol");
            assert_eq!(system.spds.symbol(symbol).place, Some(point.place), "seed {seed}\n{}", made.text());
        }
    }
}

#[test]
fn calls_through_pointers_and_calls_back_are_as_printed() {
    let text = "int g; void out(void (*)(int)); int pick(void);
        void up(int a) { g = g + a; } int down(int a) { if (a > 3) return down(a - 1); return a; }
        int main(int x) { int (*f)(int) = down; if (pick()) f = 0; x = f(x); out(up); if (x > g) assert(x < 4); return x; }";
    for method in METHODS {
        for overflow in [Overflow::Wrap, Overflow::Check] {
            let list = "main: x < 4, x > g\n*: g == 0\ndown: result < 4, a > 3, result == pre(a)\nup: a == 0";
            as_printed(&abstraction(text, list, overflow, method));
            as_printed(&abstraction(text, "guards", overflow, method));
        }
    }
}

/// Labels of C are names of Boolean programs, each once in its procedure, and start no thread.
#[test]
fn labels_of_all_kinds_are_as_printed() {
    let text = "int main(int x) {
        if (x == 1) goto a$b; if (x == 2) goto a_b; if (x == 3) goto ASYNC_1; if (x == 4) goto L; if (x == 5) goto T;
        if (x == 6) goto skip; if (x == 7) goto L$1;
        a$b: x = 0; a_b: x = 1; ASYNC_1: x = 2; L: x = 3; T: skip: x = 4; L$1: x = 5; assert(x == 5); return x; }";
    let program = abstraction(text, "main: x == 5, x == 1", Overflow::Wrap, Method::Auto);
    let system = as_printed(&program);
    let labels = system.spds.symbols.iter().map(|symbol| symbol.labels.len()).sum::<usize>();
    assert_eq!(labels, 7, "{}", program.text());
}

#[test]
fn a_program_without_statements_is_as_printed() {
    for text in
        ["int main() {}", "void f(); int main() { f(); }", "int main() { for (;;) ; }", "int main() { l: goto l; }"]
    {
        let program = parsed(text, DataModel::LP64);
        as_printed(&abstracted(&program, &[], Overflow::Wrap, &Tuning::default()));
    }
}
