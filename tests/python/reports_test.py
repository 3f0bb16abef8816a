"""What is told about a model: reports, the page, plots, and what is written into AnnData and MuData."""

import json
import os
import re
import subprocess

import numpy as np
import pandas as pd
import pytest

import omvc
from conftest import planted_text


def test_reports_are_those_of_the_command(views, tmp_path):
    paths = []
    for v, view in enumerate(views):
        paths.append(tmp_path / f"view{v + 1}.npy")
        np.save(paths[-1], view)
    program = os.path.join(os.path.dirname(omvc.__file__), "bin", "omvc")
    done = subprocess.run([program, "fit", *paths, "-k", "3", "--json", "--quiet"], capture_output=True, check=True)
    theirs, model = json.loads(done.stdout), omvc.Clusterer(3).fit(views)
    ours = model.report()
    assert set(ours) <= set(theirs) and set(theirs) - set(ours) <= {"peak_rss_bytes"}, set(theirs) ^ set(ours)
    for key in ("n", "clusters", "cluster_numbers", "cluster_sizes", "patterns", "view_details", "events"):
        assert ours[key] == theirs[key], key
    # What the model tells by itself has no counts over instances, but the same keys otherwise.
    assert model.cut(4).report()["clusters"] == 4 and {one["event"] for one in model.report()["events"]}
    assert [view["name"] for view in model.report()["view_details"]] == ["view1", "view2"]
    assert "4 clusters" in str(model.report())


def facts_of(path):
    text = path.read_text()
    return json.loads(re.search(r'<script type="application/json" id="facts">(.*?)</script>', text, re.S)[1])


def test_page(views, truth, tmp_path):
    names = [f"<b>{i}" for i in range(len(views[0]))]
    names[-1] = "half a character \udc80"
    model = omvc.Clusterer(3).fit({"a": pd.DataFrame(views[0], index=names).add_prefix("x"), "b": pd.DataFrame(
        views[1], index=names)})
    words = pd.Series(np.array(["bad", "fair", "good"])[truth], index=names)
    words.iloc[0] = None
    page = tmp_path / "page.html"
    model.write_page(page, title="Two & two", truth=words[::-1])
    facts = facts_of(page)
    assert "<title>Two &amp; two" in page.read_text() and "<b>1" not in page.read_text()
    assert facts["summary"]["cluster_sizes"] == model.report()["cluster_sizes"] and facts["whole"]
    assert facts["made"]["command"] == "Clusterer(n_clusters=3)"
    shown = [*names[:-1], "half a character ?"]
    assert facts["map"]["points"]["id"] == [shown[row] for row in facts["map"]["points"]["row"]]
    assert facts["class_names"] == ["bad", "fair", "good"]
    assert facts["truth"]["nmi"] > 0.9 and np.sum(facts["truth"]["counts"]) == len(names) - 1
    # Without the fit there is what the model knows: neither the index nor the truth.
    model.save(tmp_path / "model.omvc")
    omvc.load(tmp_path / "model.omvc").write_page(page)
    again = facts_of(page)
    assert again["summary"]["clusters"] == 3 and "id" not in again["map"]["points"] and "truth" not in again
    with pytest.raises(omvc.DataError, match="one class for each"):
        model.write_page(page, truth=truth[:5])
    with pytest.raises(omvc.UsageError, match="fit first"):
        omvc.load(tmp_path / "model.omvc").write_page(page, truth=truth)
    with pytest.raises(OSError, match="no-such"):
        model.write_page(tmp_path / "no-such" / "page.html")
    with pytest.raises(omvc.NotFittedError):
        omvc.Clusterer(3).write_page(page)


def test_scanpy_manner(views):
    import anndata
    import mudata

    frames = {name: pd.DataFrame(view, index=[f"s{i}" for i in range(len(view))]).add_prefix(name).dropna(how="all")
              for name, view in zip("ab", views)}
    whole = mudata.MuData({name: anndata.AnnData(frame) for name, frame in frames.items()})
    assert omvc.tl.cluster(whole, 3) is None
    assert whole.obs["omvc"].dtype == "category" and list(whole.obs["omvc"].cat.categories) == ["0", "1", "2"]
    assert whole.obsm["X_omvc"].shape[0] == whole.n_obs and "views" in whole.uns["omvc"]
    one = anndata.AnnData(frames["a"])
    other = omvc.tl.cluster(one, 3, key_added="mine", copy=True)
    assert "mine" in other.obs and "mine" not in one.obs
    with pytest.raises(omvc.UsageError, match="omvc.Clusterer"):
        omvc.tl.cluster(views, 3)


