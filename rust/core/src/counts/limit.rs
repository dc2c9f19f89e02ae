//! How large a table may become before it is refused.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};

/// 0 stands for "not asked yet".
static LIMIT: AtomicU64 = AtomicU64::new(0);

/// The most bytes that one table, or one set of tables, may take. A quarter of the machine's memory unless
/// [`set_memory_limit`] said otherwise; 2 GiB where the machine does not tell.
pub fn memory_limit() -> u64 {
    match LIMIT.load(Ordering::Relaxed) {
        0 => {
            let limit = machine_memory().map_or(2 << 30, |bytes| bytes / 4);
            LIMIT.store(limit, Ordering::Relaxed);
            limit
        }
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
    let limit = u128::from(memory_limit() / 8).min(u128::from(u32::MAX) - 1);
    if cells > limit {
        return Err(Error::TooManyCells { family: family(), cells, limit });
    }
    Ok(cells as usize)
}

/// The physical memory in bytes, from `/proc/meminfo` where there is one.
fn machine_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
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
}
