//! The statements of one procedure while they are made: labels that are not yet placed, intermediate values, loops that
//! are open.

use std::collections::{HashMap, HashSet};

use lang_c::span::Span;
use spds_format::model::Place;

use super::lifetime::Lifetimes;
use super::{Lowered, Lowering, Refused};
use crate::c::expression::{ExpressionId, LvalueId, LvalueKind};
use crate::c::program::{Label, ProcedureId, Statement, StatementKind, Storage, Variable, VariableId};
use crate::c::types::TypeId;

/// A label that may not be placed yet; statements refer to it by number until the procedure is finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mark(pub u32);

/// A procedure being made.
#[derive(Debug)]
pub struct Body {
    /// Which.
    pub procedure: ProcedureId,
    /// What it returns.
    pub result: TypeId,
    /// So far; the labels in them are [`Mark`]s.
    pub statements: Vec<Statement>,
    /// Where each mark is placed.
    marks: Vec<Option<u32>>,
    /// Labels of the source: their marks, and where they are defined and first used.
    pub names: HashMap<String, Named>,
    /// Labels that the next statement gets.
    pending: Vec<Box<str>>,
    /// Where `break` leads, innermost last, and how many scopes are around that.
    pub breaks: Vec<(Mark, usize)>,
    /// The same for `continue`.
    pub continues: Vec<(Mark, usize)>,
    /// Where locals cease to live.
    pub lifetimes: Lifetimes,
    /// Marks of the cases of the open switches, by the place of their labels.
    pub cases: HashMap<usize, Mark>,
    /// Names to which `&` is applied somewhere.
    pub addressed: HashSet<String>,
    made: u32,
    /// The formal that points to arguments beyond those that are declared.
    pub beyond: Option<LvalueId>,
    /// Locals in the order in which they were met.
    pub locals: Vec<VariableId>,
    /// The place of the statement being lowered.
    pub place: Place,
    /// Where computed jumps lead.
    pub dispatch: Option<Dispatch>,
    /// What is done wherever the procedure returns.
    pub at_return: Option<StatementKind>,
}

/// Where all computed jumps of a procedure lead, and what tells where they go from there.
#[derive(Clone, Copy, Debug)]
pub struct Dispatch {
    /// The label.
    pub mark: Mark,
    /// A local that holds the address of the label to go to.
    pub target: LvalueId,
}

/// A label of the source.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    /// Its mark.
    pub mark: Mark,
    /// Where it is defined.
    pub defined: Option<Span>,
    /// Where it is first used.
    pub used: Option<Span>,
}

impl Body {
    /// Nothing yet.
    pub fn new(
        procedure: ProcedureId,
        result: TypeId,
        place: Place,
        addressed: HashSet<String>,
        lifetimes: Lifetimes,
    ) -> Self {
        Body {
            procedure,
            result,
            statements: Vec::new(),
            marks: Vec::new(),
            names: HashMap::new(),
            pending: Vec::new(),
            breaks: Vec::new(),
            continues: Vec::new(),
            lifetimes,
            cases: HashMap::new(),
            addressed,
            made: 0,
            beyond: None,
            locals: Vec::new(),
            place,
            dispatch: None,
            at_return: None,
        }
    }

    /// Nothing yet, of a procedure that stands in no text.
    pub fn made(procedure: ProcedureId, result: TypeId, place: Place) -> Self {
        Body::new(procedure, result, place, HashSet::new(), Lifetimes::new(0))
    }

    /// A new label.
    pub fn mark(&mut self) -> Mark {
        self.marks.push(None);
        Mark(u32::try_from(self.marks.len() - 1).expect("fewer labels than bytes of source"))
    }

    /// Puts a label here.
    pub fn place_mark(&mut self, mark: Mark) {
        self.marks[mark.0 as usize] = Some(u32::try_from(self.statements.len()).expect("fewer than bytes of source"));
    }

    /// A label of the source is here.
    pub fn label(&mut self, name: &str) {
        self.pending.push(name.into());
    }

    /// One more statement.
    pub fn emit(&mut self, kind: StatementKind) {
        if let (StatementKind::Return(_), Some(before)) = (&kind, self.at_return.clone()) {
            self.emit(before);
        }
        let labels = std::mem::take(&mut self.pending);
        self.statements.push(Statement { kind, place: self.place, labels });
    }

    /// Whether labels of the source wait for the next statement.
    pub fn is_labelled(&self) -> bool {
        !self.pending.is_empty()
    }

    /// How many marks there are.
    pub fn marks(&self) -> usize {
        self.marks.len()
    }

    /// Where the marks from the first one on lie behind a statement: so many statements after it.
    pub fn placed(&self, first: usize, from: usize) -> HashMap<Label, usize> {
        let marks = (0..).zip(&self.marks).skip(first);
        let placed =
            marks.filter_map(|(mark, at)| Some((Label(mark), (at.as_ref()?.to_owned() as usize).checked_sub(from)?)));
        placed.collect()
    }

    /// The marks from the first one on are nowhere.
    pub fn forget(&mut self, first: usize) {
        self.marks[first..].fill(None);
    }

    /// A jump.
    pub fn goto(&mut self, to: Mark) {
        self.emit(StatementKind::Goto(Label(to.0)));
    }

    /// A branch.
    pub fn branch(&mut self, condition: ExpressionId, yes: Mark, no: Mark) {
        self.emit(StatementKind::Branch(condition, Label(yes.0), Label(no.0)));
    }

    /// Whether control gets to the next statement by falling through or by a label.
    pub fn falls_through(&self) -> bool {
        let here = self.statements.len() as u32;
        let after = self.statements.last().is_none_or(|last| {
            use StatementKind::{Branch, Exit, Fail, Goto, Return};
            !matches!(last.kind, Branch(..) | Exit(_) | Fail(_) | Goto(_) | Return(_))
        });
        after || !self.pending.is_empty() || self.marks.contains(&Some(here))
    }

