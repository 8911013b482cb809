//! How high the stack gets: answers, whatever the language, and who calls whom in them.
//!
//! The height of a configuration is the number of symbols on its stack; `@end`, which lies below a program, is none. In a program
//! that is the number of its frames, the entry's own included. The height of an entry is the greatest one over all prefixes of
//! runs, also of those that are blocked later; 1 where nothing is called.

mod calls;
mod chain;
mod heights;
mod judge;
mod nested;
mod parts;
mod shown;
pub mod systems;
mod weights;

pub use nested::nested;
pub use weights::{Sizes, procedure};

pub use crate::verdict::Why;
use num_bigint::BigUint;

use crate::replay::Replayed;
use crate::run::Input;

/// What is known of the stack of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Height {
    /// Where runs begin: a procedure, or a head of a pushdown system.
    pub entry: String,
    /// Whether there is a greatest height.
    pub verdict: Verdict,
    /// In frames.
    pub frames: Range,
    /// In bytes, where it is known how many a frame takes.
    pub bytes: Option<Range>,
    /// The same in terms of the entry's arguments.
    pub expression: Option<Expression>,
    /// How many bytes it may take, if that was asked.
    pub limit: Option<BigUint>,
    /// What shows it.
    pub witness: Option<Witness>,
    /// What the answer takes on trust, in sentences.
    pub assumed: Vec<String>,
    /// Why it is what it is, in sentences.
    pub explanation: Vec<String>,
}

/// Whether there is a greatest height.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There is one.
    Bounded,
    /// Some run goes on calling for ever, and what it calls does not return.
    Unbounded,
    /// That is not known.
    Unknown(Why),
}

impl Verdict {
    /// Its name, a promise to scripts.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Bounded => "bounded",
            Verdict::Unbounded => "unbounded",
            Verdict::Unknown(_) => "unknown",
        }
    }
}

/// Between what a number lies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// Some run is known to need so many.
    pub least: BigUint,
    /// No run needs more; none where nothing is known, or where there is no such number.
    pub most: Option<BigUint>,
}

impl Range {
    /// Exactly so many.
    pub fn exactly(number: BigUint) -> Range {
        Range { least: number.clone(), most: Some(number) }
    }

    /// At least one: a frame for the entry, and nothing else is known.
    pub fn open() -> Range {
        Range { least: BigUint::from(1u8), most: None }
    }

    /// Whether some run needs as many as any may.
    pub fn is_exact(&self) -> bool {
        self.most.as_ref() == Some(&self.least)
    }
}

/// Bounds in terms of the entry's arguments, in the syntax of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// Of the number of frames.
    pub frames: String,
    /// Of the bytes.
    pub bytes: Option<String>,
}

/// What shows a height: who calls whom, from the entry to the top of the stack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Witness {
    /// The frames from the bottom of the stack.
    pub chain: Vec<Section>,
    /// Where there is no bound: the frames that come next, again and again; the last of them calls the first one with the same
    /// values.
    pub pump: Vec<Section>,
    /// The inputs of the run that was executed, in the order in which it reads them.
    pub inputs: Vec<Input>,
    /// How far a judge has seen that this happens.
    pub judged: Judged,
}

/// Frames that follow one another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Of which procedures.
    pub links: Vec<Link>,
    /// How many frames: of a single procedure; of several, they follow one another in this order again and again, if they are in
    /// order, else in one that is not told. None if they were not counted.
    pub frames: Option<BigUint>,
    /// Whether they follow one another in the order of the links.
    pub in_order: bool,
}

/// A frame, and the call that made it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// The procedure; in a system without procedures the symbol with which it begins.
    pub procedure: String,
    /// Where it is called; none for the entry.
    pub call: Option<Spot>,
    /// The values at its entry as they matter, by name: in a section of several frames, those of its first one.
    pub values: Vec<(String, String)>,
    /// How many bytes it takes.
    pub bytes: Option<BigUint>,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The name of the file.
    pub file: String,
    /// Counted from 1.
    pub line: u32,
    /// Counted from 1, in characters.
    pub column: u32,
}

/// How far a judge, who knows nothing of the search, has seen that a chain of calls happens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Judged {
    /// Not at all.
    #[default]
    No,
    /// A run to the top of the stack was walked, or one that goes once round what is repeated.
    Run(Replayed),
    /// A run was walked that gets so deep.
    Partly(BigUint, Replayed),
}

/// Who calls whom.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// The procedures that some run enters.
    pub procedures: Vec<Callee>,
    /// The calls that some run makes, by the places of caller and callee in that list, in order, without repetition.
    pub calls: Vec<Called>,
}

/// A procedure in the call graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Callee {
    /// Its name.
    pub name: String,
    /// How many bytes a frame of it takes.
    pub bytes: Option<BigUint>,
    /// Whether some call of it may be made, by whatever way, in another call of it.
    pub recursive: bool,
    /// Whether the chain that is shown goes through it.
    pub deepest: bool,
}

/// A call in the call graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Called {
    /// Who calls.
    pub from: usize,
    /// Who is called.
    pub to: usize,
    /// Whether the chain that is shown makes this call.
    pub deepest: bool,
}

/// Whether a stack stays within the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It does, or there is none, and the height is bounded.
    Within,
    /// It does not: some run needs more.
    Beyond,
    /// That is not known.
    Unknown,
}

impl Height {
    /// Nothing known, and why.
    pub fn unknown(entry: String, why: Why) -> Height {
        Height {
            entry,
            verdict: Verdict::Unknown(why),
            frames: Range::open(),
            bytes: None,
            expression: None,
            limit: None,
            witness: None,
            assumed: Vec::new(),
            explanation: Vec::new(),
        }
    }

    /// Whether it stays within the limit.
    pub fn kept(&self) -> Kept {
        let beyond = |limit: &BigUint| self.bytes.as_ref().is_some_and(|bytes| bytes.least > *limit);
        match (&self.verdict, &self.limit) {
            (Verdict::Unbounded, _) => Kept::Beyond,
            (_, Some(limit)) if beyond(limit) => Kept::Beyond,
            (Verdict::Unknown(_), _) => Kept::Unknown,
            (Verdict::Bounded, None) => Kept::Within,
            (Verdict::Bounded, Some(limit)) => {
                let most = self.bytes.as_ref().and_then(|bytes| bytes.most.as_ref());
                if most.is_some_and(|most| most <= limit) { Kept::Within } else { Kept::Unknown }
            }
        }
    }
}
