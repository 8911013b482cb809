//! What scripts rely on: exit codes, the two streams, the JSON object, the order of answers, limits; and that nothing,
//! however odd, makes `puch` panic.

mod shell;

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use shell::{code, command, puch, scratch, stderr, stdout};

const FIG1: &str = "examples/fig1.bp";
const LOCK: &str = "examples/lock.bp";
const FAULTY: &str = "examples/lock_faulty.bp";

#[test]
fn exit_codes_are_as_promised() {
    let codes: &[(&[&str], i32)] = &[
        (&["check", LOCK], 0),
        (&["check", FIG1, "--reach", "R", "--assume", "!g"], 0),
        (&["check", FAULTY], 1),
        (&["check", FIG1, "--reach", "R"], 1),
        (&["check", LOCK, "--assertions", "--reach", "DONE"], 1),
        (&["check", "no_such_file.bp"], 2),
        (&["check", FIG1, "--reach", "NO_SUCH_LABEL"], 2),
        (&["check", FIG1, "--no-such-option"], 2),
        (&["check", FIG1, "--format", "yaml"], 2),
        (&["check"], 2),
        (&[], 2),
        (&["check", LOCK, "--ltl", "F (held"], 2),
        (&["check", LOCK, "--ltl", "F no_such_name"], 2),
        (&["check", LOCK, "--ltl-syntax", "spine"], 2),
        (&["check", LOCK, "--runs", "all"], 2),
        (&["check", LOCK, "--automaton", "no_such_file.hoa"], 2),
        (&["facts", FIG1], 0),
        (&["facts", FIG1, "--dead-code"], 0),
        (&["facts", FIG1, "--at", "R", "--terms", "0"], 0),
        (&["facts", FIG1, "--at", ":20", "--terms", "0"], 3),
        (&["facts", FIG1, "--at", "no_such_label"], 2),
        (&["facts", FIG1, "--assume", "no_such_name"], 2),
        (&["facts", "no_such_file.bp"], 2),
        (&["man", "facts"], 0),
        (&["post", FIG1], 0),
        (&["post", FIG1, "--meets", "<R .*>"], 0),
        (&["post", FIG1, "--meets", "<[!g], R .*>"], 1),
        (&["post", FIG1, "--contains", "<[g], R @end>"], 1),
        (&["post", FIG1, "--timeout", "0.000000001"], 3),
        (&["post", FIG1, "--from", "<no_such_place>"], 2),
        (&["post", FIG1, "--from", "@no_such_file.json"], 2),
        (&["post", "-", "--input-format", "bp", "--from", "@-"], 2),
        (&["post", FIG1, "--meets", "@-", "--contains", "@-"], 2),
        (&["pre", FIG1], 2),
        (&["pre", FIG1, "--to", "<R .*>", "--contains", "<main>"], 1),
        (&["pre", FIG1, "--to", "<R .*>", "--meets", "<main @end>"], 0),
        (&["pre", FIG1, "--to", "<R .*>", "--reachable"], 2),
        (&["man", "post"], 0),
        (&["convert", FIG1, "--to", "spds"], 0),
        (&["convert", FIG1, "--to", "dot"], 0),
        (&["convert", FIG1], 2),
        (&["convert", "no_such_file.bp", "--to", "dot"], 2),
        (&["replay", FIG1, "no_such_file.json"], 2),
        (&["--help"], 0),
        (&["--version"], 0),
        (&["check", "--help"], 0),
        (&["man"], 0),
        (&["man", "check"], 0),
        (&["man", "no_such_command"], 2),
        (&["completions", "bash"], 0),
        (&["completions", "no_such_shell"], 2),
    ];
    for (arguments, expected) in codes {
        let output = puch(*arguments);
        assert_eq!(code(&output), *expected, "{arguments:?}: {}{}", stdout(&output), stderr(&output));
        if *expected == 2 {
            assert!(output.stdout.is_empty(), "{arguments:?}: a mistake is no answer");
            assert!(!output.stderr.is_empty(), "{arguments:?}: a mistake is told");
        } else {
            assert!(output.stderr.is_empty(), "{arguments:?}: {}", stderr(&output));
        }
    }
}

