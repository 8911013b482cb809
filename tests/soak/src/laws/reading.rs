//! Texts with mistakes in them, for every reader: taken or refused in good order, without a panic.

use fastrand::Rng;
use puch::limits::Limits;
use puch::ltl::hoa::{self, Placement, Stuttering};
use puch::ltl::{Passes, Tgba, parenthesised, translate_generalised};
use puch::{boolprog, exchange, moped_pds};

use super::{Kind, Law};
use crate::case::{Case, Input};
use crate::readers::{self, sets::SYSTEM};
use crate::support::{one_in, pick, rem_programs, shapes, systems};
use crate::{cases, random};

/// A law for each reader: its name, what it reads, the function that reads, and a right text.
macro_rules! readers {
    ($($constant:ident $name:literal $what:literal $read:path, $right:expr;)*) => {
        $(
            const $constant: Law = Law {
                name: $name,
                says: concat!("whatever is read as ", $what, " is taken or refused in good order"),
                kind: Kind::Reading,
                weight: 4,
                draw: |rng| {
                    let right: fn(&mut Rng) -> String = $right;
                    let text = right(rng);
                    Case::new($name, Input::Bytes(spoilt(rng, text.into_bytes())))
                },
                holds: |case| {
                    $read(&case.input.bytes());
                    Ok(1)
                },
            };
        )*

        pub const ALL: &[&Law] = &[$(&$constant),*];
    };
}

readers! {
    BP "read-bp" "a Boolean program" readers::boolprog::read_anything, |rng| match rng.u32(..4) {
        0 => pick(rng, &[include_str!("../../../../examples/fig1.bp"), include_str!("../../../../examples/lock.bp")]).to_string(),
        _ => shapes::program(rng).to_string(),
    };
    REM "read-rem" "a Remopla program" readers::remopla::read_anything, |rng| match rng.u32(..6) {
        0 => include_str!("../../../../examples/quicksort/faulty.rem").into(),
        _ => rem_programs::program(rng.u64(..)),
    };
    SPDS "read-spds" "a system in .spds" readers::spds::parse_anything, |rng| shapes::system(rng).to_string();
    PDS "read-pds" "a system in .pds" readers::moped_pds::read_anything, |rng| match rng.u32(..3) {
        0 => pick(rng, &[
            include_str!("../../../../examples/pds/counter.pds"),
            include_str!("../../../../examples/pds/plotter.pds"),
            include_str!("../../../../examples/pds/quicksort.pds"),
        ]).to_string(),
        _ => written_pds(rng),
    };
    PDAAAL "read-pdaaal" "a system in PDAAAL's JSON" readers::pdaaal::read_anything, |rng| pick(rng, &[
        include_str!("../../../../examples/pdaaal/network.json"),
        include_str!("../../../../examples/pdaaal/packets.json"),
        include_str!("../../../golden/instance.json"),
        include_str!("../../../golden/states.json"),
    ]).to_string();
    SET "read-set" "a set of configurations in JSON" readers::sets::read_json, |rng| {
        let spds = spds_format::parse(SYSTEM).expect("it is well-formed");
        exchange::write(&spds, &systems::set(rng, &spds), 0)
    };
    PATTERN "read-pattern" "a pattern of configurations or a place" readers::sets::read_pattern, |rng| pick(rng, &[
        "<p[g & x = 3], s @end>", "<p, s> <q[!a[1]], t (u | s)* .+>", "<_, [ s t ]? u* >", "p:s", "L", "f:L", "<q, @end>", ":2",
        "<p[x << 1 > 5], s[l & n != 2] . @end>", "<p, >",
    ]).to_string();
    HOA "read-hoa" "an automaton in the Hanoi format" readers::temporal::read_hoa, |rng| match rng.u32(..3) {
        0 => cases::automaton(rng),
        1 => include_str!("../../../golden/held.hoa").into(),
        _ => written_hoa(rng),
    };
    NEVER "read-never" "a never claim" readers::temporal::read_never, written_never;
    FORMULA "read-formula" "a formula" readers::temporal::read_formula, |rng| match rng.u32(..3) {
        0 => pick(rng, &cases::PATTERNS).to_string(),
        1 => "[] (@call(f) -> <> @return(f)) && {main.x | !g} U (\"p q\" W :12) V !X main:R <-> 1 xor @stuck".into(),
        _ => {
            let operators = rng.usize(1..8);
            parenthesised(&random::formula(rng, 3, operators))
        }
    };
    TRACE "read-trace" "a recorded trace" readers::traces::read_anything, |rng| {
        let golden = pick(rng, &[
            include_str!("../../../golden/fig1_json.console"),
            include_str!("../../../golden/fig1_folded_json.console"),
        ]);
        golden[golden.find('{').expect("there is JSON")..].to_owned()
    };
}

