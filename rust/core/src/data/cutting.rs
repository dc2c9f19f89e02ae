//! MDL cut points of many columns, wherever their values lie.

use crate::data::source::{BLOCK, each};
use crate::data::{Code, Levels, MdlCutter, Source};
use crate::error::{Result, check_length};
use crate::with_codes;

/// A column whose numbers are to be cut.
pub enum Cuttable<'a> {
    /// It has been read, and has few values: how often each occurs with each class is all that matters.
    Levels(&'a Levels),
    /// Its values lie where they were.
    Source(&'a dyn Source),
}

/// Columns of row-major tables that are gathered in one go: a cache line has room for as many numbers.
const TOGETHER: usize = 8;

/// The MDL cut points of columns, each as [`crate::data::mdl_cut_points`] gives them, columns in parallel.
///
/// # Complexity
/// O(N + levels · classes) for a column that has been read; for others that of one column, with memory for the numbers of
/// eight of them in each thread.
pub fn cut_points(
    columns: &[Cuttable<'_>],
    y: &[u32],
    n_classes: usize,
    weights: Option<&[f64]>,
) -> Result<Vec<Vec<f64>>> {
    // Classes and weights are checked once, whatever the columns are.
    MdlCutter::check(y, n_classes, weights)?;
    let rows = y.len();
    let cut = |group: &[Cuttable<'_>]| {
        let numbers = gather(group, rows)?;
        let mut cutter = None;
        let mut cuts = Vec::with_capacity(group.len());
        for (column, numbers) in group.iter().zip(&numbers) {
            cuts.push(match column {
                Cuttable::Levels(levels) => cut_levels(levels, y, n_classes, weights)?,
                Cuttable::Source(_) => match &mut cutter {
                    None => cutter.insert(MdlCutter::new(y, n_classes, weights)?).cut_points(numbers)?,
                    Some(cutter) => cutter.cut_points(numbers)?,
                },
            });
        }
        Ok(cuts)
    };
    let cuts: Result<Vec<Vec<Vec<f64>>>> =
        each(columns.chunks(TOGETHER).collect(), rows * columns.len(), cut).into_iter().collect();
    Ok(cuts?.into_iter().flatten().collect())
}

/// The numbers of the columns that have not been read, block by block of rows; NaN where they are missing.
fn gather(group: &[Cuttable<'_>], rows: usize) -> Result<Vec<Vec<f64>>> {
    let mut numbers = Vec::with_capacity(group.len());
    for column in group {
        let (length, of_source) = match column {
            Cuttable::Levels(levels) => (levels.codes.len(), 0),
            Cuttable::Source(source) => (source.rows(), rows),
        };
        check_length("x", length, rows)?;
        numbers.push(vec![0.0; of_source]);
    }
    for start in (0..rows).step_by(BLOCK) {
        for (column, numbers) in group.iter().zip(&mut numbers) {
            let Cuttable::Source(source) = column else { continue };
            source.numbers(start, &mut numbers[start..rows.min(start + BLOCK)]);
        }
    }
    Ok(numbers)
}

/// A few values with the weight of each class are as good as all rows.
fn cut_levels(levels: &Levels, y: &[u32], n_classes: usize, weights: Option<&[f64]>) -> Result<Vec<f64>> {
    fn count<C: Code>(codes: &[C], y: &[u32], classes: usize, weights: Option<&[f64]>, cells: &mut [f64]) {
        match weights {
            None => {
                // Whole numbers while they are counted: quicker, and exact.
                let mut counts = vec![0u32; cells.len()];
                for (code, &class) in codes.iter().zip(y) {
                    if let Some(count) = counts.get_mut(code.index() * classes + class as usize) {
                        *count += 1;
                    }
                }
                cells.iter_mut().zip(counts).for_each(|(cell, count)| *cell = f64::from(count));
            }
            Some(weights) => {
                for ((code, &class), weight) in codes.iter().zip(y).zip(weights) {
                    if let Some(cell) = cells.get_mut(code.index() * classes + class as usize) {
                        *cell += weight;
                    }
                }
            }
        }
    }
    if levels.keys.len().saturating_mul(n_classes) > y.len().max(1 << 12) {
        // The table would be larger than the data.
        let number = |code: usize| levels.keys.get(code).map_or(f64::NAN, |&key| levels.domain.number(key));
        let x: Vec<f64> =
            with_codes!(&levels.codes, codes => codes.iter().map(|code| number(code.index())).collect());
        return MdlCutter::new(y, n_classes, weights)?.cut_points(&x);
    }
    let mut cells = vec![0.0; levels.keys.len() * n_classes];
    with_codes!(&levels.codes, codes => count(codes, y, n_classes, weights, &mut cells));
    let present: Vec<usize> = (0..cells.len()).filter(|&cell| cells[cell] > 0.0).collect();
    let x: Vec<f64> =
        present.iter().map(|cell| levels.domain.number(levels.keys[cell / n_classes])).collect();
    let classes: Vec<u32> = present.iter().map(|cell| (cell % n_classes) as u32).collect();
    let weights: Vec<f64> = present.iter().map(|&cell| cells[cell]).collect();
    MdlCutter::new(&classes, n_classes, Some(&weights))?.cut_points(&x)
}
