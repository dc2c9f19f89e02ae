//! The search for the best parents: families a second, and k-graphs against the tree that they start from.
//!
//! To reach on two cores: 20 million binary families a second and 4 million of three values at 5,000 rows;
//! BC2G on chess-like within 5 ms beyond its TAN; BC2G(ll) on letter-like within 40 times its TAN(ll).
//! `families` also shows that pruning costs next to nothing where it cannot help, and `growth` that the
//! time is proportional to the number of families.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tanager_benches::{chess_like, letter_like, random_tree};
use tanager_core::counts::{CountSource, Counter};
use tanager_core::data::Dataset;
use tanager_core::score::{Scorer, by_name};
use tanager_core::search::parent_subsets::{Pruning, Task, best_parent_sets};
use tanager_core::structure::{Bckg, Evidence, LevelOrder, Root, StructureLearner, Tan};
use tanager_core::{Control, Options};

/// Every column with all columns before it as candidates.
fn tasks(data: &Dataset) -> Vec<Task> {
    (0..data.n()).map(|child| Task::new(child, (0..child).collect(), data.n()).expect("columns")).collect()
}

fn search(criterion: &mut Criterion, group: &str, name: &str, data: &Dataset, score: &str, pruning: Pruning) {
    let score_name = score;
    let score = by_name(score, &Options::default()).expect("registered");
    let tasks = tasks(data);
    let families: u64 = tasks.iter().map(|task| task.families(2)).sum();
    let counter = Counter::new(data);
    counter.kept_pairs(&Control::new()).expect("pair tables");
    let mut group = criterion.benchmark_group(group);
    group.throughput(Throughput::Elements(families));
    group.bench_function(BenchmarkId::new(name, score_name), |bencher| {
        bencher.iter(|| {
            let scorer = Scorer::new(&*score, data.total(), u128::from(families) * 8);
            black_box(
                best_parent_sets(&counter, &scorer, &tasks, 2, pruning, &Control::new()).expect("found"),
            )
        });
    });
    group.finish();
}

fn families(criterion: &mut Criterion) {
    for (name, values) in [("binary", 2), ("ternary", 3)] {
        let data = random_tree(5_000, 150, values, 2, 3);
        for score in ["ll", "bic", "k2", "bdeu"] {
            search(criterion, "families", name, &data, score, Pruning::Bounds);
            search(criterion, "families unpruned", name, &data, score, Pruning::Off);
        }
    }
}

fn growth(criterion: &mut Criterion) {
    for columns in [60, 120, 240] {
        let data = random_tree(5_000, columns, 2, 2, 4);
        search(criterion, "growth", &format!("{columns} columns"), &data, "bic", Pruning::Bounds);
    }
    for rows in [2_500, 5_000, 10_000] {
        let data = random_tree(rows, 100, 2, 2, 5);
        search(criterion, "growth", &format!("{rows} rows"), &data, "bic", Pruning::Bounds);
    }
}

fn wide(criterion: &mut Criterion) {
    search(criterion, "wide", "binary", &random_tree(5_000, 500, 2, 2, 6), "bic", Pruning::Bounds);
    search(criterion, "wide", "ternary", &random_tree(5_000, 500, 3, 2, 6), "bic", Pruning::Bounds);
}

fn learn(criterion: &mut Criterion) {
    let graph = |k| Bckg { k, root: Root::Free, level_order: LevelOrder::Index };
    let cases: [(&str, Dataset, &[usize], &[&str]); 2] =
        [("chess", chess_like(), &[2, 3], &["ll", "bic"]), ("letter", letter_like(), &[2], &["ll", "bic"])];
    for (name, data, sizes, scores) in &cases {
        for score_name in *scores {
            let score = by_name(score_name, &Options::default()).expect("registered");
            let mut group = criterion.benchmark_group(format!("learn/{name}/{score_name}"));
            let mut run = |label: &str, learner: &dyn StructureLearner| {
                group.bench_function(label, |bencher| {
                    bencher.iter(|| {
                        let counts = Counter::new(data);
                        let evidence = Evidence { counts: &counts, score: &*score };
                        black_box(learner.learn(evidence, &Control::new()).expect("learned"))
                    });
                });
            };
            run("tan", &Tan::default());
            for &k in *sizes {
                run(&format!("bc{k}g"), &graph(k));
            }
            group.finish();
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = families, growth, wide, learn
}
criterion_main!(benches);
