//! The heaviest parameters of all columns together: the part of the Hessian in which columns that tell the same differ.

use rayon::prelude::*;

use crate::control::Control;
use crate::error::Result;
use crate::refine::cholesky::{Cholesky, Symmetric};
use crate::refine::design::Design;
use crate::refine::dot::dot;
use crate::refine::knots::NodeColumn;
use crate::refine::objective::Objective;
use crate::refine::scatter::{scatter_rows, with_classes};
use crate::refine::trie::NONE;

/// A parameter is heavy where the rows' curvature of some class is more than so many times its precision.
const HEAVY: f64 = 3.0;
/// The most heavy parameters of a block …
const MOST: usize = 512;
/// … and how many there may always be.
const FEW: usize = 64;
/// To factor a block of M parameters takes M³ / 6 products: all blocks no more than this many times what a step of the
/// optimiser visits.
const WORTH: f64 = 10.0;
/// To apply it takes M² products: all blocks no more than this share of what a step visits.
const EACH: f64 = 0.125;
/// The blocks hold no more numbers than so many for each parameter, and so many besides.
const CELLS: (usize, usize) = (16, 1 << 20);
/// With more columns their pairs, which a block is counted from, take longer than the steps that it saves.
const COLUMNS: usize = 128;

/// Blocks of the Hessian over the heaviest parameters, inverted exactly.
///
/// # Formula
/// ```text
/// class c of several: Σ_t h_tc x_tf x_tg + λ [f = g],   h_tc = ω_t p_tc (1 − p_tc)
/// two classes: Σ_t h_t x_tf x_tg + [f = g] · (½ λ, or the precision of w), of the difference of their logits
/// ```
/// x the design, p the class probabilities; with two classes the weights w are among the parameters, their x_t the difference
/// of ln θ. Columns that tell the same (education in words and in years), and the steps of a column beside its values, have a
/// direction in which they cancel: only the
/// ridge holds it, though each of its parameters is held by thousands of rows. The blocks of single nodes do not see that, and
/// conjugate gradients find it slowly. Their inverse has that of these blocks added to it. All classes have the same
/// parameters in their blocks, so that one pass over the rows counts for all.
///
/// # Complexity
/// O(N · columns² · classes) additions and O(classes · M³) to make, O(classes · M²) to apply; M heavy parameters of each class.
pub struct Heavy {
    blocks: Vec<Block>,
}

/// The block of a class, or of the difference of two.
struct Block {
    /// Where its parameters stand among all.
    places: Vec<usize>,
    /// How many of them, the first, have a mirror image in the other of two classes.
    mirrored: usize,
    factor: Cholesky,
}

impl Heavy {
    /// From the curvature h of each row and class, and the Hessian's diagonal without the penalty.
    pub fn new(
        objective: &Objective<'_>,
        curvature: &[f64],
        diagonal: &[f64],
        control: &Control,
    ) -> Result<Self> {
        let design = objective.design;
        let s = design.classes;
        // Of two classes the second stands for the difference.
        let classes: Vec<usize> = if s == 2 { vec![1] } else { (0..s).collect() };
        let none = Self { blocks: Vec::new() };
        if design.nodes.len() + design.steps.len() > COLUMNS {
            return Ok(none);
        }
        let visits = design.visits() as f64 / classes.len() as f64;
        let cells = (CELLS.0 * design.parameters() + CELLS.1) as f64 / classes.len() as f64;
        let most = (6.0 * WORTH * visits).cbrt().min((EACH * visits).sqrt());
        let most = (most.min(cells.sqrt()) as usize).clamp(FEW, MOST);
        // Parameters of the first class, which those of the others stand behind.
        let ratio = |&place: &usize| {
            let of_class = |class: &usize| diagonal[place + class] / objective.precision(place);
            classes.iter().map(of_class).fold(0.0, f64::max)
        };
        let mut places: Vec<usize> = design.of_class(0).filter(|place| ratio(place) > HEAVY).collect();
        places.sort_by(|a, b| ratio(b).total_cmp(&ratio(a)).then(a.cmp(b)));
        places.truncate(most);
        places.sort_unstable();
        if places.len() < 2 {
            return Ok(none);
        }
        let of_row = |h: &[f64]| classes.iter().map(|&class| h[class]).collect::<Vec<_>>();
        let h: Vec<f64> = curvature.chunks_exact(s).flat_map(of_row).collect();
        let columns = columns(design, &places);
        let weights = if s == 2 { design.nodes.len() } else { 0 };
        let mut grams = gram(&columns, (&h, classes.len()), places.len() + weights, control)?;
        let mirrored = if s == 2 { places.len() } else { 0 };
        if s == 2 {
            add_weights(&mut grams[0], design, &columns, &h, places.len()..places.len() + weights);
        }
        let block = |(class, mut block): (usize, Symmetric)| {
            let places: Vec<usize> = places.iter().map(|place| place + class).chain(s..s + weights).collect();
            for (at, &place) in places.iter().enumerate() {
                let share = if at < mirrored { 0.5 } else { 1.0 };
                block.add(at, at, share * objective.precision(place));
            }
            Block { places, mirrored, factor: block.factor() }
        };
        let blocks: Vec<(usize, Symmetric)> = classes.into_iter().zip(grams).collect();
        Ok(Self { blocks: blocks.into_par_iter().map(block).collect() })
    }

