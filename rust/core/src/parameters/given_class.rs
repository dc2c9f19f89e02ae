//! θ of a variable given the class alone, for variables of so many values that only those that occur are looked at.

use crate::counts::{Cells, FamilyCounts, FamilyShape, check_cells};
use crate::error::Result;
use crate::parameters::ParameterEstimator;

/// Visits N_xc of each value x that occurs, by class.
pub type Visit<'a> = dyn Fn(&mut dyn FnMut(&[f64])) + 'a;

/// The counts of a variable given the class, by the values that occur.
pub struct OccurringCounts<'a> {
    /// r: the size of the domain, absent values included.
    pub domain: f64,
    /// N_c: the rows of each class that have a value.
    pub classes: &'a [f64],
    /// N of the whole data.
    pub total: f64,
    /// The values that occur, always in the same order.
    pub values: &'a Visit<'a>,
}

impl OccurringCounts<'_> {
    /// N of the rows that have a value.
    pub fn observed(&self) -> f64 {
        self.classes.iter().sum()
    }
}

/// One value: where it stands among those that occur, and its rows in all classes.
#[derive(Debug, Clone, Copy)]
pub struct Value {
    /// Its place in the order of [`OccurringCounts::values`].
    pub place: usize,
    /// N_x
    pub margin: f64,
}

/// θ_{x|c}, cell by cell.
pub trait GivenClass {
    /// θ of a value that `count` rows of the class have.
    fn theta(&self, class: usize, value: Value, count: f64) -> f64;

    /// θ of every value that no row of the class has, where it is the same for all of them.
    fn absent(&self, class: usize) -> Option<f64>;

    /// The concentrations behind θ, for estimators that tune such.
    fn concentrations(&self) -> &[f64] {
        &[]
    }
}

/// A table over the whole domain, for estimators that need to see it: the values that occur, then the absent ones.
pub(super) struct Dense {
    domain: usize,
    theta: Vec<f64>,
}

impl Dense {
    /// Refused, before anything is allocated, where the domain does not fit.
    pub fn new<E: ParameterEstimator + ?Sized>(estimator: &E, counts: &OccurringCounts<'_>) -> Result<Self> {
        let classes = counts.classes.len();
        let domain = if counts.domain < usize::MAX as f64 { counts.domain as usize } else { usize::MAX };
        let mut cells = vec![0.0; check_cells(|| "a join".into(), [classes, domain])?];
        let mut place = 0;
        (counts.values)(&mut |by_class| {
            for (class, &count) in by_class.iter().enumerate() {
                cells[class * domain + place] = count;
            }
            place += 1;
        });
        let shape = FamilyShape { child: domain, class: Some(classes), parents: Vec::new() };
        let family = FamilyCounts { shape, cells: Cells::Weighted(cells) };
        Ok(Self { domain, theta: estimator.estimate(&family, counts.total)? })
    }
}

impl GivenClass for Dense {
    fn theta(&self, class: usize, value: Value, _: f64) -> f64 {
        self.theta[class * self.domain + value.place]
    }

    fn absent(&self, _: usize) -> Option<f64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::parameters::REGISTRY;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_estimator_gives_cells_as_it_gives_tables(
            values in prop::collection::vec(prop::array::uniform3(0u8..4), 1..6), absent in 0usize..4,
        ) {
            let values: Vec<[f64; 3]> = values.iter().map(|counts| counts.map(f64::from)).collect();
            let classes: Vec<f64> = (0..3).map(|class| values.iter().map(|counts| counts[class]).sum()).collect();
            let visit = |visit: &mut dyn FnMut(&[f64])| values.iter().for_each(|counts| visit(counts));
            let (domain, total) = ((values.len() + absent) as f64, classes.iter().sum::<f64>() + 2.0);
            let counts = OccurringCounts { domain, classes: &classes, total, values: &visit };
            for entry in REGISTRY {
                let estimator = entry.make(&Options::default()).unwrap();
                let (dense, cells) =
                    (Dense::new(&*estimator, &counts).unwrap(), estimator.given_class(&counts).unwrap());
                for (place, by_class) in values.iter().enumerate() {
                    let value = Value { place, margin: by_class.iter().sum() };
                    for (class, &count) in by_class.iter().enumerate() {
                        let expected = dense.theta(class, value, count);
                        let found = cells.theta(class, value, count);
                        prop_assert!((found - expected).abs() <= 1e-14, "{} {found} {expected}", entry.about.name);
                        if let (0.0, Some(shared)) = (count, cells.absent(class)) {
                            prop_assert!((shared - expected).abs() <= 1e-14, "{}", entry.about.name);
                        }
                    }
                }
            }
        }
    }
}
