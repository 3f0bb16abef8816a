#!/usr/bin/env python3
"""omvc beside what people would otherwise install from PyPI for incomplete views: NMI, seconds, peak memory, in one run.

    python3 bench/python_peers.py                     every data set and method; minutes
    python3 bench/python_peers.py --data digit        one of them
    python3 bench/python_peers.py --write             also puts the tables into docs/python.md

What was measured is kept in build/peers-results: a run that was ended goes on there; remove the folder to begin anew.

Every method is a process of its own, with three minutes of processor time at most. Seconds are processor time, of all
cores, of the call that clusters, so that other work on the machine matters little; memory is the peak of the process during
that call above what it had before. Peers that cannot take missing views get the mean of each feature
in their place. Views are brought to one scale for all peers alike: dense ones to standard deviation 1, text to tf-idf of
length 1, small counts (proteins) to centred log ratios first. omvc gets the data as they are, and in a row of its own what the
peers get. Needs OMVC_DATA or ../shared/data, the package omvc for python3 (PYTHONPATH or
installed) and PyPI; a peer that cannot be installed or fails has the reason in its row.
"""

import argparse
import json
import os
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "experiments"))
import docs_page  # noqa: E402
DATA = Path(os.environ.get("OMVC_DATA", ROOT.parent / "shared" / "data"))
LIMIT = 180
PEERS = {  # method: (environment, whether it takes missing views)
    "omvc": ("own", True),
    "omvc, prepared as the others": ("own", True),
    "omvc, seed 1": ("own", True),
    "scikit-learn KMeans": ("base", False),
    "scikit-learn MiniBatchKMeans": ("base", False),
    "scikit-learn GaussianMixture": ("base", False),
    "scikit-learn SpectralClustering": ("base", False),
    "scikit-learn HDBSCAN": ("base", False),
    "scanpy Leiden, one view": ("base", False),
    "scanpy Leiden, mean of the views' graphs": ("base", False),
    "mvlearn MultiviewKMeans": ("mvlearn", False),
    "mvlearn MultiviewSpectralClustering": ("mvlearn", False),
    "iMML PIMVC": ("imml", True),
    "iMML NEMO": ("imml", True),
    "iMML EEIMVC": ("imml", True),
}
SETS = {"digit": 10, "hdigit": 10, "bdgp": 5, "bbcsport": 5, "citeseq": 6}


