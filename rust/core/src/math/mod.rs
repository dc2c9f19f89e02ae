//! Special functions and sums in log space.
