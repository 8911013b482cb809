//! Translation and rewriting against the definition of the operators, on words that end in a loop.

extern crate puch_engine as puch;

#[path = "ltl/lasso.rs"]
mod lasso;
#[path = "ltl/random.rs"]
mod random;
#[path = "ltl/shared.rs"]
mod shared;

use lasso::{Lasso, accepts, buchi_accepts, disjoint, satisfies};
use puch::limits::{Limits, Stop};
use puch::ltl::automaton::ComponentKind;
use puch::ltl::{Buchi, Ltl, Passes, Rules, Tgba, parenthesised, simplified, translate, translate_generalised};
use puch::options::Switch;

fn buchi(ltl: &Ltl, passes: &Passes) -> Buchi {
    translate(ltl, passes, &Limits::default()).unwrap()
}

const NO_RULES: Rules = Rules { basic: Switch::Off, eventual: Switch::Off, implication: Switch::Off };
const NOTHING: Passes =
    Passes { rules: NO_RULES, simulation: Switch::Off, obligations: Switch::Off, apart: Switch::Off };

/// Words over two propositions, given to formulas over more by letting those repeat the two, turned or not.
fn widened(lasso: &Lasso) -> Lasso {
    let widen = |letter: u32| {
        let (a, b) = (letter & 1, letter >> 1 & 1);
        a | b << 1 | (1 - a) << 2 | (1 - b) << 3 | (a ^ b) << 4 | (a & b) << 5 | (a | b) << 6
    };
    Lasso { letters: lasso.letters.iter().map(|letter| widen(*letter)).collect(), back: lasso.back }
}

#[test]
fn core_formulas_and_their_negations_share_out_all_words() {
    let short: Vec<Lasso> = Lasso::all(2, 4).iter().map(widened).collect();
    let mut random = fastrand::Rng::with_seed(7);
    for (text, ltl) in shared::core() {
        let propositions = ltl.formulas.propositions().len() as u32;
        let negation = ltl.clone().negated();
        let (accepting, rejecting) = (buchi(&ltl, &Passes::default()), buchi(&negation, &Passes::default()));
        let (accepting, rejecting) = (Tgba::from(&accepting), Tgba::from(&rejecting));
        let long: Vec<Lasso> = (0..40).map(|_| Lasso::random(&mut random, propositions, 9)).collect();
        for word in short.iter().chain(&long) {
            let truth = satisfies(word, &ltl);
            assert_eq!(accepts(&accepting, word), truth, "{text} on {word:?}");
            assert_eq!(accepts(&rejecting, word), !truth, "the negation of {text} on {word:?}");
        }
        assert!(disjoint(&accepting, &rejecting), "{text} and its negation");
    }
}

#[test]
fn no_pass_changes_the_language_of_random_formulas() {
    let words = Lasso::all(2, 3);
    let mut random = fastrand::Rng::with_seed(5);
    let with = |rules| Passes { rules, ..NOTHING };
    let passes = [
        ("none", NOTHING),
        ("basic rules", with(Rules { basic: Switch::On, ..NO_RULES })),
        ("rules about eventualities", with(Rules { eventual: Switch::On, ..NO_RULES })),
        ("rules about implication", with(Rules { implication: Switch::On, ..NO_RULES })),
        ("all rules", with(Rules::default())),
        ("simulation", Passes { simulation: Switch::On, ..NOTHING }),
        ("obligations", Passes { obligations: Switch::On, ..NOTHING }),
        ("conjuncts apart", Passes { apart: Switch::On, ..NOTHING }),
        ("all", Passes::default()),
    ];
    for _ in 0..250 {
        let size = random.usize(1..8);
        let ltl = random::formula(&mut random, 2, size);
        let truth: Vec<bool> = words.iter().map(|word| satisfies(word, &ltl)).collect();
        for (name, passes) in passes {
            let one = buchi(&ltl, &passes);
            let many = translate_generalised(&ltl, &passes, &Limits::default()).unwrap();
            for (word, truth) in words.iter().zip(&truth) {
                let text = || format!("{} with {name} on {word:?}", parenthesised(&ltl));
                assert_eq!(buchi_accepts(&one, word), *truth, "{}", text());
                assert_eq!(accepts(&many, word), *truth, "with several marks: {}", text());
            }
        }
    }
}

