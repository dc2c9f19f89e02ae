//! Rows drawn from a fitted network.

use crate::control::Control;
use crate::data::mixed_radix::number;
use crate::error::Result;
use crate::math::Random;
use crate::memory::{check_bytes, filled, with_room};
use crate::model::{LogTheta, Network, NodeTable, Occurring};

/// The codes of each column, and of the class where there is one.
pub type DrawnRows = (Vec<Vec<u32>>, Option<Vec<u32>>);

impl Network {
    /// Draws rows: one list of codes for each attribute, 0 for one that no node has, and one of the classes where there
    /// is a class.
    ///
    /// The class is drawn first and nodes parents first, each from its table's row; the same seed gives the same rows.
    ///
    /// # Complexity
    /// O(rows · n · r)
    pub fn sample(&self, rows: usize, seed: u64, control: &Control) -> Result<DrawnRows> {
        let order = self.structure().order(self.arities().len())?;
        let s = self.n_classes();
        let samplers: Vec<Sampler<'_>> =
            order.into_iter().map(|node| Sampler::new(&self.tables()[node], self.arities(), s)).collect();
        let prior = self.log_prior().map(|log_prior| cumulated(log_prior.iter().copied()));
        let mut random = Random::new(seed);
        let name = || format!("{rows} drawn rows of {} columns", self.arities().len());
        let lists = self.arities().len() + usize::from(prior.is_some());
        check_bytes(name, [rows, lists.max(1), size_of::<u32>()])?;
        let mut columns: Vec<Vec<u32>> =
            self.arities().iter().map(|_| filled(name, 0, rows)).collect::<Result<_>>()?;
        let mut classes = prior.as_ref().map(|_| with_room(name, rows)).transpose()?;
        for row in 0..rows {
            if row % 4096 == 0 {
                control.check()?;
            }
            let mut class = 0;
            if let (Some(prior), Some(classes)) = (&prior, &mut classes) {
                class = drawn(prior, random.uniform());
                classes.push(class as u32);
            }
            for sampler in &samplers {
                sampler.draw(row, class, random.uniform(), &mut columns);
            }
        }
        Ok((columns, classes))
    }
}

/// θ summed up along a distribution.
fn cumulated(log_theta: impl Iterator<Item = f64>) -> Vec<f64> {
    let add = |sum: &mut f64, log_theta: f64| {
        *sum += log_theta.exp();
        Some(*sum)
    };
    log_theta.scan(0.0, add).collect()
}

/// Where a uniform number falls.
fn drawn(cumulative: &[f64], uniform: f64) -> usize {
    let last = cumulative.len() - 1;
    let point = uniform * cumulative[last];
    cumulative.partition_point(|&sum| sum <= point).min(last)
}

/// Draws one node given its parents and the class.
struct Sampler<'a> {
    table: &'a NodeTable,
    arities: &'a [usize],
    classes: usize,
    /// The node's number of values.
    values: usize,
    /// θ summed up over the node's values, for each configuration and, fastest, each class; over those that occur where
    /// the table has only these.
    cumulative: Vec<f64>,
    /// How many absent values are before each that occurs, in such a table.
    absent_before: Vec<usize>,
}

impl<'a> Sampler<'a> {
    fn new(table: &'a NodeTable, arities: &'a [usize], classes: usize) -> Self {
        let values = table.node().members.iter().map(|&member| arities[member]).product();
        let (cells, kept, absent_before) = match table.log_theta() {
            LogTheta::All(cells) => (&cells[..], values, Vec::new()),
            LogTheta::Occurring(occurring) => {
                let kept = occurring.cells().len();
                let before = occurring.cells().iter().enumerate().map(|(place, &cell)| cell as usize - place);
                (&occurring.rows()[..kept * classes], kept, before.collect())
            }
        };
        let mut cumulative = Vec::with_capacity(cells.len());
        for row in cells.chunks_exact((kept * classes).max(1)) {
            for class in 0..classes {
                cumulative.extend(cumulated(row.iter().skip(class).step_by(classes).copied()));
            }
        }
        Self { table, arities, classes, values, cumulative, absent_before }
    }

    fn draw(&self, row: usize, class: usize, uniform: f64, columns: &mut [Vec<u32>]) {
        let node = self.table.node();
        let value = |&parent: &usize| (columns[parent][row] as usize, self.arities[parent]);
        let configuration = number(node.parents.iter().map(value));
        let mut value = match self.table.log_theta() {
            LogTheta::All(_) => {
                let start = (configuration * self.classes + class) * self.values;
                drawn(&self.cumulative[start..start + self.values], uniform)
            }
            LogTheta::Occurring(occurring) => self.occurring(occurring, class, uniform),
        };
        for &member in node.members.iter().rev() {
            columns[member][row] = (value % self.arities[member]) as u32;
            value /= self.arities[member];
        }
    }

