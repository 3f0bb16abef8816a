#!/usr/bin/env python3
"""Clustering quality on the fixed masks and seeds, as Markdown tables; see docs/quality.md.

    python3 experiments/quality.py paper             the paper's preset beside the paper's figures
    python3 experiments/quality.py grid              the paper's preset on WebKB over alpha and beta
    python3 experiments/quality.py default           the default after 1 and 5 passes beside the best peer
    python3 experiments/quality.py all               default and paper's preset on every data set and mask
    python3 experiments/quality.py ablation          each part of the default switched off, one at a time
    python3 experiments/quality.py paper --write     also puts the table into docs/quality.md

Means over seeds 0-4. Nothing is tuned with labels unless the table says so.
"""

import argparse
import datetime
import platform
import re
import statistics
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from datasets import DATA, MASKED, ROOT, SEEDS, SETS, fit

CELLS = [  # data set, mask, targets of issue 5 and the best peer on the same masks (data/README.md)
    ("digit", "", 0.80, 0.85, 0.838),
    ("digit", "cyclic-40", 0.76, 0.82, 0.807),
    ("digit", "independent-40", 0.74, 0.80, 0.785),
    ("hdigit", "independent-40", 0.52, 0.58, 0.553),
    ("webkb", "", 0.70, 0.74, 0.732),
    ("webkb", "cyclic-40", 0.40, 0.55, 0.525),
    ("reuters-1200", "cyclic-40", 0.30, 0.36, 0.338),
    ("3sources", "", 0.70, 0.78, 0.604),
    ("bbcsport", "", 0.70, 0.83, 0.684),
    ("bdgp", "", 0.66, 0.72, 0.664),
]
ABLATION = [  # what is switched off, and the options that do it
    ("the default", []),
    ("one run instead of three", ["--runs", "1"]),
    ("ten runs instead of three", ["--runs", "10"]),
    ("labels from k-means on the embedding", ["--runs", "1", "--refine", "false"]),
    ("the same, rows not of unit length", ["--runs", "1", "--refine", "false", "--unit-rows", "false"]),
    ("the same, sums accumulated", ["--runs", "1", "--refine", "false", "--statistics", "accumulate"]),
    ("rank = K", "rank"),
    ("no ridge", ["--ridge", "0"]),
    ("random start of the basis", ["--start", "random"]),
    ("soft consensus (alpha 1e-2)", ["--consensus", "soft", "--statistics", "accumulate"]),
    ("the paper's scaling", ["--scaling", "total"]),
    ("chunk 100 instead of 500", ["--chunk", "100"]),
]
CLUSTERS = {"digit": 10, "hdigit": 10, "webkb": 2, "reuters-1200": 6, "3sources": 6, "bbcsport": 5, "bdgp": 5}


def label(name, mask):
    return name if not mask else f"{name}, {mask.replace('-', ' ')} %"


def runs(command, name, mask, options, scratch):
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda seed: fit(command, name, mask, seed, [*options, "--threads", 1], scratch), SEEDS))


def mean(results, key):
    values = [r[key] for r in results]
    return f"{statistics.mean(values):.3f} ± {statistics.pstdev(values):.3f}"


def seconds_a_pass(results):
    return statistics.mean(sum(p["seconds"] for p in r["per_pass"]) / len(r["per_pass"]) for r in results)


def paper_table(command, scratch):
    yield "| data | options | NMI | AC | NMI after pass 1 | the paper, tuned | authors' script, 2 passes |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    cells = [
        ("digit", "", [], "0.7303", "0.625"),
        ("digit", "cyclic-20", [], "0.6614", "–"),
        ("digit", "cyclic-40", [], "0.4885", "0.459"),
        ("webkb", "", [], "0.5954", "0.289"),
        ("webkb", "", ["--alpha", "1e-3"], "0.5954", "–"),
        ("webkb", "cyclic-40", [], "0.3462", "0.048"),
        ("webkb", "cyclic-40", ["--alpha", "10"], "0.3462", "–"),
    ]
    for name, mask, options, paper, script in cells:
        results = runs(command, name, mask, ["--preset", "paper", *options], scratch)
        first = statistics.mean(r["per_pass"][0]["nmi"] for r in results)
        chosen = "alpha 1e-2, beta 1e-7" if not options else f"alpha {options[1]} (chosen with labels), beta 1e-7"
        yield (f"| {label(name, mask)} | {chosen} | {mean(results, 'nmi')} | {mean(results, 'ac')} | {first:.3f} | {paper} | "
               f"{script} |")


