"""Rows one at a time: learn_one and predict_one, and the class for river with river's own checks."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest

import omvc
from conftest import planted

river = pytest.importorskip("river", reason="river is not installed: its checks are not tried")


def rows_of(views):
    """Each instance as a dict of the views that it has."""
    for row in zip(*views):
        yield {f"v{v}": {f"f{j}": value for j, value in enumerate(part)} for v, part in enumerate(row)
               if not np.isnan(part).all()}


def flat(x):
    return {f"{view}:{name}": value for view, part in x.items() for name, value in part.items()}


def agreement(labels, truth):
    from sklearn.metrics import normalized_mutual_info_score

    return normalized_mutual_info_score(truth, labels)


def test_dicts_are_the_rows_of_partial_fit():
    views, truth = planted(1200)
    one, other, whole = omvc.Clusterer(3, chunk=100), omvc.Clusterer(3, chunk=100), omvc.Clusterer(3, chunk=100)
    for x in rows_of(views):
        one.learn_one(x)
        other.learn_one(dict(reversed(flat(x).items())))
    for at in range(0, 1200, 100):
        whole.partial_fit({f"v{v}": omvc.View(view[at:at + 100], features=[f"f{j}" for j in range(view.shape[1])])
                           for v, view in enumerate(views)})
    expected = whole.predict({f"v{v}": view for v, view in enumerate(views)})
    found = [one.predict_one(x) for x in rows_of(views)]
    np.testing.assert_array_equal(found, expected)
    assert [other.predict_one(flat(x)) for x in rows_of(views)] == found
    assert agreement(found, truth) > 0.9


def test_what_is_absent_is_missing():
    views, _ = planted(1000, missing=0)
    model = omvc.Clusterer(3, chunk=500)
    assert model.predict_one({"v0:f0": 1.0}) == omvc.NOT_REACHED, "nothing was learned yet"
    for x in rows_of(views):
        model.learn_one(x)
    x = next(rows_of(views))
    label = model.predict_one(x)
    assert model.predict_one({"v0": x["v0"]}) == label == model.predict_one({"v1": x["v1"], "v0": None})
    assert model.predict_one({"v1": list(x["v1"].values())}) == label, "a list in the order of the features"
    assert model.predict_one({}) == -1 == model.predict_one({"v0": None}) == model.predict_one({"v0:f0": float("nan")})
    assert model.predict_one({**x, "unknown": "north"}) == label
    for wrong, words in (({"v0:f0": "high"}, "no number"), ([1, 2], "dict"), ({"v0": [1, 2]}, "2 values")):
        with pytest.raises(omvc.DataError, match=words):
            model.predict_one(wrong)


def test_a_row_of_which_no_key_is_known_is_refused():
    views, _ = planted(1000, missing=0)
    model = omvc.Clusterer(3, chunk=500)
    for x in rows_of(views):
        model.learn_one(x)
    for wrong in ({"v0:f00": 3.0}, {"v0": {"f00": 3.0}}, {"v0:f00": 3.0, "f0": 2.0}):
        for call in (model.predict_one, model.learn_one):
            with pytest.raises(omvc.DataError, match="'v0:f00'; known are 'v0:f0'"):
                call(wrong)
    with pytest.raises(omvc.DataError, match="known are 'f6', 'f7', 'f8' and 15 more"):
        model.predict_one({"nothing": [1.0, 2.0]})  # of one view alone; f0 to f5 are of both


def test_rows_of_one_wide_table():
    views, _ = planted(1000)
    table = pd.DataFrame(np.hstack(views), columns=[f"a_{j}" for j in range(6)] + [f"b_{j}" for j in range(9)])
    selectors = {"a": [f"a_{j}" for j in range(6)], "b": "b_*"}
    rows = table.assign(hospital="north").to_dict("records")
    model = omvc.Clusterer(3, views=selectors).fit(table)
    assert [model.predict_one(row) for row in rows[:50]] == list(model.predict(table[:50]))
    numbered = omvc.Clusterer(3, views=[range(6), slice(6, 15)]).fit(table.to_numpy())
    assert [numbered.predict_one(dict(enumerate(row))) for row in table.to_numpy()[:50]] \
        == list(numbered.predict(table.to_numpy()[:50]))
    one, other = omvc.Clusterer(3, views=selectors, chunk=100), omvc.Clusterer(3, views=selectors, chunk=100)
    with pytest.raises(omvc.DataError, match="'c_1'; known are 'a_1'"):
        one.learn_one({"c_1": 3.0})
    for row in rows:
        one.learn_one(row)
    for at in range(0, 1000, 100):
        other.partial_fit(table[at:at + 100])
    assert one.view_names_in_ == ["a", "b"] and one.report()["n"] == 1000
    np.testing.assert_array_equal(one.predict(table), other.predict(table))


def test_rows_that_wait_are_kept(tmp_path):
    views, _ = planted(1150)
    model = omvc.Clusterer(3, chunk=500)
    for x in rows_of(views):
        model.learn_one(x)
    assert model.report()["n"] == 1000, "150 of them wait"
    for again in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert again.refresh().report()["n"] == 1150
    model.save(tmp_path / "model.omvc")
    assert omvc.load(tmp_path / "model.omvc").report()["n"] == 1150


def test_a_row_that_cannot_be_learned_is_refused_by_itself():
    views, _ = planted(1100)
    model = omvc.Clusterer(3, chunk=100)
    for number, x in enumerate(rows_of(views)):
        model.learn_one(x)
        for bad in (np.inf, -1e200):
            if number == 512:
                with pytest.raises(omvc.DataError, match="'v0': 'f1' is .*too large"):
                    model.learn_one({"v0": {"f0": 1.0, "f1": bad}})
    assert model.report()["n"] == 1100


def test_a_call_that_fails_midway_leaves_what_it_has_learned():
    views, _ = planted(3000, missing=0)
    model = omvc.Clusterer(3, chunk=500).fit([view[:600] for view in views])
    later = [view[600:].copy() for view in views]
    later[0] = later[0] * 50 + 1000
    later[0][2300, 0] = np.inf
    with pytest.raises(omvc.DataError):
        model.partial_fit(later)
    assert model.report()["n"] == 600 + 2000
    assert set(model.predict(later_part(later, 2000))) <= set(model.clusters_), "clusters_ are those of predict"
    assert not hasattr(model, "labels_")


def later_part(views, rows):
    return [view[:rows] for view in views]


def test_river_has_no_complaints():
    import omvc.river
    from river import checks

    checks.check_estimator(omvc.river.Clusterer(n_clusters=2, chunk=50))


# River has no data for the checks of clusterers that need some: those that apply are asked with these.
CHECKS = ["check_learn_one", "check_pickling", "check_shuffle_features_no_impact", "check_emerging_features",
          "check_disappearing_features", "check_radically_disappearing_features", "check_predict_one_pure",
          "check_predict_one_before_any_learn", "check_no_state_aliasing_with_input", "check_clone_is_independent"]


@pytest.mark.parametrize("name", CHECKS)
def test_river_checks_with_data(name):
    import omvc.river
    from river.checks import common

    views, truth = planted(120)
    data = [(flat(x), int(y)) for x, y in zip(rows_of(views), truth)]
    getattr(common, name)(omvc.river.Clusterer(n_clusters=2, chunk=40), data)


def test_river_pipelines_and_missing_features():
    import omvc.river
    from river import compose, preprocessing

    views, truth = planted(1000, missing=0.5)
    model = compose.Pipeline(preprocessing.StandardScaler(), omvc.river.Clusterer(n_clusters=3, chunk=250))
    for x in rows_of(views):
        model.learn_one(flat(x))
    assert agreement([model.predict_one(flat(x)) for x in rows_of(views)], truth) > 0.8
    assert model["Clusterer"].model_.n_clusters_ == 3
