//! What a learner returns: which attributes depend on which, the class implicit.

use crate::counts::{CountSource, Family, FamilyCounts, FamilyShape};
use crate::data::Variable;
use crate::error::{Error, Result};
use crate::score::Scorer;

/// One variable of a structure: an attribute, or several joined into one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The attributes; more than one where they are joined.
    pub members: Vec<usize>,
    /// The attribute parents; the class is a parent of every node where there is one.
    pub parents: Vec<usize>,
}

impl Node {
    /// The node's table; a join counts as one child with the product of its members' values, the last member
    /// fastest.
    pub fn counts(&self, source: &dyn CountSource) -> Result<FamilyCounts> {
        let Some((last, others)) = self.members.split_last() else {
            return Err(Error::InvalidStructure { reason: "a node has no members".into() });
        };
        // The table of the last member given everything else has the same cells in the same order.
        let given: Vec<usize> = self.parents.iter().chain(others).copied().collect();
        let family = source.family(Variable::Attribute(*last), &given, source.n_classes().is_some())?;
        let arity = |&column: &usize| source.arities()[column];
        let shape = FamilyShape {
            child: self.members.iter().map(arity).product(),
            class: family.shape.class,
            parents: self.parents.iter().map(arity).collect(),
        };
        Ok(FamilyCounts { shape, cells: family.cells })
    }
}

/// A network over attributes. A dropped attribute is in no node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Structure {
    /// The nodes, in the order of their first members.
    pub nodes: Vec<Node>,
}

impl Structure {
    /// Each attribute with the given parents.
    pub fn from_parents(parents: Vec<Vec<usize>>) -> Self {
        let nodes = parents.into_iter().enumerate();
        Self { nodes: nodes.map(|(column, parents)| Node { members: vec![column], parents }).collect() }
    }

    /// Each group as a node, whose parents are all attributes of the group above it in a forest.
    pub(super) fn from_forest(groups: &[Vec<usize>], forest: &[Option<usize>]) -> Self {
        let nodes = groups.iter().zip(forest).map(|(members, parent)| Node {
            members: members.clone(),
            parents: parent.map_or_else(Vec::new, |parent| groups[parent].clone()),
        });
        Self { nodes: nodes.collect() }
    }

    /// Each attribute with its parent in a forest.
    pub fn from_tree(tree: &[Option<usize>]) -> Self {
        Self::from_parents(tree.iter().map(|parent| parent.iter().copied().collect()).collect())
    }

    /// Refuses attributes that do not exist or stand twice, parents that are dropped, and cycles.
    pub fn validate(&self, n: usize) -> Result<()> {
        let mut node_of = vec![None; n];
        for (position, node) in self.nodes.iter().enumerate() {
            for &member in &node.members {
                match node_of.get_mut(member) {
                    None => return Err(Error::ColumnOutOfRange { column: member, columns: n }),
                    Some(Some(_)) => {
                        let reason = format!("column {member} is in two nodes");
                        return Err(Error::InvalidStructure { reason });
                    }
                    Some(place) => *place = Some(position),
                }
            }
        }
        for (position, node) in self.nodes.iter().enumerate() {
            for (place, &parent) in node.parents.iter().enumerate() {
                let child = node.members.first().copied().unwrap_or(0);
                let reason = match node_of.get(parent) {
                    None => return Err(Error::ColumnOutOfRange { column: parent, columns: n }),
                    Some(None) => format!("column {parent}, a parent of column {child}, is in no node"),
                    Some(Some(home)) if *home == position => format!("column {child} is its own parent"),
                    Some(_) if node.parents[..place].contains(&parent) => {
                        format!("column {parent} is twice a parent of column {child}")
                    }
                    Some(_) => continue,
                };
                return Err(Error::InvalidStructure { reason });
            }
        }
        self.topological_order(&node_of).map(|_| ())
    }

    /// Positions of the nodes such that parents come before their children; refuses what
    /// [`Structure::validate`] refuses.
    pub fn order(&self, n: usize) -> Result<Vec<usize>> {
        self.validate(n)?;
        let mut node_of = vec![None; n];
        for (position, node) in self.nodes.iter().enumerate() {
            node.members.iter().for_each(|&member| node_of[member] = Some(position));
        }
        self.topological_order(&node_of)
    }

    /// The families whose tables the nodes have; of attributes that were joined none, since these are tables of columns.
    pub fn families(&self, with_class: bool) -> Vec<Family> {
        let single = self.nodes.iter().filter(|node| node.members.len() == 1);
        single
            .map(|node| Family { child: node.members[0], parents: node.parents.clone(), with_class })
            .collect()
    }

    fn topological_order(&self, node_of: &[Option<usize>]) -> Result<Vec<usize>> {
        let parents_of = |node: &Node| -> Vec<usize> {
            node.parents.iter().filter_map(|&parent| node_of[parent]).collect()
        };
        let mut placed = vec![false; self.nodes.len()];
        let mut order = Vec::with_capacity(self.nodes.len());
        while order.len() < self.nodes.len() {
            let before = order.len();
            for (position, node) in self.nodes.iter().enumerate() {
                if !placed[position] && parents_of(node).iter().all(|&parent| placed[parent]) {
                    placed[position] = true;
                    order.push(position);
                }
            }
            if order.len() == before {
                return Err(Error::InvalidStructure { reason: "the arcs form a cycle".into() });
            }
        }
        Ok(order)
    }

    /// The score of the network: the sum over its nodes, and over the class node where there is a class.
    ///
    /// # Formula
    /// Where entries are missing ([`Scorer::for_source`]), a node i with parents Π contributes
    /// ```text
    /// φ_i({C}) on the rows where X_i is known  +  φ̃_i(Π),   counts scaled to N in both
    /// ```
    /// The first part does not depend on the parents and the second is what learners maximise, so that scores of any
    /// two networks over the same columns can be compared. Where none are this is φ_i(Π).
    pub fn score(&self, source: &dyn CountSource, scorer: &Scorer<'_>) -> Result<f64> {
        let mut score = 0.0;
        if source.n_classes().is_some() {
            score += scorer.family(Variable::Class, &source.family(Variable::Class, &[], false)?)?;
        }
        for node in &self.nodes {
            let child = Variable::Attribute(node.members.first().copied().unwrap_or(0));
            score += scorer.family(child, &node.counts(source)?)?;
            if scorer.is_incomplete() {
                let alone = Node { members: node.members.clone(), parents: Vec::new() };
                score += scorer.alone(child, &alone.counts(source)?)?;
            }
        }
        Ok(score)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(members: &[usize], parents: &[usize]) -> Node {
        Node { members: members.to_vec(), parents: parents.to_vec() }
    }

    #[test]
    fn impossible_structures_are_refused() {
        let check = |nodes: &[Node]| Structure { nodes: nodes.to_vec() }.validate(4);
        assert!(check(&[node(&[0, 2], &[1]), node(&[1], &[])]).is_ok());
        assert!(matches!(check(&[node(&[4], &[])]), Err(Error::ColumnOutOfRange { .. })));
        for (nodes, said) in [
            (vec![node(&[0], &[]), node(&[0], &[])], "column 0 is in two nodes"),
            (vec![node(&[0], &[1])], "is in no node"),
            (vec![node(&[0, 1], &[1])], "its own parent"),
            (vec![node(&[0], &[1]), node(&[1], &[0])], "cycle"),
            (vec![node(&[0], &[1, 1]), node(&[1], &[])], "twice a parent"),
        ] {
            let error = check(&nodes).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
