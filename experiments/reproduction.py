#!/usr/bin/env python3
"""Puts the page and the figures that `omvc reproduce` wrote into docs/reproduction.md and docs/figures/reproduction.

    build/omvc reproduce all --data "$OMVC_DATA" --out FOLDER --grid
    python3 experiments/reproduction.py FOLDER --write                              the whole page and its figures
    python3 experiments/reproduction.py FOLDER --only "Table IV" --place times --write   sections that begin so
"""

import argparse
import re
import shutil
import sys
from pathlib import Path

import docs_page


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the --out of omvc reproduce")
    parser.add_argument("--only", help="sections whose titles begin with one of these, with commas; without lists of differences")
    parser.add_argument("--place", default="reproduction", help="the marker in docs/reproduction.md")
    parser.add_argument("--write", action="store_true", help="change docs/, rather than print")
    arguments = parser.parse_args()
    page = arguments.folder / "README.md"
    if not page.is_file():
        sys.exit(f"{page} is absent: run omvc reproduce --out {arguments.folder} first")
    text = page.read_text().split("\n", 1)[1].strip()
    text = re.sub(r"\]\((fig\w+\.svg)\)", r"](figures/reproduction/\1)", text)
    if arguments.only:
        wanted = tuple(name + ":" if name.startswith("Table") else name for name in arguments.only.split(","))
        sections = [part for part in re.split(r"^## ", text, flags=re.M)[1:] if part.startswith(wanted)]
        text = "\n\n".join("#### " + part.split("More than 0.05")[0].strip() for part in sections)
    if not arguments.write:
        print(text)
        return
    figures = docs_page.DOCS / "figures" / "reproduction"
    figures.mkdir(parents=True, exist_ok=True)
    for figure in re.findall(r"\]\(figures/reproduction/(fig\w+\.svg)\)", text):
        shutil.copy(arguments.folder / figure, figures)
    made = docs_page.stamp("experiments/reproduction.py FOLDER --write", "`build/omvc reproduce`")
    docs_page.put("reproduction.md", arguments.place, f"{text}\n\n{made}")


if __name__ == "__main__":
    main()
