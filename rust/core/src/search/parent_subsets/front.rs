//! The tie rule: of all sets as good as the best, the smallest, then the one with the lowest columns.

/// A set of parents and its score.
#[derive(Debug, Clone, PartialEq)]
pub struct ParentSet {
    /// Attribute columns, increasing.
    pub parents: Vec<usize>,
    /// φ of the child given them (and the class, where there is one).
    pub score: f64,
}

/// Scores closer than this to the best, relative to its size, are as good as the best: two ways to add up
/// the same terms differ by rounding, and a parent that adds nothing must not be kept for it.
pub const TIE: f64 = 1e-9;

/// The lowest score that ties with `best`.
pub fn tie_floor(best: f64) -> f64 {
    best - TIE * best.abs().max(1.0)
}

/// The sets that may still turn out to be the answer, while sets arrive from the most preferred to the least.
///
/// A set stays while it ties with the best so far and beats every set before it. Whatever the best of all
/// will be, the first entry at least as high as its floor is then the preferred set of all that tie. The
/// result depends on the sets and their scores alone, not on how they were divided among threads: fronts of
/// consecutive parts, put one behind the other, make the front of the whole.
#[derive(Debug, Clone, Default)]
pub struct Front {
    sets: Vec<ParentSet>,
}

impl Front {
    /// Whether a set that comes next, with this score, would enter.
    pub fn admits(&self, score: f64) -> bool {
        self.sets.last().is_none_or(|last| score > last.score)
    }

    /// Adds the next set, where it can still be the answer.
    pub fn push(&mut self, score: f64, parents: impl FnOnce() -> Vec<usize>) {
        if self.admits(score) {
            let floor = tie_floor(score);
            self.sets.retain(|set| set.score >= floor);
            self.sets.push(ParentSet { parents: parents(), score });
        }
    }

    /// Adds the sets of a part that comes next.
    pub fn append(&mut self, part: Front) {
        for set in part.sets {
            self.push(set.score, || set.parents);
        }
    }

    /// Whether there is no set.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// The preferred set of all that tie.
    pub fn first(self) -> Option<ParentSet> {
        self.sets.into_iter().next()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_first_that_ties_with_the_best_is_found_however_the_sets_are_divided(
            scores in proptest::collection::vec((-3i32..0, -3i32..4), 1..40),
            cut in any::<proptest::sample::Index>(),
        ) {
            let scores: Vec<f64> =
                scores.iter().map(|&(big, small)| f64::from(big) + f64::from(small) * 0.4e-9).collect();
            let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let expected = scores.iter().position(|&score| score >= tie_floor(best)).unwrap();
            let cut = cut.index(scores.len());
            let mut front = Front::default();
            for range in [0..cut, cut..scores.len()] {
                let mut part = Front::default();
                for at in range {
                    part.push(scores[at], || vec![at]);
                }
                front.append(part);
            }
            prop_assert_eq!(front.first().unwrap().parents, vec![expected]);
        }
    }
}
