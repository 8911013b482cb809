//! How much memory a process may use here: what the machine has, its control groups grant and its own limits allow.

use std::fs;
use std::path::{Path, PathBuf};

/// 80 % of what is granted, in bytes; `None` where the system does not tell.
pub fn default_limit() -> Option<u64> {
    let sources = [machine(), groups(), own()];
    sources.into_iter().flatten().min().map(|bytes| bytes / 10 * 8)
}

/// What the machine has.
fn machine() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// What the control groups of the process grant, in either version.
fn groups() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/cgroup").ok()?;
    text.lines().filter_map(group_of).filter_map(|(root, group, file)| tightest(&root, &group, file)).min()
}

/// Where the limit of a group stands: the root of the hierarchy, the group below it, the name of the file.
fn group_of(line: &str) -> Option<(PathBuf, PathBuf, &'static str)> {
    let mut parts = line.splitn(3, ':');
    let (_, controllers, group) = (parts.next()?, parts.next()?, parts.next()?);
    let group = PathBuf::from(group.trim_start_matches('/'));
    if controllers.is_empty() {
        return Some((PathBuf::from("/sys/fs/cgroup"), group, "memory.max"));
    }
    let memory = controllers.split(',').any(|controller| controller == "memory");
    memory.then(|| (PathBuf::from("/sys/fs/cgroup/memory"), group, "memory.limit_in_bytes"))
}

/// The least limit of a group and of those that contain it. Inside a container the path may not exist; the root does.
fn tightest(root: &Path, group: &Path, file: &str) -> Option<u64> {
    let groups = group.ancestors().map(|group| root.join(group));
    groups.filter_map(|group| fs::read_to_string(group.join(file)).ok()?.trim().parse().ok()).min()
}

/// The limits of the process (`ulimit -v`, `ulimit -d`).
fn own() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/limits").ok()?;
    let names = ["Max address space", "Max data size"];
    let lines = names.iter().filter_map(|name| text.lines().find_map(|line| line.strip_prefix(name)));
    lines.filter_map(|line| line.split_whitespace().next()?.parse().ok()).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_both_versions_are_understood() {
        let found = group_of("0::/user.slice/session").expect("version 2");
        assert_eq!(found.0.join(&found.1).join(found.2), Path::new("/sys/fs/cgroup/user.slice/session/memory.max"));
        let found = group_of("7:cpu,memory:/docker/x").expect("version 1");
        assert_eq!(found.2, "memory.limit_in_bytes");
        assert_eq!(group_of("6:pids:/x"), None);
        assert_eq!(group_of("nonsense"), None);
    }

    #[test]
    fn on_linux_there_is_a_limit_that_one_can_work_with() {
        if cfg!(target_os = "linux") {
            assert!(default_limit().is_some_and(|bytes| bytes > 16 << 20));
        }
    }
}
