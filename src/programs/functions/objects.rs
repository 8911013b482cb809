//! A program that makes a state object by object and then begins in a function: few of the states that a caller may leave, but real ones,
//! so that a run from there is one of the function.
//!
//! Each pointer that is given is NULL, leads to an object of its own, or to one of its type that is there already; a pointer to functions
//! leads to one of the program's. An input says which. What else lies in the objects are inputs, too, as far as there are not too many;
//! what there is no input for is zero, as in variables that nobody has written.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;

use crate::answer::{Binding, Value};
use crate::c::edit;
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term};
use crate::c::program::{InputKind, Label, ProcedureId, Program, Room, StatementKind, VariableId};
use crate::c::types::{Rank, Type, TypeId};

use crate::question::freed::frees;
use crate::refinement::Input;

use super::apart::{FITTING, fitting};
use super::condition::{About, Condition, is_arbitrary, occurring};
use super::copied::written;
use super::entry::{begin, first};

/// Elements of objects that are no records, and of arrays in objects that are filled; objects of characters have as many again, which are 0.
const ELEMENTS: u64 = 4;

/// Elements of objects of which the number matters, if the program has no number that is greater: less than there are in [`super::search`].
const COUNTED: u64 = 3;

/// No more than so many.
const MOST_COUNTED: u64 = 64;

/// No more objects are made.
const OBJECTS: usize = 64;

/// No more inputs are asked for what lies in them.
const INPUTS: usize = 256;

/// Objects that are there already among which a pointer may choose.
const CHOICES: usize = 2;

/// A program that makes a state, and what its first inputs mean.
pub struct Made {
    /// The program.
    pub program: Program,
    /// The procedure in which the question begins, which the first one of the program calls.
    pub function: ProcedureId,
    /// Variables of other files, none of which is the library's.
    pub external: Vec<VariableId>,
    /// What its first inputs mean.
    pub asked: Vec<Asked>,
}

/// The meaning of an input.
pub struct Asked {
    /// What gets a value, as C writes it.
    name: String,
    /// The same in the program.
    pub to: LvalueId,
    /// Of a pointer: the value that each number chooses.
    values: Vec<ExpressionId>,
    /// In which of the objects that were made it lies, if in one.
    within: Option<usize>,
    /// Of a pointer: what each number leads to, and which of the objects that were made that is; greater numbers lead where the last one does.
    ways: Vec<(String, Option<usize>)>,
    /// The numbers that lead to what was there already.
    shared: Range<usize>,
}

impl Asked {
    /// The value that a number chooses; none where it is the value itself.
    pub fn value(&self, number: i128) -> Option<ExpressionId> {
        self.values.get(self.way(number)).copied()
    }

    /// Which of the ways a number leads.
    fn way(&self, number: i128) -> usize {
        usize::try_from(number).map_or(self.ways.len(), |at| at).min(self.ways.len().saturating_sub(1))
    }
}

impl Made {
    /// How many inputs make the state.
    pub fn inputs(&self) -> usize {
        self.asked.len()
    }

    /// Whether these inputs let several pointers lead to one of the objects that were made.
    pub fn shares(&self, inputs: &[Input]) -> bool {
        self.asked.iter().zip(inputs).any(|(one, input)| {
            let way = one.way(input.value);
            one.shared.contains(&way) && one.ways[way].1.is_some()
        })
    }

    /// The state that these inputs make, as far as it is behind what is given: where pointers lead, and numbers. What lies in objects is only
    /// mentioned if it is not zero.
    pub fn state(&self, inputs: &[Input]) -> Vec<Binding> {
        let asked = || self.asked.iter().zip(inputs.iter().map(|input| input.value));
        let chosen = |one: &Asked, number: i128| one.ways.get(one.way(number)).cloned();
        let mut there: BTreeSet<Option<usize>> = BTreeSet::from([None]);
        loop {
            let before = there.len();
            for (one, number) in asked().filter(|(one, _)| there.contains(&one.within)).collect::<Vec<_>>() {
                there.extend(chosen(one, number).and_then(|(_, object)| object).map(Some));
            }
            if there.len() == before {
                break;
            }
        }
        let told =
            asked().filter(|(one, number)| there.contains(&one.within) && (one.within.is_none() || *number != 0));
        let binding = |(one, number): (&Asked, i128)| Binding {
            name: one.name.clone(),
            value: chosen(one, number).map_or(Value::Number(number), |(way, _)| Value::Words(way)),
        };
        told.map(binding).collect()
    }
}

