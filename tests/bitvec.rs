//! Bit-vectors against brute force where all values can be listed, and against the evaluator where they cannot.

extern crate puch_programs as puch;

#[path = "support/seeds.rs"]
mod seeds;

use std::cell::RefCell;
use std::io::Write;
use std::process::{Command, Stdio};
use std::rc::Rc;

use fastrand::Rng;
use puch::bitvec::value::{apply, mask, signed};
use puch::bitvec::{
    Answer, Bounds, Cube, Evaluation, Operator, Said, SecondOpinion, Solver, Term, Terms, implied, relation,
};

const OPERATORS: [Operator; 12] = [
    Operator::Udiv,
    Operator::Urem,
    Operator::Sdiv,
    Operator::Srem,
    Operator::Shl,
    Operator::Lshr,
    Operator::Ashr,
    Operator::And,
    Operator::Xor,
    Operator::Eq,
    Operator::Ult,
    Operator::Slt,
];

/// A term with its value under each assignment, computed without it.
#[derive(Clone)]
struct Known {
    term: Term,
    width: u8,
    values: Vec<u128>,
}

/// Random terms over a few variables, all of whose assignments are listed.
struct Garden {
    rng: Rng,
    terms: Terms,
    grown: Vec<Known>,
    assignments: Vec<Vec<u128>>,
}

impl Garden {
    /// With all assignments of `variables` variables of that width.
    fn complete(seed: u64, width: u8, variables: u32) -> Garden {
        let bits = u32::from(width) * variables;
        let values = |packed: u128| (0..variables).map(|v| packed >> (v * u32::from(width)) & mask(width)).collect();
        Garden::over(seed, width, (0..1 << bits).map(values).collect())
    }

    fn over(seed: u64, width: u8, assignments: Vec<Vec<u128>>) -> Garden {
        let mut garden = Garden { rng: Rng::with_seed(seed), terms: Terms::new(), grown: Vec::new(), assignments };
        for variable in 0..garden.assignments[0].len() {
            let values = garden.assignments.iter().map(|values| values[variable]).collect();
            let term = garden.terms.variable(variable as u32, width);
            garden.grown.push(Known { term, width, values });
        }
        garden
    }

    fn any(&mut self, width: u8) -> Known {
        let fitting: Vec<usize> = (0..self.grown.len()).filter(|&at| self.grown[at].width == width).collect();
        if fitting.is_empty() || self.rng.u8(..8) == 0 {
            let edges = [0, 1, mask(width), mask(width) >> 1, (mask(width) >> 1) + 1];
            let value = if self.rng.bool() { edges[self.rng.usize(..5)] } else { self.rng.u128(..) } & mask(width);
            let term = self.terms.constant(value, width);
            return Known { term, width, values: vec![value; self.assignments.len()] };
        }
        self.grown[fitting[self.rng.usize(..fitting.len())]].clone()
    }

