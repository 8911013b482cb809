//! Random Remopla programs: small integers, arrays, structs, enums, parameters and results of every type.

use std::fmt::Write;

use fastrand::Rng;

use super::{one_in, pick};

/// What can be read and assigned somewhere.
#[derive(Clone, Default)]
struct Names {
    ints: Vec<String>,
    bools: Vec<String>,
    /// With their first and last index.
    arrays: Vec<(String, u32, u32)>,
    tables: Vec<String>,
    enums: Vec<String>,
    structs: Vec<String>,
    rows: Vec<String>,
}

struct Generator {
    rng: Rng,
    out: String,
    labels: usize,
    bound: Vec<String>,
}

/// The program of a seed. Its modules are `main` and some of `f` (returns an integer), `g` (returns an array), `h`
/// (returns a struct) and `p` (returns nothing).
pub fn program(seed: u64) -> String {
    let mut g = Generator { rng: Rng::with_seed(seed), out: String::new(), labels: 0, bound: Vec::new() };
    let mut globals = Names::default();
    g.out += "define N 2\nenum C { c0, c1, c2 };\nstruct S { int f(1); bool b; };\n";
    let some = |g: &mut Generator| one_in(&mut g.rng, 2);
    g.line("int x(2);");
    globals.ints.push("x".into());
    if some(&mut g) {
        g.line("bool b;");
        globals.bools.push("b".into());
    }
    if some(&mut g) {
        g.line("int a[1, N](1);");
        globals.arrays.push(("a".into(), 1, 2));
    }
    if one_in(&mut g.rng, 4) {
        g.line("bool t[2][1,2];");
        globals.tables.push("t".into());
    }
    if one_in(&mut g.rng, 3) {
        g.line("enum C c;");
        globals.enums.push("c".into());
    }
    if one_in(&mut g.rng, 3) {
        g.line("struct S s;");
        globals.structs.push("s".into());
    }
    if one_in(&mut g.rng, 4) {
        g.line("struct S r[2];");
        globals.rows.push("r".into());
    }
    let modules: Vec<&str> = ["f", "g", "h", "p"].into_iter().filter(|_| one_in(&mut g.rng, 2)).collect();
    for name in &modules {
        g.module(name, &globals, &modules);
    }
    g.module("main", &globals, &modules);
    if one_in(&mut g.rng, 2) {
        g.line("err: goto err;");
    }
    g.out
}

impl Generator {
    fn line(&mut self, text: &str) {
        self.out += text;
        self.out.push('\n');
    }

    fn module(&mut self, name: &str, globals: &Names, modules: &[&str]) {
        let mut names = globals.clone();
        let head = match name {
            "f" => {
                names.ints.push("n".into());
                "int(2) f(int n(1))"
            }
            "g" => {
                names.arrays.push(("v".into(), 0, 1));
                "int[2](1) g(int v[2](1))"
            }
            "h" => {
                names.structs.push("w".into());
                "struct S h(struct S w)"
            }
            "p" => {
                names.enums.push("d".into());
                names.bools.push("q".into());
                "void p(enum C d, bool q)"
            }
            _ => "void main()",
        };
        let _ = writeln!(self.out, "module {head} {{");
        if one_in(&mut self.rng, 2) {
            self.line("int y(2);");
            names.ints.push("y".into());
        }
        if one_in(&mut self.rng, 4) {
            self.line("int z[2](1);");
            names.arrays.push(("z".into(), 0, 1));
        } else if one_in(&mut self.rng, 4) {
            self.line("struct S u;");
            names.structs.push("u".into());
        }
        for _ in 0..self.rng.usize(1..5) {
            self.statement(&names, modules, 2, false);
        }
        match name {
            "f" => {
                let value = self.int(&names, 2);
                self.line(&format!("return {value};"));
            }
            "g" => self.line("return v;"),
            "h" => self.line("return w;"),
            _ => {}
        }
        self.line("}");
    }

    fn block(&mut self, names: &Names, modules: &[&str], depth: usize, inside: bool) {
        for _ in 0..self.rng.usize(1..3) {
            self.statement(names, modules, depth, inside);
        }
    }

