//! Whether functions end, whoever calls them: against compiled programs that call them with all that there is.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use puch::answer::{Run, Verdict};
use puch::c::{self, Unit};
use puch::functions::Answer;
use puch::functions::apart::needed;
use puch::functions::ends::ends;
use puch::limits::Limits;
use puch::nullness::Options;

use super::{compiled, seeds};

fn asked(text: &str, name: &str, seconds: u64) -> Answer {
    asked_after(text, name, &[], seconds)
}

/// The same where another version was proved with this.
fn asked_after(text: &str, name: &str, former: &[String], seconds: u64) -> Answer {
    let reading = c::Options { main: Some(name.to_owned()), open: true, ..c::Options::default() };
    let read = c::read(&[Unit { name: "t.c", text, preprocessed: None }], &reading).expect("it can be read");
    let usual = Options::default();
    let limits = Limits { deadline: Instant::now().checked_add(Duration::from_secs(seconds)), ..Limits::NONE };
    let options = Options { check: puch::options::Options { limits, ..usual.check }, kinds: [].into(), ..usual };
    ends(&needed(&read.program), former, 2, &options)
}

#[track_caller]
fn run(answer: &Answer) -> &Run {
    answer.verdict.run().unwrap_or_else(|| panic!("{answer:?}"))
}

#[test]
fn functions_end_for_all_callers_or_a_state_is_told_from_which_one_does_not() {
    let holds = |text: &str| {
        let answer = asked(text, "f", 30);
        assert_eq!(answer.verdict, Verdict::Holds, "{text}");
        answer
    };
    holds("int f(unsigned n) { int s = 0; for (unsigned i = 0; i < n; i++) s += i; return s; }");
    holds("int f(int m, int n) { if (m <= 0) return n + 1; return n <= 0 ? f(m - 1, 1) : f(m - 1, f(m, n - 1)); }");
    // What is undefined ends a run.
    holds("int f(int *p) { while (p == 0) *p = 1; return 0; }");
    let elsewhere = holds("int get(void); int f(int n) { while (n > 0) { get(); n--; } return n; }");
    assert!(elsewhere.assumptions.iter().any(|one| one.contains("returns")), "{:?}", elsewhere.assumptions);

    let odd = asked("int f(int n) { int s = 0; while (n != 0) { s += n; n -= 2; } return s; }", "f", 30);
    assert!(run(&odd).steps[0].values.iter().any(|one| one.name == "n" && one.value.to_string() != "0"), "{odd:?}");
    let flag = asked("int flag; void f(void) {\n while (flag) ; }", "f", 30);
    assert_eq!(
        (run(&flag).cycle, flag.endless.as_ref().map(|at| (at.line, &*at.statement))),
        (Some(1), Some((2, "if (flag)")))
    );
    let spin = asked("void f(void) {\n for (;;) ; }", "f", 30);
    assert_eq!((run(&spin).cycle, spin.endless.map(|at| at.line)), (None, Some(2)));
    // Whoever is asked may never say so; and what another function writes is there, too.
    run(&asked("int get(void); int f(void) { int s = 0; while (get() != -1) s++; return s; }", "f", 30));
    run(&asked(
        "int get(void); static int on; int f(void) { on = 1; while (on) get(); return 0; } void off(void) { on = 0; }",
        "f",
        30,
    ));
    // What calls itself for ever, too.
    run(&asked("int f(int n) { return n == 7 ? f(n) : n; }", "f", 30));
}

#[test]
fn what_decreases_in_a_version_is_tried_in_another() {
    let swaps = |by: &str| {
        format!(
            "int get(void); int f(int x, int y) {{ while (x > 0 && y > 0) {{
             if (get()) {{ x = y; y = y - {by}; }} else {{ y = x - 1; x = x - 2; }} }} return 0; }}"
        )
    };
    let old = asked(&swaps("1"), "f", 60);
    assert_eq!(
        (&old.verdict, &old.proved_by[..]),
        (&Verdict::Holds, &["f: falls x", "f: falls y"].map(str::to_owned)[..])
    );
    // All that is given for the place is taken, needed or not; what is given for others, or is nothing there, says nothing.
    let given = ["f: falls x", "f: falls y", "f: rises y", "g: rises x", "f: falls z"].map(str::to_owned);
    let new = asked_after(&swaps("2"), "f", &given, 60);
    assert_eq!((&new.verdict, &new.proved_by[..]), (&Verdict::Holds, &given[..3]));
    run(&asked_after(&swaps("0"), "f", &given, 60));
}

