//! What of a run is shown: names of variables, their values, and which configurations are hidden.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::fmt;

use serde::ser::{Serialize, SerializeSeq, Serializer};
use spds_format::model::{Head, Name, Scalar, Spds, SymbolId, Type, Variable};

use crate::answer;
use crate::places::Naming;
use crate::run::{Config, Ending, Run, Step};

/// A system as reports see it.
pub struct View<'s> {
    /// The system.
    pub spds: &'s Spds,
    /// Whether control locations and stack symbols have names that the user knows.
    pub naming: Naming,
    /// Heads of silent rules.
    silent: HashSet<Head>,
    /// For each frame, the globals (ascending) that one of its locals hides.
    hidden_globals: Vec<Vec<u32>>,
}

/// A shown variable in a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown<'s, 'c> {
    name: &'s Name,
    /// Whether it is a global that a local of the same name hides.
    hidden: bool,
    /// Whether it is a local of the topmost frame.
    pub local: bool,
    /// Its value.
    pub value: Value<'c>,
}

impl<'s> Shown<'s, '_> {
    /// Its name; `::g` for a global that a local of the same name hides.
    pub fn name(&self) -> Cow<'s, str> {
        if self.hidden { Cow::Owned(format!("::{}", self.name)) } else { Cow::Borrowed(self.name) }
    }
}

/// A value: one cell, or several for an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value<'c> {
    ty: Type,
    cells: &'c [u64],
}

impl<'s> View<'s> {
    /// What reports need to know of a system, and which of its names came from the input. Linear in its size.
    pub fn new(spds: &'s Spds, naming: Naming) -> Self {
        let globals: BTreeMap<&str, u32> =
            (0..).zip(&spds.globals).filter(|(_, g)| !g.hidden).map(|(index, g)| (&*g.name, index)).collect();
        let hidden_globals = spds
            .frames
            .iter()
            .map(|frame| {
                let locals = frame.variables.iter().filter(|local| !local.hidden);
                let mut hidden: Vec<u32> = locals.filter_map(|local| globals.get(&*local.name).copied()).collect();
                hidden.sort_unstable();
                hidden
            })
            .collect();
        View { spds, naming, silent: spds.hidden_heads(), hidden_globals }
    }

    /// Whether a configuration is not seen: a silent rule is taken in it, or it stands for the end of the program or
    /// for a failed assertion and is not itself what was asked for.
    pub fn is_hidden(&self, config: &Config, ending: Ending) -> bool {
        let after_the_end = ending != Ending::Reached && [self.spds.end, self.spds.fail].contains(&Some(config.symbol));
        after_the_end || self.silent.contains(&Head { control: config.control, symbol: config.symbol })
    }

