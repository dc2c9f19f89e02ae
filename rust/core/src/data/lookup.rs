//! From new values to the codes that were learned: one pass, in blocks of rows.

use std::collections::hash_map::Entry;

use crate::data::column::with_width;
use crate::data::hash::KeyMap;
use crate::data::key_table::Cache;
use crate::data::source::{CodesMut, Scratch, walk};
use crate::data::{Code, Codes, Column, Cuts, Source};
use crate::error::Result;

/// The code of a value that has none.
pub const UNKNOWN: u32 = u32::MAX;

/// Codes of numbers by their keys.
pub enum KeyCodes {
    /// Keys that lie close together, as small whole numbers do: the code of `base + i` is `codes[i]`.
    Near {
        /// The least key.
        base: u64,
        /// A code for each key from there on.
        codes: Vec<u32>,
    },
    /// Any keys.
    Apart(Box<ByKey>),
}

/// Keys that lie apart, behind a small cache.
pub struct ByKey {
    cache: Cache,
    map: KeyMap,
}

/// The largest distance of two keys that a list of codes by distance bridges.
const NEAR: u64 = 1024;

impl KeyCodes {
    /// A table of keys and their codes; of equal keys the first counts.
    pub fn new(pairs: impl IntoIterator<Item = (u64, u32)>) -> Self {
        let mut table = ByKey { cache: Cache::new(), map: KeyMap::default() };
        for (key, code) in pairs {
            if let Entry::Vacant(place) = table.map.entry(key) {
                place.insert(code);
                table.cache.put(key, code);
            }
        }
        // In the order of numbers with a sign: distances of unsigned ones beyond 2⁶³ wrap around to the same.
        let ends =
            (table.map.keys().map(|&key| key as i64).min(), table.map.keys().map(|&key| key as i64).max());
        let (Some(least), Some(most)) = ends else { return Self::Apart(Box::new(table)) };
        let width = (most as u64).wrapping_sub(least as u64);
        if width > NEAR {
            return Self::Apart(Box::new(table));
        }
        let base = least as u64;
        let code = |distance: u64| table.map.get(&base.wrapping_add(distance)).copied().unwrap_or(UNKNOWN);
        Self::Near { base, codes: (0..=width).map(code).collect() }
    }
}

impl ByKey {
    #[inline(always)]
    fn code(&self, key: u64) -> u32 {
        self.cache.get(key).unwrap_or_else(|| self.map.get(&key).copied().unwrap_or(UNKNOWN))
    }
}

/// How the values of one column become codes.
pub enum Rule<'a> {
    /// A number is a level.
    Keys(&'a KeyCodes),
    /// A value is the place of its level, 0, 1, …, in this list of codes; below 0 it is missing.
    Places(&'a [u32]),
    /// A number lies between cut points.
    Cuts(Cuts<'a>),
}

/// One column to encode.
pub struct Target<'a> {
    /// Its name, for errors.
    pub name: &'a str,
    /// The rule.
    pub rule: Rule<'a>,
    /// The size of the domain.
    pub arity: usize,
    /// The code of a missing value, or [`UNKNOWN`].
    pub missing: u32,
}

impl Target<'_> {
    /// The least key and the codes of the keys from there on in one byte each, the last for all others: 255, which is the
    /// code of none, so that a block without it has neither missing nor unknown values. Nothing where codes or keys do
    /// not allow it, or where so few rows are to be encoded that the table would take longer.
    fn byte_table(&self, rows: usize) -> Option<(u64, Vec<u8>)> {
        let (base, codes) = match &self.rule {
            Rule::Keys(KeyCodes::Near { base, codes }) => (*base, codes.as_slice()),
            Rule::Places(codes) => (0, *codes),
            _ => return None,
        };
        // A missing value has a key behind all codes, as −1 has, or none of these keys can be missing.
        let fits = self.arity <= 0xFF && codes.len() < rows;
        fits.then(|| (base, codes.iter().map(|&code| narrow(code)).chain([u8::MAX]).collect()))
    }
}

/// A column of codes, and the first rows with a value that has no code or that is infinite.
#[derive(Debug)]
pub struct Encoded {
    /// The codes.
    pub column: Column,
    /// The first row whose value was not seen.
    pub unknown: Option<usize>,
    /// The first row whose value is infinite, where there are cut points.
    pub infinite: Option<usize>,
}

#[derive(Default)]
struct Odd {
    unknown: Option<usize>,
    infinite: Option<usize>,
}

