# %% [markdown]
# # A comparison for a paper
#
# Learners on several tables, with the tests and the diagram that referees ask for, and the table as LaTeX.

# %%
from tanager import compare

tables = ["balance-scale", "car", "iris", "lymphography", "tic-tac-toe", "vote", "wine", "zoo"]
found = compare(["nb", "tan", "kdb:k=2", "tree"], tables, repeats=1, progress=False)
print(found.to_markdown())

# %% [markdown]
# Do the learners differ at all, and which of them?

# %%
test = found.friedman()
print(f"Friedman χ² = {test.chi2_ties:.2f}, p = {test.p_value_ties:.3f}")
found.plot_critical_difference()

# %%
found.plot_scatter("nb", "tan")

# %% [markdown]
# What goes into the paper:

# %%
print(found.to_latex())
