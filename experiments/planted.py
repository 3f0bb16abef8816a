#!/usr/bin/env python3
"""Round clusters: the default beside masked k-means, which is made for them, on planted Gaussians that overlap.

    python3 experiments/planted.py             prints the table
    python3 experiments/planted.py --write     also puts it into docs/quality.md

Two views of 10 features, 2,000 instances, unit variance around centres drawn with the given spread; sizes equal, or each
cluster half as large again as the next. Means over seeds 0-4.
"""
import argparse
import json
import random
import statistics
import subprocess
import tempfile
from pathlib import Path

import quality
from datasets import ROOT, SEEDS

ROWS, FEATURES = 2000, (10, 10)
CASES = [(k, spread, unequal, missing) for k in (5, 10) for spread in (0.6, 0.8, 1.2, 1.6) for unequal in (False, True)
         for missing in (0.0, 0.4)]


def write(folder, k, spread, unequal, missing, seed, rows=ROWS, features=FEATURES):
    """Views, presence and truth as text files; returns the arguments of omvc fit."""
    draw = random.Random(f"{k} {spread} {unequal} {missing} {seed}")
    shares = [1.5 ** -c if unequal else 1 for c in range(k)]
    centres = [[[draw.gauss(0, spread) for _ in range(d)] for d in features] for _ in range(k)]
    truth = draw.choices(range(k), shares, k=rows)
    views = [[] for _ in features]
    present = []
    for label in truth:
        for v, d in enumerate(features):
            views[v].append(" ".join(f"{centres[label][v][j] + draw.gauss(0, 1):.5f}" for j in range(d)))
        lacks = draw.randrange(len(features)) if draw.random() < missing else -1
        present.append(" ".join("0" if v == lacks else "1" for v in range(len(features))))
    paths = []
    for v, rows in enumerate(views):
        paths.append(folder / f"view{v}.txt")
        paths[-1].write_text("\n".join(rows) + "\n")
    (folder / "present.txt").write_text("\n".join(present) + "\n")
    (folder / "truth.txt").write_text("\n".join(map(str, truth)) + "\n")
    return [*paths, "--present", folder / "present.txt", "--truth", folder / "truth.txt", "-k", k, "--shuffle"]


def nmi(command, data, seed, *options):
    done = subprocess.run([str(each) for each in (command, "fit", *data, "--seed", seed, "--json", "--quiet", *options)],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def table(command, folder):
    yield "| K | spread of centres | sizes | missing | omvc | masked k-means | gain |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for k, spread, unequal, missing in CASES:
        ours, theirs = [], []
        for seed in SEEDS:
            data = write(folder, k, spread, unequal, missing, seed)
            ours.append(nmi(command, data, seed)["nmi_best"])
            theirs.append(nmi(command, data, seed, "--method", "masked-kmeans", "--scaling", "none")["nmi_best"])
        gain = statistics.mean(ours) - statistics.mean(theirs)
        yield (f"| {k} | {spread} | {'unequal' if unequal else 'equal'} | {missing:.0%} | {statistics.mean(ours):.3f} | "
               f"{statistics.mean(theirs):.3f} | {gain:+.3f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--omvc", default=ROOT / "build" / "omvc")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        quality.publish("planted", table(arguments.omvc, Path(folder)), "experiments/planted.py --write", arguments.write)


if __name__ == "__main__":
    main()