    /// The finished statements: jumps to jumps are shortened; what control never reaches is still there ([`compact`]).
    pub fn finish(self, is_address_taken: impl Fn(VariableId) -> bool) -> Vec<Statement> {
        let mut statements = self.statements;
        let idle = self.lifetimes.idle(&statements, is_address_taken);
        let at = |label: Label| self.marks[label.0 as usize].unwrap_or(0);
        for statement in &mut statements {
            match &mut statement.kind {
                StatementKind::Goto(to) => *to = Label(at(*to)),
                StatementKind::Branch(_, yes, no) => (*yes, *no) = (Label(at(*yes)), Label(at(*no))),
                _ => {}
            }
        }
        for at in idle {
            // A jump to the next statement is left out.
            statements[at].kind = StatementKind::Goto(Label(at as u32 + 1));
        }
        shorten(&mut statements);
        statements
    }
}

/// Where a label leads, past jumps.
fn shorten(statements: &mut [Statement]) {
    let follow = |mut to: Label, statements: &[Statement]| {
        // A jump that leads to itself is a loop without end; so many steps are enough to see it.
        for _ in 0..16 {
            match statements[to.0 as usize] {
                Statement { kind: StatementKind::Goto(next), ref labels, .. } if labels.is_empty() && next != to => {
                    to = next;
                }
                _ => break,
            }
        }
        to
    };
    for index in 0..statements.len() {
        match statements[index].kind {
            StatementKind::Goto(to) => statements[index].kind = StatementKind::Goto(follow(to, statements)),
            StatementKind::Branch(e, yes, no) => {
                let ends = (follow(yes, statements), follow(no, statements));
                statements[index].kind = StatementKind::Branch(e, ends.0, ends.1);
            }
            _ => {}
        }
    }
}

/// Leaves out what control never reaches, neither from the beginning nor from a label of the source, about which somebody may ask; and
/// jumps to the next statement.
pub fn compact(statements: Vec<Statement>) -> Vec<Statement> {
    let mut reached = vec![false; statements.len()];
    let is_labelled = |at: &u32| statements.get(*at as usize).is_some_and(|statement| !statement.labels.is_empty());
    let mut open: Vec<Label> = (0..statements.len() as u32).filter(is_labelled).chain([0]).map(Label).collect();
    while let Some(label) = open.pop() {
        if let Some(seen) = reached.get_mut(label.0 as usize)
            && !std::mem::replace(seen, true)
        {
            open.extend(statements[label.0 as usize].kind.successors(label));
        }
    }
    let mut kept = reached;
    for (index, statement) in statements.iter().enumerate() {
        if let StatementKind::Goto(to) = statement.kind
            && statement.labels.is_empty()
            && (index + 1..to.0 as usize).all(|between| !kept[between])
            && to.0 as usize > index
        {
            kept[index] = false;
        }
    }
    let mut new = Vec::with_capacity(statements.len());
    let mut number = 0;
    for kept in &kept {
        new.push(Label(number));
        number += u32::from(*kept);
    }
    let moved = |label: Label| new[label.0 as usize];
    let list = statements.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(mut statement, _)| {
        match &mut statement.kind {
            StatementKind::Goto(to) => *to = moved(*to),
            StatementKind::Branch(_, yes, no) => (*yes, *no) = (moved(*yes), moved(*no)),
            _ => {}
        }
        statement
    });
    list.collect()
}

impl Lowering<'_> {
    /// The procedure being made; outside of procedures a complaint: what needs statements cannot stand there.
    pub fn body(&mut self) -> Lowered<&mut Body> {
        if self.body.is_none() {
            let span = self.here;
            return Err(self.error("this is not a constant expression", span));
        }
        self.body.as_mut().ok_or(Refused)
    }

    /// One more statement.
    pub fn emit(&mut self, kind: StatementKind) -> Lowered<()> {
        self.body()?.emit(kind);
        Ok(())
    }

    /// A new local for an intermediate value.
    pub fn intermediate(&mut self, ty: TypeId) -> Lowered<LvalueId> {
        let body = self.body()?;
        body.made += 1;
        let name = format!(".{}", body.made);
        let (place, procedure) = (body.place, body.procedure);
        let id = self.variable(Variable {
            name: name.into(),
            is_made_up: true,
            ty,
            storage: Storage::Local(procedure),
            place,
            address_taken: false,
        });
        self.body()?.locals.push(id);
        Ok(self.terms.lvalue(LvalueKind::Variable(id), ty))
    }

    /// The value of an expression at this moment, whatever comes after it.
    pub fn saved(&mut self, e: ExpressionId) -> Lowered<ExpressionId> {
        if self.folded(e).is_some() {
            return Ok(e);
        }
        let to = self.intermediate(self.ty(e))?;
        self.emit(StatementKind::Assign(to, e))?;
        self.led_as(to, &[e]);
        Ok(self.read(to))
    }

    /// A value of a type of which nothing is known, and why.
    pub fn unknown(&mut self, ty: TypeId, what: &str) -> Lowered<ExpressionId> {
        let to = self.intermediate(ty)?;
        let reason = self.reason(what)?;
        self.emit(StatementKind::Havoc(to, reason, None))?;
        Ok(self.read(to))
    }

    /// The same; runs know what it is.
    pub fn unknown_but_in_runs(&mut self, e: ExpressionId, what: &str) -> Lowered<ExpressionId> {
        let to = self.intermediate(self.ty(e))?;
        let reason = self.reason(what)?;
        self.emit(StatementKind::Havoc(to, reason, Some(e)))?;
        Ok(self.read(to))
    }
}
