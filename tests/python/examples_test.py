"""Examples run; notebooks are those of the script that makes them, and their cells run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "examples"))


def test_quick_start():
    done = subprocess.run([sys.executable, ROOT / "examples" / "quick_start.py"], capture_output=True, text=True)
    assert done.returncode == 0 and "3 clusters" in done.stdout, done.stderr


def test_dask_cluster():
    done = subprocess.run([sys.executable, ROOT / "examples" / "dask_cluster.py"], capture_output=True, text=True)
    assert done.returncode == 0 and "12000 instances, 4 clusters" in done.stdout, done.stderr


def test_debian_archive():
    done = subprocess.run([sys.executable, ROOT / "examples" / "debian_archive.py", "--limit", "500", "--clusters", "5"],
                          capture_output=True, text=True)
    if done.returncode == 77:
        pytest.skip(done.stdout)
    assert done.returncode == 0 and "5 clusters" in done.stdout, done.stderr


@pytest.mark.parametrize("name", ["citeseq", "debian_archive"])
def test_notebooks(name, tmp_path):
    path = ROOT / "examples" / f"{name}.ipynb"
    import make_notebooks

    cells = json.loads(path.read_text())["cells"]
    made = {"citeseq": make_notebooks.CITESEQ, "debian_archive": make_notebooks.DEBIAN}[name]
    assert ["".join(cell["source"]) for cell in cells] == [text.strip() for text in made], "run make_notebooks.py"
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert all(not any(out["output_type"] == "error" for out in cell["outputs"]) for cell in code)
    assert sum(bool(cell["outputs"]) for cell in code) >= 3, "outputs are included"
    # Run here on small data: planted cells, and fewer packages.
    program = "\n".join("".join(cell["source"]) for cell in code).replace("// 1500", "// 500")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path,
                          env={**os.environ, "OMVC_DATA": str(tmp_path), "OMVC_EXAMPLES": str(ROOT / "examples")})
    if "skipped:" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
