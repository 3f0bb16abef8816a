"""What is told about a model: reports, the page, plots, and what is written into AnnData and MuData."""

import json
import os
import re
import subprocess

import numpy as np
import pandas as pd
import pytest

import omvc
from conftest import planted


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


def test_scanpy_goes_on_with_it():
    scanpy = pytest.importorskip("scanpy", reason="scanpy is not installed: its plots and tests of genes are not tried")
    import anndata
    import matplotlib.pyplot as plt

    whole, _ = planted(missing=0)
    cells = anndata.AnnData(np.hstack(whole).astype(np.float32))
    cells.var_names = [f"gene{j}" for j in range(cells.n_vars)]
    omvc.tl.cluster(cells, 3)
    scanpy.pp.neighbors(cells, use_rep="X_omvc")
    scanpy.tl.umap(cells)
    axes = scanpy.pl.umap(cells, color="omvc", show=False)
    assert {text.get_text() for text in axes.get_legend().get_texts()} == {"0", "1", "2"}
    scanpy.tl.rank_genes_groups(cells, "omvc")
    assert set(cells.uns["rank_genes_groups"]["names"].dtype.names) == {"0", "1", "2"}
    plt.close("all")


def test_plots(views):
    model = omvc.Clusterer(3).fit({"a": views[0], "b": views[1]})
    assert omvc.pl.map(model).collections
    assert omvc.pl.presence(model).patches
    assert omvc.pl.tree(model, 4).patches
    assert omvc.pl.features(model, 3, view="b").images
    assert omvc.pl.confidence(model).lines
    import matplotlib.pyplot as plt

    plt.close("all")
