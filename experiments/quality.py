#!/usr/bin/env python3
"""Clustering quality on the fixed masks and seeds, as Markdown tables; see docs/quality.md.

    python3 experiments/quality.py paper             the paper's preset beside the paper's figures
    python3 experiments/quality.py grid              the paper's preset on WebKB over alpha and beta
    python3 experiments/quality.py default           the default, read once and as a file, beside the best peer
    python3 experiments/quality.py choice            the number of clusters where none is given
    python3 experiments/quality.py all               default and paper's preset on every data set and mask; prints only
    python3 experiments/quality.py paper --write     also puts the table into docs/quality.md
    python3 experiments/quality.py check             measures the quick rows of two tables again, and ends with an error
                                                     where docs/quality.md has another figure

Means over seeds 0-4. Nothing is tuned with labels unless the table says so.
"""

import argparse
import statistics
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import docs_page
from datasets import DATA, MASKED, ROOT, SEEDS, SETS, fit

CELLS = [  # data set, mask, the best that was measured of peers that a user can install: here, or in docs/python.md
    ("digit", "", "SpectralClustering 0.938"),
    ("digit", "sorted", "SpectralClustering 0.938"),
    ("digit", "cyclic-40", "PIMVC 0.854"),
    ("digit", "independent-40", "PIMVC 0.879"),
    ("digit-noise", "cyclic-40", "–"),
    ("hdigit", "", "Leiden 0.987"),
    ("hdigit", "independent-40", "PIMVC 0.829"),
    ("hdigit", "cyclic-40", "masked k-means 0.440"),
    ("bdgp", "", "SpectralClustering 0.925"),
    ("bdgp-two-views", "half", "–"),
    ("webkb", "", "OPIMC 0.732"),
    ("webkb", "cyclic-40", "NEMO 0.644"),
    ("reuters-1200", "cyclic-40", "concat k-means 0.338"),
    ("3sources", "", "NEMO 0.744"),
    ("bbcsport", "", "PIMVC 0.847"),
    ("citeseq", "", "KMeans 0.954"),
]
CHOOSING = [("digit", ""), ("digit", "cyclic-20"), ("digit", "independent-20"), ("hdigit", ""), ("hdigit", "cyclic-20"),
            ("hdigit", "independent-20"), ("bdgp", ""), ("webkb", ""), ("bbcsport", ""), ("3sources", "")]
QUICK = [("digit", ""), ("digit", "cyclic-40"), ("bdgp", ""), ("webkb", ""), ("webkb", "cyclic-40"), ("3sources", ""), ("bbcsport", "")]
LEAST_SPREAD = 0.003  # where all seeds agree: other processors may round the last bits otherwise
NO_DATA = 77          # ctest: skipped
CLUSTERS = {"digit": 10, "hdigit": 10, "webkb": 2, "reuters-1200": 6, "3sources": 6, "bbcsport": 5, "bdgp": 5}


def label(name, mask):
    if mask == "sorted":
        return f"{name}, sorted by class"
    names = {"digit-noise": "digit and two views of noise", "bdgp-two-views": "bdgp, two views"}
    if mask == "half":
        return f"{names[name]}, half of the rows lack one"
    return names.get(name, name) + (f", {mask.replace('-', ' ')} %" if mask else "")


def runs(command, name, mask, options, scratch):
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda seed: fit(command, name, mask, seed, [*options, "--threads", 1], scratch), SEEDS))


def mean(results, key):
    values = [r[key] for r in results]
    return f"{statistics.mean(values):.3f} ± {statistics.pstdev(values):.3f}"


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
    yield "| data | NMI, read once | NMI, file | AC, file | best peer, NMI | seconds, file |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for name, mask, peer in CELLS:
        once = runs(command, name, mask, ["--once"], scratch)
        file = runs(command, name, mask, [], scratch)
        seconds = statistics.mean(r["seconds"] for r in file)
        if peer != "–" and float(peer.split()[-1]) > statistics.mean(r["nmi_best"] for r in file):
            peer = f"**{peer}**"
        yield (f"| {label(name, mask)} | {mean(once, 'nmi_best')} | {mean(file, 'nmi_best')} | {mean(file, 'ac_best')} | "
               f"{peer} | {seconds:.1f} |")


def choice_table(command, scratch):
    yield "| data | true K | chosen, by seed | said to be clear |"
    yield "| --- | --- | --- | --- |"
    for name, mask in CHOOSING:
        results = runs(command, name, mask, ["-k", 0], scratch)
        chosen = ", ".join(str(r["clusters"]) for r in results)
        clear = ", ".join("yes" if r["choice"]["clear"] else "no" for r in results)
        yield f"| {label(name, mask)} | {CLUSTERS[name]} | {chosen} | {clear} |"


def stated(mark, row, column):
    """A figure of docs/quality.md and its spread, by mark, first cells of the row and name of the column."""
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in docs_page.block("quality.md", mark) if line.startswith("|")]
    cells = next(line for line in lines if line[:len(row)] == row)
    mean_text, spread = cells[lines[0].index(column)].split(" ± ")
    return float(mean_text), float(spread)


def check(command, scratch):
    """Whether what docs/quality.md says of data that take seconds is what comes out now."""
    paper = ["alpha 1e-2, beta 1e-7"]
    cells = [("default", name, mask, [], [], "NMI, file", "nmi_best") for name, mask in QUICK]
    cells += [("paper", name, "", paper, ["--preset", "paper"], "NMI", "nmi") for name in ("digit", "webkb")]
    passed = failed = 0
    for mark, name, mask, more, options, column, key in cells:
        was, spread = stated(mark, [label(name, mask), *more], column)
        found = statistics.mean(r[key] for r in runs(command, name, mask, options, scratch))
        same = abs(found - was) <= max(spread, LEAST_SPREAD)
        passed, failed = passed + same, failed + (not same)
        print(f"{'' if same else 'DIFFERS: '}{mark}, {label(name, mask)}: {was:.3f} ± {spread:.3f} in docs/quality.md, {found:.3f} now", flush=True)
    print(f"{passed} passed, {failed} failed")
    return failed == 0


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


def publish(name, table, command, write):
    """Prints the lines of a table as they come and, where asked for, puts them into their place in docs/quality.md."""
    lines = []
    for line in table:
        print(line, flush=True)
        lines.append(line)
    if not write:
        return
    docs_page.put("quality.md", name, "\n".join([*lines, "", docs_page.stamp(command)]))


def main():
    tables = {"paper": paper_table, "grid": grid_table, "default": default_table, "choice": choice_table, "all": all_table}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=[*tables, "check"])
    parser.add_argument("--omvc", default=ROOT / "build" / "omvc")
    parser.add_argument("--write", action="store_true", help="put the table into docs/quality.md")
    arguments = parser.parse_args()
    if arguments.write and arguments.table in ("all", "check"):
        parser.error("docs/quality.md has no place for this")
    if not DATA.is_dir():
        print(f"no data at {DATA}: set OMVC_DATA", file=sys.stderr)
        sys.exit(NO_DATA if arguments.table == "check" else 1)
    with tempfile.TemporaryDirectory() as scratch:
        if arguments.table == "check":
            sys.exit(0 if check(arguments.omvc, scratch) else 1)
        publish(arguments.table, tables[arguments.table](arguments.omvc, scratch),
                f"experiments/quality.py {arguments.table} --write", arguments.write)


if __name__ == "__main__":
    main()
