"""What a Clusterer promises beside the form of its input."""

import copy
import inspect
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
import time

import numpy as np
import pandas as pd
import pytest

import omvc
from conftest import planted, planted_text


def fitted(views, **options):
    return omvc.Clusterer(3, **options).fit(views)


def test_attributes(views):
    model = fitted(views)
    assert model.n_clusters_ == 3 and sorted(set(model.labels_)) == [0, 1, 2]
    assert model.n_features_in_ == 15 and not hasattr(model, "feature_names_in_")
    assert model.embedding_.shape == (len(views[0]), model.embedding_.shape[1])
    assert ((0 <= model.confidence_) & (model.confidence_ <= 1)).all()
    assert model.events_ == []
    assert "3 clusters" in str(model.report()) and "view1" in model._repr_html_()
    named = fitted({"a": pd.DataFrame(views[0]).add_prefix("x"), "b": pd.DataFrame(views[1]).add_prefix("y")})
    assert list(named.feature_names_in_[:2]) == ["a:x0", "a:x1"]


def test_new_instances(views):
    model = fitted(views)
    np.testing.assert_array_equal(model.predict(views), model.labels_)
    np.testing.assert_array_equal(model.predict_confidence(views), model.confidence_)
    np.testing.assert_allclose(model.transform(views), model.embedding_)
    np.testing.assert_array_equal(fitted(views).fit_predict(views), model.labels_)
    np.testing.assert_array_equal(omvc.Clusterer(3).fit_transform(views), model.embedding_)
    far = [views[0][:1] + 1000, views[1][:1] + 1000]
    assert model.score_samples(far)[0] < -3 < np.nanmedian(model.score_samples(views))
    np.testing.assert_array_equal(model.score_samples(views), -model.distance_)
    assert model.predict_outlier(far).all() and model.offset_ == -3
    # A view may be missing altogether, by None or by name.
    some = model.predict([views[0], None])
    np.testing.assert_array_equal(some, model.predict({"view1": views[0]}))
    known = ~np.isnan(views[0]).all(axis=1)
    assert (some[known] == np.asarray(model.labels_)[known]).mean() > 0.9
    assert (some[~known] == -1).all()


def test_cut(views):
    model = fitted(views)
    assert model.cut(5).n_clusters_ == 5 and not hasattr(model, "labels_")
    assert {event["event"] for event in model.events_} <= {"born", "split", "merged", "gone"} and model.events_
    assert len(set(model.predict(views))) == 5
    assert model.cut(None, X=views).n_clusters_ == len(set(model.labels_))
    assert [len(sizes) for _, sizes, _ in model.tree(4)] == [2, 3, 4]
    with pytest.raises(omvc.UsageError):
        model.cut(1)


def test_impute_in_the_scale_of_the_data(views):
    whole, truth = planted(missing=0)
    model = fitted(whole)
    filled = model.impute([whole[0], None])
    np.testing.assert_array_equal(filled[0], whole[0])
    error = np.abs(filled[1] - whole[1]).mean()
    mean = np.abs(whole[1].mean(axis=0) - whole[1]).mean()
    assert error < 0.4 * mean, "closer than the mean of the features"
    holes = whole[1].copy()
    holes[::3, 2] = np.nan
    again = model.impute({"view1": whole[0], "view2": holes})["view2"]
    known = ~np.isnan(holes)
    np.testing.assert_array_equal(again[known], holes[known])
    assert np.abs(again - whole[1])[~known].mean() < 1.5
    frame = fitted({"a": pd.DataFrame(whole[0], columns=list("uvwxyz"))}).impute({"a": pd.DataFrame(
        [[1.0, np.nan, 3, 4, 5, 6]], columns=list("uvwxyz"), index=["new"])})["a"]
    assert list(frame.columns) == list("uvwxyz") and frame.index[0] == "new" and frame.notna().all().all()


def test_impute_counts():
    text, _ = planted_text(400)
    other = np.random.default_rng(0).random((400, 2))
    filled = omvc.Clusterer(3).fit([text, other]).impute([None, other])[0]
    assert filled.shape == text.shape and filled.min() >= 0, "sparse, as the view is"
    assert 0.3 < filled.sum() / text.sum() < 3, "as many words as documents have"


