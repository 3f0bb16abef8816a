"""omvc.dask: the same clusters from data that are spread over a Dask cluster.

>>> import dask.array as da, omvc.dask
>>> model = omvc.dask.Clusterer(n_clusters=31).fit({"text": text, "image": image})   # dask arrays
>>> model.labels_                                                                    # a dask array, chunked alike

Labels, model and report have the bits of omvc.Clusterer on the same rows in one process, whatever the partitions and
the workers are. Workers look at their partitions, count and label them; what travels are sums (docs/scaling.md).
"""

from __future__ import annotations

import warnings
from typing import Any

from . import _core, _dask_tasks as tasks, _options, _results, clusterer as _plain
from ._dask_collection import NAMES, Collection, load_dask
from ._dask_work import Work
from ._predictor import FAR
from .errors import OmvcWarning, not_fitted

load_dask()


class Clusterer:
    """Clusters instances that are described by several views and spread over partitions.

    Data are a dask array (one view), a list or dict of dask arrays that are chunked alike in rows, a dask dataframe or a
    list or dict of them with the same partitions, or a list of partitions as paths: each a file of any format that
    omvc.Clusterer reads, a list of files with a view each, or a dict of Parquet files by view; a word with * stands for
    all files that match it. A view is missing where the row is NaN, where the index of a frame lacks the instance, or
    where `present` (instances x views) says so.

    Options are those of omvc.Clusterer; threads are those of one task (default: 1). Partitions are read again in every
    pass: persist a collection that is slow to make.
    """

    labels_: Any  # of the instances of fit, and likewise:
    confidence_: Any
    distance_: Any

    def __init__(self, n_clusters: int | None = None, **options: Any) -> None:
        self._local = _plain.Clusterer(n_clusters, **options)  # knows the options
        self.n_clusters = n_clusters

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The options as they were given."""
        return self._local.get_params(deep)

    def set_params(self, **params: Any) -> Clusterer:
        """Sets options for the next fit."""
        self._local.set_params(**params)
        self.n_clusters = self._local.n_clusters
        return self

    def __repr__(self) -> str:
        return f"omvc.dask.{self._local!r}"

    # Learning.

    def fit(self, X: Any, y: Any = None, *, present: Any = None, views: Any = None, layer: str | None = None,
            files: Any = None) -> Clusterer:
        """Learns the data and labels them. `y` is ignored; views, layer and files tell how to read paths."""
        views = self._local.views if views is None else views
        how = {name: value for name, value in (("views", views), ("layer", layer), ("files", files)) if value is not None}
        given = Collection(X, present, how, None)
        params = {**self.get_params(), "threads": _options.threads(self.get_params()) or 1, "n_jobs": None}
        spec = tasks.Spec(_options.texts(params, [view[0] for view in given.schema]), given.schema, how,
                          _core.__version__)
        spec.plan()  # options that cannot work are refused here and not on a worker
        work = Work(spec, given, self._local.verbose)
        model, report = work.run()
        self._given, self._work = given, work
        self.report_ = _results.Report(report)
        self._bytes = model
        local = self._model_of(model)
        self.clusters_, self.n_clusters_ = local.clusters_, local.n_clusters_
        self.n_views_in_, self.view_names_in_ = local.n_views_in_, local.view_names_in_
        self._predictor = local._model.to_bytes(True)
        for name in ("labels", "confidence", "distance"):
            setattr(self, f"{name}_", given.collected(work.columns(name), name))
        for text in report["warnings"]:
            warnings.warn(text, OmvcWarning, stacklevel=2)
        return self

    def fit_predict(self, X: Any, y: Any = None, **how: Any) -> Any:
        """fit, then labels_."""
        return self.fit(X, **how).labels_

    @property
    def embedding_(self) -> Any:
        """The embedding of the instances of fit, a dask array that is made when it is asked for."""
        self._fitted()
        return self._given.rows(self._work.embeddings(), len(self.to_local().get_feature_names_out()))

    # Using what was learned.

    def predict(self, X: Any, **how: Any) -> Any:
        """The cluster of each instance of another collection, with its partitions; -1 for one without any view."""
        return self._assigned(X, "labels", how)

    def predict_confidence(self, X: Any, **how: Any) -> Any:
        """How sure each label is, 0 to 1."""
        return self._assigned(X, "confidence", how)

    def score_samples(self, X: Any, **how: Any) -> Any:
        """How usual each instance is, the higher the more: -1 is usual, below -3 an outlier."""
        return -self._assigned(X, "distance", how)

    def report(self) -> Any:
        """What the last fit tells, as omvc.Clusterer.report has it."""
        self._fitted()
        return self.report_

    def to_local(self) -> _plain.Clusterer:
        """The model as an omvc.Clusterer of its own, here: to save it, cut it, ask for features."""
        self._fitted()
        local: _plain.Clusterer = self._model_of(self._bytes)
        return local

    @property
    def model_(self) -> _plain.Clusterer:
        """The same as to_local()."""
        return self.to_local()

    # Inside.

    def _fitted(self) -> None:
        if not hasattr(self, "_bytes"):
            raise not_fitted("This omvc.dask.Clusterer is not fitted yet: call fit first")

    def _model_of(self, model: bytes) -> Any:
        out: Any = _plain.Clusterer(**self.get_params())
        out._model, out._report, out.events_ = _core.model_of_bytes(model), self.report_, list(self.report_["events"])
        out.offset_ = -FAR
        out._describe()
        return out

    def _assigned(self, X: Any, what: str, how: dict[str, Any]) -> Any:
        self._fitted()
        present = how.pop("present", None)
        given = Collection(X, present, how, self._work.spec.schema)
        spec = self._work.spec._replace(how=how)
        delayed = load_dask().delayed
        shared, model = delayed(spec, pure=True), delayed(self._predictor, pure=True)
        name, series = NAMES[what], given.frames
        parts = [delayed(tasks.assign, pure=True)(shared, model, part, what, name, series) if size != 0
                 else delayed(tasks.nothing, pure=True)(what, name, series)
                 for part, size in zip(given.parts, given.sizes)]
        return given.collected(parts, what)
