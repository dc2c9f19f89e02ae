//! The constants of the approximate conditional log-likelihood for Python.

use pyo3::prelude::*;
use tanager_core::Error;
use tanager_core::score::acll_constants::{AcllPrior, acll_constants as exact_constants};
use tanager_core::score::acll_monte_carlo::acll_monte_carlo;

use crate::error::Raised;
use crate::runtime::{Jobs, run};

fn named_prior(name: &str, a: f64, b: f64) -> tanager_core::Result<AcllPrior> {
    match name {
        "dirichlet" => Ok(AcllPrior::Dirichlet { a, b }),
        "uniform" => Ok(AcllPrior::Uniform),
        _ => Err(Error::UnknownName { kind: "prior", name: name.into(), known: "dirichlet, uniform".into() }),
    }
}

/// (β, γ), exactly.
#[pyfunction]
pub fn acll_constants(py: Python<'_>, n_classes: usize, prior: &str, a: f64, b: f64) -> PyResult<(f64, f64)> {
    py.detach(|| exact_constants(n_classes, named_prior(prior, a, b)?))
        .map(|constants| (constants.beta, constants.gamma))
        .raised(py)
}

/// (β, γ) by simulation.
#[pyfunction]
pub fn acll_constants_monte_carlo(
    py: Python<'_>,
    n_classes: usize,
    prior: &str,
    a: f64,
    b: f64,
    samples: usize,
    seed: u64,
) -> PyResult<(f64, f64)> {
    let estimate = run(py, Some(Jobs(1)), None, |control| {
        acll_monte_carlo(n_classes, named_prior(prior, a, b)?, samples, seed, control)
    })?;
    Ok((estimate.constants.beta, estimate.constants.gamma))
}
