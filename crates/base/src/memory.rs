//! How much memory this process uses, as the operating system sees it.

use std::fs;

/// Bytes resident now; `None` where the system does not tell.
pub fn resident() -> Option<u64> {
    status_field("/proc/self/status", "VmRSS:")
}

/// The most bytes that were ever resident.
pub fn peak_resident() -> Option<u64> {
    status_field("/proc/self/status", "VmHWM:")
}

/// Bytes that could still be used without swapping.
pub fn available() -> Option<u64> {
    status_field("/proc/meminfo", "MemAvailable:")
}

/// A `Name:   1234 kB` line of a status file, in bytes.
fn status_field(path: &str, name: &str) -> Option<u64> {
    let status = fs::read_to_string(path).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.split_ascii_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}
