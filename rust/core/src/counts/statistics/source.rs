//! Statistics answer for the families that they hold.

use rayon::prelude::*;

use super::{Kind, Statistics, Tables};
use crate::control::Control;
use crate::counts::{Cell, Cells, CountSource, FamilyCounts, FamilyShape, PairTable, PairVisitor};
use crate::data::Variable;
use crate::error::{Error, Result};

impl Statistics {
    /// The table of the class; of one class where there is none.
    pub fn class(&self) -> Cells {
        match &self.tables {
            Kind::Whole(tables) => Cells::Integer(tables.class.clone()),
            Kind::Real(tables) => Cells::Weighted(tables.class.clone()),
        }
    }

    fn pair<'a, T>(&self, tables: &'a Tables<T>, i: usize, j: usize) -> PairTable<'a, T> {
        let (i, j) = (i.min(j), i.max(j));
        let shape = (self.layout.s(), self.layout.arities[i], self.layout.arities[j]);
        PairTable { i, j, shape, cells: &tables.pairs[self.layout.pair(i, j)] }
    }

    fn lookup<T: Cell>(
        &self,
        tables: &Tables<T>,
        child: Variable,
        parents: &[usize],
        with_class: bool,
    ) -> Result<FamilyCounts> {
        let (arities, n) = (&self.layout.arities, self.layout.arities.len());
        let class = self.layout.classes;
        if with_class && class.is_none() {
            return Err(Error::NoClass { what: "this family" });
        }
        let columns = parents.iter().copied().chain(match child {
            Variable::Attribute(column) => Some(column),
            Variable::Class => None,
        });
        if let Some(column) = columns.clone().find(|&column| column >= n) {
            return Err(Error::ColumnOutOfRange { column, columns: n });
        }
        let family = match (child, parents) {
            (Variable::Class, []) if class.is_some() && !with_class => {
                let shape = FamilyShape { child: self.layout.s(), class: None, parents: Vec::new() };
                return Ok(FamilyCounts { shape, cells: T::wrap(tables.class.clone()) });
            }
            (Variable::Attribute(column), []) => {
                let cells = T::wrap(tables.singles[self.layout.single(column)].to_vec());
                let shape = FamilyShape { child: arities[column], class, parents: Vec::new() };
                FamilyCounts { shape, cells }
            }
            (Variable::Attribute(column), &[parent]) if self.layout.pairs && column != parent => {
                self.pair(tables, column, parent).family(column, class.is_some())
            }
            _ => return Err(Error::NotCounted { family: described(child, parents) }),
        };
        if with_class || class.is_none() {
            return Ok(family);
        }
        let cells = family.cells.sum_segments(family.cells.len() / self.layout.s());
        Ok(FamilyCounts { shape: FamilyShape { class: None, ..family.shape }, cells })
    }

    fn show<T: Cell>(
        &self,
        tables: &Tables<T>,
        control: &Control,
        visit: &(dyn Fn(PairTable<'_, T>) -> Result<()> + Sync),
    ) -> Result<()> {
        let n = self.layout.arities.len();
        (0..n).into_par_iter().try_for_each(|i| {
            control.check()?;
            (i + 1..n).try_for_each(|j| visit(self.pair(tables, i, j)))
        })
    }
}

fn described(child: Variable, parents: &[usize]) -> String {
    let parents: Vec<String> =
        parents.iter().map(|&parent| Variable::Attribute(parent).to_string()).collect();
    if parents.is_empty() { child.to_string() } else { format!("{child} given {}", parents.join(", ")) }
}

impl CountSource for Statistics {
    fn arities(&self) -> &[usize] {
        &self.layout.arities
    }

    fn n_classes(&self) -> Option<usize> {
        self.layout.classes
    }

    fn total(&self) -> f64 {
        self.weight
    }

    fn has_missing(&self) -> bool {
        self.has_missing
    }

    fn family(&self, child: Variable, parents: &[usize], with_class: bool) -> Result<FamilyCounts> {
        match &self.tables {
            Kind::Whole(tables) => self.lookup(tables, child, parents, with_class),
            Kind::Real(tables) => self.lookup(tables, child, parents, with_class),
        }
    }

    fn visit_pairs(&self, visitor: &dyn PairVisitor, control: &Control) -> Result<()> {
        if !self.layout.pairs && self.n() > 1 {
            return Err(Error::NotCounted { family: "pairs of columns".into() });
        }
        match &self.tables {
            Kind::Whole(tables) => self.show(tables, control, &|table| visitor.integer(table)),
            Kind::Real(tables) => self.show(tables, control, &|table| visitor.weighted(table)),
        }
    }
}
