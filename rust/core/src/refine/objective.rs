//! The penalised conditional likelihood of a sum of terms.

use rayon::prelude::*;

use crate::math::exp_in_place;
use crate::refine::design::Design;
use crate::refine::dot::{BLOCK, add_scaled, dot};
use crate::refine::passes::Tables;
use crate::refine::scatter::with_classes;

/// The precision of the weights w of the generative tables.
pub const WEIGHT_PRECISION: f64 = 10.0;
/// The precision of b: next to nothing, so that the optimum is one point.
pub const BIAS_PRECISION: f64 = 1e-6;
const ROWS: usize = 1024;

/// What is minimised.
///
/// # Formula
/// ```text
/// F(b, w, δ) = −Σ_t ω_t ln P(c_t | x_t) + ½·10·Σ w² + ½ λ Σ δ² + ½·10⁻⁶·Σ b²
/// ln P(c | x) = b_c + Σ_i [ w_i ln θ_i(x_i | c, pa_i) + Σ_{d≥1} δ_{i,d}(c; x_i, P_1 … P_{d−1}) ] + Σ_j ±½ δ_j(c) − ln Z
/// ```
/// ω_t the weight of row t, θ the smoothed table of node i (without the row itself for its own class), j the cuts of
/// ordered columns, + where the value lies above the cut. Convex in (b, w, δ).
#[derive(Debug, Clone, Copy)]
pub struct Objective<'a> {
    /// The rows.
    pub design: &'a Design,
    /// λ.
    pub ridge: f64,
}

/// The loss of all rows and what derives from it.
pub struct Loss {
    /// −Σ ω ln P(c_t | x_t).
    pub value: f64,
    /// ω (P(c | x) − [c = c_t]) for each row and class.
    pub residuals: Vec<f64>,
}

impl Objective<'_> {
    /// The precision of each parameter.
    pub fn precision(&self, parameter: usize) -> f64 {
        let s = self.design.classes;
        if parameter < s {
            BIAS_PRECISION
        } else if parameter < s + self.design.nodes.len() {
            WEIGHT_PRECISION
        } else {
            self.ridge
        }
    }

    /// ½ Σ precision · a · b.
    pub fn penalty(&self, a: &[f64], b: &[f64]) -> f64 {
        let (s, n) = (self.design.classes, self.design.nodes.len());
        let dot = |range: std::ops::Range<usize>| -> f64 { dot(&a[range.clone()], &b[range]) };
        0.5 * (BIAS_PRECISION * dot(0..s)
            + WEIGHT_PRECISION * dot(s..s + n)
            + self.ridge * dot(s + n..a.len()))
    }

    /// The loss at these logits; its residuals take the memory of a vector that is not needed any more.
    pub fn loss(&self, logits: &[f64], mut residuals: Vec<f64>) -> Loss {
        let design = self.design;
        let s = design.classes;
        logits.par_iter().with_min_len(BLOCK).copied().collect_into_vec(&mut residuals);
        let fill = |(block, residuals): (usize, &mut [f64])| {
            let (class, weights) = (&design.class[block * ROWS..], &design.weights[block * ROWS..]);
            with_classes!(s, S => losses::<S>(s, class, weights, residuals))
        };
        let blocks: Vec<f64> = if logits.len() >= 1 << 15 {
            residuals.par_chunks_mut(ROWS * s).enumerate().map(fill).collect()
        } else {
            residuals.chunks_mut(ROWS * s).enumerate().map(fill).collect()
        };
        Loss { value: blocks.iter().sum(), residuals }
    }

    /// The Hessian of the loss in the logits, times a vector of them, in its place: ω (p ∘ z − p pᵀz) of each row from `start` on,
    /// from ω (p − [c = c_t]) of all rows.
    pub fn curve(&self, residuals: &[f64], start: usize, along: &mut [f64]) {
        let Design { classes: s, class, weights, .. } = self.design;
        let rows = (&class[start..], &weights[start..], &residuals[start * s..]);
        with_classes!(*s, S => curve_rows::<S>(*s, rows, along));
    }

    /// ∂F of each parameter.
    pub fn gradient(&self, parameters: &[f64], residuals: &[f64]) -> Vec<f64> {
        let mut gradient = vec![0.0; parameters.len()];
        self.gradient_into(parameters, residuals, &mut gradient, &mut self.design.tables());
        gradient
    }

    /// The same, in place of what stands there.
    pub fn gradient_into(
        &self,
        parameters: &[f64],
        residuals: &[f64],
        gradient: &mut [f64],
        tables: &mut Tables,
    ) {
        self.design.derivatives_into(residuals, false, gradient, tables);
        let first = self.design.of_features().start;
        for (place, (gradient, value)) in gradient[..first].iter_mut().zip(parameters).enumerate() {
            *gradient += self.precision(place) * value;
        }
        add_scaled(&mut gradient[first..], self.ridge, &parameters[first..]);
    }

    /// F and its gradient, for tests.
    pub fn value_and_gradient(&self, parameters: &[f64]) -> (f64, Vec<f64>) {
        let loss = self.loss(&self.design.gather(parameters), Vec::new());
        (loss.value + self.penalty(parameters, parameters), self.gradient(parameters, &loss.residuals))
    }
}

