//! Cases: what a law is asked about, as text that can be kept, made smaller and asked again.

use puch::boolprog;
use puch::ltl::parenthesised;
use spds_format::Spds;

use crate::c_shapes::Shaped;
use crate::c_shapes::declarations::Declared;
use crate::cases::smaller_formulas;
use crate::shared;
use crate::support::Shrink;
use crate::support::programs::Program;

/// What a law is asked about.
#[derive(Clone, Debug)]
pub struct Case {
    /// The name of the law.
    pub law: String,
    /// Everything but the input, line by line: a word and a text.
    pub notes: Vec<(String, String)>,
    pub input: Input,
}

/// A system or a text.
#[derive(Clone, Debug)]
pub enum Input {
    System(Spds),
    Program(Program),
    /// C programs about corners of the language.
    Shaped(Vec<Shaped>),
    /// C declarations.
    Declared(Vec<Declared>),
    /// A text of which no part can be left out.
    Whole(String),
    /// Anything else; nothing is known of it.
    Bytes(Vec<u8>),
}

/// Between the notes and the input.
const LINE: &str = "---\n";

impl Input {
    pub fn bytes(&self) -> Vec<u8> {
        match self {
            Input::System(spds) => spds_format::print(spds).into_bytes(),
            Input::Program(program) => program.to_string().into_bytes(),
            Input::Shaped(all) => all.iter().map(Shaped::written).collect::<String>().into_bytes(),
            Input::Declared(all) => all.iter().map(Declared::written).collect::<String>().into_bytes(),
            Input::Whole(text) => text.clone().into_bytes(),
            Input::Bytes(bytes) => bytes.clone(),
        }
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }

    /// The text as a `.spds` system.
    pub fn system(&self) -> Result<Spds, String> {
        match self {
            Input::System(spds) => Ok(spds.clone()),
            _ => spds_format::parse(&self.text()).map_err(|errors| format!("it is no system: {errors:?}")),
        }
    }

    /// The text as a Boolean program.
    pub fn program(&self) -> Result<Spds, String> {
        let program = boolprog::read(&self.text(), "case.bp", &boolprog::Options::default());
        program.map(|program| program.spds).map_err(|complaints| format!("it is refused: {complaints:?}"))
    }
}

impl Case {
    pub fn new(law: &str, input: Input) -> Case {
        Case { law: law.into(), notes: Vec::new(), input }
    }

    pub fn with(mut self, word: &str, text: impl Into<String>) -> Case {
        self.notes.push((word.into(), text.into()));
        self
    }

    /// All notes with this word.
    pub fn all<'a>(&'a self, word: &'a str) -> impl Iterator<Item = &'a str> {
        self.notes.iter().filter(move |(own, _)| own == word).map(|(_, text)| &**text)
    }

    /// The note with this word.
    pub fn one<'a>(&'a self, word: &'a str) -> Result<&'a str, String> {
        self.all(word).next().ok_or_else(|| format!("the case says nothing of `{word}`"))
    }

    /// As a file: notes, a line, the input.
    pub fn written(&self) -> Vec<u8> {
        let mut bytes = format!("law: {}\n", self.law).into_bytes();
        for (word, text) in &self.notes {
            bytes.extend(format!("{word}: {}\n", text.replace('\n', " ")).into_bytes());
        }
        bytes.extend(LINE.bytes());
        bytes.extend(self.input.bytes());
        bytes
    }

    /// Reads such a file.
    pub fn read(bytes: &[u8]) -> Option<Case> {
        let line = format!("\n{LINE}").into_bytes();
        let place = bytes.windows(line.len()).position(|window| window == line)?;
        let head = std::str::from_utf8(&bytes[..place]).ok()?;
        let mut notes: Vec<(String, String)> = Vec::new();
        for line in head.lines() {
            let (word, text) = line.split_once(": ")?;
            notes.push((word.into(), text.into()));
        }
        if notes.is_empty() || notes[0].0 != "law" {
            return None;
        }
        let law = notes.remove(0).1;
        Some(Case { law, notes, input: Input::Bytes(bytes[place + line.len()..].to_vec()) })
    }

    /// The same with another input.
    fn about(&self, input: Input) -> Case {
        Case { input, ..self.clone() }
    }

    /// With a smaller formula, if there is one.
    fn smaller_formulas(&self) -> Vec<Case> {
        let Some(place) = self.notes.iter().position(|(word, _)| word == "formula") else { return Vec::new() };
        let with = |ltl| {
            let mut case = self.clone();
            case.notes[place].1 = parenthesised(&ltl);
            case
        };
        smaller_formulas(&shared::formula(&self.notes[place].1)).into_iter().map(with).collect()
    }

    /// Without one of several notes with the same word.
    fn fewer_notes(&self) -> Vec<Case> {
        let several = |word: &str| self.all(word).count() > 1;
        let places =
            (0..self.notes.len()).filter(|place| several(&self.notes[*place].0) && self.notes[*place].0 == "options");
        let without = |place: usize| {
            let mut case = self.clone();
            case.notes.remove(place);
            case
        };
        places.map(without).collect()
    }
}

impl Shrink for Case {
    fn smaller(&self) -> Vec<Case> {
        let mut all = self.fewer_notes();
        all.extend(self.smaller_formulas());
        all.extend(match &self.input {
            Input::System(spds) => spds.smaller().into_iter().map(|spds| self.about(Input::System(spds))).collect(),
            Input::Program(program) => {
                let programs = program.smaller().into_iter();
                programs.map(|program| self.about(Input::Program(program))).collect::<Vec<_>>()
            }
            Input::Shaped(all) => fewer_shaped(all).into_iter().map(|all| self.about(Input::Shaped(all))).collect(),
            Input::Declared(all) => fewer(all).into_iter().map(|all| self.about(Input::Declared(all))).collect(),
            Input::Whole(_) => Vec::new(),
            Input::Bytes(bytes) => pieces(bytes).into_iter().map(|bytes| self.about(Input::Bytes(bytes))).collect(),
        });
        all
    }
}

/// Half of them, or one less.
fn fewer<T: Clone>(all: &[T]) -> Vec<Vec<T>> {
    if all.len() < 2 {
        return Vec::new();
    }
    let (some, others) = all.split_at(all.len() / 2);
    vec![some.to_vec(), others.to_vec()]
}

/// Fewer programs, or a smaller one.
fn fewer_shaped(all: &[Shaped]) -> Vec<Vec<Shaped>> {
    match all {
        [one] => one.smaller().into_iter().map(|smaller| vec![smaller]).collect(),
        _ => fewer(all),
    }
}

/// The bytes without a part: a half, a quarter, …, a line, a byte.
fn pieces(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    let mut length = bytes.len() / 2;
    while length > 0 {
        all.extend((0..bytes.len() / length).map(|part| without(bytes, part * length, length)));
        length /= 2;
    }
    all
}

fn without(bytes: &[u8], from: usize, length: usize) -> Vec<u8> {
    [&bytes[..from], &bytes[(from + length).min(bytes.len())..]].concat()
}
