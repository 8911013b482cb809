//! The names of a text that its tokens tell are those of the system that it means, in programs of all notations; and texts that
//! are wrong have names, too.

mod oracle;
mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use puch::problem::Format;
use spds_format::Spds;
use spds_format::reading::outline::{Kind, Outline};
use support::{programs, rem_programs, seeds, shared, systems};

/// Names by kind, as far as a system knows them.
fn of_outline(outline: &Outline, kinds: &[Kind]) -> BTreeSet<String> {
    let all = outline.declarations.iter().filter(|declaration| kinds.contains(&declaration.kind));
    all.map(|declaration| declaration.name.clone()).collect()
}

fn compared(path: &str, text: &str, format: Format) {
    let language = format.language().expect("its texts are systems");
    let Ok(parsed) = language.read(text, path) else { return };
    let outline = language.outline(text);
    let spds: &Spds = &parsed.spds;
    let within = |declared: &BTreeSet<String>, wanted: BTreeSet<String>, what: &str| {
        let missing: Vec<&String> = wanted.difference(declared).collect();
        assert!(missing.is_empty(), "{path}: no outline of {what} {missing:?}\n{text:.2000}");
    };
    let variables = spds.globals.iter().chain(spds.frames.iter().flat_map(|frame| &frame.variables));
    // A field of a struct is a variable of the system.
    let visible = variables.filter(|variable| !variable.hidden);
    let variables: BTreeSet<String> =
        visible.map(|variable| variable.name.split('.').next().unwrap_or("").to_owned()).collect();
    within(&of_outline(&outline, &[Kind::Variable, Kind::Parameter]), variables.clone(), "the variables");
    let labels: BTreeSet<String> =
        spds.symbols.iter().flat_map(|symbol| symbol.labels.iter()).map(|label| label.to_string()).collect();
    if format != Format::MopedPds {
        let frames: BTreeSet<String> = spds.frames.iter().map(|frame| frame.name.to_string()).collect();
        let frames: BTreeSet<String> = frames.into_iter().filter(|name| !name.starts_with('@')).collect();
        // Where a module of Remopla begins is called like the module.
        within(&of_outline(&outline, &[Kind::Label]), labels.difference(&frames).cloned().collect(), "the labels");
        within(&of_outline(&outline, &[Kind::Procedure]), frames, "the procedures");
    }
    match format {
        Format::Spds => {
            let symbols = spds.symbols.iter().map(|symbol| symbol.name.to_string()).collect();
            within(&of_outline(&outline, &[Kind::Symbol]), symbols, "the stack symbols");
            let controls = spds.controls.iter().map(|name| name.to_string()).collect();
            within(&of_outline(&outline, &[Kind::Control]), controls, "the control locations");
        }
        Format::BooleanProgram => {
            // Nothing else is taken for a variable either.
            within(&variables, of_outline(&outline, &[Kind::Variable, Kind::Parameter]), "what would be variables");
        }
        _ => {}
    }
    // Every declared name leads to its own declaration.
    for declaration in &outline.declarations {
        let meant = outline.meant(text, declaration.at.start);
        assert!(
            meant.iter().any(|one| one.name == declaration.name),
            "{path}: `{}` at {:?} leads nowhere",
            declaration.name,
            declaration.at
        );
    }
}

fn files(folder: &Path, all: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder that can be read") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, all);
        } else {
            all.push(path);
        }
    }
}

fn format_of(path: &Path) -> Option<Format> {
    match path.extension()?.to_str()? {
        "bp" | "nbp" => Some(Format::BooleanProgram),
        "rem" => Some(Format::Remopla),
        "pds" => Some(Format::MopedPds),
        "spds" => Some(Format::Spds),
        _ => None,
    }
}

#[test]
fn names_of_programs_are_found_by_their_tokens() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = Vec::new();
    files(&root.join("examples"), &mut all);
    all.extend(shared::folder("corpus").into_iter().flat_map(|corpus| {
        let mut all = Vec::new();
        files(&corpus, &mut all);
        all
    }));
    let mut seen = 0;
    for path in all {
        let Some(format) = format_of(&path) else { continue };
        let Ok(text) = fs::read_to_string(&path) else { continue };
        if text.len() < 300_000 {
            compared(&path.display().to_string(), &text, format);
            seen += 1;
        }
    }
    assert!(seen > 15, "only {seen} programs");
}

#[test]
fn names_of_random_programs_are_found_by_their_tokens() {
    for seed in seeds(0..150) {
        compared("random.bp", &programs::program(seed).to_string(), Format::BooleanProgram);
        compared("random.rem", &rem_programs::program(seed), Format::Remopla);
        let system = systems::system(seed, systems::Features::ALL);
        compared("random.spds", &spds_format::print(&system), Format::Spds);
        if let Ok((text, _)) = puch::moped_pds::write(&system) {
            compared("random.pds", &text, Format::MopedPds);
        }
    }
}

/// What the name at the only `|` of a text means: the lines of its declarations.
fn meant(text: &str, format: Format) -> Vec<usize> {
    let at = text.find('|').expect("there is a mark");
    let text = text.replacen('|', "", 1);
    let outline = format.language().expect("its texts are systems").outline(&text);
    let lines = outline.meant(&text, at).into_iter();
    lines.map(|declaration| text[..declaration.at.start].matches('\n').count() + 1).collect()
}

