//! Everything that can go wrong, as data.

use std::fmt;

/// A `Result` with the crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong. Each message is one sentence that names the place, the value and what is allowed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// A code is negative or not below its column's arity.
    #[error("column {column}, row {row}: code {code} is out of range, allowed are 0 to {}", .arity.saturating_sub(1))]
    CodeOutOfRange {
        /// Name or position of the column.
        column: String,
        /// Row of the first such code.
        row: usize,
        /// The code.
        code: i64,
        /// The column's number of values.
        arity: usize,
    },
    /// A column declares no values, or more than codes can hold.
    #[error("column {column}: arity {arity} is not allowed, a column has 1 to {limit} values")]
    ArityOutOfRange {
        /// Name or position of the column.
        column: String,
        /// The declared arity.
        arity: usize,
        /// The largest arity.
        limit: usize,
    },
    /// Two things that must have the same length do not.
    #[error("{what} has length {found}, expected {expected}")]
    LengthMismatch {
        /// What has the wrong length.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length it should have.
        expected: usize,
    },
    /// There are no rows, or no columns, where at least one is needed.
    #[error("the table is empty: {what} is 0, at least 1 is needed")]
    Empty {
        /// What is empty.
        what: &'static str,
    },
    /// A row whose class is missing.
    #[error("row {row} has no class: every training row needs one")]
    MissingClass {
        /// The first such row.
        row: usize,
    },
    /// More rows than the counters can hold.
    #[error("{rows} rows are more than the counters can hold ({limit})")]
    TooManyRows {
        /// The number of rows.
        rows: usize,
        /// The largest number of rows.
        limit: usize,
    },
    /// A position that is not a column's.
    #[error("there is no column {column}: the table has columns 0 to {}", .columns.saturating_sub(1))]
    ColumnOutOfRange {
        /// The position.
        column: usize,
        /// How many columns there are.
        columns: usize,
    },
    /// A family names a variable twice, or its child among its parents.
    #[error("the family of {child} names {variable} twice")]
    RepeatedVariable {
        /// The child.
        child: String,
        /// What is repeated.
        variable: String,
    },
    /// The class is asked for where the data has none.
    #[error("the data has no class, but {what} needs one")]
    NoClass {
        /// Who needs it.
        what: &'static str,
    },
    /// A learner that looks at rows was given counts only.
    #[error("{what} looks at the rows one by one: it needs them, not only their counts")]
    NoRows {
        /// Who needs them.
        what: &'static str,
    },
    /// A learner that searches by accuracy was given counts only.
    #[error("{learner} searches by cross-validated accuracy: it needs the rows, not only their counts")]
    NoAccuracy {
        /// The learner.
        learner: String,
    },
    /// Statistics were asked for a table that they do not hold.
    #[error("the table of {family} was not counted: these statistics hold no such table")]
    NotCounted {
        /// Which family.
        family: String,
    },
    /// Statistics that are damaged, or of other data than those that they are to be added to.
    #[error("the statistics do not fit: {reason}")]
    InvalidStatistics {
        /// Why.
        reason: String,
    },
    /// A dense table is larger than the limit; nothing was allocated.
    #[error("the table of {family} would have {cells} cells ({:.3e} bytes), more than the limit of {limit} cells ({:.3e} bytes)", (*.cells as f64) * 8.0, (*.limit as f64) * 8.0)]
    TooManyCells {
        /// Which family.
        family: String,
        /// How many cells; saturates.
        cells: u128,
        /// The largest number of cells.
        limit: u128,
    },
    /// Something other than a table is larger than the limit; nothing was allocated.
    #[error("{what} would take {}, more than the limit of {}", Bytes(*.bytes), Bytes(u128::from(*.limit)))]
    TooLarge {
        /// What it is.
        what: String,
        /// How many bytes; saturates.
        bytes: u128,
        /// The largest number of bytes.
        limit: u64,
    },
    /// The system refused memory.
    #[error("{what} would take {}, which the system does not give", Bytes(*.bytes))]
    OutOfMemory {
        /// What it is.
        what: String,
        /// How many bytes.
        bytes: u128,
    },
    /// A row's missing values cannot be summed out exactly.
    #[error(
        "row {row}: the exact sum over its {missing} missing values needs a table of {cells} cells, more than the limit of {limit}; missing_at_predict=\"approximate\" does with less"
    )]
    TooManyMissing {
        /// The first such row.
        row: usize,
        /// How many values it misses.
        missing: usize,
        /// The cells of the largest table; saturates.
        cells: u128,
        /// The largest number of cells.
        limit: u128,
    },
    /// A parameter is outside of its range.
    #[error("{name} = {} is not allowed: {allowed}", shown(*value))]
    ParameterOutOfRange {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What is allowed, in words.
        allowed: &'static str,
    },
    /// A name that is in no registry.
    #[error("unknown {kind} {name:?}, known are {known}")]
    UnknownName {
        /// What kind of thing.
        kind: &'static str,
        /// The name.
        name: String,
        /// The known names.
        known: String,
    },
    /// A score gave NaN.
    #[error("the score of the family of {child} is not a number")]
    ScoreNotANumber {
        /// The child.
        child: String,
    },
    /// A weight of a graph is NaN.
    #[error("the weight of the arc {from} → {to} is not a number")]
    WeightNotANumber {
        /// Where the arc starts.
        from: usize,
        /// Where it ends.
        to: usize,
    },
    /// A structure that is not one: a cycle, an attribute twice, a parent that does not exist.
    #[error("the structure is invalid: {reason}")]
    InvalidStructure {
        /// Why.
        reason: String,
    },
    /// A score or objective supplied by the caller failed; the caller knows why.
    #[error("the score failed: {message}")]
    Callback {
        /// What it said.
        message: String,
    },
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
}

