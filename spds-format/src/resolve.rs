//! Makes a model of the statements of a text.

use std::collections::HashMap;

use crate::diagnostic::Diagnostic;
use crate::expr::Expr;
use crate::expression::{Qualifier, RawOp};
use crate::lexis::Word;
use crate::model::{
    Atom, ControlId, Frame, FrameId, Head, Name, Place, Rule, Spds, Stack, Start, Symbol, SymbolId, Update, Variable,
};
use crate::names::{Names, Report, Variables, resolve_expression};
use crate::scope::Scope;
use crate::statement::{self, Text};

/// A model as far as its names could be resolved, and which statements are in it.
pub(crate) struct Resolved {
    pub(crate) spds: Spds,
    /// For each rule of the model its index in the text.
    pub(crate) rules: Vec<usize>,
    /// The same for atoms.
    pub(crate) atoms: Vec<usize>,
    /// Whether the start is that of the text.
    pub(crate) has_start: bool,
}

/// Resolves all names. `broken` are the keywords of statements that could not be read.
pub(crate) fn resolve(text: &Text<'_>, broken: &[&str], report: &mut Report) -> Resolved {
    let mut resolver = Resolver {
        files: Names::new("source file", "file", text.files.iter().map(|w| &*w.text), broken),
        frames: Names::new("frame", "frame", text.frames.iter().map(|f| &*f.name.text), broken),
        controls: Names::new("control location", "control", text.controls.iter().map(|w| &*w.text), broken),
        symbols: Names::new("stack symbol", "symbol", text.symbols.iter().map(|s| &*s.name.text), broken),
        variables: Variables::of_text(text, broken),
        symbol_frames: Vec::new(),
        shared: HashMap::new(),
        report,
    };
    let resolved = resolver.model(text);
    if text.starts.is_empty() && !broken.contains(&"start") {
        let missing = Diagnostic::global("there is no `start`");
        report.add(missing.with_help("say where runs begin, for example `start <p, main/0 @end>;`"));
    }
    once("start", text.starts.iter().map(|start| start.span), report);
    once("end", text.ends.iter().map(|word| word.span), report);
    once("fail", text.fails.iter().map(|word| word.span), report);
    resolved
}

/// Complains about all of them but the first.
fn once(what: &str, mut spans: impl Iterator<Item = crate::lexis::Span>, report: &mut Report) {
    let Some(first) = spans.next() else { return };
    for again in spans {
        let first = first.range(report.total);
        let diagnostic = Diagnostic::error(format!("a text has only one `{what}`"), again.range(report.total));
        report.add(diagnostic.with_related(first, "the first one is here"));
    }
}

struct Resolver<'t, 'r> {
    files: Names<'t>,
    frames: Names<'t>,
    controls: Names<'t>,
    symbols: Names<'t>,
    variables: Variables<'t>,
    symbol_frames: Vec<Option<FrameId>>,
    /// Equal names of variables and labels are one string.
    shared: HashMap<&'t str, Name>,
    report: &'r mut Report,
}

