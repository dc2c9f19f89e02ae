//! The smoothing of the TAN and k-graph papers.

use crate::counts::FamilyCounts;
use crate::error::{Result, check_parameter};
use crate::options::{Declared, Domain};
use crate::parameters::{Entry, GivenClass, OccurringCounts, ParameterEstimator, Value, by_configuration};
use crate::registry::About;

/// n0 pseudo-rows in each configuration, distributed as the child is in the whole data.
///
/// # Formula
/// ```text
/// θ_{x|π} = (N_xπ + n0·p̂(x)) / (N_π + n0),   p̂(x) = (N_x + 1/r) / (N + 1)
/// ```
/// N_xπ rows with value x in configuration π, N_π = Σ_x N_xπ, N_x = Σ_π N_xπ, N = Σ_x N_x, r the child's
/// values, n0 > 0.
///
/// # References
/// friedman1997, carvalho2007bckg
///
/// # Differences
/// The papers take the plain frequency N_x / N for p̂(x); a value of the domain that the training rows never
/// hold then has probability 0, and one such row at prediction rules out every class. p̂ keeps it above 0.
#[derive(Debug, Clone, Copy)]
pub struct Dirichlet {
    n0: f64,
}

impl Dirichlet {
    /// With n0 above 0.
    pub fn new(n0: f64) -> Self {
        Self { n0 }
    }
}

impl Dirichlet {
    /// Refuses what has no finite product with the rows, and what is so small that its shares of a configuration without
    /// rows come out as 0.
    fn check(&self, rows: f64) -> Result<()> {
        let is_allowed = self.n0 >= 1e-280 && (self.n0 * (rows + 1.0)).is_finite();
        let allowed = "it must be at least 1e-280 and, times the number of rows, finite";
        check_parameter("n0", self.n0, is_allowed, allowed)
    }
}

impl ParameterEstimator for Dirichlet {
    fn estimate(&self, family: &FamilyCounts, _total: f64) -> Result<Vec<f64>> {
        let margin = family.child_margin();
        let rows: f64 = margin.iter().sum();
        let r = margin.len() as f64;
        self.check(rows)?;
        let pseudo: Vec<f64> =
            margin.iter().map(|count| self.n0 * (count + 1.0 / r) / (rows + 1.0)).collect();
        Ok(by_configuration(family, |counts, sum, theta| {
            theta
                .extend(counts.iter().zip(&pseudo).map(|(count, pseudo)| (count + pseudo) / (sum + self.n0)));
        }))
    }

    fn given_class(&self, counts: &OccurringCounts<'_>) -> Result<Box<dyn GivenClass>> {
        let rows = counts.observed();
        self.check(rows)?;
        let sums = counts.classes.iter().map(|sum| sum + self.n0).collect();
        Ok(Box::new(DirichletGivenClass { n0: self.n0, each: 1.0 / counts.domain, rows, sums }))
    }
}

struct DirichletGivenClass {
    n0: f64,
    /// 1/r
    each: f64,
    rows: f64,
    /// N_c + n0
    sums: Vec<f64>,
}

impl GivenClass for DirichletGivenClass {
    fn theta(&self, class: usize, value: Value, count: f64) -> f64 {
        (count + self.n0 * (value.margin + self.each) / (self.rows + 1.0)) / self.sums[class]
    }

    fn absent(&self, _: usize) -> Option<f64> {
        None
    }
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "dirichlet",
        title: "Dirichlet",
        summary: "n0 pseudo-rows, distributed as the child is in the whole data",
        formula: "(N_xπ + n0·p̂(x)) / (N_π + n0), p̂(x) = (N_x + 1/r) / (N + 1)",
        settings: &[Declared::new("n0", Domain::Positive(5.0), "the pseudo-rows of each configuration")],
        needs: &[],
    },
    build: |options| Ok(Box::new(Dirichlet::new(options.number("n0")?))),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{Cells, FamilyShape};

    #[test]
    fn rows_are_distributions_and_unseen_values_stay_possible() {
        let shape = FamilyShape { child: 3, class: Some(2), parents: vec![] };
        let family = FamilyCounts { shape, cells: Cells::Integer(vec![2, 1, 0, 0, 0, 0]) };
        let theta = Dirichlet::new(5.0).estimate(&family, 3.0).unwrap();
        for row in theta.chunks_exact(3) {
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(row.iter().all(|&p| p > 0.0));
        }
        // (2 + 5·(2 + 1/3)/4) / (3 + 5)
        assert!((theta[0] - (2.0 + 5.0 * (2.0 + 1.0 / 3.0) / 4.0) / 8.0).abs() < 1e-12);
    }

    #[test]
    fn shares_of_nothing_are_refused() {
        let shape = FamilyShape { child: 3, class: Some(2), parents: vec![] };
        let family = FamilyCounts { shape, cells: Cells::Integer(vec![2, 1, 0, 0, 0, 0]) };
        let theta = Dirichlet::new(1e-280).estimate(&family, 3.0).unwrap();
        for row in theta.chunks_exact(3) {
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{row:?}");
        }
        // The second class has no rows: 5e-324 times a third would be 0 for each of its values.
        for n0 in [5e-324, 1e308] {
            let refused = Dirichlet::new(n0).estimate(&family, 3.0).unwrap_err().to_string();
            assert!(refused.contains("at least 1e-280"), "{refused}");
        }
    }
}
