//! From lang-c's tree to C-: types, scopes, and one effect per statement.
//!
//! These functions recurse over the tree, as lang-c does to build it; how deep it can be is known beforehand, and the
//! thread that runs both has a stack for it ([`super::read()`]).

mod allocation;
mod arguments;
mod assembly;
mod assignment;
mod attributes;
mod bodiless;
mod body;
mod branch;
mod builtins;
mod call;
mod comparators;
mod copies;
mod declarator;
mod declare;
mod deferred;
mod designator;
mod dropped;
mod ending;
mod expression;
mod float;
mod generic;
mod initialise;
mod inner;
mod jump;
mod lanes;
mod length;
mod levels;
mod library;
mod lifetime;
mod literal;
mod lvalue;
mod names;
mod offsets;
mod operator;
mod order;
mod placed;
mod procedure;
mod promises;
mod record;
mod scope;
mod spelled;
mod statement;
mod switch;
mod typed;
mod unordered;
mod unrepresented;
mod variadic;
mod volatile;
mod whole;
mod zeros;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

use lang_c::ast;
use lang_c::span::{Node, Span};
use spds_format::Diagnostic;
use spds_format::model::Place;
use spds_format::reading::complaints::Complaints;

use super::Options;
use super::expression::{ExpressionId, LvalueId, Terms};
use super::program::{Defined, Procedure, ProcedureId, Program, Reason, ReasonId, Unrepresented, Variable, VariableId};
use super::types::{TypeId, Types};
use super::unit::Ready;
use super::vocabulary::Vocabulary;
use crate::run::Trusted;
use arguments::Passing;
use body::Body;
pub use library::candidates;
use names::{Constructor, Symbols};
use placed::Overridden;
use promises::Promised;
use scope::{Linked, Scope};
use unordered::Unordered;
use volatile::Volatile;
pub use whole::Whole;

/// What could not be lowered; it was complained about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused;

/// Something, unless it was complained about.
pub type Lowered<T> = Result<T, Refused>;

/// What an expression comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number or a pointer.
    Scalar(ExpressionId),
    /// A structure or union.
    Record(LvalueId),
    /// What is not represented, of this type.
    Opaque(TypeId),
    /// Nothing.
    Void,
}

/// What is known of a procedure while files are read.
#[derive(Clone, Debug)]
struct Known {
    /// Its type, a function.
    ty: TypeId,
    /// The types of its parameters as they are written (structures as structures).
    parameters: Vec<TypeId>,
    /// Whether its parameters are known.
    prototype: bool,
    /// Whether it was declared not to return.
    noreturn: bool,
    /// What attributes promise of it.
    promised: Promised,
    /// Where it was first met without a declaration, if it was.
    implicit: Option<(usize, Span)>,
    /// Whether a header of the system declares it.
    system: bool,
    /// Where it is first used as a value, if it is: it may be called from there.
    taken: Option<(usize, Span)>,
    /// Whether another definition wins, and without any it is not there.
    weak: bool,
    /// Whether its calls may come back twice.
    twice: bool,
    /// Of which procedure of another type this is another name.
    differs: Option<Box<str>>,
}

