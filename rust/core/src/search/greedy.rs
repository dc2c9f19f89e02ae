//! Greedy ascent: as long as some move is better than what there is, take the best.

use rayon::prelude::*;

use crate::control::Control;
use crate::error::Result;

/// A place from which moves can be tried without being made.
pub trait Climb: Sync {
    /// What may be done.
    type Move: Send + Sync;

    /// The value of where we are.
    fn value(&self) -> f64;

    /// The moves from here, in the order in which ties are broken.
    fn moves(&self) -> Result<Vec<Self::Move>>;

    /// The value after a move, or `None` where the move cannot be tried within the limits.
    fn measure(&self, step: &Self::Move) -> Result<Option<f64>>;

    /// Makes a move.
    fn take(&mut self, step: &Self::Move) -> Result<()>;

    /// Values that differ by no more are equal; 0 for integers.
    fn tolerance(&self) -> f64 {
        0.0
    }

    /// The least rise that counts; 0 where any does.
    fn least_rise(&self) -> f64 {
        0.0
    }
}

/// The way up.
#[derive(Debug, Clone, PartialEq)]
pub struct Ascent<M> {
    /// The value at the start.
    pub start: f64,
    /// The moves made, each with the value after it.
    pub steps: Vec<(M, f64)>,
    /// How many trials were left out because they exceeded the limits.
    pub skipped: u64,
}

/// Takes the best move as long as it is strictly better than where we are, by no less than [`Climb::least_rise`].
///
/// Ties go to the first of the moves. The trials of one step run in parallel; the result does not depend on the
/// number of threads.
///
/// # Complexity
/// One trial for each move of each step.
///
/// ```
/// use tanager_core::search::{Climb, greedy};
/// use tanager_core::{Control, Result};
///
/// /// Walks along the integers towards the top of −(x − 3)².
/// struct Parabola(f64);
///
/// impl Climb for Parabola {
///     type Move = f64;
///     fn value(&self) -> f64 {
///         -(self.0 - 3.0).powi(2)
///     }
///     fn moves(&self) -> Result<Vec<f64>> {
///         Ok(vec![-1.0, 1.0])
///     }
///     fn measure(&self, step: &f64) -> Result<Option<f64>> {
///         Ok(Some(Parabola(self.0 + step).value()))
///     }
///     fn take(&mut self, step: &f64) -> Result<()> {
///         self.0 += step;
///         Ok(())
///     }
/// }
///
/// let mut climb = Parabola(0.0);
/// let ascent = greedy(&mut climb, &Control::new())?;
/// assert_eq!(ascent.steps, [(1.0, -4.0), (1.0, -1.0), (1.0, 0.0)]);
/// assert_eq!(climb.0, 3.0);
/// # Ok::<(), tanager_core::Error>(())
/// ```
pub fn greedy<C: Climb>(climb: &mut C, control: &Control) -> Result<Ascent<C::Move>> {
    let mut ascent = Ascent { start: climb.value(), steps: Vec::new(), skipped: 0 };
    loop {
        let mut moves = climb.moves()?;
        let here: &C = climb;
        let values = measure_all(&moves, |step| here.measure(step), control)?;
        ascent.skipped += values.iter().filter(|value| value.is_none()).count() as u64;
        let tolerance = climb.tolerance();
        let Some((best, value)) = first_best(&values, tolerance) else { return Ok(ascent) };
        let rise = value - climb.value();
        // A share of all rows, as a number of rows, is rounded.
        if rise <= tolerance || rise < climb.least_rise() * (1.0 - 1e-12) - tolerance {
            return Ok(ascent);
        }
        let step = moves.swap_remove(best);
        climb.take(&step)?;
        ascent.steps.push((step, value));
    }
}

/// The values of all moves, measured in parallel.
pub fn measure_all<M: Sync>(
    moves: &[M],
    measure: impl Fn(&M) -> Result<Option<f64>> + Sync,
    control: &Control,
) -> Result<Vec<Option<f64>>> {
    control.expect(moves.len() as u64);
    let measured = moves.par_iter().map(|step| {
        control.check()?;
        let value = measure(step)?;
        control.advance(1);
        Ok(value)
    });
    measured.collect()
}

/// The first of the largest values, and where it stands.
pub fn first_best(values: &[Option<f64>], tolerance: f64) -> Option<(usize, f64)> {
    let largest = values.iter().flatten().copied().reduce(f64::max)?;
    let tied = |&(_, value): &(usize, f64)| value >= largest - tolerance;
    values.iter().enumerate().filter_map(|(place, value)| value.map(|value| (place, value))).find(tied)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    /// Climbs a list of values by any distance; `None` cannot be tried.
    struct Hill {
        values: Vec<Option<f64>>,
        at: usize,
        least: f64,
    }

    impl Climb for Hill {
        type Move = usize;
        fn value(&self) -> f64 {
            self.values[self.at].unwrap()
        }
        fn moves(&self) -> Result<Vec<usize>> {
            Ok((0..self.values.len()).collect())
        }
        fn least_rise(&self) -> f64 {
            self.least
        }
        fn measure(&self, to: &usize) -> Result<Option<f64>> {
            Ok(self.values[*to])
        }
        fn take(&mut self, to: &usize) -> Result<()> {
            self.at = *to;
            Ok(())
        }
    }

    #[test]
    fn ties_go_to_the_first_and_equal_values_end_the_search() {
        let mut hill = Hill { values: vec![Some(1.0), None, Some(4.0), Some(4.0)], at: 0, least: 0.0 };
        let control = Control::new();
        let ascent = greedy(&mut hill, &control).unwrap();
        assert_eq!(ascent, Ascent { start: 1.0, steps: vec![(2, 4.0)], skipped: 2 });
        assert_eq!(control.progress(), (8, 8));
    }

    #[test]
    fn a_rise_below_the_least_ends_the_search() {
        for (least, steps) in [(3.0, vec![(1, 4.0)]), (3.1, vec![])] {
            let mut hill = Hill { values: vec![Some(1.0), Some(4.0)], at: 0, least };
            assert_eq!(greedy(&mut hill, &Control::new()).unwrap().steps, steps);
        }
    }

    #[test]
    fn nothing_to_try_ends_the_search() {
        let mut hill = Hill { values: vec![Some(1.0)], at: 0, least: 0.0 };
        hill.values = vec![Some(1.0), None];
        assert_eq!(greedy(&mut hill, &Control::new()).unwrap().steps, []);
    }

    #[test]
    fn what_differs_by_rounding_is_tied() {
        assert_eq!(first_best(&[Some(1.0), Some(1.0 + 1e-13), None], 1e-12), Some((0, 1.0)));
        assert_eq!(first_best(&[Some(1.0), Some(2.0)], 0.0), Some((1, 2.0)));
        assert_eq!(first_best(&[None], 0.0), None);
    }

    #[test]
    fn a_cancelled_search_stops() {
        let control = Control::new();
        control.cancel();
        let mut hill = Hill { values: vec![Some(1.0), Some(2.0)], at: 0, least: 0.0 };
        assert_eq!(greedy(&mut hill, &control), Err(Error::Cancelled));
        assert_eq!(hill.at, 0);
    }
}
