//! What labels and modules stand for, and all that can be wrong with them, when the whole text has been read.

use std::ops::Range;

use rustc_hash::FxHashMap;
use spds_format::Diagnostic;
use spds_format::model::{Name, Var};

use spds_format::reading::near::did_you_mean;

use super::Dialect;
use super::ast::*;
use super::flow::{Flow, Next};
use super::parser::Parser;
use super::shapes;

/// What resolution finds out beside the names.
#[derive(Clone, Debug, Default)]
pub struct Resolved {
    /// The control flow.
    pub flow: Flow,
    /// For each statement that is a rule, whether it has a symbol of its own: one that is named by it first, or by its
    /// label, or as its module is.
    pub defines_symbol: Vec<bool>,
}

/// Names of points of control, with the places where they are declared.
type Points = FxHashMap<Name, (Point, u32)>;

struct Resolver<'p, 't> {
    parser: &'p mut Parser<'t>,
    points: Points,
    resolved: Resolved,
}

/// Resolves labels, modules and symbols of the tree in place; reads the conditions of rules. `None` if there are errors
/// among the complaints.
pub(super) fn resolve(parser: &mut Parser<'_>, entry: Option<&str>) -> Option<Resolved> {
    let flow = Flow::new(&parser.ast, parser.dialect);
    let resolved = Resolved { flow, defines_symbol: vec![false; parser.ast.statements.len()] };
    let mut resolver = Resolver { parser, points: Points::default(), resolved };
    resolver.points();
    resolver.hidden_globals();
    resolver.rules();
    resolver.init(entry);
    for index in 0..resolver.parser.ast.statements.len() {
        resolver.statement(StmtId::new(index));
    }
    resolver.ends();
    let Resolver { parser, resolved, .. } = resolver;
    let owner = &resolved.flow.owner;
    parser.conditions(|ast, point| module_of(ast, owner, point));
    parser.compare_forwards();
    (!parser.complaints.refused()).then_some(resolved)
}

/// The module that a point belongs to.
pub(super) fn module_of(ast: &Ast, owner: &[Option<u32>], point: Point) -> Option<u32> {
    debug_assert_eq!(owner.len(), ast.statements.len());
    match point {
        Point::Statement(id) => owner[id.index()],
        Point::Module(module) => Some(module),
        Point::Symbol(_) => None,
    }
}

fn word(at: u32, length: usize) -> Range<usize> {
    at as usize..at as usize + length
}

impl Resolver<'_, '_> {
    fn ast(&mut self) -> &mut Ast {
        &mut self.parser.ast
    }

    fn complain(&mut self, complaint: Diagnostic) {
        self.parser.complaints.push(complaint);
    }

    /// Modules and labels share their names, all over the program.
    fn points(&mut self) {
        let ast = &self.parser.ast;
        let modules = (0..).zip(&ast.modules).map(|(index, m)| (&m.name, m.at, Point::Module(index), "module"));
        let labels = ast.labels.iter().map(|label| (&label.name, label.at, Point::Statement(label.target), "label"));
        let mut named: Vec<_> = modules.chain(labels).collect();
        named.sort_by_key(|(_, at, ..)| *at);
        let mut twice = Vec::new();
        for (name, at, point, what) in named {
            let (_, first) = *self.points.entry(name.clone()).or_insert((point, at));
            if first != at {
                let complaint = Diagnostic::error(
                    format!("the {what} `{name}` is not the first of that name"),
                    word(at, name.len()),
                )
                .with_related(word(first, name.len()), "this is")
                .with_help("labels and modules share their names, all over the program");
                twice.push(complaint);
            }
        }
        twice.into_iter().for_each(|complaint| self.complain(complaint));
    }

