//! Whether a configuration belongs to a regular set: a search over states and the values that they carry.

use std::collections::{BTreeMap, BTreeSet};

use spds_format::Spds;
use spds_format::automaton::{Automaton, Edge, End};
use spds_format::expr::{Binary, Expr, Op, Time};
use spds_format::model::{ControlId, SymbolId};

use super::eval::{Cells, Layout, Scene, Side, Spot, evaluate};
use super::system::{Split, System, var};
#[cfg(not(feature = "whole"))]
use crate::run::Values;

/// A configuration with its whole stack.
#[cfg(not(feature = "whole"))]
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Configuration {
    /// The control location.
    pub control: ControlId,
    /// All globals, hidden registers included.
    pub globals: Values,
    /// The stack, topmost symbol first, each with the locals of its frame.
    pub stack: Vec<(SymbolId, Values)>,
}

/// Whether the configuration belongs to the set, by definition: some path reads its stack, and some values carried by the
/// states on it make the conditions of its edges true.
///
/// Values that nothing asks for stay open; those that are asked for are tried one after the other. So exact, and
/// exponential at worst in the bits that conditions ask the states to carry. The automaton and the configuration must be
/// those of the system ([`Automaton::check`] has no complaint; as many values as variables have cells).
#[cfg(not(feature = "whole"))]
pub fn contains(spds: &Spds, set: &Automaton, configuration: &Configuration) -> bool {
    let known = |values: &[u64]| values.iter().map(|value| Some(*value)).collect::<Cells>();
    let stack = configuration.stack.iter().map(|(symbol, locals)| vec![(*symbol, known(locals))]).collect();
    let seen = Known { control: configuration.control, globals: known(&configuration.globals), stack };
    belongs(&System::new(spds), set, &seen)
}

/// The symbols and values that may lie in one place of the stack.
pub(super) type Level = Vec<(SymbolId, Cells)>;

/// What is known of a configuration; the topmost level of the stack comes first.
pub(super) struct Known {
    pub(super) control: ControlId,
    pub(super) globals: Cells,
    pub(super) stack: Vec<Level>,
}

/// Whether some configuration that fits belongs to the set.
pub(super) fn belongs(system: &System<'_>, set: &Automaton, configuration: &Known) -> bool {
    let search = Search { system, set, configuration };
    let end = End::Control(configuration.control);
    let start = Position { read: 0, end, globals: configuration.globals.clone(), locals: Cells::new() };
    let mut edges: BTreeMap<End, Vec<&Edge>> = BTreeMap::new();
    for edge in &set.edges {
        edges.entry(edge.from).or_default().push(edge);
    }
    let mut seen = BTreeSet::from([start.clone()]);
    let mut pending = vec![start];
    while let Some(position) = pending.pop() {
        if position.read == configuration.stack.len() && set.is_accepting(position.end) {
            return true;
        }
        for edge in edges.get(&position.end).into_iter().flatten() {
            for next in search.follow(&position, edge) {
                if seen.insert(next.clone()) {
                    pending.push(next);
                }
            }
        }
    }
    false
}

/// How far the stack is read, and what is carried; `None` is any value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Position {
    read: usize,
    end: End,
    globals: Cells,
    locals: Cells,
}

struct Search<'s, 'a> {
    system: &'s System<'a>,
    set: &'s Automaton,
    configuration: &'s Known,
}

impl Search<'_, '_> {
    /// Where the edge leads from there, and with which values.
    fn follow(&self, here: &Position, edge: &Edge) -> Vec<Position> {
        if edge.symbol.is_none() && here.read < self.configuration.stack.len() {
            // The configuration with the empty stack, and no other.
            return Vec::new();
        }
        let (globals, locals) = (self.system.globals.len(), self.layout(edge.to).len());
        let read = here.read + usize::from(edge.symbol.is_some());
        let next = Position { read, end: edge.to, globals: vec![None; globals], locals: vec![None; locals] };
        let Some(symbol) = edge.symbol else { return self.under(here, edge, &[], &next) };
        let level = self.configuration.stack.get(here.read).into_iter().flatten();
        let values = level.filter(|(there, _)| *there == symbol).map(|(_, values)| values);
        values.flat_map(|values| self.under(here, edge, values, &next)).collect()
    }

    /// The same where the symbol has these values.
    fn under(&self, here: &Position, edge: &Edge, values: &[Option<u64>], next: &Position) -> Vec<Position> {
        let Some(condition) = &edge.condition else { return vec![next.clone()] };
        let locals = edge.symbol.map_or(&self.system.none, |symbol| self.system.locals(symbol));
        let mut found = Vec::new();
        let mut pending = vec![(here.clone(), values.to_vec(), next.clone())];
        while let Some((here, values, next)) = pending.pop() {
            let scene = self.scene(&here, edge, Side { layout: locals, cells: &values }, &next);
            let evaluated = evaluate(condition, &scene);
            if !evaluated.may_hold() {
                continue;
            }
            let Some(spot) = evaluated.open else {
                found.push(next);
                continue;
            };
            let mut split = self.split(spot, edge, condition, &scene);
            while let Some(value) = split.next() {
                let (mut here, mut values, mut next) = (here.clone(), values.clone(), next.clone());
                let ends = ((&mut here.globals, &mut here.locals), (&mut next.globals, &mut next.locals));
                *spot.cell(ends.0, &mut values, ends.1) = Some(value);
                pending.push((here, values, next));
            }
        }
        found
    }

