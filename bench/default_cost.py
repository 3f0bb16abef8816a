#!/usr/bin/env python3
"""What a whole default fit costs, in one run: beside version 0.1, beside scikit-learn, and its memory as data grow.

    bench/default_cost.py [--omvc build/omvc] [--old OMVC] [old peer debian memory] [--write]

old: seconds of version 0.1 (a program given by --old, else built from its commit) on the shapes of Digit, Hdigit, Reuters
and YouTube and on 1,600 planted rows in 100 clusters. peer: the time of scikit-learn's KMeans(n_init=10) alone on the
concatenated data, already in memory, beside that of the whole command, reading and writing included. debian: the packages
of the Debian archive as `examples/debian_archive.py --save FOLDER` writes them (--debian FOLDER), beside TruncatedSVD
and KMeans of zero-filled tf-idf. memory: peak memory of 100,000, 1,000,000 and 5,000,000 planted rows.

--write puts the tables into docs/performance.md. Planted data are kept in --folder and used again.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "end_to_end"))
import common  # noqa: E402
import datasets  # noqa: E402
import docs_page  # noqa: E402

VERSION_01 = "4dbaa0c"  # the last commit of version 0.1
PEER = """
import json, resource, sys, time
import numpy as np
from sklearn.cluster import KMeans
data = np.load(sys.argv[1]); start, before = time.time(), resource.getrusage(resource.RUSAGE_SELF)
KMeans(int(sys.argv[2]), n_init=10, random_state=0).fit(data)
after = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"wall": time.time() - start, "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime}))
"""
DEBIAN_PEER = """
import json, resource, sys, time
from pathlib import Path
import numpy as np, scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import normalized_mutual_info_score
folder = Path(sys.argv[1]); views = [sp.load_npz(folder / (name + ".npz")) for name in sys.argv[2:]]
start, before = time.time(), resource.getrusage(resource.RUSAGE_SELF)
X = sp.hstack([TfidfTransformer().fit_transform(view) for view in views]).tocsr()
E = TruncatedSVD(80, random_state=0).fit_transform(X); E /= np.maximum(np.linalg.norm(E, axis=1, keepdims=True), 1e-12)
labels = KMeans(40, n_init=3, random_state=0).fit_predict(E)
after = resource.getrusage(resource.RUSAGE_SELF)
truth = (folder / "section.txt").read_text().split()
print(json.dumps({"wall": time.time() - start, "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
                  "memory": after.ru_maxrss / 1024, "nmi": normalized_mutual_info_score(truth, labels)}))
