//! Translation of formulas: sizes, determinism, strength and time, as CSV. `README.md` beside this file explains options
//! and columns.
//!
//! Under `cargo bench` all sets of formulas that can be found; otherwise (`cargo test --bench ltl`) small families that
//! are made up here, with a check that nothing takes long.

mod measured;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use puch::limits::Limits;
use puch::ltl::automaton::ComponentKind;
use puch::ltl::{Dialect, Ltl, Passes, Reading, parse, translate, translate_generalised, translate_to_states};

const COLUMNS: &str = "set,negated,formulas,stopped,states,edges,nondeterministic,empty,terminal,weak,strong,total_ms,slowest_ms,slowest,\
     tgba,spot_tgba,ba,spot_ba";

/// The sets that together are called the core, summed up in a line of their own.
const CORE: [&str; 4] = ["dac55", "eh12", "sb27", "beem20"];

fn main() -> ExitCode {
    measured::ended(run())
}

fn run() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let (mut full, mut timeout, mut wanted) = (false, 5.0, Vec::new());
    while let Some(argument) = arguments.next() {
        match &argument[..] {
            "--bench" => full = true,
            "--timeout" => {
                let seconds = arguments.next().and_then(|seconds| seconds.parse().ok());
                timeout = seconds.ok_or("`--timeout` needs a number of seconds")?;
            }
            name if !name.starts_with('-') => wanted.push(name.to_owned()),
            other => return Err(format!("no option `{other}`: see benches/README.md")),
        }
    }
    let mut sets = made_up(if full { 8 } else { 4 });
    if full {
        sets.extend(shared()?);
    }
    sets.retain(|(name, _)| wanted.is_empty() || wanted.contains(name));
    println!("{COLUMNS}");
    let mut core = [Sum::default(), Sum::default()];
    for (name, formulas) in &sets {
        for (negated, core) in ["no", "yes"].into_iter().zip(&mut core) {
            let mut sum = Sum::default();
            for text in formulas {
                sum.add(text, negated == "yes", timeout)?;
            }
            sum.spot = full.then(|| spot(name, negated == "yes")).flatten();
            println!("{name},{negated},{sum}");
            if CORE.contains(&&name[..]) {
                core.unite(sum.clone());
            }
            if !full && (sum.slowest > 5.0 || sum.stopped > 0) {
                return Err(format!("{} took {} s", sum.which, sum.slowest));
            }
        }
    }
    for (negated, sum) in ["no", "yes"].iter().zip(&core).filter(|(_, sum)| sum.formulas > 0) {
        println!("core,{negated},{sum}");
    }
    Ok(())
}

/// What is summed up over a set.
#[derive(Clone, Default)]
struct Sum {
    formulas: usize,
    stopped: usize,
    states: usize,
    edges: usize,
    nondeterministic: usize,
    strengths: [usize; 4],
    total: f64,
    slowest: f64,
    which: String,
    /// States of generalised automata, and of those with marks on states.
    other: [usize; 2],
    /// What Spot needs for these, as far as that is known.
    spot: Option<[usize; 2]>,
}

impl Sum {
    fn add(&mut self, text: &str, negated: bool, timeout: f64) -> Result<(), String> {
        let reading = Reading { dialect: Dialect::Spot, ..Reading::default() };
        let (ltl, _) = parse(text, &reading).map_err(|complaints| format!("{text}: {}", complaints[0]))?;
        let ltl: Ltl = if negated { ltl.negated() } else { ltl };
        let began = Instant::now();
        let deadline = Some(began + Duration::from_secs_f64(timeout));
        let limits = Limits { deadline, memory: Some(2 << 30), ..Limits::NONE };
        let buchi = translate(&ltl, &Passes::default(), &limits);
        let took = began.elapsed().as_secs_f64();
        let others = [translate_generalised, translate_to_states].map(|form| form(&ltl, &Passes::default(), &limits));
        for (states, tgba) in self.other.iter_mut().zip(others) {
            *states += tgba.map_or(0, |tgba| tgba.states.len());
        }
        self.formulas += 1;
        self.total += took;
        if took > self.slowest {
            (self.slowest, self.which) = (took, text.to_owned());
        }
        match buchi {
            Err(_) => self.stopped += 1,
            Ok(buchi) => {
                self.states += buchi.states.len();
                self.edges += buchi.edges.len();
                self.nondeterministic += usize::from(!buchi.is_deterministic());
                self.strengths[match buchi.strength() {
                    ComponentKind::Rejecting => 0,
                    ComponentKind::Terminal => 1,
                    ComponentKind::Weak => 2,
                    ComponentKind::Strong => 3,
                }] += 1;
            }
        }
        Ok(())
    }

