//! Which conjunctions of given conditions imply a goal: all prime ones up to a length.
//!
//! Cubes are tried from short to long (Ball, Majumdar, Millstein and Rajamani, *Automatic predicate abstraction of C programs*, PLDI
//! 2001, §4.1); a model of the negated goal in which a cube holds answers for it, and for all other cubes that hold there,
//! without a query.

use super::answer::Answer;
use super::sample;
use super::session::Session;
use super::term::{Term, Terms};

/// A conjunction of conditions and negated ones: indices with their values, sorted by index.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cube(pub Vec<(usize, bool)>);

impl Cube {
    /// Whether it holds where the conditions have these values.
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

/// The cubes of at most `longest` conditions that imply the goal, where `context` holds. Where a query is given up, the cube is taken not
/// to imply it, and to be feasible.
pub fn implied(
    session: &mut Session,
    terms: &mut Terms,
    conditions: &[Term],
    goal: Term,
    context: &[Term],
    longest: usize,
) -> Implied {
    let refuted = terms.not(goal);
    let models = sample::combinations(terms, conditions, &[context, &[refuted]].concat());
    let mut search = Search { session, terms, conditions, refuted, context, models, found: Implied::default() };
    if search.is_alive(&Cube::default()) {
        let mut alive = vec![Cube::default()];
        for _ in 0..longest {
            alive = search.longer(&alive);
        }
    }
    search.found
}

struct Search<'a> {
    session: &'a mut Session,
    terms: &'a mut Terms,
    conditions: &'a [Term],
    /// The negated goal.
    refuted: Term,
    context: &'a [Term],
    /// Values of the conditions in models in which the goal does not hold.
    models: Vec<Vec<bool>>,
    found: Implied,
}

impl Search<'_> {
    /// The cubes with one condition more, of higher index, that neither imply the goal nor contain what does.
    fn longer(&mut self, shorter: &[Cube]) -> Vec<Cube> {
        let mut alive = Vec::new();
        for cube in shorter {
            let first = cube.0.last().map_or(0, |&(at, _)| at + 1);
            for at in first..self.conditions.len() {
                for value in [true, false] {
                    let mut longer = cube.clone();
                    longer.0.push((at, value));
                    let decided = |part: &Cube| part.is_part_of(&longer);
                    let known = self.found.cubes.iter().any(decided) || self.found.infeasible.iter().any(decided);
                    if !known && self.is_alive(&longer) {
                        alive.push(longer);
                    }
                }
            }
        }
        alive
    }

    /// Whether the goal may be false where the cube holds; if not, it is filed.
    fn is_alive(&mut self, cube: &Cube) -> bool {
        if self.models.iter().any(|values| cube.holds(values)) {
            return true;
        }
        let mut query = self.context.to_vec();
        query.extend(cube.conditions(self.terms, self.conditions));
        let without_goal = query.len();
        query.push(self.refuted);
        match self.session.check_combination(self.terms, &query) {
            Answer::Sat(model) => {
                self.models.push(model.truths(self.terms, self.conditions));
                return true;
            }
            Answer::Unknown => return true,
            Answer::Unsat(core) => {
                let infeasible = !core.contains(&without_goal)
                    || self.session.check_combination(self.terms, &query[..without_goal]).is_unsat();
                let list = if infeasible { &mut self.found.infeasible } else { &mut self.found.cubes };
                list.push(cube.clone());
            }
        }
        false
    }
}
