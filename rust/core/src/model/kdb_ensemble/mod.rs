//! Ensembles of selective k-dependence classifiers.

use rayon::prelude::*;

use crate::control::Control;
use crate::counts::{CountSource, Counter};
use crate::data::{Column, Dataset, Variable};
use crate::error::{Error, Result, check_length, check_parameter};
use crate::math::Random;
use crate::memory::filled;
use crate::model::{Asked, Classifier, ComposedEntry, Network, Wanted};
use crate::options::{Declared, Domain, Options};
use crate::parameters::Hierarchical;
use crate::registry::{About, Need};
use crate::structure::{Kdb, Loss, ParentInformation};

mod cuts;

/// The mean of selective KDBs whose orders and cuts are drawn.
///
/// # Formula
/// ```text
/// P(c | x) = 1/M Σ_m P_m(c | x)
/// ```
/// P_m a selective KDB ([`Kdb`]) with hierarchical smoothing. The first takes attributes in the order of I(X; C) and cuts numbers by
/// the MDL rule. Each other draws its order without replacement, the next attribute in proportion to I(X; C), and before
/// that the cuts of each column of numbers in proportion to max(0, gain − MDL threshold). Attributes that tell
/// nothing about the class are left out.
///
/// # Missing and unseen values
/// Summed out in each member.
///
/// # Complexity
/// M times that of a selective KDB, members in parallel.
///
/// # References
/// zhang2020
///
/// # Differences
/// Tables are dense: of the parents of an attribute only the first are taken whose table has at most 2¹⁸ cells, fewer where the
/// tables of all members would have more than 2²⁶. Numbers are cut at 256 quantiles at most, and at the cuts of the MDL rule.
#[derive(Debug, Clone, PartialEq)]
pub struct KdbEnsemble {
    arities: Vec<usize>,
    members: Vec<Member>,
}

/// A network over columns whose values may be coarser.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// For each column the member's value of each value, where they differ.
    pub intervals: Vec<Option<Vec<u32>>>,
    /// The network.
    pub network: Network,
}

/// A column of numbers: how many ordered values it has, and behind which of them the MDL rule cuts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ladder {
    /// The ordered values, the first of the column's.
    pub bins: usize,
    /// The cuts of the first member.
    pub cuts: Vec<usize>,
}

impl Ladder {
    /// Refuses more ordered values than there are, and cuts that do not ascend among them.
    fn check(&self, arity: usize) -> Result<()> {
        check_length("the list of ordered values", self.bins.max(arity), arity)?;
        let ascending = self.cuts.is_sorted_by(|one, next| one < next);
        let Some(&last) = self.cuts.last() else { return Ok(()) };
        let (is_allowed, allowed) =
            (ascending && last < self.bins, "cuts ascend and lie behind ordered values");
        check_parameter("the last cut of a column", last as f64, is_allowed, allowed)
    }
}

/// How members are made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnsembleSettings {
    /// M.
    pub members: usize,
    /// The members' KDB.
    pub kdb: KdbOfMembers,
    /// The seed.
    pub seed: u64,
}

/// What the KDBs of members are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KdbOfMembers {
    /// The most attribute parents.
    pub k: usize,
    /// The loss by which a prefix and k' are selected, where they are.
    pub selection: Option<Loss>,
}

/// The learner, registered.
pub const ENTRY: ComposedEntry = ComposedEntry {
    about: About {
        name: "ekdb",
        title: "KDB ensemble",
        summary: "the mean of selective KDBs whose orders and cuts are drawn",
        formula: "1/M Σ_m P_m(c | x), orders ∝ I(X; C), cuts ∝ max(0, gain − MDL threshold)",
        settings: &[
            Declared::new("n_estimators", Domain::Whole(20), "how many members"),
            Declared::new("k", Domain::Whole(5), "the most attribute parents"),
            Declared::new("selective", Domain::Yes, "whether leave-one-out selects a prefix and k' ≤ k"),
            Declared::new("selection", Domain::Word(Loss::WORDS), "the loss by which they are selected"),
            Declared::new("random_state", Domain::Whole(0), "the seed of orders and cuts"),
        ],
        needs: &[Need::Class, Need::Rows],
    },
    from_counts: None,
};

impl EnsembleSettings {
    /// From the settings of [`ENTRY`].
    pub fn from_options(options: &Options) -> Result<Self> {
        let options = &options.resolve(ENTRY.about.name, ENTRY.about.settings)?;
        let members = options.from_one("n_estimators")?;
        let selection = options.flag("selective").then(|| Loss::of_word(options.word("selection")));
        let kdb = KdbOfMembers { k: options.whole("k").unwrap_or(5), selection };
        Ok(Self { members, kdb, seed: options.seed() })
    }

    /// The most cells of a table.
    fn most_cells(&self, columns: usize) -> usize {
        const OF_TABLE: usize = 1 << 18;
        const OF_ALL: usize = 1 << 26;
        (OF_ALL / self.members.saturating_mul(columns).max(1)).clamp(1 << 12, OF_TABLE)
    }
}

