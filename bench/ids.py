#!/usr/bin/env python3
"""How often CSV with sample ids is read in a whole `omvc fit`, and how long that takes, beside another build of omvc.

    python3 bench/ids.py build/omvc OTHER/omvc

Every table is two files of the same samples, which the programs fit in turn as often as --repeats says; the best time
of each counts. "read" is bytes read over the size of the files, as the system counts them for the process; "open" and
"look" are the steps of `--profile` that read (opening the data, the first look at them), "fit" is the whole command and
"work" the seconds of all its threads, which a busy machine changes less. Labels must be the same.
"""

import argparse
import os
import random
import re
import resource
import subprocess
import tempfile
import time
from pathlib import Path


def write_table(path, order, columns, seed, id_name="id", prefix="sample", words=False):
    """Numbers with six digits around one of five centres, a cell missing from every twentieth row."""
    generator = random.Random(seed)
    with open(path, "w") as out:
        out.write(",".join([id_name] + [f"f{j}" for j in range(columns)] + (["site"] if words else [])) + "\n")
        for i in order:
            cells = [f"{i % 5 + generator.gauss(0, 1):.6f}" for _ in range(columns)]
            if i % 20 == 0:
                cells[i % columns] = ""
            if words:
                cells.append("abc"[i % 3])
            out.write(",".join([f"{prefix}{i}"] + cells) + "\n")


def write_tables(folder, rows):
    """Names and the two files of each."""
    straight = list(range(rows))
    other = straight[:]
    random.Random(3).shuffle(other)
    few = max(rows // 20, 100)
    numbers = {"id_name": "visit", "prefix": "", "words": True}
    tables = {f"same order, {rows:,} x 50 and 30": ((straight, 50, {}), (straight, 30, {})),
              f"other order, {rows:,} x 50 and 30": ((straight, 50, {}), (other, 30, {})),
              f"wide, {few:,} x 2,000 and 1,000": ((straight[:few], 2000, {}), (straight[:few], 1000, {})),
              f"words, {rows:,} x 51 and 31": ((straight, 50, {"words": True}), (straight, 30, {"words": True})),
              f"numbers as ids, words, {rows:,} x 51 and 31": ((straight, 50, numbers), (straight, 30, numbers))}
    for number, (name, files) in enumerate(tables.items()):
        paths = []
        for seed, (order, columns, more) in enumerate(files):
            paths.append(os.path.join(folder, f"{number}-{'ab'[seed]}.csv"))
            write_table(paths[-1], order, columns, seed, **more)
        yield name, paths


def profile_seconds(text, step):
    found = re.search(rf"^ +{step} +([0-9.]+)", text, flags=re.M)
    return float(found[1]) if found else float("nan")


def fit(program, paths, threads, labels):
    """Seconds of the whole command, of opening, of the first look, and of work."""
    command = [program, "fit", *paths, "-k", "5", "--threads", str(threads), "--labels", labels, "--profile"]
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    work = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    told = done.stdout + done.stderr
    return seconds, profile_seconds(told, "opening the data"), profile_seconds(told, "first look at the data"), work


def bytes_read(program, paths):
    """Of a whole fit, less what a program reads that does nothing (libraries, the locale)."""
    def run(arguments):
        # A process that has ended is still in /proc until it is waited for.
        process = subprocess.Popen([program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        told = Path(f"/proc/{process.pid}/io").read_text()
        process.wait()
        return int(re.search(r"rchar: (\d+)", told)[1])
    return run(["fit", *paths, "-k", "5", "--threads", "1"]) - run(["--version"])


def compare(name, paths, arguments, folder):
    size = sum(os.path.getsize(path) for path in paths)
    programs = [arguments.program] + ([arguments.other] if arguments.other else [])
    read = [bytes_read(program, paths) / size for program in programs]
    for threads in arguments.threads:
        best = [(float("inf"),) * 4 for _ in programs]
        labels = [os.path.join(folder, f"labels-{p}.csv") for p in range(len(programs))]
        for _ in range(arguments.repeats):
            for p, program in enumerate(programs):
                best[p] = tuple(map(min, best[p], fit(program, paths, threads, labels[p])))
        if len({Path(path).read_bytes() for path in labels}) > 1:
            raise SystemExit(f"{name}: the labels differ")
        cells = [name, f"{size / 1e6:.0f}", str(threads), " / ".join(f"{r:.2f}" for r in read)]
        for step in (1, 2, 0, 3):
            cells.append(" / ".join(f"{b[step]:.3f}" for b in best))
        if arguments.other:
            cells.append(f"{(best[1][1] + best[1][2]) / (best[0][1] + best[0][2]):.2f}")
            cells.append(f"{best[1][0] / best[0][0]:.2f}")
            cells.append(f"{best[1][3] / best[0][3]:.2f}")
        print("| " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("other", nargs="?", help="the omvc to compare with, such as that of the version before")
    parser.add_argument("--rows", type=int, default=30_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    arguments = parser.parse_args()
    heads = ["table", "MB", "threads", "read", "open, s", "look, s", "fit, s", "work, s"]
    if arguments.other:
        heads += ["times faster: open and look", "fit", "work"]
    print("| " + " | ".join(heads) + " |\n|" + " --- |" * len(heads))
    with tempfile.TemporaryDirectory() as folder:
        for name, paths in write_tables(folder, arguments.rows):
            compare(name, paths, arguments, folder)


if __name__ == "__main__":
    main()
