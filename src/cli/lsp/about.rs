//! A document with what all answers about it need.

use puch::report::utf16::Utf16;
use spds_format::reading::outline::{Declaration, Kind, Outline};

use super::documents::Document;

/// A document with what all answers need.
pub struct About<'d> {
    /// The document.
    pub document: &'d Document,
    /// Its places.
    pub index: Utf16<'d>,
    /// Its names.
    pub outline: Outline,
}

/// A declaration in words.
pub fn described(declaration: &Declaration) -> String {
    let Declaration { kind, name, detail, .. } = declaration;
    match (kind, detail.is_empty()) {
        (_, true) => kind.name().to_owned(),
        (Kind::Procedure, _) => detail.clone(),
        (Kind::Constant, _) => format!("{} {name} = {detail}", kind.name()),
        (Kind::Symbol | Kind::Label, _) => format!("{} {name} {detail}", kind.name()),
        _ => format!("{} {name}: {detail}", kind.name()),
    }
}
