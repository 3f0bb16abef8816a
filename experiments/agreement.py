#!/usr/bin/env python3
"""Is confidence what it is called, where clusters overlap? It beside what models of other rows really say.

    python3 experiments/agreement.py            prints the table
    python3 experiments/agreement.py --write    also puts it into docs/quality.md

Planted Gaussians as in planted.py, from clusters that are plain to clusters that nobody can tell. The whole table is
fitted and its mean confidence noted. Then a model is fitted to a random half of the rows, with another seed, and labels
the other half: the share of these rows to which it gives the cluster that the whole model gave them, clusters matched
one to one, is what confidence promises. Means over seeds 0-4, and the calibration error over ten bins of all of them.
Needs numpy and scipy.
"""

import argparse
import csv
import subprocess
import tempfile
from pathlib import Path

import numpy as np

import planted
import quality
from calibration import bins_of, error_of, right
from datasets import ROOT, SEEDS

CASES = [(3, 0.4), (3, 0.6), (3, 1.0), (5, 0.4), (5, 0.6), (5, 0.8), (5, 1.2), (10, 0.4), (10, 0.8), (10, 1.2)]


def call(*arguments):
    subprocess.run([str(each) for each in arguments], check=True, capture_output=True)


def column(path, name):
    with open(path, newline="") as file:
        return np.array([float(row[name] or "nan") for row in csv.DictReader(file)])


def pick(folder, name, rows):
    """The views and presence of some of the rows, as files of their own."""
    (folder / name).mkdir(exist_ok=True)
    for file in ("view0.txt", "view1.txt", "present.txt"):
        lines = (folder / file).read_text().splitlines()
        (folder / name / file).write_text("\n".join(lines[i] for i in rows) + "\n")
    return [folder / name / "view0.txt", folder / name / "view1.txt", "--present", folder / name / "present.txt"]


def one(command, folder, k, spread, missing, seed):
    """Confidence of the rows of one half, and whether a model of the other half agrees."""
    planted.write(folder, k, spread, False, missing, seed)
    order = np.random.default_rng(seed).permutation(planted.ROWS)
    halves = np.sort(order[:planted.ROWS // 2]), np.sort(order[planted.ROWS // 2:])
    labels = folder / "labels.csv"
    call(command, "fit", *pick(folder, "all", range(planted.ROWS)), "-k", k, "--seed", seed, "--quiet", "--labels", labels)
    ours, sure = column(labels, "label").astype(int), column(labels, "confidence")
    model = folder / "half.omvc"
    call(command, "fit", *pick(folder, "a", halves[0]), "-k", k, "--seed", seed + 100, "--quiet", "--model", model)
    call(command, "assign", model, *pick(folder, "b", halves[1]), "--quiet", "--labels", labels)
    theirs = column(labels, "label").astype(int)
    known = (ours[halves[1]] >= 0) & (theirs >= 0)
    return sure[halves[1]][known], right(theirs[known], ours[halves[1]][known])


def table(command, folder):
    yield "| K | spread of centres | missing | mean confidence | other models agree | calibration error |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for missing in (0.0, 0.4):
        for k, spread in CASES:
            rows = [one(command, folder, k, spread, missing, seed) for seed in SEEDS]
            sure, yes = (np.concatenate(each) for each in zip(*rows))
            yield (f"| {k} | {spread} | {missing:.0%} | {sure.mean():.3f} | {yes.mean():.3f} | "
                   f"{error_of(bins_of(sure, yes)):.3f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", default=ROOT / "build" / "omvc")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        quality.publish("agreement", table(given.command, Path(folder)), "experiments/agreement.py --write", given.write)


if __name__ == "__main__":
    main()