    fn hidden_globals(&mut self) {
        let ast = &self.parser.ast;
        let declarations = &ast.declarations;
        let mut found = Vec::new();
        for (name, _, scope) in &declarations.modules {
            for (local, entry) in scope {
                let Some(hidden) = declarations.global_names.get(local) else { continue };
                let message = format!("the local `{local}` hides the global `{local}` in `{name}`");
                let complaint = Diagnostic::warning(message, word(entry.at, local.len()))
                    .with_related(word(hidden.at, local.len()), "the global")
                    .with_help(format!("in formulas and traces the global is `::{local}`"));
                found.push((entry.at, complaint));
            }
        }
        found.sort_by_key(|(at, _)| *at);
        found.into_iter().for_each(|(_, complaint)| self.complain(complaint));
    }

    /// Symbols of rules: labels, modules, or what they name themselves.
    fn rules(&mut self) {
        for label in &self.parser.ast.labels {
            self.resolved.defines_symbol[label.target.index()] = true;
        }
        for index in 0..self.parser.ast.statements.len() {
            let id = StmtId::new(index);
            let StmtKind::Raw(raw) = self.parser.ast.statement(id).kind else { continue };
            let Some((name, at)) = self.parser.ast.raws[raw as usize].symbols[0] else { continue };
            let name = self.parser.ast.names[name as usize].clone();
            let owner = self.resolved.flow.owner[index];
            let begins = owner.is_some_and(|module| {
                let module = &self.parser.ast.modules[module as usize];
                module.body == Some(id) && module.name == name
            });
            let new = !self.points.contains_key(&name);
            if new {
                self.points.insert(name, (Point::Statement(id), at));
            }
            self.resolved.defines_symbol[index] |= new || begins;
        }
        for raw in 0..self.parser.ast.raws.len() {
            for place in 0..3 {
                let Some((name, at)) = self.parser.ast.raws[raw].symbols[place] else { continue };
                let name = self.parser.ast.names[name as usize].clone();
                let point = self.symbol(name, at);
                self.ast().raws[raw].points[place] = Some(point);
            }
        }
    }

    /// The point of that name, made if there is none.
    fn symbol(&mut self, name: Name, at: u32) -> Point {
        let ast = &mut self.parser.ast;
        let (point, _) = *self.points.entry(name.clone()).or_insert_with(|| {
            ast.extra_symbols.push((name, at));
            (Point::Symbol(ast.extra_symbols.len() as u32 - 1), at)
        });
        point
    }

    fn init(&mut self, entry: Option<&str>) {
        if let Some(entry) = entry {
            self.ast().init = vec![Init { name: entry.into(), at: None, point: Point::Module(0) }];
        } else if self.parser.ast.init.is_empty() {
            self.ast().init.push(Init { name: "main".into(), at: None, point: Point::Module(0) });
        }
        for index in 0..self.parser.ast.init.len() {
            let Init { name, at, .. } = self.parser.ast.init[index].clone();
            if let Some((point, _)) = self.points.get(&name) {
                let point = *point;
                self.ast().init[index].point = point;
                continue;
            }
            let names: Vec<Name> = self.parser.ast.modules.iter().map(|module| module.name.clone()).collect();
            let question = did_you_mean(&name, names.iter().map(|name| &**name));
            let mut complaint = match at {
                Some(at) => Diagnostic::error(format!("there is no module `{name}`"), word(at, name.len())),
                None if names.is_empty() => Diagnostic::global("there is no module in this file"),
                None => Diagnostic::global(format!("there is no module `{name}` to begin with")),
            };
            complaint.help = if question.is_some() {
                question
            } else if at.is_some() {
                None
            } else if names.is_empty() {
                Some("a program has modules: `module void main() { … }`".to_owned())
            } else if entry.is_none() {
                Some("say where to begin: `init m;` before the first module, or `--entry m`".to_owned())
            } else {
                None
            };
            self.complain(complaint);
        }
    }

    /// The point of that name, or a complaint.
    fn point(&mut self, name: u32, at: u32, what: &str) -> Option<Point> {
        let name = self.parser.ast.names[name as usize].clone();
        if let Some((point, _)) = self.points.get(&name)
            && (what == "label" || matches!(point, Point::Module(_)))
        {
            return Some(*point);
        }
        let mut complaint = Diagnostic::error(format!("there is no {what} `{name}`"), word(at, name.len()));
        let wanted = |point: &Point| what == "label" || matches!(point, Point::Module(_));
        let names = self.points.iter().filter(|(_, (point, _))| wanted(point)).map(|(name, _)| &**name);
        complaint.help = self.parser.complaints.guess(&name, names);
        self.complain(complaint);
        None
    }

