//! `puch convert`

use std::process::ExitCode;

use puch::report::dot;

use super::args::{ConvertArgs, NotationName};
use super::guard::{self, Progress};
use super::input::Input;
use super::{FINE, Failure, UNKNOWN, answer, tell};

/// `puch convert`
pub fn run(args: ConvertArgs) -> Result<ExitCode, Failure> {
    let progress = if args.loudness.quiet { Progress::Silent } else { Progress::Shown };
    let input = Input::meant(args.input, &args.loudness)?;
    let work = move |gate: &guard::Gate| {
        gate.stage("reading");
        let loaded = input.load()?;
        gate.answer();
        answer(|out| match args.to {
            NotationName::Spds => out.write_all(spds_format::print(&loaded.spds).as_bytes()),
            NotationName::Dot => dot::write(out, &loaded.spds),
        })?;
        Ok(ExitCode::from(FINE))
    };
    guard::guarded(guard::default_limits(), progress, work, |stop| {
        tell(&format!("error: {stop}"));
        Ok(ExitCode::from(UNKNOWN))
    })
}
