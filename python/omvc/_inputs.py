"""Everything that can be clustered, as data that the library reads: arrays, frames, files, streams."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from . import _core
from ._checks import Schema, check_widths, is_path, join, label, path_text, presence
from ._table import Table, View, is_anndata, is_mudata, is_sparse, is_table, loaded, table_of
from .errors import DataError, UsageError

_RANGE = 4096  # rows at a time of what is read by ranges


class Given:
    """Data as the library reads them, and what results need to know of them."""

    def __init__(self, data: Any, names: list[str], index: Any = None, keyed: bool = False, single: bool = False,
                 tables: list[Table] | None = None) -> None:
        self.data = data  # of the library; read once
        self.names = names  # of the views
        self._index = index
        self.keyed = keyed  # views were given by name
        self.single = single  # one view, given as such
        self.tables = tables  # where all is in memory

    def index(self, instances: int) -> Any:
        """The index of the instances, where they have one: of pandas, or the ids of files as an array."""
        if isinstance(self._index, _Parts):
            return self._index.joined(instances)
        return self._index(instances) if callable(self._index) else self._index


def read(X: Any, *, present: Any = None, views: Any = None, layer: str | None = None,
         files: Mapping[str, Any] | None = None, schema: Schema | None = None) -> Given:
    """Data from whatever X is. `schema` is that of a model that has learned, None before."""
    if isinstance(X, Given):
        return X
    if is_path(X) or (isinstance(X, (list, tuple)) and X and all(is_path(one) for one in X)):
        return _files([X] if is_path(X) else X, present, views, layer, files)
    if files:
        raise UsageError("files= tells how to read files, but the data are no paths")
    if is_mudata(X) or is_anndata(X):
        if getattr(X, "isbacked", False):
            return _stream(_backed(X, views, layer), True, present, schema)
        X = _parts_of(X, views, layer)
        views = layer = None
    if views is not None or layer is not None:
        raise UsageError("views= and layer= choose parts of AnnData, MuData and files; give other data as they are")
    if _on_disk(X):
        return _stream(_ranges(X), True, present, schema)
    if callable(X) and not is_table(X):
        return _stream(X, True, present, schema)
    if isinstance(X, Iterator) or _is_reader(X):
        return _stream(lambda: X, False, present, schema)
    return _tables(X, present, schema)


def _is_reader(X: Any) -> bool:
    """A stream of Arrow batches, which can be read once."""
    arrow = loaded("pyarrow")
    return arrow is not None and isinstance(X, arrow.RecordBatchReader)


def _files(paths: Any, present: Any, views: Any, layer: str | None, files: Mapping[str, Any] | None) -> Given:
    options = dict(files or {})
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


def _parts_of(X: Any, views: Any, layer: str | None) -> Any:
    """The views of AnnData and MuData by name: X or a layer, and entries of obsm where they are asked for."""
    if is_anndata(X):
        if views is None:
            return table_of(X, "AnnData", layer)
        return {name: table_of(X, name, layer) if name == "X" else _entry(X, name, name) for name in views}
    out = {}
    for name in X.mod if views is None else views:
        modality, _, entry = name.partition(":")
        if modality not in X.mod:
            raise UsageError(f"views names {name!r}, but the modalities are {list(X.mod)}")
        part = X.mod[modality]
        chosen = layer if layer is not None and layer in part.layers else None
        out[name] = _entry(part, entry, name) if entry else table_of(part, name, chosen)
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
    data = _core.array_data([(name, table.shape[1], table.features) for name, table in tables],
                            [(_plain(table.data), where) for (_, table), where in zip(tables, rows)],
                            instances, [], flags)
    # Where rows had to be put into the order of the instances, the tables here are those.
    return Given(data, [name for name, _ in tables], index, keyed, single, [table for _, table in tables])


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

class _Parts:
    """The index of a stream, gathered while it is read."""

    def __init__(self) -> None:
        self.parts: list[Any] = []

    def joined(self, instances: int) -> Any:
        if not self.parts or any(part is None for part in self.parts):
            return None
        index = self.parts[0].append(self.parts[1:])
        return index[:instances] if len(index) >= instances else None


def _stream(start: Callable[[], Iterable[Any]], again: bool, present: Any, schema: Schema | None) -> Given:
    if present is not None:
        raise UsageError("present= is for data in memory; in chunks a missing view is NaN, None or left out")
    parts = _Parts()
    made = start()
    plain = not isinstance(made, Iterator) and not _is_reader(made)
    if made is None or (plain and (is_table(made) or isinstance(made, Mapping))):
        raise DataError(f"the function gives {type(made).__name__}, not an iterator of chunks: let it yield them")
    first_pass = iter(made)
    try:
        first = next(first_pass)
    except StopIteration:
        raise DataError("the iterator gives no chunk") from None
    given = _chunk(first, schema, None)
    kinds = {name: table.data for name, table in zip(given.names, given.tables or [])}
    layout = given.data.schema()
    waiting: list[Any] = [first_pass]

    def chunks() -> Iterator[Any]:
        parts.parts.clear()
        # The first pass goes on from the chunk that was looked at.
        begun = waiting.pop() if waiting else None
        items = iter(start()) if begun is None else begun
        if begun is not None:
            parts.parts.append(given.index(0))
            yield given.data
        for item in items:
            one = _chunk(item, schema, (layout, kinds))
            parts.parts.append(one.index(0))
            yield one.data

    return Given(_core.stream_data(layout, chunks, again), given.names, parts, given.keyed, given.single)


def _chunk(item: Any, schema: Schema | None, like: tuple[Schema, dict[str, Any]] | None) -> Given:
    """One chunk in memory. Later chunks have the views of the first; those that they lack are absent."""
    if isinstance(item, Given) or callable(item) or is_path(item):
        raise DataError("a chunk is an array, a frame, or a list or dict of them")
    if is_anndata(item) or is_mudata(item):
        item = _parts_of(item, None, None)
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
            data = data[:, [columns.index(feature) for feature in features]]
        if is_sparse(kinds[name]) != is_sparse(data):
            raise DataError(f"view {name!r}: a chunk is sparse and another is not; keep to one")
        views.append((_plain(data.astype(kinds[name].dtype, copy=False)), where))
    return Given(_core.array_data(layout, views, instances, [], None), [view[0] for view in layout], index, keyed, single)


def _on_disk(X: Any) -> bool:
    h5py = loaded("h5py")
    if h5py is None or is_sparse(X):
        return False
    if isinstance(X, Mapping) and not isinstance(X, h5py.Group):
        return bool(X) and all(isinstance(one, h5py.Dataset) for one in X.values())
    if isinstance(X, (list, tuple)):
        return bool(X) and all(isinstance(one, h5py.Dataset) for one in X)
    return isinstance(X, h5py.Dataset)


def _ranges(X: Any) -> Callable[[], Iterator[Any]]:
    """Data sets of HDF5, by ranges of rows."""
    views = list(X.values()) if isinstance(X, Mapping) else list(X) if isinstance(X, (list, tuple)) else [X]
    sizes = {len(view) for view in views}
    if len(sizes) != 1:
        raise DataError(f"the views have different numbers of rows: {sorted(sizes)}")
    size = sizes.pop()

    def chunks() -> Iterator[Any]:
        for at in range(0, size, _RANGE):
            if isinstance(X, Mapping):
                yield {name: view[at:at + _RANGE] for name, view in X.items()}
            elif isinstance(X, (list, tuple)):
                yield [view[at:at + _RANGE] for view in X]
            else:
                yield X[at:at + _RANGE]

    return chunks


def _backed(adata: Any, views: Any, layer: str | None) -> Callable[[], Iterator[Any]]:
    """AnnData on disk, by ranges of rows."""
    if is_mudata(adata):
        raise UsageError("a backed MuData cannot be read by ranges: give the path of its file instead")
    if views is not None and list(views) != ["X"]:
        raise UsageError("of a backed AnnData only X or a layer can be read: load it for its obsm")

    def chunks() -> Iterator[Any]:
        values = adata.X if layer is None else adata.layers[layer]
        for at in range(0, adata.n_obs, _RANGE):
            rows = table_of(values[at:at + _RANGE], "X")
            yield Table(rows.data, adata.obs_names[at:at + _RANGE], [str(name) for name in adata.var_names])

    return chunks
