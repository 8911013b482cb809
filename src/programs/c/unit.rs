//! A source file: its text, what a preprocessor made of it, and where what is said about it belongs.

use std::collections::{HashMap, HashSet};

use spds_format::Diagnostic;
use spds_format::model::Place;

use super::prepare::{Marker, Prepared, prepare};
use super::tokens::{TokenKind, tokens};

/// A source file as it is given.
#[derive(Clone, Debug)]
pub struct Unit<'t> {
    /// Its name, for places.
    pub name: &'t str,
    /// Its text, as the user wrote it.
    pub text: &'t str,
    /// What a preprocessor made of it, where it was needed.
    pub preprocessed: Option<&'t str>,
}

/// A source file made ready to be parsed.
#[derive(Debug)]
pub struct Ready {
    /// Its name.
    pub name: Box<str>,
    /// Its text, as the user wrote it.
    pub text: Box<str>,
    /// What a preprocessor made of it, where it was needed.
    pub preprocessed: Option<Box<str>>,
    /// Made ready.
    pub prepared: Prepared,
    /// Where each line of the parsed text begins.
    lines: Vec<usize>,
    /// Where each line of the user's text begins.
    own_lines: Vec<usize>,
    /// The numbers of the files that markers name, and of the file itself.
    files: HashMap<Box<str>, u32>,
    own: u32,
}

impl Ready {
    /// Prepares a file. `files` are the names of all files of the program so far.
    pub fn new(unit: &Unit<'_>, files: &mut Vec<Box<str>>) -> Self {
        let given = unit.preprocessed.unwrap_or(unit.text);
        let prepared = prepare(given);
        let mut number = |name: &str| {
            let at = files.iter().position(|file| **file == *name).unwrap_or_else(|| {
                files.push(name.into());
                files.len() - 1
            });
            u32::try_from(at).expect("fewer files than bytes of source")
        };
        let own = number(unit.name);
        let mut numbers = HashMap::new();
        for marker in &prepared.markers {
            numbers
                .entry(marker.file.clone())
                .or_insert_with(|| if marker.file.is_empty() { own } else { number(&marker.file) });
        }
        let (lines, own_lines) = (starts(given), starts(unit.text));
        let preprocessed = unit.preprocessed.map(Into::into);
        let (name, text) = (unit.name.into(), unit.text.into());
        Ready { name, text, preprocessed, prepared, lines, own_lines, files: numbers, own }
    }

    /// The text that was prepared.
    pub fn given(&self) -> &str {
        self.preprocessed.as_deref().unwrap_or(&self.text)
    }

    /// The marker that rules a byte of the given text.
    fn marker(&self, byte: usize) -> Option<&Marker> {
        let markers = &self.prepared.markers;
        markers.partition_point(|marker| marker.from <= byte).checked_sub(1).map(|index| &markers[index])
    }

    /// Whether a byte of the prepared text is from a header of the system.
    pub fn is_system(&self, prepared: usize) -> bool {
        let byte = self.prepared.given(prepared);
        self.marker(byte).is_some_and(|marker| marker.system)
    }

    /// The place in the user's files of a byte of the prepared text. Logarithmic, and linear in the length of the line.
    pub fn place(&self, prepared: usize) -> Place {
        let given = self.given();
        let byte = self.prepared.given(prepared).min(given.len());
        let line = self.lines.partition_point(|start| *start <= byte);
        let start = self.lines[line - 1];
        let end = self.lines.get(line).map_or(given.len(), |next| next - 1);
        let column = characters(&given[start..byte]) + 1;
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        let (file, line) = match self.marker(byte) {
            None => (self.own, line),
            Some(marker) => {
                let first = self.lines.partition_point(|start| *start <= marker.from);
                let further = line.saturating_sub(u32::try_from(first).unwrap_or(u32::MAX));
                (self.files[&marker.file], marker.line.saturating_add(further))
            }
        };
        let own = self.preprocessed.is_some() && file == self.own && end - start <= MAX_LINE_BYTES;
        let own = if own { self.own_line(line) } else { None };
        let column = own.map_or(column, |own| characters(&own[..aligned(own, &given[start..end], byte - start)]) + 1);
        Place { file, line, column: u32::try_from(column).unwrap_or(u32::MAX) }
    }

