//! The levels of one family: its table with fewer and fewer parents.

use crate::counts::FamilyCounts;
use crate::data::mixed_radix::for_each_place;
use crate::independence::g_test;
use crate::parameters::hierarchical::paths::Paths;
use crate::parameters::hierarchical::tuning::tune;

/// Parents whose informations differ by no more, in nats, keep the order given.
const TIE: f64 = 1e-10;

/// One level: the counts of the child given the first `d` of the class and the ordered parents.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Level {
    /// The values of the variable that this level adds; 1 at level 0.
    pub(super) arity: usize,
    /// n_d(x): `[x·contexts + context]`, the variable that this level adds varying fastest.
    pub(super) counts: Vec<f64>,
    /// n_d: `[context]`.
    pub(super) sums: Vec<f64>,
}

/// The hierarchical estimate of one family, ready to be asked: levels of counts, concentrations, θ, and what θ would
/// be without one of the rows. [`Hierarchical`](super::Hierarchical) has the formulas.
///
/// A *cell* is a position in the family's own table (see [`FamilyCounts`]): class slowest, then the attribute parents as
/// given, the child fastest. [`Hierarchy::order`] says how the parents were ordered for the levels.
///
/// ```
/// use tanager_core::counts::{Cells, FamilyCounts, FamilyShape};
/// use tanager_core::parameters::Hierarchy;
/// let shape = FamilyShape { child: 2, class: Some(2), parents: vec![] };
/// let family = FamilyCounts { shape, cells: Cells::Integer(vec![9, 1, 2, 8]) };
/// let hierarchy = Hierarchy::new(&family);
/// let [none, class] = hierarchy.concentrations() else { panic!("two levels: none, {{C}}") };
/// let p0 = (11.0 + none / 2.0) / (20.0 + none);
/// assert!((hierarchy.probability(0) - (9.0 + class * p0) / (10.0 + class)).abs() < 1e-12);
/// let p0 = (10.0 + none / 2.0) / (19.0 + none);
/// assert!((hierarchy.leave_one_out(0, 1.0) - (8.0 + class * p0) / (9.0 + class)).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Hierarchy {
    child: usize,
    /// For each axis of the family's table (class, parents as given): its values and its stride in the last level.
    axes: Vec<(usize, usize)>,
    order: Vec<usize>,
    levels: Vec<Level>,
    concentrations: Vec<f64>,
}

impl Hierarchy {
    /// The levels of a family, its parents ordered by their information, with the concentrations that the data asks for.
    pub fn new(family: &FamilyCounts) -> Self {
        Self::with_order(family, by_information(family))
    }

    /// The same with the attribute parents in a given order: positions among the family's parents.
    ///
    /// # Panics
    /// Where `order` is not a permutation of these positions.
    pub fn with_order(family: &FamilyCounts, order: Vec<usize>) -> Self {
        let (axes, levels) = levels(family, &order);
        let concentrations = tune(&Paths::new(&levels, family.shape.child), levels.len());
        Self { child: family.shape.child, axes, order, levels, concentrations }
    }

    /// c_d of each level: no parent, then the class where there is one, then the parents in [`Hierarchy::order`].
    pub fn concentrations(&self) -> &[f64] {
        &self.concentrations
    }

    /// The attribute parents in the order of the levels: positions among the family's parents.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// θ of every cell, laid out as the family's table.
    ///
    /// # Complexity
    /// O(q·r)
    pub fn theta(&self) -> Vec<f64> {
        let mut p = vec![1.0 / self.child as f64; self.child];
        for (level, &c) in self.levels.iter().zip(&self.concentrations) {
            let contexts = level.sums.len();
            let weights: Vec<f64> = level.sums.iter().map(|sum| 1.0 / (sum + c)).collect();
            let mut next = Vec::with_capacity(level.counts.len());
            for (counts, above) in
                level.counts.chunks_exact(contexts).zip(p.chunks_exact(contexts / level.arity))
            {
                let rows = counts.chunks_exact(level.arity).zip(weights.chunks_exact(level.arity));
                for ((counts, weights), &above) in rows.zip(above) {
                    let borrowed = c * above;
                    next.extend(counts.iter().zip(weights).map(|(n, weight)| (n + borrowed) * weight));
                }
            }
            p = next;
        }
        let (child, contexts) = (self.child, p.len() / self.child);
        let mut theta = Vec::with_capacity(p.len());
        for_each_place(&self.axes, |context| {
            theta.extend((0..child).map(|x| p[x * contexts + context]));
        });
        theta
    }

