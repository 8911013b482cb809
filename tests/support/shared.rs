//! Inputs of other people, kept outside of the project: `PUCH_SHARED` says where.

use std::io::Write;
use std::path::{Path, PathBuf};

/// A folder of such inputs. `None`, with a note that no test harness hides, if no one says where they are; who names a
/// place means that they are there.
pub fn folder(name: &str) -> Option<PathBuf> {
    let Some(shared) = std::env::var_os("PUCH_SHARED") else {
        let note = format!("PUCH_SHARED is not set: skipped what reads {name}\n");
        std::io::stderr().write_all(note.as_bytes()).expect("notes can be written");
        return None;
    };
    let folder = Path::new(&shared).join(name);
    assert!(folder.is_dir(), "PUCH_SHARED names a place without {name}: {}", folder.display());
    Some(folder)
}

/// The rows of the table of programs in the corpus, without its head.
#[allow(dead_code, reason = "not all who look into the folder read the table")]
pub fn index(corpus: &Path) -> Vec<Vec<String>> {
    let path = corpus.join("index.tsv");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let rows: Vec<Vec<String>> =
        text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect();
    assert!(!rows.is_empty(), "{} lists no program", path.display());
    rows
}
