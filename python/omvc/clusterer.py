"""Clusterer: incomplete multi-view data to clusters, as scikit-learn has estimators."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from . import _checks, _core, _inputs, _options, _progress, _results, _rows
from ._memory import Given
from ._predictor import FAR, Predictor
from .errors import OmvcWarning, UsageError, in_python_words

_CHUNK = 500  # rows that partial_fit learns at a time


class Clusterer(Predictor):
    """Clusters instances that are described by several views, most of them lacking some view.

    Data are a list or dict of views, each an array of NumPy, a sparse matrix of SciPy, a DataFrame of pandas or polars,
    anything that speaks Arrow; one table whose columns `views` groups; AnnData or MuData; a path or a list of paths; an
    iterator of chunks, or a function that makes one (then the data are read as often as is useful). A plain array is one
    view. Frames are joined by their index; a view is missing where the index lacks the instance, the row is NaN or None,
    or `present` (instances x views) says so. Arrays of float32 and float64 in C order and CSR matrices are not copied.

    Every option of the method is None by default: the method's own default.

    Attributes
    ----------
    labels_ : array or Series of int
        The cluster of each instance of fit, or of the last partial_fit; -1 without any view, omvc.NOT_REACHED (a Series:
        NA) where fit was interrupted before.
    confidence_, distance_ : array or Series of float
        How sure each label is, the chance that a model of other rows agrees; and how unusual each instance is: 1 is
        usual, more than 3 an outlier.
    embedding_ : array
        Instances x rank, after fit with `embedding`.
    clusters_, n_clusters_ : array of int, int
        The numbers of the clusters, which last from cut to cut, and how many there are.
    cluster_centers_, feature_effects_, tree_ : dict, DataFrame, array
        What the clusters are like, which features tell them apart, and how they are joined; made when they are asked for.
    offset_ : float
        What score_samples is below for an outlier.
    events_ : list of dict
        What has happened to clusters since fit: born, split, merged, gone.
    n_views_in_, view_names_in_, n_features_in_, feature_names_in_, index_ :
        What was given: feature names where all views have them, the index where there is one.

    Examples
    --------
    >>> import numpy as np, omvc
    >>> random = np.random.default_rng(0)
    >>> kind = np.arange(300) % 3
    >>> blood = random.normal(4 * kind[:, None], 1, (300, 5))
    >>> scan = random.normal(3 * (kind[:, None] == 1), 1, (300, 8))
    >>> scan[::4] = np.nan                                      # every fourth has no scan
    >>> model = omvc.Clusterer(n_clusters=3).fit({"blood": blood, "scan": scan})
    >>> model.labels_.shape, model.n_clusters_
    ((300,), 3)
    >>> model.predict({"blood": blood[:3]}).shape               # a view may be missing
    (3,)
    >>> wide = np.hstack([blood, scan])                         # the same as one table
    >>> one = omvc.Clusterer(3, views={"blood": slice(0, 5), "scan": slice(5, 13)}).fit(wide)
    >>> bool((one.labels_ == model.labels_).all())
    True
    """

    # Learning.

    def fit(self, X: Any, y: Any = None, *, present: Any = None, views: Any = None, layer: str | None = None,
            files: Any = None, sample_weight: Any = None) -> Clusterer:
        """Learns the data and labels them; forgets what was learned before. `y` is ignored.

        present: instances x views, true where the view was observed. views, layer: of AnnData (obsm keys, or X), MuData
        (MODALITY or MODALITY:OBSM_KEY) and files, and columns of one table. files: how to read files, such as
        {"id_column": "patient"}. sample_weight: whole numbers, as if an instance came so often; 0: it is labelled, but not
        learned. Ctrl-C ends it with what was learned, and raises KeyboardInterrupt.
        """
        if getattr(y, "ndim", 0) == 2 and y.shape[1] > 1:
            warnings.warn("y is ignored: give several views as a list, fit([a, b])", OmvcWarning, stacklevel=2)
        given = self._read(X, None, present=present, views=views, layer=layer, files=files)
        return self._learn(given, sample_weight, bool(self.embedding))

    def _learn(self, given: Given, sample_weight: Any, embedding: bool) -> Clusterer:
        if self.contamination is not None and not 0 < self.contamination <= 0.5:
            raise UsageError(f"contamination = {self.contamination!r}: a share above 0 and up to 0.5 is needed")
        learned = given if sample_weight is None else given.repeated(_checks.weights(sample_weight))
        model = _core.Model(self._texts(given.names))
        with _progress.shown(self.verbose, "fit", given.size) as tell:
            results, report, reached, stopped = model.fit(learned.data, tell, embedding and learned is given)
        self._begin(model, given, report)
        if learned is not given:
            results = self._assigned(given, embedding)
        self._keep(results, given.index(len(results["labels"])), reached if stopped is not None else None)
        if embedding:
            self.embedding_ = results["embedding"]
        self._set_offset()
        for text in [*given.data.notes, *report["warnings"]]:
            warnings.warn(in_python_words(text), OmvcWarning, stacklevel=3)
        if stopped is not None:
            raise stopped
        return self

    def partial_fit(self, X: Any, y: Any = None, *, present: Any = None, views: Any = None, layer: str | None = None,
                    files: Any = None) -> Clusterer:
        """Learns more instances, as a stream goes on. Clusters that are still there keep their numbers.

        `labels_` are those of the instances that were given, as soon as there are clusters.
        """
        self._learn_waiting()
        known = self._known() if hasattr(self, "_model") else None
        given = self._read(X, known, present=present, views=views, layer=layer, files=files)
        model = self._model if known else _core.Model(self._texts(given.names))
        with _progress.shown(self.verbose, "partial_fit", given.size) as tell:
            try:
                results, stopped = model.partial_fit(given.data, self.chunk or _CHUNK, tell)
            except Exception:
                if known is not None:
                    self._changed()  # the chunks before the one that failed are learned
                raise
        if known is None:
            self._begin(model, given, None)
        self._changed()
        if stopped is not None:
            raise stopped
        if len(results["labels"]):
            self._keep(results, given.index(len(results["labels"])))
        return self

    def learn_one(self, x: Any) -> Clusterer:
        """Learns one more instance: a dict of views, each a dict or a list of values; or of features by name,
        "view:feature", or columns of the table that `views` groups. What is absent is missing, unknown keys are left out, and
        a row of which no key is known is refused.

        Instances are learned some hundreds at a time: until then they wait.

        >>> model = omvc.Clusterer(2)
        >>> for i in range(1000):
        ...     model = model.learn_one({"blood": {"hb": i % 2 + i / 1000, "crp": 3.0 * (i % 2)}})
        >>> model.predict_one({"blood:hb": 0.1}) != model.predict_one({"blood:crp": 3.0})
        True
        """
        waiting = self.__dict__.setdefault("_waiting", _rows.Waiting())
        waiting.add(x, self._keys(self._known() if hasattr(self, "_model") else None))
        if len(waiting) >= (self.chunk or _CHUNK):
            self._learn_waiting()
        return self

    def refresh(self) -> Clusterer:
        """Makes prototypes and clusters again from all that partial_fit has learned, without waiting until it is time."""
        self._learn_waiting()
        self._fitted().refresh()
        self._changed()
        return self

    def cut(self, n_clusters: int | None = None, X: Any = None) -> Clusterer:
        """Other clusters from the same model, without the data: so many, or as many as the data show (None).

        Labels are those of X where it is given; otherwise ask `predict` for them.
        """
        self._learn_waiting()
        self._fitted().cut(0 if n_clusters is None else _options.whole("n_clusters", n_clusters, 2))
        self.n_clusters = n_clusters
        self._changed()
        if X is not None:
            given = self._read(X, self._known())
            results = self._assigned(given, bool(self.embedding))
            self._keep(results, given.index(len(results["labels"])))
            if self.embedding:
                self.embedding_ = results["embedding"]
        return self

    def fit_predict(self, X: Any, y: Any = None, **how: Any) -> Any:
        """fit, then labels_."""
        return self.fit(X, y, **how).labels_

    def fit_transform(self, X: Any, y: Any = None, *, sample_weight: Any = None, **how: Any) -> Any:
        """fit, then the embedding in the form that `set_output` asks for."""
        self._learn(self._read(X, None, **how), sample_weight, True)
        return self._rows(self.embedding_, self.index_)

    # Inside.

    def _begin(self, model: Any, given: Given, report: Any) -> None:
        """Takes a model that has learned its first instances."""
        self._model = model
        self._wide = given.wide
        self._sparse_views = [name for name, kind in given.kinds.items() if kind.sparse]
        self._report = None if report is None else _results.Report(report)
        self.events_ = [] if report is None else list(report["events"])
        self.__dict__.pop("_waiting", None)
        self.offset_ = -FAR
        self._forget_results()
        self._describe()

    def _changed(self) -> None:
        """The model has learned or was cut: what was told of the instances of fit holds no more."""
        self._report = None
        self.events_ += self._model.events()
        self._forget_results()
        self._describe()

    def _keep(self, results: Any, index: Any, reached: int | None = None) -> None:
        self.index_ = index
        self.labels_ = _results.labels(results["labels"], index, reached)
        self.confidence_ = _results.column(results["confidence"], index, "omvc_confidence")
        self.distance_ = _results.column(results["distance"], index, "omvc_distance")

    def _forget_results(self) -> None:
        for name in ("labels_", "confidence_", "distance_", "embedding_", "index_"):
            self.__dict__.pop(name, None)

    def _set_offset(self) -> None:
        if self.contamination is None:
            return
        if self.distance_ is None:
            raise UsageError(f"method {self.method} tells no distance, so there is no contamination: method omvc does")
        self.offset_ = -float(np.nanquantile(np.asarray(self.distance_), 1 - self.contamination))

    def _learn_waiting(self) -> None:
        waiting = self.__dict__.pop("_waiting", None)
        if not waiting:
            return
        try:
            known = self._known() if hasattr(self, "_model") else None
            self.partial_fit(_inputs.read(waiting.views(known), schema=known))
        except BaseException:
            self._waiting = waiting  # none of them is learned
            raise


Clusterer.__doc__ = (Clusterer.__doc__ or "").replace("    Attributes\n", _options.documentation("    ") + "    Attributes\n", 1)
