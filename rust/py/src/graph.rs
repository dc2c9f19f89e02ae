//! Trees, branchings and orders by function.

use numpy::{PyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use tanager_core::graph::{self, Tree};

use crate::dataset::tree_array;
use crate::error::{Raised, data_error, exception};

fn square(py: Python<'_>, weights: &PyReadonlyArray2<'_, f64>) -> PyResult<(Vec<f64>, usize)> {
    let weights = weights.as_array();
    let (rows, columns) = weights.dim();
    if rows != columns {
        return Err(data_error(py, format!("the weight matrix is {rows} × {columns}: it has to be square")));
    }
    Ok((weights.iter().copied().collect(), rows))
}

fn node(py: Python<'_>, node: i64, n: usize) -> PyResult<usize> {
    usize::try_from(node).ok().filter(|&node| node < n).ok_or_else(|| {
        exception(py, "ColumnError", format!("there is no node {node}: there are {n}, counted from 0"))
    })
}

fn tree(py: Python<'_>, parents: &[i64]) -> PyResult<Tree> {
    parents
        .iter()
        .map(|&parent| if parent == -1 { Ok(None) } else { node(py, parent, parents.len()).map(Some) })
        .collect()
}

/// The parent of each node, −1 at the root.
#[pyfunction]
#[pyo3(signature = (weights, root=0))]
pub fn maximum_spanning_tree<'py>(
    py: Python<'py>,
    weights: PyReadonlyArray2<'py, f64>,
    root: i64,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let (weights, n) = square(py, &weights)?;
    let root = node(py, root, n)?;
    let tree = py.detach(|| graph::maximum_spanning_tree(&weights, n, root));
    Ok(tree_array(py, &tree.raised(py)?))
}

/// The parent of each node in the best branching over all roots, or from one.
#[pyfunction]
#[pyo3(signature = (weights, root=None))]
pub fn maximum_branching<'py>(
    py: Python<'py>,
    weights: PyReadonlyArray2<'py, f64>,
    root: Option<i64>,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let (weights, n) = square(py, &weights)?;
    let root = root.map(|root| node(py, root, n)).transpose()?;
    let tree = py.detach(|| match root {
        None => graph::maximum_branching(&weights, n),
        Some(root) => graph::maximum_branching_from(&weights, n, root),
    });
    Ok(tree_array(py, &tree.raised(py)?))
}

/// Nodes by depth, then by position.
#[pyfunction]
pub fn bfs_order(py: Python<'_>, tree: Vec<i64>) -> PyResult<Bound<'_, PyArray1<i64>>> {
    let order = graph::order_by_depth(&self::tree(py, &tree)?).raised(py)?;
    Ok(PyArray1::from_iter(py, order.into_iter().map(|node| node as i64)))
}

/// The proper ancestors of a node, the root first.
#[pyfunction]
pub fn ancestors(py: Python<'_>, tree: Vec<i64>, node: i64) -> PyResult<Bound<'_, PyArray1<i64>>> {
    let tree = self::tree(py, &tree)?;
    let node = self::node(py, node, tree.len())?;
    let ancestors = graph::ancestors(&tree, node).raised(py)?;
    Ok(PyArray1::from_iter(py, ancestors.into_iter().map(|node| node as i64)))
}
