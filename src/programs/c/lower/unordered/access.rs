//! Which events of a unit conflict: what they read and write, procedures that they call and all that those call included (MOD and
//! REF), and whether they come back.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;

use super::Pairs;
use super::code::{Code, Marker};
use crate::c::expression::{ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term};
use crate::c::lower::Lowering;
use crate::c::program::{Callee, ProcedureId, Statement, StatementKind, Storage, VariableId};
use crate::c::types::{Type, TypeId};

/// Why an event may not be followed by what comes after it.
#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    /// The program is wrong there.
    fails: bool,
    /// It ends there, or no run goes on.
    stops: bool,
    /// It may go on for ever.
    stays: bool,
    /// Something undefined may be done in a procedure that is called.
    undefined: bool,
}

impl Ends {
    fn join(&mut self, other: Ends) {
        self.fails |= other.fails;
        self.stops |= other.stops;
        self.stays |= other.stays;
        self.undefined |= other.undefined;
    }

    /// Whether it matters which of the two comes first.
    fn conflicts(self, other: Ends) -> bool {
        let one =
            |a: Ends, b: Ends| a.fails && (b.stops || b.stays || b.undefined) || a.stops && (b.stays || b.undefined);
        one(self, other) || one(other, self)
    }
}

/// What a procedure may do, and all that it calls.
#[derive(Debug, Default)]
struct Summary {
    reads: HashSet<VariableId>,
    writes: HashSet<VariableId>,
    memory_read: bool,
    memory_write: bool,
    ends: Ends,
}

impl Summary {
    fn join(&mut self, other: &Summary) {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
        self.memory_read |= other.memory_read;
        self.memory_write |= other.memory_write;
        self.ends.join(other.ends);
    }
}

/// What an event does.
#[derive(Default)]
struct Event {
    reads: Vec<LvalueId>,
    writes: Vec<LvalueId>,
    called: Vec<Rc<Summary>>,
    ends: Ends,
}

impl Event {
    fn is_quiet(&self) -> bool {
        self.writes.is_empty() && self.called.is_empty() && !(self.ends.fails || self.ends.stops)
    }
}

/// What is known of the program when all of it was read once.
pub struct Survey<'s, 'a> {
    lowering: &'s Lowering<'a>,
    /// Variables of which an address is somewhere.
    escaped: HashSet<VariableId>,
    /// Variables in which procedures return structures: written and read with each call.
    results: HashSet<VariableId>,
    /// Procedures that may be called through pointers.
    pointed: Vec<ProcedureId>,
    own: Vec<Summary>,
    callees: Vec<Vec<ProcedureId>>,
    /// The strongly connected components of the call graph, once somebody asks.
    components: OnceCell<Components>,
    /// What is known of these.
    summaries: RefCell<HashMap<usize, Rc<Summary>>>,
}

/// The strongly connected components of a call graph: what is called has a smaller number.
struct Components {
    /// That of each procedure.
    of: Vec<usize>,
    members: Vec<Vec<ProcedureId>>,
    /// Others that a component calls.
    called: Vec<BTreeSet<usize>>,
    /// Whether it calls itself.
    circular: Vec<bool>,
}

impl Components {
    fn new(callees: &[Vec<ProcedureId>]) -> Self {
        let mut graph: DiGraphMap<u32, ()> = DiGraphMap::new();
        for (caller, callees) in (0..).zip(callees) {
            graph.add_node(caller);
            callees.iter().for_each(|callee| {
                graph.add_edge(caller, callee.0, ());
            });
        }
        let members = kosaraju_scc(&graph);
        let mut of = vec![0; callees.len()];
        for (number, members) in members.iter().enumerate() {
            members.iter().for_each(|member| of[*member as usize] = number);
        }
        let mut called = vec![BTreeSet::new(); members.len()];
        let mut circular = vec![false; members.len()];
        for (caller, callee, ()) in graph.all_edges() {
            let (caller, callee) = (of[caller as usize], of[callee as usize]);
            if caller == callee {
                circular[caller] = true;
            } else {
                called[caller].insert(callee);
            }
        }
        let members = members.into_iter().map(|all| all.into_iter().map(ProcedureId).collect()).collect();
        Components { of, members, called, circular }
    }
}

