#!/usr/bin/env python3
"""Confidence in a stream where classes arrive that the model has never seen; docs/quality.md has the table and figure.

    python3 experiments/unknown_classes.py            the table
    python3 experiments/unknown_classes.py --write    into docs/quality.md and docs/figures/unknown-classes.svg

Digit: 1,000 rows of the digits 0 to 6 in random order are learned. Then 200 more of them come, and after these 200 rows of
7, 8 and 9, in turn with as many of the others: once to a model that only labels (--no-learn), once to one that goes on
learning. Means over seeds 0 to 2. Needs numpy, and the data of OMVC_DATA (else ../shared/data).
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import docs_page
from datasets import DATA, ROOT

SEEDS = range(3)
KNOWN = 7  # digits below are known
LEARNED, QUIET, MIXED, WINDOW = 1000, 200, 400, 50


def digit():
    views = [np.loadtxt(DATA / "digit" / f"mfeat-{name}") for name in ("fou", "fac", "kar", "pix", "zer")]
    truth = np.loadtxt(DATA / "digit" / "labels.txt").astype(int)
    return views, truth - truth.min()


def order_of(truth, seed):
    """Rows learned, and those that come then: known ones first, then known and unknown ones in turn."""
    draw = np.random.default_rng(seed)
    old, new = (draw.permutation(np.where(which)[0]) for which in (truth < KNOWN, truth >= KNOWN))
    behind = old[LEARNED + QUIET:]
    count = min(MIXED // 2, len(new), len(behind))
    mixed = np.empty(2 * count, int)
    mixed[0::2], mixed[1::2] = behind[:count], new[:count]
    return old[:LEARNED], np.concatenate([old[LEARNED:LEARNED + QUIET], mixed])


def stream(command, model, views, rows, options):
    """Confidence and distance of each row, NaN where they are not known yet."""
    lines = "".join(json.dumps({"id": int(i), **{f"v{v}": X[i].tolist() for v, X in enumerate(views)}}) + "\n" for i in rows)
    done = subprocess.run([str(command), "stream", "--model", str(model), "--in-step", "--quiet", "--every", "250", *options],
                          input=lines, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    number = lambda x: np.nan if x is None else x
    told = [(number(a.get("confidence")), number(a.get("distance"))) for a in answers if "id" in a and "event" not in a]
    return np.array(told).T


def windows(values):
    return np.array([np.nanmean(values[first:first + WINDOW]) for first in range(0, len(values), WINDOW)])


def drawing(curves):
    """Mean confidence of windows of rows; the line says when the first unknown row comes."""
    width, height = 640, 320
    most = max(len(values) for _, values in curves) * WINDOW
    x, y = lambda v: 60 + 400 * v / most, lambda v: 270 - 240 * v
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">',
           f'<rect width="{width}" height="{height}" fill="white"/>']
    for tick in (0, 0.2, 0.4, 0.6, 0.8, 1):
        out.append(f'<text x="50" y="{y(tick) + 4:.0f}" text-anchor="end">{tick:g}</text>')
        out.append(f'<line x1="{x(0):.0f}" y1="{y(tick):.0f}" x2="{x(most):.0f}" y2="{y(tick):.0f}" stroke="#eee"/>')
    for tick in range(0, most + 1, 200):
        out.append(f'<text x="{x(tick):.0f}" y="290" text-anchor="middle">{tick}</text>')
    out.append(f'<line x1="{x(QUIET):.0f}" y1="{y(0)}" x2="{x(QUIET):.0f}" y2="{y(1)}" stroke="#999" stroke-dasharray="4 4"/>')
    out.append(f'<text x="{x(QUIET) + 6:.0f}" y="{y(0) - 8}" fill="#555">unknown digits from here on</text>')
    out.append(f'<text x="260" y="310" text-anchor="middle">rows</text>')
    out.append('<text x="16" y="150" text-anchor="middle" transform="rotate(-90 16 150)">mean confidence</text>')
    for at, ((title, values), colour) in enumerate(zip(curves, ("#3366aa", "#aa3377", "#228833"))):
        path = " ".join(f"{x((i + 0.5) * WINDOW):.1f},{y(v):.1f}" for i, v in enumerate(values))
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out.append(f'<text x="475" y="{60 + 20 * at}" fill="{colour}">{title}</text>')
    return "\n".join([*out, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", default=ROOT / "build" / "omvc")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    views, truth = digit()
    ways = {"labels only": ["--no-learn"], "goes on learning": []}
    curves = {way: [] for way in ways}
    means = {way: [] for way in ways}
    for seed in SEEDS:
        learned, rows = order_of(truth, seed)
        for way, options in ways.items():
            with tempfile.TemporaryDirectory() as folder:
                model = Path(folder) / "model.omvc"
                stream(given.command, model, views, learned, ["--seed", str(seed)])
                sure, far = stream(given.command, model, views, rows, options)
            new, late = truth[rows] >= KNOWN, np.arange(len(rows)) >= QUIET
            last = np.arange(len(rows)) >= len(rows) - 100
            means[way].append([sure[~new & ~late].mean(), sure[~new & late].mean(), sure[new].mean(), sure[new & last].mean(),
                               (far[new] > 3).mean(), (far[~new] > 3).mean()])
            curves[way].append(windows(sure))
    table = ["| the model | known digits, before | known digits, beside them | unknown digits | the last 50 of them | unknown beyond 3 | known beyond 3 |",
             "| --- | --- | --- | --- | --- | --- | --- |"]
    for way in ways:
        mean = np.mean(means[way], 0)
        table.append(f"| {way} | " + " | ".join(f"{m:.2f}" for m in mean[:4]) + f" | {mean[4]:.0%} | {mean[5]:.1%} |")
    print("\n".join(table))
    if given.write:
        docs_page.put("quality.md", "unknown-classes", "\n".join([*table, "", docs_page.stamp("experiments/unknown_classes.py --write")]))
        figure = drawing([(way, np.mean(each, 0)) for way, each in curves.items()])
        (ROOT / "docs" / "figures" / "unknown-classes.svg").write_text(figure)


if __name__ == "__main__":
    main()
