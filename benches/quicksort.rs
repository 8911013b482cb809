//! Benches B and C: quicksort without and with its array, after the evaluation of Esparza and Schwoon (CAV 2001), as CSV.
//! `README.md` beside this file explains options and columns.
//!
//! Under `cargo bench` all rows; otherwise (`cargo test --bench quicksort`) small ones. A wrong verdict fails.

mod families;
mod measured;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use families::quicksort::{Pivot, Version, exchanging, sorted, sorting, termination, termination_in_bits};
use measured::{Clock, peak_kb};
use puch::check::{Property, check};
use puch::limits::Limits;
use puch::options::{Engine, Loops, Options, Order, Scc, Switch, TraceWish};
use puch::{boolprog, remopla};
use spds_format::Spds;

/// The first argument of a process that measures one program and reports.
const CHILD: &str = "--measure";

const COLUMNS: &str =
    "bench,sizes,variant,property,bdd,scc,loops,order,trace,read,check,cpu,peak_mb,peak_nodes,verdict";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.first() {
        Some(first) if first == CHILD => measure(&arguments[1..]),
        _ => all(&arguments),
    };
    measured::ended(done)
}

/// One program and its question.
struct Case {
    bench: &'static str,
    sizes: Vec<u64>,
    variant: &'static str,
    property: Asked,
    ending: &'static str,
    text: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    Termination,
    Done,
    Sorted,
}

impl Asked {
    fn word(self) -> &'static str {
        match self {
            Asked::Termination => "termination",
            Asked::Done => "done",
            Asked::Sorted => "sorted",
        }
    }
}

impl Case {
    fn expected(&self) -> &'static str {
        if self.variant.starts_with("faulty") { "violated" } else { "holds" }
    }
}

/// Bench B: these numbers of bits.
fn without_array(bits: &[u64], small: &[u64]) -> Vec<Case> {
    let case = |variant, sizes, ending, text| Case {
        bench: "B",
        sizes: vec![sizes],
        variant,
        property: Asked::Termination,
        ending,
        text,
    };
    let mut cases = Vec::new();
    for &n in bits {
        cases.push(case("corrected", n, "rem", termination(n, Version::Corrected)));
        cases.push(case("faulty", n, "rem", termination(n, Version::Faulty)));
    }
    for &n in small {
        cases.push(case("corrected bits", n, "bp", termination_in_bits(n, Version::Corrected)));
        cases.push(case("faulty bits", n, "bp", termination_in_bits(n, Version::Faulty)));
    }
    cases
}

/// Bench C: rows of n, m and v.
fn with_array(rows: &[[u64; 3]], random: &[[u64; 3]]) -> Vec<Case> {
    let mut cases = Vec::new();
    let last = rows.iter().map(|row| (row, "last pivot", Pivot::Last));
    for (&[n, m, v], variant, pivot) in last.chain(random.iter().map(|row| (row, "random pivot", Pivot::Random))) {
        for property in [Asked::Done, Asked::Sorted] {
            let text = sorting(n, m, v, pivot);
            cases.push(Case { bench: "C", sizes: vec![n, m, v], variant, property, ending: "rem", text });
        }
    }
    cases
}

/// Bench C: the version that exchanges elements by a procedure, and does not always end.
fn exchanges(rows: &[[u64; 3]]) -> Vec<Case> {
    let case = |&[n, m, v]: &[u64; 3]| {
        let (variant, property, text) = ("faulty exchange", Asked::Done, exchanging(n, m, v));
        Case { bench: "C", sizes: vec![n, m, v], variant, property, ending: "rem", text }
    };
    rows.iter().map(case).collect()
}

