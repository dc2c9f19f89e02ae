//! One-hot bitmaps of columns, with the rows partitioned by class.
//!
//! For each value of a column there is a bitmap with one bit per row; rows of class 0 come first, then those of
//! class 1, each class padded to whole groups of words. A cell of a pair table is then the number of bits in
//! the AND of two bitmaps over the words of one class: 64 rows an instruction and the class dimension for
//! nothing. The last value of a column without missing values is not stored: its counts come by subtraction.

mod build;
mod popcount;

use rayon::prelude::*;

use crate::counts::check_cells;
use crate::data::Dataset;
use crate::error::Result;

pub use popcount::{MappedPair, and_count_tables, ones};

/// Words in a class's segment are a multiple of this, so that wide registers need no remainder loop.
pub const WORD_GROUP: usize = 4;

/// Data of fewer codes is turned into bitmaps by whoever asks: waking another thread would take as long.
const ALONE: usize = 1 << 18;

/// Where the rows of each class lie within a bitmap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassLayout {
    /// First word of each class, and behind the last one the end: the words of a bitmap.
    pub word_offsets: Vec<usize>,
    /// Rows of each class.
    pub rows: Vec<u32>,
}

impl ClassLayout {
    /// The layout of a data set; one segment where there is no class.
    pub fn of(data: &Dataset) -> Self {
        let mut rows = vec![0u32; data.n_classes().unwrap_or(1)];
        match data.class() {
            None => rows[0] = data.rows() as u32,
            Some(class) => {
                crate::with_codes!(class.codes(), codes => {
                    for &code in codes {
                        rows[code as usize] += 1;
                    }
                });
            }
        }
        let mut word_offsets = Vec::with_capacity(rows.len() + 1);
        let mut words = 0;
        for &count in &rows {
            word_offsets.push(words);
            words += (count as usize).div_ceil(64).next_multiple_of(WORD_GROUP);
        }
        word_offsets.push(words);
        Self { word_offsets, rows }
    }

    /// Words of a whole bitmap.
    pub fn words(&self) -> usize {
        self.word_offsets.last().copied().unwrap_or(0)
    }

    /// The number of classes.
    pub fn n_classes(&self) -> usize {
        self.rows.len()
    }
}

/// The bitmaps of one column.
#[derive(Debug, Clone)]
pub struct ColumnMaps {
    arity: usize,
    stored: usize,
    words: Vec<u64>,
    /// Rows with each value, class by class: `[c·arity + a]`.
    margin: Vec<u32>,
}

impl ColumnMaps {
    /// The column's number of values.
    pub fn arity(&self) -> usize {
        self.arity
    }

    /// How many values have a bitmap: all but the last, or all where the column misses values.
    pub fn stored(&self) -> usize {
        self.stored
    }

    /// All bitmaps, one behind the other.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Rows with each value, class by class: `[c·arity + a]`.
    pub fn margin(&self) -> &[u32] {
        &self.margin
    }
}

/// The bitmaps of some columns of a data set.
#[derive(Debug)]
pub struct Bitmaps {
    layout: ClassLayout,
    columns: Vec<Option<ColumnMaps>>,
}

impl Bitmaps {
    /// Builds the bitmaps of the columns for which `wanted` holds. Columns wider than 8 bits never have any.
    ///
    /// # Complexity
    /// O(N·r/64) per column where the processor has AVX2 and BMI2 and arities are small, else O(N).
    pub fn build(data: &Dataset, wanted: impl Fn(usize) -> bool + Sync) -> Result<Self> {
        let layout = ClassLayout::of(data);
        let bytes = (0..data.n()).filter(|&column| wanted(column)).map(|column| data.column(column).arity());
        check_cells(|| "all bitmaps".into(), [bytes.sum::<usize>(), layout.words()])?;
        let rows = build::RowPlaces::of(data, &layout);
        let maps =
            |index| wanted(index).then(|| build::column_maps(data.column(index), &layout, &rows)).flatten();
        let columns = if data.rows() * data.n() < ALONE {
            (0..data.n()).map(maps).collect()
        } else {
            (0..data.n()).into_par_iter().map(maps).collect()
        };
        Ok(Self { layout, columns })
    }

    /// Where each class lies.
    pub fn layout(&self) -> &ClassLayout {
        &self.layout
    }

    /// The bitmaps of a column, where they were built.
    pub fn column(&self, index: usize) -> Option<&ColumnMaps> {
        self.columns[index].as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Column;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_bit_is_in_its_place(
            rows in proptest::collection::vec((0i64..4, -1i64..5, 0i64..2), 1..300)
        ) {
            let incomplete = Column::from_integers("g", rows.iter().map(|row| row.1), 5, Some(-1)).unwrap();
            let plain = Column::from_integers("p", rows.iter().map(|row| row.2), 2, None).unwrap();
            let class = Column::from_integers("c", rows.iter().map(|row| row.0), 4, None).unwrap();
            let data = Dataset::new(vec![incomplete, plain], Some(class)).unwrap();
            let maps = Bitmaps::build(&data, |_| true).unwrap();
            let layout = maps.layout().clone();
            for (index, column) in data.columns().iter().enumerate() {
                let built = maps.column(index).unwrap();
                prop_assert_eq!(built.stored(), if column.has_missing() { column.arity() } else { column.arity() - 1 });
                let mut next = layout.word_offsets.iter().map(|word| word * 64).collect::<Vec<_>>();
                for (row, &(class, ..)) in rows.iter().enumerate() {
                    let place = next[class as usize];
                    next[class as usize] += 1;
                    for value in 0..built.stored() {
                        let word = built.words()[value * layout.words() + place / 64];
                        prop_assert_eq!((word >> (place % 64)) & 1 == 1, column.get(row) == Some(value));
                    }
                }
            }
        }
    }
}
