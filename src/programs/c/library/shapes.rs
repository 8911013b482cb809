//! Where formats, texts and streams stand among the arguments of printf's and scanf's families (C11 §7.21.6).

use super::contracts::plain;

/// What stands where among the arguments of one of printf's family.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shape {
    /// The stream, if there is one.
    pub stream: Option<usize>,
    /// Where the text goes, if it goes there.
    pub buffer: Option<usize>,
    /// How many bytes it may take.
    pub size: Option<usize>,
    /// How many there are, as the compiler knows.
    pub checked: Option<usize>,
    /// The format; what it speaks of comes next.
    pub format: usize,
    /// Whether that is a list of arguments.
    pub list: bool,
}

impl Shape {
    /// Of the function of that name.
    pub fn named(name: &str) -> Option<Shape> {
        let is_checked = name.ends_with("_chk");
        let name = plain(name);
        let (list, name) = name.strip_prefix('v').map_or((false, name), |name| (true, name));
        let shape = match (name, is_checked) {
            ("printf", false) => Shape { format: 0, ..Shape::default() },
            ("printf", true) => Shape { format: 1, ..Shape::default() },
            ("fprintf", false) => Shape { stream: Some(0), format: 1, ..Shape::default() },
            ("fprintf", true) => Shape { stream: Some(0), format: 2, ..Shape::default() },
            ("sprintf", false) => Shape { buffer: Some(0), format: 1, ..Shape::default() },
            ("sprintf", true) => Shape { buffer: Some(0), checked: Some(2), format: 3, ..Shape::default() },
            ("snprintf", false) => Shape { buffer: Some(0), size: Some(1), format: 2, ..Shape::default() },
            ("snprintf", true) => {
                Shape { buffer: Some(0), size: Some(1), checked: Some(3), format: 4, ..Shape::default() }
            }
            _ => return None,
        };
        Some(Shape { list, ..shape })
    }
}

/// From where a function of scanf's family reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// Standard input.
    Input,
    /// The stream that is the first argument.
    Stream,
    /// The text that is the first argument.
    Text,
}

/// A function of scanf's family: from where it reads, and whether what is read goes where a list of arguments says. Its format comes behind
/// what it reads from.
pub fn scanning(name: &str) -> Option<(From, bool)> {
    let name = plain(name);
    let (list, name) = name.strip_prefix('v').map_or((false, name), |name| (true, name));
    let from = match name {
        "scanf" => From::Input,
        "fscanf" => From::Stream,
        "sscanf" => From::Text,
        _ => return None,
    };
    Some((from, list))
}
