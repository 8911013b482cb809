//! Addresses as numbers: there and back, moved, with their lowest bits used, compared, copied byte by byte; what C fixes of them only.

use super::making::Making;

/// What programs declare.
const FILE: [&str; 6] = [
    "void *malloc(unsigned long); void *memcpy(void *, const void *, unsigned long);",
    "struct $S { char c; int m; long l; int w[3]; }; static int $g[4] = { 1, 2, 3, 4 };",
    "static int $load(unsigned long u) { return *(int *) u; }",
    "static unsigned long $address(const volatile void *p) { return (unsigned long) p; }",
    "static void *$pointer(long long u) { return (void *) u; }",
    "static struct $S *$around(int *p) { return (struct $S *) ((unsigned long) p - __builtin_offsetof(struct $S, m)); }",
];

/// Types of integers as wide as pointers.
const WIDE: [&str; 4] = ["unsigned long", "long", "unsigned long long", "long long"];

/// Objects: an expression for the first `int`, and how many follow one another there.
const OBJECTS: [(&str, usize); 6] = [("&x", 1), ("n", 4), ("&s.m", 1), ("s.w", 3), ("h", 5), ("$g", 4)];

/// A program about them.
struct Numbers<'m, 'r> {
    making: &'m mut Making<'r>,
    /// Numbers that are addresses of `int`s: the name, the object, which `int` of it.
    known: Vec<(String, usize, usize)>,
    count: usize,
}

impl Numbers<'_, '_> {
    fn fresh(&mut self, stem: &str) -> String {
        self.count += 1;
        format!("{stem}{}", self.count)
    }

    /// A number that is the address of an `int`.
    fn taken(&mut self) -> String {
        let object = self.making.rng.usize(..OBJECTS.len());
        let (first, length) = OBJECTS[object];
        let at = self.making.rng.usize(..length);
        let (name, ty) = (self.fresh("u"), self.making.pick(&WIDE).to_owned());
        self.known.push((name.clone(), object, at));
        match self.making.rng.u8(..4) {
            0 => format!("{ty} {name} = $address({first} + {at});"),
            1 => format!("union {{ int *p; {ty} u; }} p{name}; p{name}.p = {first} + {at}; {ty} {name} = p{name}.u;"),
            2 => format!("{ty} {name}; int *p{name} = {first} + {at}; memcpy(&{name}, &p{name}, sizeof {name});"),
            _ => format!("{ty} {name} = ({ty}) ({first} + {at});"),
        }
    }

    fn one(&mut self) -> Option<(String, usize, usize)> {
        if self.known.is_empty() { None } else { Some(self.known[self.making.rng.usize(..self.known.len())].clone()) }
    }

    /// An expression for the pointer that such a number is.
    fn back(&mut self, name: &str) -> String {
        match self.making.rng.u8(..4) {
            0 => format!("((int *) $pointer({name}))"),
            1 => format!("((int *) (char *) ({name} + 3 - 3))"),
            _ => format!("((int *) {name})"),
        }
    }

    /// Another number made of one.
    fn moved(&mut self) -> Option<String> {
        let (name, object, at) = self.one()?;
        let to = self.making.rng.usize(..OBJECTS[object].1);
        let (new, ty) = (self.fresh("u"), self.making.pick(&WIDE).to_owned());
        let by = (to as i64 - at as i64) * 4;
        let value = match self.making.rng.u8(..5) {
            0 => format!("{name} + {by}"),
            1 => format!("{name} - ({})", -by),
            2 => format!("({name} | 1) + ({by}) - 1"),
            3 => format!("(({name} + ({by})) ^ 3) & ~3UL"),
            _ => format!("({ty}) ((char *) {name} + {by})"),
        };
        self.known.push((new.clone(), object, to));
        Some(format!("{ty} {new} = {value};"))
    }

    /// Something that is fixed, as a number.
    fn fixed(&mut self) -> Option<String> {
        let ((one, p, i), (two, q, j)) = (self.one()?, self.one()?);
        let other = self.making.rng.u8(..4);
        Some(match self.making.rng.u8(..16) {
            0 => format!("({one} & {other})"),
            1 => format!("({one} % 4)"),
            2 => format!("({one} == {two})"),
            3 => format!("({one} != {two} ? 7 : b)"),
            4 => format!("(!{one} + !!{two})"),
            5 => format!("({one} && a)"),
            6 => format!("((_Bool) {one} + 1)"),
            7 => format!("((char) ({one} & 3) + (int) ({two} & 1))"),
            8 if p == q => format!("((long) ({one} - {two}))"),
            9 if p == q => format!("({one} {} {two})", self.making.pick(&["<", "<=", ">", ">="])),
            10 if p == q => format!("((int) ({one} - {two}) / 4 + {i} - {j})"),
            11 => format!("(({one} ^ {other}) & 3)"),
            12 => "($around(&s.m)->c + ($around(&s.m) == &s))".to_owned(),
            13 => "(((unsigned long) &s.l - (unsigned long) &s) + ((long) h & 7) + ((long) &s.l & 7))".to_owned(),
            14 => "(((unsigned long) (((long) t + 7) & ~7L) & 7) + (((long) t + 16) - (long) t))".to_owned(),
            _ => format!("$load({one})"),
        })
    }

    fn statement(&mut self) -> Option<String> {
        let (name, ..) = self.one()?;
        let value = self.making.value(1);
        Some(match self.making.rng.u8(..10) {
            0 | 1 => format!("*{} = {value};", self.back(&name)),
            2 => format!("y += {};", self.fixed()?),
            3 => format!("if ({}) x ^= {value};", self.fixed()?),
            4 => {
                let copy = self.fresh("q");
                format!(
                    "int *{copy}; {{ int *from = {}; for (unsigned i = 0; i < sizeof from; i++) ((char *) &{copy})[i] = ((char *) &from)[i]; }} y ^= *{copy};",
                    self.back(&name)
                )
            }
            5 => format!("switch ({name} & 3) {{ case 0: y++; break; default: y = 99; }}"),
            6 => format!("kept[a & 1] = {name}; y += *(int *) kept[a & 1];"),
            7 => format!("if (b) {{ int *q = {}; *q += 1; }}", self.back(&name)),
            _ => return self.moved(),
        })
    }
}

/// A program about them.
pub fn addresses(making: &mut Making<'_>) {
    making.before.extend(FILE.map(str::to_owned));
    making.body.push(
        "int x = 5, y = 1, n[4] = { 1, 2 }, *h = malloc(5 * sizeof(int)); char t[24]; unsigned long kept[2];"
            .to_owned(),
    );
    making.body.push("struct $S s = { 2, 3, 4, { 5, 6 } }; for (int i = 0; i < 5; i++) h[i] = i * 2;".to_owned());
    making.places.extend(["x", "y", "n[1]", "n[3]", "s.m", "s.w[2]", "h[a & 3]", "$g[b]"].map(str::to_owned));
    let mut numbers = Numbers { making, known: Vec::new(), count: 0 };
    let mut lines = vec![numbers.taken(), numbers.taken()];
    for _ in 0..numbers.making.rng.usize(2..8) {
        let line = if numbers.making.one_in(5) { Some(numbers.taken()) } else { numbers.statement() };
        lines.extend(line);
    }
    let fixed: Vec<String> = (0..2).filter_map(|_| numbers.fixed()).collect();
    making.body.extend(lines);
    making.places.extend(fixed);
    making.observe();
}
