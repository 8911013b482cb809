//! What a program finds around itself: its arguments, the streams that are there from the beginning.

/// What a program finds around itself.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The strings that `main` gets, its own name first; any if nothing is said of them.
    pub arguments: Option<Vec<Vec<u8>>>,
    /// What it reads from standard input; nothing is known of that if nothing is said.
    pub input: Option<Vec<u8>>,
}

/// Standard input that is known.
#[derive(Clone, Debug)]
pub(super) struct Input {
    pub bytes: Vec<u8>,
    pub at: usize,
    /// What was put back.
    pub pushed: Vec<u8>,
    /// Whether its end was met.
    pub ended: bool,
}

impl Input {
    /// These bytes.
    pub fn of(bytes: Vec<u8>) -> Input {
        Input { bytes, at: 0, pushed: Vec::new(), ended: false }
    }

    /// The next byte, or none at the end.
    pub fn next(&mut self) -> Option<u8> {
        if let Some(byte) = self.pushed.pop() {
            return Some(byte);
        }
        let byte = self.bytes.get(self.at).copied();
        self.at += usize::from(byte.is_some());
        self.ended |= byte.is_none();
        byte
    }
}

/// A stream of the library's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standard {
    In,
    Out,
    Error,
}
