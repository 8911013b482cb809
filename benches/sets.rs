//! Questions about sets of configurations of wide integers, as CSV. `README.md` beside this file explains the columns.
//!
//! Under `cargo bench` up to 30 bits; otherwise (`cargo test --bench sets`) few. The answers are known by construction.

mod families;
mod measured;

use std::process::ExitCode;
use std::time::Instant;

use families::wide;
use puch::enumeration::Count;
use puch::options::Options;
use puch::regular::{Contents, Direction, Question, saturate_and_ask, start};
use puch::remopla;
use spds_format::parse_configurations;

const COLUMNS: &str = "program,bits,count_s,contains_s,words_s";

fn main() -> ExitCode {
    measured::ended(run())
}

fn run() -> Result<(), String> {
    let full = std::env::args().any(|argument| argument == "--bench");
    println!("{COLUMNS}");
    for &bits in if full { &[8, 12, 16, 24, 30][..] } else { &[3][..] } {
        one("copy", &wide::copy(bits), bits)?;
        one("copy in call", &wide::copy_in_call(bits), bits)?;
    }
    Ok(())
}

fn one(name: &str, text: &str, bits: u64) -> Result<(), String> {
    let read = remopla::read(text, "wide.rem", &remopla::Options::default());
    let spds = read.map_err(|complaints| format!("{name}: {}", complaints[0].message))?.spds;
    let set = |text: &str| parse_configurations(&spds, text).map_err(|complaints| complaints[0].message.clone());
    let asked = [set("<.[O = 5 & S = 5], main:R @end>")?, set("<.[O = 5 & S = 4], main:R @end>")?];
    let begin = start(&spds);
    let mut seconds = Vec::new();
    for (contents, words) in [
        (Contents { count: true, compared: &[] }, None),
        (Contents { count: false, compared: &asked }, None),
        (Contents::default(), Some(200)),
    ] {
        let clock = Instant::now();
        let question = Question { direction: Direction::Post, set: &begin, meets: &[], words };
        let answer = saturate_and_ask(&spds, &question, &contents, &Options::default()).answer;
        let answer = answer.map_err(|stop| format!("{name}, {bits} bits: {stop}"))?;
        seconds.push(format!("{:.4}", clock.elapsed().as_secs_f64()));
        if let Some(counts) = answer.counts {
            let r = spds.symbols.iter().position(|symbol| symbol.labels.iter().any(|label| &**label == "R"));
            let on_top = |counted: &&puch::enumeration::Counted| counted.symbol.map(|symbol| symbol.0 as usize) == r;
            let found = counts.iter().find(on_top).map(|counted| counted.configurations.clone());
            if found != Some(Count::Finite((1u64 << bits).into())) {
                return Err(format!("{name}, {bits} bits: {found:?} configurations at R"));
            }
        } else if !contents.compared.is_empty() && answer.compared != [(true, true), (false, false)] {
            return Err(format!("{name}, {bits} bits: {:?} of two configurations", answer.compared));
        }
    }
    println!("{name},{bits},{}", seconds.join(","));
    Ok(())
}
