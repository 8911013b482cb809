//! Where in a text a P-automaton is, and which labels it has.

use std::borrow::Cow;
use std::ops::Range;

use spds_format::Diagnostic;

use super::Which;
use crate::json::{Broken, Json, JsonToken, Reads};

/// Whether a member with this name is a P-automaton.
pub(in super::super) fn is_name(name: &str) -> bool {
    name != "automaton" && name.to_ascii_lowercase().ends_with("automaton")
}

/// Where the P-automaton that is meant begins; `None` if there is none in the text.
pub(super) fn find(text: &str, which: Which) -> Option<Result<usize, Broken>> {
    let mut finder = Finder { json: Json::new(text), found: Vec::new(), bare: true, accepting: None };
    finder.file().ok()?;
    finder.chosen(which)
}

/// The labels in the P-automaton that is all of a text, as far as it is one.
pub(in super::super) fn labels(text: &str) -> Vec<Cow<'_, str>> {
    let mut labels = Labels { json: Json::new(text), found: Vec::new() };
    // What is wrong is not told here.
    let _ = labels.automaton();
    labels.found
}

/// Looks for P-automata.
struct Finder<'t> {
    json: Json<'t>,
    /// Where each begins, which it is if that is said, and whether it is one of an instance.
    found: Vec<(usize, Option<Which>, bool)>,
    /// Whether the text may itself be what is otherwise a P-automaton inside.
    bare: bool,
    /// Where that began.
    accepting: Option<usize>,
}

impl<'t> Reads<'t> for Finder<'t> {
    fn json(&mut self) -> &mut Json<'t> {
        &mut self.json
    }

    fn complain(&mut self, _: String, _: Range<usize>) {}
}

impl Finder<'_> {
    fn file(&mut self) -> Result<(), Broken> {
        self.json.peek()?;
        let start = self.json.offset();
        self.members(|finder, key, _| {
            let kind = finder.json.peek()?;
            let at = finder.json.offset();
            match &*key {
                "instance" if kind == JsonToken::OpenBracket => {
                    let element = |finder: &mut Self, number| {
                        finder.json.peek()?;
                        let which = [(2, Which::Initial), (3, Which::Final)].into_iter().find(|(n, _)| *n == number);
                        if let Some((_, which)) = which {
                            finder.found.push((finder.json.offset(), Some(which), true));
                        }
                        finder.json.skip().map(drop)
                    };
                    return finder.elements(element).map(drop);
                }
                "states" | "format" => finder.bare = false,
                "accepting" => finder.accepting = Some(start),
                name if is_name(name) => {
                    let name = name.to_ascii_lowercase();
                    let which = match () {
                        () if name.starts_with("initial") => Some(Which::Initial),
                        () if name.starts_with("final") => Some(Which::Final),
                        () => None,
                    };
                    finder.found.push((at, which, false));
                }
                _ => {}
            }
            finder.json.skip().map(drop)
        })?;
        if self.json.peek()? != JsonToken::Eof { Err(self.json.expected("the end of the file")) } else { Ok(()) }
    }

    /// Where the one that is meant begins.
    fn chosen(&self, wanted: Which) -> Option<Result<usize, Broken>> {
        let fits: Vec<usize> =
            self.found.iter().filter(|(_, which, _)| *which == Some(wanted)).map(|found| found.0).collect();
        match (&self.found[..], &fits[..]) {
            ([], _) => self.accepting.filter(|_| self.bare).map(Ok),
            (_, [one]) => Some(Ok(*one)),
            ([(one, _, false)], _) => Some(Ok(*one)),
            ([.., (last, ..)], _) => {
                let (set, place) = match wanted {
                    Which::Initial => ("of configurations to start from", "third"),
                    Which::Final => ("of configurations to be reached", "fourth"),
                };
                let message = format!("it is not clear which P-automaton in this text is the set {set}");
                let help = format!("its name begins with `initial` or `final`, or it is the {place} of an instance");
                Some(Err(Box::new(Diagnostic::error(message, *last..*last + 1).with_help(help))))
            }
        }
    }
}

/// Looks for labels.
struct Labels<'t> {
    json: Json<'t>,
    found: Vec<Cow<'t, str>>,
}

impl<'t> Reads<'t> for Labels<'t> {
    fn json(&mut self) -> &mut Json<'t> {
        &mut self.json
    }

    fn complain(&mut self, _: String, _: Range<usize>) {}
}

impl Labels<'_> {
    fn automaton(&mut self) -> Result<(), Broken> {
        self.members(|labels, key, _| match (&*key, labels.json.peek()?) {
            ("edges", JsonToken::OpenBracket) => labels.edges(),
            ("states", JsonToken::OpenBracket) => labels.elements(|labels, _| labels.state()).map(drop),
            ("states", JsonToken::OpenBrace) => labels.members(|labels, _, _| labels.state()),
            _ => labels.json.skip().map(drop),
        })
    }

    fn state(&mut self) -> Result<(), Broken> {
        if self.json.peek()? != JsonToken::OpenBrace {
            return self.json.skip().map(drop);
        }
        self.members(|labels, key, _| match (&*key, labels.json.peek()?) {
            ("edges", JsonToken::OpenBracket) => labels.edges(),
            _ => labels.json.skip().map(drop),
        })
    }

    fn edges(&mut self) -> Result<(), Broken> {
        let edge = |labels: &mut Self, _| match labels.json.peek()? {
            JsonToken::OpenBracket => labels.elements(|labels, number| labels.label(number == 1)).map(drop),
            JsonToken::OpenBrace => labels.members(|labels, key, _| labels.label(key == "label")),
            _ => labels.json.skip().map(drop),
        };
        self.elements(edge).map(drop)
    }

    fn label(&mut self, there: bool) -> Result<(), Broken> {
        if !there || self.json.peek()? != JsonToken::Text {
            return self.json.skip().map(drop);
        }
        let (label, _) = self.json.string()?;
        self.found.extend((!label.is_empty()).then_some(label));
        Ok(())
    }
}