    /// Grows a term from those that there are.
    fn grow(&mut self) -> Known {
        let at = self.rng.usize(..self.grown.len());
        let width = self.grown[at].width;
        let (a, b) = (self.any(width), self.any(width));
        let pairs =
            |f: &dyn Fn(u128, u128) -> u128| a.values.iter().zip(&b.values).map(|(&a, &b)| f(a, b)).collect::<Vec<_>>();
        let known = match self.rng.u8(..13) {
            0 => (self.terms.add(a.term, b.term), width, pairs(&|a, b| a.wrapping_add(b))),
            1 => (self.terms.sub(a.term, b.term), width, pairs(&|a, b| a.wrapping_sub(b))),
            2 => (self.terms.mul(a.term, b.term), width, pairs(&|a, b| a.wrapping_mul(b))),
            3 => (self.terms.neg(a.term), width, pairs(&|a, _| a.wrapping_neg())),
            4 => (self.terms.not(a.term), width, pairs(&|a, _| !a)),
            5 => (self.terms.or(a.term, b.term), width, pairs(&|a, b| a | b)),
            6 => {
                let condition = self.any(1);
                let values = pairs(&|a, b| a << 64 | b);
                let choose =
                    |(&both, &c): (&u128, &u128)| if c == 1 { both >> 64 } else { both & u128::from(u64::MAX) };
                let values = values.iter().zip(&condition.values).map(choose).collect();
                (self.terms.ite(condition.term, a.term, b.term), width, values)
            }
            7 => {
                let (wider, with_sign) = (width + self.rng.u8(..3), self.rng.bool());
                let extended = |a, _| if with_sign { signed(a, width) as u128 } else { a };
                (self.terms.extend(a.term, wider, with_sign), wider, pairs(&extended))
            }
            8 => {
                let low = self.rng.u8(..width);
                let narrow = 1 + self.rng.u8(..width - low);
                (self.terms.extract(a.term, low, narrow), narrow, pairs(&|a, _| a >> low))
            }
            9 => (self.terms.ule(a.term, b.term), 1, pairs(&|a, b| u128::from(a <= b))),
            10 => (self.terms.sle(a.term, b.term), 1, pairs(&|a, b| u128::from(signed(a, width) <= signed(b, width)))),
            _ => {
                let operator = OPERATORS[self.rng.usize(..OPERATORS.len())];
                let result = if matches!(operator, Operator::Eq | Operator::Ult | Operator::Slt) { 1 } else { width };
                (self.terms.binary(operator, a.term, b.term), result, pairs(&|a, b| apply(operator, a, b, width)))
            }
        };
        let (term, width, values) = known;
        let known = Known { term, width, values: values.into_iter().map(|value| value & mask(width)).collect() };
        self.grown.push(known.clone());
        known
    }

    fn condition(&mut self) -> Known {
        for _ in 0..3 {
            self.grow();
        }
        let at = self.rng.usize(..self.grown.len());
        let width = self.grown[at].width;
        let (a, b) = (self.any(width), self.any(width));
        let operator = OPERATORS[9 + self.rng.usize(..3)];
        let term = self.terms.binary(operator, a.term, b.term);
        let values = a.values.iter().zip(&b.values).map(|(&a, &b)| apply(operator, a, b, width)).collect();
        Known { term, width: 1, values }
    }

    fn evaluated(&self, term: Term, assignment: &[u128]) -> u128 {
        let lookup = |number: u32| assignment.get(number as usize).copied().unwrap_or(0);
        Evaluation::new(&self.terms, &lookup).value(term)
    }
}

/// Whether some assignment makes all of these true.
fn possible(conditions: &[&Known]) -> bool {
    (0..conditions.first().map_or(1, |first| first.values.len())).any(|at| conditions.iter().all(|c| c.values[at] == 1))
}

#[test]
fn division_and_shifts_are_those_of_smt_lib() {
    let table = [
        (Operator::Udiv, 9, 0, 15),
        (Operator::Urem, 9, 0, 9),
        (Operator::Sdiv, 9, 0, 1),
        (Operator::Sdiv, 5, 0, 15),
        (Operator::Srem, 9, 0, 9),
        (Operator::Sdiv, 8, 15, 8),
        (Operator::Srem, 8, 15, 0),
        (Operator::Sdiv, 9, 2, 13),
        (Operator::Srem, 9, 2, 15),
        (Operator::Shl, 9, 4, 0),
        (Operator::Lshr, 9, 15, 0),
        (Operator::Ashr, 9, 15, 15),
        (Operator::Ashr, 5, 9, 0),
        (Operator::Slt, 8, 7, 1),
        (Operator::Ult, 8, 7, 0),
    ];
    for (operator, a, b, expected) in table {
        assert_eq!(apply(operator, a, b, 4), expected, "{operator:?} {a} {b}");
    }
}

#[test]
fn terms_have_the_values_of_what_they_were_built_from() {
    for seed in 0..150 {
        let mut garden = Garden::complete(seed, 1 + (seed % 4) as u8, 2);
        for _ in 0..25 {
            let known = garden.grow();
            for (at, assignment) in garden.assignments.iter().enumerate() {
                let value = garden.evaluated(known.term, assignment);
                assert_eq!(value, known.values[at], "seed {seed}, {assignment:?}, {:?}", garden.terms);
            }
        }
    }
}

