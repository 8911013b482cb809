//! Scans of arrays, in Remopla: loops that go from cell to cell and remember something of those behind them.
//!
//! Each program asks whether `R` can be reached: whether what the scan should have made true of every cell is false of some
//! cell `k`. A sound scan makes it true of all of them; a faulty one leaves out a cell, so `R` is reachable, for instance where
//! that cell holds what the scan looks for.

/// Whether the scan does what it should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scan {
    /// It does, so `R` is unreachable.
    Sound,
    /// It leaves out a cell, so `R` is reachable.
    Faulty,
}

/// How many cells, and of how many bits each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cells {
    /// At least two.
    pub count: u64,
    /// At least one.
    pub bits: u64,
}

/// A scan by its name, and the function that writes it.
pub type Named = (&'static str, fn(Cells, Scan) -> String);

/// All of them, in the order of the tables.
pub const SCANS: &[Named] = &[
    ("maximum", maximum),
    ("minimum", minimum),
    ("bubble", bubble),
    ("insertion", insertion),
    ("partition", partition),
    ("reversal", reversal),
    ("find", find),
    ("binary", binary),
];

/// Some cell.
const SOME_CELL: &str = "  k = undef;\n  skip (1 <= k && k <= LAST);\n";

/// Exchanges the cells at two indices.
fn exchanged(i: &str, j: &str) -> String {
    format!("a[{i}] = a[{j}], a[{j}] = a[{i}]")
}

/// The program with these locals beside the indices `i` and `k`, and this body. `LAST` stands for the last index, and at the end `R` is reached
/// if the condition `wrong` holds of the cell `k`.
fn program(cells: Cells, values: &str, body: &str, wrong: &str) -> String {
    let Cells { count, bits } = cells;
    // One more than the last index fits as well.
    let index_bits = u64::BITS - (count + 1).leading_zeros();
    let text = format!(
        "define DEFAULT_INT_BITS {index_bits}\n\nint a[1, LAST]({bits});\n\ninit main;\n\n\
         module void main() {{\n  int i; int k;{values}\n{body}  if\n  :: {wrong} -> R: goto R;\n  :: else -> skip;\n  fi\n\
         \x20 done: goto done;\n}}\n"
    );
    text.replace("VALUE", &bits.to_string()).replace("LAST", &count.to_string())
}

/// A loop over the cells from one index to another.
fn for_each(from: u64, to: &str, body: &str) -> String {
    format!("  i = {from};\n  do\n  :: i <= {to} ->\n{body}     i = i + 1;\n  :: else -> break;\n  od\n")
}

/// The greatest of all cells. The faulty one does not look at the last cell.
fn maximum(cells: Cells, scan: Scan) -> String {
    extreme(cells, scan, ">")
}

/// The least of all cells. The faulty one does not look at the last cell.
fn minimum(cells: Cells, scan: Scan) -> String {
    extreme(cells, scan, "<")
}

fn extreme(cells: Cells, scan: Scan, beats: &str) -> String {
    let last = if scan == Scan::Sound { "LAST" } else { "LAST - 1" };
    let looked = format!("     if\n     :: a[i] {beats} m -> m = a[i];\n     :: else -> skip;\n     fi\n");
    let body = format!("  m = a[1];\n{}{SOME_CELL}", for_each(2, last, &looked));
    program(cells, " int m(VALUE);", &body, &format!("a[k] {beats} m"))
}

/// One pass of bubble sort, after which no cell is greater than the last one. The faulty one does not look at the first cell.
fn bubble(cells: Cells, scan: Scan) -> String {
    let first = if scan == Scan::Sound { 1 } else { 2 };
    let exchanged = exchanged("i", "i + 1");
    let looked = format!("     if\n     :: a[i] > a[i + 1] -> {exchanged};\n     :: else -> skip;\n     fi\n");
    let body = for_each(first, "LAST - 1", &looked) + SOME_CELL;
    program(cells, "", &body, "a[k] > a[LAST]")
}

/// Goes on only if the cells up to this index are in order.
fn in_order(to: &str) -> String {
    for_each(1, &format!("{to} - 1"), "     skip (a[i] <= a[i + 1]);\n")
}

/// Inserts the last cell among those before it, which are in order; then all are. The faulty one does not go as far as to the first cell.
fn insertion(cells: Cells, scan: Scan) -> String {
    let first = if scan == Scan::Sound { 1 } else { 2 };
    let exchanged = exchanged("i", "i - 1");
    let body = format!(
        "{}  i = LAST;\n  do\n  :: i > {first} ->\n     if\n     :: a[i - 1] > a[i] -> {exchanged}, i = i - 1;\n\
         \x20    :: else -> goto inserted;\n     fi\n  :: else -> break;\n  od\n\
         \x20 inserted: k = undef;\n  skip (1 <= k && k < LAST);\n",
        in_order("(LAST - 1)")
    );
    program(cells, "", &body, "a[k] > a[k + 1]")
}

/// What is less than a pivot comes before all else. The faulty one does not look at the cell where both ends meet.
fn partition(cells: Cells, scan: Scan) -> String {
    let apart = if scan == Scan::Sound { "<=" } else { "<" };
    let exchanged = exchanged("i", "j");
    let body = format!(
        "  p = undef, i = 1, j = LAST;\n  do\n  :: i {apart} j ->\n     if\n     :: a[i] < p -> i = i + 1;\n\
         \x20    :: else -> {exchanged}, j = j - 1;\n     fi\n  :: else -> break;\n  od\n{SOME_CELL}"
    );
    program(cells, " int j; int p(VALUE);", &body, "(k < i && a[k] >= p) || (k >= i && a[k] < p)")
}

/// Cells in reverse order: what any of them held is then at the other end. The faulty one leaves the first and the last cell.
fn reversal(cells: Cells, scan: Scan) -> String {
    let (first, last) = if scan == Scan::Sound { (1, "LAST") } else { (2, "LAST - 1") };
    let exchanged = exchanged("i", "j");
    let body = format!(
        "{SOME_CELL}  v = a[k], i = {first}, j = {last};\n  do\n  :: i < j -> {exchanged}, i = i + 1, j = j - 1;\n\
         \x20 :: else -> break;\n  od\n"
    );
    program(cells, " int j; int v(VALUE);", &body, "a[LAST + 1 - k] != v")
}

/// Looks for a value; where it is not found no cell holds it. The faulty one does not look at the first cell.
fn find(cells: Cells, scan: Scan) -> String {
    let first = if scan == Scan::Sound { 1 } else { 2 };
    let looked = "     if\n     :: a[i] == x -> goto done;\n     :: else -> skip;\n     fi\n";
    let body = format!("  x = undef;\n{}{SOME_CELL}", for_each(first, "LAST", looked));
    program(cells, " int x(VALUE);", &body, "a[k] == x")
}

/// Looks for a value in cells that are in order, halving the range. The faulty one does not look at ranges of one cell.
fn binary(cells: Cells, scan: Scan) -> String {
    let range = if scan == Scan::Sound { "<=" } else { "<" };
    let body = format!(
        "{}  x = undef, i = 1, j = LAST;\n  do\n  :: i {range} j ->\n     k = i + (j - i) / 2;\n     if\n\
         \x20    :: a[k] < x -> i = k + 1;\n     :: a[k] > x -> j = k - 1;\n     :: else -> goto done;\n     fi\n\
         \x20 :: else -> break;\n  od\n{SOME_CELL}",
        in_order("LAST")
    );
    program(cells, " int j; int x(VALUE);", &body, "a[k] == x")
}
