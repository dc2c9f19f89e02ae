//! The distinct values of columns of numbers, found while their codes are written: one pass.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::data::column::with_width;
use crate::data::key_table::KeyTable;
use crate::data::source::{BLOCK, CHUNK, CodesMut, Scratch, each, walk};
use crate::data::{Code, Codes, Column, Domain, Source};
use crate::error::Result;
use crate::with_codes;

/// What is known of a column after one pass.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    /// Few enough distinct values.
    Levels(Levels),
    /// More distinct values than were asked for; some of the rows may be missing.
    Many,
}

/// The distinct values of a column, and the place of each row's value among them.
#[derive(Debug, Clone, PartialEq)]
pub struct Levels {
    /// What the keys are.
    pub domain: Domain,
    /// The distinct values, ascending.
    pub keys: Vec<u64>,
    /// The place of each row's value; the largest code of the width where it is missing.
    pub codes: Codes,
    /// Whether any value is missing.
    pub has_missing: bool,
}

/// The most levels whose codes take one byte each.
const NARROW: usize = u8::MAX as usize;

/// Reads columns of the same length in one pass. A column of more than `limits[column]` distinct values is given up.
///
/// The result does not depend on the number of threads.
///
/// # Complexity
/// O(N) for each column, and O(levels log levels) for their order. Codes of one byte are written at once by several
/// threads; a column of more than 255 levels is read once more, by one thread.
pub fn read(sources: &[&dyn Source], limits: &[usize]) -> Vec<Reading> {
    let rows = sources.first().map_or(0, |source| source.rows());
    let mut codes: Vec<Codes> = sources.iter().map(|_| Codes::U8(vec![0; rows])).collect();
    let first: Vec<Vec<u64>> = sources.iter().map(|source| first_keys(*source)).collect();
    let full: Vec<AtomicBool> = sources.iter().map(|_| AtomicBool::new(false)).collect();
    let begin = |column: usize| Seen::new(sources[column], &first[column], limits[column].min(NARROW));
    let step = |column: usize, seen: &mut Seen, start: usize, codes: CodesMut<'_>, scratch: &mut Scratch| {
        let CodesMut::U8(codes) = codes else { return };
        if !full[column].load(Ordering::Relaxed) && !seen.fill(sources[column], start, codes, scratch) {
            full[column].store(true, Ordering::Relaxed);
        }
    };
    let seen = walk(sources, &mut codes, begin, step, Seen::into_keys);
    let finish = |(column, (codes, parts)): (usize, (Codes, Vec<ChunkKeys>))| {
        let source = sources[column];
        let given_up = full[column].load(Ordering::Relaxed);
        let merged = if given_up { None } else { merge(source, codes, &parts, limits[column]) };
        match merged {
            Some(levels) => Reading::Levels(levels),
            None if limits[column] > NARROW => read_wide(source, limits[column]),
            None => Reading::Many,
        }
    };
    each(codes.into_iter().zip(seen).enumerate().collect(), rows * sources.len(), finish)
}

/// The keys of the first rows, ascending: chunks that begin with them mostly agree from the start.
fn first_keys(source: &dyn Source) -> Vec<u64> {
    if source.is_bytes() {
        return Vec::new();
    }
    let mut keys = [0; 256];
    let keys = &mut keys[..source.rows().min(256)];
    source.read(0, keys);
    let mut mask = [false; 256];
    source.read_mask(0, &mut mask[..keys.len()]);
    let known = keys.iter().zip(mask).filter(|&(&key, masked)| !masked && Some(key) != source.missing_key());
    let mut known: Vec<u64> = known.map(|(&key, _)| key).collect();
    source.domain().sort(&mut known);
    known.dedup();
    // Where nearly every row has a value of its own, there is nothing to agree upon.
    if known.len() > 128 { Vec::new() } else { known }
}

/// What one chunk of one column has met.
enum Seen {
    /// Every value is a byte: the codes are the values themselves for now.
    Bytes {
        seen: Box<[bool; 256]>,
        masked: bool,
    },
    Keys(Box<KeyTable>),
}

/// The keys of a chunk, by its codes; for bytes all that occur.
struct ChunkKeys {
    keys: Vec<u64>,
    bytes: Option<Box<[bool; 256]>>,
    has_missing: bool,
}

