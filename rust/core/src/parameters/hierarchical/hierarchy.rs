//! The levels of one family: its table with fewer and fewer parents.

use std::borrow::Cow;

use crate::counts::{Cell, Cells, FamilyCounts, FamilyShape};
use crate::data::mixed_radix::{for_each_place, strides};
use crate::independence::g_test;
use crate::parameters::Tuned;
use crate::parameters::hierarchical::paths::Occurrence;
use crate::parameters::hierarchical::tuning::concentrations;

/// Parents whose informations differ by no more, in nats, keep the order given.
const TIE: f64 = 1e-10;

/// θ of a family's cells, and the concentrations that its data ask for.
pub(super) fn estimate(family: &FamilyCounts) -> Tuned {
    match &family.cells {
        Cells::Integer(cells) => Hierarchy::new(&family.shape, cells).estimate(),
        Cells::Weighted(cells) => Hierarchy::new(&family.shape, cells).estimate(),
    }
}

/// A family's table with its attribute parents ordered, and the tables that lack the last ones of them.
struct Hierarchy<'a, T: Cell> {
    child: usize,
    /// The axes of the contexts of the family's table (class, parents as given): values, and stride among the contexts
    /// of the last level.
    axes: Vec<(usize, usize)>,
    /// Whether these are the contexts of the family's table in their order.
    as_given: bool,
    levels: Vec<Level<'a, T>>,
}

/// One level: the counts of the child given the first `d` of the class and the ordered parents.
struct Level<'a, T: Cell> {
    /// The values of the variable that this level adds; 1 at level 0.
    arity: usize,
    /// n_d(x): `[context·r + x]`, the variable that this level adds fastest among those of the context.
    counts: Cow<'a, [T]>,
    /// n_d: `[context]`.
    sums: Vec<f64>,
}

impl<'a, T: Cell> Hierarchy<'a, T> {
    fn new(shape: &FamilyShape, cells: &'a [T]) -> Self {
        let order = by_information(shape, cells);
        let arities: Vec<usize> = shape.parent_arities().collect();
        let class = arities.len() - shape.parents.len();
        // The variables of the levels 1, 2, …: positions among the axes.
        let added: Vec<usize> = (0..class).chain(order.iter().map(|&parent| class + parent)).collect();
        let mut axes: Vec<(usize, usize)> = arities.iter().map(|&values| (values, 0)).collect();
        let of_added = strides(added.iter().map(|&axis| arities[axis]));
        added.iter().zip(of_added).for_each(|(&axis, stride)| axes[axis].1 = stride);
        let as_given = order.is_sorted();
        let mut counts =
            if as_given { Cow::Borrowed(cells) } else { Cow::Owned(permuted(cells, &axes, shape.child)) };
        let mut levels = Vec::with_capacity(added.len() + 1);
        for &axis in added.iter().rev() {
            let above = without_fastest(&counts, arities[axis], shape.child);
            levels.push(Level { arity: arities[axis], sums: sums(&counts, shape.child), counts });
            counts = Cow::Owned(above);
        }
        levels.push(Level { arity: 1, sums: sums(&counts, shape.child), counts });
        levels.reverse();
        Self { child: shape.child, axes, as_given, levels }
    }

    fn estimate(&self) -> Tuned {
        let concentrations = concentrations(&self.occurrences(), self.child);
        Tuned { theta: self.theta(&concentrations), concentrations }
    }

    /// The values in contexts that occur, level by level.
    fn occurrences(&self) -> Vec<Vec<Occurrence>> {
        let r = self.child;
        let mut occurrences: Vec<Vec<Occurrence>> = Vec::with_capacity(self.levels.len());
        // The number of each (context, value) of the level before, and the values that occur in one context.
        let (mut above, mut values) = (vec![0; r], vec![0; r + 1]);
        for (d, level) in self.levels.iter().enumerate() {
            let last = d + 1 == self.levels.len();
            let mut here: Vec<Occurrence> = Vec::with_capacity(occurrences.last().map_or(r, Vec::len));
            let mut numbers = vec![0; if last { 0 } else { level.counts.len() }];
            for (context, (counts, &sum)) in level.counts.chunks_exact(r).zip(&level.sums).enumerate() {
                // Most cells of large tables are empty, at random: no branch could tell which.
                let mut occurring = 0;
                for (x, &count) in counts.iter().enumerate() {
                    values[occurring] = x;
                    occurring += usize::from(count != T::default());
                }
                let above = &above[context / level.arity * r..][..r];
                for &x in &values[..occurring] {
                    let count = counts[x].as_f64();
                    if !last {
                        numbers[context * r + x] = here.len() as u32;
                    }
                    let ending = if last { count } else { 0.0 };
                    here.push(Occurrence { parent: above[x], count, sum, ending });
                }
            }
            occurrences.push(here);
            above = numbers;
        }
        occurrences
    }

