//! P(c, x) of rows: the sum over all trees, and over what is missing.

use crate::control::Control;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::graph::{SpanningTrees, pair};
use crate::math::log_sum_exp;
use crate::model::averaged_tan::AveragedTan;
use crate::model::{Asked, Composed, Summing};

/// Rows and classes that are eliminated side by side: enough to share what they have in common, few enough for the cache.
fn lanes(n: usize) -> usize {
    (65_536 / (n * n / 2).max(1)).clamp(32, 512)
}

impl AveragedTan {
    /// R of one pair of values, for each class.
    pub(super) fn ratio(&self, u: usize, v: usize, x_u: usize, x_v: usize) -> &[f64] {
        let (low, high, x_low, x_high) = if u < v { (u, v, x_u, x_v) } else { (v, u, x_v, x_u) };
        let s = self.n_classes();
        &self.ratios[pair(high, low)][(x_low * self.arities[high] + x_high) * s..][..s]
    }

    /// ln P(c, x) of some attributes of some rows, less ln P(c): `[row·s + c]`.
    fn log_given_class(&self, rows: Rows<'_>, attributes: &[usize], control: &Control) -> Result<Vec<f64>> {
        let (n, s) = (self.arities.len(), self.n_classes());
        let mut found = vec![0.0; rows.count * s];
        for &attribute in attributes {
            for (row, found) in found.chunks_exact_mut(s).enumerate() {
                let alone = &self.log_theta[attribute][(rows.code)(attribute, row) * s..][..s];
                found.iter_mut().zip(alone).for_each(|(found, alone)| *found += alone);
            }
        }
        if attributes.len() < 2 {
            return Ok(found);
        }
        let (of_these, total);
        let (trees, log_total) = if attributes.len() == n {
            let (all, log_total) = self.all(control)?;
            (all, *log_total)
        } else {
            of_these = SpanningTrees::new(&self.log_weights, n, attributes)?;
            total = of_these.log_sum(control)?;
            (&of_these, total)
        };
        let at_a_time = (lanes(attributes.len()) / s).max(1);
        for (block, found) in found.chunks_mut(at_a_time * s).enumerate() {
            let codes = rows.codes(trees.nodes(), block * at_a_time, found.len() / s);
            let sums = if self.spread <= SpanningTrees::WIDEST {
                self.log_sums(&codes, trees, control)?
            } else {
                self.log_sums_of_logarithms(&codes, trees, control)?
            };
            found.iter_mut().zip(sums).for_each(|(found, sum)| *found += sum - log_total);
        }
        Ok(found)
    }

    /// ln Σ_T Π W R, relative to the best tree, of each row, its codes at `[place·rows + row]`.
    fn log_sums(&self, codes: &[usize], trees: &SpanningTrees, control: &Control) -> Result<Vec<f64>> {
        let (s, nodes) = (self.n_classes(), trees.nodes());
        let rows = codes.len() / nodes.len();
        let lanes = rows * s;
        let mut scaled = vec![0.0; trees.relative().len() * lanes];
        for (a, of_a) in codes.chunks_exact(rows).enumerate() {
            for (j, of_j) in codes.chunks_exact(rows).take(a).enumerate() {
                let relative = trees.relative()[pair(a, j)];
                let into = scaled[pair(a, j) * lanes..][..lanes].chunks_exact_mut(s);
                for (into, (&x_u, &x_v)) in into.zip(of_a.iter().zip(of_j)) {
                    let ratios = self.ratio(nodes[a], nodes[j], x_u, x_v);
                    into.iter_mut().zip(ratios).for_each(|(into, ratio)| *into = ratio * relative);
                }
            }
        }
        trees.log_sums(&mut scaled, lanes, control)
    }

