//! Which structures are tried: k-dependence networks of two families.

use crate::control::Control;
use crate::counts::{CountSource, Counter};
use crate::data::{Dataset, Variable};
use crate::error::Result;
use crate::score::{LogLikelihood, Scorer, edge_weights};
use crate::structure::{Evidence, Node, Structure, StructureLearner};

/// What makes an attribute a good parent of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// I(X; P | C).
    Dependence,
    /// I(X; P | C) − I(X; P): what the class alone brings to light.
    ExplainingAway,
}

/// A structure, or how it is learned.
pub enum Shape {
    /// Attributes in the order of I(X; C), each with the best `parents` of those before it.
    KDependence {
        /// How many parents.
        parents: usize,
        /// By which measure.
        family: Family,
    },
    /// By a learner that looks at counts, with the log-likelihood as its score.
    Learned(Box<dyn StructureLearner>),
    /// Known already.
    Fixed(Structure),
}

/// How much attributes tell of the class and of each other, in nats times N.
pub struct Information {
    relevance: Vec<f64>,
    given_class: Vec<f64>,
    residual: Vec<f64>,
}

impl Information {
    /// Counts all pairs; without `pairs` only each attribute with the class.
    pub fn of(data: &Dataset, pairs: bool, control: &Control) -> Result<Self> {
        let counts = Counter::new(data);
        let relevance = (0..data.n())
            .map(|column| {
                let family = counts.family(Variable::Attribute(column), &[], true)?;
                Ok(rounded(mutual_information(&family.cells.to_f64(), family.shape.child), data.total()))
            })
            .collect::<Result<Vec<_>>>()?;
        if !pairs {
            return Ok(Self { relevance, given_class: Vec::new(), residual: Vec::new() });
        }
        let weights = |data: &Dataset| -> Result<Vec<f64>> {
            let counts = Counter::new(data);
            let scorer = Scorer::for_source(&LogLikelihood, &counts, u128::MAX);
            Ok(edge_weights(&counts, &scorer, control)?.weights)
        };
        let (given_class, alone) = (weights(data)?, weights(&data.without_class())?);
        let round = |value: f64| rounded(value, data.total());
        let residual = given_class.iter().zip(&alone).map(|(with, without)| round(with - without)).collect();
        Ok(Self { relevance, given_class: given_class.into_iter().map(round).collect(), residual })
    }

    /// The k-dependence network: the k predecessors with the largest measure, the largest first; ties go to the first
    /// column.
    ///
    /// # References
    /// sahami1996
    pub fn k_dependence(&self, k: usize, family: Family) -> Structure {
        let n = self.relevance.len();
        let measure = match family {
            Family::Dependence => &self.given_class,
            Family::ExplainingAway => &self.residual,
        };
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| self.relevance[b].total_cmp(&self.relevance[a]).then(a.cmp(&b)));
        let mut parents = vec![Vec::new(); n];
        if k > 0 {
            for (place, &child) in order.iter().enumerate() {
                let mut before = order[..place].to_vec();
                before.sort_by(|&a, &b| {
                    measure[b * n + child].total_cmp(&measure[a * n + child]).then(a.cmp(&b))
                });
                before.truncate(k);
                parents[child] = before;
            }
        }
        Structure::from_parents(parents)
    }

    /// The same structure with every node's most informative parents first.
    fn sorted(&self, mut structure: Structure) -> Structure {
        let n = self.relevance.len();
        for Node { members, parents } in &mut structure.nodes {
            let measure = |parent: usize| -> f64 {
                members
                    .iter()
                    .map(|member| self.given_class[parent * n + member])
                    .fold(f64::NEG_INFINITY, f64::max)
            };
            parents.sort_by(|&a, &b| measure(b).total_cmp(&measure(a)).then(a.cmp(&b)));
        }
        structure
    }
}

/// The structure of each shape, for these rows.
pub fn structures(data: &Dataset, shapes: &[&Shape], control: &Control) -> Result<Vec<Structure>> {
    for shape in shapes {
        if let Shape::Fixed(structure) = shape {
            structure.validate(data.n())?;
        }
    }
    let deep = shapes.iter().any(|shape| match shape {
        Shape::KDependence { parents, .. } => *parents > 0,
        Shape::Learned(_) => true,
        Shape::Fixed(structure) => structure.nodes.iter().any(|node| node.parents.len() > 1),
    });
    let information = Information::of(data, deep, control)?;
    let structure = |shape: &&Shape| {
        control.check()?;
        Ok(match shape {
            Shape::KDependence { parents, family } => information.k_dependence(*parents, *family),
            Shape::Learned(learner) => {
                let counts = Counter::new(data);
                information
                    .sorted(learner.learn(Evidence { counts: &counts, score: &LogLikelihood }, control)?)
            }
            Shape::Fixed(structure) if deep => information.sorted(structure.clone()),
            Shape::Fixed(structure) => structure.clone(),
        })
    };
    shapes.iter().map(structure).collect()
}

/// Equal up to rounding is equal: the order of attributes must not hang on the order of the rows.
fn rounded(value: f64, total: f64) -> f64 {
    let unit = 1e-9 * total.max(1.0);
    (value / unit).round() * unit
}

/// N·I of a table of configurations × values.
fn mutual_information(cells: &[f64], values: usize) -> f64 {
    let x_ln_x = crate::math::x_ln_x;
    let columns = (0..values).map(|value| cells[value..].iter().step_by(values).sum::<f64>());
    let rows = cells.chunks_exact(values).map(|row| row.iter().sum::<f64>());
    let total: f64 = cells.iter().sum();
    cells.iter().copied().map(x_ln_x).sum::<f64>()
        - columns.map(x_ln_x).sum::<f64>()
        - rows.map(x_ln_x).sum::<f64>()
        + x_ln_x(total)
}
