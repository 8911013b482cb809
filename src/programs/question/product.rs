//! The product of a C program with a Büchi automaton that watches it, written into the program (Vardi and Wolper, LICS 1986): before a
//! statement is executed the automaton reads what holds there and goes on. The program has a run that passes a marked statement again and
//! again, for ever, exactly if some run of the original one is accepted.
//!
//! A run that ends goes on to be read: in its last state, and that it has ended. What blocks a run blocks it here as well.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::bdd::label::{Branch, Label as Letters, Labels};
use crate::c::edit::{self, Body};
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term};
use crate::c::program::{
    Callee, InputKind, Label, Procedure, ProcedureId, Program, Statement, StatementId, StatementKind, VariableId,
};
use crate::ltl::automaton::{Buchi, StateId};
use crate::options::Runs;
use crate::transition::claims::{Invariant, Where};
use spds_format::model::Place;

use super::atoms::Atom;

/// A program with its automaton.
pub struct Product {
    /// The program.
    pub program: Program,
    /// The statements that accepted runs pass again and again.
    pub marks: BTreeSet<StatementId>,
    /// The states of the automaton, as conditions.
    pub states: Vec<ExpressionId>,
    /// Where each statement of the original program is: before what the automaton reads, and after it.
    copies: BTreeMap<StatementId, [StatementId; 2]>,
}

impl Product {
    /// What holds in all runs of the original program, of this one: the automaton changes nothing that it knew.
    pub fn known(&self, invariants: &[Invariant]) -> Vec<Invariant> {
        let mut known = Vec::new();
        for invariant in invariants {
            match invariant.at {
                Where::Before(id) => {
                    let copies = self.copies.get(&id).into_iter().flatten();
                    known.extend(copies.map(|&at| Invariant { at: Where::Before(at), ..invariant.clone() }));
                }
                Where::Returned(_) => known.push(invariant.clone()),
            }
        }
        known
    }
}

/// Writes an automaton into a program; its propositions mean these atoms. `stutters` says that it does not matter how often the same
/// letter is read: then it reads only where something may have changed, and at least once in each round of a loop.
pub fn product(program: &Program, automaton: &Buchi, atoms: &[Atom], runs: Runs, stutters: bool) -> Product {
    let mut program = program.clone();
    let int = program.types.int();
    let state = edit::global(&mut program, ".state", int);
    let choice = edit::global(&mut program, ".choice", int);
    let states = (0..automaton.states.len()).map(|number| equals(&mut program, state, number as u128)).collect();
    let spoken = if stutters { Some(spoken(&program, atoms)) } else { None };
    let count = program.procedures.len();
    let labels = automaton.labels.clone();
    let (marks, copies) = (BTreeSet::new(), BTreeMap::new());
    let mut writer = Writer { program, automaton, labels, atoms, runs, state, choice, spoken, marks, copies };
    for id in (0..count).map(|at| ProcedureId(at as u32)) {
        if let Some(old) = writer.program.procedures[id.0 as usize].body.take() {
            let body = writer.procedure(id, &old);
            writer.program.procedures[id.0 as usize].body = Some(body);
        }
    }
    writer.begins();
    let initial = constant(&mut writer.program, int, u128::from(automaton.initial.0));
    writer.program.initial.push((state, initial));
    Product { program: writer.program, marks: writer.marks, states, copies: writer.copies }
}

/// The variables of which atoms speak.
fn spoken(program: &Program, atoms: &[Atom]) -> HashSet<VariableId> {
    let conditions = atoms.iter().filter_map(|atom| match atom {
        Atom::Condition(watched) => Some(watched.condition),
        _ => None,
    });
    conditions.flat_map(|condition| crate::abstraction::predicate::reads(program, condition).now).collect()
}

fn constant(program: &mut Program, ty: crate::c::types::TypeId, value: u128) -> ExpressionId {
    program.terms.expression(ExpressionKind::Constant(value), ty)
}

fn equals(program: &mut Program, variable: LvalueId, value: u128) -> ExpressionId {
    let int = program.types.int();
    let read = program.terms.expression(ExpressionKind::Read(variable), int);
    let value = constant(program, int, value);
    program.terms.expression(ExpressionKind::Binary(Binary::Equal, read, value), int)
}

/// Where the automaton reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Statement(StatementId),
    End,
    Fail,
}

struct Writer<'a> {
    program: Program,
    automaton: &'a Buchi,
    labels: Labels,
    atoms: &'a [Atom],
    runs: Runs,
    state: LvalueId,
    choice: LvalueId,
    /// The variables of which atoms speak, if not every step is read.
    spoken: Option<HashSet<VariableId>>,
    marks: BTreeSet<StatementId>,
    copies: BTreeMap<StatementId, [StatementId; 2]>,
}

