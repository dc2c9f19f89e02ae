//! A node's probabilities with hierarchical smoothing, over the contexts that occur.

use crate::data::Column;
use crate::error::{Error, Result};
use crate::parameters::{Occurrence, concentrations};
use crate::refine::trie::{Level, NONE, Trie};

/// θ(x | c, P_1 … P_k) of one node: counts of the contexts that occur, backed off level by level.
///
/// # Formula
/// ```text
/// p_{−1}(x) = 1/r,   p_d(x) = (n_d(x) + c_d p_{d−1}(x)) / (n_d + c_d),   θ = p_{k+1}
/// ```
/// Level 0 has no parent, level 1 the class, level d + 1 the class and P_1 … P_d; n_d(x) counts the value x in the
/// context of level d, n_d all values. A context that does not occur has n_d = 0 and hands down the estimate before it,
/// and so does the first missing parent: no level after it is asked. A missing x has no factor.
///
/// A *place* numbers a combination (x, P_1 … P_d) that occurs, those of fewer parents first.
///
/// # Differences
/// The dense tables of `parameters` hold every context; here only those that occur take memory, since three parents
/// of many values have far more of them than there are rows.
///
/// # References
/// petitjean2018
#[derive(Debug, Clone, PartialEq)]
pub struct Backoff {
    classes: usize,
    r: usize,
    /// (x), (x, P_1), …
    pairs: Trie,
    /// (P_1), (P_1, P_2), …
    contexts: Trie,
    /// Where the places of each level begin, and their number.
    starts: Vec<usize>,
    /// n_d(x) for each place and class.
    pair_counts: Vec<f64>,
    /// n_1 for each class, then n_2 for each context and class, and so on.
    context_counts: Vec<Vec<f64>>,
    concentrations: Vec<f64>,
    /// ln θ for each place and class.
    log_theta: Vec<f64>,
}

/// Everything that a [`Backoff`] is made from, for files.
#[derive(Debug, Clone, PartialEq)]
pub struct BackoffParts {
    /// The arity of the value, then those of the parents.
    pub arities: Vec<usize>,
    /// The keys of (x), (x, P_1), … (see [`crate::refine::Level`]).
    pub pairs: Vec<Vec<u64>>,
    /// The keys of (P_1), (P_1, P_2), …
    pub contexts: Vec<Vec<u64>>,
    /// n_d(x) for each place and class.
    pub pair_counts: Vec<f64>,
    /// n_1 for each class, then n_2 for each context and class, and so on.
    pub context_counts: Vec<Vec<f64>>,
    /// c_0, c_1, …
    pub concentrations: Vec<f64>,
}

/// A node as the rows that it was learned from see it.
#[derive(Debug, Clone)]
pub struct Fitted {
    /// The probabilities.
    pub backoff: Backoff,
    /// The place of each row, [`NONE`] where the node's value is missing.
    pub places: Vec<u32>,
    /// ln θ for each place and class without one of the rows of that place and class.
    pub log_left_out: Vec<f64>,
}

