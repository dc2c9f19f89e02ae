//! A score made ready for many families of one data set.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::counts::{Cell, Cells, CountSource, FamilyCounts, FamilyShape, PairTable};
use crate::data::Variable;
use crate::error::{Error, Result};
use crate::score::additive::sum_of_terms;
use crate::score::{FamilyScore, PairCells, Term, TermTable};

/// A score with N and tables of its terms.
pub struct Scorer<'a> {
    score: &'a dyn FamilyScore,
    total: f64,
    incomplete: bool,
    table_length: usize,
    tables: Arc<Mutex<TermTables>>,
}

/// Tables by kind of term and the bits of its setting.
type TermTables = HashMap<(u8, u64), Arc<TermTable>>;

impl<'a> Scorer<'a> {
    /// Tables stay within the first-level and second-level caches.
    const LONGEST_TABLE: usize = 1 << 16;

    /// For complete data of `total` rows; `evaluations` is about how many cells will be scored: tables that would cost
    /// more to fill than they save stay short.
    pub fn new(score: &'a dyn FamilyScore, total: f64, evaluations: u128) -> Self {
        let rows = total.min(Self::LONGEST_TABLE as f64) as usize + 1;
        let table_length = rows.min(usize::try_from(evaluations / 2).unwrap_or(usize::MAX));
        Self { score, total, incomplete: false, table_length, tables: Arc::default() }
    }

    /// For the tables of a source, whose families miss rows, each its own, where values are missing.
    ///
    /// # Formula
    /// ```text
    /// φ̃_i(Π) = φ_i(Π) − φ_i({C}),   both on the rows where X_i and all of Π are known, counts scaled to N
    /// ```
    /// Scores of one child can then be compared whatever their parents miss: a set of parents gains nothing
    /// by leaving difficult rows out, and one that is never known together gains nothing.
    pub fn for_source(score: &'a dyn FamilyScore, source: &dyn CountSource, evaluations: u128) -> Self {
        Self { incomplete: source.has_missing(), ..Self::new(score, source.total(), evaluations) }
    }

    /// The same with the tables of another scorer, whatever its N: a term is a function of the count alone.
    pub fn sharing_tables_with(self, other: &Self) -> Self {
        Self { tables: other.tables.clone(), ..self }
    }

    /// Whether families are scored against the class alone on their own rows.
    pub fn is_incomplete(&self) -> bool {
        self.incomplete
    }

    /// The score.
    pub fn score(&self) -> &'a dyn FamilyScore {
        self.score
    }

    /// N.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// The score of families of one shape, ready to be evaluated; `None` where it has no additive form.
    pub fn prepare(&self, shape: &FamilyShape) -> Result<Option<PreparedFamily>> {
        let Some(additive) = self.score.additive(shape, self.total)? else { return Ok(None) };
        Ok(Some(PreparedFamily {
            child: shape.child,
            cell: self.table(additive.cell),
            row: self.table(additive.row),
            margin: self.table(additive.margin),
            constant: additive.constant,
        }))
    }

    /// φ of a family; NaN is an error that names the child.
    pub fn family(&self, child: Variable, family: &FamilyCounts) -> Result<f64> {
        let score = match child {
            Variable::Attribute(_) if self.incomplete => {
                let scaled = family.scaled_to(self.total);
                let alone = scaled.sum_over_parents();
                self.score.score(&scaled, self.total)? - self.score.score(&alone, self.total)?
            }
            Variable::Attribute(_) => self.score.score(family, self.total)?,
            Variable::Class => self.score.score_class(family, self.total)?,
        };
        number(child, score)
    }

    /// φ of a family without attribute parents, on the rows that it has, counts scaled to N.
    pub fn alone(&self, child: Variable, family: &FamilyCounts) -> Result<f64> {
        number(child, self.score.score(&family.scaled_to(self.total), self.total)?)
    }

    fn table(&self, term: Term) -> Arc<TermTable> {
        let key = match term {
            Term::Zero => (0, 0),
            Term::XLnX { scale } => (1, scale.to_bits()),
            Term::LnGamma { offset } => (2, offset.to_bits()),
        };
        // A thread that panicked has at worst left a table out.
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        tables.entry(key).or_insert_with(|| Arc::new(TermTable::new(term, self.table_length))).clone()
    }
}

fn number(child: Variable, score: f64) -> Result<f64> {
    if score.is_nan() { Err(Error::ScoreNotANumber { child: child.to_string() }) } else { Ok(score) }
}

/// An additive score with the tables of its terms, for families of one shape.
#[derive(Debug, Clone)]
pub struct PreparedFamily {
    /// r.
    pub child: usize,
    /// The term of a cell.
    pub cell: Arc<TermTable>,
    /// The term of a configuration.
    pub row: Arc<TermTable>,
    /// The term of the child's margin.
    pub margin: Arc<TermTable>,
    /// What depends on the shape alone.
    pub constant: f64,
}

impl PreparedFamily {
    /// φ of a table of counts, the child fastest.
    pub fn counts(&self, cells: &[u32]) -> f64 {
        let with_margin = self.margin.term() != Term::Zero;
        // Sums of counts below 2³² are whole numbers in `f64` too.
        sum_of_terms(
            cells,
            self.child,
            self.constant,
            with_margin,
            |cell| self.cell.count(cell),
            |row| self.row.count(row as u32),
            |margin| self.margin.count(margin as u32),
        )
    }

    /// φ of a table of weights, the child fastest.
    pub fn weights(&self, cells: &[f64]) -> f64 {
        let with_margin = self.margin.term() != Term::Zero;
        sum_of_terms(
            cells,
            self.child,
            self.constant,
            with_margin,
            |cell| self.cell.term().at(cell),
            |row| self.row.term().at(row),
            |margin| self.margin.term().at(margin),
        )
    }

    /// φ of a family.
    pub fn family(&self, family: &FamilyCounts) -> f64 {
        match &family.cells {
            Cells::Integer(cells) => self.counts(cells),
            Cells::Weighted(cells) => self.weights(cells),
        }
    }
}

/// A kind of cell that a prepared family can score.
pub trait Scorable: Cell {
    /// φ of a table of these.
    fn score(prepared: &PreparedFamily, cells: &[Self]) -> f64;
    /// A pair's table of these.
    fn pair(table: PairTable<'_, Self>) -> PairCells<'_>;
}

impl Scorable for u32 {
    fn score(prepared: &PreparedFamily, cells: &[Self]) -> f64 {
        prepared.counts(cells)
    }

    fn pair(table: PairTable<'_, Self>) -> PairCells<'_> {
        PairCells::Integer(table)
    }
}

impl Scorable for f64 {
    fn score(prepared: &PreparedFamily, cells: &[Self]) -> f64 {
        prepared.weights(cells)
    }

    fn pair(table: PairTable<'_, Self>) -> PairCells<'_> {
        PairCells::Weighted(table)
    }
}
