"""The options of the library, from its one table: the signature of Clusterer, its documentation and its stubs."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

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
                raise UsageError(f"{self.python} = {value!r}: choose one of {', '.join(self.choices)}")
            return value
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


def signature() -> inspect.Signature:
    """Of Clusterer.__init__: the number of clusters first, all others by name."""
    kinds = inspect.Parameter
    given = [kinds("self", kinds.POSITIONAL_OR_KEYWORD)]
    for option in OPTIONS:
        first = option.python == "n_clusters"
        given.append(kinds(option.python, kinds.POSITIONAL_OR_KEYWORD if first else kinds.KEYWORD_ONLY, default=None,
                           annotation=option.annotation()))
    given.append(kinds("verbose", kinds.KEYWORD_ONLY, default=False, annotation="bool"))
    return inspect.Signature(given)


def documentation() -> str:
    """The options as a section of a docstring."""
    lines = ["", "Parameters", "----------"]
    for option in OPTIONS:
        lines.append(f"{option.python} : {option.annotation().replace('Sequence', 'list').replace('Mapping', 'dict')}")
        text = option.help[0].upper() + option.help[1:]
        lines.append(f"    {text}. Default: {option.default}, unless the method has another.")
        if option.methods.count(",") < 8:
            lines.append(f"    Of the methods {option.methods}.")
    lines += ["verbose : bool", "    Show progress (with tqdm where it is installed). Default: False.", ""]
    return "\n".join(lines)


def texts(params: dict[str, Any], views: list[str]) -> dict[str, str]:
    """Those options that are given, as the library reads them."""
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
