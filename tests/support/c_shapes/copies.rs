//! Objects that the library moves and sets: as a whole, in part, onto themselves, one into the other, with padding, bit-fields, pointers
//! and floating-point numbers in them.

use super::making::{Making, Scalar};

/// What programs declare.
const LIBRARY: &str = "void *memcpy(void *, const void *, unsigned long); void *memmove(void *, const void *, unsigned long); \
    void *memset(void *, int, unsigned long); void *mempcpy(void *, const void *, unsigned long); void *malloc(unsigned long);";

/// A structure of which there are objects.
struct Kind {
    /// Its type.
    ty: String,
    /// Paths to integers in it.
    numbers: Vec<String>,
    /// Those of them that are members, so that they have an address.
    addressed: Vec<String>,
    /// Arrays of integers, and how many elements.
    arrays: Vec<(String, usize)>,
    /// Expressions, in which `@` is the object, that read what is no integer.
    others: Vec<String>,
    /// Paths to floating-point numbers, and to pointers to `int`.
    floats: Vec<String>,
    pointers: Vec<String>,
    /// Whether all of its bytes may be anything.
    plain: bool,
}

/// Objects of one structure, moved and set.
pub fn copies(making: &mut Making<'_>) {
    making.file(LIBRARY.to_owned());
    let targets = making.name("g");
    making.file(format!("static int {targets}[4] = {{3, 5, 7, 11}};"));
    let kind = kind(making, &targets);
    let (objects, room) = objects(making, &kind);
    for _ in 0..making.rng.usize(3..10) {
        let line = match making.rng.u8(..10) {
            0..=3 => stored(making, &kind, &objects, &targets),
            4..=6 => copied(making, &kind, &objects),
            7 => set(making, &kind, &objects),
            8 => through_pointers(making, &kind, &room),
            _ => part(making, &kind, &objects, &room),
        };
        making.line(line);
    }
    for object in &objects {
        making.places.extend(kind.numbers.iter().map(|path| format!("{object}{path}")));
        making.places.extend(kind.others.iter().map(|read| read.replace('@', object)));
        if kind.pointers.is_empty() && making.one_in(2) {
            let at = making.rng.usize(..64);
            making.places.push(format!("((unsigned char *) &{object})[{at} % sizeof (struct {})]", kind.ty));
        }
    }
    making.observe();
}

/// A structure.
fn kind(making: &mut Making<'_>, targets: &str) -> Kind {
    let ty = making.name("S");
    let mut kind = Kind {
        ty,
        numbers: Vec::new(),
        addressed: Vec::new(),
        arrays: Vec::new(),
        others: Vec::new(),
        floats: Vec::new(),
        pointers: Vec::new(),
        plain: true,
    };
    let mut declared = String::new();
    let simple = making.one_in(3);
    for at in 0..making.rng.usize(1..6) {
        let name = format!("m{at}");
        declared += &match if simple { making.rng.u8(..4) } else { making.rng.u8(..10) } {
            0..=2 => {
                kind.numbers.push(format!(".{name}"));
                kind.addressed.push(format!(".{name}"));
                format!(" {} {name};", making.integer().name)
            }
            3 => {
                let length = making.rng.usize(1..5);
                kind.arrays.push((format!(".{name}"), length));
                kind.numbers.extend((0..length).map(|at| format!(".{name}[{at}]")));
                format!(" {} {name}[{length}];", making.integer().name)
            }
            4 => {
                kind.numbers.extend([format!(".{name}a"), format!(".{name}b")]);
                let widths = [making.rng.u8(1..9), making.rng.u8(1..25)];
                let gap = if making.one_in(3) { " int : 3;" } else { "" };
                format!(" unsigned {name}a : {};{gap} int {name}b : {};", widths[0], widths[1])
            }
            5 => {
                kind.plain = false;
                kind.numbers.push(format!(".{name}"));
                format!(" _Bool {name};")
            }
            6 => {
                let Scalar { name: ty, .. } = making.floating();
                kind.plain = false;
                kind.floats.push(format!(".{name}"));
                kind.others.push(format!("(@.{name} < 1)"));
                format!(" {ty} {name};")
            }
            7 => {
                kind.plain = false;
                kind.pointers.push(format!(".{name}"));
                kind.others.push(format!("(@.{name} ? *@.{name} : 9)"));
                kind.others.push(format!("(@.{name} == &{targets}[2])"));
                format!(" int *{name};")
            }
            8 => {
                let (first, second) = (making.integer().name, making.integer().name);
                kind.numbers.extend([format!(".{name}.x"), format!(".{name}.y")]);
                kind.addressed.extend([format!(".{name}.x"), format!(".{name}.y")]);
                format!(" struct {{ {first} x; {second} y; }} {name};")
            }
            _ => {
                kind.numbers.extend([format!(".{name}.x"), format!(".{name}.y[1]")]);
                kind.addressed.push(format!(".{name}.x"));
                format!(" union {{ {} x; unsigned char y[4]; }} {name};", making.integer().name)
            }
        };
    }
    if kind.numbers.is_empty() {
        declared += " int last;";
        kind.numbers.push(".last".to_owned());
        kind.addressed.push(".last".to_owned());
    }
    making.file(format!("struct {} {{{declared} }};", kind.ty));
    kind
}

