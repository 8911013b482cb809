//! Functions of C files by themselves, whoever calls them, and what is known of each.
//!
//! ```
//! use puch::c_functions::{Class, Functions, Options};
//!
//! let functions = Functions::read(
//!     "int slots[16];
//!      int slot(int n) { return slots[n]; }
//!      int first(const int *from) { return from ? *from : 0; }
//!      int wrong(void) { return slot(16); }",
//! )?;
//! for (function, answer) in functions.answers(&Options::default()) {
//!     let answer = answer?;
//!     let asked: Vec<&str> = answer.obligations.iter().map(|one| one.condition.as_str()).collect();
//!     match &*function.name {
//!         "slot" => assert_eq!(asked, ["n >= 0", "n < 16"]),
//!         "first" => assert!(asked.is_empty() && answer.verdict.excludes_run()),
//!         _ => assert!(answer.uses.iter().any(|(_, class)| *class == Class::Fails)),
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use spds_format::Diagnostic;

use super::mistakes;
use crate::abstraction::Tuning;
use crate::bitvec::Bounds;
use crate::c::program::Overflow;
use crate::c::{self, Defined, Malloc, Program, Unit};
use crate::functions::apart::needed;
use crate::functions::contract::read as contracts;
use crate::functions::renamed::Renaming;
use crate::functions::summary::Summaries;
use crate::functions::{self, Answer};
use crate::limits::Limits;
use crate::nullness::{self, Kind};
use crate::options;
use crate::problem::{Mistakes, NAME};
use crate::question::assumed;
use crate::verdict::Why;

/// What is asked of functions, and how hard is tried.
#[derive(Clone, Debug)]
pub struct Options {
    /// How uses can go wrong that are asked about.
    pub kinds: BTreeSet<Kind>,
    /// Whether it is asked, instead of that, whether they end.
    pub termination: bool,
    /// When runs are looked for, there are so many objects, one behind the other, behind each pointer that a function is given.
    pub deep: usize,
    /// How long each may take.
    pub each: Option<Duration>,
    /// How abstractions are searched, which never changes an answer, and the limits of the whole.
    pub search: options::Options,
}

impl Default for Options {
    /// All that is so common that nobody has to ask for it: everything but overflow and what is freed, which takes time from other questions; two
    /// objects, ten seconds.
    fn default() -> Options {
        let not_usual = [Kind::Overflow, Kind::UseAfterFree, Kind::DoubleFree];
        let kinds = Kind::ALL.into_iter().filter(|kind| !not_usual.contains(kind)).collect();
        Options {
            kinds,
            termination: false,
            deep: 2,
            each: Some(Duration::from_secs(10)),
            search: options::Options::default(),
        }
    }
}

impl Options {
    /// How uses can go wrong that are really asked about.
    pub fn kinds(&self) -> &BTreeSet<Kind> {
        const NONE: &BTreeSet<Kind> = &BTreeSet::new();
        if self.termination { NONE } else { &self.kinds }
    }

    /// The limits of a function that is begun now.
    pub(crate) fn limits(&self) -> Limits {
        let own = self.each.and_then(|each| Instant::now().checked_add(each));
        let limits = self.search.limits;
        Limits { deadline: own.into_iter().chain(limits.deadline).min(), ..limits }
    }

    /// What is known of the function in which a program begins, within these limits, where that is known of others.
    pub(crate) fn analysed(
        &self,
        (program, known): (&Program, &Summaries),
        malloc: Malloc,
        limits: Limits,
        bounds: Bounds,
    ) -> Answer {
        let usual = nullness::Options::default();
        let tuning = Tuning { bounds, ..usual.tuning };
        let check = options::Options { limits, trace: usual.check.trace, ..self.search.clone() };
        let kinds = self.kinds().clone();
        // Where arithmetic is asked about, no run goes past a result that its type does not have.
        let overflow = if kinds.contains(&Kind::Overflow) { Overflow::Assume } else { usual.overflow };
        let options = nullness::Options { tuning, check, malloc, kinds, overflow, ..usual };
        match self.termination {
            true => {
                let own = known.get(&*program.procedure(program.main).name);
                functions::ends::ends(program, own.map_or(&[], |own| &own.proved_by), self.deep, &options)
            }
            false => functions::analyse(program, known, self.deep, &options),
        }
    }
}

