"""Binding-site motifs: densities over aligned nucleotide sites, compared and scanned for.

>>> from tanager.motifs import Sites, fit_motif
>>> motif = fit_motif(Sites.from_strings(["ACGT", "ACGA", "TCGA", "ACGT"]), "pssm")
>>> motif.width, motif.network.edges
(4, [])
"""

from tanager.motifs.compare import MotifComparison, compare_motifs
from tanager.motifs.motif import MODELS, Motif, fit_motif, load_motif, save_motif
from tanager.motifs.scan import Hit, scan_fasta, scan_sequence, write_bed
from tanager.motifs.sites import Sites, read_sites

__all__ = [
    "MODELS",
    "Hit",
    "Motif",
    "MotifComparison",
    "Sites",
    "compare_motifs",
    "fit_motif",
    "load_motif",
    "read_sites",
    "save_motif",
    "scan_fasta",
    "scan_sequence",
    "write_bed",
]
