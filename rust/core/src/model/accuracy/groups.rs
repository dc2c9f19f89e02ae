//! The models of all folds over some groups.

use std::sync::Arc;

use crate::control::Control;
use crate::counts::{Cell, FamilyCounts, FamilyShape, check_cells};
use crate::data::{Column, combinations};
use crate::error::{Error, Result};
use crate::model::accuracy::changes::{ChangeCache, Changes, Touched};
use crate::model::accuracy::compound::{Compound, Runs};
use crate::model::accuracy::joints::Joints;
use crate::model::accuracy::occurring::ln_theta;
use crate::model::accuracy::rows::{CellsOfRows, FoldedRows, Scope};
use crate::model::accuracy::tables::{Change, Logs, Part, Term, Turn};
use crate::parameters::ParameterEstimator;
use crate::structure::{Groups, Objective, Operation};

/// Groups, each as a compound column, and the log-joint of each row by the model of the other folds.
pub(super) struct GroupModels<'a> {
    rows: FoldedRows,
    /// Tables of at most this many cells for each fold and class are filled whether their cells occur or not: for few
    /// cells that costs less than finding out.
    dense: usize,
    estimator: &'a dyn ParameterEstimator,
    /// N of each fold's training rows.
    training_rows: Vec<f64>,
    /// ln θ_c of each fold.
    priors: Vec<Vec<f64>>,
    groups: Groups,
    compounds: Vec<Compound<'static>>,
    /// (parent, child) of attributes that are groups of their own.
    arcs: Vec<(usize, usize)>,
    joints: Joints,
    value: f64,
    cache: ChangeCache,
}

/// One or two groups as columns.
struct Columns<'a> {
    left: Option<Compound<'a>>,
    right: Compound<'a>,
}

impl Columns<'_> {
    fn scope(&self) -> Scope<'_> {
        Scope { left: self.left.as_ref().map(|left| &*left.column), right: &self.right.column }
    }
}

const COMES: Turn = Turn::Comes;
const GOES: Turn = Turn::Goes;
const NOTHING: &[Term] = &[];
const WHOLE_GOES: &[Term] = &[(Part::Whole, GOES)];
const REPLACES_LEFT: &[Term] = &[(Part::Whole, COMES), (Part::Left, GOES)];
const LEAVES_LEFT: &[Term] = &[(Part::Whole, GOES), (Part::Left, COMES)];
const ARC: &[Term] = &[(Part::RightGivenLeft, COMES), (Part::RightBesideLeft, GOES)];
const REPLACES_BOTH: &[Term] = &[(Part::Whole, COMES), (Part::Left, GOES), (Part::Right, GOES)];

