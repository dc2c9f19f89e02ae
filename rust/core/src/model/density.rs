//! A fitted density: a network over attributes without a class.

use rayon::prelude::*;

use crate::control::Control;
use crate::counts::CountSource;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::math::Random;
use crate::memory::{check_bytes, filled};
use crate::model::{Classifier, NodeTable, Summing};
use crate::parameters::ParameterEstimator;
use crate::structure::Structure;

/// A structure over attributes with its tables.
///
/// # Formula
/// ```text
/// P(x) = Π_i θ_{x_i | π_i}
/// ```
/// x_i the value of node i, π_i the values of its parents. It is a [`Classifier`] with one class of
/// probability 1: whatever that does with rows holds here too.
#[derive(Debug, Clone, PartialEq)]
pub struct Density {
    model: Classifier,
}

impl Density {
    /// Estimates the tables of a structure; the source has no class.
    pub fn fit(
        structure: &Structure,
        source: &dyn CountSource,
        estimator: &dyn ParameterEstimator,
        control: &Control,
    ) -> Result<Self> {
        if source.n_classes().is_some() {
            let reason = "a density has no class, but the data has one".into();
            return Err(Error::InvalidStructure { reason });
        }
        structure.validate(source.n())?;
        let tables = structure
            .nodes
            .par_iter()
            .map(|node| {
                control.check()?;
                NodeTable::estimate(node, source, estimator)
            })
            .collect::<Result<_>>()?;
        Self::from_parts(source.arities().to_vec(), tables)
    }

    /// Puts a density together from its parts, checked.
    pub fn from_parts(arities: Vec<usize>, tables: Vec<NodeTable>) -> Result<Self> {
        Ok(Self { model: Classifier::from_parts(arities, vec![0.0], tables)? })
    }

    /// The attributes' domain sizes.
    pub fn arities(&self) -> &[usize] {
        self.model.arities()
    }

    /// The nodes' tables.
    pub fn tables(&self) -> &[NodeTable] {
        self.model.tables()
    }

    /// ln P(x) of each row.
    pub fn log_density(&self, data: &Dataset, control: &Control) -> Result<Vec<f64>> {
        self.model.log_joint(data, Summing::Exact, control)
    }

    /// Draws rows; one list of codes for each attribute, 0 for one that no node has.
    ///
    /// Nodes are drawn parents first, each from its table's row; the same seed gives the same rows.
    ///
    /// # Complexity
    /// O(rows · n · r)
    pub fn sample(&self, rows: usize, seed: u64, control: &Control) -> Result<Vec<Vec<u32>>> {
        let order = self.model.structure().order(self.arities().len())?;
        let samplers: Vec<Sampler<'_>> =
            order.into_iter().map(|node| Sampler::new(&self.tables()[node], self.arities())).collect();
        let mut random = Random::new(seed);
        let name = || format!("{rows} drawn rows of {} columns", self.arities().len());
        check_bytes(name, [rows, self.arities().len().max(1), size_of::<u32>()])?;
        let mut columns: Vec<Vec<u32>> =
            self.arities().iter().map(|_| filled(name, 0, rows)).collect::<Result<_>>()?;
        for row in 0..rows {
            if row % 4096 == 0 {
                control.check()?;
            }
            for sampler in &samplers {
                sampler.draw(row, random.uniform(), &mut columns);
            }
        }
        Ok(columns)
    }
}

/// Draws one node given its parents.
struct Sampler<'a> {
    table: &'a NodeTable,
    arities: &'a [usize],
    /// The node's number of values.
    values: usize,
    /// θ summed up along each configuration's row.
    cumulative: Vec<f64>,
}

impl<'a> Sampler<'a> {
    fn new(table: &'a NodeTable, arities: &'a [usize]) -> Self {
        let values = table.node().members.iter().map(|&member| arities[member]).product();
        let mut cumulative = Vec::with_capacity(table.log_theta().len());
        for row in table.log_theta().chunks_exact(values) {
            let mut sum = 0.0;
            cumulative.extend(row.iter().map(|log_theta| {
                sum += log_theta.exp();
                sum
            }));
        }
        Self { table, arities, values, cumulative }
    }

