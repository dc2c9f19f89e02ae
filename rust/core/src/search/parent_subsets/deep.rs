//! Sets of three parents and more: extending a prefix by one more parent.

use std::sync::Arc;

use super::child::Child;
use super::context::Context;
use super::front::Front;
use super::histogram::Configurations;
use super::pairs::{SLACK, Scratch};
use super::popcount::count_batch;
use super::shape_score::{ShapeScore, upper_bound};
use crate::counts::bitmaps::ones;
use crate::counts::{Cells, FamilyCounts, check_cells};
use crate::data::Variable;
use crate::error::Result;

/// A child with some parents: bitmaps of all their configurations, where these are few.
pub(super) struct Prefix {
    parents: Vec<usize>,
    arities: Vec<usize>,
    /// One map for each configuration j of the parents and value a of the child, at `j·r_x + a`.
    maps: Option<Vec<u64>>,
    /// Rows of each map, class by class: `[(j·r_x + a)·s + c]`; empty without maps.
    table: Vec<u32>,
}

/// A prefix with more maps is counted row by row.
const MOST_MAPS: usize = 256;

impl Prefix {
    /// The child with one parent.
    pub(super) fn single(context: &Context<'_>, child: &Child, parent: usize) -> Self {
        let alone = Self {
            parents: Vec::new(),
            arities: Vec::new(),
            maps: split(context, &[all_rows(context)], child.column),
            table: Vec::new(),
        };
        alone.with(context, child, parent)
    }

    /// One more parent, which varies faster than those before it, slower than the child.
    fn with(&self, context: &Context<'_>, child: &Child, parent: usize) -> Self {
        let (r, t) = (child.arity, context.arities[parent]);
        let width = context.maps.layout().words();
        let maps = self.maps.as_ref().filter(|maps| maps.len() / width * t <= MOST_MAPS).and_then(|maps| {
            let mut extended = Vec::with_capacity(maps.len() * t);
            for configuration in maps.chunks_exact(r * width) {
                let parts: Vec<&[u64]> = configuration.chunks_exact(width).collect();
                extended.extend(split(context, &parts, parent)?);
            }
            Some(extended)
        });
        let offsets = &context.maps.layout().word_offsets;
        let table = maps.iter().flat_map(|maps| maps.chunks_exact(width)).flat_map(|map| {
            (0..context.classes).map(move |class| ones(&map[offsets[class]..offsets[class + 1]]))
        });
        let table = table.collect();
        let (parents, arities) = (with_last(&self.parents, parent), with_last(&self.arities, t));
        Self { parents, arities, maps, table }
    }
}

/// A bitmap of all rows.
fn all_rows(context: &Context<'_>) -> Vec<u64> {
    let layout = context.maps.layout();
    let mut map = vec![0u64; layout.words()];
    for (class, &rows) in layout.rows.iter().enumerate() {
        for row in 0..rows as usize {
            map[layout.word_offsets[class] + row / 64] |= 1 << (row % 64);
        }
    }
    map
}

/// Every map split by the values of a column: value slowest, maps in their order; `None` without bitmaps.
fn split<M: AsRef<[u64]>>(context: &Context<'_>, maps: &[M], column: usize) -> Option<Vec<u64>> {
    let words = context.column_words(column)?;
    let width = context.maps.layout().words();
    let mut parts = Vec::with_capacity(context.arities[column] * maps.len() * width);
    for value in words.chunks_exact(width) {
        for map in maps {
            parts.extend(map.as_ref().iter().zip(value).map(|(map, value)| map & value));
        }
    }
    // The last value has no bitmap: it is where no other is.
    for map in maps {
        parts.extend(
            map.as_ref()
                .iter()
                .enumerate()
                .map(|(at, map)| words.chunks_exact(width).fold(*map, |rest, value| rest & !value[at])),
        );
    }
    Some(parts)
}

/// Scores every set that is the prefix, the candidate at `place` and later ones; `fronts` by size, the first
/// for sets of one parent more than prefix and candidate.
pub(super) fn extend<'a>(
    context: &'a Context<'a>,
    child: &Child,
    prefix: &Prefix,
    place: usize,
    fronts: &mut [Front],
    scratch: &mut Scratch<'_>,
) -> Result<()> {
    let Some((front, larger)) = fronts.split_first_mut() else { return Ok(()) };
    if place + 1 == child.candidates.len() {
        return Ok(());
    }
    context.control.check()?;
    let prefix = prefix.with(context, child, child.candidates[place]);
    let step = Step::new(context, child, &prefix, place + 1)?;
    let open = step.prune(place + 1)?;
    step.score(&open, front, scratch)?;
    for &next in &open {
        extend(context, child, &prefix, next, larger, scratch)?;
    }
    Ok(())
}

