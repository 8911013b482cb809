//! Types from specifiers and declarators (C11 §6.7).

use lang_c::ast;
use lang_c::span::{Node, Span};

use super::attributes::Owner;
use super::scope::{Beside, Entity};
use super::{Lowered, Lowering};
use crate::c::extensions::{Meaning, Modelled, function_specifier, qualifier};
use crate::c::types::{FloatKind, Rank, Type, TypeId};

/// What the specifiers of a declaration say beside the type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// `typedef`
    pub typedef: bool,
    /// `static`
    pub fixed: bool,
    /// `extern`
    pub external: bool,
    /// `_Thread_local`
    pub thread: bool,
    /// `register`
    pub register: bool,
    /// `_Noreturn`, or the attribute.
    pub noreturn: bool,
    /// The alignment that a name of a type has and its type has not.
    pub align: Option<u64>,
}

/// The greatest size of an array in bytes: so many of them are more than any structure has members for whose bits can be counted.
const MAX_ARRAY_BYTES: u64 = 1 << 48;

/// The arithmetic type specifiers met so far.
#[derive(Default)]
struct Words {
    signed: bool,
    unsigned: bool,
    short: bool,
    long: u32,
    base: Option<Base>,
    complex: bool,
    any: bool,
    /// What names of types say beside their types.
    beside: Beside,
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

/// What becomes of lengths that are not constant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lengths {
    /// They are computed where they stand.
    #[default]
    Computed,
    /// The same, but the outermost is that of a parameter, which is a pointer.
    OfParameter,
    /// They are those of a prototype: nobody computes them.
    Forgotten,
}

