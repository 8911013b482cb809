//! What a relation says about each variable after the step, in the words of the model.

use std::ops::{Range, RangeInclusive};

use spds_format::expr::{Expr, Op, Time};
use spds_format::model::{FrameId, Update, Var, Variable};

use super::relation::{Parts, Step, What};

/// A variable after the step, with what is said about it.
pub(super) struct Target<'a> {
    var: Var,
    time: Time,
    variable: &'a Variable,
    /// Whether the implicit frame keeps its value.
    kept: bool,
    pub said: Vec<(Range<usize>, What)>,
    /// Whether `with` reads its value after the step.
    pub in_with: bool,
}

/// All variables after the step: globals, those of the new top, those below.
pub(super) struct Targets<'a> {
    pub all: Vec<Target<'a>>,
    globals: usize,
    top: usize,
}

impl<'a> Targets<'a> {
    pub fn new(step: &Step<'a>) -> Self {
        let mut all = Vec::new();
        let mut add = |variables: &'a [Variable], var: fn(u32) -> Var, time: Time, kept: bool| {
            all.extend((0..).zip(variables).map(|(number, variable)| Target {
                var: var(number),
                time,
                variable,
                kept,
                said: Vec::new(),
                in_with: false,
            }));
        };
        let same = |frame: Option<FrameId>| frame.is_some() && frame == step.from;
        add(step.globals, Var::Global, Time::After, true);
        add(step.top.0, Var::Local, Time::After, !step.call && same(step.top.1));
        add(step.below.0, Var::Local, Time::Saved, same(step.below.1));
        Targets { all, globals: step.globals.len(), top: step.top.0.len() }
    }

    pub fn get(&mut self, var: Var, time: Time) -> &mut Target<'a> {
        let number = match (var, time) {
            (Var::Global(number), _) => number as usize,
            (Var::Local(number), Time::Saved) => self.globals + self.top + number as usize,
            (Var::Local(number), _) => self.globals + number as usize,
        };
        &mut self.all[number]
    }
}

