//! Orders over a tree or a forest: depth, ancestors, children.

use super::{Tree, check_root};
use crate::error::{Error, Result};

/// The children of every node, each list in increasing order; refuses a parent that is not a node.
pub fn children(tree: &[Option<usize>]) -> Result<Vec<Vec<usize>>> {
    let mut lists = vec![Vec::new(); tree.len()];
    for (node, &parent) in tree.iter().enumerate() {
        if let Some(parent) = parent {
            lists
                .get_mut(parent)
                .ok_or_else(|| Error::InvalidStructure {
                    reason: format!("node {node} has parent {parent}, there are {} nodes", tree.len()),
                })?
                .push(node);
        }
    }
    Ok(lists)
}

/// The number of arcs between every node and the root of its tree; refuses a cycle.
///
/// # Complexity
/// O(n)
pub fn depths(tree: &[Option<usize>]) -> Result<Vec<usize>> {
    let children = children(tree)?;
    let mut depth: Vec<Option<usize>> = tree.iter().map(|p| p.is_none().then_some(0)).collect();
    let mut queue: Vec<usize> = (0..tree.len()).filter(|&node| tree[node].is_none()).collect();
    while let Some(node) = queue.pop() {
        for &child in &children[node] {
            depth[child] = depth[node].map(|d| d + 1);
            queue.push(child);
        }
    }
    depth
        .iter()
        .enumerate()
        .map(|(node, &d)| {
            d.ok_or_else(|| Error::InvalidStructure { reason: format!("node {node} is its own ancestor") })
        })
        .collect()
}

/// All nodes by (depth, index): within a level the index orders, not the queue of a breadth-first walk.
///
/// # Complexity
/// O(n log n)
///
/// # References
/// `carvalho2007bckg`, whose order within a level is left open
pub fn order_by_depth(tree: &[Option<usize>]) -> Result<Vec<usize>> {
    let depth = depths(tree)?;
    let mut order: Vec<usize> = (0..tree.len()).collect();
    order.sort_by_key(|&node| depth[node]);
    Ok(order)
}

/// The proper ancestors of a node, root first.
///
/// # Complexity
/// O(depth of the node)
pub fn ancestors(tree: &[Option<usize>], node: usize) -> Result<Vec<usize>> {
    check_root(node, tree.len())?;
    let mut path = Vec::new();
    let mut at = node;
    while let Some(parent) = tree[at] {
        check_root(parent, tree.len())?;
        if path.len() == tree.len() {
            return Err(Error::InvalidStructure { reason: format!("node {node} is its own ancestor") });
        }
        path.push(parent);
        at = parent;
    }
    path.reverse();
    Ok(path)
}

/// Directs `edges`, which must form a forest, away from the roots: of each tree the first node of
/// `preference` that lies in it, else its lowest.
pub fn direct(n: usize, edges: &[(usize, usize)], preference: &[usize]) -> Result<Tree> {
    let mut neighbours = vec![Vec::new(); n];
    for &(i, j) in edges {
        check_root(i, n)?;
        check_root(j, n)?;
        neighbours[i].push(j);
        neighbours[j].push(i);
    }
    let mut tree = vec![None; n];
    let mut seen = vec![false; n];
    for root in preference.iter().copied().chain(0..n) {
        check_root(root, n)?;
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut stack = vec![root];
        while let Some(node) = stack.pop() {
            for &next in &neighbours[node] {
                if tree[node] == Some(next) {
                    continue;
                }
                if std::mem::replace(&mut seen[next], true) {
                    return Err(Error::InvalidStructure {
                        reason: format!("the edge between {node} and {next} closes a cycle"),
                    });
                }
                tree[next] = Some(node);
                stack.push(next);
            }
        }
    }
    Ok(tree)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn levels_are_ordered_by_index_not_by_queue() {
        // 0 has children 1 and 2; 4 hangs below 1 and 3 below 2: a queue would say 4 before 3.
        let tree = [None, Some(0), Some(0), Some(2), Some(1)];
        assert_eq!(order_by_depth(&tree).unwrap(), [0, 1, 2, 3, 4]);
        assert_eq!(depths(&tree).unwrap(), [0, 1, 1, 2, 2]);
        assert_eq!(ancestors(&tree, 3).unwrap(), [0, 2]);
        assert_eq!(ancestors(&tree, 0).unwrap(), []);
        assert_eq!(children(&tree).unwrap(), [vec![1, 2], vec![4], vec![3], vec![], vec![]]);
    }

    #[test]
    fn forests_have_an_order_too() {
        assert_eq!(order_by_depth(&[Some(2), None, None]).unwrap(), [1, 2, 0]);
        assert_eq!(order_by_depth(&[]).unwrap(), []);
    }

    #[test]
    fn cycles_and_strangers_are_refused() {
        let cycle = [Some(1), Some(0), None];
        assert!(matches!(depths(&cycle), Err(Error::InvalidStructure { .. })));
        assert!(matches!(ancestors(&cycle, 0), Err(Error::InvalidStructure { .. })));
        assert!(matches!(children(&[Some(4)]), Err(Error::InvalidStructure { .. })));
        assert!(matches!(ancestors(&[Some(4)], 0), Err(Error::ColumnOutOfRange { column: 4, columns: 1 })));
        assert!(matches!(ancestors(&[None], 1), Err(Error::ColumnOutOfRange { column: 1, columns: 1 })));
        assert!(matches!(direct(3, &[(0, 1), (1, 2), (2, 0)], &[]), Err(Error::InvalidStructure { .. })));
    }

    proptest! {
        #[test]
        fn ancestors_agree_with_depths_and_the_order_puts_them_first(
            picks in proptest::collection::vec(any::<proptest::sample::Index>(), 1..12)
        ) {
            let tree: Tree = picks.iter().enumerate().map(|(i, pick)| (i > 0).then(|| pick.index(i.max(1)))).collect();
            let (depth, order) = (depths(&tree).unwrap(), order_by_depth(&tree).unwrap());
            for (node, &levels) in depth.iter().enumerate() {
                let above = ancestors(&tree, node).unwrap();
                prop_assert_eq!(above.len(), levels);
                let place = |x: usize| order.iter().position(|&y| y == x);
                prop_assert!(above.iter().all(|&a| place(a) < place(node)));
            }
            prop_assert!(order.windows(2).all(|w| (depth[w[0]], w[0]) < (depth[w[1]], w[1])));
        }
    }
}
