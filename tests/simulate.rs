//! `puch simulate`: what scripts get, and that whatever is chosen the judge finds it real.

mod shell;

use std::io::Write;
use std::process::{Output, Stdio};

use shell::{code, command, puch, scratch, stderr, stdout};

/// What `puch simulate` says to these commands.
fn simulated(arguments: &[&str], commands: &str) -> Output {
    let mut child = command()
        .arg("simulate")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("puch can be started");
    child.stdin.take().expect("there is a pipe").write_all(commands.as_bytes()).expect("commands are read");
    child.wait_with_output().expect("it ends")
}

#[test]
fn values_stay_open_until_something_depends_on_them() {
    let output = simulated(&["examples/lock_faulty.bp"], "until :19\n");
    let text = stdout(&output);
    assert_eq!((code(&output), stderr(&output)), (0, String::new()));
    assert!(text.starts_with("main 27: held := 0;  held=?\n   1  main 28: work(*);  held=0\n"), "{text}");
    let end = "  work 19: if (deeper) then  held=1 deeper=?\n   1  work 20: work(*);  if deeper=1\n   \
               2  work 22: release();  if deeper=0\n";
    assert!(text.ends_with(end), "{text}");
}

#[test]
fn what_is_decided_late_was_so_from_the_beginning() {
    let output = simulated(&["examples/lock_faulty.bp"], "until :20\nprint json\n");
    let text = stdout(&output);
    let json: serde_json::Value =
        serde_json::from_str(&text[text.find("{\"tool\"").expect("there is JSON")..]).expect("it is JSON");
    let steps = json["results"][0]["trace"]["stem"].as_array().expect("there are steps");
    let first = steps.iter().find(|step| step["procedure"] == "work").expect("work is called");
    assert_eq!(first["values"]["deeper"], true);
    assert_eq!(json["results"][0]["trace"]["replayed"], "full");
}

#[test]
fn steps_are_undone_with_all_that_they_decided() {
    let once = stdout(&simulated(&["examples/lock_faulty.bp"], "until :19\nshow\n"));
    let twice = stdout(&simulated(&["examples/lock_faulty.bp"], "until :19\n1\nback\n2\nback\nshow\n"));
    let last = |text: &str| text.lines().rev().take(3).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(last(&once), last(&twice));
}

#[test]
fn values_can_be_set_and_then_are_fixed() {
    let output = simulated(&["examples/lock_faulty.bp"], "set held=1\n1\nback\nset held=0\n\nset held=0\n");
    assert_eq!(code(&output), 2);
    assert!(stdout(&output).contains("held=1"));
    let wrong = simulated(
        &["examples/lock_faulty.bp"],
        "until :19\nset held=0\nset nothing=1\nset deeper=2\njump\nuntil nowhere\n",
    );
    let told = stderr(&wrong);
    for part in
        ["`held` is 1 here", "no variable `nothing`", "`deeper` is 1 at most", "`jump` is no command", "`nowhere`"]
    {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert_eq!(code(&wrong), 2);
}

#[test]
fn what_is_printed_is_real() {
    let directory = scratch("simulate");
    let file = directory.join("run.json");
    let file = file.to_str().expect("a plain name");
    for (program, commands) in [
        ("examples/lock_faulty.bp", "until :20\n"),
        ("examples/stacks/requests.bp", "go\n1\n\n1\n"),
        ("examples/quicksort/faulty.rem", "1\ngo\n1\ngo\n2\ngo\n"),
        ("examples/pds/plotter.pds", "1\n1\n2\n1\n1\n2\n1\n1\n"),
        ("examples/heap.rem", "1\ngo\n1\n1\n1\ngo\n"),
    ] {
        let output = simulated(&[program], &format!("{commands}print json > {file}\nprint text\n"));
        let written = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{program}: {error} {output:?}"));
        assert!(written.contains("\"replayed\": \"full\""), "{program}: {written}");
        let replayed = puch(["replay", program, file]);
        assert_eq!(code(&replayed), 0, "{program}: {} {}", stdout(&replayed), stderr(&replayed));
        let _ = std::fs::remove_file(file);
    }
}

#[test]
fn a_failing_run_is_a_violated_assertion() {
    let output = simulated(&["examples/lock_faulty.bp"], "until :20\nuntil :6\ngo\nprint text\n");
    let text = stdout(&output);
    assert!(text.contains("the assertion has failed\n"), "{text}");
    assert!(text.contains("assertions: violated\n") && text.ends_with("the assertion fails\n"), "{text}");
}

#[test]
fn inputs_of_c_programs_are_chosen() {
    let output = simulated(&["examples/c/add.c"], "go\n3\ngo\n4\ngo\nback\nback\n5\ngo\nprint text\n");
    let text = stdout(&output);
    assert_eq!((code(&output), stderr(&output)), (0, String::new()), "{text}");
    assert!(text.contains("an input is needed in line 12") && text.contains("m=3"), "{text}");
    assert!(text.trim_end().ends_with("the program ends and returns 0") && text.contains("n=5"), "{text}");
}

#[test]
fn a_run_of_a_c_program_is_printed_in_all_forms_that_its_reports_have() {
    let output = simulated(&["examples/c/add.c"], "go\n3\ngo\n4\nprint sarif\n");
    let text = stdout(&output);
    assert!(text.contains("\"codeFlows\"") && text.contains("so far"), "{text} {}", stderr(&output));
    let page = stdout(&simulated(&["examples/c/add.c"], "go\n3\ngo\n4\nprint html\n"));
    assert!(page.contains("</html>") && page.contains("What is reached is not known: nothing was searched."), "{page}");
    assert!(page.contains("\"inputs\":[{\"call\":"), "{page}");
}

#[test]
fn the_program_itself_is_no_script() {
    let output = simulated(&["-", "--input-format", "bp"], "");
    assert_eq!(code(&output), 2);
}

#[test]
fn several_files_of_c_are_one_program() {
    let directory = scratch("simulate_several");
    let (one, other) = (directory.join("one.c"), directory.join("other.c"));
    std::fs::write(&one, "int twice(int x);\nint main(void) {\n  int y = twice(4);\n  return y;\n}\n")
        .expect("it can be written");
    std::fs::write(&other, "int twice(int x) {\n  return 2 * x;\n}\n").expect("it can be written");
    let files = [one.to_str().expect("a plain name"), other.to_str().expect("a plain name")];
    let output = simulated(&files, "until other.c:2\ngo\n");
    assert_eq!((code(&output), stderr(&output)), (0, String::new()));
    let text = stdout(&output);
    assert!(text.contains("one.c is next") && text.contains("other.c:2    return 2 * x;"), "{text}");
    let wrong = simulated(&files, "until third.c:2\n");
    assert!(stderr(&wrong).contains("until list.c:7"), "{}", stderr(&wrong));
    let mixed = simulated(&["examples/lock.bp", files[0]], "");
    assert_eq!(code(&mixed), 2);
    assert!(stderr(&mixed).contains("only a C program has several files"), "{}", stderr(&mixed));
}
