#!/usr/bin/env python3
"""What each part of the default is worth: every part switched off, one at a time, by an edit of its source.

    python3 experiments/ablation.py                 prints the table
    python3 experiments/ablation.py --write         also puts it into docs/quality.md
    python3 experiments/ablation.py --only "row graph"      the variants whose name holds this
    python3 experiments/ablation.py --tree FOLDER           keeps the copy of the sources there: the next run builds little

The program has no switches for its parts. A copy of the sources is built once; each variant changes one line in it, builds
again, and is run on the same cells and seeds. A line that is not found is an error, so the table follows the sources.
"""
import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import quality
from datasets import DATA, ROOT, fit

SEEDS = range(3)
DENSE = [("digit", ""), ("digit", "cyclic-40"), ("hdigit", "independent-40")]
SPARSE = [("webkb", "cyclic-40"), ("reuters-1200", "cyclic-40"), ("3sources", ""), ("bbcsport", ""), ("bdgp", "")]
MIXED = [("citeseq", "")]
VARIANTS = [  # what is switched off, cells, file, line, in its place
    ("nothing", DENSE + SPARSE + MIXED, None, None, None),
    ("factors tell what a prototype lacks", DENSE, "src/model/build.cpp", "if (!by_direction()) fine_.set_prior(reconstructed(groups, m), kPriorRows);", ""),
    ("fine prototypes are moved to means", DENSE, "src/model/build.cpp", "constexpr int kRounds = 2;", "constexpr int kRounds = 0;"),
    ("50 fine prototypes per cluster (10)", DENSE, "src/model/build.cpp", "constexpr Index kFinePerCluster = 50;", "constexpr Index kFinePerCluster = 10;"),
    ("at least 300 fine prototypes (K)", DENSE, "src/model/build.cpp", "constexpr Index kLeastFine = 300;", "constexpr Index kLeastFine = 1;"),
    ("rank 5 K (K)", DENSE, "src/model/build.cpp", "constexpr int kRankPerCluster = 5;", "constexpr int kRankPerCluster = 1;"),
    ("ridge of dense seeds", DENSE, "src/fine/seeds.cpp", "if (!by_direction) options.ridge = kDenseRidge;", ""),
    ("length of dense latent rows counts by its root (unit rows)", DENSE, "src/fine/seeds.cpp", "if (by_direction) {", "if (true) {"),
    ("the cut (always K round prototypes)", DENSE, "src/model/cutting.cpp", "if (!(round < kRoundShare * cut)) return;", ""),
    ("row graph", SPARSE + MIXED, "src/cut/candidates.cpp", 'offer("row graph", graph_labels(input, workers));', ""),
    ("cut of the prototypes", SPARSE + MIXED, "src/cut/candidates.cpp", 'for (const std::vector<std::int32_t>& labels : input.more) offer("prototypes", labels);', ""),
    ("embedding", SPARSE + MIXED, "src/cut/candidates.cpp", 'offer("embedding",', 'if (input.clusters < 0) offer("embedding",'),
    ("rounds by mean", SPARSE + MIXED, "src/cut/candidates.cpp", "constexpr int kMeanRounds = 3;", "constexpr int kMeanRounds = 0;"),
    ("rounds by direction", SPARSE + MIXED, "src/cut/candidates.cpp", "constexpr int kDirectionRounds = 20;", "constexpr int kDirectionRounds = 1;"),
    ("background of the row graph", SPARSE + MIXED, "src/cut/row_graph.cpp", "constexpr double kBackground = 1;", "constexpr double kBackground = 0;"),
    ("row graph beside presence", SPARSE + MIXED, "src/cut/candidates.cpp", "presence_patterns(input.sample, rows));", "Matrix(rows, 0));"),
    ("mixed data as text (as dense)", [("bdgp", ""), *MIXED], "src/model/build.cpp", "return std::any_of(scaling_", "return std::all_of(scaling_"),
    ("vote of the nearest (the nearest two alone)", DENSE, "src/fine/fine_prototypes.hpp", "static constexpr Index kNear = 5;", "static constexpr Index kNear = 2;"),
]


class Tree:
    """A copy of the sources and its build, in which one line at a time is changed; a copy that is there is used as it is."""

    def __init__(self, folder):
        self.root = Path(folder)
        if (self.root / "build" / "build.ninja").exists():
            return
        self.root.mkdir(parents=True, exist_ok=True)
        for name in ("CMakeLists.txt", "cmake", "src", "include", "app", "CMakePresets.json", "tools", "docs", "LICENSE"):
            source = ROOT / name
            (shutil.copytree if source.is_dir() else shutil.copy)(source, self.root / name)
        launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        self.run("cmake", "--preset", "command", *launcher)

    def run(self, *arguments):
        done = subprocess.run(arguments, cwd=self.root, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(arguments)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")

    def build(self, file, line, instead):
        """The program with the change; the sources are put back at once."""
        kept = None
        if file:
            path = self.root / file
            kept = path.read_text()
            if line not in kept:
                raise SystemExit(f"{file} has no line {line!r}: bring experiments/ablation.py up to date")
            path.write_text(kept.replace(line, instead, 1))
        self.run("cmake", "--build", "build", "--target", "omvc_command")
        if file:
            path.write_text(kept)
        return self.root / "build" / "omvc"


def measure(command, cells, scratch):
    with ThreadPoolExecutor(2) as pool:
        jobs = {(cell, seed): pool.submit(fit, command, *cell, seed, ["--threads", 1], scratch)
                for cell in cells for seed in SEEDS}
        return {cell: statistics.mean(jobs[cell, seed].result()["nmi_best"] for seed in SEEDS) for cell in cells}


def table(only, folder, scratch):
    cells = DENSE + SPARSE + MIXED
    yield "| without | " + " | ".join(quality.label(*cell) for cell in cells) + " |"
    yield "| --- |" + " --- |" * len(cells)
    tree = Tree(folder or Path(scratch) / "tree")
    for name, measured, file, line, instead in VARIANTS:
        if only not in name:
            continue
        nmi = measure(tree.build(file, line, instead), measured, scratch)
        yield f"| {name} | " + " | ".join(f"{nmi[cell]:.3f}" if cell in nmi else "" for cell in cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--tree", type=Path, metavar="FOLDER")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    if not DATA.is_dir():
        sys.exit(f"no data at {DATA}: set OMVC_DATA")
    with tempfile.TemporaryDirectory() as scratch:
        quality.publish("ablation", table(arguments.only, arguments.tree, scratch), "experiments/ablation.py --write", arguments.write)


if __name__ == "__main__":
    main()
