//! The values of a column too long to keep: a sample of the distinct ones, with exact counts.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use multiversion::multiversion;

use crate::error::{Error, Result, check_length};

/// At most `size` distinct values of a column, each with its number of rows (or their weight) of each class.
///
/// # Formula
/// ```text
/// kept = the `size` distinct values v with the smallest h(v);   N_vc exact for each of them
/// ```
/// h a fixed mixing of the 64 bits of v (the last step of `SplitMix64`, a bijection). Where the column has no more distinct
/// values, all are kept and nothing is lost. Otherwise they are a uniform sample of the distinct values. A value that is
/// kept in the end has one of the smallest h in every part of the rows as well, and so was never forgotten: its counts
/// are exact, and what is kept depends neither on how the rows were divided nor on their order, as it would with
/// sketches that compact what they have seen.
///
/// # Complexity
/// O(1) per row, mostly one comparison once a column has shown many values; O(size·s) memory.
///
/// # References
/// cohen2007 (bottom-k samples), steele2014 (`SplitMix64`)
#[derive(Debug, Clone)]
pub struct Sketch {
    size: usize,
    /// Values with a larger hash are not looked at any more.
    threshold: u64,
    /// The counts of each class, by hash; classes that a value has not met yet are left out at the end.
    kept: HashMap<u64, (f64, Vec<f64>), BuildHasherDefault<AsItIs>>,
}

/// What was met among the values of some rows beside numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Odd {
    /// Whether a value is missing, in a row that counts.
    pub has_missing: bool,
    /// The first row whose value is infinite; then none of the rows was added.
    pub infinite: Option<usize>,
}

/// Values that are looked at together for odd ones, of which most blocks have none.
const BLOCK: usize = 1024;
/// Values that are hashed together.
const ABREAST: usize = 128;
/// Places in which rows are summed up before they are added.
const RECENT: usize = 256;

/// Rows of one value and class.
#[derive(Debug, Clone, Copy, Default)]
struct Recent {
    hash: u64,
    value: f64,
    class: u32,
    rows: u32,
}

/// Hashes of what is a hash already.
#[derive(Debug, Clone, Copy, Default)]
pub struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// The hashes of some values, and the least of them.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+avx2", "x86_64+avx2", "aarch64+neon"))]
fn mix_all(values: &[f64], hashes: &mut [u64]) -> u64 {
    let mut least = u64::MAX;
    for (hash, &value) in hashes.iter_mut().zip(values) {
        *hash = mix(value);
        least = least.min(*hash);
    }
    least
}

