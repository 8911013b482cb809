//! Random small C programs, each about one corner of the language: where values are stored as bytes, what types are laid out as, what
//! is computed and dropped, where control goes. They have two small inputs, `a` and `b`, and one number that is observed in the end.
//!
//! Names begin with `$`, in whose place a prefix is put, so that many programs are one text for a compiler. What is between `{|` and
//! `|}` is computed and dropped; compilers are made to compute it. What is between `<|` and `|>` is a number; where compilers look
//! for what is undefined they must not know it. What is between `<@` and `@>` only compilers see.

mod addresses;
mod arrays;
mod bytes;
mod control;
mod copies;
pub mod declarations;
mod declared;
mod dropped;
mod floats;
mod inner;
mod lanes;
pub mod law;
mod lifetimes;
pub mod making;
mod mixed;
pub mod order;
mod records;

use fastrand::Rng;

use making::Making;

/// The inputs: `a` has this many values, from 0.
pub const A: i64 = 8;
/// And `b` this many.
pub const B: i64 = 2;

/// A random program.
#[derive(Clone, Debug)]
pub struct Shaped {
    /// What it is about.
    pub shape: &'static str,
    /// Declarations of the file.
    pub before: Vec<String>,
    /// Statements.
    pub body: Vec<String>,
    /// Integers that can be read in the end.
    pub places: Vec<String>,
    /// An integer.
    pub observed: String,
}

/// Draws what a program is made of.
pub type Shape = fn(&mut Making<'_>);

/// What programs are about.
pub const SHAPES: [(&str, Shape); 29] = [
    ("union", bytes::union),
    ("punned", bytes::punned),
    ("floating", bytes::floating),
    ("bytes in turn", bytes::in_turn),
    ("vla", arrays::local),
    ("vla parameter", arrays::parameter),
    ("vla size", arrays::size),
    ("array", arrays::fixed),
    ("layout", records::layout),
    ("bit-field", records::bits),
    ("bit-field bytes", records::bytes_of_bits),
    ("structure", records::values),
    ("dropped", dropped::dropped),
    ("shift", dropped::shift),
    ("divided", dropped::divided),
    ("volatile", mixed::volatile),
    ("converted", mixed::converted),
    ("initialised", declared::initialised),
    ("switch", control::switch),
    ("goto", control::goto),
    ("statement expression", control::statements),
    ("pointer", mixed::pointers),
    ("lifetime", lifetimes::lifetimes),
    ("floats", floats::floats),
    ("copies", copies::copies),
    ("inner procedure", inner::inner),
    ("address", addresses::addresses),
    ("vectors", lanes::vectors),
    ("complex", lanes::complexes),
];

/// A random program about anything.
pub fn shaped(rng: &mut Rng) -> Shaped {
    let (name, shape) = SHAPES[rng.usize(..SHAPES.len())];
    of_shape(rng, name, shape)
}

/// A random program about that.
pub fn of_shape(rng: &mut Rng, name: &'static str, shape: Shape) -> Shaped {
    let mut making = Making::new(rng);
    shape(&mut making);
    let Making { before, body, places, observed, .. } = making;
    Shaped { shape: name, before, body, places, observed }
}

impl Shaped {
    /// What a compiler reads: a function that returns what is observed.
    pub fn compiled(&self, prefix: &str) -> String {
        let marks = [("{|", "DROP("), ("|}", ")"), ("<|", "NUMBER("), ("|>", ")"), ("<@", ""), ("@>", "")];
        named(&self.function(), prefix, &marks)
    }

    /// What puch reads: the program that observes the number, with an even `a` or the one above it, and this `b`, and has this said
    /// of the number in the end.
    pub fn checked(&self, tail: &Tail, called: bool, (a, b): (i64, i64)) -> String {
        let inputs = format!("int a = (__VERIFIER_nondet_int() & 1) + {a}, b = {b};");
        let head = format!("extern int __VERIFIER_nondet_int(void);\n{}\n", tail.before);
        let text = if called {
            format!(
                "{}int main(void) {{\n  {inputs}\n  long long v = $probe(a, b);\n  {}\n}}\n",
                self.function(),
                tail.said
            )
        } else {
            let (before, body) = (lines(&self.before, ""), lines(&self.body, "  "));
            let observed = &self.observed;
            format!("{before}int main(void) {{\n  {inputs}\n{body}  long long v = {observed};\n  {}\n}}\n", tail.said)
        };
        named(&unseen(&(head + &text)), "", &READ)
    }

    /// What is executed: the program that returns what it observes.
    pub fn executed(&self) -> String {
        let inputs = "int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();";
        let text = format!(
            "extern int __VERIFIER_nondet_int(void);\n{}long long main_(void) {{ {inputs} return $probe(a, b); }}\n",
            self.function()
        );
        named(&unseen(&text), "", &READ)
    }

    /// As it is kept; [`kept`] reads it.
    pub fn written(&self) -> String {
        let places: String = self.places.iter().map(|place| format!("{PLACE}{place}\n")).collect();
        format!("{SHAPE}{}\n{places}{}", self.shape, self.function())
    }

    fn function(&self) -> String {
        let (before, body) = (lines(&self.before, ""), lines(&self.body, "  "));
        format!("{before}long long $probe(int a, int b) {{\n{body}  return {};\n}}\n", self.observed)
    }

    /// The same without some part.
    pub fn smaller(&self) -> Vec<Shaped> {
        let mut all = Vec::new();
        for at in (0..self.body.len()).rev() {
            let mut smaller = self.clone();
            smaller.body.remove(at);
            all.push(smaller);
        }
        for at in (0..self.before.len()).rev() {
            let mut smaller = self.clone();
            smaller.before.remove(at);
            all.push(smaller);
        }
        let places =
            self.observed.split([' ', '(', ')', '*', '-', '+', '^']).filter(|word| word.len() < self.observed.len());
        let places: Vec<&str> = places.filter(|word| word.contains(|c: char| c.is_alphabetic())).collect();
        all.extend(places.into_iter().map(|place| Shaped { observed: place.to_owned(), ..self.clone() }));
        all.extend(self.simpler());
        all
    }

    /// The same with a number in the place of something in brackets.
    fn simpler(&self) -> Vec<Shaped> {
        let mut all = Vec::new();
        for (at, line) in self.body.iter().enumerate() {
            for (from, _) in line.match_indices('(') {
                let Some(to) = closing(&line[from..]) else { continue };
                let inner = &line[from..=from + to];
                if inner.len() > 3 {
                    let mut smaller = self.clone();
                    smaller.body[at] = format!("{}1{}", &line[..from], &line[from + to + 1..]);
                    all.push(smaller);
                }
            }
        }
        all
    }
}

/// Before the name of a shape, and before a place, in programs as they are kept.
const SHAPE: &str = "// shape: ";
const PLACE: &str = "// place: ";

/// Programs as [`Shaped::written`] has them, one after the other.
pub fn kept(text: &str) -> Vec<Shaped> {
    let mut all = Vec::new();
    for text in text.split(SHAPE).skip(1) {
        let (name, text) = text.split_once('\n').unwrap_or((text, ""));
        let shape = SHAPES.iter().find(|(shape, _)| *shape == name).map_or("other", |(shape, _)| shape);
        let (head, body) = text.split_once("long long $probe(int a, int b) {\n").unwrap_or((text, ""));
        let (places, before): (Vec<&str>, Vec<&str>) = head.lines().partition(|line| line.starts_with(PLACE));
        let places = places.iter().map(|place| place.trim_start_matches(PLACE).to_owned()).collect();
        let body = body.rsplit_once("  return ");
        let (body, observed) = body.map_or(("", "0"), |(body, end)| (body, end.split(";\n}").next().unwrap_or("0")));
        let owned = |line: &str| line.trim().to_owned();
        let (before, body) = (before.into_iter().map(owned).collect(), body.lines().map(owned).collect());
        all.push(Shaped { shape, before, body, places, observed: observed.to_owned() });
    }
    all
}

/// Where the first bracket of a text is closed.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().find_map(|(at, sign)| {
        depth += i32::from(sign == '(') - i32::from(sign == ')');
        (depth == 0).then_some(at)
    })
}