/// A prefix and what holds for the last parents that may extend it.
struct Step<'a, 'b> {
    context: &'a Context<'a>,
    child: &'b Child,
    prefix: &'b Prefix,
    groups: Vec<ArityGroup>,
}

/// What holds for all last parents of one arity.
struct ArityGroup {
    arity: usize,
    shape_score: Arc<ShapeScore>,
    /// What of φ does not depend on the cells.
    base: f64,
    /// Whether bitmaps pay.
    bitmaps: bool,
}

impl<'a, 'b> Step<'a, 'b> {
    fn new(context: &'a Context<'a>, child: &'b Child, prefix: &'b Prefix, from: usize) -> Result<Self> {
        let mut groups: Vec<ArityGroup> = Vec::new();
        let width = context.maps.layout().words();
        let maps = prefix.maps.as_ref().map(|maps| maps.len() / width);
        let cells = prefix.arities.iter().fold(child.arity, |cells, &arity| cells.saturating_mul(arity));
        for &candidate in &child.candidates[from..] {
            let arity = context.arities[candidate];
            if groups.iter().all(|group| group.arity != arity) {
                let shape_score = context.shape_scores.of(child.arity, &with_last(&prefix.arities, arity))?;
                let base = shape_score.sum().map_or(0.0, |sums| child.base(sums));
                let bitmaps = maps.is_some_and(|maps| {
                    context.costs.bitmaps_pay(maps * (arity - 1), cells.saturating_mul(arity))
                });
                groups.push(ArityGroup { arity, shape_score, base, bitmaps });
            }
        }
        Ok(Self { context, child, prefix, groups })
    }

    /// The position of a candidate's group: each arity among the candidates has one.
    fn group(&self, candidate: usize) -> &ArityGroup {
        let arity = self.context.arities[candidate];
        let position = self.groups.iter().position(|group| group.arity == arity).unwrap_or(0);
        &self.groups[position]
    }

    /// The places of candidates with which the set, or a larger one, may still win.
    fn prune(&self, from: usize) -> Result<Vec<usize>> {
        let later = from..self.child.candidates.len();
        let record = &self.child.deep_pruning;
        if !self.context.prune || !record.pays(from) {
            return Ok(later.collect());
        }
        let shape_scores = &self.context.shape_scores;
        let own = shape_scores.of(self.child.arity, &self.prefix.arities)?;
        let larger = shape_scores.terms(self.child.arity, &with_last(&self.prefix.arities, 2))?;
        // Without maps there is no table: a sum over no cells is a weaker bound, but one.
        let bound = match (own.sum(), larger) {
            (Some(own), Some(larger)) => upper_bound(own, &self.prefix.table, &larger),
            _ => None,
        };
        let Some(bound) = bound else { return Ok(later.collect()) };
        let floor = self.child.incumbent.floor();
        let wins = |&place: &usize| {
            let base = self.group(self.child.candidates[place]).base;
            bound + base + SLACK * (bound.abs() + base.abs()) >= floor
        };
        let compared = later.len();
        let open: Vec<usize> = later.filter(wins).collect();
        record.add(compared as u64, (compared - open.len()) as u64);
        Ok(open)
    }

