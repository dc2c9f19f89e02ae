//! P(c, x) of rows: sums over super-parents.

use crate::control::Control;
use crate::data::Dataset;
use crate::error::Result;
use crate::model::aode::{Aode, SuperParent};
use crate::model::{Asked, Composed};

/// The code of a value that is missing, was not seen at fit, or is left out.
pub(super) const ABSENT: u32 = u32::MAX;

/// Numbers that are kept of a block of rows, one for each super-parent, row and class.
const KEPT: usize = 1 << 15;

/// Rows, or beginnings of rows, and where their values are in the tables.
#[derive(Default)]
struct Rows {
    /// n for each row.
    codes: Vec<u32>,
    /// (offset_j + x_j)·s of the values that are there.
    places: Vec<usize>,
    /// Where the places of each row begin; one more for the end.
    starts: Vec<usize>,
}

impl Rows {
    fn push(&mut self, codes: &[u32], offsets: &[usize], s: usize) {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        let there = codes.iter().zip(offsets).filter(|(code, _)| **code != ABSENT);
        self.places.extend(there.map(|(&code, offset)| (offset + code as usize) * s));
        self.codes.extend_from_slice(codes);
        self.starts.push(self.places.len());
    }

    fn places(&self, row: usize) -> &[usize] {
        &self.places[self.starts[row]..self.starts[row + 1]]
    }
}

impl SuperParent {
    /// ln w P(c, x) of a row whose x_p is given.
    #[inline(always)]
    fn add(&self, value: usize, width: usize, places: &[usize], sums: &mut [f64]) {
        let s = sums.len();
        sums.copy_from_slice(&self.log_joint[value * s..][..s]);
        let given = &self.given[value * width..][..width];
        match s {
            2 => add_classes::<2>(given, places, sums),
            3 => add_classes::<3>(given, places, sums),
            4 => add_classes::<4>(given, places, sums),
            _ => {
                for &place in places {
                    let cells = &given[place..place + s];
                    for c in 0..s {
                        sums[c] += cells[c];
                    }
                }
            }
        }
    }
}

/// For few classes a loop of known length is several times quicker.
#[inline(always)]
fn add_classes<const S: usize>(given: &[f64], places: &[usize], sums: &mut [f64]) {
    let mut kept = [0.0; S];
    for &place in places {
        let cells = &given[place..place + S];
        for c in 0..S {
            kept[c] += cells[c];
        }
    }
    for c in 0..S {
        sums[c] += kept[c];
    }
}

impl Aode {
    /// ln P(c, x) of each row: `[row·s + c]`. Super-parent by super-parent, so that its table stays in a near cache.
    fn log_joints(&self, rows: &Rows, log_joint: &mut [f64], control: &Control) -> Result<()> {
        let (n, s) = (self.counts.arities.len(), self.counts.class.len());
        let parents = self.parents(control)?;
        let width = self.offsets[n] * s;
        let at_a_time = (KEPT / (parents.len() * s).max(1)).max(1);
        let mut terms = vec![f64::NEG_INFINITY; parents.len() * at_a_time * s];
        for (block, log_joint) in log_joint.chunks_mut(at_a_time * s).enumerate() {
            let (first, lanes) = (block * at_a_time, log_joint.len());
            let mut weights = vec![0.0; lanes / s];
            for (parent, terms) in parents.iter().zip(terms.chunks_mut(lanes)) {
                control.check()?;
                for (row, terms) in terms.chunks_exact_mut(s).enumerate() {
                    let codes = &rows.codes[(first + row) * n..][..n];
                    match parent.value(codes, &self.counts.arities) {
                        Some(value) => {
                            weights[row] += parent.weight;
                            parent.add(value, width, rows.places(first + row), terms);
                        }
                        None => terms.fill(f64::NEG_INFINITY),
                    }
                }
            }
            let terms = &terms[..parents.len() * lanes];
            sum_up(terms, log_joint);
            for (row, log_joint) in log_joint.chunks_exact_mut(s).enumerate() {
                if weights[row] > 0.0 {
                    let log_weights = weights[row].ln();
                    log_joint.iter_mut().for_each(|value| *value -= log_weights);
                } else {
                    self.alone.add(0, width, rows.places(first + row), log_joint);
                }
            }
        }
        Ok(())
    }

    /// The values of a row; those left out are absent.
    fn codes(&self, data: &Dataset, row: usize) -> Vec<u32> {
        let code = |column: usize| data.column(column).get(row).map_or(ABSENT, |code| code as u32);
        let mut codes: Vec<u32> = (0..data.n()).map(code).collect();
        if let Some(subsumption) = &self.subsumption {
            subsumption.resolve(&mut codes);
        }
        codes
    }
}

/// ln Σ e^term of each lane; terms lie one list of lanes after the other.
fn sum_up(terms: &[f64], sums: &mut [f64]) {
    let lanes = sums.len();
    let mut largest = vec![f64::NEG_INFINITY; lanes];
    for terms in terms.chunks_exact(lanes) {
        largest.iter_mut().zip(terms).for_each(|(largest, term)| *largest = largest.max(*term));
    }
    sums.fill(0.0);
    for terms in terms.chunks_exact(lanes) {
        for ((sum, term), largest) in sums.iter_mut().zip(terms).zip(&largest) {
            if *term > f64::NEG_INFINITY {
                *sum += (term - largest).exp();
            }
        }
    }
    sums.iter_mut().zip(largest).for_each(|(sum, largest)| *sum = sum.ln() + largest);
}

impl Composed for Aode {
    fn arities(&self) -> &[usize] {
        &self.counts.arities
    }

    fn log_prior(&self) -> &[f64] {
        &self.alone.log_joint
    }

    fn prepare(&self, control: &Control) -> Result<()> {
        self.parents(control).map(drop)
    }

    fn is_prepared(&self) -> bool {
        self.parents.get().is_some()
    }

    fn cost(&self) -> usize {
        let n = self.terms();
        let parents = if self.settings.order == 1 { n } else { n * n.saturating_sub(1) / 2 };
        (parents + 1).saturating_mul((n + 8) * self.n_classes())
    }

    fn log_joint_of(&self, asked: Asked<'_>, log_joint: &mut [f64]) -> Result<()> {
        let s = self.n_classes();
        let mut rows = Rows::default();
        for row in asked.first..asked.first + log_joint.len() / s {
            rows.push(&self.codes(asked.data, row), &self.offsets, s);
        }
        self.log_joints(&rows, log_joint, asked.control)
    }

    /// The chain rule in the order of the columns: what each attribute adds to the model of those before it.
    fn contributions_of(&self, asked: Asked<'_>, contributions: &mut [f64]) -> Result<()> {
        let (n, s) = (self.terms(), self.n_classes());
        for (row, contributions) in contributions.chunks_exact_mut((n * s).max(1)).enumerate() {
            let codes = self.codes(asked.data, asked.first + row);
            let there: Vec<usize> = (0..n).filter(|&column| codes[column] != ABSENT).collect();
            let mut beginnings = Rows::default();
            let mut beginning = vec![ABSENT; n];
            for &column in &there {
                beginning[column] = codes[column];
                beginnings.push(&beginning, &self.offsets, s);
            }
            let mut joints = vec![0.0; there.len() * s];
            self.log_joints(&beginnings, &mut joints, asked.control)?;
            let mut before = self.log_prior();
            for (&column, after) in there.iter().zip(joints.chunks_exact(s)) {
                let into = &mut contributions[column * s..][..s];
                for ((into, after), before) in into.iter_mut().zip(after).zip(before) {
                    *into = after - before;
                }
                before = after;
            }
        }
        Ok(())
    }
}
