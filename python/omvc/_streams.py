"""Data that come chunk by chunk: once, or as often as is useful."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from . import _core, _wide
from ._checks import Schema, check_widths, is_path, join
from ._memory import Given, as_lent, in_memory, is_views, named_views, parts_of, split_views
from ._table import Table, is_anndata, is_mudata, is_sparse, is_table, loaded, table_of, take_columns
from .errors import DataError, UsageError


def is_reader(X: Any) -> bool:
    """A stream of Arrow batches, which can be read once."""
    arrow = loaded("pyarrow")
    return arrow is not None and isinstance(X, arrow.RecordBatchReader)


class Gathered:
    """The index of a stream, gathered while it is read."""

    def __init__(self) -> None:
        self.parts: list[Any] = []  # of the pass that came farthest
        self._now: list[Any] = []

    def begin(self) -> None:
        self._now = []

    def add(self, part: Any) -> None:
        self._now.append(part)
        if len(self._now) > len(self.parts):
            self.parts = self._now

    def joined(self, instances: int) -> Any:
        if not self.parts or any(part is None for part in self.parts):
            return None
        index = self.parts[0].append(self.parts[1:])
        return index[:instances] if len(index) >= instances else None


def stream(start: Callable[[], Iterable[Any]], again: bool, present: Any, schema: Schema | None, views: Any = None,
            name: str | None = None) -> Given:
    """Chunks as views: the columns that `views` names, or one view of this name, or as they are."""
    if present is not None:
        raise UsageError("present= is for data in memory; in chunks a missing view is NaN, None or left out")
    parts = Gathered()
    made = start()
    plain = not isinstance(made, Iterator) and not is_reader(made)
    if made is None or (plain and (is_table(made) or isinstance(made, Mapping))):
        raise DataError(f"the function gives {type(made).__name__}, not an iterator of chunks: let it yield them")
    first_pass = iter(made)
    try:
        first = next(first_pass)
    except StopIteration:
        raise DataError("the iterator gives no chunk") from None

    def split(item: Any) -> Any:
        return item if views is None and name is None else split_views(item, views, schema) if name is None else {name: item}

    given = _chunk(split(first), schema, None)
    assert given.parts is not None
    kinds = {view: rows for view, (rows, _) in zip(given.names, given.parts.views)}
    layout = given.data.schema()
    waiting: list[Any] = [first_pass]

    def chunks() -> Iterator[Any]:
        parts.begin()
        # The first pass goes on from the chunk that was looked at.
        begun = waiting.pop() if waiting else None
        items = iter(start()) if begun is None else begun
        if begun is not None:
            parts.add(given.index(0))
            yield given.data
        for item in items:
            one = _chunk(split(item), schema, (layout, kinds))
            parts.add(one.index(0))
            yield one.data

    out = Given(_core.stream_data(layout, chunks, again), given.names, parts.joined, given.keyed, given.single)
    out.wide = None if views is None or is_views(first) else _wide.columns_of(first)
    out.kinds = given.kinds
    return out


def _chunk(item: Any, schema: Schema | None, like: tuple[Schema, dict[str, Any]] | None) -> Given:
    """One chunk in memory. Later chunks have the views of the first; those that they lack are absent."""
    if isinstance(item, Given) or callable(item) or is_path(item):
        raise DataError("a chunk is an array, a frame, or a list or dict of them")
    if is_anndata(item) or is_mudata(item):
        item = parts_of(item, None, None, None)
    if like is None:
        return in_memory(item, None, schema, whole=False)
    layout, kinds = like
    named, keyed, single = named_views(item, schema if schema is not None else layout)
    tables = {name: value if isinstance(value, Table) else table_of(value, f"view {name!r}") for name, value in named}
    unknown = [name for name in tables if name not in kinds]
    if unknown:
        raise DataError(f"a later chunk has the views {unknown}, which the first one lacks; it has {list(kinds)}")
    there = [(name, table) for name, table in tables.items() if table.data is not None]
    check_widths(there, layout, single)
    index, rows = join(there, None)
    instances = len(index) if index is not None else there[0][1].shape[0]
    found = {name: (table.data, where) for (name, table), where in zip(there, rows)}
    nobody = np.empty(0, np.int64)
    views = []
    for name, _, features in layout:
        data, where = found.get(name, (kinds[name][:0], nobody))
        columns = tables[name].features if name in found else None
        if features is not None and columns is not None and columns != features:
            if set(columns) != set(features):
                raise DataError(f"view {name!r}: a later chunk has other columns than the first")
            data = take_columns(data, [columns.index(feature) for feature in features])
        if is_sparse(kinds[name]) != is_sparse(data):
            raise DataError(f"view {name!r}: a chunk is sparse and another is not; keep to one")
        views.append((as_lent(data.astype(kinds[name].dtype, copy=False)), where))
    return Given(_core.array_data(layout, views, instances, [], None), [view[0] for view in layout], index, keyed, single)
