//! The pragmas of gcc 12.

use super::attributes::is_level;

/// What a pragma says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pragma {
    /// Nothing that matters for runs.
    Idle,
    /// How records are packed from there on.
    Pack(Pack),
    /// Something that is not represented: why.
    Refused(&'static str),
    /// Compilers do not know it: they ignore it.
    Unknown,
}

/// `#pragma pack(…)`: the greatest alignment of members, in bytes; 0 is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pack {
    /// This.
    Set(u64),
    /// What is valid is put on a stack, under a name; and this is valid then, if it is given.
    Push(Option<Box<str>>, Option<u64>),
    /// What was put on the stack is valid again: the last, or that of this name.
    Pop(Option<Box<str>>),
}

/// Those without meaning for runs, by their first word or, after `GCC`, `STDC`, their second.
const IDLE: &str =
    "once message push_macro pop_macro region endregion ident long_calls no_long_calls long_calls_off unused";
const GCC: &str = "
    diagnostic poison system_header dependency warning visibility ivdep unroll novector push_options pop_options reset_options target
    pch_preprocess java_exceptions push_macro pop_macro
";
const STDC: &str = "FP_CONTRACT FENV_ACCESS CX_LIMITED_RANGE FENV_ROUND";

/// What a pragma says, by its text without the word `pragma`.
pub fn pragma(text: &str) -> Pragma {
    let (word, rest) = first_word(text);
    let among = |list: &str, word: &str| list.split_ascii_whitespace().any(|one| one == word);
    match word {
        "pack" => pack(rest).map_or(Pragma::Refused("this is no form of `pack` that compilers know"), Pragma::Pack),
        "GCC" => {
            let (word, rest) = first_word(rest);
            match word {
                "optimize" => optimize(rest),
                "error" => Pragma::Refused("it is an error of its own"),
                _ if among(GCC, word) => Pragma::Idle,
                _ => Pragma::Unknown,
            }
        }
        "STDC" => match first_word(rest).0 {
            "FLOAT_CONST_DECIMAL64" => Pragma::Refused("decimal numbers are not supported"),
            word if among(STDC, word) => Pragma::Idle,
            _ => Pragma::Unknown,
        },
        "scalar_storage_order" => match first_word(rest).0 {
            "default" | "little" => Pragma::Idle,
            _ => Pragma::Refused("the bytes of numbers are in the order of the machine here"),
        },
        "ms_struct" => match first_word(rest).0 {
            "off" | "reset" => Pragma::Idle,
            _ => Pragma::Refused("structures are laid out as the System V ABI has it"),
        },
        "weak" => Pragma::Refused("say it with an attribute: `__attribute__((weak))`"),
        "redefine_extname" | "extern_prefix" => Pragma::Refused("names that mean others are not supported"),
        _ if among(IDLE, word) => Pragma::Idle,
        _ => Pragma::Unknown,
    }
}

fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
    text.split_at(end)
}

/// `GCC optimize ("O0")`
fn optimize(rest: &str) -> Pragma {
    let inside = rest.trim().trim_start_matches('(').trim_end_matches(')');
    if inside.split(',').all(is_level) {
        return Pragma::Idle;
    }
    Pragma::Refused("only levels of optimisation are known not to change what a program does")
}

/// What stands after `pack`.
fn pack(rest: &str) -> Option<Pack> {
    let inside = rest.trim().strip_prefix('(')?.strip_suffix(')')?.trim();
    if inside.is_empty() {
        return Some(Pack::Set(0));
    }
    let mut words = inside.split(',').map(str::trim);
    let first = words.next()?;
    if let Ok(alignment) = first.parse() {
        return (words.next().is_none() && is_alignment(alignment)).then_some(Pack::Set(alignment));
    }
    let (mut name, mut alignment) = (None, None);
    for word in words {
        match word.parse() {
            Ok(number) if alignment.is_none() && is_alignment(number) => alignment = Some(number),
            Err(_) if name.is_none() && first_word(word) == (word, "") => name = Some(word.into()),
            _ => return None,
        }
    }
    match (first, alignment) {
        ("push", alignment) => Some(Pack::Push(name, alignment)),
        ("pop", None) => Some(Pack::Pop(name)),
        _ => None,
    }
}

