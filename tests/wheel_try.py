"""Tries an installed wheel where nothing but NumPy is there: import, fit, files, the command, and that no library of the
wheel comes from outside."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import omvc

EVERYWHERE = {"libc", "libm", "libdl", "librt", "libpthread", "libresolv", "libstdc++", "libgcc_s", "libz", "ld-linux-x86-64"}


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
        # Writing and reading HDF5 takes the library of the wheel, and an interpreter that tries the file.
        both = str(Path(folder) / "both.h5mu")
        subprocess.run([command, "convert", *paths, "-o", both, "--quiet"], check=True)
        assert (omvc.Clusterer(3).fit(both).labels_ == model.labels_).all()
    # The linker finds what module and command need in the wheel, but for what every Linux has.
    package = Path(omvc.__file__).parent
    for program in (next(package.glob("_core*.so")), package / "bin" / "omvc"):
        found = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
        needed = dict(re.findall(r"(\S+) => (\S+)", found))
        foreign = {name: where for name, where in needed.items()
                   if package.parent not in Path(where).resolve().parents and name.split(".so")[0] not in EVERYWHERE}
        assert needed and not foreign, f"{program}: {foreign}"
    print(f"omvc {omvc.__version__}: the wheel works in an empty environment")


if __name__ == "__main__":
    main()
