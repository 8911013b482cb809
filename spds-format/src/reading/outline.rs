//! The names of a text: where each is declared, where it stands, and which declaration is meant there.
//!
//! Found by tokens alone, so that a text that is wrong somewhere, as one is that is being typed, has them too.

use std::collections::HashMap;
use std::ops::Range;

use super::tokens::{Cursor, Lexis};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A constant, or a member of an enum.
    Constant,
    /// An enum or a struct.
    Type,
    /// A field of a struct.
    Field,
    /// A variable.
    Variable,
    /// A parameter of a procedure.
    Parameter,
    /// A variable of a quantifier.
    Bound,
    /// A procedure, a module, a frame.
    Procedure,
    /// A label.
    Label,
    /// A control location.
    Control,
    /// A stack symbol.
    Symbol,
    /// A named proposition.
    Proposition,
}

impl Kind {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Constant => "constant",
            Kind::Type => "type",
            Kind::Field => "field",
            Kind::Variable => "variable",
            Kind::Parameter => "parameter",
            Kind::Bound => "bound variable",
            Kind::Procedure => "procedure",
            Kind::Label => "label",
            Kind::Control => "control location",
            Kind::Symbol => "stack symbol",
            Kind::Proposition => "proposition",
        }
    }
}

/// What a name can stand for where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A value.
    Value,
    /// A procedure that is called.
    Call,
    /// A label to go to.
    Jump,
    /// A field of a value.
    Part,
    /// A type.
    Type,
    /// A control location.
    Control,
    /// A stack symbol.
    Symbol,
    /// Anything.
    Any,
}

impl Role {
    fn admits(self, kind: Kind) -> bool {
        match self {
            Role::Value => matches!(kind, Kind::Constant | Kind::Variable | Kind::Parameter | Kind::Bound),
            Role::Call => kind == Kind::Procedure,
            Role::Jump => kind == Kind::Label,
            Role::Part => kind == Kind::Field,
            Role::Type => kind == Kind::Type,
            Role::Control => kind == Kind::Control,
            Role::Symbol => kind == Kind::Symbol,
            Role::Any => true,
        }
    }
}

/// What is looked at of the text behind a name, in bytes: whatever that text is, each name costs no more.
const BEHIND: usize = 256;

/// The text behind a name up to one of these characters, without what is blank at its ends; nothing if there is none soon.
pub fn behind<'t>(text: &'t str, name: &Range<usize>, ends: &[char]) -> &'t str {
    let mut end = text.len().min(name.end + BEHIND);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let rest = &text[name.end..end];
    let whole = rest.find(ends).or((end == text.len()).then_some(rest.len()));
    rest[..whole.unwrap_or(0)].trim()
}

/// A text while its names are found: a language's file of that name goes through it.
pub struct Names<'t, L: Lexis> {
    /// The token at which it is.
    pub cursor: Cursor<'t, L>,
    /// The names so far.
    pub outline: Outline,
    /// The kind of the token before, if there was one.
    pub before: Option<L::Kind>,
}

impl<'t, L: Lexis> Names<'t, L> {
    /// The names that are found in a text; none in one too long to be read.
    pub fn found(text: &'t str, lexis: L, find: impl FnOnce(Self) -> Outline) -> Outline {
        let names = || Names { cursor: Cursor::new(text, lexis), outline: Outline::default(), before: None };
        u32::try_from(text.len()).map_or_else(|_| Outline::default(), |_| find(names()))
    }

    /// To the next token.
    pub fn bump(&mut self) {
        self.before = Some(self.cursor.kind());
        self.cursor.bump();
    }

    /// Where the token stands.
    pub fn span(&self) -> Range<usize> {
        self.cursor.span()
    }

    /// Notes that the token is a name that is declared here; its number.
    pub fn declare(&mut self, kind: Kind, detail: &str) -> usize {
        self.outline.declare_here(kind, self.cursor.word(), self.cursor.span(), detail)
    }

    /// Notes that the token is a name.
    pub fn mention(&mut self, role: Role) {
        self.outline.mention(self.cursor.span(), role);
    }
}

/// A name that is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// What for.
    pub kind: Kind,
    /// The name, without the quotes that it may stand in.
    pub name: String,
    /// Where the name stands.
    pub at: Range<usize>,
    /// The whole declaration; of a procedure its body, too.
    pub whole: Range<usize>,
    /// Where the name is known.
    pub scope: Range<usize>,
    /// Its type, its value, as the text has it; may be empty.
    pub detail: String,
}

