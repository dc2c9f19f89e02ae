//! A column that somebody else keeps, read in blocks of rows, and the walk over many of them.

use std::ops::Range;

use rayon::prelude::*;

use crate::data::Codes;

/// How the keys of a column are to be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// `i64`, in its bits.
    Signed,
    /// `u64`.
    Unsigned,
    /// `f64`, in its bits: one zero and one NaN, which is missing.
    Real,
}

impl Domain {
    /// Sorts keys in the order of the numbers that they stand for.
    pub fn sort(self, keys: &mut [u64]) {
        match self {
            Domain::Signed => keys.sort_unstable_by_key(|&key| key as i64),
            Domain::Unsigned => keys.sort_unstable(),
            Domain::Real => keys.sort_unstable_by(|&a, &b| f64::from_bits(a).total_cmp(&f64::from_bits(b))),
        }
    }

    /// The number that a key stands for.
    pub fn number(self, key: u64) -> f64 {
        match self {
            Domain::Signed => key as i64 as f64,
            Domain::Unsigned => key as f64,
            Domain::Real => f64::from_bits(key),
        }
    }
}

/// The key of NaN.
pub const NAN_KEY: u64 = 0x7FF8_0000_0000_0000;

/// The key of a real number: both zeros have one, and so have all NaN.
#[inline(always)]
pub fn real_key(value: f64) -> u64 {
    // Adding 0 makes +0 of −0 and leaves everything else.
    if value.is_nan() { NAN_KEY } else { (value + 0.0).to_bits() }
}

/// A column of numbers in memory that somebody else keeps.
pub trait Source: Sync {
    /// The number of rows.
    fn rows(&self) -> usize;
    /// What the keys are.
    fn domain(&self) -> Domain;
    /// The keys of the rows from `start` on.
    fn read(&self, start: usize, keys: &mut [u64]);
    /// The values of the rows from `start` on as they are, where each takes one byte; else false.
    fn read_bytes(&self, _start: usize, _bytes: &mut [u8]) -> bool {
        false
    }
    /// The key of a byte that [`Source::read_bytes`] gave.
    fn byte_key(&self, byte: u8) -> u64 {
        u64::from(byte)
    }
    /// Writes `table[key − base]` for each row from `start` on, the table's last entry for all keys behind it, in one pass
    /// over the values; false, with anything written, where the column cannot do that (it has a mask).
    fn look_up(&self, _start: usize, _base: u64, _table: &[u8], _codes: &mut [u8]) -> bool {
        false
    }
    /// Whether every value takes one byte.
    fn is_bytes(&self) -> bool {
        false
    }
    /// The key that stands for a missing value, where there is one.
    fn missing_key(&self) -> Option<u64>;
    /// Marks the rows from `start` on that are missing whatever their key is; false where no row of the column is.
    fn read_mask(&self, _start: usize, _mask: &mut [bool]) -> bool {
        false
    }
    /// The values as they lie in memory, where these are real numbers side by side without a mask: nothing need be copied.
    fn reals(&self) -> Option<&[f64]> {
        None
    }
    /// The numbers of the rows from `start` on; NaN where they are missing.
    fn numbers(&self, start: usize, numbers: &mut [f64]) {
        if let Some(reals) = self.reals() {
            return numbers.copy_from_slice(&reals[start..start + numbers.len()]);
        }
        let (mut keys, mut mask) = ([0; BLOCK], [false; BLOCK]);
        for (start, numbers) in (start..).step_by(BLOCK).zip(numbers.chunks_mut(BLOCK)) {
            let (keys, mask) = (&mut keys[..numbers.len()], &mut mask[..numbers.len()]);
            self.read(start, keys);
            let masked = self.read_mask(start, mask);
            let (missing, domain) = (self.missing_key(), self.domain());
            for ((number, &key), &gone) in numbers.iter_mut().zip(keys.iter()).zip(mask.iter()) {
                let gone = (masked && gone) || missing == Some(key);
                *number = if gone { f64::NAN } else { domain.number(key) };
            }
        }
    }
    /// Where the first value lies, and how far the next one, in bytes: columns that share cache lines are read together.
    fn place(&self) -> (usize, isize);
}

