//! Random declarations: how many bytes types have, how they are aligned, where their members are, and which bytes initialisers make,
//! against what a compiler says.

use std::rc::Rc;

use fastrand::Rng;
use puch::c::types::DataModel;
use puch::interpreter::{self, End, Inputs};

use super::declared::initialiser;
use super::law::read;
use super::making::Making;
use super::records::{Kinds, Parts, Type, record};
use crate::compiled;

/// Declarations, and what is asked about them.
#[derive(Clone, Debug)]
pub struct Declared {
    /// Of the file; names begin with `$`.
    pub text: Vec<String>,
    /// Integer constants.
    pub constants: Vec<String>,
    /// Objects whose bytes are known, with their initialisers.
    pub objects: Vec<String>,
}

/// Random declarations for that model.
pub fn declared(rng: &mut Rng, model: DataModel) -> Declared {
    let making = &mut Making::new(rng);
    making.long = model.long as u8;
    let (mut constants, mut objects) = (Vec::new(), Vec::new());
    for _ in 0..making.rng.usize(1..4) {
        match making.rng.u8(..6) {
            0 => declarator(making, &mut constants),
            1 => enumeration(making, &mut constants),
            _ => of_a_record(making, &mut constants, &mut objects),
        }
    }
    Declared { text: std::mem::take(&mut making.before), constants, objects }
}

/// Before declarations, a constant and an object, in declarations as they are kept.
const DECLARATIONS: &str = "// declarations\n";
const CONSTANT: &str = "// constant: ";
const OBJECT: &str = "// object: ";

impl Declared {
    /// As they are kept; [`kept`] reads it.
    pub fn written(&self) -> String {
        let noted = |word: &str, list: &[String]| list.iter().map(|text| format!("{word}{text}\n")).collect::<String>();
        let (constants, objects) = (noted(CONSTANT, &self.constants), noted(OBJECT, &self.objects));
        format!("{DECLARATIONS}{constants}{objects}{}\n", self.text.join("\n"))
    }
}

/// Declarations as [`Declared::written`] has them, some after others.
pub fn kept(text: &str) -> Vec<Declared> {
    let each = text.split(DECLARATIONS).skip(1);
    let noted = |word: &str, text: &str| {
        text.lines().filter_map(|line| line.strip_prefix(word)).map(str::to_owned).collect::<Vec<String>>()
    };
    let one = |text: &str| Declared {
        text: text.lines().filter(|line| !line.starts_with("// ")).map(str::to_owned).collect(),
        constants: noted(CONSTANT, text),
        objects: noted(OBJECT, text),
    };
    each.map(one).collect()
}

/// A structure or union, and an object of it.
fn of_a_record(making: &mut Making<'_>, constants: &mut Vec<String>, objects: &mut Vec<String>) {
    let keyword = making.pick(&["struct", "struct", "struct", "union"]);
    let (attributes, bits) = (making.one_in(2), [0, 2, 5, 9][making.rng.usize(..4)]);
    let record = record(making, keyword, Kinds { attributes, bits });
    let (object, ty) = (making.name("o"), Type::Record(Rc::clone(&record)));
    let initial = initialiser(making, &ty);
    let storage = making.pick(&["static ", "", "const ", "static const volatile "]);
    making.file(format!("{storage}{} {object} = {initial};", record.ty));
    let Parts { addressed, bits, .. } = record.parts();
    constants.extend([
        format!("sizeof({})", record.ty),
        format!("_Alignof({})", record.ty),
        format!("sizeof {object}"),
    ]);
    for path in addressed {
        if !path.contains('[') {
            constants.push(format!("__builtin_offsetof({}, {path})", record.ty));
        }
        constants.push(format!("sizeof {object}.{path}"));
        if making.one_in(40) {
            constants.push(format!("__alignof__({object}.{path})"));
        }
    }
    constants.extend(bits.iter().map(|bit| format!("sizeof({object}.{bit} + 0)")));
    objects.push(object);
}

