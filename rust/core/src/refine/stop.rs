//! When the optimiser has done enough.

/// What is lost in the rounding of the objective.
const NOTHING: f64 = 1e-15;

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

impl Stop {
    /// What is left of it after so many steps.
    pub fn after(self, steps: usize) -> Self {
        let (exact, steps) = (self.exact.saturating_sub(steps), self.steps.saturating_sub(steps));
        Self { exact, steps, ..self }
    }

    /// The decrease that is too little at a value of the objective.
    pub fn enough(&self, value: f64) -> f64 {
        if self.exact > 0 { NOTHING * value.abs() } else { self.tolerance * value.abs() }
    }
}
