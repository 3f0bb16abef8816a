"""Data that stay on disk, or in an engine: read by ranges of rows, with the bits of the same data in memory."""

import pickle

import anndata
import duckdb
import h5py
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.feather
import pyarrow.parquet
import pytest
import scipy.sparse as sp
import zarr

import omvc
from conftest import planted_text
from omvc import _on_disk

K = 3


@pytest.fixture(autouse=True)
def short_ranges(monkeypatch):
    monkeypatch.setattr(_on_disk, "ROWS", 77)


@pytest.fixture
def frame(views):
    whole = views[0][~np.isnan(views[0]).all(axis=1)]
    return pd.DataFrame(whole, columns=[f"c{j}" for j in range(whole.shape[1])], index=[f"p{i}" for i in range(len(whole))])


def bits(model):
    return np.asarray(model.labels_).tobytes() + np.asarray(model.confidence_).tobytes()


@pytest.fixture
def expected(frame):
    return bits(omvc.Clusterer(K).fit(frame.to_numpy()))


def test_engines(frame, expected):
    table = pa.Table.from_pandas(frame, preserve_index=False)
    relation = duckdb.connect().from_arrow(table)
    for data in (pl.from_pandas(frame).lazy(), relation, pyarrow.dataset.dataset(table)):
        model = omvc.Clusterer(K).fit(data)
        assert bits(model) == expected, type(data)
        assert model.predict(data).tobytes() == np.asarray(model.labels_).tobytes()
    filtered = relation.filter("c0 > 0").project("c0, c1")
    assert len(omvc.Clusterer(K).fit(filtered).labels_) == (frame["c0"] > 0).sum()


def test_parquet_and_arrow_by_path(frame, expected, tmp_path):
    table = pa.Table.from_pandas(frame.rename_axis("patient").reset_index(), preserve_index=False)
    pyarrow.parquet.write_table(table, tmp_path / "rows.parquet", row_group_size=50)
    pyarrow.feather.write_feather(table, tmp_path / "rows.feather")
    with pa.ipc.new_file(tmp_path / "rows.arrow", table.schema) as out:
        out.write_table(table)
    for name in ("rows.parquet", "rows.feather", "rows.arrow"):
        model = omvc.Clusterer(K).fit(tmp_path / name, files={"id_column": "patient"})
        assert bits(model) == expected and list(model.labels_.index) == list(frame.index), name
        assert model.view_names_in_ == ["rows"]
        assert bits(omvc.Clusterer(K).fit(tmp_path / name, files={"drop": ["patient"]})) == expected
    assert bits(omvc.Clusterer(K).fit(pyarrow.parquet.ParquetFile(tmp_path / "rows.parquet"),
                                      views={"rows": "c*"})) == expected
    wide = omvc.Clusterer(K, views={"one": ["c0", "c1"], "two": slice("c2", "c5")}).fit(tmp_path / "rows.parquet")
    assert wide.view_names_in_ == ["one", "two"] and wide.n_features_in_ == 7
    named = omvc.Clusterer(K, views={"one": ["c0", "c1"], "two": "c[2-5]"}).fit(tmp_path / "rows.parquet",
                                                                               files={"id_column": "patient"})
    assert bits(named) == bits(wide) and list(named.labels_.index) == list(frame.index) and named.n_features_in_ == 6
    again = named.predict(tmp_path / "rows.arrow", files={"id_column": "patient"})
    np.testing.assert_array_equal(again, named.labels_)
    assert list(again.index) == list(frame.index)
    for data, words in ((tmp_path / "rows.parquet", r'files=\{"id_column": "patient"\}'), (table, "index=ids"),
                        (pl.from_arrow(table), "index=ids")):
        with pytest.raises(omvc.DataError, match=f"'patient' holds no numbers; leave it out, or .*{words}") as refused:
            omvc.Clusterer(K).fit(data)
        assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value), "as Dask sends it"
    other = omvc.View(table.drop(["patient"]), index=table["patient"].to_pylist())
    assert list(omvc.Clusterer(K).fit(other).labels_.index) == list(frame.index)
    for options, words in (({"id_column": "nobody"}, "no column 'nobody'"), ({"decimal": ","}, "for text")):
        with pytest.raises(ValueError, match=words):
            omvc.Clusterer(K).fit(tmp_path / "rows.parquet", files=options)
    with pytest.raises(omvc.FileError, match="no such file"):
        omvc.Clusterer(K).fit(tmp_path / "never.parquet")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 nothing")
    with pytest.raises(OSError, match="broken.parquet"):
        omvc.Clusterer(K).fit(tmp_path / "broken.parquet")


