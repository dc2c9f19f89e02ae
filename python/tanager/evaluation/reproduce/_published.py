"""Numbers as the papers print them."""

from __future__ import annotations

__all__ = [
    "ASB_ACCURACY",
    "ASB_LEARNERS",
    "ASB_P_VALUE",
    "ASB_RANKS",
    "CKG_ACCURACY",
    "CKG_ROWS",
    "TAN_LUNG",
    "TAN_UCI",
]

# Mihaljević, Larrañaga and Bielza 2013, table 3: accuracy in percent.
ASB_LEARNERS = ("asb", "stan", "fss", "bsej", "ffss", "nb", "tan")
ASB_ACCURACY: dict[str, tuple[float, ...]] = {
    "balance-scale": (72.9, 73.2, 73.6, 72.8, 73.3, 73.3, 73.2),
    "breast-cancer-wisconsin": (97.1, 97.1, 96.9, 97.5, 97.5, 97.5, 97.1),
    "car": (93.3, 93.5, 70.0, 90.0, 85.1, 85.3, 94.1),
    "chess": (94.1, 92.6, 94.1, 92.2, 87.8, 87.8, 92.4),
    "dermatology": (98.2, 98.0, 95.1, 98.2, 98.0, 98.0, 97.1),
    "ecoli": (85.7, 85.7, 83.4, 85.7, 85.7, 85.7, 84.5),
    "vote": (94.3, 92.9, 97.0, 91.2, 91.3, 91.2, 93.6),
    "ionosphere": (92.0, 91.9, 90.7, 90.7, 90.7, 90.7, 92.2),
    "lymphography": (85.4, 82.7, 78.4, 85.0, 82.7, 84.6, 83.4),
    "promoters": (89.8, 90.5, 84.0, 89.8, 90.5, 91.7, 48.7),
    "splice": (94.9, 95.0, 93.5, 95.5, 95.4, 95.5, 52.5),
    "primary-tumor": (46.5, 21.3, 42.5, 46.5, 21.3, 48.3, 41.6),
    "tic-tac-toe": (75.3, 74.8, 69.6, 71.7, 70.4, 70.4, 75.8),
    "wine": (98.7, 98.7, 95.4, 98.9, 98.9, 98.9, 96.9),
}
# Table 2 of the same.
ASB_RANKS = {"asb": 3.11, "stan": 3.96, "fss": 5.21, "bsej": 3.57, "ffss": 4.35, "nb": 3.53, "tan": 4.25}
ASB_P_VALUE = 0.20

# Carvalho and Oliveira, table 1: accuracy in percent of NB, TAN and C2G.
CKG_ACCURACY = {
    "letter": (74.80, 84.93, 88.01),
    "satimage": (82.99, 88.53, 88.68),
    "chess": (88.13, 92.24, 95.70),
    "segment": (71.76, 75.55, 79.33),
    "vehicle": (62.96, 71.24, 71.24),
    "diabetes": (76.99, 78.17, 78.69),
    "soybean-large": (91.07, 90.54, 91.25),
    "vote": (91.30, 93.04, 93.04),
    "waveform-21": (81.23, 80.63, 81.49),
    "heart-statlog": (83.71, 83.71, 84.07),
    "glass": (94.29, 94.29, 95.24),
    "iris": (93.33, 93.33, 94.00),
    "lymphography": (78.62, 84.83, 82.07),
    "hepatitis": (93.75, 90.00, 91.25),
}
# Training and test rows; no test rows means 5-fold cross-validation.
CKG_ROWS: dict[str, tuple[int, int]] = {
    "letter": (15000, 5000),
    "satimage": (4435, 2000),
    "chess": (2130, 1066),
    "segment": (1540, 770),
    "waveform-21": (300, 4700),
}

# Dadresan 2022, tables 1 and 2: "F1" in percent, of which kind it does not say.
TAN_LUNG = {"nb": 82.708, "tree": 95.769, "svm": 95.598, "tan": 99.280}
TAN_UCI = {
    "iris": {"nb": 93.8, "tree": 93.5, "svm": 93.1, "tan": 94.1},
    "chess": {"nb": 87.2, "tree": 92.7, "svm": 92.4, "tan": 92.3},
    "diabetes": {"nb": 74.3, "tree": 74.8, "svm": 75.2, "tan": 75.3},
}
