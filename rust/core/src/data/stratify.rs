//! Folds in which every class has its share.

use crate::data::{Column, RowGroups};
use crate::error::{Error, Result, check_parameter};
use crate::math::Random;

/// The fold of each row, 0 to `folds − 1`: the sizes of the folds, and of each class within them, differ by at most
/// one, as far as there are rows.
///
/// As in scikit-learn's `StratifiedKFold(shuffle=True)` the rows are dealt out to the folds in the order of their
/// classes, then the rows of each class exchange their folds at random. A class with fewer rows than folds is absent
/// from some, and with fewer rows than folds some of these are empty.
///
/// # Complexity
/// O(N).
pub fn stratified_folds(class: &Column, folds: usize, seed: u64) -> Result<Vec<u32>> {
    let is_allowed = (2..=u32::MAX as usize).contains(&folds);
    check_parameter("cv", folds as f64, is_allowed, "a cross-validation has at least 2 folds")?;
    if let Some(row) = (0..class.len()).find(|&row| class.get(row).is_none()) {
        return Err(Error::MissingClass { row });
    }
    let classes = RowGroups::new(class.arity(), (0..class.len()).filter_map(|row| class.get(row)));
    let mut random = Random::new(seed);
    let mut fold_of_row = vec![0; class.len()];
    for places in classes.ranges() {
        let mut hand: Vec<u32> = places.clone().map(|card| (card % folds) as u32).collect();
        random.shuffle(&mut hand);
        for (&row, fold) in classes.rows()[places].iter().zip(hand) {
            fold_of_row[row as usize] = fold;
        }
    }
    Ok(fold_of_row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn folds_of(classes: &[i64], folds: usize, seed: u64) -> Result<Vec<u32>> {
        stratified_folds(&Column::from_integers("y", classes.iter().copied(), 3, None).unwrap(), folds, seed)
    }

    #[test]
    fn the_seed_decides() {
        let classes: Vec<i64> = (0..60).map(|row| row % 3).collect();
        assert_eq!(folds_of(&classes, 5, 1), folds_of(&classes, 5, 1));
        assert_ne!(folds_of(&classes, 5, 1), folds_of(&classes, 5, 2));
        assert!(folds_of(&classes, 1, 0).is_err());
    }

    proptest! {
        #[test]
        fn folds_and_classes_within_them_are_as_even_as_can_be(
            classes in prop::collection::vec(0i64..3, 1..60), folds in 2usize..8, seed in 0u64..100,
        ) {
            let found = folds_of(&classes, folds, seed).unwrap();
            let spread = |class: Option<i64>| {
                let mut sizes = vec![0; folds];
                for (&fold, &of_row) in found.iter().zip(&classes) {
                    sizes[fold as usize] += usize::from(class.is_none_or(|class| class == of_row));
                }
                sizes.iter().max().unwrap() - sizes.iter().min().unwrap()
            };
            for class in [None, Some(0), Some(1), Some(2)] {
                prop_assert!(spread(class) <= 1);
            }
        }
    }
}
