"""Tries an installed wheel where nothing but NumPy is there: import, fit, files, the command, and that no library of the
wheel comes from outside."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import omvc


def main():
    random = np.random.default_rng(0)
    kind = random.integers(3, size=200)
    views = [random.normal(4 * kind[:, None], 1, (200, 5)), random.normal(3 * ((kind[:, None] + 1) % 3), 1, (200, 4))]
    views[1][::4] = np.nan
    model = omvc.Clusterer(3).fit(views)
    assert sorted(set(model.labels_)) == [0, 1, 2]
    command = Path(sys.executable).parent / "omvc"
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for v, view in enumerate(views):
            paths.append(str(Path(folder) / f"view{v + 1}.npy"))
            np.save(paths[-1], view)
        labels = str(Path(folder) / "labels.txt")
        subprocess.run([command, "fit", *paths, "-k", "3", "--labels", labels, "--quiet"], check=True)
        assert (np.loadtxt(labels, dtype=int) == model.labels_).all()
        # Writing and reading HDF5 takes the library of the wheel, and the probe beside the command.
        both = str(Path(folder) / "both.h5mu")
        subprocess.run([command, "convert", *paths, "-o", both, "--quiet"], check=True)
        assert (omvc.Clusterer(3).fit(both).labels_ == model.labels_).all()
    # Libraries of Debian that Python does not use itself must be those of the wheel.
    maps = Path("/proc/self/maps").read_text()
    loaded = {name for name in re.findall(r"/usr/lib/\S+?/(lib[\w+.-]+\.so)", maps)}
    foreign = {name for name in loaded if re.match("lib(hdf5|matio|zip|zstd|fmt|hwy|sz|aec)", name)}
    assert not foreign, foreign
    print(f"omvc {omvc.__version__}: the wheel works in an empty environment")


if __name__ == "__main__":
    main()
