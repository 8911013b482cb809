//! Structures and unions: attributes that say where members are, bit-fields of every type, values that are copied.

use std::rc::Rc;

use super::making::{Making, Scalar};

/// Types that bit-fields are declared with, and their widths.
const BITS: [(&str, u8); 14] = [
    ("int", 32),
    ("unsigned", 32),
    ("signed int", 32),
    ("_Bool", 1),
    ("char", 8),
    ("signed char", 8),
    ("unsigned char", 8),
    ("short", 16),
    ("unsigned short", 16),
    ("long", 64),
    ("unsigned long", 64),
    ("long long", 64),
    ("unsigned long long", 64),
    ("long", 64),
];

/// A type.
#[derive(Clone, Debug)]
pub enum Type {
    /// Of numbers.
    Scalar(Scalar),
    /// A bit-field, of this declared type and width.
    Bits(&'static str, u8),
    /// `void *`
    Pointer,
    /// So many elements.
    Array(Box<Type>, usize),
    /// A structure or union.
    Record(Rc<Record>),
}

/// A structure or union that was declared.
#[derive(Debug)]
pub struct Record {
    /// Its type, as it is used.
    pub ty: String,
    /// Whether members overlap.
    pub union: bool,
    /// Whether there are no arrays of it: its size may be no multiple of its alignment.
    pub alone: bool,
    /// In order.
    pub members: Vec<Member>,
}

/// A member.
#[derive(Debug)]
pub struct Member {
    /// Nothing if it has none.
    pub name: String,
    /// What it is.
    pub ty: Type,
}

/// What members a record may have.
#[derive(Clone, Copy)]
pub struct Kinds {
    /// Attributes.
    pub attributes: bool,
    /// How many of ten members are bit-fields.
    pub bits: u8,
}

/// Parts of an object that can be accessed.
#[derive(Debug, Default)]
pub struct Parts {
    /// Integers, but no bit-fields.
    pub integers: Vec<String>,
    /// What has an address.
    pub addressed: Vec<String>,
    /// Bit-fields.
    pub bits: Vec<String>,
}

impl Type {
    /// The declaration of something with this name.
    pub fn declared(&self, name: &str) -> String {
        match self {
            Type::Scalar(scalar) => format!("{} {name}", scalar.name),
            Type::Bits(ty, width) => format!("{ty} {name} : {width}"),
            Type::Pointer => format!("void *{name}"),
            Type::Array(element, length) => element.declared(&format!("{name}[{length}]")),
            Type::Record(record) => format!("{} {name}", record.ty),
        }
    }

    fn parts(&self, path: &str, parts: &mut Parts) {
        if let Type::Bits(..) = self {
            return parts.bits.push(path.to_owned());
        }
        parts.addressed.push(path.to_owned());
        match self {
            Type::Scalar(scalar) if !scalar.floating => parts.integers.push(path.to_owned()),
            Type::Array(element, length) => element.parts(&format!("{path}[{}]", length - 1), parts),
            Type::Record(record) => record.parts_below(&format!("{path}."), parts),
            _ => {}
        }
    }
}

impl Record {
    /// What of it can be accessed.
    pub fn parts(&self) -> Parts {
        let mut parts = Parts::default();
        self.parts_below("", &mut parts);
        parts
    }

