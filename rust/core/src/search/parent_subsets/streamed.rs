//! Sets whose tables are counted elsewhere, many in one pass over the rows.

use rayon::prelude::*;

use super::front::{Front, ParentSet};
use super::{Task, no_set};
use crate::control::Control;
use crate::counts::{CountSource, Family};
use crate::data::Variable;
use crate::error::Result;
use crate::score::Scorer;

/// Scores every set of at most `k` candidates of every task. Tables of as many sets as `capacity` cells hold are asked for
/// together; sets come in the order of preference, size by size, so that the result is that of one set at a time.
pub(super) fn best_in_passes(
    source: &dyn CountSource,
    scorer: &Scorer<'_>,
    tasks: &[Task],
    k: usize,
    capacity: u128,
    control: &Control,
) -> Result<Vec<ParentSet>> {
    let mut fronts = vec![Front::default(); tasks.len()];
    let mut group = Group { source, scorer, tasks, capacity, control, sets: Vec::new(), cells: 0 };
    for size in 0..=k {
        for (task, Task { child, candidates }) in tasks.iter().enumerate() {
            let mut places: Vec<usize> = (0..size).collect();
            while size <= candidates.len() {
                let parents: Vec<usize> = places.iter().map(|&place| candidates[place]).collect();
                group.add(task, *child, parents, &mut fronts)?;
                if !next_places(&mut places, candidates.len()) {
                    break;
                }
            }
        }
    }
    group.finish(&mut fronts)?;
    fronts
        .into_iter()
        .zip(tasks)
        .map(|(front, task)| front.first().ok_or_else(|| no_set(task.child)))
        .collect()
}

/// The next combination of places below `n` in lexicographic order; `false` after the last.
fn next_places(places: &mut [usize], n: usize) -> bool {
    let size = places.len();
    let Some(last) = (0..size).rev().find(|&i| places[i] + size - i < n) else { return false };
    let first = places[last] + 1;
    places[last..].iter_mut().enumerate().for_each(|(step, place)| *place = first + step);
    true
}

/// Sets that are counted in one pass.
struct Group<'a> {
    source: &'a dyn CountSource,
    scorer: &'a Scorer<'a>,
    tasks: &'a [Task],
    capacity: u128,
    control: &'a Control,
    /// The task and the parents of each.
    sets: Vec<(usize, Vec<usize>)>,
    cells: u128,
}

