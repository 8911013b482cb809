//! Limits of all commands: what is known when one is met is said, the rest is unknown, and why is data.
//!
//! Programs here need for ever, and what is asked of an answer is its exit code, its reason, and what it knows; never how long it took.

mod shell;

use std::path::PathBuf;
use std::process::Output;

use serde_json::Value;
use shell::{code, command, puch, scratch, stderr, stdout};

const FOR_EVER: &str =
    "int main(void) {\n  unsigned i = 0;\n  for (;;) {\n    i++;\n    i ^= 3;\n  }\n  return 0;\n}\n";

/// A program in a file of its own.
fn file(name: &str, text: &str) -> PathBuf {
    let file = scratch(name).join("program.c");
    std::fs::write(&file, text).expect("it can be written");
    file
}

/// What a command says of a program in C.
fn said(command: &str, name: &str, text: &str, options: &[&str]) -> Output {
    let file = file(name, text);
    puch([&[command, file.to_str().expect("a plain name")], options].concat())
}

/// The same as data.
fn data(output: &Output) -> Value {
    serde_json::from_str(&stdout(output)).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// That a limit was met.
fn assert_met(output: &Output, kind: &str, limit: impl Into<Value>) {
    assert_eq!(code(output), 3, "{output:?}");
    let json = data(output);
    assert_eq!((&json["reason_kind"], &json["limit"]), (&kind.into(), &limit.into()), "{json:#}");
    assert!(json["reason"].is_string());
}

#[test]
fn a_run_that_is_stopped_is_shown_as_far_as_it_went() {
    let forever = ["--steps", "1000000000000", "--timeout", "3"];
    let output = said("run", "run_timeout", FOR_EVER, &forever);
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.lines().next().is_some_and(|line| line.ends_with(": unknown (time limit reached)")), "{text}");
    assert!(text.contains("i++") && text.contains("statements that are not shown"), "{text}");
    let output = said("run", "run_timeout_json", FOR_EVER, &[&forever[..], &["--format", "json"]].concat());
    assert_met(&output, "timeout", 3);
    let json = data(&output);
    assert_eq!(json["run"]["ending"], "unknown");
    assert!(json["run"]["trace"].as_array().is_some_and(|steps| steps.len() > 100), "what it did is there");
}

#[test]
fn steps_that_are_used_up_are_a_limit_like_any() {
    let output = said("run", "run_steps", FOR_EVER, &["--steps", "100", "--format", "json"]);
    assert_met(&output, "steps", 100);
}

