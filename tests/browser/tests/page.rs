//! Pages of `puch check --format html`, opened, clicked and typed at in Chromium.
//!
//! Where there is no Chromium (`PATH`, or the file that `CHROME` names) nothing is tested, and that is said. `SHOTS=DIR` keeps
//! pictures of the pages.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use support::{Opened, root};

/// What `puch` prints for these arguments, as a file.
fn page(name: &str, arguments: &[&str]) -> PathBuf {
    let puch = std::env::var_os("PUCH").map_or_else(|| root().join("target/debug/puch"), PathBuf::from);
    let output =
        Command::new(&puch).current_dir(root()).arg("check").args(arguments).args(["--format", "html"]).output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}; `cargo build` makes it", puch.display()));
    assert!(!output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.html"));
    std::fs::write(&file, output.stdout).expect("the page can be written");
    file
}

/// The page of this name, opened; `None` without a browser.
fn opened(name: &'static str, arguments: &[&str], size: (u32, u32)) -> Option<Opened> {
    Opened::page(name, || page(name, arguments), "#source", size)
}

fn keys(page: &Opened, keys: &[&str]) {
    page.value("document.querySelector('.tree').focus()");
    for key in keys {
        page.tab.press_key(key).unwrap_or_else(|error| panic!("{key}: {error}"));
    }
}

const SIZE: (u32, u32) = (1280, 1000);

#[test]
fn a_run_is_stepped_through_by_keys_and_shows_what_changed() {
    let Some(page) = opened("lock_faulty", &["examples/lock_faulty.bp"], SIZE) else { return };
    assert!(page.text(".about").contains("violated"), "{}", page.text(".about"));
    assert!(page.text(".row.current").contains("assert(!held)"));
    assert_eq!(page.text(".line.here a"), "6");
    keys(&page, &["Home"]);
    assert!(page.text(".row.current").contains("held := 0"));
    keys(&page, &["s", "s", "s", "s", "s"]);
    assert!(page.text(".values tr.changed").contains("held"), "{}", page.text(".values"));
    assert!(page.text(".aside").contains("held is 1"), "{}", page.text(".aside"));
    keys(&page, &["b"]);
    assert_eq!(page.text(".values tr.changed"), "");
    assert_eq!(page.value("document.querySelectorAll('.stack li').length"), 3);
    page.shot("light");
    page.click("#theme");
    page.shot("dark");
}

#[test]
fn calls_fold_and_stepping_over_them_comes_to_what_follows() {
    let Some(page) = opened("doubling", &["examples/doubling.bp", "--reach", "R"], SIZE) else { return };
    keys(&page, &["Home", "-"]);
    let rows = page.value("document.querySelectorAll('.row').length");
    assert_eq!(rows, 5, "{}", page.text(".rows"));
    keys(&page, &["n", "n"]);
    assert!(page.text(".row.current").contains("flip()"), "{}", page.text(".row.current"));
    keys(&page, &["Home", "n", "ArrowRight", "s"]);
    assert!(page.text(".row.current").contains("eight()"), "{}", page.text(".row.current"));
    assert_eq!(page.value("document.querySelector('.row.current').getAttribute('aria-level')"), "2");
    keys(&page, &["+"]);
    assert_eq!(page.value("explorer.run.length"), 84);
    page.shot("unfolded");
}

#[test]
fn a_lasso_is_a_ring_whose_turns_are_counted_and_whose_stack_grows() {
    let arguments = ["examples/termination/countdown_faulty.bp", "--termination"];
    let Some(page) = opened("countdown", &arguments, SIZE) else { return };
    assert!(page.text(".lasso").contains("4 frames higher"), "{}", page.text(".lasso"));
    keys(&page, &["End", "s"]);
    assert!(page.text(".where").contains("turn 2: the stack is 4 higher"), "{}", page.text(".where"));
    keys(&page, &["b"]);
    assert!(!page.text(".where").contains("turn"), "{}", page.text(".where"));
    page.shot("lasso");
}

