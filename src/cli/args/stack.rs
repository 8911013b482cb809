//! What was typed of `puch stack`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{AbstractedArgs, InputArgs, LimitArgs, Loudness};
use crate::cli::choices::{EngineName, StackFormatName, TargetName};

/// `puch stack`
#[derive(Args, Debug)]
pub struct StackArgs {
    /// How many bytes the stack of an entry may take
    #[arg(long, value_name = "BYTES", help_heading = "Question")]
    pub limit: Option<u64>,
    /// How many bytes a frame of a procedure takes; `*` for all others. May be given several times
    #[arg(long, value_name = "PROC=BYTES", value_parser = frame, help_heading = "Question")]
    pub frame: Vec<(String, u64)>,
    /// The entries share one stack, as handlers of interrupts do: each may begin while those before it have not ended
    #[arg(long, help_heading = "Question")]
    pub nested: bool,

    /// What a compiler says of the frames of a C program: a directory with gcc's or clang's `.su` files, or gcc's `.ci` files. May be given
    /// several times
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Question")]
    pub su: Vec<PathBuf>,
    /// It was compiled without optimisation: each call of the program is one of the compiled program
    #[arg(long, help_heading = "Question")]
    pub unoptimized: bool,
    /// For what it was compiled; x86 if not said
    #[arg(long, value_name = "TARGET", help_heading = "Question")]
    pub target: Option<TargetName>,

    #[command(flatten)]
    pub input: InputArgs,
    /// Further files of a C program
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = None)]
    pub further: Vec<PathBuf>,
    #[command(flatten)]
    pub c: AbstractedArgs,

    #[command(flatten)]
    pub limits: LimitArgs,
    /// The BDD engine
    #[arg(long, value_name = "LIBRARY", default_value = "auto", help_heading = "Search")]
    pub bdd: EngineName,

    /// The form of the answer
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub format: StackFormatName,
    /// Say why: what bounds the stack, which frames are added, or what was missing
    #[arg(long, help_heading = "Output")]
    pub explain: bool,
    /// If the stack of a C program gets higher than it may, write what makes it so high once both are compiled: `cc prog.c harness.c`
    #[arg(long, value_name = "FILE.c", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub harness: Option<PathBuf>,
    /// Tell on standard error what it took
    #[arg(long, help_heading = "Output")]
    pub stats: bool,
    #[command(flatten)]
    pub loudness: Loudness,
}

/// `PROC=BYTES`
fn frame(text: &str) -> Result<(String, u64), String> {
    let pair = text.rsplit_once('=').and_then(|(name, bytes)| Some((name.trim(), bytes.trim().parse().ok()?)));
    match pair {
        Some((name, bytes)) if !name.is_empty() => Ok((name.to_owned(), bytes)),
        _ => Err("a procedure, `=` and a number are needed".to_owned()),
    }
}
