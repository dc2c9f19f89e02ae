//! Rows sorted into groups: by class, by fold, or by both.

use std::ops::Range;

/// The rows of each group side by side, in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowGroups {
    rows: Vec<u32>,
    bounds: Vec<usize>,
}

impl RowGroups {
    /// Sorts rows by their groups, which are below `groups`; whoever calls has checked that.
    ///
    /// # Complexity
    /// O(N + groups): a counting sort.
    ///
    /// ```
    /// use tanager_core::data::RowGroups;
    /// let groups = RowGroups::new(3, [2, 0, 2].into_iter());
    /// assert_eq!((groups.of(0), groups.of(1), groups.of(2)), (&[1][..], &[][..], &[0, 2][..]));
    /// ```
    pub fn new(groups: usize, group_of_row: impl Iterator<Item = usize> + Clone) -> Self {
        let mut bounds = vec![0; groups + 1];
        group_of_row.clone().for_each(|group| bounds[group + 1] += 1);
        for group in 0..groups {
            bounds[group + 1] += bounds[group];
        }
        let mut next = bounds.clone();
        let mut rows = vec![0; bounds[groups]];
        for (row, group) in group_of_row.enumerate() {
            rows[next[group]] = row as u32;
            next[group] += 1;
        }
        Self { rows, bounds }
    }

    /// All rows, group by group.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Where the rows of a group stand among all.
    pub fn range(&self, group: usize) -> Range<usize> {
        self.bounds[group]..self.bounds[group + 1]
    }

    /// Where the rows of each group stand.
    pub fn ranges(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.bounds.windows(2).map(|pair| pair[0]..pair[1])
    }

    /// The rows of a group.
    pub fn of(&self, group: usize) -> &[u32] {
        &self.rows[self.range(group)]
    }
}
