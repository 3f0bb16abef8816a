"""What omvc raises: subclasses of ValueError, OSError and so on, with the message of the library."""

from __future__ import annotations

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
