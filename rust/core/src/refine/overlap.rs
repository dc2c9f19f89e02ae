//! What several nodes can say: functions of one column or of two that contexts of more than one node express.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use rayon::prelude::*;

use crate::refine::dot::with_zeros;
use crate::refine::knots::NodeColumn;
use crate::refine::scatter::{gather_rows, scatter_rows, with_classes};

/// A part says the same as the fullest one of a cell where its rows have at least this share of that one's curvature.
const SHARE: f64 = 0.5;
/// Features that one thread takes at a time, at least.
const FEATURES: usize = 2048;

/// Features of a node with one number of parents: no row has two of them.
#[derive(Debug)]
struct Part {
    features: Range<usize>,
    /// The spaces that it belongs to, and its place among the members of each.
    spaces: Vec<(usize, usize)>,
}

/// One column, or two, and the parts whose contexts have them.
#[derive(Debug)]
struct Space {
    /// How many values, or pairs of values, occur.
    cells: usize,
    members: Vec<Member>,
}

/// A part of a space.
#[derive(Debug)]
struct Member {
    part: usize,
    /// The cell of each of its features.
    cells: Vec<u32>,
    /// Σ 1/ρ² over its features of each cell.
    sizes: Vec<f64>,
}

/// Which functions of one column, or of two, several nodes express; see [`OverlapInverse`].
#[derive(Debug)]
pub struct Overlaps {
    classes: usize,
    /// 1/ρ of each feature.
    shrink: Vec<f64>,
    parts: Vec<Part>,
    spaces: Vec<Space>,
}

impl Overlaps {
    /// From the columns of each node, its own and then those of its parents, and ρ, node and knot of each feature.
    ///
    /// # Complexity
    /// O(features) time and integers for each column and each two columns of a context.
    pub fn new(
        classes: usize,
        columns: &[Vec<usize>],
        nodes: &[NodeColumn],
        features: &[(f64, u32, u32)],
    ) -> Self {
        // The codes of each feature, one after another, and where they begin.
        let (mut values, mut starts): (Vec<u32>, Vec<usize>) = (Vec::new(), vec![0]);
        for &(_, node, knot) in features {
            nodes[node as usize].push_codes(knot, &mut values);
            starts.push(values.len());
        }
        let codes_of = |feature: usize| &values[starts[feature]..starts[feature + 1]];
        let kind = |feature: usize| (features[feature].1, codes_of(feature).len());
        let mut parts: Vec<Part> = Vec::new();
        // The parts of each set of columns, with the places of these in their contexts.
        let mut of_columns: BTreeMap<Vec<usize>, Vec<(usize, Vec<usize>)>> = BTreeMap::new();
        for feature in 0..features.len() {
            let (node, depth) = kind(feature);
            let same = |part: &&mut Part| kind(part.features.start) == (node, depth);
            if let Some(part) = parts.last_mut().filter(same) {
                part.features.end += 1;
                continue;
            }
            let of_node = &columns[node as usize];
            for mut places in subsets(depth) {
                places.sort_by_key(|&place| of_node[place]);
                let set = places.iter().map(|&place| of_node[place]).collect();
                of_columns.entry(set).or_default().push((parts.len(), places));
            }
            parts.push(Part { features: feature..feature + 1, spaces: Vec::new() });
        }
        let shrink: Vec<f64> = features.iter().map(|&(root, ..)| 1.0 / root).collect();
        // All features of one node are solved together where they are: only what two nodes say is new.
        let node_of = |part: usize| features[parts[part].features.start].1;
        let several = |members: &Vec<(usize, Vec<usize>)>| {
            members.iter().any(|(part, _)| node_of(*part) != node_of(members[0].0))
        };
        let shared: Vec<_> = of_columns.into_values().filter(several).collect();
        let spaces: Vec<Space> = shared
            .into_par_iter()
            .map(|members| {
                let mut numbers: HashMap<[u32; 2], u32> = HashMap::new();
                let cells = members.iter().map(|(part, places)| {
                    let cell = |feature: usize| {
                        let codes = codes_of(feature);
                        let key = [codes[places[0]], places.get(1).map_or(0, |&place| codes[place])];
                        let next = numbers.len() as u32;
                        *numbers.entry(key).or_insert(next)
                    };
                    parts[*part].features.clone().map(cell).collect::<Vec<u32>>()
                });
                let cells: Vec<Vec<u32>> = cells.collect();
                let member = |((part, _), cells): ((usize, Vec<usize>), Vec<u32>)| {
                    let mut sizes = vec![0.0; numbers.len()];
                    for (&cell, shrink) in cells.iter().zip(&shrink[parts[part].features.clone()]) {
                        sizes[cell as usize] += shrink * shrink;
                    }
                    Member { part, cells, sizes }
                };
                Space { cells: numbers.len(), members: members.into_iter().zip(cells).map(member).collect() }
            })
            .collect();
        for (number, space) in spaces.iter().enumerate() {
            for (place, member) in space.members.iter().enumerate() {
                parts[member.part].spaces.push((number, place));
            }
        }
        Self { classes, shrink, parts, spaces }
    }

