//! Rows by value, put in order only as far as it is asked for.

use std::cmp::Ordering;
use std::ops::Range;

/// Bits of the largest number of parts: their counters fit into the first-level cache.
const MOST_BITS: u32 = 11;
/// Values that judge how well keys tell values apart.
const SAMPLE: usize = 512;

/// What is known of the order of a part's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Nothing.
    Unknown,
    /// They ascend.
    Sorted,
    /// All have one value.
    Constant,
}

/// One row.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Entry {
    /// Its value; `−0.0` is `0.0`.
    pub value: f64,
    /// Its number.
    pub row: u32,
    /// Its class.
    pub class: u32,
}

impl Entry {
    /// Rows of equal values have an order too, so that sums of weights do not depend on how they came to be sorted.
    fn compare(&self, other: &Self) -> Ordering {
        self.value.total_cmp(&other.value).then(self.row.cmp(&other.row))
    }
}

/// Partitions rows into parts of ascending values, which can be divided further one at a time. Keeps its memory from
/// one column to the next.
#[derive(Debug, Default)]
pub struct Partition {
    /// The part of every row.
    keys: Vec<u16>,
    /// Part by part.
    entries: Vec<Entry>,
    /// Those of the part that is being divided.
    spare: Vec<Entry>,
    /// Where each part begins, then where the last one ends.
    starts: Vec<u32>,
    /// How many rows a part shall have.
    aim: usize,
}

impl Partition {
    /// Partitions the rows of `x` that are not NaN and that `keep` admits into parts of about `aim` rows, at
    /// most 2048 of them. `y` are their classes.
    ///
    /// A value's part is found without changing the order: linearly between the least value and the greatest, or by
    /// the leading bits, whichever tells a sample of the values apart better.
    ///
    /// # Complexity
    /// O(N).
    pub fn fill(&mut self, x: &[f64], y: &[u32], keep: impl Fn(usize) -> bool, aim: usize) {
        self.aim = aim;
        let bits = (x.len() / aim).max(2).ilog2().min(MOST_BITS);
        let outside = 1u16 << bits;
        let left_out = |row: usize, value: f64| value.is_nan() || !keep(row);
        self.keys.clear();
        match Keys::choose(x, bits) {
            Keys::Linear { least, scale } => self.keys.extend(x.iter().enumerate().map(|(row, &value)| {
                if left_out(row, value) { outside } else { ((value - least) * scale) as u16 }
            })),
            Keys::Leading { least, shift } => self.keys.extend(x.iter().enumerate().map(|(row, &value)| {
                let key = || ((ordered_bits(value) - least) >> shift) as u16;
                if left_out(row, value) { outside } else { key() }
            })),
        }
        self.starts = starts(self.keys.iter().map(|&key| usize::from(key)), usize::from(outside) + 1);
        let mut next = self.starts.clone();
        self.entries.resize(x.len(), Entry::default());
        let (keys, y, entries) = (&self.keys[..x.len()], &y[..x.len()], &mut self.entries[..x.len()]);
        for row in 0..x.len() {
            let place = &mut next[usize::from(keys[row])];
            entries[*place as usize] = Entry { value: x[row] + 0.0, row: row as u32, class: y[row] };
            *place += 1;
        }
        self.starts.pop();
    }

    /// The places of every part.
    pub fn parts(&self) -> Vec<Range<usize>> {
        ranges(&self.starts, 0).collect()
    }

