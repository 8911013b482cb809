//! The BDD layer against truth tables, and its engines against each other.

extern crate puch_engine as puch;

use std::collections::{BTreeSet, HashMap};

use puch::bdd::{At, Bit, Column, Decision, EngineKind, Relation, Renaming, Space, Universe, Vars};
use puch::limits::{Limits, Stop};

/// Disjoint cubes that together are the relation: the paths of the BDD to ⊤, false before true from the root downwards.
fn clauses(space: &Space, a: &Relation) -> impl Iterator<Item = Vec<(Column, bool)>> {
    let decisions = space.decisions(a);
    let root = if decisions.is_empty() { u32::from(*a == space.top()) } else { decisions.len() as u32 + 1 };
    let mut open = vec![(root, Vec::new())];
    std::iter::from_fn(move || {
        while let Some((node, path)) = open.pop() {
            match node {
                0 => {}
                1 => return Some(path),
                inner => {
                    let Decision { column, low, high } = decisions[inner as usize - 2];
                    let with = |value| path.iter().copied().chain([(column, value)]).collect();
                    open.extend([(high, with(true)), (low, with(false))]);
                }
            }
        }
        None
    })
}

/// Whether the relation is true of these values, all columns of the space.
fn contains(space: &Space, a: &Relation, values: &[(Column, bool)]) -> bool {
    clauses(space, a).any(|clause| clause.iter().all(|literal| values.contains(literal)))
}

/// The bits in the order in which they are numbered, three copies each.
fn plain(bits: u32) -> Universe {
    Universe { bits, order: (0..bits).map(Bit).collect(), ..Universe::default() }
}

const ENGINES: [EngineKind; 2] = [EngineKind::Biodivine, EngineKind::Shared];
/// Little memory makes small tables, so that spaces are made quickly.
const LIMITS: Limits = Limits { memory: Some(32 << 20), ..Limits::NONE };

const COPIES: [At; 4] = [At::Now, At::Next, At::Entry, At::Saved];

/// A generator of random numbers: xorshift, the same on every machine.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 11
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }
}

fn random_universe(random: &mut Random, bits: u32) -> Universe {
    let mut universe = plain(bits);
    for i in (1..universe.order.len()).rev() {
        universe.order.swap(i, random.below(i + 1));
    }
    universe.saved.extend(Some(Bit(random.below(bits as usize) as u32)).filter(|_| random.coin()));
    universe
}

/// The columns of a universe from the root downwards.
fn levels(universe: &Universe) -> Vec<Column> {
    let copies = |bit: &Bit| if universe.saved.contains(bit) { 4 } else { 3 };
    universe.order.iter().flat_map(|bit| COPIES[..copies(bit)].iter().map(|&at| (*bit, at))).collect()
}

/// The oracle: one value for each valuation of the columns, the topmost column most significant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Table(Vec<bool>);

struct Oracle {
    columns: Vec<Column>,
}

impl Oracle {
    fn place(&self, column: Column) -> usize {
        self.columns.iter().position(|&other| other == column).expect("a column of the universe")
    }

    fn mask(&self, column: Column) -> usize {
        1 << (self.columns.len() - 1 - self.place(column))
    }

    fn table(&self, value: impl Fn(usize) -> bool) -> Table {
        Table((0..1 << self.columns.len()).map(value).collect())
    }

    fn exists(&self, a: &Table, gone: &[Column]) -> Table {
        gone.iter().fold(a.clone(), |a, &column| {
            let mask = self.mask(column);
            self.table(|v| a.0[v | mask] || a.0[v & !mask])
        })
    }

    fn support(&self, a: &Table) -> Vec<Column> {
        let depends = |&column: &Column| {
            let mask = self.mask(column);
            (0..a.0.len()).any(|v| a.0[v | mask] != a.0[v & !mask])
        };
        self.columns.iter().copied().filter(depends).collect()
    }

