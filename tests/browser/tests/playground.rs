//! The playground in Chromium: edited, checked, explored. `examples/playground/build` makes the page; without it (or the file
//! that `PLAYGROUND` names) nothing is tested, and that is said.

mod support;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use support::{Opened, root};

fn built() -> Option<PathBuf> {
    let file = std::env::var_os("PLAYGROUND").map_or_else(|| root().join("target/playground.html"), PathBuf::from);
    if file.is_file() {
        return Some(file.canonicalize().expect("the file is there"));
    }
    println!("note: {} is not built: the playground was not tried", file.display());
    None
}

/// The playground, ready to check.
fn playground(name: &'static str, size: (u32, u32)) -> Option<Opened> {
    let file = built()?;
    let page = Opened::page(name, || file, "#check", size)?;
    until(&page, "!document.getElementById('check').disabled");
    Some(page)
}

fn until(page: &Opened, condition: &str) {
    let began = Instant::now();
    while page.value(condition) != true {
        assert!(began.elapsed() < Duration::from_secs(60), "{condition}: {}", page.text("#state"));
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Checks a program; waits for the answer.
fn check(page: &Opened, name: &str, text: &str, properties: &str) {
    for (field, value) in [("name", name), ("text", text), ("properties", properties)] {
        page.value(&format!("document.getElementById({field:?}).value = {value:?}"));
    }
    page.click("#check");
    until(page, "!document.getElementById('check').disabled");
}

/// What a script finds in the page with the answers.
fn inside(page: &Opened, expression: &str) -> String {
    let script = format!("((document) => String({expression}))(document.getElementById('answer').contentDocument)");
    page.value(&script).as_str().unwrap_or_default().to_owned()
}

const SIZE: (u32, u32) = (1500, 1000);

#[test]
fn an_example_is_checked_and_its_run_explored() {
    let Some(page) = playground("playground", SIZE) else { return };
    page.click("#check");
    until(&page, "document.getElementById('answer').contentDocument?.querySelector('.row.current') != null");
    assert!(inside(&page, "document.querySelector('.about').innerText").contains("violated"));
    assert!(inside(&page, "document.querySelector('.row.current').innerText").contains("assert(!held)"));
    inside(&page, "document.querySelector('.tree').focus()");
    page.tab.press_key("Home").expect("a key");
    assert!(inside(&page, "document.querySelector('.row.current').innerText").contains("held := 0"));
    page.shot("explored");
}

#[test]
fn what_is_edited_is_what_is_checked() {
    let Some(page) = playground("edited", SIZE) else { return };
    let program = "decl x;\nvoid main() begin\n  x := 0;\n  while (*) do x := 1; od\n  R: assert(!x);\nend\n";
    check(&page, "mine.bp", program, "assertions\nreach R\nltl G !x");
    until(&page, "document.getElementById('answer').contentDocument?.querySelectorAll('[role=tab]').length === 3");
    let tabs = inside(&page, "document.querySelector('.tabs').innerText");
    assert!(tabs.contains("violated") && tabs.contains("reachable"), "{tabs}");
    let corrected = program.replace("assert(!x)", "assert(x | !x)");
    check(&page, "mine.bp", &corrected, "assertions");
    until(&page, "document.getElementById('answer').contentDocument?.querySelectorAll('[role=tab]').length === 1");
    assert!(inside(&page, "document.querySelector('.about').innerText").contains("holds"));
    // Mistakes are shown where they are.
    check(&page, "mine.bp", &program.replace("x := 1", "y := 1"), "");
    assert!(page.text("#wrong").contains("mine.bp:4:16"), "{}", page.text("#wrong"));
    let marked = "document.getElementById('text').value.slice(document.getElementById('text').selectionStart, \
                  document.getElementById('text').selectionEnd)";
    assert_eq!(page.value(marked), "y");
    page.shot("wrong");
    check(&page, "mine.bp", program, "reach NOWHERE");
    assert!(page.text("#wrong").contains("NOWHERE"), "{}", page.text("#wrong"));
    check(&page, "mine.c", "int main(void) { return 0; }", "");
    assert!(page.text("#wrong").contains("C programs are not read in a page"), "{}", page.text("#wrong"));
}

#[test]
fn every_example_has_an_answer() {
    let Some(page) = playground("examples", SIZE) else { return };
    let count = page.value("document.getElementById('example').length").as_u64().expect("a number");
    assert!(count >= 6);
    for index in 0..count {
        page.value(&format!("show(examples[{index}]); document.getElementById('answer').srcdoc = ''"));
        page.click("#check");
        until(&page, "!document.getElementById('check').disabled");
        assert_eq!(page.text("#wrong"), "", "example {index}");
        until(&page, "document.getElementById('answer').contentDocument?.querySelector('.about') != null");
        let about = inside(&page, "document.querySelector('.about').innerText");
        assert!(!about.contains("unknown"), "example {index}: {about}");
    }
}

#[test]
fn a_long_check_can_be_stopped_and_the_page_stays_alive() {
    let Some(page) = playground("stopped", SIZE) else { return };
    let hard = "define DEFAULT_INT_BITS 24\nint a, b, c, d;\nmodule void main() {\n  a = undef; b = undef; c = undef;\n  c = a * b;\n  \
                d = c * a;\n  c = d * b;\n  R: skip;\n}\n";
    for (field, value) in [("name", "hard.rem"), ("text", hard), ("properties", "ltl G {c * d != 12345 | a = b}")] {
        page.value(&format!("document.getElementById({field:?}).value = {value:?}"));
    }
    page.value("document.getElementById('properties').value = 'reach R'");
    page.click("#check");
    assert_eq!(page.value("document.getElementById('stop').disabled"), false);
    assert_eq!(page.value("1 + 1"), 2);
    page.click("#stop");
    until(&page, "!document.getElementById('check').disabled");
    assert_eq!(page.text("#state"), "Stopped.");
    check(&page, "mine.bp", "void main() begin R: skip; end", "reach R");
    assert_eq!(page.text("#wrong"), "");
}

#[test]
fn a_narrow_page_shows_one_thing_below_the_other() {
    let Some(page) = playground("narrow-playground", (420, 900)) else { return };
    let wide = page.value("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    assert_eq!(wide, 0);
    page.shot("narrow");
}
