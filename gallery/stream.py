# %% [markdown]
# # A stream
#
# Rows come in blocks, and each is seen once. Counts add up, so that the model after the last block is the very model of all rows
# together.

# %%
import numpy as np

from tanager import NaiveBayesClassifier, TANClassifier, load_dataset

nursery = load_dataset("nursery")
order = np.random.default_rng(0).permutation(len(nursery.y))
labels = np.asarray(nursery.y)[order]
rows = np.column_stack([np.asarray(nursery.X[name]) for name in nursery.feature_names])[order]
blocks = np.array_split(np.arange(len(labels)), 24)

# %% [markdown]
# Tested on each block before it is learned from:

# %%
models = {"naive Bayes": NaiveBayesClassifier(), "TAN": TANClassifier()}
curves: dict[str, list[float]] = {name: [] for name in models}
for number, block in enumerate(blocks):
    for name, model in models.items():
        if number:
            curves[name].append(model.score(rows[block], labels[block]))
        model.partial_fit(rows[block], labels[block], classes=np.unique(labels))
for name, curve in curves.items():
    print(f"{name:12} first blocks {np.mean(curve[:3]):.3f}, last blocks {np.mean(curve[-3:]):.3f}")

# %%
import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
for name, curve in curves.items():
    axes.plot(np.cumsum([len(block) for block in blocks])[:-1], curve, label=name)
axes.set_xlabel("rows seen")
axes.set_ylabel("accuracy on the next block")
axes.legend()
figure

# %% [markdown]
# The same as in one go?

# %%
whole = TANClassifier().fit(rows, labels)
print(np.array_equal(whole.predict_proba(rows[:100]), models["TAN"].predict_proba(rows[:100])))
