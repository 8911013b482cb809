//! Types from specifiers and declarators (C11 §6.7): records laid out, enumerations numbered.

use lang_c::ast;
use lang_c::span::{Node, Span};

use super::length::Lengths;
use super::scope::{Entity, Tag};
use super::{Lowered, Lowering};
use crate::c::types::{Field, Integer, Rank, Record, RecordId, Type, TypeId};

/// What the specifiers of a declaration say beside the type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// `typedef`
    pub typedef: bool,
    /// `static`
    pub fixed: bool,
    /// `extern`
    pub external: bool,
    /// `_Noreturn`, or the attribute.
    pub noreturn: bool,
}

/// The arithmetic type specifiers met so far.
#[derive(Default)]
struct Words {
    signed: bool,
    unsigned: bool,
    short: bool,
    long: u32,
    base: Option<Base>,
    any: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Base {
    Void,
    Char,
    Int,
    Float,
    Double,
    Bool,
    Int128,
    /// A type that is given as a whole.
    Type(TypeId),
}

/// A declarator worked out.
pub struct Declared<'d> {
    /// The name, if it has one.
    pub name: Option<&'d Node<ast::Identifier>>,
    /// Its type.
    pub ty: TypeId,
    /// For a function: the parameters of the declarator next to the name.
    pub parameters: Parameters<'d>,
    /// Whether an attribute says that it does not return.
    pub noreturn: bool,
}

