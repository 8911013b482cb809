//! Certificates of C programs: what holds is certified, a certificate proves nothing of programs that fail, and each line of one counts.

#[path = "support/c_texts.rs"]
#[allow(dead_code, reason = "others ask for more")]
mod c_texts;
#[path = "support/seeds.rs"]
mod seeds;
mod shell;
#[path = "support/small_programs.rs"]
mod small_programs;
#[path = "support/terms.rs"]
mod terms;

use std::fs;

use c_texts::parsed;
use fastrand::Rng;
use puch::abstraction::Tuning;
use puch::c::Program;
use puch::c::program::Overflow;
use puch::question::Failures;
use puch::refinement::certificate::{Certificate, Claim, Found, Way, certificate, proved, read, subjects, write};
use puch::refinement::{Options, Question, Verdict, decide};
use shell::{code, puch, scratch, stdout};
use small_programs::{FOUR_BITS, fails_somewhere};

fn path(directory: &std::path::Path, name: &str) -> String {
    directory.join(name).to_str().expect("the path is text").to_owned()
}

fn options(overflow: Overflow) -> Options {
    let check = puch::options::Options::default();
    Options { overflow, tuning: Tuning::default(), check, rounds: Some(8), donor: None }
}

fn text(program: &Program, certificate: &Certificate) -> String {
    let mut text = Vec::new();
    write(&mut text, program, certificate).expect("a vector takes everything");
    String::from_utf8(text).expect("certificates are text")
}

/// The lines that are no remarks.
fn said(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with("//")).collect()
}

fn found(program: &Program, certificate: &Certificate) -> Found {
    proved(program, certificate, &Tuning::default(), puch::limits::Limits::default())
}

/// A program that holds, with its certificate, if it is decided.
fn certified(program: &Program, overflow: Overflow) -> Option<(Program, Certificate)> {
    let options = options(overflow);
    let answer = decide(program, &Question::Failures(Failures::All), &options, &mut |_| {});
    (answer.outcome.verdict == Verdict::Holds).then_some(())?;
    let made = certificate(&answer, Claim::Assertions, &options).expect("what holds is certified");
    Some((answer.program, made))
}

/// The text with an operator or a number in it changed, after the head that each program has.
fn changed(rng: &mut Rng, text: &str) -> String {
    let changes =
        [("<", "<="), (" - ", " + "), (" + ", " - "), ("== ", "!= "), ("1", "2"), ("> ", ">= "), ("if (", "if (!(")];
    let body = text.find("main").unwrap_or_default();
    let all: Vec<(usize, (&str, &str))> =
        changes.iter().flat_map(|change| text.match_indices(change.0).map(|(at, _)| (at, *change))).collect();
    let all: Vec<_> = all.into_iter().filter(|(at, (from, _))| *from != "if (" && (*at > body || rng.bool())).collect();
    let Some((at, (from, to))) = (!all.is_empty()).then(|| all[rng.usize(..all.len())]) else { return text.to_owned() };
    format!("{}{to}{}", &text[..at], &text[at + from.len()..])
}

#[test]
fn what_holds_is_certified_and_its_certificate_proves_nothing_of_a_program_that_fails() {
    let (mut ways, mut refused, mut others) = ([0; 3], 0, 0);
    for seed in seeds::seeds(0..60) {
        let mut rng = Rng::with_seed(seed);
        let source = small_programs::program(&mut rng);
        let program = parsed(&source, FOUR_BITS);
        let overflow = [Overflow::Wrap, Overflow::Assume, Overflow::Check][rng.usize(..3)];
        let Some((posed, made)) = certified(&program, overflow) else { continue };
        assert!(!fails_somewhere(&program, overflow), "seed {seed}\n{source}");
        let written = text(&posed, &made);
        let again = read(std::slice::from_ref(&posed), &written).unwrap_or_else(|why| panic!("{why}\n{written}"));
        assert_eq!(said(&text(&posed, &again[0])), said(&written), "seed {seed}");
        assert_eq!(found(&posed, &again[0]), Found::Proves, "seed {seed}: {overflow:?}\n{source}\n{written}");
        ways[match made.way {
            Way::Executed => 0,
            Way::CutPoints(_) => 1,
            Way::Statements(_) => 2,
        }] += 1;
        for _ in 0..6 {
            let other = changed(&mut rng, &source);
            let Ok(program) = c_texts::read(&other, &puch::c::Options { model: FOUR_BITS, ..Default::default() })
            else {
                continue;
            };
            let Ok(posed) = Claim::Assertions.posed(&program, overflow) else { continue };
            let Ok(certificates) = read(std::slice::from_ref(&posed), &written) else { continue };
            let proves = found(&posed, &certificates[0]) == Found::Proves;
            if fails_somewhere(&program, overflow) {
                assert!(!proves, "seed {seed}: {overflow:?}\n{other}\n{written}");
                refused += 1;
            } else {
                others += usize::from(proves);
            }
        }
    }
    println!("{ways:?} certified, {refused} of failing programs refused, {others} prove changed programs");
    assert!(ways[1] > 10 && ways[2] > 5 && refused > 10, "{ways:?} {refused}");
}