def grid_table(command, scratch):
    yield "| alpha | beta | webkb | webkb, cyclic 40 % |"
    yield "| --- | --- | --- | --- |"
    for alpha, beta in (("1e-4", "1e-7"), ("1e-3", "1e-7"), ("1e-2", "1e-7"), ("1e-1", "1e-7"), ("1", "1e-7"),
                        ("10", "1e-7"), ("1e-2", "1e-9"), ("1e-2", "1e-5")):
        options = ["--preset", "paper", "--alpha", alpha, "--beta", beta]
        cells = [mean(runs(command, "webkb", mask, options, scratch), "nmi") for mask in ("", "cyclic-40")]
        yield f"| {alpha} | {beta} | {cells[0]} | {cells[1]} |"


def default_table(command, scratch):
    yield ("| data | NMI, 1 pass | NMI, 5 passes | AC, 5 passes | best peer, NMI | asked for: 1 pass / 5 passes | "
           "seconds a pass, default / paper preset at chunk 500 |")
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for name, mask, goal_one, goal_five, peer in CELLS:
        one = runs(command, name, mask, ["--passes", 1], scratch)
        five = runs(command, name, mask, [], scratch)
        paper = runs(command, name, mask, ["--preset", "paper", "--chunk", 500, "--passes", 5], scratch)
        ratio = seconds_a_pass(five) / seconds_a_pass(paper)
        yield (f"| {label(name, mask)} | {mean(one, 'nmi_best')} | {mean(five, 'nmi_best')} | {mean(five, 'ac_best')} | "
               f"{peer:.3f} | {goal_one:.2f} / {goal_five:.2f} | {ratio:.1f} |")


def all_table(command, scratch):
    masks = ("", "independent-20", "independent-40", "cyclic-20", "cyclic-40")
    yield "| data | " + " | ".join(f"{preset}: {what}" for preset in ("default", "paper") for what in ("NMI", "AC")) + " |"
    yield "| --- | --- | --- | --- | --- |"
    for name in SETS:
        for mask in masks if name in MASKED else ("",):
            default = runs(command, name, mask, [], scratch)
            paper = runs(command, name, mask, ["--preset", "paper", "--passes", 5], scratch)
            yield (f"| {label(name, mask)} | {mean(default, 'nmi_best')} | {mean(default, 'ac_best')} | {mean(paper, 'nmi')} | "
                   f"{mean(paper, 'ac')} |")


def ablation_table(command, scratch):
    cells = [cell for cell in CELLS if cell[0] != "hdigit"]
    yield "| switched off | " + " | ".join(label(name, mask) for name, mask, *_ in cells) + " |"
    yield "| --- |" + " --- |" * len(cells)
    for what, options in ABLATION:
        row = []
        for name, mask, *_ in cells:
            chosen = ["--rank", CLUSTERS[name]] if options == "rank" else options
            row.append(f"{statistics.mean(r['nmi_best'] for r in runs(command, name, mask, chosen, scratch)):.3f}")
        yield f"| {what} | " + " | ".join(row) + " |"


def main():
    tables = {"paper": paper_table, "grid": grid_table, "default": default_table, "all": all_table, "ablation": ablation_table}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=tables)
    parser.add_argument("--omvc", default=ROOT / "build" / "omvc")
    parser.add_argument("--write", action="store_true", help="put the table into docs/quality.md")
    arguments = parser.parse_args()
    if not DATA.is_dir():
        sys.exit(f"no data at {DATA}: set OMVC_DATA")
    lines = []
    with tempfile.TemporaryDirectory() as scratch:
        for line in tables[arguments.table](arguments.omvc, scratch):
            print(line, flush=True)
            lines.append(line)
    stamp = (f"{datetime.date.today()}, {platform.machine()}, 2 cores; "
             f"`python3 experiments/quality.py {arguments.table} --write`")
    if arguments.write:
        page = ROOT / "docs" / "quality.md"
        pattern = rf"(<!-- {arguments.table} -->\n).*?(<!-- end -->)"
        block = "\n".join([*lines, "", f"Measured {stamp}.", ""])
        page.write_text(re.sub(pattern, lambda m: m[1] + block + m[2], page.read_text(), flags=re.S))


if __name__ == "__main__":
    main()
