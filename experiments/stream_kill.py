#!/usr/bin/env python3
"""Kills `omvc stream` with SIGKILL at random moments and starts it again, and counts what became of every row.

    python3 experiments/stream_kill.py --kills 100

Rows are written to the stream at random speed, each once, also those that a kill finds in the pipe. Afterwards every row
must have been answered exactly once, or be named as lost: its id is behind the id that the next start says it resumed
after, and before the first row that was written to that start. The model must load after every kill. Exits 1 otherwise.
"""
import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time


def row(i):
    """A row of four clusters with two views, of which every fifth row lacks one."""
    noise = random.Random(i)
    views = {}
    for name, features, lacking in (("a", 6, 3), ("b", 4, 4)):
        if i % 5 != lacking:
            views[name] = [round((3 if j % 4 == i % 4 else 0) + noise.random(), 3) for j in range(features)]
    return json.dumps({"id": i, **views}).encode() + b"\n"


class Run:
    """One start of the command: what it answered, in the order of its output."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        bufsize=0)
        self.output = bytearray()
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        while chunk := self.process.stdout.read(1 << 16):
            self.output += chunk

    def answers(self):
        self.reader.join()
        whole = bytes(self.output)[:self.output.rfind(b"\n") + 1]  # a line that the kill cut is no answer
        return [json.loads(line) for line in whole.splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--omvc", default="build/omvc")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    moments = random.Random(arguments.seed)
    folder = tempfile.mkdtemp(prefix="omvc-stream-kill-")
    model = os.path.join(folder, "model.omvc")
    command = [arguments.omvc, "stream", "--model", model, "-k", "4", "--quiet", "--every", "100,50ms", "--save-every",
               "100ms"]
    answered, resumed, wrong, next_row = {}, [], 0, 0
    for kill in range(arguments.kills + 1):
        run, first = Run(command), next_row
        end = time.monotonic() + moments.uniform(0.01, 0.6)
        last = kill == arguments.kills
        while time.monotonic() < end:
            burst = moments.randint(1, 60)
            try:
                run.process.stdin.write(b"".join(row(i) for i in range(next_row, next_row + burst)))
            except BrokenPipeError:
                sys.exit(f"it ended by itself: {run.process.stderr.read().decode()}")
            next_row += burst
            time.sleep(moments.uniform(0, 0.01))
        if last:
            run.process.stdin.close()
        else:
            run.process.kill()
        code = run.process.wait()
        if code != (0 if last else -9):
            sys.exit(f"exit {code}: {run.process.stderr.read().decode()}; see {folder}")
        position = -1
        for answer in run.answers():
            if answer.get("event") == "resumed":
                position = answer["after"]
                resumed.append((position, first))
            elif "id" in answer:
                answered[answer["id"]] = answered.get(answer["id"], 0) + 1
        if os.path.exists(model) and subprocess.run([arguments.omvc, "info", model], capture_output=True).returncode != 0:
            wrong += 1
            print(f"after kill {kill} the model does not load", file=sys.stderr)
    twice = [i for i, count in answered.items() if count != 1]
    lost = [i for i in range(next_row) if i not in answered]
    # A start that says nothing found no save: all rows before it are lost.
    named = [i for i in lost if any(after < i < first for after, first in resumed) or i < resumed[0][1]]
    print(f"{arguments.kills} kills, {next_row} rows: {len(answered)} answered once, {len(twice)} more than once, "
          f"{len(lost)} lost in a pipe or a buffer, of which {len(named)} are named as behind the last save; "
          f"{wrong} models that do not load")
    shutil.rmtree(folder)
    sys.exit(1 if twice or wrong or len(named) != len(lost) else 0)


if __name__ == "__main__":
    main()
