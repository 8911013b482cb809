//! From the tree to the model: symbols found, frames made of `local` blocks, each rule with its implicit frame.

use rustc_hash::{FxHashMap, FxHashSet};
use spds_format::Diagnostic;
use spds_format::expr::{Expr, Time};
use spds_format::model::{
    ControlId, Frame, FrameId, Head, Name, Rule, Spds, Stack, Start, Symbol, SymbolId, Updates, Var, Variable,
};

use spds_format::reading::tokens::Span;

use super::lexer::Tokens;
use super::relation::{self, Parts};
use super::resolve::{self, NameScope, Variables};
use super::tree::{self, Declared, Expression, Tree};
use crate::boolprog::cursor::Cursor;
use spds_format::reading::complaints::Complaints;

/// So many variables a warning names.
const NAMED: usize = 8;

/// The model of a tree. `None` after errors.
pub(super) fn lower(tree: &Tree, tokens: &Tokens<'_>, file: &str, complaints: &mut Complaints) -> Option<Spds> {
    let mut names = Names::default();
    let spds = declarations(tree, tokens, file, &mut names, complaints)?;
    let variables = Variables::new(&spds);
    let start = start(tree, tokens, &spds, &names, &variables, complaints);
    let labels = atoms(tree, tokens, &names, complaints);
    let mut rules = Vec::with_capacity(tree.rules.len());
    let mut shared = Shared::default();
    for rule in &tree.rules {
        let lowered = lower_rule(rule, tokens, &spds, &names, &variables, complaints);
        rules.extend(lowered.map(|rule| shared.rule(rule)));
    }
    drop(variables);
    let mut spds = Spds { rules, ..spds };
    for (symbol, label) in labels {
        let labels = &mut spds.symbols[symbol.0 as usize].labels;
        if !labels.contains(&label) {
            *labels = labels.iter().cloned().chain([label]).collect();
        }
    }
    spds.start = start?;
    (!complaints.refused()).then_some(spds)
}

/// Expressions and lists of updates that rules have in common, once.
#[derive(Default)]
struct Shared {
    expressions: FxHashSet<Expr>,
    updates: FxHashSet<Updates>,
}

impl Shared {
    fn expression(&mut self, expression: Expr) -> Expr {
        if let Some(known) = self.expressions.get(expression.ops()) {
            return known.clone();
        }
        self.expressions.insert(expression.clone());
        expression
    }

    fn rule(&mut self, mut rule: Rule) -> Rule {
        rule.guard = rule.guard.map(|guard| self.expression(guard));
        rule.with = rule.with.map(|with| self.expression(with));
        rule.updates = match self.updates.get(&*rule.updates) {
            Some(known) => known.clone(),
            None => {
                let mut updates = rule.updates.to_vec();
                for update in &mut updates {
                    update.index = update.index.take().map(|index| self.expression(index));
                    update.value = self.expression(update.value.clone());
                }
                let updates = Updates::from(updates);
                self.updates.insert(updates.clone());
                updates
            }
        };
        rule
    }
}

/// What the names of control locations and stack symbols stand for.
#[derive(Default)]
struct Names<'t> {
    controls: FxHashMap<&'t str, ControlId>,
    symbols: FxHashMap<&'t str, SymbolId>,
}

impl<'t> Names<'t> {
    /// Makes the control location of that name, if there is none yet.
    fn control(&mut self, text: &'t str, spds: &mut Spds) {
        self.controls.entry(text).or_insert_with(|| {
            spds.controls.push(text.into());
            ControlId(spds.controls.len() as u32 - 1)
        });
    }

    /// The stack symbol of that name; a new one, if there is none yet.
    fn symbol(&mut self, text: &'t str, spds: &mut Spds) -> SymbolId {
        *self.symbols.entry(text).or_insert_with(|| {
            let name = Name::from(text);
            spds.symbols.push(Symbol { name, frame: None, place: None, labels: Box::default(), invariant: None });
            SymbolId(spds.symbols.len() as u32 - 1)
        })
    }
}

/// Everything but the start, the rules and the labels.
fn declarations<'t>(
    tree: &Tree,
    tokens: &Tokens<'t>,
    file: &str,
    names: &mut Names<'t>,
    complaints: &mut Complaints,
) -> Option<Spds> {
    let mut spds = Spds {
        files: vec![file.into()],
        globals: variables(&tree.globals, tokens, "global", complaints),
        frames: Vec::new(),
        controls: Vec::new(),
        symbols: Vec::new(),
        rules: Vec::new(),
        start: Start { control: ControlId(0), stack: Box::new([]), condition: None },
        atoms: Vec::new(),
        end: None,
        fail: None,
    };
    let start = tree.starts.iter().take(1);
    let controls = start.clone().map(|start| start.control);
    for span in controls.chain(tree.rules.iter().flat_map(|rule| [rule.from.0, rule.to])) {
        names.control(tokens.text_of(span), &mut spds);
    }
    for start in start {
        names.symbol(tokens.text_of(start.symbol), &mut spds);
    }
    let mut cursor = Cursor::new(tokens.text);
    for rule in &tree.rules {
        let from = names.symbol(tokens.text_of(rule.from.1), &mut spds);
        let place = &mut spds.symbols[from.0 as usize].place;
        if place.is_none() {
            *place = Some(cursor.place(rule.span.start));
        }
        for span in &rule.stack {
            names.symbol(tokens.text_of(*span), &mut spds);
        }
    }
    blocks(tree, tokens, &mut spds, names, complaints)?;
    for atoms in &tree.atoms {
        names.symbol(tokens.text_of(atoms.first), &mut spds);
    }
    Some(spds)
}

