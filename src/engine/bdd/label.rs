//! Sets of letters: Boolean functions over plain propositions, as they stand on the edges of automata.
//!
//! A small shared package of its own, independent of the engines behind relations: labels are tiny, come by the
//! thousand, need new variables while the work goes on, and are compared all the time. Nodes are shared and never
//! freed, so equal labels are the same number. Nothing recurses over the depth of a diagram.

mod implicants;

use std::fmt::Write;

use rustc_hash::FxHashMap;

use crate::limits::{Limits, Stop};

/// A set of letters; a letter says of each proposition whether it holds. Belongs to one [`Labels`]; within it equal
/// sets are equal labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(u32);

impl Label {
    /// No letter.
    pub const FALSE: Label = Label(0);
    /// Every letter.
    pub const TRUE: Label = Label(1);

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A conjunction of literals: propositions, in ascending order, and whether each holds.
pub type Cube = Vec<(u32, bool)>;

/// Where a test of a diagram leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Branch {
    /// The letter is not in the set, or it is.
    Decided(bool),
    /// To the test at this index, before the present one.
    Test(usize),
}

/// A test of a diagram: see [`Labels::diagram`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Test {
    /// Whether this proposition holds.
    pub proposition: u32,
    /// What then, if it does not.
    pub low: Branch,
    /// What then, if it does.
    pub high: Branch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Node {
    variable: u32,
    low: Label,
    high: Label,
}

/// The nodes that labels share, and the operations on labels.
///
/// Operations do not fail: one that runs into a limit gives some label and the reason sticks; whoever set limits asks
/// [`Labels::check`] before believing anything.
#[derive(Clone, Debug)]
pub struct Labels {
    nodes: Vec<Node>,
    unique: FxHashMap<Node, Label>,
    choices: FxHashMap<(Label, Label, Label), Label>,
    limits: Limits,
    /// More nodes and remembered operations than this are too many.
    room: usize,
    stopped: Option<Stop>,
    /// Operations until the next look at the clock.
    patience: u32,
}

/// Operations between two looks at the clock.
const PATIENCE: u32 = 1 << 12;

/// About what a node or a remembered operation occupies, tables included.
const BYTES: u64 = 64;

impl Default for Labels {
    fn default() -> Self {
        Labels::new(&Limits::default())
    }
}

impl Labels {
    /// The two constants and nothing else.
    pub fn new(limits: &Limits) -> Labels {
        let constant = |label| Node { variable: u32::MAX, low: label, high: label };
        Labels {
            nodes: vec![constant(Label::FALSE), constant(Label::TRUE)],
            unique: FxHashMap::default(),
            choices: FxHashMap::default(),
            limits: *limits,
            room: limits.memory.map_or(usize::MAX, |bytes| usize::try_from(bytes / BYTES).unwrap_or(usize::MAX)),
            stopped: None,
            patience: PATIENCE,
        }
    }

    /// Whether all labels made so far are right.
    ///
    /// # Errors
    /// The limit that some operation ran into.
    pub fn check(&self) -> Result<(), Stop> {
        self.stopped.map_or(Ok(()), Err)
    }

    /// Looks at the limits now.
    ///
    /// # Errors
    /// If one is passed.
    pub fn checkpoint(&mut self) -> Result<(), Stop> {
        self.look();
        self.check()
    }

    fn look(&mut self) {
        self.patience = PATIENCE;
        if self.stopped.is_none() {
            self.stopped = self.limits.met();
            if self.stopped.is_none() && self.nodes.len().saturating_add(self.choices.len()) > self.room {
                self.stopped = Some(Stop::Memory);
            }
        }
    }

    /// The letters in which a proposition holds.
    pub fn proposition(&mut self, variable: u32) -> Label {
        self.node(variable, Label::FALSE, Label::TRUE)
    }

    /// The letters in which a proposition has that value.
    pub fn literal(&mut self, variable: u32, value: bool) -> Label {
        let (low, high) = if value { (Label::FALSE, Label::TRUE) } else { (Label::TRUE, Label::FALSE) };
        self.node(variable, low, high)
    }

