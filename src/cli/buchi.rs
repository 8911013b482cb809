//! `puch buchi`

use std::process::ExitCode;
use std::time::Instant;

use puch::limits::{Limits, Stop};
use puch::ltl::formula::Traits;
use puch::ltl::hoa::{self, Placement, Stuttering};
use puch::ltl::{
    Ltl, Passes, Reading, Tgba, parenthesised, parse, translate, translate_generalised, translate_to_states,
};
use puch::picture::automata::of_words;
use spds_format::Diagnostic;

use super::args::BuchiArgs;
use super::choices::{AnswerFormatName, BuchiFormatName};
use super::drawing::{Drawn, drawn};
use super::guard::{self, Progress, guarded};
use super::texts::rendered;
use super::{FINE, Failure, UNKNOWN, answer, notices, tell, temporal};

/// Which kind of automaton is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    OneMark,
    Generalised,
    StateBased,
}

/// `puch buchi`
pub fn run(args: BuchiArgs) -> Result<ExitCode, Failure> {
    let (limits, granted) = (guard::limits(&args.limits, Instant::now()), guard::granted(&args.limits));
    let progress = if args.loudness.quiet { Progress::Silent } else { Progress::Shown };
    let json = args.format == BuchiFormatName::Json;
    let stopped = move |stop: Stop| {
        if json {
            return notices::stopped(AnswerFormatName::Json, "formula", granted, stop);
        }
        tell(&format!("error: the automaton is not known: {stop}"));
        Ok(ExitCode::from(UNKNOWN))
    };
    let work = move |gate: &super::guard::Gate| {
        gate.stage("translating");
        let ltl = formula(&args)?;
        let form = match (args.ba, args.tgba) {
            (true, _) => Form::StateBased,
            (_, true) => Form::Generalised,
            _ => Form::OneMark,
        };
        let how = match args.format {
            BuchiFormatName::Hoa | BuchiFormatName::Json => None,
            BuchiFormatName::Dot => Some(Drawn::Dot),
            BuchiFormatName::Svg => Some(Drawn::Svg),
        };
        match written(&ltl, form, how, &limits) {
            Ok(text) => {
                let text = text?;
                gate.answer();
                match args.format {
                    BuchiFormatName::Json => notices::written(AnswerFormatName::Json, "formula", None, "hoa", &text)?,
                    _ => answer(|out| out.write_all(&text))?,
                }
                Ok(ExitCode::from(FINE))
            }
            Err(stop) => stopped(stop),
        }
    };
    guarded(limits, progress, work, stopped)
}

/// The formula, negated if that is wanted; warnings are told.
fn formula(args: &BuchiArgs) -> Result<Ltl, Failure> {
    let shown = |diagnostics: &[Diagnostic]| rendered("formula", &args.formula, diagnostics);
    let reading = Reading { dialect: temporal::dialect(args.ltl_syntax), ..Reading::default() };
    let (ltl, warnings) =
        parse(&args.formula, &reading).map_err(|complaints| Failure::Diagnosed(shown(&complaints)))?;
    if !warnings.is_empty() {
        tell(shown(&warnings).trim_end());
    }
    Ok(if args.negate { ltl.negated() } else { ltl })
}

/// The automaton, as text or as a picture; or why it cannot be drawn.
fn written(ltl: &Ltl, form: Form, how: Option<Drawn>, limits: &Limits) -> Result<anyhow::Result<Vec<u8>>, Stop> {
    let passes = Passes::default();
    let tgba = match form {
        Form::Generalised => translate_generalised(ltl, &passes, limits)?,
        Form::OneMark => Tgba::from(&translate(ltl, &passes, limits)?),
        Form::StateBased => translate_to_states(ltl, &passes, limits)?,
    };
    let placement = if form == Form::StateBased { Placement::States } else { Placement::Edges };
    let invariant = ltl.formulas.has(ltl.root, Traits::STUTTER_INVARIANT);
    let stuttering = if invariant { Stuttering::Invariant } else { Stuttering::Unknown };
    let name = parenthesised(ltl);
    match how {
        None => hoa::write(&tgba, &name, placement, stuttering).map(|text| Ok(text.into_bytes())),
        Some(how) => of_words(&tgba, form == Form::StateBased).map(|picture| drawn(&picture, how, &name)),
    }
}
