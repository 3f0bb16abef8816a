"""Using what was learned: labels of new instances and what is known of them, and models that are kept."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from . import _checks, _core, _inputs, _options, _progress, _results, _rows
from ._memory import Given
from ._told import Told
from .errors import DataError, OmvcWarning, UsageError

_STATE = 1  # of pickles
FAR = 3.0  # the distance from which on a row is an outlier


class Predictor(Told):
    """The part of Clusterer that needs a model. All functions take what fit takes; views may be missing."""

    offset_: float
    _waiting: _rows.Waiting
    _wide: tuple[int, list[str] | None] | None

    def predict(self, X: Any, **how: Any) -> Any:
        """The cluster of each instance; -1 for one without any view."""
        return self._column(X, "labels", "omvc", how)

    def predict_one(self, x: Any) -> int:
        """The cluster of one instance, given as learn_one takes it; -1 without any view, omvc.NOT_REACHED while there are
        no clusters."""
        if not hasattr(self, "_model") or not self._model.clusters():
            return _results.NOT_REACHED
        known = self._known()
        given = _inputs.read(_rows.one(x, self._keys(known), known), schema=known)
        return int(self._assigned(given, False)["labels"][0])

    def predict_confidence(self, X: Any, **how: Any) -> Any:
        """How sure each label is: the chance that a model of other rows gives the same label."""
        return self._column(X, "confidence", "omvc_confidence", how)

    def predict_proba(self, X: Any, **how: Any) -> Any:
        """The chance of every cluster: that a model of other rows gives it. Rows sum to 1, columns are `clusters_`, the
        largest is that of the label; NaN for an instance without any view."""
        given = self._read(X, self._known(), **how)
        results = self._assigned(given, False, True)
        if results["membership"] is None:
            raise UsageError(f"method {self.method} tells no chances of clusters: method omvc does")
        index = given.index(len(results["labels"]))
        if not _results.pandas_index(index):
            return results["membership"]
        return _results.frame(results["membership"], index, self._model.clusters(), index.name)

    def score_samples(self, X: Any, **how: Any) -> Any:
        """How usual each instance is, the higher the more, as scikit-learn has it: -1 is usual, below `offset_` (-3) an
        outlier. It is minus the distance."""
        return -self._column(X, "distance", "omvc_distance", how)

    def predict_outlier(self, X: Any, **how: Any) -> Any:
        """Whether each instance is an outlier: its score is below `offset_`."""
        return self.score_samples(X, **how) < self.offset_

    def score(self, X: Any, y: Any = None, **how: Any) -> float:
        """How well the clusters hold on X, for choosing among models without knowing any class: how often models of other
        rows agree about a label (the mean confidence) beyond what they would by chance, between 0 and 1 (Cohen's kappa).
        `y` is ignored."""
        results = self._assigned(self._read(X, self._known(), **how), False)
        if results["confidence"] is None:
            raise UsageError(f"method {self.method} tells no confidence: method omvc does")
        known = (results["labels"] >= 0) & ~np.isnan(results["confidence"])
        if not known.any():
            return 0.0
        shares = np.bincount(results["labels"][known]) / known.sum()
        chance = float((shares**2).sum())
        return float((results["confidence"][known].mean() - chance) / (1 - chance)) if chance < 1 else 0.0

    def transform(self, X: Any, **how: Any) -> Any:
        """The embedding of each instance, NaN for one without any view, in the form that `set_output` asks for."""
        given = self._read(X, self._known(), **how)
        results = self._assigned(given, True)
        return self._rows(results["embedding"], given.index(len(results["labels"])))

    def impute(self, X: Any, *, views: Any = None, **how: Any) -> Any:
        """The views with what is missing filled in from the model, in the data's own units: those of `views`, or all.

        What was observed stays as it is. An instance without any view stays NaN. The form is that of X: a list or dict
        of views, frames where frames were given, sparse where the view is sparse, one array for one view; of AnnData a
        matrix that can be one of its layers, of MuData the modalities by name, each with all cells.
        """
        model, known = self._fitted(), self._known()
        names = [view[0] for view in known]
        wanted = names if views is None else [views] if isinstance(views, str) else list(views)
        unknown = [name for name in wanted if name not in names]
        if unknown:
            raise UsageError(f"there is no view {unknown[0]!r} to fill in; there are {names}")
        out = {}
        for name in wanted:
            given = self._read(X, known, **how)
            with _progress.shown(self.verbose, f"impute {name}", given.size) as tell:
                values = model.impute(given.data, names.index(name), self._sparse(name, given), tell)
            out[name] = _results.filled(values, given, known[names.index(name)])
        if given.keyed:
            return out
        return next(iter(out.values())) if given.single or isinstance(views, str) else list(out.values())

    def _sparse(self, name: str, given: Given) -> bool:
        """Whether a view is sparse: as it is given, or where it is missing as it was learned."""
        return given.kinds[name].sparse if name in given.kinds else name in getattr(self, "_sparse_views", ())

    def _neighbours(self, X: Any, count: int, **how: Any) -> Any:
        """For each instance the numbers of the instances of fit that are nearest to it, and their weights."""
        given = self._read(X, self._known(), **how)
        with _progress.shown(self.verbose, "neighbours", given.size) as tell:
            return self._fitted().neighbours(given.data, count, tell)

    # Keeping models.

    def save(self, path: Any, *, predictor: bool = False) -> None:
        """Writes the model to a file that the command reads, too. A predictor is smaller and cannot learn on.

        The file has no place for `contamination` and the `offset_` that follows from it: a warning says what to set after load.
        """
        self._learn_waiting()
        self._fitted().save(_checks.path_text(path), predictor)
        if self.contamination is not None or self.offset_ != -FAR:
            warnings.warn("the file keeps neither contamination nor offset_: after omvc.load, say set_params(contamination="
                          f"{self.contamination!r}) and offset_ = {float(self.offset_)!r}, or keep the model with pickle",
                          OmvcWarning, stacklevel=2)

    @classmethod
    def load(cls, path: Any) -> Any:
        """A model from a file of `save` or of the command, with the options that are the library's and `offset_` -3."""
        model = _core.load_model(_checks.path_text(path))
        out = cls(**_options.given(model.options()))
        out._model, out._report, out.events_ = model, None, []
        out._describe()
        out.offset_ = -FAR
        return out

    def copy(self) -> Any:
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

    # Inside.

    def _keys(self, known: Any) -> _rows.Keys:
        """What the keys of a row mean, where a model has learned these views or none has."""
        return _rows.Keys(known, self.views, getattr(self, "_wide", None))

    def _learn_waiting(self) -> None:
        """Learns what learn_one has put aside."""
        raise NotImplementedError

    def _read(self, X: Any, schema: Any, *, views: Any = None, **how: Any) -> Given:
        return _inputs.read(X, schema=schema, views=self.views if views is None else views, **how)

    def _describe(self) -> None:
        known = self._known()
        self.n_views_in_ = len(known)
        self.view_names_in_ = [view[0] for view in known]
        self.clusters_ = np.array(self._model.clusters(), dtype=int)
        self.n_clusters_ = len(self.clusters_)
        width, names = getattr(self, "_wide", None) or (sum(view[1] for view in known), None)
        if not getattr(self, "_wide", None) and all(view[2] is not None for view in known):
            names = [name if len(known) == 1 else f"{view[0]}:{name}" for view in known for name in view[2]]
        self.n_features_in_ = width
        self.__dict__.pop("feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)

    def _assigned(self, given: Given, embedding: bool, membership: bool = False) -> Any:
        model = self._fitted()
        known, given_options = model.options(), self.get_params()
        threads, device = _options.threads(given_options), given_options.get("device")
        threads = int(known["threads"]) if threads is None else threads
        device = device or known["device"]
        if (str(threads), device) != (known["threads"], known["device"]):
            model.set_threads(threads, device)
        with _progress.shown(self.verbose, "predict", given.size) as tell:
            return model.assign(given.data, tell, embedding, membership)

    def _column(self, X: Any, what: str, name: str, how: Any) -> Any:
        given = self._read(X, self._known(), **how)
        values = self._assigned(given, False)[what]
        if values is None:
            raise UsageError(f"method {self.method} tells no {what}: method omvc does")
        return _results.column(values, given.index(len(values)), name)
