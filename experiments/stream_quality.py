#!/usr/bin/env python3
"""How good the labels are that `omvc stream` gives on arrival; docs/streaming.md has the tables and figures.

    python3 experiments/stream_quality.py arrival    Digit and Hdigit in random order, from 20 % of the rows on
    python3 experiments/stream_quality.py drift      clusters that move, come and go, with and without a half-life,
                                                     beside OPIMC and masked k-means in their on-line forms
    python3 experiments/stream_quality.py arrival drift --write

Rows go through a pipe with --in-step, so the figures can be had again to the last digit. NMI (geometric, as
everywhere here) is computed over the labels given on arrival and never changed.
Needs numpy and scipy, and for `arrival` the data of OMVC_DATA (else ../shared/data).
"""
import argparse
import json
import statistics
import subprocess
import sys
import tempfile

import docs_page
from datasets import DATA, ROOT, SEEDS

try:
    import numpy as np
    import scipy.io
except ImportError:
    np = None

CHUNK = 250  # rows that an on-line method sees at a time
ARRIVALS = [("digit", ""), ("hdigit", ""), ("digit", "independent-40"), ("hdigit", "independent-40"), ("digit", "cyclic-40"),
            ("hdigit", "cyclic-40")]
HALF_LIFE = 2000


def nmi(labels, truth):
    labels, truth = np.unique(labels, return_inverse=True)[1], np.unique(truth, return_inverse=True)[1]
    counts = np.zeros((labels.max() + 1, truth.max() + 1))
    np.add.at(counts, (labels, truth), 1)
    p = counts / counts.sum()
    a, b = p.sum(1), p.sum(0)
    entropies = -(a * np.log(a)).sum(), -(b * np.log(b)).sum()
    if min(entropies) <= 0:
        return 0.0
    seen = p > 0
    return float((p[seen] * np.log(p[seen] / np.outer(a, b)[seen])).sum() / np.sqrt(entropies[0] * entropies[1]))


