//! The checker: whether what a certificate says is so, and no run fails then.

use spds_format::model::Place;

use crate::abstraction::induction::{self, Atom, Invariants, meaningful};
use crate::abstraction::{Predicate, PredicateId, Reuse, Tuning};
use crate::analyses::Analysed;
use crate::c::Program;
use crate::c::expression::{ExpressionId, ExpressionKind, LvalueKind, Term};
use crate::c::program::{Overflow, ProcedureId, StatementId, Storage};
use crate::limits::Limits;
use crate::question::property::{self, Wanted};
use crate::question::{Failures, chosen, of_runs, places, reaching};

use super::super::invariants::claims::checked;
use super::super::only_run::only_run;
use super::{Certificate, Claim, Moment, Spoken, Statements, Subject, Way, terms};

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// It proves that no run fails, by so many implications or executed runs.
    Proves,
    /// It does not, because of this; where, if that is known.
    Lacks(String, Option<Place>),
    /// It is not known, because of this.
    Open(String),
    /// It is about another program.
    Foreign(String),
}

impl Claim {
    /// In words.
    pub fn told(&self) -> String {
        match self {
            Claim::Assertions => "no assertion fails, and no error is reached".to_owned(),
            Claim::Reach(place) => format!("`{place}` is not reached"),
            Claim::Property(property) => format!("`{property}` holds"),
        }
    }

    /// The procedure whose calls are the errors, if they are not those of `reach_error`: it has to be known when the program is read.
    ///
    /// # Errors
    /// If that is no property of which there are certificates.
    pub fn called(&self, main: &str) -> Result<Option<String>, String> {
        match self {
            Claim::Assertions | Claim::Reach(_) => Ok(None),
            Claim::Property(text) => Ok(specified(text, main)?.1),
        }
    }

    /// The program in which that is claimed has a failure where it would be wrong, in this sense of overflows.
    ///
    /// # Errors
    /// If it cannot be claimed of the program, or not in that sense.
    pub fn posed(&self, program: &Program, overflow: Overflow) -> Result<Program, String> {
        let main = &program.procedure(program.main).name;
        let (posed, fits) = match self {
            Claim::Assertions => (chosen(program, Failures::All, overflow), overflow != Overflow::Fails),
            Claim::Reach(place) => {
                let places = places(program, place).map_err(|_| format!("there is no place `{place}`"))?;
                (reaching(program, &places), of_runs(overflow) == overflow)
            }
            Claim::Property(text) => {
                let (failures, _) = specified(text, main)?;
                (
                    chosen(program, failures, overflow),
                    (failures == Failures::Overflows) == (overflow == Overflow::Fails),
                )
            }
        };
        if fits { Ok(posed) } else { Err("overflows are not meant so there".to_owned()) }
    }
}

/// Which failures a property is about, and whose calls they are.
fn specified(text: &str, main: &str) -> Result<(Failures, Option<String>), String> {
    let malformed = || format!("`{text}` is no property of which there are certificates");
    let all = property::read(&format!("CHECK( init({main}()), LTL({text}) )\n")).map_err(|_| malformed())?;
    match all.as_slice() {
        [one] => match one.wanted {
            Wanted::NoFailure(failures) => Ok((failures, one.called.clone())),
            Wanted::Termination | Wanted::Formula(..) => Err(malformed()),
        },
        _ => Err(malformed()),
    }
}

/// Whether a certificate proves what it claims of a program into which that is written ([`Claim::posed`]). Nothing that finds proofs is asked.
pub fn proved(program: &Program, certificate: &Certificate, tuning: &Tuning, limits: Limits) -> Found {
    let Certificate { subject: Subject { overflow, .. }, way } = certificate;
    match way {
        Way::Executed => match only_run(program, *overflow, limits, false) {
            None => Found::Open("it is not known that it has one run only, and how it ends".to_owned()),
            Some(run) if run.failed.is_none() => Found::Proves,
            Some(_) => Found::Lacks("its only run fails".to_owned(), None),
        },
        Way::CutPoints(invariants) => {
            let reuse = Reuse::new(program);
            match checked(Analysed::of(program, reuse.analyses()), *overflow, (&tuning.bounds, true), invariants) {
                Some(true) => Found::Proves,
                Some(false) => Found::Lacks("some basic path does not keep its invariants, or fails".to_owned(), None),
                None => Found::Open("some implication was not decided".to_owned()),
            }
        }
        Way::Statements(statements) => kept(program, statements, *overflow, tuning),
    }
}

/// Whether each statement keeps what is said of statements.
fn kept(program: &Program, statements: &Statements, overflow: Overflow, tuning: &Tuning) -> Found {
    let mut working = program.clone();
    let predicates = match predicates(&mut working, statements) {
        Ok(predicates) => predicates,
        Err(why) => return Found::Foreign(why),
    };
    let said = match said(&working, &predicates, statements) {
        Some(said) => said,
        None => {
            return Found::Foreign("it speaks of a predicate twice, or where the predicate means nothing".to_owned());
        }
    };
    let found = induction::proved(&working, &predicates, overflow, tuning, &mut Reuse::new(&working), &said);
    let place = |at: &StatementId| working.statement(*at).map(|statement| statement.place);
    match (found.wrong.first(), found.outside.first(), found.open.first()) {
        (Some(at), ..) => {
            Found::Lacks("what is said before a statement does not follow, or fails".to_owned(), place(at))
        }
        (None, Some(_), _) => Found::Open("what may call the program back is called".to_owned()),
        (None, None, Some(_)) => Found::Open("some implication was not decided".to_owned()),
        (None, None, None) => Found::Proves,
    }
}

/// The predicates, whose expressions join the program.
fn predicates(program: &mut Program, statements: &Statements) -> Result<Vec<Predicate>, String> {
    let one = |Spoken { scope, text, .. }: &Spoken| {
        let expression = terms::read(program, *scope, text)?;
        if !is_seen(program, expression, *scope) {
            return Err(format!("`{text}` speaks of what its procedure does not see"));
        }
        Ok(Predicate { text: program.expression_text(expression), expression, scope: *scope })
    };
    statements.predicates.iter().map(one).collect()
}

/// Whether a predicate speaks of globals, and of what this procedure has, alone. A frame has its own locals only: elsewhere it would not be clear
/// whose are meant.
fn is_seen(program: &Program, expression: ExpressionId, scope: Option<ProcedureId>) -> bool {
    program.terms.postorder(Term::Expression(expression)).into_iter().all(|term| match term {
        Term::Expression(id) => {
            scope.is_some() || !matches!(program.terms.get(id).kind, ExpressionKind::Pre(_) | ExpressionKind::Result)
        }
        Term::Lvalue(id) => match program.terms.at(id).kind {
            LvalueKind::Variable(variable) => match program.variable(variable).storage {
                Storage::Global | Storage::Constant => true,
                Storage::Static(of) | Storage::Local(of) => scope == Some(of),
            },
            _ => true,
        },
    })
}

/// What is said, over the variables of predicates.
fn said(program: &Program, predicates: &[Predicate], statements: &Statements) -> Option<Invariants> {
    let means = meaningful(program, predicates);
    let mut all = Invariants::default();
    for ((moment, at), diagram) in &statements.said {
        if diagram.decisions.iter().any(|one| !means.contains(&PredicateId(one.test.predicate))) {
            return None;
        }
        let diagram = diagram.map(|test| Atom { predicate: PredicateId(test.predicate), entry: test.entry });
        match moment {
            Moment::Before => all.before.insert(*at, diagram),
            Moment::Returned => all.returned.insert(*at, diagram),
        };
    }
    Some(all)
}
