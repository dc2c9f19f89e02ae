//! Averaged one-dependence and two-dependence estimators.

use std::sync::OnceLock;

use rayon::prelude::*;

use crate::control::Control;
use crate::counts::CountSource;
use crate::error::{Error, Result, check_parameter};
use crate::math::ln_in_place;
use crate::memory::{check_cells, filled};
use crate::model::ComposedEntry;
use crate::options::{Declared, Domain, Options};
use crate::registry::{About, Need};

mod counts;
mod predict;
mod subsumption;

pub use counts::JointCounts;
use subsumption::Subsumption;

/// The average of all networks in which one attribute, or one pair of attributes, is a parent of all others.
///
/// # Formula
/// ```text
/// P(c, x) ∝ Σ_p w_p P(c, x_p) Π_{j ∉ p} P(x_j | c, x_p)
/// P(c, x_p) = (N(c, x_p) + 1/(s r_p)) / (N + 1),     P(x_j | c, x_p) = (N(c, x_p, x_j) + 1/r_j) / (N(c, x_p) + 1)
/// ```
/// p each attribute (order 1, AODE) or each pair of attributes (order 2, A2DE) whose value x_p occurs in at least
/// `min_count` training rows; where there is none, p is nothing: naive Bayes. w_p = 1, or the information I(X_p; C) in nats
/// with weights "mi"; one of at most 1e-10 is 0. r numbers of values, s that of classes, N counts of the rows in which all that
/// a table is about are known.
///
/// Subsumption resolution leaves out of a row each x_i that another value implies: #(x_j) = #(x_i, x_j) ≥ 100; where each
/// implies the other, the one of the higher column.
///
/// # Missing and unseen values
/// Leave their terms out: p with such a value, and the factors of such j. Summed over, the factors give 1; the left-out p would
/// not.
///
/// # Complexity
/// Fit: that of all pairs (order 1) or triples (order 2) of columns. A row: O(s n²), or O(s n³/2).
///
/// # References
/// webb2005, webb2012; jiang2006 for weights; zheng2006 for subsumption resolution
///
/// # Differences
/// Where no pair of a row occurs often enough, A2DE is naive Bayes at once, not AODE first. The weight of a pair is that of
/// both attributes as one.
#[derive(Debug, Clone, PartialEq)]
pub struct Aode {
    settings: AodeSettings,
    counts: JointCounts,
    /// Where the values of each attribute begin among those of all.
    offsets: Vec<usize>,
    /// p is nothing: naive Bayes.
    alone: SuperParent,
    /// Made when predictions are first asked for: they take as long as the counts.
    parents: OnceLock<Vec<SuperParent>>,
    subsumption: Option<Subsumption>,
}

/// Which of the estimators.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AodeSettings {
    /// 1 or 2 attributes that are parents of all others.
    pub order: usize,
    /// Whether super-parents weigh as much as they tell about the class.
    pub weighted: bool,
    /// Whether values that others imply are left out of a row.
    pub subsumption: bool,
    /// The rows in which the value of a super-parent occurs, at least.
    pub min_count: f64,
}

/// The network of one super-parent.
#[derive(Debug, Clone, PartialEq)]
struct SuperParent {
    /// Its attributes, lowest first.
    members: Vec<usize>,
    weight: f64,
    /// Whether it has been seen often enough, by value.
    used: Vec<bool>,
    /// ln w P(c, x_p) at `x_p·s + c`.
    log_joint: Vec<f64>,
    /// ln P(x_j | c, x_p) at `(x_p·R + offset_j + x_j)·s + c`, R the number of all values of all attributes; 0 for its own.
    given: Vec<f64>,
}

/// Information that is no larger is rounding.
const NOTHING: f64 = 1e-10;

/// The learner, registered.
pub const ENTRY: ComposedEntry = ComposedEntry {
    about: About {
        name: "aode",
        title: "AODE, A2DE",
        summary: "the average of all networks in which one attribute, or two, are parents of all others",
        formula: "Σ_p w_p P(c, x_p) Π_{j ∉ p} P(x_j | c, x_p), p each attribute or each pair",
        settings: &[
            Declared::new("order", Domain::Whole(1), "how many attributes are parents of all others, 1 or 2"),
            Declared::new("weights", Domain::WordOrNone(&["mi"]), "weighs super-parents by I(X; C)"),
            Declared::new("subsumption", Domain::Flag, "whether values that others imply are left out"),
            Declared::new(
                "min_count",
                Domain::Whole(1),
                "the rows in which a super-parent's value occurs, at least",
            ),
        ],
        needs: &[Need::Class],
    },
    from_counts: Some(|source, options, control| {
        Ok(Box::new(Aode::fit(source, AodeSettings::from_options(options)?, control)?))
    }),
};

