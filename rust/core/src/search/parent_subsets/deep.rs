//! Sets of three parents and more: extending a prefix by one more parent.

use super::child::Child;
use super::context::Context;
use super::front::Front;
use super::histogram::Configurations;
use super::judge::{Judge, reach};
use super::pairs::{SLACK, Scratch};
use super::popcount::count_batch;
use crate::counts::bitmaps::ones;
use crate::counts::{Cells, CountSource, FamilyCounts, check_cells};
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
        let extend = |list: &[usize], last: usize| list.iter().copied().chain([last]).collect();
        Self { parents: extend(&self.parents, parent), arities: extend(&self.arities, t), maps, table }
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
pub(super) fn extend(
    context: &Context<'_>,
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
    let open = admit(context, child, &prefix, place)?;
    score(context, child, &prefix, &open, front, scratch)?;
    for &next in &open {
        extend(context, child, &prefix, next, larger, scratch)?;
    }
    Ok(())
}

/// The places of candidates with which the set, or a larger one, may still win.
fn admit(context: &Context<'_>, child: &Child, prefix: &Prefix, place: usize) -> Result<Vec<usize>> {
    let floor = child.incumbent.floor();
    let own = context.judges.of(child.arity, &prefix.arities)?;
    let later = place + 1..child.candidates.len();
    let (Some(sums), true) = (own.sum(), context.prune) else {
        return Ok(later.collect());
    };
    let mut open = Vec::new();
    // Without maps there is no table: a sum over no cells is a weaker bound, but one.
    let larger = context.judges.of(child.arity, &with_last(&prefix.arities, 2))?;
    let bound = larger.sum().and_then(|larger| reach(sums, prefix.table.iter().copied(), larger));
    for next in later {
        let t = context.arities[child.candidates[next]];
        let judge = context.judges.of(child.arity, &with_last(&prefix.arities, t))?;
        let beyond = match (judge.sum(), bound) {
            (Some(sums), Some(bound)) => {
                let base = child.base(sums);
                bound + base + SLACK * (bound.abs() + base.abs())
            }
            _ => f64::INFINITY,
        };
        if beyond >= floor {
            open.push(next);
        }
    }
    Ok(open)
}

fn with_last(list: &[usize], last: usize) -> Vec<usize> {
    list.iter().copied().chain([last]).collect()
}

/// Scores the prefix with each of the open candidates.
fn score(
    context: &Context<'_>,
    child: &Child,
    prefix: &Prefix,
    open: &[usize],
    front: &mut Front,
    scratch: &mut Scratch<'_>,
) -> Result<()> {
    let width = context.maps.layout().words();
    let mut batch = Vec::new();
    let mut first_map = Vec::with_capacity(open.len());
    for &place in open {
        let last = child.candidates[place];
        let words = prefix.maps.as_ref().and(context.column_words(last));
        let cells = child.arity * prefix.arities.iter().product::<usize>() * context.arities[last];
        let words = words.filter(|words| {
            let maps = prefix.maps.as_ref().map_or(0, |maps| maps.len() / width);
            context.bitmaps_pay(maps * (words.len() / width), cells)
        });
        first_map.push(words.map(|words| {
            batch.extend(words.chunks_exact(width));
            batch.len() - words.len() / width
        }));
    }
    if let (Some(maps), false) = (&prefix.maps, batch.is_empty()) {
        count_batch(context.maps.layout(), maps, &batch, &mut scratch.counts);
    }
    let mut rows: Option<[Configurations; 2]> = None;
    let mut best = f64::NEG_INFINITY;
    for (&place, first) in open.iter().zip(first_map) {
        let last = child.candidates[place];
        let parents = with_last(&prefix.parents, last);
        let arities = with_last(&prefix.arities, context.arities[last]);
        let judge = context.judges.of(child.arity, &arities)?;
        check_cells(
            || format!("column {} given columns {parents:?}", child.column),
            arities.iter().copied().chain([context.classes, child.arity]),
        )?;
        let score = match (&*judge, first) {
            (judge, Some(first)) => {
                fill(context, child, prefix, context.arities[last], first, scratch);
                match judge {
                    Judge::Sum(sums) => sums.counts(&scratch.cells),
                    Judge::Whole => {
                        let shape = context.judges.shape(child.arity, &arities);
                        let cells = Cells::Integer(scratch.cells.clone());
                        context.judges.whole(child.column, &FamilyCounts { shape, cells })?
                    }
                }
            }
            (Judge::Sum(sums), None) => {
                let sorted = context.rows()?;
                let [families, configurations] = match &mut rows {
                    Some(rows) => rows,
                    None => rows.insert(configurations(context, child, &prefix.parents)?),
                };
                sorted.sum(families, last, &sums.cell, &mut scratch.histogram)
                    - sorted.sum(configurations, last, &sums.row, &mut scratch.histogram)
                    + child.base(sums)
            }
            (Judge::Whole, None) => {
                let variable = Variable::Attribute(child.column);
                let counts = context.counter.family(variable, &parents, context.data.class().is_some())?;
                context.judges.whole(child.column, &counts)?
            }
        };
        if score > best {
            best = score;
            child.incumbent.raise(score);
            front.push(score, || parents);
        }
    }
    context.control.advance(open.len() as u64);
    Ok(())
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
