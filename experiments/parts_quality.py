#!/usr/bin/env python3
"""Data divided into many parts beside one stream: the same clusters, and what travels between the parts.

    python3 experiments/parts_quality.py quality --write     NMI on Digit, Hdigit and BDGP; needs the data of OMVC_DATA
    python3 experiments/parts_quality.py bytes --write       looks, tasks and counts in bytes, beside a formula

Parts are partitions of omvc.dask, of uneven sizes. NMI is geometric, the mean over seeds 0-4. With a memory of 0.5 MB
the data are more than the sample holds, so that passes over the parts follow; by default they fit in it.
"""
import argparse
import statistics

import docs_page
import python_package
from datasets import DATA, SEEDS

PARTS = (1, 7, 40)


def load(name):
    """Views with rows of NaN where they are missing, classes, number of classes."""
    import numpy as np
    import scipy.io

    if name == "digit":
        views = [np.loadtxt(DATA / "digit" / f"mfeat-{one}") for one in ("fou", "fac", "kar", "pix", "zer")]
        return views, np.loadtxt(DATA / "digit" / "labels.txt"), 10
    if name == "hdigit":
        held = scipy.io.loadmat(DATA / "hdigit" / "Hdigit.mat")
        truth = held["Y"].ravel()
        views = [np.asarray(view, float) for view in held["X"].ravel()]
        return [view if len(view) == len(truth) else view.T for view in views], truth, 10
    held = np.load(DATA / "bdgp" / "bdgp_4view_incomplete.npz", allow_pickle=False)
    views = [held[one].astype(float) for one in ("lateral", "dorsal", "ventral", "text")]
    for v, view in enumerate(views):
        view[held["mask"].reshape(-1, 4)[:, v] == 0] = np.nan
    return views, held["label"].ravel(), 5


def masked(name, views, mask, seed):
    import numpy as np

    order = np.random.default_rng(seed).permutation(len(views[0]))
    if name != "bdgp":
        order = np.loadtxt(DATA / "masks" / f"{name}-order-{seed}.txt", dtype=int)
    views = [view.copy() for view in views]
    if mask:
        present = np.loadtxt(DATA / "masks" / f"{name}-{mask}-{seed}.txt", dtype=int)
        for v, view in enumerate(views):
            view[present[:, v] == 0] = np.nan
    return [view[order] for view in views], order


def uneven(rows, parts):
    """Sizes of parts, from small to large."""
    places = [rows * i * i // (parts * parts) for i in range(parts + 1)]
    return tuple(last - first for first, last in zip(places, places[1:]) if last > first)


def in_parts(views, parts, options):
    import dask.array as da

    import omvc.dask

    sizes = uneven(len(views[0]), parts)
    return omvc.dask.Clusterer(**options).fit([da.from_array(view, chunks=(sizes, view.shape[1])) for view in views])


def quality():
    import numpy as np

    import omvc
    from stream_quality import nmi

    lines = ["| data | mask | memory, MB | one stream | " + " | ".join(f"{n} part{'s' if n > 1 else ''}" for n in PARTS) + " | bits |",
             "| --- | --- | --- | --- |" + " --- |" * len(PARTS) + " --- |"]
    for name, masks in (("digit", ("", "independent-40")), ("hdigit", ("", "independent-40")), ("bdgp", ("",))):
        views, truth, k = load(name)
        for mask in masks:
            for memory in (64, 0.5):
                scores, same = {}, True
                for seed in SEEDS:
                    given, order = masked(name, views, mask, seed)
                    options = {"n_clusters": k, "seed": seed, "memory": memory}
                    plain = omvc.Clusterer(**options).fit(given)
                    scores.setdefault(0, []).append(nmi(plain.labels_, truth[order]))
                    for parts in PARTS:
                        found = in_parts(given, parts, options)
                        labels = found.labels_.compute()
                        scores.setdefault(parts, []).append(nmi(labels, truth[order]))
                        same = same and np.array_equal(labels, plain.labels_) and found._bytes == plain._model.to_bytes()
                means = " | ".join(f"{statistics.mean(scores[n]):.3f}" for n in (0, *PARTS))
                lines.append(f"| {name} | {mask or ('natural' if name == 'bdgp' else 'complete')} | {memory} | {means} | "
                             f"{'identical' if same else 'different'} |")
                print(lines[-1], flush=True)
    return "parts-quality", "\n".join(lines)


def merged(merge, values):
    total = values[0]
    for one in values[1:]:
        total = merge(total, one)
    return total


def counted_bytes():
    """Planted data in 8 parts that begin between blocks of the survey, step by step, then with other places of the parts."""
    import numpy as np

    from omvc import _core, _inputs, _progress

    lines = ["| features d | prototypes m | rank r | largest look | its ranks | task | 8 d (m + r) | counts | 8 (d m + 2 m²) |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    random = np.random.default_rng(1)
    rows = 65536
    for widths in ((20, 60), (200, 600)):
        truth = random.integers(10, size=rows)
        views = [random.uniform(0, 10, (10, d))[truth] + random.normal(0, 1, (rows, d)) for d in widths]
        schema = [(f"view{v + 1}", d, None) for v, d in enumerate(widths)]
        plan = _core.Plan({"clusters": "10", "memory": "8"}, schema)
        for shift in (0, 4000):
            places = [0, *range(8192 + shift, rows, 8192), rows]

            def every(step):
                return [step(_inputs.read([view[first:last] for view in views], schema=schema).data, first)
                        for first, last in zip(places, places[1:])]

            looks = every(lambda data, first: plan.look(data, first, _progress.silent))
            ranks = [plan.ranks(look) for look in looks]
            all_ranks = merged(plan.merge_ranks, ranks)
            looks = [plan.trim(look, all_ranks) for look in looks]
            state = plan.make(merged(plan.merge_looks, looks), _progress.silent)
            task = plan.task(state)
            counts = every(lambda data, first: plan.count(task, data, first, _progress.silent))
            state = plan.end_pass(state, merged(plan.merge_counts, counts))
            last = plan.task(state)
            tallies = every(lambda data, first: plan.label(last, data, first, _progress.silent, False)[1])
            report = plan.finish(state, merged(plan.merge_tallies, tallies))[1]
            d, m, r = sum(widths), report["prototypes"], report["rank"]
            lines.append(f"| {d}{', parts within blocks' if shift else ''} | {m} | {r} | {max(map(len, looks)):,} | "
                         f"{max(map(len, ranks)):,} | {len(task):,} | {8 * d * (m + r):,} | {len(counts[0]):,} | "
                         f"{8 * (d * m + 2 * m * m):,} |")
            print(lines[-1], flush=True)
    return "parts-bytes", "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="+", choices=["quality", "bytes"])
    parser.add_argument("--write", action="store_true", help="into docs/scaling.md")
    arguments = parser.parse_args()
    python_package.enter("omvc", "dask", "scipy")
    import warnings

    warnings.simplefilter("ignore")
    for what in arguments.what:
        mark, table = {"quality": quality, "bytes": counted_bytes}[what]()
        text = table + "\n\n" + docs_page.stamp(f"experiments/parts_quality.py {what}")
        print(text)
        if arguments.write:
            docs_page.put("scaling.md", mark, text)


if __name__ == "__main__":
    main()
