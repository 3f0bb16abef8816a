"""What data must be like: paths, names and widths that fit the model, rows that can be joined."""

from __future__ import annotations

import os
import re
import warnings
from typing import Any

import numpy as np

from ._table import Table, is_frame, is_sparse, take_columns
from .errors import DataError, OmvcWarning, UsageError

Schema = list[tuple[str, int, "list[str] | None"]]


def is_path(X: Any) -> bool:
    return isinstance(X, (str, os.PathLike))


def path_text(path: Any) -> str:
    """A path as the library takes it."""
    if not is_path(path):
        raise UsageError(f"a path is needed, not {type(path).__name__}")
    text = os.fspath(path)
    text = os.fsdecode(text) if isinstance(text, bytes) else text
    if not text or "\0" in text or not is_text(text):
        raise UsageError(f"{text!r} is no path of a file" + ("" if is_text(text) else ": its name is not UTF-8"))
    return text


def is_text(word: str) -> bool:
    """Whether it can be written: Python's words may hold halves of characters."""
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True


def writable(word: Any) -> str:
    """A word that can be written, whatever it was."""
    return str(word).encode(errors="replace").decode()


def label(name: str, single: bool) -> str:
    return "X" if single else f"view {name!r}"


def check_widths(tables: list[tuple[str, Table]], schema: Schema | None, single: bool) -> None:
    """Views, features and their names are those of the model, where there is one."""
    expected = {view[0]: view for view in schema or []}
    if single and schema is not None and len(schema) > 1:
        raise DataError(f"one view was given, but the model has {len(schema)}: give a list, or a dict by name: "
                        f"{list(expected)}; of one table, set_params(views=...) says which columns are of which view")
    unknown = [name for name, _ in tables if expected and name not in expected]
    if unknown:
        raise DataError(f"the model knows no view {unknown[0]!r}; it has {list(expected)}, any of which may be left out")
    for name, table in tables:
        rows, features = table.shape
        if features == 0:
            raise DataError(f"{label(name, single)}: Found array with 0 feature(s) (shape={table.shape}) while a "
                            "minimum of 1 is required.")
        for word in (name, *(table.features or [])):
            if not is_text(word):
                raise DataError(f"{label(name, single)}: the name {word!r} is no text that can be written")
        if name not in expected:
            continue
        _, wanted, names = expected[name]
        if names is not None and table.features is not None:
            _check_names(label(name, single), names, table.features)
        if (names is None or table.features is None) and features != wanted:
            raise DataError(f"{label(name, single)}: X has {features} features, but Clusterer is expecting {wanted} "
                            "features as input")


def _check_names(view: str, known: list[str], given: list[str]) -> None:
    """Features are matched by name, in whatever order: all of them, and no others."""
    for problem, some in (("the data lack the features", set(known) - set(given)),
                          ("the model knows no features", set(given) - set(known))):
        if some:
            names = [name for name in (*known, *given) if name in some]
            more = f" and {len(names) - 5} more" if len(names) > 5 else ""
            raise DataError(f"{view}: {problem} {names[:5]}{more}; the model has learned {len(known)} features, which "
                            "are matched by name")


def aligned(table: Table, known: list[str] | None, where: str) -> Table:
    """Cells of other experiments: the genes that a model knows, by name. Those that were not measured are missing, and said
    to be; others are left out."""
    given = table.features
    if known is None or given is None or given == known or len(set(given)) < len(given) or len(set(known)) < len(known):
        return table
    at = {name: j for j, name in enumerate(given)}
    lacking = [name for name in known if name not in at]
    if 2 * len(lacking) > len(known):
        raise DataError(f"{where}: {len(lacking)} of the {len(known)} features that the model knows are not in the data, such "
                        f"as {lacking[:3]}, where they are called {given[:3]}: name them alike")
    if lacking:
        warnings.warn(f"{where}: {len(lacking)} of the {len(known)} features that the model knows are not in the data, such as "
                      f"{lacking[:3]}: they are taken as missing", OmvcWarning, stacklevel=2)
    there = [j for j, name in enumerate(known) if name in at]
    rows = take_columns(table.data, [at[known[j]] for j in there])
    if not lacking:
        return Table(rows, table.index, known)
    if is_sparse(rows):
        import scipy.sparse

        missing = scipy.sparse.csr_matrix(np.full((rows.shape[0], len(lacking)), np.nan, rows.dtype))
        order = np.argsort([*there, *(j for j, name in enumerate(known) if name not in at)])
        return Table(take_columns(scipy.sparse.hstack([rows, missing], format="csr"), order), table.index, known)
    out = np.full((rows.shape[0], len(known)), np.nan, rows.dtype)
    out[:, there] = rows
    return Table(out, table.index, known)


def join(tables: list[tuple[str, Table]], known: Any) -> tuple[Any, list[Any]]:
    """The index of all instances, and of each view the instances of its rows (None: all of them, in order)."""
    indexed = [(name, table) for name, table in tables if table.index is not None]
    if not indexed:
        lengths = {name: table.shape[0] for name, table in tables}
        if len(set(lengths.values())) > 1:
            raise DataError(f"the views have different numbers of rows, {lengths}: give each a row for every instance "
                            "(NaN where it is missing), or frames with an index")
        if not next(iter(lengths.values())):
            raise DataError(f"Found array with 0 sample(s) (shape={tables[0][1].shape}) while a minimum of 1 is "
                            "required.")
        return None, [None] * len(tables)
    index = indexed[0][1].index if known is None else known
    if all(index.equals(table.index) for _, table in indexed):
        wrong = {name: table.shape[0] for name, table in tables if table.shape[0] != len(index)}
        if wrong:
            raise DataError(f"{len(index)} instances are in the index, but the views have {wrong} rows")
        return index, [None] * len(tables)
    if len(indexed) != len(tables):
        plain = [name for name, table in tables if table.index is None]
        raise DataError(f"the views differ in their index, and {plain} have none: give them one, too")
    for name, table in indexed:
        if not table.index.is_unique:
            twice = table.index[table.index.duplicated()][0]
            raise DataError(f"view {name!r}: {twice!r} comes twice in the index, so it cannot be joined with the others")
    if known is None:
        _name_default_indexes(indexed)
        _compare_spelling(indexed)
        for _, table in indexed[1:]:
            index = index.append(table.index.difference(index, sort=False))
    return index, [_place(tables, v, name, table, index) for v, (name, table) in enumerate(tables)]


