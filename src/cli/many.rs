//! `puch check` of several inputs: each by a process of its own, answers in the order of the inputs.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{anyhow, bail};

use super::args::CheckArgs;
use super::choices::FormatName;
use super::guard::Progress;
use super::input::is_said_c;
use super::pool::{self, Call, Ended, InOrder};
use super::texts::is_stdin;
use super::{FINE, Failure, UNKNOWN, WRONG, answer, check, colour, tell};

/// Whether a command is about several inputs. Several files of C are one program unless `--each` says otherwise.
///
/// # Errors
/// If that cannot be told.
pub fn is_meant(args: &CheckArgs) -> anyhow::Result<bool> {
    let files = args.files();
    let c = files.iter().filter(|file| is_said_c(args.input.input_format, file)).count();
    if files.len() == 1 || c == files.len() && !args.each {
        return Ok(false);
    }
    if files.iter().any(|file| is_stdin(file)) {
        bail!("standard input (`-`) is checked by itself, not among other inputs");
    }
    if c > 1 && !args.each {
        bail!(
            "files of C together are one program, and here are others, too: say `--each` if each is a program by itself"
        );
    }
    if args.certificate.is_some() {
        bail!("`--certificate` names a file for one input; here are {}", files.len());
    }
    let other = match args.format {
        FormatName::Text | FormatName::Bebop | FormatName::Json => None,
        FormatName::Html => Some("html"),
        FormatName::Sarif => Some("sarif"),
        FormatName::Junit => Some("junit"),
        FormatName::Dot => Some("dot"),
        FormatName::Svg => Some("svg"),
    };
    if let Some(format) = other {
        bail!("`--format {format}` is a report on one input; here are {}", files.len());
    }
    Ok(true)
}

/// The input that a process is about that was started for one of several.
pub fn only(args: &mut CheckArgs) {
    if let Some(file) = args.only.and_then(|number| args.files().into_iter().nth(number)) {
        args.input.file = file;
        args.further.clear();
    }
}

/// `puch check FILES`
pub fn check(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let files = args.files();
    let jobs = args.jobs.unwrap_or_else(pool::default_jobs);
    let calls: Vec<Call> = files.iter().enumerate().map(|(number, file)| call(args, jobs, number, file)).collect();
    let progress = if args.loudness.quiet { Progress::Silent } else { Progress::Shown };
    let mut order = InOrder::default();
    let (mut code, mut first) = (FINE, true);
    pool::all(&calls, jobs, progress, &mut |number, ended| {
        for (file, ended) in order.take(number, (&files[number], ended)) {
            code = pool::worst(code, shown(args.format, file, &ended, first)?);
            first = false;
        }
        Ok(())
    })?;
    Ok(ExitCode::from(code))
}

/// The same call for one of its inputs.
fn call(args: &CheckArgs, jobs: usize, number: usize, file: &Path) -> Call {
    let mut arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let command = arguments.iter().position(|word| word == "check").map_or(0, |at| at + 1);
    let mut own = vec![format!("--only={number}")];
    if args.limits.memory.is_none() {
        own.extend(pool::default_share(jobs).map(|share| format!("--memory={share}")));
    }
    if args.columns.is_none() {
        own.extend(check::columns(None).map(|columns| format!("--columns={columns}")));
    }
    arguments.splice(command..command, own.into_iter().map(OsString::from));
    Call {
        name: file.display().to_string(),
        arguments,
        timeout: args.limits.timeout,
        style: colour::style(std::io::stdout().is_terminal()),
    }
}

/// Writes what a process has said of an input; the exit code that goes with it.
fn shown(format: FormatName, file: &Path, ended: &Ended, first: bool) -> anyhow::Result<u8> {
    let file = file.display();
    let answered = match ended {
        Ended::Answered(answered) => answered,
        Ended::Broken(how) => {
            tell(&format!("error: `{file}`: {how}"));
            return Ok(WRONG);
        }
        Ended::Interrupted => {
            tell(&format!("warning: `{file}` is not decided: interrupted"));
            return Ok(UNKNOWN);
        }
    };
    if !answered.stderr.is_empty() {
        tell(answered.stderr.trim_end());
    }
    match format {
        FormatName::Json => {
            let line = pool::one_line(&answered.stdout).map_err(|error| anyhow!("`{file}`: {error}"))?;
            answer(|out| writeln!(out, "{line}"))?;
        }
        _ if answered.stdout.is_empty() => {}
        _ => {
            let gap = if first { "" } else { "\n" };
            answer(|out| write!(out, "{gap}==> {file} <==\n{}", answered.stdout))?;
        }
    }
    Ok(answered.code)
}