impl<'a> GroupModels<'a> {
    pub fn new(
        rows: FoldedRows,
        dense: usize,
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
            dense,
            estimator,
            training_rows,
            priors,
            groups: Vec::new(),
            compounds: Vec::new(),
            arcs: Vec::new(),
            joints,
            value: 0.0,
            cache: ChangeCache::default(),
        };
        models.become_groups(groups, control)?;
        Ok(models)
    }

    /// Changes to other groups. The log-joints are summed anew, so that rounding does not build up along a search.
    fn become_groups(&mut self, groups: Groups, control: &Control) -> Result<()> {
        let compounds =
            groups.iter().map(|group| Ok(self.compound(group)?.into_owned())).collect::<Result<_>>()?;
        (self.groups, self.compounds) = (groups, compounds);
        self.cache.keep(|touched| self.may_recur(touched));
        let mut joints = Joints::new(&self.rows, &self.priors);
        let arcs = self.arcs.iter().map(|&(parent, child)| arc(parent, child));
        for touched in self.groups.iter().map(|group| Touched::comes(group)).chain(arcs) {
            control.check()?;
            self.add(&touched, &mut joints)?;
        }
        joints.finish();
        self.value = self.correct_after(&nothing(), &joints)?;
        self.joints = joints;
        Ok(())
    }

    /// Whether a change is likely to be asked for again: its columns are groups as they are now, or dropped attributes, or
    /// parts of one group.
    fn may_recur(&self, touched: &Touched) -> bool {
        let is_group = |members: &[usize]| self.groups.iter().any(|group| group == members);
        let is_dropped = |members: &[usize]| match members {
            [attribute] => self.groups.iter().all(|group| !group.contains(attribute)),
            members => members.is_empty(),
        };
        let parts = touched.terms != REPLACES_BOTH && touched.terms != REPLACES_LEFT;
        let mut columns = [&touched.left, &touched.right].into_iter();
        columns.all(|members| is_group(members) || is_dropped(members))
            || (parts
                && self.groups.iter().any(|group| touched.members().all(|member| group.contains(&member))))
    }

    fn add(&self, touched: &Touched, joints: &mut Joints) -> Result<()> {
        let (columns, changes) = (self.columns(touched)?, self.changes(touched)?);
        let cells = changes.cells(columns.scope());
        for fold in 0..self.rows.folds() {
            joints.add(&self.rows, fold, &cells, changes.of_fold(fold));
        }
        Ok(())
    }

    /// The rows that are classified correctly with arcs from one parent to several children; arcs whose tables do not
    /// fit are left out.
    fn with_arcs(&self, parent: usize, children: &[usize]) -> Result<f64> {
        let mut joints = self.joints.clone();
        for &child in children {
            match self.add(&arc(parent, child), &mut joints) {
                Ok(()) | Err(Error::TooManyCells { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        joints.finish();
        self.correct_after(&nothing(), &joints)
    }

    fn compound(&self, group: &[usize]) -> Result<Compound<'_>> {
        if let Some(place) = self.groups.iter().position(|other| other == group) {
            return Ok(self.compounds[place].borrowed());
        }
        let data = self.rows.data();
        let columns: Vec<&Column> = group.iter().map(|&member| data.column(member)).collect();
        Compound::new(&columns, data.rows(), self.dense)
    }

    fn columns(&self, touched: &Touched) -> Result<Columns<'_>> {
        let left = if touched.left.is_empty() { None } else { Some(self.compound(&touched.left)?) };
        Ok(Columns { left, right: self.compound(&touched.right)? })
    }

    /// What an operation touches; an error where the table that would come in the end does not fit.
    fn touched(&self, operation: &Operation) -> Result<Touched> {
        let is_group = |group: &Vec<usize>| match self.groups.contains(group) {
            true => Ok(group.clone()),
            false => Err(Error::InvalidStructure { reason: format!("there is no group {group:?}") }),
        };
        let touched = match operation {
            Operation::Arcs { parent, children } => arc(*parent, *children.first().unwrap_or(parent)),
            Operation::Add { attribute } => Touched::comes(&[*attribute]),
            Operation::Join { attribute, group } => {
                Touched { terms: REPLACES_LEFT, left: is_group(group)?, right: vec![*attribute] }
            }
            Operation::Merge { left, right } => {
                Touched { terms: REPLACES_BOTH, left: is_group(left)?, right: is_group(right)? }
            }
            Operation::Delete { attribute } => {
                let Some(group) = self.groups.iter().find(|group| group.contains(attribute)) else {
                    let reason = format!("column {attribute} is in no group");
                    return Err(Error::InvalidStructure { reason });
                };
                let rest: Vec<usize> = group.iter().copied().filter(|member| member != attribute).collect();
                let terms = if rest.is_empty() { WHOLE_GOES } else { LEAVES_LEFT };
                Touched { terms, left: rest, right: vec![*attribute] }
            }
        };
        let data = self.rows.data();
        let arities: Vec<usize> = touched.members().map(|member| data.column(member).arity()).collect();
        let values = combinations(arities.into_iter())?;
        // A table of more values than rows keeps those that occur, and a row for all others.
        check_cells(|| "a join".into(), [values.min(data.rows() + 1), self.rows.classes()])?;
        Ok(touched)
    }

    /// The change of the log-joints.
    fn changes(&self, touched: &Touched) -> Result<Arc<Changes>> {
        self.cache.get_or_compute(touched, || match self.rows.data().weights() {
            None => self.count_changes(touched, |_| 1u32),
            Some(weights) => self.count_changes(touched, |row| weights[row]),
        })
    }

    fn count_changes<T: Cell>(
        &self,
        touched: &Touched,
        weight: impl Fn(usize) -> T + Copy,
    ) -> Result<Changes> {
        let columns = self.columns(touched)?;
        let scope = columns.scope();
        let (left, right) = scope.extents();
        let is_full = columns.right.is_full() && columns.left.as_ref().is_none_or(|left| left.is_full());
        if touched.terms != ARC && (!is_full || left.saturating_mul(right) > self.dense) {
            return self.count_occurring(touched, &columns, weight);
        }
        let counts = self.rows.count(&scope, weight)?;
        let change = Change::new(&scope, touched.terms, &counts, self.rows.classes());
        let folds = self.training_rows.iter().enumerate();
        let logs = folds.map(|(fold, &rows)| change.of_fold(fold, self.estimator, rows));
        Ok(Changes::ByScope(logs.collect::<Result<_>>()?))
    }

    /// The same by the cells that occur. The whole is counted; the parts of it are known from where they were wholes.
    fn count_occurring<T: Cell>(
        &self,
        touched: &Touched,
        columns: &Columns<'_>,
        weight: impl Fn(usize) -> T + Copy,
    ) -> Result<Changes> {
        let scope = columns.scope();
        let runs = Runs::new(scope.left, scope.right);
        let domain = columns.left.as_ref().map_or(1.0, |left| left.domain) * columns.right.domain;
        let whole = ln_theta(&self.rows, &runs, domain, self.estimator, &self.training_rows, weight)?;
        let (cells, mut logs) = (whole.cells, Logs::from_ln(whole.logs));
        for &(part, turn) in touched.terms {
            let group = match part {
                Part::Whole if turn == COMES => continue,
                Part::Whole => {
                    logs = logs.negated();
                    continue;
                }
                Part::Left => &touched.left,
                _ => &touched.right,
            };
            let alone = Touched::comes(group);
            let (columns, changes) = (self.columns(&alone)?, self.changes(&alone)?);
            for (cell, &(row, fold)) in whole.samples.iter().enumerate() {
                let from = changes.cell(columns.scope(), row as usize);
                logs.add_cell(cell, changes.of_fold(fold as usize), from, turn.sign(), self.rows.classes());
            }
        }
        Ok(Changes::ByRow { cells, logs })
    }

    /// The rows (or their weight) that are classified correctly after a change.
    fn correct_after(&self, touched: &Touched, joints: &Joints) -> Result<f64> {
        let changes = self.changes(touched)?;
        match &*changes {
            Changes::ByRow { cells, .. } => Ok(self.tally(joints, &changes, &CellsOfRows::Given(cells))),
            Changes::ByScope(_) => {
                let columns = self.columns(touched)?;
                Ok(self.tally(joints, &changes, &CellsOfRows::Scope(columns.scope())))
            }
        }
    }

    fn tally(&self, joints: &Joints, changes: &Changes, cells: &CellsOfRows<'_>) -> f64 {
        match self.rows.data().weights() {
            None => self.weigh(joints, changes, cells, |_| 1u32),
            Some(weights) => self.weigh(joints, changes, cells, |row| weights[row]),
        }
    }

    fn weigh<T: Cell>(
        &self,
        joints: &Joints,
        changes: &Changes,
        cells: &CellsOfRows<'_>,
        weight: impl Fn(usize) -> T + Copy,
    ) -> f64 {
        let correct = (0..self.rows.folds())
            .map(|fold| joints.correct(&self.rows, fold, cells, changes.of_fold(fold), weight));
        correct.fold(T::default(), T::plus).as_f64()
    }
}

impl Objective for GroupModels<'_> {
    fn value(&self) -> f64 {
        self.value
    }

    fn measure(&self, operation: &Operation) -> Result<Option<f64>> {
        let correct = match operation {
            Operation::Arcs { parent, children } if children.len() != 1 => self.with_arcs(*parent, children),
            _ => self.touched(operation).and_then(|touched| self.correct_after(&touched, &self.joints)),
        };
        match correct {
            Ok(correct) => Ok(Some(correct)),
            Err(Error::TooManyCells { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn accept(&mut self, operation: &Operation, control: &Control) -> Result<()> {
        if let Operation::Arcs { parent, children } = operation {
            self.arcs.extend(children.iter().map(|&child| (*parent, child)));
        }
        self.become_groups(operation.apply(&self.groups), control)
    }

    fn tolerance(&self) -> f64 {
        // Sums of weights are rounded, numbers of rows are not.
        self.rows.data().weights().map_or(0.0, |_| 1e-12 * self.rows.data().total())
    }
}

fn arc(parent: usize, child: usize) -> Touched {
    Touched { terms: ARC, left: vec![parent], right: vec![child] }
}

fn nothing() -> Touched {
    Touched { terms: NOTHING, left: Vec::new(), right: Vec::new() }
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
