"""Puts what was measured into docs: between `<!-- MARK -->` and the next `<!-- end -->`, with what made it."""

import datetime
import os
import platform
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"


def put(page, mark, text):
    """Replaces what stands behind the mark. A mark that is not there exactly once is an error: figures must not get lost."""
    path = DOCS / page
    block = f"<!-- {mark} -->\n{text.rstrip()}\n<!-- end -->"
    made, found = re.subn(rf"<!-- {re.escape(mark)} -->\n.*?<!-- end -->", lambda _: block, path.read_text(), flags=re.S)
    if found != 1:
        raise SystemExit(f"{path} has the mark <!-- {mark} --> ... <!-- end --> {found} times instead of once")
    path.write_text(made)


def block(page, mark):
    """The lines that stand between the mark and its end."""
    found = re.search(rf"<!-- {re.escape(mark)} -->\n(.*?)<!-- end -->", (DOCS / page).read_text(), flags=re.S)
    if not found:
        raise SystemExit(f"{DOCS / page} has no mark <!-- {mark} -->")
    return found.group(1).splitlines()


def version():
    """The commit that is checked out, with a + where files of it have been changed; nothing outside of a checkout."""
    git = ["git", "-C", ROOT]
    head = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    changed = subprocess.run([*git, "status", "--porcelain", "--untracked-files=no", "src", "include", "app", "python"], capture_output=True, text=True)
    return f" at {head.stdout.strip()}{'+' if changed.stdout else ''}" if head.returncode == 0 else ""


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def stamp(command, *more):
    """The line under a table: when, of which commit, on what, how, and by which command."""
    return (f"Measured {datetime.date.today()}{version()}, " + ", ".join([processor(), f"{os.cpu_count()} cores", *more])
            + f"; `python3 {command}`.")