    /// The same where R are of any size, as weights of rows may be.
    fn log_sums_of_logarithms(
        &self,
        codes: &[usize],
        trees: &SpanningTrees,
        control: &Control,
    ) -> Result<Vec<f64>> {
        let nodes = trees.nodes();
        let rows = codes.len() / nodes.len();
        let mut sums = Vec::with_capacity(rows * self.n_classes());
        let mut logarithms = Vec::with_capacity(trees.relative().len());
        for row in 0..rows {
            let at = |place: usize| codes[place * rows + row];
            for c in 0..self.n_classes() {
                logarithms.clear();
                for (a, &u) in nodes.iter().enumerate() {
                    for (j, &v) in nodes[..a].iter().enumerate() {
                        let ratio = self.ratio(u, v, at(a), at(j))[c];
                        logarithms.push(trees.log_relative()[pair(a, j)] + ratio.ln());
                    }
                }
                sums.push(trees.log_sum_of_logarithms(&mut logarithms, control)?);
            }
        }
        Ok(sums)
    }

    /// [`Self::log_given_class`] of one row's `known` attributes and all values of those in `summed`.
    fn log_summed(
        &self,
        row: usize,
        data: &Dataset,
        known: &[usize],
        summed: &[usize],
        control: &Control,
    ) -> Result<Vec<f64>> {
        let sizes = summed.iter().map(|&attribute| self.arities[attribute] as u128);
        let cells = sizes.fold(1u128, u128::saturating_mul);
        if cells > Self::COMPLETIONS {
            let (missing, limit) = (summed.len(), Self::COMPLETIONS);
            return Err(Error::TooManyMissing { row, missing, cells, limit });
        }
        let code = |attribute: usize, completion: usize| match data.column(attribute).get(row) {
            Some(code) => code,
            None => {
                let before = summed.iter().take_while(|&&other| other != attribute);
                completion / before.map(|&other| self.arities[other]).product::<usize>()
                    % self.arities[attribute]
            }
        };
        let attributes = [known, summed].concat();
        let rows = Rows { count: cells as usize, code: &code };
        let each = self.log_given_class(rows, &attributes, control)?;
        let s = self.n_classes();
        let of_class = |c: usize| each.iter().skip(c).step_by(s).copied().collect::<Vec<f64>>();
        Ok((0..s).map(|c| log_sum_exp(&of_class(c))).collect())
    }

    /// Rows from `first` on by the attributes that they have and those that they miss, both in the order of the best tree.
    fn by_missing(
        &self,
        data: &Dataset,
        first: usize,
        rows: usize,
    ) -> Vec<(Vec<usize>, Vec<usize>, Vec<usize>)> {
        let incomplete: Vec<usize> =
            (0..data.n()).filter(|&column| data.column(column).has_missing()).collect();
        let missing = |row: usize| -> Vec<usize> {
            incomplete.iter().copied().filter(|&column| data.column(column).get(row).is_none()).collect()
        };
        let mut patterns: Vec<(Vec<usize>, usize)> =
            (first..first + rows).map(|row| (missing(row), row)).collect();
        patterns.sort();
        let alike = patterns.chunk_by(|a, b| a.0 == b.0);
        alike
            .map(|alike| {
                let (absent, known) = self.order.iter().partition(|attribute| alike[0].0.contains(attribute));
                (known, absent, alike.iter().map(|(_, row)| *row).collect())
            })
            .collect()
    }
}

/// So many rows, whose codes are asked for by attribute and row.
#[derive(Clone, Copy)]
struct Rows<'a> {
    count: usize,
    code: &'a dyn Fn(usize, usize) -> usize,
}

impl Rows<'_> {
    /// `[place·count + row]` of some attributes of the rows from `first` on.
    fn codes(&self, attributes: &[usize], first: usize, count: usize) -> Vec<usize> {
        let of = |&attribute: &usize| (first..first + count).map(move |row| (self.code)(attribute, row));
        attributes.iter().flat_map(of).collect()
    }
}

/// Whether missing values are summed over, or left out; where nothing or one value is known, all trees agree.
fn sums(asked: Asked<'_>, known: &[usize], absent: &[usize]) -> bool {
    asked.summing == Summing::Exact && !absent.is_empty() && known.len() > 1
}

impl Composed for AveragedTan {
    fn arities(&self) -> &[usize] {
        &self.arities
    }

    fn log_prior(&self) -> &[f64] {
        &self.log_prior
    }

    fn prepare(&self, control: &Control) -> Result<()> {
        self.all(control).map(drop)
    }

    fn cost(&self) -> usize {
        let n = self.terms();
        self.n_classes().saturating_mul(n.saturating_pow(3) / 6 + n * n)
    }

