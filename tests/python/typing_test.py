"""Stubs are those of the table of options, and users of the package can check their types."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def test_stubs_are_up_to_date():
    done = subprocess.run([sys.executable, ROOT / "tools" / "python-stubs"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == (ROOT / "python" / "omvc" / "clusterer.pyi").read_text(), "run tools/python-stubs --write"


def test_mypy_accepts_the_examples_and_finds_wrong_options(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text('import omvc\nomvc.Clusterer(3, scaling="l3")\nomvc.Clusterer(3, nobody=1)\n')
    files = [ROOT / "examples" / "quick_start.py", ROOT / "examples" / "debian_archive.py", wrong]
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--cache-dir", tmp_path,
                           *map(str, files)], capture_output=True, text=True)
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert len(errors) == 2 and "wrong.py:2" in errors[0] and "wrong.py:3" in errors[1], done.stdout