#[test]
fn what_is_called_through_a_pointer_may_go_on_for_ever() {
    let called = "static int loop(int n) { for (;;) n++; } static int down(int n) { return n; } static int (*const all[])(int) = { down, loop };";
    let bodies = [
        "int (*p)(int) = loop; return p(n);",
        "int (*p)(int) = n ? loop : down; return p(n);",
        "return all[1](n);",
        "return all[n & 1](n);",
    ];
    for body in bodies {
        let answer = asked(&format!("{called} int f(int n) {{ {body} }}"), "f", 30);
        assert_ne!(answer.verdict, Verdict::Holds, "{body}");
    }
    let itself =
        "static int g(int n); int f(int n) { int (*p)(int) = g; return p(n); } static int g(int n) { return f(n); }";
    assert_ne!(asked(itself, "f", 30).verdict, Verdict::Holds);
    let ends = format!("{called} int f(int n) {{ int (*p)(int) = down; return p(n); }}");
    assert_eq!(asked(&ends, "f", 30).verdict, Verdict::Holds);
}

#[test]
fn rings_say_nothing_of_who_walks_along_them() {
    let list = "struct n { int v; struct n *next; }; int f(struct n *p) { int s = 0; while (p) { s = p->v; p = p->next; } return s; }";
    let answer = asked(list, "f", 30);
    assert!(answer.verdict.unknown().is_some(), "{answer:?}");
    // And who is called through a pointer may be the caller, who says nothing of that either.
    let hook = "int f(int n); int (*hook)(int); int f(int n) { return hook ? hook(n) : 0; }";
    let answer = asked(hook, "f", 30);
    assert!(answer.verdict.unknown().is_some(), "{answer:?}");
}

#[test]
fn what_goes_on_for_ever_does_when_it_is_compiled() {
    let text =
        "struct s { unsigned char n; struct s *to; }; static int on; void tick(void); int f(struct s *p, int by) {
        if (!p || !p->to) return 0; while (p->to->n != 3 || !on) { p->to->n += by; tick(); } return 1; }";
    let answer = asked(text, "f", 60);
    let harness = run(&answer).harness.as_ref().expect("C can say it");
    assert!(harness.text.starts_with("/* Makes `f` go on for ever."), "{}", harness.text);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("termination-harness");
    fs::create_dir_all(&folder).expect("tests can write");
    fs::write(folder.join("t.c"), text).expect("tests can write");
    fs::write(folder.join("h.c"), &harness.text).expect("tests can write");
    let (from, to) = (folder.join("h.c"), folder.join("h.out"));
    let flags = ["-w", "-fwrapv", "-Wl,--unresolved-symbols=ignore-all", "-o"];
    let Ok(compiled) = Command::new("cc").args(flags).arg(&to).arg(from).output() else { return };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let mut child = Command::new(to).stdout(Stdio::null()).spawn().expect("it was compiled");
    std::thread::sleep(Duration::from_millis(500));
    let ended = child.try_wait().expect("it was begun");
    child.kill().expect("it can be stopped");
    child.wait().expect("it was begun");
    assert_eq!(ended, None, "{}", harness.text);
}

/// Random functions over numbers from 0 to 7: what they are handed, a global, and what a pointer leads to that may be NULL, or to the global.
struct Writer {
    rng: fastrand::Rng,
    text: String,
    /// Whether the function has called itself, and how many loops are open.
    calls: bool,
    loops: usize,
}

impl Writer {
    fn one(&mut self, of: &[&str]) -> String {
        of[self.rng.usize(..of.len())].to_owned()
    }

    fn value(&mut self) -> String {
        let (of, number) = (self.one(&["a", "b", "g", "*p"]), self.rng.u8(..8));
        match self.rng.u8(..6) {
            0 => number.to_string(),
            1 => of,
            2 => format!("({of} + {number}) & 7"),
            3 => format!("({of} - 1) & 7"),
            4 => format!("({of} + {}) & 7", self.one(&["a", "b", "g"])),
            _ => format!("{of} > 0 ? {of} - 1 : 0"),
        }
    }

    fn condition(&mut self) -> String {
        let (of, sign) = (self.one(&["a", "b", "g", "*p"]), self.one(&["<", ">", "!=", "=="]));
        let other = if self.rng.bool() { self.rng.u8(..8).to_string() } else { self.one(&["a", "b", "g"]) };
        format!("{of} {sign} {other}")
    }

    fn statement(&mut self, depth: usize) {
        match self.rng.u8(..if depth == 0 { 5 } else { 11 }) {
            0..=2 => {
                let (to, value) = (self.one(&["a", "b", "g", "*p"]), self.value());
                let _ = writeln!(self.text, "{to} = {value};");
            }
            3 if self.loops > 0 => {
                let (condition, leave) = (self.condition(), self.one(&["break", "continue", "return 1"]));
                let _ = writeln!(self.text, "if ({condition}) {leave};");
            }
            4 if !self.calls && self.loops == 0 => {
                self.calls = true;
                let (condition, a, b) = (self.condition(), self.value(), self.value());
                let _ = writeln!(self.text, "if ({condition}) f({a}, {b}, p);");
            }
            3 | 4 => {
                let way = self.one(&["step(g)", "(a > 3 ? step : same)(g)", "ways[b & 1](g)", "ways[1](a)"]);
                let _ = writeln!(self.text, "g = {way};");
            }
            5 | 6 => {
                let condition = self.condition();
                let _ = writeln!(self.text, "if ({condition}) {{");
                self.statements(depth - 1);
                self.text += "} else {\n";
                self.statements(depth - 1);
                self.text += "}\n";
            }
            way => {
                let condition = self.condition();
                let (begin, end) = match way {
                    7 => ("do {".to_owned(), format!("}} while ({condition});")),
                    8 => (format!("for (; {condition}; a = (a + 1) & 7) {{"), "}".to_owned()),
                    _ => (format!("while ({condition}) {{"), "}".to_owned()),
                };
                let _ = writeln!(self.text, "{begin} TICK;");
                self.loops += 1;
                self.statements(depth - 1);
                self.loops -= 1;
                let _ = writeln!(self.text, "{end}");
            }
        }
    }

