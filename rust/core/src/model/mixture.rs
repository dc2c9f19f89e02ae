//! Mixtures of trees, fitted by expectation and maximisation.

use std::collections::HashMap;

use rayon::prelude::*;

use crate::control::Control;
use crate::counts::Counter;
use crate::data::Dataset;
use crate::error::{Error, Result, check_parameter};
use crate::math::{Random, log_sum_exp};
use crate::memory::{check_bytes, filled, with_room};
use crate::model::network::Network;
use crate::model::sample::DrawnRows;
use crate::options::{Declared, Domain, Options};
use crate::parameters::ParameterEstimator;
use crate::registry::{About, Need};
use crate::score::LogLikelihood;
use crate::structure::{Evidence, StructureLearner, Tan};

/// Several trees, each with a share of the rows.
///
/// # Formula
/// ```text
/// P(x) = Σ_k λ_k T_k(x),   T_k a tree over all attributes with its tables
/// E:  γ_nk = λ_k T_k(x_n) / Σ_j λ_j T_j(x_n)
/// M:  λ_k = Σ_n w_n γ_nk / Σ_n w_n,   T_k = the tree of largest likelihood for the rows with weights w_n γ_nk
/// ```
/// k from 1 to m; w_n the weight of row n, 1 unless given; T_k by Chow and Liu's algorithm and the parameter
/// estimator, both from weighted counts. The first γ are exponential numbers, normalised in each row, and
/// the same for equal rows, so that a row of weight 2 is the row twice. EM ends where the
/// mean log-likelihood rises by less than `tol` nats per row, or after `max_iter` M steps; of `n_init` runs the best is
/// kept, of equal ones the first. Components are sorted by decreasing λ. Missing entries are summed out in E and not
/// counted in M.
///
/// # Complexity
/// m times that of a tree for every iteration.
///
/// # References
/// meila2000; barash2003 for binding sites
///
/// # Differences
/// With an estimator that smooths, M does not maximise the likelihood exactly, which may then fall: the best iteration of a
/// run is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Mixture {
    log_weights: Vec<f64>,
    components: Vec<Network>,
}

/// How a mixture is fitted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MixturePlan {
    /// m, from 1 on.
    pub components: usize,
    /// How many runs there are.
    pub runs: usize,
    /// The most M steps of a run.
    pub iterations: usize,
    /// A smaller rise of the mean log-likelihood ends a run.
    pub tolerance: f64,
    /// The seed of the first responsibilities.
    pub seed: u64,
}

/// What there is to tell about mixtures of trees.
pub const MIXTURE: About = About {
    name: "mixture",
    title: "Mixture of trees",
    summary: "several trees, each with a share of the rows",
    formula: "P(x) = Σ_k λ_k T_k(x), by expectation and maximisation",
    settings: &[
        Declared::new("n_components", Domain::Whole(2), "how many trees"),
        Declared::new("random_state", Domain::Whole(0), "the seed of the first responsibilities"),
        Declared::new("n_init", Domain::Whole(1), "how many runs; the best is kept"),
        Declared::new("max_iter", Domain::Whole(100), "the most iterations of a run"),
        Declared::new("tol", Domain::Number(1e-6), "a smaller rise of the mean log-likelihood ends a run"),
    ],
    needs: &[Need::Rows],
};

impl MixturePlan {
    /// From the settings of [`MIXTURE`].
    pub fn from_options(options: &Options) -> Result<Self> {
        let options = options.resolve(MIXTURE.name, MIXTURE.settings)?;
        let tolerance = options.number("tol")?;
        let is_allowed = tolerance >= 0.0 && tolerance.is_finite();
        check_parameter("tol", tolerance, is_allowed, "it is a finite number from 0 on")?;
        Ok(Self {
            components: options.from_one("n_components")?,
            runs: options.from_one("n_init")?,
            iterations: options.from_one("max_iter")?,
            tolerance,
            seed: options.seed(),
        })
    }
}

impl Mixture {
    /// Fits a mixture to data, whose class is not looked at; also the mean log-likelihood after each M step of the run
    /// that was kept.
    pub fn fit(
        data: &Dataset,
        plan: MixturePlan,
        estimator: &dyn ParameterEstimator,
        control: &Control,
    ) -> Result<(Self, Vec<f64>)> {
        let data = data.without_class();
        let own = data.weights().map_or_else(|| vec![1.0; data.rows()], <[f64]>::to_vec);
        let mut random = Random::new(plan.seed);
        let mut best: Option<(f64, Self, Vec<f64>)> = None;
        // At least one number for every value of every component.
        let values = data.arities().iter().fold(0usize, |sum, &arity| sum.saturating_add(arity));
        check_bytes(
            || format!("{} components over {values} values", plan.components),
            [plan.components, values, 8],
        )?;
        control.expect(plan.runs.saturating_mul(plan.iterations) as u64);
        for _ in 0..plan.runs {
            let start = random_shares(&data, plan.components, &mut random)?;
            let (value, mixture, path) = Self::climb(&data, &own, start, plan, estimator, control)?;
            if best.as_ref().is_none_or(|(known, ..)| value > *known) {
                best = Some((value, mixture, path));
            }
        }
        best.map(|(_, mixture, path)| (mixture.sorted(), path)).ok_or(Error::Cancelled)
    }

