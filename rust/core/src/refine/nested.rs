//! The features of a node, which are nested: the part of the Hessian that ties them together, solved exactly.

use multiversion::multiversion;
use rayon::prelude::*;

use crate::refine::dot::{add_scaled, dot, with_zeros};
use crate::refine::trie::NONE;

/// For each node and class the block of the Hessian of the features that the node is the first to have, factored.
///
/// # Formula
/// ```text
/// block: λ [f = g] + ρ_f ρ_g Σ_t h_t [row t has both f and g]
/// ```
/// ρ the feature's √M, h_t = ω_t p_tc (1 − p_tc). A path's features are nested, so that the block is that of a tree: with
/// u_f = u_above + ρ_f x_f, its quadratic form less a vector g is ½ λ Σ x² + ½ Σ H u² − Σ g x, where H sums h over the
/// rows that reach no deeper feature. x is eliminated from the leaves on; with A_f = H_f + Σ_below a and B_f = Σ_below b
/// ```text
/// D = 1 / (λ + ρ² A),   a = A λ D,   b = B − A ρ D (g + ρ B),   x = D (g + ρ B) − A ρ D u_above
/// ```
/// Without it a value's δ and those of its contexts, which hold the same rows, would seem to be independent.
///
/// The weight w of the node's ln θ, which the features express nearly as well, stands at the border of its blocks: with block B of all
/// classes, c = Σ h a x of the features, a the ln θ of the rows, and their solution t = B⁻¹ c
/// ```text
/// S = precision + Σ h a² − c·t,   w = (g_w − t·g) / S,   x = B⁻¹ g − t w
/// ```
///
/// # Complexity
/// O(features · classes) to make and to apply.
pub struct Nested {
    classes: usize,
    /// For each node its features: ρ, and the place among them of the one above, or [`NONE`].
    nodes: Vec<Vec<(f64, u32)>>,
    /// (D, A ρ D) of each feature and class.
    factors: Vec<(f64, f64)>,
    /// t of each feature and class.
    tied: Vec<f64>,
    /// 1 / S of each node.
    of_weights: Vec<f64>,
}

impl Nested {
    /// From the features of each node, ρ² Σ_t h_t of each feature and class, over all rows that have it, the curvature of
    /// each weight with its precision, and c of each feature and class.
    pub fn new(
        nodes: Vec<Vec<(f64, u32)>>,
        curvature: &[f64],
        (of_weights, tied): (Vec<f64>, Vec<f64>),
        classes: usize,
        ridge: f64,
    ) -> Self {
        let s = classes;
        let mut factors = vec![(0.0, 0.0); curvature.len()];
        let parts = nodes.iter().zip(split(curvature, &nodes, s)).zip(split_mut(&mut factors, &nodes, s));
        let parts: Vec<_> = parts.collect();
        parts.into_par_iter().for_each(|((features, curvature), factors)| {
            let mut a: Vec<f64> = curvature.to_vec();
            for (of_feature, &(root, _)) in a.chunks_exact_mut(s).zip(features) {
                of_feature.iter_mut().for_each(|sum| *sum /= root * root);
            }
            // From the deepest on: what a feature hands up replaces what its rows had there.
            for (feature, &(root, above)) in features.iter().enumerate().rev() {
                let (before, own) = a.split_at_mut(feature * s);
                let own = &mut own[..s];
                for ((a, factor), all) in
                    own.iter_mut().zip(&mut factors[feature * s..]).zip(&curvature[feature * s..])
                {
                    *a = a.max(0.0);
                    let d = 1.0 / (ridge + root * root * *a);
                    *factor = (d, *a * root * d);
                    *a = *a * ridge * d - all / (root * root);
                }
                if above != NONE {
                    before[above as usize * s..]
                        .iter_mut()
                        .zip(own)
                        .for_each(|(sum, change)| *sum += *change);
                }
            }
        });
        let mut nested = Self { classes, nodes, factors, tied: vec![0.0; tied.len()], of_weights };
        // As long as nothing is tied, the features are solved alone.
        let mut solved = vec![0.0; tied.len()];
        nested.apply(
            (&vec![0.0; nested.nodes.len()], &tied),
            (&mut vec![0.0; nested.nodes.len()], &mut solved),
        );
        let by_node = split(&tied, &nested.nodes, s).into_iter().zip(split(&solved, &nested.nodes, s));
        for (of_weight, (tied, solved)) in nested.of_weights.iter_mut().zip(by_node) {
            // What rounding has made nothing, or less, is taken for nearly so.
            *of_weight = 1.0 / (*of_weight - dot(tied, solved)).max(1e-12 * *of_weight);
        }
        nested.tied = solved;
        nested
    }

