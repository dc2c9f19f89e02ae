//! How much more often two values occur together than by chance.

use std::sync::OnceLock;

use crate::counts::{Cell, PairTable, PairVisitor};
use crate::error::Result;
use crate::graph::pair;

/// R of each pair, made from its table of counts while that is in the cache.
pub(super) struct RatioTables {
    per_class: f64,
    tables: Vec<OnceLock<Vec<f64>>>,
}

impl RatioTables {
    /// Of all pairs of `n` columns; `per_class` pseudo-counts in each table of a class.
    pub(super) fn new(n: usize, per_class: f64) -> Self {
        let pairs = n * n.saturating_sub(1) / 2;
        Self { per_class, tables: (0..pairs).map(|_| OnceLock::new()).collect() }
    }

    /// The tables, once every pair has been seen.
    pub(super) fn finish(self) -> Vec<Vec<f64>> {
        self.tables.into_iter().map(|table| table.into_inner().unwrap_or_default()).collect()
    }

    fn visit<T: Cell>(&self, table: PairTable<'_, T>) -> Result<()> {
        let (s, r_u, r_v) = table.shape;
        let (of_pair, of_u, of_v) =
            (self.per_class / (r_u * r_v) as f64, self.per_class / r_u as f64, self.per_class / r_v as f64);
        let mut ratios = vec![0.0; table.cells.len()];
        let (mut few, mut many) = ([0.0; 64], Vec::new());
        let margins = if r_u + r_v <= few.len() {
            &mut few[..r_u + r_v]
        } else {
            many.resize(r_u + r_v, 0.0);
            &mut many
        };
        let (margin_u, margin_v) = margins.split_at_mut(r_u);
        for (c, cells) in table.cells.chunks_exact(r_u * r_v).enumerate() {
            margin_u.fill(of_u);
            margin_v.fill(of_v);
            for (u, row) in cells.chunks_exact(r_v).enumerate() {
                for (margin, cell) in margin_v.iter_mut().zip(row) {
                    *margin += cell.as_f64();
                    margin_u[u] += cell.as_f64();
                }
            }
            let total: f64 = margin_u.iter().sum();
            for margin in margin_v.iter_mut() {
                *margin = total / *margin;
            }
            for (u, row) in cells.chunks_exact(r_v).enumerate() {
                let scale = 1.0 / margin_u[u];
                for (v, cell) in row.iter().enumerate() {
                    ratios[(u * r_v + v) * s + c] = (cell.as_f64() + of_pair) * scale * margin_v[v];
                }
            }
        }
        let place = pair(table.j, table.i);
        self.tables[place].get_or_init(|| ratios);
        Ok(())
    }
}

impl PairVisitor for RatioTables {
    fn integer(&self, table: PairTable<'_, u32>) -> Result<()> {
        self.visit(table)
    }

    fn weighted(&self, table: PairTable<'_, f64>) -> Result<()> {
        self.visit(table)
    }
}