    /// θ of one cell.
    pub fn probability(&self, cell: usize) -> f64 {
        self.without(cell, 0.0)
    }

    /// θ of a cell estimated without one of its rows: `own`, the row's weight (1 for plain counts), is taken from
    /// n_d(x) and n_d at every level; all of the cell where it weighs less. The concentrations stay.
    pub fn leave_one_out(&self, cell: usize, own: f64) -> f64 {
        self.without(cell, own)
    }

    fn without(&self, cell: usize, own: f64) -> f64 {
        let (x, mut rest) = (cell % self.child, cell / self.child);
        let mut context = 0;
        for &(values, stride) in self.axes.iter().rev() {
            context += rest % values * stride;
            rest /= values;
        }
        let contexts = |level: &Level| level.sums.len();
        let last = self.levels.last().map_or(0.0, |level| level.counts[x * contexts(level) + context]);
        let own = own.min(last);
        // The contexts of the levels above: each level's own variable is the fastest of its context.
        let mut path = vec![0; self.levels.len()];
        for (place, level) in path.iter_mut().zip(&self.levels).rev() {
            *place = context;
            context /= level.arity;
        }
        let levels = self.levels.iter().zip(&self.concentrations).zip(path);
        levels.fold(1.0 / self.child as f64, |p, ((level, &c), context)| {
            let n = (level.counts[x * contexts(level) + context] - own).max(0.0);
            (n + c * p) / ((level.sums[context] - own).max(0.0) + c)
        })
    }
}

/// The attribute parents by decreasing I(X; P | C); of those within [`TIE`] the first given comes first.
fn by_information(family: &FamilyCounts) -> Vec<usize> {
    let parents = family.shape.parents.len();
    let mut left: Vec<usize> = (0..parents).collect();
    if parents < 2 {
        return left;
    }
    let total = family.cells.total();
    let information: Vec<f64> = left.iter().map(|&parent| information(family, parent, total)).collect();
    let mut order = Vec::with_capacity(parents);
    while !left.is_empty() {
        let largest = left.iter().map(|&parent| information[parent]).fold(f64::NEG_INFINITY, f64::max);
        let first = left.iter().position(|&parent| information[parent] >= largest - TIE).unwrap_or(0);
        order.push(left.remove(first));
    }
    order
}

/// I(X; P | C) in the family's own table.
fn information(family: &FamilyCounts, parent: usize, total: f64) -> f64 {
    let shape = &family.shape;
    let (classes, child, values) = (shape.class.unwrap_or(1), shape.child, shape.parents[parent]);
    let faster: usize = shape.parents[parent + 1..].iter().product();
    let per_class = shape.attribute_configurations();
    let mut table = vec![0.0; classes * values * child];
    let cells = family.cells.to_f64();
    for (configuration, row) in cells.chunks_exact(child).enumerate() {
        let class = configuration / per_class;
        let value = configuration / faster % values;
        let sums = &mut table[(class * values + value) * child..][..child];
        for (sum, n) in sums.iter_mut().zip(row) {
            *sum += n;
        }
    }
    g_test(&table, [classes, values, child], 0.0).information(total)
}

