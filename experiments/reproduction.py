#!/usr/bin/env python3
"""Puts the page and the figures that `omvc reproduce` wrote into docs/reproduction.md and docs/figures/reproduction.

    build/omvc reproduce all --data ../shared/data --out FOLDER --grid
    python3 experiments/reproduction.py FOLDER --write
"""

import argparse
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the --out of omvc reproduce")
    parser.add_argument("--write", action="store_true", help="change docs/, rather than print")
    arguments = parser.parse_args()
    page = arguments.folder / "README.md"
    if not page.is_file():
        sys.exit(f"{page} is absent: run omvc reproduce --out {arguments.folder} first")
    text = page.read_text().split("\n", 1)[1].strip()
    text = re.sub(r"\]\((fig\w+\.svg)\)", r"](figures/reproduction/\1)", text)
    if not arguments.write:
        print(text)
        return
    figures = ROOT / "docs" / "figures" / "reproduction"
    figures.mkdir(parents=True, exist_ok=True)
    for figure in arguments.folder.glob("fig*.svg"):
        shutil.copy(figure, figures)
    docs = ROOT / "docs" / "reproduction.md"
    docs.write_text(re.sub(r"(<!-- reproduction -->\n).*?(<!-- end -->)", lambda m: m[1] + text + "\n" + m[2],
                           docs.read_text(), flags=re.S))


if __name__ == "__main__":
    main()
