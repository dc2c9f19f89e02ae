//! Naive Bayes with weighted attributes.

use crate::control::Control;
use crate::counts::{CountSource, Counter};
use crate::data::{Dataset, Variable};
use crate::error::{Error, Result, check_length};
use crate::math::ln_gamma;
use crate::model::{Asked, Composed, ComposedEntry};
use crate::options::{Declared, Domain, Options};
use crate::registry::{About, Need};

mod box_newton;
mod likelihood;
mod tree_depth;

use likelihood::ConditionalLikelihood;

/// Naive Bayes in which attributes count more or less.
///
/// # Formula
/// ```text
/// wanbia, awnb:  P(c | x) ∝ P(c) Π_i θ(x_i | c)^w_i
///   wanbia   w ∈ [0, 1]^n of the largest Σ_t ln P(c_t | x_t);   ∂/∂w_i = Σ_t [ln θ(x_ti | c_t) − Σ_c P(c | x_t) ln θ(x_ti | c)]
///   awnb     w_i = mean over trees of 1/√d_i, d_i the least depth at which the tree asks for X_i (1 at its root); 0 where it does not
/// manb:          P(c | x) ∝ P(c) Π_i [w_i θ(x_i | c) + (1 − w_i) θ(x_i)],   w_i = A_i / (A_i + B_i)
///   ln A_i = Σ_c [lnΓ(rα) − lnΓ(rα + N_c) + Σ_k (lnΓ(α + N_kc) − lnΓ(α))],   ln B_i the same on the counts N_k of all classes
///
/// θ(k | c) = (N_kc + α) / (N_c + rα),   θ(k) = (N_k + α) / (N + rα),   P(c) = (N_c + α_c) / (N + s α_c)
/// ```
/// N counts of the rows in which the attribute is known, r its number of values, s that of classes. α = 1/r and α_c = 1/s unless
/// given: one pseudo-count for each distribution. With manb, A and B are the probabilities of the data with and without an
/// arc from the class, beforehand equally probable.
///
/// # Missing and unseen values
/// Have no factor: for manb that is the sum over the values, for the others what training does with them too.
///
/// # Complexity
/// manb: that of naive Bayes. awnb: `n_trees` trees, O(N n) for each of their levels. wanbia: some tens of passes over the rows
/// for each of about ten steps of Newton's method.
///
/// # References
/// zaidi2013, hall2007, dash2002; quinlan1993 for the trees
///
/// # Differences
/// awnb: the trees split on all values of an attribute, by gain ratio among the attributes of at least average gain, as C4.5 does, and
/// numbers come as the intervals that they are cut into.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightedNaiveBayes {
    arities: Vec<usize>,
    log_prior: Vec<f64>,
    /// What each value adds, at `x·s + c`.
    log_tables: Vec<Vec<f64>>,
    weights: Vec<f64>,
}

/// Where the weights come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weighting {
    /// The conditional likelihood of the training rows.
    Wanbia,
    /// Depths in decision trees.
    Awnb,
    /// The probability of the arc from the class.
    Manb,
}

/// How the weights are found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WeightSettings {
    /// Where they come from.
    pub weighting: Weighting,
    /// α of every cell; 1 over the number of values unless given.
    pub alpha: Option<f64>,
    /// How many trees.
    pub trees: usize,
    /// The seed of the trees' samples.
    pub seed: u64,
}

const WORDS: &[&str] = &["wanbia", "awnb", "manb"];

/// The learner, registered.
pub const ENTRY: ComposedEntry = ComposedEntry {
    about: About {
        name: "wnb",
        title: "Weighted naive Bayes",
        summary: "naive Bayes in which attributes count more or less: WANBIA, AWNB, MANB",
        formula: "P(c) Π_i θ(x_i | c)^w_i, w by likelihood or depth in trees; or tables mixed by Bayesian weights",
        settings: &[
            Declared::new("weights", Domain::Word(WORDS), "where the weights come from"),
            Declared::new(
                "alpha",
                Domain::PositiveOrNone,
                "added to every count; none for 1 over the values",
            ),
            Declared::new("n_trees", Domain::Whole(10), "awnb: how many trees"),
            Declared::new("random_state", Domain::Whole(0), "awnb: the seed of their samples"),
        ],
        needs: &[Need::Class, Need::Rows],
    },
    from_counts: None,
};

