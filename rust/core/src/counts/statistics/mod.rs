//! What learners need of rows that are elsewhere: counts that add up.

mod bytes;
mod passes;
mod source;
mod tables;
#[cfg(test)]
mod tests;

use tables::{Layout, Tables, count};

use crate::control::Control;
use crate::data::{Column, Dataset, check_weights};
use crate::error::{Error, Result, check_length};

pub use passes::{Family, Passes, Streamed, count_families};
pub use tables::Moves;

/// The tables of the class, of every attribute and of every pair of attributes, given the class where there is one.
///
/// # Formula
/// ```text
/// N_c,   N_ca for every attribute i,   N_cab for every pair i < j          c the class, a and b values of i and j
/// ```
/// each summed over batches of rows: `update` adds one, `merge` what somebody else has counted. Without weights cells are
/// whole numbers and sums are exact, so that the same rows give the same bits in any division and any order: numbers of 32
/// bits up to [`Dataset::MAX_ROWS`] rows, beyond them `f64`, which holds whole numbers up to 2⁵³. Weights are added as they
/// come: whole ones exactly, others to rounding. Rows with missing values are in the tables whose attributes they have.
///
/// # Complexity
/// O(s·(Σr)²) memory, twice that while a batch is added; a batch costs what counting all its pairs costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics {
    layout: Layout,
    rows: u64,
    /// The sum of the weights; that of rows without one is their number.
    weight: f64,
    weighted: bool,
    has_missing: bool,
    tables: Kind,
}

/// Tables of either kind: `Real` where there are weights, or more rows than 32 bits count.
#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Whole(Tables<u32>),
    Real(Tables<f64>),
}

impl Statistics {
    /// `f64` holds whole numbers up to this one.
    pub const MAX_ROWS: u64 = 1 << 53;

    /// No rows yet. Without `pairs` there are only the tables of single attributes: all that naive Bayes needs.
    pub fn new(arities: Vec<usize>, classes: Option<usize>, pairs: bool) -> Result<Self> {
        if arities.is_empty() {
            return Err(Error::Empty { what: "the number of columns" });
        }
        let sizes = arities.iter().copied().chain(classes);
        if let Some(arity) = sizes.clone().find(|arity| !(1..=Column::MAX_ARITY).contains(arity)) {
            let column = sizes.into_iter().position(|one| one == arity).unwrap_or(0).to_string();
            return Err(Error::ArityOutOfRange { column, arity, limit: Column::MAX_ARITY });
        }
        let layout = Layout::new(arities, classes, pairs)?;
        let tables = Kind::Whole(Tables::new(&layout)?);
        Ok(Self { layout, rows: 0, weight: 0.0, weighted: false, has_missing: false, tables })
    }

    /// Adds rows; on an error, or where it is cancelled, nothing is added.
    pub fn update(&mut self, data: &Dataset, control: &Control) -> Result<()> {
        self.check_shape(&data.arities(), data.n_classes())?;
        let layout = &self.layout;
        let tables = match data.weights() {
            None => Kind::Whole(count(layout, data, control)?),
            Some(_) => Kind::Real(count(layout, data, control)?),
        };
        self.add(&Self {
            layout: layout.clone(),
            rows: data.rows() as u64,
            weight: data.total(),
            weighted: data.weights().is_some(),
            has_missing: data.columns().iter().any(Column::has_missing),
            tables,
        })
    }

