"""Local scores φ_i(Π), one function per registry name.

Every function takes the table, the child and its parents exactly as given (`"class"` may be among them,
and may be the child). A network's score is Σ_i φ_i(Π_i), the class node included. N_jk are the family's
counts, N_j = Σ_k N_jk, N the number of rows, r the child's number of values, q the number of parent
configurations. Natural logarithms; 0·ln 0 = 0.
"""

from math import inf, lgamma, log, prod

from scipy.stats import chi2

from reference.acll import constants
from reference.counts import family_counts
from reference.table import CLASS, MISSING, Table, configurations


def ll(table: Table, child, parents) -> float:
    """Log-likelihood: Σ_jk N_jk ln(N_jk / N_j)."""
    return sum(
        n_jk * log(n_jk / sum(row))
        for row in family_counts(table, child, parents)
        for n_jk in row
        if n_jk > 0
    )


def free_parameters(table: Table, child, parents) -> int:
    """(r − 1) q."""
    return (table.arity(child) - 1) * prod(table.arity(parent) for parent in parents)


def aic(table: Table, child, parents) -> float:
    """Akaike: ll − (r − 1) q."""
    return ll(table, child, parents) - free_parameters(table, child, parents)


def bic(table: Table, child, parents) -> float:
    """Schwarz, also called MDL: ll − ½ ln(N) (r − 1) q."""
    return ll(table, child, parents) - 0.5 * log(table.total()) * free_parameters(table, child, parents)


def ll_gain(table: Table, child, parents) -> float:
    """ll less that of the class alone, both on the rows where all of the family is known, scaled to N."""
    known = [
        row
        for row in range(table.n_rows)
        if all(table.value(row, variable) != MISSING for variable in (child, *parents))
    ]
    if not known:
        return 0.0
    factor = table.total() / table.rows(known).total()
    scaled = table.rows(known)._replace(weights=[factor * table.weight(row) for row in known])
    return ll(scaled, child, parents) - ll(scaled, child, table.class_parent())


def bic_gain(table: Table, child, parents) -> float:
    """bic less that of the class alone, the likelihoods as in `ll_gain`."""
    alone = free_parameters(table, child, table.class_parent())
    more = free_parameters(table, child, parents) - alone
    return ll_gain(table, child, parents) - 0.5 * log(table.total()) * more


def dirichlet_multinomial(counts, alphas) -> float:
    """ln of the marginal likelihood of the counts of one parent configuration under a Dirichlet prior.

        lnΓ(α) − lnΓ(α + N) + Σ_k [ lnΓ(α_k + N_k) − lnΓ(α_k) ],   α = Σ_k α_k

    A value with α_k = 0 never occurs: it adds nothing where N_k = 0 and makes the data impossible elsewhere.
    """
    if sum(counts) == 0:
        return 0.0
    total = lgamma(sum(alphas)) - lgamma(sum(alphas) + sum(counts))
    for n, alpha in zip(counts, alphas, strict=True):
        if n > 0:
            total += lgamma(alpha + n) - lgamma(alpha) if alpha > 0 else -inf
    return total


def bd(table: Table, child, parents, alpha: float = 1.0) -> float:
    """Bayesian Dirichlet with the same α in every cell: Σ_j dirichlet_multinomial(N_j·, (α, …, α))."""
    alphas = [alpha] * table.arity(child)
    return sum(dirichlet_multinomial(row, alphas) for row in family_counts(table, child, parents))


def k2(table: Table, child, parents) -> float:
    """Cooper and Herskovits: bd with α = 1."""
    return bd(table, child, parents, alpha=1.0)


def bdeu(table: Table, child, parents, ess: float = 1.0) -> float:
    """Bayesian Dirichlet, likelihood equivalent, uniform: α_jk = ess / (r q)."""
    q = prod(table.arity(parent) for parent in parents)
    return bd(table, child, parents, alpha=ess / (table.arity(child) * q))


def marginal(table: Table, variable, prior: str) -> list[float]:
    """P0(X = k): 1/r for "uniform", N_k/N for "empirical"."""
    if prior == "uniform":
        return [1 / table.arity(variable)] * table.arity(variable)
    counts = family_counts(table, variable, [])[0]
    return [n_k / sum(counts) for n_k in counts]


