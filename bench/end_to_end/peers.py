"""Peers that live in Python, run by bench/end_to_end.py inside its virtual environment; each prints JSON.

    peers.py floor FOLDER --chunk 500 --threads 2 --pass 93:1200:1100 [--repeat 3]   as omvc_floor, by NumPy and SciPy
    peers.py nmf FOLDER --rank 93 --chunk 500 --passes 2 --threads 2 --until 1.7     scikit-learn's MiniBatchNMF

FOLDER is what omvc_scaled wrote.
"""
import argparse
import json
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.sparse import _sparsetools
from threadpoolctl import threadpool_limits

ROWS = 4096  # reconstructed at a time
SWEEPS = 20  # over the components, when rows are solved again


class View:
    def __init__(self, folder, number, about):
        def array(name, kind):
            return np.fromfile(folder / f"view{number}.{name}", dtype=kind)

        self.sparse, self.squares = about["sparse"], about["squares"]
        self.present = array("present", np.int64)
        values = array("values", about["type"]).astype(np.float64)
        shape = (about["rows"], about["cols"])
        if self.sparse:
            self.X = sp.csr_matrix((values, array("columns", np.int32), array("offsets", np.int64)), shape=shape)
        else:
            self.X = values.reshape(shape)

    def chunks(self, instances, chunk):
        ends = np.searchsorted(self.present, np.arange(0, instances + chunk, chunk))
        return [self.X[begin:end] for begin, end in zip(ends[:-1], ends[1:])]


def read(folder):
    folder = Path(folder)
    about = json.loads((folder / "data.json").read_text())
    return about["instances"], [View(folder, v, each) for v, each in enumerate(about["views"])]


class Dense:
    """NumPy, which brings an OpenBLAS of its own."""
    name = "NumPy"

    def __init__(self, X, _threads):
        self.X = X
        self.squares = X.reshape(-1)

    def times(self, U, out):
        np.dot(self.X, U, out=out[:len(self.X)])

    def transpose_times(self, V, out):
        np.dot(self.X.T, V[:len(self.X)], out=out)


