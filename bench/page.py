#!/usr/bin/env python3
"""Time and size of the page beside the fit that it belongs to, for planted data of several sizes.

    bench/page.py [--folder DIR] [--rows 1000,100000,5000000]      prints the table
    bench/page.py --write                                          also puts it into docs/report.md

Two views, 8 and 20 dense features, 40 % missing, 6 clusters; the file is read from the page cache. The page is timed inside the
same run as the fit (`--json`, profile.page). Beside it the processor time of a fit without a page, and of `omvc report` of its
model less that of `omvc info`, which loads it, too: what tells on a machine that others use. The least of three (a fit of
more than 100,000: of one).
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "experiments"))
import docs_page  # noqa: E402


def run(*command):
    """What a command prints, and the processor time that it took, which other work on the machine hardly changes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return told, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(omvc, folder, rows):
    data = os.path.join(folder, f"omvc-page-{rows}.h5mu")
    page, model = os.path.join(folder, "omvc-page.html"), os.path.join(folder, "omvc-page.omvc")
    if not os.path.exists(data):
        run(omvc, "generate", data, "--rows", str(rows), "--features", "8,20", "--density", "1,1", "-k", "6", "--missing", "0.4",
            "--seed", "1", "--quiet")
    told, _ = run(omvc, "fit", data, "-k", "6", "--json", "--quiet", "--report", page)
    report = json.loads(told)
    repeat = 3 if rows <= 100_000 else 1
    fit_time = min(run(omvc, "fit", data, "-k", "6", "--quiet", "--model", model)[1] for _ in range(repeat))
    loading = min(run(omvc, "info", model)[1] for _ in range(3))
    page_time = min(run(omvc, "report", model, "-o", page + ".model.html")[1] for _ in range(3)) - loading
    seconds, own = report["seconds"], report["profile"]["page"]
    return (f"| {rows:,} | {seconds:.2f} | {own:.2f} | {100 * own / seconds:.1f} % | {fit_time:.2f} | {page_time:.2f} "
            f"| {100 * page_time / fit_time:.1f} % | {os.path.getsize(page) / 1e6:.2f} | {report['peak_rss_bytes'] / 1e6:.0f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--omvc", default="build/omvc")
    parser.add_argument("--folder", default=tempfile.gettempdir(), help="where the data are written and kept")
    parser.add_argument("--rows", default="1000,100000,5000000")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    lines = ["| instances | fit, s | page, s | share | fit, CPU s | page, CPU s | share of CPU | page, MB | peak, MB |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    for rows in map(int, arguments.rows.split(",")):
        lines.append(measure(arguments.omvc, arguments.folder, rows))
        print(lines[-1], flush=True)
    print("\n".join(lines))
    if arguments.write:
        docs_page.put("report.md", "page.py", "\n".join([*lines, "", docs_page.stamp("bench/page.py --write")]))


if __name__ == "__main__":
    main()
