//! Rotations: random programs whose loops hand on what nobody reads.
//!
//! One variable, or none, decides how often a loop goes round. The others are rotated by parallel assignments, negated on the way,
//! drawn, assigned from calls (whose results may be anything) and stored by callees from locals that nobody has assigned. So a
//! search that forgets what decides nothing closes a cycle after one turn, and values come back later, or never in the same way.

use fastrand::Rng;

use super::programs::{Kind, Procedure, Program, Statement};
use super::{one_in, pick};

/// A random program.
pub fn program(rng: &mut Rng) -> Program {
    let globals: Vec<String> = (0..rng.usize(2..5)).map(|number| format!("g{number}")).collect();
    let mut procedures = Vec::new();
    for number in 0..rng.usize(1..4) {
        let names = Names { globals: &globals, callees: &procedures };
        procedures.push(callee(rng, &names, number));
    }
    let names = Names { globals: &globals, callees: &procedures };
    let main = main(rng, &names);
    procedures.push(main);
    Program { globals, procedures }
}

/// What may be named.
struct Names<'a> {
    globals: &'a [String],
    callees: &'a [Procedure],
}

impl Names<'_> {
    /// The variables of a procedure with these locals.
    fn scope(&self, locals: &[String]) -> Vec<String> {
        [self.globals, locals].concat()
    }
}

/// A procedure that is called in loops. What it returns may be anything; so may what it stores.
fn callee(rng: &mut Rng, names: &Names<'_>, number: usize) -> Procedure {
    let locals: Vec<String> = (0..rng.usize(0..3)).map(|number| format!("x{number}")).collect();
    let parameters: Vec<String> = (0..rng.usize(0..2)).map(|number| format!("a{number}")).collect();
    let results = rng.usize(0..3);
    let scope = names.scope(&[&parameters[..], &locals].concat());
    let mut body: Vec<Statement> = (0..rng.usize(1..4))
        .map(|_| match rng.u32(..8) {
            0 | 1 if !names.callees.is_empty() => plain(call(rng, names, &scope)),
            2 if !locals.is_empty() => plain(format!("{} := {}", pick(rng, names.globals), pick(rng, &locals))),
            3 => plain("skip"),
            4 => Statement { labels: Vec::new(), kind: Kind::While("*".into(), vec![plain(rotation(rng, &scope))]) },
            _ => plain(rotation(rng, &scope)),
        })
        .collect();
    body[0].labels.push("T".into());
    if results > 0 && rng.bool() {
        let values: Vec<String> = (0..results).map(|_| value(rng, &scope)).collect();
        body.push(plain(format!("return {}", values.join(", "))));
    }
    Procedure { name: format!("p{number}"), parameters, results, locals, enforce: None, body }
}

fn main(rng: &mut Rng, names: &Names<'_>) -> Procedure {
    let locals: Vec<String> = (0..rng.usize(1..4)).map(|number| format!("m{number}")).collect();
    let scope = names.scope(&locals);
    let mut body = Vec::new();
    for number in 0..rng.usize(1..4) {
        let mut statement = match rng.u32(..4) {
            0 => plain(rotation(rng, &scope)),
            1 => {
                let branch = vec![plain(format!("assume({})", pick(rng, &scope)))];
                let other = rng.bool().then(|| vec![plain(rotation(rng, &scope))]);
                Statement { labels: Vec::new(), kind: Kind::If(vec![(pick(rng, &scope).clone(), branch)], other) }
            }
            _ => repeated(rng, names, &scope),
        };
        statement.labels.push(format!("L{number}"));
        body.push(statement);
    }
    body.push(repeated(rng, names, &scope));
    body[0].labels.push("R".into());
    Procedure { name: "main".into(), parameters: Vec::new(), results: 0, locals, enforce: None, body }
}

/// A loop, mostly of rotations and calls.
fn repeated(rng: &mut Rng, names: &Names<'_>, scope: &[String]) -> Statement {
    let condition = match rng.u32(..4) {
        0 => "1".to_owned(),
        1 => "*".to_owned(),
        _ => pick(rng, scope).clone(),
    };
    let mut inside: Vec<Statement> = (0..rng.usize(1..5))
        .map(|_| match rng.u32(..10) {
            0..=4 => plain(rotation(rng, scope)),
            5..=8 => plain(call(rng, names, scope)),
            _ => {
                let branch = vec![plain(rotation(rng, scope))];
                Statement { labels: Vec::new(), kind: Kind::If(vec![("*".into(), branch)], None) }
            }
        })
        .collect();
    // Sometimes every turn goes on only if that is so.
    if one_in(rng, 5) {
        inside.push(plain(format!("assume({})", pick(rng, scope))));
    }
    Statement { labels: Vec::new(), kind: Kind::While(condition, inside) }
}

/// Some variables get, at the same time, the values of others.
fn rotation(rng: &mut Rng, scope: &[String]) -> String {
    let mut targets = scope.to_vec();
    rng.shuffle(&mut targets);
    targets.truncate(rng.usize(1..4).min(targets.len()));
    let values: Vec<String> = if targets.len() > 1 && rng.bool() {
        (0..targets.len()).map(|number| targets[(number + 1) % targets.len()].clone()).collect()
    } else {
        targets.iter().map(|_| pick(rng, scope).clone()).collect()
    };
    let values: Vec<String> = values
        .into_iter()
        .map(|value| match rng.u32(..8) {
            0 => "*".to_owned(),
            1 | 2 => format!("!{value}"),
            _ => value,
        })
        .collect();
    format!("{} := {}", targets.join(", "), values.join(", "))
}

/// A call of a procedure, whose results go anywhere.
fn call(rng: &mut Rng, names: &Names<'_>, scope: &[String]) -> String {
    let callee = pick(rng, names.callees);
    let arguments: Vec<String> = callee.parameters.iter().map(|_| value(rng, scope)).collect();
    let call = format!("{}({})", callee.name, arguments.join(", "));
    if callee.results == 0 {
        return call;
    }
    let mut targets = scope.to_vec();
    rng.shuffle(&mut targets);
    targets.truncate(callee.results);
    targets.resize(callee.results, "_".into());
    format!("{} := {call}", targets.join(", "))
}

fn value(rng: &mut Rng, scope: &[String]) -> String {
    match rng.u32(..6) {
        0 => "*".to_owned(),
        1 => format!("!{}", pick(rng, scope)),
        _ => pick(rng, scope).clone(),
    }
}

fn plain(text: impl Into<String>) -> Statement {
    Statement { labels: Vec::new(), kind: Kind::Plain(text.into()) }
}
