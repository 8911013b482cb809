//! How the values at a statement hang together with those at the entry of its procedure: as diagrams of decisions, which are data.

use rustc_hash::FxHashMap;
use spds_format::Spds;
use spds_format::expr::Time;
use spds_format::model::{Scalar, SymbolId, Var};

use crate::bdd::{At, Column, Relation};
use crate::check::CheckError;
use crate::check::Target;
use crate::check::control::heads_of;
use crate::check::ground::{Start, in_attempts, space};
use crate::decisions::{Decision, Diagram};
use crate::limits::Stop;
use crate::options::{Options, Switch, TraceWish};
use crate::saturation::System;
use crate::saturation::images::Control;

/// A Boolean: a variable under the symbol that is asked about, at the entry of its procedure ([`Time::Before`]) or now
/// ([`Time::After`]).
pub type Moment = (Var, Time);

/// The combinations of Booleans at these symbols, and at the entries of the procedures in which they are then, with which runs come
/// there. Only those of which `told` says so are spoken of, and integers are not. What does not matter later may be left out, too:
/// each step from what is said of one symbol leads to what is said of the next one.
///
/// # Errors
/// If a limit is met. It takes as long as the check of the reachability of all of them, and each diagram is linear in its BDD.
pub fn relations(
    spds: &Spds,
    symbols: &[SymbolId],
    told: impl Fn(SymbolId, Moment) -> bool,
    options: &Options,
) -> Result<Vec<Diagram<Moment>>, Stop> {
    let options = Options { modref: Switch::Off, blocks: Switch::Off, trace: TraceWish::None, ..options.clone() };
    let targets: Vec<Target> = symbols.iter().map(|&symbol| Target { control: None, symbol }).collect();
    let control = Control::new(spds, None, &options, |pds, _| heads_of(spds, pds, &targets));
    let mut found = Vec::new();
    let stopped = in_attempts(spds, &options, |attempt| {
        found.clear();
        let space = space(spds, &control, None, &options, attempt.as_asked())?;
        space.check()?;
        let system = System::new(spds, &control, None, &space)?;
        let mut post = Start::new(&system, None)?.saturation(&system, &options, None)?;
        post.run(|_| false)?;
        let mut sets: FxHashMap<_, Relation> = FxHashMap::default();
        for (head, set) in post.edges() {
            let all = sets.remove(&head).unwrap_or_else(|| space.bottom());
            sets.insert(head, space.or(&all, set)?);
        }
        for target in &targets {
            let mut all = space.bottom();
            let heads = heads_of(spds, &control.pds, std::slice::from_ref(target));
            for set in heads.iter().filter_map(|head| sets.get(head)) {
                all = space.or(&all, set)?;
            }
            let columns = columns(&system, target.symbol, &told);
            let gone = space.support(&all).into_iter().filter(|column| !columns.contains_key(column));
            let set = space.exists(&all, space.vars(gone.collect::<Vec<_>>()))?;
            found.push(diagram(&system, &columns, &set));
        }
        Ok(())
    });
    match stopped {
        Ok(None) => Ok(found),
        Ok(Some(stop)) => Err(stop),
        Err(CheckError::WitnessRejected(_)) => unreachable!("no run is asked for"),
    }
}

/// The columns of the Booleans that are told of under a symbol.
fn columns(
    system: &System<'_>,
    symbol: SymbolId,
    told: impl Fn(SymbolId, Moment) -> bool,
) -> FxHashMap<Column, Moment> {
    let layout = &system.control.pds.layout;
    let frame = system.spds.symbol(symbol).frame;
    let globals = (0..system.spds.globals.len() as u32).map(Var::Global);
    let locals = (0..system.spds.locals(symbol).len() as u32).map(Var::Local);
    let mut columns = FxHashMap::default();
    for var in globals.chain(locals) {
        let field = layout.field(var, frame);
        let is_one = field.ty.range.is_none() && field.ty.scalar == Scalar::Bool;
        for (time, at) in [(Time::Before, At::Entry), (Time::After, At::Now)] {
            if is_one && told(symbol, (var, time)) {
                columns.extend(field.bits().map(|bit| ((bit, at), (var, time))));
            }
        }
    }
    columns
}

fn diagram(system: &System<'_>, columns: &FxHashMap<Column, Moment>, set: &Relation) -> Diagram<Moment> {
    let space = system.space;
    if space.is_empty(set) || space.is_full(set) {
        return Diagram::constant(space.is_full(set));
    }
    let decisions = space.decisions(set);
    let decisions: Vec<Decision<Moment>> = decisions
        .iter()
        .map(|decision| Decision { test: columns[&decision.column], low: decision.low, high: decision.high })
        .collect();
    let root = decisions.len() as u32 + 1;
    Diagram { decisions, root }
}
