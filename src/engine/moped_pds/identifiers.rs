//! Names that Moped takes for everything in a system: letters, digits and `_`, each once.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use spds_format::Spds;
use spds_format::model::{FrameId, Name, Var};

/// Words that mean something else.
const RESERVED: [&str; 8] = ["A", "E", "define", "global", "local", "bool", "int", "atoms"];

/// What everything is called. Control locations, stack symbols, frames and labels share no name, nor do globals and locals,
/// nor labels and globals.
pub(super) struct Identifiers {
    pub controls: Vec<String>,
    pub symbols: Vec<String>,
    pub frames: Vec<String>,
    /// Each label with what it is called, in alphabetical order.
    pub labels: Vec<(Name, String)>,
    globals: Vec<String>,
    locals: Vec<Vec<String>>,
    /// The variable of quantifiers.
    pub index: String,
    /// The symbols that become the topmost one, and one, two, … others.
    pub begin: Vec<String>,
}

impl Identifiers {
    pub fn new(spds: &Spds) -> Self {
        let (none, mut reserved) = (Taken::default(), Taken::default());
        reserved.names.extend(RESERVED.iter().map(|word| (*word).to_owned()));
        let mut places = reserved.clone();
        let controls = spds.controls.iter().map(|name| places.fresh(name, &none)).collect();
        let symbols = spds.symbols.iter().map(|symbol| places.fresh(&symbol.name, &none)).collect();
        let frames = spds.frames.iter().map(|frame| places.fresh(&frame.name, &none)).collect();
        let begin = spds.start.stack.iter().skip(1).map(|_| places.fresh("begin", &none)).collect();
        let mut shared = reserved;
        let globals = spds.globals.iter().map(|global| shared.fresh(&global.name, &none)).collect();
        let labels: BTreeSet<&Name> = spds.symbols.iter().flat_map(|symbol| &symbol.labels).collect();
        let labels = labels.into_iter().map(|label| (label.clone(), places.fresh(label, &shared))).collect();
        let mut locals: Vec<Vec<String>> = Vec::new();
        for frame in &spds.frames {
            let mut own = Taken::default();
            locals.push(frame.variables.iter().map(|local| own.fresh(&local.name, &shared)).collect());
        }
        shared.names.extend(locals.iter().flatten().cloned());
        let index = shared.fresh("i", &none);
        Identifiers { controls, symbols, frames, labels, globals, locals, index, begin }
    }

    /// The name of a global, or of a local of that frame.
    pub fn variable(&self, var: Var, frame: Option<FrameId>) -> &str {
        match (var, frame) {
            (Var::Global(index), _) => &self.globals[index as usize],
            (Var::Local(index), Some(frame)) => &self.locals[frame.0 as usize][index as usize],
            (Var::Local(_), None) => "",
        }
    }
}

/// Names that are taken.
#[derive(Clone, Default)]
struct Taken {
    names: FxHashSet<String>,
    /// The last number that was put behind a name.
    numbers: FxHashMap<String, u64>,
}

impl Taken {
    /// An identifier like that name, which is neither among these names nor among the others; now it is among these.
    fn fresh(&mut self, name: &str, others: &Taken) -> String {
        let mut plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if !plain.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            plain.insert(0, '_');
        }
        let mut candidate = plain.clone();
        while others.names.contains(&candidate) || self.names.contains(&candidate) {
            let number = self.numbers.entry(plain.clone()).or_insert(1);
            *number += 1;
            candidate = format!("{plain}_{number}");
        }
        self.names.insert(candidate.clone());
        candidate
    }
}
