//! The boundary between Python and `tanager-core`: convert, detach, call, convert back.

mod discretise;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    use crate::discretise::mdl_cut_points;
}
