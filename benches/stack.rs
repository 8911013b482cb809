//! What `puch stack` says of the recursive programs of the shared corpus, beside the deepest run that is found by compiling them, as CSV and in
//! sum. `README.md` beside this file explains the columns.
//!
//! Reads the corpus below `PUCH_SHARED`, and says so where that is not set. Each program gets `PUCH_SECONDS` (20). Other arguments choose
//! programs by parts of their paths.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use serde_json::Value;

/// What stands around a compiled program: inputs by a seed, how deep calls go, and an end if that takes long.
const DRIVER: &str = r#"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#define PLAIN __attribute__((no_instrument_function))
#define WEAK __attribute__((no_instrument_function, weak))
static unsigned long state; static int seed = -1; static long depth, deepest, calls;
PLAIN static void tell(int ends) { printf("%ld %d\n", deepest, ends); fflush(stdout); _exit(0); }
PLAIN static void late(int s) { tell(0); }
PLAIN static void failed(int s) { tell(1); }
PLAIN __attribute__((constructor)) static void begin(void) {
  signal(SIGALRM, late); signal(SIGABRT, failed); signal(SIGSEGV, late); alarm(2);
  seed = atoi(getenv("SEED")); state = seed * 977 + 3;
}
PLAIN __attribute__((destructor)) static void end(void) { tell(1); }
PLAIN void __cyg_profile_func_enter(void *f, void *c) {
  if (++depth > deepest) deepest = depth;
  if (depth > 40000 || ++calls > 3000000) tell(0);
}
PLAIN void __cyg_profile_func_exit(void *f, void *c) { depth--; }
PLAIN static long drawn(void) {
  state = state * 6364136223846793005UL + 1442695040888963407UL;
  long some = (long) (state >> 33);
  if (seed < 40) return seed - 8;
  switch (seed % 4) { case 0: return some % 16; case 1: return some % 64 - 8; case 2: return some % 40000; default: return (long) state; }
}
WEAK int __VERIFIER_nondet_int(void) { return drawn(); }
WEAK unsigned __VERIFIER_nondet_uint(void) { return drawn(); }
WEAK long __VERIFIER_nondet_long(void) { return drawn(); }
WEAK unsigned long __VERIFIER_nondet_ulong(void) { return drawn(); }
WEAK short __VERIFIER_nondet_short(void) { return drawn(); }
WEAK unsigned short __VERIFIER_nondet_ushort(void) { return drawn(); }
WEAK char __VERIFIER_nondet_char(void) { return drawn(); }
WEAK unsigned char __VERIFIER_nondet_uchar(void) { return drawn(); }
WEAK _Bool __VERIFIER_nondet_bool(void) { return drawn() & 1; }
WEAK void __VERIFIER_assume(int condition) { if (!condition) tell(1); }
WEAK void __VERIFIER_assert(int condition) { if (!condition) tell(1); }
WEAK void __VERIFIER_error(void) { tell(1); }
WEAK void reach_error(void) { tell(1); }
"#;

/// Seeds of a program.
const SEEDS: u32 = 60;

/// The deepest of some runs.
struct Run {
    deepest: u64,
    /// Whether all have ended by themselves.
    ends: bool,
}

