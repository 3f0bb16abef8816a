#!/usr/bin/env python3
"""Reading speed of CSV: omvc beside pandas (its own engine and pyarrow's) and polars, in one run, on one machine.

Every reader gets the same files and delivers all values as float64; each runs as often as --repeats says, in turn, and
its best time counts: MB per second that passed, and MB per second of work of all its threads, which a busy machine changes
less. Needs build-bench (make bench) and pandas, pyarrow and polars in the Python that runs this.
"""

import argparse
import os
import random
import resource
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def write_table(path, rows, columns, ids):
    """Numbers with six digits, one in twenty missing from a table with ids."""
    generator = random.Random(1)
    with open(path, "w") as out:
        out.write(",".join((["id"] if ids else []) + [f"f{j}" for j in range(columns)]) + "\n")
        for i in range(rows):
            cells = [f"{generator.random():.6f}" for _ in range(columns)]
            if ids:
                cells[i % columns] = "" if i % 20 == 0 else cells[i % columns]
                cells.insert(0, f"sample{i}")
            out.write(",".join(cells) + "\n")


def readers(program):
    """Functions that read a file and return the seconds that passed and the seconds of work; those whose package is not
    there are left out."""
    def omvc(path):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([program, path], capture_output=True, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        work = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return float(done.stdout.split()[0]), work

    def timed(read):
        def run(path):
            start, work = time.perf_counter(), time.process_time()
            read(path)
            return time.perf_counter() - start, time.process_time() - work
        return run

    found = {"omvc": omvc}
    try:
        import pandas
        found["pandas"] = timed(pandas.read_csv)
        import pyarrow  # noqa: F401
        found["pandas, pyarrow"] = timed(lambda path: pandas.read_csv(path, engine="pyarrow"))
    except ImportError:
        pass
    try:
        import polars
        found["polars"] = timed(polars.read_csv)
    except ImportError:
        pass
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build-bench" / "bench" / "omvc_reading"))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--rows", type=int, default=100_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tables = {"numbers": (arguments.rows, 50, False), "ids, missing cells": (arguments.rows, 50, True),
                  "wide": (arguments.rows // 100, 5000, False)}
        programs = readers(arguments.program)
        print("| table | MB | " + " | ".join(programs) + " |\n| --- |" + " --- |" * (len(programs) + 1))
        for name, (rows, columns, ids) in tables.items():
            path = os.path.join(folder, "table.csv")
            write_table(path, rows, columns, ids)
            size = os.path.getsize(path) / 1e6
            best = {program: (float("inf"), float("inf")) for program in programs}
            for _ in range(arguments.repeats):
                for program, read in programs.items():
                    best[program] = tuple(map(min, best[program], read(path)))
            print(f"| {name}, {rows:,} x {columns:,} | {size:.0f} | "
                  + " | ".join(f"{size / best[program][0]:.0f}, {size / best[program][1]:.0f}" for program in programs)
                  + " |", flush=True)


if __name__ == "__main__":
    main()
