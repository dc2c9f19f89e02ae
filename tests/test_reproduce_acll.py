"""Reproducing the paper on the approximate conditional log-likelihood."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from more_data import ABSENT, data_folder
from tanager.motifs import read_sites
from tanager.reproduce import Options, _acll_tasks, acll, reproduce
from tanager.reproduce._sites import site_files, site_task

SHARED = data_folder()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four files of random sites, of two lengths."""
    random = np.random.default_rng(0)
    (tmp_path / "motifs").mkdir()
    for name, sites, length in (("a", 60, 6), ("b", 30, 8), ("c", 700, 6), ("d", 25, 5)):
        favourite = random.integers(0, 4, length)
        codes = np.where(
            random.random((sites, length)) < 0.7, favourite, random.integers(0, 4, (sites, length))
        )
        lines = ["".join("ACGT"[code] for code in row) for row in codes]
        (tmp_path / "motifs" / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def few_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only some small tables: the rest would only take time."""
    everything = _acll_tasks.list_datasets

    def few(data_dir=None):
        return [info for info in everything(data_dir) if info.name in {"monks-1", "monks-2", "iris", "car"}]

    monkeypatch.setattr(_acll_tasks, "list_datasets", few)


def test_a_task_of_sites_has_its_rows_and_its_background_their_composition(folder: Path) -> None:
    a, b, c, _ = (read_sites(path).codes for path in site_files(folder))
    codes, classes = site_task(a, [b], np.random.default_rng(1))
    assert np.bincount(classes).tolist() == [940, 60, 30]
    assert codes.shape == (1030, 6)
    np.testing.assert_array_equal(codes[classes == 1], a)
    np.testing.assert_array_equal(codes[classes == 2], b[:, :6])
    known = {tuple(sorted(site)) for site in a.tolist()}
    assert all(tuple(sorted(row)) in known for row in codes[classes == 0].tolist())
    # More sites than half of the rows are sampled without replacement; short ones are lengthened.
    codes, classes = site_task(c, [a], np.random.default_rng(1))
    assert np.bincount(classes).tolist() == [500, 500, 60]
    longer, classes = site_task(b, [a], np.random.default_rng(1))
    np.testing.assert_array_equal(longer[classes == 2][:, :6], a)
    assert longer.shape[1] == 8


def test_z_is_scipy_s() -> None:
    random = np.random.default_rng(2)
    for shift in (-0.3, 0.0, 0.5):
        difference = random.normal(shift, 1, 40)
        result = stats.wilcoxon(difference, method="approx", correction=False)
        assert abs(acll.signed_rank_z(difference)) == pytest.approx(abs(result.zstatistic))
        assert (acll.signed_rank_z(difference) > 0) == (
            np.sum(stats.rankdata(abs(difference))[difference > 0]) > 410
        )
    assert acll.signed_rank_z([0.0, 0.0, 0.0]) == 0


@pytest.mark.usefixtures("few_tables")
def test_the_tables_are_all_there_and_the_seed_decides(folder: Path) -> None:
    options = Options(data_dir=folder, progress=False)
    result = reproduce("acll", options)
    titles = [table.title for table in result.tables]
    assert [title.split(":")[0].split(" over")[0] for title in titles] == [
        "Constants",
        "Table 1",
        "Table 2",
        "Mean CLL per row",
        "CLL per held-out row, 2 classes, sets of binding sites",
        "CLL per held-out row, 3 classes, sets of binding sites",
        "Table 1",
        "Table 2",
        "Mean CLL per row",
        "CLL per held-out row, 2 classes, tables",
        "CLL per held-out row, 3 classes, tables",
        "Theorem 3.9",
    ]
    assert "4 sets of binding sites" in titles[1]
    assert "2 tables" in titles[6]
    assert len(result.tables[4].figures) == 3 * 4
    assert [len(plot.panels[0].series) for plot in result.plots[:4]] == [3] * 4
    differences = {figure.row: figure.ours for figure in result.tables[-1].figures}
    assert abs(differences["N' = 5"]) < 1e-9
    assert abs(differences["N' = 0.1"]) > 1e-3
    for table in result.tables:
        assert all(figure.ours is not None and np.isfinite(figure.ours) for figure in table.figures)
    assert {figure.paper for figure in result.tables[1].figures} == {7.08, 6.84, 3.52, None}
    for table in (*result.tables[1:3], *result.tables[6:8]):
        for figure in table.figures:
            deviates = figure.paper is not None and not figure.note.startswith("as in the paper")
            assert figure.note.endswith(": not explained") == deviates
    likelihoods = [figure.ours for figure in result.tables[3].figures]
    assert max(likelihoods) < 0
    assert result.missing == ()
    assert result.as_dict() == reproduce("acll", options).as_dict()
    assert (
        result.as_dict()
        != reproduce("acll", Options(data_dir=folder, progress=False, random_state=1)).as_dict()
    )


@pytest.mark.usefixtures("few_tables")
def test_without_sites_it_says_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TANAGER_DATA", raising=False)
    result = reproduce("acll", Options(progress=False))
    assert len(result.tables) == 7
    assert "motifs" in result.missing[0]


def test_the_constants_say_what_is_wrong_in_the_paper() -> None:
    figures = {(figure.row, figure.column): figure for figure in acll._constants().figures}
    assert figures["example 3.4, its formula", "β"].ours == pytest.approx(-0.2001731557)
    square, relative = "mean square error", "root of it over the mean of −f"
    assert figures["section 5, Dirichlet, 2 classes", square].ours == pytest.approx(0.1392, abs=5e-5)
    assert figures["section 5, uniform, 2 classes", square].ours == pytest.approx(0.060, abs=5e-4)
    assert figures["section 5, Dirichlet, 2 classes", relative].ours == pytest.approx(0.373, abs=5e-4)
    assert figures["section 5, uniform, 2 classes", relative].ours == pytest.approx(0.276, abs=1e-3)
    assert figures["example 3.6, 3 classes, uniform", "γ"].ours == pytest.approx(1.852, abs=5e-4)
    assert figures["example 3.7, 2 classes, dirichlet", "β"].within


@pytest.mark.skipif(not (SHARED / "motifs").is_dir(), reason=ABSENT)
def test_on_binding_sites_held_out_directions_are_never_reversed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The finding: held out, no comparison goes significantly the other way than in the paper."""
    monkeypatch.setattr(acll, "table_tasks", lambda n_classes, options: iter(()))
    result = reproduce("acll", Options(data_dir=SHARED, progress=False))
    for table in result.tables[1:3]:
        assert "74 sets" in table.title
        held_out = [figure for figure in table.figures if figure.column == "held out"]
        assert all("the other way" not in figure.note for figure in held_out)