impl<'s, 'a> Survey<'s, 'a> {
    /// Looks at all procedures. Linear.
    pub fn new(lowering: &'s Lowering<'a>) -> Self {
        let mut survey = Survey {
            lowering,
            escaped: HashSet::new(),
            results: (lowering.procedures.iter().filter_map(|procedure| procedure.result_in))
                .chain(lowering.results.values().copied())
                .collect(),
            pointed: Vec::new(),
            own: Vec::new(),
            callees: Vec::new(),
            components: OnceCell::new(),
            summaries: RefCell::default(),
        };
        survey.look_for_addresses();
        for procedure in &lowering.procedures {
            let (own, callees) = survey.own(&procedure.formals, procedure.body.as_deref().unwrap_or(&[]));
            survey.own.push(own);
            survey.callees.push(callees);
        }
        survey
    }

    fn look_for_addresses(&mut self) {
        let lowering = self.lowering;
        let mut pointed = BTreeSet::new();
        let mut met = HashSet::new();
        let statements = lowering.procedures.iter().flat_map(|procedure| procedure.body.iter().flatten());
        let noted = lowering.unordered.noted.iter().flat_map(|(_, code)| &code.statements);
        let used = statements.chain(noted).flat_map(|statement| statement.kind.terms());
        let initial = lowering.initial.iter().flat_map(|(to, e)| [Term::Lvalue(*to), Term::Expression(*e)]);
        for root in used.chain(initial) {
            if !met.insert(root) {
                continue;
            }
            for term in lowering.terms.postorder(root) {
                let Term::Expression(id) = term else { continue };
                match lowering.terms.get(id).kind {
                    ExpressionKind::AddressOf(l) => self.escaped.extend(lowering.terms.variable_of(l)),
                    ExpressionKind::Procedure(id) => {
                        pointed.insert(id);
                    }
                    _ => {}
                }
            }
        }
        self.pointed = pointed.into_iter().collect();
    }

    /// The locals of a procedure that only point to what it allocates itself: nobody else meets that before it comes back, unless it is
    /// told where that is.
    fn fresh(&self, formals: &[VariableId], body: &[Statement]) -> HashSet<VariableId> {
        let is_plain = |l: LvalueId| match self.lowering.terms.at(l).kind {
            LvalueKind::Variable(id) => Some(id).filter(|id| {
                matches!(self.lowering.variables[id.0 as usize].storage, Storage::Local(_))
                    && !self.escaped.contains(id)
            }),
            _ => None,
        };
        let mut fresh: HashSet<VariableId> = body
            .iter()
            .filter_map(|statement| match &statement.kind {
                StatementKind::Allocate { to, .. } | StatementKind::Assign(to, _) => is_plain(*to),
                _ => None,
            })
            .filter(|id| !formals.contains(id))
            .collect();
        loop {
            let before = fresh.len();
            for statement in body {
                let other = match &statement.kind {
                    StatementKind::Assign(to, e) if !self.leads_to_fresh(*e, &fresh) => Some(*to),
                    StatementKind::Input(to, _) | StatementKind::Havoc(to, ..) => Some(*to),
                    StatementKind::Call(to, ..) | StatementKind::External(to, ..) => *to,
                    _ => None,
                };
                if let Some(id) = other.and_then(is_plain) {
                    fresh.remove(&id);
                }
            }
            if fresh.len() == before {
                return fresh;
            }
        }
    }

    /// Whether a pointer is NULL, or comes of one of these variables.
    fn leads_to_fresh(&self, mut e: ExpressionId, fresh: &HashSet<VariableId>) -> bool {
        loop {
            match self.lowering.terms.get(e).kind {
                ExpressionKind::Offset(of, _) | ExpressionKind::Convert(of) => e = of,
                ExpressionKind::Constant(0) => return true,
                ExpressionKind::AddressOf(l) => match self.lowering.terms.at(self.way(l).0).kind {
                    LvalueKind::Deref(pointer) => e = pointer,
                    _ => return false,
                },
                ExpressionKind::Read(l) => {
                    return matches!(self.lowering.terms.at(l).kind, LvalueKind::Variable(id) if fresh.contains(&id));
                }
                _ => return false,
            }
        }
    }

    /// Whether an lvalue is in something that the procedure has allocated.
    fn is_in_fresh(&self, l: LvalueId, fresh: &HashSet<VariableId>) -> bool {
        match self.lowering.terms.at(self.way(l).0).kind {
            LvalueKind::Deref(pointer) => self.leads_to_fresh(pointer, fresh),
            _ => false,
        }
    }

