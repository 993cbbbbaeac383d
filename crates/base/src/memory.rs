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

/// Bytes that could still be used without swapping, and without breaking the limits of a container or of the shell.
pub fn available() -> Option<u64> {
    available_beside(0)
}

/// The same where so much address space is wanted for something else, such as stacks, which take hardly any memory.
pub fn available_beside(address_space_bytes: u64) -> Option<u64> {
    let system = status_field("/proc/meminfo", "MemAvailable:");
    let container = number("/sys/fs/cgroup/memory.max")
        .map(|limit| limit.saturating_sub(number("/sys/fs/cgroup/memory.current").unwrap_or(0)));
    let address_space = address_space().map(|left| left.saturating_sub(address_space_bytes));
    [system, container, address_space].into_iter().flatten().min()
}

fn number(path: &str) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// What a limit on the address space (`ulimit -v`) leaves, counting what is mapped already.
fn address_space() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = line.split_ascii_whitespace().next()?.parse().ok()?;
    Some(limit.saturating_sub(status_field("/proc/self/status", "VmSize:").unwrap_or(0)))
}

/// A `Name:   1234 kB` line of a status file, in bytes.
fn status_field(path: &str, name: &str) -> Option<u64> {
    let status = fs::read_to_string(path).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.split_ascii_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}