impl Writer<'_> {
    fn procedure(&mut self, id: ProcedureId, old: &[Statement]) -> Vec<Statement> {
        let read = self.read(id, old);
        let mut body = Body::default();
        for (at, statement) in (0..).map(Label).zip(old) {
            body.begin();
            let begins = body.next();
            if read.contains(&at) {
                self.step(&mut body, id, At::Statement(StatementId::of(id, at)), statement.place);
            }
            let copies = [begins, body.next()].map(|label| StatementId::of(id, label));
            self.copies.insert(StatementId::of(id, at), copies);
            match statement.kind {
                StatementKind::Fail(_) => self.ends(&mut body, id, At::Fail, statement.place),
                StatementKind::Exit(_) => self.ends(&mut body, id, At::End, statement.place),
                _ => {
                    body.copy(statement);
                }
            }
        }
        body.finish()
    }

    /// The statements before which the automaton reads.
    fn read(&self, id: ProcedureId, old: &[Statement]) -> HashSet<Label> {
        let all = (0..old.len() as u32).map(Label);
        let Some(spoken) = &self.spoken else { return all.collect() };
        let mut read = HashSet::from([Label(0)]);
        for at in all {
            let kind = &old[at.0 as usize].kind;
            let jumps = matches!(kind, StatementKind::Branch(..) | StatementKind::Goto(_));
            for to in kind.successors(at) {
                if (jumps && to.0 <= at.0) || self.may_change(kind, spoken) || self.seen(id, at) != self.seen(id, to) {
                    read.insert(to);
                }
            }
            if matches!(kind, StatementKind::Return(_)) && id == self.program.main {
                read.insert(at);
            }
        }
        read
    }

    /// Which atoms are about a place, and hold there.
    fn seen(&self, procedure: ProcedureId, label: Label) -> Vec<bool> {
        let at =
            |atom: &Atom| matches!(atom, Atom::Places(places) if places.contains(&StatementId { procedure, label }));
        self.atoms.iter().map(at).collect()
    }

    /// Whether a statement may change what atoms speak of, or leads into another procedure.
    fn may_change(&self, kind: &StatementKind, spoken: &HashSet<VariableId>) -> bool {
        let to = match kind {
            StatementKind::Assign(to, _) | StatementKind::Input(to, _) | StatementKind::Havoc(to, ..) => *to,
            StatementKind::Allocate { to, .. } => *to,
            StatementKind::Declare(variable) => return spoken.contains(variable),
            StatementKind::Call(..) | StatementKind::External(..) | StatementKind::Free(_) => return true,
            _ => return false,
        };
        let terms = &self.program.terms;
        terms.postorder(Term::Lvalue(to)).into_iter().any(|term| match term {
            Term::Lvalue(lvalue) => match terms.at(lvalue).kind {
                LvalueKind::Variable(variable) => spoken.contains(&variable),
                LvalueKind::Deref(_) => true,
                _ => false,
            },
            Term::Expression(_) => false,
        })
    }

    /// The program has ended, and stays so.
    fn ends(&mut self, body: &mut Body, id: ProcedureId, at: At, place: Place) {
        if self.runs == Runs::Infinite {
            body.push(StatementKind::Exit(None), place);
            return;
        }
        let again = body.next();
        self.step(body, id, at, place);
        body.push(StatementKind::Goto(again), place);
    }

    /// A procedure that calls the first one, so that its return is the end of the program.
    fn begins(&mut self) {
        let main = self.program.main;
        let place = self.program.procedure(main).place;
        let int = self.program.types.int();
        let id = ProcedureId(self.program.procedures.len() as u32);
        let void = self.program.types.void();
        self.program.procedures.push(Procedure {
            name: ".main".into(),
            place,
            formals: Vec::new(),
            locals: Vec::new(),
            result: void,
            result_in: None,
            foreign: None,
            outside: BTreeSet::new(),
            internal: false,
            body: None,
        });
        let formals = self.program.procedure(main).formals.clone();
        let mut arguments = Vec::new();
        for formal in formals {
            let ty = self.program.variable(formal).ty;
            let given = edit::local(&mut self.program, id, ".given", ty);
            arguments.push(self.program.terms.expression(ExpressionKind::Read(given), ty));
        }
        let mut body = Body::default();
        body.push(StatementKind::Call(None, Callee::Procedure(main), arguments), place);
        self.ends(&mut body, id, At::End, place);
        let zero = constant(&mut self.program, int, 0);
        body.push(StatementKind::Exit(Some(zero)), place);
        self.program.procedures[id.0 as usize].body = Some(body.finish());
        self.program.main = id;
    }

    /// What a proposition is at a place, if that is always the same there.
    fn always(&self, atom: &Atom, at: At) -> Option<bool> {
        match (atom, at) {
            (Atom::Places(places), At::Statement(statement)) => Some(places.contains(&statement)),
            (Atom::Condition(watched), At::Statement(statement)) => match watched.scope {
                Some(scope) if scope != statement.procedure => Some(false),
                _ => None,
            },
            (Atom::Condition(watched), _) => watched.scope.map(|_| false),
            (Atom::Places(_) | Atom::Never, _) => Some(false),
            (Atom::End, at) => Some(at == At::End),
            (Atom::Fail, at) => Some(at == At::Fail),
        }
    }

    /// The automaton reads, and goes on.
    fn step(&mut self, body: &mut Body, id: ProcedureId, at: At, place: Place) {
        let known: Vec<Option<bool>> = self.atoms.iter().map(|atom| self.always(atom, at)).collect();
        // Jumps to the end, which is known when it is there.
        let mut to_end = Vec::new();
        let count = self.automaton.states.len();
        for number in 0..count {
            let is_here = equals(&mut self.program, self.state, number as u128);
            let next = body.next().0 + 1;
            let test = (number + 1 < count)
                .then(|| body.push(StatementKind::Branch(is_here, Label(next), Label(0)), place).0 as usize);
            self.from(body, id, StateId(number as u32), &known, &mut to_end, place);
            let after = body.next();
            if let Some(test) = test {
                target(body, test, after);
            }
        }
        let end = body.next();
        for jump in to_end {
            body.statements[jump].kind = StatementKind::Goto(end);
        }
    }

    /// The edges of a state: one that can be taken is taken, and if there are several, any of them.
    fn from(
        &mut self,
        body: &mut Body,
        id: ProcedureId,
        state: StateId,
        known: &[Option<bool>],
        to_end: &mut Vec<usize>,
        place: Place,
    ) {
        let restricted =
            |labels: &mut Labels, label| labels.restrict(label, |p| known.get(p as usize).copied().flatten());
        let edges: Vec<_> = self.automaton.from(state).to_vec();
        let letters: Vec<Letters> = edges.iter().map(|edge| restricted(&mut self.labels, edge.label)).collect();
        for (at, edge) in edges.iter().enumerate().filter(|(at, _)| letters[*at] != Letters::FALSE) {
            let mut others = (0..edges.len()).filter(|other| *other != at);
            let alone = others.all(|other| self.labels.disjoint(letters[at], letters[other]));
            let mut to_next = Vec::new();
            if !alone {
                body.push(StatementKind::Input(self.choice, InputKind::Choice), place);
                let int = self.program.types.int();
                let chosen = self.program.terms.expression(ExpressionKind::Read(self.choice), int);
                let next = Label(body.next().0 + 1);
                to_next.push(body.push(StatementKind::Branch(chosen, next, Label(0)), place).0 as usize);
            }
            self.tests(body, letters[at], &mut to_next, place);
            let int = self.program.types.int();
            let target_state = constant(&mut self.program, int, u128::from(edge.to.0));
            body.push(StatementKind::Assign(self.state, target_state), place);
            if edge.marked {
                self.marks.insert(StatementId::of(id, body.push(StatementKind::Skip, place)));
            }
            to_end.push(body.push(StatementKind::Goto(Label(0)), place).0 as usize);
            let next = body.next();
            for jump in to_next {
                target(body, jump, next);
            }
        }
        let int = self.program.types.int();
        let never = constant(&mut self.program, int, 0);
        body.push(StatementKind::Assume(never), place);
    }

    /// Goes on if a letter is read that is in the set; jumps that have to lead elsewhere are listed, as those on `no`.
    fn tests(&mut self, body: &mut Body, letters: Letters, to_next: &mut Vec<usize>, place: Place) {
        let diagram = self.labels.diagram(letters);
        let (first, count) = (body.next().0, diagram.len() as u32);
        for (index, test) in diagram.iter().enumerate().rev() {
            let Atom::Condition(watched) = &self.atoms[test.proposition as usize] else { continue };
            let (condition, here) = (watched.condition, body.next());
            let to = |branch: Branch| match branch {
                Branch::Decided(true) => Label(first + count),
                // Patched.
                Branch::Decided(false) => Label(u32::MAX),
                Branch::Test(other) => Label(first + count - 1 - other as u32),
            };
            let (yes, no) = (to(test.high), to(test.low));
            debug_assert_eq!(here.0, first + count - 1 - index as u32);
            body.push(StatementKind::Branch(condition, yes, no), place);
            if [yes, no].contains(&Label(u32::MAX)) {
                to_next.push(here.0 as usize);
            }
        }
    }
}

/// Where a jump leads that did not know it.
fn target(body: &mut Body, jump: usize, to: Label) {
    if let StatementKind::Branch(_, yes, no) = &mut body.statements[jump].kind {
        match (*yes, *no) {
            (Label(u32::MAX), _) => *yes = to,
            _ => *no = to,
        }
    }
}
