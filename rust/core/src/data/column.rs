//! One categorical column: codes and the size of their domain.

use crate::error::{Error, Result};

/// An unsigned integer that can hold a code; its largest value stands for a missing entry.
pub trait Code: Copy + Ord + Send + Sync + 'static {
    /// The code of a missing entry.
    const MISSING: Self;
    /// The code as an index. A missing entry gives an index beyond every domain.
    fn index(self) -> usize;
    /// Narrows an index that is known to fit.
    fn from_index(index: usize) -> Self;
    /// The codes of a column.
    fn wrap(codes: Vec<Self>) -> Codes;
}

macro_rules! impl_code {
    ($($int:ty: $codes:ident),*) => {$(
        impl Code for $int {
            const MISSING: Self = <$int>::MAX;
            #[inline(always)]
            fn index(self) -> usize {
                self as usize
            }
            #[inline(always)]
            fn from_index(index: usize) -> Self {
                index as $int
            }
            fn wrap(codes: Vec<Self>) -> Codes {
                Codes::$codes(codes)
            }
        }
    )*};
}
impl_code!(u8: U8, u16: U16, u32: U32);

/// The codes of a column, as narrow as its arity allows. The type's largest value is the missing code.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Codes {
    /// Up to 255 values.
    U8(Vec<u8>),
    /// Up to 65,535 values.
    U16(Vec<u16>),
    /// Up to 2³² − 1 values.
    U32(Vec<u32>),
}

