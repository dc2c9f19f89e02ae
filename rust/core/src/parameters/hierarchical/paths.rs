//! The leave-one-out likelihood of a hierarchy's concentrations, and its derivatives.

use crate::parameters::hierarchical::hierarchy::Level;

/// The paths of all rows through the levels, as one walk: a step goes to a level and stands below the last step of
/// the level above. Rows that share the beginning of their paths share its steps, and rows with equal counts all the
/// way share all of them.
///
/// Where a row is the only one of its value in a context, nothing is left there without it: from there on p_d = λ_d p_{d−1},
/// whatever the value. Such a path ends at the step before, and its λ_d are kept by their n_d alone. In large tables
/// most paths are of this kind.
#[derive(Debug)]
pub(super) struct Paths {
    steps: Vec<Step>,
    /// (n_d − own, rows) of the contexts that hold nothing but the row, by levels; equal ones together.
    alone: Vec<Vec<(f64, f64)>>,
    /// The last step of each level so far, while the walk is made.
    last: Vec<usize>,
    /// p_−1 = 1/r.
    uniform: f64,
    /// The rows that are alone from level 0 on: theirs is ln p_−1.
    from_the_start: f64,
}

/// One context with the row's own contribution taken away.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Step {
    level: u32,
    /// n_d(x) − own.
    count: f64,
    /// n_d − own.
    sum: f64,
    /// How many rows (or which weight of them) end here.
    rows: f64,
}

/// Value, gradient and Hessian (`[d·levels + e]`) of a function of the levels' ln c_d.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Derivatives {
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
    pub(super) hessian: Vec<f64>,
}

impl Paths {
    /// The paths of all rows that the levels count.
    pub(super) fn new(levels: &[Level], child: usize) -> Self {
        let mut paths = Self::empty(levels.len(), child);
        // Where every cell holds at least one row of weight 1, all rows of a context take the same away.
        let whole = levels.last().is_none_or(|last| last.counts.iter().all(|&n| n == 0.0 || n >= 1.0));
        for x in 0..child {
            if whole {
                paths.descend(levels, x, 0, 0);
            } else {
                paths.one_by_one(levels, x);
            }
        }
        for alone in &mut paths.alone {
            merge_equal(alone);
        }
        paths
    }

    fn empty(levels: usize, child: usize) -> Self {
        let uniform = 1.0 / child as f64;
        let alone = vec![Vec::new(); levels];
        Self { steps: Vec::new(), alone, last: vec![0; levels], uniform, from_the_start: 0.0 }
    }

    /// Steps to a context, where it has rows of value `x`, and on to all below it.
    fn descend(&mut self, levels: &[Level], x: usize, level: usize, context: usize) {
        let Level { counts, sums, .. } = &levels[level];
        let n = counts[x * sums.len() + context];
        if n == 0.0 {
            return;
        }
        let last = level + 1 == levels.len();
        let mut below = self.steps.len();
        if n > 1.0 {
            let rows = if last { n } else { 0.0 };
            self.last[level] = self.steps.len();
            self.steps.push(Step { level: level as u32, count: n - 1.0, sum: sums[context] - 1.0, rows });
            below += 1;
        } else {
            self.alone[level].push((sums[context] - 1.0, n));
            if last {
                self.end_above(levels, x, context);
            }
        }
        if !last {
            let arity = levels[level + 1].arity;
            for value in 0..arity {
                self.descend(levels, x, level + 1, context * arity + value);
            }
            if level + 2 == levels.len() && n > 1.0 {
                self.merge(below);
            }
        }
    }

    /// A row that is alone in the last context of value `x` ends at the last step above it that is not its own alone.
    fn end_above(&mut self, levels: &[Level], x: usize, mut context: usize) {
        for (level, Level { arity, counts, sums }) in levels.iter().enumerate().rev() {
            if counts[x * sums.len() + context] > 1.0 {
                // The walk has just come through that step: it is the last one of its level.
                self.steps[self.last[level]].rows += 1.0;
                return;
            }
            context /= arity;
        }
        self.from_the_start += 1.0;
    }

