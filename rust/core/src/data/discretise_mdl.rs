//! Supervised discretisation by minimum description length.

use crate::data::sort::Sorter;
use crate::error::{Error, Result};

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
/// One sort, then one linear scan of the interval per accepted or refused cut: O(N log N + N·depth). A radix sort
/// makes the first part linear in practice, and the recursion is an explicit stack.
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
    sorter: Sorter,
    rows: Vec<u32>,
    values: Vec<f64>,
    classes: Vec<u32>,
    runs: Runs<u32>,
}

impl<'a> MdlCutter<'a> {
    /// Checks the classes and the weights.
    pub fn new(y: &'a [u32], n_classes: usize, weights: Option<&'a [f64]>) -> Result<Self> {
        if let Some(row) = y.iter().position(|&c| c as usize >= n_classes) {
            let code = i64::from(y[row]);
            return Err(Error::CodeOutOfRange { column: "class".into(), row, code, arity: n_classes });
        }
        if let Some(w) = weights {
            if w.len() != y.len() {
                return Err(Error::LengthMismatch { what: "weights", found: w.len(), expected: y.len() });
            }
            if let Some(&value) = w.iter().find(|w| !(w.is_finite() && **w >= 0.0)) {
                let allowed = "a weight is finite and not negative";
                return Err(Error::ParameterOutOfRange { name: "weight", value, allowed });
            }
        }
        let n_log_n = match weights {
            Some(_) => Vec::new(),
            None => (0..=y.len()).map(|n| x_log2_x(n as f64)).collect(),
        };
        let (rows, values, classes) = (Vec::new(), Vec::new(), Vec::new());
        let (sorter, runs) = (Sorter::default(), Runs::default());
        Ok(Self { y, n_classes, weights, n_log_n, sorter, rows, values, classes, runs })
    }

    /// The cut points of one column, ascending.
    pub fn cut_points(&mut self, x: &[f64]) -> Result<Vec<f64>> {
        if x.len() != self.y.len() {
            return Err(Error::LengthMismatch { what: "x", found: x.len(), expected: self.y.len() });
        }
        let (y, weights) = (self.y, self.weights);
        let keep = |row: usize| weights.is_none_or(|w| w[row] > 0.0);
        self.sorter.sort(x, keep, &mut self.rows, &mut self.values);
        self.classes.clear();
        self.classes.extend(self.rows.iter().map(|&row| y[row as usize]));
        Ok(match weights {
            None => {
                let term = |n: u32| self.n_log_n[n as usize];
                self.runs.fill(&self.values, &self.classes, |_| 1);
                recurse(&self.values, &self.runs, self.n_classes, f64::from, term)
            }
            Some(w) => {
                let mut runs = Runs::default();
                runs.fill(&self.values, &self.classes, |i| w[self.rows[i] as usize]);
                recurse(&self.values, &runs, self.n_classes, |n| n, x_log2_x)
            }
        })
    }
}

/// A number of rows: whole, or a sum of weights.
trait Amount: Copy + Default + PartialOrd + std::ops::AddAssign + std::ops::SubAssign {}
impl Amount for u32 {}
impl Amount for f64 {}

/// Class counts of an interval with the three figures that the MDL rule needs.
struct Tally {
    /// Σ_c n_c log2 n_c.
    spread: f64,
    /// Number of rows.
    size: f64,
    /// size log2 size.
    size_term: f64,
    /// Number of classes present.
    present: f64,
}

impl Tally {
    /// |S| · Ent(S).
    fn bits(&self) -> f64 {
        (self.size_term - self.spread).max(0.0)
    }

    /// κ(S) · Ent(S).
    fn class_bits(&self) -> f64 {
        if self.size > 0.0 { self.present * self.bits() / self.size } else { 0.0 }
    }
}

fn tally<A: Amount>(counts: &[A], size: impl Fn(A) -> f64, term: impl Fn(A) -> f64) -> Tally {
    let mut total = A::default();
    let (mut spread, mut present) = (0.0, 0.0);
    for &n in counts {
        if n > A::default() {
            total += n;
            spread += term(n);
            present += 1.0;
        }
    }
    Tally { spread, size: size(total), size_term: term(total), present }
}

/// Sorted rows, shortened: neighbours of one class that no candidate parts are one run.
#[derive(Default)]
struct Runs<A> {
    class: Vec<u32>,
    /// How many rows.
    amount: Vec<A>,
    /// The last row.
    end: Vec<u32>,
    /// Whether a cut after the run is a candidate.
    candidate: Vec<bool>,
}