def stream(command, views, present, options):
    """Labels on arrival of rows in the order given; -1 before there are clusters. Also the events."""
    rounded = [np.round(X, 6) for X in views]
    lines = [json.dumps({"id": i, **{f"v{v}": X[i].tolist() for v, X in enumerate(rounded) if present[i, v]}})
             for i in range(len(views[0]))]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([command, "stream", "--model", f"{folder}/m.omvc", "--in-step", "--quiet", "--every", str(CHUNK),
                               *map(str, options)], input="\n".join(lines) + "\n", capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    labels = [-1 if a["cluster"] is None else a["cluster"] for a in answers if "id" in a]
    return np.array(labels), [a for a in answers if a.get("event") in ("born", "split", "merged", "gone")]


# On-line peers. Both take a chunk, say its labels, and add it to running sums.

def scaled(views, present, first):
    """Each view to variance 1 in all, as measured on the first chunk: what the peers see."""
    out = []
    for v, X in enumerate(views):
        known = X[:first][present[:first, v]]
        out.append((X - known.mean(0)) / np.sqrt(max(known.var(0).sum(), 1e-12)))
    return out


def distances(views, present, rows, centres):
    total = np.zeros((len(rows), len(centres[0])))
    for v, X in enumerate(views):
        d = ((X[rows][:, None, :] - centres[v][None]) ** 2).sum(2)
        total += np.where(present[rows, v][:, None], d, 0)
    return total / np.maximum(present[rows].sum(1), 1)[:, None]


def first_centres(views, present, rows, k, random):
    """k-means++ over the observed views of the first chunk; a view that a seed lacks is at the mean, 0."""
    chosen = [random.choice(rows)]
    while True:
        centres = [np.where(present[chosen, v][:, None], X[chosen], 0) for v, X in enumerate(views)]
        if len(chosen) == k:
            return centres
        d = distances(views, present, rows, centres).min(1)
        chosen.append(random.choice(rows, p=d / d.sum()))


def online(views, present, k, seed, ridge=0.0, rounds=1, half_life=0):
    """Masked k-means (ridge 0, one round) and OPIMC (ridge, rounds until the labels of a chunk stay)."""
    n = len(views[0])
    random = np.random.default_rng(seed)
    views = scaled(views, present, CHUNK)
    sums = [np.zeros((k, X.shape[1])) for X in views]
    counts = [np.zeros(k) for _ in views]
    centres = first_centres(views, present, np.arange(min(CHUNK, n)), k, random)
    labels = np.full(n, -1)
    for start in range(0, n, CHUNK):
        rows = np.arange(start, min(n, start + CHUNK))
        if half_life:
            factor = 0.5 ** (len(rows) / half_life)
            sums, counts = [s * factor for s in sums], [c * factor for c in counts]
        before = None
        for _ in range(rounds if start else max(rounds, 10)):
            labels[rows] = distances(views, present, rows, centres).argmin(1)
            if before is not None and (before == labels[rows]).all():
                break
            before = labels[rows].copy()
            added, members = [], []
            for v, X in enumerate(views):
                here = rows[present[rows, v]]
                S, c = np.zeros_like(sums[v]), np.zeros(k)
                np.add.at(S, labels[here], X[here])
                np.add.at(c, labels[here], 1)
                added.append(S)
                members.append(c)
                weight = counts[v] + c + ridge
                centres[v] = np.where((counts[v] + c)[:, None] > 0, (sums[v] + S) / np.maximum(weight, 1e-12)[:, None],
                                      centres[v])
        sums = [s + a for s, a in zip(sums, added)]
        counts = [c + m for c, m in zip(counts, members)]
    return labels


# Streams that change: two views of 8 and 20 features, 40 % missing, standard deviation 1 about the means.

def changing(kind, seed, n=20000, k=6):
    random = np.random.default_rng(100 + seed)
    means = [random.normal(0, (8 / d) ** 0.25, (k, d)) for d in (8, 20)]  # four to five standard deviations apart
    time = np.arange(n) / n
    if kind == "moving":  # three standard deviations, each cluster in a direction of its own
        truth = random.integers(0, k, n)
        steps = [random.normal(size=(k, d)) for d in (8, 20)]
        steps = [3 * s / np.linalg.norm(s, axis=1, keepdims=True) for s in steps]
    else:  # clusters 4 and 5 appear at 40 % and 60 %, cluster 0 is gone from 70 % on
        alive = np.array([[(c != 0 or t < 0.7) and (c != 4 or t >= 0.4) and (c != 5 or t >= 0.6) for c in range(k)]
                          for t in time], dtype=float)
        u = random.random(n)
        truth = (u[:, None] > (alive / alive.sum(1, keepdims=True)).cumsum(1)).sum(1).clip(0, k - 1)
        steps = [np.zeros((k, d)) for d in (8, 20)]
    views = [m[truth] + time[:, None] * s[truth] + random.normal(size=(n, m.shape[1])) for m, s in zip(means, steps)]
    present = random.random((n, 2)) >= 0.4
    present[~present.any(1), random.integers(0, 2)] = True
    return views, present, truth


def windows(labels, truth, count=20):
    edges = np.linspace(0, len(labels), count + 1).astype(int)
    return [nmi(labels[a:b], truth[a:b]) for a, b in zip(edges, edges[1:])]


def svg(title, curves, marks):
    width, height, left, right, top, bottom = 720, 300, 52, 190, 28, 40
    shades = ["#0b6e4f", "#c1121f", "#1d4e89", "#8a8a8a", "#b98b2f", "#6a4c93"]

    def x(share):
        return left + (width - left - right) * share

    def y(value):
        return height - bottom - (height - top - bottom) * value

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
           'font-size="12"><rect width="100%" height="100%" fill="white"/>',
           f'<text x="{left}" y="18" font-weight="bold">{title}</text>']
    for value in (0, 0.2, 0.4, 0.6, 0.8, 1):
        out.append(f'<line x1="{left}" x2="{width - right}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="#e4e4e4"/>')
        out.append(f'<text x="{left - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:g}</text>')
    for share in (0, 0.25, 0.5, 0.75, 1):
        out.append(f'<text x="{x(share):.1f}" y="{height - bottom + 16}" text-anchor="middle">{share:.0%}</text>')
    for share, text in marks:
        out.append(f'<line x1="{x(share):.1f}" x2="{x(share):.1f}" y1="{top}" y2="{height - bottom}" stroke="#999" '
                   'stroke-dasharray="3 3"/>')
        out.append(f'<text x="{x(share) + 3:.1f}" y="{height - bottom - 6}" fill="#666" font-size="10">{text}</text>')
    out.append(f'<text x="{x(0.5):.1f}" y="{height - 6}" text-anchor="middle">of the stream</text>')
    out.append(f'<text x="14" y="{height / 2}" text-anchor="middle" transform="rotate(-90 14 {height / 2})">NMI of labels '
               'on arrival</text>')
    for n, (name, ys) in enumerate(curves):
        points = " ".join(f"{x((i + 0.5) / len(ys)):.1f},{y(max(0, v)):.1f}" for i, v in enumerate(ys))
        out.append(f'<polyline points="{points}" fill="none" stroke="{shades[n]}" stroke-width="1.8"/>')
        at = top + 12 + 18 * n
        out.append(f'<line x1="{width - right + 10}" x2="{width - right + 34}" y1="{at - 4}" y2="{at - 4}" '
                   f'stroke="{shades[n]}" stroke-width="1.8"/>')
        out.append(f'<text x="{width - right + 40}" y="{at}">{name}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def drift(command, seeds):
    kinds = {"moving": ("clusters move by 3 standard deviations", []),
             "coming": ("two clusters appear, one disappears", [(0.4, "appears"), (0.6, "appears"), (0.7, "gone")])}
    methods = {
        "omvc": lambda data, k, seed: stream(command, data[0], data[1], ["-k", k, "--seed", seed])[0],
        "omvc, half-life": lambda data, k, seed: stream(command, data[0], data[1],
                                                        ["-k", k, "--seed", seed, "--half-life", HALF_LIFE])[0],
        "OPIMC": lambda data, k, seed: online(*data[:2], k, seed, ridge=10, rounds=20),
        "OPIMC, half-life": lambda data, k, seed: online(*data[:2], k, seed, ridge=10, rounds=20, half_life=HALF_LIFE),
        "masked k-means": lambda data, k, seed: online(*data[:2], k, seed),
        "masked k-means, half-life": lambda data, k, seed: online(*data[:2], k, seed, half_life=HALF_LIFE),
    }
    yield (f"20,000 rows, 40 % missing, six clusters, K = 6 given to all, labels on arrival in chunks of {CHUNK}, half-life "
           f"{HALF_LIFE} rows; mean of {len(seeds)} seeds. *Whole*: NMI of all labels from 20 % of the stream on, for which "
           "numbers must keep their meaning; *windows*: mean over twentieths, each by itself.\n")
    yield "| stream | method | whole | windows | last twentieth |"
    yield "| --- | --- | --- | --- | --- |"
    for kind, (title, marks) in kinds.items():
        curves = []
        for name, method in methods.items():
            whole, curve = [], []
            for seed in seeds:
                data = changing(kind, seed)
                labels = method(data, 6, seed)
                from_here = len(labels) // 5
                whole.append(nmi(labels[from_here:], data[2][from_here:]))
                curve.append(windows(labels, data[2]))
            mean = np.mean(curve, axis=0)
            curves.append((name, list(mean)))
            yield (f"| {title} | {name} | {statistics.mean(whole):.3f} | {mean[4:].mean():.3f} | {mean[-1]:.3f} |")
        (ROOT / "docs" / "figures" / f"stream-{kind}.svg").write_text(svg(title, curves, marks))


def digits(name):
    if name == "digit":
        views = [np.loadtxt(DATA / "digit" / f"mfeat-{v}") for v in ("fou", "fac", "kar", "pix", "zer")]
        return views, np.loadtxt(DATA / "digit" / "labels.txt", dtype=int)
    mat = scipy.io.loadmat(DATA / "hdigit" / "Hdigit.mat")
    truth = mat["Y"].ravel().astype(int)
    views = [np.asarray(X, dtype=float) for X in mat["X"].ravel()]
    return [X if X.shape[0] == len(truth) else X.T for X in views], truth


def arrival(command, seeds):
    yield ("Rows in random order (the fixed orders and masks of docs/quality.md), K = 10, read once, nothing changed "
           f"afterwards; NMI over the labels given from 20 % of the rows on, mean of {len(seeds)} orders.\n")
    yield "| data | missing | NMI on arrival |"
    yield "| --- | --- | --- |"
    for name, mask in ARRIVALS:
        views, truth = digits(name)
        scores = []
        for seed in seeds:
            order = np.loadtxt(DATA / "masks" / f"{name}-order-{seed}.txt", dtype=int)
            present = np.ones((len(truth), len(views)), dtype=bool)
            if mask:
                present = np.loadtxt(DATA / "masks" / f"{name}-{mask}-{seed}.txt", dtype=int).astype(bool)
            labels, _ = stream(command, [X[order] for X in views], present[order], ["-k", 10, "--seed", seed])
            from_here = len(labels) // 5
            scores.append(nmi(labels[from_here:], truth[order][from_here:]))
        shown = mask.replace("-", " ") + " %" if mask else "none"
        yield f"| {name} | {shown} | {statistics.mean(scores):.3f} ± {statistics.pstdev(scores):.3f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--omvc", default=str(ROOT / "build" / "omvc"))
    parser.add_argument("--seeds", type=int, default=len(SEEDS))
    parser.add_argument("--write", action="store_true")
    parser.add_argument("what", nargs="*", default=["arrival", "drift"])
    arguments = parser.parse_args()
    if np is None:
        sys.exit("this needs numpy and scipy")
    for what in arguments.what:
        lines = []
        for line in {"arrival": arrival, "drift": drift}[what](arguments.omvc, range(arguments.seeds)):
            lines.append(line)
            print(line, flush=True)
        if arguments.write:
            lines += ["", docs_page.stamp(f"experiments/stream_quality.py {what} --write")]
            docs_page.put("streaming.md", f"experiments/stream_quality.py {what}", "\n".join(lines))


if __name__ == "__main__":
    main()