    /// What the statements of a procedure do themselves, and what they call.
    fn own(&self, formals: &[VariableId], body: &[Statement]) -> (Summary, Vec<ProcedureId>) {
        let (mut summary, mut callees) = (Summary::default(), BTreeSet::new());
        let fresh = self.fresh(formals, body);
        for (at, statement) in body.iter().enumerate() {
            let mut event = Event::default();
            self.access(&statement.kind, &mut event, &mut callees);
            for (list, write) in [(&event.reads, false), (&event.writes, true)] {
                for &l in list {
                    let elsewhere = self.lowering.terms.variable_of(l);
                    let known = elsewhere.map(|id| (id, &self.lowering.variables[id.0 as usize].storage));
                    let (variables, memory) = match write {
                        false => (&mut summary.reads, &mut summary.memory_read),
                        true => (&mut summary.writes, &mut summary.memory_write),
                    };
                    match known {
                        Some((_, Storage::Local(_))) => {}
                        Some((id, _)) if self.results.contains(&id) => {}
                        Some((id, _)) => {
                            variables.insert(id);
                        }
                        None => *memory |= !self.is_in_fresh(l, &fresh),
                    }
                }
            }
            summary.ends.join(event.ends);
            summary.ends.undefined |= self.is_partial(&statement.kind);
            let here = crate::c::program::Label(at as u32);
            let again = matches!(statement.kind, StatementKind::Goto(_) | StatementKind::Branch(..))
                && statement.kind.successors(here).any(|to| to.0 as usize <= at);
            summary.ends.stays |= again;
            if let StatementKind::External(.., effect) = statement.kind {
                summary.memory_read = true;
                summary.memory_write |= effect.writes();
            }
        }
        (summary, callees.into_iter().collect())
    }

    /// Whether a statement may do what is undefined, whatever overflows are.
    fn is_partial(&self, kind: &StatementKind) -> bool {
        use crate::c::expression::Binary::{Divide, Remainder, ShiftLeft, ShiftRight};
        let terms = &self.lowering.terms;
        let constant = |e: ExpressionId| matches!(terms.get(e).kind, ExpressionKind::Constant(bits) if bits != 0);
        kind.terms().flat_map(|root| terms.postorder(root)).any(|term| match term {
            Term::Expression(e) => match terms.get(e).kind {
                ExpressionKind::Binary(Divide | Remainder | ShiftLeft | ShiftRight, _, b) => {
                    !constant(b) && self.lowering.float(b).is_none()
                }
                ExpressionKind::Convert(a) => self.lowering.float(a).is_some() && self.lowering.float(e).is_none(),
                _ => false,
            },
            Term::Lvalue(l) => match terms.at(l).kind {
                LvalueKind::Deref(_) => true,
                LvalueKind::Element(_, index) => !matches!(terms.get(index).kind, ExpressionKind::Constant(_)),
                _ => false,
            },
        })
    }

    /// What a statement reads and writes by itself, and what it calls.
    fn access(&self, kind: &StatementKind, event: &mut Event, callees: &mut BTreeSet<ProcedureId>) {
        let copied = match kind {
            StatementKind::Havoc(_, _, exact) => exact.map(Term::Expression),
            _ => None,
        };
        for root in kind.terms().chain(copied) {
            for term in self.lowering.terms.postorder(root) {
                if let Term::Expression(id) = term
                    && let ExpressionKind::Read(l) = self.lowering.terms.get(id).kind
                {
                    event.reads.push(l);
                }
            }
        }
        match kind {
            StatementKind::Assign(to, _)
            | StatementKind::Input(to, _)
            | StatementKind::Havoc(to, ..)
            | StatementKind::Allocate { to, .. } => event.writes.push(*to),
            StatementKind::Call(to, callee, _) => {
                event.writes.extend(*to);
                match callee {
                    Callee::Procedure(id) => {
                        callees.insert(*id);
                    }
                    Callee::Pointer(_) => callees.extend(&self.pointed),
                }
            }
            // It may call what it is given.
            StatementKind::External(to, ..) => {
                event.writes.extend(*to);
                callees.extend(&self.pointed);
            }
            StatementKind::Fail(_) => event.ends.fails = true,
            StatementKind::Exit(_) | StatementKind::Assume(_) => event.ends.stops = true,
            _ => {}
        }
    }

