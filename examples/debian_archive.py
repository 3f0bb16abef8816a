#!/usr/bin/env python3
"""Clusters the packages of the Debian archive, from the lists that apt keeps on every Debian machine.

    apt-get -o Acquire::Languages="en,da,it,fr,de" update        as root, once, for the translated descriptions
    python3 examples/debian_archive.py [--clusters 40]
    python3 examples/debian_archive.py --save FOLDER             the data as files, for the command and for benchmarks

Instances are packages; views are their descriptions in several languages, their tags and what they depend on. Most
packages lack most views. The section of a package is the truth to compare with. Shows the clusters with the words that
tell them apart, and what each view adds: the agreement with the sections without it.
"""

from __future__ import annotations

import argparse
import collections
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

import omvc

LISTS = Path("/var/lib/apt/lists")
LANGUAGES = ("en", "da", "it", "fr", "de")
WORD = re.compile(r"[^\W\d_]{3,}")


def stanzas(path: Path) -> Iterator[dict[str, str]]:
    """The paragraphs of a list, which apt may have packed."""
    done = subprocess.run(["/usr/lib/apt/apt-helper", "cat-file", str(path)], capture_output=True, check=True)
    for block in done.stdout.decode(errors="replace").split("\n\n"):
        fields: dict[str, str] = {}
        last = ""
        for line in block.splitlines():
            if line[:1].isspace():
                fields[last] = fields.get(last, "") + " " + line.strip()
            elif ":" in line:
                last, _, value = line.partition(":")
                fields[last] = value.strip()
        if fields:
            yield fields


def lists(pattern: str) -> list[Path]:
    return [path for path in sorted(LISTS.glob(pattern)) if not re.search("security|updates|backports", path.name)]


def packages() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for path in lists("*main_binary-*_Packages*"):
        for fields in stanzas(path):
            found.setdefault(fields["Package"], fields)
    return found


