"""Puts what was measured into docs: between `<!-- MARK -->` and the next `<!-- end -->`, with what made it."""

import datetime
import os
import platform
import re
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"


def put(page, mark, text):
    """Replaces what stands behind the mark. A mark that is not there exactly once is an error: figures must not get lost."""
    path = DOCS / page
    block = f"<!-- {mark} -->\n{text.rstrip()}\n<!-- end -->"
    made, found = re.subn(rf"<!-- {re.escape(mark)} -->\n.*?<!-- end -->", lambda _: block, path.read_text(), flags=re.S)
    if found != 1:
        raise SystemExit(f"{path} has the mark <!-- {mark} --> ... <!-- end --> {found} times instead of once")
    path.write_text(made)


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def stamp(command, *more):
    """The line under a table: when, on what, how, and by which command."""
    return (f"Measured {datetime.date.today()}, " + ", ".join([processor(), f"{os.cpu_count()} cores", *more])
            + f"; `python3 {command}`.")