/// The frames: one for each `local` block, and whose they are.
fn blocks<'t>(
    tree: &Tree,
    tokens: &Tokens<'t>,
    spds: &mut Spds,
    names: &mut Names<'t>,
    complaints: &mut Complaints,
) -> Option<()> {
    let mut owners: FxHashMap<SymbolId, Span> = FxHashMap::default();
    let mut blocks: FxHashMap<Name, Span> = FxHashMap::default();
    for block in &tree.blocks {
        let frame = FrameId(spds.frames.len() as u32);
        let variables = variables(&block.variables, tokens, "local", complaints);
        for span in &block.symbols {
            let id = names.symbol(tokens.text_of(*span), spds);
            spds.symbols[id.0 as usize].frame = Some(frame);
            if let Some(first) = owners.insert(id, *span) {
                let message = format!("the stack symbol `{}` has its variables already", tokens.text_of(*span));
                let complaint = Diagnostic::error(message, span.range()).with_related(first.range(), "first here");
                complaints.push(complaint);
            }
        }
        // A block without a name is known by its first symbol.
        let span = block.name.or(block.symbols.first().copied())?;
        let name = Name::from(tokens.text_of(span));
        if let Some(first) = blocks.insert(name.clone(), span) {
            let message = format!("there are two blocks with the name `{name}`");
            let complaint = Diagnostic::error(message, span.range()).with_related(first.range(), "the first one");
            complaints.push(complaint);
        }
        spds.frames.push(Frame { name, variables: variables.into() });
    }
    Some(())
}

fn variables(declared: &[Declared], tokens: &Tokens<'_>, what: &str, complaints: &mut Complaints) -> Vec<Variable> {
    let mut seen: FxHashMap<&str, Span> = FxHashMap::default();
    let mut all = Vec::with_capacity(declared.len());
    for Declared { name, ty } in declared {
        let text = tokens.text_of(*name);
        if let Some(first) = seen.insert(text, *name) {
            let complaint = Diagnostic::error(format!("the {what} `{text}` is declared twice"), name.range());
            complaints.push(complaint.with_related(first.range(), "first declared here"));
        }
        all.push(Variable { name: text.into(), ty: *ty, hidden: false });
    }
    all
}

fn start(
    tree: &Tree,
    tokens: &Tokens<'_>,
    spds: &Spds,
    names: &Names<'_>,
    variables: &Variables<'_>,
    complaints: &mut Complaints,
) -> Option<Start> {
    let Some(first) = tree.starts.first() else {
        let complaint = Diagnostic::global("nothing says where runs start");
        complaints.push(
            complaint.with_help("before the rules, `(q <m0>)` says: in control location q, with m0 on the stack"),
        );
        return None;
    };
    for other in &tree.starts[1..] {
        let complaint = Diagnostic::error("there is more than one start", other.span.range());
        complaints.push(complaint.with_related(first.span.range(), "the first one"));
    }
    let control = *names.controls.get(tokens.text_of(first.control))?;
    let symbol = *names.symbols.get(tokens.text_of(first.symbol))?;
    let mut condition: Option<Expr> = None;
    for (expression, frame) in [(&first.globals, None), (&first.locals, spds.symbol(symbol).frame)] {
        let Some(expression) = expression else { continue };
        let ops = resolve::condition(expression, tokens, &mut NameScope::Before(frame), variables, complaints)?;
        let next = Expr::from_postorder(ops).expect("a resolved condition is one expression");
        condition = Some(condition.map_or_else(|| next.clone(), |before| before.and(&next)));
    }
    Some(Start { control, stack: Box::new([symbol]), condition })
}

/// Which symbols have which labels: `atoms a b, c` says that the propositions b and c hold at the stack symbol a, as in Moped.
/// A proposition with the name of a stack symbol holds at that symbol as well.
fn atoms(tree: &Tree, tokens: &Tokens<'_>, names: &Names<'_>, complaints: &mut Complaints) -> Vec<(SymbolId, Name)> {
    let mut labels = Vec::new();
    let symbol = |span: &Span| names.symbols.get(tokens.text_of(*span)).copied();
    let ruled: FxHashSet<&str> = tree.stack_symbols().map(|span| tokens.text_of(span)).collect();
    for tree::Atoms { first, others } in &tree.atoms {
        let Some(of) = symbol(first) else { continue };
        for other in others {
            let name = Name::from(tokens.text_of(*other));
            labels.extend(symbol(other).map(|same| (same, name.clone())));
            labels.push((of, name));
        }
        let of = tokens.text_of(*first);
        if let Some(turned) = others.iter().map(|other| tokens.text_of(*other)).find(|other| ruled.contains(other))
            && !ruled.contains(of)
        {
            let message = format!("no rule has the stack symbol `{of}`, of which this says what holds at it");
            let span = first.to(*others.last().unwrap_or(first)).range();
            let help = format!("the first name is the symbol, the others are propositions: `atoms {turned} {of}`");
            complaints.push(Diagnostic::warning(message, span).with_help(help));
        }
    }
    labels
}

