//! Quicksort, as in the evaluation of J. Esparza and S. Schwoon, *A BDD-based model checker for recursive programs* (CAV
//! 2001), in Remopla, and for few bits as a Boolean program over single bits.
//!
//! Without the array (`termination`) the comparisons with the pivot are free choices: the faulty version is that of the
//! paper's Fig. 2 and has infinite runs, because `lo` can pass `hi` and quicksort then calls itself with the bounds that it
//! was called with; the corrected one counts in `eq` what is less than the pivot, gives fewer elements to each recursive
//! call, and so ends from every start. With the array (`sorting`, Fig. 3) it ends and has sorted.

use std::fmt::Write as _;

/// Which of the two programs without the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Ends from every start.
    Corrected,
    /// Does not.
    Faulty,
}

/// How the program with the array chooses its pivot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pivot {
    /// The last element.
    Last,
    /// Any element.
    Random,
}

/// Termination without the array, over integers of `bits` bits.
pub fn termination(bits: u64, version: Version) -> String {
    let (eq, start, choices, calls) = match version {
        Version::Corrected => (
            " int eq;",
            ", eq = left",
            "  :: lo < hi ->\n     if\n     :: true -> hi = hi - 1;\n     :: true -> lo = lo + 1;\n     :: true -> lo = lo + 1, eq = eq + 1;\n     fi\n",
            "  if\n  :: eq > left -> quicksort(left, eq - 1);\n  :: else -> skip;\n  fi\n  if\n  :: lo < right -> quicksort(lo + 1, right);\n  :: else -> skip;\n  fi\n",
        ),
        Version::Faulty => (
            "",
            "",
            "  :: lo <= hi ->\n     if\n     :: true -> hi = hi - 1;\n     :: true -> lo = lo + 1;\n     fi\n",
            "  quicksort(left, hi);\n  quicksort(lo, right);\n",
        ),
    };
    format!(
        "define DEFAULT_INT_BITS {bits}\n\ninit main;\n\n\
         module void quicksort(int left, int right) {{\n  int lo; int hi;{eq}\n\
         \x20 if\n  :: left >= right -> return;\n  :: else -> skip;\n  fi\n  lo = left, hi = right{start};\n  do\n{choices}\
         \x20 :: else -> break;\n  od\n{calls}}}\n\n\
         module void main() {{\n  int left; int right;\n  quicksort(left, right);\n}}\n"
    )
}

/// The same as a Boolean program, each integer `bits` variables.
pub fn termination_in_bits(bits: u64, version: Version) -> String {
    let bits = bits as usize;
    let names = |name: &str| (0..bits).map(|i| format!("{name}{i}")).collect::<Vec<_>>().join(", ");
    let less = |a: &str, b: &str| {
        (0..bits).fold("0".to_owned(), |rest, i| format!("((!{a}{i} & {b}{i}) | (!({a}{i} ^ {b}{i}) & {rest}))"))
    };
    // One more or one less: a bit changes if all bits below it are set, or clear.
    let changed = |name: &str, not: &str| {
        let below = |i: usize| (0..i).map(|j| format!("{not}{name}{j}")).collect::<Vec<_>>().join(" & ");
        let bit = |i: usize| if i == 0 { format!("!{name}0") } else { format!("{name}{i} ^ ({})", below(i)) };
        (0..bits).map(bit).collect::<Vec<_>>().join(", ")
    };
    let some = |name: &str, not: &str| (0..bits).map(|i| format!("{not}{name}{i}")).collect::<Vec<_>>().join(" | ");
    let step = |name: &str, not: &str| {
        let fits = some(name, if not.is_empty() { "!" } else { "" });
        format!("assume({fits}); {} := {};", names(name), changed(name, not))
    };
    let mut text = String::new();
    let locals = match version {
        Version::Corrected => format!("{}, {}, {}", names("lo"), names("hi"), names("eq")),
        Version::Faulty => format!("{}, {}", names("lo"), names("hi")),
    };
    let _ = writeln!(
        text,
        "void main() begin\n  decl {}, {};\n  quicksort({}, {});\nend\n\nvoid quicksort({}, {}) begin\n  decl {locals};",
        names("left"),
        names("right"),
        names("left"),
        names("right"),
        names("left"),
        names("right")
    );
    let _ = writeln!(text, "  if (!{}) then return; else skip; fi", less("left", "right"));
    let _ = writeln!(text, "  {}, {} := {}, {};", names("lo"), names("hi"), names("left"), names("right"));
    let (down, up) = (step("hi", "!"), step("lo", ""));
    match version {
        Version::Corrected => {
            let _ = writeln!(text, "  {} := {};\n  while ({}) do", names("eq"), names("left"), less("lo", "hi"));
            let _ = writeln!(
                text,
                "    if (*) then {down} else {up} if (*) then {} else skip; fi fi\n  od",
                step("eq", "")
            );
            let _ = writeln!(
                text,
                "  if ({}) then quicksort({}, {}); else skip; fi",
                less("left", "eq"),
                names("left"),
                changed("eq", "!")
            );
            let _ = writeln!(
                text,
                "  if ({}) then quicksort({}, {}); else skip; fi\nend",
                less("lo", "right"),
                changed("lo", ""),
                names("right")
            );
        }
        Version::Faulty => {
            let _ = writeln!(text, "  while (!{}) do\n    if (*) then {down} else {up} fi\n  od", less("hi", "lo"));
            let _ = writeln!(text, "  quicksort({}, {});", names("left"), names("hi"));
            let _ = writeln!(text, "  quicksort({}, {});\nend", names("lo"), names("right"));
        }
    }
    text
}