#[test]
fn a_conjunction_can_be_true_exactly_if_some_assignment_makes_it_true() {
    for seed in 0..100 {
        let width = 1 + (seed % 6) as u8;
        let mut garden = Garden::complete(seed, width, if width > 3 { 2 } else { 3 });
        let mut solver = Solver::new(&Bounds::default());
        for round in 0..8 {
            let conditions: Vec<Known> = (0..1 + round % 5).map(|_| garden.condition()).collect();
            let literals: Vec<Term> = conditions.iter().map(|c| c.term).collect();
            let together =
                [solver.check(&mut garden.terms, &literals), solver.check_combination(&mut garden.terms, &literals)];
            for answer in together {
                match answer {
                    Answer::Sat(model) => {
                        let truths = model.truths(&garden.terms, &literals);
                        assert!(truths.iter().all(|&truth| truth), "seed {seed}: the model is none");
                    }
                    Answer::Unsat(core) => {
                        let core: Vec<&Known> = core.iter().map(|&at| &conditions[at]).collect();
                        assert!(!possible(&core), "seed {seed}: the core can be true: {literals:?} {:?}", garden.terms);
                    }
                    Answer::Unknown => panic!("seed {seed}: so few bits"),
                }
            }
        }
    }
}

#[test]
fn wide_terms_agree_with_the_evaluator() {
    for seed in 0..40 {
        let width = [32, 32, 64, 8][(seed % 4) as usize];
        let mut rng = Rng::with_seed(seed);
        let assignment: Vec<u128> = (0..3).map(|_| rng.u128(..) & mask(if rng.bool() { width } else { 3 })).collect();
        let mut garden = Garden::over(seed, width, vec![assignment.clone()]);
        let mut solver = Solver::new(&Bounds { conflicts: 300, stop: None, ..Bounds::default() });
        let fixed: Vec<Term> = (0..3)
            .map(|at| {
                let value = garden.terms.constant(assignment[at], width);
                let variable = garden.grown[at].term;
                garden.terms.eq(variable, value)
            })
            .collect();
        for _ in 0..6 {
            let known = garden.grow();
            assert_eq!(garden.evaluated(known.term, &assignment), known.values[0], "seed {seed}");
            let value = garden.terms.constant(known.values[0], known.width);
            let same = garden.terms.eq(known.term, value);
            match solver.check(&mut garden.terms, &[same]) {
                Answer::Sat(model) => assert_eq!(model.truths(&garden.terms, &[same]), [true], "seed {seed}"),
                Answer::Unsat(_) => panic!("seed {seed}: {assignment:?} is a model"),
                Answer::Unknown => {}
            }
            // Without rewriting, the circuits compute it.
            let differ = garden.terms.not(same);
            let mut query = fixed.clone();
            query.push(differ);
            assert!(solver.check_combination(&mut garden.terms, &query).is_unsat(), "seed {seed}: {:?}", garden.terms);
            query[3] = same;
            assert!(matches!(solver.check_combination(&mut garden.terms, &query), Answer::Sat(_)), "seed {seed}");
        }
    }
}

#[test]
fn relations_are_those_of_brute_force() {
    for seed in 0..120 {
        let mut garden = Garden::complete(seed, 3, 2);
        let mut solver = Solver::new(&Bounds::default());
        let conditions: Vec<Known> = (0..5).map(|_| garden.condition()).collect();
        let context = garden.condition();
        let literals: Vec<Term> = conditions.iter().map(|c| c.term).collect();
        let found = relation(&mut solver, &mut garden.terms, &literals, &[context.term]).expect("so few bits");
        let combination = |at: usize| conditions.iter().enumerate().map(|(bit, c)| (c.values[at] as u64) << bit).sum();
        let allowed = (0..garden.assignments.len()).filter(|&at| context.values[at] == 1);
        let mut expected: Vec<u64> = allowed.map(combination).collect();
        expected.sort_unstable();
        expected.dedup();
        assert_eq!(found.feasible, expected, "seed {seed}");
        for combination in 0..32u64 {
            let values: Vec<bool> = (0..5).map(|bit| combination >> bit & 1 == 1).collect();
            let cut = found.infeasible.iter().any(|cube| cube.holds(&values));
            assert_eq!(cut, !expected.contains(&combination), "seed {seed}, {values:?}: {:?}", found.infeasible);
        }
    }
}