/// Encodes columns of the same length.
///
/// # Complexity
/// O(N) for each column, by blocks that several threads share; the result does not depend on their number.
pub fn encode(sources: &[&dyn Source], targets: &[Target<'_>]) -> Result<Vec<Encoded>> {
    let rows = sources.first().map_or(0, |source| source.rows());
    let empty = |target: &Target<'_>| with_width!(target.arity, T => T::wrap(vec![0; rows]));
    let mut codes: Vec<Codes> = targets.iter().map(empty).collect();
    let tables: Vec<_> = targets.iter().map(|target| target.byte_table(rows)).collect();
    let step = |column: usize, odd: &mut Odd, start: usize, codes: CodesMut<'_>, scratch: &mut Scratch| {
        let (source, target) = (sources[column], &targets[column]);
        match codes {
            CodesMut::U8(codes) => {
                let known = tables[column].as_ref().is_some_and(|(base, table)| {
                    source.look_up(start, *base, table, codes) && !codes.contains(&u8::MAX)
                });
                if !known {
                    fill(source, target, start, codes, odd, scratch);
                }
            }
            CodesMut::U16(codes) => fill(source, target, start, codes, odd, scratch),
            CodesMut::U32(codes) => fill(source, target, start, codes, odd, scratch),
        }
    };
    let odd = walk(sources, &mut codes, |_| Odd::default(), step, |odd| odd);
    let least = |odd: &[Odd], row: fn(&Odd) -> Option<usize>| odd.iter().filter_map(row).min();
    targets
        .iter()
        .zip(codes)
        .zip(odd)
        .map(|((target, codes), odd)| {
            Ok(Encoded {
                column: Column::new(target.name, codes, target.arity)?,
                unknown: least(&odd, |odd| odd.unknown),
                infinite: least(&odd, |odd| odd.infinite),
            })
        })
        .collect()
}

/// Writes the codes of a block of rows.
fn fill<T: Code>(
    source: &dyn Source,
    target: &Target<'_>,
    start: usize,
    codes: &mut [T],
    odd: &mut Odd,
    scratch: &mut Scratch,
) {
    match &target.rule {
        Rule::Cuts(cuts) => {
            let numbers = match source.reals() {
                Some(reals) => &reals[start..start + codes.len()],
                None => scratch.numbers(source, start, codes.len()),
            };
            // All of them are looked at, without a branch for each.
            if numbers.iter().fold(false, |any, number| any | number.is_infinite()) && odd.infinite.is_none()
            {
                odd.infinite = numbers.iter().position(|number| number.is_infinite()).map(|row| start + row);
            }
            cuts.bins(numbers, narrow(target.missing), codes);
        }
        Rule::Keys(KeyCodes::Near { base, codes: table }) => {
            let near = |key: u64| table.get(key.wrapping_sub(*base) as usize).copied().unwrap_or(UNKNOWN);
            look_up(source, target, start, codes, odd, scratch, near);
        }
        Rule::Keys(KeyCodes::Apart(table)) => {
            look_up(source, target, start, codes, odd, scratch, |key| table.code(key));
        }
        Rule::Places(table) => {
            let place = |key: u64| table.get(key as usize).copied().unwrap_or(UNKNOWN);
            look_up(source, target, start, codes, odd, scratch, place);
        }
    }
}

/// A code that fits; [`UNKNOWN`], all bits of which are set, is the missing code of every width.
#[inline(always)]
fn narrow<T: Code>(code: u32) -> T {
    T::from_index(code as usize)
}

/// Writes the codes of a block by its keys, and remembers the first row that has none and is not missing.
#[inline(always)]
fn look_up<T: Code>(
    source: &dyn Source,
    target: &Target<'_>,
    start: usize,
    codes: &mut [T],
    odd: &mut Odd,
    scratch: &mut Scratch,
    known: impl Fn(u64) -> u32,
) {
    let (keys, mask) = scratch.read(source, start, codes.len());
    let missing = source.missing_key();
    let absent = |row: usize, key: u64| missing == Some(key) || mask.is_some_and(|mask| mask[row]);
    let mut all_known = true;
    for (row, (code, &key)) in codes.iter_mut().zip(keys).enumerate() {
        let found = if absent(row, key) { target.missing } else { known(key) };
        all_known &= found != UNKNOWN;
        *code = narrow(found);
    }
    if !all_known && odd.unknown.is_none() {
        let unknown = |(row, &key): (usize, &u64)| !absent(row, key) && known(key) == UNKNOWN;
        odd.unknown = keys.iter().enumerate().position(unknown).map(|row| start + row);
    }
}
