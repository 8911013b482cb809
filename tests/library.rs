//! The programs in `examples/` that use the library print what they say they print.

#[path = "../examples/c_program.rs"]
#[allow(dead_code, reason = "its `main` prints")]
mod c_program;
#[path = "../examples/configurations.rs"]
#[allow(dead_code, reason = "its `main` prints")]
mod configurations;
#[path = "../examples/functions.rs"]
#[allow(dead_code, reason = "its `main` prints")]
mod functions;
#[path = "../examples/ltl.rs"]
#[allow(dead_code, reason = "its `main` prints")]
mod ltl;
#[path = "../examples/reachability.rs"]
#[allow(dead_code, reason = "its `main` prints")]
mod reachability;

#[path = "../benches/families/mod.rs"]
mod families;

use families::FAMILIES;
use puch::languages::boolean_programs::ast::{Ast, Label, NameId, Piece, Procedure, Stmt, StmtId, StmtKind};
use puch::languages::boolean_programs::{Options, lower};
use puch::systems::{Answer, Property, Session, Target};
use puch::{Format, Limits, Problem};
use spds_format::expr::Expr;
use spds_format::model::SymbolId;

/// The block of text in the comment at the head of a program.
fn promised(program: &str) -> String {
    let comment = program.lines().map_while(|line| line.strip_prefix("//!"));
    let lines = comment.skip_while(|line| line.trim() != "```text").skip(1).take_while(|line| line.trim() != "```");
    lines.map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line))).collect()
}

#[test]
fn reachability_prints_what_it_says() {
    assert_eq!(reachability::report(), promised(include_str!("../examples/reachability.rs")));
}

#[test]
fn c_program_prints_what_it_says() {
    assert_eq!(c_program::report(), promised(include_str!("../examples/c_program.rs")));
}

#[test]
fn functions_prints_what_it_says() {
    assert_eq!(functions::report(), promised(include_str!("../examples/functions.rs")));
}

#[test]
fn functions_tell_what_is_wrong_with_them_and_with_what_is_said_of_them() {
    use puch::c_functions::{Functions, Options};
    let wrong = Functions::read("int f(int x) { return y; }").expect_err("there is no `y`");
    assert!(wrong.to_string().contains('y'), "{wrong}");
    let text = "int f(int x) { return x; } void g(void) { setjmp(0); } static int h(void) { return 0; }";
    let functions = Functions::read(text).expect("it can be read as long as nobody executes it");
    let names: Vec<(&str, bool)> = functions.defined().iter().map(|one| (&*one.name, one.internal)).collect();
    assert_eq!(names, [("f", false), ("g", false), ("h", true)]);
    let answer = functions.answer("g", &Options::default()).expect("nothing is said of it");
    let why = answer.verdict.unknown().expect("it leads to what cannot be read");
    assert!(why.kind == "unsupported" && why.sentence.contains("cannot be read"), "{why:?}");
    let said = functions.clone().contracts("said", "f: requires z > 0").answer("f", &Options::default());
    assert!(said.expect_err("there is no `z`").to_string().contains("said:1:13"));
    assert!(functions.assume("z == 1").answer("f", &Options::default()).is_err());
}

#[test]
fn a_run_has_copies_of_files_whose_locals_nobody_assigns() {
    use puch::c_programs::{File, Options, Problem, Reading, Verdict};
    let file = |name: &'static str, text: &'static str| File { name, text, preprocessed: None };
    let files = [
        file(
            "a/x.c",
            "void reach_error(void); int f(void); int main(void) { int k; if (k == 4 && f()) reach_error(); return 0; }",
        ),
        file("b/x.c", "int f(void) { int l; return l == 5; }"),
    ];
    let problem = Problem::files(&files, Reading::default()).expect("it is a program").assertions();
    let answers = problem.check_with(&Options::default(), &mut |_| {});
    let Verdict::Violated(run) = &answers[0].verdict else { panic!("{:?}", answers[0].verdict) };
    let told: Vec<(&str, bool)> = run
        .harness
        .iter()
        .flat_map(|harness| &harness.copies)
        .map(|(name, text)| (&**name, text.contains("k = 4") || text.contains("l = 5")))
        .collect();
    assert_eq!(told, [("a/x.c", true), ("b/x.c", true)]);
}

