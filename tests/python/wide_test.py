"""One wide table, whose columns are the views, and what scikit-learn does with it."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import BaseEstimator, clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import omvc
from conftest import planted

SLICES = {"a": slice(0, 6), "b": slice(6, 15)}


def wide(views):
    return np.hstack(views)


def named(views):
    frame = pd.DataFrame(wide(views), columns=[f"a_{j}" for j in range(6)] + [f"b_{j}" for j in range(9)])
    return frame.set_index(pd.Index([f"s{i}" for i in range(len(frame))]))


@pytest.fixture
def expected(views):
    return np.asarray(omvc.Clusterer(3).fit({"a": views[0], "b": views[1]}).labels_)


@pytest.mark.parametrize("selectors", [
    SLICES,
    {"a": range(6), "b": list(range(6, 15))},
    {"a": [True] * 6 + [False] * 9, "b": np.arange(15) > 5},
    {"a": np.arange(6), "b": [slice(6, 10), 10, 11, -3, -2, -1]},
])
def test_by_number(views, expected, selectors):
    X = wide(views)
    model = omvc.Clusterer(3, views=selectors).fit(X)
    np.testing.assert_array_equal(model.labels_, expected)
    np.testing.assert_array_equal(model.predict(X), expected)
    assert model.n_features_in_ == 15 and model.view_names_in_ == ["a", "b"]
    np.testing.assert_array_equal(omvc.Clusterer(3).fit(X, views=selectors).labels_, expected)


@pytest.mark.parametrize("selectors", [
    {"a": "a_*", "b": "b_?"},
    {"a": [f"a_{j}" for j in range(6)], "b": slice("b_0", "b_8")},
])
def test_by_name(views, expected, selectors):
    frame = named(views).assign(hospital="north")  # a column that no view names
    model = omvc.Clusterer(3, views=selectors).fit(frame)
    np.testing.assert_array_equal(np.asarray(model.labels_), expected)
    assert list(model.labels_.index) == list(frame.index) and list(model.feature_names_in_) == list(frame.columns)
    moved = frame[["hospital", *frame.columns[:-1]]]
    np.testing.assert_array_equal(np.asarray(model.predict(moved)), expected)
    for other in (pl.from_pandas(frame), pa.Table.from_pandas(frame, preserve_index=False)):
        np.testing.assert_array_equal(np.asarray(omvc.Clusterer(3, views=selectors).fit(other).labels_), expected)
    # Views may be given apart, too, and one may be missing.
    np.testing.assert_array_equal(np.asarray(model.predict({"a": frame.filter(like="a_"), "b": frame.filter(like="b_")})),
                                  expected)
    assert len(model.predict({"b": frame.filter(like="b_")})) == len(frame)


@pytest.mark.parametrize("selectors", [
    {"a": "a_*", "b": "b_?"},
    {"a": [f"a_{j}" for j in range(6)], "b": slice("b_0", "b_8")},
])
def test_a_view_of_which_no_column_is_there_is_missing(views, selectors):
    frame = named(views)
    model = omvc.Clusterer(3, views=selectors).fit(frame)
    for view in "ab":
        part = frame.filter(like=f"{view}_")
        pd.testing.assert_series_equal(model.predict(part), model.predict({view: part}))
        chunks = lambda: (part[at:at + 50] for at in range(0, len(part), 50))  # noqa: B023, E731
        np.testing.assert_array_equal(model.predict(chunks), model.predict(part))
        assert set(model.impute(part)) == {"a", "b"}
    for wrong in (frame.drop(columns="b_0"), frame[["a_0", "b_0"]], frame.rename(columns=str.upper)):
        with pytest.raises(ValueError, match=r"no column matches|lack the features"):
            model.predict(wrong)
    with pytest.raises(omvc.UsageError, match="no column matches"):
        omvc.Clusterer(3, views=selectors).fit(frame.filter(like="a_"))


def test_a_loaded_model_asks_for_the_columns_of_its_views(views, tmp_path):
    frame, selectors = named(views), {"a": "a_*", "b": "b_*"}
    model = omvc.Clusterer(3, views=selectors).fit(frame)
    model.save(tmp_path / "model.omvc")
    again = omvc.load(tmp_path / "model.omvc")
    with pytest.raises(omvc.DataError, match=r"set_params\(views=\.\.\.\)"):
        again.predict(frame)
    pd.testing.assert_series_equal(again.set_params(views=selectors).predict(frame), model.predict(frame))


def test_sparse_and_chunks(views, expected):
    whole = [np.nan_to_num(view) for view in views]
    plain = omvc.Clusterer(3).fit({"a": sp.csr_matrix(whole[0]), "b": sp.csr_matrix(whole[1])})
    one = omvc.Clusterer(3, views=SLICES).fit(sp.csr_matrix(wide(whole)))
    np.testing.assert_array_equal(one.labels_, plain.labels_)
    X = wide(views)
    model = omvc.Clusterer(3, views=SLICES).fit(lambda: (X[at:at + 50] for at in range(0, len(X), 50)))
    np.testing.assert_array_equal(model.labels_, expected)
    assert model.n_features_in_ == 15


def test_no_copy_of_neighbouring_columns(views):
    from omvc import _wide

    X = wide(views)
    parts = _wide.split(X, SLICES)
    assert all(np.shares_memory(part, X) for part in parts.values())


@pytest.mark.parametrize(("selectors", "words"), [
    ({"a": "c_*"}, "no column matches"),
    ({"a": "a_9"}, "there are"),
    ({"a": 40}, "there are 15"),
    ({"a": []}, "names no column"),
    ({"a": 2.5}, "names, patterns"),
    ({"a": [True, False]}, "2 flags for 15"),
    ({}, "no view"),
])
def test_columns_that_are_not_there(views, selectors, words):
    with pytest.raises(omvc.UsageError, match=words):
        omvc.Clusterer(3, views=selectors).fit(named(views))


def test_names_of_what_has_none(views):
    with pytest.raises(omvc.UsageError, match="have no names"):
        omvc.Clusterer(3, views={"a": "a_*"}).fit(wide(views))
    with pytest.raises(omvc.UsageError, match="views already"):
        omvc.Clusterer(3, views=SLICES).fit(views)


def test_grids_and_scores(views):
    frame = named(views)
    model = omvc.Clusterer(views={"a": "a_*", "b": "b_*"})
    assert isinstance(model, BaseEstimator) and clone(model).views == model.views
    search = GridSearchCV(model, {"n_clusters": [2, 3, 6]}, cv=3).fit(frame)
    assert search.best_params_ == {"n_clusters": 3}, "the planted number holds best on rows that were left out"
    scores = cross_val_score(clone(model).set_params(n_clusters=3), frame, cv=3)
    assert scores.shape == (3,) and ((0 < scores) & (scores <= 1)).all()
    assert len(search.predict(frame)) == len(frame)


def test_score_is_agreement_beyond_chance(views):
    model = omvc.Clusterer(3).fit(views)
    labels, sure = np.asarray(model.labels_), np.asarray(model.confidence_)
    chance = ((np.bincount(labels) / len(labels))**2).sum()
    assert model.score(views) == pytest.approx((sure.mean() - chance) / (1 - chance))
    noise = np.random.default_rng(0).random((200, 5))
    assert omvc.Clusterer(5).fit(noise).score(noise) < model.score(views)


def test_pipelines_and_column_transformers(views):
    frame = named([np.nan_to_num(view) for view in views])
    pipe = Pipeline([("scale", StandardScaler().set_output(transform="pandas")),
                     ("cluster", omvc.Clusterer(3, views={"a": "a_*", "b": "b_*"}))])
    assert len(set(pipe.fit_predict(frame))) == 3
    columns = ColumnTransformer([("one", StandardScaler(), [f"a_{j}" for j in range(6)]),
                                 ("two", "passthrough", [f"b_{j}" for j in range(9)])]).set_output(transform="pandas")
    pipe = make_pipeline(columns, omvc.Clusterer(3, views={"a": "one__*", "b": "two__*"}))
    assert len(pipe.fit(frame).predict(frame)) == len(frame)


def test_metadata_is_routed(views):
    X, weight = wide(views), np.ones(len(views[0]), int)
    weight[:20] = 0
    with sklearn.config_context(enable_metadata_routing=True):
        model = omvc.Clusterer(3, views=SLICES).set_fit_request(sample_weight=True)
        pipe = make_pipeline(model).fit(X, sample_weight=weight)
    alone = omvc.Clusterer(3, views=SLICES).fit(X, sample_weight=weight)
    np.testing.assert_array_equal(pipe[-1].labels_, alone.labels_)


def test_weights_are_rows_that_come_so_often(views):
    weight = np.random.default_rng(1).integers(0, 3, len(views[0]))
    model = omvc.Clusterer(3).fit(views, sample_weight=weight)
    repeated = omvc.Clusterer(3).fit([np.repeat(view, weight, axis=0) for view in views])
    assert model.report()["n"] == weight.sum() and len(model.labels_) == len(weight)
    np.testing.assert_array_equal(model.labels_, repeated.predict(views))
    for wrong, words in (([1, 2], "2 values"), (np.full(len(weight), 0.5), "fractions"), (-weight - 1, "from 0"),
                         (0 * weight, "zero")):
        with pytest.raises(omvc.DataError, match=words):
            omvc.Clusterer(3).fit(views, sample_weight=wrong)


def test_planted_missing_views_are_missing_in_the_table():
    views, _ = planted()
    report = omvc.Clusterer(3, views=SLICES).fit(wide(views)).report()
    assert [view["observed"] for view in report["view_details"]] == [int((~np.isnan(view).all(axis=1)).sum()) for view in views]
