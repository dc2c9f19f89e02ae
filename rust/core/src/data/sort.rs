//! A fast order of floating point values.

/// Bits of one radix digit; a key has two digits.
const DIGIT: u32 = 11;
const KEY: u32 = 2 * DIGIT;
/// Below this many rows a comparison sort is faster than clearing the histograms.
const SMALL: usize = 1024;
/// Longer runs of equal keys are sorted by comparison, shorter ones by the final insertion.
const LONG: usize = 16;

/// Orders rows by value; keeps its memory from one column to the next.
#[derive(Debug, Default)]
pub struct Sorter {
    /// Key and row, packed.
    packed: Vec<u64>,
    spare: Vec<u64>,
}

impl Sorter {
    /// Rows and values of `x` in ascending order of value, into `rows` and `values`. NaN and rows that `keep`
    /// refuses are left out; `−0.0` becomes `0.0`. Rows with equal values stand in a fixed order, of no meaning.
    ///
    /// A value is mapped, without changing the order, to a key of 22 bits: linearly between the least and the
    /// greatest, or by its leading bits, whichever tells a sample of the values apart better. Keys are radix sorted
    /// together with the rows' numbers in two passes; an insertion sort puts the few neighbours right that share
    /// a key.
    ///
    /// # Complexity
    /// O(N) for values that keys tell apart, O(N log N) at worst.
    pub fn sort(
        &mut self,
        x: &[f64],
        keep: impl Fn(usize) -> bool,
        rows: &mut Vec<u32>,
        values: &mut Vec<f64>,
    ) {
        let value = |row: u32| x[row as usize] + 0.0; // + 0.0 turns −0.0 into 0.0
        let all = x.iter().enumerate().map(|(row, &value)| (row as u32, value + 0.0));
        let kept = all.clone().filter(|&(row, value)| !value.is_nan() && keep(row as usize));
        rows.clear();
        values.clear();
        if x.len() < SMALL {
            rows.extend(kept.map(|(row, _)| row));
            rows.sort_by(|&a, &b| value(a).total_cmp(&value(b)));
            values.extend(rows.iter().map(|&row| value(row)));
            return;
        }
        // Where nothing is left out the loops need no branches.
        if kept.clone().count() == x.len() {
            self.order(all)
        } else {
            self.order(kept)
        }
        self.sort_long_runs(value);
        rows.extend(self.packed.iter().map(|&packed| packed as u32));
        values.extend(rows.iter().map(|&row| value(row)));
        insertion_sort(rows, values);
    }

    /// Rows and values by key.
    fn order(&mut self, rows: impl Iterator<Item = (u32, f64)> + Clone) {
        let keys = Keys::choose(rows.clone().map(|(_, value)| value));
        self.packed.clear();
        match keys {
            Keys::Linear { least, scale } => {
                let key = |value| ((value - least) * scale) as u32;
                self.packed.extend(rows.map(|(row, value)| (u64::from(key(value)) << 32) | u64::from(row)));
            }
            Keys::Leading { least, shift } => {
                let key = |value| (ordered_bits(value) - least) >> shift;
                self.packed.extend(rows.map(|(row, value)| (key(value) << 32) | u64::from(row)));
            }
        }
        self.radix_sort();
    }

    /// Least significant digit first over the keys; stable.
    fn radix_sort(&mut self) {
        let digit = |packed: u64, pass: u32| (packed >> (32 + pass * DIGIT)) as usize & ((1 << DIGIT) - 1);
        let mut histograms = [[0u32; 1 << DIGIT]; 2];
        for &packed in &self.packed {
            histograms[0][digit(packed, 0)] += 1;
            histograms[1][digit(packed, 1)] += 1;
        }
        self.spare.resize(self.packed.len(), 0);
        for (pass, histogram) in (0..).zip(&mut histograms) {
            let mut next = 0;
            for slot in histogram.iter_mut() {
                next += std::mem::replace(slot, next);
            }
            for &packed in &self.packed {
                let slot = &mut histogram[digit(packed, pass)];
                self.spare[*slot as usize] = packed;
                *slot += 1;
            }
            std::mem::swap(&mut self.packed, &mut self.spare);
        }
    }

    fn sort_long_runs(&mut self, value: impl Fn(u32) -> f64) {
        let mut start = 0;
        while start + LONG < self.packed.len() {
            let key = self.packed[start] >> 32;
            if self.packed[start + LONG] >> 32 != key {
                start += 1;
                continue;
            }
            let end = start + self.packed[start..].partition_point(|&packed| packed >> 32 == key);
            self.packed[start..end]
                .sort_unstable_by(|&a, &b| value(a as u32).total_cmp(&value(b as u32)).then(a.cmp(&b)));
            start = end;
        }
    }
}