    /// θ of every cell, laid out as the family's table.
    fn theta(&self, concentrations: &[f64]) -> Vec<f64> {
        let r = self.child;
        let mut p = vec![1.0 / r as f64; r];
        for (level, &c) in self.levels.iter().zip(concentrations) {
            let mut next = Vec::with_capacity(level.counts.len());
            let mut rows = level.counts.chunks_exact(r).zip(&level.sums);
            for above in p.chunks_exact(r) {
                for (counts, sum) in rows.by_ref().take(level.arity) {
                    let weight = 1.0 / (sum + c);
                    next.extend(counts.iter().zip(above).map(|(n, p)| (n.as_f64() + c * p) * weight));
                }
            }
            p = next;
        }
        if self.as_given {
            return p;
        }
        let mut theta = Vec::with_capacity(p.len());
        for_each_place(&self.axes, |context| theta.extend_from_slice(&p[context * r..][..r]));
        theta
    }
}

/// The attribute parents by decreasing I(X; P | C); of those within [`TIE`] the first given comes first.
fn by_information<T: Cell>(shape: &FamilyShape, cells: &[T]) -> Vec<usize> {
    let parents = shape.parents.len();
    let mut left: Vec<usize> = (0..parents).collect();
    if parents < 2 {
        return left;
    }
    let information: Vec<f64> = left.iter().map(|&parent| information(shape, cells, parent)).collect();
    let mut order = Vec::with_capacity(parents);
    while !left.is_empty() {
        let largest = left.iter().map(|&parent| information[parent]).fold(f64::NEG_INFINITY, f64::max);
        let first = left.iter().position(|&parent| information[parent] >= largest - TIE).unwrap_or(0);
        order.push(left.remove(first));
    }
    order
}

/// I(X; P | C) in the family's own table.
fn information<T: Cell>(shape: &FamilyShape, cells: &[T], parent: usize) -> f64 {
    let (classes, child, values) = (shape.class.unwrap_or(1), shape.child, shape.parents[parent]);
    let faster: usize = shape.parents[parent + 1..].iter().product();
    let per_class = shape.attribute_configurations();
    let mut table = vec![T::default(); classes * values * child];
    for (configuration, row) in cells.chunks_exact(child).enumerate() {
        let class = configuration / per_class;
        let value = configuration / faster % values;
        add(&mut table[(class * values + value) * child..][..child], row);
    }
    let table: Vec<f64> = table.into_iter().map(T::as_f64).collect();
    g_test(&table, [classes, values, child], 0.0).information(table.iter().sum())
}

fn add<T: Cell>(sums: &mut [T], cells: &[T]) {
    for (sum, &cell) in sums.iter_mut().zip(cells) {
        *sum = sum.plus(cell);
    }
}

/// The table with its contexts at the places that the axes tell.
fn permuted<T: Cell>(cells: &[T], axes: &[(usize, usize)], child: usize) -> Vec<T> {
    let mut permuted = vec![T::default(); cells.len()];
    let mut rows = cells.chunks_exact(child);
    for_each_place(axes, |context| {
        permuted[context * child..][..child].copy_from_slice(rows.next().unwrap_or_default());
    });
    permuted
}

/// The table summed over the fastest variable of its contexts.
fn without_fastest<T: Cell>(cells: &[T], arity: usize, child: usize) -> Vec<T> {
    let mut above = vec![T::default(); cells.len() / arity];
    for (above, cells) in above.chunks_exact_mut(child).zip(cells.chunks_exact(arity * child)) {
        cells.chunks_exact(child).for_each(|cells| add(above, cells));
    }
    above
}