/// A program being made from its files.
pub struct Lowering<'a> {
    options: &'a Options,
    units: &'a [Ready],
    /// The file being read.
    unit: usize,
    files: Vec<Box<str>>,
    types: Types,
    terms: Terms,
    variables: Vec<Variable>,
    procedures: Vec<Procedure>,
    known: Vec<Known>,
    initial: Vec<(LvalueId, ExpressionId)>,
    unrepresented: Vec<Unrepresented>,
    external: Vec<VariableId>,
    unknown: Vec<(VariableId, ReasonId)>,
    /// Variables that are declared so far, and not defined.
    declared_only: HashSet<VariableId>,
    /// Those that a header of the system declares.
    declared_by_system: HashSet<VariableId>,
    /// Procedures that return what their first argument points to.
    by_first: HashSet<String>,
    /// Where structures of a type are returned.
    results: HashMap<TypeId, VariableId>,
    reasons: Vec<Reason>,
    orders: BTreeMap<VariableId, Box<[Box<str>]>>,
    /// How many blocks there were.
    blocks: u32,
    scopes: Vec<Scope>,
    linked: HashMap<String, Linked>,
    complaints: Vec<Complaints>,
    body: Option<Body>,
    /// Names that only those need who write about the program.
    vocabulary: Vocabulary,
    /// Where the expression stands that is being lowered.
    here: Span,
    /// Whether labels `ERROR` are errors: no file has another.
    error_labels: bool,
    literals: HashMap<Vec<u64>, VariableId>,
    /// What becomes of lengths of arrays that are not constant.
    lengths: declarator::Lengths,
    /// The greatest numbers that locals can hold in which there are lengths of arrays.
    longest: HashMap<VariableId, u128>,
    /// What is volatile.
    volatile: Volatile,
    /// What is known of expressions in which C leaves the order open.
    unordered: Unordered,
    /// Initialisers that later ones override.
    overridden: Overridden,
    /// For each attribute of the file being read where what it belongs to stands, once that is known.
    claimed: Vec<Option<Range<usize>>>,
    /// How the arguments are passed that are being read.
    passing: Passing,
    /// Arguments of the last call that are beyond those that are declared.
    beyond: Vec<ExpressionId>,
    /// Procedures that get where such arguments are.
    variadic: HashSet<ProcedureId>,
    /// Whether it was said that something is computed with the width of a bit-field.
    noted_width: bool,
    unverified: Vec<Trusted>,
    /// Variables for which a smaller alignment is asked than that of their types.
    loose: BTreeSet<VariableId>,
    /// What names are called where files meet.
    symbols: Symbols,
    constructors: Vec<Constructor>,
    /// Variables that start with any value by request of an attribute.
    arbitrary: Vec<VariableId>,
    /// Variables another definition of which wins, and where that is said.
    weak: Vec<names::Weak>,
    /// What declarations say of types beside what is interned.
    spelled: spelled::Spelled,
    /// Variables with which something has to do so far.
    mentioned: HashSet<VariableId>,
    /// What is refused where the entry may reach it.
    deferred: Vec<deferred::Deferred>,
    /// The procedure that inline assembly calls, once there is some that does.
    assembler: Option<ProcedureId>,
    /// Whether it was said who looks at contracts.
    told_contracts: bool,
    /// Whether it was said how floating-point numbers are computed.
    told_evaluation: bool,
    /// Models of the library.
    models: library::Models,
    /// Labels whose addresses are taken.
    taken: jump::Taken,
    /// Procedures inside procedures.
    inner: inner::Inner,
    /// Alignments that variables have and their types have not.
    alignments: HashMap<VariableId, u64>,
    /// Vectors and complex numbers.
    lanes: lanes::Lanes,
    /// Procedures that are others where the program begins with them.
    entries: BTreeSet<ProcedureId>,
}

impl<'a> Lowering<'a> {
    /// A program without files so far.
    pub fn new(options: &'a Options, units: &'a [Ready], files: Vec<Box<str>>) -> Self {
        Lowering {
            options,
            units,
            unit: 0,
            files,
            types: Types::new(options.model),
            terms: Terms::default(),
            variables: Vec::new(),
            procedures: Vec::new(),
            known: Vec::new(),
            initial: Vec::new(),
            unrepresented: Vec::new(),
            external: Vec::new(),
            unknown: Vec::new(),
            declared_only: HashSet::new(),
            declared_by_system: HashSet::new(),
            by_first: HashSet::new(),
            results: HashMap::new(),
            reasons: Vec::new(),
            orders: BTreeMap::new(),
            blocks: 0,
            scopes: Vec::new(),
            linked: HashMap::new(),
            complaints: units.iter().map(|_| Complaints::default()).collect(),
            body: None,
            vocabulary: Vocabulary::default(),
            here: Span::none(),
            error_labels: false,
            literals: HashMap::new(),
            lengths: declarator::Lengths::default(),
            longest: HashMap::new(),
            volatile: Volatile::default(),
            unordered: Unordered::default(),
            overridden: Overridden::default(),
            claimed: Vec::new(),
            passing: Passing::default(),
            beyond: Vec::new(),
            variadic: HashSet::new(),
            noted_width: false,
            unverified: Vec::new(),
            loose: BTreeSet::new(),
            symbols: Symbols::default(),
            constructors: Vec::new(),
            arbitrary: Vec::new(),
            weak: Vec::new(),
            mentioned: HashSet::new(),
            spelled: spelled::Spelled::default(),
            deferred: Vec::new(),
            assembler: None,
            told_contracts: false,
            told_evaluation: false,
            models: library::Models::default(),
            taken: jump::Taken::default(),
            inner: inner::Inner::default(),
            alignments: HashMap::new(),
            lanes: lanes::Lanes::default(),
            entries: BTreeSet::new(),
        }
    }

