//! Where the members of records stand: the System V ABI, with what gcc makes of `packed`, `aligned` and `#pragma pack`.

use crate::c::types::{Field, Integer, Type, TypeId, Types};

/// A member that is to be placed.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name, if it has one.
    pub name: Box<str>,
    /// Its type; for a bit-field the declared one.
    pub ty: TypeId,
    /// The alignment that the name of its type has and its type has not.
    pub beside: Option<u64>,
    /// For a bit-field: how many bits.
    pub bits: Option<u32>,
    /// Whether an attribute of its own packs it.
    pub packed: bool,
    /// The alignment that an attribute of its own asks for.
    pub align: Option<u64>,
}

/// What is said of a record as a whole.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Whether its members overlap.
    pub union: bool,
    /// Whether all its members are packed.
    pub packed: bool,
    /// Its least alignment, in bytes.
    pub align: u64,
    /// The greatest alignment of members, in bytes, as a pragma says.
    pub limit: Option<u64>,
}

/// Places members: they, and the size and the alignment of the record in bytes. Linear.
pub fn lay_out(types: &mut Types, members: Vec<Member>, shape: Shape) -> (Vec<Field>, u64, u64) {
    let (mut bit, mut size, mut align) = (0u64, 0u64, shape.align);
    let mut fields = Vec::with_capacity(members.len());
    for member in members {
        let wants = Wants::of(types, &member, shape);
        if shape.union {
            bit = 0;
        }
        align = align.max(wants.record).max(wants.of_number(bit));
        bit = wants.start(bit);
        let offset = bit / 8;
        let first = member.bits.map(|_| (bit % 8) as u32);
        bit = bit.saturating_add(wants.width);
        size = size.max(bit.div_ceil(8));
        if member.bits.is_some() && member.name.is_empty() {
            continue;
        }
        let ty = match (member.bits, types.as_integer(member.ty)) {
            (Some(width), Some(integer)) => types.intern(Type::Integer(Integer { width, ..integer })),
            _ => member.ty,
        };
        fields.push(Field { name: member.name, ty, offset, bit: first });
    }
    (fields, round_up(size, align), align)
}

/// What a member wants of its place, in bits; but for its record's alignment, in bytes.
struct Wants {
    /// A multiple of so many.
    start: u64,
    /// For a bit-field: not more units of so many than its type has, and how many those are.
    units: Option<(u64, u64)>,
    /// Of a bit-field as wide as a number of the machine the alignment of that, in bytes: it is one where it begins as such a
    /// number does.
    number: Option<u64>,
    width: u64,
    record: u64,
    named: bool,
}

impl Wants {
    fn of(types: &Types, member: &Member, shape: Shape) -> Wants {
        let (size, natural) = types.layout(member.ty).unwrap_or((0, 1));
        let natural = member.beside.unwrap_or(natural);
        let size = size.saturating_mul(8);
        let packed = member.packed || shape.packed;
        let limited = |align: u64| shape.limit.map_or(align, |limit| align.min(limit));
        match member.bits {
            // A bit-field without bits begins a unit, whatever is packed.
            Some(0) => {
                let start = natural.max(member.align.unwrap_or(1)) * 8;
                Wants { start, units: None, number: None, width: 0, record: 1, named: false }
            }
            Some(bits) => {
                let own = member.align.map(limited);
                let free = packed || shape.limit.is_some();
                let unit = natural * 8;
                let record = if packed && shape.limit.is_none() { 1 } else { limited(natural) };
                Wants {
                    start: own.map_or(1, |align| align * 8),
                    units: (!free).then_some((unit, size / unit)),
                    number: Self::number(types, bits, packed, member.align.is_some()).map(limited),
                    width: u64::from(bits),
                    record: if member.name.is_empty() { 1 } else { record.max(own.unwrap_or(1)) },
                    named: !member.name.is_empty(),
                }
            }
            None => {
                let align = match (packed, member.align) {
                    (true, own) => own.unwrap_or(1),
                    (false, own) => natural.max(own.unwrap_or(1)),
                };
                let align = limited(align);
                Wants { start: align * 8, units: None, number: None, width: size, record: align, named: true }
            }
        }
    }

    /// Narrow machines align numbers in structures less, unless an alignment is asked for.
    fn number(types: &Types, bits: u32, packed: bool, aligned: bool) -> Option<u64> {
        let one = matches!(bits, 8 | 16 | 32 | 64) && (bits == 8 || !packed);
        let most = if types.model.pointer <= 32 && !aligned { 4 } else { 8 };
        one.then(|| u64::from(bits / 8).min(most))
    }

    /// The alignment of a bit-field that is a number if so many bits stand before it.
    fn of_number(&self, bit: u64) -> u64 {
        let named = self.number.filter(|_| self.named && bit.is_multiple_of(self.width));
        named.unwrap_or(1)
    }

    /// Where the member begins if so many bits stand before it.
    fn start(&self, bit: u64) -> u64 {
        let number = self.number.is_some() && bit.is_multiple_of(self.width);
        let bit = round_up(bit, self.start);
        match self.units {
            Some((unit, most)) if !number && (bit % unit + self.width).div_ceil(unit) > most => round_up(bit, unit),
            _ => bit,
        }
    }
}

fn round_up(number: u64, to: u64) -> u64 {
    number.div_ceil(to).saturating_mul(to)
}