def load(name, mask):
    """Views as arrays or CSR with NaN rows where they are missing, the kind of each (dense, text, counts), and the truth."""
    import numpy as np
    import scipy.io
    import scipy.sparse as sp

    folder = DATA / name
    if name == "digit":
        views = [np.loadtxt(folder / f"mfeat-{part}") for part in ("fou", "fac", "kar", "pix", "zer")]
        kinds, truth = ["dense"] * 5, np.loadtxt(folder / "labels.txt", dtype=int)
    elif name == "hdigit":
        mat = scipy.io.loadmat(folder / "Hdigit.mat")
        truth = mat["Y"].ravel() if "Y" in mat else mat["y"].ravel()
        views = [np.asarray(one, dtype=np.float64) for one in mat["X"].ravel()]
        views = [one if len(one) == len(truth) else one.T for one in views]
        kinds = ["dense", "dense"]
    elif name == "bdgp":
        stored = np.load(folder / "bdgp_4view_incomplete.npz", allow_pickle=True)
        names = [key for key in stored.files if key not in ("mask", "label")]
        truth, there = stored["label"].ravel(), stored["mask"]
        views = [np.asarray(stored[key], dtype=np.float64) for key in names]
        there = there if there.shape[0] == len(truth) else there.T
        for v, view in enumerate(views):
            view[there[:, v] == 0] = np.nan
        kinds = ["text"] * len(views)
    elif name == "bbcsport":
        mat = scipy.io.loadmat(folder / "bbcsportIncomplete.mat")
        truth = mat["truelabel"].ravel()
        truth = np.asarray(truth[0]).ravel() if truth.dtype == object else truth
        views = [np.asarray(one.todense() if sp.issparse(one) else one, dtype=np.float64).T for one in mat["data"].ravel()]
        kinds = ["text"] * len(views)
    else:
        rna = scipy.io.mmread(folder / "RNA_cells_x_genes.mtx.gz").tocsr().astype(np.float64)
        protein = scipy.io.mmread(folder / "Protein_cells_x_adt.mtx.gz").toarray().astype(np.float64)
        rows = [line.strip().strip('"').split(",") for line in (folder / "truth_InHouse.csv").read_text().splitlines()[1:]]
        cells = {row[0].strip('"'): row[-1].strip('"') for row in rows}
        barcodes = (folder / "barcodes.txt").read_text().split()
        words = [cells.get(cell, "unknown") for cell in barcodes]
        truth = np.array([sorted(set(words)).index(word) for word in words])
        truth[[word.lower() == "unknown" for word in words]] = -1
        often = np.asarray((rna > 0).sum(axis=0)).ravel() >= 10
        views, kinds = [rna[:, often].toarray(), protein], ["text", "counts"]
    if mask:
        path = DATA / "masks" / f"{name}-independent-40-0.txt"
        random = np.random.default_rng(0)
        gone = np.loadtxt(path) == 0 if path.exists() else random.random((len(truth), len(views))) < 0.4
        known = np.stack([~np.isnan(view).all(axis=1) for view in views], axis=1)
        for i in np.flatnonzero((gone | ~known).all(axis=1)):
            gone[i, random.choice(np.flatnonzero(known[i]))] = False
        for v, view in enumerate(views):
            view[gone[:, v]] = np.nan
    return views, kinds, truth


def scaled(views, kinds):
    """For the peers: what a careful user does."""
    import numpy as np

    out = []
    for view, kind in zip(views, kinds):
        view = view.copy()
        here = ~np.isnan(view).all(axis=1)
        rows = view[here]
        if kind == "counts":
            rows = np.log1p(rows) - np.log1p(rows).mean(axis=1, keepdims=True)
        if kind == "text":
            rows = rows * (np.log((1 + len(rows)) / (1 + (rows > 0).sum(axis=0))) + 1)
            rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)
        else:
            rows = (rows - rows.mean(axis=0)) / np.maximum(rows.std(axis=0), 1e-12)
        view[here] = rows
        out.append(view)
    return out


def filled(views):
    import numpy as np

    return [np.where(np.isnan(view), np.nanmean(view, axis=0), view) for view in views]


def cluster(method, views, kinds, k):
    """A function that does the work, and nothing else, with everything imported."""
    import numpy as np
    import scipy.sparse as sp

    if method.startswith("omvc"):
        import omvc

        data = scaled(views, kinds) if "prepared" in method else views
        # Text is sparse, as it is kept; what is missing is said apart.
        present = np.stack([~np.isnan(view).all(axis=1) for view in data], axis=1)
        data = [sp.csr_matrix(np.nan_to_num(view)) if kind == "text" else view for view, kind in zip(data, kinds)]
        model = omvc.Clusterer(k, seed=int(method[-1]) if "seed" in method else 0)
        return lambda: model.fit(data, present=present).labels_
    ready = scaled(views, kinds)
    if method.startswith("scikit-learn"):
        import sklearn.cluster
        import sklearn.mixture

        X = np.hstack(filled(ready))
        models = {
            "KMeans": lambda: sklearn.cluster.KMeans(k, n_init=10, random_state=0),
            "MiniBatchKMeans": lambda: sklearn.cluster.MiniBatchKMeans(k, n_init=10, random_state=0),
            "GaussianMixture": lambda: sklearn.mixture.GaussianMixture(k, covariance_type="diag", random_state=0),
            "SpectralClustering": lambda: sklearn.cluster.SpectralClustering(
                k, affinity="nearest_neighbors", random_state=0),
            "HDBSCAN": lambda: sklearn.cluster.HDBSCAN(copy=True),  # finds its own number; -1: in no cluster
        }
        return lambda: models[method.split()[1]]().fit_predict(X)
    if method.startswith("scanpy"):
        return leiden(filled(ready), k, one="one view" in method)
    if method.startswith("mvlearn"):
        import mvlearn.cluster

        complete = filled(ready)
        if method.endswith("MultiviewKMeans"):
            # Of two views; the first two.
            return lambda: mvlearn.cluster.MultiviewKMeans(k, random_state=0).fit_predict(complete[:2])
        return lambda: mvlearn.cluster.MultiviewSpectralClustering(
            k, affinity="nearest_neighbors", random_state=0).fit_predict(complete)
    import imml.cluster

    return lambda: getattr(imml.cluster, method.split()[1])(n_clusters=k, random_state=0).fit_predict(ready)


