//! From formulas to generalised Büchi automata: the symbolic tableau of Couvreur, *On-the-fly verification of linear
//! temporal logic* (FM 1999), with the refinements of Duret-Lutz and Poitrenaud, *Spot: an extensible model checking
//! library using transition-based generalized Büchi automata* (MASCOTS 2004).
//!
//! A state is a formula that remains to be satisfied. What it asks of the next letter and of the time after is one
//! Boolean function over propositions, *nexts* (this formula must hold from the next letter on) and *promises* (this
//! formula must hold sometime, and has not been attended to). Its prime implicants, letter by letter, are the edges. A
//! run keeps its promises if infinitely often it makes none; so there is a mark for each promise, on the edges that do
//! not make it.
//!
//! In the order of the function's variables a wish stands behind the proposition that is nearest to the top of its
//! formula: `(p & X G p) | (q & X G q) | ...` with all propositions first would be exponential in their number.
//!
//! States are *not* rewritten: `F b` beside `G F (a & F b)` looks superfluous, but without it nobody watches that its
//! promise is kept, and `a` alone, for ever, would be accepted.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::bdd::label::{Label, Labels};
use crate::limits::{Limits, Stop};

use super::automaton::{Tgba, Transition};
use super::formula::{Formula, Formulas, Op};
use super::marks::Marks;

/// What a variable that is no proposition stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Wish {
    Next(Formula),
    Promise(Formula),
}

/// The variables of functions: see the documentation of the module.
struct Variables {
    /// The distance between the variables of two propositions, wishes lie between them.
    stride: u32,
    /// For each formula the proposition that is nearest to its top, with the distance.
    nearest: FxHashMap<Formula, (u32, u32)>,
    wishes: FxHashMap<u32, Wish>,
    known: FxHashMap<Wish, u32>,
    /// For each proposition the last variable that a wish behind it got.
    last: FxHashMap<u32, u32>,
    /// The variables of promises, in the order in which they were made.
    promises: Vec<u32>,
}

impl Variables {
    /// For the wishes that occur in a formula.
    fn new(formulas: &Formulas, formula: Formula) -> Variables {
        let mut nearest: FxHashMap<Formula, (u32, u32)> = FxHashMap::default();
        for here in formulas.below(formula) {
            let found = match formulas.op(here) {
                Op::Proposition(index) => Some((0, index)),
                _ => formulas.operands(here).iter().filter_map(|operand| nearest.get(operand).copied()).min(),
            };
            if let Some((distance, proposition)) = found {
                nearest.insert(here, (distance + 1, proposition));
            }
        }
        Variables {
            stride: (u32::MAX - 1) / (formulas.propositions().len() as u32).max(1),
            nearest,
            wishes: FxHashMap::default(),
            known: FxHashMap::default(),
            last: FxHashMap::default(),
            promises: Vec::new(),
        }
    }

    fn of_proposition(&self, proposition: u32) -> u32 {
        proposition * self.stride
    }

    fn proposition_of(&self, variable: u32) -> u32 {
        variable / self.stride
    }

    fn is_wish(&self, variable: u32) -> bool {
        self.wishes.contains_key(&variable)
    }

    fn of_wish(&mut self, wish: Wish) -> u32 {
        if let Some(variable) = self.known.get(&wish) {
            return *variable;
        }
        let (Wish::Next(formula) | Wish::Promise(formula)) = wish;
        let proposition = self.nearest.get(&formula).map_or(0, |(_, proposition)| *proposition);
        let mut variable = self.last.get(&proposition).copied().unwrap_or(self.of_proposition(proposition)) + 1;
        // Where there is no room left, the next free variable will do.
        while variable % self.stride == 0 || self.is_wish(variable) {
            variable = (variable + 1) % (u32::MAX - 1);
        }
        self.last.insert(proposition, variable);
        self.wishes.insert(variable, wish);
        self.known.insert(wish, variable);
        if matches!(wish, Wish::Promise(_)) {
            self.promises.push(variable);
        }
        variable
    }
}

/// Whether a formula is asked for again with the next letter anyway, because it stands under G.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Again {
    No,
    Yes,
}

