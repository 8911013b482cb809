//! Structures and unions: attributes that say where members are, bit-fields of every type, values that are copied.

use super::making::Making;

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

/// A structure or union that was declared.
pub struct Record {
    /// Its type, as it is used.
    pub ty: String,
    /// Members that are integers, but no bit-fields.
    pub integers: Vec<String>,
    /// Members that have an address.
    pub addressed: Vec<String>,
    /// Bit-fields.
    pub bits: Vec<String>,
}

/// What members a record may have.
#[derive(Clone, Copy)]
pub struct Kinds {
    /// Attributes.
    pub attributes: bool,
    /// How many of ten members are bit-fields.
    pub bits: u8,
}

/// Declares a record.
pub fn record(making: &mut Making<'_>, keyword: &str, kinds: Kinds) -> Record {
    let name = making.name("S");
    let mut record = Record { ty: format!("{keyword} {name}"), integers: vec![], addressed: vec![], bits: vec![] };
    let count = making.rng.usize(1..6);
    let members: String = (0..count).map(|at| format!(" {};", member(making, &mut record, at, kinds))).collect();
    let (mut before, mut after) = (String::new(), String::new());
    let mut tag = name;
    if kinds.attributes {
        match making.rng.u8(..12) {
            0 | 1 => after = " __attribute__((packed))".to_owned(),
            2 => after = format!(" __attribute__((aligned({})))", making.pick(&["1", "2", "4", "8", "16", "sizeof(int)"])),
            3 => after = format!(" __attribute__((packed, aligned({})))", making.pick(&["1", "2", "4", "8"])),
            4 => tag = format!("__attribute__((packed)) {tag}"),
            5 => tag = format!("__attribute__((__aligned__({}))) {tag}", making.pick(&["2", "8", "32"])),
            6 | 7 => before = format!("#pragma pack(push, {})\n", making.pick(&["1", "2", "4", "8"])),
            8 => before = format!("#pragma pack({})\n", making.pick(&["1", "2", "4"])),
            _ => {}
        }
    }
    let end = match &*before {
        "" => "",
        before if before.contains("push") => "\n#pragma pack(pop)",
        _ => "\n#pragma pack()",
    };
    making.file(format!("{before}{keyword} {tag} {{{members} }}{after};{end}"));
    if making.one_in(4) {
        let alias = making.name("A");
        let attribute = match kinds.attributes && making.one_in(2) {
            true => making.pick(&[" __attribute__((aligned(16)))", " __attribute__((aligned(2)))", " __attribute__((aligned))"]),
            false => "",
        };
        making.file(format!("typedef {} {alias}{attribute};", record.ty));
        record.ty = alias;
    }
    record
}

/// A member; what of it can be accessed is noted.
fn member(making: &mut Making<'_>, record: &mut Record, at: usize, kinds: Kinds) -> String {
    let name = format!("m{at}");
    if making.rng.u8(..10) < kinds.bits {
        return bit_field(making, record, &name, kinds);
    }
    let declared = match making.rng.u8(..12) {
        0 => {
            let (ty, length) = (making.scalar(), making.rng.usize(1..4));
            if !ty.floating {
                record.integers.extend([format!("{name}[0]"), format!("{name}[{}]", length - 1)]);
            }
            format!("{} {name}[{length}]", ty.name)
        }
        1 => {
            let (first, second) = (making.integer().name, making.integer().name);
            record.integers.extend([format!("{name}.f"), format!("{name}.s")]);
            record.addressed.push(format!("{name}.s"));
            format!("struct {{ {first} f; {second} s; }} {name}")
        }
        2 => {
            let (first, second) = (making.integer().name, making.integer().name);
            record.integers.extend([format!("f{at}"), format!("s{at}")]);
            record.addressed.push(format!("s{at}"));
            let keyword = making.pick(&["struct", "union"]);
            return format!("{keyword} {{ {first} f{at}; {second} s{at}; }}");
        }
        3 => format!("void *{name}"),
        4 => format!("{} {name}", making.floating().name),
        _ => {
            record.integers.push(name.clone());
            format!("{} {name}", making.integer().name)
        }
    };
    record.addressed.push(name);
    if !kinds.attributes {
        return declared;
    }
    match making.rng.u8(..10) {
        0 => format!("{declared} __attribute__((packed))"),
        1 => format!("{declared} __attribute__((aligned({})))", making.pick(&["2", "4", "8", "16"])),
        2 => format!("_Alignas({}) {declared}", making.pick(&["8", "16", "long"])),
        3 => format!("{declared} __attribute__((packed, aligned(2)))"),
        _ => declared,
    }
}