def leiden(views, k, one):
    """Leiden as people run it: principal components, 15 neighbours, and the resolution that gives k clusters."""
    import anndata
    import numpy as np
    import scanpy

    def graph(view):
        data = anndata.AnnData(view.astype(np.float32))
        if view.shape[1] > 50:
            scanpy.pp.pca(data, n_comps=50, random_state=0)
        # Exact neighbours, as it takes them of few rows anyway: pynndescent does not run with this SciPy.
        scanpy.pp.neighbors(data, random_state=0, transformer="sklearn")
        return data

    graph(np.random.default_rng(0).random((100, 60)))  # compiles what it needs, which is not counted

    def work():
        data = graph(views[0])
        if not one:
            data.obsp["connectivities"] = sum(graph(view).obsp["connectivities"] for view in views) / len(views)
        low, high = 0.01, 4.0
        for _ in range(12):
            resolution = (low + high) / 2
            scanpy.tl.leiden(data, resolution=resolution, flavor="igraph", n_iterations=2, directed=False, random_state=0)
            found = data.obs["leiden"].nunique()
            if found == k:
                break
            low, high = (resolution, high) if found < k else (low, resolution)
        return data.obs["leiden"].astype(int).to_numpy()

    return work


def nmi(labels, truth):
    """With the geometric mean of the entropies; rows in no cluster are a cluster."""
    import numpy as np

    labels, truth = np.asarray(labels), np.asarray(truth)
    labels = labels - min(labels.min(), 0)
    keep = truth >= 0
    table = np.zeros((labels[keep].max() + 1, truth[keep].max() + 1))
    np.add.at(table, (labels[keep], truth[keep]), 1)
    p = table / table.sum()
    a, b = p.sum(axis=1), p.sum(axis=0)

    def entropy(q):
        q = q[q > 0]
        return -(q * np.log(q)).sum()

    return float((entropy(a) + entropy(b) - entropy(p.ravel())) / max(np.sqrt(entropy(a) * entropy(b)), 1e-300))


def versions():
    from importlib import metadata

    found = {}
    for name in ("omvc", "scikit-learn", "scanpy", "leidenalg", "mvlearn", "imml", "numpy"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            pass
    if "omvc" in sys.modules:
        found["omvc"] = sys.modules["omvc"].__version__
    return found


def memory(field):
    """Of this process, in MB."""
    return int(re.search(field + r":\s*(\d+)", Path("/proc/self/status").read_text())[1]) / 1024


def one(data, mask, method):
    """In a process of its own: prints a line of JSON."""
    import warnings

    warnings.simplefilter("ignore")
    views, kinds, truth = load(data, mask)
    work = cluster(method, views, kinds, SETS[data])
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = memory("VmRSS")
    start = sum(os.times()[:4])
    labels = work()
    seconds = sum(os.times()[:4]) - start
    grown = memory("VmHWM") - before
    print(json.dumps({"nmi": nmi(labels, truth), "seconds": seconds, "memory": grown, "versions": versions()}))


def environments():
    """The Python of each environment, made where it is not there; or why it cannot be had."""
    found = {"own": sys.executable}
    for line in (ROOT / "tools" / "requirements-peers.txt").read_text().splitlines():
        if line.startswith("#") or ":" not in line:
            continue
        name, _, packages = line.partition(":")
        folder = ROOT / "build" / f"peers-{name}"
        python = folder / "bin" / "python"
        if not (folder / "done").exists():
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
            made = subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check",
                                   *packages.split()], capture_output=True, text=True)
            if made.returncode != 0:
                found[name] = "cannot be installed: " + (made.stderr.strip().splitlines() or ["?"])[-1][:80]
                continue
            (folder / "done").touch()
        found[name] = str(python)
    return found


