//! Variables that a question names although they influence nothing.

use puch::check::Property;
use puch::influence::{Question, influence};
use puch::limits::Limits;
use puch::ltl::atoms::Meaning;
use puch::report::present::{Asked, Warning};
use spds_format::Spds;
use spds_format::automaton::Automaton;
use spds_format::expr::{Expr, Time};
use spds_format::model::{Head, SymbolId, Var};

/// A property, and what is assumed at the start.
#[derive(Clone, Copy)]
pub struct Named<'a> {
    pub asked: &'a Asked,
    pub property: &'a Property,
    pub assumed: Option<&'a Expr>,
}

impl Named<'_> {
    /// What to say of the variables that are named. Nothing if a limit is met first.
    pub fn warnings(self, spds: &Spds, limits: &Limits) -> Vec<Warning> {
        let Named { asked, property, assumed } = self;
        let set = match property {
            Property::Configurations(set) => Some(set),
            _ => None,
        };
        let mut warnings = Vec::new();
        if let Some(condition) = assumed {
            let looked_at = set.map_or_else(Vec::new, |set| meanings(spds, set));
            let question = match property {
                Property::Reach(targets) => {
                    Question::reach(targets.iter().map(|target| (target.control, target.symbol)).collect())
                }
                Property::Assertions => Question::assertions(spds),
                Property::Termination => Question::conditions(),
                Property::Ltl(violations) => Question::formula(&violations.meanings),
                Property::Configurations(_) => Question::formula(&looked_at),
            };
            warnings.extend(assumed_in(
                spds,
                condition,
                &question,
                limits,
                &format!(" that `{}` asks", asked.property),
            ));
        }
        warnings.extend(set.into_iter().flat_map(|set| reached(spds, set, &asked.property, limits)));
        warnings
    }
}

/// What to say of the variables that a condition on the start names.
pub fn assumed(spds: &Spds, condition: &Expr, question: &Question<'_>, limits: &Limits) -> Vec<Warning> {
    assumed_in(spds, condition, question, limits, "")
}

fn assumed_in(spds: &Spds, condition: &Expr, question: &Question<'_>, limits: &Limits, asked: &str) -> Vec<Warning> {
    let Ok(known) = influence(spds, question, limits) else { return Vec::new() };
    let start = Head { control: spds.start.control, symbol: spds.start.stack[0] };
    let idle = named(condition).into_iter().filter(|var| !known.matters(start).contains(var));
    let text = |var| format!("`--assume`: {} influences nothing{asked}", called(spds, start.symbol, var));
    idle.map(|var| Warning::NoInfluence(text(var))).collect()
}

/// What to say of the variables that a set of configurations names: only the question may look at them.
fn reached(spds: &Spds, set: &Automaton, property: &str, limits: &Limits) -> Vec<Warning> {
    let mut places: Vec<(SymbolId, Var)> = Vec::new();
    for edge in &set.edges {
        if let (Some(symbol), Some(condition)) = (edge.symbol, &edge.condition) {
            places.extend(named(condition).into_iter().map(|var| (symbol, var)));
        }
    }
    if places.is_empty() {
        return Vec::new();
    }
    let Ok(known) = influence(spds, &Question::conditions(), limits) else { return Vec::new() };
    // The same name may stand at many places: it must matter at one of them.
    let mut idle: Vec<(String, bool)> = Vec::new();
    for (symbol, var) in places.into_iter().filter(|(symbol, _)| known.reaches(*symbol)) {
        let name = called(spds, symbol, var);
        let matters = known.matters_at(symbol).contains(&var);
        match idle.iter_mut().find(|(known, _)| *known == name) {
            Some((_, idle)) => *idle &= !matters,
            None => idle.push((name, !matters)),
        }
    }
    let text = |name| format!("`--reach {property}`: {name} influences no condition of the program from there on");
    idle.into_iter().filter(|(_, idle)| *idle).map(|(name, _)| Warning::NoInfluence(text(name))).collect()
}

/// The variables that a condition reads, in order.
fn named(condition: &Expr) -> Vec<Var> {
    let reads = condition.reads().filter(|(_, time)| *time == Time::Before);
    let mut named: Vec<Var> = reads.map(|(var, _)| var).collect();
    named.sort_unstable();
    named.dedup();
    named
}

fn called(spds: &Spds, symbol: SymbolId, var: Var) -> String {
    format!("`{}`", spds.display_name(spds.symbol(symbol).frame, var))
}

/// The conditions of a set of configurations, as propositions.
fn meanings(spds: &Spds, set: &Automaton) -> Vec<Meaning> {
    let conditions = set.edges.iter().filter_map(|edge| Some((edge.symbol?, edge.condition.as_ref()?)));
    let plain = conditions.filter(|(_, condition)| condition.reads().all(|(_, time)| time == Time::Before));
    plain
        .map(|(symbol, condition)| Meaning::Values { frame: spds.symbol(symbol).frame, condition: condition.clone() })
        .collect()
}
