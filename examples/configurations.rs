//! All configurations that can be reached, and a question about stacks: `cargo run --example configurations`.
//!
//! A recursive lock: `f` may call itself while the lock is held. Can `critical` be on top while another call of `f` below
//! it is waiting? And which stacks can get there?
//!
//! ```text
//! <run, f/critical .* f/after .*>: some can be reached
//! heads:
//!   main/0  2 values
//!   main/1  1 values
//!   f/entry  2 values
//!   f/critical  1 values
//!   f/after  1 values
//! starts that can reach it:
//!   main/0  when !held
//! ```

use puch::Options;
use puch::sets::{Direction, Question, start};
use puch::spds_format::automaton::End;
use puch::spds_format::conditions::Conditions;
use puch::spds_format::{self, parse_configurations};
use puch::systems::Session;

const SYSTEM: &str = "spds 1
global held: bool;
control run;
symbol main/0; symbol main/1; symbol f/entry; symbol f/critical; symbol f/after;
start <run, main/0>;
rule <run, main/0> -> <run, f/entry main/1>;
rule <run, f/entry> -> <run, f/critical> when !held { held' := true };
rule <run, f/critical> -> <run, f/entry f/after> { held' := false };
rule <run, f/critical> -> <run> { held' := false };
rule <run, f/after> -> <run> { held' := false };
";

fn main() {
    print!("{}", report());
}

/// What the program prints.
pub fn report() -> String {
    let session = Session::new(spds_format::parse(SYSTEM).expect("the system is one"), Options::default());
    let spds = session.system();
    let asked = "<run, f/critical .* f/after .*>";
    let set = parse_configurations(spds, asked).expect("the set is one");

    // Forwards from the start: does it meet the set, and what is there?
    let begin = start(spds);
    let question = Question { direction: Direction::Post, set: &begin, meets: std::slice::from_ref(&set), words: None };
    let reached = session.saturate(&question).answer.expect("no limit is set");
    let some = if reached.meets[0] { "some can be reached" } else { "none can be reached" };
    let mut text = format!("{asked}: {some}\nheads:\n");
    for head in &reached.heads {
        text += &format!("  {}  {} values\n", spds.symbol(head.symbol).name, head.values);
    }

    // Backwards from the set: with which values of the start?
    let question = Question { direction: Direction::Pre, set: &set, meets: &[], words: Some(50) };
    let leading = session.saturate(&question).answer.expect("no limit is set");
    let automaton = leading.automaton.expect("it was wanted");
    text += "starts that can reach it:\n";
    let conditions = Conditions::new(spds);
    for edge in automaton.edges.iter().filter(|edge| matches!(edge.from, End::Control(_))) {
        // The start has one symbol on its stack: an edge that reads it and accepts.
        if edge.symbol == Some(spds.start.stack[0]) && automaton.is_accepting(edge.to) {
            let name = &spds.symbol(spds.start.stack[0]).name;
            let when = edge.condition.as_ref().map_or_else(
                || "true".to_owned(),
                |condition| conditions.write(&automaton.scope(spds, edge), condition),
            );
            text += &format!("  {name}  when {when}\n");
        }
    }
    text
}
