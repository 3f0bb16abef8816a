#!/usr/bin/env python3
"""Does confidence mean what it says? Labels of `omvc fit` beside the truth, as a table and a picture; see docs/quality.md.

    python3 experiments/calibration.py            the table
    python3 experiments/calibration.py --write    also puts it into docs/quality.md, and the picture into docs/figures

Confidence is the chance that a model learned from other rows of the same data gives the instance the same cluster.
Where clusters are the classes, that is the chance of being right: the expected calibration error is the mean over ten
bins of confidence, weighted by their rows, of |share of right labels - mean confidence|. Clusters are matched to classes
one to one. Means over seeds 0-2. Needs numpy and scipy.
"""

import argparse
import csv
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy.io import loadmat
from scipy.optimize import linear_sum_assignment

import docs_page
from datasets import DATA, ROOT, arguments_of

CELLS = [("digit", ""), ("digit", "cyclic-40"), ("hdigit", ""), ("hdigit", "independent-40"), ("hdigit", "cyclic-40"),
         ("bdgp", ""), ("bdgp-two-views", "half"), ("bbcsport", "")]
SEEDS = range(3)
BINS = 10


def truth_of(name, scratch):
    if name == "digit":
        return np.loadtxt(DATA / "digit" / "labels.txt").astype(int)
    if name == "hdigit":
        return loadmat(DATA / "hdigit" / "Hdigit.mat")["Y"].ravel().astype(int)
    if name.startswith("bdgp"):
        return np.loadtxt(Path(scratch) / "bdgp" / "label.txt").astype(int)
    return loadmat(DATA / "bbcsport" / "bbcsportIncomplete.mat")["truelabel"][0, 0].ravel().astype(int)


def labels_of(command, name, mask, seed, scratch):
    out = Path(scratch) / "labels.csv"
    arguments = [str(command), "fit", *arguments_of(name, mask, seed, ["--quiet", "--labels", str(out)], scratch)]
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)
    with open(out, newline="") as file:
        rows = list(csv.DictReader(file))
    number = lambda text: float(text) if text else np.nan
    return (np.array([int(row["label"]) for row in rows]), np.array([number(row["confidence"]) for row in rows]))


def right(labels, truth):
    """Whether each label is that of its class, clusters matched to classes one to one."""
    clusters, own = np.unique(labels, return_inverse=True)
    classes, true = np.unique(truth, return_inverse=True)
    counts = np.zeros((len(clusters), len(classes)))
    np.add.at(counts, (own, true), 1)
    rows, columns = linear_sum_assignment(-counts)
    match = np.full(len(clusters), -1)
    match[rows] = columns
    return match[own] == true


def bins_of(confidence, yes):
    """For each bin: its rows, mean confidence and share of yes."""
    at = np.minimum((confidence * BINS).astype(int), BINS - 1)
    return [(int((at == b).sum()), confidence[at == b].mean(), yes[at == b].mean()) for b in range(BINS) if (at == b).any()]


def error_of(bins):
    return sum(n * abs(sure - share) for n, sure, share in bins) / sum(n for n, _, _ in bins)


def drawing(curves):
    """Share of right labels over confidence: a curve for each data set, bins of fewer than 20 rows left out."""
    colours = ["#3366aa", "#88aadd", "#aa3377", "#dd88bb", "#884422", "#228833", "#88bb44", "#ccaa22"]
    x, y = lambda v: 60 + 360 * v, lambda v: 400 - 360 * v
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 450" font-family="sans-serif" font-size="13">',
           '<rect width="640" height="450" fill="white"/>',
           f'<line x1="{x(0)}" y1="{y(0)}" x2="{x(1)}" y2="{y(1)}" stroke="#999" stroke-dasharray="4 4"/>']
    for tick in (0, 0.2, 0.4, 0.6, 0.8, 1):
        out.append(f'<text x="{x(tick):.0f}" y="418" text-anchor="middle">{tick:g}</text>')
        out.append(f'<text x="50" y="{y(tick) + 4:.0f}" text-anchor="end">{tick:g}</text>')
        out.append(f'<line x1="{x(tick):.0f}" y1="{y(0)}" x2="{x(tick):.0f}" y2="{y(1)}" stroke="#eee"/>')
        out.append(f'<line x1="{x(0)}" y1="{y(tick):.0f}" x2="{x(1)}" y2="{y(tick):.0f}" stroke="#eee"/>')
    out.append('<text x="240" y="440" text-anchor="middle">confidence</text>')
    out.append('<text x="16" y="220" text-anchor="middle" transform="rotate(-90 16 220)">share of right labels</text>')
    for at, ((title, bins), colour) in enumerate(zip(curves, colours)):
        points = [(x(sure), y(share)) for n, sure, share in bins if n >= 20]
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>' for a, b in points]
        out.append(f'<text x="440" y="{60 + 20 * at}" fill="{colour}">{title}</text>')
    return "\n".join([*out, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", default=ROOT / "build" / "omvc")
    parser.add_argument("--sets", nargs="*", help="only these")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    lines = ["| data | right | mean confidence | calibration error |", "| --- | --- | --- | --- |"]
    curves = []
    with tempfile.TemporaryDirectory() as scratch:
        for name, mask in CELLS:
            if given.sets and name not in given.sets:
                continue
            sure, yes, errors = [], [], []
            for seed in SEEDS:
                labels, confidence = labels_of(given.command, name, mask, seed, scratch)
                truth = truth_of(name, scratch)
                known = labels >= 0
                own = right(labels[known], truth[known])
                errors.append(error_of(bins_of(confidence[known], own)))
                sure.append(confidence[known])
                yes.append(own)
            sure, yes = np.concatenate(sure), np.concatenate(yes)
            title = f"{name} {mask}".strip()
            curves.append((title, bins_of(sure, yes)))
            lines.append(f"| {title} | {yes.mean():.3f} | {sure.mean():.3f} | {np.mean(errors):.3f} |")
            print(lines[-1], file=sys.stderr)
    table = "\n".join(lines)
    print(table)
    if given.write:
        docs_page.put("quality.md", "calibration", f"{table}\n\n{docs_page.stamp('experiments/calibration.py --write')}")
        (ROOT / "docs" / "figures" / "calibration.svg").write_text(drawing(curves))


if __name__ == "__main__":
    main()
