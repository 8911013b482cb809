//! Few procedures with much code, many variables, deep nesting.

use super::put;
use super::random::Random;

/// How many groups of four variables are global; two more are local. Twenty variables in all.
const GLOBAL_GROUPS: u64 = 3;

/// All groups, the global ones first.
const GROUPS: u64 = 5;

/// Steps are taken in blocks of this many and then undone in reverse.
const BLOCK: usize = 50;

/// Straight-line code in four procedures of about a quarter of the statements each.
///
/// A step changes one variable of a group by `x := x ^ e` or `x := !(x ^ e)`, `e` over the group without `x`: done twice
/// it cancels out. Blocks of steps are followed by the same steps in reverse order, so each block does nothing; the
/// groups start with their first two variables equal and must end so. (A local group that does not would break a
/// global one.) So `R`, where a global group has them different, is unreachable. To see it takes the relation of each
/// group through its block; groups never meet.
pub(super) fn straight(sizes: &[u64], text: &mut String) {
    procedures(sizes[0], "(g0 ^ g1) | (g4 ^ g5) | (g8 ^ g9)", Shape::Straight, text);
}

/// As [`straight`], with steps inside branches, loops and jumps.
///
/// A branch tests a variable that its steps do not change, so it too cancels out when done twice; what a free choice
/// decides is done twice on the spot, and so does nothing either way. Nothing blocks and every loop may end: `R`, under
/// `g0 & g1`, is reachable.
pub(super) fn branching(sizes: &[u64], text: &mut String) {
    procedures(sizes[0], "g0 & g1", Shape::Branching, text);
}

/// What the code looks like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Straight,
    Branching,
}

fn procedures(statements: u64, question: &str, shape: Shape, text: &mut String) {
    let globals: Vec<String> = (0..4 * GLOBAL_GROUPS).map(|at| format!("g{at}")).collect();
    put(text, format_args!("decl {};\n", globals.join(", ")));
    put(text, format_args!("void main() begin\n"));
    for group in 0..GLOBAL_GROUPS {
        put(text, format_args!("  g{} := g{};\n", 4 * group + 1, 4 * group));
    }
    put(text, format_args!("  part1();\n  part2();\n  part3();\n  part4();\n"));
    put(text, format_args!("  if ({question}) then R: skip; else skip; fi\nend\n"));
    let locals: Vec<String> = (4 * GLOBAL_GROUPS..4 * GROUPS).map(|at| format!("l{at}")).collect();
    let mut random = Random::new(statements);
    for part in 1..=4 {
        put(text, format_args!("void part{part}() begin\n  decl {};\n", locals.join(", ")));
        for group in GLOBAL_GROUPS..GROUPS {
            put(text, format_args!("  l{} := l{};\n", 4 * group + 1, 4 * group));
        }
        let (mut written, wanted) = (0, statements.div_ceil(4));
        while written < wanted {
            let steps: Vec<Step> = (0..BLOCK).map(|_| Step::random(shape, &mut random)).collect();
            for step in steps.iter().chain(steps.iter().rev()) {
                written += step.write(written, text);
            }
        }
        for group in GLOBAL_GROUPS..GROUPS {
            put(text, format_args!("  if (l{} ^ l{}) then g0 := !g1; else skip; fi\n", 4 * group, 4 * group + 1));
        }
        put(text, format_args!("end\n"));
    }
}

/// Something to do, which done twice does nothing.
enum Step {
    Assign(String),
    /// One assignment or the other, by a variable that neither changes.
    Test {
        condition: String,
        then: String,
        otherwise: String,
    },
    /// An assignment twice, or not at all.
    Choice(String),
    /// An assignment twice, any number of times.
    Loop(String),
    /// A free choice between jumping and an assignment done twice.
    Jump(String),
}

impl Step {
    fn random(shape: Shape, random: &mut Random) -> Step {
        let group = random.below(GROUPS);
        let [w, x, y, z] = random.shuffled([0, 1, 2, 3]).map(|at| variable(group, at));
        let assign = assignment(&x, &y, &z, random);
        if shape == Shape::Straight {
            return Step::Assign(assign);
        }
        match random.below(8) {
            0..=3 => Step::Assign(assign),
            4 => {
                let otherwise = assignment(&y, &z, &x, random);
                Step::Test { condition: w, then: assign, otherwise }
            }
            5 => Step::Choice(assign),
            6 => Step::Loop(assign),
            _ => Step::Jump(assign),
        }
    }