fn all(arguments: &[String]) -> Result<(), String> {
    let (mut full, mut timeout) = (false, 600);
    let (mut benches, mut sizes, mut variant, mut property) = (Vec::new(), None, None, None);
    let defaults = [("--bdd", "auto"), ("--scc", "auto"), ("--loops", "auto"), ("--order", "force")];
    let mut settings = defaults.map(|(option, value)| (option, vec![value.to_owned()]));
    let mut trace = "shortest".to_owned();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().cloned().ok_or_else(|| format!("{argument} needs a value"));
        let list = |value: String| value.split(',').map(str::to_owned).collect::<Vec<_>>();
        match argument.as_str() {
            "--bench" => full = true,
            "--timeout" => timeout = value()?.parse().map_err(|_| "--timeout wants seconds".to_owned())?,
            "--trace" => trace = value()?,
            "--size" => sizes = Some(value()?),
            "--variant" => variant = Some(value()?),
            "--property" => property = Some(value()?),
            name if !name.starts_with('-') => benches.push(name.to_owned()),
            name => match settings.iter_mut().find(|(option, _)| *option == name) {
                Some((_, values)) => *values = list(value()?),
                None => return Err(format!("no option `{name}`: see benches/README.md")),
            },
        }
    }
    let mut cases =
        if full { without_array(&[5, 6, 7, 8, 16, 32, 48, 64], &[4, 5]) } else { without_array(&[2, 3], &[2]) };
    cases.extend(if full {
        let last = [[3, 4, 3], [3, 5, 3], [3, 6, 3], [3, 7, 3], [4, 10, 2], [4, 6, 4], [4, 7, 4]];
        with_array(&last, &[[3, 4, 3], [3, 6, 3], [4, 7, 1], [4, 7, 4]])
    } else {
        with_array(&[[2, 3, 1]], &[[2, 3, 1]])
    });
    cases.extend(exchanges(if full { &[[4, 6, 3], [4, 7, 3], [4, 8, 3]] } else { &[[3, 3, 2]] }));
    cases.retain(|case| benches.is_empty() || benches.iter().any(|bench| bench == case.bench));
    let spelled = |case: &Case| case.sizes.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    cases.retain(|case| sizes.as_ref().is_none_or(|sizes| sizes.split(' ').any(|size| size == spelled(case))));
    cases.retain(|case| variant.as_ref().is_none_or(|variant| case.variant == variant));
    cases.retain(|case| property.as_ref().is_none_or(|property| case.property.word() == property));
    println!("{COLUMNS}");
    // Every choice of one option with every choice of the others.
    let mut choices: Vec<Vec<&String>> = vec![Vec::new()];
    for (_, values) in &settings {
        choices =
            choices.iter().flat_map(|choice| values.iter().map(|value| [&choice[..], &[value]].concat())).collect();
    }
    for case in &cases {
        for choice in &choices {
            let mut choice = choice.clone();
            choice.push(&trace);
            one(case, &choice, Duration::from_secs(timeout))?;
        }
    }
    Ok(())
}

/// Measures one program in a process of its own and prints a line for it. After the timeout the process is ended: within it
/// there is no deadline, because with one the engines look at the clock.
fn one(case: &Case, settings: &[&String], timeout: Duration) -> Result<(), String> {
    let sizes: Vec<String> = case.sizes.iter().map(u64::to_string).collect();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let name = format!("quicksort-{}-{}-{}", sizes.join("-"), case.variant.replace(' ', "-"), std::process::id());
    let file = folder.join(format!("{name}.{}", case.ending));
    std::fs::write(&file, &case.text).map_err(|error| format!("{}: {error}", file.display()))?;
    let program = std::env::current_exe().map_err(|error| format!("this program: {error}"))?;
    let elements = case.sizes.get(1).copied().unwrap_or(1).to_string();
    let property = case.property.word();
    let mut command = Command::new(program);
    command.arg(CHILD).args(settings).args([property, &elements]).arg(&file);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let output = child
        .and_then(|child| measured::within(child, timeout))
        .map_err(|error| format!("{}: {error}", file.display()))?;
    std::fs::remove_file(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let words: Vec<&str> = settings.iter().map(|setting| setting.as_str()).collect();
    print!("{},{},{},{property},{},", case.bench, sizes.join(" "), case.variant, words.join(","));
    let Some(output) = output else {
        println!(",> {},,,,", timeout.as_secs());
        return Ok(());
    };
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{}: {}: {complaint}", file.display(), output.status));
    }
    let line = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    println!("{line}");
    let verdict = line.rsplit(',').next().unwrap_or("");
    if verdict != case.expected() {
        return Err(format!("{property} is {verdict}, and should be {}", case.expected()));
    }
    Ok(())
}

