//! Networks whose structure, or whose order of attributes, is given.

use crate::control::Control;
use crate::error::{Error, Result, check_length};
use crate::options::{Declared, Domain, Options};
use crate::registry::{About, Need};
use crate::structure::{Entry, Evidence, Learner, Structure, StructureLearner, k_graph};

/// A structure that is given, or the best one for a given order.
///
/// # Formula
/// ```text
/// Π*_i as given, or
/// Π*_i = argmax over S ⊆ {X_j : j before i}, |S| ≤ k of  φ_i(S ∪ {C})
/// ```
/// φ the score; C the class, a parent of every attribute. The graph of an order is the optimum of all graphs of at most
/// k attribute parents whose arcs follow the order: the sum is maximal where each term is. Ties: the smaller set,
/// then the lowest columns. Without either, the order is that of the columns.
///
/// # Complexity
/// O(n^(k+1)) families for an order; see [`parent_subsets`](crate::search::parent_subsets).
///
/// # References
/// cooper1992, teyssier2005, `carvalho2007ckg`
///
/// # Differences
/// Cooper and Herskovits (K2) add parents one by one; here the subset is the exact optimum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    /// What is given.
    pub part: GivenPart,
    /// The most attribute parents of the graph of an order.
    pub k: usize,
}

/// What is given of a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GivenPart {
    /// The attribute parents of every attribute.
    Parents(Vec<Vec<usize>>),
    /// All attributes, parents before children.
    Order(Vec<usize>),
    /// Nothing: the columns are in order.
    Columns,
}

impl StructureLearner for Given {
    fn learn(&self, evidence: Evidence<'_>, control: &Control) -> Result<Structure> {
        let n = evidence.counts.n();
        match &self.part {
            GivenPart::Parents(parents) => {
                check_length("the list of parents", parents.len(), n)?;
                let structure = Structure::from_parents(parents.clone());
                structure.validate(n)?;
                Ok(structure)
            }
            GivenPart::Order(order) => {
                check_order(order, n)?;
                of_order(evidence, order, self.k, control)
            }
            GivenPart::Columns => of_order(evidence, &(0..n).collect::<Vec<_>>(), self.k, control),
        }
    }
}

/// The best graph whose arcs follow an order.
fn of_order(evidence: Evidence<'_>, order: &[usize], k: usize, control: &Control) -> Result<Structure> {
    Ok(k_graph::structure(k_graph::best_parents(evidence, &k_graph::before(order), k, control)?))
}

/// Refuses what is not every attribute once.
fn check_order(order: &[usize], n: usize) -> Result<()> {
    check_length("the order of columns", order.len(), n)?;
    let mut seen = vec![false; n];
    for &column in order {
        match seen.get_mut(column) {
            None => return Err(Error::ColumnOutOfRange { column, columns: n }),
            Some(true) => {
                let reason = format!("column {column} stands twice in the order");
                return Err(Error::InvalidStructure { reason });
            }
            Some(seen) => *seen = true,
        }
    }
    Ok(())
}

pub(super) const ENTRY: Entry = Entry {
    about: About {
        name: "network",
        title: "Network",
        summary: "a given structure, or the best one for a given order",
        formula: "Π_i as given, or argmax φ_i(S ∪ {C}) over S ⊆ attributes before X_i, |S| ≤ k",
        settings: &[
            Declared::new("parents", Domain::Lists(&[]), "the attribute parents of every attribute"),
            Declared::new("order", Domain::Lists(&[]), "one list of all attributes, parents before children"),
            k_graph::K,
        ],
        needs: &[Need::Class, Need::Score, Need::Families],
    },
    build,
};

fn build(options: &Options) -> Result<Learner> {
    let part = match (options.lists("parents"), options.lists("order")) {
        (Some(_), Some(_)) => {
            let reason = "both parents and an order are given: one is enough".into();
            return Err(Error::InvalidStructure { reason });
        }
        (Some(parents), None) => GivenPart::Parents(parents.to_vec()),
        (None, Some(order)) => GivenPart::Order(order.concat()),
        (None, None) => GivenPart::Columns,
    };
    Ok(Learner::Counts(Box::new(Given { part, k: k_graph::limit(options) })))
}
