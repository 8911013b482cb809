//! `puch convert`

use std::process::ExitCode;

use anyhow::Context;
use puch::influence::graph::{self, Graph, Refused};
use puch::limits::Stop;
use puch::picture::control::{Notes, calls, flow};
use puch::report::json::Granted;
use puch::source::Source;
use puch::{moped_pds, pdaaal};

use super::args::ConvertArgs;
use super::choices::{AnswerFormatName, DrawName, NotationName};
use super::drawing::{Drawn, drawn};
use super::guard::{self, Progress};
use super::input::Input;
use super::{FINE, Failure, UNKNOWN, notices, tell};

/// `puch convert`
pub fn run(args: ConvertArgs) -> Result<ExitCode, Failure> {
    let progress = if args.loudness.quiet { Progress::Silent } else { Progress::Shown };
    let file = args.input.file.display().to_string();
    let input = Input::meant(args.input)?;
    let work = move |gate: &guard::Gate| {
        gate.stage("reading");
        let loaded = input.load()?;
        let written = match args.to {
            NotationName::Spds => spds_format::print(&loaded.spds),
            NotationName::Pds => said(&input, moped_pds::write(&loaded.spds), "a `.pds` text")?,
            NotationName::Pdaaal => said(&input, pdaaal::write(&loaded.spds), "a text for PDAAAL")?,
            NotationName::Dot | NotationName::Svg | NotationName::Aut | NotationName::Bes => String::new(),
        };
        let picture = match args.to {
            NotationName::Dot => Some(Drawn::Dot),
            NotationName::Svg => Some(Drawn::Svg),
            _ => None,
        };
        let picture = picture.map(|how| {
            let source = Source::new(&loaded.name, loaded.statements());
            let source = (!loaded.statements().is_empty()).then_some(&source);
            let picture = match args.draw {
                DrawName::Flow => flow(&loaded.spds, source, &Notes::default()),
                DrawName::Calls => calls(&loaded.spds),
            };
            drawn(&picture, how, &loaded.name)
        });
        let picture = picture.transpose()?;
        let inlined = match args.to {
            NotationName::Aut | NotationName::Bes => match graph::graph(&loaded.spds, &guard::default_limits()) {
                Ok(graph) => graph,
                Err(Refused::Recursive(called)) => {
                    let why = format!("calls are inlined there, and `{called}` can be called again before it returns");
                    let what = format!("`{}` cannot be written without recursion", input.name());
                    return Err(refused(&what, &[why]));
                }
                Err(Refused::Stopped(stop)) => return stopped(args.format, input.name(), stop),
            },
            _ => Graph::default(),
        };
        let mut text = picture.unwrap_or_else(|| written.into_bytes());
        // A vector takes everything.
        let listed = match args.to {
            NotationName::Aut => graph::aut(&mut text, &loaded.spds, &inlined),
            NotationName::Bes => graph::bes(&mut text, &loaded.spds, &inlined),
            _ => Ok(()),
        };
        listed.context("the system cannot be written")?;
        gate.answer();
        notices::written(args.format, &loaded.name, None, name_of(args.to), &text)?;
        Ok(ExitCode::from(FINE))
    };
    guard::guarded(guard::default_limits(), progress, work, move |stop| stopped(args.format, file, stop))
}

/// That a limit was met before the text was written.
fn stopped(format: AnswerFormatName, name: String, stop: Stop) -> Result<ExitCode, Failure> {
    if format == AnswerFormatName::Json {
        return notices::stopped(format, &name, Granted::default(), stop);
    }
    tell(&format!("error: {stop}"));
    Ok(ExitCode::from(UNKNOWN))
}

/// A notation as `--to` calls it.
fn name_of(notation: NotationName) -> &'static str {
    match notation {
        NotationName::Spds => "spds",
        NotationName::Pds => "pds",
        NotationName::Pdaaal => "pdaaal",
        NotationName::Dot => "dot",
        NotationName::Svg => "svg",
        NotationName::Aut => "aut",
        NotationName::Bes => "bes",
    }
}

/// What was written, with remarks told; or why it could not be.
fn said(input: &Input, written: Result<(String, Vec<String>), Vec<String>>, what: &str) -> Result<String, Failure> {
    match written {
        Ok((text, remarks)) => {
            remarks.iter().for_each(|remark| input.remark(remark));
            Ok(text)
        }
        Err(reasons) => Err(refused(&format!("`{}` cannot be written as {what}", input.name()), &reasons)),
    }
}

/// Why something cannot be written.
pub fn refused(what: &str, reasons: &[String]) -> Failure {
    let reasons: String = reasons.iter().map(|reason| format!("  {reason}\n")).collect();
    Failure::Diagnosed(format!("error: {what}\n{}", reasons.trim_end()))
}