def cell(python, data, mask, method, stored):
    """A result, which is kept in build/peers-results, so that a run that was ended goes on where it was."""
    name = re.sub(r"[^a-z0-9]+", "-", f"{data} {40 if mask else 0} {method}".lower())
    path = ROOT / "build" / "peers-results" / f"{name}.json"
    if not path.exists():
        if stored:
            return {"error": "not measured"}
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(run(python, data, mask, method)))
    return json.loads(path.read_text())


def run(python, data, mask, method):
    if not os.access(python, os.X_OK):
        return {"error": python}
    words = [python, __file__, "--one", data, "40" if mask else "0", method]
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))  # noqa: E731
    done = subprocess.run(words, capture_output=True, text=True, preexec_fn=limit)
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return {"error": f"more than {LIMIT} s"}
    if done.returncode != 0:
        return {"error": (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1][:90].replace("|", "/")}
    return json.loads(done.stdout.splitlines()[-1])


def table(chosen, methods, stored, each):
    """Calls each(text) with what there is after every data set."""
    places = environments()
    used = {}
    lines = []
    for data in chosen:
        lines += ["", f"**{data}**, K = {SETS[data]}", "", "| method | NMI, as it is | NMI, 40 % missing | CPU seconds | MB "
                  "above the data | missing views |", "| --- | --- | --- | --- | --- | --- |"]
        for method in methods:
            environment, takes = PEERS[method]
            both = [cell(places[environment], data, False, method, stored)]
            # What took too long takes too long again: the data are as large.
            late = both[0].get("error", "").startswith("more than")
            both.append(both[0] if late else cell(places[environment], data, True, method, stored))
            for result in both:
                for name, version in result.get("versions", {}).items():
                    used.setdefault(name, version)  # mvlearn has older ones of its own: tools/requirements-peers.txt
            shown = [result["error"] if "error" in result else f"{result['nmi']:.3f}" for result in both]
            good = [result for result in both if "error" not in result]
            seconds = " / ".join(f"{result['seconds']:.1f}" for result in good) or "–"
            memory = " / ".join(f"{result['memory']:.0f}" for result in good) or "–"
            lines.append(f"| {method} | {shown[0]} | {shown[1]} | {seconds} | {memory} | "
                         f"{'taken' if takes else 'filled with means'} |")
            print(lines[-1], flush=True)
        stamp = docs_page.stamp("bench/python_peers.py --write",
                                *(f"{name} {version}" for name, version in sorted(used.items())))
        each("\n".join([*lines, "", stamp]))


def main():
    if sys.argv[1:2] == ["--one"]:
        one(sys.argv[2], sys.argv[3] == "40", sys.argv[4])
        return
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--data", nargs="*", choices=list(SETS), default=list(SETS))
    options.add_argument("--methods", nargs="*", choices=list(PEERS), default=list(PEERS))
    options.add_argument("--stored", action="store_true", help="run nothing: the tables of what was measured before")
    options.add_argument("--write", action="store_true", help="into docs/python.md")
    given = options.parse_args()
    if not DATA.exists():
        sys.exit("skipped: neither OMVC_DATA nor ../shared/data is there")

    def write(made):
        docs_page.put("python.md", "peers", made)

    table(given.data, given.methods, given.stored, write if given.write else lambda _: None)


if __name__ == "__main__":
    main()