/// The program that makes objects behind the pointers that its first procedure is given, so many one behind the other, and calls it if these
/// conditions hold.
pub fn made(program: &Program, conditions: &[Condition], deep: usize) -> Made {
    made_of(program, (conditions, None), (deep, greatest(program)), true)
}

/// The same where this condition does not hold, if it is of a pointer.
pub fn made_without(program: &Program, conditions: &[Condition], missing: &Condition, deep: usize) -> Made {
    made_of(program, (conditions, Some(missing)), (deep, greatest(program)), true)
}

/// The same with so many elements behind pointers that it will not be too few, unless nothing is enough.
pub fn made_generously(program: &Program, conditions: &[Condition], deep: usize) -> Made {
    made_of(program, (conditions, None), (deep, 2 * MOST_COUNTED), true)
}

/// The same without conditions where pointers lead to no objects that others lead to, but for globals that are no records, and to no functions:
/// nothing leads back to itself.
pub fn made_apart(program: &Program, deep: usize) -> Made {
    made_of(program, (&[], None), (deep, greatest(program)), false)
}

fn made_of(
    program: &Program,
    (conditions, missing): (&[Condition], Option<&Condition>),
    (deep, numbers): (usize, u64),
    shares: bool,
) -> Made {
    let pointer = |one: &Condition| match one.about {
        About::Pointer(pointer, _) => Some(program.expression_text(pointer)),
        About::Numbers => None,
    };
    let there = conditions.iter().filter_map(pointer).collect();
    let null = missing.and_then(pointer);
    let mut program = program.clone();
    let function = program.main;
    // What other files have begins as what nobody has written does.
    let is_library = |id: &VariableId| program.unknown.iter().any(|(unknown, _)| unknown == id);
    let (library, external) = std::mem::take(&mut program.external).into_iter().partition(is_library);
    program.external = library;
    let id = first(&mut program);
    let read = occurring(&program);
    let (given, mut open) = formals_made(&mut program, id);
    let mut objects = Vec::new();
    let globals: Vec<VariableId> = read.into_iter().filter(|id| is_arbitrary(&program, *id)).collect();
    for global in globals {
        let (ty, name) = (program.variable(global).ty, program.variable(global).name.to_string());
        let lvalue = program.terms.lvalue(LvalueKind::Variable(global), ty);
        program.variables[global.0 as usize].address_taken = true;
        objects.push(Object { ty, first: lvalue, name: format!("&{name}"), number: None, count: 1 });
        open.push_back(Open { lvalue, within: None, depth: 0, members: format!("{name}."), name, count: None });
    }
    let is_freed = frees(&program);
    let mut this = Maker {
        program,
        id,
        deep,
        numbers,
        there,
        null,
        statements: Vec::new(),
        objects,
        made: 0,
        shares,
        is_freed,
        asked: Vec::new(),
    };
    this.all(open);
    let Maker { mut program, statements, asked, .. } = this;
    begin(&mut program, id, statements, (&given, conditions));
    Made { program, function, external, asked }
}

/// Variables for what is handed over, in this procedure, and what is open of them.
fn formals_made(program: &mut Program, id: ProcedureId) -> (Vec<VariableId>, VecDeque<Open>) {
    let (mut given, mut open) = (Vec::new(), VecDeque::new());
    let formals = program.procedure(program.main).formals.clone();
    let own = |program: &mut Program, formal: &VariableId| {
        let (ty, name) = (program.variable(*formal).ty, program.variable(*formal).name.to_string());
        edit::local(program, id, &name, ty)
    };
    let lvalues: BTreeMap<VariableId, LvalueId> =
        formals.iter().map(|formal| (*formal, own(program, formal))).collect();
    let counts: BTreeMap<VariableId, VariableId> =
        program.behind.iter().map(|(of, behind)| (*of, behind.count)).collect();
    for formal in formals {
        let lvalue = lvalues[&formal];
        given.extend(program.terms.variable_of(lvalue));
        if !program.is_count(formal) {
            let count = counts.get(&formal).and_then(|count| lvalues.get(count)).copied();
            let name = program.variable(formal).name.to_string();
            open.push_back(Open { lvalue, within: None, depth: 0, members: format!("{name}."), name, count });
        }
    }
    (given, open)
}