    /// One run from first responsibilities, `[row·m + k]`.
    fn climb(
        data: &Dataset,
        own: &[f64],
        mut shares: Vec<f64>,
        plan: MixturePlan,
        estimator: &dyn ParameterEstimator,
        control: &Control,
    ) -> Result<(f64, Self, Vec<f64>)> {
        let total: f64 = own.iter().sum();
        let mut best: Option<(f64, Self)> = None;
        let mut path = Vec::new();
        for iteration in 0..plan.iterations {
            control.check()?;
            let mixture = Self::maximise(data, own, &shares, plan.components, estimator, control)?;
            let joint = mixture.log_joint(data, control)?;
            let mut sum = 0.0;
            for ((row, shares), weight) in
                joint.chunks_exact(plan.components).zip(shares.chunks_exact_mut(plan.components)).zip(own)
            {
                let log_density = log_sum_exp(row);
                if *weight > 0.0 {
                    sum += weight * log_density;
                }
                for (share, value) in shares.iter_mut().zip(row) {
                    // A row that no component can have given says nothing: all have the same share of it.
                    let possible = log_density > f64::NEG_INFINITY;
                    *share =
                        if possible { (value - log_density).exp() } else { 1.0 / plan.components as f64 };
                }
            }
            let mean = sum / total;
            path.push(mean);
            let rise = best.as_ref().map_or(f64::INFINITY, |(known, _)| mean - known);
            if best.as_ref().is_none_or(|(known, _)| mean > *known) {
                best = Some((mean, mixture));
            }
            // Also where both are −∞, whose difference is not a number.
            if rise.is_nan() || rise < plan.tolerance {
                control.advance((plan.iterations - iteration) as u64);
                break;
            }
            control.advance(1);
        }
        let (value, mixture) = best.ok_or(Error::Cancelled)?;
        Ok((value, mixture, path))
    }

    fn maximise(
        data: &Dataset,
        own: &[f64],
        shares: &[f64],
        m: usize,
        estimator: &dyn ParameterEstimator,
        control: &Control,
    ) -> Result<Self> {
        let total: f64 = own.iter().sum();
        let parts = (0..m).into_par_iter().map(|k| {
            // A component that is left with nothing keeps a trace of every row, and with it a network.
            let weight = |(row, own): (&[f64], &f64)| own * row[k].max(1e-300);
            let weights: Vec<f64> = shares.chunks_exact(m).zip(own).map(weight).collect();
            let share = weights.iter().sum::<f64>() / total;
            let weighted = data.clone().with_weights(weights)?;
            let counts = Counter::new(&weighted);
            let tree = Tan::default().learn(Evidence { counts: &counts, score: &LogLikelihood }, control)?;
            Ok((share.ln(), Network::estimate(&tree, &counts, estimator, control)?))
        });
        let (log_weights, components) = parts.collect::<Result<Vec<_>>>()?.into_iter().unzip();
        Ok(Self { log_weights, components })
    }

    /// Puts a mixture together from its parts, checked.
    pub fn from_parts(log_weights: Vec<f64>, components: Vec<Network>) -> Result<Self> {
        if log_weights.len() != components.len() || components.is_empty() {
            let (found, expected) = (components.len(), log_weights.len().max(1));
            return Err(Error::LengthMismatch { what: "the list of components", found, expected });
        }
        let same = |one: &Network| one.arities() == components[0].arities() && one.log_prior().is_none();
        if !components.iter().all(same) {
            let reason = "the components are densities over the same columns".into();
            return Err(Error::InvalidStructure { reason });
        }
        Ok(Self { log_weights, components })
    }

    fn sorted(self) -> Self {
        let mut parts: Vec<(f64, Network)> = self.log_weights.into_iter().zip(self.components).collect();
        parts.sort_by(|left, right| right.0.total_cmp(&left.0));
        let (log_weights, components) = parts.into_iter().unzip();
        Self { log_weights, components }
    }

    /// ln λ_k.
    pub fn log_weights(&self) -> &[f64] {
        &self.log_weights
    }