/// The automaton of a formula in negative normal form, unless it has more than so many states. Exponential in the
/// formula, at worst.
///
/// # Errors
/// If a limit is met.
pub(super) fn tableau(
    formulas: &mut Formulas,
    formula: Formula,
    most: usize,
    limits: &Limits,
) -> Result<Option<Tgba>, Stop> {
    let variables = Variables::new(formulas, formula);
    let mut tableau = Tableau {
        formulas,
        labels: Labels::new(limits),
        variables,
        functions: FxHashMap::default(),
        states: Vec::new(),
        by_formula: FxHashMap::default(),
        by_function: FxHashMap::default(),
    };
    tableau.state(formula);
    let mut edges = Vec::new();
    while edges.len() < tableau.states.len() {
        let successors = tableau.successors(tableau.states[edges.len()]);
        edges.push(successors);
        tableau.labels.checkpoint()?;
        if tableau.states.len() > most {
            return Ok(None);
        }
    }
    Ok(Some(tableau.finish(edges)))
}

struct Tableau<'a> {
    formulas: &'a mut Formulas,
    labels: Labels,
    variables: Variables,
    functions: FxHashMap<(Formula, Again), Label>,
    /// The function of each state.
    states: Vec<Label>,
    by_formula: FxHashMap<Formula, u32>,
    /// Formulas that ask for the same are the same state.
    by_function: FxHashMap<Label, u32>,
}

/// An edge: its target, the promises it makes, its letters.
type Successor = (u32, Vec<u32>, Label);