/// Objects of a structure all of whose bytes are set, and an array of four of them.
fn objects(making: &mut Making<'_>, kind: &Kind) -> (Vec<String>, String) {
    let (room, local, other, heap) = (making.name("o"), making.name("l"), making.name("k"), making.name("h"));
    let ty = &kind.ty;
    making.file(format!("static struct {ty} {room}[4];"));
    making.line(format!("struct {ty} {local}, {other}; memset(&{local}, 0, sizeof {local});"));
    making.line(format!("memcpy(&{other}, &{local}, sizeof {other});"));
    making.line(format!(
        "struct {ty} *{heap} = malloc(sizeof *{heap}); if (!{heap}) return 0; memset({heap}, 0, sizeof *{heap});"
    ));
    let mut objects: Vec<String> = (0..4).map(|at| format!("{room}[{at}]")).collect();
    objects.extend([local, other, format!("(*{heap})")]);
    (objects, room)
}

fn one<'l, T>(making: &mut Making<'_>, list: &'l [T]) -> &'l T {
    &list[making.rng.usize(..list.len())]
}

/// A member gets a value.
fn stored(making: &mut Making<'_>, kind: &Kind, objects: &[String], targets: &str) -> String {
    let object = one(making, objects).clone();
    match making.rng.u8(..4) {
        0 if !kind.pointers.is_empty() => {
            let (path, index) = (one(making, &kind.pointers).clone(), making.index(4));
            format!("{object}{path} = &{targets}[{index}];")
        }
        1 if !kind.floats.is_empty() => {
            let path = one(making, &kind.floats).clone();
            let value = making.number_of(super::making::FLOATING[1]);
            format!("{object}{path} = {value};")
        }
        _ => {
            let (path, value) = (one(making, &kind.numbers).clone(), making.value(1));
            format!("{object}{path} = {value};")
        }
    }
}

/// A procedure that copies so many bytes.
fn call(making: &mut Making<'_>, to: &str, from: &str, size: &str) -> String {
    let names = ["memcpy", "memcpy", "memmove", "__builtin_memcpy", "mempcpy", "__builtin_memmove"];
    if making.one_in(8) {
        return format!("__builtin___memcpy_chk({to}, {from}, {size}, -1);");
    }
    format!("{}({to}, {from}, {size});", making.pick(&names))
}

/// An object is copied to another one, or to itself.
fn copied(making: &mut Making<'_>, kind: &Kind, objects: &[String]) -> String {
    let (to, from) = (one(making, objects).clone(), one(making, objects).clone());
    let size = format!("sizeof (struct {})", kind.ty);
    match making.rng.u8(..6) {
        0 if !kind.addressed.is_empty() => {
            let path = one(making, &kind.addressed).clone();
            call(making, &format!("&{to}{path}"), &format!("&{from}{path}"), &format!("sizeof {to}{path}"))
        }
        1 if !kind.arrays.is_empty() => {
            let path = one(making, &kind.arrays).0.clone();
            call(making, &format!("{to}{path}"), &format!("{from}{path}"), &format!("sizeof {to}{path}"))
        }
        2 => call(making, &format!("(char *) &{to}"), &format!("(void *) &{from}"), &size),
        3 => format!("if (&{to} != memcpy(&{to}, &{from}, {size})) return 1;"),
        _ => call(making, &format!("&{to}"), &format!("&{from}"), &size),
    }
}

