#!/usr/bin/env python3
"""Sends SIGTERM or SIGINT to commands at random moments, and says how long they go on working.

    python3 experiments/interrupt.py --signals 10
    python3 experiments/interrupt.py --only mic,K1000

Every case runs with one thread, once to the end or for --patience seconds, and then --signals times with a signal at a
random moment of that span. What counts is the processor time that a command takes after the signal, which other work on
the machine does not change: it is to be at most a second. A command ends with exit code 6, or with 0 where it was
nearly done; anything else is a finding. Cases of `reproduce` need the data sets of docs/data.md in OMVC_DATA.
"""
import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

DATA = "--rows 6000 --features 60,2000 --density 1,0.02 -k 10 --missing 0.3 --seed 1 --quiet"
CASES = {
    **{method: f"fit data.h5mu -k 100 --method {method} --threads 1 --labels out" for method in
       ("mic", "multinmf", "opimc", "onmf-i", "onmf-da", "omvc-paper", "masked-kmeans", "concat-kmeans")},
    "omvc": "fit data.h5mu -k 10 --threads 1 --labels out",
    "omvc, K chosen": "fit data.h5mu --threads 1 --labels out",
    "K1000": "fit data.h5mu -k 1000 --threads 1 --labels out",
    "K1000, rank 1000": "fit data.h5mu -k 1000 --rank 1000 --threads 1 --labels out",
    "K1000 concat-kmeans": "fit data.h5mu -k 1000 --method concat-kmeans --threads 1 --labels out",
    "K1000 mic": "fit data.h5mu -k 1000 --method mic --threads 1 --labels out",
    "compare": "compare data.h5mu -k 10 --threads 1",
    "cut": "cut model.omvc -k 500 -o out",
    "update": "update model.omvc data.h5mu -o out --threads 1",
    "report": "report model.omvc -o out --threads 1",
    "reproduce": "reproduce table4 --sets webkb,digit --data DATA --out out --parallel 1",
    "reproduce, grid": "reproduce table4 --grid --sets digit --data DATA --out out --parallel 1",
}
TICKS = os.sysconf("SC_CLK_TCK")


def fields_of(pid):
    """What /proc says of a process behind its name; nothing if it has ended."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None


def work_of(pid):
    """Seconds of processor time so far, with the processes that it started."""
    own = fields_of(pid)
    if own is None:
        return 0
    others = [fields_of(name) for name in os.listdir("/proc") if name.isdigit()]
    children = [fields for fields in others if fields and fields[1] == str(pid)]
    return sum(int(field) for fields in [own, *children] for field in fields[11:15]) / TICKS


class Trial:
    def __init__(self, omvc, folder):
        self.omvc, self.folder = omvc, folder

    def start(self, line):
        with open(os.path.join(self.folder, "messages"), "wb") as messages:
            return subprocess.Popen([self.omvc, *line.split()], cwd=self.folder, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.DEVNULL, stderr=messages)

    def clear(self):
        path = os.path.join(self.folder, "out")
        shutil.rmtree(path) if os.path.isdir(path) else os.path.exists(path) and os.remove(path)

    def span(self, line, patience):
        """Seconds of processor time of the whole command, at most `patience`."""
        process = self.start(line)
        work = 0
        while process.poll() is None and work < patience:
            time.sleep(0.05)
            work = max(work, work_of(process.pid)) if process.poll() is None else work
        process.kill()
        if process.wait() not in (0, -signal.SIGKILL):
            with open(os.path.join(self.folder, "messages"), errors="replace") as messages:
                sys.exit(f"fails by itself: {line}: {messages.read()[-400:]}")
        return work

    def interrupt(self, line, at, which):
        """(seconds of work after the signal, exit code), or nothing if it was done before."""
        process = self.start(line)
        while process.poll() is None and work_of(process.pid) < at:
            time.sleep(0.005)
        if process.poll() is not None:
            return None
        before = work_of(process.pid)
        process.send_signal(which)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return usage.ru_utime + usage.ru_stime - before, process.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--omvc", default="build/omvc")
    parser.add_argument("--signals", type=int, default=10)
    parser.add_argument("--patience", type=float, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="cases, separated by semicolons")
    arguments = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it, and so would theirs
    trial = Trial(os.path.abspath(arguments.omvc), tempfile.mkdtemp(prefix="omvc-interrupt-"))
    for line in (f"generate data.h5mu {DATA}", "fit data.h5mu -k 10 --model model.omvc --quiet"):
        subprocess.run([trial.omvc, *line.split()], cwd=trial.folder, check=True)
    moments, findings = random.Random(arguments.seed), 0
    data = os.environ.get("OMVC_DATA")
    print("| case | signals | longest work after one, s | at, s | exit codes |\n| --- | --- | --- | --- | --- |")
    for name, line in CASES.items():
        if arguments.only and name not in arguments.only.split(";") or "DATA" in line and not data:
            continue
        line = line.replace("DATA", os.path.abspath(data or ""))
        span = trial.span(line, arguments.patience)
        longest, at_longest, codes, signals = 0.0, 0.0, set(), 0
        for i in range(arguments.signals):
            trial.clear()
            at = moments.uniform(0, span)
            found = trial.interrupt(line, at, (signal.SIGTERM, signal.SIGINT)[i % 2])
            if found is None:
                continue
            signals += 1
            if found[0] > longest:
                longest, at_longest = found[0], at
            codes.add(found[1])
        findings += longest > 1 or not codes <= {0, 6}
        print(f"| {name} | {signals} | {longest:.2f} | {at_longest:.2f} | {' '.join(map(str, sorted(codes)))} |", flush=True)
    shutil.rmtree(trial.folder)
    print(f"{findings} cases go on for more than a second, or end in another way")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