    fn draw(&self, row: usize, uniform: f64, columns: &mut [Vec<u32>]) {
        let node = self.table.node();
        let configuration = node
            .parents
            .iter()
            .fold(0, |index, &parent| index * self.arities[parent] + columns[parent][row] as usize);
        let cumulative = &self.cumulative[configuration * self.values..][..self.values];
        let point = uniform * cumulative[self.values - 1];
        let mut value = cumulative.partition_point(|&sum| sum <= point).min(self.values - 1);
        for &member in node.members.iter().rev() {
            columns[member][row] = (value % self.arities[member]) as u32;
            value /= self.arities[member];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::Counter;
    use crate::data::Column;
    use crate::math::log_sum_exp;
    use crate::parameters::Laplace;
    use crate::structure::Node;

    fn column(values: &[i64], arity: usize) -> Column {
        Column::from_integers("x", values.iter().copied(), arity, None).unwrap()
    }

    fn density() -> Density {
        let columns =
            vec![column(&[0, 1, 1, 0, 1], 2), column(&[2, 0, 1, 2, 1], 3), column(&[0, 1, 1, 1, 0], 2)];
        let data = Dataset::new(columns, None).unwrap();
        // A join of columns 0 and 2 below column 1: the second node is drawn first.
        let nodes =
            vec![Node { members: vec![0, 2], parents: vec![1] }, Node { members: vec![1], parents: vec![] }];
        let estimator = Laplace::new(0.5);
        Density::fit(&Structure { nodes }, &Counter::new(&data), &estimator, &Control::new()).unwrap()
    }

    fn whole_domain() -> Dataset {
        let rows: Vec<[i64; 3]> = (0..12).map(|i| [i / 6, i / 2 % 3, i % 2]).collect();
        let pick = |at: usize| rows.iter().map(|row| row[at]).collect::<Vec<_>>();
        Dataset::new(vec![column(&pick(0), 2), column(&pick(1), 3), column(&pick(2), 2)], None).unwrap()
    }

    #[test]
    fn it_sums_to_one_over_the_domain() {
        let log_density = density().log_density(&whole_domain(), &Control::new()).unwrap();
        assert!(log_sum_exp(&log_density).abs() < 1e-12);
    }

    #[test]
    fn samples_follow_the_density_and_the_seed() {
        let (density, control) = (density(), Control::new());
        let rows = 40_000;
        let sample = density.sample(rows, 9, &control).unwrap();
        assert_eq!(sample, density.sample(rows, 9, &control).unwrap());
        assert_ne!(sample, density.sample(rows, 10, &control).unwrap());
        let expected = density.log_density(&whole_domain(), &control).unwrap();
        let mut counts = [0.0; 12];
        for ((a, b), c) in sample[0].iter().zip(&sample[1]).zip(&sample[2]) {
            counts[(a * 6 + b * 2 + c) as usize] += 1.0;
        }
        let statistic: f64 = counts
            .iter()
            .zip(&expected)
            .map(|(found, log_density)| {
                let expected = log_density.exp() * f64::from(rows as u32);
                (found - expected) * (found - expected) / expected
            })
            .sum();
        // The 0.999 quantile of χ² with 11 degrees of freedom.
        assert!(statistic < 31.26, "{statistic}");
    }

    #[test]
    fn a_class_is_refused() {
        let data = Dataset::new(vec![column(&[0, 1], 2)], Some(column(&[0, 1], 2))).unwrap();
        let structure = Structure::from_parents(vec![vec![]]);
        let fitted = Density::fit(&structure, &Counter::new(&data), &Laplace::new(1.0), &Control::new());
        assert!(matches!(fitted, Err(Error::InvalidStructure { .. })));
    }
}
