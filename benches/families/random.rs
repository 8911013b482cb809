//! Random structured programs with recursion, and the numbers they are drawn from.

use super::put;

/// Numbers that look random and are the same everywhere: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
pub(super) struct Random(u64);

impl Random {
    /// The numbers of this seed.
    pub(super) fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// The items in some order.
    pub(super) fn shuffled<const N: usize>(&mut self, mut items: [u64; N]) -> [u64; N] {
        for at in (1..N).rev() {
            let other = usize::try_from(self.below(at as u64 + 1)).expect("below the length of an array");
            items.swap(at, other);
        }
        items
    }
}

/// Free global variables; two more, `u` and `v`, are tied.
const GLOBALS: u64 = 5;

/// Local variables of each procedure beside its parameter.
const LOCALS: u64 = 3;

/// Branches and loops are at most this deep.
const DEPTH: u64 = 3;

/// How much of everything.
#[derive(Clone, Copy)]
struct Shape {
    globals: u64,
    locals: u64,
    depth: u64,
}

const USUAL: Shape = Shape { globals: GLOBALS, locals: LOCALS, depth: DEPTH };

/// Small programs with many variables, for formulas: 8 globals, 6 locals with the parameter, and branches less deep.
pub(super) fn for_formulas(sizes: &[u64], text: &mut String) {
    let question = "  if (*) then u, v := 1, 1; else u, v := 0, 0; fi\n  if (u & v) then R: skip; else skip; fi\n";
    program(Shape { globals: 6, locals: 5, depth: 2 }, sizes, question, text);
}

/// Random code around an invariant.
///
/// `u` and `v` start equal, are assigned together only, and always the same value: equal for ever. `R` stands in the last
/// procedure and needs them different: unreachable.
pub(super) fn safe(sizes: &[u64], text: &mut String) {
    program(USUAL, sizes, "  if (u ^ v) then R: skip; else skip; fi\n", text);
}

/// Random code around a way to `R`.
///
/// No statement blocks in all choices, every loop may end and every procedure has a way without calls; procedure `i` calls
/// `i + 1` at its end, and the last one draws `u` (and with it `v`) and then asks for it: `R` is reachable.
pub(super) fn reach(sizes: &[u64], text: &mut String) {
    program(
        USUAL,
        sizes,
        "  if (*) then u, v := 1, 1; else u, v := 0, 0; fi\n  if (u & v) then R: skip; else skip; fi\n",
        text,
    );
}

fn program(shape: Shape, sizes: &[u64], question: &str, text: &mut String) {
    let [procedures, seed] = [sizes[0], sizes[1]];
    let mut random = Random::new(seed);
    let globals: Vec<String> = (0..shape.globals).map(|at| format!("g{at}")).collect();
    put(text, format_args!("decl u, v, {};\n", globals.join(", ")));
    put(text, format_args!("void main() begin\n  decl r;\n  u := v;\n  r := proc1(u);\nend\n"));
    let locals: Vec<String> = (0..shape.locals).map(|at| format!("l{at}")).collect();
    for at in 1..=procedures {
        put(text, format_args!("bool proc{at}(a) begin\n  decl {};\n", locals.join(", ")));
        block(&mut Code { at, procedures, shape, random: &mut random }, shape.depth, text);
        if at == procedures {
            put(text, format_args!("{question}"));
        } else {
            put(text, format_args!("  if (*) then l0 := proc{}(l1); else skip; fi\n", at + 1));
        }
        let result = expression(shape, at, &mut random);
        put(text, format_args!("  return {result};\nend\n"));
    }
}

/// Where code is written.
struct Code<'a> {
    at: u64,
    procedures: u64,
    shape: Shape,
    random: &'a mut Random,
}

/// A few statements; deeper ones are fewer. The recursion is at most [`DEPTH`] deep.
fn block(code: &mut Code<'_>, depth: u64, text: &mut String) {
    let indent = "  ".repeat(usize::try_from(DEPTH - depth.min(DEPTH) + 1).expect("a small number"));
    for _ in 0..1 + code.random.below(2 + depth) {
        let kind = code.random.below(if depth == 0 { 5 } else { 8 });
        match kind {
            0 | 1 => {
                let (target, value) =
                    (variable(code.shape, code.at, code.random), expression(code.shape, code.at, code.random));
                put(text, format_args!("{indent}{target} := {value};\n"));
            }
            2 => {
                let value = expression(code.shape, code.at, code.random);
                put(text, format_args!("{indent}u, v := {value}, {value};\n"));
            }
            3 => {
                let target = variable(code.shape, code.at, code.random);
                put(text, format_args!("{indent}if (*) then {target} := 1; else {target} := 0; fi\n"));
            }
            4 => {
                let (target, value) =
                    (variable(code.shape, code.at, code.random), expression(code.shape, code.at, code.random));
                let callee = callee(code);
                put(text, format_args!("{indent}if (*) then {target} := proc{callee}({value}); else skip; fi\n"));
            }
            5 | 6 => {
                let condition = if kind == 5 { expression(code.shape, code.at, code.random) } else { "*".to_owned() };
                put(text, format_args!("{indent}if ({condition}) then\n"));
                block(code, depth - 1, text);
                put(text, format_args!("{indent}else\n"));
                block(code, depth - 1, text);
                put(text, format_args!("{indent}fi\n"));
            }
            _ => {
                put(text, format_args!("{indent}while (*) do\n"));
                block(code, depth - 1, text);
                put(text, format_args!("{indent}od\n"));
            }
        }
    }
}

/// Mostly a neighbour, before or after or itself; sometimes any procedure.
fn callee(code: &mut Code<'_>) -> u64 {
    if code.random.below(4) == 0 {
        return 1 + code.random.below(code.procedures);
    }
    let near = (code.at + code.random.below(5)).saturating_sub(2);
    near.clamp(1, code.procedures)
}

/// A variable that a procedure uses: of the free globals each uses two, so that not everything meets everywhere.
fn variable(shape: Shape, at: u64, random: &mut Random) -> String {
    match random.below(shape.locals + 3) {
        0 => format!("g{}", at % shape.globals),
        1 => format!("g{}", (at + 1) % shape.globals),
        2 => "a".to_owned(),
        local => format!("l{}", local - 3),
    }
}

fn expression(shape: Shape, at: u64, random: &mut Random) -> String {
    let [x, y, z] = [(); 3].map(|()| variable(shape, at, random));
    match random.below(7) {
        0 => format!("!{x}"),
        1 => format!("{x} & {y}"),
        2 => format!("{x} | !{y}"),
        3 => format!("{x} ^ {y}"),
        4 => format!("({x} & {y}) | {z}"),
        5 => format!("({x} = {y}) & !{z}"),
        _ => format!("{x} & u"),
    }
}