    /// A line of the user's text.
    fn own_line(&self, line: u32) -> Option<&str> {
        let start = *self.own_lines.get((line as usize).checked_sub(1)?)?;
        let rest = &self.text[start..];
        Some(rest[..rest.find('\n').unwrap_or(rest.len())].trim_end_matches('\r'))
    }

    /// A complaint about the prepared text as one about the user's: in its text, or, where it is about an included file,
    /// with the place in words.
    pub fn about(&self, mut complaint: Diagnostic, files: &[Box<str>]) -> Diagnostic {
        if let Some(span) = complaint.span.take() {
            match self.own_range(span.start, span.end) {
                Some(range) => complaint.span = Some(range),
                None => {
                    let place = self.place(span.start);
                    let file = &files[place.file as usize];
                    complaint.message = format!("{file}:{}:{}: {}", place.line, place.column, complaint.message);
                }
            }
        }
        let related = std::mem::take(&mut complaint.related);
        let own = related.into_iter().filter_map(|(span, why)| Some((self.own_range(span.start, span.end)?, why)));
        complaint.related = own.collect();
        complaint
    }

    /// Bytes of the user's text, if the place is in it.
    fn own_range(&self, start: usize, end: usize) -> Option<std::ops::Range<usize>> {
        if self.preprocessed.is_none() {
            let start = self.prepared.given(start);
            return Some(start..self.prepared.given(end).max(start));
        }
        let place = self.place(start);
        if place.file != self.own {
            return None;
        }
        let line = *self.own_lines.get(place.line as usize - 1)?;
        let rest = &self.text[line..];
        let rest = &rest[..rest.find('\n').unwrap_or(rest.len())];
        // A macro may have moved what follows it on the line.
        let from = rest.char_indices().nth(place.column as usize - 1).map_or(rest.len(), |(at, _)| at);
        let length = end.saturating_sub(start).min(rest.len() - from);
        let to = (from + length..=rest.len()).find(|at| rest.is_char_boundary(*at)).unwrap_or(rest.len());
        Some(line + from..line + to)
    }
}

/// Places in longer lines are not looked for where a macro may have moved them.
const MAX_LINE_BYTES: usize = 1_000;

/// How many characters a text has.
fn characters(text: &str) -> usize {
    text.as_bytes().iter().filter(|byte| (**byte as i8) >= -0x40).count()
}

/// The byte of a line as the user wrote it that a byte of the same line stands for as a preprocessor left it: blanks, comments and macros
/// may be others. What a macro was replaced by stands where the macro does.
fn aligned(own: &str, given: &str, byte: usize) -> usize {
    let given_units = units(given);
    let own_units = with_macros(&units(own), &given_units);
    let at = given_units.partition_point(|(start, _)| *start < byte);
    // What is the same at both ends is no part of what macros stand for.
    let alike = |((_, a), (_, b)): &(&(usize, &str), &(usize, &str))| a == b;
    let first = own_units.iter().zip(&given_units).take_while(alike).count();
    let (own_rest, given_rest) = (&own_units[first..], &given_units[first..]);
    let last = own_rest.iter().rev().zip(given_rest.iter().rev()).take_while(alike).count();
    let (own_rest, given_rest) = (&own_rest[..own_rest.len() - last], &given_rest[..given_rest.len() - last]);
    let between = same(own_rest, given_rest).into_iter().map(|at| at.map(|at| first + at));
    let after = (own_units.len() - last..own_units.len()).map(Some);
    let same: Vec<Option<usize>> = (0..first).map(Some).chain(between).chain(after).collect();
    let known = |at: usize| same.get(at).copied().flatten();
    let here = known(at).or_else(|| Some((0..at).rev().find_map(known).map_or(0, |before| before + 1)));
    here.and_then(|at| own_units.get(at)).map_or(own.len(), |(start, _)| *start)
}

/// Words that stand before brackets and are no names.
const WORDS: [&str; 6] = ["if", "while", "for", "switch", "return", "sizeof"];

