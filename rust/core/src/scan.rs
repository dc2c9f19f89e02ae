//! Scoring every window of a nucleotide sequence by a density, on both strands.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use rayon::prelude::*;

use crate::control::Control;
use crate::error::{Error, Result, check_parameter};
use crate::model::{Network, NodeTable};

/// Nucleotides are coded A, C, G, T = 0 to 3, so that 3 − code is the complement; anything else is unknown.
const LETTERS: usize = 4;

/// The strand of a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strand {
    /// As the sequence reads.
    Forward,
    /// Its reverse complement.
    Reverse,
}

/// A window that scores high enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Where the window begins in the sequence, on either strand.
    pub start: usize,
    /// The strand that was scored.
    pub strand: Strand,
    /// ln P(window) − ln B(window), natural logarithm.
    pub score: f64,
}

impl Hit {
    /// Better hits first: higher score, then lower start, then the forward strand.
    fn rank(&self, other: &Self) -> Ordering {
        let strand = |hit: &Self| hit.strand == Strand::Reverse;
        other
            .score
            .total_cmp(&self.score)
            .then(self.start.cmp(&other.start))
            .then(strand(self).cmp(&strand(other)))
    }
}

/// Hits ordered by rank, the worst the greatest.
struct Ranked(Hit);

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Ranked {}
impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.rank(&other.0)
    }
}

/// A density over the positions of a site, made ready to slide along a sequence.
///
/// # Formula
/// ```text
/// score(s) = Σ_i [ ln θ_{s_i | s_π(i)} − ln b_{s_i} ]
/// ```
/// s a window of as many letters as the density has attributes, π(i) the parents of position i, b the
/// background's probabilities of the letters. The reverse strand is scored without turning the sequence:
/// position i of width w becomes w − 1 − i and letter c becomes 3 − c in a second set of tables.
///
/// # Complexity
/// O(w·k) additions of table entries per window and strand.
#[derive(Debug, Clone)]
pub struct Scanner {
    width: usize,
    forward: Vec<Position>,
    reverse: Vec<Position>,
}

/// One node: where its letters stand in the window, slowest first, and what they add.
#[derive(Debug, Clone)]
struct Position {
    offsets: Vec<usize>,
    terms: Vec<f64>,
}

/// Windows that one thread takes at a time.
const WINDOWS: usize = 1 << 14;

impl Scanner {
    /// For a density whose attributes all have four values, against a background.
    pub fn new(density: &Network, background: [f64; LETTERS]) -> Result<Self> {
        if density.log_prior().is_some() {
            let reason = "windows are scored by a density, which has no class".into();
            return Err(Error::InvalidStructure { reason });
        }
        if density.arities().is_empty() {
            return Err(Error::Empty { what: "the number of letters of a window" });
        }
        if let Some(column) = density.arities().iter().position(|&arity| arity != LETTERS) {
            let arity = density.arities()[column];
            return Err(Error::ArityOutOfRange { column: column.to_string(), arity, limit: LETTERS });
        }
        for share in background {
            let is_allowed = share > 0.0 && share.is_finite();
            let name = "the background's share of a letter";
            check_parameter(name, share, is_allowed, "shares are finite and above 0")?;
        }
        let total: f64 = background.iter().sum();
        let background = background.map(|share| (share / total).ln());
        let width = density.arities().len();
        let forward: Vec<Position> =
            density.tables().iter().map(|table| Position::new(table, &background)).collect::<Result<_>>()?;
        let reverse = forward.iter().map(|position| position.reversed(width)).collect();
        Ok(Self { width, forward, reverse })
    }

    /// Letters of a window.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Every window that reaches the threshold, in the order of the sequence; of these the best `most`.
    /// Windows with an unknown letter have no score.
    pub fn scan(
        &self,
        sequence: &[u8],
        threshold: f64,
        most: Option<usize>,
        control: &Control,
    ) -> Result<Vec<Hit>> {
        let windows = (sequence.len() + 1).saturating_sub(self.width);
        let starts: Vec<usize> = (0..windows).step_by(WINDOWS).collect();
        let parts: Vec<Vec<Hit>> = starts
            .into_par_iter()
            .map(|start| {
                control.check()?;
                let end = (start + WINDOWS).min(windows);
                Ok(best(self.windows(sequence, start..end, threshold), most))
            })
            .collect::<Result<_>>()?;
        let mut hits = best(parts.into_iter().flatten(), most);
        hits.sort_by(|a, b| {
            a.start.cmp(&b.start).then((a.strand == Strand::Reverse).cmp(&(b.strand == Strand::Reverse)))
        });
        Ok(hits)
    }

    fn windows<'a>(
        &'a self,
        sequence: &'a [u8],
        starts: std::ops::Range<usize>,
        threshold: f64,
    ) -> impl Iterator<Item = Hit> + 'a {
        // Letters known in a row, up to the one before the current window's last.
        let mut known = 0;
        for &letter in &sequence[starts.start..starts.start + self.width - 1] {
            known = if usize::from(letter) < LETTERS { known + 1 } else { 0 };
        }
        starts.flat_map(move |start| {
            known = if usize::from(sequence[start + self.width - 1]) < LETTERS { known + 1 } else { 0 };
            let window = &sequence[start..start + self.width];
            let strands = if known >= self.width { 2 } else { 0 };
            let both = [(Strand::Forward, &self.forward), (Strand::Reverse, &self.reverse)];
            both.into_iter().take(strands).filter_map(move |(strand, positions)| {
                let score: f64 = positions.iter().map(|position| position.term(window)).sum();
                (score >= threshold).then_some(Hit { start, strand, score })
            })
        })
    }
}