impl AodeSettings {
    /// From the settings of [`ENTRY`].
    pub fn from_options(options: &Options) -> Result<Self> {
        let options = &options.resolve(ENTRY.about.name, ENTRY.about.settings)?;
        let order = options.whole("order").unwrap_or(1);
        check_parameter("order", order as f64, matches!(order, 1 | 2), "it is 1 or 2")?;
        let (weighted, subsumption) = (options.word("weights") == "mi", options.flag("subsumption"));
        Ok(Self { order, weighted, subsumption, min_count: options.number("min_count")? })
    }
}

impl Aode {
    /// Learns from counts.
    pub fn fit(source: &dyn CountSource, settings: AodeSettings, control: &Control) -> Result<Self> {
        let Some(classes) = source.n_classes() else { return Err(Error::NoClass { what: "aode" }) };
        check_size(source.arities(), classes, settings.order)?;
        Self::from_counts(JointCounts::count(source, settings.order, control)?, settings, control)
    }

    /// Puts an estimator together from its counts, checked.
    pub fn from_counts(counts: JointCounts, settings: AodeSettings, control: &Control) -> Result<Self> {
        check_size(&counts.arities, counts.class.len(), settings.order)?;
        counts.check(settings.order)?;
        let n = counts.arities.len();
        let mut offsets = Vec::with_capacity(n + 1);
        offsets.push(0);
        for (place, arity) in counts.arities.iter().enumerate() {
            offsets.push(offsets[place] + arity);
        }
        control.check()?;
        let alone = SuperParent::new(Vec::new(), &counts, &offsets, settings)?;
        let subsumption = settings.subsumption.then(|| Subsumption::new(&counts));
        Ok(Self { settings, offsets, alone, parents: OnceLock::new(), subsumption, counts })
    }

    /// The networks of all super-parents.
    fn parents(&self, control: &Control) -> Result<&[SuperParent]> {
        if let Some(parents) = self.parents.get() {
            return Ok(parents);
        }
        let n = self.counts.arities.len();
        let members: Vec<Vec<usize>> = match self.settings.order {
            1 => (0..n).map(|i| vec![i]).collect(),
            _ => (0..n).flat_map(|j| (0..j).map(move |i| vec![i, j])).collect(),
        };
        let make = |members: Vec<usize>| {
            control.check()?;
            SuperParent::new(members, &self.counts, &self.offsets, self.settings)
        };
        let parents = members.into_par_iter().map(make).collect::<Result<Vec<_>>>()?;
        Ok(self.parents.get_or_init(|| parents))
    }

    /// Which of the estimators it is.
    pub fn settings(&self) -> AodeSettings {
        self.settings
    }

    /// All that it was made of.
    pub fn counts(&self) -> &JointCounts {
        &self.counts
    }

    /// ln P(x | c) of an attribute at `x·s + c`: of naive Bayes, where nothing is a parent of all.
    pub fn log_table(&self, attribute: usize) -> &[f64] {
        let s = self.counts.class.len();
        &self.alone.given[self.offsets[attribute] * s..self.offsets[attribute + 1] * s]
    }
}

/// Refuses tables that would not fit, before any is made.
fn check_size(arities: &[usize], classes: usize, order: usize) -> Result<()> {
    let n = arities.len();
    let sum: u128 = arities.iter().map(|&arity| arity as u128).sum();
    let squares: u128 = arities.iter().map(|&arity| (arity as u128).pow(2)).sum();
    let (what, values) = match order {
        1 => (format!("each of {n} columns as a parent of all others"), sum),
        _ => {
            let pairs = n * n.saturating_sub(1) / 2;
            (
                format!("each of the {pairs} pairs of {n} columns as parents of all others"),
                (sum * sum - squares) / 2,
            )
        }
    };
    let family =
        || format!("{what} ({values} values of parents × {sum} values of columns × {classes} classes)");
    let bounded = |size: u128| usize::try_from(size).unwrap_or(usize::MAX);
    check_cells(family, [bounded(values), bounded(sum), classes]).map(drop)
}

