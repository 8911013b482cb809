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
