//! Regular sets of configurations as text, as JSON and as graphs: automata, lists, counts, answers.

use num_bigint::BigUint;
use std::io::{self, Write};

use spds_format::Spds;
use spds_format::automaton::{Automaton, Edge, End};
use spds_format::conditions::Conditions;
use spds_format::model::{ControlId, SymbolId, Var, Variable};

use super::expression::Notation;
use super::json::{Header, value, write_reason};
use crate::enumeration::{Count, Counted, Pattern, Range};
use crate::exchange;
use crate::limits::Reason;

/// Whether a set has what was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The question.
    pub kind: Ask,
    /// The configurations, as given.
    pub configurations: String,
    /// The answer; `None` if a limit was met first.
    pub answer: Option<bool>,
}

/// What is asked about a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Are some of these configurations in it?
    Meets,
    /// Are all of them?
    Contains,
}

impl Ask {
    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Ask::Meets => "meets",
            Ask::Contains => "contains",
        }
    }
}

/// All that is to be said about a set.
#[derive(Clone, Copy)]
pub struct Said<'a> {
    /// The system.
    pub spds: &'a Spds,
    /// How its users write conditions.
    pub notation: Notation,
    /// `post` or `pre`.
    pub direction: &'a str,
    /// The set itself.
    pub automaton: Option<&'a Automaton>,
    /// Answers, in the order of the questions.
    pub asked: &'a [Asked],
    /// How many configurations there are, head by head.
    pub counts: Option<&'a [Counted]>,
    /// All configurations up to a depth.
    pub list: Option<&'a [Pattern]>,
    /// The limit that was met before all was known.
    pub unknown: Option<Reason>,
}

/// Writes it as text: answers first.
///
/// # Errors
/// If writing fails.
pub fn text(out: &mut dyn Write, said: Said<'_>) -> io::Result<()> {
    for asked in said.asked {
        let answer = match asked.answer {
            Some(true) => "yes",
            Some(false) => "no",
            None => "unknown",
        };
        writeln!(out, "{} {}: {answer}", asked.kind.name(), asked.configurations)?;
    }
    if let Some(why) = said.unknown {
        writeln!(out, "unknown: {why}")?;
    }
    if let Some(counts) = said.counts {
        let heads: Vec<String> = counts.iter().map(|count| said.head(count.control, count.symbol)).collect();
        let places = counts.iter().map(|count| count.symbol.map_or_else(String::new, |symbol| said.place(symbol)));
        let places: Vec<String> = places.collect();
        let values: Vec<String> = counts.iter().map(|count| number(&count.values)).collect();
        let [head_width, place_width, value_width] = [&heads, &places, &values].map(|column| width(column));
        for ((count, head), (place, values)) in counts.iter().zip(&heads).zip(places.iter().zip(&values)) {
            let configurations = match &count.configurations {
                Count::Finite(all) => number(all),
                Count::Infinite => "infinitely many".into(),
            };
            writeln!(
                out,
                "{head:head_width$}  {place:place_width$}  values: {values:value_width$}  configurations: \
                 {configurations}"
            )?;
        }
        if counts.is_empty() {
            writeln!(out, "no configuration")?;
        }
    }
    if let Some(list) = said.list {
        let lines: Vec<String> = list.iter().map(|pattern| said.pattern(pattern)).collect();
        let width = width(&lines).min(72);
        for (pattern, line) in list.iter().zip(&lines) {
            let place = |symbol: &SymbolId| said.spds.symbol(*symbol).place.map(|place| place.line.to_string());
            let top = pattern.stack.first().and_then(|(symbol, _)| place(symbol));
            let below: Vec<String> = pattern.stack.iter().skip(1).filter_map(|(symbol, _)| place(symbol)).collect();
            let below = below.join(", ");
            match (top, &below[..]) {
                (None, "") => writeln!(out, "{line}")?,
                (Some(top), "") => writeln!(out, "{line:width$}  // line {top}")?,
                (Some(top), _) => writeln!(out, "{line:width$}  // line {top}, below it {below}")?,
                (None, _) => writeln!(out, "{line:width$}  // below it line {below}")?,
            }
        }
        if list.is_empty() {
            writeln!(out, "no configuration")?;
        }
    }
    match said.automaton {
        Some(automaton) => said.automaton(out, automaton),
        None => Ok(()),
    }
}