impl SuperParent {
    fn new(
        members: Vec<usize>,
        counts: &JointCounts,
        offsets: &[usize],
        settings: AodeSettings,
    ) -> Result<Self> {
        let (arities, s) = (&counts.arities, counts.class.len());
        let n = arities.len();
        let values: usize = members.iter().map(|&member| arities[member]).product();
        let own = counts.table(&members);
        let total: f64 = own.iter().sum();
        let weight = match settings.weighted && !members.is_empty() {
            true => Some(information(own, s)).filter(|&weight| weight > NOTHING).unwrap_or(0.0),
            false => 1.0,
        };
        let mut used = vec![weight > 0.0; values];
        let mut log_joint = vec![0.0; values * s];
        for (x, used) in used.iter_mut().enumerate() {
            let of_value = (0..s).map(|c| own[c * values + x]);
            *used &= members.is_empty() || of_value.clone().sum::<f64>() >= settings.min_count;
            for (c, count) in of_value.enumerate() {
                log_joint[x * s + c] = (count + 1.0 / (s * values) as f64) / (total + 1.0);
            }
        }
        ln_in_place(&mut log_joint);
        let log_weight = if weight > 0.0 { weight.ln() } else { 0.0 };
        log_joint.iter_mut().for_each(|value| *value += log_weight);

        let width = offsets[n] * s;
        let what = || format!("the tables of {values} values of super-parents and {} values", offsets[n]);
        // A member is certain given itself.
        let mut given = filled(what, 1.0, values * width)?;
        for child in (0..n).filter(|child| !members.contains(child)) {
            let mut family = members.clone();
            family.push(child);
            family.sort_unstable();
            let stride = |one: usize| -> usize {
                family.iter().filter(|&&other| other > one).map(|&other| arities[other]).product()
            };
            let (table, r, step) = (counts.table(&family), arities[child], stride(child));
            let size = values * r;
            for x in 0..values {
                let (mut rest, mut base) = (x, 0);
                for &member in members.iter().rev() {
                    base += rest % arities[member] * stride(member);
                    rest /= arities[member];
                }
                let into = &mut given[x * width + offsets[child] * s..][..r * s];
                for c in 0..s {
                    let cells = &table[c * size + base..];
                    let sum: f64 = (0..r).map(|value| cells[value * step]).sum();
                    let scale = 1.0 / (sum + 1.0);
                    for value in 0..r {
                        into[value * s + c] = (cells[value * step] + 1.0 / r as f64) * scale;
                    }
                }
            }
        }
        ln_in_place(&mut given);
        Ok(Self { members, weight, used, log_joint, given })
    }

    /// x_p of a row's values; none where one is absent, or was not seen often enough.
    #[inline]
    fn value(&self, codes: &[u32], arities: &[usize]) -> Option<usize> {
        let mut value = 0;
        for &member in &self.members {
            if codes[member] == predict::ABSENT {
                return None;
            }
            value = value * arities[member] + codes[member] as usize;
        }
        self.used[value].then_some(value)
    }
}

/// I(X; C) of a table `c·r + x`, in nats.
fn information(table: &[f64], s: usize) -> f64 {
    let r = table.len() / s;
    let total: f64 = table.iter().sum();
    let classes: Vec<f64> = table.chunks_exact(r).map(|row| row.iter().sum()).collect();
    let mut information = 0.0;
    for x in 0..r {
        let margin: f64 = (0..s).map(|c| table[c * r + x]).sum();
        for (c, class) in classes.iter().enumerate() {
            let cell = table[c * r + x];
            if cell > 0.0 {
                information += cell / total * (cell / margin * (total / class)).ln();
            }
        }
    }
    information
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn tables_that_do_not_fit_are_refused_with_their_size() {
        let arities = [100_000usize, 90_000, 7];
        let sum = 190_007u128;
        let pairs = 100_000 * 90_000 + 7 * 190_000u128;
        for (order, values, words) in
            [(1, sum, "each of 3 columns"), (2, pairs, "each of the 3 pairs of 3 columns")]
        {
            let refused = check_size(&arities, 11, order);
            let Err(Error::TooManyCells { family, cells, .. }) = refused else { panic!("{refused:?}") };
            assert_eq!(cells, values * sum * 11);
            assert!(
                family.starts_with(words) && family.contains(&format!("({values} values of parents")),
                "{family}"
            );
        }
        assert!(check_size(&[3, 2, 4], 2, 2).is_ok());
    }
}
