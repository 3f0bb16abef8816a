"""Views as columns of one table: by name, pattern, number or slice."""

from __future__ import annotations

import difflib
import fnmatch
from collections.abc import Mapping
from typing import Any

import numpy as np

from ._table import Table, View, arrow_table, is_anndata, is_arrow, is_frame, is_sparse, take_columns
from .errors import UsageError


def selects_columns(views: Any) -> bool:
    """Whether `views` chooses columns of a table: a dict, or a list of more than words."""
    if isinstance(views, Mapping):
        return True
    return isinstance(views, (list, tuple)) and any(not isinstance(one, str) for one in views)


def selectors(views: Any) -> dict[str, Any]:
    """What chooses the columns of each view, by the name of the view."""
    if not isinstance(views, Mapping):
        views = {f"view{v + 1}": one for v, one in enumerate(views)}
    return {str(view): columns for view, columns in views.items()}


def columns_of(X: Any) -> tuple[int, list[str] | None]:
    """How many columns a table has, and their names where they have any."""
    if isinstance(X, View):
        width, names = columns_of(X.data)
        return width, names if X.features is None else [str(name) for name in X.features]
    if is_anndata(X):
        return X.n_vars, [str(name) for name in X.var_names]
    if isinstance(X, Table):
        return X.shape[1], X.features
    if is_frame(X, "pandas") or is_frame(X, "polars"):
        return len(X.columns), [name if isinstance(name, str) else str(name) for name in X.columns]
    if hasattr(X, "column_names"):
        return len(X.column_names), list(X.column_names)
    shape = X.shape if hasattr(X, "shape") else np.shape(X)
    if len(shape) != 2:
        raise UsageError(f"views= names columns of a table, and the data have {len(shape)} dimensions")
    return int(shape[1]), None


def split(X: Any, views: Any, may_lack: bool = False) -> dict[str, Any]:
    """The views of a wide table, each with its columns alone. Columns that no view names are left out. `may_lack`: a view of
    which no column is there is missing, as long as another one is there."""
    if not views:
        raise UsageError("views= names no view")
    if is_arrow(X) and not hasattr(X, "shape") and not hasattr(X, "column_names"):
        X = arrow_table(X, "the table")
    elif isinstance(X, (list, tuple)) and not isinstance(X, (View, Table)):  # these are tuples, too
        X = np.asarray(X)
    width, names = columns_of(X)
    wanted = selectors(views)
    if may_lack and names is not None:
        wanted = {view: columns for view, columns in wanted.items() if not _is_absent(columns, names)} or wanted
    return {view: _part(X, chosen(view, columns, names, width)) for view, columns in wanted.items()}


def _is_absent(columns: Any, names: list[str]) -> bool:
    """Whether all columns of a view are named, and none of these is there."""
    if _is_mask(columns):
        return False
    words = [end for one in _several(columns) for end in ((one.start, one.stop) if isinstance(one, slice) else (one,))
             if not (isinstance(one, slice) and end is None)]
    return bool(words) and all(isinstance(word, str) and not fitting(word, names) for word in words)


def chosen(view: str, columns: Any, names: list[str] | None, width: int) -> list[int]:
    """The numbers of the columns of one view, each once, in the order in which they are named."""
    if isinstance(columns, np.ndarray) and columns.dtype == bool or _is_mask(columns):
        if len(columns) != width:
            raise UsageError(f"views: {view!r} has {len(columns)} flags for {width} columns")
        return [int(j) for j in np.flatnonzero(np.asarray(columns))]
    out: dict[int, None] = {}
    for one in _several(columns):
        out.update(dict.fromkeys(_matching(view, one, names, width)))
    if not out:
        raise UsageError(f"views: {view!r} names no column")
    return list(out)


def words_of(columns: Any) -> list[str]:
    """The names and patterns of a view, for rows that come one at a time: the number of a column is its name there. Flags,
    slices and numbers from the end mean nothing without a table."""
    return [] if _is_mask(columns) else [str(one) for one in _several(columns) if isinstance(one, str) or _is_place(one)]


def _several(columns: Any) -> Any:
    return columns if not isinstance(columns, (str, slice)) and hasattr(columns, "__iter__") else [columns]


def _is_place(one: Any) -> bool:
    return isinstance(one, (int, np.integer)) and not isinstance(one, (bool, np.bool_)) and int(one) >= 0


def _is_mask(columns: Any) -> bool:
    return isinstance(columns, (list, tuple)) and bool(columns) and all(isinstance(one, (bool, np.bool_)) for one in columns)


def _matching(view: str, one: Any, names: list[str] | None, width: int) -> list[int]:
    if isinstance(one, str):
        return _by_name(view, one, names)
    if isinstance(one, slice):
        first = _by_name(view, one.start, names)[0] if isinstance(one.start, str) else one.start
        # Names include the last one, as pandas has it.
        end = _by_name(view, one.stop, names)[0] + 1 if isinstance(one.stop, str) else one.stop
        return list(range(*slice(first, end, one.step).indices(width)))
    if isinstance(one, (int, np.integer)) and not isinstance(one, bool):
        if not -width <= one < width:
            raise UsageError(f"views: {view!r} names column {one}, but there are {width}")
        return [int(one) % width]
    raise UsageError(f"views: {view!r} names {one!r}: columns are names, patterns such as 'scan_*', numbers or slices")


def fitting(word: str, names: list[str]) -> list[int]:
    """The numbers of the names that a word means: those that are the word, otherwise those that fit the pattern."""
    return [j for j, name in enumerate(names) if name == word] or \
        [j for j, name in enumerate(names) if fnmatch.fnmatchcase(name, word)]


def _by_name(view: str, word: str, names: list[str] | None) -> list[int]:
    if names is None:
        raise UsageError(f"views: {view!r} names {word!r}, but the columns of these data have no names: give a frame, or "
                         "numbers and slices")
    found = fitting(word, names)
    if not found:
        near = difflib.get_close_matches(word, names, 3) or names[:5]
        raise UsageError(f"views: {view!r} names {word!r}, which no column matches; there are {near}"
                         + (f" and {len(names) - len(near)} more" if len(names) > len(near) else ""))
    return found


def _part(X: Any, columns: list[int]) -> Any:
    """These columns of a table; a run of neighbours is not copied."""
    if isinstance(X, View):
        features = None if X.features is None else [str(X.features[j]) for j in columns]
        return View(_part(X.data, columns), features, X.index)
    if isinstance(X, Table):
        return Table(_part(X.data, columns), X.index, None if X.features is None else [X.features[j] for j in columns])
    if is_frame(X, "pandas"):
        return X.iloc[:, columns]
    if is_frame(X, "polars") or hasattr(X, "column_names"):
        every = X.columns if is_frame(X, "polars") else X.column_names
        return X.select([every[j] for j in columns])
    run = columns == list(range(columns[0], columns[0] + len(columns)))
    rows = X.tocsr() if is_sparse(X) else X if is_anndata(X) else np.asarray(X)
    return rows[:, columns[0]:columns[0] + len(columns)] if run else rows[:, columns] if is_anndata(X) \
        else take_columns(rows, columns)