/// Writes it as one JSON object. The automaton in it can be read back by [`exchange::read`].
///
/// # Errors
/// If writing fails.
pub fn json(out: &mut dyn Write, header: Header<'_>, said: Said<'_>) -> io::Result<()> {
    super::json::begin(out, header)?;
    write!(out, ", \"direction\": ")?;
    value(out, said.direction)?;
    write_reason(out, said.unknown)?;
    write!(out, ",\n \"answers\": [")?;
    for (index, asked) in said.asked.iter().enumerate() {
        write!(out, "{}{{\"kind\": \"{}\", \"configurations\": ", comma(index), asked.kind.name())?;
        value(out, &asked.configurations)?;
        write!(out, ", \"answer\": ")?;
        value(out, &asked.answer)?;
        write!(out, "}}")?;
    }
    write!(out, "]")?;
    if let Some(counts) = said.counts {
        write!(out, ",\n \"heads\": [")?;
        for (index, count) in counts.iter().enumerate() {
            write!(out, "{}{{\"control\": ", comma(index))?;
            value(out, said.spds.controls[count.control.0 as usize].as_str())?;
            write!(out, ", \"symbol\": ")?;
            value(out, &count.symbol.map(|symbol| said.spds.symbol(symbol).name.as_str()))?;
            let configurations = match &count.configurations {
                Count::Finite(all) => Some(all.to_string()),
                Count::Infinite => None,
            };
            write!(out, ", \"values\": \"{}\", \"configurations\": ", count.values)?;
            value(out, &configurations)?;
            write!(out, "}}")?;
        }
        write!(out, "]")?;
    }
    if let Some(list) = said.list {
        write!(out, ",\n \"list\": [")?;
        for (index, pattern) in list.iter().enumerate() {
            write!(out, "{}", comma(index))?;
            value(out, &said.pattern(pattern))?;
        }
        write!(out, "]")?;
    }
    if let Some(automaton) = said.automaton {
        write!(out, ",\n \"automaton\": {}", exchange::write(said.spds, automaton, 1))?;
    }
    if let Some(seconds) = header.seconds {
        write!(out, ",\n \"seconds\": ")?;
        value(out, &seconds)?;
    }
    writeln!(out, "}}")
}

fn comma(index: usize) -> &'static str {
    if index == 0 { "\n  " } else { ",\n  " }
}

/// A number for human readers; with more than thirty digits only the first three and how many there are.
fn number(all: &BigUint) -> String {
    let bits = all.bits();
    if bits <= 100 {
        return all.to_string();
    }
    let first = (all >> (bits - 64)).iter_u64_digits().next().unwrap_or(0) as f64;
    let logarithm = first.log10() + (bits - 64) as f64 * std::f64::consts::LOG10_2;
    let (digits, rest) = (logarithm.floor(), logarithm.fract());
    let mantissa = (10f64.powf(rest) * 100.0).floor() / 100.0;
    format!("about {mantissa:.2}e{digits}")
}

fn width(lines: &[String]) -> usize {
    lines.iter().map(|line| line.chars().count()).max().unwrap_or(0)
}