    fn statement(&mut self, id: StmtId) {
        let Stmt { kind, at, .. } = *self.parser.ast.statement(id);
        let dialect = self.parser.dialect;
        match kind {
            StmtKind::Call(call) => {
                self.call(id, call as usize);
                let extra = self.parser.ast.calls[call as usize].extra;
                self.quantified(id, extra);
            }
            StmtKind::Goto(jump) => self.jump(id, jump as usize),
            StmtKind::Assign(assigns) => self.quantified(id, assigns),
            StmtKind::Break => match self.resolved.flow.left_by_break[id.index()] {
                None => {
                    let complaint = Diagnostic::error("there is no `do` to leave here", word(at, "break".len()));
                    self.complain(complaint);
                }
                Some(block) if self.parser.ast.statement(id).parent != Some(block) => {
                    let block = self.parser.ast.statement(block).at;
                    let complaint = Diagnostic::warning(
                        "this leaves the `do`; Moped 2 leaves the `if` in which it stands, and no more",
                        word(at, "break".len()),
                    )
                    .with_related(word(block, 2), "the `do`")
                    .with_help("say what is meant with `goto`, or choose with `--remopla`");
                    self.complain(complaint);
                }
                Some(_) => {}
            },
            StmtKind::Do(clauses) if dialect == Dialect::Auto => {
                let [Clause { guard: Some(guard), .. }] = self.parser.ast.clauses[clauses.range()] else { return };
                if self.parser.ast.root(guard).op != Op::Bool(true) {
                    let complaint = Diagnostic::warning(
                        "where its condition is false this `do` blocks, as in Moped 2; QLeak leaves it",
                        word(at, 2),
                    )
                    .with_help("add `:: else -> break;` to leave it, or choose with `--remopla`");
                    self.complain(complaint);
                }
            }
            _ => {}
        }
        if self.resolved.flow.owner[id.index()].is_none()
            && let Some(next @ (Next::Module(_) | Next::Nowhere)) =
                self.resolved.flow.left(&self.parser.ast, id, dialect)
        {
            let message = match next {
                Next::Module(module) => {
                    let name = &self.parser.ast.modules[module as usize].name;
                    format!("control goes on at the module `{name}`, which follows in the text")
                }
                _ => "nothing follows: here the run is blocked".to_owned(),
            };
            let help = "a run stays there for ever with `L: goto L;`";
            self.complain(Diagnostic::warning(message, word(at, 1)).with_help(help));
        }
    }

    fn call(&mut self, id: StmtId, index: usize) {
        let Call { name, at, arguments, result, .. } = self.parser.ast.calls[index];
        let Some(Point::Module(module)) = self.point(name, at, "module") else { return };
        let ast = &mut self.parser.ast;
        ast.calls[index].module = module;
        let caller = self.resolved.flow.owner[id.index()];
        let callee = &ast.modules[module as usize];
        let span = word(at, callee.name.len());
        let declared = word(callee.at, callee.name.len());
        let mut complaints = Vec::new();
        if arguments.len() != callee.parameters.len() {
            let takes = match callee.parameters.len() {
                1 => "1 argument".to_owned(),
                count => format!("{count} arguments"),
            };
            let message = format!("`{}` takes {takes}, but is given {}", callee.name, arguments.len());
            complaints.push(Diagnostic::error(message, span.clone()).with_related(declared.clone(), "declared here"));
        }
        let locals = ast.declarations.locals(module as usize);
        for (parameter, argument) in callee.parameters.iter().zip(&ast.values[arguments.range()]) {
            let Value::Of(value) = *argument else { continue };
            let wanted = &locals[parameter.first as usize..(parameter.first + parameter.leaves) as usize];
            let given = shapes::given(ast, caller, value, shapes::type_of(ast, caller, value));
            if let Err(why) = shapes::fit(wanted, &given) {
                let name = wanted.first().map_or("", |leaf| leaf.name.split('.').next().unwrap_or(""));
                let message = format!("this is no value for the parameter `{name}` of `{}`", callee.name);
                let complaint = Diagnostic::error(message, ast.root(value).span()).with_label(why);
                complaints.push(complaint.with_related(declared.clone(), "declared here"));
            }
        }
        if let Some(target) = result {
            let fits = shapes::fit(&shapes::leaves(ast, caller, target), &callee.results);
            if callee.results.is_empty() {
                let message = format!("`{}` returns no value", callee.name);
                complaints.push(Diagnostic::error(message, span).with_related(declared, "declared here"));
            } else if let Err(why) = fits {
                let message = format!("the result of `{}` cannot be stored in this", callee.name);
                let complaint = Diagnostic::error(message, ast.root(target).span()).with_label(why);
                complaints.push(complaint.with_related(declared, "declared here"));
            }
        }
        complaints.into_iter().for_each(|complaint| self.complain(complaint));
    }