/// Rows that are one piece of work. Pieces do not depend on the number of threads.
pub(super) const CHUNK: usize = 1 << 16;
/// Rows of a block: keys of a block stay in the first-level cache.
pub(super) const BLOCK: usize = 1024;
/// Bytes of a block of rows that lie side by side: they stay in the second-level cache while column after column is read.
const TILE: usize = 1 << 18;
/// Bytes that memory hands over at once.
#[cfg(target_arch = "x86_64")]
const CACHE_LINE: usize = 64;
/// Columns that are read together at most.
const TOGETHER: usize = 64;
/// Fewer values are read before another thread has woken up.
pub const WORTH_A_THREAD: usize = 1 << 17;

/// A part of the codes that are being written.
pub(super) enum CodesMut<'a> {
    U8(&'a mut [u8]),
    U16(&'a mut [u16]),
    U32(&'a mut [u32]),
}

impl<'a> CodesMut<'a> {
    fn chunks(codes: &'a mut Codes) -> Vec<Self> {
        match codes {
            Codes::U8(codes) => codes.chunks_mut(CHUNK).map(Self::U8).collect(),
            Codes::U16(codes) => codes.chunks_mut(CHUNK).map(Self::U16).collect(),
            Codes::U32(codes) => codes.chunks_mut(CHUNK).map(Self::U32).collect(),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::U8(codes) => codes.len(),
            Self::U16(codes) => codes.len(),
            Self::U32(codes) => codes.len(),
        }
    }

    fn part(&mut self, rows: Range<usize>) -> CodesMut<'_> {
        match self {
            Self::U8(codes) => CodesMut::U8(&mut codes[rows]),
            Self::U16(codes) => CodesMut::U16(&mut codes[rows]),
            Self::U32(codes) => CodesMut::U32(&mut codes[rows]),
        }
    }
}

/// Buffers of one thread for a block of rows. They are made once per piece of work: to clear them for every block would
/// cost as much as to read it.
pub(super) struct Scratch {
    keys: [u64; BLOCK],
    mask: [bool; BLOCK],
    numbers: [f64; BLOCK],
}

impl Scratch {
    pub(super) fn new() -> Box<Self> {
        Box::new(Self { keys: [0; BLOCK], mask: [false; BLOCK], numbers: [0.0; BLOCK] })
    }

    /// The keys of some rows of a column, and its mask where it has one.
    pub(super) fn read(
        &mut self,
        source: &dyn Source,
        start: usize,
        rows: usize,
    ) -> (&[u64], Option<&[bool]>) {
        let (keys, mask) = (&mut self.keys[..rows], &mut self.mask[..rows]);
        source.read(start, keys);
        let masked = source.read_mask(start, mask);
        (keys, masked.then_some(mask))
    }

    /// The numbers of some rows of a column, NaN where they are missing.
    pub(super) fn numbers(&mut self, source: &dyn Source, start: usize, rows: usize) -> &[f64] {
        let numbers = &mut self.numbers[..rows];
        source.numbers(start, numbers);
        numbers
    }
}

/// One column within one chunk of rows: what it needs to know, and where its codes go.
struct Part<'a, S> {
    column: usize,
    state: S,
    codes: CodesMut<'a>,
}