/// What a function leads to.
#[derive(Debug)]
pub(crate) enum Entered {
    /// The program that begins in it, and what reading warns of, each with the index of the file.
    Program(Box<Program>, c::Complained),
    /// Something that cannot be read: the first of it.
    Unsupported(String),
}

/// Files of C whose functions are looked at, each by itself.
#[derive(Clone, Debug)]
pub struct Functions {
    texts: Vec<(String, String)>,
    preprocessed: Vec<Option<String>>,
    parsed: Arc<c::Parsed>,
    /// What was parsed as one program, once somebody asks about a function; nothing where something is wrong with that.
    whole: Arc<OnceLock<Option<c::Whole>>>,
    reading: c::Options,
    defined: Vec<Defined>,
    /// The name and the text of a file of contracts, and whether it may be about functions that are not there.
    contracts: Option<(String, String, bool)>,
    assumed: Option<String>,
    /// What files are called in programs.
    called: Renaming,
}

impl Functions {
    /// Reads a text without directives.
    ///
    /// # Errors
    /// All mistakes in the text.
    pub fn read(text: &str) -> Result<Functions, Mistakes> {
        Functions::files(&[Unit { name: NAME, text, preprocessed: None }], c::Options::default())
    }

    /// Reads several files, which are one program: each with what a preprocessor made of it, if it has directives. What is not supported is only
    /// met where a function leads to it.
    ///
    /// # Errors
    /// All mistakes in the texts.
    pub fn files(files: &[Unit<'_>], reading: c::Options) -> Result<Functions, Mistakes> {
        let wrong = |wrong: c::Complained| mistakes(files, &wrong);
        let parsed = Arc::new(c::Parsed::new(files).map_err(wrong)?);
        let defined = parsed.defined(&reading).map_err(wrong)?;
        Ok(Functions {
            texts: files.iter().map(|file| (file.name.to_owned(), file.text.to_owned())).collect(),
            preprocessed: files.iter().map(|file| file.preprocessed.map(str::to_owned)).collect(),
            parsed,
            whole: Arc::default(),
            reading,
            defined,
            contracts: None,
            assumed: None,
            called: Renaming::default(),
        })
    }

    /// The same with contracts: lines `function: requires EXPR, EXPR` (what callers establish) and `function: ensures EXPR` (what holds when it
    /// returns, over `pre(x)` and `result`, too; proved if the function has a body). Mistakes in them are told with the answers.
    pub fn contracts(self, name: &str, text: &str) -> Functions {
        let contracts = Some((name.to_owned(), text.to_owned(), false));
        Functions { contracts, whole: Arc::default(), ..self }
    }

    /// The same with contracts of which those count that are about functions that are there.
    #[cfg(feature = "cli")]
    pub(crate) fn contracts_of_those_there(self, name: &str, text: &str) -> Functions {
        let contracts = Some((name.to_owned(), text.to_owned(), true));
        Functions { contracts, whole: Arc::default(), ..self }
    }

    /// The same where a condition over global variables and parameters holds when a function is entered. Mistakes in it are told with the
    /// answers.
    pub fn assume(self, condition: &str) -> Functions {
        Functions { assumed: Some(condition.to_owned()), ..self }
    }

    /// The same where files are called otherwise in programs, and in the names of functions that say in which file they are.
    #[cfg(feature = "cli")]
    pub(crate) fn called(mut self, called: Renaming) -> Functions {
        for one in &mut self.defined {
            if let Some(name) = called.function(&one.name) {
                one.name = name.into();
            }
        }
        Functions { called, ..self }
    }

    /// The functions that the files define, in their order.
    pub fn defined(&self) -> &[Defined] {
        &self.defined
    }

    /// The files.
    pub(crate) fn units(&self) -> Vec<Unit<'_>> {
        let files = self.texts.iter().zip(&self.preprocessed);
        files.map(|((name, text), preprocessed)| Unit { name, text, preprocessed: preprocessed.as_deref() }).collect()
    }

