//! How much memory may be used, and buffers that are refused instead of ending the process.
//!
//! An allocation that fails ends the process, and with it the interpreter around it. So sizes that follow from the data
//! are computed without overflow, compared with [`memory_limit`] and only then asked for, in a way that may fail.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};

/// 0 stands for "the default".
static LIMIT: AtomicU64 = AtomicU64::new(0);

/// Below this nobody is asked, unless a limit was set: to ask takes longer than to fill it.
const SMALL: u64 = 1 << 20;

/// The most bytes that one table, or one set of tables, may take. Unless [`set_memory_limit`] said otherwise, a
/// quarter of what the process may use: the lowest of the machine's memory, the limits of its control groups and what its
/// address space (`ulimit -v`) has left. 2 GiB where the system does not tell.
///
/// A quarter, as a table of counts becomes one of probabilities and one of logarithms, for a moment side by side.
pub fn memory_limit() -> u64 {
    match LIMIT.load(Ordering::Relaxed) {
        0 => usable().map_or(2 << 30, |bytes| bytes / 4),
        limit => limit,
    }
}

/// Sets the limit of [`memory_limit`] for the process; 0 returns to the default.
pub fn set_memory_limit(bytes: u64) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

/// Multiplies sizes to a number of cells and refuses what does not fit; nothing is allocated before.
/// Cells are indexed with 32 bits in the kernels, so 2³² − 1 is a limit too.
pub fn check_cells(family: impl FnOnce() -> String, sizes: impl IntoIterator<Item = usize>) -> Result<usize> {
    let cells = sizes.into_iter().fold(1u128, |product, size| product.saturating_mul(size as u128));
    if fits(cells.saturating_mul(8)).is_ok() && cells < u128::from(u32::MAX) {
        return Ok(cells as usize);
    }
    let limit = u128::from(memory_limit() / 8).min(u128::from(u32::MAX) - 1);
    Err(Error::TooManyCells { family: family(), cells, limit })
}

/// Multiplies sizes to a number of bytes and refuses what does not fit.
pub fn check_bytes(what: impl FnOnce() -> String, sizes: impl IntoIterator<Item = usize>) -> Result<usize> {
    let bytes = sizes.into_iter().fold(1u128, |product, size| product.saturating_mul(size as u128));
    match (fits(bytes), usize::try_from(bytes)) {
        (Ok(()), Ok(bytes)) => Ok(bytes),
        (found, _) => {
            let limit = found.err().unwrap_or(usize::MAX as u64);
            Err(Error::TooLarge { what: what(), bytes, limit })
        }
    }
}

/// An empty list with room for so many entries, or the error that names its size.
pub fn with_room<T>(what: impl Fn() -> String, entries: usize) -> Result<Vec<T>> {
    let bytes = check_bytes(&what, [entries, size_of::<T>()])?;
    let mut list = Vec::new();
    match list.try_reserve_exact(entries) {
        Ok(()) => Ok(list),
        Err(_) => Err(Error::OutOfMemory { what: what(), bytes: bytes as u128 }),
    }
}

/// So many copies of a value, or the error that names their size.
pub fn filled<T: Clone>(what: impl Fn() -> String, value: T, entries: usize) -> Result<Vec<T>> {
    // Only asked for and given back: the list itself then comes as the system's zeros, which cost nothing until they are
    // written, where a list that was reserved would have to be filled at once by this thread.
    drop(with_room::<T>(what, entries)?);
    Ok(vec![value; entries])
}

/// The limit, where so many bytes exceed it.
fn fits(bytes: u128) -> std::result::Result<(), u64> {
    if LIMIT.load(Ordering::Relaxed) == 0 && bytes <= u128::from(SMALL) {
        return Ok(());
    }
    let limit = memory_limit();
    if bytes > u128::from(limit) { Err(limit) } else { Ok(()) }
}

/// What the process may use altogether, where the system tells anything.
fn usable() -> Option<u64> {
    /// Neither changes while the process lives, or not in a way that it should rely on.
    static FIXED: OnceLock<Option<u64>> = OnceLock::new();
    let read = |path: &Path| std::fs::read_to_string(path).ok();
    let fixed = *FIXED.get_or_init(|| physical_memory(&read).into_iter().chain(control_group(&read)).min());
    fixed.into_iter().chain(address_space_left(&read)).min()
}

type Read<'a> = &'a dyn Fn(&Path) -> Option<String>;