    /// The inverse of the blocks times a vector, block by block.
    pub fn solve(&self, vector: &[f64]) -> Vec<Vec<f64>> {
        let of_block = |block: &Block| {
            let mut values: Vec<f64> = block.places.iter().map(|&place| vector[place]).collect();
            // The other of two classes stands before this one.
            for (value, place) in values.iter_mut().zip(&block.places[..block.mirrored]) {
                *value = 0.5 * (*value - vector[place - 1]);
            }
            block.factor.solve(&mut values);
            values
        };
        self.blocks.par_iter().map(of_block).collect()
    }

    /// Adds what [`Self::solve`] found.
    pub fn add(&self, found: &[Vec<f64>], solved: &mut [f64]) {
        for (block, values) in self.blocks.iter().zip(found) {
            for (at, (&place, value)) in block.places.iter().zip(values).enumerate() {
                if at < block.mirrored {
                    solved[place] += 0.5 * value;
                    solved[place - 1] -= 0.5 * value;
                } else {
                    solved[place] += value;
                }
            }
        }
    }
}

/// A column of the design as far as its parameters are heavy.
struct Column {
    /// The code of each row, [`NONE`] where it has none of the parameters.
    codes: Vec<u32>,
    /// How many codes there are.
    width: usize,
    kind: Kind,
    /// The parameters: their place in the block, [`NONE`] where they are not in it, and how often they count.
    entries: Vec<(u32, f64)>,
}

/// How parameters follow from codes.
enum Kind {
    /// Rows of a code have its parameter and that of the code above it, and so on; that code, or [`NONE`].
    Nested(Vec<u32>),
    /// Rows of a code have ½ at so many cuts, −½ at the others.
    Steps,
}

/// The columns that have parameters of the block: b, nodes, ordered ones.
fn columns(design: &Design, places: &[usize]) -> Vec<Column> {
    let (s, first) = (design.classes, design.of_features().start);
    let mut in_block = vec![NONE; (design.parameters() - first) / s];
    let mut columns = Vec::new();
    for (at, &place) in places.iter().enumerate() {
        if place >= first {
            in_block[(place - first) / s] = at as u32;
        } else {
            let (codes, kind) = (vec![0; design.rows()], Kind::Nested(vec![NONE]));
            columns.push(Column { codes, width: 1, kind, entries: vec![(at as u32, 1.0)] });
        }
    }
    let of_nodes = design.nodes.par_iter().filter_map(|node| of_node(node, &in_block));
    columns.extend(of_nodes.collect::<Vec<_>>());
    for (step, column) in design.steps.iter().enumerate() {
        let start = (design.start_of_steps(step) - first) / s;
        let entries: Vec<(u32, f64)> = in_block[start..][..column.cuts].iter().map(|&at| (at, 1.0)).collect();
        if entries.iter().any(|&(at, _)| at != NONE) {
            let (codes, width) = (column.codes.clone(), column.cuts + 1);
            columns.push(Column { codes, width, kind: Kind::Steps, entries });
        }
    }
    columns
}