#[test]
fn implied_are_the_prime_cubes_of_brute_force() {
    for seed in 0..120 {
        let mut garden = Garden::complete(seed, 3, 2);
        let mut solver = Solver::new(&Bounds::default());
        let conditions: Vec<Known> = (0..4).map(|_| garden.condition()).collect();
        let goal = garden.condition();
        let literals: Vec<Term> = conditions.iter().map(|c| c.term).collect();
        let found = implied(&mut solver, &mut garden.terms, &literals, goal.term, &[], 2);
        let models = |cube: &Cube| -> Vec<usize> {
            let holds = |&at: &usize| cube.0.iter().all(|&(c, value)| (conditions[c].values[at] == 1) == value);
            (0..garden.assignments.len()).filter(holds).collect()
        };
        let implies = |cube: &Cube| models(cube).iter().all(|&at| goal.values[at] == 1);
        let mut expected = (Vec::new(), Vec::new());
        for cube in cubes(4, 2) {
            let is_prime = |cubes: &[Cube]| !cubes.iter().any(|part: &Cube| part.is_part_of(&cube));
            if is_prime(&expected.0) && is_prime(&expected.1) && implies(&cube) {
                let list = if models(&cube).is_empty() { &mut expected.1 } else { &mut expected.0 };
                list.push(cube);
            }
        }
        assert_eq!((found.cubes, found.infeasible), expected, "seed {seed}");
    }
}

/// All cubes of at most `longest` of so many conditions, shorter ones first.
fn cubes(conditions: usize, longest: usize) -> Vec<Cube> {
    let mut all = vec![Cube::default()];
    let mut last = all.clone();
    for _ in 0..longest {
        let mut longer = Vec::new();
        for cube in &last {
            for at in cube.0.last().map_or(0, |&(at, _)| at + 1)..conditions {
                for value in [true, false] {
                    let mut cube = cube.clone();
                    cube.0.push((at, value));
                    longer.push(cube);
                }
            }
        }
        all.extend(longer.iter().cloned());
        last = longer;
    }
    all
}

#[test]
fn sums_that_are_equal_are_one_term() {
    let mut terms = Terms::new();
    let [x, y, z] = [0, 1, 2].map(|number| terms.variable(number, 32));
    let [one, four, five] = [1, 4, 5].map(|value| terms.constant(value, 32));
    let next = terms.add(x, one);
    let both = terms.add(next, y);
    let left = terms.sub(both, one);
    let right = terms.add(y, x);
    assert_eq!(left, right);
    let (xy, yz) = (terms.mul(x, y), terms.mul(y, z));
    assert_eq!(terms.mul(xy, z), terms.mul(x, yz));
    assert_eq!(terms.sle(x, four), terms.slt(x, five));
    let doubled = terms.add(x, x);
    let odd = terms.eq(doubled, five);
    assert_eq!(terms.as_constant(odd), Some(0));
    // (x < 5) != 0 is x < 5.
    let less = terms.slt(x, five);
    let number = terms.number(less, 32);
    let zero = terms.constant(0, 32);
    assert_eq!(terms.ne(number, zero), less);
}

