//! Variable elimination over the missing attributes of a row.

use std::collections::{BTreeMap, BTreeSet};

use crate::control::Control;
use crate::data::mixed_radix::{advance, strides};
use crate::error::Result;
use crate::math::log_sum_exp;
use crate::memory::with_room;
use crate::model::elimination_order::{Graph, eliminations};
use crate::model::node_table::NodeTable;

/// Cells of a step between two looks at whether to stop: well below a millisecond.
const PATIENCE: usize = 1 << 12;

/// How rows that miss the same attributes are summed; made once for all of them.
///
/// Components are independent of each other given the observed attributes and the class. Within one, the attributes go in the
/// order of [`eliminations`].
pub(crate) struct Plan<'a> {
    /// Positions of the tables that miss nothing.
    pub(crate) complete: Vec<usize>,
    /// What has to be summed.
    pub(crate) components: Vec<Component<'a>>,
}

/// Missing attributes that depend on each other, with all tables that mention them.
pub(crate) struct Component<'a> {
    /// The observed attributes in its tables.
    pub(crate) observed: Vec<usize>,
    classes: usize,
    /// The cells of its largest step, all classes together; saturates.
    widest: u128,
    tables: Vec<Slice<'a>>,
    steps: Vec<Step>,
}

/// A table of which some variables are observed.
struct Slice<'a> {
    table: &'a NodeTable,
    /// For each observed variable, its place among all observed ones and its stride in the table.
    observed: Vec<(usize, usize)>,
}

/// Sums one attribute out of the product of the factors that mention it.
struct Step {
    arity: usize,
    /// The arities of the other attributes of the product, slowest first.
    shape: Vec<usize>,
    inputs: Vec<Input>,
}

/// A factor of the product: which one (tables first, then the results of earlier steps) and its strides.
struct Input {
    factor: usize,
    stride: usize,
    shape_strides: Vec<usize>,
}

/// What a step multiplies: a node's table from a cell on, or the result of a step.
#[derive(Clone, Copy)]
enum Factor<'a> {
    Table(&'a NodeTable, usize),
    Sums(&'a [f64]),
}

impl Factor<'_> {
    #[inline(always)]
    fn at(&self, cell: usize, class: usize, classes: usize) -> f64 {
        match self {
            Self::Table(table, start) => table.row(start + cell)[class],
            Self::Sums(sums) => sums[cell * classes + class],
        }
    }
}

/// The variables of a factor and their strides.
type Scope = Vec<(usize, usize)>;

impl<'a> Plan<'a> {
    /// Plans for one set of missing attributes.
    pub(crate) fn new(tables: &'a [NodeTable], classes: usize, missing: &[usize]) -> Self {
        let gone = |column: usize| missing.binary_search(&column).is_ok();
        let (touched, complete): (Vec<usize>, Vec<usize>) =
            (0..tables.len()).partition(|&t| tables[t].axes().iter().any(|&(column, _)| gone(column)));
        let mut components = Vec::new();
        let mut rest = without_barren(tables, touched, gone);
        while let Some(first) = rest.pop() {
            let mut members = vec![first];
            let mut reached = 0;
            while reached < members.len() {
                let at = members[reached];
                reached += 1;
                let linked = |&other: &usize| {
                    let mut shared = tables[other].axes().iter().filter(|axis| gone(axis.0));
                    shared.any(|axis| tables[at].axes().contains(axis))
                };
                members.extend(rest.extract_if(.., |other| linked(other)));
            }
            members.sort_unstable();
            components.push(Component::new(members.iter().map(|&t| &tables[t]).collect(), classes, gone));
        }
        Self { complete, components }
    }

    /// The cells of the largest table that a row needs, all classes together; saturates.
    pub(crate) fn widest(&self) -> u128 {
        self.components.iter().map(|component| component.widest).max().unwrap_or(0)
    }
}

/// Leaves out, again and again, the tables of missing nodes that no other table depends on: they sum to 1.
fn without_barren(tables: &[NodeTable], mut touched: Vec<usize>, gone: impl Fn(usize) -> bool) -> Vec<usize> {
    loop {
        let parents: BTreeSet<usize> =
            touched.iter().flat_map(|&t| tables[t].node().parents.iter().copied()).collect();
        let before = touched.len();
        touched.retain(|&t| {
            !tables[t].node().members.iter().all(|&member| gone(member) && !parents.contains(&member))
        });
        if touched.len() == before {
            return touched;
        }
    }
}

