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


class NotThereError(UsageError, AttributeError):
    """A property that this model has none of, so that hasattr is False."""


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
_LISTS = {"columns", "drop", "missing-values"}
_ASIDE = re.compile(r" \(--(?:columns|drop)(?: [^()]*)?\)")  # of columns that may be in no file
_WORD = r"(?!(?:and|do|if|or|to|with)\b)(?:'[^']*'|[^\s,;:()']*[^\s,;:().'])"
_OPTION = re.compile(
    rf"--(?:({'|'.join(sorted(_LISTS))}) ({_WORD}(?:,{_WORD})*)|([a-z]+(?:-[a-z]+)*)(?: ({_WORD}))?)")


def in_python_words(text: str) -> str:
    """A message of the library with options as Python has them: memory=5 for --memory 5."""

    def said(found: re.Match[str]) -> str:
        option, value = found[1] or found[3], found[2] or found[4]
        name = option.replace("-", "_")
        if found[1]:
            words = [one for part in re.findall(r"'[^']*'|[^,]+", value) for one in part.strip("'").split(",")]
            return f'files={{"{name}": [{", ".join(f"{chr(34)}{one}{chr(34)}" for one in words)}]}}'
        value = value and value.strip("'")
        if value is not None and not re.fullmatch(r"[\d.]+(?:e[+-]?\d+)?", value):
            value = f'"{value}"'
        if option in _OF_FILES:
            return f'files={{"{name}": {value or "..."}}}'
        name = "n_clusters" if name == "clusters" else name
        return f"{name}={value}" if value is not None else name

    return _OPTION.sub(said, _ASIDE.sub("", text))