    fn parts_below(&self, prefix: &str, parts: &mut Parts) {
        for Member { name, ty } in &self.members {
            match ty {
                Type::Record(record) if name.is_empty() => record.parts_below(prefix, parts),
                _ if name.is_empty() => {}
                _ => ty.parts(&format!("{prefix}{name}"), parts),
            }
        }
    }
}

/// Declares a record.
pub fn record(making: &mut Making<'_>, keyword: &str, kinds: Kinds) -> Rc<Record> {
    let name = making.name("S");
    let (mut members, mut text) = (Vec::new(), String::new());
    for at in 0..making.rng.usize(1..6) {
        let (member, declared) = member(making, at, kinds);
        members.push(member);
        text += &format!(" {declared};");
    }
    // One without names has no initialiser in standard C.
    if members.iter().all(|member| member.name.is_empty() && matches!(member.ty, Type::Bits(..))) {
        let ty = Type::Scalar(making.integer());
        text += &format!(" {};", ty.declared("last"));
        members.push(Member { name: "last".to_owned(), ty });
    }
    let (mut ty, mut alone) = (format!("{keyword} {name}"), false);
    let (before, tag, after) = attributed(making, name, kinds);
    let end = match &*before {
        "" => "",
        before if before.contains("push") => "\n#pragma pack(pop)",
        _ => "\n#pragma pack()",
    };
    making.file(format!("{before}{keyword} {tag} {{{text} }}{after};{end}"));
    if making.one_in(4) {
        let alias = making.name("A");
        let aligned = [" __attribute__((aligned(16)))", " __attribute__((aligned(2)))", " __attribute__((aligned))"];
        alone = kinds.attributes && making.one_in(2);
        let attribute = if alone { making.pick(&aligned) } else { "" };
        making.file(format!("typedef {ty} {alias}{attribute};"));
        ty = alias;
    }
    let record = Rc::new(Record { ty, union: keyword == "union", alone, members });
    making.records.push(Rc::clone(&record));
    record
}

/// What is said of a record: before it, about its tag, and after it.
fn attributed(making: &mut Making<'_>, tag: String, kinds: Kinds) -> (String, String, String) {
    let nothing = String::new();
    if !kinds.attributes {
        return (nothing.clone(), tag, nothing);
    }
    let small = making.pick(&["1", "2", "4", "8"]);
    let aligned = making.pick(&["1", "2", "4", "8", "16", "sizeof(int)", "32"]);
    match making.rng.u8(..12) {
        0 | 1 => (nothing.clone(), tag, " __attribute__((packed))".to_owned()),
        2 => (nothing.clone(), tag, format!(" __attribute__((aligned({aligned})))")),
        3 => (nothing.clone(), tag, format!(" __attribute__((packed, __aligned__({small})))")),
        4 => (nothing.clone(), format!("__attribute__((__packed__)) {tag}"), nothing),
        5 => (nothing.clone(), format!("__attribute__((aligned({aligned}))) {tag}"), nothing),
        6 | 7 => (format!("#pragma pack(push, {small})\n"), tag, nothing),
        8 => (format!("#pragma pack({small})\n"), tag, nothing),
        _ => (nothing.clone(), tag, nothing),
    }
}

/// A member, and its declaration.
fn member(making: &mut Making<'_>, at: usize, kinds: Kinds) -> (Member, String) {
    let name = format!("m{at}");
    if making.rng.u8(..10) < kinds.bits {
        return bit_field(making, name, kinds);
    }
    let ty = match making.rng.u8(..13) {
        0 => Type::Array(Box::new(Type::Scalar(making.scalar())), making.rng.usize(1..4)),
        1 => pair(making, "struct", &["f", "s"]),
        2 => {
            let keyword = making.pick(&["struct", "union"]);
            let ty = pair(making, keyword, &[&format!("f{at}"), &format!("s{at}")]);
            let Type::Record(record) = &ty else { return bit_field(making, name, kinds) };
            let declared = record.ty.clone();
            return (Member { name: String::new(), ty }, declared);
        }
        3 => Type::Pointer,
        4 => Type::Scalar(making.floating()),
        5 if !making.records.is_empty() => {
            let record = Rc::clone(&making.records[making.rng.usize(..making.records.len())]);
            let alone = record.alone;
            let ty = Type::Record(record);
            if !alone && making.one_in(3) { Type::Array(Box::new(ty), making.rng.usize(1..3)) } else { ty }
        }
        6 => {
            let row = Type::Array(Box::new(Type::Scalar(making.integer())), making.rng.usize(1..4));
            Type::Array(Box::new(row), making.rng.usize(1..3))
        }
        _ => Type::Scalar(making.integer()),
    };
    let declared = ty.declared(&name);
    let declared = match making.rng.u8(..10) {
        _ if !kinds.attributes => declared,
        0 => format!("{declared} __attribute__((packed))"),
        1 => format!("{declared} __attribute__((aligned({})))", making.pick(&["2", "4", "8", "16"])),
        2 => format!("_Alignas({}) {declared}", making.pick(&["16", "32", "long double"])),
        3 => format!("{declared} __attribute__((packed, aligned(2)))"),
        _ => declared,
    };
    (Member { name, ty }, declared)
}

/// A record of two integers, declared where it is used.
fn pair(making: &mut Making<'_>, keyword: &str, names: &[&str; 2]) -> Type {
    let members = names.map(|name| Member { name: name.to_owned(), ty: Type::Scalar(making.integer()) });
    let declared: String = members.iter().map(|member| format!("{}; ", member.ty.declared(&member.name))).collect();
    let ty = format!("{keyword} {{ {declared}}}");
    Type::Record(Rc::new(Record { ty, union: keyword == "union", alone: false, members: members.into() }))
}

/// A bit-field, which may have no name, and its declaration.
fn bit_field(making: &mut Making<'_>, name: String, kinds: Kinds) -> (Member, String) {
    let (ty, most) = BITS[making.rng.usize(..BITS.len())];
    let most = if ty.ends_with("long") && !ty.ends_with("long long") { making.long } else { most };
    let width = match making.rng.u8(..10) {
        0 => making.rng.u8(..=most),
        1 => 0,
        2 => most,
        _ => making.rng.u8(1..=most),
    };
    let name = if width == 0 || making.one_in(10) { String::new() } else { name };
    let attribute = if kinds.attributes && making.one_in(10) { " __attribute__((packed))" } else { "" };
    let field = Type::Bits(ty, width);
    let declared = field.declared(&name) + attribute;
    (Member { name, ty: field }, declared)
}

/// An object of the record whose bytes are zeros, and its bytes.
fn zeroed(making: &mut Making<'_>, record: &Record) -> String {
    let name = making.name("o");
    match making.rng.u8(..3) {
        0 => making.file(format!("{} {name};", record.ty)),
        1 => making.line(format!("static {} {name};", record.ty)),
        _ => making.file(format!("static {} {name};", record.ty)),
    }
    name
}

/// How many bytes a record has, where its members are, and which bytes a member is stored in.
pub fn layout(making: &mut Making<'_>) {
    let keyword = making.pick(&["struct", "struct", "struct", "union"]);
    let bits = if making.one_in(3) { 3 } else { 0 };
    let record = record(making, keyword, Kinds { attributes: true, bits });
    let object = zeroed(making, &record);
    let ty = record.ty.clone();
    let Parts { integers, addressed, bits } = record.parts();
    making.places.extend([format!("sizeof({ty})"), format!("_Alignof({ty})"), format!("sizeof {object}")]);
    for path in &addressed {
        making.places.push(format!("((char *) &{object}.{path} - (char *) &{object})"));
        making.places.push(format!("__builtin_offsetof({ty}, {path})"));
        making.places.push(format!("sizeof {object}.{path}"));
    }
    let stored: Vec<&String> = integers.iter().chain(&bits).collect();
    if !stored.is_empty() {
        for _ in 0..making.rng.u8(0..3) {
            let path = stored[making.rng.usize(..stored.len())];
            let value = making.value(1);
            making.line(format!("{object}.{path} = {value};"));
            making.places.push(format!("{object}.{path}"));
            let at = making.rng.usize(..24);
            making.places.push(format!("({at} < sizeof {object} ? ((unsigned char *) &{object})[{at}] : 5)"));
        }
        if keyword == "struct" && !record.alone && making.one_in(3) {
            let copy = making.name("c");
            making.line(format!("static {ty} {copy}[2]; {copy}[1] = {object};"));
            making.places.push(format!("{copy}[1].{}", stored[0]));
            making.places.push(format!("((char *) &{copy}[1] - (char *) {copy})"));
        }
    }
    making.observe();
}

/// Bit-fields that are read, written and computed with: what they are promoted to, and what an assignment of them is worth.
pub fn bits(making: &mut Making<'_>) {
    let attributes = making.one_in(5);
    let record = record(making, "struct", Kinds { attributes, bits: 8 });
    let (object, fields) = (zeroed(making, &record), record.parts().bits);
    for _ in 0..making.rng.usize(1..4) {
        if fields.is_empty() {
            break;
        }
        let (bit, value) = (making.rng.usize(..fields.len()), making.value(2));
        let place = format!("{object}.{}", fields[bit]);
        let text = match making.rng.u8(..8) {
            0 | 1 => format!("{place} = {value};"),
            2 => format!("{place} += {value};"),
            3 => format!("{place}++;"),
            4 => format!("{place} = ~{place};"),
            5 => format!("{place} = (unsigned long long) {place} << 1;"),
            6 => format!("{place} ^= {value};"),
            _ => format!("--{place};"),
        };
        making.line(text);
        let small = making.rng.u8(1..9);
        making.places.extend([
            place.clone(),
            format!("({place} - 2 < 0)"),
            format!("(-{place} < 0)"),
            format!("(~{place} < 0)"),
            // Compilers do not look at shifts of fields wider than an int: they are of small numbers.
            format!("(({place} & 0xff) << {small})"),
            format!("((({place} & 0xff) << {small}) >> {small})"),
            format!("({place} + {place})"),
            format!("({place} * {place} > 0)"),
            format!("sizeof({place} + 0)"),
            format!("sizeof(-{place})"),
            format!("({place} > -1)"),
            format!("(({place}, {place}) - 1 < 0)"),
            format!("(a ? {place} : -1)"),
            format!("({place} == (unsigned) {place})"),
            format!("(a & 1 ? {place} : {object}.{})", fields[0]),
        ]);
    }
    if let Some(bit) = fields.first() {
        let (result, value) = (making.name("r"), making.value(2));
        let op = making.pick(&["=", "+=", "-=", "|=", "*="]);
        let text = match making.rng.u8(..4) {
            0 => format!("long long {result} = ({object}.{bit} {op} {value});"),
            1 => format!("long long {result} = {object}.{bit}++;"),
            2 => format!("long long {result} = ++{object}.{bit};"),
            _ => format!("int {result} = (({object}.{bit} {op} {value}) - 1) < 0;"),
        };
        making.line(text);
        making.places.push(result);
    }
    making.places.push(format!("sizeof {object}"));
    making.observe();
}

/// The bytes that bit-fields are stored in.
pub fn bytes_of_bits(making: &mut Making<'_>) {
    let attributes = making.one_in(2);
    let record = record(making, "struct", Kinds { attributes, bits: 9 });
    let (name, object, fields) = (making.name("V"), making.name("v"), record.parts().bits);
    making.file(format!("union {name} {{ {} in; unsigned char all[48]; unsigned u; long long l; }};", record.ty));
    making.file(format!("static union {name} {object};"));
    if making.rng.bool() {
        let value = making.pick(&["255", "i * 17", "0x5a + a"]);
        making.line(format!("for (int i = 0; i < 16; i++) {object}.all[i] = {value};"));
    }
    for _ in 0..making.rng.usize(1..4) {
        let Some(bit) = fields.get(making.rng.usize(..fields.len().max(1))) else { break };
        let value = making.value(1);
        let op = making.pick(&["=", "=", "+=", "^="]);
        making.line(format!("{object}.in.{bit} {op} {value};"));
        making.places.push(format!("{object}.in.{bit}"));
    }
    if making.one_in(3) {
        let (at, value) = (making.rng.u8(..4), making.pick(&["a", "0x77", "255"]));
        making.line(format!("{object}.all[{at}] = {value};"));
    }
    for at in [0, 1, 2, 3, 4, 5, 7, 8] {
        making.places.push(format!("{object}.all[{at}]"));
    }
    making.places.extend([format!("{object}.u"), format!("{object}.l"), format!("sizeof {object}.in")]);
    making.observe();
}

/// Structures as values: assigned, given, returned, in arrays and in other structures.
pub fn values(making: &mut Making<'_>) {
    let record = record(making, "struct", Kinds { attributes: false, bits: 2 });
    let (object, ty) = (zeroed(making, &record), record.ty.clone());
    let parts = record.parts();
    let paths: Vec<String> = parts.integers.into_iter().chain(parts.bits).collect();
    if paths.is_empty() {
        making.places.push(format!("sizeof {object}"));
        return making.observe();
    }
    let path = paths[making.rng.usize(..paths.len())].clone();
    let (f, value, other) = (making.name("f"), making.value(1), making.name("p"));
    match making.rng.u8(..6) {
        0 => {
            making.file(format!("{ty} {f}({ty} s, int v) {{ s.{path} = v; return s; }}"));
            making.line(format!("{ty} {other} = {f}({object}, {value});"));
        }
        1 => {
            making.file(format!("int {f}({ty} s) {{ s.{path} += 3; return s.{path}; }}"));
            making.line(format!("{object}.{path} = {value}; {ty} {other} = {object}; int r{f} = {f}({other});"));
            making.places.push(format!("r{f}"));
        }
        2 => making.line(format!("{ty} {other} = {object}, *q = &{other}; q->{path} = {value}; {object} = *q;")),
        3 if !record.alone => {
            making.line(format!("{ty} t[2]; t[0] = t[1] = {object}; t[b].{path} = {value}; {ty} {other} = t[a & 1];"))
        }
        4 => making.line(format!("{object}.{path} = {value}; {ty} {other} = b ? {object} : ({ty}) {{0}};")),
        _ => making.line(format!(
            "struct {{ int i; {ty} s; }} w = {{ .i = a }}; w.s = {object}; w.s.{path} = {value}; {ty} {other} = w.s;"
        )),
    }
    making.places.extend([format!("{other}.{path}"), format!("{object}.{path}")]);
    let again = &paths[making.rng.usize(..paths.len())];
    making.places.push(format!("{other}.{again}"));
    making.observe();
}
