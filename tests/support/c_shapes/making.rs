//! A program that is being made: what is declared, what can be read, and random numbers, types and expressions.

use std::rc::Rc;

use fastrand::Rng;

use super::records::Record;
use crate::c_expressions::{self, Leaves, pick};

/// A type of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// Its name.
    pub name: &'static str,
    /// In bytes.
    pub size: usize,
    /// Whether it is a type of floating-point numbers.
    pub floating: bool,
}

const fn integer(name: &'static str, size: usize) -> Scalar {
    Scalar { name, size, floating: false }
}

const fn floating(name: &'static str, size: usize) -> Scalar {
    Scalar { name, size, floating: true }
}

/// Types of integers.
pub const INTEGERS: [Scalar; 11] = [
    integer("char", 1),
    integer("signed char", 1),
    integer("unsigned char", 1),
    integer("short", 2),
    integer("unsigned short", 2),
    integer("int", 4),
    integer("unsigned", 4),
    integer("long", 8),
    integer("unsigned long", 8),
    integer("long long", 8),
    integer("unsigned long long", 8),
];

/// Types of floating-point numbers.
pub const FLOATING: [Scalar; 3] = [floating("float", 4), floating("double", 8), floating("long double", 16)];

/// A program that is being made.
pub struct Making<'r> {
    /// What decides.
    pub rng: &'r mut Rng,
    /// Declarations of the file.
    pub before: Vec<String>,
    /// Statements.
    pub body: Vec<String>,
    /// Places that can be read: integers.
    pub places: Vec<String>,
    /// How many bits a `long` has.
    pub long: u8,
    /// Structures and unions that were declared.
    pub records: Vec<Rc<Record>>,
    /// What is observed.
    pub observed: String,
    count: usize,
}

impl Leaves for Making<'_> {
    fn rng(&mut self) -> &mut Rng {
        self.rng
    }

    fn number(&mut self) -> String {
        let number = match self.rng.u8(..10) {
            0..=4 => self.rng.i32(0..10).to_string(),
            5 => self.rng.i32(-300..300).to_string(),
            6 => format!("{}u", self.rng.u32(..)),
            7 => format!("{}L", self.rng.i64(-1 << 40..1 << 40)),
            8 => {
                pick(self.rng, &["2147483647", "0x80000000", "255", "65535", "'\\377'", "0xffffffffffffffffULL"]).into()
            }
            _ => format!("0x{:x}", self.rng.u32(..)),
        };
        format!("<|{number}|>")
    }

    fn readable(&mut self) -> String {
        match self.rng.u8(..4) {
            0 | 1 if !self.places.is_empty() => self.place(),
            2 => "b".to_owned(),
            _ => "a".to_owned(),
        }
    }

    fn variable(&mut self) -> String {
        self.pick(&["a", "a", "b"]).to_owned()
    }
}

impl<'r> Making<'r> {
    /// Nothing yet.
    pub fn new(rng: &'r mut Rng) -> Self {
        let (before, body, places) = (Vec::new(), Vec::new(), Vec::new());
        Making { rng, before, body, places, long: 64, records: Vec::new(), observed: "0".to_owned(), count: 0 }
    }

    /// One of several texts.
    pub fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        pick(self.rng, list)
    }

    /// True once in so many times.
    pub fn one_in(&mut self, times: u32) -> bool {
        self.rng.u32(..times) == 0
    }

    /// A fresh name, for a file or a block.
    pub fn name(&mut self, stem: &str) -> String {
        self.count += 1;
        format!("${stem}{}", self.count)
    }

    /// A type of integers.
    pub fn integer(&mut self) -> Scalar {
        INTEGERS[self.rng.usize(..INTEGERS.len())]
    }

    /// A type of floating-point numbers.
    pub fn floating(&mut self) -> Scalar {
        FLOATING[[0, 0, 1, 1, 2][self.rng.usize(..5)]]
    }

    /// A type of numbers.
    pub fn scalar(&mut self) -> Scalar {
        if self.one_in(3) { self.floating() } else { self.integer() }
    }

    /// A declaration of the file.
    pub fn file(&mut self, text: String) {
        self.before.push(text);
    }

    /// A statement.
    pub fn line(&mut self, text: String) {
        self.body.push(text);
    }

    /// Something that can be read.
    fn place(&mut self) -> String {
        self.places[self.rng.usize(..self.places.len())].clone()
    }

    /// An integer; nothing in it is undefined but signed overflow.
    pub fn value(&mut self, depth: u32) -> String {
        c_expressions::expression(self, depth)
    }

    /// An integer that is not negative and less than the bound.
    pub fn index(&mut self, bound: usize) -> String {
        if bound == 1 || self.one_in(3) {
            return self.rng.usize(..bound).to_string();
        }
        let number = self.pick(&["a", "b", "(a + b)", "(a ^ 3)"]);
        if bound.is_power_of_two() { format!("({number} & {})", bound - 1) } else { format!("({number} % {bound})") }
    }

    /// A number for a place of that type.
    pub fn number_of(&mut self, scalar: Scalar) -> String {
        if !scalar.floating {
            let depth = self.rng.u32(0..3);
            return self.value(depth);
        }
        let values = [
            "1.0f",
            "0.5",
            "-2.25f",
            "3.14f",
            "1e10f",
            "(float) a",
            "a / 2.0f",
            "a * 0.1",
            "(double) b",
            "-0.0f",
            "1.0 / 3",
            "16777217",
            "a",
            "b - a",
            "2.0f + a",
            "0x1p-3",
            "1e-40f",
        ];
        self.pick(&values).to_owned()
    }

    /// What is observed: some of the places that can be read.
    pub fn observe(&mut self) {
        let place = self.place();
        let mut observed = format!("(long long) {place}");
        for _ in 0..self.rng.u8(..3) {
            let place = self.place();
            observed = match self.rng.u8(..3) {
                0 => format!("{observed} * 7 + {place}"),
                1 => format!("({observed} ^ (long long) {place} * 256)"),
                _ => format!("({observed}) - {place}"),
            };
        }
        self.observed = observed;
    }
}