/// The machine's memory.
fn physical_memory(read: Read<'_>) -> Option<u64> {
    let text = read(Path::new("/proc/meminfo"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// The lowest limit of the process's control group and those around it: `memory.max` of version 2,
/// `memory.limit_in_bytes` of version 1. In a container a group's path may be seen from outside; what does not exist
/// here limits nothing.
fn control_group(read: Read<'_>) -> Option<u64> {
    let groups = read(Path::new("/proc/self/cgroup"))?;
    let limits = groups.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ':');
        let (_, controllers, group) = (fields.next()?, fields.next()?, fields.next()?);
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => return None,
        };
        let group = PathBuf::from(root).join(group.trim_start_matches('/'));
        let inside = group.ancestors().take_while(|folder| folder.starts_with(root));
        inside.filter_map(|folder| read(&folder.join(file))?.trim().parse::<u64>().ok()).min()
    });
    limits.min()
}

/// What `ulimit -v` leaves: the limit less what is mapped already.
fn address_space_left(read: Read<'_>) -> Option<u64> {
    let limits = read(Path::new("/proc/self/limits"))?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
    let status = read(Path::new("/proc/self/status"))?;
    let mapped = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
    let mapped: u64 = mapped.split_whitespace().next()?.parse().ok()?;
    Some(limit.saturating_sub(mapped.saturating_mul(1024)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_cannot_fit_is_refused_with_its_size() {
        assert_eq!(check_cells(|| "f".into(), [3, 4, 5]), Ok(60));
        let error = check_cells(|| "column 3".into(), [10; 40]).unwrap_err();
        assert!(matches!(error, Error::TooManyCells { .. }));
        assert!(error.to_string().contains("column 3"), "{error}");
        assert!(memory_limit() > 0);
    }

    #[test]
    fn a_buffer_that_cannot_fit_is_refused_with_its_size() {
        let list: Vec<u64> = with_room(|| "a list".into(), 10).unwrap();
        assert!(list.is_empty() && list.capacity() >= 10);
        assert_eq!(filled(|| "a list".into(), 3u8, 4).unwrap(), [3; 4]);
        let error =
            with_room::<u64>(|| "the weights of 100000 columns".into(), 10_000_000_000_000).unwrap_err();
        assert!(
            error.to_string().starts_with("the weights of 100000 columns would take 80.0 TB, "),
            "{error}"
        );
        assert!(with_room::<[u64; 9]>(|| "much".into(), usize::MAX).is_err());
    }

    /// A file system of a few files.
    fn system<'a>(files: &'a [(&'a str, &'a str)]) -> impl Fn(&Path) -> Option<String> + 'a {
        |path| files.iter().find(|(name, _)| Path::new(name) == path).map(|(_, text)| text.to_string())
    }

    #[test]
    fn the_lowest_limit_of_the_groups_around_counts() {
        let two = [
            ("/proc/self/cgroup", "0::/user.slice/one\n"),
            ("/sys/fs/cgroup/user.slice/one/memory.max", "max\n"),
            ("/sys/fs/cgroup/user.slice/memory.max", "4096\n"),
            ("/sys/fs/cgroup/memory.max", "9000\n"),
        ];
        assert_eq!(control_group(&system(&two)), Some(4096));
        let one = [
            ("/proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/docker/abc\n"),
            // As in a container: the group's own path is not mounted, its content is the root.
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "2048\n"),
        ];
        assert_eq!(control_group(&system(&one)), Some(2048));
        assert_eq!(control_group(&system(&[("/proc/self/cgroup", "0::/\n")])), None);
        assert_eq!(control_group(&system(&[])), None);
    }

    #[test]
    fn the_address_space_that_is_left_and_the_memory_are_read() {
        let files = [
            ("/proc/self/limits", "Limit  Soft Hard Units\nMax address space   1000000  unlimited  bytes\n"),
            ("/proc/self/status", "Name: x\nVmPeak: 1 kB\nVmSize:\t     100 kB\n"),
            ("/proc/meminfo", "MemTotal:       2048 kB\nMemFree: 5 kB\n"),
        ];
        assert_eq!(address_space_left(&system(&files)), Some(1_000_000 - 102_400));
        assert_eq!(physical_memory(&system(&files)), Some(2 << 20));
        let unlimited = [("/proc/self/limits", "Max address space   unlimited  unlimited  bytes\n")];
        assert_eq!(address_space_left(&system(&unlimited)), None);
    }
}