impl<'t> Resolver<'t, '_> {
    fn model(&mut self, text: &'t Text<'_>) -> Resolved {
        let symbols: Vec<Symbol> = text.symbols.iter().map(|symbol| self.symbol(symbol)).collect();
        self.symbol_frames = symbols.iter().map(|symbol| symbol.frame).collect();
        // With the frame of the symbol known, its variables are.
        let mut spds = Spds {
            files: text.files.iter().map(|file| Name::from(&*file.text)).collect(),
            globals: text.globals.iter().map(|variable| self.variable(variable)).collect(),
            frames: text.frames.iter().map(|frame| self.frame(frame)).collect(),
            controls: text.controls.iter().map(|control| Name::from(&*control.text)).collect(),
            symbols,
            rules: Vec::with_capacity(text.rules.len()),
            start: Start { control: ControlId(0), stack: Box::default(), condition: None },
            atoms: Vec::with_capacity(text.atoms.len()),
            end: text.ends.first().and_then(|word| self.symbol_id(word)),
            fail: text.fails.first().and_then(|word| self.symbol_id(word)),
        };
        let mut rules = Vec::with_capacity(text.rules.len());
        for (index, rule) in text.rules.iter().enumerate() {
            if let Some(rule) = self.rule(rule) {
                spds.rules.push(rule);
                rules.push(index);
            }
        }
        let mut atoms = Vec::with_capacity(text.atoms.len());
        for (index, atom) in text.atoms.iter().enumerate() {
            if let Some(atom) = self.atom(atom) {
                spds.atoms.push(atom);
                atoms.push(index);
            }
        }
        let start = text.starts.first().and_then(|start| self.start(start));
        let has_start = start.is_some();
        spds.start = start.unwrap_or(spds.start);
        Resolved { spds, rules, atoms, has_start }
    }

    fn shared(&mut self, word: &'t Word<'_>) -> Name {
        self.shared.entry(&*word.text).or_insert_with(|| Name::from(&*word.text)).clone()
    }

    fn variable(&mut self, variable: &'t statement::Variable<'_>) -> Variable {
        Variable { name: self.shared(&variable.name), ty: variable.ty, hidden: variable.hidden }
    }

    fn frame(&mut self, frame: &'t statement::Frame<'_>) -> Frame {
        let variables = frame.variables.iter().map(|variable| self.variable(variable)).collect();
        Frame { name: self.shared(&frame.name), variables }
    }

    fn frame_id(&mut self, word: &Word<'_>) -> Option<FrameId> {
        self.frames.find(word, self.report).map(FrameId)
    }

    fn control_id(&mut self, word: &Word<'_>) -> Option<ControlId> {
        self.controls.find(word, self.report).map(ControlId)
    }

    fn symbol_id(&mut self, word: &Word<'_>) -> Option<SymbolId> {
        self.symbols.find(word, self.report).map(SymbolId)
    }

    fn symbol_frame(&self, symbol: SymbolId) -> Option<FrameId> {
        self.symbol_frames[symbol.0 as usize]
    }

    fn expression(&mut self, raw: &[RawOp<'_>], scope: &Scope) -> Option<Expr> {
        for op in raw {
            self.unqualified(op);
        }
        resolve_expression(raw, scope, &self.variables, self.report)
    }

    /// Locals of a frame that is named are for conditions outside of the text.
    fn unqualified(&mut self, op: &RawOp<'_>) {
        use crate::expression::Raw;
        if let Raw::Read(reference) | Raw::Cell(reference) = &op.what
            && matches!(reference.scope, Qualifier::Frame(_))
        {
            self.report_qualified(op.span);
        }
    }

    fn report_qualified(&mut self, span: crate::lexis::Span) {
        let message = "a local is named without its frame here";
        let diagnostic = Diagnostic::error(message, span.range(self.report.total));
        let help = "the frame is that of the stack symbol; a name with a dot in it is written in quotes";
        self.report.add(diagnostic.with_help(help));
    }

    /// `Err` if there is an expression that could not be resolved.
    fn optional(&mut self, raw: &Option<Vec<RawOp<'_>>>, scope: &Scope) -> Result<Option<Expr>, ()> {
        match raw {
            None => Ok(None),
            Some(raw) => self.expression(raw, scope).map(Some).ok_or(()),
        }
    }

    fn symbol(&mut self, symbol: &'t statement::Symbol<'_>) -> Symbol {
        let frame = symbol.frame.as_ref().and_then(|word| self.frame_id(word));
        // With an unknown frame, variables that are not found are no news.
        self.variables.broken |= frame.is_none() && symbol.frame.is_some();
        let place = symbol.place.as_ref().and_then(|place| {
            let file = self.files.find(&place.file, self.report)?;
            Some(Place { file, line: place.line, column: place.column })
        });
        let invariant = self.optional(&symbol.invariant, &Scope::here(frame)).unwrap_or_default();
        Symbol {
            name: Name::from(&*symbol.name.text),
            frame,
            place,
            labels: symbol.labels.iter().map(|label| self.shared(label)).collect(),
            invariant,
        }
    }

    fn rule(&mut self, rule: &'t statement::Rule<'_>) -> Option<Rule> {
        let control = self.control_id(&rule.control);
        let symbol = self.symbol_id(&rule.symbol);
        let to = self.control_id(&rule.to);
        let mut ids = [SymbolId(0); 2];
        let mut known = true;
        for (id, word) in ids.iter_mut().zip(&rule.stack) {
            let found = self.symbol_id(word);
            known &= found.is_some();
            *id = found.unwrap_or(SymbolId(0));
        }
        let from = Head { control: control?, symbol: symbol? };
        let (to, true) = (to?, known) else { return None };
        let stack = match rule.stack.len() {
            0 => Stack::Pop,
            1 => Stack::Swap(ids[0]),
            _ => Stack::Push(ids[0], ids[1]),
        };
        let before = self.symbol_frame(from.symbol);
        let here = Scope::here(before);
        let scope = match stack {
            Stack::Pop => Scope::step(before, None, None),
            Stack::Swap(top) => Scope::step(before, self.symbol_frame(top), None),
            Stack::Push(top, below) => Scope::step(before, self.symbol_frame(top), Some(self.symbol_frame(below))),
        };
        let guard = self.optional(&rule.guard, &here);
        let updates: Vec<Option<Update>> = rule.updates.iter().map(|u| self.update(u, &here, &scope)).collect();
        let with = self.optional(&rule.with, &scope);
        let label = rule.label.as_ref().map(|label| Box::new(self.shared(label)));
        let updates: Option<Vec<Update>> = updates.into_iter().collect();
        Some(Rule {
            from,
            to,
            stack,
            guard: guard.ok()?,
            updates: updates?.into(),
            with: with.ok()?,
            silent: rule.silent,
            label,
        })
    }

    fn update(&mut self, update: &statement::Update<'_>, here: &Scope, scope: &Scope) -> Option<Update> {
        if matches!(update.target.scope, Qualifier::Frame(_)) {
            self.report_qualified(update.span);
        }
        let found = self.variables.find(&update.target, update.span, scope, self.report);
        let index = self.optional(&update.index, here);
        let value = self.expression(&update.value, here);
        Some(Update { var: found?.0, time: update.target.time, index: index.ok()?, value: value? })
    }

    fn atom(&mut self, atom: &'t statement::Atom<'_>) -> Option<Atom> {
        let frame = match &atom.frame {
            Some(word) => Some(self.frame_id(word)?),
            None => None,
        };
        let condition = self.expression(&atom.condition, &Scope::here(frame))?;
        Some(Atom { name: self.shared(&atom.name), frame, condition })
    }

    fn start(&mut self, start: &statement::Start<'_>) -> Option<Start> {
        let control = self.control_id(&start.control);
        let stack: Vec<Option<SymbolId>> = start.stack.iter().map(|word| self.symbol_id(word)).collect();
        let stack: Vec<SymbolId> = stack.into_iter().collect::<Option<_>>()?;
        let scope = Scope::here(stack.first().and_then(|top| self.symbol_frame(*top)));
        let condition = self.optional(&start.condition, &scope);
        Some(Start { control: control?, stack: stack.into(), condition: condition.ok()? })
    }
}
