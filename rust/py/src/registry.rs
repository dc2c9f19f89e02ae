//! What is registered in the core, for Python to iterate.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tanager_core::options::{Domain, Setting};
use tanager_core::registry::About;
use tanager_core::{Options, model, parameters, refine, score};

use crate::error::Raised;

/// Everything that there is to tell about scores, parameter estimators, learners, and what learns densities only: for each
/// registry a list of dictionaries in its order.
#[pyfunction]
pub fn registry(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let scores = score::REGISTRY.iter().map(|entry| {
        let told = describe(py, &entry.about)?;
        let score = entry.make(&Options::default()).raised(py)?;
        told.set_item("score_equivalent", score.is_score_equivalent())?;
        Ok(told)
    });
    let estimators = parameters::REGISTRY.iter().map(|entry| describe(py, &entry.about));
    // A refined network is fitted after, and from, such structures: it stands above the models.
    let learners = model::learners().chain([&refine::ABOUT]).map(|about| describe(py, about));
    let densities = [&model::MIXTURE].into_iter().map(|about| describe(py, about));
    let all = PyDict::new(py);
    all.set_item("score", scores.collect::<PyResult<Vec<_>>>()?)?;
    all.set_item("parameters", estimators.collect::<PyResult<Vec<_>>>()?)?;
    all.set_item("learner", learners.collect::<PyResult<Vec<_>>>()?)?;
    all.set_item("density", densities.collect::<PyResult<Vec<_>>>()?)?;
    Ok(all)
}

fn describe<'py>(py: Python<'py>, about: &About) -> PyResult<Bound<'py, PyDict>> {
    let settings = about.settings.iter().map(|declared| {
        let (domain, words): (&str, &[&str]) = match declared.domain {
            Domain::Number(_) | Domain::Positive(_) => ("number", &[]),
            Domain::PositiveOrNone => ("number or none", &[]),
            Domain::Whole(_) => ("whole", &[]),
            Domain::WholeOrNone => ("whole or none", &[]),
            Domain::Flag | Domain::Yes => ("flag", &[]),
            Domain::Word(words) => ("word", words),
            Domain::WordOrNone(words) => ("word or none", words),
            Domain::Column(words) => ("column", words),
            Domain::Lists(words) => ("lists or none", words),
        };
        let default = match (declared.default_setting(), declared.domain) {
            (Setting::None | Setting::Lists(_), _) => py.None().into_bound(py),
            (Setting::Text(word), _) => word.into_bound_py_any(py)?,
            (Setting::Number(number), Domain::Whole(_)) => (number as u32).into_bound_py_any(py)?,
            (Setting::Number(number), Domain::Flag | Domain::Yes) => (number != 0.0).into_bound_py_any(py)?,
            (Setting::Number(number), _) => number.into_bound_py_any(py)?,
        };
        let told = PyDict::new(py);
        told.set_item("name", declared.name)?;
        told.set_item("domain", domain)?;
        told.set_item("words", words)?;
        told.set_item("default", default)?;
        told.set_item("summary", declared.summary)?;
        Ok(told)
    });
    let told = PyDict::new(py);
    told.set_item("name", about.name)?;
    told.set_item("title", about.title)?;
    told.set_item("summary", about.summary)?;
    told.set_item("formula", about.formula)?;
    told.set_item("settings", settings.collect::<PyResult<Vec<_>>>()?)?;
    told.set_item("needs", about.needs.iter().map(|need| need.word()).collect::<Vec<_>>())?;
    Ok(told)
}

/// The most bytes that one table may take.
#[pyfunction]
pub fn memory_limit() -> u64 {
    tanager_core::memory::memory_limit()
}

/// Sets the limit; 0 returns to a quarter of what the process may use.
#[pyfunction]
pub fn set_memory_limit(bytes: u64) {
    tanager_core::memory::set_memory_limit(bytes);
}
