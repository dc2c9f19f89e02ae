//! Fitted classifiers for Python.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use tanager_core::counts::{CountSource, Counter};
use tanager_core::model::{self, Classifier, CrossValidatedAccuracy, NodeTable, Summing};
use tanager_core::score::Scorer;
use tanager_core::structure::{self, Evidence, Learner, Node};

use crate::dataset::PyDataset;
use crate::error::to_python;
use crate::groups::{SearchParts, search_parts};
use crate::registry::uses_score;
use crate::runtime::{Jobs, run, run_raising};
use crate::score::{Score, estimator_from_python, options_from_python};

/// A structure with its tables; immutable.
#[pyclass(frozen, name = "Classifier", module = "tanager._core")]
pub struct PyClassifier {
    model: Classifier,
    search: Option<SearchParts>,
}

/// (members, parents) of a node.
type NodeParts = (Vec<usize>, Vec<usize>);

#[pymethods]
impl PyClassifier {
    /// Puts a classifier together from what `parts` gave; checked.
    #[staticmethod]
    #[pyo3(signature = (arities, log_prior, nodes, tables, concentrations=None))]
    fn from_parts(
        py: Python<'_>,
        arities: Vec<usize>,
        log_prior: Vec<f64>,
        nodes: Vec<NodeParts>,
        tables: Vec<PyReadonlyArray1<'_, f64>>,
        concentrations: Option<Vec<Vec<f64>>>,
    ) -> PyResult<Self> {
        let classes = log_prior.len();
        let mut concentrations = concentrations.unwrap_or_default().into_iter();
        let of_class = concentrations.next().unwrap_or_default();
        let tables = nodes
            .into_iter()
            .zip(tables)
            .map(|((members, parents), table)| {
                let node = Node { members, parents };
                let table = NodeTable::from_parts(node, &arities, classes, table.as_array().to_vec())?;
                Ok(table.with_concentrations(concentrations.next().unwrap_or_default()))
            })
            .collect::<tanager_core::Result<Vec<_>>>();
        let model = tables.and_then(|tables| Classifier::from_parts(arities, log_prior, tables));
        let model = model.map(|model| model.with_prior_concentrations(of_class));
        Ok(Self { model: model.map_err(|error| to_python(py, &error))?, search: None })
    }

    /// (arities, ln θ_c, nodes, tables, concentrations): everything there is to know, for files and pickles.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let tables: Vec<_> =
            self.model.tables().iter().map(|table| PyArray1::from_slice(py, table.log_theta())).collect();
        (
            self.model.arities().to_vec(),
            self.model.log_prior().to_vec(),
            self.nodes(),
            tables,
            self.concentrations(),
        )
            .into_pyobject(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        Ok((py.get_type::<Self>().getattr("from_parts")?, self.parts(py)?))
    }

    /// (members, attribute parents) of each node.
    #[getter]
    fn nodes(&self) -> Vec<NodeParts> {
        let nodes = self.model.tables().iter().map(|table| table.node());
        nodes.map(|node| (node.members.clone(), node.parents.clone())).collect()
    }

    /// The concentrations of the class node and of each node, level by level; `None` where the estimator has none.
    #[getter]
    fn concentrations(&self) -> Option<Vec<Vec<f64>>> {
        let of_class = self.model.prior_concentrations();
        let of_nodes = self.model.tables().iter().map(|table| table.concentrations().to_vec());
        (!of_class.is_empty()).then(|| std::iter::once(of_class.to_vec()).chain(of_nodes).collect())
    }

    /// How the structure was found, where it was found by a search: (N, rows classified correctly at the start, steps
    /// (operation, groups, rows classified correctly after it), trials left out). Not part of a pickle.
    #[getter]
    fn search(&self) -> Option<SearchParts> {
        self.search.clone()
    }

    /// ln θ_c.
    #[getter]
    fn log_prior<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.model.log_prior())
    }

    /// ln θ of one node: one axis for each parent, then for each member, then for the class.
    fn table<'py>(&self, py: Python<'py>, node: usize) -> PyResult<Bound<'py, PyAny>> {
        let tables = self.model.tables();
        let Some(table) = tables.get(node) else {
            let error = tanager_core::Error::ColumnOutOfRange { column: node, columns: tables.len() };
            return Err(to_python(py, &error));
        };
        let mut shape: Vec<usize> = table.axes().iter().map(|axis| axis.1).collect();
        shape.push(self.model.n_classes());
        Ok(PyArray1::from_slice(py, table.log_theta()).reshape(shape)?.into_any())
    }

    /// ln P(c, x) of each row and class.
    #[pyo3(signature = (data, n_jobs=None, approximate=false))]
    fn log_joint<'py>(
        &self,
        py: Python<'py>,
        data: &PyDataset,
        n_jobs: Option<Jobs>,
        approximate: bool,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let values = self.predict(py, data, n_jobs, |control| {
            self.model.log_joint(&data.data, summing(approximate), control)
        })?;
        self.by_class(py, values)
    }

    /// ln P(c | x) of each row and class.
    #[pyo3(signature = (data, n_jobs=None, approximate=false))]
    fn log_posterior<'py>(
        &self,
        py: Python<'py>,
        data: &PyDataset,
        n_jobs: Option<Jobs>,
        approximate: bool,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let values = self.predict(py, data, n_jobs, |control| {
            self.model.log_posterior(&data.data, summing(approximate), control)
        })?;
        self.by_class(py, values)
    }

    /// P(c | x) of each row and class.
    #[pyo3(signature = (data, n_jobs=None, approximate=false))]
    fn posterior<'py>(
        &self,
        py: Python<'py>,
        data: &PyDataset,
        n_jobs: Option<Jobs>,
        approximate: bool,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let values = self.predict(py, data, n_jobs, |control| {
            self.model.posterior(&data.data, summing(approximate), control)
        })?;
        self.by_class(py, values)
    }
}

