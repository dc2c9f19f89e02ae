//! The leave-one-out likelihood of concentrations, and its derivatives.

use crate::math::ln_in_place;
use crate::parameters::hierarchical::paths::{End, Level, Paths, Step};

/// What one evaluation knows of a step.
#[derive(Debug, Clone, Copy, Default)]
struct State {
    p: f64,
    /// ∂ln p_d/∂ln p_{d−1}: the part of the numerator that is borrowed.
    borrowed: f64,
    lambda: f64,
    /// The derivative of the likelihood by ln p_d.
    pull: f64,
    /// Σ pull · borrowed (1 − borrowed) of what is below.
    bend: f64,
}

/// Memory that evaluations share: of the steps of each level their states, and d + 1 numbers each, the gradient of ln p_d.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    states: Vec<Vec<State>>,
    slopes: Vec<Vec<f64>>,
    logarithms: Vec<f64>,
}

/// Value, gradient and Hessian (`[d·levels + e]`) of a function of the levels' ln c_d.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Derivatives {
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
    pub(super) hessian: Vec<f64>,
}

impl Paths {
    /// The leave-one-out log-likelihood at ln c.
    ///
    /// # Formula
    /// ```text
    /// u = c_d p_{d−1} / (n_d(x) − own + c_d p_{d−1}),   λ = c_d / (n_d − own + c_d)
    /// ∂ln p_d/∂ln c_d = u − λ,   ∂ln p_d/∂ln p_{d−1} = u,   g_d = (u g_{d−1}, u − λ)
    /// Hessian = Σ_steps pull [u (1 − u) (g_{d−1}, 1)(g_{d−1}, 1)ᵀ − λ (1 − λ) e_d e_dᵀ]
    /// ```
    /// g_d the gradient of ln p_d, e_d the unit vector of level d, and a step's pull the derivative of the likelihood by
    /// its ln p_d: rows at an end, and at other steps Σ pull · u over the steps and ends below.
    ///
    /// # Complexity
    /// O(steps · levels² + ends)
    pub(super) fn likelihood(&self, log_c: &[f64], memory: &mut Workspace) -> Derivatives {
        let Workspace { states, slopes, logarithms } = memory;
        states.resize_with(self.levels.len(), Vec::new);
        slopes.resize_with(self.levels.len(), Vec::new);
        let mut sum = Sum::new(self, log_c);
        let mut root = [State { p: self.uniform, ..State::default() }];
        for (d, level) in self.levels.iter().enumerate() {
            let (states_above, states) = states.split_at_mut(d);
            let (slopes_above, slopes) = slopes.split_at_mut(d);
            let above = states_above.last_mut().map_or(root.as_mut_slice(), Vec::as_mut_slice);
            sum.denominators(d, level, logarithms);
            sum.numerators(d, &level.ends, above, logarithms);
            let slopes_above = slopes_above.last().map_or([].as_slice(), Vec::as_slice);
            walk(&level.steps, sum.c[d], (above, slopes_above), (&mut states[0], &mut slopes[0]));
        }
        for (d, level) in self.levels.iter().enumerate().rev() {
            let (above, here) = states.split_at_mut(d);
            let above = above.last_mut().map_or(root.as_mut_slice(), Vec::as_mut_slice);
            let steps = level.steps.iter().zip(&here[0]).zip(slopes[d].chunks_exact(d + 1));
            for ((step, state), slope) in steps {
                sum.step(d, state, slope);
                let (above, pull) = (&mut above[step.parent as usize], state.pull * state.borrowed);
                above.pull += pull;
                above.bend += pull * (1.0 - state.borrowed);
            }
        }
        sum.gradient[0] += root[0].pull;
        sum.hessian[0] += root[0].bend;
        sum.finish()
    }
}

