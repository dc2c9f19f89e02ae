use super::*;
use crate::counts::{CountSource, Counter, PairTable, PairVisitor};
use crate::data::Variable;
use proptest::prelude::*;
use std::sync::Mutex;

type Row = (i64, i64, i64, i64, f64);

fn dataset(rows: &[Row], with_class: bool, weighted: bool) -> Dataset {
    let column = |pick: &dyn Fn(&Row) -> i64, arity| {
        let values: Vec<i64> = rows.iter().map(pick).collect();
        Column::from_integers("x", values.into_iter(), arity, Some(-1)).unwrap()
    };
    let columns = vec![column(&|row| row.1, 3), column(&|row| row.2, 4), column(&|row| row.3, 2)];
    let data = Dataset::new(columns, with_class.then(|| column(&|row| row.0, 3))).unwrap();
    if weighted { data.with_weights(rows.iter().map(|row| row.4).collect()).unwrap() } else { data }
}

fn counted(parts: &[Dataset]) -> Statistics {
    let mut all = Statistics::new(parts[0].arities(), parts[0].n_classes(), true).unwrap();
    parts.iter().for_each(|part| all.update(part, &Control::new()).unwrap());
    all
}

/// Rows with missing values where `missing`; weights are quarters, whose sums are exact.
fn rows(missing: bool) -> impl Strategy<Value = Vec<Row>> {
    let least = if missing { -1i64 } else { 0 };
    let row = (0i64..3, least..3, least..4, 0i64..2, (1u32..20).prop_map(|w| f64::from(w) / 4.0));
    prop::collection::vec(row, 2..80)
}

#[derive(Default)]
struct Seen(Mutex<Vec<(usize, usize, Vec<f64>)>>);

impl PairVisitor for Seen {
    fn integer(&self, table: PairTable<'_, u32>) -> Result<()> {
        let cells = table.cells.iter().map(|&cell| f64::from(cell)).collect();
        self.0.lock().unwrap().push((table.i, table.j, cells));
        Ok(())
    }

    fn weighted(&self, table: PairTable<'_, f64>) -> Result<()> {
        self.0.lock().unwrap().push((table.i, table.j, table.cells.to_vec()));
        Ok(())
    }
}