    /// Whether allocations may fail.
    #[cfg(feature = "cli")]
    pub(crate) fn malloc(&self) -> Malloc {
        self.reading.malloc
    }

    /// The program that begins in a function, with what is said about it.
    ///
    /// # Errors
    /// What is wrong with what is said.
    pub(crate) fn entered(&self, name: &str) -> Result<Entered, Mistakes> {
        let contracted = self.contracts.as_ref().map_or_else(Vec::new, |(_, text, _)| contracts::names(text));
        let main = self.called.original(name).unwrap_or_else(|| name.to_owned());
        let contracted = contracted.into_iter().collect();
        let reading = c::Options { main: None, open: true, contracted, ..self.reading.clone() };
        let whole = self.whole.get_or_init(|| self.parsed.whole(&reading).ok());
        let read = whole.as_ref().and_then(|whole| whole.only(&main)).unwrap_or_else(|| {
            let read = self.parsed.program(&c::Options { main: Some(main), ..reading });
            read.map(|c::Read { program, warnings }| (program, warnings))
        });
        match read {
            Ok((mut program, warnings)) => {
                self.called.of(&mut program);
                self.put(&mut program)?;
                Ok(Entered::Program(Box::new(needed(&program)), warnings))
            }
            Err(wrong) => {
                let first = wrong.iter().find(|(_, complaint)| complaint.is_error());
                Ok(Entered::Unsupported(first.map_or_else(String::new, |(_, complaint)| complaint.message.clone())))
            }
        }
    }

    /// Puts into a program what is said about functions beside the files.
    fn put(&self, program: &mut Program) -> Result<(), Mistakes> {
        contracts::read_written(program).map_err(|wrong| mistakes(&self.units(), &wrong))?;
        if let Some((name, text, is_lenient)) = &self.contracts {
            let there = if *is_lenient { contracts::of_those_there(program, text) } else { text.clone() };
            contracts::read(program, name, &there).map_err(|wrong| Mistakes::new(name, text, wrong))?;
        }
        if let Some(text) = &self.assumed {
            let condition =
                assumed::read(program, text).map_err(|wrong| Mistakes::new("--assume", text, vec![*wrong]))?;
            program.assumed.push(condition);
        }
        Ok(())
    }

    /// What may not be meant in what a function leads to, each with the index of the file. Linear in the files.
    ///
    /// # Errors
    /// Mistakes in contracts, and in what is assumed.
    pub fn warnings(&self, function: &str) -> Result<Vec<(usize, Diagnostic)>, Mistakes> {
        Ok(match self.entered(function)? {
            Entered::Program(_, warnings) => warnings,
            Entered::Unsupported(_) => Vec::new(),
        })
    }

    /// What is known of a function, by its name; nothing is known of one that leads to what cannot be read. Several threads may ask at a time.
    ///
    /// # Errors
    /// Mistakes in contracts, and in what is assumed.
    pub fn answer(&self, function: &str, options: &Options) -> Result<Answer, Mistakes> {
        let limits = options.limits();
        Ok(match self.entered(function)? {
            Entered::Program(program, _) => {
                let bounds = Bounds { stop: Some(Rc::new(move || limits.met().is_some())), ..Bounds::default() };
                options.analysed((&program, &Summaries::new()), self.reading.malloc, limits, bounds)
            }
            Entered::Unsupported(first) => unread(&first),
        })
    }

    /// What is known of each function, one after the other, as they are asked for.
    ///
    /// # Errors
    /// Mistakes in contracts, and in what is assumed.
    pub fn answers<'a>(
        &'a self,
        options: &'a Options,
    ) -> impl Iterator<Item = (&'a Defined, Result<Answer, Mistakes>)> + 'a {
        self.defined.iter().map(|one| (one, self.answer(&one.name, options)))
    }
}

/// What is known of a function that leads to what cannot be read.
pub(crate) fn unread(first: &str) -> Answer {
    let sentence = format!("what it leads to cannot be read: {first}");
    Answer::unknown(Why { sentence, kind: "unsupported" })
}
