//! What the interface does not show: tables that shrink again, limits that hold in the middle of an operation.

use std::time::{Duration, Instant};

use super::*;

/// The bits in the order in which they are numbered, three copies each.
fn plain(bits: u32) -> Universe {
    Universe { bits, order: (0..bits).map(Bit).collect(), ..Universe::default() }
}

const SMALL: Limits = Limits { memory: Some(64 << 20), ..Limits::NONE };
const ENGINES: [EngineKind; 2] = [EngineKind::Biodivine, EngineKind::Shared];

fn space(bits: u32, engine: EngineKind) -> Space {
    Space::new(plain(bits), engine, &SMALL, None).unwrap()
}

/// ⋀ xᵢ ↔ xᵢ₊ₙ for these i, where the order has all xᵢ above all xᵢ₊ₙ: 3·2ᵏ − 3 nodes for k of them.
fn far_equalities(space: &Space, n: u32, mut bits: std::ops::Range<u32>) -> Result<Relation, Stop> {
    bits.try_fold(space.top(), |all, bit| {
        let [x, y] = [bit, bit + n].map(|bit| space.literal((Bit(bit), At::Now), true));
        space.and(&all, &space.iff(&x?, &y?)?)
    })
}

/// Two small relations whose conjunction is about as large as the product of their sizes.
fn explosive(space: &Space, n: u32) -> Result<(Relation, Relation), Stop> {
    Ok((far_equalities(space, n, 0..n / 2)?, far_equalities(space, n, n / 2..n)?))
}

#[test]
fn what_is_remembered_is_no_work() {
    let space = space(20, EngineKind::Biodivine);
    let (a, b) = explosive(&space, 10).unwrap();
    let gone = space.vars([(Bit(3), At::Now)]);
    let rename = space.renaming((0..20).map(|bit| (Bit(bit), At::Now, At::Next)));
    let all = || {
        [
            space.and(&a, &b).unwrap(),
            space.and(&b, &a).unwrap(),
            space.or(&a, &b).unwrap(),
            space.and_not(&a, &b).unwrap(),
            space.not(&a).unwrap(),
            space.and_exists_rename(&a, &b, gone, rename).unwrap(),
            space.rename(&a, rename).unwrap(),
            space.exists(&a, gone).unwrap(),
        ]
    };
    let first = all();
    let work = space.work();
    assert_eq!(all(), first);
    assert_eq!(space.work(), work);
}

#[test]
fn trivial_operations_are_no_work() {
    for engine in ENGINES {
        let space = space(20, engine);
        let (a, _) = explosive(&space, 10).unwrap();
        let (top, bottom) = (space.top(), space.bottom());
        let work = space.work();
        assert_eq!(space.and(&a, &a).unwrap(), a);
        assert_eq!(space.or(&a, &bottom).unwrap(), a);
        assert_eq!(space.or(&top, &a).unwrap(), top);
        assert_eq!(space.and(&top, &a).unwrap(), a);
        assert_eq!(space.and_not(&a, &a).unwrap(), bottom);
        assert_eq!(space.and_not(&bottom, &a).unwrap(), bottom);
        assert_eq!(space.iff(&a, &top).unwrap(), a);
        assert_eq!(space.xor(&a, &a).unwrap(), bottom);
        assert_eq!(space.ite(&a, &top, &bottom).unwrap(), a);
        assert!(space.subset(&a, &a).unwrap() && space.subset(&bottom, &a).unwrap());
        assert_eq!(space.work(), work, "{engine:?}");
    }
}

#[test]
fn relations_that_nobody_holds_are_forgotten() {
    let space = space(16, EngineKind::Biodivine);
    let Engine::Biodivine(engine) = &space.engine else { unreachable!() };
    for number in 0..50_000u32 {
        let values: Vec<_> = (0..16).map(|bit| ((Bit(bit), At::Now), number >> bit & 1 == 1)).collect();
        let cube = space.cube(&values).unwrap();
        assert_eq!(cube, space.cube(&values).unwrap());
    }
    assert_eq!(space.live_nodes(), 0);
    assert!(engine.table_len() <= 1 << 11, "{} entries", engine.table_len());
    assert_eq!(space.peak_nodes(), 16);
}