/// Something that is declared with signs around its name.
fn declarator(making: &mut Making<'_>, constants: &mut Vec<String>) {
    let record = making.records.last().filter(|record| !record.alone).map(|record| record.ty.clone());
    let ty = record.filter(|_| making.rng.bool()).unwrap_or_else(|| making.scalar().name.to_owned());
    let name = making.name("d");
    let (n, m) = (making.rng.u8(1..6), making.rng.u8(1..4));
    let (declared, deeper) = match making.rng.u8(..8) {
        0 => (format!("{ty} {name}[{n}][{m}]"), vec![format!("{name}[0]"), format!("*{name}[0]")]),
        1 => (format!("{ty} *{name}[{n}]"), vec![format!("*{name}"), format!("**{name}")]),
        2 => (format!("{ty} (*{name})[{n}]"), vec![format!("*{name}"), format!("(*{name})[0]")]),
        3 => {
            (format!("{ty} *(*{name}[{n}])(int, char *[{m}])"), vec![format!("{name}[0]"), format!("*{name}[0](1, 0)")])
        }
        4 => (
            format!("typedef {ty} {name}t[{n}]; {name}t {name}[{m}]"),
            vec![format!("{name}[0]"), format!("{name}[0][0]")],
        ),
        5 => (format!("__typeof__(({ty} *) 0) {name}[{n}]"), vec![format!("*{name}"), format!("**{name}")]),
        6 => (
            format!("typedef {ty} (*{name}f({ty}))[{m}]; {name}f *{name}"),
            vec![format!("{name}"), format!("*(**{name})(*({ty} *) 0)")],
        ),
        _ => (format!("extern {ty} {name}[]; {ty} {name}[{n}]"), vec![format!("*{name}")]),
    };
    making.file(format!("{declared};"));
    constants.extend([format!("sizeof {name}"), format!("_Alignof(__typeof__({name}))")]);
    constants.extend(deeper.iter().map(|place| format!("sizeof({place})")));
}

/// An enumeration.
fn enumeration(making: &mut Making<'_>, constants: &mut Vec<String>) {
    let name = making.name("E");
    let values =
        ["0", "-1", "7", "255", "'a'", "1 << 20", "2147483646", "0x80000000", "-2147483647 - 1", "sizeof(long)"];
    let (first, second) = (making.pick(&values), making.pick(&values));
    let after = making.pick(&["", "", " __attribute__((packed))"]);
    making.file(format!(
        "enum {name} {{ {name}a = {first}, {name}b, {name}c = {second}, {name}d = {name}a + 1 }}{after};"
    ));
    let all = ["a", "b", "c", "d"].map(|last| format!("{name}{last}"));
    constants.extend([format!("sizeof(enum {name})"), format!("_Alignof(enum {name})"), format!("sizeof {name}c")]);
    constants.push(format!("((enum {name}) -1 < 0)"));
    constants.extend(all.iter().map(|constant| format!("({constant} & 0x7fffffff)")));
    constants.extend(all.iter().map(|constant| format!("({constant} < 0)")));
}

/// What puch says otherwise than a compiler, for each of these; `None` where there is no compiler.
///
/// # Errors
/// If they cannot be compiled.
pub fn differing(all: &[Declared], model: DataModel) -> Option<Result<Vec<Said>, String>> {
    let long = model.long == DataModel::LP64.long;
    let known = if long { printed(all)? } else { assembled(all)? };
    Some(known.map(|known| all.iter().zip(known).map(|(declared, numbers)| said(declared, &numbers, model)).collect()))
}

/// What puch says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// The same, about so many numbers.
    Same(usize),
    /// It does not read the declarations, or not know a number.
    Unknown(String),
    /// Something else.
    Other(String),
}

