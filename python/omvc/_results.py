"""Results in the form that the data had."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .errors import DataError, UsageError

if TYPE_CHECKING:
    import pandas
    from numpy.typing import NDArray
    from typing_extensions import TypeAlias

    Column: TypeAlias = NDArray[Any] | pandas.Series[Any]  # a value for each instance, as the data had an index or not
    Frame: TypeAlias = NDArray[Any] | pandas.DataFrame  # rows and columns, likewise


NOT_REACHED = -2  # the label of an instance that nobody has looked at: fit was interrupted, or there are no clusters yet


class Feature(NamedTuple):
    """A feature that tells a cluster from the others."""

    view: str
    cluster: int
    feature: str
    number: int  # 0-based
    weight: float  # in the profile of the cluster
    lift: float  # relative to the mean of the others; infinite where that is 0
    high: bool  # higher in this cluster than in the others, or lower


class Level(NamedTuple):
    """The clusters of one cut of a tree."""

    numbers: list[int]  # of the clusters
    sizes: list[float]  # of each, about
    parents: list[int]  # of each: the cluster of the level before that holds most of it; -1 in the first level


EFFECTS = ("view", "cluster", "feature", "mean", "others", "effect", "chance")

# What only the instances of a fit tell.
_OF_INSTANCES = ("unobserved", "outliers", "confidence", "pattern_nmi", "loss")


def counted(count: int, what: str) -> str:
    """A number of things in words: 1 cluster, 2 clusters."""
    return f"{count} {what}" + ("" if count == 1 else "s")


class Report(dict):  # type: ignore[type-arg]
    """What a fit tells: the dictionary of the command's --json, which prints as a few lines."""

    def __str__(self) -> str:
        lines = [f"{counted(self['n'], 'instance')}, {counted(self['clusters'], 'cluster')}"
                 + (f" ({self['found_by']})" if self.get("found_by") else "")]
        if self.get("stopped"):
            lines.append("  stopped before the end: instances that were not reached have no label")
        for view in self["view_details"]:
            share = view["observed"] / self["n"] if self["n"] else 0
            present = "" if self.get("stopped") else f"{share:.0%} present, "
            lines.append(f"  view {view['name']}: {view['features']} features, {present}{view['scaling']}"
                         + (f", {view['explained']:.0%} explained" if view.get("explained") is not None else "")
                         + (f", worth {view['worth']:.2f}" if view.get("worth") is not None else ""))
        sizes = dict(zip(self.get("cluster_numbers", []), self.get("cluster_sizes", [])))
        if sizes:
            lines.append("  sizes: " + ", ".join(f"{number}: {size}" for number, size in sizes.items()))
        lines += [f"  {warning}" for warning in self.get("warnings", [])]
        return "\n".join(lines)

    __repr__ = __str__

    def by_itself(self) -> Report:
        """Without what a model does not know of instances that it has let go: unknown is None."""
        for name in _OF_INSTANCES:
            self[name] = None
        for view in self["view_details"]:
            view["explained"] = view["explained"] or None
        return self

    def _repr_html_(self) -> str:
        from ._html import report_html

        return report_html(self)


def pandas_index(index: Any) -> bool:
    library = sys.modules.get("pandas")
    return library is not None and isinstance(index, library.Index)


def column(values: Any, index: Any, name: str) -> Any:
    """A value for every instance: a Series where the data had an index."""
    if values is None or not pandas_index(index) or len(index) != len(values):
        return values
    return sys.modules["pandas"].Series(values, index=index, name=name)


def labels(values: Any, index: Any, reached: int | None) -> Any:
    """Labels of instances. Where only so many were `reached`, those behind them are masked, unless they were labelled."""
    if reached is not None:
        values = values.copy()
        values[reached:][values[reached:] < 0] = NOT_REACHED
    out = column(values, index, "omvc")
    if reached is None or out is values or not (values == NOT_REACHED).any():
        return out
    return out.astype("Int32").mask(values == NOT_REACHED)


