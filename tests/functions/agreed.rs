//! Random functions with contracts, and a program that calls one of them in random states that keep its contract and its obligations: where a
//! use is said to be safe, or a contract to be kept, it is.

use std::fmt::Write;

use puch::functions::{Answer, Class};
use puch::nullness::Kind;

use super::random::{self, FUNCTIONS, PARAMETERS};
use super::{asked_with, compiled, seeds};

/// Demands: in files of contracts, and in C, which has no `NULL` here.
const REQUIRES: [&str; 10] = [
    "n < 3",
    "n >= 0 && n <= 2",
    "p != NULL",
    "q != NULL || n > 1",
    "gx <= 2",
    "head != NULL || p != NULL",
    "p == NULL || p->next != NULL",
    "p == NULL || p->v <= 2",
    "pp != NULL && (n != 3 || q != NULL)",
    "!(p == q && n > 0)",
];

/// Promises, in files of contracts and in C: `r` is what is returned, and what ends in 0 was so at the entry.
const ENSURES: [(&str, &str); 8] = [
    ("result <= pre(n)", "r <= n0"),
    ("result <= 3", "r <= 3"),
    ("\\result == n", "r == n0"),
    ("gx == pre(gx) || n > 0", "gx == gx0 || n0 > 0"),
    ("head == NULL || result < 5", "!head || r < 5"),
    ("p == NULL || p->v == pre(p->v)", "!p0 || p0->v == v0"),
    ("p != NULL && pre(p->v) < 5", "p0 && v0 < 5"),
    ("p == NULL || result < 4", "!p0 || r < 4"),
];

/// Which arguments are not NULL, as attributes say it and in C.
const NONNULL: [(&str, &str); 5] = [
    ("", "1"),
    ("__attribute__((nonnull(1)))", "p"),
    ("__attribute__((nonnull(2)))", "q"),
    ("__attribute__((nonnull(1, 2)))", "p && q"),
    ("__attribute__((nonnull(3)))", "pp"),
];

/// A program, and what is agreed about its functions.
struct Agreed {
    /// With `C0(…)` for calls of `f0`, `R0(n)` for what it returns, `A0` for attributes, and `E0` where it begins.
    text: String,
    contracts: String,
    nonnull: Vec<usize>,
    requires: Vec<Option<usize>>,
    ensures: Vec<Option<usize>>,
}

