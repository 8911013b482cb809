//! From source files to a program: lang-c's parser and the lowering of its trees, on a stack that is deep enough.
//!
//! lang-c builds its trees by recursion, and dropping them recurses too. How deep a tree can be is counted beforehand
//! ([`super::prepare`]); all work on trees is done in a thread whose stack has room for that depth, and deeper texts are
//! refused. Nothing else of a program recurses.

use lang_c::ast::TranslationUnit;
use lang_c::driver::{Config, Flavor, SyntaxError, parse_preprocessed};
use spds_format::{Diagnostic, Severity};

use super::Options;
use super::library::Model;
use super::lower::{Complained, Lowering, Whole, candidates};
use super::program::{Defined, Program};
use super::unit::{Ready, Unit};

/// A program that was read, with the warnings about its files.
#[derive(Debug)]
pub struct Read {
    /// What they say.
    pub program: Program,
    /// Warnings, each with the index of the file it is about.
    pub warnings: Complained,
}

/// The deepest texts that are read, in open brackets and tokens of one expression.
pub const DEEPEST: usize = 20_000;

/// What a stack needs anyway, and for each level of the text.
const STACK: (usize, usize) = (8 << 20, 48 << 10);

/// Files that were parsed, of which programs can be made that begin in any of their procedures. Several threads may do so at a time.
pub struct Parsed {
    /// The files, then models of what they call.
    ready: Vec<Ready>,
    /// How many of them are the program's own.
    own: usize,
    /// One for each.
    trees: Vec<TranslationUnit>,
    /// The names of all files that markers name.
    files: Vec<Box<str>>,
    /// How much stack work on the trees may need.
    stack: usize,
}

impl std::fmt::Debug for Parsed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Parsed").field("files", &self.files).finish_non_exhaustive()
    }
}

impl Drop for Parsed {
    fn drop(&mut self) {
        let trees = std::mem::take(&mut self.trees);
        // Without a thread they are dropped here, on what stack there is.
        let _ = on_deep_stack(self.stack, || drop(trees));
    }
}

/// Reads the files of a program. Linear in their length.
///
/// # Errors
/// Everything that is wrong with them, each with the index of the file it is about.
pub fn read(units: &[Unit<'_>], options: &Options) -> Result<Read, Complained> {
    Parsed::new(units)?.program(options)
}

impl Parsed {
    /// Parses files. Linear in their length.
    ///
    /// # Errors
    /// What is wrong with their syntax, each with the index of the file it is about.
    pub fn new(units: &[Unit<'_>]) -> Result<Parsed, Complained> {
        let mut files = Vec::new();
        let mut ready: Vec<Ready> = units.iter().map(|unit| Ready::new(unit, &mut files)).collect();
        let mut wrong: Complained = Vec::new();
        for (index, unit) in ready.iter().enumerate() {
            if let (Some(directive), None) = (&unit.prepared.directive, &unit.preprocessed) {
                let is_macro = !unit.text[directive.clone()].trim_start().starts_with('#');
                let (thing, work) = if is_macro { ("macro of the compiler", "replace") } else { ("directive", "obey") };
                let message = format!("a preprocessor has to {work} this {thing}, and none was run");
                let complaint = Diagnostic::error(message, directive.clone());
                wrong.push((index, complaint.with_help("give its output, or leave out `--no-cpp`")));
            }
            if unit.prepared.depth > DEEPEST {
                let message = format!("the text is nested too deeply: more than {DEEPEST} levels");
                wrong.push((index, Diagnostic::global(message)));
            }
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let depth = ready.iter().map(|unit| unit.prepared.depth).max().unwrap_or(0);
        let (stack, own) = (STACK.0 + depth * STACK.1, ready.len());
        let (ready, trees, files) = on_deep_stack(stack, move || {
            let mut trees = trees(&ready, &files, 0)?;
            let models = candidates(&trees);
            ready.extend(models.iter().map(|model| unit_of(model, &mut files)));
            trees.extend(self::trees(&ready, &files, own)?);
            Ok::<_, Complained>((ready, trees, files))
        })??;
        Ok(Parsed { ready, own, trees, files, stack })
    }

    /// The program that begins where options say. Linear in the length of the files.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with the index of the file it is about.
    pub fn program(&self, options: &Options) -> Result<Read, Complained> {
        self.lowered(options, |lowering| {
            let (program, warnings) = lowering.finish()?;
            debug_assert!(warnings.iter().all(|(_, complaint)| complaint.severity == Severity::Warning));
            Ok(Read { program, warnings })
        })
    }

    /// The program of which it is not said where it begins: for who asks about many of its procedures. Linear in the length of the files.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with the index of the file it is about.
    pub fn whole(&self, options: &Options) -> Result<Whole, Complained> {
        self.lowered(&Options { main: None, ..options.clone() }, |lowering| lowering.whole())
    }

    /// The procedures that files define, in the order in which they are met. It is not asked where the program begins, nor what of it is
    /// supported only as long as nobody executes it. Linear.
    ///
    /// # Errors
    /// Everything that is wrong with the files, each with the index of the file it is about.
    pub fn defined(&self, options: &Options) -> Result<Vec<Defined>, Complained> {
        self.lowered(options, |lowering| lowering.defined())
    }

    /// Makes something of what was lowered.
    fn lowered<T: Send>(
        &self,
        options: &Options,
        finished: impl FnOnce(Lowering<'_>) -> Result<T, Complained> + Send,
    ) -> Result<T, Complained> {
        on_deep_stack(self.stack, || {
            let mut lowering = Lowering::new(options, &self.ready, self.files.clone());
            lowering.program(&self.trees, self.own);
            if let Some(again) = lowering.again(options, &self.ready, &self.files) {
                lowering = again;
                lowering.program(&self.trees, self.own);
            }
            finished(lowering)
        })?
    }
}

/// What is done in a thread that has so much stack.
fn on_deep_stack<T: Send>(stack: usize, work: impl FnOnce() -> T + Send) -> Result<T, Complained> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(stack).spawn_scoped(scope, work);
        match thread.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => Err(vec![(0, Diagnostic::global(format!("no thread to read in: {error}")))]),
        }
    })
}

