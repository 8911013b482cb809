//! Commands as they are typed, and their help.

use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue};
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand, ValueHint};

use super::args::{
    AbstractArgs, BatchArgs, BuchiArgs, CertifyArgs, CheckArgs, ConvertArgs, DiffArgs, FactsArgs, Given, InfluenceArgs,
    NullArgs, PostArgs, PreArgs, PropertyTyped, ReplayArgs, RunArgs, SimulateArgs, StackArgs,
};
use super::choices::ColourName;
use super::colour;

/// A model checker for programs with recursion: C, Boolean programs, Remopla, symbolic pushdown systems.
#[derive(Parser, Debug)]
#[command(
    name = "puch",
    version,
    max_term_width = 110,
    after_help = "Exit codes: 0 all hold or unreachable; 1 something violated or reachable; 2 the input or the call is \
                  wrong; 3 something unknown and nothing violated."
)]
struct Puch {
    #[command(subcommand)]
    command: Command,
    /// Whether diagnostics and verdicts are coloured
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "Output",
        hide_short_help = true
    )]
    color: ColourName,
}

/// What was typed.
#[derive(Subcommand, Debug)]
#[command(defer = true)]
pub enum Command {
    /// Check properties of a program
    ///
    /// Answers come in the order of the properties on the command line, each with a trace if something was found.
    /// Without a property, the assertions are checked.
    Check(Box<CheckArgs>),
    /// Check many programs, each by a process of its own
    ///
    /// The table has the tasks in their order. Exit codes are those of `puch check`, of the worst answer: 2, else 1, else 3, else
    /// 0; an answer that the tasks expect counts as 0.
    Batch(BatchArgs),
    /// Tell with which values each statement is reached, and which statements never are
    ///
    /// Values are told by a formula over the variables in scope: what is constant, what is equal, and what else there is
    /// to say. It holds of exactly the values with which some run comes to the statement.
    ///
    /// Of a C program without `--predicates`: what holds at heads of loops, entries and returns whatever a run does, guessed from runs and
    /// proved by induction; over the integers, so nothing wraps around in it. `pre(x)` is what x was at the entry, `result` what is
    /// returned, k any index of an array. Exit code 3: some kinds of candidates took too much.
    Facts(FactsArgs),
    /// Tell which variables matter at each statement, and why
    ///
    /// A variable matters at a place if its value there can flow into a condition, through assignments, arguments and what
    /// calls return to this very caller. All others may have any value there, and no answer changes.
    Influence(Box<InfluenceArgs>),
    /// Tell all configurations that can be reached: control, values, and the whole stack
    ///
    /// The set is exact, and usually infinite: it is told as an automaton that reads stacks from the top. Questions about it
    /// are answered in its place. Exit codes: 0 everything is known and every answer is yes; 1 some answer is no; 3 something
    /// is unknown, because a limit was met.
    Post(PostArgs),
    /// Tell all configurations from which a set of configurations can be reached
    ///
    /// The set is exact, and usually infinite: it is told as an automaton that reads stacks from the top. Questions about it
    /// are answered in its place. Exit codes: 0 everything is known and every answer is yes; 1 some answer is no; 3 something
    /// is unknown, because a limit was met.
    Pre(PreArgs),
    /// Write the same system in another notation
    Convert(ConvertArgs),
    /// Write the Büchi automaton of a formula in the Hanoi Omega-Automata format
    ///
    /// Marks are on edges, one kind of them, unless `--ba` or `--tgba` says otherwise.
    Buchi(BuchiArgs),
    /// Walk a recorded trace through the program, without the search, and say whether it is real
    Replay(ReplayArgs),
    /// Check a certificate, without the search, and say whether it proves its verdict
    ///
    /// Each rule of the program is asked once whether what it leads to is in the sets of the certificate. Exit codes: 0 all that
    /// is claimed is proved; 1 something is not: what the sets lack is shown; 2 the certificate is malformed, or about
    /// another text; 3 a limit was met.
    Certify(CertifyArgs),
    /// Execute a C program with given or drawn inputs, and show the run
    ///
    /// Values are those of the machine: widths, signs, conversions as C11 has them, objects as bytes. Exit codes: 0 the run
    /// ends, or an assumption blocks it; 1 an assertion fails, or something undefined was to be reported; 3 it cannot be told
    /// how the run goes on.
    Run(RunArgs),
    /// Make a run by hand: choose among the steps, set values, go back, run to a place, print the run
    ///
    /// Commands are read from standard input, one to a line; its end ends it, and `help` lists them. A value `?` is open: nothing
    /// has depended on it so far. Of C programs the inputs are chosen, unless there are `--predicates`.
    Simulate(Box<SimulateArgs>),
    /// Serve editors: diagnostics while one types, what is known at a statement, definitions, outlines, completion
    ///
    /// Speaks the Language Server Protocol on standard input and output, about `.bp`, `.nbp`, `.rem`, `.spds`, `.pds` and, as
    /// far as they need no preprocessor, `.c` and `.i` (diagnostics only). What is known at a statement is found out while the
    /// pointer rests on it, within fixed limits. Exit codes: 0 after `shutdown` and `exit`; 1 the client went away without; 2 what
    /// comes is not the protocol.
    Lsp {
        /// Use standard input and output, as always: some editors say so
        #[arg(long, hide_short_help = true)]
        stdio: bool,
    },
    /// Write the Boolean program that a C program is over given predicates
    ///
    /// It has every run of the C program, and more: what cannot happen in it cannot happen in C. Each predicate is a variable,
    /// called by its text in braces; statements of C are comments. Exit code 3: a limit was met, and it has more runs than it
    /// would have had.
    Abstract(AbstractArgs),
    /// Say of each place of a C program where a pointer is followed whether it can be NULL there
    ///
    /// Exit codes: 0 none can be, 1 some can: a run shows it, 3 of some it is not known.
    Null(NullArgs),
    /// Tell how high the stack gets, in frames and in bytes
    ///
    /// Over all prefixes of runs, the frame of the entry included. Exit codes: 0 there is a bound for each entry, within the
    /// limit; 1 some stack grows without bound, or beyond the limit; 3 of some it is not known.
    Stack(Box<StackArgs>),
    /// Say what goes wrong in a new version of C files that did not in an old one
    ///
    /// Functions are looked at by themselves, as by `puch check --functions`, but only those that are not the same in both versions, with all that
    /// they lead to, wherever it stands. Of these it is told what is new: what fails, what is not known, what callers have to establish. Exit codes: 0
    /// nothing fails that did not, 1 something does, 3 of something it is not known, and it was.
    Diff(Box<DiffArgs>),
    /// List the names of places in programs, for completion scripts
    #[command(hide = true)]
    Places {
        /// Words of a command line, some of which are the names of programs
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<PathBuf>,
    },
    /// Write a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the manual page of puch, or of one of its commands
    Man {
        /// The command
        command: Option<String>,
        /// Write all pages into this directory: `puch.1`, `puch-check.1` and so on
        #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "command")]
        all: Option<PathBuf>,
    },
}

