//! Answers about functions that are kept in a folder, each under the hash of all that it depends on. Any number of processes may share it: an
//! entry is written beside its place and then moved there, whole.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::hash::Hasher;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Context;
use puch::functions::closed::Closed;
use puch::report::functions::{TERMINATION, Told};
use rustc_hash::FxHasher;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The hash of the program that runs, read bit by bit: it has some thirty megabytes, which are not wanted in memory at once. It tells builds
/// apart, as fast as it can be read, and protects from nobody who makes one that is to be taken for another.
fn own_hash() -> io::Result<Vec<u8>> {
    let mut own = BufReader::with_capacity(1 << 16, File::open(std::env::current_exe()?)?);
    let (mut hash, mut length) = (FxHasher::default(), 0);
    loop {
        let part = own.fill_buf()?;
        if part.is_empty() {
            hash.write_u64(length);
            return Ok(hash.finish().to_le_bytes().to_vec());
        }
        hash.write(part);
        let read = part.len();
        length += read as u64;
        own.consume(read);
    }
}

/// Entries that one process writes have different names.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// A folder of answers.
pub struct Kept {
    folder: PathBuf,
    /// The hash of the program that answers: another one may know more, or better.
    version: Vec<u8>,
}

/// What is in a file.
#[derive(Serialize, Deserialize)]
struct Entry {
    /// Where procedures began.
    begins: BTreeMap<String, (String, u32)>,
    told: Told,
}

impl Kept {
    /// The folder, which is made if it is not there.
    pub fn folder(folder: &Path) -> anyhow::Result<Kept> {
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder `{}`", folder.display()))?;
        let version = own_hash().context("cannot read the program itself, on which answers depend")?;
        Ok(Kept { folder: folder.to_owned(), version })
    }

    /// The file of an answer that depends on this, and on how it is asked.
    fn file(&self, closed: &Closed, how: &str) -> PathBuf {
        let mut hash = Sha256::new();
        for part in [&self.version, how.as_bytes(), closed.text.as_bytes()] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let name: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        self.folder.join(name + ".json")
    }

    /// What was told of the same before, at the places where it is now. None, too, where a file cannot be read.
    pub fn known(&self, closed: &Closed, how: &str) -> Option<Told> {
        let text = fs::read_to_string(self.file(closed, how)).ok()?;
        let Entry { begins, mut told } = serde_json::from_str(&text).ok()?;
        // Sentences may say where something is: those that do have numbers.
        let open = told.findings.iter().filter(|finding| finding.verdict == "unknown" || finding.kind == TERMINATION);
        let mut reasons = told.reason.iter().chain(open.map(|finding| &finding.reason));
        let may_say_where = |reason: &String| reason.contains(|one: char| one.is_ascii_digit());
        if begins != closed.begins && reasons.any(may_say_where) {
            return None;
        }
        for (procedure, line) in told.places() {
            let (old, new) = (begins.get(procedure)?, closed.begins.get(procedure)?);
            *line = u32::try_from(i64::from(*line) + i64::from(new.1) - i64::from(old.1)).ok()?;
        }
        Some(told)
    }

    /// Keeps what was told.
    pub fn keep(&self, closed: &Closed, how: &str, told: &Told) -> anyhow::Result<()> {
        let entry = Entry { begins: closed.begins.clone(), told: told.clone() };
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let beside = self.folder.join(format!(".{}-{number}", std::process::id()));
        let place = self.file(closed, how);
        let written = File::create(&beside).and_then(|mut file| {
            file.write_all(serde_json::to_string(&entry)?.as_bytes())?;
            file.sync_all()
        });
        written
            .and_then(|()| fs::rename(&beside, &place))
            .with_context(|| format!("cannot write `{}`", place.display()))
    }
}