/// How values become keys.
enum Keys {
    Linear { least: f64, scale: f64 },
    Leading { least: u64, shift: u32 },
}

impl Keys {
    fn choose(values: impl Iterator<Item = f64> + Clone) -> Self {
        let (mut least, mut most, mut count) = (f64::INFINITY, f64::NEG_INFINITY, 0);
        for value in values.clone() {
            least = if value < least { value } else { least };
            most = if value > most { value } else { most };
            count += 1;
        }
        if count == 0 {
            return Self::Leading { least: 0, shift: 0 };
        }
        let scale = ((1u64 << KEY) - 1) as f64 / (most - least);
        let (low, high) = (ordered_bits(least), ordered_bits(most));
        let shift = (64 - (high - low).leading_zeros()).saturating_sub(KEY);
        let sample = || values.clone().step_by(count / 512 + 1);
        let distinct = |keys: &mut Vec<u64>| {
            keys.sort_unstable();
            keys.dedup();
            keys.len()
        };
        let linear = distinct(&mut sample().map(|v| ((v - least) * scale) as u64).collect());
        let leading = distinct(&mut sample().map(|v| (ordered_bits(v) - low) >> shift).collect());
        // A range without end, or of one value, has no scale.
        if scale.is_finite() && scale > 0.0 && linear >= leading {
            Self::Linear { least, scale }
        } else {
            Self::Leading { least: low, shift }
        }
    }
}

/// An integer that orders as the value does.
fn ordered_bits(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | (1 << 63) }
}

/// Puts rows right that are a few places off.
fn insertion_sort(rows: &mut [u32], values: &mut [f64]) {
    for i in 1..values.len() {
        let (row, value) = (rows[i], values[i]);
        let mut place = i;
        while place > 0 && values[place - 1] > value {
            values[place] = values[place - 1];
            rows[place] = rows[place - 1];
            place -= 1;
        }
        values[place] = value;
        rows[place] = row;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(x: &[f64]) -> std::result::Result<(), TestCaseError> {
        let mut expected: Vec<f64> = x.iter().filter(|v| !v.is_nan()).map(|v| v + 0.0).collect();
        expected.sort_by(f64::total_cmp);
        let (mut rows, mut values) = (vec![7], vec![7.0]);
        Sorter::default().sort(x, |_| true, &mut rows, &mut values);
        prop_assert_eq!(&values, &expected);
        let of_rows: Vec<f64> = rows.iter().map(|&row| x[row as usize] + 0.0).collect();
        prop_assert_eq!(of_rows, expected);
        rows.sort_unstable();
        rows.dedup();
        prop_assert_eq!(rows.len(), values.len());
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn orders_anything(x in prop::collection::vec(any::<f64>(), 0..3000)) {
            check(&x)?;
        }

        #[test]
        fn orders_close_values(x in prop::collection::vec(0u64..500, 1000..3000), outlier in any::<f64>()) {
            let mut x: Vec<f64> = x.iter().map(|&i| f64::from_bits(1f64.to_bits() + i)).collect();
            check(&x)?;
            x.push(outlier);
            check(&x)?;
        }
    }

    #[test]
    fn leaves_out_what_is_not_kept() {
        let (mut rows, mut values) = (Vec::new(), Vec::new());
        Sorter::default().sort(&[3.0, 1.0, f64::NAN, 2.0], |row| row != 1, &mut rows, &mut values);
        assert_eq!((rows, values), (vec![3, 0], vec![2.0, 3.0]));
    }

    #[test]
    fn orders_values_of_any_spread() -> std::result::Result<(), TestCaseError> {
        let wave = |i: usize| (i as f64 * 0.7).sin();
        let spreads: [&dyn Fn(usize) -> f64; 5] = [
            &wave,
            &|i| (20.0 * wave(i)).exp(),
            &|i| (i % 7) as f64,
            &|i| if i == 0 { f64::INFINITY } else { wave(i) },
            &|i| if i % 2 == 0 { f64::MAX * wave(i) } else { f64::MIN_POSITIVE * wave(i) },
        ];
        for spread in spreads {
            check(&(0..5000).map(spread).collect::<Vec<_>>())?;
        }
        Ok(())
    }
}