    /// The same, to be read once more if what was read has expressions of which C leaves the order open, now that it is known where
    /// that matters; none if it matters nowhere, and what was read is the program.
    pub fn again(&self, options: &'a Options, units: &'a [Ready], files: &[Box<str>]) -> Option<Self> {
        if self.complaints.iter().any(Complaints::refused) {
            return None;
        }
        let unordered = Unordered::second(self.conflicts()?);
        Some(Lowering { unordered, ..Lowering::new(options, units, files.to_vec()) })
    }

    /// Lowers all files: the first are the program's own, the others models.
    pub fn program(&mut self, trees: &[ast::TranslationUnit], own: usize) {
        self.find_symbols(&trees[..own]);
        let mut units = self.units[..own].iter();
        self.error_labels = self.options.called.is_none()
            && !units.any(|unit| call::has_errors(&unit.prepared.text, self.symbols.defined()));
        if self.symbols.defined().contains("__cyg_profile_func_enter") {
            let message = "`__cyg_profile_func_enter` is called where compilers say so (-finstrument-functions), which is not supported";
            self.complaints[0].push(Diagnostic::global(message));
        }
        self.note_definitions(&trees[..own]);
        self.declare_models(trees, own);
        for (unit, tree) in trees.iter().enumerate().take(own) {
            self.unit = unit;
            for warning in &self.units[unit].prepared.warnings {
                self.complaints[unit].push(warning.clone());
            }
            self.read_file(tree);
        }
        self.unit = 0;
        self.lower_models(trees);
    }

    fn read_file(&mut self, tree: &ast::TranslationUnit) {
        self.look_up_extensions();
        self.scopes = vec![Scope::default()];
        for node in &tree.0 {
            self.here = node.span;
            // What was complained about is left out; reading goes on.
            let _ = self.external_declaration(&node.node);
        }
        self.refuse_unclaimed();
        self.scopes.clear();
    }

    /// The program, or everything that was complained about, by file.
    ///
    /// # Errors
    /// If there are errors.
    pub fn finish(mut self) -> Result<(Program, Complained), Complained> {
        self.link();
        self.complete_tentative_arrays();
        let main = self.main();
        if main.is_none() {
            self.tell_deferred();
        }
        let whole = self.done()?;
        match main {
            Some(main) => whole.beginning(main),
            None => Err(whole.complained),
        }
    }

    /// All procedures, with any of which a program may begin.
    ///
    /// # Errors
    /// If there are errors.
    pub fn whole(mut self) -> Result<Whole, Complained> {
        self.link();
        self.complete_tentative_arrays();
        self.done()
    }

