#!/usr/bin/env python3
"""Kills a fit with SIGKILL at random moments, resumes it, and compares model and labels with those of a run left alone.

    experiments/kill_resume.py --cycles 100

A cycle is one kill and one resume. A run that ends before it is killed is compared and a new one is started. Exits 1 if
any run ends with other bits. Data: omvc generate, five dense and sparse views, 40 % missing.
"""
import argparse
import filecmp
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--omvc", default="build/omvc")
    parser.add_argument("--cycles", type=int, default=100)
    parser.add_argument("--rows", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    moments = random.Random(arguments.seed)
    folder = tempfile.mkdtemp(prefix="omvc-kill-")
    path = lambda name: os.path.join(folder, name)
    subprocess.run([arguments.omvc, "generate", path("data.h5mu"), "--rows", str(arguments.rows), "--features", "40,600",
                    "--density", "1,0.03", "-k", "5", "--missing", "0.4", "--seed", "1"], check=True,
                   stderr=subprocess.DEVNULL)
    fit = [arguments.omvc, "fit", path("data.h5mu"), "-k", "5", "--quiet"]

    def command(name, *more):
        return fit + ["--labels", path(name + ".labels"), "--model", path(name + ".model"), *more]

    start = time.monotonic()
    subprocess.run(command("alone"), check=True)
    alone = time.monotonic() - start
    checkpointed = command("killed", "--checkpoint", path("ckpt"), "--checkpoint-seconds", "0.05", "--resume")
    cycles = completed = different = 0
    while cycles < arguments.cycles:
        process = subprocess.Popen(checkpointed)
        try:
            # Short enough that a run is killed several times before it is done.
            process.wait(timeout=moments.uniform(0, 0.6 * alone))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            cycles += 1
            continue
        if process.returncode != 0:
            sys.exit(f"the run failed with {process.returncode} after {cycles} cycles; see {folder}")
        completed += 1
        for what in (".labels", ".model"):
            if not filecmp.cmp(path("alone" + what), path("killed" + what), shallow=False):
                different += 1
                print(f"run {completed}: {what} differs", file=sys.stderr)
    subprocess.run(checkpointed, check=True)
    completed += 1
    for what in (".labels", ".model"):
        different += not filecmp.cmp(path("alone" + what), path("killed" + what), shallow=False)
    print(f"{cycles} kills, {completed} runs completed, {different} outputs that differ")
    shutil.rmtree(folder)
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