/// Walks over all columns in blocks of rows. Columns whose values lie side by side in memory are walked together, so that
/// a cache line is read once. `step(column, state, first row, codes, scratch)` fills a block; every column has a state of its
/// own, made by `begin`, in every chunk of rows, and `end` makes of it what is returned, by column and chunk.
pub(super) fn walk<S: Send, R: Send>(
    sources: &[&dyn Source],
    codes: &mut [Codes],
    begin: impl Fn(usize) -> S + Sync,
    step: impl Fn(usize, &mut S, usize, CodesMut<'_>, &mut Scratch) + Sync,
    end: impl Fn(S) -> R + Sync,
) -> Vec<Vec<R>> {
    let columns = sources.len();
    let rows = sources.first().map_or(0, |source| source.rows());
    let groups = groups(sources);
    let chunks = rows.div_ceil(CHUNK);
    let mut outputs: Vec<Vec<CodesMut<'_>>> = codes.iter_mut().map(CodesMut::chunks).collect();
    let mut pieces = Vec::with_capacity(groups.len() * chunks);
    for chunk in (0..chunks).rev() {
        for group in groups.iter().rev() {
            let parts: Vec<_> = group
                .clone()
                .filter_map(|column| outputs[column].pop().map(|codes| (column, codes)))
                .collect();
            pieces.push((chunk, parts));
        }
    }
    pieces.reverse();
    let work = |(chunk, parts): (usize, Vec<(usize, CodesMut<'_>)>)| {
        let parts = parts.into_iter().map(|(column, codes)| Part { column, state: begin(column), codes });
        let mut parts: Vec<_> = parts.collect();
        let length = parts.first().map_or(0, |part| part.codes.len());
        let block = block_rows(sources, &parts);
        let mut scratch = Scratch::new();
        for start in (0..length).step_by(block) {
            let stop = length.min(start + block);
            if parts.len() > 1 {
                fetch(sources[parts[0].column].place(), chunk * CHUNK + start..chunk * CHUNK + stop);
            }
            for part in &mut parts {
                for begin in (start..stop).step_by(BLOCK) {
                    let rows = begin..stop.min(begin + BLOCK);
                    let codes = part.codes.part(rows);
                    step(part.column, &mut part.state, chunk * CHUNK + begin, codes, &mut scratch);
                }
            }
        }
        parts.into_iter().map(|part| (part.column, end(part.state))).collect::<Vec<_>>()
    };
    let done = each(pieces, rows * columns, work);
    let mut by_column: Vec<Vec<R>> = (0..columns).map(|_| Vec::with_capacity(chunks)).collect();
    for (column, result) in done.into_iter().flatten() {
        by_column[column].push(result);
    }
    by_column
}

/// Applies a function to each piece of work, in parallel where there are many values in all.
pub fn each<T: Send, R: Send>(pieces: Vec<T>, values: usize, work: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
    if values < WORTH_A_THREAD {
        pieces.into_iter().map(work).collect()
    } else {
        pieces.into_par_iter().map(work).collect()
    }
}

/// Asks for all cache lines of some rows in the order in which they lie. Column after column would ask for them by steps of
/// a whole row, which takes twice as long: the processor foresees the next lines, not the next rows.
fn fetch((address, stride): (usize, isize), rows: Range<usize>) {
    #[cfg(target_arch = "x86_64")]
    if let Ok(stride) = usize::try_from(stride) {
        let lines = rows.start.saturating_mul(stride)..rows.end.saturating_mul(stride);
        for line in lines.step_by(CACHE_LINE) {
            let line = std::ptr::without_provenance::<i8>(address.wrapping_add(line));
            // SAFETY: to prefetch reads nothing that the program could see and never fails, whatever the address.
            unsafe { std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(line) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (address, stride, rows); // elsewhere there is no stable way to ask
}

fn block_rows<S>(sources: &[&dyn Source], parts: &[Part<'_, S>]) -> usize {
    let stride = parts.first().map_or(1, |part| sources[part.column].place().1.unsigned_abs());
    if parts.len() < 2 { CHUNK } else { (TILE / stride.max(1)).clamp(16, CHUNK) }
}

/// Neighbours whose values lie within one row of each other.
fn groups(sources: &[&dyn Source]) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for column in 0..sources.len() {
        let (address, stride) = sources[column].place();
        if let Some(last) = groups.last_mut() {
            let (first, step) = sources[last.start].place();
            let apart = address.abs_diff(first);
            if step == stride && apart < stride.unsigned_abs() && last.len() < TOGETHER {
                last.end = column + 1;
                continue;
            }
        }
        groups.push(column..column + 1);
    }
    groups
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Numbers in a table of several columns, row by row.
    pub struct Plain<'a> {
        pub table: &'a [f64],
        pub column: usize,
        pub columns: usize,
        /// Read as `i64`, −1 being missing, instead of as real numbers.
        pub whole: bool,
    }

    impl Source for Plain<'_> {
        fn rows(&self) -> usize {
            self.table.len() / self.columns
        }
        fn domain(&self) -> Domain {
            if self.whole { Domain::Signed } else { Domain::Real }
        }
        fn read(&self, start: usize, keys: &mut [u64]) {
            for (row, key) in keys.iter_mut().enumerate() {
                let value = self.table[(start + row) * self.columns + self.column];
                *key = if self.whole { value as i64 as u64 } else { real_key(value) };
            }
        }
        fn missing_key(&self) -> Option<u64> {
            Some(if self.whole { u64::MAX } else { NAN_KEY })
        }
        fn place(&self) -> (usize, isize) {
            (self.table.as_ptr() as usize + 8 * self.column, 8 * self.columns as isize)
        }
    }

    #[test]
    fn numbers_are_read_from_any_row_on() {
        let rows = 2 * BLOCK + 5;
        let mut table: Vec<f64> = (0..2 * rows).map(|value| value as f64).collect();
        table[2 * 7 + 1] = f64::NAN;
        let real = Plain { table: &table, column: 1, columns: 2, whole: false };
        let mut numbers = vec![0.0; rows - 3];
        real.numbers(3, &mut numbers);
        assert!(numbers[4].is_nan());
        let others = numbers.iter().enumerate().filter(|&(row, _)| row != 4);
        assert!(others.into_iter().all(|(row, &number)| number == (2 * (row + 3) + 1) as f64));
        let signed = Plain { table: &[-1.0, -2.0, 3.0], column: 0, columns: 1, whole: true };
        let mut numbers = [0.0; 3];
        signed.numbers(0, &mut numbers);
        assert!(numbers[0].is_nan());
        assert_eq!(numbers[1..], [-2.0, 3.0]);
    }

    #[test]
    fn columns_of_a_row_are_read_together() {
        let table = [0.0; 12];
        let columns: Vec<_> =
            (0..3).map(|column| Plain { table: &table, column, columns: 3, whole: false }).collect();
        let mut sources: Vec<&dyn Source> = columns.iter().map(|column| column as &dyn Source).collect();
        assert_eq!(groups(&sources), vec![0..3]);
        let other = [0.0; 400];
        let apart = Plain { table: &other[396..], column: 0, columns: 1, whole: false };
        sources.push(&apart);
        assert_eq!(groups(&sources), vec![0..3, 3..4]);
    }

    /// Three columns side by side, for whose rows the cache is asked, and two rows more than a block.
    #[test]
    fn a_walk_meets_each_value_of_each_column_once_and_in_order() {
        let (columns, rows) = (3, BLOCK + 2);
        let table: Vec<f64> = (0..columns * rows).map(|value| value as f64).collect();
        let plain: Vec<_> =
            (0..columns).map(|column| Plain { table: &table, column, columns, whole: false }).collect();
        let sources: Vec<&dyn Source> = plain.iter().map(|column| column as &dyn Source).collect();
        let mut codes = vec![Codes::U32(vec![0; rows]); columns];
        let met = walk(
            &sources,
            &mut codes,
            |column| (column, 0),
            |column, state, start, block, scratch| {
                let CodesMut::U32(block) = block else { panic!("other codes than those given") };
                let (keys, mask) = scratch.read(sources[column], start, block.len());
                assert!(mask.is_none());
                for (code, &key) in block.iter_mut().zip(keys) {
                    *code = f64::from_bits(key) as u32;
                }
                assert_eq!(*state, (column, start));
                state.1 += block.len();
            },
            |state| state.1,
        );
        assert_eq!(met, vec![vec![rows]; columns]);
        for (column, codes) in codes.iter().enumerate() {
            let expected = (0..rows).map(|row| (row * columns + column) as u32).collect();
            assert_eq!(*codes, Codes::U32(expected));
        }
    }
}
