"""Plots of a fitted Clusterer. They need matplotlib; each returns the axes it drew on."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from .errors import DataError, UsageError

_LEVEL = 0.01  # chance below which an effect is shown
_DRAWN = 20_000  # points of a map at most
_MANY = 20  # clusters that a legend names


def _axes(ax: Any, **size: Any) -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("omvc.pl needs matplotlib: pip install matplotlib") from error
    return plt.subplots(layout="constrained", **size)[1] if ax is None else ax


def _colours(numbers: Any) -> dict[int, Any]:
    """A colour for each cluster, the same in every plot of a model: colours belong to numbers."""
    import matplotlib

    table = matplotlib.colormaps["tab10" if max(numbers, default=0) < 10 else "tab20"]
    return {int(number): table(int(number) % table.N) for number in numbers}


def _legend(ax: Any, count: int, **how: Any) -> None:
    if count <= _MANY:
        ax.legend(title="cluster", frameon=False, loc="upper left", bbox_to_anchor=(1, 1), borderaxespad=0, **how)


def map(model: Any, X: Any = None, *, method: str = "auto", ax: Any = None, size: float = 6) -> Any:  # noqa: A001
    """The instances in the plane, coloured by cluster: of X, or of fit.

    method: umap (the embedding by UMAP), pca (its two main directions), prototypes (what the model keeps, which needs no
    instances: a disc for each, by its size), or auto: umap where it is installed, else pca; prototypes where X is not given
    and instances lack views, which lie apart in an embedding, or after load, cut and partial_fit.
    """
    if method not in ("auto", "umap", "pca", "prototypes"):
        raise UsageError(f"method = {method!r}: choose auto, umap, pca or prototypes")
    if method == "auto" and X is None:
        whole = hasattr(model, "embedding_") and len(model.report().get("patterns") or ()) == 1
        method = "auto" if whole else "prototypes"
    if method == "prototypes":
        return _map_of_prototypes(model, ax)
    if X is None and not hasattr(model, "embedding_"):
        raise UsageError("the embedding of fit is not there: give X, or method='prototypes'")
    rows = np.asarray(model.embedding_ if X is None else model.transform(X))
    labels = np.asarray(model.labels_ if X is None else model.predict(X), dtype=float)
    known = np.flatnonzero(labels >= 0)
    known = known[:: max(1, -(-len(known) // _DRAWN))]
    rows, labels = rows[known], labels[known].astype(int)
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)
    flat, names = _plane(rows, method)
    ax = _axes(ax)
    numbers = sorted(set(labels.tolist()))
    colours = _colours(numbers)
    for number in numbers:
        here = labels == number
        ax.scatter(flat[here, 0], flat[here, 1], s=size, color=colours[number], label=str(number), linewidths=0, alpha=0.8)
    ax.set_xlabel(names[0])
    ax.set_ylabel(names[1])
    _without_ticks(ax)
    _legend(ax, len(numbers), markerscale=2)
    return ax


def _plane(rows: Any, method: str) -> tuple[Any, list[str]]:
    if method in ("auto", "umap"):
        try:
            import umap

            return umap.UMAP(random_state=0, n_jobs=1).fit_transform(rows), ["UMAP 1", "UMAP 2"]
        except ImportError as error:
            if method == "umap":
                raise ImportError("method='umap' needs umap-learn: pip install umap-learn") from error
    rows = rows - rows.mean(axis=0)
    _, lengths, directions = np.linalg.svd(rows[:: max(1, len(rows) // 5000)], full_matrices=False)
    flat, share = rows @ directions[:2].T, lengths**2 / max((lengths**2).sum(), 1e-300)
    if flat.shape[1] < 2:
        flat, share = np.column_stack([flat, np.zeros(len(flat))]), np.append(share, 0)
    return flat, [f"direction {j + 1} of the embedding ({share[j]:.0%})" for j in range(2)]


def _map_of_prototypes(model: Any, ax: Any) -> Any:
    x, y, mass, clusters = model._fitted().prototype_map()
    if not len(x):
        raise UsageError("this model keeps no prototypes to draw: give X")
    ax = _axes(ax)
    numbers = sorted(set(clusters.tolist()))
    colours = _colours(numbers)
    for number in numbers:
        here = clusters == number
        ax.scatter(x[here], y[here], s=8 + 300 * mass[here] / mass.max(), color=colours[number], label=str(number),
                   linewidths=0, alpha=0.7)
    ax.set_xlabel("prototypes that instances lie between are near")
    _without_ticks(ax)
    ax.set_aspect("equal")
    _legend(ax, len(numbers))
    return ax


def _without_ticks(ax: Any) -> None:
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[["top", "right"]].set_visible(False)


def presence(model: Any, *, ax: Any = None) -> Any:
    """Which views instances have, pattern by pattern, and how the clusters spread over the patterns."""
    report = model.report()
    patterns = report.get("patterns")
    if not patterns:
        raise UsageError("presence patterns are known after fit, not after partial_fit, cut or load")
    views = [view["name"] for view in report["view_details"]]
    words = [textwrap.fill(" + ".join(name for name, there in zip(views, pattern["present"]) if there) or "none", 40)
             for pattern in patterns]
    lines = sum(word.count("\n") + 1 for word in words)
    ax = _axes(ax, figsize=(6.4, max(2.0, 0.8 + 0.3 * lines)))
    numbers = report["cluster_numbers"]
    colours = _colours(numbers)
    left = np.zeros(len(patterns))
    for k, number in enumerate(numbers):
        width = np.array([pattern["cluster_sizes"][k] for pattern in patterns], dtype=float)
        ax.barh(range(len(patterns)), width, left=left, color=colours[number], label=str(number))
        left += width
    ax.set_yticks(range(len(patterns)))
    ax.set_yticklabels(words)
    ax.invert_yaxis()
    ax.set_xlabel("instances")
    ax.spines[["top", "right"]].set_visible(False)
    _legend(ax, len(numbers))
    return ax


def tree(model: Any, most: int = 12, *, ax: Any = None) -> Any:
    """How clusters split as their number grows; the row of as many clusters as the model has is in their colours."""
    levels = model.tree(most)
    ax = _axes(ax)
    before: dict[int, float] = {}
    for depth, (numbers, sizes, parents) in enumerate(levels):
        colours = _colours(numbers) if len(numbers) == model.n_clusters_ else {}
        order = sorted(range(len(sizes)), key=lambda k: (before[parents[k]] if parents[k] >= 0 else 0, -sizes[k]))
        total, edge, centres = sum(sizes), 0.0, [0.0] * len(sizes)
        for k in order:
            share = sizes[k] / total if total else 0
            centres[k] = edge + share / 2
            ax.barh(-depth, max(share - 0.004, 0), left=edge, height=0.35, color=colours.get(numbers[k], "0.7"))
            if share > 0.03:
                ax.text(centres[k], -depth, str(numbers[k]), ha="center", va="center", fontsize="small")
            if parents[k] >= 0:
                ax.plot([before[parents[k]], centres[k]], [1 - depth, -depth], color="0.6", linewidth=0.8, zorder=0)
            edge += share
        before = dict(zip(numbers, centres))
    ax.set_yticks([-depth for depth in range(len(levels))])
    ax.set_yticklabels([str(len(sizes)) for _, sizes, _ in levels])
    ax.set_ylabel("clusters")
    ax.set_xlabel("share of the instances")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def features(model: Any, n: int = 5, *, view: Any = None, ax: Any = None) -> Any:
    """The features that tell the clusters of one view apart, and how large their effect is in each cluster: the mean of
    the cluster less that of the others, over the deviation within. What chance explains stays white."""
    view, names, effects = _telling(model, n, view)
    values = np.where(effects["chance"] < _LEVEL, effects["effect"], np.nan)
    limit = max(1.0, float(np.nanmax(np.abs(values), initial=0)))
    return _image(values, names, model, view, ax, "effect", cmap="RdBu_r", vmin=-limit, vmax=limit)


def heatmap(model: Any, n: int = 5, *, view: Any = None, ax: Any = None) -> Any:
    """The means of the telling features of one view in each cluster, every feature from its least (0) to its largest (1)."""
    view, names, effects = _telling(model, n, view)
    means = effects["mean"]
    low, high = np.nanmin(means, axis=1, keepdims=True), np.nanmax(means, axis=1, keepdims=True)
    values = (means - low) / np.where(high > low, high - low, 1)
    return _image(values, names, model, view, ax, "mean, from the least to the largest", cmap="viridis", vmin=0, vmax=1)


def _telling(model: Any, n: int, view: Any) -> tuple[str, list[str], dict[str, Any]]:
    """The telling features of a view, and what is known of them: features x clusters each."""
    names_of_views = model.view_names_in_
    view = names_of_views[0] if view is None else names_of_views[view] if isinstance(view, int) else view
    top = model.top_features(n, view=view)
    if not top:
        raise DataError(f"no feature of view {view!r} tells clusters apart")
    wanted = {one.number: one.feature for one in top}
    told, v = model._fitted(), names_of_views.index(view)
    numbers = list(wanted)
    found = [told.feature_effects(v, k) for k in told.clusters()]
    what = {name: np.array([one[j][numbers] for one in found]).T
            for j, name in enumerate(("mean", "others", "effect", "chance"))}
    return view, [wanted[number] for number in numbers], what


def _image(values: Any, names: list[str], model: Any, view: str, ax: Any, what: str, **colours: Any) -> Any:
    clusters = [int(number) for number in model.clusters_]
    ax = _axes(ax, figsize=(2.6 + 0.35 * len(clusters), 1.2 + 0.22 * len(names)))
    image = ax.imshow(values, aspect="auto", **colours)
    ax.set_yticks(range(len(names)))
    ax.set_yticklabels(names)
    ax.set_xticks(range(len(clusters)))
    ax.set_xticklabels(clusters)
    ax.set_xlabel("cluster")
    ax.set_title(view)
    ax.figure.colorbar(image, ax=ax, label=what)
    return ax


def confidence(model: Any, *, ax: Any = None) -> Any:
    """How sure labels are, cluster by cluster."""
    labels, sure = _labelled(model)
    numbers = sorted(set(labels.tolist()))
    colours = _colours(numbers)
    ax = _axes(ax)
    boxes = ax.boxplot([sure[labels == number] for number in numbers], tick_labels=[str(number) for number in numbers],
                       showfliers=False, patch_artist=True, medianprops={"color": "black"})
    for number, box in zip(numbers, boxes["boxes"]):
        box.set_facecolor(colours[number])
    ax.set_xlabel("cluster")
    ax.set_ylabel("confidence")
    ax.set_ylim(0, 1.02)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def calibration(model: Any, truth: Any, *, bins: int = 10, ax: Any = None) -> Any:
    """Whether confidence means what it says: of the instances of fit with about the same confidence, the share that is in
    the class that most of their cluster is in. `truth` has the class of each of them."""
    from ._results import classes

    labels, sure, rows = _labelled(model, True)
    known = classes(truth, model.index_, model.labels_)[0][rows]
    there = known > np.iinfo(np.int32).min
    labels, sure, known = labels[there], sure[there], known[there]
    right = np.zeros(len(labels))
    for number in set(labels.tolist()):
        here = labels == number
        names, counts = np.unique(known[here], return_counts=True)
        right[here] = known[here] == names[counts.argmax()]
    step = np.minimum((sure * bins).astype(int), bins - 1)
    filled = [b for b in range(bins) if (step == b).any()]
    ax = _axes(ax, figsize=(4.2, 4))
    ax.plot([0, 1], [0, 1], color="0.7", linewidth=1, zorder=0)
    ax.scatter([sure[step == b].mean() for b in filled], [right[step == b].mean() for b in filled],
               s=[20 + 400 * (step == b).mean() for b in filled], color="tab:blue", alpha=0.8, linewidths=0, clip_on=False)
    ax.set_xlabel("confidence")
    ax.set_ylabel("share in the class of the cluster")
    ax.set_xlim(0, 1.02)
    ax.set_ylim(0, 1.02)
    ax.set_aspect("equal")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _labelled(model: Any, with_rows: bool = False) -> Any:
    """Labels and confidence of the instances that have both."""
    if not hasattr(model, "labels_"):
        raise UsageError("labels are known after fit, and after cut(n, X)")
    if model.confidence_ is None:
        raise UsageError("this method tells no confidence")
    labels, sure = np.asarray(model.labels_, dtype=float), np.asarray(model.confidence_)
    rows = np.flatnonzero((labels >= 0) & ~np.isnan(sure))
    found = labels[rows].astype(int), sure[rows]
    return (*found, rows) if with_rows else found
