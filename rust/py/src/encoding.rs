//! New values to the codes that were learned, for Python: columns of their own, or those of a matrix.

use numpy::{PyArrayDescrMethods, PyReadonlyArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use tanager_core::data::{self, Cuts, Encoded, KeyCodes, Rule, Source, Target};

use crate::error::data_error;
use crate::reading::{HELD, PyColumns, worth};
use crate::runtime::Jobs;
use crate::source::{Handed, Held, hold, with_columns_of};

/// The codes of numbers that are levels, by the numbers' type.
#[pyclass(frozen, name = "NumberCodes", module = "tanager._core")]
pub struct PyNumberCodes {
    codes: KeyCodes,
}

#[pymethods]
impl PyNumberCodes {
    /// From numbers, int64, uint64 or float64 as those that will be asked for, and their codes; the first of equal ones counts.
    #[new]
    fn new(numbers: Handed<'_>, codes: PyReadonlyArray1<'_, u32>, py: Python<'_>) -> PyResult<Self> {
        let held = hold(py, vec![numbers])?;
        let mut keys = Vec::new();
        for held in &held {
            let source = held.source();
            keys = vec![0; source.rows()];
            source.read(0, &mut keys);
        }
        Ok(Self { codes: KeyCodes::new(keys.into_iter().zip(codes.as_array().iter().copied())) })
    }
}

/// How a column is encoded: by the codes of numbers, by those of places, or by cut points.
pub enum RuleOf<'py> {
    Numbers(PyRef<'py, PyNumberCodes>),
    Places(PyReadonlyArray1<'py, u32>),
    Cuts(PyReadonlyArray1<'py, f64>),
}

impl<'py> FromPyObject<'_, 'py> for RuleOf<'py> {
    type Error = PyErr;

    /// By the type of the array: an attempt that fails makes a message, which takes longer than a row.
    fn extract(rule: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(array) = rule.cast::<PyUntypedArray>() {
            return match array.dtype().kind() {
                b'u' => Ok(Self::Places(rule.extract()?)),
                _ => Ok(Self::Cuts(rule.extract()?)),
            };
        }
        Ok(Self::Numbers(rule.extract()?))
    }
}

impl RuleOf<'_> {
    /// The rule for the core.
    fn rule(&self) -> PyResult<Rule<'_>> {
        Ok(match self {
            Self::Numbers(numbers) => Rule::Keys(&numbers.codes),
            Self::Places(table) => Rule::Places(table.as_slice()?),
            Self::Cuts(cuts) => Rule::Cuts(Cuts::new(cuts.as_slice()?)),
        })
    }
}

/// (the columns, the first rows of each with an unknown value, and with an infinite one)
type EncodedParts = (PyColumns, Vec<Option<usize>>, Vec<Option<usize>>);

fn parts(encoded: Vec<Encoded>) -> EncodedParts {
    let unknown = encoded.iter().map(|column| column.unknown).collect();
    let infinite = encoded.iter().map(|column| column.infinite).collect();
    (PyColumns::new(encoded.into_iter().map(|column| column.column).collect()), unknown, infinite)
}

/// Encodes columns by what was learned.
#[pyfunction]
#[pyo3(signature = (columns, rules, names, arities, missing, n_jobs=None))]
pub fn encode_columns(
    py: Python<'_>,
    columns: Vec<Handed<'_>>,
    rules: Vec<RuleOf<'_>>,
    names: Vec<String>,
    arities: Vec<usize>,
    missing: Vec<u32>,
    n_jobs: Option<Jobs>,
) -> PyResult<EncodedParts> {
    let n = columns.len();
    if [rules.len(), names.len(), arities.len(), missing.len()] != [n; 4] {
        return Err(data_error(py, "rules, names, arities and missing: one for each column"));
    }
    let mut targets = Vec::with_capacity(n);
    for i in 0..n {
        targets.push(Target {
            name: &names[i],
            rule: rules[i].rule()?,
            arity: arities[i],
            missing: missing[i],
        });
    }
    let (mut columns, mut encoded) = (columns.into_iter(), Vec::with_capacity(n));
    for targets in targets.chunks(HELD) {
        let held = hold(py, columns.by_ref().take(HELD).collect())?;
        let sources: Vec<Box<dyn Source + '_>> = held.iter().map(Held::source).collect();
        encoded.extend(encode(py, &sources, targets, n_jobs)?);
    }
    Ok(parts(encoded))
}

fn encode(
    py: Python<'_>,
    sources: &[Box<dyn Source + '_>],
    targets: &[Target<'_>],
    n_jobs: Option<Jobs>,
) -> PyResult<Vec<Encoded>> {
    let sources: Vec<&dyn Source> = sources.iter().map(AsRef::as_ref).collect();
    let values = sources.iter().map(|source| source.rows()).sum();
    worth(py, n_jobs, values, || data::encode(&sources, targets))
}

/// A rule that is kept from call to call.
enum KeptRule {
    Numbers(Py<PyNumberCodes>),
    Places(Vec<u32>),
    Cuts(Vec<f64>),
}

/// How the columns of matrices of one type become codes. It is made once: of a single row of many columns it would take
/// longer to hand over the columns than to encode them.
#[pyclass(frozen, name = "MatrixRules", module = "tanager._core")]
pub struct PyMatrixRules {
    rules: Vec<KeptRule>,
    names: Vec<String>,
    arities: Vec<usize>,
    missing: Vec<u32>,
}

#[pymethods]
impl PyMatrixRules {
    #[new]
    fn new(
        py: Python<'_>,
        rules: Vec<RuleOf<'_>>,
        names: Vec<String>,
        arities: Vec<usize>,
        missing: Vec<u32>,
    ) -> PyResult<Self> {
        if [names.len(), arities.len(), missing.len()] != [rules.len(); 3] {
            return Err(data_error(py, "rules, names, arities and missing: one for each column"));
        }
        let kept = rules.into_iter().map(|rule| match rule {
            RuleOf::Numbers(numbers) => Ok(KeptRule::Numbers(numbers.into())),
            RuleOf::Places(table) => Ok(KeptRule::Places(table.as_slice()?.to_vec())),
            RuleOf::Cuts(cuts) => Ok(KeptRule::Cuts(cuts.as_slice()?.to_vec())),
        });
        Ok(Self { rules: kept.collect::<PyResult<_>>()?, names, arities, missing })
    }

    /// What [`encode_columns`] gives for the columns of a matrix of numbers, aligned and in the order of bytes of this machine.
    #[pyo3(signature = (matrix, n_jobs=None))]
    fn encode(
        &self,
        py: Python<'_>,
        matrix: &Bound<'_, PyUntypedArray>,
        n_jobs: Option<Jobs>,
    ) -> PyResult<EncodedParts> {
        let n = self.rules.len();
        if matrix.ndim() != 2 || matrix.shape()[1] != n {
            return Err(data_error(py, format!("a matrix of {n} columns is expected")));
        }
        let target = |i: usize| {
            let rule = match &self.rules[i] {
                KeptRule::Numbers(numbers) => Rule::Keys(&numbers.get().codes),
                KeptRule::Places(table) => Rule::Places(table),
                KeptRule::Cuts(cuts) => Rule::Cuts(Cuts::new(cuts)),
            };
            Target { name: &self.names[i], rule, arity: self.arities[i], missing: self.missing[i] }
        };
        let targets: Vec<Target<'_>> = (0..n).map(target).collect();
        with_columns_of(matrix, |sources| Ok(parts(encode(py, sources, &targets, n_jobs)?)))
    }
}
