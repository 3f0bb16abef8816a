"""What the workers of a Dask cluster do for omvc.dask: every function is pure, so a task that is lost is done again."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _core, _inputs, _progress, _results
from ._checks import Schema, is_path, path_text
from .errors import DataError, UsageError


class Spec(NamedTuple):
    """What all tasks of one fit have in common."""

    options: dict[str, str]  # as the library reads them
    schema: Schema
    how: dict[str, Any]  # views=, layer= and files= of partitions that are paths
    version: str

    def plan(self) -> _core.Plan:
        if self.version != _core.__version__:
            raise UsageError(f"a worker has omvc {_core.__version__}, and the client {self.version}: install the same "
                             "version everywhere")
        return _core.Plan(self.options, self.schema)


class Part(NamedTuple):
    """A partition: views by name, or paths; and who is present in it."""

    views: Any
    present: Any = None


def read(part: Any, how: dict[str, Any], schema: Schema | None) -> Any:
    """The data of a partition, as omvc.Clusterer reads them."""
    views, present = part
    if not _is_paths(views):
        return _inputs.read(views, present=present, schema=schema)
    if isinstance(views, dict):
        views = {name: _frame(path) for name, path in views.items()}
        return _inputs.read(views, present=present, schema=schema)
    paths = [views] if is_path(views) else list(views)
    if not all(_is_parquet(path) for path in paths):
        return _inputs.read(paths, present=present, schema=schema, **how)
    frames = [_frame(path) for path in paths]
    return _inputs.read(frames if len(frames) > 1 else frames[0], present=present, schema=schema)


def _is_paths(views: Any) -> bool:
    several = list(views.values()) if isinstance(views, dict) else views if isinstance(views, (list, tuple)) else [views]
    return bool(several) and all(is_path(one) for one in several)


def _is_parquet(path: Any) -> bool:
    return path_text(path).lower().endswith((".parquet", ".pq"))


def _frame(path: Any) -> Any:
    if not _is_parquet(path):
        raise UsageError(f"{path}: partitions as a dict of paths are Parquet files; give other formats as a path, or a "
                         "list of them")
    import pandas

    try:
        return pandas.read_parquet(path_text(path))
    except OSError as error:
        raise DataError(f"{path}: {error}") from error


def schema(part: Any, how: dict[str, Any]) -> Any:
    """The views of a partition, and the number of its instances."""
    given = read(part, how, None)
    return given.data.schema(), given.data.count()


def strays(part: Any) -> Any:
    """Of a partition of dataframes: hashes of the ids that lack a view."""
    import pandas

    indices = [view.index for view in part[0].values()]
    everywhere = indices[0]
    anywhere = indices[0]
    for index in indices[1:]:
        everywhere = everywhere.intersection(index)
        anywhere = anywhere.union(index)
    return pandas.util.hash_pandas_object(anywhere.difference(everywhere), index=False).to_numpy()


def size(part: Any, spec: Spec) -> int:
    """The number of instances of a partition."""
    views = part[0]
    if isinstance(views, dict) and not _is_paths(views) and all(not len(one) for one in map(_rows, views.values())):
        return 0
    return int(read(part, spec.how, spec.schema).data.count())


def _rows(view: Any) -> Any:
    return range(view.shape[0]) if hasattr(view, "shape") else view


def look(spec: Spec, part: Any, first: int) -> bytes:
    return spec.plan().look(read(part, spec.how, spec.schema).data, first, _progress.silent)


def ranks(spec: Spec, looked: bytes) -> bytes:
    return spec.plan().ranks(looked)


def trim(spec: Spec, looked: bytes, ranking: bytes) -> bytes:
    return spec.plan().trim(looked, ranking)


def merge(spec: Spec, step: str, *values: bytes) -> bytes:
    """The sum of some values of a step: looks, ranks, counts or tallies."""
    add = getattr(spec.plan(), f"merge_{step}")
    total = values[0]
    for value in values[1:]:
        total = add(total, value)
    return total


def make(spec: Spec, looked: bytes) -> bytes:
    return spec.plan().make(looked, _progress.silent)


def wants_pass(spec: Spec, state: bytes) -> bool:
    return spec.plan().wants_pass(state)


def task(spec: Spec, state: bytes) -> bytes:
    return spec.plan().task(state)


def count(spec: Spec, known: bytes, part: Any, first: int) -> bytes:
    return spec.plan().count(known, read(part, spec.how, spec.schema).data, first, _progress.silent)


def end_pass(spec: Spec, state: bytes, counts: bytes) -> bytes:
    return spec.plan().end_pass(state, counts)


def label(spec: Spec, known: bytes, part: Any, first: int) -> Any:
    """The columns of a partition, and what adds up of them."""
    given = read(part, spec.how, spec.schema)
    results, tally = spec.plan().label(known, given.data, first, _progress.silent, False)
    return {name: results[name] for name in ("labels", "confidence", "distance")}, given.index(len(results["labels"])), \
        tally


def tally(labelled: Any) -> bytes:
    return labelled[2]  # type: ignore[no-any-return]


def finish(spec: Spec, state: bytes, tallies: bytes) -> Any:
    return spec.plan().finish(state, tallies)


def column(labelled: Any, what: str, name: str, series: bool) -> Any:
    values, index, _ = labelled
    return _series(values[what], index, name) if series else values[what]


def embed(spec: Spec, known: bytes, part: Any, first: int) -> Any:
    return spec.plan().label(known, read(part, spec.how, spec.schema).data, first, _progress.silent, True)[0]["embedding"]


def assign(spec: Spec, predictor: bytes, part: Any, what: str, name: str, series: bool) -> Any:
    """What a model says of a partition of new instances."""
    model = _core.model_of_bytes(predictor)
    model.set_threads(int(spec.options.get("threads", "1")), spec.options.get("device", ""))
    given = read(part, spec.how, spec.schema)
    values = model.assign(given.data, _progress.silent, what == "embedding")[what]
    return _series(values, given.index(len(values)), name) if series else values


def nothing(what: str, name: str, series: bool) -> Any:
    """The result of a partition without instances."""
    values = np.empty(0, np.int32 if what == "labels" else np.float64)
    return _series(values, None, name) if series else values


def _series(values: Any, index: Any, name: str) -> Any:
    import pandas

    return pandas.Series(values, index=index if _results.pandas_index(index) else None, name=name)
