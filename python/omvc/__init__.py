"""Clusters instances described by several views, most of them lacking some view, as a stream.

>>> import omvc
>>> model = omvc.Clusterer(n_clusters=3).fit([text, image])
>>> model.labels_

`omvc.tl` has functions in the manner of scanpy, `omvc.pl` has plots, `omvc.dask` fits data that are spread over a cluster.
"""

from __future__ import annotations

import importlib
from typing import Any

from . import _trial as _trial
from ._core import __version__, trust_hdf5_files
from ._table import View
from .clusterer import Clusterer
from .errors import DataError, Error, FileError, NotFittedError, NumericalError, OmvcWarning, UsageError

load = Clusterer.load

__all__ = ["Clusterer", "View", "load", "trust_hdf5_files", "tl", "pl", "Error", "UsageError", "DataError", "FileError", "NumericalError",
           "NotFittedError", "OmvcWarning", "__version__"]


def __getattr__(name: str) -> Any:
    if name in ("tl", "pl", "dask"):
        return importlib.import_module(f"omvc.{name}")
    raise AttributeError(f"module 'omvc' has no attribute {name!r}")
