//! One question, from standard input to standard output: a program with properties, as JSON; the page with the answers, or what
//! is wrong. The page runs it in a worker, with standard input and output of its own making.

use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

use puch::systems::{Language, Problem};
use puch::{Format, Limits, Mistakes, Options};
use serde::{Deserialize, Serialize};

/// No search takes more memory: a page may not have much.
const MEMORY: u64 = 1 << 30;

/// What is asked.
#[derive(Deserialize)]
struct Question {
    /// What the program is called; its ending says what it is.
    name: String,
    /// The program.
    text: String,
    /// A property to a line: `assertions`, `termination`, `reach PLACE`, `ltl FORMULA`.
    properties: String,
    /// How long it may take.
    seconds: f64,
}

/// What is answered.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    /// The page.
    Page(String),
    /// What is wrong, and where in the text of the program, in UTF-16 units.
    Wrong { text: String, places: Vec<(usize, usize)> },
}

impl From<String> for Answer {
    fn from(text: String) -> Answer {
        Answer::Wrong { text, places: Vec::new() }
    }
}

fn main() -> io::Result<()> {
    let mut input = String::new();
    io::stdin().read_to_string(&mut input)?;
    let answer = match serde_json::from_str::<Question>(&input) {
        Ok(question) => answer(&question).unwrap_or_else(|wrong| wrong),
        Err(error) => error.to_string().into(),
    };
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, &answer)?;
    out.flush()
}

fn answer(question: &Question) -> Result<Answer, Answer> {
    let Question { name, text, .. } = question;
    let mut problem = Problem::read_named(name, text, language(name)?).map_err(|mistakes| placed(&mistakes, text))?;
    let mut asked = false;
    for line in question.properties.lines().map(str::trim).filter(|line| !line.is_empty()) {
        problem = put(problem, line)?;
        asked = true;
    }
    if !asked {
        problem = problem.assertions();
    }
    let deadline = Duration::try_from_secs_f64(question.seconds).ok().and_then(|time| Instant::now().checked_add(time));
    let limits = Limits { deadline, memory: Some(MEMORY), ..Limits::NONE };
    let page = problem.page(text, &Options { limits, ..Options::default() }).map_err(|error| error.to_string())?;
    Ok(Answer::Page(page))
}

fn language(name: &str) -> Result<Language, String> {
    let format = match name.rsplit('.').next().unwrap_or("") {
        "bp" | "nbp" => Format::BooleanProgram,
        "rem" => Format::Remopla,
        "spds" => Format::Spds,
        "pds" => Format::MopedPds,
        "json" => Format::Pdaaal,
        "c" | "i" => return Err(
            "C programs are not read in a page: that needs a thread with a stack of known size, and a preprocessor. \
                          The command `puch check` reads them."
                .into(),
        ),
        _ => return Err(format!("`{name}`: a program's name ends in .bp, .nbp, .rem, .spds, .pds or .json")),
    };
    format.language().ok_or_else(|| format!("`{name}` is no system"))
}

/// One more property.
fn put(problem: Problem, line: &str) -> Result<Problem, String> {
    let line = line.trim_start_matches("--");
    let (kind, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    match (kind, rest.is_empty()) {
        ("assertions", true) => Ok(problem.assertions()),
        ("termination", true) => Ok(problem.termination()),
        ("reach", false) => problem.reach(rest).map_err(|mistakes| mistakes.to_string()),
        ("ltl", false) => problem.ltl(rest).map_err(|mistakes| mistakes.to_string()),
        _ => Err(format!("`{line}` is no property: `assertions`, `termination`, `reach PLACE`, `ltl FORMULA`")),
    }
}

/// Mistakes with their places.
fn placed(mistakes: &Mistakes, text: &str) -> Answer {
    let units = |byte: usize| text.get(..byte).map_or(0, |before| before.encode_utf16().count());
    let spans = mistakes.diagnostics.iter().filter_map(|mistake| mistake.span.clone());
    let places = spans.take(100).map(|span| (units(span.start), units(span.end))).collect();
    Answer::Wrong { text: mistakes.to_string(), places }
}