    /// Divides what stands at some places, a part of unknown order, into smaller parts and says what is known of the
    /// order within each. What is small is sorted.
    ///
    /// # Complexity
    /// O(n) in its number of rows where its values are spread evenly, O(n log n) at worst.
    pub fn divide(&mut self, places: Range<usize>) -> Vec<(Range<usize>, Order)> {
        let entries = &mut self.entries[places.clone()];
        if places.len() <= 2 * self.aim {
            entries.sort_unstable_by(Entry::compare);
            return vec![(places, Order::Sorted)];
        }
        let (least, most) = range(entries.iter().map(|entry| entry.value));
        if least == most {
            return vec![(places, Order::Constant)];
        }
        let parts = 1 << (places.len() / self.aim).ilog2().min(MOST_BITS);
        let scale = (parts - 1) as f64 / (most - least);
        let key = |entry: &Entry| ((entry.value - least) * scale) as usize;
        if scale.is_finite() && scale > 0.0 {
            let starts = starts(entries.iter().map(key), parts);
            let largest = starts.windows(2).map(|pair| pair[1] - pair[0]).max();
            if largest.is_some_and(|largest| largest as usize <= places.len() / 2) {
                let mut next = starts.clone();
                self.spare.clear();
                self.spare.extend_from_slice(entries);
                for &entry in &self.spare {
                    let place = &mut next[key(&entry)];
                    entries[*place as usize] = entry;
                    *place += 1;
                }
                return ranges(&starts, places.start).map(|part| (part, Order::Unknown)).collect();
            }
        }
        entries.sort_unstable_by(Entry::compare);
        self.slice(places)
    }

    /// Small parts of what is sorted; equal values stay together.
    fn slice(&self, places: Range<usize>) -> Vec<(Range<usize>, Order)> {
        let mut parts = Vec::new();
        let mut start = places.start;
        while start < places.end {
            let last = self.entries[places.end.min(start + self.aim) - 1].value;
            let end = start + self.entries[start..places.end].partition_point(|entry| entry.value <= last);
            let order = if self.entries[start].value == last { Order::Constant } else { Order::Sorted };
            parts.push((start..end, order));
            start = end;
        }
        parts
    }

    /// What stands at some places.
    pub fn entries(&self, places: Range<usize>) -> &[Entry] {
        &self.entries[places]
    }
}

/// Where each of some parts begins in the order of keys, then where the last one ends.
fn starts(keys: impl Iterator<Item = usize>, parts: usize) -> Vec<u32> {
    let mut starts = vec![0; parts + 1];
    keys.for_each(|key| starts[key + 1] += 1);
    for part in 0..parts {
        starts[part + 1] += starts[part];
    }
    starts
}

/// The places of parts that begin so, counted from an offset; without the empty ones.
fn ranges(starts: &[u32], offset: usize) -> impl Iterator<Item = Range<usize>> {
    let part = move |pair: &[u32]| offset + pair[0] as usize..offset + pair[1] as usize;
    starts.windows(2).map(part).filter(|part| !part.is_empty())
}

/// How values become keys.
enum Keys {
    Linear { least: f64, scale: f64 },
    Leading { least: u64, shift: u32 },
}

impl Keys {
    fn choose(x: &[f64], bits: u32) -> Self {
        let (least, most) = range(x.iter().copied());
        if least > most {
            return Self::Leading { least: 0, shift: 0 };
        }
        let scale = ((1u64 << bits) - 1) as f64 / (most - least);
        let low = ordered_bits(least);
        let shift = (64 - (ordered_bits(most) - low).leading_zeros()).saturating_sub(bits);
        let sample = || x.iter().copied().step_by(x.len() / SAMPLE + 1).filter(|value| !value.is_nan());
        let distinct = |mut keys: Vec<u64>| {
            keys.sort_unstable();
            keys.dedup();
            keys.len()
        };
        let linear = distinct(sample().map(|value| ((value - least) * scale) as u64).collect());
        let leading = distinct(sample().map(|value| (ordered_bits(value) - low) >> shift).collect());
        // A range without end, or of one value, has no scale.
        if scale.is_finite() && scale > 0.0 && linear >= leading {
            Self::Linear { least, scale }
        } else {
            Self::Leading { least: low, shift }
        }
    }
}

/// The least and the greatest value, ∞ and −∞ where all are NaN.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| {
        (if value < least { value } else { least }, if value > most { value } else { most })
    })
}