impl PyClassifier {
    /// Runs a prediction, at once where it is of a few rows.
    fn predict(
        &self,
        py: Python<'_>,
        data: &PyDataset,
        n_jobs: Option<Jobs>,
        work: impl FnOnce(&tanager_core::Control) -> tanager_core::Result<Vec<f64>> + Send,
    ) -> PyResult<Vec<f64>> {
        if self.model.is_quick(&data.data) {
            work(&tanager_core::Control::new()).map_err(|error| to_python(py, &error))
        } else {
            run(py, n_jobs, None, work)
        }
    }

    fn by_class<'py>(&self, py: Python<'py>, values: Vec<f64>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let classes = self.model.n_classes();
        let rows = values.len() / classes;
        PyArray1::from_vec(py, values).reshape([rows, classes])
    }
}

/// How missing values are summed out.
fn summing(approximate: bool) -> Summing {
    if approximate { Summing::Approximate } else { Summing::Exact }
}

/// Learns a structure and its tables. Returns the classifier and, for learners that maximise a score, the score of the
/// network. `folds`, where given, are those of a search by accuracy: that of each row, and their number.
#[pyfunction]
#[pyo3(signature = (data, learner, settings, score, parameters, n_jobs=None, progress=None, folds=None))]
#[allow(clippy::too_many_arguments)]
pub fn fit_classifier(
    py: Python<'_>,
    data: &PyDataset,
    learner: &str,
    settings: &Bound<'_, PyDict>,
    score: &Bound<'_, PyAny>,
    parameters: &Bound<'_, PyAny>,
    n_jobs: Option<Jobs>,
    progress: Option<Py<PyAny>>,
    folds: Option<(PyReadonlyArray1<'_, u32>, usize)>,
) -> PyResult<(PyClassifier, Option<f64>)> {
    let score = Score::from_python(score)?;
    let estimator = estimator_from_python(parameters)?;
    let options = options_from_python(settings)?;
    let uses_score = uses_score(learner);
    let learner = structure::by_name(learner, &options).map_err(|error| to_python(py, &error))?;
    let folds = folds.map(|(fold_of_row, folds)| (fold_of_row.as_array().to_vec(), folds));
    let data = &data.data;
    let work = |control: &tanager_core::Control| {
        let counts = Counter::new(data);
        let (structure, path) = match &learner {
            Learner::Counts(learner) => {
                let evidence = Evidence { counts: &counts, score: score.score.as_ref() };
                (learner.learn(evidence, control)?, None)
            }
            Learner::Accuracy(search) => {
                let mut accuracy = CrossValidatedAccuracy::new(data, estimator.as_ref());
                if let Some((fold_of_row, folds)) = &folds {
                    accuracy = accuracy.with_folds(fold_of_row, *folds);
                }
                let (structure, path) = search.search(&counts, &accuracy, control)?;
                (structure, Some(path))
            }
        };
        let model = Classifier::fit(&structure, &counts, estimator.as_ref(), control)?;
        let scorer = Scorer::new(score.score.as_ref(), data.total(), 0).with_gaps(counts.has_gaps());
        let total = if uses_score { Some(structure.score(&counts, &scorer)?) } else { None };
        Ok((model, total, path))
    };
    let (model, total, path) =
        run_raising(py, n_jobs, progress.as_ref(), work, |py, error| score.raise(py, &error))?;
    Ok((PyClassifier { model, search: path.map(search_parts) }, total))
}

/// For each fold P(c | x) of its rows, in their order, by the classifier learned from all other folds.
#[pyfunction]
#[pyo3(signature = (data, fold_of_row, folds, learner, settings, score, parameters, n_jobs=None, progress=None))]
#[allow(clippy::too_many_arguments)]
pub fn cross_validate<'py>(
    py: Python<'py>,
    data: &PyDataset,
    fold_of_row: PyReadonlyArray1<'py, u32>,
    folds: usize,
    learner: &str,
    settings: &Bound<'py, PyDict>,
    score: &Bound<'py, PyAny>,
    parameters: &Bound<'py, PyAny>,
    n_jobs: Option<Jobs>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<Bound<'py, PyArray2<f64>>>> {
    let score = Score::from_python(score)?;
    let estimator = estimator_from_python(parameters)?;
    let options = options_from_python(settings)?;
    let learner = match structure::by_name(learner, &options).map_err(|error| to_python(py, &error))? {
        Learner::Counts(learner) => learner,
        Learner::Accuracy(_) => {
            return Err(to_python(py, &tanager_core::Error::NoAccuracy { learner: learner.into() }));
        }
    };
    let data = &data.data;
    let fold_of_row = fold_of_row.as_array().to_vec();
    let work = |control: &tanager_core::Control| {
        let (learner, score, estimator) = (learner.as_ref(), score.score.as_ref(), estimator.as_ref());
        model::cross_validate(data, &fold_of_row, folds, learner, score, estimator, control)
    };
    let posteriors = run_raising(py, n_jobs, progress.as_ref(), work, |py, error| score.raise(py, &error))?;
    let classes = data.n_classes().unwrap_or(1);
    let by_class = |posterior: Vec<f64>| {
        let rows = posterior.len() / classes;
        PyArray1::from_vec(py, posterior).reshape([rows, classes])
    };
    posteriors.into_iter().map(by_class).collect()
}