    /// Merges equal steps from `start` on, all of which end paths below the same step.
    fn merge(&mut self, start: usize) {
        let key = |step: &Step| (step.count, step.sum);
        self.steps[start..]
            .sort_unstable_by(|a, b| a.count.total_cmp(&b.count).then(a.sum.total_cmp(&b.sum)));
        let mut kept = start;
        for at in start + 1..self.steps.len() {
            if key(&self.steps[at]) == key(&self.steps[kept]) {
                self.steps[kept].rows += self.steps[at].rows;
            } else {
                kept += 1;
                self.steps[kept] = self.steps[at];
            }
        }
        self.steps.truncate((kept + 1).min(self.steps.len()));
    }

    /// The paths of value `x` where cells weigh less than one row: each takes its own weight away all the way.
    fn one_by_one(&mut self, levels: &[Level], x: usize) {
        let Some(last) = levels.last() else { return };
        for end in 0..last.sums.len() {
            let rows = last.counts[x * last.sums.len() + end];
            if rows <= 0.0 {
                continue;
            }
            let own = rows.min(1.0);
            let start = self.steps.len();
            let mut context = end;
            for (level, Level { arity, counts, sums }) in levels.iter().enumerate().rev() {
                let count = (counts[x * sums.len() + context] - own).max(0.0);
                let sum = (sums[context] - own).max(0.0);
                if count == 0.0 {
                    self.alone[level].push((sum, rows));
                } else {
                    let rows = if self.steps.len() == start { rows } else { 0.0 };
                    self.steps.push(Step { level: level as u32, count, sum, rows });
                }
                context /= arity;
            }
            if self.steps.len() == start {
                self.from_the_start += rows;
            }
            self.steps[start..].reverse();
        }
    }

    /// The leave-one-out log-likelihood at ln c.
    ///
    /// # Formula
    /// ```text
    /// λ_d = c_d / (n_d − own + c_d),   g_e = ∂p_K/∂ln c_e = Π_{e<d≤K} λ_d · λ_e (p_{e−1} − p_e)
    /// ∂²p_K/∂(ln c_e)² = (1 − 2λ_e) g_e,   ∂²p_K/∂ln c_e ∂ln c_d = (1 − λ_d) g_e   for e < d
    /// ```
    /// K the level at which the path ends. The derivatives of ln p_K follow: g_e/p, and the second ones over p minus
    /// g_e g_d / p². A level at which the row is alone adds ln λ_d, with the derivatives 1 − λ_d and −λ_d (1 − λ_d).
    pub(super) fn likelihood(&self, log_c: &[f64]) -> Derivatives {
        // The number of levels as a constant lets the compiler unroll the loops of the common cases.
        match self.alone.len() {
            1 => self.sum(1, log_c),
            2 => self.sum(2, log_c),
            3 => self.sum(3, log_c),
            4 => self.sum(4, log_c),
            levels => self.sum(levels, log_c),
        }
    }

