//! Types of C programs: integers with width and sign as a data model says, pointers, arrays, records, functions.
//!
//! Types are interned: equal types have equal identifiers (records by declaration, C11 §6.2.7), so that nothing here is
//! compared or dropped by recursion.

use std::collections::HashMap;

use super::ids::VariableId;

/// A type of a program: an index into its [`Types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub u32);

/// A structure or union: an index into [`Types::records`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId(pub u32);

/// The widths of the integer types, in bits. Two's complement, 8-bit bytes, little-endian.
///
/// The two that the command offers are [`DataModel::ILP32`] and [`DataModel::LP64`]; laws that enumerate all values take
/// narrower ones. A type narrower than 8 bits occupies a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DataModel {
    /// `char`, and `_Bool` in memory.
    pub char: u32,
    /// `short`
    pub short: u32,
    /// `int` and enumerations
    pub int: u32,
    /// `long`
    pub long: u32,
    /// `long long`
    pub long_long: u32,
    /// Pointers, and `size_t`.
    pub pointer: u32,
}

impl DataModel {
    /// 32-bit machines.
    pub const ILP32: DataModel = DataModel { char: 8, short: 16, int: 32, long: 32, long_long: 64, pointer: 32 };
    /// 64-bit machines, but for Windows.
    pub const LP64: DataModel = DataModel { char: 8, short: 16, int: 32, long: 64, long_long: 64, pointer: 64 };

    /// The width of an integer type by its rank.
    pub fn width(&self, rank: Rank) -> u32 {
        match rank {
            Rank::Bool => 1,
            Rank::Char => self.char,
            Rank::Short => self.short,
            Rank::Int => self.int,
            Rank::Long => self.long,
            Rank::LongLong => self.long_long,
            Rank::Int128 => 128,
        }
    }
}

impl Default for DataModel {
    fn default() -> Self {
        DataModel::LP64
    }
}

/// The ranks of integer types, ascending (C11 §6.3.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rank {
    /// `_Bool`: one bit; a conversion to it is `!= 0`.
    Bool,
    /// `char`, `signed char`, `unsigned char`; plain `char` is signed.
    Char,
    /// `short`
    Short,
    /// `int`, enumerations
    Int,
    /// `long`
    Long,
    /// `long long`
    LongLong,
    /// `__int128`
    Int128,
}

/// An integer type: values of `width` bits, two's complement if it is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Integer {
    /// The rank of its (for a bit-field: declared) type.
    pub rank: Rank,
    /// Whether negative values exist.
    pub signed: bool,
    /// How many bits a value has, 1 to 128; for a bit-field fewer than its declared type has.
    pub width: u32,
}

impl Integer {
    /// All bits of a value set; values are kept modulo this plus one.
    pub fn mask(self) -> u128 {
        if self.width >= 128 { u128::MAX } else { (1 << self.width) - 1 }
    }

    /// The number that bits stand for, in two's complement; `u128` values beyond `i128` come out negative (their width is
    /// 128, and their comparison has to be made on the bits).
    pub fn number(self, bits: u128) -> i128 {
        let bits = bits & self.mask();
        if self.signed && self.width < 128 && bits >> (self.width - 1) == 1 {
            return (bits | !self.mask()) as i128;
        }
        bits as i128
    }

    /// The least number of the type.
    pub fn least(self) -> i128 {
        if self.signed { -1 << (self.width - 1) } else { 0 }
    }

    /// Whether a value of it fits this type, for all values.
    pub fn fits(self, wider: Integer) -> bool {
        match (self.signed, wider.signed) {
            (true, false) => false,
            (false, true) => self.width < wider.width,
            _ => self.width <= wider.width,
        }
    }
}

/// A real floating type: a format of IEEE 754, or that of x87.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FloatKind {
    /// `float`: binary32
    Single,
    /// `double`: binary64
    Double,
    /// `long double`: the 80 bits of x87, and bytes that fill them up.
    Extended,
}

impl FloatKind {
    /// How many bits a value has.
    pub fn width(self) -> u32 {
        match self {
            FloatKind::Single => 32,
            FloatKind::Double => 64,
            FloatKind::Extended => 80,
        }
    }
}

