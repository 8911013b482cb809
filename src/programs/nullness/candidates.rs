//! Predicates of other proofs, say of an older version of the program: candidates, each of which the abstraction decides about.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use crate::abstraction::Predicate;
use crate::abstraction::read::read;
use crate::c::Program;

/// Predicates that somebody knows, and those with which something was proved. Copies share the latter.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    given: Rc<[String]>,
    proved: Rc<RefCell<BTreeSet<String>>>,
}

impl Candidates {
    /// Lines of a predicate file ([`crate::abstraction::read`]). Those of them count that can be read where they are used: names may have changed.
    pub fn of(lines: &[String]) -> Candidates {
        Candidates { given: lines.into(), ..Candidates::default() }
    }

    /// Those that are given, as far as they can be read over a program.
    pub(super) fn read(&self, program: &mut Program) -> Vec<Predicate> {
        self.given.iter().flat_map(|line| read(program, line).unwrap_or_default()).collect()
    }

    /// With these something was proved: the lines of a predicate file.
    pub(super) fn add(&self, text: &str) {
        self.proved.borrow_mut().extend(text.lines().map(str::to_owned));
    }

    /// All with which something was proved, as lines of a predicate file.
    pub fn proved(&self) -> Vec<String> {
        self.proved.borrow().iter().cloned().collect()
    }
}
