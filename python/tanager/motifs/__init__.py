"""Binding-site motifs: densities over aligned nucleotide sites, compared and scanned for.

>>> from tanager.motifs import Sites, fit_motif
>>> motif = fit_motif(Sites.from_strings(["ACGT", "ACGA", "TCGA", "ACGT"]), "pssm")
>>> motif.width, motif.network.edges
(4, [])
"""

from tanager.motifs.compare import COMPARED, MotifComparison, compare_motifs
from tanager.motifs.files import (
    matrix,
    matrix_motif,
    open_motifs,
    read_jaspar,
    read_meme,
    write_jaspar,
    write_meme,
)
from tanager.motifs.logo import plot_logo
from tanager.motifs.motif import MODELS, Motif, fit_motif, load_motif, save_motif
from tanager.motifs.scan import Hit, scan_fasta, scan_sequence, write_bed
from tanager.motifs.significance import ScoreDistribution, score_distribution, with_p_values
from tanager.motifs.sites import Sites, read_sites

__all__ = [
    "COMPARED",
    "MODELS",
    "Hit",
    "Motif",
    "MotifComparison",
    "ScoreDistribution",
    "Sites",
    "compare_motifs",
    "fit_motif",
    "load_motif",
    "matrix",
    "matrix_motif",
    "open_motifs",
    "plot_logo",
    "read_jaspar",
    "read_meme",
    "read_sites",
    "save_motif",
    "scan_fasta",
    "scan_sequence",
    "score_distribution",
    "with_p_values",
    "write_bed",
    "write_jaspar",
    "write_meme",
]
