//! A run of a C program, as text beside its source and as JSON: one C statement a line, with the values that it assigns.

use std::collections::VecDeque;
use std::io::{self, Write};

use serde::Serialize;
use spds_format::model::Place;

use crate::answer::{Binding, Step, Value};
use crate::c::Program;
use crate::c::float;
use crate::c::library::modelled;
use crate::c::program::{ProcedureId, Statement, StatementKind};
use crate::interpreter::{self, Doubt, End, Moment, Outcome};
use crate::limits::Reason;
use crate::source::{Source, clip};

use super::json::{Granted, Header, Met, begin, write_met};
use super::text::{widest, wrapped};

/// How many lines of the beginning and of the end of a long run are shown.
const ENDS: usize = 200;

/// The depth at which indentation stops growing.
const DEEPEST: usize = 20;

/// The widest column of statements.
const WIDEST: usize = 56;

/// The fewest characters that are left of a statement.
const MIN_STATEMENT_CHARACTERS: usize = 16;

/// A C statement of a run: all that C- makes of it.
#[derive(Clone, Debug)]
struct Line {
    place: Place,
    procedure: ProcedureId,
    depth: usize,
    /// What C- says, where the source is not at hand.
    text: String,
    values: Vec<Binding>,
}

/// How much of a run is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Its beginning and its end.
    Ends,
    /// All.
    All,
}

/// The lines of a run, as they are told.
pub struct Recorder<'p> {
    program: &'p Program,
    length: Length,
    first: Vec<Line>,
    last: VecDeque<Line>,
    omitted: u64,
    /// At which line of all what is repeated for ever begins.
    cycle: Option<u64>,
    /// The longest that lines should be, if it matters.
    columns: Option<usize>,
    /// For each procedure whether it is a model of the library: its steps are those of its call.
    models: Vec<bool>,
}

impl<'p> Recorder<'p> {
    /// No line so far.
    pub fn new(program: &'p Program, length: Length) -> Self {
        let models = program.procedures.iter().map(|procedure| modelled(&procedure.name).is_some()).collect();
        let (first, last) = (Vec::new(), VecDeque::new());
        Recorder { program, length, first, last, omitted: 0, cycle: None, columns: None, models }
    }

    /// The same, for lines that should be no longer: values go on below.
    pub fn within(self, columns: Option<usize>) -> Self {
        Recorder { columns, ..self }
    }

    /// What is told from now on is repeated for ever.
    pub fn repeats(&mut self) {
        self.cycle = Some(self.count());
    }

    /// At which line of all what is repeated for ever begins, if something is.
    pub fn cycle(&self) -> Option<u64> {
        self.cycle
    }

    fn count(&self) -> u64 {
        (self.first.len() + self.last.len()) as u64 + self.omitted
    }

    /// How many lines there are.
    pub fn lines(&self) -> usize {
        self.first.len() + self.last.len()
    }

    /// One more statement of C-; a piece of the C statement before if it stands at the same place.
    pub fn tell(&mut self, moment: &Moment<'_>) {
        if moment.statement.kind.is_made_up() {
            return;
        }
        let value = moment.wrote.and_then(|(to, value)| {
            let own = !self.program.is_made_up(to);
            own.then(|| Binding {
                name: self.program.lvalue_text(to),
                value: self.shown(to, value, moment.pointer().as_deref()),
            })
        });
        let place = moment.statement.place;
        let (procedure, depth) = (moment.procedure, moment.depth);
        if self.models[procedure.0 as usize] {
            let returns = matches!(moment.statement.kind, StatementKind::Return(_));
            return self.returned(depth, value.filter(|_| returns));
        }
        let apart = self.cycle == Some(self.count());
        let before = self.last.back_mut().or(self.first.last_mut());
        if let Some(line) = before.filter(|_| !apart)
            && (line.place, line.procedure, line.depth) == (place, procedure, depth)
        {
            if let Some(new) = value {
                line.values.retain(|other| other.name != new.name);
                line.values.push(new);
            }
            return;
        }
        let text = self.program.statement_text(moment.statement);
        self.push(Line { place, procedure, depth, text, values: value.into_iter().collect() });
    }

    /// A step of a model at a depth: what it returns is shown where it was called.
    fn returned(&mut self, depth: usize, value: Option<Binding>) {
        let before = self.last.back_mut().or(self.first.last_mut());
        if let (Some(line), Some(value)) = (before, value)
            && line.depth + 1 == depth
            && !self.models[line.procedure.0 as usize]
        {
            line.values.push(value);
        }
    }

    fn push(&mut self, line: Line) {
        if self.length == Length::All || self.first.len() < ENDS {
            return self.first.push(line);
        }
        self.last.push_back(line);
        if self.last.len() > ENDS {
            self.last.pop_front();
            self.omitted += 1;
        }
    }