    fn statement(&mut self, names: &Names, modules: &[&str], depth: usize, inside: bool) {
        if one_in(&mut self.rng, 6) {
            self.labels += 1;
            let label = format!("L{}: ", self.labels);
            self.out += &label;
        }
        match self.rng.u32(..if depth > 0 { 14 } else { 11 }) {
            0 => self.line("skip;"),
            1 => {
                let condition = self.bool(names, 2);
                self.line(&format!("skip({condition});"));
            }
            2 if inside => self.line("break;"),
            3 if self.labels > 0 => {
                // A label that has been written, so that it is there.
                let label = format!("L{}", self.labels);
                self.line(&format!("goto {label};"));
            }
            4..=6 if !modules.is_empty() => self.call(names, modules),
            11 | 12 => {
                let is_do = one_in(&mut self.rng, 3);
                self.line(if is_do { "do" } else { "if" });
                for _ in 0..self.rng.usize(1..3) {
                    let condition = self.bool(names, 2);
                    self.out += &format!(":: {condition} -> ");
                    self.block(names, modules, depth - 1, is_do);
                }
                if one_in(&mut self.rng, 2) {
                    self.out += ":: else -> ";
                    self.block(names, modules, depth - 1, is_do);
                }
                self.line(if is_do { "od" } else { "fi;" });
            }
            _ => {
                let list = self.assignments(names);
                self.line(&format!("{list};"));
            }
        }
    }

    fn call(&mut self, names: &Names, modules: &[&str]) {
        let module = *pick(&mut self.rng, modules);
        let (arguments, result) = match module {
            "f" => {
                let int = self.int(names, 1);
                (int, Some(self.int_place(names)))
            }
            "g" => {
                let mut zero: Vec<&(String, u32, u32)> =
                    names.arrays.iter().filter(|(_, first, _)| *first == 0).collect();
                zero.truncate(2);
                match zero.first() {
                    Some((array, ..)) => (array.clone(), Some(array.clone())),
                    None => ("undef".into(), None),
                }
            }
            "h" => {
                let all: Vec<String> =
                    names.structs.iter().cloned().chain(names.rows.iter().map(|row| format!("{row}[x - 1]"))).collect();
                match all.is_empty() {
                    true => ("undef".into(), None),
                    false => {
                        let (argument, target) = (pick(&mut self.rng, &all).clone(), pick(&mut self.rng, &all).clone());
                        (argument, Some(target))
                    }
                }
            }
            _ => {
                let member = self.int(names, 1);
                let flag = if one_in(&mut self.rng, 3) { "undef".into() } else { self.bool(names, 1) };
                (format!("{member}, {flag}"), None)
            }
        };
        let result =
            result.filter(|_| !one_in(&mut self.rng, 4)).map_or(String::new(), |target| format!("{target} = "));
        let extra = if one_in(&mut self.rng, 3) { format!(", {}", self.assignment(names, 1)) } else { String::new() };
        self.line(&format!("{result}{module}({arguments}){extra};"));
    }

    fn assignments(&mut self, names: &Names) -> String {
        let first = self.assignment(names, 2);
        // Cells may be met twice, scalars not.
        if let (true, Some((array, ..))) = (one_in(&mut self.rng, 3), names.arrays.first()) {
            let (index, value) = (self.int(names, 1), self.int(names, 1));
            return format!("{first}, {array}[{index}] = {value}");
        }
        first
    }

    fn assignment(&mut self, names: &Names, depth: usize) -> String {
        match self.rng.u32(..12) {
            0 if !names.arrays.is_empty() => {
                let (array, first, last) = pick(&mut self.rng, &names.arrays).clone();
                let which = if one_in(&mut self.rng, 2) { "A" } else { "E" };
                self.bound.push("i".into());
                let value = self.int(names, 1);
                self.bound.pop();
                let operator = if one_in(&mut self.rng, 4) { "!=" } else { "=" };
                format!("{which} i ({first},{last}) {array}[i] {operator} {value}")
            }
            1 => format!("{} = undef", self.int_place(names)),
            2 => {
                let (place, value) = (self.int_place(names), self.int(names, 1));
                format!("{place} != {value}")
            }
            3 if !names.enums.is_empty() => {
                let place = pick(&mut self.rng, &names.enums).clone();
                let value = if one_in(&mut self.rng, 2) { "undef".into() } else { self.int(names, 1) };
                format!("{place} = {value}")
            }
            4 if !names.structs.is_empty() => {
                let target = pick(&mut self.rng, &names.structs).clone();
                match names.rows.first() {
                    Some(row) if one_in(&mut self.rng, 2) => {
                        let index = self.int(names, 1);
                        if one_in(&mut self.rng, 2) {
                            format!("{target} = {row}[{index}]")
                        } else {
                            format!("{row}[{index}] = {target}")
                        }
                    }
                    _ => format!("{target} = {}", pick(&mut self.rng, &names.structs)),
                }
            }
            5 if names.arrays.len() > 1 => {
                let (target, first, _) = pick(&mut self.rng, &names.arrays).clone();
                let same: Vec<String> = names
                    .arrays
                    .iter()
                    .filter(|(_, other, _)| *other == first)
                    .map(|(name, ..)| name.clone())
                    .collect();
                format!("{target} = {}", pick(&mut self.rng, &same))
            }
            6 if !names.tables.is_empty() => {
                let (row, column) = (self.int(names, 1), self.int(names, 1));
                let value = self.bool(names, 1);
                format!("t[{row}][{column}] = {value}")
            }
            7 | 8 if !names.bools.is_empty() => {
                let place = pick(&mut self.rng, &names.bools).clone();
                format!("{place} = {}", self.bool(names, depth))
            }
            _ => {
                let (place, value) = (self.int_place(names), self.int(names, depth));
                format!("{place} = {value}")
            }
        }
    }

