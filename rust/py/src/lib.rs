//! The boundary between Python and `tanager-core`: convert, detach, call, convert back.

mod acll;
mod aode;
mod averaged_tan;
mod callback;
mod classifier;
mod composed;
mod counts;
mod dataset;
mod discretise;
mod encoding;
mod error;
mod evidence;
mod factorize;
mod graph;
mod groups;
mod interpreter;
mod kdb_ensemble;
mod mixture;
mod network;
mod pools;
mod reading;
mod refine;
mod registry;
mod runtime;
mod score;
mod search;
mod source;
mod statistics;
mod stop;
mod weighted_nb;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::interpreter::watch(module)
    }

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    use crate::acll::{acll_constants, acll_constants_monte_carlo};
    #[pymodule_export]
    use crate::aode::{PyAode, fit_aode};
    #[pymodule_export]
    use crate::averaged_tan::{PyAveragedTan, fit_averaged_tan};
    #[pymodule_export]
    use crate::counts::{edge_weights, family_counts, family_score, network_score};
    #[pymodule_export]
    use crate::dataset::PyDataset;
    #[pymodule_export]
    use crate::discretise::mdl_cut_points;
    #[pymodule_export]
    use crate::encoding::{PyMatrixRules, PyNumberCodes, encode_columns};
    #[pymodule_export]
    use crate::factorize::{factorize_arrow, factorize_bytes, factorize_strings, factorize_views};
    #[pymodule_export]
    use crate::graph::{ancestors, bfs_order, maximum_branching, maximum_spanning_tree};
    #[pymodule_export]
    use crate::groups::chi2_forest;
    #[pymodule_export]
    use crate::kdb_ensemble::{PyKdbEnsemble, fit_kdb_ensemble};
    #[pymodule_export]
    use crate::mixture::{PyMixture, fit_mixture};
    #[pymodule_export]
    use crate::network::{PyNetwork, cross_validate, fit};
    #[pymodule_export]
    use crate::reading::{PyColumns, PyReading};
    #[pymodule_export]
    use crate::refine::{PyRefined, fit_refined};
    #[pymodule_export]
    use crate::registry::{memory_limit, registry, set_memory_limit};
    #[pymodule_export]
    use crate::search::best_parents;
    #[pymodule_export]
    use crate::statistics::{PySketch, PyStatistics, count_families, update_sketches};
    #[pymodule_export]
    use crate::stop::PyStop;
    #[pymodule_export]
    use crate::weighted_nb::{PyWeightedNaiveBayes, fit_weighted_nb};
}