    /// The same of what is linked.
    fn done(mut self) -> Result<Whole, Complained> {
        let first = self.first_calls();
        let contracts = self.contracts();
        let (units, own) = (self.units, self.own_files());
        let refused = self.complaints.iter().any(Complaints::refused);
        let files = self.files;
        self.vocabulary.close();
        let about = |unit: usize, complaint: Diagnostic| match unit < own {
            true => (unit, units[unit].about(complaint, &files)),
            // Models have no mistakes; if one had, it would be nobody's file.
            false => (0, Diagnostic::global(format!("{}: {}", units[unit].name, complaint.message))),
        };
        let mut complained = Vec::new();
        for (unit, complaints) in self.complaints.into_iter().enumerate() {
            complained.extend(complaints.into_sorted().into_iter().map(|complaint| about(unit, complaint)));
        }
        if refused {
            return Err(complained);
        }
        let deferred = self.deferred.into_iter().map(|one| (one.procedure, about(one.unit, one.complaint))).collect();
        let mut program = Program {
            files,
            types: self.types,
            terms: self.terms,
            constant: self.spelled.constants(&self.variables),
            variables: self.variables,
            procedures: self.procedures,
            initial: self.initial,
            unrepresented: self.unrepresented,
            external: self.external,
            unknown: self.unknown,
            main: ProcedureId(0),
            reasons: self.reasons,
            orders: self.orders,
            unverified: self.unverified,
            loose: self.loose,
            vocabulary: self.vocabulary,
            assumed: Vec::new(),
            effective: false,
            behind: BTreeMap::new(),
            contracts,
        };
        super::results::bound(&mut program);
        float::hide(&mut program);
        super::unseen::leave_out(&mut program);
        Ok(Whole { program, first, deferred, complained, entries: self.entries })
    }

    /// The procedures that the program's own files define, in order.
    ///
    /// # Errors
    /// If there are errors in the files.
    pub fn defined(self) -> Result<Vec<Defined>, Complained> {
        if self.complaints.iter().any(Complaints::refused) {
            let refused = self.finish();
            return refused.map(|_| Vec::new());
        }
        let is_own = |(procedure, known): &(&Procedure, &Known)| {
            let is_model = crate::c::library::is_header(&self.files[procedure.place.file as usize]);
            procedure.body.is_some() && !known.system && !is_model
        };
        let told = |(procedure, _): (&Procedure, &Known)| Defined {
            name: procedure.name.clone(),
            place: (self.files[procedure.place.file as usize].clone(), procedure.place.line),
            internal: procedure.internal,
            calls: procedure.callees().map(|callee| self.procedures[callee.0 as usize].name.clone()).collect(),
        };
        Ok(self.procedures.iter().zip(&self.known).filter(is_own).map(told).collect())
    }

    /// An array that is defined without a length by all of its declarations has one element (§6.9.2 p5).
    fn complete_tentative_arrays(&mut self) {
        use crate::c::types::Type;
        for linked in self.linked.values() {
            if let Linked::Variable(id, true) = linked
                && let Type::Array(element, 0) = *self.types.get(self.variables[id.0 as usize].ty)
            {
                self.variables[id.0 as usize].ty = self.types.intern(Type::Array(element, 1));
            }
        }
    }

    /// Where the program begins.
    fn main(&mut self) -> Option<ProcedureId> {
        let name = self.options.main.as_deref().unwrap_or("main");
        let found = self.procedures.iter().position(|procedure| &*procedure.name == name && procedure.body.is_some());
        if found.is_none() && !self.complaints.iter().any(Complaints::refused) {
            let complaint = Diagnostic::global(format!("no procedure `{name}` is defined"));
            let complaint = complaint.with_help(self.other_entries());
            self.complaints[0].push(complaint);
        }
        found.map(|at| ProcedureId(u32::try_from(at).expect("fewer procedures than bytes of source")))
    }

    /// Where else the program might begin.
    fn other_entries(&self) -> String {
        /// So many are named.
        const NAMED: usize = 8;
        let is_own = |procedure: &&Procedure| crate::c::library::modelled(&procedure.name).is_none();
        let bodies = || self.procedures.iter().filter(is_own).filter(|procedure| procedure.body.is_some());
        let mut names: Vec<String> = bodies().take(NAMED).map(|procedure| format!("`{}`", procedure.name)).collect();
        if bodies().count() > NAMED {
            names.push("…".to_owned());
        }
        match names.is_empty() {
            true => "no procedure has a body, so that there is nothing to begin with".to_owned(),
            false => format!("`--entry PROC` begins with another: {}", names.join(", ")),
        }
    }

