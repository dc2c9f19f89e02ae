//! Data for the criterion benches: tables drawn from random trees by a fixed seed.

#[cfg(feature = "yardstick")]
pub mod yardstick;

use tanager_core::data::{Column, Dataset};
use tanager_core::math::Random;

/// 3,196 rows of 36 binary attributes and 2 classes, the size of chess (kr-vs-kp).
pub fn chess_like() -> Dataset {
    random_tree(3_196, 36, 2, 2, 1)
}

/// 20,000 rows of 16 attributes of 16 values and 26 classes, the size of letter.
pub fn letter_like() -> Dataset {
    random_tree(20_000, 16, 16, 26, 2)
}

/// 5,000 rows of 500 attributes of three values and 2 classes.
pub fn wide() -> Dataset {
    random_tree(5_000, 500, 3, 2, 3)
}

/// 1,000,000 rows of 30 attributes of four values and 3 classes.
pub fn tall() -> Dataset {
    random_tree(1_000_000, 30, 4, 3, 4)
}

/// Rows from a random tree-augmented network: each attribute is drawn given the class and one attribute before it, from
/// distributions that are themselves drawn uniformly.
pub fn random_tree(rows: usize, columns: usize, values: usize, classes: usize, seed: u64) -> Dataset {
    let mut random = Random::new(seed);
    let class: Vec<usize> = (0..rows).map(|_| random.below(classes as u64) as usize).collect();
    let mut codes: Vec<Vec<usize>> = Vec::with_capacity(columns);
    for place in 0..columns {
        let parent = (place > 0).then(|| random.below(place as u64) as usize);
        let configurations = classes * values;
        let cumulative: Vec<Vec<f64>> =
            (0..configurations).map(|_| distribution(&mut random, values)).collect();
        let column = (0..rows)
            .map(|row| {
                let above = parent.map_or(0, |parent| codes[parent][row]);
                let uniform = random.uniform();
                let thresholds = &cumulative[class[row] * values + above];
                thresholds.iter().take(values - 1).filter(|&&threshold| uniform >= threshold).count()
            })
            .collect();
        codes.push(column);
    }
    let column = |codes: &[usize], arity: usize| {
        Column::from_integers("x", codes.iter().map(|&code| code as i64), arity, None).unwrap_or_else(
            |error| {
                unreachable!("codes are drawn below their arity: {error}");
            },
        )
    };
    let attributes = codes.iter().map(|codes| column(codes, values)).collect();
    Dataset::new(attributes, Some(column(&class, classes)))
        .unwrap_or_else(|error| unreachable!("columns have one length: {error}"))
}

/// The cumulative sums of a point drawn from Dirichlet(1, …, 1).
fn distribution(random: &mut Random, values: usize) -> Vec<f64> {
    let shares: Vec<f64> = (0..values).map(|_| -random.uniform().ln()).collect();
    let sum: f64 = shares.iter().sum();
    shares
        .iter()
        .scan(0.0, |before, share| {
            *before += share / sum;
            Some(*before)
        })
        .collect()
}
