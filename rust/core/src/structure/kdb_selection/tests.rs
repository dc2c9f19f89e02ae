use super::*;
use crate::counts::Counter;

/// A row of weight 1 is a row: what is left without it is the same, however that is computed.
#[test]
fn a_row_of_weight_one_leaves_what_a_row_leaves() {
    let column = |step: i64, arity: usize| {
        let values: Vec<i64> = (0..60).map(|row| (row * step + row / 7) % arity as i64).collect();
        Column::from_integers("x", values.into_iter(), arity, None).unwrap()
    };
    let data = Dataset::new(vec![column(1, 3), column(2, 4)], Some(column(5, 3))).unwrap();
    let counts = Counter::new(&data);
    let [plain, weighted] = [false, true].map(|weighted| Table::new(&counts, 0, &[1], weighted).unwrap());
    let mut seen = 0;
    for (at, &own) in plain.own.iter().enumerate().filter(|(_, own)| **own > 0.0) {
        let (theta, factor) = weighted.factors(at / 3, at % 3, 1.0);
        assert_eq!((theta, own), plain.factors(at / 3, at % 3, 1.0));
        assert!((factor - own).abs() < 1e-9 * own, "{factor} {own}");
        seen += 1;
    }
    assert!(seen > 20);
}

/// Ratios of two classes after so many factors of the other class, whose own one is `own`.
fn after(own: u32, factors: &[f64], loss: Loss) -> f64 {
    let mut ratios = Ratios::new(2, 1);
    let mut last = f64::NAN;
    for &factor in factors {
        let theta = [factor; 2];
        last = ratios.advance(loss, &[own], None, |_, _, _| Some((&theta[..], 1.0)));
    }
    last
}

/// Beyond the range of a number, ln Σ is that of the factors' own logarithms; far below, nothing is left of them.
#[test]
fn the_log_loss_of_any_ratio() {
    for own in [0, 1] {
        for count in [1, 2, 3, 5, 9] {
            let expected = 100.0 * count as f64 * 10f64.ln();
            let found = after(own, &vec![1e100; count], Loss::LogLoss);
            assert!((found - expected).abs() < 1e-9 * expected, "{found} {expected}");
            assert!(after(own, &vec![1e-100; count], Loss::LogLoss).abs() < 1e-99);
        }
        let there_and_back = [1e100, 1e100, 1e100, 1e-100, 1e-100, 1e-100];
        assert!((after(own, &there_and_back, Loss::LogLoss) - 2f64.ln()).abs() < 1e-9);
    }
}

/// Equal classes are a tie, which the lower one wins: a row of the higher class is then wrong.
#[test]
fn ties_go_to_the_lower_class() {
    let wrong = |own, factor| after(own, &[factor], Loss::ZeroOne);
    assert_eq!(
        [1.0 - 1e-6, 1.0 - 1e-12, 1.0, 1.0 + 1e-6].map(|factor| wrong(1, factor)),
        [0.0, 1.0, 1.0, 1.0]
    );
    assert_eq!(
        [1.0 - 1e-6, 1.0, 1.0 + 1e-12, 1.0 + 1e-6].map(|factor| wrong(0, factor)),
        [0.0, 0.0, 0.0, 1.0]
    );
}
