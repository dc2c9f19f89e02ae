//! Counting a batch of bitmaps against a batch of prefixes.

use std::ops::Range;

use multiversion::multiversion;

use crate::counts::bitmaps::ClassLayout;

/// Words of a tile: the tiles of a few prefixes and of one map fit into a first-level cache.
const TILE_WORDS: usize = 256;

/// Counts, for every map, every prefix and every class, the rows in both: `counts[(map·P + prefix)·s + class]`.
///
/// `prefixes` holds P bitmaps one behind the other.
///
/// # Complexity
/// maps · P · N/64 ANDs and population counts.
pub(super) fn count_batch(layout: &ClassLayout, prefixes: &[u64], maps: &[&[u64]], counts: &mut Vec<u32>) {
    let (width, classes) = (layout.words(), layout.n_classes());
    let cells = prefixes.len() / width * classes;
    counts.clear();
    counts.resize(maps.len() * cells, 0);
    if counts.is_empty() {
        return;
    }
    for class in 0..classes {
        let (first, end) = (layout.word_offsets[class], layout.word_offsets[class + 1]);
        for start in (first..end).step_by(TILE_WORDS) {
            let segment = start..(start + TILE_WORDS).min(end);
            count_segment(prefixes, width, maps, segment, classes, &mut counts[class..]);
        }
    }
}

/// One segment of [`count_batch`], for the class that `counts` begins with.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512vl+avx512vpopcntdq+avx2+bmi1+bmi2+popcnt",
    "x86_64+avx2+bmi1+bmi2+popcnt",
    "x86_64+popcnt",
    "aarch64+neon"
))]
fn count_segment(
    prefixes: &[u64],
    width: usize,
    maps: &[&[u64]],
    segment: Range<usize>,
    classes: usize,
    counts: &mut [u32],
) {
    let mut cell = 0;
    for map in maps {
        let map = &map[segment.clone()];
        // Not `chunks_exact`, which divides: once a map that is too often.
        let mut rest = prefixes;
        while let Some((prefix, next)) = rest.split_at_checked(width) {
            rest = next;
            let prefix = &prefix[segment.clone()];
            let both = map.iter().zip(prefix).map(|(map, prefix)| u64::from((map & prefix).count_ones()));
            counts[cell] += both.sum::<u64>() as u32;
            cell += classes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_of_classes_are_counted_apart() {
        // Two classes of 300 and 20,000 rows: several tiles.
        let layout = ClassLayout { word_offsets: vec![0, 8, 328], rows: vec![300, 20_000] };
        let word = |seed: u64, at: usize| (at as u64 + 1).wrapping_mul(seed).rotate_left(17);
        let map = |seed: u64| (0..328).map(|at| word(seed, at)).collect::<Vec<u64>>();
        let (a, b, c) = (map(0x9E37_79B9_7F4A_7C15), map(0xD1B5_4A32_D192_ED03), map(0x2545_F491_4F6C_DD1D));
        let prefixes = [a.clone(), b.clone()].concat();
        let mut counts = vec![7; 3];
        count_batch(&layout, &prefixes, &[&c, &a], &mut counts);
        let expected = |left: &[u64], right: &[u64], range: Range<usize>| {
            range.map(|at| (left[at] & right[at]).count_ones()).sum::<u32>()
        };
        let mut all = Vec::new();
        for map in [&c, &a] {
            for prefix in [&a, &b] {
                all.extend([expected(map, prefix, 0..8), expected(map, prefix, 8..328)]);
            }
        }
        assert_eq!(counts, all);
    }
}
