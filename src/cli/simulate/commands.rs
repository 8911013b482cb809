//! What one can say to a simulation.

use std::path::PathBuf;

use anyhow::{anyhow, bail};

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Nothing but a line end, a comment.
    Nothing,
    /// A number: a choice, or an input of a C program.
    Number(i128),
    /// So many steps that are not to be chosen.
    Step(usize),
    /// As long as there is nothing to choose.
    Go,
    /// Until a place is reached.
    Until(String),
    /// Undo so many steps.
    Back(usize),
    /// `NAME=VALUE`, or `NAME[INDEX]=VALUE`.
    Set(Vec<Setting>),
    /// Where the run is, and what comes next.
    Show,
    /// What is on the stack.
    Stack,
    /// The run in a form, into a file if one is named.
    Print(Form, Option<PathBuf>),
    /// What one can say.
    Help,
    /// The end.
    Quit,
}

/// A value to be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The variable.
    pub name: String,
    /// The index, of an array.
    pub index: Option<u64>,
    /// The value.
    pub value: u64,
}

/// The form of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Text,
    Bebop,
    Json,
    Html,
    Sarif,
}

/// Reads a command.
///
/// # Errors
/// If it is none.
pub fn read(line: &str) -> anyhow::Result<Command> {
    let line = line.trim();
    if line.starts_with('#') {
        return Ok(Command::Nothing);
    }
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let count = || match rest {
        "" => Ok(1),
        number => number.parse::<usize>().map_err(|_| anyhow!("`{word} {number}`: a number is needed")),
    };
    let alone = |command: Command| match rest {
        "" => Ok(command),
        _ => Err(anyhow!("`{word}` stands alone")),
    };
    match word {
        "" | "s" | "step" => Ok(Command::Step(count()?)),
        "g" | "go" => alone(Command::Go),
        "b" | "back" => Ok(Command::Back(count()?)),
        "show" => alone(Command::Show),
        "stack" => alone(Command::Stack),
        "h" | "help" | "?" => alone(Command::Help),
        "q" | "quit" | "exit" => alone(Command::Quit),
        "u" | "until" if rest.is_empty() => bail!("`until` needs a place: `proc:LABEL`, `LABEL`, `:LINE`"),
        "u" | "until" => Ok(Command::Until(rest.to_owned())),
        "set" => settings(rest).map(Command::Set),
        "print" => printed(rest),
        _ => match line.parse() {
            Ok(number) => Ok(Command::Number(number)),
            Err(_) if line.contains('=') => settings(line).map(Command::Set),
            Err(_) => bail!("`{word}` is no command; `help` lists them"),
        },
    }
}

fn settings(text: &str) -> anyhow::Result<Vec<Setting>> {
    let settings: Vec<Setting> = text.split_whitespace().map(setting).collect::<anyhow::Result<_>>()?;
    if settings.is_empty() {
        bail!("`set` needs values, such as `set x=1 a[3]=0`");
    }
    Ok(settings)
}

/// The last `=` counts: names of predicates have such signs in them.
fn setting(text: &str) -> anyhow::Result<Setting> {
    let wrong = || anyhow!("`{text}`: a name, `=` and a number are needed, without blanks");
    let (name, value) = text.rsplit_once('=').ok_or_else(wrong)?;
    let value = match value {
        "true" => 1,
        "false" => 0,
        number => number.parse().map_err(|_| wrong())?,
    };
    let indexed = name.strip_suffix(']').and_then(|name| name.rsplit_once('['));
    let (name, index) = match indexed {
        Some((name, index)) => (name, Some(index.parse().map_err(|_| wrong())?)),
        None => (name, None),
    };
    Ok(Setting { name: name.to_owned(), index, value })
}

fn printed(text: &str) -> anyhow::Result<Command> {
    let (form, file) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let form = match form {
        "" | "text" => Form::Text,
        "bebop" => Form::Bebop,
        "json" => Form::Json,
        "html" => Form::Html,
        "sarif" => Form::Sarif,
        other => bail!("`{other}` is no form: there are `text`, `bebop`, `json`, `html` and `sarif`"),
    };
    let file = file.trim().trim_start_matches('>').trim();
    Ok(Command::Print(form, (!file.is_empty()).then(|| file.into())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_understood() {
        let said = |line: &str| read(line).expect("it is a command");
        assert_eq!(said(" 3 "), Command::Number(3));
        assert_eq!(said("-7"), Command::Number(-7));
        assert_eq!(said(""), Command::Step(1));
        assert_eq!(said("back 2"), Command::Back(2));
        assert_eq!(said("print json > run.json"), Command::Print(Form::Json, Some("run.json".into())));
        let one = Setting { name: "{x==y}".into(), index: None, value: 1 };
        let two = Setting { name: "a".into(), index: Some(2), value: 7 };
        assert_eq!(said("set {x==y}=true a[2]=7"), Command::Set(vec![one.clone(), two]));
        assert_eq!(said("{x==y}=1"), Command::Set(vec![one]));
    }

    #[test]
    fn what_is_no_command_is_refused() {
        for line in ["jump", "set", "set x", "until", "back far", "print pdf", "quit now"] {
            assert!(read(line).is_err(), "{line}");
        }
    }
}
