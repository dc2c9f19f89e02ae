//! A table of encoded columns with, perhaps, a class and row weights.

use std::fmt;
use std::sync::Arc;

use rayon::prelude::*;

use crate::data::{Code, Column};
use crate::error::{Error, Result, check_length, check_parameter};

/// A variable of a [`Dataset`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Variable {
    /// The attribute at this position.
    Attribute(usize),
    /// The class.
    Class,
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Variable::Attribute(index) => write!(f, "column {index}"),
            Variable::Class => write!(f, "the class"),
        }
    }
}

/// Encoded columns of the same length; immutable. Tables that are counted from two data sets with the same
/// arities may be added: counts are mergeable.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    columns: Arc<[Column]>,
    class: Option<Column>,
    weights: Option<Vec<f64>>,
    names: Option<Arc<[String]>>,
    rows: usize,
}

impl Dataset {
    /// Counters hold 32 bits; one value is kept free.
    pub const MAX_ROWS: usize = u32::MAX as usize - 1;

    /// What all rows may weigh together: N ln N, and sums over cells with pseudo-counts, stay finite.
    pub const HEAVIEST: f64 = 1e300;

    /// Puts columns together. There is at least one row and at least one column; the class has no missing entries.
    pub fn new(columns: Vec<Column>, class: Option<Column>) -> Result<Self> {
        let Some(first) = columns.first() else { return Err(Error::Empty { what: "the number of columns" }) };
        let rows = first.len();
        if rows == 0 {
            return Err(Error::Empty { what: "the number of rows" });
        }
        if rows > Self::MAX_ROWS {
            return Err(Error::TooManyRows { rows, limit: Self::MAX_ROWS });
        }
        for column in &columns {
            check_length("a column", column.len(), rows)?;
        }
        if let Some(class) = &class {
            check_length("the class", class.len(), rows)?;
            if class.has_missing() {
                let row = (0..rows).find(|&row| class.get(row).is_none()).unwrap_or(0);
                return Err(Error::MissingClass { row });
            }
        }
        Ok(Self { columns: columns.into(), class, weights: None, names: None, rows })
    }

    /// Refuses a sum of weights that is larger than [`Dataset::HEAVIEST`].
    pub(crate) fn check_total(total: f64) -> Result<()> {
        let allowed = "together, the rows weigh at most 1e300";
        check_parameter("the sum of weights", total, total <= Self::HEAVIEST, allowed)
    }

    /// The same table with a weight on each row: finite, not negative, and not all of them 0.
    pub fn with_weights(mut self, weights: Vec<f64>) -> Result<Self> {
        check_length("the weights", weights.len(), self.rows)?;
        check_weights("a row's weight", &weights)?;
        let any = weights.iter().any(|&weight| weight > 0.0);
        check_parameter("the sum of weights", 0.0, any, "at least one row has a positive weight")?;
        Self::check_total(weights.iter().sum())?;
        self.weights = Some(weights);
        Ok(self)
    }

    /// The same table with names of its columns, one for each, for whoever reads errors.
    pub fn with_names(mut self, names: Vec<String>) -> Result<Self> {
        check_length("names", names.len(), self.n())?;
        self.names = Some(names.into());
        Ok(self)
    }

    /// Which rows have no missing value.
    pub fn complete_rows(&self) -> Vec<bool> {
        let mut complete = vec![true; self.rows];
        for column in self.columns.iter().filter(|column| column.has_missing()) {
            crate::with_codes!(column.codes(), codes => complete
                .iter_mut()
                .zip(codes)
                .for_each(|(complete, code)| *complete &= code.index() < column.arity()));
        }
        complete
    }

    /// Refuses columns of other domains than a model's.
    pub fn check_domains(&self, arities: &[usize]) -> Result<()> {
        check_length("the list of columns", self.n(), arities.len())?;
        self.columns
            .iter()
            .zip(arities)
            .try_for_each(|(column, &arity)| check_length("the domain of a column", column.arity(), arity))
    }

    /// The same attributes, shared, with this class or none, and without weights.
    pub fn with_class(&self, class: Option<Column>) -> Result<Self> {
        check_length("the class", class.as_ref().map_or(self.rows, Column::len), self.rows)?;
        Ok(Self { class, weights: None, ..self.clone() })
    }

    /// The same attributes and weights, shared, without a class.
    pub fn without_class(&self) -> Self {
        Self { class: None, ..self.clone() }
    }

