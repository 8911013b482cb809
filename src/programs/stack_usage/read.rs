//! Readers of `.su` and `.ci` files.

use std::collections::BTreeMap;

use super::{Compiled, Compiler, Usage};

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Its name.
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub text: String,
}

/// Files with their names; others than `.su` and `.ci` are not looked at. Where a function is in both, they have to agree. Linear.
///
/// # Errors
/// Lines that are not understood.
pub fn read<'f>(files: impl IntoIterator<Item = (&'f str, &'f str)>) -> Result<Usage, Vec<Mistake>> {
    let (mut usage, mut mistakes) = (Usage::default(), Vec::new());
    let mut known: BTreeMap<&str, &str> = BTreeMap::new();
    for (name, text) in files {
        let graph = name.ends_with(".ci");
        if !graph && !name.ends_with(".su") {
            continue;
        }
        if let Some(other) = known.insert(basename(name), name).filter(|other| *other != name) {
            let text =
                format!("`{other}` has the same name: these files do not say of which directory's sources they are");
            mistakes.push(Mistake { file: name.to_owned(), line: 1, text });
        }
        let mut unit = String::new();
        for (at, line) in text.lines().enumerate() {
            let understood = match graph {
                true => node(&mut usage, &mut unit, line),
                false => frame(&mut usage, line),
            };
            if let Err(what) = understood {
                mistakes.push(Mistake { file: name.to_owned(), line: at + 1, text: what });
            }
        }
    }
    if mistakes.is_empty() { Ok(usage) } else { Err(mistakes) }
}

/// `p.c:6:5:vla`, a tab, `64`, a tab, `dynamic`; clang writes no column.
fn frame(usage: &mut Usage, line: &str) -> Result<(), String> {
    if line.trim().is_empty() {
        return Ok(());
    }
    let wrong = || "`FILE:LINE:COLUMN:FUNCTION`, a tab, bytes, a tab, and `static` or `dynamic` are needed".to_owned();
    let mut columns = line.split('\t');
    let (Some(place), Some(bytes), Some(kind), None) = (columns.next(), columns.next(), columns.next(), columns.next())
    else {
        return Err(wrong());
    };
    let (place, name) = place.rsplit_once(':').ok_or_else(wrong)?;
    let (file, numbers) = numbers(place);
    let compiler = if numbers == 2 { Compiler::Gcc } else { Compiler::Clang };
    let bytes = number(bytes.trim()).ok_or_else(wrong)?;
    let unit = basename(file).to_owned();
    add(usage, Compiled { unit, name: name.to_owned(), bytes, is_dynamic: is_dynamic(kind.trim())?, compiler })
}

/// So many bytes, if a stack can have them.
fn number(text: &str) -> Option<u64> {
    text.parse().ok().filter(|&bytes| bytes < 1 << 48)
}

/// A file, and how many numbers come after it.
fn numbers(mut place: &str) -> (&str, usize) {
    let mut count = 0;
    while let Some((rest, last)) = place.rsplit_once(':') {
        if last.is_empty() || !last.bytes().all(|byte| byte.is_ascii_digit()) {
            break;
        }
        (place, count) = (rest, count + 1);
    }
    (place, count)
}

/// Whether a frame takes more than the number that is said of it.
fn is_dynamic(kind: &str) -> Result<bool, String> {
    match kind {
        "static" | "dynamic,bounded" | "bounded" => Ok(false),
        "dynamic" => Ok(true),
        _ => Err(format!("`{kind}` is neither `static` nor `dynamic`")),
    }
}

/// A line of a call graph in VCG's format, as gcc writes it.
fn node(usage: &mut Usage, unit: &mut String, line: &str) -> Result<(), String> {
    let line = line.trim();
    if let Some(rest) = line.strip_prefix("graph: {") {
        *unit = basename(attribute(rest, "title").ok_or("the graph has no title")?).to_owned();
        usage.units.insert(unit.clone());
        return Ok(());
    }
    if let Some(rest) = line.strip_prefix("edge: {") {
        let from = attribute(rest, "sourcename").ok_or("an edge without a source")?;
        let to = attribute(rest, "targetname").ok_or("an edge without a target")?;
        let calls = usage.calls.entry((unit.clone(), own(unit, from))).or_default();
        *calls.entry(own(unit, to)).or_default() += 1;
        return Ok(());
    }
    let Some(rest) = line.strip_prefix("node: {") else {
        return if line.is_empty() || line == "}" { Ok(()) } else { Err("neither a node nor an edge".to_owned()) };
    };
    let title = attribute(rest, "title").ok_or("a node without a title")?;
    let label = attribute(rest, "label").ok_or("a node without a label")?;
    if rest.contains("shape : ellipse") {
        return Ok(());
    }
    let said = label.split("\\n").find_map(|part| part.trim().split_once(" bytes ("));
    let (bytes, kind) = said.ok_or("a function without bytes: `-fcallgraph-info=su` says them")?;
    let bytes = number(bytes).ok_or("that many bytes are no frame")?;
    let is_dynamic = is_dynamic(kind.trim_end_matches(')'))?;
    let function = Compiled { unit: unit.clone(), name: own(unit, title), bytes, is_dynamic, compiler: Compiler::Gcc };
    add(usage, function)
}

/// A name of a call graph without the file that stands before those of static functions.
fn own(unit: &str, title: &str) -> String {
    match title.rsplit_once(':') {
        Some((file, name)) if basename(file) == unit => name.to_owned(),
        _ => title.to_owned(),
    }
}

fn attribute<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("{name}: \""))?;
    rest.split_once('"').map(|(value, _)| value)
}

fn basename(file: &str) -> &str {
    file.rsplit(['/', '\\']).next().unwrap_or(file)
}

/// A function; the number that tells clones of one kind apart is missing in `.su` files.
fn add(usage: &mut Usage, function: Compiled) -> Result<(), String> {
    let same = |known: &&mut Compiled| known.unit == function.unit && known.name == function.name;
    match usage.functions.iter_mut().find(same) {
        None => usage.functions.push(function),
        Some(known) if known.bytes == function.bytes && known.is_dynamic == function.is_dynamic => {}
        Some(known) if known.name.contains('.') => {
            // Several clones have one name here.
            known.bytes = known.bytes.max(function.bytes);
            known.is_dynamic |= function.is_dynamic;
        }
        Some(known) => {
            return Err(format!(
                "`{}` takes {} bytes here and {} elsewhere: the files are of different compilations",
                function.name, function.bytes, known.bytes
            ));
        }
    }
    Ok(())
}