/// What a type is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `void`, and what an incomplete type has of values: none.
    Void,
    /// An integer type, an enumeration, a bit-field.
    Integer(Integer),
    /// A pointer to objects or functions of a type.
    Pointer(TypeId),
    /// An array with its number of elements; 0 also where that is not known.
    Array(TypeId, u64),
    /// An array whose number of elements is in a local since control got to its declaration; in a prototype nobody knows it.
    /// Pointers to such arrays exist, and lvalues while programs are read; statements move and follow pointers to
    /// what has a size.
    Variable(TypeId, Option<VariableId>),
    /// A structure or union.
    Record(RecordId),
    /// A function: of its result, its parameters, and whether more arguments may follow.
    Function(TypeId, Box<[TypeId]>, bool),
    /// A floating-point number. Only who executes programs knows such values: to all others what is stored there is not represented.
    Float(FloatKind),
    /// Values that are not represented: lists of arguments, unusual floating-point types. Only the size in bytes is known; nothing is
    /// ever read from an lvalue of this type, and what is stored there makes its bytes unknown.
    Opaque(u64),
}

impl Type {
    /// What stands for the type of an initialiser until that is known: no type is as large.
    pub const DEDUCED: Type = Type::Opaque(u64::MAX);
}

/// A structure or union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its tag, or a made-up name.
    pub name: Box<str>,
    /// Whether its members overlap.
    pub union: bool,
    /// Its members in order; those of unnamed members are here as well.
    pub fields: Vec<Field>,
    /// In bytes, with padding at the end.
    pub size: u64,
    /// In bytes.
    pub align: u64,
    /// Whether its members are known.
    pub complete: bool,
}

/// A member of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name; empty for an unnamed structure or union, whose own members are then members of this record too.
    pub name: Box<str>,
    /// Its type; for a bit-field an integer type of that width.
    pub ty: TypeId,
    /// Where it begins, in bytes; for a bit-field the byte in which its first bit is.
    pub offset: u64,
    /// For a bit-field: its first bit in that byte.
    pub bit: Option<u32>,
}

/// The types of a program.
#[derive(Clone, Debug)]
pub struct Types {
    /// The widths.
    pub model: DataModel,
    list: Vec<Type>,
    known: HashMap<Type, TypeId>,
    /// Structures and unions.
    pub records: Vec<Record>,
}

impl Types {
    /// Those that every program has.
    pub fn new(model: DataModel) -> Self {
        Types { model, list: Vec::new(), known: HashMap::new(), records: Vec::new() }
    }

    /// Whether all types of another list are in it, with the same identifiers.
    pub(super) fn extends(&self, other: &Types) -> bool {
        self.model == other.model && self.records == other.records && self.list.starts_with(&other.list)
    }