    /// The trees.
    pub fn components(&self) -> &[Network] {
        &self.components
    }

    /// ln λ_k T_k(x) of each row, `[row·m + k]`.
    pub fn log_joint(&self, data: &Dataset, control: &Control) -> Result<Vec<f64>> {
        let m = self.components.len();
        let mut joint = filled(|| described(data.rows(), m), 0.0, data.rows().saturating_mul(m))?;
        for (k, (component, log_weight)) in self.components.iter().zip(&self.log_weights).enumerate() {
            for (row, value) in component.log_density(data, control)?.into_iter().enumerate() {
                joint[row * m + k] = log_weight + value;
            }
        }
        Ok(joint)
    }

    /// ln P(x) of each row.
    pub fn log_density(&self, data: &Dataset, control: &Control) -> Result<Vec<f64>> {
        let joint = self.log_joint(data, control)?;
        Ok(joint.chunks_exact(self.components.len()).map(log_sum_exp).collect())
    }

    /// Draws rows: a component for each, then the row from it. The same seed gives the same rows.
    pub fn sample(&self, rows: usize, seed: u64, control: &Control) -> Result<DrawnRows> {
        let mut random = Random::new(seed);
        let weights: Vec<f64> = self.log_weights.iter().map(|value| value.exp()).collect();
        let n = self.components[0].arities().len();
        let name = || format!("{rows} drawn rows of {n} columns");
        check_bytes(name, [rows, n * size_of::<u32>() + size_of::<usize>()])?;
        let mut chosen: Vec<usize> = with_room(name, rows)?;
        chosen.extend((0..rows).map(|_| random.weighted(&weights)));
        let mut columns = (0..n).map(|_| filled(name, 0, rows)).collect::<Result<Vec<Vec<u32>>>>()?;
        for (k, component) in self.components.iter().enumerate() {
            let own: Vec<usize> = (0..rows).filter(|&row| chosen[row] == k).collect();
            let (codes, _) = component.sample(own.len(), random.next_u64(), control)?;
            for (column, codes) in columns.iter_mut().zip(codes) {
                own.iter().zip(codes).for_each(|(&row, code)| column[row] = code);
            }
        }
        Ok((columns, None))
    }
}

/// Exponential numbers, normalised in each row; those of the first of equal rows serve all of them.
fn random_shares(data: &Dataset, m: usize, random: &mut Random) -> Result<Vec<f64>> {
    let mut drawn: HashMap<Vec<Option<usize>>, Vec<f64>> = HashMap::new();
    // Twice: those of distinct rows are remembered.
    let entries = data.rows().saturating_mul(m);
    check_bytes(|| described(data.rows(), m), [entries, 16])?;
    let mut shares = with_room(|| described(data.rows(), m), entries)?;
    for row in 0..data.rows() {
        let values: Vec<_> = data.columns().iter().map(|column| column.get(row)).collect();
        let draws = drawn.entry(values).or_insert_with(|| {
            let draws: Vec<f64> = (0..m).map(|_| -random.uniform().ln()).collect();
            let sum: f64 = draws.iter().sum();
            draws.into_iter().map(|draw| draw / sum).collect()
        });
        shares.extend_from_slice(draws);
    }
    Ok(shares)
}

