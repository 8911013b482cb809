//! What the readers of all languages share. For the crates of this project: it may change with every version.
//!
//! A text is read in three steps. [`tokens`] cuts it into tokens, one at a time, by the language's tables of signs and words.
//! Its statements are grammars in nom over these tokens ([`grammar`]): nom puts the parts of a statement in their order, and
//! stops at the first that is missing. Two things nom does not do, because it would recurse or stop: expressions, which
//! may be nested as deeply as one likes, are read by one machine with a stack of its own ([`precedence`]), as are nested blocks, by
//! each language; and after a mistake each language says where reading goes on, so that [`complaints`] are many at once. For
//! names that mean nothing, [`near`] says what may have been meant. For editors, [`outline`] has the names of a text that may be
//! wrong.

pub mod near;

pub mod complaints;

pub mod tokens;

pub mod precedence;

pub mod constants;

pub mod grammar;

pub mod outline;
