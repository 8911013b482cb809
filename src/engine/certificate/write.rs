//! Certificates as text.

use std::fmt::{self, Write as _};
use std::io::{self, Write};

use spds_format::Spds;
use spds_format::model::{ControlId, Head};

use super::{Certificate, Kind, Moment, RUNS, Tag};
use crate::options::Runs;

/// A fingerprint of the text of a system, as it is printed: FNV-1a, 64 bits. It tells texts apart that were taken for each other;
/// that a certificate fits its system is checked anyway.
pub fn about(spds: &Spds) -> u64 {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    let _ = write!(hash, "{spds}");
    hash.0
}

/// The same of a text.
pub fn fingerprint(text: &str) -> u64 {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    let _ = hash.write_str(text);
    hash.0
}

struct Fnv(u64);

impl fmt::Write for Fnv {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Ok(())
    }
}

/// Writes a certificate.
///
/// # Errors
/// If writing fails.
pub fn write(out: &mut dyn Write, spds: &Spds, certificate: &Certificate) -> io::Result<()> {
    let Certificate { about, claim, order, nodes, reached, returned, cuts, again, tops } = certificate;
    let names = Names { spds };
    writeln!(out, "puch-certificate 1")?;
    writeln!(out, "about fnv1a64 {about:016x}")?;
    match &claim.kind {
        Kind::Reach(place) => writeln!(out, "claim reach {}", quoted(place))?,
        Kind::Between { from, to } => writeln!(out, "claim reach {} from {}", quoted(to), quoted(from))?,
        Kind::Formula { formula, runs } => writeln!(out, "claim ltl {} runs {}", quoted(formula), named(*runs))?,
        Kind::Automaton { name, about, runs } => {
            writeln!(out, "claim automaton {} fnv1a64 {about:016x} runs {}", quoted(name), named(*runs))?;
        }
        Kind::Assertions | Kind::Termination => writeln!(out, "claim {}", claim.kind.name())?,
    }
    for target in &claim.targets {
        writeln!(out, "target {}", names.head(*target))?;
    }
    write!(out, "order")?;
    for bit in order {
        write!(out, " {bit}")?;
    }
    writeln!(out)?;
    for (number, node) in (2..).zip(nodes) {
        let moment = match node.moment {
            Moment::Entry => "entry",
            Moment::Now => "now",
        };
        writeln!(out, "{number} = {moment} {} ? {} : {}", node.bit, node.high, node.low)?;
    }
    for (tag, head, set) in reached {
        writeln!(out, "at {} in {} : {set}", names.head(*head), names.tag(*tag))?;
    }
    for (tag, control, set) in returned {
        writeln!(out, "return {} in {} : {set}", names.control(*control), names.tag(*tag))?;
    }
    for cut in cuts {
        writeln!(out, "cut {}", names.head(*cut))?;
    }
    for (cut, head, set) in again {
        writeln!(out, "again {} from {} : {set}", names.head(*head), names.head(*cut))?;
    }
    for (head, gone) in tops {
        write!(out, "top {} :", names.head(*head))?;
        for control in gone {
            write!(out, " {}", names.control(*control))?;
        }
        writeln!(out)?;
    }
    writeln!(out, "end")
}

/// Which runs count, in a word.
fn named(runs: Runs) -> &'static str {
    RUNS.iter().find(|(own, _)| *own == runs).map_or("", |(_, name)| name)
}

/// Names as they are written here: always in quotes.
struct Names<'a> {
    spds: &'a Spds,
}

impl Names<'_> {
    fn head(&self, head: Head) -> String {
        format!("{} {}", self.control(head.control), quoted(&self.spds.symbol(head.symbol).name))
    }

    fn control(&self, control: ControlId) -> String {
        quoted(&self.spds.controls[control.0 as usize])
    }

    fn tag(&self, tag: Tag) -> String {
        match tag {
            Tag::Start(depth) => format!("start {depth}"),
            Tag::Entry(head) => self.head(head),
        }
    }
}

/// A string of JSON.
pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
