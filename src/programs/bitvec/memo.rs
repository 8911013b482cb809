//! Questions that were asked before: which cubes decide a condition, which cannot be, and which combinations there are.
//!
//! A question is copied, with all that its answer depends on, into a collection of terms of its own, is answered there, and is
//! remembered as what it is there. So answers are those that there would be without a memory, questions about equal statements of
//! different variables are one, and nothing that changes elsewhere can make an answer wrong. Where conditions have joined at the
//! end of a list, the search for cubes goes on from what is known of those before them.

use std::hash::{Hash, Hasher};
use std::ops::RangeInclusive;
use std::rc::Rc;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use super::apart::Apart;
use super::cubes::{Before, Cube, Implied, Search, weakest};
use super::relation::{Minterms, relation};
use super::solver::{Bounds, Solver};
use super::term::{Entry, Term, Terms};

/// What is asked about some conditions.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'q> {
    /// What always holds.
    pub facts: &'q [Term],
    /// What holds here besides.
    pub context: &'q [Term],
    /// The conditions.
    pub conditions: &'q [Term],
    /// The greatest number of literals in a cube.
    pub longest: usize,
}

/// What decides a condition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decided {
    /// Prime cubes that imply it.
    pub yes: Vec<Cube>,
    /// Prime cubes that refute it.
    pub no: Vec<Cube>,
    /// Cubes that cannot be, whatever the context.
    pub never: Vec<Cube>,
    /// Cubes that cannot be where the context holds.
    pub here: Vec<Cube>,
}

/// What was asked, with the answers.
#[derive(Default)]
pub struct Memo {
    decided: Table<[Implied; 2]>,
    refuted: Table<Implied>,
    infeasible: Table<Implied>,
    relations: Table<Option<Minterms>>,
    /// What that took.
    pub counts: Counts,
}

/// How much was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Questions that had been asked before.
    pub remembered: u64,
    /// Questions that had not.
    pub solved: u64,
    /// How often a solver was asked for those.
    pub queries: u64,
}

impl Memo {
    /// The cubes that decide a condition.
    pub fn decided(&mut self, terms: &Terms, goal: Term, asked: &Asked<'_>, bounds: &Bounds) -> Decided {
        let never = self.infeasible(terms, asked, bounds);
        let question = Question::new(terms, Some(goal), asked, bounds);
        let sides = self.decided.answer(question, &mut self.counts, bounds, |search, sides, first| {
            let mut side = |value: bool, found: &Implied| {
                let before = Before { infeasible: never.clone(), found: found.clone(), first };
                search.implying(value, asked.longest, &before)
            };
            [side(true, &sides[0]), side(false, &sides[1])]
        });
        let [yes, no] = [&sides[0].cubes, &sides[1].cubes].map(|cubes| weakest(cubes, &never));
        let mut here: Vec<Cube> = sides.iter().flat_map(|side| side.infeasible.iter().cloned()).collect();
        here.sort_unstable();
        here.dedup();
        Decided { yes, no, never, here }
    }

    /// The cubes that refute a condition.
    pub fn refuted(&mut self, terms: &Terms, goal: Term, asked: &Asked<'_>, bounds: &Bounds) -> Vec<Cube> {
        let infeasible = self.infeasible(terms, asked, bounds);
        let question = Question::new(terms, Some(goal), asked, bounds);
        let found = self.refuted.answer(question, &mut self.counts, bounds, |search, found, first| {
            search.implying(
                false,
                asked.longest,
                &Before { infeasible: infeasible.clone(), found: found.clone(), first },
            )
        });
        weakest(&found.cubes, &infeasible)
    }

    /// The cubes that cannot be, whatever the context; none if nothing can be.
    pub fn infeasible(&mut self, terms: &Terms, asked: &Asked<'_>, bounds: &Bounds) -> Vec<Cube> {
        let asked = Asked { context: &[], ..*asked };
        let question = Question::new(terms, None, &asked, bounds);
        let found = self.infeasible.answer(question, &mut self.counts, bounds, |search, found, first| {
            search.implying(false, asked.longest, &Before { infeasible: Vec::new(), found: found.clone(), first })
        });
        let all = found.infeasible.iter().chain(&found.cubes);
        all.filter(|cube| !cube.0.is_empty()).cloned().collect()
    }

    /// Which combinations of the conditions there are; none if a query was given up.
    pub fn relation(&mut self, terms: &Terms, asked: &Asked<'_>, bounds: &Bounds) -> Option<Minterms> {
        let mut question = Question::new(terms, None, asked, bounds);
        if let Some((found, _)) = self.relations.longest(&question, question.conditions()..=question.conditions()) {
            self.counts.remembered += 1;
            return (*found).clone();
        }
        if bounds.is_stopped() {
            return None;
        }
        self.counts.solved += 1;
        let key = question.key();
        let mut solver = Solver::new(bounds);
        let (known, conditions) = question.roots.split_at(question.first);
        let found = relation(&mut solver, &mut question.terms, conditions, &known[..known.len() - 1]);
        self.counts.queries += solver.queries;
        self.relations.insert(key, found.clone().into(), bounds);
        found
    }
}

