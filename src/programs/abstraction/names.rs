//! Names of procedures and labels in the Boolean program.

use std::borrow::Cow;
use std::collections::HashSet;
use std::rc::Rc;

use crate::c::program::Program;

use super::boolean;

/// Names of procedures that Boolean programs may have, each once.
pub(super) fn procedures(program: &Program) -> Vec<Rc<str>> {
    let mut names: Vec<Rc<str>> = Vec::new();
    for procedure in &program.procedures {
        let name = boolean::plain(&procedure.name, &|name| names.iter().any(|other| &**other == name));
        names.push(name.into());
    }
    names
}

/// The labels of a procedure, as Boolean programs may have them, each once.
#[derive(Default)]
pub(super) struct Labels(HashSet<String>);

impl Labels {
    /// What one more label is called.
    pub fn name(&mut self, label: &str) -> String {
        let name = boolean::plain(&readable(label), &|name| self.0.contains(name));
        self.0.insert(name.clone());
        name
    }
}

/// A label that starts no thread where a Boolean program is read.
fn readable(label: &str) -> Cow<'_, str> {
    if label.starts_with("ASYNC_") { format!("_{label}").into() } else { label.into() }
}

/// A beginning of labels that no label of the program has.
pub(super) fn prefix(program: &Program) -> String {
    let statements = program.procedures.iter().flat_map(|procedure| procedure.body.iter().flatten());
    let plain = |label: &str| boolean::plain(&readable(label), &|_| false);
    let labels: Vec<String> =
        statements.flat_map(|statement| statement.labels.iter().map(|label| plain(label))).collect();
    let mut prefix = "L".to_owned();
    while labels.iter().any(|label| label.starts_with(&prefix)) {
        prefix.push('_');
    }
    prefix
}
