"""Targets: one for every kind of file that is read. It may be refused, but only in a sentence."""

from __future__ import annotations

import gzip
import io
import json
import random
import warnings
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from mutate import mutated, mutated_json

import tanager
from tanager.data.formats import read_table
from tanager.document import _digest
from tanager.drawing import network_svg
from tanager.evaluation.learner import as_learner
from tanager.exceptions import TanagerError
from tanager.model_file import read_model_file
from tanager.motifs import Sites, fit_motif, load_motif, read_sites, save_motif, scan_fasta

#: What may come out of any of them.
ALLOWED = (TanagerError, OSError)


@dataclass(frozen=True)
class Target:
    """A kind of file: whole examples, what to do with a changed one, and how to change one."""

    name: str
    suffix: str
    seeds: tuple[bytes, ...]
    run: Callable[[Path], None]
    change: Callable[[random.Random, bytes, tuple[bytes, ...]], bytes]


def read(path: Path) -> None:
    """A table; what was read is learned from and predicted."""
    table = read_table(path, target="class")
    table.to_csv()
    if len(table) > 2000 or len(table.feature_names) > 50:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = tanager.TANClassifier().fit(table.X, table.y)
    chances = model.predict_proba(table.X)
    assert np.isfinite(chances).all(), "a probability is not finite"
    assert np.allclose(chances.sum(axis=1), 1), "probabilities do not sum to 1"


def model(path: Path) -> None:
    """A model: it predicts, shows and explains, or was refused."""
    file = read_model_file(path)
    found = file.model
    rows = [
        [None] * found.n_features_in_,
        [column.levels[0] if column.levels else 0.5 for column in found.encoder_.columns],
    ]
    names = getattr(found, "feature_names_in_", None)
    frame = dict(zip(names, zip(*rows, strict=True), strict=True)) if names is not None else None
    X = np.array(rows, dtype=object) if frame is None else _frame(frame)
    chances = found.predict_proba(X)
    assert np.isfinite(chances).all(), "a probability is not finite"
    assert np.allclose(chances.sum(axis=1), 1), "probabilities do not sum to 1"
    str(found.network_), found.network_.to_dot()


def _frame(columns: dict[str, tuple[object, ...]]) -> object:
    import pandas as pd

    return pd.DataFrame({name: pd.Series(list(values), dtype=object) for name, values in columns.items()})


def motif(path: Path) -> None:
    found = load_motif(path)
    sites = Sites("s", np.zeros((1, found.width), dtype=np.uint8))
    assert not np.isnan(found.log_density(sites)).any(), "a density is NaN"


def genome(path: Path) -> None:
    for hit in scan_fasta(_MOTIF, path, top=3, background="genome"):
        assert 0 <= hit.start < hit.end, "a hit lies outside"


def sites(path: Path) -> None:
    fit_motif(read_sites(path), "tree")


def comparison(path: Path) -> None:
    found = tanager.Comparison.from_json(path)
    for report in ("to_text", "to_markdown", "to_latex", "to_csv", "to_html", "to_json"):
        getattr(found, report)()
    for network in found.networks:
        network_svg(network)


def statistics(path: Path) -> None:
    """Counts: what is believed can be written again and learned from."""
    found = tanager.Statistics.from_bytes(path.read_bytes())
    assert found == tanager.Statistics.from_bytes(found.to_bytes()), "not the same after writing"
    tanager.TANClassifier().fit_statistics(found)


def learner(path: Path) -> None:
    as_learner(path.read_bytes().decode("utf-8", "replace"))


def _document(rng: random.Random, data: bytes, others: tuple[bytes, ...]) -> bytes:
    """A document with a changed content and the checksum that it then has; now and then, changed bytes."""
    if rng.randrange(5) == 0:
        return mutated(rng, data, others)
    document = json.loads(data)
    if "content" not in document:
        return json.dumps(mutated_json(rng, document)).encode()
    document["content"] = mutated_json(rng, document["content"])
    document["checksum"] = _digest(document["content"])
    return json.dumps(document).encode()


def _counted(rng: random.Random, data: bytes, others: tuple[bytes, ...]) -> bytes:
    """Changed bytes or a number put in, mostly with the checksum that they then have."""
    body = mutated(rng, data[:-4], others)
    if rng.randrange(2) and len(body) > 60:
        start = rng.randrange(8, len(body) - 8)
        number = rng.choice((0, 1, 2, 255, 2**31, 2**32 - 1, 2**63, 2**64 - 1)).to_bytes(8, "little")
        body = body[:start] + number[: rng.choice((1, 4, 8))] + body[start + 8 :]
    if rng.randrange(10) == 0:
        return body
    return body + zlib.crc32(body).to_bytes(4, "little")


