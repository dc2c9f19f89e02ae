//! Statistics as bytes: versioned, with a checksum, and believed only where they fit together.

use super::{Kind, Layout, Statistics, Tables};
use crate::counts::Cell;
use crate::data::{Column, Dataset};
use crate::error::{Error, Result};

/// What the bytes begin with.
const MAGIC: &[u8; 8] = b"tanager\x01";
/// The version that is written; all from 1 on are read.
const VERSION: u32 = 1;

const PAIRS: u32 = 1;
const REAL: u32 = 2;
const WEIGHTED: u32 = 4;
const MISSING: u32 = 8;
const CLASS: u32 = 16;

/// Whole and real cells in little-endian order.
trait Written: Cell {
    const SIZE: usize;
    fn write(self, bytes: &mut Vec<u8>);
    fn read(bytes: &[u8]) -> Self;
}

macro_rules! impl_written {
    ($($kind:ty),*) => {$(
        impl Written for $kind {
            const SIZE: usize = size_of::<Self>();
            fn write(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
            fn read(bytes: &[u8]) -> Self {
                bytes.try_into().map_or(Self::default(), Self::from_le_bytes)
            }
        }
    )*};
}
impl_written!(u32, f64);

impl Statistics {
    /// All there is, with a note of the caller's (the meaning of the codes).
    ///
    /// In little-endian order: 8 bytes `tanager\x01`, version, flags, number of columns, number of classes (32 bits each),
    /// rows and sum of the weights (64 bits each), the arities (32 bits each), the length of the note (64 bits) and
    /// the note, the cells of the class, of the attributes, of the pairs (32 bits whole or 64 bits real), and the CRC-32 of
    /// all of this.
    pub fn to_bytes(&self, note: &[u8]) -> Vec<u8> {
        let flag = |set: bool, flag: u32| if set { flag } else { 0 };
        let flags = flag(self.layout.pairs, PAIRS)
            | flag(matches!(self.tables, Kind::Real(_)), REAL)
            | flag(self.weighted, WEIGHTED)
            | flag(self.has_missing, MISSING)
            | flag(self.layout.classes.is_some(), CLASS);
        let mut bytes = Vec::with_capacity(64 + 4 * self.layout.arities.len() + note.len() + self.size());
        bytes.extend_from_slice(MAGIC);
        for number in [VERSION, flags, self.layout.arities.len() as u32, self.layout.s() as u32] {
            number.write(&mut bytes);
        }
        bytes.extend_from_slice(&self.rows.to_le_bytes());
        self.weight.write(&mut bytes);
        self.layout.arities.iter().for_each(|&arity| (arity as u32).write(&mut bytes));
        bytes.extend_from_slice(&(note.len() as u64).to_le_bytes());
        bytes.extend_from_slice(note);
        match &self.tables {
            Kind::Whole(tables) => write_all(tables, &mut bytes),
            Kind::Real(tables) => write_all(tables, &mut bytes),
        }
        crc32fast::hash(&bytes).write(&mut bytes);
        bytes
    }

    /// What [`Statistics::to_bytes`] gave, and the note. Bytes that are cut off, changed or do not fit together are
    /// refused; memory is asked for only once the length of the bytes allows for it.
    pub fn from_bytes(bytes: &[u8]) -> Result<(Self, Vec<u8>)> {
        let mut reader = Reader { bytes };
        if reader.take(8)? != MAGIC {
            return Err(invalid("the bytes do not begin as statistics do"));
        }
        let version = reader.whole()?;
        if version > VERSION {
            return Err(invalid(&format!(
                "they were written by a later release: they have version {version} of the format, and this \
                 release reads up to {VERSION}; update tanager"
            )));
        }
        if version == 0 {
            return Err(invalid("there is no version 0 of the format"));
        }
        let body = bytes.len().saturating_sub(4);
        if reader.bytes.len() < 4 || crc32fast::hash(&bytes[..body]) != u32::read(&bytes[body..]) {
            return Err(invalid("the bytes are cut off or damaged: their checksum differs"));
        }
        reader.bytes = &reader.bytes[..reader.bytes.len() - 4];
        let (flags, n, s) = (reader.whole()?, reader.whole()? as usize, reader.whole()? as usize);
        let rows = u64::from_le_bytes(reader.take(8)?.try_into().unwrap_or_default());
        let weight = f64::read(reader.take(8)?);
        let arities: Vec<usize> = reader.list::<u32>(n)?.into_iter().map(|arity| arity as usize).collect();
        let length = u64::from_le_bytes(reader.take(8)?.try_into().unwrap_or_default());
        let note = reader.take(usize::try_from(length).unwrap_or(usize::MAX))?.to_vec();
        let has = |flag: u32| flags & flag != 0;
        let sound = flags < 2 * CLASS
            && n > 0
            && (has(CLASS) || s == 1)
            && arities.iter().chain([&s]).all(|arity| (1..=Column::MAX_ARITY).contains(arity))
            && rows <= Self::MAX_ROWS
            && (0.0..=Dataset::HEAVIEST).contains(&weight)
            && has(REAL) == (has(WEIGHTED) || rows > Dataset::MAX_ROWS as u64)
            && (has(WEIGHTED) || weight == rows as f64);
        if !sound {
            return Err(invalid("their numbers of rows, columns, values or classes cannot be"));
        }
        let layout = Layout::new(arities, has(CLASS).then_some(s), has(PAIRS))?;
        let tables = if has(REAL) {
            Kind::Real(reader.tables(&layout)?)
        } else {
            Kind::Whole(reader.tables(&layout)?)
        };
        if !reader.bytes.is_empty() {
            return Err(invalid("there are more bytes than cells"));
        }
        let (weighted, has_missing) = (has(WEIGHTED), has(MISSING));
        let statistics = Self { layout, rows, weight, weighted, has_missing, tables };
        match &statistics.tables {
            Kind::Whole(tables) => statistics.check_sums(tables)?,
            Kind::Real(tables) => statistics.check_sums(tables)?,
        }
        Ok((statistics, note))
    }

    /// Every table holds the rows of each class, or fewer where values are missing; classes sum to all rows.
    fn check_sums<T: Cell>(&self, tables: &Tables<T>) -> Result<()> {
        let layout = &self.layout;
        let tolerance = if self.weighted { 1e-9 } else { 0.0 };
        let near = |found: f64, expected: f64| (found - expected).abs() <= tolerance * expected;
        let sum = |cells: &[T]| cells.iter().map(|cell| cell.as_f64()).sum::<f64>();
        let sound = tables.lists().into_iter().flatten().all(|cell| {
            let cell = cell.as_f64();
            (0.0..=Dataset::HEAVIEST).contains(&cell) && (self.weighted || cell.fract() == 0.0)
        });
        let fits = |cells: &[T]| {
            cells.chunks_exact(cells.len() / layout.s()).zip(&tables.class).all(|(cells, class)| {
                let (found, expected) = (sum(cells), class.as_f64());
                near(found, expected) || (self.has_missing && found <= expected)
            })
        };
        let n = layout.arities.len();
        let singles = (0..n).all(|i| fits(&tables.singles[layout.single(i)]));
        let mut pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
        let all = sound
            && near(sum(&tables.class), self.weight)
            && singles
            && (!layout.pairs || pairs.all(|(i, j)| fits(&tables.pairs[layout.pair(i, j)])));
        if all { Ok(()) } else { Err(invalid("their tables do not add up to their rows")) }
    }
}

fn invalid(reason: &str) -> Error {
    Error::InvalidStatistics { reason: reason.into() }
}

fn write_all<T: Written>(tables: &Tables<T>, bytes: &mut Vec<u8>) {
    tables.lists().into_iter().flatten().for_each(|cell| cell.write(bytes));
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let (taken, rest) =
            self.bytes.split_at_checked(length).ok_or_else(|| invalid("the bytes are cut off"))?;
        self.bytes = rest;
        Ok(taken)
    }

    fn whole(&mut self) -> Result<u32> {
        Ok(u32::read(self.take(4)?))
    }

    fn list<T: Written>(&mut self, length: usize) -> Result<Vec<T>> {
        Ok(self.take(length.saturating_mul(T::SIZE))?.chunks_exact(T::SIZE).map(T::read).collect())
    }

    fn tables<T: Written>(&mut self, layout: &Layout) -> Result<Tables<T>> {
        let [class, singles, pairs] = layout.lengths();
        Ok(Tables { class: self.list(class)?, singles: self.list(singles)?, pairs: self.list(pairs)? })
    }
}
