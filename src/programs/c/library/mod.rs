//! Models of the C library: procedures in C of our own, one file for each header, that stand for those of the library where a program
//! calls them and does not define them.
//!
//! A model is a procedure at the margin of its file, from its head to the `}` below it. What a program needs of them, and what those need, is
//! read behind the files of the program, each by itself; their names are in a space of their own. They are written in C without a
//! preprocessor, and two names in them mean something else: `size_t`, and `__unspecified()`, which is any `int` that the library likes (C11
//! leaves it open: the value is none of the program's, and no violation may hang on it).
//!
//! A procedure `f` beside which there is one called `__f` has a value of which only the sign means something; `__f` returns -1, 0 or 1.

pub mod contracts;

pub mod shapes;

mod shown;

use std::collections::{BTreeSet, HashMap, HashSet};

use super::tokens::{TokenKind, tokens};

pub use shown::shown;

/// The models of a header.
struct Header {
    /// As files are called.
    name: &'static str,
    /// Those that programs may call.
    models: &'static str,
    /// What these are made of.
    parts: &'static str,
    /// All of them, in C; characters are written as numbers.
    text: &'static str,
}

/// The models, by header: those that programs may call, those that these are made of, and the text.
const TABLE: [Header; 5] = [
    Header {
        name: "<string.h>",
        models: "
        memchr memrchr rawmemchr memcmp bcmp strcmp strncmp strcasecmp strncasecmp memcpy mempcpy memmove bcopy
        memset bzero explicit_bzero memccpy strlen strnlen stpcpy strcpy stpncpy strncpy strcat strncat strchr
        strchrnul index strrchr rindex strstr strspn strcspn strpbrk strdup strndup strtok_r strtok strsep
        __memcpy_chk __memmove_chk __mempcpy_chk __memset_chk __strcpy_chk __stpcpy_chk __strncpy_chk
        __stpncpy_chk __strcat_chk __strncat_chk
        ",
        parts: "
        __undefined __overlap __apart __ordered __memcmp __strcmp __strncmp __strncasecmp __strcasecmp __begins __among
        ",
        text: include_str!("string.c"),
    },
    Header {
        name: "<ctype.h>",
        models: "
        isdigit isxdigit islower isupper isalpha isalnum isspace isblank iscntrl isprint isgraph ispunct isascii
        toascii tolower toupper __ctype_b_loc
        ",
        parts: "
        __true __character __ctype_b __isdigit __isxdigit __islower __isupper __isalpha __isalnum __isspace __isblank
        __iscntrl __isprint __isgraph __ispunct __isascii
        ",
        text: include_str!("ctype.c"),
    },
    Header {
        name: "<stdlib.h>",
        models: "
        strtol strtoll strtoul strtoull atoi atol atoll aligned_alloc memalign
        posix_memalign rand srand random srandom bsearch qsort atexit
        ",
        parts: "
        __digits __base __exchange __before __handlers
        ",
        text: include_str!("stdlib.c"),
    },
    Header {
        name: "<errno.h>",
        models: "",
        parts: "
        __errno_location
        ",
        text: include_str!("errno.c"),
    },
    Header {
        name: "<gcc>",
        models: "
        ffs ffsl ffsll ctzll ctz ctzl clzll clz clzl clrsbll clrsbl clrsb popcountll popcount popcountl parityll
        parity parityl bswap16 bswap32 bswap64
        ",
        parts: "
       
        ",
        text: include_str!("gcc.c"),
    },
];

/// In front of each model, in a line of its own.
const BEFORE: &str = "typedef __typeof__(sizeof 0) size_t;\n";

/// What stands for a procedure of the library.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its name.
    pub name: &'static str,
    /// The header that declares it, as files are called.
    pub header: &'static str,
    /// All models of that header.
    pub whole: &'static str,
    /// The model, with the line that it has there.
    pub text: String,
}

/// What the procedure of a model is called in the program.
pub fn procedure_name(header: &str, name: &str) -> String {
    format!("{header}:{name}")
}

/// The name of the library's procedure that a procedure of the program is a model of, if that is what it is; by what it is called.
pub fn modelled(procedure: &str) -> Option<&str> {
    let (header, name) = procedure.split_once(">:")?;
    TABLE.iter().any(|known| known.name.strip_suffix('>') == Some(header)).then_some(name)
}

/// Whether a procedure of the program is what models are made of, so that it is in no library itself; by what it is called.
pub fn is_part(procedure: &str) -> bool {
    let Some((header, name)) = procedure.split_once(">:") else { return false };
    let known = TABLE.iter().find(|known| known.name.strip_suffix('>') == Some(header));
    known.is_some_and(|known| known.parts.split_ascii_whitespace().any(|part| part == name))
}

/// Whether control comes to a procedure of the program where the library leaves undefined what it does; by what it is called.
pub fn is_undefined(procedure: &str) -> bool {
    modelled(procedure) == Some("__undefined")
}

/// Whether control comes to a procedure of the program where objects overlap that must not; by what it is called.
pub fn is_overlap(procedure: &str) -> bool {
    modelled(procedure) == Some("__overlap")
}

