"""The products of a pass by NumPy and SciPy, run by bench/end_to_end.py inside its virtual environment; prints JSON.

    peers.py floor FOLDER --chunk 500 --threads 2 --pass 93:1200:1100 [--repeat 3]   as omvc_floor

FOLDER is what omvc_scaled wrote.
"""
import argparse
import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.sparse import _sparsetools
from threadpoolctl import threadpool_limits


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


def seconds_of(views, widths, count, height, products, alone):
    """One pass; the same loop and clock as in floor.cpp. `views` holds the blocks of each view, a chunk each."""
    chunks = len(views[0])
    factors = [([np.full((d, r), 0.5) for d in widths], np.zeros((height, r)), np.full((height, r), 0.5),
                [np.zeros((d, r)) for d in widths]) for r, _, _ in products]
    clock = time.process_time if alone else time.perf_counter
    start = clock()
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
    return clock() - start


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
        seconds = [sum(seconds_of(blocks, widths, len(every), arguments.chunk, products, arguments.threads == 1) for products in passes)
                   for _ in range(arguments.repeat)]
        results.append({"library": kind.name, "sparse": kind is Sparse, "threads": arguments.threads, "bytes": 8,
                        "seconds": seconds})
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["floor"])
    parser.add_argument("folder")
    parser.add_argument("--chunk", type=int, default=500)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--pass", dest="products", action="append", default=[], help="the products of one pass")
    arguments = parser.parse_args()
    with threadpool_limits(arguments.threads):
        print(json.dumps(floor(arguments)))


if __name__ == "__main__":
    main()
