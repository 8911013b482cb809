//! Numbers stored as bytes, and read as others: unions, pointers to other types, floating-point numbers.

use super::making::{Making, Scalar};

/// A member of a union: how it is declared, and what of it can be accessed.
struct Member {
    declared: String,
    accessed: Vec<(String, Scalar)>,
}

/// A union in which any member is written, and any read; each byte of it is written before it is read.
pub fn union(making: &mut Making<'_>) {
    let name = making.name("U");
    let members: Vec<Member> = (0..making.rng.usize(2..5)).map(|at| member(making, &format!("m{at}"))).collect();
    let declared: String = members.iter().map(|member| format!(" {};", member.declared)).collect();
    making.file(format!("union {name} {{{declared} unsigned char all[16]; }};"));
    let object = object(making, &format!("union {name}"));
    let accessed: Vec<&(String, Scalar)> = members.iter().flat_map(|member| &member.accessed).collect();
    for _ in 0..making.rng.usize(1..5) {
        let (path, scalar) = accessed[making.rng.usize(..accessed.len())];
        let (scalar, value) = (*scalar, making.number_of(*scalar));
        if making.one_in(5) {
            let set = making.name("set");
            making.file(format!("void {set}(union {name} *u, {} v) {{ u->{path} = v; }}", scalar.name));
            making.line(format!("{set}(&{object}, {value});"));
        } else {
            let op = if scalar.floating { "=" } else { making.pick(&["=", "=", "=", "+=", "^="]) };
            making.line(format!("{object}.{path} {op} {value};"));
        }
        making
            .places
            .extend(accessed.iter().filter(|(_, scalar)| !scalar.floating).map(|(path, _)| format!("{object}.{path}")));
    }
    making.places.extend([format!("{object}.all[1]"), format!("{object}.all[3]"), format!("{object}.all[7]")]);
    copied(making, &format!("union {name}"), &object);
    let compared: Vec<String> = accessed
        .iter()
        .filter(|(_, scalar)| scalar.floating)
        .map(|(path, _)| format!("({object}.{path} < 1)"))
        .collect();
    making.places.extend(compared);
    making.observe();
}

/// The object may be copied, by assignment, argument or result, before it is observed.
fn copied(making: &mut Making<'_>, ty: &str, object: &str) {
    let copy = making.name("copy");
    match making.rng.u8(..8) {
        0 => {
            making.line(format!("{ty} {copy} = {object};"));
            making.line(format!("{object} = $zero;"));
            making.line(format!("{object} = {copy};"));
        }
        1 => {
            making.file(format!("{ty} {copy}({ty} v) {{ return v; }}"));
            making.line(format!("{object} = {copy}({object});"));
        }
        _ => {}
    }
}

/// A member of a union with that name.
fn member(making: &mut Making<'_>, name: &str) -> Member {
    match making.rng.u8(..10) {
        0 => {
            let accessed = [0, 1, 2, 3].map(|at| (format!("{name}[{at}]"), super::making::INTEGERS[2]));
            Member { declared: format!("unsigned char {name}[4]"), accessed: accessed.into() }
        }
        1 => {
            let scalar = making.scalar();
            let accessed = [0, 1].map(|at| (format!("{name}[{at}]"), scalar));
            let declared = format!("{} {name}[2]", scalar.name);
            if scalar.size > 8 { member(making, name) } else { Member { declared, accessed: accessed.into() } }
        }
        2 => {
            let (first, second) = (making.integer(), making.scalar());
            let accessed = vec![(format!("{name}.f"), first), (format!("{name}.s"), second)];
            let declared = format!("struct {{ {} f; {} s; }} {name}", first.name, second.name);
            if second.size > 8 { member(making, name) } else { Member { declared, accessed } }
        }
        3 => {
            let int = super::making::INTEGERS[5];
            let accessed = vec![(format!("{name}.f"), int), (format!("{name}.s"), int)];
            let (first, second) = (making.rng.u8(1..20), making.rng.u8(1..20));
            Member { declared: format!("struct {{ unsigned f : {first}; int s : {second}; }} {name}"), accessed }
        }
        4..=6 => scalar_member(making.floating(), name),
        _ => scalar_member(making.integer(), name),
    }
}

fn scalar_member(scalar: Scalar, name: &str) -> Member {
    Member { declared: format!("{} {name}", scalar.name), accessed: vec![(name.to_owned(), scalar)] }
}

/// An object of that type with no byte but zeros, in one of many places.
fn object(making: &mut Making<'_>, ty: &str) -> String {
    let name = making.name("o");
    making.file(format!("static {ty} $zero;"));
    match making.rng.u8(..7) {
        0 => {
            making.file(format!("{ty} {name};"));
            name
        }
        1 => {
            making.line(format!("{ty} {name}[2]; {name}[0] = {name}[1] = $zero;"));
            format!("{name}[{}]", making.index(2))
        }
        2 => {
            making.line(format!("struct {{ char c; {ty} in; }} {name}; {name}.in = $zero;"));
            format!("{name}.in")
        }
        3 => {
            making.line(format!("{ty} {name} = $zero, *p{name} = &{name};"));
            format!("(*p{name})")
        }
        4 => {
            making.file("void *malloc(unsigned long);".to_owned());
            making.line(format!("{ty} *{name} = malloc(sizeof *{name}); if (!{name}) return 0; *{name} = $zero;"));
            format!("{name}[0]")
        }
        5 => {
            making.line(format!("static {ty} {name};"));
            name
        }
        _ => {
            making.line(format!("{ty} {name} = $zero;"));
            name
        }
    }
}

