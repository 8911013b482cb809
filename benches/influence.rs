//! What forgetting saves: `--live off`, `plain` and `influence` on the same programs, as CSV. `README.md` beside this file
//! explains options and columns.
//!
//! Under `cargo bench` all programs; otherwise (`cargo test --bench influence`) the smallest of the families. Verdicts must
//! agree.

mod families;
mod measured;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use families::payload::counted;
use families::{FAMILIES, Notation};
use puch::check::{Options, Property, Target, Verdict, check};
use puch::limits::Limits;
use puch::options::{LiveRanges, TraceWish};
use puch::{boolprog, pdaaal, remopla};
use spds_format::Spds;
use spds_format::model::SymbolId;

const COLUMNS: &str = "programs,question,live,count,unknown,variables,hidden,peak_nodes,seconds,slowest_ratio,slowest,fewest_ratio,fewest";

const LIVE: [(&str, LiveRanges); 3] =
    [("off", LiveRanges::Off), ("plain", LiveRanges::Plain), ("influence", LiveRanges::Influence)];

fn main() -> ExitCode {
    measured::ended(run())
}

/// A program under its name.
type Program = (String, Spds);

/// What is wanted.
struct Wish {
    full: bool,
    each: bool,
    sets: Vec<String>,
    seeds: u64,
    timeout: u64,
    repeat: u32,
}

fn run() -> Result<(), String> {
    let mut wish = Wish { full: false, each: false, sets: Vec::new(), seeds: 20, timeout: 10, repeat: 5 };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || {
            let number = arguments.next().and_then(|number| number.parse::<u32>().ok());
            number.ok_or(format!("`{argument}` needs a number"))
        };
        match &argument[..] {
            "--bench" => wish.full = true,
            "--each" => wish.each = true,
            "--seeds" => wish.seeds = number()?.into(),
            "--timeout" => wish.timeout = number()?.into(),
            "--repeat" => wish.repeat = number()?.max(1),
            _ => wish.sets.push(argument),
        }
    }
    println!("{COLUMNS}");
    let wanted = |set: &str| wish.sets.is_empty() || wish.sets.iter().any(|word| word == set);
    for family in FAMILIES.iter().filter(|family| wanted(family.name)) {
        // Of those that grow large, what takes some milliseconds.
        let sizes = if wish.full { &family.full[..1] } else { family.small };
        let mut programs = Vec::new();
        for sizes in sizes {
            let text = family.program(sizes).map_err(|error| error.to_string())?;
            let name = format!("{} {sizes:?}", family.name).replace(',', "");
            programs.push((name, system(&text, family.notation)?));
        }
        measure(&wish, family.name, &programs)?;
    }
    if wanted("counted") {
        let bits: &[u64] = if wish.full { &[8, 32] } else { &[4] };
        for bits in bits {
            let options = remopla::Options { arithmetic: remopla::Arithmetic::Wrap, ..remopla::Options::default() };
            let read = remopla::read(&counted(*bits), "counted.rem", &options);
            let spds = read.map_err(|complaints| complaints[0].message.clone())?.spds;
            measure(&wish, &format!("counted {bits}"), &[(format!("counted {bits}"), spds)])?;
        }
    }
    if wish.full && wanted("random") {
        measure(&wish, "random", &random(wish.seeds)?)?;
    }
    if wish.full && wanted("corpus") {
        match corpus() {
            Some(programs) => measure(&wish, "corpus", &programs)?,
            None => eprintln!("PUCH_SHARED is not set: no corpus"),
        }
    }
    Ok(())
}

fn system(text: &str, notation: Notation) -> Result<Spds, String> {
    let read = match notation {
        Notation::Program => boolprog::read(text, "program.bp", &boolprog::Options::default()).map(|read| read.spds),
        Notation::Pdaaal => pdaaal::read(text, &pdaaal::Options::default()).map(|read| read.spds),
    };
    read.map_err(|complaints| complaints[0].message.clone())
}

/// Small random programs with many variables.
fn random(seeds: u64) -> Result<Vec<Program>, String> {
    let family = FAMILIES.iter().find(|family| family.name == "random-formula").ok_or("there is no such family")?;
    let program = |seed| {
        let text = family.program(&[10, seed]).map_err(|error| error.to_string())?;
        Ok((format!("seed {seed}"), system(&text, family.notation)?))
    };
    (0..seeds).map(program).collect()
}

/// The Boolean programs that others wrote, those without threads that can be read as they are.
fn corpus() -> Option<Vec<Program>> {
    let folder = PathBuf::from(std::env::var_os("PUCH_SHARED")?).join("corpus");
    let index = std::fs::read_to_string(folder.join("index.tsv")).ok()?;
    let mut programs = Vec::new();
    for row in index.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>()) {
        let (Some(path), Some(&"no")) = (row.first(), row.get(3)) else { continue };
        let Ok(text) = std::fs::read_to_string(folder.join(path)) else { continue };
        programs.extend(system(&text, Notation::Program).ok().map(|spds| ((*path).to_owned(), spds)));
    }
    Some(programs)
}

/// What one check took.
#[derive(Clone)]
struct Taken {
    verdicts: Vec<Verdict>,
    variables: [f64; 2],
    nodes: f64,
    time: Duration,
}

