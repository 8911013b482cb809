//! Many at once: `puch check FILES`, `puch batch`.

mod shell;

use std::fs;
use std::path::Path;

use serde_json::Value;
use shell::{code, puch, root, scratch, stderr, stdout};

fn plain(path: &Path) -> &str {
    path.to_str().expect("a plain name")
}

#[test]
fn several_files_are_answered_in_their_order() {
    let files = ["examples/lock.bp", "examples/lock_faulty.bp", "examples/doubling.bp"];
    let output = puch([&["check", "-j", "3", "--trace", "none"], &files[..]].concat());
    let headed = |file: &str, verdict: &str| format!("==> {file} <==\nassertions: {verdict}\n");
    let expected = [headed(files[0], "holds"), headed(files[1], "violated"), headed(files[2], "holds")].join("\n");
    assert_eq!((code(&output), stdout(&output)), (1, expected), "{}", stderr(&output));
}

#[test]
fn several_files_as_json_are_a_report_on_each_line() {
    let files = ["examples/lock.bp", "examples/lock_faulty.bp", "tests/golden/errors.bp"];
    let output = puch([&["check", "--format", "json"], &files[..]].concat());
    let lines: Vec<Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect();
    assert_eq!(code(&output), 2, "one cannot be read, which is the worst");
    let inputs: Vec<&str> = lines.iter().filter_map(|line| line["input"].as_str()).collect();
    assert_eq!(inputs, files);
    assert!(lines[2].get("results").is_none());
}

#[test]
fn files_of_c_are_one_program_unless_each_is_one() {
    let directory = scratch("files_of_c");
    let (one, two) = (directory.join("one.c"), directory.join("two.c"));
    fs::write(
        &one,
        "void reach_error(void);\nint half(int);\nint main(void) { if (half(3) != 7) reach_error(); return 0; }\n",
    )
    .expect("it can be written");
    fs::write(&two, "int half(int x) { return 7; }\n").expect("it can be written");
    let together = puch(["check", plain(&one), plain(&two), "-q"]);
    assert_eq!((code(&together), stdout(&together).as_str()), (0, "assertions: holds\n"), "{}", stderr(&together));
    let apart = puch(["check", "--each", plain(&one), plain(&two), "-q"]);
    assert!(stdout(&apart).starts_with("==> ") && code(&apart) != 0, "{}", stdout(&apart));
    let mixed = puch(["check", plain(&one), plain(&two), "examples/lock.bp"]);
    assert_eq!(code(&mixed), 2);
    assert!(stderr(&mixed).contains("--each"));
}

#[test]
fn formulas_come_from_files_with_their_names() {
    let directory = scratch("formulas");
    let file = directory.join("lock.ltl");
    fs::write(&file, "// two properties\nbusy := G F held\nG !@fail\n").expect("it can be written");
    let list = format!("@{}", plain(&file));
    let output = puch(["check", "examples/lock.bp", "--ltl", &list, "--trace", "none"]);
    let text = stdout(&output);
    assert!(text.starts_with("busy (G F held): ") && text.contains("\nG !@fail: holds\n"), "{text}");
    let json = stdout(&puch(["check", "examples/lock.bp", "--ltl", &list, "--trace", "none", "--format", "json"]));
    let json: Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(
        (json["results"][0]["name"].as_str(), json["results"][0]["property"].as_str()),
        (Some("busy"), Some("G F held"))
    );
    assert!(json["results"][1].get("name").is_none());
    fs::write(&file, "ok := G !@fail\n\nbad := G (held\n").expect("it can be written");
    let output = puch(["check", "examples/lock.bp", "--ltl", &list]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("lock.ltl, line 3"), "{}", stderr(&output));
    let missing = puch(["check", "examples/lock.bp", "--ltl", "@no_such_file"]);
    assert!(code(&missing) == 2 && stderr(&missing).contains("no_such_file"));
}

/// Three tasks, one of which says what is expected.
fn tasks(directory: &Path) -> String {
    let file = directory.join("tasks.toml");
    let example = |name: &str| plain(&root().join("examples").join(name)).to_owned();
    let text = format!(
        "timeout = 60\n[[task]]\nname = 'good'\nfile = '{}'\nltl = ['G !@fail']\nassertions = true\n[[task]]\nname = 'bad'\n\
         file = '{}'\nexpect = 'violated'\n[[task]]\nname = 'wrong'\nfile = '{}'\n",
        example("lock.bp"),
        example("lock_faulty.bp"),
        plain(&root().join("tests/golden/errors.bp")),
    );
    fs::write(&file, text).expect("it can be written");
    plain(&file).to_owned()
}