    fn statements(&mut self, depth: usize) {
        for _ in 0..self.rng.usize(1..4) {
            self.statement(depth);
        }
    }
}

fn function(seed: u64) -> String {
    let mut writer = Writer { rng: fastrand::Rng::with_seed(seed), text: String::new(), calls: false, loops: 0 };
    writer.statements(2);
    let step = writer.one(&["n > 0 ? n - 1 : 0", "n < 7 ? n + 1 : 7", "(n + 3) & 7", "n == 5 ? step(n) : n"]);
    format!(
        "unsigned char g;
static unsigned char step(unsigned char n) {{ TICK; return {step}; }}
static unsigned char same(unsigned char n) {{ return n; }}
static unsigned char (*const ways[2])(unsigned char) = {{ same, step }};
int f(unsigned char a, unsigned char b, unsigned char *p) {{ TICK; if (!p) return 0; a &= 7; b &= 7; g &= 7; *p &= 7;
{}return 0; }}
",
        writer.text
    )
}

/// From which states a function does not end: those of `a`, `b`, `g`, and of what `p` leads to, 8 for the global.
fn endless(functions: &[String]) -> Option<Vec<Vec<[u8; 4]>>> {
    let mut text = "#include <setjmp.h>\n#include <stdio.h>\nstatic jmp_buf out; static long ticks;
        #define TICK if (++ticks > 100000) longjmp(out, 1)\n"
        .to_owned();
    let mut main = String::new();
    for (number, function) in functions.iter().enumerate() {
        let _ = writeln!(
            text,
            "#define g g{number}\n#define f f{number}\n#define step step{number}\n#define same same{number}\n#define ways ways{number}\n{function}\n#undef g\n#undef f\n#undef step\n#undef same\n#undef ways"
        );
        let _ = writeln!(
            main,
            "for (int a = 0; a < 8; a++) for (int b = 0; b < 8; b++) for (int i = 0; i < 8; i++) for (int o = 0; o < 9; o++) {{
              g{number} = i; object = o; ticks = 0;
              if (setjmp(out)) printf(\" %d%d%d%d\", a, b, i, o); else f{number}(a, b, o == 8 ? &g{number} : &object);
            }} puts(\"\");"
        );
    }
    let text = format!("{text}unsigned char object; int main(void) {{ {main} return 0; }}\n");
    let printed = compiled::printed(&text, &["-O1"])?;
    let state = |word: &str| {
        let digits: Vec<u8> = word.bytes().map(|digit| digit - b'0').collect();
        digits.try_into().expect("four digits")
    };
    Some(printed.lines().map(|line| line.split_whitespace().map(state).collect()).collect())
}

/// The state at the entry of a run, as [`endless`] has it.
fn state(run: &Run) -> [u8; 4] {
    let value = |name: &str| {
        let found = run.steps[0].values.iter().find(|one| one.name == name);
        found.map_or_else(|| "0".to_owned(), |one| one.value.to_string())
    };
    let number = |name: &str| value(name).parse::<u8>().unwrap_or_else(|_| panic!("{name} in {run:?}")) & 7;
    let object = if value("p") == "&g" { 8 } else { number(if value("*p") == "0" { "p[0]" } else { "*p" }) };
    assert_ne!(value("p"), "NULL", "{run:?}");
    [number("a"), number("b"), number("g"), object]
}

#[test]
fn what_ends_ends_for_all_callers_and_what_does_not_goes_on_when_it_is_compiled() {
    let seeds = seeds::seeds(0..20);
    let functions: Vec<String> = seeds.clone().map(function).collect();
    let Some(all) = endless(&functions) else { return };
    let (mut hold, mut violated) = (0, 0);
    for ((seed, function), states) in seeds.zip(&functions).zip(&all) {
        let text = function.replace("TICK;", "");
        match asked(&text, "f", 4).verdict {
            Verdict::Holds => {
                assert!(states.is_empty(), "seed {seed}: {text} does not end from {states:?}");
                hold += 1;
            }
            Verdict::Violated(run) => {
                let state = state(&run);
                assert!(states.contains(&state), "seed {seed}: {text} ends from {state:?}: {run:?}");
                violated += 1;
            }
            _ => {}
        }
    }
    println!("{hold} hold, {violated} violated of {}", functions.len());
    assert!(hold > functions.len() / 8 && violated > functions.len() / 8, "{hold} and {violated}");
}
