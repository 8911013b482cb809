//! From the names of C files to a program: read, sent through a preprocessor where they have directives.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::{io, io::Write, thread};

use anyhow::{Context, anyhow, bail};
use puch::c::{self, Malloc, Program, Undefined, Unit};
use puch::source::Source;

use super::args::CArgs;
use super::choices::{DataModelName, InputFormat, MallocName};
use super::texts::{Warnings, c_text_of, is_stdin, rendered};
use super::{Failure, tell};

/// C files as they are meant.
#[derive(Clone, Debug)]
pub struct CInput {
    files: Vec<PathBuf>,
    options: c::Options,
    preprocessor: Preprocessor,
    warnings: Warnings,
}

/// How directives are obeyed.
#[derive(Clone, Debug)]
enum Preprocessor {
    /// Not.
    None,
    /// By this command, with these arguments.
    Command(String, Vec<String>),
}

/// A C program that was read.
pub struct CLoaded {
    /// What it says.
    pub program: Program,
    /// The names and the texts of its files.
    pub texts: Vec<(String, String)>,
}

/// A file that was read.
pub struct CText {
    name: String,
    text: String,
    /// What a preprocessor made of it, if it has directives.
    preprocessed: Option<String>,
}

impl CText {
    /// What is read of it.
    pub fn unit(&self) -> Unit<'_> {
        Unit { name: &self.name, text: &self.text, preprocessed: self.preprocessed.as_deref() }
    }
}

impl CLoaded {
    /// Its files, to be shown.
    pub fn sources(&self) -> Vec<Source<'_>> {
        self.texts.iter().map(|(name, text)| Source::new(name, text)).collect()
    }
}

impl CInput {
    /// What is meant by what was typed.
    pub fn meant(args: CArgs) -> anyhow::Result<CInput> {
        refuse_what_is_no_c(&args)?;
        let reading = args.reading;
        if reading.no_cpp && (reading.cpp.is_some() || !reading.include.is_empty() || !args.define.is_empty()) {
            bail!("`--no-cpp` leaves nothing to do for `--cpp`, `-I` and `-D`");
        }
        let model = match reading.data_model {
            DataModelName::Lp64 => c::types::DataModel::LP64,
            DataModelName::Ilp32 => c::types::DataModel::ILP32,
        };
        let mut undefined = Undefined::default();
        for wish in reading.undefined {
            if wish.names.is_empty() {
                undefined.all = Some(wish.reading);
            }
            undefined.named.extend(wish.names.into_iter().map(|name| (name, wish.reading)));
        }
        let preprocessor = if reading.no_cpp {
            Preprocessor::None
        } else {
            let own = reading.cpp.is_none();
            let command = reading.cpp.unwrap_or_else(|| "cc -E".to_owned());
            let mut words = command.split_whitespace().map(str::to_owned);
            let program = words.next().ok_or_else(|| anyhow!("`--cpp` needs a command"))?;
            let mut given: Vec<String> = words.collect();
            // Headers say how wide types are, too.
            given.extend((own && reading.data_model == DataModelName::Ilp32).then(|| NARROW.to_owned()));
            given.extend(own.then(|| NO_MACROS.to_owned()));
            given.extend(reading.include.iter().map(|directory| format!("-I{}", directory.display())));
            given.extend(args.define.iter().map(|definition| format!("-D{definition}")));
            Preprocessor::Command(program, given)
        };
        let malloc = match reading.malloc {
            None | Some(MallocName::MayFail) => Malloc::MayFail,
            Some(MallocName::Succeeds) => Malloc::Succeeds,
        };
        let options = c::Options {
            model,
            malloc,
            undefined,
            main: args.entry,
            ignored: reading.ignore_attributes,
            observed: false,
            called: None,
            open: false,
            contracted: std::collections::BTreeSet::new(),
        };
        Ok(CInput { files: args.files, options, preprocessor, warnings: Warnings::Told })
    }

    /// The same where nobody is told of warnings.
    pub fn silently(self) -> CInput {
        CInput { warnings: Warnings::Silent, ..self }
    }

    /// The same where a program begins with this procedure.
    pub fn entered(mut self, entry: &str) -> CInput {
        self.options.main = Some(entry.to_owned());
        self
    }

    /// The same for formulas, which see in which order things are done.
    pub fn observed(mut self) -> CInput {
        self.options.observed = true;
        self
    }

    /// The same where it is asked whether a procedure is called.
    pub fn calling(mut self, called: Option<String>) -> CInput {
        self.options.called = called;
        self
    }

    /// The texts of the files, and how they are meant to be read.
    pub fn texts(&self) -> Result<(Vec<CText>, c::Options), Failure> {
        let mut texts = Vec::new();
        for file in &self.files {
            let text = c_text_of(file)?;
            texts.push(CText { name: name_of(file), preprocessed: self.preprocessed(file, &text)?, text });
        }
        Ok((texts, self.options.clone()))
    }

