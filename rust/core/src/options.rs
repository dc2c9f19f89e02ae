//! Named settings of a score, a parameter estimator or a learner: as their owner declares them, and as they come from
//! the outside.

use std::collections::BTreeMap;

use crate::error::{Error, Result, check_parameter};

/// One setting.
#[derive(Debug, Clone, PartialEq)]
pub enum Setting {
    /// A number.
    Number(f64),
    /// A word.
    Text(String),
    /// Lists of columns, by position.
    Lists(Vec<Vec<usize>>),
    /// Nothing.
    None,
}

/// What a setting may be, and what it is unless given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Domain {
    /// A number; its owner checks the range.
    Number(f64),
    /// A finite number above 0.
    Positive(f64),
    /// A finite number above 0, or nothing.
    PositiveOrNone,
    /// A whole number from 0 on.
    Whole(u32),
    /// A whole number from 0 on, or nothing.
    WholeOrNone,
    /// Yes or no; no.
    Flag,
    /// Yes or no; yes.
    Yes,
    /// One of these words; the first.
    Word(&'static [&'static str]),
    /// One of these words, or nothing; nothing.
    WordOrNone(&'static [&'static str]),
    /// The position of a column, one of these words, or nothing; nothing.
    Column(&'static [&'static str]),
    /// Lists of columns by position, one of these words, or nothing; nothing. Their owner checks the columns.
    Lists(&'static [&'static str]),
}

/// A setting as its owner declares it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Declared {
    /// Its name.
    pub name: &'static str,
    /// What it may be.
    pub domain: Domain,
    /// One line for people.
    pub summary: &'static str,
}

impl Declared {
    /// A setting.
    pub const fn new(name: &'static str, domain: Domain, summary: &'static str) -> Self {
        Self { name, domain, summary }
    }

    /// What it is unless given.
    pub fn default_setting(&self) -> Setting {
        match self.domain {
            Domain::Number(default) | Domain::Positive(default) => Setting::Number(default),
            Domain::Whole(default) => Setting::Number(default.into()),
            Domain::Flag => Setting::Number(0.0),
            Domain::Yes => Setting::Number(1.0),
            Domain::Word(words) => words.first().map_or(Setting::None, |&word| Setting::Text(word.into())),
            Domain::PositiveOrNone
            | Domain::WholeOrNone
            | Domain::WordOrNone(_)
            | Domain::Column(_)
            | Domain::Lists(_) => Setting::None,
        }
    }

    /// Refuses a setting that is not in the domain.
    fn check(&self, setting: &Setting) -> Result<()> {
        let name = self.name;
        let words: &[&str] = match self.domain {
            Domain::Word(words)
            | Domain::WordOrNone(words)
            | Domain::Column(words)
            | Domain::Lists(words) => words,
            _ => &[],
        };
        let unknown = |known: &[&str]| {
            let shown = match setting {
                Setting::Text(word) => word.clone(),
                Setting::Number(number) => number.to_string(),
                Setting::Lists(_) => "a list".into(),
                Setting::None => "none".into(),
            };
            Err(Error::UnknownName { kind: name, name: shown, known: known.join(", ") })
        };
        match (self.domain, setting) {
            (_, Setting::None) if self.default_setting() == Setting::None => Ok(()),
            (Domain::Lists(_), Setting::Lists(_)) => Ok(()),
            (_, Setting::Text(word)) if words.contains(&word.as_str()) => Ok(()),
            (Domain::Lists(_), _) => unknown(&[&["none", "lists of columns"], words].concat()),
            (Domain::WordOrNone(_), _) => unknown(&[&["none"], words].concat()),
            (Domain::Word(_), Setting::Text(_) | Setting::Number(_)) => unknown(words),
            (Domain::Column(_), Setting::Text(_)) => {
                unknown(&[&["none", "the position of a column"], words].concat())
            }
            (_, Setting::Lists(_) | Setting::Text(_) | Setting::None) => unknown(&["numbers"]),
            (Domain::Number(_) | Domain::Flag | Domain::Yes, Setting::Number(_)) => Ok(()),
            (Domain::Positive(_) | Domain::PositiveOrNone, &Setting::Number(value)) => {
                let is_allowed = value > 0.0 && value.is_finite();
                check_parameter(name, value, is_allowed, "it is a finite number above 0")
            }
            (Domain::Whole(_) | Domain::WholeOrNone | Domain::Column(_), &Setting::Number(value)) => {
                let is_whole = value >= 0.0 && value.fract() == 0.0;
                check_parameter(name, value, is_whole, "it is a whole number from 0 on")?;
                check_parameter(name, value, value <= u32::MAX.into(), "it is at most 4294967295")
            }
        }
    }
}

