//! Tasks as they are written down: in TOML or YAML, as a task definition of BenchExec, or as the files of a directory.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use puch::question::Failures;
use puch::question::property::{self, Wanted};
use serde::Deserialize;

use crate::cli::texts::text_of;
use crate::cli::{folder, listed};

/// One call of `puch check`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Task {
    /// What tables call it.
    pub name: String,
    /// The program.
    pub files: Vec<PathBuf>,
    /// Properties and further options.
    pub arguments: Vec<String>,
    /// Seconds.
    pub timeout: Option<f64>,
    /// MiB.
    pub memory: Option<u64>,
    /// The verdicts that are expected, in the order of the properties.
    pub expected: Vec<String>,
    /// Why it is not done, if it is not.
    pub refused: Option<String>,
}

/// A file of tasks.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    timeout: Option<f64>,
    memory: Option<u64>,
    #[serde(default)]
    options: Vec<String>,
    #[serde(alias = "tasks")]
    task: Vec<WrittenTask>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenTask {
    name: Option<String>,
    #[serde(alias = "files")]
    file: OneOrMany<PathBuf>,
    #[serde(default)]
    reach: OneOrMany<String>,
    #[serde(default)]
    ltl: OneOrMany<String>,
    #[serde(default)]
    assertions: bool,
    #[serde(default)]
    termination: bool,
    #[serde(default)]
    expect: OneOrMany<String>,
    #[serde(default)]
    options: Vec<String>,
    timeout: Option<f64>,
    memory: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

impl<T> Default for OneOrMany<T> {
    fn default() -> Self {
        OneOrMany::Many(Vec::new())
    }
}

impl<T> OneOrMany<T> {
    fn all(self) -> Vec<T> {
        match self {
            OneOrMany::One(one) => vec![one],
            OneOrMany::Many(many) => many,
        }
    }
}

/// A task definition of BenchExec, versions 2.0 and 2.1, as far as it matters here.
#[derive(Debug, Deserialize)]
struct Definition {
    input_files: OneOrMany<PathBuf>,
    #[serde(default)]
    properties: Vec<DefinedProperty>,
    #[serde(default)]
    options: DefinedOptions,
}

#[derive(Debug, Deserialize)]
struct DefinedProperty {
    property_file: PathBuf,
    expected_verdict: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
struct DefinedOptions {
    data_model: Option<String>,
}

/// All tasks that a file or a directory stands for, in a fixed order.
///
/// # Errors
/// If something cannot be read, or there is no task.
pub fn read(path: &Path) -> anyhow::Result<Vec<Task>> {
    let tasks = if path.is_dir() { of_directory(path)? } else { of_file(path)? };
    if tasks.is_empty() {
        bail!("`{}` has no task in it", path.display());
    }
    Ok(tasks)
}

fn ending(path: &Path) -> &str {
    path.extension().and_then(|ending| ending.to_str()).unwrap_or("")
}

fn of_file(path: &Path) -> anyhow::Result<Vec<Task>> {
    let name = path.display();
    let context = || format!("`{name}` cannot be read as tasks");
    match ending(path) {
        "toml" => Ok(tasks(path, toml::from_str(&text_of(path)?).with_context(context)?)),
        "yml" | "yaml" => {
            let text = text_of(path)?;
            if is_definition(&text) {
                return definition(path, &text);
            }
            Ok(tasks(path, serde_saphyr::from_str(&text).with_context(context)?))
        }
        _ => bail!("`{name}`: tasks are in files that end in `.toml` or `.yml`, or in a directory"),
    }
}

/// What is written is relative to where it is written.
fn tasks(path: &Path, written: Written) -> Vec<Task> {
    let beside = |file: &Path| path.parent().map_or(file.to_owned(), |directory| directory.join(file));
    let Written { timeout, memory, options, task: listed } = written;
    let task = |task: WrittenTask| {
        let files: Vec<PathBuf> = task.file.all().iter().map(|file| beside(file)).collect();
        let mut arguments: Vec<String> = Vec::new();
        arguments.extend(task.reach.all().into_iter().map(|place| format!("--reach={place}")));
        arguments.extend(task.ltl.all().into_iter().map(|formula| match listed::file(&formula) {
            Some(file) => format!("--ltl=@{}", beside(Path::new(file)).display()),
            None => format!("--ltl={formula}"),
        }));
        arguments.extend(task.assertions.then(|| "--assertions".to_owned()));
        arguments.extend(task.termination.then(|| "--termination".to_owned()));
        arguments.extend(options.iter().cloned().chain(task.options));
        Task {
            name: task.name.unwrap_or_else(|| names(&files)),
            files,
            arguments,
            timeout: task.timeout.or(timeout),
            memory: task.memory.or(memory),
            expected: task.expect.all(),
            refused: None,
        }
    };
    listed.into_iter().map(task).collect()
}

/// What a program is called by its files.
fn names(files: &[PathBuf]) -> String {
    files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(" ")
}

/// Whether a YAML text is a task definition of BenchExec.
fn is_definition(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("format_version"))
}

/// A task definition is a task for each of its properties; without any, one about the assertions.
fn definition(path: &Path, text: &str) -> anyhow::Result<Vec<Task>> {
    let name = path.display();
    let read: Definition =
        serde_saphyr::from_str(text).with_context(|| format!("`{name}` is no task definition of BenchExec"))?;
    let beside = |file: &Path| path.parent().map_or(file.to_owned(), |directory| directory.join(file));
    let files: Vec<PathBuf> = read.input_files.all().iter().map(|file| beside(file)).collect();
    let c = files.iter().any(|file| matches!(ending(file), "c" | "i"));
    let arguments: Vec<String> = match read.options.data_model.as_deref() {
        Some(model) if c => vec![format!("--data-model={}", model.to_ascii_lowercase())],
        _ => Vec::new(),
    };
    if read.properties.is_empty() {
        return Ok(vec![Task { name: name.to_string(), files, arguments, ..Task::default() }]);
    }
    let mut tasks = Vec::new();
    for property in read.properties {
        let file = beside(&property.property_file);
        let text = text_of(&file).with_context(|| format!("the property of `{name}`"))?;
        let asked = asked(&text, c.then_some(&*file));
        let of = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        // That one of several does not hold does not say which.
        let expected = match (property.expected_verdict, asked.as_ref().map_or(0, |(_, count)| *count)) {
            (Some(true), count) => vec!["holds".to_owned(); count],
            (Some(false), 1) => vec!["violated".to_owned()],
            _ => Vec::new(),
        };
        tasks.push(Task {
            name: format!("{name} {of}"),
            files: files.clone(),
            refused: asked.as_ref().err().cloned(),
            arguments: arguments.iter().cloned().chain(asked.into_iter().flat_map(|(options, _)| options)).collect(),
            expected,
            ..Task::default()
        });
    }
    Ok(tasks)
}

/// The options that ask what a property file of SV-COMP asks, and how many answers they get; or why nothing asks it. A C program is
/// given the file itself.
fn asked(text: &str, c: Option<&Path>) -> Result<(Vec<String>, usize), String> {
    let wanted = property::read(text).map_err(|complaints| {
        let messages: Vec<String> = complaints.into_iter().map(|complaint| complaint.message).collect();
        messages.join("; ")
    })?;
    let count = wanted.len();
    if let Some(file) = c {
        return Ok((vec![format!("--property={}", file.display())], count));
    }
    let mut options = Vec::new();
    for property in wanted {
        if property.called.is_some() {
            return Err(format!("`{}` is about C programs", property.text));
        }
        options.push(match property.wanted {
            Wanted::NoFailure(Failures::Errors) => "--assertions".to_owned(),
            Wanted::Termination => "--termination".to_owned(),
            Wanted::Formula(text, _) => format!("--ltl={text}"),
            Wanted::NoFailure(_) => return Err(format!("`{}` is about C programs", property.text)),
        });
        let entry = format!("--entry={}", property.entry);
        if property.entry != "main" && !options.contains(&entry) {
            options.push(entry);
        }
    }
    Ok((options, count))
}

/// All programs in a directory and below, but those that definitions there are about. Systems in JSON are not taken: other
/// things are written in JSON, too.
fn of_directory(directory: &Path) -> anyhow::Result<Vec<Task>> {
    let files = folder::files(directory)?;
    let mut tasks = Vec::new();
    for file in &files {
        match ending(file) {
            "yml" => {
                let text = text_of(file)?;
                if is_definition(&text) {
                    tasks.extend(definition(file, &text)?);
                }
            }
            "bp" | "nbp" | "rem" | "spds" | "pds" | "c" | "i" => {
                tasks.push(Task { name: file.display().to_string(), files: vec![file.clone()], ..Task::default() });
            }
            _ => {}
        }
    }
    let same = |file: &Path| std::fs::canonicalize(file).map_err(|error| anyhow!("`{}`: {error}", file.display()));
    let mut defined = std::collections::BTreeSet::new();
    for file in
        tasks.iter().filter(|task| ending(Path::new(&task.name)) != ending(&task.files[0])).flat_map(|t| &t.files)
    {
        defined.extend(same(file));
    }
    tasks.retain(|task| {
        let alone = task.files.len() == 1 && task.files[0].display().to_string() == task.name;
        !(alone && same(&task.files[0]).is_ok_and(|file| defined.contains(&file)))
    });
    Ok(tasks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_say_the_same_in_both_notations() {
        let toml = "timeout = 9\noptions = ['-q']\n[[task]]\nfile = 'a.bp'\nreach = 'R'\nexpect = 'reachable'\n\
                    [[task]]\nname = 'two'\nfiles = ['a.c', 'b.c']\ntermination = true\nltl = ['G p', '@f.ltl']\ntimeout = 1.5\n";
        let yaml = "timeout: 9\noptions: ['-q']\ntasks:\n- file: a.bp\n  reach: R\n  expect: reachable\n\
                    - name: two\n  files: [a.c, b.c]\n  termination: true\n  ltl: ['G p', '@f.ltl']\n  timeout: 1.5\n";
        let path = Path::new("d/t");
        let read = tasks(path, toml::from_str(toml).expect("it is right"));
        assert_eq!(read, tasks(path, serde_saphyr::from_str(yaml).expect("it is right")));
        assert_eq!((read[0].name.as_str(), read[0].timeout), ("d/a.bp", Some(9.0)));
        assert_eq!(read[0].arguments, ["--reach=R", "-q"]);
        assert_eq!(read[1].arguments, ["--ltl=G p", "--ltl=@d/f.ltl", "--termination", "-q"]);
        assert_eq!((read[1].files.len(), read[1].timeout), (2, Some(1.5)));
    }

    #[test]
    fn what_nobody_knows_in_a_task_is_refused() {
        assert!(toml::from_str::<Written>("[[task]]\nfile = 'a.bp'\nreech = 'R'").is_err());
    }

    #[test]
    fn properties_of_competitions_become_options() {
        let of = |formula: &str, c| {
            asked(&format!("CHECK( init(main()), LTL({formula}) )\n"), c).map(|(options, _)| options)
        };
        assert_eq!(of("G ! call(reach_error())", None), Ok(vec!["--assertions".to_owned()]));
        assert_eq!(of("F end", None), Ok(vec!["--termination".to_owned()]));
        assert_eq!(of("G F p", None), Ok(vec!["--ltl=G F p".to_owned()]));
        assert!(of("G ! overflow", None).is_err() && of("G valid-free", None).is_err());
        let file = Path::new("d/no-overflow.prp");
        assert_eq!(of("G ! overflow", Some(file)), Ok(vec!["--property=d/no-overflow.prp".to_owned()]));
        assert!(of("G valid-free", Some(file)).is_err());
    }
}