    /// Reads the files and what they say. Warnings are told at once.
    pub fn load(&self) -> Result<CLoaded, Failure> {
        let (texts, _) = self.texts()?;
        let units: Vec<Unit<'_>> = texts.iter().map(CText::unit).collect();
        let told = |complaints: c::Complained| {
            let mut out = String::new();
            for (index, CText { name, text, .. }) in texts.iter().enumerate() {
                let own = complaints.iter().filter(|(unit, _)| *unit == index).map(|(_, complaint)| complaint.clone());
                out += &rendered(name, text, &own.collect::<Vec<_>>());
            }
            out
        };
        match c::read(&units, &self.options) {
            Ok(read) => {
                if self.warnings == Warnings::Told && !read.warnings.is_empty() {
                    tell(&told(read.warnings));
                }
                let texts = texts.into_iter().map(|one| (one.name, one.text)).collect();
                Ok(CLoaded { program: read.program, texts })
            }
            Err(complaints) => {
                let errors = complaints.iter().filter(|(_, complaint)| complaint.is_error()).count();
                let errors = if errors == 1 { "an error".into() } else { format!("{errors} errors") };
                let names: Vec<String> = texts.iter().map(|one| format!("`{}`", one.name)).collect();
                let closing = format!("error: {} cannot be read because of {errors}", names.join(", "));
                Err(Failure::Diagnosed(told(complaints) + &closing))
            }
        }
    }

    /// What the preprocessor makes of a file, where it is needed.
    fn preprocessed(&self, file: &Path, text: &str) -> anyhow::Result<Option<String>> {
        let Preprocessor::Command(program, arguments) = &self.preprocessor else { return Ok(None) };
        let defines = arguments.iter().any(|argument| argument.starts_with("-D") && argument != NO_MACROS);
        let finished = file.extension().is_some_and(|ending| ending == "i");
        if finished || !(defines || c::needs_preprocessor(text)) {
            return Ok(None);
        }
        let name = name_of(file);
        let output = preprocess(Command::new(program).args(arguments), file, text).with_context(|| {
            format!("`{name}` has directives, and the preprocessor `{program}` cannot be run (`--cpp` names another)")
        })?;
        if output.status.success() {
            return Ok(Some(c::decoded(output.stdout)));
        }
        if arguments.iter().any(|argument| argument == NARROW)
            && let Some(text) = with_wide_headers(program, arguments, (file, text))
        {
            return Ok(Some(text));
        }
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("the preprocessor refuses `{name}`:\n{}", said.trim_end());
    }
}

/// An error for files of which nothing says that they are in C, and for standard input that is to be read twice.
fn refuse_what_is_no_c(args: &CArgs) -> anyhow::Result<()> {
    for file in &args.files {
        let ending = file.extension().and_then(|ending| ending.to_str());
        match args.input_format {
            Some(InputFormat::C) => {}
            None if is_stdin(file) => {
                bail!("standard input has no name to tell what it is: say `--input-format c`");
            }
            None if matches!(ending, Some("c" | "i")) => {}
            None => bail!(
                "`{}`: C programs are in files that end in `.c` or `.i`; `--input-format c` says that this is one",
                file.display()
            ),
            Some(_) => bail!("this command is about C programs: `--input-format c`, or none"),
        }
    }
    if args.files.iter().filter(|file| is_stdin(file)).count() > 1 {
        bail!("standard input (`-`) can be read only once");
    }
    Ok(())
}

/// What the usual preprocessor makes of a text that stands in a folder, under the name of standard input; none if it refuses, or is not there.
pub fn preprocessed_in(text: &str, folder: &Path) -> Option<String> {
    let mut command = Command::new("cc");
    command.args(["-E", NO_MACROS]).current_dir(folder);
    let output = preprocess(&mut command, Path::new("-"), text).ok()?;
    output.status.success().then(|| c::decoded(output.stdout))
}

/// The name of a file in reports.
pub fn name_of(file: &Path) -> String {
    if is_stdin(file) { "<stdin>".to_owned() } else { file.display().to_string() }
}

/// What a preprocessor says to a file; to a text if that comes from standard input. Whatever the name ends in, it is C.
fn preprocess(command: &mut Command, file: &Path, text: &str) -> io::Result<Output> {
    let said_c = !matches!(file.extension().and_then(|ending| ending.to_str()), Some("c"));
    command.args(said_c.then_some(["-x", "c"]).into_iter().flatten()).arg(file);
    if !is_stdin(file) {
        return command.output();
    }
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let pipe = child.stdin.take();
    thread::scope(|scope| {
        scope.spawn(move || {
            if let Some(mut pipe) = pipe {
                // A preprocessor that does not read to the end says why.
                let _ = pipe.write_all(text.as_bytes());
            }
        });
        child.wait_with_output()
    })
}

/// How compilers are told that types have 32 bits.
const NARROW: &str = "-m32";

/// That functions of `<ctype.h>` are no macros, which would look into tables of the library.
const NO_MACROS: &str = "-D__NO_CTYPE";

/// What the preprocessor makes of a file with the headers that the machine has for its own width, where it has none for 32 bits. They are
/// the same but for a list of what the library lacks, which nobody needs who does not link.
fn with_wide_headers(program: &str, arguments: &[String], (file, text): (&Path, &str)) -> Option<String> {
    let machine = Command::new(program).arg("-print-multiarch").output().ok()?;
    let machine = String::from_utf8(machine.stdout).ok()?;
    let wide = Path::new("/usr/include").join(machine.trim());
    if machine.trim().is_empty() || !wide.is_dir() {
        return None;
    }
    let stubs = std::env::temp_dir().join(format!("puch-headers-{}", std::process::id()));
    std::fs::create_dir_all(stubs.join("gnu")).ok()?;
    let written = std::fs::write(stubs.join("gnu").join("stubs-32.h"), "");
    let mut command = Command::new(program);
    command.args(arguments).arg("-isystem").arg(&wide).arg("-isystem").arg(&stubs);
    let output = written.ok().and_then(|()| preprocess(&mut command, file, text).ok());
    // Whoever cannot remove it has lost an empty file.
    let _ = std::fs::remove_dir_all(&stubs);
    output.filter(|output| output.status.success()).map(|output| c::decoded(output.stdout))
}
