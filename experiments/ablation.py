#!/usr/bin/env python3
"""What each part of the default is worth: every part switched off, one at a time, by a number of the recipe.

    python3 experiments/ablation.py                 prints the table
    python3 experiments/ablation.py --write         also puts it into docs/quality.md
    python3 experiments/ablation.py --only "vote"      the variants whose name holds this
    python3 experiments/ablation.py --only "vote" --cell 3sources      on the cells whose name holds this

A variant is `omvc fit ... --recipe NAME=VALUE`: the same program, cells and seeds with another number of the method. The
names are the fields of src/recipe/recipe.hpp; one that the program does not know is an error.
"""
import argparse
import statistics
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import quality
from datasets import DATA, ROOT, fit

SEEDS = range(3)
LARGE = {"hdigit", "citeseq"}  # seed 0 alone: they take longer than all others
DENSE = [("digit", ""), ("digit", "cyclic-40"), ("hdigit", "independent-40")]
MIXED = [("bdgp", ""), ("bdgp-two-views", "half"), ("citeseq", "")]
TEXT = [("webkb", "cyclic-40"), ("reuters-1200", "cyclic-40"), ("3sources", ""), ("bbcsport", "")]
VARIANTS = [  # what is switched off, the cells that it can reach, the change of the recipe
    ("nothing", DENSE + MIXED + TEXT, ""),
    ("neighbours among completed rows (in every view apart)", DENSE + MIXED, "completed_rows=0"),
    ("edges weighed by the cut before", DENSE + MIXED, "weigh_edges=0"),
    ("second cut", DENSE + MIXED, "second_cut=0"),
    ("third cut: readers", DENSE + MIXED + TEXT, "third_cut=0"),
    ("views count by their worth", DENSE + MIXED + TEXT, "weigh_views=0"),
    ("5 to 10 neighbours (20)", DENSE + MIXED, "least_neighbours=20,most_neighbours=20"),
    ("up to 50 neighbours of text (10)", TEXT, "most_text_neighbours=10"),
    ("vote of the prototypes", DENSE + MIXED, "prototype_vote=0"),
    ("vote of neighbours in a view", DENSE + MIXED, "row_vote=0"),
    ("vote of neighbours as readers see them", DENSE + MIXED, "reader_vote=0"),
    ("lists: all rows are compared", [("hdigit", "independent-40")], "exact_rows=100000"),
    ("rounds by mean", TEXT, "mean_rounds=0"),
    ("mixed data as dense (as text)", MIXED, "mixed_by_direction=1"),
    ("factors tell what a prototype lacks", DENSE, "prior_rows=0"),
    ("fine prototypes are moved to means", DENSE, "fine_rounds=0"),
    ("50 fine prototypes per cluster (10)", DENSE, "fine_per_cluster=10"),
    ("rank 5 K (K)", DENSE, "rank_per_cluster=1"),
    ("ridge of dense seeds", DENSE, "dense_ridge=0.05"),  # that of FactorOptions, which sparse seeds have
    ("five prototypes near to a row (two)", DENSE, "near=2"),
]


def measure(command, cells, recipe, scratch):
    options = ["--threads", 1, *(["--recipe", recipe] if recipe else [])]
    with ThreadPoolExecutor(2) as pool:
        jobs = {cell: [pool.submit(fit, command, *cell, seed, options, scratch)
                       for seed in (SEEDS[:1] if cell[0] in LARGE else SEEDS)] for cell in cells}
        return {cell: statistics.mean(job.result()["nmi_best"] for job in jobs[cell]) for cell in cells}


def table(command, only, wanted, scratch):
    cells = [cell for cell in DENSE + MIXED + TEXT if wanted in quality.label(*cell)]
    yield "| without | " + " | ".join(quality.label(*cell) for cell in cells) + " |"
    yield "| --- |" + " --- |" * len(cells)
    for name, reached, recipe in VARIANTS:
        measured = [cell for cell in reached if cell in cells]
        if only not in name or not measured:
            continue
        nmi = measure(command, measured, recipe, scratch)
        yield f"| {name} | " + " | ".join(f"{nmi[cell]:.3f}" if cell in nmi else "" for cell in cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="WORDS")
    parser.add_argument("--cell", default="", metavar="WORDS")
    parser.add_argument("--omvc", type=Path, default=ROOT / "build" / "omvc")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    if not DATA.is_dir():
        sys.exit(f"no data at {DATA}: set OMVC_DATA")
    if arguments.write and (arguments.only or arguments.cell):
        sys.exit("--write puts the whole table into docs/quality.md: leave out --only and --cell")
    with tempfile.TemporaryDirectory() as scratch:
        rows = table(arguments.omvc, arguments.only, arguments.cell, scratch)
        quality.publish("ablation", rows, "experiments/ablation.py --write", arguments.write)


if __name__ == "__main__":
    main()