    fn unite(&mut self, other: Sum) {
        self.formulas += other.formulas;
        self.stopped += other.stopped;
        self.states += other.states;
        self.edges += other.edges;
        self.nondeterministic += other.nondeterministic;
        for (mine, other) in self.strengths.iter_mut().zip(other.strengths) {
            *mine += other;
        }
        self.total += other.total;
        for (mine, other) in self.other.iter_mut().zip(other.other) {
            *mine += other;
        }
        self.spot = match (self.spot, other.spot) {
            _ if self.formulas == other.formulas => other.spot,
            (Some(mine), Some(other)) => Some([mine[0] + other[0], mine[1] + other[1]]),
            _ => None,
        };
        if other.slowest > self.slowest {
            (self.slowest, self.which) = (other.slowest, other.which);
        }
    }
}

impl std::fmt::Display for Sum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Sum { formulas, stopped, states, edges, nondeterministic, .. } = self;
        let [empty, terminal, weak, strong] = self.strengths;
        write!(f, "{formulas},{stopped},{states},{edges},{nondeterministic},{empty},{terminal},{weak},{strong}")?;
        write!(f, ",{:.2},{:.2},\"{}\"", self.total * 1e3, self.slowest * 1e3, self.which.replace('"', "\"\""))?;
        let [tgba, ba] = self.other;
        let [spot_tgba, spot_ba] =
            self.spot.map_or(Default::default(), |states| states.map(|number| number.to_string()));
        write!(f, ",{tgba},{spot_tgba},{ba},{spot_ba}")
    }
}

type Sets = Vec<(String, Vec<String>)>;

/// Families that anyone can make, up to a size.
fn made_up(size: usize) -> Sets {
    let join = |n: usize, with: &str, part: &dyn Fn(usize) -> String| (1..=n).map(part).collect::<Vec<_>>().join(with);
    let sizes = |make: &dyn Fn(usize) -> String| (1..=size).map(make).collect::<Vec<_>>();
    let nested = |n: usize| (2..=n).fold("p1".to_owned(), |inner, i| format!("p{i} U ({inner})"));
    vec![
        ("fair".into(), sizes(&|n| join(n, " & ", &|i| format!("G F p{i}")))),
        ("unfair".into(), sizes(&|n| join(n, " | ", &|i| format!("F G p{i}")))),
        ("response".into(), sizes(&|n| join(n, " & ", &|i| format!("G (p{i} -> F q{i})")))),
        ("until".into(), sizes(&nested)),
        ("later".into(), sizes(&|n| format!("G (p -> {}q)", "X ".repeat(n)))),
    ]
}

/// The states of Spot's generalised automata for a set, and of those with marks on states, if the directory that the
/// environment names tells.
fn spot(set: &str, negated: bool) -> Option<[usize; 2]> {
    let directory = PathBuf::from(std::env::var("PUCH_SHARED").ok()?).join("ltl-formulas/sizes");
    let file = directory.join(format!("{set}{}.tsv", if negated { ".neg" } else { "" }));
    let text = std::fs::read_to_string(file).ok()?;
    let mut sums = [0; 2];
    for line in text.lines().skip(1) {
        for (sum, cell) in sums.iter_mut().zip(line.split('\t').skip(1)) {
            *sum += cell.split('/').next()?.parse::<usize>().ok()?;
        }
    }
    Some(sums)
}

/// The sets of formulas in the directory that the environment names, if it does.
fn shared() -> Result<Sets, String> {
    let Ok(shared) = std::env::var("PUCH_SHARED") else {
        eprintln!("PUCH_SHARED is not set: only families that are made up here");
        return Ok(Vec::new());
    };
    let directory = PathBuf::from(shared).join("ltl-formulas");
    let entries = std::fs::read_dir(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "ltl"));
    files.sort();
    let mut sets = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let name = file.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        sets.push((name, text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()));
    }
    Ok(sets)
}
