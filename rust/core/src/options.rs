//! Named settings of a score, a parameter estimator or a learner, as they come from the outside.

use std::collections::BTreeMap;

use crate::error::{Error, Result};

/// One setting.
#[derive(Debug, Clone, PartialEq)]
pub enum Setting {
    /// A number.
    Number(f64),
    /// A word.
    Text(String),
    /// Left to the default.
    None,
}

/// Settings by name. Whoever takes them says which names it knows; any other is refused.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options(BTreeMap<String, Setting>);

impl Options {
    /// Adds or replaces a setting.
    pub fn set(&mut self, name: &str, setting: Setting) {
        self.0.insert(name.into(), setting);
    }

    /// Refuses names that are not among the known ones.
    pub fn only(&self, owner: &str, known: &[&str]) -> Result<()> {
        match self.0.keys().find(|name| !known.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) => Err(Error::UnknownName {
                kind: "setting",
                name: format!("{owner}({name})"),
                known: if known.is_empty() { "none".into() } else { known.join(", ") },
            }),
        }
    }

    /// A setting as it came.
    pub fn setting(&self, name: &str) -> &Setting {
        self.0.get(name).unwrap_or(&Setting::None)
    }

    /// A number, or its default.
    pub fn number(&self, name: &'static str, default: f64) -> Result<f64> {
        match self.0.get(name) {
            None | Some(Setting::None) => Ok(default),
            Some(Setting::Number(number)) => Ok(*number),
            Some(Setting::Text(text)) => {
                Err(Error::UnknownName { kind: name, name: text.clone(), known: "numbers".into() })
            }
        }
    }

    /// A number above 0, or its default.
    pub fn positive(&self, name: &'static str, default: f64) -> Result<f64> {
        let value = self.number(name, default)?;
        if value > 0.0 && value.is_finite() {
            Ok(value)
        } else {
            Err(Error::ParameterOutOfRange { name, value, allowed: "it is a finite number above 0" })
        }
    }

    /// A position counted from 0, or none.
    pub fn index(&self, name: &'static str) -> Result<Option<usize>> {
        match self.0.get(name) {
            None | Some(Setting::None) => Ok(None),
            Some(_) => {
                let value = self.number(name, 0.0)?;
                if value >= 0.0 && value.fract() == 0.0 && value <= u32::MAX.into() {
                    Ok(Some(value as usize))
                } else {
                    Err(Error::ParameterOutOfRange { name, value, allowed: "it is a whole number from 0 on" })
                }
            }
        }
    }

    /// Yes (1) or no (0, the default).
    pub fn flag(&self, name: &'static str) -> Result<bool> {
        Ok(self.number(name, 0.0)? != 0.0)
    }

    /// A number above 0 where one is set.
    pub fn positive_if_set(&self, name: &'static str) -> Result<Option<f64>> {
        match self.0.get(name) {
            None | Some(Setting::None) => Ok(None),
            Some(_) => self.positive(name, 1.0).map(Some),
        }
    }

    /// A word out of a list, or the default.
    pub fn choice(&self, name: &'static str, known: &[&str], default: &str) -> Result<String> {
        let text = match self.0.get(name) {
            None | Some(Setting::None) => default.to_string(),
            Some(Setting::Text(text)) => text.clone(),
            Some(Setting::Number(number)) => number.to_string(),
        };
        if known.contains(&text.as_str()) {
            Ok(text)
        } else {
            Err(Error::UnknownName { kind: name, name: text, known: known.join(", ") })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_found_checked_and_refused() {
        let mut options = Options::default();
        options.set("alpha", Setting::Number(-1.0));
        options.set("prior", Setting::Text("flat".into()));
        assert_eq!(options.number("ess", 2.0), Ok(2.0));
        assert!(matches!(options.positive("alpha", 1.0), Err(Error::ParameterOutOfRange { .. })));
        let error = options.choice("prior", &["uniform", "empirical"], "uniform").unwrap_err();
        assert_eq!(error.to_string(), "unknown prior \"flat\", known are uniform, empirical");
        assert!(options.only("bd", &["alpha"]).is_err());
        assert!(options.only("bd", &["alpha", "prior"]).is_ok());
    }
}
