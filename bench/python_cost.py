#!/usr/bin/env python3
"""What a fit from Python costs beside the command on the same data: processor time and memory.

    python3 bench/python_cost.py              prints a table
    python3 bench/python_cost.py --write      also puts it into docs/python.md

Both run in turn, three times unless told otherwise; the shortest time counts. Seconds are processor time of all cores, so
that other work on the machine matters little: of the call of fit, and of the command as a whole, which also reads its file and writes its results.
Memory: the peak of a process, for Python without the data and what the imports take. Needs the package omvc for python3.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "experiments"))
import docs_page  # noqa: E402
CASES = {"float32": (200_000, 60), "float64": (200_000, 60), "CSR float64": (40_000, 8_000)}
WIDE = (200_000, 200)  # float32, with and without the embedding
STREAM = (20_000, 60)  # float32, in chunks of 1,000, with and without the number of clusters

PYTHON = """
import json, os, re, sys
import numpy as np, omvc
omvc.Clusterer  # imports what it is made of
path, k, embedding = sys.argv[1], int(sys.argv[2]), sys.argv[3:] != ["lean"]
memory = lambda field: int(re.search(field + r":\\s*(\\d+)", open("/proc/self/status").read())[1]) / 1024
if path.endswith(".npz"):
    import scipy.sparse
    data = scipy.sparse.load_npz(path)
    size = (data.data.nbytes + data.indices.nbytes + data.indptr.nbytes) / 2**20
else:
    data = np.load(path)
    size = data.nbytes / 2**20
open("/proc/self/clear_refs", "w").write("5")  # the peak begins anew
before = memory("VmRSS")
start = sum(os.times()[:4])
model = omvc.Clusterer(k, embedding=embedding).fit([data])
print(json.dumps({"seconds": sum(os.times()[:4]) - start, "memory": memory("VmHWM") - before, "size": size,
                  "labels": int(np.bincount(np.asarray(model.labels_)).argmax())}))
"""

PARTIAL = """
import json, os, sys
import numpy as np, omvc
data = np.load(sys.argv[1])
model = omvc.Clusterer(int(sys.argv[2]) or None)
start = sum(os.times()[:4])
for at in range(0, len(data), 1000):
    model.partial_fit(data[at:at + 1000])