#[test]
fn equalities_are_substituted_before_the_search() {
    // x = y + 1, u = 3y + 3, 3x != u with products of unknowns around them: no search would end soon.
    let mut terms = Terms::new();
    let [x, y, u, v] = [0, 1, 2, 3].map(|number| terms.variable(number, 64));
    let first = {
        let next = terms.linear(&[(y, 1)], 1);
        terms.eq(x, next)
    };
    let second = {
        let square = terms.mul(x, x);
        let product = terms.mul(square, v);
        terms.eq(u, product)
    };
    let unrelated = {
        let seven = terms.constant(7, 64);
        terms.ult(v, seven)
    };
    let last = {
        let next = terms.linear(&[(y, 1)], 1);
        let square = terms.mul(next, next);
        let product = terms.mul(v, square);
        terms.ne(product, u)
    };
    let mut solver = Solver::new(&Bounds { conflicts: 0, stop: None, ..Bounds::default() });
    match solver.check(&mut terms, &[first, unrelated, second, last]) {
        Answer::Unsat(core) => assert_eq!(core, [0, 2, 3]),
        other => panic!("{other:?}"),
    }
}

/// Two odd factors of a product of two primes of 31 bits.
fn factors(terms: &mut Terms) -> Vec<Term> {
    let [x, y] = [0, 1].map(|number| terms.variable(number, 32));
    let [wide_x, wide_y] = [x, y].map(|term| terms.extend(term, 64, false));
    let product = terms.mul(wide_x, wide_y);
    let number = terms.constant(2_654_435_761 * 3_221_225_473, 64);
    let one = terms.constant(1, 32);
    vec![terms.eq(product, number), terms.ult(one, x), terms.ult(one, y)]
}

#[test]
fn a_search_that_is_given_up_is_unknown_and_the_session_goes_on() {
    let mut terms = Terms::new();
    let hard = factors(&mut terms);
    let mut solver = Solver::new(&Bounds { conflicts: 2_000, stop: None, ..Bounds::default() });
    assert!(matches!(solver.check(&mut terms, &hard), Answer::Unknown));
    assert!(matches!(solver.check(&mut terms, &hard[1..]), Answer::Sat(_)));
    assert!(relation(&mut solver, &mut terms, &hard[..1], &hard[1..]).is_none());
    let found = implied(&mut solver, &mut terms, &hard[1..], hard[0], &[], 2);
    assert!(found.cubes.is_empty(), "unknown is not implied");
}

#[test]
fn whoever_asked_can_stop_a_search() {
    let mut terms = Terms::new();
    let hard = factors(&mut terms);
    let bounds = Bounds { conflicts: u64::MAX, stop: Some(std::rc::Rc::new(|| true)), ..Bounds::default() };
    assert!(matches!(Solver::new(&bounds).check(&mut terms, &hard), Answer::Unknown));
}

#[test]
fn deep_terms_do_not_overflow_the_stack() {
    let mut terms = Terms::new();
    let x = terms.variable(0, 8);
    let mut deep = x;
    for round in 0..100_000u32 {
        let constant = terms.constant(u128::from(round % 251 + 2), 8);
        deep = if round % 2 == 0 { terms.binary(Operator::Udiv, deep, constant) } else { terms.xor(deep, constant) };
        deep = if round % 3 == 0 { terms.binary(Operator::Urem, x, deep) } else { deep };
    }
    let mut solver = Solver::new(&Bounds { conflicts: 100, stop: None, ..Bounds::default() });
    let zero = terms.constant(0, 8);
    let condition = terms.eq(deep, zero);
    assert!(!solver.check(&mut terms, &[condition]).is_unsat() || terms.as_constant(condition).is_some());
}

/// a solver whose every answer another one is asked about, and what that one is told: scripts.
fn with_second_opinion(says: impl Fn(&str) -> Result<Said, String> + 'static) -> (Solver, Rc<SecondOpinion>) {
    let second = Rc::new(SecondOpinion::new(says));
    (Solver::new(&Bounds { second: Some(second.clone()), ..Bounds::default() }), second)
}

#[test]
fn what_another_solver_contradicts_is_not_known_and_told() {
    let mut terms = Terms::new();
    let (x, five) = (terms.variable(0, 32), terms.constant(5, 32));
    let (less, square) = (terms.ult(x, five), terms.mul(x, x));
    let odd = terms.eq(square, five);
    let (mut solver, second) = with_second_opinion(|_| Ok(Said::Sat));
    assert!(matches!(solver.check(&mut terms, &[less]), Answer::Sat(_)));
    assert_eq!(second.opinions().expect("both say so").agreed, 1);
    assert!(matches!(solver.check(&mut terms, &[odd]), Answer::Unknown), "5 is no square modulo 2^32");
    let objection = second.opinions().expect_err("they disagree");
    assert!(objection.contains("Unsat here, Sat there") && objection.contains("(check-sat)"), "{objection}");
}

