//! What attributes ask for, found by where they stand: each is claimed by what it belongs to, the innermost first, and one
//! that nobody claims is refused.

use std::ops::Range;

use lang_c::ast;
use lang_c::span::{Node, Span};
use spds_format::Diagnostic;

use super::promises::{Promise, is_clause, is_promise};
use super::scope::Entity;
use super::{Lowered, Lowering};
use crate::c::attributes::{Attribute, Syntax};
use crate::c::extensions::{Meaning, Modelled, attribute as meaning};
use crate::c::prepare::Prepared;
use crate::c::tokens::{TokenKind, tokens};
use crate::c::types::{FloatKind, Integer, Rank, Type, TypeId};
use crate::run::Trusted;

/// What attributes belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A structure or union.
    Record,
    /// An enumeration.
    Enumeration,
    /// A member.
    Member,
    /// A name of a type.
    Typedef,
    /// A variable.
    Variable,
    /// A procedure.
    Procedure,
    /// A parameter, or a type in an expression.
    Type,
}

/// What the attributes of something ask for.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// No padding.
    pub packed: bool,
    /// It begins at a multiple of so many bytes.
    pub align: Option<u64>,
    /// It is as wide as this mode.
    pub mode: Option<(String, Span)>,
    /// Its values are so many bytes of numbers.
    pub vector: Option<(u64, Span)>,
    /// Control does not come back.
    pub noreturn: bool,
    /// It is called before `main`, those with lower numbers first.
    pub constructor: Option<(u32, Span)>,
    /// Another definition wins.
    pub weak: Option<Span>,
    /// It starts with any value.
    pub arbitrary: bool,
    /// Its calls may come back twice.
    pub twice: bool,
    /// What is promised of a procedure.
    pub promised: Vec<Promise>,
}

impl Asked {
    /// What is asked for here and there.
    pub fn and(self, other: Asked) -> Asked {
        Asked {
            packed: self.packed || other.packed,
            align: self.align.max(other.align),
            mode: other.mode.or(self.mode),
            vector: other.vector.or(self.vector),
            noreturn: self.noreturn || other.noreturn,
            constructor: other.constructor.or(self.constructor),
            weak: other.weak.or(self.weak),
            arbitrary: self.arbitrary || other.arbitrary,
            twice: self.twice || other.twice,
            promised: [self.promised, other.promised].concat(),
        }
    }
}

/// The priority of procedures called before `main` for which none is given.
const LAST: u32 = 65_535;

/// The alignment of `aligned` without a number.
const BIGGEST: u64 = 16;

