//! Pointers to locals: to those of blocks that were left by their end or by jumps, of frames that are gone, of arrays whose size varies.
//!
//! Compilers tell when a variable ceases to live (`cleanup`); from then on pointers to it point where nobody may look.

use super::making::Making;

/// What a compiler is told of a local.
const TOLD: &str = " <@__attribute__((cleanup($died)))@>";

/// Blocks inside of one another are no deeper than that.
const DEEPEST: usize = 3;

/// Statements about three pointers and the locals of the blocks around.
struct Blocks<'m, 'r> {
    making: &'m mut Making<'r>,
    /// Integers whose address can be taken here.
    locals: Vec<String>,
    count: usize,
}

impl Blocks<'_, '_> {
    fn name(&mut self, letter: &str) -> String {
        self.count += 1;
        format!("{letter}{}", self.count)
    }

    fn pointer(&mut self) -> &'static str {
        self.making.pick(&["p", "q", "$g"])
    }

    fn condition(&mut self) -> &'static str {
        self.making.pick(&["b", "a == 3", "a & 1", "x & 1", "k < 2", "a > 4", "x > 9"])
    }

    /// Some statements with one more local.
    fn around(&mut self, local: &str, depth: usize) -> String {
        self.locals.push(local.to_owned());
        let count = self.making.rng.usize(1..4);
        let text: Vec<String> = (0..count).map(|_| self.statement(depth + 1)).collect();
        self.locals.pop();
        text.join(" ")
    }

    /// A statement in so many blocks.
    fn statement(&mut self, depth: usize) -> String {
        let (pointer, other, condition) = (self.pointer(), self.pointer(), self.condition());
        let number = self.making.rng.u8(1..9);
        let kind = if depth < DEEPEST { self.making.rng.u8(..18) } else { self.making.rng.u8(8..18) };
        match kind {
            0 | 1 => {
                let local = self.name("l");
                let inner = self.around(&local, depth);
                format!("{{ int {local}{TOLD} = {number} + b; {inner} }}")
            }
            2 => {
                let (local, turn) = (self.name("l"), self.name("i"));
                let (first, second) = (self.around(&local, depth), self.around(&local, depth));
                let leave = self.making.pick(&["break", "continue"]);
                format!(
                    "for (int {turn} = 0; {turn} < 3; {turn}++) {{ int {local}{TOLD} = {turn}; {first} if ({condition}) {leave}; {second} }}"
                )
            }
            3 => {
                let (local, label) = (self.name("l"), self.name("again"));
                let inner = self.around(&local, depth);
                let (outside, inside) = if self.making.rng.bool() {
                    (format!("{label}: "), String::new())
                } else {
                    (String::new(), format!("{label}: "))
                };
                format!("{outside}{{ int {local}{TOLD} = {number}; {inside}x++; {inner} if (k++ < 3) goto {label}; }}")
            }
            4 => {
                let array = self.name("v");
                let inner = self.around(&format!("{array}[0]"), depth);
                let size = self.making.pick(&["a + 1", "b + 2", "3"]);
                format!("{{ int {array}[{size}]{TOLD}; {array}[0] = {number}; {inner} }}")
            }
            5 => {
                let (yes, no) = (self.name("l"), self.name("l"));
                let (first, second) = (self.around(&yes, depth), self.around(&no, depth));
                format!(
                    "if ({condition}) {{ int {yes}{TOLD} = a; {first} }} else {{ int {no}{TOLD} = {number}; {second} }}"
                )
            }
            6 => {
                let local = self.name("l");
                let inner = self.around(&local, depth);
                // What the block does to x does not meet what is done with its value.
                format!("{{ int t = ({{ int {local}{TOLD} = {number}; {inner} {local}; }}); x += t; }}")
            }
            7 => {
                let (one, two) = (self.name("l"), self.name("l"));
                let (first, second) = (self.around(&one, depth), self.around(&two, depth));
                format!(
                    "switch (a & 3) {{ case 0: {{ int {one}{TOLD} = 2; {first} if ({condition}) break; }} case 1: x++; break; default: {{ int {two}{TOLD} = 5; {second} }} }}"
                )
            }
            8..=10 if !self.locals.is_empty() => {
                let at = self.making.rng.usize(..self.locals.len());
                format!("{pointer} = &{};", self.locals[at])
            }
            11 => format!("{pointer} = {other};"),
            12 | 13 => format!("if ({pointer}) x += *{pointer};"),
            14 => format!("if ({pointer}) *{pointer} = {number};"),
            15 => format!("if ({condition}) x += $keep({number});"),
            16 => format!("if ({condition}) x += $deep({}, {pointer});", number % 3),
            17 if depth > 0 => format!("if ({condition}) goto out;"),
            _ => format!("if ({condition}) {pointer} = 0;"),
        }
    }
}

/// A program about them.
pub fn lifetimes(making: &mut Making<'_>) {
    let use_it = making.pick(&["if ($g && n == 1) s += *$g;", "", "if ($g) s++;"]);
    let ends = making.pick(&["", "", "$g = 0;"]);
    making.before.extend([
        "static int *$g;".to_owned(),
        "<@static int **$all[3];@>".to_owned(),
        "<@static void $died(void *l) { for (int i = 0; i < 3; i++) if ($all[i] && *$all[i] == l) *$all[i] = (int *) 8; }@>".to_owned(),
        format!("static int $keep(int n) {{ int l{TOLD} = n; $g = &l; int s = l + *$g; {ends} return s; }}"),
        format!("static int $deep(int n, int *up) {{ int l{TOLD} = n, s = 0; if (up && n > 1) s = 1; if (n == 1) $g = &l; if (n) s += $deep(n - 1, &l); {use_it} return s; }}"),
    ]);
    making.body.push("int x = 0, k = 0, *p = 0, *q = 0;".to_owned());
    making.body.push("<@$all[0] = &$g; $all[1] = &p; $all[2] = &q;@>".to_owned());
    let mut blocks = Blocks { making, locals: Vec::new(), count: 0 };
    let count = blocks.making.rng.usize(3..7);
    let lines: Vec<String> = (0..count).map(|_| blocks.statement(0)).collect();
    making.body.extend(lines);
    making.body.push("out: ;".to_owned());
    making.places.extend(["x", "k", "*p", "*q", "*$g", "p", "$g"].map(str::to_owned));
    making.observed = "x".to_owned();
}