/// What was typed.
///
/// # Errors
/// What is wrong with the command line; or, in the same form, the help or the version that was asked for.
pub fn typed() -> Result<Command, clap::Error> {
    let mut grammar = command();
    let mut matches = grammar.try_get_matches_from_mut(std::env::args_os())?;
    let asked = matches.subcommand_matches("check").map(properties);
    let Puch { mut command, color } =
        Puch::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut grammar))?;
    colour::choose(color);
    // Once a process: taking both apart would cost a tenth of what reading the command line does.
    std::mem::forget((grammar, matches));
    if let (Command::Check(args), Some(asked)) = (&mut command, asked) {
        args.properties = asked;
    }
    Ok(command)
}

/// What somebody who has typed the name of a file where a command is expected may have meant.
pub fn advice(told: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(word)) = told.get(ContextKind::InvalidSubcommand) else { return None };
    let ending = Path::new(word).extension()?.to_str()?;
    let known = ["bp", "nbp", "rem", "spds", "pds", "json", "c", "i"].contains(&ending);
    known.then(|| format!("  tip: to check the program in that file say `puch check {word}`"))
}

/// The command line as clap knows it.
pub fn command() -> clap::Command {
    Puch::command()
}

/// The properties in the order in which they were typed, across different options.
fn properties(matches: &ArgMatches) -> Vec<PropertyTyped> {
    fn valued<T: Clone + Send + Sync + 'static>(
        matches: &ArgMatches,
        option: &str,
        property: impl Fn(T) -> PropertyTyped,
    ) -> Vec<(usize, PropertyTyped)> {
        let indices = matches.indices_of(option).into_iter().flatten();
        let values = matches.get_many::<T>(option).into_iter().flatten();
        indices.zip(values.cloned().map(property)).collect()
    }
    let mut ordered = valued(matches, "reach", PropertyTyped::Reach);
    ordered.extend(valued(matches, "ltl", |given| PropertyTyped::Temporal(Given::Formula(given))));
    ordered.extend(valued(matches, "automaton", |given| PropertyTyped::Temporal(Given::Automaton(given))));
    ordered.extend(valued(matches, "never", |given| PropertyTyped::Temporal(Given::Never(given))));
    ordered.extend(valued(matches, "property", PropertyTyped::File));
    ordered.extend(valued(matches, "check", PropertyTyped::Failures));
    for (flag, property) in [("assertions", PropertyTyped::Assertions), ("termination", PropertyTyped::Termination)] {
        // A flag has an index even where it was not typed: its default.
        if matches.get_flag(flag)
            && let Some(index) = matches.index_of(flag)
        {
            ordered.push((index, property));
        }
    }
    ordered.sort_by_key(|(index, _)| *index);
    ordered.into_iter().map(|(_, property)| property).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn clap_finds_no_fault_with_the_command_line() {
        super::command().debug_assert();
    }
}