/// The parameters of a function declarator.
#[derive(Clone, Copy)]
pub enum Parameters<'d> {
    /// It is none.
    None,
    /// With types.
    Prototype(&'d [Node<ast::ParameterDeclaration>]),
    /// Names only, or nothing: `f()`.
    Names(&'d [Node<ast::Identifier>]),
}

impl Lowering<'_> {
    /// Specifiers of a declaration.
    pub fn specifiers(&mut self, list: &[Node<ast::DeclarationSpecifier>], span: Span) -> Lowered<(Said, TypeId)> {
        let mut said = Said::default();
        let mut words = Words::default();
        for node in list {
            match &node.node {
                ast::DeclarationSpecifier::StorageClass(class) => match class.node {
                    ast::StorageClassSpecifier::Typedef => said.typedef = true,
                    ast::StorageClassSpecifier::Extern => said.external = true,
                    ast::StorageClassSpecifier::Static => said.fixed = true,
                    ast::StorageClassSpecifier::ThreadLocal => {
                        return Err(self.error("threads are not supported", class.span));
                    }
                    ast::StorageClassSpecifier::Auto | ast::StorageClassSpecifier::Register => {}
                },
                ast::DeclarationSpecifier::TypeSpecifier(specifier) => self.word(&mut words, specifier)?,
                ast::DeclarationSpecifier::Function(function) => {
                    said.noreturn |= function.node == ast::FunctionSpecifier::Noreturn;
                }
                ast::DeclarationSpecifier::Extension(extensions) => {
                    said.noreturn |= noreturn(extensions);
                    self.mode(extensions, &mut words);
                }
                ast::DeclarationSpecifier::TypeQualifier(_) | ast::DeclarationSpecifier::Alignment(_) => {}
            }
        }
        Ok((said, self.worded(&words, span)?))
    }

    fn qualified(&mut self, list: &[Node<ast::SpecifierQualifier>], span: Span) -> Lowered<TypeId> {
        let mut words = Words::default();
        for node in list {
            match &node.node {
                ast::SpecifierQualifier::TypeSpecifier(specifier) => self.word(&mut words, specifier)?,
                ast::SpecifierQualifier::Extension(extensions) => self.mode(extensions, &mut words),
                ast::SpecifierQualifier::TypeQualifier(_) => {}
            }
        }
        self.worded(&words, span)
    }

    /// `__attribute__((mode(DI)))`, `vector_size`: what they make of a type is not represented.
    fn mode(&mut self, extensions: &[Node<ast::Extension>], words: &mut Words) {
        for extension in extensions {
            if let ast::Extension::Attribute(attribute) = &extension.node
                && matches!(attribute.name.node.trim_matches('_'), "mode" | "vector_size")
            {
                words.base = Some(Base::Double);
            }
        }
    }

    /// A type name, as in casts and `sizeof`.
    pub fn type_name(&mut self, node: &Node<ast::TypeName>) -> Lowered<TypeId> {
        let base = self.qualified(&node.node.specifiers, node.span)?;
        match &node.node.declarator {
            None => Ok(base),
            Some(declarator) => Ok(self.declarator(declarator, base)?.ty),
        }
    }

    fn word(&mut self, words: &mut Words, node: &Node<ast::TypeSpecifier>) -> Lowered<()> {
        words.any = true;
        let base = match &node.node {
            ast::TypeSpecifier::Void => Base::Void,
            ast::TypeSpecifier::Char => Base::Char,
            ast::TypeSpecifier::Int => Base::Int,
            ast::TypeSpecifier::Float => Base::Float,
            ast::TypeSpecifier::Double => Base::Double,
            ast::TypeSpecifier::Bool => Base::Bool,
            ast::TypeSpecifier::Complex => Base::Double,
            ast::TypeSpecifier::TS18661Float(float) => {
                let extended = float.format == ast::TS18661FloatFormat::BinaryExtended;
                if extended && float.width == crate::c::prepare::INT128.1 { Base::Int128 } else { Base::Double }
            }
            ast::TypeSpecifier::Short => {
                words.short = true;
                return Ok(());
            }
            ast::TypeSpecifier::Long => {
                words.long += 1;
                return Ok(());
            }
            ast::TypeSpecifier::Signed => {
                words.signed = true;
                return Ok(());
            }
            ast::TypeSpecifier::Unsigned => {
                words.unsigned = true;
                return Ok(());
            }
            ast::TypeSpecifier::Atomic(name) => Base::Type(self.type_name(name)?),
            ast::TypeSpecifier::Struct(record) => Base::Type(self.record(record)?),
            ast::TypeSpecifier::Enum(enumeration) => Base::Type(self.enumeration(enumeration)?),
            ast::TypeSpecifier::TypedefName(name) => match self.entity(&name.node.name) {
                Some(Entity::Type(ty)) => Base::Type(ty),
                _ if name.node.name == "__builtin_va_list" => {
                    Base::Type(self.types.intern(Type::Opaque(u64::from(self.types.model.pointer / 8).max(1) * 3)))
                }
                _ => return Err(self.unknown_name(&name.node.name, name.span)),
            },
            ast::TypeSpecifier::TypeOf(of) => Base::Type(match &of.node {
                ast::TypeOf::Type(name) => self.type_name(name)?,
                ast::TypeOf::Expression(e) => self.type_of(e)?,
            }),
        };
        if words.base.is_some_and(|met| met != base && !matches!((met, base), (Base::Int, _) | (_, Base::Int))) {
            return Err(self.error("two types in one declaration", node.span));
        }
        if words.base.is_none() || words.base == Some(Base::Int) {
            words.base = Some(base);
        }
        Ok(())
    }

    fn worded(&mut self, words: &Words, span: Span) -> Lowered<TypeId> {
        if !words.any {
            self.warning("declared without a type: `int` is taken, as in C89", span);
        }
        let signed = !words.unsigned;
        let rank = match words.base {
            Some(Base::Void) => return Ok(self.types.void()),
            Some(Base::Type(ty)) => return Ok(ty),
            Some(Base::Float) => return Ok(self.types.intern(Type::Opaque(4))),
            Some(Base::Double) if words.long > 0 => return Ok(self.types.long_double()),
            Some(Base::Double) => return Ok(self.types.intern(Type::Opaque(8))),
            Some(Base::Bool) => Rank::Bool,
            Some(Base::Char) => Rank::Char,
            Some(Base::Int128) => Rank::Int128,
            Some(Base::Int) | None => match (words.short, words.long) {
                (true, _) => Rank::Short,
                (_, 0) => Rank::Int,
                (_, 1) => Rank::Long,
                _ => Rank::LongLong,
            },
        };
        Ok(self.types.integer(rank, signed))
    }

    /// A declarator applied to the type that its specifiers give.
    pub fn declarator<'d>(&mut self, node: &'d Node<ast::Declarator>, base: TypeId) -> Lowered<Declared<'d>> {
        let mut node = node;
        let mut declared = Declared { name: None, ty: base, parameters: Parameters::None, noreturn: false };
        loop {
            declared.noreturn |= noreturn(&node.node.extensions);
            if !node.node.derived.is_empty() {
                declared.parameters = Parameters::None;
            }
            let suffixes = node.node.derived.iter().position(|part| {
                !matches!(part.node, ast::DerivedDeclarator::Pointer(_) | ast::DerivedDeclarator::Block(_))
            });
            let (pointers, suffixes) = node.node.derived.split_at(suffixes.unwrap_or(node.node.derived.len()));
            for _ in pointers {
                declared.ty = self.types.pointer(declared.ty);
            }
            let last = !matches!(node.node.kind.node, ast::DeclaratorKind::Declarator(_));
            for (index, part) in suffixes.iter().enumerate().rev() {
                self.suffix(part, index == 0 && last, &mut declared)?;
            }
            match &node.node.kind.node {
                ast::DeclaratorKind::Abstract => return Ok(declared),
                ast::DeclaratorKind::Identifier(name) => {
                    declared.name = Some(name);
                    return Ok(declared);
                }
                ast::DeclaratorKind::Declarator(inner) => node = inner,
            }
        }
    }

    fn suffix<'d>(
        &mut self,
        part: &'d Node<ast::DerivedDeclarator>,
        outermost: bool,
        declared: &mut Declared<'d>,
    ) -> Lowered<()> {
        match &part.node {
            ast::DerivedDeclarator::Pointer(_) | ast::DerivedDeclarator::Block(_) => {
                declared.ty = self.types.pointer(declared.ty);
            }
            ast::DerivedDeclarator::Array(array) => {
                declared.ty = match &array.node.size {
                    ast::ArraySize::Unknown => self.types.intern(Type::Array(declared.ty, 0)),
                    ast::ArraySize::VariableUnknown => self.types.intern(Type::Variable(declared.ty, None)),
                    ast::ArraySize::VariableExpression(e) | ast::ArraySize::StaticExpression(e) => {
                        match self.length(e) {
                            Some(length) => self.of_varying(declared.ty, length, outermost, e.span)?,
                            None => self.varying(declared.ty, e, outermost)?,
                        }
                    }
                };
            }
            ast::DerivedDeclarator::Function(function) => {
                let parameters = &function.node.parameters;
                let variadic = function.node.ellipsis == ast::Ellipsis::Some;
                declared.parameters =
                    if parameters.is_empty() { Parameters::Names(&[]) } else { Parameters::Prototype(parameters) };
                let types = self.parameter_types(parameters)?;
                // Without any parameter nothing is known of them.
                let open = variadic || parameters.is_empty();
                declared.ty = self.types.intern(Type::Function(declared.ty, types.into(), open));
            }
            ast::DerivedDeclarator::KRFunction(names) => {
                declared.parameters = Parameters::Names(names);
                declared.ty = self.types.intern(Type::Function(declared.ty, Box::new([]), true));
            }
        }
        Ok(())
    }

    /// The length of an array, if it is constant.
    fn length(&mut self, node: &Node<ast::Expression>) -> Option<u64> {
        // Whether it is constant is no matter for complaints.
        let quiet = std::mem::take(&mut self.complaints[self.unit]);
        let number = self.integer_constant(node);
        self.complaints[self.unit] = quiet;
        u64::try_from(number.ok()?).ok()
    }

    /// The types of the parameters of a prototype.
    pub fn parameter_types(&mut self, parameters: &[Node<ast::ParameterDeclaration>]) -> Lowered<Vec<TypeId>> {
        let mut types = self.with_lengths(Lengths::Forgotten, |this| {
            this.scoped(|this| {
                let types = parameters.iter().map(|one| this.parameter(&one.node, one.span).map(|(_, ty)| ty));
                types.collect::<Lowered<Vec<TypeId>>>()
            })
        })?;
        let void = self.types.void();
        if types == [void] {
            types.clear();
        }
        Ok(types)
    }

    /// Name and type of a parameter; arrays and functions are pointers (§6.7.6.3).
    pub fn parameter<'d>(
        &mut self,
        parameter: &'d ast::ParameterDeclaration,
        span: Span,
    ) -> Lowered<(Option<&'d Node<ast::Identifier>>, TypeId)> {
        let (_, base) = self.specifiers(&parameter.specifiers, span)?;
        let (name, ty) = match &parameter.declarator {
            None => (None, base),
            Some(declarator) => {
                let declared = self.declarator(declarator, base)?;
                (declared.name, declared.ty)
            }
        };
        Ok((name, self.adjusted(ty)))
    }

    /// The type of a parameter that is declared with a type.
    pub fn adjusted(&mut self, ty: TypeId) -> TypeId {
        match *self.types.get(ty) {
            Type::Array(element, _) | Type::Variable(element, _) => self.types.pointer(element),
            Type::Function(..) => self.types.pointer(ty),
            _ => ty,
        }
    }

    fn record(&mut self, node: &Node<ast::StructType>) -> Lowered<TypeId> {
        let union = node.node.kind.node == ast::StructKind::Union;
        let tag = node.node.identifier.as_ref().map(|name| name.node.name.as_str());
        let id = match tag.and_then(|tag| self.tag(tag)) {
            Some((Tag::Record(id), innermost)) if innermost || node.node.declarations.is_none() => id,
            Some((Tag::Enumeration(_), true)) => {
                return Err(self.error("this tag is that of an enumeration", node.span));
            }
            _ => {
                let name = tag.map_or_else(|| format!(".{}", self.types.records.len()), str::to_owned);
                self.types.records.push(Record {
                    name: name.into(),
                    union,
                    fields: Vec::new(),
                    size: 0,
                    align: 1,
                    complete: false,
                });
                let id = RecordId(u32::try_from(self.types.records.len() - 1).expect("fewer than bytes of source"));
                if let Some(tag) = tag {
                    self.name_tag(tag, Tag::Record(id));
                }
                id
            }
        };
        if let Some(declarations) = &node.node.declarations {
            if self.types.records[id.0 as usize].complete {
                return Err(self.error("this structure is defined twice", node.span));
            }
            let packed = self.packed(node.span);
            self.members(id, declarations, packed)?;
        }
        Ok(self.types.intern(Type::Record(id)))
    }

    /// Whether an attribute beside a record's braces says that it has no padding.
    fn packed(&self, span: Span) -> bool {
        let text = &self.units[self.unit].prepared.text;
        let around = |text: &str| {
            text.trim_start().starts_with("__attribute") && {
                let end = text.find("))").unwrap_or(text.len());
                text[..end].contains("packed")
            }
        };
        let before = text.get(span.start..span.end).unwrap_or("");
        let head = before.split('{').next().unwrap_or("");
        head.contains("packed") || around(text.get(span.end..).unwrap_or(""))
    }

    fn members(&mut self, id: RecordId, declarations: &[Node<ast::StructDeclaration>], packed: bool) -> Lowered<()> {
        let mut fields: Vec<(String, TypeId, Option<u32>)> = Vec::new();
        let mut noted = Vec::new();
        for declaration in declarations {
            let field = match &declaration.node {
                ast::StructDeclaration::Field(field) => field,
                ast::StructDeclaration::StaticAssert(assertion) => {
                    self.static_assert(assertion)?;
                    continue;
                }
            };
            let base = self.qualified(&field.node.specifiers, field.span)?;
            let levels = self.levels_within(&field.node.specifiers);
            if field.node.declarators.is_empty() && self.types.as_record(base).is_some() {
                fields.push((String::new(), base, None));
            }
            for declarator in &field.node.declarators {
                let (name, ty) = match &declarator.node.declarator {
                    None => (String::new(), base),
                    Some(node) => {
                        let declared = self.declarator(node, base)?;
                        noted.push((node, levels.clone()));
                        (declared.name.map_or_else(String::new, |name| name.node.name.clone()), declared.ty)
                    }
                };
                let bits = match &declarator.node.bit_width {
                    None => None,
                    Some(e) => Some(self.bit_width(e, ty)?),
                };
                if bits.is_none() && self.types.layout(ty).is_none() {
                    let why = if self.types.varies(ty) { "a type whose size varies" } else { "an incomplete type" };
                    let message = format!("the member `{}` has {why}", self.spelled(&name));
                    return Err(self.error(message, declarator.span));
                }
                fields.push((name, ty, bits));
            }
        }
        self.lay_out(id, fields, packed);
        self.note_members(id, noted);
        Ok(())
    }

    fn bit_width(&mut self, node: &Node<ast::Expression>, ty: TypeId) -> Lowered<u32> {
        let width = self.integer_constant(node)?;
        match (u32::try_from(width), self.types.as_integer(ty)) {
            (Ok(bits), Some(integer)) if bits <= integer.width => Ok(bits),
            _ => Err(self.error("no such bit-field is possible", node.span)),
        }
    }

    /// Offsets as the System V ABI has them: a bit-field does not cross a boundary of its declared type.
    fn lay_out(&mut self, id: RecordId, fields: Vec<(String, TypeId, Option<u32>)>, packed: bool) {
        let union = self.types.records[id.0 as usize].union;
        let (mut bit, mut size, mut align) = (0u64, 0u64, 1u64);
        let mut laid = Vec::with_capacity(fields.len());
        for (name, ty, bits) in fields {
            let (own_size, own_align) = self.types.layout(ty).unwrap_or((0, 1));
            let own_align = if packed { 1 } else { own_align };
            if union {
                bit = 0;
            }
            let unit = own_size * 8;
            let (offset, first) = match bits {
                Some(0) => {
                    bit = bit.next_multiple_of(unit.max(1));
                    continue;
                }
                Some(width) => {
                    let width = u64::from(width);
                    if !packed && unit > 0 && bit / unit != (bit + width - 1) / unit {
                        bit = bit.next_multiple_of(unit);
                    }
                    let place = (bit / 8, Some((bit % 8) as u32));
                    bit += width;
                    place
                }
                None => {
                    bit = bit.next_multiple_of(own_align * 8);
                    let place = (bit / 8, None);
                    bit = bit.saturating_add(own_size.saturating_mul(8));
                    place
                }
            };
            if bits.is_none() || !name.is_empty() {
                align = align.max(own_align);
            }
            size = size.max(bit.div_ceil(8));
            let ty = match (bits, self.types.as_integer(ty)) {
                (Some(width), Some(integer)) => self.types.intern(Type::Integer(Integer { width, ..integer })),
                _ => ty,
            };
            if bits.is_none() || !name.is_empty() {
                laid.push(Field { name: name.into(), ty, offset, bit: first });
            }
        }
        let record = &mut self.types.records[id.0 as usize];
        record.fields = laid;
        record.align = align;
        record.size = size.next_multiple_of(align);
        record.complete = true;
    }

    fn enumeration(&mut self, node: &Node<ast::EnumType>) -> Lowered<TypeId> {
        let tag = node.node.identifier.as_ref().map(|name| name.node.name.as_str());
        if node.node.enumerators.is_empty() {
            return match tag.and_then(|tag| self.tag(tag)) {
                Some((Tag::Enumeration(ty), _)) => Ok(ty),
                // Declared later: what compilers take for enumerations without negative constants.
                _ => Ok(self.types.integer(Rank::Int, false)),
            };
        }
        let mut next = 0i128;
        let mut numbers = Vec::new();
        let int = self.types.integer_of(Rank::Int, true);
        for enumerator in &node.node.enumerators {
            if let Some(e) = &enumerator.node.expression {
                next = self.integer_constant(e)?;
            }
            let ty = self.fitting(&[next], int);
            let ty = self.types.intern(Type::Integer(ty));
            self.name(&enumerator.node.identifier.node.name, Entity::Number(next, ty));
            numbers.push(next);
            next = next.saturating_add(1);
        }
        // As gcc and clang choose: unsigned unless a constant is negative.
        let ty = self.fitting(&numbers, Integer { signed: false, ..int });
        let ty = self.types.intern(Type::Integer(ty));
        if let Some(tag) = tag {
            self.name_tag(tag, Tag::Enumeration(ty));
        }
        Ok(ty)
    }

    /// The first of the integer types from `int` on in which all numbers fit; the preferred one if it does.
    fn fitting(&self, numbers: &[i128], preferred: Integer) -> Integer {
        let int = [Rank::Int, Rank::Long, Rank::LongLong];
        let all = int.into_iter().flat_map(|rank| [true, false].map(|signed| self.types.integer_of(rank, signed)));
        let fits = |ty: &Integer| {
            numbers
                .iter()
                .all(|number| *number >= ty.least() && *number <= ty.number(ty.mask() >> u32::from(ty.signed)))
        };
        std::iter::once(preferred).chain(all).find(fits).unwrap_or(preferred)
    }
}

/// Whether an attribute says that control does not come back.
pub fn noreturn(extensions: &[Node<ast::Extension>]) -> bool {
    extensions.iter().any(|extension| match &extension.node {
        ast::Extension::Attribute(attribute) => attribute.name.node.trim_matches('_') == "noreturn",
        _ => false,
    })
}
