#!/usr/bin/env python3
"""Views that were hidden, filled in by the model, beside scikit-learn's KNNImputer and the means of the clusters.

    python3 experiments/imputation.py                 the tables
    python3 experiments/imputation.py --write         into docs/quality.md
    python3 experiments/imputation.py --only cells    one of them (views, cells)

A fifth of the rows of one view is hidden, and in the second table a twentieth of its cells, at random. R2 over the
hidden cells, each feature divided by its deviation: 1 is perfect, 0 the mean of each feature. Needs the package omvc,
numpy, scipy and scikit-learn.
"""

import argparse

import numpy as np
from scipy.io import mmread
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.impute import KNNImputer

import docs_page
from datasets import DATA

NEIGHBOURS = 15


def digit():
    return [np.loadtxt(DATA / "digit" / f"mfeat-{name}") for name in ("fou", "fac", "kar", "pix", "zer")], 10


def bdgp():
    """Rows that lack a view are NaN."""
    with np.load(DATA / "bdgp" / "bdgp_4view_incomplete.npz") as stored:
        mask = stored["mask"].astype(bool)
        views = [stored[name].astype(float) for name in ("lateral", "dorsal", "ventral", "text")]
    for v, view in enumerate(views):
        view[~mask[:, v]] = np.nan
    return views, 5


def citeseq():
    views = [mmread(DATA / "citeseq" / f"{name}.mtx.gz") for name in ("RNA_cells_x_genes", "Protein_cells_x_adt")]
    views = [np.asarray(view.todense() if hasattr(view, "todense") else view, float) for view in views]
    return views, 6


def planted(seed=2):
    """Four groups in two views whose columns follow three hidden numbers within each group."""
    random = np.random.default_rng(seed)
    group, hidden = random.integers(0, 4, 1200), random.normal(size=(1200, 3))
    return [4 * random.normal(size=(4, columns))[group] + 0.9 * hidden @ random.normal(size=(3, columns))
            + 0.2 * random.normal(size=(1200, columns)) for columns in (5, 4)], 4


def single(load, clusters):
    return lambda: ([load().data], clusters)


CASES = [("Digit, fac", digit, 1), ("Digit, zer", digit, 4), ("BDGP, lateral", bdgp, 0), ("BDGP, text", bdgp, 3),
         ("CITE-seq, proteins from RNA", citeseq, 1)]

CELLS = [("Wine", single(load_wine, 3), 0), ("Iris", single(load_iris, 3), 0),
         ("Breast cancer", single(load_breast_cancer, 2), 0), ("Planted groups, second of two views", planted, 1),
         ("Digit, fac", digit, 1), ("Digit, zer", digit, 4)]


def by_model(views, view, clusters):
    """The view filled in, and the labels."""
    import omvc
    model = omvc.Clusterer(n_clusters=clusters, seed=0)
    model.fit(views)
    return model.impute(views)[view], model.labels_


def by_neighbours(views, view):
    """KNNImputer on all features, standardised; counts of thousands of genes as logarithms."""
    table = np.hstack([np.log1p(each) if each.shape[1] > 10000 else each for each in views])
    first = sum(each.shape[1] for each in views[:view])
    mean, spread = np.nanmean(table, 0), np.nanstd(table, 0)
    used = spread > 0
    scaled = (table[:, used] - mean[used]) / spread[used]
    filled = table.copy()
    filled[:, used] = KNNImputer(n_neighbors=NEIGHBOURS).fit_transform(scaled) * spread[used] + mean[used]
    return filled[:, first:first + views[view].shape[1]]


def by_clusters(view, labels):
    out = np.tile(np.nanmean(view, 0), (len(view), 1))
    for cluster in np.unique(labels):
        own = labels == cluster
        if (~np.isnan(view[own])).any():
            out[own] = np.nanmean(view[own], 0)
    return out


def r2(truth, filled, spread):
    """Where `truth` is NaN nothing was hidden."""
    used = spread > 0
    error = ((truth - filled)[:, used] / spread[used]) ** 2
    about = ((truth - np.nanmean(truth, 0))[:, used] / spread[used]) ** 2
    return 1 - np.nansum(error) / np.nansum(about)


def run(case, view, cells, model=by_model):
    views, clusters = case()
    random, truth = np.random.default_rng(0), views[view].copy()
    if cells:
        hidden = random.random(truth.shape) < 0.05
        hidden[hidden.all(1)] = False
        views[view][hidden] = np.nan
        truth[~hidden] = np.nan
        spread = np.nanstd(views[view], 0)
    else:
        there = np.where(~np.isnan(views[view]).all(1) & (sum(~np.isnan(v).all(1) for v in views) > 1))[0]
        rows = random.choice(there, len(there) // 5, False)
        spread = np.nanstd(views[view], 0)
        views[view][rows] = np.nan
        truth[np.setdiff1d(np.arange(len(truth)), rows)] = np.nan
    filled, labels = model(views, view, clusters)
    asked = ~np.isnan(truth).all(1)
    return [r2(truth[asked], each[asked], spread) for each in
            (filled, by_neighbours(views, view), by_clusters(views[view], labels))]


def table(cases, cells):
    rows = ["| hidden | omvc | KNNImputer(15) | cluster means |", "| --- | --- | --- | --- |"]
    for name, case, view in cases:
        rows.append(f"| {name} | " + " | ".join(f"{x:.3f}" for x in run(case, view, cells)) + " |")
        print(rows[-1], flush=True)
    return "\n".join([*rows, "", docs_page.stamp("experiments/imputation.py --write")])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--only", choices=["views", "cells"])
    chosen = parser.parse_args()
    for name, cases, cells in (("imputation", CASES, False), ("imputation-cells", CELLS, True)):
        if chosen.only == ("views" if cells else "cells"):
            continue
        found = table(cases, cells)
        if chosen.write:
            docs_page.put("quality.md", name, found)


if __name__ == "__main__":
    main()
