#!/usr/bin/env python3
"""Tables with a known truth and one trap each; see docs/quality.md.

    python3 experiments/traps.py                  NMI with and without the trap, beside k-means on standardised data
    python3 experiments/traps.py --write          also puts the table into docs/quality.md
    python3 experiments/traps.py --only glitch    the traps whose name has this in it, with what the program says

Every table is a real one of scikit-learn or a planted one, in two views joined by id or in one. A trap passes where NMI stays within
0.03 of that of the table without it, or where the program names it. Means over seeds 0-2; k-means has 10 starts, on columns
of mean 0 and standard deviation 1, with means in the place of missing cells and a 0/1 column for each value of a category.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.metrics import normalized_mutual_info_score

import docs_page

ROOT = Path(__file__).resolve().parent.parent
SEEDS = (0, 1, 2)
CLOSE = 0.03


def halves(values, names, truth):
    """The columns in two views."""
    middle = (len(names) + 1) // 2
    frame = pd.DataFrame(values, columns=names)
    return [frame.iloc[:, :middle].copy(), frame.iloc[:, middle:].copy()], np.asarray(truth)


def real(load):
    data = load()
    names = [str(name).replace(" ", "_").replace("(", "").replace(")", "") for name in data.feature_names]
    return halves(data.data.astype(float), names, data.target)


def digits():
    data = load_digits()
    keep = data.data.std(0) > 0
    return halves(data.data[:, keep].astype(float), [f"p{j}" for j in np.flatnonzero(keep)], data.target)


def planted(rows=600, clusters=4, columns=12, spread=0.75, seed=7):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, clusters, rows)
    centres = rng.normal(0, 1.6, (clusters, columns))
    values = centres[truth] + rng.normal(0, spread, (rows, columns))
    return halves(values * rng.uniform(0.5, 20, columns) + rng.uniform(-50, 50, columns), [f"x{j}" for j in range(columns)], truth)


def in_one(table):
    """The same columns in one view, which has no other to say what is noise in it."""
    views, truth = table
    return [pd.concat(views, axis=1)], truth


TABLES = {"wine": lambda: real(load_wine), "cancer": lambda: real(load_breast_cancer), "iris": lambda: real(load_iris),
          "digits": digits, "planted": planted, "wine, one table": lambda: in_one(real(load_wine)),
          "planted, one table": lambda: in_one(planted(rows=900, columns=6, spread=0.5))}


# A trap changes the views, in place or not, and may change the options of the command.

def yes_no(views, rng, truth):
    views[0]["treated"] = rng.integers(0, 2, len(truth))


def yes_no_rare(views, rng, truth):
    views[0]["rare"] = (rng.random(len(truth)) < 0.05).astype(int)


def yes_no_many(views, rng, truth):
    for j in range(4):
        views[0][f"flag{j}"] = rng.integers(0, 2, len(truth))


def one_two(views, rng, truth):
    views[0]["sex"] = rng.integers(1, 3, len(truth))


def two_categories(views, rng, truth):
    views[0]["ward"] = rng.choice(["north", "south"], len(truth))
    views[1]["sex"] = rng.choice(["f", "m"], len(truth))


def category_of_four(views, rng, truth):
    views[0]["site"] = rng.choice(["a", "b", "c", "d"], len(truth))


def dummies(views, rng, truth):
    site = rng.choice(["a", "b", "c", "d"], len(truth))
    for value in "abcd":
        views[0][f"site_{value}"] = (site == value).astype(int)


def category_of_many(views, rng, truth):
    views[0]["town"] = [f"town{i}" for i in rng.integers(0, 45, len(truth))]


def rating(views, rng, truth):
    views[0]["rating"] = rng.integers(1, 6, len(truth))


def glitch(views, rng, truth):
    for view in views:
        for column in view.columns:
            view.loc[rng.integers(0, len(truth)), column] *= 1000


def glitch_two(views, rng, truth):
    for view in views:
        for column in view.columns[:3]:
            view.loc[rng.integers(0, len(truth)), column] = -1e6
            view.loc[rng.integers(0, len(truth)), column] = 1e6


def sentinel(value, share):
    def trap(views, rng, truth):
        for view in views:
            view[rng.random(view.shape) < share] = value
    return trap


def sentinel_one_column(views, rng, truth):
    column = views[0].columns[0]
    views[0].loc[rng.random(len(truth)) < 0.2, column] = -9999


def heavy_noise(views, rng, truth):
    views[0]["cauchy"] = rng.standard_cauchy(len(truth))


def exponentials(views, rng, truth):
    """Every column as the exponential of itself: ratios are what differs."""
    for view in views:
        for column in view.columns:
            view[column] = np.exp(2 * (view[column] - view[column].mean()) / view[column].std())


def units(views, rng, truth):
    for view in views:
        for j, column in enumerate(view.columns):
            view[column] *= 10.0 ** (3 * (j % 5) - 6)


def constant(views, rng, truth):
    views[0]["version"] = 3
    views[1]["empty"] = 0


def missing_cells(views, rng, truth):
    for view in views:
        view[rng.random(view.shape) < 0.1] = np.nan


def missing_rows(views, rng, truth):
    gone = rng.random(len(truth)) < 0.3
    side = rng.integers(0, 2, len(truth))
    views[0] = views[0][~(gone & (side == 0))]
    views[1] = views[1][~(gone & (side == 1))]


def other_order(views, rng, truth):
    views[1] = views[1].iloc[rng.permutation(len(truth))]


def row_numbers(views, rng, truth):
    views[0]["number"] = np.arange(len(truth))[rng.permutation(len(truth))]


def copied_column(views, rng, truth):
    for j in range(3):
        views[0][f"again{j}"] = views[0].iloc[:, 0]


def dates(views, rng, truth):
    views[0]["day"] = pd.date_range("2025-01-01", periods=len(truth)).strftime("%Y-%m-%d")[rng.permutation(len(truth))]


def comments(views, rng, truth):
    views[0]["comment"] = [f"seen by {rng.integers(0, 10**6)}" for _ in truth]


def decimal_comma(views, rng, truth):
    return {"csv": {"decimal": ",", "sep": ";"}}


def noise_columns(views, rng, truth):
    for j in range(3):
        views[0][f"noise{j}"] = rng.normal(size=len(truth))


def dominating(views, rng, truth):
    """A column that is what the clusters become, by a scaling that was asked for."""
    views[0]["income"] = rng.choice([20000, 90000], len(truth)) + rng.normal(0, 500, len(truth))
    return {"options": ["--scaling", "variance"]}


TRAPS = [
    ("wine", "a random 0/1 column", yes_no), ("wine", "a random rare 0/1 column", yes_no_rare),
    ("wine", "four random 0/1 columns", yes_no_many), ("wine", "a random column of 1 and 2", one_two),
    ("wine", "two random categories", two_categories), ("wine", "a random category of four values", category_of_four),
    ("wine", "the same as four dummy columns", dummies), ("cancer", "two random categories", two_categories),
    ("iris", "a random 0/1 column", yes_no), ("digits", "two random categories", two_categories),
    ("planted", "a random category of four values", category_of_four),
    ("wine, one table", "a random 0/1 column", yes_no), ("planted, one table", "a random 0/1 column", yes_no),
    ("planted, one table", "four random 0/1 columns", yes_no_many),
    ("planted, one table", "a random category of four values", category_of_four),
    ("planted, one table", "a random category of 45 values", category_of_many),
    ("planted, one table", "a random rating of 1 to 5", rating), ("planted, one table", "1e9 in 5 % of the cells", sentinel(1e9, 0.05)),
    ("wine", "one cell in each column times 1000 (glitch)", glitch),
    ("cancer", "one cell in each column times 1000 (glitch)", glitch),
    ("planted", "six cells of ±1e6 (glitch)", glitch_two), ("iris", "one cell in each column times 1000 (glitch)", glitch),
    ("wine", "-999 in 5 % of the cells", sentinel(-999, 0.05)), ("planted", "1e30 in 2 % of the cells", sentinel(1e30, 0.02)),
    ("cancer", "9999 in 3 % of the cells", sentinel(9999, 0.03)), ("wine", "-9999 in a fifth of one column", sentinel_one_column),
    ("wine", "a column of Cauchy noise", heavy_noise), ("planted", "exponentials of all columns (heavy tails)", exponentials),
    ("wine", "units from 1e-6 to 1e6", units), ("wine", "constant columns", constant),
    ("wine", "10 % of the cells missing", missing_cells), ("planted", "30 % of the rows lack a view", missing_rows),
    ("wine", "the second file in another order", other_order), ("wine", "a column of shuffled row numbers", row_numbers),
    ("wine", "a column four times", copied_column), ("wine", "a column of dates", dates),
    ("wine", "a column of free text", comments), ("wine", "decimal commas, semicolons", decimal_comma),
    ("wine", "three columns of noise", noise_columns), ("wine", "one column of two heaps, --scaling variance", dominating),
]


def write(views, truth, folder, csv=None):
    csv = csv or {}
    files = []
    for name, view in zip(("a", "b"), views):
        path = Path(folder) / f"{name}.csv"
        out = view.copy()
        out.insert(0, "id", [f"s{i}" for i in view.index])
        out.to_csv(path, index=False, **csv)
        files.append(str(path))
    path = Path(folder) / "truth.csv"
    pd.DataFrame({"id": [f"s{i}" for i in range(len(truth))], "label": truth}).to_csv(path, index=False)
    return files, str(path)


def fit(command, files, truth, clusters, seed, options):
    run = subprocess.run([command, "fit", *files, "-k", str(clusters), "--truth", truth, "--json", "--quiet", "--seed",
                          str(seed), "--threads", "1", *options], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        return None, [line for line in run.stderr.splitlines() if line]
    said = [line.split(": ", 2)[2] for line in run.stderr.splitlines() if "warning: " in line or "note: " in line]
    return json.loads(run.stdout), said


def kmeans(views, truth, seed):
    frame = pd.concat([view.reindex(range(len(truth))) for view in views], axis=1)
    frame = frame[[c for c in frame.columns if c not in ("day", "comment")]]
    frame = pd.get_dummies(frame).astype(float)
    frame = frame.fillna(frame.mean())
    deviation = frame.std(ddof=0)
    values = ((frame - frame.mean()) / deviation.where(deviation > 0, 1)).to_numpy()
    return normalized_mutual_info_score(truth, KMeans(len(set(truth)), n_init=10, random_state=seed).fit_predict(values))


def measure(command, table, trap, scratch):
    """NMI of the command and of k-means, means over seeds, and what the command said in the first run."""
    scores, other, said = [], [], []
    for seed in SEEDS:
        views, truth = TABLES[table]()
        changed = trap(views, np.random.default_rng(100 + seed), truth) if trap else None
        changed = changed or {}
        files, labels = write(views, truth, scratch, changed.get("csv"))
        found, heard = fit(command, files, labels, len(set(truth)), seed, changed.get("options", []))
        said = said or heard
        scores.append(found["nmi_best"] if found else np.nan)
        other.append(kmeans(views, truth, seed))
    return np.mean(scores), np.mean(other), said


def short(said):
    """What was said about columns and tables, in a few words."""
    found = []
    for text in said:
        for words, name in (("may stand for missing", "asks about the number"), ("interquartile ranges", "names the cells"),
                            ("heavy tails", "names the columns, --scaling log"), ("One column alone", "names the column"),
                            ("is left out", "says what is left out"), ("lacks", "says what is missing")):
            if words in text and name not in found:
                found.append(name)
    return "; ".join(found)


def table(command, only, scratch):
    yield "| table | trap | without it | with it | k-means, without | k-means, with | the program says | |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    clean = {}
    for name, what, trap in TRAPS:
        if only not in f"{name}, {what}":
            continue
        if name not in clean:
            clean[name] = measure(command, name, None, scratch)
        nmi, other, said = measure(command, name, trap, scratch)
        told = short(said)
        passed = nmi >= clean[name][0] - CLOSE or bool(told)
        yield (f"| {name} | {what} | {clean[name][0]:.3f} | {nmi:.3f} | {clean[name][1]:.3f} | {other:.3f} | {told} | "
               f"{'' if passed else 'fails'} |")
        if only:
            for text in said:
                print("    " + text, file=sys.stderr)


def main():
    warnings.filterwarnings("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", default=str(ROOT / "build" / "omvc"))
    parser.add_argument("--only", default="")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    lines = []
    with tempfile.TemporaryDirectory() as scratch:
        for line in table(arguments.command, arguments.only, scratch):
            print(line, flush=True)
            lines.append(line)
    if arguments.write:
        docs_page.put("quality.md", "traps", "\n".join([*lines, "", docs_page.stamp("experiments/traps.py --write", "1 thread")]))


if __name__ == "__main__":
    main()
