//! Objects with initialisers, and their bytes.

use std::rc::Rc;

use super::making::Making;
use super::records::{Kinds, Member, Parts, Type, record};

/// An object with an initialiser, and what it has become.
pub fn initialised(making: &mut Making<'_>) {
    let storage = making.pick(&["static ", "", "const ", "static const "]).to_owned();
    let value = if storage.contains("static") { "5" } else { "a" };
    let texts: [(&str, &[&str]); 14] = [
        ("char o[] = \"ab\" \"\\0c\\x7f\";", &["sizeof o", "o[0]", "o[3]", "o[4]", "o[5]"]),
        ("char o[3] = \"abc\", p[5] = {\"xy\"};", &["sizeof o", "o[2]", "p[1]", "p[4]"]),
        ("int o[] = {1, [4] = V, 6, [2] = 7, 8};", &["sizeof o", "o[0]", "o[1]", "o[2]", "o[3]", "o[4]", "o[5]"]),
        ("struct { int f; char g[3]; short h; } o = {1, {2, V}, .h = 4, };", &["o.f", "o.g[1]", "o.g[2]", "o.h"]),
        (
            "struct { int f; struct { char x, y; } g; int h[2]; } o = {1, 2, V, 4};",
            &["o.f", "o.g.x", "o.g.y", "o.h[0]", "o.h[1]"],
        ),
        ("struct { int f; struct { char x, y; } g; } o[2] = {1, 2, 3, V};", &["o[0].g.y", "o[1].f", "o[1].g.x"]),
        ("struct { int f, g, h; } o = {.h = 3, .f = V, 7};", &["o.f", "o.g", "o.h"]),
        ("struct { int f; union { char c; int i; } u; } o = {V, {.i = 258}};", &["o.f", "o.u.c", "o.u.i"]),
        ("struct { int f; union { char c; int i; }; int g; } o = {V, 3, 9};", &["o.f", "o.c", "o.g"]),
        ("int o[2][3] = {{1}, [1][2] = V, [0][1] = 5};", &["o[0][0]", "o[0][1]", "o[1][2]", "o[1][0]"]),
        (
            "struct { unsigned f : 3; int : 4; int g : 5; long h : 40; } o = {9, -17, V};",
            &["o.f", "o.g", "o.h", "sizeof o"],
        ),
        (
            "struct { int x, y; } o[] = {[1].y = V, [1].x = 2, [0] = {7}};",
            &["o[0].x", "o[0].y", "o[1].x", "o[1].y", "sizeof o"],
        ),
        (
            "unsigned char o[4] = {-1, 256 + 3, 1.9, V}; _Bool p = 0.5; int q = -2.7;",
            &["o[0]", "o[1]", "o[2]", "o[3]", "p", "q"],
        ),
        (
            "struct { char c; int t[]; } *o = 0; struct { int a[2]; int b; } p = {.a[1] = V, 6};",
            &["sizeof *o", "p.a[0]", "p.a[1]", "p.b"],
        ),
    ];
    if making.one_in(3) {
        return of_a_record(making, &storage);
    }
    let (text, places) = texts[making.rng.usize(..texts.len())];
    let text: Vec<String> = text.split("; ").map(str::to_owned).collect();
    let text = text.join("; ").replace('V', value);
    let text = if text.matches(';').count() == 1 { format!("{storage}{text}") } else { text };
    making.line(text);
    making.places.extend(places.iter().map(|place| (*place).to_owned()));
    making.observe();
}

/// A record with members that are initialised.
fn of_a_record(making: &mut Making<'_>, storage: &str) {
    let keyword = making.pick(&["struct", "struct", "union"]);
    let record = record(making, keyword, Kinds { attributes: true, bits: 4 });
    let initial = initialiser(making, &Type::Record(Rc::clone(&record)));
    making.line(format!("{storage}{} o = {initial};", record.ty));
    let Parts { integers, bits, .. } = record.parts();
    making.places.extend(integers.iter().chain(&bits).map(|path| format!("o.{path}")));
    making.places.push("sizeof o".to_owned());
    making.observe();
}

/// An initialiser for an object of that type, in braces where it needs them.
pub fn initialiser(making: &mut Making<'_>, ty: &Type) -> String {
    match ty {
        Type::Scalar(_) | Type::Bits(..) | Type::Pointer => {
            let number = number(making, ty);
            if making.one_in(12) { format!("{{{number}}}") } else { number }
        }
        Type::Array(element, length) => {
            let mut parts = Vec::new();
            let mut at = 0;
            while at < *length && !making.one_in(6) {
                let inside = making.one_in(4);
                let chosen = inside || making.one_in(4);
                if chosen {
                    at = making.rng.usize(..*length);
                }
                if inside {
                    let (text, is_full) = part_of(making, element);
                    parts.push(format!("[{at}]{text}"));
                    if !is_full {
                        break;
                    }
                } else {
                    let part = element_of(making, element);
                    parts.push(if chosen { format!("[{at}] = {part}") } else { part });
                }
                at += 1;
            }
            format!("{{{}}}", listed(making, parts))
        }
        Type::Record(record) => {
            let named: Vec<&Member> = record.members.iter().filter(|member| is_initialised(member)).collect();
            let mut parts = Vec::new();
            let mut at = 0;
            while at < named.len() && !(record.union && at > 0) && !making.one_in(8) {
                let other = making.rng.usize(..named.len());
                let chosen = !named[other].name.is_empty() && making.one_in(if record.union { 2 } else { 4 });
                if chosen {
                    at = other;
                }
                let Member { name, ty } = named[at];
                if chosen && making.one_in(3) {
                    let (text, is_full) = part_of(making, ty);
                    parts.push(format!(".{name}{text}"));
                    if !is_full {
                        break;
                    }
                } else {
                    parts.push(if chosen {
                        format!(".{name} = {}", initialiser(making, ty))
                    } else {
                        element_of(making, ty)
                    });
                }
                at += 1;
            }
            format!("{{{}}}", listed(making, parts))
        }
    }
}

