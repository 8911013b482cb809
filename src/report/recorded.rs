//! Reports read back: what `--format json` has written, as far as a judge needs it.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::replay::{Observed, Seen, SeenCall, SeenValue};
use crate::run::{Ending, Then};

/// A recorded report.
#[derive(Clone, Debug, Deserialize)]
pub struct Report {
    /// The answers.
    pub results: Vec<Answer>,
}

/// A recorded answer.
#[derive(Clone, Debug, Deserialize)]
pub struct Answer {
    /// The kind of property.
    pub kind: String,
    /// The property as it was given.
    pub property: String,
    /// The verdict.
    pub verdict: String,
    /// Its trace, if there is one.
    pub trace: Option<Trace>,
}

/// A recorded trace.
#[derive(Clone, Debug, Deserialize)]
pub struct Trace {
    ending: EndingName,
    #[serde(default)]
    cycle: Option<Vec<Item>>,
    #[serde(default)]
    closes_on: Option<Vec<String>>,
    stem: Vec<Item>,
    #[serde(default)]
    calls: Vec<Call>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum EndingName {
    Reached,
    Failed,
    Terminated,
    Stuck,
    Loop,
}

#[derive(Clone, Debug, Deserialize)]
struct Call {
    procedure: Option<String>,
    steps: Vec<Item>,
}

#[derive(Clone, Debug, Deserialize)]
struct Item {
    file: Option<String>,
    line: Option<u32>,
    procedure: Option<String>,
    control: Option<String>,
    symbol: Option<String>,
    labels: Vec<String>,
    depth: u32,
    values: BTreeMap<String, RecordedValue>,
    call: Option<usize>,
    times: Option<u64>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum RecordedValue {
    Bool(bool),
    Number(u64),
    Array(Vec<CellValue>),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum CellValue {
    Bool(bool),
    Number(u64),
}

/// Reads a report.
///
/// # Errors
/// If the text is not JSON, or not a report.
pub fn read(text: &str) -> Result<Report, serde_json::Error> {
    serde_json::from_str(text)
}

impl From<Trace> for Observed {
    fn from(trace: Trace) -> Observed {
        Observed {
            stem: seen(trace.stem),
            cycle: trace.cycle.map(seen),
            closes_on: trace.closes_on,
            calls: trace
                .calls
                .into_iter()
                .map(|call| SeenCall { procedure: call.procedure, steps: seen(call.steps) })
                .collect(),
            ending: match trace.ending {
                EndingName::Reached => Ending::Reached,
                EndingName::Failed => Ending::Failed,
                EndingName::Terminated => Ending::Terminated,
                EndingName::Stuck => Ending::Stuck,
                EndingName::Loop => Ending::Loop,
            },
        }
    }
}

fn seen(items: Vec<Item>) -> Vec<Seen> {
    items
        .into_iter()
        .map(|item| Seen {
            file: item.file,
            line: item.line,
            procedure: item.procedure,
            control: item.control,
            symbol: item.symbol,
            labels: Some(item.labels),
            depth: Some(item.depth),
            values: item.values.into_iter().map(|(name, value)| (name, value.seen())).collect(),
            then: match (item.call, item.times) {
                (Some(call), _) => Then::Call(call),
                (None, Some(times)) => Then::Leap(times),
                (None, None) => Then::Step,
            },
        })
        .collect()
}

impl RecordedValue {
    fn seen(self) -> SeenValue {
        match self {
            RecordedValue::Bool(value) => SeenValue::Bool(value),
            RecordedValue::Number(value) => SeenValue::Number(value),
            RecordedValue::Array(cells) => SeenValue::Array(
                cells
                    .into_iter()
                    .map(|cell| match cell {
                        CellValue::Bool(value) => SeenValue::Bool(value),
                        CellValue::Number(value) => SeenValue::Number(value),
                    })
                    .collect(),
            ),
        }
    }
}
