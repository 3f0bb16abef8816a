"""Plots: what each shows, and that they look like the stored picture of the docs (fonts aside).

    python tests/python/plots_test.py        draws docs/figures/python-plots.png again
"""

import sys
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import omvc
from conftest import planted

PICTURE = Path(__file__).resolve().parent.parent.parent / "docs" / "figures" / "python-plots.png"
PLOTS = ["map", "presence", "features", "heatmap", "tree", "confidence", "calibration"]


def fitted(**options):
    views, truth = planted(400, clusters=4, missing=0.4)
    # So that some labels are doubtful.
    views = [view + np.random.default_rng(5).normal(0, 2.2, view.shape) for view in views]
    frames = {name: pd.DataFrame(view).add_prefix(f"{name} ") for name, view in zip(("blood", "scan"), views)}
    return omvc.Clusterer(4, **options).fit(frames), truth


def draw(model, truth):
    """Every plot in a figure of its own, side by side in one picture of numbers from 0 to 1."""
    pictures = []
    with matplotlib.rc_context({"font.family": "DejaVu Sans", "figure.dpi": 60, "savefig.dpi": 60}):
        for name in PLOTS:
            figure, ax = plt.subplots(figsize=(5.4, 4), layout="constrained")
            getattr(omvc.pl, name)(model, *([truth] if name == "calibration" else []), ax=ax)
            figure.canvas.draw()
            pictures.append(np.asarray(figure.canvas.buffer_rgba())[..., :3] / 255)
            plt.close(figure)
    white = np.ones_like(pictures[0])
    pictures += [white] * (-len(pictures) % 3)
    return np.vstack([np.hstack(pictures[at:at + 3]) for at in range(0, len(pictures), 3)])


@pytest.fixture(scope="module")
def known():
    return fitted()


def test_they_look_like_the_stored_picture(known):
    stored = plt.imread(PICTURE)[..., :3]
    drawn = draw(*known)
    assert drawn.shape == stored.shape, "draw it again: python tests/python/plots_test.py"

    def blurred(picture):
        """Means over squares: letters of another font are as dark, about."""
        rows, columns = (side // 12 * 12 for side in picture.shape[:2])
        return picture[:rows, :columns].reshape(rows // 12, 12, columns // 12, 12, 3).mean(axis=(1, 3))

    apart = np.abs(blurred(drawn) - blurred(stored)).max(axis=2)
    assert np.mean(apart > 0.2) < 0.02, "draw it again and look at it: python tests/python/plots_test.py"


def test_map_without_the_instances(known, tmp_path):
    model, _ = known
    model.save(tmp_path / "model.omvc")
    again = omvc.load(tmp_path / "model.omvc")
    for one in (again, again.copy().cut(3)):
        assert omvc.pl.map(one).collections and omvc.pl.features(one).images and omvc.pl.tree(one, 5).patches
    for wrong in ("pca", "umap"):
        with pytest.raises(omvc.UsageError, match="give X"):
            omvc.pl.map(again, method=wrong)
    with pytest.raises(omvc.UsageError, match="choose auto"):
        omvc.pl.map(model, method="tsne")
    with pytest.raises(omvc.UsageError, match="after fit"):
        omvc.pl.presence(again)
    with pytest.raises(omvc.UsageError, match="after fit"):
        omvc.pl.confidence(again)
    plt.close("all")


def test_map_has_axes_and_every_cluster(known):
    model, _ = known
    ax = omvc.pl.map(model, method="pca")
    assert "direction 1" in ax.get_xlabel() and "direction 2" in ax.get_ylabel()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["0", "1", "2", "3"]
    drawn = sum(len(points.get_offsets()) for points in ax.collections)
    assert drawn == (np.asarray(model.labels_) >= 0).sum()
    plt.close("all")


def test_labels_of_patterns_are_whole(known):
    model, _ = known
    ax = omvc.pl.presence(model)
    ax.figure.canvas.draw()
    width = ax.figure.bbox.width
    assert {text.get_text() for text in ax.get_yticklabels()} == {"blood + scan", "blood", "scan"}
    assert all(0 <= text.get_window_extent().x0 < width for text in ax.get_yticklabels())
    plt.close("all")


def test_what_chance_explains_is_not_painted(known):
    model, _ = known
    ax = omvc.pl.features(model, 4, view="scan")
    shown = np.ma.filled(ax.images[0].get_array().astype(float), np.nan)
    names = [text.get_text() for text in ax.get_yticklabels()]
    effects = model.feature_effects_.query("view == 'scan'").pivot(index="feature", columns="cluster")
    for row, name in zip(shown, names):
        expected = effects["effect"].loc[name].where(effects["chance"].loc[name] < 0.01)
        np.testing.assert_allclose(row, expected)
    means = omvc.pl.heatmap(model, 4, view="scan").images[0].get_array()
    assert means.min() == 0 and means.max() == 1 and not np.isnan(means).any()
    plt.close("all")


if __name__ == "__main__":
    plt.imsave(PICTURE, draw(*fitted()))
    sys.exit(print(PICTURE))