/// Whether a member takes part in initialisation.
fn is_initialised(member: &Member) -> bool {
    !member.name.is_empty() || matches!(member.ty, Type::Record(_))
}

/// An initialiser among others, whose braces may be left out where every part is there.
fn element_of(making: &mut Making<'_>, ty: &Type) -> String {
    if making.one_in(3) { flat(making, ty).join(", ") } else { initialiser(making, ty) }
}

/// Numbers for all parts of an object.
fn flat(making: &mut Making<'_>, ty: &Type) -> Vec<String> {
    match ty {
        Type::Scalar(_) | Type::Bits(..) | Type::Pointer => vec![number(making, ty)],
        Type::Array(element, length) => (0..*length).flat_map(|_| flat(making, element)).collect(),
        Type::Record(record) => {
            let members = record.members.iter().filter(|member| is_initialised(member));
            let members: Vec<&Member> = if record.union { members.take(1).collect() } else { members.collect() };
            members.into_iter().flat_map(|member| flat(making, &member.ty)).collect()
        }
    }
}

/// A scalar of an object, in the order of initialisers.
struct Scalar<'t> {
    /// Designators.
    path: String,
    ty: &'t Type,
    /// Its index, if it is an element, and how many there are.
    among: Option<(usize, usize)>,
}

/// The scalars that items without designators are for.
fn scalars<'t>(ty: &'t Type, path: &str, among: Option<(usize, usize)>, all: &mut Vec<Scalar<'t>>) {
    match ty {
        Type::Scalar(_) | Type::Bits(..) | Type::Pointer => all.push(Scalar { path: path.to_owned(), ty, among }),
        Type::Array(element, length) => {
            (0..*length).for_each(|at| scalars(element, &format!("{path}[{at}]"), Some((at, *length)), all));
        }
        Type::Record(record) => {
            let members = record.members.iter().filter(|member| is_initialised(member));
            for member in members.take(if record.union { 1 } else { usize::MAX }) {
                let path = if member.name.is_empty() { path.to_owned() } else { format!("{path}.{}", member.name) };
                scalars(&member.ty, &path, None, all);
            }
        }
    }
}

/// A designator further inside of a part, what it gets, and plain items after it; whether they go to the end of the part.
fn part_of(making: &mut Making<'_>, ty: &Type) -> (String, bool) {
    let mut all = Vec::new();
    scalars(ty, "", None, &mut all);
    if all.is_empty() {
        return (format!(" = {}", initialiser(making, ty)), true);
    }
    let mut at = making.rng.usize(..all.len());
    let Scalar { path, ty, among } = &all[at];
    let mut path = path.clone();
    if let Some((index, length)) = *among
        && index + 1 < length
        && making.one_in(3)
    {
        let last = making.rng.usize(index + 1..length);
        path = format!("{}[{index} ... {last}]", path.strip_suffix(&format!("[{index}]")).unwrap_or(&path));
        at += last - index;
    }
    let mut text = format!("{path} = {}", number(making, ty));
    while at + 1 < all.len() && !making.one_in(5) {
        at += 1;
        text += &format!(", {}", number(making, all[at].ty));
    }
    (text, at + 1 == all.len())
}

/// Nothing at all is no initialiser of old.
fn listed(making: &mut Making<'_>, parts: Vec<String>) -> String {
    if parts.is_empty() {
        return making.pick(&["", "0"]).to_owned();
    }
    parts.join(", ")
}

/// A constant.
fn number(making: &mut Making<'_>, ty: &Type) -> String {
    let floating = matches!(ty, Type::Scalar(scalar) if scalar.floating);
    match making.rng.u8(..8) {
        _ if matches!(ty, Type::Pointer) => "0".to_owned(),
        0 if !floating => {
            making.pick(&["'a'", "1 << 4", "sizeof(int)", "~0", "!3", "(char) 300", "2.75", "-1u"]).to_owned()
        }
        1 if !floating => format!("0x{:x}", making.rng.u64(..)),
        0..=4 if floating => making.pick(&["1.5", "-0.25f", "3.14", "7", "0x1p-3", "1e10", "-2.0L"]).to_owned(),
        _ => making.rng.i32(-300..300).to_string(),
    }
}