/// Forward through the steps of a level: p, u and λ, and the gradients of ln p, from those of the level above.
fn walk(steps: &[Step], c: f64, above: (&[State], &[f64]), here: (&mut Vec<State>, &mut Vec<f64>)) {
    let ((above, slopes), (states, made)) = (above, here);
    let d = slopes.len() / above.len().max(1);
    states.clear();
    made.clear();
    for &Step { parent, count, sum } in steps {
        let lent = c * above[parent as usize].p;
        let (numerator, inverse) = (count + lent, 1.0 / (sum + c));
        let (borrowed, lambda) = (lent / numerator, c * inverse);
        made.extend(slopes[parent as usize * d..][..d].iter().map(|slope| borrowed * slope));
        made.push(borrowed - lambda);
        states.push(State { p: numerator * inverse, borrowed, lambda, ..State::default() });
    }
}

/// The sums of one evaluation.
struct Sum {
    c: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
    /// The upper triangle.
    hessian: Vec<f64>,
}

impl Sum {
    fn new(paths: &Paths, log_c: &[f64]) -> Self {
        let levels = log_c.len();
        let alone = paths.levels.iter().zip(log_c).map(|(level, log_c)| level.alone * log_c);
        Self {
            c: log_c.iter().map(|log_c| log_c.exp()).collect(),
            value: paths.from_the_start * paths.uniform.ln() + alone.sum::<f64>(),
            gradient: paths.levels.iter().map(|level| level.alone).collect(),
            hessian: vec![0.0; levels * levels],
        }
    }

    fn denominators(&mut self, d: usize, level: &Level, logarithms: &mut Vec<f64>) {
        let c = self.c[d];
        logarithms.clear();
        logarithms.extend(level.sums.iter().map(|(sum, _)| sum + c));
        ln_in_place(logarithms);
        let (mut slope, mut bend) = (0.0, 0.0);
        for (&(sum, rows), ln) in level.sums.iter().zip(logarithms.iter()) {
            let lambda = c / (sum + c);
            self.value -= rows * ln;
            slope += rows * lambda;
            bend += rows * lambda * (1.0 - lambda);
        }
        self.gradient[d] -= slope;
        self.hessian[d * (self.c.len() + 1)] -= bend;
    }

    /// The ends of level `d`, with their pulls at the steps above.
    fn numerators(&mut self, d: usize, ends: &[End], above: &mut [State], logarithms: &mut Vec<f64>) {
        let c = self.c[d];
        logarithms.clear();
        logarithms.extend(ends.iter().map(|end| end.count + c * above[end.parent as usize].p));
        for (end, numerator) in ends.iter().zip(logarithms.iter()) {
            let above = &mut above[end.parent as usize];
            let borrowed = c * above.p / numerator;
            above.pull += end.rows * borrowed;
            above.bend += end.rows * borrowed * (1.0 - borrowed);
        }
        ln_in_place(logarithms);
        self.value += ends.iter().zip(logarithms.iter()).map(|(end, ln)| end.rows * ln).sum::<f64>();
    }

    /// A step of level `d`, all below it done: its own c_d by its denominator, and c_{d+1} by all numerators below.
    fn step(&mut self, d: usize, state: &State, slope: &[f64]) {
        let levels = self.c.len();
        let lambda = state.pull * state.lambda;
        self.gradient[d] -= lambda;
        self.hessian[d * (levels + 1)] -= lambda * (1.0 - state.lambda);
        self.gradient[d + 1] += state.pull;
        for (e, slope_e) in slope.iter().enumerate() {
            let row = &mut self.hessian[e * levels + e..][..d + 2 - e];
            let bend = state.bend * slope_e;
            for (sum, slope) in row.iter_mut().zip(&slope[e..]) {
                *sum += bend * slope;
            }
            row[d + 1 - e] += bend;
        }
        self.hessian[(d + 1) * (levels + 1)] += state.bend;
    }

    fn finish(mut self) -> Derivatives {
        let levels = self.c.len();
        for e in 0..levels {
            for d in e + 1..levels {
                self.hessian[d * levels + e] = self.hessian[e * levels + d];
            }
        }
        Derivatives { value: self.value, gradient: self.gradient, hessian: self.hessian }
    }
}
