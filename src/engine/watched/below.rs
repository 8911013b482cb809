//! What a frame knows of the one below it: whether a return is refused may depend on that, and then nothing else tells which runs are blocked.
//!
//! So each frame has more locals: the *site*, which says to which symbol its return leads, and what is *kept*, the values of those locals below
//! that tell whether what returns is refused. A call sets them, and a step into another frame hands them over. Where the start stack has more than one
//! symbol, it is built by calls, too.

use std::collections::BTreeSet;

use spds_format::Spds;
use spds_format::expr::{Binary, Expr, Op, Time};
use spds_format::model::{
    Frame, FrameId, Head, Name, Rule, Scalar, Stack, Start, SymbolId, Type, Update, Var, Variable,
};

use super::equals;
use super::popped::{plain, unused};

/// A system whose frames know what lies below them, as far as that decides whether a return is refused.
pub(super) struct Knowing {
    /// The system, with more locals in each frame after its own ones.
    pub spds: Spds,
    /// The symbols to which returns may be refused, and which of their locals are kept. The site of the n-th is n + 1; of others it is 0.
    sites: Vec<(SymbolId, Vec<u32>)>,
    /// How many locals each frame has of its own.
    own: Vec<u32>,
}

impl Knowing {
    /// Of a system; it is the same one if no return is ever refused.
    pub fn of(spds: &Spds) -> Knowing {
        let sites = sites(spds);
        let own = spds.frames.iter().map(|frame| frame.variables.len() as u32).chain([0]).collect();
        let mut all = Knowing { spds: spds.clone(), sites, own };
        if !all.sites.is_empty() {
            let built = built(spds);
            all.extend(&built);
        }
        all
    }

    /// What has to be so, of what is on top, that a return from it finds a configuration that is allowed: what is, is told for each symbol that may lie
    /// below, over its locals.
    pub fn returns(&self, top: SymbolId, mut allowed: impl FnMut(SymbolId) -> Option<Expr>) -> Option<Expr> {
        let own = self.own[self.frame(self.spds.symbol(top).frame)];
        let mut first = own + 1;
        let mut any: Option<Expr> = None;
        for (number, (symbol, kept)) in (1..).zip(&self.sites) {
            let place = |local: u32| kept.iter().position(|own| *own == local).map(|place| first + place as u32);
            let so = read(&allowed(*symbol)?, &place)?.and(&is_site(own, number));
            any = Some(any.map_or_else(|| so.clone(), |any| any.binary(Binary::Or, &so)));
            first += kept.len() as u32;
        }
        Some(any.map_or_else(|| Expr::constant(true), |any| any.binary(Binary::Or, &is_site(own, 0))))
    }

    /// The place of a frame among those of which there are own locals, the last of which is none.
    fn frame(&self, frame: Option<FrameId>) -> usize {
        frame.map_or(self.own.len() - 1, |frame| frame.0 as usize)
    }

    /// The site of a frame that lies on this symbol.
    fn number(&self, symbol: SymbolId) -> usize {
        self.sites.iter().position(|(site, _)| *site == symbol).map_or(0, |place| place + 1)
    }

    /// The types of the locals that are added: the site, and what is kept.
    fn types(&self, spds: &Spds) -> Vec<(String, Type)> {
        let bits = usize::BITS - self.sites.len().leading_zeros();
        let mut all = vec![("@site".to_owned(), Type::unsigned(bits as u8))];
        for (place, (symbol, kept)) in self.sites.iter().enumerate() {
            let variables = spds.symbol(*symbol).frame.map(|frame| &spds.frames[frame.0 as usize].variables);
            for local in kept {
                if let Some(variable) = variables.and_then(|variables| variables.get(*local as usize)) {
                    all.push((format!("@kept {} {local}", place + 1), variable.ty));
                }
            }
        }
        all
    }

    /// Adds the locals to a system whose start stack is one symbol.
    fn extend(&mut self, spds: &Spds) {
        self.spds = spds.clone();
        let types = self.types(spds);
        let more = || types.iter().map(|(name, ty)| Variable { name: name.as_str().into(), ty: *ty, hidden: true });
        for frame in &mut self.spds.frames {
            frame.variables = frame.variables.iter().cloned().chain(more()).collect();
        }
        if spds.symbols.iter().any(|symbol| symbol.frame.is_none()) {
            let alone = FrameId(self.spds.frames.len() as u32);
            self.spds.frames.push(Frame { name: Name::from("@none"), variables: more().collect() });
            let without = self.spds.symbols.iter_mut().filter(|symbol| symbol.frame.is_none());
            without.for_each(|symbol| symbol.frame = Some(alone));
        }
        let rules: Vec<Rule> = spds.rules.iter().map(|rule| self.knowing(spds, rule, &types)).collect();
        self.spds.rules = rules.into_iter().collect();
        let top = self.frame(spds.start.stack.first().and_then(|top| spds.symbol(*top).frame));
        let none = is_site(self.own[top], 0);
        self.spds.start.condition = Some(spds.start.condition.as_ref().map_or(none.clone(), |own| own.and(&none)));
    }

