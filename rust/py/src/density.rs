//! Fitted densities for Python.

use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use tanager_core::counts::{CountSource, Counter};
use tanager_core::model::{Density, NodeTable};
use tanager_core::scan::{Scanner, Strand};
use tanager_core::score::Scorer;
use tanager_core::structure::{self, Evidence, Learner, Node};

use crate::dataset::PyDataset;
use crate::error::to_python;
use crate::registry::uses_score;
use crate::runtime::{Jobs, run, run_raising};
use crate::score::{Score, estimator_from_python, options_from_python};

/// A network over attributes with its tables; immutable.
#[pyclass(frozen, name = "Density", module = "tanager._core")]
pub struct PyDensity {
    model: Density,
}

/// (members, parents) of a node.
type NodeParts = (Vec<usize>, Vec<usize>);

/// Starts, whether on the reverse strand, scores.
type HitArrays<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<bool>>, Bound<'py, PyArray1<f64>>);

#[pymethods]
impl PyDensity {
    /// Puts a density together from what `parts` gave; checked.
    #[staticmethod]
    #[pyo3(signature = (arities, nodes, tables, concentrations=None))]
    fn from_parts(
        py: Python<'_>,
        arities: Vec<usize>,
        nodes: Vec<NodeParts>,
        tables: Vec<PyReadonlyArray1<'_, f64>>,
        concentrations: Option<Vec<Vec<f64>>>,
    ) -> PyResult<Self> {
        let mut concentrations = concentrations.unwrap_or_default().into_iter();
        let tables = nodes
            .into_iter()
            .zip(tables)
            .map(|((members, parents), table)| {
                let node = Node { members, parents };
                let table = NodeTable::from_parts(node, &arities, 1, table.as_array().to_vec())?;
                Ok(table.with_concentrations(concentrations.next().unwrap_or_default()))
            })
            .collect::<tanager_core::Result<Vec<_>>>();
        let model = tables.and_then(|tables| Density::from_parts(arities, tables));
        Ok(Self { model: model.map_err(|error| to_python(py, &error))? })
    }

    /// (arities, nodes, tables, concentrations): everything there is to know, for files and pickles.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let tables: Vec<_> =
            self.model.tables().iter().map(|table| PyArray1::from_slice(py, table.log_theta())).collect();
        (self.model.arities().to_vec(), self.nodes(), tables, self.concentrations()).into_pyobject(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        Ok((py.get_type::<Self>().getattr("from_parts")?, self.parts(py)?))
    }

    /// (members, parents) of each node.
    #[getter]
    fn nodes(&self) -> Vec<NodeParts> {
        let nodes = self.model.tables().iter().map(|table| table.node());
        nodes.map(|node| (node.members.clone(), node.parents.clone())).collect()
    }

    /// The concentrations of each node, level by level; `None` where the estimator has none.
    #[getter]
    fn concentrations(&self) -> Option<Vec<Vec<f64>>> {
        let nodes = self.model.tables().iter().map(|table| table.concentrations().to_vec());
        let nodes: Vec<Vec<f64>> = nodes.collect();
        nodes.iter().any(|node| !node.is_empty()).then_some(nodes)
    }

    /// ln θ of one node: one axis for each parent, then for each member.
    fn table<'py>(&self, py: Python<'py>, node: usize) -> PyResult<Bound<'py, PyAny>> {
        let tables = self.model.tables();
        let Some(table) = tables.get(node) else {
            let error = tanager_core::Error::ColumnOutOfRange { column: node, columns: tables.len() };
            return Err(to_python(py, &error));
        };
        let shape: Vec<usize> = table.axes().iter().map(|axis| axis.1).collect();
        Ok(PyArray1::from_slice(py, table.log_theta()).reshape(shape)?.into_any())
    }

    /// ln P(x) of each row.
    #[pyo3(signature = (data, n_jobs=None))]
    fn log_density<'py>(
        &self,
        py: Python<'py>,
        data: &PyDataset,
        n_jobs: Option<Jobs>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let values = run(py, n_jobs, None, |control| self.model.log_density(&data.data, control))?;
        Ok(PyArray1::from_vec(py, values))
    }

    /// Draws rows: one array of codes for each column.
    fn sample<'py>(
        &self,
        py: Python<'py>,
        rows: usize,
        seed: u64,
    ) -> PyResult<Vec<Bound<'py, PyArray1<u32>>>> {
        let columns = run(py, Some(Jobs(1)), None, |control| self.model.sample(rows, seed, control))?;
        Ok(columns.into_iter().map(|column| PyArray1::from_vec(py, column)).collect())
    }

    /// Windows of a sequence (A, C, G, T = 0 to 3, anything else unknown) whose log-odds against a background
    /// reach the threshold, on both strands, in the order of the sequence; of these the best `most`.
    #[pyo3(signature = (sequence, background, threshold, most=None, n_jobs=None))]
    fn scan<'py>(
        &self,
        py: Python<'py>,
        sequence: PyReadonlyArray1<'py, u8>,
        background: [f64; 4],
        threshold: f64,
        most: Option<usize>,
        n_jobs: Option<Jobs>,
    ) -> PyResult<HitArrays<'py>> {
        let sequence = sequence.as_slice()?;
        let hits = run(py, n_jobs, None, |control| {
            Scanner::new(&self.model, background)?.scan(sequence, threshold, most, control)
        })?;
        Ok((
            PyArray1::from_iter(py, hits.iter().map(|hit| hit.start as i64)),
            PyArray1::from_iter(py, hits.iter().map(|hit| hit.strand == Strand::Reverse)),
            PyArray1::from_iter(py, hits.iter().map(|hit| hit.score)),
        ))
    }
}

/// Learns a structure and its tables from data without a class. Returns the density and, for learners that
/// maximise a score, the score of the network.
#[pyfunction]
#[pyo3(signature = (data, learner, settings, score, parameters, n_jobs=None, progress=None))]
#[allow(clippy::too_many_arguments)]
pub fn fit_density(
    py: Python<'_>,
    data: &PyDataset,
    learner: &str,
    settings: &Bound<'_, PyDict>,
    score: &Bound<'_, PyAny>,
    parameters: &Bound<'_, PyAny>,
    n_jobs: Option<Jobs>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(PyDensity, Option<f64>)> {
    let score = Score::from_python(score)?;
    let estimator = estimator_from_python(parameters)?;
    let options = options_from_python(settings)?;
    let uses_score = uses_score(learner);
    let learner = match structure::by_name(learner, &options).map_err(|error| to_python(py, &error))? {
        Learner::Counts(learner) => learner,
        Learner::Accuracy(_) => {
            return Err(to_python(py, &tanager_core::Error::NoAccuracy { learner: learner.into() }));
        }
    };
    let data = &data.data;
    let work = |control: &tanager_core::Control| {
        let counts = Counter::new(data);
        let evidence = Evidence { counts: &counts, score: score.score.as_ref() };
        let structure = learner.learn(evidence, control)?;
        let model = Density::fit(&structure, &counts, estimator.as_ref(), control)?;
        let scorer = Scorer::new(score.score.as_ref(), data.total(), 0).with_gaps(counts.has_gaps());
        let total = if uses_score { Some(structure.score(&counts, &scorer)?) } else { None };
        Ok((model, total))
    };
    let (model, total) =
        run_raising(py, n_jobs, progress.as_ref(), work, |py, error| score.raise(py, &error))?;
    Ok((PyDensity { model }, total))
}