    /// A number of each feature and class, summed by cell and class of a member of a space.
    fn sums(&self, space: &Space, member: &Member, values: &[f64]) -> Vec<f64> {
        let (s, features) = (self.classes, &self.parts[member.part].features);
        let mut sums = vec![0.0; space.cells * s];
        let values = &values[features.start * s..features.end * s];
        with_classes!(s, S => scatter_rows::<S>(s, values, &member.cells, &mut sums));
        sums
    }

    /// A number of each feature and class, times 1/ρ.
    fn shrunk(&self, values: &[f64]) -> Vec<f64> {
        let features = values.par_chunks_exact(self.classes).zip(&self.shrink).with_min_len(FEATURES);
        features.flat_map_iter(|(values, shrink)| values.iter().map(move |value| value * shrink)).collect()
    }
}

/// Every place below a depth, and every two of them.
fn subsets(depth: usize) -> Vec<Vec<usize>> {
    let alone = (0..depth).map(|place| vec![place]);
    alone.chain((0..depth).flat_map(|b| (0..b).map(move |a| vec![a, b]))).collect()
}

/// The inverse of the part of the Hessian in which several nodes say the same.
///
/// # Formula
/// ```text
/// cell v of a space, members a, b:   λ m_a [a = b] + (n_a − n) [a = b] + n,   n = min n_a
/// ```
/// A space is a column, or two; v a value of it; its members are the features of a node with one number of parents whose
/// contexts have these columns, all features of a member and v moved together by one number (ρ times the features'). m_a = Σ 1/ρ² of
/// them, and n_a = Σ h of their rows, h_t = ω_t p_tc (1 − p_tc), which are the rows of v for all members, but for few. The sum over
/// the members is what rows feel; where they cancel, nothing but the ridge holds them, though every one of them is held by
/// many rows. Neither the blocks of single nodes nor a diagonal see that, and conjugate gradients find it slowly. A diagonal and
/// one number everywhere are inverted by the formula of Sherman and Morrison; the inverses of all cells, which overlap, are
/// added up. Members that hold much fewer rows than the fullest one are left out, and cells where the rows
/// say less than the ridge.
///
/// # Complexity
/// O(features · classes) to make and to apply, for each column and each two columns of a context.
///
/// # References
/// sherman1950
pub struct OverlapInverse<'a> {
    overlaps: &'a Overlaps,
    /// For each space, member, cell and class the inverse of the diagonal, and what is taken from it again; no members where there
    /// is nothing to mend.
    factors: Vec<Vec<Vec<(f64, f64)>>>,
}

impl<'a> OverlapInverse<'a> {
    /// From ρ² Σ_t h_t of each feature and class, over all rows that have it.
    pub fn new(overlaps: &'a Overlaps, curvature: &[f64], ridge: f64) -> Self {
        let curvature = overlaps.shrunk(&overlaps.shrunk(curvature));
        let of_space = |space: &Space| {
            let sums = |member| overlaps.sums(space, member, &curvature);
            let sums: Vec<Vec<f64>> = space.members.iter().map(sums).collect();
            let mut factors: Vec<Vec<(f64, f64)>> =
                sums.iter().map(|sums| vec![(0.0, 0.0); sums.len()]).collect();
            for place in 0..space.cells * overlaps.classes {
                let cell = place / overlaps.classes;
                let members =
                    space.members.iter().zip(&sums).map(|(member, sums)| (member.sizes[cell], sums[place]));
                let of_members = factors_of(members, ridge);
                for (factors, found) in factors.iter_mut().zip(of_members) {
                    factors[place] = found;
                }
            }
            if factors.iter().flatten().all(|&(inverse, _)| inverse == 0.0) {
                return Vec::new();
            }
            factors
        };
        Self { overlaps, factors: overlaps.spaces.par_iter().map(of_space).collect() }
    }