impl Agreed {
    fn new(seed: u64) -> Agreed {
        let mut state = seed.wrapping_mul(0xD129_42B0_2FF4_9E3D) | 1;
        let mut below = move |bound: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 20) as usize % bound
        };
        let mut text = random::functions(seed).replace("take(p);", "T(p);").replace("take(cur);", "T(cur);");
        // A demand of what has no body, and a promise.
        let mut contracts = "take: requires p != NULL\nask: ensures result >= 0, result < 4\n".to_owned();
        let (mut nonnull, mut requires, mut ensures) = (Vec::new(), Vec::new(), Vec::new());
        for number in 0..FUNCTIONS {
            let head = format!("int f{number}({PARAMETERS}) {{\n");
            let (before, rest) = text.split_once(&head).expect("it is defined");
            let (body, after) = rest.split_once("return n;\n}\n").expect("it returns");
            text = format!(
                "{before}A{number} int f{number}({PARAMETERS}) {{ E{number}\n{body}return R{number}(n);\n}}\n{after}"
            );
            text = text.replace(&format!("gx = f{number}("), &format!("gx = C{number}("));
            nonnull.push(below(NONNULL.len()));
            let demand = (below(3) > 0).then(|| below(REQUIRES.len()));
            let promise = (below(2) > 0).then(|| below(ENSURES.len()));
            if let Some(demand) = demand {
                let _ = writeln!(contracts, "f{number}: requires {}", REQUIRES[demand]);
            }
            if let Some(promise) = promise {
                let _ = writeln!(contracts, "f{number}: ensures {} // it may not be so", ENSURES[promise].0);
            }
            requires.push(demand);
            ensures.push(promise);
        }
        Agreed { text, contracts, nonnull, requires, ensures }
    }

    /// The text that is read.
    fn read(&self) -> String {
        let mut text =
            random::read(&self.text).replace("#define U(p) (p)", "").replace("U(", "(").replace("T(", "take(");
        for number in 0..FUNCTIONS {
            text = text.replace(&format!("C{number}("), &format!("f{number}("));
            text = text.replace(&format!("R{number}("), "(").replace(&format!(" E{number}\n"), "\n");
            text = text.replace(&format!("A{number} "), NONNULL[self.nonnull[number]].0);
        }
        text
    }

    /// What a function demands, in C.
    fn demanded(&self, number: usize) -> String {
        let demand = self.requires[number].map_or_else(|| "1".to_owned(), |at| REQUIRES[at].replace("NULL", "0"));
        // Pointers of different types are compared.
        let demand = demand.replace("p == q", "(void *)p == (void *)q");
        format!("({}) && ({demand})", NONNULL[self.nonnull[number]].1)
    }

    /// The program that calls one of them.
    fn caller(&self, number: usize, answer: &Answer, trials: u64) -> String {
        let mut before =
            "static int here;\n#define T(x) ({ struct S *t = (x); if (!t) null(__LINE__); take(t); })\n".to_owned();
        let mut after = String::new();
        let mut text = self.text.clone();
        for number in 0..FUNCTIONS {
            let promise = self.ensures[number].map_or("1", |at| ENSURES[at].1);
            let _ = writeln!(
                before,
                "#define A{number}\n#define E{number} int n0 = n, gx0 = gx, v0 = p ? p->v : 0; struct S *p0 = p;
#define C{number}(...) (here = __LINE__, g{number}(__VA_ARGS__))
#define R{number}(x) ({{ int r = (x); if (!({promise})) null(__LINE__); (void)n0; (void)gx0; (void)v0; (void)p0; r; }})"
            );
            let declared = format!("int f{number}({PARAMETERS});\n");
            text = text.replace(&declared, &format!("int f{number}({PARAMETERS}); int g{number}({PARAMETERS});\n"));
            let demand = self.demanded(number);
            let _ = writeln!(
                after,
                "int g{number}({PARAMETERS}) {{ if (!({demand})) null(here); return f{number}(p, q, pp, n, h); }}"
            );
        }
        let kept = format!("{} && {}", random::kept(answer), self.demanded(number));
        random::calling(&text, number, (&kept, &before, &after), trials)
    }
}

#[test]
fn no_caller_that_keeps_contract_and_obligations_sees_a_safe_use_fail_or_a_kept_contract_broken() {
    let (mut proved, mut contracts, mut failing, mut seen, mut calls) = (0, 0, 0, 0, 0);
    for seed in seeds::seeds(1..8) {
        let agreed = Agreed::new(seed);
        let text = agreed.read();
        for number in 0..FUNCTIONS {
            let name = format!("f{number}");
            let answer = asked_with(&text, &agreed.contracts, &name, 2);
            let (fine, fails) = random::lines(&answer);
            let Some(printed) = compiled::printed(&agreed.caller(number, &answer, 20_000), &[]) else { return };
            for line in printed.lines() {
                if let Some(count) = line.strip_prefix("calls ") {
                    calls += count.parse::<usize>().expect("a number");
                    continue;
                }
                seen += 1;
                let line: u32 = line.parse().expect("a number");
                let contracts = &agreed.contracts;
                assert!(!fine.contains(&line), "seed {seed}, {name}, line {line} of\n{text}\n{contracts}\n{answer:#?}");
            }
            proved += fine.len();
            let is_kept = |class: &Class| matches!(class, Class::Safe | Class::Obligation);
            contracts += answer.uses.iter().filter(|(one, class)| one.kind == Kind::Contract && is_kept(class)).count();
            failing += fails;
        }
    }
    assert!(proved > 0 && contracts > 0 && seen > 0 && calls > 0, "{proved} {contracts} {failing} {seen} {calls}");
    eprintln!(
        "{proved} lines proved, {contracts} conditions kept, {failing} failing, {seen} lines seen to fail in {calls} calls"
    );
}