/// Waits until a process listens to a signal and has worked for a while.
#[cfg(target_os = "linux")]
fn is_at_work(id: u32, signal: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).expect("it is there");
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("the system tells");
    let caught = u64::from_str_radix(caught.trim(), 16).expect("it is a number");
    let text = std::fs::read_to_string(format!("/proc/{id}/stat")).expect("it is there");
    let fields = text.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks: u64 = fields.split_whitespace().nth(11).and_then(|field| field.parse().ok()).expect("the system counts");
    caught >> (signal - 1) & 1 == 1 && ticks >= 50
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_that_is_interrupted_is_shown_as_far_as_it_went() {
    use std::process::Stdio;
    for (signal, number) in [("-INT", 2), ("-TERM", 15)] {
        let file = file(&format!("run{signal}"), FOR_EVER);
        let mut puch = command();
        puch.arg("run").arg(file).args(["--steps", "1000000000000"]);
        let puch = puch.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("puch can be started");
        while !is_at_work(puch.id(), number) {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let id = puch.id().to_string();
        let kill = std::process::Command::new("kill").args([signal, &id]).status().expect("signals can be sent");
        assert!(kill.success());
        let output = puch.wait_with_output().expect("it ends");
        assert_eq!(code(&output), 3, "{signal}: {}", stderr(&output));
        let text = stdout(&output);
        assert!(text.contains("unknown (interrupted)") && text.contains("i++"), "{signal}: {text}");
    }
}

#[test]
fn memory_that_nobody_writes_to_costs_nothing() {
    for (name, text) in [
        (
            "frames",
            "int f(int n) { int a[1 << 20]; a[n] = 1; if (n > 0) return f(n - 1); return 0; }\n\
             int main(void) { return f(50); }\n",
        ),
        (
            "blocks",
            "void *malloc(unsigned long);\n\
             int main(void) { for (int i = 0; i < 20000; i++) { char *p = malloc(1 << 20); p[i] = 1; } return 0; }\n",
        ),
        ("static", "int a[1 << 24], b[1 << 24]; int main(void) { a[1 << 23] = 1; return b[5]; }\n"),
        (
            "copies",
            "void *memcpy(void *, const void *, unsigned long); void *memset(void *, int, unsigned long);\n\
             char a[1 << 26], b[1 << 26];\n\
             int main(void) { memset(a, 0, sizeof a); memcpy(b, a, sizeof a); b[7] = 1; return b[8]; }\n",
        ),
    ] {
        let output = said("run", name, text, &["--memory", "80", "--format", "json"]);
        assert_eq!(code(&output), 0, "{name}: {}", stdout(&output));
        assert_eq!(data(&output)["run"]["value"], 0, "{name}");
    }
}

#[test]
fn a_copy_of_a_very_large_structure_is_no_crash() {
    let text = "struct S { int a[1 << 24]; } s, t; int main(void) { s = t; s.a[3] = 1; return 0; }\n";
    let output = said("run", "structures", text, &["--memory", "80"]);
    assert!([0, 3].contains(&code(&output)), "{}", stderr(&output));
}

#[test]
fn memory_that_is_written_to_without_end_is_bounded() {
    for (name, text) in [
        ("recursion", "int f(int n) { int a[100]; a[n & 63] = n; return f(n + 1); } int main(void) { return f(0); }\n"),
        ("bare_recursion", "int f(void) { return f(); } int main(void) { return f(); }\n"),
        (
            "allocations",
            "void *malloc(unsigned long);\n\
             int main(void) { for (;;) { long *p = malloc(1 << 20); *p = 1; } }\n",
        ),
        (
            "inputs",
            "extern int __VERIFIER_nondet_int(void); int main(void) { int x = 0; for (;;) x ^= __VERIFIER_nondet_int(); }\n",
        ),
        (
            "array",
            "unsigned char a[1u << 30];\n\
             int main(void) { for (unsigned i = 0;; i += 256) { a[i & ((1u << 30) - 1)] = 1; } }\n",
        ),
        (
            "fill",
            "void *memset(void *, int, unsigned long); char a[1ul << 40];\n\
             int main(void) { memset(a + 1, 1, sizeof a - 1); return 0; }\n",
        ),
    ] {
        let output = said("run", name, text, &["--memory", "64", "--steps", "1000000000", "--format", "json"]);
        assert_met(&output, "memory", 64);
    }
}

const USES: &str = "struct node { struct node *next; int value; };\n\
    int sum(struct node *p) { int s = 0; while (p) { s += p->value; p = p->next; } return s; }\n\
    void *malloc(unsigned long);\n\
    int main(void) { struct node *a = malloc(sizeof *a); a->next = 0; a->value = 1; return sum(a); }\n";

#[test]
fn uses_of_pointers_that_a_limit_leaves_open_are_listed_as_unknown() {
    let output = said("null", "null", USES, &["--timeout", "0.000001", "--format", "json"]);
    assert_met(&output, "timeout", 0.000001);
    // A list, unless so little was granted that the program was not even read.
    let json = data(&output);
    if let Some(all) = json["dereferences"].as_array() {
        let open = all.iter().filter(|one| one["verdict"] == "unknown");
        assert!(open.clone().count() > 0 && open.clone().all(|one| one["reason_kind"] == "timeout"), "{json:#}");
    }
    let whole = said("null", "null_whole", USES, &["--timeout", "1000", "--memory", "4000", "--format", "json"]);
    let json = data(&whole);
    assert_eq!(code(&whole), 1, "{json:#}");
    assert!(json["reason_kind"].is_null() && json["limit"].is_null());
}

#[test]
fn a_boolean_program_that_is_not_as_good_as_it_could_be_is_written_and_named_so() {
    let text = "int main(int x, char **v) { int y = 0; if (x > 3) y = x; if (y > 3) return 1; return 0; }\n";
    let options = ["--predicates", "guards"];
    let exact = said("abstract", "abstract", text, &options);
    assert_eq!(code(&exact), 0, "{}", stderr(&exact));
    let limited = [&options[..], &["--timeout", "0.000001"]].concat();
    let coarse = said("abstract", "abstract_coarse", text, &limited);
    assert_eq!(code(&coarse), 3);
    assert!(stderr(&coarse).contains("time limit reached"), "{}", stderr(&coarse));
    // If there was time to read the program, there is one that has at least the choices of the other.
    let choices = |output: &Output| stdout(output).matches('*').count();
    assert!(stdout(&coarse).is_empty() || choices(&coarse) >= choices(&exact), "{}", stdout(&coarse));
    let output = said("abstract", "abstract_json", text, &[&limited[..], &["--format", "json"]].concat());
    assert_met(&output, "timeout", 0.000001);
}

#[test]
fn what_is_known_at_statements_takes_the_same_limits_of_all_inputs() {
    let c = file("facts_c", USES);
    let c = c.to_str().expect("a plain name");
    for input in [&["examples/fig1.bp"][..], &["examples/quicksort/faulty.rem"], &[c, "--predicates", "guards"]] {
        for command in ["facts", "influence"] {
            let options = ["--timeout", "0.000001", "--memory", "512", "--format", "json"];
            let output = puch([&[command], input, &options[..]].concat());
            assert_met(&output, "timeout", 0.000001);
        }
    }
}

#[test]
fn a_command_that_is_stopped_while_it_reads_says_so_as_data() {
    for arguments in [
        &["run", "-", "--input-format", "c"][..],
        &["null", "-", "--input-format", "c"],
        &["abstract", "-", "--input-format", "c", "--predicates", "guards"],
    ] {
        // Nobody ever writes to this pipe.
        let (reader, writer) = std::io::pipe().expect("there are pipes");
        let mut puch = command();
        puch.args(arguments).args(["--timeout", "0.1", "--format", "json"]).stdin(reader);
        let output = puch.output().expect("puch can be started");
        drop(writer);
        assert_met(&output, "timeout", 0.1);
    }
}
