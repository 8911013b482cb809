//! `puch stack`

mod c;

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{anyhow, bail};
use num_bigint::BigUint;
use puch::check::Options;
use puch::picture::heights::of_calls;
use puch::report::stack::{json, sentence, text};
use puch::report::stack_html::{self, Drawing};
use puch::report::stack_sarif;
use puch::stack::{Calls, Height, Kept, Sizes, Why, nested, procedure, systems};
use spds_format::Spds;
use spds_format::model::SymbolId;

use super::args::{InputArgs, StackArgs};
use super::check::engine;
use super::choices::StackFormatName;
use super::drawing::{Drawn, drawn};
use super::guard::{self, Gate, Progress};
use super::input::Input;
use super::{Failure, answer, code, notices, tell};

/// What is known of each entry.
#[derive(Default)]
pub struct Found {
    /// In the order in which they were named.
    pub heights: Vec<Height>,
    /// Who calls whom, entry by entry, as far as that is known.
    pub calls: Vec<Calls>,
    /// What was measured.
    pub figures: Vec<(&'static str, f64)>,
}

/// How to say it.
#[derive(Clone, Copy)]
struct Report {
    format: StackFormatName,
    stats: bool,
    /// Whether to say why.
    explain: bool,
    /// How many bytes a stack may take.
    limit: Option<u64>,
    /// Whether entries share a stack.
    nested: bool,
    began: Instant,
}

/// `puch stack`
///
/// Exit codes: 0 there is a bound for each entry, within the limit; 1 some stack grows without bound, or beyond the limit; 3 of
/// some it is not known.
pub fn run(args: StackArgs) -> Result<ExitCode, Failure> {
    let began = Instant::now();
    let progress = if args.loudness.quiet { Progress::Silent } else { Progress::Shown };
    let limits = guard::limits(&args.limits, began);
    let granted = guard::granted(&args.limits);
    let report = Report {
        format: args.format,
        stats: args.stats,
        explain: args.explain,
        limit: args.limit,
        nested: args.nested,
        began,
    };
    let name = args.input.file.display().to_string();
    let entries = entries(&args.input);
    let limit = args.limit.map(BigUint::from);
    let stopped = {
        let (name, entries) = (name.clone(), entries.clone());
        move |stop: puch::limits::Stop| {
            let met = granted.met(stop.into());
            let why = Why { sentence: met.why, kind: met.kind };
            let one = |entry: &String| Height::unknown(entry.clone(), why.clone());
            report.given(&name, Found { heights: entries.iter().map(one).collect(), ..Found::default() })
        }
    };
    if args.input.is_c() {
        let job = c::Job::meant(args, limits)?;
        return guard::guarded(
            limits,
            progress,
            move |gate| {
                let found = job.done(&entries, limit.as_ref(), gate)?;
                gate.answer();
                report.given(&name, found)
            },
            stopped,
        );
    }
    refuse_what_is_about_c(&args, &name)?;
    let options = Options { engine: engine(args.bdd), limits, ..Options::default() };
    let work = move |gate: &Gate| {
        let found = found(&args, &entries, limit.as_ref(), &options, gate)?;
        gate.answer();
        report.given(&name, found)
    };
    guard::guarded(limits, progress, work, stopped)
}

/// An error for options and files that only C programs have.
fn refuse_what_is_about_c(args: &StackArgs, name: &str) -> Result<(), Failure> {
    let compiled = [
        ("--su", !args.su.is_empty()),
        ("--target", args.target.is_some()),
        ("--unoptimized", args.unoptimized),
        ("--harness", args.harness.is_some()),
    ];
    let compiled = compiled.into_iter().find(|(_, typed)| *typed).map(|(option, _)| option);
    if let Some(option) = args.c.typed().or(compiled) {
        return Err(anyhow!("`{option}` is about C programs; `{name}` is not one").into());
    }
    if let Some(file) = args.further.first() {
        return Err(anyhow!("several files are a program only in C: `{}`", file.display()).into());
    }
    Ok(())
}

/// What is known of each entry of a system, read and searched by itself.
fn found(
    args: &StackArgs,
    entries: &[String],
    limit: Option<&BigUint>,
    options: &Options,
    gate: &Gate,
) -> Result<Found, Failure> {
    let mut found = Found::default();
    for entry in entries {
        gate.stage("reading");
        let own = args.input.entry.is_some().then(|| entry.clone());
        let loaded = Input::meant(InputArgs { entry: own, ..args.input.clone() })?.load()?;
        gate.stage("searching");
        let sizes = sizes(&args.frame, &loaded.spds)?;
        let sizes = sizes.filter(|_| limit.is_some() || !args.frame.is_empty());
        let name = if args.input.entry.is_some() { entry.clone() } else { begun(&loaded.spds) };
        let known = systems::height(&loaded.spds, &name, sizes.as_ref(), options).map_err(anyhow::Error::from)?;
        if !known.lacking.is_empty() {
            return Err(lacking(&known.lacking).into());
        }
        found.figures.extend(known.stats.figures);
        found.calls.push(known.calls);
        found.heights.push(known.height);
    }
    Ok(found)
}

/// The procedure with which a system begins.
fn begun(spds: &Spds) -> String {
    spds.start.stack.first().map_or_else(String::new, |symbol| procedure(spds, *symbol).to_owned())
}

/// The sizes of frames as they were typed.
fn sizes(typed: &[(String, u64)], spds: &Spds) -> anyhow::Result<Option<Sizes>> {
    let known: BTreeSet<&str> =
        (0..spds.symbols.len() as u32).map(|symbol| procedure(spds, SymbolId(symbol))).collect();
    Ok(Some(typed_sizes(typed, &known)?))
}

/// The same, of procedures with these names.
fn typed_sizes(typed: &[(String, u64)], known: &BTreeSet<&str>) -> anyhow::Result<Sizes> {
    let mut sizes = Sizes::default();
    for (name, bytes) in typed {
        let before = match &**name {
            "*" => sizes.others.replace((*bytes).into()),
            name if known.contains(name) => sizes.of.insert(name.to_owned(), (*bytes).into()),
            name => bail!("`--frame {name}={bytes}`: there is no procedure `{name}`"),
        };
        if before.is_some() {
            bail!("`--frame` says twice how many bytes a frame of `{name}` takes");
        }
    }
    Ok(sizes)
}

/// That sizes are not known that are needed.
fn lacking(names: &[String]) -> anyhow::Error {
    let (first, more) = (&names[0], names.len() - 1);
    let more = if more == 0 { String::new() } else { format!(" and {more} others") };
    anyhow!(
        "how many bytes a frame of `{first}`{more} takes is not known: say `--frame {first}=BYTES`, or `--frame '*=BYTES'` for all others"
    )
}

/// The entries that are named, each with a stack of its own.
fn entries(input: &InputArgs) -> Vec<String> {
    let named = input.entry.as_deref().unwrap_or("main");
    named.split(',').map(|entry| entry.trim().to_owned()).collect()
}

/// Who calls whom, drawn if that can be looked at.
fn drawing<'a>((height, calls): (&Height, &'a Calls)) -> Drawing<'a> {
    let drawn = drawn(&of_calls(&[(&height.entry, calls)]), Drawn::Svg, &height.entry);
    let picture = drawn.map(|svg| String::from_utf8_lossy(&svg).into_owned()).map_err(|error| error.to_string());
    Drawing { calls, picture }
}