    /// What a procedure does, with all that it calls. All components of the call graph below it are known then, each once.
    fn summary(&self, id: ProcedureId) -> Rc<Summary> {
        let components = self.components.get_or_init(|| Components::new(&self.callees));
        let mut summaries = self.summaries.borrow_mut();
        let (mut met, mut open) = (BTreeSet::new(), vec![components.of[id.0 as usize]]);
        while let Some(at) = open.pop() {
            if !summaries.contains_key(&at) && met.insert(at) {
                open.extend(&components.called[at]);
            }
        }
        // What is called comes first.
        for at in met {
            let mut all = Summary::default();
            all.ends.stays = components.circular[at];
            let own = components.members[at].iter().map(|member| &self.own[member.0 as usize]);
            let below = components.called[at].iter().map(|called| &*summaries[called]);
            own.chain(below).for_each(|one| all.join(one));
            summaries.insert(at, Rc::new(all));
        }
        Rc::clone(&summaries[&components.of[id.0 as usize]])
    }

    /// What each statement of a unit does.
    fn event(&self, code: &Code, at: usize) -> Event {
        let mut event = Event::default();
        let mut callees = BTreeSet::new();
        let range = match code.markers[at] {
            Some(Marker::Block { end }) => at..end,
            _ => at..at + 1,
        };
        for statement in &code.statements[range] {
            self.access(&statement.kind, &mut event, &mut callees);
            let memory_write = match &statement.kind {
                StatementKind::External(.., effect) => effect.writes(),
                StatementKind::Free(_) => true,
                _ => continue,
            };
            event.called.push(Rc::new(Summary { memory_read: true, memory_write, ..Summary::default() }));
        }
        event.called.extend(callees.into_iter().map(|id| self.summary(id)));
        for called in &event.called {
            event.ends.join(called.ends);
        }
        if let Some(Marker::Value { again, .. }) = &code.markers[at]
            && let ExpressionKind::Read(l) = self.lowering.terms.get(*again).kind
        {
            event.reads.push(l);
        }
        let foreign = |l: &LvalueId| {
            let variable = self.lowering.terms.variable_of(*l);
            let apart = variable.is_some_and(|id| self.results.contains(&id) || code.fresh == Some(id));
            !apart && !self.lowering.is_own(*l)
        };
        event.reads.retain(foreign);
        event.writes.retain(foreign);
        event
    }

    /// The pairs of events that may come in any order and conflict.
    pub fn pairs(&self, code: &Code) -> Pairs {
        let paths = code.paths();
        let unsettled: Vec<Option<BTreeSet<usize>>> = (0..code.len())
            .map(|at| matches!(code.markers[at], Some(Marker::Float { .. })).then(|| code.unsettled(at)))
            .collect();
        let floats = |a: usize, b: usize| unsettled[a].as_ref().is_some_and(|meanwhile| meanwhile.contains(&b));
        let beside = |a: usize, b: usize| floats(a, b) || floats(b, a) || Code::apart(&paths, a, b).is_some();
        let mut inside = vec![false; code.len()];
        for (at, marker) in code.markers.iter().enumerate() {
            if let Some(Marker::Block { end }) = marker {
                inside[at + 1..*end].fill(true);
            }
        }
        let events: Vec<Event> = (0..code.len()).map(|at| self.event(code, at)).collect();
        let loud: Vec<usize> = (0..code.len()).filter(|&at| !inside[at] && !events[at].is_quiet()).collect();
        let mut pairs = Pairs::new();
        for &a in &loud {
            for b in (0..code.len()).filter(|&b| b != a && !inside[b]) {
                let pair = (a.min(b), a.max(b));
                if beside(pair.0, pair.1) && self.conflict(&events[a], &events[b]) {
                    pairs.insert(pair);
                }
            }
        }
        drop_own_values(code, &mut pairs);
        pairs
    }

    fn conflict(&self, a: &Event, b: &Event) -> bool {
        let one = |a: &Event, b: &Event| {
            let mut all = b.reads.iter().chain(&b.writes);
            a.writes.iter().any(|&to| all.clone().any(|&l| self.overlap(to, l)))
                || a.called.iter().any(|called| {
                    all.any(|&l| self.reaches(called, l, b.writes.contains(&l)))
                        || b.called.iter().any(|other| self.meet(called, other))
                })
        };
        let seen = self.lowering.options.observed && self.is_seen(a) && self.is_seen(b);
        seen || a.ends.conflicts(b.ends) || one(a, b) || one(b, a)
    }