const HEAD: &str = "extern int nondet(); extern void reach_error();\n";

/// The invariant is needed: `n` and `d` together are at most 100.
const TOGETHER: &str = "int main() { int n = nondet(), d = 0; if (n > 100) return 0;
  while (1) { if (d > 100) { NEVER: reach_error(); } if (n <= 0) break; n--; d++; } return 0; }";

const LOCKS: &str = "int lock;
void take() { if (lock) reach_error(); lock = 1; }
void give() { if (!lock) reach_error(); lock = 0; }
int main() { int x = nondet(), old; do { take(); old = x; if (nondet()) { give(); x++; } } while (x != old); give(); }";

#[test]
fn each_line_that_is_needed_is_missed() {
    for source in [TOGETHER, LOCKS] {
        let program = parsed(&(HEAD.to_owned() + source), puch::c::types::DataModel::LP64);
        let (posed, made) = certified(&program, Overflow::Wrap).expect("it holds");
        let written = text(&posed, &made);
        let says = |line: &&str| ["invariant ", "before ", "returned "].iter().any(|word| line.starts_with(word));
        let (mut needed, mut all) = (0, 0);
        for line in written.lines().filter(says) {
            let without: String =
                written.lines().filter(|other| *other != line).map(|line| format!("{line}\n")).collect();
            let read = read(std::slice::from_ref(&posed), &without).expect("it is still a certificate");
            all += 1;
            needed += usize::from(found(&posed, &read[0]) != Found::Proves);
        }
        assert!(needed > 0 && needed <= all, "{needed} of {all}\n{written}");
        // Nothing at all is no proof.
        let bare: String = written.lines().filter(|line| !says(line)).map(|line| format!("{line}\n")).collect();
        let read = read(std::slice::from_ref(&posed), &bare).expect("it is a certificate");
        assert_ne!(found(&posed, &read[0]), Found::Proves);
    }
}

/// A frame has its own locals only: what is said of those of others would be said of nobody's.
#[test]
fn predicates_about_what_their_procedure_does_not_see_are_refused() {
    let source =
        HEAD.to_owned() + "int f(int a) { return a; } int main() { int b = nondet(); if (f(b)) reach_error(); }";
    let program = parsed(&source, puch::c::types::DataModel::LP64);
    let number = |name: &str| program.variables.iter().position(|one| &*one.name == name).expect("it is there");
    let (a, b) = (number("a"), number("b"));
    for words in [
        format!("* variable \"b\" {b} read"),
        format!("\"f\" variable \"b\" {b} read"),
        format!("* variable \"a\" {a} entered"),
        format!("\"main\" variable \"a\" {a} entered"),
    ] {
        let text =
            format!("puch-certificate-c 1\nabout fnv1a64 0\nclaim assertions\noverflow wrap\npredicate {words}\nend\n");
        let read = read(std::slice::from_ref(&program), &text).expect("it is a certificate");
        assert!(matches!(found(&program, &read[0]), Found::Foreign(why) if why.contains("does not see")), "{words}");
    }
}

#[test]
fn what_is_no_certificate_is_told_with_its_line() {
    let program = parsed(&(HEAD.to_owned() + LOCKS), puch::c::types::DataModel::LP64);
    let programs = std::slice::from_ref(&program);
    let begin = "puch-certificate-c 1\nabout fnv1a64 0\nclaim assertions\noverflow wrap\n";
    for (rest, line, message) in [
        ("before \"main\" 0 : 2\nend\n", 5, "2 is no decision yet"),
        ("before \"mani\" 0 : 1\nend\n", 5, "defines no procedure `mani`"),
        ("before \"main\" 999 : 1\nend\n", 5, "no statement 999"),
        ("2 = now 0 ? 1 : 0\nend\n", 5, "no predicate 0 yet"),
        ("invariant before \"main\" 0 then 1 now \"lock\" 77 <= 1\nend\n", 5, "variable 77 is not `lock`"),
        ("invariant before \"main\" 0 then 1 result mod 3 = 3\nend\n", 5, "nothing leaves 3 divided by 3"),
        ("invariant returned \"main\" then 99999999999999999999999999 result <= 0\nend\n", 5, "is too large"),
        ("executed\nbefore \"main\" 0 : 1\nend\n", 7, "goes several ways"),
        ("overflow wrap\nend\n", 5, "two lines `overflow`"),
        ("executed\n", 6, "has no `end`"),
    ] {
        let wrong = read(programs, &(begin.to_owned() + rest)).expect_err(rest);
        assert!(wrong.line == line && wrong.message.contains(message), "{rest}: {wrong}");
    }
    assert_eq!(subjects("").map(|all| all.len()), Ok(0));
    assert!(subjects("before \"main\" 0 : 1\n").is_err());
}