impl Backoff {
    /// Counts the node's value (the first column) and its parents, and smooths.
    pub fn fit(columns: &[&Column], class: &[u32], classes: usize, weights: &[f64]) -> Fitted {
        let rows = class.len();
        let (pairs, of_pair) = Trie::build(columns, rows);
        let mut starts = vec![0];
        for level in &pairs.levels {
            starts.push(starts[starts.len() - 1] + level.len());
        }
        let n_places = starts[starts.len() - 1];
        let mut places = of_pair[0].clone();
        for (level, of_pair) in of_pair.iter().enumerate().skip(1) {
            for (place, &number) in places.iter_mut().zip(of_pair) {
                if number != NONE {
                    *place = (starts[level] + number as usize) as u32;
                }
            }
        }
        // Contexts of rows without a value are nobody's: their rows count nowhere.
        let (contexts, of_context) = Trie::build(&columns[1..], rows);
        let mut pair_counts = vec![0.0; n_places * classes];
        let mut context_counts = vec![vec![0.0; classes]];
        context_counts.extend(contexts.levels.iter().map(|level| vec![0.0; level.len() * classes]));
        let mut context_of = vec![0u32; n_places];
        for row in 0..rows {
            if places[row] == NONE {
                continue;
            }
            let (class, weight) = (class[row] as usize, weights[row]);
            context_counts[0][class] += weight;
            for (level, of_pair) in of_pair.iter().enumerate() {
                if of_pair[row] == NONE {
                    break;
                }
                let place = starts[level] + of_pair[row] as usize;
                pair_counts[place * classes + class] += weight;
                if level > 0 {
                    let context = of_context[level - 1][row];
                    context_of[place] = context;
                    context_counts[level][context as usize * classes + class] += weight;
                }
            }
        }
        let mut backoff = Self {
            classes,
            r: columns[0].arity(),
            pairs,
            contexts,
            starts,
            pair_counts,
            context_counts,
            concentrations: Vec::new(),
            log_theta: Vec::new(),
        };
        let mut ending = vec![0.0; n_places * classes];
        for row in 0..rows {
            if places[row] != NONE {
                ending[places[row] as usize * classes + class[row] as usize] += weights[row];
            }
        }
        backoff.concentrations = concentrations(&backoff.occurrences(&ending, &context_of), backoff.r);
        let (log_theta, log_left_out) = backoff.tables(&ending, &context_of);
        backoff.log_theta = log_theta;
        Fitted { backoff, places, log_left_out }
    }

    /// What it is made from.
    pub fn parts(&self) -> BackoffParts {
        let keys = |trie: &Trie| trie.levels.iter().map(|level| level.keys().to_vec()).collect();
        BackoffParts {
            arities: self.pairs.levels.iter().map(Level::arity).collect(),
            pairs: keys(&self.pairs),
            contexts: keys(&self.contexts),
            pair_counts: self.pair_counts.clone(),
            context_counts: self.context_counts.clone(),
            concentrations: self.concentrations.clone(),
        }
    }

    /// Puts it together again, checked.
    pub fn from_parts(parts: BackoffParts, classes: usize) -> Result<Self> {
        let broken =
            |what: &str| Error::InvalidStructure { reason: format!("a term does not fit together: {what}") };
        let depth = parts.arities.len();
        if depth == 0 || parts.pairs.len() != depth || parts.contexts.len() + 1 != depth {
            return Err(broken("the levels"));
        }
        let trie = |arities: &[usize], keys: Vec<Vec<u64>>| -> Result<Trie> {
            let mut parents = 1;
            let mut levels = Vec::new();
            for (&arity, keys) in arities.iter().zip(keys) {
                let ascending = keys.windows(2).all(|pair| pair[0] < pair[1]);
                let bound = parents as u128 * arity as u128;
                if !ascending || keys.last().is_some_and(|&key| u128::from(key) >= bound) {
                    return Err(broken("the contexts"));
                }
                let level = Level::new(arity, parents, keys);
                parents = level.len();
                levels.push(level);
            }
            Ok(Trie { levels })
        };
        let pairs = trie(&parts.arities, parts.pairs)?;
        let contexts = trie(&parts.arities[1..], parts.contexts)?;
        let mut starts = vec![0];
        for level in &pairs.levels {
            starts.push(starts[starts.len() - 1] + level.len());
        }
        let sizes: Vec<usize> = std::iter::once(classes)
            .chain(contexts.levels.iter().map(|level| level.len() * classes))
            .collect();
        let finite = |counts: &[f64]| counts.iter().all(|count| count.is_finite() && *count >= 0.0);
        if parts.pair_counts.len() != starts[depth] * classes
            || parts.context_counts.iter().map(Vec::len).ne(sizes)
            || !finite(&parts.pair_counts)
            || !parts.context_counts.iter().all(|counts| finite(counts))
        {
            return Err(broken("the counts"));
        }
        let positive = |c: &f64| c.is_finite() && *c > 0.0;
        if parts.concentrations.len() != depth + 1 || !parts.concentrations.iter().all(positive) {
            return Err(broken("the concentrations"));
        }
        // The context of each place is its combination without the value.
        let mut context_of = vec![0u32; starts[1]];
        for level in 1..depth {
            for number in 0..pairs.levels[level].len() {
                let before = pairs.levels[level].parent(number);
                let before = if level == 1 { 0 } else { context_of[starts[level - 1] + before] };
                let context = contexts.levels[level - 1].find(before, pairs.levels[level].code(number));
                if context == NONE {
                    return Err(broken("a context is not there"));
                }
                context_of.push(context);
            }
        }
        let mut backoff = Self {
            classes,
            r: parts.arities[0],
            pairs,
            contexts,
            starts,
            pair_counts: parts.pair_counts,
            context_counts: parts.context_counts,
            concentrations: parts.concentrations,
            log_theta: Vec::new(),
        };
        backoff.log_theta = backoff.tables(&vec![0.0; backoff.pair_counts.len()], &context_of).0;
        Ok(backoff)
    }

