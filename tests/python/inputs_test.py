"""The same data give the same labels to the bit, in whatever form they come."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import anndata
import duckdb
import h5py
import mudata
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pytest
import scipy.sparse as sp

import omvc
from conftest import planted, planted_text

K = 3


def bits(model):
    return (np.asarray(model.labels_).tobytes(), np.asarray(model.confidence_).tobytes(),
            np.asarray(model.embedding_).tobytes())


def frames(views, ids=None):
    ids = [f"s{i}" for i in range(len(views[0]))] if ids is None else ids
    return {f"view{v + 1}": pd.DataFrame(view, index=ids, columns=[f"v{v}f{j}" for j in range(view.shape[1])])
            for v, view in enumerate(views)}


def test_hdf5_is_tried_by_the_module_alone(views, tmp_path):
    """Nothing beside the module is needed: neither a program in the package or on the PATH, nor NumPy where it is tried."""
    package = Path(omvc.__file__).parent
    shutil.copytree(package, tmp_path / "omvc", ignore=shutil.ignore_patterns("bin", "__pycache__"))
    file, half = tmp_path / "data.h5mu", tmp_path / "half.h5mu"
    mudata.MuData({f"v{v}": anndata.AnnData(np.nan_to_num(view)) for v, view in enumerate(views)}).write(file)
    half.write_bytes(file.read_bytes()[:file.stat().st_size // 2])
    # A module of this name in the working folder must not be taken for that of Python.
    (tmp_path / "os.py").write_text("raise SystemExit('the folder of the data was looked into')")
    program = """
import sys
sys.path.insert(0, sys.argv[1])
import omvc
print(omvc.__file__)
for file in sys.argv[2:]:
    try:
        print(len(omvc.Clusterer(3).fit(file).labels_))
    except omvc.DataError as error:
        print("damaged" if "is damaged" in str(error) else error)