def test_top_features():
    text, _ = planted_text()
    frame = pd.DataFrame(text.toarray(), columns=[f"word{j}" for j in range(text.shape[1])])
    model = omvc.Clusterer(3).fit({"text": frame})
    top = model.top_features(4)
    assert len(top) == 12 and all(one.feature.startswith("word") and (one.lift > 1) == one.high for one in top)
    assert any(one.high for one in top)
    assert [one.feature for one in model.top_features(4, view="text", cluster=1)] == [
        one.feature for one in top if one.cluster == 1]
    with pytest.raises(omvc.UsageError):
        model.top_features(view="nothing")


def test_partial_fit_goes_on(views):
    model = omvc.Clusterer(3)
    for at in range(0, len(views[0]), 40):
        model.partial_fit([view[at:at + 40] for view in views])
    assert model.n_clusters_ == 3 and len(model.labels_) == 40
    same = omvc.Clusterer(3).fit(views)
    both = pd.crosstab(np.asarray(model.predict(views)), np.asarray(same.labels_))
    assert both.max(axis=1).sum() > 0.9 * len(views[0])
    before = model.predict(views)
    model.partial_fit(views)
    assert (model.predict(views) == before).mean() > 0.9, "clusters keep their numbers"


def test_save_load_pickle_copy(views, tmp_path):
    model = fitted(views, seed=3)
    model.save(tmp_path / "model.omvc")
    for again in (omvc.load(tmp_path / "model.omvc"), pickle.loads(pickle.dumps(model)), copy.deepcopy(model),
                  model.copy(), copy.copy(model)):
        np.testing.assert_array_equal(again.predict(views), model.labels_)
        assert again.get_params()["n_clusters"] == 3 and again.get_params()["seed"] == 3
        again.partial_fit(views)  # has what learning needs
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).labels_, model.labels_)
    model.save(tmp_path / "small.omvc", predictor=True)
    small = omvc.load(tmp_path / "small.omvc")
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(small)).predict(views), model.labels_)
    with pytest.raises(omvc.UsageError, match="prediction only"):
        small.partial_fit(views)
    other = omvc.Clusterer(3, method="masked-kmeans").fit(views)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(other)).predict(views), other.predict(views))


def test_damaged_pickles(views):
    model = fitted(views)
    state = model.__getstate__()
    for damaged in (state["_model"][:-1], state["_model"][:100], b"", b"x" * 100, "text", None,
                    state["_model"][:500] + b"\xff" + state["_model"][501:]):
        with pytest.raises(omvc.DataError, match="pickle"):
            omvc.Clusterer().__setstate__({**state, "_model": damaged})
    with pytest.raises(omvc.DataError, match="exchange models with save and load"):
        omvc.Clusterer().__setstate__({**state, "_omvc_state": 2, "_omvc_version": "9.0"})


def test_options_come_from_the_one_table(views):
    from omvc import _core

    names = [row["name"] for row in _core.options_table()]
    assert list(inspect.signature(omvc.Clusterer).parameters) == [
        "n_clusters", *(name.replace("-", "_") for name in names[1:]), "views", "embedding", "contamination", "random_state",
        "n_jobs", "verbose"]
    for row in _core.options_table():
        assert row["help"][1:] in omvc.Clusterer.__doc__
    assert fitted(views, scaling={"view1": "minmax"}).report()["view_details"][0]["scaling"] == "each feature to 0 .. 1"
    # Views that a dict leaves out have what the method has by default.
    some = fitted(views, method="omvc-paper", alpha={"view2": 0.5})
    assert some._model.options()["alpha"] == "0.01,0.5"
    with pytest.raises(TypeError, match="ranks"):
        omvc.Clusterer(3, ranks=4)
    for wrong in ({"rank": "many"}, {"rank": 2.5}, {"method": 3}, {"method": "kmeans"}, {"passes": 0},
                  {"passes": [1, 2]}, {"scaling": {"nobody": "l2"}}, {"n_clusters": 1}, {"ridge": 3.0},
                  {"n_clusters": True}, {"memory": float("nan")}):
        with pytest.raises(omvc.UsageError):
            omvc.Clusterer().set_params(**wrong).fit(views)


def test_warnings_and_progress(views, capfd):
    lonely = [view.copy() for view in views]
    for view in lonely:
        view[7] = np.nan
    with pytest.warns(omvc.OmvcWarning, match="no view at all"):
        model = fitted(lonely, verbose=True)
    assert model.labels_[7] == -1 and np.isnan(model.confidence_[7])
    assert "fit" in capfd.readouterr().err


