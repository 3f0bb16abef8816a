#!/usr/bin/env python3
"""Runs every command that the README and the docs show in ```sh blocks, in a folder that looks like a built checkout,
and looks for every file of the checkout that they name.

`make TARGET` is checked to exist (`make -n`), since make test itself runs this test. Python programs of experiments/ and
bench/ need minutes and data: they are asked for their help, which fails for a misspelled name or a broken import.

Arguments: source folder, build folder.
"""

import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path


def commands(page):
    for block in re.findall(r"```sh\n(.*?)```", page.read_text(), flags=re.S):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words:
                yield words


def files_named(page):
    """Files and folders of the checkout that stand in backticks, such as `src/cut/{cut,votes}.cpp`."""
    folders = "app|bench|cmake|examples|experiments|include|packaging|python|src|tests|tools"
    for name in re.findall(rf"`((?:{folders})/[\w./{{}},-]+)`", page.read_text()):
        before, _, rest = name.partition("{")
        middle, _, after = rest.partition("}")
        for one in middle.split(","):
            if "NAME" not in name:
                yield before + one + after


def main():
    source, build = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    pages = [source / "README.md", source / "CONTRIBUTING.md", *sorted((source / "docs").rglob("*.md"))]
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in ("examples", "experiments", "bench", "Makefile", "tools"):
            (Path(folder) / name).symlink_to(source / name)
        (Path(folder) / "build").symlink_to(build)
        for page in pages:
            for name in files_named(page):
                there = (source / name).exists()
                passed, failed = passed + there, failed + (not there)
                if not there:
                    print(f"{page.name}: there is no {name}")
            for words in commands(page):
                shown = " ".join(words)
                if words[0] == "make":
                    words = ["make", "-n", *words[1:]]
                elif words[0] == "python3":
                    words = [*words[:2], "--help"]
                done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
                passed, failed = passed + (done.returncode == 0), failed + (done.returncode != 0)
                if done.returncode != 0:
                    print(f"{page.name}: {shown}: exit {done.returncode}\n{done.stderr}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0 or passed == 0)


if __name__ == "__main__":
    main()
