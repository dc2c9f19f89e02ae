//! The choice of a prefix of the attributes and of a number of parents, by leave-one-out.

use rayon::prelude::*;

use crate::control::Control;
use crate::counts::{CountSource, check_cells};
use crate::data::mixed_radix::{SKIP, append_or_skip};
use crate::data::{Column, Dataset, Variable};
use crate::error::{Error, Result};

/// What is summed over the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// −ln P(c | x) of the row's own class.
    LogLoss,
    /// (1 − P(c | x))².
    Rmse,
    /// 1 where another class is more probable, or as probable and lower.
    ZeroOne,
}

impl Loss {
    /// In a word each.
    pub const WORDS: &'static [&'static str] = &["log_loss", "rmse", "zero_one"];

    /// That of a word, the first of an unknown one.
    pub fn of_word(word: &str) -> Self {
        match word {
            "rmse" => Loss::Rmse,
            "zero_one" => Loss::ZeroOne,
            _ => Loss::LogLoss,
        }
    }
}

/// m of the m-estimates.
const M: f64 = 1.0;
/// Losses that differ by no more per row are equal, and so are log-probabilities.
const TIE: f64 = 1e-9;
/// Rows that one thread takes at a time.
const ROWS: usize = 512;
/// Ratios of probabilities stay within a factor of this around 1; powers of it are kept beside them.
const SCALE: f64 = 1e150;

/// The k' ≤ k and the length of the prefix of the order with the least loss; of equal losses the smaller k', then the
/// shorter prefix.
///
/// # Formula
/// ```text
/// L[k'][a] = Σ_t ω_t loss(P^{−t}_{k',a}(c_t | x_t)),
/// P_{k',a}(c, x) = MEst(N_c, N, s) Π_{i ≤ a} MEst(N_{x_i, π, c}, N_{π, c}, r_i),   MEst(n, N, r) = (n + 1/r) / (N + 1)
/// ```
/// a = 0, …, n attributes of the order, π the first k' parents of X_i, s classes, r_i values. P^{−t}: one row, or
/// the weight ω_t of a row of less, is taken from N and from the counts at its own class: weight 2 is the row twice. The
/// prefixes of one k' are running products, so one pass over the rows fills all of L. A missing value leaves its attribute's factor out; a missing parent, and those behind it, count as not there.
///
/// The estimates are m-estimates whatever estimator the classifier has afterwards: a structure knows of no parameters.
///
/// # Complexity
/// O(N·n·k·s) time; the tables of all k' in memory, refused beforehand where they do not fit.
///
/// # References
/// martinez2016
pub(super) fn select(
    counts: &dyn CountSource,
    order: &[usize],
    parents: &[Vec<usize>],
    k: usize,
    loss: Loss,
    control: &Control,
) -> Result<(usize, usize)> {
    let k = parents.iter().map(Vec::len).max().unwrap_or(0).min(k);
    let Some(data) = counts.rows()? else { return Err(Error::NoRows { what: "selective kdb" }) };
    let pass = Pass::new(counts, &data, order, parents, k, loss, control)?;
    let losses = pass.run(control)?;
    let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
    let best = losses.iter().position(|&loss| loss <= least + TIE * counts.total()).unwrap_or(0);
    Ok((best / (order.len() + 1), best % (order.len() + 1)))
}

/// The m-estimates of one attribute given its first few parents.
struct Table {
    /// θ: `[(context·r + x)·s + c]`.
    theta: Vec<f64>,
    /// 1/θ without one row of the cell, where rows have no weights.
    own: Vec<f64>,
    /// n_π + m: `[context·s + c]`.
    totals: Vec<f64>,
    /// r, s and m/r.
    arity: usize,
    classes: usize,
    pseudo: f64,
}

impl Table {
    fn new(counts: &dyn CountSource, child: usize, parents: &[usize], weighted: bool) -> Result<Self> {
        let family = counts.family(Variable::Attribute(child), parents, true)?;
        let (r, s) = (family.shape.child, family.shape.class.unwrap_or(1));
        let contexts = family.shape.attribute_configurations();
        let pseudo = M / r as f64;
        let mut totals = vec![M; contexts * s];
        let mut theta = vec![0.0; family.cells.len()];
        let mut own = vec![0.0; if weighted { 0 } else { theta.len() }];
        let cells = family.cells.to_f64();
        for (row, cells) in cells.chunks_exact(r).enumerate() {
            let (class, context) = (row / contexts, row % contexts);
            let total = cells.iter().sum::<f64>() + M;
            totals[context * s + class] = total;
            for (x, n) in cells.iter().enumerate() {
                let at = (context * r + x) * s + class;
                theta[at] = (n + pseudo) / total;
                if !weighted && *n > 0.0 {
                    own[at] = (total - 1.0) / (n - 1.0 + pseudo);
                }
            }
        }
        Ok(Self { theta, own, totals, arity: r, classes: s, pseudo })
    }

