//! Ensembles of KDBs for Python.

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use tanager_core::model::kdb_ensemble::{EnsembleSettings, KdbEnsemble, Ladder, Member};
use tanager_core::{Control, Result};

use crate::dataset::PyDataset;
use crate::error::to_python;
use crate::network::{PyNetwork, summing};
use crate::runtime::{Jobs, run};
use crate::score::options_from_python;

/// The mean of several networks; immutable.
#[pyclass(frozen, name = "KdbEnsemble", module = "tanager._core")]
pub struct PyKdbEnsemble {
    model: KdbEnsemble,
}

/// For each column the member's value of each value, where they differ.
type Intervals = Vec<Option<Vec<u32>>>;

#[pymethods]
impl PyKdbEnsemble {
    /// Puts an ensemble together from what `parts` gave; checked.
    #[staticmethod]
    fn from_parts(
        py: Python<'_>,
        arities: Vec<usize>,
        intervals: Vec<Intervals>,
        networks: Vec<Bound<'_, PyNetwork>>,
    ) -> PyResult<Self> {
        let member = |(intervals, network): (Intervals, Bound<'_, PyNetwork>)| Member {
            intervals,
            network: network.get().network.clone(),
        };
        let members = intervals.into_iter().zip(networks).map(member).collect();
        let model = KdbEnsemble::from_parts(arities, members);
        Ok(Self { model: model.map_err(|error| to_python(py, &error))? })
    }

    /// (arities, intervals of each member, networks): everything there is to know, for files and pickles.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let members = self.model.members();
        let intervals: Vec<Intervals> = members.iter().map(|member| member.intervals.clone()).collect();
        let networks: Vec<PyNetwork> = members
            .iter()
            .map(|member| PyNetwork { network: member.network.clone(), search: None })
            .collect();
        (self.model.arities().to_vec(), intervals, networks).into_pyobject(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        Ok((py.get_type::<Self>().getattr("from_parts")?, self.parts(py)?))
    }

    /// (members, attribute parents) of each node of the first network.
    #[getter]
    fn nodes(&self) -> Vec<(Vec<usize>, Vec<usize>)> {
        let nodes = self.model.members()[0].network.tables().iter().map(|table| table.node());
        nodes.map(|node| (node.members.clone(), node.parents.clone())).collect()
    }

    /// It was not searched for by accuracy.
    #[getter]
    fn search(&self) -> Option<()> {
        None
    }

    /// Those of the members are theirs.
    #[getter]
    fn concentrations(&self) -> Option<()> {
        None
    }

    /// ln P(c), the same in all networks.
    #[getter]
    fn log_prior<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.model.members()[0].network.log_prior().unwrap_or(&[0.0]))
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
        self.by_class(py, data, self.mean(py, data, n_jobs, approximate)?)
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
        let mut values = self.mean(py, data, n_jobs, approximate)?;
        values.iter_mut().for_each(|value| *value = value.ln());
        self.by_class(py, data, values)
    }
}

impl PyKdbEnsemble {
    fn mean(
        &self,
        py: Python<'_>,
        data: &PyDataset,
        n_jobs: Option<Jobs>,
        approximate: bool,
    ) -> PyResult<Vec<f64>> {
        let work = |control: &Control| -> Result<_> {
            self.model.posterior(&data.data, summing(approximate), control)
        };
        if self.model.is_quick(&data.data) {
            work(&Control::new()).map_err(|error| to_python(py, &error))
        } else {
            run(py, n_jobs, None, work)
        }
    }

    fn by_class<'py>(
        &self,
        py: Python<'py>,
        data: &PyDataset,
        values: Vec<f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        PyArray1::from_vec(py, values).reshape([data.data.rows(), self.model.n_classes()])
    }
}

/// Fits the members. `ladders` has, for each column of numbers, how many ordered values it has and behind which of them the
/// first member cuts.
#[pyfunction]
#[pyo3(signature = (data, ladders, settings, n_jobs=None))]
pub fn fit_kdb_ensemble(
    py: Python<'_>,
    data: &PyDataset,
    ladders: Vec<Option<(usize, Vec<usize>)>>,
    settings: &Bound<'_, PyDict>,
    n_jobs: Option<Jobs>,
) -> PyResult<PyKdbEnsemble> {
    let settings = EnsembleSettings::from_options(&options_from_python(settings)?)
        .map_err(|error| to_python(py, &error))?;
    let ladder = |ladder: Option<(usize, Vec<usize>)>| ladder.map(|(bins, cuts)| Ladder { bins, cuts });
    let ladders: Vec<Option<Ladder>> = ladders.into_iter().map(ladder).collect();
    let work = |control: &Control| KdbEnsemble::fit(&data.data, &ladders, settings, control);
    Ok(PyKdbEnsemble { model: run(py, n_jobs, None, work)? })
}
