//! Bytes as tables, settings, models and files: every reader and public entry of the core answers well or refuses in a
//! sentence, and never panics.
//!
//! `TANAGER_FUZZ_CASES` says how many cases of each target are tried, `TANAGER_FUZZ_SECONDS` for how long instead, and
//! `TANAGER_FUZZ_SEED` where to begin. What fails is made small and put into `tests/fuzz/corpus/core`, to be committed with its
//! fix; all that is there is tried first.
#![allow(clippy::unwrap_used, reason = "clippy takes only the functions that are tests themselves for tests")]

mod learning;
mod models;
mod reading;
mod tape;

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use proptest::prelude::any;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};
use tape::Tape;

/// Whether panics are kept to themselves: there are thousands while a case is made small.
static QUIET: AtomicBool = AtomicBool::new(true);

fn hush() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let loud = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !QUIET.load(Ordering::Relaxed) {
                loud(panic);
            }
        }));
    });
}

fn variable<T: FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// Runs one case; where it fails, once more to see where.
fn show(run: fn(&mut Tape<'_>), bytes: &[u8]) {
    if std::panic::catch_unwind(|| run(&mut Tape::new(bytes))).is_err() {
        QUIET.store(false, Ordering::Relaxed);
        run(&mut Tape::new(bytes));
    }
}

/// One round of cases, from a seed; what fails is kept.
fn round(corpus: &std::path::Path, run: fn(&mut Tape<'_>), cases: u32, seed: u64) {
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 4000, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed.to_le_bytes(); 4].concat());
    let bytes = proptest::collection::vec(any::<u8>(), 0..600);
    let outcome = TestRunner::new_with_rng(config, rng).run(&bytes, |bytes| {
        run(&mut Tape::new(&bytes));
        Ok(())
    });
    if let Err(TestError::Fail(reason, bytes)) = outcome {
        std::fs::create_dir_all(corpus).unwrap();
        let kept = corpus.join(format!("seed-{seed}"));
        std::fs::write(&kept, &bytes).unwrap();
        eprintln!("kept as {}", kept.display());
        show(run, &bytes);
        panic!("{reason}");
    }
}

fn fuzz(target: &str, run: fn(&mut Tape<'_>)) {
    hush();
    let corpus =
        PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fuzz/corpus/core")).join(target);
    let past = std::fs::read_dir(&corpus).into_iter().flatten().flatten();
    let mut past: Vec<PathBuf> = past.map(|entry| entry.path()).collect();
    past.sort();
    for case in past {
        eprintln!("{}", case.display());
        show(run, &std::fs::read(case).unwrap());
    }
    let mut seed = variable("TANAGER_FUZZ_SEED").unwrap_or(0);
    let Some(seconds) = variable("TANAGER_FUZZ_SECONDS") else {
        return round(&corpus, run, variable("TANAGER_FUZZ_CASES").unwrap_or(100), seed);
    };
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(seconds) {
        round(&corpus, run, 200, seed);
        seed += 1;
    }
}

macro_rules! targets {
    ($($name:ident: $run:path;)*) => {$(
        #[test]
        fn $name() {
            fuzz(stringify!($name), $run);
        }
    )*};
}

targets! {
    statistics: reading::statistics;
    columns: reading::columns;
    levels: reading::levels;
    numbers: reading::numbers;
    learners: learning::learners;
    composed: learning::composed;
    mixtures: learning::mixtures;
    refined: learning::refined;
    networks: models::networks;
    graphs: models::graphs;
    functions: models::functions;
}
