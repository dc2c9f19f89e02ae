//! Counts, scores and weights by function.

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use tanager_core::counts::{self, Counter, FamilyCounts, FamilyShape};
use tanager_core::data::Variable;
use tanager_core::score::{self, Scorer};
use tanager_core::structure::Structure;

use crate::dataset::PyDataset;
use crate::error::{Raised, data_error, exception};
use crate::runtime::Jobs;
use crate::score::{Score, counts_array};

/// A column's position, or "class".
fn variable(value: &Bound<'_, PyAny>) -> PyResult<Variable> {
    if let Ok(word) = value.extract::<String>() {
        if word == "class" {
            return Ok(Variable::Class);
        }
        return Err(data_error(
            value.py(),
            format!("{word:?} is not a variable: name a column's position or \"class\""),
        ));
    }
    match value.extract::<i64>() {
        Ok(index) => match usize::try_from(index) {
            Ok(index) => Ok(Variable::Attribute(index)),
            Err(_) => Err(exception(
                value.py(),
                "ColumnError",
                format!("there is no column {index}: positions count from 0"),
            )),
        },
        Err(_) => Err(exception(
            value.py(),
            "DataTypeError",
            format!("{} is not a variable: name a column's position or \"class\"", value.repr()?),
        )),
    }
}

fn variables(values: &[Bound<'_, PyAny>]) -> PyResult<Vec<Variable>> {
    values.iter().map(variable).collect()
}

/// ndarray[q, r]; the last parent varies fastest.
#[pyfunction]
pub fn family_counts<'py>(
    py: Python<'py>,
    data: &PyDataset,
    child: &Bound<'py, PyAny>,
    parents: Vec<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let child = variable(child)?;
    let mut all = variables(&parents)?;
    all.push(child);
    let data = &data.data;
    let cells = py.detach(|| counts::count_table(data, &all)).raised(py)?;
    let child = data.variable(child).raised(py)?.arity();
    // Only the child's size matters for the shape of the array.
    let shape = FamilyShape { child, class: None, parents: Vec::new() };
    counts_array(py, &FamilyCounts { shape, cells })
}

/// φ of one family.
#[pyfunction]
pub fn family_score(
    py: Python<'_>,
    data: &PyDataset,
    child: &Bound<'_, PyAny>,
    parents: Vec<Bound<'_, PyAny>>,
    score: Score,
) -> PyResult<f64> {
    let child = variable(child)?;
    let parents = variables(&parents)?;
    let with_class = parents.contains(&Variable::Class);
    if parents.iter().filter(|&&parent| parent == Variable::Class).count() > 1 {
        return Err(data_error(py, format!("the family of {child} names the class twice")));
    }
    let attributes: Vec<usize> = parents
        .iter()
        .filter_map(|parent| match *parent {
            Variable::Attribute(column) => Some(column),
            Variable::Class => None,
        })
        .collect();
    let data = &data.data;
    let work = || {
        let family = counts::family_counts(data, child, &attributes, with_class)?;
        Scorer::new(score.score.as_ref(), data.total(), 0).family(child, &family)
    };
    py.detach(work).map_err(|error| score.raise(py, &error))
}

/// The sum over all families and the class node.
#[pyfunction]
#[pyo3(signature = (data, parents, score, n_jobs=None))]
pub fn network_score(
    py: Python<'_>,
    data: &PyDataset,
    parents: Vec<Vec<i64>>,
    score: Score,
    n_jobs: Option<Jobs>,
) -> PyResult<f64> {
    if parents.len() != data.data.n() {
        let message = format!(
            "parents has length {}, expected {}: one list for each column",
            parents.len(),
            data.data.n()
        );
        return Err(data_error(py, message));
    }
    // A negative position is none of a column's; the core refuses it in its own words.
    let position = |parent: i64| usize::try_from(parent).unwrap_or(usize::MAX);
    let structure = Structure::from_parents(
        parents.into_iter().map(|list| list.into_iter().map(position).collect()).collect(),
    );
    let data = &data.data;
    let work = |_: &tanager_core::Control| {
        structure.validate(data.n())?;
        let counts = Counter::new(data);
        let scorer = Scorer::for_source(score.score.as_ref(), &counts, 0);
        structure.score(&counts, &scorer)
    };
    score.run(py, n_jobs, None, work)
}

/// w[i, j] = φ_j({i} + class) − φ_j(class).
#[pyfunction]
#[pyo3(signature = (data, score, n_jobs=None))]
pub fn edge_weights<'py>(
    py: Python<'py>,
    data: &PyDataset,
    score: Score,
    n_jobs: Option<Jobs>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let data = &data.data;
    let work = |control: &tanager_core::Control| {
        let counts = Counter::new(data);
        let scorer = Scorer::for_source(score.score.as_ref(), &counts, data.rows() as u128);
        score::edge_weights(&counts, &scorer, control)
    };
    let weights = score.run(py, n_jobs, None, work)?;
    PyArray1::from_vec(py, weights.weights).reshape([data.n(), data.n()])
}
