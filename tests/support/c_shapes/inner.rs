//! Procedures inside procedures (GNU C): several levels of them, with and without recursion, that read and write what is around them, are called
//! by name, through pointers that others got, and by procedures of the file.

use super::making::Making;

/// Procedures inside of one another are no deeper than that, and blocks.
const DEEPEST: usize = 3;

/// What programs declare: how many calls there may be, and who calls what a pointer leads to.
const FILE: [&str; 5] = [
    "static int $fuel = 25; static int (*$kept)(int); struct $S { int m; short w[2]; };",
    "static int $call(int (*f)(int), int x) { return f(x); }",
    "static int $twice(int (*f)(int), int x) { int t = f(x); return t ^ f(t & 15); }",
    "static int $each(void (*f)(int *), int n) { int s[3] = {1, 2, 3}; for (int i = 0; i < n; i++) f(&s[i % 3]); return s[0] - s[1] * s[2]; }",
    "static int $down(int n, int (*f)(int)) { int own(int x) { return (x & 255) + n + f(n); } return n > 0 ? $down(n - 1, n & 1 ? own : f) : f(n); }",
];

/// What an inner procedure is: its parameters and what it returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// `int f(int)`.
    Plain,
    /// `void f(int *)`.
    Through,
    /// Several parameters of other types.
    Wide,
    /// Calls what it gets.
    Caller,
    /// Returns a structure.
    Record,
}

/// Names that mean something in a block.
#[derive(Clone, Default)]
struct Scope {
    /// Those that the block itself declares.
    own: Vec<String>,
    /// Inner procedures, and pointers to some.
    procedures: Vec<(String, Kind)>,
}

/// A program about them.
struct Nest<'m, 'r> {
    making: &'m mut Making<'r>,
    scopes: Vec<Scope>,
    /// How many procedures are around.
    level: usize,
    count: usize,
}

impl Nest<'_, '_> {
    fn fresh(&mut self, stem: &str) -> String {
        self.count += 1;
        format!("{stem}{}", self.count)
    }

    /// A name that may mean something else outside of the block.
    fn shadowing(&mut self, names: &[&str]) -> Option<String> {
        let name = self.making.pick(names).to_owned();
        let scope = self.scopes.last_mut()?;
        let free = !scope.own.contains(&name);
        scope.own.push(name.clone());
        free.then_some(name)
    }

    fn value(&mut self) -> String {
        let depth = self.making.rng.u32(0..2);
        self.making.value(depth)
    }

    /// A place that can be written, if there is one.
    fn target(&mut self) -> String {
        let count = self.making.places.len();
        if count == 0 { "a".to_owned() } else { self.making.places[self.making.rng.usize(..count)].clone() }
    }

    fn condition(&mut self) -> String {
        let value = self.value();
        let simple = self.making.pick(&["b", "a & 1", "a > 3", "$fuel & 1"]).to_owned();
        if self.making.one_in(3) { format!("({value}) & 1") } else { simple }
    }

    /// Statements in a scope of their own; what they declare is forgotten.
    fn block(&mut self, count: usize, depth: usize) -> String {
        let places = self.making.places.clone();
        self.scopes.push(Scope::default());
        let lines: Vec<String> = (0..count).map(|_| self.statement(depth)).collect();
        self.scopes.pop();
        self.making.places = places;
        lines.join(" ")
    }

    /// Some procedure that can be called here, of those kinds.
    fn callee(&mut self, kinds: &[Kind]) -> Option<(String, Kind)> {
        let all: Vec<(String, Kind)> = self.scopes.iter().flat_map(|scope| scope.procedures.iter().cloned()).collect();
        let fit: Vec<(String, Kind)> = all.into_iter().filter(|(_, kind)| kinds.contains(kind)).collect();
        if fit.is_empty() { None } else { Some(fit[self.making.rng.usize(..fit.len())].clone()) }
    }

    /// A call, if something can be called.
    fn call(&mut self) -> Option<String> {
        let (name, kind) = self.callee(&[Kind::Plain, Kind::Through, Kind::Wide, Kind::Caller, Kind::Record])?;
        let (target, value, other) = (self.target(), self.value(), self.value());
        let body = match kind {
            Kind::Plain if self.making.one_in(4) => format!("{{ int t = {name}({value}); {target} += t; }}"),
            Kind::Plain => format!("{target} = {name}({value});"),
            Kind::Through => format!("{{ int t = {value}; {name}(&t); {target} = t; }}"),
            Kind::Wide => format!("{target} = {name}({value}, {other}, &fixed);"),
            Kind::Record => format!("{target} = {name}({value}).{};", self.making.pick(&["m", "w[1]"])),
            Kind::Caller => format!("{target} = {name}({}, {value});", self.callee(&[Kind::Plain])?.0),
        };
        Some(format!("if ($fuel-- > 0) {body}"))
    }