def bde(table: Table, child, parents, ess: float = 1.0, prior: str = "uniform") -> float:
    """Bayesian Dirichlet, likelihood equivalent: α_jk = ess · P0(X = k) · Π_p P0(X_p = j_p)."""
    child_marginal = marginal(table, child, prior)
    parent_marginals = [marginal(table, parent, prior) for parent in parents]
    total = 0.0
    configuration = configurations([table.arity(parent) for parent in parents])
    for j, row in zip(configuration, family_counts(table, child, parents), strict=True):
        p_j = prod(p[value] for p, value in zip(parent_marginals, j, strict=True))
        total += dirichlet_multinomial(row, [ess * p_j * p_k for p_k in child_marginal])
    return total


def mutual_information(table: Table, child, parents) -> float:
    """MI(X; Π) = Σ_jk (N_jk/N) ln( N_jk N / (N_j N_k) )."""
    counts = family_counts(table, child, parents)
    total, columns = counts.sum(), counts.sum(axis=0)
    return sum(
        n_jk / total * log(n_jk * total / (sum(row) * columns[k]))
        for row in counts
        for k, n_jk in enumerate(row)
        if n_jk > 0
    )


def chi2_quantile(alpha: float, degrees: int) -> float:
    """The α-quantile of χ² with that many degrees of freedom; 0 with none."""
    return float(chi2.ppf(alpha, degrees)) if degrees > 0 else 0.0


def mit(table: Table, child, parents, alpha: float = 0.999) -> float:
    """Mutual information tests: 2N·MI(X; Π) − Σ_t χ²_{α, l_t}; 0 without parents.

    The parents sorted by decreasing number of values r_(1) ≥ r_(2) ≥ …,
    l_t = (r − 1)(r_(t) − 1) Π_{u<t} r_(u).
    """
    if not parents:
        return 0.0
    total = 2 * family_counts(table, child, parents).sum() * mutual_information(table, child, parents)
    before = 1
    for r_t in sorted((table.arity(parent) for parent in parents), reverse=True):
        total -= chi2_quantile(alpha, (table.arity(child) - 1) * (r_t - 1) * before)
        before *= r_t
    return total


def acll_weights(table: Table, child, parents, beta: float):
    """W_jck = N_jck + β N_j·k with the class as slowest parent; of the class itself W_c = N_c + β N."""
    if child == CLASS:
        counts = family_counts(table, CLASS, [])
        return counts + beta * counts.sum()
    others = [parent for parent in parents if parent != CLASS]
    counts = family_counts(table, child, [CLASS, *others])
    by_class = counts.reshape(table.n_classes, -1, counts.shape[1])
    return (by_class + beta * by_class.sum(axis=0)).reshape(counts.shape)


def acll(table: Table, child, parents, prior="dirichlet", a=1.0, b=None, n0=5.0, beta=None) -> float:
    """Approximate conditional log-likelihood: Σ_jck W_jck ln( M_jck / Σ_k M_jck ), M = max(W, n0).

    W_jck = N_jck + β N_j·k, N_j·k summed over all classes; β from `reference.acll` unless given;
    b = N unless given.
    """
    if beta is None:
        beta, _ = constants(table.n_classes, prior, a, table.total() if b is None else b)
    total = 0.0
    for row in acll_weights(table, child, parents, beta):
        m = [max(w, n0) for w in row]
        total += sum(w * log(m_k / sum(m)) for w, m_k in zip(row, m, strict=True))
    return total


SCORES = {
    "ll": ll,
    "aic": aic,
    "bic": bic,
    "mdl": bic,
    "k2": k2,
    "bd": bd,
    "bde": bde,
    "bdeu": bdeu,
    "mit": mit,
    "acll": acll,
}

SCORE_EQUIVALENT = {"ll", "aic", "bic", "mdl", "bde", "bdeu"}


def network_score(table: Table, parents: list[list[int]], score) -> float:
    """Σ_i φ_i(Π_i ∪ {C}) + φ_C(∅)."""
    total = sum(score(table, i, [*table.class_parent(), *pi]) for i, pi in enumerate(parents))
    return total + (score(table, CLASS, []) if table.classes is not None else 0.0)


def edge_weights(table: Table, score) -> list[list[float]]:
    """w_ij = φ_j({X_i, C}) − φ_j({C}), 0 on the diagonal."""
    given = table.class_parent()
    n = table.n_attributes
    alone = [score(table, j, given) for j in range(n)]
    return [[score(table, j, [*given, i]) - alone[j] if i != j else 0.0 for j in range(n)] for i in range(n)]
