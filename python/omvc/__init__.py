"""Clusters instances described by several views, most of them lacking some view, as a stream.

>>> import omvc
>>> import numpy as np
>>> text, image = np.random.default_rng(0).random((2, 200, 4))
>>> model = omvc.Clusterer(n_clusters=3).fit([text, image])
>>> model.labels_.shape
(200,)

`omvc.tl` has functions in the manner of scanpy, `omvc.pl` has plots, `omvc.river` and `omvc.dask` the same clusterer for river
and for data that are spread over a cluster.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import _trial as _trial
from ._core import __version__, trust_hdf5_files
from ._results import NOT_REACHED
from ._table import View
from .errors import DataError, Error, FileError, NotFittedError, NumericalError, OmvcWarning, UsageError

if TYPE_CHECKING:
    from .clusterer import Clusterer as Clusterer

__all__ = ["Clusterer", "NOT_REACHED", "View", "load", "trust_hdf5_files", "tl", "pl", "Error", "UsageError", "DataError",
           "FileError", "NumericalError", "NotFittedError", "OmvcWarning", "__version__"]


def load(path: Any) -> Clusterer:
    """A model from a file of `Clusterer.save` or of the command."""
    from .clusterer import Clusterer

    return Clusterer.load(path)


def __getattr__(name: str) -> Any:
    # Clusterer is a BaseEstimator of scikit-learn, which takes longer to import than all of this.
    if name == "Clusterer":
        value = importlib.import_module("omvc.clusterer").Clusterer
        globals()[name] = value
        return value
    if name in ("tl", "pl", "dask", "river"):
        return importlib.import_module(f"omvc.{name}")
    raise AttributeError(f"module 'omvc' has no attribute {name!r}")