#[test]
fn what_is_held_stays_when_the_rest_is_collected() {
    let space = space(24, EngineKind::Shared);
    let held = |space: &Space| far_equalities(space, 12, 0..10).unwrap();
    let (kept, count) = (held(&space), 3 * (1 << 10) - 3);
    let (mut stored, mut collections) = (0, 0);
    for number in 0..1_200u32 {
        let literal = space.literal((Bit(number % 24), [At::Next, At::Entry][number as usize / 24 % 2]), true).unwrap();
        let copy = [At::Next, At::Entry][number as usize % 2];
        let moved = space.rename(&kept, space.renaming((0..24).map(|bit| (Bit(bit), At::Now, copy)))).unwrap();
        assert_eq!(space.and_not(&space.and(&moved, &literal).unwrap(), &moved).unwrap(), space.bottom());
        let other = far_equalities(&space, 12, number % 9..12).unwrap();
        // What was known of relations is not said of others that have their nodes now.
        let pairs = 12 - number % 9;
        assert_eq!((space.size(&other), space.support(&other).len()), (3 * (1 << pairs) - 3, 2 * pairs as usize));
        // Beyond a thousand nodes nobody looks which is the smaller one.
        assert_eq!(*space.smaller(&kept, &other) == other, pairs <= 8, "{pairs}");
        drop(space.xor(&other, &space.and(&kept, &literal).unwrap()).unwrap());
        collections += usize::from(space.live_nodes() < stored);
        stored = space.live_nodes();
    }
    assert!(collections > 1, "{collections} collections");
    assert!(space.peak_nodes() < 1 << 18, "{} nodes", space.peak_nodes());
    assert_eq!(space.size(&kept), count);
    assert_eq!(kept, held(&space));
}

#[test]
fn columns_that_are_in_the_way_on_one_side_only_do_not_hinder_a_renaming() {
    for engine in ENGINES {
        let space = space(4, engine);
        let [g, x, y, z] = [(0, At::Now), (1, At::Now), (1, At::Next), (2, At::Now)]
            .map(|(bit, at)| space.literal((Bit(bit), at), true).unwrap());
        // Whatever x and y are, some g fits.
        let fits = space.iff(&g, &space.xor(&x, &y).unwrap()).unwrap();
        let (gone, moved) = (space.vars([(Bit(0), At::Now)]), space.renaming([(Bit(1), At::Now, At::Next)]));
        assert_eq!(space.and_exists_rename(&fits, &z, gone, moved).unwrap(), z, "{engine:?}");
        let one = space.and(&fits, &space.not(&y).unwrap()).unwrap();
        let gone = space.vars([(Bit(0), At::Now), (Bit(1), At::Next)]);
        let found = space.and_exists_rename(&one, &space.or(&x, &z).unwrap(), gone, moved).unwrap();
        assert_eq!(found, space.or(&y, &z).unwrap(), "{engine:?}");
    }
}

#[test]
fn results_kept_for_the_memo_are_bounded() {
    // A sixteenth of the memory may be kept: 64 KiB.
    let limits = Limits { memory: Some(1 << 20), ..Limits::NONE };
    let space = Space::new(plain(16), EngineKind::Biodivine, &limits, None).unwrap();
    let odd = space.literal((Bit(0), At::Next), true).unwrap();
    for number in 0..5_000u32 {
        let values: Vec<_> = (0..16).map(|bit| ((Bit(bit), At::Now), number >> bit & 1 == 1)).collect();
        space.and(&odd, &space.cube(&values).unwrap()).unwrap();
    }
    // 17 nodes each: 372 bytes.
    assert!(space.live_nodes() <= 17 * ((1 << 16) / 360 + 1), "{} nodes", space.live_nodes());
}

#[test]
fn work_runs_out_inside_an_operation_and_always_at_the_same_place() {
    let run = || {
        let space = Space::new(plain(48), EngineKind::Biodivine, &Limits::default(), Some(300_000)).unwrap();
        let (a, b) = explosive(&space, 24).unwrap();
        let gone = space.vars([(Bit(0), At::Now)]);
        assert_eq!(space.and_exists(&a, &b, gone).err(), Some(Stop::Work));
        space.work()
    };
    let work = run();
    assert!((300_000..400_000).contains(&work), "{work}");
    assert_eq!(work, run());
}

