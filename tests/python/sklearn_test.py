"""As scikit-learn has it: its own checks, clone, pipelines, set_output."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_clusterer
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import omvc

# Checks that cannot apply, and why. What the first ones look for is tested below with two clusters.
ONE_CLUSTER = "it asks for one cluster, which is no clustering: omvc refuses that"
ORDER = "it shuffles the rows beside their weights, and a model depends on the order of rows, as that of KMeans does"
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": ORDER,
    "check_sample_weight_equivalence_on_sparse_data": ORDER,
    "check_dont_overwrite_parameters": ONE_CLUSTER,
    "check_methods_subset_invariance": ONE_CLUSTER,
    "check_fit2d_1sample": ONE_CLUSTER,
    "check_fit2d_1feature": ONE_CLUSTER,
    "check_fit2d_predict1d": ONE_CLUSTER,
    "check_dataframe_column_names_consistency":
        "columns of a frame are matched by their names, so another order is right and not an error",
}


@parametrize_with_checks([omvc.Clusterer(n_clusters=2)], expected_failed_checks=lambda _: EXPECTED)
@pytest.mark.filterwarnings("ignore")
def test_checks(estimator, check):
    check(estimator)


def test_what_the_checks_that_cannot_apply_look_for():
    X = np.random.default_rng(0).random((40, 3))
    model = omvc.Clusterer(2)
    before = set(vars(model))
    model.fit(X)
    assert all(name.startswith("_") or name.endswith("_") for name in set(vars(model)) - before)
    one_by_one = [model.predict(row[None])[0] for row in X]
    np.testing.assert_array_equal(one_by_one, model.predict(X))
    np.testing.assert_allclose(np.concatenate([model.transform(row[None]) for row in X]), model.transform(X))
    with pytest.raises(ValueError, match="Reshape your data"):
        model.predict(X[0])
    assert set(omvc.Clusterer(2).fit(X[:, :1]).labels_) == {0, 1}
    with pytest.raises(ValueError, match="1 instances|only 1"):
        omvc.Clusterer(2).fit(X[:1])


def test_clone_and_grid(views):
    model = omvc.Clusterer(3, seed=4, scaling=["l2", "minmax"])
    again = clone(model)
    assert again.get_params() == model.get_params() and not again.__sklearn_is_fitted__()
    assert is_clusterer(model)
    for params in ParameterGrid({"n_clusters": [2, 3], "seed": [0, 1]}):
        assert clone(model).set_params(scaling=None, **params).fit(views).n_clusters_ == params["n_clusters"]
    assert repr(model) == "Clusterer(n_clusters=3, scaling=['l2', 'minmax'], seed=4)"


def test_pipeline_and_set_output(views):
    X = np.nan_to_num(views[0])
    frame = pd.DataFrame(X, index=[f"s{i}" for i in range(len(X))]).add_prefix("f")
    pipe = make_pipeline(StandardScaler(), omvc.Clusterer(3)).set_output(transform="pandas")
    out = pipe.fit_transform(frame)
    assert list(out.index) == list(frame.index) and list(out.columns)[0] == "clusterer0"
    assert len(pipe.predict(frame)) == len(frame)
    model = omvc.Clusterer(3).fit(frame)
    assert type(model.set_output(transform="polars").transform(frame)).__module__.startswith("polars")
    assert isinstance(model.set_output(transform="default").transform(frame), np.ndarray)
    assert list(model.labels_.index) == list(frame.index)
    with pytest.raises(ValueError):
        model.set_output(transform="excel")
