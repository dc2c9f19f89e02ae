//! The last part of the way to the minimum: Newton steps, each found by conjugate gradients.

use crate::control::Control;
use crate::error::Result;
use crate::refine::dot::{add_scaled, dot};
use crate::refine::line::Point;
use crate::refine::objective::Objective;
use crate::refine::precondition::Preconditioner;
use crate::refine::stop::Stop;

/// A Newton step is found well enough where as many further steps as were taken would add less than this share to what it gains.
const ENOUGH: f64 = 0.1;
/// Whether anything is left to gain is seen after so many products: what the approximate inverse knows least of comes last.
const LEAST: usize = 10;

/// After a step that gains more than this share of the objective the approximate inverse is made anew: curvature has moved.
const MOVED: f64 = 0.03;

/// What a Newton step is, and what is to be expected of it.
struct Step {
    direction: Vec<f64>,
    /// How much the quadratic model falls.
    gain: f64,
    /// How many products with the Hessian it took.
    products: usize,
}

/// Goes on from a point, which `parameters` stand for, to the minimum.
///
/// # Formula
/// ```text
/// H d = −g,   H = Aᵀ W A + Λ,   W z = ω (p ∘ z − p pᵀz) of each row
/// ```
/// g and H gradient and Hessian of the objective, A the design, Λ the precisions, p the class probabilities. Conjugate gradients
/// multiply by H: one gather and one scatter, as a step of limited-memory BFGS, but each step makes use of all before it. They
/// start from the approximate inverse of `precondition.rs` and end where more of them would not add to the decrease of the
/// quadratic model.
///
/// # Complexity
/// O(N · columns · classes + parameters) a product; `stop` counts products as steps.
///
/// # References
/// nocedal2006
pub fn newton(
    objective: &Objective<'_>,
    parameters: &mut [f64],
    mut point: Point,
    stop: Stop,
    control: &Control,
) -> Result<f64> {
    let (mut left, mut least, mut next) = (stop, 1, Point::unknown());
    let mut preconditioner = Preconditioner::new(objective, &point.loss.residuals, Some(control))?;
    while left.steps > 0 {
        let enough = left.enough(point.value);
        let gradient = objective.gradient(parameters, &point.loss.residuals);
        let step =
            solve(objective, &preconditioner, &point, &gradient, (least, left.steps), enough, control)?;
        let slope = dot(&gradient, &step.direction);
        if slope > -1e-300 {
            break;
        }
        let along = objective.design.gather(&step.direction);
        let found = point.search(objective, parameters, (&step.direction, &along), slope, 1.0, &mut next);
        let Some(length) = found else { break };
        add_scaled(parameters, length, &step.direction);
        std::mem::swap(&mut point, &mut next);
        // A step that is found to a tenth leaves about a tenth of its gain. One that was given up after a few products may
        // leave more: whether that is so, a longer one shows.
        if ENOUGH * step.gain <= enough {
            if step.products >= least.max(LEAST) || step.products < least {
                break;
            }
            least = LEAST;
        }
        left = left.after(step.products);
        if step.gain > MOVED * point.value {
            preconditioner = Preconditioner::new(objective, &point.loss.residuals, Some(control))?;
        }
    }
    Ok(point.value)
}

/// Conjugate gradients from no step at all, with no fewer products than `least` and no more than `most`, unless there is
/// nothing left to gain.
fn solve(
    objective: &Objective<'_>,
    preconditioner: &Preconditioner<'_>,
    point: &Point,
    gradient: &[f64],
    (least, most): (usize, usize),
    enough: f64,
    control: &Control,
) -> Result<Step> {
    let residuals = &point.loss.residuals;
    let mut step = Step { direction: vec![0.0; gradient.len()], gain: 0.0, products: 0 };
    let mut rest: Vec<f64> = gradient.iter().map(|slope| -slope).collect();
    let mut towards = preconditioner.apply(&rest);
    let mut size = dot(&rest, &towards);
    let (mut rows, mut tables) = (vec![0.0; residuals.len()], objective.design.tables());
    let (mut product, mut next) = (vec![0.0; gradient.len()], vec![0.0; gradient.len()]);
    while step.products < most && size > 0.0 {
        control.check()?;
        let curve = |start: usize, rows: &mut [f64]| objective.curve(residuals, start, rows);
        objective.design.gather_into(&towards, &mut rows, &mut tables, curve);
        objective.gradient_into(&towards, &rows, &mut product, &mut tables);
        let curvature = dot(&towards, &product);
        if curvature <= 0.0 {
            break; // only by rounding: the objective is convex
        }
        let length = size / curvature;
        add_scaled(&mut step.direction, length, &towards);
        add_scaled(&mut rest, -length, &product);
        step.products += 1;
        let gain = 0.5 * length * size;
        step.gain += gain;
        let further = gain * step.products as f64;
        let settled = step.products >= least && further <= ENOUGH * step.gain;
        if settled || (step.products >= LEAST && further <= 0.5 * enough) {
            break;
        }
        preconditioner.apply_into(&rest, &mut next);
        let next_size = dot(&rest, &next);
        add_scaled(&mut next, next_size / size, &towards);
        std::mem::swap(&mut towards, &mut next);
        size = next_size;
    }
    Ok(step)
}