#[test]
fn answers_come_in_the_order_of_the_command_line_across_options() {
    let places = |arguments: &[&str]| {
        let output = puch([&["check", LOCK, "--trace", "none"], arguments].concat());
        stdout(&output).lines().map(|line| line.split(": ").next().unwrap_or_default().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(places(&["--reach", ":20", "--assertions", "--reach", "DONE"]), [":20", "assertions", "DONE"]);
    assert_eq!(places(&["--assertions", "--reach=DONE", "--reach", ":20"]), ["assertions", "DONE", ":20"]);
    assert_eq!(places(&["--reach", "DONE", "--reach", "DONE", "--assertions"]), ["DONE", "DONE", "assertions"]);
    assert_eq!(places(&[]), ["assertions"]);
    let mixed = ["--ltl", "F held", "--termination", "--reach", "DONE", "--ltl=G held", "--assertions"];
    assert_eq!(places(&mixed), ["F held", "termination", "DONE", "G held", "assertions"]);
    let mixed = ["--never", "tests/golden/held.never", "--ltl", "F held", "--automaton", "tests/golden/held.hoa"];
    assert_eq!(places(&mixed), ["tests/golden/held.never", "F held", "tests/golden/held.hoa"]);
}

#[test]
fn choices_of_engine_order_and_optimisation_change_no_byte_of_a_verdict() {
    let verdicts = |extra: &[&str]| {
        let common = ["check", FAULTY, "--assertions", "--reach", ":20", "--trace", "none"];
        let output = puch([&common, extra].concat());
        assert_eq!(code(&output), 1, "{extra:?}: {}", stderr(&output));
        stdout(&output)
    };
    let expected = verdicts(&[]);
    for extra in [
        &["--bdd", "biodivine"][..],
        &["--bdd", "shared"],
        &["--order", "declared"],
        &["--no-modref"],
        &["--live", "off"],
        &["--live", "plain"],
        &["--live", "influence"],
        &["--no-slice"],
        &["--blocks", "off"],
        &["--blocks", "off", "--no-slice", "--live", "off", "--no-modref", "--order", "declared", "--bdd", "shared"],
        &["--timeout", "1000"],
        &["--memory", "4000"],
    ] {
        assert_eq!(verdicts(extra), expected, "{extra:?}");
    }
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    for format in ["text", "bebop", "json"] {
        for trace in ["any", "shortest"] {
            let arguments = ["check", FAULTY, "--assertions", "--format", format, "--trace", trace];
            assert_eq!(puch(arguments).stdout, puch(arguments).stdout);
        }
    }
}

#[test]
fn statistics_go_to_the_other_stream_and_leave_the_answer_as_it_is() {
    let plain = puch(["check", FAULTY]);
    let with = puch(["check", FAULTY, "--stats", "-v", "--trace", "shortest"]);
    assert_eq!(stdout(&plain), stdout(&with));
    assert!(plain.stderr.is_empty());
    assert!(stderr(&with).contains("seconds: ") && stderr(&with).contains("read `"), "{}", stderr(&with));
    let json = puch(["check", FAULTY, "--stats", "--format", "json"]);
    assert!(stdout(&json).contains("\"seconds\": "));
    assert!(!stdout(&puch(["check", FAULTY, "--format", "json"])).contains("seconds"));
}

#[test]
fn another_solver_is_asked_besides_and_missed_where_it_is_not_installed() {
    let given =
        ["check", "examples/c/cmp.c", "--predicates", "guards", "--rounds", "0", "--no-cpp", "--smt", "z3", "--stats"];
    let without = command().args(given).env("PATH", "/nonexistent").output().expect("puch can be started");
    assert_eq!(code(&without), 2);
    assert!(stderr(&without).contains("`--smt z3` needs the solver z3"), "{}", stderr(&without));
    if std::process::Command::new("z3").arg("--version").output().is_err() {
        eprintln!("there is no `z3`: skipped asking it");
        return;
    }
    let with = puch(given);
    assert_eq!(code(&with), 0, "{}", stderr(&with));
    assert!(stderr(&with).contains("second opinions: 8 agreed, 0 undecided"), "{}", stderr(&with));
    let nulls = puch(["null", "examples/c/null/lookup.c", "--smt", "z3", "--stats"]);
    assert_eq!(code(&nulls), 1, "{}", stderr(&nulls));
    assert!(stderr(&nulls).contains("agreed, 0 undecided"), "{}", stderr(&nulls));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    for arguments in [&["check", FAULTY, "--format", "json"][..], &["convert", FAULTY, "--to", "spds"]] {
        let mut child =
            command().args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("ends");
        assert!(output.stderr.is_empty(), "{}", stderr(&output));
        // Writing succeeded as far as anybody cared; the verdict stays what it is.
        assert_eq!(code(&output), i32::from(arguments[0] == "check"));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn an_answer_that_does_not_arrive_is_an_error() {
    let lock_json = scratch("arrives").join("lock.json");
    fs::write(&lock_json, puch(["check", FAULTY, "--format", "json"]).stdout).expect("the directory can be written");
    let lock_json = lock_json.to_str().expect("the directory for tests has a name");
    let commands: &[&[&str]] = &[
        &["--help"],
        &["-h"],
        &["--version"],
        &["help", "check"],
        &["check", "--help"],
        &["check", FAULTY],
        &["check", LOCK, "--format", "json"],
        &["check", FIG1, "--reach", "R", "--format", "bebop"],
        &["facts", FIG1],
        &["post", FIG1],
        &["post", FIG1, "--count", "--list", "1"],
        &["pre", FIG1, "--to", "<main:R .*>"],
        &["convert", FIG1, "--to", "spds"],
        &["convert", FIG1, "--to", "dot"],
        &["buchi", "F a"],
        &["replay", FAULTY, lock_json],
        &["completions", "bash"],
        &["man"],
        &["man", "check"],
    ];
    for arguments in commands {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
        let output = command().args(*arguments).stdout(full).stderr(Stdio::piped()).output().expect("starts");
        assert_eq!(code(&output), 2, "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains("cannot write to standard output"), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn a_line_finds_a_symbol_that_is_hidden_under_another_control_location() {
    let system = scratch("silent").join("s.spds");
    let text = "spds 1  file \"x.c\";  control p, q, r;  symbol a at \"x.c\":3:1;  symbol b at \"x.c\":4:1;\n\
                start <p, a>;  silent rule <p, a> -> <p, b>;  rule <p, b> -> <q, a>;  rule <q, a> -> <q, a>;\n";
    fs::write(&system, text).expect("the directory for tests can be written");
    let system = system.to_str().expect("the directory for tests has a name");
    let output = puch(["check", system, "--reach", ":3", "--trace", "none"]);
    assert_eq!((stdout(&output), code(&output)), (":3: reachable\n".into(), 1), "{}", stderr(&output));
    // Without the step to `q` it stands there hidden only.
    fs::write(system, text.replace("-> <q, a>;  rule <q", "-> <p, b>;  rule <q")).expect("it can be written again");
    let output = puch(["check", system, "--reach", ":3", "--trace", "none"]);
    assert_eq!((stdout(&output), code(&output)), (":3: unreachable\n".into(), 0), "{}", stderr(&output));
}

#[test]
fn the_time_limit_holds_while_the_input_is_still_being_read() {
    let began = Instant::now();
    let mut child = command()
        .args(["check", "-", "--input-format", "bp", "--reach", "R", "--assertions", "--timeout", "0.3"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut input = child.stdin.take().expect("it is piped");
    input.write_all(b"decl g;\n").expect("somebody reads");
    let mut answer = String::new();
    child.stdout.take().expect("it is piped").read_to_string(&mut answer).expect("answers are text");
    let status = child.wait().expect("ends");
    drop(input);
    assert_eq!(answer, "R: unknown (time limit reached)\nassertions: unknown (time limit reached)\n");
    assert_eq!(status.code(), Some(3));
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

#[test]
fn a_limit_met_while_a_formula_is_translated_leaves_that_formula_unknown() {
    let next = |i: usize| "X ".repeat(i);
    let part = |i| format!("F (held & {}(held U ({}DONE)))", next(i), next(i));
    let formula = (1..16).map(part).collect::<Vec<String>>().join(" & ");
    let output = puch(["check", LOCK, "--ltl", &formula, "--assertions", "--timeout", "0.3", "-q"]);
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    let (answers, complaints) = (stdout(&output), stderr(&output));
    let first = answers.lines().next().unwrap_or_default();
    assert!(first.ends_with(": unknown (time limit reached)"), "{first}");
    assert_eq!(answers.lines().count(), 2);
    // That tools read the formula differently is told, also to whoever wants no progress.
    assert!(!complaints.contains("error") && complaints.starts_with("warning: tools disagree"), "{complaints}");
}

#[cfg(target_os = "linux")]
#[test]
fn the_memory_limit_holds_while_the_input_is_still_being_read() {
    let output = puch(["check", "/dev/zero", "--input-format", "bp", "--memory", "200", "--format", "json"]);
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    assert!(stdout(&output).contains("\"verdict\": \"unknown\", \"reason\": \"memory limit reached\""));
}

#[test]
fn nothing_makes_it_panic() {
    let directory = scratch("junk");
    let mut junk: Vec<(&str, Vec<u8>)> = vec![
        ("empty", Vec::new()),
        ("blank", b" \n\t\r\n".to_vec()),
        ("nul", vec![0; 1000]),
        ("mark", b"\xef\xbb\xbf".to_vec()),
        ("not_utf8", b"decl \xff\xfe;\n".to_vec()),
        ("cut_utf8", b"decl g; \xe6\xbc".to_vec()),
        ("carriage_returns", b"decl g;\rvoid main() begin skip; end\r".to_vec()),
        ("escape", b"decl \x1b[31m;\n".to_vec()),
        ("one_token", vec![b'x'; 20 << 20]),
        ("one_line", b"skip; ".repeat(200_000)),
        ("many_lines", b"\n".repeat(5_000_000)),
        ("parentheses", [&b"void main() begin assume("[..], &vec![b'('; 1_000_000]].concat()),
        ("negations", [&b"decl g; void main() begin assume("[..], &vec![b'!'; 1_000_000], b"g); end"].concat()),
        ("ifs", b"void main() begin ".iter().copied().chain(b"if (*) then ".repeat(100_000)).collect()),
        ("braces", b"decl {".repeat(10_000)),
        ("rules", [&b"spds 1\n"[..], &b"rule ".repeat(10_000)].concat()),
        ("comment", b"/* never closed".to_vec()),
        ("quote", b"spds 1\nsymbol \"never closed".to_vec()),
        ("no_main", b"decl g;\n".to_vec()),
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..20 {
        let mut bytes = Vec::new();
        for _ in 0..300 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            bytes.push((state >> 32) as u8);
        }
        junk.push(("random", bytes));
    }
    let original = fs::read(shell::root().join(FAULTY)).expect("the example is there");
    for at in (0..original.len()).step_by(17) {
        junk.push(("cut", original[..at].to_vec()));
        junk.push(("doubled", [&original[..at], &original[at / 2..]].concat()));
    }
    for (number, (name, bytes)) in junk.iter().enumerate() {
        let file = directory.join(format!("{number}_{name}"));
        fs::write(&file, bytes).expect("the directory for tests can be written");
        for format in ["bp", "spds", "pds", "pdaaal"] {
            let began = Instant::now();
            let output = command()
                .args(["check", "--input-format", format, "--timeout", "20"])
                .arg(&file)
                .output()
                .expect("puch can be started");
            let (complaint, took) = (stderr(&output), began.elapsed());
            assert!(matches!(code(&output), 0..=2), "{name} as {format}: {} {complaint}", code(&output));
            assert!(!complaint.contains("panicked") && !complaint.contains("defect"), "{name}: {complaint}");
            assert!(complaint.len() < 200_000, "{name} as {format}: {} bytes of complaints", complaint.len());
            assert!(took < Duration::from_secs(20), "{name} as {format}: {took:?}");
            let steers = complaint.chars().any(|c| c.is_control() && c != '\n');
            assert!(!steers, "{name} as {format}: control characters reach the terminal");
        }
    }
}

#[test]
fn odd_arguments_are_mistakes_or_names_never_panics() {
    for arguments in [
        &["check", "", "--reach", ""][..],
        &["check", FIG1, "--reach", ""],
        &["check", FIG1, "--reach", ":"],
        &["check", FIG1, "--reach", ":0"],
        &["check", FIG1, "--reach", ":4294967296"],
        &["check", FIG1, "--reach", "*:"],
        &["check", FIG1, "--reach", "\u{1b}[31m"],
        &["check", FIG1, "--reach", "R", "--assume", ""],
        &["check", FIG1, "--reach", "R", "--assume", "(((("],
        &["check", FIG1, "--reach", "R", "--assume", "g'"],
        &["check", FIG1, "--reach", "R", "--assume", "*"],
        &["check", FIG1, "--ltl", ""],
        &["check", FIG1, "--ltl", "-"],
        &["check", FIG1, "--ltl", "\u{1b}[31m"],
        &["check", FIG1, "--ltl", "{g"],
        &["check", FIG1, "--ltl", "F {*}"],
        &["check", FIG1, "--automaton", "-", "--never", "-"],
        &["check", "-", "--input-format", "bp", "--automaton", "-"],
        &["check", FIG1, "--automaton", "examples"],
        &["check", FIG1, "--never", FIG1],
        &["check", FIG1, "--timeout", "-1"],
        &["check", FIG1, "--timeout", "NaN"],
        &["check", FIG1, "--timeout", "inf"],
        &["check", FIG1, "--memory", "0"],
        &["check", FIG1, "--trace-steps", "many"],
        &["check", FIG1, "--entry", ""],
        &["check", FIG1, "-q", "-v"],
    ] {
        let output = puch(arguments);
        assert_eq!(code(&output), 2, "{arguments:?}: {}{}", stdout(&output), stderr(&output));
        assert!(!stderr(&output).contains("panicked"), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn a_file_name_that_is_not_text_can_be_read() {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::ffi::OsStrExt;
        let name = scratch("names").join(std::ffi::OsStr::from_bytes(b"caf\xe9.bp"));
        fs::copy(shell::root().join(FIG1), &name).expect("the directory for tests can be written");
        let output =
            command().arg("check").arg(&name).args(["--reach", "R", "--format", "json"]).output().expect("starts");
        assert_eq!(code(&output), 1, "{}", stderr(&output));
    }
}

#[test]
fn c_files_are_bytes_in_whatever_encoding() {
    let directory = scratch("bytes");
    let file = |name: &str, bytes: &[u8]| fs::write(directory.join(name), bytes).expect("tests can write");
    file("name.h", b"static const char *name = \"\xE9t\xE9\"; /* \xE9 */\n");
    let program = |tail: &str| {
        let head = "extern void reach_error(void);\n#include \"name.h\"\nint main(void) { const char *own = \"";
        let tail = format!("\";\n  if ({tail}) reach_error();\n  return 0; }}\n");
        [head.as_bytes(), b"\xFF7", tail.as_bytes()].concat()
    };
    let right = "own[0] != (char) 0xFF || own[1] != '7' || sizeof \"\\3777\" != 3 || name[0] != name[2] || name[2] != (char) 0xE9 || name[3]";
    file("right.c", &program(right));
    file("wrong.c", &program("own[0] == (char) 0xFF"));
    for (name, expected) in [("right.c", 0), ("wrong.c", 1)] {
        let output = puch(["check", &directory.join(name).display().to_string()]);
        assert_eq!(code(&output), expected, "{}{}", stdout(&output), stderr(&output));
    }
}

#[test]
fn facts_are_told_as_json_with_these_keys() {
    let written = stdout(&puch(["facts", FIG1, "--format", "json"]));
    let json: serde_json::Value = serde_json::from_str(&written).expect("it is JSON");
    assert_eq!(json["tool"]["name"], "puch");
    assert_eq!(json["input"], FIG1);
    assert!(json["reason"].is_null());
    let facts = json["facts"].as_array().expect("a list");
    assert_eq!(facts.len(), 14);
    for fact in facts {
        let keys: Vec<&str> = fact.as_object().expect("an object").keys().map(String::as_str).collect();
        for key in ["file", "line", "procedure", "labels", "symbol", "reached", "formula", "constants"] {
            assert!(keys.contains(&key), "{key}: {fact}");
        }
        assert_eq!(keys.len(), 8, "{fact}");
        assert_eq!(fact["reached"] == true, fact["formula"].is_string(), "{fact}");
    }
    // At the last statement of main in the example of the Bebop paper, both variables are constant.
    let last = facts.iter().rfind(|fact| fact["procedure"] == "main").expect("main has statements");
    assert_eq!((&last["line"], &last["formula"]), (&16.into(), &"g & !h".into()));
    assert_eq!(last["constants"], serde_json::json!({"g": true, "h": false}));
    let dead = stdout(&puch(["facts", FIG1, "--dead-code", "--format", "json"]));
    let dead: serde_json::Value = serde_json::from_str(&dead).expect("it is JSON");
    assert_eq!(dead["dead_code"][0]["line"], 14);
    assert_eq!(dead["dead_code"].as_array().map(Vec::len), Some(1));
}

#[test]
fn facts_that_a_limit_forbids_are_unknown() {
    for question in ["--dead-code", "--stats"] {
        let output = puch(["facts", FIG1, question, "--timeout", "0.000001", "--format", "json"]);
        assert_eq!(code(&output), 3, "{}", stderr(&output));
        let json: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("it is JSON");
        assert_eq!((&json["reason"], &json["reason_kind"]), (&"time limit reached".into(), &"timeout".into()));
        assert!(json["facts"].is_null() && json["dead_code"].is_null());
    }
}

#[test]
fn every_option_is_in_the_manual_and_in_the_completions() {
    let help = stdout(&puch(["check", "--help"]));
    let manual = stdout(&puch(["man", "check"])).replace("\\-", "-");
    let completions = stdout(&puch(["completions", "zsh"]));
    for option in [
        "--reach",
        "--assertions",
        "--ltl",
        "--termination",
        "--automaton",
        "--never",
        "--runs",
        "--ltl-syntax",
        "--scc",
        "--engine",
        "--format",
        "--trace",
        "--trace-calls",
        "--trace-steps",
        "--replay-steps",
        "--assume",
        "--asserts",
        "--dialect",
        "--entry",
        "--input-format",
        "--timeout",
        "--memory",
        "--stats",
        "--bdd",
        "--order",
        "--no-modref",
        "--live",
        "off",
        "--blocks",
        "--no-slice",
        "--quiet",
        "--verbose",
    ] {
        for (name, text) in [("help", &help), ("manual", &manual), ("completions", &completions)] {
            assert!(text.contains(option), "{option} is not in the {name}");
        }
    }
}

#[test]
fn a_converted_program_answers_as_the_program_does() {
    let directory = scratch("converted");
    for (program, places) in [(FIG1, &["R", ":14", ":24"][..]), (LOCK, &["DONE", ":20", ":22"]), (FAULTY, &[":20"])] {
        let text = stdout(&puch(["convert", program, "--to", "spds"]));
        let system = directory.join(Path::new(program).with_extension("spds").file_name().expect("it has one"));
        fs::write(&system, text).expect("the directory for tests can be written");
        let system = system.to_str().expect("the directory for tests has a name");
        let again = stdout(&puch(["convert", system, "--to", "spds"]));
        assert_eq!(again, fs::read_to_string(system).expect("it was written"), "printed and read back it is the same");
        let mut questions = vec!["--trace", "none", "--assertions"];
        questions.extend(places.iter().flat_map(|place| ["--reach", place]));
        let answers = |file| stdout(&puch([&["check", file], &questions[..]].concat()));
        assert_eq!(answers(program), answers(system));
    }
}

/// Interrupted once the processor has worked a while for the hard question; the easy one takes a hundredth of that.
#[cfg(target_os = "linux")]
#[test]
fn what_is_decided_before_an_interrupt_is_said() {
    let mut puch = command();
    puch.args(["check", "examples/quicksort/sorting.rem", "-D", "BITS=4", "-D", "M=7", "-D", "VALUE_BITS=4"]);
    puch.args(["--assertions", "--ltl", "F done"]);
    let puch = puch.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("puch can be started");
    let ticks = || -> u64 {
        let text = fs::read_to_string(format!("/proc/{}/stat", puch.id())).expect("it is at work");
        let fields = text.rsplit_once(')').map_or("", |(_, fields)| fields);
        fields.split_whitespace().nth(11).and_then(|field| field.parse().ok()).expect("the system counts")
    };
    while ticks() < 100 {
        std::thread::sleep(Duration::from_millis(20));
    }
    let id = puch.id().to_string();
    let kill = std::process::Command::new("kill").args(["-INT", &id]).status().expect("signals can be sent");
    assert!(kill.success());
    let output = puch.wait_with_output().expect("it ends");
    assert_eq!(stdout(&output), "assertions: holds\nF done: unknown (interrupted)\n", "{}", stderr(&output));
    assert_eq!(code(&output), 3);
}

#[test]
fn copies_of_files_of_one_name_have_names_of_their_own() {
    let folder = scratch("copies");
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        fs::write(&path, text).expect("it can be written");
        path.display().to_string()
    };
    let main =
        "void reach_error(void); int f(void); int main(void) { int k; if (k == 4 && f()) reach_error(); return 0; }";
    let (first, second) = (file("a/x.c", main), file("b/x.c", "int f(void) { int l; return l == 5; }"));
    let harness = folder.join("h.c").display().to_string();
    let output = puch(["check", &first, &second, "--harness", &harness]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("it was written");
    assert!(read("h.x.c").contains("k = 4") && read("h.3.x.c").contains("l = 5"));
}

#[test]
fn of_c_programs_only_that_is_told_which_the_entry_reaches() {
    let file = scratch("reached").join("reached.c");
    let turns = |name: &str| format!("void {name}(int n) {{ int i = 0; while (i < n) i++; seen = i; }}\n");
    let text = format!("int seen;\n{}{}int main(void) {{ used(3); return seen; }}\n", turns("used"), turns("idle"));
    fs::write(&file, text).expect("it can be written");
    let file = file.to_str().expect("it is a name");
    let commands: [&[&str]; 4] = [
        &["facts", file],
        &["facts", file, "--predicates", "guards"],
        &["influence", file, "--predicates", "guards", "--preserve", "termination"],
        &["influence", file, "--predicates", "guards", "--preserve", "termination", "--format", "json"],
    ];
    for command in commands {
        let told = puch(command);
        assert_eq!(code(&told), 0, "{command:?}\n{}", stderr(&told));
        let told = stdout(&told);
        assert!(told.contains("used") && !told.contains("idle"), "{command:?}\n{told}");
    }
    // Else this tests nothing: of another entry it is told.
    let other = stdout(&puch(["facts", file, "--entry", "idle"]));
    assert!(other.contains("idle") && !other.contains("used"), "{other}");
}
