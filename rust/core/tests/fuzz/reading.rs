//! What comes in: bytes of statistics, codes, values of columns, numbers to be cut.

use std::collections::BTreeSet;

use tanager_core::Control;
use tanager_core::counts::{Moves, Statistics};
use tanager_core::data::{
    Codes, Column, Cuttable, Dataset, Domain, KeyCodes, Reading, Rule, Sketch, Source, Target, UNKNOWN, bins,
    cut_points, encode, factorize, join, mdl_cut_points, read, stratified_folds,
};
use tanager_core::model::{self, Plan};
use tanager_core::options::Options;
use tanager_core::parameters::Laplace;
use tanager_core::score::LogLikelihood;

use crate::learning::check_distributions;
use crate::tape::{Tape, table, told};

/// Bytes of statistics, changed, with a checksum that fits again.
pub fn statistics(tape: &mut Tape<'_>) {
    if tape.seldom(10) {
        told(Statistics::from_bytes(tape.rest()));
        return;
    }
    let data = table(tape);
    let pairs = !tape.seldom(3);
    let Some(mut counted) = told(Statistics::new(data.arities(), data.n_classes(), pairs)) else { return };
    counted.update(&data, &Control::new()).unwrap();
    let mut bytes = counted.to_bytes(b"note");
    assert_eq!(Statistics::from_bytes(&bytes).unwrap(), (counted.clone(), b"note".to_vec()));
    bytes.truncate(bytes.len() - 4);
    for _ in 0..tape.below(4) {
        let place = if tape.seldom(2) { tape.below(60) } else { tape.below(1 << 16) };
        let place = place % bytes.len();
        bytes[place] = *tape.one(&[0, 1, 255, 2, 128, 127, 240]);
    }
    if tape.seldom(8) {
        bytes.truncate(tape.below(1 << 16) % bytes.len());
    }
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    let Some((mut found, _)) = told(Statistics::from_bytes(&bytes)) else { return };
    let again = found.to_bytes(b"");
    assert_eq!(Statistics::from_bytes(&again).unwrap().0, found);
    let learner = *tape.one(&["nb", "tan", "kdb"]);
    let plan = Plan {
        learner,
        settings: &Options::default(),
        score: &LogLikelihood,
        estimator: &Laplace::new(1.0),
        folds: None,
    };
    if let Some(fitted) = told(model::fit(&found, &plan, &Control::new())) {
        check_distributions(&fitted.network);
    }
    let by_class = tape.list(data.n_classes().unwrap_or(1), Tape::number);
    told(found.weighed(&by_class));
    let values = data.arities().iter().map(|&arity| (0..arity).collect()).collect::<Vec<_>>();
    let classes = tape.list(data.n_classes().unwrap_or(1), |tape| tape.below(4));
    let grown = data.arities().iter().map(|arity| arity + 1).collect();
    told(found.grown(grown, data.n_classes().map(|s| s + 1), &Moves { values: &values, classes: &classes }));
    told(found.merge(&counted));
}

/// Codes that need not fit their domain, and what is made of data sets.
pub fn columns(tape: &mut Tape<'_>) {
    let mut made = Vec::new();
    for _ in 0..1 + tape.below(3) {
        let arity = *tape.one(&[2, 1, 0, 3, 255, 256, 257, 65_535, 65_536, usize::MAX]);
        let rows = 2 + usize::from(tape.seldom(6));
        let codes = match tape.below(4) {
            0 => Codes::U8(tape.list(rows, Tape::byte)),
            1 => Codes::U16(tape.list(rows, |tape| u16::from(tape.byte()) << tape.below(9))),
            2 => Codes::U32(tape.list(rows, |tape| u32::from(tape.byte()) << tape.below(25))),
            _ => {
                let codes = tape.list(rows, |tape| (i64::from(tape.byte()) - 2) << tape.below(56));
                made.extend(told(Column::from_integers("x", codes.into_iter(), arity, Some(-1))));
                continue;
            }
        };
        made.extend(told(Column::new("x", codes, arity)));
    }
    for column in &made {
        for row in 0..column.len() {
            assert!(column.get(row).is_none_or(|code| code < column.arity()));
        }
        told(stratified_folds(column, tape.below(5), u64::from(tape.byte())));
    }
    let rows = made.first().map_or(0, Column::len);
    if made.iter().all(|column| column.len() == rows) {
        told(join(&made.iter().collect::<Vec<_>>(), rows));
    }
    let class = if tape.seldom(2) { made.pop() } else { None };
    let Some(data) = told(Dataset::new(made, class)) else { return };
    let weights = tape.list(data.rows(), Tape::odd);
    if let Some(weighted) = told(data.clone().with_weights(weights)) {
        assert!(weighted.total().is_finite() && weighted.total() > 0.0);
    }
    let chosen = tape.list(3, |tape| tape.below(data.rows()) as u32);
    told(data.select(&chosen));
    told(data.with_names(tape.list(2, |_| String::new())));
}

/// Keys in memory, some of them masked.
struct Keys {
    domain: Domain,
    keys: Vec<u64>,
    mask: Vec<bool>,
    missing: Option<u64>,
}

