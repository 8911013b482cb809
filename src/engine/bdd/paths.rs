//! Parts of large relations: paths chosen as if at random, but the same ones each time, whichever engine there is.

use biodivine_lib_bdd::Bdd;

use super::{Column, Relation, Repr, Space, shared};
use crate::limits::Stop;
use crate::random;

/// Choices that look random.
#[derive(Clone, Copy, Debug)]
pub struct Choices(u64);

impl Choices {
    /// Other ones for each number.
    pub fn new(number: u64) -> Choices {
        Choices(number)
    }

    /// The next one.
    pub fn decide(&mut self) -> bool {
        random::next(&mut self.0) >> 63 == 1
    }
}

impl Space {
    /// Tuples of so many paths of the BDD, chosen one after the other: a part of the relation, not empty unless the relation is,
    /// of at most as many nodes as these paths have. Linear in that number.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn some_paths(&self, a: &Relation, paths: usize, choices: &mut Choices) -> Result<Relation, Stop> {
        let mut some = self.bottom();
        for _ in 0..paths {
            let Some(path) = self.some_path(a, choices) else { break };
            let path: Vec<(Column, bool)> =
                path.into_iter().map(|(level, value)| (self.layout.column(level), value)).collect();
            some = self.or(&some, &self.cube(&path)?)?;
        }
        Ok(some)
    }

    /// So many tuples over these columns, which must hold the support: the least, and some that are not alike. Linear in that
    /// number.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn some_tuples(&self, a: &Relation, over: &[Column], number: usize) -> Result<Relation, Stop> {
        let (mut some, mut choices) = (self.bottom(), Choices::new(0));
        for tuple in 0..number {
            let path = if tuple == 0 { self.least_path(a) } else { self.some_path(a, &mut choices) };
            let Some(path) = path else { break };
            let mut value = |column: Column| {
                let known = path.binary_search_by_key(&self.layout.level(column), |&(level, _)| level);
                known.map_or_else(|_| tuple > 0 && choices.decide(), |place| path[place].1)
            };
            let values: Vec<(Column, bool)> = over.iter().map(|&column| (column, value(column))).collect();
            some = self.or(&some, &self.cube(&values)?)?;
        }
        Ok(some)
    }

    /// The values on one path to ⊤. None if there is none.
    fn some_path(&self, a: &Relation, choices: &mut Choices) -> Option<Vec<(u32, bool)>> {
        match &a.0 {
            Repr::Biodivine(a) => of_array(&a.bdd, choices),
            Repr::Shared(a) => shared::some_path(a, || choices.decide()),
        }
    }
}

fn of_array(bdd: &Bdd, choices: &mut Choices) -> Option<Vec<(u32, bool)>> {
    let mut path = Vec::new();
    let mut node = bdd.root_pointer();
    while !node.is_terminal() {
        let (low, high) = (bdd.low_link_of(node), bdd.high_link_of(node));
        let value = low.is_zero() || !high.is_zero() && choices.decide();
        path.push((bdd.var_of(node).to_index() as u32, value));
        node = if value { high } else { low };
    }
    node.is_one().then_some(path)
}
