//! Minimising a convex loss over the unit box.

use crate::control::Control;
use crate::error::Result;
use crate::model::weighted_nb::likelihood::{ConditionalLikelihood, Point};

/// A step that changes no weight by more ends the search.
const STILL: f64 = 1e-12;
/// Weights so near to a bound that the loss pushes against are held there.
const NEAR: f64 = 1e-6;
/// Losses that differ by no more, as a share of 1 or more, are equal.
const ROUNDING: f64 = 1e-14;
const STEPS: usize = 200;

/// The weights in [0, 1]ⁿ of least loss: Newton's method, projected.
///
/// Weights at a bound that the loss pushes against stay; for the others the Newton equation is solved by conjugate
/// gradients, which need the curvature times a vector only and do with a curvature that is flat in some directions. The step is
/// halved until the projected point descends.
///
/// # Complexity
/// Two passes over the rows for each of at most n conjugate gradients in each of about ten steps.
///
/// # References
/// bertsekas1982
pub(super) fn minimise(
    likelihood: &ConditionalLikelihood,
    mut weights: Vec<f64>,
    control: &Control,
) -> Result<Vec<f64>> {
    let mut point = likelihood.at(&weights, control)?;
    for _ in 0..STEPS {
        let projected = |step: f64, direction: &[f64]| -> Vec<f64> {
            weights.iter().zip(direction).map(|(w, d)| (w + step * d).clamp(0.0, 1.0)).collect()
        };
        let distance = distance_to_go(&weights, &point.slope);
        if distance <= STILL {
            break;
        }
        let near = NEAR.min(distance);
        let free: Vec<bool> = weights
            .iter()
            .zip(&point.slope)
            .map(|(&w, &slope)| !((w <= near && slope > 0.0) || (w >= 1.0 - near && slope < 0.0)))
            .collect();
        let direction = newton_direction(likelihood, &point, &free, control)?;
        let (mut step, mut moved) = (1.0, None);
        while step > 1e-12 {
            let trial = projected(step, &direction);
            let at = likelihood.at(&trial, control)?;
            let expected: f64 = (0..trial.len())
                .map(|i| point.slope[i] * if free[i] { step * direction[i] } else { trial[i] - weights[i] })
                .sum();
            // Near the minimum losses differ by rounding alone; the slope still tells which point is nearer to it.
            let level = at.loss <= point.loss + ROUNDING * (1.0 + point.loss);
            if at.loss <= point.loss + 1e-4 * expected
                || (level && distance_to_go(&trial, &at.slope) < 0.5 * distance)
            {
                moved = Some((trial, at));
                break;
            }
            step /= 2.0;
        }
        // Rounding is all that is left where no step descends.
        let Some((trial, at)) = moved else { break };
        let change = largest_change(&weights, &trial);
        (weights, point) = (trial, at);
        if change <= STILL {
            break;
        }
    }
    Ok(weights)
}

/// How far a step downhill would lead within the box: 0 at the minimum.
fn distance_to_go(weights: &[f64], slope: &[f64]) -> f64 {
    let moved = weights.iter().zip(slope).map(|(w, slope)| (w - (w - slope).clamp(0.0, 1.0)).abs());
    moved.fold(0.0, f64::max)
}

fn largest_change(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// −H⁻¹ slope over the free weights, −slope for those that are held.
fn newton_direction(
    likelihood: &ConditionalLikelihood,
    point: &Point,
    free: &[bool],
    control: &Control,
) -> Result<Vec<f64>> {
    let only = |values: &[f64]| -> Vec<f64> {
        values.iter().zip(free).map(|(value, free)| if *free { *value } else { 0.0 }).collect()
    };
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut solution = vec![0.0; likelihood.n()];
    let mut residual: Vec<f64> = only(&point.slope).into_iter().map(|slope| -slope).collect();
    let mut direction = residual.clone();
    let first = dot(&residual, &residual);
    let mut size = first;
    for _ in 0..2 * likelihood.n() {
        if size <= 1e-24 * first || size == 0.0 {
            break;
        }
        let product = only(&likelihood.curvature(point, &direction, control)?);
        let curvature = dot(&direction, &product);
        if curvature <= 1e-14 * dot(&direction, &direction) {
            // Flat: the loss falls all the way to the box.
            if solution.iter().all(|value| *value == 0.0) {
                solution.copy_from_slice(&direction);
            }
            break;
        }
        let step = size / curvature;
        for i in 0..solution.len() {
            solution[i] += step * direction[i];
            residual[i] -= step * product[i];
        }
        let next = dot(&residual, &residual);
        for (direction, residual) in direction.iter_mut().zip(&residual) {
            *direction = residual + next / size * *direction;
        }
        size = next;
    }
    for (i, solution) in solution.iter_mut().enumerate() {
        if !free[i] {
            *solution = -point.slope[i];
        }
    }
    Ok(solution)
}
