//! Seeded random numbers, the same on every machine.

use std::f64::consts::PI;

/// The generator xoshiro256++, seeded with SplitMix64.
///
/// One seed, one sequence, on every machine and in every version of the crate. Not for cryptography.
///
/// # References
/// blackman2021
///
/// ```
/// use tanager_core::math::Random;
/// assert_eq!(Random::new(7).next_u64(), Random::new(7).next_u64());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// The generator of this seed.
    pub fn new(seed: u64) -> Self {
        let mut s = seed;
        Self { state: std::array::from_fn(|_| split_mix(&mut s)) }
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A uniform number in the open interval (0, 1): the middle of one of 2^52 equal cells, never 0 or 1.
    pub fn uniform(&mut self) -> f64 {
        const CELL: f64 = 1.0 / (1u64 << 52) as f64;
        ((self.next_u64() >> 12) as f64 + 0.5) * CELL
    }

    /// A uniform integer in 0..`n`, without bias; 0 when `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        if n == 0 {
            return 0;
        }
        // Lemire: the high word of a product, rejecting the few low words that would bias it.
        let threshold = n.wrapping_neg() % n;
        loop {
            let product = u128::from(self.next_u64()) * u128::from(n);
            if product as u64 >= threshold {
                return (product >> 64) as u64;
            }
        }
    }

    /// A place, drawn with a probability in proportion to its weight; the last of those above 0 where rounding leaves none. The
    /// weights are not negative.
    pub fn weighted(&mut self, weights: &[f64]) -> usize {
        let mut left = self.uniform() * weights.iter().sum::<f64>();
        for (place, weight) in weights.iter().enumerate() {
            left -= weight;
            if left < 0.0 {
                return place;
            }
        }
        weights.iter().rposition(|&weight| weight > 0.0).unwrap_or(0)
    }

    /// Puts the items into a uniformly random order (Fisher and Yates).
    ///
    /// # References
    /// durstenfeld1964
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u64 + 1) as usize);
        }
    }

    /// A standard normal number (Box and Muller).
    ///
    /// # References
    /// box1958
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (2.0 * PI * self.uniform()).cos()
    }

    /// The logarithm of a Gamma(`shape`, 1) number, `shape > 0`: finite also for tiny shapes, whose numbers underflow.
    ///
    /// # References
    /// marsaglia2000
    pub fn ln_gamma_variate(&mut self, shape: f64) -> f64 {
        if shape < 1.0 {
            // G(a) = G(a + 1) · U^(1/a)
            return self.ln_gamma_variate(shape + 1.0) + self.uniform().ln() / shape;
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let z = self.normal();
            let v = (1.0 + c * z).powi(3);
            if v > 0.0 && self.uniform().ln() < 0.5 * z * z + d * (1.0 - v + v.ln()) {
                return d.ln() + v.ln();
            }
        }
    }
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{chi2_tail, digamma, trigamma};

    #[test]
    fn the_sequences_are_the_published_ones() {
        // The authors' C code: xoshiro256++ from the state 1, 2, 3, 4 and SplitMix64 from the seed 1234567.
        let mut random = Random { state: [1, 2, 3, 4] };
        for expected in [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386] {
            assert_eq!(random.next_u64(), expected);
        }
        let mut seed = 1_234_567;
        for expected in [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423] {
            assert_eq!(split_mix(&mut seed), expected);
        }
    }

    #[test]
    fn integers_are_uniform() {
        let mut random = Random::new(1);
        let (cells, draws) = (7, 70_000);
        let mut counts = [0u32; 7];
        for _ in 0..draws {
            counts[random.below(cells) as usize] += 1;
        }
        let chi2: f64 = counts.iter().map(|&n| (f64::from(n) - 10_000.0).powi(2) / 10_000.0).sum();
        assert!(chi2_tail(chi2, 6.0) > 1e-4, "{counts:?}");
        assert_eq!((random.below(1), random.below(0)), (0, 0));
    }

    #[test]
    fn a_shuffle_is_a_permutation_and_each_order_is_as_likely() {
        let mut random = Random::new(2);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..60_000 {
            let mut items = [0, 1, 2];
            random.shuffle(&mut items);
            *counts.entry(items).or_insert(0u32) += 1;
        }
        assert_eq!(counts.len(), 6);
        let chi2: f64 = counts.values().map(|&n| (f64::from(n) - 10_000.0).powi(2) / 10_000.0).sum();
        assert!(chi2_tail(chi2, 5.0) > 1e-4, "{counts:?}");
    }

    #[test]
    fn normal_and_gamma_numbers_have_their_moments() {
        let draws = 40_000;
        let moments = |mut draw: Box<dyn FnMut() -> f64>| {
            let values: Vec<f64> = (0..draws).map(|_| draw()).collect();
            let mean = values.iter().sum::<f64>() / f64::from(draws);
            (mean, values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / f64::from(draws))
        };
        let mut random = Random::new(3);
        let (mean, variance) = moments(Box::new(move || random.normal()));
        assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.03, "{mean} {variance}");
        // The logarithm of a Gamma(a) number has mean ψ(a) and variance ψ′(a).
        for shape in [0.01, 0.5, 1.0, 3.5, 1000.0] {
            let mut random = Random::new(4);
            let (mean, variance) = moments(Box::new(move || random.ln_gamma_variate(shape)));
            let (expected_mean, expected_variance) = (digamma(shape), trigamma(shape));
            let tolerance = 5.0 * (expected_variance / f64::from(draws)).sqrt();
            assert!((mean - expected_mean).abs() < tolerance, "shape {shape}: mean {mean} {expected_mean}");
            assert!((variance / expected_variance - 1.0).abs() < 0.08, "shape {shape}: variance {variance}");
        }
    }
}