fn seen(source: &dyn CountSource) -> Vec<(usize, usize, Vec<f64>)> {
    let seen = Seen::default();
    source.visit_pairs(&seen, &Control::new()).unwrap();
    let mut tables = seen.0.into_inner().unwrap();
    tables.sort_by_key(|table| (table.0, table.1));
    tables
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn columns_of_one_value_need_not_be_counted(
        rows in rows(true), with_class: bool, weighted: bool, first in 0usize..3, second in 0usize..4,
    ) {
        let some = dataset(&rows, with_class, weighted);
        let constant = || Column::from_integers("one", rows.iter().map(|_| 0), 1, None).unwrap();
        let mut columns = some.columns().to_vec();
        columns.insert(first, constant());
        columns.insert(second, constant());
        let places: Vec<usize> = (0..5).filter(|&place| columns[place].arity() > 1).collect();
        let all = Dataset::new(columns, some.class().cloned()).unwrap();
        let all = if weighted { all.with_weights(rows.iter().map(|row| row.4).collect()).unwrap() } else { all };
        let (counted, expected) = (counted(&[some]), counted(&[all]));
        prop_assert_eq!(counted.beside_constants(5, &places).unwrap(), expected);
        for wrong in [vec![], vec![0, 1], vec![0, 2, 1], vec![0, 1, 1], vec![0, 1, 5]] {
            prop_assert!(counted.beside_constants(5, &wrong).is_err());
        }
    }

    #[test]
    fn any_division_and_order_gives_the_same_bits(
        rows in any::<bool>().prop_flat_map(rows), cut in 0usize..80, with_class: bool, weighted: bool,
    ) {
        let cut = 1 + cut % (rows.len() - 1);
        let part = |rows: &[Row]| dataset(rows, with_class, weighted);
        let whole = counted(&[part(&rows)]);
        let (left, right) = (part(&rows[..cut]), part(&rows[cut..]));
        prop_assert_eq!(&counted(&[left.clone(), right.clone()]), &whole);
        let (mut merged, other) = (counted(&[right]), counted(&[left]));
        merged.merge(&other).unwrap();
        prop_assert_eq!(&merged, &whole);
        prop_assert_eq!(merged.to_bytes(b"note"), whole.to_bytes(b"note"));
        prop_assert_eq!(Statistics::from_bytes(&whole.to_bytes(b"note")).unwrap(), (whole, b"note".to_vec()));
    }

    #[test]
    fn families_are_those_of_the_rows(rows in any::<bool>().prop_flat_map(rows), with_class: bool, weighted: bool) {
        let data = dataset(&rows, with_class, weighted);
        let (statistics, counter) = (counted(std::slice::from_ref(&data)), Counter::new(&data));
        prop_assert_eq!(statistics.total(), counter.total());
        prop_assert_eq!(statistics.has_missing(), counter.has_missing());
        prop_assert_eq!(seen(&statistics), seen(&counter));
        for child in 0..3 {
            for parents in [vec![], vec![(child + 1) % 3], vec![(child + 2) % 3]] {
                for given_class in [false, with_class] {
                    let family = |source: &dyn CountSource| {
                        source.family(Variable::Attribute(child), &parents, given_class).unwrap()
                    };
                    prop_assert_eq!(family(&statistics), family(&counter));
                }
            }
        }
        if with_class {
            let class = |source: &dyn CountSource| source.family(Variable::Class, &[], false).unwrap();
            prop_assert_eq!(class(&statistics), class(&counter));
        }
        let error = statistics.family(Variable::Attribute(0), &[1, 2], with_class).unwrap_err();
        prop_assert!(matches!(error, Error::NotCounted { .. }), "{}", error);
    }

    #[test]
    fn levels_that_come_later_are_taken_in(rows in rows(true)) {
        // Values 1 and 2 of the first column, and class 0, were met as 0 and 1, and as class 1.
        let (first, later): (Vec<Row>, Vec<Row>) = rows.iter().partition(|row| row.1 > 0 && row.0 < 2);
        prop_assume!(!first.is_empty() && !later.is_empty());
        let early: Vec<Row> = first.iter().map(|row| (1 - row.0, row.1 - 1, row.2, row.3, row.4)).collect();
        let column = |pick: &dyn Fn(&Row) -> i64, arity| {
            let values: Vec<i64> = early.iter().map(pick).collect();
            Column::from_integers("x", values.into_iter(), arity, Some(-1)).unwrap()
        };
        let columns = vec![column(&|row| row.1, 2), column(&|row| row.2, 4), column(&|row| row.3, 2)];
        let early = Dataset::new(columns, Some(column(&|row| row.0, 2))).unwrap();
        let values = vec![vec![1, 2], vec![0, 1, 2, 3], vec![0, 1]];
        let moves = Moves { values: &values, classes: &[1, 0] };
        let mut grown = counted(&[early]).grown(vec![3, 4, 2], Some(3), &moves).unwrap();
        grown.update(&dataset(&later, true, false), &Control::new()).unwrap();
        let mut both = first;
        both.extend(later);
        prop_assert_eq!(grown, counted(&[dataset(&both, true, false)]));
    }

    #[test]
    fn damaged_bytes_are_refused(rows in rows(true), place: usize, change in 1u8..=255, cut: usize, weighted: bool) {
        let bytes = counted(&[dataset(&rows, true, weighted)]).to_bytes(b"");
        prop_assert!(Statistics::from_bytes(&bytes[..cut % bytes.len()]).is_err());
        let mut changed = bytes.clone();
        changed[place % bytes.len()] ^= change;
        prop_assert!(Statistics::from_bytes(&changed).is_err());
    }

    #[test]
    fn hostile_bytes_with_a_good_checksum_do_no_harm(
        rows in rows(false), changes in prop::collection::vec((any::<usize>(), any::<u8>()), 1..6), weighted: bool,
    ) {
        let mut bytes = counted(&[dataset(&rows, true, weighted)]).to_bytes(b"");
        let body = bytes.len() - 4;
        for (place, byte) in changes {
            bytes[8 + place % (body - 8)] = byte;
        }
        let sum = crc32fast::hash(&bytes[..body]).to_le_bytes();
        bytes[body..].copy_from_slice(&sum);
        if let Ok((statistics, _)) = Statistics::from_bytes(&bytes) {
            // What is believed adds up: it can be merged with itself.
            let mut twice = statistics.clone();
            twice.merge(&statistics).unwrap();
            prop_assert_eq!(twice.rows(), 2 * statistics.rows());
        }
    }

    #[test]
    fn weights_of_classes_are_those_of_their_rows(rows in rows(true)) {
        let by_class = [0.5, 2.0, 0.0];
        let weights: Vec<f64> = rows.iter().map(|row| by_class[row.0 as usize]).collect();
        prop_assume!(weights.iter().any(|&weight| weight > 0.0));
        let data = dataset(&rows, true, false);
        let weighed = counted(std::slice::from_ref(&data)).weighed(&by_class).unwrap();
        prop_assert_eq!(weighed, counted(&[data.with_weights(weights).unwrap()]));
    }
}

