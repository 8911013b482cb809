//! Certificates from text. Nothing is taken for granted: what is no certificate of the system is malformed, with the line.

use std::fmt;

use rustc_hash::FxHashMap;
use spds_format::Spds;
use spds_format::model::{ControlId, Head, SymbolId};

use super::words::{Result, Words, shortened};
use super::{Certificate, Claim, Kind, Moment, Node, RUNS, Set, Tag};
use crate::options::Runs;

/// A text that is no certificate, or not one of this system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for Malformed {}

/// What each of several certificates is about: a text with this fingerprint, and the question. It takes no system to read that.
///
/// # Errors
/// What is wrong first, of that alone.
pub fn subjects(text: &str) -> Result<Vec<(u64, Kind)>, Malformed> {
    let mut all = Vec::new();
    let mut about = None;
    for (line, text) in (1..).zip(text.lines()) {
        let mut words = Words::of(text.trim());
        let read = match words.plain() {
            Ok("about") => words.fingerprint().map(|number| about = Some(number)),
            Ok("claim") => kind(&mut words).map(|kind| all.extend(about.take().map(|about| (about, kind)))),
            _ => Ok(()),
        };
        read.map_err(|message| Malformed { line, message })?;
    }
    Ok(all)
}

/// Reads certificates, one after the other, of one system.
///
/// # Errors
/// What is wrong first.
#[cfg_attr(feature = "whole", expect(dead_code, reason = "only tests read certificates about one system"))]
pub fn read(spds: &Spds, text: &str) -> Result<Vec<Certificate>, Malformed> {
    read_each(&|_| spds, text)
}

/// Reads certificates, one after the other, each of a system of its own, by its place.
///
/// # Errors
/// What is wrong first.
pub fn read_each<'a>(systems: &'a dyn Fn(usize) -> &'a Spds, text: &str) -> Result<Vec<Certificate>, Malformed> {
    let mut reader = Reader { systems, names: Names::of(systems(0)), all: Vec::new(), open: None };
    let mut last = 0;
    for (line, text) in (1..).zip(text.lines()) {
        last = line;
        let content = text.trim();
        if !content.is_empty() && !content.starts_with("//") {
            reader.line(content).map_err(|message| Malformed { line, message })?;
        }
    }
    match (reader.open, reader.all.is_empty()) {
        (Some(_), _) => Err(Malformed { line: last + 1, message: "the certificate has no `end`".into() }),
        (None, true) => Err(Malformed { line: 1, message: "there is no certificate here".into() }),
        (None, false) => Ok(reader.all),
    }
}

struct Reader<'a> {
    systems: &'a dyn Fn(usize) -> &'a Spds,
    names: Names<'a>,
    all: Vec<Certificate>,
    open: Option<Open>,
}

/// The names of a system.
struct Names<'a> {
    spds: &'a Spds,
    controls: FxHashMap<&'a str, ControlId>,
    symbols: FxHashMap<&'a str, SymbolId>,
}

impl<'a> Names<'a> {
    fn of(spds: &'a Spds) -> Names<'a> {
        let controls = (0..).map(ControlId).zip(&spds.controls).map(|(id, name)| (name.as_str(), id)).collect();
        let symbols = (0..).map(SymbolId).zip(&spds.symbols).map(|(id, symbol)| (symbol.name.as_str(), id)).collect();
        Names { spds, controls, symbols }
    }
}

/// A certificate in the reading.
#[derive(Default)]
struct Open {
    about: Option<u64>,
    kind: Option<Kind>,
    targets: Vec<Head>,
    order: Vec<u32>,
    nodes: Vec<Node>,
    reached: Vec<(Tag, Head, Set)>,
    returned: Vec<(Tag, ControlId, Set)>,
    cuts: Vec<Head>,
    again: Vec<(Head, Head, Set)>,
    tops: Vec<(Head, Box<[ControlId]>)>,
}

impl Reader<'_> {
    fn line(&mut self, content: &str) -> Result<()> {
        let mut words = Words::of(content);
        let first = words.plain()?;
        if first == "puch-certificate" {
            return self.begin(&mut words);
        }
        let Some(mut open) = self.open.take() else {
            return Err("a certificate begins with `puch-certificate 1`".into());
        };
        match first {
            "about" => open.about = Some(words.fingerprint()?),
            "claim" => {
                open.kind = Some(kind(&mut words)?);
            }
            "target" => open.targets.push(self.head(&mut words)?),
            "order" => {
                while !words.is_done() {
                    open.order.push(words.number()?);
                }
            }
            "at" => {
                let head = self.head(&mut words)?;
                words.sign("in")?;
                let tag = self.tag(&mut words)?;
                open.reached.push((tag, head, open.set(&mut words)?));
            }
            "return" => {
                let control = self.control(&mut words)?;
                words.sign("in")?;
                let tag = self.tag(&mut words)?;
                open.returned.push((tag, control, open.set(&mut words)?));
            }
            "cut" => open.cuts.push(self.head(&mut words)?),
            "again" => {
                let head = self.head(&mut words)?;
                words.sign("from")?;
                let cut = self.head(&mut words)?;
                open.again.push((cut, head, open.set(&mut words)?));
            }
            "top" => {
                let head = self.head(&mut words)?;
                words.sign(":")?;
                let mut gone = Vec::new();
                while !words.is_done() {
                    gone.push(self.control(&mut words)?);
                }
                open.tops.push((head, gone.into()));
            }
            "end" => {
                words.end()?;
                self.all.push(open.whole()?);
                return Ok(());
            }
            number => open.node(number, &mut words)?,
        }
        words.end()?;
        self.open = Some(open);
        Ok(())
    }

