//! How early decision trees ask for an attribute.

use rayon::prelude::*;

use crate::control::Control;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::math::{Random, x_ln_x};

/// A branch needs so many rows, in two branches at least.
const LEAST: f64 = 2.0;
/// A gain that is no larger, in nats, is rounding.
const NOTHING: f64 = 1e-10;

/// The mean over `trees` unpruned trees of 1/√depth of each attribute, 0 where a tree does not ask for it.
///
/// Each tree is grown from a bootstrap sample, as many draws as there are rows. A node asks for all values of the attribute
/// of the largest gain ratio among those of at least average gain; of equal ones the lowest column. It is a leaf where its rows
/// are of one class, no attribute gains, or fewer than two branches would have two rows. A row that misses the value is left out of
/// the gain, which counts by the share of the others, and of all branches.
pub(super) fn weights(data: &Dataset, trees: usize, seed: u64, control: &Control) -> Result<Vec<f64>> {
    let depths = (0..trees as u64).into_par_iter().map(|tree| {
        // Seeds of one run lie apart in the sequence of another generator.
        let mut seeds = Random::new(seed);
        let own = (0..=tree).map(|_| seeds.next_u64()).last().unwrap_or(seed);
        depths(data, &mut Random::new(own), control)
    });
    let mut weights = vec![0.0; data.n()];
    for depths in depths.collect::<Result<Vec<_>>>()? {
        for (weight, depth) in weights.iter_mut().zip(depths) {
            *weight += depth.map_or(0.0, |depth| 1.0 / (depth as f64).sqrt());
        }
    }
    weights.iter_mut().for_each(|weight| *weight /= trees as f64);
    Ok(weights)
}

/// The least depth at which a tree asks for each attribute, 1 at its root.
fn depths(data: &Dataset, random: &mut Random, control: &Control) -> Result<Vec<Option<usize>>> {
    let (rows, n) = (data.rows(), data.n());
    let Some(class) = data.class() else { return Err(Error::NoClass { what: "wnb" }) };
    let mut drawn = vec![0.0; rows];
    for _ in 0..rows {
        drawn[random.below(rows as u64) as usize] += 1.0;
    }
    if let Some(weights) = data.weights() {
        drawn.iter_mut().zip(weights).for_each(|(drawn, weight)| *drawn *= weight);
    }
    let classes: Vec<u32> = (0..rows).map(|row| class.get(row).unwrap_or(0) as u32).collect();
    let tree = Tree { data, drawn, classes, s: class.arity() };
    let mut least = vec![None; n];
    let all: Vec<u32> = (0..rows as u32).filter(|&row| tree.drawn[row as usize] > 0.0).collect();
    // Nodes to be looked at: their rows, depth, and the attributes that were not asked for on the way.
    let mut nodes = vec![(all, 1, (0..n).collect::<Vec<usize>>())];
    while let Some((rows, depth, candidates)) = nodes.pop() {
        control.check()?;
        let Some(chosen) = tree.split(&rows, &candidates) else { continue };
        let seen = least[chosen].get_or_insert(depth);
        *seen = depth.min(*seen);
        let rest: Vec<usize> = candidates.into_iter().filter(|&other| other != chosen).collect();
        if rest.is_empty() {
            continue;
        }
        let column = data.column(chosen);
        let mut branches = vec![Vec::new(); column.arity()];
        for row in rows {
            if let Some(code) = column.get(row as usize) {
                branches[code].push(row);
            }
        }
        nodes.extend(
            branches.into_iter().filter(|rows| rows.len() > 1).map(|rows| (rows, depth + 1, rest.clone())),
        );
    }
    Ok(least)
}

struct Tree<'a> {
    data: &'a Dataset,
    drawn: Vec<f64>,
    classes: Vec<u32>,
    s: usize,
}

impl Tree<'_> {
    /// The attribute that a node asks for; none where it is a leaf.
    fn split(&self, rows: &[u32], candidates: &[usize]) -> Option<usize> {
        let mut found: Vec<(usize, f64, f64)> = Vec::new();
        for &attribute in candidates {
            let column = self.data.column(attribute);
            let mut table = vec![0.0; column.arity() * self.s];
            let mut all = 0.0;
            for &row in rows {
                let (row, weight) = (row as usize, self.drawn[row as usize]);
                all += weight;
                if let Some(code) = column.get(row) {
                    table[code * self.s + self.classes[row] as usize] += weight;
                }
            }
            let branches: Vec<f64> = table.chunks_exact(self.s).map(|branch| branch.iter().sum()).collect();
            if branches.iter().filter(|&&weight| weight >= LEAST).count() < 2 {
                continue;
            }
            let known: f64 = branches.iter().sum();
            let by_class = (0..self.s).map(|c| table.iter().skip(c).step_by(self.s).sum::<f64>());
            let of_class: f64 = x_ln_x(known) - by_class.map(x_ln_x).sum::<f64>();
            let of_branches: f64 = branches.iter().map(|&weight| x_ln_x(weight)).sum();
            let within = of_branches - table.iter().map(|&cell| x_ln_x(cell)).sum::<f64>();
            let gain = (of_class - within) / all;
            let split = (x_ln_x(known) - of_branches) / all;
            if gain > NOTHING && split > NOTHING {
                found.push((attribute, gain, gain / split));
            }
        }
        let average = found.iter().map(|(_, gain, _)| gain).sum::<f64>() / found.len().max(1) as f64;
        let eligible = found.iter().filter(|(_, gain, _)| *gain >= average - NOTHING);
        let best = eligible.fold(None, |best: Option<&(usize, f64, f64)>, one| match best {
            Some(best) if one.2 <= best.2 + NOTHING => Some(best),
            _ => Some(one),
        });
        best.map(|best| best.0)
    }
}
