"""Motifs: files of sites, comparisons, scans that find planted sites, and the command line."""

import gzip
import io
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from more_data import ABSENT, data_folder
from tanager.cli import main
from tanager.document import write_document
from tanager.exceptions import DataError
from tanager.motifs import (
    MODELS,
    Sites,
    compare_motifs,
    fit_motif,
    load_motif,
    read_sites,
    save_motif,
    scan_fasta,
    scan_sequence,
    write_bed,
)
from tanager.motifs import scan as scan_module

SHARED = data_folder() / "motifs"
COMPLEMENT = str.maketrans("ACGT", "TGCA")


def draw_sites(n: int, seed: int = 0) -> list[str]:
    """Sites whose first and last positions copy each other, around a fixed core."""
    rng = np.random.default_rng(seed)
    ends = rng.choice(list("ACGT"), n)
    middle = rng.choice(list("AT"), n)
    return [f"{end}TGA{m}CA{end}" for end, m in zip(ends, middle, strict=True)]


def random_sequence(n: int, seed: int = 1) -> str:
    return "".join(np.random.default_rng(seed).choice(list("ACGT"), n))


# --- files of sites


def test_plain_and_fasta_files_are_read(tmp_path):
    (tmp_path / "plain.txt").write_text("ACGT\n\n  acgg \r\nTTTT")
    assert read_sites(tmp_path / "plain.txt").strings() == ["ACGT", "ACGG", "TTTT"]
    (tmp_path / "mark.txt").write_bytes("\ufeffACGT\nTTTT\n".encode())
    assert read_sites(tmp_path / "mark.txt").strings() == ["ACGT", "TTTT"]
    (tmp_path / "sites.fa").write_text(">one\nAC\nGT\n>two with words\nacga\n")
    assert read_sites(tmp_path / "sites.fa").strings() == ["ACGT", "ACGA"]
    with gzip.open(tmp_path / "more.txt.gz", "wt") as file:
        file.write("AC\nGT\n")
    sites = read_sites(tmp_path / "more.txt.gz")
    assert (sites.name, sites.strings()) == ("more", ["AC", "GT"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ACGT\nACG\n", "line 2: the site has 3 letters, the first one has 4"),
        (">a\nACGT\n>b\nAC\nG\n", "line 3: the site has 3 letters, the first one has 4"),
        ("ACGT\nACNT\n", "line 2, letter 3: 'N', an IUPAC code for any letter, is not allowed"),
        ("ACRT\n", "line 1, letter 3: 'R', an IUPAC code for A or G, is not allowed"),
        ("AC-T\n", "letter 3: '-', an IUPAC code for a gap"),
        ("AC3T\n", "letter 3: '3' is not allowed; sites consist of A, C, G and T"),
        ("", "the file is empty, there are no sites"),
        ("\n \n", "the file is empty, there are no sites"),
        (">a\n>b\nACGT\n", "line 1: the site is empty"),
    ],
)
def test_bad_files_name_file_and_line(tmp_path, text, said):
    path = tmp_path / "sites.txt"
    path.write_text(text)
    with pytest.raises(DataError) as error:
        read_sites(path)
    assert str(path) in str(error.value)
    assert said in str(error.value)


def test_files_that_are_not_text_are_refused(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="not a text file"):
        read_sites(tmp_path / "a.txt")
    (tmp_path / "a.gz").write_bytes(b"\x1f\x8bnonsense")
    with pytest.raises(DataError, match="the gzip file is damaged"):
        read_sites(tmp_path / "a.gz")


# --- motifs


@pytest.mark.parametrize("model", MODELS)
def test_a_saved_motif_is_the_same_motif(tmp_path, model):
    sites = Sites.from_strings(draw_sites(60), "demo")
    motif = fit_motif(sites, model, parameters="mle")
    save_motif(motif, tmp_path / "motif.json")
    again = load_motif(tmp_path / "motif.json")
    assert (again.name, again.model, again.sites, again.width) == ("demo", model, 60, 8)
    assert (again.log_density(sites) == motif.log_density(sites)).all()
    assert again.network == motif.network


def test_dependent_ends_are_found():
    motif = fit_motif(Sites.from_strings(draw_sites(60)), "bc2g")
    assert motif.network.edges == [("1", "8")]