#[test]
fn memory_runs_out_inside_an_operation_and_the_space_lives_on() {
    for engine in ENGINES {
        let limits = Limits { memory: Some(12 << 20), ..Limits::NONE };
        let space = Space::new(plain(40), engine, &limits, None).unwrap();
        let (a, b) = explosive(&space, 20).unwrap();
        let live = space.live_nodes();
        assert_eq!(space.and(&a, &b).err(), Some(Stop::Memory), "{engine:?}");
        let gone = space.vars([(Bit(0), At::Now), (Bit(9), At::Now)]);
        assert_eq!(space.and_exists(&a, &b, gone).err(), Some(Stop::Memory), "{engine:?}");
        let both = space.ite(&a, &b, &space.not(&b).unwrap());
        assert_eq!(both.err(), Some(Stop::Memory), "{engine:?}");
        if engine == EngineKind::Biodivine {
            assert!(space.live_nodes() <= 2 * live);
        }
        assert!(space.subset(&space.exists(&a, gone).unwrap(), &space.top()).unwrap());
        assert_eq!(space.not(&space.not(&a).unwrap()).unwrap(), a, "{engine:?}");
    }
}

#[test]
fn relations_that_are_held_count_as_memory() {
    let limits = Limits { memory: Some(4 << 20), ..Limits::NONE };
    let space = Space::new(plain(32), EngineKind::Biodivine, &limits, None).unwrap();
    let big = far_equalities(&space, 16, 0..12).unwrap();
    let mut held = Vec::new();
    let stop = (0..16).find_map(|bit| match space.and(&big, &space.literal((Bit(bit), At::Next), true).unwrap()) {
        Ok(relation) => {
            held.push(relation);
            None
        }
        Err(stop) => Some(stop),
    });
    // Each holds 12,285 nodes, 147 KB; 28 of them fill 4 MiB, and the memo is there too.
    assert_eq!(stop.or_else(|| fill(&space, &mut held)), Some(Stop::Memory));
}

fn fill(space: &Space, held: &mut Vec<Relation>) -> Option<Stop> {
    for round in 0..64 {
        let literal = space.literal((Bit(round % 32), At::Entry), round % 2 == 0).unwrap();
        match space.and(&held[round as usize % held.len()].clone(), &literal) {
            Ok(relation) => held.push(relation),
            Err(stop) => return Some(stop),
        }
        if let Err(stop) = space.check() {
            return Some(stop);
        }
    }
    None
}

#[test]
fn time_runs_out_inside_an_operation() {
    for engine in ENGINES {
        let deadline = Instant::now() + Duration::from_millis(300);
        let limits = Limits { deadline: Some(deadline), memory: Some(1 << 30), ..Limits::NONE };
        let space = Space::new(plain(64), engine, &limits, None).unwrap();
        // To fill the memory takes longer on any machine.
        let result = explosive(&space, 32).and_then(|(a, b)| space.and(&a, &b));
        assert_eq!(result.err(), Some(Stop::Timeout), "{engine:?}");
        // Leave room for a machine that is busy.
        assert!(Instant::now() < deadline + Duration::from_secs(20), "{engine:?}");
    }
}

#[test]
fn a_passed_deadline_stops_even_what_is_remembered() {
    for engine in ENGINES {
        let limits = Limits {
            deadline: Some(Instant::now() + Duration::from_millis(50)),
            memory: Some(64 << 20),
            ..Limits::NONE
        };
        let space = Space::new(plain(4), engine, &limits, None).unwrap();
        let literal = |bit| space.literal((Bit(bit), At::Now), true);
        let mut both = space.top();
        let stopped = loop {
            match literal(0).and_then(|a| space.and(&a, &literal(1)?)) {
                Ok(relation) => both = relation,
                Err(stop) => break Some(stop),
            }
        };
        assert_ne!(both, space.top());
        assert_eq!(stopped, Some(Stop::Timeout), "{engine:?}");
    }
}