/// An object is set.
fn set(making: &mut Making<'_>, kind: &Kind, objects: &[String]) -> String {
    let object = one(making, objects).clone();
    let byte = match kind.plain {
        true => making.pick(&["0", "0", "1", "255", "0x5a", "-2", "a"]).to_owned(),
        false => "0".to_owned(),
    };
    match making.rng.u8(..3) {
        0 if !kind.addressed.is_empty() => {
            let path = one(making, &kind.addressed).clone();
            format!("memset(&{object}{path}, {}, sizeof {object}{path});", making.rng.i32(-3..300))
        }
        1 if !kind.arrays.is_empty() => {
            let (path, _) = one(making, &kind.arrays).clone();
            format!("memset({object}{path}, {}, sizeof {object}{path});", making.rng.i32(-3..300))
        }
        _ => format!("memset(&{object}, {byte}, sizeof {object});"),
    }
}

/// An element of an array is copied to one that pointers lead to, which may be the same; or several are moved.
fn through_pointers(making: &mut Making<'_>, kind: &Kind, room: &str) -> String {
    let (p, q) = (making.name("p"), making.name("q"));
    let (to, from, ty) = (making.index(4), making.index(4), &kind.ty);
    match making.rng.u8(..4) {
        0 => {
            let copy = making.name("copy");
            making.file(format!("void {copy}(struct {ty} *p, struct {ty} *q) {{ memcpy(p, q, sizeof *p); }}"));
            format!("{copy}(&{room}[{to}], &{room}[{from}]);")
        }
        1 => {
            let (to, from) = (making.rng.usize(..3), making.rng.usize(..3));
            let index = making.pick(&["0", "b", "(a & 1)"]).to_owned();
            format!("memmove({room} + {to} % 2 + {index}, &{room}[{from} % 2], 2 * sizeof (struct {ty}));")
        }
        2 => format!("memcpy({room} + 2, {room}, 2 * sizeof *{room});"),
        _ => {
            let call = call(making, &p, &q, &format!("sizeof *{p}"));
            format!("struct {ty} *{p} = &{room}[{to}], *{q} = {room} + {from}; {call}")
        }
    }
}

/// Bytes that are no whole object of the type: parts, texts, other types, a number of them that is not constant.
fn part(making: &mut Making<'_>, kind: &Kind, objects: &[String], room: &str) -> String {
    let (to, from, ty) = (making.rng.usize(..4), making.rng.usize(..4), &kind.ty);
    let number = one(making, &kind.numbers).clone();
    let object = one(making, objects).clone();
    match making.rng.u8(..6) {
        0 if kind.plain => {
            format!("memmove((char *) {room} + {to}, (char *) {room} + {from}, sizeof (struct {ty}));")
        }
        1 if kind.plain => format!("memcpy(&{object}, \"abcdefghijk\", sizeof {object} < 12 ? sizeof {object} : 12);"),
        2 if kind.plain => format!("memset((char *) {room} + {to}, {from}, sizeof (struct {ty}));"),
        3 if !kind.addressed.is_empty() => {
            let (path, bytes) = (one(making, &kind.addressed).clone(), making.name("n"));
            let value = making.value(1);
            format!("{{ long long {bytes} = {value}; memcpy(&{object}{path}, &{bytes}, sizeof {object}{path}); }}")
        }
        4 => format!("memcpy(&{room}[{to}], &{room}[({to} + 1) % 4], (a & 1) * sizeof (struct {ty}));"),
        _ => {
            let bytes = making.name("c");
            format!(
                "{{ unsigned char {bytes}[sizeof (struct {ty})]; memcpy({bytes}, &{room}[{to}], sizeof {bytes}); \
                 {room}[{to}]{number} = 1; memcpy(&{room}[{from}], {bytes}, sizeof {bytes}); }}"
            )
        }
    }
}