/// The numbers that a compiled program prints: constants, then the bytes of objects.
fn printed(all: &[Declared]) -> Option<Result<Vec<Vec<i64>>, String>> {
    let mut text = "int printf(const char *, ...);\n".to_owned();
    let mut main = String::new();
    for (at, declared) in all.iter().enumerate() {
        let prefix = format!("t{at}_");
        text += &declared.text.join("\n").replace('$', &prefix);
        text.push('\n');
        for constant in &declared.constants {
            main += &format!("  printf(\"%lld \", (long long) {});\n", constant.replace('$', &prefix));
        }
        for object in &declared.objects {
            let object = object.replace('$', &prefix);
            main += &format!(
                "  for (int i = 0; i < sizeof {object}; i++) printf(\"%d \", ((unsigned char *) &{object})[i]);\n"
            );
        }
        main += "  printf(\"\\n\");\n";
    }
    let printed = match compiled::tried(&format!("{text}int main(void) {{\n{main}return 0;\n}}\n"), &["-std=gnu17"])? {
        Ok(printed) => printed,
        Err(complaints) => return Some(Err(complaints)),
    };
    let numbers = |line: &str| line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    Some(Ok(printed.lines().map(numbers).collect()))
}

/// The constants that a compiler for 32 bits puts into a table.
fn assembled(all: &[Declared]) -> Option<Result<Vec<Vec<i64>>, String>> {
    let mut text = String::new();
    for (at, declared) in all.iter().enumerate() {
        let listed: Vec<String> =
            declared.constants.iter().map(|constant| format!("(int) ({constant}) ^ 0x40000000")).collect();
        text += &format!("{}\nconst int $table[] = {{ {} }};\n", declared.text.join("\n"), listed.join(", "))
            .replace('$', &format!("t{at}_"));
    }
    let assembly = match compiled::assembly(&text, &["-m32", "-std=gnu17"])? {
        Ok(assembly) => assembly,
        Err(complaints) => return Some(Err(complaints)),
    };
    let mut tables = vec![Vec::new(); all.len()];
    let mut table = None;
    for line in assembly.lines() {
        if let Some(label) = line.strip_suffix(':') {
            table = label.strip_suffix("_table").and_then(|label| label.strip_prefix('t')?.parse::<usize>().ok());
        } else if let (Some(table), Some(number)) = (table, line.trim().strip_prefix(".long")) {
            let number: i64 = number.trim().parse().unwrap_or_default();
            tables[table].push(i64::from(number as i32 ^ 0x4000_0000));
        }
    }
    Some(Ok(tables))
}

/// What puch says about declarations of which these numbers are known.
fn said(declared: &Declared, numbers: &[i64], model: DataModel) -> Said {
    let (constants, bytes) = numbers.split_at(declared.constants.len().min(numbers.len()));
    let mut asked: Vec<(String, i64)> = declared.constants.iter().cloned().zip(constants.iter().copied()).collect();
    let mut bytes = bytes.iter().copied();
    for object in &declared.objects {
        let size =
            asked.iter().find(|(constant, _)| *constant == format!("sizeof {object}")).map_or(0, |(_, size)| *size);
        let byte = |(at, byte)| (format!("((unsigned char *) &{object})[{at}]"), byte);
        asked.extend(bytes.by_ref().take(size as usize).enumerate().map(byte));
    }
    let conditions: String = asked
        .iter()
        .enumerate()
        .map(|(at, (asked, number))| format!("  if ({asked} != {number}) return {};\n", at + 1))
        .collect();
    let text =
        format!("{}\nint main(void) {{\n{conditions}  return 0;\n}}\n", declared.text.join("\n")).replace('$', "");
    let program = match read(&text, None, model) {
        Ok(program) => program,
        Err(complaint) => return Said::Unknown(complaint),
    };
    let outcome = interpreter::execute(&program, &interpreter::Options::default(), Inputs::list([]), &mut |_| {});
    match outcome.end {
        End::Returned(Some(0)) => Said::Same(asked.len()),
        End::Returned(Some(number)) => {
            let (asked, known) = &asked[number as usize - 1];
            Said::Other(format!("{} is not {known}:\n{text}", asked.replace('$', "")))
        }
        End::Unknown(doubt) => Said::Unknown(doubt.told(&program)),
        other => Said::Other(format!("{}:\n{text}", other.told(&program))),
    }
}