/// Logits of rows become ω (p − [c = c_t]); gives Σ −ω ln p of their own classes. `S` is the number of classes where it is known
/// to the compiler, or 0.
fn losses<const S: usize>(classes: usize, class: &[u32], weights: &[f64], values: &mut [f64]) -> f64 {
    let s = if S > 0 { S } else { classes };
    let mut value = 0.0;
    for ((values, &own), weight) in values.chunks_exact_mut(s).zip(class).zip(weights) {
        let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        values.iter_mut().for_each(|value| *value -= largest);
        value -= weight * values[own as usize];
    }
    exp_in_place(values);
    for ((values, &own), weight) in values.chunks_exact_mut(s).zip(class).zip(weights) {
        let total: f64 = values.iter().sum();
        value += weight * total.ln();
        // The sum over the others instead of p − 1: small residuals keep their digits.
        values[own as usize] = 0.0;
        let scale = weight / total;
        values.iter_mut().for_each(|value| *value *= scale);
        values[own as usize] = -values.iter().sum::<f64>();
    }
    value
}

/// Numbers z of rows become ω (p ∘ z − p pᵀz), from the rows' classes, weights and ω (p − [c = c_t]).
fn curve_rows<const S: usize>(
    classes: usize,
    (class, weights, residuals): (&[u32], &[f64], &[f64]),
    along: &mut [f64],
) {
    let s = if S > 0 { S } else { classes };
    let rows = along.chunks_exact_mut(s).zip(residuals.chunks_exact(s)).zip(class.iter().zip(weights));
    for ((along, residuals), (&own, weight)) in rows {
        // Relative to the row's own class, whose probability may be nearly 1.
        let of_own = along[own as usize];
        along.iter_mut().for_each(|z| *z -= of_own);
        let others = residuals.iter().zip(along.iter()).map(|(share, z)| share * z);
        let mean = others.sum::<f64>() / weight.max(f64::MIN_POSITIVE);
        for (z, share) in along.iter_mut().zip(residuals) {
            *z = share * (*z - mean);
        }
        along[own as usize] = 0.0;
        along[own as usize] = -along.iter().sum::<f64>();
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::control::Control;
    use crate::data::{Column, Dataset};
    use crate::refine::lbfgs::minimise;
    use crate::refine::line::Point;
    use crate::refine::newton::newton;
    use crate::refine::rows::Rows;
    use crate::refine::stop::Stop;
    use crate::refine::term::Training;
    use crate::structure::Structure;
    use proptest::prelude::*;

    /// Rows of a class, two attributes and the ordered codes of the second.
    pub fn training(rows: &[(i64, i64, i64, i64)], classes: usize) -> Training {
        let column = |values: Vec<i64>, arity| {
            Column::from_integers("x", values.into_iter(), arity, Some(-1)).unwrap()
        };
        let columns = vec![
            column(rows.iter().map(|row| row.1).collect(), 3),
            column(rows.iter().map(|row| row.2).collect(), 2),
        ];
        let class = column(rows.iter().map(|row| row.0).collect(), classes);
        let steps = vec![None, Some(column(rows.iter().map(|row| row.3).collect(), 4))];
        let rows = Rows::new(Dataset::new(columns, Some(class)).unwrap(), steps).unwrap().merged().unwrap();
        let structure = Structure::from_parents(vec![vec![1], vec![]]);
        Training::new(&rows, structure, &Control::new()).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        #[test]
        fn the_gradient_is_that_of_differences_and_vanishes_at_the_minimum(
            rows in prop::collection::vec((0i64..3, -1i64..3, -1i64..2, -1i64..4), 3..40), seed in 0u64..100,
        ) {
            let training = training(&rows, 3);
            let objective = Objective { design: &training.design, ridge: 0.7 };
            let mut random = crate::math::Random::new(seed);
            let at: Vec<f64> = (0..training.design.parameters()).map(|_| random.normal()).collect();
            let (_, gradient) = objective.value_and_gradient(&at);
            for place in 0..at.len() {
                let shifted = |by: f64| {
                    let mut moved = at.clone();
                    moved[place] += by;
                    objective.value_and_gradient(&moved).0
                };
                let slope = (shifted(1e-5) - shifted(-1e-5)) / 2e-5;
                prop_assert!((slope - gradient[place]).abs() < 1e-5 * (1.0 + slope.abs()), "{place}: {slope} {}", gradient[place]);
            }
            // The Hessian times a vector is the change of the residuals along it.
            let logits = training.design.gather(&at);
            let along: Vec<f64> = logits.iter().map(|_| random.normal()).collect();
            let moved = |by: f64| -> Vec<f64> {
                objective.loss(&logits.iter().zip(&along).map(|(z, dz)| z + by * dz).collect::<Vec<_>>(), Vec::new()).residuals
            };
            let mut curved = along.clone();
            objective.curve(&objective.loss(&logits, Vec::new()).residuals, 0, &mut curved);
            for ((low, high), curved) in moved(-1e-5).iter().zip(&moved(1e-5)).zip(&curved) {
                prop_assert!(((high - low) / 2e-5 - curved).abs() < 1e-6 * (1.0 + curved.abs()));
            }
            let mut by_newton = at.clone();
            training.design.centre(&mut by_newton);
            let mut found = at;
            let stop = Stop { tolerance: 1e-12, exact: 0, steps: 1000 };
            let value = minimise(&objective, &mut found, stop, &Control::new()).unwrap();
            let (again, gradient) = objective.value_and_gradient(&found);
            prop_assert!((value - again).abs() < 1e-9 * (1.0 + value));
            prop_assert!(gradient.iter().all(|slope| slope.abs() < 1e-4), "{gradient:?}");
            let start = Point::new(&objective, &by_newton);
            let same = newton(&objective, &mut by_newton, start, stop, &Control::new()).unwrap();
            prop_assert!((value - same).abs() < 1e-7 * (1.0 + value), "{value} {same}");
        }
    }
}