def filled(values: Any, given: Any, view: tuple[str, int, list[str] | None]) -> Any:
    """A view that was filled in, in the form that the data had: an array or (values, columns, offsets) of sparse rows."""
    rows = len(values[2]) - 1 if isinstance(values, tuple) else len(values)
    name, width, features = view
    if isinstance(values, tuple):
        import scipy.sparse

        values = scipy.sparse.csr_matrix(values, shape=(rows, width))
    if name in given.kinds:
        values = values.astype(given.kinds[name].type, copy=False)
    index = given.index(rows)
    if given.container == "AnnData":
        return values
    if given.container == "MuData":
        import anndata
        import pandas

        return anndata.AnnData(values, obs=pandas.DataFrame(index=index), var=pandas.DataFrame(
            index=features if features is not None else [str(j) for j in range(width)]))
    if not pandas_index(index) or not isinstance(values, np.ndarray):
        return values
    return sys.modules["pandas"].DataFrame(values, columns=features if features is not None else range(width), index=index)


def classes(truth: Any, index: Any, labels: Any) -> tuple[Any, list[str]]:
    """The class of each instance as a number, and the names of the classes by number: whole numbers are as they are and
    have no names, others are numbered by their place among all classes."""
    if labels is None:
        raise UsageError("the truth belongs to the instances of fit, and there are no labels of them: fit first")
    series = getattr(truth, "reindex", None)
    if pandas_index(index) and series is not None and hasattr(truth, "index"):
        truth = series(index)
    given = np.asarray(truth)
    if given.shape != (len(labels),):
        raise DataError(f"the truth has the shape {given.shape}, but there are {len(labels)} instances: give one class "
                        "for each")
    known = np.array([one is not None and one == one for one in given.tolist()], dtype=bool)
    out = np.full(len(given), np.iinfo(np.int32).min, np.int32)
    found = given[known]
    whole = found.dtype.kind in "iufb" and bool(np.all(found == np.round(found)) and np.all(np.abs(found) < 2**31))
    if whole:
        out[known] = found
        return out, []
    names, out[known] = np.unique(found.astype(str), return_inverse=True)
    return out, names.tolist()


def rows(values: Any, index: Any, names: list[str], form: str) -> Any:
    """A row for every instance, in the form that set_output asked for."""
    if form == "default":
        return values
    if form == "pandas":
        import pandas

        index = index if pandas_index(index) and len(index) == len(values) else None
        return pandas.DataFrame(values, columns=names, index=index)
    if form == "polars":
        import polars

        return polars.DataFrame(values, schema=list(names))
    raise UsageError(f"set_output knows default, pandas and polars, not {form!r}")


def frame(values: Any, index: Sequence[Any], columns: Sequence[Any], name: Any) -> Any:
    """Rows and columns with names: a DataFrame where pandas is installed, else the array."""
    try:
        import pandas
    except ImportError:
        return values
    return pandas.DataFrame(values, index=pandas.Index(index, name=name), columns=list(columns))


def table(columns: dict[str, Any]) -> Any:
    """Columns side by side: a DataFrame where pandas is installed, else a record array."""
    try:
        import pandas
    except ImportError:
        return np.rec.fromarrays(list(columns.values()), names=",".join(columns))  # type: ignore[call-overload]
    return pandas.DataFrame(columns)


def linkage(levels: list[tuple[list[int], list[float], list[int]]], numbers: list[int]) -> Any:
    """The levels of a tree, from 2 clusters to all of them, as SciPy has them: (one, other, height, leaves) of each join."""
    leaves = {number: (i, 1) for i, number in enumerate(numbers)}
    trees = {number: leaves[number] for number in levels[-1][0]}  # by their number in the level at hand: node, leaves
    joins: list[list[float]] = []
    for depth, (names, _, parents) in enumerate(reversed(levels)):
        grown: dict[int, tuple[int, int]] = {}
        for name, parent in zip(names, parents):
            if name not in trees:
                continue  # none of the leaves came from it
            if parent in grown:
                (one, some), (other, more) = grown[parent], trees[name]
                joins.append([min(one, other), max(one, other), depth + 1, some + more])
                grown[parent] = (len(numbers) + len(joins) - 1, some + more)
            else:
                grown[parent] = trees[name]
        trees = grown
    return np.array(joins, dtype=float)