def test_bad_motif_files_are_refused(tmp_path):
    path = tmp_path / "motif.json"
    save_motif(fit_motif(Sites.from_strings(["AC", "AG"]), "tree"), path)
    good = json.loads(path.read_text())
    path.write_text(json.dumps(good | {"version": 99}))
    with pytest.raises(DataError, match="later release: it has version 99 of tanager-motif files"):
        load_motif(path)
    path.write_text(json.dumps(good | {"format": "tanager-model"}))
    with pytest.raises(DataError, match="this is not a tanager-motif file"):
        load_motif(path)
    good["content"]["sites"] = 7
    path.write_text(json.dumps(good))
    with pytest.raises(DataError, match="checksum"):
        load_motif(path)


def test_motif_files_are_checked_on_load(tmp_path):
    path = tmp_path / "motif.json"
    for change, said in [
        (lambda c: c["tables"][0].__setitem__(0, -9.0), "the probabilities of position 1 do not sum to 1"),
        (lambda c: c["nodes"][0].update(position=-1), "a position is out of range"),
        (lambda c: c["nodes"].pop(), "1 positions but 2 tables"),
    ]:
        save_motif(fit_motif(Sites.from_strings(["AC", "AG"]), "pssm"), path)
        content = json.loads(path.read_text())["content"]
        change(content)
        write_document(path, "tanager-motif", 1, content)
        with pytest.raises(DataError, match=f"motif.json: the motif does not fit together: {said}"):
            load_motif(path)
    path.write_text(path.read_text().replace('"sites": 2', '"sites": NaN'))
    with pytest.raises(DataError, match=r"motif\.json: NaN is not a number in JSON"):
        load_motif(path)


def test_small_sets_are_left_one_out():
    small, large = (
        Sites.from_strings(["AC", "AG", "TT"], "small"),
        Sites.from_strings(["AC", "AG"] * 8, "large"),
    )
    text = compare_motifs([small, large], ["pssm", "tree"]).to_markdown()
    assert "10-fold cross-validation (leave-one-out for the one set with fewer than 10 sites); lower" in text
    assert (
        ", leave-one-out cross-validation; lower" in compare_motifs([small], ["pssm", "tree"]).to_markdown()
    )
    found = compare_motifs([small, large], ["pssm", "tree"]).as_dict()
    assert [one["folds"] for one in found["sets"]] == [3, 10]
    assert ", 10-fold cross-validation; lower" in compare_motifs([large], ["pssm"]).to_markdown()


def test_bad_settings_are_named():
    sites = Sites.from_strings(["AC", "AG"])
    with pytest.raises(DataError, match="unknown model 'hmm', known are pssm, tree, c2g, bc2g"):
        fit_motif(sites, "hmm")
    with pytest.raises(DataError, match="k = 2 does not apply to pssm"):
        fit_motif(sites, "pssm", k=2)
    with pytest.raises(DataError, match="k = -1 is not allowed"):
        fit_motif(sites, "c2g", k=-1)
    assert fit_motif(sites, "c2g", k=10**30).network == fit_motif(sites, "c2g", k=1).network
    with pytest.raises(DataError, match="sites of 3 letters, the motif has 2"):
        fit_motif(sites, "pssm").log_density(Sites.from_strings(["ACG"]))
    with pytest.raises(DataError, match="there are no sites"):
        Sites.from_strings([])


# --- comparison


def test_the_comparison_is_a_cross_validation():
    strings = draw_sites(40, 3)
    sites = Sites.from_strings(strings, "demo")
    found = compare_motifs([sites], ["pssm", "bc2g"], folds=4, random_state=5)
    fold = np.random.default_rng(5).permutation(40) % 4
    for model in ("pssm", "bc2g"):
        loss = 0.0
        for held_out in range(4):
            training = [site for site, f in zip(strings, fold, strict=True) if f != held_out]
            motif = fit_motif(Sites.from_strings(training), model)
            rest = [site for site, f in zip(strings, fold, strict=True) if f == held_out]
            loss -= motif.log_density(Sites.from_strings(rest)).sum()
        assert found.column(model)[0] == pytest.approx(loss / 40)
    assert found.column("bc2g")[0] < found.column("pssm")[0]
    again = compare_motifs([sites], ["pssm", "bc2g"], folds=4, random_state=5)
    assert (again.loss == found.loss).all()


