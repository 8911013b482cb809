//! Circles of files: those that name each other by their modules. What a file takes from the modules that contain it, or a
//! module from the files below it, draws no line.

use std::collections::{BTreeMap, BTreeSet};

use super::Source;

/// A module by the names on its path.
type Module = Vec<String>;

/// Files that name each other, directly or through others, each circle in the order of names; the crate's root is left out.
pub fn circles(sources: &[Source]) -> Vec<Vec<String>> {
    let modules: BTreeMap<Module, &Source> = sources.iter().map(|source| (module(source), source)).collect();
    let lines = modules.iter().map(|(from, source)| {
        let named = source.paths().into_iter().filter_map(|path| target(&modules, from, &path));
        (from, named.filter(|to| !from.starts_with(to) && !to.starts_with(from)).collect())
    });
    let lines: BTreeMap<&Module, BTreeSet<Module>> = lines.collect();
    let reached: BTreeMap<&Module, BTreeSet<Module>> =
        lines.keys().map(|from| (*from, reached(&lines, from))).collect();
    let round = |from: &Module| -> Vec<String> {
        let both = reached[from].iter().filter(|to| reached[*to].contains(from));
        both.map(|module| module.join("/")).collect()
    };
    let found: BTreeSet<Vec<String>> = modules.keys().map(round).filter(|circle| circle.len() > 1).collect();
    found.into_iter().collect()
}

fn module(source: &Source) -> Module {
    let inner = super::inside(&source.path).trim_end_matches(".rs").trim_end_matches("/mod");
    inner.split('/').filter(|name| *name != "lib").map(str::to_owned).collect()
}

/// The module that a path written in another one leads to.
fn target(modules: &BTreeMap<Module, &Source>, from: &Module, path: &[String]) -> Option<Module> {
    let mut at = from.clone();
    let mut rest = path;
    while let Some((first, more)) = rest.split_first() {
        match first.as_str() {
            "crate" => at.clear(),
            "super" => drop(at.pop()),
            "self" => {}
            _ => break,
        }
        rest = more;
    }
    for name in rest {
        at.push(name.clone());
        if !modules.contains_key(&at) {
            at.pop();
            break;
        }
    }
    modules.contains_key(&at).then_some(at)
}

fn reached(lines: &BTreeMap<&Module, BTreeSet<Module>>, from: &Module) -> BTreeSet<Module> {
    let mut found = BTreeSet::new();
    let mut open = vec![from];
    while let Some(module) = open.pop() {
        open.extend(lines[module].iter().filter(|to| found.insert((*to).clone())));
    }
    found
}
