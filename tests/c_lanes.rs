//! Vectors and complex numbers (GNU C): what is computed with them, and what is not known of them.

extern crate puch_programs as puch;

#[path = "support/c_texts.rs"]
#[allow(dead_code, reason = "others ask for more")]
mod c_texts;

use puch::c::program::Overflow;
use puch::refinement::Verdict;

use c_texts::{is_refused as refused, returns, verdict};

const VECTORS: &str = "typedef int V __attribute__((vector_size(16)));
    typedef unsigned char B __attribute__((vector_size(4))); typedef short S __attribute__((vector_size(8)));";

/// In `main`, with types of vectors.
fn gives(body: &str, number: i128) {
    returns(&format!("{VECTORS} int main(void) {{ {body} }}"), number);
}

#[test]
fn operators_of_vectors_work_lane_by_lane() {
    gives("V v = {1, 2, 3, 4}, w = v * v - 1; return w[0] + w[3] * 10;", 150);
    gives("V v = {1, 2, 3}; v[3] = 9; v <<= v & 1; return v[0] + v[1] * 10 + v[3] * 100;", 1822);
    gives("V v = {5, -5, 7, 0}, w = -v / 2; return w[0] * 100 + w[1] * 10 + w[2];", -183);
}

#[test]
fn narrow_lanes_wrap_around_in_their_own_type() {
    gives("B b = {250, 1, 128, 255}; b = b + 10; return b[0] * 1000 + b[3];", 4009);
    gives("B b = {128, 255}; b = b << 1; return b[0] * 1000 + b[1];", 254);
}

#[test]
fn comparisons_of_vectors_come_to_minus_one_and_zero() {
    gives("V v = {1, 2, 3, 4}, w = v > 2; return w[0] + w[2] * 10 + w[3] * 100;", -110);
    gives("B b = {200, 1}; typedef signed char C __attribute__((vector_size(4))); C c = b > 100; return c[0];", -1);
}

#[test]
fn shuffles_choose_lanes_by_their_numbers_modulo_how_many_there_are() {
    gives(
        "V v = {1, 2, 3, 4}, m = {3, 6, 0, -1}, w = __builtin_shuffle(v, m); return w[0] * 1000 + w[1] * 100 + w[3];",
        4304,
    );
    gives(
        "V v = {1, 2, 3, 4}, w = {5, 6, 7, 8}, m = {4, 0, 15, 8}; m = __builtin_shuffle(v, w, m); return m[0] * 100 + m[2] * 10 + m[3];",
        581,
    );
}

#[test]
fn vectors_are_seen_as_others_of_their_size_byte_by_byte() {
    gives(
        "S s = {1, 2, 3, 4}; typedef unsigned L __attribute__((vector_size(8))); L l = (L) s; return l[1] & 0xffff;",
        3,
    );
    gives("B b = {1, 2, 3, 4}; unsigned u = (unsigned) b; return u == 0x04030201;", 1);
}

#[test]
fn parts_of_complex_numbers_are_read_and_written() {
    returns("int main(void) { _Complex double z = 3 + 4i; __imag__ z += 1; return __real__ (z * ~z); }", 34);
    returns("int main(void) { _Complex int z = 2 - 1i, w = z * z; return __real__ w * 10 + __imag__ w; }", 26);
    returns("_Complex float f(_Complex float z) { return z * 1i; } int main(void) { return f(5) == 5i; }", 1);
    returns("int main(void) { _Complex double z = 0; return z ? 1 : __real__ z == 0; }", 1);
}

#[test]
fn what_holds_of_each_lane_is_proved() {
    let text = |bound: u8| {
        format!(
            "{VECTORS} extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
             int main(void) {{ int n = __VERIFIER_nondet_int(); V v = {{n, n, 1}}; v = (v & 7) + v[2];
               if (v[0] != v[1] || v[0] > {bound}) reach_error(); return 0; }}"
        )
    };
    assert!(matches!(verdict(&text(8), Overflow::Wrap, 8), Verdict::Holds));
    assert!(matches!(verdict(&text(7), Overflow::Wrap, 8), Verdict::Violated(..)));
}

#[test]
fn what_is_not_known_of_them_is_refused() {
    refused("void f(void) { } int main(void) { return __alignof__(f); }", "the alignment of procedures is not known");
    refused("typedef int V __attribute__((vector_size(12))); int main(void) { return 0; }", "no vector of 12 bytes");
    refused(
        &format!("{VECTORS} int main(void) {{ V v = {{1}}; S s = {{1}}; v = v + s; return 0; }}"),
        "different types",
    );
}