    fn jump(&mut self, id: StmtId, index: usize) {
        let Jump { name, at, extra, .. } = self.parser.ast.jumps[index];
        self.quantified(id, extra);
        let Some(point) = self.point(name, at, "label") else { return };
        let ast = &mut self.parser.ast;
        ast.jumps[index].to = point;
        let here = self.resolved.flow.owner[id.index()];
        let there = module_of(ast, &self.resolved.flow.owner, point);
        if here == there {
            return;
        }
        for index in extra.range() {
            let target = ast.assigns[index].target;
            let local = match ast.root(target).op {
                Op::Read(Var::Local(_), _) | Op::Cell(Var::Local(_), ..) => true,
                Op::Whole(whole) => matches!(ast.wholes[whole as usize].first, Var::Local(_)),
                _ => false,
            };
            if local {
                let complaint =
                    Diagnostic::error("this variable does not exist where the jump leads", ast.root(target).span())
                        .with_help("a jump to another module can assign globals");
                self.parser.complaints.push(complaint);
            }
        }
    }

    /// Warns where the older tools leave the rest of an array arbitrary.
    fn quantified(&mut self, id: StmtId, assigns: Piece) {
        if self.parser.dialect != Dialect::Auto {
            return;
        }
        let module = self.resolved.flow.owner[id.index()];
        for index in assigns.range() {
            let ast = &self.parser.ast;
            let Assign { quantifiers, target, .. } = ast.assigns[index];
            let Op::Cell(var, ..) = ast.root(target).op else { continue };
            let list = &ast.prefixes[quantifiers.range()];
            let reaches = |quantifier: &u32| ast.quantifiers[*quantifier as usize];
            let met: u64 = list.iter().map(|q| reaches(q).count()).fold(1, u64::saturating_mul);
            let some = list.iter().any(|q| reaches(q).which == Which::Some);
            let leaf = ast.declarations.leaf(var, module);
            let uses = ast.nodes(target).iter().any(|node| matches!(node.op, Op::Bound(_)));
            if uses && (some || met < leaf.dims.cells()) {
                let complaint = Diagnostic::warning(
                    format!("the other cells of `{}` keep their values; in Moped 2 they become arbitrary", leaf.name),
                    ast.root(target).span(),
                )
                .with_help("choose with `--remopla`");
                self.complain(complaint);
            }
        }
    }

    /// A module that returns a value must not come to its end.
    fn ends(&mut self) {
        for index in 0..self.parser.ast.modules.len() {
            let module = &self.parser.ast.modules[index];
            if self.resolved.flow.has_end[index] && !module.results.is_empty() {
                let message = format!("control can come to the end of `{}`, which returns a value", module.name);
                let complaint = Diagnostic::error(message, word(module.end, 1))
                    .with_related(word(module.at, module.name.len()), "the module")
                    .with_help("end it with `return e;`");
                self.complain(complaint);
            }
        }
    }
}
