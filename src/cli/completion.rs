//! Completion scripts, made from the definition of the command line; places after `--reach` are read from the programs on it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{anyhow, bail};
use clap::Parser;
use clap_complete::Shell;
use puch::{places, question};

use super::args::{CArgs, InputArgs};
use super::c_input::CInput;
use super::input::{Input, is_c};
use super::{FINE, Failure, answer, command};

/// `puch completions SHELL`
pub fn script(shell: Shell) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command::command(), "puch", &mut script);
    let script = String::from_utf8(script).map_err(|error| anyhow!("the script is no text: {error}"))?;
    let script = with_places(shell, &script)?;
    answer(|out| out.write_all(script.as_bytes()))?;
    Ok(ExitCode::from(FINE))
}

/// The script with the names of places after `--reach`; as it is for shells that cannot call commands for that.
fn with_places(shell: Shell, script: &str) -> anyhow::Result<String> {
    match shell {
        Shell::Bash => {
            let option = "                --reach)\n                    COMPREPLY=(";
            let own = "$(compgen -W \"$(puch places \"${COMP_WORDS[@]:1}\" 2>/dev/null)\" -- \"${cur}\")";
            replaced(script, &format!("{option}$(compgen -f \"${{cur}}\"))"), &format!("{option}{own})"))
        }
        Shell::Zsh => {
            let script = replaced(script, ":PLACE:_default' \\", ":PLACE:_puch_places' \\")?;
            let own = "_puch_places() {\n    local -a names\n    names=(${(f)\"$(puch places ${(Q)words[2,-1]} 2>/dev/null)\"})\n    \
                       compadd -a names\n}\n\nif [ \"$funcstack[1]\" = \"_puch\" ]";
            replaced(&script, "if [ \"$funcstack[1]\" = \"_puch\" ]", own)
        }
        Shell::Fish => {
            let conditions = ["check", "influence"].map(|command| {
                let condition = format!("__fish_puch_using_subcommand {command}");
                format!("complete -c puch -n \"{condition}\" -l reach -x -a \"(puch places (commandline -opc) 2>/dev/null)\"\n")
            });
            Ok(format!("{script}{}", conditions.concat()))
        }
        _ => Ok(script.to_owned()),
    }
}

fn replaced(script: &str, old: &str, new: &str) -> anyhow::Result<String> {
    if !script.contains(old) {
        bail!("the script for this shell does not look as expected; please report this");
    }
    Ok(script.replace(old, new))
}

/// An input as nothing but its name says.
#[derive(Parser, Debug)]
struct Plain {
    #[command(flatten)]
    input: InputArgs,
}

/// The same of a C program.
#[derive(Parser, Debug)]
struct PlainC {
    #[command(flatten)]
    input: CArgs,
}

/// `puch places`: silent about everything that is no program.
pub fn places(words: &[PathBuf]) -> Result<ExitCode, Failure> {
    for word in words.iter().filter(|word| word.is_file()) {
        let names = named(word).unwrap_or_default();
        answer(|out| names.iter().try_for_each(|name| writeln!(out, "{name}")))?;
    }
    Ok(ExitCode::from(FINE))
}

fn named(file: &Path) -> Option<Vec<String>> {
    if is_c(file) {
        let PlainC { input } = PlainC::try_parse_from([Path::new("puch"), Path::new("--"), file]).ok()?;
        let loaded = CInput::meant(input).ok()?.silently().load().ok()?;
        let names = question::names(&loaded.program);
        let bare = names.iter().filter_map(|name| name.rsplit_once(':')).map(|(_, label)| label);
        let bare = bare.filter(|label| question::places(&loaded.program, label).is_ok()).map(str::to_owned);
        let all: BTreeSet<String> = bare.chain(names.iter().cloned()).collect();
        return Some(all.into_iter().collect());
    }
    let plain = Plain::try_parse_from([Path::new("puch"), Path::new("--"), file]).ok()?;
    let input = Input::meant(plain.input).ok()?.silently();
    let loaded = input.load().ok()?;
    Some(places::names(&loaded.spds, input.naming()))
}