impl<'a> Lowering<'a> {
    /// The file being read.
    fn prepared(&self) -> &'a Prepared {
        let units = self.units;
        &units[self.unit].prepared
    }

    /// Looks up in the tables what a file says beyond the language, and refuses what is not represented.
    pub fn look_up_extensions(&mut self) {
        let prepared = self.prepared();
        self.claimed = vec![None; prepared.attributes.len()];
        for foreign in &prepared.foreign {
            let span = Span::span(foreign.range.start, foreign.range.end);
            if !self.ignored(&foreign.name, &foreign.what, span) {
                let what = format!("{} is not supported", foreign.what);
                self.refuse_extension(&what, &foreign.name, foreign.why, span);
            }
        }
        for (index, found) in prepared.attributes.iter().enumerate() {
            let meaning = meaning(&found.name, &found.arguments);
            let span = Span::span(found.range.start, found.range.end);
            let what = format!("the attribute `{}`", found.name);
            // Those that say nothing need no owner.
            let own = found.range.clone();
            match meaning {
                // Procedures look for these.
                Some(Meaning::Idle) if is_promise(&found.name) && !self.is_ignored(&found.name) => {}
                Some(Meaning::Idle) => self.claimed[index] = Some(own),
                _ if self.ignored(&found.name, &what, span) => self.claimed[index] = Some(own),
                Some(Meaning::Modelled(_)) => {}
                Some(Meaning::Refused(why)) => {
                    self.claimed[index] = Some(own);
                    self.refuse_extension(&format!("{what} is not supported"), &found.name, why, span);
                }
                None => {
                    self.claimed[index] = Some(own);
                    self.refuse_extension(
                        &format!("{what} is not known"),
                        &found.name,
                        "what it means is not known",
                        span,
                    );
                }
            }
        }
    }

    /// Whether a name is to be ignored.
    fn is_ignored(&self, name: &str) -> bool {
        self.options.ignored.iter().any(|ignored| ignored.trim_matches('_') == name.trim_matches('_'))
    }

    /// Whether something is ignored by request; then it is noted.
    fn ignored(&mut self, name: &str, what: &str, span: Span) -> bool {
        if !self.is_ignored(name) {
            return false;
        }
        let place = self.place(span);
        let text = format!("{what} ({}:{}) is ignored by request", self.files[place.file as usize], place.line);
        self.warning(format!("{what} is ignored by request: the program is read without it"), span);
        self.unverified.push(Trusted { code: "attribute", text });
        true
    }

    fn refuse_extension(&mut self, what: &str, name: &str, why: &str, span: Span) {
        let complaint = Diagnostic::error(what, span.start..span.end).with_label(why);
        self.complain(complaint.with_help(format!("`--ignore-attributes {name}` reads the program without it")));
    }

    /// Complains about attributes of the file that belong to nothing.
    pub fn refuse_unclaimed(&mut self) {
        if self.complaints[self.unit].refused() {
            return;
        }
        let attributes = &self.prepared().attributes;
        for (index, found) in attributes.iter().enumerate() {
            if self.claimed[index].is_none() && (!is_promise(&found.name) || is_clause(&found.name)) {
                let span = Span::span(found.range.start, found.range.end);
                let what = format!("what the attribute `{}` belongs to is not known", found.name);
                self.refuse_extension(&what, &found.name, "not understood at this place", span);
            }
        }
    }

    /// The attributes in a range of the prepared text that nobody else has claimed, and that can stand there.
    fn claim(&mut self, range: Range<usize>, stands: impl Fn(&Attribute) -> bool) -> Vec<&'a Attribute> {
        let attributes = &self.prepared().attributes;
        let first = attributes.partition_point(|attribute| attribute.range.start < range.start);
        let mut found = Vec::new();
        for (index, attribute) in attributes.iter().enumerate().skip(first) {
            if attribute.range.start >= range.end {
                break;
            }
            let free = self.claimed[index].as_ref().is_none_or(|by| *by == range);
            if free && stands(attribute) {
                self.claimed[index] = Some(range.clone());
                found.push(attribute);
            }
        }
        found
    }

    /// What the attributes beside a record's or an enumeration's list ask for: between keyword and tag, and after the list.
    pub fn asked_of_list(&mut self, span: Span, owner: Owner) -> Lowered<Asked> {
        let text = &self.prepared().text;
        let head = text.get(span.start..span.end).and_then(|text| text.find('{')).unwrap_or(0);
        let behind = self.blank_before(span.end)..self.blank_after(span.end);
        let mut found = self.claim(span.start..span.start + head, |_| true);
        found.extend(self.claim(behind, |attribute| attribute.syntax == Syntax::Gnu));
        self.asked(&found, owner)
    }

    /// What the attributes among the specifiers of a declaration ask for: they belong to all that it declares.
    pub fn asked_of_specifiers(&mut self, span: Span, declarator: Option<Span>, owner: Owner) -> Lowered<Asked> {
        let from = self.blank_before(span.start);
        let to = match declarator {
            Some(declarator) => self.blank_after(declarator.start),
            // Behind the end of a declaration begins the next one.
            None if self.prepared().text.get(..span.end).is_some_and(|text| text.trim_end().ends_with(';')) => span.end,
            None => self.blank_after(span.end),
        };
        let stands =
            |attribute: &Attribute| attribute.syntax != Syntax::Standard || attribute.range.start <= span.start;
        let found = self.claim(from..to, stands);
        self.asked(&found, owner)
    }

    /// What the attributes in and around a declarator ask for, which ends with its width if it has one. Before it stand
    /// those of its own only if it is not the first.
    pub fn asked_of_declarator(
        &mut self,
        declarator: Option<&Node<ast::Declarator>>,
        whole: Span,
        first: bool,
        owner: Owner,
    ) -> Lowered<Asked> {
        let start = self.blank_after(whole.start);
        let from = if first { start } else { self.blank_before(whole.start) };
        let to = self.after_declarator(whole.end);
        let after_name = match declarator.map(|declarator| &declarator.node.kind.node) {
            Some(ast::DeclaratorKind::Identifier(name)) => name.span.end..self.blank_after(name.span.end),
            _ => 0..0,
        };
        let inside = start + 1..declarator.map_or(start, |declarator| self.blank_before(declarator.span.end));
        let stands = |attribute: &Attribute| match attribute.syntax {
            Syntax::Standard => after_name.contains(&attribute.range.start),
            // What stands behind a `*` belongs to the pointer: where it begins, or to the procedure it leads to.
            _ if inside.contains(&attribute.range.start) => matches!(&*attribute.name, "aligned" | "noreturn"),
            _ => true,
        };
        let found = self.claim(from..to, stands);
        self.asked(&found, owner)
    }

    /// The attributes of the file that make aliases.
    pub fn aliases(&self) -> Vec<&'a Attribute> {
        let all = self.prepared().attributes.iter().filter(|attribute| &*attribute.name == "alias");
        if self.is_ignored("alias") { Vec::new() } else { all.collect() }
    }

    /// The name of what one of these attributes makes a declarator another name of. Nothing is claimed.
    pub fn alias_of(
        &self,
        declaration: &Node<ast::Declaration>,
        index: usize,
        aliases: &[&Attribute],
    ) -> Option<String> {
        let list = &declaration.node.declarators;
        let (first, own) = (list.first()?, &list[index].node.declarator);
        let shared = self.blank_before(declaration.span.start)..self.blank_after(first.span.start);
        let before = if index == 0 { own.span.start } else { self.blank_before(own.span.start) };
        let around = before..self.after_declarator(own.span.end);
        let stands = |at: usize| shared.contains(&at) || around.contains(&at);
        let of = aliases.iter().find(|attribute| stands(attribute.range.start))?.arguments.first()?;
        Some(of.trim_matches('"').to_owned())
    }

    /// The end of the blanks that begin at a byte.
    fn blank_after(&self, byte: usize) -> usize {
        let text = self.prepared().text.get(byte..).unwrap_or("");
        byte.saturating_add(text.len() - text.trim_start().len())
    }

    /// The beginning of the blanks that end at a byte.
    fn blank_before(&self, byte: usize) -> usize {
        self.prepared().text.get(..byte).map_or(byte, |text| text.trim_end().len())
    }

    /// The end of the blanks behind a declarator, and of what an assembler calls it.
    fn after_declarator(&self, byte: usize) -> usize {
        let text = &self.prepared().text;
        let blank = self.blank_after(byte);
        let rest = text.get(blank..).unwrap_or("");
        if !["asm", "__asm"].iter().any(|word| rest.starts_with(word)) {
            return blank;
        }
        let closed = rest.find(')').map_or(rest.len(), |at| at + 1);
        self.blank_after(blank + closed)
    }

    /// What attributes ask for of their owner.
    fn asked(&mut self, found: &[&Attribute], owner: Owner) -> Lowered<Asked> {
        let mut asked = Asked::default();
        for attribute in found {
            let span = Span::span(attribute.range.start, attribute.range.end);
            if is_promise(&attribute.name) {
                if owner == Owner::Procedure {
                    let promise = self.promise(attribute, span);
                    asked.promised.extend(promise);
                } else if is_clause(&attribute.name) {
                    let what = format!("`{}` is a contract of a function, and here is none", attribute.name);
                    return Err(self.error(what, span));
                }
                continue;
            }
            let Some(Meaning::Modelled(modelled)) = meaning(&attribute.name, &attribute.arguments) else {
                continue;
            };
            if !fits(modelled, owner) {
                let what = format!("the attribute `{}` is not supported here", attribute.name);
                self.refuse_extension(&what, &attribute.name, "not understood at this place", span);
                return Err(super::Refused);
            }
            match modelled {
                Modelled::Packed if matches!(owner, Owner::Record | Owner::Enumeration | Owner::Member) => {
                    asked.packed = true;
                }
                Modelled::Packed => self.warning("`packed` is ignored here, as compilers ignore it", span),
                Modelled::Aligned => self.asked_alignment(attribute, owner, span, &mut asked)?,
                Modelled::Mode => {
                    let name = attribute.arguments.first().map_or("", |name| &**name);
                    asked.mode = Some((name.trim_matches('_').to_owned(), span));
                }
                Modelled::Vector => {
                    let given = attribute.arguments.first().and_then(|given| self.constant_of_text(given));
                    match given.and_then(|given| u64::try_from(given).ok()) {
                        Some(bytes) => asked.vector = Some((bytes, span)),
                        None => return Err(self.error("this is no size of a vector", span)),
                    }
                }
                Modelled::Noreturn => asked.noreturn = true,
                Modelled::Constructor => {
                    let priority = match attribute.arguments.first() {
                        None => Some(LAST),
                        Some(given) => self.constant_of_text(given).and_then(|given| u32::try_from(given).ok()),
                    };
                    let wrong = |this: &mut Self| this.error("this is no priority", span);
                    asked.constructor = Some((priority.ok_or_else(|| wrong(self))?, span));
                }
                // It was found before, see `alias_of`.
                Modelled::Alias if self.body.is_none() => {}
                Modelled::Alias => return Err(self.error("an alias inside a procedure is not supported", span)),
                Modelled::Weak => asked.weak = Some(span),
                Modelled::Arbitrary => asked.arbitrary = true,
                Modelled::Twice => asked.twice = true,
            }
        }
        Ok(asked)
    }

    fn asked_alignment(&mut self, found: &Attribute, owner: Owner, span: Span, asked: &mut Asked) -> Lowered<()> {
        let given = match found.arguments.first() {
            None => Some(i128::from(BIGGEST)),
            Some(text) if found.syntax == Syntax::Alignas => {
                self.constant_of_text(text).or_else(|| self.constant_of_text(&format!("_Alignof({text})")))
            }
            Some(text) => self.constant_of_text(text),
        };
        let given = given.and_then(|given| u64::try_from(given).ok());
        match given {
            // As compilers have it: nothing is asked.
            Some(0) => {}
            Some(align) if align.is_power_of_two() && align <= 1 << 28 => {
                // Of a record the last counts, of everything else the strictest.
                let before = asked.align.filter(|_| owner != Owner::Record);
                asked.align = Some(before.map_or(align, |before| before.max(align)));
            }
            _ => return Err(self.error("this is no alignment: a power of two is needed", span)),
        }
        Ok(())
    }

    /// The type that is asked for in place of a type: of a machine's mode, or of vectors of it.
    pub fn as_asked(&mut self, ty: TypeId, asked: &Asked) -> Lowered<TypeId> {
        let ty = self.with_mode(ty, asked.mode.as_ref())?;
        match asked.vector {
            Some((bytes, span)) => self.vector(ty, bytes, span),
            None => Ok(ty),
        }
    }

    /// The type that a mode makes of a type.
    fn with_mode(&mut self, ty: TypeId, mode: Option<&(String, Span)>) -> Lowered<TypeId> {
        let Some((name, span)) = mode else { return Ok(ty) };
        let model = self.types.model;
        let bytes = match name.as_str() {
            "QI" | "byte" => 1,
            "HI" => 2,
            "SI" | "SF" => 4,
            "DI" | "DF" => 8,
            "TI" | "TF" => 16,
            "XF" if model.pointer <= 32 => 12,
            "XF" => 16,
            "word" | "pointer" | "unwind_word" | "libgcc_cmp_return" | "libgcc_shift_count" => model.pointer / 8,
            _ => 0,
        };
        let wrong = format!("the mode `{name}` of `{}` is not supported", self.types.name(ty));
        let real = name.ends_with('F');
        match *self.types.get(ty) {
            Type::Integer(integer) if !real && bytes > 0 => {
                let ranks = [Rank::Char, Rank::Short, Rank::Int, Rank::Long, Rank::LongLong, Rank::Int128];
                let rank = ranks.into_iter().find(|rank| model.width(*rank) == bytes * 8);
                let rank = rank.ok_or_else(|| self.error(wrong, *span))?;
                let integer: Integer = self.types.integer_of(rank, integer.signed);
                Ok(self.types.intern(Type::Integer(integer)))
            }
            Type::Float(_) if real => Ok(match name.as_str() {
                "SF" => self.types.float(FloatKind::Single),
                "DF" => self.types.float(FloatKind::Double),
                "XF" => self.types.float(FloatKind::Extended),
                _ => self.types.intern(Type::Opaque(u64::from(bytes))),
            }),
            _ => Err(self.error(wrong, *span)),
        }
    }

    /// The value of an integer constant expression that stands in an attribute, which no tree has.
    pub(super) fn constant_of_text(&mut self, text: &str) -> Option<i128> {
        if let Ok(number) = text.trim().parse() {
            return Some(number);
        }
        let all = tokens(text);
        let names = all.iter().filter(|token| token.kind == TokenKind::Name).map(|token| &text[token.range.clone()]);
        let types: Vec<&str> = names.filter(|name| matches!(self.entity(name), Some(Entity::Type(_)))).collect();
        let types: String = types.iter().map(|name| format!("typedef int {name}; ")).collect();
        let text = text.replace("__BIGGEST_ALIGNMENT__", "16").replace("__float128", "_Float128");
        // It stands behind all attributes of the file, so that none of these is taken for one of its own.
        let before = " ".repeat(self.prepared().text.len());
        let parsed = crate::c::read::parsed(format!("{before}{types} enum {{ value = ({text}) }};")).ok()?;
        let ast::ExternalDeclaration::Declaration(declaration) = &parsed.0.last()?.node else { return None };
        let ast::DeclarationSpecifier::TypeSpecifier(specifier) = &declaration.node.specifiers.first()?.node else {
            return None;
        };
        let ast::TypeSpecifier::Enum(enumeration) = &specifier.node else { return None };
        let value = enumeration.node.enumerators.first()?.node.expression.as_ref()?;
        let quiet = std::mem::take(&mut self.complaints[self.unit]);
        let number = self.integer_constant(value);
        self.complaints[self.unit] = quiet;
        number.ok()
    }
}

/// Whether something can have an attribute.
fn fits(modelled: Modelled, owner: Owner) -> bool {
    match modelled {
        Modelled::Packed => true,
        Modelled::Aligned => owner != Owner::Enumeration,
        Modelled::Mode => !matches!(owner, Owner::Record | Owner::Procedure),
        Modelled::Vector => !matches!(owner, Owner::Record | Owner::Enumeration),
        // Of types and of pointers to procedures it is no matter: what is called says it itself.
        Modelled::Noreturn => !matches!(owner, Owner::Record | Owner::Enumeration),
        Modelled::Constructor | Modelled::Twice => owner == Owner::Procedure,
        Modelled::Alias | Modelled::Weak => matches!(owner, Owner::Procedure | Owner::Variable),
        Modelled::Arbitrary => owner == Owner::Variable,
    }
}
