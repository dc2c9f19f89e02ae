//! The models of all folds over some groups.

use std::borrow::Cow;
use std::sync::Arc;

use crate::control::Control;
use crate::counts::{Cell, FamilyCounts, FamilyShape};
use crate::data::{Column, join};
use crate::error::{Error, Result};
use crate::model::accuracy::changes::{ChangeCache, Key};
use crate::model::accuracy::joints::Joints;
use crate::model::accuracy::rows::{FoldedRows, Scope};
use crate::model::accuracy::tables::{Change, Logs, Part, Term};
use crate::parameters::ParameterEstimator;
use crate::structure::{Groups, Objective, Operation};

/// Groups, each as a compound column, and the log-joint of each row by the model of the other folds.
pub(super) struct GroupModels<'a> {
    rows: FoldedRows,
    estimator: &'a dyn ParameterEstimator,
    /// N of each fold's training rows.
    training_rows: Vec<f64>,
    /// ln θ_c of each fold.
    priors: Vec<Vec<f64>>,
    groups: Groups,
    columns: Vec<Column>,
    joints: Joints,
    value: f64,
    cache: ChangeCache,
}

/// The columns that an operation touches, and the tables that come and go with it.
struct Touched<'a> {
    left: Option<Cow<'a, Column>>,
    right: &'a Column,
    terms: &'static [Term],
    /// Which columns and terms these are.
    key: Key,
}

impl Touched<'_> {
    fn scope(&self) -> Scope<'_> {
        Scope { left: self.left.as_deref(), right: self.right }
    }
}

const COMES: &[Term] = &[(Part::Whole, 1.0)];
const GOES: &[Term] = &[(Part::Whole, -1.0)];
const REPLACES_LEFT: &[Term] = &[(Part::Whole, 1.0), (Part::Left, -1.0)];
const LEAVES_LEFT: &[Term] = &[(Part::Whole, -1.0), (Part::Left, 1.0)];
const REPLACES_BOTH: &[Term] = &[(Part::Whole, 1.0), (Part::Left, -1.0), (Part::Right, -1.0)];

impl<'a> GroupModels<'a> {
    pub fn new(
        rows: FoldedRows,
        estimator: &'a dyn ParameterEstimator,
        groups: Groups,
        control: &Control,
    ) -> Result<Self> {
        let (training_rows, priors) = match rows.data().weights() {
            None => priors(&rows, estimator, |_| 1u32)?,
            Some(weights) => priors(&rows, estimator, |row| weights[row])?,
        };
        let joints = Joints::new(&rows, &priors);
        let mut models = Self {
            rows,
            estimator,
            training_rows,
            priors,
            groups: Vec::new(),
            columns: Vec::new(),
            joints,
            value: 0.0,
            cache: ChangeCache::default(),
        };
        models.become_groups(groups, control)?;
        Ok(models)
    }

    /// Changes to other groups. The log-joints are summed anew, so that rounding does not build up along a search.
    fn become_groups(&mut self, groups: Groups, control: &Control) -> Result<()> {
        let columns: Vec<Column> = groups
            .iter()
            .map(|group| match self.groups.iter().position(|old| old == group) {
                Some(place) => Ok(self.columns[place].clone()),
                None => self.compound(group),
            })
            .collect::<Result<_>>()?;
        let mut joints = Joints::new(&self.rows, &self.priors);
        for (group, column) in groups.iter().zip(&columns) {
            control.check()?;
            let key = Key::new(COMES, &[], group);
            let touched = Touched { left: None, right: column, terms: COMES, key };
            for (fold, change) in self.changes(&touched)?.iter().enumerate() {
                joints.add(&self.rows, fold, &touched.scope(), change);
            }
        }
        joints.finish();
        (self.groups, self.columns, self.joints) = (groups, columns, joints);
        let nothing = join(&[], self.rows.data().rows())?;
        let key = Key::new(&[], &[], &[]);
        self.value = self.correct_after(&Touched { left: None, right: &nothing, terms: &[], key })?;
        Ok(())
    }

    fn compound(&self, group: &[usize]) -> Result<Column> {
        let data = self.rows.data();
        let columns: Vec<&Column> = group.iter().map(|&member| data.column(member)).collect();
        join(&columns, data.rows())
    }

    /// The column of a group as it is now.
    fn column(&self, group: &[usize]) -> Result<&Column> {
        match self.groups.iter().position(|other| other == group) {
            Some(place) => Ok(&self.columns[place]),
            None => Err(Error::InvalidStructure { reason: format!("there is no group {group:?}") }),
        }
    }

