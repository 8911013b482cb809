//! Certificates about control alone: H, the heads that may be on top, and R, where what lies on one of them may be gone.
//!
//! Values are forgotten, which leaves more runs, so what is excluded is excluded for any system; without data it is exact. What is said
//! of a head does not depend on the call in which it is reached, so that there are as many lines as heads, where there may be as many
//! sets as pairs of a head and an entry.

use rustc_hash::FxHashMap;
use spds_format::model::{ControlId, Head, Stack};
use spds_format::{RulesByHead, Spds};

use super::columns::Columns;
use super::gap::{Place, of_control};
use super::{Found, Result};
use crate::certificate::{Certificate, Kind};
use crate::limits::Tally;

/// Checks one, in so many steps: about one for each head, each rule, and each return of a call.
pub(super) fn found(spds: &Spds, columns: &Columns, certificate: &Certificate, steps: &mut Tally) -> Result<Found> {
    if let Some(why) = foreign(spds, certificate) {
        return Ok(Found::Foreign(why.to_owned()));
    }
    let mut tops = Tops::new(spds, certificate, steps)?;
    let missing = tops.missing(spds, &RulesByHead::new(spds), certificate, steps)?;
    Ok(missing.map_or(Found::Proves, |(place, by)| Found::Lacks(Box::new(of_control(spds, columns, place, by)))))
}

/// Why what is said of control says nothing of the claim, or the system.
fn foreign(spds: &Spds, certificate: &Certificate) -> Option<&'static str> {
    let Certificate { claim, reached, returned, cuts, again, tops, .. } = certificate;
    if claim.kind == Kind::Termination || claim.kind.is_watched() {
        return Some("which heads may be on top says nothing of runs that go on for ever");
    }
    if !(reached.is_empty() && returned.is_empty() && cuts.is_empty() && again.is_empty()) {
        return Some("a certificate about control alone has no sets");
    }
    let is_control = |control: ControlId| (control.0 as usize) < spds.controls.len();
    let is_head = |head: Head| is_control(head.control) && (head.symbol.0 as usize) < spds.symbols.len();
    let all = tops.iter().all(|(head, gone)| is_head(*head) && gone.iter().copied().all(is_control));
    (!all).then_some("the system has fewer control locations, or symbols")
}

/// What is missing, and by which rule, from which head, a run comes there.
type Missing = Option<(Place, Option<(usize, Head)>)>;

struct Tops {
    places: FxHashMap<Head, usize>,
    /// R, a row of bits for each place.
    rows: Vec<u64>,
    words: usize,
}

impl Tops {
    /// Of equal lines the union counts.
    fn new(spds: &Spds, certificate: &Certificate, steps: &mut Tally) -> Result<Tops> {
        let words = spds.controls.len().div_ceil(64);
        let mut tops = Tops { places: FxHashMap::default(), rows: Vec::new(), words };
        for (head, gone) in &certificate.tops {
            steps.take(1 + gone.len() as u64)?;
            let next = tops.places.len();
            let place = *tops.places.entry(*head).or_insert(next);
            tops.rows.resize(tops.places.len() * words, 0);
            for control in gone {
                tops.rows[place * words + control.0 as usize / 64] |= 1 << (control.0 % 64);
            }
        }
        Ok(tops)
    }

    fn row(&self, place: usize) -> &[u64] {
        &self.rows[place * self.words..][..self.words]
    }

    /// The first question whose answer is no.
    fn missing(
        &mut self,
        spds: &Spds,
        rules: &RulesByHead,
        certificate: &Certificate,
        steps: &mut Tally,
    ) -> Result<Missing> {
        if let Some(head) = certificate.claim.targets.iter().find(|head| self.places.contains_key(head)) {
            return Ok(Some((Place::Target(*head), None)));
        }
        if let Some(head) = self.start(spds) {
            return Ok(Some((Place::At(head), None)));
        }
        for (from, _) in &certificate.tops {
            for rule in rules.of(*from) {
                if let Some(place) = self.step(spds, *from, rule, steps)? {
                    return Ok(Some((place, Some((rule, *from)))));
                }
            }
        }
        Ok(None)
    }

    /// The start, and what lies below it, once what lies on it is gone.
    fn start(&self, spds: &Spds) -> Option<Head> {
        let mut before = vec![0; self.words];
        before[spds.start.control.0 as usize / 64] |= 1 << (spds.start.control.0 % 64);
        for &symbol in &spds.start.stack {
            let mut after = vec![0; self.words];
            for control in controls(&before) {
                let head = Head { control, symbol };
                let Some(&place) = self.places.get(&head) else { return Some(head) };
                after.iter_mut().zip(self.row(place)).for_each(|(all, row)| *all |= row);
            }
            before = after;
        }
        None
    }

    /// What is missing where a rule leads to.
    fn step(&self, spds: &Spds, from: Head, rule: usize, steps: &mut Tally) -> Result<Option<Place>> {
        steps.take(1)?;
        let Some(&here) = self.places.get(&from) else { return Ok(None) };
        let rule = &spds.rules[rule];
        let control = rule.to;
        match rule.stack {
            Stack::Swap(symbol) => Ok(self.goes_on(here, Head { control, symbol })),
            Stack::Pop => {
                let is_there = self.row(here)[control.0 as usize / 64] >> (control.0 % 64) & 1 == 1;
                Ok((!is_there).then_some(Place::Returned(control)))
            }
            Stack::Push(symbol, site) => {
                let entry = Head { control, symbol };
                let Some(&entered) = self.places.get(&entry) else { return Ok(Some(Place::Entered(entry))) };
                for control in controls(self.row(entered)) {
                    steps.take(self.words as u64)?;
                    if let Some(place) = self.goes_on(here, Head { control, symbol: site }) {
                        return Ok(Some(place));
                    }
                }
                Ok(None)
            }
        }
    }

    /// What is missing where another head takes the place of one.
    fn goes_on(&self, here: usize, next: Head) -> Option<Place> {
        let Some(&there) = self.places.get(&next) else { return Some(Place::At(next)) };
        let rows = self.row(there).iter().zip(self.row(here));
        let more = (0..).zip(rows).find_map(|(word, (there, here))| lowest(word, there & !here));
        more.map(Place::Returned)
    }
}

/// The control locations of a row.
fn controls(row: &[u64]) -> impl Iterator<Item = ControlId> + '_ {
    (0..).zip(row).flat_map(|(word, bits)| {
        let mut left = *bits;
        std::iter::from_fn(move || {
            let next = lowest(word, left)?;
            left &= left - 1;
            Some(next)
        })
    })
}

/// The first control location in one word of a row.
fn lowest(word: u32, bits: u64) -> Option<ControlId> {
    (bits != 0).then(|| ControlId(word * 64 + bits.trailing_zeros()))
}