impl Report {
    /// What several entries have to do with each other.
    fn together(self, heights: &mut Vec<Height>) {
        let limit = self.limit.map(BigUint::from);
        let several = heights.len() > 1;
        for height in heights.iter_mut() {
            height.limit = limit.clone().filter(|_| !(self.nested && several));
            if several {
                height.assumed.push("no entry changes what another one reads".to_owned());
            }
        }
        if self.nested && several {
            heights.push(nested(heights, limit));
        }
    }

    /// Writes what is known; the exit code says what that is.
    fn given(self, name: &str, mut found: Found) -> Result<ExitCode, Failure> {
        self.together(&mut found.heights);
        if !self.explain {
            found.heights.iter_mut().for_each(|height| height.explanation.clear());
        }
        let found = found;
        let seconds = self.began.elapsed().as_secs_f64();
        let told = notices::told();
        let graph = |how| {
            let entries = found.heights.iter().zip(&found.calls);
            let entries: Vec<(&str, &Calls)> = entries.map(|(height, calls)| (&*height.entry, calls)).collect();
            drawn(&of_calls(&entries), how, name)
        };
        let picture = match self.format {
            StackFormatName::Dot => graph(Drawn::Dot)?,
            StackFormatName::Svg => graph(Drawn::Svg)?,
            _ => Vec::new(),
        };
        if !picture.is_empty() {
            found.heights.iter().for_each(|height| tell(&format!("{}: {}", height.entry, sentence(height))));
        }
        let drawings: Vec<Drawing<'_>> = match self.format {
            StackFormatName::Html => found.heights.iter().zip(&found.calls).map(drawing).collect(),
            _ => Vec::new(),
        };
        answer(|out| match self.format {
            StackFormatName::Text => text(out, &found.heights),
            StackFormatName::Json => {
                json(out, notices::header(name, self.stats.then_some(seconds), &told), &found.heights)
            }
            StackFormatName::Html => {
                stack_html::write(out, notices::header(name, None, &told), &found.heights, &drawings)
            }
            StackFormatName::Sarif => stack_sarif::write(out, notices::header(name, None, &told), &found.heights),
            StackFormatName::Dot | StackFormatName::Svg => out.write_all(&picture),
        })?;
        if self.stats {
            found.figures.iter().for_each(|(name, figure)| tell(&format!("{name}: {figure}")));
            tell(&format!("seconds: {seconds:.3}"));
        }
        let kept = |kept: Kept| found.heights.iter().any(|height| height.kept() == kept);
        Ok(code(kept(Kept::Beyond), kept(Kept::Unknown)))
    }
}
