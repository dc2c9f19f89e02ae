//! The table of one family: a child given its parents.

use crate::counts::{Cell, Cells, check_cells};
use crate::data::mixed_radix::{SKIP, append, append_or_skip};
use crate::data::{Column, Dataset, Variable};
use crate::error::{Error, Result};
use crate::memory::filled;
use crate::with_cells;

/// The domain sizes of a family.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FamilyShape {
    /// r: the child's number of values.
    pub child: usize,
    /// s: the number of classes, where the class is a parent.
    pub class: Option<usize>,
    /// The attribute parents' numbers of values, in their order.
    pub parents: Vec<usize>,
}

impl FamilyShape {
    /// The number of configurations of the attribute parents.
    pub fn attribute_configurations(&self) -> usize {
        self.parents.iter().product()
    }

    /// q: the number of configurations of all parents.
    pub fn configurations(&self) -> usize {
        self.class.unwrap_or(1) * self.attribute_configurations()
    }

    /// The numbers of values of all parents, the class among them.
    pub fn parent_arities(&self) -> impl Iterator<Item = usize> + '_ {
        self.class.into_iter().chain(self.parents.iter().copied())
    }
}

/// N_ijk of one family. Cell `((c·q' + j)·r + k)`: class `c` slowest, then the configuration `j` of the
/// attribute parents (the last of them fastest), the child's value `k` fastest.
#[derive(Debug, Clone, PartialEq)]
pub struct FamilyCounts {
    /// The domain sizes.
    pub shape: FamilyShape,
    /// The counts.
    pub cells: Cells,
}

impl FamilyCounts {
    /// The same child given the class alone: the attribute parents summed out.
    pub fn sum_over_parents(&self) -> Self {
        let shape = FamilyShape { parents: Vec::new(), ..self.shape };
        let of_class = self.shape.attribute_configurations() * shape.child;
        let cells = self.cells.sum_segments_within(of_class, shape.child);
        Self { shape, cells }
    }

    /// The same table with cells that sum to `total`; a table of no rows stays as it is.
    pub fn scaled_to(&self, total: f64) -> Self {
        let cells = self.cells.to_f64();
        let sum: f64 = cells.iter().sum();
        let factor = if sum > 0.0 { total / sum } else { 1.0 };
        let cells = Cells::Weighted(cells.into_iter().map(|cell| cell * factor).collect());
        Self { shape: self.shape.clone(), cells }
    }

    /// N_k: the child's own counts, summed over all configurations.
    pub fn child_margin(&self) -> Vec<f64> {
        fn sum<T: Cell>(cells: &[T], margin: &mut [f64]) {
            for row in cells.chunks_exact(margin.len()) {
                for (sum, cell) in margin.iter_mut().zip(row) {
                    *sum += cell.as_f64();
                }
            }
        }
        let mut margin = vec![0.0; self.shape.child];
        with_cells!(&self.cells, cells => sum(cells, &mut margin));
        margin
    }
}

/// The counts of a child given attribute parents and, where `with_class`, the class.
///
/// Rows in which any of them is missing do not count.
///
/// # Complexity
/// O(N · number of parents) time, O(q·r) memory, refused beforehand where it does not fit.
pub fn family_counts(
    data: &Dataset,
    child: Variable,
    parents: &[usize],
    with_class: bool,
) -> Result<FamilyCounts> {
    let mut variables = Vec::with_capacity(parents.len() + 2);
    if with_class {
        variables.push(Variable::Class);
    }
    variables.extend(parents.iter().map(|&parent| Variable::Attribute(parent)));
    variables.push(child);
    let cells = count_table(data, &variables)?;
    let shape = FamilyShape {
        child: data.variable(child)?.arity(),
        class: if with_class { data.n_classes() } else { None },
        parents: parents.iter().map(|&parent| data.column(parent).arity()).collect(),
    };
    Ok(FamilyCounts { shape, cells })
}

/// The joint table of any variables; the last one varies fastest.
pub fn count_table(data: &Dataset, variables: &[Variable]) -> Result<Cells> {
    let columns = distinct_columns(data, variables)?;
    let cells = check_cells(|| describe(data, variables), columns.iter().map(|column| column.arity()))?;
    let name = || format!("the table of {}", describe(data, variables));
    Ok(match data.weights() {
        None => Cells::Integer(tabulate(&columns, data.rows(), filled(name, 0u32, cells)?, |_| 1)),
        Some(weights) => {
            Cells::Weighted(tabulate(&columns, data.rows(), filled(name, 0.0, cells)?, |row| weights[row]))
        }
    })
}

