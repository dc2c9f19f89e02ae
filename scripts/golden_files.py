"""Writes files of today's formats, which later releases have to read, and the answers that they must give.

    python scripts/golden_files.py

They stand in tests/golden/version-N, and tests/test_stability.py reads all of them. What is there is never
written again: a release that raises the version of a format runs this once for it, and keeps the old ones.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tanager import (
    Comparison,
    NaiveBayesClassifier,
    RefinedClassifier,
    Schema,
    Statistics,
    TANClassifier,
    compare,
    load_model,
    read_table,
    save_model,
)
from tanager.evaluation.comparison_json import VERSION
from tanager.model_file import MODEL_VERSION
from tanager.motifs import Sites, fit_motif, load_motif, save_motif
from tanager.motifs.motif import MOTIF_VERSION

GOLDEN = Path(__file__).resolve().parents[1] / "tests" / "golden"
ROWS = GOLDEN / "rows.csv"
LEARNERS = {
    "nb": NaiveBayesClassifier(),
    "tan": TANClassifier(score="bdeu", parameters="hierarchical"),
    "refined": RefinedClassifier(structure="tan", ridge=1.0),
}
SITES = ["ACGTA", "ACGTC", "TCGAA", "TCGAC", "ACGTA", "GCGCA", "TCTAA", "ACGAA"]
WIDE = ["ACGTA", "TTTTT", "GCGAC"]


def model_answers(path: Path) -> Any:
    """The probabilities of every row; in some of them a value is missing, in one it was not seen at fit."""
    model = load_model(path)
    X = read_table(ROWS, target="class").X
    return {"classes": model.classes_.tolist(), "probabilities": model.predict_proba(X).tolist()}


def motif_answers(path: Path) -> Any:
    """Logarithms of densities, and what depends on what."""
    motif = load_motif(path)
    densities = motif.log_density(Sites.from_strings(WIDE)).tolist()
    return {"name": motif.name, "edges": [list(edge) for edge in motif.network.edges], "densities": densities}


def comparison_answers(path: Path) -> Any:
    """Accuracies, ranks and confusion matrices."""
    found = Comparison.from_json(path)
    name = found.dataset_names[0]
    confusion = {learner: found.confusion(name, learner).tolist() for learner in found.learners}
    return {"summary": found.summary(), "ranks": found.ranks, "confusion": confusion}


def statistics_answers(path: Path) -> Any:
    """The counts, and the probabilities of what is learned from them."""
    statistics = Statistics.from_bytes(path.read_bytes())
    labels = statistics.schema.labels
    tables = [statistics.table(one, other).tolist() for one in labels for other in labels if one < other]
    model = NaiveBayesClassifier(parameters="laplace").fit_statistics(statistics)
    X = read_table(ROWS, target="class").X
    return {
        "rows": statistics.rows,
        "total": statistics.total,
        "class_counts": statistics.class_counts().tolist(),
        "tables": tables,
        "probabilities": model.predict_proba(X).tolist(),
    }


ANSWERS = {
    "model": model_answers,
    "motif": motif_answers,
    "comparison": comparison_answers,
    "statistics": statistics_answers,
}


def answers(path: Path) -> Any:
    """What a file says; the first word of its name is its kind."""
    return ANSWERS[path.stem.partition("-")[0]](path)


def main() -> int:
    table = read_table(ROWS, target="class")
    known = table.X[list(range(24))], table.y[:24]
    counted = Statistics(Schema.scan([known]))
    weighted = Statistics(Schema.scan([known])).update(*known, [0.25 + 0.5 * row for row in range(24)])
    small = {"cv": 2, "repeats": 1, "random_state": 0, "progress": False, "networks": True}
    compared = compare(["nb", "tan"], {"rows": known}, predictions=True, **small)
    compared.provenance.clear()
    motif = fit_motif(Sites.from_strings(SITES, name="TATA"), "bc2g", parameters="laplace")
    writers = {
        **{
            f"version-{MODEL_VERSION}/model-{name}.json": lambda path, model=model: save_model(
                model.fit(*known), path
            )
            for name, model in LEARNERS.items()
        },
        f"version-{MOTIF_VERSION}/motif-tree.json": lambda path: save_motif(motif, path),
        f"version-{VERSION}/comparison.json": compared.to_json,
        "version-1/statistics.bin": lambda path: path.write_bytes(counted.update(*known).to_bytes()),
        "version-1/statistics-weighted.bin": lambda path: path.write_bytes(weighted.to_bytes()),
    }
    for name, write in writers.items():
        path = GOLDEN / name
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            write(path)
            beside = path.with_name(f"{path.name}.answers")
            beside.write_text(json.dumps(answers(path)) + "\n", encoding="utf-8")
            print(f"wrote {path.relative_to(GOLDEN.parents[1])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
