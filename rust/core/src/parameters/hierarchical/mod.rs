//! Hierarchical smoothing: every context borrows from the one with one parent less.

mod hierarchy;
mod likelihood;
mod paths;
mod tuning;

use crate::counts::FamilyCounts;
use crate::error::Result;
use crate::parameters::{Entry, GivenClass, OccurringCounts, ParameterEstimator, Tuned, Value};
use crate::registry::About;

pub use paths::Occurrence;
pub use tuning::{LOG_CONCENTRATION_BOUNDS, PRIOR_DEVIATION, PRIOR_MODE, concentrations};

/// Counts, backed off to the counts with one parent less, and so on down to none; how far is told by the data.
///
/// # Formula
/// ```text
/// p_−1(x) = 1/r,   p_d(x) = (n_d(x) + c_d p_{d−1}(x)) / (n_d + c_d),   θ_{x|π} = p_{k+1}(x)
///
/// c maximises  Σ_t ω_t ln p^{−t}_{k+1}(x_t) − Σ_d (ln c_d − ln 2)² / (2·3²)   within −5 ≤ ln c_d ≤ 9
/// ```
/// r the child's values. The levels d of a configuration π: 0 without parents, 1 the class, 2 the class and P_1, up to
/// k + 1 with all k attribute parents, the most informative first: by decreasing I(X; P | C), counted in the family's
/// own table; those within 1e-10 nats in the order given. Without a class level 1 is P_1. n_d(x) rows (or their
/// weights) with value x in the configuration's context of level d, n_d = Σ_x n_d(x). c_d > 0 is one concentration for
/// each level of each node. p^{−t} is p with row t's own contribution taken from n_d(x_t) and n_d at every level. The
/// class node and a node without parents have level 0 alone. A context without rows hands down its parent's estimate.
///
/// With row weights the table knows the weight of a cell, not that of a row: a cell of weight W counts as W rows of
/// weight 1, of which a row takes away 1, or all of the cell where W < 1. Whole weights so equal repeated rows exactly.
/// Where values are missing the family's table holds the rows in which all of it is known, and every level is summed
/// from that table. A join is one child; parents that are members of a join are parents one by one.
///
/// # Complexity
/// O(q·r) for the levels and θ; at most O(cells with rows) for each of about eight Newton steps over k + 2 numbers.
///
/// # References
/// petitjean2018, zhang2020
///
/// # Differences
/// Petitjean et al. sample the concentrations of a hierarchical Dirichlet process; Zhang et al. tune them by the
/// gradient of the leave-one-out likelihood, by stochastic steps. Here the optimum is found by Newton's method, with
/// a weak prior that keeps it finite: nothing is sampled, and the same counts give the same θ.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hierarchical;

impl ParameterEstimator for Hierarchical {
    fn estimate(&self, family: &FamilyCounts, _total: f64) -> Result<Vec<f64>> {
        Ok(hierarchy::estimate(family).theta)
    }

    fn tuned(&self, family: &FamilyCounts) -> Result<Option<Tuned>> {
        Ok(Some(hierarchy::estimate(family)))
    }

    fn given_class(&self, counts: &OccurringCounts<'_>) -> Result<Box<dyn GivenClass>> {
        Ok(Box::new(HierarchicalGivenClass::new(counts)))
    }
}

/// Two levels, of which nobody looks at values that do not occur.
struct HierarchicalGivenClass {
    /// 1/r
    each: f64,
    /// n_0 and, for each class, n_1
    rows: f64,
    classes: Vec<f64>,
    concentrations: Vec<f64>,
}

impl HierarchicalGivenClass {
    fn new(counts: &OccurringCounts<'_>) -> Self {
        let rows = counts.observed();
        let (mut all, mut of_classes) = (Vec::new(), vec![Vec::new(); counts.classes.len()]);
        (counts.values)(&mut |by_class| {
            let margin = by_class.iter().sum::<f64>();
            if margin == 0.0 {
                return;
            }
            let parent = all.len() as u32;
            all.push(Occurrence { parent: 0, count: margin, sum: rows, ending: 0.0 });
            for ((of_class, &count), &sum) in of_classes.iter_mut().zip(by_class).zip(counts.classes) {
                if count > 0.0 {
                    of_class.push(Occurrence { parent, count, sum, ending: count });
                }
            }
        });
        let concentrations = tuning::concentrations(&[all, of_classes.concat()], counts.domain as usize);
        Self { each: 1.0 / counts.domain, rows, classes: counts.classes.to_vec(), concentrations }
    }
}

impl GivenClass for HierarchicalGivenClass {
    fn theta(&self, class: usize, value: Value, count: f64) -> f64 {
        let [of_all, of_class] = self.concentrations[..] else { return self.each };
        // In the order of the whole table's operations: what ties there ties here.
        let p = (value.margin + of_all * self.each) * (1.0 / (self.rows + of_all));
        (count + of_class * p) * (1.0 / (self.classes[class] + of_class))
    }

    fn absent(&self, _: usize) -> Option<f64> {
        None
    }

    fn concentrations(&self) -> &[f64] {
        &self.concentrations
    }
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "hierarchical",
        title: "Hierarchical",
        summary: "every context leans on the one with one parent less, as leave-one-out tells",
        formula: "(n_d(x) + c_d p_{d−1}(x)) / (n_d + c_d) at the last level d of parents",
        settings: &[],
        needs: &[],
    },
    build: |_| Ok(Box::new(Hierarchical)),
};
