//! The loop: draws cases, asks the laws, keeps what fails, and counts.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fastrand::Rng;

use crate::arguments::{Arguments, Wanted};
use crate::case::Case;
use crate::certified;
use crate::laws::{self, Kind, Law};
use crate::support::Shrink;
use crate::watch::Watch;

/// So many failures of a law are made smaller and kept; further ones are counted.
const KEPT: u64 = 5;
/// To make a failure smaller, so many smaller cases are tried.
const TRIES: usize = 1_000;

thread_local! {
    /// What the last panic said, and where.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// What is counted for each law.
#[derive(Clone, Copy, Default)]
struct Count {
    rounds: u64,
    /// Rounds without checks: what the case is about cannot be decided otherwise, or is too large for the oracle.
    without: u64,
    checks: u64,
    failures: u64,
    time: Duration,
}

/// Soaks; whether nothing failed.
pub fn soak(arguments: &Arguments) -> bool {
    let laws: Vec<&Law> = laws::all().into_iter().filter(|law| chosen(law, &arguments.only)).collect();
    if laws.is_empty() {
        println!("there is no such law");
        return false;
    }
    println!("seed {}", arguments.seed);
    remember_panics();
    let watch = Watch::start(arguments.out.clone());
    let (begin, mut told) = (Instant::now(), 1);
    let mut counts = vec![Count::default(); laws.len()];
    let mut round = 0;
    while match arguments.wanted {
        Wanted::Rounds(rounds) => round < rounds,
        Wanted::Minutes(time) => begin.elapsed() < time,
        Wanted::Replay(_) | Wanted::Laws => false,
    } {
        let rng = &mut Rng::with_seed(mixed(arguments.seed, round));
        let number = drawn(rng, &laws);
        let worked = worked();
        ask(laws[number], rng, &watch, &mut counts[number], arguments);
        counts[number].time += self::worked().saturating_sub(worked);
        round += 1;
        if begin.elapsed().as_secs() >= 60 * told {
            told += 1;
            progress(begin.elapsed(), &laws, &counts);
        }
    }
    summary(&laws, &counts, begin.elapsed());
    let certified = certified::told();
    if certified.proved == 0 && certified.refused >= MANY {
        println!("of so many properties none that holds was certified: certificates are not tried");
        return false;
    }
    counts.iter().all(|count| count.failures == 0)
}

/// About as many hold as are violated.
const MANY: u64 = 100;

fn chosen(law: &Law, only: &[String]) -> bool {
    only.is_empty() || only.iter().any(|word| law.name.contains(&**word))
}

/// The law of a round.
fn drawn(rng: &mut Rng, laws: &[&Law]) -> usize {
    let all: u32 = laws.iter().map(|law| law.weight).sum();
    let mut place = rng.u32(..all);
    for (number, law) in laws.iter().enumerate() {
        if place < law.weight {
            return number;
        }
        place -= law.weight;
    }
    0
}

/// One round.
fn ask(law: &Law, rng: &mut Rng, watch: &Watch, count: &mut Count, arguments: &Arguments) {
    count.rounds += 1;
    let Ok(case) = catch_unwind(AssertUnwindSafe(|| (law.draw)(rng))) else {
        count.failures += 1;
        println!("FAILED {}: no case can be drawn: {}", law.name, PANIC.with_borrow(String::clone));
        return;
    };
    watch.begin(&case);
    match held(law, &case) {
        Ok(checks) => {
            count.checks += checks;
            count.without += u64::from(checks == 0);
        }
        Err(what) => {
            count.failures += 1;
            if count.failures <= KEPT {
                println!("FAILED {}: {what}", law.name);
                if arguments.whole {
                    keep(&arguments.out, &case, &what);
                    return;
                }
                let least = least(law, case, watch);
                let now = held(law, &least).err().unwrap_or(what);
                keep(&arguments.out, &least, &now);
            }
        }
    }
}

/// What the law says of the case; a panic is a failure.
fn held(law: &Law, case: &Case) -> Result<u64, String> {
    let asked = catch_unwind(AssertUnwindSafe(|| (law.holds)(case)));
    asked.unwrap_or_else(|_| Err(format!("it panics: {}", PANIC.with_borrow(String::clone))))
}

/// The smallest case that still fails, as far as it is found.
fn least(law: &Law, mut case: Case, watch: &Watch) -> Case {
    let mut tries = 0;
    'smaller: loop {
        for next in case.smaller() {
            tries += 1;
            if tries > TRIES {
                return case;
            }
            watch.begin(&next);
            if held(law, &next).is_err() {
                case = next;
                continue 'smaller;
            }
        }
        return case;
    }
}