#[test]
fn a_random_formula_and_its_negation_have_nothing_in_common() {
    let mut random = fastrand::Rng::with_seed(6);
    for _ in 0..400 {
        let size = random.usize(1..10);
        let ltl = random::formula(&mut random, 3, size);
        let one = Tgba::from(&buchi(&ltl, &Passes::default()));
        let other = Tgba::from(&buchi(&ltl.clone().negated(), &Passes::default()));
        assert!(disjoint(&one, &other), "{}", parenthesised(&ltl));
    }
}

#[test]
fn rewriting_keeps_the_meaning_of_random_formulas() {
    let words = Lasso::all(2, 3);
    let mut random = fastrand::Rng::with_seed(3);
    let groups = [
        NO_RULES,
        Rules { basic: Switch::On, ..NO_RULES },
        Rules { eventual: Switch::On, ..NO_RULES },
        Rules { implication: Switch::On, ..NO_RULES },
        Rules::default(),
    ];
    for _ in 0..1200 {
        let size = random.usize(1..9);
        let ltl = random::formula(&mut random, 2, size);
        let truth: Vec<bool> = words.iter().map(|word| satisfies(word, &ltl)).collect();
        for rules in groups {
            let simple = simplified(&ltl, rules);
            for (word, truth) in words.iter().zip(&truth) {
                let (before, after) = (parenthesised(&ltl), parenthesised(&simple));
                assert_eq!(satisfies(word, &simple), *truth, "{before} became {after}: {word:?}");
            }
        }
    }
}

/// Every rule has an instance here: what it is applied to, and what becomes of it.
const RULES: [(&str, &str); 96] = [
    // Basic: one operand
    ("F X a", "X F a"),
    ("F (a U b)", "F b"),
    ("F (a M b)", "F (a & b)"),
    ("F (a | F b | (c U d))", "F (a | b | d)"),
    ("F G (a & X b)", "F G (a & b)"),
    ("G X a", "X G a"),
    ("G (a R b)", "G b"),
    ("G (a W b)", "G (a | b)"),
    ("G (a & G b & (c R d))", "G (a & b & d)"),
    ("G F (a | X b)", "G F (a | b)"),
    // Basic: two operands
    ("X a U X b", "X (a U b)"),
    ("a U G a", "G a"),
    ("a U (a & b)", "b M a"),
    ("X a R X b", "X (a R b)"),
    ("a R F a", "F a"),
    ("a R (a | b)", "b W a"),
    ("X a W X b", "X (a W b)"),
    ("a W G a", "G a"),
    ("a W (a & b)", "b R a"),
    ("a U (b | G a)", "a W b"),
    ("a W (b | c | G a)", "a W (b | c)"),
    ("X a U (b | G X a)", "X a W b"),
    ("(a & X a) U (b | G (a & X a))", "(a & X a) W b"),
    ("a R (b & F a)", "a M b"),
    ("X a M (b & X F a)", "X a M b"),
    ("X a M X b", "X (a M b)"),
    ("a M F a", "F a"),
    ("a M (a | b)", "b U a"),
    // Basic: lists
    ("X a & X b", "X (a & b)"),
    ("X a | X b", "X (a | b)"),
    ("G a & G b", "G (a & b)"),
    ("F a | F b", "F (a | b)"),
    ("F G a & F G b", "F G (a & b)"),
    ("G F a | G F b", "G F (a | b)"),
    ("(a U c) & (b U c)", "(a & b) U c"),
    ("(a U c) & (b W c)", "(a & b) U c"),
    ("(a W c) & (b W c)", "(a & b) W c"),
    ("F c & (a W c)", "a U c"),
    ("(a R b) & (a R c)", "a R (b & c)"),
    ("(a R b) & (a M c)", "a M (b & c)"),
    ("F a & (a R b)", "a M b"),
    ("(a R c) | (b R c)", "(a | b) R c"),
    ("(a R c) | (b M c)", "(a | b) R c"),
    ("(a M c) | (b M c)", "(a | b) M c"),
    ("G c | (a M c)", "a R c"),
    ("(a U b) | (a U c)", "a U (b | c)"),
    ("(a U b) | (a W c)", "a W (b | c)"),
    ("G a | (a U b)", "a W b"),
    ("a & b | !a | !b", "true"),
    ("(a | b) & !a & !b", "false"),
    // Eventualities
    ("X G F a", "G F a"),
    ("F G F a", "G F a"),
    ("F (a & G F b)", "(F a) & (G F b)"),
    ("F (a | G b)", "(F a) | (F G b)"),
    ("F G (a | G b)", "F G a | F G b"),
    ("G F G a", "F G a"),
    ("G (a | G F b)", "(G a) | (G F b)"),
    ("G (a & F b)", "(G a) & (G F b)"),
    ("G F (a & F b)", "(G F a) & (G F b)"),
    ("a U F b", "F b"),
    ("a U (b | F c)", "(a U b) | (F c)"),
    ("a U (b & G F c)", "(a U b) & (G F c)"),
    ("G a U b", "b | (G a & F b)"),
    ("a R G b", "G b"),
    ("a R (b & G c)", "(a R b) & G c"),
    ("a R (b | G F c)", "(a R b) | (G F c)"),
    ("F a R b", "b & (F a | G b)"),
    ("G a W b", "G a | b"),
    ("a W F b", "G a | F b"),
    ("a W (b | F c)", "(a W b) | (F c)"),
    ("F a M b", "F a & b"),
    ("a M G b", "F a & G b"),
    ("a M (b & G c)", "(a M b) & G c"),
    // Implication
    ("(a & b) U a", "a"),
    ("!a U a", "F a"),
    ("a U ((a | b) U c)", "(a | b) U c"),
    ("(a | b) U (a U c)", "(a | b) U c"),
    ("a U ((a | b) W c)", "(a | b) W c"),
    ("(c U (a & b)) U a", "a | (c U (a & b))"),
    ("(!a & c) U a", "c U a"),
    ("((a & b) | c) U a", "c U a"),
    ("(a | b) R a", "a"),
    ("!a R a", "G a"),
    ("(a | b) R (a R c)", "a R c"),
    ("a R ((a | b) R c)", "a R c"),
    ("(c R (a | b)) R a", "(c R (a | b)) & a"),
    ("((a | b) & c) R a", "c R a"),
    ("(!a | c) R a", "c R a"),
    ("!a W a", "true"),
    ("(a | b) W (a U c)", "(a | b) W c"),
    ("!a M a", "false"),
    ("a M ((a | b) R c)", "a M c"),
    ("a & F a", "a"),
    ("G !a | F (a & F b)", "!a W (a & F b)"),
    ("F a & G (!a | G b)", "a M (!a | G b)"),
    ("G a & F !a", "false"),
];