#[test]
fn what_a_verdict_takes_on_trust_is_told_of_its_certificate() {
    let directory = scratch("certificates_c_trust");
    let (file, cert) = (path(&directory, "t.c"), path(&directory, "c"));
    let cases = [
        (
            "int regcomp(int *, const char *, int); int main(void) { int n = nondet(); regcomp(&n, \"a\", 0); return 0; }",
            "check",
            "calls of `regcomp`",
        ),
        (
            "int printf(const char *, ...); int main(void) { if (printf(\"a\") != 1) reach_error(); return 0; }",
            "wrap",
            "`printf`",
        ),
    ];
    for (text, overflow, trusted) in cases {
        fs::write(&file, HEAD.to_owned() + text).expect("writable");
        let told = puch(["check", &file, "--overflow", overflow, "--certificate", &cert]);
        assert_eq!(code(&told), 0, "{}", stdout(&told));
        let proved = puch(["certify", &file, &cert, "--overflow", overflow]);
        assert_eq!(code(&proved), 0, "{}", stdout(&proved));
        assert!(stdout(&proved).contains(trusted), "{}", stdout(&proved));
    }
}

#[test]
fn a_certificate_is_about_one_text_and_one_reading() {
    let directory = scratch("certificates_c");
    let (file, other, cert) = (path(&directory, "p.c"), path(&directory, "q.c"), path(&directory, "c"));
    fs::write(&file, HEAD.to_owned() + TOGETHER).expect("writable");
    fs::write(&other, HEAD.to_owned() + &TOGETHER.replace("n--", "n -= 2")).expect("writable");
    let told = puch(["check", &file, "--certificate", &cert, "--format", "json"]);
    assert_eq!(code(&told), 0, "{}", stdout(&told));
    assert!(stdout(&told).contains("\"verified\": true"), "{}", stdout(&told));
    let proved = puch(["certify", &file, &cert]);
    assert_eq!(code(&proved), 0);
    assert_eq!(
        stdout(&proved),
        "proved: no assertion fails, and no error is reached\n  signed overflow: wrap; taken on trust: how C is read, what memory is, where pointers lead\n"
    );
    assert_eq!(code(&puch(["certify", &other, &cert])), 2);
    assert_eq!(code(&puch(["certify", &file, &cert, "--overflow", "check"])), 2);
    assert_eq!(code(&puch(["certify", &file, &cert, "--data-model", "ILP32"])), 0, "int is as wide there");
    let text = fs::read_to_string(&cert).expect("it is there");
    fs::write(&cert, text.replace("<= 100", "<= 99")).expect("writable");
    let wrong = puch(["certify", &file, &cert, "--format", "json"]);
    assert_eq!(code(&wrong), 1, "{}", stdout(&wrong));
    assert!(stdout(&wrong).contains("\"certificate\": \"not proved\""), "{}", stdout(&wrong));
    // A place, and a property as files of properties have it.
    let told = puch(["check", &file, "--reach", "main:NEVER", "--overflow", "assume", "--certificate", &cert]);
    assert_eq!(code(&told), 0, "{}", stdout(&told));
    assert_eq!(code(&puch(["certify", &file, &cert, "--overflow", "assume"])), 0);
    let property = path(&directory, "p.prp");
    fs::write(&property, "CHECK( init(main()), LTL(G ! call(reach_error())) )\n").expect("writable");
    let told = puch(["check", &file, "--property", &property, "--certificate", &cert]);
    assert_eq!(code(&told), 0, "{}", stdout(&told));
    assert!(
        stdout(&puch(["certify", &file, &cert, "--malloc", "succeeds"]))
            .starts_with("proved: `G ! call(reach_error())` holds")
    );
    // What is not certified is said, and still holds.
    let told = puch(["check", &file, "--termination", "--verify"]);
    assert_eq!(code(&told), 0);
    assert!(shell::stderr(&told).contains("is not verified: certificates of C programs are about failures and places"));
}
