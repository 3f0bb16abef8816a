"""Whatever is given, there is a clear exception, never a crash."""

import threading

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import omvc
from conftest import planted


def broken_csr(**parts):
    matrix = sp.random(50, 10, 0.3, "csr", random_state=0)
    for name, value in parts.items():
        setattr(matrix, name, value(getattr(matrix, name).copy()))
    return matrix


def changed(at, value):
    def change(array):
        array[at] = value
        return array
    return change


X = np.random.default_rng(0).random((50, 4))

BAD = {
    "no views": ([], "no views|minimum of 1|Expected 2D"),
    "empty dict": ({}, "no views"),
    "one dimension": (X[:, 0], "Expected 2D array"),
    "three dimensions": (X.reshape(10, 5, 4), "dim"),
    "scalar": (3.0, "Expected 2D"),
    "no rows": (X[:0], "0 sample"),
    "no columns": (X[:, :0], "0 feature"),
    "lengths": ([X, X[:40]], "different numbers of rows"),
    "strings": (np.array([["a", "b"], ["c", "d"]]), "numbers"),
    "objects": (np.array([[object(), 1], [2, 3]], dtype=object), "number"),
    "dates": (np.zeros((5, 2), "datetime64[s]"), "numbers"),
    "complex": (X + 1j, "Complex data not supported"),
    "infinite": (np.where(X > 0.99 * X.max(), np.inf, X), "infinite"),
    "all NaN": (np.full((50, 3), np.nan), "no instance|present|one view"),
    "zero": (np.zeros((50, 3)), "zero everywhere"),
    "huge": (X * 1e200, "view view1, row 0: .*too large"),
    "word columns": (pd.DataFrame({"a": [1.0, 2], "word": ["x", "y"]}), "word"),
    "dates in frames": (pd.DataFrame({"a": [1.0, 2], "day": pd.to_datetime(["2020-01-01"] * 2)}), "day"),
    "index twice": ({"a": pd.DataFrame(X, index=[0] * 50), "b": pd.DataFrame(X)}, "twice"),
    "offsets": (broken_csr(indptr=changed(3, 10**6)), "offsets|entries|column"),
    "negative offsets": (broken_csr(indptr=changed(3, -5)), "offsets"),
    "columns": (broken_csr(indices=changed(3, 10)), "column"),
    "negative columns": (broken_csr(indices=changed(3, -1)), "column"),
    "views that are words": ({1: X}, "words"),
    "no chunks": (iter([]), "no chunk"),
    "chunks of other widths": (iter([X, X[:, :2]]), "features"),
    "chunks with other views": (iter([{"a": X}, {"b": X}]), "first one lacks"),
    "missing file": ("no/such/file.npy", "file.npy"),
    "fit without a view": ([X, None], "None"),
    "few instances": (X[:2], "clusters|instances"),
    "set": ({1, 2}, "2D|number"),
    "halves of characters": ({"\udc80": X}, "no text"),
    "halves of characters in columns": (pd.DataFrame(X, columns=["a", "b", "c", "\udc80"]), "no text"),
    "a function of nothing": (lambda: None, "not an iterator of chunks"),
    "a function of an array": (lambda: X, "not an iterator of chunks"),
    "empty path": ("", "no path"),
    "zero in a path": ("a\0b.csv", "no path"),
}


@pytest.mark.parametrize("name", BAD)
def test_fit_refuses(name):
    data, words = BAD[name]
    with pytest.raises((ValueError, TypeError, OSError), match=words):
        omvc.Clusterer(3).fit(data)


def test_presence_that_does_not_fit():
    for present in (np.ones((50, 2)), np.ones((49, 1)), np.full((50, 1), 3), np.ones(50)):
        with pytest.raises(omvc.DataError, match="present"):
            omvc.Clusterer(3).fit(X, present=present)


def test_unfitted():
    for name in ("predict", "transform", "score_samples", "predict_confidence", "impute"):
        with pytest.raises(omvc.NotFittedError, match="not fitted"):
            getattr(omvc.Clusterer(3), name)(X)
    for name in ("report", "top_features", "cut", "refresh", "tree"):
        with pytest.raises(omvc.NotFittedError):
            getattr(omvc.Clusterer(3), name)()
    with pytest.raises(omvc.NotFittedError):
        omvc.Clusterer(3).save("never.omvc")
    with pytest.raises(omvc.UsageError, match="too few"):
        omvc.Clusterer(3).partial_fit(X[:20]).predict(X)


def test_failed_fit_leaves_the_model():
    model = omvc.Clusterer(3).fit(X)
    labels = model.labels_
    with pytest.raises(omvc.DataError):
        model.fit(np.full((50, 3), np.inf))
    np.testing.assert_array_equal(model.predict(X), labels)