    /// θ of each class, and 1/θ of the own one without a row of that weight.
    #[inline(always)]
    fn factors(&self, cell: usize, own: usize, weight: f64) -> (&[f64], f64) {
        let at = cell * self.classes;
        let theta = &self.theta[at..][..self.classes];
        if let Some(own) = self.own.get(at + own) {
            return (theta, *own);
        }
        let total = self.totals[cell / self.arity * self.classes + own];
        (theta, (total - weight).max(M) / (theta[own] * total - weight).max(self.pseudo))
    }
}

struct Pass<'a> {
    data: &'a Dataset,
    order: &'a [usize],
    parents: &'a [Vec<usize>],
    /// Of each attribute in the order: with no parent, with one, …
    tables: Vec<Vec<Table>>,
    /// N_c. N is the same for all classes, also without a row, and cancels.
    of_class: Vec<f64>,
    k: usize,
    loss: Loss,
}

impl<'a> Pass<'a> {
    fn new(
        counts: &dyn CountSource,
        data: &'a Dataset,
        order: &'a [usize],
        parents: &'a [Vec<usize>],
        k: usize,
        loss: Loss,
        control: &Control,
    ) -> Result<Self> {
        let arity = |&column: &usize| counts.arities()[column] as u128;
        let cells_of = |child: usize, used: &[usize]| {
            let classes = counts.n_classes().unwrap_or(1) as u128;
            used.iter().map(arity).fold(classes * arity(&child), u128::saturating_mul)
        };
        let mut cells = 0u128;
        for &child in order {
            for used in 0..=parents[child].len().min(k) {
                cells = cells.saturating_add(cells_of(child, &parents[child][..used]));
            }
        }
        let name = || format!("the selection among {} columns with up to {k} parents each", order.len());
        check_cells(name, [usize::try_from(cells).unwrap_or(usize::MAX)])?;
        let tables = order.par_iter().map(|&child| {
            let depths = 0..=parents[child].len().min(k);
            depths
                .map(|used| {
                    control.check()?;
                    Table::new(counts, child, &parents[child][..used], data.weights().is_some())
                })
                .collect::<Result<Vec<Table>>>()
        });
        let tables = tables.collect::<Result<Vec<_>>>()?;
        let of_class = counts.family(Variable::Class, &[], false)?.cells.to_f64();
        Ok(Self { data, order, parents, tables, of_class, k, loss })
    }

    /// L: `[k'·(n + 1) + a]`. Blocks of rows are summed in their order, so that threads do not matter.
    fn run(&self, control: &Control) -> Result<Vec<f64>> {
        let blocks = self.data.rows().div_ceil(ROWS);
        let sums = (0..blocks).into_par_iter().map(|block| {
            control.check()?;
            Ok(self.block(block * ROWS))
        });
        let mut total = vec![0.0; (self.k + 1) * (self.order.len() + 1)];
        for sums in sums.collect::<Result<Vec<Vec<f64>>>>()? {
            for (total, sum) in total.iter_mut().zip(sums) {
                *total += sum;
            }
        }
        Ok(total)
    }

