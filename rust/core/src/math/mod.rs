//! Special functions, sums in log space, quadrature and random numbers.
//!
//! | looking for | file |
//! |---|---|
//! | ln Γ | [`gamma`] |
//! | ψ, ψ′ and their differences | [`polygamma`] |
//! | `x ln x`, log-sum-exp | [`log_space`] |
//! | ln and exp of many numbers | [`ln_many`], [`exp_many`] |
//! | P(a, x), Q(a, x) and their logarithms | [`incomplete_gamma`] |
//! | χ² tail and quantile | [`chi2`] |
//! | ∫ over (0, ∞) | [`quadrature`] |
//! | seeded random numbers | [`random`] |
//!
//! Constants in the tests were computed with mpmath 1.3 at 50 digits; each test names the call.

pub mod chi2;
pub mod exp_many;
pub mod gamma;
pub mod incomplete_gamma;
pub mod ln_many;
pub mod log_space;
pub mod polygamma;
pub mod quadrature;
pub mod random;

pub use chi2::{chi2_quantile, chi2_tail};
pub use exp_many::exp_in_place;
pub use gamma::ln_gamma;
pub use ln_many::ln_in_place;
pub use log_space::{log_sum_exp, x_ln_x};
pub use polygamma::{digamma, trigamma};
pub use quadrature::{Integral, integrate_0_inf};
pub use random::Random;

#[cfg(test)]
pub(crate) mod testing {
    /// Asserts that `found` is within `tolerance` of `expected`, relative to `expected`.
    pub(crate) fn assert_relative(found: f64, expected: f64, tolerance: f64, what: &str) {
        let error = ((found - expected) / expected).abs();
        assert!(error <= tolerance, "{what}: {found:e} is not {expected:e}, relative error {error:e}");
    }
}