def _packed(rng: random.Random, data: bytes, others: tuple[bytes, ...]) -> bytes:
    """Changed before or after it is compressed."""
    if rng.randrange(2):
        return mutated(rng, gzip.compress(data, mtime=0), others)
    return gzip.compress(mutated(rng, data, others), mtime=0)


_CSV = (
    b"a,b,class\n1,x,yes\n2,y,no\n3.5,x,yes\n?,y,no\n",
    b'"a b";b;class\n"1,5";x;1\n2;"y;z";2\n2;x;1\n',
    b"id\tv\tclass\n01\t1e3\tA\n02\t-4\tB\n",
    b"\xef\xbb\xbfclass,\xc3\xa9\n1,\xe2\x82\xac\n0,x\n1,y\n",
)
_ARFF = (
    b"@relation r\n@attribute a numeric\n@attribute 'b c' {x,'y z',?}\n@attribute class {p,q}\n"
    b"@data\n1,x,p\n?,'y z',q {2}\n3.5, x ,p % c\n",
    b"% c\n@RELATION r\n@ATTRIBUTE a real\n@ATTRIBUTE s string\n@ATTRIBUTE class {0,1}\n@DATA\n{0 1.5, 2 1}\n"
    b"{1 'it\\'s'}\n{}\n",
)


def _arrow() -> tuple[bytes, ...]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    made = []
    for compression in ("none", "snappy"):
        table = pa.table({"a": [1, None, 3], "b": ["x", "y", None], "class": pa.array(["p", "q", "p"])})
        file = io.BytesIO()
        pq.write_table(table, file, compression=compression)
        made.append(file.getvalue())
    return tuple(made)


def _saved(folder: Path) -> dict[str, tuple[bytes, ...]]:
    """Model, motif and comparison files of this version."""
    import pandas as pd

    X = pd.DataFrame({"a": list("xyxyxyxy"), "b": [1.0, 2, 3, 4, 5, 6, 7, 8], "c": list("ppqqppqq")})
    y = ["yes", "no"] * 4
    models = []
    for number, made in enumerate(
        (
            tanager.TANClassifier(),
            tanager.BSEJClassifier(cv=2),
            tanager.CkGClassifier(missing="available", class_prior=[0.5, 0.5]),
            tanager.AveragedTANClassifier(),
            tanager.KDBClassifier(),
            tanager.RefinedClassifier(structure="tan", ridge=1.0),
        )
    ):
        tanager.save_model(made.fit(X, y), folder / f"{number}.json")
        models.append((folder / f"{number}.json").read_bytes())
    schema = tanager.Schema.scan([(X, y)])
    counts = [tanager.Statistics(schema).update(X, y), tanager.Statistics(schema).update(X, y, [0.5] * 8)]
    save_motif(_MOTIF, folder / "motif.json")
    result = tanager.compare(
        ["nb", "tan"],
        {"d": (X.iloc[:, [0, 2]], y)},
        cv=2,
        repeats=1,
        progress=False,
        networks=True,
        predictions=True,
    )
    return {
        "model": tuple(models),
        "statistics": tuple(counted.to_bytes() for counted in counts),
        "motif": ((folder / "motif.json").read_bytes(),),
        "comparison": (result.to_json().encode(),),
    }


_MOTIF = fit_motif(Sites.from_strings(["ACGT", "ACGA", "TCGA", "ACGT"]), "tree")


def targets(folder: Path) -> list[Target]:
    """Every target; `folder` is for what is made on the way."""
    saved = _saved(folder)
    texts = (
        b"bckg:k=2,score=mdl",
        b"tan:score=bdeu(ess=10),parameters=laplace",
        b"tree:max_depth=3",
        b"sklearn.tree.ExtraTreeClassifier",
        b"sklearn.datasets.clear_data_home",
    )
    return [
        Target("csv", ".csv", _CSV, read, mutated),
        Target("arff", ".arff", _ARFF, read, mutated),
        Target("gzip", ".csv.gz", _CSV + _ARFF, read, _packed),
        Target("parquet", ".parquet", _arrow(), read, mutated),
        Target("model", ".json", saved["model"], model, _document),
        Target("statistics", ".bin", saved["statistics"], statistics, _counted),
        Target("motif", ".json", saved["motif"], motif, _document),
        Target("comparison", ".json", saved["comparison"], comparison, _document),
        Target("sites", ".txt", (b"ACGT\nACGA\n", b">a\nAC\nGT\n>b\nACGA\n"), sites, mutated),
        Target("genome", ".fa", (b">a b\nACGTNNACGA\nACG\n>c\nTTTT\n", b">x\nACGTACGTAA"), genome, mutated),
        Target("genome-gz", ".fa.gz", (b">a b\nACGTNNACGA\nACG\n>c\nTTTT\n",), genome, _packed),
        Target("learner", ".txt", texts, learner, mutated),
    ]
