"""omvc.dask: the bits of one process, whatever the partitions and the workers are, and whatever happens to them."""

import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import planted, planted_text

import omvc

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
import dask.array as da  # noqa: E402
import dask.dataframe as dd  # noqa: E402

import omvc.dask  # noqa: E402

ROWS = 9000  # more than a block of the survey
OPTIONS = {"n_clusters": 3, "memory": 0.3, "passes": 2}


def arrays(views, chunk):
    return [da.from_array(view, chunks=(chunk, view.shape[1])) for view in views]


def check_same(found, plain):
    """Labels, confidence, model and report are those of one process."""
    assert np.array_equal(np.asarray(found.labels_), np.asarray(plain.labels_))
    assert np.array_equal(np.asarray(found.confidence_), np.asarray(plain.confidence_), equal_nan=True)
    assert np.array_equal(np.asarray(found.distance_), np.asarray(plain.distance_), equal_nan=True)
    assert found._bytes == plain._model.to_bytes()
    mine, theirs = dict(found.report()), dict(plain.report())
    for timed in ("seconds", "profile", "per_pass", "device"):
        mine.pop(timed, None), theirs.pop(timed, None)
    assert mine == theirs


@pytest.fixture(scope="module")
def large():
    views = planted(rows=ROWS)[0]
    views[0][7:11] = np.nan
    views[1][7:11] = np.nan  # instances without any view
    views[0][100:200, 2] = np.nan  # and without some cells
    return views


@pytest.fixture(scope="module")
def plain(large):
    return omvc.Clusterer(**OPTIONS).fit(large)


@pytest.mark.parametrize("chunk", [ROWS, 3001, 640])
def test_arrays_of_any_chunks(large, plain, chunk):
    found = omvc.dask.Clusterer(**OPTIONS)
    labels = found.fit_predict(arrays(large, chunk))
    assert labels.chunks[0] == da.from_array(large[0], chunks=(chunk, 6)).chunks[0]
    check_same(found, plain)
    if chunk == 3001:
        assert np.array_equal(found.embedding_.compute(), plain.embedding_, equal_nan=True)
        assert np.array_equal(found.predict(arrays(large, 777)).compute(), plain.predict(large))
        local = found.to_local()
        assert np.array_equal(local.predict_outlier(large), plain.predict_outlier(large))
        assert np.array_equal(local.predict(large), plain.predict(large)) and local.n_clusters_ == found.n_clusters_
        assert local.cut(4).n_clusters_ == 4


def test_chunks_that_differ_between_views_and_in_columns(large, plain):
    one, two = large
    given = [da.from_array(one, chunks=(2000, 4)), da.from_array(two, chunks=(900, 9))]
    check_same(omvc.dask.Clusterer(**OPTIONS).fit(given), plain)


def test_one_view_names_present_and_no_number_of_clusters(large):
    view = np.nan_to_num(large[0])
    check_same(omvc.dask.Clusterer(memory=0.2, verbose=True).fit(da.from_array(view, chunks=(4000, 6))),
               omvc.Clusterer(memory=0.2).fit(view))
    views = {"a": view, "b": np.nan_to_num(large[1])}
    present = np.random.default_rng(1).random((ROWS, 2)) < 0.7
    plain = omvc.Clusterer(**OPTIONS).fit(views, present=present)
    given = dict(zip(views, arrays(views.values(), 2500)))
    for flags in (present, da.from_array(present, chunks=(1000, 1))):
        check_same(omvc.dask.Clusterer(**OPTIONS).fit(given, present=flags), plain)


def test_sparse_views_and_data_that_fit_in_the_sample():
    text = planted_text(rows=900)[0]
    blocks = [da.from_delayed(dask.delayed(text[i:i + 250]), (min(250, 900 - i), 300), float) for i in range(0, 900, 250)]
    check_same(omvc.dask.Clusterer(3).fit(da.concatenate(blocks)), omvc.Clusterer(3).fit(text))


def test_dataframes_keep_partitions_and_index(large):
    import pandas

    index = [f"r{i:05d}" for i in range(ROWS)]
    frames = {name: pandas.DataFrame(view, index=index, columns=[f"{name}{j}" for j in range(view.shape[1])])
              for name, view in zip("ab", large)}
    plain = omvc.Clusterer(**OPTIONS).fit(frames)
    given = {name: dd.from_pandas(frame, npartitions=4) for name, frame in frames.items()}
    found = omvc.dask.Clusterer(**OPTIONS).fit(given)
    check_same(found, plain)
    assert found.labels_.npartitions == given["a"].npartitions and found.labels_.name == "omvc"
    assert list(found.labels_.compute().index) == index
    assert list(found.predict(given).compute()) == list(plain.predict(frames))
    # Partitions without rows, and of sizes that nobody knows.
    fewer = {name: frame[frame.index > "r04500"] for name, frame in given.items()}
    found = omvc.dask.Clusterer(**OPTIONS).fit(fewer)
    check_same(found, omvc.Clusterer(**OPTIONS).fit({name: frame.loc["r04501":] for name, frame in frames.items()}))
    unknown = [frame.to_dask_array() for frame in given.values()]
    assert np.isnan(unknown[0].shape[0])
    check_same(omvc.dask.Clusterer(**OPTIONS).fit(unknown), omvc.Clusterer(**OPTIONS).fit(large))


