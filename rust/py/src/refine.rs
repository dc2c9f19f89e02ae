//! Refined networks for Python.

use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tanager_core::data::Dataset;
use tanager_core::options::Options;
use tanager_core::refine::{
    Backoff, BackoffParts, Candidate, Family, NodeTerm, RIDGES, Refined, Rows, Settings, Shape, fit,
};
use tanager_core::registry;
use tanager_core::structure::{self, Learner, Node, Structure};

use crate::dataset::PyDataset;
use crate::error::{Raised, data_error};
use crate::runtime::{Jobs, run};

/// A sum of terms; immutable.
#[pyclass(frozen, name = "Refined", module = "tanager._core")]
pub struct PyRefined {
    model: Refined,
}

/// (arities, keys of values with contexts, keys of contexts, counts of these and those, concentrations).
type BackoffTuple<'py> = (
    Vec<usize>,
    Vec<PyReadonlyArray1<'py, u64>>,
    Vec<PyReadonlyArray1<'py, u64>>,
    PyReadonlyArray1<'py, f64>,
    Vec<PyReadonlyArray1<'py, f64>>,
    Vec<f64>,
);
/// (members, parents, weight, sums of δ, backoff).
type NodeTuple<'py> = (Vec<usize>, Vec<usize>, f64, PyReadonlyArray1<'py, f64>, BackoffTuple<'py>);

/// (place in the shapes, ridge, held-out log-loss).
type CandidateTuple = (usize, f64, f64);
/// A coding of the rows: data, the structures to choose from, and the numbers of attributes in MDL bins.
type CodingTuple<'py> = (PyRef<'py, PyDataset>, Vec<Wanted>, Vec<(usize, PyReadonlyArray1<'py, f64>)>);

#[pymethods]
impl PyRefined {
    /// Puts a model together from what `parts` gave; checked.
    #[staticmethod]
    fn from_parts(
        py: Python<'_>,
        arities: Vec<usize>,
        log_prior: Vec<f64>,
        bias: Vec<f64>,
        nodes: Vec<NodeTuple<'_>>,
        steps: Vec<Option<PyReadonlyArray1<'_, f64>>>,
    ) -> PyResult<Self> {
        let classes = bias.len();
        let term = |(members, parents, weight, path, backoff): NodeTuple<'_>| {
            let parts = BackoffParts {
                arities: backoff.0,
                pairs: backoff.1.iter().map(|keys| keys.as_array().to_vec()).collect(),
                contexts: backoff.2.iter().map(|keys| keys.as_array().to_vec()).collect(),
                pair_counts: backoff.3.as_array().to_vec(),
                context_counts: backoff.4.iter().map(|counts| counts.as_array().to_vec()).collect(),
                concentrations: backoff.5,
            };
            let backoff = Backoff::from_parts(parts, classes)?;
            Ok(NodeTerm { node: Node { members, parents }, backoff, weight, path: path.as_array().to_vec() })
        };
        let steps = steps.into_iter().map(|table| table.map(|table| table.as_array().to_vec())).collect();
        let nodes = nodes.into_iter().map(term).collect::<tanager_core::Result<Vec<_>>>();
        let model = nodes.and_then(|nodes| Refined::from_parts(arities, log_prior, bias, nodes, steps));
        Ok(Self { model: model.raised(py)? })
    }

    /// (arities, ln prior, b, nodes, step functions): everything there is to know, for files and pickles.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let model = &self.model;
        let floats = |values: &[f64]| PyArray1::from_slice(py, values);
        let nodes: Vec<_> = model
            .nodes()
            .iter()
            .map(|term| {
                let parts = term.backoff.parts();
                let keys = |keys: &[Vec<u64>]| -> Vec<_> {
                    keys.iter().map(|keys| PyArray1::from_slice(py, keys)).collect()
                };
                let counts: Vec<_> = parts.context_counts.iter().map(|counts| floats(counts)).collect();
                let backoff = (
                    parts.arities,
                    keys(&parts.pairs),
                    keys(&parts.contexts),
                    floats(&parts.pair_counts),
                    counts,
                    parts.concentrations,
                );
                let Node { members, parents } = term.node.clone();
                (members, parents, term.weight, floats(&term.path), backoff)
            })
            .collect();
        let steps: Vec<_> = model.steps().iter().map(|table| table.as_deref().map(floats)).collect();
        (model.arities().to_vec(), model.log_prior().to_vec(), model.bias().to_vec(), nodes, steps)
            .into_pyobject(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        Ok((py.get_type::<Self>().getattr("from_parts")?, self.parts(py)?))
    }

    /// ln of the classes' shares of the training rows.
    #[getter]
    fn log_prior<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.model.log_prior())
    }

    /// b of each class.
    #[getter]
    fn bias<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.model.bias())
    }

    /// For each term its attributes and the nodes of `parts` that it sums.
    #[getter]
    fn terms(&self) -> Vec<(Vec<usize>, Vec<usize>)> {
        self.model.terms().to_vec()
    }

    /// b + Σ terms of each row and class.
    #[pyo3(signature = (data, steps, stepped, n_jobs=None))]
    fn scores<'py>(
        &self,
        py: Python<'py>,
        data: &PyDataset,
        steps: Option<&PyDataset>,
        stepped: Vec<usize>,
        n_jobs: Option<Jobs>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows = rows(py, &data.data, steps, &stepped)?;
        let values = run(py, n_jobs, None, |control| self.model.scores(&rows, control))?;
        PyArray1::from_vec(py, values).reshape([rows.data.rows(), self.model.n_classes()])
    }

    /// Every term of each row and class.
    #[pyo3(signature = (data, steps, stepped, n_jobs=None))]
    fn contributions<'py>(
        &self,
        py: Python<'py>,
        data: &PyDataset,
        steps: Option<&PyDataset>,
        stepped: Vec<usize>,
        n_jobs: Option<Jobs>,
    ) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let rows = rows(py, &data.data, steps, &stepped)?;
        let values = run(py, n_jobs, None, |control| self.model.contributions(&rows, control))?;
        let shape = [rows.data.rows(), self.model.terms().len(), self.model.n_classes()];
        PyArray1::from_vec(py, values).reshape(shape)
    }
}