/// The knots of a node whose features are in the block; rows of others belong to the next above that is.
fn of_node(node: &NodeColumn, in_block: &[u32]) -> Option<Column> {
    let (mut above, mut entries) = (Vec::new(), Vec::new());
    let mut code_of_knot: Vec<u32> = Vec::with_capacity(node.before.len());
    for (&before, &(feature, times)) in node.before.iter().zip(&node.features) {
        let up = if before == NONE { NONE } else { code_of_knot[before as usize] };
        let at = in_block[feature as usize];
        if at == NONE {
            code_of_knot.push(up);
        } else {
            code_of_knot.push(entries.len() as u32);
            above.push(up);
            entries.push((at, times));
        }
    }
    let code = |&knot: &u32| if knot == NONE { NONE } else { code_of_knot[knot as usize] };
    let codes = node.knots.iter().map(code).collect();
    (!entries.is_empty()).then_some(Column {
        codes,
        width: entries.len(),
        kind: Kind::Nested(above),
        entries,
    })
}

impl Column {
    /// From sums over the rows of each code to those over the rows of each parameter; each has `across` numbers.
    fn expand(&self, mut sums: Vec<f64>, across: usize) -> Vec<f64> {
        match &self.kind {
            Kind::Nested(above) => {
                for (code, &above) in above.iter().enumerate().rev().filter(|&(_, &above)| above != NONE) {
                    let (before, own) = sums.split_at_mut(code * across);
                    let before = &mut before[above as usize * across..][..across];
                    before.iter_mut().zip(own).for_each(|(sum, value)| *sum += *value);
                }
            }
            Kind::Steps => {
                let mut left = vec![0.0; across];
                for of_code in sums.chunks_exact(across) {
                    left.iter_mut().zip(of_code).for_each(|(sum, value)| *sum += 0.5 * value);
                }
                for of_code in sums.chunks_exact_mut(across) {
                    for (left, value) in left.iter_mut().zip(of_code) {
                        *left -= *value;
                        *value = *left;
                    }
                }
                sums.truncate((self.width - 1) * across);
            }
        }
        sums
    }
}

/// Σ_t h_t x_tf x_tg of the columns' parameters, in matrices of a size: one for each of the classes that h has for every row.
fn gram(
    columns: &[Column],
    (h, classes): (&[f64], usize),
    size: usize,
    control: &Control,
) -> Result<Vec<Symmetric>> {
    let pairs: Vec<(&Column, &Column, bool)> = columns
        .iter()
        .enumerate()
        .flat_map(|(place, a)| columns[place..].iter().map(move |b| (a, b, std::ptr::eq(a, b))))
        .collect();
    let of_pair = |&(a, b, _): &(&Column, &Column, bool)| {
        control.check()?;
        let joint = |(&of_a, &of_b): (&u32, &u32)| {
            if of_a == NONE || of_b == NONE { NONE } else { of_a * b.width as u32 + of_b }
        };
        let codes: Vec<u32> = a.codes.iter().zip(&b.codes).map(joint).collect();
        let mut table = vec![0.0; a.width * b.width * classes];
        with_classes!(classes, S => scatter_rows::<S>(classes, h, &codes, &mut table));
        let table = a.expand(table, b.width * classes);
        let of_b =
            |of_b: usize| table[of_b * classes..].chunks(b.width * classes).map(|of_a| &of_a[..classes]);
        let turned = (0..b.width).flat_map(of_b).flatten().copied().collect();
        Ok(b.expand(turned, a.entries.len() * classes))
    };
    let tables: Vec<Vec<f64>> = pairs.par_iter().map(of_pair).collect::<Result<_>>()?;
    let of_class = |class: usize| {
        let mut gram = Symmetric::new(size);
        for (&(a, b, same), table) in pairs.iter().zip(&tables) {
            for (&(g, of_g), sums) in b.entries.iter().zip(table.chunks_exact(a.entries.len() * classes)) {
                for (&(f, of_f), sum) in a.entries.iter().zip(sums[class..].iter().step_by(classes)) {
                    // A column with itself has every pair twice; two that share a feature have it with itself in both orders.
                    let times = if same == (f == g) {
                        1.0
                    } else if same {
                        0.5
                    } else {
                        2.0
                    };
                    if f != NONE && g != NONE {
                        gram.add(f as usize, g as usize, times * of_f * of_g * sum);
                    }
                }
            }
        }
        gram
    };
    Ok((0..classes).into_par_iter().map(of_class).collect())
}

