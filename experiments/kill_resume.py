#!/usr/bin/env python3
"""Kills a fit with SIGKILL at random moments, resumes it, and compares all its outputs with those of a run left alone.

    experiments/kill_resume.py --cycles 500
    experiments/kill_resume.py --cycles 500 --fight    two runs at a time, with one checkpoint
    experiments/kill_resume.py --devices cuda,cpu      every other run on another device, the last alone

A cycle is one kill and one resume. A run that ends before it is killed is compared and a new one is started. With
--fight a second run with the same checkpoint starts a random while after the first: it has to be refused while the
first lives, and to go on from its checkpoint once that was killed. Exits 1 if any run ends with other bits, or in any
way but these. Data: omvc generate, a dense and a sparse view, 40 % missing.
"""
import argparse
import collections
import filecmp
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

OUTPUTS = {"--labels": ".csv", "--embedding": ".npy", "--model": ".omvc", "--predictor": ".small", "--output": ".h5mu"}
REFUSED = 2


class Runs:
    def __init__(self, arguments):
        self.moments = random.Random(arguments.seed)
        self.folder = tempfile.mkdtemp(prefix="omvc-kill-")
        self.omvc = arguments.omvc
        self.memory = arguments.memory
        self.devices = arguments.devices.split(",")
        self.started = 0
        self.counts = collections.Counter()
        subprocess.run([self.omvc, "generate", self.path("data.h5mu"), "--rows", str(arguments.rows), "--features",
                        "40,600", "--density", "1,0.03", "-k", "5", "--missing", "0.4", "--seed", "1", "--quiet"],
                       check=True)
        start = time.monotonic()
        subprocess.run(self.command("alone", "--device", self.devices[-1]), check=True)
        self.alone = time.monotonic() - start

    def path(self, name):
        return os.path.join(self.folder, name)

    def command(self, name, *more):
        named = [word for option, ending in OUTPUTS.items() for word in (option, self.path(name + ending))]
        return [self.omvc, "fit", self.path("data.h5mu"), "-k", "5", "--memory", self.memory, "--quiet", *named, *more]

    def checkpointed(self, name):
        self.started += 1
        return self.command(name, "--checkpoint", self.path("ckpt"), "--checkpoint-seconds", "0.02", "--resume", "--device",
                            self.devices[(self.started - 1) % len(self.devices)])

    def start(self, name):
        return subprocess.Popen(self.checkpointed(name), stderr=subprocess.PIPE)

    def compare(self, name):
        self.counts["completed"] += 1
        for ending in OUTPUTS.values():
            if not filecmp.cmp(self.path("alone" + ending), self.path(name + ending), shallow=False):
                self.counts["different"] += 1
                print(f"run {self.counts['completed']}: {ending} differs", file=sys.stderr)

    def end(self, process, name, seconds):
        """Waits so long and kills. A run that ended is compared."""
        try:
            _, errors = process.communicate(timeout=max(seconds, 0))
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self.counts["kills"] += 1
            return
        if process.returncode == REFUSED and b"another run" in errors:
            self.counts["refused"] += 1
        elif process.returncode != 0:
            sys.exit(f"a run failed with {process.returncode}: {errors.decode()}; see {self.folder}")
        else:
            self.compare(name)

    def moment(self):
        # Short enough that a run is killed several times before it is done.
        return self.moments.uniform(0, 0.6 * self.alone)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--omvc", default="build/omvc")
    parser.add_argument("--cycles", type=int, default=100)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--memory", default="64", help="of fit: 0.1 is less than the data take")
    parser.add_argument("--devices", default="cpu", help="of fit, one run after another")
    parser.add_argument("--fight", action="store_true")
    arguments = parser.parse_args()
    runs = Runs(arguments)
    while runs.counts["kills"] < arguments.cycles:
        first = runs.start("first")
        if not arguments.fight:
            runs.end(first, "first", runs.moment())
            continue
        time.sleep(runs.moment())
        second = runs.start("second")
        runs.end(first, "first", runs.moment())
        runs.end(second, "second", runs.moment())
    subprocess.run(runs.checkpointed("first"), check=True)
    runs.compare("first")
    left = [name for name in os.listdir(runs.folder) if name.startswith((".omvc-part", "ckpt"))]
    print(f"{runs.counts['kills']} kills, {runs.counts['completed']} runs completed, "
          f"{runs.counts['refused']} refused, {runs.counts['different']} outputs that differ, "
          f"{len(left)} files left behind")
    shutil.rmtree(runs.folder)
    sys.exit(1 if runs.counts["different"] or left else 0)


if __name__ == "__main__":
    main()