fn is_alignment(bytes: u64) -> bool {
    matches!(bytes, 0 | 1 | 2 | 4 | 8 | 16)
}

/// Which packing is valid where in a text: from a byte on this one, ascending. Linear.
#[derive(Debug, Default)]
pub struct Packing {
    stack: Vec<(Option<Box<str>>, u64)>,
    base: u64,
    /// From which byte on which alignment.
    changes: Vec<(usize, u64)>,
}

impl Packing {
    /// A pragma that stands at a byte. Whether it is obeyed: what was never put on the stack cannot be taken from it.
    pub fn obey(&mut self, at: usize, pack: &Pack) -> bool {
        let before = self.now();
        match pack {
            Pack::Set(alignment) => match self.stack.last_mut() {
                Some((_, top)) => *top = *alignment,
                None => self.base = *alignment,
            },
            Pack::Push(name, alignment) => self.stack.push((name.clone(), alignment.unwrap_or(before))),
            Pack::Pop(name) => {
                let named = self.stack.iter().rposition(|(other, _)| name.is_some() && other == name);
                match (name.is_some(), named) {
                    (true, Some(at)) => self.stack.truncate(at),
                    (true, None) => return false,
                    (false, _) if self.stack.pop().is_none() => return false,
                    (false, _) => {}
                }
            }
        }
        self.changes.push((at, self.now()));
        true
    }

    fn now(&self) -> u64 {
        self.stack.last().map_or(self.base, |(_, alignment)| *alignment)
    }

    /// The greatest alignment of members, in bytes, of a record that ends at a byte.
    pub fn at(&self, byte: usize) -> Option<u64> {
        let index = self.changes.partition_point(|(from, _)| *from <= byte).checked_sub(1)?;
        Some(self.changes[index].1).filter(|alignment| *alignment > 0)
    }

    /// The same, where bytes have other numbers.
    pub fn moved(mut self, to: impl Fn(usize) -> usize) -> Self {
        for (at, _) in &mut self.changes {
            *at = to(*at);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packing_is_valid_until_it_is_taken_back() {
        let mut packing = Packing::default();
        let said =
            ["pack(push, 1)", "pack(2)", "pack(push, a, 4)", "pack(push)", "pack(pop, a)", "pack(pop)", "pack()"];
        for (at, text) in (1..).map(|at| at * 10).zip(said) {
            let Pragma::Pack(pack) = pragma(text) else { panic!("{text}") };
            assert!(packing.obey(at, &pack), "{text}");
        }
        let valid = [5, 15, 25, 35, 45, 55, 65, 75].map(|byte| packing.at(byte));
        assert_eq!(valid, [None, Some(1), Some(2), Some(4), Some(4), Some(2), None, None]);
        assert!(!packing.obey(90, &Pack::Pop(None)));
        assert!(!packing.obey(90, &Pack::Pop(Some("b".into()))));
    }

    #[test]
    fn what_compilers_do_not_know_is_told_from_what_they_know() {
        for idle in ["once", "GCC diagnostic push", "STDC FP_CONTRACT ON", "GCC optimize (\"O2\")", "GCC optimize 3"] {
            assert_eq!(pragma(idle), Pragma::Idle, "{idle}");
        }
        for refused in ["pack(3)", "pack(pop, 1)", "pack 1", "weak f", "GCC optimize (\"trapv\")", "ms_struct on"] {
            assert!(matches!(pragma(refused), Pragma::Refused(_)), "{refused}");
        }
        for unknown in ["omp parallel", "clang loop unroll(full)", "GCC no_such_thing", "", "STDC SOMETHING"] {
            assert_eq!(pragma(unknown), Pragma::Unknown, "{unknown}");
        }
    }
}