    /// A rule that hands over what is known of the frame below.
    fn knowing(&self, spds: &Spds, rule: &Rule, types: &[(String, Type)]) -> Rule {
        let frames = spds.frames_of(rule);
        let local = |time: Time, place: u32| Var::Local(self.own[self.frame(frames[time as usize])] + place);
        let set = |time: Time, place: u32, value: Expr| Update { var: local(time, place), time, index: None, value };
        let hand_over = |time: Time| {
            let places = 0..if frames[time as usize] == frames[0] { 0 } else { types.len() as u32 };
            places.map(move |place| set(time, place, Expr::read(local(Time::Before, place), Time::Before)))
        };
        let (mut updates, mut with) = (rule.updates.to_vec(), rule.with.clone());
        match rule.stack {
            Stack::Pop => {}
            Stack::Swap(_) => updates.extend(hand_over(Time::After)),
            Stack::Push(_, site) => {
                updates.extend(hand_over(Time::Saved));
                let number = self.number(site);
                updates.push(set(Time::After, 0, Expr::number(number as u64)));
                let mut place = 0;
                for (other, (symbol, kept)) in self.sites.iter().enumerate() {
                    for &own in kept {
                        place += 1;
                        let boolean = types[place as usize].1.scalar == Scalar::Bool;
                        if number != other + 1 {
                            let nothing = if boolean { Expr::constant(false) } else { Expr::number(0) };
                            updates.push(set(Time::After, place, nothing));
                            continue;
                        }
                        let saved = (Var::Local(own), Time::Saved);
                        let related = rule.with.as_ref().is_some_and(|with| with.reads().any(|read| read == saved));
                        let updated = rule.updates.iter().any(|update| (update.var, update.time) == saved);
                        if !related && !updated && frames[Time::Saved as usize] == frames[0] {
                            updates.push(set(Time::After, place, Expr::read(Var::Local(own), Time::Before)));
                        } else {
                            debug_assert_eq!(*symbol, site);
                            let op = if boolean { Binary::Iff } else { Binary::Eq };
                            let same = Expr::read(local(Time::After, place), Time::After)
                                .binary(op, &Expr::read(saved.0, saved.1));
                            with = Some(with.map_or(same.clone(), |with| with.and(&same)));
                        }
                    }
                }
            }
        }
        Rule { updates: updates.into(), with, ..rule.clone() }
    }
}

/// The site of a frame with so many locals of its own is this one.
fn is_site(own: u32, number: usize) -> Expr {
    equals(&Expr::read(Var::Local(own), Time::Before), number)
}

/// The same system whose start stack, if it has more symbols than one, is built from the bottom by rules that come after the others.
fn built(spds: &Spds) -> Spds {
    let mut system = spds.clone();
    let stack = &spds.start.stack;
    if stack.len() < 2 {
        return system;
    }
    let names: Vec<Name> = spds.symbols.iter().map(|symbol| symbol.name.clone()).collect();
    let first = names.len() as u32;
    let control = spds.start.control;
    for (place, symbol) in (0..).zip(stack) {
        system.symbols.push(plain(unused(&names, format!("@start {place}")), None));
        let from = Head { control, symbol: SymbolId(first + place) };
        let (stack, with) = match place {
            0 => (Stack::Swap(*symbol), spds.start.condition.as_ref().and_then(on_top)),
            _ => (Stack::Push(SymbolId(first + place - 1), *symbol), None),
        };
        let updates = Vec::new().into();
        system.rules.push(Rule { from, to: control, stack, guard: None, updates, with, silent: false, label: None });
    }
    system.start = Start { control, stack: [SymbolId(first + stack.len() as u32 - 1)].into(), condition: None };
    system
}

/// A condition about globals and locals of what is on top after a step that leaves globals as they are.
fn on_top(condition: &Expr) -> Option<Expr> {
    let later = |op: &Op| match *op {
        Op::Read(var @ Var::Local(_), _) => Op::Read(var, Time::After),
        Op::Cell(var @ Var::Local(_), _) => Op::Cell(var, Time::After),
        other => other,
    };
    Expr::from_postorder(condition.ops().iter().map(later).collect::<Vec<Op>>())
}

/// A condition about a configuration, over what is kept of it.
fn read(condition: &Expr, place: &dyn Fn(u32) -> Option<u32>) -> Option<Expr> {
    let mut ops = Vec::with_capacity(condition.ops().len());
    for op in condition.ops() {
        ops.push(match *op {
            Op::Read(Var::Local(local), time) => Op::Read(Var::Local(place(local)?), time),
            Op::Cell(Var::Local(_), _) => return None,
            other => other,
        });
    }
    Expr::from_postorder(ops)
}

/// The symbols to which a return may be refused: something else but the start stack's top lies on them, and they have an invariant or are hidden.
fn sites(spds: &Spds) -> Vec<(SymbolId, Vec<u32>)> {
    let hidden: BTreeSet<SymbolId> =
        spds.rules.iter().filter(|rule| rule.silent).map(|rule| rule.from.symbol).collect();
    let calls = spds.rules.iter().filter_map(|rule| match rule.stack {
        Stack::Push(_, site) => Some(site),
        _ => None,
    });
    let covered: BTreeSet<SymbolId> = calls.chain(spds.start.stack.iter().skip(1).copied()).collect();
    let mut sites = Vec::new();
    for site in covered {
        let symbol = spds.symbol(site);
        let invariant = symbol.invariant.as_ref();
        let is_hidden = hidden.contains(&site);
        if !is_hidden && invariant.is_none() {
            continue;
        }
        let variables = symbol.frame.map_or(&[][..], |frame| &spds.frames[frame.0 as usize].variables);
        let reads = |local: u32| invariant.is_some_and(|all| all.reads().any(|(var, _)| var == Var::Local(local)));
        let kept = (0..).zip(variables).filter(|(local, one)| one.ty.range.is_none() && (is_hidden || reads(*local)));
        sites.push((site, kept.map(|(local, _)| local).collect()));
    }
    sites
}