/// Refuses what has not the length that it should have.
pub fn check_length(what: &'static str, found: usize, expected: usize) -> Result<()> {
    if found == expected { Ok(()) } else { Err(Error::LengthMismatch { what, found, expected }) }
}

/// Refuses a parameter that is outside of its range.
pub fn check_parameter(
    name: &'static str,
    value: f64,
    is_allowed: bool,
    allowed: &'static str,
) -> Result<()> {
    if is_allowed { Ok(()) } else { Err(Error::ParameterOutOfRange { name, value, allowed }) }
}

/// A number with at most some twenty characters: 1e308 has three hundred digits otherwise, and so has 1e-308.
fn shown(value: f64) -> String {
    let size = value.abs();
    if size.is_finite() && size != 0.0 && !(1e-6..1e16).contains(&size) {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}

/// Bytes in the unit that people would choose.
struct Bytes(u128);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 5] = ["bytes", "kB", "MB", "GB", "TB"];
        let (mut size, mut unit) = (self.0 as f64, 0);
        while size >= 999.5 && unit + 1 < UNITS.len() {
            size /= 1000.0;
            unit += 1;
        }
        match unit {
            0 => write!(f, "{} bytes", self.0),
            _ if size >= 1e6 => write!(f, "{size:.3e} {}", UNITS[unit]),
            _ => write!(f, "{size:.1} {}", UNITS[unit]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_in_a_few_characters() {
        let told = |value| Error::ParameterOutOfRange { name: "n0", value, allowed: "no" }.to_string();
        assert_eq!(told(1.7e308), "n0 = 1.7e308 is not allowed: no");
        assert_eq!(told(-5e-324), "n0 = -5e-324 is not allowed: no");
        assert_eq!(told(1e16), "n0 = 1e16 is not allowed: no");
        assert_eq!(told(-123456.5), "n0 = -123456.5 is not allowed: no");
        assert_eq!(told(1e-6), "n0 = 0.000001 is not allowed: no");
        assert_eq!(told(0.0), "n0 = 0 is not allowed: no");
        assert_eq!(told(f64::INFINITY), "n0 = inf is not allowed: no");
    }

    #[test]
    fn sizes_are_told_in_the_unit_that_people_choose() {
        let told = |bytes| Bytes(bytes).to_string();
        assert_eq!(told(0), "0 bytes");
        assert_eq!(told(1_499), "1.5 kB");
        assert_eq!(told(999_600), "1.0 MB");
        assert_eq!(told(80_000_000_000), "80.0 GB");
        assert_eq!(told(u128::MAX), "3.403e26 TB");
    }
}