/// A random Boolean program as a `.pds` text.
fn written_pds(rng: &mut Rng) -> String {
    let program = shapes::program(rng).to_string();
    let spds = boolprog::read(&program, "any.bp", &boolprog::Options::default()).expect("programs are valid").spds;
    moped_pds::write(&spds).map_or_else(|_| "(q <m>) q <m> --> q <> \"l\"".into(), |(text, _)| text)
}

fn written_hoa(rng: &mut Rng) -> String {
    let operators = rng.usize(1..5);
    let ltl = random::formula(rng, 2, operators);
    let tgba: Tgba = translate_generalised(&ltl, &Passes::default(), &Limits::default()).expect("there are no limits");
    hoa::write(&tgba, &parenthesised(&ltl), Placement::Edges, Stuttering::Unknown).expect("there are no limits")
}

fn written_never(rng: &mut Rng) -> String {
    let states = 1 + rng.u32(..3);
    let mut text = String::from("never { /* any */\n");
    for state in 0..states {
        let name = if one_in(rng, 2) { "accept_S" } else { "T0_S" };
        let kind = pick(rng, &[("if", "fi"), ("do", "od")]);
        text += &format!("{name}{state}: S{state}: {}\n", kind.0);
        for _ in 0..rng.u32(1..4) {
            let condition = pick(rng, &["(1)", "(p && !q)", "(p || (q))", "(!(p))", "true"]);
            let action = match rng.u32(..4) {
                0 => format!("atomic {{ {condition} -> assert(!{condition}) }}"),
                _ => format!("{condition} -> goto S{}", rng.u32(..states)),
            };
            text += &format!("  :: {action}\n");
        }
        text += &format!("{};\n", kind.1);
    }
    text + "accept_all: skip\n}\n"
}

/// Numbers at the edge, and what opens, closes and quotes.
const ODD: [&str; 24] = [
    "18446744073709551616",
    "18446744073709551615",
    "4294967296",
    "-1",
    "0",
    "65535",
    "1e999",
    "\u{fc}",
    "\0",
    "\"",
    "\\",
    "/*",
    "*/",
    "//",
    "((((((((",
    "))))))))",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    ";",
    "\r\n",
];

/// The text with some mistakes in it: pieces gone, doubled, swapped, replaced.
fn spoilt(rng: &mut Rng, mut bytes: Vec<u8>) -> Vec<u8> {
    let words = words(&bytes);
    for _ in 0..rng.u32(..7) {
        if bytes.is_empty() {
            break;
        }
        let at = rng.usize(..bytes.len());
        let end = (at + rng.usize(1..24)).min(bytes.len());
        let to = rng.usize(..bytes.len());
        match rng.u32(..9) {
            0 => drop(bytes.drain(at..end)),
            1 => bytes[at] = rng.u8(..) & if one_in(rng, 8) { 0xff } else { 0x7f },
            2 => drop(bytes.splice(at..at, pick(rng, &ODD).bytes())),
            3 => {
                let piece = bytes[at..end].to_vec();
                drop(bytes.splice(to..to, piece));
            }
            4 => bytes.truncate(end),
            5 => bytes.swap(at, to),
            6 if !words.is_empty() => {
                let (from, to) = (pick(rng, &words).clone(), pick(rng, &words).clone());
                replace(rng, &mut bytes, &from, &to);
            }
            7 if !words.is_empty() => {
                let (from, by) = (pick(rng, &words).clone(), pick(rng, &ODD).bytes().collect::<Vec<u8>>());
                replace(rng, &mut bytes, &from, &by);
            }
            _ if !words.is_empty() => {
                let word = pick(rng, &words).clone();
                drop(bytes.splice(at..at, word));
            }
            _ => {}
        }
    }
    bytes
}

/// Replaces one occurrence, if there is one still.
fn replace(rng: &mut Rng, bytes: &mut Vec<u8>, from: &[u8], by: &[u8]) {
    let places: Vec<usize> =
        bytes.windows(from.len()).enumerate().filter(|(_, window)| *window == from).map(|(place, _)| place).collect();
    if !places.is_empty() {
        let at = *pick(rng, &places);
        bytes.splice(at..at + from.len(), by.iter().copied());
    }
}

/// The words of a text, and single signs.
fn words(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut words: Vec<Vec<u8>> = Vec::new();
    let mut last = false;
    for byte in bytes.iter().filter(|byte| !byte.is_ascii_whitespace()) {
        let is_word = byte.is_ascii_alphanumeric() || *byte == b'_';
        match words.last_mut() {
            Some(word) if is_word && last && word.len() < 24 => word.push(*byte),
            _ => words.push(vec![*byte]),
        }
        last = is_word;
    }
    words.sort();
    words.dedup();
    words
}
