//! What rounds leave to those after them changes nothing but the time they take.

use fastrand::Rng;
use puch::abstraction::{Method, Reuse, Tuning, abstracted, abstracted_again, predicate, read};
use puch::c::program::Overflow;
use puch::c::types::DataModel;

use super::{NARROW, parsed, random_program};

const THREE: &str = "int g;
int add(int a, int b) { int s; s = a; while (b > 0) { s = s + 1; b = b - 1; } return s; }
void count(int n) { int i; i = 0; while (i < n) { i = i + 1; g = g + 1; } }
int main(int x) { int y; y = add(x, 3); count(y); if (y == x) assert(0); return 0; }";

#[test]
fn a_predicate_more_in_one_procedure_costs_what_that_procedure_costs() {
    let mut program = parsed(THREE, DataModel::LP64);
    let few = "main: y == x\n*: g == 0\nadd: s == a, b > 0\ncount: i < n";
    let few = read::read(&mut program, few).expect("they are right");
    let more = read::read(&mut program, "count: i == 0").expect("it is right");
    let tuning = Tuning::default();
    let mut reuse = Reuse::new(&program);
    abstracted_again(&program, &few, Overflow::Wrap, &tuning, &mut reuse);
    assert_eq!(reuse.procedures(), 3);
    let first = reuse.counts();
    assert!(first.queries > 0, "{first:?}");

    abstracted_again(&program, &few, Overflow::Wrap, &tuning, &mut reuse);
    assert_eq!(reuse.procedures(), 3, "nothing has changed");
    assert_eq!(reuse.counts(), first);

    let grown = [&few[..], &more].concat();
    abstracted_again(&program, &grown, Overflow::Wrap, &tuning, &mut reuse);
    assert_eq!(reuse.procedures(), 4, "one has changed");
    // It takes no more than the other procedures being without predicates.
    let own: Vec<_> = grown
        .iter()
        .filter(|one| one.scope.is_none_or(|scope| scope == more[0].scope.expect("a local one")))
        .cloned()
        .collect();
    let mut alone = Reuse::new(&program);
    abstracted_again(&program, &own, Overflow::Wrap, &tuning, &mut alone);
    let (solved, queries) = (reuse.counts().solved - first.solved, reuse.counts().queries - first.queries);
    let all = alone.counts();
    assert!(solved <= all.solved && queries <= all.queries, "{solved} questions, {queries} queries, of {all:?}");
}

#[test]
fn a_signature_that_changes_changes_the_callers() {
    let mut program = parsed(THREE, DataModel::LP64);
    let few = read::read(&mut program, "main: y == x\nadd: s == a").expect("they are right");
    let more = read::read(&mut program, "add: result == pre(a)").expect("it is right");
    let mut reuse = Reuse::new(&program);
    let tuning = Tuning::default();
    abstracted_again(&program, &few, Overflow::Wrap, &tuning, &mut reuse);
    let grown = [few, more].concat();
    let again = abstracted_again(&program, &grown, Overflow::Wrap, &tuning, &mut reuse);
    assert_eq!(reuse.procedures(), 5, "`add` and `main` have changed");
    assert_eq!(again, abstracted(&program, &grown, Overflow::Wrap, &tuning));
}

#[test]
fn another_program_is_not_the_same_one() {
    let tuning = Tuning::default();
    let mut reuse = Reuse::new(&parsed(THREE, DataModel::LP64));
    for text in [THREE.to_owned(), THREE.replace("s + 1", "s + 2"), THREE.replace("int s;", "unsigned s;")] {
        let program = parsed(&text, DataModel::LP64);
        let predicates = predicate::guards(&program);
        let again = abstracted_again(&program, &predicates, Overflow::Wrap, &tuning, &mut reuse);
        assert_eq!(again, abstracted(&program, &predicates, Overflow::Wrap, &tuning), "{text}");
    }
}

#[test]
fn with_and_without_what_is_kept_boolean_programs_are_the_same() {
    let list = "main: x == y, x < g, *p == h, y == 0, x < y, x == 2\n*: g == h, g == 0, h < 2, g < 3\n\
        f: a == pre(a), r == a, result == pre(a), g == pre(g), a < g, r < 2";
    let (mut remembered, mut taken) = (0, 0);
    for seed in 0..16 {
        let mut rng = Rng::with_seed(seed);
        let mut program = parsed(&random_program(&mut rng), NARROW);
        let mut all = read::read(&mut program, list).expect("they are right");
        rng.shuffle(&mut all);
        let method = [Method::Auto, Method::Cartesian][rng.usize(..2)];
        let overflow = [Overflow::Wrap, Overflow::Assume, Overflow::Check][rng.usize(..3)];
        let tuning = Tuning { method, cubes: 2, ..Tuning::default() };
        let mut reuse = Reuse::new(&program);
        let mut rounds = 0;
        for count in [0, 2, 3, 5, 6, 4] {
            let predicates = &all[..count];
            let again = abstracted_again(&program, predicates, overflow, &tuning, &mut reuse);
            let anew = abstracted(&program, predicates, overflow, &tuning);
            assert_eq!(again.text(), anew.text(), "seed {seed}, {method:?}, {overflow:?}, {count} predicates");
            rounds += 1;
        }
        remembered += reuse.counts().remembered;
        taken += 2 * rounds - reuse.procedures();
    }
    assert!(remembered > 500 && taken > 10, "{remembered} questions and {taken} procedures: this says little");
}