    fn touched(&self, operation: &Operation) -> Result<Touched<'_>> {
        let attribute = |attribute: usize| self.rows.data().column(attribute);
        Ok(match operation {
            Operation::Add { attribute: added } => {
                let key = Key::new(COMES, &[], &[*added]);
                Touched { left: None, right: attribute(*added), terms: COMES, key }
            }
            Operation::Join { attribute: added, group } => Touched {
                left: Some(Cow::Borrowed(self.column(group)?)),
                right: attribute(*added),
                terms: REPLACES_LEFT,
                key: Key::new(REPLACES_LEFT, group, &[*added]),
            },
            Operation::Delete { attribute: deleted } => {
                let Some(group) = self.groups.iter().find(|group| group.contains(deleted)) else {
                    let reason = format!("column {deleted} is in no group");
                    return Err(Error::InvalidStructure { reason });
                };
                let rest: Vec<usize> = group.iter().copied().filter(|member| member != deleted).collect();
                let left = if rest.is_empty() { None } else { Some(Cow::Owned(self.compound(&rest)?)) };
                let terms = if rest.is_empty() { GOES } else { LEAVES_LEFT };
                let key = Key::new(terms, &rest, &[*deleted]);
                Touched { left, right: attribute(*deleted), terms, key }
            }
            Operation::Merge { left, right } => Touched {
                left: Some(Cow::Borrowed(self.column(left)?)),
                right: self.column(right)?,
                terms: REPLACES_BOTH,
                key: Key::new(REPLACES_BOTH, left, right),
            },
        })
    }

    /// The change of the log-joints for each fold, in the cells of the touched columns.
    fn changes(&self, touched: &Touched<'_>) -> Result<Arc<Vec<Logs>>> {
        self.cache.get_or_compute(&touched.key, || match self.rows.data().weights() {
            None => self.count_changes(touched, |_| 1u32),
            Some(weights) => self.count_changes(touched, |row| weights[row]),
        })
    }

    fn count_changes<T: Cell>(
        &self,
        touched: &Touched<'_>,
        weight: impl Fn(usize) -> T,
    ) -> Result<Vec<Logs>> {
        let scope = touched.scope();
        let counts = self.rows.count(&scope, weight)?;
        let change = Change::new(&scope, touched.terms, &counts, self.rows.classes());
        let folds = self.training_rows.iter().enumerate();
        folds.map(|(fold, &rows)| change.of_fold(fold, self.estimator, rows)).collect()
    }

    /// The rows (or their weight) that are classified correctly after a change.
    fn correct_after(&self, touched: &Touched<'_>) -> Result<f64> {
        let changes = self.changes(touched)?;
        Ok(match self.rows.data().weights() {
            None => self.tally(touched, &changes, |_| 1u32),
            Some(weights) => self.tally(touched, &changes, |row| weights[row]),
        })
    }

    fn tally<T: Cell>(
        &self,
        touched: &Touched<'_>,
        changes: &[Logs],
        weight: impl Fn(usize) -> T + Copy,
    ) -> f64 {
        let scope = touched.scope();
        let folds = changes.iter().enumerate();
        let correct =
            folds.map(|(fold, change)| self.joints.correct(&self.rows, fold, &scope, change, weight));
        correct.fold(T::default(), T::plus).as_f64()
    }
}

impl Objective for GroupModels<'_> {
    fn value(&self) -> f64 {
        self.value
    }

    fn measure(&self, operation: &Operation) -> Result<Option<f64>> {
        match self.touched(operation).and_then(|touched| self.correct_after(&touched)) {
            Ok(correct) => Ok(Some(correct)),
            Err(Error::TooManyCells { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn accept(&mut self, operation: &Operation, control: &Control) -> Result<()> {
        self.become_groups(operation.apply(&self.groups), control)
    }

    fn tolerance(&self) -> f64 {
        // Sums of weights are rounded, numbers of rows are not.
        self.rows.data().weights().map_or(0.0, |_| 1e-12 * self.rows.data().total())
    }
}

/// N and ln θ_c of each fold's training rows.
fn priors<T: Cell>(
    rows: &FoldedRows,
    estimator: &dyn ParameterEstimator,
    weight: impl Fn(usize) -> T,
) -> Result<(Vec<f64>, Vec<Vec<f64>>)> {
    let mut training_rows = Vec::with_capacity(rows.folds());
    let mut priors = Vec::with_capacity(rows.folds());
    for counts in rows.training_classes(weight) {
        let total = counts.iter().map(|count| count.as_f64()).sum();
        let shape = FamilyShape { child: rows.classes(), class: None, parents: Vec::new() };
        let theta = estimator.estimate_class(&FamilyCounts { shape, cells: T::wrap(counts) }, total)?;
        training_rows.push(total);
        priors.push(theta.into_iter().map(f64::ln).collect());
    }
    Ok((training_rows, priors))
}
