#!/usr/bin/env python3
"""Makes one call of the command after the other fail, and looks at what it leaves.

    experiments/faults.py                   every file operation, every opening of a file, every 50th allocation
    experiments/faults.py --memory-step 1   every allocation: hours
    experiments/faults.py --tmpfs           a file system that is full, at every size in steps of 4 kB (needs root)
    experiments/faults.py --only fit        one command

The n-th call fails, for n = 1, 2, 3, ... until no such call is left, for every command of PLAN on small data, once alone
and once with every call after it. What must hold: the command ends with an exit code of its own, not by a signal (except
where memory is refused, which libhdf5 does not survive: it ends the process or crashes); it is not 0 unless every output
is right; an output is either what it was before or right; nothing is left behind; and a run with a checkpoint can be
resumed to the same bits. A stream that ends early may have saved the model of the rows before. A call may fail without
harm, such as making a folder durable. Exits 1 if anything else is found, after printing it.
"""
import argparse
import collections
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile

BEFORE = b"what was there before\n"


SHAPE = "--rows 60 --features 6,20 --density 1,0.3 -k 3 --missing 0.3 --quiet"
FIT = "fit data.h5mu -k 3 --chunk 30 --passes 2 --memory 0.003 --threads 1 --quiet"
STREAM = "-k 3 --in-step --every 20 --save-every 1h --threads 1 --quiet"
PREPARE = [f"generate data.h5mu {SHAPE}", f"generate more.h5mu {SHAPE} --seed 2", f"{FIT} --model model.omvc",
           f"stream --model live.omvc {STREAM} < rows.jsonl"]
# What is tried, a line each. Names that begin with "out." are outputs, the one after --checkpoint is a checkpoint, and
# the one after < is standard input.
PLAN = {
    "generate": f"generate out.h5mu {SHAPE}",
    "fit": f"{FIT} --labels out.csv --embedding out.npy --model out.omvc --predictor out.small --output out.results.h5mu "
           "--checkpoint run --checkpoint-chunks 1 --resume",
    "convert": "convert data.h5mu -o out.h5mu --quiet",
    "assign": "assign model.omvc data.h5mu --labels out.txt --embedding out.tsv --output out.h5mu --quiet",
    "cut": "cut model.omvc -k 2 -o out.omvc",
    "mask": "mask out.txt --rows 60 --views 2",
    "update": "update out.omvc more.h5mu --threads 1 --quiet",
    "update to another": "update model.omvc more.h5mu -o out.omvc --threads 1 --quiet",
    "stream": f"stream --model out.live.omvc {STREAM} < rows.jsonl",
    "stream from nothing": f"stream --model out.new.omvc {STREAM} < rows.jsonl",
}
# What outputs are before a command where it goes on from them: a copy of this file, or nothing.
STARTS = {("update", "out.omvc"): "model.omvc", ("stream", "out.live.omvc"): "live.omvc",
          ("stream from nothing", "out.new.omvc"): None}


class Command:
    def __init__(self, name, line):
        line, _, self.input = line.partition(" < ")
        self.name, self.words = name, line.split()
        self.outputs = [word for word in self.words if word.startswith("out.")]
        follows = dict(zip(self.words, self.words[1:]))
        self.checkpoint = follows.get("--checkpoint")


def stream_rows(count):
    """JSON Lines of three clusters in two views, of which every fifth row lacks one."""
    lines = []
    for i in range(count):
        noise = random.Random(i)
        views = {name: [round(3 * (j % 3 == i % 3) + noise.random(), 3) for j in range(features)]
                 for name, features, lacking in (("a", 4, 3), ("b", 3, 4)) if i % 5 != lacking}
        lines.append(json.dumps({"id": i, **views}) + "\n")
    return "".join(lines)


