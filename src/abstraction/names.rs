//! Names of procedures and labels in the Boolean program.

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

/// A beginning of labels that no label of the program has.
pub(super) fn prefix(program: &Program) -> String {
    let statements = program.procedures.iter().flat_map(|procedure| procedure.body.iter().flatten());
    let labels: Vec<&str> = statements.flat_map(|statement| statement.labels.iter().map(|label| &**label)).collect();
    let mut prefix = "L".to_owned();
    while labels.iter().any(|label| label.starts_with(&prefix)) {
        prefix.push('_');
    }
    prefix
}
