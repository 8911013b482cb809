//! Prime implicants of a goal over given conditions: all conjunctions that imply it up to a length.
//!
//! Cubes are tried from short to long (Ball, Majumdar, Millstein and Rajamani, *Automatic predicate abstraction of C programs*, PLDI
//! 2001, §4.1); a model of the negated goal in which a cube holds answers for it, and for all other cubes that hold there,
//! without a query. Nor is one needed for cubes whose literals have nothing to do with each other or with the goal: a part of
//! such a cube decides for the whole. What was found for the first conditions of a list is not looked for again when the list has grown.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::answer::Answer;
use super::sample::Combinations;
use super::solver::Solver;
use super::term::{Term, Terms};
use super::touching::Touching;

/// A conjunction of conditions and negated ones: indices with their values, sorted by index.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cube(pub Vec<(usize, bool)>);

impl Cube {
    /// Whether it holds where the conditions have these values.
    #[cfg_attr(feature = "whole", allow(dead_code, reason = "tests compare with brute force"))]
    pub fn holds(&self, values: &[bool]) -> bool {
        self.0.iter().all(|&(at, value)| values[at] == value)
    }

    /// Whether each literal is one of the other's: the other is the stronger one.
    pub fn is_part_of(&self, other: &Cube) -> bool {
        self.0.iter().all(|literal| other.0.binary_search(literal).is_ok())
    }

    /// Its literals as conditions.
    pub fn conditions(&self, terms: &mut Terms, of: &[Term]) -> Vec<Term> {
        self.0.iter().map(|&(at, value)| if value { of[at] } else { terms.not(of[at]) }).collect()
    }
}

/// What implies a goal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Implied {
    /// Cubes that imply it, and none of whose parts does. The empty one if it always holds.
    pub cubes: Vec<Cube>,
    /// Cubes that cannot hold, and all of whose parts can.
    pub infeasible: Vec<Cube>,
}

impl Implied {
    /// Shorter ones first, and what is true before what is false.
    fn sort(&mut self) {
        let literals = |cube: &Cube| cube.0.iter().map(|&(at, value)| (at, !value)).collect::<Vec<_>>();
        for list in [&mut self.cubes, &mut self.infeasible] {
            list.sort_by_cached_key(|cube| (cube.0.len(), literals(cube)));
        }
    }
}

/// The cubes of at most `longest` conditions that imply the goal, where `context` holds. Where a query is given up, the cube is taken not
/// to imply it, and to be feasible.
#[cfg_attr(feature = "whole", allow(dead_code, reason = "tests and benches ask without a memory"))]
pub fn implied(
    solver: &mut Solver,
    terms: &mut Terms,
    conditions: &[Term],
    goal: Term,
    context: &[Term],
    longest: usize,
) -> Implied {
    Search::new(solver, terms, conditions, goal, context).implying(true, longest, &Before::default())
}

/// What is known before a search.
#[derive(Clone, Debug, Default)]
pub struct Before {
    /// Cubes that cannot hold, of any of the conditions.
    pub infeasible: Vec<Cube>,
    /// What was found for the first conditions.
    pub found: Implied,
    /// How many those are.
    pub first: usize,
}

/// So many cubes may say more than is needed.
const MAX_SURPLUS_CUBES: usize = 16;

/// The cubes of a long list without those that imply others in it, as far as pairs that cannot be show that.
pub fn weakest(cubes: &[Cube], infeasible: &[Cube]) -> Vec<Cube> {
    if cubes.len() <= MAX_SURPLUS_CUBES {
        return cubes.to_vec();
    }
    let mut follows: HashMap<(usize, bool), Vec<(usize, bool)>, FxBuildHasher> = HashMap::default();
    for cube in infeasible {
        if let &[a, b] = &cube.0[..] {
            follows.entry(a).or_default().push((b.0, !b.1));
            follows.entry(b).or_default().push((a.0, !a.1));
        }
    }
    let closed = |cube: &Cube| {
        let more = cube.0.iter().flat_map(|literal| follows.get(literal).into_iter().flatten());
        let mut all: Vec<(usize, bool)> = cube.0.iter().chain(more).copied().collect();
        all.sort_unstable();
        Cube(all)
    };
    let closed: Vec<Cube> = cubes.iter().map(closed).collect();
    let implies = |a: usize, b: usize| cubes[b].is_part_of(&closed[a]);
    // Of those that say the same the first is kept.
    let superfluous = |a: usize| (0..cubes.len()).any(|b| a != b && implies(a, b) && (b < a || !implies(b, a)));
    (0..cubes.len()).filter(|&at| !superfluous(at)).map(|at| cubes[at].clone()).collect()
}

/// Values that are tried before a search, at most.
const SAMPLES: usize = 512;

/// The same near what the solver finds.
const NEAR: usize = 64;

/// A search for cubes that imply a condition, or its negation, where a context holds.
pub struct Search<'a> {
    solver: &'a mut Solver,
    terms: &'a mut Terms,
    conditions: &'a [Term],
    goal: Term,
    context: &'a [Term],
    samples: Combinations,
    models: Models,
    /// The last of these conditions is the goal.
    touching: Touching,
}