/// Sorting an array of `elements` elements of `value_bits` bits by indices of `bits` bits.
///
/// Indices that no longer fit into `bits` bits block the run, as everywhere in Remopla: `elements + 1` should fit.
pub fn sorting(bits: u64, elements: u64, value_bits: u64, pivot: Pivot) -> String {
    let choose = match pivot {
        Pivot::Last => "  piv = a[right], lo = left, hi = right, eq = left;\n",
        Pivot::Random => {
            "  lo = undef;\n  skip (left <= lo && lo <= right);\n  piv = a[lo], lo = left, hi = right, eq = left;\n"
        }
    };
    format!(
        "define DEFAULT_INT_BITS {bits}\n\nint a[1, {elements}]({value_bits});\n\ninit main;\n\n\
         module void quicksort(int left, int right) {{\n  int lo; int hi; int eq; int piv({value_bits});\n\
         \x20 if\n  :: left >= right -> return;\n  :: else -> skip;\n  fi\n{choose}  do\n\
         \x20 :: lo <= hi ->\n     if\n     :: a[hi] > piv -> hi = hi - 1;\n     :: else ->\n\
         \x20       a[lo] = a[hi], a[hi] = a[lo];\n        if\n\
         \x20       :: a[lo] < piv -> a[eq] = a[lo], a[lo] = a[eq], eq = eq + 1, lo = lo + 1;\n\
         \x20       :: else -> lo = lo + 1;\n        fi\n     fi\n  :: else -> break;\n  od\n\
         \x20 quicksort(left, eq - 1);\n  quicksort(lo, right);\n}}\n\n\
         module void main() {{\n  quicksort(1, {elements});\n  done: goto done;\n}}\n"
    )
}

/// Sorting by a procedure that exchanges two elements and remembers whether the array is sorted; faulty.
///
/// If no element is greater than the pivot `hi` stays where it is, and quicksort calls itself with the bounds that it was called
/// with. So with an array of equal elements, which no exchange changes, it never comes to `done`.
pub fn exchanging(bits: u64, elements: u64, value_bits: u64) -> String {
    let pairs: Vec<String> = (1..elements).map(|i| format!("a[{i}] <= a[{}]", i + 1)).collect();
    let sorted = if pairs.is_empty() { "true".to_owned() } else { pairs.join(" && ") };
    format!(
        "define DEFAULT_INT_BITS {bits}\n\nbool sorted;\nint a[1, {elements}]({value_bits});\n\ninit main;\n\n\
         module void exchange(int i, int j) {{\n  a[i] = a[j], a[j] = a[i];\n  sorted = {sorted};\n}}\n\n\
         module void quicksort(int left, int right) {{\n  int lo; int hi; int piv({value_bits});\n\
         \x20 if\n  :: left >= right -> return;\n  :: else -> skip;\n  fi\n  piv = a[right], lo = left, hi = right;\n\
         \x20 do\n  :: lo <= hi ->\n     if\n     :: a[hi] > piv -> hi = hi - 1;\n     :: else ->\n\
         \x20       exchange(lo, hi);\n        lo = lo + 1;\n     fi\n  :: else -> break;\n  od\n\
         \x20 quicksort(left, hi);\n  quicksort(lo, right);\n}}\n\n\
         module void main() {{\n  quicksort(1, {elements});\n  done: goto done;\n}}\n"
    )
}

/// "When done, the array is sorted", as a formula.
pub fn sorted(elements: u64) -> String {
    let pairs: Vec<String> = (1..elements).map(|i| format!("a[{i}] <= a[{}]", i + 1)).collect();
    format!("G (done -> {{{}}})", if pairs.is_empty() { "true".to_owned() } else { pairs.join(" && ") })
}
