//! Tables of the class, of every attribute and of every pair, one after another in three lists.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::control::Control;
use crate::counts::pairs::visit_pairs;
use crate::counts::{Cell, PairTable, PairVisitor, count_table};
use crate::data::{Dataset, Variable};
use crate::error::Result;
use crate::memory::{check_bytes, filled};

/// Where each table stands: `s` classes (1 where there is none), attribute `i` with `r_i` values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) arities: Vec<usize>,
    pub(super) classes: Option<usize>,
    pub(super) pairs: bool,
    /// Σ of the arities before each attribute; one more for the end.
    starts: Vec<usize>,
    /// Where the pairs `(i, j > i)` of each attribute begin; one more for the end.
    rows: Vec<usize>,
}

impl Layout {
    /// Refused where the tables exceed the memory limit.
    pub(super) fn new(arities: Vec<usize>, classes: Option<usize>, pairs: bool) -> Result<Self> {
        let s = classes.unwrap_or(1) as u128;
        let sum: u128 = arities.iter().map(|&arity| arity as u128).sum();
        let squares: u128 = arities.iter().map(|&arity| (arity as u128).pow(2)).sum();
        let of_pairs = if pairs { (sum * sum - squares) / 2 } else { 0 };
        let cells = s.saturating_mul(of_pairs.saturating_add(sum + 1));
        let what = || {
            let kind = if pairs { "all pairs of" } else { "all" };
            format!("the statistics of {kind} {} columns", arities.len())
        };
        check_bytes(what, [usize::try_from(cells).unwrap_or(usize::MAX), size_of::<u32>()])?;
        let mut starts = vec![0];
        for &arity in &arities {
            starts.push(starts[starts.len() - 1] + arity);
        }
        let mut rows = vec![0];
        if pairs {
            let (s, sum) = (s as usize, sum as usize);
            for (i, &arity) in arities.iter().enumerate() {
                rows.push(rows[i] + s * arity * (sum - starts[i + 1]));
            }
        }
        Ok(Self { arities, classes, pairs, starts, rows })
    }

    pub(super) fn s(&self) -> usize {
        self.classes.unwrap_or(1)
    }

    /// The cells of the class, of all attributes, of all pairs.
    pub(super) fn lengths(&self) -> [usize; 3] {
        let values = self.starts.last().copied().unwrap_or(0);
        [self.s(), self.s() * values, self.rows.last().copied().unwrap_or(0)]
    }

    /// The table of an attribute: cell `c·r_i + a`.
    pub(super) fn single(&self, i: usize) -> Range<usize> {
        self.s() * self.starts[i]..self.s() * self.starts[i + 1]
    }

    /// The table of a pair `i < j`: cell `(c·r_i + a)·r_j + b`.
    pub(super) fn pair(&self, i: usize, j: usize) -> Range<usize> {
        let within = self.pair_in_row(i, j);
        self.rows[i] + within.start..self.rows[i] + within.end
    }

    fn pair_in_row(&self, i: usize, j: usize) -> Range<usize> {
        let side = self.s() * self.arities[i];
        side * (self.starts[j] - self.starts[i + 1])..side * (self.starts[j + 1] - self.starts[i + 1])
    }

    /// The pairs `(i, j > i)` of each attribute, apart.
    fn split<'a, T>(&self, mut pairs: &'a mut [T]) -> Vec<&'a mut [T]> {
        let lengths = self.rows.windows(2).map(|ends| ends[1] - ends[0]);
        lengths.map(|length| pairs.split_off_mut(..length).unwrap_or_default()).collect()
    }
}

/// The cells of all tables.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tables<T> {
    pub(super) class: Vec<T>,
    pub(super) singles: Vec<T>,
    pub(super) pairs: Vec<T>,
}

impl<T: Cell> Tables<T> {
    pub(super) fn new(layout: &Layout) -> Result<Self> {
        let [class, singles, pairs] = layout.lengths();
        let empty = |cells| filled(|| format!("statistics of {cells} cells"), T::default(), cells);
        Ok(Self { class: empty(class)?, singles: empty(singles)?, pairs: empty(pairs)? })
    }

    pub(super) fn lists(&self) -> [&Vec<T>; 3] {
        [&self.class, &self.singles, &self.pairs]
    }

    pub(super) fn convert<U: Cell>(&self, cell: impl Fn(T) -> U + Copy) -> Tables<U> {
        let list = |cells: &[T]| cells.iter().map(|&one| cell(one)).collect();
        Tables { class: list(&self.class), singles: list(&self.singles), pairs: list(&self.pairs) }
    }

    pub(super) fn add<U: Cell + Into<T>>(&mut self, other: &Tables<U>) {
        let own = [&mut self.class, &mut self.singles, &mut self.pairs];
        for (sums, cells) in own.into_iter().zip(other.lists()) {
            sums.par_iter_mut().with_min_len(1 << 14).zip(cells).for_each(|(sum, &cell)| {
                *sum = sum.plus(cell.into());
            });
        }
    }

