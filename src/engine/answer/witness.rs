//! Witnesses in the format 2.0 of competitions as files (Ayaziová, Beyer, Lingsch-Rosenfeld, Spiessl and Strejček, *Software verification
//! witnesses 2.0*, SPIN 2024). Text is JSON's where YAML wants text in quotes: that is YAML as well.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::json;

/// A witness in the format 2.0 of competitions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Witness {
    /// The type of its entry: `violation_sequence` or `invariant_set`.
    pub kind: &'static str,
    /// Its content, as lines of YAML; empty if there is nothing to say.
    pub content: String,
}

/// What a witness says of itself.
#[derive(Clone, Debug)]
pub struct Metadata {
    /// A number that no other witness has.
    pub uuid: String,
    /// When it was made.
    pub creation_time: String,
    /// The version of puch.
    pub version: String,
    /// The files of the program, with their SHA-256.
    pub files: Vec<(String, String)>,
    /// What was asked, as competitions write it.
    pub specification: String,
    /// `ILP32` or `LP64`.
    pub data_model: String,
}

impl Witness {
    /// The file.
    pub fn text(&self, metadata: &Metadata) -> String {
        let content = if self.content.is_empty() { " []\n" } else { &format!("\n{}", self.content) };
        entry(self.kind, metadata) + content
    }
}

/// The beginning of an entry of that type, up to its content.
fn entry(kind: &str, metadata: &Metadata) -> String {
    let mut text = format!("- entry_type: {}\n  metadata:\n    format_version: \"2.0\"\n", json!(kind));
    let _ = writeln!(text, "    uuid: {}\n    creation_time: {}", json!(metadata.uuid), json!(metadata.creation_time));
    let _ = writeln!(text, "    producer:\n      name: \"puch\"\n      version: {}", json!(metadata.version));
    text += "    task:\n      input_files:\n";
    for (file, _) in &metadata.files {
        let _ = writeln!(text, "        - {}", json!(file));
    }
    text += "      input_file_hashes:\n";
    for (file, hash) in &metadata.files {
        let _ = writeln!(text, "        {}: {}", json!(file), json!(hash));
    }
    let _ = writeln!(text, "      specification: {}", json!(metadata.specification));
    let _ = writeln!(text, "      data_model: {}\n      language: \"C\"", json!(metadata.data_model));
    text + "  content:"
}
