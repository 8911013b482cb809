//! Names, small enough that a system can have millions.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// A name: a string that never changes, to be read like a `str`.
///
/// Of up to 22 bytes it lies in the place itself, like those of most of the many stack symbols; a longer one is shared by
/// its clones, because the same few names occur in many procedures.
#[derive(Clone)]
pub struct Name(Text);

#[derive(Clone)]
enum Text {
    /// The first bytes, so many.
    Short(u8, [u8; SHORT]),
    Long(Arc<str>),
}

const SHORT: usize = 22;

impl Name {
    /// `base/number` and something after it: symbols of procedures are called so, millions of them.
    pub fn numbered(base: &Name, number: usize, suffix: &str) -> Name {
        let digits = number.checked_ilog10().unwrap_or(0) as usize + 1;
        let length = base.len() + 1 + digits + suffix.len();
        match base.0 {
            Text::Short(at, mut bytes) if length <= SHORT => {
                let at = usize::from(at);
                bytes[at] = b'/';
                let mut rest = number;
                for digit in bytes[at + 1..][..digits].iter_mut().rev() {
                    *digit = b'0' + (rest % 10) as u8;
                    rest /= 10;
                }
                bytes[at + 1 + digits..][..suffix.len()].copy_from_slice(suffix.as_bytes());
                Name(Text::Short(length as u8, bytes))
            }
            _ => format!("{base}/{number}{suffix}").into(),
        }
    }

    /// The number of bytes of the text.
    pub fn len(&self) -> usize {
        self.as_bytes().len()
    }

    /// Whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.as_bytes().is_empty()
    }

    /// The bytes of the text, which need not be looked at.
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Text::Short(length, bytes) => &bytes[..usize::from(*length)],
            Text::Long(text) => text.as_bytes(),
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Text::Short(length, bytes) => {
                str::from_utf8(&bytes[..usize::from(*length)]).expect("it was made of a string")
            }
            Text::Long(text) => text,
        }
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Name {
        let mut bytes = [0; SHORT];
        match bytes.get_mut(..text.len()) {
            Some(start) => {
                start.copy_from_slice(text.as_bytes());
                Name(Text::Short(text.len() as u8, bytes))
            }
            None => Name(Text::Long(text.into())),
        }
    }
}

impl From<&String> for Name {
    fn from(text: &String) -> Name {
        text.as_str().into()
    }
}

impl From<String> for Name {
    fn from(text: String) -> Name {
        text.as_str().into()
    }
}

impl Default for Name {
    fn default() -> Name {
        "".into()
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        self
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        self
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Name) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Name {}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Name) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Name) -> Ordering {
        // As texts are compared.
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_name_is_its_text_whatever_its_length() {
        for text in ["", "f/0", "α", "twenty-two bytes, nine", "twenty-three bytes, nin", &"ä".repeat(1000)] {
            let name = Name::from(text);
            assert_eq!((&*name, name.to_string(), format!("{name:?}")), (text, text.to_owned(), format!("{text:?}")));
            assert_eq!((name.clone(), Name::from(text.to_owned())), (name.clone(), name.clone()));
            assert!(HashSet::from([name]).contains(text));
        }
        let [long, short] = ["a much longer name than the other one", "b"].map(Name::from);
        assert!(long < short && long != short);
    }

    #[test]
    fn numbered_names_are_what_formatting_gives() {
        for base in ["", "f", "seventeen letters", "more than twenty-two letters"] {
            for number in [0, 7, 10, 4095, usize::MAX] {
                for suffix in ["", "$"] {
                    assert_eq!(
                        Name::numbered(&Name::from(base), number, suffix),
                        format!("{base}/{number}{suffix}").as_str()
                    );
                }
            }
        }
    }

    #[test]
    fn long_names_are_shared_and_all_are_small() {
        let name = Name::from("a name that does not lie in its place");
        assert_eq!(name.as_ptr(), name.clone().as_ptr());
        assert!(size_of::<Option<Name>>() <= 24);
    }
}
