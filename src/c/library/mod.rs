//! Models of the C library: procedures in C of our own, one file for each header, that stand for those of the library where a program
//! calls them and does not define them.
//!
//! A model is a procedure at the margin of its file, from its head to the `}` below it. What a program needs of them, and what those need, is
//! read behind the files of the program, each by itself; their names are in a space of their own. They are written in C without a
//! preprocessor, and two names in them mean something else: `size_t`, and `__unspecified()`, which is any `int` that the library likes (C11
//! leaves it open: the value is none of the program's, and no violation may hang on it).
//!
//! A procedure `f` beside which there is one called `__f` has a value of which only the sign means something; `__f` returns -1, 0 or 1.

mod shown;

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::tokens::{TokenKind, tokens};

pub use shown::shown;

/// The texts, by header; characters are written as numbers in them, and the parts of a text that is `static` belong to all.
const TEXTS: [(&str, &str); 4] = [
    ("<string.h>", include_str!("string.c")),
    ("<ctype.h>", include_str!("ctype.c")),
    ("<stdlib.h>", include_str!("stdlib.c")),
    ("<gcc>", include_str!("gcc.c")),
];

/// In front of each model, in a line of its own.
const BEFORE: &str = "typedef __typeof__(sizeof 0) size_t;\n";

/// What stands for a procedure of the library.
#[derive(Debug)]
pub struct Model {
    /// Its name.
    pub name: &'static str,
    /// The header that declares it, as files are called.
    pub header: &'static str,
    /// All models of that header.
    pub whole: &'static str,
    /// The model, with the line that it has there.
    pub text: String,
    /// Names in it that are models, too.
    needs: Vec<&'static str>,
}

/// What the procedure of a model is called in the program.
pub fn procedure_name(model: &Model) -> String {
    format!("{}:{}", model.header, model.name)
}

/// The name of the library's procedure that a procedure of the program is a model of, if that is what it is; by what it is called.
pub fn modelled(procedure: &str) -> Option<&str> {
    let (header, name) = procedure.split_once(">:")?;
    let known = TEXTS.iter().any(|(known, _)| known.strip_suffix('>') == Some(header));
    known.then_some(name)
}

/// Whether a file is no file of the user's, but the models of a header.
pub fn is_header(file: &str) -> bool {
    TEXTS.iter().any(|(header, _)| *header == file)
}

/// All models.
static MODELS: LazyLock<HashMap<&'static str, Model>> = LazyLock::new(|| {
    let all = TEXTS.iter().flat_map(|(header, whole)| pieces(header, whole));
    let mut models: HashMap<&'static str, Model> = all.map(|model| (model.name, model)).collect();
    let names: HashSet<&'static str> = models.keys().copied().collect();
    for model in models.values_mut() {
        let words = tokens(&model.text).into_iter().filter(|token| token.kind == TokenKind::Name);
        let words: HashSet<String> = words.map(|token| model.text[token.range].to_owned()).collect();
        model.needs = names.iter().copied().filter(|name| *name != model.name && words.contains(*name)).collect();
        model.needs.sort_unstable();
    }
    models
});

/// The models in a text.
fn pieces(header: &'static str, whole: &'static str) -> Vec<Model> {
    let (mut list, mut begun, mut at) = (Vec::new(), None, 0);
    for (number, line) in whole.split_inclusive('\n').enumerate() {
        let head = line.split_once('(').map(|(before, _)| before);
        if let (true, Some(head)) = (begun.is_none() && line.starts_with(|c: char| c.is_ascii_alphabetic()), head) {
            let name = head.rsplit([' ', '*']).next().unwrap_or(head);
            begun = Some((name, number + 1, at));
        }
        at += line.len();
        if let (Some((name, line, from)), "}\n") = (begun, line) {
            let text = format!("{BEFORE}# {line} \"{header}\"\n{}", &whole[from..at]);
            list.push(Model { name, header, whole, text, needs: Vec::new() });
            begun = None;
        }
    }
    list
}

/// The model of a procedure of the library.
pub fn model(name: &str) -> Option<&'static Model> {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    MODELS.get(plain)
}

/// Whether there is a model of a procedure that programs may call.
pub fn has_model(name: &str) -> bool {
    model(name).is_some() && super::bodiless::library(name).is_some()
}

/// The models of these names and those that they need: each before those that it needs.
pub fn needed<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<&'static Model> {
    let mut wanted: Vec<&'static str> = names.into_iter().filter_map(model).map(|model| model.name).collect();
    for shown in wanted.clone() {
        wanted.extend(normal_form(shown).map(|model| model.name));
    }
    wanted.sort_unstable();
    wanted.dedup();
    let (mut done, mut list) = (HashSet::new(), Vec::new());
    let mut open: Vec<(&'static str, bool)> = wanted.into_iter().map(|name| (name, false)).collect();
    while let Some((name, left)) = open.pop() {
        let Some(model) = MODELS.get(name) else { continue };
        if left {
            list.push(model);
        } else if done.insert(name) {
            open.push((name, true));
            open.extend(model.needs.iter().map(|need| (*need, false)));
        }
    }
    list.reverse();
    list
}

/// The model that returns only the sign of what another one returns, where nothing else of it means something.
pub fn normal_form(name: &str) -> Option<&'static Model> {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    MODELS.get(format!("__{plain}").as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_comes_before_those_that_it_needs() {
        let names: Vec<&str> = needed(["__builtin_strcat"]).iter().map(|model| model.name).collect();
        assert_eq!(names.first(), Some(&"strcat"), "{names:?}");
        let at = |name: &str| names.iter().position(|one| *one == name);
        assert!(at("stpcpy") < at("__undefined") && at("strlen").is_some(), "{names:?}");
        assert!(needed(["printf"]).is_empty());
    }

    #[test]
    fn models_are_found_by_what_their_procedures_are_called() {
        for model in MODELS.values() {
            assert!(is_header(model.header) && modelled(&procedure_name(model)) == Some(model.name));
        }
        assert!(has_model("strlen") && has_model("__builtin_clz") && !has_model("clz") && !has_model("__isdigit"));
    }
}
