//! The approximate conditional log-likelihood.

use std::sync::OnceLock;

use crate::counts::{FamilyCounts, PairTable};
use crate::error::{Error, Result, check_parameter};
use crate::options::{Declared, Domain, Options};
use crate::registry::{About, Need};
use crate::score::acll_constants::{AcllPrior, acll_constants};
use crate::score::acll_kernel::{AcllCell, ClassTable};
use crate::score::{Entry, FamilyScore, PairCells};
use crate::with_cells;

/// The approximate conditional log-likelihood: a decomposable stand-in for Σ_rows ln P(class | attributes).
///
/// # Formula
/// ```text
/// φ_i(Π* ∪ {C}) = Σ_jck W_jck ln( M_jck / Σ_k M_jck )       φ_C(∅) = Σ_c W_c ln( M_c / Σ_c M_c )
/// W_jck = N_jck + β N_j·k,   W_c = N_c + β N,   M = max(W, n0)
/// ```
/// N_jck rows in which the child has value k, its attribute parents Π* configuration j and the class value c;
/// N_j·k summed over all classes; β < 0 the constant of [`acll_constants`]; n0 > 0 the pseudo-count that bounds
/// the parameters from below. The parameters M/ΣM maximise the approximation under that bound (theorem 3.8 of
/// the paper). The constant N·γ is left out: it is the same for all structures. Cells without rows have W = 0
/// and add nothing, but their M = n0 counts in the row's sum. Natural logarithms, larger is better. Not score
/// equivalent.
///
/// An attribute without the class among its parents, and a class with parents, have no meaning and are refused.
///
/// # Complexity
/// O(q·r), with a logarithm only for rows and for cells with W > n0: relative to n0 the others' are 0.
///
/// # References
/// carvalho2013
///
/// # Differences
/// α N_jck + β Σ_{c'≠c} N_jc'k is written as N_jck + β N_j·k, the same for α = 1 + β. β is exact, not simulated.
#[derive(Debug)]
pub struct Acll {
    settings: AcllSettings,
    /// Classes, bits of the total, and β of the first data seen: usually all there is.
    first_beta: OnceLock<(usize, u64, f64)>,
}

/// What the score and the parameters of the approximate conditional log-likelihood are made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AcllSettings {
    uniform: bool,
    a: f64,
    b: Option<f64>,
    n0: f64,
}

impl AcllSettings {
    /// The setting `prior`.
    pub const PRIOR: Declared = Declared::new(
        "prior",
        Domain::Word(&["dirichlet", "uniform"]),
        "what is assumed of the joint probabilities",
    );
    /// The setting `a`.
    pub const A: Declared =
        Declared::new("a", Domain::Positive(1.0), "the Dirichlet prior's parameter of each class");
    /// The setting `b`.
    pub const B: Declared =
        Declared::new("b", Domain::PositiveOrNone, "that of the rest; the number of rows unless given");
    /// The setting `n0`.
    pub const N0: Declared =
        Declared::new("n0", Domain::Positive(5.0), "the pseudo-count that bounds the parameters from below");
    /// All of them.
    pub const DECLARED: &'static [Declared] = &[Self::PRIOR, Self::A, Self::B, Self::N0];

    /// From settings as declared.
    pub fn from_options(options: &Options) -> Result<Self> {
        let n0 = options.number("n0")?;
        let allowed = "it is at most 1e300, so that sums of it are finite";
        check_parameter("n0", n0, n0 <= 1e300, allowed)?;
        Ok(Self {
            uniform: options.word("prior") == "uniform",
            a: options.number("a")?,
            b: options.number_if_set("b"),
            n0,
        })
    }

    /// The pseudo-count.
    pub fn n0(&self) -> f64 {
        self.n0
    }

    /// β for data of that many classes and rows (or their weight).
    pub fn beta(&self, n_classes: usize, total: f64) -> Result<f64> {
        let prior = if self.uniform {
            AcllPrior::Uniform
        } else {
            AcllPrior::Dirichlet { a: self.a, b: self.b.unwrap_or(total) }
        };
        Ok(acll_constants(n_classes, prior)?.beta)
    }
}

impl Acll {
    /// With these settings.
    pub fn new(settings: AcllSettings) -> Self {
        Self { settings, first_beta: OnceLock::new() }
    }

    fn beta(&self, n_classes: usize, total: f64) -> Result<f64> {
        let key = (n_classes, total.to_bits());
        if let Some(&(classes, bits, beta)) = self.first_beta.get()
            && key == (classes, bits)
        {
            return Ok(beta);
        }
        let beta = self.settings.beta(n_classes, total)?;
        self.first_beta.get_or_init(|| (key.0, key.1, beta));
        Ok(beta)
    }
}

impl FamilyScore for Acll {
    fn is_score_equivalent(&self) -> bool {
        false
    }

