//! Minimising the objective: limited-memory BFGS over an approximate inverse of the Hessian.

use rayon::prelude::*;

use crate::control::Control;
use crate::error::Result;
use crate::refine::dot::{BLOCK, add_scaled, dot};
use crate::refine::history::History;
use crate::refine::objective::Objective;
use crate::refine::precondition::Preconditioner;

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// The decrease still expected, as a share of the objective.
    pub tolerance: f64,
    /// For so many steps only what rounding loses is too little.
    pub exact: usize,
    /// The most steps.
    pub steps: usize,
}

/// What is lost in the rounding of the objective.
const NOTHING: f64 = 1e-15;
/// After so many steps the preconditioner is made anew: probabilities have moved, and with them the curvature.
const REFRESH: usize = 16;

/// Moves `parameters` to the minimum; gives the objective there.
///
/// The terms are linear in the parameters, so along a direction d the rows' logits are z + α·Ad: a trial step needs
/// no pass over the columns, only over the classes of each row. Each iteration gathers Ad once and scatters the residuals
/// once. The direction is −H g with H built from the last steps over an approximate inverse of the Hessian
/// (`precondition.rs`), which is made anew now and then. It ends where ½ gᵀHg, the decrease still to be expected, is small.
///
/// # Complexity
/// O(N · columns · classes + parameters · memory) a step.
///
/// # References
/// nocedal2006
pub fn minimise(
    objective: &Objective<'_>,
    parameters: &mut [f64],
    stop: Stop,
    control: &Control,
) -> Result<f64> {
    let design = objective.design;
    let mut logits = design.gather(parameters);
    let mut loss = objective.loss(&logits);
    let mut value = loss.value + objective.penalty(parameters, parameters);
    let mut gradient = objective.gradient(parameters, &loss.residuals);
    let mut preconditioner = Preconditioner::new(objective, &loss.residuals);
    let mut history = History::default();
    let mut decrease = f64::INFINITY;
    for step in 0..stop.steps {
        control.check()?;
        if step > 0 && step % REFRESH == 0 {
            preconditioner = Preconditioner::new(objective, &loss.residuals);
            history.forget_scale();
        }
        let direction = history.direction(&gradient, &preconditioner);
        let slope = dot(&gradient, &direction);
        let enough = if step < stop.exact { NOTHING } else { stop.tolerance } * value.abs();
        if -0.5 * slope <= enough && decrease <= 4.0 * enough || slope > -1e-300 {
            break;
        }
        let along = design.gather(&direction);
        let penalty = (
            objective.penalty(parameters, parameters),
            2.0 * objective.penalty(parameters, &direction),
            objective.penalty(&direction, &direction),
        );
        // The length of the first step of all is found by Newton's rule; later ones are near 1.
        let mut length = if history.is_empty() {
            -slope / (curvature_along(objective, &loss.residuals, &along) + 2.0 * penalty.2)
        } else {
            1.0
        };
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let mut low_slope = slope;
        let mut found = None;
        for _ in 0..30 {
            let trial: Vec<f64> = logits.iter().zip(&along).map(|(z, dz)| z + length * dz).collect();
            let next = objective.loss(&trial);
            let next_value = next.value + penalty.0 + length * penalty.1 + length * length * penalty.2;
            let next_slope = dot(&next.residuals, &along) + penalty.1 + 2.0 * length * penalty.2;
            let lower = next_value <= value + 1e-4 * length * slope;
            let flat = next_slope.abs() <= 0.7 * slope.abs();
            let better = next_value <= value;
            if (lower && flat) || (high - low) * slope.abs() < 1e-15 * value.abs() {
                if better {
                    found = Some((length, trial, next, next_value));
                }
                break;
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
        let Some((length, trial, next, next_value)) = found else { break };
        add_scaled(parameters, length, &direction);
        let mut change = std::mem::replace(&mut gradient, objective.gradient(parameters, &next.residuals));
        decrease = value - next_value;
        (logits, loss, value) = (trial, next, next_value);
        change.par_iter_mut().zip(&gradient).with_min_len(BLOCK).for_each(|(old, new)| *old = new - *old);
        history.push(length, &direction, &change);
    }
    Ok(value)
}

/// dzᵀ (Hessian of the loss in the logits) dz = Σ ω (Σ_c p dz² − (Σ_c p dz)²).
fn curvature_along(objective: &Objective<'_>, residuals: &[f64], along: &[f64]) -> f64 {
    let design = objective.design;
    let s = design.classes;
    let mut sum = 0.0;
    for (row, (residuals, along)) in residuals.chunks_exact(s).zip(along.chunks_exact(s)).enumerate() {
        let (own, weight) = (design.class[row] as usize, design.weights[row]);
        let (mut first, mut second) = (weight * along[own], weight * along[own] * along[own]);
        for (residual, along) in residuals.iter().zip(along) {
            first += residual * along;
            second += residual * along * along;
        }
        sum += second - first * first / weight;
    }
    sum
}
