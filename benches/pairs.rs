//! Counting all class-conditional pairs on one thread: the four shapes, how the time grows, and both kernels near
//! the border between them.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group};
use rayon::ThreadPoolBuilder;
use tanager_benches::{chess_like, letter_like, random_tree, tall, wide};
use tanager_core::Control;
use tanager_core::counts::Bitmaps;
use tanager_core::counts::Costs;
use tanager_core::counts::bitmaps::{MappedPair, and_count_tables};
use tanager_core::counts::histogram::{TILE, TileIndices};
use tanager_core::counts::pairs::count_pairs;
use tanager_core::data::Dataset;

fn count(data: &Dataset) {
    black_box(count_pairs(black_box(data), &Control::new()).expect("the tables fit"));
}

fn shapes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pairs");
    for (name, data) in
        [("chess", chess_like()), ("letter", letter_like()), ("wide", wide()), ("tall", tall())]
    {
        group.bench_function(name, |bencher| bencher.iter(|| count(&data)));
        #[cfg(feature = "yardstick")]
        yardstick(&mut group, name, &data);
    }
    group.finish();
}

/// The same tables from C, after a check that they are the same.
#[cfg(feature = "yardstick")]
fn yardstick(
    group: &mut criterion::BenchmarkGroup<'_, criterion::measurement::WallTime>,
    name: &str,
    data: &Dataset,
) {
    use tanager_benches::yardstick::{Flat, Way};
    use tanager_core::counts::Cells;
    let flat = Flat::of(data);
    let pairs = count_pairs(data, &Control::new()).expect("the tables fit");
    for way in [Way::Histogram, Way::Bitmaps] {
        let tables = flat.count(way);
        for (i, j) in (1..data.n()).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let Cells::Integer(cells) = pairs.cells(j, i) else { unreachable!("rows have no weights") };
            let r = data.column(0).arity();
            for (place, &cell) in cells.iter().enumerate() {
                let (c, b, a) = (place / (r * r), place / r % r, place % r);
                assert_eq!(cell, flat.cell(&tables, (i, j), (c, a, b)), "{name}: columns {j} and {i}");
            }
        }
        group.bench_function(format!("{name} in C, {way:?}"), |bencher| {
            bencher.iter(|| black_box(flat.count(way)));
        });
    }
}

/// Linear in rows, quadratic in columns.
fn growth(criterion: &mut Criterion) {
    let mut rows = criterion.benchmark_group("pairs/rows");
    for size in [50_000, 100_000, 200_000] {
        let data = random_tree(size, 30, 4, 3, 5);
        rows.throughput(Throughput::Elements(size as u64));
        rows.bench_with_input(BenchmarkId::from_parameter(size), &data, |bencher, data| {
            bencher.iter(|| count(data))
        });
    }
    rows.finish();
    let mut columns = criterion.benchmark_group("pairs/columns");
    for size in [100, 200, 400] {
        let data = random_tree(5_000, size, 3, 2, 6);
        columns.throughput(Throughput::Elements((size * (size - 1) / 2) as u64));
        columns.bench_with_input(BenchmarkId::from_parameter(size), &data, |bencher, data| {
            bencher.iter(|| count(data))
        });
    }
    columns.finish();
}

/// One pair by both kernels; the name says which one the cost model takes.
fn border(criterion: &mut Criterion) {
    for (rows, classes) in [(100_000, 2), (20_000, 26)] {
        for values in [3, 6, 10, 14, 18, 24] {
            let data = random_tree(rows, 2, values, classes, 7);
            let taken = if Costs::of_pairs(&data).bitmaps_pay_for_pair(values, values) {
                "bitmaps"
            } else {
                "histogram"
            };
            let mut group =
                criterion.benchmark_group(format!("border/{rows}x{values}x{classes} takes {taken}"));
            let mut cells = vec![0u32; classes * values * values];
            let maps = Bitmaps::build(&data, |_| true).expect("the bitmaps fit");
            let (left, right) = (maps.column(0).expect("built"), maps.column(1).expect("built"));
            let layout = maps.layout();
            group.bench_function("bitmaps", |bencher| {
                bencher.iter(|| {
                    for class in 0..classes {
                        let segment = layout.word_offsets[class]..layout.word_offsets[class + 1];
                        let pair = MappedPair {
                            left: left.words(),
                            right: right.words(),
                            cells: class * values * values,
                            row: values,
                        };
                        and_count_tables(&[pair], layout.words(), segment, &mut cells);
                    }
                });
            });
            group.bench_function("histogram", |bencher| {
                bencher.iter(|| {
                    for start in (0..rows).step_by(TILE) {
                        let indices = TileIndices::of(&data, data.column(0), start);
                        indices.count(data.column(1), start, |_| 1u32, &mut cells);
                    }
                });
            });
            group.finish();
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = shapes, growth, border
}

fn main() {
    // The kernels themselves, not how they share out work.
    ThreadPoolBuilder::new().num_threads(1).build_global().expect("the first use of the pool");
    benches();
}
