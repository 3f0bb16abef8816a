"""Results in the form that the data had."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

from .errors import UsageError


class Feature(NamedTuple):
    """A feature that tells a cluster from the others."""

    view: str
    cluster: int
    feature: str
    number: int  # 0-based
    weight: float  # in the profile of the cluster
    lift: float  # relative to the mean over clusters
    high: bool  # higher in this cluster than in the others, or lower


class Report(dict):  # type: ignore[type-arg]
    """What a fit tells: a dictionary that prints as a few lines."""

    def __str__(self) -> str:
        lines = [f"{self['instances']} instances, {self['clusters']} clusters"
                 + (f" ({self['found_by']})" if self.get("found_by") else "")]
        for view in self["views"]:
            share = view["observed"] / self["instances"] if self["instances"] else 0
            lines.append(f"  view {view['name']}: {view['features']} features, {share:.0%} present, {view['scaling']}, "
                         f"{view['explained']:.0%} explained")
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
