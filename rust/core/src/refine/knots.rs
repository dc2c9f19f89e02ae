//! The nodes of a network with one knot for all places that hold the same rows.

use std::collections::HashMap;

use rayon::prelude::*;

use crate::math::Random;
use crate::refine::backoff::Fitted;
use crate::refine::trie::NONE;

/// One node of the network as the training rows see it. Places that hold the same rows, one after another on a path, are
/// one *knot*.
#[derive(Debug)]
pub struct NodeColumn {
    /// The knot of each row, [`NONE`] where the node's value is missing.
    pub knots: Vec<u32>,
    /// The knot before it on the path.
    pub(super) before: Vec<u32>,
    /// The feature of each knot, and how often it counts.
    pub(super) features: Vec<(u32, f64)>,
    /// ln θ of each knot and class, less the mean over the classes.
    pub(super) log_theta: Vec<f64>,
    /// How much less ln θ of each row's own class is without the row.
    pub(super) left_out: Vec<f64>,
    /// The feature of each place (see [`crate::refine::Backoff`]).
    pub(super) feature_of_place: Vec<u32>,
    /// The place with one parent less.
    pub(super) shorter: Vec<u32>,
    /// The code of the column that each place adds to it.
    codes: Vec<u32>,
    /// The first place of each knot.
    first_places: Vec<u32>,
}

impl NodeColumn {
    /// Appends the codes that the rows of a knot share: of the node's own column, then of its parents.
    pub(super) fn push_codes(&self, knot: u32, values: &mut Vec<u32>) {
        let (start, mut place) = (values.len(), self.first_places[knot as usize]);
        while place != NONE {
            values.push(self.codes[place as usize]);
            place = self.shorter[place as usize];
        }
        values[start..].reverse();
    }

    /// From sums over the rows that end at each knot to those over all its rows, for each of the classes.
    pub(super) fn add_up(&self, sums: &mut [f64], classes: usize) {
        for (knot, &before) in self.before.iter().enumerate().rev().filter(|&(_, &before)| before != NONE) {
            let (above, own) = sums.split_at_mut(knot * classes);
            let above = &mut above[before as usize * classes..][..classes];
            above.iter_mut().zip(own).for_each(|(sum, value)| *sum += *value);
        }
    }

    /// What the node's ln θ adds to the logit of the second of two classes, less that of the first, in each row.
    pub(super) fn tilts(&self, class: &[u32]) -> Vec<f64> {
        let of_row = |((&knot, left_out), &class): ((&u32, &f64), &u32)| {
            let sign = if class == 1 { 1.0 } else { -1.0 };
            let whole = if knot == NONE {
                0.0
            } else {
                self.log_theta[2 * knot as usize + 1] - self.log_theta[2 * knot as usize]
            };
            whole + sign * left_out
        };
        self.knots.iter().zip(&self.left_out).zip(class).map(of_row).collect()
    }
}

/// A node whose places are knots.
struct Compressed {
    node: Fitted,
    shorter: Vec<u32>,
    knot_of_place: Vec<u32>,
    before: Vec<u32>,
    /// Which rows a knot holds, how many places it has, and the last of them.
    of_knots: Vec<(u128, f64, usize)>,
}

