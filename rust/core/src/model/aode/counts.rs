//! The counts that averaged dependence estimators are made of.

use std::sync::OnceLock;

use rayon::prelude::*;

use crate::control::Control;
use crate::counts::{Cell, CountSource, Family, PairTable, PairVisitor};
use crate::data::Variable;
use crate::error::{Result, check_length};
use crate::graph::pair;

/// Tables of the class, of all attributes, of all pairs and, for pairs of super-parents, of all triples. In each, the class is
/// slowest and the attributes follow in the order of their columns, the last fastest.
#[derive(Debug, Clone, PartialEq)]
pub struct JointCounts {
    /// The attributes' domain sizes.
    pub arities: Vec<usize>,
    /// N_c.
    pub class: Vec<f64>,
    /// Of each attribute.
    pub singles: Vec<Vec<f64>>,
    /// Of `i < j` at [`pair`]`(j, i)`.
    pub pairs: Vec<Vec<f64>>,
    /// Of `i < j < k` at `C(k, 3) + pair(j, i)`; empty where super-parents are single.
    pub triples: Vec<Vec<f64>>,
}

/// Where the table of `i < j < k` is.
fn triple(i: usize, j: usize, k: usize) -> usize {
    k * k.saturating_sub(1) * k.saturating_sub(2) / 6 + pair(j, i)
}

impl JointCounts {
    /// Counts; triples too where `order` is 2.
    pub(super) fn count(source: &dyn CountSource, order: usize, control: &Control) -> Result<Self> {
        let n = source.n();
        let class = source.family(Variable::Class, &[], false)?.cells.to_f64();
        let visited = PairTables((0..n * n.saturating_sub(1) / 2).map(|_| OnceLock::new()).collect());
        if n > 1 {
            source.visit_pairs(&visited, control)?;
        }
        let pairs = visited.0.into_iter().map(|table| table.into_inner().unwrap_or_default()).collect();
        let single = |attribute: usize| -> Result<Vec<f64>> {
            control.check()?;
            Ok(source.family(Variable::Attribute(attribute), &[], true)?.cells.to_f64())
        };
        let singles = (0..n).into_par_iter().map(single).collect::<Result<Vec<_>>>()?;
        let triples = if order == 2 { count_triples(source, control)? } else { Vec::new() };
        Ok(Self { arities: source.arities().to_vec(), class, singles, pairs, triples })
    }

    /// Refuses tables that do not fit together.
    pub(super) fn check(&self, order: usize) -> Result<()> {
        let (n, s) = (self.arities.len(), self.class.len());
        let all = |size: usize| match size {
            1 => n,
            2 => n * n.saturating_sub(1) / 2,
            _ => n * n.saturating_sub(1) * n.saturating_sub(2) / 6,
        };
        check_length("the list of tables of attributes", self.singles.len(), all(1))?;
        check_length("the list of tables of pairs", self.pairs.len(), all(2))?;
        check_length(
            "the list of tables of triples",
            self.triples.len(),
            if order == 2 { all(3) } else { 0 },
        )?;
        for k in 0..n {
            let of_k = s * self.arities[k];
            check_length("the table of an attribute", self.singles[k].len(), of_k)?;
            for j in 0..k {
                let of_j = of_k * self.arities[j];
                check_length("the table of a pair", self.pairs[pair(k, j)].len(), of_j)?;
                for i in (0..j).take(if order == 2 { j } else { 0 }) {
                    let found = self.triples[triple(i, j, k)].len();
                    check_length("the table of a triple", found, of_j * self.arities[i])?;
                }
            }
        }
        Ok(())
    }

    /// The table of at most three attributes, lowest first.
    pub(super) fn table(&self, attributes: &[usize]) -> &[f64] {
        match *attributes {
            [] => &self.class,
            [i] => &self.singles[i],
            [i, j] => &self.pairs[pair(j, i)],
            [i, j, k, ..] => &self.triples[triple(i, j, k)],
        }
    }
}

/// All triples, each once; asked for together, so that rows that are elsewhere are gone through as few times as possible.
fn count_triples(source: &dyn CountSource, control: &Control) -> Result<Vec<Vec<f64>>> {
    let n = source.n();
    let each = (0..n).flat_map(|k| (0..k).flat_map(move |j| (0..j).map(move |i| (i, j, k))));
    let families: Vec<Family> =
        each.map(|(i, j, k)| Family { child: k, parents: vec![i, j], with_class: true }).collect();
    source.prepare(&families)?;
    let count = |family: &Family| {
        control.check()?;
        Ok(source.family(Variable::Attribute(family.child), &family.parents, true)?.cells.to_f64())
    };
    families.par_iter().map(count).collect()
}

/// Keeps each pair's table.
struct PairTables(Vec<OnceLock<Vec<f64>>>);

impl PairTables {
    fn keep<T: Cell>(&self, table: PairTable<'_, T>) -> Result<()> {
        self.0[pair(table.j, table.i)].get_or_init(|| table.cells.iter().map(|cell| cell.as_f64()).collect());
        Ok(())
    }
}

impl PairVisitor for PairTables {
    fn integer(&self, table: PairTable<'_, u32>) -> Result<()> {
        self.keep(table)
    }

    fn weighted(&self, table: PairTable<'_, f64>) -> Result<()> {
        self.keep(table)
    }
}
