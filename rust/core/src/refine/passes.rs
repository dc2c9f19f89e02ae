//! Passes over the rows: a sum of terms is gathered from tables, and its derivatives are scattered to them.

use rayon::prelude::*;

use crate::refine::design::{Design, FEATURES};
use crate::refine::dot::dot;
use crate::refine::knots::{NodeColumn, node_table};
use crate::refine::scatter::{gather_rows, scatter_rows, sum_rows, with_classes};
use crate::refine::trie::NONE;

/// Rows that one thread takes at a time.
const ROWS: usize = 512;

/// Memory for a number of each node, knot and class, to be used again: fresh memory costs as much as the additions.
pub struct Tables(Vec<Vec<f64>>);

/// Sums over rows for each ordered column (by code and class); those of each node (by knot and class) are in its table.
struct Sums {
    steps: Vec<Vec<f64>>,
    /// Σ over rows and classes of the value times ln θ of each node.
    weights: Vec<f64>,
    /// Over all rows, for each class.
    bias: Vec<f64>,
}

impl Design {
    /// Σ of the parameters' terms for each row and class; that of the row's own class with the left-out ln θ.
    pub fn gather(&self, parameters: &[f64]) -> Vec<f64> {
        let mut logits = vec![0.0; self.rows() * self.classes];
        self.gather_into(parameters, &mut logits, &mut self.tables(), |_, _| ());
        logits
    }

    /// Memory for [`Self::gather_into`] and [`Self::derivatives_into`].
    pub fn tables(&self) -> Tables {
        Tables(self.nodes.iter().map(|column| vec![0.0; column.before.len() * self.classes]).collect())
    }

    /// The same, in place of what stands there; each block of rows is handed on, with the number of its first, while it is in
    /// the cache.
    pub fn gather_into(
        &self,
        parameters: &[f64],
        logits: &mut [f64],
        Tables(tables): &mut Tables,
        then: impl Fn(usize, &mut [f64]) + Sync,
    ) {
        let s = self.classes;
        let of_features = &parameters[self.starts[0]..self.starts[1]];
        let steps: Vec<Vec<f64>> =
            (0..self.steps.len()).map(|step| self.step_sums(step, parameters)).collect();
        let of_node = |(node, table): (usize, &mut Vec<f64>)| {
            node_table(&self.nodes[node], s, parameters[s + node], of_features, table);
            for (carrier, steps) in self.carriers.iter().zip(&steps) {
                if let Some((_, codes)) = carrier.as_ref().filter(|carrier| carrier.0 == node) {
                    with_classes!(s, S => gather_rows::<S>(s, steps, codes, table));
                }
            }
        };
        let threads = self.worth_threads();
        if threads {
            tables.par_iter_mut().enumerate().for_each(of_node);
        } else {
            tables.iter_mut().enumerate().for_each(of_node);
        }
        let nodes: &[Vec<f64>] = tables;
        let fill = |(block, logits): (usize, &mut [f64])| {
            let start = block * ROWS;
            with_classes!(s, S => self.gather_block::<S>(start, parameters, nodes, &steps, logits));
            then(start, logits);
        };
        if threads {
            logits.par_chunks_mut(ROWS * s).enumerate().for_each(fill);
        } else {
            logits.chunks_mut(ROWS * s).enumerate().for_each(fill);
        }
    }

    /// The same for the rows from `start` on; `S` is the number of classes where it is known to the compiler, or 0.
    fn gather_block<const S: usize>(
        &self,
        start: usize,
        parameters: &[f64],
        nodes: &[Vec<f64>],
        steps: &[Vec<f64>],
        logits: &mut [f64],
    ) {
        let s = if S > 0 { S } else { self.classes };
        let class = &self.class[start..start + logits.len() / s];
        let mut own = [0.0; ROWS];
        let own = &mut own[..class.len()];
        logits.chunks_exact_mut(s).for_each(|logits| logits.copy_from_slice(&parameters[..s]));
        for (node, (column, table)) in self.nodes.iter().zip(nodes).enumerate() {
            let knots = &column.knots[start..start + class.len()];
            let weight = parameters[self.classes + node];
            gather_rows::<S>(s, table, knots, logits);
            let left_out = &column.left_out[start..start + class.len()];
            own.iter_mut().zip(left_out).for_each(|(own, left_out)| *own += weight * left_out);
        }
        for ((column, table), _) in
            self.steps.iter().zip(steps).zip(&self.carriers).filter(|(_, at)| at.is_none())
        {
            let codes = &column.codes[start..start + class.len()];
            gather_rows::<S>(s, table, codes, logits);
        }
        for (row, &class) in class.iter().enumerate() {
            logits[row * s + class as usize] += own[row];
        }
    }

