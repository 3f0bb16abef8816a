#!/usr/bin/env python3
"""Exchanges files with the real mudata and anndata, both ways.

Python writes what people have (dense, CSR, CSC, layers, categories, modalities with different samples in different
orders): omvc must give the labels that the same data give as .npy and .mtx, to the bit. omvc writes: mudata and anndata
must read the same values, presence, ids and labels.

Arguments: source folder, build folder. Installs tools/requirements.txt into BUILD/venv when first run; exits with 77
(skipped) if that is not possible, as without a network.
"""

import filecmp
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

SKIPPED = 77


def enter_environment(source, build):
    """Runs this program again inside the virtual environment, which is made if it is not there."""
    python = build / "venv" / "bin" / "python"
    wanted = (source / "tools" / "requirements.txt").read_text()
    done = build / "venv" / "installed.txt"
    if not done.exists() or done.read_text() != wanted:
        steps = [
            [sys.executable, "-m", "venv", str(build / "venv")],
            [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check",
             "-r", str(source / "tools" / "requirements.txt")],
        ]
        for step in steps:
            made = subprocess.run(step, capture_output=True, text=True)
            if made.returncode != 0:
                print(f"skipped: mudata and anndata cannot be installed:\n{made.stderr[-500:]}")
                sys.exit(SKIPPED)
        done.write_text(wanted)
    os.execv(python, [str(python), *sys.argv, "inside"])


def main():
    source, build = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    if sys.argv[-1] != "inside":
        enter_environment(source, build)
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        exchange = Exchange(build / "omvc")
        for name in [name for name in dir(exchange) if name.startswith("test_")]:
            getattr(exchange, name)()
            print(f"{name}: passed")