/// The same of the weights w with each other and with the columns' parameters.
fn add_weights(
    block: &mut Symmetric,
    design: &Design,
    columns: &[Column],
    h: &[f64],
    at: std::ops::Range<usize>,
) {
    let tilts: Vec<Vec<f64>> = design.nodes.par_iter().map(|node| node.tilts(&design.class)).collect();
    let of_weight = |weight: usize| {
        let bent: Vec<f64> = tilts[weight].iter().zip(h).map(|(tilt, h)| tilt * h).collect();
        let with_weights: Vec<f64> = tilts[..=weight].iter().map(|tilt| dot(tilt, &bent)).collect();
        let of_column = |column: &Column| {
            let mut sums = vec![0.0; column.width];
            for (&code, bent) in column.codes.iter().zip(&bent) {
                if code != NONE {
                    sums[code as usize] += bent;
                }
            }
            column.expand(sums, 1)
        };
        (with_weights, columns.iter().map(of_column).collect::<Vec<_>>())
    };
    let found: Vec<_> = (0..at.len()).into_par_iter().map(of_weight).collect();
    for (weight, (with_weights, with_columns)) in at.clone().zip(found) {
        for (other, sum) in at.clone().zip(with_weights) {
            block.add(weight, other, sum);
        }
        for (column, sums) in columns.iter().zip(with_columns) {
            for (&(place, times), sum) in
                column.entries.iter().zip(sums).filter(|((place, _), _)| *place != NONE)
            {
                block.add(weight, place as usize, times * sum);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refine::objective::tests::training;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        #[test]
        fn blocks_are_those_of_the_hessian(
            rows in prop::collection::vec((0i64..3, -1i64..3, -1i64..2, -1i64..4), 3..40), seed in 0u64..100, s in 2usize..4,
        ) {
            let rows: Vec<_> = rows.into_iter().map(|(c, x, y, z)| (c.min(s as i64 - 1), x, y, z)).collect();
            let training = training(&rows, s);
            let design = &training.design;
            // So weak a ridge that all parameters are heavy that any row has.
            let objective = Objective { design, ridge: 1e-5 };
            let mut random = crate::math::Random::new(seed);
            let mut h: Vec<f64> = (0..design.rows() * s).map(|_| 0.1 + random.normal().abs()).collect();
            if s == 2 {
                h.chunks_exact_mut(2).for_each(|h| h[0] = h[1]);
            }
            let heavy = Heavy::new(&objective, &h, &design.derivatives(&h, true), &Control::new()).unwrap();
            let mut vector: Vec<f64> = (0..design.parameters()).map(|_| random.normal()).collect();
            design.centre(&mut vector);
            let mut solved = vec![0.0; vector.len()];
            heavy.add(&heavy.solve(&vector), &mut solved);
            prop_assert_eq!(heavy.blocks.len(), if s == 2 { 1 } else { s });
            // Two classes: of logits that are only the second's less the first's, h bends the halves of each.
            let mut logits = design.gather(&solved);
            for (logits, h) in logits.chunks_exact_mut(s).zip(h.chunks_exact(s)) {
                if s == 2 {
                    let bent = h[1] * (logits[1] - logits[0]);
                    (logits[0], logits[1]) = (-bent, bent);
                } else {
                    logits.iter_mut().zip(h).for_each(|(logit, h)| *logit *= h);
                }
            }
            let product = objective.gradient(&solved, &logits);
            // With more than two classes w has no part in the blocks.
            for block in &heavy.blocks {
                prop_assert!(block.places.len() > 2);
                for &place in &block.places {
                    let (found, expected) = (product[place], vector[place]);
                    prop_assert!((found - expected).abs() < 1e-6 * (1.0 + expected.abs()), "{place}: {found} {expected}");
                }
            }
        }
    }
}
