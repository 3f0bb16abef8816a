"""Tells the library how an HDF5 file is tried before it is opened: by another interpreter, which loads the module of C++ and
nothing else, neither this package nor NumPy."""

from __future__ import annotations

import os
import sys

from . import _core

# A module in the working folder may have come with the data, so that folder is not looked into. The interpreter ends at once:
# what a damaged file leaves behind cannot be tidied up.
_PROGRAM = """
import sys
sys.path[:] = [folder for folder in sys.path if folder]
import os
from importlib.machinery import ExtensionFileLoader, ModuleSpec
loader = ExtensionFileLoader("_core", sys.argv[1])
core = loader.create_module(ModuleSpec("_core", loader, origin=sys.argv[1]))
loader.exec_module(core)
os._exit(core.answer_trial([os.fsencode(word) for word in sys.argv[2:]]))
"""


def _interpreter() -> str | None:
    """A program that is Python: where Python is a part of another program, sys.executable is empty or names that."""
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    for program in (sys.executable, os.path.join(sys.base_exec_prefix, "bin", version)):
        if program and "python" in os.path.basename(program).lower() and os.access(program, os.X_OK):
            return program
    return None


def command() -> list[str]:
    """The words that start a trial; none where no program is known, and the library looks for the command `omvc` then."""
    interpreter = _interpreter()
    if interpreter is not None and _core.__file__ is not None:
        # Nothing that users have installed or set is needed, but an interpreter that was moved needs its home.
        moved = bool(os.environ.get("PYTHONHOME")) and not sys.flags.ignore_environment
        return [interpreter, *(["-s"] if moved else ["-I"]), "-S", "-c", _PROGRAM, os.path.abspath(_core.__file__)]
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "omvc")
    return [program] if os.access(program, os.X_OK) else []


_core.set_trial_command(command())