def test_partitions_as_files(large, tmp_path):
    import anndata
    import mudata
    import pandas

    cuts = [0, 3500, 4000, ROWS]
    dicts, singles, muons = [], [], []
    for i, (first, last) in enumerate(zip(cuts, cuts[1:])):
        names = [f"r{row}" for row in range(first, last)]
        frames = [pandas.DataFrame(view[first:last], index=names, columns=[f"f{j}" for j in range(view.shape[1])])
                  for view in large]
        dicts.append({})
        for name, frame in zip("ab", frames):
            dicts[-1][name] = tmp_path / f"{name}-{i}.parquet"
            frame.to_parquet(dicts[-1][name])
        filled = [frame.fillna(0) for frame in frames]
        singles.append(tmp_path / f"one-{i}.h5ad")
        anndata.AnnData(filled[0]).write_h5ad(singles[-1])
        muons.append(tmp_path / f"both-{i}.h5mu")
        held = {name: anndata.AnnData(frame) for name, frame in zip("ab", filled)}
        if i == 1:
            held.pop("b")  # a view that is absent from a partition
        mudata.MuData(held).write_h5mu(muons[-1])
    whole = {name: pandas.concat([pandas.read_parquet(part[name]) for part in dicts]) for name in "ab"}
    check_same(omvc.dask.Clusterer(**OPTIONS).fit(dicts), omvc.Clusterer(**OPTIONS).fit(whole))
    one = np.nan_to_num(large[0])
    anndata.AnnData(one).write_h5ad(tmp_path / "whole.h5ad")
    found = omvc.dask.Clusterer(**OPTIONS).fit(str(tmp_path / "one-*.h5ad"))
    plain = omvc.Clusterer(**OPTIONS).fit(str(tmp_path / "whole.h5ad"))
    assert np.array_equal(found.labels_.compute(), plain.labels_)
    assert found.labels_.chunks[0] == (3500, 500, 5000)
    two = np.nan_to_num(large[1])
    two[3500:4000] = np.nan
    assert np.array_equal(omvc.dask.Clusterer(**OPTIONS).fit(muons).labels_.compute(),
                          omvc.Clusterer(**OPTIONS).fit([one, two]).labels_)


def test_an_instance_in_two_partitions_is_noticed(large):
    pandas = pytest.importorskip("pandas")
    rows = pandas.Index([f"p{i:06}" for i in range(1000)])
    rng = np.random.default_rng(0)
    a = pandas.DataFrame(rng.random((1000, 4)), index=rows, columns=list("abcd"))
    b = pandas.DataFrame(rng.random((900, 3)), index=rows[100:], columns=list("xyz"))
    views = {"a": dd.from_pandas(a, npartitions=5), "b": dd.from_pandas(b, npartitions=5)}
    for unknown in (("a",), ("b",), ("a", "b")):
        given = {name: view.clear_divisions() if name in unknown else view for name, view in views.items()}
        with pytest.raises(omvc.DataError, match="in another one"):
            omvc.dask.Clusterer(n_clusters=3).fit(given)
    # The same places, though nobody says so: each instance is in one partition, and nothing is said of their order.
    b = b.reindex(rows[100:])
    divided = views["a"].divisions
    given = {"a": views["a"].clear_divisions(), "b": dd.from_pandas(b, npartitions=1).repartition(
        divisions=(rows[100], *divided[1:]), force=True).clear_divisions()}
    found = omvc.dask.Clusterer(n_clusters=3).fit(given).labels_
    assert not found.known_divisions and found.compute().index.is_unique


def test_mistakes_are_told(large):
    one, two = arrays(large, 3000)
    fit = omvc.dask.Clusterer(3).fit
    for data, words in [([one, two[:100]], "different numbers of rows"), (large, "omvc.Clusterer takes data in memory"),
                        ([], "no views"), (one[:, 0], "two dimensions"), ([one, dd.from_array(large[1])], "not both"),
                        ("/nowhere/*.h5ad", "no file matches")]:
        with pytest.raises(omvc.Error, match=words):
            fit(data)
    with pytest.raises(omvc.Error, match="present has the shape"):
        fit([one, two], present=np.ones((5, 2), bool))
    with pytest.raises(omvc.Error, match="clusters were asked for"):
        omvc.dask.Clusterer(30).fit(da.from_array(large[1][:20], chunks=(7, 9)))
    with pytest.raises(omvc.Error, match="half-life"):
        omvc.dask.Clusterer(3, half_life=10).fit([one, two])
    with pytest.raises(omvc.Error, match="kmeans|divided"):
        omvc.dask.Clusterer(3, method="kmeans").fit([one, two])
    with pytest.raises(TypeError, match="no option"):
        omvc.dask.Clusterer(colour=3)
    with pytest.raises(omvc.Error, match="not fitted"):
        omvc.dask.Clusterer(3).predict(one)
    found = omvc.dask.Clusterer(3).fit(arrays([np.nan_to_num(large[1][:500])], 200))
    with pytest.raises(Exception, match="9 features|expecting 9|features"):
        found.predict(arrays([large[0][:500]], 200)).compute()


