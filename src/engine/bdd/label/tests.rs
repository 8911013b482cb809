//! Labels against truth tables.

use std::time::Instant;

use super::{Cube, Label, Labels};
use crate::limits::{Limits, Stop};

const PROPOSITIONS: u32 = 5;

/// Some function, with its truth table.
fn sample(labels: &mut Labels, random: &mut fastrand::Rng) -> (Label, u32) {
    let mut pool: Vec<(Label, u32)> = vec![(Label::TRUE, u32::MAX), (Label::FALSE, 0)];
    for p in 0..PROPOSITIONS {
        let table = (0..32).filter(|letter| letter >> p & 1 == 1).fold(0, |table, letter| table | 1 << letter);
        pool.push((labels.proposition(p), table));
    }
    for _ in 0..random.usize(0..12) {
        let (a, b, c) =
            (pool[random.usize(0..pool.len())], pool[random.usize(0..pool.len())], pool[random.usize(0..pool.len())]);
        pool.push(match random.u8(0..5) {
            0 => (labels.and(a.0, b.0), a.1 & b.1),
            1 => (labels.or(a.0, b.0), a.1 | b.1),
            2 => (labels.not(a.0), !a.1),
            3 => (labels.minus(a.0, b.0), a.1 & !b.1),
            _ => (labels.choose(a.0, b.0, c.0), a.1 & b.1 | !a.1 & c.1),
        });
    }
    pool[pool.len() - 1]
}

fn table(labels: &Labels, label: Label) -> u32 {
    (0..32).filter(|letter| labels.contains(label, |p| letter >> p & 1 == 1)).fold(0, |t, letter| t | 1 << letter)
}

#[test]
fn operations_agree_with_truth_tables_and_equal_sets_are_equal_labels() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut labels = Labels::default();
    let mut by_table = std::collections::BTreeMap::new();
    for _ in 0..3000 {
        let (label, truth) = sample(&mut labels, &mut random);
        assert_eq!(table(&labels, label), truth);
        assert_eq!(*by_table.entry(truth).or_insert(label), label);
    }
}

#[test]
fn cubes_cover_exactly_the_set_and_none_is_redundant() {
    let mut random = fastrand::Rng::with_seed(2);
    let mut labels = Labels::default();
    for _ in 0..1000 {
        let (label, truth) = sample(&mut labels, &mut random);
        let cubes = labels.cubes(label);
        let holds = |cube: &Cube, letter: u32| cube.iter().all(|(p, value)| (letter >> p & 1 == 1) == *value);
        let cover = |skip: Option<usize>| {
            let rest = || cubes.iter().enumerate().filter(|(i, _)| Some(*i) != skip);
            (0..32).filter(|letter| rest().any(|(_, cube)| holds(cube, *letter))).fold(0, |t: u32, l| t | 1 << l)
        };
        assert_eq!(cover(None), truth);
        for i in 0..cubes.len() {
            assert_ne!(cover(Some(i)), truth, "{cubes:?}");
        }
        assert_eq!(labels.letter(label).is_some(), truth != 0);
    }
}

#[test]
fn implicants_are_the_least_choices_letter_by_letter() {
    let mut random = fastrand::Rng::with_seed(3);
    let mut labels = Labels::default();
    for _ in 0..1000 {
        let (mut label, _) = sample(&mut labels, &mut random);
        let monotone: u32 = random.u32(0..1 << PROPOSITIONS);
        let is_monotone = |p: u32| monotone >> p & 1 == 1;
        for p in (0..PROPOSITIONS).filter(|p| is_monotone(*p)) {
            let (without, test) = (labels.restrict(label, |q| (q == p).then_some(false)), labels.proposition(p));
            let more = labels.and(test, without);
            label = labels.or(label, more);
        }
        let truth = table(&labels, label);
        let mut listed = std::collections::BTreeSet::new();
        for (chosen, letters) in labels.implicants(label, is_monotone) {
            assert!(labels.support(letters).iter().all(|p| !is_monotone(*p)));
            let chosen = chosen.iter().fold(0, |set: u32, p| set | 1 << p);
            let letters = (0..32).filter(|l| l & monotone == 0 && labels.contains(letters, |p| l >> p & 1 == 1));
            for letter in letters {
                assert!(listed.insert((letter, chosen)), "listed twice");
            }
        }
        for (letter, chosen) in (0..32).map(|all| (all & !monotone, all & monotone)) {
            let suffices = |chosen: u32| truth >> (letter | chosen) & 1 == 1;
            let less = (0..PROPOSITIONS).any(|p| chosen >> p & 1 == 1 && suffices(chosen & !(1 << p)));
            assert_eq!(listed.contains(&(letter, chosen)), suffices(chosen) && !less);
        }
    }
}

#[test]
fn sets_are_quantified_renamed_copied_and_written() {
    let mut labels = Labels::default();
    let (a, b) = (labels.proposition(0), labels.proposition(1));
    let c = labels.proposition(2);
    let not_b = labels.not(b);
    let both = labels.and(a, not_b);
    let label = labels.or(both, c);
    assert_eq!(labels.expression(label), "0&!1 | 2");
    assert_eq!(labels.expression(Label::TRUE), "t");
    assert_eq!(labels.expression(Label::FALSE), "f");
    assert_eq!(labels.exists(both, |p| p == 1), a);
    assert_eq!(labels.restrict(label, |p| (p == 2).then_some(false)), both);
    let swapped = labels.rename(both, |p| 1 - p);
    assert_eq!(labels.expression(swapped), "!0&1");
    let mut other = Labels::default();
    other.proposition(7);
    let copy = other.import(&labels, label);
    assert_eq!(other.expression(copy), "0&!1 | 2");
    assert_eq!(labels.diagram(both).len(), 2);
}

#[test]
fn a_diagram_of_a_hundred_thousand_levels_is_no_danger() {
    let mut labels = Labels::default();
    let mut all = Label::TRUE;
    for p in (0..100_000).rev() {
        let p = labels.proposition(p);
        all = labels.and(p, all);
    }
    let none = labels.not(all);
    assert_eq!(labels.size(none), 100_000);
    assert_eq!(labels.cubes(all).len(), 1);
}

#[test]
fn a_limit_sticks() {
    let past = Instant::now();
    let mut labels = Labels::new(&Limits { deadline: Some(past), ..Limits::NONE });
    assert_eq!(labels.check(), Ok(()));
    assert_eq!(labels.checkpoint(), Err(Stop::Timeout));
    assert_eq!(labels.check(), Err(Stop::Timeout));
    let mut labels = Labels::new(&Limits { memory: Some(0), ..Limits::NONE });
    assert_eq!(labels.checkpoint(), Err(Stop::Memory));
}