    /// Writes the step; how many statements it is. `label` makes labels different.
    fn write(&self, label: u64, text: &mut String) -> u64 {
        match self {
            Step::Assign(assign) => {
                put(text, format_args!("  {assign}\n"));
                1
            }
            Step::Test { condition, then, otherwise } => {
                put(text, format_args!("  if ({condition}) then {then} else {otherwise} fi\n"));
                3
            }
            Step::Choice(assign) => {
                put(text, format_args!("  if (*) then {assign} {assign} else skip; fi\n"));
                4
            }
            Step::Loop(assign) => {
                put(text, format_args!("  while (*) do {assign} {assign} od\n"));
                3
            }
            Step::Jump(assign) => {
                put(
                    text,
                    format_args!(
                        "  if (*) then goto on{label}; else skip; fi\n  {assign} {assign}\n  on{label}: skip;\n"
                    ),
                );
                6
            }
        }
    }
}

/// `x` changed by a function of `y` and `z` in a way that done twice cancels out.
fn assignment(x: &str, y: &str, z: &str, random: &mut Random) -> String {
    match random.below(5) {
        0 => format!("{x} := !{x};"),
        1 => format!("{x} := {x} ^ {y};"),
        2 => format!("{x} := {x} ^ ({y} & {z});"),
        3 => format!("{x} := {x} ^ ({y} | !{z});"),
        _ => format!("{x} := !({x} ^ {y} ^ {z});"),
    }
}

fn variable(group: u64, at: u64) -> String {
    let letter = if group < GLOBAL_GROUPS { 'g' } else { 'l' };
    format!("{letter}{}", 4 * group + at)
}

/// Many variables, few of which matter at a time.
///
/// Globals come in pairs that start equal (an odd one at the end is idle); each procedure negates both of a pair or
/// none, as its two equal parameters say. So at the end all pairs are equal, and `R` is unreachable.
///
/// Between, the first parameter goes through pairs of locals with the same free value, which cancel out: first each even
/// local with its neighbour, then each with its mirror image. At any time two parameters and one pair are live; who keeps
/// dead locals related needs, in the order of declaration, room exponential in their number.
pub(super) fn wide(sizes: &[u64], text: &mut String) {
    let [globals, locals, procedures] = [sizes[0], sizes[1], sizes[2]];
    let pairs = globals / 2;
    put(text, format_args!("decl {};\n", numbered("g", globals)));
    put(text, format_args!("void main() begin\n"));
    for pair in 0..pairs {
        put(text, format_args!("  g{} := g{};\n", 2 * pair + 1, 2 * pair));
    }
    for at in 0..procedures {
        put(text, format_args!("  if (*) then move{at}(1, 1); else move{at}(0, 0); fi\n"));
    }
    for pair in 0..pairs {
        put(text, format_args!("  if (g{} ^ g{}) then goto R; else skip; fi\n", 2 * pair, 2 * pair + 1));
    }
    put(text, format_args!("  return;\n  R: skip;\nend\n"));
    for at in 0..procedures {
        put(text, format_args!("void move{at}(a, b) begin\n  decl {};\n", numbered("l", locals)));
        let neighbours = (0..locals / 2).map(|local| (2 * local, 2 * local + 1));
        let mirrored = (0..locals / 2).map(|local| (local, locals - 1 - local));
        for (x, y) in neighbours.chain(mirrored) {
            put(
                text,
                format_args!(
                    "  if (*) then l{x}, l{y} := 1, 1; else l{x}, l{y} := 0, 0; fi\n  a := a ^ l{x} ^ l{y};\n"
                ),
            );
        }
        let (x, y) = (at % pairs * 2, at % pairs * 2 + 1);
        put(text, format_args!("  g{x}, g{y} := a ^ g{x}, b ^ g{y};\nend\n"));
    }
}

/// A list of names with numbers.
fn numbered(letter: &str, count: u64) -> String {
    let names: Vec<String> = (0..count).map(|at| format!("{letter}{at}")).collect();
    names.join(", ")
}

/// Depth, for readers that recurse: branches and loops inside each other, in the innermost an expression in as many
/// parentheses and negations.
///
/// Each test can be passed and the expression is `g`, negated an even number of times: `R` is reachable from `g = 1`.
pub(super) fn nested(sizes: &[u64], text: &mut String) {
    let depth = usize::try_from(sizes[0]).expect("a program of this depth would not fit into memory");
    put(text, format_args!("decl g;\nvoid main() begin\n"));
    for level in 0..depth {
        put(text, format_args!("{}\n", if level % 2 == 0 { "if (g) then" } else { "while (*) do" }));
    }
    put(text, format_args!("if ({}g{}) then R: skip; else skip; fi\n", "!(!(".repeat(depth), "))".repeat(depth)));
    for level in (0..depth).rev() {
        put(text, format_args!("{}\n", if level % 2 == 0 { "else skip; fi" } else { "od" }));
    }
    put(text, format_args!("end\n"));
}