/// Settings by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options(BTreeMap<String, Setting>);

impl Options {
    /// Adds or replaces a setting.
    pub fn set(&mut self, name: &str, setting: Setting) {
        self.0.insert(name.into(), setting);
    }

    /// All declared settings, checked: as given, else (absent, or nothing where that is not allowed) by default. Names
    /// that are not declared are refused.
    pub fn resolve(&self, owner: &str, declared: &[Declared]) -> Result<Self> {
        if let Some(name) = self.0.keys().find(|name| declared.iter().all(|one| one.name != name.as_str())) {
            let known: Vec<&str> = declared.iter().map(|one| one.name).collect();
            return Err(Error::UnknownName {
                kind: "setting",
                name: format!("{owner}({name})"),
                known: if known.is_empty() { "none".into() } else { known.join(", ") },
            });
        }
        let mut resolved = Self::default();
        for one in declared {
            let setting = match self.0.get(one.name) {
                None | Some(Setting::None) => one.default_setting(),
                Some(setting) => setting.clone(),
            };
            one.check(&setting)?;
            resolved.set(one.name, setting);
        }
        Ok(resolved)
    }

    /// A setting as it is.
    pub fn setting(&self, name: &str) -> &Setting {
        self.0.get(name).unwrap_or(&Setting::None)
    }

    /// A number that is declared to be one.
    pub fn number(&self, name: &'static str) -> Result<f64> {
        self.number_if_set(name).ok_or_else(|| Error::UnknownName {
            kind: name,
            name: "none".into(),
            known: "numbers".into(),
        })
    }

    /// A number where there is one.
    pub fn number_if_set(&self, name: &str) -> Option<f64> {
        if let Setting::Number(number) = self.setting(name) { Some(*number) } else { None }
    }

    /// A whole number where there is one: a limit, a seed, the position of a column.
    pub fn whole(&self, name: &str) -> Option<usize> {
        self.number_if_set(name).map(|number| number as usize)
    }

    /// A whole number that is declared to be one, and may not be 0.
    pub fn from_one(&self, name: &'static str) -> Result<usize> {
        let number = self.number(name)?;
        check_parameter(name, number, number > 0.0, "it is a whole number from 1 on")?;
        Ok(number as usize)
    }

    /// The setting `random_state`, 0 where there is none.
    pub fn seed(&self) -> u64 {
        self.whole("random_state").unwrap_or_default() as u64
    }

    /// Yes or no.
    pub fn flag(&self, name: &str) -> bool {
        self.number_if_set(name).is_some_and(|number| number != 0.0)
    }

    /// Lists of columns, where there are any.
    pub fn lists(&self, name: &str) -> Option<&[Vec<usize>]> {
        if let Setting::Lists(lists) = self.setting(name) { Some(lists) } else { None }
    }

    /// A word; empty where there is none.
    pub fn word(&self, name: &str) -> &str {
        if let Setting::Text(word) = self.setting(name) { word } else { "" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECLARED: &[Declared] = &[
        Declared::new("alpha", Domain::Positive(2.0), "a number"),
        Declared::new("prior", Domain::Word(&["uniform", "empirical"]), "a word"),
        Declared::new("root", Domain::Column(&["best"]), "a column"),
    ];

    fn resolved(name: &str, setting: Setting) -> Result<Options> {
        let mut options = Options::default();
        options.set(name, setting);
        options.resolve("bd", DECLARED)
    }

    #[test]
    fn settings_are_found_checked_and_refused() {
        let options = Options::default().resolve("bd", DECLARED).unwrap();
        assert_eq!((options.number("alpha"), options.word("prior")), (Ok(2.0), "uniform"));
        assert_eq!(options.whole("root"), None);
        assert_eq!(resolved("root", Setting::Number(3.0)).unwrap().whole("root"), Some(3));
        assert_eq!(resolved("root", Setting::Text("best".into())).unwrap().word("root"), "best");
        let refused = resolved("alpha", Setting::Number(-1.0));
        assert!(matches!(refused, Err(Error::ParameterOutOfRange { name: "alpha", .. })));
        let error = resolved("prior", Setting::Text("flat".into())).unwrap_err();
        assert_eq!(error.to_string(), "unknown prior \"flat\", known are uniform, empirical");
        assert!(resolved("beta", Setting::None).is_err());
    }
}
