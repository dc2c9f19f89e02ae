//! Sums of products and of vectors that do not depend on who adds them up, and memory that is used again.

use std::cell::Cell;

use multiversion::multiversion;
use rayon::prelude::*;

/// Longer vectors are shared among threads, in blocks.
const LONG: usize = 1 << 16;
/// How many numbers one thread takes at a time.
pub const BLOCK: usize = 1 << 14;

/// Σ a b, in a fixed order.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    if a.len() < LONG {
        return of_block(a, b);
    }
    let blocks = a.par_chunks(BLOCK).zip(b.par_chunks(BLOCK)).map(|(a, b)| of_block(a, b));
    blocks.collect::<Vec<f64>>().iter().sum()
}

/// Σ a b of one block; b may be narrower.
#[multiversion(targets("x86_64+avx2", "aarch64+neon"))]
pub fn of_block<B: Copy + Into<f64>>(a: &[f64], b: &[B]) -> f64 {
    let mut sums = [0.0; 8];
    let (mut left, mut right) = (a.chunks_exact(8), b.chunks_exact(8));
    for (a, b) in (&mut left).zip(&mut right) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane].into();
        }
    }
    let rest: f64 = left.remainder().iter().zip(right.remainder()).map(|(a, &b)| a * b.into()).sum();
    sums.iter().sum::<f64>() + rest
}

/// a + scale · b, into a.
pub fn add_scaled(a: &mut [f64], scale: f64, b: &[f64]) {
    let add = |(a, b): (&mut [f64], &[f64])| a.iter_mut().zip(b).for_each(|(a, b)| *a += scale * b);
    if a.len() < LONG {
        add((a, b));
    } else {
        a.par_chunks_mut(BLOCK).zip(b.par_chunks(BLOCK)).for_each(add);
    }
}

thread_local! {
    static KEPT: Cell<Vec<f64>> = const { Cell::new(Vec::new()) };
}

/// Calls with so many zeros, in memory that the thread keeps: what threads give back is taken from them, and fresh memory costs
/// more than what is done with it.
pub fn with_zeros<T>(length: usize, call: impl FnOnce(&mut [f64]) -> T) -> T {
    // Who calls within the call finds nothing kept, and takes fresh memory.
    let mut zeros = KEPT.take();
    zeros.clear();
    zeros.resize(length, 0.0);
    let found = call(&mut zeros);
    KEPT.set(zeros);
    found
}
