"""One view as arrays: whatever holds a table becomes a NumPy array or a CSR matrix, without a copy where it can be."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .errors import DataError


class NoNumbers(DataError):
    """A column of polars or Arrow that is no feature."""

    def __init__(self, text: str, name: str = "", column: str = "") -> None:
        super().__init__(text)
        self.name, self.column = name, column


def no_numbers(name: str, column: str, ids: str = "omvc.View(the other columns, index=ids)") -> NoNumbers:
    """`ids`: how to give the column where it is no feature, but names the rows."""
    return NoNumbers(f"{name}: the column {column!r} holds no numbers; leave it out, or if it holds ids, give {ids}", name, column)


class Table(NamedTuple):
    """A view: rows, and what is known of them."""

    data: Any  # a 2-D array of float32 or float64, or a CSR matrix of SciPy; None: nobody is present
    index: Any = None  # of pandas, one label per row; None: rows are known by their place
    features: list[str] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        return (0, 0) if self.data is None else self.data.shape


class View(NamedTuple):
    """A view with names: for arrays and sparse matrices, which have none of their own.

    >>> omvc.View(counts, features=words, index=documents)
    """

    data: Any
    features: Sequence[str] | None = None
    index: Any = None  # one label per row: views are joined by it, and results have it


def loaded(name: str) -> Any:
    """A module that the caller has imported; whoever holds its objects has."""
    return sys.modules.get(name)


def is_sparse(data: Any) -> bool:
    return hasattr(data, "tocsr") and hasattr(data, "nnz")


def take_columns(rows: Any, columns: Any) -> Any:
    """Columns of an array or a sparse matrix, in this order; of sparse rows, entries in the order that they have now."""
    out = rows[:, columns]
    if is_sparse(out):
        out.sort_indices()
    return out


def is_frame(data: Any, module: str) -> bool:
    library = loaded(module)
    return library is not None and isinstance(data, library.DataFrame)


def is_anndata(data: Any) -> bool:
    library = loaded("anndata")
    return library is not None and isinstance(data, library.AnnData)


def is_mudata(data: Any) -> bool:
    library = loaded("mudata")
    return library is not None and isinstance(data, library.MuData)


def is_arrow(data: Any) -> bool:
    return hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")


def is_table(data: Any) -> bool:
    return isinstance(data, (np.ndarray, View)) or is_sparse(data) or is_arrow(data) or is_anndata(data) \
        or is_frame(data, "pandas") or hasattr(data, "__array__")


def table_of(data: Any, name: str, layer: str | None = None) -> Table:
    """Reads a view. `name` is for messages."""
    if data is None:
        return Table(None)
    if isinstance(data, View):
        return _named_view(data, name, layer)
    if is_anndata(data):
        if layer is not None and layer not in data.layers:
            raise DataError(f"{name}: there is no layer {layer!r}; there are {list(data.layers)}")
        values = data.X if layer is None else data.layers[layer]
        if values is None:
            raise DataError(f"{name}: the AnnData has no X; name a layer")
        return Table(_matrix(values, name), data.obs_names, [str(feature) for feature in data.var_names])
    if is_frame(data, "pandas"):
        return Table(_frame_values(data, name), data.index, _names(data.columns))
    if is_frame(data, "polars"):
        return Table(_columns(data, data.columns, name), None, _names(data.columns))
    if is_sparse(data):
        return Table(_matrix(data, name))
    if is_arrow(data) and not isinstance(data, np.ndarray):
        table = arrow_table(data, name)
        return Table(_columns(table, table.column_names, name), None, _names(table.column_names))
    return Table(_matrix(_rows(data), name))


def _named_view(view: View, name: str, layer: str | None) -> Table:
    table = table_of(view.data, name, layer)
    features, index = table.features, table.index
    if view.features is not None:
        features = [str(feature) for feature in view.features]
        if len(features) != table.shape[1]:
            raise DataError(f"{name}: {len(features)} names were given for {table.shape[1]} features")
    if view.index is not None:
        import pandas

        index = view.index if isinstance(view.index, pandas.Index) else pandas.Index(list(view.index))
        if len(index) != table.shape[0]:
            raise DataError(f"{name}: the index has {len(index)} labels for {table.shape[0]} rows")
    return Table(table.data, index, features)


def _names(columns: Any) -> list[str] | None:
    """Names of features: those of a frame whose columns are words. Plain numbers are no names."""
    names = list(columns)
    return names if all(isinstance(name, str) for name in names) else None


def _rows(data: Any) -> Any:
    """A list of rows, where None is a row that is missing."""
    if not isinstance(data, (list, tuple)) or not any(row is None for row in data):
        return data
    known = [row for row in data if row is not None]
    if not known:
        raise DataError("a view has no row that is present; give None in the place of the whole view")
    return [np.full(len(known[0]), np.nan) if row is None else row for row in data]


_ON_HOST = (1, 3, 11)  # DLPack's numbers for plain memory of the host, pinned for CUDA and for ROCm


def _on_host(values: Any) -> Any:
    """An array that lies on a card, copied to the host: there it is checked, scaled and sampled. Arrays of CuPy, plain and
    sparse, have get(), tensors of PyTorch have cpu()."""
    if hasattr(values, "detach"):
        values = values.detach()  # from the graph of its gradients, which nobody asks for here
    where = getattr(values, "__dlpack_device__", None)
    if where is not None and where()[0] not in _ON_HOST or type(values).__module__.startswith("cupyx."):
        return values.get() if hasattr(values, "get") else values.cpu() if hasattr(values, "cpu") else values
    return values


def _matrix(values: Any, name: str) -> Any:
    values = _on_host(values)
    if is_sparse(values):
        return _csr(values, name)
    if hasattr(values, "to_memory"):  # a matrix on disk, of a backed AnnData
        return _matrix(values.to_memory(), name)
    if isinstance(values, np.ma.MaskedArray):  # what is masked is missing
        values = np.ma.filled(values.astype(values.dtype if values.dtype.kind == "f" else np.float64), np.nan)
    array = values if isinstance(values, np.ndarray) else np.asarray(values)
    if array.dtype.kind == "c":
        raise DataError(f"Complex data not supported\n{name}: give its real and imaginary parts as features")
    if array.dtype.kind in "USMmV":
        try:
            array = array.astype(np.float64) if array.dtype.kind in "US" else None
        except ValueError:
            array = None
        if array is None:
            raise DataError(f"{name}: its values are {values.dtype if hasattr(values, 'dtype') else 'text'}, "
                            "not numbers; turn categories into columns of 0 and 1 first")
    if array.dtype not in (np.float32, np.float64) or not array.dtype.isnative:
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{name}: {error}; every value must be a number") from error
    if array.ndim != 2:
        if array.ndim < 2:
            raise DataError(f"{name}: Expected 2D array, got {array.ndim}D array instead; Reshape your data: a row an "
                            "instance, a column a feature, so array.reshape(-1, 1) for a single feature or "
                            "array.reshape(1, -1) for a single sample")
        raise DataError(f"{name}: Found array with dim {array.ndim}, while dim <= 2 is required: a row an instance, a "
                        "column a feature")
    if any(step % array.itemsize for step in array.strides) or (array.base is not None and not array.flags.aligned):
        array = np.ascontiguousarray(array)
    return array


def _csr(values: Any, name: str) -> Any:
    if values.dtype.kind == "c":
        raise DataError(f"Complex data not supported\n{name}: give its real and imaginary parts as features")
    if len(values.shape) != 2:
        raise DataError(f"{name}: Expected 2D array, got {len(values.shape)}D array instead: Reshape your data")
    matrix = values.tocsr()
    own = matrix is not values
    if matrix.dtype not in (np.float32, np.float64):
        matrix, own = matrix.astype(np.float64), True
    # Indices that nobody has checked may point anywhere; SciPy trusts them, too.
    if len(matrix.indptr) != matrix.shape[0] + 1 or matrix.indptr[0] != 0 or np.any(np.diff(matrix.indptr) < 0) \
            or matrix.indptr[-1] > len(matrix.indices) or len(matrix.indices) != len(matrix.data):
        raise DataError(f"{name}: the offsets of the sparse matrix make no sense")
    if len(matrix.indices) and (matrix.indices.min() < 0 or matrix.indices.max() >= matrix.shape[1]):
        raise DataError(f"{name}: the sparse matrix has column numbers outside 0 .. {matrix.shape[1] - 1}")
    if not matrix.has_canonical_format:
        if not own:
            matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def _frame_values(frame: Any, name: str) -> Any:
    kinds = [getattr(kind, "kind", "O") for kind in frame.dtypes]
    bad = [str(column) for column, kind in zip(frame.columns, kinds) if kind not in "fiubO"]
    if bad:
        raise DataError(f"{name}: the columns {bad[:5]} hold no numbers; leave them out, make ids the index "
                        "(set_index), or turn categories into columns of 0 and 1 (pandas.get_dummies)")
    if kinds and all(isinstance(kind, np.dtype) and kind == np.float32 for kind in frame.dtypes):
        return _matrix(frame.to_numpy(dtype=np.float32), name)
    try:
        values = frame.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError) as error:
        bad = [str(column) for column, kind in zip(frame.columns, kinds) if kind == "O"]
        raise DataError(f"{name}: the columns {bad[:5]} hold no numbers ({error}); leave them out, make ids the index "
                        "(set_index), or turn categories into columns of 0 and 1 (pandas.get_dummies)") from error
    return _matrix(values, name)


def arrow_table(data: Any, name: str) -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError(f"{name}: reading {type(data).__name__} needs pyarrow: pip install pyarrow") from error
    if isinstance(data, (pyarrow.Table, pyarrow.RecordBatch)):
        return data if isinstance(data, pyarrow.Table) else pyarrow.Table.from_batches([data])
    if hasattr(data, "__arrow_c_stream__"):
        return pyarrow.RecordBatchReader.from_stream(data).read_all()
    return pyarrow.Table.from_batches([pyarrow.record_batch(data)])


def _columns(table: Any, names: list[str], name: str) -> Any:
    """Columns of polars or Arrow side by side, in single precision where all of them are; null is NaN."""
    columns = []
    for column in names:
        values = table[column]
        try:
            # Arrow has nulls in integers and in floating point alike: both become NaN.
            array = values.to_numpy()
            if array.dtype.kind not in "fiub":
                array = np.array([np.nan if one is None else one for one in values.to_pylist()]
                                 if hasattr(values, "to_pylist") else values.to_list(), dtype=np.float64)
        except (TypeError, ValueError, AttributeError) as error:
            raise no_numbers(name, column) from error
        columns.append(array)
    if not columns:
        return np.empty((len(table), 0))
    single = all(column.dtype == np.float32 for column in columns)
    out = np.empty((len(columns[0]), len(columns)), np.float32 if single else np.float64)
    for j, column in enumerate(columns):
        out[:, j] = column
    return out
