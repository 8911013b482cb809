//! The texts that are open in the editor.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use gen_lsp_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams, Position, Range,
    TextDocumentContentChangeEvent as Change,
};
use puch::problem::{Format, Language};
use puch::report::utf16::Utf16;

/// What a text is.
#[derive(Clone, Debug)]
pub enum Tongue {
    /// In one of the languages of systems.
    System(Language),
    /// C.
    C,
    /// Something that puch does not read.
    Unknown,
}

impl Tongue {
    /// By the ending of its name, or else by what the editor calls it.
    fn of(uri: &str, editor: &str) -> Tongue {
        let name = uri.rsplit('/').next().unwrap_or(uri);
        let ending = Path::new(name).extension().and_then(|ending| ending.to_str());
        [ending, Some(editor)].into_iter().flatten().find_map(Tongue::named).unwrap_or(Tongue::Unknown)
    }

    fn named(name: &str) -> Option<Tongue> {
        let format = match name {
            "bp" | "nbp" | "boolean-program" => Format::BooleanProgram,
            "rem" | "remopla" => Format::Remopla,
            "spds" => Format::Spds,
            "pds" | "moped-pds" => Format::MopedPds,
            "c" | "i" => return Some(Tongue::C),
            _ => return None,
        };
        format.language().map(Tongue::System)
    }
}

/// A text as it is now.
#[derive(Debug)]
pub struct Document {
    /// Its name.
    pub uri: String,
    /// The editor's number of this state.
    pub version: i32,
    /// What it is.
    pub tongue: Tongue,
    /// What it says.
    pub text: String,
}

impl Document {
    /// The end of its name.
    pub fn name(&self) -> &str {
        self.uri.rsplit('/').next().unwrap_or(&self.uri)
    }
}

/// A range of bytes as the protocol has it.
pub fn range(index: &Utf16<'_>, bytes: &std::ops::Range<usize>) -> Range {
    let at = |byte| {
        let (line, character) = index.position(byte);
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Position { line: number(line), character: number(character) }
    };
    Range { start: at(bytes.start), end: at(bytes.end.max(bytes.start)) }
}

/// The byte at a place of the protocol.
pub fn byte(index: &Utf16<'_>, position: Position) -> usize {
    index.byte(position.line as usize, position.character as usize)
}

/// All open documents.
#[derive(Debug, Default)]
pub struct Documents(HashMap<String, Arc<Document>>);

impl Documents {
    /// The present state of one.
    pub fn get(&self, uri: &str) -> Option<Arc<Document>> {
        self.0.get(uri).cloned()
    }

    /// One is opened; which.
    pub fn open(&mut self, params: DidOpenTextDocumentParams) -> Option<String> {
        let item = params.text_document;
        let editor = serde_json::to_value(&item.language_id).ok();
        let editor = editor.as_ref().and_then(|name| name.as_str()).unwrap_or("");
        let uri = item.uri.to_string();
        let tongue = Tongue::of(&uri, editor);
        let document = Document { uri: uri.clone(), version: item.version, tongue, text: item.text };
        self.0.insert(uri.clone(), Arc::new(document));
        Some(uri)
    }

    /// One is changed; which, if it is open.
    pub fn change(&mut self, params: DidChangeTextDocumentParams) -> Option<String> {
        let uri = params.text_document.text_document_identifier.uri.to_string();
        let old = self.0.get(&uri)?;
        let mut text = old.text.clone();
        params.content_changes.into_iter().for_each(|change| apply(&mut text, change));
        let (version, tongue) = (params.text_document.version, old.tongue.clone());
        self.0.insert(uri.clone(), Arc::new(Document { uri: uri.clone(), version, tongue, text }));
        Some(uri)
    }

    /// One is closed; which.
    pub fn close(&mut self, params: DidCloseTextDocumentParams) -> Option<String> {
        let uri = params.text_document.uri.to_string();
        self.0.remove(&uri).map(|_| uri)
    }
}

fn apply(text: &mut String, change: Change) {
    match change {
        Change::TextDocumentContentChangeWholeDocument(whole) => *text = whole.text,
        Change::TextDocumentContentChangePartial(part) => {
            let index = Utf16::new(text);
            let (start, end) = (byte(&index, part.range.start), byte(&index, part.range.end));
            text.replace_range(start..end.max(start), &part.text);
        }
    }
}
