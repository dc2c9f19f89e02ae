//! Minimising the objective: limited-memory BFGS over an approximate inverse of the Hessian, then Newton steps.

use rayon::prelude::*;

use crate::control::Control;
use crate::error::Result;
use crate::refine::dot::{BLOCK, add_scaled, dot};
use crate::refine::history::History;
use crate::refine::line::Point;
use crate::refine::newton::newton;
use crate::refine::objective::Objective;
use crate::refine::precondition::Preconditioner;
use crate::refine::stop::Stop;

/// After so many steps the preconditioner is made anew: probabilities have moved, and with them the curvature.
const REFRESH: usize = 8;
/// So many steps make the probabilities about right; then Newton's are the shorter way …
const FIRST: usize = 16;
/// … to the minimum. Who asks for no more steps than this wants to know about where it is.
const ROUGH: usize = 32;

/// Moves `parameters` to the minimum; gives the objective there.
///
/// Each iteration gathers the terms along a direction d once (`line.rs`) and scatters the residuals once. The direction is −H g with
/// H built from the last steps over an approximate inverse of the Hessian (`precondition.rs`), which is made anew now and
/// then. It ends where ½ gᵀHg, the decrease still to be expected, is small; what is left then, or after 16 steps, is done by
/// Newton steps (`newton.rs`), which see what is nearly flat.
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
    let to_the_end = stop.steps > ROUGH;
    design.centre(parameters);
    let mut point = Point::new(objective, parameters);
    let mut gradient = objective.gradient(parameters, &point.loss.residuals);
    let mut preconditioner = Preconditioner::new(objective, &point.loss.residuals, None)?;
    let mut history = History::default();
    let mut decrease = f64::INFINITY;
    let mut steps = 0;
    let (mut along, mut tables) = (vec![0.0; point.logits.len()], design.tables());
    let (mut next, mut change) = (Point::unknown(), vec![0.0; parameters.len()]);
    for step in 0..(if to_the_end { FIRST } else { stop.steps }) {
        control.check()?;
        if step > 0 && step % REFRESH == 0 {
            preconditioner = Preconditioner::new(objective, &point.loss.residuals, None)?;
            history.forget_scale();
        }
        let direction = history.direction(&gradient, &preconditioner);
        let slope = dot(&gradient, &direction);
        let enough = stop.after(step).enough(point.value);
        if -0.5 * slope <= enough && decrease <= 4.0 * enough || slope > -1e-300 {
            break;
        }
        design.gather_into(&direction, &mut along, &mut tables, |_, _| ());
        // The length of the first step of all is found by Newton's rule; later ones are near 1.
        let length = if history.is_empty() {
            let mut curved = along.clone();
            objective.curve(&point.loss.residuals, 0, &mut curved);
            let curvature = dot(&along, &curved);
            -slope / (curvature + 2.0 * objective.penalty(&direction, &direction))
        } else {
            1.0
        };
        let found = point.search(objective, parameters, (&direction, &along), slope, length, &mut next);
        let Some(length) = found else { break };
        add_scaled(parameters, length, &direction);
        std::mem::swap(&mut gradient, &mut change);
        objective.gradient_into(parameters, &next.loss.residuals, &mut gradient, &mut tables);
        decrease = point.value - next.value;
        std::mem::swap(&mut point, &mut next);
        change.par_iter_mut().zip(&gradient).with_min_len(BLOCK).for_each(|(old, new)| *old = new - *old);
        history.push(length, &direction, &change);
        steps = step + 1;
    }
    if !to_the_end {
        return Ok(point.value);
    }
    // Also where nothing more seemed to be gained: the last steps say little of b, which is nearly flat.
    newton(objective, parameters, point, stop.after(steps), control)
}
