//! The last steps of the optimiser, and the direction that they advise.

use multiversion::multiversion;
use rayon::prelude::*;

use crate::refine::design::MEMORY;
use crate::refine::dot::{BLOCK, dot, of_block as product};
use crate::refine::precondition::Preconditioner;

/// A step, and the change of the gradient that came with it.
type Pair = (Vec<f32>, Vec<f32>);

/// Steps s with the changes y of the gradient that came with them, the oldest first.
///
/// # Formula
/// The two loops of limited-memory BFGS, H⁻¹ = approximate inverse M of the Hessian:
/// ```text
/// newest to oldest: a_i = s_i·q / s_i·y_i,  q ← q − a_i y_i     (from q = −g)
/// oldest to newest: b_i = y_i·r / s_i·y_i,  r ← r + (a_i − b_i) s_i   (from r = γ M q)
/// ```
/// All s_i·y_j are kept, so that a_i and b_i follow from products with g and with M q alone: the vectors, which are
/// too long for the cache, are read four times for a direction instead of one after another. They are kept as
/// 32-bit numbers: a direction need not be exact, the gradient that it is judged by is.
///
/// # Complexity
/// O(parameters · memory) for a direction and to remember a step.
///
/// # References
/// nocedal2006
#[derive(Default)]
pub struct History {
    pairs: Vec<Pair>,
    /// s_i·y_j at `products[i][j]`.
    products: Vec<Vec<f64>>,
    /// γ = s·y / y·My of the newest.
    scale: Option<f64>,
}

impl History {
    /// Whether no step is known.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Remembers a step of a length along a direction; one without curvature is not worth it.
    pub fn push(&mut self, length: f64, direction: &[f64], change: &[f64]) {
        if self.pairs.len() == MEMORY {
            self.pairs.remove(0);
            self.products.remove(0);
            for row in &mut self.products {
                row.remove(0);
            }
        }
        let mut of_step = self.dots(direction, |pair| &pair.1);
        let of_change = self.dots(change, |pair| &pair.0);
        let curvature = length * dot(direction, change);
        of_step.iter_mut().for_each(|product| *product *= length);
        if curvature <= 0.0 {
            return;
        }
        of_step.push(curvature);
        self.products.iter_mut().zip(of_change).for_each(|(row, product)| row.push(product));
        self.products.push(of_step);
        let narrow = |values: &[f64], times: f64| -> Vec<f32> {
            values.par_iter().with_min_len(BLOCK).map(|value| (times * value) as f32).collect()
        };
        self.pairs.push((narrow(direction, length), narrow(change, 1.0)));
        self.scale = None;
    }

    /// −H⁻¹ g.
    pub fn direction(&mut self, gradient: &[f64], preconditioner: &Preconditioner<'_>) -> Vec<f64> {
        let n = self.pairs.len();
        let of_gradient = self.dots(gradient, |pair| &pair.0);
        let mut a = vec![0.0; n];
        for i in (0..n).rev() {
            let newer: f64 = (i + 1..n).map(|j| a[j] * self.products[i][j]).sum();
            a[i] = (-of_gradient[i] - newer) / self.products[i][i];
        }
        let mut rest: Vec<f64> = gradient.par_iter().with_min_len(BLOCK).map(|g| -g).collect();
        let less: Vec<f64> = a.iter().map(|a| -a).collect();
        self.add(&mut rest, &less, |pair| &pair.1);
        let scale = self.scale_of(preconditioner);
        let mut direction = preconditioner.apply(&rest);
        direction.par_iter_mut().with_min_len(BLOCK).for_each(|d| *d *= scale);
        let of_direction = self.dots(&direction, |pair| &pair.1);
        let mut left = vec![0.0; n];
        for i in 0..n {
            let older: f64 = (0..i).map(|j| left[j] * self.products[j][i]).sum();
            left[i] = a[i] - (of_direction[i] + older) / self.products[i][i];
        }
        self.add(&mut direction, &left, |pair| &pair.0);
        direction
    }

    /// To be called where M was made anew.
    pub fn forget_scale(&mut self) {
        self.scale = None;
    }

    fn scale_of(&mut self, preconditioner: &Preconditioner<'_>) -> f64 {
        let Some(((_, change), products)) = self.pairs.last().zip(self.products.last()) else { return 1.0 };
        let curvature = products[products.len() - 1];
        *self.scale.get_or_insert_with(|| {
            let change: Vec<f64> = change.iter().map(|&value| f64::from(value)).collect();
            curvature / dot(&change, &preconditioner.apply(&change))
        })
    }

    /// The products of a vector with one of each pair, block by block: sums do not depend on the threads.
    fn dots(&self, vector: &[f64], side: fn(&Pair) -> &Vec<f32>) -> Vec<f64> {
        let of_block = |(block, vector): (usize, &[f64])| -> Vec<f64> {
            self.pairs
                .iter()
                .map(|pair| product(vector, &side(pair)[block * BLOCK..][..vector.len()]))
                .collect()
        };
        let blocks: Vec<Vec<f64>> = vector.par_chunks(BLOCK).enumerate().map(of_block).collect();
        (0..self.pairs.len()).map(|pair| blocks.iter().map(|dots| dots[pair]).sum()).collect()
    }

    /// Adds one of each pair, as many times as is told.
    fn add(&self, sums: &mut [f64], times: &[f64], side: fn(&Pair) -> &Vec<f32>) {
        sums.par_chunks_mut(BLOCK).enumerate().for_each(|(block, sums)| {
            for (pair, &times) in self.pairs.iter().zip(times) {
                add_narrow(sums, times, &side(pair)[block * BLOCK..][..sums.len()]);
            }
        });
    }
}

#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
fn add_narrow(sums: &mut [f64], times: f64, values: &[f32]) {
    sums.iter_mut().zip(values).for_each(|(sum, &value)| *sum += times * f64::from(value));
}