#[inline(always)]
fn mix(value: f64) -> u64 {
    // −0 and 0 are one value.
    let mut bits = (value + 0.0).to_bits().wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

impl Sketch {
    /// A sketch of no rows; `size` is at least 1.
    pub fn new(size: usize) -> Self {
        Self { size: size.max(1), threshold: u64::MAX, kept: HashMap::default() }
    }

    /// Adds rows: NaN is missing and not counted. `class` and `weights`, where given, have one
    /// entry for each value; rows of weight 0 are passed over.
    pub fn update(&mut self, values: &[f64], class: Option<&[u32]>, weights: Option<&[f64]>) -> Result<Odd> {
        for (what, found) in [("the class", class.map(<[_]>::len)), ("the weights", weights.map(<[_]>::len))]
        {
            check_length(what, found.unwrap_or(values.len()), values.len())?;
        }
        let weigh = |row: usize| weights.map_or(1.0, |weights| weights[row]);
        let mut odd = Odd::default();
        for (start, block) in (0..).step_by(BLOCK).zip(values.chunks(BLOCK)) {
            if block.iter().fold(true, |all, value| all & value.is_finite()) {
                continue;
            }
            for (row, value) in (start..).zip(block) {
                odd.has_missing |= value.is_nan() && weigh(row) > 0.0;
                odd.infinite = odd.infinite.or(value.is_infinite().then_some(row));
            }
        }
        if odd.infinite.is_some() {
            return Ok(odd);
        }
        let label = |row: usize| class.map_or(0, |class| class[row]);
        match weights {
            None => self.count(values, label),
            Some(weights) => {
                for (row, (&value, &weight)) in values.iter().zip(weights).enumerate() {
                    let hash = mix(value);
                    if hash <= self.threshold && weight > 0.0 && !value.is_nan() {
                        self.add(hash, value, label(row) as usize, weight);
                    }
                }
            }
        }
        Ok(odd)
    }

    /// Adds rows without weights. Sums of ones are exact in any order, so that values which come again and again are summed
    /// up in a few places before they are looked for.
    fn count(&mut self, values: &[f64], label: impl Fn(usize) -> u32) {
        let (mut recent, mut hashes) = (vec![Recent::default(); RECENT], [0; ABREAST]);
        for (start, values) in (0..).step_by(ABREAST).zip(values.chunks(ABREAST)) {
            // Once a column has shown many values, most of these have a larger hash than those that are kept.
            if mix_all(values, &mut hashes) > self.threshold {
                continue;
            }
            for (row, (&value, &hash)) in (start..).zip(values.iter().zip(&hashes)) {
                if hash > self.threshold || value.is_nan() {
                    continue;
                }
                let class = label(row);
                let place = (hash as usize).wrapping_add(class as usize) % RECENT;
                let last = &mut recent[place];
                if last.rows > 0 && (last.hash, last.class) == (hash, class) {
                    last.rows += 1;
                } else {
                    let before = std::mem::replace(last, Recent { hash, value, class, rows: 1 });
                    self.add_recent(&before);
                }
            }
        }
        recent.iter().for_each(|rows| self.add_recent(rows));
    }

    fn add_recent(&mut self, recent: &Recent) {
        // The threshold may have sunk since.
        if recent.rows > 0 && recent.hash <= self.threshold {
            self.add(recent.hash, recent.value, recent.class as usize, f64::from(recent.rows));
        }
    }

    fn add(&mut self, hash: u64, value: f64, class: usize, weight: f64) {
        let (_, counts) = self.kept.entry(hash).or_insert_with(|| (value + 0.0, Vec::new()));
        if counts.len() <= class {
            counts.resize(class + 1, 0.0);
        }
        counts[class] += weight;
        if self.kept.len() > 2 * self.size {
            self.forget();
        }
    }

    /// Adds the rows of another sketch, whose class `c` is called `classes[c]` here.
    pub fn merge(&mut self, other: &Self, classes: &[usize]) -> Result<()> {
        self.size = self.size.min(other.size);
        self.threshold = self.threshold.min(other.threshold);
        for (&hash, (value, counts)) in &other.kept {
            if hash <= self.threshold {
                for (c, &weight) in counts.iter().enumerate() {
                    let (what, found) = ("the list of classes", classes.len());
                    let expected = counts.len();
                    let &class = classes.get(c).ok_or(Error::LengthMismatch { what, found, expected })?;
                    self.add(hash, *value, class, weight);
                }
            }
        }
        let threshold = self.threshold;
        self.kept.retain(|&hash, _| hash <= threshold);
        Ok(())
    }

    fn forget(&mut self) {
        let mut hashes: Vec<u64> = self.kept.keys().copied().collect();
        if hashes.len() > self.size {
            let (_, &mut last, _) = hashes.select_nth_unstable(self.size - 1);
            self.threshold = last;
            self.kept.retain(|&hash, _| hash <= last);
        }
    }

    /// Whether all distinct values were kept.
    pub fn is_exact(&self) -> bool {
        self.threshold == u64::MAX && self.kept.len() <= self.size
    }

    /// The kept values, ascending, and the counts of each for so many classes: `[value·classes + c]`.
    pub fn values(&self, classes: usize) -> (Vec<f64>, Vec<f64>) {
        let mut sketch = self.clone();
        sketch.forget();
        let mut kept: Vec<(f64, Vec<f64>)> = sketch.kept.into_values().collect();
        kept.sort_by(|a, b| a.0.total_cmp(&b.0));
        let counts = kept
            .iter()
            .flat_map(|(_, counts)| (0..classes).map(|class| counts.get(class).copied().unwrap_or_default()));
        let counts = counts.collect();
        (kept.into_iter().map(|(value, _)| value).collect(), counts)
    }

    /// A sketch of these values and counts, as [`Sketch::values`] gives them; `exact` where no other value was met.
    pub fn from_values(
        size: usize,
        values: &[f64],
        counts: &[f64],
        classes: usize,
        exact: bool,
    ) -> Result<Self> {
        let expected = values.len().saturating_mul(classes);
        if counts.len() != expected || values.len() > size || values.iter().any(|value| !value.is_finite()) {
            return Err(Error::LengthMismatch { what: "the list of counts", found: counts.len(), expected });
        }
        let mut sketch = Self::new(size);
        for (&value, counts) in values.iter().zip(counts.chunks(classes.max(1))) {
            sketch.kept.insert(mix(value), (value, counts.to_vec()));
        }
        if !exact {
            sketch.threshold = sketch.kept.keys().copied().max().unwrap_or(0);
        }
        Ok(sketch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn sketch(size: usize, rows: &[(i8, u32)]) -> Sketch {
        let mut sketch = Sketch::new(size);
        let (values, class): (Vec<f64>, Vec<u32>) =
            rows.iter().map(|&(v, c)| (f64::from(v) / 2.0, c)).unzip();
        assert_eq!(sketch.update(&values, Some(&class), None).unwrap(), Odd::default());
        sketch
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn any_division_keeps_the_same_values_with_exact_counts(
            rows in prop::collection::vec((-40i8..40, 0u32..3), 2..300), cut in 1usize..299, size in 1usize..90,
        ) {
            let cut = 1 + cut % (rows.len() - 1);
            let whole = sketch(size, &rows);
            let mut merged = sketch(size, &rows[cut..]);
            merged.merge(&sketch(size, &rows[..cut]), &[0, 1, 2]).unwrap();
            let (values, counts) = whole.values(3);
            prop_assert_eq!((values.clone(), counts.clone()), merged.values(3));
            let again = Sketch::from_values(size, &values, &counts, 3, whole.is_exact()).unwrap();
            let mut twice = again.clone();
            twice.merge(&merged, &[0, 1, 2]).unwrap();
            prop_assert_eq!(twice.values(3).0, values.clone());
            let mut expected: BTreeMap<i64, [f64; 3]> = BTreeMap::new();
            rows.iter().for_each(|&(v, c)| expected.entry(i64::from(v)).or_default()[c as usize] += 1.0);
            prop_assert_eq!(values.len(), expected.len().min(size));
            prop_assert_eq!(whole.is_exact(), expected.len() <= size);
            for (value, counts) in values.iter().zip(counts.chunks(3)) {
                prop_assert_eq!(&expected[&((value * 2.0) as i64)], counts);
            }
        }
    }

    /// So many different values that most blocks hold none that is kept.
    #[test]
    fn of_many_values_those_with_the_least_hashes_are_kept() {
        let values: Vec<f64> =
            (0..40_000u32).map(|row| f64::from(row.wrapping_mul(77_773) % 20_000) / 8.0).collect();
        let class: Vec<u32> = (0..40_000).map(|row| u32::from(row < 20_000)).collect();
        let mut sketch = Sketch::new(64);
        sketch.update(&values, Some(&class), None).unwrap();
        let mut all: Vec<f64> = values[..20_000].to_vec();
        all.sort_by_key(|&value| mix(value));
        all.truncate(64);
        all.sort_by(f64::total_cmp);
        let (kept, counts) = sketch.values(2);
        assert_eq!(kept, all);
        assert_eq!(counts, vec![1.0; 128]);
    }

    #[test]
    fn gaps_and_rows_without_weight_do_not_count() {
        let mut sketch = Sketch::new(8);
        let odd = sketch.update(&[1.0, f64::NAN, -0.0, 0.0, 5.0], None, Some(&[2.0, 1.0, 1.0, 0.5, 0.0]));
        assert_eq!(odd.unwrap(), Odd { has_missing: true, infinite: None });
        let odd = sketch.update(&[f64::NAN, 3.0], None, Some(&[0.0, 0.0]));
        assert_eq!(odd.unwrap(), Odd::default());
        let odd = sketch.update(&[7.0, f64::INFINITY, f64::NEG_INFINITY], None, None);
        assert_eq!(odd.unwrap(), Odd { has_missing: false, infinite: Some(1) });
        assert_eq!(sketch.values(1), (vec![0.0, 1.0], vec![1.5, 2.0]));
        assert!(sketch.update(&[1.0], Some(&[]), None).is_err());
        assert!(Sketch::from_values(4, &[1.0], &[], 1, true).is_err());
    }
}