#[test]
fn a_name_means_what_its_place_says() {
    let program = "decl x, y;\nvoid f(x)\nbegin\n  decl f;\nx: X := x ? y : f;\n  goto G;\n  f(Y);\nend\nvoid main() begin f(x); x: skip; end\n";
    let at = |marked: &str, whole: &str| meant(&program.replacen(whole, marked, 1), Format::BooleanProgram);
    assert_eq!(at("goto |x", "goto G"), [5], "a label");
    assert_eq!(at("|x := x", "X := x"), [2], "a parameter");
    assert_eq!(at("x ? |y", "x ? y"), [1], "a global");
    assert_eq!(at(": |f;", ": f;"), [4], "a local, not the procedure");
    assert_eq!(at("|f(Y)", "f(Y)"), [2], "the procedure");
    assert_eq!(at("f(|x)", "f(x); x"), [1], "the global");
    assert_eq!(at("goto |y", "goto G"), [0usize; 0], "no label");

    let program = "define N 3\nenum Em { A1, B1 } e;\nstruct P { int a(N); bool b; } p;\nmodule void main(int v(3), bool w)\n{\n  int i(3);\n  L: e = A1, p.b = w;\n  do :: v == N -> goto L; :: else -> f(v) od;\n  A i (0, 3) g[i] = v;\n  i = 1;\n}\nmodule void f(int v(3)) { skip; }\n";
    let at = |marked: &str, whole: &str| meant(&program.replacen(whole, marked, 1), Format::Remopla);
    assert_eq!(at("int a(|N", "int a(N"), [1]);
    assert_eq!(at("e = |A1", "e = A1"), [2]);
    assert_eq!(at("p.|b", "p.b"), [3]);
    assert_eq!(at("|p.b", "p.b"), [3]);
    assert_eq!(at("b = |w", "b = w"), [4]);
    assert_eq!(at("goto |L", "goto L"), [7]);
    assert_eq!(at("|f(v) od", "f(v) od"), [12]);
    assert_eq!(at("g[|i]", "g[i]"), [9], "what the quantifier binds");
    assert_eq!(at("|i = 1", "i = 1"), [6], "the local");

    let program =
        "define N 3\nlocal (a, b)\n int x(N);\n(q <a (x=0)>)\nq <a> --> q <b c> \"t\" (x<N & x'=1)\nq <b> --> r <>\n";
    let at = |marked: &str, whole: &str| meant(&program.replacen(whole, marked, 1), Format::MopedPds);
    assert_eq!(at("<|b c>", "<b c>"), [6]);
    assert_eq!(at("(|x<N", "(x<N"), [3]);
    assert_eq!(at("x<|N", "x<N"), [1]);
    assert_eq!(at("(|q <a (", "(q <a ("), [5]);
    assert_eq!(at("(q <|a (", "(q <a ("), [5]);

    let program = "spds 1\nglobal x: u3;\ncontrol p;\nframe main { y: bool };\nsymbol a in main;\nsymbol \"b c\" labels R;\nstart <p, a>;\nrule <p, a> -> <p, \"b c\" a> when x < 3 { x' := 1 };\n";
    let at = |marked: &str, whole: &str| meant(&program.replacen(whole, marked, 1), Format::Spds);
    assert_eq!(at("-> <p, |\"b c\"", "-> <p, \"b c\""), [6]);
    assert_eq!(at("rule <|p, a>", "rule <p, a>"), [3]);
    assert_eq!(at("when |x", "when x"), [2]);
    assert_eq!(at("{ |x' :=", "{ x' :="), [2]);
    assert_eq!(at("in |main", "in main"), [4]);
}

#[test]
fn texts_that_are_wrong_have_names_too() {
    let broken = "decl x;\nvoid f(y) begin\n  if (x then\n  L: skip;\nend\nvoid g() begin goto ; end";
    assert!(Format::BooleanProgram.language().expect("its texts are systems").read(broken, "broken.bp").is_err());
    let outline = Format::BooleanProgram.language().expect("its texts are systems").outline(broken);
    let names: Vec<&str> = outline.declarations.iter().map(|declaration| declaration.name.as_str()).collect();
    assert_eq!(names, ["x", "f", "y", "L", "g"]);
}

#[test]
fn any_cut_of_a_text_can_be_outlined() {
    let texts = [
        (Format::BooleanProgram, programs::program(3).to_string()),
        (Format::Remopla, rem_programs::program(3)),
        (Format::Spds, spds_format::print(&systems::system(3, systems::Features::ALL))),
        (Format::MopedPds, fs::read_to_string("examples/pds/quicksort.pds").expect("an example")),
        (Format::Remopla, "module enum { struct { é ( [ define".into()),
        (Format::Spds, "spds 1 symbol \"é\\u{1F980}\" frame < é , \" ".into()),
    ];
    for (format, text) in texts {
        for cut in (0..text.len()).filter(|cut| text.is_char_boundary(*cut)) {
            for part in [&text[..cut], &text[cut..]] {
                let outline = format.language().expect("its texts are systems").outline(part);
                for declaration in &outline.declarations {
                    assert!(part.get(declaration.at.clone()).is_some() && declaration.whole.end <= part.len());
                }
                outline.meant(part, cut.min(part.len()));
            }
        }
    }
}

#[test]
fn texts_without_an_end_cost_what_their_length_says() {
    let began = std::time::Instant::now();
    for (format, part) in [
        (Format::Remopla, "define N "),
        (Format::Remopla, "A i (0, 1) "),
        (Format::Remopla, "int x "),
        (Format::Remopla, "module int f(int x "),
        (Format::MopedPds, "define N "),
        (Format::MopedPds, "int a "),
        (Format::MopedPds, "local q (a "),
        (Format::BooleanProgram, "decl x "),
        (Format::BooleanProgram, "void f(x "),
        (Format::Spds, "frame f { x: bool "),
        (Format::Spds, "<p, a "),
    ] {
        format.language().expect("its texts are systems").outline(&part.repeat(20_000));
    }
    assert!(began.elapsed().as_secs() < 30, "{:?}", began.elapsed());
}