#[test]
fn c_programs_are_answered_as_by_the_command() {
    use puch::c_programs::{File, Options, Overflow, Problem, Reading, Verdict};
    let text = "int nondet(void); void reach_error(void); int g;
        void f(int n) { if (n > 0) f(n - 1); g = n; }
        int main(void) { int n = nondet(); if (n > 5) return 0; f(n); L: if (g > 0) reach_error(); return 7 / (n + 3); }";
    let problem = Problem::files(&[File { name: "f.c", text, preprocessed: None }], Reading::default());
    let problem = problem.expect("it is a program").assertions().termination().reach("main:L").expect("there is L");
    let problem = problem.ltl("F L").expect("a formula").ltl("G ({g == 0} -> F @end)").expect("a formula");
    let problem = problem.property("CHECK( init(main()), LTL(G ! call(reach_error())) )").expect("a property");
    let mut rounds = 0;
    let answers = problem.check_with(&Options::default(), &mut |_| rounds += 1);
    let verdict = |at: usize| &answers[at].verdict;
    let Verdict::Violated(run) = verdict(0) else { panic!("{:?}", verdict(0)) };
    assert!((1..=5).contains(&run.inputs[0].value), "{run:?}");
    assert!(
        run.harness.as_ref().is_some_and(|harness| harness.text.contains("nondet"))
            && run.steps.last().expect("it has steps").procedure == "main",
        "{run:?}"
    );
    assert!(run.steps.iter().any(|step| step.depth == 2 && step.procedure == "f" && step.file == "f.c"), "{run:?}");
    assert_eq!(verdict(1), &Verdict::Holds);
    assert!(matches!(verdict(2), Verdict::Reachable(_)));
    let Verdict::Violated(run) = verdict(3) else { panic!("{:?}", verdict(3)) };
    assert!(run.inputs[0].value > 5 && run.cycle.is_none(), "{run:?}");
    assert!(matches!(verdict(5), Verdict::Violated(_)));
    assert!(rounds > 0 || answers.iter().all(|answer| answer.rounds == 0));
    // What is undefined is asked about by an option, and what is known begins with what was known.
    let problem = Problem::read(
        "int nondet(void); int main(void) { int n = nondet(); if (n != 3) return 7 / (n - 3); return 0; }",
    );
    let problem = problem.expect("it is a program").assertions();
    let checked = Options { overflow: Overflow::Check, ..Options::default() };
    let first = &problem.check_with(&checked, &mut |_| {})[0];
    assert!(matches!(first.verdict, Verdict::Violated(_)), "{first:?}");
    let text = "int nondet(void); int main(void) { int n = nondet(); if (n > 3) return 7 / (n - 3); return 0; }";
    let problem = Problem::read(text).expect("it is a program").assertions();
    let first = &problem.check_with(&checked, &mut |_| {})[0];
    assert_eq!((&first.verdict, first.predicates.is_empty()), (&Verdict::Holds, false));
    let again = Problem::read(text)
        .expect("it is a program")
        .assertions()
        .predicates(&first.predicates)
        .expect("they are predicates");
    let second = &again.check_with(&checked, &mut |_| {})[0];
    assert_eq!((&second.verdict, second.rounds), (&Verdict::Holds, 1), "{second:?}");
    assert!(again.check(&Limits::default())[0].warnings[0].contains("no assertions"));
    // An answer is data.
    assert_eq!(serde_json::to_value(second).expect("it can be written")["verdict"], "holds");
    // Limits are told, mistakes are shown with their places.
    let limits = Limits { deadline: Some(std::time::Instant::now()), ..Limits::default() };
    assert!(
        matches!(&again.check(&limits)[0].verdict, Verdict::Unknown(why) if why.kind == "timeout"),
        "{:?}",
        again.check(&limits)[0]
    );
    let wrong = Problem::read("int main(void) { return x; }").expect_err("there is no x");
    assert!(wrong.to_string().contains("`x` is not declared") && wrong.to_string().contains("<text>:1:25"), "{wrong}");
    assert!(again.reach("nowhere").expect_err("there is none").to_string().contains("nowhere"));
}

#[test]
fn ltl_prints_what_it_says() {
    assert_eq!(ltl::report(), promised(include_str!("../examples/ltl.rs")));
}

#[test]
fn configurations_prints_what_it_says() {
    assert_eq!(configurations::report(), promised(include_str!("../examples/configurations.rs")));
}

