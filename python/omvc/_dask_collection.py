"""Collections of Dask and lists of files as partitions, and results as collections like them."""

from __future__ import annotations

import glob
import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _core, _dask_tasks as tasks
from ._checks import Schema, is_path
from .errors import DataError, UsageError

NAMES = {"labels": "omvc", "confidence": "omvc_confidence", "distance": "omvc_distance"}


def load_dask() -> Any:
    """Dask, which is not installed with omvc."""
    try:
        return importlib.import_module("dask")
    except ImportError as error:
        raise ImportError("omvc.dask needs Dask: pip install dask distributed") from error


class Collection:
    """Partitions of data, and how results of theirs become a collection like them."""

    def __init__(self, X: Any, present: Any, how: dict[str, Any], schema: Any) -> None:
        load_dask()
        strange = sorted(set(how) - {"views", "layer", "files"})
        if strange:
            raise TypeError(f"there is no argument {strange[0]!r}; there are present, views, layer and files")
        self.frames = False
        self.divisions: Any = None
        self._how = how
        views, self._keyed = self._views(X, schema)
        if views is not None and how:
            raise UsageError(f"{next(iter(how))} tells how to read files, and the data are dask collections")
        if views is None:
            self._paths(X, schema)
        else:
            self._blocks(views, schema)
        if present is not None:
            self._mask(present)
        if not any(self.sizes):
            raise DataError("the data have no instances")

    @property
    def dask(self) -> Any:
        return load_dask()  # a module, which cannot be pickled with the rest

    def _views(self, X: Any, schema: Any) -> Any:
        """The views by name, or None where partitions are paths."""
        if is_path(X) or (isinstance(X, (list, tuple)) and X and all(_is_partition(one) for one in X)):
            return None, False
        if isinstance(X, Mapping):
            return dict(X), True
        several = isinstance(X, (list, tuple))
        if several and not X:
            raise DataError("there are no views")
        names = [view[0] for view in schema] if schema else [f"view{v + 1}" for v in range(len(X) if several else 1)]
        if len(names) != (len(X) if several else 1):
            raise DataError(f"{len(X) if several else 1} views were given, but the model has {len(names)}: {names}")
        return dict(zip(names, X if several else [X])), False

    # Arrays and dataframes.

    def _blocks(self, views: dict[str, Any], schema: Any) -> None:
        if not views:
            raise DataError("there are no views")
        kinds = {name: _kind(view, name) for name, view in views.items()}
        if len(set(kinds.values())) > 1:
            raise UsageError(f"views are all dask arrays or all dask dataframes, not both: {kinds}")
        self.frames = "frame" in kinds.values()
        blocks, widths, lengths = {}, {}, {}
        if not self.frames:
            views = _chunked_alike(views)
        for name, view in views.items():
            if self.frames:
                blocks[name] = view.to_delayed()
                features = list(view.columns)
                named = all(isinstance(one, str) for one in features)
                widths[name] = (name, len(features), features if named else None)
            else:
                blocks[name] = [row[0] for row in view.to_delayed()]
                widths[name] = (name, int(view.shape[1]), None)
                lengths[name] = list(view.chunks[0])
        counts = {name: len(parts) for name, parts in blocks.items()}
        if len(set(counts.values())) > 1:
            raise DataError(f"the views have different numbers of partitions, {counts}: rechunk or repartition them "
                            "alike")
        self.schema = schema if schema is not None else list(widths.values())
        delayed = self.dask.delayed
        self.parts = [tasks.Part(dict(zip(blocks, each))) for each in zip(*blocks.values())]
        if self.frames:
            self._divide(views)
        known = next(iter(lengths.values()), [float("nan")])
        if all(size == size for size in known):
            self.sizes = [int(size) for size in known]
            return
        spec = delayed(tasks.Spec({}, self.schema, {}, _core.__version__), pure=True)
        self.sizes = list(self.dask.compute(*[delayed(tasks.size, pure=True)(part, spec) for part in self.parts]))

    # Files.

    def _paths(self, X: Any, schema: Any) -> None:
        parts = [X] if is_path(X) else list(X)
        if len(parts) == 1 and is_path(parts[0]) and any(sign in str(parts[0]) for sign in "*?["):
            parts = sorted(glob.glob(str(parts[0])))
            if not parts:
                raise DataError(f"no file matches {X}")
        self.parts = [tasks.Part(part if is_path(part) else dict(part) if isinstance(part, Mapping) else list(part))
                      for part in parts]
        delayed = self.dask.delayed
        found = self.dask.compute(*[delayed(tasks.schema, pure=True)(part, self._how) for part in self.parts])
        self.sizes = [size for _, size in found]
        self.schema = schema if schema is not None else _joined([views for views, _ in found], parts)

    def _mask(self, present: Any) -> None:
        views = len(self.schema)
        if hasattr(present, "to_delayed") and hasattr(present, "chunks"):
            flags = present.rechunk({0: tuple(self.sizes), 1: -1})
            blocks = [row[0] for row in flags.to_delayed()]
        else:
            flags, blocks, first = np.asarray(present), [], 0
            for size in self.sizes:
                blocks.append(flags[first:first + size])
                first += size
        if tuple(flags.shape) != (sum(self.sizes), views):
            raise DataError(f"present has the shape {tuple(flags.shape)}, but there are {sum(self.sizes)} instances and "
                            f"{views} views: ({sum(self.sizes)}, {views})")
        self.parts = [part._replace(present=block) for part, block in zip(self.parts, blocks)]

    # Results.

    def collected(self, parts: list[Any], what: str) -> Any:
        """A column of results with the partitions of the data."""
        kind = np.int32 if what == "labels" else np.float64
        if not self.frames:
            array = importlib.import_module("dask.array")
            return array.concatenate([array.from_delayed(part, (size,), kind) for part, size in zip(parts, self.sizes)])
        import pandas

        frame = importlib.import_module("dask.dataframe")
        meta = pandas.Series([], dtype=kind, name=NAMES[what])
        divisions = self.divisions if None not in self.divisions else None
        return frame.from_delayed(parts, meta=meta, divisions=divisions, verify_meta=False)

    def _divide(self, views: dict[str, Any]) -> None:
        """Where the index is divided; an instance must be in one partition, whichever views it has."""
        known = {name: view.divisions for name, view in views.items() if view.known_divisions}
        self.divisions = next(iter(known.values()), (None,))
        for name, divisions in known.items():
            if divisions != self.divisions:
                raise DataError(f"view {name!r} is divided at other places of its index than the others: "
                                "repartition it with their divisions")
        if len(known) == len(views):
            return
        self.divisions = (None,) * (len(self.parts) + 1)
        if len(views) == 1:
            return
        delayed = self.dask.delayed
        strays = np.concatenate(self.dask.compute(*[delayed(tasks.strays, pure=True)(part) for part in self.parts]))
        twice = len(strays) - len(np.unique(strays))
        if twice > 0:
            raise DataError(f"{twice} instances have a view in one partition and another view in another one, where "
                            "nobody would find it: divide all views at the same places of their index (set_index, "
                            "repartition)")

    def rows(self, parts: list[Any], columns: int) -> Any:
        """Rows of results, as a dask array."""
        array = importlib.import_module("dask.array")
        return array.concatenate([array.from_delayed(part, (size, columns), float)
                                  for part, size in zip(parts, self.sizes) if size])