/// The rows with the ordered codes of the attributes `stepped`, one column of `steps` for each.
fn rows(py: Python<'_>, data: &Dataset, steps: Option<&PyDataset>, stepped: &[usize]) -> PyResult<Rows> {
    let mut of_attribute = vec![None; data.n()];
    for (place, &attribute) in stepped.iter().enumerate() {
        let column = steps.and_then(|steps| steps.data.columns().get(place));
        match (of_attribute.get_mut(attribute), column) {
            (Some(of_attribute), Some(column)) => *of_attribute = Some(column.clone()),
            _ => return Err(data_error(py, format!("there are no ordered codes of column {attribute}"))),
        }
    }
    Rows::new(data.clone(), of_attribute).raised(py)
}

/// A structure by name: "kdb:2", "away:2", "tan", or by its nodes.
#[derive(FromPyObject)]
pub enum Wanted {
    Name(String),
    Nodes(Vec<(Vec<usize>, Vec<usize>)>),
}

fn shape(py: Python<'_>, wanted: Wanted, columns: usize) -> PyResult<Shape> {
    let name = match wanted {
        Wanted::Nodes(nodes) => {
            let nodes = nodes.into_iter().map(|(members, parents)| Node { members, parents }).collect();
            let structure = Structure { nodes };
            structure.validate(columns).raised(py)?;
            return Ok(Shape::Fixed(structure));
        }
        Wanted::Name(name) => name,
    };
    if let Some((family, parents)) = name.split_once(':') {
        let family = if family == "away" { Family::ExplainingAway } else { Family::Dependence };
        let Ok(parents) = parents.parse() else {
            return Err(data_error(py, format!("{name:?} is not a structure")));
        };
        return Ok(Shape::KDependence { parents, family });
    }
    let learner = registry::find("learner", structure::REGISTRY, &name)
        .and_then(|entry| entry.make(&Options::default()))
        .raised(py)?;
    match learner {
        Learner::Counts(learner) => Ok(Shape::Learned(learner)),
        Learner::Accuracy(_) => Err(data_error(py, format!("{name:?} does not learn from counts"))),
    }
}

/// Fits a refined network. `codings` are the same rows, cut in several ways, of which the best is chosen; `steps` holds the
/// ordered codes of the attributes `stepped`; `ridge` None chooses among the grid. While that is done `numbers` of attributes in
/// MDL bins are cut anew without the rows that are held out. Returns the model, the place of its coding, and the candidates that
/// it averages: (place in the coding's structures, ridge, held-out log-loss).
#[pyfunction]
#[pyo3(signature = (codings, steps, stepped, ridge, cv, seed, sample, keep, folds=None, n_jobs=None, progress=None))]
#[allow(clippy::too_many_arguments)]
pub fn fit_refined(
    py: Python<'_>,
    codings: Vec<CodingTuple<'_>>,
    steps: Option<&PyDataset>,
    stepped: Vec<usize>,
    ridge: Option<f64>,
    cv: usize,
    seed: u64,
    sample: usize,
    keep: usize,
    folds: Option<(PyReadonlyArray1<'_, u32>, usize)>,
    n_jobs: Option<Jobs>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(PyRefined, usize, Vec<CandidateTuple>)> {
    let (mut of_codings, mut shapes) = (Vec::new(), Vec::new());
    for (data, wanted, numbers) in codings {
        let numbers =
            numbers.iter().map(|(attribute, column)| (*attribute, column.as_array().to_vec())).collect();
        let rows = rows(py, &data.data, steps, &stepped)?;
        of_codings.push(rows.with_numbers(numbers).raised(py)?);
        let wanted = wanted.into_iter().map(|wanted| shape(py, wanted, data.data.n()));
        shapes.push(wanted.collect::<PyResult<Vec<_>>>()?);
    }
    let settings = Settings {
        shapes,
        ridges: ridge.map_or_else(|| RIDGES.to_vec(), |ridge| vec![ridge]),
        keep,
        folds: folds.map(|(fold_of_row, folds)| (fold_of_row.as_array().to_vec(), folds)),
        cv,
        seed,
        sample,
    };
    let work = |control: &tanager_core::Control| fit(&of_codings, &settings, control);
    let (model, chosen) = run(py, n_jobs, progress.as_ref(), work)?;
    let coding = chosen.first().map_or(0, |candidate| candidate.entrant.coding);
    let told = |candidate: &Candidate| (candidate.entrant.shape, candidate.ridge, candidate.log_loss);
    Ok((PyRefined { model }, coding, chosen.iter().map(told).collect()))
}