    /// The same tables in another layout: code `a` of attribute `i` becomes `values[i][a]`, class `c` becomes `classes[c]`.
    pub(super) fn moved(&self, from: &Layout, to: &Layout, moves: &Moves<'_>) -> Result<Self> {
        let mut tables = Self::new(to)?;
        let n = from.arities.len();
        for (c, &class) in moves.classes.iter().enumerate() {
            tables.class[class] = self.class[c];
            for i in 0..n {
                let (r, width) = (from.arities[i], to.arities[i]);
                let (old, new) = (&self.singles[from.single(i)], &mut tables.singles[to.single(i)]);
                for (a, &value) in moves.values[i].iter().enumerate() {
                    new[class * width + value] = old[c * r + a];
                }
            }
        }
        if from.pairs {
            to.split(&mut tables.pairs).into_par_iter().enumerate().for_each(|(i, row)| {
                for j in i + 1..n {
                    let (old, new) = (&self.pairs[from.pair(i, j)], &mut row[to.pair_in_row(i, j)]);
                    let (r_i, r_j, w_i, w_j) =
                        (from.arities[i], from.arities[j], to.arities[i], to.arities[j]);
                    for (c, &class) in moves.classes.iter().enumerate() {
                        for (a, &x) in moves.values[i].iter().enumerate() {
                            for (b, &y) in moves.values[j].iter().enumerate() {
                                new[(class * w_i + x) * w_j + y] = old[(c * r_i + a) * r_j + b];
                            }
                        }
                    }
                }
            });
        }
        Ok(tables)
    }
}

impl<T: Cell> Tables<T> {
    /// The same tables beside columns of one value each: attribute `k` becomes `places[k]`, which ascend. What has one value
    /// tells nothing: its table is that of the class, and a pair with it has the table of the other.
    pub(super) fn spread(&self, from: &Layout, to: &Layout, places: &[usize]) -> Result<Self> {
        let mut tables = Self::new(to)?;
        let n = to.arities.len();
        let mut old = vec![None; n];
        places.iter().enumerate().for_each(|(k, &place)| old[place] = Some(k));
        tables.class.copy_from_slice(&self.class);
        let single = |i: Option<usize>| i.map_or(self.class.as_slice(), |i| &self.singles[from.single(i)]);
        for i in 0..n {
            tables.singles[to.single(i)].copy_from_slice(single(old[i]));
            for j in (i + 1..n).filter(|_| to.pairs) {
                tables.pairs[to.pair(i, j)].copy_from_slice(match (old[i], old[j]) {
                    (Some(i), Some(j)) => &self.pairs[from.pair(i, j)],
                    (one, other) => single(one.or(other)),
                });
            }
        }
        Ok(tables)
    }
}

/// Where codes go in a larger domain.
pub struct Moves<'a> {
    /// For each attribute the new code of each old one.
    pub values: &'a [Vec<usize>],
    /// The new code of each class; `[0]` where there is no class.
    pub classes: &'a [usize],
}

/// Counts the tables of one batch of rows.
pub(super) fn count<T: Cell>(layout: &Layout, data: &Dataset, control: &Control) -> Result<Tables<T>>
where
    for<'a> Filler<'a, T>: PairVisitor,
{
    let mut tables = Tables::<T>::new(layout)?;
    let class: &[Variable] = if layout.classes.is_some() { &[Variable::Class] } else { &[] };
    tables.class.copy_from_slice(&T::unwrap(count_table(data, class)?));
    let singles = (0..layout.arities.len()).into_par_iter().map(|i| {
        control.check()?;
        Ok(T::unwrap(count_table(data, &[class, &[Variable::Attribute(i)]].concat())?))
    });
    for (i, single) in singles.collect::<Result<Vec<_>>>()?.into_iter().enumerate() {
        tables.singles[layout.single(i)].copy_from_slice(&single);
    }
    if layout.pairs && layout.arities.len() > 1 {
        let rows = layout.split(&mut tables.pairs).into_iter().map(Mutex::new).collect();
        visit_pairs(data, &Filler { layout, rows }, control)?;
    }
    Ok(tables)
}

/// Copies each pair's table to its place, from whichever thread counted it.
pub(super) struct Filler<'a, T> {
    layout: &'a Layout,
    rows: Vec<Mutex<&'a mut [T]>>,
}

impl<T: Cell> Filler<'_, T> {
    fn fill(&self, table: PairTable<'_, T>) {
        let mut row = self.rows[table.i].lock().unwrap_or_else(PoisonError::into_inner);
        row[self.layout.pair_in_row(table.i, table.j)].copy_from_slice(table.cells);
    }
}

impl PairVisitor for Filler<'_, u32> {
    fn integer(&self, table: PairTable<'_, u32>) -> Result<()> {
        self.fill(table);
        Ok(())
    }

    fn weighted(&self, _table: PairTable<'_, f64>) -> Result<()> {
        Ok(()) // rows without weights have no such tables
    }
}

impl PairVisitor for Filler<'_, f64> {
    fn integer(&self, _table: PairTable<'_, u32>) -> Result<()> {
        Ok(()) // rows with weights have no such tables
    }

    fn weighted(&self, table: PairTable<'_, f64>) -> Result<()> {
        self.fill(table);
        Ok(())
    }
}
