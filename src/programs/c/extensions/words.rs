//! Words that qualify types, and say how objects and procedures are kept.

use lang_c::ast;

use super::{Meaning, Modelled};

/// What a qualifier means.
///
/// `restrict`, `_Nonnull` and their like are promises; objects that are `const` are refused assignments by compilers, and
/// written through pointers all the same; without other threads `_Atomic` changes nothing.
pub fn qualifier(word: &ast::TypeQualifier) -> Meaning {
    match word {
        ast::TypeQualifier::Const
        | ast::TypeQualifier::Volatile
        | ast::TypeQualifier::Restrict
        | ast::TypeQualifier::Nonnull
        | ast::TypeQualifier::NullUnspecified
        | ast::TypeQualifier::Nullable
        | ast::TypeQualifier::Atomic => Meaning::Idle,
    }
}

/// What a function specifier means: `inline` nothing.
pub fn function_specifier(word: &ast::FunctionSpecifier) -> Meaning {
    match word {
        ast::FunctionSpecifier::Noreturn => Meaning::Modelled(Modelled::Noreturn),
        ast::FunctionSpecifier::Inline => Meaning::Idle,
    }
}