    /// A variable in words: its name, or its position where columns have no names.
    pub fn label(&self, variable: Variable) -> String {
        match (variable, &self.names) {
            (Variable::Attribute(column), Some(names)) if column < names.len() => {
                format!("column '{}'", names[column])
            }
            _ => variable.to_string(),
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of attributes.
    pub fn n(&self) -> usize {
        self.columns.len()
    }

    /// N: the number of rows, or the sum of their weights.
    pub fn total(&self) -> f64 {
        self.weights.as_ref().map_or(self.rows as f64, |weights| weights.iter().sum())
    }

    /// All attributes.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The attribute at a position.
    pub fn column(&self, index: usize) -> &Column {
        &self.columns[index]
    }

    /// The class, where there is one.
    pub fn class(&self) -> Option<&Column> {
        self.class.as_ref()
    }

    /// The number of classes, where there is a class.
    pub fn n_classes(&self) -> Option<usize> {
        self.class.as_ref().map(Column::arity)
    }

    /// The rows' weights, where there are any.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// The domain sizes of all attributes.
    pub fn arities(&self) -> Vec<usize> {
        self.columns.iter().map(Column::arity).collect()
    }

    /// The column of a variable; an error where there is no such variable.
    pub fn variable(&self, variable: Variable) -> Result<&Column> {
        match variable {
            Variable::Attribute(column) => {
                self.columns.get(column).ok_or(Error::ColumnOutOfRange { column, columns: self.n() })
            }
            Variable::Class => self.class.as_ref().ok_or(Error::NoClass { what: "this family" }),
        }
    }

    /// The table of the given rows, in their order; there is at least one.
    pub fn select(&self, rows: &[u32]) -> Result<Self> {
        let columns = self.columns.par_iter().map(|column| column.select(rows)).collect();
        let selected = Self::new(columns, self.class.as_ref().map(|class| class.select(rows)))?;
        let selected = Self { names: self.names.clone(), ..selected };
        Ok(match &self.weights {
            None => selected,
            // Weights that are all 0 within a part are allowed there: the whole has a positive one.
            Some(weights) => {
                Self { weights: Some(rows.iter().map(|&row| weights[row as usize]).collect()), ..selected }
            }
        })
    }
}

/// Refuses weights that are negative or not finite.
pub(crate) fn check_weights(name: &'static str, weights: &[f64]) -> Result<()> {
    let allowed = "weights are finite and not negative";
    match weights.iter().find(|weight| !(weight.is_finite() && **weight >= 0.0)) {
        Some(&value) => Err(Error::ParameterOutOfRange { name, value, allowed }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(values: &[i64], arity: usize) -> Column {
        Column::from_integers("x", values.iter().copied(), arity, Some(-1)).unwrap()
    }

    #[test]
    fn tables_are_checked() {
        assert!(matches!(Dataset::new(vec![], None), Err(Error::Empty { .. })));
        assert!(matches!(Dataset::new(vec![column(&[], 2)], None), Err(Error::Empty { .. })));
        let ragged = vec![column(&[0, 1], 2), column(&[0], 2)];
        assert!(matches!(Dataset::new(ragged, None), Err(Error::LengthMismatch { .. })));
        let unlabelled = Dataset::new(vec![column(&[0, 1], 2)], Some(column(&[0, -1], 2)));
        assert_eq!(unlabelled, Err(Error::MissingClass { row: 1 }));
    }

    #[test]
    fn weights_are_checked_and_add_up() {
        let data = Dataset::new(vec![column(&[0, 1], 2)], None).unwrap();
        assert_eq!(data.total(), 2.0);
        assert_eq!(data.clone().with_weights(vec![0.5, 2.0]).unwrap().total(), 2.5);
        assert!(data.clone().with_weights(vec![1.0]).is_err());
        assert!(data.clone().with_weights(vec![-1.0, 1.0]).is_err());
        assert!(data.clone().with_weights(vec![1e308, 1e308]).is_err());
        assert!(data.clone().with_weights(vec![1e299, 1e299]).is_ok());
        assert!(data.with_weights(vec![0.0, 0.0]).is_err());
    }

    #[test]
    fn names_stay_with_the_data() {
        let data = Dataset::new(vec![column(&[0, 1], 2)], None).unwrap();
        assert_eq!(data.label(Variable::Attribute(0)), "column 0");
        assert!(data.clone().with_names(vec![]).is_err());
        let named = data.with_names(vec!["age".into()]).unwrap().select(&[1]).unwrap();
        assert_eq!(named.label(Variable::Attribute(0)), "column 'age'");
        assert_eq!(named.label(Variable::Class), "the class");
    }

    #[test]
    fn selecting_rows_keeps_domains() {
        let data = Dataset::new(vec![column(&[0, 1, 2], 3)], Some(column(&[0, 1, 1], 2))).unwrap();
        let part = data.select(&[2, 0]).unwrap();
        assert_eq!((part.rows(), part.column(0).arity(), part.column(0).get(0)), (2, 3, Some(2)));
        assert!(data.select(&[]).is_err());
    }
}
