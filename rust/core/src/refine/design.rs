//! The rows as small integers: what a sum of terms is gathered from, and its derivatives scattered to.

use multiversion::multiversion;
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::memory::memory_limit;
use crate::refine::backoff::Fitted;
use crate::refine::dot::dot;
use crate::refine::knots::{NodeColumn, knots, node_table};
use crate::refine::trie::NONE;

/// Calls with the number of classes as a constant, which lets the compiler unroll the loops over them; many classes
/// are many enough for loops.
macro_rules! with_classes {
    ($classes:expr, $s:ident => $body:expr) => {
        with_classes!($classes, $s => $body, 2 3 4 5 6 7 8 9 10 11 12)
    };
    ($classes:expr, $s:ident => $body:expr, $($number:literal)*) => {
        match $classes {
            $($number => {
                const $s: usize = $number;
                $body
            })*
            _ => {
                const $s: usize = 0;
                $body
            }
        }
    };
}
/// Rows that one thread takes at a time.
const ROWS: usize = 512;
/// Features that one thread takes at a time, at least.
const FEATURES: usize = 2048;
/// How many steps the optimiser remembers; told here, as a design is refused where they would not fit into memory.
pub const MEMORY: usize = 6;
/// Below this much work threads cost more than they bring.
const WORTH_THREADS: usize = 1 << 17;

/// One ordered column: how many of its cuts lie below each row's value, [`NONE`] where that is missing.
#[derive(Debug, Clone)]
pub struct StepColumn {
    /// The number of cuts below the value.
    pub codes: Vec<u32>,
    /// How many cuts there are.
    pub cuts: usize,
}

/// The integer design of one structure: all ridges share it.
///
/// Parameters stand in one vector: b (a number for each class), w (one for each node), v (for each feature and class), δ
/// of the ordered columns (for each cut and class).
///
/// Deep contexts hold few rows, and many of them, of one node or of several, hold the same. Their δ enter every row together
/// and at the optimum are equal, so that M places of the same rows share one feature v = √M δ: the same optimum,
/// penalty λ v² / 2 included, with far fewer parameters.
#[derive(Debug)]
pub struct Design {
    /// The number of classes.
    pub classes: usize,
    /// The class of each row.
    pub class: Vec<u32>,
    /// The weight of each row.
    pub weights: Vec<f64>,
    /// The nodes.
    pub nodes: Vec<NodeColumn>,
    /// The ordered columns.
    pub steps: Vec<StepColumn>,
    /// √M of each feature, and a node and knot that it belongs to.
    features: Vec<(f64, u32, u32)>,
    starts: Vec<usize>,
}

/// Sums over rows, for each node (by knot and class) and ordered column (by code and class).
struct Sums {
    nodes: Vec<Vec<f64>>,
    steps: Vec<Vec<f64>>,
    /// For each node Σ over rows of the value of the row's own class times what is left out with the row.
    left_out: Vec<f64>,
}

impl Design {
    /// Puts a design together; refused where a few vectors of its parameters would not fit into memory.
    pub fn new(
        classes: usize,
        class: Vec<u32>,
        weights: Vec<f64>,
        nodes: Vec<Fitted>,
        steps: Vec<StepColumn>,
    ) -> Result<Self> {
        let (nodes, features) = knots(classes, nodes, &class);
        let mut starts = vec![classes + nodes.len(), classes + nodes.len() + features.len() * classes];
        for column in &steps {
            starts.push(starts[starts.len() - 1] + column.cuts * classes);
        }
        let design = Self { classes, class, weights, nodes, steps, features, starts };
        // Remembered steps are pairs of 32-bit vectors.
        let cells = design.parameters() as u128 * (MEMORY as u128 + 10);
        let limit = u128::from(memory_limit() / 8);
        if cells > limit {
            return Err(Error::TooManyCells { family: "the refined terms".into(), cells, limit });
        }
        Ok(design)
    }

    /// The number of parameters.
    pub fn parameters(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }

    /// The parameters of the features.
    pub fn of_features(&self) -> std::ops::Range<usize> {
        self.starts[0]..self.starts[1]
    }

    /// Takes from each b, v and δ what all classes share, which changes no probability: at the optimum it is 0.
    pub fn centre(&self, parameters: &mut [f64]) {
        let s = self.classes;
        let centre = |values: &mut [f64]| {
            for of_classes in values.chunks_exact_mut(s) {
                let mean = of_classes.iter().sum::<f64>() / s as f64;
                of_classes.iter_mut().for_each(|value| *value -= mean);
            }
        };
        centre(&mut parameters[..s]);
        parameters[self.starts[0]..].par_chunks_mut(FEATURES * s).for_each(centre);
    }

    /// The parameters of a class: b, features, ordered columns.
    pub fn of_class(&self, class: usize) -> impl Iterator<Item = usize> {
        let first = self.starts[0] + class;
        std::iter::once(class).chain((first..self.parameters()).step_by(self.classes))
    }

