//! `puch stack` of C programs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Context, anyhow};
use num_bigint::BigUint;
use puch::analyses::{Analysed, Analyses};
use puch::c::program::Overflow;
use puch::limits::Limits;
use puch::refinement::height::{Known, Options, height, names, sizes};
use puch::refinement::{Copies, harness_of_depth};
use puch::source::Source;
use puch::stack::{Height, Kept};
use puch::stack_usage::{Frames, Target, Usage, read};

use super::{Found, typed_sizes};
use crate::cli::Failure;
use crate::cli::abstraction::overflow;
use crate::cli::args::{CArgs, InputArgs, StackArgs};
use crate::cli::c_input::CInput;
use crate::cli::choices::{DataModelName, TargetName};
use crate::cli::guard::Gate;
use crate::cli::refinement::write_harness;
use crate::cli::smt::Solving;
use crate::cli::texts::text_of;

/// What is meant by what was typed.
pub struct Job {
    /// The program; its entry is to be said.
    input: CInput,
    solving: Solving,
    overflow: Overflow,
    limits: Limits,
    /// What is known of frames, if bytes are asked for.
    bytes: Option<Sized>,
    /// Where to write what makes a stack too high.
    harness: Option<PathBuf>,
}

/// What was typed of frames.
struct Sized {
    /// By hand.
    frames: Vec<(String, u64)>,
    /// By directory of what compilers say.
    su: Vec<PathBuf>,
    target: Target,
    /// Whether it was compiled without optimisation.
    is_plain: bool,
}

impl Job {
    /// What is meant.
    pub fn meant(args: StackArgs, limits: Limits) -> Result<Job, Failure> {
        let files = std::iter::once(args.input.file).chain(args.further).collect();
        let InputArgs { input_format, define, .. } = args.input;
        let target = target(args.target, args.c.reading.data_model);
        let input = CInput::meant(CArgs { files, input_format, reading: args.c.reading, entry: None, define })?;
        let overflow = overflow(&args.c.predicates);
        let solving = Solving { second: args.c.predicates.smt, stats: args.stats };
        let asked = args.limit.is_some() || !args.frame.is_empty() || !args.su.is_empty();
        let is_plain = args.unoptimized;
        let bytes = asked.then_some(Sized { frames: args.frame, su: args.su, target, is_plain });
        Ok(Job { input, solving, overflow, limits, bytes, harness: args.harness })
    }

    /// What is known of each of these entries.
    pub fn done(self, entries: &[String], limit: Option<&BigUint>, gate: &Gate) -> Result<Found, Failure> {
        let bounds = self.solving.bounds(self.limits)?;
        let mut options = Options { overflow: self.overflow, bounds, limits: self.limits, ..Options::default() };
        let usage = self.bytes.as_ref().map(|sized| usage(&sized.su)).transpose()?;
        let mut found = Found::default();
        let mut is_written = false;
        for entry in entries {
            gate.stage("reading");
            let loaded = self.input.clone().entered(entry).load()?;
            let program = loaded.program;
            let analyses = Analyses::of(&program);
            options.bytes = match (&self.bytes, &usage) {
                (Some(sized), Some(usage)) => Some(sized.frames(Analysed::of(&program, &analyses), usage)?),
                _ => None,
            };
            gate.stage("searching");
            let Known { height, calls, inputs } = height(Analysed::of(&program, &analyses), &options);
            let height = Height { limit: limit.cloned(), ..height };
            if let Some(path) = self.harness.as_ref().filter(|_| height.kept() == Kept::Beyond && !is_written) {
                is_written = true;
                let sources: Vec<Source<'_>> =
                    loaded.texts.iter().map(|(name, text)| Source::new(name, text)).collect();
                let copies = Copies::new(&program, &inputs, &sources);
                let text = harness_of_depth(&program, &inputs, &copies);
                write_harness(path, &text, &copies, (&program, &inputs))?;
            }
            found.calls.push(calls);
            found.heights.push(height);
        }
        self.solving.concluded(&options.bounds)?;
        Ok(found)
    }
}

impl Sized {
    /// What the frames of a program take.
    fn frames(&self, Analysed { program, analyses }: Analysed<'_>, usage: &Usage) -> anyhow::Result<Frames> {
        let known = names(program);
        let called = usage.calls.values().flat_map(BTreeMap::keys).map(String::as_str);
        let given = typed_sizes(&self.frames, &known.iter().map(String::as_str).chain(called).collect())?;
        let frames = sizes(Analysed { program, analyses }, usage, &given, self.target);
        let frames = frames.map_err(|unknown| anyhow!("{}", unknown.join("\n")))?;
        Ok(if self.is_plain { frames.unoptimized() } else { frames })
    }
}

/// For what a program was compiled.
fn target(typed: Option<TargetName>, model: DataModelName) -> Target {
    match (typed, model) {
        (Some(TargetName::X86_64), _) | (None, DataModelName::Lp64) => Target::X86_64,
        (Some(TargetName::I386), _) | (None, DataModelName::Ilp32) => Target::I386,
        (Some(TargetName::Arm), _) => Target::Arm,
        (Some(TargetName::Aarch64), _) => Target::Aarch64,
        (Some(TargetName::RiscV), _) => Target::RiscV,
    }
}

/// What the files in some directories say.
fn usage(directories: &[PathBuf]) -> anyhow::Result<Usage> {
    let mut texts = Vec::new();
    for directory in directories {
        let context = || format!("cannot read the directory `{}`", directory.display());
        let mut files = BTreeSet::new();
        for entry in std::fs::read_dir(directory).with_context(context)? {
            files.insert(entry.with_context(context)?.path());
        }
        let own = |file: &PathBuf| file.extension().is_some_and(|ending| ending == "su" || ending == "ci");
        files.retain(own);
        if files.is_empty() {
            return Err(anyhow!(
                "`{}` has no `.su` and no `.ci` files: gcc writes them with `-fstack-usage` and `-fcallgraph-info=su`",
                directory.display()
            ));
        }
        for file in files {
            texts.push((file.display().to_string(), text_of(&file)?));
        }
    }
    read(texts.iter().map(|(name, text)| (name.as_str(), text.as_str()))).map_err(|mistakes| {
        let lines = mistakes.iter().map(|mistake| format!("{}:{}: {}", mistake.file, mistake.line, mistake.text));
        anyhow!("{}", lines.collect::<Vec<_>>().join("\n"))
    })
}