/// Σ_x of the counts of each context.
fn sums<T: Cell>(counts: &[T], child: usize) -> Vec<f64> {
    let sum = |counts: &[T]| counts.iter().fold(T::default(), |sum, &count| sum.plus(count)).as_f64();
    counts.chunks_exact(child).map(sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn family(cells: Vec<u32>, class: Option<usize>, parents: Vec<usize>, child: usize) -> FamilyCounts {
        FamilyCounts { shape: FamilyShape { child, class, parents }, cells: Cells::Integer(cells) }
    }

    proptest! {
        #[test]
        fn one_cell_at_a_time_equals_all_of_them(cells in prop::collection::vec(0u32..6, 2 * 3 * 2 * 4)) {
            let shape = FamilyShape { child: 4, class: Some(2), parents: vec![3, 2] };
            let order = by_information(&shape, &cells);
            let Tuned { theta, concentrations } = estimate(&family(cells.clone(), Some(2), vec![3, 2], 4));
            for class in 0..2 {
                for (first, second) in (0..3).flat_map(|first| [(first, 0), (first, 1)]) {
                    let parents = [first, second];
                    for x in 0..4 {
                        // n_d(x) by its definition: rows that agree in the class and the first d − 1 parents of the order.
                        let count = |level: usize, x: usize| -> f64 {
                            let agrees = |&(cell, _): &(usize, &u32)| {
                                let found = [cell / 8 % 3, cell / 4 % 2];
                                cell % 4 == x
                                    && (level == 0 || cell / 24 == class)
                                    && order[..level.saturating_sub(1)].iter().all(|&p| found[p] == parents[p])
                            };
                            cells.iter().enumerate().filter(agrees).map(|(_, &n)| f64::from(n)).sum()
                        };
                        let p = concentrations.iter().enumerate().fold(0.25, |p, (level, c)| {
                            (count(level, x) + c * p) / ((0..4).map(|x| count(level, x)).sum::<f64>() + c)
                        });
                        prop_assert!((theta[((class * 3 + first) * 2 + second) * 4 + x] - p).abs() < 1e-14);
                    }
                }
            }
        }

        #[test]
        fn the_order_of_the_parents_does_not_matter(cells in prop::collection::vec(0u32..9, 2 * 3 * 2 * 2)) {
            // The same table with the parents exchanged.
            let mut exchanged = Vec::new();
            for class in 0..2 {
                for second in 0..2 {
                    for first in 0..3 {
                        let start = ((class * 3 + first) * 2 + second) * 2;
                        exchanged.extend(&cells[start..start + 2]);
                    }
                }
            }
            let shape = FamilyShape { child: 2, class: Some(2), parents: vec![3, 2] };
            prop_assume!((information(&shape, &cells, 0) - information(&shape, &cells, 1)).abs() > 1e-9);
            let one = estimate(&family(cells, Some(2), vec![3, 2], 2));
            let other = estimate(&family(exchanged, Some(2), vec![2, 3], 2));
            prop_assert_eq!(one.concentrations, other.concentrations);
        }
    }

    /// I(X; P | C) of either parent, with more classes and values than can be exchanged unseen.
    #[test]
    fn the_information_of_each_parent_is_that_of_its_own_table() {
        let (s, first, second, r) = (3, 4, 2, 3);
        let cells: Vec<u32> = (0..s * first * second * r).map(|cell| (cell * cell * 7 % 11) as u32).collect();
        let shape = FamilyShape { child: r, class: Some(s), parents: vec![first, second] };
        for (parent, values) in [(0, first), (1, second)] {
            let mut own = vec![0.0; s * values * r];
            for (cell, &count) in cells.iter().enumerate() {
                let (x, b, a, c) =
                    (cell % r, cell / r % second, cell / (r * second) % first, cell / (r * second * first));
                own[(c * values + [a, b][parent]) * r + x] += f64::from(count);
            }
            let total: f64 = own.iter().sum();
            let mut expected = 0.0;
            for of_class in own.chunks_exact(values * r) {
                let n_c: f64 = of_class.iter().sum();
                for (place, &n) in of_class.iter().enumerate().filter(|(_, n)| **n > 0.0) {
                    let of_value: f64 = of_class[place / r * r..][..r].iter().sum();
                    let of_x: f64 = of_class.iter().skip(place % r).step_by(r).sum();
                    expected += n / total * (n * n_c / (of_value * of_x)).ln();
                }
            }
            assert!((information(&shape, &cells, parent) - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn no_rows_give_uniform_distributions_and_prior_concentrations() {
        let tuned = estimate(&family(vec![0; 12], Some(2), vec![2], 3));
        assert!(tuned.theta.iter().all(|theta| (theta - 1.0 / 3.0).abs() < 1e-15));
        assert!(tuned.concentrations.iter().all(|c| (c - 2.0).abs() < 1e-9));
        assert_eq!(estimate(&family(vec![3, 1], None, vec![], 2)).concentrations.len(), 1);
    }

    #[test]
    fn whole_weights_equal_repeated_rows() {
        let cells = vec![3, 0, 1, 5, 2, 2, 0, 7];
        let plain = family(cells.clone(), Some(2), vec![2], 2);
        let weighted = FamilyCounts {
            shape: plain.shape.clone(),
            cells: Cells::Weighted(cells.into_iter().map(f64::from).collect()),
        };
        assert_eq!(estimate(&plain), estimate(&weighted));
    }
}