#[test]
fn a_table_has_a_row_for_each_property() {
    let directory = scratch("table");
    let output = puch(["batch", &tasks(&directory), "-j", "2"]);
    let text = stdout(&output);
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!(rows[0], "good   holds        G !@fail");
    assert_eq!(rows[1], "good   holds        assertions");
    assert_eq!(rows[2], "bad    violated     assertions");
    assert!(rows[3].starts_with("wrong  error        line "), "{text}");
    assert_eq!(stderr(&output), "3 tasks: 2 fine, 1 wrong\n");
    assert_eq!(code(&output), 2);
}

#[test]
fn shards_share_the_tasks_and_results_are_not_asked_for_again() {
    let directory = scratch("shards");
    let (tasks, results) = (tasks(&directory), directory.join("results.jsonl"));
    let batch =
        |more: &[&str]| puch([&["batch", &tasks, "--results", plain(&results), "--format", "json"], more].concat());
    assert_eq!(stdout(&batch(&["--shard", "1/2"])).lines().count(), 2);
    let half = fs::read_to_string(&results).expect("there are results");
    assert_eq!(half.lines().count(), 2);
    // A line that was not written to its end is written again.
    fs::write(&results, format!("{half}{{\"task\": \"ba")).expect("it can be written");
    assert_eq!(stdout(&batch(&["--shard", "2/2"])).lines().count(), 1);
    let all = fs::read_to_string(&results).expect("there are results");
    assert_eq!(all.lines().count(), 3);
    let again = batch(&[]);
    assert_eq!(fs::read_to_string(&results).expect("there are results"), all, "nothing is asked again");
    let named = |text: &str| {
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("each line is JSON"));
        lines.map(|line| line["task"].as_str().expect("it has a name").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(named(&stdout(&again)), ["good", "bad", "wrong"]);
    assert_eq!(code(&again), 2);
    // Another question is another matter.
    assert_eq!(code(&batch(&["--timeout", "50", "--", "--termination"])), 2);
    assert!(fs::read_to_string(&results).expect("there are results").lines().count() > 3);
}

/// As the jobs of an array do, one of which is killed and started again.
#[test]
fn shards_fill_one_folder_with_what_is_known_of_functions() {
    let directory = scratch("shards-of-functions");
    let (files, kept) = (directory.join("files"), directory.join("kept"));
    fs::create_dir(&files).expect("it can be made");
    for number in 0..8 {
        let own = format!("int own{number}(int *p) {{ return *p + {number}; }}\n");
        let text =
            format!("int same(int *p) {{ return p ? *p : 0; }}\n{own}int wrong(void) {{ return own{number}(0); }}\n");
        fs::write(files.join(format!("f{number}.c")), text).expect("it can be written");
    }
    let arguments = |more: &[&str], kept: &[&str]| -> Vec<String> {
        let asked = ["--", "--functions", "--check", "null"];
        [&["batch", plain(&files)], more, &asked[..], kept].concat().iter().map(|word| (*word).to_owned()).collect()
    };
    let cache = ["--cache", plain(&kept)];
    let started = |part: usize| {
        let mut command = shell::command();
        command.args(arguments(&["-j", "1", "--shard", &format!("{part}/4")], &cache));
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null()).spawn().expect("it starts")
    };
    let mut all: Vec<_> = (1..=4).map(started).collect();
    all[0].kill().expect("it can be killed");
    all[0].wait().expect("it ends");
    all[0] = started(1);
    let told = all.into_iter().map(|one| one.wait_with_output().expect("it ends"));
    let told: Vec<String> = told.map(|one| String::from_utf8_lossy(&one.stdout).into_owned()).collect();
    let mut rows: Vec<&str> = told.iter().flat_map(|text| text.lines()).collect();
    rows.sort_unstable();
    let alone = puch(arguments(&[], &[]));
    let (alone, exit) = (stdout(&alone), code(&alone));
    let mut expected: Vec<&str> = alone.lines().collect();
    expected.sort_unstable();
    assert_eq!((exit, rows.len(), rows), (1, 24, expected));
    let entries = || {
        let all = fs::read_dir(&kept).expect("it is there").map(|one| one.expect("it can be read").path());
        let mut all: Vec<_> = all.filter(|path| path.extension().is_some()).collect();
        all.sort();
        all
    };
    let before = entries();
    assert_eq!(before.len(), 24);
    assert_eq!(stdout(&puch(arguments(&[], &cache))), alone);
    assert_eq!(entries(), before, "all of it was known");
}

