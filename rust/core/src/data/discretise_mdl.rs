//! Supervised discretisation by minimum description length.

use crate::control::Control;
use crate::data::mdl_rule::x_log2_x;
use crate::data::mdl_search::Search;
use crate::data::partition::Partition;
use crate::error::{Error, Result, check_length};

/// Rows of a segment, at least on average, for each of its class counts, which then cost little beside them.
const ROWS_PER_COUNT: usize = 8;
/// Segments of fewer rows would cost more than they save.
const LEAST_ROWS: usize = 32;

/// Cut points of one numeric column by Fayyad and Irani's recursive entropy minimisation with the MDL stopping rule.
///
/// A value `v` falls into bin `#{cuts < v}`: a value equal to a cut lies to its left. Rows whose value is NaN
/// (missing) or whose weight is 0 take no part. No accepted cut gives an empty vector: one bin.
///
/// # Formula
/// ```text
/// S        the rows of an interval, |S| their number (total weight), split by a cut into S1 and S2
/// Ent(S)   = −Σ_c p_c log2 p_c,   p_c the share of class c in S,   κ(S) the number of classes present in S
/// Gain     = Ent(S) − |S1|/|S| Ent(S1) − |S2|/|S| Ent(S2)
/// accepted   iff Gain > [log2(|S|−1) + log2(3^κ − 2) − (κ Ent(S) − κ1 Ent(S1) − κ2 Ent(S2))] / |S|
/// ```
/// Candidates lie between neighbouring distinct values, unless all rows of both have one and the same class (such
/// a point is never the best). Of equally good cuts the lowest wins; gains within rounding of each other count as
/// equal. The cut lies midway between its two neighbouring values. Both sides are then treated in the same way.
///
/// # Complexity
/// O(N) for the partition, and O(n log n) for the `n` rows of the segments that must be sorted: few where columns are
/// long, all of them, O(N log N), at worst. Then, for each accepted or refused cut, a scan of the sorted segments of the
/// interval that may hold it. The recursion is an explicit stack.
///
/// # References
/// fayyad1993
///
/// # Differences
/// `weights` are numbers of rows (weight 2 equals the row twice), so `|S|` may be fractional; an interval of total
/// weight at most 1 is never cut.
///
/// ```
/// use tanager_core::data::mdl_cut_points;
/// let x: Vec<f64> = (0..20).map(f64::from).collect();
/// let y: Vec<u32> = (0..20).map(|i| u32::from(i >= 10)).collect();
/// assert_eq!(mdl_cut_points(&x, &y, 2, None).unwrap(), vec![9.5]);
/// ```
pub fn mdl_cut_points(x: &[f64], y: &[u32], n_classes: usize, weights: Option<&[f64]>) -> Result<Vec<f64>> {
    MdlCutter::new(y, n_classes, weights)?.cut_points(x)
}

/// [`mdl_cut_points`] for several columns that share their classes and weights: what depends on these alone is
/// made once, and memory is kept from one column to the next.
pub struct MdlCutter<'a> {
    y: &'a [u32],
    n_classes: usize,
    weights: Option<&'a [f64]>,
    /// `n log2 n` for whole numbers up to the number of rows; empty where there are weights.
    n_log_n: Vec<f64>,
    partition: Partition,
}

impl<'a> MdlCutter<'a> {
    /// Refuses classes and weights that cannot be.
    pub(super) fn check(y: &[u32], n_classes: usize, weights: Option<&[f64]>) -> Result<()> {
        if let Some(row) = y.iter().position(|&c| c as usize >= n_classes) {
            let code = i64::from(y[row]);
            return Err(Error::CodeOutOfRange { column: "class".into(), row, code, arity: n_classes });
        }
        if let Some(w) = weights {
            check_length("weights", w.len(), y.len())?;
            if let Some(&value) = w.iter().find(|w| !(w.is_finite() && **w >= 0.0)) {
                let allowed = "a weight is finite and not negative";
                return Err(Error::ParameterOutOfRange { name: "weight", value, allowed });
            }
        }
        Ok(())
    }

    /// Checks the classes and the weights.
    pub fn new(y: &'a [u32], n_classes: usize, weights: Option<&'a [f64]>) -> Result<Self> {
        Self::check(y, n_classes, weights)?;
        let n_log_n = match weights {
            Some(_) => Vec::new(),
            None => (0..=y.len()).map(|n| x_log2_x(n as f64)).collect(),
        };
        Ok(Self { y, n_classes, weights, n_log_n, partition: Partition::default() })
    }