sys.executable = ""
print(omvc._trial.command()[0])
omvc._core.set_trial_command(["/nowhere/omvc"])
omvc.trust_hdf5_files()
print(len(omvc.Clusterer(3).fit(sys.argv[2]).labels_))
"""
    done = subprocess.run([sys.executable, "-c", program, tmp_path, file, half], capture_output=True, text=True, cwd=tmp_path,
                          env={**os.environ, "PATH": "/nowhere"})
    assert done.returncode == 0, done.stderr
    place, whole, damaged, python, trusted = done.stdout.split("\n")[:5]
    assert place.startswith(str(tmp_path)) and whole == trusted == str(len(views[0])) and damaged == "damaged"
    assert "python" in python


def test_command_and_python_agree(views, truth, command, tmp_path):
    paths = []
    for v, view in enumerate(views):
        paths.append(tmp_path / f"view{v + 1}.npy")
        np.save(paths[-1], view)
    ours = omvc.Clusterer(K).fit(views)
    np.testing.assert_array_equal(ours.labels_, command(paths, "-k", str(K)))
    assert bits(omvc.Clusterer(K).fit(paths)) == bits(ours)
    assert bits(omvc.Clusterer(K).fit([str(path) for path in paths])) == bits(ours)
    # A label says something, too.
    table = pd.crosstab(np.asarray(ours.labels_), truth)
    assert table.max(axis=1).sum() > 0.9 * len(truth)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dense_forms(views, dtype, command, tmp_path):
    plain = [view.astype(dtype) for view in views]
    for v, view in enumerate(plain):
        np.save(tmp_path / f"view{v + 1}.npy", view)
    expected = omvc.Clusterer(K).fit(plain)
    np.testing.assert_array_equal(expected.labels_, command([tmp_path / "view1.npy", tmp_path / "view2.npy"], "-k", "3"))
    forms = {
        "tuple": tuple(plain),
        "dict": {"a": plain[0], "b": plain[1]},
        "fortran": [np.asfortranarray(view) for view in plain],
        "slices": [np.repeat(np.repeat(view, 2, 0), 2, 1)[::2, ::2] for view in plain],
        "reversed": [view[::-1].copy()[::-1] for view in plain],
        "big endian": [view.astype(view.dtype.newbyteorder(">")) for view in plain],
        "read-only": [_frozen(view) for view in plain],
        "pandas": frames(plain),
        "polars": [pl.DataFrame(view, schema=[f"c{j}" for j in range(view.shape[1])]) for view in plain],
        "arrow": [pa.table({f"c{j}": view[:, j] for j in range(view.shape[1])}) for view in plain],
        "arrow batch": [pa.record_batch({f"c{j}": view[:, j] for j in range(view.shape[1])}) for view in plain],
        "None rows": [[None if np.isnan(row).all() else list(row) for row in view] for view in plain]
        if dtype == np.float64 else plain,
    }
    for name, form in forms.items():
        assert bits(omvc.Clusterer(K).fit(form)) == bits(expected), name


def _frozen(view):
    view = view.copy()
    view.flags.writeable = False
    return view


def test_masked_values_are_missing(views):
    hidden = [np.ma.masked_greater(np.nan_to_num(view), 0.8) for view in views]
    for masked in (hidden, [np.ma.masked_array(np.rint(8 * view.data).astype(int), view.mask) for view in hidden]):
        shown = [np.ma.filled(view.astype(float), np.nan) for view in masked]
        found, expected = (omvc.Clusterer(n_clusters=3).fit(given) for given in (masked, shown))
        assert np.array_equal(found.embedding_, expected.embedding_, equal_nan=True)


def test_words_for_missing_values_and_headers_of_files(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("1,2\n" + "".join(f"{i},{'oops' if i == 5 else i % 7}\n" for i in range(60)))
    with pytest.raises(omvc.DataError, match="oops"):
        omvc.Clusterer(n_clusters=2).fit(str(path), files={"header": "no", "id_column": "none"})
    how = {"header": "no", "id_column": "none", "missing_values": ["oops"]}
    assert len(omvc.Clusterer(n_clusters=2).fit(str(path), files=how).labels_) == 61


def test_presence_is_the_same_as_nan(views):
    filled = [np.nan_to_num(view, nan=1.0) for view in views]
    present = np.stack([~np.isnan(view).all(axis=1) for view in views], axis=1)
    expected = bits(omvc.Clusterer(K).fit(views))
    assert bits(omvc.Clusterer(K).fit(filled, present=present)) == expected
    assert bits(omvc.Clusterer(K).fit(frames(filled), present=pd.DataFrame(
        present[:, ::-1], columns=["view2", "view1"], index=[f"s{i}" for i in range(len(present))]))) == expected


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_forms(dtype, command, tmp_path):
    text, _ = planted_text()
    text = text.astype(dtype)
    sp.save_npz(tmp_path / "text.npz", text)
    expected = omvc.Clusterer(K).fit([text])
    np.testing.assert_array_equal(expected.labels_, command([tmp_path / "text.npz"], "-k", "3"))
    doubled = sp.coo_matrix((np.tile(text.tocoo().data / 2, 2), (np.tile(text.tocoo().row, 2),
                                                               np.tile(text.tocoo().col, 2))), text.shape)
    backwards = text.copy()
    for i in range(text.shape[0]):
        part = slice(backwards.indptr[i], backwards.indptr[i + 1])
        backwards.indices[part] = backwards.indices[part][::-1].copy()
        backwards.data[part] = backwards.data[part][::-1].copy()
    backwards.has_sorted_indices = False
    backwards.has_canonical_format = False
    before = backwards.indices.copy()
    wide = text.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    for name, form in {"csc": text.tocsc(), "coo": text.tocoo(), "dok": text.todok(), "lil": text.tolil(), "array": sp.csr_array(text), "doubled": doubled,
                       "unsorted": backwards, "int64": wide, "single": None}.items():
        again = omvc.Clusterer(K).fit(text if form is None else [form])
        assert bits(again) == bits(expected), name
    np.testing.assert_array_equal(backwards.indices, before, "what was lent is not changed")


def test_ids_in_another_form_are_named(views):
    a, b = (pd.DataFrame(view) for view in views[:2])
    with pytest.raises(omvc.DataError, match=r"such as '0' \(str\) here and 0 \(int\) in 'a'"):
        omvc.Clusterer(K).fit({"a": a, "b": b.set_axis([str(i) for i in b.index])})
    names = [f"S{i}" for i in a.index]
    other = ["s0 ", *names[1:]]
    with pytest.warns(omvc.OmvcWarning, match="1 ids of view 'b' are in other views in another form"):
        omvc.Clusterer(K).fit({"a": a.set_axis(names), "b": b.set_axis(other)})


def test_frames_are_joined_by_index(views, command, tmp_path):
    keys = frames(views)
    random = np.random.default_rng(1)
    parts = {}
    for name, frame in keys.items():
        frame = frame[~frame.isna().all(axis=1)]
        parts[name] = frame.iloc[random.permutation(len(frame))]
        parts[name].to_csv(tmp_path / f"{name}.csv", index_label="id")
    model = omvc.Clusterer(K).fit(parts)
    assert isinstance(model.labels_, pd.Series) and len(model.labels_) == len(views[0])
    assert set(model.labels_.index) == set(keys["view1"].index)
    by_files = omvc.Clusterer(K).fit([tmp_path / "view1.csv", tmp_path / "view2.csv"])
    expected = pd.Series(by_files.labels_, index=by_files.index_)
    assert (expected.reindex(model.labels_.index) == model.labels_).all()
    np.testing.assert_array_equal(by_files.labels_, command([tmp_path / "view1.csv", tmp_path / "view2.csv"], "-k", "3"))


def test_frames_with_the_default_index_are_named(views):
    """An index that was never set means other instances in a frame of another length."""
    a, b = (pd.DataFrame(view).fillna(0.5) for view in views[:2])
    with pytest.warns(omvc.OmvcWarning, match="default index of pandas.*set_index"):
        omvc.Clusterer(K).fit({"a": a, "b": b.iloc[:-10]})


def test_views_with_names(views):
    text, _ = planted_text()
    words = [f"word{j}" for j in range(text.shape[1])]
    ids = [f"s{i}" for i in range(text.shape[0])]
    named = omvc.Clusterer(K).fit({"text": omvc.View(text, features=words, index=ids), "other": omvc.View(views[0])})
    assert bits(named) == bits(omvc.Clusterer(K).fit([text, views[0]]))
    assert named.top_features(1, view="text")[0].feature in words and list(named.labels_.index) == ids
    with pytest.raises(omvc.DataError, match="3 names"):
        omvc.Clusterer(K).fit(omvc.View(text, features=["a", "b", "c"]))


def test_anndata_and_mudata(views, command, tmp_path):
    modalities = {}
    for name, frame in frames(views).items():
        modalities[name] = anndata.AnnData(frame[~frame.isna().all(axis=1)])
    whole = mudata.MuData(modalities)
    whole.write(tmp_path / "data.h5mu")
    model = omvc.Clusterer(K).fit(whole)
    np.testing.assert_array_equal(np.asarray(model.labels_), command([tmp_path / "data.h5mu"], "-k", "3"))
    assert list(model.labels_.index) == list(whole.obs_names)
    assert bits(omvc.Clusterer(K).fit(tmp_path / "data.h5mu")) == bits(model)

    one = modalities["view1"]
    one.layers["twice"] = 2 * one.X
    one.obsm["other"] = one.X[:, :3].copy()
    one.write(tmp_path / "one.h5ad")
    expected = omvc.Clusterer(K).fit(one)
    np.testing.assert_array_equal(np.asarray(expected.labels_), command([tmp_path / "one.h5ad"], "-k", "3"))
    assert bits(omvc.Clusterer(K).fit([one.X])) == bits(expected)
    layered = omvc.Clusterer(K).fit(one, layer="twice")
    assert bits(layered) == bits(omvc.Clusterer(K).fit([2 * one.X]))
    assert bits(omvc.Clusterer(K).fit(one, views=["X", "other"])) == bits(omvc.Clusterer(K).fit([one.X, one.X[:, :3]]))
    backed = anndata.read_h5ad(tmp_path / "one.h5ad", backed="r")
    on_disk = omvc.Clusterer(K).fit(backed)
    assert bits(on_disk) == bits(expected)
    assert list(on_disk.labels_.index) == list(one.obs_names)


def chunks(views, sizes=(70, 1, 100)):
    at = 0
    for size in [*sizes, len(views[0])]:
        part = [view[at:at + size] for view in views]
        at += size
        if len(part[0]):
            yield part


def test_factories_of_chunks(views, tmp_path):
    expected = bits(omvc.Clusterer(K).fit(views))
    assert bits(omvc.Clusterer(K).fit(lambda: chunks(views))) == expected
    assert bits(omvc.Clusterer(K).fit(lambda: ({"a": a, "b": b} for a, b in chunks(views, (13, 17))))) == expected
    with h5py.File(tmp_path / "data.h5", "w") as file:
        sets = [file.create_dataset(f"v{v}", data=view) for v, view in enumerate(views)]
        assert bits(omvc.Clusterer(K).fit(sets)) == expected
    first = views[0][~np.isnan(views[0]).all(axis=1)]
    one = bits(omvc.Clusterer(K).fit(first))
    table = pa.table({f"c{j}": first[:, j] for j in range(first.shape[1])})
    data = pyarrow.dataset.dataset(table)
    assert bits(omvc.Clusterer(K).fit(lambda: data.to_batches(batch_size=50))) == one
    relation = duckdb.connect().from_arrow(table)
    assert bits(omvc.Clusterer(K).fit(relation)) == one


def test_a_stream_is_read_once(views):
    """What the command does with a pipe: no second look at the data."""
    model = omvc.Clusterer(K).fit(chunks(views))
    again = omvc.Clusterer(K).fit(chunks(views, (200,)))
    assert bits(model) == bits(again), "however it is cut"
    assert len(model.labels_) == len(views[0])
    reader = pa.RecordBatchReader.from_batches(pa.schema([("a", pa.float64()), ("b", pa.float64())]), iter(
        [pa.record_batch({"a": np.arange(150.0), "b": np.repeat([1.0, 9.0, 20.0], 50)})]))
    assert len(omvc.Clusterer(K).fit(reader).labels_) == 150


def test_chunks_that_lack_a_view(views):
    def parts():
        yield {"a": views[0][:100], "b": views[1][:100]}
        yield {"a": views[0][100:150]}
        yield {"b": views[1][150:], "a": None}

    nan = [views[0].copy(), views[1].copy()]
    nan[1][100:150] = np.nan
    nan[0][150:] = np.nan
    assert bits(omvc.Clusterer(K).fit(parts)) == bits(omvc.Clusterer(K).fit(nan))


def test_nothing_is_copied():
    """The peak of memory of a fit is far below a copy of the data, dense or sparse."""
    import subprocess
    import sys

    program = """
