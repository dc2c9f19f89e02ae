# %% [markdown]
# # Binding sites
#
# 300 sites of a made-up protein: positions 3 and 4 are either both G or both A, which no weight matrix can say.

# %%
import numpy as np

from tanager.motifs import Sites, compare_motifs, fit_motif, plot_logo, scan_sequence

random = np.random.default_rng(1)


def site() -> str:
    middle = "GG" if random.random() < 0.5 else "AA"
    return "T" + "TTTC"[random.integers(4)] + middle + "CCCG"[random.integers(4)] + "ACGT"[random.integers(4)]


sites = Sites.from_strings([site() for _ in range(300)])
motif = fit_motif(sites, "tree", score="bdeu")
print(motif.network)

# %% [markdown]
# Held-out sites, mean −ln P (less is better):

# %%
print(compare_motifs([sites], ["pssm", "tree", "bc2g"], folds=5).to_markdown())

# %%
plot_logo(motif)

# %% [markdown]
# The logo shows both letters at positions 3 and 4, and not that they go together; the network does. In a sequence, `TTAACA` is a site
# (and so is what its other strand reads by chance), and `TTAGCA` is none:

# %%
for hit in scan_sequence(motif, "CCTTAACACCCCTTAGCACC", threshold=2.0):
    print(hit)
