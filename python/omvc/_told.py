"""What a model tells: which features make its clusters, how they split, the report, the page."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _checks, _options, _results
from ._estimator import Estimator
from .errors import NotThereError, UsageError

_MOST = 1000  # clusters of a tree


class Told(Estimator):
    """The part of Clusterer that explains."""

    _report: _results.Report | None
    events_: list[dict[str, Any]]
    labels_: Any
    index_: Any

    @property
    def cluster_centers_(self) -> Any:
        """The means of the features in each cluster, in the units of the data: clusters x features of each view by its
        name, as DataFrames where pandas is installed. Cells that are missing do not count."""
        model, out = self._fitted(), {}
        for v, (name, width, features) in enumerate(self._known()):
            means = np.array([model.feature_effects(v, k)[0] for k in model.clusters()]).reshape(-1, width)
            out[name] = _results.frame(means, model.clusters(), features if features is not None else range(width), "cluster")
        return out

    @property
    def feature_effects_(self) -> Any:
        """Every feature in every cluster beside the other clusters: a DataFrame (without pandas: a record array) of view,
        cluster, feature, mean, others (the mean of the others), effect (their difference over the deviation within, with
        its sign) and chance (of such an effect where there is none, over all features of the view)."""
        model = self._fitted()
        columns: dict[str, list[Any]] = {name: [] for name in _results.EFFECTS}
        for v, (view, width, features) in enumerate(self._known()):
            for k in model.clusters():
                told = dict(zip(("mean", "others", "effect", "chance"), model.feature_effects(v, k)))
                told["view"], told["cluster"] = np.full(width, view, dtype=object), np.full(width, k)
                told["feature"] = np.array(features if features is not None else range(width), dtype=object)
                for name, values in columns.items():
                    values.append(told[name])
        return _results.table({name: np.concatenate(values) for name, values in columns.items()})

    @property
    def tree_(self) -> Any:
        """How the clusters of `clusters_` are joined, as a linkage of SciPy: two clusters, or trees of them, that are one
        where there are fewer clusters; the height is how many fewer. Leaf i is clusters_[i]."""
        model = self._fitted()
        numbers = model.clusters()
        if not 2 <= len(numbers) <= _MOST:
            there = _results.counted(len(numbers), "cluster")
            raise NotThereError(f"a tree has 2 to {_MOST} leaves, and there {'is' if len(numbers) == 1 else 'are'} {there}")
        return _results.linkage(model.tree(len(numbers)), numbers)

    def top_features(self, n: int = 10, *, view: str | int | None = None, cluster: int | None = None) -> Any:
        """The features that tell clusters from the others, the most telling first: a list of
        (view, cluster, feature, number, weight, lift, high), at most n for each view and cluster. What chance explains is
        not among them."""
        model, known = self._fitted(), self._known()
        names = [one[0] for one in known]
        if view is not None and view not in names and not (isinstance(view, int) and 0 <= view < len(names)):
            raise UsageError(f"there is no view {view!r}; there are {names}")
        chosen = range(len(names)) if view is None else [names.index(view) if isinstance(view, str) else view]
        n, clusters = _options.whole("n", n, 0), model.clusters()
        if cluster is not None:
            if cluster not in clusters:
                raise UsageError(f"there is no cluster {cluster!r}; there are {clusters}")
            clusters = [int(cluster)]
        return [_results.Feature(names[v], k, name, number, weight, lift, high)
                for v in chosen for k in clusters for number, name, weight, lift, high in model.top_features(v, k, n)]

    def tree(self, most: int = 20) -> Any:
        """How clusters split as their number grows from 2: a list of (numbers, sizes, parents) for every
        number: the clusters as `cut` numbers them, and the cluster of the line before that holds most of each."""
        levels = self._fitted().tree(_options.whole("most", most, 2))
        return [_results.Level(*level) for level in levels]

    def report(self) -> Any:
        """What the last fit tells, as a dictionary that prints well: that of the command's --json.

        After partial_fit, cut, refresh and load it is what the model tells by itself: what only the instances could tell
        is None.
        """
        model = self._fitted()
        if self._report is not None:
            return self._report
        return _results.Report(model.report(), events=list(self.events_)).by_itself()

    def write_page(self, path: Any, *, title: str | None = None, truth: Any = None) -> None:
        """Writes one HTML page that explains the result: map, other numbers of clusters, features, what is missing.

        It opens from disk, offline. truth: the class of each instance of the last fit, where it is known; None or NaN
        where it is not. Right after fit the numbers are of all instances, later of the sample that the model keeps.
        """
        model = self._fitted()
        index, none = getattr(self, "index_", None), np.empty(0, np.int32)
        classes, names = (none, []) if truth is None else _results.classes(truth, index, getattr(self, "labels_", None))
        labels = none if truth is None else np.ascontiguousarray(self.labels_, np.int32)
        ids = None if index is None else lambda first, count: [_checks.writable(one) for one in index[first:first + count]]
        model.write_page(_checks.path_text(path), _checks.writable(title or ""), repr(self), ids, labels, classes,
                         [_checks.writable(one) for one in names])
