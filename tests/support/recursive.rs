//! Random recursive C programs, as texts of which many can be compiled at once. They do what recursion may hang on: globals that change on the
//! way, arguments that come to zero from both sides, loops, resets, conditional calls, calls in conditions and in arguments, early returns, mutual recursion, pointers to functions and to
//! integers, structures by value, wrap-around, narrow types, arrays, `static` variables, runs that end in the middle and runs that do not
//! end.

use std::fmt::Write as _;

use fastrand::Rng;

/// The least and the greatest value of each of the two inputs of a program.
pub const INPUTS: std::ops::RangeInclusive<i32> = -2..=9;

/// A program.
pub struct Recursive {
    /// It begins with `pN_main`, which reads two inputs.
    pub text: String,
    /// The same to be compiled with others and run many times: a turn of a loop says `TICK`, and `static` variables get their values in
    /// `pN_main`.
    pub compiled: String,
    /// Whether it reads only these two.
    pub is_fixed: bool,
}

/// The program of a number.
pub fn program(number: u64) -> Recursive {
    let text = made(number, false);
    let is_fixed = text.matches("nondet_int()").count() == 2 && text.matches("_main(").count() == 2;
    Recursive { text, compiled: made(number, true), is_fixed }
}

fn made(number: u64, compiled: bool) -> String {
    let mut rng = Rng::with_seed(number);
    let count = rng.usize(1..=4);
    let types = ["int", "int", "int", "unsigned", "short", "signed char", "unsigned char", "unsigned short", "long"];
    let alike = rng.bool();
    let one = |rng: &mut Rng| -> Vec<&'static str> {
        (0..rng.usize(1..=3)).map(|_| rng.choice(types).unwrap_or("int")).collect()
    };
    let first = one(&mut rng);
    let functions =
        (0..count).map(|at| if alike || at == 0 { first.clone() } else { one(&mut rng) }).collect::<Vec<_>>();
    let pointer = rng.u8(0..5) == 0;
    let record = rng.u8(0..5) == 0;
    let wild = rng.u8(0..3);
    let falls = match rng.u8(0..7) {
        0 | 1 => Falls::Nothing,
        2 => Falls::Global,
        3 | 4 if record => Falls::Member,
        6 => Falls::Toward(rng.usize(0..3)),
        _ => Falls::Formal(rng.usize(0..3)),
    };
    let mut making = Making {
        rng,
        prefix: format!("p{number}"),
        functions,
        alike,
        pointer,
        record,
        wild,
        falls,
        rises: false,
        compiled,
        text: String::new(),
        scope: Vec::new(),
        statics: Vec::new(),
        loops: 0,
    };
    making.all();
    making.text
}

/// What falls from call to call, most of the time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Falls {
    Nothing,
    Global,
    /// A member of the structure that each gets.
    Member,
    /// The formal with that number, if there are so many; else the last one.
    Formal(usize),
    /// The same, which falls where it is positive and rises where it is negative.
    Toward(usize),
}

struct Making {
    rng: Rng,
    prefix: String,
    functions: Vec<Vec<&'static str>>,
    /// Whether all have the same type, so that pointers may point to each.
    alike: bool,
    /// Whether each gets a pointer to an integer, too.
    pointer: bool,
    /// Whether each gets a structure, too.
    record: bool,
    /// How seldom calls are guarded, and arguments fall.
    wild: u8,
    falls: Falls,
    /// Whether it rises.
    rises: bool,
    compiled: bool,
    text: String,
    scope: Vec<String>,
    /// Variables that keep their values, with those that they have at first.
    statics: Vec<(String, i32)>,
    loops: usize,
}

