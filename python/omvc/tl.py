"""Clustering in the manner of scanpy: reads AnnData or MuData, writes into it, returns None."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._table import is_anndata, is_mudata
from .clusterer import Clusterer
from .errors import UsageError


def cluster(data: Any, n_clusters: int | None = None, *, key_added: str = "omvc", views: Any = None,
            layer: str | None = None, n_neighbors: int = 15, copy: bool = False, **options: Any) -> Any:
    """Clusters the observations of AnnData or MuData, from raw counts or whatever X holds.

    Adds obs[key] (categories; "-1" without any view), obs[key + "_confidence"], obs[key + "_distance"],
    obsm["X_" + key] (the embedding), obsp[key + "_connectivities"] (each observation and its nearest `n_neighbors` by all
    views that it has; none where it is 0) and uns[key] (options and report), so that `sc.tl.umap(data, neighbors_key=key)`
    and `sc.tl.leiden(data, neighbors_key=key)` run on the joint graph. Every modality of MuData is a view; views= chooses
    others: "MODALITY", "MODALITY:OBSM_KEY", and for AnnData "X" or keys of obsm. Options are those of omvc.Clusterer.
    """
    if not (is_anndata(data) or is_mudata(data)):
        raise UsageError(f"omvc.tl.cluster takes AnnData or MuData, not {type(data).__name__}: use omvc.Clusterer")
    if copy:
        data = data.copy()
    import pandas

    model = Clusterer(n_clusters, **options).fit(data, views=views, layer=layer)
    labels = np.asarray(model.labels_)
    words = [str(number) for number in sorted(set(labels.tolist()))]
    data.obs[key_added] = pandas.Categorical([str(label) for label in labels], categories=words)
    for name, values in (("confidence", model.confidence_), ("distance", model.distance_)):
        if values is not None:
            data.obs[f"{key_added}_{name}"] = np.asarray(values)
    if hasattr(model, "embedding_"):
        data.obsm[f"X_{key_added}"] = model.embedding_
    data.uns[key_added] = _told(model, key_added)
    if n_neighbors > 0 and model.method in (None, "omvc"):
        _add_graph(data, model, n_neighbors, key_added, views, layer)
    return data if copy else None


def _told(model: Any, key: str) -> dict[str, Any]:
    report = model.report()
    given = {name: str(value) if isinstance(value, (dict, tuple)) else value for name, value in model.get_params().items()
             if value is not None and value is not False}
    return {
        "params": {**given, "use_rep": f"X_{key}"},
        "clusters": np.asarray(model.clusters_),
        "views": {view["name"]: {"observed": view["observed"], "explained": view["explained"], "scaling": view["scaling"]}
                  for view in report["view_details"]},
        "found_by": report["found_by"],
    }


def _add_graph(data: Any, model: Any, n_neighbors: int, key: str, views: Any, layer: str | None) -> None:
    """The joint graph under the names that scanpy looks for. Weights are those of a fuzzy union, as UMAP has them."""
    import scipy.sparse

    near, weights = model._neighbours(data, n_neighbors, views=views, layer=layer)
    there = near >= 0
    strongest = weights.max(axis=1, keepdims=True, initial=0)
    weights = weights / np.where(strongest > 0, strongest, 1)
    rows = np.repeat(np.arange(len(near)), there.sum(axis=1))
    graph = scipy.sparse.csr_matrix((weights[there].astype(np.float32), (rows, near[there])), shape=(len(near),) * 2)
    back = graph.T.tocsr()
    data.obsp[f"{key}_connectivities"] = (graph + back - graph.multiply(back)).tocsr()
    data.uns[key]["connectivities_key"] = f"{key}_connectivities"
    data.uns[key]["distances_key"] = f"{key}_distances"
    data.uns[key]["params"].update(n_neighbors=n_neighbors, method="umap", metric="omvc")
