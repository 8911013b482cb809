//! Functions of which some are known where others call them: what goes wrong in a call is said of one of those on the way.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use puch::answer::Verdict;
use puch::c::{self, Unit};
use puch::functions::summary::{Required, Spot, Summaries, Summary};
use puch::functions::{Answer, Class, analyse};
use puch::limits::Limits;
use puch::nullness::{Kind, Options};
use puch::report::functions::Told;

use super::random::{self, FUNCTIONS};
use super::{compiled, seeds};

/// What is known of the pointers of each function, where that is known of those before it.
fn answers(text: &str, seconds: u64) -> Vec<Answer> {
    answers_of(text, seconds, &[Kind::Null])
}

/// The same of uses that can go wrong in these ways.
fn answers_of(text: &str, seconds: u64, kinds: &[Kind]) -> Vec<Answer> {
    let (mut known, mut answers) = (Summaries::new(), Vec::new());
    for number in 0..FUNCTIONS {
        let name = format!("f{number}");
        let reading = c::Options { main: Some(name.clone()), open: true, ..c::Options::default() };
        let program =
            c::read(&[Unit { name: "t.c", text, preprocessed: None }], &reading).expect("it can be read").program;
        let usual = Options::default();
        let limits = Limits { deadline: Instant::now().checked_add(Duration::from_secs(seconds)), ..Limits::NONE };
        let check = puch::options::Options { limits, ..usual.check };
        let options = Options { check, kinds: kinds.iter().copied().collect(), ..usual };
        let answer = analyse(&program, &known, 2, &options);
        if let Some(summary) = Told::of(&name, &answer, &options.kinds).summary() {
            known.insert(name, summary);
        }
        answers.push(answer);
    }
    answers
}

/// What is demanded where that was demanded in another version.
fn obligations_after(text: &str, former: &[&str]) -> Vec<String> {
    let reading = c::Options { main: Some("f".to_owned()), open: true, ..c::Options::default() };
    let read = c::read(&[Unit { name: "t.c", text, preprocessed: None }], &reading).expect("it can be read");
    let spot = Spot { file: "t.c".to_owned(), line: 1, column: 1 };
    let required = |one: &&str| Required { condition: (*one).to_owned(), kind: "null".to_owned(), spot: spot.clone() };
    let own = Summary { requires: former.iter().map(required).collect(), ..Summary::default() };
    let answer = analyse(&read.program, &Summaries::from([("f".to_owned(), own)]), 2, &Options::default());
    assert!(answer.verdict.excludes_run() && answer.obligations.iter().all(|one| one.shown), "{answer:?}");
    answer.obligations.into_iter().map(|one| one.condition).collect()
}

#[test]
fn what_was_demanded_is_demanded_again_as_far_as_it_is_needed() {
    let either = "int f(int *p, int *q) { if (q) return 0; return *p; }";
    assert_eq!(obligations_after(either, &[]), ["p != NULL"]);
    assert_eq!(obligations_after(either, &["q != NULL"]), ["q != NULL"]);
    assert_eq!(obligations_after(either, &["q != NULL", "p != NULL"]).len(), 1);
    let one = "int f(int *p, int *q) { return *q; }";
    for former in [&["p != NULL"][..], &["p != NULL", "q != NULL"], &["x != NULL", "q->n != NULL"]] {
        assert_eq!(obligations_after(one, former), ["q != NULL"], "{former:?}");
    }
    let both = "int f(int *p, int *q) { return *p + *q; }";
    assert_eq!(obligations_after(both, &["q != NULL"]), ["p != NULL", "q != NULL"]);
}

/// What is known of `f` if so many rounds are granted, where a version of it was proved with these predicates.
fn known_after(text: &str, rounds: usize, predicates: &[String]) -> Told {
    let reading = c::Options { main: Some("f".to_owned()), open: true, ..c::Options::default() };
    let read = c::read(&[Unit { name: "t.c", text, preprocessed: None }], &reading).expect("it can be read");
    let known = Summaries::from([("f".to_owned(), Summary { proved_by: predicates.into(), ..Summary::default() })]);
    let options = Options { rounds, ..Options::default() };
    Told::of("f", &analyse(&read.program, &known, 2, &options), &options.kinds)
}

#[test]
fn what_a_version_was_proved_with_proves_another() {
    let counts = |first: u32| {
        format!(
            "int f(int n) {{ int x = {first}, *p = &x, i = 0, j = n; while (i < 10) {{ i++; j--; }}
             if (j != n - 10) p = 0; return *p; }}"
        )
    };
    let old = known_after(&counts(1), 10, &[]);
    assert_eq!((&*old.verdict, known_after(&counts(2), 0, &[]).verdict.as_str()), ("holds", "unknown"));
    let learnt = old.summary().expect("it was read").proved_by;
    assert_eq!(known_after(&counts(2), 0, &learnt).verdict, "holds", "{learnt:?}");
    // What has another name now says nothing, and neither does what is wrong now.
    let renamed = counts(2).replace('j', "k");
    assert_eq!(known_after(&renamed, 0, &learnt).verdict, "unknown");
    let wrong = counts(2).replace("j != n - 10", "j != n - 11");
    assert_eq!(known_after(&wrong, 0, &learnt).verdict, "violated");
}

