//! Rows sorted by fold and class, and the joint counts of two columns in them.

use std::ops::Range;

use crate::counts::{Cell, check_cells};
use crate::data::mixed_radix::{append_with_missing, extent, number};
use crate::data::{Column, Dataset, RowGroups};
use crate::error::{Error, Result, check_length};

/// Rows of a tile: its indices stay in the first-level cache.
const TILE: usize = 1024;

/// Space for the indices of a tile, to be used again and again.
pub(super) struct Tile([u32; TILE]);

impl Tile {
    pub fn new() -> Self {
        Self([0; TILE])
    }
}

/// A data set whose rows stand in the order of (fold, class): within one segment of rows the fold and the class are
/// constants, so that kernels index by attributes alone.
#[derive(Debug)]
pub(super) struct FoldedRows {
    data: Dataset,
    classes: usize,
    folds: usize,
    /// The rows of `fold·s + class`. A last fold beyond `folds` holds the rows that are only trained on.
    groups: RowGroups,
    /// The fold and the class of each row.
    segments: Vec<(u32, u32)>,
}

impl FoldedRows {
    /// Sorts the rows. A fold that is not below `folds` marks a row that is never tested.
    pub fn new(data: &Dataset, fold_of_row: &[u32], folds: usize) -> Result<Self> {
        let Some(class) = data.class() else { return Err(Error::NoClass { what: "accuracy" }) };
        check_length("the folds", fold_of_row.len(), data.rows())?;
        let classes = class.arity();
        // A data set's class has no missing values.
        let segment = |(row, &fold): (usize, &u32)| {
            (fold as usize).min(folds) * classes + class.get(row).unwrap_or_default()
        };
        let groups = RowGroups::new((folds + 1) * classes, fold_of_row.iter().enumerate().map(segment));
        let mut segments = Vec::with_capacity(data.rows());
        for (segment, rows) in groups.ranges().enumerate() {
            segments.resize(rows.end, ((segment / classes) as u32, (segment % classes) as u32));
        }
        Ok(Self { data: data.select(groups.rows())?, classes, folds, groups, segments })
    }

    pub fn data(&self) -> &Dataset {
        &self.data
    }

    pub fn classes(&self) -> usize {
        self.classes
    }

    pub fn folds(&self) -> usize {
        self.folds
    }

    /// The rows of a fold and class.
    pub fn segment(&self, fold: usize, class: usize) -> Range<usize> {
        self.groups.range(fold * self.classes + class)
    }

    /// The rows of a fold.
    pub fn fold(&self, fold: usize) -> Range<usize> {
        self.segment(fold, 0).start..self.segment(fold, self.classes - 1).end
    }

    /// The class of a row.
    #[inline(always)]
    pub fn class_of(&self, row: u32) -> usize {
        self.segments[row as usize].1 as usize
    }