/// The best of some hits.
fn best(hits: impl Iterator<Item = Hit>, most: Option<usize>) -> Vec<Hit> {
    let Some(most) = most else { return hits.collect() };
    let mut kept: BinaryHeap<Ranked> = BinaryHeap::new();
    for hit in hits {
        if kept.len() < most {
            kept.push(Ranked(hit));
        } else if kept.peek().is_some_and(|worst| hit.rank(&worst.0) == Ordering::Less) {
            kept.pop();
            kept.push(Ranked(hit));
        }
    }
    let mut hits: Vec<Hit> = kept.into_iter().map(|ranked| ranked.0).collect();
    hits.sort_by_key(|hit| Reverse(hit.start));
    hits.reverse();
    hits
}

impl Position {
    fn new(table: &NodeTable, background: &[f64; LETTERS]) -> Result<Self> {
        let offsets: Vec<usize> = table.axes().iter().map(|axis| axis.0).collect();
        let members = table.node().members.len();
        let cells = table.dense()?;
        let terms = cells.iter().enumerate().map(|(cell, log_theta)| {
            let letters = (0..members).map(|member| cell >> (2 * member) & 3);
            log_theta - letters.map(|letter| background[letter]).sum::<f64>()
        });
        Ok(Self { terms: terms.collect(), offsets })
    }

    /// The same node on the other strand.
    fn reversed(&self, width: usize) -> Self {
        let offsets = self.offsets.iter().map(|offset| width - 1 - offset).collect();
        // Complementing every letter of an index in base 4 turns the table around.
        Self { offsets, terms: self.terms.iter().rev().copied().collect() }
    }

    #[inline(always)]
    fn term(&self, window: &[u8]) -> f64 {
        let index = self.offsets.iter().fold(0, |index, &offset| index << 2 | usize::from(window[offset]));
        self.terms[index]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::counts::Counter;
    use crate::data::{Column, Dataset};
    use crate::parameters::Laplace;
    use crate::structure::Structure;

    fn dataset(sites: &[Vec<u8>], width: usize) -> Dataset {
        let column = |at: usize| {
            Column::from_integers("x", sites.iter().map(|site| i64::from(site[at])), LETTERS, None).unwrap()
        };
        Dataset::new((0..width).map(column).collect(), None).unwrap()
    }

    fn density(sites: &[Vec<u8>]) -> Network {
        let structure = Structure::from_parents(vec![vec![], vec![0], vec![0, 1]]);
        let data = dataset(sites, 3);
        Network::estimate(&structure, &Counter::new(&data), &Laplace::new(1.0), &Control::new()).unwrap()
    }

    proptest! {
        #[test]
        fn scores_are_those_of_the_density_on_either_strand(
            sites in proptest::collection::vec(proptest::collection::vec(0u8..4, 3), 1..20),
            sequence in proptest::collection::vec(0u8..5, 0..60),
        ) {
            let density = density(&sites);
            let background = [0.3, 0.2, 0.2, 0.3];
            let scanner = Scanner::new(&density, background).unwrap();
            let control = Control::new();
            let hits = scanner.scan(&sequence, f64::NEG_INFINITY, None, &control).unwrap();
            let mut expected = Vec::new();
            for (start, window) in sequence.windows(3).enumerate().filter(|(_, w)| w.iter().all(|&c| c < 4)) {
                let turned: Vec<u8> = window.iter().rev().map(|letter| 3 - letter).collect();
                for (strand, letters) in [(Strand::Forward, window.to_vec()), (Strand::Reverse, turned)] {
                    let log_background: f64 =
                        letters.iter().map(|&letter| f64::ln(background[usize::from(letter)])).sum();
                    let density = density.log_density(&dataset(&[letters], 3), &control).unwrap()[0];
                    expected.push((start, strand, density - log_background));
                }
            }
            prop_assert_eq!(hits.len(), expected.len());
            for (hit, expected) in hits.iter().zip(&expected) {
                prop_assert_eq!((hit.start, hit.strand), (expected.0, expected.1));
                prop_assert!((hit.score - expected.2).abs() < 1e-9);
            }
            let mut sorted = hits;
            sorted.sort_by(Hit::rank);
            let mut best = scanner.scan(&sequence, f64::NEG_INFINITY, Some(5), &control).unwrap();
            best.sort_by(Hit::rank);
            prop_assert_eq!(&best, &sorted[..sorted.len().min(5)]);
        }
    }

    #[test]
    fn long_sequences_are_divided_without_a_seam() {
        let density = density(&[vec![0, 1, 2]]);
        let scanner = Scanner::new(&density, [1.0; 4]).unwrap();
        let sequence: Vec<u8> = (0..3 * WINDOWS + 7).map(|at| (at % 7 % 4) as u8).collect();
        let hits = scanner.scan(&sequence, f64::NEG_INFINITY, None, &Control::new()).unwrap();
        assert_eq!(hits.len(), 2 * (sequence.len() - 2));
        assert!(hits.windows(2).all(|pair| pair[0].start <= pair[1].start));
    }

    #[test]
    fn what_cannot_be_scanned_is_refused() {
        let data = Dataset::new(vec![Column::from_integers("x", [0, 1].into_iter(), 2, None).unwrap()], None);
        let structure = Structure::from_parents(vec![vec![]]);
        let data = data.unwrap();
        let binary =
            Network::estimate(&structure, &Counter::new(&data), &Laplace::new(1.0), &Control::new()).unwrap();
        assert!(matches!(Scanner::new(&binary, [0.25; 4]), Err(Error::ArityOutOfRange { .. })));
        let density = density(&[vec![0, 1, 2]]);
        let refused = Scanner::new(&density, [0.5, 0.5, 0.0, 0.0]);
        assert!(matches!(refused, Err(Error::ParameterOutOfRange { .. })));
    }
}
