//! The search against every set counted on its own.

use proptest::prelude::*;

use super::*;
use crate::counts::Counter;
use crate::data::{Column, Dataset};
use crate::options::Options;
use crate::score::{REGISTRY, by_name};

fn dataset(columns: &[(usize, Vec<usize>)], class: Option<&(usize, Vec<usize>)>) -> Dataset {
    let column = |(arity, codes): &(usize, Vec<usize>)| {
        Column::from_integers("x", codes.iter().map(|&code| code as i64), *arity, None).unwrap()
    };
    Dataset::new(columns.iter().map(column).collect(), class.map(column)).unwrap()
}

/// Columns of many arities, copies of earlier columns among them: ties.
fn tables() -> impl Strategy<Value = Dataset> {
    let small = || proptest::collection::vec(prop_oneof![1usize..5, Just(2), Just(3)], 1..6);
    // At most one column is too wide for bitmaps: two of them make tables that take long to try.
    let arities = (small(), prop_oneof![Just(4), Just(70)]).prop_map(|(mut arities, last)| {
        arities.insert(arities.len() / 2, last);
        arities
    });
    (1usize..70, arities, 0usize..4, any::<u64>()).prop_map(|(rows, arities, classes, seed)| {
        let mut random = crate::math::Random::new(seed);
        let mut draw = |arity: usize| -> Vec<usize> {
            (0..rows).map(|_| random.below(arity.min(6) as u64) as usize).collect()
        };
        let mut columns: Vec<(usize, Vec<usize>)> = Vec::new();
        for (at, &arity) in arities.iter().enumerate() {
            let copied = columns.iter().find(|(earlier, _)| *earlier == arity && at % 2 == 1).cloned();
            let mut column = copied.unwrap_or_else(|| (arity, draw(arity)));
            // Half of the columns follow their left neighbour now and then.
            if let Some((_, left)) = columns.last().filter(|_| at % 3 != 0) {
                for (row, code) in column.1.iter_mut().enumerate().filter(|(row, _)| row % 3 != 0) {
                    *code = left[row] % arity;
                }
            }
            columns.push(column);
        }
        let class = (classes > 0).then(|| (classes, draw(classes)));
        dataset(&columns, class.as_ref())
    })
}

fn tasks(data: &Dataset) -> Vec<Task> {
    (0..data.n())
        .map(|child| {
            let others = (0..data.n()).filter(|&other| other != child).collect();
            Task::new(child, others, data.n()).unwrap()
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn pruned_or_not_the_search_finds_what_trying_everything_finds(data in tables(), k in 0usize..5) {
        let control = Control::new();
        for entry in REGISTRY {
            let score = by_name(entry.about.name, &Options::default()).unwrap();
            let counter = Counter::new(&data);
            let scorer = Scorer::new(&*score, data.total(), 1 << 20);
            let tasks = tasks(&data);
            // Some scores need a class: then both ways say so.
            let expected = try_all(&counter, &scorer, &tasks, k, &control);
            for pruning in [Pruning::Bounds, Pruning::Off] {
                let found = best_parent_sets(&counter, &scorer, &tasks, k, pruning, &control);
                prop_assert_eq!(&found, &expected, "{} {:?}", entry.about.name, pruning);
            }
        }
    }
}

#[test]
fn several_threads_find_the_same() {
    let mut random = crate::math::Random::new(5);
    let columns: Vec<(usize, Vec<usize>)> =
        (0..30).map(|at| (2 + at % 2, (0..200).map(|_| random.below(2) as usize).collect())).collect();
    let data = dataset(&columns, None);
    let score = by_name("bdeu", &Options::default()).unwrap();
    let scorer = Scorer::new(&*score, data.total(), 1 << 20);
    let found = [1, 2, 5].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let counter = Counter::new(&data);
        pool.install(|| {
            best_parent_sets(&counter, &scorer, &tasks(&data), 3, Pruning::Bounds, &Control::new())
        })
        .unwrap()
    });
    assert_eq!(found[0], found[1]);
    assert_eq!(found[0], found[2]);
}

#[test]
fn parents_that_add_nothing_are_dropped_and_the_lowest_copy_is_taken() {
    let first: Vec<usize> = vec![0, 1, 0, 1, 1, 0];
    let constant = vec![0; 6];
    let columns = [(2, constant), (2, first.clone()), (2, first.clone()), (2, first)];
    let data = dataset(&columns, None);
    let score = by_name("ll", &Options::default()).unwrap();
    let scorer = Scorer::new(&*score, data.total(), 1 << 10);
    let task = [Task::new(3, vec![2, 0, 1], 4).unwrap()];
    let found =
        best_parent_sets(&Counter::new(&data), &scorer, &task, 9, Pruning::Bounds, &Control::new()).unwrap();
    assert_eq!(found, [ParentSet { parents: vec![1], score: 0.0 }]);
}

#[test]
fn impossible_tasks_are_refused() {
    assert_eq!(Task::new(0, vec![3], 3), Err(Error::ColumnOutOfRange { column: 3, columns: 3 }));
    assert_eq!(Task::new(4, vec![], 3), Err(Error::ColumnOutOfRange { column: 4, columns: 3 }));
    let twice = Task::new(0, vec![2, 1, 2], 3).unwrap_err();
    assert_eq!(twice.to_string(), "the family of column 0 names column 2 twice");
    let itself = Task::new(1, vec![2, 1], 3).unwrap_err();
    assert_eq!(itself.to_string(), "the family of column 1 names column 1 twice");
}

#[test]
fn sets_are_counted() {
    let task = Task::new(9, (0..5).collect(), 10).unwrap();
    assert_eq!([0, 1, 2, 3, 9].map(|k| task.families(k)), [1, 6, 16, 26, 32]);
    let wide = Task::new(0, (1..400).collect(), 400).unwrap();
    assert_eq!(wide.families(200), u64::MAX);
}

#[test]
fn a_search_can_be_cancelled() {
    let data = dataset(&[(2, vec![0, 1]), (2, vec![1, 0])], None);
    let score = by_name("ll", &Options::default()).unwrap();
    let scorer = Scorer::new(&*score, data.total(), 1 << 10);
    let control = Control::new();
    control.cancel();
    let found = best_parent_sets(&Counter::new(&data), &scorer, &tasks(&data), 1, Pruning::Bounds, &control);
    assert_eq!(found, Err(Error::Cancelled));
}