    /// Is the renaming strictly increasing on the copies of each bit in the support?
    fn renamable(&self, a: &Table, moves: &HashMap<Column, At>) -> bool {
        let target = |(bit, at): Column| (bit, moves.get(&(bit, at)).copied().unwrap_or(at));
        let places: Vec<usize> = self.support(a).into_iter().map(|column| self.place(target(column))).collect();
        places.is_sorted_by(|x, y| x < y)
    }

    fn rename(&self, a: &Table, moves: &HashMap<Column, At>) -> Table {
        let support = self.support(a);
        self.table(|v| {
            let before = support.iter().fold(0, |before, &(bit, at)| {
                let to = moves.get(&(bit, at)).copied().unwrap_or(at);
                before | if v & self.mask((bit, to)) != 0 { self.mask((bit, at)) } else { 0 }
            });
            a.0[before]
        })
    }

    /// Inner nodes of the reduced BDD: distinct subfunctions that depend on their first column.
    fn size(&self, a: &Table) -> usize {
        (0..self.columns.len())
            .map(|depth| {
                let subfunctions: BTreeSet<&[bool]> = a.0.chunks(a.0.len() >> depth).collect();
                subfunctions.into_iter().filter(|f| f[..f.len() / 2] != f[f.len() / 2..]).count()
            })
            .sum()
    }

    fn values(&self, valuation: usize) -> Vec<(Column, bool)> {
        self.columns.iter().map(|&column| (column, valuation & self.mask(column) != 0)).collect()
    }
}

fn random_columns(random: &mut Random, columns: &[Column]) -> Vec<Column> {
    let rarity = 1 + random.below(4);
    columns.iter().copied().filter(|_| random.below(rarity) == 0).collect()
}

fn random_moves(random: &mut Random, universe: &Universe) -> Vec<(Bit, At, At)> {
    let rarity = 1 + random.below(3);
    let mut moves = Vec::new();
    for &bit in &universe.order {
        let copies = &COPIES[..if universe.saved.contains(&bit) { 4 } else { 3 }];
        if random.below(rarity) == 0 {
            for &from in copies {
                if random.coin() {
                    moves.push((bit, from, copies[random.below(copies.len())]));
                }
            }
        }
    }
    moves
}

/// Everything that can be asked of a relation, against its table.
fn assert_is(space: &Space, oracle: &Oracle, relation: &Relation, table: &Table, context: &str) {
    let all = space.vars(oracle.columns.iter().copied());
    for (valuation, &value) in table.0.iter().enumerate() {
        assert_eq!(contains(space, relation, &oracle.values(valuation)), value, "{context}: at {valuation:b}");
    }
    let count = table.0.iter().filter(|&&value| value).count();
    assert_eq!(space.count(relation, all), count as f64, "{context}: count");
    assert_eq!(space.count_exact(relation, all), count.into(), "{context}: exact count");
    assert_eq!(space.is_empty(relation), count == 0, "{context}: empty");
    assert_eq!(space.is_full(relation), count == table.0.len(), "{context}: full");
    assert_eq!(space.size(relation), oracle.size(table), "{context}: size");
    let mut support = oracle.support(table);
    let over_support = space.vars(support.iter().copied());
    let narrow = count >> (oracle.columns.len() - support.len());
    assert_eq!(space.count(relation, over_support), narrow as f64, "{context}: count over the support");
    support.sort();
    assert_eq!(space.support(relation), support, "{context}: support");
    let least = table.0.iter().position(|&value| value).map(|valuation| {
        let mut values = oracle.values(valuation);
        values.sort();
        values
    });
    assert_eq!(space.pick(relation, all), least, "{context}: pick");
    let mut covered = vec![false; table.0.len()];
    for clause in clauses(space, relation) {
        for (valuation, seen) in covered.iter_mut().enumerate() {
            if clause.iter().all(|&(column, value)| (valuation & oracle.mask(column) != 0) == value) {
                assert!(!std::mem::replace(seen, true), "{context}: clauses overlap");
            }
        }
    }
    assert_eq!(covered, table.0, "{context}: clauses");
}

