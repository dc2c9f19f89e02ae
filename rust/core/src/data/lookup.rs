//! From new values to the codes that were learned: one pass, in blocks of rows.

use crate::data::distinct::Cache;
use std::collections::hash_map::Entry;

use crate::data::hash::KeyMap;
use crate::data::source::{BLOCK, CodesMut, walk};
use crate::data::{Code, Codes, Column, Source, bins_into};
use crate::error::Result;

/// The code of a value that has none.
pub const UNKNOWN: u32 = u32::MAX;

/// Codes of numbers by their keys.
pub struct KeyCodes {
    cache: Cache,
    map: KeyMap,
}

impl KeyCodes {
    /// A table of keys and their codes; of equal keys the first counts.
    pub fn new(pairs: impl IntoIterator<Item = (u64, u32)>) -> Self {
        let mut table = Self { cache: Cache::new(), map: KeyMap::default() };
        for (key, code) in pairs {
            if let Entry::Vacant(place) = table.map.entry(key) {
                place.insert(code);
                table.cache.put(key, code);
            }
        }
        table
    }

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
    Cuts(&'a [f64]),
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
    let width = |target: &Target<'_>| match target.arity {
        0..=0xFF => Codes::U8(vec![0; rows]),
        0x100..=0xFFFF => Codes::U16(vec![0; rows]),
        _ => Codes::U32(vec![0; rows]),
    };
    let mut codes: Vec<Codes> = targets.iter().map(width).collect();
    let step = |column: usize, odd: &mut Odd, start: usize, codes: CodesMut<'_>| match codes {
        CodesMut::U8(codes) => fill(sources[column], &targets[column], start, codes, odd),
        CodesMut::U16(codes) => fill(sources[column], &targets[column], start, codes, odd),
        CodesMut::U32(codes) => fill(sources[column], &targets[column], start, codes, odd),
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

fn fill<T: Code>(source: &dyn Source, target: &Target<'_>, start: usize, codes: &mut [T], odd: &mut Odd) {
    let narrow = |code: u32| if code == UNKNOWN { T::MISSING } else { T::from_index(code as usize) };
    let mut keys = [0; BLOCK];
    let keys = &mut keys[..codes.len()];
    source.read(start, keys);
    let mut mask = [false; BLOCK];
    let mask = &mut mask[..codes.len()];
    let masked = source.read_mask(start, mask);
    let missing = source.missing_key();
    let absent = |row: usize, key: u64| missing == Some(key) || (masked && mask[row]);
    let mut unknown = None;
    match &target.rule {
        Rule::Keys(table) => {
            for (row, (code, &key)) in codes.iter_mut().zip(keys.iter()).enumerate() {
                let found = if absent(row, key) { target.missing } else { table.code(key) };
                if found == UNKNOWN && !absent(row, key) && unknown.is_none() {
                    unknown = Some(row);
                }
                *code = narrow(found);
            }
        }
        Rule::Places(table) => {
            for (row, (code, &key)) in codes.iter_mut().zip(keys.iter()).enumerate() {
                let known = table.get(key as usize).copied();
                let found = if absent(row, key) { target.missing } else { known.unwrap_or(UNKNOWN) };
                if found == UNKNOWN && !absent(row, key) && unknown.is_none() {
                    unknown = Some(row);
                }
                *code = narrow(found);
            }
        }
        Rule::Cuts(cuts) => {
            let domain = source.domain();
            let mut numbers = [0.0; BLOCK];
            let numbers = &mut numbers[..keys.len()];
            for (row, (number, &key)) in numbers.iter_mut().zip(keys.iter()).enumerate() {
                *number = if absent(row, key) { f64::NAN } else { domain.number(key) };
            }
            if numbers.iter().any(|number| number.is_infinite()) && odd.infinite.is_none() {
                odd.infinite = numbers.iter().position(|number| number.is_infinite()).map(|row| start + row);
            }
            bins_into(numbers, cuts, narrow(target.missing), codes);
        }
    }
    if odd.unknown.is_none() {
        odd.unknown = unknown.map(|row| start + row);
    }
}
