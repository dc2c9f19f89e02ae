//! The choice of a prefix of the attributes and of a number of parents, by leave-one-out.

use rayon::prelude::*;

use crate::control::Control;
use crate::counts::{CountSource, check_cells};
use crate::data::{Dataset, Variable};
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
/// the weight ω_t of a row of less, is taken from the counts at its own class: weight 2 is the row twice. The prefixes of one k' are running products, so one pass over the rows fills all
/// of L. A missing value leaves its attribute's factor out; a missing parent, and those behind it, count as not there.
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
    /// m/r.
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
        Ok(Self { theta, own, totals, pseudo })
    }

    /// 1/θ without a row of that weight.
    fn without(&self, context: usize, cell: usize, own: usize, classes: usize, weight: f64) -> f64 {
        let at = cell * classes + own;
        if let Some(own) = self.own.get(at) {
            return *own;
        }
        let total = self.totals[context * classes + own];
        (total - weight).max(M) / (self.theta[at] * total - weight).max(self.pseudo)
    }
}

/// One attribute of the order.
struct Factor<'a> {
    column: usize,
    arity: usize,
    /// The parents, with their numbers of values.
    parents: Vec<(usize, usize)>,
    tables: &'a [Table],
}

struct Pass<'a> {
    data: &'a Dataset,
    order: &'a [usize],
    parents: &'a [Vec<usize>],
    /// Of each attribute in the order: with no parent, with one, …
    tables: Vec<Vec<Table>>,
    /// N_c and N.
    of_class: (Vec<f64>, f64),
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
        let of_class = counts.family(Variable::Class, &[], false)?.cells;
        let of_class = (of_class.to_f64(), of_class.total());
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

    fn block(&self, start: usize) -> Vec<f64> {
        let data = self.data;
        let factors: Vec<Factor<'_>> = self
            .order
            .iter()
            .zip(&self.tables)
            .map(|(&column, tables)| Factor {
                column,
                arity: data.column(column).arity(),
                parents: self.parents[column].iter().map(|&p| (p, data.column(p).arity())).collect(),
                tables,
            })
            .collect();
        let width = self.order.len() + 1;
        let mut sums = vec![Sum::default(); (self.k + 1) * width];
        let mut ratios: Vec<Ratios> = (0..=self.k).map(|_| Ratios::new(self.of_class.0.len())).collect();
        let mut codes = vec![None; data.n()];
        let Some(class) = data.class() else { return Vec::new() };
        for row in start..(start + ROWS).min(data.rows()) {
            let Some(own) = class.get(row) else { continue };
            let weight = data.weights().map_or(1.0, |weights| weights[row]);
            if weight == 0.0 {
                continue;
            }
            for (column, code) in data.columns().iter().zip(&mut codes) {
                *code = column.get(row);
            }
            // Weight 2 is the row twice, of which one is left out at a time.
            let taken = weight.min(1.0);
            self.start(&mut ratios, own, taken);
            for (used, ratios) in ratios.iter().enumerate() {
                sums[used * width].add(ratios, self.loss, own, weight);
            }
            for (place, factor) in factors.iter().enumerate() {
                let x = codes[factor.column];
                let (mut context, mut depth) = (0, 0);
                for (used, ratios) in ratios.iter_mut().enumerate() {
                    if let Some(&(parent, arity)) = used.checked_sub(1).and_then(|at| factor.parents.get(at))
                        && let Some(value) = codes[parent]
                        && depth + 1 == used
                    {
                        (context, depth) = (context * arity + value, used);
                    }
                    if let Some(x) = x {
                        ratios.multiply(
                            &factor.tables[depth],
                            context,
                            context * factor.arity + x,
                            own,
                            taken,
                        );
                    }
                    sums[used * width + place + 1].add(ratios, self.loss, own, weight);
                }
            }
        }
        sums.into_iter().map(Sum::total).collect()
    }

    /// The ratios of the classes' own probabilities.
    fn start(&self, ratios: &mut [Ratios], own: usize, weight: f64) {
        let (of_class, total) = &self.of_class;
        let pseudo = M / of_class.len() as f64;
        let own_probability = ((of_class[own] - weight).max(0.0) + pseudo) / ((total - weight).max(0.0) + M);
        for ratios in ratios {
            ratios.scaled = false;
            ratios.powers.fill(0);
            for (value, n) in ratios.values.iter_mut().zip(of_class) {
                *value = (n + pseudo) / (total + M) / own_probability;
            }
            ratios.values[own] = 1.0;
            ratios.rescale();
        }
    }
}

