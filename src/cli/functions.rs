//! `puch check FILES --functions`

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{anyhow, bail};
use puch::c::Program;
use puch::c::program::ProcedureId;
use puch::functions::{self, Kind, Options, report};
use puch::report::json::begin;
use serde_json::Value;

use super::args::{CArgs, CheckArgs};
use super::c_input::{CInput, name_of};
use super::choices::{AnswerFormatName, FormatName};
use super::guard::{self, Progress};
use super::{Failure, answer, notices};

/// `puch check FILES --functions`
///
/// Exit codes: 0 nothing can fail if callers keep what they owe, 1 something fails all the same, 3 of something it is not known.
pub fn check(args: CheckArgs) -> Result<ExitCode, Failure> {
    let format = match args.format {
        FormatName::Text => AnswerFormatName::Text,
        FormatName::Json => AnswerFormatName::Json,
        _ => return Err(anyhow!("with `--functions` the answer is text, or JSON (`--format json`)").into()),
    };
    if !args.input.is_c() {
        return Err(anyhow!("`--functions` is about C programs; `{}` is not one", args.input.file.display()).into());
    }
    if !args.properties.is_empty() {
        return Err(anyhow!("`--functions` asks what can fail in functions (`--check`), and nothing else").into());
    }
    let progress = if args.loudness.quiet { Progress::Silent } else { Progress::Shown };
    let files = args.files();
    let name = files.first().map_or_else(String::new, |file| name_of(file));
    let (limits, granted) = (guard::limits(&args.limits, Instant::now()), guard::granted(&args.limits));
    let typed = args.functions;
    let mut kinds: Vec<Kind> = typed.check.iter().map(|kind| kind.meant()).collect();
    if kinds.is_empty() {
        kinds = Kind::ALL.to_vec();
    }
    let options = Options { kinds, limits, seconds: typed.function_timeout, questions: typed.questions };
    let input = CInput::meant(CArgs {
        files,
        input_format: args.input.input_format,
        reading: args.c.reading,
        entry: args.input.entry,
        define: args.input.define,
    })?;
    let input = input.of_a_library();
    let (names, public, input_name) = (typed.function, typed.public, name.clone());
    let verbose = args.loudness.verbose;
    let work = move |gate: &guard::Gate| {
        gate.stage("reading");
        let program = input.load()?.program;
        gate.stage("checking functions");
        let wanted = wanted(&program, &names, public)?;
        let mut tell = |function: &functions::Function| {
            if verbose {
                super::tell(&format!("{}: {} things looked at", function.name, function.findings.len()));
            }
        };
        let all = functions::check(&program, &wanted, &options, &mut tell);
        gate.answer();
        answer(|out| match format {
            AnswerFormatName::Text => report::text(out, &program.files, &all, &options.kinds),
            AnswerFormatName::Json => {
                let told = notices::told();
                begin(out, notices::header(&name, None, &told))?;
                let list = Value::from(report::json(&program.files, &all, &options.kinds));
                writeln!(out, ",\n \"results\": {list:#}}}")
            }
        })?;
        Ok(ExitCode::from(report::exit_code(&all)))
    };
    guard::guarded(limits, progress, work, move |stop| notices::stopped(format, &input_name, granted, stop))
}

/// The functions that are asked about.
fn wanted(program: &Program, names: &[String], public: bool) -> anyhow::Result<Vec<ProcedureId>> {
    let mut all = functions::defined(program);
    if let Some(name) = names.iter().find(|name| !all.iter().any(|id| *program.procedure(*id).name == ***name)) {
        bail!("no function `{name}` is defined here");
    }
    all.retain(|id| {
        let procedure = program.procedure(*id);
        (names.is_empty() || names.iter().any(|name| **name == *procedure.name)) && (!public || procedure.is_public)
    });
    Ok(all)
}