#[test]
fn a_directory_and_definitions_of_benchexec_are_tasks() {
    let directory = scratch("definitions");
    let property = |name: &str, text: &str| fs::write(directory.join(name), text).expect("it can be written");
    property("unreach.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
    property("memory.prp", "CHECK( init(main()), LTL(G valid-free) )\n");
    property("a.c", "void reach_error(void);\nint main(void) { int x = 1; if (x == 2) reach_error(); return 0; }\n");
    property(
        "a.yml",
        "format_version: '2.0'\ninput_files: 'a.c'\nproperties:\n  - property_file: unreach.prp\n    expected_verdict: true\n  \
         - property_file: memory.prp\noptions:\n  language: C\n  data_model: ILP32\n",
    );
    fs::copy(root().join("examples/lock.bp"), directory.join("lock.bp")).expect("it can be copied");
    let output = puch(["batch", plain(&directory), "-j", "2"]);
    let text = stdout(&output);
    let name = plain(&directory);
    let said = |row: &str| row.replace(name, "").split_whitespace().collect::<Vec<_>>().join(" ");
    let rows: Vec<String> = text.lines().map(said).collect();
    assert_eq!(rows[0], "/a.yml unreach holds G ! call(reach_error())", "{text}");
    assert!(rows[1].starts_with("/a.yml memory unknown `valid-free` is not decided here"), "{text}");
    assert_eq!(rows[2], "/lock.bp holds assertions");
    assert_eq!((rows.len(), code(&output)), (3, 3));
}

#[test]
fn an_expectation_that_is_not_met_is_found() {
    let directory = scratch("expectations");
    let file = directory.join("tasks.yml");
    let lock = root().join("examples/lock.bp");
    fs::write(&file, format!("task:\n- name: lock\n  file: {}\n  expect: violated\n", plain(&lock)))
        .expect("it can be written");
    let output = puch(["batch", plain(&file), "-q"]);
    assert_eq!((code(&output), stdout(&output).as_str()), (1, "lock  holds        assertions (expected: violated)\n"));
    assert_eq!(stderr(&output), "");
}

#[test]
fn limits_are_those_of_each_task() {
    let directory = scratch("limits");
    let (hard, easy) = (root().join("examples/c/lock.c"), root().join("examples/lock.bp"));
    let file = directory.join("tasks.toml");
    let text = format!(
        "[[task]]\nname='hard'\nfile='{}'\ntimeout=0.001\n[[task]]\nname='easy'\nfile='{}'\n",
        plain(&hard),
        plain(&easy)
    );
    fs::write(&file, text).expect("it can be written");
    let output = puch(["batch", plain(&file), "-j", "2"]);
    let text = stdout(&output);
    assert!(text.starts_with("hard  unknown      assertions: time limit"), "{text}");
    assert!(text.contains("\neasy  holds        assertions\n") && code(&output) == 3, "{text}");
}

#[test]
fn traces_are_there_for_who_wants_them() {
    let lines = |more: &[&str]| stdout(&puch([&["batch", "examples/locks", "--format", "json"], more].concat()));
    let wanted = lines(&["--", "--termination", "--ltl", "G !@fail & F @end", "--trace", "any"]);
    assert!(wanted.contains("\"stem\": [") && !lines(&[]).contains("\"stem\""), "{wanted}");
}

#[test]
fn what_is_no_batch_is_refused() {
    let directory = scratch("refused");
    let file = directory.join("tasks.toml");
    for (text, told) in
        [("", "missing field"), ("[[task]]\nfile='x.bp'\nreech='R'\n", "reech"), ("task = [", "tasks.toml")]
    {
        fs::write(&file, text).expect("it can be written");
        let output = puch(["batch", plain(&file)]);
        assert!(code(&output) == 2 && stderr(&output).contains(told), "{text}: {}", stderr(&output));
    }
    for shard in ["0/2", "3/2", "1", "a/b"] {
        assert_eq!(code(&puch(["batch", plain(&directory), "--shard", shard])), 2);
    }
    assert_eq!(code(&puch(["batch", plain(&directory.join("nothing.txt"))])), 2);
}

#[test]
fn bench_exec_reads_nothing_but_the_report_also_where_there_is_something_to_warn_of() {
    let definition = fs::read_to_string(root().join("examples/batch/benchexec_puch/info.py")).expect("it is there");
    let line = definition.lines().find(|line| line.contains("return [executable")).expect("how puch is called");
    let words = line.split('"').skip(1).step_by(2);
    let property = scratch("bench_exec").join("unreach-call.prp");
    fs::write(&property, "CHECK( init(main()), LTL(G ! call(reach_error())) )\n").expect("it can be written");
    let asked = ["--property", plain(&property), "examples/c/add.c"];
    let output = puch(words.chain(asked).collect::<Vec<_>>());
    // It keeps both streams in one file.
    assert_eq!((code(&output), stderr(&output)), (0, String::new()));
    let report: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(report["results"][0]["warnings"][0]["code"], "undefined");
}