/// A sum of losses. Logarithms of rows of weight 1 are taken of their product, many rows at a time.
#[derive(Clone, Copy)]
struct Sum {
    value: f64,
    product: f64,
}

impl Default for Sum {
    fn default() -> Self {
        Self { value: 0.0, product: 1.0 }
    }
}

impl Sum {
    fn add(&mut self, ratios: &Ratios, loss: Loss, own: usize, weight: f64) {
        if loss == Loss::LogLoss && weight == 1.0 && !ratios.scaled {
            self.product *= ratios.sum;
            if self.product > SCALE {
                *self = Self { value: self.total(), product: 1.0 };
            }
        } else {
            self.value += weight * ratios.loss(loss, own);
        }
    }

    fn total(self) -> f64 {
        self.value + self.product.ln()
    }
}

/// P(c, x) / P(c_t, x) of each class, as `values[c] · SCALE^powers[c]`: products of many factors leave the range of a
/// number long before they are irrelevant.
struct Ratios {
    values: Vec<f64>,
    powers: Vec<i32>,
    /// Σ values.
    sum: f64,
    /// Whether a power is not 0.
    scaled: bool,
}

impl Ratios {
    fn new(classes: usize) -> Self {
        Self { values: vec![1.0; classes], powers: vec![0; classes], sum: classes as f64, scaled: false }
    }

    /// Multiplies with the ratios of one attribute's probabilities, the row's own weight taken away at its own class.
    fn multiply(&mut self, table: &Table, context: usize, cell: usize, own: usize, weight: f64) {
        let s = self.values.len();
        let own_factor = table.without(context, cell, own, s, weight);
        let (mut low, mut high, mut sum) = (f64::INFINITY, 0.0f64, 0.0);
        let (values, theta) = (&mut self.values[..s], &table.theta[cell * s..][..s]);
        for c in 0..s {
            let value = if c == own { 1.0 } else { values[c] * theta[c] * own_factor };
            low = low.min(value);
            high = high.max(value);
            sum += value;
            values[c] = value;
        }
        self.sum = sum;
        if low < 1.0 / SCALE || high > SCALE || self.scaled {
            self.rescale();
        }
    }

    #[cold]
    fn rescale(&mut self) {
        for (value, power) in self.values.iter_mut().zip(&mut self.powers) {
            if *value > SCALE || (*value > 1.0 && *power < 0) {
                (*value, *power) = (*value / SCALE, *power + 1);
            } else if *value < 1.0 / SCALE || (*value < 1.0 && *power > 0) {
                (*value, *power) = (*value * SCALE, *power - 1);
            }
        }
        self.scaled = self.powers.iter().any(|&power| power != 0);
        self.sum = self.values.iter().sum();
    }

    fn loss(&self, loss: Loss, own: usize) -> f64 {
        if loss == Loss::ZeroOne {
            let ahead = |class: usize| match self.powers[class] {
                0 if class < own => self.values[class] >= 1.0 - TIE,
                0 => self.values[class] > 1.0 + TIE,
                power => power > 0,
            };
            return if (0..self.values.len()).any(|class| class != own && ahead(class)) { 1.0 } else { 0.0 };
        }
        // ln of 1 / P(c_t | x_t): negative powers are nothing beside the 1 of the own class.
        let highest = self.powers.iter().copied().max().unwrap_or(0);
        let sum = if self.scaled {
            let values = self.values.iter().zip(&self.powers);
            values.filter(|(_, power)| **power == highest).map(|(value, _)| value).sum()
        } else {
            self.values.iter().sum::<f64>()
        };
        match loss {
            Loss::LogLoss => sum.ln() + f64::from(highest) * SCALE.ln(),
            _ if highest > 0 => 1.0,
            _ => (1.0 - 1.0 / sum).powi(2),
        }
    }
}