    /// The identifier of a type.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.known.get(&ty) {
            return id;
        }
        let id = TypeId(u32::try_from(self.list.len()).expect("fewer types than bytes of source"));
        self.list.push(ty.clone());
        self.known.insert(ty, id);
        id
    }

    /// What a type is.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.list[id.0 as usize]
    }

    /// How many types there are: their numbers begin with 0.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// The integer type of a rank and sign in this data model.
    pub fn integer_of(&self, rank: Rank, signed: bool) -> Integer {
        Integer { rank, signed: signed && rank != Rank::Bool, width: self.model.width(rank) }
    }

    /// The same as a type.
    pub fn integer(&mut self, rank: Rank, signed: bool) -> TypeId {
        let integer = self.integer_of(rank, signed);
        self.intern(Type::Integer(integer))
    }

    /// `int`
    pub fn int(&mut self) -> TypeId {
        self.integer(Rank::Int, true)
    }

    /// `void`
    pub fn void(&mut self) -> TypeId {
        self.intern(Type::Void)
    }

    /// Whether an integer type is that of a bit-field: narrower than what it is declared with.
    pub fn is_bit_field(&self, integer: Integer) -> bool {
        integer.width < self.model.width(integer.rank)
    }

    /// The type to which values of an integer type are promoted (§6.3.1.1). Bit-fields that fit in `int` are promoted to it
    /// whatever they are declared with, and those that are wider keep their width, as gcc has it.
    pub fn promoted(&self, integer: Integer) -> Integer {
        let int = self.integer_of(Rank::Int, true);
        if integer.rank > Rank::Int && !self.is_bit_field(integer) {
            return integer;
        }
        if integer.fits(int) {
            return int;
        }
        // One with exactly the bits of a standard type has that type.
        let standard = [Rank::Int, Rank::Long, Rank::LongLong].map(|rank| self.integer_of(rank, integer.signed));
        let same = standard.into_iter().find(|ty| ty.width == integer.width && ty.rank <= integer.rank);
        match same {
            Some(ty) => ty,
            None if integer.rank > Rank::Int => integer,
            None => self.integer_of(Rank::Int, false),
        }
    }

    /// The common type of two operands, which are promoted (§6.3.1.8). Of a bit-field wider than `int` and something else
    /// it is the wider one, as gcc has it.
    pub fn common(&self, a: Integer, b: Integer) -> Integer {
        let (a, b) = (self.promoted(a), self.promoted(b));
        if self.is_bit_field(a) || self.is_bit_field(b) {
            return match a.width.cmp(&b.width) {
                std::cmp::Ordering::Greater => a,
                std::cmp::Ordering::Less => b,
                std::cmp::Ordering::Equal => Integer { signed: a.signed && b.signed, rank: a.rank.max(b.rank), ..a },
            };
        }
        if a.signed == b.signed {
            return if a.rank >= b.rank { a } else { b };
        }
        let (signed, unsigned) = if a.signed { (a, b) } else { (b, a) };
        if unsigned.rank >= signed.rank {
            unsigned
        } else if unsigned.fits(signed) {
            signed
        } else {
            self.integer_of(signed.rank, false)
        }
    }

    /// `size_t`: the least unsigned type as wide as a pointer.
    pub fn size_type(&mut self) -> TypeId {
        let rank = if self.model.int >= self.model.pointer { Rank::Int } else { Rank::Long };
        self.integer(rank, false)
    }

    /// What `ptrdiff_t` is.
    pub fn difference(&self) -> Integer {
        let rank = if self.model.int >= self.model.pointer { Rank::Int } else { Rank::Long };
        self.integer_of(rank, true)
    }

    /// `ptrdiff_t`
    pub fn difference_type(&mut self) -> TypeId {
        self.integer(self.difference().rank, true)
    }

    /// A floating type.
    pub fn float(&mut self, kind: FloatKind) -> TypeId {
        self.intern(Type::Float(kind))
    }

    /// The floating type that a type is, if it is one.
    pub fn as_float(&self, id: TypeId) -> Option<FloatKind> {
        match self.get(id) {
            Type::Float(kind) => Some(*kind),
            _ => None,
        }
    }

    /// `va_list`
    pub fn argument_list(&mut self) -> TypeId {
        let pointer = u64::from(self.model.pointer / 8).max(1);
        let size = if self.model.pointer <= 32 { pointer } else { pointer * 3 };
        self.intern(Type::Opaque(size))
    }

    /// How many bytes a floating-point number takes.
    fn float_size(&self, kind: FloatKind) -> u64 {
        match kind {
            FloatKind::Single => 4,
            FloatKind::Double => 8,
            FloatKind::Extended if self.model.pointer <= 32 => 12,
            FloatKind::Extended => 16,
        }
    }

    /// The size in bytes of a type that is one value, and not represented.
    pub fn unrepresented_size(&self, id: TypeId) -> Option<u64> {
        match self.get(id) {
            Type::Opaque(size) => Some(*size),
            Type::Float(kind) => Some(self.float_size(*kind)),
            _ => None,
        }
    }

    /// A pointer to it.
    pub fn pointer(&mut self, to: TypeId) -> TypeId {
        self.intern(Type::Pointer(to))
    }

    /// The integer type that a type is, if it is one.
    pub fn as_integer(&self, id: TypeId) -> Option<Integer> {
        match self.get(id) {
            Type::Integer(integer) => Some(*integer),
            _ => None,
        }
    }

    /// Whether it is a type of characters.
    pub fn is_character(&self, id: TypeId) -> bool {
        self.as_integer(id).is_some_and(|integer| integer.rank == Rank::Char)
    }

    /// What a pointer type points to, if it is one.
    pub fn pointee(&self, id: TypeId) -> Option<TypeId> {
        match self.get(id) {
            Type::Pointer(to) => Some(*to),
            _ => None,
        }
    }

    /// The record that a type is, if it is one.
    pub fn as_record(&self, id: TypeId) -> Option<&Record> {
        match self.get(id) {
            Type::Record(record) => Some(&self.records[record.0 as usize]),
            _ => None,
        }
    }

    /// Whether it, an element of it, a member, or a part of these is such a type. Linear in it.
    pub fn has_part(&self, id: TypeId, is_wanted: impl Fn(TypeId) -> bool) -> bool {
        let mut open = vec![id];
        while let Some(part) = open.pop() {
            if is_wanted(part) {
                return true;
            }
            match self.get(part) {
                Type::Array(element, _) => open.push(*element),
                Type::Record(record) => {
                    open.extend(self.records[record.0 as usize].fields.iter().map(|field| field.ty));
                }
                _ => {}
            }
        }
        false
    }

    /// Whether its values are numbers or pointers (C11 §6.2.5 p21).
    pub fn is_scalar(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Integer(_) | Type::Pointer(_) | Type::Float(_))
    }

    /// Whether its values are integers or pointers: what those speak of who do not execute programs.
    pub fn is_represented(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Integer(_) | Type::Pointer(_))
    }

    /// Whether a pointer may be among the scalars of a type.
    pub fn holds_pointers(&self, id: TypeId) -> bool {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            match self.get(id) {
                Type::Pointer(_) => return true,
                Type::Array(element, _) | Type::Variable(element, _) => open.push(*element),
                Type::Record(record) => {
                    open.extend(self.records[record.0 as usize].fields.iter().map(|field| field.ty));
                }
                Type::Void | Type::Integer(_) | Type::Function(..) | Type::Float(_) | Type::Opaque(_) => {}
            }
        }
        false
    }

    /// Whether its size is not known before control gets to its declaration.
    pub fn varies(&self, id: TypeId) -> bool {
        self.fixed(id) != id
    }

    /// The first type within it that has the same size always: itself, unless it varies.
    pub fn fixed(&self, id: TypeId) -> TypeId {
        let (mut fixed, mut at) = (id, id);
        loop {
            match self.get(at) {
                Type::Array(element, _) => at = *element,
                Type::Variable(element, _) => (fixed, at) = (*element, *element),
                _ => return fixed,
            }
        }
    }

    /// Whether it consists of values that are not represented, and nothing else.
    pub fn is_opaque(&self, id: TypeId) -> bool {
        let mut id = id;
        while let Type::Array(element, _) = self.get(id) {
            id = *element;
        }
        matches!(self.get(id), Type::Float(_) | Type::Opaque(_))
    }

    /// Whether it consists of floating-point numbers, and nothing else.
    pub fn is_floating(&self, id: TypeId) -> bool {
        let mut id = id;
        while let Type::Array(element, _) = self.get(id) {
            id = *element;
        }
        self.as_float(id).is_some()
    }

    /// Size and alignment in bytes; nothing for `void`, functions and incomplete records. The size of an array saturates.
    pub fn layout(&self, id: TypeId) -> Option<(u64, u64)> {
        let mut times = 1u64;
        let mut id = id;
        // Arrays of arrays are the only types whose layout depends on that of another that is not yet laid out.
        while let Type::Array(element, length) = self.get(id) {
            times = times.saturating_mul(*length);
            id = *element;
        }
        // Machines with 32-bit pointers align long long in structures to 4 bytes (System V ABI).
        let most = if self.model.pointer <= 32 { 4 } else { 16 };
        let (size, align) = match self.get(id) {
            Type::Void | Type::Function(..) | Type::Array(..) | Type::Variable(..) => return None,
            Type::Integer(integer) => {
                let width = u64::from(self.model.width(integer.rank).div_ceil(8).max(1));
                (width, width.min(most))
            }
            Type::Pointer(_) => {
                let width = u64::from(self.model.pointer.div_ceil(8).max(1));
                (width, width.min(most))
            }
            Type::Float(kind) => aligned(self.float_size(*kind), most),
            // Numbers of 128 bits begin at multiples of 16 on all machines.
            Type::Opaque(16) => (16, 16),
            Type::Opaque(size) => aligned(*size, most),
            Type::Record(record) => {
                let record = &self.records[record.0 as usize];
                if !record.complete {
                    return None;
                }
                (record.size, record.align)
            }
        };
        Some((size.saturating_mul(times), align.max(1)))
    }

    /// The size in bytes, where there is one.
    pub fn size(&self, id: TypeId) -> Option<u64> {
        self.layout(id).map(|(size, _)| size)
    }

    /// Writes a type as C does, from the inside out: `int (*)[3]`. Iterates, however deep.
    pub fn name(&self, id: TypeId) -> String {
        self.declaration(id, "")
    }

    /// The declaration of a name with a type: `int (*p)[3]`.
    pub fn declaration(&self, id: TypeId, name: &str) -> String {
        let mut text = name.to_owned();
        let mut id = id;
        loop {
            match self.get(id) {
                Type::Pointer(to) => {
                    text.insert(0, '*');
                    if matches!(self.get(*to), Type::Array(..) | Type::Variable(..) | Type::Function(..)) {
                        text = format!("({text})");
                    }
                    id = *to;
                }
                Type::Array(element, length) => {
                    text = format!("{text}[{length}]");
                    id = *element;
                }
                Type::Variable(element, _) => {
                    text.push_str("[*]");
                    id = *element;
                }
                Type::Function(result, parameters, variadic) => {
                    let shown = match (parameters.len(), variadic) {
                        (0, false) => "void".to_owned(),
                        (n, false) => format!("{n} parameters"),
                        (n, true) => format!("{n} parameters, ..."),
                    };
                    text = format!("{text}({shown})");
                    id = *result;
                }
                base => {
                    let base = self.base_name(base);
                    return if text.is_empty() { base } else { format!("{base} {text}") };
                }
            }
        }
    }

    fn base_name(&self, ty: &Type) -> String {
        match ty {
            Type::Integer(integer) => {
                let name = match (integer.rank, integer.signed) {
                    (Rank::Bool, _) => "_Bool",
                    (Rank::Char, true) => "char",
                    (Rank::Char, false) => "unsigned char",
                    (Rank::Short, true) => "short",
                    (Rank::Short, false) => "unsigned short",
                    (Rank::Int, true) => "int",
                    (Rank::Int, false) => "unsigned int",
                    (Rank::Long, true) => "long",
                    (Rank::Long, false) => "unsigned long",
                    (Rank::LongLong, true) => "long long",
                    (Rank::LongLong, false) => "unsigned long long",
                    (Rank::Int128, true) => "__int128",
                    (Rank::Int128, false) => "unsigned __int128",
                };
                if self.is_bit_field(*integer) { format!("{name}:{}", integer.width) } else { name.to_owned() }
            }
            Type::Record(record) => {
                let record = &self.records[record.0 as usize];
                format!("{} {}", if record.union { "union" } else { "struct" }, record.name)
            }
            Type::Float(FloatKind::Single) => "float".into(),
            Type::Float(FloatKind::Double) => "double".into(),
            Type::Float(FloatKind::Extended) => "long double".into(),
            Type::Opaque(2) => "_Float16".into(),
            Type::Opaque(16) => "_Float128".into(),
            Type::Opaque(_) => "__builtin_va_list".into(),
            _ => "void".into(),
        }
    }
}

/// Something with as many bytes, aligned as far as its size and the machine have it.
fn aligned(size: u64, most: u64) -> (u64, u64) {
    (size, (1 << size.trailing_zeros().min(4)).min(most))
}