class Exchange:
    ROWS, CLUSTERS = 120, 3

    def __init__(self, command):
        import numpy as np
        import scipy.sparse as sp

        self.command = str(command)
        random = np.random.default_rng(7)
        self.truth = random.integers(0, self.CLUSTERS, self.ROWS)
        # Multiples of 1/64: all formats hold them exactly.
        self.dense = (random.integers(0, 64, (self.ROWS, 12)) / 64).astype("f4")
        self.sparse = random.integers(1, 64, (self.ROWS, 40)) / 64 * (random.random((self.ROWS, 40)) < 0.2)
        for i, label in enumerate(self.truth):
            self.dense[i, 4 * label:4 * label + 4] += 2
            self.sparse[i, 10 * label:10 * label + 4] += 2
        self.ids = np.array([f"s{i:03}" for i in range(self.ROWS)])
        # Every instance is in some view; the first view holds a prefix, so mudata's union has the order of the ids.
        self.present = np.ones((self.ROWS, 2), bool)
        self.present[80:, 0] = False
        self.present[10:50, 1] = False
        dense = self.dense.copy()
        dense[~self.present[:, 0]] = np.nan
        np.save("dense.npy", dense)
        self.write_market("sparse.mtx", sp.csr_matrix(self.sparse), self.present[:, 1])
        np.savetxt("truth.txt", self.truth, fmt="%d")
        self.expected = self.labels("dense.npy", "sparse.mtx")

    @staticmethod
    def write_market(path, matrix, present):
        entries = []
        for i in range(matrix.shape[0]):
            if not present[i]:
                entries.append(f"{i + 1} 1 nan")
                continue
            for k in range(matrix.indptr[i], matrix.indptr[i + 1]):
                entries.append(f"{i + 1} {matrix.indices[k] + 1} {matrix.data[k]!r}".replace("np.float64(", "").rstrip(")"))
        header = f"%%MatrixMarket matrix coordinate real general\n{matrix.shape[0]} {matrix.shape[1]} {len(entries)}\n"
        Path(path).write_text(header + "\n".join(entries) + "\n")

    def run(self, *arguments):
        done = subprocess.run([self.command, *arguments], capture_output=True, text=True)
        assert done.returncode == 0, f"{arguments}: exit {done.returncode}\n{done.stderr}"

    def labels(self, *arguments):
        self.run("fit", *arguments, "-k", str(self.CLUSTERS), "--chunk", "32", "--seed", "3", "--quiet",
                 "--labels", "labels.txt", "--model", "model.omvc")
        return Path("labels.txt").read_text()

    def mudata(self, sparse_type, second_order=None):
        """The data as MuData; the rows of the second modality in any order."""
        import anndata
        import mudata
        import numpy as np
        import pandas as pd

        mudata.set_options(pull_on_update=False)
        first = np.flatnonzero(self.present[:, 0])
        second = np.flatnonzero(self.present[:, 1])
        if second_order is not None:
            second = second[second_order(len(second))]
        a = anndata.AnnData(self.dense[first], obs=pd.DataFrame(index=self.ids[first]))
        b = anndata.AnnData(sparse_type(self.sparse[second]), obs=pd.DataFrame(index=self.ids[second]))
        a.var_names = [f"dense{i}" for i in range(a.n_vars)]
        b.var_names = [f"sparse{i}" for i in range(b.n_vars)]
        data = mudata.MuData({"dense": a, "sparse": b})
        words = np.array(["zero", "one", "two"])[self.truth]
        by_id = pd.Series(words, index=self.ids)
        data.obs["class"] = pd.Categorical(by_id[data.obs_names])
        data.obs["number"] = pd.Series(self.truth, index=self.ids)[data.obs_names].to_numpy()
        b.obs["own"] = by_id[b.obs_names].to_numpy()
        a.obs["own"] = pd.Categorical(by_id[a.obs_names])
        return data

    def test_modalities_read_as_csr_csc_and_dense(self):
        import numpy as np
        import scipy.sparse as sp

        for kind in (sp.csr_matrix, sp.csc_matrix, sp.csr_array):
            self.mudata(kind).write("in.h5mu")
            assert self.labels("in.h5mu") == self.expected, kind
        data = self.mudata(sp.csr_matrix)
        data.write("in.h5mu", compression="gzip")
        assert self.labels("in.h5mu") == self.expected
        # Dense in the place of sparse is another input for omvc, but the same for both files of it.
        self.mudata(np.asarray).write("in.h5mu")
        second = self.sparse.copy()
        second[~self.present[:, 1]] = np.nan
        np.save("second.npy", second)
        assert self.labels("in.h5mu") == self.labels("dense.npy", "second.npy")

    def test_rows_of_a_modality_may_come_in_any_order(self):
        import numpy as np
        import scipy.sparse as sp

        # mudata then orders the whole by its own rule; labels must follow the names.
        data = self.mudata(sp.csr_matrix, second_order=lambda n: np.random.default_rng(1).permutation(n))
        data.write("in.h5mu")
        import h5py
        with h5py.File("in.h5mu") as file:
            order = [int(name[1:]) for name in file["obs/_index"].asstr()[:]]
            stored = file["obsmap/sparse"][:]
        assert sorted(order) == list(range(self.ROWS))
        assert (np.diff(stored[stored > 0].astype(int)) < 0).any(), "the map must not be monotone for this test"
        np.savetxt("order.txt", order, fmt="%d")
        by_row = self.labels("dense.npy", "sparse.mtx", "--order", "order.txt").split()
        assert self.labels("in.h5mu").split() == [by_row[i] for i in order]

    def test_layers(self):
        import numpy as np
        import scipy.sparse as sp

        data = self.mudata(sp.csr_matrix)
        for modality in data.mod.values():
            modality.layers["counts"] = modality.X.copy()
            modality.X = np.zeros(modality.shape)
        data.write("in.h5mu")
        assert self.labels("in.h5mu", "--layer", "counts") == self.expected

    def test_anndata_alone(self):
        import scipy.sparse as sp
        import numpy as np
        import anndata

        np.save("whole.npy", self.dense)
        anndata.AnnData(self.dense).write_h5ad("in.h5ad")
        assert self.labels("in.h5ad") == self.labels("whole.npy")
        self.write_market("whole.mtx", sp.csr_matrix(self.sparse), np.ones(self.ROWS, bool))
        anndata.AnnData(sp.csc_matrix(self.sparse)).write_h5ad("in.h5ad")
        assert self.labels("in.h5ad") == self.labels("whole.mtx")

    def test_label_columns(self):
        import json
        import scipy.sparse as sp

        self.mudata(sp.csr_matrix).write("in.h5mu")
        scores = set()
        for arguments in (["dense.npy", "sparse.mtx", "--truth", "truth.txt"], ["in.h5mu", "--label-column", "class"],
                          ["in.h5mu", "--label-column", "number"], ["in.h5mu", "--label-column", "own"]):
            done = subprocess.run([self.command, "fit", *arguments, "-k", "3", "--json", "--quiet"],
                                  capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            scores.add(json.loads(done.stdout)["nmi_best"])
        assert len(scores) == 1 and scores.pop() > 0.5

    def check_written(self, path, data):
        """Whether MuData that omvc wrote holds our data, whatever the order."""
        import numpy as np
        import scipy.sparse as sp

        rows = np.array([int(name) for name in data.obs_names])
        assert sorted(rows) == list(range(self.ROWS)), path
        assert list(data.mod) == ["dense", "sparse"]
        assert (data.obs["truth"].to_numpy() == self.truth[rows]).all()
        for v, (name, values) in enumerate({"dense": self.dense, "sparse": self.sparse}.items()):
            modality = data.mod[name]
            own = np.array([int(i) for i in modality.obs_names])
            assert sorted(own) == list(np.flatnonzero(self.present[:, v])), (path, name)
            found = modality.X.toarray() if sp.issparse(modality.X) else modality.X
            assert found.dtype == values.dtype and (found == values[own]).all(), (path, name)
            assert sp.issparse(modality.X) == (name == "sparse")
            assert (np.asarray(data.obsm[name]).ravel() == self.present[rows, v]).all(), (path, name)
            place = np.asarray(data.obsmap[name])
            assert (own[place[place > 0] - 1] == rows[place > 0]).all(), (path, name)

    def test_what_omvc_writes(self):
        import mudata

        for extra in ([], ["--compress", "3"], ["--shuffle", "--seed", "5"]):
            self.run("convert", "dense.npy", "sparse.mtx", "--truth", "truth.txt", "-o", "out.h5mu", "--quiet", *extra)
            data = mudata.read("out.h5mu")
            self.check_written("out.h5mu", data)
        # And back: mudata writes it again, and omvc reads the same.
        self.run("convert", "dense.npy", "sparse.mtx", "--truth", "truth.txt", "-o", "out.h5mu", "--quiet")
        mudata.read("out.h5mu").write("again.h5mu")
        assert self.labels("out.h5mu") == self.expected
        assert self.labels("again.h5mu") == self.expected

    def test_anndata_that_omvc_writes(self):
        import anndata
        import numpy as np

        self.run("convert", "dense.npy", "-o", "out.h5ad", "--quiet")
        data = anndata.read_h5ad("out.h5ad")
        dense = self.dense.copy()
        dense[~self.present[:, 0]] = np.nan
        assert np.array_equal(data.X, dense, equal_nan=True)

    def test_results_written_back(self):
        import anndata
        import mudata
        import numpy as np
        import scipy.sparse as sp

        def numbers(column):
            """The labels, -1 where there is none."""
            return [-1 if label != label else int(label) for label in column]

        self.mudata(sp.csr_matrix).write("in.h5mu")
        labels = [int(label) for label in self.labels("in.h5mu", "--output", "out.h5mu", "--embedding", "e.npy").split()]
        before, after = mudata.read("in.h5mu"), mudata.read("out.h5mu")
        assert after.obs["omvc"].dtype == "category"
        assert numbers(after.obs["omvc"]) == labels and list(after.obs_names) == list(before.obs_names)
        assert list(after.obs["class"]) == list(before.obs["class"])
        assert np.array_equal(after.obsm["X_omvc"], np.load("e.npy"), equal_nan=True)
        assert (after.mod["sparse"].X != before.mod["sparse"].X).nnz == 0
        self.labels("dense.npy", "sparse.mtx", "--output", "new.h5ad")
        assert numbers(anndata.read_h5ad("new.h5ad").obs["omvc"]) == labels
        assert not filecmp.cmp("in.h5mu", "out.h5mu", shallow=False)


if __name__ == "__main__":
    main()
