//! Which files two versions have, and which of them are the same file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::bail;
use puch::functions::renamed::Renaming;

use crate::cli::c_input::name_of;
use crate::cli::folder;
use crate::cli::texts::is_stdin;

/// Two versions of some files.
#[derive(Debug)]
pub struct Versions {
    /// The C files of the old one.
    pub old: Vec<PathBuf>,
    /// Those of the new one.
    pub new: Vec<PathBuf>,
    /// What files of the old one are called in the new one.
    pub renaming: Renaming,
    /// Where they lie.
    folders: (PathBuf, PathBuf),
}

impl Versions {
    /// The versions that were typed: files, or a folder each.
    ///
    /// # Errors
    /// If a folder cannot be read, or has no C files in it.
    pub fn found(old: &[PathBuf], new: &[PathBuf]) -> anyhow::Result<Versions> {
        let ((old, was), (new, is)) = (files(old)?, files(new)?);
        let name = |folder: &Path| folder.display().to_string();
        let renaming = Renaming {
            files: same((&old, &was), (&new, &is)).into_iter().map(|(old, new)| (name_of(old), name_of(new))).collect(),
            folder: (was != is).then(|| (name(&was), name(&is))),
        };
        Ok(Versions { old, new, renaming, folders: (was, is) })
    }

    /// Where the headers of the old version lie: if those of the new one lie in its folder, in that of the old one, if there is such a folder.
    pub fn before(&self, folder: &Path) -> PathBuf {
        let (was, is) = &self.folders;
        let before = folder.strip_prefix(is).ok().filter(|_| !folder.is_absolute() || is.is_absolute());
        before.map(|rest| was.join(rest)).filter(|before| before.is_dir()).unwrap_or_else(|| folder.to_owned())
    }
}

/// The C files of what was typed, and the folder in which they lie; without a name that in which the process works.
fn files(typed: &[PathBuf]) -> anyhow::Result<(Vec<PathBuf>, PathBuf)> {
    let (mut all, mut folders) = (Vec::new(), Vec::new());
    for one in typed {
        if is_stdin(one) || !one.is_dir() {
            all.push(one.clone());
            folders.push(one.parent().map(Path::to_owned).unwrap_or_default());
            continue;
        }
        let is_c = |file: &PathBuf| file.extension().is_some_and(|ending| ending == "c" || ending == "i");
        let own: Vec<PathBuf> = folder::files(one)?.into_iter().filter(is_c).collect();
        if own.is_empty() {
            bail!("there are no C files in `{}`", one.display());
        }
        all.extend(own);
        // `.` is the folder in which the process works.
        folders.push(one.components().collect());
    }
    let common = folders.into_iter().reduce(|one, other| {
        let parts = one.components().zip(other.components()).take_while(|(one, other)| one == other);
        parts.map(|(part, _)| part).collect()
    });
    Ok((all, common.unwrap_or_default()))
}

/// Which files are the same: those at the same place in their folder, and the others in their order, if there are as many.
fn same<'p>(
    (old, was): (&'p [PathBuf], &Path),
    (new, is): (&'p [PathBuf], &Path),
) -> BTreeMap<&'p PathBuf, &'p PathBuf> {
    let place = |file: &'p PathBuf, folder: &Path| file.strip_prefix(folder).unwrap_or(file).to_owned();
    let there: BTreeMap<PathBuf, &PathBuf> = new.iter().map(|file| (place(file, is), file)).collect();
    let mut pairs: BTreeMap<&PathBuf, &PathBuf> =
        old.iter().filter_map(|file| Some((file, *there.get(&place(file, was))?))).collect();
    let open: Vec<&PathBuf> = old.iter().filter(|file| !pairs.contains_key(file)).collect();
    let rest: Vec<&PathBuf> = new.iter().filter(|file| !pairs.values().any(|taken| taken == file)).collect();
    if open.len() == rest.len() {
        pairs.extend(open.into_iter().zip(rest));
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(names: &[&str]) -> Vec<PathBuf> {
        names.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn files_are_the_same_by_their_place_or_by_their_order() {
        let named = |old: &[&str], new: &[&str]| {
            let versions = Versions::found(&paths(old), &paths(new)).expect("they are files");
            versions.renaming
        };
        let of = |renaming: &Renaming, name: &str| renaming.file(name).unwrap_or_else(|| name.to_owned());
        let one = named(&["old.c"], &["new.c"]);
        assert_eq!((of(&one, "old.c").as_str(), of(&one, "a.h").as_str()), ("new.c", "a.h"));
        let elsewhere = named(&["v1/a.c"], &["v2/src/a.c"]);
        assert_eq!(
            (of(&elsewhere, "v1/a.c").as_str(), of(&elsewhere, "v1/a.h").as_str()),
            ("v2/src/a.c", "v2/src/a.h")
        );
        let several = named(&["o/b.c", "o/x/a.c", "o/c.c"], &["n/d.c", "n/x/a.c", "n/b.c"]);
        assert_eq!(of(&several, "o/b.c"), "n/b.c");
        assert_eq!(of(&several, "o/x/a.c"), "n/x/a.c");
        assert_eq!(of(&several, "o/c.c"), "n/d.c");
        let more = named(&["o/a.c", "o/c.c"], &["n/a.c", "n/d.c", "n/e.c"]);
        assert_eq!((of(&more, "o/a.c").as_str(), of(&more, "o/c.c").as_str()), ("n/a.c", "n/c.c"));
    }
}