#[test]
fn answers_are_data() {
    let problem = Problem::read("decl g; void main() begin g := 1; R: skip; end", Format::BooleanProgram);
    let problem = problem.expect("it is a program").reach("R").expect("there is R").termination();
    let answers = problem.check(&Limits::default()).expect("runs are real");
    let json = serde_json::to_value(&answers).expect("it can be written");
    let steps = &json[0]["verdict"]["reachable"]["steps"];
    assert_eq!(steps[1]["values"], serde_json::json!([{"name": "g", "value": true}]));
    let trace = &json[0]["trace"];
    assert_eq!((&trace["run"]["ending"], &trace["replayed"]), (&"reached".into(), &"full".into()));
    assert_eq!(trace["run"]["stem"][1]["config"]["globals"], serde_json::json!([1]));
    assert_eq!(json[1]["verdict"], "holds");
}

#[test]
fn mistakes_are_told_as_the_command_tells_them() {
    let wrong = Problem::read("void main() begin x := 1; end", Format::BooleanProgram).expect_err("there is no x");
    assert!(wrong.to_string().contains("1 | void main() begin x := 1; end"), "{wrong}");
    let problem = || Problem::read("void main() begin R: skip; end", Format::BooleanProgram).expect("it is a program");
    assert!(problem().reach("S").expect_err("there is no S").to_string().contains("`main:R`"));
    assert!(problem().ltl("G (main:R").is_err());
}

#[test]
fn a_tree_made_in_code_has_places_in_another_text() {
    let text = "int main() {\n  x;\n  y;\n}";
    let statement = |at, next| Stmt { kind: StmtKind::Skip, at, next, parent: None };
    let main = Procedure {
        name: NameId(0),
        at: 4,
        results: Some(0),
        variables: Piece::default(),
        parameters: 0,
        enforced: Piece::default(),
        statements: Piece { start: 0, end: 2 },
        body: Some(StmtId::new(0)),
        labels: Piece { start: 0, end: 1 },
        end: 23,
    };
    let ast = Ast {
        names: ["main", "L"].map(Into::into).to_vec(),
        procedures: vec![main],
        // Not in the order of the text.
        statements: vec![statement(20, Some(StmtId::new(1))), statement(15, None)],
        labels: vec![Label { name: NameId(1), at: 15, target: Some(StmtId::new(1)) }],
        ..Ast::default()
    };
    let program = lower(ast, text, "prog.c", &Options::default()).expect("the tree is a program");
    let places = [0, 1].map(|i| program.spds.symbols[i].place.expect("statements have places"));
    assert_eq!(places.map(|place| (place.line, place.column)), [(3, 3), (2, 3)]);
    assert_eq!(&*program.spds.files[0], "prog.c");
    let answers = Problem::of(program.spds).reach("main:L").expect("the label is there").check(&Limits::default());
    assert!(answers.expect("runs are real")[0].verdict.claims_run());
}

/// After each of many small changes a session answers as if nothing had been known.
#[test]
fn what_a_session_keeps_is_still_so() {
    let family = FAMILIES.iter().find(|family| family.name == "random").expect("there is such a family");
    let (mut kept, mut asked) = (0, 0);
    for seed in 0..8 {
        let text = family.program(&[3, seed]).expect("these are sizes");
        let program = Problem::read(&text, Format::BooleanProgram).expect("it is a program");
        let spds = program.system().expect("its text is a system");
        let reach = |symbol| Property::Reach(vec![Target { control: None, symbol: SymbolId(symbol) }]);
        let mut properties: Vec<Property> = (0..spds.symbols.len() as u32).step_by(3).map(reach).collect();
        properties.extend([Property::Assertions, Property::Termination]);
        let mut session = Session::new(spds.clone(), puch::Options::default());
        for rule in (0..spds.rules.len()).step_by(spds.rules.len() / 5 + 1) {
            let before = session.check(&properties).expect("runs are real").answers.len();
            let mut changed = session.system().clone();
            let guard = &mut changed.rules[rule].guard;
            *guard = if guard.is_some() { None } else { Some(Expr::constant(false)) };
            kept += session.change(changed.clone());
            asked += before;
            let here = session.check(&properties).expect("runs are real").answers;
            let fresh =
                Session::new(changed, puch::Options::default()).check(&properties).expect("runs are real").answers;
            let said =
                |answers: &[Answer]| -> Vec<_> { answers.iter().map(|a| (a.verdict.bare(), a.vacuous)).collect() };
            assert_eq!(said(&here), said(&fresh), "seed {seed}, rule {rule}\n{text}");
        }
    }
    assert!(kept > 0 && kept < asked, "{kept} of {asked} are kept");
}