#[test]
fn random_operations_agree_with_truth_tables_on_every_engine() {
    for seed in 0..16 {
        let mut random = Random::new(seed);
        let universe = random_universe(&mut random, 3);
        let oracle = Oracle { columns: levels(&universe) };
        let spaces = ENGINES.map(|engine| Space::new(universe.clone(), engine, &LIMITS, None).unwrap());
        let mut pool: Vec<([Relation; 2], Table)> = Vec::new();
        for &column in &oracle.columns {
            let mask = oracle.mask(column);
            let made = spaces.each_ref().map(|space| space.literal(column, true).unwrap());
            pool.push((made, oracle.table(|v| v & mask != 0)));
        }
        pool.push((spaces.each_ref().map(|space| space.top()), oracle.table(|_| true)));
        pool.push((spaces.each_ref().map(|space| space.bottom()), oracle.table(|_| false)));
        for step in 0..150 {
            let [a, b, c] = std::array::from_fn(|_| pool[random.below(pool.len())].clone());
            let gone = random_columns(&mut random, &oracle.columns);
            let moves = random_moves(&mut random, &universe);
            let moved: HashMap<Column, At> = moves.iter().map(|&(bit, from, to)| ((bit, from), to)).collect();
            let operation = random.below(13);
            let zip = |f: fn(bool, bool) -> bool| oracle.table(|v| f(a.1.0[v], b.1.0[v]));
            let both = zip(|a, b| a && b);
            let table = match operation {
                0 => both.clone(),
                1 => zip(|a, b| a || b),
                2 => zip(|a, b| a && !b),
                3 => zip(|a, b| a == b),
                4 => zip(|a, b| a != b),
                5 => oracle.table(|v| !a.1.0[v]),
                6 => oracle.table(|v| if c.1.0[v] { a.1.0[v] } else { b.1.0[v] }),
                7 => oracle.exists(&a.1, &gone),
                8 => oracle.exists(&both, &gone),
                9 | 10 => {
                    let before = oracle.exists(&both, &gone);
                    if !oracle.renamable(&before, &moved) {
                        continue;
                    }
                    oracle.rename(&before, &moved)
                }
                11 => {
                    if !oracle.renamable(&a.1, &moved) {
                        continue;
                    }
                    oracle.rename(&a.1, &moved)
                }
                _ => oracle.table(|v| random_cube(&gone, step).iter().all(|&(c, x)| (v & oracle.mask(c) != 0) == x)),
            };
            let context = format!("seed {seed}, step {step}, operation {operation}");
            let made: [Relation; 2] = std::array::from_fn(|engine| {
                let (space, a, b, c) = (&spaces[engine], &a.0[engine], &b.0[engine], &c.0[engine]);
                let (vars, renaming) = (space.vars(gone.iter().copied()), space.renaming(moves.iter().copied()));
                let result = match operation {
                    0 => space.and(a, b),
                    1 => space.or(a, b),
                    2 => space.and_not(a, b),
                    3 => space.iff(a, b),
                    4 => space.xor(a, b),
                    5 => space.not(a),
                    6 => space.ite(c, a, b),
                    7 => space.exists(a, vars),
                    8 => space.and_exists(a, b, vars),
                    9 | 10 => space.and_exists_rename(a, b, vars, renaming),
                    11 => space.rename(a, renaming),
                    _ => space.cube(&random_cube(&gone, step)),
                }
                .unwrap_or_else(|stop| panic!("{context}: {stop}"));
                assert_is(space, &oracle, &result, &table, &format!("{context}, {:?}", ENGINES[engine]));
                let (below, above) = (&pool[0].0[engine], &result);
                let inside = pool[0].1.0.iter().zip(&table.0).all(|(a, b)| !a || *b);
                assert_eq!(space.subset(below, above).unwrap(), inside, "{context}: subset");
                for (other, known) in &pool {
                    assert_eq!(other[engine] == result, *known == table, "{context}: equality is identity");
                }
                result
            });
            let paths = |engine: usize| clauses(&spaces[engine], &made[engine]).collect::<Vec<_>>();
            assert_eq!(paths(0), paths(1), "{context}: clauses in one order");
            pool.push((made, table));
        }
    }
}

