//! Answers to requests about a text as it was when they came.

use std::sync::Arc;

use gen_lsp_types::{
    CompletionItem, CompletionItemKind, CompletionOptions, DocumentSymbol, InitializeResult, Location, Position,
    PositionEncodingKind, ServerCapabilities, ServerInfo, SymbolKind, TextDocumentSyncKind, TextDocumentSyncOptions,
};
use lsp_server::{ErrorCode, Request};
use puch::report::utf16::Utf16;
use serde::Serialize;
use serde_json::Value;
use spds_format::reading::outline::{Declaration, Kind};

use super::about::{About, described};
use super::documents::{Document, Tongue, byte, range};
use super::{Refusal, hover, invariants};

/// What this server can do.
pub fn initialized() -> Value {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::Incremental),
        ..TextDocumentSyncOptions::default()
    };
    let capabilities = ServerCapabilities {
        position_encoding: Some(PositionEncodingKind::UTF16),
        text_document_sync: Some(sync.into()),
        hover_provider: Some(true.into()),
        definition_provider: Some(true.into()),
        document_symbol_provider: Some(true.into()),
        completion_provider: Some(CompletionOptions::default()),
        ..ServerCapabilities::default()
    };
    let server = ServerInfo { name: "puch".into(), version: Some(env!("CARGO_PKG_VERSION").into()) };
    value(&InitializeResult { capabilities, server_info: Some(server) }).unwrap_or_default()
}

fn value(answer: &impl Serialize) -> Result<Value, Refusal> {
    serde_json::to_value(answer).map_err(|error| Refusal(ErrorCode::InternalError, error.to_string()))
}

/// The answer to a request; about a document that is not open, or in no language that is known, nothing.
pub fn answer(request: Request, document: Option<Arc<Document>>) -> Result<Value, Refusal> {
    let known = ["hover", "definition", "documentSymbol", "completion"];
    let asked = request.method.strip_prefix("textDocument/").filter(|asked| known.contains(asked));
    let Some(asked) = asked else {
        return Err(Refusal(ErrorCode::MethodNotFound, format!("`{}` is not known here", request.method)));
    };
    if !request.params["textDocument"]["uri"].is_string() {
        return Err(Refusal(ErrorCode::InvalidParams, "which document is not said".into()));
    }
    let position: Option<Position> = match asked {
        "documentSymbol" => None,
        _ => Some(serde_json::from_value(request.params["position"].clone())?),
    };
    let Some(document) = document.as_deref() else { return Ok(Value::Null) };
    let index = Utf16::new(&document.text);
    let at = position.map_or(0, |position| byte(&index, position));
    let language = match &document.tongue {
        Tongue::System(language) => language,
        Tongue::C if asked == "hover" => return value(&invariants::hover(document, at)),
        Tongue::C | Tongue::Unknown => return Ok(Value::Null),
    };
    let about = About { document, index, outline: language.outline(&document.text) };
    match asked {
        "hover" => value(&hover::hover(&about, language, at)),
        "definition" => value(&about.definitions(at)),
        "completion" => value(&about.completions(at)),
        _ => value(&about.symbols()),
    }
}

impl About<'_> {
    /// Where the name that stands there is declared.
    fn definitions(&self, at: usize) -> Vec<Location> {
        let meant = self.outline.meant(&self.document.text, at).into_iter();
        let place = |declaration: &Declaration| range(&self.index, &declaration.at);
        meant.map(|one| Location { uri: self.document.uri.as_str().into(), range: place(one) }).collect()
    }

    /// The names that are known there.
    fn completions(&self, at: usize) -> Vec<CompletionItem> {
        let known = self.outline.known_at(at).into_iter();
        let item = |declaration: &Declaration| CompletionItem {
            label: declaration.name.clone(),
            kind: Some(completed(declaration.kind)),
            detail: Some(described(declaration)),
            ..CompletionItem::default()
        };
        known.map(item).collect()
    }

    /// All that is declared; what belongs to a procedure, in it.
    fn symbols(&self) -> Vec<DocumentSymbol> {
        let mut all: Vec<DocumentSymbol> = Vec::new();
        let mut open: Option<std::ops::Range<usize>> = None;
        for declaration in self.outline.declarations.iter().filter(|declaration| declaration.kind != Kind::Bound) {
            let symbol = self.symbol(declaration);
            let inside = open.as_ref().is_some_and(|open| open.contains(&declaration.at.start));
            match all.last_mut() {
                Some(procedure) if inside => procedure.children.get_or_insert_default().push(symbol),
                _ => {
                    open = (declaration.kind == Kind::Procedure).then(|| declaration.whole.clone());
                    all.push(symbol);
                }
            }
        }
        all
    }

    fn symbol(&self, declaration: &Declaration) -> DocumentSymbol {
        let whole = range(&self.index, &declaration.whole);
        let name = range(&self.index, &declaration.at);
        let detail = Some(declaration.detail.clone()).filter(|detail| !detail.is_empty());
        let shown = if declaration.name.trim().is_empty() { "\"\"" } else { &declaration.name };
        DocumentSymbol::new(shown.to_owned(), detail, listed(declaration.kind), None, None, whole, name, None)
    }
}

fn listed(kind: Kind) -> SymbolKind {
    match kind {
        Kind::Constant => SymbolKind::Constant,
        Kind::Type => SymbolKind::Struct,
        Kind::Field => SymbolKind::Field,
        Kind::Variable | Kind::Parameter | Kind::Bound => SymbolKind::Variable,
        Kind::Procedure => SymbolKind::Function,
        Kind::Label => SymbolKind::Key,
        Kind::Control => SymbolKind::Namespace,
        Kind::Symbol => SymbolKind::Event,
        Kind::Proposition => SymbolKind::Boolean,
    }
}

fn completed(kind: Kind) -> CompletionItemKind {
    match kind {
        Kind::Constant => CompletionItemKind::Constant,
        Kind::Type => CompletionItemKind::Struct,
        Kind::Field => CompletionItemKind::Field,
        Kind::Variable | Kind::Parameter | Kind::Bound => CompletionItemKind::Variable,
        Kind::Procedure => CompletionItemKind::Function,
        Kind::Label | Kind::Symbol | Kind::Proposition => CompletionItemKind::Reference,
        Kind::Control => CompletionItemKind::Module,
    }
}
