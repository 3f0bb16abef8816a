"""What scikit-learn asks of an estimator: options by name, tags, the form of what transform gives.

Clusterer is a BaseEstimator where scikit-learn is installed, and works without it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _options, _results
from .errors import UsageError, not_fitted

if TYPE_CHECKING:
    BaseEstimator = object
else:
    try:
        from sklearn.base import BaseEstimator
    except ImportError:
        BaseEstimator = object

SIGNATURE = _options.signature()
PARAMS = [name for name in SIGNATURE.parameters if name != "self"]
DEFAULTS = {name: SIGNATURE.parameters[name].default for name in PARAMS}


class Estimator(BaseEstimator):
    """The options of a Clusterer, and how scikit-learn sees it."""

    _model: Any  # of the library, once something was learned
    # Options that the package itself reads.
    chunk: int | None
    contamination: float | None
    embedding: bool
    method: str | None
    verbose: bool
    views: Any

    def __init__(self, n_clusters: int | None = None, **options: Any) -> None:
        self.n_clusters = n_clusters
        for name in PARAMS[1:]:
            setattr(self, name, options.pop(name, DEFAULTS[name]))
        if options:
            raise TypeError(f"Clusterer has no option {next(iter(options))!r}; there are {', '.join(PARAMS)}")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The options as they were given."""
        return {name: getattr(self, name) for name in PARAMS}

    def set_params(self, **params: Any) -> Any:
        """Sets options for the next fit."""
        for name, value in params.items():
            if name not in PARAMS:
                raise UsageError(f"Invalid parameter {name!r} for estimator Clusterer(). Valid parameters are: {PARAMS}")
            setattr(self, name, value)
        return self

    def set_output(self, *, transform: str | None = None) -> Any:
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
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags, TransformerTags

        # Whoever has predict_proba is asked for the tags of classifiers, too.
        return Tags(estimator_type="clusterer", target_tags=TargetTags(required=False),
                    classifier_tags=ClassifierTags(multi_class=False),
                    transformer_tags=TransformerTags(preserves_dtype=["float64"]),
                    input_tags=InputTags(sparse=True, allow_nan=True))

    def __repr__(self, N_CHAR_MAX: int = 0) -> str:
        given = [f"{name}={value!r}" for name, value in self.get_params().items() if value is not DEFAULTS[name]]
        return f"{type(self).__name__}({', '.join(given)})"

    def _repr_html_(self) -> str:
        from ._html import clusterer_html

        return clusterer_html(self)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def _fitted(self) -> Any:
        if not hasattr(self, "_model"):
            raise not_fitted("This Clusterer instance is not fitted yet: call fit or partial_fit first")
        return self._model

    def _known(self) -> Any:
        """The schema of what was learned."""
        return self._fitted().schema()

    def _texts(self, views: list[str]) -> dict[str, str]:
        """The options as the library reads them."""
        return _options.texts(self.get_params(), views)

    def _rows(self, values: Any, index: Any) -> Any:
        form = getattr(self, "_sklearn_output_config", {}).get("transform")
        if form is None:
            theirs = sys.modules.get("sklearn")
            form = theirs.get_config().get("transform_output", "default") if theirs is not None else "default"
        return _results.rows(values, index, list(self.get_feature_names_out()), form)


Estimator.__init__.__signature__ = SIGNATURE  # type: ignore[attr-defined]
