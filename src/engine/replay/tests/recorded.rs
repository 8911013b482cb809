//! Recorded traces of runs made by hand: they are walked, and refused for the right reason where no run looks like them.

use super::*;

/// All that can be seen of a step.
pub(super) fn look(spds: &Spds, step: &Step) -> Seen {
    let symbol = spds.symbol(step.config.symbol);
    let value = |variable: &Variable, value: u64| match variable.ty.scalar {
        Scalar::Bool => SeenValue::Bool(value == 1),
        Scalar::Unsigned(_) => SeenValue::Number(value),
    };
    let globals = spds.globals.iter().zip(step.config.globals.iter());
    let locals = spds.locals(step.config.symbol).iter().zip(step.config.locals.iter());
    Seen {
        file: Some("a.bp".into()),
        line: symbol.place.map(|place| place.line),
        procedure: symbol.frame.map(|frame| spds.frame(frame).name.to_string()),
        control: Some(spds.controls[step.config.control.0 as usize].to_string()),
        symbol: Some(symbol.name.to_string()),
        labels: Some(symbol.labels.iter().map(|label| label.to_string()).collect()),
        depth: Some(step.depth),
        values: globals.chain(locals).map(|(v, n)| (v.name.to_string(), value(v, *n))).collect(),
        then: step.then,
    }
}

fn seen(run: &Run) -> Observed {
    let spds = system();
    let list = |steps: &[Step]| steps.iter().map(|step| look(&spds, step)).collect::<Vec<Seen>>();
    Observed {
        stem: list(&run.stem),
        cycle: run.cycle.as_deref().map(list),
        closes_on: None,
        calls: run
            .calls
            .iter()
            .map(|call| SeenCall { procedure: Some("f".into()), steps: list(&call.steps) })
            .collect(),
        ending: run.ending,
    }
}

#[test]
fn recorded_traces_are_walked() {
    for run in [full(), folded()] {
        assert_eq!(walk(&system(), &seen(&run), &Claim::Whole, 1000), Ok(Walked::Real(Replayed::Full)));
        // Without any values it is still a trace of this program.
        let mut bare = seen(&run);
        let calls = bare.calls.iter_mut().flat_map(|call| &mut call.steps);
        bare.stem.iter_mut().chain(calls).for_each(|seen| seen.values.clear());
        assert_eq!(walk(&system(), &bare, &Claim::Whole, 1_000_000), Ok(Walked::Real(Replayed::Full)));
        assert_eq!(walk(&system(), &bare, &Claim::Whole, 5), Ok(Walked::Undecided));
    }
}

#[test]
fn recorded_traces_that_no_run_looks_like_are_refused() {
    let refused = |observed: &Observed, at, words: &[&str]| {
        let objection = walk(&system(), observed, &Claim::Whole, 1_000_000).expect_err("no run looks like it");
        assert_eq!(objection.at, at, "{objection}");
        words.iter().for_each(|word| assert!(objection.why.contains(word), "{objection}"));
    };
    let mut wrong = seen(&full());
    wrong.stem[4].values[0].1 = SeenValue::Number(7);
    refused(&wrong, Some((Section::Stem, 3)), &["line 2 of main", "`g` is 7 there, but must be 4"]);
    let mut wrong = seen(&full());
    wrong.stem[5].labels = Some(Vec::new());
    refused(&wrong, Some((Section::Stem, 4)), &["line 3 of main"]);
    let mut wrong = seen(&full());
    wrong.stem[2].depth = Some(2);
    refused(&wrong, Some((Section::Stem, 1)), &["at depth 2"]);
    let mut wrong = seen(&full());
    wrong.ending = Ending::Failed;
    refused(&wrong, Some((Section::Stem, 5)), &["no assertion can fail"]);
    let mut wrong = seen(&folded());
    wrong.calls[0].steps[1].values[0].1 = SeenValue::Number(4);
    refused(&wrong, Some((Section::Call(0), 0)), &["`g` is 4 there, but must be 3"]);
    let mut wrong = seen(&folded());
    wrong.calls[0].steps[0].then = Then::Call(0);
    refused(&wrong, Some((Section::Call(0), 0)), &["not a call listed before"]);
    let mut wrong = seen(&full());
    wrong.stem[0].values.push(("z".into(), SeenValue::Bool(true)));
    refused(&wrong, Some((Section::Stem, 0)), &["no run starts so"]);
    for name in ["another", "p"] {
        let mut wrong = seen(&full());
        wrong.stem[4].symbol = Some(name.into());
        refused(&wrong, Some((Section::Stem, 3)), &["line 2 of main"]);
    }
    let mut wrong = seen(&full());
    wrong.stem[4].control = Some("another".into());
    refused(&wrong, Some((Section::Stem, 3)), &["line 2 of main"]);
}

#[test]
fn recorded_cycles_and_leaps_are_walked() {
    let observed = seen(&leap(100, 103));
    let at_loop = Claim::Reaches(vec![(None, SymbolId(LOOP))]);
    assert_eq!(walk(&system(), &observed, &at_loop, 1000), Ok(Walked::Real(Replayed::Full)));
    assert_eq!(walk(&system(), &observed, &at_loop, 50), Ok(Walked::Real(Replayed::ExceptLeaps)));
    assert!(walk(&system(), &seen(&leap(100, 104)), &at_loop, 1000).is_err());

    let mut spds = system();
    // A counter that no one sees goes round: the cycle that is seen repeats only after four turns.
    spds.globals[0] = Variable { hidden: true, ..variable("g", Type { scalar: Scalar::Unsigned(2), range: None }) };
    let next = g().binary(Binary::Add, &Expr::number(1)).binary(Binary::BitAnd, &Expr::number(3));
    spds.rules[3].updates = assign(Var::Global(0), next);
    let mut run = Run { ending: Ending::Loop, ..full() };
    run.stem.truncate(3);
    run.cycle = Some(vec![step(LOOP, 0, [3, 1], &[2])]);
    let mut observed = seen(&run);
    let cycle = observed.cycle.iter_mut().flatten();
    observed.stem.iter_mut().chain(cycle).for_each(|seen| drop(seen.values.remove(0)));
    assert_eq!(walk(&spds, &observed, &Claim::Whole, 1000), Ok(Walked::Real(Replayed::Full)));
    // It stops when it may count no further.
    spds.rules[3].updates = assign(Var::Global(0), g().binary(Binary::Add, &Expr::number(1)));
    let objection = walk(&spds, &observed, &Claim::Whole, 1000).expect_err("it cannot go on for ever");
    assert_eq!(objection.at, Some((Section::Cycle, 0)));
}
