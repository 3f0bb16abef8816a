#!/usr/bin/env python3
"""Whole commands of two omvc programs beside each other: seconds depend on the machine and the hour, ratios less so.

    bench/before_after.py BEFORE AFTER [--repeat 5] [--threads 2] [--large] [--only WORD]

The two take turns, and the least of all their runs counts. Digit, Hdigit, planted data of the shapes of YouTube and Reuters
and of 100 clusters (as in default_cost.py), two tables of CSV that are joined by id, and labels for Hdigit from a model.
Reading and writing of labels included. Planted data are kept in --folder and used again.
"""
import argparse
import os
import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "end_to_end"))
import common  # noqa: E402
import default_cost  # noqa: E402
import docs_page  # noqa: E402

CSV_ROWS = 20_000


def csv_with_ids(folder):
    """Two tables of 16 and 24 numbers in 5 clusters, in different orders; each lacks a fifth of the rows."""
    paths = [folder / f"with-ids-{name}.csv" for name in ("a", "b")]
    if all(path.exists() for path in paths):
        return paths
    draw = random.Random(1)
    kinds = [draw.randrange(5) for _ in range(CSV_ROWS)]
    for path, width in zip(paths, (16, 24)):
        centres = [[draw.uniform(0, 10) for _ in range(width)] for _ in range(5)]
        rows = [row for row in range(CSV_ROWS) if draw.random() < 0.8]
        draw.shuffle(rows)
        with open(path, "w", encoding="utf-8") as file:
            file.write("id," + ",".join(f"f{j}" for j in range(width)) + "\n")
            for row in rows:
                file.write(f"row{row}," + ",".join(f"{draw.gauss(x, 1):.4f}" for x in centres[kinds[row]]) + "\n")
    return paths


def commands(cost):
    """What is timed: a title, and the arguments of omvc."""
    folder, threads = cost.folder, cost.arguments.threads
    data = {**cost.shapes(), f"CSV with ids, {CSV_ROWS:,} rows": [*csv_with_ids(folder), "-k", 5]}
    if cost.arguments.large:
        data["1,000,000 x 384, K = 50"] = [cost.planted("large", "--rows", 1_000_000, "--features", 384, "-k", 50), "-k", 50]
    for name, arguments in data.items():
        yield name, ["fit", *arguments, "--seed", 0, "--json", "--quiet", "--threads", threads, "--labels", folder / "labels.csv"]
    files = data["hdigit"][:data["hdigit"].index("-k")]
    yield "hdigit, assign", ["assign", "{model}", *files, "--labels", folder / "labels.csv", "--quiet"]


def least(runs):
    return {what: min(run[what] for run in runs) for what in ("wall", "cpu", "memory")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", metavar="BEFORE")
    parser.add_argument("after", metavar="AFTER")
    parser.add_argument("--folder", default=os.path.join(tempfile.gettempdir(), "omvc-default-cost"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--large", action="store_true", help="with 1,000,000 rows of 384 features: a file of 1.5 GB, and minutes")
    parser.add_argument("--only", metavar="WORD", default="", help="the data with this word in their names")
    arguments = parser.parse_args()
    arguments.omvc = arguments.before  # makes the planted data
    cost = default_cost.Cost(arguments)
    programs = (arguments.before, arguments.after)
    rows = []
    for name, command in commands(cost):
        if arguments.only not in name:
            continue
        runs = {0: [], 1: []}
        models = [cost.folder / f"before-after-{at}.omvc" for at in runs]
        if "{model}" in command:  # each reads its own
            for program, model in zip(programs, models):
                files = command[2:command.index("--labels")]
                common.run([program, "fit", *files, "-k", 10, "--seed", 0, "--quiet", "--model", model])
        for turn in range(arguments.repeat):
            for at in (0, 1) if turn % 2 == 0 else (1, 0):
                whole = [models[at] if each == "{model}" else each for each in command]
                runs[at].append(default_cost.measured([programs[at], *whole], 1))
        before, after = least(runs[0]), least(runs[1])
        rows.append([name, f"{before['wall']:.2f}", f"{after['wall']:.2f}", f"{after['wall'] / before['wall']:.2f}",
                     f"{after['cpu'] / before['cpu']:.2f}", f"{before['memory']:.0f}", f"{after['memory']:.0f}"])
        print(rows[-1], file=sys.stderr, flush=True)
    print(common.table(["data", "before, s", "after, s", "after / before", "by CPU time", "before, MB", "after, MB"], rows))
    print(docs_page.stamp("bench/before_after.py BEFORE AFTER", f"{arguments.threads} threads",
                          f"the least of {arguments.repeat}"))


if __name__ == "__main__":
    main()
