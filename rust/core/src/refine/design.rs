//! The rows as small integers: what a sum of terms is gathered from, and its derivatives scattered to.

use std::sync::OnceLock;

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::memory::memory_limit;
use crate::refine::backoff::Fitted;
use crate::refine::knots::{NodeColumn, knots};
use crate::refine::overlap::Overlaps;
use crate::refine::scatter::{scatter_rows, with_classes};
use crate::refine::trie::NONE;

/// Features that one thread takes at a time, at least.
pub(super) const FEATURES: usize = 2048;
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
    pub(super) features: Vec<(f64, u32, u32)>,
    pub(super) starts: Vec<usize>,
    /// The columns that each node looks at.
    columns: Vec<Vec<usize>>,
    overlaps: OnceLock<Overlaps>,
    /// For each ordered column a node whose knots tell its codes, with the code of each knot: whole numbers that the network takes
    /// as categories need no look at the rows for their steps.
    pub(super) carriers: Vec<Option<(usize, Vec<u32>)>>,
}

impl Design {
    /// Puts a design together; refused where a few vectors of its parameters would not fit into memory. Each node comes with
    /// the columns that it looks at, its own and then its parents.
    pub fn new(
        classes: usize,
        class: Vec<u32>,
        weights: Vec<f64>,
        nodes: Vec<(Fitted, Vec<usize>)>,
        steps: Vec<StepColumn>,
    ) -> Result<Self> {
        let (nodes, columns): (Vec<Fitted>, Vec<Vec<usize>>) = nodes.into_iter().unzip();
        let (nodes, features) = knots(classes, nodes, &class);
        let mut starts = vec![classes + nodes.len(), classes + nodes.len() + features.len() * classes];
        for column in &steps {
            starts.push(starts[starts.len() - 1] + column.cuts * classes);
        }
        // Remembered steps are pairs of 32-bit vectors; what nodes have in common are up to ten integers for each feature.
        let cells = starts[starts.len() - 1] as u128 * (MEMORY as u128 + 14);
        let limit = u128::from(memory_limit() / 8);
        if cells > limit {
            return Err(Error::TooManyCells { family: "the refined terms".into(), cells, limit });
        }
        let carrier = |column: &StepColumn| {
            let known = nodes.iter().map(|node| code_of_knot(node, &column.codes)).enumerate();
            known.filter_map(|(node, codes)| Some((node, codes?))).next()
        };
        let overlaps = OnceLock::new();
        let carriers = steps.par_iter().map(carrier).collect();
        Ok(Self { classes, class, weights, nodes, steps, features, starts, columns, overlaps, carriers })
    }

    /// What several nodes can say, found when it is first asked for: a few steps do not need it.
    pub fn overlaps(&self) -> &Overlaps {
        if let Some(known) = self.overlaps.get() {
            return known;
        }
        // Not within the lock: threads that wait for each other's parts might come to it again.
        let found = Overlaps::new(self.classes, &self.columns, &self.nodes, &self.features);
        self.overlaps.get_or_init(|| found)
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

    pub(super) fn worth_threads(&self) -> bool {
        self.entries() >= WORTH_THREADS
    }
}

/// The code of an ordered column for each knot of a node, where all rows of a knot have the same.
fn code_of_knot(node: &NodeColumn, codes: &[u32]) -> Option<Vec<u32>> {
    let mut known = vec![None; node.before.len()];
    for (&knot, &code) in node.knots.iter().zip(codes) {
        if knot == NONE {
            if code != NONE {
                return None;
            }
        } else if *known[knot as usize].get_or_insert(code) != code {
            return None;
        }
    }
    // Knots at which no row ends add nothing to any code.
    Some(known.into_iter().map(|code| code.unwrap_or(NONE)).collect())
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
