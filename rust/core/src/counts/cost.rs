//! Which kernel counts which table.

use crate::data::Dataset;

/// What the two kernels cost, in nanoseconds measured on one core (benches `pairs` and `parent_subsets`); only ratios matter.
#[derive(Debug, Clone, Copy)]
pub struct Costs {
    rows: f64,
    classes: f64,
}

impl Costs {
    /// One AND and one count of 64 bits.
    const WORD: f64 = 0.25;
    /// Starting and ending the loop over the words of one class.
    const LOOP: f64 = 3.0;
    /// One cell made from those that were counted.
    const CELL: f64 = 0.8;
    /// One increment.
    const ROW: f64 = 1.5;
    /// One cell made 0.
    const CLEARED: f64 = 0.1;
    /// Waking another thread and waiting for it, twice over.
    const ALONE: f64 = 50_000.0;
    /// Bitmaps may take this much memory, or half of what the codes take, whichever is more.
    const BYTES: usize = 48 << 20;

    /// For data of this size.
    pub fn of(data: &Dataset) -> Self {
        Self { rows: data.rows() as f64, classes: data.n_classes().unwrap_or(1) as f64 }
    }

    /// Whether a table of which `counted` cells per class are counted by bitmaps, and the rest of all `cells` per class
    /// follows from these, costs less so than by one increment per row.
    ///
    /// # Formula
    /// ```text
    /// counted · [ (N/64 + 2s)·WORD + s·LOOP ] + s·cells·CELL ≤ N·ROW + s·cells·CLEARED
    /// ```
    /// N the rows, s the classes; each class's segment is padded by two words on average.
    pub fn bitmaps_pay(&self, counted: usize, cells: usize) -> bool {
        self.by_bitmaps(counted, cells) <= self.by_histogram(cells)
    }

    /// The same for a pair of columns with these numbers of values, of which the last comes by subtraction.
    pub fn bitmaps_pay_for_pair(&self, left: usize, right: usize) -> bool {
        self.bitmaps_pay(counted(left, right), left * right)
    }

    fn by_bitmaps(&self, counted: usize, cells: usize) -> f64 {
        let words = self.rows / 64.0 + self.classes * 2.0;
        counted as f64 * (words * Self::WORD + self.classes * Self::LOOP)
            + cells as f64 * self.classes * Self::CELL
    }

    fn by_histogram(&self, cells: usize) -> f64 {
        self.rows * Self::ROW + cells as f64 * self.classes * Self::CLEARED
    }

    /// Whether counting all pairs may take so long that more than one thread pays.
    pub fn worth_threads(&self, arities: &[usize]) -> bool {
        let widest = arities.iter().copied().max().unwrap_or(1);
        let pairs = (arities.len() * arities.len().saturating_sub(1) / 2) as f64;
        let cells = widest * widest;
        pairs * self.by_bitmaps(counted(widest, widest), cells).min(self.by_histogram(cells)) > Self::ALONE
    }

    /// The columns that get bitmaps: those for which they pay against the column of fewest values, as long as
    /// memory allows, those with few values first.
    pub fn columns_with_bitmaps(&self, data: &Dataset) -> Vec<bool> {
        let mut chosen = vec![false; data.n()];
        // Rows with weights are not counted by bits.
        if data.weights().is_some() || data.n() < 2 {
            return chosen;
        }
        let arities = data.arities();
        let mut by_arity: Vec<usize> = (0..data.n()).collect();
        by_arity.sort_by_key(|&column| arities[column]);
        let fewest = arities[by_arity[0]];
        let mut allowed = Self::BYTES.max(data.rows() * data.n() / 2);
        for column in by_arity {
            let bytes = arities[column] * data.rows() / 8;
            if arities[column] > 255 || bytes > allowed || !self.bitmaps_pay_for_pair(arities[column], fewest)
            {
                break;
            }
            allowed -= bytes;
            chosen[column] = true;
        }
        chosen
    }
}

/// The cells of a pair that are counted, in each class.
fn counted(left: usize, right: usize) -> usize {
    (left - 1).max(1) * (right - 1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Column;

    #[test]
    fn few_values_take_bitmaps_and_many_do_not() {
        let tall = Costs { rows: 1e6, classes: 3.0 };
        assert!(
            tall.bitmaps_pay_for_pair(2, 2)
                && tall.bitmaps_pay_for_pair(4, 4)
                && tall.bitmaps_pay_for_pair(2, 100)
        );
        assert!(!tall.bitmaps_pay_for_pair(40, 40));
        let letter = Costs { rows: 2e4, classes: 26.0 };
        assert!(letter.bitmaps_pay_for_pair(3, 3) && !letter.bitmaps_pay_for_pair(16, 16));
    }

    #[test]
    fn few_small_tables_are_not_worth_a_thread() {
        let chess = Costs { rows: 3196.0, classes: 2.0 };
        assert!(!chess.worth_threads(&[2; 36]) && !chess.worth_threads(&[2; 1]) && !chess.worth_threads(&[]));
        assert!(chess.worth_threads(&[2; 72]) && chess.worth_threads(&[40; 36]));
    }

    #[test]
    fn a_wide_column_gets_bitmaps_where_its_partners_are_narrow() {
        let column = |arity: usize| {
            Column::from_integers("x", (0..6400i32).map(|row| i64::from(row) % arity as i64), arity, None)
                .unwrap()
        };
        let chosen = |arities: &[usize]| {
            let data = Dataset::new(arities.iter().map(|&arity| column(arity)).collect(), None).unwrap();
            Costs::of(&data).columns_with_bitmaps(&data)
        };
        assert_eq!(chosen(&[60, 2, 300]), [true, true, false]);
        assert_eq!(chosen(&[60, 60]), [false, false]);
        assert_eq!(chosen(&[2]), [false]);
    }
}
