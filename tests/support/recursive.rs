//! Random recursive C programs, as texts of which many can be compiled at once.

use std::fmt::Write as _;

use fastrand::Rng;

/// The least and the greatest value of each of the two inputs of a program.
pub const INPUTS: std::ops::RangeInclusive<i32> = -2..=9;

/// A program that begins with `pN_main`, which reads two inputs.
pub fn program(number: u64) -> String {
    let mut rng = Rng::with_seed(number);
    let count = rng.usize(1..=3);
    let prefix = format!("p{number}");
    let functions: Vec<Vec<&'static str>> = (0..count)
        .map(|_| (0..rng.usize(1..=3)).map(|_| rng.choice(["int", "int", "unsigned", "short", "signed char"])).map(Option::unwrap_or_default).collect())
        .collect();
    let mut making = Making { rng, prefix, functions, text: String::new(), scope: Vec::new(), loops: 0 };
    making.all();
    making.text
}

struct Making {
    rng: Rng,
    prefix: String,
    functions: Vec<Vec<&'static str>>,
    text: String,
    scope: Vec<String>,
    loops: usize,
}

impl Making {
    fn all(&mut self) {
        self.text.push_str("extern int __VERIFIER_nondet_int(void);\n");
        let prefix = self.prefix.clone();
        let _ = writeln!(self.text, "int {prefix}_g; unsigned {prefix}_h;");
        for at in 0..self.functions.len() {
            let head = self.head(at);
            let _ = writeln!(self.text, "{head};");
        }
        for at in 0..self.functions.len() {
            self.function(at);
        }
        let _ = writeln!(self.text, "int {prefix}_main(void) {{");
        let _ = writeln!(self.text, "  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();");
        let _ = writeln!(
            self.text,
            "  if (a < {0} || a > {1} || b < {0} || b > {1}) return 0;",
            INPUTS.start(),
            INPUTS.end()
        );
        self.scope = vec!["a".to_owned(), "b".to_owned()];
        // What ran before has left something.
        let _ = writeln!(self.text, "  {prefix}_g = 0; {prefix}_h = 0;");
        let call = self.call(0, false);
        let _ = writeln!(self.text, "  {call};\n  return 0;\n}}");
    }

    fn head(&self, at: usize) -> String {
        let names = ["x", "y", "z"];
        let formals: Vec<String> =
            self.functions[at].iter().zip(names).map(|(ty, name)| format!("{ty} {name}")).collect();
        format!("int {}_f{at}({})", self.prefix, formals.join(", "))
    }

    fn function(&mut self, at: usize) {
        let head = self.head(at);
        self.scope = ["x", "y", "z"].iter().take(self.functions[at].len()).map(|&name| name.to_owned()).collect();
        let _ = writeln!(self.text, "{head} {{\n  int r = 0;");
        self.scope.push("r".to_owned());
        if self.rng.u8(0..10) < 7 {
            let guard = self.condition();
            let _ = writeln!(self.text, "  if ({guard}) return {};", self.rng.i32(-1..2));
        }
        for _ in 0..self.rng.usize(1..=3) {
            self.statement(2, 2);
        }
        let _ = writeln!(self.text, "  return r;\n}}");
    }