    /// Adds what was counted elsewhere, over the same domains.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        self.check_shape(&other.layout.arities, other.layout.classes)?;
        if self.layout.pairs != other.layout.pairs {
            let reason = "one of the statistics holds pairs of columns, the other does not".into();
            return Err(Error::InvalidStatistics { reason });
        }
        self.add(other)
    }

    fn add(&mut self, other: &Self) -> Result<()> {
        let rows = self.rows.saturating_add(other.rows);
        if rows > Self::MAX_ROWS {
            return Err(Error::TooManyRows { rows: rows as usize, limit: Self::MAX_ROWS as usize });
        }
        let weight = self.weight + other.weight;
        Dataset::check_total(weight)?;
        let real = self.weighted || other.weighted || rows > Dataset::MAX_ROWS as u64;
        if real && let Kind::Whole(tables) = &self.tables {
            self.tables = Kind::Real(tables.convert(f64::from));
        }
        match (&mut self.tables, &other.tables) {
            (Kind::Whole(own), Kind::Whole(tables)) => own.add(tables),
            (Kind::Real(own), Kind::Whole(tables)) => own.add(tables),
            (Kind::Real(own), Kind::Real(tables)) => own.add(tables),
            // Whole tables that stay so have less than 2³² rows, of which none has a weight; so has every summand.
            (Kind::Whole(_), Kind::Real(_)) => {
                let reason = "weights were added to rows without weights".into();
                return Err(Error::InvalidStatistics { reason });
            }
        }
        self.rows = rows;
        self.weight = weight;
        self.weighted |= other.weighted;
        self.has_missing |= other.has_missing;
        Ok(())
    }

    /// The same counts over larger domains: levels and classes that came later.
    pub fn grown(&self, arities: Vec<usize>, classes: Option<usize>, moves: &Moves<'_>) -> Result<Self> {
        let old = &self.layout;
        let fits = |sizes: &[usize], old: usize, new: usize| {
            let mut seen = vec![false; new];
            sizes.len() == old && sizes.iter().all(|&to| to < new && !std::mem::replace(&mut seen[to], true))
        };
        let mut columns = moves.values.iter().zip(&old.arities).zip(&arities);
        if arities.len() != old.arities.len()
            || moves.values.len() != arities.len()
            || classes.is_some() != old.classes.is_some()
            || !columns.all(|((to, &from), &into)| fits(to, from, into))
            || !fits(moves.classes, old.s(), classes.unwrap_or(1))
        {
            let reason = "a domain grows by giving each of its values a place of its own".into();
            return Err(Error::InvalidStatistics { reason });
        }
        let layout = Layout::new(arities, classes, old.pairs)?;
        let tables = match &self.tables {
            Kind::Whole(tables) => Kind::Whole(tables.moved(old, &layout, moves)?),
            Kind::Real(tables) => Kind::Real(tables.moved(old, &layout, moves)?),
        };
        Ok(Self { layout, tables, ..*self })
    }

    /// The same rows with further columns, of one value each: these columns become `places`, which ascend, among `columns`.
    pub fn beside_constants(&self, columns: usize, places: &[usize]) -> Result<Self> {
        let old = &self.layout;
        let ascend = places.windows(2).all(|pair| pair[0] < pair[1]);
        if places.len() != old.arities.len() || !ascend || places.last().is_none_or(|&last| last >= columns) {
            let reason =
                "columns are put between others in their own order, each in a place of its own".into();
            return Err(Error::InvalidStatistics { reason });
        }
        let mut arities = vec![1; columns];
        places.iter().zip(&old.arities).for_each(|(&place, &arity)| arities[place] = arity);
        let layout = Layout::new(arities, old.classes, old.pairs)?;
        let tables = match &self.tables {
            Kind::Whole(tables) => Kind::Whole(tables.spread(old, &layout, places)?),
            Kind::Real(tables) => Kind::Real(tables.spread(old, &layout, places)?),
        };
        Ok(Self { layout, tables, ..*self })
    }

    /// The same rows, each with the weight of its class.
    pub fn weighed(&self, by_class: &[f64]) -> Result<Self> {
        let s = self.layout.s();
        check_length("the weights of the classes", by_class.len(), s)?;
        check_weights("a class's weight", by_class)?;
        let mut tables = match &self.tables {
            Kind::Whole(tables) => tables.convert(f64::from),
            Kind::Real(tables) => tables.clone(),
        };
        let scale = |cells: &mut [f64]| {
            let segment = cells.len() / s;
            for (cells, weight) in cells.chunks_exact_mut(segment.max(1)).zip(by_class) {
                cells.iter_mut().for_each(|cell| *cell *= weight);
            }
        };
        scale(&mut tables.class);
        for i in 0..self.layout.arities.len() {
            scale(&mut tables.singles[self.layout.single(i)]);
            if self.layout.pairs {
                for j in i + 1..self.layout.arities.len() {
                    scale(&mut tables.pairs[self.layout.pair(i, j)]);
                }
            }
        }
        let weight = tables.class.iter().sum();
        Ok(Self { layout: self.layout.clone(), tables: Kind::Real(tables), weighted: true, weight, ..*self })
    }

    /// The number of rows, whatever they weigh.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Whether the tables of all pairs are there.
    pub fn has_pairs(&self) -> bool {
        self.layout.pairs
    }

    /// Whether any row had a weight.
    pub fn is_weighted(&self) -> bool {
        self.weighted
    }

    /// How much memory the tables take, in bytes.
    pub fn size(&self) -> usize {
        let cells: usize = self.layout.lengths().iter().sum();
        cells * if matches!(self.tables, Kind::Whole(_)) { size_of::<u32>() } else { size_of::<f64>() }
    }

    fn check_shape(&self, arities: &[usize], classes: Option<usize>) -> Result<()> {
        let own = &self.layout;
        let reason = if arities.len() != own.arities.len() {
            format!("{} columns instead of {}", arities.len(), own.arities.len())
        } else if let Some(column) = (0..arities.len()).find(|&i| arities[i] != own.arities[i]) {
            format!("column {column} has {} values instead of {}", arities[column], own.arities[column])
        } else if classes != own.classes {
            let told = |classes: Option<usize>| classes.map_or("no class".into(), |s| format!("{s} classes"));
            format!("{} instead of {}", told(classes), told(own.classes))
        } else {
            return Ok(());
        };
        Err(Error::InvalidStatistics { reason })
    }
}