/// Calls by name write down where they are, and of which function; what fails prints where, and the calls that led there.
const BEFORE: &str = "
static struct { int line, callee; } chain[10000]; static int deep;
#define CALL(n, e) ({ chain[deep].line = __LINE__; chain[deep++].callee = n; int t = (e); deep--; t; })
#define null(line) told(line)
static void told(int line) {
    printf(\"fails %d\", line);
    for (int i = 0; i < deep; i++) printf(\" %d %d\", chain[i].line, chain[i].callee);
    printf(\"\\n\"); longjmp(out, 1);
}
";

/// Whether nothing is said on a line but that nothing goes wrong there.
fn is_fine(answer: &Answer, line: u32) -> bool {
    let mut there = answer.uses.iter().filter(|(one, _)| one.line == line);
    there.all(|(_, class)| matches!(class, Class::Safe | Class::Obligation))
}

/// Whether something is said on a line.
fn is_told(answer: &Answer, line: u32) -> bool {
    answer.uses.iter().any(|(one, _)| one.line == line)
}

#[test]
fn what_goes_wrong_in_a_call_is_said_of_a_function_on_the_way() {
    let (mut seen, mut apart, mut fine) = (0, 0, 0);
    for seed in seeds::seeds(40..45) {
        let functions = random::functions(seed);
        let read = random::read(&functions).replace("#define U(p) (p)", "").replace("U(", "(");
        let answers = answers(&read, 2);
        let (mut marked, mut macros) = (functions.clone(), String::new());
        for number in 0..FUNCTIONS {
            marked = marked.replace(&format!("gx = f{number}("), &format!("gx = K{number}("));
            macros += &format!("#define K{number}(...) CALL({number}, f{number}(__VA_ARGS__))\n");
        }
        for (number, answer) in answers.iter().enumerate() {
            let before = format!("{BEFORE}{macros}");
            let caller = random::calling(&marked, number, (&random::kept(answer), &before, ""), 5_000)
                .replace("fuel = 0; calls++;", "fuel = 0; deep = 0; calls++;");
            let Some(printed) = compiled::printed(&caller, &[]) else { return };
            let mut told: BTreeMap<&str, usize> = BTreeMap::new();
            for line in printed.lines().filter_map(|line| line.strip_prefix("fails ")) {
                *told.entry(line).or_default() += 1;
            }
            for line in told.keys() {
                let numbers: Vec<u32> = line.split(' ').map(|word| word.parse().expect("a number")).collect();
                let (mut current, mut is_said) = (number, false);
                for call in numbers[1..].chunks(2) {
                    let callee = call[1] as usize;
                    // Of functions before it, it is only asked whether they are given what they demand, if that can be said.
                    let name = format!("f{callee}");
                    if callee < current && answers[current].uses.iter().all(|(one, _)| one.procedure != name) {
                        apart += 1;
                        is_said |= !is_fine(&answers[current], call[0]);
                        current = callee;
                    }
                }
                is_said |= !is_fine(&answers[current], numbers[0]) || !is_told(&answers[current], numbers[0]);
                assert!(is_said, "seed {seed}, f{number}: {line} of\n{read}\n{answers:#?}");
                seen += 1;
            }
            fine += answer.uses.iter().filter(|(_, class)| matches!(class, Class::Safe | Class::Obligation)).count();
        }
    }
    assert!(seen > 0 && apart > 0 && fine > 0, "{seen} {apart} {fine}");
    eprintln!("{fine} uses are fine; {seen} ways to fail were seen, {apart} of them through functions that were known");
}

#[test]
fn what_a_function_demands_is_not_asked_where_it_does_not_need_it() {
    let text = "struct s { int n; int *q; };
        int f0(struct s *s, const char *m) { if (!s) return 0; s->n = 0; if (!m) return 0; return *s->q; }
        int f1(struct s *s) { return f0(s, 0); }
        int f2(struct s *s, int x) { if (x) return f0(s, \"x\"); return f0(s, 0); }";
    let answers = answers(text, 20);
    let obligations: Vec<Vec<&str>> =
        answers.iter().map(|answer| answer.obligations.iter().map(|one| &*one.condition).collect()).collect();
    assert_eq!(obligations, [vec!["s->q != NULL"], vec![], vec!["s->q != NULL"]]);
    assert!(answers.iter().all(|answer| answer.verdict == Verdict::Holds), "{answers:?}");
}

#[test]
fn what_is_open_for_another_reason_needs_what_is_demanded_all_the_same() {
    let text = "int ask(void);
        int f0(int *p) { return p[ask()]; }
        int f1(int *q) { return f0(q); }
        int f2(int *q) { return q ? f0(q) : 0; }";
    let answers = answers_of(text, 20, &[Kind::Null, Kind::Bounds]);
    let demands = |at: usize, what: &str| answers[at].obligations.iter().any(|one| one.condition == what);
    assert!(demands(0, "p != NULL") && demands(1, "q != NULL") && !demands(2, "q != NULL"), "{answers:?}");
}

#[test]
fn what_is_demanded_of_the_object_of_a_global_is_demanded_of_the_global() {
    let text = "struct hooks { void *(*allocate)(unsigned long); }; static struct hooks all;
        void *f0(struct hooks *hooks) { return hooks->allocate(8); }
        void *f1(void) { return f0(&all); }
        void *f2(int n) { return n ? f1() : 0; }";
    let all = answers(text, 30);
    let told = |at: usize| all[at].obligations.iter().map(|one| one.condition.as_str()).collect::<Vec<_>>();
    assert_eq!(told(0), ["hooks != NULL", "hooks->allocate != NULL"]);
    assert_eq!((told(1), told(2)), (vec!["all.allocate != NULL"], vec!["all.allocate != NULL"]));
    assert!(all.iter().all(|one| matches!(one.verdict, Verdict::Holds)), "{all:?}");
}