/// An integer that orders as the value does; both zeros give the same.
fn ordered_bits(value: f64) -> u64 {
    let bits = (value + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | (1 << 63) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Divides parts until the order of all is known.
    fn settle(partition: &mut Partition, places: Range<usize>, parts: &mut Vec<(Range<usize>, Order)>) {
        for (part, order) in partition.divide(places) {
            match order {
                Order::Unknown => settle(partition, part, parts),
                known => parts.push((part, known)),
            }
        }
    }

    fn check(x: &[f64], aim: usize) -> std::result::Result<(), TestCaseError> {
        let mut expected: Vec<f64> = x.iter().filter(|v| !v.is_nan()).map(|v| v + 0.0).collect();
        expected.sort_by(f64::total_cmp);
        let y: Vec<u32> = (5..).take(x.len()).collect();
        let mut partition = Partition::default();
        partition.fill(&[7.0, 8.0], &[7, 8], |_| true, 2);
        partition.fill(x, &y, |_| true, aim);
        let mut parts = Vec::new();
        for part in partition.parts() {
            settle(&mut partition, part, &mut parts);
        }
        let mut places = 0;
        for (part, order) in parts {
            prop_assert_eq!(part.start, places);
            places = part.end;
            let part = partition.entries(part);
            prop_assert!(order == Order::Sorted || part.iter().all(|entry| entry.value == part[0].value));
        }
        let entries = partition.entries(0..places);
        prop_assert_eq!(entries.iter().map(|entry| entry.value).collect::<Vec<_>>(), expected);
        prop_assert!(entries.iter().all(|entry| x[entry.row as usize] == entry.value));
        prop_assert!(entries.iter().all(|entry| entry.class == entry.row + 5));
        let mut rows: Vec<u32> = entries.iter().map(|entry| entry.row).collect();
        rows.sort_unstable();
        rows.dedup();
        prop_assert_eq!(rows.len(), places);
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn orders_anything(x in prop::collection::vec(any::<f64>(), 0..3000), aim in 1usize..100) {
            check(&x, aim)?;
        }

        #[test]
        fn orders_values_with_ties(x in prop::collection::vec(0u8..60, 0..3000), aim in 1usize..100) {
            check(&x.iter().map(|&v| f64::from(v) / 7.0 - 1.0).collect::<Vec<_>>(), aim)?;
        }

        #[test]
        fn orders_close_values(x in prop::collection::vec(0u64..500, 0..3000), outlier in any::<f64>()) {
            let mut x: Vec<f64> = x.iter().map(|&i| f64::from_bits(1f64.to_bits() + i)).collect();
            check(&x, 32)?;
            x.push(outlier);
            check(&x, 32)?;
        }
    }

    #[test]
    fn leaves_out_what_is_not_kept() {
        let mut partition = Partition::default();
        partition.fill(&[3.0, 1.0, f64::NAN, 2.0], &[4, 5, 6, 7], |row| row != 1, 1);
        assert_eq!(partition.parts(), [0..1, 1..2]);
        let entry = |value, row, class| Entry { value, row, class };
        assert_eq!(partition.entries(0..2), [entry(2.0, 3, 7), entry(3.0, 0, 4)]);
    }

    #[test]
    fn orders_values_of_any_spread() -> std::result::Result<(), TestCaseError> {
        let wave = |i: usize| (i as f64 * 0.7).sin();
        let spreads: [&dyn Fn(usize) -> f64; 6] = [
            &wave,
            &|i| (20.0 * wave(i)).exp(),
            &|i| (i % 7) as f64,
            &|i| if i == 0 { f64::INFINITY } else { wave(i) },
            &|i| if i % 2 == 0 { f64::MAX * wave(i) } else { f64::MIN_POSITIVE * wave(i) },
            &|i| if i % 2 == 0 { 0.0 } else { -0.0 },
        ];
        for spread in spreads {
            check(&(0..5000).map(spread).collect::<Vec<_>>(), 16)?;
        }
        Ok(())
    }
}
