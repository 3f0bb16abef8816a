"""Everything that can be clustered, as data that the library reads: arrays, frames, files, streams."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np

from . import _core, _on_disk, _wide
from ._checks import Schema, aligned, check_widths, is_path, join, label, path_text, presence
from ._table import Table, View, is_anndata, is_mudata, is_sparse, is_table, loaded, table_of, take_columns
from .errors import DataError, UsageError


class Given:
    """Data as the library reads them, and what results need to know of them."""

    def __init__(self, data: Any, names: list[str], index: Any = None, keyed: bool = False, single: bool = False,
                 parts: Memory | None = None) -> None:
        self.data = data  # of the library; read once
        self.names = names  # of the views
        self._index = index
        self.keyed = keyed  # views were given by name
        self.single = single  # one view, given as such
        self.parts = parts  # where all is in memory
        self.size = data.size()  # instances, where that is known
        self.wide: tuple[int, list[str] | None] | None = None  # columns of the one table that the views are parts of
        self.container: str | None = None  # AnnData or MuData
        self.kinds = {} if parts is None else {name: Kind.of(rows) for name, (rows, _) in zip(names, parts.views)}

    def repeated(self, weights: Any) -> Given:
        """The data with each instance as often as its weight says."""
        if self.parts is None:
            raise UsageError("sample_weight is for data in memory")
        return self.parts.repeated(weights, self)

    def index(self, instances: int) -> Any:
        """The index of the instances, where they have one: of pandas, or the ids of files as an array."""
        if isinstance(self._index, _Gathered):
            return self._index.joined(instances)
        return self._index(instances) if callable(self._index) else self._index


class Kind(NamedTuple):
    """How the values of a view are kept."""

    sparse: bool
    type: Any

    @staticmethod
    def of(rows: Any) -> Kind:
        return Kind(is_sparse(rows), rows.dtype)


class Memory(NamedTuple):
    """Views in memory: what the library is lent."""

    schema: Schema
    views: list[tuple[Any, Any]]  # of each, its rows and the instances that they are of (None: all, in order)
    instances: int
    present: Any

    def data(self) -> Any:
        return _core.array_data(self.schema, [(_plain(rows), where) for rows, where in self.views], self.instances, [],
                                self.present)

    def repeated(self, weights: Any, given: Given) -> Given:
        if len(weights) != self.instances:
            raise DataError(f"sample_weight has {len(weights)} values for {self.instances} instances")
        if not weights.any():
            raise DataError("sample_weight is zero for every instance: at least one weight must be more")
        first = np.cumsum(weights) - weights
        views = []
        for rows, where in self.views:
            counts = weights if where is None else weights[where]
            nth = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
            starts = None if where is None else np.repeat(first[where], counts) + nth
            views.append((rows[np.repeat(np.arange(len(counts)), counts)], starts))
        present = self.present
        if present is not None:
            present = np.ascontiguousarray(np.repeat(present.reshape(self.instances, -1), weights, axis=0)).ravel()
        memory = Memory(self.schema, views, int(weights.sum()), present)
        return Given(memory.data(), given.names, None, given.keyed, given.single, memory)


def read(X: Any, *, present: Any = None, views: Any = None, layer: str | None = None,
         files: Mapping[str, Any] | None = None, schema: Schema | None = None) -> Given:
    """Data from whatever X is. `schema` is that of a model that has learned, None before."""
    if isinstance(X, Given):
        return X
    if is_path(X) or (isinstance(X, (list, tuple)) and X and all(is_path(one) for one in X)):
        return _files([X] if is_path(X) else list(X), present, views, layer, files, schema)
    if files:
        raise UsageError("files= tells how to read files, but the data are no paths")
    container = "MuData" if is_mudata(X) else "AnnData" if is_anndata(X) else None
    blocks = _on_disk.blocks_of(X, layer)
    if blocks is not None:
        if container and views is not None and list(views) != ["X"]:
            raise UsageError("of a backed AnnData only X or a layer can be read: load it for its obsm")
        return _stream(blocks, True, present, schema, None if container else views)
    if container and not _wide.selects_columns(views):
        X = _parts_of(X, views, layer, schema)
        views = layer = None
    if layer is not None:
        raise UsageError("layer= is for AnnData, MuData and files; give other data as they are")
    if callable(X) and not is_table(X):
        return _stream(X, True, present, schema, views)
    if isinstance(X, Iterator) or _is_reader(X):
        return _stream(lambda: X, False, present, schema, views)
    given = _tables(_split(X, views), present, schema)
    given.container = container
    given.wide = _wide.columns_of(X) if views is not None and not _is_views(X) else None
    return given


def _is_views(X: Any) -> bool:
    """Views already, not one table."""
    return (isinstance(X, Mapping) and not is_sparse(X)) or (not isinstance(X, (Table, View)) and _is_list_of_views(X))


def _split(X: Any, views: Any) -> Any:
    """The views of one wide table. What is given as views already must be those."""
    if views is None:
        return X
    if not _is_views(X):
        return _wide.split(X, views)
    names = list(views) if isinstance(views, Mapping) else []
    if not isinstance(X, Mapping) or any(name not in names for name in X):
        raise UsageError(f"views= names columns of one table, and the data are views already: give one table, or a dict "
                         f"of the views {names}" if names else "views= chooses parts of AnnData, MuData and files, and "
                         "columns of one table; the data are views already")
    return X


def _is_reader(X: Any) -> bool:
    """A stream of Arrow batches, which can be read once."""
    arrow = loaded("pyarrow")
    return arrow is not None and isinstance(X, arrow.RecordBatchReader)


def _files(paths: list[Any], present: Any, views: Any, layer: str | None, files: Mapping[str, Any] | None,
           schema: Schema | None) -> Given:
    options = dict(files or {})
    if any(_on_disk.is_readable(path) for path in paths):
        return _read_here([path_text(path) for path in paths], present, views, layer, options, schema)
    if _wide.selects_columns(views):
        raise UsageError("of a file views= names parts; to group the columns of a table of text, read it with pandas first")
    if views is not None:
        options["views"] = list(views)
    if layer is not None:
        options["layer"] = layer
    paths = [path_text(path) for path in paths]
    data = _core.file_data(paths, options)
    names = [view[0] for view in data.schema()]
    if present is not None:
        data.mask(presence(present, data.size(), names, None))

    def ids(instances: int) -> Any:
        # The library has taken the data by now; a second look at the files tells the ids.
        again = _core.file_data(paths, options)
        found = again.ids(instances)
        return np.array(found, dtype=object) if len(found) == instances and instances else None

    return Given(data, names, ids, keyed=True)


def _read_here(paths: list[str], present: Any, views: Any, layer: str | None, files: Mapping[str, Any],
               schema: Schema | None) -> Given:
    """Files of Parquet, Arrow and Zarr: one is read by ranges of rows, several with ids are joined in memory."""
    wrong = [path for path in paths if not _on_disk.is_readable(path)]
    if wrong:
        raise UsageError(f"{wrong[0]} and {paths[0]} cannot be read together: convert one of them")
    names = [PurePath(path).stem for path in paths]
    starts = {name: _on_disk.blocks_of_path(path, files, layer) for name, path in zip(names, paths)}
    if len(paths) == 1:
        return _stream(starts[names[0]], True, present, schema, views, None if views is not None else names[0])
    if len(starts) < len(paths):
        raise UsageError(f"views are called after their files, and two of these have one name: {names}")
    if files.get("id_column"):
        return _tables({name: _on_disk.joined(start()) for name, start in starts.items()}, present, schema)
    return _stream(_on_disk.side_by_side(starts, dict), True, present, schema, views)


def _parts_of(X: Any, views: Any, layer: str | None, schema: Schema | None) -> Any:
    """The views of AnnData and MuData by name: X or a layer, and entries of obsm where they are asked for. Those that the
    model knows, with its genes, where there is one."""
    known = {view[0]: view[2] for view in schema or []}
    if is_anndata(X):
        if views is None and schema and all(name == "X" or name in X.obsm for name in known):
            views = list(known)
        if views is None:
            table = table_of(X, "AnnData", layer)
            return aligned(table, next(iter(known.values())), "X") if len(known) == 1 else table
        return {name: aligned(table_of(X, name, layer) if name == "X" else _entry(X, name, name), known.get(name), name)
                for name in views}
    if views is None and schema:
        views = [name for name in known if name.partition(":")[0] in X.mod] or None
    out = {}
    for name in X.mod if views is None else views:
        modality, _, entry = name.partition(":")
        if modality not in X.mod:
            raise UsageError(f"views names {name!r}, but the modalities are {list(X.mod)}")
        part = X.mod[modality]
        chosen = layer if layer is not None and layer in part.layers else None
        table = _entry(part, entry, name) if entry else table_of(part, name, chosen)
        out[name] = aligned(table, known.get(name), f"view {name!r}")
    return _Joined(out, X.obs_names)


class _Joined(dict):  # type: ignore[type-arg]
    """Views whose instances are known beforehand."""

    def __init__(self, views: Mapping[str, Any], index: Any) -> None:
        super().__init__(views)
        self.index = index


def _entry(adata: Any, key: str, name: str) -> Table:
    if key not in adata.obsm:
        raise UsageError(f"views names {name!r}, but obsm has {list(adata.obsm)}; X is called X")
    table = table_of(adata.obsm[key], name)
    return Table(table.data, adata.obs_names, table.features)


# In memory.

def _tables(X: Any, present: Any, schema: Schema | None) -> Given:
    named, keyed, single = _named(X, schema)
    tables = [(name, value if isinstance(value, Table) else table_of(value, label(name, single)))
              for name, value in named]
    if schema is None:
        missing = [name for name, table in tables if table.data is None]
        if missing:
            raise DataError(f"the views {missing} are None: a view that nobody has cannot be learned; leave it out")
    tables = [(name, table) for name, table in tables if table.data is not None]
    if not tables:
        raise DataError("there are no views")
    check_widths(tables, schema, single)
    index, rows = join(tables, getattr(X, "index", None) if isinstance(X, _Joined) else None)
    instances = len(index) if index is not None else tables[0][1].shape[0]
    flags = None if present is None else presence(present, instances, [name for name, _ in named], index)
    if flags is not None and len(named) != len(tables):
        kept = [i for i, (name, _) in enumerate(named) if name in dict(tables)]
        flags = np.ascontiguousarray(flags.reshape(instances, len(named))[:, kept]).ravel()
    # Where rows had to be put into the order of the instances, the tables here are those.
    memory = Memory([(name, table.shape[1], table.features) for name, table in tables],
                    [(table.data, where) for (_, table), where in zip(tables, rows)], instances, flags)
    return Given(memory.data(), [name for name, _ in tables], index, keyed, single, memory)


def _named(X: Any, schema: Schema | None) -> tuple[list[tuple[str, Any]], bool, bool]:
    """The views with their names, whether they were given by name, and whether there is but one."""
    if isinstance(X, Mapping) and not is_sparse(X):  # some sparse matrices are dictionaries
        bad = [name for name in X if not isinstance(name, str)]
        if bad:
            raise UsageError(f"the names of views are words, not {bad[0]!r}")
        return list(X.items()), True, False
    if isinstance(X, (Table, View)) or not _is_list_of_views(X):
        return [(schema[0][0] if schema and len(schema) == 1 else "view1", X)], False, True
    if schema is not None:
        if len(X) != len(schema):
            raise DataError(f"{len(X)} views were given, but the model has {len(schema)}: "
                            f"{[view[0] for view in schema]}; give None in the place of one that is missing, or a dict")
        return [(view[0], one) for view, one in zip(schema, X)], False, False
    return [(f"view{v + 1}", one) for v, one in enumerate(X)], False, False


def _is_list_of_views(X: Any) -> bool:
    if not isinstance(X, (list, tuple)) or not X:
        return False
    known = [one for one in X if one is not None]
    if not known:
        return True
    # A list of plain rows is one view, as scikit-learn has it.
    return all(isinstance(one, Table) or (is_table(one) and getattr(one, "ndim", 2) == 2)
               or (isinstance(one, (list, tuple)) and one and any(isinstance(row, (list, tuple, np.ndarray))
                                                                  for row in one)) for one in known)


def _plain(data: Any) -> Any:
    if is_sparse(data):
        return (data.data, data.indices, data.indptr, data.shape[0], data.shape[1])
    return data


# Chunk by chunk.

class _Gathered:
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


def _stream(start: Callable[[], Iterable[Any]], again: bool, present: Any, schema: Schema | None, views: Any = None,
            name: str | None = None) -> Given:
    """Chunks as views: the columns that `views` names, or one view of this name, or as they are."""
    if present is not None:
        raise UsageError("present= is for data in memory; in chunks a missing view is NaN, None or left out")
    parts = _Gathered()
    made = start()
    plain = not isinstance(made, Iterator) and not _is_reader(made)
    if made is None or (plain and (is_table(made) or isinstance(made, Mapping))):
        raise DataError(f"the function gives {type(made).__name__}, not an iterator of chunks: let it yield them")
    first_pass = iter(made)
    try:
        first = next(first_pass)
    except StopIteration:
        raise DataError("the iterator gives no chunk") from None

    def split(item: Any) -> Any:
        return item if views is None and name is None else _split(item, views) if name is None else {name: item}

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

    out = Given(_core.stream_data(layout, chunks, again), given.names, parts, given.keyed, given.single)
    out.wide = None if views is None or _is_views(first) else _wide.columns_of(first)
    out.kinds = given.kinds
    return out


def _chunk(item: Any, schema: Schema | None, like: tuple[Schema, dict[str, Any]] | None) -> Given:
    """One chunk in memory. Later chunks have the views of the first; those that they lack are absent."""
    if isinstance(item, Given) or callable(item) or is_path(item):
        raise DataError("a chunk is an array, a frame, or a list or dict of them")
    if is_anndata(item) or is_mudata(item):
        item = _parts_of(item, None, None, None)
    if like is None:
        return _tables(item, None, schema)
    layout, kinds = like
    named, keyed, single = _named(item, schema if schema is not None else layout)
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
        views.append((_plain(data.astype(kinds[name].dtype, copy=False)), where))
    return Given(_core.array_data(layout, views, instances, [], None), [view[0] for view in layout], index, keyed, single)
