//! The two ways to fill a block's tables: one increment per row, or AND and popcount over bitmaps.

use super::counter::PairCounter;
use crate::counts::Cell;
use crate::counts::bitmaps::{ColumnMaps, MappedPair, and_count_tables};
use crate::counts::histogram::{TILE, TileIndices};
use crate::data::Dataset;

/// Words of a tile of bitmaps: those of a block's columns fit into a second-level cache.
const TILE_WORDS: usize = 512;

/// How the cells of a block are filled: rows or weights.
pub(super) trait Kernel<T>: Sync {
    fn count(&self, counter: &PairCounter<'_>, pairs: &[(usize, usize)], offsets: &[usize], cells: &mut [T]);
}

pub(super) struct RowKernel;
pub(super) struct WeightKernel<'a>(pub(super) &'a [f64]);

impl Kernel<u32> for RowKernel {
    fn count(
        &self,
        counter: &PairCounter<'_>,
        pairs: &[(usize, usize)],
        offsets: &[usize],
        cells: &mut [u32],
    ) {
        let (mapped, plain): (Vec<usize>, Vec<usize>) =
            (0..pairs.len()).partition(|&position| counter.by_bitmaps(pairs[position].0, pairs[position].1));
        count_by_histogram(counter.data, pairs, &plain, offsets, cells, |_| 1);
        count_by_bitmaps(counter, pairs, &mapped, offsets, cells);
    }
}

impl Kernel<f64> for WeightKernel<'_> {
    fn count(
        &self,
        counter: &PairCounter<'_>,
        pairs: &[(usize, usize)],
        offsets: &[usize],
        cells: &mut [f64],
    ) {
        let all: Vec<usize> = (0..pairs.len()).collect();
        count_by_histogram(counter.data, pairs, &all, offsets, cells, |row| self.0[row]);
    }
}

fn count_by_histogram<T: Cell>(
    data: &Dataset,
    pairs: &[(usize, usize)],
    chosen: &[usize],
    offsets: &[usize],
    cells: &mut [T],
    weight: impl Fn(usize) -> T + Copy,
) {
    if chosen.is_empty() {
        return;
    }
    for start in (0..data.rows()).step_by(TILE) {
        let mut first: Option<(usize, TileIndices)> = None;
        for &position in chosen {
            let (i, j) = pairs[position];
            // The pairs of one first column follow each other.
            let indices = match first.take() {
                Some((column, indices)) if column == i => indices,
                _ => TileIndices::of(data, data.column(i), start),
            };
            indices.count(
                data.column(j),
                start,
                weight,
                &mut cells[offsets[position]..offsets[position + 1]],
            );
            first = Some((i, indices));
        }
    }
}

fn count_by_bitmaps(
    counter: &PairCounter<'_>,
    pairs: &[(usize, usize)],
    chosen: &[usize],
    offsets: &[usize],
    cells: &mut [u32],
) {
    let Some(bitmaps) = &counter.bitmaps else { return };
    let maps: Vec<(&ColumnMaps, &ColumnMaps)> = chosen
        .iter()
        .filter_map(|&position| bitmaps.column(pairs[position].0).zip(bitmaps.column(pairs[position].1)))
        .collect();
    let mut tables: Vec<MappedPair<'_>> = maps
        .iter()
        .zip(chosen)
        .map(|((left, right), &position)| MappedPair {
            left: left.words(),
            right: right.words(),
            cells: offsets[position],
            row: right.arity(),
        })
        .collect();
    let layout = bitmaps.layout();
    for class in 0..layout.n_classes() {
        let (first, end) = (layout.word_offsets[class], layout.word_offsets[class + 1]);
        for start in (first..end).step_by(TILE_WORDS) {
            and_count_tables(&tables, layout.words(), start..(start + TILE_WORDS).min(end), cells);
        }
        for (table, (left, right)) in tables.iter_mut().zip(&maps) {
            let size = left.arity() * right.arity();
            complete(&mut cells[table.cells..][..size], left, right, class);
            // On to the next class's part of the table.
            table.cells += size;
        }
    }
}

/// The cells of values without a bitmap, by subtraction from the other column's margin.
fn complete(cells: &mut [u32], left: &ColumnMaps, right: &ColumnMaps, class: usize) {
    let (r_i, r_j) = (left.arity(), right.arity());
    if right.stored() < r_j {
        let margin = &left.margin()[class * r_i..];
        for (row, &rows) in cells.chunks_exact_mut(r_j).zip(margin).take(left.stored()) {
            row[r_j - 1] = rows - row[..r_j - 1].iter().sum::<u32>();
        }
    }
    if left.stored() < r_i {
        let (counted, last) = cells.split_at_mut((r_i - 1) * r_j);
        last.copy_from_slice(&right.margin()[class * r_j..(class + 1) * r_j]);
        for row in counted.chunks_exact(r_j) {
            for (last, &cell) in last.iter_mut().zip(row) {
                *last -= cell;
            }
        }
        // Where the right column is complete but its last value has no bitmap, the rows of the left one's
        // last value are known from its own margin; both ways agree because the left column misses no values.
    }
}