    fn shown(&self, to: crate::c::expression::LvalueId, value: interpreter::Value, pointer: Option<&str>) -> Value {
        let ty = self.program.terms.at(to).ty;
        let integer = self.program.types.as_integer(ty);
        match (value, integer, pointer) {
            (interpreter::Value::Bits(bits), None, _) => {
                let kind = self.program.types.as_float(ty);
                Value::Words(kind.map_or_else(|| "?".to_owned(), |kind| float::spelled(kind, bits)))
            }
            (interpreter::Value::Nan, ..) => Value::Words("nan".to_owned()),
            (interpreter::Value::Bits(bits), Some(integer), _) => Value::Number(integer.number(bits)),
            (_, _, Some(pointer)) => Value::Words(pointer.to_owned()),
            (interpreter::Value::Unrepresented(reason), ..) => {
                Value::Words(self.program.reasons[reason.0 as usize].what.to_string())
            }
            _ => Value::Words("?".to_owned()),
        }
    }
}

/// Writes the run for readers: how it ends, then the run beside the sources that are at hand.
///
/// # Errors
/// If writing fails.
pub fn text(
    out: &mut dyn Write,
    name: &str,
    sources: &[Source<'_>],
    recorder: &Recorder<'_>,
    outcome: &Outcome,
) -> io::Result<()> {
    let program = recorder.program;
    match &outcome.end {
        End::Unknown(doubt) => writeln!(out, "{name}: unknown ({})", doubt.told(program))?,
        end => writeln!(out, "{name}: {}", end.name())?,
    }
    writeln!(out)?;
    lines(out, sources, recorder, outcome)
}

/// Writes the run beside the sources that are at hand.
///
/// # Errors
/// If writing fails.
pub fn lines(
    out: &mut dyn Write,
    sources: &[Source<'_>],
    recorder: &Recorder<'_>,
    outcome: &Outcome,
) -> io::Result<()> {
    let wide = listed(out, sources, recorder, 0)?;
    let depth = recorder.first.iter().chain(&recorder.last).last().map_or(0, |line| line.depth);
    writeln!(out, "  {:wide$}  {}{}", "", indentation(depth), outcome.end.told(recorder.program))?;
    if let Some(place) = outcome.wrapped {
        writeln!(out, "  (signed arithmetic wraps around in line {}: --overflow wrap)", place.line)?;
    }
    orders(out, outcome)?;
    Ok(())
}

/// Writes what should be known of the orders of evaluation that a run takes.
fn orders(out: &mut dyn Write, outcome: &Outcome) -> io::Result<()> {
    outcome.told_orders().iter().try_for_each(|told| writeln!(out, "  ({told})"))
}

/// Writes a run that goes on for ever, up to where it repeats what it did, or to where it is said how it goes on.
///
/// # Errors
/// If writing fails.
pub fn endless(
    out: &mut dyn Write,
    sources: &[Source<'_>],
    recorder: &Recorder<'_>,
    (outcome, told): (&Outcome, Option<&str>),
) -> io::Result<()> {
    let wide = listed(out, sources, recorder, 0)?;
    writeln!(out, "  {:wide$}  {}", "", told.unwrap_or("and so on for ever"))?;
    orders(out, outcome)
}

/// Writes the lines of a run from one on; how wide their numbers are.
///
/// # Errors
/// If writing fails.
pub fn listed(out: &mut dyn Write, sources: &[Source<'_>], recorder: &Recorder<'_>, from: usize) -> io::Result<usize> {
    let program = recorder.program;
    let several = program.files.len() > 1;
    let number = |line: &Line| match several {
        true => format!("{}:{}", program.file(line.place), line.place.line),
        false => line.place.line.to_string(),
    };
    let lines = || recorder.first.iter().chain(&recorder.last);
    let most = widest(recorder.columns, WIDEST);
    let code = |line: &Line| {
        let indentation = indentation(line.depth);
        let room = most.saturating_sub(indentation.len()).max(MIN_STATEMENT_CHARACTERS);
        indentation + &clip(&statement(program, sources, line), if recorder.columns.is_some() { room } else { WIDEST })
    };
    let wide = lines().map(|line| number(line).len()).max().unwrap_or(0);
    let code_wide = lines().map(|line| code(line).chars().count()).max().unwrap_or(0).min(most);
    let mut at = from as u64;
    for (index, line) in lines().enumerate().skip(from) {
        if index == recorder.first.len() && recorder.omitted > 0 {
            writeln!(out, "  {:wide$}  … {} statements that are not shown (--full)", "", recorder.omitted)?;
            at += recorder.omitted;
        }
        if recorder.cycle.is_some_and(|cycle| {
            cycle == at || index == recorder.first.len() && cycle < at && cycle + recorder.omitted > at
        }) {
            writeln!(out, "  {:wide$}  this is repeated:", "")?;
        }
        at += 1;
        let shown = format!("  {:>wide$}  {:code_wide$}", number(line), code(line));
        let value = |Binding { name, value }: &Binding| {
            format!("  {}={}", clip(name, WIDEST), clip(&value.to_string(), WIDEST))
        };
        let values: Vec<String> = line.values.iter().map(value).collect();
        let shown = match recorder.columns {
            Some(columns) => wrapped(shown, values.iter().map(String::as_str), columns),
            None => shown + &values.concat(),
        };
        writeln!(out, "{}", shown.trim_end())?;
    }
    Ok(wide)
}

impl Recorder<'_> {
    /// The statements that are kept, in order.
    pub fn steps<'r>(&'r self, sources: &'r [Source<'_>]) -> impl Iterator<Item = Step> + 'r {
        self.first.iter().chain(&self.last).map(|line| Step {
            file: self.program.file(line.place).to_owned(),
            line: line.place.line,
            column: line.place.column,
            procedure: self.program.procedure(line.procedure).name.to_string(),
            depth: line.depth as u64,
            statement: statement(self.program, sources, line),
            values: line.values.clone(),
        })
    }
}