fn main() -> ExitCode {
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("note: recursive programs are asked about under `cargo bench`");
        return ExitCode::SUCCESS;
    }
    let Some(shared) = std::env::var_os("PUCH_SHARED") else {
        println!("note: PUCH_SHARED does not say where the corpus is: skipped");
        return ExitCode::SUCCESS;
    };
    let corpus = Path::new(&shared).join("c-corpus");
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let seconds: u64 = std::env::var("PUCH_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(20);
    println!("program,verdict,bound,seen,run,ends,within twice,seconds");
    let (mut ending, mut near, mut wrong, mut bounded, mut unbounded, mut unknown) = (0, 0, 0, 0, 0, 0);
    for path in recursive(&corpus).into_iter().filter(|path| words.iter().all(|word| path.contains(word))) {
        let began = Instant::now();
        let Some(height) = asked(&corpus.join(&path), seconds) else {
            println!("{path},refused,,,,,,{:.2}", began.elapsed().as_secs_f64());
            continue;
        };
        let took = began.elapsed().as_secs_f64();
        let run = run(&corpus.join(&path));
        let verdict = height["verdict"].as_str().unwrap_or("unknown");
        let most = height["frames"].as_u64();
        let shown = &height["witness"];
        let seen = shown["replayed_frames"].as_u64().or(most.filter(|_| shown["replayed"] == "full")).unwrap_or(0);
        let deepest = run.as_ref().map_or(0, |run| run.deepest).max(seen);
        let ends = run.as_ref().is_some_and(|run| run.ends) && verdict != "unbounded";
        let is_near = most.is_some_and(|most| most <= 2 * deepest);
        ending += usize::from(ends);
        near += usize::from(ends && is_near);
        let is_wrong = most.is_some_and(|most| most < deepest) || verdict == "unbounded" && height["exact"] == true;
        wrong += usize::from(is_wrong);
        match verdict {
            "bounded" => bounded += 1,
            "unbounded" => unbounded += 1,
            _ => unknown += 1,
        }
        let most = most.map_or_else(String::new, |most| most.to_string());
        let deep = run.as_ref().map_or_else(String::new, |run| run.deepest.to_string());
        println!("{path},{verdict},{most},{seen},{deep},{ends},{is_near},{took:.2}");
    }
    println!(
        "# {bounded} bounded, {unbounded} unbounded, {unknown} unknown; of {ending} that end {near} have a bound within twice the deepest run; {wrong} wrong"
    );
    if wrong > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// The recursive programs, as the survey of the corpus has them.
fn recursive(corpus: &Path) -> Vec<String> {
    let survey = std::fs::read_to_string(corpus.join("SURVEY.tsv")).unwrap_or_default();
    let mut lines = survey.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let Some(column) = lines.next().and_then(|head| head.iter().position(|name| *name == "recursive")) else {
        return Vec::new();
    };
    let is_recursive = |row: &Vec<&str>| row.get(column).is_some_and(|count| *count != "0");
    lines.filter(is_recursive).map(|row| row[0].to_owned()).collect()
}

/// What puch says of a program.
fn asked(path: &Path, seconds: u64) -> Option<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_puch"))
        .args(["stack", "--format", "json", "--timeout", &seconds.to_string()])
        .arg(path)
        .output()
        .ok()?;
    let mut said: Value = serde_json::from_slice(&output.stdout).ok()?;
    Some(said["stack"].get_mut(0)?.take())
}

/// What compiled runs come to; none where it cannot be compiled.
fn run(path: &Path) -> Option<Run> {
    let directory: PathBuf = std::env::temp_dir().join(format!("puch-stack-{}", std::process::id()));
    std::fs::create_dir_all(&directory).ok()?;
    let (driver, binary) = (directory.join("driver.c"), directory.join("program"));
    std::fs::write(&driver, DRIVER).ok()?;
    let compiled = Command::new("cc")
        .args(["-w", "-O0", "-fwrapv", "-finstrument-functions", "-o"])
        .args([&binary, &driver])
        .arg(path)
        .output()
        .is_ok_and(|output| output.status.success());
    let mut all = Run { deepest: 0, ends: true };
    let mut told = 0;
    for seed in (0..SEEDS).filter(|_| compiled) {
        let Ok(output) = Command::new(&binary).env("SEED", seed.to_string()).output() else { continue };
        let text = String::from_utf8_lossy(&output.stdout);
        let last = text.lines().last().unwrap_or_default().split_once(' ');
        let Some((deepest, ends)) = last.and_then(|(deep, ends)| Some((deep.parse::<u64>().ok()?, ends))) else {
            continue;
        };
        told += 1;
        all.deepest = all.deepest.max(deepest);
        all.ends &= ends == "1";
    }
    let _ = std::fs::remove_dir_all(&directory);
    (told > 0).then_some(all)
}