def test_arguments_that_there_are_not(large):
    model = omvc.dask.Clusterer(n_clusters=3).fit(da.from_array(large[0], chunks=(5000, -1)))
    with pytest.raises(TypeError, match="presnt"):
        model.predict(da.from_array(large[0], chunks=(5000, -1)), presnt=None)
    with pytest.raises(omvc.UsageError, match="how to read files"):
        omvc.dask.Clusterer(n_clusters=3).fit(da.from_array(large[0], chunks=(5000, -1)), views=["a"])


def test_a_fitted_estimator_can_be_pickled_and_copied(large):
    views = arrays(large, 5000)
    model = omvc.dask.Clusterer(n_clusters=3).fit(views)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert np.array_equal(np.asarray(other.labels_), np.asarray(model.labels_))
        assert np.array_equal(np.asarray(other.predict(views)), np.asarray(model.predict(views)))
        assert other.report() == model.report()


def test_without_dask_the_rest_works():
    words = "import sys; sys.modules['dask'] = None; import omvc\ntry: import omvc.dask\nexcept ImportError as e: print(e)"
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True)
    assert done.stdout.strip() == "omvc.dask needs Dask: pip install dask distributed", done.stderr


# A cluster. Blocks are made by functions that leave a mark with every call, so that a test can act in the middle of a fit.

def marked(view, folder, block, act):
    """A block of a view; `act` is called with the number of calls so far."""
    (Path(folder) / f"{time.time_ns()}-{os.getpid()}").touch()
    act(len(list(Path(folder).iterdir())), Path(folder))
    return view


def marked_arrays(views, chunk, folder, act):
    make = dask.delayed(marked, pure=True)
    first = da.concatenate([da.from_delayed(make(views[0][i:i + chunk], str(folder), i, act),
                                            (len(views[0][i:i + chunk]), views[0].shape[1]), float)
                            for i in range(0, len(views[0]), chunk)])
    return [first, da.from_array(views[1], chunks=(chunk, views[1].shape[1]))]


class Die:
    """Kills the process that makes a block once, after so many calls."""

    def __init__(self, after):
        self.after = after

    def __call__(self, calls, folder):
        flag = folder.parent / "died"
        if calls >= self.after and not flag.exists():
            flag.touch()
            os.kill(os.getpid(), signal.SIGKILL)


class Wait:
    """Waits for a file after so many calls."""

    def __init__(self, after):
        self.after = after

    def __call__(self, calls, folder):
        until = time.monotonic() + 60
        while calls >= self.after and not (folder.parent / "go on").exists() and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(0.03)


@pytest.fixture
def marks(tmp_path):
    (tmp_path / "marks").mkdir()
    return tmp_path / "marks"


def test_a_worker_that_dies_is_replaced(large, plain, marks):
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster, \
            distributed.Client(cluster):
        found = omvc.dask.Clusterer(**OPTIONS, verbose=True).fit(marked_arrays(large, 1200, marks, Die(12)))
        assert (marks.parent / "died").exists()
        check_same(found, plain)


def test_scheduler_and_workers_started_by_hand(large, plain, marks):
    address = marks.parent / "scheduler.json"
    command = [sys.executable, "-m", "dask"]
    where = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])  # of the blocks' functions
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": {**os.environ, "PYTHONPATH": where}}
    worker = [*command, "worker", "--scheduler-file", str(address), "--nthreads", "1", "--no-dashboard"]
    running = [subprocess.Popen([*command, "scheduler", "--scheduler-file", str(address), "--port", "0",
                                 "--no-dashboard"], **quiet)]
    try:
        running.append(subprocess.Popen(worker, **quiet))
        with distributed.Client(scheduler_file=str(address)) as client:
            client.wait_for_workers(1, timeout=60)
            found = []
            data = marked_arrays(large, 600, marks, Wait(10))
            # The client of this thread is that of the other one.
            fit = threading.Thread(target=lambda: found.append(omvc.dask.Clusterer(**OPTIONS).fit(data)))
            with client.as_current():
                fit.start()
            running.append(subprocess.Popen(worker, **quiet))  # joins while the first one works
            client.wait_for_workers(2, timeout=60)
            (marks.parent / "go on").touch()
            fit.join(timeout=120)
            assert found and len({mark.name.split("-")[1] for mark in marks.iterdir()}) == 2, "the late one helps"
            check_same(found[0], plain)
    finally:
        for process in reversed(running):
            process.terminate()
            process.wait(timeout=30)
