//! The words that options take, with their help.

use clap::ValueEnum;
use puch::nullness::Kind;
use puch::report::reported::Form;
use puch::report::text::Layout;

macro_rules! named_choices {
    ($($(#[$doc:meta])* $name:ident { $($(#[$value:meta])* $variant:ident),* $(,)? })*) => {
        $($(#[$doc])* #[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
        pub enum $name { $($(#[$value])* $variant),* })*
    };
}

named_choices! {
    /// `--input-format`
    InputFormat {
        /// A Boolean program
        Bp,
        /// Remopla, the language of Moped 2
        Rem,
        /// A symbolic pushdown system
        Spds,
        /// A symbolic pushdown system for Moped 1
        Pds,
        /// A pushdown system for PDAAAL, in JSON
        Pdaaal,
        /// C
        C,
    }
    /// `--data-model`
    DataModelName {
        /// int of 32 bits, long and pointers of 64
        Lp64,
        /// int, long and pointers of 32 bits
        Ilp32,
    }
    /// `--target`
    TargetName {
        /// 64 bits of x86
        #[value(name = "x86-64")]
        X86_64,
        /// 32 bits of x86
        I386,
        /// 32 bits of Arm
        Arm,
        /// 64 bits of Arm
        Aarch64,
        /// RISC-V
        #[value(name = "riscv")]
        RiscV,
    }
    /// `--malloc`
    MallocName {
        /// It may return NULL
        MayFail,
        /// It never does
        Succeeds,
    }
    /// `--abstraction`
    AbstractionName {
        /// Exactly while few predicates have to do with each other, else each by itself
        Auto,
        /// Each predicate by itself
        Cartesian,
        /// As a relation between all that have to do with each other
        Exact,
    }
    /// `--edges`
    EdgesName {
        /// Each statement
        Statement,
        /// Each path between cut points (heads of loops, entries, calls, returns, failures), no longer than can be said exactly
        Path,
        /// Each path between cut points, whatever it touches
        Loop,
    }
    /// `--smt`
    SmtName {
        /// z3, if it is installed
        Z3,
    }
    /// `--overflow`
    OverflowName {
        /// Modulo 2^bits, as compilers do with `-fwrapv`
        Wrap,
        /// No run goes past it
        Assume,
        /// An error of the program, as are division by zero, shifts out of range and invalid accesses
        Check,
    }
    /// `--dialect`
    DialectName {
        /// SLAM's reading, with a warning where others differ
        Auto,
        /// SLAM, Bebop, Moped
        Slam,
        /// SATABS
        Satabs,
        /// BoPP
        Bopp,
    }
    /// `--remopla`
    RemoplaName {
        /// Moped's reading, or the plain one where Moped does something else, with a warning at each such place
        Auto,
        /// Moped 2, also where it is not the plain one
        Moped,
        /// QLeak, which leaves a `do` none of whose conditions holds
        Qleak,
    }
    /// `--asserts`
    AssertsName { Check, Assume }
    /// `--bdd`
    EngineName {
        /// Puch's own, begun anew in another order of bits where relations of Booleans get large and there is a better one
        Auto,
        /// biodivine-lib-bdd, in which each relation is an array of its own: a second opinion
        Biodivine,
        /// Puch's own, in which all relations share their nodes
        #[value(alias = "oxidd")]
        Shared,
    }
    /// `--order`
    OrderName { Force, Declared, Apart, Together, GlobalsFirst, Sifted }
    /// `--runs`
    RunsName {
        /// Infinite runs, and those that terminate or fail and then rest for ever
        Maximal,
        /// Infinite runs only (Moped)
        Infinite,
        /// As `maximal`, and blocked runs repeat their last configuration (Spin)
        Stutter,
    }
    /// `--scc`
    SccName { Auto, Hull, Closure, Squaring, Lockstep }
    /// `--engine`
    SearchName { Auto, Post, Pre }
    /// `--live`
    LiveName {
        /// What was measured best: `influence`
        Auto,
        /// Nothing
        Off,
        /// Variables that are not read before they are assigned
        Plain,
        /// Besides, those whose values come to no condition
        Influence,
    }
    /// `--loops`
    LoopsName { Auto, Step, Square }
    /// `--blocks`
    OnOff { On, Off }
    /// `--format`
    FormatName {
        /// For human readers
        Text,
        /// In the form of Bebop: backward, one statement to a line
        Bebop,
        /// For scripts
        Json,
        /// A page to be explored in a browser: sources with coverage, runs as trees of calls
        Html,
        /// For code scanning: SARIF 2.1.0
        Sarif,
        /// For continuous integration: JUnit's XML
        Junit,
        /// Traces as a graph for Graphviz
        Dot,
        /// Traces as a picture
        Svg,
    }
    /// `--color`
    ColourName {
        /// On terminals, unless `NO_COLOR` or `CLICOLOR=0` is set; everywhere with `CLICOLOR_FORCE=1`
        Auto,
        /// Everywhere
        Always,
        /// Nowhere
        Never,
    }
    /// `--preserve` of `puch influence`
    PreserveName {
        /// Which places are reached
        Reach,
        /// Whether assertions can fail
        Assertions,
        /// Whether every run ends
        Termination,
        /// Formulas
        Ltl,
    }
    /// `--format` of most commands
    AnswerFormatName {
        /// For human readers
        Text,
        /// For scripts
        Json,
    }
    /// `--check`
    CheckedName {
        /// A pointer is NULL where it is used
        Null,
        /// With `--functions`: an index is none of its array, whose length its type says
        Bounds,
        /// With `--functions`: a divisor is 0
        Division,
        /// With `--functions`: a shift is negative, or too wide
        Shift,
        /// With `--functions`: signed arithmetic leaves its type
        Overflow,
        /// With `--functions`: an assertion fails, or an error is reached
        Assert,
        /// With `--functions`: an object is used that was freed
        UseAfterFree,
        /// With `--functions`: something is freed that was freed before
        DoubleFree,
        /// With `--functions`: a local is read that has no value
        Uninitialised,
    }
    /// `--format` of `puch null`
    NullFormatName {
        /// For human readers
        Text,
        /// For scripts
        Json,
        /// For code scanning: SARIF 2.1.0, an entry for each use
        Sarif,
        /// For continuous integration: JUnit's XML, a test case for each use
        Junit,
    }
    /// `--format` of `puch diff`
    DiffFormatName {
        /// For human readers
        Text,
        /// For scripts
        Json,
        /// For code scanning: SARIF 2.1.0, an entry for each finding and each obligation that is new
        Sarif,
        /// For continuous integration: JUnit's XML, a test case for each function that is not as it was
        Junit,
    }
    /// `--format` of `puch facts`
    FlowFormatName {
        /// For human readers
        Text,
        /// For scripts
        Json,
        /// Control flow, with what is known at each statement, as a graph for Graphviz
        Dot,
        /// The same as a picture
        Svg,
    }
    /// `--format` of `puch stack`
    StackFormatName {
        /// For human readers
        Text,
        /// For scripts
        Json,
        /// For code scanning: SARIF 2.1.0
        Sarif,
        /// A page with chains of calls, and who calls whom
        Html,
        /// Who calls whom as a graph for Graphviz, with the deepest chain of calls
        Dot,
        /// The same as a picture
        Svg,
    }
    /// `--format` of `puch buchi`
    BuchiFormatName {
        /// The Hanoi Omega-Automata format
        Hoa,
        /// A graph for Graphviz
        Dot,
        /// A picture
        Svg,
        /// The Hanoi format in an object, with what was told
        Json,
    }
    /// `--draw`
    DrawName {
        /// Control flow: statements, and the guards between them
        Flow,
        /// Which procedure calls which
        Calls,
    }
    /// `--format`
    SetFormatName {
        /// For human readers
        Text,
        /// For scripts, and for `--from @FILE` and `--to @FILE`
        Json,
        /// The automaton as a graph for Graphviz
        Dot,
        /// The automaton as a picture
        Svg,
        /// The automaton in PDAAAL's notation, if there is no data
        Pdaaal,
    }
    /// `--trace`
    TraceName { None, Any, Shortest }
    /// `--trace-calls`
    CallsName { Full, Folded }
    /// `--with`
    CheckerName {
        /// Relations as BDDs
        Bdd,
        /// A SAT solver
        Sat,
    }
    /// `--ltl-syntax`
    SyntaxName {
        /// Spot's reading, if Spin and NuSMV agree
        Auto,
        /// Spot
        Spot,
        /// Spin, in `ltl { }`
        Spin,
        /// Spin, after `-f`: all operators between two operands but `U` and `V` on one level
        SpinF,
        /// Moped 1
        Moped,
        /// NuSMV
        Nusmv,
        /// The prefix form of LBT
        Lbt,
        /// Wring: `p=1`, `p=0`, `*`, `+`
        Wring,
    }
    /// `--to`
    NotationName {
        /// A symbolic pushdown system as text
        Spds,
        /// The same for Moped 1
        Pds,
        /// A pushdown system without data for PDAAAL, in JSON
        Pdaaal,
        /// A graph for Graphviz: see `--draw`
        Dot,
        /// The same as a picture
        Svg,
        /// Which variables flow where, calls inlined, as a labelled transition system in Aldebaran's format (CADP, mCRL2)
        Aut,
        /// Which variables matter where, calls inlined, as a Boolean equation system for mCRL2
        Bes,
    }
}
impl FormatName {
    /// The form of reports that it is, if answers are all that is in it.
    pub fn form(self, layout: Layout) -> Option<Form> {
        match self {
            FormatName::Text => Some(Form::Text(layout)),
            FormatName::Json => Some(Form::Json),
            FormatName::Sarif => Some(Form::Sarif),
            FormatName::Junit => Some(Form::Junit),
            FormatName::Bebop | FormatName::Html | FormatName::Dot | FormatName::Svg => None,
        }
    }
}

impl CheckedName {
    /// How uses go wrong that are meant.
    pub fn meant(self) -> Kind {
        match self {
            CheckedName::Null => Kind::Null,
            CheckedName::Bounds => Kind::Bounds,
            CheckedName::Division => Kind::Division,
            CheckedName::Shift => Kind::Shift,
            CheckedName::Overflow => Kind::Overflow,
            CheckedName::Assert => Kind::Assert,
            CheckedName::UseAfterFree => Kind::UseAfterFree,
            CheckedName::DoubleFree => Kind::DoubleFree,
            CheckedName::Uninitialised => Kind::Uninitialised,
        }
    }
}