#[test]
fn answers_about_c_say_what_shows_them() {
    use puch::c_programs::{Metadata, Options, Problem, Verdict};
    let text = "int nondet(void); void reach_error(void);
int main(void) { return 0; }
int counts(void) {
  int n = nondet(), i = 0, d = 0;
  if (n < 0 || n > 1000) return 0;
  while (i < n) { i++; d += 2; }
  if (d != 2 * i) reach_error();
  return d == 8;
}
int fails(void) { if (nondet() == 7) reach_error(); return 0; }
";
    let options = Options { evidence: true, ..Options::default() };
    let answer = |entry: &str, options: &Options| {
        let problem = Problem::read(text).and_then(|problem| problem.entry(entry)).expect("it is a program");
        problem.assertions().check_with(options, &mut |_| {}).remove(0)
    };
    let holds = answer("counts", &options);
    assert_eq!(holds.verdict, Verdict::Holds);
    let of_loop = holds.invariants.iter().find(|one| one.of_loop).expect("something is known of the loop");
    assert_eq!((&*of_loop.procedure, of_loop.line), ("counts", 6), "{:?}", holds.invariants);
    let metadata = Metadata {
        uuid: "0".to_owned(),
        creation_time: "now".to_owned(),
        version: "1".to_owned(),
        files: Vec::new(),
        specification: "CHECK".to_owned(),
        data_model: "LP64".to_owned(),
    };
    let witness = holds.witness.expect("it has one");
    assert_eq!(witness.kind, "invariant_set");
    let file = witness.text(&metadata);
    assert!(file.contains("specification: \"CHECK\"") && file.contains(&of_loop.condition), "{file}");

    let fails = answer("fails", &options);
    assert!(matches!(fails.verdict, Verdict::Violated(_)) && fails.invariants.is_empty(), "{fails:?}");
    assert_eq!(fails.witness.map(|witness| witness.kind), Some("violation_sequence"));
    assert_eq!(answer("fails", &Options::default()).witness, None);

    let wrong = Problem::read(text).and_then(|problem| problem.entry("none")).expect_err("there is no such procedure");
    assert!(wrong.to_string().contains("none"), "{wrong}");
}

/// Runs step by step are the runs of the system, whichever door is taken.
#[test]
fn answers_are_the_same_through_both_doors() {
    use puch::systems::{Language, Problem as Systems};
    let family = FAMILIES.iter().find(|family| family.name == "random").expect("there is such a family");
    let language = || Format::BooleanProgram.language().expect("its texts are systems");
    let (mut runs, mut lassos) = (0, 0);
    for seed in 0..24 {
        let text = family.program(&[3, seed]).expect("these are sizes");
        let _: Language = language();
        let own = Systems::read(&text, language()).expect("it is a program").assertions().termination();
        let own = own.check(&Limits::default()).expect("runs are real");
        let told = Problem::read(&text, Format::BooleanProgram).expect("it is a program").assertions().termination();
        let spds = told.system().expect("its text is a system").clone();
        for (own, told) in own.iter().zip(told.check(&Limits::default()).expect("runs are real")) {
            assert_eq!(own.verdict.name(), told.verdict.name(), "seed {seed}");
            assert_eq!(own.verdict.trace(), told.trace.as_ref(), "seed {seed}");
            let (Some(trace), Some(run)) = (own.verdict.trace(), told.verdict.run()) else { continue };
            let place = |symbol| spds.symbol(symbol).place.map(|place| (place.line, place.column));
            let first = &trace.run.stem[0].config;
            let step = &run.steps[0];
            assert_eq!(Some((step.line, step.column)), place(first.symbol), "seed {seed}: {run:?}");
            // Each global has its value, and what is written is what is in the text there.
            for (global, value) in spds.globals.iter().zip(first.globals.iter()).filter(|(global, _)| !global.hidden) {
                let binding = step.values.iter().find(|binding| binding.name.trim_start_matches("::") == &*global.name);
                assert_eq!(binding.map(|binding| binding.value.to_string()), Some(value.to_string()), "seed {seed}");
            }
            for step in &run.steps {
                let line = text.lines().nth(step.line as usize - 1).expect("there is the line");
                assert!(line.contains(step.statement.trim_end_matches('…')), "seed {seed}: {step:?} {line}");
            }
            assert_eq!(run.cycle.is_some(), trace.run.cycle.is_some(), "seed {seed}");
            runs += 1;
            lassos += usize::from(run.cycle.is_some());
        }
    }
    assert!(runs > 8 && lassos > 2, "{runs} {lassos}");
}