impl WeightSettings {
    /// From the settings of [`ENTRY`].
    pub fn from_options(options: &Options) -> Result<Self> {
        let options = &options.resolve(ENTRY.about.name, ENTRY.about.settings)?;
        let weighting = match options.word("weights") {
            "awnb" => Weighting::Awnb,
            "manb" => Weighting::Manb,
            _ => Weighting::Wanbia,
        };
        let trees = options.from_one("n_trees")?;
        Ok(Self { weighting, alpha: options.number_if_set("alpha"), trees, seed: options.seed() })
    }
}

impl WeightedNaiveBayes {
    /// Learns from rows with a class.
    pub fn fit(data: &Dataset, settings: WeightSettings, control: &Control) -> Result<Self> {
        let counts = Counter::new(data);
        let Some(s) = data.n_classes() else { return Err(Error::NoClass { what: ENTRY.about.name }) };
        let most = data.arities().into_iter().fold(s, usize::max) as f64;
        let sum = |alpha: &f64| ln_gamma(alpha * most + data.total());
        if let Some(value) = settings.alpha.filter(|alpha| !sum(alpha).is_finite()) {
            let allowed = "added to every count, it must give a finite sum";
            return Err(Error::ParameterOutOfRange { name: "alpha", value, allowed });
        }
        let class = counts.family(Variable::Class, &[], false)?.cells.to_f64();
        let of_class = settings.alpha.unwrap_or(1.0 / s as f64);
        let total = class.iter().sum::<f64>() + of_class * s as f64;
        let log_prior: Vec<f64> = class.iter().map(|count| ((count + of_class) / total).ln()).collect();
        let families = (0..data.n()).map(|attribute| {
            control.check()?;
            Ok(counts.family(Variable::Attribute(attribute), &[], true)?.cells.to_f64())
        });
        let families = families.collect::<Result<Vec<_>>>()?;
        let (arities, mut log_tables) = (data.arities(), Vec::with_capacity(data.n()));
        let mut weights = Vec::new();
        for (cells, &r) in families.iter().zip(&arities) {
            let table = AttributeTable { cells, r, s, alpha: settings.alpha.unwrap_or(1.0 / r as f64) };
            if settings.weighting == Weighting::Manb {
                let weight = table.probability_of_an_arc();
                log_tables.push(table.mixed(weight));
                weights.push(weight);
            } else {
                log_tables.push(table.mixed(1.0));
            }
        }
        match settings.weighting {
            Weighting::Manb => return Self::from_parts(arities, log_prior, log_tables, weights),
            Weighting::Awnb => weights = tree_depth::weights(data, settings.trees, settings.seed, control)?,
            Weighting::Wanbia => {
                let likelihood = ConditionalLikelihood::new(data, &log_prior, &log_tables)?;
                weights = box_newton::minimise(&likelihood, vec![1.0; data.n()], control)?;
            }
        }
        for (table, &weight) in log_tables.iter_mut().zip(&weights) {
            // 0 times whatever a table has is 0.
            table.iter_mut().for_each(|value| *value = if weight == 0.0 { 0.0 } else { *value * weight });
        }
        Self::from_parts(arities, log_prior, log_tables, weights)
    }