/// What is said of the observed number `v` in the end of a program.
#[derive(Clone, Debug)]
pub struct Tail {
    /// Declarations of the file.
    pub before: &'static str,
    /// Statements.
    pub said: String,
}

impl Tail {
    /// That the program is wrong if the condition about `v` holds, said in one of several ways.
    pub fn wrong_if(rng: &mut Rng, condition: &str) -> Tail {
        let (before, said) = match rng.u8(..10) {
            0 => ("extern void __assert_fail(void);", format!("if ({condition}) __assert_fail();")),
            1 => (
                "extern void reach_error(void); void assert(int c) { if (!c) reach_error(); }",
                format!("assert(!({condition}));"),
            ),
            2 => ("void assert(int c) { if (!c) { ERROR: return; } }", format!("assert(!({condition}));")),
            3 => (
                "void __VERIFIER_assert(int c) { if (!(c)) { ERROR: goto ERROR; } return; }",
                format!("__VERIFIER_assert(!({condition}));"),
            ),
            4 => ("extern void __VERIFIER_error(void);", format!("if ({condition}) __VERIFIER_error();")),
            5 => {
                ("extern void __ESBMC_assert(_Bool, const char *);", format!("__ESBMC_assert(!({condition}), \"no\");"))
            }
            6 => ("void __CPROVER_assert(_Bool, const char *);", format!("__CPROVER_assert(!({condition}), \"no\");")),
            _ => ("extern void reach_error(void);", format!("if ({condition}) reach_error();")),
        };
        Tail { before, said: said + " return 0;" }
    }

    /// That the program goes on for ever if the condition about `v` holds.
    pub fn for_ever_if(rng: &mut Rng, condition: &str) -> Tail {
        let said = match rng.u8(..3) {
            0 => format!("while ({condition}) ;"),
            1 => format!("again: if ({condition}) goto again;"),
            _ => format!("for (;;) if (!({condition})) break;"),
        };
        Tail { before: "", said: said + " return 0;" }
    }
}

fn lines(list: &[String], indent: &str) -> String {
    list.iter().map(|line| format!("{indent}{line}\n")).collect()
}

/// What marks are where puch reads them.
const READ: [(&str, &str); 4] = [("{|", "("), ("|}", ")"), ("<|", "("), ("|>", ")")];

/// The text without what only compilers see.
fn unseen(text: &str) -> String {
    let mut parts = text.split("<@");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once("@>").map_or("", |(_, after)| after))
}

/// The text with names and marks replaced.
fn named(text: &str, prefix: &str, marks: &[(&str, &str)]) -> String {
    marks.iter().fold(text.replace('$', prefix), |text, (from, to)| text.replace(from, to))
}