impl<A: Amount> Runs<A> {
    /// Makes the runs anew, in the memory of those before.
    fn fill(&mut self, values: &[f64], classes: &[u32], amount: impl Fn(usize) -> A) {
        let n = values.len();
        self.class.resize(n, 0);
        self.amount.resize(n, A::default());
        self.end.resize(n, 0);
        self.candidate.resize(n, false);
        // The class of the block of equal values before; none of a mixed block's.
        let mut before = u32::MAX;
        let (mut next, mut start) = (0, 0);
        while start < n {
            let mut end = start + 1;
            let mut pure = classes[start];
            while end < n && values[end] == values[start] {
                pure = if classes[end] == pure { pure } else { u32::MAX };
                end += 1;
            }
            let mut parted = pure == u32::MAX || pure != before;
            for row in start..end {
                // Without branches, which labels would make unpredictable: a run is written again as it grows.
                let new = parted || row > start && classes[row] != classes[row - 1];
                let sum = if new { A::default() } else { self.amount[next - 1] };
                next += usize::from(new);
                self.candidate[next.saturating_sub(2)] |= parted;
                self.class[next - 1] = classes[row];
                self.amount[next - 1] = sum;
                self.amount[next - 1] += amount(row);
                self.end[next - 1] = row as u32;
                self.candidate[next - 1] = false;
                parted = false;
            }
            before = pure;
            start = end;
        }
        self.class.truncate(next);
        self.amount.truncate(next);
        self.end.truncate(next);
        self.candidate.truncate(next);
    }

    /// Class and amount of each run of a part.
    fn part(&self, start: usize, end: usize) -> impl Iterator<Item = (usize, A)> {
        let classes = self.class[start..end].iter().map(|&class| class as usize);
        classes.zip(self.amount[start..end].iter().copied())
    }
}

/// The recursion over runs, as a stack of half-open intervals.
fn recurse<A: Amount>(
    values: &[f64],
    runs: &Runs<A>,
    n_classes: usize,
    size: impl Fn(A) -> f64 + Copy,
    term: impl Fn(A) -> f64 + Copy,
) -> Vec<f64> {
    let mut cuts = Vec::new();
    let mut stack = vec![(0, runs.class.len())];
    let (mut left, mut right) = (vec![A::default(); n_classes], vec![A::default(); n_classes]);
    while let Some((start, end)) = stack.pop() {
        if end - start < 2 {
            continue;
        }
        left.fill(A::default());
        right.fill(A::default());
        runs.part(start, end).for_each(|(class, amount)| right[class] += amount);
        let whole = tally(&right, size, term);
        if whole.size <= 1.0 || whole.present < 2.0 {
            continue;
        }
        let candidates = &runs.candidate[start..end - 1];
        let Some(last) = best_cut(&mut left, &mut right, runs.part(start, end), candidates, &whole, term)
        else {
            continue;
        };
        let middle = start + last + 1;
        left.fill(A::default());
        right.fill(A::default());
        runs.part(start, middle).for_each(|(class, amount)| left[class] += amount);
        runs.part(middle, end).for_each(|(class, amount)| right[class] += amount);
        if accepts(&whole, &tally(&left, size, term), &tally(&right, size, term)) {
            let row = runs.end[middle - 1] as usize;
            cuts.push(midway(values[row], values[row + 1]));
            stack.push((start, middle));
            stack.push((middle, end));
        }
    }
    cuts.sort_unstable_by(f64::total_cmp);
    cuts
}

/// The last run left of the best cut of an interval whose class counts are in `right`.
///
/// Minimises |S1| Ent(S1) + |S2| Ent(S2): a run that crosses the cut changes two terms only.
fn best_cut<A: Amount>(
    left: &mut [A],
    right: &mut [A],
    runs: impl Iterator<Item = (usize, A)>,
    candidates: &[bool],
    whole: &Tally,
    term: impl Fn(A) -> f64,
) -> Option<usize> {
    let mut total_right = A::default();
    right.iter().for_each(|&n| total_right += n);
    let mut total_left = A::default();
    // Rounding of the running sum stays far below this, and real differences far above.
    let tolerance = 1e-12 * (1.0 + whole.size_term.abs());
    let mut spread = whole.spread;
    let mut best: Option<usize> = None;
    let mut least = f64::INFINITY;
    for (i, ((class, amount), &candidate)) in runs.zip(candidates).enumerate() {
        let (l, r) = (&mut left[class], &mut right[class]);
        let before = term(*l) + term(*r);
        *l += amount;
        *r -= amount;
        total_left += amount;
        total_right -= amount;
        spread += (term(*l) + term(*r)) - before;
        if candidate {
            let bits = term(total_left) + term(total_right) - spread;
            if bits < least {
                (least, best) = (bits - tolerance, Some(i));
            }
        }
    }
    best
}

/// The MDL rule: is the description shorter with the cut than without it?
fn accepts(whole: &Tally, left: &Tally, right: &Tally) -> bool {
    let gain = whole.bits() - left.bits() - right.bits();
    let log2_choices =
        whole.present * 3f64.log2() + (-2.0 * 3f64.powf(-whole.present)).ln_1p() / std::f64::consts::LN_2;
    let delta = log2_choices - (whole.class_bits() - left.class_bits() - right.class_bits());
    gain > (whole.size - 1.0).log2() + delta
}

fn x_log2_x(x: f64) -> f64 {
    // A weighted count that rounding left just below zero is zero.
    if x > 0.0 { x * x.log2() } else { 0.0 }
}

/// The middle of `a < b`, never equal to `b`, finite wherever one of them is.
fn midway(a: f64, b: f64) -> f64 {
    let half = (b - a) / 2.0;
    let middle = if half.is_finite() { a + half } else { (a / 2.0 + b / 2.0).clamp(f64::MIN, f64::MAX) };
    if middle < b && middle >= a { middle } else { a }
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
        #![proptest_config(ProptestConfig::with_cases(200))]

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
