//! Predictions of classifiers, for Python.

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use tanager_core::model::{Asked, Classifier, Summing, Wanted};

use crate::dataset::PyDataset;
use crate::runtime::{Jobs, run_if_long};

/// What Python asks of every classifier, beside what is its own: a field predicts, by methods that say what is wanted.
macro_rules! classifier_class {
    ($class:ident, $field:ident, [$($method:ident: $wanted:ident),*], { $($own:tt)* }) => {
        #[pyo3::pymethods]
        impl $class {
            $($own)*

            fn __reduce__<'py>(
                &self,
                py: pyo3::Python<'py>,
            ) -> pyo3::PyResult<(pyo3::Bound<'py, pyo3::PyAny>, pyo3::Bound<'py, pyo3::types::PyTuple>)> {
                Ok((py.get_type::<Self>().getattr("from_parts")?, self.parts(py)?))
            }

            /// ln P(c); that of one class of probability 1 where there is none.
            #[getter]
            fn log_prior<'py>(&self, py: pyo3::Python<'py>) -> pyo3::Bound<'py, numpy::PyArray1<f64>> {
                numpy::PyArray1::from_slice(py, tanager_core::model::Classifier::class_prior(&self.$field))
            }

            $(
                /// What its name says, of each row and class.
                #[pyo3(signature = (data, n_jobs=None, approximate=false))]
                fn $method<'py>(
                    &self,
                    py: pyo3::Python<'py>,
                    data: &crate::dataset::PyDataset,
                    n_jobs: Option<crate::runtime::Jobs>,
                    approximate: bool,
                ) -> pyo3::PyResult<pyo3::Bound<'py, numpy::PyArray2<f64>>> {
                    let wanted = tanager_core::model::Wanted::$wanted;
                    crate::classifier::predict(py, &self.$field, data, wanted, n_jobs, approximate)
                }
            )*
        }
    };
}
pub(crate) use classifier_class;

/// How missing values are summed out.
pub fn summing(approximate: bool) -> Summing {
    if approximate { Summing::Approximate } else { Summing::Exact }
}

/// One number for each row and class; at once where there are few rows.
pub fn predict<'py>(
    py: Python<'py>,
    model: &dyn Classifier,
    data: &PyDataset,
    wanted: Wanted,
    n_jobs: Option<Jobs>,
    approximate: bool,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let data = &data.data;
    let work = |control: &_| model.predict(Asked::all(data, summing(approximate), control), wanted);
    let values = run_if_long(py, !model.is_quick(data), n_jobs, work)?;
    by_class(py, values, model.class_prior().len())
}

/// A matrix of one number for each row and class.
pub fn by_class(py: Python<'_>, values: Vec<f64>, classes: usize) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let rows = values.len() / classes;
    PyArray1::from_vec(py, values).reshape([rows, classes])
}