    /// Ascending rows, fold by fold.
    pub fn by_fold<'a>(&'a self, rows: &'a [u32]) -> impl Iterator<Item = (usize, &'a [u32])> {
        let fold = |row: u32| self.segments[row as usize].0;
        rows.chunk_by(move |&a, &b| fold(a) == fold(b)).map(move |part| (fold(part[0]) as usize, part))
    }

    /// N of each fold's training rows, and the counts of the classes in them: `[fold·s + class]`.
    pub fn training_classes<T: Cell>(&self, weight: impl Fn(usize) -> T) -> Vec<Vec<T>> {
        let sum = |rows: Range<usize>| rows.fold(T::default(), |sum, row| sum.plus(weight(row)));
        let held: Vec<T> = self.groups.ranges().map(sum).collect();
        let without = |fold: usize, class: usize| {
            let others = (0..=self.folds).filter(|&other| other != fold);
            others.fold(T::default(), |sum, other| sum.plus(held[other * self.classes + class]))
        };
        (0..self.folds).map(|fold| (0..self.classes).map(|class| without(fold, class)).collect()).collect()
    }

    /// The tiles of some rows: `visit(first row, their cells)`.
    pub fn tiles(
        &self,
        rows: Range<usize>,
        cells: &CellsOfRows<'_>,
        tile: &mut Tile,
        mut visit: impl FnMut(usize, &[u32]),
    ) {
        match cells {
            CellsOfRows::Given(cells) => visit(rows.start, &cells[rows]),
            CellsOfRows::Scope(scope) => {
                for start in rows.clone().step_by(TILE) {
                    let tile = &mut tile.0[..TILE.min(rows.end - start)];
                    scope.index(start, tile);
                    visit(start, tile);
                }
            }
        }
    }

    /// How often each cell of the scope occurs in each segment: `[(fold·s + class)·cells + cell]`; an error, before
    /// anything is allocated, where that is more than fits.
    pub fn count<T: Cell>(&self, scope: &Scope<'_>, weight: impl Fn(usize) -> T) -> Result<Vec<T>> {
        let (left, right) = scope.extents();
        let segments = (self.folds + 1) * self.classes;
        let size = check_cells(|| "a join".into(), [segments, left, right])?;
        let cells = left * right;
        let mut counts = vec![T::default(); size];
        let mut tile = Tile::new();
        let scope = &CellsOfRows::Scope(*scope);
        for (rows, counts) in self.groups.ranges().zip(counts.chunks_exact_mut(cells)) {
            if cells <= LANES_CELLS && rows.len() >= 4 * cells {
                self.tiles(rows, scope, &mut tile, |start, tile| {
                    count_in_lanes(tile, start, &weight, counts)
                });
            } else {
                self.tiles(rows, scope, &mut tile, |start, tile| {
                    for (offset, &index) in tile.iter().enumerate() {
                        let cell = &mut counts[index as usize];
                        *cell = cell.plus(weight(start + offset));
                    }
                });
            }
        }
        Ok(counts)
    }
}

/// Tables of at most this many cells are counted in lanes.
const LANES_CELLS: usize = 16;

/// Neighbouring rows often fall into one of few cells; counting them in four tables lets the additions overlap.
fn count_in_lanes<T: Cell>(tile: &[u32], start: usize, weight: impl Fn(usize) -> T, counts: &mut [T]) {
    let mut lanes = [[T::default(); LANES_CELLS]; 4];
    let (quads, rest) = tile.as_chunks::<4>();
    for (quad, indices) in quads.iter().enumerate() {
        for (lane, &index) in indices.iter().enumerate() {
            let cell = &mut lanes[lane][index as usize % LANES_CELLS];
            *cell = cell.plus(weight(start + quad * 4 + lane));
        }
    }
    for (offset, &index) in rest.iter().enumerate() {
        let cell = &mut lanes[0][index as usize % LANES_CELLS];
        *cell = cell.plus(weight(start + quads.len() * 4 + offset));
    }
    for (cell, count) in counts.iter_mut().enumerate() {
        *count = lanes.iter().fold(*count, |sum, lane| sum.plus(lane[cell]));
    }
}

/// Which cell of a change each row is in.
pub(super) enum CellsOfRows<'a> {
    /// To be computed from columns.
    Scope(Scope<'a>),
    /// Computed already.
    Given(&'a [u32]),
}

/// The cells that an operation touches: the combinations of two columns, or the values of one.
///
/// A column with missing entries has one more value for them, the last.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope<'a> {
    pub left: Option<&'a Column>,
    pub right: &'a Column,
}

impl Scope<'_> {
    /// The numbers of values, those for missing entries included; cell `left · right_extent + right`.
    pub fn extents(&self) -> (usize, usize) {
        (self.left.map_or(1, extent), extent(self.right))
    }

    /// The numbers of values.
    pub fn arities(&self) -> (usize, usize) {
        (self.left.map_or(1, Column::arity), self.right.arity())
    }

    /// The cell of one row.
    pub fn cell(&self, row: usize) -> usize {
        let value = |column: &Column| column.get(row).unwrap_or(column.arity());
        let (left, right) = self.extents();
        number([(self.left.map_or(0, value), left), (value(self.right), right)])
    }

    /// The cells of the rows from `start`.
    fn index(&self, start: usize, tile: &mut [u32]) {
        tile.fill(0);
        self.left.into_iter().chain([self.right]).for_each(|column| append_with_missing(tile, column, start));
    }
}
