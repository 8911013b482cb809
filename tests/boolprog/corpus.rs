//! Other people's programs: every sequential one is accepted, every threaded one refused for its threads.

use puch::boolprog::{Options, read};

use crate::shared;

/// Programs that are not accepted although they start no threads, or accepted although the index says that they have
/// some, and why.
const EXCEPTIONS: [(&str, &str); 4] = [
    ("abs-gkm/examples/satabs.4.nbp", "does not look like a Boolean program"), // a table of transitions, no program
    ("c2s-ocaml/bp/silly.bp", "`schoose` takes 2 arguments, not 3"),           // a test of the grammar alone
    ("duet-cbp/code/coarsen_init_condition.bp", "there is no procedure `main`"), // `init` and `thread0`, no thread statement
    ("duet-cbp/code/multiround.bp", ""), // its threads are a flag of Duet's command line: a sequential program to us
];

#[test]
fn the_corpus_is_accepted_or_refused_for_its_threads() {
    let Some(corpus) = shared::folder("corpus") else { return };
    let (mut accepted, mut refused) = (0, 0);
    let mut wrong = Vec::new();
    for row in shared::index(&corpus) {
        let (path, threads) = (&*row[0], &*row[3]);
        let text = std::fs::read_to_string(corpus.join(path)).expect("the file is there");
        let result = read(&text, path, &Options::default());
        let exception = EXCEPTIONS.iter().find(|(name, _)| *name == path).map(|(_, why)| *why);
        let expected = match exception {
            Some(why) => why,
            None if threads == "yes" => "threads, and this is a checker of sequential programs",
            None => "",
        };
        match result {
            Ok(program) if expected.is_empty() => {
                accepted += 1;
                assert!(!program.spds.rules.is_empty());
            }
            Err(complaints) if !expected.is_empty() => {
                refused += 1;
                let errors: Vec<_> = complaints.iter().filter(|complaint| complaint.is_error()).collect();
                let right = |message: &str| {
                    message.contains(expected) || expected.contains("threads,") && message.contains("starts a thread")
                };
                if exception.is_none() && errors.len() != 1 || !errors.iter().any(|error| right(&error.message)) {
                    wrong.push(format!("{path}: {errors:#?}"));
                }
            }
            Ok(_) => wrong.push(format!("{path} is accepted, but should not be: {expected}")),
            Err(complaints) => wrong.push(format!("{path}: {complaints:#?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!((accepted, refused), (37, 176), "accepted and refused programs of the corpus");
}
