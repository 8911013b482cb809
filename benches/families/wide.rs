//! Wide integers and no loop: sets that are huge and easy to say. In Remopla.

/// Two globals of `bits` bits with any values; the one becomes a copy of the other. On top of `R` there are all values of
/// which both globals are equal: as many as one of them has.
pub fn copy(bits: u64) -> String {
    format!(
        "define DEFAULT_INT_BITS {bits}\n\nint O; int S;\n\ninit main;\n\nmodule void main() {{\n  O = S;\n  R: skip;\n}}\n"
    )
}

/// The same, with the copy made by a procedure that hands it back.
pub fn copy_in_call(bits: u64) -> String {
    format!(
        "define DEFAULT_INT_BITS {bits}\n\nint O; int S;\n\ninit main;\n\nmodule void copy() {{\n  O = S;\n}}\n\n\
         module void main() {{\n  copy();\n  R: skip;\n}}\n"
    )
}