    fn begin(&mut self, words: &mut Words<'_>) -> Result<()> {
        let version = words.plain()?;
        if version != "1" {
            return Err(format!("version `{version}` of certificates is not known, only 1"));
        }
        words.end()?;
        let system = (self.systems)(self.all.len());
        if !std::ptr::eq(system, self.names.spds) {
            self.names = Names::of(system);
        }
        match self.open.replace(Open::default()) {
            Some(_) => Err("the certificate before has no `end`".into()),
            None => Ok(()),
        }
    }

    fn head(&self, words: &mut Words<'_>) -> Result<Head> {
        let control = self.control(words)?;
        let name = words.name()?;
        let symbol = self.names.symbols.get(name.as_str()).copied();
        let symbol = symbol.ok_or_else(|| format!("the system has no stack symbol `{name}`"))?;
        Ok(Head { control, symbol })
    }

    fn control(&self, words: &mut Words<'_>) -> Result<ControlId> {
        let name = words.name()?;
        let control = self.names.controls.get(name.as_str()).copied();
        control.ok_or_else(|| format!("the system has no control location `{name}`"))
    }

    fn tag(&self, words: &mut Words<'_>) -> Result<Tag> {
        if words.starts_with('"') {
            return Ok(Tag::Entry(self.head(words)?));
        }
        words.sign("start")?;
        let depth = words.number()?;
        match (depth as usize) < self.names.spds.start.stack.len() {
            true => Ok(Tag::Start(depth)),
            false => Err(format!("the start stack has no symbol {depth}")),
        }
    }
}

impl Open {
    fn node(&mut self, number: &str, words: &mut Words<'_>) -> Result<()> {
        let next = self.nodes.len() + 2;
        if number != next.to_string() {
            return Err(format!("`{number}` begins no line here; the next decision is {next}"));
        }
        words.sign("=")?;
        let moment = match words.plain()? {
            "entry" => Moment::Entry,
            "now" => Moment::Now,
            other => return Err(format!("`{other}` is neither `entry` nor `now`")),
        };
        let bit = words.number()?;
        words.sign("?")?;
        let high = self.known(words)?;
        words.sign(":")?;
        let low = self.known(words)?;
        self.nodes.push(Node { moment, bit, high, low });
        Ok(())
    }

    /// The set behind a colon.
    fn set(&self, words: &mut Words<'_>) -> Result<Set> {
        words.sign(":")?;
        self.known(words)
    }

    fn known(&self, words: &mut Words<'_>) -> Result<Set> {
        let set: Set = words.number()?;
        match (set as usize) < self.nodes.len() + 2 {
            true => Ok(set),
            false => Err(format!("{set} is no set yet")),
        }
    }

    fn whole(self) -> Result<Certificate> {
        let Open { about, kind, mut targets, order, nodes, reached, returned, cuts, again, tops } = self;
        let about = about.ok_or("the certificate does not say what it is about")?;
        let kind = kind.ok_or("the certificate claims nothing")?;
        targets.sort_unstable();
        targets.dedup();
        Ok(Certificate { about, claim: Claim { kind, targets }, order, nodes, reached, returned, cuts, again, tops })
    }
}

/// What is claimed.
fn kind(words: &mut Words<'_>) -> Result<Kind> {
    Ok(match words.plain()? {
        "reach" => {
            let to = words.name()?;
            if words.is_done() {
                return Ok(Kind::Reach(to));
            }
            words.sign("from")?;
            Kind::Between { from: words.name()?, to }
        }
        "assertions" => Kind::Assertions,
        "termination" => Kind::Termination,
        "automaton" => Kind::Automaton { name: words.name()?, about: words.fingerprint()?, runs: runs(words)? },
        "ltl" => Kind::Formula { formula: words.name()?, runs: runs(words)? },
        other => return Err(format!("a claim of kind `{other}` is not known to this version")),
    })
}

/// Which runs count.
fn runs(words: &mut Words<'_>) -> Result<Runs> {
    words.sign("runs")?;
    let word = words.plain()?;
    let known = RUNS.iter().find(|(_, name)| *name == word);
    known.map(|(runs, _)| *runs).ok_or_else(|| format!("`{}` is no kind of runs", shortened(word)))
}
