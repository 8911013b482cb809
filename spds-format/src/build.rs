//! Puts models together in code.

use crate::error::ModelError;
use crate::expr::{Expr, Time};
use crate::model::{
    Atom, ControlId, Frame, FrameId, Head, Name, Place, Rule, Spds, Stack, Start, Symbol, SymbolId, Type, Update, Var,
    Variable,
};
use crate::validate::validate;

/// A model in the making. Whoever needs what has no method here changes [`Builder::spds`] itself.
///
/// ```
/// use spds_format::build::{Builder, rule};
/// use spds_format::expr::{Binary, Expr, Time};
/// use spds_format::model::{Stack, Type, Var};
///
/// let mut b = Builder::new();
/// let p = b.control("p");
/// let x = b.global("x", Type::unsigned(3));
/// let main = b.frame("main", [("h", Type::BOOL)]);
/// let h = Var::Local(0);
/// let [m0, m1] = ["main/0", "main/1"].map(|name| b.symbol(name, Some(main)));
/// let end = b.symbol("@end", None);
///
/// let small = Expr::read(x, Time::Before).binary(Binary::Lt, &Expr::number(7));
/// let next = Expr::read(x, Time::Before).binary(Binary::Add, &Expr::number(1));
/// b.rule(rule(p, m0, p, Stack::Push(m0, m1)).when(small).set(x, next));
/// b.rule(rule(p, m0, p, Stack::Swap(m1)).set(h, Expr::any()));
/// b.rule(rule(p, m1, p, Stack::Pop));
/// b.end(p, end);
/// b.start(p, [m0, end], None);
/// let model = b.finish().unwrap();
///
/// assert_eq!(
///     model.to_string(),
///     "\
/// spds 1
///
/// global x: u3;
///
/// frame main { h: bool }
///
/// control p;
///
/// symbol main/0 in main;
/// symbol main/1 in main;
/// symbol @end;
///
/// end @end;
///
/// start <p, main/0 @end>;
///
/// rule <p, main/0> -> <p, main/0 main/1> when x < 7 { x' := x + 1 };
/// rule <p, main/0> -> <p, main/1> { h' := * };
/// rule <p, main/1> -> <p>;
/// rule <p, @end> -> <p, @end>;
/// "
/// );
/// assert_eq!(spds_format::parse(&model.to_string()).unwrap(), model);
/// ```
#[derive(Clone, Debug)]
pub struct Builder {
    /// What there is so far.
    pub spds: Spds,
}

impl Default for Builder {
    fn default() -> Self {
        Builder::new()
    }
}

impl Builder {
    /// With nothing in it.
    pub fn new() -> Builder {
        Builder { spds: Spds::default() }
    }

    /// A new control location.
    pub fn control(&mut self, name: impl Into<Name>) -> ControlId {
        self.spds.controls.push(name.into());
        ControlId(self.spds.controls.len() as u32 - 1)
    }

    /// A new global variable.
    pub fn global(&mut self, name: impl Into<Name>, ty: Type) -> Var {
        self.spds.globals.push(Variable { name: name.into(), ty, hidden: false });
        Var::Global(self.spds.globals.len() as u32 - 1)
    }

    /// A new frame. Its variables are `Var::Local(0)`, `Var::Local(1)`, … in this order.
    pub fn frame<N: Into<Name>>(
        &mut self,
        name: impl Into<Name>,
        variables: impl IntoIterator<Item = (N, Type)>,
    ) -> FrameId {
        let variables =
            variables.into_iter().map(|(name, ty)| Variable { name: name.into(), ty, hidden: false }).collect();
        self.spds.frames.push(Frame { name: name.into(), variables });
        FrameId(self.spds.frames.len() as u32 - 1)
    }

    /// A new stack symbol.
    pub fn symbol(&mut self, name: impl Into<Name>, frame: Option<FrameId>) -> SymbolId {
        let symbol = Symbol { name: name.into(), frame, place: None, labels: Box::default(), invariant: None };
        self.spds.symbols.push(symbol);
        SymbolId(self.spds.symbols.len() as u32 - 1)
    }