def descriptions(language: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in lists(f"*main_i18n_Translation-{language}*"):
        for fields in stanzas(path):
            text = " ".join(value for key, value in fields.items()
                            if key.startswith("Description-") and key != "Description-md5")
            if text:
                found.setdefault(fields.get("Package", ""), text.lower())
    return found


def relations(text: str) -> list[str]:
    return [re.split(r"[(:]", part)[0].strip() for part in re.split(r"[,|]", text)]


def tags(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]


def counted(texts: dict[str, str], names: list[str], split: Callable[[str], list[str]]) -> omvc.View | None:
    """How often each word occurs in the texts of packages that have one; words that are neither rare nor everywhere."""
    counts = {name: collections.Counter(split(texts[name])) for name in names if name in texts}
    seen = collections.Counter(word for words in counts.values() for word in words)
    features = sorted(word for word, times in seen.items() if word and 5 <= times <= 0.3 * len(names))
    place = {word: j for j, word in enumerate(features)}
    known = [name for name, words in counts.items() if any(word in place for word in words)]
    if not known or not features:
        return None
    entries = [(i, place[word], times) for i, name in enumerate(known)
               for word, times in counts[name].items() if word in place]
    rows, columns, values = (np.array(part) for part in zip(*entries, strict=True))
    matrix = sp.csr_matrix((values.astype(np.float32), (rows, columns)), shape=(len(known), len(features)))
    return omvc.View(matrix, features=features, index=known)


def archive() -> tuple[dict[str, omvc.View], dict[str, str]]:
    """The views, and the section of every package."""
    found = packages()
    names = sorted(found)
    texts: list[tuple[str, dict[str, str], Callable[[str], list[str]]]] = [
        (language, descriptions(language), WORD.findall) for language in LANGUAGES]
    texts.append(("tags", {name: found[name]["Tag"] for name in names if "Tag" in found[name]}, tags))
    texts.append(("depends", {name: found[name]["Depends"] for name in names if "Depends" in found[name]}, relations))
    views = {}
    for view, text, split in texts:
        made = counted(text, names, split)
        if made is not None:
            views[view] = made
    return views, {name: found[name].get("Section", "?") for name in names}


def save(views: dict[str, omvc.View], sections: dict[str, str], names: list[str], folder: Path) -> None:
    """A SciPy file and a list of features for every view, with a row for every package; present.txt, section.txt, names.txt."""
    folder.mkdir(parents=True, exist_ok=True)
    row = {name: i for i, name in enumerate(names)}
    present = np.zeros((len(names), len(views)), dtype=int)
    for v, (name, view) in enumerate(views.items()):
        rows = np.array([row[package] for package in view.index])
        present[rows, v] = 1
        entries = view.data.tocoo()
        whole = sp.csr_matrix((entries.data, (rows[entries.row], entries.col)), shape=(len(names), view.data.shape[1]))
        sp.save_npz(folder / f"{name}.npz", whole)
        (folder / f"{name}-features.txt").write_text("".join(f"{feature}\n" for feature in view.features or []))
    np.savetxt(folder / "present.txt", present, fmt="%d")
    (folder / "names.txt").write_text("".join(f"{name}\n" for name in names))
    (folder / "section.txt").write_text("".join(f"{sections[name]}\n" for name in names))


def agreement(labels: Any, sections: dict[str, str]) -> float:
    """Normalised mutual information of clusters and sections."""
    pairs = [(label, sections[name]) for name, label in labels.items() if label >= 0]
    total = len(pairs)
    both, left, right = (collections.Counter(part) for part in (pairs, [a for a, _ in pairs], [b for _, b in pairs]))

    def entropy(counts: Any) -> float:
        shares = np.array(list(counts.values())) / total
        return float(-(shares * np.log(shares)).sum())

    shared = entropy(left) + entropy(right) - entropy(both)
    return shared / float(np.sqrt(entropy(left) * entropy(right)))


def show(model: omvc.Clusterer, sections: dict[str, str], words: str) -> None:
    labels = pd.Series(model.labels_)
    for cluster in model.clusters_:
        members = labels.index[labels == cluster]
        common = collections.Counter(sections[name] for name in members).most_common(2)
        telling = model.top_features(20, view=words, cluster=int(cluster))
        told = ", ".join([one.feature for one in telling if one.high][:6])  # what it has, not what it lacks
        print(f"{cluster:3d}  {len(members):6d}  {told:60.60s}  "
              + ", ".join(f"{section} {times / len(members):.0%}" for section, times in common))


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--clusters", type=int, default=40)
    options.add_argument("--limit", type=int, help="only so many packages, for a quick look")
    options.add_argument("--without", action="store_true", help="leave out each view in turn, too")
    options.add_argument("--save", type=Path, metavar="FOLDER", help="write the data there, and cluster nothing")
    given = options.parse_args()
    if not lists("*main_binary-*_Packages*"):
        print(f"skipped: {LISTS} holds no lists of packages; run apt-get update first")
        sys.exit(77)
    views, sections = archive()
    if given.limit:
        kept = set(sorted(sections)[:: max(1, len(sections) // given.limit)])
        views = {name: view for name, view in ((name, few(view, kept)) for name, view in views.items()) if view}
    names = sorted(set().union(*(view.index for view in views.values())))
    for name, view in views.items():
        print(f"{name:8s} {view.data.shape[1]:6d} features, {view.data.shape[0] / len(names):4.0%} of {len(names)} packages")
    if given.save:
        save(views, sections, names, given.save)
        return
    start = time.perf_counter()
    model = omvc.Clusterer(n_clusters=given.clusters).fit(views)
    print(f"{model.n_clusters_} clusters in {time.perf_counter() - start:.1f} s, NMI with the sections "
          f"{agreement(model.labels_, sections):.3f}\n")
    show(model, sections, "en" if "en" in views else next(iter(views)))
    for left_out in views if given.without else []:
        rest = {name: view for name, view in views.items() if name != left_out}
        other = omvc.Clusterer(n_clusters=given.clusters).fit(rest)
        print(f"without {left_out:8s} NMI {agreement(other.labels_, sections):.3f}")


def few(view: omvc.View, kept: set[str]) -> omvc.View | None:
    """The packages of a view that are kept, and the features that they have."""
    rows = [i for i, name in enumerate(view.index) if name in kept]
    if not rows or view.features is None:
        return None
    data = view.data[rows]
    columns = np.flatnonzero(np.asarray((data != 0).sum(axis=0)).ravel())
    return omvc.View(data[:, columns], [view.features[int(j)] for j in columns], [view.index[i] for i in rows])


if __name__ == "__main__":
    main()
