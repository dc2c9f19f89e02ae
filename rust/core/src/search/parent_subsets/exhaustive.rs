//! Every set on its own: for data with missing values or weights, for sources other than a data set, and as an oracle.

use super::front::{Front, ParentSet};
use super::{Task, no_set};
use crate::control::Control;
use crate::counts::CountSource;
use crate::data::Variable;
use crate::error::Result;
use crate::score::Scorer;

/// Counts and scores every set of at most `k` candidates.
///
/// # Complexity
/// One pass over the rows for each of the Σ_{t ≤ k} C(m, t) sets of m candidates.
pub(super) fn best_of_all(
    source: &dyn CountSource,
    scorer: &Scorer<'_>,
    task: &Task,
    k: usize,
    control: &Control,
) -> Result<ParentSet> {
    let mut front = Front::default();
    for size in 0..=k.min(task.candidates.len()) {
        visit(source, scorer, task, size, 0, &mut Vec::new(), control, &mut front)?;
    }
    front.first().ok_or_else(|| no_set(task.child))
}

/// Sets of one size in the order of their columns.
#[allow(clippy::too_many_arguments)]
fn visit(
    source: &dyn CountSource,
    scorer: &Scorer<'_>,
    task: &Task,
    size: usize,
    from: usize,
    parents: &mut Vec<usize>,
    control: &Control,
    front: &mut Front,
) -> Result<()> {
    if size == 0 {
        control.check()?;
        let child = Variable::Attribute(task.child);
        let family = source.family(child, parents, source.n_classes().is_some())?;
        let score = scorer.family(child, &family)?;
        front.push(score, || parents.clone());
        control.advance(1);
        return Ok(());
    }
    for place in from..(task.candidates.len() + 1).saturating_sub(size) {
        parents.push(task.candidates[place]);
        visit(source, scorer, task, size - 1, place + 1, parents, control, front)?;
        parents.pop();
    }
    Ok(())
}