    /// The letters in both.
    pub fn and(&mut self, a: Label, b: Label) -> Label {
        let (a, b) = (a.min(b), a.max(b));
        self.choose(a, b, Label::FALSE)
    }

    /// The letters in one or both.
    pub fn or(&mut self, a: Label, b: Label) -> Label {
        let (a, b) = (a.min(b), a.max(b));
        self.choose(a, Label::TRUE, b)
    }

    /// The letters that are not in it.
    pub fn not(&mut self, a: Label) -> Label {
        self.choose(a, Label::FALSE, Label::TRUE)
    }

    /// The letters in the first and not in the second.
    pub fn minus(&mut self, a: Label, b: Label) -> Label {
        self.choose(b, Label::FALSE, a)
    }

    /// Whether each letter of the first is in the second.
    pub fn includes(&mut self, a: Label, b: Label) -> bool {
        self.minus(a, b) == Label::FALSE
    }

    /// Whether no letter is in both.
    pub fn disjoint(&mut self, a: Label, b: Label) -> bool {
        self.and(a, b) == Label::FALSE
    }

    /// The letters of `then` that are in `test`, and those of `otherwise` that are not.
    pub fn choose(&mut self, test: Label, then: Label, otherwise: Label) -> Label {
        /// What is still to be done: find a choice, or put one together from the last two results.
        enum Task {
            Find(Label, Label, Label),
            Join(u32, (Label, Label, Label)),
        }
        if let Some(known) = self.known(test, then, otherwise) {
            return known;
        }
        let mut tasks = vec![Task::Find(test, then, otherwise)];
        let mut results: Vec<Label> = Vec::new();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Find(f, g, h) => {
                    if let Some(known) = self.known(f, g, h) {
                        results.push(known);
                        continue;
                    }
                    self.patience -= 1;
                    if self.patience == 0 {
                        self.look();
                    }
                    if self.stopped.is_some() {
                        return Label::FALSE;
                    }
                    let (f, g, h) = normal(f, g, h);
                    let top = self.variable(f).min(self.variable(g)).min(self.variable(h));
                    let (f, g, h) =
                        ((f, self.cofactors(f, top)), (g, self.cofactors(g, top)), (h, self.cofactors(h, top)));
                    tasks.push(Task::Join(top, (f.0, g.0, h.0)));
                    tasks.push(Task::Find(f.1.1, g.1.1, h.1.1));
                    tasks.push(Task::Find(f.1.0, g.1.0, h.1.0));
                }
                Task::Join(variable, key) => {
                    let high = results.pop().expect("a join comes after both its parts");
                    let low = results.pop().expect("a join comes after both its parts");
                    let joined = self.node(variable, low, high);
                    self.choices.insert(key, joined);
                    results.push(joined);
                }
            }
        }
        results.pop().expect("every task leaves one result")
    }

    /// The choice, if it takes no work.
    fn known(&self, f: Label, g: Label, h: Label) -> Option<Label> {
        let (f, g, h) = normal(f, g, h);
        match (f, g, h) {
            (Label::TRUE, g, _) => Some(g),
            (Label::FALSE, _, h) => Some(h),
            (_, g, h) if g == h => Some(g),
            (f, Label::TRUE, Label::FALSE) => Some(f),
            _ => self.choices.get(&(f, g, h)).copied(),
        }
    }

    fn node(&mut self, variable: u32, low: Label, high: Label) -> Label {
        if low == high {
            return low;
        }
        let node = Node { variable, low, high };
        if let Some(label) = self.unique.get(&node) {
            return *label;
        }
        let Ok(index) = u32::try_from(self.nodes.len()) else {
            self.stopped.get_or_insert(Stop::Memory);
            return Label::FALSE;
        };
        self.nodes.push(node);
        self.unique.insert(node, Label(index));
        Label(index)
    }

    fn variable(&self, label: Label) -> u32 {
        self.nodes[label.index()].variable
    }

    fn cofactors(&self, label: Label, variable: u32) -> (Label, Label) {
        let node = self.nodes[label.index()];
        if node.variable == variable { (node.low, node.high) } else { (label, label) }
    }

    /// Whether a letter is in the set. Linear in the number of propositions.
    pub fn contains(&self, label: Label, letter: impl Fn(u32) -> bool) -> bool {
        let mut here = label;
        while here.0 > 1 {
            let node = self.nodes[here.index()];
            here = if letter(node.variable) { node.high } else { node.low };
        }
        here == Label::TRUE
    }

    /// Inner nodes below a label, itself included, operands before those that use them.
    fn below(&self, label: Label) -> Vec<Label> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut open = vec![label];
        let mut found = Vec::new();
        while let Some(here) = open.pop() {
            if here.0 > 1 && seen.insert(here) {
                found.push(here);
                open.extend([self.nodes[here.index()].low, self.nodes[here.index()].high]);
            }
        }
        // Nodes are made after those they lead to.
        found.sort_unstable();
        found
    }

    /// How many inner nodes a label has.
    pub fn size(&self, label: Label) -> usize {
        self.below(label).len()
    }

    /// The propositions that it depends on, in ascending order.
    pub fn support(&self, label: Label) -> Vec<u32> {
        let mut support: Vec<u32> = self.below(label).into_iter().map(|node| self.variable(node)).collect();
        support.sort_unstable();
        support.dedup();
        support
    }

    /// The letters that become members by changing the chosen propositions.
    pub fn exists(&mut self, label: Label, chosen: impl Fn(u32) -> bool) -> Label {
        self.rebuild(label, |labels, variable, low, high| {
            if chosen(variable) {
                labels.or(low, high)
            } else {
                let test = labels.proposition(variable);
                labels.choose(test, high, low)
            }
        })
    }

    /// The letters that are members once some propositions have the values given for them.
    pub fn restrict(&mut self, label: Label, values: impl Fn(u32) -> Option<bool>) -> Label {
        self.rebuild(label, |labels, variable, low, high| match values(variable) {
            Some(true) => high,
            Some(false) => low,
            None => labels.node(variable, low, high),
        })
    }

    /// The same set with each proposition called otherwise.
    pub fn rename(&mut self, label: Label, name: impl Fn(u32) -> u32) -> Label {
        self.rebuild(label, |labels, variable, low, high| {
            let test = labels.proposition(name(variable));
            labels.choose(test, high, low)
        })
    }

    /// The same set with other numbers for the propositions, in the same order.
    pub fn renumber(&mut self, label: Label, number: impl Fn(u32) -> u32) -> Label {
        self.rebuild(label, |labels, variable, low, high| labels.node(number(variable), low, high))
    }

    /// The set in which each proposition stands for a set itself.
    pub fn substitute(&mut self, label: Label, meaning: impl Fn(u32) -> Label) -> Label {
        self.rebuild(label, |labels, variable, low, high| labels.choose(meaning(variable), high, low))
    }

    fn rebuild(&mut self, label: Label, mut make: impl FnMut(&mut Labels, u32, Label, Label) -> Label) -> Label {
        let mut made = FxHashMap::from_iter([(Label::FALSE, Label::FALSE), (Label::TRUE, Label::TRUE)]);
        for here in self.below(label) {
            let node = self.nodes[here.index()];
            let label = make(self, node.variable, made[&node.low], made[&node.high]);
            made.insert(here, label);
        }
        made[&label]
    }

    /// The same set, as a label of this package, where `label` is one of `from`.
    pub fn import(&mut self, from: &Labels, label: Label) -> Label {
        let mut made = FxHashMap::from_iter([(Label::FALSE, Label::FALSE), (Label::TRUE, Label::TRUE)]);
        for here in from.below(label) {
            let node = from.nodes[here.index()];
            let copy = self.node(node.variable, made[&node.low], made[&node.high]);
            made.insert(here, copy);
        }
        made[&label]
    }

    /// The set as a list of tests in which each refers only to earlier ones; the last one is the first to make. Empty for
    /// the two constants. For building the same function in another package.
    pub fn diagram(&self, label: Label) -> Vec<Test> {
        let below = self.below(label);
        let index: FxHashMap<Label, usize> = below.iter().copied().zip(0..).collect();
        let branch = |label: Label| match label {
            Label::FALSE => Branch::Decided(false),
            Label::TRUE => Branch::Decided(true),
            inner => Branch::Test(index[&inner]),
        };
        let tests = below.iter().map(|here| {
            let node = self.nodes[here.index()];
            Test { proposition: node.variable, low: branch(node.low), high: branch(node.high) }
        });
        tests.collect()
    }

    /// Cubes that cover the set and nothing else, none of which could be left out or shortened: the irredundant sum of
    /// products of Minato, *Fast generation of irredundant sum-of-products forms from binary decision diagrams* (1992).
    /// Of a set that is closed under making propositions true these are all its prime implicants.
    pub fn cubes(&mut self, label: Label) -> Vec<Cube> {
        let mut cubes = Vec::new();
        let mut prefix: Cube = Vec::new();
        // One frame per level: find cubes for some set between `lower` and `upper`.
        struct Frame {
            variable: u32,
            lower: (Label, Label),
            upper: (Label, Label),
            covered: (Label, Label),
            stage: u8,
        }
        let mut frames: Vec<Frame> = Vec::new();
        let mut call = Some((label, label));
        let mut result = Label::FALSE;
        loop {
            if let Some((lower, upper)) = call.take() {
                if self.stopped.is_some() {
                    return Vec::new();
                }
                if lower == Label::FALSE {
                    result = Label::FALSE;
                } else if upper == Label::TRUE {
                    cubes.push(prefix.clone());
                    result = Label::TRUE;
                } else {
                    let variable = self.variable(lower).min(self.variable(upper));
                    let (lower, upper) = (self.cofactors(lower, variable), self.cofactors(upper, variable));
                    let only = self.minus(lower.0, upper.1);
                    frames.push(Frame { variable, lower, upper, covered: (Label::FALSE, Label::FALSE), stage: 0 });
                    prefix.push((variable, false));
                    call = Some((only, upper.0));
                    continue;
                }
            }
            let Some(frame) = frames.last_mut() else { return cubes };
            frame.stage += 1;
            match frame.stage {
                1 => {
                    frame.covered.0 = result;
                    let (lower, upper) = (frame.lower, frame.upper);
                    prefix.pop();
                    prefix.push((frame.variable, true));
                    call = Some((self.minus(lower.1, upper.0), upper.1));
                }
                2 => {
                    frame.covered.1 = result;
                    let (lower, upper, covered) = (frame.lower, frame.upper, frame.covered);
                    prefix.pop();
                    let left = (self.minus(lower.0, covered.0), self.minus(lower.1, covered.1));
                    call = Some((self.or(left.0, left.1), self.and(upper.0, upper.1)));
                }
                _ => {
                    let (variable, covered) = (frame.variable, frame.covered);
                    frames.pop();
                    let (low, high) = (self.or(covered.0, result), self.or(covered.1, result));
                    let test = self.proposition(variable);
                    result = self.choose(test, high, low);
                }
            }
        }
    }

    /// A letter of the set, as the propositions that must have a value, or `None` of the empty set.
    pub fn letter(&self, label: Label) -> Option<Cube> {
        let mut here = label;
        let mut cube = Vec::new();
        while here.0 > 1 {
            let node = self.nodes[here.index()];
            let value = node.low == Label::FALSE;
            cube.push((node.variable, value));
            here = if value { node.high } else { node.low };
        }
        (here == Label::TRUE).then_some(cube)
    }

    /// The set in the notation of the Hanoi Omega-Automata format: `0&!1 | 2`, `t`, `f`.
    pub fn expression(&mut self, label: Label) -> String {
        if label == Label::FALSE {
            return "f".into();
        }
        let mut text = String::new();
        for (number, cube) in self.cubes(label).into_iter().enumerate() {
            text += if number == 0 { "" } else { " | " };
            if cube.is_empty() {
                text.push('t');
            }
            for (place, (variable, value)) in cube.into_iter().enumerate() {
                let (and, not) = (if place == 0 { "" } else { "&" }, if value { "" } else { "!" });
                write!(text, "{and}{not}{variable}").expect("a string takes everything");
            }
        }
        text
    }
}

/// Equal choices written alike.
fn normal(f: Label, g: Label, h: Label) -> (Label, Label, Label) {
    let g = if g == f { Label::TRUE } else { g };
    let h = if h == f { Label::FALSE } else { h };
    (f, g, h)
}

#[cfg(test)]
mod tests;
