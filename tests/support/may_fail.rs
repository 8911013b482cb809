//! What abstractions say.

use puch::abstraction::System;
use puch::abstraction::boolean::{Line, Program};
use puch::boolprog;
use puch::check::{Property, Verdict, check};
use puch::options::Options;

/// Whether an assertion may fail on the abstraction.
pub fn may_fail(program: &Program) -> bool {
    let system = as_printed(program);
    let outcome = check(&system.spds, &[Property::Assertions], &Options::default()).expect("it can be checked");
    match outcome.answers[0].verdict {
        Verdict::Holds => false,
        Verdict::Violated(_) => true,
        ref other => panic!("{other:?}\n{}", program.text()),
    }
}

/// The system of an abstraction, which is that of its text: places and labels are those of the C program, what is kept is hidden. What
/// a symbol was made of is the line at its place in the text.
pub fn as_printed(program: &Program) -> System {
    let text = program.text();
    let system = System::of(program, &["prog.c".into()]).unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}"));
    let options = boolprog::Options { entry: Some(program.main.to_string()), ..boolprog::Options::default() };
    let read = boolprog::read(&text, "prog.c", &options).unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}"));
    let (mut read, mut made) = (read.spds, system.spds.clone());
    let written: Vec<&str> = text.lines().collect();
    for at in 0..made.symbols.len() {
        let id = spds_format::model::SymbolId(at as u32);
        let (own, all) = (&mut made.symbols[at], &mut read.symbols[at]);
        let line = all.place.take().map(|place| written[place.line as usize - 1]);
        if let Some(origin) = system.origin(id) {
            let lines = program.procedures.iter().flat_map(|procedure| &procedure.lines);
            let same =
                |line: &&Line| (line.statement, line.part.passes()) == (Some(origin.statement), origin.part.passes());
            let of: Vec<_> = lines.filter(same).collect();
            let (one, line) = (of[origin.line], line.expect("lines have places"));
            assert!(line.contains(&one.step.to_string()), "{id:?} was not made of {one:?}\n{text}");
            assert_eq!((own.place, origin.line + origin.after + 1), (Some(one.place), of.len()), "{text}");
            assert_eq!(origin.comes_back, own.name.ends_with('$'), "{text}");
        }
        assert!(own.labels.iter().all(|label| all.labels.contains(label)), "{text}");
        (own.place, own.labels, all.labels) = (None, Box::default(), Box::default());
    }
    for variable in made.frames.iter_mut().flat_map(|frame| frame.variables.iter_mut()) {
        variable.hidden = false;
    }
    assert!(made == read, "the system is not that of the text\n{made:?}\n{read:?}\n{text}");
    system
}
