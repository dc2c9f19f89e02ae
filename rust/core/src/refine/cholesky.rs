//! Symmetric positive definite matrices of a few hundred rows, and their inverse times a vector.

use crate::refine::dot::of_block as product;

/// The lower triangle of a symmetric matrix, row after row.
pub struct Symmetric {
    size: usize,
    values: Vec<f64>,
}

/// L of a matrix L Lᵀ.
pub struct Cholesky(Symmetric);

impl Symmetric {
    /// All zero.
    pub fn new(size: usize) -> Self {
        Self { size, values: vec![0.0; size * size] }
    }

    /// Adds to an entry and to its mirror image.
    pub fn add(&mut self, a: usize, b: usize, value: f64) {
        self.values[a.max(b) * self.size + a.min(b)] += value;
    }

    /// Its Cholesky factor. What rounding has made singular is taken for nearly so.
    ///
    /// # Formula
    /// ```text
    /// L_ij = (A_ij − Σ_{k<j} L_ik L_jk) / L_jj,   L_ii = √(A_ii − Σ_{k<i} L_ik²)
    /// ```
    ///
    /// # Complexity
    /// size³ / 6 products.
    pub fn factor(mut self) -> Cholesky {
        let n = self.size;
        for row in 0..n {
            let (before, own) = self.values.split_at_mut(row * n);
            for column in 0..row {
                let other = &before[column * n..][..=column];
                own[column] = (own[column] - product(&own[..column], &other[..column])) / other[column];
            }
            let rest = own[row] - product(&own[..row], &own[..row]);
            own[row] = rest.max(1e-14 * own[row]).max(f64::MIN_POSITIVE).sqrt();
        }
        Cholesky(self)
    }
}

impl Cholesky {
    /// The inverse of the matrix times a vector, in its place.
    pub fn solve(&self, vector: &mut [f64]) {
        let Symmetric { size: n, values } = &self.0;
        for row in 0..*n {
            let of_row = &values[row * n..][..=row];
            vector[row] = (vector[row] - product(&of_row[..row], &vector[..row])) / of_row[row];
        }
        for row in (0..*n).rev() {
            let of_row = &values[row * n..][..=row];
            vector[row] /= of_row[row];
            let value = vector[row];
            vector[..row].iter_mut().zip(of_row).for_each(|(left, entry)| *left -= value * entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_undoes_the_matrix() {
        for size in [0usize, 1, 2, 17] {
            let entry = |a: usize, b: usize| {
                let (a, b) = (a.max(b) as f64, a.min(b) as f64);
                (3.0 * a + b).sin() + if a == b { 2.0 * size as f64 } else { 0.0 }
            };
            let mut matrix = Symmetric::new(size);
            for a in 0..size {
                for b in a..size {
                    matrix.add(a, b, entry(a, b));
                }
            }
            let mut solved: Vec<f64> = (0..size).map(|place| (place as f64).cos()).collect();
            matrix.factor().solve(&mut solved);
            for a in 0..size {
                let found: f64 = (0..size).map(|b| entry(a, b) * solved[b]).sum();
                assert!((found - (a as f64).cos()).abs() < 1e-12, "{size} {a}: {found}");
            }
        }
    }
}
