//! The Boolean program that comes out: statements over named predicates, flat, and its text in Bebop's syntax.

use std::fmt::Write as _;
use std::rc::Rc;

use spds_format::model::Place;

use crate::c::program::{ProcedureId, StatementId};

use super::predicate::PredicateId;

/// A predicate, or its negation; after the statement where `after` says so (only in `constrain`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal {
    /// The variable.
    pub name: Rc<str>,
    /// Its value after the statement, not before it.
    pub after: bool,
    /// Whether it is true.
    pub value: bool,
}

/// A conjunction of literals.
pub type Conjunction = Vec<Literal>;

/// What is assigned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A constant.
    Constant(bool),
    /// The disjunction.
    Any(Vec<Conjunction>),
    /// None of these.
    None(Vec<Conjunction>),
    /// True if one of the first, else false if one of the second, else either.
    Choose(Vec<Conjunction>, Vec<Conjunction>),
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// `skip`
    Skip,
    /// Targets, values, and combinations that cannot be.
    Assign(Vec<Rc<str>>, Vec<Value>, Vec<Conjunction>),
    /// Targets, the procedure, its arguments.
    Call(Vec<Rc<str>>, Rc<str>, Vec<Value>),
    /// `assume`: none of these.
    Assume(Vec<Conjunction>),
    /// `assert`: the value.
    Assert(Value),
    /// `goto`
    Goto(Vec<String>),
    /// `return`
    Return(Vec<Rc<str>>),
}

/// How a line stands for its statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// It was made of that statement alone.
    #[default]
    Alone,
    /// It was made of the paths that begin with it; where this one goes from there, if it branches.
    Begins(Option<bool>),
    /// A path passes the statement, whose effect is part of what was made where the path began; where it goes, if it branches.
    Passes(Option<bool>),
}

impl Part {
    /// Whether the statement's effect comes elsewhere.
    pub fn passes(self) -> bool {
        matches!(self, Part::Passes(_))
    }

    /// Where a path goes from a statement that branches.
    pub fn side(self) -> Option<bool> {
        match self {
            Part::Alone => None,
            Part::Begins(side) | Part::Passes(side) => side,
        }
    }
}

/// A statement with its surroundings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Labels.
    pub labels: Vec<String>,
    /// Those of them that the C program has.
    pub own: Vec<String>,
    /// What it does.
    pub step: Step,
    /// The statement of C that it stands for, at the first of its steps.
    pub comment: Option<String>,
    /// Of which statement it was made; none where the procedure is entered.
    pub statement: Option<StatementId>,
    /// How it stands for that.
    pub part: Part,
    /// Where that is.
    pub place: Place,
}

/// Which predicates variables are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meanings {
    /// For each global.
    pub globals: Vec<PredicateId>,
    /// For each procedure for its formals, and then for its locals; what is kept for calls comes after these and is none.
    pub locals: Vec<Vec<PredicateId>>,
}

/// A procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Procedure {
    /// That of the C program.
    pub id: ProcedureId,
    /// Its name.
    pub name: Rc<str>,
    /// Predicates that the caller decides.
    pub formals: Vec<Rc<str>>,
    /// All others.
    pub locals: Vec<Rc<str>>,
    /// What is kept for calls: no predicates of the program.
    pub kept: Vec<Rc<str>>,
    /// How many predicates it returns.
    pub results: usize,
    /// Combinations that can never be while it is on top.
    pub enforce: Vec<Conjunction>,
    /// Its statements.
    pub lines: Vec<Line>,
}

/// A Boolean program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Predicates over globals, with their values at the start.
    pub globals: Vec<(Rc<str>, Option<bool>)>,
    /// Procedures.
    pub procedures: Vec<Procedure>,
    /// Where it begins.
    pub main: Rc<str>,
    /// Which predicates its variables are.
    pub meanings: Meanings,
    /// Whether a limit was met before all of it was made: then it does not do what it should, and nobody may ask it anything.
    pub is_cut: bool,
}

impl Program {
    /// In Bebop's syntax, one statement a line.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (name, initial) in &self.globals {
            let initial = match initial {
                Some(value) => format!(" := {}", u8::from(*value)),
                None => String::new(),
            };
            let _ = writeln!(text, "decl {name}{initial};");
        }
        for procedure in &self.procedures {
            if !text.is_empty() {
                text.push('\n');
            }
            procedure.write(&mut text);
        }
        text
    }
}