#[test]
fn every_rule_does_what_it_says_and_keeps_the_meaning() {
    let words = Lasso::all(4, 2);
    let mut random = fastrand::Rng::with_seed(8);
    let long: Vec<Lasso> = (0..300).map(|_| Lasso::random(&mut random, 4, 6)).collect();
    let mut different = Vec::new();
    for (before, after) in RULES {
        let before = shared::formula(before);
        let simple = simplified(&before, Rules::default());
        // The expected form reads the propositions in the same order.
        let names: Vec<String> = before.formulas.propositions().iter().map(|p| p.kind.to_string()).collect();
        let all = format!("true | {} | ({after})", names.join(" | "));
        let expected = shared::formula(&all);
        let rest = *expected.formulas.operands(expected.root).last().unwrap();
        let expected = simplified(&Ltl { root: rest, ..expected }, NO_RULES);
        if sorted(&simple) != sorted(&expected) {
            different.push(format!("{} became {}", parenthesised(&before), parenthesised(&simple)));
        }
        for word in words.iter().chain(&long) {
            assert_eq!(satisfies(word, &simple), satisfies(word, &before), "{} {word:?}", parenthesised(&before));
        }
    }
    assert!(different.is_empty(), "{different:#?}");
}

/// The formula as text, the parts of conjunctions and disjunctions in alphabetical order.
fn sorted(ltl: &Ltl) -> String {
    use puch::ltl::formula::Op;
    fn text(ltl: &Ltl, formula: puch::ltl::Formula) -> String {
        let mut parts: Vec<String> = ltl.formulas.operands(formula).iter().map(|part| text(ltl, *part)).collect();
        let op = ltl.formulas.op(formula);
        if matches!(op, Op::And | Op::Or) {
            parts.sort();
        }
        match op {
            Op::Proposition(index) => ltl.formulas.propositions()[index as usize].kind.to_string(),
            op => format!("{op:?}({})", parts.join(", ")),
        }
    }
    text(ltl, ltl.root)
}