/// The tokens of a line in which each call of a macro is one, which is no other: a name that a preprocessor has not left, with what is in
/// brackets behind it.
fn with_macros<'t>(own: &[(usize, &'t str)], given: &[(usize, &'t str)]) -> Vec<(usize, &'t str)> {
    let left: HashSet<&str> = given.iter().map(|(_, word)| *word).collect();
    let is_name = |word: &str| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let (mut list, mut at) = (Vec::with_capacity(own.len()), 0);
    while let Some(&(start, word)) = own.get(at) {
        let called = own.get(at + 1).is_some_and(|(_, next)| *next == "(");
        at += 1;
        if !called || !is_name(word) || left.contains(word) || WORDS.contains(&word) {
            list.push((start, word));
            continue;
        }
        list.push((start, ""));
        let mut level = 0usize;
        while let Some((_, word)) = own.get(at) {
            level += usize::from(*word == "(");
            level -= usize::from(*word == ")");
            at += 1;
            if level == 0 {
                break;
            }
        }
    }
    list
}

/// For each token of the second list which one of the first it is, so that as many as possible are: a longest common subsequence.
fn same(own: &[(usize, &str)], given: &[(usize, &str)]) -> Vec<Option<usize>> {
    let (rows, columns) = (own.len() + 1, given.len() + 1);
    // How many can be the same from here on.
    let mut lengths = vec![0u16; rows * columns];
    for row in (0..own.len()).rev() {
        for column in (0..given.len()).rev() {
            lengths[row * columns + column] = if own[row].1 == given[column].1 {
                lengths[(row + 1) * columns + column + 1] + 1
            } else {
                lengths[(row + 1) * columns + column].max(lengths[row * columns + column + 1])
            };
        }
    }
    let (mut row, mut column) = (0, 0);
    let mut same = vec![None; given.len()];
    while row < own.len() && column < given.len() {
        if own[row].1 == given[column].1 {
            same[column] = Some(row);
            (row, column) = (row + 1, column + 1);
        } else if lengths[(row + 1) * columns + column] >= lengths[row * columns + column + 1] {
            row += 1;
        } else {
            column += 1;
        }
    }
    same
}

/// The tokens of a line, with where they begin.
fn units(line: &str) -> Vec<(usize, &str)> {
    let own = tokens(line).into_iter().filter(|token| !matches!(token.kind, TokenKind::Comment | TokenKind::Splice));
    own.map(|token| (token.range.start, &line[token.range])).collect()
}

/// Where the lines of a text begin.
fn starts(text: &str) -> Vec<usize> {
    let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(breaks).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_behind_macros() {
        let own = "\twhile (/* c */ i < MAX) { i++; n = GET(); if (MAX < i) n--; }";
        let given = " while ( i < 10) { i++; n = get(1, (2)); if (10 < i) n--; }";
        for word in ["while", "i <", "i++", "n =", "if", "n--", "}"] {
            let (there, here) = (given.find(word).unwrap_or(0), own.find(word));
            assert_eq!(Some(aligned(own, given, there)), here, "{word}");
        }
        let (own, swapped) =
            ("\tx++; SWAP(x, y); y--;", "x++; do { int t = (x); (x) = (y); (y) = t; } while (0); y--;");
        for word in ["do", "int", "(x);", "(x) =", "(y);", "(y) =", "t;", "}", "while", "0"] {
            assert_eq!(Some(aligned(own, swapped, swapped.find(word).unwrap_or(0))), own.find("SWAP"), "{word}");
        }
        assert_eq!(Some(aligned(own, swapped, swapped.find("y--").unwrap_or(0))), own.find("y--"));
        let (own, given) = ("\twhile (/* c */ i < MAX) { i++; n = GET(); if (MAX < i) n--; }", given);
        // What a macro stands for is where the macro is.
        assert_eq!(aligned(own, given, given.find("10").unwrap_or(0)), own.find("MAX").unwrap_or(0));
        assert_eq!(aligned(own, given, given.find("get").unwrap_or(0)), own.find("GET").unwrap_or(0));
    }
}
