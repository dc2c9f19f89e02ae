//! The way along a direction: how far the objective falls.

use rayon::prelude::*;

use crate::refine::dot::{BLOCK, dot};
use crate::refine::objective::{Loss, Objective};

/// Where the optimiser stands.
pub struct Point {
    /// The terms' sums, for each row and class.
    pub logits: Vec<f64>,
    /// The loss there.
    pub loss: Loss,
    /// The objective.
    pub value: f64,
}

impl Point {
    /// Nowhere yet: the place of a point that is still to be found.
    pub fn unknown() -> Self {
        Self { logits: Vec::new(), loss: Loss { value: f64::NAN, residuals: Vec::new() }, value: f64::NAN }
    }

    /// At these parameters.
    pub fn new(objective: &Objective<'_>, parameters: &[f64]) -> Self {
        let logits = objective.design.gather(parameters);
        let loss = objective.loss(&logits, Vec::new());
        let value = loss.value + objective.penalty(parameters, parameters);
        Self { logits, loss, value }
    }

    /// How far to go along a direction, with the point there in `next`, whatever stood in it; `None` where nothing is gained.
    ///
    /// The terms are linear in the parameters, so the rows' logits are z + α·Ad: a trial step needs no pass over the columns, only
    /// over the classes of each row. `along` is Ad, `slope` the derivative at the start, `length` the first trial.
    pub fn search(
        &self,
        objective: &Objective<'_>,
        parameters: &[f64],
        (direction, along): (&[f64], &[f64]),
        slope: f64,
        mut length: f64,
        next: &mut Self,
    ) -> Option<f64> {
        let penalty = (
            objective.penalty(parameters, parameters),
            2.0 * objective.penalty(parameters, direction),
            objective.penalty(direction, direction),
        );
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let mut low_slope = slope;
        for _ in 0..30 {
            let moved = self.logits.par_iter().zip(along).with_min_len(BLOCK);
            moved.map(|(z, dz)| z + length * dz).collect_into_vec(&mut next.logits);
            next.loss = objective.loss(&next.logits, std::mem::take(&mut next.loss.residuals));
            next.value = next.loss.value + penalty.0 + length * penalty.1 + length * length * penalty.2;
            let next_slope = dot(&next.loss.residuals, along) + penalty.1 + 2.0 * length * penalty.2;
            let lower = next.value <= self.value + 1e-4 * length * slope;
            let flat = next_slope.abs() <= 0.7 * slope.abs();
            if (lower && flat) || (high - low) * slope.abs() < 1e-15 * self.value.abs() {
                return (next.value <= self.value).then_some(length);
            }
            // Convex along the line: the slope tells the side.
            if next_slope < 0.0 && lower {
                let secant = length + (length - low) * next_slope / (low_slope - next_slope);
                (low, low_slope) = (length, next_slope);
                length =
                    if high.is_finite() { 0.5 * (low + high) } else { secant.clamp(1.5 * low, 10.0 * low) };
            } else {
                high = length;
                let secant = low - (length - low) * low_slope / (next_slope - low_slope);
                let inside = low + 0.1 * (high - low)..high - 0.1 * (high - low);
                length = if inside.contains(&secant) { secant } else { 0.5 * (low + high) };
            }
        }
        None
    }
}