/// Prints a line for each question and each way of forgetting.
fn measure(wish: &Wish, set: &str, programs: &[Program]) -> Result<(), String> {
    type Ask = fn(&Spds) -> Property;
    let questions: [(&str, Ask); 2] = [("places", places), ("termination", |_| Property::Termination)];
    for (question, ask) in questions {
        let mut taken: [Vec<Taken>; 3] = Default::default();
        for (name, spds) in programs {
            let property = ask(spds);
            let mut best: [Option<Taken>; 3] = Default::default();
            for _ in 0..wish.repeat {
                for ((_, live), best) in LIVE.iter().zip(&mut best) {
                    let long = best.as_ref().is_some_and(|best| best.time > Duration::from_secs(1));
                    if long {
                        continue;
                    }
                    let now = one(spds, &property, *live, wish).map_err(|why| format!("{name}: {why}"))?;
                    if best.as_ref().is_none_or(|best| now.time < best.time) {
                        *best = Some(now);
                    }
                }
            }
            let best: Vec<Taken> = best.into_iter().flatten().collect();
            agree(name, &best)?;
            if wish.each {
                for ((live, _), best) in LIVE.iter().zip(&best) {
                    print(&format!("{set}: {name}"), question, live, std::slice::from_ref(best), None);
                }
            }
            taken.iter_mut().zip(best).for_each(|(all, best)| all.push(best));
        }
        for ((live, _), all) in LIVE.iter().zip(&taken) {
            print(set, question, live, all, Some((&taken[1], programs)));
        }
    }
    Ok(())
}

/// All labels, and whether assertions fail: one question, so that all of it is preserved at once.
fn places(spds: &Spds) -> Property {
    let labelled = (0..).map(SymbolId).zip(&spds.symbols).filter(|(_, symbol)| {
        &*symbol.name == "R" || !symbol.labels.is_empty() && Some(&*symbol.labels[0]) != Some("main")
    });
    let all = labelled.map(|(symbol, _)| symbol).chain(spds.fail);
    Property::Reach(all.map(|symbol| Target { control: None, symbol }).collect())
}

fn one(spds: &Spds, property: &Property, live: LiveRanges, wish: &Wish) -> Result<Taken, String> {
    let (begin, worked_before) = (Instant::now(), worked());
    let mut times = 0;
    // The processor's clock is a coarse one: what is quick is done again and again.
    let outcome = loop {
        let deadline = Some(Instant::now() + Duration::from_secs(wish.timeout));
        let limits = Limits { deadline, memory: Some(4 << 30), ..Limits::NONE };
        let options = Options { live, limits, trace: TraceWish::None, ..Options::default() };
        let outcome = check(spds, std::slice::from_ref(property), &options).map_err(|error| error.to_string())?;
        times += 1;
        let enough = worked() - worked_before >= ENOUGH || begin.elapsed() >= 10 * ENOUGH || times == 1000;
        if !wish.full || enough {
            break outcome;
        }
    };
    let time = (worked() - worked_before) / times;
    let figure = |wanted: &str| {
        let all = outcome.stats.figures.iter().filter(|(name, _)| *name == wanted);
        all.map(|(_, figure)| *figure).fold(0.0, f64::max)
    };
    Ok(Taken {
        variables: [figure("variables"), figure("variables hidden")],
        nodes: figure("peak nodes"),
        verdicts: outcome.answers.into_iter().map(|answer| answer.verdict).collect(),
        time,
    })
}

/// So long a question is repeated.
const ENOUGH: Duration = Duration::from_millis(150);

/// The time that processors have worked for this process, in steps of ten milliseconds, or by the clock where the system does
/// not say it.
fn worked() -> Duration {
    static BEGIN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let begin = BEGIN.get_or_init(Instant::now);
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let Some((_, after)) = text.rsplit_once(')') else { return begin.elapsed() };
    let ticks = after.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum::<u64>();
    Duration::from_millis(10 * ticks)
}

fn is_known(taken: &Taken) -> bool {
    !taken.verdicts.iter().any(|verdict| matches!(verdict, Verdict::Unknown(_)))
}

fn agree(name: &str, all: &[Taken]) -> Result<(), String> {
    let known: Vec<Vec<&str>> =
        all.iter().filter(|taken| is_known(taken)).map(|t| t.verdicts.iter().map(Verdict::name).collect()).collect();
    match known.windows(2).find(|pair| pair[0] != pair[1]) {
        Some(pair) => Err(format!("{name}: {:?} and {:?}", pair[0], pair[1])),
        None => Ok(()),
    }
}

/// One line: sums, and the programs that take most time and fewest nodes in comparison with plain live ranges. What takes
/// less than a millisecond is not compared.
fn print(set: &str, question: &str, live: &str, all: &[Taken], plain: Option<(&[Taken], &[Program])>) {
    let sum = |figure: &dyn Fn(&Taken) -> f64| all.iter().map(figure).sum::<f64>();
    let mut slowest = (f64::NAN, "");
    let mut fewest = (f64::NAN, "");
    for ((here, there), (name, _)) in
        plain.into_iter().flat_map(|(plain, programs)| all.iter().zip(plain).zip(programs))
    {
        let (time, nodes) = (here.time.as_secs_f64() / there.time.as_secs_f64(), here.nodes / there.nodes.max(1.0));
        if here.time.max(there.time) > Duration::from_millis(1) && (slowest.0.is_nan() || time > slowest.0) {
            slowest = (time, name);
        }
        if fewest.0.is_nan() || nodes < fewest.0 {
            fewest = (nodes, name);
        }
    }
    let unknown = all.iter().filter(|taken| !is_known(taken)).count();
    println!(
        "{set},{question},{live},{},{unknown},{},{},{},{:.4},{:.2},{},{:.4},{}",
        all.len(),
        sum(&|taken| taken.variables[0]),
        sum(&|taken| taken.variables[1]),
        sum(&|taken| taken.nodes),
        sum(&|taken| taken.time.as_secs_f64()),
        slowest.0,
        slowest.1,
        fewest.0,
        fewest.1,
    );
}
