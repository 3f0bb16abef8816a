"""What is shown to users runs: every block of Python in docs/python.md, and the examples of the docstrings."""

import doctest
import importlib
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import omvc
from conftest import planted
from reports_test import cells

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "python.md"


def names_of_the_page():
    """What the page speaks of: patients with blood and scans, some of which are missing; cells; rows of a stream."""
    import pyarrow
    import pyarrow.dataset
    import scipy.cluster.hierarchy
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    views, truth = planted(600)
    ids = [f"p{i}" for i in range(len(truth))]
    blood = pd.DataFrame(views[0][:, :2], columns=["hb", "crp"], index=ids)
    scan = pd.DataFrame(views[1], index=ids).add_prefix("scan_")
    rows = [{**{f"blood:{name}": value for name, value in one.dropna().items()},
             **{f"scan:{name}": value for name, value in other.dropna().items()}}
            for (_, one), (_, other) in zip(blood.iterrows(), scan.iterrows())]
    return {"blood": blood.dropna(how="all"), "scan": scan.dropna(how="all"), "new_scans": scan.dropna(how="all").head(),
            "patients": blood.join(scan), "rows": rows, "truth": pd.Series(truth, index=ids), "mdata": cells()[0],
            "consumer": [scan.fillna(0).to_numpy()[at:at + 100] for at in range(0, 600, 100)], "pyarrow": pyarrow,
            "scipy": scipy, "GridSearchCV": GridSearchCV, "cross_val_score": cross_val_score,
            "make_pipeline": make_pipeline, "StandardScaler": StandardScaler}


def test_every_block_of_the_page_runs(tmp_path, monkeypatch, capsys):
    import matplotlib.pyplot as plt
    import pyarrow as pa
    import pyarrow.parquet

    scanpy = pytest.importorskip("scanpy", reason="scanpy is not installed: the page is not run")
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.S)
    assert len(blocks) >= 7
    known = {**names_of_the_page(), "sc": scanpy}
    fitted = None
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows").mkdir()
    pyarrow.parquet.write_table(pa.table({f"f{j}": column for j, column in enumerate(np.concatenate(known["consumer"]).T)}),
                                tmp_path / "rows" / "part.parquet")
    for block in blocks:
        if "omvc.pl." in block:
            known["model"] = fitted
        exec(compile(block, str(PAGE), "exec"), known)  # noqa: S102
        fitted = fitted or known["model"].copy()
    plt.close("all")
    assert known["search"].best_params_["n_clusters"] in (2, 3, 4)
    assert "X_umap" in known["mdata"].obsm and (tmp_path / "today.omvc").exists()


@pytest.mark.parametrize("name", ["omvc", "omvc.clusterer", "omvc.river"])
def test_examples_of_docstrings(name):
    module = importlib.import_module(name)
    done = doctest.testmod(module, extraglobs={"omvc": omvc, "np": np})
    assert done.attempted > 0 and done.failed == 0
