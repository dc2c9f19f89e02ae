//! One step of BSEJ beside one naive Bayes: `cargo bench --manifest-path benches/Cargo.toml --bench wrappers`.
//!
//! The data is shaped like the chess end game: 3,196 rows of 36 binary attributes and two classes. A step tries 36
//! deletions and 630 merges on five folds. It should cost at most 30 times a fit of naive Bayes and a prediction of
//! the same rows; its cost should be linear in the rows and quadratic in the attributes.

use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use tanager_core::Control;
use tanager_core::counts::Counter;
use tanager_core::data::{Column, Dataset};
use tanager_core::math::Random;
use tanager_core::model::{Classifier, CrossValidatedAccuracy, Network};
use tanager_core::parameters::Laplace;
use tanager_core::search::{Climb, greedy};
use tanager_core::structure::grouping::{deletions, merges, singletons};
use tanager_core::structure::{Accuracy, Objective, Operation, Split, Structure};

/// Attributes that depend on the class and, in pairs, on each other.
fn data(rows: usize, columns: usize, values: u64, classes: u64) -> Dataset {
    let mut random = Random::new(1);
    let class: Vec<i64> = (0..rows).map(|_| random.below(classes) as i64).collect();
    let mut all: Vec<Vec<i64>> = Vec::with_capacity(columns);
    for column in 0..columns {
        let noise = 0.3 + 0.6 * random.uniform();
        let codes = (0..rows)
            .map(|row| {
                let partner = if column % 2 == 1 { all[column - 1][row] } else { 0 };
                let signal = (class[row] + partner) % values as i64;
                if random.uniform() < noise { random.below(values) as i64 } else { signal }
            })
            .collect();
        all.push(codes);
    }
    let column = |codes: Vec<i64>, arity: u64| {
        Column::from_integers("x", codes.into_iter(), arity as usize, None).expect("codes are in range")
    };
    let columns = all.into_iter().map(|codes| column(codes, values)).collect();
    Dataset::new(columns, Some(column(class, classes))).expect("the columns are of one length")
}

fn naive_bayes(data: &Dataset) -> Vec<f64> {
    let control = Control::new();
    let structure = Structure::from_parents(vec![Vec::new(); data.n()]);
    let model =
        Network::estimate(&structure, &Counter::new(data), &Laplace::new(1.0), &control).expect("it fits");
    model.posterior(data, Default::default(), &control).expect("it predicts")
}

/// Tries everything once and takes nothing: one step.
struct OneStep<'a> {
    objective: Box<dyn Objective + 'a>,
    operations: Vec<Operation>,
}

impl Climb for OneStep<'_> {
    type Move = usize;
    fn value(&self) -> f64 {
        f64::INFINITY
    }
    fn moves(&self) -> tanager_core::Result<Vec<usize>> {
        Ok((0..self.operations.len()).collect())
    }
    fn measure(&self, step: &usize) -> tanager_core::Result<Option<f64>> {
        self.objective.measure(&self.operations[*step])
    }
    fn take(&mut self, _: &usize) -> tanager_core::Result<()> {
        Ok(())
    }
}

fn one_step(criterion: &mut Criterion, name: &str, data: &Dataset) {
    let (estimator, control) = (Laplace::new(1.0), Control::new());
    let accuracy = CrossValidatedAccuracy::new(data, &estimator);
    let groups = singletons(data.n());
    let operations = [deletions(&groups), merges(&groups)].concat();
    let split = Split { folds: 5, seed: 0 };
    let start = || {
        let objective = accuracy.start(split, groups.clone(), &control).expect("it starts");
        OneStep { objective, operations: operations.clone() }
    };
    let mut group = criterion.benchmark_group(name);
    group.sample_size(20);
    // The first step counts every pair; those after it count what the last one changed.
    group.bench_function(BenchmarkId::new("first step of bsej", operations.len()), |bencher| {
        let climb = |mut step: OneStep<'_>| greedy(&mut step, &control).expect("it climbs");
        bencher.iter_batched(start, climb, BatchSize::PerIteration);
    });
    let mut step = start();
    group.bench_function(BenchmarkId::new("nothing new to count", operations.len()), |bencher| {
        bencher.iter(|| greedy(black_box(&mut step), &control).expect("it climbs"));
    });
    group.bench_function("nb fit and predict", |bencher| bencher.iter(|| naive_bayes(black_box(data))));
    group.finish();
}

fn steps(criterion: &mut Criterion) {
    one_step(criterion, "chess 3196x36", &data(3_196, 36, 2, 2));
    one_step(criterion, "four times the rows", &data(4 * 3_196, 36, 2, 2));
    one_step(criterion, "twice the attributes", &data(3_196, 72, 2, 2));
    one_step(criterion, "letter 20000x16", &data(20_000, 16, 16, 26));
}

criterion_group!(benches, steps);
criterion_main!(benches);
