//! How to go about a check: choices that never change an answer, and limits.

use crate::limits::Limits;

/// Which BDD engine does the work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// `shared`; where relations of Booleans get large it starts over, in a much better order of bits if there is one (decided
    /// deterministically).
    #[default]
    Auto,
    /// biodivine-lib-bdd: a second opinion.
    Biodivine,
    /// Our own, in which all relations share their nodes.
    Shared,
}

/// How the bits of variables are ordered in relations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Locals, and globals that meet them, above other globals, in each group arrays below, arranged by FORCE so that variables
    /// that meet lie together. If an array has wide cells, arrays and what is stored in them lie below all else. Arrays of many narrow
    /// cells that a loop looks at lie cell by cell, unless a procedure that calls itself works on them.
    #[default]
    Force,
    /// Locals above globals, each group as declared.
    Declared,
    /// Locals above globals, variables arranged by FORCE, the bits of each of them together.
    Apart,
    /// As `Force`, but in arrays the bits of each cell together, cell by cell.
    Together,
    /// As `Force`, but globals above locals.
    GlobalsFirst,
    /// As `Force`, then changed by sifting until the relations of the rules are small. `Force` does so, too, where relations of
    /// Booleans have got large.
    Sifted,
}

/// Which trace is wanted for a property that is reachable or violated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TraceWish {
    /// None: only the verdict.
    None,
    /// Some real run.
    Any,
    /// One with the fewest steps when a call that returns counts as one.
    #[default]
    Shortest,
}

/// Which runs count for temporal properties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Runs {
    /// Infinite runs, and runs that terminate or fail, which then stutter for ever; blocked runs do not count.
    #[default]
    Maximal,
    /// Infinite runs only (Moped).
    Infinite,
    /// As `Maximal`, and blocked runs repeat their last configuration, with `@stuck` (SPIN).
    Stutter,
}

/// How accepting cycles are looked for in a component of the head graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scc {
    /// What was measured best.
    #[default]
    Auto,
    /// The hull: what can go round for ever, as a greatest fixpoint (Emerson & Lei, LICS 1986).
    Hull,
    /// The transitive closure from head to head (Esparza & Schwoon, CAV 2001, §3.3).
    Closure,
    /// Relations composed, inner loops first, and closed by iterated squaring: as many rounds as numbers have digits.
    Squaring,
    /// Components of values, by searches forwards and backwards at the same pace (Bloem, Gabow & Somenzi, FMCAD 2000).
    Lockstep,
}

/// How a search goes round loops that make no calls, and through procedures that call themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Loops {
    /// Step by step, and by squaring where that takes many rounds.
    #[default]
    Auto,
    /// Step by step.
    Step,
    /// By squaring the relation of the loop's body, where it does not get too large; what calls return with is guessed, and proved.
    Square,
}

/// Which way the configurations are searched (Esparza & Schwoon, CAV 2001, §2.2: both reductions).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Search {
    /// What was measured best.
    #[default]
    Auto,
    /// Forwards: what the start reaches (post*) meets the bad heads.
    Post,
    /// Backwards: the start is among what reaches a bad head (pre*). Traces are found forwards, once the verdict is known.
    Pre,
}

/// An optimisation, on unless switched off; never changes an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Switch {
    /// In use.
    #[default]
    On,
    /// Not in use.
    Off,
}

/// Which values are forgotten, at which statements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LiveRanges {
    /// What was measured best: [`LiveRanges::Influence`].
    #[default]
    Auto,
    /// None.
    Off,
    /// Those of variables that are not read before they are assigned (Bebop, §3.3).
    Plain,
    /// Besides, those that can come to no condition ([`crate::influence`]).
    Influence,
}

/// How to go about it.
#[derive(Clone, Debug)]
pub struct Options {
    /// The BDD engine.
    pub engine: Engine,
    /// The variable order.
    pub order: Order,
    /// The trace wanted.
    pub trace: TraceWish,
    /// Entry tags and summaries mention only globals that the callee reads or writes (MOD/REF).
    pub modref: Switch,
    /// Forget what does not matter any more (live ranges).
    pub live: LiveRanges,
    /// Keep sets only where control can come round or together (blocks).
    pub blocks: Switch,
    /// Do in procedures that are equal up to names what was done in one of them (memoisation).
    pub alike: Switch,
    /// Leave out control that cannot reach any query (slicing).
    pub slice: Switch,
    /// Which runs count for temporal properties.
    pub runs: Runs,
    /// How accepting cycles are looked for.
    pub scc: Scc,
    /// Which way configurations are searched.
    pub search: Search,
    /// Steps that change a variable which changes in one direction only lie on no cycle (lockstep).
    pub one_way: Switch,
    /// How loops without calls are gone round.
    pub loops: Loops,
    /// Treat automata that need no mark, or no cycle, by simpler means (terminal and weak ones).
    pub strength: Switch,
    /// Time and memory.
    pub limits: Limits,
    /// Work (see [`crate::bdd::Space::spent`]) after which a question is given up; `None` is never.
    pub work: Option<u64>,
    /// Work after which, and beside more of which, a search looks at some runs for what would decide the question. 0: it does so
    /// first, at few runs.
    pub look_after: u64,
    /// A trace with more items than this is left out as a whole.
    pub trace_steps: u64,
    /// A search for a trace that has not come to its end after so many rounds takes all turns of a squared loop at once.
    pub leap_after: u64,
    /// Leaps of more steps in total than this are not walked by the judge.
    pub replay_steps: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            engine: Engine::default(),
            order: Order::default(),
            trace: TraceWish::default(),
            modref: Switch::On,
            live: LiveRanges::default(),
            blocks: Switch::On,
            alike: Switch::On,
            slice: Switch::On,
            runs: Runs::default(),
            scc: Scc::default(),
            search: Search::default(),
            one_way: Switch::On,
            loops: Loops::default(),
            strength: Switch::On,
            limits: Limits::default(),
            work: None,
            look_after: 1 << 17,
            trace_steps: 1_000_000,
            leap_after: 10_000,
            replay_steps: 10_000_000,
        }
    }
}