    /// The inverse times a vector of the features: for each space and member by cell and class.
    pub fn solve(&self, vector: &[f64]) -> Vec<Vec<Vec<f64>>> {
        let (s, overlaps) = (self.overlaps.classes, self.overlaps);
        if overlaps.spaces.is_empty() {
            return Vec::new();
        }
        let shrunk = overlaps.shrunk(vector);
        let of_space = |(space, factors): (&Space, &Vec<Vec<(f64, f64)>>)| {
            let sums = |(member, _)| overlaps.sums(space, member, &shrunk);
            let mut sums: Vec<Vec<f64>> = space.members.iter().zip(factors).map(sums).collect();
            let mut along = vec![0.0; space.cells * s];
            for (sums, factors) in sums.iter().zip(factors) {
                for ((along, sum), (_, taken)) in along.iter_mut().zip(sums).zip(factors) {
                    *along += taken * sum;
                }
            }
            for (sums, factors) in sums.iter_mut().zip(factors) {
                for ((along, sum), (inverse, taken)) in along.iter().zip(sums).zip(factors) {
                    *sum = inverse * *sum - taken * along;
                }
            }
            sums
        };
        overlaps.spaces.par_iter().zip(&self.factors).map(of_space).collect()
    }

    /// Adds what [`Self::solve`] found to the features.
    pub fn add(&self, found: &[Vec<Vec<f64>>], solved: &mut [f64]) {
        let (s, overlaps) = (self.overlaps.classes, self.overlaps);
        let mut rest = solved;
        let of_parts = overlaps.parts.iter().map(|part| {
            let values = rest.split_off_mut(..part.features.len() * s).unwrap_or_default();
            (part, values)
        });
        let of_parts: Vec<(&Part, &mut [f64])> = of_parts.collect();
        of_parts.into_par_iter().filter(|(part, _)| !part.spaces.is_empty()).for_each(|(part, solved)| {
            with_zeros(solved.len(), |sums| {
                for &(space, place) in part.spaces.iter().filter(|&&(space, _)| !found[space].is_empty()) {
                    let cells = &overlaps.spaces[space].members[place].cells;
                    with_classes!(s, S => gather_rows::<S>(s, &found[space][place], cells, sums));
                }
                let features = solved.chunks_exact_mut(s).zip(sums.chunks_exact(s));
                for ((solved, sums), shrink) in features.zip(&overlaps.shrink[part.features.clone()]) {
                    solved.iter_mut().zip(sums).for_each(|(solved, sum)| *solved += shrink * sum);
                }
            });
        });
    }
}