/// A bit-field, which may have no name.
fn bit_field(making: &mut Making<'_>, record: &mut Record, name: &str, kinds: Kinds) -> String {
    let (ty, most) = BITS[making.rng.usize(..BITS.len())];
    match making.rng.u8(..10) {
        0 => return format!("{ty} : {}", making.rng.u8(..=most)),
        1 => return format!("{ty} : 0"),
        _ => {}
    }
    record.bits.push(name.to_owned());
    let width = if making.one_in(6) { most } else { making.rng.u8(1..=most) };
    let attribute = if kinds.attributes && making.one_in(10) { " __attribute__((packed))" } else { "" };
    format!("{ty} {name} : {width}{attribute}")
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
    let Record { ty, integers, addressed, bits } = record;
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
        if keyword == "struct" && making.one_in(3) {
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
    let object = zeroed(making, &record);
    for _ in 0..making.rng.usize(1..4) {
        if record.bits.is_empty() {
            break;
        }
        let (bit, value) = (making.rng.usize(..record.bits.len()), making.value(2));
        let place = format!("{object}.{}", record.bits[bit]);
        let text = match making.rng.u8(..8) {
            0 | 1 => format!("{place} = {value};"),
            2 => format!("{place} += {value};"),
            3 => format!("{place}++;"),
            4 => format!("{place} = ~{place};"),
            5 => format!("{place} = {place} << 1;"),
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
            format!("({place} << {small})"),
            format!("(({place} << {small}) >> {small})"),
            format!("({place} + {place})"),
            format!("({place} * {place} > 0)"),
            format!("sizeof({place} + 0)"),
            format!("sizeof(-{place})"),
            format!("({place} > -1)"),
            format!("(({place}, {place}) - 1 < 0)"),
            format!("(a ? {place} : -1)"),
            format!("({place} == (unsigned) {place})"),
            format!("(a & 1 ? {place} : {object}.{})", record.bits[0]),
        ]);
    }
    if let Some(bit) = record.bits.first() {
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
    let (name, object) = (making.name("V"), making.name("v"));
    making.file(format!("union {name} {{ {} in; unsigned char all[48]; unsigned u; long long l; }};", record.ty));
    making.file(format!("static union {name} {object};"));
    if making.rng.bool() {
        let value = making.pick(&["255", "i * 17", "0x5a + a"]);
        making.line(format!("for (int i = 0; i < 16; i++) {object}.all[i] = {value};"));
    }
    for _ in 0..making.rng.usize(1..4) {
        let Some(bit) = record.bits.get(making.rng.usize(..record.bits.len().max(1))) else { break };
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
    let paths: Vec<String> = record.integers.iter().chain(&record.bits).cloned().collect();
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
        3 => making.line(format!("{ty} t[2]; t[0] = t[1] = {object}; t[b].{path} = {value}; {ty} {other} = t[a & 1];")),
        4 => making.line(format!("{object}.{path} = {value}; {ty} {other} = b ? {object} : ({ty}) {{0}};")),
        _ => making.line(format!("struct {{ int i; {ty} s; }} w = {{ .i = a }}; w.s = {object}; w.s.{path} = {value}; {ty} {other} = w.s;")),
    }
    making.places.extend([format!("{other}.{path}"), format!("{object}.{path}")]);
    let again = &paths[making.rng.usize(..paths.len())];
    making.places.push(format!("{other}.{again}"));
    making.observe();
}