impl Group<'_> {
    fn add(&mut self, task: usize, child: usize, parents: Vec<usize>, fronts: &mut [Front]) -> Result<()> {
        let arities = self.source.arities();
        let classes = self.source.n_classes().unwrap_or(1) as u128;
        // Pairs are there already.
        let cells = if parents.len() < 2 {
            0
        } else {
            parents.iter().chain([&child]).fold(classes, |cells, &i| cells.saturating_mul(arities[i] as u128))
        };
        if self.cells + cells > self.capacity || self.sets.len() >= 1 << 20 {
            self.finish(fronts)?;
        }
        self.cells = self.cells.saturating_add(cells);
        self.sets.push((task, parents));
        Ok(())
    }

    /// Counts and scores what has come together, in its order.
    fn finish(&mut self, fronts: &mut [Front]) -> Result<()> {
        let with_class = self.source.n_classes().is_some();
        let family = |(task, parents): &(usize, Vec<usize>)| Family {
            child: self.tasks[*task].child,
            parents: parents.clone(),
            with_class,
        };
        let families: Vec<Family> = self.sets.iter().map(family).collect();
        self.source.prepare(&families)?;
        let scores = families.par_iter().map(|family| {
            self.control.check()?;
            let child = Variable::Attribute(family.child);
            self.scorer.family(child, &self.source.family(child, &family.parents, with_class)?)
        });
        let scores = scores.collect::<Result<Vec<f64>>>()?;
        for ((task, parents), score) in self.sets.drain(..).zip(scores) {
            fronts[task].push(score, || parents);
            self.control.advance(1);
        }
        self.cells = 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{Cells, Counter, Passes, Statistics, Streamed, count_families};
    use crate::data::{Column, Dataset};
    use crate::options::Options;
    use crate::score::by_name;
    use crate::search::parent_subsets::{Pruning, best_parent_sets};
    use proptest::prelude::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Parts of the rows, and how often they were gone through.
    struct Parts(Vec<Dataset>, AtomicUsize);

    impl Passes for Parts {
        fn count(&self, families: &[Family]) -> Result<Vec<f64>> {
            self.1.fetch_add(1, Ordering::Relaxed);
            let mut sums = Vec::new();
            for part in &self.0 {
                let counted = count_families(part, families, &Control::new())?;
                let cells: Vec<f64> = counted.iter().flat_map(Cells::to_f64).collect();
                sums.resize(cells.len(), 0.0);
                sums.iter_mut().zip(cells).for_each(|(sum, cell)| *sum += cell);
            }
            Ok(sums)
        }
    }

    fn table(rows: &[Vec<i64>]) -> Dataset {
        let column = |i: usize| {
            let arity = 2 + i % 3;
            let values = rows.iter().map(|row| row[i].rem_euclid(arity as i64)).collect::<Vec<_>>();
            Column::from_integers("x", values.into_iter(), arity, None).unwrap()
        };
        Dataset::new((0..5).map(column).collect(), Some(column(5))).unwrap()
    }

    #[test]
    fn places_are_all_combinations() {
        let mut places = vec![0, 1];
        let mut seen = vec![places.clone()];
        while next_places(&mut places, 4) {
            seen.push(places.clone());
        }
        assert_eq!(seen, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        assert!(!next_places(&mut [], 3));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20))]

        #[test]
        fn passes_find_what_rows_in_memory_find(
            rows in prop::collection::vec(prop::collection::vec(0i64..12, 6), 4..60), memory in 1u64..20_000, k in 1usize..4,
        ) {
            let whole = table(&rows);
            let parts = Parts(vec![table(&rows[..rows.len() / 2]), table(&rows[rows.len() / 2..])], AtomicUsize::new(0));
            let mut statistics = Statistics::new(whole.arities(), whole.n_classes(), true).unwrap();
            parts.0.iter().for_each(|part| statistics.update(part, &Control::new()).unwrap());
            let tasks: Vec<Task> = (0..5).map(|child| Task::new(child, (0..child).collect(), 5).unwrap()).collect();
            let (counter, streamed) = (Counter::new(&whole), Streamed::new(&statistics, &parts, memory));
            for name in ["bic", "k2", "ll"] {
                let score = by_name(name, &Options::default()).unwrap();
                let scorer = Scorer::for_source(score.as_ref(), &counter, 1 << 10);
                let find = |source: &dyn CountSource| {
                    best_parent_sets(source, &scorer, &tasks, k, Pruning::Bounds, &Control::new()).unwrap()
                };
                prop_assert_eq!(find(&streamed), find(&counter));
            }
            let passes = parts.1.load(Ordering::Relaxed);
            prop_assert_eq!(k == 1, passes == 0);
        }
    }

    #[test]
    fn what_fits_into_memory_takes_one_pass() {
        let rows: Vec<Vec<i64>> = (0..40).map(|row| (0..6).map(|i| row * (i + 3) / 5).collect()).collect();
        let parts = Parts(vec![table(&rows)], AtomicUsize::new(0));
        let mut statistics = Statistics::new(parts.0[0].arities(), Some(4), true).unwrap();
        statistics.update(&parts.0[0], &Control::new()).unwrap();
        let streamed = Streamed::new(&statistics, &parts, 1 << 20);
        let families: Vec<Family> =
            (2..5).map(|child| Family { child, parents: vec![0, 1], with_class: true }).collect();
        streamed.prepare(&families).unwrap();
        for family in &families {
            streamed.family(Variable::Attribute(family.child), &[0, 1], true).unwrap();
        }
        assert_eq!(parts.1.load(Ordering::Relaxed), 1);
        streamed.family(Variable::Attribute(0), &[1, 2], false).unwrap();
        assert_eq!(parts.1.load(Ordering::Relaxed), 2);
        assert!(streamed.family(Variable::Attribute(9), &[1, 2], false).is_err());
    }
}