/// A question by itself.
struct Question {
    terms: Terms,
    /// Facts, context, the goal, conditions.
    roots: Vec<Term>,
    /// Where in these the conditions begin.
    first: usize,
    /// How many terms there were before the first condition, and after each.
    marks: Vec<usize>,
    /// How many facts there are, the longest cube, and the conflicts for each query.
    limits: (usize, usize, u64),
}

impl Question {
    /// Without a goal it is the condition that is always true.
    fn new(terms: &Terms, goal: Option<Term>, asked: &Asked<'_>, bounds: &Bounds) -> Question {
        let mut apart = Apart::new(terms);
        let mut roots = apart.all(asked.facts);
        roots.extend(apart.all(asked.context));
        roots.push(match goal {
            Some(goal) => apart.copy(goal),
            None => apart.terms.truth(true),
        });
        let first = roots.len();
        let mut marks = vec![apart.terms.entries().len()];
        for &condition in asked.conditions {
            roots.push(apart.copy(condition));
            marks.push(apart.terms.entries().len());
        }
        let limits = (asked.facts.len(), asked.longest, bounds.conflicts);
        Question { terms: apart.terms, roots, first, marks, limits }
    }

    fn conditions(&self) -> usize {
        self.roots.len() - self.first
    }

    /// The terms and the roots of the question with the first conditions only.
    fn prefix(&self, conditions: usize) -> (&[Entry], &[Term]) {
        (&self.terms.entries()[..self.marks[conditions]], &self.roots[..self.first + conditions])
    }

    fn hash(&self, conditions: usize) -> u64 {
        let mut hasher = FxHasher::default();
        (self.prefix(conditions), self.limits).hash(&mut hasher);
        hasher.finish()
    }

    fn key(&self) -> Key {
        let hash = self.hash(self.conditions());
        let (entries, roots) = self.prefix(self.conditions());
        Key { hash, entries: entries.into(), roots: roots.into(), limits: self.limits }
    }
}

/// All that an answer depends on.
struct Key {
    hash: u64,
    entries: Box<[Entry]>,
    roots: Box<[Term]>,
    limits: (usize, usize, u64),
}

impl Key {
    fn is(&self, question: &Question, conditions: usize) -> bool {
        (&*self.entries, &*self.roots) == question.prefix(conditions) && self.limits == question.limits
    }
}

struct Table<V>(HashTable<(Key, Rc<V>)>);

impl<V> Default for Table<V> {
    fn default() -> Table<V> {
        Table(HashTable::new())
    }
}

impl<V> Table<V> {
    /// What is known of the question with as many of its first conditions as can be, of so many; and how many those are.
    fn longest(&self, question: &Question, of: RangeInclusive<usize>) -> Option<(Rc<V>, usize)> {
        of.rev().find_map(|conditions| {
            let found = self.0.find(question.hash(conditions), |(key, _)| key.is(question, conditions))?;
            Some((found.1.clone(), conditions))
        })
    }

    /// What was cut short is not remembered.
    fn insert(&mut self, key: Key, value: Rc<V>, bounds: &Bounds) {
        if !bounds.is_stopped() {
            self.0.insert_unique(key.hash, (key, value), |(key, _)| key.hash);
        }
    }
}

impl<V: Default> Table<V> {
    /// The answer to a question, by a search where it has not been asked before.
    fn answer(
        &mut self,
        mut question: Question,
        counts: &mut Counts,
        bounds: &Bounds,
        search: impl FnOnce(&mut Search<'_>, &V, usize) -> V,
    ) -> Rc<V> {
        let all = question.conditions();
        let (before, first) = match self.longest(&question, 1..=all) {
            Some((found, first)) if first == all => {
                counts.remembered += 1;
                return found;
            }
            before => before.unwrap_or_default(),
        };
        if bounds.is_stopped() {
            // What is found for fewer conditions, or nothing, is right for all of them.
            return before;
        }
        counts.solved += 1;
        let key = question.key();
        let mut solver = Solver::new(bounds);
        let (known, conditions) = question.roots.split_at(question.first);
        let (goal, context) = (known[known.len() - 1], &known[..known.len() - 1]);
        let mut searching = Search::new(&mut solver, &mut question.terms, conditions, goal, context);
        let found = Rc::new(search(&mut searching, &before, first));
        counts.queries += solver.queries;
        self.insert(key, found.clone(), bounds);
        found
    }
}
