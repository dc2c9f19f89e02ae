"""Importances by sums over a fine grid of everything that an attribute and its parents could be."""

from math import exp, isfinite, log


def contribution(points) -> float:
    """E Σ_c P(c | ·) |t_c − Σ_c' P(c' | ·) t_c'| over points (ln P(c, ·) by class, t by class, area)."""
    found = 0.0
    for log_joint, t, area in points:
        joint = [exp(value) for value in log_joint]
        total = sum(joint)
        if total == 0:
            continue
        mean = sum(p / total * value for p, value in zip(joint, t, strict=True) if p > 0)
        found += area * sum(p * abs(value - mean) for p, value in zip(joint, t, strict=True) if p > 0)
    return found


def information(points, log_prior) -> float:
    """E ln [P(x, c) / (P(x) P(c))] over points (ln P(c, x) by class, area)."""
    found = 0.0
    for log_joint, area in points:
        total = sum(exp(value) for value in log_joint)
        for value, of_class in zip(log_joint, log_prior, strict=True):
            if isfinite(value) and exp(value) > 0:
                found += area * exp(value) * (value - log(total) - of_class)
    return found