def _is_partition(one: Any) -> bool:
    """A path, or the paths of the views of a partition."""
    if isinstance(one, Mapping):
        one = list(one.values())
    return is_path(one) or (isinstance(one, (list, tuple)) and bool(one) and all(is_path(path) for path in one))


def _kind(view: Any, name: str) -> str:
    if hasattr(view, "to_delayed") and hasattr(view, "chunks"):
        if view.ndim != 2:
            raise DataError(f"view {name!r}: an array of two dimensions is needed, a row an instance, not {view.ndim}")
        if view.shape[1] != view.shape[1]:
            raise DataError(f"view {name!r}: the number of its columns is not known")
        return "array"
    if hasattr(view, "to_delayed") and hasattr(view, "columns"):
        return "frame"
    raise UsageError(f"view {name!r} is {type(view).__name__}: dask arrays and dataframes are needed, or paths of "
                     "partitions; omvc.Clusterer takes data in memory")


def _chunked_alike(views: dict[str, Any]) -> dict[str, Any]:
    """Arrays in one piece by columns, and with the same rows in every partition."""
    views = {name: view.rechunk({1: -1}) if view.numblocks[1] > 1 else view for name, view in views.items()}
    lengths = {name: view.shape[0] for name, view in views.items() if view.shape[0] == view.shape[0]}
    if len(set(lengths.values())) > 1:
        raise DataError(f"the views have different numbers of rows, {lengths}: give each a row for every instance "
                        "(NaN where it is missing)")
    if len(lengths) < len(views):
        return views  # partitions whose sizes nobody knows yet
    chunks = next(iter(views.values())).chunks[0]
    return {name: view if view.chunks[0] == chunks else view.rechunk({0: chunks}) for name, view in views.items()}


def _joined(found: list[Schema], paths: list[Any]) -> Schema:
    """The views of all partitions: one that a partition lacks is missing there.

    A file that is one view is called after the file; such views are the same by their place, as the library matches them.
    """
    called = {tuple(view[0] for view in views) for views in found}
    plain = all(not str(path).endswith(".h5mu") and not isinstance(path, Mapping) for path in paths)
    if plain and len(called) > 1 and len({len(views) for views in found}) == 1:
        found = [[(f"view{v + 1}", *view[1:]) for v, view in enumerate(views)] for views in found]
    out: dict[str, Any] = {}
    for views, path in zip(found, paths):
        for name, features, names in views:
            known = out.setdefault(name, (name, features, names))
            if known[1] != features or (known[2] is not None and names is not None and set(known[2]) != set(names)):
                raise DataError(f"{path}: view {name!r} has {features} features, and other partitions have {known[1]}, "
                                "or features of other names")
    return list(out.values())
