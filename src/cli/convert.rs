//! `puch convert`

use std::process::ExitCode;

use puch::report::dot;

use super::args::{ConvertArgs, NotationName};
use super::input::Input;
use super::{FINE, Failure, answer};

/// `puch convert`
pub fn run(args: ConvertArgs) -> Result<ExitCode, Failure> {
    let loaded = Input::meant(args.input, &args.loudness)?.load()?;
    answer(|out| match args.to {
        NotationName::Spds => out.write_all(spds_format::print(&loaded.spds).as_bytes()),
        NotationName::Dot => dot::write(out, &loaded.spds),
    })?;
    Ok(ExitCode::from(FINE))
}