class Trial:
    def __init__(self, omvc, preload, folder):
        self.omvc, self.preload, self.folder = omvc, preload, folder
        self.points = collections.Counter()
        self.codes = collections.Counter()
        self.findings = []
        self.after = {}  # models of streams that ended early, by command and rows

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, command, words=None, **variables):
        environment = dict(os.environ, TMPDIR=self.path("tmp"), **variables)
        if variables:
            environment["LD_PRELOAD"] = self.preload
        with open(self.path(command.input) if command.input else os.devnull, "rb") as rows:
            return subprocess.run([self.omvc, *(words or command.words)], cwd=self.folder, env=environment, stdin=rows,
                                  capture_output=True)

    def read(self, name):
        try:
            with open(self.path(name), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def before(self, command, name):
        if (command.name, name) not in STARTS:
            return BEFORE
        start = STARTS[command.name, name]
        return self.read(start) if start else None

    def set_before(self, command):
        for name in command.outputs:
            content = self.before(command, name)
            if content is not None:
                with open(self.path(name), "wb") as file:
                    file.write(content)
            elif os.path.exists(self.path(name)):
                os.remove(self.path(name))
        if command.checkpoint:
            if os.path.exists(self.path(command.checkpoint)):
                os.remove(self.path(command.checkpoint))
            shutil.rmtree(self.path(command.checkpoint + ".rows"), ignore_errors=True)

    def references(self, command):
        self.set_before(command)
        result = self.run(command)
        if result.returncode != 0:
            sys.exit(f"{command.name} fails by itself: {result.stderr.decode()[-400:]}")
        return {name: self.read(name) for name in command.outputs}

    def instances(self, name):
        if self.read(name) is None:
            return 0
        result = subprocess.run([self.omvc, "info", self.path(name), "--json"], capture_output=True)
        return json.loads(result.stdout)["instances"] if result.returncode == 0 else 0

    def after_rows(self, command, name):
        """The model of a stream that ended after as many rows as the model that is there has learned."""
        if not command.input:
            return None
        start = STARTS[command.name, name]
        rows = self.instances(name) - (self.instances(start) if start else 0)
        if (command.name, rows) not in self.after:
            kept = self.read(name)
            with open(self.path(command.input)) as all_rows, open(self.path("first.jsonl"), "w") as first:
                first.writelines(all_rows.readlines()[:rows])
            self.set_before(command)
            self.run(Command(command.name, " ".join(command.words) + " < first.jsonl"))
            self.after[command.name, rows] = self.read(name)
            with open(self.path(name), "wb") as file:
                file.write(kept)
        return self.after[command.name, rows]

    def count(self, command, kind):
        self.set_before(command)
        self.run(command, OMVC_FAULT_KIND=kind, OMVC_FAULT_COUNT=self.path("count"))
        return int(self.read("count"))

    def check(self, command, right, result, what, orderly):
        def found(problem):
            self.findings.append(f"{command.name}, {what}: {problem}: {result.stderr.decode(errors='replace')[-200:]}")

        self.codes[result.returncode] += 1
        if result.returncode == -signal.SIGABRT:
            found("was aborted")
        if orderly and result.returncode not in (0, 2, 3, 4, 5):
            found(f"ended with {result.returncode}")
        for name in command.outputs:
            now = self.read(name)
            left = now == self.before(command, name) or now is not None and now == self.after_rows(command, name)
            if now != right[name] and (not left or result.returncode == 0):
                found(f"{name} is wrong (exit code {result.returncode})")
        for folder, _, names in os.walk(self.folder):
            for name in names:
                if name.startswith(".omvc-part-") and not folder.endswith(".rows"):
                    found(f"{name} is left behind")
        if command.checkpoint and result.returncode != 0:
            again = self.run(command)
            if again.returncode != 0:
                found(f"cannot be resumed: {again.stderr.decode()[-300:]}")
            elif any(self.read(name) != right[name] for name in command.outputs):
                found("ends with other bits after it was resumed")

    def try_kind(self, command, right, kind, step):
        for once in (True, False):
            calls = self.count(command, kind)
            for at in range(1, calls + 1, step):
                self.set_before(command)
                variables = {"OMVC_FAULT_KIND": kind, "OMVC_FAULT_AT": str(at)}
                if once:
                    variables["OMVC_FAULT_ONCE"] = "1"
                result = self.run(command, **variables)
                self.check(command, right, result, f"{kind} {at} of {calls}{' alone' if once else ''}",
                           orderly=kind != "memory")
                self.points[command.name, kind] += 1


def put_all(place, files):
    """Whether there was room for them."""
    try:
        for name, content in files.items():
            with open(os.path.join(place, name), "wb") as file:
                file.write(content)
    except OSError:
        return False
    return True


def try_full_disks(trial, command, right):
    """The outputs on a file system of so many bytes, from one that holds nothing to one that holds all."""
    place = trial.path("full")
    os.makedirs(place, exist_ok=True)
    size = 4096
    while True:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", place], check=True)
        try:
            words = ["full/" + word if word in command.outputs else word for word in command.words]
            trial.set_before(Command(command.name, " ".join(word for word in command.words if word not in command.outputs)))
            starts = {name: trial.read(STARTS[command.name, name]) for name in command.outputs
                      if STARTS.get((command.name, name))}
            if not put_all(place, starts):
                size += 4096
                continue
            result = trial.run(command, words)
            wrong = result.returncode not in (0, 4)
            for name in command.outputs:
                now = trial.read("full/" + name)
                wrong = wrong or (now != right[name] and (now != starts.get(name) or result.returncode == 0))
            if wrong:
                trial.findings.append(f"{command.name} with {size} bytes: {result.returncode} {result.stderr[-200:]}")
        finally:
            subprocess.run(["umount", place], check=True)
        trial.points[command.name, "full disk"] += 1
        trial.codes[result.returncode] += 1
        if result.returncode == 0:
            return
        size += 4096


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--omvc", default="build/omvc")
    parser.add_argument("--preload", default="build/tests/libomvc_faults.so")
    parser.add_argument("--file-step", type=int, default=1)
    parser.add_argument("--memory-step", type=int, default=50)
    parser.add_argument("--tmpfs", action="store_true")
    parser.add_argument("--only", default=",".join(PLAN), help="commands, separated by commas")
    parser.add_argument("--kinds", default="files,open,memory", help="what fails, separated by commas")
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="omvc-faults-")
    trial = Trial(os.path.abspath(arguments.omvc), os.path.abspath(arguments.preload), folder)
    os.makedirs(trial.path("tmp"))
    with open(trial.path("rows.jsonl"), "w") as file:
        file.write(stream_rows(120))
    for line in PREPARE:
        if trial.run(Command("prepare", line)).returncode != 0:
            sys.exit(f"fails by itself: {line}")
    plan = [Command(name, PLAN[name]) for name in arguments.only.split(",")]
    for command in plan:
        right = trial.references(command)
        if arguments.tmpfs:
            try_full_disks(trial, command, right)
            continue
        for kind in arguments.kinds.split(","):
            trial.try_kind(command, right, kind, arguments.memory_step if kind == "memory" else arguments.file_step)
    for (name, kind), points in trial.points.items():
        print(f"{name}, {kind}: {points} points")
    print(f"{sum(trial.points.values())} fault points, exit codes "
          f"{dict(sorted(trial.codes.items()))}, {len(trial.findings)} findings")
    for finding in trial.findings[:20]:
        print(finding)
    shutil.rmtree(folder)
    sys.exit(1 if trial.findings else 0)


if __name__ == "__main__":
    main()
