"""What installs the package says the same everywhere: version, Pythons, what is needed."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
tomllib = pytest.importorskip("tomllib", reason="Python 3.10 cannot read pyproject.toml by itself")


def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def version():
    header = (ROOT / "include" / "omvc" / "version.hpp").read_text()
    return ".".join(re.search(rf"OMVC_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def test_the_version_is_that_of_the_library():
    import omvc

    found = project()["tool"]["scikit-build"]["metadata"]["version"]
    parts = re.search(found["regex"], (ROOT / found["input"]).read_text()).groupdict()
    assert found["result"].format(**parts) == version() == omvc.__version__


def test_the_recipe_for_conda_is_sound():
    """Rendered as conda-build does, it is YAML with the fields that conda asks for."""
    jinja2, yaml = pytest.importorskip("jinja2"), pytest.importorskip("yaml")
    text = (ROOT / "packaging" / "conda" / "meta.yaml").read_text()
    recipe = yaml.safe_load(jinja2.Template(text, undefined=jinja2.StrictUndefined).render(
        PYTHON="python", compiler=lambda name: f"{name}-compiler", stdlib=lambda name: f"{name}-stdlib"))
    assert recipe["package"] == {"name": "omvc", "version": version()}
    assert {"package", "source", "build", "requirements", "test", "about"} <= set(recipe)
    assert (ROOT / "packaging" / "conda" / recipe["source"]["path"] / "pyproject.toml").exists()
    needed = project()["project"]
    assert f"python {needed['requires-python']}" in recipe["requirements"]["run"]
    assert recipe["about"]["license"] == needed["license"]["text"] and recipe["about"]["summary"] == needed["description"]
    for one in needed["dependencies"]:
        assert re.sub(r"(?=[<>=])", " ", one, count=1) in recipe["requirements"]["run"]
    assert (ROOT / recipe["about"]["license_file"]).exists()


def test_nothing_is_left_in_the_checkout():
    assert "build-dir" not in project()["tool"]["scikit-build"], "pip builds in a folder of its own"


def test_the_scripts_can_be_read():
    for script in ("tools/make-wheel", "tests/python_test.sh"):
        subprocess.run(["bash", "-n", ROOT / script], check=True)
    ast.parse((ROOT / "tests" / "wheel_try.py").read_text())
