//! The G test of independence, in strata: of two groups of attributes given the class, or of an attribute and the class.

use crate::math::chi2_tail;

/// The outcome of a [`g_test`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GTest {
    /// G, never negative.
    pub statistic: f64,
    /// The degrees of freedom.
    pub degrees: f64,
    /// Whether there are enough rows per cell to rely on the χ² distribution of G.
    pub reliable: bool,
}

impl GTest {
    /// P(χ² > G); 1 without degrees of freedom.
    pub fn p_value(&self) -> f64 {
        if self.degrees > 0.0 { chi2_tail(self.statistic, self.degrees) } else { 1.0 }
    }

    /// Whether the test finds a dependence: p ≤ `alpha`. An unreliable test means independence.
    pub fn is_dependent(&self, alpha: f64) -> bool {
        self.reliable && self.p_value() <= alpha
    }

    /// The mutual information I = G / 2N in nats; 0 without rows.
    pub fn information(&self, rows: f64) -> f64 {
        if rows > 0.0 { self.statistic / (2.0 * rows) } else { 0.0 }
    }
}

/// The G test of X ⟂ Y given Z on the table `cells[z][x][y]` of counts, with `shape` the numbers of values (z, x, y).
///
/// Two groups of attributes given the class: Z is the class, X and Y are the groups as compound variables. An attribute
/// against the class: one stratum, X the class and Y the attribute.
///
/// # Formula
/// ```text
/// G  = 2 N I(X; Y | Z) = 2 Σ_zxy N_zxy ln( N_zxy N_z / (N_zx N_zy) )      0 ln 0 = 0
/// df = (r_x − 1)(r_y − 1) r_z                                             domain sizes, whether seen or not
/// reliable iff N / (r_x r_y r_z) ≥ min_cell                               5 in the paper
/// ```
/// With one stratum these are the formulas against the class alone: df = (r − 1)(s − 1), reliable iff N / (r s) ≥ 5.
///
/// Each term is exact to rounding, and exactly 0 where N_zxy N_z = N_zx N_zy: what is independent in the sample has
/// G = 0, not rounding noise.
///
/// # Complexity
/// O(cells) time, O(r_y) memory.
///
/// # References
/// mihaljevic2013
///
/// # Panics
/// Where `cells` is not of that shape: the caller made both.
///
/// ```
/// use tanager_core::independence::g_test;
/// let test = g_test(&[10u32, 0, 0, 10], [1, 2, 2], 5.0);
/// assert!((test.statistic - 40.0 * 2f64.ln()).abs() < 1e-12);
/// assert!(test.is_dependent(0.05));
/// ```
pub fn g_test<T: Copy + Into<f64>>(cells: &[T], shape: [usize; 3], min_cell: f64) -> GTest {
    let [r_z, r_x, r_y] = shape;
    assert_eq!(cells.len(), r_z * r_x * r_y, "the table has the shape it was counted with");
    let mut total = 0.0;
    let mut half = 0.0;
    let mut columns = vec![0.0; r_y];
    for stratum in cells.chunks_exact((r_x * r_y).max(1)) {
        columns.fill(0.0);
        for row in stratum.chunks_exact(r_y) {
            for (column, &cell) in columns.iter_mut().zip(row) {
                *column += cell.into();
            }
        }
        let n_z: f64 = columns.iter().sum();
        total += n_z;
        for row in stratum.chunks_exact(r_y) {
            let n_zx: f64 = row.iter().map(|&cell| cell.into()).sum();
            for (&n_zy, &cell) in columns.iter().zip(row) {
                let n: f64 = cell.into();
                if n > 0.0 {
                    half += n * ((n * n_z) / (n_zx * n_zy)).ln();
                }
            }
        }
    }
    let freedom = |r: usize| r.saturating_sub(1) as f64;
    GTest {
        statistic: (2.0 * half).max(0.0),
        degrees: freedom(r_x) * freedom(r_y) * r_z as f64,
        reliable: total / (r_x as f64 * r_y as f64 * r_z as f64) >= min_cell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::testing::assert_relative;
    use proptest::prelude::*;

    #[test]
    fn agrees_with_scipy() {
        // scipy.stats.chi2_contingency([[12, 7, 9], [4, 15, 8]], lambda_="log-likelihood", correction=False)
        let test = g_test(&[12u32, 7, 9, 4, 15, 8], [1, 2, 3], 5.0);
        assert_relative(test.statistic, 7.203_515_946_817_515, 1e-12, "G");
        assert_relative(test.p_value(), 0.027_275_730_266_650_516, 1e-11, "p");
        assert_eq!((test.degrees, test.reliable), (2.0, true));
    }

    #[test]
    fn strata_add_up() {
        let (first, second) = ([12u32, 7, 9, 4, 15, 8], [3u32, 1, 0, 2, 20, 5]);
        let both = g_test(&[first, second].concat(), [2, 2, 3], 5.0);
        let apart = [g_test(&first, [1, 2, 3], 5.0), g_test(&second, [1, 2, 3], 5.0)];
        assert_relative(both.statistic, apart[0].statistic + apart[1].statistic, 1e-14, "G");
        assert_eq!(both.degrees, 4.0);
        assert_relative(both.information(86.0) * 172.0, both.statistic, 1e-15, "2 N I");
    }

    #[test]
    fn too_few_rows_a_cell_mean_independence() {
        let cells = [9u32, 0, 0, 9];
        let unreliable = g_test(&cells, [1, 2, 2], 5.0);
        assert!(!unreliable.reliable && !unreliable.is_dependent(1.0) && unreliable.p_value() < 1e-4);
        assert!(g_test(&cells, [1, 2, 2], 4.5).is_dependent(0.05));
    }

    #[test]
    fn a_constant_and_an_empty_table_depend_on_nothing() {
        let constant = g_test(&[50u32, 70], [1, 1, 2], 5.0);
        assert_eq!((constant.statistic, constant.degrees, constant.p_value()), (0.0, 0.0, 1.0));
        let empty = g_test(&[0u32; 8], [2, 2, 2], 5.0);
        assert_eq!((empty.statistic, empty.reliable, empty.information(0.0)), (0.0, false, 0.0));
        // a class without rows adds degrees of freedom, nothing else
        assert_eq!(g_test(&[5u32, 7, 9, 2, 0, 0, 0, 0], [2, 2, 2], 1.0).degrees, 2.0);
    }

    proptest! {
        #[test]
        fn exact_independence_is_exactly_zero(
            rows in prop::collection::vec(1u32..500, 2..5), columns in prop::collection::vec(1u32..500, 2..5),
        ) {
            let cells: Vec<u32> = rows.iter().flat_map(|x| columns.iter().map(move |y| x * y)).collect();
            prop_assert_eq!(g_test(&cells, [1, rows.len(), columns.len()], 5.0).statistic, 0.0);
        }

        #[test]
        fn the_roles_may_be_exchanged(cells in prop::collection::vec(0u32..50, 24)) {
            let [z, x, y] = [2, 3, 4];
            let mut exchanged = vec![0u32; 24];
            for k in 0..z {
                for i in 0..x {
                    for j in 0..y {
                        exchanged[(k * y + j) * x + i] = cells[(k * x + i) * y + j];
                    }
                }
            }
            let (test, other) = (g_test(&cells, [z, x, y], 5.0), g_test(&exchanged, [z, y, x], 5.0));
            prop_assert!((test.statistic - other.statistic).abs() <= 1e-10);
            prop_assert_eq!((test.degrees, test.reliable), (other.degrees, other.reliable));
        }

        #[test]
        fn weights_scale_the_statistic(cells in prop::collection::vec(0u32..50, 12), weight in 0.1..10.0f64) {
            let weighted: Vec<f64> = cells.iter().map(|&n| f64::from(n) * weight).collect();
            let (test, scaled) = (g_test(&cells, [2, 2, 3], 5.0), g_test(&weighted, [2, 2, 3], 5.0));
            prop_assert!((test.statistic * weight - scaled.statistic).abs() <= 1e-9);
        }
    }
}