impl Seen {
    fn new(source: &dyn Source, first: &[u64], limit: usize) -> Self {
        // A mask needs a code of its own, which a byte may take.
        let mut mask = [false];
        if source.is_bytes() && source.rows() > 0 && !source.read_mask(0, &mut mask) {
            return Self::Bytes { seen: Box::new([false; 256]), masked: false };
        }
        let mut table = KeyTable::new(limit);
        if first.len() <= limit {
            for &key in first {
                table.insert(key);
            }
        }
        Self::Keys(Box::new(table))
    }

    /// Fills in the codes of a block; false where there are too many levels.
    fn fill(&mut self, source: &dyn Source, start: usize, codes: &mut [u8], scratch: &mut Scratch) -> bool {
        match self {
            Self::Bytes { seen, .. } => {
                source.read_bytes(start, codes);
                for &byte in codes.iter() {
                    seen[byte as usize] = true;
                }
                true
            }
            Self::Keys(table) => table.fill(source, start, codes, scratch),
        }
    }

    fn into_keys(self) -> ChunkKeys {
        match self {
            Self::Bytes { seen, masked } => {
                ChunkKeys { keys: Vec::new(), bytes: Some(seen), has_missing: masked }
            }
            Self::Keys(table) => ChunkKeys { keys: table.keys, bytes: None, has_missing: table.has_missing },
        }
    }
}

/// The levels of all chunks in one order, and the codes that fit it; nothing where they are too many.
fn merge(source: &dyn Source, mut codes: Codes, parts: &[ChunkKeys], limit: usize) -> Option<Levels> {
    let domain = source.domain();
    let Codes::U8(narrow) = &mut codes else { return None };
    let mut has_missing = parts.iter().any(|part| part.has_missing);
    let bytes = parts.iter().any(|part| part.bytes.is_some());
    let mut keys: Vec<u64> = if bytes {
        let missing = source.missing_key();
        let seen = |byte: usize| parts.iter().any(|part| part.bytes.as_ref().is_some_and(|seen| seen[byte]));
        let met = (0..256).filter(|&byte| seen(byte)).map(|byte| source.byte_key(byte as u8));
        has_missing |= met.clone().any(|key| Some(key) == missing);
        met.filter(|&key| Some(key) != missing).collect()
    } else {
        parts.iter().flat_map(|part| part.keys.iter().copied()).collect()
    };
    domain.sort(&mut keys);
    keys.dedup();
    if keys.len() > limit.min(NARROW) {
        return None;
    }
    let place = |key: u64| keys.iter().position(|&known| known == key).map_or(u8::MAX, |place| place as u8);
    if bytes {
        let table: Vec<u8> = (0..=255).map(|byte| place(source.byte_key(byte))).collect();
        let same = (0..256).all(|byte| {
            let met = parts.iter().any(|part| part.bytes.as_ref().is_some_and(|seen| seen[byte]));
            !met || table[byte] == byte as u8
        });
        if !same {
            narrow.iter_mut().for_each(|code| *code = table[*code as usize]);
        }
    } else {
        for (part, codes) in parts.iter().zip(narrow.chunks_mut(narrow_chunk(parts.len(), source.rows()))) {
            let mut table = [u8::MAX; 256];
            for (code, &key) in part.keys.iter().enumerate() {
                table[code] = place(key);
            }
            if (0..part.keys.len()).any(|code| table[code] != code as u8) {
                codes.iter_mut().for_each(|code| *code = table[*code as usize]);
            }
        }
    }
    Some(Levels { domain, keys, codes, has_missing })
}

fn narrow_chunk(parts: usize, rows: usize) -> usize {
    if parts <= 1 { rows.max(1) } else { CHUNK }
}

