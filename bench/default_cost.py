#!/usr/bin/env python3
"""What a whole default fit costs, in one run: by data set, beside what people would use instead, and its memory as data grow.

    bench/default_cost.py [--omvc build/omvc] [--python PYTHON] [fits peer debian memory] [--write]

fits: seconds, CPU seconds, memory and NMI on Digit and Hdigit, on the planted shapes of Reuters and YouTube, and on 1,600 rows in
100 clusters. peer: k-means of scikit-learn and faiss alone, on the concatenated data with missing views filled by means, already
scaled and in memory, beside the whole command, reading and writing included. debian: the packages of the Debian archive as
`examples/debian_archive.py --save FOLDER` writes them (--debian FOLDER), beside TruncatedSVD and KMeans of zero-filled
tf-idf. memory: peak memory of 100,000, 1,000,000 and 5,000,000 planted rows.

--python needs scikit-learn, SciPy, h5py and, for its row, faiss-cpu. --write puts the tables into docs/performance.md. Planted
data are kept in --folder and used again.
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

PEER = """
import json, resource, sys, time
import h5py, numpy as np
from sklearn.metrics import normalized_mutual_info_score
method, container, k, mask, threads = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], int(sys.argv[5])
with h5py.File(container) as file:
    views = [np.asarray(view["X"], float) for view in file["mod"].values()]
    truth = np.asarray(file["obs/truth"])
present = np.loadtxt(mask) > 0 if mask else np.ones((len(views[0]), len(views)), bool)
for number, view in enumerate(views):
    low, high = view.min(0), view.max(0)
    view -= low
    view /= np.where(high > low, high - low, 1)
    view[~present[:, number]] = view[present[:, number]].mean(0)
X = np.hstack(views)
if method == "faiss":
    import faiss
    faiss.omp_set_num_threads(threads)
    X = X.astype(np.float32)
start, before = time.time(), resource.getrusage(resource.RUSAGE_SELF)
if method == "faiss":
    model = faiss.Kmeans(X.shape[1], k, niter=100, nredo=10, seed=1, max_points_per_centroid=len(X))
    model.train(X)
    labels = model.index.search(X, 1)[1].ravel()
else:
    from sklearn.cluster import KMeans, MiniBatchKMeans
    labels = {"KMeans": KMeans, "MiniBatchKMeans": MiniBatchKMeans}[method](k, n_init=10, random_state=0).fit_predict(X)
after = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"wall": time.time() - start, "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
                  "nmi": normalized_mutual_info_score(truth, labels, average_method="geometric")}))
"""
PEERS = {"KMeans": "scikit-learn KMeans(n_init=10)", "MiniBatchKMeans": "scikit-learn MiniBatchKMeans(n_init=10)",
         "faiss": "faiss Kmeans(nredo=10, niter=100)"}
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


def fits(cost):
    rows = []
    for name, data in cost.shapes().items():
        run = cost.fit(cost.arguments.omvc, data)
        rows.append([name, f"{run['wall']:.2f}", f"{run['cpu']:.2f}", f"{run['memory']:.0f}", nmi_of(run)])
        print(rows[-1], file=sys.stderr)
    cost.publish("fits", common.table(["data", "seconds", "CPU seconds", "MB at most", "NMI"], rows))


def peer_run(cost, method, container, k, mask):
    """None where the library is not installed."""
    limits = {each: str(cost.arguments.threads) for each in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")}
    command = [cost.arguments.python, "-c", PEER, method, container, k, mask, cost.arguments.threads]
    runs = []
    for _ in range(cost.arguments.repeat):
        done = subprocess.run([str(each) for each in command], env={**os.environ, **limits}, capture_output=True, text=True)
        if "No module named 'faiss'" in done.stderr:
            return None
        if done.returncode != 0:
            raise SystemExit(done.stderr)
        runs.append(json.loads(done.stdout))
    return min(runs, key=lambda each: each["cpu"])


def peer(cost):
    """The same rows for all of them: complete, and with 40 % of every view missing."""
    rows = []
    for name, mask in (("digit", ""), ("digit", "cyclic-40"), ("hdigit", ""), ("hdigit", "cyclic-40")):
        data = datasets.SETS[name](cost.folder)
        k, container = data[data.index("-k") + 1], cost.folder / f"{name}.h5mu"
        without_k = [*data[:data.index("-k")], *data[data.index("-k") + 2:]]
        common.run([cost.arguments.omvc, "convert", *without_k, "-o", container, "--quiet"])
        mask_file = datasets.DATA / "masks" / f"{name}-{mask}-0.txt" if mask else ""
        present = ["--present", mask_file] if mask else []
        ours = cost.fit(cost.arguments.omvc, [*data, *present])
        title = f"{name}{', 40 % missing' if mask else ''}"
        rows.append([title, "omvc, whole command", f"{ours['wall']:.2f}", f"{ours['cpu']:.2f}", nmi_of(ours)])
        for method, text in PEERS.items():
            if theirs := peer_run(cost, method, container, k, mask_file):
                rows.append([title, text + ", fit alone", f"{theirs['wall']:.2f}", f"{theirs['cpu']:.2f}", f"{theirs['nmi']:.3f}"])
        print(rows[-4:], file=sys.stderr)
    cost.publish("peer", common.table(["data", "program", "seconds", "CPU seconds", "NMI"], rows))


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


SECTIONS = {"fits": fits, "peer": peer, "debian": debian, "memory": memory}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--omvc", default=common.ROOT / "build" / "omvc")
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
