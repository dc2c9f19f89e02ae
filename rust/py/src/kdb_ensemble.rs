//! Ensembles of KDBs for Python.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tanager_core::Control;
use tanager_core::model::kdb_ensemble::{EnsembleSettings, KdbEnsemble, Ladder, Member};

use crate::classifier::classifier_class;
use crate::dataset::PyDataset;
use crate::error::Raised;
use crate::network::{NodeParts, PyNetwork, nodes};
use crate::runtime::{Jobs, run};
use crate::score::Settings;

/// The mean of several networks; immutable.
#[pyclass(frozen, name = "KdbEnsemble", module = "tanager._core")]
pub struct PyKdbEnsemble {
    model: KdbEnsemble,
}

/// For each column the member's value of each value, where they differ.
type Intervals = Vec<Option<Vec<u32>>>;

classifier_class!(PyKdbEnsemble, model, [log_posterior: LogPosterior, posterior: Posterior], {
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
        Ok(Self { model: KdbEnsemble::from_parts(arities, members).raised(py)? })
    }

    /// (arities, intervals of each member, networks): everything there is to know, for files and pickles.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let members = self.model.members();
        let intervals: Vec<Intervals> = members.iter().map(|member| member.intervals.clone()).collect();
        let networks: Vec<PyNetwork> = members.iter().map(|member| (&member.network).into()).collect();
        (self.model.arities().to_vec(), intervals, networks).into_pyobject(py)
    }

    /// (members, attribute parents) of each node of the first network.
    #[getter]
    fn nodes(&self) -> Vec<NodeParts> {
        nodes(&self.model.members()[0].network)
    }
});

/// Fits the members. `ladders` has, for each column of numbers, how many ordered values it has and behind which of them the
/// first member cuts.
#[pyfunction]
#[pyo3(signature = (data, ladders, settings, n_jobs=None))]
pub fn fit_kdb_ensemble(
    py: Python<'_>,
    data: &PyDataset,
    ladders: Vec<Option<(usize, Vec<usize>)>>,
    settings: Settings,
    n_jobs: Option<Jobs>,
) -> PyResult<PyKdbEnsemble> {
    let settings = EnsembleSettings::from_options(&settings.0).raised(py)?;
    let ladder = |ladder: Option<(usize, Vec<usize>)>| ladder.map(|(bins, cuts)| Ladder { bins, cuts });
    let ladders: Vec<Option<Ladder>> = ladders.into_iter().map(ladder).collect();
    let work = |control: &Control| KdbEnsemble::fit(&data.data, &ladders, settings, control);
    Ok(PyKdbEnsemble { model: run(py, n_jobs, None, work)? })
}
