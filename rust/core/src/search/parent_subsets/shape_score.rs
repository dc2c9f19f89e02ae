//! A score made ready for families of one shape, with the bounds that prune.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use crate::counts::{FamilyCounts, FamilyShape};
use crate::data::Variable;
use crate::error::Result;
use crate::score::{Additive, PreparedFamily, Scorer, Term};

/// How the families of one shape are scored.
pub(super) enum ShapeScore {
    /// By sums over cells.
    Sum(Box<PreparedFamily>),
    /// By the score itself, from the whole table.
    Whole,
}

impl ShapeScore {
    /// The sums, where the score has them.
    pub(super) fn sum(&self) -> Option<&PreparedFamily> {
        match self {
            ShapeScore::Sum(family) => Some(family),
            ShapeScore::Whole => None,
        }
    }
}

/// The scores of all shapes met so far: there are few, however many families there are.
pub(super) struct ShapeScores<'a> {
    scorer: &'a Scorer<'a>,
    classes: Option<usize>,
    known: ByShape<Arc<ShapeScore>>,
    terms: ByShape<Option<Additive>>,
}

/// By the child's arity, then the parents', increasing.
type ByShape<T> = RwLock<HashMap<Vec<usize>, T>>;

impl<'a> ShapeScores<'a> {
    pub(super) fn new(scorer: &'a Scorer<'a>, classes: Option<usize>) -> Self {
        Self { scorer, classes, known: RwLock::default(), terms: RwLock::default() }
    }

    /// The score of families with these numbers of values.
    pub(super) fn of(&self, child: usize, parents: &[usize]) -> Result<Arc<ShapeScore>> {
        self.remembered(&self.known, child, parents, |shape| {
            Ok(Arc::new(match self.scorer.prepare(shape)? {
                Some(family) => ShapeScore::Sum(Box::new(family)),
                None => ShapeScore::Whole,
            }))
        })
    }

    /// The terms of families with these numbers of values, where the score has any: without the tables that only
    /// sums over many cells pay for.
    pub(super) fn terms(&self, child: usize, parents: &[usize]) -> Result<Option<Additive>> {
        self.remembered(&self.terms, child, parents, |shape| {
            self.scorer.score().additive(shape, self.scorer.total())
        })
    }

    fn remembered<T: Clone>(
        &self,
        known: &ByShape<T>,
        child: usize,
        parents: &[usize],
        make: impl FnOnce(&FamilyShape) -> Result<T>,
    ) -> Result<T> {
        let mut key = Vec::with_capacity(parents.len() + 1);
        key.push(child);
        key.extend_from_slice(parents);
        key[1..].sort_unstable();
        // A thread that panicked has at worst left a shape out.
        if let Some(made) = known.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(made.clone());
        }
        let made = make(&self.shape(child, parents))?;
        known.write().unwrap_or_else(PoisonError::into_inner).insert(key, made.clone());
        Ok(made)
    }

    /// φ of a whole table.
    pub(super) fn whole(&self, child: usize, family: &FamilyCounts) -> Result<f64> {
        self.scorer.family(Variable::Attribute(child), family)
    }

    /// The shape of a family of these numbers of values.
    pub(super) fn shape(&self, child: usize, parents: &[usize]) -> FamilyShape {
        FamilyShape { child, class: self.classes, parents: parents.to_vec() }
    }
}

/// What of φ does not depend on the cells: the constant less the terms of the child's own margin.
pub(super) fn base(family: &PreparedFamily, margin: &[u32]) -> f64 {
    if family.margin.term() == Term::Zero {
        return family.constant;
    }
    let total: u32 = margin.iter().sum();
    let terms: f64 = margin.iter().map(|&count| family.margin.count(count)).sum();
    family.constant - (terms - family.margin.count(total))
}

/// Whether `upper(x) ≥ lower(x)` for every count x: then a sum of `upper` over a table bounds that of `lower`.
///
/// `scale·x ln x` grows with its scale, since `x ln x ≥ 0` at whole numbers; `lnΓ(a + x) − lnΓ(a) =
/// Σ_{t<x} ln(a + t)` grows with its offset a.
pub(super) fn dominates(upper: Term, lower: Term) -> bool {
    match (upper, lower) {
        (Term::Zero, Term::Zero) => true,
        (Term::XLnX { scale: upper }, Term::XLnX { scale: lower }) => upper >= lower,
        (Term::LnGamma { offset: upper }, Term::LnGamma { offset: lower }) => upper >= lower,
        _ => false,
    }
}

/// An upper bound on `Σ cell − Σ row` of every family that has the parents of this table and more; `None`
/// where nothing is known of the score. Proof in the module's documentation.
pub(super) fn upper_bound(family: &PreparedFamily, cells: &[u32], larger: &Additive) -> Option<f64> {
    match (family.cell.term(), family.row.term()) {
        (cell @ Term::XLnX { .. }, row) if cell == row && larger.cell == larger.row => Some(0.0),
        (cell @ Term::LnGamma { offset }, row @ Term::LnGamma { offset: total }) => {
            let child = family.child as f64;
            let symmetric = |cell: f64, row: f64| (row - child * cell).abs() <= 1e-9 * row;
            let (Term::LnGamma { offset: below }, Term::LnGamma { offset: below_total }) =
                (larger.cell, larger.row)
            else {
                return None;
            };
            if !symmetric(offset, total) || !symmetric(below, below_total) {
                return None;
            }
            Some(if cell == larger.cell && row == larger.row {
                cells.iter().map(|&count| family.cell.count(count) - family.row.count(count)).sum()
            } else {
                -child.ln() * cells.iter().filter(|&&count| count > 0).count() as f64
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_compared_for_every_count() {
        let gamma = |offset| Term::LnGamma { offset };
        assert!(dominates(gamma(2.0), gamma(0.5)));
        assert!(!dominates(gamma(0.5), gamma(2.0)));
        assert!(dominates(Term::XLnX { scale: 2.0 }, Term::XLnX { scale: 1.0 }));
        assert!(!dominates(Term::XLnX { scale: 2.0 }, gamma(1.0)));
        for count in 0..50 {
            assert!(gamma(2.0).at(f64::from(count)) >= gamma(0.5).at(f64::from(count)));
        }
    }
}