impl Making {
    fn pick(&mut self, all: &[&'static str]) -> &'static str {
        self.rng.choice(all.iter().copied()).unwrap_or_default()
    }

    /// What falls in a function, as it is called there.
    fn falling(&self, at: usize) -> Option<String> {
        match self.falls {
            Falls::Nothing => None,
            Falls::Global => Some(format!("{}_g", self.prefix)),
            Falls::Member => Some("s.u".to_owned()),
            Falls::Formal(formal) | Falls::Toward(formal) => {
                Some(["x", "y", "z"][formal.min(self.functions[at].len() - 1)].to_owned())
            }
        }
    }

    fn all(&mut self) {
        self.rises = self.rng.u8(0..5) == 0;
        self.text.push_str("extern int __VERIFIER_nondet_int(void);\nextern void exit(int);\n");
        let p = self.prefix.clone();
        let _ = writeln!(self.text, "int {p}_g; unsigned {p}_h; static short {p}_k; int {p}_a[4];");
        let _ = writeln!(self.text, "int {p}_main(void);");
        if self.record {
            let ty = self.pick(&["int", "int", "short", "unsigned"]);
            let _ = writeln!(self.text, "struct {p}_s {{ {ty} u; int v; }};");
        }
        for at in 0..self.functions.len() {
            let head = self.head(at);
            let _ = writeln!(self.text, "{head};");
        }
        if self.alike {
            let names: Vec<String> = (0..self.functions.len()).map(|at| format!("{p}_f{at}")).collect();
            let formals = self.formals(0).join(", ");
            let _ =
                writeln!(self.text, "static int (*{p}_t[{}])({formals}) = {{ {} }};", names.len(), names.join(", "));
        }
        for at in 0..self.functions.len() {
            self.function(at);
        }
        let _ = writeln!(self.text, "int {p}_main(void) {{");
        let _ = writeln!(self.text, "  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();");
        let (least, most) = (INPUTS.start(), INPUTS.end());
        let _ = writeln!(self.text, "  if (a < {least} || a > {most} || b < {least} || b > {most}) return 0;");
        self.scope = vec!["a".to_owned(), "b".to_owned()];
        // What ran before has left something.
        let _ = writeln!(self.text, "  {p}_g = 0; {p}_h = 0; {p}_k = 0;");
        let _ = writeln!(self.text, "  {p}_a[0] = {p}_a[1] = {p}_a[2] = {p}_a[3] = {};", self.rng.i32(0..6));
        if self.compiled {
            for (name, value) in &self.statics {
                let _ = writeln!(self.text, "  {name} = {value};");
            }
        }
        if self.falls == Falls::Global {
            let value = self.pick(&["a", "b", "a + b"]);
            let _ = writeln!(self.text, "  {p}_g = {value};");
        } else if self.rng.bool() {
            let value = self.expression();
            let _ = writeln!(self.text, "  {p}_g = {value};");
        }
        for _ in 0..self.rng.usize(1..=2) {
            let call = self.call(0, false);
            let _ = writeln!(self.text, "  {call};");
        }
        let _ = writeln!(self.text, "  return 0;\n}}");
    }

    fn formals(&self, at: usize) -> Vec<String> {
        let names = ["x", "y", "z"];
        let own = self.functions[at].iter().zip(names).map(|(ty, name)| format!("{ty} {name}"));
        let record = self.record.then(|| format!("struct {}_s s", self.prefix));
        own.chain(record).chain(self.pointer.then(|| "int *q".to_owned())).collect()
    }

    fn head(&self, at: usize) -> String {
        format!("int {}_f{at}({})", self.prefix, self.formals(at).join(", "))
    }

    fn function(&mut self, at: usize) {
        let head = self.head(at);
        self.scope = ["x", "y", "z"].iter().take(self.functions[at].len()).map(|&name| name.to_owned()).collect();
        let kept = (self.rng.u8(0..8) == 0).then(|| (format!("{}_s{at}", self.prefix), self.rng.i32(0..9)));
        if let Some((name, value)) = &kept {
            match self.compiled {
                true => drop(writeln!(self.text, "static int {name};\n{head} {{\n  int r = 0;")),
                false => drop(writeln!(self.text, "{head} {{\n  static int {name} = {value};\n  int r = 0;")),
            }
            self.scope.push(name.clone());
        } else {
            let _ = writeln!(self.text, "{head} {{\n  int r = 0;");
        }
        if self.record {
            self.scope.extend(["s.u".to_owned(), "s.v".to_owned()]);
        }
        if self.pointer {
            self.scope.push("*q".to_owned());
        }
        self.scope.push("r".to_owned());
        if let Some((name, _)) = kept.clone().filter(|_| self.rng.bool()) {
            let _ = writeln!(self.text, "  if ({name}-- <= 0) return r;");
        }
        if let Some(falling) = self.falling(at) {
            let value = self.expression();
            let test = match self.rises {
                _ if matches!(self.falls, Falls::Toward(_)) => self.pick(&["== 0", "== 0", "== 1", "/ 2 == 0"]),
                true => self.pick(&[">= 8", "> 9", "== 12"]),
                false => self.pick(&["<= 0", "< 0", "== 0", "<= 1", "< 2", "< -3"]),
            };
            let _ = writeln!(self.text, "  if ({falling} {test}) return {value};");
            if self.falls == Falls::Global {
                let _ = writeln!(self.text, "  {falling}{};", if self.rises { "++" } else { "--" });
            }
        } else if self.rng.u8(0..10) < 8 - self.wild {
            let guard = self.condition();
            let value = self.rng.i32(-1..2);
            let _ = writeln!(self.text, "  if ({guard}) return {value};");
        }
        for _ in 0..self.rng.usize(1..=3) {
            self.statement(2, 2, false);
        }
        let _ = writeln!(self.text, "  return r;\n}}");
        self.statics.extend(kept);
    }

    fn statement(&mut self, deep: usize, indent: usize, looping: bool) {
        let space = " ".repeat(indent);
        match self.rng.u8(0..if deep == 0 { 8 } else { 16 }) {
            0..=3 => {
                let call = self.some_call();
                let condition = self.condition();
                let guard = if self.rng.u8(0..4 + self.wild) > self.wild {
                    format!("if ({condition}) ")
                } else {
                    String::new()
                };
                let target = self.pick(&["", "r = ", "r += "]);
                let _ = writeln!(self.text, "{space}{guard}{target}{call};");
            }
            4 => {
                let (target, value) = (self.variable(), self.expression());
                let _ = writeln!(self.text, "{space}{target} = {value};");
            }
            5 => {
                let global = self.global();
                let change = self.pick(&["++", "--", " += 2", " = 0", " -= 3", " /= 2"]);
                let _ = writeln!(self.text, "{space}{global}{change};");
            }
            6 => {
                let (target, by) = (self.variable(), self.pick(&["--", "++", " -= 2", " /= 2", " >>= 1", " ^= 1"]));
                let target = if target.starts_with('*') { format!("({target})") } else { target };
                let _ = writeln!(self.text, "{space}{target}{by};");
            }
            7 => {
                let condition = self.condition();
                let value = self.expression();
                let call = self.some_call();
                let out = match self.rng.u8(0..8) {
                    0 => "exit(0)".to_owned(),
                    1 if looping => "break".to_owned(),
                    2 if looping => "continue".to_owned(),
                    3 | 4 => format!("return {call}"),
                    _ => format!("return {value}"),
                };
                let _ = writeln!(self.text, "{space}if ({condition}) {out};");
            }
            8..=9 => {
                let condition = self.condition();
                let _ = writeln!(self.text, "{space}if ({condition}) {{");
                self.statement(deep - 1, indent + 2, looping);
                let _ = writeln!(self.text, "{space}}} else {{");
                self.statement(deep - 1, indent + 2, looping);
                let _ = writeln!(self.text, "{space}}}");
            }
            10..=11 => {
                self.loops += 1;
                let (name, turns) = (format!("i{}", self.loops), self.rng.u8(1..4));
                let _ = writeln!(self.text, "{space}for (int {name} = 0; {name} < {turns}; {name}++) {{ TICK");
                self.scope.push(name);
                let count = self.scope.len();
                self.statement(deep - 1, indent + 2, true);
                self.scope.truncate(count - 1);
                let _ = writeln!(self.text, "{space}}}");
            }
            12 => {
                let (condition, variable) = (self.condition(), self.variable());
                let _ = writeln!(self.text, "{space}while ({condition}) {{ TICK");
                self.statement(deep - 1, indent + 2, true);
                let by = self.pick(&["- 1", "- 2", "/ 2", "+ 1"]);
                let _ = writeln!(self.text, "{space}  {variable} = {variable} {by};\n{space}}}");
            }
            13 => {
                let value = self.operand();
                let _ = writeln!(self.text, "{space}switch ({value} & 3) {{\n{space}case 0:");
                self.statement(deep - 1, indent + 2, looping);
                let fall = self.pick(&["break;", ""]);
                let _ = writeln!(self.text, "{space}  {fall}\n{space}case 1: case 3:");
                self.statement(deep - 1, indent + 2, looping);
                let _ = writeln!(self.text, "{space}  break;\n{space}default:");
                self.statement(deep - 1, indent + 2, looping);
                let _ = writeln!(self.text, "{space}}}");
            }
            14 => {
                // A call decides.
                let (call, condition) = (self.some_call(), self.condition());
                let test = match self.rng.u8(0..4) {
                    0 => format!("{call} > 0"),
                    1 => format!("({condition}) && {call}"),
                    2 => format!("({condition}) || {call} < 3"),
                    _ => format!("({condition}) ? {call} : 1"),
                };
                let _ = writeln!(self.text, "{space}if ({test}) {{");
                self.statement(deep - 1, indent + 2, looping);
                let _ = writeln!(self.text, "{space}}}");
            }
            _ => {
                let _ = writeln!(self.text, "{space}{{");
                self.statement(deep - 1, indent + 2, looping);
                self.statement(deep - 1, indent + 2, looping);
                let _ = writeln!(self.text, "{space}}}");
            }
        }
    }

    /// A call of some function, by its name or through a pointer; of the first one again in a while.
    fn some_call(&mut self) -> String {
        if self.rng.u8(0..60) == 0 {
            return format!("{}_main()", self.prefix);
        }
        let callee = self.rng.usize(0..self.functions.len());
        self.call(callee, true)
    }

    /// A call; in recursion with arguments that are often less.
    fn call(&mut self, callee: usize, less: bool) -> String {
        let mut arguments: Vec<String> = (0..self.functions[callee].len())
            .map(|at| {
                let same = self.scope.get(at).cloned().filter(|name| !name.starts_with(['i', '*', 'p', 's']));
                let same = same.unwrap_or_default();
                let last = self.functions[callee].len() - 1;
                let toward = matches!(self.falls, Falls::Toward(formal) if formal.min(last) == at);
                let own = toward || matches!(self.falls, Falls::Formal(formal) if formal.min(last) == at);
                if own && self.rng.u8(0..8) > 0 {
                    if !less {
                        return self.pick(&["a", "b", "a + b", "9"]).to_owned();
                    }
                    if toward && !same.is_empty() {
                        let (down, up) =
                            (self.pick(&["- 1", "- 1", "- 2", "/ 2"]), self.pick(&["+ 1", "+ 1", "+ 2", "/ 3"]));
                        let above = self.pick(&["> 0", "> 0", ">= 0", "> 1"]);
                        return format!("({same} {above} ? {same} {down} : {same} {up})");
                    }
                    if !same.is_empty() {
                        let by = match self.rises {
                            true => self.pick(&[" + 1", " + 1", " + 2", ""]),
                            false => self.pick(&[" - 1", " - 1", " - 1", " - 2", " / 2", ""]),
                        };
                        return format!("{same}{by}");
                    }
                }
                match self.rng.u8(0..10 + self.wild) {
                    0..=4 if less && !same.is_empty() => {
                        let by = self.pick(&[" - 1", " - 1", " - 1", " - 2", " / 2", " + 1", " >> 1", " - 3"]);
                        format!("{same}{by}")
                    }
                    5 | 6 if !same.is_empty() => same,
                    7 if less && self.rng.u8(0..6) == 0 && self.text.len() < 4_000 => {
                        let callee = self.rng.usize(0..self.functions.len());
                        self.call(callee, true)
                    }
                    _ => self.expression(),
                }
            })
            .collect();
        if self.record {
            let value = self.record_given(less);
            arguments.push(value);
        }
        if self.pointer {
            let own: Vec<&str> = if less { vec!["q", "q", "&r"] } else { vec!["&a"] };
            let global = format!("&{}_g", self.prefix);
            let given = self.rng.choice(own).filter(|_| self.rng.u8(0..5) > 0).map_or(global, str::to_owned);
            arguments.push(given);
        }
        let arguments = arguments.join(", ");
        if self.alike && self.rng.u8(0..5) == 0 {
            let (p, value, count) = (self.prefix.clone(), self.operand(), self.functions.len());
            return match self.rng.bool() {
                true => format!("{p}_t[{callee}]({arguments})"),
                false => format!("{p}_t[(unsigned) {value} % {count}]({arguments})"),
            };
        }
        format!("{}_f{callee}({arguments})", self.prefix)
    }

    /// A structure as an argument; in recursion often with a member that is less.
    fn record_given(&mut self, less: bool) -> String {
        if !less {
            let (u, v) = (self.pick(&["a", "b", "a + b", "7"]), self.pick(&["a", "b", "0"]));
            return format!("(struct {}_s) {{ {u}, {v} }}", self.prefix);
        }
        if self.rng.u8(0..6) == 0 {
            return "s".to_owned();
        }
        let u = match (self.falls == Falls::Member && self.rng.u8(0..8) > 0, self.rises) {
            (true, true) => self.pick(&["s.u + 1", "s.u + 1", "s.u + 2", "s.u"]).to_owned(),
            (true, false) => self.pick(&["s.u - 1", "s.u - 1", "s.u - 2", "s.u / 2", "s.u"]).to_owned(),
            (false, _) => self.expression(),
        };
        let v = if self.rng.bool() { "s.v - 1".to_owned() } else { self.expression() };
        format!("(struct {}_s) {{ {u}, {v} }}", self.prefix)
    }

    fn global(&mut self) -> String {
        let name = self.pick(&["g", "g", "h", "k", "a[1]"]);
        format!("{}_{name}", self.prefix)
    }

    /// A variable that may be assigned: no counter of a loop.
    fn variable(&mut self) -> String {
        let some: Vec<String> = self.scope.iter().filter(|name| !name.starts_with('i')).cloned().collect();
        self.rng.choice(some).unwrap_or_else(|| "r".to_owned())
    }

    fn operand(&mut self) -> String {
        let global = self.global();
        let scope = self.scope.clone();
        match self.rng.u8(0..10) {
            0 | 1 => global,
            2 => self.rng.i32(-2..8).to_string(),
            3 if self.rng.u8(0..4) == 0 => self.pick(&["127", "255", "32767", "2147483647", "-128"]).to_owned(),
            4 if self.rng.u8(0..4) == 0 => {
                let index = self.rng.choice(scope).unwrap_or_default();
                format!("{}_a[{index} & 3]", self.prefix)
            }
            _ => self.rng.choice(scope).unwrap_or(global),
        }
    }

    fn expression(&mut self) -> String {
        let (a, b) = (self.operand(), self.operand());
        match self.rng.u8(0..16) {
            0..=3 => a,
            4 => format!("({a} + {b})"),
            5 => format!("({a} - {b})"),
            6 => format!("({a} - 1)"),
            7 => format!("({a} & {})", self.rng.choice([1, 3, 7]).unwrap_or(1)),
            8 => format!("({a} / {})", self.rng.choice([2, 3]).unwrap_or(2)),
            9 => format!("({a} % 4)"),
            10 => format!("({a} * 2)"),
            11 => "(__VERIFIER_nondet_int() & 3)".to_owned(),
            12 if self.rng.bool() => "__VERIFIER_nondet_int()".to_owned(),
            13 => format!("({a} ^ {b})"),
            14 => {
                let ty = self.pick(&["signed char", "unsigned char", "unsigned", "short"]);
                format!("({ty}) ({a} - {})", self.rng.u8(0..3))
            }
            _ => format!("({a} > {b} ? {a} : {b})"),
        }
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.operand(), self.operand());
        let number = self.rng.i32(-1..8);
        match self.rng.u8(0..11) {
            0 | 1 => format!("{a} <= 0"),
            2 | 3 => format!("{a} > {number}"),
            4 => format!("{a} != {number}"),
            5 => format!("{a} < {b}"),
            6 => format!("{a} > 0 && {b} < {number}"),
            7 => format!("{a} == {number} || {b} <= 0"),
            8 => format!("!({a} & {})", self.rng.u8(1..4)),
            9 => format!("{a} >= {number}"),
            _ => "__VERIFIER_nondet_int() & 1".to_owned(),
        }
    }
}