import sys, resource, numpy as np, scipy.sparse as sp, omvc
def grown(X):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    omvc.Clusterer(4, memory=2, rank=4, threads=1).fit(X)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
random = np.random.default_rng(0)
omvc.Clusterer(4, memory=2, rank=4, threads=1).fit(random.random((2000, 50)))
if sys.argv[1] == "sparse":
    rows = sp.random(20000, 5000, 0.05, "csr", np.float64, random)
    size = (rows.data.nbytes + rows.indices.nbytes) / 2**20
else:
    rows = random.random((200000, 50)).astype(sys.argv[1])
    size = rows.nbytes / 2**20
print(grown(rows), size)
"""
    for kind in ("float32", "float64", "sparse"):
        done = subprocess.run([sys.executable, "-c", program, kind], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        grown, size = map(float, done.stdout.split())
        assert grown < 0.6 * size, f"{kind}: {grown:.0f} MB more for data of {size:.0f} MB"


def test_ids_that_share_nothing(views):
    """5 and "5", blanks at the end: named with two examples, and refused where nothing is shared."""
    whole = [np.nan_to_num(view) for view in views]
    rows = len(whole[0])
    numbers = pd.DataFrame(whole[0], index=range(rows))
    words = pd.DataFrame(whole[1], index=[str(i) for i in range(rows)])
    with pytest.raises(omvc.DataError, match=r"'0' \(str\) here and 0 \(int\) in 'a' and '1' \(str\) here and 1 \(int\) in 'a'"):
        omvc.Clusterer(K).fit({"a": numbers, "b": words})
    plain = pd.DataFrame(whole[0], index=[f"p{i}" for i in range(rows)])
    blanks = pd.DataFrame(whole[1], index=[f"p{i} " if i < 7 else f"p{i}" for i in range(rows)])
    with pytest.warns(omvc.OmvcWarning, match=r"7 ids of view 'b' .* 'p0 ' \(str\) here and 'p0' .* and 'p1 '"):
        model = omvc.Clusterer(K).fit({"a": plain, "b": blanks})
    assert len(model.labels_) == rows + 7
    other = pd.DataFrame(whole[1], index=[f"q{i}" for i in range(rows)])
    with pytest.raises(omvc.DataError, match="no instance has two views"):
        omvc.Clusterer(K).fit({"a": plain, "b": other})
    with pytest.warns(omvc.OmvcWarning, match="'c' shares no id with the others, such as 'q0', 'q1' here"):
        omvc.Clusterer(K).fit({"a": plain, "b": plain, "c": other})
    # New instances may have one view each.
    learned = omvc.Clusterer(K).fit({"a": plain, "b": plain.add_prefix("x")})
    assert len(learned.predict({"a": plain.head(3), "b": plain.add_prefix("x").tail(2)})) == 5


class OnACard:
    """What omvc asks of an array that lies on a card: it says so, cannot be read from the host, and can be copied there."""

    def __init__(self, values, copy):
        self.values, self.shape, self.ndim, self.dtype = values, values.shape, values.ndim, values.dtype
        setattr(self, copy, lambda: self.values)

    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, **_):
        raise BufferError("it lies on a card")

    def __array__(self, *_, **__):
        raise TypeError("it lies on a card")


@pytest.mark.parametrize("copy", ["get", "cpu"], ids=["as CuPy", "as PyTorch"])
def test_arrays_on_a_card_are_copied_to_the_host(views, copy):
    plain = omvc.Clusterer(K, seed=1).fit(views)
    there = omvc.Clusterer(K, seed=1).fit([OnACard(view, copy) for view in views])
    assert bits(there) == bits(plain)
    assert np.array_equal(there.predict([OnACard(view, copy) for view in views]), plain.predict(views))


def test_a_tensor_leaves_its_gradients_behind(views):
    class Tensor(OnACard):
        def detach(self):
            return np.asarray(self.values)

    assert bits(omvc.Clusterer(K, seed=1).fit([Tensor(view, "cpu") for view in views])) == bits(omvc.Clusterer(K, seed=1).fit(views))


def test_a_card_that_is_not_there_is_an_error_and_processors_are_not(tmp_path):
    program = """
import numpy as np, omvc
views = [np.random.default_rng(0).random((60, 5))]
plain = omvc.Clusterer(3, device="cpu").fit(views)
assert (omvc.Clusterer(3).fit(views).labels_ == plain.labels_).all()
for device in ("cuda", "cuda:1", "gpu"):
    try:
        omvc.Clusterer(3, device=device).fit(views)
    except omvc.UsageError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          env={**os.environ, "OMVC_CUDA_LIBRARY": str(tmp_path / "libomvc_cuda.so")})
    assert done.returncode == 0, done.stderr
    told = done.stdout.splitlines()
    assert len(told) == 3 and all("device" in line for line in told), told
    assert str(tmp_path) in told[0] and "choose auto, cpu, cuda" in told[2], told
