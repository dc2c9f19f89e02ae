//! The exact average over all trees.

use std::sync::OnceLock;

use rayon::prelude::*;

use crate::control::Control;
use crate::counts::CountSource;
use crate::data::Variable;
use crate::error::{Error, Result, check_length};
use crate::graph::{SpanningTrees, Tree, maximum_spanning_tree, order_by_depth, pair};
use crate::memory::check_cells;
use crate::model::{Composed, ComposedEntry};
use crate::registry::{About, Need};
use crate::score::{Bdeu, Scorer, edge_weights_visiting};

mod gain;
mod predict;
mod ratios;

use ratios::RatioTables;

/// The average of all TANs, each weighted by its probability given the data.
///
/// # Formula
/// ```text
/// P(c, x) = P(c) Π_u P(x_u | c) · Σ_T P(T | D) Π_{uv ∈ T} R_uv(x_u, x_v; c),     R_uv = P(x_u, x_v | c) / (P(x_u | c) P(x_v | c))
/// P(T | D) = Π_{uv ∈ T} W_uv / Σ_T' Π_{uv ∈ T'} W_uv
///
/// ln W_uv = Σ_c { Σ_ij [lnΓ(N_uvc(i,j)+N'_uvc) − lnΓ(N'_uvc)] − Σ_i [lnΓ(N_uc(i)+N'_uc) − lnΓ(N'_uc)]
///                                                              − Σ_j [lnΓ(N_vc(j)+N'_vc) − lnΓ(N'_vc)] }
/// P(x_u, x_v | c) = (N_uvc + N'_uvc) / (N_c + N'_c),   P(x_u | c) = (N_uc + N'_uc) / (N_c + N'_c),   P(c) = (N_c + N'_c) / (N + λ)
/// N'_uvc = λ/(s r_u r_v),   N'_uc = λ/(s r_u),   N'_c = λ/s,   λ = max(8, max_{u≠v} s r_u r_v)
/// ```
/// T all spanning trees of the attributes, all equally probable before the data is seen; N counts of training rows, r numbers
/// of values, s that of classes. Each tree's parameters are averaged too, over a decomposable Dirichlet prior whose
/// pseudo-counts N' add up to λ in every table; P of a tree is then the product above, whatever its root. A sum over trees
/// is a determinant ([`SpanningTrees`]). ln W is the gain of the arc by the BDeu score with ess = λ, up to a constant.
///
/// # Missing and unseen values
/// Summed over: P(c, x) of a row is the sum over all values that its missing entries may have, one by one, as a sum over them in all trees
/// at once has no closed form; a row with more than [`AveragedTan::COMPLETIONS`] of them is refused, unless they are asked
/// to be left out: then the average is over all trees of the attributes that the row has, which is the model
/// that the other columns would have given by themselves, with the same λ. With one value or none the two agree. Where
/// values are missing in training, each pair is counted on the rows that have both, and W scaled to N.
///
/// # Complexity
/// Fit: that of a TAN. A row: O(s n³/6), several rows and classes side by side; times the completions of its missing entries.
///
/// # References
/// cerquides2005, meila2006
///
/// # Differences
/// The paper computes determinants of ordinary floats, which overflow where ln W has a scale of thousands.
#[derive(Debug, Clone, PartialEq)]
pub struct AveragedTan {
    arities: Vec<usize>,
    log_prior: Vec<f64>,
    /// ln P(x | c) of each attribute at `x·s + c`.
    log_theta: Vec<Vec<f64>>,
    /// R of each pair `u < v` at `pair(v, u)`, in it at `(x_u·r_v + x_v)·s + c`.
    ratios: Vec<Vec<f64>>,
    /// ln W of `u`, `v` at `u·n + v`.
    log_weights: Vec<f64>,
    /// The largest |ln R|.
    spread: f64,
    /// The best tree from the first column on, and parents before children in it.
    tree: Tree,
    order: Vec<usize>,
    /// All trees over all attributes with ln Σ Π W relative to the best, once they are asked for: predictions take that much longer than counts.
    all: OnceLock<(SpanningTrees, f64)>,
}

/// The learner, registered.
pub const ENTRY: ComposedEntry = ComposedEntry {
    about: About {
        name: "atan",
        title: "Averaged TAN",
        summary: "the exact average over all trees, each weighted by its probability given the data",
        formula: "P(c) Π_u P(x_u | c) · Σ_T P(T | D) Π_{uv ∈ T} P(x_u, x_v | c) / (P(x_u | c) P(x_v | c))",
        settings: &[],
        needs: &[Need::Class],
    },
    from_counts: Some(|source, _, control| Ok(Box::new(AveragedTan::fit(source, control)?))),
};

impl AveragedTan {
    /// The most completions of a row that are summed over.
    pub const COMPLETIONS: u128 = 1 << 16;

