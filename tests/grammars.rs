//! The grammars for editors say what the languages say: every word that means something is a keyword, and every token is
//! something.

use std::fs;
use std::path::Path;

use fancy_regex::Regex;
use puch::problem::Format;
use serde_json::Value;

fn read(path: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/editor/vscode").join(path);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Patterns in their order, with their scopes.
struct Grammar(Vec<(String, Regex, Option<Regex>)>);

impl Grammar {
    fn of(scope: &str) -> Grammar {
        let json = read(&format!("syntaxes/{scope}.tmLanguage.json"));
        assert_eq!(json["scopeName"], format!("source.{scope}"));
        let regex = |text: &Value| {
            let text = text.as_str().expect("a regular expression");
            Regex::new(&format!("(?m){text}")).unwrap_or_else(|error| panic!("{scope}: {error}"))
        };
        let patterns = json["patterns"].as_array().expect("a list").iter().map(|pattern| {
            let name = pattern["name"].as_str().expect("a name").to_owned();
            assert!(name.ends_with(&format!(".{scope}")), "{name}");
            match pattern.get("match") {
                Some(whole) => (name, regex(whole), None),
                None => (name, regex(&pattern["begin"]), Some(regex(&pattern["end"]))),
            }
        });
        Grammar(patterns.collect())
    }

    /// What the editor draws at the beginning of a text: of the patterns that fit there the first, and how long it is.
    fn at<'g>(&'g self, text: &str, begin: usize) -> Option<(&'g str, usize)> {
        self.0.iter().find_map(|(name, first, last)| {
            let found =
                first.find_from_pos(text, begin).ok()?.filter(|found| found.start() == begin && found.end() > begin)?;
            let end = last.as_ref().map_or(found.end(), |last| {
                last.find_from_pos(text, found.end()).ok().flatten().map_or(text.len(), |end| end.end())
            });
            Some((name.as_str(), end - begin))
        })
    }
}

const ALL: [(&str, Format); 4] =
    [("bp", Format::BooleanProgram), ("rem", Format::Remopla), ("pds", Format::MopedPds), ("spds", Format::Spds)];

#[test]
fn every_word_that_means_something_is_drawn_as_one() {
    for (scope, format) in ALL {
        let grammar = Grammar::of(scope);
        let words = format.language().expect("its texts are systems").keywords();
        assert!(words.len() > 5);
        for word in words {
            let (name, length) = grammar.at(word, 0).unwrap_or_else(|| panic!("{scope}: nothing for `{word}`"));
            let kinds = ["keyword.", "storage.", "constant.", "support."];
            assert!(kinds.iter().any(|kind| name.starts_with(kind)), "{scope}: `{word}` is drawn as {name}");
            assert_eq!(length, word.len(), "{scope}: `{word}`");
            let longer = format!("{word}y");
            let (name, _) = grammar.at(&longer, 0).unwrap_or_else(|| panic!("{scope}: nothing for `{longer}`"));
            assert!(!kinds.iter().any(|kind| name.starts_with(kind)), "{scope}: `{longer}` is drawn as {name}");
        }
    }
}

/// All examples of one language.
fn examples(ending: &str) -> Vec<String> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("examples")];
    let mut texts = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|own| own == ending) {
                texts.push(fs::read_to_string(path).expect("a text"));
            }
        }
    }
    texts
}

#[test]
fn every_token_of_the_examples_is_something() {
    for (scope, _) in ALL {
        let grammar = Grammar::of(scope);
        let mut texts = examples(scope);
        if scope == "spds" {
            // The specification has the only one.
            let specification = include_str!("../spds-format/SPEC.md");
            texts.extend(
                specification.split("```spds\n").skip(1).filter_map(|rest| Some(rest.split("```").next()?.to_owned())),
            );
        }
        assert!(!texts.is_empty(), "no example in {scope}");
        for text in texts {
            let mut at = 0;
            while at < text.len() {
                if text[at..].starts_with(|c: char| c.is_whitespace()) {
                    at += 1;
                    continue;
                }
                let line = text[..at].matches('\n').count() + 1;
                let rest = text[at..].lines().next().unwrap_or("");
                let (_, length) = grammar.at(&text, at).unwrap_or_else(|| panic!("{scope}, line {line}: `{rest}`"));
                at += length;
            }
        }
    }
}

#[test]
fn the_extension_names_what_is_there() {
    let package = read("package.json");
    let languages = package["contributes"]["languages"].as_array().expect("a list");
    let grammars = package["contributes"]["grammars"].as_array().expect("a list");
    assert_eq!((languages.len(), grammars.len()), (ALL.len(), ALL.len()));
    for (language, grammar) in languages.iter().zip(grammars) {
        assert_eq!(language["id"], grammar["language"]);
        read(language["configuration"].as_str().expect("a path"));
        let own = read(grammar["path"].as_str().expect("a path"));
        assert_eq!(own["scopeName"], grammar["scopeName"]);
        let endings: Vec<String> = own["fileTypes"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|ending| format!(".{}", ending.as_str().expect("text")))
            .collect();
        assert_eq!(language["extensions"], serde_json::json!(endings));
    }
    assert_eq!(package["version"], env!("CARGO_PKG_VERSION"));
    assert!(include_str!("../examples/editor/vscode/extension.js").contains("args: [\"lsp\"]"));
}