/// Measures one file in this process.
fn measure(arguments: &[String]) -> Result<(), String> {
    let [bdd, scc, loops, order, trace, property, elements, file] = arguments else {
        return Err(format!("{CHILD} BDD SCC LOOPS ORDER TRACE PROPERTY ELEMENTS FILE"));
    };
    let options = Options {
        engine: chosen(bdd, &[("auto", Engine::Auto), ("biodivine", Engine::Biodivine), ("shared", Engine::Shared)])?,
        scc: chosen(
            scc,
            &[
                ("auto", Scc::Auto),
                ("hull", Scc::Hull),
                ("closure", Scc::Closure),
                ("squaring", Scc::Squaring),
                ("lockstep", Scc::Lockstep),
                ("lockstep-plain", Scc::Lockstep),
            ],
        )?,
        loops: chosen(loops, &[("auto", Loops::Auto), ("step", Loops::Step), ("square", Loops::Square)])?,
        order: chosen(
            order,
            &[
                ("force", Order::Force),
                ("declared", Order::Declared),
                ("apart", Order::Apart),
                ("together", Order::Together),
                ("globals-first", Order::GlobalsFirst),
                ("sifted", Order::Sifted),
            ],
        )?,
        trace: chosen(trace, &[("none", TraceWish::None), ("any", TraceWish::Any), ("shortest", TraceWish::Shortest)])?,
        one_way: if scc == "lockstep-plain" { Switch::Off } else { Switch::On },
        ..Options::default()
    };
    let file = PathBuf::from(file);
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let (begin, busy) = (Instant::now(), Clock::start());
    let (system, property) = read(&file, &text, property, elements, &options.limits)?;
    let reading = begin.elapsed();
    let begin = Instant::now();
    let outcome = check(&system, &[property], &options).map_err(|error| error.to_string())?;
    let taken = begin.elapsed();
    let busy = busy.worked().map_or(String::new(), |busy| format!("{:.3}", busy.as_secs_f64()));
    // One figure for each search and each engine.
    let nodes = outcome.stats.figures.iter().filter(|(name, _)| *name == "peak nodes").map(|&(_, nodes)| nodes);
    let nodes = nodes.reduce(f64::max);
    println!(
        "{:.3},{:.3},{busy},{},{},{}",
        reading.as_secs_f64(),
        taken.as_secs_f64(),
        peak_kb().map_or(String::new(), |kb| format!("{:.1}", kb / 1024.0)),
        nodes.map_or(String::new(), |nodes| nodes.to_string()),
        outcome.answers[0].verdict.name(),
    );
    Ok(())
}

/// The program, and what is asked of it.
fn read(file: &Path, text: &str, property: &str, elements: &str, limits: &Limits) -> Result<(Spds, Property), String> {
    if file.extension().is_some_and(|ending| ending == "bp") {
        let program = boolprog::read(text, "program.bp", &boolprog::Options::default());
        return program
            .map(|program| (program.spds, Property::Termination))
            .map_err(|complaints| complaints[0].message.clone());
    }
    let program = remopla::read(text, "program.rem", &remopla::Options::default())
        .map_err(|complaints| complaints[0].message.clone())?;
    let elements: u64 = elements.parse().map_err(|_| format!("`{elements}` is not a number"))?;
    let formula = match property {
        "done" => "F done".to_owned(),
        "sorted" => sorted(elements),
        _ => return Ok((program.spds, Property::Termination)),
    };
    let violations = measured::formula::violations(&program, &formula, limits)?;
    Ok((program.spds, Property::Ltl(Arc::new(violations))))
}

fn chosen<T: Copy>(name: &str, choices: &[(&str, T)]) -> Result<T, String> {
    let found = choices.iter().find(|(known, _)| *known == name);
    found.map(|&(_, choice)| choice).ok_or_else(|| format!("no such choice: `{name}`"))
}
