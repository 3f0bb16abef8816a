"""Views in memory, with their names and the instances of their rows, as the library is lent them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from . import _core, _wide
from ._checks import Schema, aligned, check_widths, compare_sets, join, label, presence
from ._table import Table, View, is_anndata, is_sparse, is_table, table_of
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
        return _core.array_data(self.schema, [(as_lent(rows), where) for rows, where in self.views], self.instances, [],
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


def is_views(X: Any) -> bool:
    """Views already, not one table."""
    return (isinstance(X, Mapping) and not is_sparse(X)) or (not isinstance(X, (Table, View)) and _is_list_of_views(X))


def split_views(X: Any, views: Any, schema: Schema | None) -> Any:
    """The views of one wide table, of which some may be missing where a model has learned them. What is given as views
    already must be those."""
    if views is None:
        return X
    if not is_views(X):
        return _wide.split(X, views, schema is not None)
    names = list(views) if isinstance(views, Mapping) else []
    if not isinstance(X, Mapping) or any(name not in names for name in X):
        raise UsageError(f"views= names columns of one table, and the data are views already: give one table, or a dict "
                         f"of the views {names}" if names else "views= chooses parts of AnnData, MuData and files, and "
                         "columns of one table; the data are views already")
    return X


def in_memory(X: Any, present: Any, schema: Schema | None, whole: bool = True) -> Given:
    """Views as they are given; `whole`: these are all data, not a chunk of them."""
    named, keyed, single = named_views(X, schema)
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
    index, rows = join(tables, getattr(X, "index", None) if isinstance(X, Joined) else None)
    if schema is None and whole:
        compare_sets(tables)
    instances = len(index) if index is not None else tables[0][1].shape[0]
    flags = None if present is None else presence(present, instances, [name for name, _ in named], index)
    if flags is not None and len(named) != len(tables):
        kept = [i for i, (name, _) in enumerate(named) if name in dict(tables)]
        flags = np.ascontiguousarray(flags.reshape(instances, len(named))[:, kept]).ravel()
    # Where rows had to be put into the order of the instances, the tables here are those.
    memory = Memory([(name, table.shape[1], table.features) for name, table in tables],
                    [(table.data, where) for (_, table), where in zip(tables, rows)], instances, flags)
    return Given(memory.data(), [name for name, _ in tables], index, keyed, single, memory)


def named_views(X: Any, schema: Schema | None) -> tuple[list[tuple[str, Any]], bool, bool]:
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


def as_lent(data: Any) -> Any:
    if is_sparse(data):
        return (data.data, data.indices, data.indptr, data.shape[0], data.shape[1])
    return data


def parts_of(X: Any, views: Any, layer: str | None, schema: Schema | None) -> Any:
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
    return Joined(out, X.obs_names)


class Joined(dict):  # type: ignore[type-arg]
    """Views whose instances are known beforehand."""

    def __init__(self, views: Mapping[str, Any], index: Any) -> None:
        super().__init__(views)
        self.index = index


def _entry(adata: Any, key: str, name: str) -> Table:
    if key not in adata.obsm:
        raise UsageError(f"views names {name!r}, but obsm has {list(adata.obsm)}; X is called X")
    table = table_of(adata.obsm[key], name)
    return Table(table.data, adata.obs_names, table.features)
