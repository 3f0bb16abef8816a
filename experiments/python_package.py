"""Experiments with the Python package run in the environment of its tests (build/venv-python, made by `make test`)."""

import importlib.util
import os
import sys
from pathlib import Path

BUILD = Path(__file__).resolve().parent.parent / "build"


def enter(*modules):
    """Goes on in the environment of the tests where this one lacks some module."""
    lacking = [name for name in modules if importlib.util.find_spec(name) is None]
    if not lacking:
        return
    python, package = BUILD / "venv-python" / "bin" / "python", BUILD / "python" / "package"
    if os.environ.get("OMVC_ENTERED") or not python.exists() or not package.exists():
        sys.exit(f"{', '.join(lacking)} cannot be imported: run make test first, which makes {python}")
    os.environ.update(OMVC_ENTERED="1", PYTHONPATH=str(package))
    os.execv(python, [str(python), *sys.argv])