impl Tableau<'_> {
    fn state(&mut self, formula: Formula) -> u32 {
        if let Some(state) = self.by_formula.get(&formula) {
            return *state;
        }
        let function = self.function(formula);
        let next = self.states.len() as u32;
        let state = *self.by_function.entry(function).or_insert(next);
        if state == next {
            self.states.push(function);
        }
        self.by_formula.insert(formula, state);
        state
    }

    fn successors(&mut self, function: Label) -> Vec<Successor> {
        let mut found: BTreeMap<(u32, Vec<u32>), Label> = BTreeMap::new();
        let variables = &self.variables;
        for (granted, letters) in self.labels.implicants(function, |variable| variables.is_wish(variable)) {
            let mut promises = Vec::new();
            let mut nexts = Vec::new();
            for variable in granted {
                match self.variables.wishes[&variable] {
                    Wish::Next(formula) => nexts.push(formula),
                    Wish::Promise(_) => promises.push(variable),
                }
            }
            let target = self.formulas.and(nexts);
            if target == Formula::FALSE {
                continue;
            }
            let target = self.state(target);
            let letters = self.labels.renumber(letters, |variable| self.variables.proposition_of(variable));
            let label = found.entry((target, promises)).or_insert(Label::FALSE);
            *label = self.labels.or(*label, letters);
        }
        found.into_iter().map(|((target, promises), label)| (target, promises, label)).collect()
    }

    fn wish(&mut self, wish: Wish) -> Label {
        let variable = self.variables.of_wish(wish);
        self.labels.proposition(variable)
    }

    /// The formula must hold from the next letter on.
    fn next(&mut self, formula: Formula) -> Label {
        match self.formulas.op(formula) {
            Op::True => Label::TRUE,
            Op::False => Label::FALSE,
            Op::And => {
                let parts = self.formulas.shared_operands(formula);
                parts.iter().fold(Label::TRUE, |all, part| {
                    let next = self.next_part(*part);
                    self.labels.and(all, next)
                })
            }
            _ => self.next_part(formula),
        }
    }

    fn next_part(&mut self, formula: Formula) -> Label {
        self.wish(Wish::Next(formula))
    }

    fn promise(&mut self, formula: Formula) -> Label {
        let inner = match self.formulas.op(formula) {
            Op::Finally => self.formulas.operands(formula)[0],
            Op::Until => self.formulas.operands(formula)[1],
            _ => formula,
        };
        self.wish(Wish::Promise(inner))
    }

    /// What a formula asks for.
    fn function(&mut self, formula: Formula) -> Label {
        let mut open = vec![(formula, Again::No)];
        while let Some(&(here, again)) = open.last() {
            if self.functions.contains_key(&(here, again)) {
                open.pop();
                continue;
            }
            let operands = self.formulas.shared_operands(here);
            let needed: Vec<(Formula, Again)> = match self.formulas.op(here) {
                Op::And => operands.iter().map(|part| (*part, again)).collect(),
                Op::Globally => vec![(operands[0], Again::Yes)],
                Op::Next | Op::Not => Vec::new(),
                _ => operands.iter().map(|part| (*part, Again::No)).collect(),
            };
            let missing = needed.iter().filter(|part| !self.functions.contains_key(part));
            let before = open.len();
            open.extend(missing);
            if open.len() > before {
                continue;
            }
            let parts: Vec<Label> = needed.iter().map(|part| self.functions[part]).collect();
            let function = self.combine(here, again, &parts);
            self.functions.insert((here, again), function);
            open.pop();
        }
        self.functions[&(formula, Again::No)]
    }

    fn combine(&mut self, formula: Formula, again: Again, parts: &[Label]) -> Label {
        let operands = self.formulas.shared_operands(formula);
        let op = self.formulas.op(formula);
        // Under G the formula need not be carried over: G asks for it again.
        let later = |tableau: &mut Self| match again {
            Again::Yes => Label::TRUE,
            Again::No => tableau.next(formula),
        };
        match op {
            Op::True => Label::TRUE,
            Op::False => Label::FALSE,
            Op::Proposition(index) => self.labels.proposition(self.variables.of_proposition(index)),
            Op::Not => {
                let Op::Proposition(index) = self.formulas.op(operands[0]) else {
                    unreachable!("in negative normal form only propositions are negated")
                };
                self.labels.literal(self.variables.of_proposition(index), false)
            }
            Op::And => parts.iter().rev().fold(Label::TRUE, |all, part| self.labels.and(all, *part)),
            Op::Or => parts.iter().rev().fold(Label::FALSE, |any, part| self.labels.or(any, *part)),
            Op::Next => self.next(operands[0]),
            // F b = b | X F b, with a promise of b
            Op::Finally => {
                let (promise, later) = (self.promise(operands[0]), later(self));
                let wait = self.labels.and(promise, later);
                self.labels.or(parts[0], wait)
            }
            // G a = a & X G a
            Op::Globally => {
                let later = later(self);
                self.labels.and(parts[0], later)
            }
            // a U b = b | a & X (a U b), with a promise of b
            Op::Until => {
                let (promise, later) = (self.promise(operands[1]), later(self));
                let wait = self.labels.and(promise, later);
                let wait = self.labels.and(parts[0], wait);
                self.labels.or(parts[1], wait)
            }
            // a W b = b | a & X (a W b)
            Op::WeakUntil => {
                let later = later(self);
                let wait = self.labels.and(parts[0], later);
                self.labels.or(parts[1], wait)
            }
            // a R b = b & (a | X (a R b))
            Op::Release => {
                let later = later(self);
                let wait = self.labels.or(parts[0], later);
                self.labels.and(parts[1], wait)
            }
            // a M b = b & (a | X (a M b)), with a promise of a
            Op::StrongRelease => {
                let (promise, later) = (self.promise(operands[0]), later(self));
                let wait = self.labels.and(promise, later);
                let wait = self.labels.or(parts[0], wait);
                self.labels.and(parts[1], wait)
            }
            Op::Implies | Op::Xor | Op::Iff => unreachable!("the formula is in negative normal form"),
        }
    }

    fn finish(self, edges: Vec<Vec<Successor>>) -> Tgba {
        let marks: BTreeMap<u32, u32> = self.variables.promises.iter().copied().zip(0..).collect();
        let number = marks.len() as u32;
        let transition = |(to, made, label): Successor| {
            let made: Marks = made.iter().map(|promise| marks[promise]).collect();
            Transition { to, marks: (0..number).filter(|mark| !made.has(*mark)).collect(), label }
        };
        let states = edges.into_iter().map(|edges| edges.into_iter().map(transition).collect()).collect();
        Tgba {
            propositions: self.formulas.propositions().to_vec(),
            labels: self.labels,
            states,
            initial: 0,
            marks: number,
        }
    }
}
