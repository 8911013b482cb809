//! How much memory this process may reasonably take when nobody said: four fifths of what the machine, or the control
//! group that it runs in, grants.

use std::fs::read_to_string;
use std::path::{Path, PathBuf};

/// The memory limit to use without `--memory`, in bytes. None where the system does not tell.
pub fn default_memory() -> Option<u64> {
    let machine = read_to_string("/proc/meminfo").ok().and_then(|text| total(&text));
    let groups = read_to_string("/proc/self/cgroup").unwrap_or_default();
    let limits = limit_files(&groups).into_iter().filter_map(|file| limit(&read_to_string(file).ok()?));
    machine.into_iter().chain(limits).min().map(|granted| granted / 5 * 4)
}

/// The memory of the machine in bytes, from the text of `/proc/meminfo`.
fn total(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// Where the limits of our control group and those above it stand, from the text of `/proc/self/cgroup`: version 2
/// (`0::/path`) and version 1 (`4:memory:/path`).
fn limit_files(groups: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':');
        let (_, Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next()) else { continue };
        let (mount, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => continue,
        };
        let group = Path::new(path.trim_start_matches('/'));
        files.extend(group.ancestors().map(|ancestor| Path::new(mount).join(ancestor).join(file)));
    }
    files
}

/// A limit of a control group in bytes; `max` is none.
fn limit(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_tells_its_memory() {
        assert_eq!(total("MemTotal:       16384 kB\nMemFree:         1024 kB\n"), Some(16384 * 1024));
        assert_eq!(total("MemFree:         1024 kB\n"), None);
        assert_eq!(total("MemTotal: many kB\n"), None);
    }

    #[test]
    fn every_group_above_ours_may_limit() {
        let two = limit_files("0::/user.slice/session\n");
        let expected = ["/user.slice/session", "/user.slice", ""];
        assert_eq!(two, expected.map(|group| PathBuf::from(format!("/sys/fs/cgroup{group}/memory.max"))));
        let one = limit_files("5:cpu,cpuacct:/a\n4:memory:/box\n");
        let expected = ["/box", ""];
        let file = |group| PathBuf::from(format!("/sys/fs/cgroup/memory{group}/memory.limit_in_bytes"));
        assert_eq!(one, expected.map(file));
        assert_eq!(limit_files("nonsense"), Vec::<PathBuf>::new());
    }

    #[test]
    fn no_limit_is_no_number() {
        assert_eq!(limit("max\n"), None);
        assert_eq!(limit("536870912\n"), Some(512 << 20));
    }

    #[test]
    fn this_machine_grants_something_sensible() {
        assert!(default_memory().is_none_or(|bytes| bytes > 1 << 20));
    }
}