    /// The inverse of the blocks times a vector of the weights and one of the features.
    pub fn apply(&self, (weights, features): (&[f64], &[f64]), solved: (&mut [f64], &mut [f64])) {
        let (s, nodes) = (self.classes, &self.nodes);
        let of_features = split(features, nodes, s).into_iter().zip(split_mut(solved.1, nodes, s));
        let known = split(&self.factors, nodes, s).into_iter().zip(split(&self.tied, nodes, s));
        let of_weights = weights.iter().zip(&self.of_weights).zip(solved.0);
        let parts: Vec<_> = nodes.iter().zip(of_features).zip(known).zip(of_weights).collect();
        parts.into_par_iter().for_each(
            |(((features, values), known), ((weight, inverse), solved_weight))| {
                let ((vector, solved), (factors, tied)) = (values, known);
                with_zeros(vector.len(), |passed| solve(features, s, vector, factors, solved, passed));
                *solved_weight = inverse * (weight - dot(tied, vector));
                add_scaled(solved, -*solved_weight, tied);
            },
        );
    }
}

/// The solution of one node's block; `passed`, zero, is for B on the way up and u on the way down.
#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
fn solve(
    features: &[(f64, u32)],
    s: usize,
    vector: &[f64],
    factors: &[(f64, f64)],
    solved: &mut [f64],
    passed: &mut [f64],
) {
    for (feature, &(root, above)) in features.iter().enumerate().rev() {
        let (before, own) = passed.split_at_mut(feature * s);
        let range = feature * s..(feature + 1) * s;
        let values = vector[range.clone()].iter().zip(&factors[range.clone()]).zip(&mut solved[range]);
        for (own, ((g, (d, e)), x)) in own.iter_mut().zip(values) {
            let sum = g + root * *own;
            *x = d * sum;
            *own -= e * sum;
        }
        if above != NONE {
            before[above as usize * s..].iter_mut().zip(&own[..s]).for_each(|(sum, b)| *sum += b);
        }
    }
    for (feature, &(root, above)) in features.iter().enumerate() {
        let (before, own) = passed.split_at_mut(feature * s);
        let range = feature * s..(feature + 1) * s;
        let values = factors[range.clone()].iter().zip(&mut solved[range]).zip(own);
        if above == NONE {
            values.for_each(|((_, x), u)| *u = root * *x);
            continue;
        }
        for (((&(_, e), x), u), above) in values.zip(&before[above as usize * s..]) {
            *x -= e * above;
            *u = above + root * *x;
        }
    }
}

/// The part of each node.
fn split<'a, T>(mut values: &'a [T], nodes: &[Vec<(f64, u32)>], classes: usize) -> Vec<&'a [T]> {
    let part = |features: &Vec<_>| values.split_off(..features.len() * classes).unwrap_or_default();
    nodes.iter().map(part).collect()
}

/// The same, to be written.
fn split_mut<'a, T>(mut values: &'a mut [T], nodes: &[Vec<(f64, u32)>], classes: usize) -> Vec<&'a mut [T]> {
    let part = |features: &Vec<_>| values.split_off_mut(..features.len() * classes).unwrap_or_default();
    nodes.iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_inverted() {
        // A path of three features with a side branch, and a node of one; h of the rows that reach no deeper, two classes.
        let nodes = vec![vec![(1.0, NONE), (2.0, 0), (1.5, 1), (1.0, 0)], vec![(3.0, NONE)]];
        let ending = [[0.5, 0.0], [1.0, 0.2], [0.1, 2.0], [0.3, 0.7], [0.4, 0.6]];
        let has = [vec![0], vec![0, 1], vec![0, 1, 2], vec![0, 3], vec![4]];
        let root = [1.0, 2.0, 1.5, 1.0, 3.0];
        let block = |f: usize, g: usize, class: usize| -> f64 {
            let same_node = (f == 4) == (g == 4);
            let rows = (0..5).filter(|&end| same_node && has[end].contains(&f) && has[end].contains(&g));
            root[f] * root[g] * rows.map(|end| ending[end][class]).sum::<f64>()
        };
        let curvature: Vec<f64> = (0..5).flat_map(|f| [block(f, f, 0), block(f, f, 1)]).collect();
        // A number of each feature and class for the weight of each node, whose block has nothing else.
        let tied: Vec<f64> = (0..10).map(|place| 0.1 * (1.0 + place as f64).cos()).collect();
        let of_weights = vec![3.0, 2.0];
        let nested = Nested::new(nodes, &curvature, (of_weights.clone(), tied.clone()), 2, 0.7);
        let vector: Vec<f64> = (0..10).map(|place| (place as f64).sin()).collect();
        let of_nodes = [0.4, -1.3];
        let (mut weights, mut solved) = (vec![0.0; 2], vec![0.0; 10]);
        nested.apply((&of_nodes, &vector), (&mut weights, &mut solved));
        for f in 0..5 {
            for class in 0..2 {
                let place = f * 2 + class;
                let product = (0..5).map(|g| block(f, g, class) * solved[g * 2 + class]).sum::<f64>();
                let found = product + 0.7 * solved[place] + tied[place] * weights[f / 4];
                assert!((found - vector[place]).abs() < 1e-12, "{f} {class}: {found}");
            }
        }
        for (node, features) in [0..8, 8..10].into_iter().enumerate() {
            let product: f64 = features.map(|place| tied[place] * solved[place]).sum();
            let found = product + of_weights[node] * weights[node];
            assert!((found - of_nodes[node]).abs() < 1e-12, "{node}: {found}");
        }
    }
}