def cells(rows=300, missing=0.3):
    """Two modalities of three kinds of cells, some of which lack one of them."""
    import anndata
    import mudata

    text, truth = planted_text(rows)
    random = np.random.default_rng(0)
    names = np.array([f"cell{i}" for i in range(rows)])
    proteins = random.poisson(5 + 40 * (truth[:, None] == np.arange(6) % 3)).astype(np.float32)
    rna = anndata.AnnData(text.astype(np.float32), obs=pd.DataFrame(index=names))
    rna.var_names = [f"gene{j}" for j in range(rna.n_vars)]
    prot = anndata.AnnData(proteins, obs=pd.DataFrame(index=names))
    prot.var_names = [f"protein{j}" for j in range(prot.n_vars)]
    gone = random.random(rows)
    return mudata.MuData({"rna": rna[gone > missing / 2].copy(), "prot": prot[gone < 1 - missing / 2].copy()}), truth


def test_scanpy_goes_on_with_it(tmp_path):
    """The joint graph is where scanpy looks for it, for cells of one assay, too."""
    scanpy = pytest.importorskip("scanpy", reason="scanpy is not installed: its tools are not tried on the joint graph")
    import mudata
    from sklearn.metrics import normalized_mutual_info_score

    data, truth = cells()
    truth = pd.Series(truth, index=[f"cell{i}" for i in range(len(truth))])[data.obs_names]
    omvc.tl.cluster(data, 3)
    assert normalized_mutual_info_score(truth, data.obs["omvc"]) > 0.9
    graph = data.obsp["omvc_connectivities"]
    assert graph.shape == (data.n_obs,) * 2 and abs(graph - graph.T).max() < 1e-6 and graph.diagonal().max() == 0
    assert (np.diff(graph.indptr) >= 15).all() and 0 < graph.data.min() and graph.data.max() <= 1
    assert data.obs["omvc_distance"].notna().all()
    scanpy.tl.leiden(data, resolution=0.3, neighbors_key="omvc", flavor="igraph", directed=False, n_iterations=2)
    assert normalized_mutual_info_score(truth, data.obs["leiden"]) > 0.8
    scanpy.tl.umap(data, neighbors_key="omvc", init_pos="random")
    places = pd.DataFrame(data.obsm["X_umap"])
    middles = places.groupby(truth.to_numpy()).transform("mean")
    assert ((places - middles)**2).sum().sum() < 0.5 * ((places - places.mean())**2).sum().sum(), "kinds lie apart"
    data.write(tmp_path / "cells.h5mu")
    assert "omvc" in mudata.read_h5mu(tmp_path / "cells.h5mu").uns


def test_genes_are_matched_by_name():
    data, _ = cells(missing=0)
    rna, prot = data["rna"], data["prot"]
    model = omvc.Clusterer(3).fit(data)
    np.testing.assert_array_equal(model.predict(data), model.labels_)
    import anndata
    import mudata

    other = rna[:, ::-1].copy()
    extra = anndata.concat([other, anndata.AnnData(np.ones((rna.n_obs, 2), np.float32), obs=rna.obs[[]], var=pd.DataFrame(
        index=["new1", "new2"]))], axis=1)
    np.testing.assert_array_equal(model.predict(mudata.MuData({"rna": extra, "prot": prot})), model.labels_)
    fewer = mudata.MuData({"rna": rna[:, 20:].copy(), "prot": prot[:, 1:].copy()})
    with pytest.warns(omvc.OmvcWarning, match=r"20 of the 300 features .*'gene0'"):
        found = model.predict(fewer)
    assert (found == model.labels_).mean() > 0.9
    with pytest.raises(omvc.DataError, match="name them alike"):
        model.predict(mudata.MuData({"rna": rna[:, 200:].copy(), "prot": prot}))
    one = omvc.Clusterer(3).fit(rna)
    np.testing.assert_array_equal(one.predict(extra[:, extra.var_names != "gene999"]), one.labels_)