    /// Sums a number of each row and class over the rows of each knot, into the tables, and of each code. One thread sums one column,
    /// row after row: the order does not depend on the threads. With `squared` about the squares of the weights' ln θ.
    fn scatter(&self, values: &[f64], squared: bool, tables: &mut [Vec<f64>]) -> Sums {
        let s = self.classes;
        let own: Vec<f64> =
            values.chunks_exact(s).zip(&self.class).map(|(values, &class)| values[class as usize]).collect();
        let of_node = |(node, (column, sums)): (usize, (&NodeColumn, &mut Vec<f64>))| {
            sums.fill(0.0);
            with_classes!(s, S => scatter_rows::<S>(s, values, &column.knots, sums));
            let carried =
                self.carriers.iter().zip(&self.steps).enumerate().filter_map(|(step, (carrier, column))| {
                    let (_, codes) = carrier.as_ref().filter(|carrier| carrier.0 == node)?;
                    let mut of_codes = vec![0.0; (column.cuts + 1) * s];
                    with_classes!(s, S => scatter_rows::<S>(s, sums, codes, &mut of_codes));
                    Some((step, of_codes))
                });
            let carried: Vec<(usize, Vec<f64>)> = carried.collect();
            let of_weight: f64 = if squared {
                sums.iter().zip(&column.log_theta).map(|(sum, log_theta)| sum * log_theta * log_theta).sum()
            } else {
                dot(sums, &column.log_theta) + dot(&own, &column.left_out)
            };
            column.add_up(sums, s);
            (of_weight, carried)
        };
        let from_rows = |step: usize| {
            let sums = self.carriers[step].is_none().then(|| self.sums_of_codes(step, values));
            sums.unwrap_or_default()
        };
        let of_bias = || {
            let mut sums = vec![0.0; s];
            with_classes!(s, S => sum_rows::<S>(s, values, &mut sums));
            sums
        };
        let nodes = self.nodes.len();
        let (of_nodes, mut steps, bias): (Vec<_>, Vec<_>, Vec<f64>) = if self.worth_threads() {
            let (of_nodes, (steps, bias)) = rayon::join(
                || {
                    (0..nodes)
                        .into_par_iter()
                        .zip(self.nodes.par_iter().zip(&mut *tables))
                        .map(of_node)
                        .collect()
                },
                || rayon::join(|| (0..self.steps.len()).into_par_iter().map(from_rows).collect(), of_bias),
            );
            (of_nodes, steps, bias)
        } else {
            let of_nodes = (0..nodes).zip(self.nodes.iter().zip(&mut *tables)).map(of_node).collect();
            (of_nodes, (0..self.steps.len()).map(from_rows).collect(), of_bias())
        };
        let mut weights = Vec::with_capacity(nodes);
        for (of_weight, carried) in of_nodes {
            weights.push(of_weight);
            carried.into_iter().for_each(|(step, sums)| steps[step] = sums);
        }
        Sums { steps, weights, bias }
    }

