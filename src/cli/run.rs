//! `puch run`

use std::process::ExitCode;
use std::time::Instant;

use puch::c::program::Overflow;
use puch::interpreter::{self, End, Environment, Inputs, Outcome};
use puch::limits::Limits;
use puch::report::c_run::{self, Length, Recorder};
use puch::report::json::Granted;

use super::args::RunArgs;
use super::c_input::{CInput, CLoaded, name_of};
use super::choices::{AnswerFormatName, MallocName, OverflowName};
use super::guard::{self, Progress};
use super::texts::{bytes_of, is_stdin};
use super::{FINE, FOUND, Failure, UNKNOWN, answer, check, notices};

/// `puch run`
///
/// Exit codes: 0 the run ends, or is blocked; 1 an assertion fails, or something undefined is reported; 3 it cannot be
/// told how the run goes on.
pub fn run(args: RunArgs) -> Result<ExitCode, Failure> {
    let began = Instant::now();
    let (limits, granted) = (guard::limits(&args.limits, began), guard::granted(&args.limits));
    let progress = if args.loudness.quiet { Progress::Silent } else { Progress::Shown };
    let name = args.input.files.first().map_or_else(String::new, |file| name_of(file));
    let called = args.input.files.first().and_then(|file| file.file_stem()).unwrap_or_default().to_owned();
    let bytes = |one: std::ffi::OsString| one.into_encoded_bytes();
    let arguments = args.arguments.map(|list| std::iter::once(called).chain(list).map(bytes).collect());
    if args.stdin.as_deref().is_some_and(is_stdin) && args.input.files.iter().any(|file| is_stdin(file)) {
        return Err(anyhow::anyhow!("`--stdin -`: standard input is the program").into());
    }
    let input = args.stdin.map(|file| bytes_of(&file)).transpose()?;
    let around = Environment { arguments, input };
    let mut typed = args.input;
    typed.reading.malloc.get_or_insert(MallocName::Succeeds);
    let input = CInput::meant(typed)?;
    let overflow = match args.overflow {
        OverflowName::Wrap => Overflow::Wrap,
        OverflowName::Assume => Overflow::Assume,
        OverflowName::Check => Overflow::Check,
    };
    let (steps, memory) = (args.steps, args.limits.memory.map(|mib| mib << 20));
    let inputs = match args.inputs {
        Some(numbers) => Inputs::list(numbers),
        None => Inputs::Seeded(args.seed),
    };
    let inputs = inputs.left_to_right();
    let length = if args.full { Length::All } else { Length::Ends };
    let format = args.format;
    let work = move |gate: &guard::Gate| {
        gate.stage("reading");
        let loaded = input.load()?;
        gate.stage("executing");
        // What is granted is granted to the process: what it has taken so far is no room for the program.
        let free = |granted: u64| granted.saturating_sub(guard::resident().unwrap_or(0));
        let room = memory.map(free).or(limits.memory.map(|granted| free(granted).min(interpreter::ROOM)));
        let limits = Limits { memory: room, ..limits };
        let options = interpreter::Options { limits, ..interpreter::Options::of(overflow, steps) };
        let mut recorder = Recorder::new(&loaded.program, length).within(check::columns(None));
        let outcome = interpreter::execute_in(&loaded.program, &options, inputs, around, &mut |moment| {
            recorder.tell(moment);
        });
        gate.answer();
        given(format, &loaded, &recorder, &outcome, granted)
    };
    guard::guarded(limits, progress, work, move |stop| notices::stopped(format, &name, granted, stop))
}

/// Writes how the run went; the exit code says the same in a number.
fn given(
    format: AnswerFormatName,
    loaded: &CLoaded,
    recorder: &Recorder<'_>,
    outcome: &Outcome,
    granted: Granted,
) -> Result<ExitCode, Failure> {
    let sources = loaded.sources();
    let names: Vec<&str> = loaded.texts.iter().map(|(name, _)| name.as_str()).collect();
    answer(|out| match format {
        AnswerFormatName::Text => c_run::text(out, &names.join(", "), &sources, recorder, outcome),
        AnswerFormatName::Json => {
            let told = notices::told();
            c_run::json(
                out,
                notices::header(names.first().copied().unwrap_or(""), None, &told),
                granted,
                &names,
                &sources,
                recorder,
                outcome,
            )
        }
    })?;
    Ok(ExitCode::from(match outcome.end {
        End::Returned(_) | End::Exited(_) | End::Blocked(_) => FINE,
        End::Failed(_) | End::Wrong(_) => FOUND,
        End::Unknown(_) => UNKNOWN,
    }))
}
