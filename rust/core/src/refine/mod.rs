//! Refined networks: a Bayesian network whose terms are fitted for the conditional likelihood.
//!
//! ```text
//! rows ─► structures ─► paths of contexts, θ ─► integer design ─► objective ─► terms
//! (rows)  (dependence)  (trie, backoff)         (design)        (lbfgs)      (model)
//! ```
//!
//! [`fit()`] is the composer; `choice` is the inner cross-validation that it asks.

mod backoff;
mod choice;
mod cholesky;
mod dependence;
mod design;
mod dot;
mod fit;
mod heavy;
mod history;
mod knots;
mod lbfgs;
mod line;
mod model;
mod nested;
mod newton;
mod objective;
mod overlap;
mod passes;
mod precondition;
mod rows;
mod scatter;
mod stop;
mod term;
mod trie;

use crate::options::{Declared, Domain};
use crate::registry::{About, Need};

pub use backoff::{Backoff, BackoffParts, Fitted};
pub use choice::{Candidate, Entrant};
pub use dependence::{Family, Shape, structures};
pub use design::Design;
pub use fit::{RIDGES, Settings, fit};
pub use lbfgs::minimise;
pub use model::{NodeTerm, Refined};
pub use objective::Objective;
pub use rows::Rows;
pub use stop::Stop;
pub use term::{HeldOut, Training};
pub use trie::{Level, NONE, Trie};

/// What there is to tell about the learner.
pub const ABOUT: About = About {
    name: "refined",
    title: "Refined",
    summary: "a network's terms, fitted for the conditional likelihood",
    formula: "ln P(c | x) = b_c + Σ_i [w_i ln θ_i(x_i | c, pa_i) + Σ_d δ_id(c; x_i, P_1 … P_d−1)] − ln Z",
    settings: &[
        Declared::new("cv", Domain::Whole(4), "folds of the choice of structure and ridge"),
        Declared::new("bins", Domain::Whole(16), "the most steps of a column of numbers"),
        Declared::new("k", Domain::Whole(2), "the parents of each attribute where the structure is kdb"),
    ],
    needs: &[Need::Class, Need::Rows],
};