/// A name in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mention {
    at: Range<usize>,
    role: Role,
    /// Without quotes, if it stands in some.
    unquoted: Option<String>,
}

/// The names of a text.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// What is declared, in the order of the text.
    pub declarations: Vec<Declaration>,
    mentions: Vec<Mention>,
    by_name: HashMap<String, Vec<usize>>,
}

impl Outline {
    /// Notes that a name stands here. In the order of the text.
    pub fn mention(&mut self, at: Range<usize>, role: Role) {
        self.mentions.push(Mention { at, role, unquoted: None });
    }

    /// The same of a name in quotes.
    pub fn mention_quoted(&mut self, at: Range<usize>, role: Role, name: &str) {
        self.mentions.push(Mention { at, role, unquoted: Some(name.to_owned()) });
    }

    /// Notes a declaration, in the whole of the text unless something else is said later.
    pub fn declare(&mut self, kind: Kind, name: &str, at: Range<usize>, detail: &str) -> &mut Declaration {
        self.by_name.entry(name.to_owned()).or_default().push(self.declarations.len());
        let (name, detail) = (name.to_owned(), detail.to_owned());
        let whole = at.clone();
        let index = self.declarations.len();
        self.declarations.push(Declaration { kind, name, at, whole, scope: 0..usize::MAX, detail });
        &mut self.declarations[index]
    }

    /// The same where the name stands in the text, which is a mention of it; its number.
    pub fn declare_here(&mut self, kind: Kind, name: &str, at: Range<usize>, detail: &str) -> usize {
        self.declare(kind, name, at.clone(), detail);
        self.mention(at, Role::Any);
        self.declarations.len() - 1
    }

    /// Whether such a name is declared.
    pub fn has(&self, kind: Kind, name: &str) -> bool {
        let all = self.by_name.get(name).into_iter().flatten();
        all.copied().any(|index| self.declarations[index].kind == kind)
    }

    /// A procedure ends here: what was declared from a declaration on is known in it only, but for the procedure itself and
    /// those of such kinds.
    pub fn close(&mut self, procedure: usize, end: usize, outside: &[Kind]) {
        let Some(first) = self.declarations.get_mut(procedure) else { return };
        first.whole.end = end;
        let scope = first.whole.clone();
        for declaration in &mut self.declarations[procedure + 1..] {
            if !outside.contains(&declaration.kind) && declaration.scope.end == usize::MAX {
                declaration.scope = scope.clone();
            }
        }
    }

    /// The name that stands at a byte of the text, or ends there: where it stands.
    pub fn name_at(&self, byte: usize) -> Option<Range<usize>> {
        self.mention_at(byte).map(|mention| mention.at.clone())
    }

    fn mention_at(&self, byte: usize) -> Option<&Mention> {
        let after = self.mentions.partition_point(|mention| mention.at.start <= byte);
        let last = self.mentions[..after].last()?;
        (byte <= last.at.end).then_some(last)
    }

    /// What is meant by the name that stands at a byte of the text. Several if the text itself does not decide it; none if
    /// nothing of that name is known there.
    pub fn meant(&self, text: &str, byte: usize) -> Vec<&Declaration> {
        let Some(mention) = self.mention_at(byte) else { return Vec::new() };
        let name = mention.unquoted.as_deref().unwrap_or(&text[mention.at.clone()]);
        let known = self.by_name.get(name).into_iter().flatten().map(|index| &self.declarations[*index]);
        let visible = known.filter(|declaration| {
            declaration.scope.contains(&mention.at.start) && mention.role.admits(declaration.kind)
        });
        let mut visible: Vec<&Declaration> = visible.collect();
        let narrow = |declaration: &&Declaration| declaration.scope.end - declaration.scope.start;
        if let Some(least) = visible.iter().map(narrow).min() {
            visible.retain(|declaration| narrow(declaration) == least);
        }
        visible
    }

    /// What is known at a byte of the text: of each name the innermost declarations.
    pub fn known_at(&self, byte: usize) -> Vec<&Declaration> {
        let visible = self.declarations.iter().filter(|declaration| declaration.scope.contains(&byte));
        let mut known: Vec<&Declaration> = visible.collect();
        known.sort_by_key(|declaration| (&declaration.name, declaration.scope.end - declaration.scope.start));
        known.dedup_by(|later, first| later.name == first.name && later.kind == first.kind);
        known
    }
}