    /// Learns from counts.
    pub fn fit(source: &dyn CountSource, control: &Control) -> Result<Self> {
        let Some(classes) = source.n_classes() else { return Err(Error::NoClass { what: "atan" }) };
        let (n, arities) = (source.n(), source.arities().to_vec());
        let sum: usize = arities.iter().sum();
        check_cells(|| format!("all pairs of {n} columns given the class"), [sum, sum.div_ceil(2), classes])?;
        let widest = (1..n).flat_map(|v| (0..v).map(move |u| (u, v))).map(|(u, v)| arities[u] * arities[v]);
        let lambda = widest.max().map_or(8.0, |cells| (cells as f64 * classes as f64).max(8.0));
        let per_class = lambda / classes as f64;

        let score = Bdeu::new(lambda);
        let cells = (sum as u128).saturating_mul(sum as u128) / 2 * classes as u128;
        let scorer = Scorer::for_source(&score, source, cells);
        let tables = RatioTables::new(n, per_class, source.has_missing().then(|| source.total()));
        let mut log_weights = edge_weights_visiting(source, &scorer, &tables, control)?.weights;
        let (ratios, weighted) = tables.finish();
        for (u, v) in (1..n).flat_map(|v| (0..v).map(move |u| (u, v))) {
            if let Some(log_weight) = weighted[pair(v, u)] {
                log_weights[u * n + v] = log_weight;
                log_weights[v * n + u] = log_weight;
            }
        }

        let class = source.family(Variable::Class, &[], false)?.cells;
        let all = source.total() + lambda;
        let log_prior = class.to_f64().iter().map(|count| ((count + per_class) / all).ln()).collect();
        let theta = |attribute: usize| -> Result<Vec<f64>> {
            control.check()?;
            let counts = source.family(Variable::Attribute(attribute), &[], true)?.cells.to_f64();
            let arity = arities[attribute];
            let pseudo = per_class / arity as f64;
            let mut log_theta = vec![0.0; counts.len()];
            for (c, counts) in counts.chunks_exact(arity).enumerate() {
                let total = counts.iter().sum::<f64>() + per_class;
                for (x, count) in counts.iter().enumerate() {
                    log_theta[x * classes + c] = ((count + pseudo) / total).ln();
                }
            }
            Ok(log_theta)
        };
        let log_theta = (0..n).into_par_iter().map(theta).collect::<Result<Vec<_>>>()?;
        Self::from_parts(arities, log_prior, log_theta, ratios, log_weights)
    }

    /// Puts a model together, checked.
    pub fn from_parts(
        arities: Vec<usize>,
        log_prior: Vec<f64>,
        log_theta: Vec<Vec<f64>>,
        ratios: Vec<Vec<f64>>,
        log_weights: Vec<f64>,
    ) -> Result<Self> {
        let (n, s) = (arities.len(), log_prior.len());
        check_length("the list of tables of attributes", log_theta.len(), n)?;
        check_length("the list of tables of pairs", ratios.len(), n * n.saturating_sub(1) / 2)?;
        for (v, &arity) in arities.iter().enumerate() {
            check_length("the table of an attribute", log_theta[v].len(), arity * s)?;
            for (u, &other) in arities[..v].iter().enumerate() {
                check_length("the table of a pair", ratios[pair(v, u)].len(), arity * other * s)?;
            }
        }
        // Comparisons, not `min` and `max`: those look for NaN in every one of very many ratios.
        let extremes = |(least, most): (f64, f64), &ratio: &f64| {
            (if ratio < least { ratio } else { least }, if ratio > most { ratio } else { most })
        };
        let (least, most) = ratios
            .par_chunks(256)
            .map(|tables| tables.iter().flatten().fold((1.0, 1.0), extremes))
            .reduce(|| (1.0, 1.0), |(a, b), (c, d)| (a.min(c), b.max(d)));
        let spread = most.ln().max(-least.ln());
        let tree = maximum_spanning_tree(&log_weights, n, 0)?;
        let order = order_by_depth(&tree)?;
        let all = OnceLock::new();
        Ok(Self { arities, log_prior, log_theta, ratios, log_weights, spread, tree, order, all })
    }

    /// ln P(x | c) of each attribute at `x·s + c`.
    pub fn log_theta(&self) -> &[Vec<f64>] {
        &self.log_theta
    }

    /// R of each pair `u < v`, at [`pair`]`(v, u)`.
    pub fn ratios(&self) -> &[Vec<f64>] {
        &self.ratios
    }

    /// ln W, n × n.
    pub fn log_weights(&self) -> &[f64] {
        &self.log_weights
    }

    /// The most probable tree, from the first column on.
    pub fn tree(&self) -> &[Option<usize>] {
        &self.tree
    }

    /// ln P(x_v | x_u, c) of `v` given its parent `u` in the best tree, `(x_u·r_v + x_v)·s + c`; ln P(x_v | c) at the root.
    pub fn log_table(&self, v: usize) -> Vec<f64> {
        let Some(u) = self.tree[v] else { return self.log_theta[v].clone() };
        let (s, r_u, r_v) = (self.n_classes(), self.arities[u], self.arities[v]);
        let mut table = Vec::with_capacity(r_u * r_v * s);
        for x_u in 0..r_u {
            for x_v in 0..r_v {
                let ratios = self.ratio(u, v, x_u, x_v);
                let alone = &self.log_theta[v][x_v * s..][..s];
                table.extend(ratios.iter().zip(alone).map(|(ratio, alone)| ratio.ln() + alone));
            }
        }
        table
    }

    /// All trees over all attributes, and ln Σ Π W relative to the best.
    fn all(&self, control: &Control) -> Result<&(SpanningTrees, f64)> {
        if let Some(all) = self.all.get() {
            return Ok(all);
        }
        let n = self.arities.len();
        let trees = SpanningTrees::new(&self.log_weights, n, &(0..n).collect::<Vec<_>>())?;
        let log_total = trees.log_sum(control)?;
        Ok(self.all.get_or_init(|| (trees, log_total)))
    }

    /// The probability that two attributes are linked, n × n: the share of the trees with that edge, by their P(T | D).
    pub fn edge_probabilities(&self, control: &Control) -> Result<Vec<f64>> {
        let n = self.arities.len();
        let (all, _) = self.all(control)?;
        let by_place = all.edge_probabilities(control)?;
        let mut matrix = vec![0.0; n * n];
        let nodes = all.nodes();
        for a in 1..n {
            for j in 0..a {
                let probability = by_place[pair(a, j)];
                matrix[nodes[a] * n + nodes[j]] = probability;
                matrix[nodes[j] * n + nodes[a]] = probability;
            }
        }
        Ok(matrix)
    }
}