#[test]
fn one_door_leads_to_all_languages() {
    use puch::{Asking, File, Verdict};
    let holds = |problem: &Problem| -> Vec<&str> {
        let answers = problem.check(&Limits::default()).expect("runs are real");
        answers.iter().map(|answer| answer.verdict.name()).collect()
    };
    // The questions go on being asked where runs begin elsewhere.
    let text = "decl g; void main() begin g := 0; assert(!g); end void other() begin assert(g); L: skip; end";
    let problem = Problem::read(text, Format::BooleanProgram).expect("a program").assertions();
    let problem = problem.reach("L").and_then(|problem| problem.ltl("F @end")).expect("there is L");
    assert_eq!(holds(&problem), ["holds", "unreachable", "holds"]);
    assert_eq!(
        holds(&problem.entry("other").expect("there is such a procedure")),
        ["violated", "reachable", "violated"]
    );
    let of = |text, format| Problem::read(text, format).expect("it can be read");
    assert!(of("spds 1 control p; symbol a; start <p, a>;", Format::Spds).entry("a").is_err());
    let files = [
        "int g(int); int main(void) { int *p = 0; if (g(3) == 4) return *p; return 0; }",
        "int g(int x) { return x + 1; }",
    ];
    let file = |at: usize| File { name: ["a.c", "b.c"][at], text: files[at], preprocessed: None };
    assert!(Problem::files(&[file(0), file(1)], Format::BooleanProgram).is_err(), "a system is one text");
    let problem = Problem::files(&[file(0), file(1)], Format::C).expect("a program");
    let problem = problem.assertions().null().and_then(|problem| problem.reach("b.c:1")).expect("there is a line 1");
    assert_eq!(holds(&problem), ["holds", "violated", "reachable"]);
    let answers = problem.check(&Limits::default()).expect("runs are real");
    let run = answers[1].verdict.run().expect("it is violated");
    assert!(run.steps.iter().any(|step| (&*step.file, &*step.procedure, step.depth) == ("b.c", "g", 1)), "{run:?}");
    let uses = problem.null_uses(&Asking::default());
    assert!(matches!(&uses[..], [one] if one.verdict.claims_run()), "{uses:?}");
    // What is about C only is refused elsewhere.
    let system = || of(text, Format::BooleanProgram);
    let refused =
        [system().null(), system().property("CHECK( init(main()), LTL(F end) )"), system().predicates("*: g == 0")];
    for refused in refused {
        assert!(refused.expect_err("it is a system").to_string().contains("this is a system"));
    }
    // Properties, predicates, evidence and progress.
    let text = "int nondet(void); void reach_error(void);
        int main(void) { int n = nondet(), i = 0; if (n < 0) return 0; while (i < n) i++; if (i != n) reach_error(); return 0; }";
    let property = "CHECK( init(main()), LTL(G ! call(reach_error())) )";
    let asking = Asking { evidence: true, rounds: Some(20), ..Asking::default() };
    let mut rounds = Vec::new();
    let problem = of(text, Format::C).property(property).and_then(|problem| problem.predicates("main: i <= n"));
    let answers = problem.expect("both are right").check_with(&asking, &mut |round| rounds.push(round.round));
    let answers = answers.expect("runs are real");
    assert_eq!(answers[0].verdict, Verdict::Holds);
    assert!(!answers[0].invariants.is_empty() && answers[0].witness.is_some(), "{answers:?}");
    assert_eq!(rounds.len(), answers[0].rounds, "{rounds:?}");
    // Answers of all kinds are data.
    assert_eq!(serde_json::to_value(&answers[0]).expect("it can be written")["verdict"], "holds");
}