def test_import_is_quick_and_needs_numpy_alone():
    program = ("import sys, omvc; heavy = {'scipy', 'pandas', 'sklearn', 'anndata', 'matplotlib', 'pyarrow', 'polars'};"
               "print(sorted(heavy & set(sys.modules)))")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_ctrl_c_keeps_what_was_learned():
    program = """
import os, signal, sys, threading, numpy as np, omvc
random = np.random.default_rng(0)
def chunks():
    for i in range(100000):
        if i == 40: os.kill(os.getpid(), signal.SIGINT)
        yield random.random((500, 8)) + 5 * random.integers(3, size=(500, 1))
model = omvc.Clusterer(3)
try:
    model.fit(chunks())
except KeyboardInterrupt:
    print("interrupted", len(model.labels_), model.n_clusters_, len(model.predict(random.random((5, 8)))))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    word, learned, clusters, labelled = done.stdout.split()
    assert word == "interrupted" and int(learned) >= 500 and clusters == "3" and labelled == "5", done.stderr


def test_what_ctrl_c_left_out_is_masked():
    """Interrupted in the pass over data that are more than the sample holds: the rows behind have no label."""
    program = """
import os, signal, sys, time, numpy as np, pandas as pd, omvc
random = np.random.default_rng(0)
kind = random.integers(3, size=20000)
X = (random.random((20000, 12)) + 4 * (kind[:, None] == np.arange(12) % 3)).astype(np.float32)
X[5] = np.nan
reads = []
def chunks():
    reads.append(0)
    for i, at in enumerate(range(0, 20000, 500)):
        if len(reads) == 2: time.sleep(0.05)  # data that come slowly are not all read before the first are learned
        if len(reads) == 2 and i == 20: os.kill(os.getpid(), signal.SIGINT)
        rows = X[at:at + 500]
        yield pd.DataFrame(rows, index=range(at, at + 500)).add_prefix("f") if sys.argv[1] == "frame" else rows
model = omvc.Clusterer(3, memory=0.5)
try:
    model.fit(chunks)
except KeyboardInterrupt:
    labels = model.labels_
    if sys.argv[1] == "frame":
        masked = labels.isna().to_numpy()
        labels = labels.fillna(omvc.NOT_REACHED).to_numpy(int)
    else:
        masked = labels == omvc.NOT_REACHED
    first = int(masked.argmax())
    print(len(labels), masked[first:].all(), 5000 < first < 20000, labels[5], set(labels[:first].tolist()) == {-1, 0, 1, 2},
          "stopped" in str(model.report()), model.report()["stopped"])
"""
    for form in ("frame", "array"):
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", program, form], capture_output=True, text=True, timeout=120)
        assert done.stdout.split() == ["20000", "True", "True", "-1", "True", "True", "True"], done.stdout + done.stderr


def test_two_threads_and_one_model_in_many(views):
    expected = fitted(views).labels_
    found, errors = [], []

    def work():
        try:
            found.append(fitted(views).labels_)
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    shared = fitted(views)

    def read():
        try:
            found.append(shared.predict(views))
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(2)] + [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and len(found) == 6
    for labels in found:
        np.testing.assert_array_equal(labels, expected)


def test_the_lock_of_python_is_let_go():
    random = np.random.default_rng(0)
    X = random.random((60000, 60))
    ticks, over = [], threading.Event()

    def count():
        while not over.is_set():
            ticks.append(1)
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    omvc.Clusterer(5, memory=4, threads=1).fit(X)
    over.set()
    thread.join()
    assert len(ticks) > 20, "others run while a model learns"


def _in_child(model, views, queue):
    queue.put((np.asarray(model.predict(views)), np.asarray(omvc.Clusterer(3).fit(views).labels_)))


@pytest.mark.parametrize("how", ["fork", "spawn"])
def test_processes(views, how):
    model = fitted(views)
    context = multiprocessing.get_context(how)
    queue = context.Queue()
    child = context.Process(target=_in_child, args=(model, views, queue))
    child.start()
    for labels in queue.get(timeout=60):
        np.testing.assert_array_equal(labels, model.labels_)
    child.join(timeout=60)
    assert child.exitcode == 0
    np.testing.assert_array_equal(model.predict(views), model.labels_)


def test_the_command_lies_beside():
    from omvc import _command

    done = subprocess.run([sys.executable, "-c", "from omvc._command import main; main()", "--version"],
                          capture_output=True, text=True)
    assert done.returncode == 0 and omvc.__version__ in done.stdout
    assert _command.main
