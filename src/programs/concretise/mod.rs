//! Path feasibility, from a trace of the Boolean program to a run of the C program: the statements of the trace are executed with inputs as variables
//! of bit-vectors, and one query finds values for them, or says which conditions of the trace cannot be together (Newton:
//! Ball and Rajamani, *Generating abstract explanations of spurious counterexamples in C programs*, MSR-TR-2002-09).
//!
//! What is found is only a proposal: the judge executes the program with it. So what is hard to say here may be refused.

mod lost;

mod symbolic;

mod follow;

mod along;

mod trace;

pub use along::{Along, TraceRelation, along};
pub use follow::{Ended, Extent, Followed, Further, Taken, follow};
pub use lost::Lost;
pub use trace::{Point, points, transitions, turned};
