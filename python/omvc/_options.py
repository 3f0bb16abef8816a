"""The options of the library, from its one table: the signature of Clusterer, its documentation and its stubs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from . import _core
from .errors import UsageError


class Option(NamedTuple):
    """An option as Python spells it."""

    python: str  # n_clusters, half_life
    name: str  # clusters, half-life: as the command and the library spell it
    help: str
    type: str
    several: bool  # one value, or one per view
    choices: list[str]
    default: str
    methods: str

    def annotation(self) -> str:
        one = "Literal[" + ", ".join(f'"{choice}"' for choice in self.choices) + "]" if self.choices else self.type
        if self.several:
            return f"{one} | Sequence[{one}] | Mapping[str, {one}] | None"
        return f"{one} | None"

    def text(self, value: Any, views: list[str], usual: str) -> str:
        """The value as the library reads it; views that a dict leaves out get the usual one."""
        if isinstance(value, dict):
            if not self.several:
                raise UsageError(f"{self.python} = {value!r}: one value is needed, not one per view")
            unknown = [name for name in value if name not in views]
            if unknown:
                raise UsageError(f"{self.python} names the views {unknown}, but there are {views}")
            return ",".join(self._one(value[view]) if view in value else usual for view in views)
        if isinstance(value, (list, tuple)) or (hasattr(value, "tolist") and getattr(value, "ndim", 0) == 1):
            if not self.several:
                raise UsageError(f"{self.python} = {value!r}: one value is needed, not one per view")
            return ",".join(self._one(item) for item in value)
        return self._one(value)

    def _one(self, value: Any) -> str:
        if self.type == "str":
            if not isinstance(value, str):
                raise UsageError(f"{self.python} = {value!r}: " + (f"choose one of {', '.join(self.choices)}" if self.choices
                                                                   else f"a text is needed, such as {self.default!r}"))
            return value
        if self.type == "bool":
            if not isinstance(value, (bool, np.bool_)):
                raise UsageError(f"{self.python} = {value!r}: True or False is needed")
            return "1" if value else "0"
        if isinstance(value, (str, bytes)) or isinstance(value, bool):
            raise UsageError(f"{self.python} = {value!r}: a number is needed")
        try:
            number = float(value) if self.type == "float" else int(value)
            same = number == value
        except (TypeError, ValueError, OverflowError) as error:
            raise UsageError(f"{self.python} = {value!r}: a number is needed") from error
        if self.type == "int" and not same:
            raise UsageError(f"{self.python} = {value!r}: a whole number is needed")
        return repr(number)


def _python_name(name: str) -> str:
    return "n_clusters" if name == "clusters" else name.replace("-", "_")


OPTIONS = [
    Option(_python_name(row["name"]), row["name"], row["help"], row["type"], row["list"], row["choices"],
           row["default"], row["methods"])
    for row in _core.options_table()
]


class Extra(NamedTuple):
    """An option of the package alone."""

    python: str
    default: Any
    type: str
    help: str

    def annotation(self) -> str:
        return self.type


EXTRAS = [
    Extra("views", None, "Mapping[str, Any] | Sequence[Any] | None",
          "Views as columns of one table: {\"blood\": [\"hb\", \"crp\"], \"scan\": \"scan_*\"}, by names, patterns, numbers "
          "or slices; of AnnData, MuData and files, the names of their parts. Default: what fit is given is one view, or "
          "several as a list or dict."),
    Extra("embedding", True, "bool",
          "Keep `embedding_` after fit. Without it a fit of many rows takes less memory and time."),
    Extra("contamination", None, "float | None",
          "The share of the rows of fit that are outliers, which sets `offset_`. Default: a row is an outlier where its "
          "distance is above 3."),
    Extra("random_state", None, "int | np.random.RandomState | np.random.Generator | None",
          "Another name for seed, as scikit-learn has it."),
    Extra("n_jobs", None, "int | None", "Another name for threads, as scikit-learn has it: -1 are all cores."),
    Extra("verbose", False, "bool", "Show progress (with tqdm where it is installed)."),
]


def signature() -> inspect.Signature:
    """Of Clusterer.__init__: the number of clusters first, all others by name."""
    kinds = inspect.Parameter
    given = [kinds("self", kinds.POSITIONAL_OR_KEYWORD)]
    for option in OPTIONS:
        first = option.python == "n_clusters"
        given.append(kinds(option.python, kinds.POSITIONAL_OR_KEYWORD if first else kinds.KEYWORD_ONLY, default=None,
                           annotation=option.annotation()))
    for extra in EXTRAS:
        given.append(kinds(extra.python, kinds.KEYWORD_ONLY, default=extra.default, annotation=extra.annotation()))
    return inspect.Signature(given)


def documentation(indent: str) -> str:
    """The options as a section of a docstring."""
    lines = ["Parameters", "----------"]
    for option in OPTIONS:
        lines.append(f"{option.python} : {option.annotation().replace('Sequence', 'list').replace('Mapping', 'dict')}")
        text = option.help[0].upper() + option.help[1:]
        lines.append(f"    {text}. Default: {option.default}, unless the method has another.")
        if option.methods.count(",") < 8:
            lines.append(f"    Of the methods {option.methods}.")
    for extra in EXTRAS:
        lines += [f"{extra.python} : {extra.annotation()}", f"    {extra.help}"]
    return "".join(f"{indent}{line}\n" for line in lines) + "\n"


def texts(params: dict[str, Any], views: list[str]) -> dict[str, str]:
    """Those options that are given, as the library reads them."""
    params = {**params, **_other_names(params)}
    out: dict[str, str] = {}
    usual: dict[str, str] = {}
    for option in sorted(OPTIONS, key=lambda one: one.name != "method"):
        value = params[option.python]
        if value is None:
            continue
        if isinstance(value, dict) and not usual:
            usual = defaults(out.get("method", "omvc"))
        out[option.name] = option.text(value, views, usual.get(option.name, option.default).split(",")[0])
    return out


def _other_names(params: dict[str, Any]) -> dict[str, Any]:
    """Seed and threads from what scikit-learn calls them."""
    out: dict[str, Any] = {}
    for name, theirs, read in (("seed", "random_state", _seed), ("threads", "n_jobs", _threads)):
        value = params.get(theirs)
        if value is None:
            continue
        if params[name] is not None:
            raise UsageError(f"{theirs} is another name for {name}: give one of them")
        out[name] = read(value)
    return out


def _seed(value: Any) -> int:
    if hasattr(value, "integers"):  # a Generator of NumPy
        return int(value.integers(2**31))
    return int(value.randint(2**31 - 1)) if hasattr(value, "randint") else whole("random_state", value, 0, 2**63)


def _threads(value: Any) -> int:
    number = whole("n_jobs", value, -1)
    if number == 0:
        raise UsageError("n_jobs = 0: give a number of threads, or -1 for all cores")
    return max(number, 0)


def threads(params: dict[str, Any]) -> int | None:
    """How many threads were asked for, by either name."""
    value = _threads(params["n_jobs"]) if params["n_jobs"] is not None else params["threads"]
    return None if value is None else whole("threads", value, 0)


_READ: dict[str, Callable[[str], Any]] = {"str": str, "float": float, "int": int, "bool": lambda text: text in ("1", "true")}


def given(texts: dict[str, str]) -> dict[str, Any]:
    """The options of a stored model that are not at their defaults."""
    out: dict[str, Any] = {}
    usual = defaults(texts["method"])
    for option in OPTIONS:
        text = texts[option.name]
        if text == usual[option.name] and option.name not in ("method", "clusters"):
            continue
        if (option.name, text) in (("method", "omvc"), ("clusters", "0")):
            continue
        values = [_READ[option.type](one) for one in text.split(",")]
        out[option.python] = values if len(values) > 1 else values[0]
    return out


def defaults(method: str) -> dict[str, str]:
    """All options of a method as they are where nobody gives them."""
    return _core.Model({"method": method, "clusters": "2"}).options()


def whole(name: str, value: Any, low: int, high: int = 1 << 20) -> int:
    """A whole number that a user gave for `name`."""
    try:
        number = int(value)
        fits = not isinstance(value, (bool, str, bytes)) and number == value
    except (TypeError, ValueError, OverflowError):
        number, fits = 0, False
    if not fits:
        raise UsageError(f"{name} = {value!r}: a whole number is needed")
    if not low <= number <= high:
        raise UsageError(f"{name} = {number} is outside {low} .. {high}")
    return number