/// So many elements that what the program may ask for is there, if that is not too much.
fn greatest(program: &Program) -> u64 {
    let reached = crate::c::reached::reached(program, false).procedures;
    let bodies = program.procedures.iter().zip(reached).filter(|(_, reached)| *reached);
    let statements = bodies.flat_map(|(procedure, _)| procedure.body.iter().flatten());
    let terms = statements.flat_map(|statement| statement.kind.terms()).flat_map(|root| program.terms.postorder(root));
    let constants = terms.filter_map(|term| match term {
        Term::Expression(id) => match program.terms.get(id).kind {
            ExpressionKind::Constant(bits) => u64::try_from(bits).ok(),
            _ => None,
        },
        Term::Lvalue(_) => None,
    });
    let greatest = constants.filter(|number| *number < MOST_COUNTED).max().unwrap_or(0);
    if program.behind.is_empty() { COUNTED } else { COUNTED.max(greatest + 1) }
}

struct Maker {
    program: Program,
    /// The procedure that makes the objects.
    id: ProcedureId,
    deep: usize,
    /// Elements of objects of which the number matters.
    numbers: u64,
    /// Pointers that are not NULL, as C writes them.
    there: BTreeSet<String>,
    /// One that is.
    null: Option<String>,
    statements: Vec<StatementKind>,
    objects: Vec<Object>,
    /// How many of them were made.
    made: usize,
    /// Whether pointers may lead to those that were made for others, and to functions.
    shares: bool,
    /// Whether they may be freed.
    is_freed: bool,
    asked: Vec<Asked>,
}

/// Where a pointer may lead, and which of that was there already.
type Ways = (Vec<(String, Option<usize>)>, Range<usize>);

/// An object that pointers may lead to.
struct Object {
    /// The type of an element.
    ty: TypeId,
    /// The first element.
    first: LvalueId,
    /// A pointer to it, as C writes it.
    name: String,
    /// Which one it is of those that were made.
    number: Option<usize>,
    /// How many elements there are.
    count: u64,
}

/// What is still to be filled.
struct Open {
    lvalue: LvalueId,
    /// As C writes it, and what its members begin with.
    name: String,
    members: String,
    within: Option<usize>,
    /// How many pointers lead to it.
    depth: usize,
    /// What gets the number of elements behind it.
    count: Option<LvalueId>,
}

impl Maker {
    /// Pointers first, the nearest first of all: then what else lies in the objects.
    fn all(&mut self, mut open: VecDeque<Open>) {
        let mut numbers = Vec::new();
        while let Some(one) = open.pop_front() {
            let ty = self.program.terms.at(one.lvalue).ty;
            match self.program.types.get(ty).clone() {
                Type::Pointer(of) => open.extend(self.pointer(&one, of)),
                Type::Array(element, length) => {
                    for at in 0..length.min(ELEMENTS) {
                        let name = format!("{}[{at}]", one.name);
                        let lvalue = self.element(one.lvalue, element, at);
                        open.push_back(Open { lvalue, members: format!("{name}."), name, count: None, ..one });
                    }
                }
                // What lies in a union is one thing in several ways.
                Type::Record(record) if !self.program.types.records[record.0 as usize].union => {
                    let fields = self.program.types.records[record.0 as usize].fields.clone();
                    // Members of unnamed members are members of the record.
                    for (field, at) in fields.into_iter().zip(0..).filter(|(field, _)| !field.name.is_empty()) {
                        let name = format!("{}{}", one.members, field.name);
                        let lvalue = self.program.terms.lvalue(LvalueKind::Field(one.lvalue, at), field.ty);
                        open.push_back(Open { lvalue, members: format!("{name}."), name, count: None, ..one });
                    }
                }
                Type::Integer(_) => numbers.push(one),
                _ => {}
            }
        }
        for one in numbers {
            if self.asked.len() < INPUTS {
                self.ask(one.lvalue, &one, Vec::new(), (Vec::new(), 0..0));
            }
        }
    }

    /// An input that says what something gets.
    fn ask(&mut self, to: LvalueId, of: &Open, values: Vec<ExpressionId>, (ways, shared): Ways) {
        self.statements.push(StatementKind::Input(to, InputKind::Returned(of.name.as_str().into())));
        let (name, to, within) = (of.name.clone(), of.lvalue, of.within);
        self.asked.push(Asked { name, to, values, within, ways, shared });
    }