fn distinct_columns<'a>(data: &'a Dataset, variables: &[Variable]) -> Result<Vec<&'a Column>> {
    for (position, variable) in variables.iter().enumerate() {
        if variables[..position].contains(variable) {
            let child = data.label(*variables.last().unwrap_or(variable));
            return Err(Error::RepeatedVariable { child, variable: data.label(*variable) });
        }
    }
    variables.iter().map(|&variable| data.variable(variable)).collect()
}

/// In words, for errors: "column 3 given the class, column 0 and 38 more".
fn describe(data: &Dataset, variables: &[Variable]) -> String {
    match variables.split_last() {
        None => "nothing".into(),
        Some((child, [])) => data.label(*child),
        Some((child, parents)) => {
            let named: Vec<String> = parents.iter().take(3).map(|&parent| data.label(parent)).collect();
            let rest = match parents.len() {
                0..=3 => String::new(),
                n => format!(" and {} more", n - 3),
            };
            format!("{} given {}{rest}", data.label(*child), named.join(", "))
        }
    }
}

/// Mixed-radix indices tile by tile, so that they stay in the first-level cache, then one increment per row.
fn tabulate<T: Cell>(
    columns: &[&Column],
    rows: usize,
    mut table: Vec<T>,
    weight: impl Fn(usize) -> T,
) -> Vec<T> {
    const TILE: usize = 4096;
    let missing = columns.iter().any(|column| column.has_missing());
    let mut indices = [0u32; TILE];
    for start in (0..rows).step_by(TILE) {
        let tile = &mut indices[..TILE.min(rows - start)];
        tile.fill(0);
        for column in columns {
            if missing {
                append_or_skip(tile, column, start);
            } else {
                append(tile, column, start);
            }
        }
        for (offset, &index) in tile.iter().enumerate() {
            if index != SKIP {
                let cell = &mut table[index as usize];
                *cell = cell.plus(weight(start + offset));
            }
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(values: &[i64], arity: usize) -> Column {
        Column::from_integers("x", values.iter().copied(), arity, Some(-1)).unwrap()
    }

    fn data() -> Dataset {
        let columns = vec![column(&[0, 1, 1, 0], 2), column(&[2, 0, -1, 2], 3), column(&[0, 0, 0, 0], 1)];
        Dataset::new(columns, Some(column(&[0, 1, 1, 0], 2))).unwrap()
    }

    #[test]
    fn the_last_variable_varies_fastest_and_missing_values_do_not_count() {
        let cells = count_table(&data(), &[Variable::Attribute(0), Variable::Attribute(1)]).unwrap();
        assert_eq!(cells, Cells::Integer(vec![0, 0, 2, 1, 0, 0]));
        let family = family_counts(&data(), Variable::Attribute(0), &[2], true).unwrap();
        assert_eq!(family.cells, Cells::Integer(vec![2, 0, 0, 2]));
        assert_eq!(family.shape, FamilyShape { child: 2, class: Some(2), parents: vec![1] });
        assert_eq!(family.child_margin(), vec![2.0, 2.0]);
    }

    #[test]
    fn weights_are_summed() {
        let data = data().with_weights(vec![0.5, 1.0, 2.0, 3.0]).unwrap();
        let cells = count_table(&data, &[Variable::Class]).unwrap();
        assert_eq!(cells, Cells::Weighted(vec![3.5, 3.0]));
    }

    #[test]
    fn impossible_families_are_refused() {
        let twice = family_counts(&data(), Variable::Attribute(0), &[0], false).unwrap_err();
        assert_eq!(twice.to_string(), "the family of column 0 names column 0 twice");
        assert!(matches!(
            family_counts(&data(), Variable::Attribute(9), &[], false),
            Err(Error::ColumnOutOfRange { column: 9, columns: 3 })
        ));
        let wide = Dataset::new(vec![column(&[0], 200); 40], None).unwrap();
        let parents: Vec<usize> = (1..40).collect();
        let error = family_counts(&wide, Variable::Attribute(0), &parents, false).unwrap_err();
        assert!(matches!(error, Error::TooManyCells { .. }));
        assert!(
            error.to_string().contains("column 0 given column 1, column 2, column 3 and 36 more"),
            "{error}"
        );
    }
}