#[test]
fn what_another_solver_gives_up_stays_known_and_that_it_fails_is_told() {
    let mut terms = Terms::new();
    let (x, five) = (terms.variable(0, 32), terms.constant(5, 32));
    let less = terms.ult(x, five);
    let (mut solver, second) = with_second_opinion(|_| Ok(Said::Unknown));
    assert!(matches!(solver.check(&mut terms, &[less]), Answer::Sat(_)));
    assert_eq!(second.opinions().expect("no contradiction").undecided, 1);
    let (mut solver, second) = with_second_opinion(|_| Err("it is gone".into()));
    assert!(matches!(solver.check_combination(&mut terms, &[less]), Answer::Sat(_)));
    assert_eq!(second.opinions().expect_err("it failed"), "it is gone");
}

/// Both ways of asking, of terms of all operators.
#[test]
fn random_queries_are_decided_as_z3_decides_them() {
    let asked: Rc<RefCell<Vec<(String, Said)>>> = Rc::default();
    for seed in seeds::seeds(0..40) {
        let width = [32, 8, 5, 64][(seed % 4) as usize];
        let mut rng = Rng::with_seed(seed);
        let mut garden = Garden::over(seed, width, vec![(0..3).map(|_| rng.u128(..) & mask(width)).collect()]);
        let script = Rc::new(RefCell::new(String::new()));
        let kept = script.clone();
        let bounds = Bounds { conflicts: 2_000, ..Bounds::default() };
        let second = SecondOpinion::new(move |script| {
            *kept.borrow_mut() = script.to_owned();
            Ok(Said::Unknown)
        });
        let mut solver = Solver::new(&Bounds { second: Some(Rc::new(second)), ..bounds });
        for round in 0..6 {
            let mut query = Vec::new();
            for _ in 0..2 {
                let known = garden.grow();
                let other = garden.terms.constant(u128::from(rng.u8(..4)), known.width);
                query.push(garden.terms.eq(known.term, other));
            }
            let answer = match round % 2 {
                0 => solver.check(&mut garden.terms, &query),
                _ => solver.check_combination(&mut garden.terms, &query),
            };
            match answer {
                Answer::Sat(_) => asked.borrow_mut().push((script.take(), Said::Sat)),
                Answer::Unsat(_) => asked.borrow_mut().push((script.take(), Said::Unsat)),
                Answer::Unknown => {}
            }
        }
    }
    let asked = asked.take();
    for said in [Said::Sat, Said::Unsat] {
        assert!(asked.iter().any(|(_, ours)| *ours == said), "{said:?} was never the answer");
    }
    let Some(theirs) = z3(&asked) else { return };
    assert_eq!(theirs.len(), asked.len());
    for ((script, ours), theirs) in asked.iter().zip(theirs) {
        let ours = if *ours == Said::Sat { "sat" } else { "unsat" };
        assert!(theirs == ours || theirs == "unknown", "{ours} here, {theirs} there:\n{script}");
    }
}

/// What z3 says of scripts, a line each; `None`, with a note, where it is not installed.
fn z3(scripts: &[(String, Said)]) -> Option<Vec<String>> {
    let mut command = Command::new("z3");
    let started = command.args(["-in", "-smt2"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut process) = started else {
        eprintln!("there is no `z3`: skipped the comparison with it");
        return None;
    };
    let text: String = scripts.iter().map(|(script, _)| &script[..]).collect();
    let mut to = process.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || write!(to, "(set-option :timeout 2000)\n(set-logic QF_BV)\n{text}"));
    let output = process.wait_with_output().expect("z3 ends");
    writer.join().expect("the writer ends").expect("z3 reads");
    Some(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}