/// Two blanks per frame; from [`DEEPEST`] on the depth in words.
fn indentation(depth: usize) -> String {
    if depth < DEEPEST { "  ".repeat(depth) } else { format!("[depth {depth}] ") }
}

/// The C statement at a place, as one line shows it; what C- says if its source is not at hand.
fn statement(program: &Program, sources: &[Source<'_>], line: &Line) -> String {
    let text = text_at(program, sources, line.place);
    if text.is_empty() { clip(&line.text, WIDEST) } else { clip(text, WIDEST) }
}

/// The C statement of which a statement of C- is a part, as one line.
pub(super) fn statement_at(program: &Program, sources: &[Source<'_>], statement: &Statement) -> String {
    let text = text_at(program, sources, statement.place);
    if text.is_empty() { clip(&program.statement_text(statement), usize::MAX) } else { clip(text, usize::MAX) }
}

fn text_at<'s>(program: &Program, sources: &[Source<'s>], place: Place) -> &'s str {
    let file = program.file(place);
    let source = sources.iter().find(|source| source.name == file);
    first_statement(source.map_or("", |source| source.rest_of_line(place.line as usize, place.column as usize)))
}

/// The statement with which a line begins: up to its `;`, or to the bracket that closes a condition.
fn first_statement(text: &str) -> &str {
    let mut open = 0usize;
    let head = ["if", "while", "switch", "for"]
        .iter()
        .any(|word| text.strip_prefix(word).is_some_and(|rest| rest.trim_start().starts_with('(')));
    for (at, character) in text.char_indices() {
        match character {
            '(' => open += 1,
            ')' if open == 0 => return text[..at].trim_end(),
            ')' => {
                open -= 1;
                if open == 0 && head {
                    return &text[..=at];
                }
            }
            ';' if open == 0 => return &text[..=at],
            '{' if open == 0 && at > 0 && !text[..at].contains('=') => return text[..at].trim_end(),
            _ => {}
        }
    }
    text.trim_end()
}

#[derive(Serialize)]
struct JsonPlace<'a> {
    file: &'a str,
    line: u32,
    column: u32,
}

impl<'a> JsonPlace<'a> {
    fn new(program: &'a Program, place: Place) -> Self {
        JsonPlace { file: program.file(place), line: place.line, column: place.column }
    }
}

#[derive(Serialize)]
struct JsonStep<'a> {
    #[serde(flatten)]
    place: JsonPlace<'a>,
    procedure: &'a str,
    depth: usize,
    statement: String,
    values: serde_json::Map<String, serde_json::Value>,
}

