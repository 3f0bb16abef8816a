"""Instances one at a time, as dicts: views by name, or features by name, "view:feature"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ._checks import Schema
from ._table import Table
from .errors import DataError

LARGEST = 1e140  # the square of a larger number is none

Row = dict[str, dict[str, float]]  # features of each view


def row_of(x: Any, schema: Schema | None) -> Row:
    """The features of an instance by view. A feature without a view is of the only one; unknown ones are left out."""
    if not isinstance(x, Mapping):
        raise DataError(f"an instance is a dict of views or features, not {type(x).__name__}")
    views = {view[0]: view for view in schema or []}
    only = next(iter(views)) if len(views) == 1 else "view1"
    out: Row = {}
    for key, value in x.items():
        name = str(key)
        if value is None:
            continue
        if isinstance(value, Mapping):
            out.setdefault(name, {}).update({str(feature): _number(name, feature, one) for feature, one in value.items()})
        elif isinstance(value, (list, tuple, np.ndarray)) and np.ndim(value) > 0:
            features = views[name][2] if name in views else None
            names = features if features is not None else [str(j) for j in range(len(value))]
            if len(names) != len(value):
                raise DataError(f"view {name!r} has {len(value)} values, and the model has learned {len(names)}")
            out.setdefault(name, {}).update({feature: _number(name, feature, one) for feature, one in zip(names, value)})
        else:
            view, colon, feature = name.partition(":")
            known = bool(colon) and (not views or view in views)
            out.setdefault(view if known else only, {})[feature if known else name] = _number(only, name, value)
    return out


def _number(view: str, feature: Any, value: Any) -> float:
    if value is None:
        return float("nan")
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise DataError(f"view {view!r}: {feature!r} is {value!r}, which is no number") from error
    if abs(number) > LARGEST:
        raise DataError(f"view {view!r}: {feature!r} is {number:g}, which is too large to be squared: leave it out")
    return number


class Waiting:
    """Instances that are learned together, later."""

    def __init__(self) -> None:
        self._rows: list[Row] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, x: Any, schema: Schema | None) -> None:
        self._rows.append(row_of(x, schema))

    def views(self, schema: Schema | None) -> dict[str, Table]:
        """The instances as views: with the features of the model, or before there is one with all that were seen."""
        return _tables(self._rows, schema or _schema_of(self._rows))


def one(x: Any, schema: Schema) -> dict[str, Table]:
    """One instance as views; none where it has nothing that the model knows."""
    return _tables([row_of(x, schema)], schema)


def _schema_of(rows: list[Row]) -> Schema:
    seen: dict[str, dict[str, None]] = {}
    for row in rows:
        for view, features in row.items():
            seen.setdefault(view, {}).update(dict.fromkeys(features))
    # In one order, whatever the order of the keys.
    return [(view, len(seen[view]), sorted(seen[view], key=lambda name: (not name.isdigit(), int(name) if name.isdigit()
                                                                         else 0, name))) for view in sorted(seen)]


def _tables(rows: list[Row], schema: Schema) -> dict[str, Table]:
    out = {}
    for view, width, features in schema:
        names = features if features is not None else [str(j) for j in range(width)]
        at = {name: j for j, name in enumerate(names)}
        values = np.full((len(rows), width), np.nan)
        for i, row in enumerate(rows):
            for name, value in row.get(view, {}).items():
                if name in at:
                    values[i, at[name]] = value
        out[view] = Table(values, None, features)
    return out