    /// Complains at a place of the file being read.
    fn error(&mut self, message: impl Into<String>, span: Span) -> Refused {
        self.complain(Diagnostic::error(message, span.start..span.end))
    }

    fn complain(&mut self, complaint: Diagnostic) -> Refused {
        self.complaints[self.unit].push(complaint);
        Refused
    }

    fn warning(&mut self, message: impl Into<String>, span: Span) {
        if !self.complaints[self.unit].warnings_are_full() {
            self.complaints[self.unit].push(Diagnostic::warning(message, span.start..span.end));
        }
    }

    /// The place of a node in the user's file.
    fn place(&self, span: Span) -> Place {
        self.units[self.unit].place(span.start)
    }

    /// The name as the user wrote it.
    fn spelled<'n>(&'n self, name: &'n str) -> &'n str {
        self.units[self.unit].prepared.dollars.get(name).map_or(name, String::as_str)
    }

    fn variable(&mut self, variable: Variable) -> VariableId {
        self.variables.push(variable);
        VariableId(u32::try_from(self.variables.len() - 1).expect("fewer variables than bytes of source"))
    }

    fn reason(&mut self, what: &str) -> Lowered<ReasonId> {
        Ok(self.reason_at(what, self.place(self.here)))
    }

    fn reason_at(&mut self, what: &str, place: Place) -> ReasonId {
        if let Some(at) = self.reasons.iter().position(|reason| reason.place == place && &*reason.what == what) {
            return ReasonId(u32::try_from(at).expect("fewer reasons than bytes of source"));
        }
        self.reasons.push(Reason { what: what.into(), place });
        ReasonId(u32::try_from(self.reasons.len() - 1).expect("fewer reasons than bytes of source"))
    }

    fn external_declaration(&mut self, declaration: &ast::ExternalDeclaration) -> Lowered<()> {
        match declaration {
            ast::ExternalDeclaration::Declaration(node) => self.declaration(node),
            ast::ExternalDeclaration::StaticAssert(node) => self.static_assert(node),
            ast::ExternalDeclaration::FunctionDefinition(node) => {
                match self.units[self.unit].is_system(node.span.start) {
                    true => self.definition_in_header(node),
                    false => self.definition(node),
                }
            }
        }
    }

    fn static_assert(&mut self, node: &Node<ast::StaticAssert>) -> Lowered<()> {
        if self.integer_constant(&node.node.expression)? == 0 {
            return Err(self.error("this static assertion fails", node.span));
        }
        Ok(())
    }

    /// The value of an integer constant expression (C11 §6.6).
    pub fn integer_constant(&mut self, node: &Node<ast::Expression>) -> Lowered<i128> {
        let (body, before) = (self.body.take(), self.initial.len());
        let value = self.value(node);
        self.body = body;
        // Texts have their characters from the beginning; what else is assigned is no part of a constant.
        let assigned = self.initial.split_off(before);
        let all = assigned.len();
        let is_text = |l: LvalueId| {
            self.terms
                .variable_of(l)
                .is_some_and(|id| self.variables[id.0 as usize].storage == crate::c::program::Storage::Constant)
        };
        let texts: Vec<_> = assigned.into_iter().filter(|(to, _)| is_text(*to)).collect();
        let is_constant = texts.len() == all;
        self.initial.extend(texts);
        let number = match value? {
            _ if !is_constant => None,
            Value::Scalar(e) => self.number(e),
            _ => None,
        };
        number.ok_or_else(|| self.error("this is not an integer constant", node.span))
    }
}

/// What was complained about, by file.
pub type Complained = Vec<(usize, Diagnostic)>;

/// The name in a declarator, if there is one.
fn declared_name(mut declarator: &ast::Declarator) -> Option<String> {
    loop {
        match &declarator.kind.node {
            ast::DeclaratorKind::Abstract => return None,
            ast::DeclaratorKind::Identifier(name) => return Some(name.node.name.clone()),
            ast::DeclaratorKind::Declarator(inner) => declarator = &inner.node,
        }
    }
}