fn random_cube(columns: &[Column], seed: usize) -> Vec<(Column, bool)> {
    columns.iter().enumerate().map(|(i, &column)| (column, (seed >> (i % 7)) & 1 == 1)).collect()
}

/// A random relation over these columns: some cubes, united.
fn random_relation(space: &Space, random: &mut Random, columns: &[Column], cubes: usize) -> Relation {
    (0..cubes).fold(space.bottom(), |sum, _| {
        let cube: Vec<(Column, bool)> = columns
            .iter()
            .flat_map(|&column| if random.below(3) > 0 { Some((column, random.coin())) } else { None })
            .collect();
        space.or(&sum, &space.cube(&cube).unwrap()).unwrap()
    })
}

#[test]
fn laws_hold_on_wider_universes() {
    for engine in ENGINES {
        for seed in 0..20 {
            let mut random = Random::new(1000 + seed);
            let universe = random_universe(&mut random, 12);
            let columns: Vec<Column> = levels(&universe).into_iter().filter(|(_, at)| *at != At::Saved).collect();
            let space = Space::new(universe, engine, &LIMITS, None).unwrap();
            let a = random_relation(&space, &mut random, &columns, 12);
            let b = random_relation(&space, &mut random, &columns, 12);
            let gone = space.vars(columns.iter().copied().filter(|(_, at)| *at == At::Next));
            let back = space.renaming((0..12).map(|bit| (Bit(bit), At::Entry, At::Next)));
            let shift =
                space.renaming((0..12).flat_map(|b| [(Bit(b), At::Now, At::Next), (Bit(b), At::Next, At::Entry)]));
            let (or, and) = (space.or(&a, &b).unwrap(), space.and(&a, &b).unwrap());
            let context = format!("{engine:?}, seed {seed}");

            let exists = |a: &Relation| space.exists(a, gone).unwrap();
            assert_eq!(exists(&or), space.or(&exists(&a), &exists(&b)).unwrap(), "{context}: ∃ over ∨");
            assert_eq!(exists(&and), space.and_exists(&a, &b, gone).unwrap(), "{context}: fused ∃");
            assert!(space.subset(&exists(&and), &exists(&a)).unwrap(), "{context}: ∃ is monotone");
            assert_eq!(
                space.and_exists_rename(&a, &b, gone, back).unwrap(),
                space.rename(&exists(&and), back).unwrap(),
                "{context}: fused rename"
            );
            assert!(space.and_not(&and, &a).unwrap() == space.bottom(), "{context}: ∧ ⊆");
            assert_eq!(space.subset(&a, &b).unwrap(), space.and_not(&a, &b).unwrap() == space.bottom(), "{context}");
            let pairs = space.exists(&a, space.vars(columns.iter().copied().filter(|c| c.1 == At::Entry))).unwrap();
            let shifted = space.rename(&pairs, shift).unwrap();
            let unshift =
                space.renaming((0..12).flat_map(|b| [(Bit(b), At::Next, At::Now), (Bit(b), At::Entry, At::Next)]));
            assert_eq!(space.rename(&shifted, unshift).unwrap(), pairs, "{context}: there and back");
            let identity = space.identity((0..12).map(Bit), At::Now, At::Entry).unwrap();
            let now = space.exists(&pairs, gone).unwrap();
            let moved = space.and_exists(&now, &identity, space.vars((0..12).map(|bit| (Bit(bit), At::Now)))).unwrap();
            let directly = space.renaming((0..12).map(|bit| (Bit(bit), At::Now, At::Entry)));
            assert_eq!(space.rename(&now, directly).unwrap(), moved, "{context}: identity is renaming");
        }
    }
}

#[test]
fn both_engines_give_the_same_bytes() {
    for seed in 0..10 {
        let seen = ENGINES.map(|engine| {
            let mut random = Random::new(2000 + seed);
            let universe = random_universe(&mut random, 15);
            let columns = levels(&universe);
            let space = Space::new(universe, engine, &LIMITS, None).unwrap();
            let a = random_relation(&space, &mut random, &columns, 14);
            let all = space.vars(columns.iter().copied());
            let clauses: Vec<_> = clauses(&space, &a).take(300).collect();
            (space.size(&a), space.pick(&a, all), clauses, space.count(&a, all).to_bits(), space.support(&a))
        });
        assert_eq!(seen[0], seen[1], "seed {seed}");
    }
}