def _plain(value: Any) -> str:
    """An id without case, blanks, dashes, zeros before a number and ".0" behind it: 5, "5", " 05" and 5.0 are one."""
    text = re.sub(r"[\s_\-'\"]", "", str(value)).lower()
    return re.sub(r"^(\D*)0+(?=\d)", r"\1", re.sub(r"(?<=.)\.0$", "", text))


def _name_default_indexes(indexed: list[tuple[str, Table]]) -> None:
    """Frames of different lengths whose index was never set: a number means another instance in each of them."""
    if all(type(table.index).__name__ == "RangeIndex" and table.index.name is None for _, table in indexed):
        warnings.warn("the views have different numbers of rows and the default index of pandas, so they are joined by the numbers "
                      "of their rows; make the column with the ids the index of each (set_index)", OmvcWarning, stacklevel=2)


def _compare_spelling(indexed: list[tuple[str, Table]]) -> None:
    """Names ids that only one view has, and that another writes in another way: joined as they are, they would be
    different instances. Refused where views have nothing in common but these."""
    seen: dict[str, tuple[str, Any]] = {}
    for v, (name, table) in enumerate(indexed):
        alone = table.index
        for w, (_, other) in enumerate(indexed):
            if w != v:
                alone = alone.difference(other.index, sort=False)
        pairs = [(value, seen[_plain(value)]) for value in alone if seen.get(_plain(value), (name,))[0] != name]
        for value in alone:
            seen.setdefault(_plain(value), (name, value))
        if not pairs:
            continue
        examples = " and ".join(f"{value!r} ({type(value).__name__}) here and {spelled!r} ({type(spelled).__name__}) in {other!r}"
                                for value, (other, spelled) in pairs[:2])
        text = (f"{len(pairs)} ids of view {name!r} are in other views in another form, such as {examples}: write them in the "
                "same way to join them")
        if len(alone) == len(table.index):
            raise DataError(text)
        warnings.warn(f"{text}; they are taken for different instances", OmvcWarning, stacklevel=2)


def compare_sets(tables: list[tuple[str, Table]]) -> None:
    """Names views whose instances are others than those of all other views, so that nothing joins them to the rest; refuses
    data in which no instance has two views."""
    indexed = [(name, table) for name, table in tables if table.index is not None]
    apart = []
    for v, (name, table) in enumerate(indexed):
        others = [other.index for w, (_, other) in enumerate(indexed) if w != v]
        if others and len(table.index) and not any(table.index.isin(other).any() for other in others):
            apart.append((name, table.index, others[0]))
    for name, own, other in apart[:1]:
        text = (f"view {name!r} shares no id with the others, such as {', '.join(map(repr, own[:2]))} here and "
                f"{', '.join(map(repr, other[:2]))} there")
        if len(apart) == len(indexed):
            raise DataError(f"{text}: no instance has two views, so nothing joins them; name instances alike")
        warnings.warn(f"{text}: none of its instances has another view", OmvcWarning, stacklevel=2)


def _place(tables: list[tuple[str, Table]], v: int, name: str, table: Table, index: Any) -> Any:
    """The instances of the rows, which must ascend: rows in another order are gathered."""
    where = index.get_indexer(table.index)
    if (where < 0).any():
        raise DataError(f"view {name!r} has {table.index[where < 0][0]!r}, which is no instance of the whole")
    if (np.diff(where) <= 0).any():
        order = np.argsort(where, kind="stable")
        tables[v] = (name, Table(table.data[order], table.index[order], table.features))
        where = where[order]
    return np.ascontiguousarray(where, dtype=np.int64)


def weights(sample_weight: Any) -> Any:
    """How often each instance counts."""
    given = np.asarray(sample_weight)
    if given.ndim != 1 or given.dtype.kind not in "biuf" or not (np.isfinite(given) & (given >= 0)).all():
        raise DataError("sample_weight is a list of numbers from 0 on, one for each instance")
    if (given != np.round(given)).any():
        raise DataError("sample_weight holds fractions: whole numbers are needed, as if an instance came so often; multiply "
                        "and round them")
    return given.astype(np.int64)


def presence(present: Any, instances: int | None, names: list[str], index: Any) -> Any:
    """Bytes of 0 and 1, instances x views."""
    if is_frame(present, "pandas"):
        if index is not None:
            present = present.reindex(index, fill_value=False)
        if set(present.columns) == set(names):
            present = present[names]
    flags = np.asarray(present)
    if instances is None:
        instances = len(flags)
    if flags.shape != (instances, len(names)):
        raise DataError(f"present has the shape {flags.shape}, but there are {instances} instances and "
                        f"{len(names)} views: ({instances}, {len(names)})")
    if flags.dtype != bool and not np.isin(flags, (0, 1)).all():
        raise DataError("present holds values other than true and false (1 and 0)")
    return np.ascontiguousarray(flags.astype(np.uint8)).ravel()