/// The file that a model is.
fn unit_of(model: &Model, files: &mut Vec<Box<str>>) -> Ready {
    Ready::new(&Unit { name: model.header, text: model.whole, preprocessed: Some(&model.text) }, files)
}

/// The trees of the files from one on, or why there are none.
fn trees(ready: &[Ready], files: &[Box<str>], from: usize) -> Result<Vec<TranslationUnit>, Complained> {
    let (mut trees, mut wrong) = (Vec::with_capacity(ready.len()), Vec::new());
    for (index, unit) in ready.iter().enumerate().skip(from) {
        match parsed(unit.prepared.text.clone()) {
            Ok(tree) => trees.push(tree),
            Err(error) => {
                let expected = error.expected.into_iter().collect();
                let complaint = syntax_error(&unit.prepared.text, error.offset, expected);
                wrong.push(match from {
                    0 => (index, unit.about(complaint, files)),
                    // Models have no mistakes; if one had, it would be nobody's file.
                    _ => {
                        let line = unit.place(complaint.span.map_or(0, |span| span.start)).line;
                        (0, Diagnostic::global(format!("{}:{line}: {}", unit.name, complaint.message)))
                    }
                });
            }
        }
    }
    if wrong.is_empty() { Ok(trees) } else { Err(wrong) }
}

/// The tree of a prepared text.
pub(super) fn parsed(text: String) -> Result<TranslationUnit, Box<SyntaxError>> {
    let config = Config { cpp_command: String::new(), cpp_options: Vec::new(), flavor: Flavor::GnuC11 };
    parse_preprocessed(&config, text).map(|parse| parse.unit).map_err(Box::new)
}

/// What the parser did not understand: the token it stopped at, and the signs that could have stood there.
fn syntax_error(text: &str, offset: usize, mut expected: Vec<&'static str>) -> Diagnostic {
    let rest = text.get(offset..).unwrap_or("");
    let skipped = rest.len() - rest.trim_start().len();
    let start = offset + skipped;
    let token = super::tokens::tokens(rest.trim_start()).into_iter().next();
    expected.sort_unstable();
    let signs = [";", ")", "]", "}", ",", ":", "="];
    let wanted: Vec<String> =
        expected.iter().filter(|sign| signs.contains(sign)).map(|sign| format!("`{sign}`")).collect();
    let Some(token) = token else {
        return Diagnostic::error("the text ends too early", text.len()..text.len());
    };
    let found = rest.trim_start().get(token.range.clone()).unwrap_or("");
    let complaint = Diagnostic::error(format!("unexpected `{found}`"), start..start + token.range.len());
    if wanted.is_empty() { complaint } else { complaint.with_label(format!("expected {}", wanted.join(" or "))) }
}