    /// The cut points of one column, ascending.
    pub fn cut_points(&mut self, x: &[f64]) -> Result<Vec<f64>> {
        self.cut_points_under(x, &Control::new())
    }

    /// [`MdlCutter::cut_points`] that can be stopped.
    pub fn cut_points_under(&mut self, x: &[f64], control: &Control) -> Result<Vec<f64>> {
        check_length("x", x.len(), self.y.len())?;
        let weights = self.weights;
        let keep = |row: usize| weights.is_none_or(|w| w[row] > 0.0);
        let aim = LEAST_ROWS.max(ROWS_PER_COUNT.saturating_mul(self.n_classes));
        self.partition.fill(x, self.y, keep, aim);
        let (n_classes, partition) = (self.n_classes, &mut self.partition);
        match weights {
            None => {
                let term = |n: u32| self.n_log_n[n as usize];
                Search::new(partition, n_classes, |_| 1, term)?.cut_points(control)
            }
            Some(w) => Search::new(partition, n_classes, |row| w[row], x_log2_x)?.cut_points(control),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The rule, written down from the formula with every entropy recomputed.
    fn naive(rows: &mut [(f64, u32)], n_classes: usize, cuts: &mut Vec<f64>) {
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        let entropy = |rows: &[(f64, u32)]| {
            let mut counts = vec![0.0; n_classes];
            rows.iter().for_each(|r| counts[r.1 as usize] += 1.0);
            let n = rows.len() as f64;
            let present = counts.iter().filter(|&&c| c > 0.0).count() as f64;
            let h: f64 = counts.iter().filter(|&&c| c > 0.0).map(|c| -c / n * (c / n).log2()).sum();
            (h, present)
        };
        let n = rows.len() as f64;
        let (h, k) = entropy(rows);
        let mut best = (f64::INFINITY, 0);
        for i in 1..rows.len() {
            if rows[i].0 != rows[i - 1].0 {
                let (a, b) = (&rows[..i], &rows[i..]);
                let e = (a.len() as f64 * entropy(a).0 + b.len() as f64 * entropy(b).0) / n;
                if e < best.0 - 1e-11 {
                    best = (e, i);
                }
            }
        }
        if best.1 == 0 {
            return;
        }
        let (a, b) = rows.split_at_mut(best.1);
        let ((h1, k1), (h2, k2)) = (entropy(a), entropy(b));
        let delta = (3f64.powf(k) - 2.0).log2() - (k * h - k1 * h1 - k2 * h2);
        if h - best.0 > ((n - 1.0).log2() + delta) / n {
            cuts.push((a[a.len() - 1].0 + b[0].0) / 2.0);
            naive(a, n_classes, cuts);
            naive(b, n_classes, cuts);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn equals_the_formula(rows in prop::collection::vec((0u8..30, 0u32..3, 0u8..10), 0..120)) {
            // Labels follow the value most of the time, so that cuts exist.
            let pairs: Vec<(f64, u32)> = rows
                .iter()
                .map(|&(v, c, noise)| (f64::from(v) / 4.0, if noise == 0 { c } else { u32::from(v / 11) }))
                .collect();
            let (x, y): (Vec<f64>, Vec<u32>) = pairs.iter().copied().unzip();
            let mut expected = Vec::new();
            naive(&mut pairs.clone(), 3, &mut expected);
            expected.sort_by(f64::total_cmp);
            prop_assert_eq!(mdl_cut_points(&x, &y, 3, None).unwrap(), expected);
        }

        #[test]
        fn equals_the_formula_where_most_segments_are_passed_over(
            values in prop::collection::vec(-3.0..3.0f64, 500..1500),
            shape in 0usize..4,
            classes in 2u32..4,
            noise in 0.0..4.0f64,
        ) {
            // Evenly spread, skewed, tied, and far from even within a segment.
            let shapes: [fn(f64) -> f64; 4] = [|v| v, |v| v.exp().exp(), |v| (8.0 * v).round(), |v| v.powi(31)];
            let label = |i: usize| {
                let v = values[i] + noise * values[(7 * i + 3) % values.len()];
                ((v + 3.0) / 6.0 * f64::from(classes)).clamp(0.0, f64::from(classes - 1)) as u32
            };
            let mut pairs: Vec<(f64, u32)> =
                (0..values.len()).map(|i| (shapes[shape](values[i]), label(i))).collect();
            let (x, y): (Vec<f64>, Vec<u32>) = pairs.iter().copied().unzip();
            let mut expected = Vec::new();
            naive(&mut pairs, classes as usize, &mut expected);
            expected.sort_by(f64::total_cmp);
            let cuts = mdl_cut_points(&x, &y, classes as usize, None).unwrap();
            prop_assert_eq!(cuts.len(), expected.len());
            for (cut, expected) in cuts.iter().zip(expected) {
                prop_assert!((cut - expected).abs() <= 1e-12 * expected.abs());
            }
        }

        #[test]
        fn weights_are_copies(rows in prop::collection::vec((0u8..20, 0u32..2, 0u8..4), 0..60)) {
            let x: Vec<f64> = rows.iter().map(|r| f64::from(r.0)).collect();
            let y: Vec<u32> = rows.iter().map(|r| if r.0 > 9 { 1 } else { r.1 }).collect();
            let w: Vec<f64> = rows.iter().map(|r| f64::from(r.2)).collect();
            let copies = |i: usize| std::iter::repeat_n(i, rows[i].2 as usize);
            let all: Vec<usize> = (0..rows.len()).flat_map(copies).collect();
            let (xs, ys): (Vec<f64>, Vec<u32>) = all.iter().map(|&i| (x[i], y[i])).unzip();
            prop_assert_eq!(
                mdl_cut_points(&x, &y, 2, Some(&w)).unwrap(),
                mdl_cut_points(&xs, &ys, 2, None).unwrap()
            );
        }

        #[test]
        fn rows_in_any_order_and_missing_values(values in prop::collection::vec(any::<f64>(), 0..80)) {
            let y: Vec<u32> = values.iter().map(|v| u32::from(*v > 0.0)).collect();
            let cuts = mdl_cut_points(&values, &y, 2, None).unwrap();
            let (xr, yr): (Vec<f64>, Vec<u32>) = values.iter().copied().zip(y).rev().unzip();
            prop_assert_eq!(&cuts, &mdl_cut_points(&xr, &yr, 2, None).unwrap());
            prop_assert!(cuts.iter().all(|c| c.is_finite()));
            prop_assert!(cuts.is_sorted());
        }
    }

    #[test]
    fn hand_computed() {
        // 4 + 4 rows, two pure halves: Gain = 1 bit; threshold [log2 7 + log2 7 − 2]/8 = 0.45: cut.
        let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        let y = [0, 0, 0, 0, 1, 1, 1, 1];
        assert_eq!(mdl_cut_points(&x, &y, 2, None).unwrap(), vec![4.5]);
        // 1 + 1 rows: Gain = 1 bit; threshold [log2 1 + log2 7 − 2]/2 = 0.40: cut, although only two rows.
        assert_eq!(mdl_cut_points(&[1.0, 2.0], &[0, 1], 2, None).unwrap(), vec![1.5]);
        // Alternating classes: the best cut gains 0.14 bits; the threshold is 0.49: one bin.
        assert!(mdl_cut_points(&x, &[0, 1, 0, 1, 0, 1, 0, 1], 2, None).unwrap().is_empty());
        // A constant column and an empty one.
        assert!(mdl_cut_points(&[3.0; 8], &y, 2, None).unwrap().is_empty());
        assert!(mdl_cut_points(&[], &[], 2, None).unwrap().is_empty());
        // Both zeros are one value.
        assert!(mdl_cut_points(&[0.0, -0.0], &[0, 1], 2, None).unwrap().is_empty());
    }

    #[test]
    fn infinities_and_neighbours_are_separated_by_finite_cuts() {
        let inf = f64::INFINITY;
        let x = [-inf, -inf, -inf, inf, inf, inf];
        assert_eq!(mdl_cut_points(&x, &[0, 0, 0, 1, 1, 1], 2, None).unwrap().len(), 1);
        let next = 1.0 + f64::EPSILON;
        let cuts = mdl_cut_points(&[1.0, 1.0, 1.0, next, next, next], &[0, 0, 0, 1, 1, 1], 2, None).unwrap();
        assert_eq!(cuts, vec![1.0]);
    }

    #[test]
    fn bad_input_is_named() {
        assert!(matches!(mdl_cut_points(&[1.0], &[2], 2, None), Err(Error::CodeOutOfRange { code: 2, .. })));
        assert!(matches!(
            mdl_cut_points(&[1.0], &[0, 1], 2, None),
            Err(Error::LengthMismatch { what: "x", .. })
        ));
        let weights = mdl_cut_points(&[1.0], &[0], 2, Some(&[f64::NAN]));
        assert!(matches!(weights, Err(Error::ParameterOutOfRange { name: "weight", .. })));
        assert!(mdl_cut_points(&[1.0], &[0], 2, Some(&[])).is_err());
    }
}
