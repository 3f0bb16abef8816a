"""The part of same_results.py that runs in Python with the package: writes its results into the current folder.

    python same_results_package.py plain|plan|dask|impute [--threads N]

Arrays are .npy, models .omvc, reports .json. Data are planted: a dense view and one of counts, a third missing.
"""
import argparse
import json

import numpy as np
import scipy.sparse

import omvc

ROWS = 3000
MEMORIES = (64, 0.2)  # MB: all rows in the sample, or passes over them


def planted():
    random = np.random.default_rng(5)
    truth = random.integers(4, size=ROWS)
    dense = np.round(random.uniform(-5, 5, (4, 12))[truth] + random.normal(0, 1, (ROWS, 12)))  # with zeros in the middle
    counts = random.poisson(random.gamma(0.3, 1, (4, 60))[truth]).astype(float)
    lacking = random.choice(3, ROWS)
    dense[lacking == 1] = np.nan
    counts[lacking == 2] = np.nan
    return dense, counts


def as_csr(view):
    """The view as CSR, with empty rows where it is missing; and where it is not."""
    there = ~np.isnan(view).any(axis=1)
    return scipy.sparse.csr_matrix(np.where(there[:, None], view, 0)), there


def save(name, value):
    if isinstance(value, bytes):
        with open(f"{name}.omvc", "wb") as file:
            file.write(value)
    elif isinstance(value, np.ndarray):
        np.save(f"{name}.npy", value)
    else:
        with open(f"{name}.json", "w", encoding="utf-8") as file:
            json.dump(value, file, default=lambda each: each.tolist() if hasattr(each, "tolist") else str(each))


def save_fit(name, model):
    save(f"{name}-labels", np.asarray(model.labels_))
    save(f"{name}-confidence", np.asarray(model.confidence_))
    save(f"{name}-report", dict(model.report()))


def plain(threads):
    dense, counts = planted()
    sparse, there = as_csr(counts)
    present = np.column_stack([~np.isnan(dense).any(axis=1), there]).astype(int)
    for memory in MEMORIES:
        for name, given in (("dense", {"X": [dense, counts]}), ("csr", {"X": [dense, sparse], "present": present})):
            model = omvc.Clusterer(n_clusters=4, memory=memory, threads=threads).fit(**given)
            save_fit(f"{name}-{memory}", model)
            save(f"{name}-{memory}-embedding", np.asarray(model.embedding_))
            model.save(f"{name}-{memory}-model.omvc")
    one = omvc.Clusterer(n_clusters=4, threads=threads).fit([dense, counts])
    save("predicted", np.asarray(one.predict([dense[:500], np.full((500, 60), np.nan)])))
    save("transformed", np.asarray(one.transform([dense[:500], counts[:500]])))
    chunks = omvc.Clusterer(n_clusters=4, threads=threads)
    for first in range(0, ROWS, 400):
        chunks.partial_fit([dense[first:first + 400], counts[first:first + 400]])
    chunks.save("partial-model.omvc")
    save("partial-events", [list(each) if isinstance(each, tuple) else str(each) for each in chunks.events_])
    save("once-labels", np.asarray(omvc.Clusterer(n_clusters=4, threads=threads).fit(
        iter([[dense[:1500], counts[:1500]], [dense[1500:], counts[1500:]]])).labels_))


def merged(merge, values):
    total = values[0]
    for one in values[1:]:
        total = merge(total, one)
    return total


def plan(threads):
    from omvc import _core, _inputs, _progress

    views = planted()
    schema = [(f"view{v + 1}", view.shape[1], None) for v, view in enumerate(views)]
    places = [0, 100, 1300, 1301, ROWS]
    for memory in MEMORIES:
        one = _core.Plan({"clusters": "4", "memory": str(memory), "threads": str(threads)}, schema)

        def every(step, backwards=False):
            parts = [step(_inputs.read([view[first:last] for view in views], schema=schema).data, first)
                     for first, last in zip(places, places[1:])]
            return parts[::-1] if backwards else parts

        looks = every(lambda data, first: one.look(data, first, _progress.silent), backwards=True)
        ranks = merged(one.merge_ranks, [one.ranks(look) for look in looks])
        state = one.make(merged(one.merge_looks, [one.trim(look, ranks) for look in looks]), _progress.silent)
        if one.wants_pass(state):
            task = one.task(state)
            counts = every(lambda data, first: one.count(task, data, first, _progress.silent))
            state = one.end_pass(state, merged(one.merge_counts, counts))
        task = one.task(state)
        labelled = every(lambda data, first: one.label(task, data, first, _progress.silent, False))
        model, report = one.finish(state, merged(one.merge_tallies, [tally for _, tally in labelled]))
        for what in ("labels", "confidence", "distance"):
            save(f"{what}-{memory}", np.concatenate([np.asarray(results[what]) for results, _ in labelled]))
        save(f"model-{memory}", model)
        save(f"report-{memory}", report)


def dask(threads):
    import dask.array as da

    import omvc.dask

    sizes = (100, 1200, 1, ROWS - 1301)
    for memory in MEMORIES:
        views = [da.from_array(view, chunks=(sizes, view.shape[1])) for view in planted()]
        model = omvc.dask.Clusterer(n_clusters=4, memory=memory, threads=threads).fit(views)
        save(f"labels-{memory}", np.asarray(model.labels_.compute()))
        save(f"confidence-{memory}", np.asarray(model.confidence_.compute()))
        save(f"report-{memory}", dict(model.report()))
        model.to_local().save(f"model-{memory}.omvc")


def impute(threads):
    """What is missing, where the rows are dense as those that were learned, and where the same rows come as CSR."""
    views = planted()
    model = omvc.Clusterer(n_clusters=4, threads=threads).fit(list(views))
    sparse, there = zip(*map(as_csr, views))
    for name, given in (("dense", {"X": list(views)}), ("csr", {"X": list(sparse), "present": np.column_stack(there).astype(int)})):
        for v, filled in enumerate(model.impute(**given)):
            save(f"{name}-view{v + 1}", np.asarray(filled))


def main():
    whats = {"plain": plain, "plan": plan, "dask": dask, "impute": impute}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=whats)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    whats[arguments.what](arguments.threads)


if __name__ == "__main__":
    main()