#[test]
fn properties_are_tabs_and_sources_show_what_is_reached() {
    let arguments = ["examples/lock.bp", "--assertions", "--reach", "DONE", "--reach", ":23"];
    let Some(page) = opened("several", &arguments, SIZE) else { return };
    assert_eq!(page.value("document.querySelectorAll('[role=tab]').length"), 3);
    page.click("#tab-2");
    assert_eq!(page.value("document.querySelector('#tab-2').getAttribute('aria-selected')"), "true");
    assert!(page.text(".line.here").starts_with("23"), "{}", page.text(".line.here"));
    page.click("#tab-0");
    assert!(page.text(".about").contains("assertions: holds"));
    assert!(page.value("document.querySelectorAll('.line.always').length").as_u64() > Some(0));
    page.shot("tabs");
}

#[test]
fn a_watch_is_shown_and_its_changes_are_found() {
    let Some(page) = opened("watch", &["examples/lock_faulty.bp"], SIZE) else { return };
    keys(&page, &["Home", "w"]);
    page.tab.type_str("held == 1 & !(held < 1)").expect("an expression is typed");
    page.tab.press_key("Enter").expect("and given");
    assert!(page.text(".watch td").contains('0'), "{}", page.text(".watch"));
    keys(&page, &["c"]);
    assert_eq!(page.text(".watch td"), "1");
    assert!(page.text(".row.current").contains("end"), "{}", page.text(".row.current"));
    keys(&page, &["w"]);
    page.tab.type_str("held +").expect("a mistake is typed");
    page.tab.press_key("Enter").expect("and given");
    assert!(page.text(".aside").contains("a value is missing"), "{}", page.text(".aside"));
}

#[test]
fn a_narrow_page_has_no_wider_content_than_itself() {
    let Some(page) = opened("narrow", &["examples/lock_faulty.bp"], (420, 900)) else { return };
    let wide = page.value("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    assert_eq!(wide, 0);
    page.shot("narrow");
}

#[test]
fn systems_and_integers_are_shown_too() {
    let Some(page) = opened("pds", &["examples/pds/counter.pds", "--reach", "q:back"], SIZE) else { return };
    assert!(page.text(".values").contains("depth"), "{}", page.text(".values"));
    assert!(page.text(".row.current").contains("back"), "{}", page.text(".row.current"));
    page.shot("system");
}

#[test]
fn a_c_program_is_stepped_through_with_its_values_and_inputs() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("list.c");
    let text = "#include <stdlib.h>
int __VERIFIER_nondet_int(void);
void reach_error(void);
struct node { int value; struct node *next; } *head;
void push(int v) {
  struct node *n = malloc(sizeof *n);
  if (!n) exit(0);
  n->value = v;
  n->next = head;
  head = n;
}
int main(void) {
  int a[3] = {5, 6, 7};
  for (int i = 0; i < 3; i++) push(a[i] - __VERIFIER_nondet_int());
  if (head->next->value == -1) reach_error();
  return 0;
}
";
    std::fs::write(&file, text).expect("it can be written");
    let Some(page) = opened("c_list", &["-q", file.to_str().expect("a plain name"), "--malloc", "succeeds"], SIZE)
    else {
        return;
    };
    assert!(page.text(".about").contains("the error is reached"), "{}", page.text(".about"));
    // The end of a run that is longer than the pane is in sight.
    assert!(page.text(".row.current").contains("reach_error();"), "{}", page.text(".row.current"));
    assert!(page.text(".values").contains("head->next") && page.text(".values").contains("[5, 6, 7]"));
    assert_eq!(page.value("document.querySelectorAll('.inputs button').length"), 3);
    page.click(".inputs li:nth-child(2) button");
    assert!(page.text(".row.current").contains("push("), "{}", page.text(".row.current"));
    keys(&page, &["s", "s", "s", "s"]);
    assert!(page.text(".values tr.changed").contains("n->value"), "{}", page.text(".values"));
    for (expression, value) in
        [("n->value == 7 - 8 || n == NULL", "1"), ("n == head", "0"), ("*n", "—"), ("~v", "0"), ("v + 2 * 3", "5")]
    {
        keys(&page, &["w"]);
        page.tab.type_str(expression).expect("an expression is typed");
        page.tab.press_key("Enter").expect("and given");
        assert_eq!(page.text(".watch tbody tr:last-child td"), value, "{expression}");
    }
    page.shot("c");
    keys(&page, &["-"]);
    assert!(page.text(".rows").lines().count() < 40);
}