impl<'a> Component<'a> {
    fn new(tables: Vec<&'a NodeTable>, classes: usize, gone: impl Fn(usize) -> bool) -> Self {
        let axes = || tables.iter().flat_map(|table| table.axes().iter().copied());
        let observed: BTreeSet<usize> = axes().map(|axis| axis.0).filter(|&column| !gone(column)).collect();
        let observed: Vec<usize> = observed.into_iter().collect();
        let arity_of: BTreeMap<usize, usize> = axes().filter(|&(column, _)| gone(column)).collect();
        let mut slices = Vec::new();
        let mut scopes: Vec<Option<Scope>> = Vec::new();
        for table in tables {
            let (hidden, known): (Scope, Scope) =
                scope(table.axes()).into_iter().partition(|&(column, _)| gone(column));
            let place = |(column, stride)| (observed.partition_point(|&other| other < column), stride);
            slices.push(Slice { table, observed: known.into_iter().map(place).collect() });
            scopes.push(Some(hidden));
        }
        let order = {
            let columns: Vec<usize> = arity_of.keys().copied().collect();
            let place = |column: usize| columns.partition_point(|&other| other < column);
            let mut graph = Graph::new(arity_of.values().copied().collect());
            for scope in scopes.iter().flatten() {
                graph.connect(&scope.iter().map(|v| place(v.0)).collect::<Vec<_>>());
            }
            eliminations(&graph).into_iter().map(|variable| columns[variable]).collect::<Vec<usize>>()
        };
        let mut steps = Vec::new();
        let mut widest = 0;
        for variable in order {
            let arity = arity_of[&variable];
            let mentioning = scopes.iter().flatten().filter(|scope| scope.iter().any(|v| v.0 == variable));
            let others: BTreeSet<usize> =
                mentioning.flatten().map(|v| v.0).filter(|&other| other != variable).collect();
            let axes: Vec<(usize, usize)> = others.into_iter().map(|v| (v, arity_of[&v])).collect();
            let shape: Vec<usize> = axes.iter().map(|axis| axis.1).collect();
            let sizes = shape.iter().chain([&arity, &classes]);
            widest = widest.max(sizes.fold(1u128, |cells, &size| cells.saturating_mul(size as u128)));
            let mut inputs = Vec::new();
            for (factor, slot) in scopes.iter_mut().enumerate() {
                let Some(scope) = slot.take_if(|scope| scope.iter().any(|v| v.0 == variable)) else {
                    continue;
                };
                let stride_of = |column| scope.iter().find(|v| v.0 == column).map_or(0, |v| v.1);
                let shape_strides = axes.iter().map(|axis| stride_of(axis.0)).collect();
                inputs.push(Input { factor, stride: stride_of(variable), shape_strides });
            }
            scopes.push(Some(scope(&axes)));
            steps.push(Step { arity, shape, inputs });
        }
        Self { observed, classes, widest, tables: slices, steps }
    }

    /// ln of the sum, for each class, given the values of [`Component::observed`].
    pub(crate) fn sum(&self, values: &[usize], control: &Control) -> Result<Vec<f64>> {
        let s = self.classes;
        let offset =
            |slice: &Slice<'_>| slice.observed.iter().map(|&(i, stride)| values[i] * stride).sum::<usize>();
        let offsets: Vec<usize> = self.tables.iter().map(offset).collect();
        let mut results: Vec<Vec<f64>> = Vec::with_capacity(self.steps.len());
        let mut used = vec![false; self.steps.len()];
        for step in &self.steps {
            let result = {
                let factor = |input: &Input| match self.tables.get(input.factor) {
                    Some(slice) => Factor::Table(slice.table, offsets[input.factor]),
                    None => Factor::Sums(&results[input.factor - self.tables.len()]),
                };
                let factors: Vec<(&Input, Factor<'_>)> = step.inputs.iter().map(|i| (i, factor(i))).collect();
                step.run(&factors, s, control)?
            };
            for input in &step.inputs {
                if let Some(step) = input.factor.checked_sub(self.tables.len()) {
                    used[step] = true;
                }
            }
            results.push(result);
        }
        let mut sum = vec![0.0; s];
        for (result, _) in results.iter().zip(used).filter(|(_, used)| !used) {
            for (sum, value) in sum.iter_mut().zip(result) {
                *sum += value;
            }
        }
        Ok(sum)
    }
}

impl Step {
    fn run(&self, factors: &[(&Input, Factor<'_>)], s: usize, control: &Control) -> Result<Vec<f64>> {
        let cells: usize = self.shape.iter().product();
        let mut result = with_room(|| "a sum over missing values".into(), cells * s)?;
        let mut digits = vec![0; self.shape.len()];
        let mut terms = vec![0.0; self.arity];
        for cell in 0..cells {
            if cell.is_multiple_of(PATIENCE) {
                control.check()?;
            }
            let base =
                |input: &Input| digits.iter().zip(&input.shape_strides).map(|(d, stride)| d * stride).sum();
            let bases: Vec<usize> = factors.iter().map(|(input, _)| base(input)).collect();
            for class in 0..s {
                for (value, term) in terms.iter_mut().enumerate() {
                    let parts = factors.iter().zip(&bases);
                    *term =
                        parts.map(|((i, factor), base)| factor.at(base + value * i.stride, class, s)).sum();
                }
                result.push(log_sum_exp(&terms));
            }
            advance(&mut digits, self.shape.iter().copied());
        }
        Ok(result)
    }
}

/// The stride of each variable of a table. Larger than memory only where the sum is refused.
fn scope(axes: &[(usize, usize)]) -> Scope {
    axes.iter().map(|axis| axis.0).zip(strides(axes.iter().map(|axis| axis.1))).collect()
}
