//! A fast stable order of floating point values.

/// Bits of one radix digit, and the number of digits in a 33-bit key.
const DIGIT: u32 = 11;
const DIGITS: u32 = 3;
/// Below this many rows a comparison sort is faster than clearing the histograms.
const SMALL: usize = 1024;

/// Rows of `x` in ascending order of value; equal values keep their order. NaN and rows that `keep` refuses are left out.
///
/// `−0.0` and `0.0` are equal. At most 2³¹ rows are ordered, as everywhere in this crate.
///
/// A value's bits are mapped to an integer of the same order, the smallest is subtracted, and the highest 33 bits
/// of what is left, packed with the row's number into 64 bits, are radix sorted in three passes. Runs whose 33 bits agree, few
/// and short for real data, are finished by comparison.
///
/// # Complexity
/// O(N) for values that 33 bits tell apart, O(N log N) at worst.
pub fn argsort(x: &[f64], keep: impl Fn(usize) -> bool) -> Vec<u32> {
    let rows = (0..x.len() as u32).filter(|&row| !x[row as usize].is_nan() && keep(row as usize));
    let mut order: Vec<u32> = rows.collect();
    let value = |row: u32| x[row as usize] + 0.0; // + 0.0 turns −0.0 into 0.0
    if order.len() < SMALL {
        order.sort_by(|&a, &b| value(a).total_cmp(&value(b)));
        return order;
    }
    let (least, most) = order
        .iter()
        .map(|&row| ordered_bits(value(row)))
        .fold((u64::MAX, 0), |(least, most), key| (least.min(key), most.max(key)));
    let shift = (64 - (most - least).leading_zeros()).saturating_sub(DIGIT * DIGITS);
    let row_bits = 64 - DIGIT * DIGITS;
    let packed = order.iter().map(|&row| {
        let key = (ordered_bits(value(row)) - least) >> shift;
        (key << row_bits) | u64::from(row)
    });
    let sorted = radix_sort(packed.collect(), row_bits);
    order.clear();
    order.extend(sorted.iter().map(|&p| (p & ((1 << row_bits) - 1)) as u32));
    if shift > 0 {
        finish_runs(&sorted, &mut order, row_bits, value);
    }
    order
}

/// An integer that orders as the value does.
fn ordered_bits(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | (1 << 63) }
}

/// Least significant digit first over the bits above `row_bits`; stable.
fn radix_sort(mut from: Vec<u64>, row_bits: u32) -> Vec<u64> {
    let digit = |packed: u64, pass: u32| (packed >> (row_bits + pass * DIGIT)) as usize & ((1 << DIGIT) - 1);
    let mut histograms = vec![[0u32; 1 << DIGIT]; DIGITS as usize];
    for &packed in &from {
        for pass in 0..DIGITS {
            histograms[pass as usize][digit(packed, pass)] += 1;
        }
    }
    let mut to = vec![0; from.len()];
    for pass in 0..DIGITS {
        let histogram = &mut histograms[pass as usize];
        if histogram.iter().any(|&n| n as usize == from.len()) {
            continue;
        }
        let mut next = 0;
        for slot in histogram.iter_mut() {
            next += std::mem::replace(slot, next);
        }
        for &packed in &from {
            let slot = &mut histogram[digit(packed, pass)];
            to[*slot as usize] = packed;
            *slot += 1;
        }
        std::mem::swap(&mut from, &mut to);
    }
    from
}

/// Orders the rows within each run of equal keys by their full value.
fn finish_runs(sorted: &[u64], order: &mut [u32], row_bits: u32, value: impl Fn(u32) -> f64) {
    let mut start = 0;
    while start < sorted.len() {
        let key = sorted[start] >> row_bits;
        let mut end = start + 1;
        while end < sorted.len() && sorted[end] >> row_bits == key {
            end += 1;
        }
        if end - start > 1 {
            order[start..end].sort_by(|&a, &b| value(a).total_cmp(&value(b)));
        }
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(x: &[f64]) -> std::result::Result<(), TestCaseError> {
        let mut expected: Vec<u32> = (0..x.len() as u32).filter(|&i| !x[i as usize].is_nan()).collect();
        expected.sort_by(|&a, &b| x[a as usize].partial_cmp(&x[b as usize]).unwrap());
        prop_assert_eq!(argsort(x, |_| true), expected);
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
        assert_eq!(argsort(&[3.0, 1.0, f64::NAN, 2.0], |row| row != 1), vec![3, 0]);
    }
}
