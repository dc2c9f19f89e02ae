//! Values that others imply.

use crate::graph::pair;
use crate::model::aode::counts::JointCounts;
use crate::model::aode::predict::ABSENT;

/// The rows in which an implied value occurs together with what implies it, at least.
const LEAST: f64 = 100.0;
/// Sums of weights that differ by a smaller share are equal.
const ROUNDING: f64 = 1e-9;

/// Which of two values is implied by the other, for every pair.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Subsumption {
    arities: Vec<usize>,
    /// Of `i < j` at [`pair`]`(j, i)`, in it at `x_i·r_j + x_j`.
    implied: Vec<Vec<Implied>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Implied {
    Neither,
    First,
    Second,
}

impl Subsumption {
    pub(super) fn new(counts: &JointCounts) -> Self {
        let (arities, s) = (&counts.arities, counts.class.len());
        let mut implied = Vec::with_capacity(counts.pairs.len());
        for (j, &r_j) in arities.iter().enumerate() {
            for (i, &r_i) in arities[..j].iter().enumerate() {
                let table = &counts.pairs[pair(j, i)];
                let both = |x: usize| (0..s).map(|c| table[c * r_i * r_j + x]).sum::<f64>();
                let both: Vec<f64> = (0..r_i * r_j).map(both).collect();
                let first = |x: usize| both[x / r_j * r_j..][..r_j].iter().sum::<f64>();
                let second = |x: usize| both[x % r_j..].iter().step_by(r_j).sum::<f64>();
                let of = |x: usize| {
                    let all = both[x];
                    let is_all = |margin: f64| margin - all <= ROUNDING * all;
                    match (is_all(second(x)), is_all(first(x))) {
                        _ if all < LEAST => Implied::Neither,
                        (_, true) => Implied::Second,
                        (true, false) => Implied::First,
                        (false, false) => Implied::Neither,
                    }
                };
                implied.push((0..r_i * r_j).map(of).collect());
            }
        }
        Self { arities: arities.clone(), implied }
    }

    /// Makes the values absent that others of the row imply.
    pub(super) fn resolve(&self, codes: &mut [u32]) {
        let mut dropped = vec![false; codes.len()];
        for (j, &x_j) in codes.iter().enumerate() {
            for (i, &x_i) in codes[..j].iter().enumerate() {
                if x_i == ABSENT || x_j == ABSENT {
                    continue;
                }
                match self.implied[pair(j, i)][x_i as usize * self.arities[j] + x_j as usize] {
                    Implied::First => dropped[i] = true,
                    Implied::Second => dropped[j] = true,
                    Implied::Neither => {}
                }
            }
        }
        for (code, dropped) in codes.iter_mut().zip(dropped) {
            if dropped {
                *code = ABSENT;
            }
        }
    }
}