    /// The steps of a list that are seen.
    pub fn seen<'r>(&self, steps: &'r [Step], run: &Run) -> impl DoubleEndedIterator<Item = &'r Step> {
        steps.iter().filter(move |step| !self.is_hidden(&step.config, run.ending))
    }

    /// The same with their places in the list.
    pub fn seen_at<'r>(&self, steps: &'r [Step], run: &Run) -> impl Iterator<Item = (usize, &'r Step)> {
        steps.iter().enumerate().filter(move |(_, step)| !self.is_hidden(&step.config, run.ending))
    }

    /// The procedure a configuration is in.
    pub fn procedure(&self, config: &Config) -> Option<&'s str> {
        self.spds.symbol(config.symbol).frame.map(|frame| &*self.spds.frame(frame).name)
    }

    /// The names of the variables on which the cycle of a run closes, if it does not close on all.
    pub fn closes_on(&self, run: &Run) -> Option<Vec<Cow<'s, str>>> {
        let (vars, first) = (run.closes_on.as_ref()?, run.cycle.as_ref()?.first()?);
        let frame = self.spds.symbol(first.config.symbol).frame;
        let seen = vars.iter().filter(|var| self.spds.variable(frame, **var).is_some_and(|variable| !variable.hidden));
        Some(seen.map(|var| self.spds.display_name(frame, *var)).collect())
    }

    /// How many variables are in scope at a symbol, as [`View::values`] has them.
    pub fn scope(&self, symbol: SymbolId) -> usize {
        let shown = |variables: &[Variable]| variables.iter().filter(|variable| !variable.hidden).count();
        shown(&self.spds.globals) + shown(self.spds.locals(symbol))
    }

    /// The variables in scope with their values: globals first, each group as declared.
    pub fn values<'c>(&self, config: &'c Config) -> impl Iterator<Item = Shown<'s, 'c>> {
        self.globals(config.symbol, &config.globals).chain(self.locals(config))
    }

    /// The globals with these values, as they are called at a symbol.
    pub fn globals<'c>(&self, symbol: SymbolId, values: &'c [u64]) -> impl Iterator<Item = Shown<'s, 'c>> {
        let frame = self.spds.symbol(symbol).frame;
        let hidden: &[u32] = frame.map_or(&[], |frame| &self.hidden_globals[frame.0 as usize]);
        let globals = (0..).zip(cells(&self.spds.globals, values)).filter(|(_, (global, _))| !global.hidden);
        globals.map(|(index, (global, value))| Shown {
            name: &global.name,
            hidden: hidden.binary_search(&index).is_ok(),
            local: false,
            value: value.on(global),
        })
    }

    /// The locals of the topmost frame.
    pub fn locals<'c>(&self, config: &'c Config) -> impl Iterator<Item = Shown<'s, 'c>> {
        let locals = cells(self.spds.locals(config.symbol), &config.locals).filter(|(local, _)| !local.hidden);
        locals.map(|(local, value)| Shown { name: &local.name, hidden: false, local: true, value: value.on(local) })
    }
}

/// The cells of one variable, before they are known to be shown.
struct Cells<'c>(&'c [u64]);

impl<'c> Cells<'c> {
    fn on(self, variable: &Variable) -> Value<'c> {
        Value { ty: variable.ty, cells: self.0 }
    }
}

/// Each variable with its cells among `values`.
fn cells<'v, 'c>(variables: &'v [Variable], values: &'c [u64]) -> impl Iterator<Item = (&'v Variable, Cells<'c>)> {
    let mut rest = values;
    variables.iter().map(move |variable| {
        let (own, after) = rest.split_at((variable.ty.cells() as usize).min(rest.len()));
        rest = after;
        (variable, Cells(own))
    })
}

impl Value<'_> {
    /// As readers are told of it.
    pub fn told(&self) -> answer::Value {
        let cell = |cell: u64| match self.ty.scalar {
            Scalar::Bool => answer::Value::Truth(cell != 0),
            Scalar::Unsigned(_) => answer::Value::Number(i128::from(cell)),
        };
        match self.scalar() {
            Some(only) => cell(only),
            None => answer::Value::Array(self.cells.iter().map(|one| cell(*one)).collect()),
        }
    }

    /// The only cell, unless it is an array.
    pub fn scalar(&self) -> Option<u64> {
        self.ty.range.is_none().then(|| self.cells.first().copied().unwrap_or(0))
    }
}

/// In text: Booleans as 0 and 1, arrays in brackets.
impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ty.range.is_none() {
            return write!(f, "{}", self.cells.first().copied().unwrap_or(0));
        }
        f.write_str("[")?;
        for (index, cell) in self.cells.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { "," })?;
            write!(f, "{cell}")?;
        }
        f.write_str("]")
    }
}

/// In JSON: Booleans as `true` and `false`, integers as numbers, arrays as arrays.
impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.ty.range.is_none() {
            let cell = self.cells.first().copied().unwrap_or(0);
            return match self.ty.scalar {
                Scalar::Bool => serializer.serialize_bool(cell != 0),
                Scalar::Unsigned(_) => serializer.serialize_u64(cell),
            };
        }
        let mut seq = serializer.serialize_seq(Some(self.cells.len()))?;
        for cell in self.cells {
            match self.ty.scalar {
                Scalar::Bool => seq.serialize_element(&(*cell != 0))?,
                Scalar::Unsigned(_) => seq.serialize_element(cell)?,
            }
        }
        seq.end()
    }
}
