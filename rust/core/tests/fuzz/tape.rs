//! Bytes read as choices, so that whatever bytes there are make a case, and shorter or smaller ones a simpler one.

use tanager_core::data::{Column, Dataset};
use tanager_core::options::{Declared, Domain};
use tanager_core::{Options, Result, Setting};

/// Bytes from which choices are read one after another; behind the end there are zeros.
pub struct Tape<'a>(&'a [u8]);

/// Numbers that formulas are seldom written for.
const ODD: [f64; 16] = [
    0.0,
    1.0,
    0.5,
    2.0,
    -1.0,
    -0.0,
    1e-300,
    5e-324,
    1e300,
    f64::MAX,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    0.1,
    1e9,
    -1e308,
];

impl<'a> Tape<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// One of 0 to `n − 1`.
    pub fn below(&mut self, n: usize) -> usize {
        let large = if n > 256 { usize::from(self.byte()) << 8 } else { 0 };
        (large + usize::from(self.byte())) % n
    }

    /// True once in `n` times, and never where there are no bytes any more.
    pub fn seldom(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    pub fn one<'b, T>(&mut self, of: &'b [T]) -> &'b T {
        &of[self.below(of.len())]
    }

    pub fn odd(&mut self) -> f64 {
        *self.one(&ODD)
    }

    /// A plain number, sometimes an odd one.
    pub fn number(&mut self) -> f64 {
        if self.seldom(8) { self.odd() } else { f64::from(self.byte()) / 16.0 - 4.0 }
    }

    pub fn list<T>(&mut self, length: usize, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..length).map(|_| one(self)).collect()
    }

    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }
}

/// What came out, or nothing where it was refused; an error is a sentence.
pub fn told<T>(result: Result<T>) -> Option<T> {
    match result {
        Ok(found) => Some(found),
        Err(error) => {
            assert!(!error.to_string().trim().is_empty(), "an error without a sentence: {error:?}");
            None
        }
    }
}

/// A column of codes, some of them missing.
fn column(tape: &mut Tape<'_>, rows: usize, arity: usize, missing: bool) -> Column {
    let code = |tape: &mut Tape<'_>| if missing && tape.seldom(5) { -1 } else { tape.below(arity) as i64 };
    let codes = tape.list(rows, code);
    Column::from_integers("x", codes.into_iter(), arity, Some(-1)).unwrap()
}

/// Rows over given domains.
pub fn rows_of(tape: &mut Tape<'_>, arities: &[usize], classes: Option<usize>) -> Dataset {
    let rows = 1 + tape.below(40);
    let missing = tape.seldom(3);
    let columns = arities.iter().map(|&arity| column(tape, rows, arity, missing)).collect();
    let class = classes.map(|classes| column(tape, rows, classes, false));
    Dataset::new(columns, class).unwrap()
}

/// A small table of any kind; weights that are refused leave it without any.
pub fn table(tape: &mut Tape<'_>) -> Dataset {
    let n = 1 + tape.below(6);
    let arities = tape.list(n, |tape| if tape.seldom(40) { 300 } else { *tape.one(&[2, 3, 1, 2, 5, 4]) });
    let classes = *tape.one(&[Some(2), Some(3), Some(2), Some(1), None]);
    let weighted = tape.seldom(4);
    let data = rows_of(tape, &arities, classes);
    if !weighted {
        return data;
    }
    let extreme = tape.seldom(4);
    let weight = |tape: &mut Tape<'_>| if extreme { tape.odd() } else { f64::from(tape.byte() % 5) / 2.0 };
    let weights = tape.list(data.rows(), weight);
    told(data.clone().with_weights(weights)).unwrap_or(data)
}

/// Settings as they are declared, now and then others. Sizes stay small: they are to be tried, not to be waited for.
pub fn settings(tape: &mut Tape<'_>, declared: &[Declared], columns: usize) -> Options {
    let mut options = Options::default();
    for one in declared {
        if tape.below(3) > 0 {
            continue;
        }
        let setting = if tape.seldom(6) {
            Setting::Number(*tape.one(&[-1.0, 0.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0]))
        } else {
            match one.domain {
                Domain::Number(_) | Domain::Positive(_) | Domain::PositiveOrNone => {
                    Setting::Number(tape.number())
                }
                Domain::Whole(_) | Domain::WholeOrNone => Setting::Number(tape.below(4) as f64),
                Domain::Flag | Domain::Yes => Setting::Number(tape.below(2) as f64),
                Domain::Word(words) | Domain::WordOrNone(words) => {
                    Setting::Text(if tape.seldom(6) { "none of them" } else { tape.one(words) }.to_string())
                }
                Domain::Column(words) if !words.is_empty() && tape.seldom(2) => {
                    Setting::Text(tape.one(words).to_string())
                }
                Domain::Column(_) => Setting::Number(tape.below(columns + 1) as f64),
                Domain::Lists(words) if !words.is_empty() && tape.seldom(2) => {
                    Setting::Text(tape.one(words).to_string())
                }
                Domain::Lists(_) => {
                    let length = tape.below(columns + 2);
                    Setting::Lists(tape.list(length, |tape| {
                        let length = tape.below(3);
                        tape.list(length, |tape| tape.below(columns + 1))
                    }))
                }
            }
        };
        options.set(one.name, setting);
    }
    options
}
