"""Clusterer: incomplete multi-view data to clusters, as scikit-learn has estimators."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np

from . import _checks, _core, _inputs, _options, _progress, _results
from .errors import DataError, OmvcWarning, UsageError, not_fitted

_STATE = 1  # of pickles
_CHUNK = 500  # rows that partial_fit learns at a time


class Clusterer:
    """Clusters instances that are described by several views, most of them lacking some view.

    >>> model = omvc.Clusterer(n_clusters=3).fit({"text": text, "image": image})
    >>> model.labels_, model.confidence_

    Data are a list or dict of views, each an array of NumPy, a sparse matrix of SciPy, a DataFrame of pandas or polars,
    anything that speaks Arrow; AnnData or MuData; a path or a list of paths; an iterator of chunks, or a function that
    makes one (then the data are read as often as is useful). A plain array is one view. Frames are joined by their
    index; a view is missing where the index lacks the instance, the row is NaN or None, or `present` (instances x views)
    says so. Arrays of float32 and float64 in C order and CSR matrices are not copied.

    Every option is None by default: the method's own default.
    """

    def __init__(self, n_clusters: int | None = None, **options: Any) -> None:
        self.n_clusters = n_clusters
        for name in _PARAMS[1:]:
            setattr(self, name, options.pop(name, _DEFAULTS[name]))
        if options:
            raise TypeError(f"Clusterer has no option {next(iter(options))!r}; there are {', '.join(_PARAMS)}")

    # Learning.

    def fit(self, X: Any, y: Any = None, *, present: Any = None, views: Any = None, layer: str | None = None,
            files: Any = None) -> Clusterer:
        """Learns the data and labels them; forgets what was learned before. `y` is ignored.

        present: instances x views, true where the view was observed. views, layer: of AnnData (obsm keys, or X), MuData
        (MODALITY or MODALITY:OBSM_KEY) and files. files: how to read files, such as {"id_column": "patient"}.
        Ctrl-C ends it with what was learned, and raises KeyboardInterrupt.
        """
        if getattr(y, "ndim", 0) == 2 and y.shape[1] > 1:
            warnings.warn("y is ignored: give several views as a list, fit([a, b])", OmvcWarning, stacklevel=2)
        given = _inputs.read(X, present=present, views=views, layer=layer, files=files)
        model = _core.Model(_options.texts(self.get_params(), given.names))
        with _progress.shown(self.verbose, "fit") as tell:
            results, report, stopped = model.fit(given.data, tell, True)
        self._model = model
        self._report = _results.Report(report)
        self.events_ = list(report["events"])
        self._describe()
        self._keep(results, given.index(len(results["labels"])))
        self.embedding_ = results["embedding"]
        for text in [*given.data.notes, *report["warnings"]]:
            warnings.warn(text, OmvcWarning, stacklevel=2)
        if stopped is not None:
            raise stopped
        return self

    def partial_fit(self, X: Any, y: Any = None, *, present: Any = None, views: Any = None, layer: str | None = None,
                    files: Any = None) -> Clusterer:
        """Learns more instances, as a stream goes on. Clusters that are still there keep their numbers."""
        known = self._schema() if hasattr(self, "_model") else None
        given = _inputs.read(X, present=present, views=views, layer=layer, files=files, schema=known)
        model = self._model if known else _core.Model(_options.texts(self.get_params(), given.names))
        with _progress.shown(self.verbose, "partial_fit") as tell:
            results, stopped = model.partial_fit(given.data, self.chunk or _CHUNK, tell)
        if known is None:
            self.events_ = []
        self._model = model
        self._report = None
        self.events_ += model.events()
        self._describe()
        self._forget_results()
        if stopped is not None:
            raise stopped
        # Labels are those of the instances that were given, as soon as there are clusters.
        if given.tables is not None and model.clusters():
            self._keep(results, given.index(0))
        return self

    def refresh(self) -> Clusterer:
        """Makes prototypes and clusters again from all that partial_fit has learned, without waiting until it is time."""
        model = self._fitted()
        model.refresh()
        self.events_ += model.events()
        self._report = None
        self._describe()
        self._forget_results()
        return self

    def cut(self, n_clusters: int | None = None, X: Any = None) -> Clusterer:
        """Other clusters from the same model, without the data: so many, or as many as the data show (None).

        Labels are those of X where it is given; otherwise ask `predict` for them.
        """
        model = self._fitted()
        model.cut(0 if n_clusters is None else _options.whole("n_clusters", n_clusters, 2))
        self.n_clusters = n_clusters
        self.events_ += model.events()
        self._report = None
        self._describe()
        self._forget_results()
        if X is not None:
            given = _inputs.read(X, schema=self._schema())
            results = self._assigned(given, True)
            self._keep(results, given.index(len(results["labels"])))
            self.embedding_ = results["embedding"]
        return self

    # Using what was learned. All take what fit takes; views may be missing.

    def predict(self, X: Any, **how: Any) -> Any:
        """The cluster of each instance; -1 for one without any view."""
        return self._column(X, "labels", "omvc", how)

    def predict_confidence(self, X: Any, **how: Any) -> Any:
        """How sure each label is, 0 to 1: the share of the nearest prototypes that vote for it."""
        return self._column(X, "confidence", "omvc_confidence", how)

    def score_samples(self, X: Any, **how: Any) -> Any:
        """How far each instance is from its nearest prototype, relative to what is usual there: 1 is usual, more than 3
        an outlier."""
        return self._column(X, "distance", "omvc_distance", how)

    def transform(self, X: Any, **how: Any) -> Any:
        """The embedding of each instance, NaN for one without any view, in the form that `set_output` asks for."""
        given = _inputs.read(X, schema=self._known(), **how)
        results = self._assigned(given, True)
        return self._rows(results["embedding"], given.index(len(results["labels"])))

    def fit_predict(self, X: Any, y: Any = None, **how: Any) -> Any:
        """fit, then labels_."""
        return self.fit(X, **how).labels_

    def fit_transform(self, X: Any, y: Any = None, **how: Any) -> Any:
        """fit, then the embedding in the form that `set_output` asks for."""
        self.fit(X, **how)
        return self._rows(self.embedding_, self.index_)

    def impute(self, X: Any, **how: Any) -> Any:
        """The views with what is missing filled in from the model, in the data's own units.

        What was observed stays as it is. An instance without any view stays NaN. The form is that of X: a list or dict
        of views, frames where frames were given, one array for one view; views that X lacks are filled in altogether.
        """
        model, known = self._fitted(), self._known()
        out = {}
        given = _inputs.read(X, schema=known, **how)
        for v, (name, _, features) in enumerate(known):
            if v > 0:
                given = _inputs.read(X, schema=known, **how)
            with _progress.shown(self.verbose, f"impute {name}") as tell:
                values = model.impute(given.data, v, tell)
            index = given.index(len(values))
            if _results.pandas_index(index):
                columns = features if features is not None else range(values.shape[1])
                values = sys.modules["pandas"].DataFrame(values, columns=columns, index=index)
            out[name] = values
        if given.keyed:
            return out
        return next(iter(out.values())) if given.single else list(out.values())

    def top_features(self, n: int = 10, *, view: str | int | None = None, cluster: int | None = None) -> Any:
        """The features that tell clusters from the others, the most telling first: a list of
        (view, cluster, feature, number, weight, lift, high), n for each view and cluster."""
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
        return self._fitted().tree(_options.whole("most", most, 2))

    def report(self) -> Any:
        """What the last fit tells, as a dictionary that prints well: that of the command's --json.

        After partial_fit, cut, refresh and load it is what the model tells by itself, without counts over instances.
        """
        model = self._fitted()
        if self._report is not None:
            return self._report
        return _results.Report(model.report(), events=list(self.events_))

    def write_page(self, path: Any, *, title: str | None = None, truth: Any = None) -> None:
        """Writes one HTML page that explains the result: map, other numbers of clusters, features, what is missing.

        It opens from disk, offline. truth: the class of each instance of the last fit, where it is known; None or NaN
        where it is not. Right after fit the numbers are of all instances, later of the sample that the model keeps.
        """
        model = self._fitted()
        index, none = getattr(self, "index_", None), np.empty(0, np.int32)
        classes = none if truth is None else _results.classes(truth, index, getattr(self, "labels_", None))
        labels = none if truth is None else np.ascontiguousarray(self.labels_, np.int32)
        ids = None if index is None else lambda first, count: [_checks.writable(one) for one in index[first:first + count]]
        model.write_page(_checks.path_text(path), _checks.writable(title or ""), repr(self), ids, labels, classes)

    # Keeping models.

    def save(self, path: Any, *, predictor: bool = False) -> None:
        """Writes the model to a file that the command reads, too. A predictor is smaller and cannot learn on."""
        self._fitted().save(_checks.path_text(path), predictor)

    @classmethod
    def load(cls, path: Any) -> Clusterer:
        """A model from a file of `save` or of the command."""
        model = _core.load_model(_checks.path_text(path))
        out = cls(**_given(model.options()))
        out._model, out._report, out.events_ = model, None, []
        out._describe()
        return out

    def copy(self) -> Clusterer:
        """A model of its own, with all that was learned."""
        out = type(self).__new__(type(self))
        out.__setstate__(self.__getstate__())
        return out

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        if "_model" in state:
            state["_model"] = state["_model"].to_bytes()
        return {**state, "_omvc_state": _STATE, "_omvc_version": _core.__version__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state) if isinstance(state, dict) else {}
        if state.pop("_omvc_state", None) != _STATE:
            raise DataError(f"the pickle was made by omvc {state.get('_omvc_version', '?')}, which this one "
                            f"({_core.__version__}) does not read: exchange models with save and load")
        made_by = state.pop("_omvc_version", "?")
        if "_model" in state:
            try:
                state["_model"] = _core.model_of_bytes(state["_model"])
            except (DataError, TypeError) as error:
                raise DataError(f"the pickle, made by omvc {made_by}, holds no sound model: {error}") from error
        self.__dict__.update(state)

    # As scikit-learn has it.

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The options as they were given."""
        return {name: getattr(self, name) for name in _PARAMS}

    def set_params(self, **params: Any) -> Clusterer:
        """Sets options for the next fit."""
        for name, value in params.items():
            if name not in _PARAMS:
                raise UsageError(f"Invalid parameter {name!r} for estimator Clusterer(). Valid parameters are: {_PARAMS}")
            setattr(self, name, value)
        return self

    def set_output(self, *, transform: str | None = None) -> Clusterer:
        """The form of what transform gives: default (NumPy), pandas or polars."""
        if transform not in (None, "default", "pandas", "polars"):
            raise UsageError(f"set_output knows default, pandas and polars, not {transform!r}")
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}
        return self

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The names of the columns of the embedding."""
        return np.asarray([f"clusterer{i}" for i in range(self._fitted().rank())], dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(estimator_type="clusterer", target_tags=TargetTags(required=False),
                    transformer_tags=TransformerTags(preserves_dtype=["float64"]),
                    input_tags=InputTags(sparse=True, allow_nan=True))

    def __repr__(self) -> str:
        given = [f"{name}={value!r}" for name, value in self.get_params().items() if value is not _DEFAULTS[name]]
        return f"{type(self).__name__}({', '.join(given)})"

    def _repr_html_(self) -> str:
        from ._html import clusterer_html

        return clusterer_html(self)

    # Inside.

    def _fitted(self) -> Any:
        if not hasattr(self, "_model"):
            raise not_fitted("This Clusterer instance is not fitted yet: call fit or partial_fit first")
        return self._model

    def _schema(self) -> Any:
        return self._model.schema()

    def _known(self) -> Any:
        self._fitted()
        return self._schema()

    def _describe(self) -> None:
        known = self._schema()
        self.n_views_in_ = len(known)
        self.view_names_in_ = [view[0] for view in known]
        self.n_features_in_ = sum(view[1] for view in known)
        self.clusters_ = np.array(self._model.clusters(), dtype=int)
        self.n_clusters_ = len(self.clusters_)
        self.__dict__.pop("feature_names_in_", None)
        if all(view[2] is not None for view in known):
            names = [name if len(known) == 1 else f"{view[0]}:{name}" for view in known for name in view[2]]
            self.feature_names_in_ = np.array(names, dtype=object)

    def _keep(self, results: Any, index: Any) -> None:
        self.index_ = index
        self.labels_ = _results.column(results["labels"], index, "omvc")
        self.confidence_ = _results.column(results["confidence"], index, "omvc_confidence")
        self.distance_ = _results.column(results["distance"], index, "omvc_distance")

    def _forget_results(self) -> None:
        for name in ("labels_", "confidence_", "distance_", "embedding_", "index_"):
            self.__dict__.pop(name, None)

    def _assigned(self, X: Any, embedding: bool, **how: Any) -> Any:
        model = self._fitted()
        given = _inputs.read(X, schema=self._schema(), **how)
        if self.threads is not None and str(self.threads) != model.options()["threads"]:
            model.set_threads(int(self.threads))
        with _progress.shown(self.verbose, "predict") as tell:
            return model.assign(given.data, tell, embedding)

    def _column(self, X: Any, what: str, name: str, how: Any) -> Any:
        given = _inputs.read(X, schema=self._known(), **how)
        values = self._assigned(given, False)[what]
        if values is None:
            raise UsageError(f"method {self.method} tells no {what}: method omvc does")
        return _results.column(values, given.index(len(values)), name)

    def _rows(self, values: Any, index: Any) -> Any:
        form = getattr(self, "_sklearn_output_config", {}).get("transform")
        if form is None:
            theirs = sys.modules.get("sklearn")
            form = theirs.get_config().get("transform_output", "default") if theirs is not None else "default"
        return _results.rows(values, index, list(self.get_feature_names_out()), form)


def _given(texts: dict[str, str]) -> dict[str, Any]:
    """The options of a stored model that are not at their defaults."""
    out: dict[str, Any] = {}
    usual = _options.defaults(texts["method"])
    for option in _options.OPTIONS:
        text = texts[option.name]
        if text == usual[option.name] and option.name not in ("method", "clusters"):
            continue
        if (option.name, text) in (("method", "omvc"), ("clusters", "0")):
            continue
        values = [one if option.type == "str" else float(one) if option.type == "float" else int(one)
                  for one in text.split(",")]
        out[option.python] = values if len(values) > 1 else values[0]
    return out


_SIGNATURE = _options.signature()
_PARAMS = [name for name in _SIGNATURE.parameters if name != "self"]
_DEFAULTS = {name: _SIGNATURE.parameters[name].default for name in _PARAMS}
Clusterer.__init__.__signature__ = _SIGNATURE  # type: ignore[attr-defined]
Clusterer.__doc__ = (Clusterer.__doc__ or "") + _options.documentation()