#[test]
fn more_rows_than_32_bits_count_stay_whole_numbers() {
    let rows: Vec<Row> = (0..64).map(|i| (i % 3, i % 2, i % 4, i % 2, 1.0)).collect();
    let mut sum = counted(&[dataset(&rows, true, false)]);
    for _ in 0..30 {
        let same = sum.clone();
        sum.merge(&same).unwrap();
    }
    assert_eq!((sum.rows(), sum.is_weighted()), (64 << 30, false));
    assert_eq!(sum.class().to_f64()[0], 22.0 * f64::from(1 << 30));
    assert_eq!(Statistics::from_bytes(&sum.to_bytes(b"")).unwrap().0, sum);
}

#[test]
fn other_domains_are_refused_by_name() {
    let mut statistics = Statistics::new(vec![2, 3], Some(2), true).unwrap();
    for (other, said) in [
        (Statistics::new(vec![2], Some(2), true), "1 columns instead of 2"),
        (Statistics::new(vec![2, 4], Some(2), true), "column 1 has 4 values instead of 3"),
        (Statistics::new(vec![2, 3], None, true), "no class instead of 2 classes"),
        (Statistics::new(vec![2, 3], Some(2), false), "one of the statistics holds pairs"),
    ] {
        let error = statistics.merge(&other.unwrap()).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
    assert!(matches!(Statistics::new(vec![], None, true), Err(Error::Empty { .. })));
    assert!(matches!(Statistics::new(vec![2, 0], None, true), Err(Error::ArityOutOfRange { .. })));
    assert!(matches!(Statistics::new(vec![1 << 20; 1000], None, true), Err(Error::TooLarge { .. })));
}

#[test]
fn domains_that_do_not_grow_are_refused() {
    let statistics = counted(&[dataset(&[(0, 0, 0, 0, 1.0), (1, 2, 3, 1, 1.0)], true, false)]);
    let whole = |arity: usize| (0..arity).collect::<Vec<usize>>();
    let refused = |arities: &[usize], classes: Option<usize>, values: &[Vec<usize>], of_class: &[usize]| {
        let moves = Moves { values, classes: of_class };
        let found = statistics.grown(arities.to_vec(), classes, &moves);
        assert!(
            matches!(found, Err(Error::InvalidStatistics { .. })),
            "{arities:?} {classes:?} {values:?} {of_class:?}"
        );
    };
    let (all, class) = ([whole(3), whole(4), whole(2)], whole(3));
    let moves = Moves { values: &all, classes: &class };
    assert_eq!(statistics.grown(vec![3, 4, 2], Some(3), &moves).unwrap(), statistics);
    refused(&[3, 4], Some(3), &all, &class); // a domain too few
    refused(&[3, 4, 2, 2], Some(3), &all, &class); // one too many
    refused(&[3, 4, 2], Some(3), &all[..2], &class); // a column without places
    refused(&[3, 4, 2], None, &all, &class); // the class is gone
    refused(&[3, 4, 1], Some(3), &all, &class); // a value without room
    refused(&[3, 4, 2], Some(2), &all, &class); // a class without room
    refused(&[3, 4, 2], Some(3), &[whole(3), whole(4), vec![0, 0]], &class); // two values in one place
    refused(&[3, 4, 2], Some(3), &all, &[0, 1, 1]); // two classes in one place
    refused(&[3, 4, 2], Some(3), &[whole(3), whole(3), whole(2)], &class); // a value without a place
}

#[test]
fn tables_that_hold_a_row_too_many_are_refused() {
    let rows: Vec<Row> = (0..24).map(|i| (i % 3, i % 2, i % 4, i % 2, 0.25)).collect();
    for weighted in [false, true] {
        let mut bytes = counted(&[dataset(&rows, true, weighted)]).to_bytes(b"");
        let body = bytes.len() - 4;
        // The last cell is one of the last pair: the class and the columns alone still add up.
        if weighted {
            let cell = f64::from_le_bytes(bytes[body - 8..body].try_into().unwrap());
            bytes[body - 8..body].copy_from_slice(&(cell + 0.25).to_le_bytes());
        } else {
            let cell = u32::from_le_bytes(bytes[body - 4..body].try_into().unwrap());
            bytes[body - 4..body].copy_from_slice(&(cell + 1).to_le_bytes());
        }
        let sum = crc32fast::hash(&bytes[..body]).to_le_bytes();
        bytes[body..].copy_from_slice(&sum);
        let said = Statistics::from_bytes(&bytes).unwrap_err().to_string();
        assert!(said.contains("do not add up to their rows"), "{said}");
    }
}

#[test]
fn bytes_of_a_later_release_are_called_so() {
    let good = counted(&[dataset(&[(0, 0, 0, 0, 1.0)], true, false)]).to_bytes(b"");
    for (version, expected) in [(2, "later release: they have version 2"), (0, "no version 0")] {
        let mut bytes = good.clone();
        bytes[8..12].copy_from_slice(&u32::to_le_bytes(version));
        let said = Statistics::from_bytes(&bytes).unwrap_err().to_string();
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn parts_weigh_together_what_rows_may() {
    let half = counted(&[dataset(&[(0, 0, 0, 0, Dataset::HEAVIEST / 2.0)], true, true)]);
    let mut sum = half.clone();
    sum.merge(&half).unwrap();
    assert_eq!(sum.total(), Dataset::HEAVIEST);
    let said = sum.merge(&half).unwrap_err().to_string();
    assert!(said.starts_with("the sum of weights = 1.5e300 is not allowed"), "{said}");
    assert_eq!(sum.total(), Dataset::HEAVIEST);
}

#[test]
fn a_column_that_is_not_there_is_refused() {
    let data = dataset(&[(0, 0, 0, 0, 1.0)], true, false);
    let source = Counter::new(&data);
    for (column, parents) in [(3, vec![]), (0, vec![3]), (3, vec![0])] {
        let said = source.family(Variable::Attribute(column), &parents, true).unwrap_err();
        assert!(matches!(said, Error::ColumnOutOfRange { column: 3, columns: 3 }), "{said}");
    }
}

/// 2⁵³ rows, the most that are counted exactly, by doubling; one more is refused, and nothing is added.
#[test]
fn as_many_rows_as_a_float_counts() {
    let one = counted(&[dataset(&[(0, 1, 2, 1, 1.0)], true, false)]);
    let mut all = one.clone();
    for _ in 0..53 {
        let half = all.clone();
        all.merge(&half).unwrap();
    }
    assert_eq!(all.rows(), Statistics::MAX_ROWS);
    let before = all.clone();
    assert!(matches!(all.merge(&one), Err(Error::TooManyRows { .. })));
    assert_eq!(all, before);
}