    /// L of some rows: one attribute after the other for all of them, so that what is the same for a column is found once.
    fn block(&self, start: usize) -> Vec<f64> {
        let Some(class) = self.data.class() else { return Vec::new() };
        let rows = start..(start + ROWS).min(self.data.rows());
        let mut own = numbers(rows.len(), class, start);
        let weights = self.data.weights().map(|weights| &weights[rows.clone()]);
        for (own, _) in own.iter_mut().zip(weights.unwrap_or_default()).filter(|(_, weight)| **weight == 0.0)
        {
            *own = SKIP;
        }
        let mut levels: Vec<Ratios> = vec![self.start(&own, weights); self.k + 1];
        let width = self.order.len() + 1;
        let mut losses = vec![0.0; (self.k + 1) * width];
        for (used, level) in levels.iter_mut().enumerate() {
            losses[used * width] = level.advance(self.loss, &own, weights, |_, _, _| None);
        }
        for (place, (&column, tables)) in self.order.iter().zip(&self.tables).enumerate() {
            // Of each depth the cell of every row: a missing parent hides those behind it, a missing value all of them.
            let mut context = vec![0; rows.len()];
            let mut cells = Vec::with_capacity(tables.len());
            for depth in 0..tables.len() {
                if depth > 0 {
                    append_or_skip(&mut context, self.data.column(self.parents[column][depth - 1]), start);
                }
                cells.push(context.clone());
                append_or_skip(&mut cells[depth], self.data.column(column), start);
            }
            for (used, level) in levels.iter_mut().enumerate() {
                let depth = used.min(tables.len() - 1);
                let sum = match weights {
                    None if self.loss == Loss::LogLoss => {
                        level.advance_two(&own, &cells[depth], &tables[depth])
                    }
                    _ => None,
                };
                let sum = sum.unwrap_or_else(|| {
                    level.advance(self.loss, &own, weights, |row, own, taken| {
                        let known = (0..=depth).rev().find(|&depth| cells[depth][row] != SKIP)?;
                        Some(tables[known].factors(cells[known][row] as usize, own, taken))
                    })
                });
                losses[used * width + place + 1] = sum;
            }
        }
        losses
    }

    /// The ratios of the classes' own probabilities.
    fn start(&self, own: &[u32], weights: Option<&[f64]>) -> Ratios {
        let (s, pseudo) = (self.of_class.len(), M / self.of_class.len() as f64);
        let mut ratios = Ratios::new(s, own.len());
        for (row, &own) in own.iter().enumerate().filter(|(_, own)| **own != SKIP) {
            let (own, taken) = (own as usize, weights.map_or(1.0, |weights| weights[row].min(1.0)));
            let left = (self.of_class[own] - taken).max(0.0) + pseudo;
            for (value, n) in ratios.values[row * s..][..s].iter_mut().zip(&self.of_class) {
                *value = (n + pseudo) / left;
            }
            ratios.values[row * s + own] = 1.0;
            ratios.rescale(row);
        }
        ratios
    }
}

/// The code of each row, [`SKIP`] where it is missing.
fn numbers(rows: usize, column: &Column, start: usize) -> Vec<u32> {
    let mut numbers = vec![0; rows];
    append_or_skip(&mut numbers, column, start);
    numbers
}

/// P(c, x) / P(c_t, x) of each class and row, as `values[row·s + c] · SCALE^powers[row·s + c]`: products of many factors
/// leave the range of a number long before they are irrelevant.
#[derive(Clone)]
struct Ratios {
    classes: usize,
    values: Vec<f64>,
    powers: Vec<i32>,
    /// Whether a power of the row is not 0.
    scaled: Vec<bool>,
}

impl Ratios {
    fn new(classes: usize, rows: usize) -> Self {
        let (values, powers) = (vec![1.0; rows * classes], vec![0; rows * classes]);
        Self { classes, values, powers, scaled: vec![false; rows] }
    }

    /// Multiplies with the factors of one attribute, θ of each class and 1/θ^{−t} of the row's own one, where it has
    /// them, and sums the losses. Logarithms of rows of weight 1 are taken of their product, many rows at a time.
    #[inline(always)]
    fn advance<'t>(
        &mut self,
        loss: Loss,
        own: &[u32],
        weights: Option<&[f64]>,
        factors: impl Fn(usize, usize, f64) -> Option<(&'t [f64], f64)>,
    ) -> f64 {
        let (mut total, mut product) = (0.0, 1.0f64);
        for (row, &own) in own.iter().enumerate() {
            if own == SKIP {
                continue;
            }
            let (own, weight) = (own as usize, weights.map_or(1.0, |weights| weights[row]));
            // Weight 2 is the row twice, of which one is left out at a time.
            let sum = match factors(row, own, weight.min(1.0)) {
                Some((theta, own_factor)) => self.multiply(row, own, theta, own_factor),
                None => self.sum(row),
            };
            if loss == Loss::LogLoss && weight == 1.0 && !self.scaled[row] {
                product *= sum;
                if product > SCALE {
                    (total, product) = (total + product.ln(), 1.0);
                }
            } else {
                total += weight * self.loss(row, loss, own);
            }
        }
        total + product.ln()
    }