/// Writes the run as one JSON object, one step to a line.
///
/// # Errors
/// If writing fails.
pub fn json(
    out: &mut dyn Write,
    header: Header<'_>,
    granted: Granted,
    inputs: &[&str],
    sources: &[Source<'_>],
    recorder: &Recorder<'_>,
    outcome: &Outcome,
) -> io::Result<()> {
    let program = recorder.program;
    let number = match outcome.end {
        End::Returned(number) | End::Exited(number) => number,
        _ => None,
    };
    let own = outcome.inputs.iter().filter(|given| given.is_own());
    let asked: Vec<serde_json::Value> = own.map(|given| json_number(given.value)).collect();
    begin(out, header)?;
    write_met(out, met(program, granted, outcome).as_ref())?;
    writeln!(out, ",\n \"inputs\": {},", value(&inputs))?;
    writeln!(out, " \"run\": {{\"ending\": \"{}\",", outcome.end.name())?;
    writeln!(out, "  \"what\": {},", value(&outcome.end.told(program)))?;
    writeln!(out, "  \"value\": {},", value(&number.map(json_number)))?;
    writeln!(out, "  \"place\": {},", value(&JsonPlace::new(program, outcome.place)))?;
    writeln!(out, "  \"procedure\": {},", value(&program.procedure(outcome.procedure).name))?;
    writeln!(out, "  \"wraps_at\": {},", value(&outcome.wrapped.map(|place| JsonPlace::new(program, place))))?;
    writeln!(out, "  \"asked\": {},", value(&asked))?;
    writeln!(out, "  \"notes\": {},", value(&outcome.told_orders()))?;
    writeln!(out, "  \"steps_omitted\": {},", recorder.omitted)?;
    write!(out, "  \"trace\": [")?;
    steps(out, sources, recorder)?;
    writeln!(out, "]}}}}")
}

/// Why it cannot be told how a run goes on.
fn met(program: &Program, granted: Granted, outcome: &Outcome) -> Option<Met> {
    let End::Unknown(doubt) = &outcome.end else { return None };
    let granted = match doubt {
        Doubt::Stopped(stop) => granted.met(Reason::from(*stop)),
        Doubt::Memory => granted.met(Reason::Memory),
        Doubt::Steps => Met { why: String::new(), kind: doubt.kind(), limit: Some(outcome.steps as f64) },
        _ => Met { why: String::new(), kind: doubt.kind(), limit: None },
    };
    Some(Met { why: doubt.told(program), ..granted })
}

/// Writes the steps of a run as JSON objects, one to a line.
///
/// # Errors
/// If writing fails.
pub fn steps(out: &mut dyn Write, sources: &[Source<'_>], recorder: &Recorder<'_>) -> io::Result<()> {
    listed_as_json(out, sources, recorder, 0..u64::MAX)
}

/// Those before what is repeated.
///
/// # Errors
/// If writing fails.
pub fn stem(out: &mut dyn Write, sources: &[Source<'_>], recorder: &Recorder<'_>) -> io::Result<()> {
    listed_as_json(out, sources, recorder, 0..recorder.cycle.unwrap_or(u64::MAX))
}

/// Those that are repeated, as a list; `null` if none are.
///
/// # Errors
/// If writing fails.
pub fn cycle(out: &mut dyn Write, sources: &[Source<'_>], recorder: &Recorder<'_>) -> io::Result<()> {
    let Some(cycle) = recorder.cycle else { return write!(out, "null") };
    write!(out, "[")?;
    listed_as_json(out, sources, recorder, cycle..u64::MAX)?;
    write!(out, "]")
}

/// Those of the steps in this part of the run that are kept.
fn listed_as_json(
    out: &mut dyn Write,
    sources: &[Source<'_>],
    recorder: &Recorder<'_>,
    part: std::ops::Range<u64>,
) -> io::Result<()> {
    let program = recorder.program;
    let (first, omitted) = (recorder.first.len() as u64, recorder.omitted);
    let numbers = (0..first).chain(first + omitted..);
    let lines = numbers.zip(recorder.first.iter().chain(&recorder.last)).filter(|(at, _)| part.contains(at));
    for (index, (_, line)) in lines.enumerate() {
        let values = line.values.iter().map(|Binding { name, value }| (name.clone(), serde_json::json!(value)));
        let step = JsonStep {
            place: JsonPlace::new(program, line.place),
            procedure: &program.procedure(line.procedure).name,
            depth: line.depth,
            statement: statement(program, sources, line),
            values: values.collect(),
        };
        write!(out, "{}{}", if index == 0 { "" } else { ",\n            " }, value(&step))?;
    }
    Ok(())
}

/// A number, as a string where JSON's readers would round it to what they can hold.
pub fn json_number(number: i128) -> serde_json::Value {
    serde_json::json!(Value::Number(number))
}

/// As JSON.
fn value<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}

#[cfg(test)]
mod tests {
    use super::first_statement;

    #[test]
    fn statements_are_told_from_what_follows_on_the_line() {
        assert_eq!(first_statement("x = f(a); y = 1;"), "x = f(a);");
        assert_eq!(first_statement("if (f(a) > 0) x = 1;"), "if (f(a) > 0)");
        assert_eq!(first_statement("while (x) {"), "while (x)");
        assert_eq!(first_statement("i = 0; i < n; i++) {"), "i = 0;");
        assert_eq!(first_statement("i++) {"), "i++");
        assert_eq!(first_statement("struct s a = {1, 2};"), "struct s a = {1, 2};");
    }
}