    fn statement(&mut self, deep: usize, indent: usize) {
        let space = " ".repeat(indent);
        match self.rng.u8(0..if deep == 0 { 5 } else { 8 }) {
            0..=2 => {
                let callee = self.rng.usize(0..self.functions.len());
                let call = self.call(callee, true);
                let condition = self.condition();
                let guard = if self.rng.u8(0..4) > 0 { format!("if ({condition}) ") } else { String::new() };
                let target = self.rng.choice(["", "r = ", "r += "]).unwrap_or_default();
                let _ = writeln!(self.text, "{space}{guard}{target}{call};");
            }
            3 => {
                let (target, value) = (self.variable(), self.expression());
                let _ = writeln!(self.text, "{space}{target} = {value};");
            }
            4 => {
                let global = format!("{}_{}", self.prefix, self.rng.choice(["g", "h"]).unwrap_or_default());
                let change = self.rng.choice(["++", "--", " += 2", " = 0"]).unwrap_or_default();
                let _ = writeln!(self.text, "{space}{global}{change};");
            }
            5 => {
                let condition = self.condition();
                let _ = writeln!(self.text, "{space}if ({condition}) {{");
                self.statement(deep - 1, indent + 2);
                let _ = writeln!(self.text, "{space}}} else {{");
                self.statement(deep - 1, indent + 2);
                let _ = writeln!(self.text, "{space}}}");
            }
            6 => {
                self.loops += 1;
                let (name, turns) = (format!("i{}", self.loops), self.rng.u8(1..4));
                let _ = writeln!(self.text, "{space}for (int {name} = 0; {name} < {turns}; {name}++) {{");
                self.scope.push(name);
                let count = self.scope.len();
                self.statement(deep - 1, indent + 2);
                self.scope.truncate(count - 1);
                let _ = writeln!(self.text, "{space}}}");
            }
            _ => {
                let condition = self.condition();
                let value = self.expression();
                let _ = writeln!(self.text, "{space}if ({condition}) return {value};");
            }
        }
    }

    /// A call; in recursion with arguments that are often less.
    fn call(&mut self, callee: usize, less: bool) -> String {
        let arguments: Vec<String> = (0..self.functions[callee].len())
            .map(|at| {
                let same = self.scope.get(at).cloned().filter(|name| !name.starts_with('i')).unwrap_or_default();
                match self.rng.u8(0..10) {
                    0..=3 if less && !same.is_empty() => {
                        let by = self.rng.choice([" - 1", " - 1", " - 2", " / 2", " + 1", " >> 1"]);
                        format!("{same}{}", by.unwrap_or_default())
                    }
                    4 | 5 if !same.is_empty() => same,
                    _ => self.expression(),
                }
            })
            .collect();
        format!("{}_f{callee}({})", self.prefix, arguments.join(", "))
    }

    /// A variable that may be assigned: no counter of a loop.
    fn variable(&mut self) -> String {
        let some: Vec<String> = self.scope.iter().filter(|name| !name.starts_with('i')).cloned().collect();
        self.rng.choice(some).unwrap_or_else(|| "r".to_owned())
    }

    fn operand(&mut self) -> String {
        let global = format!("{}_{}", self.prefix, self.rng.choice(["g", "h"]).unwrap_or_default());
        let scope = self.scope.clone();
        match self.rng.u8(0..8) {
            0 => global,
            1 => self.rng.i32(-2..8).to_string(),
            _ => self.rng.choice(scope).unwrap_or(global),
        }
    }

    fn expression(&mut self) -> String {
        let (a, b) = (self.operand(), self.operand());
        match self.rng.u8(0..12) {
            0..=2 => a,
            3 => format!("({a} + {b})"),
            4 => format!("({a} - {b})"),
            5 => format!("({a} - 1)"),
            6 => format!("({a} & {})", self.rng.choice([1, 3, 7]).unwrap_or(1)),
            7 => format!("({a} / {})", self.rng.choice([2, 3]).unwrap_or(2)),
            8 => format!("({a} % 4)"),
            9 => format!("({a} * 2)"),
            10 => "(__VERIFIER_nondet_int() & 3)".to_owned(),
            _ => format!("({a} > {b} ? {a} : {b})"),
        }
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.operand(), self.operand());
        let number = self.rng.i32(-1..8);
        match self.rng.u8(0..9) {
            0 | 1 => format!("{a} <= 0"),
            2 | 3 => format!("{a} > {number}"),
            4 => format!("{a} != {number}"),
            5 => format!("{a} < {b}"),
            6 => format!("{a} > 0 && {b} < {number}"),
            7 => format!("{a} == {number} || {b} <= 0"),
            _ => "__VERIFIER_nondet_int() & 1".to_owned(),
        }
    }
}
