"""Data that are read by ranges of rows, as often as is useful: HDF5, Zarr, Parquet and Arrow files, datasets of Arrow,
LazyFrames of polars, relations of DuckDB, AnnData on disk."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ._checks import is_path
from ._table import Table, View, is_anndata, is_mudata, is_sparse, loaded, table_of
from .errors import DataError, FileError, UsageError

ROWS = 4096  # at a time
_FORMATS = {".parquet": "parquet", ".pq": "parquet", ".arrow": "ipc", ".ipc": "ipc", ".feather": "feather"}

Start = Callable[[], Iterable[Any]]  # makes an iterator of blocks of ROWS rows, the last one of fewer


def is_readable(path: Any) -> bool:
    """A path that is read here; the library reads all others."""
    suffix = Path(os.fsdecode(path)).suffix.lower()
    return suffix in _FORMATS or suffix == ".zarr"


def blocks_of(X: Any, layer: str | None = None) -> Start | None:
    """How to read X by ranges of rows, or None where it is nothing like that."""
    if isinstance(X, Mapping) and not _is_group(X) and not is_sparse(X):
        parts = {name: blocks_of(one) for name, one in X.items()}
        return side_by_side(parts, dict) if parts and all(parts.values()) else None
    if isinstance(X, (list, tuple)):
        several = {v: blocks_of(one) for v, one in enumerate(X)}
        return side_by_side(several, lambda found: list(found.values())) if several and all(several.values()) else None
    if is_path(X):
        return None
    if (is_anndata(X) or is_mudata(X)) and getattr(X, "isbacked", False):
        return _backed(X, layer)
    if _is_group(X):
        return _stored_anndata(X, layer) if _is_stored_anndata(X) else None
    if _is(X, "h5py", "Dataset") or _is(X, "zarr", "Array"):
        return _ranges(X)
    if _is(X, "polars", "LazyFrame"):
        return lambda: _even(frame.to_arrow() for frame in X.collect_batches(chunk_size=ROWS, maintain_order=True))
    if _is(X, "duckdb", "DuckDBPyRelation"):
        return lambda: _even(X.select("*").fetch_record_batch(ROWS))
    if _is(X, "pyarrow.dataset", "Dataset"):
        return lambda: _even(X.to_batches())
    if _is(X, "pyarrow.parquet", "ParquetFile"):
        return lambda: _even(X.iter_batches(ROWS))
    return None


def blocks_of_path(path: str, files: Mapping[str, Any], layer: str | None) -> Start:
    """A file of Parquet or Arrow, a folder of such files, or a store of Zarr."""
    if not os.path.exists(path):
        raise FileError(f"{path}: there is no such file")
    if path.lower().endswith(".zarr"):
        zarr = _imported("zarr", path)
        return blocks_of(zarr.open(path, mode="r"), layer) or _refuse(path)
    strange = sorted(set(files) - {"id_column", "columns", "drop"})
    if strange:
        raise UsageError(f"files: {strange[0]} is for text; of {path} id_column, columns and drop can be given")
    arrow = _imported("pyarrow.dataset", path)
    try:
        data = arrow.dataset(path, format=_FORMATS[Path(path).suffix.lower()])
    except (OSError, ValueError) as error:
        raise FileError(f"{path}: {error}") from error
    ids, drop = files.get("id_column"), set(files.get("drop", ()))
    columns = [name for name in files.get("columns") or data.schema.names if name not in drop]
    lacking = [name for name in (*columns, *drop, *([ids] if ids else [])) if name not in data.schema.names]
    if lacking:
        raise DataError(f"{path}: there is no column {lacking[0]!r}; there are {data.schema.names[:10]}")
    if ids is None:
        return lambda: _even(data.to_batches(columns=columns))
    wanted = [name for name in columns if name != ids]
    return lambda: (View(block.select(wanted), index=block[ids].to_pylist())
                    for block in _even(data.to_batches(columns=[*wanted, ids])))


def _refuse(path: str) -> Any:
    raise DataError(f"{path}: a store of Zarr is read where it is an array or an AnnData; open it, and give its arrays")


def _imported(name: str, path: str) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise ImportError(f"{path}: reading it needs {package}: pip install {package}") from error


def _is(X: Any, module: str, name: str) -> bool:
    library = loaded(module)
    return library is not None and isinstance(X, getattr(library, name, ()))


def _is_group(X: Any) -> bool:
    return _is(X, "h5py", "Group") or _is(X, "zarr", "Group")


def side_by_side(parts: dict[Any, Any], made: Callable[[dict[Any, Any]], Any]) -> Start:
    def blocks() -> Iterator[Any]:
        for found in itertools.zip_longest(*(start() for start in parts.values())):
            sizes = {name: 0 if one is None else _length(one) for name, one in zip(parts, found)}
            if len(set(sizes.values())) > 1:
                raise DataError(f"the views have different numbers of rows: of the same {ROWS}, they have {sizes}")
            yield made(dict(zip(parts, found)))

    return blocks


def joined(blocks: Iterable[Any]) -> View:
    """All blocks of a file with ids as one."""
    import pyarrow

    found = list(blocks)
    return View(pyarrow.concat_tables([block.data for block in found]), index=[one for block in found for one in block.index])


def _length(block: Any) -> int:
    block = block.data if isinstance(block, (View, Table)) else block
    return int(block.num_rows) if hasattr(block, "num_rows") else int(block.shape[0])


def _ranges(X: Any) -> Start:
    return lambda: (X[at:at + ROWS] for at in range(0, X.shape[0], ROWS))


def _even(batches: Iterable[Any]) -> Iterator[Any]:
    """Tables of ROWS rows each, from batches or tables of any size."""
    import pyarrow

    waiting: list[Any] = []
    count = 0
    for batch in batches:
        waiting.append(pyarrow.Table.from_batches([batch]) if isinstance(batch, pyarrow.RecordBatch) else batch)
        count += batch.num_rows
        while count >= ROWS:
            table = pyarrow.concat_tables(waiting)
            yield table.slice(0, ROWS)
            waiting, count = [table.slice(ROWS)], count - ROWS
    if count:
        yield pyarrow.concat_tables(waiting)


def _backed(adata: Any, layer: str | None) -> Start:
    """AnnData on disk."""
    if is_mudata(adata):
        raise UsageError("a backed MuData cannot be read by ranges: give the path of its file instead")
    names = [str(name) for name in adata.var_names]

    def blocks() -> Iterator[Any]:
        values = adata.X if layer is None else adata.layers[layer]
        for at in range(0, adata.n_obs, ROWS):
            yield Table(table_of(values[at:at + ROWS], "X").data, adata.obs_names[at:at + ROWS], names)

    return blocks


def _is_stored_anndata(group: Any) -> bool:
    return bool(group.attrs.get("encoding-type") == "anndata")


def _stored_anndata(group: Any, layer: str | None) -> Start:
    """AnnData in a store of Zarr or a group of HDF5, without reading it whole."""
    from anndata.io import read_elem, sparse_dataset

    if layer is not None and layer not in group.get("layers", {}):
        raise DataError(f"there is no layer {layer!r} in {group.name}")
    stored = group["X"] if layer is None else group["layers"][layer]
    values = stored if hasattr(stored, "shape") else sparse_dataset(stored)
    cells, genes = read_elem(group["obs"]).index, [str(name) for name in read_elem(group["var"]).index]

    def blocks() -> Iterator[Any]:
        for at in range(0, len(cells), ROWS):
            yield Table(table_of(values[at:at + ROWS], "X").data, cells[at:at + ROWS], genes)

    return blocks