    /// The same for rows of weight 1 of two classes, where every row is in a cell and no power is at work: without a branch
    /// for each row. None, and nothing is done, elsewhere.
    fn advance_two(&mut self, own: &[u32], cells: &[u32], table: &Table) -> Option<f64> {
        if self.classes != 2 || self.scaled.contains(&true) || own.contains(&SKIP) || cells.contains(&SKIP) {
            return None;
        }
        for ((values, &own), &cell) in self.values.chunks_exact_mut(2).zip(own).zip(cells) {
            let at = (2 * cell + own) as usize;
            values[1 - own as usize] *= table.theta[at ^ 1] * table.own[at];
        }
        let outside =
            self.values.iter().fold(false, |out, value| out | !(1.0 / SCALE..=SCALE).contains(value));
        if outside {
            (0..own.len()).for_each(|row| self.rescale(row));
            return Some(self.advance(Loss::LogLoss, own, None, |_, _, _| None));
        }
        // Several products at a time, because each factor waits for the one before it.
        let (mut total, mut products) = (0.0, [1.0f64; 4]);
        let rows = self.values.chunks_exact(8);
        let left: f64 = rows.remainder().chunks_exact(2).map(|values| (values[0] + values[1]).ln()).sum();
        for values in rows {
            for (product, values) in products.iter_mut().zip(values.chunks_exact(2)) {
                *product *= values[0] + values[1];
            }
            if products.iter().any(|product| *product > SCALE) {
                total += products.iter().map(|product| product.ln()).sum::<f64>();
                products = [1.0; 4];
            }
        }
        Some(total + left + products.iter().map(|product| product.ln()).sum::<f64>())
    }

    /// Gives Σ values of the row.
    #[inline(always)]
    fn multiply(&mut self, row: usize, own: usize, theta: &[f64], own_factor: f64) -> f64 {
        let values = &mut self.values[row * self.classes..][..self.classes];
        let (mut low, mut high, mut sum) = (f64::INFINITY, 0.0f64, 0.0);
        for (c, (value, theta)) in values.iter_mut().zip(theta).enumerate() {
            *value = if c == own { 1.0 } else { *value * theta * own_factor };
            low = low.min(*value);
            high = high.max(*value);
            sum += *value;
        }
        if low < 1.0 / SCALE || high > SCALE || self.scaled[row] {
            self.rescale(row);
            return self.sum(row);
        }
        sum
    }

    fn sum(&self, row: usize) -> f64 {
        self.values[row * self.classes..][..self.classes].iter().sum()
    }

    #[cold]
    fn rescale(&mut self, row: usize) {
        let cells = row * self.classes..(row + 1) * self.classes;
        for (value, power) in self.values[cells.clone()].iter_mut().zip(&mut self.powers[cells.clone()]) {
            if *value > SCALE || (*value > 1.0 && *power < 0) {
                (*value, *power) = (*value / SCALE, *power + 1);
            } else if *value < 1.0 / SCALE || (*value < 1.0 && *power > 0) {
                (*value, *power) = (*value * SCALE, *power - 1);
            }
        }
        self.scaled[row] = self.powers[cells].iter().any(|&power| power != 0);
    }

    fn loss(&self, row: usize, loss: Loss, own: usize) -> f64 {
        let cells = row * self.classes..(row + 1) * self.classes;
        let (values, powers) = (&self.values[cells.clone()], &self.powers[cells]);
        if loss == Loss::ZeroOne {
            let ahead = |class: usize| match powers[class] {
                0 if class < own => values[class] >= 1.0 - TIE,
                0 => values[class] > 1.0 + TIE,
                power => power > 0,
            };
            return if (0..values.len()).any(|class| class != own && ahead(class)) { 1.0 } else { 0.0 };
        }
        // ln of 1 / P(c_t | x_t): negative powers are nothing beside the 1 of the own class.
        let highest = powers.iter().copied().max().unwrap_or(0);
        let of_highest = values.iter().zip(powers).filter(|(_, power)| **power == highest);
        let sum = of_highest.map(|(value, _)| value).sum::<f64>();
        match loss {
            Loss::LogLoss => sum.ln() + f64::from(highest) * SCALE.ln(),
            _ if highest > 0 => 1.0,
            _ => (1.0 - 1.0 / sum).powi(2),
        }
    }
}

#[cfg(test)]
mod tests;