impl<'a> Search<'a> {
    /// Nothing is searched yet, but values are tried.
    pub fn new(
        solver: &'a mut Solver,
        terms: &'a mut Terms,
        conditions: &'a [Term],
        goal: Term,
        context: &'a [Term],
    ) -> Search<'a> {
        let all = [conditions, &[goal]].concat();
        let mut models = Models::of(all.len());
        let mut samples = Combinations::new(terms, &all, context);
        samples.more(terms, SAMPLES).iter().for_each(|combination| models.add(combination));
        let touching = Touching::new(terms, &all, context);
        Search { solver, terms, conditions, goal, context, samples, models, touching }
    }

    /// The cubes of at most `longest` conditions that imply that the goal has this value.
    pub fn implying(&mut self, value: bool, longest: usize, before: &Before) -> Implied {
        let refuted = if value { self.terms.not(self.goal) } else { self.goal };
        let mut found = Found::new(self.conditions.len(), before);
        let empty = Cube::default();
        if !found.decides(&empty) && (before.first > 0 || self.is_alive(&empty, (value, refuted), &mut found)) {
            let mut alive = vec![empty];
            for _ in 0..longest {
                alive = self.longer(&alive, (value, refuted), before.first, &mut found);
            }
        }
        let mut found = found.implied;
        found.sort();
        found
    }

    /// The cubes with one condition more, of higher index, that neither imply the goal nor contain what does.
    fn longer(&mut self, shorter: &[Cube], goal: (bool, Term), first: usize, found: &mut Found) -> Vec<Cube> {
        let mut alive = Vec::new();
        for cube in shorter {
            if self.solver.is_stopped() {
                // Nothing more is found.
                break;
            }
            let next = cube.0.last().map_or(0, |&(at, _)| at + 1);
            for at in next..self.conditions.len() {
                for value in [true, false] {
                    let mut longer = cube.clone();
                    longer.0.push((at, value));
                    if !found.decides(&longer) && (at < first || self.is_alive(&longer, goal, found)) {
                        alive.push(longer);
                    }
                }
            }
        }
        alive
    }

    /// Whether the goal may be false where the cube holds; if not, it is filed.
    fn is_alive(&mut self, cube: &Cube, (value, refuted): (bool, Term), found: &mut Found) -> bool {
        if !self.is_one(cube) || self.models.shows(cube, (self.conditions.len(), !value)) {
            return true;
        }
        let mut query = self.context.to_vec();
        query.extend(cube.conditions(self.terms, self.conditions));
        let without_goal = query.len();
        query.push(refuted);
        match self.solver.check_combination(self.terms, &query) {
            Answer::Sat(model) => {
                let all = [self.conditions, &[self.goal]].concat();
                self.models.add(&model.truths(self.terms, &all));
                let near = self.samples.around(self.terms, &|number| model.variable(number), NEAR);
                near.iter().for_each(|combination| self.models.add(combination));
                return true;
            }
            Answer::Unknown => return true,
            Answer::Unsat(core) => {
                let infeasible =
                    !core.contains(&without_goal) || self.is_infeasible(cube, value, &query[..without_goal]);
                found.add(cube.clone(), infeasible);
            }
        }
        false
    }

    /// Whether a cube that implies the goal implies everything.
    fn is_infeasible(&mut self, cube: &Cube, value: bool, query: &[Term]) -> bool {
        !self.models.shows(cube, (self.conditions.len(), value))
            && self.solver.check_combination(self.terms, query).is_unsat()
    }

    /// Whether all parts of a cube have to do with each other, or all with the goal: of others, a part decides.
    fn is_one(&self, cube: &Cube) -> bool {
        let mut parts: Vec<usize> = cube.0.iter().map(|&(at, _)| at).collect();
        self.touching.is_connected(&parts) || {
            parts.push(self.conditions.len());
            self.touching.is_connected(&parts)
        }
    }
}

/// What was found, and by which cubes that a longer one may have, sorted by their last literals.
struct Found {
    implied: Implied,
    by_last: Vec<[Vec<Cube>; 2]>,
    always: bool,
}

impl Found {
    fn new(conditions: usize, before: &Before) -> Found {
        let by_last = (0..conditions).map(|_| [Vec::new(), Vec::new()]).collect();
        let mut found = Found { implied: before.found.clone(), by_last, always: false };
        for cube in before.infeasible.iter().chain(&before.found.cubes).chain(&before.found.infeasible) {
            found.file(cube);
        }
        found
    }

    fn file(&mut self, cube: &Cube) {
        match cube.0.last() {
            Some(&(at, value)) => self.by_last[at][usize::from(value)].push(cube.clone()),
            None => self.always = true,
        }
    }

    fn add(&mut self, cube: Cube, infeasible: bool) {
        self.file(&cube);
        if infeasible { self.implied.infeasible.push(cube) } else { self.implied.cubes.push(cube) }
    }

    /// Whether a cube contains what decides, if the cube without its last literal does not.
    fn decides(&self, cube: &Cube) -> bool {
        let last = cube.0.last();
        self.always
            || last.is_some_and(|&(at, value)| {
                self.by_last[at][usize::from(value)].iter().any(|part| part.is_part_of(cube))
            })
    }
}

/// Values of conditions in models: for each condition and value the models that have it, as rows of bits.
struct Models {
    rows: Vec<[Vec<u64>; 2]>,
    count: usize,
}

impl Models {
    fn of(conditions: usize) -> Models {
        Models { rows: (0..conditions).map(|_| [Vec::new(), Vec::new()]).collect(), count: 0 }
    }

    fn add(&mut self, values: &[bool]) {
        let (word, bit) = (self.count / 64, 1 << (self.count % 64));
        for (row, &value) in self.rows.iter_mut().zip(values) {
            for side in row.iter_mut() {
                side.resize(word + 1, 0);
            }
            row[usize::from(value)][word] |= bit;
        }
        self.count += 1;
    }

    /// Whether the cube, and one literal more, hold in one of them.
    fn shows(&self, cube: &Cube, also: (usize, bool)) -> bool {
        let row = |(at, value): (usize, bool)| &self.rows[at][usize::from(value)];
        let all = |word: usize| cube.0.iter().fold(row(also)[word], |bits, &literal| bits & row(literal)[word]);
        (0..self.count.div_ceil(64)).any(|word| all(word) != 0)
    }
}