/// The axes of the family's table with their strides among the contexts of the last level, and the levels.
fn levels(family: &FamilyCounts, order: &[usize]) -> (Vec<(usize, usize)>, Vec<Level>) {
    let shape = &family.shape;
    let arities: Vec<usize> = shape.parent_arities().collect();
    let class = arities.len() - shape.parents.len();
    // The variables of the levels 1, 2, …: positions among the axes.
    let added: Vec<usize> = (0..class).chain(order.iter().map(|&parent| class + parent)).collect();
    assert_eq!(added.len(), arities.len(), "the order names every parent once");
    let mut axes: Vec<(usize, usize)> = arities.iter().map(|&values| (values, 0)).collect();
    let mut contexts = 1;
    for &axis in added.iter().rev() {
        axes[axis].1 = contexts;
        contexts *= arities[axis];
    }
    let mut counts = vec![0.0; family.cells.len()];
    let cells = family.cells.to_f64();
    let mut rows = cells.chunks_exact(shape.child);
    for_each_place(&axes, |context| {
        for (x, &n) in rows.next().unwrap_or_default().iter().enumerate() {
            counts[x * contexts + context] = n;
        }
    });
    let mut levels = Vec::with_capacity(added.len() + 1);
    for &axis in added.iter().rev() {
        let arity = arities[axis];
        let above = counts.chunks_exact(arity).map(|cells| cells.iter().sum()).collect();
        levels.push(Level { arity, sums: sums(&counts, shape.child), counts });
        counts = above;
    }
    levels.push(Level { arity: 1, sums: sums(&counts, shape.child), counts });
    levels.reverse();
    (axes, levels)
}

/// Σ_x of the counts of each context.
fn sums(counts: &[f64], child: usize) -> Vec<f64> {
    let mut sums = vec![0.0; counts.len() / child];
    for counts in counts.chunks_exact(sums.len()) {
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum += count;
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{Cells, FamilyShape};
    use proptest::prelude::*;

    fn family(cells: Vec<u32>, class: Option<usize>, parents: Vec<usize>, child: usize) -> FamilyCounts {
        FamilyCounts { shape: FamilyShape { child, class, parents }, cells: Cells::Integer(cells) }
    }

    proptest! {
        #[test]
        fn one_cell_at_a_time_equals_all_of_them(cells in prop::collection::vec(0u32..6, 2 * 3 * 2 * 4)) {
            let family = family(cells.clone(), Some(2), vec![3, 2], 4);
            let hierarchy = Hierarchy::new(&family);
            let theta = hierarchy.theta();
            for (cell, &theta) in theta.iter().enumerate() {
                prop_assert!((theta - hierarchy.probability(cell)).abs() < 1e-14);
            }
            for row in theta.chunks_exact(4) {
                prop_assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                prop_assert!(row.iter().all(|&theta| theta > 0.0));
            }
            // Without a row: the estimate from the table that lacks it, with the same concentrations.
            let Some(cell) = cells.iter().position(|&n| n > 0) else { return Ok(()) };
            let mut fewer = cells;
            fewer[cell] -= 1;
            let fewer = super::tests::family(fewer, Some(2), vec![3, 2], 4);
            let mut refitted = Hierarchy::with_order(&fewer, hierarchy.order().to_vec());
            refitted.concentrations = hierarchy.concentrations.clone();
            prop_assert!((refitted.probability(cell) - hierarchy.leave_one_out(cell, 1.0)).abs() < 1e-14);
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
            let one = family(cells, Some(2), vec![3, 2], 2);
            let other = family(exchanged, Some(2), vec![2, 3], 2);
            let total = one.cells.total();
            prop_assume!((information(&one, 0, total) - information(&one, 1, total)).abs() > 1e-9);
            let (one, other) = (Hierarchy::new(&one), Hierarchy::new(&other));
            prop_assert_eq!(one.concentrations(), other.concentrations());
            prop_assert_eq!(one.order()[0], other.order()[1]);
        }
    }

    #[test]
    fn no_rows_give_uniform_distributions_and_prior_concentrations() {
        let hierarchy = Hierarchy::new(&family(vec![0; 12], Some(2), vec![2], 3));
        assert!(hierarchy.theta().iter().all(|theta| (theta - 1.0 / 3.0).abs() < 1e-15));
        assert!(hierarchy.concentrations().iter().all(|c| (c - 2.0).abs() < 1e-9));
        let class = Hierarchy::new(&family(vec![3, 1], None, vec![], 2));
        assert_eq!(class.concentrations().len(), 1);
    }

    #[test]
    fn whole_weights_equal_repeated_rows() {
        let cells = vec![3, 0, 1, 5, 2, 2, 0, 7];
        let plain = family(cells.clone(), Some(2), vec![2], 2);
        let weighted = FamilyCounts {
            shape: plain.shape.clone(),
            cells: Cells::Weighted(cells.into_iter().map(f64::from).collect()),
        };
        assert_eq!(Hierarchy::new(&plain), Hierarchy::new(&weighted));
    }
}