    fn int_place(&mut self, names: &Names) -> String {
        match self.rng.u32(..6) {
            0 if !names.arrays.is_empty() => {
                let (array, ..) = pick(&mut self.rng, &names.arrays).clone();
                format!("{array}[{}]", self.int(names, 1))
            }
            1 if !names.structs.is_empty() => format!("{}.f", pick(&mut self.rng, &names.structs)),
            2 if !names.rows.is_empty() => format!("{}[{}].f", names.rows[0], self.int(names, 0)),
            _ => pick(&mut self.rng, &names.ints).clone(),
        }
    }

    fn int(&mut self, names: &Names, depth: usize) -> String {
        if let Some(bound) = self.bound.last().cloned()
            && one_in(&mut self.rng, 3)
        {
            return bound;
        }
        match self.rng.u32(..if depth > 0 { 9 } else { 3 }) {
            0 | 3 => self.rng.u32(..4).to_string(),
            1 if !names.enums.is_empty() => pick(&mut self.rng, &names.enums).clone(),
            4 => (*pick(&mut self.rng, &["N", "c1", "c2"])).to_owned(),
            5..=7 => {
                let operator = *pick(&mut self.rng, &["+", "-", "-", "*", "/", "<<", ">>", "&", "|", "^"]);
                let (left, right) = (self.int(names, depth - 1), self.int(names, depth - 1));
                format!("({left} {operator} {right})")
            }
            _ => self.int_place(names),
        }
    }

    fn bool(&mut self, names: &Names, depth: usize) -> String {
        match self.rng.u32(..if depth > 0 { 11 } else { 3 }) {
            0 if !names.bools.is_empty() => pick(&mut self.rng, &names.bools).clone(),
            1 if !names.structs.is_empty() => format!("{}.b", pick(&mut self.rng, &names.structs)),
            3 => format!("!{}", self.bool(names, depth - 1)),
            4 | 5 => {
                let operator = *pick(&mut self.rng, &["&&", "||", "&&", "||", "^^", "<=>", "==", "!="]);
                let (left, right) = (self.bool(names, depth - 1), self.bool(names, depth - 1));
                format!("({left} {operator} {right})")
            }
            9 => {
                let operator = *pick(&mut self.rng, &["&&", "||"]);
                let (left, divisor) = (self.bool(names, depth - 1), self.int_place(names));
                format!("({left} {operator} 2 / {divisor} == 1)")
            }
            6 if !names.arrays.is_empty() => {
                let (array, first, last) = pick(&mut self.rng, &names.arrays).clone();
                let which = if one_in(&mut self.rng, 2) { "A" } else { "E" };
                self.bound.push("j".into());
                let value = self.int(names, depth - 1);
                self.bound.pop();
                format!("({which} j ({first},{last}) {array}[j] <= {value})")
            }
            7 if !names.tables.is_empty() => {
                let (row, column) = (self.int(names, 0), self.int(names, 0));
                format!("t[{row}][{column}]")
            }
            2 => "true".into(),
            _ => {
                let operator = *pick(&mut self.rng, &["<", "<=", "==", "!=", ">=", ">"]);
                let (left, right) = (self.int(names, 1), self.int(names, 1));
                format!("({left} {operator} {right})")
            }
        }
    }
}
