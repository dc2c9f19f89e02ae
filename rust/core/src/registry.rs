//! What is registered: every score, parameter estimator and learner tells about itself here, once. Bindings, command
//! line, documents and tests iterate the registries and tell nothing of their own.

use crate::error::{Error, Result};
use crate::options::{Declared, Options};

/// What a learner or a score cannot do without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// A class. A learner without this need also learns densities.
    Class,
    /// A score to maximise.
    Score,
    /// Cross-validated accuracy, and with it the rows.
    Accuracy,
    /// Tables of more than two attributes. Learners without this need learn from the tables of all pairs.
    Families,
    /// The rows themselves, or a fit of its own. Learners that need neither this nor accuracy learn from counts alone, and
    /// all folds of a cross-validation are counted at once for them.
    Rows,
}

impl Need {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Need::Class => "class",
            Need::Score => "score",
            Need::Accuracy => "accuracy",
            Need::Families => "families",
            Need::Rows => "rows",
        }
    }
}

/// What there is to tell about something registered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct About {
    /// Python's string and the value on the command line; unique in its registry.
    pub name: &'static str,
    /// As people write it. For scores and estimators also the name of the object that has the settings.
    pub title: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// One line for those who want to know exactly; symbols as in the documents of its room.
    pub formula: &'static str,
    /// Its settings.
    pub settings: &'static [Declared],
    /// What it cannot do without.
    pub needs: &'static [Need],
}

/// A registered thing, made from its settings.
pub struct Entry<T: 'static> {
    /// What there is to tell.
    pub about: About,
    /// Makes it; the settings are all there, and each is in its domain.
    pub build: fn(&Options) -> Result<T>,
}

impl<T> Entry<T> {
    /// Makes it from the settings that are given.
    pub fn make(&self, options: &Options) -> Result<T> {
        (self.build)(&options.resolve(self.about.name, self.about.settings)?)
    }
}

/// What is registered under a name.
pub fn find<T>(kind: &'static str, registry: &'static [Entry<T>], name: &str) -> Result<&'static Entry<T>> {
    registry.iter().find(|entry| entry.about.name == name).ok_or_else(|| {
        let known: Vec<&str> = registry.iter().map(|entry| entry.about.name).collect();
        Error::UnknownName { kind, name: name.into(), known: known.join(", ") }
    })
}
