//! Fitted networks for Python.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tanager_core::Control;
use tanager_core::counts::CountSource;
use tanager_core::model::{self, LogTheta, Network, NodeTable, Plan};
use tanager_core::scan::{Scanner, Strand};
use tanager_core::structure::Node;

use crate::classifier::{by_class, classifier_class};
use crate::dataset::PyDataset;
use crate::error::{Raised, check_place};
use crate::evidence::{Evidence, Running};
use crate::groups::{SearchParts, search_parts};
use crate::runtime::{Jobs, run};
use crate::score::{Estimator, Score, Settings};

/// A structure with its tables; immutable.
#[pyclass(frozen, name = "Network", module = "tanager._core")]
pub struct PyNetwork {
    pub(crate) network: Network,
    search: Option<SearchParts>,
}

/// The table of a node: every cell, or the cells of a join that occurred with their rows and that of all others.
#[derive(FromPyObject)]
pub(crate) enum TableParts<'py> {
    All(PyReadonlyArray1<'py, f64>),
    Occurring(PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, f64>),
}

impl TableParts<'_> {
    fn table(&self, node: Node, arities: &[usize], classes: usize) -> tanager_core::Result<NodeTable> {
        match self {
            Self::All(cells) => NodeTable::from_parts(node, arities, classes, cells.as_array().to_vec()),
            Self::Occurring(cells, rows) => {
                let (cells, rows) = (cells.as_array().to_vec(), rows.as_array().to_vec());
                NodeTable::from_occurring(node, arities, classes, cells, rows)
            }
        }
    }

    fn of<'py>(py: Python<'py>, table: &NodeTable) -> PyResult<Bound<'py, PyAny>> {
        Ok(match table.log_theta() {
            LogTheta::All(cells) => PyArray1::from_slice(py, cells).into_any(),
            LogTheta::Occurring(occurring) => {
                let cells = PyArray1::from_slice(py, occurring.cells());
                (cells, PyArray1::from_slice(py, occurring.rows())).into_pyobject(py)?.into_any()
            }
        })
    }
}

/// (members, parents) of a node.
pub type NodeParts = (Vec<usize>, Vec<usize>);

/// The codes of each column, and of the class where there is one.
pub(crate) type Rows<'py> = (Vec<Bound<'py, PyArray1<u32>>>, Option<Bound<'py, PyArray1<u32>>>);

/// Starts, whether on the reverse strand, scores.
type HitArrays<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<bool>>, Bound<'py, PyArray1<f64>>);

classifier_class!(PyNetwork, network, [log_joint: LogJoint, log_posterior: LogPosterior, posterior: Posterior], {
    /// Puts a network together from what `parts` gave; checked.
    #[staticmethod]
    #[pyo3(signature = (arities, log_prior, nodes, tables, concentrations=None))]
    fn from_parts(
        py: Python<'_>,
        arities: Vec<usize>,
        log_prior: Option<Vec<f64>>,
        nodes: Vec<NodeParts>,
        tables: Vec<TableParts<'_>>,
        concentrations: Option<Vec<Vec<f64>>>,
    ) -> PyResult<Self> {
        let mut concentrations = concentrations.unwrap_or_default().into_iter();
        let of_class = log_prior.as_ref().and_then(|_| concentrations.next()).unwrap_or_default();
        let classes = log_prior.as_ref().map_or(1, Vec::len);
        let tables = nodes
            .into_iter()
            .zip(tables)
            .map(|((members, parents), table)| {
                let node = Node { members, parents };
                let table = table.table(node, &arities, classes)?;
                Ok(table.with_concentrations(concentrations.next().unwrap_or_default()))
            })
            .collect::<tanager_core::Result<Vec<_>>>();
        let network = tables.and_then(|tables| Network::from_parts(arities, log_prior, tables));
        let network = network.map(|network| network.with_prior_concentrations(of_class));
        Ok(Self { network: network.raised(py)?, search: None })
    }

    /// (arities, ln θ_c or None, nodes, tables, concentrations): everything there is to know, for files and pickles.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let tables = self.network.tables().iter().map(|table| TableParts::of(py, table));
        let tables = tables.collect::<PyResult<Vec<_>>>()?;
        let log_prior = self.network.log_prior().map(<[f64]>::to_vec);
        (self.network.arities().to_vec(), log_prior, self.nodes(), tables, self.concentrations())
            .into_pyobject(py)
    }

    /// The concentrations of the class node, where there is one, and of each node, level by level; `None` where the
    /// estimator has none.
    #[getter]
    fn concentrations(&self) -> Option<Vec<Vec<f64>>> {
        self.network.concentrations()
    }

    /// (members, attribute parents) of each node.
    #[getter]
    fn nodes(&self) -> Vec<NodeParts> {
        nodes(&self.network)
    }

    /// How the structure was found, where it was found by a search: (N, rows classified correctly at the start, steps
    /// (operation, groups, rows classified correctly after it), trials left out). Not part of a pickle.
    #[getter]
    fn search(&self) -> Option<SearchParts> {
        self.search.clone()
    }

    /// ln θ of one node: one axis for each parent, then for each member, then for the class where there is one.
    fn table<'py>(&self, py: Python<'py>, node: usize) -> PyResult<Bound<'py, PyAny>> {
        check_place(py, node, self.network.tables().len())?;
        let table = &self.network.tables()[node];
        let mut shape: Vec<usize> = table.axes().iter().map(|axis| axis.1).collect();
        shape.extend(self.network.log_prior().map(<[f64]>::len));
        let cells = table.dense().raised(py)?;
        Ok(PyArray1::from_slice(py, &cells).reshape(shape)?.into_any())
    }

    /// ln P(x) of each row.
    #[pyo3(signature = (data, n_jobs=None))]
    fn log_density<'py>(
        &self,
        py: Python<'py>,
        data: &PyDataset,
        n_jobs: Option<Jobs>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let values = run(py, n_jobs, None, |control| self.network.log_density(&data.data, control))?;
        Ok(PyArray1::from_vec(py, values))
    }

    /// Draws rows: one array of codes for each column, and one of the class where there is one.
    fn sample<'py>(&self, py: Python<'py>, rows: usize, seed: u64) -> PyResult<Rows<'py>> {
        let (columns, classes) =
            run(py, Some(Jobs(1)), None, |control| self.network.sample(rows, seed, control))?;
        let array = |codes| PyArray1::from_vec(py, codes);
        Ok((columns.into_iter().map(array).collect(), classes.map(array)))
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
            Scanner::new(&self.network, background)?.scan(sequence, threshold, most, control)
        })?;
        Ok((
            PyArray1::from_iter(py, hits.iter().map(|hit| hit.start as i64)),
            PyArray1::from_iter(py, hits.iter().map(|hit| hit.strand == Strand::Reverse)),
            PyArray1::from_iter(py, hits.iter().map(|hit| hit.score)),
        ))
    }
});

