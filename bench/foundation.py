#!/usr/bin/env python3
"""Time of a pass beside the authors' script and memory against the number of instances; see
docs/performance.md.

    python3 bench/foundation.py              prints the tables
    python3 bench/foundation.py --write      also puts them into docs/performance.md
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "experiments"))
import docs_page  # noqa: E402
from datasets import DATA, SEEDS, arguments_of  # noqa: E402

# Seconds of the authors' Octave script on this class of machine, first and second pass (data/README.md): the low ends.
REPEAT = 3  # of every run; other work on the machine only ever adds to its time
SCRIPT = {("digit", ""): (57, 18), ("digit", "cyclic-40"): (52, 18), ("webkb", ""): (23, 13)}


def passes(command, name, mask, seed, scratch):
    """Processor seconds of the first and the second pass on one thread."""
    arguments = arguments_of(name, mask, seed, ["--passes", 2], scratch)
    program = Path(command).parent / "bench" / "omvc_passes"
    out = json.loads(subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout)
    return [each["seconds"] for each in out["per_pass"]]


def time_table(command, scratch):
    yield "| data | chunk | first pass, s | second pass, s | authors' script, s | times faster |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for (name, mask), (first, second) in SCRIPT.items():
        results = [[passes(command, name, mask, s, scratch) for _ in range(REPEAT)] for s in SEEDS]
        ours = [statistics.median(min(run[p] for run in runs) for runs in results) for p in (0, 1)]
        yield (f"| {name}{', 40 % missing' if mask else ''} | 50 | {ours[0]:.3f} | {ours[1]:.3f} | {first}; {second} | "
               f"{first / ours[0]:.0f}; {second / ours[1]:.0f} |")


def write_planted(path, rows, seed):
    """Two clusters in eight columns, written row by row."""
    state = seed
    with open(path, "w") as file:
        for i in range(rows):
            values = []
            for j in range(8):
                state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
                values.append(f"{(state >> 40) / 2**24 + (1 if (j < 4) == (i % 2 == 0) else 0):.4f}")
            file.write(",".join(values) + "\n")


def memory_table(command, scratch):
    yield "| instances | preset | peak memory, MB | against 20,000 |"
    yield "| --- | --- | --- | --- |"
    for preset in ("paper", "default"):
        base = None
        for rows in (20_000, 200_000):
            paths = []
            for view in (1, 2):
                path = Path(scratch) / f"{rows}-{view}.csv"
                if not path.exists():
                    write_planted(path, rows, view)
                paths.append(str(path))
            done = subprocess.run([str(command), "fit", *paths, "-k", "2", "--preset", preset, "--passes", "1", "--json",
                                   "--quiet", "--chunk", "500"], capture_output=True, text=True, check=True)
            peak = json.loads(done.stdout)["peak_rss_bytes"]
            base = base or peak
            yield f"| {rows:,} | {preset} | {peak / 1e6:.1f} | {peak / base:.3f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--omvc", default=ROOT / "build" / "omvc")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/performance.md")
    arguments = parser.parse_args()
    for name, table in (("time", time_table), ("memory", memory_table)):
        if name == "time" and not DATA.is_dir():
            print(f"no data at {DATA}: set OMVC_DATA; times skipped")
            continue
        with tempfile.TemporaryDirectory() as scratch:
            lines = list(table(arguments.omvc, scratch))
        print("\n".join(lines) + "\n")
        if arguments.write:
            stamp = docs_page.stamp("bench/foundation.py --write")
            docs_page.put("performance.md", name, "\n".join([*lines, "", stamp]))


if __name__ == "__main__":
    main()
