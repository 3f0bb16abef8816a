#!/usr/bin/env python3
"""Streams large planted sets from .h5mu and tells seconds per pass, the share of them spent waiting for data, and peak memory.

    bench/out_of_core.py [--folder DIR] [reuters youtube growth]      prints the table
    bench/out_of_core.py --write                                      also puts it into docs/performance.md

reuters, youtube: the shapes of the paper's large data sets (omvc generate --shape), 40 % missing, read from the page cache.
growth: 100,000 against 5,000,000 instances of one dense and one sparse view, whole runs; the ratio of the peaks is what counts.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "experiments"))
import docs_page  # noqa: E402


def run(arguments):
    return subprocess.run(arguments, check=True, stdout=subprocess.PIPE, text=True).stdout


def fit(omvc, path, k, *more):
    report = json.loads(run([omvc, "fit", path, "-k", str(k), "--json", "--quiet", *more]))
    seconds = sum(each["seconds"] for each in report["per_pass"]) / len(report["per_pass"])
    waited = sum(each["waited"] for each in report["per_pass"]) / len(report["per_pass"])
    return report, seconds, waited


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--omvc", default="build/omvc")
    parser.add_argument("--folder", default=tempfile.gettempdir(), help="where the data are written and kept")
    parser.add_argument("--rows", type=int, default=5_000_000, help="of growth")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("what", nargs="*", default=["reuters", "youtube", "growth"])
    arguments = parser.parse_args()

    def data(name, *shape):
        path = os.path.join(arguments.folder, f"omvc-{name}.h5mu")
        if not os.path.exists(path):
            run([arguments.omvc, "generate", path, "--seed", "1", *shape])
        return path

    lines = []

    def say(text):
        lines.append(text)
        print(text, flush=True)

    say("| data | instances | file MB | s per pass | waiting | peak MB |")
    say("| --- | --- | --- | --- | --- | --- |")

    def row(name, path, report, seconds, waited):
        say(f"| {name} | {report['n']:,} | {os.path.getsize(path) / 1e6:.0f} | {seconds:.1f} | {waited / seconds:.1%} "
            f"| {report['peak_rss_bytes'] / 1e6:.0f} |")

    # Two passes of one run: what a pass costs does not depend on how many there are.
    for name, k in (("reuters", 6), ("youtube", 31)):
        if name not in arguments.what:
            continue
        path = data(name, "--shape", name)
        row(name, path, *fit(arguments.omvc, path, k, "--passes", "2"))
    if "growth" in arguments.what:
        peaks = []
        for rows in (100_000, arguments.rows):
            path = data(f"growth-{rows}", "--rows", str(rows), "--features", "16,500", "--density", "1,0.02", "-k", "5",
                        "--missing", "0.4")
            report, seconds, waited = fit(arguments.omvc, path, 5, "--passes", "2")
            row("growth", path, report, seconds, waited)
            peaks.append(report["peak_rss_bytes"])
        say(f"\nPeak memory, {arguments.rows:,} against 100,000 instances: {peaks[1] / peaks[0]:.3f}.")
    say("\n" + docs_page.stamp("bench/out_of_core.py --write"))
    if arguments.write:
        docs_page.put("performance.md", "out-of-core", "\n".join(lines))


if __name__ == "__main__":
    main()