    fn element(&mut self, array: LvalueId, ty: TypeId, at: u64) -> LvalueId {
        let int = self.program.types.int();
        let index = self.program.terms.expression(ExpressionKind::Constant(u128::from(at)), int);
        self.program.terms.lvalue(LvalueKind::Element(array, index), ty)
    }

    /// A pointer gets a value: which one, an input says. What is made for it is still to be filled.
    fn pointer(&mut self, one: &Open, of: TypeId) -> Option<Open> {
        let ty = self.program.terms.at(one.lvalue).ty;
        let nothing = self.program.terms.expression(ExpressionKind::Constant(0), ty);
        let (mut values, mut ways) = (vec![nothing], vec![("NULL".to_owned(), None)]);
        if self.null.as_ref() == Some(&one.name) {
            self.choose(one, &[(nothing, self.numbers)], (ways, 1..1));
            return None;
        }
        let of = if matches!(self.program.types.get(of), Type::Void) { self.meant(one) } else { of };
        // A global record may lead to itself, too.
        let is_record = matches!(self.program.types.get(of), Type::Record(_));
        let may_share = |object: &Object| self.shares || object.number.is_none() && !is_record;
        let is_there = |object: &&Object| object.ty == of && may_share(object);
        let there = self.objects.iter().filter(is_there).take(CHOICES);
        let there: Vec<(LvalueId, String, Option<usize>, u64)> =
            there.map(|object| (object.first, object.name.clone(), object.number, object.count)).collect();
        let made = self.object(of, one);
        // What is said of NULL excludes nothing.
        let mut counts = vec![self.numbers];
        if let (Some((first, filled)), Some(count)) = (&made, self.objects.last().map(|object| object.count)) {
            values.push(self.address(*first, ty));
            ways.push(("an object".to_owned(), filled.within));
            counts.push(count);
            if let (LvalueKind::Element(whole, _), true) =
                (self.program.terms.at(*first).kind.clone(), self.program.types.is_character(of) && one.count.is_none())
            {
                // There are some in front of where it leads.
                let middle = self.element(whole, of, ELEMENTS - 1);
                values.push(self.address(middle, ty));
                ways.push(("the middle of an object".to_owned(), filled.within));
                counts.push(count);
            }
            if let (LvalueKind::Element(whole, _), 2.., Some(_)) =
                (self.program.terms.at(*first).kind.clone(), count, one.count.filter(|_| count <= MOST_COUNTED))
            {
                let last = self.element(whole, of, count - 1);
                values.push(self.address(last, ty));
                ways.push(("the last element of an object".to_owned(), filled.within));
                counts.push(1);
            }
        }
        let mut shared = ways.len()..ways.len() + there.len();
        for (first, name, number, count) in there {
            values.push(self.address(first, ty));
            ways.push((name, number));
            counts.push(count);
        }
        let functions: Vec<ProcedureId> =
            fitting(&self.program, of).take(if self.shares { FITTING } else { 0 }).collect();
        for procedure in functions {
            values.push(self.program.terms.expression(ExpressionKind::Procedure(procedure), ty));
            ways.push((written(&self.program.procedure(procedure).name).to_owned(), None));
            counts.push(0);
        }
        let mut values: Vec<(ExpressionId, u64)> = values.into_iter().zip(counts).collect();
        if values.len() > 1 && self.there.contains(&one.name) {
            values.remove(0);
            ways.remove(0);
            shared = shared.start - 1..shared.end - 1;
        }
        self.choose(one, &values, (ways, shared));
        made.map(|(_, filled)| filled)
    }

    /// The address of something, as a pointer of this type.
    fn address(&mut self, of: LvalueId, ty: TypeId) -> ExpressionId {
        let own = self.program.types.pointer(self.program.terms.at(of).ty);
        let address = self.program.terms.expression(ExpressionKind::AddressOf(of), own);
        if own == ty { address } else { self.program.terms.expression(ExpressionKind::Convert(address), ty) }
    }

    /// What a pointer to nothing in particular is converted to lead to; characters if it is not known.
    fn meant(&mut self, one: &Open) -> TypeId {
        let (terms, types) = (&self.program.terms, &self.program.types);
        let formals = &self.program.procedure(self.program.main).formals;
        let formal = formals.iter().find(|formal| *self.program.variable(**formal).name == *one.name);
        let is_it = |of: ExpressionId| match terms.get(of).kind {
            ExpressionKind::Read(from) => match terms.at(from).kind {
                LvalueKind::Variable(id) => formal == Some(&id),
                _ => false,
            },
            _ => false,
        };
        let meant = terms.expressions().find_map(|expression| match expression.kind {
            ExpressionKind::Convert(of) if is_it(of) => types.pointee(expression.ty),
            _ => None,
        });
        let meant = meant.filter(|of| types.size(*of).is_some_and(|size| size > 0));
        meant.unwrap_or_else(|| self.program.types.integer(Rank::Char, true))
    }

