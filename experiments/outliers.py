#!/usr/bin/env python3
"""Outliers found by `omvc fit` beside scikit-learn's IsolationForest, on planted and real cases; see docs/quality.md.

    python3 experiments/outliers.py            the table
    python3 experiments/outliers.py --write    also puts it into docs/quality.md

AUC: the chance that an outlier is told to be farther than another row. An outlier is a row whose distance is above 3;
one row in a hundred is beyond it by chance where there are none. Needs numpy, scikit-learn.
"""

import argparse
import csv
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score

import docs_page
from datasets import DATA, ROOT

ABOVE = 3


def planted(seed, spreads):
    """2,000 rows of four clusters in two views; one in a hundred lies six times as far from its centre."""
    draw = np.random.default_rng(seed)
    own, out = draw.integers(0, 4, 2000), np.zeros(2000, bool)
    out[draw.choice(2000, 20, False)] = True
    views = []
    for features in (20, 15):
        noise = draw.normal(size=(2000, features)) * np.asarray(spreads)[own][:, None]
        noise[out] *= 6
        views.append(draw.normal(0, 3, (4, features))[own] + noise)
    return views, out, 4


def digit():
    views = [np.loadtxt(DATA / "digit" / f"mfeat-{name}") for name in ("fou", "fac", "kar", "pix", "zer")]
    return views, np.loadtxt(DATA / "digit" / "labels.txt").astype(int)


def digit_mixed():
    """40 rows whose views come from several rows."""
    views, _ = digit()
    draw, out = np.random.default_rng(1), np.zeros(2000, bool)
    made = [view.copy() for view in views]
    for row in draw.choice(2000, 40, False):
        out[row] = True
        for view, own in zip(views, made):
            own[row] = view[draw.integers(2000)]
    return made, out, 10


def digit_noise():
    """30 rows one view of which is noisy."""
    views, _ = digit()
    draw, out = np.random.default_rng(5), np.zeros(2000, bool)
    for row in draw.choice(2000, 30, False):
        out[row] = True
        view = views[draw.integers(5)]
        view[row] += draw.normal(size=view.shape[1]) * view.std(0) * 1.5
    return views, out, 10


def digit_rare():
    """Nine of ten digits, and 15 rows of the tenth."""
    views, truth = digit()
    draw = np.random.default_rng(2)
    rare = draw.choice(np.where(truth == 7)[0], 15, False)
    rows = np.concatenate([np.where(truth != 7)[0], rare])
    return [view[rows] for view in views], np.isin(rows, rare), 9


def rare_class(data, usual, parts, count, clusters):
    draw = np.random.default_rng(3)
    rare = draw.choice(np.where(~usual)[0], count, False)
    rows = np.concatenate([np.where(usual)[0], rare])
    return np.split(data[rows], parts, axis=1), np.isin(rows, rare), clusters


def cancer():
    """Benign tumours, and 18 malignant ones."""
    data = load_breast_cancer()
    return rare_class(data.data, data.target == 1, [10, 20], 18, 2)


def wine():
    """Two of three kinds of wine, and 8 of the third."""
    data = load_wine()
    return rare_class(data.data, data.target != 0, [6], 8, 2)


CASES = {
    "planted, 1 % at six times the distance": lambda: planted(0, (1, 1, 1, 1)),
    "planted, clusters of unequal spread": lambda: planted(1, (0.3, 1, 2, 1)),
    "Digit, views of 2 % of the rows mixed": digit_mixed,
    "Digit, one view of 1.5 % noisy": digit_noise,
    "Digit, 15 rows of a tenth digit": digit_rare,
    "breast cancer, 18 malignant": cancer,
    "wine, 8 of a third kind": wine,
}


def distances(command, views, clusters, scratch):
    files = []
    for at, view in enumerate(views):
        files.append(Path(scratch) / f"view{at}.npy")
        np.save(files[-1], view)
    out = Path(scratch) / "labels.csv"
    subprocess.run([str(command), "fit", *map(str, files), "-k", str(clusters), "--quiet", "--labels", str(out)],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(out, newline="") as file:
        return np.array([float(row["distance"]) for row in csv.DictReader(file)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", default=ROOT / "build" / "omvc")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    lines = ["| case | AUC | IsolationForest | found above 3 | false alarms |", "| --- | --- | --- | --- | --- |"]
    for name, case in CASES.items():
        views, out, clusters = case()
        with tempfile.TemporaryDirectory() as scratch:
            far = distances(given.command, views, clusters, scratch)
        forest = IsolationForest(n_estimators=200, random_state=0).fit(np.hstack(views))
        theirs = roc_auc_score(out, -forest.score_samples(np.hstack(views)))
        above = far > ABOVE
        lines.append(f"| {name} | {roc_auc_score(out, far):.3f} | {theirs:.3f} | {above[out].sum()} of {out.sum()} "
                     f"| {100 * above[~out].mean():.1f} % |")
        print(lines[-1])
    if given.write:
        docs_page.put("quality.md", "outliers", "\n".join([*lines, "", docs_page.stamp("experiments/outliers.py --write")]))


if __name__ == "__main__":
    main()