#[test]
fn wide_universes_do_not_exhaust_the_stack() {
    for engine in ENGINES {
        let space = space(20_000, engine);
        let identity = space.identity((0..20_000).map(Bit), At::Now, At::Next).unwrap();
        assert_eq!(space.size(&identity), 60_000, "{engine:?}");
        let shift =
            space.renaming((0..20_000).flat_map(|b| [(Bit(b), At::Now, At::Next), (Bit(b), At::Next, At::Entry)]));
        let shifted = space.rename(&identity, shift).unwrap();
        let gone = space.vars((0..20_000).map(|bit| (Bit(bit), At::Next)));
        let composed = space.and_exists(&identity, &shifted, gone).unwrap();
        assert_eq!(composed, space.identity((0..20_000).map(Bit), At::Now, At::Entry).unwrap(), "{engine:?}");
        let over = space.vars((0..20_000).flat_map(|bit| [(Bit(bit), At::Now), (Bit(bit), At::Next)]));
        assert_eq!(space.pick(&identity, over).unwrap().len(), 40_000);
        assert!(space.count(&identity, over).is_infinite());
        assert_eq!(space.count_exact(&identity, over), num_bigint::BigUint::from(1u8) << 20_000);
    }
}

#[test]
fn small_operations_are_no_reason_to_change_the_engine() {
    let space = Space::new(plain(16), EngineKind::Biodivine, &Limits::default(), Some(10_000)).unwrap();
    let odd = space.literal((Bit(0), At::Next), true).unwrap();
    for number in 0..20_000u32 {
        let values: Vec<_> = (0..16).map(|bit| ((Bit(bit), At::Now), number >> bit & 1 == 1)).collect();
        space.and(&odd, &space.cube(&values).unwrap()).unwrap();
    }
    assert!(space.work() > 100_000, "{}", space.work());
}

/// Some relation over the three copies of so many bits, the same for the same number in every space.
fn some_relation(space: &Space, bits: u32, number: u64) -> Relation {
    let mut choices = Choices::new(number);
    let mut choose = |of: u32| (0..5).fold(0, |n, _| 2 * n + u32::from(choices.decide())) % of;
    let mut all = space.bottom();
    for _ in 0..6 {
        let mut one = space.top();
        for _ in 0..4 {
            let at = [At::Now, At::Next, At::Entry][choose(3) as usize];
            let literal = space.literal((Bit(choose(bits)), at), choose(2) == 0).unwrap();
            one = if choose(3) == 0 { space.xor(&one, &literal) } else { space.and(&one, &literal) }.unwrap();
        }
        all = space.or(&all, &one).unwrap();
    }
    all
}

#[test]
fn sifting_brings_together_what_is_equal() {
    for engine in ENGINES {
        let space = space(16, engine);
        let far = far_equalities(&space, 8, 0..8).unwrap();
        let sifted = space.sifted(&[&far], u64::MAX);
        assert_eq!((sifted.before, sifted.after), (3 * (1 << 8) - 3, 3 * 8));
        assert!(sifted.order.chunks(2).all(|pair| pair[0].0.abs_diff(pair[1].0) == 8), "{:?}", sifted.order);
    }
}

#[test]
fn relations_have_as_many_nodes_in_the_order_that_sifting_finds_as_it_says() {
    for number in 0..200 {
        for worth in [0, 40, u64::MAX] {
            let first = space(7, EngineKind::Biodivine);
            let relation = some_relation(&first, 7, number);
            let sifted = first.sifted(&[&relation], worth);
            let mut bits = sifted.order.clone();
            bits.sort_unstable();
            assert_eq!(bits, plain(7).order);
            assert_eq!(first.size(&relation), sifted.before);
            assert!(sifted.after <= sifted.before);
            let universe = Universe { order: sifted.order, ..plain(7) };
            let second = Space::new(universe, EngineKind::Biodivine, &SMALL, None).unwrap();
            assert_eq!(second.size(&some_relation(&second, 7, number)), sifted.after, "relation {number}");
        }
    }
}
