//! Every score that is a sum over cells against its formula, cell by cell.

use proptest::prelude::*;

use super::*;
use crate::counts::{Cells, FamilyShape};
use crate::math::{chi2_quantile, ln_gamma};
use crate::options::{Options, Setting};

/// Σ_j Σ_k N_jk ln(N_jk / N_j).
fn log_likelihood(rows: &[&[f64]]) -> f64 {
    let of_row = |row: &&[f64]| {
        let total: f64 = row.iter().sum();
        row.iter().filter(|&&count| count > 0.0).map(|count| count * (count / total).ln()).sum::<f64>()
    };
    rows.iter().map(of_row).sum()
}

/// The Bayesian Dirichlet score with α in each cell.
fn dirichlet(rows: &[&[f64]], alpha: f64) -> f64 {
    let of_row = |row: &&[f64]| {
        let (total, sum) = (row.iter().sum::<f64>(), alpha * row.len() as f64);
        let cells = row.iter().map(|count| ln_gamma(alpha + count) - ln_gamma(alpha)).sum::<f64>();
        ln_gamma(sum) - ln_gamma(sum + total) + cells
    };
    rows.iter().map(of_row).sum()
}

/// The penalty of mutual information tests: the parent of most values first.
fn tests_of(child: usize, mut parents: Vec<usize>, alpha: f64) -> f64 {
    parents.sort_by_key(|&arity| std::cmp::Reverse(arity));
    let degrees = |place: usize| {
        let before: usize = parents[..place].iter().product();
        ((child - 1) * (parents[place] - 1) * before) as f64
    };
    let tests = (0..parents.len()).map(degrees).filter(|&degrees| degrees > 0.0);
    tests.map(|degrees| chi2_quantile(alpha, degrees)).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn scores_are_their_formulas(
        (child, class, parents, counts) in (1usize..4, prop::option::of(1usize..4), prop::collection::vec(1usize..4, 0..3))
            .prop_flat_map(|(child, class, parents)| {
                let cells = child * class.unwrap_or(1) * parents.iter().product::<usize>();
                (Just(child), Just(class), Just(parents), prop::collection::vec(0u32..20, cells))
            }),
        (alpha, weighted, more) in (0.1..5.0f64, any::<bool>(), 0u32..50),
    ) {
        let shape = FamilyShape { child, class, parents: parents.clone() };
        let numbers: Vec<f64> =
            counts.iter().map(|&count| if weighted { f64::from(count) / 4.0 } else { f64::from(count) }).collect();
        let cells = if weighted { Cells::Weighted(numbers.clone()) } else { Cells::Integer(counts) };
        let family = FamilyCounts { shape, cells };
        let rows: Vec<&[f64]> = numbers.chunks_exact(child).collect();
        let margin: Vec<f64> = (0..child).map(|k| rows.iter().map(|row| row[k]).sum()).collect();
        // Values may be missing: N is then larger than the sum of the cells.
        let total = numbers.iter().sum::<f64>() + f64::from(more) + 1.0;
        let free = ((child - 1) * rows.len()) as f64;
        let likelihood = log_likelihood(&rows);
        let all_parents: Vec<usize> = class.into_iter().chain(parents).collect();
        let told = |likelihood: f64| 2.0 * (likelihood - log_likelihood(&[&margin]));
        let mit = |level: f64| match all_parents.is_empty() {
            true => 0.0,
            false => told(likelihood) - tests_of(child, all_parents.clone(), level),
        };
        let expected = [
            ("ll", None, likelihood),
            ("aic", None, likelihood - free),
            ("bic", None, likelihood - 0.5 * total.ln() * free),
            ("mdl", None, likelihood - 0.5 * total.ln() * free),
            ("k2", None, dirichlet(&rows, 1.0)),
            ("bd", Some(("alpha", alpha)), dirichlet(&rows, alpha)),
            ("bdeu", Some(("ess", alpha)), dirichlet(&rows, alpha / numbers.len() as f64)),
            ("bde", Some(("ess", alpha)), dirichlet(&rows, alpha / numbers.len() as f64)),
            ("mit", Some(("alpha", 0.95)), mit(0.95)),
        ];
        for (name, setting, expected) in expected {
            let mut options = Options::default();
            if let Some((setting, value)) = setting {
                options.set(setting, Setting::Number(value));
            }
            let score = by_name(name, &options).unwrap();
            let found = score.score(&family, total).unwrap();
            prop_assert!((found - expected).abs() <= 1e-9 * (1.0 + expected.abs()), "{}: {} {}", name, found, expected);
            let scorer = Scorer::new(&*score, total, 1 << 20);
            let prepared = scorer.prepare(&family.shape).unwrap().unwrap();
            let prepared = match &family.cells {
                Cells::Integer(cells) => prepared.counts(cells),
                Cells::Weighted(cells) => prepared.weights(cells),
            };
            prop_assert!((prepared - expected).abs() <= 1e-9 * (1.0 + expected.abs()), "{}: {}", name, prepared);
        }
    }
}
