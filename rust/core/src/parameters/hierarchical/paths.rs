//! What the leave-one-out likelihood of concentrations is summed over.

/// One value in one context that occurs with it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Occurrence {
    /// The number of the same value in the context with one parent less, in the level before; 0 at level 0.
    pub parent: u32,
    /// n_d(x).
    pub count: f64,
    /// n_d.
    pub sum: f64,
    /// The rows (or their weight) whose path ends here: at the last level all of them, before it those that lack the
    /// parent that the next level adds.
    pub ending: f64,
}

/// The paths of all rows through the levels with their own contributions taken away, as trees of steps.
///
/// # Formula
/// ```text
/// ln p_d = ln(n_d(x) − own + c_d p_{d−1}) − ln(n_d − own + c_d)
/// ```
/// Numerator and denominator part: below one step, ends of equal n_d(x) are one, and denominators are known by n_d alone.
/// Where a row is the only one of its value in a context, n_d(x) − own = 0 and ln p_d = ln c_d + ln p_{d−1} − …: it
/// ends one step earlier. In large tables most rows are of this kind, and what is left to sum is small.
#[derive(Debug)]
pub(super) struct Paths {
    pub(super) levels: Vec<Level>,
    /// ln p_−1 = −ln r, and the rows that are alone from level 0 on: theirs is that.
    pub(super) uniform: f64,
    pub(super) from_the_start: f64,
}

#[derive(Debug, Default)]
pub(super) struct Level {
    /// What paths go on from.
    pub(super) steps: Vec<Step>,
    /// (n_d(x) − own, rows) of the paths that end, equal ones below the same step together.
    pub(super) ends: Vec<End>,
    /// (n_d − own, rows) of the paths that end and of rows that are alone; equal ones together.
    pub(super) sums: Vec<(f64, f64)>,
    /// The rows that are alone.
    pub(super) alone: f64,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub(super) parent: u32,
    pub(super) count: f64,
    pub(super) sum: f64,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    pub(super) parent: u32,
    pub(super) count: f64,
    pub(super) rows: f64,
}

impl Paths {
    /// The paths of all rows of a node with `child` values.
    pub(super) fn new(levels: &[Vec<Occurrence>], child: usize) -> Self {
        // Where every path is that of at least one row of weight 1, all of them take the same away.
        let whole = levels.iter().flatten().all(|at| at.ending == 0.0 || at.ending >= 1.0);
        let mut paths = if whole { Self::shared(levels, child) } else { Self::apart(levels, child) };
        for level in &mut paths.levels {
            merge_ends(&mut level.ends);
            merge_sums(&mut level.sums);
        }
        paths
    }

    fn empty(levels: usize, child: usize) -> Self {
        let levels = (0..levels).map(|_| Level::default()).collect();
        Self { levels, uniform: 1.0 / child as f64, from_the_start: 0.0 }
    }

    /// Paths that take 1 away everywhere: those with a common beginning share it.
    fn shared(levels: &[Vec<Occurrence>], child: usize) -> Self {
        let mut paths = Self::empty(levels.len(), child);
        // What the level below says of each occurrence: rows that are alone there, and whether paths go on.
        let mut below = vec![(0.0, false); levels.last().map_or(0, Vec::len)];
        for (d, level) in levels.iter().enumerate().rev() {
            let mut above = vec![(0.0, false); if d == 0 { 1 } else { levels[d - 1].len() }];
            let mut numbers = vec![u32::MAX; level.len()];
            let made = &mut paths.levels[d];
            for ((occurrence, (alone, goes_on)), number) in level.iter().zip(below).zip(&mut numbers) {
                let Occurrence { parent, count, sum, ending } = *occurrence;
                let (rows, above) = (ending + alone, &mut above[parent as usize]);
                let (count, sum) = (count - 1.0, (sum - 1.0).max(0.0));
                if count > 0.0 {
                    above.1 = true;
                    if rows > 0.0 {
                        made.ends.push(End { parent, count, rows });
                    }
                    if goes_on {
                        *number = made.steps.len() as u32;
                        made.steps.push(Step { parent, count, sum });
                    }
                } else {
                    above.0 += rows;
                    made.alone += rows;
                }
                if rows > 0.0 {
                    made.sums.push((sum, rows));
                }
            }
            if let Some(below) = paths.levels.get_mut(d + 1) {
                below.steps.iter_mut().for_each(|step| step.parent = numbers[step.parent as usize]);
                below.ends.iter_mut().for_each(|end| end.parent = numbers[end.parent as usize]);
            }
            below = above;
        }
        paths.from_the_start = below.first().map_or(0.0, |root| root.0);
        paths
    }

