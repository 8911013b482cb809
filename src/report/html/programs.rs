//! The runs of C programs as the data of a page: a step is a C statement, with the state before it.

use std::collections::HashMap;

use serde_json::{Map, Value as Json, json};
use spds_format::model::Place;

use super::{Subject, known};
use crate::c::Program;
use crate::c::expression::LvalueKind;
use crate::c::program::{ProcedureId, Statement, Storage, VariableId};
use crate::interpreter::scene::{Part, Scene, Seen, parts};
use crate::interpreter::{Inputs, Moment, Observer, Options, Outcome, observe};
use crate::report::c_run::statement_at;

/// The greatest number that JavaScript holds as one.
const EXACT: u128 = 1 << 53;

/// A run to be shown.
pub struct Shot<'s> {
    /// The program, with the question written into it.
    pub program: &'s Program,
    /// How it is executed; if it goes on for ever, up to where it repeats what it did.
    pub options: Options,
    /// Its inputs.
    pub inputs: Vec<i128>,
    /// After how many steps of C- what is repeated begins, if something is.
    pub repeats: Option<u64>,
    /// With more statements it is left out.
    pub limit: u64,
}

/// Values, statements and procedures that the runs of a page share.
pub struct Tables<'a> {
    subject: Subject<'a>,
    program: &'a Program,
    globals: Vec<Part>,
    /// By procedure.
    locals: Vec<Vec<Part>>,
    facts: HashMap<(Place, &'a str), String>,
    numbers: HashMap<(Place, ProcedureId), usize>,
    symbols: Vec<Json>,
    known: HashMap<Vec<Seen>, usize>,
    rows: Vec<Json>,
}

impl<'a> Tables<'a> {
    /// No run so far; what is known of the statements is known of an abstraction of the program.
    pub fn new(subject: Subject<'a>, program: &'a Program) -> Self {
        let spds = subject.view.spds;
        let mut facts = HashMap::new();
        for fact in &subject.coverage.facts {
            let symbol = spds.symbol(fact.target.symbol);
            if let (Some(place), Some(frame), Some(words)) = (symbol.place, symbol.frame, known(subject, fact)) {
                facts.entry((place, &*spds.frame(frame).name)).or_insert(words);
            }
        }
        let (numbers, symbols, known, rows) = (HashMap::new(), Vec::new(), HashMap::new(), Vec::new());
        let locals = (0..program.procedures.len() as u32).map(|id| locals(program, ProcedureId(id))).collect();
        Tables { subject, program, globals: globals(program), locals, facts, numbers, symbols, known, rows }
    }

    /// The run of an answer, and how it ended; or why it is not shown.
    pub fn run(&mut self, shot: &Shot<'_>, ended: impl Fn(&Outcome) -> String) -> Result<Json, String> {
        let inputs = Inputs::list(shot.inputs.iter().copied());
        let mut film = Film {
            tables: self,
            shot,
            last: None,
            taken: 0,
            flat: Vec::new(),
            cycle: None,
            growth: None,
            asked: Vec::new(),
        };
        // One statement more tells how high the stack is when it begins to repeat.
        let options = Options { steps: shot.options.steps + u64::from(shot.repeats.is_some()), ..shot.options };
        let outcome = observe(shot.program, &options, inputs, &mut film);
        let Film { mut flat, cycle, growth, asked, taken: _, .. } = film;
        let count = (flat.len() / STEP) as u64;
        if count > shot.limit {
            return Err(too_long(count, shot.limit));
        }
        let cycle = cycle.map(|at| flat.split_off(at * STEP));
        let own = outcome.inputs.iter().zip(asked).filter(|(given, _)| given.is_own());
        let given = own.map(|(given, step)| {
            let file = self.program.files.get(given.place.file as usize);
            let call = given.call.as_ref().map(ToString::to_string);
            json!({"call": call, "file": file, "line": given.place.line, "value": number(given.value), "step": step})
        });
        Ok(json!({
            "size": count,
            "steps": count.to_string(),
            "end": ended(&outcome),
            "growth": growth,
            "closes_on": null,
            "stem": flat,
            "cycle": cycle,
            "calls": [],
            "leaps": [],
            "inputs": given.collect::<Vec<_>>(),
        }))
    }

