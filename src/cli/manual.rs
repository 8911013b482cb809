//! Manual pages, made from the definition of the command line.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, anyhow};

use super::{FINE, Failure, answer, command};

/// `puch man --all DIR`
pub fn pages(directory: &Path) -> Result<ExitCode, Failure> {
    let written =
        std::fs::create_dir_all(directory).and_then(|()| clap_mangen::generate_to(command::command(), directory));
    written.with_context(|| format!("cannot write manual pages into `{}`", directory.display()))?;
    Ok(ExitCode::from(FINE))
}

/// `puch man [COMMAND]`
pub fn page(name: Option<&str>) -> Result<ExitCode, Failure> {
    let mut puch = command::command();
    puch.build();
    let command = match name {
        None => puch,
        Some(name) => match puch.get_subcommands().find(|command| command.get_name() == name) {
            Some(command) => command.clone(),
            None => {
                let names: Vec<&str> = puch.get_subcommands().map(clap::Command::get_name).collect();
                return Err(anyhow!("puch has no command `{name}`; there are {}", names.join(", ")).into());
            }
        },
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page).map_err(anyhow::Error::from)?;
    answer(|out| out.write_all(&page))?;
    Ok(ExitCode::from(FINE))
}
