"""Plots of a fitted Clusterer. They need matplotlib; each returns the axes it drew on."""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import UsageError


def _axes(ax: Any, **size: Any) -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("omvc.pl needs matplotlib: pip install matplotlib") from error
    return plt.subplots(**size)[1] if ax is None else ax


def _colours(count: int) -> Any:
    import matplotlib

    return matplotlib.colormaps["tab10" if count <= 10 else "tab20"].resampled(max(count, 1))


def map(model: Any, X: Any = None, *, ax: Any = None, size: float = 6) -> Any:  # noqa: A001
    """Every instance in the plane of the two main directions of the embedding, coloured by cluster."""
    embedding = np.asarray(model.embedding_ if X is None else model.transform(X))
    labels = np.asarray(model.labels_ if X is None else model.predict(X))
    known = labels >= 0
    rows = embedding[known]
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)
    rows = rows - rows.mean(axis=0)
    _, _, directions = np.linalg.svd(rows[:: max(1, len(rows) // 5000)], full_matrices=False)
    flat = rows @ directions[:2].T
    if flat.shape[1] < 2:
        flat = np.column_stack([flat, np.zeros(len(flat))])
    ax = _axes(ax)
    numbers = sorted(set(labels[known].tolist()))
    colours = _colours(len(numbers))
    for i, number in enumerate(numbers):
        here = labels[known] == number
        ax.scatter(flat[here, 0], flat[here, 1], s=size, color=colours(i), label=str(number), linewidths=0)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.legend(title="cluster", markerscale=2, frameon=False)
    return ax


def presence(model: Any, *, ax: Any = None) -> Any:
    """Which views instances have, pattern by pattern, and how the clusters spread over the patterns."""
    patterns = model.report().get("patterns")
    if not patterns:
        raise UsageError("presence patterns are known after fit, not after partial_fit, cut or load")
    views = [view["name"] for view in model.report()["view_details"]]
    ax = _axes(ax)
    numbers = model.report()["cluster_numbers"]
    colours = _colours(len(numbers))
    left = np.zeros(len(patterns))
    for k, number in enumerate(numbers):
        width = np.array([pattern["cluster_sizes"][k] for pattern in patterns], dtype=float)
        ax.barh(range(len(patterns)), width, left=left, color=colours(k), label=str(number))
        left += width
    ax.set_yticks(range(len(patterns)))
    ax.set_yticklabels([" + ".join(name for name, there in zip(views, pattern["present"]) if there) or "none"
                        for pattern in patterns])
    ax.invert_yaxis()
    ax.set_xlabel("instances")
    ax.legend(title="cluster", frameon=False)
    return ax


def tree(model: Any, most: int = 12, *, ax: Any = None) -> Any:
    """How clusters split as their number grows."""
    levels = model.tree(most)
    ax = _axes(ax)
    before: dict[int, float] = {}
    for depth, (numbers, sizes, parents) in enumerate(levels):
        order = sorted(range(len(sizes)), key=lambda k: (before[parents[k]] if parents[k] >= 0 else 0, -sizes[k]))
        total, edge, centres = sum(sizes), 0.0, [0.0] * len(sizes)
        for k in order:
            share = sizes[k] / total if total else 0
            centres[k] = edge + share / 2
            ax.barh(-depth, max(share - 0.004, 0), left=edge, height=0.35, color="tab:blue", alpha=0.7)
            if parents[k] >= 0:
                ax.plot([before[parents[k]], centres[k]], [1 - depth, -depth], color="0.6", linewidth=0.8, zorder=0)
            edge += share
        before = dict(zip(numbers, centres))
    ax.set_yticks([-depth for depth in range(len(levels))])
    ax.set_yticklabels([str(len(sizes)) for _, sizes, _ in levels])
    ax.set_ylabel("clusters")
    ax.set_xlabel("share of the instances")
    return ax


def features(model: Any, n: int = 5, *, view: Any = None, ax: Any = None) -> Any:
    """The features that tell the clusters of one view apart: their weight in each cluster, relative to the mean."""
    view = model.view_names_in_[0] if view is None else view
    top = model.top_features(n, view=view)
    names = list(dict.fromkeys(feature.feature for feature in top))
    clusters = list(dict.fromkeys(feature.cluster for feature in top))
    values = np.ones((len(names), len(clusters)))
    for feature in top:
        values[names.index(feature.feature), clusters.index(feature.cluster)] = min(max(feature.lift, 1e-3), 1e3)
    ax = _axes(ax, figsize=(1.5 + 0.45 * len(clusters), 1 + 0.22 * len(names)))
    image = ax.imshow(np.log2(values), aspect="auto", cmap="RdBu_r", vmin=-3, vmax=3)
    ax.set_yticks(range(len(names)))
    ax.set_yticklabels(names)
    ax.set_xticks(range(len(clusters)))
    ax.set_xticklabels(clusters)
    ax.set_xlabel("cluster")
    ax.set_title(str(view))
    ax.figure.colorbar(image, ax=ax, label="log2 of the lift")
    return ax


def confidence(model: Any, *, ax: Any = None) -> Any:
    """How sure labels are, cluster by cluster."""
    labels, sure = np.asarray(model.labels_), model.confidence_
    if sure is None:
        raise UsageError("this method tells no confidence")
    sure = np.asarray(sure)
    numbers = sorted(set(labels[labels >= 0].tolist()))
    ax = _axes(ax)
    ax.boxplot([sure[labels == number] for number in numbers], tick_labels=[str(number) for number in numbers],
               showfliers=False)
    ax.set_xlabel("cluster")
    ax.set_ylabel("confidence")
    ax.set_ylim(0, 1.02)
    return ax