/// Writes a case to a file, and says how to ask it again.
pub fn keep(out: &Path, case: &Case, what: &str) {
    let bytes = case.written();
    let file = out.join(format!("{}-{:016x}.case", case.law, hash(&bytes)));
    let written = std::fs::create_dir_all(out).and_then(|()| std::fs::write(&file, &bytes));
    let text = String::from_utf8_lossy(&bytes);
    match written {
        Ok(()) => println!("shrunk: {what}\n{text}\nagain: soak --replay {}\n", file.display()),
        Err(error) => println!("shrunk: {what}\n{text}\nit could not be kept in {}: {error}\n", file.display()),
    }
}

/// Asks a kept case again; whether it holds.
pub fn replay(file: &PathBuf) -> bool {
    remember_panics();
    let case = match std::fs::read(file).map(|bytes| Case::read(&bytes)) {
        Ok(Some(case)) => case,
        Ok(None) => {
            println!("{}: this is no case", file.display());
            return false;
        }
        Err(error) => {
            println!("{}: {error}", file.display());
            return false;
        }
    };
    let Some(law) = laws::named(&case.law) else {
        println!("{}: there is no law {}", file.display(), case.law);
        return false;
    };
    match held(law, &case) {
        Ok(checks) => println!("{}: holds, {checks} checks", file.display()),
        Err(what) => {
            println!("{}: FAILED {}: {what}", file.display(), law.name);
            return false;
        }
    }
    true
}

fn remember_panics() {
    std::panic::set_hook(Box::new(|info| PANIC.set(info.to_string())));
}

fn progress(time: Duration, laws: &[&Law], counts: &[Count]) {
    let all = total(laws, counts, Kind::Answer);
    let readings = total(laws, counts, Kind::Reading);
    let rate = all.checks as f64 / all.time.as_secs_f64().max(0.001);
    println!(
        "{:>6} s: {} checks ({rate:.0} a second of work), {} readings, {} failures",
        time.as_secs(),
        all.checks,
        readings.checks,
        all.failures + readings.failures
    );
}

/// The sum over laws of one kind.
fn total(laws: &[&Law], counts: &[Count], kind: Kind) -> Count {
    let mut all = Count::default();
    for (_, count) in laws.iter().zip(counts).filter(|(law, _)| law.kind == kind) {
        all.rounds += count.rounds;
        all.without += count.without;
        all.checks += count.checks;
        all.failures += count.failures;
        all.time += count.time;
    }
    all
}

fn summary(laws: &[&Law], counts: &[Count], time: Duration) {
    println!("\n{:<24} {:>9} {:>9} {:>10} {:>9} {:>9}", "law", "rounds", "without", "checks", "failures", "seconds");
    let sums = [("all answers", Kind::Answer), ("all readings", Kind::Reading)];
    let sums = sums.map(|(name, kind)| (name, total(laws, counts, kind)));
    let rows = laws.iter().map(|law| law.name).zip(counts.iter().copied()).chain(sums);
    for (name, Count { rounds, without, checks, failures, time }) in rows {
        let seconds = time.as_secs_f64();
        println!("{name:<24} {rounds:>9} {without:>9} {checks:>10} {failures:>9} {seconds:>9.1}");
    }
    let certified::Told { proved, by_clauses, refused, open, stopped } = certified::told();
    println!(
        "certificates: {proved} proved ({by_clauses} of them by clauses, too), {refused} refused as they should be, {open} open, {stopped} stopped"
    );
    println!("{:.1} s in all", time.as_secs_f64());
}

/// The time that processors have worked for this process, in steps of ten milliseconds, where the system says it.
pub fn worked() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = text.rsplit_once(')').map_or("", |(_, after)| after);
    let ticks = after.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum::<u64>();
    Duration::from_millis(10 * ticks)
}

/// SplitMix64: the seed of a round.
fn mixed(seed: u64, round: u64) -> u64 {
    let mut z = seed.wrapping_add(round.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// FNV-1a.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}