    /// Says where a symbol's statement begins: on that line of that file, in its first column.
    pub fn place(&mut self, symbol: SymbolId, file: &str, line: u32) {
        let files = &mut self.spds.files;
        let number = files.iter().position(|name| &**name == file).unwrap_or_else(|| {
            files.push(file.into());
            files.len() - 1
        });
        self.spds.symbols[symbol.0 as usize].place = Some(Place { file: number as u32, line, column: 1 });
    }

    /// A further label of a symbol.
    pub fn label(&mut self, symbol: SymbolId, label: impl Into<Name>) {
        let labels = &mut self.spds.symbols[symbol.0 as usize].labels;
        *labels = labels.iter().cloned().chain([label.into()]).collect();
    }

    /// A further rule; see [`rule`].
    pub fn rule(&mut self, rule: Rule) {
        self.spds.rules.push(rule);
    }

    /// Where runs start, the topmost symbol first.
    pub fn start(&mut self, control: ControlId, stack: impl Into<Box<[SymbolId]>>, condition: Option<Expr>) {
        self.spds.start = Start { control, stack: stack.into(), condition };
    }

    /// A named proposition; it may read the locals of that frame and is false elsewhere.
    pub fn atom(&mut self, name: impl Into<Name>, frame: Option<FrameId>, condition: Expr) {
        self.spds.atoms.push(Atom { name: name.into(), frame, condition });
    }

    /// Makes a symbol the one on top when the program has terminated, and gives it its loop.
    pub fn end(&mut self, control: ControlId, symbol: SymbolId) {
        self.spds.end = Some(symbol);
        self.rule(rule(control, symbol, control, Stack::Swap(symbol)));
    }

    /// Makes a symbol the one on top when an assertion has failed, and gives it its loop.
    pub fn fail(&mut self, control: ControlId, symbol: SymbolId) {
        self.spds.fail = Some(symbol);
        self.rule(rule(control, symbol, control, Stack::Swap(symbol)));
    }

    /// The model.
    ///
    /// # Errors
    /// What [`validate()`] has against it.
    pub fn finish(self) -> Result<Spds, Vec<ModelError>> {
        let errors = validate(&self.spds);
        if errors.is_empty() { Ok(self.spds) } else { Err(errors) }
    }
}

/// A rule that changes no variable, to be refined by the methods of [`Rule`].
pub fn rule(control: ControlId, symbol: SymbolId, to: ControlId, stack: Stack) -> Rule {
    let from = Head { control, symbol };
    Rule { from, to, stack, guard: None, updates: Default::default(), with: None, silent: false, label: None }
}

impl Rule {
    /// The same with that guard, besides one that it may have.
    pub fn when(mut self, guard: Expr) -> Rule {
        self.guard = Some(self.guard.map_or_else(|| guard.clone(), |before| before.and(&guard)));
        self
    }

    /// The same with a relation between values before and after, besides one that it may have.
    pub fn with(mut self, relation: Expr) -> Rule {
        self.with = Some(self.with.map_or_else(|| relation.clone(), |before| before.and(&relation)));
        self
    }

    /// The same with `var' := value`.
    pub fn set(self, var: Var, value: Expr) -> Rule {
        self.update(Update { var, time: Time::After, index: None, value })
    }

    /// The same with `var'[index] := value`.
    pub fn set_cell(self, var: Var, index: Expr, value: Expr) -> Rule {
        self.update(Update { var, time: Time::After, index: Some(index), value })
    }

    /// The same with `var'' := value`.
    pub fn set_saved(self, var: Var, value: Expr) -> Rule {
        self.update(Update { var, time: Time::Saved, index: None, value })
    }

    /// The same with a further assignment.
    pub fn update(mut self, update: Update) -> Rule {
        let mut updates = self.updates.to_vec();
        updates.push(update);
        self.updates = updates.into();
        self
    }

    /// The same as a silent rule.
    pub fn silent(mut self) -> Rule {
        self.silent = true;
        self
    }

    /// The same with a text for traces.
    pub fn labelled(mut self, label: impl Into<Name>) -> Rule {
        self.label = Some(Box::new(label.into()));
        self
    }
}