    /// Paths of which some weigh less than one row: each takes its own weight away all the way.
    fn apart(levels: &[Vec<Occurrence>], child: usize) -> Self {
        let mut paths = Self::empty(levels.len(), child);
        for (last, level) in levels.iter().enumerate() {
            for end in level.iter().filter(|end| end.ending > 0.0) {
                let (rows, own) = (end.ending, end.ending.min(1.0));
                let mut path = vec![*end];
                for d in (0..last).rev() {
                    path.push(levels[d][path[path.len() - 1].parent as usize]);
                }
                let known = path.iter().rev().take_while(|at| at.count - own > 0.0).count();
                let mut parent = 0;
                for (d, at) in path.iter().rev().enumerate() {
                    let (count, sum) = (at.count - own, (at.sum - own).max(0.0));
                    let made = &mut paths.levels[d];
                    if d + 1 < known {
                        made.steps.push(Step { parent, count, sum });
                        parent = made.steps.len() as u32 - 1;
                        continue;
                    }
                    made.sums.push((sum, rows));
                    if d + 1 == known {
                        made.ends.push(End { parent, count, rows });
                    } else {
                        made.alone += rows;
                    }
                }
                if known == 0 {
                    paths.from_the_start += rows;
                }
            }
        }
        paths
    }
}

/// Joins ends of equal counts below the same step.
fn merge_ends(ends: &mut Vec<End>) {
    if !ends.is_sorted_by_key(|end| end.parent) {
        // By counting: parents are numbers of steps, and nearly in order.
        let steps = ends.iter().map(|end| end.parent as usize + 1).max().unwrap_or(0);
        let mut places = vec![0; steps + 1];
        ends.iter().for_each(|end| places[end.parent as usize + 1] += 1);
        (0..steps).for_each(|step| places[step + 1] += places[step]);
        let mut sorted = ends.clone();
        for end in ends.iter() {
            let place = &mut places[end.parent as usize];
            sorted[*place] = *end;
            *place += 1;
        }
        *ends = sorted;
    }
    for of_step in ends.chunk_by_mut(|a, b| a.parent == b.parent) {
        of_step.sort_unstable_by(|a, b| a.count.total_cmp(&b.count).then(a.rows.total_cmp(&b.rows)));
    }
    ends.dedup_by(|next, kept| {
        let equal = next.parent == kept.parent && next.count == kept.count;
        kept.rows += if equal { next.rows } else { 0.0 };
        equal
    });
}

