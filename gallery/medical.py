# %% [markdown]
# # A medical table
#
# Heart disease, 270 patients: ages and pressures beside codes for kinds of pain. Numbers are cut where that tells
# about the class, and a tree-augmented network says which findings go together.

# %%
from tanager import RefinedClassifier, TANClassifier, load_dataset

heart = load_dataset("heart-statlog")
model = TANClassifier(score="bdeu").fit(heart.X, heart.y)
print(model.network_)

# %% [markdown]
# Probabilities matter more than labels here. Five-fold cross-validation, the same folds for all:

# %%
from tanager import compare

found = compare(
    {"nb": "nb", "tan": "tan:score=bdeu", "refined": RefinedClassifier()}, [heart], repeats=1, progress=False
)
print(found.to_text("log_loss").splitlines()[0])
losses = found.table("log_loss").values[0]
for name, accuracy, loss in zip(found.learners, found.accuracy.values[0], losses, strict=True):
    print(f"{name:8} accuracy {accuracy:.3f}  log-loss {loss:.3f}")

# %% [markdown]
# Why does the model say so of the first patient? Each attribute's part, in nats, for and against each class:

# %%
model.explain(heart.X[:1]).plot(0)

# %% [markdown]
# How far can its probabilities be trusted?

# %%
found.plot_reliability(heart.name)