    /// Scores the prefix with each of the open candidates.
    fn score(&self, open: &[usize], front: &mut Front, scratch: &mut Scratch<'_>) -> Result<()> {
        let (context, child) = (self.context, self.child);
        let first_map = self.count(open, scratch);
        let mut rows: Option<[Configurations; 2]> = None;
        let mut best = f64::NEG_INFINITY;
        for (&place, first) in open.iter().zip(first_map) {
            let last = child.candidates[place];
            let ArityGroup { arity, shape_score, base, .. } = self.group(last);
            self.check_size(last)?;
            let score = match (&**shape_score, first) {
                (shape_score, Some(first)) => {
                    fill(context, child, self.prefix, *arity, first, scratch);
                    match shape_score {
                        ShapeScore::Sum(sums) => sums.counts(&scratch.cells),
                        ShapeScore::Whole => {
                            let arities = with_last(&self.prefix.arities, *arity);
                            let shape = context.shape_scores.shape(child.arity, &arities);
                            let cells = Cells::Integer(scratch.cells.clone());
                            context.shape_scores.whole(child.column, &FamilyCounts { shape, cells })?
                        }
                    }
                }
                (ShapeScore::Sum(sums), None) => {
                    let sorted = context.rows()?;
                    let [families, configurations] = match &mut rows {
                        Some(rows) => rows,
                        None => rows.insert(configurations(context, child, &self.prefix.parents)?),
                    };
                    sorted.sum(families, last, &sums.cell, &mut scratch.histogram)
                        - sorted.sum(configurations, last, &sums.row, &mut scratch.histogram)
                        + base
                }
                (ShapeScore::Whole, None) => {
                    let variable = Variable::Attribute(child.column);
                    let parents = with_last(&self.prefix.parents, last);
                    let with_class = context.data.class().is_some();
                    let counts = context.source.family(variable, &parents, with_class)?;
                    context.shape_scores.whole(child.column, &counts)?
                }
            };
            if score > best {
                best = score;
                child.incumbent.raise(score);
                front.push(score, || with_last(&self.prefix.parents, last));
            }
        }
        context.control.advance(open.len() as u64);
        Ok(())
    }

    /// Counts the bitmaps of open candidates; gives the first map of each, where it has some that pay.
    fn count(&self, open: &[usize], scratch: &mut Scratch<'_>) -> Vec<Option<usize>> {
        let width = self.context.maps.layout().words();
        let mut batch = Vec::new();
        let mut first_map = Vec::with_capacity(open.len());
        for &place in open {
            let last = self.child.candidates[place];
            let words = self.context.column_words(last).filter(|_| self.group(last).bitmaps);
            first_map.push(words.map(|words| {
                let first = batch.len();
                batch.extend(words.chunks_exact(width));
                first
            }));
        }
        if let (Some(maps), false) = (&self.prefix.maps, batch.is_empty()) {
            count_batch(self.context.maps.layout(), maps, &batch, &mut scratch.counts);
        }
        first_map
    }

    /// Refuses a table that does not fit, before it is allocated.
    fn check_size(&self, last: usize) -> Result<()> {
        let name = || {
            let parents = with_last(&self.prefix.parents, last);
            let label = |column| self.context.data.label(Variable::Attribute(column));
            let named: Vec<String> = parents.into_iter().map(label).collect();
            format!("{} given {}", label(self.child.column), named.join(", "))
        };
        let others = [self.context.classes, self.child.arity, self.context.arities[last]];
        check_cells(name, self.prefix.arities.iter().copied().chain(others)).map(|_| ())
    }
}

fn with_last(list: &[usize], last: usize) -> Vec<usize> {
    list.iter().copied().chain([last]).collect()
}

/// The configurations of child and parents, and of the parents alone, in every row.
fn configurations(context: &Context<'_>, child: &Child, parents: &[usize]) -> Result<[Configurations; 2]> {
    let rows = context.rows()?;
    let family = parents.iter().fold(rows.column(child.column), |all, &parent| rows.with(&all, parent));
    let alone = parents[1..].iter().fold(rows.column(parents[0]), |all, &parent| rows.with(&all, parent));
    Ok([family, alone])
}

/// The whole table of prefix and last parent (t values), class slowest, child fastest, from the batch's counts.
fn fill(
    context: &Context<'_>,
    child: &Child,
    prefix: &Prefix,
    t: usize,
    first: usize,
    scratch: &mut Scratch<'_>,
) {
    let (classes, r) = (context.classes, child.arity);
    let maps = prefix.table.len() / classes;
    let configurations = maps / r;
    scratch.cells.clear();
    scratch.cells.resize(classes * maps * t, 0);
    for class in 0..classes {
        for j in 0..configurations {
            for a in 0..r {
                let map = j * r + a;
                let mut rest = prefix.table[map * classes + class];
                let at = |value: usize| (((class * configurations + j) * t) + value) * r + a;
                for value in 0..t - 1 {
                    let count = scratch.counts[((first + value) * maps + map) * classes + class];
                    scratch.cells[at(value)] = count;
                    rest -= count;
                }
                scratch.cells[at(t - 1)] = rest;
            }
        }
    }
}
