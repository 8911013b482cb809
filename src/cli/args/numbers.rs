//! Numbers on the command line.

/// A positive number of seconds.
pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 1e9 => Ok(seconds),
        _ => Err("a positive number of seconds is needed".into()),
    }
}

/// A positive number of processes.
pub fn jobs(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(jobs @ 1..=4096) => Ok(jobs),
        _ => Err("a number from 1 to 4096 is needed".into()),
    }
}

/// `K/M`, with 1 ≤ K ≤ M.
pub fn shard(text: &str) -> Result<(usize, usize), String> {
    let numbers = text.split_once('/').and_then(|(k, m)| Some((k.parse().ok()?, m.parse().ok()?)));
    match numbers {
        Some((k, m)) if 1 <= k && k <= m => Ok((k, m)),
        _ => Err("`K/M` is needed, the K-th of M parts, for instance 1/4".into()),
    }
}