/// A declarator worked out.
pub struct Declared<'d> {
    /// The name, if it has one.
    pub name: Option<&'d Node<ast::Identifier>>,
    /// Its type.
    pub ty: TypeId,
    /// For a function: the parameters of the declarator next to the name.
    pub parameters: Parameters<'d>,
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
                    // There is one thread: its objects live as long as the program.
                    ast::StorageClassSpecifier::ThreadLocal => said.thread = true,
                    ast::StorageClassSpecifier::Register => said.register = true,
                    ast::StorageClassSpecifier::Auto => {}
                },
                ast::DeclarationSpecifier::TypeSpecifier(specifier) => self.word(&mut words, specifier)?,
                ast::DeclarationSpecifier::Function(function) => {
                    said.noreturn |= function_specifier(&function.node) == Meaning::Modelled(Modelled::Noreturn);
                }
                ast::DeclarationSpecifier::TypeQualifier(word) => self.qualifier(word)?,
                // What stands beside the language was taken out before.
                ast::DeclarationSpecifier::Extension(_) | ast::DeclarationSpecifier::Alignment(_) => {
                    return Err(self.error("this is not understood", node.span));
                }
            }
        }
        said.align = words.beside.align;
        said.noreturn |= words.beside.noreturn;
        Ok((said, self.worded(&words, span)?))
    }

    /// A qualifier that the table allows.
    fn qualifier(&mut self, word: &Node<ast::TypeQualifier>) -> Lowered<()> {
        match qualifier(&word.node) {
            Meaning::Idle => Ok(()),
            _ => Err(self.error("this qualifier is not supported", word.span)),
        }
    }

    /// Specifiers without a storage class: their type, and the alignment that a name of a type has and its type has not.
    pub fn qualified(&mut self, list: &[Node<ast::SpecifierQualifier>], span: Span) -> Lowered<(TypeId, Option<u64>)> {
        let mut words = Words::default();
        for node in list {
            match &node.node {
                ast::SpecifierQualifier::TypeSpecifier(specifier) => self.word(&mut words, specifier)?,
                ast::SpecifierQualifier::TypeQualifier(word) => self.qualifier(word)?,
                ast::SpecifierQualifier::Extension(_) => return Err(self.error("this is not understood", node.span)),
            }
        }
        Ok((self.worded(&words, span)?, words.beside.align))
    }

    /// A type name, as in casts and `sizeof`.
    pub fn type_name(&mut self, node: &Node<ast::TypeName>) -> Lowered<TypeId> {
        self.aligned_type_name(node).map(|(ty, _)| ty)
    }

    /// The same with the alignment that it has and its type has not.
    pub fn aligned_type_name(&mut self, node: &Node<ast::TypeName>) -> Lowered<(TypeId, Option<u64>)> {
        let (base, align) = self.qualified(&node.node.specifiers, node.span)?;
        let (ty, end) = match &node.node.declarator {
            None => (base, node.span.end),
            Some(declarator) => (self.declarator(declarator, base)?.ty, declarator.span.start),
        };
        let list = Span::span(node.span.start, end);
        let asked = self.asked_of_specifiers(list, None, Owner::Type)?;
        let ty = self.as_asked(ty, &asked)?;
        let own = match &node.node.declarator {
            None => asked,
            Some(declarator) => self.asked_of_declarator(Some(declarator), declarator.span, true, Owner::Type)?,
        };
        let inherited = align.filter(|_| self.is_of(ty, base));
        Ok((ty, own.align.or(inherited)))
    }

    /// Whether a type is another, or an array of it: what its name says of its objects is said of these as well.
    pub fn is_of(&self, mut ty: TypeId, base: TypeId) -> bool {
        while let Type::Array(element, _) = *self.types.get(ty)
            && ty != base
        {
            ty = element;
        }
        ty == base
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
            ast::TypeSpecifier::Complex => {
                words.complex = true;
                return Ok(());
            }
            ast::TypeSpecifier::TS18661Float(float) => self.interchange(float, node.span)?,
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
            // There is one thread.
            ast::TypeSpecifier::Atomic(name) => Base::Type(self.type_name(name)?),
            ast::TypeSpecifier::Struct(record) => Base::Type(self.record(record)?),
            ast::TypeSpecifier::Enum(enumeration) => Base::Type(self.enumeration(enumeration)?),
            ast::TypeSpecifier::TypedefName(name) => Base::Type(self.defined_type(words, name)?),
            ast::TypeSpecifier::TypeOf(of) => Base::Type(self.same_type(words, &of.node)?),
        };
        if words.base.is_some_and(|met| met != base && !matches!((met, base), (Base::Int, _) | (_, Base::Int))) {
            return Err(self.error("two types in one declaration", node.span));
        }
        if words.base.is_none() || words.base == Some(Base::Int) {
            words.base = Some(base);
        }
        Ok(())
    }

    /// The type that a name was defined as.
    fn defined_type(&mut self, words: &mut Words, name: &Node<ast::Identifier>) -> Lowered<TypeId> {
        match self.entity(&name.node.name) {
            Some(Entity::Type(ty)) => {
                words.beside = self.beside_type(&name.node.name);
                Ok(ty)
            }
            _ if name.node.name == "__builtin_va_list" => Ok(self.types.argument_list()),
            _ => Err(self.unknown_name(&name.node.name, name.span)),
        }
    }

    /// `typeof(…)`: the type of an expression, or one that is named.
    fn same_type(&mut self, words: &mut Words, of: &ast::TypeOf) -> Lowered<TypeId> {
        match of {
            ast::TypeOf::Type(name) => {
                let (ty, align) = self.aligned_type_name(name)?;
                words.beside.align = align;
                Ok(ty)
            }
            ast::TypeOf::Expression(e) => match self.procedure_named(e) {
                Some(id) => Ok(self.known[id.0 as usize].ty),
                None => self.type_of(e),
            },
        }
    }

    /// `_Float64`, `__int128` in its disguise.
    fn interchange(&mut self, float: &ast::TS18661FloatType, span: Span) -> Lowered<Base> {
        use ast::TS18661FloatFormat::{BinaryExtended, BinaryInterchange};
        let narrow = self.types.model.pointer <= 32;
        Ok(match (&float.format, float.width) {
            (BinaryExtended, width) if width == crate::c::prepare::INT128.1 => {
                if narrow {
                    return Err(self.error("there is no `__int128` in this data model", span));
                }
                Base::Int128
            }
            (BinaryExtended, width) if width == crate::c::prepare::DEDUCED.1 => {
                Base::Type(self.types.intern(Type::DEDUCED))
            }
            (BinaryInterchange, 32) => Base::Type(self.types.float(FloatKind::Single)),
            (BinaryInterchange, 64) | (BinaryExtended, 32) => Base::Type(self.types.float(FloatKind::Double)),
            (BinaryInterchange, 16 | 128) => Base::Type(self.types.intern(Type::Opaque(float.width as u64 / 8))),
            (BinaryExtended, 64) => Base::Type(self.types.float(FloatKind::Extended)),
            _ => return Err(self.error("this floating-point type is not supported", span)),
        })
    }

    /// The type of a literal with the suffix of such a type.
    pub fn interchanged(&mut self, float: &ast::TS18661FloatType, span: Span) -> Lowered<TypeId> {
        match self.interchange(float, span)? {
            Base::Type(ty) => Ok(ty),
            _ => Err(self.error("this floating-point type is not supported", span)),
        }
    }

    /// The type that specifiers give, and the complex one of it.
    fn worded(&mut self, words: &Words, span: Span) -> Lowered<TypeId> {
        if !words.complex {
            return self.real_worded(words, span);
        }
        let plain = words.base.is_none() && !(words.short || words.signed || words.unsigned);
        let of = match plain {
            true if words.long == 0 => self.types.float(FloatKind::Double),
            true => self.types.float(FloatKind::Extended),
            false => self.real_worded(words, span)?,
        };
        match *self.types.get(of) {
            Type::Integer(_) | Type::Float(_) => self.complex(of),
            // Parts that are not represented.
            Type::Opaque(size) => Ok(self.types.intern(Type::Opaque(2 * size))),
            _ => Err(self.error("complex numbers have parts of arithmetic types", span)),
        }
    }

    fn real_worded(&mut self, words: &Words, span: Span) -> Lowered<TypeId> {
        if !words.any {
            self.warning("declared without a type: `int` is taken, as in C89", span);
        }
        let signed = !words.unsigned;
        let rank = match words.base {
            Some(Base::Void) => return Ok(self.types.void()),
            Some(Base::Type(ty)) => return Ok(ty),
            Some(Base::Float) => return Ok(self.types.float(FloatKind::Single)),
            Some(Base::Double) if words.long > 0 => return Ok(self.types.float(FloatKind::Extended)),
            Some(Base::Double) => return Ok(self.types.float(FloatKind::Double)),
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
        let mut declared = Declared { name: None, ty: base, parameters: Parameters::None };
        loop {
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

    fn is_too_large(&self, element: TypeId, length: u64) -> bool {
        self.types.size(element).unwrap_or(1).checked_mul(length).is_none_or(|size| size > MAX_ARRAY_BYTES)
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
                            Some(length) if self.is_too_large(declared.ty, length) => {
                                return Err(self.error("an array as large as this is not represented", e.span));
                            }
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
        let declarator = parameter.declarator.as_ref();
        let asked = self.asked_of_specifiers(span, declarator.map(|declarator| declarator.span), Owner::Type)?;
        let mut ty = self.as_asked(ty, &asked)?;
        if let Some(declarator) = declarator {
            let own = self.asked_of_declarator(Some(declarator), declarator.span, true, Owner::Type)?;
            ty = self.as_asked(ty, &own)?;
        }
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
}