    fn pair(&self, table: PairCells<'_>, total: f64) -> Result<Option<(f64, f64)>> {
        fn scores<T: AcllCell>(table: PairTable<'_, T>, beta: f64, n0: f64) -> (f64, f64) {
            let (classes, first, second) = table.shape;
            T::score(ClassTable { cells: table.cells, classes, first, second }, beta, n0, true)
        }
        let n0 = self.settings.n0;
        Ok(Some(match table {
            PairCells::Integer(table) => scores(table, self.beta(table.shape.0, total)?, n0),
            PairCells::Weighted(table) => scores(table, self.beta(table.shape.0, total)?, n0),
        }))
    }

    fn score(&self, family: &FamilyCounts, total: f64) -> Result<f64> {
        let shape = &family.shape;
        let Some(classes) = shape.class else { return Err(Error::NoClass { what: "the score acll" }) };
        let (beta, n0) = (self.beta(classes, total)?, self.settings.n0);
        let (first, second) = (shape.attribute_configurations(), shape.child);
        let (score, _) = with_cells!(&family.cells, cells => {
            AcllCell::score(ClassTable { cells, classes, first, second }, beta, n0, false)
        });
        Ok(score)
    }

    fn score_class(&self, family: &FamilyCounts, total: f64) -> Result<f64> {
        if !family.shape.parents.is_empty() {
            let reason = "the score acll is one of classifiers, in which the class has no parents".into();
            return Err(Error::InvalidStructure { reason });
        }
        Ok(of_class(&family.cells.to_f64(), self.beta(family.shape.child, total)?, self.settings.n0))
    }
}