/// [`Codes`] that belong to somebody else.
#[derive(Debug, Clone, Copy)]
pub enum CodesRef<'a> {
    /// Up to 255 values.
    U8(&'a [u8]),
    /// Up to 65,535 values.
    U16(&'a [u16]),
    /// Up to 2³² − 1 values.
    U32(&'a [u32]),
}

/// Runs one generic expression for whichever width the codes have.
#[macro_export]
macro_rules! with_codes {
    ($codes:expr, $name:ident => $body:expr) => {
        match $codes {
            $crate::data::Codes::U8($name) => $body,
            $crate::data::Codes::U16($name) => $body,
            $crate::data::Codes::U32($name) => $body,
        }
    };
}

/// Evaluates an expression with the narrowest type of codes for so many values.
macro_rules! with_width {
    ($arity:expr, $code:ident => $body:expr) => {
        match $arity {
            0..=0xFF => {
                type $code = u8;
                $body
            }
            0x100..=0xFFFF => {
                type $code = u16;
                $body
            }
            _ => {
                type $code = u32;
                $body
            }
        }
    };
}
pub(super) use with_width;

impl Codes {
    /// The number of rows.
    pub fn len(&self) -> usize {
        with_codes!(self, codes => codes.len())
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A categorical column: its codes, and `arity`, the size of the domain (not of what the rows happen to hold).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Column {
    codes: Codes,
    arity: usize,
    has_missing: bool,
}

impl Column {
    /// The largest domain that codes can number.
    pub const MAX_ARITY: usize = u32::MAX as usize;

    /// Takes codes as they are; every one is below `arity` or the missing code of its width.
    pub fn new(name: &str, codes: Codes, arity: usize) -> Result<Self> {
        check_arity(name, arity)?;
        let has_missing = with_codes!(&codes, codes => validate(name, codes, arity))?;
        Ok(Self { codes, arity, has_missing })
    }

    /// [`Column::new`] with a copy of codes that stay where they are; checked and copied in one pass.
    pub fn copied(name: &str, codes: CodesRef<'_>, arity: usize) -> Result<Self> {
        check_arity(name, arity)?;
        match codes {
            CodesRef::U8(codes) => copy(name, codes, arity),
            CodesRef::U16(codes) => copy(name, codes, arity),
            CodesRef::U32(codes) => copy(name, codes, arity),
        }
    }

    /// Narrows integers to codes; `missing`, where given, is the integer that stands for a missing entry.
    pub fn from_integers(
        name: &str,
        values: impl ExactSizeIterator<Item = i64>,
        arity: usize,
        missing: Option<i64>,
    ) -> Result<Self> {
        check_arity(name, arity)?;
        with_width!(arity, T => narrow::<T>(name, values, arity, missing))
    }

    /// The codes.
    pub fn codes(&self) -> &Codes {
        &self.codes
    }

    /// The size of the domain.
    pub fn arity(&self) -> usize {
        self.arity
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// Whether any entry is missing.
    pub fn has_missing(&self) -> bool {
        self.has_missing
    }

    /// The code of a row, or `None` where it is missing.
    pub fn get(&self, row: usize) -> Option<usize> {
        let index = with_codes!(&self.codes, codes => codes[row].index());
        (index < self.arity).then_some(index)
    }

    /// The column of the given rows, in their order.
    pub fn select(&self, rows: &[u32]) -> Self {
        fn pick<T: Code>(codes: &[T], rows: &[u32]) -> Vec<T> {
            rows.iter().map(|&row| codes[row as usize]).collect()
        }
        let codes = with_codes!(&self.codes, codes => Code::wrap(pick(codes, rows)));
        let has_missing = self.has_missing
            && with_codes!(&codes, codes => codes.iter().any(|code| code.index() >= self.arity));
        Self { codes, arity: self.arity, has_missing }
    }
}

fn check_arity(name: &str, arity: usize) -> Result<()> {
    if (1..=Column::MAX_ARITY).contains(&arity) {
        Ok(())
    } else {
        Err(Error::ArityOutOfRange { column: name.into(), arity, limit: Column::MAX_ARITY })
    }
}

/// Codes that are copied and looked through while they are in the first-level cache.
const BLOCK: usize = 4096;

fn copy<T: Code>(name: &str, codes: &[T], arity: usize) -> Result<Column> {
    let mut copy = Vec::with_capacity(codes.len());
    let mut largest = T::from_index(0);
    for block in codes.chunks(BLOCK) {
        copy.extend_from_slice(block);
        largest = largest.max(self::largest(block));
    }
    let has_missing = largest.index() >= arity && explain(name, codes, arity)?;
    Ok(Column { codes: T::wrap(copy), arity, has_missing })
}

/// Whether there are missing entries; an error for a code that is neither in range nor missing.
fn validate<T: Code>(name: &str, codes: &[T], arity: usize) -> Result<bool> {
    // The largest code first: one vectorised pass settles the common case.
    Ok(largest(codes).index() >= arity && explain(name, codes, arity)?)
}

/// The largest code; 0 where there is none. A fold of values, not of references, is what becomes vector instructions.
fn largest<T: Code>(codes: &[T]) -> T {
    codes.iter().copied().fold(T::from_index(0), Ord::max)
}

/// [`validate`] where some code is not below the arity.
fn explain<T: Code>(name: &str, codes: &[T], arity: usize) -> Result<bool> {
    match codes.iter().position(|&code| code.index() >= arity && code != T::MISSING) {
        None => Ok(true),
        Some(row) => {
            let code = codes[row].index() as i64;
            Err(Error::CodeOutOfRange { column: name.into(), row, code, arity })
        }
    }
}

fn narrow<T: Code>(
    name: &str,
    values: impl ExactSizeIterator<Item = i64>,
    arity: usize,
    missing: Option<i64>,
) -> Result<Column> {
    let mut codes = Vec::with_capacity(values.len());
    let mut has_missing = false;
    for (row, value) in values.enumerate() {
        if (0..arity as i64).contains(&value) {
            codes.push(T::from_index(value as usize));
        } else if Some(value) == missing {
            has_missing = true;
            codes.push(T::MISSING);
        } else {
            return Err(Error::CodeOutOfRange { column: name.into(), row, code: value, arity });
        }
    }
    Ok(Column { codes: T::wrap(codes), arity, has_missing })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_width_follows_the_arity() {
        let width = |arity| Column::from_integers("x", [0, 1].into_iter(), arity, None).unwrap();
        assert!(matches!(width(255).codes(), Codes::U8(_)));
        assert!(matches!(width(256).codes(), Codes::U16(_)));
        assert!(matches!(width(65_536).codes(), Codes::U32(_)));
    }

    #[test]
    fn codes_out_of_range_are_named() {
        let error = Column::from_integers("colour", [0, 3].into_iter(), 3, None).unwrap_err();
        assert_eq!(error.to_string(), "column colour, row 1: code 3 is out of range, allowed are 0 to 2");
        for error in [
            Column::new("colour", Codes::U8(vec![0, 7]), 3).unwrap_err(),
            Column::copied("colour", CodesRef::U8(&[0, 7]), 3).unwrap_err(),
        ] {
            assert!(matches!(error, Error::CodeOutOfRange { row: 1, code: 7, .. }));
        }
        assert!(matches!(
            Column::from_integers("x", [0].into_iter(), 0, None),
            Err(Error::ArityOutOfRange { .. })
        ));
    }

    #[test]
    fn a_copy_is_the_column() {
        let codes: Vec<u16> = (0..10_000).map(|row| row % 300).collect();
        let taken = Column::new("x", Codes::U16(codes.clone()), 300).unwrap();
        assert_eq!(Column::copied("x", CodesRef::U16(&codes), 300).unwrap(), taken);
        assert!(Column::copied("x", CodesRef::U32(&[0, u32::MAX]), 1).unwrap().has_missing());
        assert!(!Column::copied("x", CodesRef::U8(&[]), 1).unwrap().has_missing());
        assert!(matches!(Column::copied("x", CodesRef::U8(&[0]), 0), Err(Error::ArityOutOfRange { .. })));
    }

    #[test]
    fn missing_entries_are_known() {
        let column = Column::from_integers("x", [1, -1, 0].into_iter(), 2, Some(-1)).unwrap();
        assert!(column.has_missing());
        assert_eq!((column.get(0), column.get(1), column.get(2)), (Some(1), None, Some(0)));
        let complete = column.select(&[2, 0]);
        assert!(!complete.has_missing());
        assert_eq!(complete.get(0), Some(0));
    }
}
