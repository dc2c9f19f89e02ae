//! Learning an optimal TAN with aCLL against learning it with the log-likelihood: at most 1.5 times the cost.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use tanager_benches::{chess_like, letter_like};
use tanager_core::counts::Counter;
use tanager_core::score::by_name;
use tanager_core::structure::{Evidence, StructureLearner, Tan};
use tanager_core::{Control, Options};

fn learn_tan(criterion: &mut Criterion) {
    for (name, data) in [("chess", chess_like()), ("letter", letter_like())] {
        let mut group = criterion.benchmark_group(format!("tan/{name}"));
        for score_name in ["ll", "acll"] {
            let score = by_name(score_name, &Options::default()).expect("registered");
            group.bench_function(score_name, |bencher| {
                bencher.iter(|| {
                    let counts = Counter::new(&data);
                    let evidence = Evidence { counts: &counts, score: &*score };
                    black_box(Tan::default().learn(evidence, &Control::new()).expect("data with a class"))
                });
            });
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = learn_tan
}
criterion_main!(benches);