#[test]
fn an_identity_is_the_conjunction_of_equalities() {
    for engine in ENGINES {
        let mut universe = plain(4);
        universe.order.reverse();
        let space = Space::new(universe, engine, &LIMITS, None).unwrap();
        for (a, b) in [(At::Now, At::Next), (At::Entry, At::Now), (At::Next, At::Entry)] {
            let expected = [3, 0, 2].into_iter().fold(space.top(), |all, bit| {
                let [x, y] = [a, b].map(|at| space.literal((Bit(bit), at), true).unwrap());
                space.and(&all, &space.iff(&x, &y).unwrap()).unwrap()
            });
            assert_eq!(space.identity([3, 0, 2, 0].map(Bit), a, b).unwrap(), expected, "{engine:?} {a:?} {b:?}");
        }
        assert_eq!(space.identity([Bit(1)], At::Next, At::Next).unwrap(), space.top());
    }
}

#[test]
fn a_cube_that_contradicts_itself_is_empty() {
    for engine in ENGINES {
        let space = Space::new(plain(2), engine, &LIMITS, None).unwrap();
        let x = (Bit(1), At::Next);
        assert_eq!(space.cube(&[(x, true), (x, false)]).unwrap(), space.bottom());
        assert_eq!(space.cube(&[(x, true), (x, true)]).unwrap(), space.literal(x, true).unwrap());
        assert_eq!(space.cube(&[]).unwrap(), space.top());
    }
}

#[test]
fn equal_sets_and_renamings_have_equal_names() {
    let space = Space::new(plain(3), EngineKind::Biodivine, &LIMITS, None).unwrap();
    let [x, y] = [(Bit(0), At::Now), (Bit(2), At::Entry)];
    assert_eq!(space.vars([x, y]), space.vars([y, x, y]));
    assert_ne!(space.vars([x]), space.vars([y]));
    assert_eq!(space.vars([]), Vars::NONE);
    assert_eq!(space.renaming([(Bit(1), At::Next, At::Next)]), Renaming::IDENTITY);
    assert_ne!(space.renaming([(Bit(1), At::Next, At::Now)]), Renaming::IDENTITY);
}

#[test]
#[should_panic(expected = "keeps the order")]
fn a_renaming_across_another_copy_is_refused() {
    let space = Space::new(plain(1), EngineKind::Biodivine, &LIMITS, None).unwrap();
    let between = space.identity([Bit(0)], At::Now, At::Next).unwrap();
    let _ = space.rename(&between, space.renaming([(Bit(0), At::Now, At::Entry)]));
}

#[test]
#[should_panic(expected = "different spaces")]
#[cfg(debug_assertions)]
fn relations_of_different_spaces_do_not_mix() {
    let [one, other] = [(); 2].map(|()| Space::new(plain(1), EngineKind::Biodivine, &LIMITS, None).unwrap());
    let _ = one.and(&one.top(), &other.literal((Bit(0), At::Now), true).unwrap());
}

#[test]
fn the_smaller_of_two_is_found() {
    for engine in ENGINES {
        let space = Space::new(plain(6), engine, &LIMITS, None).unwrap();
        let large = space.identity((0..6).map(Bit), At::Now, At::Next).unwrap();
        let small = space.identity((1..3).map(Bit), At::Now, At::Next).unwrap();
        for (a, b) in [(&large, &small), (&small, &large), (&small, &space.top()), (&large, &large)] {
            let expected = if space.size(a) <= space.size(b) { a } else { b };
            assert_eq!(space.smaller(a, b), expected, "{engine:?}");
        }
    }
}

#[test]
fn too_many_bits_are_an_answer() {
    let stopped = Space::new(plain(30_000), EngineKind::Biodivine, &LIMITS, None);
    assert_eq!(stopped.err(), Some(Stop::Width));
}