    /// Whether an event is one that formulas may speak of: a call, or a write of what is shared.
    fn is_seen(&self, event: &Event) -> bool {
        let is_shared = |l: &LvalueId| match self.lowering.terms.variable_of(*l) {
            Some(id) => {
                let local = matches!(self.lowering.variables[id.0 as usize].storage, Storage::Local(_));
                !local || self.escaped.contains(&id)
            }
            None => true,
        };
        !event.called.is_empty() || event.writes.iter().any(is_shared)
    }

    /// Whether what a procedure does conflicts with an access to an lvalue.
    fn reaches(&self, called: &Summary, l: LvalueId, writes: bool) -> bool {
        match self.lowering.terms.variable_of(l) {
            Some(id) => {
                let escaped = self.escaped.contains(&id);
                called.writes.contains(&id)
                    || escaped && called.memory_write
                    || writes && (called.reads.contains(&id) || escaped && called.memory_read)
            }
            None => {
                called.memory_write
                    || self.have_escaped(&called.writes)
                    || writes && (called.memory_read || self.have_escaped(&called.reads))
            }
        }
    }

    fn have_escaped(&self, variables: &HashSet<VariableId>) -> bool {
        variables.iter().any(|id| self.escaped.contains(id))
    }

    /// Whether what one procedure writes is something that the other reads or writes.
    fn meet(&self, a: &Summary, b: &Summary) -> bool {
        let memory = a.memory_write
            && (b.memory_read || b.memory_write || self.have_escaped(&b.reads) || self.have_escaped(&b.writes));
        memory
            || (b.memory_read || b.memory_write) && self.have_escaped(&a.writes)
            || a.writes.iter().any(|id| b.reads.contains(id) || b.writes.contains(id))
    }

    /// Whether two lvalues may have a byte in common.
    fn overlap(&self, a: LvalueId, b: LvalueId) -> bool {
        let ((base, path), (other, way)) = (self.way(a), self.way(b));
        let terms = &self.lowering.terms;
        match (&terms.at(base).kind, &terms.at(other).kind) {
            (LvalueKind::Variable(x), LvalueKind::Variable(y)) => x == y && self.meets(terms.at(base).ty, &path, &way),
            (LvalueKind::Variable(x), _) | (_, LvalueKind::Variable(x)) => self.escaped.contains(x),
            // Pointers to structures of one type point to the same one, or to different ones.
            _ => {
                let (ty, other) = (terms.at(base).ty, terms.at(other).ty);
                ty != other || self.lowering.types.as_record(ty).is_none() || self.meets(ty, &path, &way)
            }
        }
    }

    /// The object in which an lvalue is, and what leads to it from there.
    fn way(&self, mut l: LvalueId) -> (LvalueId, Vec<Part>) {
        let mut path = Vec::new();
        loop {
            match self.lowering.terms.at(l).kind {
                LvalueKind::Variable(_) | LvalueKind::Deref(_) => break,
                LvalueKind::Field(of, index) => {
                    path.push(Part::Field(index));
                    l = of;
                }
                LvalueKind::Element(of, index) => {
                    path.push(Part::Element(self.lowering.folded(index)));
                    l = of;
                }
            }
        }
        path.reverse();
        (l, path)
    }

    fn meets(&self, mut ty: TypeId, path: &[Part], way: &[Part]) -> bool {
        for pair in path.iter().zip(way) {
            ty = match (pair, self.lowering.types.get(ty)) {
                ((Part::Field(a), Part::Field(b)), Type::Record(_)) => {
                    let Some(record) = self.lowering.types.as_record(ty) else { return true };
                    if a != b {
                        return record.union;
                    }
                    record.fields[*a as usize].ty
                }
                ((Part::Element(Some(a)), Part::Element(Some(b))), _) if a != b => return false,
                ((Part::Element(_), Part::Element(_)), Type::Array(element, _)) => *element,
                _ => return true,
            };
        }
        true
    }
}

/// The value of an assignment is what was stored, and what is there afterwards as well, unless something else is stored meanwhile.
fn drop_own_values(code: &Code, pairs: &mut Pairs) {
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for (a, b) in pairs.iter() {
        *counts.entry(*a).or_default() += 1;
        *counts.entry(*b).or_default() += 1;
    }
    pairs.retain(|(a, b)| match code.markers[*b] {
        Some(Marker::Value { float, .. }) => float != *a || counts[b] > 1,
        _ => true,
    });
}

/// A step into an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Field(u32),
    /// With its index, if that is constant.
    Element(Option<u128>),
}
