"""What omvc raises: subclasses of ValueError, OSError and so on, with the message of the library."""

from __future__ import annotations

import re
import sys


class Error(Exception):
    """Everything that omvc raises by itself."""


class UsageError(Error, ValueError):
    """An option, or a combination of options, that cannot work."""


class DataError(Error, ValueError):
    """The data cannot be used as they are."""


class FileError(Error, OSError):
    """A file cannot be read or written."""


class NumericalError(Error, ArithmeticError):
    """The computation broke down."""


class NotFittedError(UsageError, AttributeError):
    """The model has learned nothing yet."""


class OmvcWarning(UserWarning):
    """What a user should know about a result."""


def not_fitted(message: str) -> Exception:
    """A NotFittedError, which is scikit-learn's, too, where that is in use."""
    theirs = sys.modules.get("sklearn.exceptions")
    if theirs is None:
        return NotFittedError(message)
    both = type("NotFittedError", (NotFittedError, theirs.NotFittedError), {"__module__": __name__})
    return both(message)


# Options of files, which are given in a dict.
_OF_FILES = {"columns", "decimal", "drop", "header", "id-column", "layer", "missing-values", "separator", "transpose"}
_ASIDE = re.compile(r" \(--(?:columns|drop)\)")  # of columns that may be in no file
_OPTION = re.compile(r"--([a-z]+(?:-[a-z]+)*)(?: (?!(?:and|do|if|or|to|with)\b)([^\s,;:()]*[^\s,;:().]))?")


def in_python_words(text: str) -> str:
    """A message of the library with options as Python has them: memory=5 for --memory 5."""

    def said(found: re.Match[str]) -> str:
        name, value = found[1].replace("-", "_"), found[2]
        if value is not None and not re.fullmatch(r"[\d.]+(?:e[+-]?\d+)?", value):
            value = f'"{value}"'
        if found[1] in _OF_FILES:
            return f'files={{"{name}": {value or "..."}}}'
        name = "n_clusters" if name == "clusters" else name
        return f"{name}={value}" if value is not None else name

    return _OPTION.sub(said, _ASIDE.sub("", text))