fn lower_rule(
    rule: &tree::Rule,
    tokens: &Tokens<'_>,
    spds: &Spds,
    names: &Names<'_>,
    variables: &Variables<'_>,
    complaints: &mut Complaints,
) -> Option<Rule> {
    let control = |span: Span| names.controls.get(tokens.text_of(span)).copied();
    let symbol = |span: Span| names.symbols.get(tokens.text_of(span)).copied();
    let from = Head { control: control(rule.from.0)?, symbol: symbol(rule.from.1)? };
    let (stack, top, below) = match rule.stack[..] {
        [] => (Stack::Pop, None, None),
        [top] => (Stack::Swap(symbol(top)?), symbol(top), None),
        [top, below, ..] => (Stack::Push(symbol(top)?, symbol(below)?), symbol(top), symbol(below)),
    };
    let frame = |id: Option<SymbolId>| id.and_then(|id| spds.symbol(id).frame);
    let locals = |id: Option<SymbolId>| id.map_or(&[][..], |id| spds.locals(id));
    let step = relation::Step {
        globals: &spds.globals,
        top: (locals(top), frame(top)),
        below: (locals(below), frame(below)),
        from: spds.symbol(from.symbol).frame,
        call: below.is_some(),
    };
    let parts = match &rule.relation {
        Some(expression) => {
            let mut place =
                NameScope::Rule { from: step.from, top: frame(top), below: frame(below), length: rule.stack.len() };
            let ops = resolve::condition(expression, tokens, &mut place, variables, complaints)?;
            relation::parts(&ops, step)
        }
        None => relation::parts(&[], step),
    };
    remark(rule, &parts, &step, complaints);
    Some(Rule {
        from,
        to: control(rule.to)?,
        stack,
        guard: parts.guard,
        updates: parts.updates.into(),
        with: parts.with,
        silent: false,
        label: rule.label.map(|span| {
            let text = tokens.text_of(span);
            Box::new(Name::from(&text[1..text.len() - 1]))
        }),
    })
}

/// Warns about what a rule makes arbitrary without a word.
fn remark(rule: &tree::Rule, parts: &Parts, step: &relation::Step<'_>, complaints: &mut Complaints) {
    let written = |&(var, time): &(Var, Time)| {
        let variables = match (var, time) {
            (Var::Global(_), _) => step.globals,
            (Var::Local(_), Time::Saved) => step.below.0,
            (Var::Local(_), _) => step.top.0,
        };
        let (Var::Global(index) | Var::Local(index)) = var;
        let variable = &variables[index as usize];
        (variable, if time == Time::Saved { "''" } else { "'" })
    };
    let span = rule.relation.as_ref().map_or(rule.span, |relation: &Expression| relation.span).range();
    let list = |forgotten: &[(Var, Time)]| {
        let mut names: Vec<String> = forgotten
            .iter()
            .take(NAMED)
            .map(written)
            .map(|(variable, primes)| format!("`{}{primes}`", variable.name))
            .collect();
        if forgotten.len() > NAMED {
            names.push(format!("{} more", forgotten.len() - NAMED));
        }
        match names.split_last() {
            Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
            _ => names.concat(),
        }
    };
    if let [first, ..] = parts.forgotten[..] {
        let (variable, primes) = written(&first);
        let name = &variable.name;
        let boolean = variable.ty.scalar == spds_format::model::Scalar::Bool;
        let (equal, cell, quantifier) = match (boolean, variable.ty.range) {
            (true, None) => ("==", "", String::new()),
            (false, None) => ("=", "", String::new()),
            (boolean, Some((low, high))) => (if boolean { "==" } else { "=" }, "[i]", format!("A i ({low},{high}) ")),
        };
        let is = if parts.forgotten.len() == 1 { "is" } else { "are" };
        let message = format!("this rule says nothing about {}, which {is} arbitrary after it", list(&parts.forgotten));
        let help = format!(
            "`({quantifier}{name}{primes}{cell}{equal}{name}{cell})` keeps the value, \
             `({quantifier}{name}{primes}{cell}{equal}{name}{primes}{cell})` says that any will do"
        );
        complaints.push(Diagnostic::warning(message, span.clone()).with_help(help));
    }
    if !parts.half_forgotten.is_empty() {
        let message = format!(
            "this rule speaks of some cells of {} only: the others are arbitrary after it",
            list(&parts.half_forgotten)
        );
        complaints.push(Diagnostic::warning(message, span));
    }
}