/// The knots of every node, and the features that they share.
pub(super) fn knots(s: usize, nodes: Vec<Fitted>, class: &[u32]) -> (Vec<NodeColumn>, Vec<(f64, u32, u32)>) {
    // A set of rows is known by the sum of random numbers of its rows: 128 bits do not collide.
    let number = |row: usize| {
        let mut random = Random::new(row as u64);
        u128::from(random.next_u64()) << 64 | u128::from(random.next_u64())
    };
    let numbers: Vec<u128> = (0..class.len()).into_par_iter().map(number).collect();
    let compress = |node: Fitted| {
        let shorter = node.backoff.shorter();
        let mut sets = vec![0u128; shorter.len()];
        for (&place, number) in node.places.iter().zip(&numbers) {
            if place != NONE {
                sets[place as usize] = sets[place as usize].wrapping_add(*number);
            }
        }
        for place in (0..shorter.len()).rev() {
            if shorter[place] != NONE {
                sets[shorter[place] as usize] = sets[shorter[place] as usize].wrapping_add(sets[place]);
            }
        }
        let (mut knot_of_place, mut before) = (Vec::with_capacity(shorter.len()), Vec::new());
        let mut of_knots: Vec<(u128, f64, usize)> = Vec::new();
        for (place, &up) in shorter.iter().enumerate() {
            let above = if up == NONE { NONE } else { knot_of_place[up as usize] };
            if above != NONE && sets[up as usize] == sets[place] {
                let (_, times, last) = &mut of_knots[above as usize];
                (*times, *last) = (*times + 1.0, place);
                knot_of_place.push(above);
            } else {
                knot_of_place.push(of_knots.len() as u32);
                before.push(above);
                of_knots.push((sets[place], 1.0, place));
            }
        }
        Compressed { node, shorter, knot_of_place, before, of_knots }
    };
    let compressed: Vec<_> = nodes.into_par_iter().map(compress).collect();
    let mut known: HashMap<u128, u32> = HashMap::new();
    let mut features: Vec<(f64, u32, u32)> = Vec::new();
    for (node, compressed) in compressed.iter().enumerate() {
        for (knot, &(set, times, _)) in compressed.of_knots.iter().enumerate() {
            let feature = *known.entry(set).or_insert(features.len() as u32) as usize;
            if feature == features.len() {
                features.push((0.0, node as u32, knot as u32));
            }
            features[feature].0 += times;
        }
    }
    features.iter_mut().for_each(|(times, ..)| *times = times.sqrt());
    let column = |Compressed { node, shorter, knot_of_place, before, of_knots }: Compressed| {
        let feature =
            |&(set, times, _): &(u128, f64, usize)| (known[&set], times / features[known[&set] as usize].0);
        let whole = node.backoff.log_theta();
        let mut log_theta: Vec<f64> =
            of_knots.iter().flat_map(|&(_, _, place)| whole[place * s..][..s].iter().copied()).collect();
        // What all classes share changes no probability, but would hide from the optimiser how little is left.
        for of_knot in log_theta.chunks_exact_mut(s) {
            let mean = of_knot.iter().sum::<f64>() / s as f64;
            of_knot.iter_mut().for_each(|value| *value -= mean);
        }
        // All places of a knot hold the same rows: its last one is where these end.
        let left_out = |(&place, &class): (&u32, &u32)| {
            if place == NONE {
                return 0.0;
            }
            let last = of_knots[knot_of_place[place as usize] as usize].2;
            let place = last * s + class as usize;
            node.log_left_out[place] - whole[place]
        };
        let knot = |&place: &u32| if place == NONE { NONE } else { knot_of_place[place as usize] };
        let knot_features: Vec<(u32, f64)> = of_knots.iter().map(feature).collect();
        let mut first_places = vec![NONE; of_knots.len()];
        for (place, &knot) in knot_of_place.iter().enumerate().rev() {
            first_places[knot as usize] = place as u32;
        }
        NodeColumn {
            knots: node.places.iter().map(knot).collect(),
            before,
            feature_of_place: knot_of_place.iter().map(|&knot| knot_features[knot as usize].0).collect(),
            features: knot_features,
            left_out: node.places.iter().zip(class).map(left_out).collect(),
            log_theta,
            shorter,
            codes: node.backoff.codes(),
            first_places,
        }
    };
    (compressed.into_par_iter().map(column).collect(), features)
}

/// For each knot and class the sum of its terms, into a table: w ln θ + Σ δ along its path.
pub(super) fn node_table(column: &NodeColumn, s: usize, weight: f64, of_features: &[f64], table: &mut [f64]) {
    for (knot, (&before, &(feature, times))) in column.before.iter().zip(&column.features).enumerate() {
        let of_feature = &of_features[feature as usize * s..][..s];
        let (above, own) = table.split_at_mut(knot * s);
        let own = &mut own[..s];
        for class in 0..s {
            own[class] = times * of_feature[class];
        }
        if before != NONE {
            let above = &above[before as usize * s..][..s];
            for class in 0..s {
                own[class] += above[class];
            }
        }
    }
    table.iter_mut().zip(&column.log_theta).for_each(|(sum, log_theta)| *sum += weight * log_theta);
}
