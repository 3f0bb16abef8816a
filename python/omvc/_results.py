"""Results in the form that the data had."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np

from .errors import DataError, UsageError


class Feature(NamedTuple):
    """A feature that tells a cluster from the others."""

    view: str
    cluster: int
    feature: str
    number: int  # 0-based
    weight: float  # in the profile of the cluster
    lift: float  # relative to the mean of the others; infinite where that is 0
    high: bool  # higher in this cluster than in the others, or lower


class Report(dict):  # type: ignore[type-arg]
    """What a fit tells: the dictionary of the command's --json, which prints as a few lines."""

    def __str__(self) -> str:
        lines = [f"{self['n']} instances, {self['clusters']} clusters"
                 + (f" ({self['found_by']})" if self.get("found_by") else "")]
        for view in self["view_details"]:
            share = view["observed"] / self["n"] if self["n"] else 0
            lines.append(f"  view {view['name']}: {view['features']} features, {share:.0%} present, {view['scaling']}, "
                         f"{view['explained']:.0%} explained"
                         + (f", worth {view['worth']:.2f}" if view.get("worth") is not None else ""))
        sizes = dict(zip(self.get("cluster_numbers", []), self.get("cluster_sizes", [])))
        if sizes:
            lines.append("  sizes: " + ", ".join(f"{number}: {size}" for number, size in sizes.items()))
        lines += [f"  {warning}" for warning in self.get("warnings", [])]
        return "\n".join(lines)

    __repr__ = __str__

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


def classes(truth: Any, index: Any, labels: Any) -> Any:
    """The class of each instance as a number: whole numbers as they are, others by their place among all classes."""
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
    out[known] = found if whole else np.unique(found.astype(str), return_inverse=True)[1]
    return out


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