    #[inline(always)]
    fn sum(&self, levels: usize, log_c: &[f64]) -> Derivatives {
        let c: Vec<f64> = log_c.iter().map(|log_c| log_c.exp()).collect();
        // Of the last step of each level: p_d, λ_d, and ∂p_d/∂ln c_e at [d·levels + e].
        let (mut p, mut lambda) = (vec![0.0; levels], vec![0.0; levels]);
        let mut slope = vec![0.0; levels * levels];
        let (mut value, mut gradient) = (self.from_the_start * self.uniform.ln(), vec![0.0; levels]);
        let mut hessian = vec![0.0; levels * levels];
        for (d, alone) in self.alone.iter().enumerate() {
            for &(sum, rows) in alone {
                let lambda = c[d] / (sum + c[d]);
                value += rows * lambda.ln();
                gradient[d] += rows * (1.0 - lambda);
                hessian[d * (levels + 1)] -= rows * lambda * (1.0 - lambda);
            }
        }
        for step in &self.steps {
            let d = step.level as usize;
            let above = if d == 0 { self.uniform } else { p[d - 1] };
            let inverse = 1.0 / (step.sum + c[d]);
            lambda[d] = c[d] * inverse;
            p[d] = (step.count + c[d] * above) * inverse;
            for e in 0..d {
                slope[d * levels + e] = lambda[d] * slope[(d - 1) * levels + e];
            }
            slope[d * levels + d] = lambda[d] * (above - p[d]);
            if step.rows > 0.0 {
                let inverse = 1.0 / p[d];
                value += step.rows * p[d].ln();
                let slope = &slope[d * levels..][..levels];
                for e in 0..=d {
                    let g = slope[e] * inverse;
                    let weighted = step.rows * g;
                    gradient[e] += weighted;
                    hessian[e * levels + e] += weighted * (1.0 - 2.0 * lambda[e] - g);
                    for f in e + 1..=d {
                        hessian[e * levels + f] += weighted * (1.0 - lambda[f] - slope[f] * inverse);
                    }
                }
            }
        }
        for e in 0..levels {
            for d in e + 1..levels {
                hessian[d * levels + e] = hessian[e * levels + d];
            }
        }
        Derivatives { value, gradient, hessian }
    }
}

/// Sorts by the first number and adds up the second of those that share it.
fn merge_equal(pairs: &mut Vec<(f64, f64)>) {
    pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    pairs.dedup_by(|next, kept| {
        let equal = next.0 == kept.0;
        kept.1 += if equal { next.1 } else { 0.0 };
        equal
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn level(arity: usize, counts: Vec<f64>, child: usize) -> Level {
        let contexts = counts.len() / child;
        let sums = (0..contexts).map(|at| (0..child).map(|x| counts[x * contexts + at]).sum()).collect();
        Level { arity, counts, sums }
    }

    /// Levels {}, {C}, {C, P} of a child of 2 values, 2 classes and a parent of 3 values.
    fn levels(cells: &[f64]) -> Vec<Level> {
        let above = |cells: &[f64], arity: usize| -> Vec<f64> {
            cells.chunks_exact(arity).map(|cells| cells.iter().sum()).collect()
        };
        let (by_class, alone) = (above(cells, 3), above(&above(cells, 3), 2));
        vec![level(1, alone, 2), level(2, by_class, 2), level(3, cells.to_vec(), 2)]
    }

    proptest! {
        #[test]
        fn derivatives_agree_with_differences(
            cells in prop::collection::vec(prop_oneof![Just(0.0), 0.2..6.0f64], 12),
            log_c in prop::collection::vec(-4.0..6.0f64, 3),
        ) {
            let paths = Paths::new(&levels(&cells), 2);
            let at = paths.likelihood(&log_c);
            for d in 0..3 {
                let moved = |by: f64| {
                    let mut log_c = log_c.clone();
                    log_c[d] += by;
                    paths.likelihood(&log_c)
                };
                let (up, down) = (moved(1e-5), moved(-1e-5));
                let close = |found: f64, expected: f64| (found - expected).abs() < 1e-5 * (1.0 + expected.abs());
                prop_assert!(close(at.gradient[d], (up.value - down.value) / 2e-5));
                for e in 0..3 {
                    prop_assert!(close(at.hessian[d * 3 + e], (up.gradient[e] - down.gradient[e]) / 2e-5));
                }
            }
        }

        #[test]
        fn shared_steps_sum_to_the_same(cells in prop::collection::vec(0u32..5, 12)) {
            let cells: Vec<f64> = cells.into_iter().map(f64::from).collect();
            let levels = levels(&cells);
            let shared = Paths::new(&levels, 2);
            let mut apart = Paths::empty(3, 2);
            (0..2).for_each(|x| apart.one_by_one(&levels, x));
            let (shared, apart) = (shared.likelihood(&[0.5, -1.0, 2.0]), apart.likelihood(&[0.5, -1.0, 2.0]));
            prop_assert!((shared.value - apart.value).abs() < 1e-9);
            for (one, other) in shared.hessian.iter().zip(&apart.hessian) {
                prop_assert!((one - other).abs() < 1e-9);
            }
        }
    }
}
