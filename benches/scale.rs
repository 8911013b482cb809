//! How time and memory grow with a program: the families of `families/` in growing sizes, as CSV. `README.md` beside this
//! file explains options and columns.
//!
//! Under `cargo bench` the sizes are those for measurement; otherwise (`cargo test --bench scale`) the smallest, and an
//! answer that is not the known one fails.

mod families;
mod measured;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use families::{FAMILIES, Family, Notation};
use measured::peak_kb;
use puch::boolprog;
use puch::check::{Property, Target, check};
use puch::options::{Engine, Options, TraceWish};
use puch::pdaaal;
use spds_format::Spds;
use spds_format::model::SymbolId;

/// The first argument of a process that measures one program and reports.
const CHILD: &str = "--measure";

const COLUMNS: &str =
    "family,sizes,bytes,procedures,engine,trace,read,check,peak_mb,kb_per_procedure,peak_nodes,verdict";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.first() {
        Some(first) if first == CHILD => measure(&arguments[1..]),
        _ => Wish::read(&arguments).and_then(|wish| all(&wish)),
    };
    measured::ended(done)
}

/// What is to be measured.
struct Wish {
    full: bool,
    families: Vec<&'static Family>,
    sizes: Option<Vec<u64>>,
    engine: String,
    traces: Vec<String>,
    timeout: u64,
}

impl Wish {
    fn read(arguments: &[String]) -> Result<Wish, String> {
        let mut wish = Wish {
            full: false,
            families: Vec::new(),
            sizes: None,
            engine: "auto".to_owned(),
            traces: vec!["none".to_owned(), "shortest".to_owned()],
            timeout: 600,
        };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().cloned().ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--bench" => wish.full = true,
                "--bdd" => wish.engine = value()?,
                "--trace" => wish.traces = value()?.split(',').map(str::to_owned).collect(),
                "--timeout" => wish.timeout = number(&value()?)?,
                "--size" => wish.sizes = Some(value()?.split(',').map(number).collect::<Result<_, _>>()?),
                name => wish.families.push(family(name)?),
            }
        }
        if wish.families.is_empty() {
            wish.families = FAMILIES.iter().collect();
        }
        Ok(wish)
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number"))
}

fn family(name: &str) -> Result<&'static Family, String> {
    FAMILIES.iter().find(|family| family.name == name).ok_or_else(|| format!("no family is called `{name}`"))
}

/// Measures each program in a process of its own and prints a line for it.
fn all(wish: &Wish) -> Result<(), String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    println!("{COLUMNS}");
    for family in &wish.families {
        let sizes: Vec<&[u64]> = match &wish.sizes {
            Some(sizes) => vec![sizes],
            None if wish.full => family.full.to_vec(),
            None => family.small.to_vec(),
        };
        for sizes in sizes {
            let expected = (family.expected)(sizes);
            let text = family.program(sizes).map_err(|error| format!("{}: {error}", family.name))?;
            let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
            let file = folder.join(format!("{}-{}.{}", family.name, sizes.join("-"), family.notation.ending()));
            std::fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
            for trace in &wish.traces {
                let line = one(wish, &file, trace)?;
                println!("{},{},{line}", family.name, sizes.join(" "));
                let verdict = line.rsplit(',').next().unwrap_or("");
                // In a measurement a limit may be met; a wrong answer is never right.
                if verdict != expected.word() && !(wish.full && verdict == "unknown") {
                    return Err(format!("{}: R is {}, not {verdict}", file.display(), expected.word()));
                }
            }
            std::fs::remove_file(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        }
    }
    Ok(())
}

/// The report of a process that measures this file.
fn one(wish: &Wish, file: &Path, trace: &str) -> Result<String, String> {
    let program = std::env::current_exe().map_err(|error| format!("this program: {error}"))?;
    let mut command = Command::new(program);
    command.args([CHILD, &wish.engine, trace, &wish.timeout.to_string()]).arg(file);
    let output = command.output().map_err(|error| format!("{}: {error}", file.display()))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{}: {}: {complaint}", file.display(), output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Measures one file in this process: engine, trace, seconds at most, path.
fn measure(arguments: &[String]) -> Result<(), String> {
    let [engine, trace, timeout, file] = arguments else {
        return Err(format!("{CHILD} ENGINE TRACE SECONDS FILE"));
    };
    let mut options = Options { engine: engine_called(engine)?, trace: trace_called(trace)?, ..Options::default() };
    let file = PathBuf::from(file);
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;

    let begin = Instant::now();
    options.limits.deadline = Some(begin + Duration::from_secs(number(timeout)?));
    let system = if file.extension().is_some_and(|ending| ending == Notation::Pdaaal.ending()) {
        pdaaal::read(&text, &pdaaal::Options::default()).map(|system| system.spds)
    } else {
        boolprog::read(&text, "program.bp", &boolprog::Options::default()).map(|program| program.spds)
    };
    let system = system.map_err(|complaints| complaints[0].message.clone())?;
    let read = begin.elapsed();

    let begin = Instant::now();
    let outcome = check(&system, &[question(&system)], &options).map_err(|error| error.to_string())?;
    let taken = begin.elapsed();

    let procedures = system.frames.len().max(1);
    let peak = peak_kb().map_or([String::new(), String::new()], |kb| {
        [format!("{:.1}", kb / 1024.0), format!("{:.2}", kb / procedures as f64)]
    });
    let nodes = outcome.stats.figures.iter().find(|(name, _)| *name == "peak nodes");
    println!(
        "{},{procedures},{engine},{trace},{:.3},{:.3},{},{},{}",
        text.len(),
        read.as_secs_f64(),
        taken.as_secs_f64(),
        peak.join(","),
        nodes.map_or(String::new(), |(_, nodes)| nodes.to_string()),
        outcome.answers[0].verdict.name(),
    );
    for (name, figure) in &outcome.stats.figures {
        eprintln!("{name}: {figure}");
    }
    Ok(())
}

/// The question whether `R` can be reached.
fn question(system: &Spds) -> Property {
    let called = |name: &str| name == "R";
    let labelled = (0_u32..)
        .zip(&system.symbols)
        .filter(|(_, symbol)| called(&symbol.name) || symbol.labels.iter().any(|label| called(label)));
    Property::Reach(labelled.map(|(at, _)| Target { control: None, symbol: SymbolId(at) }).collect())
}

fn engine_called(name: &str) -> Result<Engine, String> {
    match name {
        "auto" => Ok(Engine::Auto),
        "biodivine" => Ok(Engine::Biodivine),
        "shared" => Ok(Engine::Shared),
        _ => Err(format!("no engine is called `{name}`")),
    }
}

fn trace_called(name: &str) -> Result<TraceWish, String> {
    match name {
        "none" => Ok(TraceWish::None),
        "any" => Ok(TraceWish::Any),
        "shortest" => Ok(TraceWish::Shortest),
        _ => Err(format!("no trace is called `{name}`")),
    }
}