impl Said<'_> {
    /// The head of configurations.
    fn head(&self, control: ControlId, symbol: Option<SymbolId>) -> String {
        let symbol = symbol.map_or_else(String::new, |symbol| Conditions::other_name(&self.spds.symbol(symbol).name));
        match self.spds.controls.len() {
            1 => format!("<{symbol}>"),
            _ => format!("<{}, {symbol}>", Conditions::other_name(&self.spds.controls[control.0 as usize])),
        }
    }

    fn line(&self, symbol: SymbolId) -> Option<String> {
        self.spds.symbol(symbol).place.map(|place| format!("line {}", place.line))
    }

    /// Line and labels.
    fn place(&self, symbol: SymbolId) -> String {
        let labels = &self.spds.symbol(symbol).labels;
        let labels = if labels.is_empty() { String::new() } else { format!("{}:", labels.join(", ")) };
        let line = self.line(symbol).unwrap_or_default();
        [line, labels].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// The configurations in the notation of sets.
    fn pattern(&self, pattern: &Pattern) -> String {
        let mut text = String::from("<");
        let several = self.spds.controls.len() > 1;
        if several {
            text += &Conditions::other_name(&self.spds.controls[pattern.control.0 as usize]);
        }
        let globals = self.values(None, &self.spds.globals, Var::Global, &pattern.globals);
        if !globals.is_empty() {
            text += &format!("[{globals}]");
        }
        text += if several || !globals.is_empty() { "," } else { "" };
        for (number, (symbol, values)) in pattern.stack.iter().enumerate() {
            text += if number == 0 && !several && globals.is_empty() { "" } else { " " };
            text += &Conditions::other_name(&self.spds.symbol(*symbol).name);
            let values = self.values(Some(*symbol), self.spds.locals(*symbol), Var::Local, values);
            text += &if values.is_empty() { values } else { format!("[{values}]") };
        }
        text + ">"
    }

    /// A condition on one list of variables; empty if there is none.
    fn values(
        &self,
        symbol: Option<SymbolId>,
        variables: &[Variable],
        var: fn(u32) -> Var,
        values: &[Range],
    ) -> String {
        let frame = symbol.and_then(|symbol| self.spds.symbol(symbol).frame);
        let mut tests = Vec::new();
        let mut values = values.iter();
        for (number, variable) in (0..).zip(variables) {
            let name = match self.notation {
                Notation::Program | Notation::Remopla | Notation::C => {
                    self.spds.display_name(frame, var(number)).into_owned()
                }
                Notation::System => self.spds.written_name(frame, var(number)),
            };
            for cell in 0..variable.ty.cells() {
                let Some(Some(intervals)) = values.next() else { continue };
                let name = match variable.ty.range {
                    Some((first, _)) => format!("{name}[{}]", first + cell),
                    None => name.clone(),
                };
                tests.push(self.test(&name, variable, intervals));
            }
        }
        tests.join(" & ")
    }

    fn test(&self, name: &str, variable: &Variable, intervals: &[(u64, u64)]) -> String {
        if variable.ty.scalar == spds_format::model::Scalar::Bool {
            return match intervals {
                [(1, 1)] => name.to_owned(),
                _ => format!("!{name}"),
            };
        }
        let equal = if self.notation == Notation::Remopla { "==" } else { "=" };
        let most = u64::MAX >> (64 - variable.ty.scalar.bits());
        let one = |(first, last): &(u64, u64)| match (*first, *last) {
            (first, last) if first == last => format!("{name} {equal} {first}"),
            (0, last) => format!("{name} <= {last}"),
            (first, last) if last == most => format!("{name} >= {first}"),
            (first, last) => format!("{first} <= {name} & {name} <= {last}"),
        };
        let all: Vec<String> = intervals.iter().map(one).collect();
        match &all[..] {
            [only] => only.clone(),
            _ => format!("({})", all.join(" | ")),
        }
    }

    /// The automaton, state by state.
    fn automaton(&self, out: &mut dyn Write, automaton: &Automaton) -> io::Result<()> {
        let conditions = Conditions::new(self.spds);
        let (states, edges) = (automaton.states.len(), automaton.edges.len());
        if edges == 0 {
            return writeln!(out, "no configuration");
        }
        writeln!(out, "{states} states, {edges} edges; each line reads one symbol of the stack, from the top down")?;
        let controls = (0..self.spds.controls.len() as u32).map(|id| End::Control(ControlId(id)));
        let others = (0..states as u32).map(|id| End::State(spds_format::automaton::StateId(id)));
        let mut by_source: std::collections::BTreeMap<End, Vec<&Edge>> = std::collections::BTreeMap::new();
        for edge in &automaton.edges {
            by_source.entry(edge.from).or_default().push(edge);
        }
        for from in controls.chain(others) {
            let leaving = by_source.get(&from).map_or(&[][..], Vec::as_slice);
            if matches!(from, End::Control(_)) && leaving.is_empty() {
                continue;
            }
            writeln!(out, "\n{}", self.title(automaton, &conditions, from, leaving.is_empty()))?;
            self.leaving(out, automaton, &conditions, leaving)?;
        }
        Ok(())
    }

    fn end(&self, automaton: &Automaton, end: End) -> String {
        match end {
            End::Control(id) => format!("<{}>", Conditions::other_name(&self.spds.controls[id.0 as usize])),
            End::State(id) => Conditions::other_name(&automaton.state(id).name),
        }
    }

    /// The line about where edges begin, above them.
    fn title(&self, automaton: &Automaton, conditions: &Conditions<'_>, from: End, is_last: bool) -> String {
        let End::State(id) = from else {
            return match self.spds.controls.len() {
                1 => "at the top:".to_owned(),
                _ => format!("at the top, under {}:", self.end(automaton, from)),
            };
        };
        let mut title = format!("in {}", self.end(automaton, from));
        let state = automaton.state(id);
        let carried = state.carries.iter().map(|var| conditions.name(state.frame, *var));
        let carried: Vec<String> = carried.collect();
        if !carried.is_empty() {
            title += &format!(", which knows {}", carried.join(", "));
        }
        if state.accepting {
            title += ": the stack may end";
            title += if is_last { "" } else { ", or" };
        } else {
            title += ":";
        }
        title
    }

    /// The edges that leave one place, in columns.
    fn leaving(
        &self,
        out: &mut dyn Write,
        automaton: &Automaton,
        conditions: &Conditions<'_>,
        leaving: &[&Edge],
    ) -> io::Result<()> {
        let name = |edge: &&Edge| match edge.symbol {
            Some(symbol) => Conditions::other_name(&self.spds.symbol(symbol).name),
            None => "(empty stack)".into(),
        };
        let names: Vec<String> = leaving.iter().map(name).collect();
        let places = leaving.iter().map(|edge| edge.symbol.map_or_else(String::new, |symbol| self.place(symbol)));
        let places: Vec<String> = places.collect();
        let targets: Vec<String> = leaving.iter().map(|edge| self.end(automaton, edge.to)).collect();
        let [name_width, place_width, target_width] = [&names, &places, &targets].map(|column| width(column));
        for (index, edge) in leaving.iter().enumerate() {
            let condition = edge.condition.as_ref().map_or_else(String::new, |condition| {
                format!("  when {}", conditions.write(&automaton.scope(self.spds, edge), condition))
            });
            let line = format!(
                "  {:name_width$}  {:place_width$}  -> {:target_width$}{condition}",
                names[index], places[index], targets[index]
            );
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;

    use super::number;

    #[test]
    fn long_numbers_are_told_by_their_first_digits_and_their_length() {
        let power = |exponent: u32| BigUint::from(10u8).pow(exponent);
        assert_eq!(number(&BigUint::from(0u8)), "0");
        assert_eq!(number(&power(30)), format!("1{}", "0".repeat(30)));
        assert_eq!(number(&(BigUint::from(1234u32) * power(40))), "about 1.23e43");
        assert_eq!(number(&(BigUint::from(9999u32) * power(5000))), "about 9.99e5003");
        assert_eq!(number(&(BigUint::from(1u8) << 1_000_000)), "about 9.90e301029");
    }
}
