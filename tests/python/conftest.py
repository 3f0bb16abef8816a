"""What the tests share: planted data with missing views, and the command to compare with."""

import subprocess
from pathlib import Path

import numpy as np
import pytest

import omvc


def planted(rows=240, seed=0, missing=0.3, clusters=3):
    """Two views of three clusters, dense; rows of NaN where a view is missing."""
    random = np.random.default_rng(seed)
    truth = random.integers(clusters, size=rows)
    views = []
    for features in (6, 9):
        centres = random.uniform(0, 10, size=(clusters, features))
        views.append(centres[truth] + random.normal(0, 0.7, size=(rows, features)))
    absent = random.random(rows) < missing
    side = random.integers(2, size=rows)
    for v in range(2):
        views[v][absent & (side == v)] = np.nan
    return views, truth


def planted_text(rows=240, features=300, seed=0, clusters=3):
    """Counts of words, sparse."""
    import scipy.sparse

    random = np.random.default_rng(seed)
    truth = random.integers(clusters, size=rows)
    rates = random.gamma(0.15, 1.0, size=(clusters, features))
    counts = random.poisson(0.4 * rates[truth])
    return scipy.sparse.csr_matrix(counts.astype(np.float64)), truth


@pytest.fixture
def views():
    return planted()[0]


@pytest.fixture
def truth():
    return planted()[1]


@pytest.fixture
def command(tmp_path):
    """Labels that the command gives to files."""
    program = Path(omvc.__file__).parent / "bin" / "omvc"

    def run(paths, *options):
        labels = tmp_path / "labels.txt"
        done = subprocess.run([program, "fit", *map(str, paths), "--labels", labels, "--quiet", *options],
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return np.loadtxt(labels, dtype=int)

    return run
