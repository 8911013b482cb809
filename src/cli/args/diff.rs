//! What was typed of two versions of C files.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::numbers::jobs;
use super::{CReading, LimitArgs, LookArgs, Loudness};
use crate::cli::choices::{CheckedName, DiffFormatName, InputFormat, SmtName, TraceName};

/// `puch diff`
#[derive(Args, Debug)]
pub struct DiffArgs {
    /// The old version: a C file, or a folder, all C files of which are one program
    #[arg(value_name = "OLD", value_hint = ValueHint::AnyPath, required_unless_present = "old", requires = "new_one", help_heading = None)]
    pub old_one: Option<PathBuf>,
    /// The new version
    #[arg(value_name = "NEW", value_hint = ValueHint::AnyPath, help_heading = None)]
    pub new_one: Option<PathBuf>,
    /// The old version, where it has several files
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, num_args = 1.., conflicts_with = "old_one", requires = "new", help_heading = "Input")]
    pub old: Vec<PathBuf>,
    /// The new version, where it has several files
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, num_args = 1.., conflicts_with = "new_one", requires = "old", help_heading = "Input")]
    pub new: Vec<PathBuf>,
    /// What the input is, whatever its name ends in: `c` for standard input and other names
    #[arg(long, value_name = "FORMAT", help_heading = "Input")]
    pub input_format: Option<InputFormat>,
    /// A macro for the preprocessor
    #[arg(short = 'D', long, value_name = "NAME[=TEXT]", help_heading = "Input")]
    pub define: Vec<String>,
    #[command(flatten)]
    pub reading: CReading,
    /// A directory in which the preprocessor looks for headers of the old version [default: those of `-I`; if they lie in the folder of the new
    /// version, the same in that of the old one]
    #[arg(long, value_name = "DIRECTORY", value_hint = ValueHint::DirPath, help_heading = "C programs")]
    pub old_include: Vec<PathBuf>,

    /// Ask how functions can go wrong in these ways [default: all but `overflow`]
    #[arg(long, value_name = "KINDS", value_delimiter = ',', help_heading = "Properties")]
    pub check: Vec<CheckedName>,
    /// Ask instead whether functions end
    #[arg(long, conflicts_with = "check", help_heading = "Properties")]
    pub termination: bool,
    /// Consider only states at the entry of a function in which this condition holds
    #[arg(long, value_name = "EXPR", help_heading = "Properties")]
    pub assume: Option<String>,
    /// Look at these functions only
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Functions by themselves")]
    pub function: Vec<String>,
    /// Look at those functions only that other files can call
    #[arg(long, help_heading = "Functions by themselves")]
    pub public: bool,
    #[command(flatten)]
    pub look: LookArgs,

    /// Look at so many functions at a time [default: as many as there are processors]
    #[arg(short, long, value_name = "N", value_parser = jobs, help_heading = "Search")]
    pub jobs: Option<usize>,
    /// Ask another solver whatever is decided about integers; that it disagrees is an error
    #[arg(long, value_name = "SOLVER", help_heading = "Search", hide_short_help = true)]
    pub smt: Option<SmtName>,
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Which run to show if something fails
    #[arg(long, value_name = "WHICH", default_value = "shortest", help_heading = "Output")]
    pub trace: TraceName,
    /// The form of the answer
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub format: DiffFormatName,
    /// Tell on standard error how often another solver agreed
    #[arg(long, help_heading = "Output", hide_short_help = true)]
    pub stats: bool,
    #[command(flatten)]
    pub loudness: Loudness,
}

impl DiffArgs {
    /// What the new version is, as typed.
    pub fn files(&self) -> Vec<PathBuf> {
        self.new_one.iter().chain(&self.new).cloned().collect()
    }

    /// What the old version is, as typed.
    pub fn old_files(&self) -> Vec<PathBuf> {
        self.old_one.iter().chain(&self.old).cloned().collect()
    }
}
