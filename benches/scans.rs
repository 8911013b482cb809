//! Scans of arrays in each order of the bits of their cells, as CSV. `README.md` beside this file explains options and columns.
//!
//! Under `cargo bench` 8 to 64 cells of 1 to 8 bits; otherwise (`cargo test --bench scans`) small ones. A wrong verdict fails.

mod families;
mod measured;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use families::scans::{Cells, SCANS, Scan};
use puch::check::{Property, Target, Verdict, check};
use puch::limits::Limits;
use puch::options::{Options, Order, TraceWish};
use puch::remopla;
use spds_format::Spds;
use spds_format::model::SymbolId;

const COLUMNS: &str = "scan,cells,bits,version,order,searches,peak_nodes,check_s,verdict";

const ORDERS: [(&str, Order); 3] =
    [("force", Order::Force), ("together", Order::Together), ("declared", Order::Declared)];

fn main() -> ExitCode {
    measured::ended(run())
}

/// What is measured.
struct Wanted {
    scans: Vec<String>,
    cells: Vec<Cells>,
    orders: Vec<(&'static str, Order)>,
    timeout: Duration,
}

fn run() -> Result<(), String> {
    let full = std::env::args().any(|argument| argument == "--bench");
    let (counts, bits): (&[u64], &[u64]) =
        if full { (&[8, 12, 16, 20, 32, 64], &[1, 2, 3, 4, 6, 8]) } else { (&[2, 5], &[1, 3]) };
    let pairs = counts.iter().flat_map(|&count| bits.iter().map(move |&bits| (count, bits)));
    let mut wanted = Wanted {
        scans: Vec::new(),
        cells: pairs.map(|(count, bits)| Cells { count, bits }).collect(),
        orders: vec![ORDERS[0]],
        timeout: Duration::from_secs(20),
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--bench" => {}
            "--timeout" => {
                let seconds = value()?.parse().map_err(|_| "--timeout wants seconds".to_owned())?;
                wanted.timeout = Duration::from_secs(seconds);
            }
            "--size" => wanted.cells = vec![cells(&value()?)?],
            "--order" => wanted.orders = value()?.split(',').map(order).collect::<Result<_, _>>()?,
            name if !name.starts_with('-') => wanted.scans.push(name.to_owned()),
            name => return Err(format!("no option `{name}`: see benches/README.md")),
        }
    }
    println!("{COLUMNS}");
    wanted.scans()
}

fn cells(text: &str) -> Result<Cells, String> {
    let numbers = text.split_once(',').and_then(|(count, bits)| Some((count.parse().ok()?, bits.parse().ok()?)));
    let (count, bits) = numbers.ok_or("--size wants two numbers, cells and bits: 32,3")?;
    if count < 2 || bits < 1 {
        Err("there are two cells at least, of one bit".into())
    } else {
        Ok(Cells { count, bits })
    }
}

fn order(name: &str) -> Result<(&'static str, Order), String> {
    ORDERS.into_iter().find(|(own, _)| *own == name).ok_or_else(|| format!("no such order: `{name}`"))
}

impl Wanted {
    fn scans(&self) -> Result<(), String> {
        let is_wanted = |name: &str| self.scans.is_empty() || self.scans.iter().any(|scan| scan == name);
        for (name, write) in SCANS.iter().filter(|(name, _)| is_wanted(name)) {
            for &cells in &self.cells {
                for (version, scan) in [("sound", Scan::Sound), ("faulty", Scan::Faulty)] {
                    for &order in &self.orders {
                        print!("{name},{},{},{version},{},", cells.count, cells.bits, order.0);
                        self.one(&write(cells, scan), order.1, scan)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn one(&self, text: &str, order: Order, scan: Scan) -> Result<(), String> {
        let program = remopla::read(text, "scan.rem", &remopla::Options::default());
        let spds = program.map_err(|complaints| complaints[0].message.clone())?.spds;
        let limits = Limits { deadline: Some(Instant::now() + self.timeout), ..Limits::default() };
        let options = Options { order, trace: TraceWish::None, limits, ..Options::default() };
        // Not of this thread: operations are done by another one if there is a deadline.
        let begin = Instant::now();
        let outcome = check(&spds, &[reach(&spds)], &options).map_err(|error| error.to_string())?;
        let taken = begin.elapsed();
        // One figure for each order that was tried.
        let peaks: Vec<f64> =
            outcome.stats.figures.iter().filter(|(name, _)| *name == "peak nodes").map(|&(_, nodes)| nodes).collect();
        let verdict = &outcome.answers[0].verdict;
        let most = peaks.iter().copied().fold(0.0, f64::max);
        println!("{},{most},{:.3},{}", peaks.len(), taken.as_secs_f64(), verdict.name());
        match (verdict, scan) {
            (Verdict::Unreachable, Scan::Sound) | (Verdict::Reachable(_), Scan::Faulty) | (Verdict::Unknown(_), _) => {
                Ok(())
            }
            _ => Err(format!("the scan is {scan:?}\n{text}")),
        }
    }
}

/// Whether `R` can be reached.
fn reach(spds: &Spds) -> Property {
    let symbols = (0..spds.symbols.len() as u32).map(SymbolId);
    let labelled = symbols.filter(|symbol| spds.symbol(*symbol).labels.iter().any(|label| &**label == "R"));
    Property::Reach(labelled.map(|symbol| Target { control: None, symbol }).collect())
}