/// Whether a file is no file of the user's, but the models of a header.
pub fn is_header(file: &str) -> bool {
    TABLE.iter().any(|header| header.name == file)
}

/// The header in which there is a model of this name, whoever may call it, and its name there.
pub fn find(name: &str) -> Option<(&'static str, &'static str)> {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    TABLE.iter().find_map(|header| {
        let mut names = header.models.split_ascii_whitespace().chain(header.parts.split_ascii_whitespace());
        names.find(|one| *one == plain).map(|name| (header.name, name))
    })
}

/// Whether there is a model of a procedure that programs may call.
pub fn has_model(name: &str) -> bool {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    TABLE.iter().any(|header| header.models.split_ascii_whitespace().any(|one| one == plain))
}

/// The model of procedures that return where the number of the last error is, for who reads or writes it at once.
pub const LAST_ERROR: &str = "__errno_location";

/// The model of what lies where [`CLASSES_AT`] says: a number of bits for each character.
pub const CLASSES: &str = "__ctype_b";

/// The procedure that returns where that is.
pub const CLASSES_AT: &str = "__ctype_b_loc";

/// Whether the procedure of this name returns where the number of the last error is.
pub fn is_last_error(name: &str) -> bool {
    matches!(name, "__errno_location" | "___errno" | "__errno" | "_errno" | "__error" | "__h_errno_location")
}

/// The model that returns only the sign of what another one returns, where nothing else of it means something; and its header.
pub fn normal_form(name: &str) -> Option<(&'static str, &'static str)> {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    let part = format!("__{plain}");
    let all = |header: &Header| header.parts.split_ascii_whitespace().find(|one| **one == *part);
    TABLE.iter().find_map(|header| Some((header.name, all(header)?)))
}

/// The models of these names and those that they need: each before those that it needs.
pub fn needed<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<Model> {
    let mut wanted: Vec<&'static str> = Vec::new();
    for name in names {
        wanted.extend(find(name).map(|(_, name)| name));
        wanted.extend(normal_form(name).map(|(_, name)| name));
    }
    if wanted.is_empty() {
        return Vec::new();
    }
    let models: HashMap<&'static str, Model> = TABLE.iter().flat_map(pieces).map(|model| (model.name, model)).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let (mut done, mut list) = (HashSet::new(), Vec::new());
    let mut open: Vec<(&'static str, bool)> = wanted.into_iter().map(|name| (name, false)).collect();
    while let Some((name, left)) = open.pop() {
        let Some(model) = models.get(name) else { continue };
        if left {
            list.push(model.clone());
        } else if done.insert(name) {
            open.push((name, true));
            let words = tokens(&model.text).into_iter().filter(|token| token.kind == TokenKind::Name);
            let words: BTreeSet<String> = words.map(|token| model.text[token.range].to_owned()).collect();
            let needs = words.iter().filter_map(|word| Some((*models.get_key_value(word.as_str())?.0, false)));
            open.extend(needs.filter(|(need, _)| *need != name));
        }
    }
    list.reverse();
    list
}

/// The models in a text.
fn pieces(header: &Header) -> Vec<Model> {
    let (mut list, mut begun, mut at) = (Vec::new(), None, 0);
    for (number, line) in header.text.split_inclusive('\n').enumerate() {
        let head = line.split_once('(').map(|(before, _)| before);
        if let (true, Some(head)) = (begun.is_none() && line.starts_with(|c: char| c.is_ascii_alphabetic()), head) {
            let name = head.rsplit([' ', '*']).next().unwrap_or(head);
            begun = Some((name, number + 1, at));
        }
        at += line.len();
        if let (Some((name, line, from)), "}\n") = (begun, line) {
            let text = format!("{BEFORE}# {line} \"{}\"\n{}", header.name, &header.text[from..at]);
            list.push(Model { name, header: header.name, whole: header.text, text });
            begun = None;
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_comes_before_those_that_it_needs() {
        let names: Vec<&str> = needed(["__builtin_strcat"]).iter().map(|model| model.name).collect();
        assert_eq!(names.first(), Some(&"strcat"), "{names:?}");
        let at = |name: &str| names.iter().position(|one| *one == name);
        assert!(at("stpcpy") < at("__overlap") && at("strlen").is_some(), "{names:?}");
        assert!(needed(["printf"]).is_empty());
    }

    #[test]
    fn the_table_names_all_models() {
        for header in &TABLE {
            let mut listed: Vec<&str> = header.models.split_ascii_whitespace().collect();
            listed.extend(header.parts.split_ascii_whitespace());
            let mut written: Vec<&str> = pieces(header).iter().map(|model| model.name).collect();
            listed.sort_unstable();
            written.sort_unstable();
            assert_eq!(listed, written, "{}", header.name);
            assert!(is_header(header.name));
        }
        assert_eq!(modelled("<string.h>:strlen"), Some("strlen"));
        assert!(is_part("<string.h>:__among") && !is_part("<string.h>:__memcpy_chk") && !is_part("__among"));
        assert!(has_model("strlen") && has_model("__builtin_clz") && !has_model("__isdigit"));
    }
}
