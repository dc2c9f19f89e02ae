//! Structure and tables together: log-joints, posteriors, samples.