def test_several_files(views, tmp_path):
    names = [f"p{i}" for i in range(len(views[0]))]
    frames = [pd.DataFrame(view, index=pd.Index(names, name="id")).add_prefix("f") for view in views]
    expected = bits(omvc.Clusterer(K).fit(views))
    paths = [tmp_path / f"v{v}.parquet" for v in range(2)]
    for path, one in zip(paths, frames):
        one.reset_index(drop=True).to_parquet(path)
    assert bits(omvc.Clusterer(K).fit(paths)) == expected
    for path, one in zip(paths, frames):
        one.dropna(how="all").reset_index().to_parquet(path)
    joined = omvc.Clusterer(K).fit(paths, files={"id_column": "id"})
    direct = omvc.Clusterer(K).fit({"v0": frames[0].dropna(how="all"), "v1": frames[1].dropna(how="all")})
    assert bits(joined) == bits(direct) and list(joined.labels_.index) == list(direct.labels_.index)
    with pytest.raises(omvc.DataError, match="different numbers of rows"):
        omvc.Clusterer(K).fit(paths, files={"drop": ["id"]})


def test_zarr(frame, expected, tmp_path):
    stored = zarr.open_array(tmp_path / "plain.zarr", mode="w", shape=frame.shape, chunks=(50, 3), dtype="f8")
    stored[:] = frame.to_numpy()
    assert bits(omvc.Clusterer(K).fit(stored)) == expected == bits(omvc.Clusterer(K).fit(tmp_path / "plain.zarr"))
    text, _ = planted_text()
    for name, values in (("dense", frame.to_numpy()), ("sparse", text)):
        adata = anndata.AnnData(values, layers={"twice": 2 * values})
        adata.write_zarr(tmp_path / f"{name}.zarr")
        for layer in (None, "twice"):
            model = omvc.Clusterer(K).fit(tmp_path / f"{name}.zarr", layer=layer)
            assert bits(model) == bits(omvc.Clusterer(K).fit(adata, layer=layer)), name
        assert list(model.labels_.index) == list(adata.obs_names)
        assert bits(omvc.Clusterer(K).fit(zarr.open(tmp_path / f"{name}.zarr", mode="r"), layer="twice")) == bits(model)
    with pytest.raises(omvc.DataError, match="no layer 'none'"):
        omvc.Clusterer(K).fit(tmp_path / "dense.zarr", layer="none")


def test_views_of_hdf5_side_by_side(views, tmp_path):
    expected = bits(omvc.Clusterer(K).fit(views))
    with h5py.File(tmp_path / "data.h5", "w") as file:
        sets = [file.create_dataset(f"v{v}", data=view) for v, view in enumerate(views)]
        assert bits(omvc.Clusterer(K).fit(sets)) == expected
        assert bits(omvc.Clusterer(K).fit({"a": sets[0], "b": sets[1]})) == expected
        short = file.create_dataset("short", data=views[1][:200])
        with pytest.raises(omvc.DataError, match="different numbers of rows"):
            omvc.Clusterer(K).fit([sets[0], short])


def test_messages_are_in_pythons_words(tmp_path):
    from omvc.errors import in_python_words

    assert in_python_words("give --memory 2.5 or more") == "give memory=2.5 or more"
    assert in_python_words("choose another --scaling") == "choose another scaling"
    assert in_python_words("leave the column out with --drop word") == 'leave the column out with files={"drop": ["word"]}'
    assert in_python_words("say --drop 'a b,c'; done") == 'say files={"drop": ["a b", "c"]}; done'
    assert in_python_words("say --id-column 'the id'.") == 'say files={"id_column": "the id"}.'
    usual = 'say so with files={"missing_values": ["usual", "-999", "9.5"]} (Python: make them NaN)'
    assert in_python_words("say so with --missing-values usual,-999,9.5 (Python: make them NaN)") == usual
    assert in_python_words("leave it out (--drop blood=hb).") == "leave it out."
    assert in_python_words("for a feature say --id-column none)") == 'for a feature say files={"id_column": "none"})'
    assert in_python_words("use fewer --threads") == "use fewer threads"
    (tmp_path / "a.csv").write_text("x,y\n1,2\n3,high\n5,6\n")
    with pytest.raises(omvc.DataError) as raised:
        omvc.Clusterer(2).fit(tmp_path / "a.csv", files={"columns": ["x", "y"], "id_column": "none"})
    assert "--" not in str(raised.value) and "high" in str(raised.value)


def test_sparse_blocks_by_ranges(tmp_path):
    text, _ = planted_text()
    adata = anndata.AnnData(text)
    adata.write_h5ad(tmp_path / "text.h5ad")
    backed = anndata.read_h5ad(tmp_path / "text.h5ad", backed="r")
    assert bits(omvc.Clusterer(K).fit(backed)) == bits(omvc.Clusterer(K).fit(sp.csr_matrix(text)))


def test_python_m_omvc():
    import subprocess
    import sys

    done = subprocess.run([sys.executable, "-m", "omvc", "--version"], capture_output=True, text=True)
    assert done.returncode == 0 and omvc.__version__ in done.stdout
