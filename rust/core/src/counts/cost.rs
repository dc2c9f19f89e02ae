//! Which kernel counts which table.

use crate::data::Dataset;

/// What the two kernels cost for data of one size, in nanoseconds measured on one core; only ratios matter.
#[derive(Debug, Clone, Copy)]
pub struct Costs {
    rows: f64,
    classes: f64,
    prices: Prices,
}

/// What one step of each kernel costs.
#[derive(Debug, Clone, Copy)]
struct Prices {
    /// One AND and one count of 64 bits.
    word: f64,
    /// Starting and ending the loop over the words of one class.
    start: f64,
    /// One cell made from those that were counted.
    cell: f64,
    /// One increment.
    row: f64,
    /// One cell made 0.
    cleared: f64,
}

impl Costs {
    /// Of pairs, each with both columns' own bitmaps (bench `pairs`): what is not a word or a row does not matter.
    const PAIRS: Prices = Prices { word: 0.35, start: 5.0, cell: 0.0, row: 1.2, cleared: 0.0 };
    /// Of families that share a prefix, whose bitmaps stay in the cache (bench `parent_subsets`).
    const FAMILIES: Prices = Prices { word: 0.25, start: 3.0, cell: 0.8, row: 1.5, cleared: 0.1 };
    /// Waking another thread and waiting for it, twice over.
    const ALONE: f64 = 50_000.0;
    /// Bitmaps may take this much memory, or half of what the codes take, whichever is more.
    const BYTES: usize = 48 << 20;

    /// Of pairs of columns.
    pub fn of_pairs(data: &Dataset) -> Self {
        Self::new(data.rows() as f64, data.n_classes().unwrap_or(1) as f64, Self::PAIRS)
    }

    /// Of families of a child and several parents.
    pub fn of_families(data: &Dataset) -> Self {
        Self { prices: Self::FAMILIES, ..Self::of_pairs(data) }
    }

    fn new(rows: f64, classes: f64, prices: Prices) -> Self {
        Self { rows, classes, prices }
    }

    /// Whether a table of which `counted` cells per class are counted by bitmaps, and the rest of all `cells` per class
    /// follows from these, costs less so than by one increment per row.
    ///
    /// # Formula
    /// ```text
    /// counted · [ (N/64 + 2s)·word + s·start ] + s·cells·cell ≤ N·row + s·cells·cleared
    /// ```
    /// N the rows, s the classes, the rest as in `Prices`; each class's segment is padded by two words on average.
    pub fn bitmaps_pay(&self, counted: usize, cells: usize) -> bool {
        self.by_bitmaps(counted, cells) <= self.by_histogram(cells)
    }

    /// The same for a pair of columns with these numbers of values, of which the last comes by subtraction.
    pub fn bitmaps_pay_for_pair(&self, left: usize, right: usize) -> bool {
        self.bitmaps_pay(counted(left, right), left * right)
    }

    fn by_bitmaps(&self, counted: usize, cells: usize) -> f64 {
        let words = self.rows / 64.0 + self.classes * 2.0;
        counted as f64 * (words * self.prices.word + self.classes * self.prices.start)
            + cells as f64 * self.classes * self.prices.cell
    }

    fn by_histogram(&self, cells: usize) -> f64 {
        self.rows * self.prices.row + cells as f64 * self.classes * self.prices.cleared
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
        let tall = Costs::new(1e6, 3.0, Costs::PAIRS);
        assert!(
            tall.bitmaps_pay_for_pair(2, 2)
                && tall.bitmaps_pay_for_pair(4, 4)
                && tall.bitmaps_pay_for_pair(2, 100)
        );
        assert!(!tall.bitmaps_pay_for_pair(40, 40));
        let letter = Costs::new(2e4, 26.0, Costs::PAIRS);
        assert!(letter.bitmaps_pay_for_pair(3, 3) && !letter.bitmaps_pay_for_pair(16, 16));
    }

    #[test]
    fn few_small_tables_are_not_worth_a_thread() {
        let chess = Costs::new(3196.0, 2.0, Costs::PAIRS);
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
            Costs::of_pairs(&data).columns_with_bitmaps(&data)
        };
        assert_eq!(chosen(&[60, 2, 300]), [true, true, false]);
        assert_eq!(chosen(&[60, 60]), [false, false]);
        assert_eq!(chosen(&[2]), [false]);
    }
}
