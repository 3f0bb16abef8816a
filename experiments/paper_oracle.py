#!/usr/bin/env python3
"""`--preset paper` beside an independent Algorithm 1 on Digit with 40 % of the instances missing.

    experiments/paper_oracle.py --oracle FILE [--omvc build/omvc] [--passes 10] [--seed 0]

FILE is a Python program with the function run(X, M, K, s, passes, alpha, beta, U0, stop=...), which returns the consensus
after each pass ("star") and a line for each chunk ("log": pass, chunk, rounds, loss); with step_rows(Z, G, Q, l), one step of
many rows; and with nmi(star, truth, K), which gives the mean NMI of 20 runs of k-means and that of the best of them.

Prints how far the embeddings of the command lie from the oracle's; how often a projected Newton step is replaced by one along
the gradient; and rounds and NMI with the rule that ends a chunk by the loss of all passes, which is the command's, beside
the rule by the loss of the current pass. Needs NumPy and scikit-learn.
"""

import argparse
import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import datasets

CHUNK, CLUSTERS, ALPHA, BETA = 50, 10, 1e-2, 1e-7  # the preset's
MASK = 2**32 - 1


def uniform(seed, view, count):
    """The numbers that a basis starts with: Philox 4x32-10, keyed by the seed, counted by the place (src/random/philox.hpp)."""
    at = np.arange(count, dtype=np.uint64)
    counter = [at & MASK, at >> np.uint64(32), np.full(count, view, np.uint64), np.full(count, 1, np.uint64)]
    key = [seed & MASK, seed >> 32]
    for _ in range(10):
        first, third = np.uint64(0xD2511F53) * counter[0], np.uint64(0xCD9E8D57) * counter[2]
        counter = [(third >> np.uint64(32)) ^ counter[1] ^ np.uint64(key[0]), third & np.uint64(MASK),
                   (first >> np.uint64(32)) ^ counter[3] ^ np.uint64(key[1]), first & np.uint64(MASK)]
        key = [(key[0] + 0x9E3779B9) & MASK, (key[1] + 0xBB67AE85) & MASK]
    return ((counter[0] << np.uint64(32) | counter[1]) >> np.uint64(11)) * 2.0**-53


def load_oracle(path):
    spec = importlib.util.spec_from_file_location("oracle", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Digit:
    """Views as the solver sees them: no negative numbers, each divided by the total of its observed instances."""

    def __init__(self, seed):
        folder = datasets.DATA / "digit"
        self.files = [folder / f"mfeat-{name}" for name in ("fou", "fac", "kar", "pix", "zer")]
        self.mask_file = datasets.DATA / "masks" / f"digit-cyclic-40-{seed}.txt"
        self.order_file = datasets.DATA / "masks" / f"digit-order-{seed}.txt"
        self.order = np.loadtxt(self.order_file, dtype=int)
        self.mask = np.loadtxt(self.mask_file)[self.order]
        self.truth = np.loadtxt(folder / "labels.txt", dtype=int)[self.order]
        self.views = []
        for number, file in enumerate(self.files):
            view = np.maximum(np.loadtxt(file), 0)[self.order]
            self.views.append(view / view[self.mask[:, number] > 0].sum())

    def embedding(self, omvc, passes, seed):
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "embedding.csv"
            subprocess.run([str(each) for each in [
                omvc, "fit", *self.files, "-k", CLUSTERS, "--preset", "paper", "--passes", passes, "--seed", seed, "--present",
                self.mask_file, "--order", self.order_file, "--embedding", path, "--quiet"]],
                check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            return np.loadtxt(path, delimiter=",", skiprows=1)[self.order]


def count_steps(oracle, counts):
    """Counts rows that are stepped, and those that neither moved by Newton nor rest: a gradient step moved them."""
    plain, fallen = oracle.step_rows, oracle.stat

    def counted(Z, G, Q, l):
        before = fallen.fall
        new = plain(Z, G, Q, l)
        kind = "latent" if np.any(l > 0) else "basis"
        counts[kind][0] += fallen.fall - before
        counts[kind][1] += len(Z)
        return new

    oracle.step_rows = counted


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oracle", required=True, help="a Python file")
    parser.add_argument("--omvc", default=datasets.ROOT / "build" / "omvc")
    parser.add_argument("--passes", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    oracle, digit = load_oracle(arguments.oracle), Digit(arguments.seed)
    start = [uniform(arguments.seed, number, view.shape[1] * CLUSTERS).reshape(-1, CLUSTERS)
             for number, view in enumerate(digit.views)]
    counts = {"latent": [0, 0], "basis": [0, 0]}
    count_steps(oracle, counts)
    runs = {}
    for stop in ("all", "pass"):
        runs[stop] = oracle.run(digit.views, digit.mask, CLUSTERS, CHUNK, arguments.passes, ALPHA, BETA, start, stop=stop)
        if stop == "all":
            for kind, (fallen, steps) in counts.items():
                print(f"{kind} steps that are replaced by one along the gradient: {fallen / steps:.1%}")
    worst = 0
    for passes in sorted({1, 2, 3, arguments.passes}):
        found = digit.embedding(arguments.omvc, passes, arguments.seed)
        expected = runs["all"]["star"][passes - 1]
        difference = np.abs(found - expected).max() / expected.max()
        worst = max(worst, difference)
        print(f"after {passes} passes: largest difference / largest entry {difference:.1e}")
    for stop, run in runs.items():
        rounds = [np.mean([line[2] for line in run["log"] if line[0] == each]) for each in range(1, arguments.passes + 1)]
        single, best = oracle.nmi(run["star"][-1], digit.truth, CLUSTERS)
        print(f"a chunk ends by the loss of {'all passes' if stop == 'all' else 'its pass'}: rounds a chunk, by pass "
              f"{' '.join(f'{each:.1f}' for each in rounds)}; NMI {single:.3f}, best of 20 {best:.3f}")
    return 0 if worst < 1e-10 else 1


if __name__ == "__main__":
    sys.exit(main())
