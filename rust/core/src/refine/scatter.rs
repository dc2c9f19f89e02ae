//! Gathering and scattering a few numbers, one for each class, by small integers.

use multiversion::multiversion;

use crate::refine::trie::NONE;

/// Calls with the number of classes as a constant, which lets the compiler unroll the loops over them; many classes
/// are many enough for loops.
macro_rules! with_classes {
    ($classes:expr, $s:ident => $body:expr) => {
        with_classes!($classes, $s => $body, 1 2 3 4 5 6 7 8 9 10 11 12)
    };
    ($classes:expr, $s:ident => $body:expr, $($number:literal)*) => {
        match $classes {
            $($number => {
                const $s: usize = $number;
                $body
            })*
            _ => {
                const $s: usize = 0;
                $body
            }
        }
    };
}
pub(super) use with_classes;

#[inline(always)]
fn add(sums: &mut [f64], values: &[f64]) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += value;
    }
}

/// Adds the entry of each row's code, for each class, to its values.
#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
pub fn gather_rows<const S: usize>(classes: usize, table: &[f64], codes: &[u32], values: &mut [f64]) {
    let s = if S > 0 { S } else { classes };
    for (values, &code) in values.chunks_exact_mut(s).zip(codes) {
        if code != NONE {
            add(values, &table[code as usize * s..][..s]);
        }
    }
}

/// Adds the values of each row and class to the sums of its code.
#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
pub fn scatter_rows<const S: usize>(classes: usize, values: &[f64], codes: &[u32], sums: &mut [f64]) {
    let s = if S > 0 { S } else { classes };
    for (values, &code) in values.chunks_exact(s).zip(codes) {
        if code != NONE {
            add(&mut sums[code as usize * s..][..s], values);
        }
    }
}

/// The sums over all rows of the values of each class.
pub fn sum_rows<const S: usize>(classes: usize, values: &[f64], sums: &mut [f64]) {
    let s = if S > 0 { S } else { classes };
    values.chunks_exact(s).for_each(|values| add(&mut sums[..s], values));
}