print(json.dumps({"seconds": sum(os.times()[:4]) - start, "clusters": model.n_clusters_}))
"""


def make(name, folder, shape=None):
    import numpy as np

    rows, features = shape or CASES[name]
    random = np.random.default_rng(0)
    kind = random.integers(8, size=rows)
    if name.startswith("CSR"):
        import scipy.sparse as sp

        rates = random.gamma(0.05, 1.0, (8, features))
        rates *= 40 / rates.sum(axis=1, keepdims=True)
        data = sp.vstack([sp.csr_matrix(random.poisson(rates[kind[at:at + 2000]]).astype(np.float64))
                          for at in range(0, rows, 2000)]).tocsr()
        sp.save_npz(folder / "data.npz", data, compressed=False)
        return folder / "data.npz"
    centres = random.uniform(0, 4, (8, features))
    np.save(folder / "data.npy", (centres[kind] + random.normal(0, 1, (rows, features))).astype(name))
    return folder / "data.npy"


def command(path, folder):
    import omvc

    program = Path(omvc.__file__).parent / "bin" / "omvc"
    words = [program, "fit", path, "-k", "8", "--labels", folder / "labels.txt", "--embedding", folder / "embedding.npy",
             "--json", "--quiet"]
    report = folder / "report.json"
    with open(report, "w") as out:
        done = subprocess.Popen([str(word) for word in words], stdout=out, stderr=subprocess.PIPE)
        _, status, usage = os.wait4(done.pid, 0)
    if status != 0:
        sys.exit(done.stderr.read().decode())
    return {"seconds": usage.ru_utime + usage.ru_stime, "memory": usage.ru_maxrss / 1024}


def imports():
    """Processor seconds that the imports take, beyond a Python that imports nothing; the shortest of five."""
    def seconds(code):
        spent = []
        for _ in range(5):
            before = sum(os.times()[2:4])
            subprocess.run([sys.executable, "-c", code], check=True)
            spent.append(sum(os.times()[2:4]) - before)
        return min(spent)

    nothing = seconds("pass")
    return seconds("import numpy") - nothing, seconds("import omvc") - nothing


def python(program, *words):
    done = subprocess.run([sys.executable, "-c", program, *map(str, words)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def wide(times):
    """Memory of a fit of many wide rows."""
    lines = ["| data | embedding | CPU s | MB above the data |", "| --- | --- | --- | --- |"]
    with tempfile.TemporaryDirectory() as scratch:
        path = make("float32", Path(scratch), WIDE)
        for words, name in (((), "kept"), (("lean",), "`embedding=False`")):
            found = [python(PYTHON, path, 8, *words) for _ in range(times)]
            lines.append(f"| float32, {WIDE[0]:,} x {WIDE[1]} | {name} | {best(found, 'seconds'):.2f} | {best(found, 'memory'):.0f} |")
            print(lines[-1], flush=True)
    return lines


def stream(times):
    """partial_fit with and without the number of clusters."""
    with tempfile.TemporaryDirectory() as scratch:
        path = make("float32", Path(scratch), STREAM)
        known, unknown = ([python(PARTIAL, path, k) for _ in range(times)] for k in (8, 0))
    line = (f"`partial_fit` of {STREAM[0]:,} x {STREAM[1]} in chunks of 1,000: {best(known, 'seconds'):.2f} CPU s with "
            f"`n_clusters=8`, {best(unknown, 'seconds'):.2f} without ({unknown[0]['clusters']} clusters found): "
            f"{best(unknown, 'seconds') / best(known, 'seconds'):.2f} times.")
    print(line, flush=True)
    return line


def best(results, key):
    return min(result[key] for result in results)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--times", type=int, default=3, help="runs of each; the shortest time counts")
    options.add_argument("--part", choices=["all", "wide", "stream"], default="all", help="print one part only")
    options.add_argument("--write", action="store_true", help="into docs/python.md")
    given = options.parse_args()
    if given.part != "all":
        {"wide": wide, "stream": stream}[given.part](given.times)
        return
    lines = ["| data | size, MB | command: CPU s, MB | Python: CPU s, MB above the data | time, ratio | memory above "
             "the command's, share of the data |", "| --- | --- | --- | --- | --- | --- |"]
    for name in CASES:
        with tempfile.TemporaryDirectory() as scratch:
            path = make(name, Path(scratch))
            theirs, ours = [], []
            for _ in range(given.times):
                theirs.append(command(path, Path(scratch)))
                ours.append(python(PYTHON, path, 8))
        size = ours[0]["size"]
        seconds = best(ours, "seconds"), best(theirs, "seconds")
        memory = best(ours, "memory"), best(theirs, "memory")
        lines.append(f"| {name}, {CASES[name][0]:,} x {CASES[name][1]:,} | {size:.0f} | {seconds[1]:.2f}, {memory[1]:.0f} | "
                     f"{seconds[0]:.2f}, {memory[0]:.0f} | {seconds[0] / seconds[1]:.2f} | "
                     f"{(memory[0] - memory[1]) / size:+.0%} |")
        print(lines[-1], flush=True)
    numpy, all_of_it = imports()
    lines += ["", f"`import omvc`: {all_of_it:.2f} s, of which NumPy takes {numpy:.2f} s."]
    print(lines[-1])
    lines += ["", *wide(given.times), "", stream(given.times)]
    if given.write:
        docs_page.put("python.md", "cost", "\n".join([*lines, "", docs_page.stamp(f"bench/python_cost.py --times {given.times} --write")]))


if __name__ == "__main__":
    main()
