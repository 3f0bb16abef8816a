#!/usr/bin/env python3
"""Makes the two notebooks of this folder, with their outputs.

    python3 examples/make_notebooks.py               both
    python3 examples/make_notebooks.py citeseq       one of them

Needs the packages of tools/requirements-notebooks.txt beside omvc itself. The cells are below as text; the notebooks hold
nothing else. CITE-seq cells come from OMVC_DATA/citeseq where that is there, else they are planted.
"""

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

CITESEQ = [
    """# Cells with two assays
Single cells of which RNA and surface proteins were counted (CITE-seq). Some cells lack one of the two.""",
    """
import os
import numpy as np
import pandas as pd
import scipy.io, scipy.sparse as sp
import omvc

folder = os.path.join(os.environ.get("OMVC_DATA", "../../shared/data"), "citeseq")

def cells():
    if os.path.isdir(folder):
        rna = sp.csr_matrix(scipy.io.mmread(f"{folder}/RNA_cells_x_genes.mtx.gz")).astype(np.float32)
        protein = sp.csr_matrix(scipy.io.mmread(f"{folder}/Protein_cells_x_adt.mtx.gz")).astype(np.float32)
        genes, proteins = (open(f"{folder}/{name}.txt").read().split() for name in ("genes", "adt"))
        index = open(f"{folder}/barcodes.txt").read().split()
        truth = pd.read_csv(f"{folder}/truth_InHouse.csv").iloc[:, -1].to_numpy()
        return rna, protein.toarray(), genes, proteins, index, truth
    random = np.random.default_rng(0)
    kind = random.integers(5, size=600)
    rna = sp.csr_matrix(random.poisson(random.gamma(0.3, 1, (5, 800))[kind]).astype(np.float32))
    protein = random.poisson(random.gamma(2, 20, (5, 12))[kind]).astype(np.float32)
    return rna, protein, [f"gene{j}" for j in range(800)], [f"protein{j}" for j in range(12)], \\
        [f"cell{i}" for i in range(600)], kind

rna, protein, genes, proteins, index, truth = cells()
rna.shape, protein.shape""",
    "A quarter of the cells lose their proteins, another quarter their RNA. Missing is simply not there.",
    """
random = np.random.default_rng(1)
part = random.integers(4, size=len(index))
index = np.array(index, dtype=object)
views = {
    "rna": omvc.View(rna[part != 0], features=genes, index=index[part != 0]),
    "protein": omvc.View(np.log1p(protein[part != 1]), features=proteins, index=index[part != 1]),
}
model = omvc.Clusterer(len(set(truth))).fit(views)
model""",
    "How the clusters and the annotation agree:",
    """
pd.crosstab(model.labels_, pd.Series(truth, index=index, name="annotated"))""",
    "What tells the clusters apart, and what is missing filled in, in counts:",
    """
for k in model.clusters_[:5]:
    print(k, [one.feature for one in model.top_features(5, cluster=int(k)) if one.view == "protein"])
model.impute(views)["protein"].loc[index[part == 1]].head(3).round(2)""",
    "The same for scanpy, in one line that writes into the object:",
    """
import anndata, mudata
assays = mudata.MuData({name: anndata.AnnData(view.data, obs=pd.DataFrame(index=view.index),
                                              var=pd.DataFrame(index=view.features)) for name, view in views.items()})
omvc.tl.cluster(assays, len(set(truth)))
assays.obs["omvc"].value_counts()""",
    """
omvc.pl.map(model);""",
]

DEBIAN = [
    """# The Debian archive
Packages described in several languages, by tags and by what they depend on. Most packages lack most views. The data are
those that apt keeps on every Debian machine; a part of the packages is taken here.""",
    """
import os, sys
sys.path.insert(0, os.path.join(os.environ.get("OMVC_EXAMPLES", "."), ""))
import debian_archive
import omvc

if not debian_archive.lists("*main_binary-*_Packages*"):
    raise SystemExit("skipped: this machine has no lists of packages; run apt-get update")
views, sections = debian_archive.archive()
names = sorted(sections)
kept = set(names[:: max(1, len(names) // 1500)])
views = {name: debian_archive.few(view, kept) for name, view in views.items()}
{name: view.data.shape for name, view in views.items() if view}""",
    """
model = omvc.Clusterer(8).fit({name: view for name, view in views.items() if view})
model.report()""",
    "Every cluster with the words that tell it from the others, and the sections that its packages are in:",
    """
debian_archive.show(model, sections, "en" if "en" in views else "tags")
print("NMI with the sections:", round(debian_archive.agreement(model.labels_, sections), 3))""",
    "How many clusters are there? The tree of cuts needs no second look at the data.",
    """
omvc.pl.tree(model, 6);""",
    "A package that is known by its tags alone:",
    """
one = views["tags"]
new = omvc.View(one.data[:3], one.features, one.index[:3])
list(zip(new.index, model.predict({"tags": new}), model.predict_confidence({"tags": new}).round(2)))""",
]


def notebook(cells):
    import nbformat

    made = nbformat.v4.new_notebook()
    for i, text in enumerate(cells):
        make = nbformat.v4.new_code_cell if text.startswith("\n") else nbformat.v4.new_markdown_cell
        made.cells.append(make(text.strip(), id=f"cell{i}"))
    return made


def main():
    if "--help" in sys.argv:
        print(__doc__)
        return
    import nbformat
    from nbclient import NotebookClient

    os.environ.pop("MPLBACKEND", None)  # figures belong into the notebook
    for name, cells in (("citeseq", CITESEQ), ("debian_archive", DEBIAN)):
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        made = notebook(cells)
        NotebookClient(made, timeout=600, resources={"metadata": {"path": str(HERE)}}).execute()
        made.metadata.pop("widgets", None)
        for cell in made.cells:
            cell.metadata.clear()
        nbformat.write(made, HERE / f"{name}.ipynb")
        print(f"examples/{name}.ipynb")


if __name__ == "__main__":
    main()
