//! Folders in the place of files.

use std::path::{Path, PathBuf};

use anyhow::Context;

/// All files in a folder and below, in the order of their names.
///
/// # Errors
/// If a folder cannot be read.
pub fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let context = || format!("cannot read the directory `{}`", folder.display());
        for entry in std::fs::read_dir(&folder).with_context(context)? {
            let entry = entry.with_context(context)?;
            // A link to a directory may lead back.
            let kind = entry.file_type().with_context(context)?;
            if kind.is_dir() { open.push(entry.path()) } else { files.push(entry.path()) }
        }
    }
    files.sort();
    Ok(files)
}