def test_reports_and_plots(tmp_path):
    sets = [Sites.from_strings(draw_sites(30, seed), f"set{seed}") for seed in range(4)]
    found = compare_motifs(sets, folds=5)
    text = found.to_markdown()
    assert "| set2 | 30 | 8 |" in text
    assert "| pssm against bc2g | 0 | 0 | 4 |" in text
    for ending in ("png", "svg"):
        plots = found.plot(tmp_path / ending, ending)
        assert len(plots) == 10
        assert all(path.stat().st_size > 1000 for path in plots)
    assert found.models[-1] == "mixture"
    assert np.isfinite(found.column("mixture")).all()
    assert found.wilcoxon("pssm", "bc2g").p_value == pytest.approx(0.125)
    with pytest.raises(DataError, match="unknown model 'x'"):
        found.column("x")


def test_bad_comparisons_are_named(tmp_path):
    with pytest.raises(DataError, match="is not a folder of site files"):
        compare_motifs(tmp_path / "nowhere")
    with pytest.raises(DataError, match="holds no site files"):
        compare_motifs(tmp_path)
    (tmp_path / "one.txt").write_text("ACGT\n")
    with pytest.raises(DataError, match="one has 1 site: cross-validation needs at least 2"):
        compare_motifs(tmp_path)
    with pytest.raises(DataError, match="folds = 1 is not allowed"):
        compare_motifs(tmp_path, folds=1)


@pytest.mark.skipif(not SHARED.is_dir(), reason=ABSENT)
def test_the_aligned_sets_are_compared():
    files = sorted(SHARED.glob("*.txt"))
    sets = [read_sites(path) for path in files[:12]]
    found = compare_motifs(sets, ["pssm", "tree", "bc2g"], folds=5)
    assert np.isfinite(found.loss).all()
    assert len(files) == 74


# --- scans


def planted() -> tuple[str, dict[int, str]]:
    """A sequence with three sites, one of them on the reverse strand, and runs of unknown letters."""
    sequence = random_sequence(5000)
    places = {100: "+", 2400: "-", 4992: "+"}
    for start, strand in places.items():
        site = "GTGAACAG"
        site = site if strand == "+" else site.translate(COMPLEMENT)[::-1]
        sequence = sequence[:start] + site + sequence[start + 8 :]
    return sequence[:3000] + "N" * 40 + sequence[3040:], places


@pytest.mark.parametrize("model", MODELS)
def test_a_scan_finds_planted_sites(model, tmp_path, monkeypatch):
    sequence, places = planted()
    motif = fit_motif(Sites.from_strings(draw_sites(80)), model)
    hits = scan_sequence(motif, sequence, top=40)
    assert {(hit.start, hit.strand) for hit in hits} >= set(places.items())
    wrapped = "\n".join(sequence[i : i + 61] for i in range(0, len(sequence), 61))
    (tmp_path / "genome.fa").write_text(f">chr1 first\n{wrapped}\n>chr2\n{sequence[90:130]}\n>empty\n")
    # Small blocks: windows across their seams are found too.
    monkeypatch.setattr(scan_module, "BLOCK", 97)
    least = min(hit.score for hit in hits)
    found = list(scan_fasta(motif, tmp_path / "genome.fa", threshold=least))
    assert [hit for hit in found if hit.sequence == "chr1"] == [
        type(hit)("chr1", hit.start, hit.end, hit.strand, hit.score)
        for hit in scan_sequence(motif, sequence, threshold=least)
    ]
    assert ("chr2", 10, "+") in {(hit.sequence, hit.start, hit.strand) for hit in found}
    best = list(scan_fasta(motif, tmp_path / "genome.fa", top=7))
    assert sorted(hit.score for hit in best) == sorted(hit.score for hit in found)[-7:]