    /// How the weight w of each node hangs together with the features that the node is the first to have, where rows and classes
    /// have the curvature h: Σ h a² of each weight, a its ln θ, and Σ h a ρ of each feature and class.
    pub fn weights_and_features(&self, h: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let s = self.classes;
        let of_node = |column: &NodeColumn| {
            let mut sums = vec![0.0; column.before.len() * s];
            with_classes!(s, S => scatter_rows::<S>(s, h, &column.knots, &mut sums));
            let mut of_weight = 0.0;
            for (sum, log_theta) in sums.iter_mut().zip(&column.log_theta) {
                *sum *= log_theta;
                of_weight += *sum * log_theta;
            }
            for (row, (&knot, left_out)) in column.knots.iter().zip(&column.left_out).enumerate() {
                if knot != NONE {
                    let class = self.class[row] as usize;
                    let (place, h) = (knot as usize * s + class, h[row * s + class]);
                    sums[place] += h * left_out;
                    of_weight += h * left_out * (2.0 * column.log_theta[place] + left_out);
                }
            }
            column.add_up(&mut sums, s);
            (of_weight, sums)
        };
        let (of_weights, of_knots): (Vec<f64>, Vec<Vec<f64>>) =
            self.nodes.par_iter().map(of_node).collect::<Vec<_>>().into_iter().unzip();
        let of_feature = |&(root, node, knot): &(f64, u32, u32)| {
            of_knots[node as usize][knot as usize * s..][..s].iter().map(move |sum| root * sum)
        };
        (of_weights, self.features.iter().flat_map(of_feature).collect())
    }

    /// The derivatives in every parameter of a function with these derivatives in the rows' terms; for `squared` about
    /// the diagonal of Aᵀ diag(values) A instead, A the design.
    pub fn derivatives(&self, values: &[f64], squared: bool) -> Vec<f64> {
        let mut derivatives = vec![0.0; self.parameters()];
        self.derivatives_into(values, squared, &mut derivatives, &mut self.tables());
        derivatives
    }

    /// The same, in place of what stands there.
    pub fn derivatives_into(
        &self,
        values: &[f64],
        squared: bool,
        derivatives: &mut [f64],
        Tables(tables): &mut Tables,
    ) {
        let s = self.classes;
        let Sums { steps, weights, bias } = self.scatter(values, squared, tables);
        derivatives[..s].copy_from_slice(&bias);
        derivatives[s..self.starts[0]].copy_from_slice(&weights);
        let of_features = derivatives[self.starts[0]..self.starts[1]].par_chunks_exact_mut(s);
        let of_features = of_features.zip(&self.features).with_min_len(FEATURES);
        of_features.for_each(|(derivatives, &(root, node, knot))| {
            let scale = if squared { root * root } else { root };
            let of_knot = &tables[node as usize][knot as usize * s..][..s];
            for class in 0..s {
                derivatives[class] = scale * of_knot[class];
            }
        });
        for (step, column) in self.steps.iter().enumerate() {
            let of_codes = &steps[step];
            for class in 0..s {
                let total: f64 = (0..=column.cuts).map(|code| of_codes[code * s + class]).sum();
                let mut below = 0.0;
                for cut in 0..column.cuts {
                    below += of_codes[cut * s + class];
                    derivatives[self.starts[1 + step] + cut * s + class] =
                        if squared { 0.25 * total } else { 0.5 * total - below };
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::math::Random;
    use crate::refine::objective::tests::training;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(50))]
        #[test]
        fn steps_that_a_node_tells_are_those_of_the_rows(
            rows in prop::collection::vec((0i64..3, -1i64..3, -1i64..2), 3..40), seed in 0u64..100,
        ) {
            // The ordered codes follow from the value of the second attribute.
            let rows: Vec<_> = rows.into_iter().map(|(c, x, y)| (c, x, y, if y < 0 { -1 } else { 3 - 2 * y })).collect();
            let mut design = training(&rows, 3).design;
            prop_assert!(design.carriers.iter().all(Option::is_some));
            let mut random = Random::new(seed);
            let parameters: Vec<f64> = (0..design.parameters()).map(|_| random.normal()).collect();
            let values: Vec<f64> = (0..design.rows() * 3).map(|_| random.normal()).collect();
            let carried = [design.gather(&parameters), design.derivatives(&values, false), design.derivatives(&values, true)];
            design.carriers.iter_mut().for_each(|carrier| *carrier = None);
            let plain = [design.gather(&parameters), design.derivatives(&values, false), design.derivatives(&values, true)];
            for (carried, plain) in carried.iter().flatten().zip(plain.iter().flatten()) {
                prop_assert!((carried - plain).abs() < 1e-12 * (1.0 + plain.abs()), "{carried} {plain}");
            }
        }
    }
}