    /// A value of a join: one of those that occurred by its θ, or one of all others, which are equally probable.
    fn occurring(&self, occurring: &Occurring, class: usize, uniform: f64) -> usize {
        let cells = occurring.cells();
        let cumulative = &self.cumulative[class * cells.len()..][..cells.len()];
        let (theirs, others) = (cumulative.last().copied().unwrap_or(0.0), self.values - cells.len());
        let each = occurring.rows()[cells.len() * self.classes + class].exp();
        let point = uniform * (theirs + each * others as f64);
        if others == 0 || (point < theirs || each == 0.0) && !cells.is_empty() {
            return cells[cumulative.partition_point(|&sum| sum <= point).min(cells.len() - 1)] as usize;
        }
        let which = if each > 0.0 { ((point - theirs) / each) as usize } else { 0 }.min(others - 1);
        which + self.absent_before.partition_point(|&absent| absent <= which)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::Counter;
    use crate::data::{Column, Dataset};
    use crate::math::log_sum_exp;
    use crate::parameters::{Laplace, Mle};
    use crate::structure::{Node, Structure};

    fn column(values: &[i64], arity: usize) -> Column {
        Column::from_integers("x", values.iter().copied(), arity, None).unwrap()
    }

    fn density() -> Network {
        let columns =
            vec![column(&[0, 1, 1, 0, 1], 2), column(&[2, 0, 1, 2, 1], 3), column(&[0, 1, 1, 1, 0], 2)];
        let data = Dataset::new(columns, None).unwrap();
        // A join of columns 0 and 2 below column 1: the second node is drawn first.
        let nodes =
            vec![Node { members: vec![0, 2], parents: vec![1] }, Node { members: vec![1], parents: vec![] }];
        let estimator = Laplace::new(0.5);
        Network::estimate(&Structure { nodes }, &Counter::new(&data), &estimator, &Control::new()).unwrap()
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
        let (sample, classes) = density.sample(rows, 9, &control).unwrap();
        assert_eq!(classes, None);
        assert_eq!(sample, density.sample(rows, 9, &control).unwrap().0);
        assert_ne!(sample, density.sample(rows, 10, &control).unwrap().0);
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

    /// A join of twenty values, of which three rows have two, one of each class: the others share what is left.
    #[test]
    fn values_of_a_join_that_did_not_occur_are_drawn_too() {
        let columns = vec![column(&[0, 3, 3], 4), column(&[4, 1, 1], 5)];
        let data = Dataset::new(columns, Some(column(&[0, 1, 1], 2))).unwrap();
        let structure = Structure { nodes: vec![Node { members: vec![0, 1], parents: vec![] }] };
        let control = Control::new();
        let network =
            Network::estimate(&structure, &Counter::new(&data), &Laplace::new(0.5), &control).unwrap();
        let rows: Vec<[i64; 2]> = (0..20).map(|value| [value / 5, value % 5]).collect();
        let pick = |at: usize| rows.iter().map(|row| row[at]).collect::<Vec<_>>();
        let domain = Dataset::new(vec![column(&pick(0), 4), column(&pick(1), 5)], None).unwrap();
        let expected = network.log_density(&domain, &control).unwrap();
        assert!(log_sum_exp(&expected).abs() < 1e-12);
        let (sample, _) = network.sample(40_000, 5, &control).unwrap();
        let mut counts = [0.0; 20];
        sample[0].iter().zip(&sample[1]).for_each(|(a, b)| counts[(a * 5 + b) as usize] += 1.0);
        let parts = counts.iter().zip(&expected).map(|(found, log_density)| {
            let expected = log_density.exp() * 40_000.0;
            (found - expected) * (found - expected) / expected
        });
        // The 0.999 quantile of χ² with 19 degrees of freedom.
        let statistic: f64 = parts.sum();
        assert!(statistic < 43.82, "{statistic}");
    }

    #[test]
    fn a_class_is_drawn_first_and_decides_the_rest() {
        let class = column(&[0, 1, 1, 1], 2);
        let data = Dataset::new(vec![column(&[2, 0, 0, 1], 3)], Some(class)).unwrap();
        let structure = Structure::from_parents(vec![vec![]]);
        let network = Network::estimate(&structure, &Counter::new(&data), &Mle, &Control::new()).unwrap();
        let (columns, classes) = network.sample(9000, 1, &Control::new()).unwrap();
        let classes = classes.unwrap();
        assert!(columns[0].iter().zip(&classes).all(|(&value, &class)| (value == 2) == (class == 0)));
        let share = |of: &dyn Fn(usize) -> bool| (0..9000).filter(|&row| of(row)).count() as f64 / 9000.0;
        assert!((share(&|row| classes[row] == 0) - 0.25).abs() < 0.02);
        assert!((share(&|row| columns[0][row] == 1) - 0.25).abs() < 0.02);
        let log_density = network.log_density(&data, &Control::new()).unwrap();
        assert!((log_density[1].exp() - 0.5).abs() < 1e-12);
    }
}