class Sparse:
    """SciPy's CSR product, called without the checks around it; threads take rows with about equally many entries."""
    name = "SciPy"
    pool = None

    def __init__(self, X, threads):
        self.squares = X.data
        self.rows = self.parts(X, threads)
        self.columns = self.parts(X.T.tocsr(), threads)

    @staticmethod
    def parts(X, threads):
        cuts = np.searchsorted(X.indptr, X.nnz * np.arange(1, threads) // threads)
        ends = [0, *cuts, X.shape[0]]
        return [(begin, X[begin:end]) for begin, end in zip(ends[:-1], ends[1:])]

    def multiply(self, parts, factor, out):
        def one(part):
            begin, X = part
            height, width = X.shape
            _sparsetools.csr_matvecs(height, width, factor.shape[1], X.indptr, X.indices, X.data, factor[:width].ravel(),
                                     out[begin:begin + height].reshape(-1))
        if len(parts) == 1:
            one(parts[0])
        else:
            list(self.pool.map(one, parts))

    def times(self, U, out):
        out.fill(0)
        self.multiply(self.rows, U, out)

    def transpose_times(self, V, out):
        self.multiply(self.columns, V, out)


def of_chunk(every, c, chunks, views):
    return (c + 1) * every // (chunks * views) - c * every // (chunks * views)


def seconds_of(views, widths, count, height, products):
    """One pass; the same loop as in floor.cpp. `views` holds the blocks of each view, a chunk each."""
    chunks = len(views[0])
    factors = [([np.full((d, r), 0.5) for d in widths], np.zeros((height, r)), np.full((height, r), 0.5),
                [np.zeros((d, r)) for d in widths]) for r, _, _ in products]
    start = time.perf_counter()
    for c in range(chunks):
        for view in views:
            np.dot(view[c].squares, view[c].squares)
        for (_, times, transposed), (U, XU, V, XV) in zip(products, factors):
            times, transposed = of_chunk(times, c, chunks, count), of_chunk(transposed, c, chunks, count)
            for i in range(max(times, transposed)):
                if i < times:
                    for v, view in enumerate(views):
                        view[c].times(U[v], XU)
                if i < transposed:
                    for v, view in enumerate(views):
                        view[c].transpose_times(V, XV[v])
    return time.perf_counter() - start


def floor(arguments):
    instances, every = read(arguments.folder)
    passes = [[tuple(map(int, one.split(":"))) for one in text.split(",")] for text in arguments.products]
    Sparse.pool = ThreadPoolExecutor(arguments.threads)
    results = []
    for kind in (Dense, Sparse):
        chosen = [view for view in every if view.sparse == (kind is Sparse)]
        if not chosen:
            continue
        blocks = [[kind(X, arguments.threads) for X in view.chunks(instances, arguments.chunk)] for view in chosen]
        widths = [view.X.shape[1] for view in chosen]
        seconds = [sum(seconds_of(blocks, widths, len(every), arguments.chunk, products) for products in passes)
                   for _ in range(arguments.repeat)]
        results.append({"library": kind.name, "sparse": kind is Sparse, "threads": arguments.threads, "bytes": 8,
                        "seconds": seconds})
    return results


def concatenated(instances, views):
    """All views side by side. A missing row is zero where a view is sparse, so that it stays sparse, else the mean."""
    if any(view.sparse for view in views):
        def placed(view):
            at = sp.csr_matrix((np.ones(len(view.present)), (view.present, np.arange(len(view.present)))),
                               shape=(instances, len(view.present)))
            return at @ sp.csr_matrix(view.X)
        return sp.hstack([placed(view) for view in views], format="csr")
    X = np.empty((instances, sum(view.X.shape[1] for view in views)))
    first = 0
    for view in views:
        columns = slice(first, first + view.X.shape[1])
        X[:, columns] = view.X.mean(axis=0)
        X[view.present, columns] = view.X
        first = columns.stop
    return X


def bases(views, H):
    return np.split(H, np.cumsum([view.X.shape[1] for view in views])[:-1], axis=1)


def squared_error(views, W, H):
    """||X - W H||^2 over the observed rows of each view."""
    total = 0.0
    for view, B in zip(views, bases(views, H)):
        gram = B @ B.T
        total += view.squares
        for first in range(0, len(view.present), ROWS):
            V = W[view.present[first:first + ROWS]]
            total += np.vdot(V @ gram, V) - 2 * np.vdot(view.X[first:first + ROWS] @ B.T, V)
    return float(total)


def solve_rows(instances, views, W, H):
    """The rows of W again, over the observed views alone, by coordinate descent with H as it is."""
    pattern = np.zeros(instances, dtype=np.int64)
    Q = np.zeros_like(W)
    grams = []
    for v, (view, B) in enumerate(zip(views, bases(views, H))):
        pattern[view.present] |= 1 << v
        Q[view.present] += view.X @ B.T
        grams.append(B @ B.T)
    W = W.copy()
    for bits in np.unique(pattern):
        rows = np.flatnonzero(pattern == bits)
        G = sum((gram for v, gram in enumerate(grams) if bits >> v & 1), np.zeros((W.shape[1], W.shape[1])))
        Z, q = W[rows].T.copy(), Q[rows].T.copy()
        for _ in range(SWEEPS):
            for k in np.flatnonzero(np.diag(G) > 0):
                Z[k] = np.maximum(0, Z[k] + (q[k] - G[k] @ Z) / G[k, k])
        W[rows] = Z.T
    return W


def nmf(arguments):
    """Fits for as many passes as asked for, then twice as many and so on, until the loss is `until` or time is up."""
    from sklearn.decomposition import MiniBatchNMF
    from sklearn.decomposition._nmf import _initialize_nmf

    instances, views = read(arguments.folder)
    X = concatenated(instances, views)
    # The start that MiniBatchNMF would choose itself, outside of the timing.
    init = "nndsvda" if arguments.rank <= min(X.shape) else "random"
    W0, H0 = _initialize_nmf(X, arguments.rank, init=init, random_state=0)
    observed = np.zeros(instances, dtype=bool)
    for view in views:
        observed[view.present] = True
    fits, passes = [], arguments.passes
    while True:
        model = MiniBatchNMF(n_components=arguments.rank, init="custom", batch_size=arguments.chunk, tol=0,
                             max_no_improvement=None, max_iter=passes, random_state=0)
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it says that it has not converged
            W = model.fit_transform(X, W=W0.copy(), H=H0.copy())
        seconds = time.perf_counter() - start
        H = model.components_
        left = squared_error(views, W, H) / observed.sum()
        solved = squared_error(views, solve_rows(instances, views, W, H), H) / observed.sum()
        fits.append({"passes": passes, "seconds": seconds, "left": left, "solved": solved, "loss": min(left, solved)})
        if fits[-1]["loss"] <= arguments.until or 2 * seconds > arguments.limit:
            break
        passes *= 2
    return {"init": init, "squares": [view.squares for view in views], "observed": int(observed.sum()), "fits": fits}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["floor", "nmf"])
    parser.add_argument("folder")
    parser.add_argument("--chunk", type=int, default=500)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--rank", type=int, default=10)
    parser.add_argument("--passes", type=int, default=1, help="of nmf")
    parser.add_argument("--pass", dest="products", action="append", default=[], help="of floor: the products of one pass")
    parser.add_argument("--until", type=float, default=float("inf"), help="nmf: more and more passes until this loss")
    parser.add_argument("--limit", type=float, default=300, help="nmf: seconds of the longest fit")
    arguments = parser.parse_args()
    with threadpool_limits(arguments.threads):
        print(json.dumps({"floor": floor, "nmf": nmf}[arguments.what](arguments)))


if __name__ == "__main__":
    main()