    /// The number of places.
    pub fn places(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }

    /// c_0, c_1, …, c_{k+1}.
    pub fn concentrations(&self) -> &[f64] {
        &self.concentrations
    }

    /// ln θ of each place and class.
    pub fn log_theta(&self) -> &[f64] {
        &self.log_theta
    }

    /// The place of the same value with one parent less, [`NONE`] where there is no parent; always a lower number.
    pub fn shorter(&self) -> Vec<u32> {
        let mut shorter = vec![NONE; self.pairs.levels[0].len()];
        for (level, of_level) in self.pairs.levels.iter().enumerate().skip(1) {
            let start = self.starts[level - 1];
            shorter.extend((0..of_level.len()).map(|number| (start + of_level.parent(number)) as u32));
        }
        shorter
    }

    /// The code that each place adds to that of [`Self::shorter`].
    pub fn codes(&self) -> Vec<u32> {
        let of_level =
            |level: &Level| (0..level.len()).map(|number| level.code(number) as u32).collect::<Vec<_>>();
        self.pairs.levels.iter().flat_map(of_level).collect()
    }

    /// (n_d(x), n_d) of a place's own level; `level` from 1 on.
    fn counts(&self, level: usize, place: usize, context: u32, class: usize) -> (f64, f64) {
        let of_value = self.pair_counts[place * self.classes + class];
        (of_value, self.context_counts[level - 1][context as usize * self.classes + class])
    }

    /// n_0(x) of a value, by its place of the first level.
    fn of_value(&self, place: usize) -> f64 {
        self.pair_counts[place * self.classes..][..self.classes].iter().sum()
    }

    fn total(&self) -> f64 {
        self.context_counts[0].iter().sum()
    }

    /// Every place's own path, as (place, context) from the first level on.
    fn paths(&self, context_of: &[u32], mut visit: impl FnMut(usize, &[(usize, u32)])) {
        let shorter = self.shorter();
        let mut path = Vec::new();
        for place in 0..self.places() {
            path.clear();
            let mut at = place as u32;
            while at != NONE {
                path.push((at as usize, context_of[at as usize]));
                at = shorter[at as usize];
            }
            path.reverse();
            visit(place, &path);
        }
    }

    /// How much is left out with one row of a place and class: one row, or what there is of it where that is less.
    fn left_out(ending: f64) -> f64 {
        ending.min(1.0)
    }

