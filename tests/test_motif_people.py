"""Motifs for people and other programs: p-values by enumeration, MEME and JASPAR files, logos."""

from __future__ import annotations

import io
import json
import math
import sys

import numpy as np
import pytest
from Bio import motifs as biopython
from hypothesis import given
from hypothesis import strategies as st

from reference.motif_scores import marginal, p_value, windows
from tanager.cli import main
from tanager.exceptions import CapacityError, DataError
from tanager.motifs import (
    MODELS,
    Sites,
    fit_motif,
    load_motif,
    matrix,
    open_motifs,
    plot_logo,
    read_jaspar,
    read_meme,
    save_motif,
    scan_sequence,
    score_distribution,
    with_p_values,
    write_jaspar,
    write_meme,
)
from tanager.motifs import significance as significance_module
from tanager.motifs.logo import information, letter_heights
from tanager.motifs.walk import walk


def plain(motif):
    """Nodes and probabilities as the reference takes them."""
    nodes = [(members[0], list(parents)) for members, parents in motif.density.nodes]
    theta = [None] * motif.width
    for place, (position, _) in enumerate(nodes):
        theta[position] = np.exp(motif.density.table(place)).tolist()
    return nodes, theta


@st.composite
def motifs(draw):
    width = draw(st.integers(1, 5))
    sites = draw(st.lists(st.text("ACGT", min_size=width, max_size=width), min_size=1, max_size=12))
    model = draw(st.sampled_from(sorted(MODELS)))
    parameters = draw(st.sampled_from(["mle", "laplace"]))
    return fit_motif(Sites.from_strings(sites), model, score="ll", parameters=parameters)


SHARES = st.sampled_from([[0.25] * 4, [0.3, 0.2, 0.2, 0.3], [0.1, 0.2, 0.3, 0.4]])


@given(motifs(), SHARES, SHARES, st.integers(0, 2**32))
def test_p_values_are_those_of_an_enumeration(motif, background, letters, seed):
    found = score_distribution(motif, background, letters=letters)
    every = windows(*plain(motif), background, letters)
    rng = np.random.default_rng(seed)
    scores = [score for score, _ in rng.permutation(every)[:20]] + [-50.0, 50.0]
    for score in scores:
        p = found.p_value(score)
        exact, lower = p_value(every, score - 1e-9), p_value(every, score - found.slack - 1e-6)
        assert exact - 1e-12 <= p <= lower + 1e-12
    for wanted in (1.0, 0.1, 0.01):
        assert p_value(every, found.threshold(wanted)) <= wanted + 1e-12
    assert found.slack < 0.02
    assert found.p_value(-math.inf) == 1.0
    assert found.p_value(np.array(scores)).tolist() == [found.p_value(score) for score in scores]


def test_small_p_values_are_as_good_as_large_ones():
    motif = fit_motif(Sites.from_strings(["ACGTACGTACGTACGTACGTACGTACGTAC"] * 50), "pssm")
    best = float(motif.log_density(Sites.from_strings(["ACGTACGTACGTACGTACGTACGTACGTAC"]))[0])
    assert score_distribution(motif).p_value(best - 30 * math.log(0.25)) == pytest.approx(0.25**30)


@given(motifs())
def test_marginals_are_those_of_an_enumeration(motif):
    nodes, theta = plain(motif)
    for position, row in enumerate(matrix(motif)):
        np.testing.assert_allclose(row, marginal(nodes, theta, position), atol=1e-12)


def test_walks_keep_little_in_mind():
    star = [((0,), ())] + [((i,), (0,)) for i in range(1, 20)]
    chain = [((0,), ())] + [((i,), (i - 1,)) for i in range(1, 20)]
    for nodes in (star, chain):
        steps = walk(nodes)
        assert max(len(step.after) for step in steps) == 1
        assert steps[-1].after == ()


def test_what_cannot_be_kept_in_mind_is_refused(monkeypatch):
    motif = fit_motif(Sites.from_strings(["AACC", "AAGG", "CCAA", "CCTT"] * 5), "tree", score="ll")
    monkeypatch.setattr(significance_module, "_MEMORY", 1 << 10)
    with pytest.raises(
        CapacityError, match="1 positions would have to be kept in mind at a time, 0 are the most"
    ):
        score_distribution(motif)
    for shares in ([1, 1, 1], [1, 1, 0, 1]):
        with pytest.raises(DataError, match="background"):
            score_distribution(motif, shares)
    with pytest.raises(DataError, match="p-value of 0 is not allowed"):
        significance_module.ScoreDistribution(0.1, 0.2, 0, np.array([1.0])).threshold(0)


