#!/usr/bin/env python3
"""Views that were hidden, filled in by the model, beside scikit-learn's KNNImputer and the means of the clusters.

    python3 experiments/imputation.py            the table
    python3 experiments/imputation.py --write    into docs/quality.md

A fifth of the rows of one view is hidden. R2 over the hidden cells, each feature divided by its deviation: 1 is perfect,
0 the mean of each feature. Needs the package omvc, numpy, scipy and scikit-learn.
"""

import argparse

import numpy as np
from scipy.io import mmread
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


CASES = [("Digit, fac", digit, 1), ("Digit, zer", digit, 4), ("BDGP, lateral", bdgp, 0), ("BDGP, text", bdgp, 3),
         ("CITE-seq, proteins from RNA", citeseq, 1)]


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
    used = spread > 0
    error = ((truth - filled)[:, used] / spread[used]) ** 2
    about = ((truth - truth.mean(0))[:, used] / spread[used]) ** 2
    return 1 - error.sum() / about.sum()


def run(case, view, model=by_model):
    views, clusters = case()
    there = np.where(~np.isnan(views[view]).all(1) & (sum(~np.isnan(v).all(1) for v in views) > 1))[0]
    hidden = np.random.default_rng(0).choice(there, len(there) // 5, False)
    truth, spread = views[view][hidden].copy(), np.nanstd(views[view], 0)
    views[view][hidden] = np.nan
    filled, labels = model(views, view, clusters)
    return [r2(truth, each[hidden], spread) for each in
            (filled, by_neighbours(views, view), by_clusters(views[view], labels))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    rows = ["| hidden | omvc | KNNImputer(15) | cluster means |", "| --- | --- | --- | --- |"]
    for name, case, view in CASES:
        rows.append(f"| {name} | " + " | ".join(f"{x:.3f}" for x in run(case, view)) + " |")
        print(rows[-1], flush=True)
    if chosen.write:
        docs_page.put("quality.md", "imputation", "\n".join([*rows, "", docs_page.stamp("experiments/imputation.py --write")]))


if __name__ == "__main__":
    main()