@given(
    st.lists(st.text("ACGTN", min_size=1, max_size=40), min_size=1, max_size=4),
    st.sampled_from([1, 7, 13, 1000]),
    st.sampled_from(["\n", "\r\n"]),
    st.integers(1, 30),
    st.integers(0, 5),
)
def test_a_sequence_comes_in_pieces_however_its_lines_are(
    tmp_path_factory, sequences, width, end, block, overlap
):
    path = tmp_path_factory.mktemp("fasta") / "genome.fa"
    lines = []
    for number, sequence in enumerate(sequences):
        lines += [f">s{number} words", *(sequence[i : i + width] for i in range(0, len(sequence), width))]
    path.write_bytes(end.join(lines).encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan_module, "BLOCK", block)
        pieces = list(scan_module.read_fasta(path, overlap))
    # No line is kept whole: what is in memory does not grow with its length.
    assert max(len(codes) for _, _, codes in pieces) <= block + overlap + len(">s0 words\r\n")
    for number, sequence in enumerate(sequences):
        found = {}
        for name, start, codes in pieces:
            if name == f"s{number}":
                found |= {start + place: code for place, code in enumerate(codes.tolist())}
        assert [found[place] for place in range(len(sequence))] == [
            {"A": 0, "C": 1, "G": 2, "T": 3, "N": 255}[letter] for letter in sequence
        ]
        assert len(found) == len(sequence)


@given(st.text("ACGTNacgt", min_size=0, max_size=80), st.sampled_from(sorted(MODELS)))
def test_scores_are_log_odds_of_every_window(sequence, model):
    motif = fit_motif(Sites.from_strings(["ACGT", "ACGA", "TCGA", "AGGT", "ACCT"]), model)
    background = [0.3, 0.2, 0.2, 0.3]
    found = scan_sequence(motif, sequence, threshold=-np.inf, background=background)
    expected = []
    for start in range(len(sequence) - 3):
        window = sequence[start : start + 4].upper()
        if "N" in window:
            continue
        for strand in "+-":
            letters = window if strand == "+" else window.translate(COMPLEMENT)[::-1]
            log_background = sum(np.log(background["ACGT".index(letter)]) for letter in letters)
            log_density = motif.log_density(Sites.from_strings([letters]))[0]
            expected.append((start, strand, log_density - log_background))
    assert [(hit.start, hit.strand) for hit in found] == [(start, strand) for start, strand, _ in expected]
    assert [hit.score for hit in found] == pytest.approx([score for *_, score in expected])


def test_the_background_may_be_the_genomes(tmp_path):
    (tmp_path / "genome.fa").write_text(">a\nAAAC\n>b\nAN\n")
    shares = scan_module.genome_background(tmp_path / "genome.fa")
    assert shares == pytest.approx((0.4, 0.1, 0.1, 0.4))
    motif = fit_motif(Sites.from_strings(["AC", "AC"]), "pssm")
    assert len(list(scan_fasta(motif, tmp_path / "genome.fa", top=1, background="genome"))) == 1


def test_bed_has_seven_columns():
    motif = fit_motif(Sites.from_strings(["ACGTAC"] * 20), "pssm")
    file = io.StringIO()
    assert write_bed(scan_sequence(motif, "TTACGTACTT", top=1), file, "a name") == 1
    fields = file.getvalue().rstrip("\n").split("\t")
    assert fields[:4] == ["sequence", "2", "8", "a_name"]
    assert fields[5] == "+"
    assert fields[4] == str(round(10 * float(fields[6])))


def test_bad_scans_are_named(tmp_path):
    motif = fit_motif(Sites.from_strings(["AC", "AG"]), "pssm")
    with pytest.raises(DataError, match="either a threshold or top"):
        scan_sequence(motif, "ACGT")
    with pytest.raises(DataError, match="top = 0 is not allowed"):
        scan_sequence(motif, "ACGT", top=0)
    with pytest.raises(DataError, match="top = '3' is not allowed"):
        scan_sequence(motif, "ACGT", top="3")
    assert scan_sequence(motif, "ACGT", top=10**30) == scan_sequence(motif, "ACGT", top=6)
    for threshold in (float("nan"), "5"):
        with pytest.raises(DataError, match=f"threshold = {threshold!r} is not allowed: it is a number"):
            scan_sequence(motif, "ACGT", threshold=threshold)
    with pytest.raises(DataError, match="'!' is not a nucleotide letter"):
        scan_sequence(motif, "AC!T", top=1)
    with pytest.raises(DataError, match="the background has 3 shares"):
        scan_sequence(motif, "ACGT", top=1, background=[1, 1, 1])
    with pytest.raises(DataError, match="shares are finite and above 0"):
        scan_sequence(motif, "ACGT", top=1, background=[1, 1, 0, 1])
    for text, said in [
        ("", "the file is empty"),
        ("ACGT\n", "not a FASTA file"),
        (">\nACGT\n", "a header without a name"),
        (">a\nAC7T\n", "sequence a: '7' is not a nucleotide letter"),
    ]:
        (tmp_path / "genome.fa").write_text(text)
        with pytest.raises(DataError, match=said):
            list(scan_fasta(motif, tmp_path / "genome.fa", top=1))


