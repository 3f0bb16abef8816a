#!/usr/bin/env python3
"""How many clusters has a table? `-k` left out, on planted Gaussians that overlap, and on tables of one cluster.

    python3 experiments/planted_k.py             prints the table
    python3 experiments/planted_k.py --write     also puts it into docs/quality.md

Tables of 300 to 2,000 rows in two views, 2 to 8 clusters of equal size, none or 30 % of the rows lacking a view, seeds 0-1; for
one cluster, seeds 0-7. Confidence is not asked for.
"""
import argparse
import collections
import itertools
import tempfile
from pathlib import Path

import planted
import quality
from datasets import ROOT

SHAPES = [(300, (4, 4)), (300, (5, 8)), (1000, (5, 8)), (2000, (10, 10))]
CLUSTERS = (2, 3, 5, 8)
SPREADS = (0.8, 1.2, 2.0)
MISSING = (0.0, 0.3)


def chosen(command, folder, k, spread, missing, seed, rows, features):
    """The number of clusters that were found, and whether that is called clear."""
    data = planted.write(folder, k, spread, False, missing, seed, rows, features)
    at = data.index("-k")
    choice = planted.nmi(command, data[:at] + data[at + 2:], seed, "--recipe", "calibrate=0")["choice"]
    return choice["clusters"], choice["clear"]


def line(name, runs):
    """`runs`: the true number, the number found, whether it is called clear."""
    count = collections.Counter()
    for true, found, clear in runs:
        count["right"] += found == true
        count["one off"] += abs(found - true) == 1
        count["one"] += found == 1 and true > 1
        count["clear"] += clear
        count["wrong"] += clear and found != true
    return (f"| {name} | {len(runs)} | {count['right']} | {count['one off']} | {count['one']} | {count['clear']} | "
            f"{count['wrong']} |")


def table(command, folder):
    yield "| tables | how many | right | one off | \"one cluster\" | called clear | called clear and wrong |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for spread in SPREADS:
        runs = [(k, *chosen(command, folder, k, spread, missing, seed, *shape))
                for shape, k, missing, seed in itertools.product(SHAPES, CLUSTERS, MISSING, (0, 1))]
        yield line(f"2 to 8 clusters, spread of centres {spread}", runs)
    runs = [(1, *chosen(command, folder, 1, 0, missing, seed, *shape))
            for shape, missing, seed in itertools.product([*SHAPES, (500, (2, 2)), (500, (30, 10))], MISSING, range(8))]
    yield line("one cluster", runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--omvc", default=ROOT / "build" / "omvc")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        quality.publish("planted-k", table(arguments.omvc, Path(folder)), "experiments/planted_k.py --write", arguments.write)


if __name__ == "__main__":
    main()
