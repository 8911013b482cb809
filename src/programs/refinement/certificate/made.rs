//! What an answer knows, as a certificate.

use std::collections::BTreeMap;

use crate::abstraction::induction::{Atom, Invariants};
use crate::abstraction::{Edges, Predicate, Reuse};
use crate::c::Program;
use crate::limits::Stop;

use super::super::reproof::{Holding, reproved};
use super::super::{Answer, Options, Proof};
use super::terms::{read, written};
use super::{Certificate, Claim, Moment, Spoken, Statements, Subject, Test, Way, about};

/// Why there is no certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotMade {
    /// A limit was met.
    Stopped(Stop),
    /// This.
    Because(&'static str),
}

/// The certificate of an answer that no run fails, which this claims.
///
/// # Errors
/// If a limit is met, or how it was shown is no way of certificates.
pub fn certificate(answer: &Answer, claim: Claim, options: &Options) -> Result<Certificate, NotMade> {
    let Answer { program, overflow, outcome } = answer;
    if !outcome.verdict.excludes_run() {
        return Err(NotMade::Because("it does not hold"));
    }
    let way = match (&outcome.proof, &outcome.invariants, &outcome.held) {
        (Proof::Executed(_), ..) => Way::Executed,
        (_, Some(shown), _) => Way::CutPoints(shown.invariants.clone()),
        (_, None, Some(_)) if options.tuning.edges != Edges::Statement => {
            let why = "it was shown by paths as single steps, and certificates speak of statements (--edges statement)";
            return Err(NotMade::Because(why));
        }
        (_, None, Some(held)) => {
            let holding = Holding {
                program: &held.program,
                predicates: &held.predicates,
                overflow: *overflow,
                tuning: &options.tuning,
                system: &held.system,
            };
            let known = reproved(&holding, &options.check, &mut Reuse::with(held.analyses.clone()));
            let (known, _) = known.map_err(NotMade::Stopped)?;
            let statements = said(&held.program, &held.predicates, &known);
            Way::Statements(statements.ok_or(NotMade::Because("its abstraction speaks of what cannot be written"))?)
        }
        (_, None, None) => return Err(NotMade::Because("it was shown in another way than certificates know")),
    };
    Ok(Certificate { subject: Subject { about: about(program), claim, overflow: *overflow }, way })
}

/// What is known at statements, over predicates by their places.
fn said(program: &Program, predicates: &[Predicate], known: &Invariants) -> Option<Statements> {
    let mut said = BTreeMap::new();
    let moments = [(Moment::Before, &known.before), (Moment::Returned, &known.returned)];
    for (moment, of) in moments {
        for (at, diagram) in of {
            let diagram = diagram.map(|&Atom { predicate, entry }| Test { predicate: predicate.0, entry });
            said.insert((moment, *at), diagram);
        }
    }
    let mut working = program.clone();
    let spoken = |predicate: &Predicate| {
        let &Predicate { scope, expression, .. } = predicate;
        let text = written(program, expression);
        let faithful = read(&mut working, scope, &text) == Ok(expression);
        faithful.then(|| Spoken { scope, told: predicate.text.clone(), text })
    };
    Some(Statements { predicates: predicates.iter().map(spoken).collect::<Option<_>>()?, said })
}
