//! Groups of attributes, and the operations that searches change them and their arcs by.

/// Disjoint groups of attributes: each sorted, in the order of their first members. An attribute in none of them is
/// dropped.
pub type Groups = Vec<Vec<usize>>;

/// A change of groups, or of the arcs between attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// A dropped attribute becomes a group of its own.
    Add {
        /// The attribute.
        attribute: usize,
    },
    /// A dropped attribute joins a group.
    Join {
        /// The attribute.
        attribute: usize,
        /// The group as it was.
        group: Vec<usize>,
    },
    /// An attribute is dropped; the rest of its group stays.
    Delete {
        /// The attribute.
        attribute: usize,
    },
    /// Two groups become one.
    Merge {
        /// The group with the lower first member, as it was.
        left: Vec<usize>,
        /// The other one, as it was.
        right: Vec<usize>,
    },
    /// Attributes without a parent get one. All of them are groups of their own.
    Arcs {
        /// The parent.
        parent: usize,
        /// The children, lowest first.
        children: Vec<usize>,
    },
}

impl Operation {
    /// In one word, for people and for Python.
    pub fn name(&self) -> &'static str {
        match self {
            Operation::Add { .. } => "add",
            Operation::Join { .. } => "join",
            Operation::Delete { .. } => "delete",
            Operation::Merge { .. } => "merge",
            Operation::Arcs { .. } => "arc",
        }
    }

    /// The groups after the operation.
    pub fn apply(&self, groups: &[Vec<usize>]) -> Groups {
        let mut after: Groups = groups.to_vec();
        match self {
            Operation::Add { attribute } => after.push(vec![*attribute]),
            Operation::Join { attribute, group } => {
                after.retain(|other| other != group);
                after.push(group.iter().copied().chain([*attribute]).collect());
            }
            Operation::Delete { attribute } => {
                for group in &mut after {
                    group.retain(|member| member != attribute);
                }
                after.retain(|group| !group.is_empty());
            }
            Operation::Merge { left, right } => {
                after.retain(|other| other != left && other != right);
                after.push([left.as_slice(), right].concat());
            }
            Operation::Arcs { .. } => {}
        }
        for group in &mut after {
            group.sort_unstable();
        }
        after.sort_unstable();
        after
    }
}

/// Each attribute a group of its own.
pub fn singletons(n: usize) -> Groups {
    (0..n).map(|attribute| vec![attribute]).collect()
}

/// Every dropped attribute as a group of its own, lowest first.
pub fn additions(groups: &[Vec<usize>], n: usize) -> Vec<Operation> {
    dropped(groups, n).map(|attribute| Operation::Add { attribute }).collect()
}

/// Every dropped attribute joined to every group: lowest attribute first, then the lowest group.
pub fn joins(groups: &[Vec<usize>], n: usize) -> Vec<Operation> {
    dropped(groups, n)
        .flat_map(|attribute| {
            groups.iter().map(move |group| Operation::Join { attribute, group: group.clone() })
        })
        .collect()
}

/// Every attribute dropped, lowest first.
pub fn deletions(groups: &[Vec<usize>]) -> Vec<Operation> {
    let mut members: Vec<usize> = groups.concat();
    members.sort_unstable();
    members.into_iter().map(|attribute| Operation::Delete { attribute }).collect()
}

/// Every two groups merged, lowest pair first.
pub fn merges(groups: &[Vec<usize>]) -> Vec<Operation> {
    let pairs = groups
        .iter()
        .enumerate()
        .flat_map(|(place, left)| groups[place + 1..].iter().map(move |right| (left.clone(), right.clone())));
    pairs.map(|(left, right)| Operation::Merge { left, right }).collect()
}

fn dropped(groups: &[Vec<usize>], n: usize) -> impl Iterator<Item = usize> {
    let mut used = vec![false; n];
    for &member in groups.iter().flatten() {
        used[member] = true;
    }
    (0..n).filter(move |&attribute| !used[attribute])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_keep_groups_sorted() {
        let groups = vec![vec![0, 3], vec![2]];
        let after = |operation: Operation| operation.apply(&groups);
        assert_eq!(after(Operation::Add { attribute: 1 }), [vec![0, 3], vec![1], vec![2]]);
        assert_eq!(after(Operation::Join { attribute: 1, group: vec![2] }), [vec![0, 3], vec![1, 2]]);
        assert_eq!(after(Operation::Delete { attribute: 0 }), [vec![2], vec![3]]);
        assert_eq!(after(Operation::Delete { attribute: 2 }), [vec![0, 3]]);
        assert_eq!(after(Operation::Merge { left: vec![0, 3], right: vec![2] }), [vec![0, 2, 3]]);
    }

    #[test]
    fn candidates_come_lowest_first() {
        let groups = vec![vec![0, 3], vec![2]];
        assert_eq!(deletions(&groups), [0, 2, 3].map(|attribute| Operation::Delete { attribute }),);
        assert_eq!(merges(&groups), [Operation::Merge { left: vec![0, 3], right: vec![2] }]);
        assert_eq!(additions(&groups, 5), [1, 4].map(|attribute| Operation::Add { attribute }));
        let joined: Vec<_> = joins(&groups, 5)
            .into_iter()
            .map(|operation| match operation {
                Operation::Join { attribute, group } => (attribute, group[0]),
                _ => unreachable!("only joins"),
            })
            .collect();
        assert_eq!(joined, [(1, 0), (1, 2), (4, 0), (4, 2)]);
        assert_eq!(singletons(2), [[0], [1]]);
    }
}