/// An object of one type that is accessed as one of another, through pointers.
pub fn punned(making: &mut Making<'_>) {
    let scalar = making.scalar();
    let count = if scalar.size == 16 { 1 } else { [1, 1, 2, 4][making.rng.usize(..4)] };
    let object = making.name("x");
    let (before, stored) = (making.one_in(3), making.number_of(scalar));
    let ty = scalar.name;
    let declared = if before { format!("{ty} {object}[{count}];") } else { format!("{ty} {object}[{count}] = {{0}};") };
    if before {
        making.file(declared)
    } else {
        making.line(declared)
    }
    making.line(format!("{object}[0] = {stored};"));
    let size = if ty == "long double" { 10 } else { scalar.size * count };
    for _ in 0..making.rng.usize(1..4) {
        let seen = seen(making, size);
        let at = making.rng.usize(..size / seen.size);
        let value = making.number_of(seen);
        accessed(making, &object, seen, at, Some(&value));
        accessed(making, &object, seen, at, None);
        if making.one_in(3) {
            let other = self::seen(making, size);
            let at = making.rng.usize(..size / other.size);
            accessed(making, &object, other, at, None);
        }
    }
    if !scalar.floating {
        making.places.push(format!("{object}[{}]", count - 1));
    }
    making.places.push(format!("((unsigned char *) {object})[{}]", size - 1));
    making.observe();
}

/// A type that fits.
fn seen(making: &mut Making<'_>, size: usize) -> Scalar {
    loop {
        let seen = making.scalar();
        if seen.size <= size {
            return seen;
        }
    }
}

/// The object is written, or read, as an array of another type, at that index.
fn accessed(making: &mut Making<'_>, object: &str, seen: Scalar, at: usize, value: Option<&str>) {
    let ty = seen.name;
    let mut place = match making.rng.u8(..4) {
        0 => format!("(({ty} *) {object})[{at}]"),
        1 => format!("*({ty} *) ((char *) {object} + {})", at * seen.size),
        2 => format!("*(({ty} *) (void *) {object} + {at})"),
        _ => {
            let pointer = making.name("p");
            making.line(format!("{ty} *{pointer} = ({ty} *) {object}; {pointer} += {at};"));
            format!("*{pointer}")
        }
    };
    match value {
        Some(value) if making.one_in(4) => {
            let put = making.name("put");
            making.file(format!("void {put}({ty} *p, {ty} v) {{ *p = v; }}"));
            making.line(format!("{put}(&{place}, {value});"));
        }
        Some(value) => making.line(format!("{place} = {value};")),
        None => {
            if seen.floating {
                place = format!("({place} < 2)");
            }
            making.places.push(format!("({place})"));
        }
    }
}

/// Floating-point numbers that are computed, compared and converted.
pub fn floating(making: &mut Making<'_>) {
    let mut names = Vec::new();
    for _ in 0..making.rng.usize(1..4) {
        let (name, scalar) = (making.name("f"), making.floating());
        let value = making.number_of(scalar);
        making.line(format!("{} {name} = {value};", scalar.name));
        names.push(name);
    }
    for _ in 0..making.rng.usize(1..4) {
        let (to, from) = (making.rng.usize(..names.len()), making.rng.usize(..names.len()));
        let (to, from) = (names[to].clone(), names[from].clone());
        let text = match making.rng.u8(..6) {
            0 => format!("{to} += {from};"),
            1 => format!("{to} = {from} * a;"),
            2 => format!("if ({from} > b) {to} = -{from};"),
            3 => format!("{to} = a ? {from} : 1;"),
            4 => format!("{to}++;"),
            _ => format!("{to} = ({from}, (float) b);"),
        };
        making.line(text);
    }
    for name in names {
        making.places.push(format!("({name} {} a)", making.rng.u8(..2).checked_sub(1).map_or("<", |_| "==")));
        making.places.push(format!("({name} > -100 && {name} < 100 ? (int) {name} : 7)"));
        making.places.push(format!("!{name}"));
        making.places.push(format!("((unsigned char *) &{name})[{}]", making.rng.u8(..4)));
    }
    making.observe();
}

/// Bytes of an object that are read and written one after the other.
pub fn in_turn(making: &mut Making<'_>) {
    let (from, to) = (making.scalar(), making.integer());
    let (x, y) = (making.name("x"), making.name("y"));
    let size = from.size.min(to.size).min(10);
    let (value, start) = (making.number_of(from), making.value(1));
    making.line(format!("{} {x} = {value}; {} {y} = {start};", from.name, to.name));
    let (source, target) = (format!("((unsigned char *) &{x})"), format!("((char *) &{y})"));
    let text = match making.rng.u8(..4) {
        0 => format!("for (int i = 0; i < {size}; i++) {target}[i] = {source}[i];"),
        1 => format!("for (int i = 0; i < {size}; i++) {target}[{size} - 1 - i] ^= {source}[i];"),
        2 => format!("{{ unsigned char *p = {source}; char *q = {target}; int n = {size}; while (n--) *q++ = *p++; }}"),
        _ => format!("{target}[{}] = {source}[{}];", making.index(size.min(to.size)), making.index(size)),
    };
    making.line(text);
    making.places.push(y.clone());
    if !from.floating {
        making.places.push(x);
    }
    making.places.push(format!("(({y} & 0xff) == {source}[0])"));
    making.observe();
}
