//! A program whose files are called otherwise: what is the same in two versions does not depend on where these are.

use std::collections::BTreeMap;

use crate::c::Program;

/// What files are called in another version.
#[derive(Clone, Debug, Default)]
pub struct Renaming {
    /// These, by name.
    pub files: BTreeMap<String, String>,
    /// Others in this folder and below: what that is called. Without a name it is the one in which the process works.
    pub folder: Option<(String, String)>,
}

impl Renaming {
    /// The other name of a file, if it has one.
    pub fn file(&self, name: &str) -> Option<String> {
        if let Some(new) = self.files.get(name) {
            return Some(new.clone());
        }
        let (old, new) = self.folder.as_ref()?;
        let rest = match old.is_empty() {
            true => Some(name).filter(|name| !name.starts_with(['/', '<'])),
            false => name.strip_prefix(old.as_str()).and_then(|rest| rest.strip_prefix('/')),
        }?;
        Some(if new.is_empty() { rest.to_owned() } else { format!("{new}/{rest}") })
    }

    /// The other name of a function that says in which file it is (`file.c:name`), if that is called otherwise.
    pub fn function(&self, name: &str) -> Option<String> {
        let (file, own) = name.rsplit_once(':')?;
        Some(format!("{}:{own}", self.files.get(file)?))
    }

    /// The name of a function before that.
    pub fn original(&self, name: &str) -> Option<String> {
        let (file, own) = name.rsplit_once(':')?;
        let (old, _) = self.files.iter().find(|(_, new)| **new == *file)?;
        Some(format!("{old}:{own}"))
    }

    /// Calls the files of a program by their other names.
    pub fn of(&self, program: &mut Program) {
        for file in &mut program.files {
            if let Some(name) = self.file(file) {
                *file = name.into();
            }
        }
        for procedure in &mut program.procedures {
            if let Some(name) = self.function(&procedure.name) {
                procedure.name = name.into();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Renaming;

    #[test]
    fn files_below_a_folder_are_called_by_its_other_name() {
        let folder = |old: &str, new: &str| Some((old.to_owned(), new.to_owned()));
        let files = [("v1/a.c".to_owned(), "v2/src/a.c".to_owned())].into();
        let renaming = Renaming { files, folder: folder("v1", "v2") };
        let of = |name: &str| renaming.file(name);
        assert_eq!(of("v1/a.c").as_deref(), Some("v2/src/a.c"));
        assert_eq!(of("v1/h/a.h").as_deref(), Some("v2/h/a.h"));
        assert_eq!((of("v11/a.h"), of("/usr/include/a.h")), (None, None));
        assert_eq!(renaming.function("v1/a.c:f").as_deref(), Some("v2/src/a.c:f"));
        assert_eq!(renaming.original("v2/src/a.c:f").as_deref(), Some("v1/a.c:f"));
        assert_eq!(renaming.function("f"), None);
        let here = |old, new, name: &str| Renaming { folder: folder(old, new), ..Renaming::default() }.file(name);
        assert_eq!(here("", "v2", "a.h").as_deref(), Some("v2/a.h"));
        assert_eq!(here("v1", "", "v1/a.h").as_deref(), Some("a.h"));
        assert_eq!(here("", "v2", "/a.h"), None);
    }
}