/// Sorts by the first number and adds up the second of those that share it.
fn merge_sums(pairs: &mut Vec<(f64, f64)>) {
    let largest = pairs.iter().fold(0.0, |largest: f64, pair| largest.max(pair.0));
    if largest <= (4 * pairs.len()) as f64 && pairs.iter().all(|pair| pair.0.fract() == 0.0) {
        let mut rows = vec![0.0; largest as usize + 1];
        pairs.iter().for_each(|pair| rows[pair.0 as usize] += pair.1);
        let occurring = rows.into_iter().enumerate().filter(|&(_, rows)| rows > 0.0);
        *pairs = occurring.map(|(sum, rows)| (sum as f64, rows)).collect();
        return;
    }
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
    use crate::parameters::hierarchical::likelihood::Workspace;
    use proptest::prelude::*;

    /// Levels {}, {C}, {C, P} of a child of 2 values, 2 classes and a parent of 3 values, from cells (x, c, p) and from
    /// rows (x, c) without the parent.
    fn levels(cells: &[f64], without: &[f64]) -> Vec<Vec<Occurrence>> {
        let by_class =
            |x: usize, c: usize| cells[(x * 2 + c) * 3..][..3].iter().sum::<f64>() + without[x * 2 + c];
        let alone = |x: usize| by_class(x, 0) + by_class(x, 1);
        let mut levels = vec![Vec::new(); 3];
        for x in 0..2u32 {
            let of_x = x as usize;
            let sum = alone(0) + alone(1);
            levels[0].push(Occurrence { parent: 0, count: alone(of_x), sum, ending: 0.0 });
            for c in 0..2 {
                let (count, sum) = (by_class(of_x, c), by_class(0, c) + by_class(1, c));
                levels[1].push(Occurrence { parent: x, count, sum, ending: without[of_x * 2 + c] });
                for p in 0..3 {
                    let count = cells[(of_x * 2 + c) * 3 + p];
                    let sum = cells[c * 3 + p] + cells[(2 + c) * 3 + p];
                    levels[2].push(Occurrence { parent: x * 2 + c as u32, count, sum, ending: count });
                }
            }
        }
        levels
    }

    /// The formula of one row's path, row by row.
    fn naive(levels: &[Vec<Occurrence>], log_c: &[f64]) -> f64 {
        let mut value = 0.0;
        for (last, level) in levels.iter().enumerate() {
            for end in level.iter().filter(|end| end.ending > 0.0) {
                let own = end.ending.min(1.0);
                let mut path = vec![*end];
                for d in (0..last).rev() {
                    path.push(levels[d][path[path.len() - 1].parent as usize]);
                }
                let p = path.iter().rev().zip(log_c).fold(0.5, |p, (at, log_c)| {
                    let c = log_c.exp();
                    ((at.count - own).max(0.0) + c * p) / ((at.sum - own).max(0.0) + c)
                });
                value += end.ending * p.ln();
            }
        }
        value
    }

    proptest! {
        #[test]
        fn derivatives_agree_with_differences_and_the_value_with_the_formula(
            cells in prop::collection::vec(prop_oneof![Just(0.0), 0.2..6.0f64], 12),
            without in prop::collection::vec(prop_oneof![Just(0.0), 0.2..3.0f64], 4),
            log_c in prop::collection::vec(-4.0..6.0f64, 3),
        ) {
            let levels = levels(&cells, &without);
            let paths = Paths::new(&levels, 2);
            let at = paths.likelihood(&log_c, &mut Workspace::default());
            prop_assert!((at.value - naive(&levels, &log_c)).abs() < 1e-9);
            for d in 0..3 {
                let moved = |by: f64| {
                    let mut log_c = log_c.clone();
                    log_c[d] += by;
                    paths.likelihood(&log_c, &mut Workspace::default())
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
        fn shared_steps_sum_to_the_same(
            cells in prop::collection::vec(0u32..5, 12), without in prop::collection::vec(0u32..3, 4),
        ) {
            let real = |cells: Vec<u32>| cells.into_iter().map(f64::from).collect::<Vec<_>>();
            let levels = levels(&real(cells), &real(without));
            let (log_c, mut memory) = ([0.5, -1.0, 2.0], Workspace::default());
            let (shared, apart) = (Paths::new(&levels, 2), Paths::apart(&levels, 2));
            let (shared, apart) = (shared.likelihood(&log_c, &mut memory), apart.likelihood(&log_c, &mut memory));
            prop_assert!((shared.value - apart.value).abs() < 1e-9);
            prop_assert!((shared.value - naive(&levels, &log_c)).abs() < 1e-9);
            for (one, other) in shared.hessian.iter().zip(&apart.hessian) {
                prop_assert!((one - other).abs() < 1e-9);
            }
        }
    }
}
