"""Everything that can be clustered, as data that the library reads: arrays, frames, files, streams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

import numpy as np

from . import _core, _on_disk, _wide
from ._checks import Schema, is_path, path_text, presence
from ._memory import Given, in_memory, is_views, parts_of, split_views
from ._streams import is_reader, stream
from ._table import NoNumbers, is_anndata, is_mudata, is_table, no_numbers
from .errors import UsageError


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
        return stream(blocks, True, present, schema, None if container else views)
    if container and not _wide.selects_columns(views):
        X = parts_of(X, views, layer, schema)
        views = layer = None
    if layer is not None:
        raise UsageError("layer= is for AnnData, MuData and files; give other data as they are")
    if callable(X) and not is_table(X):
        return stream(X, True, present, schema, views)
    if isinstance(X, Iterator) or is_reader(X):
        return stream(lambda: X, False, present, schema, views)
    given = in_memory(split_views(X, views, schema), present, schema)
    given.container = container
    given.wide = _wide.columns_of(X) if views is not None and not is_views(X) else None
    return given


def _files(paths: list[Any], present: Any, views: Any, layer: str | None, files: Mapping[str, Any] | None,
           schema: Schema | None) -> Given:
    options = dict(files or {})
    if any(_on_disk.is_readable(path) for path in paths):
        try:
            return _read_here([path_text(path) for path in paths], present, views, layer, options, schema)
        except NoNumbers as error:
            raise no_numbers(error.name, error.column, f'files={{"id_column": "{error.column}"}}') from error
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
        return stream(starts[names[0]], True, present, schema, views, None if views is not None else names[0])
    if len(starts) < len(paths):
        raise UsageError(f"views are called after their files, and two of these have one name: {names}")
    if files.get("id_column"):
        return in_memory({name: _on_disk.joined(start()) for name, start in starts.items()}, present, schema)
    return stream(_on_disk.side_by_side(starts, dict), True, present, schema, views)
