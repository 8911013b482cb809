//! The command line.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

pub const USAGE: &str = "\
usage: soak (--minutes M | --rounds N) [--seed S] [--only WORD] [--whole] [--out DIRECTORY]
       soak --replay FILE...
       soak --laws";

/// What is to be done.
pub enum Wanted {
    /// Cases, until that much time has passed.
    Minutes(Duration),
    /// So many cases.
    Rounds(u64),
    Replay(Vec<PathBuf>),
    Laws,
}

pub struct Arguments {
    pub wanted: Wanted,
    pub seed: u64,
    /// Only laws with one of these words in their names.
    pub only: Vec<String>,
    /// What fails is not made smaller.
    pub whole: bool,
    /// Where failures are kept.
    pub out: PathBuf,
}

impl Arguments {
    pub fn read(words: impl Iterator<Item = String>) -> Result<Arguments, String> {
        let clock = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let out = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/soak-failures").into();
        let mut arguments =
            Arguments { wanted: Wanted::Laws, seed: clock.as_nanos() as u64, only: Vec::new(), whole: false, out };
        let mut wanted = None;
        let mut words = words.peekable();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} wants a value"));
            match &*word {
                "--minutes" => {
                    let minutes: f64 = number(&word, &value()?)?;
                    let time =
                        Duration::try_from_secs_f64(minutes * 60.0).map_err(|error| format!("{word}: {error}"))?;
                    wanted = Some(Wanted::Minutes(time));
                }
                "--rounds" => wanted = Some(Wanted::Rounds(number(&word, &value()?)?)),
                "--seed" => arguments.seed = number(&word, &value()?)?,
                "--only" => arguments.only.push(value()?),
                "--whole" => arguments.whole = true,
                "--out" => arguments.out = value()?.into(),
                "--laws" => wanted = Some(Wanted::Laws),
                "--replay" => wanted = Some(Wanted::Replay(words.by_ref().map(PathBuf::from).collect())),
                _ => return Err(format!("there is no {word}")),
            }
        }
        arguments.wanted = wanted.ok_or("how long, or how many?")?;
        Ok(arguments)
    }
}

fn number<T: std::str::FromStr>(word: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{word} wants a number, not `{text}`"))
}