    /// Puts a model together, checked.
    pub fn from_parts(
        arities: Vec<usize>,
        log_prior: Vec<f64>,
        log_tables: Vec<Vec<f64>>,
        weights: Vec<f64>,
    ) -> Result<Self> {
        check_length("the list of tables of attributes", log_tables.len(), arities.len())?;
        check_length("the list of weights", weights.len(), arities.len())?;
        for (table, arity) in log_tables.iter().zip(&arities) {
            check_length("the table of an attribute", table.len(), arity * log_prior.len())?;
        }
        Ok(Self { arities, log_prior, log_tables, weights })
    }

    /// w of each attribute.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// What each value of each attribute adds to ln P(c), at `x·s + c`.
    pub fn log_tables(&self) -> &[Vec<f64>] {
        &self.log_tables
    }
}

/// The counts of an attribute at `c·r + k`.
struct AttributeTable<'a> {
    cells: &'a [f64],
    r: usize,
    s: usize,
    alpha: f64,
}

impl AttributeTable<'_> {
    fn pooled(&self) -> Vec<f64> {
        (0..self.r).map(|k| (0..self.s).map(|c| self.cells[c * self.r + k]).sum()).collect()
    }

    /// A / (A + B): how probable it is that the attribute depends on the class.
    fn probability_of_an_arc(&self) -> f64 {
        let log_evidence = |counts: &[f64]| {
            let all = self.r as f64 * self.alpha;
            let total: f64 = counts.iter().sum();
            let each = counts.iter().map(|count| ln_gamma(self.alpha + count) - ln_gamma(self.alpha));
            ln_gamma(all) - ln_gamma(all + total) + each.sum::<f64>()
        };
        let with: f64 = self.cells.chunks_exact(self.r).map(log_evidence).sum();
        1.0 / (1.0 + (log_evidence(&self.pooled()) - with).exp())
    }

    /// ln [w θ(k | c) + (1 − w) θ(k)] at `k·s + c`.
    fn mixed(&self, weight: f64) -> Vec<f64> {
        let share = |counts: &[f64], k: usize| {
            (counts[k] + self.alpha) / (counts.iter().sum::<f64>() + self.alpha * self.r as f64)
        };
        let pooled = self.pooled();
        let mut table = vec![0.0; self.cells.len()];
        for (c, counts) in self.cells.chunks_exact(self.r).enumerate() {
            for k in 0..self.r {
                let alone = if weight < 1.0 { (1.0 - weight) * share(&pooled, k) } else { 0.0 };
                table[k * self.s + c] = (weight * share(counts, k) + alone).ln();
            }
        }
        table
    }
}

impl Composed for WeightedNaiveBayes {
    fn arities(&self) -> &[usize] {
        &self.arities
    }

    fn log_prior(&self) -> &[f64] {
        &self.log_prior
    }

    fn cost(&self) -> usize {
        (self.terms() + 8) * self.n_classes()
    }

    fn log_joint_of(&self, asked: Asked<'_>, log_joint: &mut [f64]) -> Result<()> {
        asked.control.check()?;
        let s = self.n_classes();
        log_joint.chunks_exact_mut(s).for_each(|joint| joint.copy_from_slice(&self.log_prior));
        for (column, table) in asked.data.columns().iter().zip(&self.log_tables) {
            for (row, joint) in log_joint.chunks_exact_mut(s).enumerate() {
                if let Some(code) = column.get(asked.first + row) {
                    joint.iter_mut().zip(&table[code * s..][..s]).for_each(|(joint, value)| *joint += value);
                }
            }
        }
        Ok(())
    }

    fn contributions_of(&self, asked: Asked<'_>, contributions: &mut [f64]) -> Result<()> {
        asked.control.check()?;
        let (n, s) = (self.terms(), self.n_classes());
        for (row, contributions) in contributions.chunks_exact_mut((n * s).max(1)).enumerate() {
            for (attribute, into) in contributions.chunks_exact_mut(s).enumerate() {
                if let Some(code) = asked.data.column(attribute).get(asked.first + row) {
                    into.copy_from_slice(&self.log_tables[attribute][code * s..][..s]);
                }
            }
        }
        Ok(())
    }
}