/// The inverse of one cell's matrix for one class: that of its diagonal, and the vector whose products with itself are taken
/// from it. From m and n of each member.
fn factors_of(
    members: impl Iterator<Item = (f64, f64)> + Clone,
    ridge: f64,
) -> impl Iterator<Item = (f64, f64)> {
    let fullest = members.clone().map(|(_, n)| n).fold(0.0, f64::max);
    let counts = move |&(m, n): &(f64, f64)| m > 0.0 && n >= SHARE * fullest;
    let least = members.clone().filter(counts).map(|(_, n)| n).fold(f64::INFINITY, f64::min);
    let inverse = move |(m, n): (f64, f64)| 1.0 / (ridge * m + n - least);
    let said: f64 = members.clone().filter(counts).map(|member| least * inverse(member)).sum();
    members.map(move |member| {
        if !(counts(&member) && said > 1.0) {
            return (0.0, 0.0);
        }
        (inverse(member), inverse(member) * (least / (1.0 + said)).sqrt())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Control;
    use crate::data::{Column, Dataset};
    use crate::math::Random;
    use crate::refine::rows::Rows;
    use crate::refine::term::Training;
    use crate::structure::Structure;
    use proptest::prelude::*;

    /// Rows of a class and three attributes, of which the last two have the first as a parent, and the last the second too.
    fn training(rows: &[(i64, i64, i64, i64)]) -> Training {
        let column = |values: Vec<i64>| Column::from_integers("x", values.into_iter(), 3, Some(-1)).unwrap();
        let columns = vec![
            column(rows.iter().map(|row| row.1).collect()),
            column(rows.iter().map(|row| row.2).collect()),
            column(rows.iter().map(|row| row.3).collect()),
        ];
        let class = column(rows.iter().map(|row| row.0).collect());
        let data = Dataset::new(columns, Some(class)).unwrap();
        let rows = Rows::new(data, vec![None; 3]).unwrap().merged().unwrap();
        let structure = Structure::from_parents(vec![vec![], vec![0], vec![0, 1]]);
        Training::new(&rows, structure, &Control::new()).unwrap()
    }

    /// Every row of three attributes with three values: no two contexts hold the same rows.
    fn all_rows() -> Vec<(i64, i64, i64, i64)> {
        (0..162).map(|row| ((row * row / 7) % 3, row % 3, row / 3 % 3, row / 9 % 3)).collect()
    }

    #[test]
    fn spaces_are_the_columns_that_two_nodes_see() {
        let training = training(&all_rows());
        let sizes: Vec<(usize, usize)> = training
            .design
            .overlaps()
            .spaces
            .iter()
            .map(|space| (space.cells, space.members.len()))
            .collect();
        // Columns 0; 0 and 1; 1. Columns with the last node's own are that node's alone.
        assert_eq!(sizes, [(3, 4), (9, 2), (3, 3)]);
    }

    #[test]
    fn cells_are_inverted() {
        let (members, ridge) = ([(2.0, 40.0), (3.0, 30.0), (1.0, 0.0), (5.0, 10.0)], 0.7);
        let factors: Vec<(f64, f64)> = factors_of(members.into_iter(), ridge).collect();
        // The last two hold too few rows to be there.
        assert_eq!(factors[2..], [(0.0, 0.0); 2]);
        let vector = [0.3, -1.1];
        let taken: f64 = (0..2).map(|a| factors[a].1 * vector[a]).sum();
        let solved: Vec<f64> = (0..2).map(|a| factors[a].0 * vector[a] - factors[a].1 * taken).collect();
        for a in 0..2 {
            let (m, n) = members[a];
            let product = (ridge * m + n - 30.0) * solved[a] + 30.0 * solved.iter().sum::<f64>();
            assert!((product - vector[a]).abs() < 1e-12, "{a}: {product}");
        }
        // Where rows say less than the ridge there is nothing to mend.
        assert!(factors_of([(9.0, 0.1), (9.0, 0.1)].into_iter(), ridge).all(|factors| factors == (0.0, 0.0)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(50))]
        #[test]
        fn the_inverse_is_symmetric_and_never_negative(
            rows in prop::collection::vec((0i64..3, -1i64..3, -1i64..3, -1i64..3), 3..60), seed in 0u64..100,
        ) {
            let training = training(&rows);
            let design = &training.design;
            let mut random = Random::new(seed);
            let h: Vec<f64> = (0..design.rows() * 3).map(|_| random.normal().abs()).collect();
            let curvature = design.derivatives(&h, true);
            let inverse = OverlapInverse::new(design.overlaps(), &curvature[design.of_features()], 0.01);
            let mut vectors = Vec::new();
            for _ in 0..2 {
                let vector: Vec<f64> = design.of_features().map(|_| random.normal()).collect();
                let mut solved = vec![0.0; vector.len()];
                inverse.add(&inverse.solve(&vector), &mut solved);
                vectors.push((vector, solved));
            }
            let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
            let (one, other) = (&vectors[0], &vectors[1]);
            let (left, right) = (dot(&one.0, &other.1), dot(&other.0, &one.1));
            prop_assert!((left - right).abs() <= 1e-9 * (1.0 + left.abs()), "{left} {right}");
            prop_assert!(dot(&one.0, &one.1) >= -1e-9);
        }
    }
}