# --- the command line


def test_the_command_line_fits_compares_and_scans(tmp_path, capsys):
    folder = tmp_path / "sets"
    folder.mkdir()
    for seed in range(2):
        (folder / f"set{seed}.txt").write_text("\n".join(draw_sites(30, seed)))
    motif = tmp_path / "motif.json"
    assert main(["motif", "fit", str(folder / "set0.txt"), "-o", str(motif), "--json"]) == 0
    fitted = json.loads(capsys.readouterr().out)
    assert (fitted["sites"], fitted["width"], fitted["edges"]) == (30, 8, [["1", "8"]])
    assert main(["motif", "fit", str(folder / "set0.txt"), "--model", "tree", "--root", "3"]) == 0
    assert "tree of set0: 30 sites of 8 letters" in capsys.readouterr().out
    plots = tmp_path / "plots"
    arguments = ["motif", "compare", str(folder), "--folds", "3", "--plots", str(plots), "--format", "svg"]
    assert main(arguments) == 0
    assert "| pssm against bc2g |" in capsys.readouterr().out
    assert len(list(plots.glob("*.svg"))) == 10
    assert main(["motif", "compare", str(folder), "--folds", "3", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["sets"]) == 2
    sequence, places = planted()
    (tmp_path / "genome.fa").write_text(f">chr1\n{sequence}\n")
    bed = tmp_path / "hits.bed"
    scan = ["motif", "scan", str(motif), str(tmp_path / "genome.fa")]
    assert main([*scan, "--top", "30", "-o", str(bed), "--background", "genome"]) == 0
    lines = [line.split("\t") for line in bed.read_text().splitlines()]
    assert {(int(line[1]), line[5]) for line in lines} >= set(places.items())
    capsys.readouterr()
    assert main([*scan, "--threshold", "5", "--background", "0.3,0.2,0.2,0.3", "--json"]) == 0
    assert all(hit["score"] >= 5 for hit in json.loads(capsys.readouterr().out))
    assert main([*scan, "--threshold", "500", "--json"]) == 0
    assert capsys.readouterr().out == "[]\n"
    assert main([*scan, "--top", "9" * 30, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) > 100
    assert main(scan) == 0
    assert len(capsys.readouterr().out.splitlines()) == 100


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["fit", "missing.txt"], "missing.txt: No such file or directory"),
        (["fit", "good.txt", "--root", "9"], "root '9' is not a position: positions are 1 to 2, or best"),
        (["fit", "good.txt", "--root", "1", "--model", "pssm"], "--root does not apply to pssm"),
        (["fit", "good.txt", "--score", "biq"], "unknown score"),
        (["fit", "bad.txt"], "line 2: the site has 3 letters"),
        (["compare", "nowhere"], "nowhere is not a folder"),
        (["scan", "good.json", "good.fa", "--threshold", "nan"], "threshold = nan is not allowed"),
        (["scan", "good.txt", "good.txt"], "this is not a tanager-motif file"),
    ],
)
def test_bad_input_is_one_line_and_code_2(tmp_path, capsys, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    Path("good.txt").write_text("AC\nAG\n")
    Path("good.fa").write_text(">a\nACGT\n")
    save_motif(fit_motif(Sites.from_strings(["AC", "AG"]), "pssm"), "good.json")
    Path("bad.txt").write_text("AC\nAGT\n")
    assert main(["motif", *arguments]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1
