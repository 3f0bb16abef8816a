#!/usr/bin/env python3
"""The genes that tell clusters, beside scanpy's rank_genes_groups, on CITE-seq; docs/quality.md has the table.

    python3 experiments/telling_features.py            the table
    python3 experiments/telling_features.py --write    into docs/quality.md

Both are given the clusters that omvc finds in RNA and proteins, and name ten genes of each. omvc goes by the size of the
effect among genes that a test of two means admits; scanpy by the size of Wilcoxon's score on log-normalised counts. AUC: the
chance that a cell of the cluster has more of the gene than another cell, or less, whichever is larger, mean over the genes
named. Needs the package omvc, scanpy, scipy and scikit-learn, and the data of OMVC_DATA (else ../shared/data).
"""

import argparse
import warnings

import anndata
import numpy as np
import scanpy
from scipy.io import mmread
from scipy.sparse import csc_matrix, csr_matrix
from sklearn.metrics import roc_auc_score

import docs_page
import omvc
from datasets import DATA

CLUSTERS, NAMED = 6, 10


def citeseq():
    rna, protein = (mmread(DATA / "citeseq" / f"{name}.mtx.gz") for name in ("RNA_cells_x_genes", "Protein_cells_x_adt"))
    return csr_matrix(rna), np.asarray(protein.todense() if hasattr(protein, "todense") else protein, float)


def scores_of(rna, labels):
    """Of each cluster: the score of every gene."""
    data = anndata.AnnData(rna.astype(np.float32))
    data.obs["cluster"] = np.array([str(label) for label in labels])
    data.obs["cluster"] = data.obs["cluster"].astype("category")
    scanpy.pp.normalize_total(data)
    scanpy.pp.log1p(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scanpy.tl.rank_genes_groups(data, "cluster", method="wilcoxon", n_genes=rna.shape[1])
    found, out = data.uns["rank_genes_groups"], {}
    for k in found["names"].dtype.names:
        out[int(k)] = np.zeros(rna.shape[1])
        out[int(k)][[int(gene) for gene in found["names"][k]]] = found["scores"][k]
    return out


def auc(rna, own, genes):
    scores = [roc_auc_score(own, np.asarray(rna[:, [gene]].todense()).ravel()) for gene in genes]
    return float(np.mean([max(score, 1 - score) for score in scores])) if scores else float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    rna, protein = citeseq()
    model = omvc.Clusterer(CLUSTERS, seed=0).fit([rna, protein])
    labels, columns = np.asarray(model.labels_), csc_matrix(rna)
    scores = scores_of(rna, labels)
    table = ["| cluster | cells | named by both | AUC, omvc | AUC, scanpy | named high by one and low by the other |",
             "| --- | --- | --- | --- | --- | --- |"]
    for k in sorted(scores):
        ours = [(one.number, one.high) for one in model.top_features(NAMED, view=0, cluster=k)]
        theirs = np.argsort(-abs(scores[k]), kind="stable")[:NAMED]
        both = len({gene for gene, _ in ours} & set(theirs.tolist()))
        against = sum(high != (scores[k][gene] > 0) for gene, high in ours)
        own = labels == k
        table.append(f"| {k} | {own.sum()} | {both} of {len(ours)} | {auc(columns, own, [gene for gene, _ in ours]):.3f} | "
                     f"{auc(columns, own, theirs):.3f} | {against} |")
    print("\n".join(table))
    if given.write:
        docs_page.put("quality.md", "telling-features",
                      "\n".join([*table, "", docs_page.stamp("experiments/telling_features.py --write")]))


if __name__ == "__main__":
    main()