    /// What occurs at each level: values, values with classes, and these with more and more parents.
    fn occurrences(&self, ending: &[f64], context_of: &[u32]) -> Vec<Vec<Occurrence>> {
        let (s, shorter, values) = (self.classes, self.shorter(), self.starts[1]);
        let alone = (0..values).map(|value| {
            let (count, sum) = (self.of_value(value), self.total());
            Occurrence { parent: 0, count, sum, ending: 0.0 }
        });
        let mut levels: Vec<Vec<Occurrence>> = vec![alone.collect()];
        // The number of each place and class in its level.
        let mut numbers = vec![0; self.places() * s];
        for (level, range) in self.starts.windows(2).enumerate() {
            let mut here = Vec::new();
            for place in range[0]..range[1] {
                for class in 0..s {
                    let (count, sum) = self.counts(level + 1, place, context_of[place], class);
                    if count > 0.0 {
                        let parent = match level {
                            0 => place as u32,
                            _ => numbers[shorter[place] as usize * s + class],
                        };
                        numbers[place * s + class] = here.len() as u32;
                        here.push(Occurrence { parent, count, sum, ending: ending[place * s + class] });
                    }
                }
            }
            levels.push(here);
        }
        levels
    }

    /// ln θ, and ln θ without one of the rows, for each place and class.
    fn tables(&self, ending: &[f64], context_of: &[u32]) -> (Vec<f64>, Vec<f64>) {
        let c = &self.concentrations;
        let total = self.total();
        let (mut log_theta, mut log_left_out) = (Vec::new(), Vec::new());
        self.paths(context_of, |place, path| {
            let of_value = self.of_value(path[0].0);
            for class in 0..self.classes {
                let along = |out: f64| {
                    let mut p = (of_value - out + c[0] / self.r as f64) / (total - out + c[0]);
                    for (level, &(place, context)) in path.iter().enumerate() {
                        let (of_value, all) = self.counts(level + 1, place, context, class);
                        let c = c[level + 1];
                        p = ((of_value - out).max(0.0) + c * p) / ((all - out).max(0.0) + c);
                    }
                    p.ln()
                };
                let whole = along(0.0);
                let out = Self::left_out(ending[place * self.classes + class]);
                log_theta.push(whole);
                log_left_out.push(if out > 0.0 { along(out) } else { whole });
            }
        });
        (log_theta, log_left_out)
    }

    /// The deepest place that a row reaches, with ln θ of each class added to `log_theta`, `weight` times.
    ///
    /// `codes` are the row's value and parents. Where x does not occur with some context that does, its θ counts that.
    pub fn look_up(&self, codes: &[Option<usize>], weight: f64, log_theta: &mut [f64]) -> u32 {
        let Some(value) = codes[0] else { return NONE };
        let known = codes.iter().take_while(|code| code.is_some()).count();
        let mut place = NONE;
        let mut number = 0;
        let mut depth = 0;
        for (level, code) in codes[..known].iter().enumerate() {
            number = self.pairs.levels[level].find(number, code.unwrap_or(usize::MAX));
            if number == NONE {
                break;
            }
            place = (self.starts[level] + number as usize) as u32;
            depth = level + 1;
        }
        let s = self.classes;
        if depth == known {
            let of_place = &self.log_theta[place as usize * s..][..s];
            log_theta.iter_mut().zip(of_place).for_each(|(sum, log_theta)| *sum += weight * log_theta);
            return place;
        }
        let c = &self.concentrations;
        let mut context = 0;
        let mut p = if depth == 0 {
            debug_assert!(value < self.r);
            vec![c[0] / self.r as f64 / (self.total() + c[0]); s]
        } else {
            self.log_theta[place as usize * s..][..s].iter().map(|log_theta| log_theta.exp()).collect()
        };
        for level in 0..known {
            if level > 0 {
                context = self.contexts.levels[level - 1].find(context, codes[level].unwrap_or(usize::MAX));
                if context == NONE {
                    break;
                }
            }
            if level >= depth {
                let all = &self.context_counts[level][context as usize * s..][..s];
                for (p, all) in p.iter_mut().zip(all) {
                    *p *= c[level + 1] / (all + c[level + 1]);
                }
            }
        }
        log_theta.iter_mut().zip(p).for_each(|(sum, p)| *sum += weight * p.ln());
        place
    }
}