    /// A call by somebody who gets a pointer.
    fn handed(&mut self) -> Option<String> {
        let (target, value) = (self.target(), self.value());
        let (name, kind) = self.callee(&[Kind::Plain, Kind::Plain, Kind::Through])?;
        let number = self.making.rng.u8(1..4);
        let body = match (kind, self.making.rng.u8(..6)) {
            (Kind::Through, _) => format!("{target} = $each({name}, {number});"),
            (_, 0 | 1) => format!("{target} = $call({name}, {value});"),
            (_, 2) => format!("{target} = $twice(&{name}, {value});"),
            (_, 3) => format!("{target} = $down({number}, {name});"),
            (_, 4) => format!("{{ int (*t)(int) = {name}; {target} = t({value}); }}"),
            _ => format!("{{ $kept = {name}; {target} = $kept({value}); $kept = 0; }}"),
        };
        Some(format!("if ($fuel-- > 0) {body}"))
    }

    /// The head of an inner procedure, and what its body can name beside what is around.
    fn head(name: &str, kind: Kind) -> (String, &'static [&'static str]) {
        match kind {
            Kind::Plain => (format!("int {name}(int x)"), &["x"]),
            Kind::Through => (format!("void {name}(int *p)"), &["*p"]),
            Kind::Wide => (format!("long {name}(short x, unsigned long y, int *p)"), &["x", "y", "*p"]),
            Kind::Caller => (format!("int {name}(int (*f)(int), int y)"), &["y"]),
            Kind::Record => (format!("struct $S {name}(int y)"), &["y"]),
        }
    }

    /// An inner procedure, which can be called from here on, and in itself.
    fn procedure(&mut self, depth: usize) -> String {
        let kind = [Kind::Plain, Kind::Plain, Kind::Through, Kind::Wide, Kind::Caller, Kind::Record];
        let kind = kind[self.making.rng.usize(..kind.len())];
        let name = self.fresh("f");
        let forward =
            if self.making.one_in(4) { format!("auto {};", Self::head(&name, kind).0) } else { String::new() };
        // Whoever is declared before it can be called by others that stand before it.
        let between = if forward.is_empty() || self.making.rng.bool() {
            String::new()
        } else {
            self.declared(&name, kind);
            self.definition(Kind::Plain, depth)
        };
        if !self.scopes.iter().any(|scope| scope.procedures.contains(&(name.clone(), kind))) {
            self.declared(&name, kind);
        }
        format!("{forward} {between} {}", self.body(&name, kind, depth))
    }

    fn declared(&mut self, name: &str, kind: Kind) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.procedures.push((name.to_owned(), kind));
        }
    }

    fn definition(&mut self, kind: Kind, depth: usize) -> String {
        let name = self.fresh("f");
        self.declared(&name, kind);
        self.body(&name, kind, depth)
    }

    /// The definition of a procedure that is declared.
    fn body(&mut self, name: &str, kind: Kind, depth: usize) -> String {
        let (head, parameters) = Self::head(name, kind);
        let places = self.making.places.clone();
        self.making.places.extend(parameters.iter().map(|&name| name.to_owned()));
        let own: Vec<String> = parameters.iter().map(|name| name.trim_start_matches('*').to_owned()).collect();
        let procedures = if kind == Kind::Caller { vec![("f".to_owned(), Kind::Plain)] } else { Vec::new() };
        self.scopes.push(Scope { own, procedures });
        self.level += 1;
        let count = self.making.rng.usize(1..4);
        let lines: Vec<String> = (0..count).map(|_| self.statement(depth + 1)).collect();
        let (value, target) = (self.value(), self.target());
        let end = match kind {
            Kind::Through => format!("*p = {value};"),
            Kind::Record => format!("return (struct $S){{ {value}, {{ 1, {target} }} }};"),
            _ if self.making.one_in(4) => format!("return {target}++;"),
            _ => format!("return {value};"),
        };
        self.level -= 1;
        self.scopes.pop();
        self.making.places = places;
        format!("{head} {{ {} {end} }}", lines.join(" "))
    }

    /// The declaration of a local.
    fn local(&mut self) -> String {
        // What is hidden by a name is not what its initialiser reads.
        let (before, number) = (self.value(), self.fresh("t"));
        let (value, other) = (number.clone(), self.making.rng.u8(..9));
        let kind = self.making.rng.u8(..8);
        let text = self.local_of(kind, &value, other);
        if text.contains(&value) { format!("long {number} = {before}; {text}") } else { text }
    }

    fn local_of(&mut self, kind: u8, value: &str, other: u8) -> String {
        match kind {
            0 => {
                let Some(name) = self.shadowing(&["w"]) else { return String::new() };
                self.making.places.extend([format!("{name}[1]"), format!("{name}[a & 1]")]);
                format!("{} {name}[2] = {{ {value}, {other} }};", self.making.integer().name)
            }
            1 => {
                let Some(name) = self.shadowing(&["r"]) else { return String::new() };
                self.making.places.extend([format!("{name}.m"), format!("{name}.w[b]")]);
                format!("struct $S {name} = {{ {value}, {{ {other} }} }};")
            }
            2 if self.level > 0 => {
                let name = self.fresh("s");
                self.making.places.push(name.clone());
                format!("static int {name} = {};", self.making.rng.u8(..9))
            }
            3 => {
                let name = self.fresh("n");
                self.making.places.push(format!("{name}[b]"));
                format!("int {name}[b + 1]; {name}[0] = {value}; {name}[b] = {other};")
            }
            _ => {
                let Some(name) = self.shadowing(&["x", "y", "z", "a", "b"]) else { return String::new() };
                // Inputs stay small: they are indices.
                if name == "a" || name == "b" {
                    return format!("int {name} = {};", self.making.rng.u8(..2));
                }
                self.making.places.push(name.clone());
                let qualifier = self.making.pick(&["", "", "", "volatile "]).to_owned();
                format!("{qualifier}{} {name} = {value};", self.making.integer().name)
            }
        }
    }

    fn statement(&mut self, depth: usize) -> String {
        let inner = depth < DEEPEST;
        let count = self.making.rng.usize(1..4);
        match self.making.rng.u8(..16) {
            0..=2 => self.local(),
            3 | 4 if inner => self.procedure(depth),
            5 if inner => {
                let (condition, yes) = (self.condition(), self.block(count, depth + 1));
                format!("if ({condition}) {{ {yes} }}")
            }
            6 if inner => {
                let (turn, body) = (self.fresh("i"), self.block(count, depth + 1));
                format!("for (int {turn} = 0; {turn} < 2; {turn}++) {{ {body} }}")
            }
            7 if inner => {
                let (body, value, target) = (self.block(count, depth + 1), self.value(), self.target());
                // What comes after an array whose length varies is no value for gcc.
                let body = if body.contains("[b + 1]") { format!("{{ {body} }}") } else { body };
                format!("{{ int t = ({{ {body} {value}; }}); {target} = t; }}")
            }
            8 if inner => {
                let (label, body) = (self.fresh("l"), self.block(count, depth + 1));
                format!("{label}: {{ {body} }} if ($fuel > 9 && $fuel-- & 1) goto {label};")
            }
            9 | 10 => {
                let (target, value) = (self.target(), self.value());
                format!("{target} = {value};")
            }
            11 | 12 => self.handed().unwrap_or_default(),
            _ => self.call().unwrap_or_default(),
        }
    }
}

/// A program about them.
pub fn inner(making: &mut Making<'_>) {
    making.before.extend(FILE.map(str::to_owned));
    making.body.push("int x = a, y = 1, fixed = 3;".to_owned());
    making.places.extend(["x", "y", "fixed"].map(str::to_owned));
    let scope = Scope { own: ["x", "y", "a", "b"].map(str::to_owned).to_vec(), procedures: Vec::new() };
    let mut nest = Nest { making, scopes: vec![scope], level: 0, count: 0 };
    let mut lines = vec![nest.procedure(1)];
    for _ in 0..nest.making.rng.usize(3..8) {
        let line = match nest.making.rng.u8(..3) {
            0 => nest.call().unwrap_or_default(),
            _ => nest.statement(0),
        };
        lines.push(line);
    }
    nest.making.body.extend(lines);
    making.observe();
}
