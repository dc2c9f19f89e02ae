//! Data for the criterion benches: tables drawn from random trees by a fixed seed.