    /// For each node the features that it is the first to have, in their order: √M, and the place among them of the one
    /// that is next above on the path, or [`NONE`].
    pub fn nested_features(&self) -> Vec<Vec<(f64, u32)>> {
        let mut firsts = vec![0; self.nodes.len()];
        let mut nested: Vec<Vec<(f64, u32)>> = vec![Vec::new(); self.nodes.len()];
        for (place, &(root, node, knot)) in self.features.iter().enumerate() {
            let (column, of_node) = (&self.nodes[node as usize], &mut nested[node as usize]);
            if of_node.is_empty() {
                firsts[node as usize] = place;
            }
            let mut above = column.before[knot as usize];
            let first = firsts[node as usize];
            // Features that an earlier node has as well are among its own.
            while above != NONE && (column.features[above as usize].0 as usize) < first {
                above = column.before[above as usize];
            }
            let above = if above == NONE { NONE } else { column.features[above as usize].0 - first as u32 };
            of_node.push((root, above));
        }
        nested
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.class.len()
    }

    /// δ of an ordered column's cuts.
    fn steps_of<'a>(&self, steps: usize, parameters: &'a [f64]) -> &'a [f64] {
        &parameters[self.starts[1 + steps]..self.starts[2 + steps]]
    }

    /// Where the parameters of an ordered column begin: for each cut one for each class.
    pub fn start_of_steps(&self, steps: usize) -> usize {
        self.starts[1 + steps]
    }

    /// A number of each row and class, summed over the rows of each code of an ordered column: for each code and class.
    pub fn sums_of_codes(&self, steps: usize, values: &[f64]) -> Vec<f64> {
        let (s, column) = (self.classes, &self.steps[steps]);
        let mut sums = vec![0.0; (column.cuts + 1) * s];
        with_classes!(s, S => scatter_rows::<S>(s, values, &column.codes, &mut sums));
        sums
    }

    /// For each place of a node and each class Σ δ along the path that ends there.
    pub fn path_sums(&self, node: usize, parameters: &[f64]) -> Vec<f64> {
        let s = self.classes;
        let column = &self.nodes[node];
        let mut path = vec![0.0; column.shorter.len() * s];
        for (place, (&feature, &before)) in column.feature_of_place.iter().zip(&column.shorter).enumerate() {
            let of_feature = &parameters[self.starts[0] + feature as usize * s..][..s];
            let root = self.features[feature as usize].0;
            for class in 0..s {
                let so_far = if before == NONE { 0.0 } else { path[before as usize * s + class] };
                path[place * s + class] = so_far + of_feature[class] / root;
            }
        }
        path
    }

    /// The step function of an ordered column: for each number of cuts below a value and each class.
    pub fn step_sums(&self, steps: usize, parameters: &[f64]) -> Vec<f64> {
        step_table(self.steps_of(steps, parameters), self.classes)
    }

    /// How many entries of tables the rows visit, each class on its own.
    fn entries(&self) -> usize {
        self.rows() * (self.nodes.len() + self.steps.len()) * self.classes
    }

    /// How many numbers a step of the optimiser visits, about: entries of tables, and a few vectors of parameters.
    pub fn visits(&self) -> usize {
        self.entries() + 4 * self.parameters()
    }

    fn worth_threads(&self) -> bool {
        self.entries() >= WORTH_THREADS
    }

    /// Σ of the parameters' terms for each row and class; that of the row's own class with the left-out ln θ.
    pub fn gather(&self, parameters: &[f64]) -> Vec<f64> {
        let (s, n) = (self.classes, self.nodes.len());
        let of_features = &parameters[self.starts[0]..self.starts[1]];
        let of_node = |node: usize| node_table(&self.nodes[node], s, parameters[s + node], of_features);
        let of_steps = |step: usize| self.step_sums(step, parameters);
        let threads = self.worth_threads();
        let (nodes, steps): (Vec<Vec<f64>>, Vec<Vec<f64>>) = if threads {
            let nodes = (0..n).into_par_iter().map(of_node).collect();
            (nodes, (0..self.steps.len()).into_par_iter().map(of_steps).collect())
        } else {
            ((0..n).map(of_node).collect(), (0..self.steps.len()).map(of_steps).collect())
        };
        let mut logits = vec![0.0; self.rows() * s];
        let fill = |(block, logits): (usize, &mut [f64])| with_classes!(s, S => self.gather_block::<S>(block * ROWS, parameters, &nodes, &steps, logits));
        if threads {
            logits.par_chunks_mut(ROWS * s).enumerate().for_each(fill);
        } else {
            logits.chunks_mut(ROWS * s).enumerate().for_each(fill);
        }
        logits
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
        for (column, table) in self.steps.iter().zip(steps) {
            let codes = &column.codes[start..start + class.len()];
            gather_rows::<S>(s, table, codes, logits);
        }
        for (row, &class) in class.iter().enumerate() {
            logits[row * s + class as usize] += own[row];
        }
    }

    /// Sums a number of each row and class over the rows of each knot and code. One thread sums one column, row after
    /// row: the order does not depend on the threads.
    fn scatter(&self, values: &[f64]) -> Sums {
        let s = self.classes;
        let own: Vec<f64> =
            values.chunks_exact(s).zip(&self.class).map(|(values, &class)| values[class as usize]).collect();
        let of_node = |column: &NodeColumn| {
            let mut sums = vec![0.0; column.before.len() * s];
            with_classes!(s, S => scatter_rows::<S>(s, values, &column.knots, &mut sums));
            (sums, dot(&own, &column.left_out))
        };
        let of_steps = |steps: usize| self.sums_of_codes(steps, values);
        let (nodes, steps): (Vec<_>, Vec<_>) = if self.worth_threads() {
            rayon::join(
                || self.nodes.par_iter().map(of_node).collect(),
                || (0..self.steps.len()).into_par_iter().map(of_steps).collect(),
            )
        } else {
            (self.nodes.iter().map(of_node).collect(), (0..self.steps.len()).map(of_steps).collect())
        };
        let (nodes, left_out) = nodes.into_iter().unzip();
        Sums { nodes, steps, left_out }
    }

    /// The derivatives in every parameter of a function with these derivatives in the rows' terms; for `squared` about
    /// the diagonal of Aᵀ diag(values) A instead, A the design.
    pub fn derivatives(&self, values: &[f64], squared: bool) -> Vec<f64> {
        let s = self.classes;
        let Sums { nodes, steps, left_out } = self.scatter(values);
        let mut derivatives = vec![0.0; self.parameters()];
        for values in values.chunks_exact(s) {
            for class in 0..s {
                derivatives[class] += values[class];
            }
        }
        let of_node = |(column, mut sums): (&NodeColumn, Vec<f64>)| {
            let of_weight: f64 = if squared {
                sums.iter().zip(&column.log_theta).map(|(sum, log_theta)| sum * log_theta * log_theta).sum()
            } else {
                dot(&sums, &column.log_theta)
            };
            for knot in (0..column.before.len()).rev() {
                if column.before[knot] != NONE {
                    let (before, from) = sums.split_at_mut(knot * s);
                    let before = &mut before[column.before[knot] as usize * s..][..s];
                    for class in 0..s {
                        before[class] += from[class];
                    }
                }
            }
            (of_weight, sums)
        };
        let of_nodes: Vec<(f64, Vec<f64>)> = if self.worth_threads() {
            self.nodes.par_iter().zip(nodes).map(of_node).collect()
        } else {
            self.nodes.iter().zip(nodes).map(of_node).collect()
        };
        for (node, (of_weight, _)) in of_nodes.iter().enumerate() {
            derivatives[s + node] = of_weight + if squared { 0.0 } else { left_out[node] };
        }
        let of_features = derivatives[self.starts[0]..self.starts[1]].par_chunks_exact_mut(s);
        let of_features = of_features.zip(&self.features).with_min_len(FEATURES);
        of_features.for_each(|(derivatives, &(root, node, knot))| {
            let scale = if squared { root * root } else { root };
            let of_knot = &of_nodes[node as usize].1[knot as usize * s..][..s];
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
        derivatives
    }
}

#[inline(always)]
fn add(sums: &mut [f64], values: &[f64]) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += value;
    }
}

