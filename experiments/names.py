#!/usr/bin/env python3
"""Whether clusters keep their numbers while a model goes on learning: `omvc fit`, then `omvc update` chunk by chunk.

    python3 experiments/names.py             prints the tables
    python3 experiments/names.py --write     also puts them into docs/streaming.md

12 chunks of 500 planted rows, two views of 8 and 20 features, 40 % missing, unit variance about the centres; after each chunk
`omvc assign` labels the same 500 probe rows, which are never learned. A probe is renamed if it gets another number although its
cluster stays the same: two thirds of all probes in its old or new one are in both. In the second stream a
cluster appears after half of the chunks: its number must be one that no probe of another cluster has.
Seeds 0-4. Python's standard library.
"""
import argparse
import collections
import csv
import json
import random
import statistics
import subprocess
import tempfile
from pathlib import Path

import docs_page
from datasets import ROOT, SEEDS

CHUNKS, ROWS, PROBES, CLUSTERS, FEATURES, MISSING = 12, 500, 500, 6, (8, 20), 0.4
SPREADS = {"far apart": 3.0, "near each other": 1.5}  # standard deviation of the centres, in that of a cluster


class Planted:
    def __init__(self, spread, seed):
        self.draw = random.Random(f"{spread} {seed}")
        self.centres = [[[self.draw.gauss(0, spread) for _ in range(d)] for d in FEATURES] for _ in range(CLUSTERS)]

    def write(self, folder, name, rows, clusters):
        """Rows of the first `clusters` clusters as files of two views; returns the arguments of omvc, and the truth."""
        truth = [self.draw.randrange(clusters) for _ in range(rows)]
        lacking = [self.draw.randrange(2) if self.draw.random() < MISSING else -1 for _ in range(rows)]
        paths = []
        for v, d in enumerate(FEATURES):
            lines = ["id," + ",".join(f"f{j}" for j in range(d))]
            lines += [f"{name}{i}," + ",".join(f"{self.draw.gauss(x, 1):.4f}" for x in self.centres[c][v])
                      for i, c in enumerate(truth) if lacking[i] != v]
            paths.append(folder / f"{name}-{v}.csv")
            paths[-1].write_text("\n".join(lines) + "\n")
        return [f"v{v}={path}" for v, path in enumerate(paths)], {f"{name}{i}": c for i, c in enumerate(truth)}


def run(*command):
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


def learned(omvc, folder, spread, seed, options, alive):
    """Chunk by chunk: the numbers of the probes by id, and the events. `alive(chunk)`: how many clusters send rows."""
    planted = Planted(spread, seed)
    probes, truth = planted.write(folder, "probe", PROBES, CLUSTERS)
    model, states = folder / "model.omvc", []
    for chunk in range(CHUNKS):
        data, _ = planted.write(folder, "row", ROWS, alive(chunk))
        if chunk == 0:
            run(omvc, "fit", *data, *options, "--seed", seed, "--model", model, "--quiet")
            events = []
        else:
            events = json.loads(run(omvc, "update", model, *data, "--json", "--quiet"))["events"]
        run(omvc, "assign", model, *probes, "--labels", folder / "labels.csv", "--quiet")
        with open(folder / "labels.csv", newline="") as file:
            states.append(({row["id"]: int(row["label"]) for row in csv.DictReader(file)}, events))
    return states, truth


def renamed(before, after):
    """Shares of the probes that have another number, and that have it although their cluster is the same by two thirds."""
    shared = collections.Counter((before[probe], after[probe]) for probe in before)
    old, new = collections.Counter(before.values()), collections.Counter(after.values())
    other = {pair: count for pair, count in shared.items() if pair[0] != pair[1]}
    same = [count for (i, j), count in other.items() if count > 2 / 3 * (old[i] + new[j] - count)]
    return sum(other.values()) / len(before), sum(same) / len(before)


def standing(omvc, folder):
    yield "| clusters | K | another number, mean | worst chunk | renamed, mean | worst chunk |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for name, spread in SPREADS.items():
        for options in (["-k", CLUSTERS], []):
            steps = []
            for seed in SEEDS:
                states, _ = learned(omvc, folder, spread, seed, options, lambda _: CLUSTERS)
                steps += [renamed(a, b) for (a, _), (b, _) in zip(states, states[1:])]
            changed, stayed = zip(*steps)
            yield (f"| {name} | {'given' if options else 'not given'} | {statistics.mean(changed):.2%} | {max(changed):.1%} | "
                   f"{statistics.mean(stayed):.2%} | {max(stayed):.1%} |")


def appearing(omvc, folder):
    yield "| clusters | K | chunks until it has a number of its own, by seed | events in these chunks |"
    yield "| --- | --- | --- | --- |"
    half, new = CHUNKS // 2, CLUSTERS - 1
    for name, spread in SPREADS.items():
        for options in (["-k", CLUSTERS], []):
            waits, told = [], []
            for seed in SEEDS:
                states, truth = learned(omvc, folder, spread, seed, options, lambda c: CLUSTERS - (c < half))
                known = {event["cluster"] for _, events in states[:half] for event in events} | set(states[half - 1][0].values())
                wait = "never"
                for chunk in range(half, CHUNKS):
                    numbers, events = states[chunk]
                    own = collections.Counter(n for probe, n in numbers.items() if truth[probe] == new)
                    other = collections.Counter(n for probe, n in numbers.items() if truth[probe] != new)
                    number, count = own.most_common(1)[0]
                    if count > 0.8 * own.total() and other[number] < 0.2 * count and number not in known:
                        wait = chunk - half + 1
                        told += [event["event"] for event in events if event["cluster"] == number]
                        break
                waits.append(wait)
            kinds = ", ".join(f"{count} {kind}" for kind, count in collections.Counter(told).most_common())
            yield f"| {name} | {'given' if options else 'not given'} | {', '.join(map(str, waits))} | {kinds or 'none'} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--omvc", default=ROOT / "build" / "omvc")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/streaming.md")
    arguments = parser.parse_args()
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for table in (standing, appearing):
            for line in table(arguments.omvc, Path(folder)):
                print(line, flush=True)
                lines.append(line)
            lines.append("")
    if arguments.write:
        docs_page.put("streaming.md", "experiments/names.py", "\n".join([*lines, docs_page.stamp("experiments/names.py --write")]))


if __name__ == "__main__":
    main()