impl Source for Keys {
    fn rows(&self) -> usize {
        self.keys.len()
    }
    fn domain(&self) -> Domain {
        self.domain
    }
    fn read(&self, start: usize, keys: &mut [u64]) {
        keys.copy_from_slice(&self.keys[start..start + keys.len()]);
    }
    fn missing_key(&self) -> Option<u64> {
        self.missing
    }
    fn read_mask(&self, start: usize, mask: &mut [bool]) -> bool {
        mask.copy_from_slice(&self.mask[start..start + mask.len()]);
        true
    }
    fn place(&self) -> (usize, isize) {
        (self.keys.as_ptr() as usize, 8)
    }
}

/// Values of columns: distinct ones and their places are what a set says, and looked up they give the same codes.
pub fn levels(tape: &mut Tape<'_>) {
    let rows = tape.below(3000);
    let sources = tape.list(2, |tape| {
        let domain = *tape.one(&[Domain::Signed, Domain::Unsigned, Domain::Real]);
        let (spread, step) = (1 + tape.below(400) as u64, 1 + tape.below(300) as u64);
        let (first, masked) = (u64::from(tape.byte()) << (8 * tape.below(8)), tape.seldom(3));
        let real = |place: u64| tanager_core::data::real_key((place as f64 - 3.0) * step as f64);
        let mut state = u64::from(tape.byte()) + 1;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % spread
        };
        let keys: Vec<u64> = (0..rows)
            .map(|_| if domain == Domain::Real { real(next()) } else { first.wrapping_add(next() * step) })
            .collect();
        let mask = keys.iter().map(|key| masked && key.count_ones() % 5 == 0).collect();
        let missing = if tape.seldom(2) { keys.first().copied() } else { None };
        Keys { domain, keys, mask, missing }
    });
    let limits = tape.list(2, |tape| *tape.one(&[1000, 255, 256, 3, 0, 70_000]));
    let readings = read(&[&sources[0], &sources[1]], &limits);
    for ((source, &limit), reading) in sources.iter().zip(&limits).zip(readings) {
        let is_known = |row: usize| !source.mask[row] && source.missing != Some(source.keys[row]);
        let distinct: BTreeSet<u64> =
            (0..rows).filter(|&row| is_known(row)).map(|row| source.keys[row]).collect();
        let Reading::Levels(levels) = reading else {
            assert!(distinct.len() > limit.min(255), "{} of at most {limit}", distinct.len());
            continue;
        };
        assert_eq!(levels.keys.iter().copied().collect::<BTreeSet<_>>(), distinct);
        assert_eq!(levels.keys.len(), distinct.len());
        let y: Vec<u32> = (0..rows as u32).map(|row| row / 7 % 2).collect();
        let cuttable = [Cuttable::Levels(&levels), Cuttable::Source(source)];
        if let Some(cuts) = told(cut_points(&cuttable, &y, 2, None)) {
            assert_eq!(cuts[0], cuts[1]);
        }
        let (keys, arity) = (levels.keys.clone(), levels.keys.len().max(1));
        let places: Vec<u32> = (0..keys.len() as u32).collect();
        let Some(column) = told(levels.into_column("x", &places, UNKNOWN, arity)) else { continue };
        let codes = KeyCodes::new(keys.iter().copied().zip(0..));
        let target = Target { name: "x", rule: Rule::Keys(&codes), arity, missing: UNKNOWN };
        let looked_up = told(encode(&[source], &[target])).unwrap().remove(0);
        for row in 0..rows {
            let place = if is_known(row) { Some(source.keys[row]) } else { None };
            let place = place.map(|key| keys.iter().position(|&one| one == key).unwrap());
            assert_eq!(column.get(row), place);
            assert_eq!(looked_up.column.get(row), place);
        }
    }
}

/// Numbers to be cut, sampled and put between cuts, and texts.
pub fn numbers(tape: &mut Tape<'_>) {
    let rows = tape.below(80);
    let x = tape.list(rows, Tape::number);
    let classes = *tape.one(&[2, 3, 1, 0]);
    let y = tape.list(rows, |tape| tape.below(3) as u32);
    let weights = if tape.seldom(3) { Some(tape.list(rows, Tape::number)) } else { None };
    if let Some(cuts) = told(mdl_cut_points(&x, &y, classes, weights.as_deref())) {
        assert!(cuts.iter().all(|cut| !cut.is_nan()) && cuts.is_sorted_by(|a, b| a < b));
        let codes: Vec<u16> = bins(&x, &cuts, u16::MAX);
        for (&x, &code) in x.iter().zip(&codes) {
            let below = cuts.iter().filter(|&&cut| cut < x).count();
            assert!(if x.is_nan() { code == u16::MAX } else { usize::from(code) == below });
        }
    }
    let mut sketch = Sketch::new(tape.below(20));
    told(sketch.update(&x, Some(&y), weights.as_deref()));
    let (values, counts) = sketch.values(3);
    assert_eq!(counts.len(), 3 * values.len());
    if let Some(mut again) = told(Sketch::from_values(tape.below(40), &values, &counts, 3, sketch.is_exact()))
    {
        told(again.merge(&sketch, &tape.list(3, |tape| tape.below(4))));
    }
    let texts = tape.list(rows, |tape| if tape.seldom(4) { None } else { Some(vec![b'x'; tape.below(20)]) });
    let (codes, first) = factorize(texts.iter().map(|text| text.as_deref()));
    for (text, &code) in texts.iter().zip(&codes) {
        let level = usize::try_from(code).ok().map(|code| &texts[first[code] as usize]);
        assert_eq!(text.as_ref(), level.and_then(Option::as_ref));
    }
}