    fn scene<'s>(&'s self, here: &'s Position, edge: &Edge, read: Side<'s>, next: &'s Position) -> Scene<'s> {
        let globals = |cells| Side { layout: &self.system.globals, cells };
        let below = matches!(edge.from, End::State(_));
        Scene {
            // Conditions below the top do not read globals `Before`.
            globals: globals(&here.globals),
            locals: read,
            after: Some((globals(&next.globals), Side { layout: self.layout(edge.to), cells: &next.locals })),
            saved: below.then(|| Side { layout: self.layout(edge.from), cells: &here.locals }),
            carried: below.then(|| globals(&here.globals)),
        }
    }

    /// The values to try for an open cell: where the condition demands that it equals something known, only that.
    fn split(&self, spot: Spot, edge: &Edge, condition: &Expr, scene: &Scene<'_>) -> Split {
        let layout = match (spot.global, spot.time) {
            (true, _) => &self.system.globals,
            (false, Time::After) => self.layout(edge.to),
            (false, Time::Saved) => self.layout(edge.from),
            (false, Time::Before) => scene.locals.layout,
        };
        let owner = u32::try_from(layout.owner(spot.cell)).expect("variables are numbered by u32");
        let var = var(spot.global, owner);
        let scalar = layout.scalar(spot.cell);
        for (left, right) in equations(condition.ops()) {
            for (one, other) in [(left, right), (right, left)] {
                let known = Expr::from_postorder(other).filter(|_| one == [Op::Read(var, spot.time)]);
                let Some(known) = known.map(|known| evaluate(&known, scene)).filter(|known| known.open.is_none())
                else {
                    continue;
                };
                return Split::among(spot, known.value.storable(scalar));
            }
        }
        Split::all(spot, layout.largest(spot.cell))
    }

    fn layout(&self, end: End) -> &Layout {
        self.set.frame(end).map_or(&self.system.none, |frame| self.system.locals_of(frame))
    }
}

/// The sides of the equations among the conjuncts of a condition.
fn equations(ops: &[Op]) -> Vec<(&[Op], &[Op])> {
    // For each operation where the operations of its operands begin.
    let mut begins: Vec<usize> = Vec::with_capacity(ops.len());
    for (at, op) in ops.iter().enumerate() {
        let mut begin = at;
        for _ in 0..op.arity() {
            begin = begins[begin - 1];
        }
        begins.push(begin);
    }
    let mut found = Vec::new();
    let mut pending = vec![ops.len()];
    while let Some(end) = pending.pop() {
        let Some(Op::Binary(op)) = ops[..end].last() else { continue };
        let middle = begins[end - 2];
        match op {
            Binary::And => pending.extend([end - 1, middle]),
            Binary::Eq | Binary::Iff => found.push((&ops[begins[end - 1]..middle], &ops[middle..end - 1])),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use spds_format::automaton::{Role, State, StateId};
    use spds_format::model::Var;

    use super::*;

    fn read(var: Var, time: Time) -> Expr {
        Expr::read(var, time)
    }

    /// ⟨p, a b* c⟩ where all frames of b carry one value n, which is that of the global at the top, and c follows
    /// with the number after it.
    fn example() -> (Spds, Automaton) {
        let spds = spds_format::parse(
            "spds 1 global g: u40; frame f { n: u40 } control p;
             symbol a; symbol b in f; symbol c in f; start <p, a>;",
        )
        .unwrap();
        let state = |name: &str, carries: &[Var], accepting| State {
            name: name.into(),
            frame: None,
            carries: carries.into(),
            accepting,
        };
        let (g, n) = (Var::Global(0), Var::Local(0));
        let states = vec![state("all", &[g], false), state("last", &[], true)];
        let same = |a: &Expr, b: &Expr| a.binary(Binary::Eq, b);
        let edge = |from, symbol, to, condition| Edge {
            from,
            symbol: Some(SymbolId(symbol)),
            to: End::State(StateId(to)),
            condition: Some(condition),
        };
        let all = End::State(StateId(0));
        let kept = same(&read(g, Time::Saved), &read(g, Time::After));
        let next = read(g, Time::Saved).binary(Binary::Add, &Expr::number(1));
        let edges = vec![
            edge(End::Control(ControlId(0)), 0, 0, same(&read(g, Time::Before), &read(g, Time::After))),
            edge(all, 1, 0, kept.and(&same(&read(g, Time::After), &read(n, Time::Before)))),
            edge(all, 2, 1, same(&read(n, Time::Before), &next)),
        ];
        (spds, Automaton { states, edges })
    }

    fn belongs(global: u64, stack: &[(u32, &[u64])]) -> bool {
        let (spds, set) = example();
        assert_eq!(set.check(&spds, Role::Input), []);
        let stack = stack.iter().map(|(symbol, locals)| (SymbolId(*symbol), (*locals).into())).collect();
        contains(&spds, &set, &Configuration { control: ControlId(0), globals: [global].into(), stack })
    }

    #[test]
    fn states_carry_values_past_the_symbols_that_are_read() {
        assert!(belongs(7, &[(0, &[]), (2, &[8])]));
        assert!(belongs(7, &[(0, &[]), (1, &[7]), (1, &[7]), (2, &[8])]));
        assert!(!belongs(7, &[(0, &[]), (1, &[7]), (1, &[6]), (2, &[8])]));
        assert!(!belongs(7, &[(0, &[]), (1, &[7]), (2, &[7])]));
        assert!(!belongs(7, &[(0, &[]), (1, &[7])]));
        assert!(!belongs(7, &[]));
    }
}
