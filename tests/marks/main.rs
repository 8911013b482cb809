//! Small programs and systems, each for one thing that can go wrong with runs, marks and products.
//!
//! The answers stand in the tests, one for each kind of run: `V`iolated or `H`olds under maximal, infinite and
//! stuttering runs. The oracle must say the same, and the search by every method.

extern crate puch_engine as puch;

mod accepting;
mod ask;
mod ends;
#[allow(dead_code, reason = "only some of it is needed here")]
#[path = "../ltl/lasso.rs"]
mod lasso;
mod letters;
#[path = "../oracle/mod.rs"]
mod oracle;
#[path = "../ltl/unfold.rs"]
mod unfold;
