//! How much more often two values occur together than by chance.

use std::sync::OnceLock;

use crate::counts::{Cell, PairTable, PairVisitor};
use crate::error::Result;
use crate::graph::pair;
use crate::model::averaged_tan::gain::log_weight;

/// R of each pair, and ln W where rows have weights, made from its table of counts while that is in the cache.
pub(super) struct RatioTables {
    per_class: f64,
    /// N where values are missing: then ln W is that of counts scaled to it.
    scaled_to: Option<f64>,
    tables: Vec<OnceLock<Vec<f64>>>,
    log_weights: Vec<OnceLock<f64>>,
}

impl RatioTables {
    /// Of all pairs of `n` columns; `per_class` pseudo-counts in each table of a class.
    pub(super) fn new(n: usize, per_class: f64, scaled_to: Option<f64>) -> Self {
        let pairs = n * n.saturating_sub(1) / 2;
        let tables = (0..pairs).map(|_| OnceLock::new()).collect();
        let log_weights = (0..pairs).map(|_| OnceLock::new()).collect();
        Self { per_class, scaled_to, tables, log_weights }
    }

    /// The tables and ln W, once every pair has been seen.
    pub(super) fn finish(self) -> (Vec<Vec<f64>>, Vec<Option<f64>>) {
        let tables = self.tables.into_iter().map(|table| table.into_inner().unwrap_or_default());
        (tables.collect(), self.log_weights.into_iter().map(OnceLock::into_inner).collect())
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
        let ((_, r_u, r_v), place) = (table.shape, pair(table.j, table.i));
        let sum: f64 = table.cells.iter().sum();
        let log_weight = match self.scaled_to {
            Some(total) if sum > 0.0 => {
                let scaled: Vec<f64> = table.cells.iter().map(|cell| cell * (total / sum)).collect();
                log_weight(&scaled, (r_u, r_v), self.per_class)
            }
            _ => log_weight(table.cells, (r_u, r_v), self.per_class),
        };
        self.log_weights[place].get_or_init(|| log_weight);
        self.visit(table)
    }
}
