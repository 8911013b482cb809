//! Pictures as they go to standard output.

use anyhow::bail;
use puch::picture::svg::{MAX_PART_NODES, NotDrawn};
use puch::picture::{Picture, dot, svg};

/// How a picture is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawn {
    /// For Graphviz.
    Dot,
    /// Laid out.
    Svg,
}

/// A picture as it is written; `title` says what it is of.
///
/// # Errors
/// If it is too large to be laid out.
pub fn drawn(picture: &Picture, how: Drawn, title: &str) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match how {
        Drawn::Dot => dot::write(&mut bytes, picture)?,
        Drawn::Svg => match svg::write(&mut bytes, picture, title) {
            Ok(()) => {}
            Err(NotDrawn::TooLarge(nodes)) => {
                bail!(
                    "{nodes} nodes hang together, more than the {MAX_PART_NODES} that one can look at: Graphviz draws them from `dot`"
                )
            }
            Err(NotDrawn::Io(error)) => return Err(error.into()),
        },
    }
    Ok(bytes)
}
