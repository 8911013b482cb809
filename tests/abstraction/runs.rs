//! Every run of a program is one of its abstraction: what predicates are at a statement in some run they are there in the abstraction.

use fastrand::Rng;
use puch::abstraction::{Edges, Method, Predicate, Tuning, abstracted, read};
use puch::c::Program;
use puch::c::program::Overflow;
use puch::interpreter::{self, End, Inputs};

use super::{NARROW, may_fail, parsed, random_program};

const OF_F: [&str; 6] = ["r == a", "a < g", "g == h", "g == 0", "h < 2", "r < 2"];
const OF_MAIN: [&str; 7] = ["x == y", "x < g", "*p == h", "y == 0", "g == h", "g == 0", "h < 2"];

/// A random program that only fails where a line was put into it, and there if these are the values of some predicates.
struct Probed {
    lines: Vec<String>,
    at: usize,
    predicates: Vec<&'static str>,
    procedure: &'static str,
}

impl Probed {
    fn draw(rng: &mut Rng) -> Probed {
        let text = random_program(rng);
        let lines: Vec<String> = text.lines().filter(|line| !line.contains("assert")).map(str::to_owned).collect();
        let main = lines.iter().position(|line| line.starts_with("int main")).expect("it has one");
        let (procedure, all, from, to) = match rng.bool() {
            true => ("f", &OF_F[..], 3, main - 2),
            false => ("main", &OF_MAIN[..], main + 3, lines.len() - 2),
        };
        let mut predicates = rng.choose_multiple(all, 3);
        predicates.sort_unstable();
        let predicates = predicates.into_iter().copied().collect();
        Probed { at: rng.usize(from..=to), lines, predicates, procedure }
    }

    /// The program that fails where the predicates have these values.
    fn text(&self, values: usize) -> String {
        let literal = |(at, predicate): (usize, &&str)| match values >> at & 1 {
            1 => format!("({predicate})"),
            _ => format!("!({predicate})"),
        };
        let condition: Vec<String> = self.predicates.iter().enumerate().map(literal).collect();
        let mut lines = self.lines.clone();
        lines.insert(self.at, format!("  if ({}) assert(0);", condition.join(" && ")));
        lines.join("\n")
    }

    fn list(&self, rng: &mut Rng) -> String {
        let more = ["f: a == pre(a), result == pre(a)", "*: g == h\nf: g == pre(g)", "main: x < y", ""][rng.usize(..4)];
        format!("{}: {}\n{more}", self.procedure, self.predicates.join(", "))
    }
}

fn fails(program: &Program, overflow: Overflow) -> bool {
    (-8..8).any(|input: i128| {
        let options = interpreter::Options::of(overflow, 5_000);
        matches!(interpreter::execute(program, &options, Inputs::list([input]), &mut |_| {}).end, End::Failed(_))
    })
}

#[test]
fn what_predicates_are_in_a_run_they_are_in_the_abstraction() {
    let (mut met, mut excluded) = (0, 0);
    for seed in 0..24 {
        let mut rng = Rng::with_seed(seed);
        let probed = Probed::draw(&mut rng);
        let list = probed.list(&mut rng);
        let overflow = [Overflow::Wrap, Overflow::Assume][rng.usize(..2)];
        let method = [Method::Auto, Method::Cartesian][rng.usize(..2)];
        let edges = [Edges::Statement, Edges::Path, Edges::Loop][rng.usize(..3)];
        for values in 0..8 {
            let text = probed.text(values);
            let mut program = parsed(&text, NARROW);
            let predicates: Vec<Predicate> = read::read(&mut program, &list).expect("they are right");
            let tuning = Tuning { method, cubes: 2, edges, ..Tuning::default() };
            let result = abstracted(&program, &predicates, overflow, &tuning);
            let (is_met, may_be_met) = (fails(&program, overflow), may_fail(&result));
            assert!(
                !is_met || may_be_met,
                "seed {seed}, {method:?}, {edges:?}, {overflow:?}\n{list}\n{text}\n{}",
                result.text()
            );
            met += usize::from(is_met);
            excluded += usize::from(!may_be_met);
        }
    }
    assert!(met > 40 && excluded > 20, "{met} values are met, {excluded} are excluded: this says little");
}