    /// A new object of elements of a type: its first element, and all of it.
    fn object(&mut self, of: TypeId, behind: &Open) -> Option<(LvalueId, Open)> {
        let can_be = self.program.types.size(of).is_some_and(|size| size > 0)
            && !matches!(self.program.types.get(of), Type::Function(..));
        if !can_be || behind.depth >= self.deep || self.made >= OBJECTS {
            return None;
        }
        let is_record = matches!(self.program.types.get(of), Type::Record(_));
        let count = match behind.count {
            Some(_) => self.numbers,
            None if is_record => 1,
            None if self.program.types.is_character(of) => 2 * ELEMENTS,
            None => ELEMENTS,
        };
        let array = self.program.types.intern(Type::Array(of, count));
        let whole = self.room(&format!(".{}", behind.name), array);
        let first = self.element(whole, of, 0);
        let number = self.made;
        self.made += 1;
        self.objects.push(Object { ty: of, first, name: behind.name.clone(), number: Some(number), count });
        let (within, depth, name) = (Some(number), behind.depth + 1, behind.name.clone());
        let members = format!("{name}->");
        let lvalue = if is_record { first } else { whole };
        Some((first, Open { lvalue, name, members, within, depth, count: None }))
    }

    /// Room for an object: it is allocated where the program frees something, as it may be that.
    fn room(&mut self, name: &str, ty: TypeId) -> LvalueId {
        if !self.is_freed {
            let whole = edit::global(&mut self.program, name, ty);
            if let Some(id) = self.program.terms.variable_of(whole) {
                self.program.variables[id.0 as usize].address_taken = true;
            }
            return whole;
        }
        let pointer = self.program.types.pointer(ty);
        let to = edit::local(&mut self.program, self.id, name, pointer);
        let (bytes, size) = (self.program.types.size(ty).unwrap_or(0), self.program.types.size_type());
        let size = self.program.terms.expression(ExpressionKind::Constant(u128::from(bytes)), size);
        let (element, room, lacks) = (None, Room::Zeros, false);
        self.statements.push(StatementKind::Allocate { to, size, element, room, lacks });
        let pointer = self.program.terms.expression(ExpressionKind::Read(to), pointer);
        self.program.terms.lvalue(LvalueKind::Deref(pointer), ty)
    }

    /// One of several values, each with the number of elements behind it: the number that is given says which; the last is that of all others.
    fn choose(&mut self, one: &Open, values: &[(ExpressionId, u64)], ways: Ways) {
        let int = self.program.types.int();
        let chosen = edit::local(&mut self.program, self.id, &format!(".which {}", one.name), int);
        self.ask(chosen, one, values.iter().map(|(value, _)| *value).collect(), ways);
        let read = self.program.terms.expression(ExpressionKind::Read(chosen), int);
        let Some((last, others)) = values.split_last() else { return };
        // For each value but the last: a branch, its assignments, and a jump.
        let assignments = 1 + u32::from(one.count.is_some());
        let end = Label(self.statements.len() as u32 + (2 + assignments) * others.len() as u32 + assignments);
        for (value, number) in others.iter().zip(0u32..) {
            let this = self.program.terms.expression(ExpressionKind::Constant(u128::from(number)), int);
            let is = self.program.terms.expression(ExpressionKind::Binary(Binary::Equal, read, this), int);
            let at = self.statements.len() as u32;
            self.statements.push(StatementKind::Branch(is, Label(at + 1), Label(at + 2 + assignments)));
            self.assign(one, *value);
            self.statements.push(StatementKind::Goto(end));
        }
        self.assign(one, *last);
    }

    fn assign(&mut self, one: &Open, (value, count): (ExpressionId, u64)) {
        self.statements.push(StatementKind::Assign(one.lvalue, value));
        if let Some(to) = one.count {
            let ty = self.program.terms.at(to).ty;
            let count = self.program.terms.expression(ExpressionKind::Constant(u128::from(count)), ty);
            self.statements.push(StatementKind::Assign(to, count));
        }
    }
}
