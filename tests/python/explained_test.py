"""What a model explains: centres, effects, trees, outliers; each against what pandas or SciPy make of the same data."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.cluster.hierarchy
import scipy.stats

import omvc
from conftest import planted, planted_text


def frames(views):
    return {name: pd.DataFrame(view, index=[f"s{i}" for i in range(len(view))]).add_prefix(name)
            for name, view in zip("ab", views)}


def test_centres_are_means_in_the_units_of_the_data(views):
    data = frames(views)
    data["a"].iloc[::7, 2] = np.nan
    model = omvc.Clusterer(3).fit(data)
    for name, frame in data.items():
        pd.testing.assert_frame_equal(model.cluster_centers_[name], frame.groupby(model.labels_).mean(), check_names=False,
                                      check_index_type=False)
    text, _ = planted_text()
    counts = omvc.Clusterer(3).fit(text)
    dense = pd.DataFrame(text.toarray())
    np.testing.assert_allclose(counts.cluster_centers_["view1"], dense.groupby(np.asarray(counts.labels_)).mean())


def test_effects_are_those_of_students_test(views):
    data = frames(views)
    model = omvc.Clusterer(3).fit(data)
    found = model.feature_effects_
    assert list(found.columns) == ["view", "cluster", "feature", "mean", "others", "effect", "chance"]
    assert len(found) == 3 * 15
    for one in found.itertuples():
        column = data[one.view][one.feature]
        own, others = column[model.labels_ == one.cluster].dropna(), column[model.labels_ != one.cluster].dropna()
        assert one.mean == pytest.approx(own.mean()) and one.others == pytest.approx(others.mean())
        pooled = np.sqrt(((own - own.mean())**2).sum() / (len(own) + len(others) - 2)
                         + ((others - others.mean())**2).sum() / (len(own) + len(others) - 2))
        assert one.effect == pytest.approx((own.mean() - others.mean()) / pooled)
        # The distribution is the normal one, which Student's is near to for so many instances.
        t = scipy.stats.ttest_ind(own, others).statistic
        width = data[one.view].shape[1]
        assert one.chance == pytest.approx(min(1, width * 2 * scipy.stats.norm.sf(abs(t))), rel=1e-6, abs=1e-300)
    told = {(one.view, one.cluster, one.feature) for one in model.top_features(100)}
    assert told == {(one.view, one.cluster, one.feature) for one in found[found["chance"] < 0.01].itertuples()}


def test_noise_is_not_told():
    views, truth = planted(400, missing=0)
    noise = np.random.default_rng(3).random((400, 40))
    model = omvc.Clusterer(3).fit({"a": views[0], "noise": noise})
    assert len(model.top_features(40, view="noise")) <= 2 and len(model.top_features(6, view="a")) >= 10


def test_the_tree_is_a_linkage_of_scipy():
    views, _ = planted(400, clusters=6)
    model = omvc.Clusterer(6).fit(views)
    tree = model.tree_
    assert tree.shape == (5, 4) and scipy.cluster.hierarchy.is_valid_linkage(tree)
    for depth in range(1, 6):
        # Cut where so many are left, it joins clusters as the levels of the tree do.
        groups = scipy.cluster.hierarchy.fcluster(tree, depth, "distance")
        level = model.tree(6)[-depth] if depth < 6 else None
        assert len(set(groups)) <= 6 - depth + 1 and (level is None or len(level.numbers) == 6 - depth + 1)
    leaves = scipy.cluster.hierarchy.dendrogram(tree, no_plot=True, labels=list(map(str, model.clusters_)))["ivl"]
    assert sorted(leaves) == [str(number) for number in model.clusters_]


def test_one_cluster_has_no_tree():
    model = omvc.Clusterer().fit(np.random.default_rng(0).normal(size=(300, 4)))
    assert model.n_clusters_ == 1 and "300 instances, 1 cluster " in str(model.report()).replace("\n", " ")
    assert "300 instances, 1 cluster<" in model._repr_html_()
    assert not hasattr(model, "tree_")
    with pytest.raises(omvc.UsageError, match="there is 1 cluster$"):
        model.tree_


def test_outliers_and_their_share(views):
    far = [np.vstack([view, view[:5] + 100]) for view in views]
    plain = omvc.Clusterer(3).fit(far)
    assert plain.offset_ == -3 and plain.predict_outlier(far)[-5:].all()
    model = omvc.Clusterer(3, contamination=0.1).fit(far)
    assert model.predict_outlier(far).mean() == pytest.approx(0.1, abs=0.01)
    assert isinstance(model.predict_outlier({"view1": pd.DataFrame(far[0], index=range(len(far[0])))}), pd.Series)
    for wrong in (0, 0.6, -1):
        with pytest.raises(omvc.UsageError, match="contamination"):
            omvc.Clusterer(3, contamination=wrong).fit(far)


def test_a_file_keeps_no_contamination_and_says_so(views, tmp_path):
    model = omvc.Clusterer(3, contamination=0.1).fit(views)
    with pytest.warns(omvc.OmvcWarning, match=f"offset_ = {model.offset_!r}"):
        model.save(tmp_path / "model.omvc")
    again = omvc.load(tmp_path / "model.omvc")
    assert again.offset_ == -3
    again.offset_ = model.offset_
    np.testing.assert_array_equal(again.predict_outlier(views), model.predict_outlier(views))
    pickled = pickle.loads(pickle.dumps(model))
    assert pickled.offset_ == model.offset_ and pickled.contamination == 0.1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        omvc.Clusterer(3).fit(views).save(tmp_path / "model.omvc")


def test_other_names_of_seed_and_threads(views):
    same = omvc.Clusterer(3, seed=5).fit(views)
    np.testing.assert_array_equal(omvc.Clusterer(3, random_state=5, n_jobs=-1).fit(views).embedding_, same.embedding_)
    assert omvc.Clusterer(3, n_jobs=1).fit(views)._model.options()["threads"] == "1"
    omvc.Clusterer(3, random_state=np.random.default_rng(0)).fit(views)
    omvc.Clusterer(3, random_state=np.random.RandomState(0)).fit(views)
    for wrong in ({"seed": 1, "random_state": 1}, {"threads": 1, "n_jobs": 1}, {"n_jobs": 0}, {"random_state": "a"}):
        with pytest.raises(omvc.UsageError):
            omvc.Clusterer(3, **wrong).fit(views)


def test_unknown_is_none(views, tmp_path):
    model = omvc.Clusterer(3).fit(views)
    assert model.report()["confidence"] > 0
    model.save(tmp_path / "model.omvc")
    again = omvc.load(tmp_path / "model.omvc")
    told = again.report()
    assert all(told[name] is None for name in ("confidence", "outliers", "unobserved", "pattern_nmi"))
    assert "0% explained" not in str(told) and "0% explained" not in again._repr_html_() and again.offset_ == -3


def test_without_the_embedding(views):
    lean = omvc.Clusterer(3, embedding=False).fit(views)
    whole = omvc.Clusterer(3).fit(views)
    assert not hasattr(lean, "embedding_")
    np.testing.assert_array_equal(lean.labels_, whole.labels_)
    np.testing.assert_array_equal(lean.fit_transform(views), whole.embedding_)
    np.testing.assert_array_equal(lean.confidence_, whole.confidence_)


def test_imputing_some_views_in_their_own_form(views):
    import anndata
    import mudata
    import scipy.sparse as sp

    text, _ = planted_text()
    model = omvc.Clusterer(3).fit({"words": text, "other": views[0]})
    every = model.impute({"words": text, "other": views[0]})
    assert sp.issparse(every["words"]) and (every["words"] != text).nnz == 0 and isinstance(every["other"], np.ndarray)
    only = model.impute({"words": text, "other": views[0]}, views=["other"])
    assert list(only) == ["other"]
    np.testing.assert_array_equal(only["other"], every["other"])
    filled = model.impute({"other": views[0]}, views="words")["words"]
    assert sp.issparse(filled) and filled.shape == text.shape
    with pytest.raises(omvc.UsageError, match="no view 'nobody'"):
        model.impute({"words": text}, views=["nobody"])

    holes = views[0].copy()
    holes[np.isnan(holes).all(axis=1)] = 1.0
    holes[::3, 1] = np.nan
    adata = anndata.AnnData(holes)
    adata.layers["whole"] = omvc.Clusterer(3).fit(adata).impute(adata)
    assert not np.isnan(adata.layers["whole"]).any()
    parts = {name: anndata.AnnData(frame.dropna(how="all")) for name, frame in frames(views).items()}
    both = omvc.Clusterer(3).fit(mudata.MuData(parts)).impute(mudata.MuData(parts))
    assert set(both) == {"a", "b"} and all(part.n_obs == len(views[0]) for part in both.values())


def test_chances_of_all_clusters(views, tmp_path):
    model = omvc.Clusterer(3).fit(views)
    chances = model.predict_proba(views)
    assert chances.shape == (len(views[0]), 3)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    np.testing.assert_array_equal(model.clusters_[chances.argmax(axis=1)], model.labels_)
    np.testing.assert_allclose(chances.max(axis=1), model.confidence_)
    frame = omvc.Clusterer(3).fit(frames(views)).predict_proba(frames(views))
    assert list(frame.columns) == [0, 1, 2] and frame.index[0] == "s0"
    np.testing.assert_array_equal(frame.to_numpy(), chances)
    assert np.isnan(model.predict_proba([np.full((1, 6), np.nan), None])).all()
    with pytest.raises(omvc.UsageError, match="chances"):
        omvc.Clusterer(3, method="masked-kmeans").fit(views).predict_proba(views)
