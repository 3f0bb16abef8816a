"""Instances one at a time, as dicts: views by name, or features by name, "view:feature" or columns of one table."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _wide
from ._checks import Schema
from ._table import Table
from .errors import DataError

LARGEST = 1e140  # the square of a larger number is none

Row = dict[str, dict[str, float]]  # features of each view


class NothingKnown(DataError):
    """An instance of which no key means anything."""


class Keys:
    """What the keys of an instance mean: the features of a model, before there is one the columns that `views` chooses, and
    without either whatever comes."""

    def __init__(self, schema: Schema | None, views: Any = None, wide: tuple[int, list[str] | None] | None = None) -> None:
        self._schema = {view[0]: names_of(view) for view in schema or []}
        self._chosen = _wide.selectors(views) if _wide.selects_columns(views) else {}
        self._words = {} if schema else {view: _wide.words_of(columns) for view, columns in self._chosen.items()}
        self._columns = self._columns_of_views(schema or [], wide)

    def _columns_of_views(self, schema: Schema, wide: tuple[int, list[str] | None] | None) -> dict[str, list[tuple[str, str]]]:
        """The features that have a name without their view: those with a name that no other view has, those of the only view,
        and columns of one table, which several views may have."""
        out: dict[str, dict[tuple[str, str], None]] = {}
        for view, _, features in schema:
            names = self._schema[view]
            called = names if features is not None or len(schema) == 1 else []
            if wide is not None and features is None and view in self._chosen:
                width, columns = wide
                called = [str(j) if columns is None else columns[j]
                          for j in _wide.chosen(view, self._chosen[view], columns, width)]
            for name, feature in zip(called, names):
                out.setdefault(name, {})[view, feature] = None
        return {name: list(places) for name, places in out.items() if self._chosen or len(places) == 1}

    def features(self, view: str, count: int) -> list[str] | None:
        """The features of a view that is given as a list; None where there is no such view."""
        if self._schema:
            return self._schema.get(view)
        return [str(j) for j in range(count)] if not self._words or view in self._words else None

    def has(self, view: str, feature: str) -> bool:
        if self._schema:
            return view in self._schema and feature in self._schema[view]
        return not self._words or view in self._words

    def places(self, name: str) -> list[tuple[str, str]]:
        """The views and features that a key means, of which several views may have one."""
        found = self._columns.get(name) or [(view, name) for view, words in self._words.items()
                                            if any(_wide.fitting(word, [name]) for word in words)]
        view, colon, feature = name.partition(":")
        if found or (colon and self.has(view, feature)):
            return found or [(view, feature)]
        return [] if self._schema or self._words else [("view1", name)]

    def refuse(self, x: Mapping[Any, Any]) -> None:
        """Says which keys there might be, where any mean something."""
        known = [word for view, words in self._words.items() for word in words or [f"{view}:FEATURE"]] or list(self._columns)
        known += [f"{view}:{feature}" for view, names in self._schema.items() for feature in names]
        given = [f"{key}:{name}" for key, value in x.items() if isinstance(value, Mapping) for name in value] or list(map(str, x))
        if not known:
            return
        near = difflib.get_close_matches(given[0], known, 3) or known[:3]
        raise NothingKnown(f"of the row no key is known, such as {given[0]!r}; known are {', '.join(map(repr, near))}"
                           + (f" and {len(known) - len(near)} more" if len(known) > len(near) else ""))


def names_of(view: tuple[str, int, list[str] | None]) -> list[str]:
    return view[2] if view[2] is not None else [str(j) for j in range(view[1])]


def row_of(x: Any, keys: Keys) -> Row:
    """The features of an instance by view. Unknown ones are left out; NothingKnown where all are."""
    if not isinstance(x, Mapping):
        raise DataError(f"an instance is a dict of views or features, not {type(x).__name__}")
    out: Row = {}
    known = not x
    for key, value in x.items():
        name = str(key)
        if isinstance(value, Mapping):
            found = [(name, str(feature), one) for feature, one in value.items() if keys.has(name, str(feature))]
            known = known or not value
        elif isinstance(value, (list, tuple, np.ndarray)) and np.ndim(value) > 0:
            names = keys.features(name, len(value))
            if names is not None and len(names) != len(value):
                raise DataError(f"view {name!r} has {len(value)} values, and the model has learned {len(names)}")
            found = [(name, feature, one) for feature, one in zip(names or [], value)]
        else:
            known = known or value is None
            found = [] if value is None else [(*place, value) for place in keys.places(name)]
        for view, feature, one in found:
            out.setdefault(view, {})[feature] = _number(view, feature, one)
    if not known and not out:
        keys.refuse(x)
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

    def add(self, x: Any, keys: Keys) -> None:
        self._rows.append(row_of(x, keys))

    def views(self, schema: Schema | None) -> dict[str, Table]:
        """The instances as views: with the features of the model, or before there is one with all that were seen."""
        return _tables(self._rows, schema or _schema_of(self._rows))


def one(x: Any, keys: Keys, schema: Schema) -> dict[str, Table]:
    """One instance as views."""
    return _tables([row_of(x, keys)], schema)


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
        at = {name: j for j, name in enumerate(names_of((view, width, features)))}
        values = np.full((len(rows), width), np.nan)
        for i, row in enumerate(rows):
            for name, value in row.get(view, {}).items():
                if name in at:
                    values[i, at[name]] = value
        out[view] = Table(values, None, features)
    return out