def test_hits_of_both_strands_have_their_p_values():
    motif = fit_motif(Sites.from_strings(["TTGACA"] * 9 + ["TTGATA"]), "pssm")
    background = [0.1, 0.2, 0.3, 0.4]
    hits = scan_sequence(motif, "CCTTGACACCTGTCAACC", top=2, background=background)
    there, back = with_p_values(hits, motif, background)
    nodes, theta = plain(motif)
    for hit, letters in ((there, background), (back, background[::-1])):
        exact = p_value(windows(nodes, theta, background, letters), hit.score - 1e-9)
        assert hit.p_value == pytest.approx(exact, rel=0.05)
    assert there.p_value != back.p_value


# -- files ---------------------------------------------------------------------------------------------------


@pytest.fixture
def motif():
    rng = np.random.default_rng(0)
    codes = rng.choice(4, (40, 7), p=[0.5, 0.1, 0.1, 0.3]).astype(np.uint8)
    codes[:, 6] = codes[:, 0]
    return fit_motif(Sites("demo", codes), "tree")


def test_meme_files_go_out_and_come_in(motif, tmp_path):
    text = write_meme([motif, motif], tmp_path / "m.meme", background=[0.3, 0.2, 0.2, 0.3])
    assert (tmp_path / "m.meme").read_text().rstrip("\n") == text.rstrip("\n")
    first, second = read_meme(tmp_path / "m.meme")
    assert (first.name, first.model, first.sites, first.width) == ("demo", "pssm", 40, 7)
    np.testing.assert_allclose(matrix(first), matrix(motif), atol=1e-8)
    np.testing.assert_allclose(matrix(second), matrix(motif), atol=1e-8)
    (theirs, _) = biopython.parse(io.StringIO(text), "minimal")
    for letter, column in zip("ACGT", matrix(motif).T, strict=True):
        # It keeps whole counts of the 40 sites.
        np.testing.assert_allclose([theirs.pwm[letter][i] for i in range(7)], column, atol=0.02)
    assert theirs.background["A"] == pytest.approx(0.3)


def test_jaspar_files_go_out_and_come_in(motif, tmp_path):
    text = write_jaspar(motif, tmp_path / "m.jaspar")
    (back,) = read_jaspar(tmp_path / "m.jaspar", pseudocount=0)
    np.testing.assert_allclose(matrix(back), matrix(motif), atol=1e-5)
    assert (back.name, back.sites) == ("demo", 40)
    (theirs,) = biopython.parse(io.StringIO(text), "jaspar")
    for letter, column in zip("ACGT", matrix(motif).T, strict=True):
        np.testing.assert_allclose(theirs.counts[letter], 40 * column, atol=1e-3)
    (tmp_path / "bare.pfm").write_text(">MA0001.1 AGL3\n0 3 79\n94 75 4\n1 0 3\n2 19 11\n")
    (bare,) = read_jaspar(tmp_path / "bare.pfm", pseudocount=2.0)
    assert bare.name == "MA0001.1 AGL3"
    np.testing.assert_allclose(matrix(bare)[0], [0.5 / 99, 94.5 / 99, 1.5 / 99, 2.5 / 99])


def test_files_of_biopython_come_in(tmp_path):
    theirs = biopython.create(["ACGT", "ACGA", "TCGA"])
    theirs.name, theirs.matrix_id = "demo", "MA1"
    (tmp_path / "m.jaspar").write_text(theirs.format("jaspar"))
    (ours,) = open_motifs(tmp_path / "m.jaspar")
    assert ours.name.split() == ["MA1", "demo"]
    assert ours.sites == 3
    np.testing.assert_allclose(matrix(ours)[0], [2.25 / 4, 0.25 / 4, 0.25 / 4, 1.25 / 4])


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("m.meme", "nothing", "begins with 'MEME version'"),
        ("m.meme", "MEME version 4\nALPHABET= ACDE\n", "line 2: the alphabet is not ACGT"),
        ("m.meme", "MEME version 4\n", "holds no letter-probability matrix"),
        ("m.meme", "MEME version 4\nMOTIF a\nletter-probability matrix: w= 2\n1 0 0 0\n", "has 1 rows"),
        (
            "m.meme",
            "MEME version 4\nMOTIF a\nletter-probability matrix: w= 1\n1 1 0 0\n",
            "does not sum to 1",
        ),
        ("m.meme", "MEME version 4\nMOTIF a\nletter-probability matrix: w= 1\n1 0 0\n", "line 4: 3 numbers"),
        ("m.meme", "MEME version 4\nMOTIF a\nletter-probability matrix: w= 1\n1 0 nan 0\n", "'nan' is not"),
        ("m.jaspar", "ACGT\n", "holds no motif"),
        ("m.jaspar", ">a\nA [1 2]\nC [1 2]\nG [1 2]\n", "line 1: a motif has four rows"),
        ("m.jaspar", ">a\nA [1 2]\nC [1]\nG [1 2]\nT [1 2]\n", "line 1: a motif has four rows"),
        ("m.jaspar", ">a\nA [1 x]\nC [1 1]\nG [1 2]\nT [1 2]\n", "line 2: 'x' is not a finite number"),
    ],
)
def test_bad_files_are_named(tmp_path, name, text, said):
    (tmp_path / name).write_text(text)
    read = read_meme if name.endswith("meme") else read_jaspar
    with pytest.raises(DataError, match=said):
        read(tmp_path / name)