/// One column by one thread, with codes as wide as they must be.
fn read_wide(source: &dyn Source, limit: usize) -> Reading {
    let limit = limit.min(Column::MAX_ARITY);
    let mut table = KeyTable::new(limit);
    let mut codes: Vec<u32> = vec![0; source.rows()];
    let mut scratch = Scratch::new();
    for (block, codes) in codes.chunks_mut(BLOCK).enumerate() {
        if !table.fill(source, block * BLOCK, codes, &mut scratch) {
            return Reading::Many;
        }
    }
    let domain = source.domain();
    let mut keys = table.keys.clone();
    domain.sort(&mut keys);
    let mut place: Vec<u32> = vec![0; keys.len()];
    for (rank, key) in keys.iter().enumerate() {
        if let Some(code) = table.code_of(*key) {
            place[code as usize] = rank as u32;
        }
    }
    let rank = |code: u32| place.get(code as usize).copied().unwrap_or(u32::MAX);
    let codes =
        with_width!(keys.len(), T => T::wrap(codes.into_iter().map(|code| rank(code) as T).collect()));
    Reading::Levels(Levels { domain, keys, codes, has_missing: table.has_missing })
}

impl Levels {
    /// The column whose codes are `table` of the levels' places; `missing` is the code of a missing value. A code of
    /// `u32::MAX` is none.
    pub fn into_column(self, name: &str, table: &[u32], missing: u32, arity: usize) -> Result<Column> {
        fn convert<A: Code, B: Code>(codes: &[A], code: impl Fn(usize) -> u32) -> Vec<B> {
            let narrow = |code: u32| if code == u32::MAX { B::MISSING } else { B::from_index(code as usize) };
            codes.iter().map(|from| narrow(code(from.index()))).collect()
        }
        let code = |place: usize| table.get(place).copied().unwrap_or(missing);
        let codes = match self.codes {
            Codes::U8(mut codes) if arity <= NARROW => {
                let bytes: Vec<u8> = (0..256).map(|place| code(place).min(255) as u8).collect();
                let met = self.keys.len();
                let same = (0..met).all(|place| bytes[place] == place as u8);
                if !(same && (!self.has_missing || bytes[255] == 255)) {
                    codes.iter_mut().for_each(|code| *code = bytes[*code as usize]);
                }
                Codes::U8(codes)
            }
            codes => with_width!(arity, T => T::wrap(with_codes!(&codes, codes => convert(codes, code)))),
        };
        Column::new(name, codes, arity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::source::tests::Plain;
    use crate::data::{Cuts, Cuttable, KeyCodes, Rule, Target, UNKNOWN, cut_points, encode, mdl_cut_points};
    use proptest::prelude::*;

    /// Distinct values in ascending order, and the place of each row's, found the obvious way.
    fn naive(values: &[f64]) -> (Vec<f64>, Vec<Option<usize>>) {
        let mut levels: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
        levels.sort_by(|a, b| a.partial_cmp(b).unwrap());
        levels.dedup();
        let place = |value: &f64| levels.iter().position(|level| level == value);
        let places = values.iter().map(place).collect();
        (levels, places)
    }

    fn check(values: &[f64], columns: usize, whole: bool, limit: usize) {
        let plain: Vec<_> =
            (0..columns).map(|column| Plain { table: values, column, columns, whole }).collect();
        let sources: Vec<&dyn Source> = plain.iter().map(|column| column as &dyn Source).collect();
        for (column, reading) in read(&sources, &vec![limit; columns]).into_iter().enumerate() {
            let of_column: Vec<f64> = values.iter().skip(column).step_by(columns).copied().collect();
            let missing = |value: f64| if whole && value == -1.0 { f64::NAN } else { value };
            let of_column: Vec<f64> = of_column.into_iter().map(missing).collect();
            let (levels, places) = naive(&of_column);
            let Reading::Levels(found) = reading else {
                assert!(levels.len() > limit);
                continue;
            };
            assert!(levels.len() <= limit);
            let numbers: Vec<f64> = found.keys.iter().map(|&key| found.domain.number(key)).collect();
            assert_eq!(numbers, levels);
            assert_eq!(found.has_missing, places.contains(&None));
            let table: Vec<u32> = (0..levels.len() as u32).collect();
            let pairs = found.keys.iter().copied().zip(table.iter().copied());
            let codes = KeyCodes::new(pairs);
            let arity = levels.len().max(1);
            let read = found.into_column("x", &table, UNKNOWN, arity).unwrap();
            let rule = Rule::Keys(&codes);
            let target = Target { name: "x", rule, arity, missing: UNKNOWN };
            let again = encode(&[sources[column]], &[target]).unwrap().remove(0);
            assert_eq!((again.unknown, &again.column), (None, &read));
            for (row, &place) in places.iter().enumerate() {
                assert_eq!(read.get(row), place, "row {row}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn levels_are_those_that_occur(
            values in prop::collection::vec(prop_oneof![Just(-1.0), Just(f64::NAN), (-300i32..300).prop_map(f64::from)], 0..900),
            columns in 1usize..4,
            whole in any::<bool>(),
            limit in prop_oneof![1usize..10, Just(255usize), Just(100_000usize)],
        ) {
            let rows = values.len() / columns;
            let values: Vec<f64> = values[..rows * columns].iter().map(|&v| if whole && v.is_nan() { -1.0 } else { v }).collect();
            check(&values, columns, whole, limit);
        }

        #[test]
        fn few_values_are_cut_as_all_rows_are(rows in prop::collection::vec((0u8..40, 0u32..3, 0u8..9), 1..300)) {
            let x: Vec<f64> = rows.iter().map(|row| if row.0 == 39 { f64::NAN } else { f64::from(row.0) / 4.0 }).collect();
            let y: Vec<u32> = rows.iter().map(|row| if row.2 == 0 { row.1 } else { u32::from(row.0 / 14) }).collect();
            let plain = Plain { table: &x, column: 0, columns: 1, whole: false };
            let readings = read(&[&plain], &[255]);
            let Reading::Levels(levels) = &readings[0] else { return Err(TestCaseError::fail("too many")) };
            let expected = mdl_cut_points(&x, &y, 3, None).unwrap();
            let cuts = cut_points(&[Cuttable::Levels(levels), Cuttable::Source(&plain)], &y, 3, None).unwrap();
            prop_assert_eq!(&cuts, &vec![expected.clone(), expected]);
            let weights: Vec<f64> = rows.iter().map(|row| f64::from(row.2)).collect();
            let expected = mdl_cut_points(&x, &y, 3, Some(&weights)).unwrap();
            let cuts = cut_points(&[Cuttable::Levels(levels), Cuttable::Source(&plain)], &y, 3, Some(&weights)).unwrap();
            prop_assert_eq!(&cuts, &vec![expected.clone(), expected]);
        }
    }

    #[test]
    fn chunks_that_meet_values_in_another_order_agree() {
        // More rows than a chunk, whose second one begins with other values.
        let rows = 2 * CHUNK + 77;
        let value = |row: usize| if row < CHUNK { (row % 5) as f64 } else { (9 - row % 7) as f64 };
        let values: Vec<f64> = (0..rows).map(value).collect();
        check(&values, 1, true, 255);
        check(&values, 1, false, 5);
        let many: Vec<f64> = (0..rows).map(|row| (row % 70_001) as f64).collect();
        check(&many, 1, true, 100_000);
    }

    #[test]
    fn values_without_a_code_and_infinite_ones_are_pointed_out() {
        let values = [1.0, 7.0, f64::NAN, f64::INFINITY];
        let plain = Plain { table: &values, column: 0, columns: 1, whole: false };
        let codes = KeyCodes::new([(1.0f64.to_bits(), 0)]);
        let target = |rule| Target { name: "x", rule, arity: 2, missing: 1 };
        let found = encode(&[&plain], &[target(Rule::Keys(&codes))]).unwrap().remove(0);
        assert_eq!(found.unknown, Some(1));
        assert_eq!((found.column.get(0), found.column.get(1), found.column.get(2)), (Some(0), None, Some(1)));
        let found = encode(&[&plain], &[target(Rule::Cuts(Cuts::new(&[])))]).unwrap().remove(0);
        assert_eq!((found.unknown, found.infinite), (None, Some(3)));
        let places = [1.0, 0.0, -1.0, 5.0];
        let plain = Plain { table: &places, column: 0, columns: 1, whole: true };
        let found = encode(&[&plain], &[target(Rule::Places(&[1, 0]))]).unwrap().remove(0);
        assert_eq!(found.unknown, Some(3));
        assert_eq!(
            (found.column.get(0), found.column.get(1), found.column.get(2)),
            (Some(0), Some(1), Some(1))
        );
    }
}