#[test]
fn a_run_of_a_c_program_that_goes_on_for_ever_is_a_ring() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("flips.c");
    let text = "int x;\nint flip(int v) {\n  return !v;\n}\nvoid main(void) {\n  while (1) x = flip(x);\n}\n";
    std::fs::write(&file, text).expect("it can be written");
    let arguments = [file.to_str().expect("a plain name"), "--termination"];
    let Some(page) = opened("c_flips", &arguments, SIZE) else { return };
    assert!(page.text(".lasso").contains("the stack is the same after each turn"), "{}", page.text(".lasso"));
    keys(&page, &["End", "s"]);
    assert!(
        page.text(".where").contains("turn 2") || page.text(".lasso").contains("turn 2"),
        "{}",
        page.text(".where")
    );
    page.shot("c-lasso");
}

#[test]
fn a_hundred_thousand_steps_are_stepped_through_without_a_hitch() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("steps.bp");
    let twice = |n: usize| format!("void p{n}() begin\n  p{0}();\n  p{0}();\nend\n", n - 1);
    let all: String = (1..=15).map(twice).collect();
    let main = "void main() begin\n  p15();\n  DONE: skip;\nend\n";
    let text = format!("decl g;\nvoid p0() begin\n  g := !g;\nend\n{all}{main}");
    std::fs::write(&file, text).expect("it can be written");
    let arguments =
        [file.to_str().expect("a plain name"), "--reach", "DONE", "--trace-calls", "full", "--trace-steps", "1000000"];
    let Some(page) = opened("steps", &arguments, SIZE) else { return };
    keys(&page, &["+"]);
    assert!(page.value("explorer.run.length").as_u64() > Some(100_000), "{}", page.value("explorer.run.length"));
    let timed = |what: &str| {
        let script = format!(
            "{{ const from = performance.now(); for (let n = 0; n < 20; n++) {{ {what} }} (performance.now() - from) / 20 }}"
        );
        page.value(&script).as_f64().expect("a number")
    };
    for what in ["explorer.back()", "explorer.go(50000); explorer.go(3)", "explorer.step()", "explorer.over()"] {
        let milliseconds = timed(what);
        println!("{what}: {milliseconds:.1} ms");
        assert!(milliseconds < 250.0, "{what}: {milliseconds} ms");
    }
    let megabytes = page.value("performance.memory.usedJSHeapSize / 1e6").as_f64().expect("Chromium tells");
    println!("{megabytes:.0} MB");
    assert!(megabytes < 400.0, "{megabytes} MB");
}

#[test]
fn the_page_has_the_roles_and_names_that_screen_readers_tell() {
    let arguments = ["examples/lock.bp", "--assertions", "--reach", "DONE"];
    let Some(page) = opened("roles", &arguments, SIZE) else { return };
    page.click("#tab-1");
    let script = "JSON.stringify([...document.querySelectorAll('*')].map(e => [e.computedRole, e.computedName]))";
    let all = page.value(script);
    let all: Vec<(String, String)> = serde_json::from_str(all.as_str().unwrap_or("")).expect("pairs of words");
    let has = |role: &str, name: &str| all.iter().any(|(one, said)| one == role && said.contains(name));
    for (role, name) in [
        ("tablist", "Properties"),
        ("tab", "DONE"),
        ("tabpanel", ""),
        ("tree", "Steps of the run"),
        ("treeitem", "DONE: skip"),
        ("toolbar", "Steps"),
        ("button", "Step back"),
        ("region", "Values"),
        ("region", "examples/lock.bp"),
        ("status", ""),
        ("textbox", "New watch expression"),
    ] {
        assert!(has(role, name), "{role} {name}: {all:?}");
    }
    let unnamed = all.iter().find(|(role, name)| role == "button" && name.is_empty());
    assert_eq!(unnamed, None, "every button has a name");
    // By keys alone: from the first tab stop to the tree.
    page.value("document.activeElement.blur()");
    let mut stops = Vec::new();
    for _ in 0..14 {
        page.tab.press_key("Tab").expect("a key");
        let stop = "(e => e.getAttribute('aria-label') || e.textContent || e.id)(document.activeElement)";
        stops.push(page.value(stop).as_str().unwrap_or("").to_owned());
    }
    assert!(stops.iter().any(|stop| stop == "Steps of the run"), "{stops:?}");
}