impl From<&Network> for PyNetwork {
    fn from(network: &Network) -> Self {
        Self { network: network.clone(), search: None }
    }
}

/// (members, attribute parents) of each node.
pub fn nodes(network: &Network) -> Vec<NodeParts> {
    let nodes = network.tables().iter().map(|table| table.node());
    nodes.map(|node| (node.members.clone(), node.parents.clone())).collect()
}

/// Learns a structure and its tables, from rows or from their counts and what `passes` counts in `memory` bytes a pass: a
/// classifier where there is a class, else a density. Returns the network and, for learners that maximise a score, its
/// score. `folds`, where given, are those of a search by accuracy: that of each row, and their number.
#[pyfunction]
#[pyo3(signature = (
    evidence, learner, settings, score, parameters, n_jobs=None, progress=None, folds=None, passes=None, memory=None
))]
#[allow(clippy::too_many_arguments)]
pub fn fit(
    py: Python<'_>,
    evidence: Evidence<'_>,
    learner: &str,
    settings: Settings,
    score: Score,
    parameters: Estimator,
    n_jobs: Option<Jobs>,
    progress: Option<Py<PyAny>>,
    folds: Option<(PyReadonlyArray1<'_, u32>, usize)>,
    passes: Option<Py<PyAny>>,
    memory: Option<u64>,
) -> PyResult<(PyNetwork, Option<f64>)> {
    let folds = folds.map(|(fold_of_row, folds)| (fold_of_row.as_array().to_vec(), folds));
    let folds = folds.as_ref().map(|(fold_of_row, folds)| (fold_of_row.as_slice(), *folds));
    let plan = plan(learner, &settings, &score, &parameters, folds);
    let work = |counts: &dyn CountSource, control: &Control| model::fit(counts, &plan, control);
    let running = Running { n_jobs, progress, passes, memory };
    let fitted = evidence.learn(py, running, work, |py, error| score.raise(py, error))?;
    let network = PyNetwork { network: fitted.network, search: fitted.path.map(search_parts) };
    Ok((network, fitted.score))
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
    settings: Settings,
    score: Score,
    parameters: Estimator,
    n_jobs: Option<Jobs>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<Bound<'py, PyArray2<f64>>>> {
    let plan = plan(learner, &settings, &score, &parameters, None);
    let fold_of_row = fold_of_row.as_array().to_vec();
    let work = |control: &Control| model::cross_validate(&data.data, &fold_of_row, folds, &plan, control);
    let posteriors = score.run(py, n_jobs, progress.as_ref(), work)?;
    let classes = data.data.n_classes().unwrap_or(1);
    posteriors.into_iter().map(|posterior| by_class(py, posterior, classes)).collect()
}

fn plan<'a>(
    learner: &'a str,
    settings: &'a Settings,
    score: &'a Score,
    parameters: &'a Estimator,
    folds: Option<(&'a [u32], usize)>,
) -> Plan<'a> {
    let (score, estimator) = (score.score.as_ref(), parameters.0.as_ref());
    Plan { learner, settings: &settings.0, score, estimator, folds }
}
