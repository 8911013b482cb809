//! `puch null`

use std::process::ExitCode;
use std::time::Instant;

use anyhow::anyhow;
use puch::abstraction::Tuning;
use puch::nullness::{self, Options};
use puch::options::TraceWish;
use puch::report::json::{begin, write_met};
use puch::report::null as report;
use serde_json::Value;

use super::args::NullArgs;
use super::c_input::{CInput, name_of};
use super::choices::{AnswerFormatName, NullFormatName};
use super::guard::{self, Progress};
use super::notices::Machine;
use super::smt::Solving;
use super::{Failure, answer, code, notices};

/// `puch null`
///
/// Exit codes: 0 no pointer can be NULL where it is used, 1 some can, 3 of some it is not known.
pub fn run(args: NullArgs) -> Result<ExitCode, Failure> {
    let progress = if args.loudness.quiet { Progress::Silent } else { Progress::Shown };
    let name = args.input.files.first().map_or_else(String::new, |file| name_of(file));
    let input = CInput::meant(args.input)?;
    let (emit, format, rounds) = (args.emit_bp, args.format, args.rounds);
    let solving = Solving { second: args.smt, stats: args.stats };
    let (limits, granted) = (guard::limits(&args.limits, Instant::now()), guard::granted(&args.limits));
    let input_name = name.clone();
    let work = move |gate: &guard::Gate| {
        let usual = Options::default();
        let tuning = Tuning { bounds: solving.bounds(limits)?, ..usual.tuning };
        let check = puch::Options { limits, ..usual.check };
        let options = Options { tuning, check, rounds, ..usual };
        gate.stage("reading");
        let program = input.load()?.program;
        gate.stage("abstracting and checking");
        if emit {
            let made = nullness::boolean_program(&program, &options);
            if made.is_cut {
                return Err(anyhow!("a limit was met before the abstraction was made").into());
            }
            let text = made.text();
            solving.concluded(&options.tuning.bounds)?;
            gate.answer();
            answer(|out| out.write_all(text.as_bytes()))?;
            return Ok(ExitCode::SUCCESS);
        }
        let all = nullness::analyse(&program, &options);
        solving.concluded(&options.tuning.bounds)?;
        gate.answer();
        answer(|out| match format {
            NullFormatName::Text => report::text(out, &all, TraceWish::Any),
            NullFormatName::Sarif => report::sarif(out, notices::header(&name, None, &notices::told()), &all),
            NullFormatName::Junit => report::junit(out, notices::header(&name, None, &notices::told()), &all),
            NullFormatName::Json => {
                let told = notices::told();
                let met = all.iter().find_map(|one| one.grounds.stopped()).map(|reason| granted.met(reason));
                begin(out, notices::header(&name, None, &told))?;
                write_met(out, met.as_ref())?;
                let list = Value::from(report::json(&all));
                writeln!(out, ",\n \"dereferences\": {list:#}}}")
            }
        })?;
        let null = all.iter().any(|one| one.verdict.claims_run());
        Ok(code(null, all.iter().any(|one| one.verdict.unknown().is_some())))
    };
    guard::guarded(limits, progress, work, move |stop| match format {
        NullFormatName::Text => notices::stopped(AnswerFormatName::Text, &input_name, granted, stop),
        NullFormatName::Json => notices::stopped(AnswerFormatName::Json, &input_name, granted, stop),
        NullFormatName::Sarif => notices::stopped_unanswered(Machine::Sarif, &input_name, granted, stop),
        NullFormatName::Junit => notices::stopped_unanswered(Machine::Junit, &input_name, granted, stop),
    })
}
