#!/usr/bin/env python3
"""Kills one process of a fit by several with SIGKILL at a random moment, resumes with another number of processes, and
compares the outputs with those of one process left alone.

    python3 experiments/rank_kills.py --kills 50
    python3 experiments/rank_kills.py --kills 50 --write      also puts the figures into docs/scaling.md

A run that takes longer than a minute is a hang. After each kill the run is resumed with another number of processes, 1 to 4,
and killed again half of the time. Exits 1 on a hang or another bit. Needs mpirun and a command that was built with MPI.
"""
import argparse
import collections
import filecmp
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import docs_page

ROOT = Path(__file__).resolve().parent.parent
OUTPUTS = {"--labels": "csv", "--embedding": "npy", "--model": "omvc"}
LIMIT = 60  # seconds, after which a run hangs


class Runs:
    def __init__(self, omvc, seed, folder):
        self.omvc, self.folder = str(omvc), Path(folder)
        self.random = random.Random(seed)
        self.counts = collections.Counter()
        subprocess.run([self.omvc, "generate", self.path("data.h5mu"), "--rows", "50000", "--features", "12,60", "--density",
                        "1,0.1", "-k", "4", "--missing", "0.3", "--seed", "1", "--quiet"], check=True)
        start = time.monotonic()
        subprocess.run(self.command("alone"), check=True)
        self.alone = time.monotonic() - start

    def path(self, name):
        return str(self.folder / name)

    def command(self, name, *more):
        named = [word for option, ending in OUTPUTS.items() for word in (option, self.path(f"{name}.{ending}"))]
        return [self.omvc, "fit", self.path("data.h5mu"), "-k", "4", "--memory", "1", "--passes", "2", "--threads", "1",
                "--quiet", *named, *more]

    def start(self, ranks):
        root = ["--allow-run-as-root"] if os.getuid() == 0 else []
        words = ["mpirun", *root, "--oversubscribe", "--bind-to", "none", "-n", str(ranks)]
        return subprocess.Popen([*words, *self.command("all", "--checkpoint", self.path("run"), "--resume")],
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)

    def ranks_of(self, run):
        """The processes of the fit that mpirun has started so far."""
        found = subprocess.run(["pgrep", "-P", str(run.pid), "-f", "fit"], capture_output=True, text=True)
        return [int(word) for word in found.stdout.split()]

    def finish(self, run):
        try:
            run.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            self.counts["hangs"] += 1
            os.killpg(run.pid, signal.SIGKILL)
            run.communicate()

    def kill_one(self, ranks):
        run = self.start(ranks)
        time.sleep(self.random.uniform(0, 2 * self.alone) + 0.3)
        alive = self.ranks_of(run)
        if alive and run.poll() is None:
            try:
                os.kill(self.random.choice(alive), signal.SIGKILL)
                self.counts["kills"] += 1
            except ProcessLookupError:
                pass  # it has just ended
        self.finish(run)
        return run.returncode == 0

    def compare(self):
        self.counts["completed"] += 1
        for ending in OUTPUTS.values():
            if not filecmp.cmp(self.path(f"alone.{ending}"), self.path(f"all.{ending}"), shallow=False):
                self.counts["different"] += 1
                print(f"run {self.counts['completed']}: {ending} differs", file=sys.stderr)
            os.remove(self.path(f"all.{ending}"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--omvc", type=Path, default=ROOT / "build" / "omvc")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="omvc-ranks-")
    runs = Runs(arguments.omvc.resolve(), arguments.seed, folder)
    while runs.counts["kills"] < arguments.kills:
        done = runs.kill_one(runs.random.randint(2, 4))
        while not done and runs.random.random() < 0.5:
            done = runs.kill_one(runs.random.randint(2, 4))
        if not done:
            run = runs.start(runs.random.randint(1, 4))
            runs.finish(run)
            done = run.returncode == 0
        if not done:
            sys.exit(f"a run that nobody killed failed; see {folder}")
        runs.compare()
    text = (f"{runs.counts['kills']} kills of a process, {runs.counts['completed']} runs completed, each resumed with another "
            f"number of processes: {runs.counts['hangs']} hangs, {runs.counts['different']} outputs that differ.")
    print(text)
    shutil.rmtree(folder)
    if arguments.write:
        docs_page.put("scaling.md", "rank-kills", f"{text}\n\n" + docs_page.stamp("experiments/rank_kills.py --write"))
    sys.exit(1 if runs.counts["hangs"] or runs.counts["different"] else 0)


if __name__ == "__main__":
    main()