/// Adds the entry of each row's code, for each class, to its values.
#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
fn gather_rows<const S: usize>(classes: usize, table: &[f64], codes: &[u32], values: &mut [f64]) {
    let s = if S > 0 { S } else { classes };
    for (values, &code) in values.chunks_exact_mut(s).zip(codes) {
        if code != NONE {
            add(values, &table[code as usize * s..][..s]);
        }
    }
}

/// Adds the values of each row and class to the sums of its code.
#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
fn scatter_rows<const S: usize>(classes: usize, values: &[f64], codes: &[u32], sums: &mut [f64]) {
    let s = if S > 0 { S } else { classes };
    for (values, &code) in values.chunks_exact(s).zip(codes) {
        if code != NONE {
            add(&mut sums[code as usize * s..][..s], values);
        }
    }
}

/// For each number of cuts below a value and each class Σ ± δ / 2.
fn step_table(delta: &[f64], s: usize) -> Vec<f64> {
    let mut table = vec![0.0; delta.len() + s];
    for class in 0..s {
        let mut sum = -0.5 * delta[class..].iter().step_by(s).sum::<f64>();
        table[class] = sum;
        for cut in 0..delta.len() / s {
            sum += delta[cut * s + class];
            table[(cut + 1) * s + class] = sum;
        }
    }
    table
}