    /// What all runs share.
    pub fn done(self) -> Map<String, Json> {
        let frames = self.program.procedures.iter().zip(&self.locals);
        let frames: Vec<Json> =
            frames.map(|(procedure, parts)| json!({"name": procedure.name, "variables": named(parts)})).collect();
        let shared = [
            // Watch expressions are those of C.
            ("c", true.into()),
            ("globals", named(&self.globals)),
            ("frames", frames.into()),
            ("symbols", self.symbols.into()),
            ("rows", self.rows.into()),
        ];
        shared.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn symbol(&mut self, procedure: ProcedureId, statement: &Statement) -> usize {
        let place = statement.place;
        let next = self.symbols.len();
        let number = *self.numbers.entry((place, procedure)).or_insert(next);
        if number == next {
            let labels: Vec<&str> = statement.labels.iter().map(|label| &**label).collect();
            let name = &*self.program.procedure(procedure).name;
            self.symbols.push(json!({
                "file": place.file,
                "line": place.line,
                "column": place.column,
                "frame": procedure.0,
                "labels": labels,
                "name": name,
                "statement": statement_at(self.program, self.subject.sources, statement),
                "fact": self.facts.get(&(place, name)),
            }));
        }
        number
    }

    /// The values of the globals, and of the locals of the procedure that executes.
    fn values(&mut self, scene: &Scene<'_, '_>, procedure: ProcedureId) -> [usize; 2] {
        [&self.globals, &self.locals[procedure.0 as usize]].map(|parts| {
            let values: Vec<Seen> = parts.iter().map(|part| scene.value(part)).collect();
            if let Some(&row) = self.known.get(&values) {
                return row;
            }
            self.rows.push(Json::Array(values.iter().map(exact).collect()));
            self.known.insert(values, self.rows.len() - 1);
            self.rows.len() - 1
        })
    }
}

/// Why a run is left out.
pub fn too_long(count: u64, limit: u64) -> String {
    format!("the trace has {count} statements, more than {limit} (--trace-steps)")
}

/// Numbers to a step, as scripts have them.
const STEP: usize = 7;

/// A run while it is executed.
struct Film<'f, 'a> {
    tables: &'f mut Tables<'a>,
    shot: &'f Shot<'f>,
    /// Place, procedure and depth of the last statement.
    last: Option<(Place, ProcedureId, usize)>,
    /// Steps of C- so far.
    taken: u64,
    /// Numbers of the steps of the page.
    flat: Vec<i64>,
    /// At which of them what is repeated begins, and how many frames are below there.
    cycle: Option<usize>,
    /// By how many frames each turn leaves the stack higher.
    growth: Option<usize>,
    /// For each input the step that asks for it.
    asked: Vec<usize>,
}

impl Film<'_, '_> {
    fn steps(&self) -> usize {
        self.flat.len() / STEP
    }
}

impl Observer for Film<'_, '_> {
    fn before(&mut self, scene: &Scene<'_, '_>) {
        let Some((procedure, depth, statement)) = scene.next() else { return };
        self.asked.resize(scene.inputs(), self.steps().saturating_sub(1));
        let begins = self.shot.repeats == Some(self.taken);
        let over = self.shot.repeats.is_some() && self.taken == self.shot.options.steps;
        self.taken += 1;
        if let (true, Some(cycle)) = (over, self.cycle) {
            let first = self.flat.get(cycle * STEP + 2).copied().unwrap_or(0);
            self.growth = depth.checked_sub(usize::try_from(first).unwrap_or(0));
            return;
        }
        if begins {
            self.cycle = Some(self.steps());
        }
        let here = (statement.place, procedure, depth);
        if (self.last == Some(here) || statement.kind.is_made_up()) && !begins {
            return;
        }
        self.last = Some(here);
        if self.steps() as u64 > self.shot.limit {
            // Only how long it is matters now.
            self.flat.extend([0; STEP]);
            return;
        }
        let symbol = self.tables.symbol(procedure, statement);
        let [globals, locals] = self.tables.values(scene, procedure);
        self.flat.extend([symbol as i64, 0, depth as i64, globals as i64, locals as i64, 0, 0]);
    }

    fn after(&mut self, _moment: &Moment<'_>) {}
}

/// The global variables that the program mentions, by parts.
fn globals(program: &Program) -> Vec<Part> {
    let ids = (0..program.variables.len() as u32).map(VariableId);
    let seen = ids.filter(|id| program.variable(*id).storage == Storage::Global && is_seen(program, *id));
    seen.flat_map(|id| parts(program, id)).collect()
}

/// The variables that only a procedure sees, by parts.
fn locals(program: &Program, id: ProcedureId) -> Vec<Part> {
    let procedure = program.procedure(id);
    if procedure.body.is_none() {
        return Vec::new();
    }
    let statics = (0..program.variables.len() as u32).map(VariableId);
    let statics = statics.filter(|variable| program.variable(*variable).storage == Storage::Static(id));
    let own = procedure.formals.iter().chain(&procedure.locals).copied();
    let seen: Vec<VariableId> = own.chain(statics).filter(|variable| is_seen(program, *variable)).collect();
    let several = |name: &str| seen.iter().filter(|variable| *program.variable(**variable).name == *name).count() > 1;
    let told = |variable: &VariableId| {
        let known = program.variable(*variable);
        let line = several(&known.name).then_some(known.place.line);
        parts(program, *variable).into_iter().map(move |part| match line {
            Some(line) => part.declared_in(line),
            None => part,
        })
    };
    seen.iter().flat_map(told).collect()
}

/// Whether the source has the name, and some statement does.
fn is_seen(program: &Program, id: VariableId) -> bool {
    let variable = program.variable(id);
    !variable.is_made_up && program.terms.known_lvalue(&LvalueKind::Variable(id), variable.ty).is_some()
}

fn named(parts: &[Part]) -> Json {
    parts.iter().map(|part| json!({"name": part.name})).collect()
}

/// A value that JavaScript reads without rounding it.
fn exact(value: &Seen) -> Json {
    match value {
        Seen::Number(value) => number(*value),
        Seen::Real(text) => text.as_str().into(),
        Seen::Pointer(to) => to.as_str().into(),
        Seen::Any => "any".into(),
        Seen::Unknown => "?".into(),
        Seen::Nothing => Json::Null,
        Seen::Elements(all) => all.iter().map(exact).collect(),
    }
}

fn number(number: i128) -> Json {
    match i64::try_from(number) {
        Ok(small) if number.unsigned_abs() <= EXACT => small.into(),
        _ => number.to_string().into(),
    }
}
