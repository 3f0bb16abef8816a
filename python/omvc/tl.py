"""Clustering in the manner of scanpy: reads AnnData or MuData, writes into it, returns None."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._table import is_anndata, is_mudata
from .clusterer import Clusterer
from .errors import UsageError


def cluster(data: Any, n_clusters: int | None = None, *, key_added: str = "omvc", views: Any = None,
            layer: str | None = None, copy: bool = False, **options: Any) -> Any:
    """Clusters the observations of AnnData or MuData.

    Adds obs[key] (categories; "-1" without any view), obs[key + "_confidence"], obsm["X_" + key] (the embedding) and
    uns[key] (options and report). Every modality of MuData is a view; views= chooses others: "MODALITY",
    "MODALITY:OBSM_KEY", and for AnnData "X" or keys of obsm. Options are those of omvc.Clusterer.
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
    if model.confidence_ is not None:
        data.obs[f"{key_added}_confidence"] = np.asarray(model.confidence_)
    data.obsm[f"X_{key_added}"] = model.embedding_
    report = model.report()
    data.uns[key_added] = {
        "params": {name: value for name, value in model.get_params().items() if value is not None and value is not False},
        "clusters": np.asarray(model.clusters_),
        "views": {view["name"]: {"observed": view["observed"], "explained": view["explained"]}
                  for view in report["view_details"]},
        "found_by": report["found_by"],
    }
    return data if copy else None
