"""Hooks of MkDocs (mkdocs.yml): pages that are made from the code, and pages of the checkout that lie outside docs/."""

import os
import re
import subprocess
from pathlib import Path

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent
BESIDE = {"contributing.md": "CONTRIBUTING.md", "security.md": "SECURITY.md", "changelog.md": "CHANGELOG.md"}
PYTHON = """# Python, every class

How to use them is told in [Python](../python.md).

::: omvc
"""


def beside(name):
    """A page of the checkout as a page of the site."""
    text = (ROOT / BESIDE[name]).read_text()
    return text.replace("](docs/", "](")


def in_cell(text):
    """Text that a cell of a table shows as it is."""
    for sign in "&<>|*_`":
        text = text.replace(sign, f"&#{ord(sign)};")
    return text


def help_as_tables(text):
    """What a command says for a terminal as a site shows it: the usage, and a table for each group of options."""
    column = 30  # where meanings begin; a name that is longer has its meaning in the line below
    head, *groups = re.split(r"^(?=\S[^\n]*:\n  )", text.partition("\nFirst steps:")[0], flags=re.M)
    about, _, usage = head.strip().removeprefix("omvc: ").partition("\n")
    parts = [about[:1].upper() + about[1:] + ".", f"```text\n{usage.removeprefix('Usage: ').strip()}\n```"]
    for group in groups:
        title, _, lines = group.strip("\n").partition(":\n")
        rows = "| name | meaning |\n| --- | --- |\n"
        for entry in re.split(r"\n(?=  \S)", lines):
            first, _, below = entry.partition("\n")
            name, meaning = (first, below) if below.strip() else (first[:column], first[column:])
            rows += f"| <code>{in_cell(name.strip())}</code> | {in_cell(meaning.strip())} |\n"
        parts.append(f"**{title}**\n\n{rows}")
    return "\n\n".join(parts)


def commands():
    """What every command says of itself."""
    program = Path(os.environ.get("OMVC_PROGRAM", ROOT / "build" / "omvc"))
    if not program.exists():
        raise PluginError(f"{program} is not there: `make docs` builds it first")

    def said(*words):
        return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout

    overview = said("--help")
    names = re.findall(r"^  ([a-z]+) ", overview.partition("Subcommands:")[2], flags=re.M)
    codes = " ".join(overview.partition("Exit codes:")[2].split())
    parts = ["# Commands", help_as_tables(overview), f"**Exit codes**: {codes}."]
    parts += [f"## omvc {name}\n\n{help_as_tables(said(name, '--help'))}" for name in names]
    return "\n\n".join(parts) + "\n"


def on_files(files, config):
    made = {**{name: beside(name) for name in BESIDE}, "reference/commands.md": commands(), "reference/python.md": PYTHON}
    for name, text in made.items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown, page, **_):
    """Links into the checkout: to a page of the site where there is one, and otherwise the name alone."""
    up = "../" * page.file.src_uri.count("/")
    for name, source in BESIDE.items():
        markdown = re.sub(rf"\]\((\.\./)*{source}", f"]({up}{name}", markdown)
    return re.sub(r"\[([^\]]+)\]\((?:\.\./)*(?:examples|include|src|tests|bench|experiments|python|LICENSE|CITATION)[^)]*\)",
                  r"\1", markdown)


def on_post_page(output, page, **_):
    """The theme fetches what lets its search run from disk; the site asks nobody for anything and has its own."""
    up = "../" * page.file.dest_uri.count("/")
    return output.replace("https://unpkg.com/iframe-worker/shim", f"{up}assets/worker.js")


def on_post_build(config):
    """The page of a server that finds nothing; a folder on disk has no use for it."""
    (Path(config["site_dir"]) / "404.html").unlink(missing_ok=True)
