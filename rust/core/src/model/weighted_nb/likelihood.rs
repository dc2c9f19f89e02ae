//! The conditional likelihood of weighted naive Bayes, its slope and its curvature.

use rayon::prelude::*;

use crate::control::Control;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::math::log_sum_exp;
use crate::memory::filled;

/// Rows that one thread takes at a time. Fixed, so that sums do not depend on the number of threads.
const BLOCK: usize = 1024;

/// The mean loss −Σ_t ln P(c_t | x_t) / N as a function of the weights; convex, as ln P is linear in them but for its
/// normaliser.
pub(super) struct ConditionalLikelihood {
    s: usize,
    n: usize,
    log_prior: Vec<f64>,
    /// ln θ(x_i | c) of all attributes, one after the other.
    table: Vec<f64>,
    /// Where the value of each row and attribute is in the table; [`ABSENT`] where it is missing.
    places: Vec<u32>,
    classes: Vec<u32>,
    weights: Option<Vec<f64>>,
    total: f64,
}

const ABSENT: u32 = u32::MAX;

/// The loss at some weights, its slope, and P(c | x) of each row.
pub(super) struct Point {
    pub(super) loss: f64,
    pub(super) slope: Vec<f64>,
    posterior: Vec<f64>,
}

impl ConditionalLikelihood {
    pub(super) fn new(data: &Dataset, log_prior: &[f64], log_tables: &[Vec<f64>]) -> Result<Self> {
        let (n, rows, s) = (data.n(), data.rows(), log_prior.len());
        let Some(class) = data.class() else { return Err(Error::NoClass { what: "wnb" }) };
        let mut places = filled(|| format!("{n} places of {rows} rows"), ABSENT, rows.saturating_mul(n))?;
        let mut offset = 0;
        for (attribute, (column, table)) in data.columns().iter().zip(log_tables).enumerate() {
            for row in 0..rows {
                if let Some(code) = column.get(row) {
                    places[row * n + attribute] = (offset + code * s) as u32;
                }
            }
            offset += table.len();
        }
        let classes = (0..rows).map(|row| class.get(row).unwrap_or(0) as u32).collect();
        let weights = data.weights().map(<[f64]>::to_vec);
        let table = log_tables.concat();
        let total = data.total();
        Ok(Self { s, n, log_prior: log_prior.to_vec(), table, places, classes, weights, total })
    }

    /// The number of weights.
    pub(super) fn n(&self) -> usize {
        self.n
    }

    fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[row])
    }

    /// Σ_i w_i ln θ(x_i | c) of a row, added to what is there.
    fn add(&self, row: usize, weights: &[f64], sums: &mut [f64]) {
        for (&place, &weight) in self.places[row * self.n..][..self.n].iter().zip(weights) {
            if place != ABSENT {
                let cells = &self.table[place as usize..][..self.s];
                sums.iter_mut().zip(cells).for_each(|(sum, cell)| *sum += weight * cell);
            }
        }
    }

    /// Adds Σ_c q_c ln θ(x_i | c) of a row to each attribute.
    fn scatter(&self, row: usize, by_class: &[f64], into: &mut [f64]) {
        for (&place, into) in self.places[row * self.n..][..self.n].iter().zip(into) {
            if place != ABSENT {
                let cells = &self.table[place as usize..][..self.s];
                *into += cells.iter().zip(by_class).map(|(cell, q)| cell * q).sum::<f64>();
            }
        }
    }

    /// Loss and slope.
    pub(super) fn at(&self, weights: &[f64], control: &Control) -> Result<Point> {
        let mut posterior = vec![0.0; self.classes.len() * self.s];
        let blocks = posterior.par_chunks_mut(BLOCK * self.s).enumerate().map(|(block, posterior)| {
            control.check()?;
            let (mut loss, mut slope) = (0.0, vec![0.0; self.n]);
            let mut residual = vec![0.0; self.s];
            for (place, p) in posterior.chunks_exact_mut(self.s).enumerate() {
                let row = block * BLOCK + place;
                p.copy_from_slice(&self.log_prior);
                self.add(row, weights, p);
                let total = log_sum_exp(p);
                let (own, of_row) = (self.classes[row] as usize, self.weight(row));
                loss += of_row * (total - p[own]);
                p.iter_mut().for_each(|value| *value = (*value - total).exp());
                for (c, (residual, p)) in residual.iter_mut().zip(&*p).enumerate() {
                    *residual = of_row * (p - f64::from(u8::from(c == own)));
                }
                self.scatter(row, &residual, &mut slope);
            }
            Ok((loss, slope))
        });
        let blocks = blocks.collect::<Result<Vec<_>>>()?;
        let loss = blocks.iter().map(|(loss, _)| loss).sum::<f64>() / self.total;
        let slope = self.mean(blocks.into_iter().map(|(_, slope)| slope));
        Ok(Point { loss, slope, posterior })
    }

    /// The curvature at a point times a direction.
    pub(super) fn curvature(&self, point: &Point, direction: &[f64], control: &Control) -> Result<Vec<f64>> {
        let blocks = point.posterior.par_chunks(BLOCK * self.s).enumerate().map(|(block, posterior)| {
            control.check()?;
            let (mut product, mut along) = (vec![0.0; self.n], vec![0.0; self.s]);
            for (place, p) in posterior.chunks_exact(self.s).enumerate() {
                let row = block * BLOCK + place;
                along.fill(0.0);
                self.add(row, direction, &mut along);
                let mean: f64 = along.iter().zip(p).map(|(along, p)| along * p).sum();
                let of_row = self.weight(row);
                along.iter_mut().zip(p).for_each(|(along, p)| *along = of_row * p * (*along - mean));
                self.scatter(row, &along, &mut product);
            }
            Ok(product)
        });
        Ok(self.mean(blocks.collect::<Result<Vec<_>>>()?.into_iter()))
    }

    fn mean(&self, blocks: impl Iterator<Item = Vec<f64>>) -> Vec<f64> {
        let mut sums = vec![0.0; self.n];
        for block in blocks {
            sums.iter_mut().zip(block).for_each(|(sum, value)| *sum += value);
        }
        sums.iter_mut().for_each(|sum| *sum /= self.total);
        sums
    }
}