    fn log_joint_of(&self, asked: Asked<'_>, log_joint: &mut [f64]) -> Result<()> {
        let (Asked { data, first, control, .. }, s) = (asked, self.n_classes());
        for (known, absent, rows) in self.by_missing(data, first, log_joint.len() / s) {
            let found = if sums(asked, &known, &absent) {
                let each = rows.iter().map(|&row| self.log_summed(row, data, &known, &absent, control));
                each.collect::<Result<Vec<_>>>()?.concat()
            } else {
                let code = |attribute: usize, row: usize| data.column(attribute).get(rows[row]).unwrap_or(0);
                self.log_given_class(Rows { count: rows.len(), code: &code }, &known, control)?
            };
            for (&row, found) in rows.iter().zip(found.chunks_exact(s)) {
                let joint = &mut log_joint[(row - first) * s..][..s];
                for (c, joint) in joint.iter_mut().enumerate() {
                    *joint = self.log_prior[c] + found[c];
                }
            }
        }
        Ok(())
    }

    /// The chain rule along the best tree, parents first: what each attribute adds to the model of those before it. Where
    /// one tree is nearly certain, that is ln θ(x_i | parent, c) of it. Attributes that are missing come last: what it
    /// adds to sum over them instead of leaving them out.
    fn contributions_of(&self, asked: Asked<'_>, contributions: &mut [f64]) -> Result<()> {
        let (Asked { data, first, control, .. }, n, s) = (asked, self.terms(), self.n_classes());
        let rows_here = contributions.len() / (n * s).max(1);
        let mut add = |row: usize, attribute: usize, before: &[f64], after: &[f64]| {
            let into = &mut contributions[((row - first) * n + attribute) * s..][..s];
            into.iter_mut()
                .zip(after.iter().zip(before))
                .for_each(|(into, (after, before))| *into = after - before);
        };
        for (known, absent, rows) in self.by_missing(data, first, rows_here) {
            let code = |attribute: usize, row: usize| data.column(attribute).get(rows[row]).unwrap_or(0);
            let mut before = vec![0.0; rows.len() * s];
            for (place, &attribute) in known.iter().enumerate() {
                let rows_of = Rows { count: rows.len(), code: &code };
                let after = self.log_given_class(rows_of, &known[..=place], control)?;
                for (at, &row) in rows.iter().enumerate() {
                    add(row, attribute, &before[at * s..][..s], &after[at * s..][..s]);
                }
                before = after;
            }
            if !sums(asked, &known, &absent) {
                continue;
            }
            for (&row, before) in rows.iter().zip(before.chunks_exact(s)) {
                let mut before = before.to_vec();
                for (place, &attribute) in absent.iter().enumerate() {
                    let after = self.log_summed(row, data, &known, &absent[..=place], control)?;
                    add(row, attribute, &before, &after);
                    before = after;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::Counter;
    use crate::data::Column;
    use crate::model::Classifier;

    /// Ratios of any size are summed as logarithms: where they are moderate, both ways give the same.
    #[test]
    fn sums_of_logarithms_are_sums_of_products() {
        let column = |step: i64, arity: i64| {
            let codes = (0..40i32).map(move |row| (i64::from(row) * step + i64::from(row) / 7) % arity);
            Column::from_integers("x", codes, arity as usize, None).unwrap()
        };
        let columns = vec![column(1, 2), column(3, 3), column(2, 5), column(5, 2)];
        let data = Dataset::new(columns, Some(column(7, 3))).unwrap();
        let control = Control::new();
        let joint = |model: &AveragedTan| model.log_joint(&data, Summing::Exact, &control).unwrap();
        let mut model = AveragedTan::fit(&Counter::new(&data), &control).unwrap();
        assert!(model.spread <= SpanningTrees::WIDEST);
        let products = joint(&model);
        model.spread = f64::INFINITY;
        let logarithms = joint(&model);
        assert_eq!(products.len(), 40 * 3);
        assert_eq!(logarithms.len(), products.len());
        for (one, other) in products.iter().zip(&logarithms) {
            assert!((one - other).abs() < 1e-10 * one.abs(), "{one} and {other}");
        }
    }
}
