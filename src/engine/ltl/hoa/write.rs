//! Writing.

use std::fmt::Write;

use crate::bdd::label::Label;
use crate::limits::Stop;

use super::super::ambiguity::is_unambiguous;
use super::super::automaton::{Tgba, Transition};
use super::super::components::{Components, components, has_cycle, is_accepting};

/// Where marks are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// On edges.
    Edges,
    /// On states; all edges of a state must bear the same marks.
    States,
}

/// Whether the language is known not to tell how often a letter is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stuttering {
    /// It is known.
    Invariant,
    /// It is not.
    Unknown,
}

/// The automaton, with explicit labels on edges; `name` is that of the language, usually its formula.
///
/// # Errors
/// A limit that the automaton was made under and that is met while its labels are written: they would be wrong.
pub fn write(tgba: &Tgba, name: &str, placement: Placement, stuttering: Stuttering) -> Result<String, Stop> {
    let mut tgba = tgba.clone();
    let mut text = String::from("HOA: v1\n");
    line(&mut text, format_args!("name: {}", quoted(name)));
    line(&mut text, format_args!("States: {}", tgba.states.len()));
    line(&mut text, format_args!("Start: {}", tgba.initial));
    let propositions: String =
        tgba.propositions.iter().map(|proposition| format!(" {}", quoted(&proposition.kind.to_string()))).collect();
    line(&mut text, format_args!("AP: {}{propositions}", tgba.propositions.len()));
    let condition: Vec<String> = (0..tgba.marks).map(|mark| format!("Inf({mark})")).collect();
    let (known_as, condition) = match tgba.marks {
        0 => ("all".to_owned(), "t".to_owned()),
        1 => ("Buchi".to_owned(), condition.join("&")),
        marks => (format!("generalized-Buchi {marks}"), condition.join("&")),
    };
    line(&mut text, format_args!("acc-name: {known_as}"));
    line(&mut text, format_args!("Acceptance: {} {condition}", tgba.marks));
    line(&mut text, format_args!("properties: {}", properties(&mut tgba, placement, stuttering).join(" ")));
    text.push_str("--BODY--\n");
    let states = std::mem::take(&mut tgba.states);
    for (state, edges) in states.iter().enumerate() {
        let of_state = match placement {
            Placement::States => edges.first().map_or(String::new(), marks),
            Placement::Edges => String::new(),
        };
        line(&mut text, format_args!("State: {state}{of_state}"));
        for edge in edges {
            let of_edge = if placement == Placement::Edges { marks(edge) } else { String::new() };
            let label = tgba.labels.expression(edge.label);
            line(&mut text, format_args!("[{label}] {}{of_edge}", edge.to));
        }
    }
    text.push_str("--END--\n");
    tgba.labels.check()?;
    Ok(text)
}

fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    writeln!(text, "{content}").expect("a string takes everything");
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn marks(edge: &Transition) -> String {
    if edge.marks.is_empty() {
        return String::new();
    }
    let marks: Vec<String> = edge.marks.iter().map(|mark| mark.to_string()).collect();
    format!(" {{{}}}", marks.join(" "))
}

fn properties(tgba: &mut Tgba, placement: Placement, stuttering: Stuttering) -> Vec<&'static str> {
    let mut properties = vec!["trans-labels", "explicit-labels"];
    properties.push(if placement == Placement::States { "state-acc" } else { "trans-acc" });
    properties.push("no-univ-branch");
    if is_complete(tgba) {
        properties.push("complete");
    }
    if tgba.is_deterministic() {
        properties.push("deterministic");
    }
    if is_unambiguous(tgba) {
        properties.push("unambiguous");
    }
    if stuttering == Stuttering::Invariant {
        properties.push("stutter-invariant");
    }
    let Components { of, members } = components(tgba);
    let inside = |states: &[u32]| -> Vec<&Transition> {
        let edges = states.iter().flat_map(|state| tgba.states[*state as usize].iter().map(move |edge| (*state, edge)));
        edges.filter(|(from, edge)| of[*from as usize] == of[edge.to as usize]).map(|(_, edge)| edge).collect()
    };
    let weak = members.iter().all(|states| {
        let edges = inside(states);
        edges.iter().all(|edge| edge.marks == edges[0].marks)
    });
    if weak {
        properties.push("weak");
        if members.iter().all(|states| states.len() == 1) {
            properties.push("very-weak");
        }
        if is_terminal(tgba, &of, &members) {
            properties.push("terminal");
        }
    }
    properties
}

/// Whether every letter can be read in every state.
fn is_complete(tgba: &mut Tgba) -> bool {
    let Tgba { states, labels, .. } = tgba;
    states.iter().all(|edges| edges.iter().fold(Label::FALSE, |read, edge| labels.or(read, edge.label)) == Label::TRUE)
}

/// Whether a run that has come to an accepting component of this weak automaton reads on whatever comes and meets no
/// rejecting cycle.
fn is_terminal(tgba: &mut Tgba, of: &[usize], members: &[Vec<u32>]) -> bool {
    let mut after_accepting = vec![false; members.len()];
    for (component, states) in members.iter().enumerate() {
        let accepting = is_accepting(tgba, of, states);
        if after_accepting[component] && !accepting && has_cycle(tgba, of, states, &|_, _| true) {
            return false;
        }
        if !accepting && !after_accepting[component] {
            continue;
        }
        for state in states {
            let mut read = Label::FALSE;
            for edge in &tgba.states[*state as usize] {
                read = tgba.labels.or(read, edge.label);
                after_accepting[of[edge.to as usize]] = true;
            }
            if read != Label::TRUE {
                return false;
            }
        }
    }
    true
}
