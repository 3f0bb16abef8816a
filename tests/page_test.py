#!/usr/bin/env python3
"""Opens the pages that omvc writes in a real Chromium, without a network, and uses them as people do.

Arguments: source folder, build folder. Needs Chromium (Debian: chromium); axe-core, which looks for obstacles to people
with a screen reader or a keyboard, comes from PyPI into BUILD/venv-page when first run. Exits with 77 (skipped) where
there is no Chromium; where axe-core cannot be had, that one test is left out, and says so.
"""

import os
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

from browser import Browser, find_browser
from page.data_tests import DataTests
from page.use_tests import UseTests

SKIPPED = 77


class Pages(UseTests, DataTests):
    """All tests: the methods whose names begin with test_."""


def find_axe(source, build):
    """The text of axe-core, or None."""
    folder = build / "venv-page"
    found = sorted(folder.glob("lib/*/site-packages/*/axe.min.js"))
    if not found:
        steps = [[sys.executable, "-m", "venv", str(folder)],
                 [str(folder / "bin" / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps",
                  "-r", str(source / "tools" / "requirements-page.txt")]]
        for step in steps:
            if subprocess.run(step, capture_output=True).returncode != 0:
                return None
        found = sorted(folder.glob("lib/*/site-packages/*/axe.min.js"))
    return found[0].read_text() if found else None


def main():
    source, build = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    wanted = sys.argv[3:]
    if find_browser() is None:
        print("skipped: there is no Chromium here (Debian: apt install chromium)")
        sys.exit(SKIPPED)
    axe = find_axe(source, build)
    if axe is None:
        print("axe-core cannot be installed from PyPI: nobody looks for obstacles to people with a screen reader")
    failed = 0
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        os.chdir(folder)
        pages = Pages(source, build, browser, axe)
        for name in [name for name in dir(pages) if name.startswith("test_")]:
            if wanted and not any(word in name for word in wanted):
                continue
            try:
                getattr(pages, name)()
                print(f"{name}: passed", flush=True)
            except Exception:
                failed += 1
                print(f"{name}: FAILED\n{traceback.format_exc()}", flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