def test_a_position_without_counts_needs_a_pseudocount(tmp_path):
    (tmp_path / "m").write_text(">a\n0 1\n0 1\n0 1\n0 1\n")
    with pytest.raises(DataError, match="a position without counts"):
        read_jaspar(tmp_path / "m", pseudocount=0)
    with pytest.raises(DataError, match="pseudocount = -1 is not allowed"):
        read_jaspar(tmp_path / "m", pseudocount=-1)


# -- logo and command line -----------------------------------------------------------------------------------


def test_letters_are_as_high_as_their_bits(motif):
    shares = matrix(motif)
    entropy = [-sum(p * math.log2(p) for p in row if p > 0) for row in shares.tolist()]
    np.testing.assert_allclose(information(shares), [2 - h for h in entropy])
    heights = letter_heights(shares)
    axes = plot_logo(motif)
    shapes = [patch.get_path().get_extents() for patch in axes.patches]
    assert len(shapes) == int((heights >= 1e-4).sum())
    drawn = {}
    for box in shapes:
        place = round((box.x0 + box.x1) / 2) - 1
        drawn.setdefault(place, []).append((box.y0, box.y1 - box.y0))
    for place, column in drawn.items():
        # From below the least to the most frequent, without gaps.
        np.testing.assert_allclose(
            [high for _, high in sorted(column)], np.sort(heights[place])[-len(column) :]
        )
        assert max(low + high for low, high in column) == pytest.approx(heights[place].sum(), abs=1e-3)
    assert axes.get_ylabel() == "bits"


def test_the_command_line_shows_converts_and_scans(motif, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_motif(motif, "m.json")
    assert main(["motif", "show", "m.json", "--logo", "logo.png"]) == 0
    out = capsys.readouterr().out
    assert "demo: tree, 40 sites of 7 letters" in out
    assert "most frequent letters: " in out
    assert "positions that depend on others" in out
    assert (tmp_path / "logo.png").read_bytes().startswith(b"\x89PNG")
    assert main(["motif", "show", "m.json", "--format", "meme", "-o", "m.meme"]) == 0
    assert main(["motif", "show", "m.meme", "--format", "jaspar", "-o", "m.jaspar"]) == 0
    capsys.readouterr()
    assert main(["motif", "show", "m.jaspar", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["edges"] == []
    np.testing.assert_allclose(shown["bits"], information(np.array(shown["matrix"])))
    (tmp_path / "g.fa").write_text(">a\n" + "".join(np.random.default_rng(1).choice([*"ACGT"], 3000)) + "\n")
    for name in ("m.json", "m.meme", "m.jaspar"):
        assert main(["motif", "scan", name, "g.fa", "--p-value", "0.001", "--json"]) == 0
        hits = json.loads(capsys.readouterr().out)
        assert hits
        assert all(0 < hit["p_value"] <= 0.001 for hit in hits)
    assert main(["motif", "scan", "m.json", "g.fa", "--top", "3"]) == 0
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert all(len(line) == 8 and 0 < float(line[7]) < 0.01 for line in lines)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((tmp_path / "g.fa").read_bytes())))
    assert main(["motif", "scan", "m.json", "-", "--top", "3"]) == 0
    assert [line.split("\t") for line in capsys.readouterr().out.splitlines()] == lines
    assert main(["motif", "scan", "m.json", "-", "--background", "genome"]) == 2
    assert "standard input can be read once" in capsys.readouterr().err
    write_meme([motif, fit_motif(Sites.from_strings(["ACG"], "other"), "pssm")], "two.meme")
    assert main(["motif", "show", "two.meme", "--name", "other"]) == 0
    assert "other: pssm, 1 sites of 3 letters" in capsys.readouterr().out
    assert main(["motif", "show", "two.meme"]) == 0
    assert capsys.readouterr().out.startswith("demo")
    assert main(["motif", "show", "two.meme", "--name", "othr"]) == 2
    assert "did you mean other?" in capsys.readouterr().err
    monkeypatch.setattr(significance_module, "_MEMORY", 1 << 10)
    assert main(["motif", "scan", "m.json", "g.fa", "--top", "3"]) == 0
    captured = capsys.readouterr()
    assert "hits have none" in captured.err
    assert [line.split("\t")[:7] for line in captured.out.splitlines()] == [line[:7] for line in lines]
    assert load_motif("m.json").width == 7