impl KdbEnsemble {
    /// Learns from rows with a class; `ladders` are of the columns of numbers.
    pub fn fit(
        data: &Dataset,
        ladders: &[Option<Ladder>],
        settings: EnsembleSettings,
        control: &Control,
    ) -> Result<Self> {
        if data.n_classes().is_none() {
            return Err(Error::NoClass { what: ENTRY.about.name });
        }
        check_length("the list of columns of numbers", ladders.len(), data.n())?;
        for (ladder, arity) in ladders.iter().zip(data.arities()) {
            ladder.as_ref().map_or(Ok(()), |ladder| ladder.check(arity))?;
        }
        let counts = Counter::new(data);
        let tables = ladders.iter().enumerate().map(|(column, ladder)| match ladder {
            Some(_) => Ok(counts.family(Variable::Attribute(column), &[], true)?.cells.to_f64()),
            None => Ok(Vec::new()),
        });
        let tables = tables.collect::<Result<Vec<_>>>()?;
        let mut seeds = Random::new(settings.seed);
        let seeds: Vec<u64> = (0..settings.members).map(|_| seeds.next_u64()).collect();
        control.expect(settings.members as u64);
        let kdb = Kdb {
            k: settings.kdb.k,
            information: ParentInformation::Conditional,
            selection: settings.kdb.selection,
        };
        let member = |(place, seed): (usize, u64)| {
            control.check()?;
            let mut random = (place > 0).then(|| Random::new(seed));
            let arities = data.arities();
            let of_column = |(column, ladder): (usize, &Option<Ladder>)| {
                let Ladder { bins, cuts } = ladder.as_ref()?;
                let drawn = random
                    .as_mut()
                    .map(|random| cuts::drawn_cuts(&tables[column], arities[column], *bins, random));
                Some(cuts::intervals(drawn.as_ref().unwrap_or(cuts), arities[column], *bins))
            };
            let intervals: Vec<Option<Vec<u32>>> = ladders.iter().enumerate().map(of_column).collect();
            let own;
            let own_counts;
            let counts = if intervals.iter().all(Option::is_none) {
                &counts
            } else {
                own = coarser(data, &intervals)?;
                own_counts = Counter::new(&own);
                &own_counts
            };
            let most = settings.most_cells(data.n());
            let structure = kdb.learn_drawn(counts, random.as_mut(), most, control)?;
            let network = Network::estimate(&structure, counts, &Hierarchical, control)?;
            control.advance(1);
            Ok(Member { intervals, network })
        };
        let members = seeds.into_par_iter().enumerate().map(member).collect::<Result<Vec<_>>>()?;
        Self::from_parts(data.arities(), members)
    }

    /// Puts an ensemble together, checked.
    pub fn from_parts(arities: Vec<usize>, members: Vec<Member>) -> Result<Self> {
        let Some(first) = members.first() else { return Err(Error::Empty { what: "the number of members" }) };
        for member in &members {
            check_length("the classes of a member", member.network.n_classes(), first.network.n_classes())?;
            check_length("the list of intervals", member.intervals.len(), arities.len())?;
            check_length("the columns of a member", member.network.arities().len(), arities.len())?;
            for (column, intervals) in member.intervals.iter().enumerate() {
                let values = member.network.arities()[column];
                match intervals {
                    None => check_length("the domain of a column", values, arities[column])?,
                    Some(intervals) => {
                        check_length("the intervals of a column", intervals.len(), arities[column])?;
                        let largest = intervals.iter().max().map_or(0, |&largest| largest as usize);
                        check_length("the domain of a column", values.max(largest + 1), values)?;
                    }
                }
            }
        }
        Ok(Self { arities, members })
    }

    /// The attributes' domain sizes.
    pub fn arities(&self) -> &[usize] {
        &self.arities
    }

    /// The members.
    pub fn members(&self) -> &[Member] {
        &self.members
    }
}

impl Classifier for KdbEnsemble {
    /// The same in all networks.
    fn class_prior(&self) -> &[f64] {
        self.members[0].network.class_prior()
    }

    /// A mean of posteriors has no joint probability: what is wanted in its place is ln P(c | x).
    fn predict(&self, asked: Asked<'_>, wanted: Wanted) -> Result<Vec<f64>> {
        let Asked { data, summing, control, .. } = asked;
        let entries = data.rows().saturating_mul(self.class_prior().len());
        let mut mean = filled(|| format!("the probabilities of {} rows", data.rows()), 0.0, entries)?;
        // One member after the other: each takes all threads, and the sum has one order.
        for member in &self.members {
            control.check()?;
            let coarse = coarser(data, &member.intervals)?;
            let of_member = member.network.posterior(&coarse, summing, control)?;
            mean.iter_mut().zip(of_member).for_each(|(mean, value)| *mean += value);
        }
        mean.iter_mut().for_each(|mean| *mean /= self.members.len() as f64);
        if wanted != Wanted::Posterior {
            mean.iter_mut().for_each(|mean| *mean = mean.ln());
        }
        Ok(mean)
    }

    fn is_quick(&self, data: &Dataset) -> bool {
        data.rows() < 16 && self.members.iter().all(|member| member.network.is_quick(data))
    }
}

/// The rows with a member's values.
fn coarser(data: &Dataset, intervals: &[Option<Vec<u32>>]) -> Result<Dataset> {
    check_length("the list of columns", data.n(), intervals.len())?;
    let columns = data.columns().iter().zip(intervals).map(|(column, intervals)| {
        let Some(intervals) = intervals else { return Ok(column.clone()) };
        check_length("the domain of a column", column.arity(), intervals.len())?;
        let arity = intervals.iter().max().map_or(1, |&largest| largest as usize + 1);
        let codes =
            (0..column.len()).map(|row| column.get(row).map_or(-1, |code| i64::from(intervals[code])));
        Column::from_integers("interval", codes, arity, Some(-1))
    });
    let coarse = Dataset::new(columns.collect::<Result<Vec<_>>>()?, data.class().cloned())?;
    match data.weights() {
        Some(weights) => coarse.with_weights(weights.to_vec()),
        None => Ok(coarse),
    }
}