def test_predict_of_other_features():
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = omvc.Clusterer(3).fit(frame)
    np.testing.assert_array_equal(model.predict(frame[list("dbca")]), model.labels_)
    with pytest.raises(omvc.DataError, match=r"lack the features \['b'\]"):
        model.predict(frame.rename(columns={"b": "x"}))
    with pytest.raises(omvc.DataError, match=r"knows no features \['e'\]"):
        model.predict(frame.assign(e=1.0))
    with pytest.raises(omvc.DataError, match="X has 3 features, but Clusterer is expecting 4"):
        model.predict(X[:, :3])
    two = omvc.Clusterer(3).fit([X, X[:, :2]])
    for wrong in ([X], [X, X], X, {"nobody": X[:, :3]}, [None, None]):
        with pytest.raises(omvc.DataError):
            two.predict(wrong)
    with pytest.raises(omvc.DataError):
        two.partial_fit([X[:, :2], X])


def test_numbers_that_make_no_sense():
    model = omvc.Clusterer(3).fit(X)
    for wrong in (1, -4, 2.5, float("nan"), float("inf"), 2**40, [3], "3", True):
        with pytest.raises(omvc.UsageError, match="n_clusters"):
            model.cut(wrong)
    for wrong in (1, -5, "a", None):
        with pytest.raises(omvc.UsageError, match="most"):
            model.tree(wrong)
    for wrong in (-1, 2.5, "a"):
        with pytest.raises(omvc.UsageError, match="n ="):
            model.top_features(wrong)
    with pytest.raises(omvc.UsageError, match=r"no cluster 99; there are \[0, 1, 2\]"):
        model.top_features(cluster=99)
    for wrong in ("", "a\0b", 3, None):
        with pytest.raises(omvc.UsageError, match="path"):
            model.save(wrong)
    assert model.n_clusters_ == 3


def test_options_of_files():
    for wrong in ({"id_column": 3}, {"columns": "a"}, {"views": 7}, {"transpose": "no"}, {"nobody": 1}, {5: 1}):
        with pytest.raises(omvc.UsageError, match="files"):
            omvc.Clusterer(3).fit("never.csv", files=wrong)


def test_views_given_as_arguments_are_noticed():
    with pytest.warns(omvc.OmvcWarning, match="as a list"):
        omvc.Clusterer(3).fit(X, X[:, :2])


def test_features_of_one_name():
    """Genes often share a symbol: such frames are known by the order of their columns."""
    frame = pd.DataFrame(X, columns=["a", "b", "b", "d"])
    model = omvc.Clusterer(3).fit(frame)
    np.testing.assert_array_equal(model.predict(frame), model.labels_)


def test_a_stream_that_asks_its_own_model():
    model = omvc.Clusterer(3).fit(X)

    def chunks():
        yield X
        yield X[np.asarray(model.predict(X)) == 0]

    model.partial_fit(chunks())
    assert model.report()["n"] > 100
    # Where data are read ahead the model cannot be had: there is a word, and no waiting for ever.
    try:
        assert len(model.predict(chunks())) > 50
    except omvc.UsageError as error:
        assert "use a copy of it" in str(error)


def test_holes_in_rows_at_predict():
    """A model that saw no NaN is asked about rows with some."""
    views, _ = planted(missing=0)
    model = omvc.Clusterer(3).fit(views)
    holes = [view.copy() for view in views]
    holes[0][::2, 1] = np.nan
    found = model.predict(holes)
    assert (found == np.asarray(model.labels_)).mean() > 0.9
    assert np.isfinite(model.transform(holes)).all() and np.isfinite(model.score_samples(holes)).all()


def test_errors_inside_an_iterator_arrive():
    def chunks():
        yield X
        raise RuntimeError("the disk is gone")

    with pytest.raises(RuntimeError, match="the disk is gone"):
        omvc.Clusterer(3).fit(chunks)
    with pytest.raises(RuntimeError, match="the disk is gone"):
        omvc.Clusterer(3).fit(chunks())


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_arrays_that_others_write_to(kind):
    """Somebody changes the data while they are learned: labels or an exception, never a crash."""
    random = np.random.default_rng(0)
    over = threading.Event()
    if kind == "dense":
        data = random.random((30000, 20))
    else:
        data = sp.random(30000, 50, 0.2, "csr", random_state=0)

    def write():
        wild = np.random.default_rng(1)
        while not over.is_set():
            if kind == "dense":
                data[wild.integers(30000), wild.integers(20)] = wild.choice([np.nan, np.inf, -1e300, 0.5])
            else:
                at = wild.integers(data.nnz)
                data.indices[at] = wild.choice([-1, 2**31 - 1, 10**6, 3])
                data.indptr[wild.integers(30000)] = wild.choice([-1, 2**31 - 1, 5])

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(3):
            try:
                omvc.Clusterer(3, memory=1, scaling="none" if kind == "dense" else None).fit(data)
            except ValueError:
                pass
    finally:
        over.set()
        writer.join()


def test_arrays_that_are_let_go():
    model = omvc.Clusterer(3)
    arrays = [np.random.default_rng(0).random((20000, 30))]
    thread = threading.Thread(target=lambda: model.fit(arrays))
    thread.start()
    arrays.clear()
    thread.join()
    assert not hasattr(model, "labels_") or len(model.labels_) == 20000
