"""Clusters instances described by several views, most of them lacking some view, as a stream.

>>> import omvc
>>> model = omvc.Clusterer(n_clusters=3).fit([text, image])
>>> model.labels_

`omvc.tl` has functions in the manner of scanpy, `omvc.pl` has plots, `omvc.dask` fits data that are spread over a cluster.
"""

from __future__ import annotations

import importlib
import os
from typing import Any

_bin = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin")
if os.access(os.path.join(_bin, "omvc-probe"), os.X_OK):
    os.environ.setdefault("OMVC_PROBE", os.path.join(_bin, "omvc-probe"))

from ._core import __version__  # noqa: E402
from ._table import View  # noqa: E402
from .clusterer import Clusterer  # noqa: E402
from .errors import (  # noqa: E402
    DataError, Error, FileError, NotFittedError, NumericalError, OmvcWarning, UsageError)

load = Clusterer.load

__all__ = ["Clusterer", "View", "load", "tl", "pl", "Error", "UsageError", "DataError", "FileError", "NumericalError",
           "NotFittedError", "OmvcWarning", "__version__"]


def __getattr__(name: str) -> Any:
    if name in ("tl", "pl", "dask"):
        return importlib.import_module(f"omvc.{name}")
    raise AttributeError(f"module 'omvc' has no attribute {name!r}")