impl Target<'_> {
    fn update(&self, index: Option<Expr>, value: Expr) -> Update {
        Update { var: self.var, time: self.time, index, value }
    }

    /// Says it in the words of the model.
    pub fn emit(&self, ops: &[Op], parts: &mut Parts, with: &mut Vec<Range<usize>>) {
        if self.said.is_empty() {
            if self.kept && !self.in_with {
                parts.updates.push(self.update(None, Expr::any()));
                parts.forgotten.push((self.var, self.time));
            }
            return;
        }
        match self.variable.ty.range {
            None => self.emit_scalar(ops, parts),
            Some((first, last)) => {
                let plan = self.plan(ops, u64::from(first)..=u64::from(last));
                if matches!(plan, Plan::Relation) {
                    with.extend(self.said.iter().map(|(range, _)| range.clone()));
                } else {
                    self.emit_cells(ops, &plan, parts);
                }
            }
        }
    }

    /// Whether that value is the one before the step, of the same variable.
    fn is_identity(&self, value: &[Op]) -> bool {
        self.kept && value == [Op::Read(self.var, Time::Before)]
    }

    fn emit_scalar(&self, ops: &[Op], parts: &mut Parts) {
        let values = self.said.iter().filter_map(|(_, what)| match what {
            What::Is { value, .. } => Some(value.ops(ops)),
            _ => None,
        });
        let values: Vec<&[Op]> = values.collect();
        if values.is_empty() {
            // It may have any value, which `with` may restrict.
            if self.kept && !self.in_with {
                parts.updates.push(self.update(None, Expr::any()));
            }
        } else if self.in_with || !values.iter().all(|value| self.is_identity(value)) {
            parts.updates.extend(values.iter().map(|value| self.update(None, piece(value))));
        }
    }

    /// How to speak of an array.
    fn plan(&self, ops: &[Op], cells: RangeInclusive<u64>) -> Plan {
        let mut kept: Vec<u64> = Vec::new();
        let mut assigned: Vec<&[Op]> = Vec::new();
        let mut exceptions: Vec<(u64, Vec<&[Op]>)> = Vec::new();
        for (_, what) in &self.said {
            match what {
                What::Is { index, value } => {
                    let index = index_of(ops, index);
                    match *index {
                        [Op::Number(cell)] if self.is_cell_identity(cell, value.ops(ops)) => kept.push(cell),
                        _ => assigned.push(index),
                    }
                }
                What::Any { index } => assigned.push(index_of(ops, index)),
                What::Kept { cell, unless } => {
                    let mut unless: Vec<&[Op]> = unless.iter().map(|range| &ops[range.clone()]).collect();
                    unless.sort_unstable();
                    unless.dedup();
                    exceptions.push((*cell, unless));
                }
            }
        }
        if self.in_with {
            return Plan::Relation;
        }
        if !self.kept {
            // Cells that are not assigned are arbitrary by themselves.
            return if exceptions.is_empty() { Plan::Assign } else { Plan::Relation };
        }
        assigned.sort_unstable();
        assigned.dedup();
        kept.sort_unstable();
        kept.dedup();
        let count = (cells.end() - cells.start() + 1) as usize;
        if !exceptions.is_empty() {
            exceptions.sort_unstable();
            exceptions.dedup();
            let all = exceptions.len() == count && exceptions.iter().map(|(cell, _)| *cell).eq(cells);
            let fits = all && kept.is_empty() && exceptions.iter().all(|(_, unless)| *unless == assigned);
            return if fits { Plan::KeepOthers } else { Plan::Relation };
        }
        let numbers = assigned.iter().map(|index| match **index {
            [Op::Number(cell)] => Some(cell),
            _ => None,
        });
        let Some(numbers) = numbers.collect::<Option<Vec<u64>>>() else { return Plan::Relation };
        if numbers.iter().chain(&kept).any(|cell| !cells.contains(cell)) {
            // There is no such cell, so no step.
            return Plan::Relation;
        }
        let mut mentioned = [kept.clone(), numbers.clone()].concat();
        mentioned.sort_unstable();
        mentioned.dedup();
        if count - mentioned.len() > mentioned.len() {
            return Plan::Relation;
        }
        let forgotten = cells.filter(|cell| mentioned.binary_search(cell).is_err()).collect();
        Plan::Cells { assigned: numbers, forgotten }
    }

    fn is_cell_identity(&self, cell: u64, value: &[Op]) -> bool {
        self.kept && value == [Op::Number(cell), Op::Cell(self.var, Time::Before)]
    }

    fn emit_cells(&self, ops: &[Op], plan: &Plan, parts: &mut Parts) {
        for (_, what) in &self.said {
            match what {
                What::Is { index, value } => {
                    let (index, value) = (index_of(ops, index), value.ops(ops));
                    if let (Plan::Cells { assigned, .. }, [Op::Number(cell)]) = (plan, index)
                        && self.is_cell_identity(*cell, value)
                        && assigned.binary_search(cell).is_err()
                    {
                        continue;
                    }
                    parts.updates.push(self.update(Some(piece(index)), piece(value)));
                }
                What::Any { index } => {
                    parts.updates.push(self.update(Some(piece(index_of(ops, index))), Expr::any()));
                }
                What::Kept { .. } => {}
            }
        }
        if let Plan::Cells { forgotten, .. } = plan
            && !forgotten.is_empty()
        {
            parts.half_forgotten.push((self.var, self.time));
            let any = |cell: &u64| self.update(Some(Expr::number(*cell)), Expr::any());
            parts.updates.extend(forgotten.iter().map(any));
        }
    }
}

/// How the conjuncts about an array become updates.
enum Plan {
    /// They do not: they stay a relation.
    Relation,
    /// Each is an update; nothing else needs to be said.
    Assign,
    /// The same, and all other cells keep their value.
    KeepOthers,
    /// Cells with known numbers: some assigned, some arbitrary, the others keep their value.
    Cells { assigned: Vec<u64>, forgotten: Vec<u64> },
}

fn index_of<'o>(ops: &'o [Op], index: &Option<Range<usize>>) -> &'o [Op] {
    index.as_ref().map_or(&[], |range| &ops[range.clone()])
}

/// A piece of a relation that is a whole operand.
fn piece(ops: &[Op]) -> Expr {
    Expr::from_postorder(ops).expect("operands are whole expressions")
}