impl Procedure {
    fn write(&self, text: &mut String) {
        let kind = match self.results {
            0 => "void".to_owned(),
            1 => "bool".to_owned(),
            many => format!("bool<{many}>"),
        };
        let _ = writeln!(text, "{kind} {}({}) begin", self.name, self.formals.join(", "));
        let locals: Vec<Rc<str>> = self.locals.iter().chain(&self.kept).cloned().collect();
        if !locals.is_empty() {
            let _ = writeln!(text, "  decl {};", locals.join(", "));
        }
        if !self.enforce.is_empty() {
            let _ = writeln!(text, "  enforce {};", none_of(&self.enforce));
        }
        for line in &self.lines {
            let mut written = String::new();
            for label in &line.labels {
                let _ = write!(written, "{label}: ");
            }
            let _ = write!(written, "{:indent$}{}", "", line.step, indent = 4usize.saturating_sub(written.len()));
            if let Some(comment) = &line.comment {
                let _ = write!(
                    written,
                    "{:pad$}// {comment}",
                    "",
                    pad = 44usize.saturating_sub(written.chars().count()).max(2)
                );
            }
            let _ = writeln!(text, "{written}");
        }
        text.push_str("end\n");
    }
}

/// Words of Boolean programs that C has no use for.
const WORDS: [&str; 33] = [
    "decl",
    "begin",
    "end",
    "skip",
    "fi",
    "od",
    "then",
    "elsif",
    "assert",
    "assume",
    "abortif",
    "enforce",
    "constrain",
    "schoose",
    "choose",
    "call",
    "T",
    "F",
    "dead",
    "print",
    "parallel",
    "bool",
    "void",
    "sync",
    "thread",
    "atomic",
    "start_thread",
    "true",
    "false",
    "main_",
    "lock",
    "unlock",
    "atomic_begin",
];

/// A name of C as Boolean programs may have it, different from all that are taken.
pub(super) fn plain(name: &str, taken: &dyn Fn(&str) -> bool) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
    let mut name: String = name.chars().map(plain).collect();
    while WORDS.contains(&&*name) || taken(&name) {
        name.push('_');
    }
    name
}

impl std::fmt::Display for Literal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}{}", if self.value { "" } else { "!" }, if self.after { "'" } else { "" }, self.name)
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Constant(value) => f.write_str(if *value { "T" } else { "F" }),
            Value::Any(cubes) => f.write_str(&some_of(cubes, false)),
            Value::None(cubes) => f.write_str(&none_of(cubes)),
            Value::Choose(yes, no) => match (&yes[..], &no[..]) {
                ([], []) => f.write_str("*"),
                (yes, []) => write!(f, "{} ? T : *", some_of(yes, true)),
                ([], no) => write!(f, "{} ? F : *", some_of(no, true)),
                (yes, no) => write!(f, "schoose[{}, {}]", some_of(yes, false), some_of(no, false)),
            },
        }
    }
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let listed = |values: &[Value]| values.iter().map(Value::to_string).collect::<Vec<_>>().join(", ");
        match self {
            Step::Skip => f.write_str("skip;"),
            Step::Assign(targets, values, constrain) => {
                write!(f, "{} := {}", targets.join(", "), listed(values))?;
                if !constrain.is_empty() {
                    write!(f, " constrain {}", none_of(constrain))?;
                }
                f.write_str(";")
            }
            Step::Call(targets, callee, arguments) => {
                if !targets.is_empty() {
                    write!(f, "{} := ", targets.join(", "))?;
                }
                write!(f, "{callee}({});", listed(arguments))
            }
            Step::Assume(cubes) => write!(f, "assume({});", none_of(cubes)),
            Step::Assert(value) => write!(f, "assert({value});"),
            Step::Goto(labels) => write!(f, "goto {};", labels.join(", ")),
            Step::Return(values) if values.is_empty() => f.write_str("return;"),
            Step::Return(values) => write!(f, "return {};", values.join(", ")),
        }
    }
}

fn joined(cube: &[Literal], bracket: bool) -> String {
    let text = cube.iter().map(Literal::to_string).collect::<Vec<_>>().join(" & ");
    match cube.len() {
        0 => "T".to_owned(),
        1 => text,
        _ if bracket => format!("({text})"),
        _ => text,
    }
}

/// A disjunction; in brackets, if it has more than one operand, where `bracket` says so.
fn some_of(cubes: &[Conjunction], bracket: bool) -> String {
    match cubes {
        [] => "F".to_owned(),
        [one] => joined(one, bracket),
        many => {
            let text = many.iter().map(|cube| joined(cube, true)).collect::<Vec<_>>().join(" | ");
            if bracket { format!("({text})") } else { text }
        }
    }
}

/// The conjunction of the negations.
fn none_of(cubes: &[Conjunction]) -> String {
    let negated = |cube: &Conjunction| match &cube[..] {
        [one] => Literal { value: !one.value, ..one.clone() }.to_string(),
        cube => format!("!({})", joined(cube, false)),
    };
    if cubes.is_empty() { "T".to_owned() } else { cubes.iter().map(negated).collect::<Vec<_>>().join(" & ") }
}