"""
VIEWS = ("en", "da", "it", "fr", "de", "tags", "depends")


def measured(arguments, repeat):
    """The run that took least: seconds, seconds of all cores, MB at most, and the summary where the command prints one."""
    best = None
    for _ in range(repeat):
        start = time.time()
        process = subprocess.Popen([str(each) for each in arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        out = process.stdout.read()
        error = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        if status != 0:
            raise SystemExit(f"{' '.join(map(str, arguments))}\n{error.decode()}")
        run = {"wall": time.time() - start, "cpu": usage.ru_utime + usage.ru_stime, "memory": usage.ru_maxrss / 1024,
               "summary": json.loads(out or "{}")}
        best = min(best or run, run, key=lambda each: each["cpu"])
    return best


def nmi_of(run):
    return f"{run['summary']['nmi_best']:.3f}" if run["summary"].get("nmi_best") else "–"


class Cost:
    def __init__(self, arguments):
        self.arguments = arguments
        self.folder = Path(arguments.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.build = Path(arguments.omvc).resolve().parent

    def old(self):
        if not self.arguments.old:
            tree = self.folder / "version-0.1"
            if not (tree / "build" / "omvc").exists():
                common.run(["git", "-C", common.ROOT, "worktree", "add", "--force", tree, VERSION_01])
                common.run(["cmake", "-S", tree, "-B", tree / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                            "-DOMVC_BUILD_TESTS=OFF"])
                common.run(["cmake", "--build", tree / "build", "--target", "omvc_command"])
            self.arguments.old = tree / "build" / "omvc"
        return self.arguments.old

    def planted(self, name, *shape):
        path = self.folder / f"{name}.h5mu"
        if not path.exists():
            common.run([self.arguments.omvc, "generate", path, "--seed", "1", *shape])
        return path

    def shapes(self):
        real = {name: [*datasets.SETS[name](self.folder)] for name in ("digit", "hdigit")}
        planted = {
            "1,600 rows, K = 100": [self.planted("k100", "--rows", 1600, "--features", "64,128", "-k", 100), "-k", 100],
            "reuters shape": [self.planted("reuters", "--shape", "reuters"), "-k", 6],
            "youtube shape": [self.planted("youtube", "--shape", "youtube"), "-k", 31],
        }
        return {**real, **planted}

    def fit(self, command, data):
        return measured([command, "fit", *data, "--seed", 0, "--json", "--quiet", "--threads", self.arguments.threads],
                        self.arguments.repeat)

    def publish(self, section, text):
        text += "\n" + docs_page.stamp(f"bench/default_cost.py --write {section}", f"{self.arguments.threads} threads",
                                       f"the least of {self.arguments.repeat}") + "\n"
        print(text, flush=True)
        if self.arguments.write:
            docs_page.put("performance.md", f"cost {section}", text)


def old(cost):
    rows = []
    for name, data in cost.shapes().items():
        new, before = cost.fit(cost.arguments.omvc, data), cost.fit(cost.old(), data)
        rows.append([name, f"{new['wall']:.2f}", f"{before['wall']:.2f}", f"{before['wall'] / new['wall']:.1f}",
                     f"{before['cpu'] / new['cpu']:.1f}", f"{new['memory']:.0f}", f"{before['memory']:.0f}",
                     nmi_of(new), nmi_of(before)])
        print(rows[-1], file=sys.stderr)
    cost.publish("old", common.table(["data", "this version, s", "0.1, s", "times faster", "by CPU time", "MB", "0.1, MB",
                                      "NMI", "0.1, NMI"], rows))


def concatenated(cost, data):
    """The views side by side, each feature between 0 and 1."""
    path = cost.folder / "concatenated.npy"
    script = ("import sys, h5py, numpy as np\n"
              "views = h5py.File(sys.argv[2])['mod']\n"
              "X = np.hstack([np.asarray(view['X'], float) for view in views.values()])\n"
              "low, high = X.min(0), X.max(0)\n"
              "np.save(sys.argv[1], (X - low) / np.where(high > low, high - low, 1))\n")
    container = cost.folder / "concatenated.h5mu"
    common.run([cost.arguments.omvc, "convert", *data[:data.index("-k")], "-o", container, "--quiet"])
    common.run([cost.arguments.python, "-c", script, path, container])
    return path


def peer(cost):
    rows = []
    for name, data in cost.shapes().items():
        if name.endswith("shape"):
            continue
        k = data[data.index("-k") + 1]
        limits = {each: str(cost.arguments.threads) for each in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")}
        theirs = [json.loads(common.run([cost.arguments.python, "-c", PEER, concatenated(cost, data), k],
                                        env={**os.environ, **limits})) for _ in range(cost.arguments.repeat)]
        theirs, ours = min(theirs, key=lambda each: each["cpu"]), cost.fit(cost.arguments.omvc, data)
        rows.append([name, f"{ours['wall']:.2f}", f"{theirs['wall']:.2f}", f"{theirs['wall'] / ours['wall']:.1f}",
                     f"{theirs['cpu'] / ours['cpu']:.1f}"])
        print(rows[-1], file=sys.stderr)
    cost.publish("peer", common.table(["data", "omvc, whole command, s", "KMeans(n_init=10) alone, s", "times faster",
                                       "by CPU time"], rows))


def debian(cost):
    folder = Path(cost.arguments.debian or "")
    if not (folder / "section.txt").exists():
        return print("debian: skipped, since --debian names no folder with en.npz, present.txt, section.txt, ...")
    theirs = min((json.loads(common.run([cost.arguments.python, "-c", DEBIAN_PEER, folder, *VIEWS]))
                  for _ in range(cost.arguments.repeat)), key=lambda each: each["cpu"])
    rows = [["TruncatedSVD(80) + KMeans(n_init=3), fit alone", f"{theirs['wall']:.1f}", f"{theirs['cpu']:.1f}",
             f"{theirs['memory']:.0f}", f"{theirs['nmi']:.3f}"]]
    runs = []
    for seed in range(5):
        runs.append(measured([cost.arguments.omvc, "fit", *(folder / f"{name}.npz" for name in VIEWS), "--present",
                              folder / "present.txt", "--truth", folder / "section.txt", "-k", 40, "--seed", seed,
                              "--json", "--quiet", "--threads", cost.arguments.threads, "--labels",
                              cost.folder / "debian-labels.txt"], 1))
    mean = sum(each["summary"]["nmi_best"] for each in runs) / len(runs)
    best = min(runs, key=lambda each: each["cpu"])
    rows.append(["omvc, whole command", f"{best['wall']:.1f}", f"{best['cpu']:.1f}",
                 f"{max(each['memory'] for each in runs):.0f}", f"{mean:.3f} (seeds 0-4)"])
    cost.publish("debian", common.table(["program", "seconds", "CPU seconds", "MB at most", "NMI"], rows))


def memory(cost):
    rows = []
    for count in cost.arguments.sizes:
        path = cost.planted(f"rows-{count}", "--rows", count, "--features", "8,20", "-k", 10, "--missing", 0.3)
        run = measured([cost.arguments.omvc, "fit", path, "-k", 10, "--seed", 0, "--json", "--quiet", "--labels",
                        cost.folder / "labels.txt", "--threads", cost.arguments.threads], 1)
        rows.append([f"{count:,}", f"{run['memory']:.0f}", f"{run['wall']:.1f}", f"{1e6 * run['wall'] / count:.2f}"])
        print(rows[-1], file=sys.stderr)
    cost.publish("memory", common.table(["instances", "MB at most", "seconds", "microseconds an instance"], rows))


SECTIONS = {"old": old, "peer": peer, "debian": debian, "memory": memory}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--omvc", default=common.ROOT / "build" / "omvc")
    parser.add_argument("--old", help="omvc of version 0.1; built from its commit where none is named")
    parser.add_argument("--python", default=sys.executable, help="that has scikit-learn, SciPy and h5py")
    parser.add_argument("--debian", help="the folder of the Debian archive's packages")
    parser.add_argument("--folder", default=os.path.join(tempfile.gettempdir(), "omvc-default-cost"))
    parser.add_argument("--sizes", type=lambda text: [int(each) for each in text.split(",")], default=[100_000, 1_000_000, 5_000_000])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("what", nargs="*", default=list(SECTIONS), help=", ".join(SECTIONS))
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.what if name not in SECTIONS]:
        parser.error(f"{unknown[0]} is none of {', '.join(SECTIONS)}")
    cost = Cost(arguments)
    for name, section in SECTIONS.items():
        if name in arguments.what:
            section(cost)


if __name__ == "__main__":
    main()
