//! Where runs start: as the text says, or as a user does.

use std::ops::Range;

use rustc_hash::FxHashMap;
use spds_format::Diagnostic;
use spds_format::model::{ControlId, SymbolId};

use super::read::{Listing, Reader, StartRead, Target};
use super::{Options, Starting};
use crate::json::{Broken, JsonToken, Reads};
use spds_format::reading::near::did_you_mean;

impl<'t> Reader<'t> {
    /// `{"state": …, "stack": […]}`
    pub(super) fn start(&mut self, key: Range<usize>) -> Result<(), Broken> {
        if self.json.peek()? != JsonToken::OpenBrace {
            return self.needed("`{\"state\": …, \"stack\": […]}`");
        }
        let mut start = StartRead { span: key.clone(), state: None, stack: Vec::new() };
        self.members(|reader, name, span| match &*name {
            "state" => {
                let known = reader.states.take();
                let target = reader.target();
                reader.states = known;
                start.state = target?.map(|target| (target, span));
                Ok(())
            }
            "stack" if reader.json.peek()? == JsonToken::OpenBracket => reader
                .elements(|reader, _| match reader.json.peek()? {
                    JsonToken::Text => {
                        start.stack.push(reader.json.string()?);
                        Ok(())
                    }
                    _ => reader.needed("a label in quotes"),
                })
                .map(drop),
            "stack" => reader.needed("an array of labels"),
            _ => {
                reader.complaints.error(format!("a start has no `{name}`"), span);
                reader.json.skip().map(drop)
            }
        })?;
        if self.start.replace(start).is_some() {
            self.complaints.error("there is more than one start", key);
        }
        Ok(())
    }

    /// The control location and the stack at the start. `None` after a complaint.
    pub(super) fn starting(
        &mut self,
        options: &Options,
        states: Listing,
        beyond: &mut FxHashMap<u64, ControlId>,
    ) -> Option<(ControlId, Vec<SymbolId>)> {
        if let Starting::Configuration(text) = &options.start {
            return self.configuration(text, states);
        }
        if let Some(StartRead { span, state, stack }) = self.start.take() {
            let control = match state {
                Some((Target::Number(number), _)) if states != Listing::Named => {
                    Some(self.at_number(number, states, beyond))
                }
                Some((Target::Name(name), place)) if states == Listing::Named => {
                    let known = self.controls.get(&name).copied();
                    if known.is_none() {
                        self.unknown("state", &name, place);
                    }
                    known
                }
                Some((_, place)) => {
                    self.complaints.error("this is not how the states of this text are written", place);
                    None
                }
                None => {
                    self.complaints.error("this start has no state", span.clone());
                    None
                }
            };
            if stack.is_empty() {
                self.complaints.error("this start has no stack", span);
            }
            // A label that no rule knows is a symbol on which nothing happens.
            let stack: Vec<SymbolId> = stack.into_iter().map(|(label, _)| self.symbol(label)).collect();
            return control.filter(|_| !stack.is_empty()).map(|control| (control, stack));
        }
        let first = !self.builder.spds.controls.is_empty() && !self.builder.spds.symbols.is_empty();
        if options.start == Starting::Immaterial && first {
            return Some((ControlId(0), vec![SymbolId(0)]));
        }
        let complaint = Diagnostic::global("nothing says where runs start");
        let help =
            "`--entry STATE:LABEL` does, and so does `\"start\": {\"state\": …, \"stack\": [\"LABEL\"]}` in the text";
        self.complaints.push(complaint.with_help(help));
        None
    }

    /// `STATE:SYMBOL SYMBOL …`
    fn configuration(&mut self, text: &str, states: Listing) -> Option<(ControlId, Vec<SymbolId>)> {
        let mut words = text.split_whitespace();
        let head = words.next().unwrap_or("");
        let control = |name: &str| match states {
            Listing::Named => self.controls.get(name).copied(),
            Listing::Numbered(count) => {
                name.parse::<u64>().ok().filter(|number| *number < count).map(|number| ControlId(number as u32))
            }
        };
        let parts = head.match_indices(':').map(|(at, _)| (&head[..at], &head[at + 1..]));
        let known =
            parts.filter_map(|(state, label)| Some((control(state)?, self.symbols.get(label).copied()?))).next();
        let Some((control, top)) = known else {
            let complaint = Diagnostic::global(format!("there is no state and label `{head}` to start with"));
            let example = self.builder.spds.rules.first().map(|rule| {
                let spds = &self.builder.spds;
                let (state, label) =
                    (&spds.controls[rule.from.control.0 as usize], &spds.symbol(rule.from.symbol).name);
                format!("a state, a colon and a label, as in `{state}:{label}`")
            });
            self.complaints.push(Diagnostic { help: example, ..complaint });
            return None;
        };
        let mut stack = vec![top];
        for word in words {
            match self.symbols.get(word) {
                Some(symbol) => stack.push(*symbol),
                None => {
                    self.complaints.push(Diagnostic::global(format!("there is no label `{word}` to start with")));
                    return None;
                }
            }
        }
        Some((control, stack))
    }

    fn unknown(&mut self, what: &str, name: &str, span: Range<usize>) {
        let mut complaint = Diagnostic::error(format!("there is no {what} `{name}`"), span);
        complaint.help = did_you_mean(name, self.builder.spds.controls.iter().map(|control| &**control));
        self.complaints.push(complaint);
    }
}