#[test]
fn components_are_what_they_are_called() {
    let kinds = |text: &str| {
        let buchi = buchi(&shared::formula(text), &Passes::default());
        let mut kinds: Vec<ComponentKind> = buchi.components.iter().map(|component| component.kind).collect();
        kinds.sort();
        kinds.dedup();
        (buchi.strength(), kinds)
    };
    use ComponentKind::{Rejecting, Strong, Terminal, Weak};
    assert_eq!(kinds("F p"), (Terminal, vec![Rejecting, Terminal]));
    assert_eq!(kinds("G p"), (Weak, vec![Weak]));
    assert_eq!(kinds("F G p"), (Weak, vec![Rejecting, Weak]));
    assert_eq!(kinds("G F p"), (Strong, vec![Strong]));
    assert_eq!(kinds("false"), (Rejecting, vec![Rejecting]));
    assert_eq!(kinds("true"), (Terminal, vec![Terminal]));
    assert_eq!(kinds("(F p) | (G F q)").0, Strong);
    assert_eq!(kinds("p U (q | G F r)").1, vec![Rejecting, Terminal, Strong]);
}

/// What the documentation of the type promises.
#[test]
fn automata_keep_the_promises_of_their_type() {
    let mut random = fastrand::Rng::with_seed(9);
    for _ in 0..400 {
        let size = random.usize(1..10);
        let ltl = random::formula(&mut random, 3, size);
        let buchi = buchi(&ltl, &Passes::default());
        let text = parenthesised(&ltl);
        let mut labels = buchi.labels.clone();
        for (index, component) in buchi.components.iter().enumerate() {
            for state in &component.states {
                assert_eq!(buchi.component_of[state.0 as usize], index, "{text}");
                let mut read = puch::bdd::label::Label::FALSE;
                for edge in buchi.from(*state) {
                    assert_eq!(edge.from, *state);
                    assert_ne!(edge.label, puch::bdd::label::Label::FALSE);
                    let target = buchi.component_of[edge.to.0 as usize];
                    assert!(target >= index, "components are in order: {text}");
                    let marked = match component.kind {
                        _ if target != index => Some(false),
                        ComponentKind::Rejecting => Some(false),
                        ComponentKind::Terminal | ComponentKind::Weak => Some(true),
                        ComponentKind::Strong => None,
                    };
                    assert!(marked.is_none_or(|marked| edge.marked == marked), "{text}");
                    if target == index {
                        read = labels.or(read, edge.label);
                    }
                }
                assert!(component.kind != ComponentKind::Terminal || read == puch::bdd::label::Label::TRUE, "{text}");
            }
        }
        assert_eq!(buchi.component_of.len(), buchi.states.len());
    }
}

#[test]
fn the_same_formula_gives_the_same_automaton() {
    let mut random = fastrand::Rng::with_seed(10);
    for _ in 0..50 {
        let ltl = random::formula(&mut random, 3, 8);
        let shown = || format!("{:?}", buchi(&ltl, &Passes::default()).edges);
        assert_eq!(shown(), shown());
    }
}

/// An eventuality beside a fairness property that implies it: without it, nobody would watch its promise.
#[test]
fn a_promise_is_watched_although_fairness_implies_it() {
    let ltl = shared::formula("G F (p & F q)");
    for passes in
        [NOTHING, Passes::default(), Passes { rules: Rules { eventual: Switch::Off, ..Rules::default() }, ..NOTHING }]
    {
        assert!(!buchi_accepts(&buchi(&ltl, &passes), &Lasso { letters: vec![1], back: 0 }));
    }
}

#[test]
fn limits_stop_a_translation() {
    // (p_n U (p_{n-1} U …)) under G and negations: far too large.
    let text: Vec<String> = (0..14).map(|i| format!("(G F p{i} -> F (q{i} & X F r{i}))")).collect();
    let ltl = shared::formula(&text.join(" & "));
    let soon = std::time::Instant::now() + std::time::Duration::from_millis(200);
    let began = std::time::Instant::now();
    let timeout = translate(&ltl, &Passes::default(), &Limits { deadline: Some(soon), ..Limits::NONE });
    assert_eq!(timeout.err(), Some(Stop::Timeout));
    assert!(began.elapsed().as_secs_f64() < 2.0, "{:?}", began.elapsed());
    let memory = translate(&ltl, &Passes::default(), &Limits { memory: Some(1 << 22), ..Limits::NONE });
    assert_eq!(memory.err(), Some(Stop::Memory));
}