/// φ of the class node: its values are what is the class axis elsewhere.
fn of_class(counts: &[f64], beta: f64, n0: f64) -> f64 {
    let total: f64 = counts.iter().sum();
    let w = |count: &f64| count + beta * total;
    let sum: f64 = counts.iter().map(|count| w(count).max(n0)).sum();
    counts.iter().map(|count| w(count) * (w(count).max(n0) / sum).ln()).sum()
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "acll",
        title: "ACLL",
        summary: "approximate conditional log-likelihood, for classifiers that discriminate",
        formula: "Σ W_jck ln(M_jck / Σ_k M_jck), W = N_jck + β N_j·k, M = max(W, n0)",
        settings: AcllSettings::DECLARED,
        needs: &[Need::Class],
    },
    build: |options| Ok(Box::new(Acll::new(AcllSettings::from_options(options)?))),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{Cells, FamilyShape};
    use crate::options::Setting;
    use proptest::prelude::*;

    fn acll(settings: &[(&str, Setting)]) -> Result<Acll> {
        let mut options = Options::default();
        for (name, setting) in settings {
            options.set(name, setting.clone());
        }
        Ok(Acll::new(AcllSettings::from_options(&options.resolve("acll", AcllSettings::DECLARED)?)?))
    }

    fn family(cells: Vec<u32>, classes: usize, parents: Vec<usize>, child: usize) -> FamilyCounts {
        FamilyCounts {
            shape: FamilyShape { child, class: Some(classes), parents },
            cells: Cells::Integer(cells),
        }
    }

    /// Equation (25) with the parameters (26), as the paper writes them.
    fn direct(cells: &[u32], classes: usize, q: usize, r: usize, beta: f64, n0: f64) -> f64 {
        let alpha = 1.0 + beta;
        let n = |c: usize, j: usize, k: usize| f64::from(cells[(c * q + j) * r + k]);
        let w = |c: usize, j: usize, k: usize| {
            alpha * n(c, j, k)
                + beta * (0..classes).filter(|&other| other != c).map(|other| n(other, j, k)).sum::<f64>()
        };
        let n_plus = |c: usize, j: usize, k: usize| if w(c, j, k) >= n0 { w(c, j, k) } else { n0 };
        let mut score = 0.0;
        for c in 0..classes {
            for j in 0..q {
                let sum: f64 = (0..r).map(|k| n_plus(c, j, k)).sum();
                score += (0..r).map(|k| w(c, j, k) * (n_plus(c, j, k) / sum).ln()).sum::<f64>();
            }
        }
        score
    }

    #[test]
    fn the_counter_example_of_theorem_3_9_has_no_equivalent_scores() {
        // D = {(0,0,1), (0,1,1), (1,1,0), (1,1,1)}: [c][x1][x2].
        let cells = vec![0, 0, 0, 1, 1, 1, 0, 1];
        let table = PairTable { i: 0, j: 1, shape: (2, 2, 2), cells: &cells };
        let score = acll(&[("n0", Setting::Number(0.1))]).unwrap();
        let alone = |child: Vec<u32>| score.score(&family(child, 2, vec![], 2), 4.0).unwrap();
        let (second, first) = score.pair(PairCells::Integer(table), 4.0).unwrap().unwrap();
        let (g, h) = (alone(vec![0, 1, 2, 1]) + second, alone(vec![0, 1, 1, 2]) + first);
        assert!((g - h).abs() > 1e-3, "{g} {h}");
    }

    #[test]
    fn a_class_without_rows_and_a_single_class() {
        let score = acll(&[]).unwrap();
        let with_empty = score.score(&family(vec![30, 10, 0, 0, 5, 40], 3, vec![], 2), 85.0).unwrap();
        let beta = score.settings.beta(3, 85.0).unwrap();
        assert!((with_empty - direct(&[30, 10, 0, 0, 5, 40], 3, 1, 2, beta, 5.0)).abs() < 1e-11);
        // With one class there is nothing to tell apart: W = N − N.
        assert!(score.score(&family(vec![30, 10], 1, vec![], 2), 40.0).unwrap().abs() < 1e-11);
    }

    #[test]
    fn a_table_too_large_to_keep_buffers_for() {
        let (classes, q, r) = (2, 20_000, 2);
        let mut random = crate::math::Random::new(1);
        // Sparse, and then as many cells above n0 as there can be.
        for most in [12, 1] {
            let cells: Vec<u32> = (0..classes * q * r)
                .map(
                    |cell| {
                        if most == 1 { 6 * u32::from(cell < q) } else { random.below(most) as u32 / 9 * 9 }
                    },
                )
                .collect();
            let total = cells.iter().map(|&n| f64::from(n)).sum();
            let score = acll(&[]).unwrap();
            let expected = direct(&cells, classes, q, r, score.settings.beta(classes, total).unwrap(), 5.0);
            let found = score.score(&family(cells, classes, vec![q], r), total).unwrap();
            assert!((found - expected).abs() < 1e-9 * expected.abs(), "{found} {expected}");
        }
    }

    #[test]
    fn the_class_node_follows_the_same_formula() {
        let score = acll(&[("prior", Setting::Text("uniform".into()))]).unwrap();
        let shape = FamilyShape { child: 3, class: None, parents: vec![] };
        let class = FamilyCounts { shape, cells: Cells::Weighted(vec![30.0, 1.0, 69.0]) };
        let beta = score.settings.beta(3, 100.0).unwrap();
        let w = [30.0 + 100.0 * beta, 1.0 + 100.0 * beta, 69.0 + 100.0 * beta];
        let m = w.map(|w| w.max(5.0));
        let sum: f64 = m.iter().sum();
        let expected: f64 = w.iter().zip(m).map(|(w, m)| w * (m / sum).ln()).sum();
        assert!((score.score_class(&class, 100.0).unwrap() - expected).abs() < 1e-11);
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        let shape = FamilyShape { child: 2, class: None, parents: vec![2] };
        let without_class = FamilyCounts { shape, cells: Cells::Integer(vec![1, 2, 3, 4]) };
        let score = acll(&[]).unwrap();
        assert!(matches!(score.score(&without_class, 10.0), Err(Error::NoClass { .. })));
        assert!(matches!(score.score_class(&without_class, 10.0), Err(Error::InvalidStructure { .. })));
        for n0 in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let refused = acll(&[("n0", Setting::Number(n0))]);
            assert!(matches!(refused, Err(Error::ParameterOutOfRange { name: "n0", .. })), "{n0}");
        }
        assert!(acll(&[("prior", Setting::Text("beta".into()))]).is_err());
        assert!(acll(&[("alpha", Setting::Number(1.0))]).is_err());
    }

    proptest! {
        #[test]
        fn agrees_with_the_paper_in_both_directions(
            (shape, cells) in (1usize..4, 1usize..5, 1usize..5).prop_flat_map(|(s, a, b)| {
                (Just((s, a, b)), prop::collection::vec(0u32..60, s * a * b))
            }),
            n0 in 0.01..20.0f64,
            uniform in any::<bool>(),
            weighted in any::<bool>(),
        ) {
            let (s, a, b) = shape;
            let total: f64 = cells.iter().map(|&n| f64::from(n)).sum();
            prop_assume!(total > 0.0);
            let prior = if uniform { "uniform" } else { "dirichlet" };
            let score = acll(&[("n0", Setting::Number(n0)), ("prior", Setting::Text(prior.into()))]).unwrap();
            let beta = score.settings.beta(s, total).unwrap();
            let weights: Vec<f64> = cells.iter().map(|&n| f64::from(n)).collect();
            let pair = if weighted {
                PairCells::Weighted(PairTable { i: 0, j: 1, shape, cells: &weights })
            } else {
                PairCells::Integer(PairTable { i: 0, j: 1, shape, cells: &cells })
            };
            let (second, first) = score.pair(pair, total).unwrap().unwrap();
            let transposed = PairTable { i: 0, j: 1, shape, cells: &cells }.transposed();
            let tolerance = 1e-11 * total * 10.0;
            prop_assert!((second - direct(&cells, s, a, b, beta, n0)).abs() < tolerance);
            prop_assert!((first - direct(&transposed, s, b, a, beta, n0)).abs() < tolerance);
            let alone = score.score(&family(cells.clone(), s, vec![a], b), total).unwrap();
            prop_assert!((alone - second).abs() < tolerance);
        }
    }
}