/// What is said of shares that are too many.
fn described(rows: usize, m: usize) -> String {
    format!("the shares of {m} components in {rows} rows")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Column;
    use crate::options::Setting;
    use crate::parameters::Mle;

    fn data() -> Dataset {
        // Half of the rows copy the first column, half of them its complement.
        let column = |f: &dyn Fn(i64) -> i64| {
            Column::from_integers("x", (0..80).map(f).collect::<Vec<_>>().into_iter(), 2, None).unwrap()
        };
        let columns = vec![
            column(&|row| row % 2),
            column(&|row| (row + row / 2) % 2),
            column(&|row| (row + row / 2) % 2),
        ];
        Dataset::new(columns, None).unwrap()
    }

    fn fitted(components: usize) -> (Mixture, Vec<f64>) {
        let plan = MixturePlan { components, runs: 3, iterations: 50, tolerance: 1e-9, seed: 1 };
        Mixture::fit(&data(), plan, &Mle, &Control::new()).unwrap()
    }

    #[test]
    fn the_likelihood_never_falls_and_sums_to_one() {
        let (mixture, path) = fitted(2);
        assert!(path.windows(2).all(|pair| pair[1] >= pair[0] - 1e-9), "{path:?}");
        let rows: Vec<[i64; 3]> = (0..8).map(|i| [i / 4, i / 2 % 2, i % 2]).collect();
        let pick = |at: usize| {
            let values: Vec<i64> = rows.iter().map(|row| row[at]).collect();
            Column::from_integers("x", values.into_iter(), 2, None).unwrap()
        };
        let domain = Dataset::new((0..3).map(pick).collect(), None).unwrap();
        let log_density = mixture.log_density(&domain, &Control::new()).unwrap();
        assert!(log_sum_exp(&log_density).abs() < 1e-9);
    }

    #[test]
    fn one_component_is_the_tree() {
        let (mixture, _) = fitted(1);
        let counts = data();
        let counts = Counter::new(&counts);
        let control = Control::new();
        let evidence = Evidence { counts: &counts, score: &LogLikelihood };
        let tree = Tan::default().learn(evidence, &control).unwrap();
        let network = Network::estimate(&tree, &counts, &Mle, &control).unwrap();
        let (found, expected) = (
            mixture.log_density(&data(), &control).unwrap(),
            network.log_density(&data(), &control).unwrap(),
        );
        assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12));
    }

    #[test]
    fn samples_are_those_of_the_seed() {
        let (mixture, _) = fitted(2);
        let control = Control::new();
        assert_eq!(mixture.sample(50, 3, &control), mixture.sample(50, 3, &control));
        assert_ne!(mixture.sample(50, 3, &control), mixture.sample(50, 4, &control));
    }

    fn density(data: &Dataset) -> Network {
        let (counts, control) = (Counter::new(data), Control::new());
        let evidence = Evidence { counts: &counts, score: &LogLikelihood };
        let tree = Tan::default().learn(evidence, &control).unwrap();
        Network::estimate(&tree, &counts, &Mle, &control).unwrap()
    }

    #[test]
    fn components_are_drawn_by_their_weights() {
        let always = |value: i64| {
            let column = || Column::from_integers("x", [value; 4].into_iter(), 3, None).unwrap();
            density(&Dataset::new(vec![column(), column()], None).unwrap())
        };
        let weights: [f64; 3] = [0.7, 0.2, 0.1];
        let log_weights = weights.iter().map(|weight| weight.ln()).collect();
        let mixture = Mixture::from_parts(log_weights, (0..3).map(always).collect()).unwrap();
        let (columns, classes) = mixture.sample(10_000, 1, &Control::new()).unwrap();
        assert!(classes.is_none());
        assert_eq!(columns[0], columns[1]);
        for (value, weight) in weights.iter().enumerate() {
            let share = columns[0].iter().filter(|&&drawn| drawn as usize == value).count() as f64 / 1e4;
            // Five standard deviations of a share of 10,000 rows.
            assert!(
                (share - weight).abs() < 5.0 * (weight * (1.0 - weight) / 1e4).sqrt(),
                "{value}: {share}"
            );
        }
    }

    #[test]
    fn parts_that_do_not_fit_together_are_refused() {
        let three = data();
        let two = Dataset::new(three.columns()[..2].to_vec(), None).unwrap();
        let with_class = Dataset::new(three.columns()[..2].to_vec(), Some(three.column(2).clone())).unwrap();
        let half = 0.5f64.ln();
        let mixed = Mixture::from_parts(vec![half, half], vec![density(&three), density(&three)]).unwrap();
        assert_eq!(mixed.log_weights(), [half, half]);
        assert_eq!(mixed.components().len(), 2);
        let other = |network| Mixture::from_parts(vec![half, half], vec![density(&two), network]);
        assert!(matches!(other(density(&three)), Err(Error::InvalidStructure { .. })));
        assert!(matches!(other(density(&with_class)), Err(Error::InvalidStructure { .. })));
        for weights in [vec![], vec![0.0], vec![half; 3]] {
            let found = Mixture::from_parts(weights, vec![density(&two), density(&two)]);
            assert!(matches!(found, Err(Error::LengthMismatch { .. })));
        }
        assert!(matches!(Mixture::from_parts(vec![], vec![]), Err(Error::LengthMismatch { .. })));
    }

    #[test]
    fn settings_that_never_end_are_refused() {
        for (name, number) in [("tol", -1.0), ("tol", f64::INFINITY), ("tol", f64::NAN)] {
            let mut options = Options::default();
            options.set(name, Setting::Number(number));
            assert!(MixturePlan::from_options(&options).is_err(), "{name} = {number}");
        }
        for name in ["n_components", "n_init", "max_iter"] {
            let mut options = Options::default();
            options.set(name, Setting::Number(0.0));
            assert!(MixturePlan::from_options(&options).is_err(), "{name} = 0");
            options.set(name, Setting::Number(1.0));
            assert!(MixturePlan::from_options(&options).is_ok(), "{name} = 1");
        }
    }
}
